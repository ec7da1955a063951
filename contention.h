/*
contention.h - how much slower sharing is

What remains of a processor when several processes want it: shares, equal or by nice level, of cores and of the memory
bandwidth, and the load average. How
much slower a program runs on nodes and links that others use too, and where its tasks should then run. Values and
formulas only: plain structs that you may copy, no clock, no allocation, no state. Part of simkit; works alone.

    #define CONTENTION_IMPLEMENTATION
    #include "contention.h"
    #include <stdio.h>

    int main(void)
    {
        double taken = contention_share_taken(2, 0.04, 1, 0.01);   // cores taken by three transfers
        double share = contention_share_equal(1, taken, 3);        // core of each of three processes
        double beta = contention_load_beta_window(60, 1), load = 0;
        for (int second = 0; second < 60; ++second) load = contention_load_next(beta, load, 3);
        printf("share %.4f, slowdown %.3f, load %.2f\n", share, 1 / share, load);
        return 0;
    }

prints `share 0.3033, slowdown 3.297, load 1.89`.

USE      Define CONTENTION_IMPLEMENTATION in one C or C++ file, as above; others just include the header. Link with -lm.

UNITS    Processors and shares in cores: 1 is one core, all the time. A process that takes t seconds alone takes t /
         share. Processes, weights and loads are counts [1]; times are seconds [s]. All are double, except the kernel's
         load average, which is fixed point as in the kernel.

ROOMS    grep 'MARK: - >>' walks them; the bodies follow in the same order
    results      codes of the functions that check arrays, and their sentences
    share        processor sharing, equal or weighted, less what communication takes; nice levels
    groups       shares in a tree of groups, as on Linux: autogroups, control groups, containers
    memory       the memory bandwidth that the cores of a node share
    load         load averages: smoothed over any window, and the kernel's own 1, 5 and 15 minutes
    mix          the applications that compete on a node, and how many of them compete at a time
    slowdown     of computing on a node, of communicating, of a program on many nodes
    placement    which task on which machine: chains exactly, graphs with a bound
    arithmetic   (private) products that round alike everywhere

OPTIONS  CONTENTION_IMPLEMENTATION   compile the body too; in exactly one file, before the include
         CONTENTION_STATIC           all functions static, body included, for a library that must not export them; in
                                     each file that calls them, before the include
         CONTENTION_ANY_FLOAT        compile the body also where doubles are computed with more digits (x87); results
                                     then differ in their last bits from those of other processors
         CONTENTION_MIX_MAX          applications in a mix, default 64; the same before every include

CALLS    What is read is borrowed for the call; what is filled is the caller's. A parameter is described where a room
         first has it, and not at all if its type says enough.

ERRORS   A formula returns NaN for an argument out of range (a negative share, a NaN); no later sum can hide it. A
         function that fills an array returns a contention_result; contention_result_text() gives its sentence.

THREADS  A function touches its arguments and nothing else: call from any thread.

BITS     Time slices are infinitely small. Equal inputs give equal bits on every processor with IEEE doubles. The body
         refuses to compile with -ffast-math or -ffinite-math-only, which remove NaN, and with x87 arithmetic (i686
         without -msse2 -mfpmath=sse), which changes the last bits.

SINCE    0.1.0, the first version: all of it.
*/
/** @file contention.h
 *  How much slower sharing is: processor shares, nice levels, load averages, slowdowns, placement. See @ref contention.
 *  @since 0.1.0 */
#ifndef CONTENTION_H
#define CONTENTION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Version of this header, as text. */
#define CONTENTION_VERSION "0.1.0"

#ifndef CONTENTION_API
#if !defined(CONTENTION_STATIC)
#define CONTENTION_API extern
#elif defined(__GNUC__)
#define CONTENTION_API static __attribute__((unused))
#else
#define CONTENTION_API static
#endif
#endif

/* A compiler warns where a result is ignored. With [[nodiscard]], in C++17 and C23, a cast to void says: on purpose. */
#if (defined(__cplusplus) && __cplusplus >= 201703L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#define CONTENTION__CHECKED [[nodiscard]] CONTENTION_API
#elif defined(__GNUC__)
#define CONTENTION__CHECKED __attribute__((warn_unused_result)) CONTENTION_API
#else
#define CONTENTION__CHECKED CONTENTION_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
/** @defgroup contention_results_room contention: results
 *  Formulas return NaN on error; functions that fill an array of the caller's return one of these codes. @{ */

/** Why something was refused. */
typedef enum contention_result {
    CONTENTION_OK = 0,              /**< success */
    CONTENTION_MISSING,             /**< a required pointer is NULL */
    CONTENTION_BAD_CORES,           /**< cores not > 0, or NaN */
    CONTENTION_BAD_TAKEN,           /**< cores taken by communication negative, or NaN */
    CONTENTION_BAD_WEIGHT,          /**< a weight not > 0, infinite, or NaN */
    CONTENTION_BAD_COUNT,           /**< a number of processes negative, infinite, or NaN; no node, task or machine */
    CONTENTION_BAD_FRACTION,        /**< a fraction of time not from 0 to 1, or two whose sum is more than 1 */
    CONTENTION_MIX_FULL,            /**< a mix with CONTENTION_MIX_MAX applications */
    CONTENTION_UNKNOWN_APPLICATION, /**< an application that is not in the mix */
    CONTENTION_BAD_TIME,            /**< a time negative or NaN, or 0 or infinite where that is excluded */
    CONTENTION_BAD_SLOWDOWN,        /**< a slowdown not > 0, or NaN */
    CONTENTION_NO_CAPACITY,         /**< nodes whose capacities sum to 0 */
    CONTENTION_BAD_EDGE,            /**< an edge to a task that does not exist or has no higher number */
    CONTENTION_BAD_LIMIT,           /**< a limit of cores negative, or NaN */
    CONTENTION_BAD_GROUP            /**< a parent that has no lower index, or has processes of its own */
} contention_result;

/** The sentence for a result code, or for any other value, in English; static, never NULL. */
CONTENTION_API const char *contention_result_text(contention_result result);

/** @} */

/*=============================================================================
 * MARK: - >>share
 *===========================================================================*/
/** @defgroup contention_share_room contention: share
 *  Processor sharing with infinitely small time slices. Communication takes its part first; the rest is divided among
 *  the runnable processes, and none gets more than one core. Equal parts follow [dps] section 4; weights by nice level
 *  follow [clue], "WUS Scheduling", and the kernel [linux]. @{ */

/** Cores that communication takes from a node.
 *
 *  `taken = in * per_in + out * per_out`
 *
 *  Receiving costs more interrupts and copies than sending, so there are two prices. The result may exceed the cores of
 *  the node; the functions below allow for that.
 *
 *  @param[in] in        Transfers that enter the node now [1], finite, >= 0.
 *  @param[in] per_in    Price of each [cores], finite, >= 0.
 *  @param[in] out       Transfers that leave the node now [1], finite, >= 0.
 *  @param[in] per_out   Price of each [cores], finite, >= 0.
 *  @return  Cores taken [cores]; NaN if an argument is out of range.
 */
CONTENTION_API double contention_share_taken(double in, double per_in, double out, double per_out);

/** Share of each of several equal processes.
 *
 *  `share = min(1, max(0, cores - taken) / running)`
 *
 *  @param[in] cores     Cores of the node [1], > 0; INFINITY is a node without contention.
 *  @param[in] taken     Cores taken by communication [cores], >= 0; may exceed `cores`.
 *  @param[in] running   Runnable processes [1], finite, >= 1; may be an average.
 *  @return  Share [cores], 0 to 1; NaN if an argument is out of range.
 *  @source  [dps] section 4, "shared evenly among all running operations".
 */
CONTENTION_API double contention_share_equal(double cores, double taken, double running);

/** Share of each of several processes of different weight.
 *
 *  `share[i] = min(1, lambda * weight[i])`, with lambda such that all shares, `count[i] * share[i]`, sum to
 *  `min(sum of count, max(0, cores - taken))`: what a process with a whole core leaves goes to the others. With equal
 *  weights it is contention_share_equal(), to the bit.
 *
 *  @param[in]  classes   Number of classes of processes [1]; may be 0.
 *  @param[in]  weight    Weight of a process of each class [1], `weight[classes]`, finite, > 0.
 *  @param[in]  count     Processes in each class [1], `count[classes]`, finite, >= 0; NULL: one each.
 *  @param[out] share     Share of a process of each class [cores], `share[classes]`; 0 for an empty class. Must not
 *                        overlap the other two; untouched on error.
 *  @return  CONTENTION_OK, _MISSING, _BAD_CORES, _BAD_TAKEN, _BAD_WEIGHT or _BAD_COUNT.
 *  @cost    O(classes) on one core; at most O(classes^2), when each class gets whole cores in a round of its own.
 *  @source  [clue] "WUS Scheduling"; [linux] for the meaning of weights.
 */
CONTENTION__CHECKED contention_result contention_share_weighted(double cores, double taken, size_t classes,
                                                                const double weight[], const double count[],
                                                                double share[]);

/** How a nice level is interpreted, by version of the kernel. */
typedef enum contention_nice_rule {
    CONTENTION_NICE_LINUX_TODAY = 0, /**< since 2.6.23: a table, a factor of about 1.25 a level */
    CONTENTION_NICE_LINUX_2_2        /**< at the time of [clue]: 20 - nice ticks of 10 ms in each epoch */
} contention_nice_rule;

