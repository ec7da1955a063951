/* Programs that go wrong, one for each word: what is said then is looked at by test_messages. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static void go_wrong(const char *how)
{
    int value = 0;
    MPI_Request request;
    if (is(how, "crash")) {
        skeleton_compute(0.25);
        if (rank == 1) raise(SIGSEGV);
        MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(how, "early")) {
        if (rank == 1) exit(0);
    } else if (is(how, "vanish")) {
        if (rank == 1) _exit(3);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (is(how, "deadlock")) {
        skeleton_compute(0.5);
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(how, "rendezvous")) { /* nobody receives first */
        char *large = calloc(1, 1 << 20);
        MPI_Send(large, 1 << 20, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Recv(large, 1 << 20, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(how, "abort")) {
        skeleton_compute(1);
        if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (is(how, "tag")) {
        MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
    } else if (is(how, "rank")) {
        MPI_Send(&value, 1, MPI_INT, size, 5, MPI_COMM_WORLD);
    } else if (is(how, "truncate")) {
        int two[2] = { 1, 2 };
        if (rank == 0) MPI_Send(two, 2, MPI_INT, 1, 5, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(how, "freed")) {
        MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
        MPI_Request copy = request;
        MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&copy, MPI_STATUS_IGNORE);
    } else if (is(how, "spin")) { /* nothing is charged, so that the time never comes */
        double begun = MPI_Wtime();
        while (rank == 0 && MPI_Wtime() < begun + 1) continue;
    } else if (is(how, "iprobe")) {
        for (int flag = 0; !flag;) MPI_Iprobe(1 - rank, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    } else if (is(how, "test")) { /* the other one waits */
        MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &request);
        for (int flag = 0; !flag && rank == 1;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is(how, "patience")) { /* polls until a time, for what is computed, and for what is on its way */
        double begun = MPI_Wtime();
        int flag = 0;
        while (!flag && MPI_Wtime() < begun + 0.01) MPI_Iprobe(1 - rank, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (rank == 0) skeleton_compute(0.01);
        if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        while (!flag && rank == 1) MPI_Iprobe(0, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d has been patient\n", rank);
    } else if (is(how, "segment")) {
        skeleton_compute(-1);
    } else if (is(how, "spawn")) {
        MPI_Comm children;
        int code;
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        code = MPI_Comm_spawn("/nowhere/to/be/found", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                              MPI_ERRCODES_IGNORE);
        printf("spawn: %s\n", code == MPI_ERR_SPAWN ? "MPI_ERR_SPAWN" : "?");
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (is(how, "outside")) return 6;
    if (is(how, "before")) MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_Barrier(MPI_COMM_WORLD);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    go_wrong(how);
    MPI_Finalize();
    if (is(how, "after")) MPI_Barrier(MPI_COMM_WORLD);
    return is(how, "status") && rank == 1 ? 9 : 0;
}
