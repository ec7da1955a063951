/* core.h - the base of mpi.h and pvm3.h: tasks, each a process of the system, and the messages between them on one
 * virtual clock. Private to examples/messages; docs/messages.md explains how it works.
 *
 * One task runs at a time; with several cores, others compute beside it. Its calls append actions to its script; nothing
 * happens yet. When it needs a result, it hands the script to the engine and sleeps until the virtual time at which the
 * last action is complete. The engine has no process of its own: it runs in the task that hands over its script, on
 * shared memory, and then wakes the task that is next in virtual time. */
#ifndef MESSAGES_CORE_H
#define MESSAGES_CORE_H

#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MESSAGES_ADDRESS_SPACE ((size_t)256 << 30)
#define MESSAGES_ANY (-1)    /* matches every source, or every tag */
#define MESSAGES_SELF 2      /* context of MPI_COMM_SELF */
#define MESSAGES_ORIGIN (-3) /* root of a rank that is the root itself: MPI_ROOT */
/* Tags of messages by which both sides of a connection over a port of MPI meet; the context is the number of the port. */
enum { MESSAGES_ACCEPTS = -2, MESSAGES_CONNECTS = -3 };

typedef struct messages_task messages_task;
typedef struct messages_request messages_request;
typedef struct messages_message messages_message;
typedef struct messages_letter messages_letter;
typedef struct messages_window messages_window;
typedef struct messages_deed messages_deed;
typedef struct messages_parcel messages_parcel;
typedef struct messages_service messages_service;

/* The bytes of a message, in shared memory; several messages may carry the same. */
typedef struct messages_chunk {
    size_t bytes;
    uint32_t references;
    bool absent; /* the content does not matter and is not stored */
    char padding[3];
    char data[];
} messages_chunk;

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
    MESSAGES_EXPECTED, /* will be posted (see `running ahead` in engine.c) */
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
        messages_message *coming;  /* which will complete it; NULL: not known yet (see `running ahead` in engine.c) */
        messages_request *dropped; /* the next one in the list of those to be freed */
    } of;
    uint64_t own[]; /* a small message, so that the receiver need not touch the pages of the sender */
};

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

/* -- one-sided communication --
 * What a rank does to the window of another one is a deed. Deeds for one target travel together in a parcel, which is a
 * message. The target's task need not be in a call: the engine takes the parcel, with CPU time on the target's host,
 * and sends the answers. Memory of a process can only be accessed by that process, which applies the deeds before it
 * next returns to its program, or when another task needs a result (messages_visit()). Memory in the arena is accessed
 * by any task, at the same point. */
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

/* What a rank waits for, for error messages. */
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
    MESSAGES_WAITING,
    MESSAGES_SLEEPING,
    MESSAGES_STATES
} messages_state;

#define MESSAGES_SIZES 48 /* of the histogram: class k has up to 2^k - 1 bytes */

/* Messages in transit between two tasks: one line of the caches. When none is left, other tasks get it: among thousands of
 * tasks there are a million pairs, but few of them have messages in transit at the same time. */
typedef struct messages_connection {
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
} messages_connection;

/* What a task has with another one, in its table. */
typedef struct messages_partner {
    uint32_t other;      /* number of the other task + 1; 0: this place of the table is free */
    uint32_t connection; /* the last one to it, as its place in the arena; another pair may have it by now. 0: none */
    double waited;       /* time spent waiting for it [s] */
} messages_partner;
typedef struct messages_stack messages_stack;

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

/* What a task hands over: actions, one after another. */
typedef struct messages_script {
    messages_action *actions; /* actions[room], of which `count` are used */
    uint32_t count, room;
    struct messages_script *next; /* a further one, handed over while this one is not complete */
    size_t carried;               /* bytes of its messages */

    /* With several cores, see `running ahead` in engine.c: */
    uint32_t committed;        /* actions up to here whose messages their receivers know */
    uint32_t meets;            /* actions up to the last collective call in it */
    uint32_t certain;          /* requests of its wait that are known to be done in the end */
    messages_request *dropped; /* to be freed when it is complete */
} messages_script;

/* Thousands of tasks are not in the caches of a processor when they get their turns, so what a message needs is at the
 * beginning, in few lines. */
