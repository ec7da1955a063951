/* watch.c - the thread that watches the one that has the turn: it stops a thread that computes for a quantum without a
 * call, and says so if a thread waits in the kernel, where the virtual clock does not see it. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PATIENCE 3.0 /* [s] */
#define SPINNING 1.0 /* [s] of CPU time without a call, where no times are measured */

#define QUANTUM_LEAST 0.3e-3 /* [s] */
/* Factors of the quantum. It stays about the same if threads wait in 28 % of quanta. */
#define SHRINKS 0.7
#define GROWS 1.15

enum { MOST_LIBRARIES = 16, LOOKS = 300 };

threads_watch_state threads_watch;

static struct {
    uintptr_t from, to;
} untouched[MOST_LIBRARIES]; /* code that may hold locks of its own: the C library and the like */
static int untouched_count;

/*=============================================================================
 * MARK: - >>preemption
 *===========================================================================*/

static uintptr_t watch__place(const void *context)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)c->uc_mcontext.pc;
#else
    (void)c;
    return 0;
#endif
}

bool threads_watch_untouched(uintptr_t place)
{
    for (int i = 0; i < untouched_count; ++i)
        if (place >= untouched[i].from && place < untouched[i].to) return true;
    return false;
}

/* A number that stands for the contents of the registers, but for the place. Whatever computes changes it; 0: unknown. */
static uint64_t watch__registers(const void *context)
{
    const ucontext_t *c = context;
    uint64_t hash = 0;
#if defined(__x86_64__)
    for (int i = REG_R8; i <= REG_RSP; ++i) hash = (hash ^ (uint64_t)c->uc_mcontext.gregs[i]) * UINT64_C(0x100000001b3);
#elif defined(__aarch64__)
    for (int i = 0; i < 31; ++i) hash = (hash ^ c->uc_mcontext.regs[i]) * UINT64_C(0x100000001b3);
#else
    (void)c;
#endif
    return hash;
}

/* True if all threads that can go on spin. */
static bool watch__all_spin(void)
{
    for (const threads_thread *t = threads_all; t; t = t->next_of_all) {
        if (t->ended || t->gone || t->looking.spins) continue;
        if (!t->wait.object || t->wait.until < (double)INFINITY || t->wait.files) return false;
    }
    return true;
}

/* True if a thread that has computed for a quantum has in its registers what it had at the end of an earlier one, with no call since. */
static bool watch__again(threads_thread *t, uint64_t registers)
{
    if (!registers) return false;
    for (unsigned i = 0; i < THREADS_STATES; ++i)
        if (t->looking.registers[i] == registers) return true;
    t->looking.registers[t->looking.next++ % THREADS_STATES] = registers;
    return false;
}

/* The thread has computed for a quantum and has nothing new in its registers: it waits for a change by another one. */
static void watch__spinning(threads_thread *t, uintptr_t place)
{
    char text[256];
    const double now = direct_clock(CLOCK_MONOTONIC);
    if (threads_turn.active != threads_watch.active || !(threads_watch.since > 0) || !watch__all_spin()) {
        threads_watch.active = threads_turn.active;
        threads_watch.since = now;
    }
    if (now - threads_watch.since < PATIENCE || threads_turn.alive < 2 || threads_timed() || threads_set.polls == 0)
        return;
    threads_describe((const void *)place, text, sizeof text);
    threads_die(
        "at %.9g s: thread %u%s%s spins in %s, as all others that could go on do, and nothing has changed for "
        "3 s of real time. A program that waits for another process, or for a change that never comes, does this; "
        "SIMTHREADS_POLLS=0 sets no limit",
        threads_now(), t->number, *t->name ? ", " : "", t->name, text);
}

static double watch__least(void)
{
    return fmin(QUANTUM_LEAST, threads_set.quantum);
}

/* A quantum in which threads have waited in vain, for work that another one may have taken ahead of them, was too long. */
static void watch__adapt(void)
{
    threads_watch_state *w = &threads_watch;
    if (!threads_set.adapts) return;
    if (threads_turn.in_vain > 0) {
        w->quantum = fmax(w->quantum * SHRINKS, watch__least());
        w->shortest = fmin(w->shortest, w->quantum);
    } else if (threads_turn.alive > threads_set.cores + 1) { /* but for main(), which may wait */
        w->quantum = threads_set.quantum;
    } else {
        w->quantum = fmin(w->quantum * GROWS, threads_set.quantum);
    }
    threads_turn.in_vain = 0;
}

