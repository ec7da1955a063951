/* What the simulation of messages costs in real time and memory: `costs pingpong N` and `costs alltoall BYTES`. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Memory of this process [kB], of what is shared its part. */
static double memory(void)
{
    char line[256];
    double kilobytes = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss: %lf", &kilobytes) == 1) break;
    if (f) fclose(f);
    return kilobytes;
}

int main(int argc, char **argv)
{
    int rank, size;
    double begun = now();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int number = argc > 2 ? atoi(argv[2]) : 1;
    if (argc > 1 && strcmp(argv[1], "pingpong") == 0) {
        double data = rank;
        begun = now();
        for (int i = 0; i < number; ++i) {
            if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            if (rank < 2) MPI_Recv(&data, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
        if (rank == 0) printf("%.3f\n", (now() - begun) / number / 2 * 1e6);
    } else {
        char *out = skeleton_shared((size_t)number * (size_t)size),
             *in = skeleton_shared((size_t)number * (size_t)size);
        skeleton_compute(1e-3);
        MPI_Alltoall(out, number, MPI_CHAR, in, number, MPI_CHAR, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD); /* shared pages are divided among those that have used them so far */
        double mine = memory(), all;
        MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("%.2f %.0f\n", now() - begun, all / 1e3);
    }
    MPI_Finalize();
    return 0;
}
