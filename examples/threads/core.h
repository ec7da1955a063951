/* core.h - the base of libsimthreads.so: the threads of an unchanged program on one virtual clock. Private to
 * examples/threads; docs/threads.md explains how it works.
 *
 * Threads are real threads of the system, with their own stacks, errno and thread-local variables, but one runs at a
 * time: the one that has the turn. At each call that matters to other threads, the CPU time since the last one
 * becomes a computation on the node, and the turn goes to whichever thread is next in virtual time. The engine has
 * no thread of its own. It runs in the thread that gives up its turn.
 *
 * The files, from the lowest up; each calls those before it only:
 *   real.c     the functions of the C library that stand behind ours; messages
 *   objects.c  the things that threads wait for, and the places where they wait
 *   engine.c   the virtual clock of a program that runs alone
 *   path.c     the critical path
 *   turn.c     threads: their calls, computing, waiting and waking
 *   watch.c    preemption, and threads that wait in the kernel
 *   times.c    clocks and sleeping
 *   report.c   the report, and the sentence about a deadlock
 *   machine.c  the processors that the program sees, and its files about them
 *   locks.c    mutexes and the like
 *   files.c    waits for files
 *   disks.c    the cost of regular files
 *   pipes.c    reading and writing of what may wait: pipes, sockets, events; streams.c does so for those of the C library
 *   children.c waits for other processes
 *   ipc.c      locks on files, queues of messages, semaphores of System V; what is refused: io_uring, asynchronous files
 *   signals.c, timers.c, threads.c, c11.c, openmp.c
 *              further calls of the program
 *   trap.c     system calls by instructions of the program and of its libraries, which the kernel turns into signals
 *   start.c    the beginning and the end of a run
 *   rank.c     the threads of a rank of examples/messages
 *   syscall.c  system calls by their numbers: those of syscall() and of trap.c
 * Where a lower file has to call one above it, it does so through the table threads_above. */
#ifndef THREADS_CORE_H
#define THREADS_CORE_H

#define SIMKIT_NO_PROCESSES
#include "simkit.h"
#include "../direct/direct.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#define THREADS_PUBLIC __attribute__((visibility("default")))
/* For programs, by examples/threads/pthread.h. */
THREADS_PUBLIC void simthreads_name(const void *object, const char *name);
THREADS_PUBLIC int simthreads_compute(double seconds);

#define THREADS_CALLER ((const void *)__builtin_return_address(0))
#define THREADS_CLEANUP(call) __attribute__((cleanup(call)))

#define THREADS_MOST_SECONDS 1e15     /* [s]: of a setting, of a computation */
#define THREADS_NOTICE (SIGRTMAX - 4) /* the signal of preemption */

enum { THREADS_NAME = 32, THREADS_MOST_CORES = CPU_SETSIZE, THREADS_STATES = 8 };

/* Names of other files are hidden in the library, so that they are reached without a table of addresses. */
#pragma GCC visibility push(hidden)

typedef struct threads_thread threads_thread;
typedef struct threads_object threads_object;
typedef struct threads_files threads_files;
typedef struct threads_signal threads_signal;
typedef struct threads_step threads_step;

/*=============================================================================
 * MARK: - >>real.c
 *===========================================================================*/

/* The functions of the C library that stand behind ours. */
typedef struct threads_real_calls {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*join)(pthread_t, void **);
    int (*detach)(pthread_t);
    void (*exit)(void *);
    int (*cancel)(pthread_t);
    int (*setcancelstate)(int, int *);
    int (*setcanceltype)(int, int *);
    void (*testcancel)(void);
    int (*kill)(pthread_t, int);
    int (*kill_process)(pid_t, int);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*sigtimedwait)(const void *, void *, const struct timespec *);
    int (*setname)(pthread_t, const char *);
    int (*mask)(int, const void *, void *);
    long (*syscall)(long, ...);
    int (*clock_gettime)(clockid_t, struct timespec *);
    int (*clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
    long (*sysconf)(int);
    void (*end)(int); /* _exit() */
    int (*setaffinity)(pid_t, size_t, const cpu_set_t *);
    int (*getaffinity)(pid_t, size_t, cpu_set_t *);
    int (*poll)(void *, unsigned long, int);
    int (*ppoll)(void *, unsigned long, const struct timespec *, const void *);
    int (*select)(int, void *, void *, void *, struct timeval *);
    int (*pselect)(int, void *, void *, void *, const struct timespec *, const void *);
    int (*epoll_wait)(int, void *, int, int);
    int (*epoll_pwait)(int, void *, int, int, const void *);
    int (*sigsuspend)(const void *);
    int (*pause)(void);
    ssize_t (*write)(int, const void *, size_t);
    ssize_t (*writev)(int, const void *, int);
    ssize_t (*send)(int, const void *, size_t, int);
    ssize_t (*sendto)(int, const void *, size_t, int, const void *, unsigned);
    ssize_t (*sendmsg)(int, const void *, int);
} threads_real_calls;