struct messages_task {
    int32_t number;
    int32_t host;
    bool live, ended, final;
    bool inside;
    bool started, waits;  /* waits: until a request is done */
    bool charged;         /* the delay of the action is over */
    bool late;            /* its wait timed out */
    bool partners_direct; /* whether the place of a partner in the table is its number */
    uint32_t at;          /* number of the action of its script that is next */
    messages_script script;
    messages_request *taking; /* the message that it is receiving */
    messages_request *probes; /* the envelope of its probe */

    messages_state state; /* its current state, entered at `since` [s] */
    bool forked;          /* a fork of the launcher: the engine's code is at the same addresses */
    bool together; /* shares its process with the other ranks of the launcher's program; the first has its `turn` */
    double since;
    double spent[MESSAGES_STATES];
    messages_task *of; /* of a progress thread, see progress.c: its task, with which it shares number, host and process;
                          NULL: this is a task */

    size_t open; /* number of requests that the wait still needs */
    messages_request *first_arrived, *last_arrived;
    messages_task *next_ready;
    messages_task *turn_of;     /* the thread for which its process has the turn; NULL: itself */
    messages_partner *partners; /* partners[partner_room]: table, see messages_partner_of() */
    uint32_t partner_room, partner_count;
    simkit_computation computation; /* its current computation */
    double cooled;                  /* what it has computed and slept since its last message [s] */
    uint32_t looks;                 /* how often it has looked for messages; each look finds all that have arrived */
    uint32_t watches;               /* number of messages whose bytes it processes as they arrive */

    messages_queues *queues; /* queues[queue_count], a power of two */
    uint32_t queue_count;
    uint32_t receives;         /* that it has posted */
    uint32_t busy;             /* number of progress threads that do not wait for messages */
    messages_link posted_any;  /* receives from any source */
    messages_link arrived_any; /* all messages that no receive has matched */

    uint64_t sent; /* messages */
    double bytes_sent;
    uint64_t polled;           /* the common count of polls at its last poll */
    uint64_t entered;          /* number of its calls */
    const void *caller;        /* address of the program from which it sends */
    double worked;             /* CPU time that it has computed, on its host [s] */
    double computing;          /* of its last computation, at speed 1 [s] */
    messages_meeting *meeting; /* that it takes part in; NULL: none */

    /* Of a task that shares its process, while others run: its static data, kept[kept_used], and where its stack ends. */
    char *kept;
    uint32_t kept_used, kept_room;
    const char *stack_end;

    char call[32];                         /* its current or last call */
    messages_deed *first_deed, *last_deed; /* on its memory, to be applied */
    messages_message *first_deferred, *last_deferred;

    messages_queues first_queues[MESSAGES_QUEUES];

    /* With several cores, see `running ahead` in engine.c: */
    bool hasty;   /* may run ahead of its script, because it will only read what it has received */
    bool ahead;   /* it does, or may from now on */
    bool alone;   /* its process has gone on without its turn, */
    bool outside; /* and has left the call */
    bool died;    /* with this status, while it was alone */
    int status;
    bool unsure;   /* it has received from any source: what it will receive is never known before it arrives */
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

    char name[32];
    int32_t world, world_size; /* first of the tasks started together, and their number */
    int32_t context;           /* of all of them */
    int32_t program;           /* which of the programs that were started together */
    int32_t parent;            /* the task that spawned it; -1: none */
    messages_parents *parents; /* of MPI: all of them; NULL: none */
    pid_t process;
    uint32_t turn;       /* futex: 1 when it may go on */
    bool mpi, finalized; /* it has called MPI_Init; MPI_Finalize */
    bool crashed;        /* its stack is that of a crash */
    bool asked;          /* the launcher has asked for its stack by a signal, and will end it */
    bool left;  /* PVM: its end has been announced: it ends, was killed, or was not spawned and has called pvm_exit() */
    bool shows; /* the tasks it spawns print to stdout instead of stderr */
    double began, ends;
    simkit_step deadline;
    messages_load loads[MESSAGES_LOADS_MOST];
    messages_service *first_service, *last_service; /* parcels and answers, one after another */
    messages_stack *stack;                          /* its calls, when an error message needed them; else NULL */
    pid_t forked_as; /* the process that the launcher started; it may be a shell script that started the task */

    /* Its progress threads, and those that have ended, for the next ones: */
    messages_task *threads, *ended_threads;
    bool settles; /* waits until none of them is busy */

    /* Only of a progress thread: */
    messages_task *next;      /* in its task's list */
    messages_request *result; /* completed when it ends */
    void *run;                /* its function, in memory of the process */
};

