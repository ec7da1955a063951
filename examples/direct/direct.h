/* direct.h - direct execution: programs of other people run unchanged, and their CPU time is charged to a virtual clock.
 * This is the part that every such runtime needs, whether its tasks are processes or threads: memory for the simulated world, the
 * turn (one task runs at a time), the functions of the C library that the runtime replaces, and a look at a task that does not
 * come back. It knows no protocol: examples/messages adds MPI and PVM, examples/threads the threads of one program. Private to
 * these two. */
#ifndef DIRECT_H
#define DIRECT_H

#include "simkit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct timespec;

/* Static data that is one for all tasks, where several share a process and each has its own. */
#define DIRECT_COMMON __attribute__((section("direct_common")))

/*=============================================================================
 * MARK: - >>memory
 *
 * The world of a run and the records of its tasks lie in an arena. If the tasks are processes, all of them share it, at the same
 * address; if they are threads of one process, it is private. The program's allocator is not called, because it may take locks,
 * or be in use. (arena.c)
 *===========================================================================*/
typedef struct direct_arena { /* at its beginning */
    uint64_t magic;
    size_t bytes;    /* of address space */
    char *fresh;     /* unused from here on */
    char *open_to;   /* it may be used up to here */
    char *huge_from; /* from here on it is not known whether huge pages are possible */
    void *spare[160];
    size_t used, peak;
    uint32_t lock;  /* futex: of the task that works on this memory, while several do at once */
    int32_t locker; /* direct_number of that task; 0: unknown */
    bool several;   /* several tasks may work on it at once */
    bool shared;    /* by processes */
    simkit_world *world;
    struct direct_task *first_ready, *last_ready;
} direct_arena;

#define DIRECT_ADDRESS_SPACE ((size_t)256 << 30)
#define DIRECT_FOREVER 1e15 /* [s]: a thread that spins computes for so long, unless it is woken */

extern direct_arena *direct;  /* NULL: none yet */
extern int32_t direct_number; /* of the task that runs in this process, from 1; 0: none */
typedef __attribute__((noreturn)) void (*direct_ending)(size_t most);
extern direct_ending direct_no_memory; /* in an arena of so many bytes */

int direct_memory_file(const char *name); /* a file in memory, above the standard streams; -1: errno says why */
/* Makes an arena that begins with so many bytes of the caller's, of which direct_arena is the first member. Shared by processes, it has
 * a file. Fewer bytes if the system limits address space. Returns false without memory; errno says why. */
bool direct_arena_make(size_t head, size_t *bytes, int *file);
bool direct_arena_map(int file);  /* that another process has made */
bool direct_arena_exists(void);   /* its addresses are taken */
void *direct_new(size_t bytes);   /* zeroed; ends the run without memory */
void *direct_block(size_t bytes); /* likewise, not zeroed */
void direct_free(void *block, size_t bytes);
void *direct_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes); /* as the hook of simkit.h */
extern bool *direct_locked; /* whether this process holds the lock */
bool direct_lock(void);     /* waits until no other task works on the arena; false: no effect */
void direct_unlock(void);
bool direct_lock_try(void);            /* this process has it now */
void direct_lock_break(void);          /* the run ends: does not wait long for a task that may have died with it */
void direct_lock_free(int32_t number); /* of a task that has died, perhaps with it */

/*=============================================================================
 * MARK: - >>the turn
 *
 * One task has it and runs; all others sleep, each on a word of memory. A task whose time has come on the virtual clock is ready, and
 * those that are ready get the turn one after another. Whichever task gives up the turn advances the clock until one is. (turn.c)
 *===========================================================================*/
/* A process, or a thread of one. A runtime's record of a task contains it. */
typedef struct direct_task {
    struct direct_task *next_ready;
    uint32_t turn; /* futex: DIRECT_TURN_NONE, ... */
    pid_t process;
    pid_t thread; /* of the process, as the system numbers them; 0: that of main() */
} direct_task;