extern threads_real_calls threads_real;
extern bool threads_off;    /* the run is over, and calls go to the C library */
extern bool threads_rank;   /* the program is one of examples/messages */
extern bool threads_shared; /* by ranks, of which none may wait in the kernel */
extern bool threads_hushed; /* this process has no run: the launcher of such a program, or ranks that share a process */

/* At the beginning of a call: it is that of the C library where there is no run. */
#define THREADS_THROUGH(name, arguments)                                                                               \
    if (__builtin_expect(threads_hushed, false)) {                                                                     \
        static __typeof__(&name) real;                                                                                 \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        return real arguments;                                                                                         \
    }                                                                                                                  \
    (void)0

/* Takes from a set the signals that the program cannot block: that of preemption, and that of a trapped call. */
static inline void threads_unblocked(sigset_t *set)
{
    sigdelset(set, THREADS_NOTICE);
    sigdelset(set, SIGSYS);
}

void threads_real_find(void);
void *threads_real_function(const char *name);
bool threads_sanitized(void); /* the program has a sanitizer, whose functions cannot be called before it is ready */
void threads_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void threads_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*=============================================================================
 * MARK: - >>upwards
 *===========================================================================*/

/* Calls of lower files to files above them. start.c defines the table. It is a constant that the linker fills in,
 * because a program may make its first call before any constructor of this library runs. "Outside" are the things
 * that happen outside of the virtual clock and that threads wait for: changes of files, and signals to the process. */
typedef struct threads_above_calls {
    void (*prepare)(void);                       /* a call comes before the run has begun */
    void (*several)(void);                       /* there will be a further thread */
    ssize_t (*write)(int, const void *, size_t); /* write() as the program calls it: threads that wait for it go on */
    bool (*outside_waited)(void);                /* a thread waits for files */
    void (*outside_look)(void);                  /* virtual time has passed: threads whose files are ready go on */
    void (*outside_wake)(void);                  /* the same at once, not only from time to time */
    double (*outside_await)(double most);        /* waits really for files; returns how long [s], `most` at most */
    bool (*outside_signal)(void);                /* waits really for a signal; false: no thread waits for one */
    __attribute__((noreturn)) void (*stopped)(void);    /* nothing can happen any more */
    void (*polled)(void);                               /* threads have polled too often, and the run is broken off */
    void (*ended)(threads_thread *t);                   /* a thread has ended */
    void (*expired)(threads_thread *t);                 /* this thread has the turn: timers whose time has come */
    double (*cpu_left)(const threads_thread *t);        /* CPU time of this thread until one of CPU time expires [s] */
    void (*trap)(threads_thread *t);                    /* system calls of this thread, which calls, are trapped */
    long (*call)(long number, const long arguments[6]); /* as syscall() of the program */
    bool (*called)(long number);                        /* the virtual clock has a meaning for this system call */
} threads_above_calls;

extern const threads_above_calls threads_above;

/*=============================================================================
 * MARK: - >>objects.c
 *===========================================================================*/

/* Things that a thread waits for. The first ones are objects of the program, known by their address. */
typedef enum threads_kind {
    THREADS_MUTEX = 0,
    THREADS_CONDITION,
    THREADS_BARRIER,
    THREADS_READ, /* of a read-write lock */
    THREADS_WRITE,
    THREADS_SPIN,
    THREADS_SEMAPHORE,
    THREADS_ONCE,
    THREADS_FUTEX,
    THREADS_FILES,
    THREADS_JOIN,
    THREADS_SLEEP,
    THREADS_SIGNAL,
    THREADS_KINDS
} threads_kind;