typedef struct messages_host {
    char name[32], type[32];
    bool only_asked; /* used only if requested by name or type */
    double factor;   /* computation time is multiplied by it: 1 / speed */
    double initialise, spawn;
    netmodel_message delays, self;
    netmodel_delay watch; /* CPU time of a task that waits for bytes, while they arrive */
    double wake;          /* time in which it is woken, without CPU time */
    double watch_busy;    /* the same, fixed, while its computer computes: it need not be woken then; < 0: as else */
    double send_more, receive_more; /* fixed CPU time of a message that finds others waiting; < 0: as for others */
    unsigned said, self_said;       /* bits: pack, send, transmit, receive */
    simkit_node_desc desc;          /* of speed 1, whose seconds are those of its users */
    size_t place;                   /* its index among the copies of the first host */
    int32_t computer;               /* the first host of its computer, which they share; itself if it has its own */
    double busy_until;              /* of that first one: when its computer will have done what has begun there [s] */
    simkit_node node;
    uint32_t queued;    /* number of messages whose last bytes are in the queue of its link */
    uint32_t receiving; /* number of messages that come from other hosts; known only with acknowledgements */
    messages_connection *first_waiting, *last_waiting; /* wait until that queue is empty */
} messages_host;

typedef struct messages_pair {
    int32_t from, to;
    netmodel_message delays;
    unsigned said;    /* bits: pack, send, transmit, receive */
    double latency;   /* [s]; < 0: that of the network */
    double bandwidth; /* [B/s]; 0: that of the links */
} messages_pair;

typedef struct messages_cluster {
    char name[96];
    messages_host *hosts; /* hosts[count] */
    size_t count, room;
    uint32_t *by_name; /* by_name[2 * room]: hash table from names to numbers + 1; 0: free */
    messages_pair *pairs;
    size_t pair_count;
    bool unlimited;         /* the first host is copied as often as needed */
    double eager;           /* eager limit [B]; < 0: all messages are eager */
    double look, look_more; /* CPU time of a poll that finds nothing; what each task adds to it that was sent to */
    bool busy_counts;       /* some host has a `watch_busy`, so that it must be known when computers compute */
    bool progress_in_calls; /* a task handles messages only while it is in a call */
    double latency;         /* of the whole path between two hosts [s], without that of links on routes */
    simkit_sharing sharing; /* how messages share links */
    double early;           /* bytes sent with the request of a rendezvous */
    double buffer;          /* bytes of a message that may be in transit when its send completes */
    double ahead;           /* bytes of a large message that answers to its receiver wait for */
    double queue;           /* bytes that wait at the link of a host, in the order in which they came */
    double header,
        header_more; /* bytes on the links with each packet of messages; with each message that joins others in one */
    double acknowledge;                         /* bytes on the link of a receiver for each full packet */
    double spacing, repeated, repeated_receive; /* computing after a message from which on the next one takes its full
                                                   fixed time [s], and the part of it that it takes without, when sent
                                                   and when received; 0, 1, 1: always full */
    char users[1024];                           /* users file; empty: none */
    simkit_population *population;              /* background users; NULL: none */
    bool loads;                                 /* hosts record their load */
    simkit_machine *machine;                    /* the machine file; its links have no latency, which is in the next */
    double *link_latencies;                     /* link_latencies[machine->link_count] */
    size_t *channels;                           /* scratch for a route of the topology, channels[channel_count] */
    size_t channel_count;
    size_t *placed; /* placed[placed_count]: the host of each task, as SIMKIT_PLACE says; NULL: by cores */
    size_t placed_count;
    size_t places;                  /* number of copies of the first host that exist, or might */
    simkit_node between;            /* stands for the switch; 0: not needed so far */
    size_t cores;                   /* of all hosts; 0: not added up yet */
    size_t filling, before_filling; /* the host of the last task by cores; cores of those before it */
} messages_cluster;

/* What makes the CPU time of a message shorter. */
typedef struct messages_haste {
    bool follows;    /* other messages are there as well, so that it takes no look of its own */
    double computed; /* by its task since the message before [s] */
} messages_haste;

/* What is between two hosts. */
typedef struct messages_way {
    double latency;   /* [s] */
    double bandwidth; /* of the slowest link, or of the window of a connection [B/s]; 0: none is slow */
    double limit;     /* of that window [B/s]; 0: no limit */
    bool shared;      /* with other messages */
    bool switched;    /* by a switch alone, which joins the links of the two hosts */
} messages_way;

