/* flush.c - hands over the script of the task that runs, and waits for its next turn. */
#define _GNU_SOURCE
#include "engine.h"
#include "turns.h"

#include <string.h>

/* Gives the turn to the task that is next in virtual time. */
void messages_hand_over(messages_task *t)
{
    messages_task *next = messages_engine_next(t);
    if (messages_running_ahead)
        messages_released_wake(false);
    else
        direct_unlock();
    if (next)
        messages_turn_give(next);
    else
        messages_ring(MESSAGES_BELL_OVER);
}

/* Passes the turn on, and returns when the task has it again. Another thread of the process may have had it meanwhile. */
static void flush__turn_pass(messages_task *t)
{
    char kept[MESSAGES_CALL_DATA];
    const size_t bytes = messages_has_threads ? messages_call_kept.bytes : 0;
    if (bytes > 0) memcpy(kept, messages_call_kept.data, bytes);
    const bool several = messages_running_ahead != NULL;
    if (several) {
        messages_cores_leave();
        direct_lock(); /* an operation of the program may have made a call, which has given it up */
        t->ahead->has_turn = false;
    }
    if (t->system.forked) {
        messages_task *next = messages_engine_next(t);
        if (several) messages_released_wake(next == t);
        if (next != t) {
            messages_turn_give(next);
            messages_turn_wait(t);
        }
    } else {
        messages->caller = t;
        messages_ring(MESSAGES_BELL_SERVE);
        messages_turn_wait(t);
    }
    if (bytes > 0) memcpy(messages_call_kept.data, kept, bytes);
    messages_deeds_take();
}

void messages_flush(void)
{
    messages_task *t = messages_self;
    if (t->of && !t->threaded) {
        messages_thread_pause();
        return;
    }
    messages_turn_take();
    flush__turn_pass(t);
    while (t->turn_of) { /* for a progress thread */
        messages_thread_resume(t->turn_of);
        flush__turn_pass(t);
    }
}

void messages_flush_ahead(void)
{
    if (messages_running_ahead && !messages_has_threads) {
        messages_in_rounds = false;
        messages_turn_take();
        messages_self->ahead->hasty = messages_self->system.forked;
        messages_self->ahead->waited = true;
    }
    messages_flush();
}

/* Hands over a further script, and returns when it is certain, or complete and the task has its turn. */
static void flush__further_pass(messages_task *t)
{
    messages_further_queue();
    t->ahead->released = false; /* it needs no waking */
    if (t->ahead->ahead) {
        messages_released_wake(true);
        return;
    }
    messages_cores_leave();
    messages_released_wake(false);
    messages_turn_wait(t);
    messages_deeds_take();
}

void messages_flush_round(void)
{
    messages_task *t = messages_self;
    if (!messages_running_ahead || messages_has_threads) {
        messages_flush();
        return;
    }
    if (messages_is_ahead && t->ahead->further && !t->ahead->has_turn)
        flush__further_pass(t);
    else
        messages_flush_ahead();
    messages_in_rounds = t->system.forked && !t->of;
}