/* An object that threads have waited for. It is never freed, so that its times can be reported. */
struct threads_object {
    threads_object *next;  /* in its bucket */
    threads_object *after; /* in the order in which they were made */
    threads_kind kind;
    const void *address;
    threads_thread *first, *last; /* the threads that wait for it, in their order */
    direct_site *sites;
    uint64_t waits;
    double waited; /* [s] */
    char name[THREADS_NAME];
};

extern threads_object *threads_objects;

void threads_objects_prepare(void);
bool threads_libomp(const void *address);                                    /* a place in the OpenMP of clang */
threads_object *threads_object_of(threads_kind kind, const void *address);   /* makes it at first */
threads_object *threads_object_find(threads_kind kind, const void *address); /* NULL: nothing ever waited for it */
void threads_object_sited(threads_thread *t, threads_object *object, const void *holder);
void threads_object_waited(threads_thread *t, double seconds);
const char *threads_kind_name(threads_kind kind);
void threads_address(const void *address, char *text, size_t bytes);  /* module + offset */
void threads_describe(const void *address, char *text, size_t bytes); /* symbol or module + offset */

/*=============================================================================
 * MARK: - >>engine.c
 *===========================================================================*/

extern const direct_engine *threads_engine; /* that the threads stand on */

/* The virtual time of a run, by the number of threads that want a core. */
typedef struct threads_tally {
    double *running; /* running[room]: with so many threads that compute [s] */
    size_t room;
} threads_tally;

extern threads_tally threads_tallied;

void threads_engine_open(void);                /* the world with its node */
double threads_alone(const threads_thread *t); /* virtual time in which no other thread wanted a core [s] */

/*=============================================================================
 * MARK: - >>path.c
 *===========================================================================*/

void threads_path_begin(threads_thread *t, threads_thread *maker); /* it is made by another; NULL: it is the first */
/* Its wait for an object is over; `waker` is itself where a time is up, or NULL. */
void threads_path_wait_end(threads_thread *t, threads_thread *waker, const threads_object *object, double over);
void threads_path_woken(threads_thread *t); /* it has the turn after its wait, perhaps later than that was over */
void threads_path_write(FILE *file, threads_thread *t); /* it ends the run */

/*=============================================================================
 * MARK: - >>turn.c
 *===========================================================================*/

/* The end of a wait. */
typedef enum threads_end { THREADS_WOKEN = 0, THREADS_TIMED_OUT, THREADS_CANCELLED, THREADS_SIGNALLED } threads_end;

/* Times of a thread, or of all threads with the same first function, for the report [s]. */
typedef struct threads_times {
    double cpu;                   /* CPU time, charged so far */
    double computed;              /* virtual time, with and without a core */
    double waited[THREADS_KINDS]; /* virtual time */
    double waking;                /* virtual time */
} threads_times;

/* A signal that has been sent to a thread. */
struct threads_signal {
    threads_signal *next;
    siginfo_t info;
};

/* A wait of a thread. */
typedef struct threads_wait_state {
    threads_object *object; /* that it waits for; NULL: none */
    threads_thread *next;   /* that waits for the same object */
    direct_site *site;
    const threads_files *files; /* that it waits for; NULL: none */
    uint32_t bits;              /* of FUTEX_WAIT_BITSET */
    double spins;               /* it does so, and computes, until this virtual time [s] */
    double until;               /* virtual time [s]; INFINITY: no limit */
    bool idle;                  /* a rank waits for files, and no rank can go on */
    bool interruptible, cancellable;
    threads_end end;
} threads_wait_state;

struct threads_thread {
    direct_task *task; /* that the engine knows */
    uint32_t number;   /* 0 is the thread of main() */
    pthread_t pthread;
    threads_thread *next_of_all;
    void *(*body)(void *);
    void *argument;
    const void *entry; /* its first function */
    char name[THREADS_NAME];

    int inside;       /* depth of calls in progress; > 0: no preemption */
    int held;         /* stdio locks that it holds; > 0: no preemption */
    bool looks;       /* it is in a call of OpenMP that looks for tasks to do, and in no task */
    uint64_t calls;   /* how often its time has passed */
    bool small;       /* its stack is too small for preemption */
    bool trapped;     /* its system calls are: threads_turn_state has `trapping` */
    const char *call; /* its current or last call */

