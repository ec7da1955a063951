/*
    contention.h: how much slower sharing is

    What is left of a processor when several processes want it: shares, equal or by nice level, and the load average by
    which everyone else notices. How much longer a program takes on nodes and links that others use too, and where its
    tasks should run then. Values and formulas only: plain structs that you may copy, no clock, no allocation, no state.
    Part of simkit; works alone.

    USE
        In one C or C++ file:                           In every file that calls it:
            #define CONTENTION_IMPLEMENTATION               #include "contention.h"
            #include "contention.h"

        double taken = contention_share_taken(2, 0.04, 1, 0.01);        0.09 cores go to three transfers
        double share = contention_share_equal(1, taken, 3);             0.3033 cores for each of three processes
        double beta  = contention_load_beta_window(60, 1);              60/61
        load = contention_load_next(beta, load, 3);                     one second later

    UNITS
        Processors and shares are in cores: 1 is one core, all the time. A process that runs alone for t seconds takes
        t / share. Processes, weights and loads are counts [1]; intervals are seconds [s]. In double, but for the
        kernel's load average, which is fixed point as in the kernel.

    ROOMS (search for >>room; each has its declarations first and its body below the guard)
        >>results       codes of the functions that check arrays, and their sentences
        >>share         processor sharing, equal or weighted, less what communication takes; nice levels
        >>groups        shares within a tree of groups, as Linux makes them: autogroups, control groups, containers
        >>load          load averages: smoothed for any window, and the kernel's own 1, 5 and 15 minutes
        >>mix           who competes on a node, and how many of them at a time
        >>slowdown      of computing on a node, of communicating, of a program on many nodes
        >>placement     which task on which machine: chains exactly, graphs with a bound
        >>arithmetic    (private) products that round alike everywhere

    OPTIONS
        CONTENTION_IMPLEMENTATION   the body too; define it in exactly one file, before the include
        CONTENTION_STATIC           all functions static, body included, for a library that must not export them;
                                    define it in each file that calls them, before the include
        CONTENTION_ANY_FLOAT        the body compiles where doubles are computed with more digits (x87); results then
                                    differ in their last bits from those of other processors
        CONTENTION_MIX_MOST         most applications in a mix, default 64; the same before every include

    ERRORS
        A formula given the impossible (a negative share, a NaN) returns NaN, which no later sum can hide. A function
        that fills an array returns a contention_result; contention_result_text() gives its sentence.

    THREADS
        A function touches its arguments and nothing else: call from any thread.

    TIME RESOLUTION
        Time slices are infinitely small. The same inputs give the same bits on every processor with IEEE doubles.
        -ffast-math and -ffinite-math-only remove NaN, and x87 arithmetic (i686 without -msse2 -mfpmath=sse) changes
        the last bits: the body refuses to compile with them.

    BREAKS
        0.1.0 is the first version: nothing is broken yet.
*/
/** @file contention.h
 *  How much slower sharing is: processor shares, nice levels, load averages, slowdowns, placement. See @ref contention. */
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

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
/** @defgroup contention_results_room contention: results
 *  Formulas answer with NaN; the functions that fill an array of the caller's answer with one of these codes.
 *  @{ */

/** Why something was refused. */
typedef enum contention_result {
    CONTENTION_OK = 0,              /**< All is well. */
    CONTENTION_MISSING,             /**< A pointer is NULL that has something to point at. */
    CONTENTION_BAD_CORES,           /**< Cores not > 0, or NaN. */
    CONTENTION_BAD_TAKEN,           /**< Cores taken by communication negative, or NaN. */
    CONTENTION_BAD_WEIGHT,          /**< A weight not > 0, infinite, or NaN. */
    CONTENTION_BAD_COUNT,           /**< A number of processes negative, infinite, or NaN. */
    CONTENTION_SHORT_TEXT,          /**< A text that is too long for the caller's array. */
    CONTENTION_BAD_FRACTION,        /**< A part of a time not from 0 to 1, or parts that sum to more. */
    CONTENTION_FULL,                /**< A mix that has as many applications as it can. */
    CONTENTION_UNKNOWN_APPLICATION, /**< An application that is not in the mix. */
    CONTENTION_BAD_TIME,            /**< A time negative, or NaN, or 0 or infinite where it must not be. */
    CONTENTION_BAD_SLOWDOWN,        /**< A slowdown not > 0, or NaN. */
    CONTENTION_NO_CAPACITY,         /**< Nodes that have no capacity at all. */
    CONTENTION_BAD_EDGE,            /**< An edge to a task that is not there, or that does not come later. */
    CONTENTION_BAD_LIMIT,           /**< A limit of cores negative, or NaN. */
    CONTENTION_BAD_GROUP            /**< A member of a group that does not come before it, or that is no group. */
} contention_result;

/** The sentence for a result code.
 *
 *  @param[in] result   Any value, also one that is no code.
 *  @return  A sentence in English; static, never NULL.
 *  @since   0.1.0
 */
CONTENTION_API const char *contention_result_text(contention_result result);

/** @} */

/*=============================================================================
 * MARK: - >>share
 *===========================================================================*/
/** @defgroup contention_share_room contention: share
 *  Processor sharing with infinitely small time slices. Communication takes its part first; the rest is divided among
 *  the processes that want to run, and none gets more than one core. Equal parts follow [dps] section 4; weights by
 *  nice level follow [clue], "WUS Scheduling", and the kernel [linux].
 *  @{ */

/** What communication takes from a node.
 *
 *  `taken = in * per_in + out * per_out`
 *
 *  Receiving costs more interrupts and copies than sending, so the two prices differ. Not clipped: transfers may want
 *  more than there is, and the functions below take care of that.
 *
 *  @param[in] in        Transfers that enter the node now [1], finite, >= 0.
 *  @param[in] per_in    What each of them takes [cores], finite, >= 0.
 *  @param[in] out       Transfers that leave the node now [1], finite, >= 0.
 *  @param[in] per_out   What each of them takes [cores], finite, >= 0.
 *  @return  Taken [cores]; NaN if an argument is not as said.
 *  @source  [dps] section 4.
 *  @since   0.1.0
 */
CONTENTION_API double contention_share_taken(double in, double per_in, double out, double per_out);

/** Share of each of several equal processes.
 *
 *  `share = min(1, max(0, cores - taken) / running)`
 *
 *  @param[in] cores     Cores of the node [1], > 0; INFINITY is a node without contention.
 *  @param[in] taken     What communication takes [cores], >= 0; may be more than there is.
 *  @param[in] running   Processes that want to run [1], finite, >= 1; an average is fine.
 *  @return  Share [cores], 0 to 1; NaN if an argument is not as said.
 *  @source  [dps] section 4, "shared evenly among all running operations".
 *  @since   0.1.0
 */
CONTENTION_API double contention_share_equal(double cores, double taken, double running);

/** Share of each of several processes of unlike weight.
 *
 *  `share[i] = min(1, lambda * weight[i])`, with lambda such that all shares, `count[i] * share[i]`, add up to
 *  `min(sum of count, max(0, cores - taken))`: what one leaves because it has its whole core goes to the others.
 *  With equal weights it is contention_share_equal(), to the bit.
 *
 *  @param[in]  cores     Cores of the node [1], > 0; may be INFINITY.
 *  @param[in]  taken     What communication takes [cores], >= 0.
 *  @param[in]  classes   Number of classes of processes [1]; may be 0.
 *  @param[in]  weight    Weight of a process of each class [1], `weight[classes]`, finite, > 0.
 *  @param[in]  count     Processes in each class [1], `count[classes]`, finite, >= 0; NULL for one each.
 *  @param[out] share     Share of a process of each class [cores], `share[classes]`; 0 for a class of none. Apart from
 *                        the other two; untouched if something is refused.
 *  @return  CONTENTION_OK, _MISSING, _BAD_CORES, _BAD_TAKEN, _BAD_WEIGHT or _BAD_COUNT.
 *  @cost    O(classes) on one core; O(classes^2) if every class but one ends with whole cores, each in its own round.
 *  @source  [clue] "WUS Scheduling"; [linux] for what weights mean.
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_share_weighted(double cores, double taken, size_t classes,
                                                           const double weight[], const double count[], double share[]);

/** Which kernel's reading of a nice level. */
typedef enum contention_nice_rule {
    CONTENTION_NICE_LINUX_TODAY = 0, /**< Since 2.6.23: a table, a factor of about 1.25 a level. */
    CONTENTION_NICE_LINUX_2_2        /**< In the days of [clue]: 20 - nice ticks of 10 ms in each epoch. */
} contention_nice_rule;

/** Weight of a nice level, for contention_share_weighted().
 *
 *  Today's weights are the kernel's sched_prio_to_weight. In Linux 2.2 a process that only computes starts each epoch
 *  with its priority in ticks, 40 at nice -20, 20 at 0 and 1 at 19, and uses them up before the next begins: its part of
 *  the epoch is its weight.
 *
 *  @param[in] rule   Which kernel.
 *  @param[in] nice   Nice level [1], -20 to 19.
 *  @return  Weight [1]: 1024 (today) or 20 (2.2) at nice 0; NaN if the level or the rule is none.
 *  @source  [linux] kernel/sched/core.c; Linux 2.2 kernel/sys.c, sys_setpriority, and kernel/sched.c, schedule.
 *  @since   0.1.0
 */
CONTENTION_API double contention_nice_weight(contention_nice_rule rule, int nice);

/** @} */

/*=============================================================================
 * MARK: - >>groups
 *===========================================================================*/
/** @defgroup contention_groups_room contention: groups
 *  Processor sharing in a tree: cores are divided among groups first, and within each group among its processes and further
 *  groups. Linux does so with autogroups (one for each session), with control groups, and so with containers and services:
 *  a process alone in its group gets as much as ten that share another one. [linux]
 *  @{ */