/* The thread has computed for a quantum without a call: others that are behind it in virtual time go on first. */
static void watch__computed(threads_thread *t, uintptr_t place, uint64_t registers)
{
    t->pending -= threads_watch.overhead;
    t->looking.spins = watch__again(t, registers);
    if (t->looking.spins) watch__spinning(t, place);
    if (t->looks) {
        threads_watch.looks = LOOKS;
        threads_look_again(t, t->pending);
        return;
    }
    const double seconds = threads_charged(t);
    if (!t->looking.spins) {
        threads_turn.polls = 0;
        ++threads_turn.active;
    } else {
        threads_in_vain();
    }
    if (threads_set.fixed) {
        if (threads_timed())
            threads_look(t, fmin(threads_turn.timer, threads_now() + fmax(threads_above.cpu_left(t), 0)));
        else
            threads_yield(t); /* it may wait for a variable that another one changes, which would never run */
        threads_above.outside_look();
        return;
    }
    watch__adapt();
    ++threads_turn.ahead;
    threads_spend(t, seconds);
    --threads_turn.ahead;
    threads_above.outside_look();
}

static void watch__notice(int number, siginfo_t *info, void *context)
{
    threads_thread *t = threads_self();
    const int error = errno;
    (void)number, (void)info;
    if (!t || threads_off || threads_turn.running != t || t->inside || t->held || t->small) return;
    const uintptr_t place = watch__place(context);
    const bool layer = place >= (uintptr_t)threads_engine->code && place < (uintptr_t)threads_engine->code_end;
    if (!threads_watch.calibrating && (layer || threads_watch_untouched(place))) return;
    threads_enter("computing");
    if (!threads_watch.calibrating) watch__computed(t, place, watch__registers(context));
    threads_leave(t);
    errno = error;
}

static int watch__library(struct dl_phdr_info *info, size_t bytes, void *user)
{
    const char *name = strrchr(info->dlpi_name, '/'), *const names[] = { "libc.so", "libc-",     "ld-linux",
                                                                         "ld-",     "libgcc_s",  "linux-vdso",
                                                                         "libdl",   "libpthread" };
    (void)bytes, (void)user;
    name = name ? name + 1 : info->dlpi_name;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strncmp(name, names[i], strlen(names[i])) != 0) continue;
        for (int k = 0; k < info->dlpi_phnum && untouched_count < MOST_LIBRARIES; ++k)
            if (info->dlpi_phdr[k].p_type == PT_LOAD && info->dlpi_phdr[k].p_flags & PF_X) {
                untouched[untouched_count].from = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
                untouched[untouched_count].to = untouched[untouched_count].from + info->dlpi_phdr[k].p_memsz;
                ++untouched_count;
            }
    }
    return 0;
}

void threads_watch_prepare(void)
{
    dl_iterate_phdr(watch__library, NULL);
}

/*=============================================================================
 * MARK: - >>waits in the kernel
 *===========================================================================*/

/* Threads other than this one that go on by themselves, as soon as they get the turn or their time has come. */
static unsigned watch__able(const threads_thread *except)
{
    unsigned able = 0;
    for (const threads_thread *t = threads_all; t; t = t->next_of_all)
        if (t != except && !t->ended && !t->gone && (!t->wait.object || t->wait.until < (double)INFINITY)) ++able;
    return able;
}

static void watch__outside(const threads_thread *t, const char *call)
{
    static bool said;
    if (said || threads_turn.alive < 2) return;
    said = true;
    threads_say(
        "at %.9g s: thread %u%s%s waits in %s for something outside of the program, and all others wait for threads: "
        "this takes no virtual time",
        threads_now(), t->number, *t->name ? ", " : "", t->name, call);
}

/* A thread has the turn and waits in the kernel, where the virtual clock does not see it. If another thread can go
 * on, perhaps just that one would end the wait, but it never gets the turn. If none can, something outside of the
 * program has to happen. False: the thread does not wait, or waits for a disk. */
