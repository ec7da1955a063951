/* conform_types.c - derived types: their layout, and sending by them. */
#include "conform.h"

#define CELLS 64

/* Size, bounds and true bounds. */
static void say_layout(const char *what, MPI_Datatype type)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size;

    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    say("%s size %d lb %ld extent %ld true %ld %ld", what, size, (long)lb, (long)extent, (long)true_lb,
        (long)true_extent);
}

/* Sends `count` of the type from cells 0, 1, ... starting at `from`, to this rank, as ints: says which cells it takes.
 * Then receives ints 100, 101, ... by the type: says what goes where. Frees the type. */
static void say_cells(MPI_Datatype *type, int count, int from)
{
    int a[CELLS], b[CELLS], size, n;

    MPI_Type_commit(type);
    MPI_Type_size(*type, &size);
    n = size * count / (int)sizeof(int);
    for (int i = 0; i < CELLS; ++i) {
        a[i] = i;
        b[i] = -1;
    }
    MPI_Sendrecv(a + from, count, *type, 0, 0, b, CELLS, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    say_ints("takes", b, n);
    for (int i = 0; i < CELLS; ++i) {
        a[i] = 100 + i;
        b[i] = -1;
    }
    MPI_Sendrecv(a, n, MPI_INT, 0, 0, b + from, count, *type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    say("puts");
    for (int i = 0; i < CELLS; ++i)
        if (b[i] != -1) say("%d:%d", i, b[i]);
    MPI_Type_free(type);
    say("null %d", *type == MPI_DATATYPE_NULL);
}

/*=============================================================================
 * MARK: - >>constructors
 *===========================================================================*/
static void contiguous(void)
{
    MPI_Datatype type;

    MPI_Type_contiguous(5, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 2, 3);
}

static void vector(void)
{
    MPI_Datatype type;

    MPI_Type_vector(3, 2, 4, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 2, 0);
}

static void vector_backwards(void)
{
    MPI_Datatype type;

    MPI_Type_vector(4, 1, -3, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 1, 20);
}

static void vector_without_gaps(void)
{
    MPI_Datatype type;

    MPI_Type_vector(3, 2, 2, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 2, 1);
}

static void hvector(void)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(4, 2, 5 * sizeof(int), MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 2, 1);
}

static void indexed(void)
{
    static const int lengths[] = { 2, 0, 3, 1 }, places[] = { 4, 20, 9, 0 };
    MPI_Datatype type;

    MPI_Type_indexed(4, lengths, places, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 2, 0);
}

static void indexed_from_below(void)
{
    static const int lengths[] = { 1, 2 }, places[] = { -4, 3 };
    MPI_Datatype type;

    MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 2, 10);
}

static void hindexed(void)
{
    static const int lengths[] = { 1, 2, 1 };
    static const MPI_Aint places[] = { 8, 16, 0 };
    MPI_Datatype type;

    MPI_Type_create_hindexed(3, lengths, places, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 3, 2);
}

static void indexed_block(void)
{
    static const int places[] = { 6, 0, 12, 3 };
    MPI_Datatype type;

    MPI_Type_create_indexed_block(4, 2, places, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 1, 5);
}

static void resized(void)
{
    MPI_Datatype two, type;

    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, -4, 20, &type);
    MPI_Type_free(&two);
    say_layout("type", type);
    say_cells(&type, 3, 4);
}

/* One column of a matrix with rows of six, one after the other. */
static void resized_columns(void)
{
    MPI_Datatype column, type;

    MPI_Type_vector(4, 1, 6, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &type);
    MPI_Type_free(&column);
    say_layout("type", type);
    say_cells(&type, 6, 0);
}

