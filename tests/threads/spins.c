/* Two threads of OpenMP compute in turn, TIMES times SECONDS each, and meet at a barrier after each: `spins TIMES SECONDS`. Prints the
 * virtual time that this takes, less what is computed, for each time [us]. Without arguments: prints the number of threads. */
#define _GNU_SOURCE
#include "pthread.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const int times = argc > 1 ? atoi(argv[1]) : 1;
    const double seconds = argc > 2 ? atof(argv[2]) : 1e-5;
    double begun = 0;
    if (argc == 1) { /* before the library's constructors, the OpenMP of gcc asks for the number of cores */
        printf("%d threads\n", omp_get_max_threads());
        return 0;
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp barrier
#pragma omp master
        begun = now();
        for (int i = 0; i < times; ++i) {
            if (i % 2 == omp_get_thread_num()) SIMTHREADS_COMPUTE(seconds);
#pragma omp barrier
        }
#pragma omp master
        printf("%.2f us\n", 1e6 * ((now() - begun) / times - seconds));
    }
    return 0;
}