    bool ended, detached, joined, gone;
    int rounds; /* of key destructors */
    threads_thread *joiner;

    struct {
        int state, type;
        bool asked;    /* it is to be cancelled */
        bool deferred; /* and the C library is told so when the thread leaves the call that follows */
        bool shielded; /* it is in a call of the engine's layer, such as one of MPI, which no cancellation ends */
    } cancel;
    struct {
        uint64_t sent;         /* bits: to be raised when it has the turn */
        uint64_t awaited;      /* bits: those that it waits for */
        threads_signal *first; /* of those that were sent, in their order, if more is known of them */
    } signals;
    struct {
        bool chosen;
        cpu_set_t cores;
    } affinity;

    direct_loop loop;
    struct {
        uint64_t calls;                     /* as `calls` above, when it last looked for a change */
        unsigned times;                     /* in a row */
        uint64_t yielded;                   /* as `calls` above, at its last yield in the OpenMP of clang */
        uint64_t registers[THREADS_STATES]; /* at the ends of its last quanta, without a call since; 0: none */
        unsigned next;                      /* of these */
        bool spins;                         /* at the end of its last quantum, they were as before */
    } looking;

    direct_spent spent;
    double pending; /* CPU time not yet charged; < 0: so much of the next one was ours [s] */
    double since;   /* virtual time at which its wait began [s] */
    double worked;  /* its CPU time when its last wait was over [s] */
    double others;  /* CPU time charged to all others when it last had the turn [s] */
    double cold; /* CPU time that it may take to get its data into the cache again, because others had the turn [s] */
    threads_times times;
    threads_wait_state wait;
    struct {
        const threads_step *last; /* of the chain that says how it came here */
        double since;             /* up to when it goes [s] */
    } path;
};

/* Settings of a run, and what measuring takes. start.c fills them in. */
typedef struct threads_settings {
    unsigned cores;
    bool fixed;         /* no CPU time is measured */
    bool path;          /* the critical path is kept */
    double charge;      /* for each call, if no CPU time is measured [s] */
    double quantum;     /* CPU time after which a thread without a call is stopped [s]; 0: for ever */
    bool adapts;        /* the quantum is one that nobody has set: it may be shorter */
    double call_cost;   /* charged for each call [s] */
    double wake_delay;  /* until a woken thread runs on an idle core [s] */
    double spin_delay;  /* until a spinning thread of OpenMP goes on [s]; 0: these threads sleep at once */
    double timer_delay; /* by which sleeps end late [s] */
    double reload; /* CPU time that a thread takes to get its data into the cache again after others had the core [s] */
    double slice;  /* for which a thread keeps a core that more threads want [s]; 0: no longer than a quantum */
    double memory_bandwidth; /* that the cores share [B/s]; 0: no limit */
    double memory_rate;      /* bytes that a thread moves in a second of its CPU time [B/s] */
    double overhead;         /* CPU time that measuring takes in each call [s] */
    double begin;            /* virtual time at which this program replaced another one in its process [s]; 0: none */
    uint64_t polls;          /* maximum in a row; 0: no limit */
} threads_settings;

/* The turn, as the watching thread and the beginning and the end of the run see it. */
typedef struct threads_turn_state {
    bool prepared; /* the run has begun */
    bool watched;  /* a thread watches those of this rank */
    bool forked;   /* this process is a child of the program, with a clock of its own */
    bool trapping; /* system calls are trapped: each thread sees to it when it has the turn */
    threads_thread
        *volatile running;    /* the thread that has the turn; NULL: one of another process, or it is being passed on */
    uint32_t alive;           /* threads that have not ended */
    uint32_t bell;            /* futex of the watching thread: there is one thread more */
    volatile uint64_t spends; /* how often CPU time was charged */
    uint64_t active;          /* changes when a thread does something else than spinning */
    unsigned ahead;           /* threads that have computed for a quantum, which is to pass */
    unsigned
        in_vain;    /* so often since the last quantum, threads with little to do had to wait while others were ahead */
    uint64_t polls; /* in a row, without progress */
    double timer;   /* virtual time at which a timer expires [s]; INFINITY: none does */
    unsigned cpu_timers; /* timers of CPU time that are set */
    double looked;       /* CPU time of loops that look at a clock [s] */
} threads_turn_state;

