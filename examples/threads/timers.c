/* timers.c - timers on the virtual clock: alarm(), setitimer(), timer_create() and timerfd_create(), by virtual time or by CPU time.
 *
 * A timer has no thread. The thread that has the turn looks whether one has expired: where it leaves a call, on its way through a
 * computation (threads_spend), and in its waits, which end for a moment when the next timer expires. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define BILLION 1000000000
#define NEVER ((double)INFINITY)
#define ROUNDING 1e-12 /* [s]: CPU time is a sum */
#ifndef TFD_IOC_SET_TICKS
#define TFD_IOC_SET_TICKS _IOW('T', 0, uint64_t)
#endif

enum { FIRST_NUMBER = 1 << 24 }; /* of a timer of ours; the kernel's begin at 0 */

typedef enum timers_kind { TIMERS_INTERVAL, TIMERS_CREATED, TIMERS_FILE } timers_kind;

/* A timer counts from `first`; its clock is that of virtual time, or a sum of CPU time. */
typedef struct timers_timer {
    struct timers_timer *next;
    timers_kind kind;
    int number;               /* of an interval, a timer, or a file */
    const double *clock;      /* [s]; NULL: virtual time */
    const threads_thread *of; /* whose CPU time it is; NULL: that of all */
    double first, every;      /* [s]; first = INFINITY: it is not set */
    uint64_t count;           /* how often it has expired */
    clockid_t clockid;
    struct sigevent event;
    int overrun;
    uint64_t ticks; /* not yet read from the file */
} timers_timer;

static timers_timer *all;
static int next_number = FIRST_NUMBER;

/*=============================================================================
 * MARK: - >>all timers
 *===========================================================================*/

static double timers__now(const timers_timer *r)
{
    return r->clock ? *r->clock : threads_now();
}

static double timers__at(const timers_timer *r)
{
    return r->first + (double)r->count * r->every;
}

static timers_timer *timers__find(timers_kind kind, int number)
{
    timers_timer *r = all;
    while (r && (r->kind != kind || r->number != number)) r = r->next;
    return r;
}

static timers_timer *timers__new(timers_kind kind, int number)
{
    timers_timer *r = direct_new(sizeof *r);
    r->kind = kind;
    r->number = number;
    r->first = NEVER;
    r->next = all;
    all = r;
    return r;
}

static void timers__drop(timers_timer *r)
{
    timers_timer **at = &all;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    direct_reallocate(NULL, r, sizeof *r, 0);
}

/* The next one to expire. Threads that wait already are to wake up then, if that is sooner than they know. */
static void timers__next_find(void)
{
    const double before = threads_turn.timer;
    threads_turn.timer = NEVER;
    threads_turn.cpu_timers = 0;
    for (const timers_timer *r = all; r; r = r->next) {
        if (!(r->first < NEVER)) continue;
        if (r->clock)
            ++threads_turn.cpu_timers;
        else
            threads_turn.timer = fmin(threads_turn.timer, timers__at(r));
    }
    for (threads_thread *t = threads_all; t && threads_turn.timer < before; t = t->next_of_all)
        if (t->wait.object && t != threads_self()) threads_notice(t);
}

double threads_timers_left(const threads_thread *t)
{
    double left = NEVER;
    for (const timers_timer *r = all; r; r = r->next)
        if (r->clock && r->first < NEVER && (!r->of || r->of == t))
            left = fmin(left, timers__at(r) - *r->clock - ROUNDING);
    return left;
}

void threads_timers_forget(void)
{
    while (all) timers__drop(all);
    timers__next_find();
}

/*=============================================================================
 * MARK: - >>expiring
 *===========================================================================*/

/* The function of a program that is called in a thread of its own. */
typedef struct timers_function {
    void (*function)(union sigval);
    union sigval value;
} timers_function;

static void *timers__function_call(void *user)
{
    timers_function f = *(timers_function *)user;
    direct_reallocate(NULL, user, sizeof f, 0);
    f.function(f.value);
    return NULL;
}

/* The thread blocks all signals, as that of the C library does. */
static void timers__function_start(const timers_timer *r, threads_thread *t)
{
    timers_function *f = direct_new(sizeof *f);
    const pthread_attr_t *wanted = r->event.sigev_notify_attributes;
    pthread_attr_t own;
    pthread_t thread;
    sigset_t signals, before;
    *f = (timers_function){ r->event.sigev_notify_function, r->event.sigev_value };
    pthread_attr_init(&own);
    sigfillset(&signals);
    threads_unblocked(&signals);
    threads_real.mask(SIG_BLOCK, &signals, &before);
    const int error = threads_make(t, &thread, wanted ? wanted : &own, timers__function_call, f,
                                   (const void *)(uintptr_t)r->event.sigev_notify_function);
    threads_real.mask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&own);
    if (error) threads_die("a timer with SIGEV_THREAD has no thread for its function: %s", strerror(error));
    pthread_detach(thread);
}

