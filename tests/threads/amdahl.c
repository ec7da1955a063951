/* amdahl.c - work of known length: amdahl SERIAL PARALLEL LOCKED [s]. One thread computes for SERIAL seconds; then as many as
 * there are cores share PARALLEL seconds, and each computes for LOCKED seconds more while it holds a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "pthread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double each, locked;

static void compute(double seconds)
{
    SIMTHREADS_COMPUTE(seconds);
}

static void *work(void *unused)
{
    compute(each);
    pthread_mutex_lock(&lock);
    compute(locked);
    pthread_mutex_unlock(&lock);
    return unused;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const long threads = sysconf(_SC_NPROCESSORS_ONLN);
    const double begin = now();
    pthread_t *t = calloc((size_t)threads, sizeof *t);
    if (argc != 4 || !t) return 2;
    compute(atof(argv[1]));
    each = atof(argv[2]) / (double)threads;
    locked = atof(argv[3]);
    for (long i = 0; i < threads; ++i) pthread_create(&t[i], NULL, work, NULL);
    for (long i = 0; i < threads; ++i) pthread_join(t[i], NULL);
    printf("%.6f\n", now() - begin);
    free(t);
    return 0;
}
