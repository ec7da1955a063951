/* threads.c - creating, joining, cancelling, signals, and how many processors there are. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define NEVER ((double)INFINITY)

/*=============================================================================
 * MARK: - >>creating and joining
 *===========================================================================*/

THREADS_PUBLIC int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                                  void *(*body)(void *), void *restrict argument)
{
    threads_thread *t = threads_begin("pthread_create");
    if (!t) return EAGAIN;
    const int error = threads_make(t, thread, attributes, body, argument, (const void *)(uintptr_t)body);
    threads_leave(t);
    return error;
}

static int threads__join(pthread_t thread, void **result, double deadline, bool try, const char *call)
{
    threads_thread *t = threads_begin(call);
    if (!t) { /* a library joins its threads when the program has ended */
        if (result) *result = NULL;
        return 0;
    }
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) {
        threads_cancel_now(t);
        t = threads_begin(call);
    }
    threads_thread *other = threads_find(thread);
    int error = 0;
    if (!other || other->joined)
        error = ESRCH;
    else if (!other->detached && (other == t || t->joiner == other))
        error = EDEADLK;
    else if (other->detached || other->joiner)
        error = EINVAL;
    else if (!other->ended && try) {
        error = EBUSY;
        threads_poll();
    } else if (!other->ended) {
        threads_object *o = threads_object_of(THREADS_JOIN, NULL);
        if (deadline <= threads_now()) {
            error = ETIMEDOUT;
            threads_poll();
        } else {
            other->joiner = t;
            threads_object_sited(t, o, NULL);
            const threads_end end = threads_wait(t, o, deadline, true);
            other->joiner = NULL;
            if (end == THREADS_CANCELLED) {
                threads_cancel_now(t);
                return 0;
            }
            if (end == THREADS_TIMED_OUT) error = ETIMEDOUT;
        }
    }
    if (error == 0) {
        other->joined = true;
        threads_real.join(thread, result); /* it has ended, or does in a moment */
        threads_drop(other);
    }
    threads_leave(t);
    return error;
}

THREADS_PUBLIC int pthread_join(pthread_t thread, void **result)
{
    return threads__join(thread, result, NEVER, false, "pthread_join");
}

THREADS_PUBLIC int pthread_tryjoin_np(pthread_t thread, void **result)
{
    return threads__join(thread, result, NEVER, true, "pthread_tryjoin_np");
}

THREADS_PUBLIC int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *time)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
    return threads__join(thread, result, time ? threads_deadline(clock, time) : NEVER, false, "pthread_clockjoin_np");
}

THREADS_PUBLIC int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *time)
{
    return threads__join(thread, result, time ? threads_deadline(CLOCK_REALTIME, time) : NEVER, false,
                         "pthread_timedjoin_np");
}

THREADS_PUBLIC int pthread_detach(pthread_t thread)
{
    threads_thread *t = threads_begin("pthread_detach");
    if (!t) return 0;
    threads_thread *other = threads_find(thread);
    const int error = !other || other->joined ? ESRCH : other->detached ? EINVAL : threads_real.detach(thread);
    if (error == 0) {
        other->detached = true;
        if (other->ended) threads_drop(other);
    }
    threads_leave(t);
    return error;
}

THREADS_PUBLIC void pthread_exit(void *result)
{
    threads_leave(threads_begin("pthread_exit"));
    threads_real.exit(result);
    abort();
}

THREADS_PUBLIC int sched_yield(void)
{
    threads_thread *t = threads_begin("sched_yield");
    if (t) threads_poll();
    threads_leave(t);
    return 0;
}

/*=============================================================================
 * MARK: - >>cancelling
 *===========================================================================*/

THREADS_PUBLIC int pthread_cancel(pthread_t thread)
{
    threads_thread *t = threads_begin("pthread_cancel");
    if (!t) return 0;
    threads_thread *other = threads_find(thread);
    int error = ESRCH;
    if (other && other->ended) {
        error = 0;
    } else if (other) {
        error = threads_real.cancel(thread);
        other->cancel.asked = true;
        if (other->wait.object && (other->wait.cancellable || other->cancel.type == PTHREAD_CANCEL_ASYNCHRONOUS) &&
            other->cancel.state == PTHREAD_CANCEL_ENABLE)
            threads_wake(other, THREADS_CANCELLED);
    }
    threads_leave(t);
    return error;
}