/** Weight of a nice level, for contention_share_weighted().
 *
 *  Today's weights are the kernel's sched_prio_to_weight. In Linux 2.2 a process that only computes starts each epoch
 *  with its priority in ticks, 40 at nice -20, 20 at 0 and 1 at 19, and uses them up before the next epoch: its part of
 *  the epoch is its weight.
 *
 *  @param[in] nice   Nice level [1], -20 to 19.
 *  @return  Weight [1]: 1024 (today) or 20 (2.2) at nice 0; NaN for an unknown level or rule.
 *  @source  [linux] kernel/sched/core.c; Linux 2.2 kernel/sys.c, sys_setpriority, and kernel/sched.c, schedule.
 */
CONTENTION_API double contention_nice_weight(contention_nice_rule rule, int nice);

/** @} */

/*=============================================================================
 * MARK: - >>groups
 *===========================================================================*/
/** @defgroup contention_groups_room contention: groups
 *  Processor sharing in a tree: cores are divided among groups first, and within each group among its processes and
 *  subgroups. Linux does so with autogroups (one per session) and control groups, and thus with containers and
 *  services: a process alone in its group gets as much as ten that share another one. [linux] @{ */

/** Parent of a member that is in no group. */
#define CONTENTION_ROOT ((size_t)-1)

/** A group, or a class of like processes. */
typedef struct contention_group_member {
    size_t parent;    /**< its group: an index lower than its own, or CONTENTION_ROOT */
    double weight;    /**< weight within the parent, finite, > 0: of a group, or of each process of a class */
    double processes; /**< runnable processes of a class [1], finite, >= 0; 0 for a group */
    double limit;     /**< limit on its total [cores], >= 0: cpu.max as quota / period; 0: no limit */
} contention_group_member;

/** Shares in a tree of groups.
 *
 *  At the root, and again in each group: `total[i] = min(maximum[i], lambda * weight[i] * (processes[i] or 1))`, with
 *  lambda such that the totals sum to what there is to divide, or all are at their maximum. `maximum` is the limit, the
 *  number of processes of a class, or what the members of a group can use together, whichever is smallest; what a group
 *  cannot use goes to its neighbours (weighted max-min fairness at each level). Without groups and limits it is
 *  contention_share_weighted(), to the bit.
 *
 *  The kernel divides each core separately and moves processes between cores to even that out. This is the outcome it
 *  aims at; processes bound to cores, and kernels that do not move them in time, fall short of it.
 *
 *  @param[in]  cores     Cores of the machine [1], > 0; may be INFINITY.
 *  @param[in]  taken     Cores taken by communication [cores], >= 0.
 *  @param[in]  members   Groups and classes [1]; may be 0.
 *  @param[in]  member    The tree, `member[members]`; borrowed.
 *  @param[out] scratch   Scratch, `scratch[members]`.
 *  @param[out] share     Share of each process of a class [cores], or sum of the shares in a group [cores],
 *                        `share[members]`; 0 for an empty class. Untouched on error.
 *  @return  CONTENTION_OK, _MISSING, _BAD_CORES, _BAD_TAKEN, _BAD_GROUP, _BAD_WEIGHT, _BAD_COUNT or _BAD_LIMIT.
 *  @cost    O(groups * members * rounds); each round brings a member to its maximum, so one or two are common.
 *  @source  [linux] Documentation/scheduler/sched-design-CFS.rst, "Group scheduler extensions to CFS";
 *           Documentation/admin-guide/cgroup-v2.rst, cpu.weight and cpu.max; sched(7), "The autogroup feature".
 */
CONTENTION__CHECKED contention_result contention_share_groups(double cores, double taken, size_t members,
                                                              const contention_group_member member[], double scratch[],
                                                              double share[]);

/** Weight of a control group from its cpu.weight, on the scale of contention_nice_weight(): processes of the root group
 *  and groups within it compete on one scale.
 *
 *  `weight = cpu_weight * 1024 / 100`, rounded to a whole number, as in the kernel. The weight of an autogroup is that
 *  of its nice level; a cpu.shares of cgroup v1 is already a weight.
 *
 *  @param[in] cpu_weight   Number in the file [1], 1 to 10000; 100 by default.
 *  @return  Weight [1]: 1024 by default; NaN if the argument is out of range.
 *  @source  [linux] kernel/sched/sched.h, sched_weight_from_cgroup.
 */
CONTENTION_API double contention_group_weight(double cpu_weight);

/** @} */

/*=============================================================================
 * MARK: - >>memory
 *===========================================================================*/
/** @defgroup contention_memory_room contention: memory
 *  The bandwidth of the memory, which all cores of a node share. A program that moves few bytes for each second of CPU
 *  time does not notice the others; several that stream through more data than the caches hold slow each other down. The
 *  law is max-min fairness among the cores in use: none moves more than a common level, and what one does not need
 *  goes to the others. It is the roofline model with a roof for each core. [roofline] @{ */

/** The level of the bandwidth: the most that a core can move while all share the memory.
 *
 *  `sum of cores[i] * min(demand[i], level) = bandwidth`; INFINITY if `sum of cores[i] * demand[i] <= bandwidth`
 *
 *  @param[in] bandwidth   Of the memory [B/s], > 0; INFINITY is a memory without contention.
 *  @param[in] classes     Number of classes of processes [1]; may be 0.
 *  @param[in] cores       Cores that each class uses in all [cores], `cores[classes]`, finite, >= 0: its processes times
 *                         the share of each.
 *  @param[in] demand      Bytes that a core moves in a second when it runs a process of that class alone [B/s],
 *                         `demand[classes]`, finite, >= 0.
 *  @return  Level [B/s] of one core; NaN if an argument is out of range.
 *  @cost    O(classes) a round; each round satisfies at least one class, so at most O(classes^2).
 *  @source  [roofline]; the division among cores is ours, and so is max-min fairness.
 */
CONTENTION_API double contention_memory_level(double bandwidth, size_t classes, const double cores[],
                                              const double demand[]);

/** Progress of a process: what it does in a second of CPU time, as a part of what it would do alone.
 *
 *  `progress = min(1, level / demand)`
 *
 *  The CPU is busy all that time, waiting for the memory: the process takes 1 / progress times the CPU time.
 *
 *  @param[in] level    From contention_memory_level() [B/s], >= 0; may be INFINITY.
 *  @param[in] demand   As there [B/s].
 *  @return  Progress [1], 0 to 1; NaN if an argument is out of range.
 */
CONTENTION_API double contention_memory_progress(double level, double demand);

/** @} */

/*=============================================================================
 * MARK: - >>load
 *===========================================================================*/
/** @defgroup contention_load_room contention: load
 *  The load average: the number of runnable processes, exponentially smoothed. First eq. 1 of [clue] for any window and
 *  sampling interval, in double; then the Linux kernel's own three windows in its own fixed point, equal to
 *  /proc/loadavg digit for digit on the same samples [linux]. @{ */

/** Smoothing constant that makes the load an estimate of the mean of the last N observations.
 *
 *  `beta = N / (N + 1)`
 *
 *  For 60 it is 60/61. Some write 59/60 for the same window; that is N = 59 here.
 *
 *  @param[in] observations   N [1], >= 0; INFINITY: beta 1, nothing is forgotten.
 *  @return  beta [1], 0 to 1; NaN if N is negative or NaN.
 */
CONTENTION_API double contention_load_beta(double observations);

/** Smoothing constant for a window of time: contention_load_beta() of `window / interval`.
 *
 *  @param[in] window     Window to average over [s], >= 0; INFINITY: beta 1.
 *  @param[in] interval   Time between two samples [s], finite, > 0.
 *  @return  beta [1], 0 to 1; NaN if an argument is out of range.
 */
CONTENTION_API double contention_load_beta_window(double window, double interval);

/** The load after one more sample.
 *
 *  `next = beta * load + (1 - beta) * running`
 *
 *  @param[in] beta      Smoothing constant [1], 0 (no memory) to 1 (nothing new).
 *  @param[in] load      Load so far [1], finite, >= 0.
 *  @param[in] running   Runnable processes now [1], finite, >= 0.
 *  @return  Load [1]; NaN if an argument is out of range.
 */
CONTENTION_API double contention_load_next(double beta, double load, double running);

/** The load after many samples of the same number of processes.
 *
 *  `after = beta^samples * load + (1 - beta^samples) * running`: contention_load_next() with another beta.
 *
 *  @param[in] samples   Number of samples [1]; 0 leaves the load as it is.
 *  @return  Load [1]; NaN if an argument is out of range.
 *  @cost    O(log samples).
 */
CONTENTION_API double contention_load_after(double beta, double load, double running, uint64_t samples);

/** Time between two samples of the kernel [s], less one tick: it is 5.004 s at 250 ticks a second. */
#define CONTENTION_KERNEL_LOAD_INTERVAL 5.0

/** Size of the text of contention_kernel_load_text(). */
#define CONTENTION_KERNEL_LOAD_TEXT 64

