/*
    contention.h: how much slower sharing is

    What is left of a processor when several processes want it: shares, equal or by nice level, and the load average by
    which everyone else notices. Values and formulas only: plain structs that you may copy, no clock, no allocation, no
    state. Part of simkit; works alone.

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
        >>load          load averages: smoothed for any window, and the kernel's own 1, 5 and 15 minutes
        >>arithmetic    (private) products that round alike everywhere

    OPTIONS
        CONTENTION_IMPLEMENTATION   the body too; define it in exactly one file, before the include
        CONTENTION_STATIC           all functions static, body included, for a library that must not export them;
                                    define it in each file that calls them, before the include

    ERRORS
        A formula given the impossible (a negative share, a NaN) returns NaN, which no later sum can hide. A function
        that fills an array returns a contention_result; contention_result_text() gives its sentence.

    THREADS
        A function touches its arguments and nothing else: call from any thread.

    TIME RESOLUTION
        Time slices are infinitely small. The same inputs give the same bits on every processor with IEEE doubles.
        -ffast-math removes NaN, so the body refuses to compile with it.

    BREAKS
        0.1.0 is the first version: nothing is broken yet.
*/
/** @file contention.h
 *  How much slower sharing is: processor shares, nice levels, load averages. See @ref contention. */
#ifndef CONTENTION_H
#define CONTENTION_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

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
/** @defgroup contention_results_room Results
 *  Formulas answer with NaN; the functions that fill an array of the caller's answer with one of these codes.
 *  @{ */

/** Why something was refused. */
typedef enum contention_result {
    CONTENTION_OK = 0,     /**< All is well. */
    CONTENTION_MISSING,    /**< A pointer is NULL that has something to point at. */
    CONTENTION_BAD_CORES,  /**< Cores not > 0, or NaN. */
    CONTENTION_BAD_TAKEN,  /**< Cores taken by communication negative, or NaN. */
    CONTENTION_BAD_WEIGHT, /**< A weight not > 0, infinite, or NaN. */
    CONTENTION_BAD_COUNT,  /**< A number of processes negative, infinite, or NaN. */
    CONTENTION_SHORT_TEXT  /**< A text that is too long for the caller's array. */
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
/** @defgroup contention_share_room Share
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
 * MARK: - >>load
 *===========================================================================*/
/** @defgroup contention_load_room Load
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

#ifdef __cplusplus
}
#endif
#endif /* CONTENTION_H */

/*
 *  The body, once per file.
 */
#if (defined(CONTENTION_IMPLEMENTATION) || defined(CONTENTION_STATIC)) && !defined(CONTENTION_IMPLEMENTED)
#define CONTENTION_IMPLEMENTED

#ifdef __FAST_MATH__
#error "contention.h: NaN has a meaning here: compile its body without -ffast-math"
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
static int contention__amount(double x)
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
static int contention__wants(const double share[], const double count[], size_t i)
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
    return which >= 0 && which < 3 ? (double)load->fixed[which] / 2048 : NAN;
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
