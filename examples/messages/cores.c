/* cores.c - with several cores: on which of them a task runs, and tasks that may go on ahead of their turns. Waking a process on
 * another core takes ten times as long as on the same one. So a task that is to compute for long is moved to the core on which
 * the fewest tasks compute, and others follow the turn. */
#define _GNU_SOURCE
#include "engine.h"
#include "turns.h"

#include <math.h>
#include <sched.h>
#include <sys/syscall.h>

void messages_pin(pid_t process, int processor)
{
    cpu_set_t set;
    if (processor < 0) return;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    direct_syscall(SYS_sched_setaffinity, process, sizeof set, &set);
}

/* Two ranks spin for their turn, each on its processor. There a thread that spins would keep other threads of its rank from running:
 * from the first thread on, both ranks are on one processor, and sleep, as more ranks do. */
void messages_pin_together(void)
{
    messages_task *rank = messages_rank_of(messages_self);
    cpu_set_t set;
    if (messages->spins == 0 || rank->number > 1) return;
    messages->spins = 0;
    const messages_task *other = messages->tasks[1 - rank->number];
    CPU_ZERO(&set);
    if (direct_syscall(SYS_sched_getaffinity, other->base.process, sizeof set, &set) <= 0) return;
    direct_syscall(SYS_sched_setaffinity, 0, sizeof set, &set);
    if (rank->ahead && other->ahead) rank->ahead->core = other->ahead->core;
}

static void cores__move(messages_task *t, int core)
{
    if (t->ahead->core == core || messages->spins > 0) return; /* of two, each has its own */
    t->ahead->core = core;
    messages_pin(t->base.process, messages->several.processors[core]);
}

/* Moves a task that is to compute to the core on which the fewest tasks do, not counting where it is now; the turn counts
 * as half a task. */
static void cores__spread(messages_task *t, const messages_task *turn)
{
    double least = INFINITY;
    int best = t->ahead->core;
    if (__atomic_load_n(&t->ahead->counted, __ATOMIC_RELAXED) != 0) return;
    for (int i = 0; i < messages->cores; ++i) {
        const double load = (double)__atomic_load_n(&messages->several.computes[i], __ATOMIC_RELAXED) +
                            (turn && turn->ahead->core == i ? 0.5 : 0) + (i != t->ahead->core ? 0.25 : 0);
        if (load >= least) continue;
        least = load;
        best = i;
    }
    cores__move(t, best);
    __atomic_fetch_add(&messages->several.computes[t->ahead->core], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&t->ahead->counted, (uint32_t)t->ahead->core + 1, __ATOMIC_RELAXED);
}

/* This task, which may have computed, makes a call, or waits. */
void messages_cores_leave(void)
{
    messages_task *t = messages_self;
    if (!t || __atomic_load_n(&t->ahead->counted, __ATOMIC_RELAXED) == 0) return;
    const uint32_t counted = __atomic_exchange_n(&t->ahead->counted, 0, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&messages->several.computes[counted - 1], 1, __ATOMIC_RELAXED);
}

/* The core on which a task goes on that gets the turn: if it is to compute for long, that on which the fewest tasks compute; else
 * this one. */
void messages_cores_place(messages_task *t)
{
    if (t->ahead->computes >= messages->several.worth)
        cores__spread(t, NULL);
    else if (messages_self && !t->ahead->counted)
        cores__move(t, messages_self->ahead->core);
}

/* Lets a task that waits go ahead, unless something else is asked of it. Returns whether it sleeps. */
static bool cores__ahead_set(messages_task *t)
{
    uint32_t turn = __atomic_load_n(&t->base.turn, __ATOMIC_SEQ_CST);
    while ((turn == DIRECT_TURN_NONE || turn == DIRECT_TURN_ASLEEP) &&
           !__atomic_compare_exchange_n(&t->base.turn, &turn, MESSAGES_TURN_AHEAD, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
        continue;
    return turn == DIRECT_TURN_ASLEEP;
}

/* Lets the tasks go ahead that may, and gives up the lock, unless this task goes on itself. Several tasks call this at once,
 * so it is done under the lock, before the next turn can be given: MESSAGES_TURN_AHEAD after DIRECT_TURN_GO would be a turn
 * lost. But those that sleep are woken without the lock, because they will need it. */
void messages_released_wake(bool goes_on)
{
    enum { ROOM = 64 };
    messages_task *asleep[ROOM];
    int count = 0;
    for (messages_task *t = messages->several.first_released; t; t = t->ahead->next_released) {
        if (!t->ahead->released) continue;
        t->ahead->released = false;
        if (t->ahead->has_turn) continue;
        cores__spread(t, messages_self);
        if (!cores__ahead_set(t)) continue;
        if (count < ROOM)
            asleep[count++] = t;
        else
            direct_futex(&t->base.turn, FUTEX_WAKE, 1, NULL);
    }
    messages->several.first_released = NULL;
    if (!goes_on) direct_unlock();
    for (int i = 0; i < count; ++i) direct_futex(&asleep[i]->base.turn, FUTEX_WAKE, 1, NULL);
}
