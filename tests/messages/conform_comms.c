/* conform_comms.c - communicators, groups, attributes, topologies, intercommunicators. */
#include "conform.h"

/*=============================================================================
 * MARK: - >>communicators
 *===========================================================================*/
static void world_and_self(void)
{
    int rank = -1, size = -1, flag = -1;

    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    MPI_Comm_size(MPI_COMM_SELF, &size);
    MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
    say("self %d of %d inter %d", rank, size, flag);
}

static void compare_communicators(void)
{
    int result = -1;
    MPI_Comm dup, reversed, half;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
    say("%s", compared(result));
    MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
    say("%s", compared(result));
    MPI_Comm_compare(reversed, MPI_COMM_WORLD, &result);
    say("%s", compared(result));
    MPI_Comm_compare(MPI_COMM_WORLD, half, &result);
    say("%s", compared(result));
    MPI_Comm_free(&dup);
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&half);
    say("null %d", dup == MPI_COMM_NULL);
}

/* Says rank and size in it, and the ranks of the world that are in it. Frees it. */
static void say_members(MPI_Comm *comm)
{
    int rank, size, *all;

    if (*comm == MPI_COMM_NULL) {
        say("none");
        return;
    }
    MPI_Comm_rank(*comm, &rank);
    MPI_Comm_size(*comm, &size);
    all = (int *)room((size_t)size * sizeof *all);
    MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, *comm);
    say("%d of", rank);
    for (int i = 0; i < size; ++i) say("%d", all[i]);
    free(all);
    MPI_Comm_free(comm);
}

static void split_odd_and_even(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comm);
    say_members(&comm);
}

static void split_some_undefined(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, me % 3 == 1 ? MPI_UNDEFINED : 7, 0, &comm);
    say_members(&comm);
}

static void split_all_undefined(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, me, &comm);
    say_members(&comm);
}

static void split_by_keys(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm);
    say_members(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, 3, me % 3 * 100 - 50, &comm); /* equal keys by the old rank */
    say_members(&comm);
}

static void split_into_ones(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, me * 1000, 0, &comm);
    say_members(&comm);
}

static void split_a_part(void)
{
    MPI_Comm half, part;
    int rank;

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_split(half, rank / 2, 0, &part);
    say_members(&part);
    MPI_Comm_free(&half);
}

static void create_from_group(void)
{
    MPI_Group world, group;
    MPI_Comm comm;
    const int last[] = { np - 1, 0 };

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, last, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    say_members(&comm);
}

static void create_from_empty(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm);
    say("null %d", comm == MPI_COMM_NULL);
}

static void many_communicators(void)
{
    MPI_Comm comm[30];
    int sum;

    for (int i = 0; i < 30; ++i) MPI_Comm_dup(i ? comm[i - 1] : MPI_COMM_WORLD, &comm[i]);
    for (int i = 29; i >= 0; --i) {
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm[i]);
        expect(sum == i * np, "%d: %d", i, sum);
        MPI_Comm_free(&comm[i]);
    }
}

/* What is under way still comes to its end. */
static void free_while_in_use(void)
{
    int got = -1;
    MPI_Comm comm;
    MPI_Request request[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(&got, 1, MPI_INT, (me + 1) % np, 0, comm, &request[0]);
    MPI_Isend(&me, 1, MPI_INT, (me + np - 1) % np, 0, comm, &request[1]);
    MPI_Comm_free(&comm);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    expect(got == (me + 1) % np, "got %d", got);
}

static void communicator_names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Comm comm;

    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    say("%s %d", name, length);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    say("%s", name);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "of my own");
    MPI_Comm_get_name(comm, name, &length);
    say("%s %d", name, length);
    MPI_Comm_set_name(comm, "");
    MPI_Comm_get_name(comm, name, &length);
    say("[%s] %d", name, length);
    MPI_Comm_free(&comm);
}

/*=============================================================================
 * MARK: - >>groups
 *===========================================================================*/
