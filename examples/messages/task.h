/* task.h - tasks, each a process of the system; what they hand over to the engine, their scripts; and what they wait for.
 * Private to examples/messages. */
#ifndef MESSAGES_TASK_H
#define MESSAGES_TASK_H

#include "chunk.h"
#include "hosts.h"

#define MESSAGES_ANY (-1)        /* matches every source, or every tag */
#define MESSAGES_SELF 2          /* context of MPI_COMM_SELF */
#define MESSAGES_OF_PROGRAM (-4) /* context of a request without a message, which the program completes itself */
#define MESSAGES_ORIGIN (-3)     /* root of a rank that is the root itself: MPI_ROOT */
/* Tags of messages by which both sides of a connection over a port of MPI meet; the context is the number of the port. */
enum { MESSAGES_ACCEPTS = -2, MESSAGES_CONNECTS = -3 };

typedef struct messages_request messages_request;
typedef struct messages_message messages_message;
typedef struct messages_letter messages_letter;
typedef struct messages_window messages_window;
typedef struct messages_deed messages_deed;
typedef struct messages_parcel messages_parcel;
typedef struct messages_service messages_service;
typedef struct messages_stack messages_stack;

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/
/* The matching criteria of a receive. The source is the sender's number in this context. */
typedef struct messages_envelope {
    int32_t context, source, tag;
    uint32_t sent; /* of a message: how MPI sent it, and of which type; it does not count for matching */
} messages_envelope;

typedef enum messages_mode {
    MESSAGES_STANDARD = 0, /* by size: eager, or rendezvous */
    MESSAGES_BUFFERED,     /* the sender need not wait, whatever the size */
    MESSAGES_SYNCHRONOUS,  /* complete when the receiver has begun to receive */
    MESSAGES_POSTED        /* eager, whatever the size, as by PVM's daemons */
} messages_mode;

typedef struct messages_link {
    struct messages_link *before, *after;
} messages_link;

typedef enum messages_progress {
    MESSAGES_IDLE = 0, /* not started */
    MESSAGES_EXPECTED, /* will be posted (see ahead.c) */
    MESSAGES_ACTIVE,   /* no message yet */
    MESSAGES_MATCHED,  /* its message is known, its bytes are in transit */
    MESSAGES_ARRIVED,  /* all bytes have arrived; the receiver has not taken them */
    MESSAGES_DONE
} messages_progress;

enum { MESSAGES_SMALL = 120 };

/* A receive, or a send that can be waited for. There may be a million at once. */
struct messages_request {
    union {
        messages_link link;      /* among those posted */
        messages_request *after; /* in the list of those that have arrived */
    } in;
    messages_task *owner;
    messages_envelope envelope; /* as posted; once matched, the message's */
    messages_progress progress : 8;
    uint8_t small; /* messages of up to so many bytes are stored in `own`; 0: it has none */
    bool receives : 1;
    bool watched : 1;   /* its owner waits for it */
    bool several : 1;   /* and other threads of its owner's rank do */
    bool cancelled : 1; /* without a message */
    bool holds : 1;     /* a matched probe, which takes the message that it finds */
    bool seen : 1;      /* its owner processed its bytes as they arrived */
    bool one_sided : 1; /* of a window: the source is a rank, the tag the awaited messages_answer */
    bool shown : 1;     /* its owner, which runs ahead, has its data already and may drop it */
    uint32_t look;      /* its owner's number of looks when it arrived */
    uint32_t number;    /* of its owner's receives, in the order of posting; it may overflow */
    int32_t from;       /* task that sent it; of a send: task to which it goes */
    size_t bytes;
    messages_chunk *chunk;
    union {
        messages_message *held;    /* by a matched probe, until this request is posted as its receive */
        messages_message *coming;  /* which will complete it; NULL: not known yet (see ahead.c) */
        messages_request *dropped; /* the next one in the list of those to be freed */
    } of;
    uint64_t own[]; /* a small message, so that the receiver need not touch the pages of the sender */
};

/*=============================================================================
 * MARK: - >>collective calls
 *===========================================================================*/
/* A rank's description of a collective call. The engine compares those of all ranks of a communicator. */
typedef enum messages_direction { MESSAGES_TO_ALL, MESSAGES_TO_ROOT, MESSAGES_FROM_ROOT } messages_direction;

