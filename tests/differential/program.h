/* tests/differential/program.h   A program for the engine as data: a flat list of operations.
 *
 * Operation 0 stands for the host. Every other one is executed once, by another: in the callback of a step, a computation,
 * a transfer, a message or a receiver, in the body of a process, or by the host before and between its runs. Those with
 * the same parent are executed in the order of the list. So any operation can be taken out, and what is left is a
 * program: that is how one that fails is shrunk. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPS = 500, NUMBERS = 13 };

/* KIND, name, the simkit call, what it calls or runs later ('c' a callback, 'p' a process), whether it waits */
#define KINDS(X)                                                                                                       \
    X(NOTHING, "nothing", "", 0)                                                                                       \
    X(HOST, "host", "", 'c')                                                                                           \
    X(NODE, "node", "simkit_node_add", 0)                                                                              \
    X(FAIL, "fail", "simkit_node_fail", 0)                                                                             \
    X(RUNNING, "running", "simkit_node_running", 0)                                                                    \
    X(STEP_AT, "step at", "simkit_step_at", 'c')                                                                       \
    X(STEP_AFTER, "step after", "simkit_step_after", 'c')                                                              \
    X(STEP_CANCEL, "cancel", "simkit_step_cancel", 0)                                                                  \
    X(STEP_PENDING, "pending", "simkit_step_pending", 0)                                                               \
    X(STEP_BACKGROUND, "background", "simkit_step_background", 0)                                                      \
    X(NEXT, "next", "simkit_clock_next", 0)                                                                            \
    X(STOP, "stop", "simkit_world_stop", 0)                                                                            \
    X(RUN_UNTIL, "run until", "simkit_world_run_until", 0)                                                             \
    X(COMPUTE, "compute", "simkit_computation_start", 'c')                                                             \
    X(COMPUTE_CANCEL, "cancel computation", "simkit_computation_cancel", 0)                                            \
    X(LOAD_KEEP, "keep load", "simkit_load_record", 0)                                                                 \
    X(LOAD_AVERAGE, "load", "simkit_load_average", 0)                                                                  \
    X(TRANSFER, "transfer", "simkit_transfer_start", 'c')                                                              \
    X(TRANSFER_CANCEL, "cancel transfer", "simkit_transfer_cancel", 0)                                                 \
    X(MODEL, "model", "simkit_pair_set", 0)                                                                            \
    X(BOX, "mailbox", "simkit_mailbox_open", 0)                                                                        \
    X(BOX_CLOSE, "close", "simkit_mailbox_close", 0)                                                                   \
    X(BOX_COUNT, "count", "simkit_mailbox_messages", 0)                                                                \
    X(POST, "post", "simkit_mailbox_post", 'c')                                                                        \
    X(TAKE, "take", "simkit_mailbox_take", 'c')                                                                        \
    X(PROCESS, "process", "simkit_process_start", 'p')                                                                 \
    X(WAIT, "wait", "simkit_process_wait", 0)                                                                          \
    X(PROCESS_COMPUTE, "compute and wait", "simkit_process_compute", 0)                                                \
    X(SEND, "send", "simkit_process_send", 0)                                                                          \
    X(RECEIVE, "receive", "simkit_process_receive", 0)                                                                 \
    X(ACQUIRE, "acquire", "simkit_process_acquire", 0)                                                                 \
    X(LISTEN, "listen", "simkit_process_listen", 0)                                                                    \
    X(ARRIVE, "arrive", "simkit_process_arrive", 0)                                                                    \
    X(JOIN, "join", "simkit_process_join", 0)                                                                          \
    X(CHOOSE, "choose", "simkit_process_choose", 0)                                                                    \
    X(SUSPEND, "suspend", "simkit_process_suspend", 0)                                                                 \
    X(RESUME, "resume", "simkit_process_resume", 0)                                                                    \
    X(KILL, "kill", "simkit_process_kill", 0)                                                                          \
    X(STACK, "stack", "simkit_process_stack", 0)                                                                       \
    X(WATCH, "watch", "simkit_watch_add", 0)                                                                           \
    X(WATCH_REMOVE, "remove watcher", "simkit_watch_remove", 0)                                                        \
    X(TELL, "tell", "simkit_watch_emit", 0)                                                                            \
    X(OPERATION, "operation", "simkit_operation_add", 0)                                                               \
    X(OPERATE, "operate", "simkit_operation_run", 0)                                                                   \
    X(USERS, "users", "simkit_arrivals_start", 'c')                                                                    \
    X(RESOURCE, "resource", "simkit_resource_open", 0)                                                                 \
    X(CONDITION, "condition", "simkit_condition_open", 0)                                                              \
    X(BARRIER, "barrier", "simkit_barrier_open", 0)                                                                    \
    X(SHUT, "shut", "simkit_resource_close", 0)                                                                        \
    X(ASK, "ask", "simkit_resource_acquire", 'c')                                                                      \
    X(HARK, "hark", "simkit_condition_wait", 'c')                                                                      \
    X(COME, "come", "simkit_barrier_arrive", 'c')                                                                      \
    X(END, "end", "simkit_process_ended", 'c')                                                                         \
    X(RELEASE, "release", "simkit_resource_release", 0)                                                                \
    X(SIGNAL, "signal", "simkit_condition_signal", 0)                                                                  \
    X(BROADCAST, "broadcast", "simkit_condition_broadcast", 0)                                                         \
    X(WAIT_CANCEL, "cancel wait", "simkit_wait_cancel", 0)                                                             \
    X(BOUND, "bound", "simkit_mailbox_bound", 0)                                                                       \
    X(LIMIT, "limit", "simkit_process_limit", 0)                                                                       \
    X(INTERRUPT, "interrupt", "simkit_process_interrupt", 0)                                                           \
    X(MEASURE, "measure", "simkit_resource_available", 0)

