/* window.h - one-sided communication (windows.c, mpi_win.c). Private to examples/messages.
 *
 * What a rank does to the window of another one is a deed. Deeds for one target travel together in a parcel, which is a
 * message. The target's task need not be in a call: the engine takes the parcel, with CPU time on the target's host,
 * and sends the answers. Memory of a process can only be accessed by that process, which applies the deeds before it
 * next returns to its program, or when another task needs a result (messages_visit()). Memory in the arena is accessed
 * by any task, at the same point. */
#ifndef MESSAGES_WINDOW_H
#define MESSAGES_WINDOW_H

#include "task.h"

typedef enum messages_deed_kind {
    MESSAGES_PUT,
    MESSAGES_GET,
    MESSAGES_ACCUMULATE,
    MESSAGES_FETCH,   /* gets what was there and accumulates */
    MESSAGES_COMPARE, /* gets what was there and puts if it was equal to the second half of the data */
    MESSAGES_LOCK,
    MESSAGES_UNLOCK,
    MESSAGES_CONFIRM, /* answers when everything before it has been taken */
    MESSAGES_EXPOSE,  /* post: the target of this deed may now access the window of its origin */
    MESSAGES_FINISH   /* complete: its origin will not access the window any more */
} messages_deed_kind;

/* The answer that a rank waits for, for error messages. */
typedef enum messages_answer {
    MESSAGES_DATA,
    MESSAGES_GRANT,
    MESSAGES_RECEIPT,
    MESSAGES_PARCELS,
    MESSAGES_FINISHES,
    MESSAGES_EXPOSURE
} messages_answer;

typedef struct messages_run { /* contiguous bytes */
    ptrdiff_t place;
    size_t bytes;
} messages_run;

struct messages_deed {
    messages_deed *next; /* in its parcel, then among those to be applied */
    messages_deed_kind kind;
    int32_t op, basic;         /* of an accumulation: numbers of the operation and of the basic type */
    bool exclusive;            /* a lock */
    bool anywhere;             /* its memory is in the arena */
    bool applied;              /* the result is there; who asked for it frees the deed */
    int32_t target;            /* task */
    messages_request *request; /* of its origin, to be answered; NULL: none */
    messages_chunk *data, *result;
    size_t bytes;  /* of the packed result, or data */
    char *place;   /* in the memory of the target: the runs of one element follow, repeated */
    size_t repeat; /* times */
    ptrdiff_t extent;
    size_t run_count;
    messages_run runs[]; /* runs[run_count] */
};

struct messages_parcel {
    messages_parcel *next; /* among those that came too early */
    messages_window *window;
    int32_t origin, target; /* ranks */
    uint32_t number;        /* from this origin to this target */
    messages_deed *first, *last;
    size_t bytes;
    double work;  /* CPU time of accumulations [s] */
    bool watched; /* its target processed its bytes as they arrived */
};

typedef struct messages_wish { /* for a lock */
    struct messages_wish *next;
    bool exclusive;
    messages_request *request;
} messages_wish;

/* A rank of a window. */
typedef struct messages_member {
    int32_t task;
    int32_t unit; /* of displacements [B] */
    char *base;
    size_t bytes;
    bool exclusive;   /* locked */
    uint32_t holders; /* of its lock */
    messages_wish *first_wish, *last_wish;
    uint64_t parcels;        /* that it has taken */
    uint64_t finishes;       /* that it has taken */
    uint32_t *numbers;       /* numbers[size], by origin: of the next parcel; NULL: no parcel has come */
    uint32_t *exposures;     /* exposures[size], by origin: how often that rank has posted to this one; NULL: never */
    messages_parcel *early;  /* those that overtook others */
    messages_answer awaited; /* what its task waits for: */
    messages_request *waits; /* NULL: it does not */
    int32_t from;            /* the rank, for an exposure */
    uint64_t need;           /* the number that it waits for */
    messages_run *attached;  /* attached[attached_count], of a dynamic window: addresses */
    size_t attached_count, attached_room;
} messages_member;

struct messages_window {
    int32_t size, left; /* left: ranks that have freed it */
    char *memory;       /* memory[memory_bytes], of a shared window; NULL: none */
    size_t memory_bytes;
    messages_member members[];
};

void messages_parcel_take(messages_parcel *parcel);                       /* it has arrived */
bool messages_member_served(const messages_window *window, int32_t rank); /* what it waits for has happened */
void messages_window_drop(messages_window *window, int32_t rank);         /* a rank leaves it; the last one frees it */
void messages_deed_drop(messages_deed *deed);

#endif