enum { MESSAGES_MOST_TASKS = 65536, MESSAGES_MEETINGS = 4096, MESSAGES_SIDES = 256 };

/* Which mistakes are told that do not end the run; the last: also handles that are never freed. */
typedef enum messages_warnings {
    MESSAGES_NO_WARNINGS,
    MESSAGES_USUAL_WARNINGS,
    MESSAGES_ALL_WARNINGS
} messages_warnings;

typedef struct messages_note messages_note;
typedef struct messages_side messages_side;

/* A named segment of a skeleton. */
typedef struct messages_segment {
    struct messages_segment *next;
    char name[64];
    unsigned first;
    simkit_operation operation;
} messages_segment;

typedef struct messages_arena {
    uint64_t magic;
    size_t bytes;    /* of address space */
    char *fresh;     /* unused from here on */
    char *huge_from; /* from here on it is not known whether huge pages are possible */
    void *spare[160];
    size_t used, peak;
    messages_chunk *absent; /* the last one without content; NULL: none */
    messages_connection *free_connections;
    simkit_world *world;
    messages_task **tasks; /* tasks[task_count], numbers from 0 */
    int32_t *numbers_of;   /* numbers_of[task_count], of the tasks: 0, 1, 2... */
    uint32_t task_count, live;
    messages_task *first_ready, *last_ready;
    int32_t running;
    messages_cluster cluster;
    int32_t next_context;
    messages_meeting *meetings[MESSAGES_MEETINGS]; /* incomplete collective calls, by communicator and number */
    /* Scripts that only poll: their number, that number at the last other event, the time of that event, and the CPU
     * time since then. */
    uint64_t polls, polls_before;
    double polls_since, polls_time;
    uint64_t polls_most; /* maximum in a row before the run ends; 0: no limit */
    double time_limit;   /* of the virtual clock; INFINITY: none */
    double patience;     /* limit of the real time without a call [s]; 0: none */
    uint64_t turns;      /* number of turns given */
    messages_warnings warnings;
    messages_note *notes;
    uint64_t notes_dropped;
    uint32_t told;                        /* bits: see messages_about */
    messages_side *sides[MESSAGES_SIDES]; /* communicators, by context */
    uint64_t messages, costless;          /* costless: those that took no time on the way within a host */
    uint32_t histogram[MESSAGES_SIZES];
    bool measure;                  /* CPU time between calls is charged */
    int spins;                     /* number of spins before a waiting task sleeps */
    int cores;                     /* on which tasks compute at the same time */
    double worth;                  /* a task runs ahead only if it computes for so long after a wait [s] */
    int *processors;               /* processors[cores] */
    messages_task *first_released; /* those that may go ahead, but have not been woken */
    uint32_t *computes;            /* computes[cores]: number of tasks that compute there, ahead of their turns */
    uint32_t lock;  /* futex: with several cores, of the task that is in a call and works on this memory, */
    int32_t locker; /* number of that task, + 1; 0: unknown */
    bool windows;   /* one-sided communication is used: tasks do not run ahead */

    uint32_t bell; /* futex of the launcher: bits */
    int32_t caller;
    int32_t visitor, visited;              /* a task that has asked another one to apply deeds, and that */
    messages_deed *first_deed, *last_deed; /* on memory in the arena, to be applied */
    void *order;                           /* the tasks that the launcher is to start */
    bool over;
    int status;
    char why[8192];

    void *pvm;   /* shared data of PVM tasks */
    void *ports; /* of MPI: open ports, */
    void *names; /* and names of services */
    void *log;   /* NULL: nothing is traced */
    messages_segment *segments;
    int shared_file;   /* of skeleton_shared() */
    void *shared_pool; /* its areas in the process that ranks share */
} messages_arena;

/* Static data, where ranks share a process (together.c). Each rank has its own, except of these kinds: */
#define MESSAGES_COMMON __attribute__((section("messages_common"))) /* one for all */
#define MESSAGES_STEADY                                                                                                \
    __attribute__((section("messages_steady"))) /* as before main() until messages_together_changes() */

extern messages_arena *messages; /* at the same address in all tasks */
extern messages_task *messages_self;

