/* How long do collectives of MPI take? Prints a line for each: its name, bytes per rank, and the time of one [s], the mean
 * over a few in a row on the slowest rank; again and again, REPEATS times.
 *
 * mpicc tests/testbed/collectives.c -o collectives && mpirun -np 4 ./collectives */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 3, MOST_RANKS = 64, SIZES = 3 };

enum { BARRIER, BCAST, REDUCE, ALLREDUCE, ALLGATHER, ALLTOALL, COLLECTIVES };

static const char *const names[COLLECTIVES] = { "barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall" };
static const int sizes[SIZES] = { 8, 4096, 32768 };
static const int in_a_row[SIZES] = { 100, 8, 4 }; /* small ones take no longer than reading the clock */

static char *in, *out;

static void collect(int what, int bytes)
{
    const int doubles = bytes / 8;

    switch (what) {
    case BARRIER: MPI_Barrier(MPI_COMM_WORLD); break;
    case BCAST: MPI_Bcast(in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD); break;
    case REDUCE: MPI_Reduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); break;
    case ALLREDUCE: MPI_Allreduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
    case ALLGATHER: MPI_Allgather(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, MPI_COMM_WORLD); break;
    default: MPI_Alltoall(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, MPI_COMM_WORLD); break;
    }
}

int main(int count, char **arguments)
{
    int rank, np;

    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    in = (char *)calloc(MOST_RANKS, (size_t)sizes[SIZES - 1]);
    out = (char *)calloc(MOST_RANKS, (size_t)sizes[SIZES - 1]);
    if (!in || !out || np > MOST_RANKS) {
        fprintf(stderr, "collectives: no memory, or more than %d ranks\n", MOST_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int turn = 0; turn < REPEATS; ++turn)
        for (int what = BARRIER; what < COLLECTIVES; ++what)
            for (int size = 0; size < (what == BARRIER ? 1 : SIZES); ++size) {
                double seconds, slowest;
                collect(what, sizes[size]); /* connections are made when they are first used */
                MPI_Barrier(MPI_COMM_WORLD);
                seconds = -MPI_Wtime();
                for (int i = 0; i < in_a_row[size]; ++i) collect(what, sizes[size]);
                seconds = (seconds + MPI_Wtime()) / in_a_row[size];
                MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
                if (rank == 0) printf("%s %d %.9f\n", names[what], what == BARRIER ? 0 : sizes[size], slowest);
            }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
