/* times.c - the clocks, and sleeping. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define BILLION INT64_C(1000000000)
#define FIXED_START (1000000000 * BILLION) /* when nothing is measured, a run begins on 9 September 2001 */

/*=============================================================================
 * MARK: - >>clocks
 *===========================================================================*/

static int64_t real_start, monotonic_start; /* of the clocks, at virtual time 0 [ns] */

void threads_clock_start(void)
{
    struct timespec t;
    real_start = FIXED_START;
    monotonic_start = 1000 * BILLION;
    if (threads_set.fixed) return;
    threads_real.clock_gettime(CLOCK_REALTIME, &t);
    real_start = t.tv_sec * BILLION + t.tv_nsec;
    threads_real.clock_gettime(CLOCK_MONOTONIC, &t);
    monotonic_start = t.tv_sec * BILLION + t.tv_nsec;
}

static int64_t times__start(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return real_start;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME: return monotonic_start;
    default: return -1;
    }
}

int64_t threads_clock(clockid_t clock, threads_thread *t)
{
    if (clock == CLOCK_THREAD_CPUTIME_ID) return (int64_t)(t->times.cpu * 1e9);
    if (clock == CLOCK_PROCESS_CPUTIME_ID) return (int64_t)(threads_cpu * 1e9);
    const int64_t start = times__start(clock);
    return start < 0 ? -1 : start + (int64_t)(threads_now() * 1e9);
}

double threads_deadline(clockid_t clock, const struct timespec *time)
{
    const int64_t start = times__start(clock);
    /* One nanosecond is added so that a clock that is read after the wait, and rounded down, has reached the time. */
    const int64_t whole = start / BILLION;
    const double at = (double)(time->tv_sec - whole) + 1e-9 * (double)(time->tv_nsec - start % BILLION) + 1e-9;
    return at < 0 ? 0 : at;
}

bool threads_time_valid(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < BILLION;
}

static struct timespec times__of(int64_t nanoseconds)
{
    const struct timespec t = { nanoseconds / BILLION, nanoseconds % BILLION };
    return t;
}

/* A program that waits until some time has come would wait for ever where reading the clock takes no virtual time. */
static int64_t times__read(clockid_t clock, const char *call)
{
    static double last = -1;
    threads_thread *t = threads_begin(call);
    if (!t) return -1;
    if (threads_now() > last)
        last = threads_now();
    else
        threads_poll();
    const int64_t now = threads_clock(clock, t);
    threads_leave(t);
    return now;
}

static int times__get(clockid_t clock, struct timespec *time, const char *call)
{
    const int64_t now = times__read(clock, call);
    if (now < 0) return threads_real.clock_gettime(clock, time);
    *time = times__of(now);
    return 0;
}

THREADS_PUBLIC int clock_gettime(clockid_t clock, struct timespec *time)
{
    return times__get(clock, time, "clock_gettime");
}

THREADS_PUBLIC int timespec_get(struct timespec *time, int base)
{
    if (base != TIME_UTC) return 0;
    times__get(CLOCK_REALTIME, time, "timespec_get");
    return base;
}

THREADS_PUBLIC int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    times__get(CLOCK_REALTIME, &now, "gettimeofday");
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

THREADS_PUBLIC time_t time(time_t *place)
{
    struct timespec now;
    times__get(CLOCK_REALTIME, &now, "time");
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

THREADS_PUBLIC clock_t clock(void)
{
    struct timespec now;
    times__get(CLOCK_PROCESS_CPUTIME_ID, &now, "clock");
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (BILLION / CLOCKS_PER_SEC);
}

/*=============================================================================
 * MARK: - >>sleeping
 *===========================================================================*/

/* Sleeps until a virtual time [s], or for some time. False: a signal has come. */
static bool times__sleep(const char *call, double seconds, bool absolute, double *left)
{
    threads_thread *t = threads_begin(call);
    if (!t) return true;
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) threads_cancel_now(t), threads_begin(call);
    const double until = absolute ? seconds : threads_now() + seconds;
    threads_end end = THREADS_TIMED_OUT;
    if (until > threads_now()) {
        t->wait.interruptible = true;
        end = threads_wait(t, threads_object_of(THREADS_SLEEP, NULL), until, true);
    } else {
        threads_poll();
    }
    if (left) *left = until > threads_now() ? until - threads_now() : 0;
    if (end == THREADS_CANCELLED)
        threads_cancel_now(t);
    else
        threads_leave(t);
    return end != THREADS_SIGNALLED;
}

THREADS_PUBLIC int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    double rest = 0;
    if (!threads_self() || threads_off) return threads_real.clock_nanosleep(clock, flags, time, left);
    if (!threads_time_valid(time) || time->tv_sec < 0 || clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;
    if (times__start(clock) < 0) return ENOTSUP;
    const bool absolute = flags & TIMER_ABSTIME;
    if (times__sleep("clock_nanosleep",
                     absolute ? threads_deadline(clock, time) : (double)time->tv_sec + 1e-9 * (double)time->tv_nsec,
                     absolute, &rest))
        return 0;
    if (left && !absolute) *left = times__of((int64_t)(rest * 1e9));
    return EINTR;
}

THREADS_PUBLIC int nanosleep(const struct timespec *time, struct timespec *left)
{
    const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    if (error) errno = error;
    return error ? -1 : 0;
}

THREADS_PUBLIC int usleep(useconds_t microseconds)
{
    const struct timespec time = { microseconds / 1000000, (long)(microseconds % 1000000) * 1000 };
    return nanosleep(&time, NULL);
}

THREADS_PUBLIC unsigned sleep(unsigned seconds)
{
    const struct timespec time = { (time_t)seconds, 0 };
    struct timespec left = { 0, 0 };
    return nanosleep(&time, &left) == 0 ? 0 : (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

/*=============================================================================
 * MARK: - >>timers
 *===========================================================================*/

/* The function of the C library. The first call says that timers of the system follow the real clock. */
static void *times__real_timer(const char *call)
{
    static bool said;
    if (!said && threads_self() && !threads_off) {
        said = threads_turn.timed = true;
        threads_say("%s() sets a timer of the system: it follows the real clock, not the virtual one", call);
    }
    return dlsym(RTLD_NEXT, call);
}

/* A function of the program's name that calls that of the C library. */
#define REAL_TIMER(result, name, parameters, arguments)                                                                \
    THREADS_PUBLIC result name parameters                                                                              \
    {                                                                                                                  \
        result(*real) parameters;                                                                                      \
        *(void **)(void *)&real = times__real_timer(#name);                                                            \
        return real arguments;                                                                                         \
    }

REAL_TIMER(unsigned, alarm, (unsigned seconds), (seconds))
REAL_TIMER(useconds_t, ualarm, (useconds_t first, useconds_t every), (first, every))
REAL_TIMER(int, setitimer, (__itimer_which_t which, const struct itimerval *time, struct itimerval *old),
           (which, time, old))
REAL_TIMER(int, timerfd_settime, (int file, int flags, const struct itimerspec *time, struct itimerspec *old),
           (file, flags, time, old))
REAL_TIMER(int, timer_settime, (timer_t timer, int flags, const struct itimerspec *time, struct itimerspec *old),
           (timer, flags, time, old))