/** What contention_group_member::in says of a member that is in no group, but on the machine itself. */
#define CONTENTION_MACHINE ((size_t)-1)

/** A group, or a class of like processes. */
typedef struct contention_group_member {
    size_t in;     /**< The group it is in: an index lower than its own, or CONTENTION_MACHINE. */
    double weight; /**< Weight beside the others in that group, finite, > 0: of the group as a whole, or of each process
                           of a class. contention_nice_weight(), contention_group_weight(). */
    double processes; /**< Processes of a class that want to run [1], finite, >= 0; 0 for a group. */
    double limit;     /**< Most cores for all of it together [cores], >= 0: cpu.max as quota / period; 0: no limit. */
} contention_group_member;

/** Shares within a tree of groups.
 *
 *  On the machine, and again in each group: `total[i] = min(most[i], lambda * weight[i] * (processes[i] or 1))`, with lambda
 *  such that all totals add up to what there is to divide, or all have their most. `most` is the limit, the number of
 *  processes of a class, or what all members of a group can use together, whichever is smallest: what a group cannot use
 *  goes to its neighbours (weighted max-min fairness at each level). With no groups and no limits it is
 *  contention_share_weighted(), to the bit.
 *
 *  The kernel divides each core for itself and moves processes between cores to even that out. This is what it aims at, with
 *  infinitely small slices; processes bound to cores, and kernels that do not move them in time, fall short of it.
 *
 *  @param[in]  cores     Cores of the machine [1], > 0; may be INFINITY.
 *  @param[in]  taken     What communication takes of them [cores], >= 0.
 *  @param[in]  members   Groups and classes [1]; may be 0.
 *  @param[in]  member    The tree, `member[members]`; borrowed.
 *  @param[out] share     Of a class the share of each process [cores], of a group the sum of all within it [cores],
 *                        `share[members]`; 0 for a class of none. Untouched if something is refused.
 *  @param[out] scratch   Working space, `scratch[members]`.
 *  @return  CONTENTION_OK, _MISSING, _BAD_CORES, _BAD_TAKEN, _BAD_GROUP, _BAD_WEIGHT, _BAD_COUNT or _BAD_LIMIT.
 *  @cost    O(groups * members * rounds); a round ends with one member more at its most, so there are mostly one or two.
 *  @source  [linux] Documentation/scheduler/sched-design-CFS.rst, "Group scheduler extensions to CFS";
 *           Documentation/admin-guide/cgroup-v2.rst, cpu.weight and cpu.max; sched(7), "The autogroup feature".
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_share_groups(double cores, double taken, size_t members,
                                                         const contention_group_member member[], double share[],
                                                         double scratch[]);

/** Weight of a control group by its cpu.weight, on the scale of contention_nice_weight(): processes of the root group and
 *  groups within it compete on one scale.
 *
 *  `weight = cpu_weight * 1024 / 100`, rounded to a whole number, as the kernel does. That of an autogroup is the weight of
 *  its nice level; a cpu.shares of cgroup v1 is a weight already.
 *
 *  @param[in] cpu_weight   The file's number [1], 1 to 10000; 100 by default.
 *  @return  Weight [1]: 1024 by default; NaN if it is out of its range.
 *  @source  [linux] kernel/sched/sched.h, sched_weight_from_cgroup.
 *  @since   0.1.0
 */
CONTENTION_API double contention_group_weight(double cpu_weight);

/** @} */

/*=============================================================================
 * MARK: - >>load
 *===========================================================================*/
/** @defgroup contention_load_room contention: load
 *  The load average: the number of processes that want to run, exponentially smoothed. First eq. 1 of [clue] for any
 *  window and sampling interval, in double; then the Linux kernel's own three windows in its own fixed point, equal to
 *  /proc/loadavg digit for digit on the same samples [linux].
 *  @{ */

/** Smoothing constant that makes the load an estimate of the mean of the last N observations.
 *
 *  `beta = N / (N + 1)`
 *
 *  For 60 it is 60/61. Others write 59/60 for the same window, which is N = 59 here.
 *
 *  @param[in] observations   N [1], >= 0; INFINITY remembers for ever.
 *  @return  beta [1], 0 to 1; NaN if N is negative or NaN.
 *  @source  [clue] eq. 1.
 *  @since   0.1.0
 */
CONTENTION_API double contention_load_beta(double observations);

/** Smoothing constant for a window of time: contention_load_beta() of `window / interval`.
 *
 *  @param[in] window     Time to average over [s], >= 0; INFINITY remembers for ever.
 *  @param[in] interval   Time between two samples [s], finite, > 0.
 *  @return  beta [1], 0 to 1; NaN if an argument is not as said.
 *  @source  [clue] eq. 1.
 *  @since   0.1.0
 */
CONTENTION_API double contention_load_beta_window(double window, double interval);

/** The load after one more sample.
 *
 *  `next = beta * load + (1 - beta) * running`
 *
 *  @param[in] beta      Smoothing constant [1], 0 (no memory) to 1 (nothing new).
 *  @param[in] load      Load so far [1], finite, >= 0.
 *  @param[in] running   Processes that run or want to, now [1], finite, >= 0.
 *  @return  Load [1]; NaN if an argument is not as said.
 *  @source  [clue] eq. 1.
 *  @since   0.1.0
 */
CONTENTION_API double contention_load_next(double beta, double load, double running);

/** The load after many samples of the same number of processes.
 *
 *  `after = beta^samples * load + (1 - beta^samples) * running`: contention_load_next() with another beta.
 *
 *  @param[in] beta      Smoothing constant [1], 0 to 1.
 *  @param[in] load      Load so far [1], finite, >= 0.
 *  @param[in] running   Processes at every sample [1], finite, >= 0.
 *  @param[in] samples   Number of samples [1]; 0 leaves the load as it is.
 *  @return  Load [1]; NaN if an argument is not as said.
 *  @cost    O(log samples).
 *  @source  [clue] eq. 1, summed.
 *  @since   0.1.0
 */
CONTENTION_API double contention_load_after(double beta, double load, double running, uint64_t samples);

/** Time between two samples of the kernel [s], but for one tick more: 5.004 s at 250 ticks a second. */
#define CONTENTION_KERNEL_LOAD_INTERVAL 5.0

/** An array of this size holds any text of contention_kernel_load_text(). */
#define CONTENTION_KERNEL_LOAD_TEXT 64

/** The kernel's load average; zeroed, a machine that was always idle. */
typedef struct contention_kernel_load {
    uint64_t fixed[3]; /**< Load over 1, 5 and 15 minutes [1/2048], `fixed[3]`. */
} contention_kernel_load;

/** Takes one sample, as the kernel does every CONTENTION_KERNEL_LOAD_INTERVAL.
 *
 *  `fixed = (fixed * e + active * (2048 - e)) / 2048`, e = 1884, 2014, 2037: 2048 exp(-5 s / window). Rounds up while
 *  the load is not above `active`, so that it gets there, and down else, so that it gets back to zero.
 *
 *  @param[in,out] load     The load average.
 *  @param[in]     active   Processes that run, want to, or wait uninterruptibly [1], < 2^40.
 *  @source  [linux] include/linux/sched/loadavg.h, calc_load.
 *  @since   0.1.0
 */
CONTENTION_API void contention_kernel_load_next(contention_kernel_load *load, uint64_t active);

/** One of the three numbers, to plot or reckon with.
 *
 *  @param[in] load    The load average; borrowed.
 *  @param[in] which   0, 1, 2 for 1, 5, 15 minutes.
 *  @return  Load [1], in steps of 1/2048; NaN if there is no such number.
 *  @since   0.1.0
 */
CONTENTION_API double contention_kernel_load_value(const contention_kernel_load *load, int which);

/** The three numbers as /proc/loadavg prints them, "0.52 0.58 0.59": half a hundredth added, then cut.
 *
 *  @param[in]  load   The load average; borrowed.
 *  @param[out] text   The numbers, zero-terminated, `text[size]`; empty if they do not fit.
 *  @param[in]  size   Size of the array [B]; CONTENTION_KERNEL_LOAD_TEXT always suffices.
 *  @return  CONTENTION_OK, _MISSING or _SHORT_TEXT.
 *  @source  [linux] fs/proc/loadavg.c, loadavg_proc_show.
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_kernel_load_text(const contention_kernel_load *load, char text[],
                                                             size_t size);

/** @} */

/*=============================================================================
 * MARK: - >>mix
 *===========================================================================*/
/** @defgroup contention_mix_room contention: mix
 *  The applications that compete on a node, and how probable it is that just i of them compute, or communicate, at one
 *  time: each does so for a part of its time, independently of the others (a Poisson-binomial distribution). One comes or
 *  goes without starting again. Follows [slowdown] section 4.
 *  @{ */

/** Most applications in a mix. Define it before the include if 64 are too few or too many, alike in all files. */
#ifndef CONTENTION_MIX_MOST
#define CONTENTION_MIX_MOST 64
#endif

/** The applications on a node; zeroed, there are none. Look, but change it only by the calls. */
typedef struct contention_mix {
    size_t count;                                   /**< Applications [1]. */
    double computing[CONTENTION_MIX_MOST];          /**< Part of its time that each computes [1], `computing[count]`. */
    double communicating[CONTENTION_MIX_MOST];      /**< Part that it communicates [1]; for the rest it is idle. */
    double load;                                    /**< Sum of the first: how many compute on average [1]. */
    double probability[CONTENTION_MIX_MOST + 1][2]; /**< That just i compute, and that just i communicate [1],
                                                         `probability[count + 1][2]`; not filled while there are none,
                                                         see contention_mix_computing(). */
    double doubt[2];                                /**< Bounds of what rounding may have done to the two [1]. */
} contention_mix;