static bool watch__stuck(const threads_thread *t)
{
    char call[32];
    const long number = direct_waits_in(t->task, call, sizeof call);
    if (number < 0) return false;
    if (number == SYS_futex)
        threads_die(
            "thread %u%s%s waits on a futex by a system call of its own, so the virtual clock does not see it: not "
            "supported",
            t->number, *t->name ? ", " : "", t->name);
    const unsigned able = watch__able(t);
    if (able > 0)
        threads_die("at %.9g s: thread %u%s%s has waited for 3 s of real time in %s, which the virtual clock does "
                    "not see, and meanwhile %u other thread%s cannot go on: not supported",
                    threads_now(), t->number, *t->name ? ", " : "", t->name, call, able, able == 1 ? "" : "s");
    watch__outside(t, call);
    return true;
}

/*=============================================================================
 * MARK: - >>the watching thread
 *===========================================================================*/

/* Timers of CPU time (timer_create) would need no thread, but expire with the ticks of the kernel: at 250 Hz every 4.0 ms, with
 * periods of 3, 1 and 0.3 ms alike. */
static void *watch__thread(void *user)
{
    direct_watch watched;
    bool told = false;
    (void)user;
    memset(&watched, 0, sizeof watched);
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    prctl(PR_SET_NAME, "simthreads");
    const struct timespec moment = { 0, 100000 };
    for (;;) {
        const double period = threads_watch.quantum > 0 ? threads_watch.quantum : 0.05;
        const double enough =
            threads_set.fixed ? SPINNING : period / 4; /* [s]: more than the last signal itself took */
        const struct timespec pause = { (time_t)period, (long)(fmod(period, 1) * 1e9) };
        if (threads_turn.alive < 2 && !threads_timed()) {
            const struct timespec longer = { 0, 100000000 };
            direct_futex(&threads_turn.bell, FUTEX_WAIT, 0, &longer);
        }
        int looks = threads_watch.looks;
        if (looks > 0)
            __atomic_compare_exchange_n(&threads_watch.looks, &looks, looks - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        threads_real.clock_nanosleep(CLOCK_MONOTONIC, 0, looks > 0 ? &moment : &pause, NULL);
        const threads_thread *t = threads_turn.running;
        if (threads_off || !t) continue;
        if (t->looks && !t->inside && looks > 0) {
            threads_real.syscall(SYS_tgkill, getpid(), t->task->thread, THREADS_NOTICE);
            continue;
        }
        direct_watch_look(&watched, t->task, threads_turn.spends, t->inside > 0, period);
        if (!(watched.asleep > 0)) told = false;
        if (direct_watch_spent(&watched, enough)) {
            if (threads_set.quantum > 0 || threads_set.fixed)
                threads_real.syscall(SYS_tgkill, getpid(), t->task->thread, THREADS_NOTICE);
        } else if (!told && watched.asleep > PATIENCE && threads_turn.alive > 1) {
            told = watch__stuck(t);
            watched.asleep = 0;
        }
    }
    return NULL;
}

void threads_watch_start(void)
{
    pthread_t watcher;
    struct sigaction action;
    threads_watch.quantum = threads_set.adapts ? watch__least() : threads_set.quantum;
    threads_watch.shortest = threads_set.quantum;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = watch__notice;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    threads_real.sigaction(THREADS_NOTICE, &action, NULL);
    /* It begins with all signals blocked: one for the program that it took before it came to block them would be lost. */
    sigset_t all, before;
    sigfillset(&all);
    threads_real.mask(SIG_SETMASK, &all, &before);
    if (threads_real.create(&watcher, NULL, watch__thread, NULL) == 0) threads_real.detach(watcher);
    threads_real.mask(SIG_SETMASK, &before, NULL);
}

/*=============================================================================
 * MARK: - >>processors
 *===========================================================================*/

static cpu_set_t processors, here; /* those of the program, that of the run */
static bool pinned;

void threads_watch_spread(bool spread)
{
    if (pinned) threads_real.setaffinity(0, sizeof here, spread ? &processors : &here);
}

/* One processor for all threads, so that the turn passes quickly, and the others for the thread that watches. */
void threads_watch_pin(void)
{
    unsigned number = 0;
    if (threads_real.syscall(SYS_getcpu, &number, NULL, NULL) != 0) return;
    CPU_ZERO(&here);
    CPU_SET(number, &here);
    pinned = threads_real.getaffinity(0, sizeof processors, &processors) == 0;
    cpu_set_t others = processors;
    CPU_CLR(number, &others);
    if (pinned && CPU_COUNT(&others) > 0) threads_real.setaffinity(0, sizeof others, &others);
    threads_watch_start();
    threads_real.setaffinity(0, sizeof here, &here);
}