/** The kernel's load average; zeroed, a machine that was always idle. */
typedef struct contention_kernel_load {
    uint64_t fixed[3]; /**< load over 1, 5 and 15 minutes [1/2048], `fixed[3]` */
} contention_kernel_load;

/** Takes one sample, as the kernel does every CONTENTION_KERNEL_LOAD_INTERVAL.
 *
 *  `fixed = (fixed * e + active * (2048 - e)) / 2048`, e = 1884, 2014, 2037: 2048 exp(-5 s / window). Rounds up while
 *  the load is at most `active`, so that it gets there, and down otherwise, so that it returns to zero.
 *
 *  @param[in] active   Processes that run, are runnable, or wait uninterruptibly [1], < 2^40.
 *  @source  [linux] include/linux/sched/loadavg.h, calc_load.
 */
CONTENTION_API void contention_kernel_load_next(contention_kernel_load *load, uint64_t active);

/** One of the three numbers, to plot or compute with.
 *
 *  @param[in] which   0, 1, 2 for 1, 5, 15 minutes.
 *  @return  Load [1], in steps of 1/2048; NaN for another `which`.
 */
CONTENTION_API double contention_kernel_load_value(const contention_kernel_load *load, int which);

/** The three numbers as /proc/loadavg prints them, "0.52 0.58 0.59": half a hundredth added, then truncated.
 *
 *  @param[out] text   The numbers, zero-terminated, `text[CONTENTION_KERNEL_LOAD_TEXT]`.
 *  @source  [linux] fs/proc/loadavg.c, loadavg_proc_show.
 */
CONTENTION_API void contention_kernel_load_text(const contention_kernel_load *load, char text[]);

/** @} */

/*=============================================================================
 * MARK: - >>mix
 *===========================================================================*/
/** @defgroup contention_mix_room contention: mix
 *  The applications that compete on a node, and the probability that exactly i of them compute, or communicate, at the
 *  same time. Each does so for a fraction of its time, independently of the others (a Poisson-binomial distribution).
 *  Adding or removing one updates the probabilities. Follows [slowdown] section 4. @{ */

/** Maximum number of applications in a mix. Define another one before the include, alike in all files. */
#ifndef CONTENTION_MIX_MAX
#define CONTENTION_MIX_MAX 64
#endif

/** The applications on a node; zeroed, there are none. Read it freely, change it only by the calls. One that
 *  fails leaves it unchanged. */
typedef struct contention_mix {
    size_t count;                             /**< number of applications [1] */
    double computing[CONTENTION_MIX_MAX];     /**< fraction of its time that each computes [1], `computing[count]` */
    double communicating[CONTENTION_MIX_MAX]; /**< fraction that it communicates [1]; the rest is idle */
    double load;                              /**< sum of `computing`: how many compute on average [1] */
    double probability[CONTENTION_MIX_MAX + 1][2]; /**< `[i][0]`: that exactly i compute, `[i][1]`: that exactly i
                                                        communicate [1], `probability[count + 1][2]`; undefined while
                                                        count is 0, when i is 0 for certain */
    double error_bound[2];                         /**< bounds on the rounding errors of the two [1] */
} contention_mix;

/** Adds an application.
 *
 *  @param[in] computing       Fraction of its time that it computes [1], 0 to 1.
 *  @param[in] communicating   Fraction that it communicates [1], 0 to 1; the sum of both is at most 1.
 *  @return  CONTENTION_OK, _MISSING, _BAD_FRACTION or _MIX_FULL.
 *  @cost    O(count).
 *  @source  [slowdown] section 4, by the recurrence instead of its O(p^2) tables.
 */
CONTENTION__CHECKED contention_result contention_mix_add(contention_mix *mix, double computing, double communicating);

/** Removes an application; the last one gets its number.
 *
 *  @param[in] which   Its number, from 0.
 *  @return  CONTENTION_OK, _MISSING or _UNKNOWN_APPLICATION.
 *  @cost    O(count): a division undoes an addition. When its error bound exceeds 5e-13 all is computed again,
 *           O(count^2): every few removals if fractions are near one half, otherwise hardly ever.
 */
CONTENTION__CHECKED contention_result contention_mix_remove(contention_mix *mix, size_t which);

/** Computes the probabilities from the fractions alone, without the rounding errors of earlier changes.
 *  contention_mix_remove() calls it when they have become too large.
 *
 *  @cost    O(count^2).
 */
CONTENTION_API void contention_mix_rebuild(contention_mix *mix);

/** @} */

/*=============================================================================
 * MARK: - >>slowdown
 *===========================================================================*/
/** @defgroup contention_slowdown_room contention: slowdown
 *  By what factor something takes longer because of others: computing on a node, communicating between two, a parallel
 *  application on many. Multiply the dedicated time by it, eqs. (1) and (4). Follows [slowdown]. @{ */

/** The delay of computing by i communicating applications, as a function of the available bandwidth k: one line below a
 *  break, another from there on. With both slopes 0 and equal intercepts it is a constant. */
typedef struct contention_delay {
    double bandwidth;      /**< the break [Mword/s, or the unit of k] */
    double low_intercept;  /**< below it: delay at k = 0 [1] */
    double low_slope;      /**< below it: change per unit of k [1] */
    double high_intercept; /**< from it on */
    double high_slope;     /**< from it on */
} contention_delay;

/** Delay by i communicating applications.
 *
 *  @param[in] delays      Curves for 1, 2, ... of them, `delays[count]`; the last one also serves larger numbers.
 *  @param[in] count       Number of curves [1]; 0: communicating costs nothing.
 *  @param[in] i           How many communicate [1]; 0: no delay.
 *  @param[in] bandwidth   Available bandwidth k, >= 0, in the unit of the curves.
 *  @return  delay_comm [1]; 0 where a fitted line is negative; NaN if the bandwidth is negative or NaN.
 *  @source  [slowdown] section 4 and figure 2.
 */
CONTENTION_API double contention_delay_of(const contention_delay delays[], size_t count, size_t i, double bandwidth);

/** Slowdown of computing on a node.
 *
 *  `sd = 1 + sum i pp_i + sum pm_i delay_comm(i, k)`; the first sum is `mix->load`.
 *
 *  @return  Slowdown [1], >= 1; NaN if the bandwidth is negative or NaN.
 *  @cost    O(number of applications).
 *  @source  [slowdown] eq. (2).
 */
CONTENTION_API double contention_slowdown_local(const contention_mix *mix, const contention_delay delays[],
                                                size_t count, double bandwidth);

/** Maximum number of applications for contention_slowdown_shared(). */
#define CONTENTION_SHARED_MAX 32

/** Slowdown of computing on a node where communicating applications get the CPU time they need first.
 *
 *  `sd = sum over i, j of P(i compute, j communicate) * s_ij`. Where j communicate and delay a single computation by
 *  d_j = delay_comm(j, k), they need the fraction d_j / (1 + d_j) of the core, so `s_ij = (1 + i) (1 + d_j)`. That
 *  holds while it is less than an equal share would be, d_j < j / (1 + i). From there on all take turns,
 *  `s_ij = 1 + i + j`; and where j take more than their turns even from one, d_j > j, as with interrupts,
 *  `s_ij = (1 + i + j) (1 + d_j) / (1 + j)`.
 *
 *  Eq. (2) adds a delay that was measured with one computation: with i computing competitors it underestimates, unless
 *  communicating ones take turns like everyone else. The two agree if nobody computes, nobody communicates, or d_j = j.
 *
 *  @return  Slowdown [1], >= 1; NaN if the bandwidth is negative or NaN, or for more than CONTENTION_SHARED_MAX.
 *  @cost    O(p^3) for p applications, about 10 KB of stack.
 *  @source  Our own; docs/slowdown.md compares both with measurements.
 */
CONTENTION_API double contention_slowdown_shared(const contention_mix *mix, const contention_delay delays[],
                                                 size_t count, double bandwidth);

/** Slowdown of communicating between two nodes.
 *
 *  `sd = dedicated / current`
 *
 *  @param[in] dedicated   Bandwidth in dedicated use, > 0, finite.
 *  @param[in] current     Bandwidth available now, > 0, finite, in the same unit.
 *  @return  Slowdown [1]; NaN if an argument is out of range.
 *  @source  [slowdown] eq. (3).
 */
CONTENTION_API double contention_slowdown_communication(double dedicated, double current);

/** Weights of nodes from the times of one benchmark on each; the slowest has weight 1.
 *
 *  `w_a = max t / t_a`
 *
 *  @param[in]  nodes    Number of nodes [1], >= 1.
 *  @param[in]  time     Times, `time[nodes]`, > 0, finite, as must be their ratios.
 *  @param[out] weight   Weights [1], `weight[nodes]`; may be `time`. Untouched on error.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT (no nodes) or _BAD_TIME.
 *  @source  [slowdown] section 6.
 */
CONTENTION__CHECKED contention_result contention_weights(size_t nodes, const double time[], double weight[]);

/** The partition with which all nodes finish together under load.
 *
 *  `f_a = (w_a / sd_a) / sum (w / sd)`
 *
 *  @param[in]  weight     Weights [1], `weight[nodes]`, > 0, finite.
 *  @param[in]  slowdown   Local slowdowns [1], `slowdown[nodes]`, > 0, with a finite `sum (w / sd)`; INFINITY: no work.
 *  @param[out] fraction   Fractions of the work [1], `fraction[nodes]`. Untouched on error.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT (no nodes), _BAD_WEIGHT, _BAD_SLOWDOWN or _NO_CAPACITY.
 *  @source  [slowdown] section 6.1.
 */
