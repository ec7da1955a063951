/* core.h - the engine, for the layers on it: tasks, each a process of the system, and the messages between them on one
 * virtual clock. Private to examples/messages; docs/messages.md explains how it works.
 *
 * One task runs at a time; with several cores, others compute beside it. Its calls append actions to its script; nothing
 * happens yet. When it needs a result, it hands the script to the engine and sleeps until the virtual time at which the
 * last action is complete. The engine has no process of its own: it runs in the task that hands over its script, on
 * shared memory, and then wakes the task that is next in virtual time. */
#ifndef MESSAGES_CORE_H
#define MESSAGES_CORE_H

#include "hosts.h"
#include "notes.h"
#include "task.h"
#include "window.h"

enum { MESSAGES_MEETINGS = 4096, MESSAGES_SIDES = 256 };

/* A named segment of a skeleton. */
typedef struct messages_segment {
    struct messages_segment *next;
    char name[64];
    unsigned first;
    simkit_operation operation;
} messages_segment;

/* Scripts that only poll, see waiting.c. */
typedef struct messages_polling {
    uint64_t count, before; /* before: the number at the last other event, */
    double since, time;     /* the time of that event, and the CPU time since then [s] */
    uint64_t most;          /* maximum in a row before the run ends; 0: no limit */
} messages_polling;

/* Mistakes that are told, see mistakes.c. */
typedef struct messages_told {
    messages_warnings wanted;
    messages_note *first;
    uint64_t dropped;
    uint32_t told;                        /* bits: see messages_about */
    messages_side *sides[MESSAGES_SIDES]; /* communicators, by context */
} messages_told;

/* For the report. */
typedef struct messages_counted {
    uint64_t messages, costless; /* costless: those that took no time within a host */
    uint32_t histogram[MESSAGES_SIZES];
} messages_counted;

/* With several cores, see ahead.c and cores.c. */
typedef struct messages_several {
    double worth;                  /* a task runs ahead only if it computes for so long after a wait [s] */
    int *processors;               /* processors[cores] */
    messages_task *first_released; /* those that may go ahead, but have not been woken */
    uint32_t *computes;            /* computes[cores]: number of tasks that compute there, ahead of their turns */
} messages_several;

/* A task that has asked another one to apply deeds, and that one. */
typedef struct messages_visiting {
    messages_task *visitor, *visited;
    messages_deed *first_deed, *last_deed; /* on memory in the arena, to be applied */
} messages_visiting;

typedef struct messages_arena {
    direct_arena memory;
    messages_polling polling;
    messages_told notes;
    messages_counted counted;
    messages_several several;
    messages_visiting visit;
    messages_chunk *absent; /* the last one without content; NULL: none */
    messages_connection *free_connections;
    messages_task **tasks; /* tasks[task_count], numbers from 0 */
    int32_t *numbers_of;   /* numbers_of[task_count], of the tasks: 0, 1, 2... */
    uint32_t task_count, live;
    uint32_t outside; /* threads that wait for files */
    int32_t running;
    messages_cluster cluster;
    int32_t next_context;
    messages_meeting *meetings[MESSAGES_MEETINGS]; /* incomplete collective calls, by communicator and number */
    double time_limit;                             /* of the virtual clock; INFINITY: none */
    double patience;                               /* limit of the real time without a call [s]; 0: none */
    uint64_t turns;                                /* number of turns given */
    bool measure;                                  /* CPU time between calls is charged */
    bool disturbed;                                /* times differ by a billionth, by chance: */
    simkit_random disturbance;
    int spins;    /* number of spins before a waiting task sleeps */
    int cores;    /* on which tasks compute at the same time */
    bool windows; /* one-sided communication is used: tasks do not run ahead */

    uint32_t bell;         /* futex of the launcher: bits */
    messages_task *caller; /* that asks the launcher */
    void *order;           /* the tasks that the launcher is to start */
    bool over, aborted;
    int status; /* of the run: that of the first task which ended with one other than 0 */
    char why[8192];

    void *pvm;   /* shared data of PVM tasks */
    void *ports; /* of MPI: open ports, */
    void *names; /* and names of services */
    void *log;   /* NULL: nothing is traced */
    void *sites; /* calls by their lines; NULL: not counted */
    messages_segment *segments;
    int shared_file;   /* of skeleton_shared() */
    void *shared_pool; /* its areas in the process that ranks share */
} messages_arena;

