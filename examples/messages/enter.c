/* enter.c - the calls of a program: the CPU time since the last one is charged as a computation, and one thread is in a call at a
 * time. */
#define _GNU_SOURCE
#include "engine.h"
#include "turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*=============================================================================
 * MARK: - >>CPU time
 *===========================================================================*/
static direct_spent spent MESSAGES_COMMON;

/* The program of this task goes on, for the first time. */
void messages_charge_begin(void)
{
    direct_spent_begin(&spent, CLOCK_PROCESS_CPUTIME_ID);
}

double messages_clock(void)
{
    return direct_clock(CLOCK_MONOTONIC);
}

double messages_now(void)
{
    messages_turn_take();
    return simkit_clock_now(direct->world);
}

#define LITTLE 1e-6 /* [s] */

static double segment_last;  /* CPU time since the last call of this task [s] */
static direct_loop own_loop; /* of a task without threads */

static direct_loop *enter__loop(void)
{
    return messages_threads ? messages_threads->loop() : &own_loop;
}

double messages_segment_time(const char *call)
{
    if (messages_is_child)
        messages_end(1, "%s: its child, process %d, called %s: the child of a rank is no rank, and cannot make calls",
                     messages_rank_of(messages_self)->name, (int)getpid(), call);
    const double segment = messages_threads ? messages_threads->enter(call) : direct_spent_enter(&spent);
    if (messages_running_ahead) messages_cores_leave();
    messages_turn_take();
    direct_lock();
    if (messages_running_ahead) messages_running_ahead->computed(messages_self, segment);
    messages_self->inside = true;
    ++messages_self->entered;
    strncpy(messages_self->call, call, sizeof messages_self->call - 1);
    if (messages->sites) messages_self->site = messages_site_enter(call);
    if (messages_real_seen) messages_real_note();
    if (!messages_threads) direct_loop_call(&own_loop);
    segment_last = segment;
    return segment;
}

void messages_vain(void)
{
    direct_loop_vain(enter__loop());
}

double messages_next(void)
{
    const double now = simkit_clock_now(direct->world);
    simkit_result result;
    do result = simkit_world_run_until(direct->world, now);
    while (result == SIMKIT_STOPPED);
    messages_check(result);
    return simkit_clock_next(direct->world);
}

/* The library of threads does not see that other ranks had the turn. */
static bool enter__slept(void)
{
    return messages_threads ? messages->task_count > 1 : spent.slept;
}

double messages_clock_read(const void *place)
{
    static double last = -1;
    direct_loop *loop = enter__loop();
    const double used = messages->measure ? segment_last : 0;
    const double step =
        direct_loop_read(loop, (direct_loop_look){ .clock = DIRECT_LOOP_CLOCKS - 1,
                                                   .place = place,
                                                   .now = simkit_clock_now(direct->world),
                                                   .used = used > 0 ? fmax(used - direct_clock_cost(), 0) : 0,
                                                   .slept = enter__slept() });
    double began = 0;
    if (step > used) {
        messages_compute_undo(
            used); /* it is part of the step, so that ranks which read the clock at the same time stay in step */
        if (messages_has_script()) messages_flush();
        began = simkit_clock_now(direct->world);
        messages_action *a = messages_action_add(MESSAGES_BLOCK);
        a->amount = direct_loop_until(step, began, messages_next());
        a->count = true; /* it computes meanwhile */
    }
    messages_flush();
    const double now = simkit_clock_now(direct->world);
    if (step > used && messages_threads) messages_threads->computed(now - began);
    if (now > last) messages_goes_on(); /* a loop that waits for a time makes progress */
    last = now;
    return now;
}

void messages_enter(const char *call)
{
    const double segment = messages_segment_time(call);
    /* Where it only looks for something, between two looks at a clock, its time is within the next look. */
    if (messages->measure && !(segment < LITTLE && direct_loop_within(enter__loop()))) messages_compute(segment);
}

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/
/* A thread is known by the address of a variable of its own. */
static const char *thread_inside MESSAGES_COMMON; /* the one that is in a call, where only one may be; NULL: none */
static const char *thread_first MESSAGES_COMMON;  /* the one that made the first call */
static const char *thread_only MESSAGES_COMMON;   /* the only one of ranks that share a process */
static const messages_task *task_inside MESSAGES_COMMON; /* of the one that is in a call */
static bool several MESSAGES_COMMON;                     /* threads may be in calls at the same time */
static __thread char thread_own;
static __thread bool inside; /* this thread is in a call */

/* A thread makes a call while another one is in a call. Only threads on the virtual clock have numbers. */
static __attribute__((noreturn)) void enter__two_inside(const char *call)
{
    const messages_task *other = task_inside;
    char one[32] = "a thread", two[32] = "another";
    if (messages_threads) {
        snprintf(one, sizeof one, "thread %u", (unsigned)messages_self->thread);
        snprintf(two, sizeof two, "thread %u", (unsigned)other->thread);
    }
    messages_end(1,
                 "%s: %s called %s while %s was in %s: only one thread of a rank may be in a call at a time "
                 "(MPI_THREAD_SERIALIZED)",
                 messages_self->name, one, call, two, other->call);
}

bool messages_alone(const char *call)
{
    if (thread_only && thread_only != &thread_own)
        messages_end(1, "a thread called %s, which is impossible when ranks share a process (SIMKIT_RANKS=together)",
                     call);
    const char *before = several ? NULL : __atomic_exchange_n(&thread_inside, &thread_own, __ATOMIC_SEQ_CST);
    if (before && before != &thread_own) enter__two_inside(call);
    task_inside = messages_self;
    inside = true;
    if (!thread_first) thread_first = &thread_own;
    return thread_first == &thread_own;
}

void messages_several_threads(void)
{
    several = true;
    thread_inside = NULL;
}

bool messages_first_thread(void)
{
    return thread_first == &thread_own;
}

void messages_leave(void)
{
    messages_task *t = messages_self;
    if (!messages_running_ahead || !messages_running_ahead->leaves(t)) t->inside = false;
    direct_unlock();
    inside = false;
    __atomic_store_n(&thread_inside, NULL, __ATOMIC_SEQ_CST);
    if (messages_threads)
        messages_threads->leave();
    else
        direct_spent_leave(&spent);
}

bool messages_is_inside(void)
{
    return inside;
}

void messages_go_on(const char *call)
{
    messages_task *t = messages_self;
    if (messages_is_inside()) return; /* the function made no call */
    inside = true;
    if (!several) __atomic_store_n(&thread_inside, &thread_own, __ATOMIC_SEQ_CST);
    if (messages_threads)
        (void)messages_threads->enter(call);
    else
        direct_spent_again(&spent);
    messages_turn_take();
    direct_lock();
    t->inside = true;
    strncpy(t->call, call, sizeof t->call - 1);
}

void messages_only_thread(void)
{
    thread_only = &thread_own;
}