enum {
    DIRECT_TURN_NONE,
    DIRECT_TURN_GO,
    DIRECT_TURN_ASLEEP,
    DIRECT_TURN_TELL, /* it keeps its stack, and waits on */
    DIRECT_TURN_MORE  /* further values are of whoever gives turns */
};

extern bool direct_slept;                         /* this process has, since this was set to false */
extern void (*direct_keep_stack)(uint32_t *turn); /* of the task with this turn, which is asked to */

void direct_ready(direct_task *t);    /* it gets the turn after those that are ready; the world stops */
direct_task *direct_ready_take(void); /* the first of them; NULL: the clock must go on */

/* A moment of waiting for another core. */
static inline void direct_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

long direct_futex(uint32_t *word, int what, uint32_t value, const struct timespec *limit);
void direct_turn_give(uint32_t *turn, uint32_t value);
uint32_t direct_turn_wait(uint32_t *turn, int spins); /* spins so often before it sleeps; returns what was given */

/*=============================================================================
 * MARK: - >>loops that look at a clock
 *
 * A task that does nothing but look at clocks, each from one place, and perhaps for things that are not there, waits for a time: each
 * look takes a hundredth of the time of its loop, but not beyond the next event. (loops.c)
 *===========================================================================*/
enum { DIRECT_LOOP_CLOCKS = 16 };

/* The looks of a task at clocks, one after another. */
typedef struct direct_loop {
    const void *places[DIRECT_LOOP_CLOCKS]; /* from where it looked at this clock; NULL: not yet */
    uint64_t stacks[DIRECT_LOOP_CLOCKS];    /* and the calls that it was in; 0: not known */
    uint64_t calls;                         /* number of the calls of this task */
    uint64_t vain;   /* number of the last one of those that came one after another and had no effect */
    uint64_t looked; /* number of the call in which it looked last */
    unsigned reads;
    double began; /* virtual time of the first one [s] */
    double least; /* CPU time before one of the last calls [s] */
} direct_loop;

/* One look. */
typedef struct direct_loop_look {
    unsigned clock;
    const void *place; /* return address */
    double now;        /* virtual time [s] */
    double used;       /* CPU time that the task was measured to use since its last call [s]; 0: not measured */
    bool slept;        /* another task had the turn before, which makes it slow */
} direct_loop_look;

void direct_loop_call(direct_loop *l); /* any call of the task, also one that looks */
void direct_loop_vain(direct_loop *l); /* that call had no effect: what it looked for is not there */
double direct_loop_read(direct_loop *l, direct_loop_look look); /* virtual time that it is to pass [s] */
double direct_loop_until(double step, double now, double next); /* until when, not beyond the next event [s] */
bool direct_loop_within(const direct_loop *l);                  /* the task is in such a loop, up to its last call */

/* The disk of a node. */
typedef struct direct_disk {
    double cache; /* bytes that are written before a write waits; of a larger file, the rest is read from the disk */
    double bandwidth; /* [B/s]; 0: reading and writing take CPU time only */
    double latency;   /* [s] */
    double free_at;   /* virtual time at which it will have done what it has been told [s] */
} direct_disk;

/*=============================================================================
 * MARK: - >>engines
 *
 * Threads of one process stand on an engine, which knows the tasks, the clock, and who is next: their own, or that of the ranks of
 * which their process is one. Its functions are called by the thread that has the turn, unless they say otherwise.
 *===========================================================================*/
