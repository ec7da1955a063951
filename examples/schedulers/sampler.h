/*
sampler.h - who competes for the processors of this machine now: a sampler for schedulers (Linux)

USE     Compile sampler.c with the program; contention.h gives the formulas. Once, sampler_open(); then sampler_look()
        every few milliseconds, or sampler_start() for a thread that does so. The result is a view: the runnable threads
        with their cores, and the tree of groups that contention_share_groups() takes. sampler_share() answers what a
        scheduler asks: what would each process of mine get on this core?

            sampler *s;
            if (!sampler_open(NULL, &s)) puts(sampler_why(s));
            else while (working()) {
                sampler_look(s);
                double slowdown = 1 / sampler_share(sampler_view_of(s), NULL, core);
                ...
            }
            sampler_close(s);

COST    A look takes about sampler_desc.budget on average, 40 us if not set. It reads /proc/loadavg and the state of
        the threads that were runnable lately, through files that stay open. The rest of the budget pays for the search
        through the process list, slice by slice. What is not spent is saved, and a look may search longer, up to
        sampler_desc.longest, when the kernel counts more runnable threads than are known here.

        The price is delay. A process that was started since the last look is found at once, by its number. One that
        slept for long and wakes up is found when the search comes by: docs/schedulers.md has the measured times.
        Threads that run for less than the interval between two looks are seen by chance, as by any sampling.

UNITS   Seconds [s], cores [cores], parts of a time [1]. Weights are on the scale of contention_nice_weight().

ERRORS  sampler_open() returns false, and sampler_why() has the sentence. Later nothing fails: a file that disappears is a
        process that has ended. sampler_view.hidden says why the view is not the whole machine, as in a container.

THREADS One thread looks. With sampler_start() that is a thread of the sampler's; others call sampler_latest(), which
        never waits.

PRIVATE SAMPLER_NO_THREAD leaves out the three calls for the thread, and with them pthreads.
*/
#ifndef SAMPLER_H
#define SAMPLER_H

#include "contention.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SAMPLER_CORES = 1024, SAMPLER_MEMBERS = 256, SAMPLER_TASKS = 256 };

/*=============================================================================
 * Processes: one of /proc
 *===========================================================================*/
/** What /proc/PID/stat says of a process or thread; times in the kernel's ticks. */
typedef struct sampler_process {
    long pid, parent, nice, threads;
    char state;                         /**< 'R' is runnable */
    int core;                           /**< where it last ran */
    int policy;                         /**< 0 normal, 1 FIFO, 2 round robin, 3 batch, 5 idle, 6 deadline */
    unsigned long flags;                /**< PF_* of the kernel: SAMPLER_KERNEL_THREAD */
    long long user, system;             /**< CPU time [ticks] */
    long long ended_user, ended_system; /**< that of its ended children [ticks] */
    long long start;                    /**< [ticks] since boot */
    char name[64];
} sampler_process;

#define SAMPLER_KERNEL_THREAD 0x00200000UL

/** Reads a process.
 *  @param[in] proc   The folder /proc, open.
 *  @param[in] name   Its number, or `PID/task/TID`.
 *  @return  Whether it is there. */
bool sampler_process_read(int proc, const char *name, sampler_process *process);

/** Calls `each` with the number of every process (or, with the folder PID/task, thread) of an open folder; stops when it
 *  returns false. */
void sampler_process_list(int folder, bool (*each)(void *user, long pid), void *user);

/*=============================================================================
 * The view
 *===========================================================================*/
/** A thread that is, or lately was, runnable. */
typedef struct sampler_task {
    long pid;
    size_t member;   /**< its class: index into sampler_view.member; CONTENTION_ROOT if it is real-time */
    int core;        /**< where it last ran */
    double runnable; /**< smoothed: the part of the time in which it is runnable [1] */
    bool own;        /**< belongs to the process that looks, and is not counted in sampler_view.member */
    bool real_time;  /**< runs before all others */
    int allowed;     /**< number of cores it may run on; 0: unknown, taken as all */
    char name[16];
    uint64_t mask[SAMPLER_CORES / 64]; /**< these cores, one bit each */
} sampler_task;

