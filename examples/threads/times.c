/* times.c - the clocks, and sleeping. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/timex.h>
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
    case CLOCK_REALTIME_ALARM:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return real_start;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_BOOTTIME: return monotonic_start;
    default: return -1;
    }
}

const double *threads_cpu_clock(clockid_t clock, threads_thread *t)
{
    enum { SCHEDULED = 2, KIND = 3, THREAD = 4 };
    if (clock == CLOCK_THREAD_CPUTIME_ID) return &t->times.cpu;
    if (clock == CLOCK_PROCESS_CPUTIME_ID) return &threads_cpu;
    if (clock >= 0 || (clock & KIND) > SCHEDULED) return NULL;
    /* That of pthread_getcpuclockid() or clock_getcpuclockid(), as the kernel has them. */
    const pid_t number = ~(clock >> 3);
    if (!(clock & THREAD)) return number == 0 || number == getpid() ? &threads_cpu : NULL;
    if (number == 0) return &t->times.cpu;
    for (threads_thread *other = threads_all; other; other = other->next_of_all)
        if (other->task->thread == number && !other->gone) return &other->times.cpu;
    return NULL;
}

int64_t threads_clock(clockid_t clock, threads_thread *t)
{
    const double *cpu = threads_cpu_clock(clock, t);
    if (cpu) return (int64_t)(*cpu * 1e9);
    const int64_t start = times__start(clock);
    return start < 0 ? -1 : start + (int64_t)(threads_now() * 1e9);
}