/* Says which ranks of the world are in it. Frees it. */
static void say_group(const char *what, MPI_Group *group)
{
    int size, rank, *in, *out;
    MPI_Group world;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(*group, &size);
    MPI_Group_rank(*group, &rank);
    in = (int *)room((size_t)size * sizeof *in);
    out = (int *)room((size_t)size * sizeof *out);
    for (int i = 0; i < size; ++i) in[i] = i;
    MPI_Group_translate_ranks(*group, size, in, world, out);
    say_ints(what, out, size);
    for (int i = 0; i < size; ++i) expect((out[i] == me) == (i == rank), "rank %d", rank);
    if (*group != MPI_GROUP_EMPTY) MPI_Group_free(group);
    MPI_Group_free(&world);
    free(in);
    free(out);
}

static MPI_Group world_group(void)
{
    MPI_Group group;

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    return group;
}

static void group_of_world(void)
{
    MPI_Group group = world_group();
    int size, rank, result;

    MPI_Group_size(group, &size);
    MPI_Group_rank(group, &rank);
    expect(size == np && rank == me, "%d of %d", rank, size);
    MPI_Group_size(MPI_GROUP_EMPTY, &size);
    MPI_Group_rank(MPI_GROUP_EMPTY, &rank);
    say("empty %d", size);
    say_count("rank", rank);
    MPI_Group_compare(group, MPI_GROUP_EMPTY, &result);
    say("%s", compared(result));
    MPI_Group_free(&group);
    say("null %d", group == MPI_GROUP_NULL);
}

static void group_include_exclude(void)
{
    static const int ranks[] = { 3, 0, 2 };
    MPI_Group world = world_group(), group;

    MPI_Group_incl(world, 3, ranks, &group);
    say_group("incl", &group);
    MPI_Group_excl(world, 3, ranks, &group);
    say_group("excl", &group);
    MPI_Group_incl(world, 0, NULL, &group);
    say_group("none", &group);
    MPI_Group_excl(world, 0, NULL, &group);
    say_group("all", &group);
    MPI_Group_free(&world);
}

static void group_ranges(void)
{
    int up[1][3] = { { 0, 3, 2 } }, down[2][3] = { { 3, 2, -1 }, { 0, 0, 1 } }, inner[1][3] = { { 1, 2, 1 } };
    MPI_Group world = world_group(), group;

    MPI_Group_range_incl(world, 1, up, &group);
    say_group("up", &group);
    MPI_Group_range_incl(world, 2, down, &group);
    say_group("down", &group);
    MPI_Group_range_excl(world, 1, inner, &group);
    say_group("without", &group);
    MPI_Group_range_excl(world, 2, down, &group);
    say_group("without", &group);
    MPI_Group_free(&world);
}

static void group_sets(void)
{
    static const int first[] = { 2, 0, 3 }, second[] = { 1, 3, 2 };
    MPI_Group world = world_group(), a, b, group;

    MPI_Group_incl(world, 3, first, &a);
    MPI_Group_incl(world, 3, second, &b);
    MPI_Group_union(a, b, &group);
    say_group("union", &group);
    MPI_Group_union(b, a, &group);
    say_group("union", &group);
    MPI_Group_intersection(a, b, &group);
    say_group("intersection", &group);
    MPI_Group_intersection(b, a, &group);
    say_group("intersection", &group);
    MPI_Group_difference(a, b, &group);
    say_group("difference", &group);
    MPI_Group_difference(b, a, &group);
    say_group("difference", &group);
    MPI_Group_difference(a, a, &group);
    say_group("itself", &group);
    MPI_Group_union(a, MPI_GROUP_EMPTY, &group);
    say_group("and none", &group);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&world);
}

static void group_comparisons(void)
{
    static const int first[] = { 0, 1, 2 }, second[] = { 2, 1, 0 }, third[] = { 0, 1, 3 };
    MPI_Group world = world_group(), a, b, c, same;
    int result;

    MPI_Group_incl(world, 3, first, &a);
    MPI_Group_incl(world, 3, second, &b);
    MPI_Group_incl(world, 3, third, &c);
    MPI_Group_incl(world, 3, first, &same);
    MPI_Group_compare(a, same, &result);
    say("%s", compared(result));
    MPI_Group_compare(a, b, &result);
    say("%s", compared(result));
    MPI_Group_compare(a, c, &result);
    say("%s", compared(result));
    MPI_Group_compare(a, world, &result);
    say("%s", compared(result));
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&c);
    MPI_Group_free(&same);
    MPI_Group_free(&world);
}

