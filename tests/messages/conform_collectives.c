/* conform_collectives.c - collective operations that move data, each in a few ways; conform_reductions.c has the others,
 * conform_counts.c sizes and roots. */
#include "conform.h"

/*=============================================================================
 * MARK: - >>one to all, all to one
 *===========================================================================*/
static void barriers(void)
{
    for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
    say("through");
}

/* Rank 0 looks before the barrier, the last sends after it. */
static void barrier_separates(void)
{
    int flag = -1, got = -1;

    if (me == 0) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == np - 1) MPI_Send(&np, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (me > 0) return;
    MPI_Recv(&got, 1, MPI_INT, np - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("flag %d got %d", flag, got == np);
}

static void bcast_from_each(void)
{
    for (int root = 0; root < np; ++root) {
        int value = me == root ? 100 + root : -1;
        MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
        expect(value == 100 + root, "root %d: %d", root, value);
    }
}

static void bcast_large(void)
{
    const int count = 100000;
    int *a = (int *)ints(count);

    fill(a, count, me == np - 1 ? 5 : 0);
    MPI_Bcast(a, count, MPI_INT, np - 1, MPI_COMM_WORLD);
    expect_filled(a, count, 5);
    free(a);
}

static void bcast_nothing(void)
{
    int value = me;

    MPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(NULL, 0, MPI_DOUBLE, np - 1, MPI_COMM_WORLD);
    expect(value == me, "%d", value);
}

/* Every second cell at the root, all in a row elsewhere. */
static void bcast_by_different_types(void)
{
    int a[20];
    MPI_Datatype type;

    MPI_Type_vector(10, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    fill(a, 20, me == 0 ? 0 : -1);
    if (me == 0)
        MPI_Bcast(a, 1, type, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(a, 10, MPI_INT, 0, MPI_COMM_WORLD);
    say_ints("", a, 12);
    MPI_Type_free(&type);
}

static void bcast_structure(void)
{
    struct {
        double x;
        char c[3];
        int n;
    } it;
    MPI_Datatype type;

    MPI_Type_create_struct(3, (const int[]){ 1, 3, 1 },
                           (const MPI_Aint[]){ 0, 8, (const char *)&it.n - (const char *)&it },
                           (const MPI_Datatype[]){ MPI_DOUBLE, MPI_CHAR, MPI_INT }, &type);
    MPI_Type_commit(&type);
    memset(&it, 0, sizeof it);
    if (me == np - 1) {
        it.x = 0.25;
        memcpy(it.c, "ab", 3);
        it.n = 77;
    }
    MPI_Bcast(&it, 1, type, np - 1, MPI_COMM_WORLD);
    say("%g %s %d", it.x, it.c, it.n);
    MPI_Type_free(&type);
}

/* The root goes on before the others come; none may be mixed up. */
static void bcasts_one_after_the_other(void)
{
    for (int i = 0; i < 50; ++i) {
        const int root = i * 7 % np;
        int value = me == root ? i : -1;
        MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
        expect(value == i, "%d for %d", value, i);
    }
}

static void gather_to_each(void)
{
    int *all = (int *)ints(2 * np);

    for (int root = 0; root < np; ++root) {
        const int mine[2] = { me + root, -me };
        MPI_Gather(mine, 2, MPI_INT, me == root ? all : NULL, 2, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < np && me == root; ++i)
            expect(all[2 * i] == i + root && all[2 * i + 1] == -i, "root %d: of %d: %d", root, i, all[2 * i]);
    }
    free(all);
}

static void gather_in_place(void)
{
    int *all = (int *)ints(np), mine = me * 3;
    const int root = np / 2;

    if (me == root) {
        all[me] = mine;
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, root, MPI_COMM_WORLD);
        say_ints("", all, np);
    } else {
        MPI_Gather(&mine, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
    }
    free(all);
}

/* Each is a row when sent and a column when received. */
static void gather_columns(void)
{
    int *all = (int *)ints(4 * np), mine[4];
    MPI_Datatype column, columns;

    MPI_Type_vector(4, 1, np, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &columns);
    MPI_Type_commit(&columns);
    for (int i = 0; i < 4; ++i) mine[i] = me * 10 + i;
    MPI_Gather(mine, 4, MPI_INT, all, 1, columns, 0, MPI_COMM_WORLD);
    if (me == 0) say_ints("", all, 4 * np);
    MPI_Type_free(&column);
    MPI_Type_free(&columns);
    free(all);
}

static void gatherv_with_gaps(void)
{
    int *all = (int *)ints(np * (np + 3)), *counts = (int *)ints(np), *places = (int *)ints(np), at = 0;
    int *mine = (int *)ints(np);

    for (int i = 0; i < np; ++i) {
        counts[i] = (i + 1) % 4; /* some have nothing */
        places[i] = at;
        at += counts[i] + 1;
    }
    for (int i = 0; i < at; ++i) all[i] = -1;
    fill(mine, counts[me], me);
    MPI_Gatherv(mine, counts[me], MPI_INT, all, counts, places, MPI_INT, np - 1, MPI_COMM_WORLD);
    if (me == np - 1) say_ints("", all, at);
    free(all);
    free(counts);
    free(places);
    free(mine);
}

static void gatherv_backwards_in_place(void)
{
    int *all = (int *)ints(2 * np), *counts = (int *)ints(np), *places = (int *)ints(np);
    const int mine[2] = { me, me + 100 };

    for (int i = 0; i < np; ++i) {
        counts[i] = 2;
        places[i] = 2 * (np - 1 - i);
    }
    memcpy(all + places[me], mine, sizeof mine);
    if (me == 0)
        MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gatherv(mine, 2, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) say_ints("", all, 2 * np);
    free(all);
    free(counts);
    free(places);
}

static void scatter_from_each(void)
{
    int *all = (int *)ints(3 * np), mine[3];

    for (int root = 0; root < np; ++root) {
        fill(all, 3 * np, root);
        fill(mine, 3, -1);
        MPI_Scatter(me == root ? all : NULL, 3, MPI_INT, mine, 3, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < 3; ++i) expect(mine[i] == root * 1000 + 3 * me + i, "root %d: %d", root, mine[i]);
    }
    free(all);
}

static void scatter_in_place(void)
{
    int *all = (int *)ints(np), mine = -1;

    fill(all, np, 2);
    if (me == 0)
        MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    say("%d", me == 0 ? all[0] : mine);
    free(all);
}

static void scatterv_with_gaps(void)
{
    int *all = (int *)ints(6 * np), *counts = (int *)ints(np), *places = (int *)ints(np), mine[5];

    fill(all, 6 * np, 1);
    fill(mine, 5, 0);
    for (int i = 0; i < np; ++i) {
        counts[i] = i % 5;
        places[i] = 6 * (np - 1 - i);
    }
    MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[me], MPI_INT, np / 2, MPI_COMM_WORLD);
    say_ints("", mine, 5);
    free(all);
    free(counts);
    free(places);
}

static void scatterv_in_place(void)
{
    int *all = (int *)ints(2 * np), *counts = (int *)ints(np), *places = (int *)ints(np), mine[2] = { -1, -1 };
    const int root = np - 1;

    fill(all, 2 * np, 1);
    for (int i = 0; i < np; ++i) {
        counts[i] = 2;
        places[i] = 2 * ((i + 1) % np);
    }
    if (me == root)
        MPI_Scatterv(all, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Scatterv(NULL, NULL, NULL, MPI_INT, mine, 2, MPI_INT, root, MPI_COMM_WORLD);
    if (me == root)
        expect_filled(all, 2 * np, 1);
    else
        say_ints("", mine, 2);
    free(all);
    free(counts);
    free(places);
}

/*=============================================================================
 * MARK: - >>all to all
 *===========================================================================*/
static void allgather(void)
{
    int *all = (int *)ints(np), mine = me * me;

    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    say_ints("", all, np);
    free(all);
}

static void allgather_in_place(void)
{
    int *all = (int *)ints(2 * np);

    fill(all + 2 * me, 2, me);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, MPI_COMM_WORLD);
    say_ints("", all, 2 * np);
    free(all);
}

static void allgather_by_different_types(void)
{
    int *all = (int *)ints(3 * np), mine[6];
    MPI_Datatype every_second, three;

    MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&every_second);
    MPI_Type_commit(&three);
    fill(mine, 6, me);
    MPI_Allgather(mine, 1, every_second, all, 1, three, MPI_COMM_WORLD);
    say_ints("", all, 3 * np);
    MPI_Type_free(&every_second);
    MPI_Type_free(&three);
    free(all);
}

static void allgatherv_with_gaps(void)
{
    int *all = (int *)ints(4 * np), *counts = (int *)ints(np), *places = (int *)ints(np), mine[3];

    for (int i = 0; i < np; ++i) {
        counts[i] = (i + 2) % 4;
        places[i] = 4 * (np - 1 - i);
    }
    for (int i = 0; i < 4 * np; ++i) all[i] = -1;
    fill(mine, 3, me);
    MPI_Allgatherv(mine, counts[me], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    say_ints("", all, 4 * np);
    free(all);
    free(counts);
    free(places);
}

static void allgatherv_in_place(void)
{
    int *all = (int *)ints(np * (np + 1)), *counts = (int *)ints(np), *places = (int *)ints(np), at = 0;

    for (int i = 0; i < np; ++i) {
        counts[i] = i + 1;
        places[i] = at;
        at += counts[i];
    }
    fill(all + places[me], counts[me], me);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < np; ++i) expect_filled(all + places[i], counts[i], i);
    free(all);
    free(counts);
    free(places);
}

static void alltoall(void)
{
    int *out = (int *)ints(np), *in = (int *)ints(np);

    for (int i = 0; i < np; ++i) out[i] = me * 100 + i;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    say_ints("", in, np);
    free(out);
    free(in);
}

static void alltoall_matrix(void)
{
    int *a = (int *)ints(2 * np), *b = (int *)ints(2 * np);
    MPI_Datatype column, columns;

    MPI_Type_vector(2, 1, np, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &columns);
    MPI_Type_commit(&columns);
    for (int i = 0; i < 2 * np; ++i) a[i] = me * 100 + i;
    MPI_Alltoall(a, 1, columns, b, 2, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < np; ++i)
        expect(b[2 * i] == i * 100 + me && b[2 * i + 1] == i * 100 + np + me, "of %d: %d", i, b[2 * i]);
    MPI_Type_free(&column);
    MPI_Type_free(&columns);
    free(a);
    free(b);
}

/* Rank r sends (r + i) % 3 to i. */
static void alltoallv(void)
{
    int *counts = (int *)ints(np), *outs = (int *)ints(np), *ins = (int *)ints(np);
    int *out = (int *)ints(4 * np), *in = (int *)ints(4 * np);

    for (int i = 0; i < np; ++i) {
        counts[i] = (me + i) % 3;
        outs[i] = 4 * i;
        ins[i] = 4 * (np - 1 - i) + 1;
        for (int k = 0; k < 4; ++k) out[4 * i + k] = me * 100 + i * 10 + k;
        for (int k = 0; k < 4; ++k) in[4 * i + k] = -1;
    }
    MPI_Alltoallv(out, counts, outs, MPI_INT, in, counts, ins, MPI_INT, MPI_COMM_WORLD);
    say_ints("", in, 4 * np);
    free(counts);
    free(outs);
    free(ins);
    free(out);
    free(in);
}

/* Only to the next. */
static void alltoallv_mostly_nothing(void)
{
    int *out_counts = (int *)ints(np), *in_counts = (int *)ints(np), *places = (int *)ints(np);
    int out[5], in[5];

    fill(out, 5, me);
    fill(in, 5, 99);
    out_counts[(me + 1) % np] = in_counts[(me + np - 1) % np] = 5;
    MPI_Alltoallv(out, out_counts, places, MPI_INT, in, in_counts, places, MPI_INT, MPI_COMM_WORLD);
    expect_filled(in, 5, (me + np - 1) % np);
    free(out_counts);
    free(in_counts);
    free(places);
}

/* Doubles to even ranks, ints to odd ranks, by bytes. */
static void alltoallw(void)
{
    int *counts = (int *)ints(np), *outs = (int *)ints(np), *ins = (int *)ints(np);
    MPI_Datatype *types = (MPI_Datatype *)room((size_t)np * sizeof *types),
                 *mine = (MPI_Datatype *)room((size_t)np * sizeof *mine);
    double *out = (double *)room((size_t)np * sizeof *out), *in = (double *)room((size_t)np * sizeof *in);

    for (int i = 0; i < np; ++i) {
        const int n = me * 10 + i;
        counts[i] = 1;
        outs[i] = ins[i] = 8 * i;
        types[i] = i % 2 ? MPI_INT : MPI_DOUBLE;
        mine[i] = me % 2 ? MPI_INT : MPI_DOUBLE;
        out[i] = n + 0.5;
        if (i % 2) memcpy(&out[i], &n, sizeof n);
    }
    MPI_Alltoallw(out, counts, outs, types, in, counts, ins, mine, MPI_COMM_WORLD);
    for (int i = 0; i < np; ++i) {
        int n;
        memcpy(&n, &in[i], sizeof n);
        if (me % 2)
            say("%d", n);
        else
            say("%g", in[i]);
    }
    free(counts);
    free(outs);
    free(ins);
    free(types);
    free(mine);
    free(out);
    free(in);
}

const conform_case conform_collectives[] = {
    CASE(barriers, 1),
    CASE(barrier_separates, 2),
    CASE(bcast_from_each, 1),
    CASE(bcast_large, 1),
    CASE(bcast_nothing, 1),
    CASE(bcast_by_different_types, 1),
    CASE(bcast_structure, 1),
    CASE(bcasts_one_after_the_other, 1),
    CASE(gather_to_each, 1),
    CASE(gather_in_place, 1),
    CASE(gather_columns, 1),
    CASE(gatherv_with_gaps, 1),
    CASE(gatherv_backwards_in_place, 1),
    CASE(scatter_from_each, 1),
    CASE(scatter_in_place, 1),
    CASE(scatterv_with_gaps, 1),
    CASE(scatterv_in_place, 1),
    CASE(allgather, 1),
    CASE(allgather_in_place, 1),
    CASE(allgather_by_different_types, 1),
    CASE(allgatherv_with_gaps, 1),
    CASE(allgatherv_in_place, 1),
    CASE(alltoall, 1),
    CASE(alltoall_matrix, 1),
    CASE(alltoallv, 1),
    CASE(alltoallv_mostly_nothing, 1),
    CASE(alltoallw, 1),
    NO_MORE_CASES,
};