CONTENTION__CHECKED contention_result contention_partition(size_t nodes, const double weight[],
                                                           const double slowdown[], double fraction[]);

/** Aggregate slowdown of an application whose work is partitioned by load, as contention_partition() does.
 *
 *  `sd = sum w / sum (w / sd_a)`
 *
 *  @return  Slowdown [1]; INFINITY if the capacities sum to 0; NaN if an argument is out of range, or a sum is
 *           infinite.
 *  @source  [slowdown] eq. (5).
 */
CONTENTION_API double contention_slowdown_by_load(size_t nodes, const double weight[], const double slowdown[]);

/** Aggregate slowdown of an application with a given partition; the slowest node decides.
 *
 *  `sd = max(f_a n sd_a / w_a) / max(g_a n / w_a)`
 *
 *  With one partition for both it is eq. (8), with two eq. (9), with a uniform one in dedicated use eq. (11), which is
 *  eq. (12) if the slowest node has weight 1. `f n` is 1 + ew, with ew the extra work of eqs. (7) and (10).
 *
 *  @param[in] fraction    Fractions of the work under load [1], `fraction[nodes]`, >= 0, finite.
 *  @param[in] dedicated   Fractions in dedicated use [1], `dedicated[nodes]`, >= 0, finite; NULL: uniform.
 *  @return  Slowdown [1]; NaN if an argument is out of range, or no node has work in dedicated use.
 *  @source  [slowdown] eqs. (8), (9), (11) and (12).
 */
CONTENTION_API double contention_slowdown_by_partition(size_t nodes, const double weight[], const double slowdown[],
                                                       const double fraction[], const double dedicated[]);

/** Aggregate slowdowns of many candidate placements, as contention_slowdown_by_load() but for the last bits.
 *
 *  @param[in]  candidates   Number of candidates [1].
 *  @param[in]  each         Nodes of each [1], >= 1.
 *  @param[in]  node         Their nodes, `node[candidates][each]`, from 0. Not checked: this is the inner loop.
 *  @param[in]  weight       Weight of every node of the cluster [1], > 0.
 *  @param[in]  capacity     Its capacity under load, `weight / slowdown` [1], >= 0.
 *  @param[out] slowdown     Slowdowns [1], `slowdown[candidates]`; INFINITY without any capacity.
 *  @source  [slowdown] eq. (5).
 */
CONTENTION_API void contention_slowdowns_by_load(size_t candidates, size_t each, const uint32_t node[],
                                                 const double weight[], const double capacity[], double slowdown[]);

/** @} */

/*=============================================================================
 * MARK: - >>placement
 *===========================================================================*/
/** @defgroup contention_placement_room contention: placement
 *  Which task of an application on which machine, when machines and the links between them are slowed down. Exact for a
 *  chain of tasks; list scheduling with a lower bound for any acyclic graph. Follows [slowdown] section 1. @{ */

/** A chain of tasks on machines; each task waits for the one before. */
typedef struct contention_chain {
    size_t tasks;                /**< number of tasks [1], >= 1 */
    size_t machines;             /**< number of machines [1], >= 1 */
    const double *time;          /**< dedicated times, `time[tasks][machines]` [s], >= 0; INFINITY: impossible */
    const double *transfer;      /**< dedicated times to the next task, `transfer[tasks - 1][from][to]` [s], >= 0 */
    const double *slowdown;      /**< of computing, `slowdown[machines]` [1], > 0 */
    const double *communication; /**< of communicating, `communication[from][to]` [1], > 0 */
} contention_chain;

/** Number of doubles in the scratch of contention_chain_place(). */
CONTENTION_API size_t contention_chain_scratch(const contention_chain *chain);

/** The fastest placement of a chain, by dynamic programming.
 *
 *  @param[out] scratch   Scratch, `scratch[contention_chain_scratch(chain)]`.
 *  @param[out] machine   Machine of each task, `machine[tasks]`; ties go to the lower number.
 *  @param[out] seconds   Time of the chain [s]; INFINITY if a task can run nowhere; NaN on error.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT, _BAD_TIME or _BAD_SLOWDOWN.
 *  @cost    O(tasks * machines^2).
 *  @source  [slowdown] tables 1 to 4.
 */
CONTENTION__CHECKED contention_result contention_chain_place(const contention_chain *chain, double scratch[],
                                                             size_t machine[], double *seconds);

/** An edge of an acyclic graph of tasks. */
typedef struct contention_edge {
    size_t from;     /**< task, from 0 */
    size_t to;       /**< task that waits for it, a higher number */
    double transfer; /**< dedicated time to send the data to another machine [s], >= 0; none on the same */
} contention_edge;

/** An acyclic graph of tasks on machines. */
typedef struct contention_graph {
    size_t tasks;                /**< number of tasks [1], >= 1 */
    size_t machines;             /**< number of machines [1], >= 1 */
    size_t edges;                /**< number of edges [1] */
    const contention_edge *edge; /**< `edge[edges]` */
    const double *time;          /**< dedicated times, `time[tasks][machines]` [s], >= 0, finite */
    const double *slowdown;      /**< of computing, `slowdown[machines]` [1], > 0, finite */
    const double *communication; /**< of communicating, `communication[from][to]` [1], > 0, finite */
} contention_graph;

/** A schedule of a graph, in the caller's arrays. */
typedef struct contention_schedule {
    size_t *machine; /**< machine of each task, `machine[tasks]` */
    double *begin;   /**< when it begins [s], `begin[tasks]` */
    double *end;     /**< when it ends [s], `end[tasks]` */
    double seconds;  /**< result: makespan [s]; INFINITY if it exceeds the range of a double */
    double bound;    /**< result: lower bound on the makespan of any schedule [s] */
} contention_schedule;

/** Number of doubles in the scratch of contention_graph_place(). */
CONTENTION_API size_t contention_graph_scratch(const contention_graph *graph);

/** Schedules a graph: tasks in the order of the longest path that follows them, each where it ends first (list
 *  scheduling, as HEFT).
 *
 *  Never longer than running all tasks on the best single machine; that schedule is returned where list scheduling
 *  would be longer. The bound is the longest path with every task on its fastest machine and no transfers, or all
 *  fastest times divided by the number of machines, whichever is larger.
 *
 *  @param[out]    scratch    Scratch, `scratch[contention_graph_scratch(graph)]`.
 *  @param[in,out] schedule   The schedule; its arrays are filled.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT, _BAD_TIME, _BAD_SLOWDOWN or _BAD_EDGE.
 *  @cost    O(tasks^2 + tasks * machines + edges * (tasks + machines)).
 *  @source  Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002; without insertion.
 */
CONTENTION__CHECKED contention_result contention_graph_place(const contention_graph *graph, double scratch[],
                                                             contention_schedule *schedule);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* CONTENTION_H */

/*
 *  The body, once per file.
 */
#if (defined(CONTENTION_IMPLEMENTATION) || defined(CONTENTION_STATIC)) && !defined(CONTENTION_IMPLEMENTED)
#define CONTENTION_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "contention.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "contention.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(CONTENTION_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "contention.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define CONTENTION_ANY_FLOAT"
#endif

/* A cast that C and C++ both accept is an old-style one in C++. Hosts that ask for -Wold-style-cast or -Wuseless-cast
 * mean their own code, so these two are off in this body, and only there. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif
#ifdef _WIN32 /* <windows.h> defines these words */
#pragma push_macro("near")
#pragma push_macro("far")
#undef near
#undef far
#endif

/*=============================================================================
 * MARK: - >>arithmetic (private)
 *===========================================================================*/
/* NAN is a float. */
#define CONTENTION__NAN ((double)NAN)

/* A product that is rounded before anything is added to it. The language lets a compiler fuse a*b + c into one
 * instruction that rounds once; whether it does depends on processor, compiler and flags, and the last bit with it. One
 * such bit turns a tie of two events into an order. The barrier costs no instruction. */
static double contention__times(double a, double b)
{
    double product = a * b;
#if defined(__GNUC__) && defined(__x86_64__)
    __asm__("" : "+x"(product));
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__("" : "+w"(product));
#else
    volatile double rounded = product;
    product = rounded;
#endif
    return product;
}

/* Finite and not negative; false for NaN. */
static bool contention__amount(double x)
{
    return x >= 0 && x < HUGE_VAL;
}

/* Finite and positive; false for NaN. */
static bool contention__positive(double x)
{
    return x > 0 && x < HUGE_VAL;
}

/* From 0 to 1; false for NaN. */
static bool contention__fraction(double x)
{
    return x >= 0 && x <= 1;
}

/*=============================================================================
 * MARK: - >>results (body)
 *===========================================================================*/