THREADS_PUBLIC int pthread_setcancelstate(int state, int *old)
{
    threads_thread *t = threads_enter("pthread_setcancelstate");
    const int error = threads_real.setcancelstate(state, old);
    if (t && error == 0) t->cancel.state = state;
    threads_leave(t);
    return error;
}

/* The C library never learns of asynchronous cancellation: a thread is cancelled where it leaves a call, or has
 * computed for a quantum. */
THREADS_PUBLIC int pthread_setcanceltype(int type, int *old)
{
    threads_thread *t = threads_enter("pthread_setcanceltype");
    if (!t) return threads_real.setcanceltype(type, old);
    const int error = type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS ? EINVAL : 0;
    if (old) *old = t->cancel.type;
    if (error == 0) t->cancel.type = type;
    threads_leave(t);
    return error;
}

THREADS_PUBLIC void pthread_testcancel(void)
{
    threads_leave(threads_begin("pthread_testcancel"));
    threads_real.testcancel();
}

/*=============================================================================
 * MARK: - >>signals
 *===========================================================================*/

/* A signal to another thread is handled when that thread has the turn. */
THREADS_PUBLIC int pthread_kill(pthread_t thread, int signal)
{
    threads_thread *t = threads_begin("pthread_kill");
    if (!t) return threads_real.kill(thread, signal);
    threads_thread *other = threads_find(thread);
    int error = 0;
    if (!other) {
        error = ESRCH;
    } else if (signal < 0 || signal > 64) {
        error = EINVAL;
    } else if (signal != 0 && !other->ended) {
        other->signals.sent |= UINT64_C(1) << (signal - 1);
        if (other->wait.object && (other->wait.interruptible || other->signals.awaited & other->signals.sent))
            threads_wake(other, THREADS_SIGNALLED);
    }
    if (error == 0 && signal == 0 && !other->ended) threads_poll(); /* it is still there */
    threads_leave(t);
    return error;
}

static uint64_t threads__bits(const sigset_t *set)
{
    uint64_t bits = 0;
    for (int i = 1; i <= 64; ++i)
        if (sigismember(set, i) == 1) bits |= UINT64_C(1) << (i - 1);
    return bits;
}

/* When nothing else can happen: a signal from outside of the process. */
bool threads_signal_await(bool wait)
{
    const struct timespec none = { 0, 0 };
    sigset_t all;
    bool any = false;
    sigemptyset(&all);
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        for (int i = 1; i <= 64 && t->wait.object && t->wait.object->kind == THREADS_SIGNAL; ++i)
            if (t->signals.awaited >> (i - 1) & 1) sigaddset(&all, i), any = true;
    if (!any) return false;
    int signal;
    do signal = threads_real.sigtimedwait(&all, NULL, wait ? NULL : &none);
    while (signal < 0 && errno == EINTR);
    for (threads_thread *t = threads_all; t && signal > 0; t = t->next_of_all)
        if (t->wait.object && t->wait.object->kind == THREADS_SIGNAL && t->signals.awaited >> (signal - 1) & 1) {
            t->signals.sent |= UINT64_C(1) << (signal - 1);
            threads_wake(t, THREADS_SIGNALLED);
            break;
        }
    return signal > 0;
}

/* A signal of the set; 0: the time is over. */
static int threads__signal_wait(const sigset_t *set, siginfo_t *info, double seconds, const char *call)
{
    const struct timespec none = { 0, 0 };
    threads_thread *t = threads_begin(call);
    int signal = threads_real.sigtimedwait(set, info, &none);
    if (!t || signal > 0) {
        threads_leave(t);
        return signal > 0 ? signal : 0;
    }
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) {
        threads_cancel_now(t);
        t = threads_begin(call);
    }
    t->signals.awaited = threads__bits(set);
    if (!(t->signals.sent & t->signals.awaited) && !(seconds > 0)) threads_poll();
    if (!(t->signals.sent & t->signals.awaited) && seconds > 0) {
        const threads_end end = threads_wait(t, threads_object_of(THREADS_SIGNAL, NULL), threads_now() + seconds, true);
        if (end == THREADS_CANCELLED) {
            t->signals.awaited = 0;
            threads_cancel_now(t);
            return 0;
        }
    }
    signal = t->signals.sent & t->signals.awaited ? __builtin_ctzll(t->signals.sent & t->signals.awaited) + 1 : 0;
    if (signal) t->signals.sent &= ~(UINT64_C(1) << (signal - 1));
    t->signals.awaited = 0;
    if (info && signal) {
        memset(info, 0, sizeof *info);
        info->si_signo = signal;
    }
    threads_leave(t);
    return signal;
}