extern threads_settings threads_set;
extern threads_turn_state threads_turn;
extern threads_thread *threads_all; /* all that have not been joined, the latest first */
extern uint32_t threads_started;    /* how many threads there were */
extern double threads_cpu;          /* CPU time charged to all threads [s] */

threads_thread *threads_main(void); /* the thread that calls is the one of main(), and there is no other one */
bool threads_forked(void); /* in the child of fork() only the thread that called it goes on; false: there is no run */

/* Every call begins with threads_enter() and ends with threads_leave(). threads_begin() also lets the CPU time so
 * far pass on the virtual clock, so that afterwards the call happens at the right time. */
threads_thread *threads_enter(const char *call);
threads_thread *threads_begin(const char *call);
threads_thread *threads_pass(threads_thread *t); /* the second half of threads_begin() */
bool threads_private(threads_thread *t);
double threads_charged(threads_thread *t); /* CPU time that was pending, and is to pass now [s] */
void threads_leave(threads_thread *t);
void threads_measure(threads_thread *t, bool on); /* within a call: what follows is charged to the thread */
void threads_spend(threads_thread *t, double seconds);
double threads_now(void);
void threads_yield(threads_thread *t);         /* those go first that are ready at this instant */
void threads_in_vain(void);                    /* the thread finds nothing to do */
void threads_poll(void);                       /* a call has looked for something that was not there */
void threads_signals_raise(threads_thread *t); /* that have been sent to it */
void threads_notice(threads_thread *t);        /* one that waits sees to its signals, and to timers, and waits on */
bool threads_timed(void);                      /* a timer is set */
void threads_cancel_now(threads_thread *t);    /* leaves the call, and ends the thread if it was cancelled */
threads_thread *threads_self(void);
bool threads_turn_mine(void); /* the thread has the turn, and is in no call */

/* Waits for an object, until a deadline of the virtual clock [s]. */
threads_end threads_wait(threads_thread *t, threads_object *object, double deadline, bool cancellable);
threads_end threads_spin(threads_thread *t, threads_object *object); /* the same, and computes meanwhile */
void threads_look(threads_thread *t, double until);                  /* looks at a clock until a virtual time [s] */
/* For a thread that looks for a change again and again: waits until another one makes a call, before which nothing changes that it could
 * see, or for a moment. No CPU time is charged for looking, of which there were so many seconds at most. */
void threads_look_again(threads_thread *t, double seconds);
void threads_wake(threads_thread *t, threads_end end);
bool threads_wake_first(threads_object *object);
unsigned threads_wake_all(threads_object *object);

int threads_make(threads_thread *t, pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                 void *argument, const void *entry);
void threads_drop(threads_thread *t);
void threads_exit(threads_thread *t); /* passes on the turn for good; the thread then leaves by the kernel's exit */
threads_thread *threads_find(pthread_t thread);

/*=============================================================================
 * MARK: - >>watch.c
 *===========================================================================*/

typedef struct threads_watch_state {
    bool calibrating; /* a notice does nothing, so that its own time can be measured */
    double overhead;  /* CPU time that a notice takes [s] */
    double quantum;   /* the present one [s] */
    double shortest;  /* that it was made [s] */
    uint64_t active;  /* that of threads_turn when threads began to do nothing but spin */
    double since;     /* real time at which they did [s] */
    int looks; /* so often the watching thread looks sooner, because a thread has spent its quantum in looking for tasks */
} threads_watch_state;

extern threads_watch_state threads_watch;

void threads_watch_prepare(void); /* finds the code in which a thread is never stopped */
void threads_watch_start(void);
void threads_watch_pin(void); /* one processor for the threads; the thread that watches them gets the others */
/* The thread may use all processors that the program may use; false: that of the run. */
void threads_watch_spread(bool spread);
bool threads_watch_untouched(uintptr_t place); /* an address in the C library and the like */

/*=============================================================================
 * MARK: - >>times.c
 *===========================================================================*/