static void group_translation(void)
{
    static const int first[] = { 3, 1, 0 }, second[] = { 0, 2, 3 };
    const int ranks[] = { 0, 1, 2, MPI_PROC_NULL };
    int out[4];
    MPI_Group world = world_group(), a, b;

    MPI_Group_incl(world, 3, first, &a);
    MPI_Group_incl(world, 3, second, &b);
    MPI_Group_translate_ranks(a, 4, ranks, b, out);
    for (int i = 0; i < 4; ++i) say_rank("to", out[i]);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&world);
}

static void group_outlives_communicator(void)
{
    MPI_Comm comm, again;
    MPI_Group group;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm);
    MPI_Comm_group(comm, &group);
    MPI_Comm_free(&comm);
    MPI_Comm_create(MPI_COMM_WORLD, group, &again);
    MPI_Group_free(&group);
    say_members(&again);
}

/*=============================================================================
 * MARK: - >>attributes
 *===========================================================================*/
static int copied, deleted;

/* Moves on by as many as the extra state says; copies nothing from "no". */
static int copy_next(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm;
    (void)key;
    ++copied;
    *flag = strcmp((const char *)value, "no") != 0;
    *(void **)out = (char *)value + *(int *)extra;
    return MPI_SUCCESS;
}

static int count_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    ++deleted;
    return MPI_SUCCESS;
}

static void say_attribute(const char *what, MPI_Comm comm, int key)
{
    char *value = NULL;
    int flag = -1;

    MPI_Comm_get_attr(comm, key, &value, &flag);
    say("%s %s", what, flag ? value : "none");
}

static void attributes(void)
{
    char a[] = "abcd", b[] = "bed", no[] = "no";
    int key, other, one = 1;
    MPI_Comm comm, copy;

    copied = deleted = 0;
    MPI_Comm_create_keyval(copy_next, count_deleted, &key, &one);
    MPI_Comm_create_keyval(copy_next, count_deleted, &other, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    say_attribute("before", comm, key);
    MPI_Comm_set_attr(comm, key, a);
    MPI_Comm_set_attr(comm, other, no);
    say_attribute("set", comm, key);
    MPI_Comm_dup(comm, &copy);
    say_attribute("copy", copy, key);
    say_attribute("copy", copy, other);
    say("copied %d deleted %d", copied, deleted);
    MPI_Comm_set_attr(comm, key, b); /* deletes the first */
    say_attribute("again", comm, key);
    say("deleted %d", deleted);
    MPI_Comm_delete_attr(copy, key);
    say_attribute("after", copy, key);
    say("deleted %d", deleted);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    say("deleted %d", deleted);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free_keyval(&other);
    say("invalid %d", key == MPI_KEYVAL_INVALID);
}

static void attributes_of_given_functions(void)
{
    char a[] = "alpha", b[] = "beta";
    int shared, own;
    MPI_Comm comm, copy;

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &shared, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &own, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_attr(comm, shared, a);
    MPI_Comm_set_attr(comm, own, b);
    MPI_Comm_dup(comm, &copy);
    say_attribute("shared", copy, shared);
    say_attribute("own", copy, own);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&shared);
    MPI_Comm_free_keyval(&own);
}

/* A key that has been freed lives on in its attributes. */
static void attribute_outlives_key(void)
{
    char a[] = "abc";
    int key, copy_of_key, zero = 0;
    MPI_Comm comm;

    copied = deleted = 0;
    MPI_Comm_create_keyval(copy_next, count_deleted, &key, &zero);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy_of_key = key;
    MPI_Comm_set_attr(comm, key, a);
    MPI_Comm_free_keyval(&key);
    say_attribute("still", comm, copy_of_key);
    MPI_Comm_free(&comm);
    say("deleted %d", deleted);
}