/** Adds an application.
 *
 *  @param[in,out] mix             The mix; unchanged if it is refused.
 *  @param[in]     computing       Part of its time that it computes [1], 0 to 1.
 *  @param[in]     communicating   Part that it communicates [1], 0 to 1; both together at most 1.
 *  @return  CONTENTION_OK, _MISSING, _BAD_FRACTION, or _FULL.
 *  @cost    O(count).
 *  @source  [slowdown] section 4, by the recurrence instead of its O(p^2) tables.
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_mix_add(contention_mix *mix, double computing, double communicating);

/** Removes an application; the last one gets its number.
 *
 *  @param[in,out] mix     The mix; unchanged if it is refused.
 *  @param[in]     which   Its number, from 0.
 *  @return  CONTENTION_OK, _MISSING or _NO_SUCH.
 *  @cost    O(count); a removal undoes an addition by dividing, and when the bound of the rounding errors of that passes
 *           5e-13 all is computed anew, O(count^2): every few removals if parts are near one half, else hardly ever.
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_mix_remove(contention_mix *mix, size_t which);

/** Computes the probabilities anew from the parts. Never needed, but what the two above are tested against.
 *
 *  @param[in,out] mix   The mix.
 *  @cost    O(count^2).
 *  @since   0.1.0
 */
CONTENTION_API void contention_mix_rebuild(contention_mix *mix);

/** Probability that just so many compute at one time.
 *
 *  @param[in] mix   The mix; borrowed.
 *  @param[in] i     How many [1].
 *  @return  pp_i [1]; 0 for more than there are.
 *  @source  [slowdown] eq. (2).
 *  @since   0.1.0
 */
CONTENTION_API double contention_mix_computing(const contention_mix *mix, size_t i);

/** Probability that just so many communicate at one time; otherwise as contention_mix_computing().
 *
 *  @param[in] mix   The mix; borrowed.
 *  @param[in] i     How many [1].
 *  @return  pm_i [1]; 0 for more than there are.
 *  @source  [slowdown] eq. (2).
 *  @since   0.1.0
 */
CONTENTION_API double contention_mix_communicating(const contention_mix *mix, size_t i);

/** @} */

/*=============================================================================
 * MARK: - >>slowdown
 *===========================================================================*/
/** @defgroup contention_slowdown_room contention: slowdown
 *  How many times longer something takes because others are there: computing on a node, communicating between two, and a
 *  parallel application on many. Multiply the dedicated time by it, eqs. (1) and (4). Follows [slowdown].
 *  @{ */

/** What i communicating applications cost one that computes, by the available bandwidth k: a line below a break, another
 *  from there on. With both slopes 0 and equal intercepts it is a constant. */
typedef struct contention_delay {
    double bandwidth;      /**< The break [Mword/s, or any other unit that k has too]. */
    double low_intercept;  /**< Below it: delay at k = 0 [1]. */
    double low_slope;      /**< Below it: for each unit of k [1]. */
    double high_intercept; /**< From it on. */
    double high_slope;     /**< From it on. */
} contention_delay;

/** Delay that i communicating applications cause.
 *
 *  @param[in] delays      Curves for 1, 2, ... of them, `delays[count]`; for more the last one counts.
 *  @param[in] count       Number of curves [1]; 0: communicating costs nothing.
 *  @param[in] i           How many communicate [1]; 0: no delay.
 *  @param[in] bandwidth   Available bandwidth k, >= 0, in the unit of the curves.
 *  @return  delay_comm [1], never below 0, where a fitted line may lead; NaN if the bandwidth is negative or NaN.
 *  @source  [slowdown] section 4 and figure 2.
 *  @since   0.1.0
 */
CONTENTION_API double contention_delay_of(const contention_delay delays[], size_t count, size_t i, double bandwidth);

/** Slowdown of computing on a node.
 *
 *  `sd = 1 + sum i pp_i + sum pm_i delay_comm(i, k)`
 *
 *  The first sum is the mean number that compute, so it is kept, not summed.
 *
 *  @param[in] mix         The competing applications; borrowed.
 *  @param[in] delays      Delay curves, `delays[count]`.
 *  @param[in] count       Number of curves [1]; may be 0.
 *  @param[in] bandwidth   Available bandwidth k, >= 0, in the unit of the curves.
 *  @return  Slowdown [1], >= 1; NaN if the bandwidth is negative or NaN.
 *  @cost    O(number of applications).
 *  @source  [slowdown] eq. (2).
 *  @since   0.1.0
 */
CONTENTION_API double contention_slowdown_local(const contention_mix *mix, const contention_delay delays[],
                                                size_t count, double bandwidth);

/** Most applications that contention_slowdown_shared() can tell apart. */
#define CONTENTION_SHARED_MOST 32

/** Slowdown of computing on a node where those who communicate take what they need of the core first.
 *
 *  `sd = sum over i, j of P(i compute, j communicate) * s_ij`. Where j communicate and delay one that computes by d_j =
 *  delay_comm(j, k), they need the part d_j / (1 + d_j) of the core, so that `s_ij = (1 + i) (1 + d_j)`. That holds as
 *  long as it is less than their turns would be, d_j < j / (1 + i). From there on all take turns, `s_ij = 1 + i + j`; and
 *  where j take more than their turns even from one, d_j > j, as with interrupts, `s_ij = (1 + i + j) (1 + d_j) / (1 + j)`.
 *
 *  Eq. (2) adds a delay that was measured against one that computes: with i more it is too short, unless those who
 *  communicate take the core in turn with all others. Where nobody computes, nobody communicates, or delays are those of
 *  computing, `d_j = j`, both are the same.
 *
 *  @param[in] mix         The competing applications; borrowed.
 *  @param[in] delays      Delay curves, `delays[count]`.
 *  @param[in] count       Number of curves [1]; may be 0.
 *  @param[in] bandwidth   Available bandwidth k, >= 0, in the unit of the curves.
 *  @return  Slowdown [1], >= 1; NaN if the bandwidth is negative or NaN, or there are more than CONTENTION_SHARED_MOST.
 *  @cost    O(p^3) of p applications, about 10 KB of stack.
 *  @source  Our own; docs/slowdown.md has how both do against measurements.
 *  @since   0.1.0
 */
CONTENTION_API double contention_slowdown_shared(const contention_mix *mix, const contention_delay delays[],
                                                 size_t count, double bandwidth);

/** Slowdown of communicating between two nodes.
 *
 *  `sd = dedicated / current`
 *
 *  @param[in] dedicated   Bandwidth when nobody else is there, > 0, finite.
 *  @param[in] current     Bandwidth that is available now, > 0, finite, in the same unit.
 *  @return  Slowdown [1]; NaN if an argument is not as said.
 *  @source  [slowdown] eq. (3).
 *  @since   0.1.0
 */
CONTENTION_API double contention_slowdown_communication(double dedicated, double current);

/** Weights of nodes from the times of one benchmark on each: the slowest has 1.
 *
 *  `w_a = max t / t_a`
 *
 *  @param[in]  nodes    Number of nodes [1], >= 1.
 *  @param[in]  time     Times, `time[nodes]`, > 0, finite, as their ratios must be.
 *  @param[out] weight   Weights [1], `weight[nodes]`; may be `time`. Untouched if something is refused.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT (no nodes) or _BAD_TIME.
 *  @source  [slowdown] section 6.
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_weights(size_t nodes, const double time[], double weight[]);

/** The partition that lets all nodes end together under load.
 *
 *  `f_a = (w_a / sd_a) / sum (w / sd)`
 *
 *  @param[in]  nodes      Number of nodes [1], >= 1.
 *  @param[in]  weight     Weights [1], `weight[nodes]`, > 0, finite.
 *  @param[in]  slowdown   Local slowdowns [1], `slowdown[nodes]`, > 0, not so small that `sum (w / sd)` is infinite; INFINITY:
 *                         no work for it.
 *  @param[out] fraction   Parts of the work [1], `fraction[nodes]`. Untouched if something is refused.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT (no nodes), _BAD_WEIGHT, _BAD_SLOWDOWN, or _NO_CAPACITY.
 *  @source  [slowdown] section 6.1.
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_partition(size_t nodes, const double weight[], const double slowdown[],
                                                      double fraction[]);

/** Aggregate slowdown of an application whose work is partitioned by load, as contention_partition() does.
 *
 *  `sd = sum w / sum (w / sd_a)`
 *
 *  @param[in] nodes      Number of nodes [1], >= 1.
 *  @param[in] weight     Weights [1], `weight[nodes]`, > 0, finite.
 *  @param[in] slowdown   Local slowdowns [1], `slowdown[nodes]`, > 0.
 *  @return  Slowdown [1]; INFINITY if the capacities sum to 0; NaN if an argument is out of range, or a sum is infinite.
 *  @source  [slowdown] eq. (5).
 *  @since   0.1.0
 */
CONTENTION_API double contention_slowdown_by_load(size_t nodes, const double weight[], const double slowdown[]);