int64_t threads_clock(clockid_t clock, threads_thread *t);             /* [ns]; < 0: not one of the virtual clocks */
const double *threads_cpu_clock(clockid_t clock, threads_thread *t);   /* [s]; NULL: not a clock of CPU time */
double threads_deadline(clockid_t clock, const struct timespec *time); /* virtual time [s] */
bool threads_clock_runs(clockid_t clock);                              /* it is one of virtual time */
bool threads_time_valid(const struct timespec *time);
void threads_clock_start(void);

/*=============================================================================
 * MARK: - >>report.c
 *===========================================================================*/

bool threads_report_child(void);  /* another process has started this one, and has the run */
void threads_report_forget(void); /* this process writes none */
void threads_report(bool ended);  /* false: the run was broken off */
bool threads_report_borrowed(void);
void threads_group_add(const threads_thread *t);
void threads_deadlock(void) __attribute__((noreturn));

/*=============================================================================
 * MARK: - >>machine.c
 *===========================================================================*/

/* The cores to which a thread is to be bound that is being made, as its attributes say. */
typedef struct threads_binding {
    bool bound;
    cpu_set_t set;
} threads_binding;

/* Takes them out of the attributes, because this machine may not have them, and puts them back. */
int threads_binding_take(const pthread_attr_t *attributes, threads_binding *binding);
void threads_binding_give(const pthread_attr_t *attributes, const threads_binding *binding, threads_thread *made);
long threads_affinity_get(const long *arguments); /* as syscall(SYS_sched_getaffinity) */
long threads_affinity_set(const long *arguments);
/* Opens a file of the system that tells about the machine; false: it is none. *file < 0: errno says why. */
bool threads_machine_open(const char *path, int flags, int *file);
void threads_machine_tell(void); /* by the environment, libraries that find out in ways of their own */

/*=============================================================================
 * MARK: - >>locks.c
 *===========================================================================*/

long threads_futex(const long *arguments); /* as syscall(SYS_futex) */
int threads_mutex_lock(threads_thread *t, pthread_mutex_t *mutex, double deadline, const void *site);
int threads_mutex_unlock(threads_thread *t, pthread_mutex_t *mutex);
void threads_robust_left(threads_thread *t); /* a thread ends: its robust mutexes have no owner any more */

/*=============================================================================
 * MARK: - >>signals.c
 *===========================================================================*/

extern struct sigaction threads_sigsys; /* that the program wants for SIGSYS while it is the signal of trapped calls */

/* Within a call, a signal to a thread, or to the process (NULL). Returns true if it is one more than those that are pending: ordinary
 * ones are merged, and so are those of a timer, which counts in si_overrun. */
bool threads_signal_send(threads_thread *to, const siginfo_t *info);
/* As rt_sigqueueinfo() and rt_tgsigqueueinfo(). */
int threads_signal_queue(pid_t process, pid_t thread, const siginfo_t *info);

/*=============================================================================
 * MARK: - >>timers.c
 *===========================================================================*/

void threads_timers_expire(threads_thread *t);
double threads_timers_left(const threads_thread *t);
void threads_timers_forget(void); /* in the child of fork(), none is set */

/*=============================================================================
 * MARK: - >>files.c
 *===========================================================================*/

/* One wait. `files` is what a real wait would wait for; `look` is the call itself, without waiting. */
struct threads_files {
    struct pollfd *files;
    unsigned long count;
    double seconds;        /* INFINITY: without a limit */
    double slice;          /* a real wait is so long at most, because no file tells its end [s]; 0: the usual */
    const sigset_t *given; /* signals that it blocks while it waits; NULL: those that the thread blocks anyway */
    int (*look)(void *);   /* 0: nothing yet */
    bool (*ready)(void *); /* true if look() would find something; takes nothing away */
    void *user;
    bool restarts; /* after a signal whose action says so (SA_RESTART) */
    sigset_t mask; /* the given one, or that of the thread */
};

/* Waits as the named call does; returns what look() found, 0: nothing in time, -1: errno says why. `left` receives the rest of its
 * time [s]; NULL: not wanted. */
int threads_files_wait(const char *call, threads_files *w, double *left);

/* A call that does not wait, and is tried again until it is over. */
typedef struct threads_files_attempt {
    bool (*attempt)(struct threads_files_attempt *a); /* true: it is over, and errno is its own */
    int file;                                         /* ready for reading when it is; -1: none is */
    bool over;
    int error;
} threads_files_attempt;

