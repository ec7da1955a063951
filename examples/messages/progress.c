/* progress.c - progress threads: functions that a task's process runs besides the program, each on a stack of its own.
 * What such a function asks for goes into a script of its own, and messages_flush() leaves its stack until that script is
 * complete. So a nonblocking collective call is the function of the blocking one. The stacks are those of simkit.h's
 * processes, in a world that only switches between them. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

enum { STACK = 256 * 1024 };

static simkit_world *switcher;

typedef struct run {
    messages_task *thread;
    void (*body)(void *user);
    void *user;
    void (*ends)(messages_task *thread);
    simkit_process process;
} run;

static void progress__check(simkit_result result)
{
    if (result != SIMKIT_OK) messages_end(1, "%s: %s", messages_self->name, simkit_world_why(switcher));
}

static void progress__main(simkit_world *world, void *user)
{
    run *r = user;
    (void)world;
    r->body(r->user);
    r->ends(r->thread);
    r->thread->progress.run = NULL;
    free(r);
}

/* Runs a thread until it pauses. Each switch is at a time of its own, because a world limits the number of events at one. */
static void progress__switch(messages_task *thread)
{
    messages_task *t = messages_self;
    messages_self = thread;
    progress__check(simkit_world_run_until(switcher, simkit_clock_now(switcher) + 1));
    messages_self = t;
}

static messages_task *progress__thread_new(const char *call)
{
    messages_task *t = messages_rank_of(messages_self), *thread = t->progress.ended;
    if (thread) {
        t->progress.ended = thread->progress.next;
    } else {
        thread = messages_task_of(t);
    }
    memset(thread->call, 0, sizeof thread->call);
    strncpy(thread->call, call, sizeof thread->call - 1);
    thread->site = messages_self->site;
    thread->progress.result = messages_request_new(true);
    thread->progress.result->progress = MESSAGES_ACTIVE;
    return thread;
}

messages_task *messages_thread_begin(const char *call, void (*body)(void *user), void *user,
                                     void (*ends)(messages_task *thread))
{
    messages_task *thread = progress__thread_new(call);
    run *r = malloc(sizeof *r);
    if (!switcher) {
        simkit_world_desc none;
        memset(&none, 0, sizeof none);
        if (simkit_world_open(&none, &switcher) != SIMKIT_OK) switcher = NULL;
    }
    if (!switcher || !r) messages_end(1, "%s: no memory for %s", messages_self->name, call);
    *r = (run){ .thread = thread, .body = body, .user = user, .ends = ends };
    thread->progress.run = r;
    simkit_process_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = call;
    desc.body = progress__main;
    desc.user = r;
    desc.stack_bytes = STACK;
    progress__check(simkit_process_start(switcher, &desc, &r->process));
    progress__switch(thread);
    return thread;
}

void *messages_thread_user(void)
{
    return ((const run *)messages_self->progress.run)->user;
}

void messages_thread_pause(void)
{
    if (messages_self->script.count > 0) progress__check(simkit_process_suspend(switcher, messages_self->call));
}

void messages_thread_resume(messages_task *thread)
{
    const run *r = thread->progress.run;
    progress__check(simkit_process_resume(switcher, r->process));
    progress__switch(thread);
}
