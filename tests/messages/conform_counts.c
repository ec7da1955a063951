/* conform_counts.c - every collective operation for any number of ranks, all roots, many sizes.
 *
 * Each rank computes what it should get: it says the first difference, or nothing.
 */
#include "conform.h"

#define PRIME 9973

static const int sizes[] = { 0, 1, 2, 3, 5, 17, 100, 1023 };
static const int large[] = { 4097, 20000 }; /* for one root, and by the square of the ranks not at all */
#define SIZES COUNT_OF(sizes)
#define ALL_SIZES (SIZES + COUNT_OF(large))

static int size_of(int s)
{
    return s < SIZES ? sizes[s] : large[s - SIZES];
}

/* Large ones have only two roots. */
static bool has_root(int s, int root)
{
    return s < SIZES || root == 0 || root == np - 1;
}

/* What rank `of` has at place i: below PRIME. */
static int value(int of, int i, int round)
{
    return (int)(((unsigned)of * 7919u + (unsigned)i * 104729u + (unsigned)round * 1299709u + 31u) % PRIME);
}

static int *cells(int count)
{
    int *a = (int *)room((size_t)(count + 1) * sizeof *a);

    for (int i = 0; i <= count; ++i) a[i] = -1;
    return a;
}

static int *values(int of, int count, int round)
{
    int *a = cells(count);

    for (int i = 0; i < count; ++i) a[i] = value(of, i, round);
    return a;
}

static void same(const char *what, int size, int root, int i, int got, int wanted)
{
    if (got != wanted) expect(false, "%s size %d root %d: [%d] %d for %d", what, size, root, i, got, wanted);
}

/* That `a` is what rank `of` has had from place `from` on. */
static void same_values(const int *a, int count, int of, int from, int round, int size, int root)
{
    for (int i = 0; i < count; ++i) same("value", size, root, i, a[i], value(of, from + i, round));
}

/* How many rank i has, when ranks have different counts: some have none. */
static int count_of(int i, int size)
{
    return i % 3 == 1 ? 0 : size + i % 5;
}

/* Counts, and places with gaps between; returns what room it takes. */
static int layout(int size, int **counts, int **places)
{
    int at = 1;

    *counts = cells(np);
    *places = cells(np);
    for (int i = 0; i < np; ++i) {
        (*counts)[i] = count_of(i, size);
        (*places)[i] = at;
        at += (*counts)[i] + i % 2;
    }
    return at;
}

/* That everything not within the parts is still -1. */
static void gaps_are_left(const int *a, int room_of_all, const int *counts, const int *places, int size, int root)
{
    int part = 0;

    for (int i = 0; i < room_of_all; ++i) {
        while (part < np && i >= places[part] + counts[part]) ++part;
        if (part == np || i < places[part]) same("gap", size, root, i, a[i], -1);
    }
}

/*=============================================================================
 * MARK: - >>moving data
 *===========================================================================*/