/* Elements on top of each other may be sent. */
static void resized_smaller(void)
{
    int a[8], b[8];
    MPI_Datatype three, type;

    fill(a, 8, 1);
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_create_resized(three, 0, sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(a, 2, type, 0, 0, b, 6, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    say_ints("", b, 6);
    MPI_Type_free(&three);
    MPI_Type_free(&type);
}

static void structure(void)
{
    static const int lengths[] = { 1, 3, 2 };
    static const MPI_Aint places[] = { 0, 8, 28 };
    const MPI_Datatype types[] = { MPI_INT, MPI_INT, MPI_INT };
    MPI_Datatype type;

    MPI_Type_create_struct(3, lengths, places, types, &type);
    say_layout("type", type);
    say_cells(&type, 2, 1);
}

typedef struct record {
    double x;
    char name[6];
    short s;
    int n;
    float f[2];
    char last;
} record;

static MPI_Datatype record_type(void)
{
    static const int lengths[] = { 1, 6, 1, 1, 2, 1 };
    static const MPI_Aint places[] = { offsetof(record, x), offsetof(record, name), offsetof(record, s),
                                       offsetof(record, n), offsetof(record, f),    offsetof(record, last) };
    const MPI_Datatype types[] = { MPI_DOUBLE, MPI_CHAR, MPI_SHORT, MPI_INT, MPI_FLOAT, MPI_CHAR };
    MPI_Datatype type;

    MPI_Type_create_struct(6, lengths, places, types, &type);
    MPI_Type_commit(&type);
    return type;
}

static void record_fill(record *it, int seed)
{
    memset(it, 0, sizeof *it);
    it->x = seed + 0.5;
    snprintf(it->name, sizeof it->name, "r%d", seed % 1000);
    it->s = (short)-seed;
    it->n = seed * 1000;
    it->f[0] = (float)seed;
    it->f[1] = (float)seed / 4;
    it->last = 'z';
}

/* An array of structures; the extent has the padding at the end. */
static void structure_of_mixed_types(void)
{
    record a[20], b;
    MPI_Datatype type = record_type();
    MPI_Status status;

    say_layout("type", type);
    memset(a, 0, sizeof a);
    for (int i = 0; i < 20 && me == 0; ++i) record_fill(&a[i], i);
    if (me == 0) MPI_Send(a, 20, type, 1, 0, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Recv(a, 20, type, 0, 0, MPI_COMM_WORLD, &status);
        say_status(&status, type);
        for (int i = 0; i < 20; ++i) {
            record_fill(&b, i);
            expect(memcmp(&a[i], &b, sizeof b) == 0, "record %d", i);
        }
    }
    MPI_Type_free(&type);
}

static void holes_stay_as_they_are(void)
{
    static const int lengths[] = { 1, 1 };
    static const MPI_Aint places[] = { 0, 8 };
    const MPI_Datatype types[] = { MPI_CHAR, MPI_INT };
    unsigned char a[16], b[16];
    MPI_Datatype type;

    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    say_layout("type", type);
    memset(a, 1, sizeof a);
    memset(b, 2, sizeof b);
    MPI_Sendrecv(a, 1, type, 0, 0, b, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    for (int i = 0; i < 16; ++i) say("%d", b[i]);
    MPI_Type_free(&type);
}

/* The extent of a structure is rounded up to the strictest alignment in it. */
static void structure_padding(void)
{
    static const int lengths[] = { 1, 1 };
    static const MPI_Aint places[] = { 0, 8 }, close[] = { 0, 4 };
    const MPI_Datatype types[] = { MPI_DOUBLE, MPI_CHAR }, shorts[] = { MPI_INT, MPI_SHORT };
    MPI_Datatype type;

    MPI_Type_create_struct(2, lengths, places, types, &type);
    say_layout("double char", type);
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, lengths, close, shorts, &type);
    say_layout("int short", type);
    MPI_Type_free(&type);
}

static void pair_types(void)
{
    say_layout("float int", MPI_FLOAT_INT);
    say_layout("double int", MPI_DOUBLE_INT);
    say_layout("long int", MPI_LONG_INT);
    say_layout("2int", MPI_2INT);
    say_layout("short int", MPI_SHORT_INT);
}

/*=============================================================================
 * MARK: - >>subarrays
 *===========================================================================*/
static void subarray(int order, int dimensions, const int *sizes, const int *parts, const int *starts)
{
    MPI_Datatype type;

    MPI_Type_create_subarray(dimensions, sizes, parts, starts, order, MPI_INT, &type);
    say_layout("type", type);
    say_cells(&type, 1, 0);
}

static void subarray_of_rows(void)
{
    static const int sizes[] = { 6, 8 }, parts[] = { 3, 4 }, starts[] = { 2, 1 };

    subarray(MPI_ORDER_C, 2, sizes, parts, starts);
}

static void subarray_of_columns(void)
{
    static const int sizes[] = { 6, 8 }, parts[] = { 3, 4 }, starts[] = { 2, 1 };

    subarray(MPI_ORDER_FORTRAN, 2, sizes, parts, starts);
}

static void subarray_of_three_dimensions(void)
{
    static const int sizes[] = { 3, 4, 5 }, parts[] = { 2, 2, 3 }, starts[] = { 1, 0, 2 };

    subarray(MPI_ORDER_C, 3, sizes, parts, starts);
}

static void subarray_of_one_dimension(void)
{
    static const int size = 10, part = 4, start = 3;

    subarray(MPI_ORDER_C, 1, &size, &part, &start);
}

static void subarray_whole(void)
{
    static const int sizes[] = { 4, 5 }, starts[] = { 0, 0 };

    subarray(MPI_ORDER_C, 2, sizes, sizes, starts);
}

/* All parts of a distributed array, as one process; each cell belongs to one. */
static void darray(int processes, int dimensions, const int *sizes, const int *how, const int *with, const int *grid,
                   int order)
{
    int owner[CELLS], cells = 1, none[CELLS];

    for (int i = 0; i < dimensions; ++i) cells *= sizes[i];
    fill(none, CELLS, 0);
    for (int i = 0; i < cells; ++i) owner[i] = -1;
    for (int rank = 0; rank < processes; ++rank) {
        int mine[CELLS], bytes;
        MPI_Aint lb, extent;
        MPI_Datatype type;
        MPI_Type_create_darray(processes, rank, dimensions, sizes, how, with, grid, order, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Type_size(type, &bytes);
        MPI_Type_get_extent(type, &lb, &extent);
        expect(lb == 0 && extent == (MPI_Aint)(cells * (int)sizeof(int)), "extent %ld", (long)extent);
        MPI_Sendrecv(none, 1, type, 0, 0, mine, CELLS, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        for (int i = 0; i < bytes / (int)sizeof(int); ++i) {
            expect(owner[mine[i]] == -1 && (i == 0 || mine[i] > mine[i - 1]), "%d twice", mine[i]);
            owner[mine[i]] = rank;
        }
        MPI_Type_free(&type);
    }
    say_ints("owners", owner, cells);
}

static void darray_block(void)
{
    static const int sizes[] = { 5, 7 }, grid[] = { 2, 3 };
    const int how[] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK };
    const int with[] = { MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG };

    darray(6, 2, sizes, how, with, grid, MPI_ORDER_C);
}

static void darray_cyclic(void)
{
    static const int sizes[] = { 6, 8 }, grid[] = { 2, 2 }, with[] = { 2, 3 };
    const int how[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC };

    darray(4, 2, sizes, how, with, grid, MPI_ORDER_C);
}

static void darray_one_dimension(void)
{
    static const int size = 13, grid = 3;
    const int block = MPI_DISTRIBUTE_BLOCK, cyclic = MPI_DISTRIBUTE_CYCLIC, by = MPI_DISTRIBUTE_DFLT_DARG, five = 5,
              two = 2;

    darray(3, 1, &size, &block, &by, &grid, MPI_ORDER_C);
    darray(3, 1, &size, &block, &five, &grid, MPI_ORDER_C);
    darray(3, 1, &size, &cyclic, &by, &grid, MPI_ORDER_C);
    darray(3, 1, &size, &cyclic, &two, &grid, MPI_ORDER_C);
}

static void darray_mixed(void)
{
    static const int sizes[] = { 4, 3, 5 }, grid[] = { 2, 1, 2 };
    const int how[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK };
    const int with[] = { MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG };

    darray(4, 3, sizes, how, with, grid, MPI_ORDER_C);
}

static void darray_by_columns(void)
{
    static const int sizes[] = { 6, 5 }, grid[] = { 2, 2 }, with[] = { 2, 3 };
    const int how[] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK };

    darray(4, 2, sizes, how, with, grid, MPI_ORDER_FORTRAN);
}

/*=============================================================================
 * MARK: - >>types of types
 *===========================================================================*/
static void vector_of_vectors(void)
{
    MPI_Datatype inner, type;

    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_vector(3, 2, 3, inner, &type);
    MPI_Type_free(&inner);
    say_layout("type", type);
    say_cells(&type, 1, 0);
}

static void indexed_of_structures(void)
{
    static const int lengths[] = { 1, 2 }, places[] = { 3, 0 };
    static const MPI_Aint offsets[] = { 0, 12 };
    const MPI_Datatype types[] = { MPI_INT, MPI_INT };
    MPI_Datatype inner, type;

    MPI_Type_create_struct(2, lengths, offsets, types, &inner);
    MPI_Type_indexed(2, lengths, places, inner, &type);
    MPI_Type_free(&inner);
    say_layout("type", type);
    say_cells(&type, 1, 0);
}

static void structure_of_types(void)
{
    static const int lengths[] = { 2, 1, 1 };
    static const MPI_Aint offsets[] = { 0, 48, 100 };
    MPI_Datatype types[3], type;

    MPI_Type_vector(2, 1, 3, MPI_INT, &types[0]);
    MPI_Type_contiguous(3, MPI_INT, &types[1]);
    MPI_Type_create_indexed_block(2, 1, (const int[]){ 2, 0 }, MPI_INT, &types[2]);
    MPI_Type_create_struct(3, lengths, offsets, types, &type);
    for (int i = 0; i < 3; ++i) MPI_Type_free(&types[i]);
    say_layout("type", type);
    say_cells(&type, 1, 2);
}

static void deeply_nested(void)
{
    MPI_Datatype type, next;

    MPI_Type_contiguous(1, MPI_INT, &type);
    for (int i = 0; i < 4; ++i) {
        if (i % 2)
            MPI_Type_contiguous(2, type, &next);
        else
            MPI_Type_vector(2, 1, 2, type, &next);
        MPI_Type_free(&type);
        type = next;
    }
    say_layout("type", type);
    say_cells(&type, 1, 0);
}

static void duplicate(void)
{
    MPI_Datatype first, type;

    MPI_Type_vector(3, 1, 3, MPI_INT, &first);
    MPI_Type_commit(&first);
    MPI_Type_dup(first, &type);
    MPI_Type_free(&first);
    say_layout("type", type);
    say_cells(&type, 2, 0);
}

static void empty_types(void)
{
    int a = 5, b = 6;
    MPI_Datatype type[3];

    MPI_Type_contiguous(0, MPI_INT, &type[0]);
    MPI_Type_vector(0, 3, 4, MPI_INT, &type[1]);
    MPI_Type_vector(3, 0, 4, MPI_INT, &type[2]);
    for (int i = 0; i < 3; ++i) {
        int size = -1;
        MPI_Type_commit(&type[i]);
        MPI_Type_size(type[i], &size);
        MPI_Sendrecv(&a, 1, type[i], 0, 0, &b, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        say("size %d b %d", size, b);
        MPI_Type_free(&type[i]);
    }
}

/*=============================================================================
 * MARK: - >>sent as one type, received as another
 *===========================================================================*/
static void transpose(void)
{
    int a[6][7], b[7][6];
    MPI_Datatype column, columns;

    if (me > 1) return;
    for (int i = 0; i < 42; ++i) a[i / 7][i % 7] = me == 0 ? i : -1;
    MPI_Type_vector(7, 1, 6, MPI_INT, &column);
    MPI_Type_create_hvector(6, 1, sizeof(int), column, &columns);
    MPI_Type_commit(&columns);
    if (me == 0) {
        MPI_Send(a, 42, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(b, 1, columns, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 42; ++i) expect(b[i % 7][i / 7] == i, "[%d] %d", i, b[i % 7][i / 7]);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&columns);
}

static void same_signature(void)
{
    int a[24], b[24];
    MPI_Datatype by_two, by_index;
    MPI_Status status;

    MPI_Type_vector(6, 1, 2, MPI_INT, &by_two);
    MPI_Type_indexed(3, (const int[]){ 3, 1, 2 }, (const int[]){ 10, 0, 5 }, MPI_INT, &by_index);
    MPI_Type_commit(&by_two);
    MPI_Type_commit(&by_index);
    fill(a, 24, 0);
    fill(b, 24, -1);
    if (me == 0) MPI_Send(a, 1, by_two, 1, 0, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Recv(b, 1, by_index, 0, 0, MPI_COMM_WORLD, &status);
        say_status(&status, by_index);
        say_ints("", b, 13);
    }
    MPI_Type_free(&by_two);
    MPI_Type_free(&by_index);
}

static void large_vector(void)
{
    const int rows = 1000, columns = 100;
    int *a = (int *)room((size_t)(rows * columns) * sizeof *a);
    MPI_Datatype type;

    MPI_Type_vector(rows, 3, columns, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (me == 0) {
        fill(a, rows * columns, 0);
        MPI_Send(a + 7, 1, type, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(a + 7, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < rows * columns; ++i) {
            const bool in = i % columns >= 7 && i % columns < 10;
            expect(a[i] == (in ? i : 0), "[%d] %d", i, a[i]);
        }
    }
    MPI_Type_free(&type);
    free(a);
}

/* Several hundred thousand bytes in pieces of one, two, three... */
static void large_triangle(void)
{
    const int n = 300;
    int *a = (int *)room((size_t)(n * n) * sizeof *a), *lengths = (int *)room((size_t)n * sizeof *lengths),
        *places = (int *)room((size_t)n * sizeof *places);
    MPI_Datatype type;

    for (int i = 0; i < n; ++i) {
        lengths[i] = i + 1;
        places[i] = i * n;
    }
    MPI_Type_indexed(n, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (me == 0) {
        fill(a, n * n, 1);
        MPI_Ssend(a, 1, type, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(a, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n * n; ++i) expect(a[i] == (i % n <= i / n ? 1000 + i : 0), "[%d] %d", i, a[i]);
    }
    MPI_Type_free(&type);
    free(a);
    free(lengths);
    free(places);
}

/* What is left over of a type shows in the elements. */
static void elements_of_a_part(void)
{
    record a[3];
    MPI_Datatype type = record_type(), half;
    MPI_Status status;
    int count, elements;

    MPI_Type_create_struct(2, (const int[]){ 1, 6 }, (const MPI_Aint[]){ 0, offsetof(record, name) },
                           (const MPI_Datatype[]){ MPI_DOUBLE, MPI_CHAR }, &half);
    MPI_Type_commit(&half);
    memset(a, 0, sizeof a);
    for (int records = 0; records < 3 && me < 2; ++records)
        if (me == 0) { /* whole ones, and after them the first two fields of another */
            MPI_Datatype all;
            record_fill(&a[0], 1);
            record_fill(&a[1], 2);
            record_fill(&a[2], 3);
            MPI_Type_create_struct(2, (const int[]){ records, 1 },
                                   (const MPI_Aint[]){ 0, records * (MPI_Aint)sizeof(record) },
                                   (const MPI_Datatype[]){ type, half }, &all);
            MPI_Type_commit(&all);
            MPI_Send(a, 1, all, 1, 0, MPI_COMM_WORLD);
            MPI_Type_free(&all);
        } else {
            MPI_Recv(a, 3, type, 0, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, type, &count);
            MPI_Get_elements(&status, type, &elements);
            say_count("count", count);
            say("elements %d %s %d", elements, a[records].name, a[records].n);
        }
    MPI_Type_free(&type);
    MPI_Type_free(&half);
}

static void freed_while_in_use(void)
{
    int a[12], b[12];
    MPI_Datatype type;
    MPI_Request request[2];

    fill(a, 12, 1);
    fill(b, 12, 0);
    MPI_Type_vector(4, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(b, 1, type, 0, 0, MPI_COMM_SELF, &request[0]);
    MPI_Type_free(&type);
    MPI_Type_vector(4, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Isend(a, 1, type, 0, 0, MPI_COMM_SELF, &request[1]);
    MPI_Type_free(&type);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    say_ints("", b, 12);
}

/*=============================================================================
 * MARK: - >>addresses
 *===========================================================================*/
static void bottom(void)
{
    int n = me == 0 ? 4 : 0;
    double x = me == 0 ? 2.5 : 0;
    char name[8] = "";
    MPI_Aint places[3];
    MPI_Datatype type;

    if (me == 0) memcpy(name, "bottom", 7);
    MPI_Get_address(&n, &places[0]);
    MPI_Get_address(&x, &places[1]);
    MPI_Get_address(name, &places[2]);
    MPI_Type_create_struct(3, (const int[]){ 1, 1, 8 }, places, (const MPI_Datatype[]){ MPI_INT, MPI_DOUBLE, MPI_CHAR },
                           &type);
    MPI_Type_commit(&type);
    if (me == 0) MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD);
    if (me == 1) MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me < 2) say("%d %g %s", n, x, name);
    MPI_Type_free(&type);
}

static void bottom_hindexed(void)
{
    int a[4] = { me, me, me, me }, b[3] = { me, me, me };
    MPI_Aint places[2];
    MPI_Datatype type;

    MPI_Get_address(&b[1], &places[0]);
    MPI_Get_address(&a[2], &places[1]);
    MPI_Type_create_hindexed(2, (const int[]){ 2, 1 }, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(MPI_BOTTOM, 1, type, np - 1, MPI_COMM_WORLD);
    expect(b[0] == me && b[1] == np - 1 && b[2] == np - 1, "b %d %d %d", b[0], b[1], b[2]);
    expect(a[0] == me && a[1] == me && a[2] == np - 1 && a[3] == me, "a %d %d %d %d", a[0], a[1], a[2], a[3]);
    MPI_Type_free(&type);
}

static void addresses(void)
{
    static record a[3];
    MPI_Aint first, n, next;

    MPI_Get_address(&a[0], &first);
    MPI_Get_address(&a[0].n, &n);
    MPI_Get_address(&a[2], &next);
    say("%ld %ld", (long)(n - first), (long)(next - first));
}

const conform_case conform_types[] = {
    CASE(contiguous, 1),
    CASE(vector, 1),
    CASE(vector_backwards, 1),
    CASE(vector_without_gaps, 1),
    CASE(hvector, 1),
    CASE(indexed, 1),
    CASE(indexed_from_below, 1),
    CASE(hindexed, 1),
    CASE(indexed_block, 1),
    CASE(resized, 1),
    CASE(resized_columns, 1),
    CASE(resized_smaller, 1),
    CASE(structure, 1),
    CASE(structure_of_mixed_types, 2),
    CASE(holes_stay_as_they_are, 1),
    CASE(structure_padding, 1),
    CASE(pair_types, 1),
    CASE(subarray_of_rows, 1),
    CASE(subarray_of_columns, 1),
    CASE(subarray_of_three_dimensions, 1),
    CASE(subarray_of_one_dimension, 1),
    CASE(subarray_whole, 1),
    CASE(darray_block, 1),
    CASE(darray_cyclic, 1),
    CASE(darray_one_dimension, 1),
    CASE(darray_mixed, 1),
    CASE(darray_by_columns, 1),
    CASE(vector_of_vectors, 1),
    CASE(indexed_of_structures, 1),
    CASE(structure_of_types, 1),
    CASE(deeply_nested, 1),
    CASE(duplicate, 1),
    CASE(empty_types, 1),
    CASE(transpose, 2),
    CASE(same_signature, 2),
    CASE(large_vector, 2),
    CASE(large_triangle, 2),
    CASE(elements_of_a_part, 2),
    CASE(freed_while_in_use, 1),
    CASE(bottom, 2),
    CASE(bottom_hindexed, 1),
    CASE(addresses, 1),
    NO_MORE_CASES,
};