/* Only a duplicate has them. */
static void attributes_and_split(void)
{
    char a[] = "abc";
    int key;
    MPI_Comm comm, part;

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, key, a);
    MPI_Comm_split(comm, 0, me, &part);
    say_attribute("split", part, key);
    MPI_Comm_free(&part);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
}

static void predefined_attributes(void)
{
    int *value = NULL, flag = -1;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    say("tag_ub %d", flag && *value >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    say("io %d", flag);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    say("wtime_is_global %d", flag && (*value == 0 || *value == 1));
}

/*=============================================================================
 * MARK: - >>topologies
 *===========================================================================*/
static void no_topology(void)
{
    int kind = -1;

    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    say_count("topology", kind);
}

static void cart_line(void)
{
    const int periods[] = { 0 };
    int rank, coords[1], source, target, kind, dimensions;
    MPI_Comm comm;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &np, periods, 0, &comm);
    MPI_Topo_test(comm, &kind);
    MPI_Cartdim_get(comm, &dimensions);
    MPI_Comm_rank(comm, &rank);
    MPI_Cart_coords(comm, rank, 1, coords);
    MPI_Cart_shift(comm, 0, 1, &source, &target);
    say("cart %d dimensions %d at %d", kind == MPI_CART, dimensions, coords[0]);
    say_rank("from", source);
    say_rank("to", target);
    MPI_Cart_shift(comm, 0, -2, &source, &target);
    say_rank("from", source);
    say_rank("to", target);
    MPI_Cart_shift(comm, 0, 0, &source, &target);
    expect(source == me && target == me, "shift by 0: %d %d", source, target);
    MPI_Comm_free(&comm);
}

static void cart_ring(void)
{
    const int periods[] = { 1 };
    int source, target, got = -1;
    MPI_Comm comm;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &np, periods, 0, &comm);
    for (int by = -np - 1; by <= np + 1; ++by) {
        MPI_Cart_shift(comm, 0, by, &source, &target);
        expect(source == (me - by + 2 * np) % np && target == (me + by + 2 * np) % np, "by %d: %d %d", by, source,
               target);
        MPI_Sendrecv(&me, 1, MPI_INT, target, 0, &got, 1, MPI_INT, source, 0, comm, MPI_STATUS_IGNORE);
        expect(got == source, "got %d", got);
    }
    MPI_Comm_free(&comm);
}

static void cart_plane(void)
{
    const int dims[] = { 2, 2 }, periods[] = { 1, 0 };
    int coords[2], rank, source, target, got_dims[2], got_periods[2];
    MPI_Comm comm;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    if (comm == MPI_COMM_NULL) {
        say("none");
        return;
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Cart_get(comm, 2, got_dims, got_periods, coords);
    say("dims %d %d periods %d %d at %d %d", got_dims[0], got_dims[1], got_periods[0], got_periods[1], coords[0],
        coords[1]);
    for (int i = 0; i < 2; ++i) {
        MPI_Cart_shift(comm, i, 1, &source, &target);
        say_rank("from", source);
        say_rank("to", target);
    }
    MPI_Cart_rank(comm, coords, &rank);
    expect(rank == me, "rank %d", rank);
    coords[0] += 2; /* around */
    MPI_Cart_rank(comm, coords, &rank);
    expect(rank == me, "around %d", rank);
    coords[0] -= 4;
    MPI_Cart_rank(comm, coords, &rank);
    expect(rank == me, "around %d", rank);
    MPI_Comm_free(&comm);
}

static void cart_space(void)
{
    const int dims[] = { 2, 1, np / 2 }, periods[] = { 0, 1, 1 };
    int coords[3], at[3], rank;
    MPI_Comm comm;

    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &comm);
    for (int i = 0; i < np / 2 * 2 && comm != MPI_COMM_NULL; ++i) {
        MPI_Cart_coords(comm, i, 3, coords);
        MPI_Cart_rank(comm, coords, &rank);
        at[0] = i / (np / 2);
        at[1] = 0;
        at[2] = i % (np / 2);
        expect(rank == i && memcmp(at, coords, sizeof at) == 0, "%d: %d %d %d", i, coords[0], coords[1], coords[2]);
    }
    say(comm == MPI_COMM_NULL ? "none" : "in");
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void cart_parts(void)
{
    const int dims[] = { 2, np / 2 }, periods[] = { 0, 1 };
    int keep[2], size, rank, sum, kind, dimensions, length, ring, at;
    MPI_Comm comm, part;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    if (comm == MPI_COMM_NULL) return;
    for (int i = 0; i < 2; ++i) {
        keep[i] = 1;
        keep[1 - i] = 0;
        MPI_Cart_sub(comm, keep, &part);
        MPI_Comm_size(part, &size);
        MPI_Comm_rank(part, &rank);
        MPI_Topo_test(part, &kind);
        MPI_Cartdim_get(part, &dimensions);
        MPI_Cart_get(part, 1, &length, &ring, &at);
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, part);
        say("%d of %d sum %d cart %d dimensions %d length %d period %d at %d", rank, size, sum, kind == MPI_CART,
            dimensions, length, ring, at);
        MPI_Comm_free(&part);
    }
    MPI_Comm_free(&comm);
}