CONTENTION_API const char *contention_result_text(contention_result result)
{
    switch (result) {
    case CONTENTION_OK: return "success";
    case CONTENTION_MISSING: return "a required pointer is NULL";
    case CONTENTION_BAD_CORES: return "the cores of a node must be > 0";
    case CONTENTION_BAD_TAKEN: return "the cores taken by communication must be >= 0";
    case CONTENTION_BAD_WEIGHT: return "a weight must be finite and > 0";
    case CONTENTION_BAD_COUNT: return "a number of processes must be finite and >= 0, any other count >= 1";
    case CONTENTION_BAD_FRACTION: return "fractions of time must be from 0 to 1, and so must their sum";
    case CONTENTION_MIX_FULL: return "the mix has CONTENTION_MIX_MAX applications already";
    case CONTENTION_UNKNOWN_APPLICATION: return "the number of an application must be less than the count of the mix";
    case CONTENTION_BAD_TIME: return "a time must be >= 0, and for some arguments > 0 or finite";
    case CONTENTION_BAD_SLOWDOWN: return "a slowdown must be > 0";
    case CONTENTION_NO_CAPACITY: return "the capacities of all nodes sum to 0";
    case CONTENTION_BAD_EDGE: return "an edge must lead to an existing task with a higher number";
    case CONTENTION_BAD_LIMIT: return "a limit of cores must be >= 0";
    case CONTENTION_BAD_GROUP: return "the parent of a member must have a lower index and no processes of its own";
    }
    return "not a result of contention.h";
}

/*=============================================================================
 * MARK: - >>share (body)
 *===========================================================================*/
CONTENTION_API double contention_share_taken(double in, double per_in, double out, double per_out)
{
    if (!contention__amount(in) || !contention__amount(per_in) || !contention__amount(out) ||
        !contention__amount(per_out))
        return CONTENTION__NAN;
    return contention__times(in, per_in) + contention__times(out, per_out);
}

/* What communication leaves for the processes. */
static double contention__left(double cores, double taken)
{
    return cores > taken ? cores - taken : 0;
}

CONTENTION_API double contention_share_equal(double cores, double taken, double running)
{
    if (!(cores > 0 && taken >= 0 && running >= 1 && running < HUGE_VAL)) return CONTENTION__NAN;
    double share = contention__left(cores, taken) / running;
    return share < 1 ? share : 1;
}

static double contention__count(const double count[], size_t i)
{
    return count ? count[i] : 1;
}

/* Whether the processes of a class, if any, could use more than they have. */
static bool contention__wants(const double share[], const double count[], size_t i)
{
    return share[i] < 1 && contention__count(count, i) > 0;
}

CONTENTION_API contention_result contention_share_weighted(double cores, double taken, size_t classes,
                                                           const double weight[], const double count[], double share[])
{
    if (!(cores > 0)) return CONTENTION_BAD_CORES;
    if (!(taken >= 0)) return CONTENTION_BAD_TAKEN;
    if (classes > 0 && (!weight || !share)) return CONTENTION_MISSING;
    for (size_t i = 0; i < classes; ++i) {
        if (!contention__positive(weight[i])) return CONTENTION_BAD_WEIGHT;
        if (!contention__amount(contention__count(count, i))) return CONTENTION_BAD_COUNT;
    }

    for (size_t i = 0; i < classes; ++i) share[i] = 0;
    for (;;) {
        /* Processes with a whole core take it away; the heaviest of the others is the unit of weight in this round, so
         * that equal weights sum to just their number. */
        double left = contention__left(cores, taken), heaviest = 0, sum = 0;
        for (size_t i = 0; i < classes; ++i) {
            if (contention__wants(share, count, i))
                heaviest = weight[i] > heaviest ? weight[i] : heaviest;
            else if (share[i] >= 1)
                left -= contention__count(count, i);
        }
        if (!(heaviest > 0)) return CONTENTION_OK;
        for (size_t i = 0; i < classes; ++i)
            if (contention__wants(share, count, i))
                sum += contention__times(contention__count(count, i), weight[i] / heaviest);
        double largest = (left > 0 ? left : 0) / sum;

        /* Either all get their part, or at least the heaviest gets a whole core. */
        for (size_t i = 0; i < classes; ++i)
            if (contention__wants(share, count, i)) {
                double part = contention__times(largest, weight[i] / heaviest);
                share[i] = part < 1 ? part : 1;
            }
        if (largest < 1) return CONTENTION_OK;
    }
}

CONTENTION_API double contention_nice_weight(contention_nice_rule rule, int nice)
{
    static const double today[40] = {
        88761, 71755, 56483, 46273, 36291, /* -20 */
        29154, 23254, 18705, 14949, 11916, /* -15 */
        9548,  7620,  6100,  4904,  3906,  /* -10 */
        3121,  2501,  1991,  1586,  1277,  /*  -5 */
        1024,  820,   655,   526,   423,   /*   0 */
        335,   272,   215,   172,   137,   /*   5 */
        110,   87,    70,    56,    45,    /*  10 */
        36,    29,    23,    18,    15     /*  15 */
    };

    if (nice < -20 || nice > 19) return CONTENTION__NAN;
    switch (rule) {
    case CONTENTION_NICE_LINUX_TODAY: return today[nice + 20];
    case CONTENTION_NICE_LINUX_2_2: return 20 - nice;
    }
    return CONTENTION__NAN;
}

/*=============================================================================
 * MARK: - >>groups (body)
 *===========================================================================*/
/* How many share alike: the processes of a class, or the group itself. */
static double contention__alike(const contention_group_member *x)
{
    return x->processes > 0 ? x->processes : 1;
}

static contention_result contention__groups_check(size_t members, const contention_group_member *member)
{
    for (size_t i = 0; i < members; ++i) {
        const contention_group_member *x = &member[i];
        if (x->parent != CONTENTION_ROOT && (x->parent >= i || member[x->parent].processes > 0))
            return CONTENTION_BAD_GROUP;
        if (!contention__positive(x->weight)) return CONTENTION_BAD_WEIGHT;
        if (!contention__amount(x->processes)) return CONTENTION_BAD_COUNT;
        if (!(x->limit >= 0)) return CONTENTION_BAD_LIMIT;
    }
    return CONTENTION_OK;
}

/* The maximum that each process of a class, or a group, can use. Members come after their groups, so backwards. */
static void contention__groups_maximum(size_t members, const contention_group_member *member, double *maximum)
{
    for (size_t i = 0; i < members; ++i) maximum[i] = 0;
    for (size_t i = members; i-- > 0;) {
        const contention_group_member *x = &member[i];
        const double alike = contention__alike(x);
        if (x->processes > 0) maximum[i] = 1;
        if (x->limit > 0 && x->limit / alike < maximum[i]) maximum[i] = x->limit / alike;
        if (x->parent != CONTENTION_ROOT) maximum[x->parent] += contention__times(alike, maximum[i]);
    }
}

/* Divides the cores of a group among its members, as contention_share_weighted() does among classes. */
static void contention__groups_divide(size_t group, double cores, size_t members, const contention_group_member *member,
                                      const double *maximum, double *share)
{
    const size_t first = group == CONTENTION_ROOT ? 0 : group + 1;
    bool full;
    do {
        double left = cores, heaviest = 0, sum = 0;
        for (size_t i = first; i < members; ++i) {
            if (member[i].parent != group) continue;
            if (share[i] < maximum[i])
                heaviest = member[i].weight > heaviest ? member[i].weight : heaviest;
            else
                left -= contention__times(contention__alike(&member[i]), share[i]);
        }
        if (!(heaviest > 0)) return;
        for (size_t i = first; i < members; ++i)
            if (member[i].parent == group && share[i] < maximum[i])
                sum += contention__times(contention__alike(&member[i]), member[i].weight / heaviest);
        double part = (left > 0 ? left : 0) / sum;
        full = false;
        for (size_t i = first; i < members; ++i)
            if (member[i].parent == group && share[i] < maximum[i]) {
                share[i] = contention__times(part, member[i].weight / heaviest);
                if (share[i] < maximum[i]) continue;
                share[i] = maximum[i];
                full = true;
            }
    } while (full); /* what members at their maximum leave goes to the others */
}

CONTENTION_API contention_result contention_share_groups(double cores, double taken, size_t members,
                                                         const contention_group_member member[], double scratch[],
                                                         double share[])
{
    if (!(cores > 0)) return CONTENTION_BAD_CORES;
    if (!(taken >= 0)) return CONTENTION_BAD_TAKEN;
    if (members == 0) return CONTENTION_OK;
    if (!member || !scratch || !share) return CONTENTION_MISSING;
    contention_result result = contention__groups_check(members, member);
    if (result != CONTENTION_OK) return result;

    contention__groups_maximum(members, member, scratch);
    for (size_t i = 0; i < members; ++i) share[i] = 0;
    contention__groups_divide(CONTENTION_ROOT, contention__left(cores, taken), members, member, scratch, share);
    for (size_t i = 0; i < members; ++i)
        if (!(member[i].processes > 0) && share[i] > 0)
            contention__groups_divide(i, share[i], members, member, scratch, share);
    return CONTENTION_OK;
}

CONTENTION_API double contention_group_weight(double cpu_weight)
{
    return cpu_weight >= 1 && cpu_weight <= 10000 ? floor(cpu_weight * 1024 / 100 + 0.5) : CONTENTION__NAN;
}

/*=============================================================================
 * MARK: - >>memory (body)
 *===========================================================================*/