static void timers__signal(timers_timer *r, uint64_t times)
{
    siginfo_t info;
    threads_thread *to = NULL;
    memset(&info, 0, sizeof info);
    info.si_signo = r->event.sigev_signo;
    info.si_code = r->kind == TIMERS_CREATED ? SI_TIMER : SI_KERNEL;
    if (r->kind == TIMERS_CREATED) {
        info.si_timerid = r->number;
        info.si_value = r->event.sigev_value;
    }
    if (r->event.sigev_notify == SIGEV_THREAD_ID) {
        for (to = threads_all; to; to = to->next_of_all)
            if (to->task->thread == r->event._sigev_un._tid && !to->ended && !to->gone) break;
        if (!to) return; /* it has ended */
    }
    if (threads_signal_send(to, &info))
        r->overrun = (int)times - 1;
    else
        r->overrun += (int)times;
}

/* A real timerfd becomes readable. Older kernels, and some of today, do not let its ticks be set, but only one tick be waited for. */
static void timers__file(timers_timer *r, uint64_t times)
{
    struct pollfd file = { r->number, POLLIN, 0 };
    if (threads_real.poll(&file, 1, 0) == 0) r->ticks = 0;
    r->ticks += times;
    if (ioctl(r->number, TFD_IOC_SET_TICKS, &r->ticks) != 0) {
        const struct itimerspec soon = { { 0, 0 }, { 0, 1 } };
        if (threads_real.syscall(SYS_timerfd_settime, r->number, 0, &soon, NULL) != 0)
            r->first = NEVER; /* it has been closed */
        else
            threads_real.poll(&file, 1, 100);
    }
    threads_above.outside_wake();
}

void threads_timers_expire(threads_thread *t)
{
    static bool within;
    if (within) return;
    within = true;
    const int error = errno;
    ++t->inside;
    for (timers_timer *r = all; r; r = r->next) {
        const double at = timers__at(r), now = timers__now(r) + (r->clock ? ROUNDING : 0);
        if (!(at <= now)) continue;
        const uint64_t times = r->every > 0 ? 1 + (uint64_t)floor((now - at) / r->every) : 1;
        r->count += times;
        if (!(r->every > 0)) r->first = NEVER, r->count = 0;
        if (r->kind == TIMERS_FILE)
            timers__file(r, times);
        else if (r->event.sigev_notify == SIGEV_THREAD)
            timers__function_start(r, t);
        else if (r->event.sigev_notify != SIGEV_NONE)
            timers__signal(r, times);
    }
    --t->inside;
    timers__next_find();
    errno = error;
    within = false;
}

/*=============================================================================
 * MARK: - >>setting
 *===========================================================================*/

