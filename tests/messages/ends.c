/* Ranks of MPI that end in uncommon ways: `ends WAY RANK`. Each rank computes for as many milliseconds as its rank + 1; then the rank
 * of that number, or each one if it is -1, ends in that way, and the others pass a barrier if the way begins with `wait_`. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *end_of_thread(void *status)
{
    exit(*(int *)status);
}

static int end(const char *way)
{
    static int status = 3;
    pthread_t thread;
    if (strcmp(way, "return") == 0) return 0;
    if (strcmp(way, "return3") == 0) return 3;
    if (strcmp(way, "exit") == 0) exit(0);
    if (strcmp(way, "exit3") == 0) exit(3);
    if (strcmp(way, "_exit") == 0) _exit(0);
    if (strcmp(way, "_exit3") == 0) _exit(3);
    if (strcmp(way, "_Exit3") == 0) _Exit(3);
    if (strcmp(way, "quick_exit3") == 0) quick_exit(3);
    if (strcmp(way, "syscall3") == 0) syscall(SYS_exit_group, 3);
    if (strcmp(way, "thread3") == 0 && pthread_create(&thread, NULL, end_of_thread, &status) == 0)
        pthread_join(thread, NULL);
    if (strcmp(way, "pthread_exit") == 0) pthread_exit(NULL);
    if (strcmp(way, "abort3") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(way, "abort0") == 0) MPI_Abort(MPI_COMM_WORLD, 0);
    if (strcmp(way, "abort256") == 0) MPI_Abort(MPI_COMM_WORLD, 256);
    if (strcmp(way, "raise") == 0) abort();
    if (strcmp(way, "finalize3") == 0) {
        MPI_Finalize();
        return 3;
    }
    if (strcmp(way, "finalize_exit3") == 0) {
        MPI_Finalize();
        _exit(3);
    }
    fprintf(stderr, "ends: %s is no way to end\n", way);
    return 2;
}

int main(int argc, char **argv)
{
    int rank;
    if (argc < 3) return 2;
    if (strncmp(argv[1], "before_", 7) == 0) return end(argv[1] + 7);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    skeleton_compute(1e-3 * (rank + 1));
    const int which = atoi(argv[2]);
    const int waits = strncmp(argv[1], "wait_", 5) == 0;
    if (which == rank || which == -1) return end(argv[1] + (waits ? 5 : 0));
    if (waits) MPI_Barrier(MPI_COMM_WORLD);
    skeleton_compute(10e-3);
    if (strncmp(argv[1], "finalize", 8) == 0) return MPI_Finalize();
    return 0;
}
