/* signals.c - calls about signals: to a thread, to the process, waits for them, and masks. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEVER ((double)INFINITY)

/*=============================================================================
 * MARK: - >>sending
 *===========================================================================*/

static uint64_t signals__bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

static bool signals__waits_for(const threads_thread *t, int signal)
{
    return t->wait.object && t->wait.object->kind == THREADS_SIGNAL && t->signals.awaited & signals__bit(signal);
}

/* Of a thread that waits for files, the set that the kernel has is not that of the program. */
static bool signals__blocked(const threads_thread *t, int signal)
{
    sigset_t set;
    if (threads_files_mask(t)) return sigismember(threads_files_mask(t), signal) == 1;
    if (t == threads_self()) {
        threads_real.mask(SIG_BLOCK, NULL, &set);
        return sigismember(&set, signal) == 1;
    }
    char text[2048];
    direct_about(getpid(), t->task->thread, "status", text, sizeof text);
    const char *at = strstr(text, "SigBlk:");
    return at && strtoull(at + strlen("SigBlk:"), NULL, 16) & signals__bit(signal);
}

static bool signals__handled(int signal, struct sigaction *action)
{
    return threads_real.sigaction(signal, NULL, action) == 0 && action->sa_handler != SIG_DFL &&
           action->sa_handler != SIG_IGN;
}

/* The thread to which a signal to the process goes: one that waits for it, else the first one that does not block it. */
static threads_thread *signals__receiver(int signal)
{
    threads_thread *first = NULL;
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        if (!t->ended && !t->gone && signals__waits_for(t, signal)) return t;
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        if (!t->ended && !t->gone && (!first || t->number < first->number) && !signals__blocked(t, signal)) first = t;
    return first;
}

/* The kernel keeps it: for a thread, or for the process. */
static bool signals__hand_over(const threads_thread *to, const siginfo_t *info)
{
    sigset_t pending;
    const bool more = sigpending(&pending) != 0 || sigismember(&pending, info->si_signo) != 1;
    if (!more && (info->si_signo < SIGRTMIN || info->si_code == SI_TIMER)) return false;
    const bool queued = info->si_code == SI_QUEUE || info->si_code == SI_TIMER; /* the kernel makes others by itself */
    if (to && queued)
        threads_real.syscall(SYS_rt_tgsigqueueinfo, getpid(), to->task->thread, info->si_signo, info);
    else if (to)
        threads_real.kill(to->pthread, info->si_signo);
    else if (queued)
        threads_real.syscall(SYS_rt_sigqueueinfo, getpid(), info->si_signo, info);
    else
        threads_real.kill_process(getpid(), info->si_signo);
    threads_above.outside_wake(); /* somebody may wait for a signalfd */
    return true;
}

static bool signals__note(threads_thread *to, const siginfo_t *info)
{
    threads_signal **at = &to->signals.first;
    for (; *at; at = &(*at)->next) {
        siginfo_t *before = &(*at)->info;
        if (before->si_signo != info->si_signo) continue;
        if (info->si_signo < SIGRTMIN) return false;
        if (info->si_code == SI_TIMER && before->si_code == SI_TIMER && before->si_timerid == info->si_timerid)
            return false;
    }
    *at = direct_new(sizeof **at);
    (*at)->info = *info;
    to->signals.sent |= signals__bit(info->si_signo);
    return true;
}

/* A call that a signal does not interrupt goes on after its handler (SA_RESTART); with a time limit, it does not. */
static bool signals__ends_wait(const threads_thread *t, const struct sigaction *action)
{
    const threads_kind kind = t->wait.object->kind;
    const bool restarts = (kind == THREADS_SEMAPHORE || kind == THREADS_FUTEX) && !(t->wait.until < NEVER) &&
                          action->sa_flags & SA_RESTART;
    return t->wait.interruptible && !restarts;
}