static void counts_barrier(void)
{
    for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

static void counts_bcast(void)
{
    for (int s = 0; s < ALL_SIZES; ++s)
        for (int root = 0; root < np; ++root) {
            const int n = size_of(s);
            int *a = has_root(s, root) ? me == root ? values(root, n, s) : cells(n) : NULL;
            if (!a) continue;
            MPI_Bcast(a, n, MPI_INT, root, MPI_COMM_WORLD);
            same_values(a, n, root, 0, s, n, root);
            same("end", n, root, n, a[n], -1);
            free(a);
        }
}

static void counts_bcast_100000(void)
{
    const int n = 100000;

    for (int root = 0; root<np; root += np> 1 ? np - 1 : 1) {
        int *a = me == root ? values(root, n, 1) : cells(n);
        MPI_Bcast(a, n, MPI_INT, root, MPI_COMM_WORLD);
        same_values(a, n, root, 0, 1, n, root);
        free(a);
    }
}

static void counts_bcast_vector(void)
{
    for (int s = 0; s < ALL_SIZES; ++s) {
        const int n = size_of(s), root = s % np;
        int *a = me == root ? values(root, 2 * n, s) : cells(2 * n);
        MPI_Datatype type;
        MPI_Type_vector(n, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Bcast(a, 1, type, root, MPI_COMM_WORLD);
        for (int i = 0; i < 2 * n; ++i)
            same("cell", n, root, i, a[i], me == root || i % 2 == 0 ? value(root, i, s) : -1);
        MPI_Type_free(&type);
        free(a);
    }
}

static void gather(bool in_place)
{
    for (int s = 0; s < ALL_SIZES; ++s)
        for (int root = 0; root < np; ++root) {
            const int n = size_of(s);
            int *mine, *all;
            if (!has_root(s, root)) continue;
            mine = values(me, n, s);
            all = cells(me == root ? np * n : 0);
            if (in_place && me == root) {
                memcpy(all + me * n, mine, (size_t)n * sizeof *mine);
                MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD);
            } else {
                MPI_Gather(mine, n, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD);
            }
            for (int i = 0; i < np && me == root; ++i) same_values(all + i * n, n, i, 0, s, n, root);
            same("end", n, root, n, all[me == root ? np * n : 0], -1);
            free(mine);
            free(all);
        }
}

static void counts_gather(void)
{
    gather(false);
}

static void counts_gather_in_place(void)
{
    gather(true);
}

static void gatherv(bool in_place)
{
    for (int s = 0; s < ALL_SIZES; ++s)
        for (int root = 0; root < np; ++root) {
            const int n = size_of(s);
            int *counts, *places, *mine, *all, most;
            if (!has_root(s, root)) continue;
            most = layout(n, &counts, &places);
            mine = values(me, counts[me], s);
            all = cells(me == root ? most : 0);
            if (in_place && me == root) {
                memcpy(all + places[me], mine, (size_t)counts[me] * sizeof *mine);
                MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);
            } else {
                MPI_Gatherv(mine, counts[me], MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);
            }
            for (int i = 0; i < np && me == root; ++i) same_values(all + places[i], counts[i], i, 0, s, n, root);
            if (me == root) gaps_are_left(all, most, counts, places, n, root);
            free(counts);
            free(places);
            free(mine);
            free(all);
        }
}

static void counts_gatherv(void)
{
    gatherv(false);
}

static void counts_gatherv_in_place(void)
{
    gatherv(true);
}

