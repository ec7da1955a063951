/* turns.c - the turn of a task: a word of shared memory on which its process sleeps until another one gives it the turn. And what
 * else a process that sleeps is asked for: to apply deeds on its memory, to keep its stack, to go on ahead of its turn. */
#define _GNU_SOURCE
#include "engine.h"
#include "turns.h"

#include <string.h>
#include <time.h>

void (*messages_apply)(messages_deed *deed) MESSAGES_COMMON;
const direct_threads *messages_threads MESSAGES_COMMON;
bool messages_has_threads MESSAGES_COMMON;
messages_call_data messages_call_kept MESSAGES_COMMON;

/* The word on which a task sleeps: its own, or that of the process which ranks share; a progress thread has none. */
static uint32_t *turns__word(messages_task *t)
{
    while (t->of && !t->threaded) t = t->of;
    return t->system.together ? &messages->tasks[0]->base.turn : &t->base.turn;
}

/* Gives the turn to a task, or to the process that it shares with others. */
void messages_turn_give(messages_task *t)
{
    if (messages_running_ahead) messages_cores_place(t);
    direct_turn_give(turns__word(t), DIRECT_TURN_GO);
}

static void turns__deeds_apply(messages_deed **first, messages_deed **last)
{
    while (*first) {
        messages_deed *d = *first;
        *first = d->next;
        messages_apply(d);
    }
    *last = NULL;
}

/* Applies the deeds of others on the memory of this task, and all on memory in the arena. */
void messages_deeds_take(void)
{
    messages_task *rank = messages_rank_of(messages_self);
    if (!messages_apply) return;
    turns__deeds_apply(&rank->serving.first_deed, &rank->serving.last_deed);
    turns__deeds_apply(&messages->visit.first_deed, &messages->visit.last_deed);
}

static void turns__visited(messages_task *visited)
{
    if (visited == messages_rank_of(messages_self))
        messages_deeds_take();
    else
        messages_together_as(visited, messages_deeds_take);
    messages_turn_give(messages->visit.visitor);
}

void messages_turn_wait(messages_task *self)
{
    uint32_t *turn = turns__word(self), given;
    direct_unlock();
    while ((given = direct_turn_wait(turn, messages->spins)) == MESSAGES_TURN_VISIT)
        turns__visited(messages->visit.visited);
    direct_lock();
    if (messages_threads) {
        messages_self = self; /* another thread of this process had the turn */
        messages_threads->resumed();
    }
    if (messages_running_ahead) self->ahead->alone = messages_is_ahead = given == MESSAGES_TURN_AHEAD;
    if (!self->system.together) return;
    messages_task *next = messages->tasks[messages->running];
    direct_slept = true;
    if (next != self) messages_together_switch(next);
}

void messages_thread_first(messages_task *t)
{
    (void)direct_turn_wait(&t->base.turn, 0);
    messages_self = t;
    if (messages_call_kept.bytes > 0) memset(messages_call_kept.data, 0, messages_call_kept.bytes);
}

void messages_turn_take(void)
{
    if (!messages_is_ahead) return;
    messages_cores_leave();
    messages_turn_wait(messages_self);
    messages_running_ahead->taken(messages_self);
}

void messages_visit(messages_task *t)
{
    if (t->system.together && messages_self->system.together) {
        messages_together_as(t, messages_deeds_take);
        return;
    }
    messages_task *self = messages_self;
    messages->visit.visitor = self;
    messages->visit.visited = t;
    direct_turn_give(turns__word(t), MESSAGES_TURN_VISIT);
    messages_turn_wait(self);
}

bool messages_stack_ask(messages_task *t)
{
    enum { PATIENCE = 5000 }; /* times 100 us */
    const struct timespec step = { 0, 100000 };
    if (t == messages_self) {
        direct_keep_stack(&t->base.turn);
        return true;
    }
    if (t->ended || !t->base.process || t->system.together)
        return false; /* of ranks that share a process only the stack of one is there */
    const uint32_t before = __atomic_exchange_n(&t->base.turn, DIRECT_TURN_TELL, __ATOMIC_SEQ_CST);
    direct_unlock(); /* it needs memory for its stack */
    if (before == DIRECT_TURN_ASLEEP) direct_futex(&t->base.turn, FUTEX_WAKE, 1, NULL);
    for (int i = 0; i < PATIENCE && __atomic_load_n(&t->base.turn, __ATOMIC_SEQ_CST) == DIRECT_TURN_TELL; ++i)
        direct_nanosleep(&step, NULL);
    direct_lock_break();
    return __atomic_load_n(&t->base.turn, __ATOMIC_SEQ_CST) != DIRECT_TURN_TELL && t->stack != NULL;
}