/* arena.c */
int messages_memory_file(const char *name);
bool messages_arena_make(size_t *bytes, int *file); /* fewer if the system limits address space */
bool messages_arena_map(int file);
bool messages_arena_exists(void); /* whether its addresses are taken */
void *messages_new(size_t bytes); /* zeroed; ends the run without memory */
void messages_free(void *block, size_t bytes);
bool messages_lock(void); /* with several cores: waits until no other task works on the arena; false: no effect */
void messages_unlock(void);
bool messages_lock_try(void);   /* whether this process has it now */
void messages_lock_break(void); /* the run ends: does not wait long for a task that may have died with it */
void messages_lock_free(const messages_task *task); /* which has died, perhaps with it */
messages_chunk *messages_chunk_new(size_t bytes);
messages_chunk *messages_chunk_absent(size_t bytes);
void messages_chunk_drop(messages_chunk *chunk);
void *messages_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes);

/* hosts.c */
const char *messages_cluster_load(const char *path, messages_cluster *cluster); /* NULL, or the error */
const char *messages_host_change(messages_cluster *cluster, const char *host, const char *key, const char *value);
void messages_network_open(messages_cluster *cluster,
                           simkit_world *world); /* adds the links of the file, and its routes */
void messages_world_describe(const messages_cluster *cluster, netmodel_topology *space, simkit_world_desc *desc);
const char *messages_cluster_place(messages_cluster *cluster, const char *how); /* NULL, or the error */
messages_way messages_way_between(const messages_cluster *cluster, int32_t from, int32_t to);
int32_t messages_host_find(const messages_cluster *cluster, const char *name); /* -1: unknown */
/* Notes keys of the machine file that have no effect, and that `costless` messages within a host took no time on the way. */
void messages_cluster_note(const messages_cluster *cluster, uint64_t costless);
int32_t messages_host_open(messages_cluster *cluster, simkit_world *world,
                           int32_t host);                                         /* adds its node to the world */
simkit_node messages_switch_node(messages_cluster *cluster, simkit_world *world); /* with links that nothing limits */
void messages_hosts_open(messages_cluster *cluster, simkit_world *world); /* adds the nodes of all hosts in the file */
void messages_hosts_keep(messages_cluster *cluster, simkit_world *world); /* starts recording their load */
int32_t messages_host_for(messages_cluster *cluster, simkit_world *world,
                          size_t task); /* by cores, round-robin, or as placed */
double messages_pack_delay(const messages_cluster *cluster, int32_t host, double bytes);
double messages_send_delay(const messages_cluster *cluster, int32_t from, int32_t to, double bytes,
                           const messages_haste *haste);
/* Of a task that has waited for so long, and what it takes to wake it. */
double messages_watch_delay(const messages_cluster *cluster, int32_t host, double bytes, double waited, double now,
                            double *wake);
void messages_host_busy(messages_cluster *cluster, int32_t host, double now, double seconds); /* begins to compute */
double messages_receive_delay(const messages_cluster *cluster, int32_t from, int32_t to, double bytes,
                              const messages_haste *haste);
void messages_transmission(const messages_cluster *cluster, int32_t from, int32_t to, double bytes, double header,
                           double *latency,
                           double *whole); /* the latency of an empty message, and the whole time of this one */

/* engine.c */
messages_task *messages_task_add(const char *name, int32_t host, double begin);
void messages_script_begin(messages_task *task); /* of a new task */
/* CPU time in the name of a task, on its host; `started` may be NULL. */
void messages_computation_start(const messages_task *task, double seconds, simkit_call *done, void *user,
                                simkit_computation *started);
messages_partner *messages_partner_of(messages_task *task, int32_t other); /* until the next one is added */
void messages_send_parcel(messages_parcel *parcel, size_t bytes, messages_request *request);
/* In the name of the owner of a window, to the owner of the request: for windows.c. */
void messages_answer_send(messages_task *from, messages_request *request, size_t bytes);
void messages_request_complete(messages_request *request);
void messages_goes_on(void);                          /* an event has happened for which polling tasks may wait */
void messages_engine_start(void);                     /* gives the first turn */
messages_task *messages_engine_next(messages_task *); /* hands over its script; returns the next task; NULL: the end */
double messages_engine_last(messages_task *task);     /* gives no more turns */
void messages_task_kill(messages_task *task);
bool messages_probe(messages_task *task, messages_envelope *envelope, size_t *bytes);
bool messages_probe_matched(messages_task *task, messages_request *request); /* the request then holds the message */
void messages_waiting_text(char *text, size_t room); /* the waiting tasks, and what they wait for */
void messages_unreceived_note(void);                 /* the messages in transit when the run ended */
/* Weak, because programs without MPI do not have them: the arguments of a collective call as text; what a message has, and
 * the call that sent it; whether elements of two types, as in `sent`, may be of one message. */