static void cart_is_kept_by_dup(void)
{
    const int periods[] = { 1 };
    int kind, source, target;
    MPI_Comm comm, dup, split;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &np, periods, 0, &comm);
    MPI_Comm_dup(comm, &dup);
    MPI_Topo_test(dup, &kind);
    MPI_Cart_shift(dup, 0, 1, &source, &target);
    expect(target == (me + 1) % np, "target %d", target);
    say("dup %d", kind == MPI_CART);
    MPI_Comm_split(comm, 0, me, &split);
    MPI_Topo_test(split, &kind);
    say_count("split", kind);
    MPI_Comm_free(&split);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&comm);
}

/* Where only one answer is as close as possible. */
static void dims_create(void)
{
    static const int given[][5] = { /* ranks, dimensions, dims */
                                    { 6, 2, 0, 0, 0 },  { 7, 2, 0, 0, 0 },  { 6, 3, 0, 3, 0 }, { 12, 2, 0, 0, 0 },
                                    { 16, 2, 0, 0, 0 }, { 8, 3, 0, 0, 0 },  { 1, 2, 0, 0, 0 }, { 24, 3, 0, 0, 0 },
                                    { 36, 2, 0, 0, 0 }, { 60, 3, 0, 5, 0 }, { 9, 1, 0, 0, 0 }, { 12, 2, 3, 4, 0 }
    };

    for (int i = 0; i < COUNT_OF(given); ++i) {
        int dims[3] = { given[i][2], given[i][3], given[i][4] };
        MPI_Dims_create(given[i][0], given[i][1], dims);
        for (int k = 0; k < given[i][1]; ++k) say(k ? "x %d" : "%d", dims[k]);
        say(";");
    }
}

/* Rank 0 in the middle of the others. */
static void graph(void)
{
    int *index = (int *)room((size_t)np * sizeof *index), *edges = (int *)room(2 * (size_t)np * sizeof *edges);
    int *got = (int *)room(2 * (size_t)np * sizeof *got), n = 0, kind, nodes, count;
    MPI_Comm comm;

    for (int i = 1; i < np; ++i) edges[n++] = i;
    index[0] = n;
    for (int i = 1; i < np; ++i) {
        edges[n++] = 0;
        index[i] = n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, np, index, edges, 0, &comm);
    MPI_Topo_test(comm, &kind);
    MPI_Graphdims_get(comm, &nodes, &count);
    expect(kind == MPI_GRAPH && nodes == np && count == n, "nodes %d edges %d", nodes, count);
    memset(index, 0, (size_t)np * sizeof *index);
    MPI_Graph_get(comm, np, n, index, got);
    for (int i = 0; i < np; ++i) expect(index[i] == np - 1 + i, "index %d", index[i]);
    expect(memcmp(edges, got, (size_t)n * sizeof *edges) == 0, "edges");
    MPI_Graph_neighbors_count(comm, me, &count);
    MPI_Graph_neighbors(comm, me, np, got);
    say_ints("neighbors", got, count);
    MPI_Graph_neighbors_count(comm, np - 1, &count); /* of another */
    say("of the last %d", count);
    MPI_Comm_free(&comm);
    free(index);
    free(edges);
    free(got);
}