static void scatter(bool in_place)
{
    for (int s = 0; s < ALL_SIZES; ++s)
        for (int root = 0; root < np; ++root) {
            const int n = size_of(s);
            int *mine, *all;
            if (!has_root(s, root)) continue;
            mine = cells(n);
            all = me == root ? values(root, np * n, s) : NULL;
            if (in_place && me == root) {
                MPI_Scatter(all, n, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
                same_values(all, np * n, root, 0, s, n, root);
            } else {
                MPI_Scatter(all, n, MPI_INT, mine, n, MPI_INT, root, MPI_COMM_WORLD);
                same_values(mine, n, root, me * n, s, n, root);
            }
            same("end", n, root, n, mine[n], -1);
            free(mine);
            free(all);
        }
}

static void counts_scatter(void)
{
    scatter(false);
}

static void counts_scatter_in_place(void)
{
    scatter(true);
}

static void scatterv(bool in_place)
{
    for (int s = 0; s < ALL_SIZES; ++s)
        for (int root = 0; root < np; ++root) {
            const int n = size_of(s);
            int *counts, *places, *mine, *all, most;
            if (!has_root(s, root)) continue;
            most = layout(n, &counts, &places);
            mine = cells(counts[me]);
            all = me == root ? values(root, most, s) : NULL;
            if (in_place && me == root) {
                MPI_Scatterv(all, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
                same_values(all, most, root, 0, s, n, root);
            } else {
                MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[me], MPI_INT, root, MPI_COMM_WORLD);
                same_values(mine, counts[me], root, places[me], s, n, root);
            }
            same("end", n, root, counts[me], mine[counts[me]], -1);
            free(counts);
            free(places);
            free(mine);
            free(all);
        }
}

static void counts_scatterv(void)
{
    scatterv(false);
}

static void counts_scatterv_in_place(void)
{
    scatterv(true);
}

static void allgather(bool in_place)
{
    for (int s = 0; s < ALL_SIZES; ++s) {
        const int n = size_of(s);
        int *mine = values(me, n, s), *all = cells(np * n);
        if (in_place) {
            memcpy(all + me * n, mine, (size_t)n * sizeof *mine);
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
        } else {
            MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
        }
        for (int i = 0; i < np; ++i) same_values(all + i * n, n, i, 0, s, n, -1);
        same("end", n, -1, np * n, all[np * n], -1);
        free(mine);
        free(all);
    }
}

static void counts_allgather(void)
{
    allgather(false);
}

static void counts_allgather_in_place(void)
{
    allgather(true);
}

static void allgatherv(bool in_place)
{
    for (int s = 0; s < ALL_SIZES; ++s) {
        const int n = size_of(s);
        int *counts, *places, most = layout(n, &counts, &places), *mine = values(me, counts[me], s), *all = cells(most);
        if (in_place) {
            memcpy(all + places[me], mine, (size_t)counts[me] * sizeof *mine);
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
        } else {
            MPI_Allgatherv(mine, counts[me], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
        }
        for (int i = 0; i < np; ++i) same_values(all + places[i], counts[i], i, 0, s, n, -1);
        gaps_are_left(all, most, counts, places, n, -1);
        free(counts);
        free(places);
        free(mine);
        free(all);
    }
}

static void counts_allgatherv(void)
{
    allgatherv(false);
}

static void counts_allgatherv_in_place(void)
{
    allgatherv(true);
}

static void counts_alltoall(void)
{
    for (int s = 0; s < ALL_SIZES; ++s) {
        const int n = size_of(s);
        int *out = values(me, np * n, s), *in = cells(np * n);
        MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < np; ++i) same_values(in + i * n, n, i, me * n, s, n, -1);
        same_values(out, np * n, me, 0, s, n, -1);
        same("end", n, -1, np * n, in[np * n], -1);
        free(out);
        free(in);
    }
}

/* What rank `from` sends to rank `to`. */
static int count_between(int from, int to, int size)
{
    return (from + 2 * to) % 4 == 1 ? 0 : size + (from * 3 + to) % 7;
}

/* By MPI_Alltoallw with places in bytes, or by MPI_Alltoallv. */
static void alltoallv(bool by_w)
{
    for (int s = 0; s < SIZES; ++s) {
        const int n = size_of(s);
        int *counts[2], *places[2], at[2] = { 0, 0 }, *out, *in;
        MPI_Datatype *types = (MPI_Datatype *)room((size_t)np * sizeof *types);
        for (int k = 0; k < 2; ++k) {
            counts[k] = cells(np);
            places[k] = cells(np);
            for (int i = 0; i < np; ++i) {
                counts[k][i] = k == 0 ? count_between(me, i, n) : count_between(i, me, n);
                places[k][i] = at[k] * (by_w ? (int)sizeof(int) : 1);
                at[k] += counts[k][i] + 1;
                types[i] = MPI_INT;
            }
        }
        out = values(me, at[0], s);
        in = cells(at[1]);
        if (by_w)
            MPI_Alltoallw(out, counts[0], places[0], types, in, counts[1], places[1], types, MPI_COMM_WORLD);
        else
            MPI_Alltoallv(out, counts[0], places[0], MPI_INT, in, counts[1], places[1], MPI_INT, MPI_COMM_WORLD);
        for (int i = 0, to = 0; i < np; ++i) {
            int from = 0; /* where rank i has what it sends to me */
            for (int k = 0; k < me; ++k) from += count_between(i, k, n) + 1;
            same_values(in + to, counts[1][i], i, from, s, n, -1);
            to += counts[1][i] + 1;
            same("gap", n, -1, to - 1, in[to - 1], -1);
        }
        for (int k = 0; k < 2; ++k) {
            free(counts[k]);
            free(places[k]);
        }
        free(types);
        free(out);
        free(in);
    }
}

static void counts_alltoallv(void)
{
    alltoallv(false);
}

static void counts_alltoallw(void)
{
    alltoallv(true);
}

/*=============================================================================
 * MARK: - >>reductions
 *===========================================================================*/
/* f(x) = ax + b, one after the other, in wrapping arithmetic: in rank order, grouped in any way. */
static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const unsigned(*f)[2] = (const unsigned(*)[2])in;
    unsigned(*g)[2] = (unsigned(*)[2])inout;

    (void)type;
    for (int i = 0; i < *count; ++i) {
        g[i][1] += f[i][1] * g[i][0];
        g[i][0] *= f[i][0];
    }
}

