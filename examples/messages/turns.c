/* turns.c - the turn of a task: a word of shared memory on which its process sleeps until another one gives it the turn. And what
 * else a process that sleeps is asked for: to apply deeds on its memory, to keep its stack, to go on ahead of its turn. */
#define _GNU_SOURCE
#include "engine.h"
#include "turns.h"

#include <time.h>

bool messages_slept MESSAGES_COMMON;
void (*messages_apply)(messages_deed *deed) MESSAGES_COMMON;

static void turns__set(messages_task *t, uint32_t turn)
{
    if (__atomic_exchange_n(&t->system.turn, turn, __ATOMIC_SEQ_CST) == MESSAGES_TURN_ASLEEP)
        messages_futex(&t->system.turn, FUTEX_WAKE, 1);
}

/* Gives the turn to a task, or to the process that it shares with others. */
void messages_turn_give(messages_task *t)
{
    if (messages_running_ahead) messages_cores_place(t);
    turns__set(t->system.together ? messages->tasks[0] : t, MESSAGES_TURN_GO);
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
    if (!messages_apply) return;
    turns__deeds_apply(&messages_self->serving.first_deed, &messages_self->serving.last_deed);
    turns__deeds_apply(&messages->visit.first_deed, &messages->visit.last_deed);
}

/* Returns the turn: MESSAGES_TURN_GO, MESSAGES_TURN_VISIT or MESSAGES_TURN_AHEAD. */
uint32_t messages_turn_sleep(uint32_t *turn)
{
    for (int i = messages->spins; i > 0; --i) {
        if (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != MESSAGES_TURN_NONE) break;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    for (;;) {
        uint32_t was = MESSAGES_TURN_NONE;
        if (!__atomic_compare_exchange_n(turn, &was, MESSAGES_TURN_ASLEEP, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
            was != MESSAGES_TURN_ASLEEP) { /* else it was woken for a turn that it has had */
            if (was != MESSAGES_TURN_TELL) break;
            messages_above.keep_stack();
            __atomic_store_n(turn, MESSAGES_TURN_NONE, __ATOMIC_SEQ_CST);
            continue;
        }
        messages_slept = true;
        messages_futex(turn, FUTEX_WAIT, MESSAGES_TURN_ASLEEP);
    }
    return __atomic_exchange_n(turn, MESSAGES_TURN_NONE, __ATOMIC_SEQ_CST);
}

void messages_turn_wait(void)
{
    uint32_t *turn = messages_self->system.together ? &messages->tasks[0]->system.turn : &messages_self->system.turn,
             given;
    messages_unlock();
    while ((given = messages_turn_sleep(turn)) == MESSAGES_TURN_VISIT) {
        messages_task *visited = messages->tasks[messages->visit.visited];
        if (visited == messages_self)
            messages_deeds_take();
        else
            messages_together_as(visited, messages_deeds_take);
        messages_turn_give(messages->tasks[messages->visit.visitor]);
    }
    messages_lock();
    if (messages_running_ahead) messages_self->ahead->alone = messages_is_ahead = given == MESSAGES_TURN_AHEAD;
    if (!messages_self->system.together) return;
    messages_task *next = messages->tasks[messages->running];
    messages_slept = true;
    if (next != messages_self) messages_together_switch(next);
}

void messages_turn_take(void)
{
    if (!messages_is_ahead) return;
    messages_cores_leave();
    messages_turn_wait();
    messages_running_ahead->taken(messages_self);
}

void messages_visit(messages_task *t)
{
    if (t->system.together && messages_self->system.together) {
        messages_together_as(t, messages_deeds_take);
        return;
    }
    messages->visit.visitor = messages_self->number;
    messages->visit.visited = t->number;
    turns__set(t->system.together ? messages->tasks[0] : t, MESSAGES_TURN_VISIT);
    messages_turn_wait();
}

bool messages_stack_ask(messages_task *t)
{
    enum { PATIENCE = 5000 }; /* times 100 us */
    const struct timespec step = { 0, 100000 };
    if (t == messages_self) {
        messages_above.keep_stack();
        return true;
    }
    if (t->ended || !t->system.process || t->system.together)
        return false; /* of ranks that share a process only the stack of one is there */
    const uint32_t before = __atomic_exchange_n(&t->system.turn, MESSAGES_TURN_TELL, __ATOMIC_SEQ_CST);
    messages_unlock(); /* it needs memory for its stack */
    if (before == MESSAGES_TURN_ASLEEP) messages_futex(&t->system.turn, FUTEX_WAKE, 1);
    for (int i = 0; i < PATIENCE && __atomic_load_n(&t->system.turn, __ATOMIC_SEQ_CST) == MESSAGES_TURN_TELL; ++i)
        messages_nanosleep(&step, NULL);
    messages_lock_break();
    return __atomic_load_n(&t->system.turn, __ATOMIC_SEQ_CST) != MESSAGES_TURN_TELL && t->stack != NULL;
}