CONTENTION_API double contention_memory_level(double bandwidth, size_t classes, const double cores[],
                                              const double demand[])
{
    double level = 0;
    if (!(bandwidth > 0) || (classes > 0 && (!cores || !demand))) return CONTENTION__NAN;
    for (size_t i = 0; i < classes; ++i)
        if (!contention__amount(cores[i]) || !contention__amount(demand[i])) return CONTENTION__NAN;
    if (!(bandwidth < HUGE_VAL)) return HUGE_VAL;
    for (;;) { /* those with less than the level have what they need; the others divide the rest, which raises it */
        double moved = 0, others = 0;
        for (size_t i = 0; i < classes; ++i)
            if (demand[i] <= level)
                moved += contention__times(cores[i], demand[i]);
            else
                others += cores[i];
        if (!(others > 0)) return HUGE_VAL;
        const double higher = (bandwidth - moved) / others;
        if (!(higher > level)) return level;
        level = higher;
    }
}

CONTENTION_API double contention_memory_progress(double level, double demand)
{
    if (!(level >= 0) || !contention__amount(demand)) return CONTENTION__NAN;
    return demand > level ? level / demand : 1;
}

/*=============================================================================
 * MARK: - >>load (body)
 *===========================================================================*/
CONTENTION_API double contention_load_beta(double observations)
{
    if (!(observations >= 0)) return CONTENTION__NAN;
    return observations < HUGE_VAL ? observations / (observations + 1) : 1;
}

CONTENTION_API double contention_load_beta_window(double window, double interval)
{
    if (!(window >= 0 && contention__positive(interval))) return CONTENTION__NAN;
    return contention_load_beta(window / interval);
}

CONTENTION_API double contention_load_next(double beta, double load, double running)
{
    if (!contention__fraction(beta) || !contention__amount(load) || !contention__amount(running))
        return CONTENTION__NAN;
    return contention__times(beta, load) + contention__times(1 - beta, running);
}

CONTENTION_API double contention_load_after(double beta, double load, double running, uint64_t samples)
{
    double power = 1;
    if (!contention__fraction(beta)) return CONTENTION__NAN;
    for (; samples > 0; samples >>= 1) { /* square for each bit, multiply where it is set */
        if (samples & 1) power *= beta;
        beta *= beta;
    }
    return contention_load_next(power, load, running);
}

CONTENTION_API void contention_kernel_load_next(contention_kernel_load *load, uint64_t active)
{
    static const uint64_t keep[3] = { 1884, 2014, 2037 };
    const uint64_t one = 2048, target = active * one;
    for (int i = 0; i < 3; ++i) {
        uint64_t next = load->fixed[i] * keep[i] + target * (one - keep[i]);
        if (target >= load->fixed[i]) next += one - 1;
        load->fixed[i] = next / one;
    }
}

CONTENTION_API double contention_kernel_load_value(const contention_kernel_load *load, int which)
{
    return which >= 0 && which < 3 ? (double)load->fixed[which] / 2048 : CONTENTION__NAN;
}

/* Writes a number with at least so many decimal digits; returns their end. */
static char *contention__digits(char *at, uint64_t number, int minimum)
{
    char backwards[20];
    int n = 0;
    for (; number > 0 || n < minimum; number /= 10) backwards[n++] = (char)('0' + number % 10);
    while (n > 0) *at++ = backwards[--n];
    return at;
}

CONTENTION_API void contention_kernel_load_text(const contention_kernel_load *load, char text[])
{
    for (int i = 0; i < 3; ++i) {
        uint64_t rounded = load->fixed[i] + 2048 / 200;
        text = contention__digits(text, rounded / 2048, 1);
        *text++ = '.';
        text = contention__digits(text, rounded % 2048 * 100 / 2048, 2);
        *text++ = i < 2 ? ' ' : '\0';
    }
}

/*=============================================================================
 * MARK: - >>mix (body)
 *===========================================================================*/
/* Rounding error of a probability in one addition, and the bound at which all is computed again [1]. */
static const double contention__rounding = 2.5e-16, contention__error_limit = 5e-13;

/* A sum in four parts, so that no addition waits for the one before. */
static double contention__sum(const double *x, size_t count)
{
    double a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < count; ++i) a += x[i];
    return (a + b) + (c + d);
}

/* p[count + 1] of count applications becomes that of one more, with the fractions q. Vectors of two numbers would make a
 * change of a mix of 8, 32 and 64 applications 0, 12 and 19 % faster (tests/bench/contention): not worth a second way. */
static void contention__join(double (*p)[2], size_t count, const double *q)
{
    const double rest[] = { 1 - q[0], 1 - q[1] };
    if (count == 0) p[0][0] = p[0][1] = 1;
    p[count + 1][0] = contention__times(p[count][0], q[0]);
    p[count + 1][1] = contention__times(p[count][1], q[1]);
    for (size_t i = count; i > 0; --i) {
        p[i][0] = contention__times(p[i][0], rest[0]) + contention__times(p[i - 1][0], q[0]);
        p[i][1] = contention__times(p[i][1], rest[1]) + contention__times(p[i - 1][1], q[1]);
    }
    p[0][0] = contention__times(p[0][0], rest[0]);
    p[0][1] = contention__times(p[0][1], rest[1]);
}

/* How one of the two distributions is divided: from the side on which errors grow least. */
typedef struct contention__division {
    double by, back, near, old;
    double *at;              /* the last number that was read */
    ptrdiff_t step, back_by; /* to the next number to read, and from it to where the new one is written */
} contention__division;

static contention__division contention__divide(double (*p)[2], size_t lane, size_t count, double q)
{
    const double rest = 1 - q;
    const bool down = q > rest;
    contention__division x;
    x.by = 1 / (down ? q : rest);
    x.back = contention__times(down ? rest : q, x.by);
    x.near = 0;
    x.at = down ? &p[count][lane] : &p[0][lane];
    x.old = *x.at;
    x.step = down ? -2 : 2;
    x.back_by = down ? 0 : -2;
    return x;
}

static void contention__divide_step(contention__division *x)
{
    x->near = contention__times(x->old, x->by) - contention__times(x->back, x->near);
    x->at += x->step;
    x->old = *x->at;
    x->at[x->back_by] = x->near > 0 ? x->near : 0;
}

/* The inverse: p[count + 1] becomes p[count]. Both at once, as each step of one waits for the step before. */
static void contention__leave(double (*p)[2], size_t count, const double *q)
{
    contention__division computing = contention__divide(p, 0, count, q[0]);
    contention__division communicating = contention__divide(p, 1, count, q[1]);
    for (size_t i = 0; i < count; ++i) {
        contention__divide_step(&computing);
        contention__divide_step(&communicating);
    }
}

/* By how much the largest error can grow there: a geometric sum with the ratio of the smaller of q and 1 - q to the
 * larger. */
static double contention__growth(size_t count, double q)
{
    const double large = q > 1 - q ? q : 1 - q, far = large + large - 1, terms = (double)count / large;
    return far > 0 && 1 / far < terms ? 1 / far : terms;
}

CONTENTION_API contention_result contention_mix_add(contention_mix *mix, double computing, double communicating)
{
    const double q[] = { computing, communicating };
    if (!mix) return CONTENTION_MISSING;
    if (!contention__fraction(computing) || !contention__fraction(communicating) || computing + communicating > 1)
        return CONTENTION_BAD_FRACTION;
    if (mix->count == CONTENTION_MIX_MAX) return CONTENTION_MIX_FULL;
    contention__join(mix->probability, mix->count, q);
    mix->computing[mix->count] = computing;
    mix->communicating[mix->count] = communicating;
    ++mix->count;
    mix->load = contention__sum(mix->computing, mix->count);
    mix->error_bound[0] += contention__rounding;
    mix->error_bound[1] += contention__rounding;
    return CONTENTION_OK;
}

CONTENTION_API void contention_mix_rebuild(contention_mix *mix)
{
    for (size_t i = 0; i < mix->count; ++i) {
        const double q[] = { mix->computing[i], mix->communicating[i] };
        contention__join(mix->probability, i, q);
    }
    mix->error_bound[0] = mix->error_bound[1] = contention__rounding * (double)mix->count;
}

CONTENTION_API contention_result contention_mix_remove(contention_mix *mix, size_t which)
{
    if (!mix) return CONTENTION_MISSING;
    if (which >= mix->count) return CONTENTION_UNKNOWN_APPLICATION;
    const size_t last = --mix->count;
    const double q[] = { mix->computing[which], mix->communicating[which] };
    mix->computing[which] = mix->computing[last];
    mix->communicating[which] = mix->communicating[last];
    mix->load = contention__sum(mix->computing, last);
    if (last == 0) {
        mix->error_bound[0] = mix->error_bound[1] = 0;
        return CONTENTION_OK;
    }
    double bound[2];
    for (int i = 0; i < 2; ++i)
        bound[i] = contention__times(mix->error_bound[i] + contention__rounding, contention__growth(last + 1, q[i]));
    if (bound[0] > contention__error_limit || bound[1] > contention__error_limit) {
        contention_mix_rebuild(mix);
        return CONTENTION_OK;
    }
    contention__leave(mix->probability, last + 1, q);
    memcpy(mix->error_bound, bound, sizeof bound);
    return CONTENTION_OK;
}

/*=============================================================================
 * MARK: - >>slowdown (body)
 *===========================================================================*/
