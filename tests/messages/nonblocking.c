/* Nonblocking collectives on the virtual clock, one program for each word; test_messages_collectives knows what they should
 * print. */
#include "mpi.h"
#include "skeleton.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* All ranks go on at the next whole second. */
static double align(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double now = MPI_Wtime();
    skeleton_compute(ceil(now + 0.5) - now);
    return MPI_Wtime();
}

/*=============================================================================
 * MARK: - >>times: a nonblocking call with a wait takes as long as the blocking one
 *===========================================================================*/

static int *in, *out, *counts, *places;
static MPI_Datatype *types;
static MPI_Request request;

static void arrays_make(int count)
{
    const size_t all = (size_t)size * (size_t)count + 1;
    in = calloc(all, sizeof *in);
    out = calloc(all, sizeof *out);
    counts = calloc((size_t)size, sizeof *counts);
    places = calloc((size_t)size, sizeof *places);
    types = calloc((size_t)size, sizeof(MPI_Datatype));
    if (!in || !out || !counts || !places || !types) exit(3);
    for (int i = 0; i < size; ++i) {
        counts[i] = count;
        places[i] = i * count;
        types[i] = MPI_INT;
    }
}

static void arrays_free(void)
{
    free(in);
    free(out);
    free(counts);
    free(places);
    free(types);
}

static int differing;

/* Virtual times are sums, which differ in their last bits when they begin at another time. */
static void compare(const char *name, int count, double blocking, double nonblocking)
{
    if (fabs(blocking - nonblocking) < 1e-11) return;
    ++differing;
    printf("rank %d: MPI_%s of %d: %.12g s, nonblocking %.12g s\n", rank, name, count, blocking, nonblocking);
}