void messages_meeting_text(const messages_meeting *meeting, char *text, size_t room) __attribute__((weak));
void messages_sent_text(uint32_t sent, size_t bytes, char *text, size_t room) __attribute__((weak));
bool messages_types_match(uint32_t one, uint32_t other) __attribute__((weak));
void messages_algorithms_read(void) __attribute__((weak)); /* of collectives: SIMKIT_ALGORITHMS */

/* mistakes.c */
/* Notes a mistake, or so many equal ones; at: the virtual time of the first, < 0: none. The line where the text has
 * MESSAGES_HERE is that of the caller, an address; if NULL, of the call that the task is in. */
__attribute__((format(printf, 4, 5))) void messages_note_add(double at, uint64_t times, const void *caller,
                                                             const char *format, ...);
/* Notes that a run has once at most, about the first rank and call that give reason for them. */
typedef enum messages_about {
    MESSAGES_ABOUT_FILES,
    MESSAGES_ABOUT_SLEEPING,
    MESSAGES_ABOUT_CLOCKS,
    MESSAGES_ABOUT_THREADS,
    MESSAGES_ABOUT_MULTIPLE
} messages_about;
__attribute__((format(printf, 3, 4))) void messages_note_once(messages_about about, const void *caller,
                                                              const char *format, ...);
void messages_notes_print(void);
messages_side *messages_side_add(int32_t context, const int32_t *tasks, int32_t size, const int32_t *far,
                                 int32_t far_size); /* by each of its ranks; one description for all */
void messages_side_inner(messages_side *side);      /* the program cannot call on it */
bool messages_is_inner(const messages_task *task, int32_t context);
void messages_side_name(messages_side *side, const char *name);
void messages_side_drop(messages_side *side);
const char *messages_communicator_text(const messages_task *task, int32_t context);
const messages_task *messages_task_of_source(const messages_task *task, int32_t context, int32_t source); /* or NULL */
const messages_task *messages_task_of_side(const messages_task *task, int32_t context,
                                           int32_t rank); /* on its own side */
const char *messages_rank_text(const messages_task *task, int32_t context, int32_t rank);
const char *messages_envelope_text(const messages_task *task, messages_envelope envelope); /* for what a task waits */
void messages_unreceived(const messages_task *to, const messages_task *from, messages_envelope envelope, size_t bytes,
                         double sent, const void *caller);

/* where.c */
void messages_stack_prepare(void); /* before the first of these calls, which may come after a crash */
void messages_stack_keep(void);    /* of this task */
const char *messages_where_kept(const messages_task *t); /* a mark for the line of the stack that it has kept */
const char *messages_where(messages_task *t);            /* a mark for the line of its call; empty: unknown */
messages_stack *messages_stack_copy(const void *caller); /* for a note; of the address alone, if it is not NULL */
#define MESSAGES_HERE "\003"                             /* in a note: the line */
/* To stderr, with lines instead of marks, as ` (file.c:12)`. */
void messages_where_print(const char *text, const messages_stack *here);

/* windows.c: the engine's part of one-sided communication */
void messages_parcel_take(messages_parcel *parcel);                       /* it has arrived */
bool messages_member_served(const messages_window *window, int32_t rank); /* what it waits for has happened */
void messages_window_drop(messages_window *window, int32_t rank);         /* a rank leaves it; the last one frees it */
void messages_deed_drop(messages_deed *deed);

/* record.c */
void messages_log_open(void);
void messages_log_state(messages_task *task, double now);
void messages_log_users(void);     /* records also their computations */
uint32_t messages_log_order(void); /* the number of what happens now, in a message's `order` */
void messages_log_message(int32_t from, int32_t to, double bytes, double sent, uint32_t order); /* it arrives */
void messages_waited(messages_task *task, int32_t from);
void messages_report_check(void); /* ends the run if its files cannot be written */
void messages_report(void);

/* together.c: ranks that share a process */
const char *messages_together_impossible(void);                                   /* the reason; NULL: they can */
void messages_together_run(messages_task *first, void (*begin)(messages_task *)); /* does not return */
void messages_together_switch(messages_task *next); /* runs the next one; returns when this one is next again */
void messages_together_as(messages_task *task, void (*call)(void)); /* with the static data of this one */
void messages_together_changes(void);                               /* before a change of steady data */