THREADS_PUBLIC int sigwait(const sigset_t *restrict set, int *restrict signal)
{
    *signal = threads__signal_wait(set, NULL, NEVER, "sigwait");
    return 0;
}

THREADS_PUBLIC int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return threads__signal_wait(set, info, NEVER, "sigwaitinfo");
}

THREADS_PUBLIC int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                                const struct timespec *restrict time)
{
    if (!threads_time_valid(time)) return errno = EINVAL, -1;
    const int signal =
        threads__signal_wait(set, info, (double)time->tv_sec + 1e-9 * (double)time->tv_nsec, "sigtimedwait");
    return signal ? signal : (errno = EAGAIN, -1);
}

/* A signal to the process itself goes to a thread that waits for it, or whose wait it ends. */
THREADS_PUBLIC int kill(pid_t process, int signal)
{
    if (process == getpid() && signal > 0 && signal <= 64 && !threads_off()) {
        threads_thread *t = threads_begin("kill");
        for (threads_thread *other = threads_all; t && other; other = other->next_of_all)
            if (other->wait.object && other->wait.object->kind == THREADS_SIGNAL &&
                other->signals.awaited >> (signal - 1) & 1) {
                other->signals.sent |= UINT64_C(1) << (signal - 1);
                threads_wake(other, THREADS_SIGNALLED);
                threads_leave(t);
                return 0;
            }
        threads_thread *first = NULL;
        for (threads_thread *other = threads_all; t && other; other = other->next_of_all)
            if (threads_files_interrupted_by(other, signal)) first = other;
        if (first) {
            first->signals.sent |= UINT64_C(1) << (signal - 1);
            threads_wake(first, THREADS_SIGNALLED);
            threads_leave(t);
            return 0;
        }
        threads_leave(t);
    }
    return threads_real.kill_process(process, signal);
}

static const sigset_t *threads__without_notice(const sigset_t *set, sigset_t *copy)
{
    if (!set) return NULL;
    *copy = *set;
    sigdelset(copy, THREADS_NOTICE);
    return copy;
}

THREADS_PUBLIC int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t copy;
    if (!threads_real.mask) threads_prepare();
    return threads_real.mask(how, how == SIG_UNBLOCK ? set : threads__without_notice(set, &copy), old);
}

THREADS_PUBLIC int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    const int error = pthread_sigmask(how, set, old);
    if (error) errno = error;
    return error ? -1 : 0;
}

/*=============================================================================
 * MARK: - >>names
 *===========================================================================*/

THREADS_PUBLIC int pthread_setname_np(pthread_t thread, const char *name)
{
    threads_thread *t = threads_enter("pthread_setname_np");
    const int error = threads_real.setname(thread, name);
    threads_thread *other = t ? threads_find(thread) : NULL;
    if (other && error == 0) snprintf(other->name, sizeof other->name, "%s", name);
    threads_leave(t);
    return error;
}

/*=============================================================================
 * MARK: - >>processors
 *===========================================================================*/

THREADS_PUBLIC long sysconf(int name)
{
    if (!threads_real.sysconf) threads_prepare();
    return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? (long)threads_cores
                                                                        : threads_real.sysconf(name);
}

THREADS_PUBLIC int get_nprocs(void)
{
    return (int)threads_cores;
}

THREADS_PUBLIC int get_nprocs_conf(void)
{
    return (int)threads_cores;
}

THREADS_PUBLIC int sched_getcpu(void)
{
    const threads_thread *t = threads_self();
    return t ? (int)(t->number % threads_cores) : 0;
}

/* Cores that a thread asked for. The virtual clock shares all cores among all threads. */
static int threads__affinity_get(const threads_thread *t, size_t bytes, cpu_set_t *set)
{
    if (bytes % sizeof(unsigned long) != 0 || 8 * bytes < threads_cores) return EINVAL;
    memset(set, 0, bytes);
    for (unsigned i = 0; i < threads_cores; ++i)
        if (!t || !t->affinity.chosen || CPU_ISSET(i, &t->affinity.cores)) CPU_SET_S(i, bytes, set);
    return 0;
}