typedef struct messages_meeting {
    int32_t context, leader; /* the communicator: its context, and the task of its first rank */
    int32_t rank, size;      /* this rank in it; number of ranks, of both sides of an intercommunicator */
    int32_t side, near;      /* of an intercommunicator: 1 or 2; number of ranks on this side. Else 0 */
    uint64_t number;         /* number of collective calls on it, including this one */
    char name[32];           /* name of the call, of which MPI's longest has 30 letters */
    int32_t root, op, type;  /* -1: none; the type is a basic one, or 0 */
    uint32_t elements;       /* the basic type of which all elements are, as in `sent` of an envelope */
    int32_t pattern;         /* of its messages, the same for all ranks; -1: it depends on the bytes */
    int64_t count;           /* -1: each has counts of its own */
    size_t bytes;            /* must agree on all ranks; SIZE_MAX: unspecified */
    size_t sends, room;      /* bytes sent to the others, or to each, and capacity to receive */
    messages_direction direction;
    bool returns; /* errors are returned as codes */
    int32_t task;
    uint64_t entered; /* number of the task's calls, including this one */
    double at;        /* the virtual time */
    /* In the description of the rank that was first: */
    struct messages_meeting *first, *next;
    int32_t came, left;
    uint64_t *here;                           /* bits: the ranks that came, those of the second side last */
    struct messages_meeting *far, *of_origin; /* copies: of the first rank on the other side, and of MPI_ROOT's */
    bool noted;
    size_t most, of_root; /* maximum bytes that a rank sends; bytes that the root sends */
} messages_meeting;

/*=============================================================================
 * MARK: - >>scripts
 *===========================================================================*/
typedef enum messages_action_kind {
    MESSAGES_COMPUTE, /* CPU time */
    MESSAGES_SLEEP,   /* time without CPU time */
    MESSAGES_PACK,    /* CPU time of packing so many bytes */
    MESSAGES_SEND,
    MESSAGES_POST,     /* posts a receive */
    MESSAGES_MEET,     /* a collective call begins */
    MESSAGES_WAIT,     /* waits for all requests of a list, or for some */
    MESSAGES_PROBE,    /* waits until a message matches an envelope */
    MESSAGES_LOOK,     /* a poll for messages; costs as much as an empty receive */
    MESSAGES_CANCEL,   /* cancels a receive or a send that has not been matched */
    MESSAGES_START,    /* starts a progress thread, and waits until it waits for messages */
    MESSAGES_COMPLETE, /* completes a request of this task */
    MESSAGES_LOADS,    /* load averages of its host; 0: they will be requested later */
    MESSAGES_KILL,     /* kills the task whose number is the count */
    MESSAGES_BLOCK,    /* waits until it is woken, or a virtual time [s]; count: it computes meanwhile */
    MESSAGES_EXIT
} messages_action_kind;

typedef struct messages_action {
    messages_action_kind kind : 5;
    uint32_t need : 27; /* wait: how many of them must be done */
    uint32_t count;     /* wait: how many requests; loads: how many averages; send: whether it has a letter */
    double amount;      /* [s], or [B] */
    union {
        messages_letter *letter;
        messages_message *message; /* with several cores, instead of the letter */
        messages_meeting *meeting;
        messages_task *thread;
        messages_request *request;   /* also for a wait for one request */
        messages_request **requests; /* in shared memory; the engine frees it */
    } of;
} messages_action;

/* The actions that a task hands over to the engine, one after another. */
typedef struct messages_script {
    messages_action *actions; /* actions[room], of which `count` are used */
    uint32_t count, room;
    struct messages_script *next; /* a further one, handed over while this one is not complete */
    size_t carried;               /* bytes of its messages */

    /* With several cores, see ahead.c: */
    uint32_t committed;        /* actions up to here whose messages their receivers know */
    uint32_t meets;            /* actions up to the last collective call in it */
    uint32_t certain;          /* requests of its wait that are known to be done in the end */
    messages_request *dropped; /* to be freed when it is complete */
} messages_script;

/*=============================================================================
 * MARK: - >>tasks
 *===========================================================================*/
/* The tasks that spawned others together. */
typedef struct messages_parents {
    int32_t context;
    size_t count;
    int32_t tasks[];
} messages_parents;

/* To what a task's virtual time is attributed. */
typedef enum messages_state {
    MESSAGES_COMPUTING = 0,
    MESSAGES_SENDING,
    MESSAGES_RECEIVING,
    MESSAGES_WAITING, /* for messages, or for something outside */
    MESSAGES_THREADS, /* waits for other threads */
    MESSAGES_SLEEPING,
    MESSAGES_STATES
} messages_state;

#define MESSAGES_SIZES 48 /* of the histogram: class k has up to 2^k - 1 bytes */

/* Messages in transit between two tasks: one line of the caches. When none is left, other tasks get it: among thousands of
 * tasks there are a million pairs, but few of them have messages in transit at the same time. */
