/* What the simulation of messages costs in real time and memory: `costs pingpong N`, `costs alltoall BYTES`, and, for
 * many ranks, `costs ring N`, `costs allreduce N`, `costs halo N` and `costs steps N`, which does the last two in turn. With a further
 * argument they print the memory of all ranks. `costs threads N` prints the memory of all ranks with N threads each, that of main()
 * among them. `costs work N` and `costs reduce N` compute N times for some milliseconds and then exchange a number with each of two
 * neighbours, or call MPI_Allreduce. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A number after a word in a file of the system. */
static double number_in(const char *path, const char *word)
{
    char line[256];
    double number = 0;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, word, strlen(word)) == 0 && sscanf(line + strlen(word), "%lf", &number) == 1) break;
    if (f) fclose(f);
    return number;
}

/* Memory of all ranks with their page tables [MB]; on rank 0. */
static double memory(int rank)
{
    const char *ranks = getenv("SIMKIT_RANKS");
    double mine = 0, all;
    MPI_Barrier(MPI_COMM_WORLD); /* shared pages are divided among those that have used them so far */
    if (rank == 0 || !ranks || strcmp(ranks, "together") != 0)
        mine = number_in("/proc/self/smaps_rollup", "Pss:") + number_in("/proc/self/status", "VmPTE:");
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all / 1e3;
}

static void ring(int rank, int size)
{
    double data = rank;
    if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1 % size, 0, MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0) MPI_Send(&data, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);
}

static void allreduce(int rank, int size)
{
    double data = rank, sum;
    MPI_Allreduce(&data, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum < 0.5 * size * (size - 1.0) || sum > 0.5 * size * (size - 1.0)) printf("wrong sum %g\n", sum);
}

/* An exchange with the four neighbours on a torus. */
static void halo(int rank, int size)
{
    enum { BYTES = 1024 };
    static char *border;
    MPI_Request requests[8];
    int width = 1;
    while (4 * width * width <= size) width *= 2;
    const int height = size / width, x = rank % width, y = rank / width;
    const int neighbours[4] = { y * width + (x + 1) % width, y * width + (x + width - 1) % width,
                                (y + 1) % height * width + x, (y + height - 1) % height * width + x };
    if (y >= height) return;
    if (!border) border = skeleton_shared(BYTES);
    for (int i = 0; i < 4; ++i) MPI_Irecv(border, BYTES, MPI_CHAR, neighbours[i], i ^ 1, MPI_COMM_WORLD, &requests[i]);
    skeleton_compute(1e-3);
    for (int i = 0; i < 4; ++i) MPI_Isend(border, BYTES, MPI_CHAR, neighbours[i], i, MPI_COMM_WORLD, &requests[4 + i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static volatile double worked;

static double compute(double number)
{
    for (int i = 0; i < 3000000; ++i) number = number * 0.999999 + 1e-6;
    return number;
}

static void work(int rank, int size)
{
    const double mine = compute(rank);
    double theirs[2];
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request requests[4];
    MPI_Irecv(&theirs[0], 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&theirs[1], 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&mine, 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&mine, 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    worked += mine + theirs[0] + theirs[1];
}

static void reduce(int rank, int size)
{
    const double mine = compute(rank);
    double sum;
    (void)size;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    worked += sum;
}

static void steps(int rank, int size)
{
    allreduce(rank, size);
    halo(rank, size);
}

static const struct {
    const char *name;
    void (*call)(int rank, int size);
} patterns[] = { { "ring", ring },   { "allreduce", allreduce }, { "halo", halo },
                 { "steps", steps }, { "work", work },           { "reduce", reduce } };

static pthread_barrier_t both; /* when all threads have begun, and when they may end */

static void *thread(void *user)
{
    (void)user;
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return NULL;
}

/* Each rank computes, with so many threads; the memory of all while they are there [MB]. */
static double threads(int rank, int count)
{
    pthread_t *all = calloc((size_t)count, sizeof *all);
    if (!all || pthread_barrier_init(&both, NULL, (unsigned)count) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 1; i < count; ++i)
        if (pthread_create(&all[i], NULL, thread, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    pthread_barrier_wait(&both);
    const double used = memory(rank);
    pthread_barrier_wait(&both);
    for (int i = 1; i < count; ++i) pthread_join(all[i], NULL);
    free(all);
    return used;
}

int main(int argc, char **argv)
{
    int rank, size;
    double begun = skeleton_clock();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int number = argc > 2 ? atoi(argv[2]) : 1;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
        if (argc < 2 || strcmp(argv[1], patterns[i].name) != 0) continue;
        for (int k = 0; k < number; ++k) patterns[i].call(rank, size);
        const double all = argc > 3 ? memory(rank) : 0;
        if (rank == 0) printf("%.0f\n", all);
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        const double used = threads(rank, number);
        if (rank == 0) printf("%.0f\n", used);
    } else if (argc > 1 && strcmp(argv[1], "pingpong") == 0) {
        double data = rank;
        begun = skeleton_clock();
        for (int i = 0; i < number; ++i) {
            if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            if (rank < 2) MPI_Recv(&data, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
        if (rank == 0) printf("%.3f\n", (skeleton_clock() - begun) / number / 2 * 1e6);
    } else {
        char *out = skeleton_shared((size_t)number * (size_t)size),
             *in = skeleton_shared((size_t)number * (size_t)size);
        skeleton_compute(1e-3);
        MPI_Alltoall(out, number, MPI_CHAR, in, number, MPI_CHAR, MPI_COMM_WORLD);
        const double took = skeleton_clock() - begun, all = argc > 3 ? memory(rank) : 0;
        if (rank == 0) printf("%.2f %.0f\n", took, all);
    }
    MPI_Finalize();
    return 0;
}