bool threads_files_try(const char *call, threads_files_attempt *a,
                       double seconds);                                /* false: it is not over; errno says why */
void threads_files_refuse(const char *call) __attribute__((noreturn)); /* it would wait in a process that ranks share */
bool threads_files_waited(void);                                       /* a thread waits for files */
void threads_files_look(void);    /* from time to time: those whose files are ready go on */
void threads_files_wake(void);    /* now */
void threads_files_changed(void); /* now, and those of other ranks: this thread has written to a file, or the like */
double threads_files_await(double most);
void threads_files_forget(void);
const sigset_t *threads_files_mask(const threads_thread *t); /* of its wait for files; NULL: it does not wait for any */
bool threads_files_signal(void); /* waits really for a signal from outside; false: no thread waits for one */

/*=============================================================================
 * MARK: - >>disks.c
 *===========================================================================*/

void threads_disks_describe(double cache, double bandwidth,
                            double latency); /* [B], [B/s], [s]: of a program that runs alone */
/* Before and after a call that reads or writes a file. */
typedef struct threads_disk_look {
    double began; /* by the real clock [s] */
    double cpu;   /* CPU time of the thread [s] */
    long waits;   /* how often it has waited so far */
    bool counts;
} threads_disk_look;
threads_disk_look threads_disks_before(size_t bytes); /* so many that it asks for; SIZE_MAX: not known */
/* It has moved so many bytes; placed: not where the last one ended. */
void threads_disks_after(threads_disk_look *before, const char *call, int file, bool writes, bool placed,
                         ssize_t bytes);

/*=============================================================================
 * MARK: - >>pipes.c
 *===========================================================================*/

enum { THREADS_PIPES_PIECE = 4096 /* [B]: a pipe that is ready takes so much */ };

/* What a call on a file is. */
typedef enum threads_pipes_turn {
    THREADS_PIPES_PLAIN, /* that of the C library */
    THREADS_PIPES_TIMED, /* others may notice it: it has come to its time */
    THREADS_PIPES_FAILED /* errno says why */
} threads_pipes_turn;

void threads_pipes_prepare(void); /* finds the standard streams */
bool threads_pipes_several(void); /* another thread of the program may be what a call waits for */
/* Before a call that reads (POLLIN) or writes (POLLOUT) a file: waits until the file is ready. at_once: the call does not wait anyway. */
threads_pipes_turn threads_pipes_before(const char *call, int file, short events, bool at_once);
void threads_pipes_after(threads_pipes_turn turn); /* the call: threads that wait for what it has done go on */
bool threads_pipes_come(const char *call,
                        int file); /* to the time of a call on this file; false: others do not notice it */
bool threads_pipes_large(int file,
                         size_t bytes); /* a blocking call that writes more than a pipe or a socket may take at once */

/*=============================================================================
 * MARK: - >>streams.c
 *===========================================================================*/

void threads_streams_prepare(void); /* reading and writing by the C library's streams comes here */

/*=============================================================================
 * MARK: - >>children.c
 *===========================================================================*/

void threads_children_prepare(void);
void threads_children_end(void); /* this process, a child of the program, ends now */

/*=============================================================================
 * MARK: - >>ipc.c
 *===========================================================================*/

long threads_no_ring(const char *call); /* the system call is refused */

/*=============================================================================
 * MARK: - >>trap.c
 *===========================================================================*/

void threads_trap_look(void);         /* finds the modules that make such calls */
void threads_trap_prepare(void);      /* if there are any, has them turned into signals */
void threads_trap(threads_thread *t); /* the calls of this thread, which calls */

/*=============================================================================
 * MARK: - >>start.c
 *===========================================================================*/

void threads_start_forked(void); /* in the child of fork() only the thread that called it goes on */
void threads_rank_hush(void);    /* this process has no run, from now on */
void threads_rank_begin(unsigned cores, bool measured); /* this process is a rank */

/*=============================================================================
 * MARK: - >>syscall.c
 *===========================================================================*/

long threads_call(long number, const long arguments[6]);
bool threads_called(long number);

#pragma GCC visibility pop

#endif