typedef struct direct_engine {
    size_t bytes; /* sizeof(direct_engine): a program and the library may be of different versions */
    direct_arena *arena;
    bool *locked;                   /* direct_locked of the process, for a library with a copy of its own */
    int32_t number;                 /* direct_number, likewise */
    const char *host;               /* the name of the simulated host; NULL: that of this machine */
    const char *code, *code_end;    /* code that does not bear that another thread goes on in its midst; NULL: none */
    double (*now)(void);            /* virtual time [s] */
    double (*next)(void);           /* virtual time of the next event [s]; INFINITY if no event is pending */
    double (*share)(void);          /* of a core, that one more task which computes would have now */
    direct_task *(*task_new)(void); /* of this thread, or of one to be made; it waits */
    void (*drop)(direct_task *t);   /* of one that was not made */
    void (*first)(direct_task *t);  /* by its own thread: returns when that has its first turn */
    void (*compute)(direct_task *t, double seconds); /* CPU time, perhaps none; returns when t has the turn again */
    /* Gives up the turn until t is woken, or until a virtual time [s], and has it again. Returns the virtual time at which its wait was
     * over; it may take a moment more until it runs. spins: it computes meanwhile. call: the name of the call in which it waits. */
    double (*wait)(direct_task *t, double until, bool spins, const char *call);
    /* As wait(), for what another task may do by way of the system, such as writing to a file: returns as well after changed(), and, with
     * *idle = true, if no task can go on. NULL, both: all tasks are of this process. */
    double (*wait_outside)(direct_task *t, double until, const char *call, bool *idle);
    void (*changed)(void);
    void (*idled)(direct_task *t, const char *call,
                  double seconds); /* it has really waited so long [s], and no task can go on */
    direct_disk *(*disk)(void);    /* of the node of this task, shared by all on it; NULL: that of the library */
    /* One that waits; on an idle core it runs after a delay [s]. No effect if its time has come already. */
    void (*wake)(direct_task *t, double delay);
    void (*yield)(direct_task *t);  /* those go first that are ready now */
    void (*end)(direct_task *t);    /* gives up the turn for ever; t is no more */
    void (*forked)(direct_task *t); /* in the child of fork(): there is no other one */
    /* One that is in a call of the layer on top of the engine, such as one of MPI, has been cancelled. NULL: there are no such calls. */
    void (*cancelled)(direct_task *t);
    /* The process ends at once, as by _exit(), and the thread that calls has the turn. NULL: nobody has to know. */
    void (*exits)(int status);
} direct_engine;

/* The functions by which an engine tells a library of threads about calls that are not calls of that library. */
typedef struct direct_threads {
    void (*begin)(void); /* once, when the task has the turn for the first time */
    /* A thread enters such a call, for example one of MPI. Returns the CPU time since its last call [s]. */
    double (*enter)(const char *call);
    void (*leave)(void);              /* it leaves that call */
    void (*resumed)(void);            /* in that call, it has the turn again */
    direct_loop *(*loop)(void);       /* of this thread */
    void (*computed)(double seconds); /* in that call, it has spent CPU time that the call charges */
    void (*ended)(void);              /* the run is over for this process: from now on calls go to the C library */
} direct_threads;

/*=============================================================================
 * MARK: - >>CPU time
 *
 * (charge.c)
 *===========================================================================*/
/* The CPU time that a task has spent, for the intervals between its calls. */
typedef struct direct_spent {
    clockid_t clock; /* the CPU time of the process, or of the thread */
    double left;     /* wall-clock time when the task last returned from a call [s] */
    double entered;  /* wall-clock time when it last entered a call [s] */
    double read;     /* CPU time at the last reading [s] */
    double counted;  /* time since then, in short intervals [s] */
    bool slept;      /* in its last call */
} direct_spent;

void direct_spent_begin(direct_spent *s, clockid_t clock); /* the program of the task goes on, for the first time */
double direct_spent_enter(direct_spent *s); /* it enters a call; returns the CPU time since it left one [s] */
void direct_spent_again(direct_spent *s);   /* likewise; the CPU time since then is not wanted */
void direct_spent_leave(direct_spent *s);   /* it leaves a call */
double direct_clock_cost(void); /* of these times, that of reading a clock [s]; 25 ns, or 0.2 us without a vDSO */
/* CPU time of a task becomes a computation on the node on which it runs [s]; `memory_rate`: bytes that it moves in a second of that. */
simkit_result direct_compute(simkit_world *world, simkit_node node, double seconds, double memory_rate, simkit_call *done,
                             void *user, simkit_computation *started);
