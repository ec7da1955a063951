/* turn.c - who runs: threads, their CPU time, the turn, preemption, and the engine. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define FOREVER 1e15  /* [s]: of a thread that spins */
#define PROGRESS 1e-5 /* [s]: somebody who computes for so long does not only poll */
#define NOTICE THREADS_NOTICE
#define SMALL_STACK ((size_t)1 << 18) /* [B]: smaller stacks are enlarged */
enum { MOST_LIBRARIES = 16, TRIALS = 401 };

threads_real_calls threads_real;
threads_tally threads_tallied;
simkit_world *threads_world;
simkit_node threads_node;
threads_thread *threads_all;
uint32_t threads_started;
unsigned threads_cores = 1;
double threads_cpu;
bool threads_fixed;

static __thread threads_thread *self __attribute__((tls_model("initial-exec")));
static __thread bool over __attribute__((tls_model("initial-exec"))); /* the thread has ended */
static threads_thread *volatile running;
static threads_thread *ready_first, *ready_last, *spare;
static bool prepared, off;
static uint32_t alive;
static pthread_key_t key;
static volatile uint64_t spends;                                          /* how often CPU time was charged */
static double call_cost, wake_delay, timer_delay, charge, quantum = 3e-3; /* [s] */
static double overhead, notice_overhead;                                  /* of measuring [s] */
static uint64_t polls, polls_most = 10000000;
static int calibrating;
static unsigned computing;
static uintptr_t computing_which; /* exclusive or of those that compute */
static double tally_since;
static struct {
    uintptr_t from, to;
} untouched[MOST_LIBRARIES]; /* code that may hold locks of its own: the C library and the like */
static int untouched_count;
static uint32_t watch_bell; /* futex of the watching thread */

/*=============================================================================
 * MARK: - >>saying
 *===========================================================================*/

void threads_say(const char *format, ...)
{
    char text[1024] = "simthreads: ";
    const size_t begin = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + begin, sizeof text - begin - 1, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    size_t end = begin + (size_t)length < sizeof text - 2 ? begin + (size_t)length : sizeof text - 2;
    text[end++] = '\n';
    if (write(STDERR_FILENO, text, end) < 0) return;
}