/* launch.c: what a task does */
void messages_launch_together(int argc, char **argv, char **environment);
void messages_launch(char **argv);
void messages_enter(const char *call);          /* adds the CPU time since the last call to the script */
double messages_segment_time(const char *call); /* likewise, but only returns it */
void messages_leave(void);
bool messages_alone(const char *call); /* ends the run if another thread is in a call; true: of the
                                                          * thread that called first */
bool messages_first_thread(void);
bool messages_is_inside(void);         /* whether this thread is in a call */
void messages_go_on(const char *call); /* with the call, after a function of the program that may have made calls */
bool messages_stack_ask(messages_task *task); /* makes a waiting task keep its stack; false: it does not answer */
bool messages_is_shared(const void *data, size_t bytes); /* whether it is shared memory without content */
void messages_flush(void);                               /* hands the script over; returns when it is complete */
/* Likewise, but on several cores it may return earlier if what the script waits for is certain. The caller must only read
 * what it has received, drop requests, and leave; whatever else it does first waits for its turn. */
void messages_flush_ahead(void);
/* Likewise, but the caller may also go on with a further script, and hand that over in the same way ahead of its turn: its
 * actions must depend on nothing but what the caller has received. */
void messages_flush_round(void);
bool messages_has_script(void);              /* whether it has added actions since */
void messages_further_queue(void);           /* hands over the further script of this task */
void messages_further_take(void);            /* makes it the script of this task, which has its turn */
void messages_go_ahead(messages_task *task); /* it returns from that */
extern bool messages_in_rounds;              /* this process may write further scripts if it runs ahead */
extern bool messages_ahead;                  /* this process does so */
void messages_turn_take(void);               /* waits for its turn if it runs ahead */
void messages_turn_wait(void);
extern void (*messages_apply)(messages_deed *deed); /* set by the layer in each process; NULL: no windows */
void messages_visit(messages_task *task);           /* it applies the deeds on its memory now */
__attribute__((noreturn, format(printf, 2, 3))) void messages_end(int status, const char *format, ...);

messages_action *messages_action_add(messages_action_kind kind);
void messages_compute(double seconds);
void messages_send(int32_t to, messages_envelope envelope, messages_chunk *chunk, size_t bytes, messages_mode mode,
                   messages_request *request, messages_request *forwards);
messages_request *messages_request_new(bool receives);
messages_request *messages_request_new_for(size_t bytes); /* a receive of up to so many bytes; 0: data is not read */
void messages_request_empty(messages_request *request);   /* drops its data */
void messages_request_drop(messages_request *request);
void messages_post(messages_request *request, messages_envelope envelope);
void messages_meet(messages_meeting *meeting);
bool messages_part(messages_meeting *meeting); /* frees it; true if this rank was sent more than its capacity */
void messages_wait(messages_request *const *requests, size_t count, size_t need);
void messages_wait_for(messages_request *request, double seconds); /* with a timeout [s] */
double messages_clock(void);                                       /* wall clock of this machine [s] */
double messages_now(void);
/* Starts tasks, on the given hosts or on those of the machine file in turn, with the launcher's environment and these
 * variables (`NAME=value`, NULL at the end). Returns the first task; -1: error. */
int32_t messages_spawn(int programs, const char *const *commands, char *const *const *argvs, const int *counts,
                       const int32_t *hosts, messages_parents *parents, char *const *variables);
bool messages_is_eager(size_t bytes);
void messages_before_exit(void (*call)(int status, const char *last)); /* with the exit status, and the last call */

/* progress.c */
/* Starts a progress thread, which runs a function; the request is complete when that has returned. */
messages_request *messages_thread_start(const char *call, void (*body)(void *user), void *user);
void *messages_thread_user(void); /* of the progress thread that runs */
void messages_thread_pause(void); /* leaves it until its script is complete */
void messages_thread_resume(messages_task *thread);

/* real.c */
struct timespec;
int messages_clock_gettime(clockid_t which, struct timespec *time);
int messages_nanosleep(const struct timespec *time, struct timespec *left);
extern bool messages_real_seen; /* this rank has slept, or read a clock of this machine */
void messages_real_note(void);  /* in a call: tells that */

/* loads.c: weak, for programs that do not ask for load averages. */
extern const char messages_asks_for_loads __attribute__((weak));
#endif