static void graph_of_some(void)
{
    static const int index[] = { 1, 2 }, edges[] = { 1, 0 };
    int rank = -1, neighbor = -1;
    MPI_Comm comm;

    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &comm);
    if (comm == MPI_COMM_NULL) {
        say("none");
        return;
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors(comm, rank, 1, &neighbor);
    say("rank %d neighbor %d", rank, neighbor);
    MPI_Comm_free(&comm);
}

/*=============================================================================
 * MARK: - >>intercommunicators
 *===========================================================================*/
/* Even ranks and odd ranks. */
static MPI_Comm between(MPI_Comm *half)
{
    MPI_Comm inter;

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, half);
    MPI_Intercomm_create(*half, 0, MPI_COMM_WORLD, 1 - me % 2, 12, &inter);
    return inter;
}

static void between_end(MPI_Comm *inter, MPI_Comm *half)
{
    MPI_Comm_free(inter);
    MPI_Comm_free(half);
}

static void inter_sizes(void)
{
    int flag, rank, size, remote, first = 0, of_world;
    MPI_Comm half, inter = between(&half);
    MPI_Group group, world;

    MPI_Comm_test_inter(inter, &flag);
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_remote_group(inter, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, 1, &first, world, &of_world);
    say("inter %d rank %d of %d remote %d first %d", flag, rank, size, remote, of_world);
    MPI_Group_free(&group);
    MPI_Comm_group(inter, &group);
    MPI_Group_translate_ranks(group, 1, &first, world, &of_world);
    say("local %d", of_world);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    between_end(&inter, &half);
}

static void inter_messages(void)
{
    int rank, remote, size, got = -1;
    MPI_Comm half, inter = between(&half);
    MPI_Status status;

    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    if (rank < remote && rank < size) { /* with the same rank over there */
        MPI_Sendrecv(&me, 1, MPI_INT, rank, 3, &got, 1, MPI_INT, MPI_ANY_SOURCE, 3, inter, &status);
        say("got %d", got);
        say_status(&status, MPI_INT);
    }
    between_end(&inter, &half);
}

static void inter_merge(void)
{
    int result;
    MPI_Comm half, inter = between(&half), all;

    for (int high = 0; high < 2; ++high) {
        MPI_Intercomm_merge(inter, me % 2 == high, &all);
        MPI_Comm_compare(all, MPI_COMM_WORLD, &result);
        say("%s", compared(result));
        say_members(&all);
    }
    between_end(&inter, &half);
}

static void inter_dup(void)
{
    int result, flag, rank, got = -1;
    MPI_Comm half, inter = between(&half), dup;

    MPI_Comm_dup(inter, &dup);
    MPI_Comm_compare(inter, dup, &result);
    MPI_Comm_test_inter(dup, &flag);
    MPI_Comm_rank(dup, &rank);
    if (rank == 0) MPI_Sendrecv(&me, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, dup, MPI_STATUS_IGNORE);
    say("%s inter %d got %d", compared(result), flag, got);
    MPI_Comm_free(&dup);
    between_end(&inter, &half);
}

static void inter_bcast(void)
{
    int value = me == 1 ? 99 : -1, rank;
    MPI_Comm half, inter = between(&half);

    MPI_Comm_rank(inter, &rank);
    MPI_Barrier(inter);
    MPI_Bcast(&value, 1, MPI_INT, me % 2 == 0 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    say("%d", value);
    between_end(&inter, &half);
}

/* Each side gets the sum of the other. */
static void inter_allreduce(void)
{
    int sum[2] = { -1, -1 };
    const int mine[2] = { me, 1 };
    MPI_Comm half, inter = between(&half);

    MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, inter);
    say_ints("", sum, 2);
    between_end(&inter, &half);
}

static void inter_allgather(void)
{
    int remote, *all = (int *)room((size_t)np * sizeof *all), value = me * 10;
    MPI_Comm half, inter = between(&half);

    MPI_Comm_remote_size(inter, &remote);
    MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, inter);
    say_ints("", all, remote);
    free(all);
    between_end(&inter, &half);
}

