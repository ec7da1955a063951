/* What the programs here share: the time, and computing until then on one core. */
#ifndef BUSY_H
#define BUSY_H

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Real time [s]. */
static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* CPU time of this process so far [s]. */
static inline double used(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Computes until `end`; returns the CPU time since `begin` [s]. */
static inline double busy(double begin, double end)
{
    volatile double work = 1;
    while (now() < begin) work = work * 1.0000001;
    const double before = used();
    while (now() < end)
        for (int i = 0; i < 10000; ++i) work = work * 1.0000001;
    return used() - before;
}

/* Pins this process, and all that it starts, to the last core; returns whether that was possible. */
static inline bool pin(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

#endif