/** Aggregate slowdown of an application with a given partition: the slowest node counts.
 *
 *  `sd = max(f_a n sd_a / w_a) / max(g_a n / w_a)`
 *
 *  With one partition for both it is eq. (8), with two eq. (9), with a uniform one in dedicated use eq. (11), which is eq. (12)
 *  where the slowest node has weight 1. `f n` is 1 + ew, ew the extra work of eqs. (7) and (10).
 *
 *  @param[in] nodes       Number of nodes [1], >= 1.
 *  @param[in] weight      Weights [1], `weight[nodes]`, > 0, finite.
 *  @param[in] slowdown    Local slowdowns [1], `slowdown[nodes]`, > 0.
 *  @param[in] fraction    Parts of the work under load [1], `fraction[nodes]`, >= 0, finite.
 *  @param[in] dedicated   Parts in dedicated use [1], `dedicated[nodes]`, >= 0, finite; NULL: all alike.
 *  @return  Slowdown [1]; NaN if an argument is not as said, or no node has work in dedicated use.
 *  @source  [slowdown] eqs. (8), (9), (11) and (12).
 *  @since   0.1.0
 */
CONTENTION_API double contention_slowdown_by_partition(size_t nodes, const double weight[], const double slowdown[],
                                                       const double fraction[], const double dedicated[]);

/** Aggregate slowdowns of many candidate placements at once, by load.
 *
 *  Candidate c runs on the nodes `node[c]`, `node[candidates + c]`, ...: all first nodes, then all second ones, so that
 *  a compiler can take several candidates at a time.
 *
 *  @param[in]  candidates   Number of candidates [1].
 *  @param[in]  each         Nodes of each [1], >= 1.
 *  @param[in]  node         Their nodes, `node[each * candidates]`, from 0. Not checked: this is the inner loop.
 *  @param[in]  weight       Weight of every node of the cluster [1], > 0.
 *  @param[in]  capacity     Its capacity under load, `weight / slowdown` [1], >= 0.
 *  @param[out] slowdown     Slowdowns [1], `slowdown[candidates]`; INFINITY without any capacity.
 *  @param[out] scratch      Working space, `scratch[candidates]`.
 *  @source  [slowdown] eq. (5).
 *  @since   0.1.0
 */
CONTENTION_API void contention_slowdowns_by_load(size_t candidates, size_t each, const uint32_t node[],
                                                 const double weight[], const double capacity[], double slowdown[],
                                                 double scratch[]);

/** @} */

/*=============================================================================
 * MARK: - >>placement
 *===========================================================================*/
/** @defgroup contention_placement_room contention: placement
 *  Which task of an application on which machine, when machines and the links between them are slowed down. Exact for a
 *  chain of tasks; list scheduling with a lower bound for any acyclic graph. Follows [slowdown] section 1.
 *  @{ */

/** A chain of tasks on machines, each task waiting for the one before. */
typedef struct contention_chain {
    size_t tasks;           /**< Number of tasks [1], >= 1. */
    size_t machines;        /**< Number of machines [1], >= 1. */
    const double *time;     /**< Dedicated times, `time[tasks * machines]` [s], row by task, >= 0; INFINITY: cannot. */
    const double *transfer; /**< Dedicated time from task t on machine a to the next on b,
                                        `transfer[(tasks - 1) * machines * machines]` [s], >= 0. */
    const double *slowdown; /**< Of computing, `slowdown[machines]` [1], > 0. */
    const double *communication; /**< Of communicating, `communication[machines * machines]` [1], > 0, row by sender. */
} contention_chain;

/** Scratch for a chain.
 *
 *  @param[in] tasks      Number of tasks [1].
 *  @param[in] machines   Number of machines [1].
 *  @return  Number of doubles.
 *  @since   0.1.0
 */
CONTENTION_API size_t contention_chain_scratch(size_t tasks, size_t machines);

/** The placement of a chain with the least time, by dynamic programming.
 *
 *  @param[in]  chain     The chain; borrowed.
 *  @param[out] machine   Machine of each task, `machine[tasks]`; of equals the lower number.
 *  @param[out] seconds   Its time [s]; INFINITY if a task can run nowhere; NaN if something is refused.
 *  @param[out] scratch   Working space, `scratch[contention_chain_scratch(tasks, machines)]`; keep it for updates.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT, _BAD_TIME or _BAD_SLOWDOWN.
 *  @cost    O(tasks * machines^2).
 *  @source  [slowdown] tables 1 to 4.
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_chain_place(const contention_chain *chain, size_t machine[],
                                                        double *seconds, double scratch[]);

/** The same after the slowdown of computing on one machine has changed, from what is in the scratch.
 *
 *  Only what can have changed is computed again; the answer is that of contention_chain_place(), to the bit.
 *
 *  @param[in]     chain     The chain, with the new slowdown and else as before.
 *  @param[in]     changed   The machine, from 0.
 *  @param[out]    machine   As above.
 *  @param[out]    seconds   As above.
 *  @param[in,out] scratch   As the last call left it.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT (no such machine, no task) or _BAD_SLOWDOWN.
 *  @cost    O(tasks * machines) if the others stay as they were, at most that of contention_chain_place().
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_chain_update(const contention_chain *chain, size_t changed,
                                                         size_t machine[], double *seconds, double scratch[]);

/** An edge of an acyclic graph of tasks. */
typedef struct contention_edge {
    size_t from;     /**< Task, from 0. */
    size_t to;       /**< Task that waits for it, a higher number. */
    double transfer; /**< Dedicated time to bring the data to another machine [s], >= 0; none on the same. */
} contention_edge;

/** An acyclic graph of tasks on machines. */
typedef struct contention_graph {
    size_t tasks;                /**< Number of tasks [1], >= 1. */
    size_t machines;             /**< Number of machines [1], >= 1. */
    size_t edges;                /**< Number of edges [1]. */
    const contention_edge *edge; /**< `edge[edges]`. */
    const double *time;          /**< Dedicated times, `time[tasks * machines]` [s], row by task, >= 0, finite. */
    const double *slowdown;      /**< Of computing, `slowdown[machines]` [1], > 0, finite. */
    const double *communication; /**< Of communicating, `communication[machines * machines]` [1], > 0, finite. */
} contention_graph;

/** A schedule of a graph, in the caller's arrays. */
typedef struct contention_schedule {
    size_t *machine; /**< Machine of each task, `machine[tasks]`. */
    double *begin;   /**< When it begins [s], `begin[tasks]`. */
    double *end;     /**< When it ends [s], `end[tasks]`. */
    double seconds;  /**< Result: when all have ended [s]; INFINITY where that is more than a double holds. */
    double bound;    /**< Result: no schedule is shorter [s]. */
} contention_schedule;

/** Schedules a graph: tasks by the length of what follows them, each where it ends first (list scheduling, as HEFT).
 *
 *  Never longer than all tasks on the one machine that is best for all; where the list is, that is what it gives. The bound
 *  is the longest path with every task on its fastest machine and no transfers, or all fastest times shared by all machines,
 *  whichever is longer.
 *
 *  @param[in]     graph      The graph; borrowed.
 *  @param[in,out] schedule   The schedule; its arrays are filled.
 *  @param[out]    scratch    Working space, `scratch[2 * tasks + machines]`.
 *  @return  CONTENTION_OK, _MISSING, _BAD_COUNT, _BAD_TIME, _BAD_SLOWDOWN or _BAD_EDGE.
 *  @cost    O(tasks^2 + tasks * machines + edges * (tasks + machines)).
 *  @source  Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002; without insertion.
 *  @since   0.1.0
 */
CONTENTION_API contention_result contention_graph_place(const contention_graph *graph, contention_schedule *schedule,
                                                        double scratch[]);

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

/*=============================================================================
 * MARK: - >>arithmetic (private)
 *===========================================================================*/
/* What every formula below leans on: a product, and the test that a number is one we can reckon with. */

/* A product that is rounded before anything is added to it. The language lets a compiler fuse a*b + c into one
 * instruction that rounds once; whether it does depends on processor, compiler and flags, and the last bit with it. One
 * such bit turns a tie of two events into an order. So the product passes through a barrier, which costs no instruction. */
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

/* Finite and not negative. NaN compares false, and so fails. */
static bool contention__amount(double x)
{
    return x >= 0 && x < HUGE_VAL;
}

/*=============================================================================
 * MARK: - >>results (body)
 *===========================================================================*/
