/* What a rank sees of how it was started, in the order of the ranks. */
#define _GNU_SOURCE
#include "mpi.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void shown(int argc, char **argv, int rank, int size)
{
    char name[64] = "", host[MPI_MAX_PROCESSOR_NAME];
    int length;
    FILE *f = fopen("/proc/self/comm", "r");
    if (!f || !fgets(name, sizeof name, f)) perror("comm");
    if (f) fclose(f);
    name[strcspn(name, "\n")] = 0;
    MPI_Get_processor_name(host, &length);
    printf("%d of %d on %s, %s:", rank, size, host, name);
    for (int i = 1; i < argc; ++i) printf(" '%s'", argv[i]);
    if (getenv("COLOUR")) printf(" %s", getenv("COLOUR"));
    if (getenv("SIMKIT_PROGRAMS")) printf(" and the programs");
    puts("");
}

int main(int argc, char **argv)
{
    int rank, size, before = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 2 && strcmp(argv[1], "interrupted") == 0) { /* by the last rank, while the others wait */
        if (rank == 0) MPI_Send(&before, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
        if (rank == size - 1) {
            MPI_Recv(&before, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            kill(getppid(), SIGINT);
            for (volatile int turns = 0;; ++turns) continue;
        }
        if (rank % 3 == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank > 0) MPI_Recv(&before, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    shown(argc, argv, rank, size);
    if (rank < size - 1) MPI_Send(&before, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