void threads_die(const char *format, ...)
{
    char text[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    threads_say("%s", text);
    off = true;
    threads_real.end(70);
    abort();
}

static void turn__must(simkit_result result)
{
    if (result != SIMKIT_OK) threads_die("%s: %s", simkit_result_text(result), simkit_world_why(threads_world));
}

/*=============================================================================
 * MARK: - >>clocks
 *===========================================================================*/

static double turn__cpu_clock(void)
{
    struct timespec t;
    threads_real.clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double threads_now(void)
{
    return simkit_clock_now(threads_world);
}

static void turn__tally(threads_thread *t, int change)
{
    const double now = threads_now(), passed = now - tally_since;
    if (passed > 0) {
        if (computing >= threads_tallied.room) {
            const size_t room = 2 * (size_t)computing + 64;
            threads_tallied.running = threads_reallocate(NULL, threads_tallied.running,
                                                         threads_tallied.room * sizeof(double), room * sizeof(double));
            memset(threads_tallied.running + threads_tallied.room, 0, (room - threads_tallied.room) * sizeof(double));
            threads_tallied.room = room;
        }
        threads_tallied.running[computing] += passed;
        if (computing == 1) ((threads_thread *)computing_which)->times.alone += passed;
    }
    tally_since = now;
    computing = change > 0 ? computing + 1 : computing - 1;
    computing_which ^= (uintptr_t)t;
}

/*=============================================================================
 * MARK: - >>the turn
 *===========================================================================*/

static void turn__futex(uint32_t *word, int operation, uint32_t value)
{
    threads_real.syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void turn__push(threads_thread *t)
{
    t->next_ready = NULL;
    if (ready_first)
        ready_last->next_ready = t;
    else
        ready_first = t;
    ready_last = t;
}

/* The next thread in virtual time. */
static threads_thread *turn__next(void)
{
    while (!ready_first) {
        const double now = threads_now(), next = simkit_clock_next(threads_world);
        const bool none = !(next < FOREVER / 2);
        if (threads_files_waited() && (none || computing == 0)) {
            const double most = none ? (double)INFINITY : next - now, passed = threads_files_await(most);
            if (passed < most) {
                if (!none) turn__must(simkit_world_run_until(threads_world, now + passed));
                threads_files_wake();
                continue;
            }
        } else if (none) {
            if (threads_signal_await(true)) continue;
            threads_deadlock();
        }
        turn__must(simkit_world_run_until(threads_world, next));
    }
    threads_thread *t = ready_first;
    ready_first = t->next_ready;
    if (t->state == THREADS_WAKING) t->times.waking += threads_now() - t->since;
    t->state = THREADS_RUNNING;
    t->since = threads_now();
    return t;
}

static void turn__hand(threads_thread *t)
{
    running = t;
    if (__atomic_exchange_n(&t->turn, 1, __ATOMIC_ACQ_REL) == 2) turn__futex(&t->turn, FUTEX_WAKE, 1);
}

void threads_turn_sleep(threads_thread *t)
{
    for (;;) {
        uint32_t none = 0;
        if (__atomic_load_n(&t->turn, __ATOMIC_ACQUIRE) == 1) break;
        __atomic_compare_exchange_n(&t->turn, &none, 2, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        turn__futex(&t->turn, FUTEX_WAIT, 2);
    }
    __atomic_store_n(&t->turn, 0, __ATOMIC_RELEASE);
}

void threads_turn_give(threads_thread *t)
{
    threads_thread *next = turn__next();
    if (next == t) return;
    turn__hand(next);
    threads_turn_sleep(t);
}

static void turn__ready(simkit_world *world, void *user)
{
    threads_thread *t = user;
    (void)world;
    if (!t->gone) turn__push(t);
}

/* A core that is idle takes a moment to wake up. */
void threads_ready(threads_thread *t)
{
    t->state = THREADS_WAKING;
    t->since = threads_now();
    if (wake_delay > 0 && computing < threads_cores)
        turn__must(simkit_step_after(threads_world, wake_delay, 0, turn__ready, t, NULL));
    else
        turn__push(t);
}

/*=============================================================================
 * MARK: - >>computing
 *===========================================================================*/

static void turn__computed(simkit_world *world, void *user)
{
    threads_thread *t = user;
    turn__tally(t, -1);
    t->times.computed += simkit_clock_now(world) - t->since;
    if (!t->gone) turn__push(t);
}

static void turn__compute(threads_thread *t, double seconds)
{
    simkit_computation_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.node = threads_node;
    desc.seconds = seconds;
    desc.done = turn__computed;
    desc.user = t;
    turn__must(simkit_computation_start(threads_world, &desc, &t->computation));
    turn__tally(t, 1);
}

void threads_spend(threads_thread *t, double seconds)
{
    ++spends;
    if (!(seconds > 0)) return;
    t->times.cpu += seconds;
    threads_cpu += seconds;
    t->state = THREADS_COMPUTING;
    t->since = threads_now();
    turn__compute(t, seconds);
    threads_turn_give(t);
}

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/

static void turn__measured(threads_thread *t)
{
    if (threads_fixed) return;
    const double spent = turn__cpu_clock() - t->left - overhead;
    if (spent > 0) t->pending += spent;
}

threads_thread *threads_self(void)
{
    return self;
}

bool threads_turn_mine(void)
{
    return self && !off && running == self && self->inside == 0 && !self->gone;
}

threads_thread *threads_enter(const char *call)
{
    threads_thread *t = self;
    if (!t) {
        if (off || over) return NULL;
        if (prepared)
            threads_die(
                "%s() was called by a thread that pthread_create() has not made, or that has ended: not supported "
                "(SIGEV_THREAD, aio and getaddrinfo_a make such threads)",
                call);
        threads_prepare();
        t = self;
    }
    if (off || t->gone) return NULL;
    if (running != t) {
        if (t->ended) return NULL;
        threads_die("%s() was called by a signal handler while its thread waits in %s(): not supported", call, t->call);
    }
    if (t->inside++ > 0) return t;
    t->call = call;
    turn__measured(t);
    if (threads_fixed) t->pending += charge;
    return t;
}

/* A call that no other thread notices need not wait for its virtual time, unless this thread is far ahead of the
 * others. */
bool threads_private(threads_thread *t)
{
    if (threads_fixed || t->inside > 1 || t->pending > quantum) return false;
    t->pending += call_cost;
    return true;
}

threads_thread *threads_begin(const char *call)
{
    return threads_pass(threads_enter(call));
}

threads_thread *threads_pass(threads_thread *t)
{
    if (!t || t->inside > 1) return t;
    const double seconds = t->pending + call_cost;
    if (seconds > PROGRESS) polls = 0;
    t->pending = 0;
    threads_spend(t, seconds);
    threads_files_look();
    return t;
}

void threads_signals_raise(threads_thread *t)
{
    while (t->signals.sent) {
        const int signal = __builtin_ctzll(t->signals.sent) + 1;
        t->signals.sent &= t->signals.sent - 1;
        threads_real.kill(t->pthread, signal);
    }
}

void threads_leave(threads_thread *t)
{
    if (!t || --t->inside > 0) return;
    threads_signals_raise(t);
    if (!threads_fixed) t->left = turn__cpu_clock();
    if (t->cancel.asked && t->cancel.type == PTHREAD_CANCEL_ASYNCHRONOUS && t->cancel.state == PTHREAD_CANCEL_ENABLE)
        threads_real.testcancel();
}

void threads_measure(threads_thread *t, bool on)
{
    if (threads_fixed || !t) return;
    if (on)
        t->left = turn__cpu_clock();
    else
        turn__measured(t);
}

void threads_cancel_now(threads_thread *t)
{
    threads_leave(t);
    threads_real.testcancel();
}

THREADS_PUBLIC int simthreads_compute(double seconds)
{
    threads_thread *t = threads_begin("simthreads_compute");
    if (!t) return 0;
    if (!(seconds >= 0 && seconds < FOREVER)) threads_die("simthreads_compute(%g): expected seconds >= 0", seconds);
    if (seconds > PROGRESS) polls = 0;
    threads_spend(t, seconds);
    threads_leave(t);
    return 1;
}

/* Threads that are ready at this instant go on from time to time: one of them may be what this thread looks for. */
void threads_poll(void)
{
    threads_thread *t = self;
    if (ready_first && polls % 64 == 0) {
        turn__push(t);
        threads_turn_give(t);
    }
    if (++polls < polls_most || polls_most == 0) return;
    threads_report(false);
    threads_die(
        "at %.9g s: threads have polled %llu times in a row, by %s() at last, and nothing else has happened. A program "
        "that waits for another process, or for a change that never comes, does this; SIMTHREADS_POLLS=0 sets no limit",
        threads_now(), (unsigned long long)polls, t->call);
}

/*=============================================================================
 * MARK: - >>waiting
 *===========================================================================*/

static void turn__unqueue(threads_thread *t)
{
    threads_thread **place = &t->wait.object->first, *before = NULL;
    while (*place != t) {
        before = *place;
        place = &before->wait.next;
    }
    *place = t->wait.next;
    if (t->wait.object->last == t) t->wait.object->last = before;
}

static void turn__resume(threads_thread *t, threads_end end)
{
    turn__unqueue(t);
    t->wait.end = end;
    threads_object_waited(t, threads_now() - t->since);
    t->wait.object = NULL;
    if (end != THREADS_TIMED_OUT || threads_now() > t->since) polls = 0;
}

void threads_wake(threads_thread *t, threads_end end)
{
    turn__resume(t, end);
    simkit_step_cancel(threads_world, t->wait.deadline);
    if (t->wait.spinning) {
        simkit_computation_cancel(threads_world, t->computation);
        turn__tally(t, -1);
        t->wait.spinning = false;
        turn__push(t);
    } else {
        threads_ready(t);
    }
}

static void turn__late(simkit_world *world, void *user)
{
    threads_thread *t = user;
    (void)world;
    if (t->gone) return;
    turn__resume(t, THREADS_TIMED_OUT);
    threads_ready(t);
}

static void turn__queue(threads_thread *t, threads_object *object)
{
    t->wait.object = object;
    t->wait.next = NULL;
    if (object->first)
        object->last->wait.next = t;
    else
        object->first = t;
    object->last = t;
    t->state = THREADS_WAITING;
    t->since = threads_now();
    t->wait.deadline = 0;
}

threads_end threads_wait(threads_thread *t, threads_object *object, double deadline, bool cancellable)
{
    const double began = threads_now();
    turn__queue(t, object);
    t->wait.cancellable = cancellable;
    if (deadline < FOREVER) {
        deadline += timer_delay;
        if (deadline < threads_now()) deadline = threads_now();
        turn__must(simkit_step_at(threads_world, deadline, 0, turn__late, t, &t->wait.deadline));
    }
    threads_turn_give(t);
    t->wait.cancellable = t->wait.interruptible = false;
    if (t->wait.end == THREADS_TIMED_OUT && threads_now() <= began) threads_poll(); /* until a time that has passed */
    return t->wait.end;
}

threads_end threads_spin(threads_thread *t, threads_object *object)
{
    turn__queue(t, object);
    t->wait.spinning = true;
    turn__compute(t, FOREVER);
    threads_turn_give(t);
    return t->wait.end;
}

bool threads_wake_first(threads_object *object)
{
    if (!object || !object->first) return false;
    threads_wake(object->first, THREADS_WOKEN);
    return true;
}

unsigned threads_wake_all(threads_object *object)
{
    unsigned woken = 0;
    while (threads_wake_first(object)) ++woken;
    return woken;
}

/*=============================================================================
 * MARK: - >>threads
 *===========================================================================*/

threads_thread *threads_new(void)
{
    threads_thread *t = spare;
    if (t)
        spare = t->next_of_all;
    else
        t = threads_new_memory(sizeof *t);
    memset(t, 0, sizeof *t);
    t->number = threads_started++;
    t->next_of_all = threads_all;
    threads_all = t;
    t->cancel.state = PTHREAD_CANCEL_ENABLE;
    t->cancel.type = PTHREAD_CANCEL_DEFERRED;
    ++alive;
    return t;
}

/* The struct may be used again; its times have been added to those of its kind. */
void threads_drop(threads_thread *t)
{
    threads_thread **place = &threads_all;
    while (*place != t) place = &(*place)->next_of_all;
    *place = t->next_of_all;
    t->next_of_all = spare;
    spare = t;
}

threads_thread *threads_find(pthread_t thread)
{
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        if (pthread_equal(t->pthread, thread) && !(t->ended && t->detached)) return t;
    return NULL;
}

void *threads_body(void *user)
{
    threads_thread *t = user;
    t->tid = (pid_t)threads_real.syscall(SYS_gettid);
    threads_turn_sleep(t);
    self = t;
    pthread_setspecific(key, t);
    t->inside = 1;
    threads_leave(t);
    return t->body(t->argument);
}

/* Runs among the destructors of a thread that ends, in the last round of them. */
static void turn__last(void *user)
{
    threads_thread *t = user;
    if (off || t->gone) return;
    if (++t->rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key, t) == 0) return;
    threads_begin("the end of a thread");
    t->ended = true;
    t->state = THREADS_ENDED;
    if (t->number > 0) threads_group_add(t);
    threads_robust_left(t);
    if (--alive == 0) {
        t->inside = 0;
        ++alive;
        threads_measure(t, true);
        exit(0);
    }
    if (t->joiner) threads_wake(t->joiner, THREADS_WOKEN);
    polls = 0;
    self = NULL;
    over = true;
    threads_thread *next = turn__next();
    if (t->detached) threads_drop(t);
    turn__hand(next);
}

int threads_make(threads_thread *t, pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                 void *argument, const void *entry)
{
    pthread_attr_t copy;
    int state = PTHREAD_CREATE_JOINABLE;
    size_t size = SMALL_STACK;
    void *stack = NULL;
    threads_thread *child = threads_new();
    child->body = body;
    child->argument = argument;
    child->entry = entry;
    child->affinity = t->affinity;
    if (attributes) {
        pthread_attr_getdetachstate(attributes, &state);
        if (pthread_attr_getstack(attributes, &stack, &size) == 0 && size < SMALL_STACK) {
            child->small = stack && (uintptr_t)stack + size != 0;
            if (!child->small) {
                copy = *attributes;
                pthread_attr_setstacksize(&copy, SMALL_STACK);
                attributes = &copy;
            }
        }
    }
    child->detached = state == PTHREAD_CREATE_DETACHED;
    threads_measure(t, true);
    const int error = threads_real.create(&child->pthread, attributes, threads_body, child);
    threads_measure(t, false);
    if (error) {
        --alive;
        --threads_started;
        threads_drop(child);
        return error;
    }
    *thread = child->pthread;
    polls = 0;
    threads_ready(child);
    turn__futex(&watch_bell, FUTEX_WAKE, 1);
    return 0;
}

/*=============================================================================
 * MARK: - >>preemption
 *===========================================================================*/

static uintptr_t turn__place(const void *context)
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

/* The thread has computed for a quantum without a call: others that are behind it in virtual time go on first. */
static void turn__notice(int number, siginfo_t *info, void *context)
{
    threads_thread *t = self;
    const int error = errno;
    (void)number, (void)info;
    if (!t || off || running != t || t->inside || t->held || t->small) return;
    const uintptr_t place = turn__place(context);
    for (int i = 0; i < untouched_count && !calibrating; ++i)
        if (place >= untouched[i].from && place < untouched[i].to) return;
    threads_enter("computing");
    if (calibrating) {
        ++calibrating;
    } else {
        const double seconds = t->pending - notice_overhead;
        t->pending = 0;
        polls = 0;
        threads_spend(t, seconds);
        threads_files_look();
    }
    threads_leave(t);
    errno = error;
}

static int turn__library(struct dl_phdr_info *info, size_t bytes, void *user)
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

static double turn__clock_of(clockid_t clock)
{
    struct timespec t = { 0, 0 };
    threads_real.clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The system calls that wait, by their names. */
static const char *turn__call_name(long number)
{
    static const struct {
        long number;
        const char *name;
    } calls[] = {
        { SYS_read, "read" },
        { SYS_readv, "readv" },
        { SYS_write, "write" },
        { SYS_writev, "writev" },
        { SYS_recvfrom, "recvfrom" },
        { SYS_recvmsg, "recvmsg" },
        { SYS_recvmmsg, "recvmmsg" },
        { SYS_sendto, "sendto" },
        { SYS_sendmsg, "sendmsg" },
        { SYS_accept4, "accept4" },
        { SYS_connect, "connect" },
        { SYS_ppoll, "ppoll" },
        { SYS_pselect6, "pselect" },
        { SYS_epoll_pwait, "epoll_wait" },
        { SYS_rt_sigsuspend, "sigsuspend" },
        { SYS_openat, "open" },
        { SYS_wait4, "wait4" },
        { SYS_waitid, "waitid" },
        { SYS_flock, "flock" },
        { SYS_fcntl, "fcntl" },
        { SYS_splice, "splice" },
        { SYS_mq_timedreceive, "mq_receive" },
        { SYS_mq_timedsend, "mq_send" },
        { SYS_futex, "futex" },
        { SYS_nanosleep, "nanosleep" },
        { SYS_clock_nanosleep, "clock_nanosleep" },
        { SYS_rt_sigtimedwait, "sigtimedwait" },
        { SYS_io_getevents, "io_getevents" },
#ifdef SYS_accept /* not on all processors */
        { SYS_accept, "accept" },
#endif
#ifdef SYS_semop
        { SYS_msgrcv, "msgrcv" },
        { SYS_msgsnd, "msgsnd" },
        { SYS_semtimedop, "semop" },
        { SYS_semop, "semop" },
#endif
#ifdef SYS_poll
        { SYS_poll, "poll" },
        { SYS_select, "select" },
        { SYS_epoll_wait, "epoll_wait" },
        { SYS_pause, "pause" },
        { SYS_open, "open" },
#endif
#ifdef SYS_epoll_pwait2
        { SYS_epoll_pwait2, "epoll_pwait2" },
#endif
#ifdef SYS_io_uring_enter
        { SYS_io_uring_enter, "io_uring_enter" },
#endif
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        if (calls[i].number == number) return calls[i].name;
    return NULL;
}

/* The first line of a file about a thread of this process; empty: it cannot be read. */
static void turn__about(const threads_thread *t, const char *name, char *line, size_t bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)t->tid, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, line, bytes - 1) : 0;
    line[length > 0 ? length : 0] = 0;
    if (file >= 0) close(file);
}

/* Threads other than this one that go on by themselves, as soon as they get the turn or their time has come. */
static unsigned turn__able(const threads_thread *except)
{
    unsigned able = 0;
    for (const threads_thread *t = threads_all; t; t = t->next_of_all)
        if (t != except && !t->ended && !t->gone && (t->state != THREADS_WAITING || t->wait.deadline)) ++able;
    return able;
}

void threads_outside(const threads_thread *t, const char *call)
{
    static bool said;
    if (said || alive < 2) return;
    said = true;
    threads_say(
        "at %.9g s: thread %u%s%s waits in %s() for something outside of the program, and all others wait for threads: "
        "this takes no virtual time",
        threads_now(), t->number, *t->name ? ", " : "", t->name, call);
}

/* A thread has the turn and waits in the kernel, where the virtual clock does not see it. If another thread can go
 * on, perhaps just that one would end the wait, but it never gets the turn. If none can, something outside of the
 * program has to happen. False: the thread does not wait, or waits for a disk. */
static bool turn__stuck(const threads_thread *t)
{
    char state[512], line[64], call[32];
    turn__about(t, "stat", state, sizeof state);
    turn__about(t, "syscall", line, sizeof line);
    const char *after = strrchr(state, ')');
    if (!after || after[1] != ' ' || after[2] != 'S' || *line < '0' || *line > '9') return false;
    const long number = strtol(line, NULL, 10);
    if (number == SYS_futex)
        threads_die(
            "thread %u%s%s waits on a futex by a system call of its own, so the virtual clock does not see it: not "
            "supported",
            t->number, *t->name ? ", " : "", t->name);
    const unsigned able = turn__able(t);
    const char *name = turn__call_name(number);
    if (name)
        snprintf(call, sizeof call, "%s", name);
    else
        snprintf(call, sizeof call, "system call %ld", number);
    if (able > 0)
        threads_die("at %.9g s: thread %u%s%s has waited for 3 s of real time in %s%s, which the virtual clock does "
                    "not see, and "
                    "meanwhile %u other thread%s cannot go on: not supported",
                    threads_now(), t->number, *t->name ? ", " : "", t->name, call, name ? "()" : "", able,
                    able == 1 ? "" : "s");
    threads_outside(t, call);
    return true;
}

static void *turn__watch(void *user)
{
    const threads_thread *last = NULL;
    uint64_t last_spends = 0;
    double last_cpu = 0, seen_cpu = 0, last_look = 0; /* last: at the last signal; seen: at the last look */
    double same =
        0; /* how long the thread has used no CPU time; this does not grow while the whole process is stopped */
    bool told = false;
    sigset_t all;
    (void)user;
    sigfillset(&all);
    threads_real.mask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    prctl(PR_SET_NAME, "simthreads");
    const double period = quantum > 0 ? quantum : 0.05;
    const struct timespec pause = { (time_t)period, (long)(fmod(period, 1) * 1e9) };
    for (;;) {
        if (alive < 2) {
            const struct timespec moment = { 0, 100000000 };
            threads_real.syscall(SYS_futex, &watch_bell, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &moment, NULL, 0);
        }
        threads_real.clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
        const threads_thread *t = running;
        if (off) continue;
        const double now = turn__clock_of(CLOCK_MONOTONIC);
        const double cpu = turn__clock_of((clockid_t)(~(unsigned)t->tid << 3 | 6));
        if (t != last || spends != last_spends || t->inside || cpu != seen_cpu) {
            same = 0;
            told = false;
        } else {
            same += fmin(now - last_look, period + 0.1);
        }
        if (t != last || spends != last_spends || t->inside) {
            last = t;
            last_spends = spends;
            last_cpu = cpu;
        } else if (cpu > last_cpu + period / 4) { /* more than the last signal itself took */
            last_cpu = cpu;
            if (quantum > 0) threads_real.syscall(SYS_tgkill, getpid(), t->tid, NOTICE);
        } else if (!told && same > 3 && alive > 1) {
            told = turn__stuck(t);
            same = 0;
        }
        seen_cpu = cpu;
        last_look = now;
    }
    return NULL;
}

static void turn__watch_start(void)
{
    pthread_t watcher;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = turn__notice;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(NOTICE, &action, NULL);
    if (threads_real.create(&watcher, NULL, turn__watch, NULL) == 0) threads_real.detach(watcher);
}

/*=============================================================================
 * MARK: - >>the beginning
 *===========================================================================*/

static int turn__order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Measures the CPU time that measuring itself takes: a call in which nothing happens, and a notice. */
static void turn__calibrate(threads_thread *t)
{
    static double spent[TRIALS];
    for (int i = 0; i < TRIALS; ++i) {
        t->pending = 0;
        t->inside = 1;
        threads_leave(t);
        threads_enter("calibration");
        spent[i] = t->pending;
    }
    qsort(spent, TRIALS, sizeof *spent, turn__order);
    overhead = spent[TRIALS / 2];
    double before = 0;
    for (int signal = 0; signal <= NOTICE && quantum > 0; signal += NOTICE) {
        for (int i = 0; i < TRIALS; ++i) {
            t->pending = 0;
            calibrating = 1;
            t->inside = 1;
            threads_leave(t);
            threads_real.syscall(SYS_tgkill, getpid(), t->tid, signal);
            threads_enter("calibration");
            spent[i] = t->pending;
        }
        qsort(spent, TRIALS, sizeof *spent, turn__order);
        if (signal == 0)
            before = spent[TRIALS / 2];
        else
            notice_overhead = spent[TRIALS / 2] > before ? spent[TRIALS / 2] - before : 0;
    }
    calibrating = 0;
    t->pending = 0;
}

static void *turn__real(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) threads_say("the C library has no %s()", name);
    return function;
}

static void turn__real_find(void)
{
#define REAL(member, name) *(void **)(void *)&threads_real.member = turn__real(name)
    REAL(write, "write");
    REAL(create, "pthread_create");
    REAL(join, "pthread_join");
    REAL(detach, "pthread_detach");
    REAL(exit, "pthread_exit");
    REAL(cancel, "pthread_cancel");
    REAL(setcancelstate, "pthread_setcancelstate");
    REAL(setcanceltype, "pthread_setcanceltype");
    REAL(testcancel, "pthread_testcancel");
    REAL(kill, "pthread_kill");
    REAL(kill_process, "kill");
    REAL(sigtimedwait, "sigtimedwait");
    REAL(setname, "pthread_setname_np");
    REAL(mask, "pthread_sigmask");
    REAL(syscall, "syscall");
    REAL(clock_gettime, "clock_gettime");
    REAL(clock_nanosleep, "clock_nanosleep");
    REAL(sysconf, "sysconf");
    REAL(end, "_exit");
    REAL(setaffinity, "sched_setaffinity");
    REAL(getaffinity, "sched_getaffinity");
    REAL(poll, "poll");
    REAL(ppoll, "ppoll");
    REAL(select, "select");
    REAL(pselect, "pselect");
    REAL(epoll_wait, "epoll_wait");
    REAL(epoll_pwait, "epoll_pwait");
    REAL(sigsuspend, "sigsuspend");
    REAL(pause, "pause");
    REAL(writev, "writev");
    REAL(send, "send");
    REAL(sendto, "sendto");
    REAL(sendmsg, "sendmsg");
#undef REAL
}

static double turn__seconds(const char *name, double unset)
{
    const char *text = getenv(name);
    char *end;
    if (!text) return unset;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0) || !(value < FOREVER))
        threads_die("%s=%s: expected a number of seconds >= 0", name, text);
    return value;
}