/* Programs linked before glibc 2.3.4 do not say how large their set is: it stands where its size should. No set is
 * so large. */
static void threads__affinity_old(size_t *bytes, const cpu_set_t **set)
{
    if (*bytes <= (size_t)1 << 20) return;
    *set = (const cpu_set_t *)*bytes;
    *bytes = sizeof(cpu_set_t);
}

static int threads__affinity_set(threads_thread *t, size_t bytes, const cpu_set_t *set)
{
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (unsigned i = 0; i < threads_cores; ++i)
        if (CPU_ISSET_S(i, bytes, set)) CPU_SET(i, &wanted);
    if (CPU_COUNT(&wanted) == 0) return EINVAL;
    if (!t) return 0;
    t->affinity.chosen = true;
    t->affinity.cores = wanted;
    return 0;
}

static threads_thread *threads__process(pid_t process)
{
    if (process == 0) return threads_self();
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        if (t->tid == process) return t;
    return NULL;
}

THREADS_PUBLIC int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    const cpu_set_t *place = set;
    threads__affinity_old(&bytes, &place);
    const int error = threads__affinity_get(threads__process(process), bytes, (cpu_set_t *)(uintptr_t)place);
    if (error) errno = error;
    return error ? -1 : 0;
}

THREADS_PUBLIC int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set)
{
    threads__affinity_old(&bytes, &set);
    const int error = threads__affinity_set(threads__process(process), bytes, set);
    if (error) errno = error;
    return error ? -1 : 0;
}

/* The OpenMP of clang learns from the kernel how many processors there are. The kernel answers with the bytes that
 * it wrote, and with EFAULT where there is no set. */
long threads_affinity(long number, const long *arguments)
{
    threads_thread *t = threads__process((pid_t)arguments[0]);
    const size_t bytes = (size_t)arguments[1], used = (threads_cores + 63) / 64 * sizeof(uint64_t);
    cpu_set_t *set = (cpu_set_t *)(uintptr_t)arguments[2];
    int error = EFAULT;
    if (set)
        error = number == SYS_sched_getaffinity ? threads__affinity_get(t, bytes, set)
                                                : threads__affinity_set(t, bytes, set);
    if (error) errno = error;
    return error ? -1 : number == SYS_sched_getaffinity ? (long)(bytes < used ? bytes : used) : 0;
}

THREADS_PUBLIC int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t *set)
{
    const threads_thread *t = threads_find(thread);
    const cpu_set_t *place = set;
    threads__affinity_old(&bytes, &place);
    return t ? threads__affinity_get(t, bytes, (cpu_set_t *)(uintptr_t)place) : ESRCH;
}

THREADS_PUBLIC int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
    threads_thread *t = threads_find(thread);
    threads__affinity_old(&bytes, &set);
    return t ? threads__affinity_set(t, bytes, set) : ESRCH;
}

/*=============================================================================
 * MARK: - >>locks of stdio
 *===========================================================================*/

/* A thread that holds one is not preempted. */

static void (*threads__stdio(const char *name))(FILE *)
{
    void (*function)(FILE *);
    *(void **)(void *)&function = dlsym(RTLD_NEXT, name);
    return function;
}

THREADS_PUBLIC void flockfile(FILE *file)
{
    static void (*real)(FILE *);
    if (!real) real = threads__stdio("flockfile");
    if (threads_self()) ++threads_self()->held;
    real(file);
}

THREADS_PUBLIC void funlockfile(FILE *file)
{
    static void (*real)(FILE *);
    if (!real) real = threads__stdio("funlockfile");
    real(file);
    if (threads_self()) --threads_self()->held;
}

/*=============================================================================
 * MARK: - >>ending
 *===========================================================================*/

THREADS_PUBLIC void _exit(int status)
{
    threads_finish();
    if (!threads_real.end) threads_prepare();
    threads_real.end(status);
    abort();
}

THREADS_PUBLIC void _Exit(int status)
{
    _exit(status);
}

THREADS_PUBLIC void quick_exit(int status)
{
    void (*real)(int);
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "quick_exit");
    threads_finish();
    if (real) real(status);
    _exit(status);
}