double direct_share(simkit_world *world, simkit_node node, unsigned cores); /* as that of direct_engine */

/*=============================================================================
 * MARK: - >>the C library
 *
 * The functions of the C library that a runtime replaces. A program and its shared libraries may each have a copy of the
 * replacements, and each copy must find the C library's function, not the other copy: so these are hidden. (system.c)
 *===========================================================================*/
#define DIRECT_OWN __attribute__((visibility("hidden")))

extern long (*direct_syscall)(long number, ...);
void direct_system_find(void); /* sets it to the function of the C library itself */
DIRECT_OWN int direct_clock_gettime(clockid_t which, struct timespec *time);
DIRECT_OWN int direct_nanosleep(const struct timespec *time, struct timespec *left);
double direct_clock(clockid_t which); /* [s] */

/*=============================================================================
 * MARK: - >>places in the program
 *
 * (sites.c)
 *===========================================================================*/
enum { DIRECT_FRAMES = 6 };

/* A chain of calls in which tasks have waited. */
typedef struct direct_site {
    struct direct_site *next;
    const void *frames[DIRECT_FRAMES]; /* return addresses, the innermost first; NULL: no further one */
    const void *holder;                /* where the lock was taken that a wait waited for; NULL: unknown */
    double spins;                      /* for so long a task computes there before it sleeps [s] */
    uint64_t waits;
    double waited, longest; /* [s] */
} direct_site;

/* Finds the file of the program or shared library that contains an address, and the offset in that file; false: no file does. */
bool direct_place(const void *address, char *module, size_t room, size_t *offset);
void direct_sites_prepare(void);           /* before the first of these calls, which may come after a crash */
int direct_stack(void **frames, int most); /* return addresses, the innermost first; returns their number */
direct_site *direct_site_of(direct_site **list, const void *const frames[DIRECT_FRAMES]); /* makes it at first */
void direct_site_waited(direct_site *s, double seconds);

/*=============================================================================
 * MARK: - >>tasks that do not come back
 *
 * Somebody who sleeps, the launcher of ranks or a thread beside the others, looks from time to time at the task that has the turn.
 * (watch.c)
 *===========================================================================*/
/* The task that has the turn, as it was at the last look. */
typedef struct direct_watch {
    const direct_task *task;
    uint64_t mark;
    double at, cpu; /* wall-clock time, and its CPU time [s] */
    double counted; /* its CPU time when it last made progress, or when direct_watch_spent() last returned true [s] */
    double stalled; /* wall-clock time without progress [s]; it does not grow while the watcher is stopped, too */
    double asleep;  /* likewise, also without CPU time [s] */
} direct_watch;

/* `mark` changes whenever tasks make progress; busy: the task has a right to the time that it takes now. Looks come `step` seconds after
 * each other, or sooner. */
void direct_watch_look(direct_watch *w, const direct_task *task, uint64_t mark, bool busy, double step);
bool direct_watch_spent(direct_watch *w, double seconds); /* the task has spent so much CPU time since `counted` */
/* The system call in which a task waits, as `read()`; returns its number; -1: it does not wait, or waits for a disk, or it cannot be
 * seen. */
long direct_waits_in(const direct_task *t, char *call, size_t room);
/* The beginning of a file of /proc about a process, or a thread of it; empty: it cannot be read. */
void direct_about(pid_t process, pid_t thread, const char *name, char *text, size_t room);
/* The state of a thread of a process as /proc has it: R, S, D, T, ...; 0: it is not known. thread: 0 is that of main(). */
char direct_state(pid_t process, pid_t thread);

#endif
