/* A rank makes a child by fork(), which calls MPI: `children [threads]`; with a thread beside it. */
#define _GNU_SOURCE
#include "mpi.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *sleep_on(void *user)
{
    for (;;) nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    return user;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "threads") == 0) pthread_create(&thread, NULL, sleep_on, NULL);
    if (rank == 1) {
        const pid_t child = fork();
        if (child == 0) MPI_Barrier(MPI_COMM_WORLD);
        waitpid(child, NULL, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
