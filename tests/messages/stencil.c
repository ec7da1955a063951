/* MPI and OpenMP: `stencil`, Jacobi steps on a square of SIDE x SIDE points whose edge keeps its values. Rows are dealt out to ranks.
 * In each step the master thread starts the exchange of the halo, and the other threads compute the rows that need none of it; the
 * master, which waits for the halo, computes the first and the last row. Rank 0 compares the result with that of a serial
 * computation, and prints a checksum, which depends neither on ranks nor on threads. */
#include "mpi.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 62, WIDTH = SIDE + 2, STEPS = 25 };
typedef double row[WIDTH]; /* with the edge on both sides */

static double at_first(int i, int j)
{
    return i == 0 || j == 0 || i == SIDE + 1 || j == SIDE + 1 ? 1.0 + 0.25 * i - 0.125 * j : 0;
}

static void compute(row *to, row *from, int i)
{
    for (int j = 1; j <= SIDE; ++j)
        to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "stencil: no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* Rows from `first` on, and one more before and after them. */
static row *make_rows(int first, int rows)
{
    row *made = room(sizeof *made * (size_t)(rows + 2));
    for (int i = 0; i < rows + 2; ++i)
        for (int j = 0; j < WIDTH; ++j) made[i][j] = at_first(first - 1 + i, j);
    return made;
}

/* Returns where the result is: now or next. */
static row *take_steps(row *now, row *next, int rows, int up, int down)
{
    MPI_Request requests[4];
#pragma omp parallel
    for (int step = 0; step < STEPS; ++step) {
        row *from = step % 2 ? next : now, *to = step % 2 ? now : next;
#pragma omp master
        {
            MPI_Irecv(from[0], WIDTH, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(from[rows + 1], WIDTH, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
            MPI_Isend(from[1], WIDTH, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
            MPI_Isend(from[rows], WIDTH, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
        }
#pragma omp for schedule(dynamic, 4) nowait
        for (int i = 2; i < rows; ++i) compute(to, from, i);
#pragma omp master
        {
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            compute(to, from, 1);
            if (rows > 1) compute(to, from, rows);
        }
#pragma omp barrier
    }
    return STEPS % 2 ? next : now;
}

int main(int argc, char **argv)
{
    int rank, size, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int first = 1 + SIDE * rank / size, rows = SIDE * (rank + 1) / size + 1 - first;
    row *now = make_rows(first, rows), *next = make_rows(first, rows);
    int *counts = room(sizeof *counts * (size_t)size), *places = room(sizeof *places * (size_t)size);
    row *all = make_rows(1, SIDE), *serial = make_rows(1, SIDE), *other = make_rows(1, SIDE);
    row *mine =
        take_steps(now, next, rows, rank ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL);
    for (int i = 0; i < size; ++i) {
        places[i] = WIDTH * (SIDE * i / size);
        counts[i] = WIDTH * (SIDE * (i + 1) / size) - places[i];
    }
    MPI_Gatherv(mine[1], WIDTH * rows, MPI_DOUBLE, all[1], counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        uint64_t sum = 0;
        for (int step = 0; step < STEPS; ++step) {
            row *last = serial;
            for (int i = 1; i <= SIDE; ++i) compute(other, serial, i);
            serial = other;
            other = last;
        }
        for (int i = 1; i <= SIDE; ++i)
            for (int j = 0; j < WIDTH; ++j) {
                uint64_t bits;
                memcpy(&bits, &all[i][j], sizeof bits);
                sum = (sum ^ bits) * 1099511628211u;
            }
        printf("stencil %016llx %s\n", (unsigned long long)sum,
               memcmp(all[1], serial[1], sizeof(row) * SIDE) == 0 ? "verified" : "wrong");
    }
    free(now);
    free(next);
    free(all);
    free(serial);
    free(other);
    free(counts);
    free(places);
    MPI_Finalize();
    return 0;
}
