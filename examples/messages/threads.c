/* threads.c - the threads of a rank, as the library of examples/threads sees them: each is a task on the host of its rank, with a
 * script and a turn of its own, but the number, and so the messages, of the rank. */
#define _GNU_SOURCE
#include "engine.h"
#include "turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The library that simcc links between the program and the C library; none in programs that are linked statically. */
extern const direct_threads *simthreads_attach(const direct_engine *engine, unsigned cores, bool measured)
    __attribute__((weak));
const char messages_in_program = 1; /* that library looks for this name: the program has ranks */

static messages_task *threads__task(direct_task *base)
{
    return OF_LINK(messages_task, base, base);
}

/* Waits for the turn, if the rank runs ahead of it, and takes the lock of the arena. */
static void threads__enter(void)
{
    messages_turn_take();
    direct_lock();
}

/*=============================================================================
 * MARK: - >>the engine
 *===========================================================================*/

/* The first one is the thread of main(). */
static direct_task *threads__task_new(void)
{
    messages_task *t = messages_self, *rank = messages_rank_of(t);
    if (!messages_threads) return &t->base;
    if (!rank->system.forked)
        messages_end(2, "%s, which is of another program than the launcher, starts a thread: not supported",
                     rank->name);
    threads__enter();
    messages_has_threads = true;
    messages_pin_together();
    messages_task *thread = rank->progress.left;
    if (thread)
        rank->progress.left = thread->progress.next;
    else
        thread = messages_task_of(rank);
    thread->ended = false;
    thread->threaded = thread->system.forked = true;
    thread->thread = ++rank->progress.made;
    messages_bind_thread(thread);
    thread->wait.blocked = true;
    thread->progress.next = rank->progress.threads;
    rank->progress.threads = thread;
    direct_unlock();
    return &thread->base;
}

static void threads__drop(direct_task *base)
{
    messages_task *t = threads__task(base), **at = &t->of->progress.threads;
    while (*at != t) at = &(*at)->progress.next;
    *at = t->progress.next;
    t->ended = true;
    t->progress.next = t->of->progress.left;
    t->of->progress.left = t;
}

static void threads__first(direct_task *base)
{
    messages_task *t = threads__task(base);
    base->process = getpid();
    base->thread = (pid_t)direct_syscall(SYS_gettid);
    if (t->of) messages_thread_first(t);
}

static void threads__compute(direct_task *base, double seconds)
{
    (void)base;
    threads__enter();
    if (seconds > 0) messages_action_add(MESSAGES_COMPUTE)->amount = seconds;
    if (messages_has_script()) messages_flush();
    direct_unlock();
}

/* Waits with the lock of the arena, which it lets go. */
static double threads__wait_in(messages_task *t, double until, bool spins, const char *call)
{
    memset(t->call, 0, sizeof t->call);
    strncpy(t->call, call, sizeof t->call - 1);
    messages_action *a = messages_action_add(MESSAGES_BLOCK);
    a->amount = until;
    a->count = spins;
    ++t->entered; /* it is no longer in its last call of MPI, say a collective one */
    t->inside = true;
    messages_flush();
    t->inside = false;
    direct_unlock();
    return t->wait.over;
}

static double threads__wait(direct_task *base, double until, bool spins, const char *call)
{
    threads__enter();
    return threads__wait_in(threads__task(base), until, spins, call);
}

static double threads__wait_outside(direct_task *base, double until, const char *call, bool *idle)
{
    messages_task *t = threads__task(base);
    threads__enter();
    t->wait.outside = true;
    t->wait.idle = false;
    ++messages->outside;
    const double over = threads__wait_in(t, until, false, call);
    *idle = t->wait.idle;
    t->wait.outside = false;
    --messages->outside;
    return over;
}

/* The threads of all ranks that wait for files look at them. */
static void threads__changed(void)
{
    if (messages->outside == 0) return;
    threads__enter();
    (void)messages_outside_wake(false);
    direct_unlock();
}

