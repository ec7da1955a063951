/* A rank makes an object for several processes: `objects mutex|cond|barrier|rwlock|semaphore|named`. Threads of one process may share it. Rank 0
 * prints how many of all ranks have one that works. */
#define _GNU_SOURCE
#include "mpi.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

/* Makes it, and takes and lets it go once. */
static int works(const char *what)
{
    static pthread_mutex_t mutex;
    static pthread_cond_t cond;
    static pthread_barrier_t barrier;
    static pthread_rwlock_t lock;
    static sem_t semaphore;
    pthread_mutexattr_t of_mutex;
    pthread_condattr_t of_cond;
    pthread_barrierattr_t of_barrier;
    pthread_rwlockattr_t of_lock;
    pthread_mutexattr_init(&of_mutex), pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&of_cond), pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED);
    pthread_barrierattr_init(&of_barrier), pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
    pthread_rwlockattr_init(&of_lock), pthread_rwlockattr_setpshared(&of_lock, PTHREAD_PROCESS_SHARED);
    if (strcmp(what, "mutex") == 0)
        return pthread_mutex_init(&mutex, &of_mutex) == 0 && pthread_mutex_lock(&mutex) == 0 &&
               pthread_mutex_unlock(&mutex) == 0;
    if (strcmp(what, "cond") == 0) return pthread_cond_init(&cond, &of_cond) == 0 && pthread_cond_signal(&cond) == 0;
    if (strcmp(what, "barrier") == 0)
        return pthread_barrier_init(&barrier, &of_barrier, 1) == 0 &&
               pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    if (strcmp(what, "rwlock") == 0)
        return pthread_rwlock_init(&lock, &of_lock) == 0 && pthread_rwlock_wrlock(&lock) == 0 &&
               pthread_rwlock_unlock(&lock) == 0;
    sem_t *s = &semaphore;
    if (strcmp(what, "named") == 0)
        s = sem_open("/simkit-objects", O_CREAT, 0600, 1u);
    else if (sem_init(s, 1, 1) != 0)
        return 0;
    return s != SEM_FAILED && sem_wait(s) == 0 && sem_post(s) == 0;
}

int main(int argc, char **argv)
{
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = argc > 1 && works(argv[1]), all;
    MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d\n", all);
    return MPI_Finalize();
}
