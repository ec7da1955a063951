/* signals.c - calls about signals: to a thread, to the process, waits for them, and masks. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEVER ((double)INFINITY)

/*=============================================================================
 * MARK: - >>sending
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

THREADS_PUBLIC int tgkill(pid_t process, pid_t thread, int signal)
{
    if (!threads_real.syscall) threads_above.prepare();
    const bool ours = process == getpid() && threads_self() && !threads_off;
    for (threads_thread *t = threads_all; t && ours; t = t->next_of_all) {
        if (t->task->thread != thread || t->ended || t->gone) continue;
        const int error = pthread_kill(t->pthread, signal);
        if (error) errno = error;
        return error ? -1 : 0;
    }
    return (int)threads_real.syscall(SYS_tgkill, process, thread, signal);
}

/* A signal to the process itself goes to a thread that waits for it, or whose wait it ends. */
THREADS_PUBLIC int kill(pid_t process, int signal)
{
    if (process == getpid() && signal > 0 && signal <= 64 && !threads_off) {
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

/*=============================================================================
 * MARK: - >>waiting
 *===========================================================================*/

static uint64_t signals__bits(const sigset_t *set)
{
    uint64_t bits = 0;
    for (int i = 1; i <= 64; ++i)
        if (sigismember(set, i) == 1) bits |= UINT64_C(1) << (i - 1);
    return bits;
}

/* A signal of the set; 0: the time is over. */
static int signals__wait(const sigset_t *set, siginfo_t *info, double seconds, const char *call)
{
    const struct timespec none = { 0, 0 };
    threads_thread *t = threads_begin(call);
    /* Of a rank with one thread, the signal comes from outside. */
    int signal = threads_real.sigtimedwait(set, info,
                                           threads_rank && threads_turn.alive < 2 && !(seconds < NEVER) ? NULL : &none);
    if (!t || signal > 0) {
        threads_leave(t);
        return signal > 0 ? signal : 0;
    }
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) {
        threads_cancel_now(t);
        t = threads_begin(call);
    }
    t->signals.awaited = signals__bits(set);
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
    THREADS_THROUGH(sigwait, (set, signal));
    *signal = signals__wait(set, NULL, NEVER, "sigwait");
    return 0;
}

THREADS_PUBLIC int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    THREADS_THROUGH(sigwaitinfo, (set, info));
    return signals__wait(set, info, NEVER, "sigwaitinfo");
}

THREADS_PUBLIC int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                                const struct timespec *restrict time)
{
    THREADS_THROUGH(sigtimedwait, (set, info, time));
    if (!threads_time_valid(time)) return errno = EINVAL, -1;
    const int signal = signals__wait(set, info, (double)time->tv_sec + 1e-9 * (double)time->tv_nsec, "sigtimedwait");
    return signal ? signal : (errno = EAGAIN, -1);
}

/*=============================================================================
 * MARK: - >>masks
 *===========================================================================*/

static const sigset_t *signals__unblocked(const sigset_t *set, sigset_t *copy)
{
    if (!set) return NULL;
    *copy = *set;
    threads_unblocked(copy);
    return copy;
}

THREADS_PUBLIC int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t copy;
    if (!threads_real.mask) threads_above.prepare();
    return threads_real.mask(how, how == SIG_UNBLOCK ? set : signals__unblocked(set, &copy), old);
}

THREADS_PUBLIC int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    const int error = pthread_sigmask(how, set, old);
    if (error) errno = error;
    return error ? -1 : 0;
}

/*=============================================================================
 * MARK: - >>actions
 *===========================================================================*/

/* While system calls are trapped (trap.c), SIGSYS has a handler of ours. The action that the program wants for it is
 * kept, for signals of that number that have another cause. */

struct sigaction threads_sigsys;

THREADS_PUBLIC int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict old)
{
    struct sigaction wanted;
    if (!threads_real.sigaction) threads_above.prepare();
    if (action) {
        wanted = *action;
        sigdelset(&wanted.sa_mask, SIGSYS);
    }
    if (signal != SIGSYS || !threads_turn.trapping) return threads_real.sigaction(signal, action ? &wanted : NULL, old);
    if (old) *old = threads_sigsys;
    if (action) threads_sigsys = wanted;
    return 0;
}

THREADS_PUBLIC __sighandler_t signal(int signal, __sighandler_t handler)
{
    static __sighandler_t (*real)(int, __sighandler_t);
    if (signal == SIGSYS && threads_turn.trapping) {
        const __sighandler_t before = threads_sigsys.sa_handler;
        memset(&threads_sigsys, 0, sizeof threads_sigsys);
        threads_sigsys.sa_handler = handler;
        return before;
    }
    if (!real) *(void **)(void *)&real = dlsym(RTLD_NEXT, "signal");
    return real(signal, handler);
}