static void turn__settings(void)
{
    const char *text = getenv("SIMTHREADS_CORES"), *charged = getenv("SIMTHREADS_CHARGE");
    if (text) {
        char *end;
        const long value = strtol(text, &end, 10);
        if (end == text || *end || value < 1 || value > THREADS_MOST_CORES)
            threads_die("SIMTHREADS_CORES=%s: expected a whole number from 1 to %d", text, THREADS_MOST_CORES);
        threads_cores = (unsigned)value;
    }
    threads_fixed = charged && strcmp(charged, "measured") != 0;
    if (threads_fixed) charge = turn__seconds("SIMTHREADS_CHARGE", 0);
    call_cost = turn__seconds("SIMTHREADS_CALL", threads_fixed ? 0 : 20e-9);
    wake_delay = turn__seconds("SIMTHREADS_WAKE", threads_fixed ? 0 : 20e-6);
    timer_delay = turn__seconds("SIMTHREADS_TIMER", threads_fixed ? 0 : 50e-6);
    quantum = turn__seconds("SIMTHREADS_QUANTUM", threads_fixed ? 0 : quantum);
    polls_most = (uint64_t)turn__seconds("SIMTHREADS_POLLS", (double)polls_most);
    /* The OpenMP of clang would look for the simulated processors among the real ones of /proc/cpuinfo, and abort
     * where there are fewer. */
    if (!getenv("KMP_AFFINITY")) setenv("KMP_TOPOLOGY_METHOD", "flat", 0);
}