typedef enum kind {
#define KIND_ENUM(KIND, name, call, calls) KIND,
    KINDS(KIND_ENUM)
#undef KIND_ENUM
        KIND_COUNT
} kind;

static const struct {
    const char *name, *call;
    char calls;
} kinds[] = {
#define KIND_ROW(KIND, name, call, calls) { name, call, calls },
    KINDS(KIND_ROW)
#undef KIND_ROW
};

typedef struct op {
    kind kind;
    int by;            /* whose callback or body executes it */
    int a, b;          /* operations that it refers to: nodes, mailboxes, steps, ...; 0: none */
    int n;             /* cores, a priority or a nice level */
    bool flag;         /* a transfer: in order; a computation: background; a resource: a semaphore */
    bool quiet;        /* without callbacks */
    double x[NUMBERS]; /* times, sizes, rates: see play.h */
} op;

typedef struct program {
    uint64_t seed; /* of the world, and what it was generated from */
    int sharing;
    bool extreme; /* with numbers that only some calls take; nothing for the reference */
    int count; /* of operations, with the host */
    op ops[MOST_OPS];
} program;

static inline bool calls_back(const op *o)
{
    return kinds[o->kind].calls != 0 && !(o->quiet && o->kind == POST);
}

/* What happened in a run, entry by entry. */
typedef enum event {
    CALLED,   /* the operation answered at once */
    RETURNED, /* it answered in a process, perhaps after a wait */
    RAN,      /* a step; a process: its body begins */
    DONE,
    LOST,
    GOT, /* a message */
    NOT_GOT,
    FLOWS,   /* a transfer: its bytes begin to flow */
    ARRIVED, /* a transfer: all of them */
    ENDED    /* a run */
} event;

static const char *const events[] = { "answers", "returns", "runs", "is done", "is lost", "got", "is closed", "flows", "arrives", "run ends" };

typedef struct entry {
    double time;
    int op;
    event event;
    int result;
    double values[4];
} entry;

enum { MOST_ENTRIES = 4 * MOST_OPS };

typedef struct history {
    int count;
    entry entries[MOST_ENTRIES];
} history;

static inline void history_add(history *h, entry e)
{
    if (h->count < MOST_ENTRIES) h->entries[h->count] = e;
    ++h->count;
}

static inline void entry_print(FILE *file, const program *p, const entry *e)
{
    fprintf(file, "%.17g s: ", e->time);
    if (e->op > 0) fprintf(file, "%d %s ", e->op, kinds[p->ops[e->op].kind].name);
    fprintf(file, "%s", events[e->event]);
    if (e->event == CALLED || e->event == RETURNED || e->event == ENDED)
        fprintf(file, " %d", e->result);
    for (int i = 0; i < 4; ++i)
        if (e->values[i] < 0 || e->values[i] > 0 || e->event == GOT) fprintf(file, "%s%.17g", i ? ", " : " ", e->values[i]);
    fprintf(file, "\n");
}

#endif