typedef struct sampler_view {
    unsigned long number; /**< of the look or scan, from 1 */
    double time;          /**< when it began: CLOCK_MONOTONIC [s] */
    double took;          /**< how long it took [s] */
    unsigned long looks;  /**< looks so far, without scans */
    double spent;         /**< time of all of them [s] */
    double longest;       /**< time of the longest [s] */
    size_t cores;         /**< cores have numbers below this; some may be offline */
    size_t online;        /**< cores that are online */
    double running;       /**< runnable threads, as counted by the kernel, without the one that looks */
    double known;         /**< runnable threads in `task`, without the one that looks */
    double real_time;     /**< real-time threads among them, smoothed [cores] */
    double pressure;    /**< part of the last 10 s in which a runnable thread had to wait, by the kernel [1]; or NaN */
    bool autogroup;     /**< whether sessions are groups */
    const char *hidden; /**< why this is not the whole machine, or NULL */
    size_t groups;      /**< groups in `member` */
    size_t members;
    size_t mine; /**< class of the process that looks, and of those that it starts */
    contention_group_member member[SAMPLER_MEMBERS]; /**< groups, and classes with the smoothed count of others */
    size_t tasks;
    sampler_task task[SAMPLER_TASKS];
    double busy[SAMPLER_CORES]; /**< part of the time in which each core was busy, by the kernel, lately [1]; or NaN */
} sampler_view;

/** What each of my processes gets on a core if they run where `mine` says.
 *
 *  A group's weight on one core is its weight times the part of its load that is there, as in the kernel; then
 *  contention_share_groups() with one core. Threads that may move to an allowed core with less on it do so first.
 *  Takes 0.1 us on two cores, tasks times cores on large machines: ask once for each view.
 *
 *  @param[in] mine   Runnable processes of mine on each core, with the one in question, `mine[view->cores]` [1]; NULL:
 *                    one, on this core.
 *  @return  Share [cores], 0 to 1; NaN for a core that is not there, or with nothing of mine on it. */
double sampler_share(const sampler_view *view, const double mine[], size_t core);

/** What each of my processes gets if I start so many more, all free to move.
 *
 *  contention_share_groups() of the whole machine.
 *
 *  @param[in] more   Additional processes [1], > 0.
 *  @return  Share [cores], 0 to 1; NaN if `more` is not positive. */
double sampler_share_anywhere(const sampler_view *view, double more);

/*=============================================================================
 * The sampler
 *===========================================================================*/
typedef struct sampler sampler;

/** All zero: this machine. */
typedef struct sampler_desc {
    const char *proc;    /**< NULL: /proc */
    const char *cgroups; /**< NULL: /sys/fs/cgroup */
    long self;           /**< process whose threads are own, not competitors; 0: this one */
    double window;       /**< time over which `runnable` is smoothed [s]; 0: 0.2 s */
    double budget;       /**< mean time of a look [s]; 0: 40 us */
    double longest;      /**< a look that searches ends after this time [s]; 0: 500 us */
    size_t tasks;        /**< threads that are watched, each by an open file, up to SAMPLER_TASKS; 0: 64 */
} sampler_desc;

/** Opens a sampler.
 *  @param[in]  desc   Description, or NULL; its texts are copied.
 *  @param[out] s      The sampler; to be closed even if this fails. NULL if memory ran out.
 *  @return  Whether it can look; if not, sampler_why() says what is missing. */
bool sampler_open(const sampler_desc *desc, sampler **s);
void sampler_close(sampler *s);
const char *sampler_why(const sampler *s);

/** One look. */
void sampler_look(sampler *s);

/** Reads the whole process list at once, however long that takes (3 us a thread): for a program that looks once. */
void sampler_scan(sampler *s);

/** What the last look saw; valid until the next. Not while a thread of the sampler runs. */
const sampler_view *sampler_view_of(const sampler *s);

#ifndef SAMPLER_NO_THREAD
/** Starts a thread that looks at this interval [s]. @return Whether that was possible. */
bool sampler_start(sampler *s, double interval);
void sampler_stop(sampler *s);

/** Copies the latest view of the sampler's thread, if it is newer than the number given and nobody is writing it. Never
 *  waits.
 *  @return  The number of the view in `view`; `number` if it was left as it is. */
unsigned long sampler_latest(sampler *s, unsigned long number, sampler_view *view);
#endif

#ifdef __cplusplus
}
#endif
#endif