/* One processor for all threads, so that the turn passes quickly, and the others for the thread that watches. */
static void turn__pin(void)
{
    cpu_set_t allowed, one;
    unsigned here = 0;
    if (threads_real.syscall(SYS_getcpu, &here, NULL, NULL) != 0) return;
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    if (threads_real.getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 1) {
        CPU_CLR(here, &allowed);
        threads_real.setaffinity(0, sizeof allowed, &allowed);
    }
    turn__watch_start();
    threads_real.setaffinity(0, sizeof one, &one);
}

/* In the child of fork() only the thread that called it goes on. */
static void turn__forked(void)
{
    threads_thread *me = self;
    if (!me || off) return;
    for (threads_thread *t = threads_all; t; t = t->next_of_all) t->gone = t != me;
    me->tid = (pid_t)threads_real.syscall(SYS_gettid);
    alive = 1;
    ready_first = NULL;
    threads_files_forget();
    running = me;
    if (!threads_fixed) me->left = turn__cpu_clock();
    threads_report_forget();
}

void threads_prepare(void)
{
    if (prepared) return;
    prepared = true;
    turn__real_find();
    turn__settings();
    dl_iterate_phdr(turn__library, NULL);
    simkit_world_desc desc;
    simkit_node_desc node;
    memset(&desc, 0, sizeof desc);
    memset(&node, 0, sizeof node);
    desc.memory.reallocate = threads_reallocate;
    if (simkit_world_open(&desc, &threads_world) != SIMKIT_OK) threads_die("no memory for a world");
    node.cores = threads_cores;
    turn__must(simkit_node_add(threads_world, &node, &threads_node));
    threads_clock_start();
    threads_thread *t = threads_new();
    t->pthread = pthread_self();
    t->tid = (pid_t)threads_real.syscall(SYS_gettid);
    t->call = "main";
    snprintf(t->name, sizeof t->name, "main");
    t->inside =
        1; /* what is called meanwhile, such as by the library that backtrace() loads, is no part of the program */
    self = t;
    running = t;
    pthread_key_create(&key, turn__last);
    pthread_setspecific(key, t);
    pthread_atfork(NULL, NULL, turn__forked);
    threads_report_prepare();
    threads_objects_prepare();
    threads_trap_prepare();
    turn__pin();
    if (!threads_fixed) turn__calibrate(t);
    t->pending = 0;
    t->inside = 1;
    threads_leave(t);
}

__attribute__((constructor(101))) static void turn__constructed(void)
{
    threads_prepare();
}

/* The run is over: the rest of the CPU time, and the report. */
void threads_finish(void)
{
    threads_thread *t = self;
    if (!t || off || running != t || threads_report_borrowed()) return;
    t->inside = 0;
    threads_begin("exit");
    threads_report(true);
    off = true;
}

__attribute__((destructor(101))) static void turn__destructed(void)
{
    threads_finish();
}

bool threads_off(void)
{
    return off;
}