struct messages_connection {
    messages_message *first, *last;     /* in transit to the other one: first in, first out */
    messages_message *answers;          /* to its rendezvous requests, on their way; they overtake large messages */
    struct messages_connection *behind; /* among those that wait for the link of the host, or that are free */
    double watch;                       /* CPU time of its receiver while the first message arrives [s] */
    double passing;         /* load of the part of the first message that is being transferred [s]; 0: none */
    int32_t from, to;       /* from: -1 if it is free */
    uint32_t users;         /* those that will need it, even if nothing is in transit */
    uint32_t packets : 29;  /* in which the messages in transit travel */
    uint32_t transfers : 2; /* of that part that are not over: one, or one over each of two links */
    uint32_t busy : 1;
};

/* An entry in the table of a task: another task, and what connects them. */
typedef struct messages_partner {
    uint32_t other;      /* number of the other task + 1; 0: this place of the table is free */
    uint32_t connection; /* the last one to it, as its place in the arena; another pair may have it by now. 0: none */
    double waited;       /* time spent waiting for it [s] */
} messages_partner;

/* A load average that a task asks for. */
typedef struct messages_load {
    double beta, interval; /* as for simkit_load_average() */
    double load;           /* the answer */
} messages_load;

enum { MESSAGES_LOADS_MOST = 3 };

/* Receives from one source, and messages that no receive has matched; a task has several, by source. */
typedef struct messages_queues {
    messages_link posted, arrived;
} messages_queues;

enum { MESSAGES_QUEUES = 4, MESSAGES_COMING = 16 };

/* Of a task, with several cores: see ahead.c. */
typedef struct messages_ahead {
    bool hasty;   /* may run ahead of its script, because it will only read what it has received */
    bool ahead;   /* it does, or may from now on */
    bool alone;   /* its process has gone on without its turn, */
    bool outside; /* and has left the call */
    bool died;    /* with this status, while it was alone */
    int status;
    bool unsure;   /* it has received from any source: what it will receive is never known before it arrives */
    bool waited;   /* its last call may have run ahead */
    bool released; /* it may go ahead, and is in the list of those that have not been woken for that */
    messages_task *next_released;
    bool has_turn;    /* from when it is given until it is passed on, also while its process does not know it yet */
    uint32_t counted; /* as computing on the core with this index + 1; 0: not */
    int core;         /* index of the processor on which its process runs */
    messages_link
        *coming; /* coming[2 * MESSAGES_COMING], by source: messages without a receive, then receives without one */
    messages_script *last_script; /* the last of its scripts that it has handed over */
    messages_script *further;     /* one that its process is writing meanwhile; NULL: none */
    double computes;              /* CPU time from a wait to the next call: the maximum of the last ones, about [s] */
} messages_ahead;

/* The tasks that a task has messages to or from: a table, see messages_partner_of(). */
typedef struct messages_partners {
    messages_partner *list; /* list[room] */
    uint32_t room, count;
    bool direct; /* the place of a partner in the table is its number */
} messages_partners;

/* Receives of a task, and messages for it. */
typedef struct messages_inbox {
    messages_queues *queues; /* queues[queue_count], a power of two */
    uint32_t queue_count;
    uint32_t receives;         /* that it has posted */
    uint32_t looks;            /* how often it has looked for messages; each look finds all that have arrived */
    uint32_t watches;          /* number of messages whose bytes it processes as they arrive */
    messages_link posted_any;  /* receives from any source */
    messages_link arrived_any; /* all messages that no receive has matched */
    messages_message *first_deferred, *last_deferred; /* to be taken in its next call */
    messages_queues first_queues[MESSAGES_QUEUES];
} messages_inbox;

/* The wait of a task: its requests, and how many are still open. */
typedef struct messages_waiting {
    bool waits;   /* until a request is done */
    bool late;    /* it timed out */
    bool blocked; /* a thread: until another one wakes it, */
    bool outside; /* or until another rank has written to a file */
    bool idle;    /* no rank could go on, and so this wait was ended */
    double over;  /* virtual time at which that was [s] */
    size_t open;  /* number of requests that it still needs */
    messages_request *first_arrived, *last_arrived;
    messages_request *taking; /* the message that it is receiving */
    messages_request *probes; /* the envelope of its probe */
    simkit_step deadline;
} messages_waiting;

/* Times and counts of a task, for the report. */
typedef struct messages_account {
    double spent[MESSAGES_STATES]; /* [s] */
    uint64_t sent;                 /* messages */
    double bytes_sent;
    double worked;    /* CPU time that it has computed, on its host [s] */
    double computing; /* of its last computation, at speed 1 [s] */
    double began, ends;
} messages_account;

