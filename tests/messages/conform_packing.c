/* conform_packing.c - packing by derived types, and what a type says of itself: its making, its name, its attributes. */
#include "conform.h"

/*=============================================================================
 * MARK: - >>pack
 *===========================================================================*/
static void pack_and_unpack(void)
{
    char buffer[200];
    int n = 7, a[3] = { 1, 2, 3 }, at = 0, used;
    double x = 1.25;
    char c = 'q';

    MPI_Pack(&n, 1, MPI_INT, buffer, 200, &at, MPI_COMM_WORLD);
    MPI_Pack(&x, 1, MPI_DOUBLE, buffer, 200, &at, MPI_COMM_WORLD);
    MPI_Pack(a, 3, MPI_INT, buffer, 200, &at, MPI_COMM_WORLD);
    MPI_Pack(&c, 1, MPI_CHAR, buffer, 200, &at, MPI_COMM_WORLD);
    used = at;
    n = a[0] = a[1] = a[2] = at = 0;
    x = c = 0;
    MPI_Unpack(buffer, 200, &at, &n, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(buffer, 200, &at, &x, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(buffer, 200, &at, a, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(buffer, 200, &at, &c, 1, MPI_CHAR, MPI_COMM_WORLD);
    say("%d %g %d %d %d %c all %d", n, x, a[0], a[1], a[2], c, at == used);
}

static void packed_message(void)
{
    char buffer[500];
    int n = 3, at = 0, a[10];
    MPI_Status status;

    fill(a, 10, me == 0 ? 2 : 0);
    if (me == 0) {
        MPI_Pack(&n, 1, MPI_INT, buffer, 500, &at, MPI_COMM_WORLD);
        MPI_Pack(a, n, MPI_INT, buffer, 500, &at, MPI_COMM_WORLD);
        MPI_Send(buffer, at, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(buffer, 500, MPI_PACKED, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Unpack(buffer, 500, &at, &n, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(buffer, 500, &at, a, n, MPI_INT, MPI_COMM_WORLD);
        expect_filled(a, n, 2);
        say("n %d", n);
    }
}

/* Packed on one side only. */
static void packed_and_typed(void)
{
    char buffer[500];
    int a[8], at = 0;

    fill(a, 8, me == 0 ? 4 : 0);
    if (me == 0) {
        MPI_Pack(a, 8, MPI_INT, buffer, 500, &at, MPI_COMM_WORLD);
        MPI_Send(buffer, at, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(a, 8, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(a, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_filled(a, 8, 4);
        fill(a, 8, 0);
        MPI_Recv(buffer, 500, MPI_PACKED, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Unpack(buffer, 500, &at, a, 8, MPI_INT, MPI_COMM_WORLD);
        expect_filled(a, 8, 4);
    }
}

static void pack_derived(void)
{
    int a[30], b[30], at = 0, most;
    char *buffer;
    MPI_Datatype type;

    fill(a, 30, 0);
    fill(b, 30, -1);
    MPI_Type_vector(3, 2, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Pack_size(2, type, MPI_COMM_WORLD, &most);
    buffer = (char *)room((size_t)most);
    MPI_Pack(a, 2, type, buffer, most, &at, MPI_COMM_WORLD);
    expect(at <= most && at >= 12 * (int)sizeof(int), "position %d of %d", at, most);
    at = 0;
    MPI_Unpack(buffer, most, &at, b, 2, type, MPI_COMM_WORLD);
    say_ints("", b, 22);
    MPI_Type_free(&type);
    free(buffer);
}

static void pack_size_is_enough(void)
{
    int size;

    MPI_Pack_size(10, MPI_INT, MPI_COMM_WORLD, &size);
    say("ints %d", size >= 40);
    MPI_Pack_size(3, MPI_DOUBLE_INT, MPI_COMM_WORLD, &size);
    say("pairs %d", size >= 36);
    MPI_Pack_size(0, MPI_DOUBLE, MPI_COMM_WORLD, &size);
    say("none %d", size >= 0);
}

/*=============================================================================
 * MARK: - >>what a type is made of
 *===========================================================================*/
static const char *combiner_name(int combiner)
{
    static const struct {
        int value;
        const char *name;
    } names[] = { { MPI_COMBINER_NAMED, "named" },           { MPI_COMBINER_DUP, "dup" },
                  { MPI_COMBINER_CONTIGUOUS, "contiguous" }, { MPI_COMBINER_VECTOR, "vector" },
                  { MPI_COMBINER_HVECTOR, "hvector" },       { MPI_COMBINER_INDEXED, "indexed" },
                  { MPI_COMBINER_HINDEXED, "hindexed" },     { MPI_COMBINER_INDEXED_BLOCK, "indexed_block" },
                  { MPI_COMBINER_STRUCT, "struct" },         { MPI_COMBINER_SUBARRAY, "subarray" },
                  { MPI_COMBINER_DARRAY, "darray" },         { MPI_COMBINER_RESIZED, "resized" } };

    for (int i = 0; i < COUNT_OF(names); ++i)
        if (names[i].value == combiner) return names[i].name;
    return "another";
}

/* Frees the type. */
static void say_contents(MPI_Datatype type)
{
    int ints, aints, types, combiner, i[40];
    MPI_Aint a[20];
    MPI_Datatype t[20];

    MPI_Type_get_envelope(type, &ints, &aints, &types, &combiner);
    say("%s %d %d %d", combiner_name(combiner), ints, aints, types);
    if (combiner == MPI_COMBINER_NAMED) return;
    MPI_Type_get_contents(type, ints, aints, types, i, a, t);
    say_ints("ints", i, ints);
    for (int k = 0; k < aints; ++k) say("%ld", (long)a[k]);
    for (int k = 0; k < types; ++k) {
        int n[4];
        MPI_Type_get_envelope(t[k], &n[0], &n[1], &n[2], &n[3]);
        say("%s", t[k] == MPI_INT ? "INT" : t[k] == MPI_DOUBLE ? "DOUBLE" : combiner_name(n[3]));
        if (n[3] != MPI_COMBINER_NAMED) MPI_Type_free(&t[k]);
    }
    MPI_Type_free(&type);
}

static void contents_of_vectors(void)
{
    MPI_Datatype type;

    say_contents(MPI_INT);
    MPI_Type_contiguous(3, MPI_INT, &type);
    say_contents(type);
    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &type);
    say_contents(type);
    MPI_Type_create_hvector(3, 2, 36, MPI_INT, &type);
    say_contents(type);
}

static void contents_of_indexed(void)
{
    static const int lengths[] = { 1, 2 }, places[] = { 5, 0 };
    static const MPI_Aint offsets[] = { 40, 0 };
    MPI_Datatype type;

    MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    say_contents(type);
    MPI_Type_create_hindexed(2, lengths, offsets, MPI_INT, &type);
    say_contents(type);
    MPI_Type_create_indexed_block(2, 3, places, MPI_INT, &type);
    say_contents(type);
}

static void contents_of_structure(void)
{
    static const int lengths[] = { 1, 2, 1 };
    static const MPI_Aint offsets[] = { 0, 8, 40 };
    MPI_Datatype types[] = { MPI_INT, MPI_DOUBLE, MPI_DATATYPE_NULL }, type;

    MPI_Type_contiguous(2, MPI_INT, &types[2]);
    MPI_Type_create_struct(3, lengths, offsets, types, &type);
    MPI_Type_free(&types[2]);
    say_contents(type);
}

static void contents_of_others(void)
{
    MPI_Datatype type, other;

    MPI_Type_contiguous(2, MPI_INT, &other);
    MPI_Type_dup(other, &type);
    say_contents(type);
    MPI_Type_create_resized(other, -8, 32, &type);
    say_contents(type);
    MPI_Type_free(&other);
}

static void contents_of_subarray(void)
{
    static const int sizes[] = { 6, 8 }, parts[] = { 3, 4 }, starts[] = { 2, 1 };
    MPI_Datatype type, of[1];
    int ints, aints, types, combiner, i[8];
    MPI_Aint a[1];

    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
    MPI_Type_get_envelope(type, &ints, &aints, &types, &combiner);
    say("%s %d %d %d", combiner_name(combiner), ints, aints, types);
    MPI_Type_get_contents(type, 8, 0, 1, i, a, of);
    say_ints("", i, 7);
    say("order %d int %d", i[7] == MPI_ORDER_FORTRAN, of[0] == MPI_INT);
    MPI_Type_free(&type);
}

static void type_names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Datatype type, copy;

    MPI_Type_get_name(MPI_INT, name, &length);
    say("%s %d", name, length);
    MPI_Type_get_name(MPI_DOUBLE, name, &length);
    say("%s %d", name, length);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_get_name(type, name, &length);
    say("[%s] %d", name, length);
    MPI_Type_set_name(type, "a pair");
    MPI_Type_get_name(type, name, &length);
    say("[%s] %d", name, length);
    MPI_Type_dup(type, &copy);
    MPI_Type_free(&type);
    MPI_Type_free(&copy);
}

static int copies, deletions;

static int copy_twice(MPI_Datatype type, int key, void *extra, void *value, void *out, int *flag)
{
    (void)type;
    (void)key;
    copies += *(int *)extra;
    *(void **)out = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int count_deletion(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type;
    (void)key;
    (void)value;
    deletions += *(int *)extra;
    return MPI_SUCCESS;
}

static void type_attributes(void)
{
    int key, flag = -1, one = 1;
    char cells[4] = "abc", *value = NULL;
    MPI_Datatype type, copy;

    copies = deletions = 0;
    MPI_Type_create_keyval(copy_twice, count_deletion, &key, &one);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_get_attr(type, key, &value, &flag);
    say("flag %d", flag);
    MPI_Type_set_attr(type, key, cells);
    MPI_Type_get_attr(type, key, &value, &flag);
    say("flag %d %s", flag, value);
    MPI_Type_dup(type, &copy);
    MPI_Type_get_attr(copy, key, &value, &flag);
    say("flag %d %s copies %d", flag, value, copies);
    MPI_Type_delete_attr(type, key);
    say("deletions %d", deletions);
    MPI_Type_free(&copy);
    MPI_Type_free(&type);
    say("deletions %d", deletions);
    MPI_Type_free_keyval(&key);
    say("invalid %d", key == MPI_KEYVAL_INVALID);
}

const conform_case conform_packing[] = {
    CASE(pack_and_unpack, 1),
    CASE(packed_message, 2),
    CASE(packed_and_typed, 2),
    CASE(pack_derived, 1),
    CASE(pack_size_is_enough, 1),
    CASE(contents_of_vectors, 1),
    CASE(contents_of_indexed, 1),
    CASE(contents_of_structure, 1),
    CASE(contents_of_others, 1),
    CASE(contents_of_subarray, 1),
    CASE(type_names, 1),
    CASE(type_attributes, 1),
    NO_MORE_CASES,
};
