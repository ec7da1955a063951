/* A rank ends while a thread of it goes on: `leaves [return|thread]`. The thread sleeps 0.1 ms again and again; main() computes 10 ms, charged, and
 * returns, or waits while another thread ends the process after 20 ms. The end of the rank is all that counts. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *sleep_on(void *user)
{
    for (;;) nanosleep(&(struct timespec){ 0, 100000 }, NULL);
    return user;
}

static void *end(void *user)
{
    skeleton_compute(0.02);
    exit(0);
    return user;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t sleeper, other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_create(&sleeper, NULL, sleep_on, NULL);
    MPI_Finalize();
    if (argc > 1 && strcmp(argv[1], "thread") == 0) {
        pthread_create(&other, NULL, end, NULL);
        pthread_join(sleeper, NULL);
    }
    skeleton_compute(0.01);
    return 0;
}