bool threads_clock_runs(clockid_t clock)
{
    return times__start(clock) >= 0;
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

/* The time of a clock of the virtual ones [ns]; < 0: another one, or there is no run. A program that waits until some time has come
 * would wait for ever where reading the clock takes no virtual time, and long where it takes little. */
static int64_t times__read(clockid_t clock, const char *call, const void *place)
{
    static double last = -1;
    threads_thread *t = threads_enter(call);
    if (!t) return -1;
    double step = 0;
    if (t->inside == 1)
        step = direct_loop_read(&t->loop, (direct_loop_look){ .clock = (unsigned)clock,
                                                              .place = place,
                                                              .now = threads_now(),
                                                              .used = threads_set.fixed ? 0 : t->pending,
                                                              .slept = threads_rank || t->spent.slept });
    const bool looks = step > t->pending + threads_set.call_cost;
    if (looks) {
        t->pending = 0; /* within the step, so that those who look at the same time stay together */
        threads_look(t, direct_loop_until(step, threads_now(), fmin(threads_engine->next(), threads_turn.timer)));
    } else {
        threads_pass(t);
    }
    if (looks || !(threads_now() > last)) threads_poll();
    last = threads_now();
    const int64_t now = threads_clock(clock, t);
    threads_leave(t);
    return now;
}

static int times__get(clockid_t clock, struct timespec *time, const char *call, const void *place)
{
    const int64_t now = times__read(clock, call, place);
    if (now < 0) return threads_real.clock_gettime(clock, time);
    *time = times__of(now);
    return 0;
}

THREADS_PUBLIC int clock_gettime(clockid_t clock, struct timespec *time)
{
    return times__get(clock, time, "clock_gettime", THREADS_CALLER);
}

THREADS_PUBLIC int timespec_get(struct timespec *time, int base)
{
    if (base != TIME_UTC) return 0;
    times__get(CLOCK_REALTIME, time, "timespec_get", THREADS_CALLER);
    return base;
}

static int times__day(struct timeval *time, const char *call, const void *place)
{
    struct timespec now;
    times__get(CLOCK_REALTIME, &now, call, place);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

/* The zone is that of the C library: none. */
THREADS_PUBLIC int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    if (zone) memset(zone, 0, sizeof(struct timezone));
    return times__day(time, "gettimeofday", THREADS_CALLER);
}

THREADS_PUBLIC time_t time(time_t *place)
{
    struct timespec now;
    times__get(CLOCK_REALTIME, &now, "time", THREADS_CALLER);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

THREADS_PUBLIC int ftime(struct timeb *time)
{
    struct timeval now;
    times__day(&now, "ftime", THREADS_CALLER);
    *time = (struct timeb){ .time = now.tv_sec, .millitm = (unsigned short)(now.tv_usec / 1000) };
    return 0;
}

/* What the kernel knows of the quality of its clock stays as it is. */
static int times__clock_state(const char *call, struct ntptimeval *time, const void *place)
{
    int (*real)(struct ntptimeval *);
    *(void **)(void *)&real = threads_real_function(call);
    const int state = real ? real(time) : -1;
    if (state >= 0) times__day(&time->time, call, place);
    return state;
}

/* The header gives ntp_gettime() the name of ntp_gettimex(). */
int times__ntp_gettime(struct ntptimeval *time) __asm__("ntp_gettime");
int times__ntp_gettimex(struct ntptimeval *time) __asm__("ntp_gettimex");

THREADS_PUBLIC int times__ntp_gettime(struct ntptimeval *time)
{
    return times__clock_state("ntp_gettime", time, THREADS_CALLER);
}

THREADS_PUBLIC int times__ntp_gettimex(struct ntptimeval *time)
{
    return times__clock_state("ntp_gettimex", time, THREADS_CALLER);
}

/* One that only asks also learns the time; it may be in nanoseconds. */
static int times__asked(int state, struct timex *time, const char *call, const void *place)
{
    if (state < 0 || time->modes != 0) return state;
    times__day(&time->time, call, place);
    if (time->status & STA_NANO) time->time.tv_usec *= 1000;
    return state;
}

THREADS_PUBLIC int adjtimex(struct timex *time)
{
    THREADS_THROUGH(adjtimex, (time));
    if (!threads_real.syscall) threads_above.prepare();
    return times__asked((int)threads_real.syscall(SYS_adjtimex, time), time, "adjtimex", THREADS_CALLER);
}

THREADS_PUBLIC int clock_adjtime(clockid_t clock, struct timex *time)
{
    THREADS_THROUGH(clock_adjtime, (clock, time));
    if (!threads_real.syscall) threads_above.prepare();
    const int state = (int)threads_real.syscall(SYS_clock_adjtime, clock, time);
    return clock == CLOCK_REALTIME ? times__asked(state, time, "clock_adjtime", THREADS_CALLER) : state;
}

/*=============================================================================
 * MARK: - >>CPU time
 *===========================================================================*/

THREADS_PUBLIC clock_t clock(void)
{
    struct timespec now;
    times__get(CLOCK_PROCESS_CPUTIME_ID, &now, "clock", THREADS_CALLER);
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (BILLION / CLOCKS_PER_SEC);
}

/* All CPU time is that of the program, none that of the system. */
THREADS_PUBLIC clock_t times(struct tms *time)
{
    THREADS_THROUGH(times, (time));
    enum { TICKS = 100 }; /* a second: those of the kernel for programs */
    const int64_t now = times__read(CLOCK_MONOTONIC, "times", THREADS_CALLER);
    struct tms system;
    const clock_t ticks = (clock_t)threads_real.syscall(SYS_times, &system);
    if (time) *time = system;
    if (now < 0) return ticks;
    if (time) {
        time->tms_utime = (clock_t)(threads_cpu * TICKS);
        time->tms_stime = 0;
    }
    return now / (BILLION / TICKS);
}

THREADS_PUBLIC int getrusage(__rusage_who_t who, struct rusage *usage)
{
    THREADS_THROUGH(getrusage, (who, usage));
    if (!threads_real.syscall) threads_above.prepare();
    const int result = (int)threads_real.syscall(SYS_getrusage, who, usage);
    if (result != 0 || who == RUSAGE_CHILDREN) return result;
    const clockid_t clock = who == RUSAGE_SELF ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
    const int64_t now = times__read(clock, "getrusage", THREADS_CALLER);
    if (now < 0) return result;
    usage->ru_utime = (struct timeval){ .tv_sec = now / BILLION, .tv_usec = now % BILLION / 1000 };
    usage->ru_stime = (struct timeval){ 0, 0 };
    return result;
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
 * MARK: - >>further names
 *===========================================================================*/

/* Names of the C library that old and low-level programs call. */
int __gettimeofday(struct timeval *time, void *zone);
int __clock_gettime(clockid_t clock, struct timespec *time);
int __nanosleep(const struct timespec *time, struct timespec *left);

THREADS_PUBLIC int __gettimeofday(struct timeval *time, void *zone)
{
    if (zone) memset(zone, 0, sizeof(struct timezone));
    return times__day(time, "gettimeofday", THREADS_CALLER);
}

THREADS_PUBLIC int __clock_gettime(clockid_t clock, struct timespec *time)
{
    return times__get(clock, time, "clock_gettime", THREADS_CALLER);
}

THREADS_PUBLIC int __nanosleep(const struct timespec *time, struct timespec *left)
{
    return nanosleep(time, left);
}