bool threads_signal_send(threads_thread *to, const siginfo_t *info)
{
    const int signal = info->si_signo;
    threads_thread *t = to ? to : signals__receiver(signal);
    struct sigaction action;
    if (t && signals__waits_for(t, signal)) {
        const bool more = signals__note(t, info);
        threads_wake(t, THREADS_SIGNALLED);
        return more;
    }
    /* One that nobody handles is the kernel's: it has no effect, waits, or ends the process. */
    if (!t || !signals__handled(signal, &action) || signals__blocked(t, signal)) return signals__hand_over(to, info);
    if (!signals__note(t, info)) return false;
    if (t->wait.object && signals__ends_wait(t, &action))
        threads_wake(t, THREADS_SIGNALLED);
    else if (t->wait.object)
        threads_notice(t);
    return true;
}

static siginfo_t signals__info(int signal, int code)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = signal;
    info.si_code = code;
    info.si_pid = getpid();
    info.si_uid = getuid();
    return info;
}

static bool signals__ours(pid_t process)
{
    return process == getpid() && threads_self() && !threads_off;
}

static int signals__failed(int error)
{
    if (error) errno = error;
    return error ? -1 : 0;
}

static int signals__to_thread(pthread_t thread, const siginfo_t *info, const char *call)
{
    threads_thread *t = threads_begin(call);
    if (!t) return threads_real.kill(thread, info->si_signo);
    threads_thread *other = threads_find(thread);
    const int error = !other ? ESRCH : info->si_signo < 0 || info->si_signo > SIGRTMAX ? EINVAL : 0;
    if (error == 0 && !other->ended) {
        if (info->si_signo > 0)
            threads_signal_send(other, info);
        else
            threads_poll(); /* it is still there */
    }
    threads_leave(t);
    return error;
}

/* A signal to another thread is handled when that thread has the turn. */
THREADS_PUBLIC int pthread_kill(pthread_t thread, int signal)
{
    THREADS_THROUGH(pthread_kill, (thread, signal));
    const siginfo_t info = signals__info(signal, SI_TKILL);
    return signals__to_thread(thread, &info, "pthread_kill");
}

THREADS_PUBLIC int pthread_sigqueue(pthread_t thread, int signal, const union sigval value)
{
    THREADS_THROUGH(pthread_sigqueue, (thread, signal, value));
    siginfo_t info = signals__info(signal, SI_QUEUE);
    info.si_value = value;
    return signals__to_thread(thread, &info, "pthread_sigqueue");
}

THREADS_PUBLIC int tgkill(pid_t process, pid_t thread, int signal)
{
    if (!threads_real.syscall) threads_above.prepare();
    for (threads_thread *t = threads_all; t && signals__ours(process); t = t->next_of_all)
        if (t->task->thread == thread && !t->ended && !t->gone)
            return signals__failed(pthread_kill(t->pthread, signal));
    return (int)threads_real.syscall(SYS_tgkill, process, thread, signal);
}

static int signals__to_process(const siginfo_t *info, const char *call)
{
    threads_thread *t = threads_begin(call);
    threads_signal_send(NULL, info);
    threads_leave(t);
    return 0;
}

int threads_signal_queue(pid_t process, pid_t thread, const siginfo_t *info)
{
    const bool right = info->si_signo > 0 && info->si_signo <= SIGRTMAX;
    if (right && thread == 0 && signals__ours(process)) return signals__to_process(info, "rt_sigqueueinfo");
    for (threads_thread *t = threads_all; right && t && signals__ours(process); t = t->next_of_all)
        if (t->task->thread == thread && !t->ended && !t->gone)
            return signals__failed(signals__to_thread(t->pthread, info, "rt_tgsigqueueinfo"));
    return thread == 0 ? (int)threads_real.syscall(SYS_rt_sigqueueinfo, process, info->si_signo, info)
                       : (int)threads_real.syscall(SYS_rt_tgsigqueueinfo, process, thread, info->si_signo, info);
}

