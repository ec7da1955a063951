/* clocks.c - threads that look at a clock until some time has passed, or a flag is set: clocks MODE THREADS SECONDS. Prints for each how
 * long that was by its clock, and how often it looked. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *mode;
static double duration;
static volatile int flag;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    struct timeval day;
    struct timespec t;
    struct rusage used;
    if (is("day")) {
        gettimeofday(&day, NULL);
        return (double)day.tv_sec + 1e-6 * (double)day.tv_usec;
    }
    if (is("time")) return (double)time(NULL);
    if (is("cpu")) return seconds(CLOCK_THREAD_CPUTIME_ID);
    if (is("usage")) {
        getrusage(RUSAGE_THREAD, &used);
        return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
    }
    if (is("syscall")) {
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }
    if (is("two") && seconds(CLOCK_REALTIME) < 0) return 0;
    if (is("yield")) sched_yield();
    if (is("trylock")) pthread_mutex_trylock(&held);
    if (is("poll")) poll(NULL, 0, 0);
    return seconds(CLOCK_MONOTONIC);
}

static void *look(void *unused)
{
    const double begin = now();
    double end = begin;
    long looks = 0;
    do {
        if (is("blind"))
            sched_yield(); /* looks at the flag alone */
        else
            end = now();
        ++looks;
    } while (end - begin < duration && !flag);
    if (is("blind")) end = now();
    printf("%.9f s, %ld looks\n", end - begin, looks);
    return unused;
}

static void *set_flag(void *unused)
{
    const struct timespec time = { 0, 250000000 };
    nanosleep(&time, NULL);
    flag = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    if (argc != 4) return 2;
    mode = argv[1];
    duration = atof(argv[3]);
    const int count = atoi(argv[2]);
    pthread_mutex_lock(&held);
    const int flagged = is("flag") || is("blind");
    if (flagged) pthread_create(&threads[0], NULL, set_flag, NULL);
    for (int i = 1; i < count; ++i) pthread_create(&threads[i], NULL, look, NULL);
    look(NULL);
    for (int i = flagged ? 0 : 1; i < count; ++i) pthread_join(threads[i], NULL);
    return 0;
}