/* Static data, where ranks share a process (together.c). Each rank has its own, except of these kinds: */
#define MESSAGES_COMMON DIRECT_COMMON /* one for all */
#define MESSAGES_STEADY                                                                                                \
    __attribute__((section("messages_steady"))) /* as before main() until messages_together_changes() */

extern messages_arena *messages; /* at the same address in all tasks */
extern messages_task *messages_self;

/* A layer on the engine, such as MPI, attaches what the engine does not know. All may be NULL. */
typedef struct messages_layer {
    void (*meeting_text)(const messages_meeting *meeting, char *text,
                         size_t room); /* the arguments of a collective call */
    void (*sent_text)(uint32_t sent, size_t bytes, char *text,
                      size_t room);                    /* what a message has, and the call that sent it */
    bool (*types_match)(uint32_t one, uint32_t other); /* elements of two types, as in `sent`, may be of one message */
    void (*read_settings)(void);                       /* from the environment, at the beginning of a run */
} messages_layer;

extern messages_layer messages_attached;

/*=============================================================================
 * MARK: - >>the engine
 *===========================================================================*/
messages_task *messages_task_add(const char *name, int32_t host, double begin);
void messages_script_begin(messages_task *task);      /* of a new task */
messages_task *messages_task_of(messages_task *task); /* a thread or progress thread of it */
/* Ends MESSAGES_BLOCK, unless that is over; on an idle core the thread runs after a delay [s]. */
void messages_unblock(messages_task *thread, double delay);
/* Threads of all ranks that wait for something outside look for it again. idle: only the first of them, as no rank can go on. Returns
 * false if none waits. */
