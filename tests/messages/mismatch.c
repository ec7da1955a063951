/* Collectives whose calls do not match among the ranks, one for each word. `mismatch return WORD` lets errors return and
 * prints what each rank gets; `mismatch fatal WORD` leaves them to end the run. test_messages_mistakes looks at what is
 * said. */
#include "mpi.h"
#include "skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static const char *how;

static int is(const char *word)
{
    return strcmp(how, word) == 0;
}

/* Arrays with guards on both sides, which nobody may write to. */
enum { GUARD = 4096, MOST = 8 };
static struct {
    int *all, elements;
} arrays[MOST];
static int array_count;

static int *array(int elements)
{
    int *all = malloc((size_t)(elements + 2 * GUARD) * sizeof *all);
    if (!all || array_count == MOST) exit(3);
    for (int i = 0; i < elements + 2 * GUARD; ++i) all[i] = i < GUARD || i >= GUARD + elements ? -7 : rank;
    arrays[array_count].all = all;
    arrays[array_count++].elements = elements;
    return all + GUARD;
}

static void guards_check(void)
{
    for (int k = 0; k < array_count; ++k) {
        for (int i = 0; i < GUARD; ++i)
            if (arrays[k].all[i] != -7 || arrays[k].all[GUARD + arrays[k].elements + i] != -7) {
                printf("rank %d: the memory beside array %d was overwritten\n", rank, k);
                MPI_Abort(MPI_COMM_WORLD, 4);
            }
        free(arrays[k].all);
    }
}

static int *numbers(int each, int step)
{
    int *n = array(size);
    for (int i = 0; i < size; ++i) n[i] = each + i * step;
    return n;
}

/* The count of the last rank is larger, or that of the first, which is the root. */
static int counts_differ(int count)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    const int more = 3 * count, last = rank == size - 1 ? more : count, first = rank == 0 ? more : count;
    int code = MPI_SUCCESS;
    if (is("gather")) {
        int *in = array(last), *out = array(size * count);
        code = MPI_Gather(in, last, MPI_INT, out, count, MPI_INT, 0, world);
    } else if (is("gatherv")) {
        int *in = array(last), *out = array(size * count);
        code = MPI_Gatherv(in, last, MPI_INT, out, numbers(count, 0), numbers(0, count), MPI_INT, 0, world);
    } else if (is("scatter")) {
        int *in = array(size * first), *out = array(count);
        code = MPI_Scatter(in, first, MPI_INT, rank == 0 ? MPI_IN_PLACE : out, count, MPI_INT, 0, world);
    } else if (is("scatterv")) {
        int *in = array(size * first), *out = array(count);
        code = MPI_Scatterv(in, numbers(first, 0), numbers(0, first), MPI_INT, rank == 0 ? MPI_IN_PLACE : out, count,
                            MPI_INT, 0, world);
    } else if (is("bcast")) {
        code = MPI_Bcast(array(first), first, MPI_INT, 0, world);
    } else if (is("bcast_vector")) { /* with gaps, so that it is packed */
        MPI_Datatype pair;
        MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        code = MPI_Bcast(array(3 * first), first, pair, 0, world);
        MPI_Type_free(&pair);
    } else if (is("reduce")) {
        code = MPI_Reduce(array(last), array(last), last, MPI_INT, MPI_SUM, 0, world);
    } else if (is("allreduce")) {
        code = MPI_Allreduce(array(last), array(last), last, MPI_INT, MPI_SUM, world);
    } else if (is("alltoall")) {
        code = MPI_Alltoall(array(size * last), last, MPI_INT, array(size * last), last, MPI_INT, world);
    } else if (is("alltoall_sent")) { /* the last sends more than it receives */
        code = MPI_Alltoall(array(size * last), last, MPI_INT, array(size * count), count, MPI_INT, world);
    } else if (is("allgather_sent")) {
        code = MPI_Allgather(array(last), last, MPI_INT, array(size * count), count, MPI_INT, world);
    } else if (is("alltoallv")) { /* the last sends more to all */
        int *in = array(size * more), *out = array(size * count);
        int *sent = numbers(last, 0), *received = numbers(count, 0);
        code = MPI_Alltoallv(in, sent, numbers(0, more), MPI_INT, out, received, numbers(0, count), MPI_INT, world);
    } else if (is("allgather")) {
        code = MPI_Allgather(array(last), last, MPI_INT, array(size * last), last, MPI_INT, world);
    } else if (is("allgatherv")) {
        code = MPI_Allgatherv(array(last), last, MPI_INT, array(size * last), numbers(last, 0), numbers(0, last),
                              MPI_INT, world);
    } else if (is("reduce_scatter")) {
        code = MPI_Reduce_scatter_block(array(size * last), array(last), last, MPI_INT, MPI_SUM, world);
    } else if (is("scan")) {
        code = MPI_Scan(array(last), array(last), last, MPI_INT, MPI_SUM, world);
    } else {
        printf("no such word\n");
        MPI_Abort(world, 5);
    }
    guards_check();
    return code;
}

/* Other calls, roots, operations. */
static int calls_differ(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    int in = rank, out = 0, *all = array(size);
    MPI_Comm half;
    if (is("root")) {
        MPI_Bcast(&in, 1, MPI_INT, rank == 0 ? 0 : 1, world);
    } else if (is("operation")) {
        MPI_Allreduce(&in, &out, 1, MPI_INT, rank == 0 ? MPI_PROD : MPI_SUM, world);
    } else if (is("other")) {
        if (rank == 0) MPI_Barrier(world);
        if (rank != 0) MPI_Bcast(&in, 1, MPI_INT, 0, world);
    } else if (is("order")) {
        MPI_Barrier(world);
        if (rank == 0) MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, world);
        MPI_Allgather(&in, 1, MPI_INT, all, 1, MPI_INT, world);
        if (rank != 0) MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, world);
    } else if (is("left_out")) {
        if (rank != 0) MPI_Barrier(world);
    } else if (is("made")) { /* on a communicator of the program, and one that is made there */
        MPI_Comm_split(world, rank % 2, 0, &half);
        if (rank < 2) MPI_Barrier(half);
        if (rank >= 2) MPI_Comm_dup(half, &half);
    } else if (is("leaders")) {
        if (rank == 0) MPI_Intercomm_create(MPI_COMM_SELF, 0, world, 1, 0, &half);
        if (rank != 0) MPI_Gather(&in, 1, MPI_INT, all, 1, MPI_INT, 0, world);
    } else if (is("never")) { /* one does not come at all */
        if (rank == 0) MPI_Recv(&in, 1, MPI_INT, 1, 3, world, MPI_STATUS_IGNORE);
        if (rank != 0) MPI_Bcast(&in, 1, MPI_INT, 0, world);
    } else {
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    how = argc > 2 ? argv[2] : "";
    skeleton_compute(0.25);
    if (argc > 1 && strcmp(argv[1], "return") == 0) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (calls_differ()) return MPI_Finalize();
    int code = counts_differ(argc > 3 ? atoi(argv[3]) : 1), all = 0;
    printf("rank %d: %s\n", rank,
           code == MPI_SUCCESS        ? "MPI_SUCCESS"
           : code == MPI_ERR_TRUNCATE ? "MPI_ERR_TRUNCATE"
                                      : "another error");
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* what comes after it is right */
    if (all != size * (size - 1) / 2) printf("rank %d: the sum after it is wrong\n", rank);
    MPI_Finalize();
    return 0;
}
