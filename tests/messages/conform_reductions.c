/* conform_reductions.c - reductions and scans, each in a few ways, also with operations of the user's own; then collectives of
 * several communicators. */
#include "conform.h"

/*=============================================================================
 * MARK: - >>reductions
 *===========================================================================*/
static void reduce_to_each(void)
{
    for (int root = 0; root < np; ++root) {
        const int mine[2] = { me + 1, me * root };
        int all[2] = { -1, -1 };
        MPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        if (me == root)
            expect(all[0] == np * (np + 1) / 2 && all[1] == root * np * (np - 1) / 2, "root %d: %d", root, all[0]);
        else
            expect(all[0] == -1 && all[1] == -1, "not root: %d", all[0]);
    }
}

static void reduce_in_place(void)
{
    int a[3] = { me, me + 1, -me };
    const int root = np - 1;

    if (me == root)
        MPI_Reduce(MPI_IN_PLACE, a, 3, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    else
        MPI_Reduce(a, NULL, 3, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    say_ints("", a, 3);
}

static void reduce_nothing(void)
{
    int value = 8;

    MPI_Reduce(&me, &value, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&me, &value, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(&me, &value, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("%d", value);
}

static void allreduce_in_place(void)
{
    int a[2] = { me, 1 << me % 20 };

    MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say_ints("", a, 2);
}

static void allreduce_large(void)
{
    const int count = 100000;
    double *a = (double *)room((size_t)count * sizeof *a), *b = (double *)room((size_t)count * sizeof *b);

    for (int i = 0; i < count; ++i) a[i] = (i % 1000) * (me + 1) * 0.25;
    MPI_Allreduce(a, b, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
        const double sum = (i % 1000) * 0.125 * np * (np + 1);
        expect(b[i] >= sum && b[i] <= sum, "[%d] %g for %g", i, b[i], sum);
    }
    free(a);
    free(b);
}

#define OPS_OF(type, c, format, as)                                                                                    \
    {                                                                                                                  \
        const MPI_Op ops[] = { MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD };                                                  \
        say(#type);                                                                                                    \
        for (int i = 0; i < 4; ++i) {                                                                                  \
            c in = (c)(me % 3 + 1), out = 0;                                                                           \
            MPI_Allreduce(&in, &out, 1, type, ops[i], MPI_COMM_WORLD);                                                 \
            say(format, (as)out);                                                                                      \
        }                                                                                                              \
    }

static void ops_of_integers(void)
{
    OPS_OF(MPI_SHORT, short, "%d", int)
    OPS_OF(MPI_UNSIGNED_SHORT, unsigned short, "%d", int)
    OPS_OF(MPI_INT, int, "%d", int)
    OPS_OF(MPI_UNSIGNED, unsigned, "%u", unsigned)
    OPS_OF(MPI_LONG, long, "%ld", long)
    OPS_OF(MPI_UNSIGNED_LONG, unsigned long, "%lu", unsigned long)
    OPS_OF(MPI_LONG_LONG, long long, "%lld", long long)
    OPS_OF(MPI_UNSIGNED_LONG_LONG, unsigned long long, "%llu", unsigned long long)
    OPS_OF(MPI_SIGNED_CHAR, signed char, "%d", int)
    OPS_OF(MPI_UNSIGNED_CHAR, unsigned char, "%d", int)
}

static void ops_of_reals(void)
{
    OPS_OF(MPI_FLOAT, float, "%g", double)
    OPS_OF(MPI_DOUBLE, double, "%g", double)
    OPS_OF(MPI_LONG_DOUBLE, long double, "%g", double)
}

static void ops_with_negative_values(void)
{
    const int in[3] = { me - 2, -me, me % 2 ? -7 : 7 };
    const double x[2] = { -0.5 * me, me - 1.5 };
    int out[3];
    double y[2];

    MPI_Allreduce(in, out, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    say_ints("max", out, 3);
    MPI_Allreduce(in, out, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    say_ints("min", out, 3);
    MPI_Allreduce(in, out, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say_ints("sum", out, 3);
    MPI_Allreduce(x, y, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    say("%g %g", y[0], y[1]);
    MPI_Allreduce(x, y, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    say("%g %g", y[0], y[1]);
}

#define BITS_OF(type, c)                                                                                               \
    {                                                                                                                  \
        const MPI_Op ops[] = { MPI_BAND, MPI_BOR, MPI_BXOR };                                                          \
        say(#type);                                                                                                    \
        for (int i = 0; i < 3; ++i) {                                                                                  \
            c in = (c)(0x60 | (me * 5 & 31)), out = 0;                                                                 \
            MPI_Allreduce(&in, &out, 1, type, ops[i], MPI_COMM_WORLD);                                                 \
            say("%x", (unsigned)out);                                                                                  \
        }                                                                                                              \
    }

static void ops_on_bits(void)
{
    BITS_OF(MPI_BYTE, unsigned char)
    BITS_OF(MPI_SHORT, short)
    BITS_OF(MPI_INT, int)
    BITS_OF(MPI_UNSIGNED, unsigned)
    BITS_OF(MPI_LONG, long)
    BITS_OF(MPI_UNSIGNED_LONG, unsigned long)
    BITS_OF(MPI_UNSIGNED_LONG_LONG, unsigned long long)
    BITS_OF(MPI_UNSIGNED_CHAR, unsigned char)
}

/* Any value but 0 is true; the result is 0 or 1. */
static void ops_on_truth(void)
{
    const int in[4] = { me % 2 ? 5 : 0, me + 3, 0, me == np - 1 ? -2 : 0 };
    const short small[2] = { 4, (short)(me ? 0 : 9) };
    const MPI_Op ops[] = { MPI_LAND, MPI_LOR, MPI_LXOR };

    for (int i = 0; i < 3; ++i) {
        int out[4];
        short few[2];
        MPI_Allreduce(in, out, 4, MPI_INT, ops[i], MPI_COMM_WORLD);
        MPI_Allreduce(small, few, 2, MPI_SHORT, ops[i], MPI_COMM_WORLD);
        say("%d %d %d %d %d %d", out[0] != 0, out[1] != 0, out[2] != 0, out[3] != 0, few[0] != 0, few[1] != 0);
    }
}

#define PLACES_OF(type, c, format, as)                                                                                 \
    {                                                                                                                  \
        struct {                                                                                                       \
            c value;                                                                                                   \
            int place;                                                                                                 \
        } in[2] = { { (c)((me * 7 + 3) % 5), me }, { (c)(me % 2), 10 - me % 4 } }, out[2];                             \
        memset(out, 0, sizeof out);                                                                                    \
        MPI_Allreduce(in, out, 2, type, MPI_MAXLOC, MPI_COMM_WORLD);                                                   \
        say(#type " " format ":%d " format ":%d", (as)out[0].value, out[0].place, (as)out[1].value, out[1].place);     \
        MPI_Allreduce(in, out, 2, type, MPI_MINLOC, MPI_COMM_WORLD);                                                   \
        say(format ":%d " format ":%d", (as)out[0].value, out[0].place, (as)out[1].value, out[1].place);               \
    }

/* Of equal values the smallest place. */
static void ops_with_places(void)
{
    PLACES_OF(MPI_2INT, int, "%d", int)
    PLACES_OF(MPI_FLOAT_INT, float, "%g", double)
    PLACES_OF(MPI_DOUBLE_INT, double, "%g", double)
    PLACES_OF(MPI_LONG_INT, long, "%ld", long)
    PLACES_OF(MPI_SHORT_INT, short, "%d", int)
    PLACES_OF(MPI_LONG_DOUBLE_INT, long double, "%g", double)
}

static void reduce_with_places(void)
{
    const int root = np / 2, in[2] = { me == np - 1 ? 50 : me, me };
    int out[2] = { -1, -1 };

    MPI_Reduce(in, out, 1, MPI_2INT, MPI_MAXLOC, root, MPI_COMM_WORLD);
    if (me == root) say_ints("max", out, 2);
    MPI_Reduce(in, out, 1, MPI_2INT, MPI_MINLOC, root, MPI_COMM_WORLD);
    if (me == root) say_ints("min", out, 2);
    MPI_Scan(in, out, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    say_ints("scan", out, 2);
}

static void reduce_scatter(void)
{
    int *in = (int *)ints(3 * np), *counts = (int *)ints(np), out[3] = { -1, -1, -1 }, total = 0;

    for (int i = 0; i < np; ++i) {
        counts[i] = (i + 1) % 4;
        total += counts[i];
    }
    for (int i = 0; i < total; ++i) in[i] = me + i * i;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say_ints("", out, 3);
    free(in);
    free(counts);
}

static void reduce_scatter_in_place(void)
{
    int *a = (int *)ints(2 * np), *counts = (int *)ints(np);

    for (int i = 0; i < np; ++i) counts[i] = 2;
    for (int i = 0; i < 2 * np; ++i) a[i] = me * i;
    MPI_Reduce_scatter(MPI_IN_PLACE, a, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say_ints("", a, 2);
    free(a);
    free(counts);
}

static void reduce_scatter_to_one(void)
{
    int *counts = (int *)ints(np), in[4] = { 1, me, -1, me * me }, out[4] = { 9, 9, 9, 9 };

    counts[np - 1] = 4;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say_ints("", out, 4);
    free(counts);
}

/* Of MPI 2.2. */
static void reduce_scatter_block(void)
{
    int *a = (int *)ints(2 * np), out[2];

    for (int i = 0; i < 2 * np; ++i) a[i] = me + i;
    MPI_Reduce_scatter_block(a, out, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    say_ints("", out, 2);
    free(a);
}

static void scan(void)
{
    const int in[2] = { me + 1, me % 2 ? -me : me };
    int out[2];

    MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say_ints("sum", out, 2);
    MPI_Scan(in, out, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    say_ints("max", out, 2);
}

static void scan_in_place(void)
{
    int a[2] = { me + 1, 2 };

    MPI_Scan(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say_ints("", a, 2);
}

/* Rank 0 gets nothing that is defined. */
static void exscan(void)
{
    const int in[2] = { me + 1, me };
    int out[2] = { -1, -1 };

    MPI_Exscan(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me > 0) say_ints("", out, 2);
}

static void exscan_in_place(void)
{
    int a[2] = { me + 1, me };

    MPI_Exscan(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me > 0) say_ints("", a, 2);
}

/*=============================================================================
 * MARK: - >>user's operations
 *===========================================================================*/
static void larger_of(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *a = (const int *)in;
    int *b = (int *)inout;

    (void)type;
    for (int i = 0; i < *count; ++i) b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void user_commutative(void)
{
    int in[3] = { me, -me, me * 5 % 7 }, out[3] = { -1, -1, -1 };
    MPI_Op op;

    MPI_Op_create(larger_of, 1, &op);
    MPI_Reduce(in, out, 3, MPI_INT, op, np - 1, MPI_COMM_WORLD);
    if (me == np - 1) say_ints("reduce", out, 3);
    MPI_Allreduce(in, out, 3, MPI_INT, op, MPI_COMM_WORLD);
    say_ints("allreduce", out, 3);
    MPI_Scan(in, out, 3, MPI_INT, op, MPI_COMM_WORLD);
    say_ints("scan", out, 3);
    MPI_Op_free(&op);
    say("null %d", op == MPI_OP_NULL);
}

#define PRIME 10007

/* 2 x 2 matrices modulo a prime: the order matters, the grouping does not. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int(*a)[4] = (int(*)[4])in, (*b)[4] = (int(*)[4])inout;

    (void)type;
    for (int i = 0; i < *count; ++i) {
        const int c[4] = {
            (a[i][0] * b[i][0] + a[i][1] * b[i][2]) % PRIME,
            (a[i][0] * b[i][1] + a[i][1] * b[i][3]) % PRIME,
            (a[i][2] * b[i][0] + a[i][3] * b[i][2]) % PRIME,
            (a[i][2] * b[i][1] + a[i][3] * b[i][3]) % PRIME,
        };
        memcpy(b[i], c, sizeof c);
    }
}

static void matrix(int *a, int rank)
{
    a[0] = rank + 1;
    a[1] = 2;
    a[2] = 2 * rank + 3;
    a[3] = rank * rank + 1;
}

static void matrices_begin(MPI_Datatype *type, MPI_Op *op)
{
    MPI_Type_contiguous(4, MPI_INT, type);
    MPI_Type_commit(type);
    MPI_Op_create(multiply, 0, op);
}

static void matrices_end(MPI_Datatype *type, MPI_Op *op)
{
    MPI_Type_free(type);
    MPI_Op_free(op);
}

static void matrices_reduce(void)
{
    int in[4], out[4];
    MPI_Datatype type;
    MPI_Op op;

    matrices_begin(&type, &op);
    matrix(in, me);
    for (int root = 0; root < np; ++root) {
        fill(out, 4, 0);
        MPI_Reduce(in, out, 1, type, op, root, MPI_COMM_WORLD);
        if (me == root) say_ints("", out, 4);
    }
    matrices_end(&type, &op);
}

static void matrices_allreduce(void)
{
    int in[4], out[4];
    MPI_Datatype type;
    MPI_Op op;

    matrices_begin(&type, &op);
    matrix(in, me);
    MPI_Allreduce(in, out, 1, type, op, MPI_COMM_WORLD);
    say_ints("", out, 4);
    MPI_Allreduce(MPI_IN_PLACE, in, 1, type, op, MPI_COMM_WORLD);
    expect(memcmp(in, out, sizeof in) == 0, "not the same in place");
    matrices_end(&type, &op);
}

static void matrices_reduce_in_place(void)
{
    int a[4];
    MPI_Datatype type;
    MPI_Op op;
    const int root = np / 2;

    matrices_begin(&type, &op);
    matrix(a, me);
    MPI_Reduce(me == root ? MPI_IN_PLACE : a, me == root ? a : NULL, 1, type, op, root, MPI_COMM_WORLD);
    if (me == root) say_ints("", a, 4);
    matrices_end(&type, &op);
}

static void matrices_scan(void)
{
    int in[4], out[4], before[4];
    MPI_Datatype type;
    MPI_Op op;

    matrices_begin(&type, &op);
    matrix(in, me);
    MPI_Scan(in, out, 1, type, op, MPI_COMM_WORLD);
    say_ints("scan", out, 4);
    MPI_Exscan(in, before, 1, type, op, MPI_COMM_WORLD);
    if (me > 0) say_ints("exscan", before, 4);
    matrices_end(&type, &op);
}

static void matrices_reduce_scatter(void)
{
    int *in = (int *)ints(4 * np), out[4], *counts = (int *)ints(np);
    MPI_Datatype type;
    MPI_Op op;

    matrices_begin(&type, &op);
    for (int i = 0; i < np; ++i) {
        counts[i] = 1;
        matrix(in + 4 * i, me + i);
    }
    MPI_Reduce_scatter(in, out, counts, type, op, MPI_COMM_WORLD);
    say_ints("", out, 4);
    matrices_end(&type, &op);
    free(in);
    free(counts);
}

/* Enough that an implementation may cut them to pieces. */
static void matrices_many(void)
{
    const int count = 5000;
    int *in = (int *)ints(4 * count), *out = (int *)ints(4 * count), expected[4], one[4], n = 1;
    MPI_Datatype type;
    MPI_Op op;

    matrices_begin(&type, &op);
    for (int i = 0; i < count; ++i) matrix(in + 4 * i, me + i % 50);
    MPI_Allreduce(in, out, count, type, op, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
        matrix(expected, np - 1 + i % 50);
        for (int rank = np - 2; rank >= 0; --rank) {
            matrix(one, rank + i % 50);
            multiply(one, expected, &n, &type);
        }
        for (int k = 0; k < 4; ++k) expect(out[4 * i + k] == expected[k], "[%d] %d", i, out[4 * i + k]);
    }
    matrices_end(&type, &op);
    free(in);
    free(out);
}

typedef struct spot {
    double weight;
    int n;
} spot;

static void join_spots(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const spot *a = (const spot *)in;
    spot *b = (spot *)inout;
    MPI_Aint lb, extent;

    MPI_Type_get_extent(*type, &lb, &extent);
    expect(extent == (MPI_Aint)sizeof(spot), "extent %ld", (long)extent);
    for (int i = 0; i < *count; ++i) {
        b[i].weight += a[i].weight;
        b[i].n = a[i].n > b[i].n ? a[i].n : b[i].n;
    }
}

static void user_on_structures(void)
{
    spot in[3], out[3];
    MPI_Datatype type;
    MPI_Op op;

    MPI_Type_create_struct(2, (const int[]){ 1, 1 }, (const MPI_Aint[]){ 0, offsetof(spot, n) },
                           (const MPI_Datatype[]){ MPI_DOUBLE, MPI_INT }, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(join_spots, 1, &op);
    for (int i = 0; i < 3; ++i) in[i] = (spot){ me * 0.5 + i, me * (i - 1) };
    MPI_Allreduce(in, out, 3, type, op, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) say("%g %d", out[i].weight, out[i].n);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/*=============================================================================
 * MARK: - >>several communicators
 *===========================================================================*/
static void halves_at_the_same_time(void)
{
    int sum = -1, first = me, size;
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Comm_size(half, &size);
    for (int i = 0; i < (me % 2 ? 3 : 5); ++i) MPI_Barrier(half); /* not as often in both */
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Bcast(&first, 1, MPI_INT, size - 1, half);
    say("sum %d last %d", sum, first);
    MPI_Comm_free(&half);
}

static void communicators_by_turns(void)
{
    int value, sum;
    MPI_Comm comm[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm[1]);
    for (int i = 0; i < 10; ++i) {
        value = me == 0 ? i : -1;
        MPI_Bcast(&value, 1, MPI_INT, i % 2 ? np - 1 : 0, comm[i % 2]);
        expect(value == i, "%d for %d", value, i);
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, comm[i % 2]);
        expect(me != (i % 2 ? np - 1 : 0) || sum == np * i, "sum %d", sum);
    }
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
}

static void collectives_of_self(void)
{
    int in[2] = { me, me + 1 }, out[2] = { -1, -1 }, count = 2, place = 0;

    MPI_Barrier(MPI_COMM_SELF);
    MPI_Bcast(in, 2, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    expect(out[0] == me && out[1] == me + 1, "allreduce %d %d", out[0], out[1]);
    out[0] = out[1] = -1;
    MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, MPI_COMM_SELF);
    expect(out[0] == me && out[1] == me + 1, "alltoall %d %d", out[0], out[1]);
    out[0] = out[1] = -1;
    MPI_Gatherv(in, 2, MPI_INT, out, &count, &place, MPI_INT, 0, MPI_COMM_SELF);
    expect(out[0] == me && out[1] == me + 1, "gatherv %d %d", out[0], out[1]);
    out[0] = out[1] = -1;
    MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    expect(out[0] == me && out[1] == me + 1, "scan %d %d", out[0], out[1]);
    out[0] = out[1] = -1;
    MPI_Reduce_scatter(in, out, &count, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    expect(out[0] == me && out[1] == me + 1, "reduce_scatter %d %d", out[0], out[1]);
}

static void collectives_among_messages(void)
{
    int in = -1, sum = -1;
    MPI_Request request[2];

    MPI_Irecv(&in, 1, MPI_INT, (me + 1) % np, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Isend(&sum, 1, MPI_INT, (me + np - 1) % np, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    say("%d", in);
}

const conform_case conform_reductions[] = {
    CASE(reduce_to_each, 1),
    CASE(reduce_in_place, 1),
    CASE(reduce_nothing, 1),
    CASE(allreduce_in_place, 1),
    CASE(allreduce_large, 1),
    CASE(ops_of_integers, 1),
    CASE(ops_of_reals, 1),
    CASE(ops_with_negative_values, 1),
    CASE(ops_on_bits, 1),
    CASE(ops_on_truth, 1),
    CASE(ops_with_places, 1),
    CASE(reduce_with_places, 1),
    CASE(reduce_scatter, 1),
    CASE(reduce_scatter_in_place, 1),
    CASE(reduce_scatter_to_one, 1),
    CASE(reduce_scatter_block, 1),
    CASE(scan, 1),
    CASE(scan_in_place, 1),
    CASE(exscan, 1),
    CASE(exscan_in_place, 1),
    CASE(user_commutative, 1),
    CASE(matrices_reduce, 1),
    CASE(matrices_allreduce, 1),
    CASE(matrices_reduce_in_place, 1),
    CASE(matrices_scan, 1),
    CASE(matrices_reduce_scatter, 1),
    CASE(matrices_many, 1),
    CASE(user_on_structures, 1),
    CASE(halves_at_the_same_time, 1),
    CASE(communicators_by_turns, 1),
    CASE(collectives_of_self, 1),
    CASE(collectives_among_messages, 1),
    NO_MORE_CASES,
};