CONTENTION_API double contention_delay_of(const contention_delay delays[], size_t count, size_t i, double bandwidth)
{
    if (!(bandwidth >= 0)) return CONTENTION__NAN;
    if (i == 0 || count == 0) return 0;
    const contention_delay *x = &delays[(i < count ? i : count) - 1];
    double delay = bandwidth < x->bandwidth ? x->low_intercept + contention__times(x->low_slope, bandwidth)
                                            : x->high_intercept + contention__times(x->high_slope, bandwidth);
    return delay < 0 ? 0 : delay;
}

CONTENTION_API double contention_slowdown_local(const contention_mix *mix, const contention_delay delays[],
                                                size_t count, double bandwidth)
{
    double sum = 1 + mix->load, more = 0;
    size_t i = 1;
    if (!(bandwidth >= 0)) return CONTENTION__NAN;
    if (count == 0) return sum;
    for (; i < count && i <= mix->count; ++i)
        sum += contention__times(mix->probability[i][1], contention_delay_of(delays, count, i, bandwidth));
    for (; i <= mix->count; ++i) more += mix->probability[i][1]; /* the last curve serves all of these */
    return sum + contention__times(more, contention_delay_of(delays, count, count, bandwidth));
}

/* Slowdown of a computation among i others and j that delay a single one by `delay`. */
static double contention__shared(double delay, size_t i, size_t j)
{
    const double all = (double)(1 + i + j), needed = delay / (1 + delay);
    if (delay > (double)j) return all * ((1 + delay) / (double)(1 + j)); /* more than their turns: by interrupts */
    return needed < (double)j / all ? (double)(1 + i) / (1 - needed) : all;
}

CONTENTION_API double contention_slowdown_shared(const contention_mix *mix, const contention_delay delays[],
                                                 size_t count, double bandwidth)
{
    enum { SIZE = CONTENTION_SHARED_MAX + 1 };
    double joint[SIZE][SIZE]; /* probability that i compute and j communicate */
    double sum = 0;
    if (!(bandwidth >= 0) || mix->count > CONTENTION_SHARED_MAX) return CONTENTION__NAN;
    memset(joint, 0, sizeof joint);
    joint[0][0] = 1;
    for (size_t a = 0; a < mix->count; ++a) {
        const double computes = mix->computing[a], talks = mix->communicating[a], idles = 1 - computes - talks;
        for (size_t i = a + 2; i-- > 0;)
            for (size_t j = a + 2 - i; j-- > 0;)
                joint[i][j] = contention__times(joint[i][j], idles > 0 ? idles : 0) +
                              (i > 0 ? contention__times(joint[i - 1][j], computes) : 0) +
                              (j > 0 ? contention__times(joint[i][j - 1], talks) : 0);
    }
    for (size_t i = 0; i <= mix->count; ++i)
        for (size_t j = 0; i + j <= mix->count; ++j)
            sum += contention__times(joint[i][j],
                                     contention__shared(contention_delay_of(delays, count, j, bandwidth), i, j));
    return sum;
}

CONTENTION_API double contention_slowdown_communication(double dedicated, double current)
{
    return contention__positive(dedicated) && contention__positive(current) ? dedicated / current : CONTENTION__NAN;
}

/* What is wrong with weights or slowdowns. */
static contention_result contention__nodes(size_t nodes, const double *weight, const double *slowdown)
{
    if (nodes == 0) return CONTENTION_BAD_COUNT;
    if (!weight || !slowdown) return CONTENTION_MISSING;
    for (size_t i = 0; i < nodes; ++i) {
        if (!contention__positive(weight[i])) return CONTENTION_BAD_WEIGHT;
        if (!(slowdown[i] > 0)) return CONTENTION_BAD_SLOWDOWN;
    }
    return CONTENTION_OK;
}

CONTENTION_API contention_result contention_weights(size_t nodes, const double time[], double weight[])
{
    double slowest = 0, fastest = HUGE_VAL;
    if (nodes == 0) return CONTENTION_BAD_COUNT;
    if (!time || !weight) return CONTENTION_MISSING;
    for (size_t i = 0; i < nodes; ++i) {
        if (!contention__positive(time[i])) return CONTENTION_BAD_TIME;
        if (time[i] > slowest) slowest = time[i];
        if (time[i] < fastest) fastest = time[i];
    }
    if (!(slowest / fastest < HUGE_VAL)) return CONTENTION_BAD_TIME;
    for (size_t i = 0; i < nodes; ++i) weight[i] = slowest / time[i];
    return CONTENTION_OK;
}

CONTENTION_API contention_result contention_partition(size_t nodes, const double weight[], const double slowdown[],
                                                      double fraction[])
{
    contention_result result = contention__nodes(nodes, weight, slowdown);
    double capacity = 0;
    if (result != CONTENTION_OK) return result;
    if (!fraction) return CONTENTION_MISSING;
    for (size_t i = 0; i < nodes; ++i) capacity += weight[i] / slowdown[i];
    if (!(capacity > 0)) return CONTENTION_NO_CAPACITY;
    if (!(capacity < HUGE_VAL)) return CONTENTION_BAD_SLOWDOWN; /* beyond the range of a double */
    for (size_t i = 0; i < nodes; ++i) fraction[i] = weight[i] / slowdown[i] / capacity;
    return CONTENTION_OK;
}

/* Whether a number lies outside 2^-300 .. 2^300, where products of two and their sums cannot overflow; so also what is
 * not positive or not a number. The bits of positive doubles are in the order of the numbers. */
static uint64_t contention__extreme(double x)
{
    const uint64_t low = (uint64_t)(1023 - 300) << 52, high = (uint64_t)(1023 + 300) << 52;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits - low >= high - low;
}

/* Eq. (5) with a division for each node, for numbers of any size. */
static double contention__by_load(size_t nodes, const double *weight, const double *slowdown)
{
    double dedicated = 0, capacity = 0;
    if (contention__nodes(nodes, weight, slowdown) != CONTENTION_OK) return CONTENTION__NAN;
    for (size_t i = 0; i < nodes; ++i) {
        dedicated += weight[i];
        capacity += weight[i] / slowdown[i];
    }
    if (!(dedicated < HUGE_VAL && capacity < HUGE_VAL)) return CONTENTION__NAN; /* beyond the range of a double */
    return capacity > 0 ? dedicated / capacity : HUGE_VAL;
}

/* Capacity of two nodes, a / b + c / d = (a d + c b) / (b d), with one division. tests/bench/contention, 64 nodes: 71
 * ns (gcc and clang -O2); with a division for each node 91 and 125 ns; with pairs in vectors 57 and 72 ns. */
static double contention__capacity(const double *weight, const double *slowdown, size_t i, size_t k)
{
    return (contention__times(weight[i], slowdown[k]) + contention__times(weight[k], slowdown[i])) /
           contention__times(slowdown[i], slowdown[k]);
}

CONTENTION_API double contention_slowdown_by_load(size_t nodes, const double weight[], const double slowdown[])
{
    double even = 0, odd = 0;
    uint64_t extreme = 0;
    size_t i = 0;
    if (nodes == 0 || !weight || !slowdown) return CONTENTION__NAN;
    for (; i + 4 <= nodes; i += 4) {
        even += contention__capacity(weight, slowdown, i, i + 2);
        odd += contention__capacity(weight, slowdown, i + 1, i + 3);
        for (size_t k = i; k < i + 4; ++k) extreme |= contention__extreme(weight[k]) | contention__extreme(slowdown[k]);
    }
    double capacity = even + odd;
    for (; i < nodes; ++i) {
        extreme |= contention__extreme(weight[i]) | contention__extreme(slowdown[i]);
        capacity += weight[i] / slowdown[i];
    }
    return extreme ? contention__by_load(nodes, weight, slowdown) : contention__sum(weight, nodes) / capacity;
}

CONTENTION_API double contention_slowdown_by_partition(size_t nodes, const double weight[], const double slowdown[],
                                                       const double fraction[], const double dedicated[])
{
    double slowest = 0, before = 0;
    if (contention__nodes(nodes, weight, slowdown) != CONTENTION_OK || !fraction) return CONTENTION__NAN;
    for (size_t i = 0; i < nodes; ++i) {
        const double own = fraction[i], alone = dedicated ? dedicated[i] : 1 / (double)nodes;
        if (!contention__amount(own) || !contention__amount(alone)) return CONTENTION__NAN;
        const double now = own > 0 ? contention__times(own, slowdown[i]) / weight[i] : 0, then = alone / weight[i];
        if (now > slowest) slowest = now;
        if (then > before) before = then;
    }
    return before > 0 ? slowest / before : CONTENTION__NAN;
}

CONTENTION_API void contention_slowdowns_by_load(size_t candidates, size_t each, const uint32_t node[],
                                                 const double weight[], const double capacity[], double slowdown[])
{
    for (size_t c = 0; c < candidates; ++c, node += each) {
        double dedicated = 0, left = 0;
        for (size_t k = 0; k < each; ++k) {
            dedicated += weight[node[k]];
            left += capacity[node[k]];
        }
        slowdown[c] = left > 0 ? dedicated / left : HUGE_VAL;
    }
}

/*=============================================================================
 * MARK: - >>placement (body)
 *===========================================================================*/