/* Reductions of n elements of a type of `width` ints, by an operation, over ranks first <= rank < end. */
typedef struct reduction {
    const char *name;
    MPI_Op op;
    MPI_Datatype type;
    int width;
} reduction;

static void reduced(const reduction *r, int *a, int count, int first, int end, int offset, int round)
{
    for (int i = 0; i < count; ++i) {
        int *at = a + i * r->width;
        for (int rank = first; rank < end; ++rank) {
            int next[2];
            for (int k = 0; k < r->width; ++k) next[k] = value(rank, offset + i * r->width + k, round);
            if (rank == first) {
                memcpy(at, next, (size_t)r->width * sizeof *at);
            } else if (r->width == 2) {
                unsigned f[2], g[2];
                int one = 1;
                memcpy(f, at, sizeof f);
                memcpy(g, next, sizeof g);
                compose(f, g, &one, NULL);
                memcpy(at, g, sizeof g);
            } else if (r->op == MPI_SUM) {
                *at += *next;
            } else if (r->op == MPI_MAX) {
                *at = *next > *at ? *next : *at;
            } else {
                *at ^= *next;
            }
        }
    }
}

static void compare(const reduction *r, const int *got, int count, int first, int end, int offset, int round, int root)
{
    int *wanted = cells(count * r->width);

    reduced(r, wanted, count, first, end, offset, round);
    for (int i = 0; i < count * r->width; ++i) same(r->name, count, root, i, got[i], wanted[i]);
    same("end", count, root, count * r->width, got[count * r->width], -1);
    free(wanted);
}

/* Calls it for sums, maxima, exclusive ors, and functions whose order matters. */
static void each_reduction(void (*check)(const reduction *r, int n, int round), int sizes_of_it)
{
    reduction r[] = { { "sum", MPI_SUM, MPI_INT, 1 },
                      { "max", MPI_MAX, MPI_INT, 1 },
                      { "bxor", MPI_BXOR, MPI_INT, 1 },
                      { "compose", MPI_OP_NULL, MPI_DATATYPE_NULL, 2 } };

    MPI_Type_contiguous(2, MPI_INT, &r[3].type);
    MPI_Type_commit(&r[3].type);
    MPI_Op_create(compose, 0, &r[3].op);
    for (int s = 0; s < sizes_of_it; ++s)
        for (int i = s % 2; i < 4; i += s % 2 + 1) check(&r[i], size_of(s), s);
    MPI_Type_free(&r[3].type);
    MPI_Op_free(&r[3].op);
}

static void check_reduce(const reduction *r, int n, int round)
{
    for (int root = 0; root < np; ++root) {
        int *in, *out;
        if (!has_root(round, root)) continue;
        in = values(me, n * r->width, round);
        out = cells(n * r->width);
        MPI_Reduce(in, out, n, r->type, r->op, root, MPI_COMM_WORLD);
        if (me == root) compare(r, out, n, 0, np, 0, round, root);
        same_values(in, n * r->width, me, 0, round, n, root);
        free(in);
        free(out);
    }
}

static void counts_reduce(void)
{
    each_reduction(check_reduce, ALL_SIZES);
}

static void check_reduce_in_place(const reduction *r, int n, int round)
{
    for (int root = 0; root < np; ++root) {
        int *a;
        if (!has_root(round, root)) continue;
        a = values(me, n * r->width, round);
        if (me == root)
            MPI_Reduce(MPI_IN_PLACE, a, n, r->type, r->op, root, MPI_COMM_WORLD);
        else
            MPI_Reduce(a, NULL, n, r->type, r->op, root, MPI_COMM_WORLD);
        if (me == root)
            compare(r, a, n, 0, np, 0, round, root);
        else
            same_values(a, n * r->width, me, 0, round, n, root);
        free(a);
    }
}

