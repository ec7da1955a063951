/* MPI and OpenMP: `cg`, conjugate gradients for a sparse symmetric matrix whose rows are dealt out to ranks, and in each to threads. The
 * right side is the matrix times a known vector. Products are rounded to multiples of 2^-40 and summed as integers, so that sums
 * depend neither on ranks nor on threads. Every rank compares the solution with the known vector and with that of a serial
 * computation; rank 0 prints a checksum. */
#include "mpi.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 600, STEPS = 25 };
static const int beside[] = { -37, -5, -1, 1, 5, 37 };
static int size, *counts, *places;

static double known(int i)
{
    return 1 + 0.01 * (i % 17);
}

static double row_times(const double *x, int i)
{
    double sum = (8 + 0.125 * (i % 3)) * x[i];
    for (size_t k = 0; k < sizeof beside / sizeof *beside; ++k)
        if (i + beside[k] >= 0 && i + beside[k] < SIZE) sum -= x[i + beside[k]];
    return sum;
}

static double dot(const double *x, const double *y, int first, int end, MPI_Comm comm)
{
    int64_t mine = 0, all;
#pragma omp parallel for reduction(+ : mine)
    for (int i = first; i < end; ++i) mine += (int64_t)llrint(ldexp(x[i] * y[i], 40));
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm);
    return ldexp((double)all, -40);
}

/* Each process of the communicator computes its rows, first to end. */
static void solve(double *x, int first, int end, MPI_Comm comm)
{
    static double r[SIZE], p[SIZE], q[SIZE];
    double ones[SIZE];
    for (int i = 0; i < SIZE; ++i) ones[i] = known(i);
    for (int i = 0; i < SIZE; ++i) {
        x[i] = 0;
        r[i] = p[i] = row_times(ones, i);
    }
    double rho = dot(r, r, first, end, comm);
    for (int step = 0; step < STEPS && rho > 0; ++step) {
#pragma omp parallel for schedule(dynamic, 16)
        for (int i = first; i < end; ++i) q[i] = row_times(p, i);
        const double before = rho, alpha = rho / dot(p, q, first, end, comm);
        for (int i = first; i < end; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r, first, end, comm);
        for (int i = first; i < end; ++i) p[i] = r[i] + rho / before * p[i];
        if (comm == MPI_COMM_WORLD)
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p, counts, places, MPI_DOUBLE, comm);
    }
    if (comm == MPI_COMM_WORLD) MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, counts, places, MPI_DOUBLE, comm);
}

int main(int argc, char **argv)
{
    static double x[SIZE], serial[SIZE];
    int rank, provided, good = 1, all;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    counts = malloc(sizeof *counts * (size_t)size);
    places = malloc(sizeof *places * (size_t)size);
    if (!counts || !places) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < size; ++i) {
        places[i] = SIZE * i / size;
        counts[i] = SIZE * (i + 1) / size - places[i];
    }
    solve(x, places[rank], places[rank] + counts[rank], MPI_COMM_WORLD);
    omp_set_num_threads(1);
    solve(serial, 0, SIZE, MPI_COMM_SELF);
    uint64_t sum = 0;
    for (int i = 0; i < SIZE; ++i) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
        good = good && fabs(x[i] - known(i)) < 1e-3 && x[i] == serial[i];
    }
    MPI_Reduce(&good, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("cg %016llx %s\n", (unsigned long long)sum, all ? "verified" : "wrong");
    free(counts);
    free(places);
    MPI_Finalize();
    return 0;
}