static double timers__seconds(struct timespec time)
{
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct timespec timers__time(double seconds)
{
    const double whole = floor(seconds);
    struct timespec time = { (time_t)whole, (long)(1e9 * (seconds - whole) + 0.5) };
    if (time.tv_nsec >= BILLION) ++time.tv_sec, time.tv_nsec -= BILLION;
    return time;
}

static struct itimerspec timers__get(const timers_timer *r)
{
    struct itimerspec time;
    memset(&time, 0, sizeof time);
    if (!r) return time;
    time.it_interval = timers__time(r->every);
    if (r->first < NEVER) time.it_value = timers__time(fmax(timers__at(r) - timers__now(r), 1e-9));
    return time;
}

/* at: on its clock [s]; INFINITY: never. */
static void timers__set(timers_timer *r, double at, double every)
{
    r->first = at;
    r->every = every;
    r->count = 0;
    timers__next_find();
    if (!threads_timed()) return;
    threads_above.several(); /* a thread that computes without a call is stopped for its timer */
}

static bool timers__set_like(timers_timer *r, clockid_t clock, int absolute, const struct itimerspec *time)
{
    if (!threads_time_valid(&time->it_value) || !threads_time_valid(&time->it_interval) || time->it_value.tv_sec < 0 ||
        time->it_interval.tv_sec < 0)
        return false;
    const double value = timers__seconds(time->it_value);
    double at = NEVER;
    if (value > 0 && absolute)
        at = r->clock ? value : threads_deadline(clock, &time->it_value);
    else if (value > 0)
        at = timers__now(r) + value;
    timers__set(r, at, timers__seconds(time->it_interval));
    return true;
}

/*=============================================================================
 * MARK: - >>intervals
 *===========================================================================*/

static timers_timer *timers__interval(int which)
{
    static const int signals[] = { [ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF };
    timers_timer *r = timers__find(TIMERS_INTERVAL, which);
    if (r) return r;
    r = timers__new(TIMERS_INTERVAL, which);
    r->clock = which == ITIMER_REAL ? NULL : &threads_cpu;
    r->event.sigev_notify = SIGEV_SIGNAL;
    r->event.sigev_signo = signals[which];
    return r;
}

static struct itimerval timers__micro(struct itimerspec time)
{
    const struct itimerval shorter = { { time.it_interval.tv_sec, (time.it_interval.tv_nsec + 999) / 1000 },
                                       { time.it_value.tv_sec, (time.it_value.tv_nsec + 999) / 1000 } };
    return shorter;
}

static bool timers__micro_valid(struct timeval time)
{
    return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1000000;
}

static double timers__interval_set(int which, double seconds, double every, const char *call)
{
    threads_thread *t = threads_begin(call);
    timers_timer *r = timers__interval(which);
    const double left = timers__seconds(timers__get(r).it_value);
    timers__set(r, seconds > 0 ? timers__now(r) + seconds : NEVER, every);
    threads_leave(t);
    return left;
}

/* A call to the C library where there is no run. */
static bool timers__real(void)
{
    if (!threads_real.syscall) threads_above.prepare();
    return !threads_self() || threads_off;
}

THREADS_PUBLIC int setitimer(__itimer_which_t which, const struct itimerval *restrict time,
                             struct itimerval *restrict old)
{
    if (timers__real()) return (int)threads_real.syscall(SYS_setitimer, which, time, old);
    if ((int)which < 0 || which > ITIMER_PROF ||
        (time && !(timers__micro_valid(time->it_value) && timers__micro_valid(time->it_interval))))
        return errno = EINVAL, -1;
    if (old) getitimer(which, old);
    if (!time) return 0;
    timers__interval_set((int)which, (double)time->it_value.tv_sec + 1e-6 * (double)time->it_value.tv_usec,
                         (double)time->it_interval.tv_sec + 1e-6 * (double)time->it_interval.tv_usec, "setitimer");
    return 0;
}

THREADS_PUBLIC int getitimer(__itimer_which_t which, struct itimerval *time)
{
    if (timers__real()) return (int)threads_real.syscall(SYS_getitimer, which, time);
    if ((int)which < 0 || which > ITIMER_PROF) return errno = EINVAL, -1;
    threads_thread *t = threads_begin("getitimer");
    *time = timers__micro(timers__get(timers__interval((int)which)));
    threads_leave(t);
    return 0;
}

/* The rest is rounded as the kernel does, and is not 0. */
THREADS_PUBLIC unsigned alarm(unsigned seconds)
{
    THREADS_THROUGH(alarm, (seconds));
    if (timers__real()) return 0;
    const double left = timers__interval_set(ITIMER_REAL, seconds, 0, "alarm");
    return left > 0 ? (unsigned)fmax(floor(left + 0.5), 1) : 0;
}

THREADS_PUBLIC useconds_t ualarm(useconds_t first, useconds_t every)
{
    THREADS_THROUGH(ualarm, (first, every));
    if (timers__real()) return 0;
    return (useconds_t)ceil(1e6 * timers__interval_set(ITIMER_REAL, 1e-6 * first, 1e-6 * every, "ualarm") - 1e-3);
}

/*=============================================================================
 * MARK: - >>timers
 *===========================================================================*/

static int timers__number(timer_t timer)
{
    return (int)(intptr_t)timer;
}

static timers_timer *timers__created(timer_t timer)
{
    timers_timer *r = timers__find(TIMERS_CREATED, timers__number(timer));
    if (!r) errno = EINVAL;
    return r;
}

/* One that was made before there was a run, or after it. */
static bool timers__foreign(timer_t timer)
{
    return timers__real() || (uintptr_t)timer < FIRST_NUMBER || (uintptr_t)timer > INT32_MAX;
}

/* The C library's function, for one of its own timers. */
#define TIMERS_FOREIGN(name, arguments)                                                                                \
    do {                                                                                                               \
        __typeof__(&name) real;                                                                                        \
        *(void **)(void *)&real = threads_real_function(#name);                                                        \
        return real arguments;                                                                                         \
    } while (0)

THREADS_PUBLIC int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    THREADS_THROUGH(timer_create, (clock, event, timer));
    threads_thread *t = threads_begin("timer_create");
    if (!t) return errno = EAGAIN, -1;
    const double *cpu = threads_cpu_clock(clock, t);
    const int notify = event ? event->sigev_notify : SIGEV_SIGNAL;
    const bool signals = notify == SIGEV_SIGNAL || notify == SIGEV_THREAD_ID;
    int error = !cpu && !threads_clock_runs(clock) ? EINVAL : 0;
    if (!signals && notify != SIGEV_NONE && notify != SIGEV_THREAD) error = EINVAL;
    if (event && signals && (event->sigev_signo < 1 || event->sigev_signo > SIGRTMAX)) error = EINVAL;
    if (error == 0) {
        timers_timer *r = timers__new(TIMERS_CREATED, next_number++);
        r->clock = cpu;
        r->clockid = clock;
        for (const threads_thread *of = threads_all; of && cpu; of = of->next_of_all)
            if (cpu == &of->times.cpu) r->of = of;
        r->event.sigev_signo = SIGALRM;
        r->event.sigev_value.sival_int = r->number;
        if (event) r->event = *event;
        r->event.sigev_notify = notify;
        *timer =
            (timer_t)(intptr_t)r->number; /* NOLINT(performance-no-int-to-ptr): that is how the C library has it, too */
    }
    threads_leave(t);
    if (error) errno = error;
    return error ? -1 : 0;
}

THREADS_PUBLIC int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict time,
                                 struct itimerspec *restrict old)
{
    if (timers__foreign(timer)) TIMERS_FOREIGN(timer_settime, (timer, flags, time, old));
    threads_thread *t = threads_begin("timer_settime");
    timers_timer *r = timers__created(timer);
    bool right = r != NULL;
    const struct itimerspec before = timers__get(r);
    if (right && !timers__set_like(r, r->clockid, flags & TIMER_ABSTIME, time)) {
        right = false;
        errno = EINVAL;
    }
    if (right && old) *old = before;
    threads_leave(t);
    return right ? 0 : -1;
}

THREADS_PUBLIC int timer_gettime(timer_t timer, struct itimerspec *time)
{
    if (timers__foreign(timer)) TIMERS_FOREIGN(timer_gettime, (timer, time));
    threads_thread *t = threads_begin("timer_gettime");
    const timers_timer *r = timers__created(timer);
    if (r) *time = timers__get(r);
    threads_leave(t);
    return r ? 0 : -1;
}

THREADS_PUBLIC int timer_getoverrun(timer_t timer)
{
    if (timers__foreign(timer)) TIMERS_FOREIGN(timer_getoverrun, (timer));
    const timers_timer *r = timers__created(timer);
    return r ? r->overrun : -1;
}

THREADS_PUBLIC int timer_delete(timer_t timer)
{
    if (timers__foreign(timer)) TIMERS_FOREIGN(timer_delete, (timer));
    threads_thread *t = threads_begin("timer_delete");
    timers_timer *r = timers__created(timer);
    const bool found = r != NULL;
    if (r) timers__drop(r);
    timers__next_find();
    threads_leave(t);
    return found ? 0 : -1;
}

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/

/* The clock of a timerfd, as the kernel knows it; -1: the file is none. */
static clockid_t timers__file_clock(int file)
{
    char name[32], text[512];
    snprintf(name, sizeof name, "fdinfo/%d", file);
    direct_about(getpid(), 0, name, text, sizeof text);
    const char *at = strstr(text, "clockid:");
    return at ? (clockid_t)strtol(at + strlen("clockid:"), NULL, 10) : -1;
}

THREADS_PUBLIC int timerfd_create(clockid_t clock, int flags)
{
    if (!threads_real.syscall) threads_above.prepare();
    const int file = (int)threads_real.syscall(SYS_timerfd_create, clock, flags);
    timers_timer *r = file >= 0 && !timers__real() ? timers__find(TIMERS_FILE, file) : NULL;
    if (r) timers__drop(r); /* one of the same number has been closed */
    return file;
}

THREADS_PUBLIC int timerfd_settime(int file, int flags, const struct itimerspec *time, struct itimerspec *old)
{
    const struct itimerspec none = { { 0, 0 }, { 0, 0 } };
    if (timers__real()) return (int)threads_real.syscall(SYS_timerfd_settime, file, flags, time, old);
    if (threads_real.syscall(SYS_timerfd_settime, file, 0, &none, NULL) != 0) return -1;
    const clockid_t clock = timers__file_clock(file);
    threads_thread *t = threads_begin("timerfd_settime");
    timers_timer *r = timers__find(TIMERS_FILE, file);
    if (!r) r = timers__new(TIMERS_FILE, file);
    const struct itimerspec before = timers__get(r);
    const bool right = clock >= 0 && timers__set_like(r, clock, flags & TFD_TIMER_ABSTIME, time);
    r->ticks = 0;
    if (right && old) *old = before;
    threads_leave(t);
    if (!right) errno = EINVAL;
    return right ? 0 : -1;
}

THREADS_PUBLIC int timerfd_gettime(int file, struct itimerspec *time)
{
    const timers_timer *r = timers__real() ? NULL : timers__find(TIMERS_FILE, file);
    if (!r) return (int)threads_real.syscall(SYS_timerfd_gettime, file, time);
    threads_thread *t = threads_begin("timerfd_gettime");
    *time = timers__get(r);
    threads_leave(t);
    return 0;
}
