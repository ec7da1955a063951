/* A chain, for the critical path: rank 0 computes and sends to rank 1, which has computed less and waits; and so on. With an
 * argument the message is so large that it asks first, and the receiver computes longer. */
#include <mpi.h>
#include <stdlib.h>

#include "skeleton.h"

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int late = argc > 1, count = late ? 1000000 : 1000;
    char *bytes = calloc(1, (size_t)count);
    if (late) {
        skeleton_compute(rank == 0 ? 1 : 3);                                   /* the receiver comes last */
        if (rank == 0) MPI_Send(bytes, count, MPI_BYTE, 1, 7, MPI_COMM_WORLD); /* late */
        if (rank == 0) skeleton_compute(0.5);
        if (rank == 1) MPI_Recv(bytes, count, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int step = 0; step < 2; ++step) {
            if (rank > 0) MPI_Recv(bytes, count, MPI_BYTE, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* chain */
            skeleton_compute(rank == 0 ? 2 : 1);
            if (rank + 1 < size) MPI_Send(bytes, count, MPI_BYTE, rank + 1, 7, MPI_COMM_WORLD);
        }
    }
    free(bytes);
    MPI_Finalize();
    return 0;
}