static void threads__idled(direct_task *base, const char *call, double seconds)
{
    const messages_task *t = messages_rank_of(threads__task(base));
    if (!(messages->patience > 0) || seconds < messages->patience) return;
    threads__enter();
    messages_end(1,
                 "%s on %s, process %d, has waited for %.3g s of real time (--patience or SIMKIT_PATIENCE sets the "
                 "limit) at %.9g s, and "
                 "no rank can go on: it waits in %s(), for something outside or for another rank",
                 t->name, messages->cluster.hosts[t->host].name, (int)t->base.process, seconds,
                 simkit_clock_now(direct->world), call);
}

static direct_disk *threads__disk(void)
{
    return &messages->cluster.hosts[messages_rank_of(messages_self)->host].disk;
}

static void threads__wake(direct_task *base, double delay)
{
    threads__enter();
    messages_unblock(threads__task(base), delay);
    direct_unlock();
}

static void threads__yield(direct_task *base)
{
    (void)base;
    threads__enter();
    messages_flush();
    direct_unlock();
}

static void threads__end(direct_task *base)
{
    messages_task *t = threads__task(base);
    threads__enter();
    if (t->of) {
        threads__drop(base);
        messages_hand_over(NULL);
        return;
    }
    messages_action_add(MESSAGES_BLOCK)->amount = (double)INFINITY; /* the rank goes on without the thread of main() */
    messages_hand_over(t);
}

static void threads__forked(direct_task *base)
{
    (void)base; /* a child of a rank is no rank */
}

/* MPI 3.1, section 12.4.2: the outcome is undefined. */
static void threads__cancelled(direct_task *base)
{
    const messages_task *t = threads__task(base);
    char who[32] = "the thread of main()";
    threads__enter();
    if (t->of) snprintf(who, sizeof who, "thread %u", (unsigned)t->thread);
    messages_note_add(simkit_clock_now(direct->world), 1, NULL,
                      "%s: %s is cancelled" MESSAGES_HERE
                      " while it is in %s, which MPI leaves undefined: here the call goes on until it "
                      "is complete, and the thread ends at its next cancellation point",
                      messages_rank_of(messages_self)->name, who, t->call);
    direct_unlock();
}

static double threads__next(void)
{
    threads__enter();
    const double next = messages_next();
    direct_unlock();
    return next;
}

static double threads__share(void)
{
    threads__enter();
    const double share = direct_share(direct->world, messages_self->part.node, messages_self->part.cores);
    direct_unlock();
    return share;
}

/* Of all code in libmessages.a (rules.mk), whose tables all threads of a rank use, also in calls that take no turn, such as
 * MPI_Comm_free(). The linker defines these. */
extern const char __start_messages_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_messages_text[] __attribute__((weak, visibility("hidden")));

static char host_name[sizeof(((messages_host *)0)->name)] MESSAGES_COMMON;
static direct_engine engine MESSAGES_COMMON = {
    .bytes = sizeof engine,
    .now = messages_now,
    .next = threads__next,
    .share = threads__share,
    .task_new = threads__task_new,
    .drop = threads__drop,
    .first = threads__first,
    .compute = threads__compute,
    .wait = threads__wait,
    .wait_outside = threads__wait_outside,
    .changed = threads__changed,
    .idled = threads__idled,
    .disk = threads__disk,
    .wake = threads__wake,
    .yield = threads__yield,
    .end = threads__end,
    .forked = threads__forked,
    .cancelled = threads__cancelled,
};

/*=============================================================================
 * MARK: - >>this rank
 *===========================================================================*/

void messages_threads_hush(bool shared)
{
    if (simthreads_attach) simthreads_attach(NULL, shared, false);
}

void messages_threads_attach(messages_task *t, void (*exits)(int status))
{
    if (!simthreads_attach || t->system.together) return;
    const messages_cluster *c = &messages->cluster;
    snprintf(host_name, sizeof host_name, "%s", c->hosts[t->host].name); /* hosts move */
    engine.exits = exits;
    engine.arena = direct;
    engine.locked = direct_locked;
    engine.number = direct_number;
    engine.host = host_name;
    engine.code = __start_messages_text;
    engine.code_end = __stop_messages_text;
    messages_threads = simthreads_attach(&engine, t->part.sees, messages->measure);
    if (messages_threads) messages_threads->begin();
}
