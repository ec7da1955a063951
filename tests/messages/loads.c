/* Programs that ask for load averages, one for each word: test_messages_users gives their hosts users, and looks at the
 * time. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* [clue]'s program frame: computes, then asks. */
static void frame(double runtime, double n)
{
    double each[3] = { 0, 0, 0 }, *all = malloc(3 * (size_t)size * sizeof *all);
    const double begun = MPI_Wtime();
    skeleton_compute(runtime);
    each[1] = skeleton_load_average(n);
    each[0] = MPI_Wtime() - begun;
    MPI_Gather(each, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; ++i) printf("%.9f %.9f\n", all[3 * i], all[3 * i + 1]);
    free(all);
}

/* What a program that knows nothing of all this asks. */
static void of_unix(double seconds)
{
    double loads[4] = { -1, -1, -1, -1 };
    skeleton_sleep(seconds);
    const int told = getloadavg(loads, 4), one = getloadavg(loads + 3, 1);
    printf("%d %.9f %.9f %.9f %d %.9f\n", told, loads[0], loads[1], loads[2], one, loads[3]);
}

/* The master asks all for their load, and gives the work to who has the least. */
static void least_loaded(double work, int pieces)
{
    double *loads = malloc((size_t)size * sizeof *loads);
    for (int piece = 0; piece < pieces; ++piece) {
        double mine = skeleton_load_average(60), begun = MPI_Wtime();
        int chosen = 0;
        MPI_Gather(&mine, 1, MPI_DOUBLE, loads, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int i = 1; rank == 0 && i < size; ++i)
            if (loads[i] < loads[chosen]) chosen = i;
        MPI_Bcast(&chosen, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == chosen) skeleton_compute(work);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) printf("rank %d, load %.6f, %.6f s\n", chosen, loads[chosen], MPI_Wtime() - begun);
    }
    free(loads);
}

/* A child of a task is no task. */
static void child(void)
{
    double load;
    fflush(stdout);
    printf("%s\n", system("true") == 0 && getloadavg(&load, -1) == -1 ? "refused" : "answered");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *word = argc > 1 ? argv[1] : "";
    const double first = argc > 2 ? atof(argv[2]) : 0, second = argc > 3 ? atof(argv[3]) : 0;
    if (strcmp(word, "frame") == 0) frame(first, second);
    if (strcmp(word, "unix") == 0) of_unix(first);
    if (strcmp(word, "least") == 0) {
        skeleton_sleep(60);
        least_loaded(first, (int)second);
    }
    if (strcmp(word, "child") == 0) child();
    MPI_Finalize();
    return 0;
}
