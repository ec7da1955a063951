/* record.h - what is recorded of a run for traces and for its critical path: states of tasks, messages, processes of users. */
#ifndef MESSAGES_RECORD_H
#define MESSAGES_RECORD_H

#include "core.h"

enum { BLOCK = 2048, MESSAGE = MESSAGES_STATES, USERS };

typedef struct record {
    double begin, end;
    double amount;    /* of a message [B]; of a computation: its CPU time at speed 1 [s] */
    int32_t task, to; /* of users: the host instead of the task */
    uint32_t kind;    /* a state, or MESSAGE, or USERS */
    uint32_t site;    /* of a state: where its call is, or of computing that before which it is; 0: unknown */
    union {
        char call[20]; /* of users: the process */
        struct {
            uint32_t sent, arrived; /* of a message: numbers, in the order in which that happened */
        } order;
    } of;
} record;

typedef struct block {
    struct block *next;
    size_t count;
    record records[BLOCK];
} block;

typedef struct open {
    uint64_t number;
    record *record;
} open_;

typedef struct log {
    block *first, *last;
    size_t count;
    uint32_t order;   /* how many messages were sent and have arrived, together */
    struct log *late; /* messages whose receives were posted after they had asked for them */
    open_ *open;      /* open[open_room], open_count of them: processes of users that have not ended */
    size_t open_room, open_count;
} log_;

extern const char *const messages_state_names[MESSAGES_STATES];

static inline const record *record__at(block *const *blocks, size_t place)
{
    return &blocks[place / BLOCK]->records[place % BLOCK];
}

#endif