#define BOTH(name, other, ...)                                                                                         \
    do {                                                                                                               \
        double begun = align(), took;                                                                                  \
        MPI_##name(__VA_ARGS__ MPI_COMM_WORLD);                                                                        \
        took = MPI_Wtime() - begun;                                                                                    \
        begun = align();                                                                                               \
        MPI_##other(__VA_ARGS__ MPI_COMM_WORLD, &request);                                                             \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                         \
        compare(#name, count, took, MPI_Wtime() - begun);                                                              \
    } while (0)

static void times(int count)
{
    arrays_make(count);
    for (int i = 0; i < size; ++i) places[i] = i;
    BOTH(Barrier, Ibarrier, );
    BOTH(Bcast, Ibcast, in, count, MPI_INT, 0, );
    BOTH(Gather, Igather, in, count, MPI_INT, out, count, MPI_INT, 0, );
    BOTH(Scatter, Iscatter, in, count, MPI_INT, out, count, MPI_INT, 0, );
    BOTH(Allgather, Iallgather, in, count, MPI_INT, out, count, MPI_INT, );
    BOTH(Alltoall, Ialltoall, in, count, MPI_INT, out, count, MPI_INT, );
    BOTH(Reduce, Ireduce, in, out, count, MPI_INT, MPI_SUM, 0, );
    BOTH(Allreduce, Iallreduce, in, out, count, MPI_INT, MPI_SUM, );
    BOTH(Reduce_scatter, Ireduce_scatter, in, out, counts, MPI_INT, MPI_SUM, );
    BOTH(Reduce_scatter_block, Ireduce_scatter_block, in, out, count, MPI_INT, MPI_SUM, );
    BOTH(Scan, Iscan, in, out, count, MPI_INT, MPI_SUM, );
    BOTH(Exscan, Iexscan, in, out, count, MPI_INT, MPI_SUM, );
    for (int i = 0; i < size; ++i) places[i] = i * count;
    BOTH(Gatherv, Igatherv, in, count, MPI_INT, out, counts, places, MPI_INT, 0, );
    BOTH(Scatterv, Iscatterv, in, counts, places, MPI_INT, out, count, MPI_INT, 0, );
    BOTH(Allgatherv, Iallgatherv, in, count, MPI_INT, out, counts, places, MPI_INT, );
    BOTH(Alltoallv, Ialltoallv, in, counts, places, MPI_INT, out, counts, places, MPI_INT, );
    for (int i = 0; i < size; ++i) places[i] = i * count * (int)sizeof(int);
    BOTH(Alltoallw, Ialltoallw, in, counts, places, types, out, counts, places, types, );
    arrays_free();
}

static void times_of_neighbors(int count)
{
    const int periodic = 1;
    MPI_Comm ring;
    arrays_make(count);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    double begun = align(), took;
    MPI_Neighbor_alltoall(in, count / 2, MPI_INT, out, count / 2, MPI_INT, ring);
    took = MPI_Wtime() - begun;
    begun = align();
    MPI_Ineighbor_alltoall(in, count / 2, MPI_INT, out, count / 2, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare("Neighbor_alltoall", count, took, MPI_Wtime() - begun);
    MPI_Comm_free(&ring);
    arrays_free();
}

/*=============================================================================
 * MARK: - >>overlap with computation, other words
 *===========================================================================*/

/* Computes a millisecond in `parts` and tests after each but the last, then waits: the time of rank 0, in nanoseconds. */
static void overlap(int count, int parts)
{
    arrays_make(count);
    const double begun = align();
    int flag;
    MPI_Iallreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int i = 1; i <= parts; ++i) {
        skeleton_compute(1e-3 / parts);
        if (i < parts) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) printf("%.0f\n", (MPI_Wtime() - begun) * 1e9);
    arrays_free();
}

/* The communicator is freed before its collectives are complete. */
static void freed(void)
{
    int sum = -1, root = rank == 0 ? 5 : -1;
    MPI_Comm comm;
    MPI_Request two[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &two[0]);
    MPI_Ibcast(&root, 1, MPI_INT, 0, comm, &two[1]);
    MPI_Comm_free(&comm);
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    if (sum != size * (size - 1) / 2 || root != 5) printf("rank %d: sum %d root %d\n", rank, sum, root);
}

/* Messages that are waited for while a collective goes on in a call for something else. */
static void others_progress(void)
{
    int in_ = rank, out_ = -1;
    MPI_Iallreduce(&in_, &out_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 0) {
        MPI_Recv(&in_, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* sent when it is complete there */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == size - 1) MPI_Send(&in_, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d\n", out_);
}

static void differ(const char *how)
{
    int a = rank, b = 0;
    if (strcmp(how, "forms") == 0) {
        if (rank == 0) MPI_Ibarrier(MPI_COMM_WORLD, &request);
        if (rank != 0) MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "roots") == 0) {
        MPI_Ibcast(&a, 1, MPI_INT, rank == 0 ? 0 : 1, MPI_COMM_WORLD, &request);
    } else if (strcmp(how, "operations") == 0) {
        MPI_Iallreduce(&a, &b, 1, MPI_INT, rank == 0 ? MPI_PROD : MPI_SUM, MPI_COMM_WORLD, &request);
    } else if (strcmp(how, "counts") == 0) {
        MPI_Iallreduce(&a, &b, rank == 0 ? 1 : 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    } else if (strcmp(how, "order") == 0) {
        MPI_Request other;
        if (rank == 0) MPI_Ibarrier(MPI_COMM_WORLD, &other);
        MPI_Ibcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        if (rank != 0) MPI_Ibarrier(MPI_COMM_WORLD, &other);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "late") == 0) { /* the last never comes */
        if (rank < size - 1) MPI_Iallreduce(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        if (rank == size - 1) MPI_Recv(&a, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "truncated") == 0) {
        int all[4] = { 0, 0, 0, 0 }, more[4] = { 1, 1, 1, 1 }, at[4] = { 0, 1, 2, 3 };
        MPI_Igatherv(all, rank == 1 ? 3 : 1, MPI_INT, all, more, at, MPI_INT, 0, MPI_COMM_WORLD, &request);
        skeleton_compute(1);
        MPI_Barrier(MPI_COMM_WORLD); /* in which the messages are taken */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int number = argc > 2 ? atoi(argv[2]) : 1, parts = argc > 3 ? atoi(argv[3]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "times") == 0) {
        int all = 0;
        times(number);
        times_of_neighbors(number);
        MPI_Reduce(&differing, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("%d differ\n", all);
    } else if (strcmp(what, "overlap") == 0) {
        overlap(number, parts);
    } else if (strcmp(what, "freed") == 0) {
        freed();
    } else if (strcmp(what, "others") == 0) {
        others_progress();
    } else {
        differ(what);
    }
    MPI_Finalize();
    return 0;
}