static void counts_reduce_in_place(void)
{
    each_reduction(check_reduce_in_place, SIZES);
}

static void check_allreduce(const reduction *r, int n, int round)
{
    int *in = values(me, n * r->width, round), *out = cells(n * r->width);

    MPI_Allreduce(in, out, n, r->type, r->op, MPI_COMM_WORLD);
    compare(r, out, n, 0, np, 0, round, -1);
    same_values(in, n * r->width, me, 0, round, n, -1);
    free(in);
    free(out);
}

static void counts_allreduce(void)
{
    each_reduction(check_allreduce, ALL_SIZES);
}

static void counts_allreduce_100000(void)
{
    const reduction r = { "sum", MPI_SUM, MPI_INT, 1 };

    check_allreduce(&r, 100000, 1);
}

static void check_allreduce_in_place(const reduction *r, int n, int round)
{
    int *a = values(me, n * r->width, round);

    MPI_Allreduce(MPI_IN_PLACE, a, n, r->type, r->op, MPI_COMM_WORLD);
    compare(r, a, n, 0, np, 0, round, -1);
    free(a);
}

static void counts_allreduce_in_place(void)
{
    each_reduction(check_allreduce_in_place, ALL_SIZES);
}

static void reduce_scatter_of(const reduction *r, int n, int round, bool in_place)
{
    int *counts = cells(np), total = 0, before = 0, *in, *out;

    for (int i = 0; i < np; ++i) {
        counts[i] = count_of(i, n);
        if (i < me) before += counts[i];
        total += counts[i];
    }
    in = values(me, total * r->width, round);
    out = in_place ? in : cells(counts[me] * r->width);
    MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : in, out, counts, r->type, r->op, MPI_COMM_WORLD);
    out[counts[me] * r->width] = in_place ? -1 : out[counts[me] * r->width];
    compare(r, out, counts[me], 0, np, before * r->width, round, -1);
    if (!in_place) free(out);
    free(in);
    free(counts);
}

static void check_reduce_scatter(const reduction *r, int n, int round)
{
    reduce_scatter_of(r, n, round, false);
}

static void counts_reduce_scatter(void)
{
    each_reduction(check_reduce_scatter, ALL_SIZES - 1);
}

static void check_reduce_scatter_in_place(const reduction *r, int n, int round)
{
    reduce_scatter_of(r, n, round, true);
}

static void counts_reduce_scatter_in_place(void)
{
    each_reduction(check_reduce_scatter_in_place, SIZES);
}

static void check_scan(const reduction *r, int n, int round)
{
    int *in = values(me, n * r->width, round), *out = cells(n * r->width);

    MPI_Scan(in, out, n, r->type, r->op, MPI_COMM_WORLD);
    compare(r, out, n, 0, me + 1, 0, round, -1);
    MPI_Scan(MPI_IN_PLACE, in, n, r->type, r->op, MPI_COMM_WORLD);
    compare(r, in, n, 0, me + 1, 0, round, -1);
    free(in);
    free(out);
}

static void counts_scan(void)
{
    each_reduction(check_scan, ALL_SIZES);
}

static void check_exscan(const reduction *r, int n, int round)
{
    int *in = values(me, n * r->width, round), *out = cells(n * r->width);

    MPI_Exscan(in, out, n, r->type, r->op, MPI_COMM_WORLD);
    if (me > 0) compare(r, out, n, 0, me, 0, round, -1);
    MPI_Exscan(MPI_IN_PLACE, in, n, r->type, r->op, MPI_COMM_WORLD);
    if (me > 0) compare(r, in, n, 0, me, 0, round, -1);
    free(in);
    free(out);
}

static void counts_exscan(void)
{
    each_reduction(check_exscan, ALL_SIZES);
}

