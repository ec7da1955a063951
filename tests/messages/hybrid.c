/* MPI and OpenMP: `hybrid SERIAL ITERATION COUNT [together]`, charged. Each rank computes SERIAL seconds, then a loop of COUNT
 * iterations, or of its part of COUNT, of ITERATION seconds each, shared by its threads, static and dynamic; then ranks exchange a
 * halo with both neighbors of a ring and add up. Rank 0 prints the virtual times after each part, and what was added up. */
#include "mpi.h"
#include "skeleton.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, provided;
    double halo[2] = { 0, 0 }, done = 0, all = 0, times[4];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double serial = argc > 1 ? atof(argv[1]) : 0, iteration = argc > 2 ? atof(argv[2]) : 0;
    const int given = argc > 3 ? atoi(argv[3]) : 0, count = argc > 4 ? (given + size - 1) / size : given;
    const double began = MPI_Wtime();
    skeleton_compute(serial);
    times[0] = MPI_Wtime() - began;
#pragma omp parallel for schedule(static) reduction(+ : done)
    for (int i = 0; i < count; ++i) {
        skeleton_compute(iteration);
        done += i;
    }
    times[1] = MPI_Wtime() - began;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : done)
    for (int i = 0; i < count; ++i) {
        skeleton_compute(iteration);
        done += i;
    }
    times[2] = MPI_Wtime() - began;
    MPI_Sendrecv(&done, 1, MPI_DOUBLE, (rank + 1) % size, 0, &halo[0], 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&done, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, &halo[1], 1, MPI_DOUBLE, (rank + 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    times[3] = MPI_Wtime() - began;
    done += halo[0] + halo[1];
    MPI_Reduce(&done, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%.9f %.9f %.9f %.9f\n", times[0], times[1], times[2], times[3]);
        printf("%g by %d threads of %d processors", all, omp_get_max_threads(), omp_get_num_procs());
        if (omp_get_num_places() > 0) printf(", %d places", omp_get_num_places());
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