/* Whether all are positive, or perhaps 0, and not above a limit; false for NaN. */
static bool contention__all(const double *x, size_t count, bool or_zero, double limit)
{
    for (size_t i = 0; i < count; ++i)
        if (!((or_zero ? x[i] >= 0 : x[i] > 0) && x[i] <= limit)) return false;
    return true;
}

CONTENTION_API size_t contention_chain_scratch(const contention_chain *chain)
{
    return 2 * chain->tasks * chain->machines;
}

/* Time under a slowdown; what takes no time takes none however slow the machine is. */
static double contention__slow(double time, double slowdown)
{
    return time > 0 ? contention__times(time, slowdown) : 0;
}

static contention_result contention__chain_check(const contention_chain *x)
{
    if (x->tasks == 0 || x->machines == 0) return CONTENTION_BAD_COUNT;
    const size_t m = x->machines;
    if (!x->time || !x->slowdown || (x->tasks > 1 && (!x->transfer || !x->communication))) return CONTENTION_MISSING;
    if (!contention__all(x->time, x->tasks * m, true, HUGE_VAL) ||
        !contention__all(x->transfer, (x->tasks - 1) * m * m, true, HUGE_VAL))
        return CONTENTION_BAD_TIME;
    if (!contention__all(x->slowdown, m, false, HUGE_VAL) ||
        (x->tasks > 1 && !contention__all(x->communication, m * m, false, HUGE_VAL)))
        return CONTENTION_BAD_SLOWDOWN;
    return CONTENTION_OK;
}

/* The earliest end of a task on one machine, and the machine of the task before it; before[a] is when that one ends. */
static double contention__arrive(const contention_chain *x, size_t task, size_t to, const double *before, double *from)
{
    const size_t m = x->machines;
    double earliest = HUGE_VAL;
    *from = 0;
    for (size_t a = 0; a < m; ++a) {
        const double transfer = x->transfer[((task - 1) * m + a) * m + to];
        const double time = before[a] + contention__slow(transfer, x->communication[a * m + to]);
        if (time < earliest) {
            earliest = time;
            *from = (double)a;
        }
    }
    return earliest + contention__slow(x->time[task * m + to], x->slowdown[to]);
}

CONTENTION_API contention_result contention_chain_place(const contention_chain *chain, double scratch[],
                                                        size_t machine[], double *seconds)
{
    if (!seconds) return CONTENTION_MISSING;
    *seconds = CONTENTION__NAN;
    if (!chain || !scratch || !machine) return CONTENTION_MISSING;
    contention_result result = contention__chain_check(chain);
    if (result != CONTENTION_OK) return result;

    const size_t m = chain->machines, last = chain->tasks - 1;
    double *end = scratch, *from = scratch + chain->tasks * m;
    for (size_t i = 0; i < m; ++i) end[i] = contention__slow(chain->time[i], chain->slowdown[i]);
    for (size_t t = 1; t <= last; ++t)
        for (size_t i = 0; i < m; ++i)
            end[t * m + i] = contention__arrive(chain, t, i, end + (t - 1) * m, &from[t * m + i]);

    size_t at = 0;
    for (size_t a = 1; a < m; ++a)
        if (end[last * m + a] < end[last * m + at]) at = a;
    *seconds = end[last * m + at];
    machine[last] = at;
    for (size_t t = last; t > 0; --t) machine[t - 1] = (size_t)from[t * m + machine[t]];
    return CONTENTION_OK;
}

CONTENTION_API size_t contention_graph_scratch(const contention_graph *graph)
{
    return 2 * graph->tasks + graph->machines;
}

static contention_result contention__graph_check(const contention_graph *x, const contention_schedule *s)
{
    if (x->tasks == 0 || x->machines == 0) return CONTENTION_BAD_COUNT;
    if (!s->machine || !s->begin || !s->end || !x->time || !x->slowdown || !x->communication || (x->edges && !x->edge))
        return CONTENTION_MISSING;
    const size_t m = x->machines;
    if (!contention__all(x->time, x->tasks * m, true, DBL_MAX)) return CONTENTION_BAD_TIME;
    if (!contention__all(x->communication, m * m, false, DBL_MAX) || !contention__all(x->slowdown, m, false, DBL_MAX))
        return CONTENTION_BAD_SLOWDOWN;
    for (size_t i = 0; i < x->edges; ++i) {
        if (x->edge[i].to >= x->tasks || x->edge[i].from >= x->edge[i].to) return CONTENTION_BAD_EDGE;
        if (!contention__amount(x->edge[i].transfer)) return CONTENTION_BAD_TIME;
    }
    return CONTENTION_OK;
}

static double contention__task(const contention_graph *x, size_t task, size_t machine)
{
    return contention__times(x->time[task * x->machines + machine], x->slowdown[machine]);
}

/* Fills for each task the longest path from its begin to the end: rank[] of mean times, shortest[] of minimum times
 * without transfers. Returns the bound. */
static double contention__ranks(const contention_graph *x, double *rank, double *shortest)
{
    const double machines = (double)x->machines;
    double all = 0, longest = 0, slow = 0;
    for (size_t m = 0; m < x->machines * x->machines; ++m) slow += x->communication[m] / (machines * machines);
    for (size_t i = x->tasks; i-- > 0;) {
        double mean = 0, fastest = HUGE_VAL, after = 0, path = 0;
        for (size_t m = 0; m < x->machines; ++m) {
            const double time = contention__task(x, i, m);
            mean += time / machines;
            if (time < fastest) fastest = time;
        }
        for (size_t k = 0; k < x->edges; ++k) {
            const contention_edge *e = &x->edge[k];
            if (e->from != i) continue;
            const double with = rank[e->to] + contention__times(e->transfer, slow);
            if (with > after) after = with;
            if (shortest[e->to] > path) path = shortest[e->to];
        }
        rank[i] = mean + after;
        shortest[i] = fastest + path;
        all += fastest / machines; /* divided first: the sum of all may overflow where this does not */
        if (shortest[i] > longest) longest = shortest[i];
    }
    return all > longest ? all : longest;
}

/* When the data that a task waits for are on a machine. */
static double contention__ready(const contention_graph *x, const contention_schedule *s, size_t task, size_t machine)
{
    double ready = 0;
    for (size_t k = 0; k < x->edges; ++k) {
        const contention_edge *e = &x->edge[k];
        if (e->to != task) continue;
        double there = s->end[e->from];
        if (s->machine[e->from] != machine)
            there += contention__times(e->transfer, x->communication[s->machine[e->from] * x->machines + machine]);
        if (there > ready) ready = there;
    }
    return ready;
}

/* List scheduling: the task of the highest rank, where it ends first. */
static void contention__graph_list(const contention_graph *x, contention_schedule *s, const double *rank,
                                   double *free_at)
{
    s->seconds = 0;
    for (size_t m = 0; m < x->machines; ++m) free_at[m] = 0;
    for (size_t i = 0; i < x->tasks; ++i) s->end[i] = -1;
    for (size_t done = 0; done < x->tasks; ++done) {
        size_t task = x->tasks;
        double ends = 0;
        for (size_t i = 0; i < x->tasks; ++i) /* of equal ranks the lower number, which waits for no higher one */
            if (s->end[i] < 0 && (task == x->tasks || rank[i] > rank[task])) task = i;
        for (size_t m = 0; m < x->machines; ++m) {
            const double ready = contention__ready(x, s, task, m), begin = ready > free_at[m] ? ready : free_at[m];
            const double end = begin + contention__task(x, task, m);
            if (m == 0 || end < ends) { /* the first one even if its end is infinite: every task gets a machine */
                ends = end;
                s->machine[task] = m;
                s->begin[task] = begin;
            }
        }
        s->end[task] = ends;
        free_at[s->machine[task]] = ends;
        if (ends > s->seconds) s->seconds = ends;
    }
}

CONTENTION_API contention_result contention_graph_place(const contention_graph *graph, double scratch[],
                                                        contention_schedule *schedule)
{
    const contention_graph *x = graph;
    contention_schedule *s = schedule;
    if (!x || !scratch || !s) return CONTENTION_MISSING;
    contention_result result = contention__graph_check(x, s);
    if (result != CONTENTION_OK) return result;
    s->bound = contention__ranks(x, scratch, scratch + x->tasks);
    contention__graph_list(x, s, scratch, scratch + 2 * x->tasks);

    size_t best = 0;
    double single = HUGE_VAL, now = 0;
    for (size_t m = 0; m < x->machines; ++m) {
        double sum = 0;
        for (size_t i = 0; i < x->tasks; ++i) sum += contention__task(x, i, m);
        if (sum < single) {
            single = sum;
            best = m;
        }
    }
    if (single >= s->seconds) return CONTENTION_OK;
    for (size_t i = 0; i < x->tasks; ++i) { /* all on one machine, in the order of their numbers */
        s->machine[i] = best;
        s->begin[i] = now;
        s->end[i] = now += contention__task(x, i, best);
    }
    s->seconds = now;
    return CONTENTION_OK;
}

#ifdef _WIN32
#pragma pop_macro("far")
#pragma pop_macro("near")
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* CONTENTION_IMPLEMENTED */

/*
    MIT No Attribution

    Copyright 2026 the simkit authors

    Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
    documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
    rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
    permit persons to whom the Software is furnished to do so.

    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
    WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS
    OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
    OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