static void counts_places(void)
{
    for (int n = 1; n < 2000; n = n * 3 + 1) {
        int *in = cells(2 * n), *most = cells(2 * n), *least = cells(2 * n);
        for (int i = 0; i < n; ++i) {
            in[2 * i] = value(me, i, n) % 5; /* many are equal */
            in[2 * i + 1] = me;
        }
        MPI_Allreduce(in, most, n, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
        MPI_Allreduce(in, least, n, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
        for (int i = 0; i < n; ++i) {
            int last = 0, first = 0;
            for (int rank = np - 1; rank >= 0; --rank) {
                if (value(rank, i, n) % 5 >= value(last, i, n) % 5) last = rank;
                if (value(rank, i, n) % 5 <= value(first, i, n) % 5) first = rank;
            }
            same("most", n, -1, i, most[2 * i + 1], last);
            same("least", n, -1, i, least[2 * i + 1], first);
        }
        free(in);
        free(most);
        free(least);
    }
}

/*=============================================================================
 * MARK: - >>parts of the world
 *===========================================================================*/
/* The first k ranks, for every k; the others have their own. */
static void counts_parts(void)
{
    for (int k = 1; k <= np; ++k) {
        int sum = -1, rank, size, *all = cells(np);
        MPI_Comm part;
        MPI_Comm_split(MPI_COMM_WORLD, me < k, me, &part);
        MPI_Comm_rank(part, &rank);
        MPI_Comm_size(part, &size);
        same("size", k, -1, 0, size, me < k ? k : np - k);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
        same("sum", k, -1, 0, sum, size * (size - 1) / 2);
        MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, part);
        for (int i = 0; i < size; ++i) same("all", k, -1, i, all[i], me < k ? i : k + i);
        MPI_Comm_free(&part);
        free(all);
    }
}

/* Different operations straight after each other, of different roots. */
static void counts_by_turns(void)
{
    for (int round = 0; round < 20; ++round) {
        const int root = round * 5 % np;
        int mine = value(me, 0, round), all = -1, *each = cells(np), first = me == root ? round : -1;
        MPI_Bcast(&first, 1, MPI_INT, root, MPI_COMM_WORLD);
        same("bcast", 1, root, round, first, round);
        MPI_Gather(&mine, 1, MPI_INT, each, 1, MPI_INT, (root + 1) % np, MPI_COMM_WORLD);
        MPI_Scatter(each, 1, MPI_INT, &all, 1, MPI_INT, (root + 1) % np, MPI_COMM_WORLD);
        same("back", 1, root, round, all, mine);
        MPI_Reduce(&me, &all, 1, MPI_INT, MPI_SUM, (root + 2) % np, MPI_COMM_WORLD);
        if (me == (root + 2) % np) same("sum", 1, root, round, all, np * (np - 1) / 2);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Allgather(&mine, 1, MPI_INT, each, 1, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < np; ++i) same("each", 1, root, i, each[i], value(i, 0, round));
        free(each);
    }
}

const conform_case conform_counts[] = {
    CASE(counts_barrier, 1),
    CASE(counts_bcast, 1),
    CASE(counts_bcast_100000, 1),
    CASE(counts_bcast_vector, 1),
    CASE(counts_gather, 1),
    CASE(counts_gather_in_place, 1),
    CASE(counts_gatherv, 1),
    CASE(counts_gatherv_in_place, 1),
    CASE(counts_scatter, 1),
    CASE(counts_scatter_in_place, 1),
    CASE(counts_scatterv, 1),
    CASE(counts_scatterv_in_place, 1),
    CASE(counts_allgather, 1),
    CASE(counts_allgather_in_place, 1),
    CASE(counts_allgatherv, 1),
    CASE(counts_allgatherv_in_place, 1),
    CASE(counts_alltoall, 1),
    CASE(counts_alltoallv, 1),
    CASE(counts_alltoallw, 1),
    CASE(counts_reduce, 1),
    CASE(counts_reduce_in_place, 1),
    CASE(counts_allreduce, 1),
    CASE(counts_allreduce_100000, 1),
    CASE(counts_allreduce_in_place, 1),
    CASE(counts_reduce_scatter, 1),
    CASE(counts_reduce_scatter_in_place, 1),
    CASE(counts_scan, 1),
    CASE(counts_exscan, 1),
    CASE(counts_places, 1),
    CASE(counts_parts, 1),
    CASE(counts_by_turns, 1),
    NO_MORE_CASES,
};