/* To a group of processes. This one gets it on the virtual clock, and not from the kernel. */
static int signals__to_group(pid_t group, int signal)
{
    struct sigaction action, ignored;
    const siginfo_t info = signals__info(signal, SI_USER);
    if (!signals__handled(signal, &action)) return threads_real.kill_process(group, signal);
    memset(&ignored, 0, sizeof ignored);
    ignored.sa_handler = SIG_IGN;
    threads_real.sigaction(signal, &ignored, NULL);
    const int result = threads_real.kill_process(group, signal), error = errno;
    threads_real.sigaction(signal, &action, NULL);
    if (result == 0) signals__to_process(&info, "killpg");
    errno = error;
    return result;
}

THREADS_PUBLIC int kill(pid_t process, int signal)
{
    THREADS_THROUGH(kill, (process, signal));
    if (!threads_real.kill_process) threads_above.prepare();
    const siginfo_t info = signals__info(signal, SI_USER);
    if (signal <= 0 || signal > SIGRTMAX || !signals__ours(getpid())) return threads_real.kill_process(process, signal);
    if (process == getpid()) return signals__to_process(&info, "kill");
    if (process == 0 || process == -getpgrp()) return signals__to_group(process, signal);
    return threads_real.kill_process(process, signal);
}

THREADS_PUBLIC int killpg(pid_t group, int signal)
{
    if (group < 0) return errno = EINVAL, -1;
    return kill(-group, signal);
}

THREADS_PUBLIC int sigqueue(pid_t process, int signal, const union sigval value)
{
    THREADS_THROUGH(sigqueue, (process, signal, value));
    if (!threads_real.syscall) threads_above.prepare();
    siginfo_t info = signals__info(signal, SI_QUEUE);
    info.si_value = value;
    return threads_signal_queue(process, 0, &info);
}

/*=============================================================================
 * MARK: - >>waiting
 *===========================================================================*/

static uint64_t signals__bits(const sigset_t *set)
{
    uint64_t bits = 0;
    for (int i = 1; i <= 64; ++i)
        if (sigismember(set, i) == 1) bits |= signals__bit(i);
    return bits;
}

/* A signal that was sent to a thread. Of one from outside only the number is known. */
static siginfo_t signals__take(threads_thread *t, int signal)
{
    siginfo_t info = signals__info(signal, SI_USER);
    threads_signal **at = &t->signals.first, *found;
    while (*at && (*at)->info.si_signo != signal) at = &(*at)->next;
    t->signals.sent &= ~signals__bit(signal);
    found = *at;
    if (!found) return info;
    info = found->info;
    *at = found->next;
    direct_reallocate(NULL, found, sizeof *found, 0);
    for (const threads_signal *s = t->signals.first; s; s = s->next)
        if (s->info.si_signo == signal) t->signals.sent |= signals__bit(signal);
    return info;
}

/* A signal of the set; 0: the time is over. */
static int signals__wait(const sigset_t *set, siginfo_t *info, double seconds, const char *call)
{
    const struct timespec none = { 0, 0 };
    threads_thread *t = threads_begin(call);
    /* Of a rank with one thread, the signal comes from outside. */
    int signal = threads_real.sigtimedwait(
        set, info, threads_rank && threads_turn.alive < 2 && !threads_timed() && !(seconds < NEVER) ? NULL : &none);
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
    t->signals.awaited = 0;
    if (signal) {
        const siginfo_t taken = signals__take(t, signal);
        if (info) *info = taken;
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

int __xpg_sigpause(int signal);
int signals__pause_old(int mask) __asm__("sigpause");

/* Without a signal of the mask that the thread has. */
THREADS_PUBLIC int __xpg_sigpause(int signal)
{
    sigset_t set;
    if (!threads_real.mask) threads_above.prepare();
    threads_real.mask(SIG_BLOCK, NULL, &set);
    return sigdelset(&set, signal) == 0 ? sigsuspend(&set) : -1;
}

/* That of BSD, with the bits of a mask. */
THREADS_PUBLIC int signals__pause_old(int mask)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 1; i <= 32; ++i)
        if ((unsigned)mask >> (i - 1) & 1) sigaddset(&set, i);
    return sigsuspend(&set);
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
