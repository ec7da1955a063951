/* engine.c - who has the turn: the engine runs in the process of whichever task hands over its script; its state is in the
 * arena. Events are ordered by virtual time, so a receive takes the earliest message. */
#include "engine.h"

#include <math.h>

bool messages_outside_wake(bool idle)
{
    bool any = false;
    for (uint32_t i = 0; messages->outside > 0 && i < messages->task_count; ++i) {
        messages_task *t = messages->tasks[i], *thread = t->progress.threads;
        for (; t; t = thread, thread = thread ? thread->progress.next : NULL) {
            if (t->ended || !t->wait.outside || !t->wait.blocked) continue;
            any = true;
            t->wait.idle = idle;
            messages_unblock(t, 0);
            if (idle) return true;
        }
    }
    return any;
}

messages_task *messages_engine_next(messages_task *t)
{
    messages_arena *a = messages;
    if (t && t->turn_of) { /* the process ran a progress thread */
        messages_task *thread = t->turn_of;
        t->turn_of = NULL;
        t = thread;
    }
    if (t && messages_running_ahead && !t->of) messages_running_ahead->goes_on(t);
    if (t) messages_script_advance(t);
    messages_task *next;
    for (;;) {
        direct_task *ready;
        while (!(ready = direct_ready_take())) {
            if (a->live == 0) return NULL;
            simkit_result result = simkit_world_run(direct->world);
            if (result == SIMKIT_STOPPED) continue;
            messages_check(result);
            if (!direct->first_ready && a->live > 0 && !messages_outside_wake(true)) messages_deadlock();
        }
        next = OF_LINK(messages_task, base, ready);
        if (next->ended) continue; /* it has been killed meanwhile */
        if (simkit_clock_now(direct->world) > a->time_limit) messages_too_late();
        ++a->turns;
        if (!messages_running_ahead || !messages_running_ahead->next(next)) break;
        messages_script_advance(next); /* its further script begins */
    }
    a->running = next->number;
    if (next->of && !next->threaded) {
        next->of->turn_of = next;
        next = next->of;
    }
    if (messages_running_ahead) next->ahead->has_turn = true;
    return next;
}

/* After a task has crashed: runs what is pending without giving turns, and returns the virtual time that the task had
 * reached. */
double messages_engine_last(messages_task *t)
{
    double reached = simkit_clock_now(direct->world);
    t->wait.waits = false;
    if (messages_running_ahead) messages_running_ahead->taken(t);
    messages_script_advance(t);
    for (simkit_result result = SIMKIT_STOPPED; result == SIMKIT_STOPPED;) {
        for (const direct_task *ready; (ready = direct_ready_take());)
            if (ready == &t->base) reached = simkit_clock_now(direct->world);
        result = simkit_world_run(direct->world);
    }
    return reached;
}

void messages_engine_start(void)
{
    for (uint32_t i = 0; i < messages->task_count; ++i)
        if (messages->tasks[i]->script.count > 0 && !messages->tasks[i]->started) {
            messages->tasks[i]->started = true;
            if (messages_running_ahead) messages_running_ahead->starts(messages->tasks[i]);
            messages_script_advance(messages->tasks[i]);
        }
}