CONTENTION_API const char *contention_result_text(contention_result result)
{
    switch (result) {
    case CONTENTION_OK: return "all is well";
    case CONTENTION_MISSING: return "a pointer is NULL that has something to point at";
    case CONTENTION_BAD_CORES: return "a node must have more than 0 cores";
    case CONTENTION_BAD_TAKEN: return "communication must not take a negative number of cores, or NaN";
    case CONTENTION_BAD_WEIGHT: return "the weight of a process must be a finite number above 0";
    case CONTENTION_BAD_COUNT: return "the number of processes of a class must be finite and not negative";
    case CONTENTION_SHORT_TEXT: return "the text does not fit into the array";
    case CONTENTION_BAD_FRACTION: return "parts of a time must be from 0 to 1, and so must their sum";
    case CONTENTION_FULL: return "the mix has as many applications as it can";
    case CONTENTION_UNKNOWN_APPLICATION: return "no such application is in the mix";
    case CONTENTION_BAD_TIME: return "a time must not be negative or NaN, nor 0 or infinite where that has no meaning";
    case CONTENTION_BAD_SLOWDOWN: return "a slowdown must be positive";
    case CONTENTION_NO_CAPACITY: return "the nodes have no capacity at all";
    case CONTENTION_BAD_EDGE: return "an edge must lead to a later task that is there";
    case CONTENTION_BAD_LIMIT: return "a limit of cores must not be negative or NaN";
    case CONTENTION_BAD_GROUP: return "a member must come after its group, which must have no processes of its own";
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
        return NAN;
    return contention__times(in, per_in) + contention__times(out, per_out);
}

/* What communication leaves to the processes. */
static double contention__left(double cores, double taken)
{
    return cores > taken ? cores - taken : 0;
}

CONTENTION_API double contention_share_equal(double cores, double taken, double running)
{
    double share;

    if (!(cores > 0 && taken >= 0 && running >= 1 && running < HUGE_VAL)) return NAN;
    share = contention__left(cores, taken) / running;
    return share < 1 ? share : 1;
}

static double contention__count(const double count[], size_t i)
{
    return count != NULL ? count[i] : 1;
}

/* Whether a class has processes that could use more than they have. */
static bool contention__wants(const double share[], const double count[], size_t i)
{
    return share[i] < 1 && contention__count(count, i) > 0;
}

CONTENTION_API contention_result contention_share_weighted(double cores, double taken, size_t classes,
                                                           const double weight[], const double count[], double share[])
{
    size_t i;

    if (!(cores > 0)) return CONTENTION_BAD_CORES;
    if (!(taken >= 0)) return CONTENTION_BAD_TAKEN;
    if (classes > 0 && (weight == NULL || share == NULL)) return CONTENTION_MISSING;
    for (i = 0; i < classes; i++) {
        if (!(weight[i] > 0 && weight[i] < HUGE_VAL)) return CONTENTION_BAD_WEIGHT;
        if (!contention__amount(contention__count(count, i))) return CONTENTION_BAD_COUNT;
    }

    for (i = 0; i < classes; i++) share[i] = 0;
    for (;;) {
        double left = contention__left(cores, taken), heaviest = 0, crowd = 0, most;

        /* those that have their whole core take it away; the heaviest of the others is the measure of this round, */
        for (i = 0; i < classes; i++) {
            if (contention__wants(share, count, i))
                heaviest = weight[i] > heaviest ? weight[i] : heaviest;
            else if (share[i] >= 1)
                left -= contention__count(count, i);
        }
        if (!(heaviest > 0)) return CONTENTION_OK;

        /* so that a crowd of equal weights is just their number, */
        for (i = 0; i < classes; i++)
            if (contention__wants(share, count, i))
                crowd += contention__times(contention__count(count, i), weight[i] / heaviest);
        most = (left > 0 ? left : 0) / crowd;

        /* and either all get their part, or the heaviest, at least, its whole core */
        for (i = 0; i < classes; i++)
            if (contention__wants(share, count, i)) {
                double part = contention__times(most, weight[i] / heaviest);
                share[i] = part < 1 ? part : 1;
            }
        if (most < 1) return CONTENTION_OK;
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

    if (nice < -20 || nice > 19) return NAN;
    switch (rule) {
    case CONTENTION_NICE_LINUX_TODAY: return today[nice + 20];
    case CONTENTION_NICE_LINUX_2_2: return 20 - nice;
    }
    return NAN;
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
    size_t i;

    for (i = 0; i < members; i++) {
        const contention_group_member *x = &member[i];
        if (x->in != CONTENTION_MACHINE && (x->in >= i || member[x->in].processes > 0)) return CONTENTION_BAD_GROUP;
        if (!(x->weight > 0 && x->weight < HUGE_VAL)) return CONTENTION_BAD_WEIGHT;
        if (!contention__amount(x->processes)) return CONTENTION_BAD_COUNT;
        if (!(x->limit >= 0)) return CONTENTION_BAD_LIMIT;
    }
    return CONTENTION_OK;
}

/* Most that each process of a class, or a group, can use: most[i]. Members come after their groups, so backwards. */
static void contention__groups_most(size_t members, const contention_group_member *member, double *most)
{
    size_t i;

    for (i = 0; i < members; i++) most[i] = 0;
    for (i = members; i-- > 0;) {
        const contention_group_member *x = &member[i];
        const double alike = contention__alike(x);
        if (x->processes > 0) most[i] = 1;
        if (x->limit > 0 && x->limit / alike < most[i]) most[i] = x->limit / alike;
        if (x->in != CONTENTION_MACHINE) most[x->in] += contention__times(alike, most[i]);
    }
}

/* Divides what a group has among its members, as contention_share_weighted() does among classes. */
static void contention__groups_divide(size_t group, double has, size_t members, const contention_group_member *member,
                                      double *share, const double *most)
{
    const size_t first = group == CONTENTION_MACHINE ? 0 : group + 1;
    bool full;

    do {
        double left = has, heaviest = 0, crowd = 0, part;
        size_t i;

        for (i = first; i < members; i++) {
            if (member[i].in != group) continue;
            if (share[i] < most[i])
                heaviest = member[i].weight > heaviest ? member[i].weight : heaviest;
            else
                left -= contention__times(contention__alike(&member[i]), share[i]);
        }
        if (!(heaviest > 0)) return;
        for (i = first; i < members; i++)
            if (member[i].in == group && share[i] < most[i])
                crowd += contention__times(contention__alike(&member[i]), member[i].weight / heaviest);
        part = (left > 0 ? left : 0) / crowd;
        for (full = false, i = first; i < members; i++)
            if (member[i].in == group && share[i] < most[i]) {
                share[i] = contention__times(part, member[i].weight / heaviest);
                if (share[i] < most[i]) continue;
                share[i] = most[i];
                full = true;
            }
    } while (full); /* what members at their limit leave over goes to the others */
}

CONTENTION_API contention_result contention_share_groups(double cores, double taken, size_t members,
                                                         const contention_group_member member[], double share[],
                                                         double scratch[])
{
    contention_result result;
    size_t i;

    if (!(cores > 0)) return CONTENTION_BAD_CORES;
    if (!(taken >= 0)) return CONTENTION_BAD_TAKEN;
    if (members == 0) return CONTENTION_OK;
    if (member == NULL || share == NULL || scratch == NULL) return CONTENTION_MISSING;
    result = contention__groups_check(members, member);
    if (result != CONTENTION_OK) return result;

    contention__groups_most(members, member, scratch);
    for (i = 0; i < members; i++) share[i] = 0;
    contention__groups_divide(CONTENTION_MACHINE, contention__left(cores, taken), members, member, share, scratch);
    for (i = 0; i < members; i++)
        if (!(member[i].processes > 0) && share[i] > 0)
            contention__groups_divide(i, share[i], members, member, share, scratch);
    return CONTENTION_OK;
}

CONTENTION_API double contention_group_weight(double cpu_weight)
{
    return cpu_weight >= 1 && cpu_weight <= 10000 ? floor(cpu_weight * 1024 / 100 + 0.5) : (double)NAN;
}

/*=============================================================================
 * MARK: - >>load (body)
 *===========================================================================*/
CONTENTION_API double contention_load_beta(double observations)
{
    if (!(observations >= 0)) return NAN;
    return observations < HUGE_VAL ? observations / (observations + 1) : 1;
}

CONTENTION_API double contention_load_beta_window(double window, double interval)
{
    if (!(window >= 0 && interval > 0 && interval < HUGE_VAL)) return NAN;
    return contention_load_beta(window / interval);
}

CONTENTION_API double contention_load_next(double beta, double load, double running)
{
    if (!(beta >= 0 && beta <= 1) || !contention__amount(load) || !contention__amount(running)) return NAN;
    return contention__times(beta, load) + contention__times(1 - beta, running);
}

CONTENTION_API double contention_load_after(double beta, double load, double running, uint64_t samples)
{
    double remembered = 1;

    if (!(beta >= 0 && beta <= 1)) return NAN;
    /* beta^samples: square for each bit, multiply where it is set */
    for (; samples > 0; samples >>= 1) {
        if (samples & 1) remembered *= beta;
        beta *= beta;
    }
    return contention_load_next(remembered, load, running);
}

CONTENTION_API void contention_kernel_load_next(contention_kernel_load *load, uint64_t active)
{
    static const uint64_t keep[3] = { 1884, 2014, 2037 };
    const uint64_t one = 2048, target = active * one;
    int i;

    for (i = 0; i < 3; i++) {
        uint64_t next = load->fixed[i] * keep[i] + target * (one - keep[i]);
        if (target >= load->fixed[i]) next += one - 1;
        load->fixed[i] = next / one;
    }
}

CONTENTION_API double contention_kernel_load_value(const contention_kernel_load *load, int which)
{
    return which >= 0 && which < 3 ? (double)load->fixed[which] / 2048 : (double)NAN;
}

/* Writes the decimal digits of a number, at least so many; returns where they end. */
static char *contention__digits(char *at, uint64_t number, int least)
{
    char backwards[20];
    int n = 0;

    for (; number > 0 || n < least; number /= 10) backwards[n++] = (char)('0' + number % 10);
    while (n > 0) *at++ = backwards[--n];
    return at;
}

CONTENTION_API contention_result contention_kernel_load_text(const contention_kernel_load *load, char text[],
                                                             size_t size)
{
    char all[CONTENTION_KERNEL_LOAD_TEXT], *at = all;
    size_t length, i;

    if (text == NULL) return CONTENTION_MISSING;
    if (size == 0) return CONTENTION_SHORT_TEXT;

    for (i = 0; i < 3; i++) {
        uint64_t rounded = load->fixed[i] + 2048 / 200;
        at = contention__digits(at, rounded / 2048, 1);
        *at++ = '.';
        at = contention__digits(at, rounded % 2048 * 100 / 2048, 2);
        *at++ = i < 2 ? ' ' : '\0';
    }

    length = (size_t)(at - all);
    text[0] = '\0';
    if (length > size) return CONTENTION_SHORT_TEXT;
    for (i = 0; i < length; i++) text[i] = all[i];
    return CONTENTION_OK;
}

/*=============================================================================
 * MARK: - >>mix (body)
 *===========================================================================*/
/* What rounding does to a probability in one addition, and what it may do before all is computed anew [1]. */
static const double contention__rounding = 2.5e-16, contention__most_doubt = 5e-13;

/* Two numbers at a time, computing and communicating. */
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
typedef double contention__pair __attribute__((vector_size(16)));

static contention__pair contention__pair_times(contention__pair a, contention__pair b)
{
    contention__pair product = a * b;
#if defined(__x86_64__)
    __asm__("" : "+x"(product)); /* as in contention__times() */
#else
    __asm__("" : "+w"(product));
#endif
    return product;
}

static contention__pair contention__pair_plus(contention__pair a, contention__pair b)
{
    return a + b;
}

static contention__pair contention__pair_over(contention__pair a, contention__pair b)
{
    return a / b;
}
#else
typedef struct contention__pair {
    double x[2];
} contention__pair;

static contention__pair contention__pair_times(contention__pair a, contention__pair b)
{
    a.x[0] = contention__times(a.x[0], b.x[0]);
    a.x[1] = contention__times(a.x[1], b.x[1]);
    return a;
}

static contention__pair contention__pair_plus(contention__pair a, contention__pair b)
{
    a.x[0] += b.x[0];
    a.x[1] += b.x[1];
    return a;
}

static contention__pair contention__pair_over(contention__pair a, contention__pair b)
{
    a.x[0] /= b.x[0];
    a.x[1] /= b.x[1];
    return a;
}
#endif

/* A sum in four parts, so that no addition waits for the one before. */
static double contention__sum(const double *x, size_t count)
{
    double a = 0, b = 0, c = 0, d = 0;
    size_t i;

    for (i = 0; i + 4 <= count; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < count; i++) a += x[i];
    return (a + b) + (c + d);
}

static contention__pair contention__pair_of(const double *from)
{
    contention__pair pair;
    memcpy(&pair, from, sizeof pair);
    return pair;
}

static bool contention__fraction(double x)
{
    return x >= 0 && x <= 1;
}

/* p[count + 1] of count applications becomes that of one more, which computes and communicates for parts q of its time. */
static void contention__join(double (*p)[2], size_t count, const double *q)
{
    const double rests[] = { 1 - q[0], 1 - q[1] };
    const contention__pair part = contention__pair_of(q), rest = contention__pair_of(rests);
    contention__pair above;
    size_t i;

    if (count == 0) p[0][0] = p[0][1] = 1;
    above = contention__pair_of(p[count]);
    for (i = count + 1; i > 0; i--) { /* p[i] = rest p[i] + part p[i - 1], and there is no p[count + 1] yet */
        const contention__pair here = above, grown = contention__pair_times(here, part);
        if (i <= count) {
            const contention__pair old = contention__pair_of(p[i]);
            const contention__pair sum = contention__pair_plus(contention__pair_times(old, rest), grown);
            memcpy(p[i], &sum, sizeof sum);
        } else {
            memcpy(p[i], &grown, sizeof grown);
        }
        if (i > 1) above = contention__pair_of(p[i - 2]);
    }
    above = contention__pair_times(contention__pair_of(p[0]), rest);
    memcpy(p[0], &above, sizeof above);
}

/* How one of the two distributions is divided: from the side from which errors grow least. */
typedef struct contention__division {
    double by, back, near, old;
    double *from, *to; /* where the next number is read and the new one written */
    ptrdiff_t step;
} contention__division;

static contention__division contention__divide(double (*p)[2], size_t lane, size_t count, double q)
{
    const double rest = 1 - q;
    contention__division x;

    x.by = 1 / (q > rest ? q : rest);
    x.back = contention__times(q > rest ? rest : q, x.by);
    x.near = 0;
    x.old = q > rest ? p[count][lane] : p[0][lane];
    x.from = q > rest ? &p[count - 1][lane] : &p[1][lane];
    x.to = q > rest ? &p[count - 1][lane] : &p[0][lane];
    x.step = q > rest ? -2 : 2;
    return x;
}

static void contention__divide_step(contention__division *x)
{
    x->near = contention__times(x->old, x->by) - contention__times(x->back, x->near);
    x->old = *x->from;
    *x->to = x->near > 0 ? x->near : 0;
    x->from += x->step;
    x->to += x->step;
}

/* The inverse: p[count + 1] becomes p[count]. Both at once, for each step of one waits for the step before. */
static void contention__leave(double (*p)[2], size_t count, const double *q)
{
    contention__division computing = contention__divide(p, 0, count, q[0]);
    contention__division communicating = contention__divide(p, 1, count, q[1]);
    size_t i;

    for (i = 0; i + 1 < count; i++) {
        contention__divide_step(&computing);
        contention__divide_step(&communicating);
    }
    /* the last one reads nothing more */
    computing.near = contention__times(computing.old, computing.by) - contention__times(computing.back, computing.near);
    *computing.to = computing.near > 0 ? computing.near : 0;
    communicating.near = contention__times(communicating.old, communicating.by) -
                         contention__times(communicating.back, communicating.near);
    *communicating.to = communicating.near > 0 ? communicating.near : 0;
}

/* By how much the largest error can grow there: a geometric sum of ratio small / large of q and 1 - q. */
static double contention__growth(size_t count, double q)
{
    const double large = q > 1 - q ? q : 1 - q, far = large + large - 1, terms = (double)count / large;

    return far > 0 && 1 / far < terms ? 1 / far : terms;
}

CONTENTION_API contention_result contention_mix_add(contention_mix *mix, double computing, double communicating)
{
    double q[2];

    if (mix == NULL) return CONTENTION_MISSING;
    if (!contention__fraction(computing) || !contention__fraction(communicating) || computing + communicating > 1)
        return CONTENTION_BAD_FRACTION;
    if (mix->count == CONTENTION_MIX_MOST) return CONTENTION_FULL;
    q[0] = computing;
    q[1] = communicating;
    contention__join(mix->probability, mix->count, q);
    mix->computing[mix->count] = computing;
    mix->communicating[mix->count] = communicating;
    mix->count++;
    mix->load = contention__sum(mix->computing, mix->count);
    mix->doubt[0] += contention__rounding;
    mix->doubt[1] += contention__rounding;
    return CONTENTION_OK;
}

CONTENTION_API void contention_mix_rebuild(contention_mix *mix)
{
    size_t i;

    for (i = 0; i < mix->count; i++) {
        const double q[] = { mix->computing[i], mix->communicating[i] };
        contention__join(mix->probability, i, q);
    }
    mix->doubt[0] = mix->doubt[1] = contention__rounding * (double)mix->count;
}

CONTENTION_API contention_result contention_mix_remove(contention_mix *mix, size_t which)
{
    double q[2], computes, communicates;
    size_t last;

    if (mix == NULL) return CONTENTION_MISSING;
    if (which >= mix->count) return CONTENTION_UNKNOWN_APPLICATION;
    last = --mix->count;
    q[0] = mix->computing[which];
    q[1] = mix->communicating[which];
    mix->computing[which] = mix->computing[last];
    mix->communicating[which] = mix->communicating[last];
    mix->load = contention__sum(mix->computing, last);
    if (last == 0) {
        mix->doubt[0] = mix->doubt[1] = 0;
        return CONTENTION_OK;
    }
    computes = contention__times(mix->doubt[0] + contention__rounding, contention__growth(last + 1, q[0]));
    communicates = contention__times(mix->doubt[1] + contention__rounding, contention__growth(last + 1, q[1]));
    if (computes > contention__most_doubt || communicates > contention__most_doubt) {
        contention_mix_rebuild(mix);
    } else {
        contention__leave(mix->probability, last + 1, q);
        mix->doubt[0] = computes;
        mix->doubt[1] = communicates;
    }
    return CONTENTION_OK;
}

CONTENTION_API double contention_mix_computing(const contention_mix *mix, size_t i)
{
    if (mix->count == 0) return i == 0 ? 1 : 0;
    return i <= mix->count ? mix->probability[i][0] : 0;
}

CONTENTION_API double contention_mix_communicating(const contention_mix *mix, size_t i)
{
    if (mix->count == 0) return i == 0 ? 1 : 0;
    return i <= mix->count ? mix->probability[i][1] : 0;
}

/*=============================================================================
 * MARK: - >>slowdown (body)
 *===========================================================================*/
CONTENTION_API double contention_delay_of(const contention_delay delays[], size_t count, size_t i, double bandwidth)
{
    const contention_delay *x;
    double delay;

    if (!(bandwidth >= 0)) return NAN;
    if (i == 0 || count == 0) return 0;
    x = &delays[(i < count ? i : count) - 1];
    delay = bandwidth < x->bandwidth ? x->low_intercept + contention__times(x->low_slope, bandwidth)
                                     : x->high_intercept + contention__times(x->high_slope, bandwidth);
    return delay < 0 ? 0 : delay;
}

CONTENTION_API double contention_slowdown_local(const contention_mix *mix, const contention_delay delays[],
                                                size_t count, double bandwidth)
{
    double sum = 1 + mix->load, more = 0;
    size_t i;

    if (!(bandwidth >= 0)) return NAN;
    if (count == 0) return sum;
    for (i = 1; i < count && i <= mix->count; i++)
        sum += contention__times(mix->probability[i][1], contention_delay_of(delays, count, i, bandwidth));
    for (; i <= mix->count; i++) more += mix->probability[i][1]; /* for these the last curve counts */
    return sum + contention__times(more, contention_delay_of(delays, count, count, bandwidth));
}

/* Of one that computes, among i that do and j that delay one alone by so much. */
static double contention__shared(double delay, size_t i, size_t j)
{
    const double all = (double)(1 + i + j), needed = delay / (1 + delay);
    if (delay > (double)j) return all * ((1 + delay) / (double)(1 + j)); /* more than in turn: by interrupts */
    return needed < (double)j / all ? (double)(1 + i) / (1 - needed) : all;
}

CONTENTION_API double contention_slowdown_shared(const contention_mix *mix, const contention_delay delays[],
                                                 size_t count, double bandwidth)
{
    double joint[CONTENTION_SHARED_MOST + 1]
                [CONTENTION_SHARED_MOST + 1]; /* probability that i compute, j communicate */
    double sum = 0;
    size_t a, i, j;

    if (!(bandwidth >= 0) || mix->count > CONTENTION_SHARED_MOST) return NAN;
    memset(joint, 0, sizeof joint);
    joint[0][0] = 1;
    for (a = 0; a < mix->count; a++) {
        const double computes = mix->computing[a], talks = mix->communicating[a], idles = 1 - computes - talks;
        for (i = a + 2; i-- > 0;)
            for (j = a + 2 - i; j-- > 0;)
                joint[i][j] = contention__times(joint[i][j], idles > 0 ? idles : 0) +
                              (i > 0 ? contention__times(joint[i - 1][j], computes) : 0) +
                              (j > 0 ? contention__times(joint[i][j - 1], talks) : 0);
    }
    for (i = 0; i <= mix->count; i++)
        for (j = 0; i + j <= mix->count; j++)
            sum += contention__times(joint[i][j],
                                     contention__shared(contention_delay_of(delays, count, j, bandwidth), i, j));
    return sum;
}

CONTENTION_API double contention_slowdown_communication(double dedicated, double current)
{
    return dedicated > 0 && dedicated < HUGE_VAL && current > 0 && current < HUGE_VAL ? dedicated / current
                                                                                      : (double)NAN;
}

/* What is wrong with weights or slowdowns. */
static contention_result contention__nodes(size_t nodes, const double *weight, const double *slowdown)
{
    size_t i;

    if (nodes == 0) return CONTENTION_BAD_COUNT;
    if (weight == NULL || slowdown == NULL) return CONTENTION_MISSING;
    for (i = 0; i < nodes; i++) {
        if (!(weight[i] > 0 && weight[i] < HUGE_VAL)) return CONTENTION_BAD_WEIGHT;
        if (!(slowdown[i] > 0)) return CONTENTION_BAD_SLOWDOWN;
    }
    return CONTENTION_OK;
}

CONTENTION_API contention_result contention_weights(size_t nodes, const double time[], double weight[])
{
    double slowest = 0, fastest = HUGE_VAL;
    size_t i;

    if (nodes == 0) return CONTENTION_BAD_COUNT;
    if (time == NULL || weight == NULL) return CONTENTION_MISSING;
    for (i = 0; i < nodes; i++) {
        if (!(time[i] > 0 && time[i] < HUGE_VAL)) return CONTENTION_BAD_TIME;
        if (time[i] > slowest) slowest = time[i];
        if (time[i] < fastest) fastest = time[i];
    }
    if (!(slowest / fastest < HUGE_VAL)) return CONTENTION_BAD_TIME;
    for (i = 0; i < nodes; i++) weight[i] = slowest / time[i];
    return CONTENTION_OK;
}

CONTENTION_API contention_result contention_partition(size_t nodes, const double weight[], const double slowdown[],
                                                      double fraction[])
{
    contention_result result = contention__nodes(nodes, weight, slowdown);
    double capacity = 0;
    size_t i;

    if (result != CONTENTION_OK) return result;
    if (fraction == NULL) return CONTENTION_MISSING;
    for (i = 0; i < nodes; i++) capacity += weight[i] / slowdown[i];
    if (!(capacity > 0)) return CONTENTION_NO_CAPACITY;
    if (!(capacity < HUGE_VAL)) return CONTENTION_BAD_SLOWDOWN; /* more than a double holds */
    for (i = 0; i < nodes; i++) fraction[i] = weight[i] / slowdown[i] / capacity;
    return CONTENTION_OK;
}

/* Not 0: not from 2^-300 to 2^300, where products of two and their sums cannot overflow; so also for what is no number,
 * or not positive. Of the bits of a double the order is that of the numbers. */
static uint64_t contention__extreme(double x)
{
    const uint64_t low = (uint64_t)(1023 - 300) << 52, high = (uint64_t)(1023 + 300) << 52;
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits - low >= high - low;
}

/* The plain way, for numbers of any size. */
static double contention__by_load(size_t nodes, const double *weight, const double *slowdown)
{
    double dedicated = 0, capacity = 0;
    size_t i;

    if (contention__nodes(nodes, weight, slowdown) != CONTENTION_OK) return NAN;
    for (i = 0; i < nodes; i++) {
        dedicated += weight[i];
        capacity += weight[i] / slowdown[i];
    }
    if (!(dedicated < HUGE_VAL && capacity < HUGE_VAL)) return NAN; /* more than a double holds */
    return capacity > 0 ? dedicated / capacity : HUGE_VAL;
}

CONTENTION_API double contention_slowdown_by_load(size_t nodes, const double weight[], const double slowdown[])
{
    const double nothing[] = { 0, 0 };
    double parts[2], capacity;
    contention__pair sum;
    uint64_t extreme = 0;
    size_t i;

    if (nodes == 0 || weight == NULL || slowdown == NULL) return NAN;
    sum = contention__pair_of(nothing);
    for (i = 0; i + 4 <= nodes; i += 4) { /* a/b + c/d = (a d + c b) / (b d): one division for four */
        const contention__pair a = contention__pair_of(weight + i), c = contention__pair_of(weight + i + 2);
        const contention__pair b = contention__pair_of(slowdown + i), d = contention__pair_of(slowdown + i + 2);
        const contention__pair over = contention__pair_plus(contention__pair_times(a, d), contention__pair_times(c, b));
        sum = contention__pair_plus(sum, contention__pair_over(over, contention__pair_times(b, d)));
        extreme |= contention__extreme(weight[i]) | contention__extreme(weight[i + 1]) |
                   contention__extreme(weight[i + 2]) | contention__extreme(weight[i + 3]);
        extreme |= contention__extreme(slowdown[i]) | contention__extreme(slowdown[i + 1]) |
                   contention__extreme(slowdown[i + 2]) | contention__extreme(slowdown[i + 3]);
    }
    memcpy(parts, &sum, sizeof parts);
    capacity = parts[0] + parts[1];
    for (; i < nodes; i++) {
        extreme |= contention__extreme(weight[i]) | contention__extreme(slowdown[i]);
        capacity += weight[i] / slowdown[i];
    }
    return extreme ? contention__by_load(nodes, weight, slowdown) : contention__sum(weight, nodes) / capacity;
}

CONTENTION_API double contention_slowdown_by_partition(size_t nodes, const double weight[], const double slowdown[],
                                                       const double fraction[], const double dedicated[])
{
    double slowest = 0, before = 0;
    size_t i;

    if (contention__nodes(nodes, weight, slowdown) != CONTENTION_OK || fraction == NULL) return NAN;
    for (i = 0; i < nodes; i++) {
        const double own = fraction[i], alone = dedicated != NULL ? dedicated[i] : 1 / (double)nodes;
        const double now = own > 0 ? contention__times(own, slowdown[i]) / weight[i] : 0, then = alone / weight[i];
        if (!(own >= 0 && own < HUGE_VAL && alone >= 0 && alone < HUGE_VAL)) return NAN;
        if (now > slowest) slowest = now;
        if (then > before) before = then;
    }
    return before > 0 ? slowest / before : (double)NAN;
}

CONTENTION_API void contention_slowdowns_by_load(size_t candidates, size_t each, const uint32_t node[],
                                                 const double weight[], const double capacity[], double slowdown[],
                                                 double scratch[])
{
    size_t c, k;

    for (c = 0; c < candidates; c++) slowdown[c] = scratch[c] = 0;
    for (k = 0; k < each; k++)
        for (c = 0; c < candidates; c++) {
            slowdown[c] += weight[node[k * candidates + c]];
            scratch[c] += capacity[node[k * candidates + c]];
        }
    for (c = 0; c < candidates; c++) slowdown[c] = scratch[c] > 0 ? slowdown[c] / scratch[c] : HUGE_VAL;
}

/*=============================================================================
 * MARK: - >>placement (body)
 *===========================================================================*/
CONTENTION_API size_t contention_chain_scratch(size_t tasks, size_t machines)
{
    return 2 * tasks * machines + 2 * machines;
}

static bool contention__slowed(const double *slowdown, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        if (!(slowdown[i] > 0)) return false;
    return true;
}

/* Time of a task on a machine; what is not done there takes no time, however slow it is. */
static double contention__slow(double time, double slowdown)
{
    return time > 0 ? contention__times(time, slowdown) : 0;
}

/* Time until a task has ended on a machine, coming from another: best[a] until the one before has. */
static double contention__coming(const contention_chain *x, size_t task, size_t from, size_t to, const double *best)
{
    const size_t m = x->machines;

    return best[from] +
           contention__slow(x->transfer[((task - 1) * m + from) * m + to], x->communication[from * m + to]);
}

/* Fills best and from of a task on one machine; looks at all machines before. */
static void contention__arrive(const contention_chain *x, size_t task, size_t to, const double *before, double *best,
                               double *from)
{
    size_t a;

    best[to] = HUGE_VAL;
    from[to] = 0;
    for (a = 0; a < x->machines; a++) {
        const double time = contention__coming(x, task, a, to, before);
        if (time < best[to]) {
            best[to] = time;
            from[to] = (double)a;
        }
    }
    best[to] += contention__slow(x->time[task * x->machines + to], x->slowdown[to]);
}

/* The best end, and back from it. */
static double contention__trace(const contention_chain *x, size_t *machine, const double *best, const double *from)
{
    const size_t m = x->machines;
    size_t t = x->tasks - 1, at = 0, a;
    double seconds;

    for (a = 1; a < m; a++)
        if (best[t * m + a] < best[t * m + at]) at = a;
    seconds = best[t * m + at];
    for (;; t--) {
        machine[t] = at;
        if (t == 0) return seconds;
        at = (size_t)from[t * m + at];
    }
}

CONTENTION_API contention_result contention_chain_place(const contention_chain *chain, size_t machine[],
                                                        double *seconds, double scratch[])
{
    const contention_chain *x = chain;
    double *from;
    size_t i, t, m;

    if (seconds == NULL) return CONTENTION_MISSING;
    *seconds = NAN;
    if (x == NULL || machine == NULL || scratch == NULL) return CONTENTION_MISSING;
    if (x->tasks == 0 || x->machines == 0) return CONTENTION_BAD_COUNT;
    if (x->time == NULL || x->slowdown == NULL) return CONTENTION_MISSING;
    m = x->machines;
    if (x->tasks > 1 && (x->transfer == NULL || x->communication == NULL)) return CONTENTION_MISSING;
    for (i = 0; i < x->tasks * m; i++)
        if (!(x->time[i] >= 0)) return CONTENTION_BAD_TIME;
    for (i = 0; i < (x->tasks - 1) * m * m; i++)
        if (!(x->transfer[i] >= 0)) return CONTENTION_BAD_TIME;
    if (!contention__slowed(x->slowdown, m)) return CONTENTION_BAD_SLOWDOWN;
    if (x->tasks > 1 && !contention__slowed(x->communication, m * m)) return CONTENTION_BAD_SLOWDOWN;

    from = scratch + x->tasks * m;
    for (i = 0; i < m; i++) {
        scratch[i] = contention__slow(x->time[i], x->slowdown[i]);
        from[i] = 0;
    }
    for (t = 1; t < x->tasks; t++)
        for (i = 0; i < m; i++) contention__arrive(x, t, i, scratch + (t - 1) * m, scratch + t * m, from + t * m);
    *seconds = contention__trace(x, machine, scratch, from);
    return CONTENTION_OK;
}

CONTENTION_API contention_result contention_chain_update(const contention_chain *chain, size_t changed,
                                                         size_t machine[], double *seconds, double scratch[])
{
    const contention_chain *x = chain;
    double *from, *moved, *moves;
    size_t t, a, i, m, movers;

    if (seconds == NULL) return CONTENTION_MISSING;
    *seconds = NAN;
    if (x == NULL || machine == NULL || scratch == NULL) return CONTENTION_MISSING;
    m = x->machines;
    if (x->tasks == 0 || changed >= m) return CONTENTION_BAD_COUNT;
    if (!(x->slowdown[changed] > 0)) return CONTENTION_BAD_SLOWDOWN;
    from = scratch + x->tasks * m;
    moved =
        from + x->tasks * m; /* moved[movers]: machines whose time of the task before has changed; moves[]: of this */
    moves = moved + m;

    scratch[changed] = contention__slow(x->time[changed], x->slowdown[changed]);
    moved[0] = (double)changed;
    movers = 1;
    for (t = 1; t < x->tasks; t++) {
        const double *before = scratch + (t - 1) * m;
        double *best = scratch + t * m, *came = from + t * m;
        size_t next = 0;
        for (a = 0; a < m; a++) {
            const double old = best[a];
            bool again = a == changed;
            for (i = 0; i < movers && !again; i++) { /* its way here may have become longer, or another one shorter */
                const size_t mover = (size_t)moved[i];
                again = came[a] >= (double)mover && came[a] <= (double)mover;
                again = again || contention__coming(x, t, mover, a, before) +
                                         contention__slow(x->time[t * m + a], x->slowdown[a]) <=
                                     old;
            }
            if (!again) continue;
            contention__arrive(x, t, a, before, best, came);
            if (best[a] < old || best[a] > old) moves[next++] = (double)a;
        }
        for (i = 0; i < next; i++) moved[i] = moves[i];
        movers = next;
    }
    *seconds = contention__trace(x, machine, scratch, from);
    return CONTENTION_OK;
}

static contention_result contention__graph_check(const contention_graph *x, const contention_schedule *schedule,
                                                 const double *scratch)
{
    size_t i;

    if (x == NULL || schedule == NULL || scratch == NULL) return CONTENTION_MISSING;
    if (x->tasks == 0 || x->machines == 0) return CONTENTION_BAD_COUNT;
    if (schedule->machine == NULL || schedule->begin == NULL || schedule->end == NULL || x->time == NULL ||
        x->slowdown == NULL || x->communication == NULL || (x->edges > 0 && x->edge == NULL))
        return CONTENTION_MISSING;
    for (i = 0; i < x->tasks * x->machines; i++)
        if (!(x->time[i] >= 0 && x->time[i] < HUGE_VAL)) return CONTENTION_BAD_TIME;
    for (i = 0; i < x->machines * x->machines; i++)
        if (!(x->communication[i] > 0 && x->communication[i] < HUGE_VAL)) return CONTENTION_BAD_SLOWDOWN;
    for (i = 0; i < x->machines; i++)
        if (!(x->slowdown[i] > 0 && x->slowdown[i] < HUGE_VAL)) return CONTENTION_BAD_SLOWDOWN;
    for (i = 0; i < x->edges; i++) {
        if (x->edge[i].to >= x->tasks || x->edge[i].from >= x->edge[i].to) return CONTENTION_BAD_EDGE;
        if (!(x->edge[i].transfer >= 0 && x->edge[i].transfer < HUGE_VAL)) return CONTENTION_BAD_TIME;
    }
    return CONTENTION_OK;
}

static double contention__task(const contention_graph *x, size_t task, size_t machine)
{
    return contention__times(x->time[task * x->machines + machine], x->slowdown[machine]);
}

/* Least and mean time of each task; what follows each, by mean times, and by least ones without transfers. The longest of
 * the latter, or all shared, is the bound. */
static double contention__ranks(const contention_graph *x, double *rank, double *least)
{
    const double machines = (double)x->machines;
    double all = 0, longest = 0, slow = 0;
    size_t i, k, m;

    for (m = 0; m < x->machines * x->machines; m++) slow += x->communication[m] / (machines * machines);
    for (i = x->tasks; i-- > 0;) {
        double mean = 0, fastest = HUGE_VAL, after = 0, path = 0;
        for (m = 0; m < x->machines; m++) {
            const double time = contention__task(x, i, m);
            mean += time / machines;
            if (time < fastest) fastest = time;
        }
        for (k = 0; k < x->edges; k++) {
            const contention_edge *e = &x->edge[k];
            double with;
            if (e->from != i) continue;
            with = rank[e->to] + contention__times(e->transfer, slow);
            if (with > after) after = with;
            if (least[e->to] > path) path = least[e->to];
        }
        rank[i] = mean + after;
        least[i] = fastest + path;
        all += fastest / machines; /* divided before it is added: the sum of all may overflow where this does not */
        if (least[i] > longest) longest = least[i];
    }
    return all > longest ? all : longest;
}

/* When a task could begin on a machine, by what it waits for. */
static double contention__ready(const contention_graph *x, const contention_schedule *s, size_t task, size_t machine)
{
    double ready = 0;
    size_t k;

    for (k = 0; k < x->edges; k++) {
        const contention_edge *e = &x->edge[k];
        double there;
        if (e->to != task) continue;
        there = s->end[e->from];
        if (s->machine[e->from] != machine)
            there += contention__times(e->transfer, x->communication[s->machine[e->from] * x->machines + machine]);
        if (there > ready) ready = there;
    }
    return ready;
}

CONTENTION_API contention_result contention_graph_place(const contention_graph *graph, contention_schedule *schedule,
                                                        double scratch[])
{
    const contention_graph *x = graph;
    contention_schedule *s = schedule;
    contention_result result = contention__graph_check(x, s, scratch);
    double *rank, *least, *free_at, single = HUGE_VAL, now = 0;
    size_t i, m, done, best = 0;

    if (result != CONTENTION_OK) return result;
    rank = scratch;
    least = scratch + x->tasks;
    free_at = least + x->tasks;
    s->bound = contention__ranks(x, rank, least);
    s->seconds = 0;
    for (m = 0; m < x->machines; m++) free_at[m] = 0;
    for (i = 0; i < x->tasks; i++) s->end[i] = -1;
    for (done = 0; done < x->tasks; done++) {
        size_t task = x->tasks;
        double ends = 0;
        for (i = 0; i < x->tasks; i++) /* of equal ranks the lower number, which waits for no higher one */
            if (s->end[i] < 0 && (task == x->tasks || rank[i] > rank[task])) task = i;
        for (m = 0; m < x->machines; m++) {
            const double ready = contention__ready(x, s, task, m), begin = ready > free_at[m] ? ready : free_at[m];
            const double end = begin + contention__task(x, task, m);
            if (m == 0 || end < ends) { /* the first one even where its end is infinite: every task gets a machine */
                ends = end;
                s->machine[task] = m;
                s->begin[task] = begin;
            }
        }
        s->end[task] = ends;
        free_at[s->machine[task]] = ends;
        if (ends > s->seconds) s->seconds = ends;
    }
    for (m = 0; m < x->machines; m++) {
        double sum = 0;
        for (i = 0; i < x->tasks; i++) sum += contention__task(x, i, m);
        if (sum < single) {
            single = sum;
            best = m;
        }
    }
    if (single >= s->seconds) return CONTENTION_OK;
    for (i = 0; i < x->tasks; i++) { /* all on one machine, in the order of their numbers */
        s->machine[i] = best;
        s->begin[i] = now;
        s->end[i] = now += contention__task(x, i, best);
    }
    s->seconds = now;
    return CONTENTION_OK;
}

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
