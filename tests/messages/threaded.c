/* Ranks with threads, whose times are charged: `threaded SERIAL PARALLEL LOCKED THREADS`. Each rank computes SERIAL seconds, then THREADS
 * threads compute PARALLEL seconds each and LOCKED seconds more while they hold a lock, sleep as long as their number says, and meet at
 * a barrier; then ranks exchange a number around a ring. Rank 0 prints the virtual times after each part. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static double parallel, locked, met;
static int worked;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *work(void *user)
{
    const struct timespec pause = { 0, 1000000L * (long)(size_t)user };
    skeleton_compute(parallel);
    pthread_mutex_lock(&lock);
    skeleton_compute(locked);
    ++worked;
    pthread_mutex_unlock(&lock);
    nanosleep(&pause, NULL);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) met = now();
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MOST = 64 };
    pthread_t threads[MOST];
    int rank, size, provided, got = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int count = argc > 4 ? atoi(argv[4]) : 1;
    const double began = MPI_Wtime(), clock = now();
    parallel = argc > 2 ? atof(argv[2]) : 0;
    locked = argc > 3 ? atof(argv[3]) : 0;
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    skeleton_compute(argc > 1 ? atof(argv[1]) : 0);
    const double serial = MPI_Wtime() - began;
    for (int i = 0; i < count && i < MOST; ++i) pthread_create(&threads[i], NULL, work, (void *)(size_t)i);
    for (int i = 0; i < count && i < MOST; ++i) pthread_join(threads[i], NULL);
    const double joined = MPI_Wtime() - began;
    const pid_t child = fork(); /* it is no part of the run, and sleeps really */
    if (child == 0) {
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    MPI_Sendrecv(&worked, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double exchanged = MPI_Wtime() - began;
    if (rank == 0) {
        printf("%.9f %.9f %.9f %.9f\n", serial, joined, exchanged, met - clock);
        printf("%d threads worked there\n", got);
    }
    MPI_Finalize();
    return 0;
}