/* Of a task that shares its process, while others run: its static data, and where its stack ends. */
typedef struct messages_kept {
    char *data; /* data[used] */
    uint32_t used, room;
    const char *stack_end;
} messages_kept;

/* Of a task: its threads and progress threads. Of such a thread: its place among them. See threads.c, progress.c. */
typedef struct messages_progress_threads {
    messages_task *threads, *ended; /* those that have ended are for the next ones */
    messages_task *left;            /* threads that have ended, likewise */
    uint32_t made;                  /* number of threads that it has made */
    uint32_t busy;                  /* number of those that do not wait for messages */
    bool settles;                   /* the task waits until none of them is busy */
    messages_task *next;            /* of a thread: in its task's list */
    messages_request *result;       /* completed when it ends */
    void *run;                      /* its function, in memory of the process */
} messages_progress_threads;

/* One-sided communication with this task as the target. */
typedef struct messages_serving {
    messages_deed *first_deed, *last_deed;          /* on its memory, to be applied */
    messages_service *first_service, *last_service; /* parcels and answers, one after another */
} messages_serving;

/* Those started together with a task, and who started them. */
typedef struct messages_family {
    int32_t world, world_size; /* first of the tasks started together, and their number */
    int32_t context;           /* of all of them */
    int32_t program;           /* which of the programs that were started together */
    int32_t parent;            /* the task that spawned it; -1: none */
    messages_parents *parents; /* of MPI: all of them; NULL: none */
    bool mpi, finalized;       /* it has called MPI_Init; MPI_Finalize */
    bool left;  /* PVM: its end has been announced: it ends, was killed, or was not spawned and has called pvm_exit() */
    bool shows; /* the tasks it spawns print to stdout instead of stderr */
} messages_family;

/* The process of a task, of which base.process is the number. */
typedef struct messages_system {
    pid_t forked_as; /* the process that the launcher started; it may be a shell script that started the task */
    bool forked;     /* a fork of the launcher: the engine's code is at the same addresses */
    bool together;   /* the ranks of the launcher's program share one process; its turn is that of the first rank */
    bool crashed;    /* its stack is that of a crash */
    bool asked;      /* the launcher has asked for its stack by a signal, and will end it */
} messages_system;

/* Where a task computes. */
typedef struct messages_cores {
    simkit_node node; /* a node of the engine; */
    uint32_t cores;   /* how many cores it has */
    uint32_t first;   /* first of the cores of its host to which its rank is bound */
    uint32_t sees;    /* how many its rank sees */
} messages_cores;

/* Thousands of tasks are not in the caches of a processor when they get their turns, so what a message needs is at the
 * beginning, in few lines. */
struct messages_task {
    int32_t number;
    int32_t host;
    bool live, ended, final;
    bool inside;
    bool started;
    bool charged;    /* the delay of the action is over */
    bool threaded;   /* of `of`: a thread of its process, see threads.c; else a progress thread */
    uint32_t thread; /* its number among those that its rank has made, from 1; 0: that of main() */
    uint32_t at;     /* number of the action of its script that is next */
    messages_script script;

    messages_state state; /* its current state, entered at `since` [s] */
    double since;
    messages_task *
        of; /* of a thread or a progress thread (threads.c, progress.c): its task, with which it shares number, host and
                          process; NULL: this is a task */
    messages_waiting wait;
    direct_task base;
    messages_task *turn_of; /* the thread for which its process has the turn; NULL: itself */
    messages_partners partners;
    messages_cores part;
    simkit_computation computation; /* its current computation */
    double cooled;                  /* what it has computed and slept since its last message [s] */
    messages_inbox inbox;

    messages_account account;
    uint64_t polled;           /* the common count of polls at its last poll */
    uint64_t entered;          /* number of its calls */
    const void *caller;        /* address of the program from which it sends */
    messages_meeting *meeting; /* that it takes part in; NULL: none */
    messages_kept kept;
    char call[32]; /* its current or last call */
    messages_serving serving;
    messages_ahead *ahead; /* NULL: on one core */

    char name[32];
    messages_family family;
    messages_system system;
    messages_load loads[MESSAGES_LOADS_MOST];
    messages_stack *stack; /* its calls, when an error message needed them; else NULL */
    /* With --why, --calls or --json, numbers of calls for messages_site_at(), 0: unknown: */
    uint32_t site;       /* of the last call */
    uint32_t state_site; /* to which its state belongs */
    uint32_t *sites;     /* sites[site_room]: which have added the actions of its script */
    uint32_t site_room;
    messages_progress_threads progress;
};

/* The task of a thread or progress thread, or the task itself. */
static inline messages_task *messages_rank_of(messages_task *t)
{
    return t->of ? t->of : t;
}

#endif