bool messages_outside_wake(bool idle);
/* CPU time in the name of a task, on its host; `started` may be NULL. */
/* The cores on which tasks compute (bind.c). */
enum { MESSAGES_BIND_NAMES = 3 };
extern const char *const messages_bind_names[MESSAGES_BIND_NAMES]; /* by messages_bind_to */
void messages_bind_check(const messages_cluster *cluster);         /* ends the run where a binding is not modelled */
void messages_bind(messages_task *task);                           /* that has been placed on its host */
void messages_bind_thread(messages_task *thread);
void messages_unbind(const messages_task *task); /* that has ended */
double messages_disturb(double seconds);         /* so that what happens at one instant happens in another order */
void messages_computation_start(const messages_task *task, messages_work work, simkit_call *done, void *user,
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
void messages_waiting_text(char *text, size_t room);     /* the waiting tasks, and what they wait for */
void messages_unreceived_note(void);                     /* the messages in transit when the run ended */
void messages_waited(messages_task *task, int32_t from); /* until now, for a message from that task */

/*=============================================================================
 * MARK: - >>together
 *===========================================================================*/
const char *messages_together_impossible(void);                                   /* the reason; NULL: they can */
void messages_together_run(messages_task *first, void (*begin)(messages_task *)); /* does not return */
void messages_together_switch(messages_task *next); /* runs the next one; returns when this one is next again */
void messages_together_as(messages_task *task, void (*call)(void)); /* with the static data of this one */
bool messages_together_ready(void);                                 /* in a process that ranks will share */
void messages_together_changes(void);                               /* before a change of steady data */

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/
void messages_enter(const char *call);          /* adds the CPU time since the last call to the script */
double messages_segment_time(const char *call); /* likewise, but only returns it */
double messages_clock_read(const void *place);  /* within a call from this place: virtual time [s] */
double messages_next(void); /* virtual time of the next event after this instant [s], with the turn */
void messages_vain(void);   /* within a call: what it has looked for is not there */
void messages_leave(void);
bool messages_alone(const char *call); /* ends the run if another thread is in a call; true: of the
                                                          * thread that called first */
void messages_several_threads(void);   /* from now on threads may be in calls at the same time */
bool messages_first_thread(void);
bool messages_is_inside(void);         /* whether this thread is in a call */
void messages_go_on(const char *call); /* with the call, after a function of the program that may have made calls */
bool messages_stack_ask(messages_task *task); /* makes a waiting task keep its stack; false: it does not answer */
bool messages_is_shared(const void *data, size_t bytes); /* whether it is shared memory without content */
void messages_flush(void);                               /* hands the script over; returns when it is complete */
/* As messages_flush(), but on several cores it may return earlier if what the script waits for is certain. The caller must only read
 * what it has received, drop requests, and leave; whatever else it does first waits for its turn. */
void messages_flush_ahead(void);
/* As messages_flush_ahead(), but the caller may also go on with a further script, and hand that over in the same way ahead of its turn: its
 * actions must depend on nothing but what the caller has received. */
void messages_flush_round(void);
bool messages_has_script(void); /* whether it has added actions since */
void messages_turn_take(void);  /* waits for its turn if it runs ahead */
void messages_turn_wait(
    messages_task *self); /* by the task of this thread, which has given up its turn: another may have it now */
extern void (*messages_apply)(messages_deed *deed); /* set by the layer in each process; NULL: no windows */
void messages_visit(messages_task *task);           /* it applies the deeds on its memory now */
__attribute__((noreturn, format(printf, 2, 3))) void messages_end(int status, const char *format, ...);

messages_action *messages_action_add(messages_action_kind kind);
void messages_compute(double seconds);
void messages_compute_undo(double seconds); /* no such time, if it is the last action */
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
/* Before the process of a task ends. It returns what the task has left out, as ` without MPI_Finalize`, or "".
 * NULL: its exit status says nothing either. */
void messages_before_exit(const char *(*call)(void));
__attribute__((noreturn)) void messages_abort(int status); /* the run is over for all tasks, and has its report */

/* threads.c */
/* The threads of this rank; NULL: only its first one is on the virtual clock. */
extern const direct_threads *messages_threads;
void messages_threads_hush(bool shared); /* this process is no rank, or not yet; shared: it is that of all ranks */
void messages_threads_attach(messages_task *rank, void (*exits)(int status)); /* exits: see direct_engine */
/* Data of a layer about the call in which a thread is: each thread finds its own when it has the turn. */
typedef struct messages_call_data {
    void *data;
    size_t bytes; /* up to MESSAGES_CALL_DATA */
} messages_call_data;
enum { MESSAGES_CALL_DATA = 320 };
extern messages_call_data messages_call_kept; /* set by a layer; NULL: it keeps none */
extern bool messages_has_threads; /* this rank has made a thread: it does not run ahead of its turn any more */
void messages_thread_first(messages_task *thread); /* in that thread: returns when it has its first turn */

/* progress.c */
/* Starts a progress thread, which runs a function; the request is complete when that has returned. */
messages_request *messages_thread_start(const char *call, void (*body)(void *user), void *user);
void *messages_thread_user(void); /* of the progress thread that runs */

/* real.c: the calls of the C library behind ours */
/* Calls of this rank that sleep or read a clock. A program that reads a clock once takes the date or a seed from it; one that
 * reads it twice measures. */
typedef struct messages_real_calls {
    const char *slept, *read;     /* the call; NULL: none */
    const void *sleeper, *reader; /* who called */
    int reads;
} messages_real_calls;

messages_real_calls messages_real_take(void); /* those for which there is no note yet; they are told then */
extern bool messages_real_seen;               /* there are some: see messages_real_note() */

/* loads.c: weak, for programs that do not ask for load averages. */
extern const char messages_asks_for_loads __attribute__((weak));

#endif