/* From the even ranks to the first odd one. */
static void inter_gather_and_reduce(void)
{
    int remote, rank, *all = (int *)room((size_t)np * sizeof *all), sum = -1, root;
    MPI_Comm half, inter = between(&half);

    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &remote);
    root = me % 2 == 0 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Gather(&me, 1, MPI_INT, all, 1, MPI_INT, root, inter);
    MPI_Reduce(&me, &sum, 1, MPI_INT, MPI_SUM, root, inter);
    if (root == MPI_ROOT) say_ints("", all, remote);
    say("%d", sum);
    free(all);
    between_end(&inter, &half);
}

static void inter_scatter(void)
{
    int rank, *all = (int *)room((size_t)np * sizeof *all), value = -1;
    MPI_Comm half, inter = between(&half);

    fill(all, np, me);
    MPI_Comm_rank(inter, &rank);
    MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, me % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    say("%d", value);
    free(all);
    between_end(&inter, &half);
}

static void inter_alltoall(void)
{
    int remote, *out = (int *)room((size_t)np * sizeof *out), *in = (int *)room((size_t)np * sizeof *in);
    MPI_Comm half, inter = between(&half);

    MPI_Comm_remote_size(inter, &remote);
    for (int i = 0; i < np; ++i) out[i] = me * 100 + i;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter);
    say_ints("", in, remote);
    free(out);
    free(in);
    between_end(&inter, &half);
}

/* Rank 0 alone, and the others in reverse, led by their last. */
static void inter_uneven(void)
{
    int remote, rank, got = -1;
    MPI_Comm part, inter;

    MPI_Comm_split(MPI_COMM_WORLD, me == 0, -me, &part);
    MPI_Intercomm_create(part, me == 0 ? 0 : np - 2, MPI_COMM_WORLD, me == 0 ? 1 : 0, 0, &inter);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_rank(inter, &rank);
    for (int i = 0; i < remote && me == 0; ++i) MPI_Send(&i, 1, MPI_INT, i, 0, inter);
    if (me > 0) MPI_Recv(&got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    say("rank %d remote %d got %d", rank, remote, got);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&part);
}

const conform_case conform_comms[] = {
    CASE(world_and_self, 1),
    CASE(compare_communicators, 2),
    CASE(split_odd_and_even, 1),
    CASE(split_some_undefined, 1),
    CASE(split_all_undefined, 1),
    CASE(split_by_keys, 1),
    CASE(split_into_ones, 1),
    CASE(split_a_part, 1),
    CASE(create_from_group, 2),
    CASE(create_from_empty, 1),
    CASE(many_communicators, 1),
    CASE(free_while_in_use, 1),
    CASE(communicator_names, 1),
    CASE(group_of_world, 1),
    CASE(group_include_exclude, 4),
    CASE(group_ranges, 4),
    CASE(group_sets, 4),
    CASE(group_comparisons, 4),
    CASE(group_translation, 4),
    CASE(group_outlives_communicator, 1),
    CASE(attributes, 1),
    CASE(attributes_of_given_functions, 1),
    CASE(attribute_outlives_key, 1),
    CASE(attributes_and_split, 1),
    CASE(predefined_attributes, 1),
    CASE(no_topology, 1),
    CASE(cart_line, 1),
    CASE(cart_ring, 1),
    CASE(cart_plane, 4),
    CASE(cart_space, 2),
    CASE(cart_parts, 2),
    CASE(cart_is_kept_by_dup, 1),
    CASE(dims_create, 1),
    CASE(graph, 2),
    CASE(graph_of_some, 2),
    CASE(inter_sizes, 2),
    CASE(inter_messages, 2),
    CASE(inter_merge, 2),
    CASE(inter_dup, 2),
    CASE(inter_bcast, 2),
    CASE(inter_allreduce, 2),
    CASE(inter_allgather, 2),
    CASE(inter_gather_and_reduce, 2),
    CASE(inter_scatter, 2),
    CASE(inter_alltoall, 2),
    CASE(inter_uneven, 2),
    NO_MORE_CASES,
};
