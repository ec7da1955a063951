/*
netmodel_fit.h - from measured times to predictions, and how far to trust them

Fits of the models of netmodel.h to measurements: lines, robust or not, and lines with breaks; the step from runs on few
processes to many, by the model of a parallel program or by scaling laws; which clusters to choose, and which run to
measure next. All of it with intervals. Values and formulas only: plain structs that you may copy, no clock, no
allocation, no state. Part of simkit; stands on netmodel.h alone.

    #define NETMODEL_IMPLEMENTATION
    #include "netmodel.h"
    #include "util/netmodel_fit.h"
    #include <stdio.h>

    int main(void)
    {
        const double bytes[] = { 0, 1e3, 1e4, 1e5 }, seconds[] = { 61e-6, 139e-6, 862e-6, 8.06e-3 };   // measured
        const netmodel_points points = { bytes, seconds, 4, NETMODEL_ERROR_RELATIVE };
        netmodel_fit fit;
        netmodel_result result = netmodel_fit_line(&points, &fit, NULL);
        if (result) return puts(netmodel_result_text(result)), 1;
        netmodel_prediction p = netmodel_fit_predict(&fit, 5e4, 0.95);
        printf("50 kB take %.2f ms, the next message %.2f to %.2f ms\n", 1e3 * p.time, 1e3 * p.low, 1e3 * p.high);
        return 0;
    }

prints `50 kB take 4.05 ms, the next message 3.86 to 4.24 ms`.

USE      Copy it beside netmodel.h, or into a folder util/ there, and include netmodel.h before it. Define
         NETMODEL_IMPLEMENTATION in one C or C++ file, as above, before both; SIMKIT_IMPLEMENTATION does as well, for a
         file with simkit.h. Others just include the headers. Link with -lm.

UNITS    Those of netmodel.h: seconds [s], bytes [B], counts [1]; all are double.

ROOMS    grep 'MARK: - >>' walks them; bodies follow in the same order, private rooms before the body that needs them
    fit          lines through measurements, least squares and robust
    intervals    predictions of a fit, with confidence and prediction intervals
    pieces       lines with breaks, with and without jumps
    measured     the curve through what was measured, which may fall and jump, with intervals between the sizes
    scaling      from runs on few processes to many, on one cluster or several, with intervals
    laws         scaling laws that extrapolate, with intervals that say so, and what makes them doubtful
    choice       which clusters for which grid: all choices with time and cost, and the best
    experiments  which run to measure next: what narrows a prediction most for its cost
    arithmetic   (private) products that round alike everywhere
    jumps        (private) the best partition into separate lines
    joints       (private) the best breaks of lines that meet
    runs         (private) least squares through measured runs
    forms        (private) the parameters and exponents of one law
    blend        (private) what several laws say together

OPTIONS  Those of netmodel.h, defined before both headers: NETMODEL_STATIC, NETMODEL_ANY_FLOAT. Besides:
         NETMODEL_FIT_IMPLEMENTATION   compile this body alone; the body of netmodel.h is in another file of the program
         The body has 57 KB of code by gcc 12 -O2, and takes longer to compile than that of netmodel.h, which has 39 KB.

CALLS    What is read is borrowed for the call; what is filled is the caller's. A parameter is described where a room
         first has it, and not at all if its type says enough. `level` is that of intervals [1], between 0 and 1, such
         as 0.95. `where`, which may be NULL, gets the index or place of what is refused.

ERRORS   A formula returns NaN for an argument out of range (a negative size, a NaN); no later sum can hide it. A
         function that checks arrays returns a netmodel_result; netmodel_result_text() gives its sentence. A
         struct that it fills is zeroed on error.

THREADS  A function touches its arguments and nothing else: call from any thread.

BITS     Equal inputs give equal bits on every processor with IEEE doubles. The body refuses to compile with -ffast-math
         or -ffinite-math-only, which remove NaN, and with x87 arithmetic (i686 without -msse2 -mfpmath=sse), which
         changes the last bits.

SINCE    0.1.0, the first version, in which all of it was a part of netmodel.h.
*/
/** @file netmodel_fit.h
 *  From measured times to predictions: fits, intervals, scaling laws, the choice of clusters and of the next run. See
 *  @ref netmodel_fit.
 *  @since 0.1.0 */
#ifndef NETMODEL_FIT_H
#define NETMODEL_FIT_H

#ifndef NETMODEL_H
#error "include netmodel.h before util/netmodel_fit.h"
#endif

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>fit
 *===========================================================================*/
/** @defgroup netmodel_fit_room netmodel: fit
 *  Lines through measured times, and their uncertainty. Least squares, of the errors or of the relative errors: times
 *  of messages span six decades, and a microsecond is much for the smallest and nothing for the largest. Intervals
 *  assume independent normal errors with one standard deviation (absolute), or one in proportion to the time
 *  (relative). Formulas as in any textbook of regression; Draper and Smith, "Applied Regression Analysis". @{ */

/** Which errors are minimized. */
typedef enum netmodel_error_metric {
    NETMODEL_ERROR_ABSOLUTE = 0, /**< `sum (t - line)^2` [s^2] */
    NETMODEL_ERROR_RELATIVE      /**< `sum ((t - line) / t)^2` [1]; all times must be > 0 */
} netmodel_error_metric;

/** Measured times, and how they are fitted. The arrays are borrowed for the call. */
typedef struct netmodel_points {
    const double *n;             /**< elements or bytes, `n[count]` [1], finite, >= 0, at least two different */
    const double *t;             /**< times, `t[count]` [s], finite; > 0 for relative errors */
    size_t count;                /**< number of points [1] */
    netmodel_error_metric error; /**< which errors to minimize */
} netmodel_points;

/** A fitted line. Values: copy it, keep it, predict from it. */
typedef struct netmodel_fit {
    netmodel_line line;          /**< the line */
    netmodel_error_metric error; /**< which errors were minimized */
    size_t count;                /**< points used [1] */
    size_t outliers;             /**< points that a robust fit left out as outliers [1] */
    double slope_error;          /**< standard error of the slope [s]; INFINITY with two points */
    double intercept_error;      /**< standard error of the intercept [s]; INFINITY with two points */
    double deviation;            /**< standard deviation of the errors, [s] or relative [1]; INFINITY with two points */
    double r_squared;            /**< fraction of the (weighted) variance of the times that the line explains [1] */
    double leave_one_out;        /**< root mean square error at each point of the line fitted without that point, [s] or
                                      relative [1]; INFINITY if one point alone determines the line */
    double low;                  /**< smallest n of the data [1] */
    double high;                 /**< largest n of the data [1] */
    double mean;                 /**< weighted mean of n [1]; this and the next two are for predictions */
    double spread;               /**< weighted sum of squares of n about it */
    double weight;               /**< sum of the weights */
} netmodel_fit;

/** Fits a line by least squares.
 *
 *  @param[in] points   At least two, in any order.
 *  @return  NETMODEL_OK, _MISSING, _TOO_FEW, _NOT_FINITE, _NEGATIVE, _NOT_POSITIVE, _OUT_OF_RANGE, _ONE_SIZE or
 *           _BAD_OPTION.
 *  @cost    O(count), up to six passes; no scratch.
 */
NETMODEL__CHECKED netmodel_result netmodel_fit_line(const netmodel_points *points, netmodel_fit *fit, size_t *where);

/** Fits a line robustly; up to almost half of the points may be outliers.
 *
 *  Of the lines through up to 500 pairs of points it takes the one with the smallest median of squared errors; then
 *  least squares through the points within three standard deviations of it, as estimated from that median; again with
 *  the line and deviation so found, until the points stay the same. The result is that last fit: `outliers` points are
 *  not in it, and its intervals are those of the others.
 *
 *  @param[in]  points    At least three, in any order.
 *  @param[out] scratch   Scratch, `scratch[points->count]`.
 *  @return  As netmodel_fit_line().
 *  @cost    O(count), some 500 medians.
 *  @source  P. J. Rousseeuw, "Least median of squares regression", JASA 79 (1984); the pairs are always the same ones.
 */
NETMODEL__CHECKED netmodel_result netmodel_fit_robust(const netmodel_points *points, double scratch[],
                                                      netmodel_fit *fit, size_t *where);

/** @} */

/*=============================================================================
 * MARK: - >>intervals
 *===========================================================================*/
/** @defgroup netmodel_intervals_room netmodel: intervals
 *  Predictions with confidence intervals of the model and prediction intervals of the next measurement. @{ */

/** A prediction for one size. */
typedef struct netmodel_prediction {
    double time;      /**< time by the fit [s] */
    double mean_low;  /**< confidence interval of the model itself, lower end [s] */
    double mean_high; /**< its upper end [s] */
    double low;       /**< prediction interval of the next measurement, lower end [s] */
    double high;      /**< its upper end [s] */
    bool outside;     /**< the size lies outside the data; the interval understates the uncertainty */
} netmodel_prediction;

/** Prediction by a fitted line.
 *
 *  @param[in] n   Elements or bytes [1], finite, >= 0.
 *  @return  The prediction; all times NaN if an argument is out of range. Intervals are infinite if the fit had two
 *           points.
 */
NETMODEL_API netmodel_prediction netmodel_fit_predict(const netmodel_fit *fit, double n, double level);

/** @} */

/*=============================================================================
 * MARK: - >>pieces
 *===========================================================================*/
/** @defgroup netmodel_pieces_room netmodel: pieces
 *  Lines with breaks: where a message library changes its protocol, a buffer ends, a cache is full. The best breaks for
 *  each number of pieces by dynamic programming, and the number by an information criterion. @{ */

/** One piece of a fit. */
typedef struct netmodel_piece {
    netmodel_line line;   /**< its line */
    double low;           /**< where it begins, n [1] */
    double high;          /**< where it ends, n [1]; without a jump the next one begins there */
    double variance_low;  /**< variance of the line at `low`, in squares of the deviation */
    double variance_high; /**< variance at `high` */
    double covariance;    /**< covariance of the two */
} netmodel_piece;

/** Maximum number of pieces. */
#define NETMODEL_PIECES_MAX 16

/** What to fit. */
typedef struct netmodel_pieces_desc {
    size_t maximum; /**< maximum number of pieces [1], 1 to NETMODEL_PIECES_MAX */
    bool exactly;   /**< this number of pieces, instead of the best number up to it */
    bool jumps;     /**< pieces need not meet */
    bool falling;   /**< slopes may be negative, as those of delays may; otherwise they are >= 0: a larger message does
                         not take less */
} netmodel_pieces_desc;

/** A fit in pieces, which lie in the caller's array. */
typedef struct netmodel_pieces {
    netmodel_piece *piece;       /**< `piece[count]`, ascending; the caller's array, for the life of the fit */
    size_t count;                /**< number of pieces [1] */
    size_t points;               /**< number of points [1] */
    size_t sizes;                /**< number of different n [1] */
    size_t degrees_of_freedom;   /**< sizes less parameters [1]: with jumps 3 per piece less 1, without 2 per piece */
    netmodel_error_metric error; /**< which errors were minimized */
    double deviation;            /**< standard deviation of the errors of medians, [s] or relative [1] */
    double scatter;              /**< standard deviation of the errors of single points; the same without repetitions */
    double criterion;            /**< minimum of the criterion, see netmodel_fit_pieces() */
} netmodel_pieces;

/** Number of doubles in the scratch of netmodel_fit_pieces(): 2 for each point, and with p = `maximum` and k = the
 *  smaller of `count` and 200, the larger of 2 p count and k (1 + 113 p).
 *
 *  @param[in] count     Number of points [1].
 *  @param[in] maximum   Maximum number of pieces [1].
 *  @return  The number.
 */
NETMODEL_API size_t netmodel_pieces_scratch(size_t count, size_t maximum);

/** Fits lines with breaks.
 *
 *  What is fitted is the median of the times of each size, each size counts once: repetitions share the error of their
 *  size, so they say nothing more about where a break is. Slopes are >= 0 unless `falling` is set: a line that would
 *  fall is flat, which is the constrained least-squares solution. With jumps, a line may still begin below the end of
 *  the one before it.
 *
 *  With jumps: the best of all partitions into runs of at least three sizes each, exactly, by dynamic programming over
 *  the ends of runs. Without: breaks at sizes of the data, by dynamic programming where the cost so far is a set of
 *  parabolas in the height of the break; up to 16 are kept at each, those that can be minimal. With more than 200
 *  sizes, only 200 of them are tried at first; then each break moves to the best size nearby until none moves. The
 *  number of pieces, from 1 to `maximum`, minimizes
 *
 *  `ln((sum of |error|)^2 / (N - p)) + p (1 + ln(N)) / N`
 *
 *  with N sizes and p parameters, a break being one: Schwarz' criterion, with a charge for the search for a break, and
 *  with amounts instead of squares: a few sizes far off the lines must not hide a break. It finds the number more often
 *  than BIC, AICc, leave-one-out and the criterion of Liu, Wu and Zidek: tests/bench/pieces.c.
 *
 *  @param[in]  points    At least three sizes for each piece; n never decreases.
 *  @param[out] scratch   Scratch, `scratch[netmodel_pieces_scratch(points->count, desc->maximum)]`.
 *  @param[out] piece     The pieces, `piece[desc->maximum]`.
 *  @return  NETMODEL_OK, _MISSING, _TOO_FEW (also if `exactly` is impossible), _NOT_FINITE, _NEGATIVE, _NOT_POSITIVE,
 *           _OUT_OF_RANGE, _BYTES_DECREASE, _ONE_SIZE or _BAD_OPTION.
 *  @cost    O(count), and O(sizes^2) with jumps, O(sizes) without.
 */
NETMODEL__CHECKED netmodel_result netmodel_fit_pieces(const netmodel_points *points, const netmodel_pieces_desc *desc,
                                                      double scratch[], netmodel_piece piece[], netmodel_pieces *fit,
                                                      size_t *where);

/** Prediction by a fit in pieces. Between two pieces the lower one's line goes on. Intervals of more than one piece are wider
 *  than if the breaks were known and the errors normal, by Student's distribution with at most 4 degrees of freedom and
 *  the factor `1 + 3 (parameters / sizes)^2`: docs/netmodel_fit.md says how often they hold.
 *
 *  @param[in] n   Elements or bytes [1], finite, >= 0.
 *  @return  As netmodel_fit_predict().
 */
NETMODEL_API netmodel_prediction netmodel_pieces_predict(const netmodel_pieces *fit, double n, double level);

/** By how much a curve lies above a fit that falls. Zeroed: nowhere. */
typedef struct netmodel_lift {
    double seconds;  /**< the most [s] */
    double bytes;    /**< where that is, n [B] */
    double fraction; /**< the most in proportion to the time of the fit [1]; INFINITY where that is 0 */
} netmodel_lift;

/** The curve of a fit in pieces. A larger message never takes less time: where the fit is lower than before, the curve
 *  stays flat until the fit crosses it, and `lift` tells by how much the curve is above the fit.
 *
 *  @param[out] bytes     Sizes of the curve, `bytes[2 * fit->count]` [B].
 *  @param[out] seconds   Its times, `seconds[2 * fit->count]` [s]. A jump is where the piece after it begins.
 *  @param[out] lift      By how much times were raised: noise, if the fraction is no more than the deviation of relative
 *                        errors. May be NULL.
 *  @return  NETMODEL_OK, _MISSING, or _NEGATIVE for a fit with negative times.
 */
NETMODEL__CHECKED netmodel_result netmodel_curve_of_pieces(const netmodel_pieces *fit, double bytes[], double seconds[],
                                                           netmodel_curve *curve, netmodel_lift *lift);

/** @} */

/*=============================================================================
 * MARK: - >>measured
 *===========================================================================*/
/** @defgroup netmodel_measured_room netmodel: measured
 *  A curve of what was measured, where no model is known: straight lines between the medians of the sizes. It may fall,
 *  and it knows where it jumps. How far to trust it between the sizes is told by how well each size is predicted by its
 *  neighbours. Pieces know less of a curve than this wherever it is no line; they say where a protocol changes, and need
 *  fewer numbers. @{ */

/** Maximum number of jumps that a curve keeps: the largest. */
#define NETMODEL_JUMPS_MAX 8

/** Maximum number of bends between sizes that a curve keeps: the first. */
#define NETMODEL_BENDS_MAX 32

/** A jump: between two sizes, the times change by more than the lines on either side say. */
typedef struct netmodel_jump {
    double low;    /**< the last size before it, n [1] */
    double high;   /**< the first one after it, n [1] */
    double factor; /**< time after over time before, less what the slopes explain [1]; < 1: it goes down */
} netmodel_jump;

/** A measured curve, in the caller's arrays. */
typedef struct netmodel_measured {
    netmodel_curve curve; /**< medians by size, and bends; its arrays are the caller's, for the life of the curve */
    const double *miss;   /**< log2 of the line between the neighbours of a size over its median, `miss[curve.count]`; 0
                               at both ends */
    size_t points;        /**< points measured [1] */
    double deviation;     /**< root mean square of `miss`, amounts above 4.4 times their median counting as that [1] */
    double scatter; /**< standard deviation of single points, relative to the median of their size, by the median of its
                         amounts [1]; 0 without repetitions */
    netmodel_jump jump[NETMODEL_JUMPS_MAX]; /**< jumps, `jump[jumps]`, by size */
    size_t jumps;                           /**< how many [1] */
} netmodel_measured;

/** Makes a curve of measured times.
 *
 *  Where the next size is three times as large and takes twice as long, and the lines before and after the gap meet in it
 *  below the straight line, as where a buffer ends, the curve has a bend there: a point halfway between, in logarithms.
 *  A jump is where the lines before and after a gap, carried across it, both miss what is on the other side in the same
 *  direction, by 10 % and by three times what sizes usually are off. One that the next gap takes back is none.
 *
 *  @param[in]  points    At least three sizes, n never decreases, times > 0; `error` does not matter.
 *  @param[out] n         Sizes of the curve, `n[points->count + NETMODEL_BENDS_MAX]` [1].
 *  @param[out] t         Its times, `t[points->count + NETMODEL_BENDS_MAX]` [s].
 *  @param[out] miss      Its errors, `miss[points->count + NETMODEL_BENDS_MAX]` [1].
 *  @return  NETMODEL_OK, _MISSING, _TOO_FEW, _NOT_FINITE, _NEGATIVE, _NOT_POSITIVE, _OUT_OF_RANGE, _BYTES_DECREASE,
 *           _ONE_SIZE or _BAD_OPTION.
 *  @cost    O(count).
 */
NETMODEL__CHECKED netmodel_result netmodel_measured_fit(const netmodel_points *points, double n[], double t[],
                                                        double miss[], netmodel_measured *measured, size_t *where);

/** Prediction by a measured curve.
 *
 *  `log2 time +- t(level, 3) s`, `s^2 = 0.007^2 + (0.3 deviation)^2 + 0.36 (mean of miss^2 at up to four sizes around n) +
 *  (0.15 d)^2 + (0.4 j)^2`, for the next measurement `+ (scatter / ln 2)^2`
 *
 *  `d` is the number of doublings by which n lies outside the sizes, `j` is log2 of the factor of a jump between the two
 *  sizes around n. The constants come from links, calls of MPI and
 *  copies of memory, half of the sizes of each being held out: docs/netmodel_fit.md.
 *
 *  @param[in] n   Elements or bytes [1], finite, >= 0.
 *  @return  As netmodel_fit_predict(); `outside` beyond the sizes. Times beyond them are those of netmodel_curve_time().
 */
NETMODEL_API netmodel_prediction netmodel_measured_predict(const netmodel_measured *measured, double n, double level);

/** @} */

/*=============================================================================
 * MARK: - >>scaling
 *===========================================================================*/
/** @defgroup netmodel_scaling_room netmodel: scaling
 *  How long a program takes on many processes, from runs on few: the work of each process stays the same, and the
 *  parallel overhead grows with the logarithm of their number. `work` is the memory of a process in any one unit, say
 *  MB; the computing time of a multilevel solver is proportional to it. A model holds for one code, one cluster and one
 *  length of the messages. Follows [multigrid] section IV, eqs. 1 to 5. @{ */

/** A run, as measured. */
typedef struct netmodel_run {
    size_t processes; /**< number of processes [1], >= 1 */
    double work;      /**< work of each [MB], finite, >= 0 */
    double seconds;   /**< time of the run [s], finite, > 0 */
} netmodel_run;

/** How parameters are fitted. */
typedef enum netmodel_scaling_method {
    NETMODEL_SCALING_POOLED = 0, /**< one g: 3 parameters by one least squares fit to all runs on more than one process;
                                      intervals are less than half as wide, see docs/netmodel_fit.md */
    NETMODEL_SCALING_STEPS,      /**< steps 3 and 4 of the paper: a line over work for each number of processes; c and d
                                      from their intercepts, g the slope of the largest number. 2 parameters for each
                                      number: exact if each has two sizes of work. Intervals cover the errors of runs */
    NETMODEL_SCALING_EXACT       /**< as pooled, for programs that follow the model beyond the runs as well: intervals
                                      cover the errors of runs and nothing else */
} netmodel_scaling_method;

/** How to fit; zeroed: pooled, errors from the residuals. */
typedef struct netmodel_scaling_desc {
    netmodel_scaling_method method; /**< how parameters are fitted */
    double error;                   /**< known relative standard deviation of the time of a run [1], finite, >= 0, such
                                         as 0.02; 0: estimated from the residuals */
} netmodel_scaling_desc;

/** A fitted model. Values: copy it, keep it, predict from it. Filled by hand with start, per_work, c, d and g, the rest
 *  zero, it predicts times with infinite intervals. */
typedef struct netmodel_scaling {
    double start;              /**< Tcomp, the part independent of work [s] */
    double per_work;           /**< Tcomp, per unit of work [s/MB] */
    double c;                  /**< overhead, the constant part [s] */
    double d;                  /**< overhead, per doubling of the processes [s] */
    double g;                  /**< overhead, per unit of work of a process [s/MB] */
    double c_error;            /**< standard error of c [s]; INFINITY if it cannot be estimated */
    double d_error;            /**< standard error of d [s]; likewise */
    double g_error;            /**< standard error of g [s/MB]; likewise */
    double deviation;          /**< standard deviation of a run relative to its time [1]; likewise */
    size_t degrees_of_freedom; /**< runs less parameters [1]; NETMODEL_DEVIATION_KNOWN: the deviation was given; 0: it
                                    cannot be estimated */
    double low;                /**< smallest work of the runs [MB] */
    double high;               /**< largest work of the runs [MB] */
    double one[6];             /**< (co)variances of start, 0, per_work on one process, in squares of deviation: 11, 12,
                                    13, 22, 23, 33 */
    double many[6];            /**< likewise of start + c, d, per_work + g on more */
    size_t fewest;             /**< smallest number of processes of the runs on more than one [1] */
    size_t most;               /**< largest [1] */
    double drift;              /**< relative standard deviation of times on twice as many processes, by what no model
                                    knows [1]; 0: none */
} netmodel_scaling;

/** Fits a model to runs on one process and on few: steps 1 to 4 of the paper.
 *
 *  `T(1, work) = Tcomp = start + per_work work`, `T(np, work) = Tcomp + c + d log2(np) + g work`
 *
 *  Least squares of the relative errors, weighted by a first, unweighted fit. Runs may be repeated; their errors are
 *  estimated from the residuals with runs - parameters degrees of freedom (2 parameters for one process, and those of
 *  the method). The six runs of the paper, on 1, 4 and 8 processes at two sizes each, leave none to its steps: the
 *  model goes through them, and all errors derive from `desc->error`.
 *
 *  @param[in] run     The runs, `run[count]`, in any order: on one process at two sizes of work or more; on two
 *                     other numbers of processes or more, for the steps at two sizes each.
 *  @param[in] count   Number of runs [1].
 *  @param[in] desc    How to fit; borrowed. NULL: zeroed.
 *  @return  NETMODEL_OK, _MISSING, _BAD_OPTION (a method), _BAD_ERROR, _BAD_RUN, _OUT_OF_RANGE or _TOO_FEW.
 *  @cost    O(count) for each different number of processes.
 *  @source  [multigrid] section IV, eqs. 1 to 4, steps 1 to 4.
 */
NETMODEL__CHECKED netmodel_result netmodel_scaling_fit(const netmodel_run run[], size_t count,
                                                       const netmodel_scaling_desc *desc, netmodel_scaling *scaling,
                                                       size_t *where);

/** Parallel overhead: step 5 of the paper.
 *
 *  `Tcomm = c + d log2(np) + g work`
 *
 *  @param[in] processes   Number of processes np [1], >= 1; on one the overhead is 0.
 *  @param[in] work        Work of each [MB], finite, >= 0.
 *  @return  Overhead [s], negative where the model is; NaN if an argument is out of range.
 *  @source  [multigrid] section IV, eqs. 2 to 4.
 */
NETMODEL_API double netmodel_scaling_overhead(const netmodel_scaling *scaling, size_t processes, double work);

/** Time of a run: step 6 of the paper.
 *
 *  `T = Tcomp + Tcomm`
 *
 *  @return  Time [s], negative where the model is; NaN if an argument is out of range.
 *  @source  [multigrid] section IV, eq. 1.
 */
NETMODEL_API double netmodel_scaling_time(const netmodel_scaling *scaling, size_t processes, double work);

/** Time of a run, with intervals.
 *
 *  `time +- t(level, degrees_of_freedom) deviation sqrt(x' V x)`, for the next run `sqrt(x' V x + time^2)`, x = (1,
 *  log2 np, work); beyond the runs by d doublings, half an interval h becomes `sqrt(h^2 + (t(level, 5) drift time)^2 (d +
 *  d^2 / 3))`, as that of a law
 *
 *  @return  The prediction, `outside` for more or fewer processes, or other work, than any run has; all NaN if an
 *           argument is out of range. A lower end may be negative; intervals are infinite if the deviation cannot be
 *           estimated.
 *  @cost    Some 10 us, nearly all of it netmodel_student().
 *  @source  [multigrid] section IV; intervals as of any linear regression.
 */
NETMODEL_API netmodel_prediction netmodel_scaling_predict(const netmodel_scaling *scaling, size_t processes,
                                                          double work, double level);

/** The part of a job that runs on one cluster. */
typedef struct netmodel_scaling_part {
    const netmodel_scaling *scaling; /**< the model of the cluster; borrowed */
    size_t processes;                /**< number of processes there [1] */
    double work;                     /**< work of each of these [MB] */
} netmodel_scaling_part;

/** Time of one job on several clusters; the slowest decides.
 *
 *  `T = max(T_A, T_B, ...)`
 *
 *  An upper end is the largest of the parts' at `1 - (1 - level) / count`, a lower end the largest of the parts' at
 *  `level`: the intervals hold at least at the level.
 *
 *  @param[in] part    The parts, `part[count]`.
 *  @param[in] count   Number of clusters [1], >= 1.
 *  @return  The prediction, `outside` if a part is; all NaN if an argument or a part is out of range.
 *  @source  [multigrid] section V.B, eq. 5: communication between clusters is small beside their difference.
 */
NETMODEL_API netmodel_prediction netmodel_scaling_together(const netmodel_scaling_part part[], size_t count,
                                                           double level);

/** @} */

/*=============================================================================
 * MARK: - >>laws
 *===========================================================================*/
/** @defgroup netmodel_laws_room netmodel: laws
 *  Scaling laws that extrapolate: the time of a program on many processes, from runs on few. Several laws are fitted to
 *  the same runs, without negative parameters where physics allows none. The interval of a forecast grows with its
 *  distance from the runs and with the disagreement of the laws, and what makes a forecast doubtful is a flag with a
 *  sentence. No run on one process is needed. The constants of blend and interval come from series of measurements;
 *  docs/netmodel_fit.md says how good forecasts are, by kind of scaling, if they are chosen without the family of
 *  programs that is forecast. @{ */

/** A law for p processes that have the work w each. Parameters b to g are >= 0. Fits minimize relative errors. */
typedef enum netmodel_law_kind {
    NETMODEL_LAW_PAPER = 0, /**< `c + b w + (d + e log2 p + g w, if p > 1)`: that of netmodel_scaling */
    NETMODEL_LAW_SUM,       /**< `b / p + c + d log2 p + e (p - 1)` */
    NETMODEL_LAW_OVERHEAD,  /**< `b / p + c + (d, if p > 1) + e f(p)`, f one of #netmodel_overhead; without a run on one
                                 process also `b / (p - 1)`, where one process hands out the work of the others */
    NETMODEL_LAW_TERM,      /**< `c + b p^x log2(p)^y`, with x from a list of fractions from -1 to 2, y = 0, 1 or 2 */
    NETMODEL_LAW_POWER,     /**< `c + b p^x`, with x from -1.5 to 2.5 */
    NETMODEL_LAW_PRODUCT,   /**< `b w^x p^y`, with any x and y */
    NETMODEL_LAW_AMDAHL, /**< `b / p + c`, runs weighted by `sqrt p`: those on many processes say more of what is beyond */
    NETMODEL_LAW_LATE, /**< `b / p + c + d log2 p`, fitted without the runs on the smallest number of processes, which
                                 often are the only ones on one node, if two other numbers remain */
    NETMODEL_LAWS      /**< how many there are */
} netmodel_law_kind;

/** Parameters of a law: b, c, d, e, g. */
#define NETMODEL_LAW_PARAMETERS 5

/** How overhead grows with p; all are 0 on one process. */
typedef enum netmodel_overhead {
    NETMODEL_OVERHEAD_LOG = 0, /**< `log2 p`: a tree */
    NETMODEL_OVERHEAD_LINEAR,  /**< `p - 1`: a ring, or all to one */
    NETMODEL_OVERHEAD_SHARE,   /**< `(p - 1) / p`: what does not stay, of a fixed amount of data */
    NETMODEL_OVERHEAD_PAIRS,   /**< `(p - 1) / p^2`: each of p sends to all others, of a fixed amount of data */
    NETMODEL_OVERHEAD_SPREAD,  /**< `log2(p) / p`: a tree, of a fixed amount of data */
    NETMODEL_OVERHEAD_SIDE,    /**< `sqrt(p) - 1`: across a square of processes */
    NETMODEL_OVERHEAD_LOG2,    /**< `log2(p)^2`: a tree of trees */
    NETMODEL_OVERHEADS         /**< how many there are */
} netmodel_overhead;

/** How a forecast is made from the laws. */
typedef enum netmodel_law_choice {
    NETMODEL_CHOOSE_BLEND = 0, /**< a weighted geometric mean, see netmodel_laws_fit() */
    NETMODEL_CHOOSE_HELD_BACK, /**< the one law that predicts these best */
    NETMODEL_CHOOSE_MEDIAN     /**< the median of power, sum and term; where work differs, as blend */
} netmodel_law_choice;

/** What is the same in all runs. */
typedef enum netmodel_kind {
    NETMODEL_KIND_FOUND =
        0,                /**< found from the runs: strong, unless the run on the most processes takes longer than that
                                  on the fewest */
    NETMODEL_KIND_STRONG, /**< the work of all processes together: times should fall */
    NETMODEL_KIND_WEAK    /**< the work of each process, or a collective operation: times grow */
} netmodel_kind;

/** A fitted law. */
typedef struct netmodel_law {
    bool fits;                                 /**< it could be fitted; otherwise all is 0 */
    double parameter[NETMODEL_LAW_PARAMETERS]; /**< b, c, d, e, g [s], those of work [s/MB]; 0 where the law has none */
    double x, y;                               /**< exponents [1]; of overhead, x = 1 stands for `b / (p - 1)` */
    netmodel_overhead overhead;                /**< f */
    double misfit;                             /**< standard deviation of the relative errors at the runs [1] */
    double held_back; /**< error at the runs on the most processes, if fitted without them: |log2(law / run)|,
                                     their mean [1]; INFINITY if that cannot be fitted */
    size_t free;      /**< sizes less parameters, an exponent being one [1]; 0: the law goes through all runs that it is
                                     fitted to, so misfit says nothing */
} netmodel_law;

/** How to fit; zeroed: the blend. */
typedef struct netmodel_laws_desc {
    netmodel_law_choice choice; /**< how a forecast is made from the laws */
    double error;       /**< known relative standard deviation of a run [1], finite, >= 0; 0: not known. Laws that
                                     miss by more than three times this are doubted */
    netmodel_kind kind; /**< what is the same in all runs */
    size_t
        per_node; /**< processes that a node is filled with before the next one is used [1]; 0: not known. Then runs on
                          several nodes count before those on one */
} netmodel_laws_desc;

/** Laws fitted to runs. Values: copy them, keep them, forecast from them. */
typedef struct netmodel_laws {
    netmodel_law law[NETMODEL_LAWS]; /**< each law */
    netmodel_law_choice choice;      /**< how a forecast is made */
    size_t sizes;                    /**< different pairs of processes and work [1] */
    size_t fewest;                   /**< smallest number of processes of a run [1] */
    size_t most;                     /**< largest [1] */
    double low;                      /**< smallest work of a run [MB] */
    double high;                     /**< largest [MB] */
    double total;                    /**< work of all processes together, if it is that in each run [MB]; else NaN */
    double scatter;                  /**< standard deviation of repeated runs, relative [1]; 0 without repetitions */
    double misfit;                   /**< root mean square of log2(forecast / run) at the runs [1] */
    double held_back;                /**< the smallest held_back of the laws [1] */
    double error;                    /**< as given [1] */
    netmodel_kind kind;              /**< as given or found */
    size_t per_node;                 /**< as given [1] */
    bool several;                    /**< runs on several nodes had a part in it */
    double factor;                   /**< of the laws where there are several nodes [1]; 1 unless the laws are of one */
    double jump;                     /**< what is added to them there [s]; likewise 0 */
} netmodel_laws;

/** What makes a forecast doubtful; one bit each, the gravest first. */
typedef enum netmodel_doubt {
    NETMODEL_DOUBT_NEGATIVE = 1, /**< the interval, or the time itself, contains times <= 0 */
    NETMODEL_DOUBT_SWITCH = 2,   /**< the runs on the most processes differ from what the runs on fewer predict: another
                                      protocol, algorithm or resource may decide from there on */
    NETMODEL_DOUBT_MISFIT = 4,   /**< the laws miss the runs by more than three times the stated error or, if none is
                                      stated, by more than three times the scatter of repeated runs and more than 7 % */
    NETMODEL_DOUBT_FAR = 8,      /**< more than four times the processes of any run */
    NETMODEL_DOUBT_WIDE = 16,    /**< the interval exceeds 20 % to either side; of forecasts at the level 0.95 */
    NETMODEL_DOUBT_OUTSIDE = 32, /**< more or fewer processes, or another work, than any run has */
    NETMODEL_DOUBT_NODES = 64    /**< as grave as any: all runs are on one node and the forecast is on several, or the
                                      reverse; only where netmodel_laws_desc.per_node is known */
} netmodel_doubt;

/** A forecast. */
typedef struct netmodel_forecast {
    double time;     /**< time of a run [s] */
    double low;      /**< prediction interval, lower end [s] */
    double high;     /**< its upper end [s] */
    unsigned doubts; /**< bits of netmodel_doubt; 0: none */
} netmodel_forecast;

/** Fits laws to runs.
 *
 *  Repetitions of a run count as one, their median: what they have in common, such as where the system placed
 *  processes, does not become less by repeating. Their scatter is taken into the intervals. Each law is fitted by
 *  relative least squares with every subset of its parameters that makes none negative; the subset with the smallest sum
 *  of squares plus 0.0002 for each parameter is kept, or less where the runs are more exact than 1 %.
 *
 *  The blend is a weighted geometric mean: of amdahl (6), paper and overhead (1 each) where times fall; of overhead and
 *  late (2 each), term (1) and, from 0 at twice the processes to 1 at four times, paper where they grow; of paper and product where these alone apply. A weight is
 *  divided by `(held_back^2 + (2 misfit)^2 + floor^2)^q`, errors being of log2, with 0.7^2 more for a law that goes
 *  through all runs because it has no fewer parameters, and `q = 0.25 + 0.3 (sizes - 3)`, at most 3: the more sizes, the
 *  more a small error says. `floor` is the stated error or the scatter, at least twice the error of the best law,
 *  and at most 0.07: where a law goes exactly through more than three sizes, it is the forecast. The terms that grow fade
 *  in the mean with laws that do not grow; what falls does not fade.
 *
 *  With `per_node`, laws are fitted to runs on several nodes alone if these are on three numbers of processes or more.
 *  With fewer, and three or more numbers on one node, laws are fitted to runs on one node, and those on several give
 *  `jump` where times fall and become longer, otherwise `factor`: one run on two nodes says what ten on one cannot.
 *
 *  @param[in]  run       The runs, `run[count]`, in any order, on three numbers of processes or more. Only paper and
 *                        product use `work`; the other laws are fitted only if the work of each process, or the total
 *                        work, is the same in all runs. 0 in all runs: the total work is constant and divided equally.
 *  @param[in]  count     Number of runs [1].
 *  @param[in]  desc      How to fit; borrowed. NULL: zeroed.
 *  @param[out] scratch   Scratch, `scratch[count]`.
 *  @param[out] laws      The laws.
 *  @return  NETMODEL_OK, _MISSING, _BAD_OPTION (a choice), _BAD_ERROR, _BAD_RUN, _OUT_OF_RANGE or _TOO_FEW.
 *  @cost    O(count log count), and some 0.3 ms for each pair of processes and work (`build/bench/laws` prints it).
 *  @source  [multigrid] section IV for paper; [extra-p] for terms; the rest as in any textbook of regression.
 */
NETMODEL__CHECKED netmodel_result netmodel_laws_fit(const netmodel_run run[], size_t count,
                                                    const netmodel_laws_desc *desc, netmodel_run scratch[],
                                                    netmodel_laws *laws, size_t *where);

/** Time by one law.
 *
 *  @param[in] processes   Number of processes p [1], >= 1.
 *  @param[in] work        Work of each w [MB], finite, >= 0. If it was 0 in all runs: 1.0 / processes.
 *  @return  Time [s], >= 0; INFINITY where a law without a run on one process is asked for one; NaN if the law was not
 *           fitted or an argument is out of range.
 */
NETMODEL_API double netmodel_law_time(netmodel_law_kind kind, const netmodel_law *law, size_t processes, double work);

/** Forecasts the time of a run.
 *
 *  `log2 time +- t(level, 5) s`, `s^2 = 0.03^2 + (m misfit)^2 + (scatter / ln 2)^2 + 0.14^2 (d + d^2 / 3) + (0.2 d g)^2 +
 *  (0.2 spread)^2`
 *
 *  `d` is the number of doublings by which p lies outside the runs, 0 inside; `m = max(1 - d, 0.35)`; g is 1 where times
 *  grow, else 0; `spread` is the standard deviation of the laws about the forecast, in log2; t is netmodel_student().
 *  Where more than three sizes are within 0.2 % of a law, the constant terms shrink in proportion.
 *
 *  @param[in] work   Work of each process [MB], as in the runs; 0 where it is 0 in them.
 *  @return  The forecast; times NaN if an argument is out of range, or no law was fitted or gives a time > 0.
 */
NETMODEL_API netmodel_forecast netmodel_laws_forecast(const netmodel_laws *laws, size_t processes, double work,
                                                      double level);

/** Fits a law to what a simulation does not know.
 *
 *  `c + b s + (d + e log2 p + g s, if p > 1)`, s being the simulated time: the law of the paper, with s for the work
 *
 *  The simulator knows how work divides and what the network carries, which then need not be learned from few runs, and
 *  is not extrapolated; the law learns by how much it is off, and what is added on many processes. Forecast with
 *  netmodel_laws_forecast(), `work` being the simulated time of the run.
 *
 *  @param[in]  run         The runs, as for netmodel_laws_fit(); `work` is not used.
 *  @param[in]  simulated   The simulated time of each, `simulated[count]` [s], finite, > 0.
 *  @param[in]  desc        As for netmodel_laws_fit(), but for `per_node`, which the simulator knows.
 *  @param[out] scratch     Scratch, `scratch[2 * count]`.
 *  @return  What netmodel_laws_fit() returns; _BAD_RUN also for a simulated time.
 */
NETMODEL__CHECKED netmodel_result netmodel_laws_fit_joined(const netmodel_run run[], const double simulated[],
                                                           size_t count, const netmodel_laws_desc *desc,
                                                           netmodel_run scratch[], netmodel_laws *laws, size_t *where);

/** What makes a prediction doubtful.
 *
 *  @param[in] prediction   The prediction; borrowed. NULL: nothing does.
 *  @return  Bits of netmodel_doubt: OUTSIDE, WIDE (of the interval of the next measurement, at its own level), NEGATIVE.
 */
NETMODEL_API unsigned netmodel_prediction_doubts(const netmodel_prediction *prediction);

/** The sentence of a doubt.
 *
 *  @param[in] doubts  One or several bits.
 *  @return  That of the lowest bit; "" if there is none.
 */
NETMODEL_API const char *netmodel_doubt_text(unsigned doubts);

/** The name of a law, such as "power"; "" for an unknown one. */
NETMODEL_API const char *netmodel_law_name(netmodel_law_kind kind);

/** @} */

/*=============================================================================
 * MARK: - >>choice
 *===========================================================================*/
/** @defgroup netmodel_choice_room netmodel: choice
 *  Which clusters to use for which grid: every choice with its time and its cost, and of these the fastest, the
 *  cheapest, or the finest grid within a budget. The list is the caller's array. Follows [multigrid] section V.C,
 *  scenarios 1 and 2. @{ */

/** Maximum number of clusters. */
#define NETMODEL_CLUSTERS_MAX 8

/** A cluster on offer. The same one with another network is another cluster, with `alone`. */
typedef struct netmodel_cluster {
    size_t free;         /**< free processors [1] */
    double memory;       /**< memory of a processor [MB], > 0; INFINITY: no limit */
    double price;        /**< price of a processor for an hour [1/h], in any money, finite, >= 0 */
    bool alone;          /**< a job on it cannot span other clusters too */
    const size_t *tries; /**< processor counts to consider, `tries[count]`, each 1 to free; borrowed. NULL: all free */
    size_t count;        /**< how many [1]; 0 without `tries` */
} netmodel_cluster;

/** A grid that may be solved. */
typedef struct netmodel_grid {
    double side;                     /**< its fineness, the larger the finer, such as points along a side [1] */
    double work;                     /**< its total memory [MB], finite, > 0 */
    const netmodel_scaling *scaling; /**< models on the clusters, `scaling[clusters]`, fitted for it; borrowed */
} netmodel_grid;

/** How a grid is divided where a job spans clusters. */
typedef enum netmodel_split {
    NETMODEL_SPLIT_EQUAL = 0, /**< all processes get the same work */
    NETMODEL_SPLIT_BALANCED   /**< all clusters finish together, as far as memory allows */
} netmodel_split;

/** The alternatives. */
typedef struct netmodel_choice_desc {
    const netmodel_cluster *cluster; /**< the clusters, `cluster[clusters]`; borrowed */
    size_t clusters;                 /**< how many [1], 1 to NETMODEL_CLUSTERS_MAX */
    const netmodel_grid *grid;       /**< the grids, `grid[grids]`; borrowed */
    size_t grids;                    /**< how many [1], >= 1 */
    netmodel_split split;            /**< how a grid is divided */
    double level; /**< level of the intervals [1], between 0 and 1; 0: none, their ends are the time */
} netmodel_choice_desc;

/** One choice. */
typedef struct netmodel_choice {
    size_t grid;                             /**< index of the grid */
    double side;                             /**< its fineness [1] */
    size_t processes[NETMODEL_CLUSTERS_MAX]; /**< processors of each cluster [1]; 0: it has no part */
    double work[NETMODEL_CLUSTERS_MAX];      /**< work of each of its processes [MB] */
    double time;                             /**< time [s]; NaN if the model gives none that is > 0 */
    double low;                              /**< prediction interval, lower end [s] */
    double high;                             /**< its upper end [s] */
    double cost;                             /**< cost, in the money of the prices; NaN if time is */
    bool outside;                            /**< outside the work or the processes that the models were fitted to */
} netmodel_choice;

/** Cost of processors that are occupied until the job ends.
 *
 *  `cost = seconds / 3600 * sum of processes * price`
 *
 *  @param[in] seconds     Time of the job [s], finite, >= 0.
 *  @param[in] clusters    Number of clusters [1].
 *  @param[in] processes   Processors of each [1], `processes[clusters]`.
 *  @param[in] price       Price of a processor of each for an hour [1/h], `price[clusters]`, finite, >= 0.
 *  @return  Cost, in the money of the prices; NaN if an argument is out of range.
 *  @source  [multigrid] section V.C, scenario 2.
 */
NETMODEL_API double netmodel_choice_cost(double seconds, size_t clusters, const size_t processes[],
                                         const double price[]);

/** Lists every choice with enough memory: each grid on each cluster, and on each set of clusters that can work
 *  together, with each number of processors on each.
 *
 *  @param[in]  capacity   Size of the list [1]; 0 only counts, and the list may be NULL.
 *  @param[out] list       The choices, `list[capacity]`, grid by grid; zeroed on any error but _LIST_FULL.
 *  @param[out] count      Number of choices [1], also if it exceeds the capacity; 0 on any other error.
 *  @return  NETMODEL_OK, _MISSING, _EMPTY, _BAD_CLUSTER (also for too many), _BAD_GRID, _BAD_LEVEL,
 *           _BAD_OPTION (a split), or _LIST_FULL if they exceed the capacity: the first are in the list.
 *  @cost    A prediction per choice; the product over the clusters of 1 + their processor counts, for each grid.
 */
NETMODEL__CHECKED netmodel_result netmodel_choice_list(const netmodel_choice_desc *desc, size_t capacity,
                                                       netmodel_choice list[], size_t *count, size_t *where);

/** The fastest choice for a grid; ties go to the cheaper, then to the first.
 *
 *  @param[in] list     The choices, `list[count]`.
 *  @param[in] count    Number of choices [1].
 *  @param[in] grid     Index of the grid.
 *  @param[in] budget   Maximum cost, in the money of the prices; INFINITY: no limit.
 *  @return  Index of the choice; `count` if none qualifies.
 *  @source  [multigrid] section V.C, scenario 1.
 */
NETMODEL_API size_t netmodel_choice_fastest(const netmodel_choice list[], size_t count, size_t grid, double budget);

/** The cheapest choice for a grid; ties go to the faster, then to the first.
 *
 *  @param[in] deadline   Maximum time [s]; INFINITY: no limit.
 *  @return  Index of the choice; `count` if none qualifies.
 */
NETMODEL_API size_t netmodel_choice_cheapest(const netmodel_choice list[], size_t count, size_t grid, double deadline);

/** The cheapest choice for the finest grid within budget and deadline; ties go to the faster, then to the first.
 *
 *  @return  Index of the choice; `count` if none qualifies.
 *  @source  [multigrid] section V.C, scenario 2.
 */
NETMODEL_API size_t netmodel_choice_finest(const netmodel_choice list[], size_t count, double budget, double deadline);

/** @} */

/*=============================================================================
 * MARK: - >>experiments
 *===========================================================================*/
/** @defgroup netmodel_experiments_room netmodel: experiments
 *  Which run to measure next. Every run that is added to a fit narrows its predictions, and by how much is known before
 *  it is run: the covariance of the parameters depends on where runs are, not on what they measure. Some runs are
 *  expensive and tell little: these functions rank candidates by how much they narrow the interval of one prediction for
 *  each unit of cost. Repetitions
 *  count as independent measurements, as everywhere in fits. The update is that of any textbook of regression, one row
 *  at a time (J. Sherman, W. J. Morrison, Annals of Mathematical Statistics 21, 1950); choosing runs by it is a
 *  sequential c-optimal design (A. C. Atkinson, A. N. Donev, "Optimum Experimental Designs", 1992). @{ */

/** A run that may be measured. */
typedef struct netmodel_candidate {
    size_t processes; /**< number of processes [1], >= 1; a line has none and ignores it */
    double work;      /**< work of each [MB], of a line its n [1]; 0, or from 1e-40 to 1e40 */
    size_t repeats;   /**< how often [1], >= 1 */
    double cost; /**< what all of this costs, in any unit, finite, >= 0; 0: its predicted processor time [s], `time *
                           processes * repeats`, of a line `time * repeats`. Nothing is free */
} netmodel_candidate;

/** What a candidate would do to the prediction at a target. All NaN if the model predicts no time > 0 for it. */
typedef struct netmodel_gain {
    double time;     /**< predicted time of one run [s] */
    double cost;     /**< its cost */
    double interval; /**< half the width of the confidence interval of the model at the target afterwards [s]; INFINITY
                          if the deviation is unknown */
    double narrows;  /**< by which part that is narrower than now [1]; if the deviation is unknown, by which part the
                          standard error is smaller */
    double per_cost; /**< `narrows / cost` */
} netmodel_gain;

/** A fitted line as it will be once a candidate has been measured and turned out as predicted.
 *
 *  Weight, mean, spread, count, standard errors and range include the new points, each weighted by its predicted time
 *  if errors are relative; the line and its deviation stay.
 *
 *  @return  The fit; its line NaN if the candidate is bad, or errors are relative and the line is not > 0 there.
 */
NETMODEL_API netmodel_fit netmodel_fit_after(const netmodel_fit *fit, const netmodel_candidate *candidate);

/** A model of scaling as it will be once a candidate has been run and took the time predicted.
 *
 *  `V' = V - V x x' V / (time^2 / repeats + x' V x)`, x = (1, log2 np, work)
 *
 *  This equals the fit with the new runs for NETMODEL_SCALING_EXACT. NETMODEL_SCALING_STEPS uses most runs less
 *  efficiently, so its intervals stay wider than predicted here. Runs on one process say nothing about more than one, and the reverse,
 *  except for the deviation, if it is estimated.
 *
 *  @return  The model; its parameters NaN if the candidate is bad, or its predicted time not > 0.
 */
NETMODEL_API netmodel_scaling netmodel_scaling_after(const netmodel_scaling *scaling,
                                                     const netmodel_candidate *candidate);

/** Which candidate narrows the interval of a line at n most for its cost.
 *
 *  @param[in]  fit         The fit so far.
 *  @param[in]  n           Where the line is to be known.
 *  @param[in]  level       Of the interval [1], in (0, 1).
 *  @param[in]  candidate   The candidates, `candidate[count]`.
 *  @param[in]  count       Number of candidates [1], >= 1.
 *  @param[out] gain        What each would do, `gain[count]`; NULL: not wanted.
 *  @param[out] best        Index of the candidate with the largest gain per cost, the first of equals; `count` if none
 *                          narrows the interval.
 *  @return  NETMODEL_OK, _MISSING, _EMPTY, _BAD_LEVEL or _BAD_CANDIDATE, with `where` = `count` for a bad n.
 *  @cost    A prediction per candidate: some 10 us, nearly all of it netmodel_student().
 */
NETMODEL__CHECKED netmodel_result netmodel_fit_next(const netmodel_fit *fit, double n, double level,
                                                    const netmodel_candidate candidate[], size_t count,
                                                    netmodel_gain gain[], size_t *best, size_t *where);

/** Which candidate narrows the interval of a model of scaling most for its cost. As netmodel_fit_next().
 *
 *  @param[in] processes  Of the run that is to be predicted [1].
 *  @param[in] work       Of each of its processes, in the unit of the runs.
 *  @return  As netmodel_fit_next().
 */
NETMODEL__CHECKED netmodel_result netmodel_scaling_next(const netmodel_scaling *scaling, size_t processes, double work,
                                                        double level, const netmodel_candidate candidate[],
                                                        size_t count, netmodel_gain gain[], size_t *best,
                                                        size_t *where);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* NETMODEL_FIT_H */

/*
 *  The body, once per file.
 */
#if (defined(NETMODEL_FIT_IMPLEMENTATION) || defined(NETMODEL_IMPLEMENTATION) || defined(NETMODEL_STATIC) ||           \
     (defined(SIMKIT_IMPLEMENTATION) && !defined(SIMKIT_LOWER_ELSEWHERE))) &&                                          \
    !defined(NETMODEL_FIT_IMPLEMENTED)
#define NETMODEL_FIT_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "util/netmodel_fit.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "util/netmodel_fit.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(NETMODEL_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "util/netmodel_fit.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define NETMODEL_ANY_FLOAT"
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
 *
 * The few lines of netmodel.h's room of this name that fits need as well: a body calls no private function of another header.
 *===========================================================================*/
/* Between braces: everything zero, as C and C++ write it. */
#ifdef __cplusplus
#define NETMODEL_FIT__ZERO
#else
#define NETMODEL_FIT__ZERO 0
#endif

/* NAN is a float. */
#define NETMODEL_FIT__NAN ((double)NAN)

#define NETMODEL_FIT__LN2 0.69314718055994531

/* A product that is rounded before anything is added to it, on every processor: netmodel.h says why. */
static double netmodel_fit__times(double a, double b)
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
static bool netmodel_fit__amount(double x)
{
    return x >= 0 && x < HUGE_VAL;
}

/* Not a number. Not isnan(), which is a template in C++ that an object without optimization would export. */
static bool netmodel_fit__is_nan(double x)
{
    return !(x >= 0 || x < 0);
}

/* The binary logarithm of a number > 0, exact for powers of two. That of libm may differ in its last bit from
 * one processor to the next. ln m = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1) / (m + 1), |s| < 0.172 */
static double netmodel_fit__log2(double n)
{
    int exponent;
    double m = frexp(n, &exponent), sum = 0;
    if (m < 0.70710678118654752) m *= 2, --exponent;
    const double s = (m - 1) / (m + 1);
    double power = 2 * s;
    for (int k = 1; k <= 23; k += 2) {
        sum += power / k;
        power = netmodel_fit__times(power, netmodel_fit__times(s, s));
    }
    return exponent + netmodel_fit__times(sum, 1.4426950408889634); /* 1 / ln 2 */
}

/* 2^x with the same bits everywhere. */
static double netmodel_fit__exp2(double x)
{
    if (!(x > -1000)) return netmodel_fit__is_nan(x) ? x : 0;
    if (x > 1000) return HUGE_VAL;
    const double whole = floor(x + 0.5), y = netmodel_fit__times(x - whole, NETMODEL_FIT__LN2);
    double term = 1, sum = 1;
    for (int k = 1; k <= 20; ++k) {
        term = netmodel_fit__times(term, y) / k;
        sum += term;
    }
    return ldexp(sum, (int)whole);
}

/* Reports the index of what is refused; returns the result. */
static netmodel_result netmodel_fit__refuse(netmodel_result result, size_t index, size_t *where)
{
    if (where) *where = index;
    return result;
}

/*=============================================================================
 * MARK: - >>fit (body)
 *===========================================================================*/
/* The weight of a point: with relative errors the square of an error is divided by the square of the time. */
static double netmodel_fit__weight(const netmodel_points *p, size_t i)
{
    return p->error == NETMODEL_ERROR_RELATIVE ? 1 / netmodel_fit__times(p->t[i], p->t[i]) : 1;
}

/* The error of a line at a point, in the unit of its deviation. */
static double netmodel_fit__miss(const netmodel_points *p, size_t i, const netmodel_line *line)
{
    double miss = p->t[i] - (netmodel_fit__times(line->slope, p->n[i]) + line->intercept);
    return p->error == NETMODEL_ERROR_RELATIVE ? miss / p->t[i] : miss;
}

/* Says if a fit can compute with x: squares of such numbers, weighted by the squares of others, stay in the range of a
 * double. */
static bool netmodel_fit__in_range(double x)
{
    x = fabs(x);
    return !(x > 0) || (x >= 1e-40 && x <= 1e40);
}

static netmodel_result netmodel_fit__point_check(const netmodel_points *p, size_t i, bool sorted)
{
    if (!(fabs(p->n[i]) < HUGE_VAL && fabs(p->t[i]) < HUGE_VAL)) return NETMODEL_NOT_FINITE;
    if (p->n[i] < 0) return NETMODEL_NEGATIVE;
    if (p->error == NETMODEL_ERROR_RELATIVE && !(p->t[i] > 0)) return NETMODEL_NOT_POSITIVE;
    if (!netmodel_fit__in_range(p->n[i]) || !netmodel_fit__in_range(p->t[i])) return NETMODEL_OUT_OF_RANGE;
    if (sorted && i > 0 && p->n[i] < p->n[i - 1]) return NETMODEL_BYTES_DECREASE;
    return NETMODEL_OK;
}

/* Checks the points of a fit. */
static netmodel_result netmodel_fit__fit_check(const netmodel_points *p, size_t minimum, bool sorted, size_t *where)
{
    bool one_size = true;
    if (!p) return NETMODEL_MISSING;
    if (p->error != NETMODEL_ERROR_ABSOLUTE && p->error != NETMODEL_ERROR_RELATIVE) return NETMODEL_BAD_OPTION;
    if (p->count > 0 && (!p->n || !p->t)) return NETMODEL_MISSING;
    if (p->count < minimum) return NETMODEL_TOO_FEW;
    for (size_t i = 0; i < p->count; ++i) {
        netmodel_result result = netmodel_fit__point_check(p, i, sorted);
        if (result != NETMODEL_OK) return netmodel_fit__refuse(result, i, where);
        one_size = one_size && p->n[i] <= p->n[0] && p->n[i] >= p->n[0];
    }
    return one_size ? NETMODEL_ONE_SIZE : NETMODEL_OK;
}

/* Weighted sums about the means, which are about `about_n` and `about_t`. */
typedef struct netmodel_fit__sums {
    double weight, n, t; /* sum of weights, means */
    double nn, nt, tt;   /* about the means */
    double about_n, about_t;
} netmodel_fit__sums;

/* A point joins without cancellation (Welford's recurrence). */
static void netmodel_fit__join(netmodel_fit__sums *s, double n, double t, double weight)
{
    const double dn = n - s->n, dt = t - s->t;
    s->weight += weight;
    const double part = weight / s->weight;
    s->n += netmodel_fit__times(dn, part);
    s->t += netmodel_fit__times(dt, part);
    s->nn += netmodel_fit__times(netmodel_fit__times(weight, dn), n - s->n);
    s->nt += netmodel_fit__times(netmodel_fit__times(weight, dn), t - s->t);
    s->tt += netmodel_fit__times(netmodel_fit__times(weight, dt), t - s->t);
}

static netmodel_line netmodel_fit__line_with(const netmodel_fit__sums *s, double slope)
{
    netmodel_line line;
    line.slope = slope;
    line.intercept = s->about_t - netmodel_fit__times(slope, s->about_n) + (s->t - netmodel_fit__times(slope, s->n));
    return line;
}

static netmodel_line netmodel_fit__line_of(const netmodel_fit__sums *s)
{
    return netmodel_fit__line_with(s, s->nt / s->nn);
}

/* The points that a line misses by no more than `cut`, or all. */
typedef struct netmodel_fit__chosen {
    const netmodel_points *points;
    const netmodel_line *near; /* or NULL: all */
    double cut;
} netmodel_fit__chosen;

static bool netmodel_fit__chooses(const netmodel_fit__chosen *x, size_t i)
{
    return !x->near || fabs(netmodel_fit__miss(x->points, i, x->near)) <= x->cut;
}

/* Their weighted sums, all but one's. The means come first, so that the sums about them are as good as they can be,
 * also where all n are close together; then by how much rounding has displaced them. */
static netmodel_fit__sums netmodel_fit__sums_about(const netmodel_fit__chosen *x, size_t without)
{
    const netmodel_points *p = x->points;
    netmodel_fit__sums s = { NETMODEL_FIT__ZERO };
    for (size_t i = 0; i < p->count; ++i) {
        if (i == without || !netmodel_fit__chooses(x, i)) continue;
        const double weight = netmodel_fit__weight(p, i);
        s.weight += weight;
        s.about_n += netmodel_fit__times(p->n[i] - s.about_n, weight / s.weight);
        s.about_t += netmodel_fit__times(p->t[i] - s.about_t, weight / s.weight);
    }
    for (size_t i = 0; i < p->count; ++i) {
        if (i == without || !netmodel_fit__chooses(x, i)) continue;
        const double dn = p->n[i] - s.about_n, dt = p->t[i] - s.about_t;
        const double wn = netmodel_fit__times(netmodel_fit__weight(p, i), dn),
                     wt = netmodel_fit__times(netmodel_fit__weight(p, i), dt);
        s.n += wn;
        s.t += wt;
        s.nn += netmodel_fit__times(wn, dn);
        s.nt += netmodel_fit__times(wn, dt);
        s.tt += netmodel_fit__times(wt, dt);
    }
    const double rest_n = s.n, rest_t = s.t;
    s.n = rest_n / s.weight;
    s.t = rest_t / s.weight;
    s.nn -= netmodel_fit__times(rest_n, s.n);
    s.nt -= netmodel_fit__times(rest_n, s.t);
    s.tt -= netmodel_fit__times(rest_t, s.t);
    return s;
}

/* The error at a point of the line through the others, in the unit of its deviation. `leverage` is the influence of the
 * point on the line there: if it is large, 1 - leverage has no digits left, so the line is fitted again without it. */
static double netmodel_fit__miss_without(const netmodel_fit__chosen *x, size_t i, double miss, double leverage)
{
    if (leverage < 0.5) return miss / (1 - leverage);
    const netmodel_fit__sums s = netmodel_fit__sums_about(x, i);
    if (!(s.nn > 0)) return HUGE_VAL;
    const netmodel_line line = netmodel_fit__line_of(&s);
    return netmodel_fit__miss(x->points, i, &line);
}

/* The standard errors, from the rest of a fit. */
static void netmodel_fit__fit_errors(netmodel_fit *fit)
{
    fit->slope_error = fit->deviation / sqrt(fit->spread);
    fit->intercept_error = netmodel_fit__times(
        fit->deviation, sqrt(1 / fit->weight + netmodel_fit__times(fit->mean, fit->mean) / fit->spread));
}

/* Least squares through the points that a line misses by no more than `cut`; through all, if there is no such line. */
static void netmodel_fit__fit(netmodel_fit *fit, const netmodel_points *p, const netmodel_line *near, double cut)
{
    const netmodel_fit__chosen x = { p, near, cut };
    double errors = 0, left_out = 0;
    const netmodel_fit__sums s = netmodel_fit__sums_about(&x, p->count);
    size_t used = 0;
    fit->line = netmodel_fit__line_of(&s);
    fit->low = HUGE_VAL;
    fit->high = 0;
    for (size_t i = 0; i < p->count; ++i) {
        if (!netmodel_fit__chooses(&x, i)) continue;
        ++used;
        if (p->n[i] < fit->low) fit->low = p->n[i];
        if (p->n[i] > fit->high) fit->high = p->n[i];
        const double miss = netmodel_fit__miss(p, i, &fit->line), off = p->n[i] - s.about_n - s.n;
        const double leverage =
            netmodel_fit__times(netmodel_fit__weight(p, i), 1 / s.weight + netmodel_fit__times(off, off) / s.nn);
        const double without = netmodel_fit__miss_without(&x, i, miss, leverage);
        errors += netmodel_fit__times(miss, miss);
        left_out += netmodel_fit__times(without, without);
    }
    fit->error = p->error;
    fit->count = used;
    fit->outliers = p->count - used;
    fit->mean = s.about_n + s.n;
    fit->spread = s.nn;
    fit->weight = s.weight;
    fit->r_squared = s.tt > 0 ? 1 - errors / s.tt : 1;
    fit->deviation = fit->leave_one_out = fit->slope_error = fit->intercept_error = HUGE_VAL;
    if (used <= 2) return;
    fit->deviation = sqrt(errors / (double)(used - 2));
    fit->leave_one_out = sqrt(left_out / (double)used);
    netmodel_fit__fit_errors(fit);
}

NETMODEL_API netmodel_result netmodel_fit_line(const netmodel_points *points, netmodel_fit *fit, size_t *where)
{
    if (!fit) return NETMODEL_MISSING;
    memset(fit, 0, sizeof *fit);
    netmodel_result result = netmodel_fit__fit_check(points, 2, false, where);
    if (result == NETMODEL_OK) netmodel_fit__fit(fit, points, NULL, 0);
    return result;
}

/* The k-th smallest of x[count], from 0; x is reordered (Hoare's selection). */
static double netmodel_fit__select(double *x, size_t count, size_t k)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (x[i] < pivot) ++i;
            while (pivot < x[j]) --j;
            if (i >= j) break;
            const double swapped = x[i];
            x[i++] = x[j];
            x[j--] = swapped;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return x[k];
}

/* The best of lines through two points each: all pairs of few points, otherwise always the same 500. */
static double netmodel_fit__best_pair(const netmodel_points *p, netmodel_line *best, double *scratch)
{
    double smallest = HUGE_VAL;
    uint64_t random = 0;
    size_t i = 0, j = 0;
    for (int tried = 0; tried < 500; ++tried) {
        if (p->count <= 32) {
            if (++j >= p->count) j = ++i + 1;
            if (j >= p->count) break;
        } else {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            i = (size_t)((random >> 33) % p->count);
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            j = (size_t)((random >> 33) % p->count);
        }
        if (!(p->n[i] < p->n[j] || p->n[j] < p->n[i])) continue;
        netmodel_line line;
        line.slope = (p->t[j] - p->t[i]) / (p->n[j] - p->n[i]);
        line.intercept = p->t[i] - netmodel_fit__times(line.slope, p->n[i]);
        for (size_t k = 0; k < p->count; ++k) scratch[k] = fabs(netmodel_fit__miss(p, k, &line));
        const double median = netmodel_fit__select(scratch, p->count, p->count / 2);
        if (median < smallest) {
            smallest = median;
            *best = line;
        }
    }
    return smallest;
}

/* Rounding is no deviation: the smallest that counts. */
static double netmodel_fit__smallest_deviation(const netmodel_points *p)
{
    double largest = 0;
    if (p->error == NETMODEL_ERROR_RELATIVE) return 1e-12;
    for (size_t i = 0; i < p->count; ++i)
        if (fabs(p->t[i]) > largest) largest = fabs(p->t[i]);
    return 1e-12 * largest;
}

NETMODEL_API netmodel_result netmodel_fit_robust(const netmodel_points *points, double scratch[], netmodel_fit *fit,
                                                 size_t *where)
{
    const double cut = 3, kept = 0.98656; /* deviation of a normal distribution that is cut off at three of its own */
    if (!fit) return NETMODEL_MISSING;
    memset(fit, 0, sizeof *fit);
    netmodel_result result = netmodel_fit__fit_check(points, 3, false, where);
    if (result == NETMODEL_OK && !scratch) result = NETMODEL_MISSING;
    if (result != NETMODEL_OK) return result;

    netmodel_line near = { 0, 0 };
    const double smallest = netmodel_fit__smallest_deviation(points),
                 median = netmodel_fit__best_pair(points, &near, scratch);
    /* 1.4826 medians are a deviation; with few points a fit through two of them is too good */
    double deviation = netmodel_fit__times(1.4826 * median, 1 + 5 / (double)(points->count - 2));
    for (int round = 0; round < 30 && median < HUGE_VAL; ++round) {
        const netmodel_line before = near;
        netmodel_fit next = { NETMODEL_FIT__ZERO };
        netmodel_fit__fit(&next, points, &near, cut * (deviation > smallest ? deviation : smallest));
        if (next.count < 2 || !(next.spread > 0)) break;
        *fit = next;
        near = next.line;
        if (next.count == 2) break;
        deviation = next.deviation / kept;
        if (memcmp(&near, &before, sizeof near) == 0) break;
    }
    if (fit->count == 0) netmodel_fit__fit(fit, points, NULL, 0); /* such as where no two n that were tried differ */
    return NETMODEL_OK;
}

/*=============================================================================
 * MARK: - >>intervals (body)
 *===========================================================================*/
/* A prediction from a time, the variance of the model there in squares of the deviation, the scatter of the next
 * measurement, and the rest of a fit. */
static netmodel_prediction netmodel_fit__predict_next(double time, double variance, double deviation, double scatter,
                                                      netmodel_error_metric error, size_t freedom, double level,
                                                      bool outside)
{
    const double t = netmodel_student(level, freedom > 0 ? freedom : 1);
    const double own =
        error == NETMODEL_ERROR_RELATIVE ? netmodel_fit__times(time, time) : 1; /* of the next measurement */
    const double ratio = deviation < scatter || deviation > scatter ? deviation / scatter : 1;
    const double both = netmodel_fit__times(variance, netmodel_fit__times(ratio, ratio)) + own;
    double mean = freedom > 0 ? netmodel_fit__times(netmodel_fit__times(t, deviation), sqrt(variance)) : HUGE_VAL;
    double next = freedom > 0 ? netmodel_fit__times(netmodel_fit__times(t, scatter), sqrt(both)) : HUGE_VAL;
    if (netmodel_fit__is_nan(time) || netmodel_fit__is_nan(t)) time = mean = next = NETMODEL_FIT__NAN;
    netmodel_prediction p = { time, time - mean, time + mean, time - next, time + next, outside };
    return p;
}

/* A prediction where the next measurement has the deviation of those that were fitted. */
static netmodel_prediction netmodel_fit__predict(double time, double variance, double deviation,
                                                 netmodel_error_metric error, size_t freedom, double level,
                                                 bool outside)
{
    return netmodel_fit__predict_next(time, variance, deviation, deviation, error, freedom, level, outside);
}

/* The variance of a line at n, in squares of the deviation. */
static double netmodel_fit__fit_variance(const netmodel_fit *fit, double n)
{
    const double off = n - fit->mean;
    return 1 / fit->weight + netmodel_fit__times(off, off) / fit->spread;
}

NETMODEL_API netmodel_prediction netmodel_fit_predict(const netmodel_fit *fit, double n, double level)
{
    return netmodel_fit__predict(netmodel_line_time(&fit->line, n), netmodel_fit__fit_variance(fit, n), fit->deviation,
                                 fit->error, fit->count > 2 ? fit->count - 2 : 0, level,
                                 !(n >= fit->low && n <= fit->high));
}

/*=============================================================================
 * MARK: - >>jumps (private)
 *===========================================================================*/
/* The best partition of points into runs, each with a line of its own. Of lines that may not fall, one that would is flat:
 * squares left are a parabola in the slope, so 0 is the best of those that are allowed. */
static double netmodel_fit__slope(const netmodel_fit__sums *s, bool falling)
{
    return falling || s->nt > 0 ? s->nt / s->nn : 0;
}

static void netmodel_fit__join_point(netmodel_fit__sums *s, const netmodel_points *p, size_t i)
{
    netmodel_fit__join(s, p->n[i], p->t[i], netmodel_fit__weight(p, i));
}

static netmodel_fit__sums netmodel_fit__sums_of(const netmodel_points *p, size_t first, size_t last)
{
    netmodel_fit__sums s = { NETMODEL_FIT__ZERO };
    for (size_t i = first; i <= last; ++i) netmodel_fit__join_point(&s, p, i);
    return s;
}

/* best[k * count + j]: smallest sum of squares of k + 1 runs of the points 0 .. j; from[]: where the last one begins. */
static void netmodel_fit__runs(const netmodel_points *p, const netmodel_pieces_desc *desc, double *best, double *from)
{
    const size_t count = p->count, maximum = desc->maximum;
    for (size_t i = 0; i < maximum * count; ++i) best[i] = HUGE_VAL;
    for (size_t j = 2; j < count; ++j) {
        netmodel_fit__sums s = { NETMODEL_FIT__ZERO };
        for (size_t i = j + 1; i-- > 0;) {
            netmodel_fit__join_point(&s, p, i);
            if (j - i < 2) continue;
            double left = s.tt - netmodel_fit__times(netmodel_fit__slope(&s, desc->falling), s.nt);
            if (left < 0) left = 0;
            if (i == 0) {
                best[j] = left;
                continue;
            }
            for (size_t k = 1; k < maximum; ++k)
                if (best[(k - 1) * count + i - 1] + left < best[k * count + j]) {
                    best[k * count + j] = best[(k - 1) * count + i - 1] + left;
                    from[k * count + j] = (double)i;
                }
        }
    }
}

static void netmodel_fit__run_pieces(const netmodel_points *p, size_t pieces, bool falling, const double *from,
                                     netmodel_piece *piece)
{
    for (size_t k = pieces, end = p->count - 1; k-- > 0;) {
        const size_t begin = k > 0 ? (size_t)from[k * p->count + end] : 0;
        const netmodel_fit__sums s = netmodel_fit__sums_of(p, begin, end);
        const double low = p->n[begin] - s.n, high = p->n[end] - s.n, slope = netmodel_fit__slope(&s, falling);
        const double spread = falling || slope > 0 ? s.nn : HUGE_VAL; /* a slope that is bound does not vary */
        piece[k].line = netmodel_fit__line_with(&s, slope);
        piece[k].low = p->n[begin];
        piece[k].high = p->n[end];
        piece[k].variance_low = 1 / s.weight + netmodel_fit__times(low, low) / spread;
        piece[k].variance_high = 1 / s.weight + netmodel_fit__times(high, high) / spread;
        piece[k].covariance = 1 / s.weight + netmodel_fit__times(low, high) / spread;
        end = begin - 1;
    }
}

/*=============================================================================
 * MARK: - >>joints (private)
 *===========================================================================*/
/* The best breaks of lines that meet. What is fitted are the heights at the breaks; of lines that may not fall, none is
 * lower than the one before. */
#define NETMODEL_FIT__KNOTS 200 /* breaks that are tried at first */
#define NETMODEL_FIT__KEPT 16   /* parabolas that are kept at each */

/* Cost of all points so far, as a parabola in the height of the last break, where it holds, and which parabola it came
 * from. Where lines may not fall, the cost of one choice of breaks consists of several: in some the last lines are flat. */
typedef struct netmodel_fit__parabola {
    double a, b, c;
    double low, high; /* heights at which it holds */
    double from;      /* break * NETMODEL_FIT__KEPT + parabola */
    double minimum;   /* its smallest value, once it is kept */
} netmodel_fit__parabola;

/* The squares left between two breaks, as a function of the heights p and q there: pp p^2 + pq p q + qq q^2 + p0 p +
 * q0 q + rest. The time at n between them is p u + q v, u + v = 1. */
typedef struct netmodel_fit__span {
    double pp, pq, qq, p0, q0, rest;
} netmodel_fit__span;

static netmodel_fit__span netmodel_fit__span_of(const netmodel_fit__sums *s, double low, double high)
{
    const double wide = high - low, left = s->n - low, right = high - s->n;
    const double wt = netmodel_fit__times(s->weight, s->t);
    netmodel_fit__span x;
    x.pp = (s->nn + netmodel_fit__times(s->weight, netmodel_fit__times(right, right))) / wide / wide;
    x.qq = (s->nn + netmodel_fit__times(s->weight, netmodel_fit__times(left, left))) / wide / wide;
    x.pq = 2 * (netmodel_fit__times(s->weight, netmodel_fit__times(left, right)) - s->nn) / wide / wide;
    x.p0 = -2 * (netmodel_fit__times(wt, right) - s->nt) / wide;
    x.q0 = -2 * (netmodel_fit__times(wt, left) + s->nt) / wide;
    x.rest = s->tt + netmodel_fit__times(wt, s->t);
    return x;
}

/* The span between the breaks at points a and b; the first one includes its left end. */
static netmodel_fit__span netmodel_fit__span_between(const netmodel_points *p, size_t a, size_t b, bool first)
{
    const netmodel_fit__sums s = netmodel_fit__sums_of(p, first ? 0 : a + 1, b);
    return netmodel_fit__span_of(&s, p->n[a], p->n[b]);
}

static double netmodel_fit__parabola_at(const netmodel_fit__parabola *x, double height)
{
    return x->c + netmodel_fit__times(height, x->b + netmodel_fit__times(x->a, height));
}

/* Its smallest value where it holds. */
static double netmodel_fit__minimum(const netmodel_fit__parabola *x)
{
    if (!(x->a > 0)) return x->c;
    const double at = -x->b / x->a / 2;
    if (at < x->low) return netmodel_fit__parabola_at(x, x->low);
    if (at > x->high) return netmodel_fit__parabola_at(x, x->high);
    return x->c - netmodel_fit__times(x->b / x->a, x->b) / 4;
}

/* Says if x holds wherever y does, and is nowhere above it there. */
static bool netmodel_fit__below(const netmodel_fit__parabola *x, const netmodel_fit__parabola *y)
{
    const netmodel_fit__parabola gap = { y->a - x->a, y->b - x->b, y->c - x->c, y->low, y->high, 0, 0 };
    if (!(x->low <= y->low && x->high >= y->high)) return false;
    if (gap.a >= 0 && gap.c >= 0 && netmodel_fit__times(4 * gap.a, gap.c) >= netmodel_fit__times(gap.b, gap.b))
        return true;
    const double lowest = gap.a > 0 ? -gap.b / gap.a / 2 : HUGE_VAL;
    if (lowest > gap.low && lowest < gap.high) return false;
    return netmodel_fit__parabola_at(&gap, gap.low) >= 0 && netmodel_fit__parabola_at(&gap, gap.high) >= 0;
}

/* Adds a parabola to those kept at a break. What is nowhere the smallest goes, and if there are too many the one with
 * the largest minimum. */
static void netmodel_fit__keep(netmodel_fit__parabola *kept, double *number, netmodel_fit__parabola *fresh)
{
    size_t count = 0, worst = 0;
    if (!(fresh->low <= fresh->high)) return; /* it holds nowhere */
    fresh->minimum = netmodel_fit__minimum(fresh);
    for (size_t i = 1; i < (size_t)*number; ++i)
        if (kept[i].minimum > kept[worst].minimum) worst = i;
    /* A parabola that is below another somewhere has no larger minimum: this one would neither stay nor make another go. */
    if ((size_t)*number == NETMODEL_FIT__KEPT && fresh->minimum >= kept[worst].minimum) return;
    for (size_t i = 0; i < (size_t)*number; ++i)
        if (kept[i].minimum <= fresh->minimum && netmodel_fit__below(&kept[i], fresh)) return;
    worst = 0;
    for (size_t i = 0; i < (size_t)*number; ++i)
        if (kept[i].minimum < fresh->minimum || !netmodel_fit__below(fresh, &kept[i])) kept[count++] = kept[i];
    for (size_t i = 1; i < count; ++i)
        if (kept[i].minimum > kept[worst].minimum) worst = i;
    if (count < NETMODEL_FIT__KEPT)
        kept[count++] = *fresh;
    else
        kept[worst] = *fresh;
    *number = (double)count;
}

/* Cost at the next break: the span between, at the best height of the break before, which is `at_zero + slope * height`.
 * If lines may not fall, it holds where that height is one of x and not above the height now. */
static netmodel_fit__parabola netmodel_fit__cross(const netmodel_fit__parabola *x, const netmodel_fit__span *s,
                                                  size_t from, bool falling)
{
    const double a = x->a + s->pp, b = x->b + s->p0;
    netmodel_fit__parabola y = { s->qq, s->q0, s->rest + x->c, -HUGE_VAL, HUGE_VAL, (double)from, 0 };
    if (a > 0) {
        y.a -= netmodel_fit__times(s->pq / a, s->pq) / 4;
        y.b -= netmodel_fit__times(s->pq / a, b) / 2;
        y.c -= netmodel_fit__times(b / a, b) / 4;
    }
    if (falling || !(a > 0)) return y;
    const double at_zero = -b / a / 2, slope = -s->pq / a / 2, meets = -b / (2 * a + s->pq);
    if (slope > 0) {
        y.low = (x->low - at_zero) / slope;
        y.high = (x->high - at_zero) / slope;
    } else if (slope < 0) {
        y.low = (x->high - at_zero) / slope;
        y.high = (x->low - at_zero) / slope;
    } else if (!(at_zero >= x->low && at_zero <= x->high)) {
        y.high = y.low;
        y.low = HUGE_VAL;
    }
    if (y.low < meets) y.low = meets;
    return y;
}

/* Cost at the next break if the line to it is flat because it would fall. */
static netmodel_fit__parabola netmodel_fit__level(const netmodel_fit__parabola *x, const netmodel_fit__span *s,
                                                  size_t from)
{
    const double meets = -(x->b + s->p0) / (2 * (x->a + s->pp) + s->pq);
    const netmodel_fit__parabola y = { x->a + s->pp + s->pq + s->qq,
                                       x->b + s->p0 + s->q0,
                                       x->c + s->rest,
                                       x->low,
                                       x->high < meets ? x->high : meets,
                                       (double)from,
                                       0 };
    return y;
}

/* Heights at given breaks by least squares: a system of three diagonals. Breaks that are level have one height together,
 * group[] of each, and one row of the system. */
typedef struct netmodel_fit__heights {
    double diagonal[NETMODEL_PIECES_MAX + 1], beside[NETMODEL_PIECES_MAX + 1], right[NETMODEL_PIECES_MAX + 1];
    double height[NETMODEL_PIECES_MAX + 1];
    size_t group[NETMODEL_PIECES_MAX + 1];
} netmodel_fit__heights;

static void netmodel_fit__solve(const netmodel_fit__heights *h, const double *right, size_t last, double *x)
{
    double pivot[NETMODEL_PIECES_MAX + 1], y[NETMODEL_PIECES_MAX + 1];
    for (size_t i = 0; i <= last; ++i) {
        const double factor = i > 0 && pivot[i - 1] > 0 ? h->beside[i - 1] / pivot[i - 1] : 0;
        pivot[i] = h->diagonal[i] - (i > 0 ? netmodel_fit__times(factor, h->beside[i - 1]) : 0);
        y[i] = right[i] - (i > 0 ? netmodel_fit__times(factor, y[i - 1]) : 0);
    }
    for (size_t i = last + 1; i-- > 0;) {
        const double after = i < last ? netmodel_fit__times(h->beside[i], x[i + 1]) : 0;
        x[i] = pivot[i] > 0 ? (y[i] - after) / pivot[i] : 0;
    }
}

/* Fills the system of the groups and its solution, a height for each break. */
static void netmodel_fit__solve_groups(netmodel_fit__heights *h, const netmodel_fit__span *span, size_t pieces)
{
    double height[NETMODEL_PIECES_MAX + 1];
    memset(h->diagonal, 0, sizeof h->diagonal);
    memset(h->beside, 0, sizeof h->beside);
    memset(h->right, 0, sizeof h->right);
    for (size_t i = 0; i < pieces; ++i) {
        const size_t a = h->group[i], b = h->group[i + 1];
        h->diagonal[a] += span[i].pp;
        h->diagonal[b] += span[i].qq;
        if (a == b)
            h->diagonal[a] += span[i].pq;
        else
            h->beside[a] += span[i].pq / 2;
        h->right[a] -= span[i].p0 / 2;
        h->right[b] -= span[i].q0 / 2;
    }
    netmodel_fit__solve(h, h->right, h->group[pieces], height);
    for (size_t i = 0; i <= pieces; ++i) h->height[i] = height[h->group[i]];
}

/* Makes the break the first of a new group, or the next of the group before it. */
static void netmodel_fit__regroup(netmodel_fit__heights *h, size_t at, size_t pieces, bool separate)
{
    for (size_t i = at; i <= pieces; ++i) h->group[i] = separate ? h->group[i] + 1 : h->group[i] - 1;
}

/* The break that a group holds down most against the squares left, or 0: by how much they would change if the break and
 * those of its group after it rose. */
static size_t netmodel_fit__most_bound(const netmodel_fit__heights *h, const netmodel_fit__span *span, size_t pieces)
{
    double force = 0, largest = 0;
    size_t most = 0;
    for (size_t i = 0; i <= h->group[pieces]; ++i) largest += 1e-12 * fabs(h->right[i]); /* less is rounding */
    for (size_t i = 0; i <= pieces; ++i) {
        if (i > 0 && h->group[i] != h->group[i - 1]) force = 0;
        if (i > 0 && force > largest) {
            largest = force;
            most = i;
        }
        if (i > 0)
            force += netmodel_fit__times(2 * span[i - 1].qq, h->height[i]) +
                     netmodel_fit__times(span[i - 1].pq, h->height[i - 1]) + span[i - 1].q0;
        if (i < pieces)
            force += netmodel_fit__times(2 * span[i].pp, h->height[i]) +
                     netmodel_fit__times(span[i].pq, h->height[i + 1]) + span[i].p0;
    }
    return most;
}

/* Heights none of which is lower than the one before: an active-set method. It begins with one height for all, moves
 * towards the best heights of its groups as far as they ascend, joins the two that meet first, and separates what a
 * group holds down, until nothing is. */
static void netmodel_fit__ascend(netmodel_fit__heights *h, const netmodel_fit__span *span, size_t pieces)
{
    double now[NETMODEL_PIECES_MAX + 1];
    memset(h->group, 0, sizeof h->group);
    netmodel_fit__solve_groups(h, span, pieces);
    for (size_t round = 0; round < 64 * (pieces + 1); ++round) { /* more than it takes; rounding might make it cycle */
        size_t at = netmodel_fit__most_bound(h, span, pieces);
        if (at == 0) return;
        memcpy(now, h->height, sizeof now);
        netmodel_fit__regroup(h, at, pieces, true);
        netmodel_fit__solve_groups(h, span, pieces);
        for (;;) {
            double part = 1;
            at = 0;
            for (size_t i = 1; i <= pieces; ++i) {
                const double rise = now[i] - now[i - 1], next = h->height[i] - h->height[i - 1];
                if (h->group[i] == h->group[i - 1] || next >= 0 || !(rise / (rise - next) < part)) continue;
                part = rise / (rise - next);
                at = i;
            }
            if (at == 0) break;
            for (size_t i = 0; i <= pieces; ++i) now[i] += netmodel_fit__times(part, h->height[i] - now[i]);
            netmodel_fit__regroup(h, at, pieces, false);
            netmodel_fit__solve_groups(h, span, pieces);
        }
    }
}

/* Returns the squares left. */
static double netmodel_fit__fit_heights(netmodel_fit__heights *h, const netmodel_fit__span *span, size_t pieces,
                                        bool falling)
{
    double left = 0;
    bool falls = false;
    memset(h, 0, sizeof *h);
    for (size_t i = 0; i <= pieces; ++i) h->group[i] = i;
    netmodel_fit__solve_groups(h, span, pieces);
    for (size_t i = 0; i < pieces; ++i) {
        left += span[i].rest;
        falls = falls || h->height[i + 1] < h->height[i];
    }
    if (falls && !falling) netmodel_fit__ascend(h, span, pieces);
    for (size_t i = 0; i <= pieces; ++i)
        if (i == 0 || h->group[i] != h->group[i - 1]) left -= netmodel_fit__times(h->right[h->group[i]], h->height[i]);
    return left;
}

/* Breaks, as points, and the spans between. */
typedef struct netmodel_fit__breaks {
    const netmodel_points *p;
    bool falling;
    size_t pieces, end[NETMODEL_PIECES_MAX + 1];
    netmodel_fit__span span[NETMODEL_PIECES_MAX];
    double left; /* squares */
} netmodel_fit__breaks;

/* Moves an inner break to the best point within `reach` different n on either side; whether there is a better one. */
static bool netmodel_fit__settle_break(netmodel_fit__breaks *x, size_t i, size_t reach)
{
    const netmodel_points *p = x->p;
    const size_t start = x->end[i];
    netmodel_fit__span before = x->span[i - 1], after = x->span[i];
    netmodel_fit__heights h;
    bool moved = false;
    for (int side = -1; side <= 1; side += 2) {
        for (size_t at = start, steps = 0; steps < reach;) {
            if (side < 0 ? at == 0 : at + 1 >= p->count) break;
            at = side < 0 ? at - 1 : at + 1;
            if (!(p->n[at] > p->n[x->end[i - 1]] && p->n[at] < p->n[x->end[i + 1]])) break;
            ++steps;
            x->span[i - 1] = netmodel_fit__span_between(p, x->end[i - 1], at, i == 1);
            x->span[i] = netmodel_fit__span_between(p, at, x->end[i + 1], false);
            const double left = netmodel_fit__fit_heights(&h, x->span, x->pieces, x->falling);
            if (left < x->left - 1e-13 * fabs(x->left)) {
                x->left = left;
                x->end[i] = at;
                before = x->span[i - 1];
                after = x->span[i];
                moved = true;
            }
        }
    }
    x->span[i - 1] = before;
    x->span[i] = after;
    return moved;
}

/* Moves inner breaks until none moves. */
static void netmodel_fit__settle(netmodel_fit__breaks *x, size_t reach)
{
    netmodel_fit__heights h;
    bool moved = true;
    x->left = netmodel_fit__fit_heights(&h, x->span, x->pieces, x->falling);
    for (int round = 0; moved && round < 50; ++round) {
        moved = false;
        for (size_t i = 1; i < x->pieces; ++i)
            if (netmodel_fit__settle_break(x, i, reach)) moved = true;
    }
}

static void netmodel_fit__joined_pieces(const netmodel_fit__breaks *x, netmodel_piece *piece)
{
    netmodel_fit__heights h;
    netmodel_fit__fit_heights(&h, x->span, x->pieces, x->falling);
    for (size_t i = 0; i < x->pieces; ++i) {
        netmodel_piece *own = &piece[i];
        own->low = x->p->n[x->end[i]];
        own->high = x->p->n[x->end[i + 1]];
        own->line.slope = (h.height[i + 1] - h.height[i]) / (own->high - own->low);
        own->line.intercept = h.height[i] - netmodel_fit__times(own->line.slope, own->low);
    }
    for (size_t j = 0; j <= x->pieces; ++j) { /* a column of the inverse at a time */
        double unit[NETMODEL_PIECES_MAX + 1] = { 0 }, column[NETMODEL_PIECES_MAX + 1];
        unit[h.group[j]] = 1;
        netmodel_fit__solve(&h, unit, h.group[x->pieces], column);
        if (j < x->pieces) piece[j].variance_low = column[h.group[j]];
        if (j < x->pieces) piece[j].covariance = column[h.group[j + 1]];
        if (j > 0) piece[j - 1].variance_high = column[h.group[j]];
    }
}

/* The parabolas kept at each break, for each number of pieces that end there. */
typedef struct netmodel_fit__search {
    bool falling;
    size_t maximum, knots;
    double *knot;                 /* knot[knots] */
    double *number;               /* number[maximum * knots] */
    netmodel_fit__parabola *kept; /* kept[maximum * knots * NETMODEL_FIT__KEPT] */
} netmodel_fit__search;

/* Extends a fit that ends at break c by a span to break d. */
static void netmodel_fit__extend_one(netmodel_fit__search *x, size_t there, const netmodel_fit__parabola *from,
                                     const netmodel_fit__span *span, size_t code)
{
    netmodel_fit__parabola rising = netmodel_fit__cross(from, span, code, x->falling);
    netmodel_fit__keep(x->kept + there * NETMODEL_FIT__KEPT, &x->number[there], &rising);
    if (x->falling) return;
    netmodel_fit__parabola level = netmodel_fit__level(from, span, code);
    netmodel_fit__keep(x->kept + there * NETMODEL_FIT__KEPT, &x->number[there], &level);
}

/* Extends the fits that end at break c by a span to break d. */
static void netmodel_fit__extend(netmodel_fit__search *x, size_t c, size_t d, const netmodel_fit__span *span)
{
    const netmodel_fit__parabola nothing = { 0, 0, 0, -HUGE_VAL, HUGE_VAL, 0, 0 };
    if (c == 0) {
        netmodel_fit__extend_one(x, d, &nothing, span, 0);
        return;
    }
    for (size_t k = 1; k < x->maximum; ++k) {
        const size_t here = (k - 1) * x->knots + c, there = k * x->knots + d;
        for (size_t q = 0; q < (size_t)x->number[here]; ++q)
            netmodel_fit__extend_one(x, there, &x->kept[here * NETMODEL_FIT__KEPT + q], span,
                                     c * NETMODEL_FIT__KEPT + q);
    }
}

/* Fills the points that are tried as breaks. */
static void netmodel_fit__search_knots(netmodel_fit__search *x, size_t count, double *knot)
{
    const size_t limit = count < NETMODEL_FIT__KNOTS ? count : NETMODEL_FIT__KNOTS;
    x->knot = knot;
    x->knots = 0;
    for (size_t i = 0; i < count; ++i)
        if (i * (limit - 1) >= x->knots * (count - 1)) knot[x->knots++] = (double)i;
}

static netmodel_fit__search netmodel_fit__search_breaks(const netmodel_points *p, const netmodel_pieces_desc *desc,
                                                        double *scratch)
{
    netmodel_fit__search x;
    x.falling = desc->falling;
    x.maximum = desc->maximum;
    netmodel_fit__search_knots(&x, p->count, scratch);
    x.number = scratch + x.knots;
    x.kept = (netmodel_fit__parabola *)(void *)(x.number + x.maximum * x.knots);
    for (size_t i = 0; i < x.maximum * x.knots; ++i) x.number[i] = 0;
    for (size_t d = 1; d < x.knots; ++d) {
        netmodel_fit__sums s = { NETMODEL_FIT__ZERO };
        size_t next = (size_t)x.knot[d] + 1;
        for (size_t c = d; c-- > 0;) {
            const size_t stop = c > 0 ? (size_t)x.knot[c] + 1 : 0;
            while (next > stop) netmodel_fit__join_point(&s, p, --next);
            const netmodel_fit__span span = netmodel_fit__span_of(&s, p->n[(size_t)x.knot[c]], p->n[(size_t)x.knot[d]]);
            netmodel_fit__extend(&x, c, d, &span);
        }
    }
    return x;
}

/* The best breaks for a number of pieces; false if there are none. */
static bool netmodel_fit__best_breaks(const netmodel_fit__search *x, const netmodel_points *p, size_t pieces,
                                      netmodel_fit__breaks *best)
{
    size_t d = x->knots - 1, q = 0;
    const size_t last = (pieces - 1) * x->knots + d;
    const netmodel_fit__parabola *kept = x->kept + last * NETMODEL_FIT__KEPT;
    if (x->number[last] < 1) return false;
    for (size_t i = 1; i < (size_t)x->number[last]; ++i)
        if (kept[i].minimum < kept[q].minimum) q = i;
    memset(best, 0, sizeof *best);
    best->p = p;
    best->falling = x->falling;
    best->pieces = pieces;
    best->end[pieces] = (size_t)x->knot[d];
    for (size_t k = pieces; k-- > 0;) {
        const size_t from = k > 0 ? (size_t)x->kept[(k * x->knots + d) * NETMODEL_FIT__KEPT + q].from : 0;
        d = from / NETMODEL_FIT__KEPT;
        q = from % NETMODEL_FIT__KEPT;
        best->end[k] = (size_t)x->knot[d];
        best->span[k] = netmodel_fit__span_between(p, best->end[k], best->end[k + 1], k == 0);
    }
    return true;
}

/*=============================================================================
 * MARK: - >>pieces (body)
 *===========================================================================*/
NETMODEL_API size_t netmodel_pieces_scratch(size_t count, size_t maximum)
{
    const size_t knots = count < NETMODEL_FIT__KNOTS ? count : NETMODEL_FIT__KNOTS;
    const size_t runs = 2 * maximum * count;
    const size_t breaks =
        knots + maximum * knots * (1 + NETMODEL_FIT__KEPT * sizeof(netmodel_fit__parabola) / sizeof(double));
    return 2 * count + (runs > breaks ? runs : breaks);
}

/* One point for each size, with the median of its times. The median of points i .. end - 1 is selected in a copy of them
 * where it and those of the next sizes will stand. */
static netmodel_points netmodel_fit__medians(const netmodel_points *p, double *n, double *t)
{
    netmodel_points one = { n, t, 0, p->error };
    for (size_t i = 0, end; i < p->count; i = end, ++one.count) {
        double *own = t + one.count;
        for (end = i; end < p->count && p->n[end] <= p->n[i]; ++end) own[end - i] = p->t[end];
        const size_t count = end - i, half = count / 2;
        const double upper = netmodel_fit__select(own, count, half);
        n[one.count] = p->n[i];
        own[0] = count % 2 == 1 ? upper : (netmodel_fit__select(own, half, half - 1) + upper) / 2;
    }
    return one;
}

/* Errors of lines at points: sums of their amounts and squares; of points of one size the means count. */
typedef struct netmodel_fit__errors {
    double sum, squares;
} netmodel_fit__errors;

static netmodel_fit__errors netmodel_fit__errors_left(const netmodel_points *p, const netmodel_piece *piece,
                                                      size_t pieces, bool jumps)
{
    netmodel_fit__errors all = { 0, 0 };
    for (size_t i = 0, k = 0, end; i < p->count; i = end) {
        netmodel_fit__errors own = { 0, 0 };
        while (k + 1 < pieces && (jumps ? p->n[i] >= piece[k + 1].low : p->n[i] > piece[k].high)) ++k;
        for (end = i; end < p->count && p->n[end] <= p->n[i]; ++end) {
            const double miss = netmodel_fit__miss(p, end, &piece[k].line);
            own.sum += fabs(miss);
            own.squares += netmodel_fit__times(miss, miss);
        }
        all.sum += own.sum / (double)(end - i);
        all.squares += own.squares / (double)(end - i);
    }
    return all;
}

/* The criterion of so many parameters that leave such errors; what rounding leaves counts as nothing. */
static double netmodel_fit__criterion(const netmodel_points *p, double sum, size_t parameters)
{
    const double count = (double)p->count, free = count - (double)parameters; /* a piece has three sizes or more */
    double all = 0;
    for (size_t i = 0; i < p->count; ++i) all += p->error == NETMODEL_ERROR_RELATIVE ? 1 : fabs(p->t[i]);
    if (sum < 1e-12 * all) sum = 1e-12 * all;
    if (!(sum > 0)) sum = 1e-150; /* all times are 0 */
    return 2 * log(sum) - log(free) + (1 + log(count)) * (double)parameters / count;
}

/* Makes the best fit of k pieces, of the runs in the scratch or of breaks; false if there is none. */
static bool netmodel_fit__pieces_make(const netmodel_points *p, const netmodel_pieces_desc *desc, const double *scratch,
                                      const netmodel_fit__search *search, size_t k, netmodel_piece *piece)
{
    netmodel_fit__breaks breaks;
    if (desc->jumps) {
        if (!(scratch[k * p->count - 1] < HUGE_VAL)) return false;
        netmodel_fit__run_pieces(p, k, desc->falling, scratch + desc->maximum * p->count, piece);
        return true;
    }
    if (!netmodel_fit__best_breaks(search, p, k, &breaks)) return false;
    if (p->count > search->knots) netmodel_fit__settle(&breaks, 2 * (p->count / search->knots + 1));
    netmodel_fit__joined_pieces(&breaks, piece);
    return true;
}

NETMODEL_API netmodel_result netmodel_fit_pieces(const netmodel_points *points, const netmodel_pieces_desc *desc,
                                                 double scratch[], netmodel_piece piece[], netmodel_pieces *fit,
                                                 size_t *where)
{
    if (!fit) return NETMODEL_MISSING;
    memset(fit, 0, sizeof *fit);
    if (!desc || !scratch || !piece) return NETMODEL_MISSING;
    if (desc->maximum < 1 || desc->maximum > NETMODEL_PIECES_MAX) return NETMODEL_BAD_OPTION;
    netmodel_result result = netmodel_fit__fit_check(points, 3, true, where);
    if (result != NETMODEL_OK) return result;

    const netmodel_points sizes = netmodel_fit__medians(points, scratch, scratch + points->count);
    netmodel_fit__search search = { NETMODEL_FIT__ZERO };
    scratch += 2 * points->count;
    if (desc->jumps)
        netmodel_fit__runs(&sizes, desc, scratch, scratch + desc->maximum * sizes.count);
    else
        search = netmodel_fit__search_breaks(&sizes, desc, scratch);
    for (size_t k = desc->exactly ? desc->maximum : 1; k <= desc->maximum && 3 * k <= sizes.count; ++k) {
        if (!netmodel_fit__pieces_make(&sizes, desc, scratch, &search, k, piece)) continue;
        const size_t parameters = desc->jumps ? 3 * k - 1 : 2 * k;
        const netmodel_fit__errors left = netmodel_fit__errors_left(&sizes, piece, k, desc->jumps);
        const double criterion = netmodel_fit__criterion(&sizes, left.sum, parameters);
        if (fit->count > 0 && !(criterion < fit->criterion)) continue;
        fit->count = k;
        fit->criterion = criterion;
        fit->degrees_of_freedom = sizes.count - parameters;
        fit->deviation = sqrt(left.squares / (double)fit->degrees_of_freedom);
    }
    if (fit->count == 0) return NETMODEL_TOO_FEW;
    /* The last one made need not be the best. */
    netmodel_fit__pieces_make(&sizes, desc, scratch, &search, fit->count, piece);
    fit->scatter = fit->deviation;
    if (points->count > sizes.count) { /* what the parameters take from the errors, they take from those of medians */
        const double parameters = (double)(sizes.count - fit->degrees_of_freedom);
        const double taken = netmodel_fit__times(parameters, netmodel_fit__times(fit->deviation, fit->deviation));
        const netmodel_fit__errors single = netmodel_fit__errors_left(points, piece, fit->count, desc->jumps);
        fit->scatter = sqrt((single.squares + taken) / (double)sizes.count);
    }
    fit->piece = piece;
    fit->points = points->count;
    fit->sizes = sizes.count;
    fit->error = points->error;
    return NETMODEL_OK;
}

NETMODEL_API netmodel_prediction netmodel_pieces_predict(const netmodel_pieces *fit, double n, double level)
{
    const netmodel_piece *x = fit->piece;
    size_t k = 0;
    if (fit->count == 0) return netmodel_fit__predict(NETMODEL_FIT__NAN, 0, 0, fit->error, 1, level, true);
    while (k + 1 < fit->count && n >= x[k + 1].low) ++k;
    const double v = (n - x[k].low) / (x[k].high - x[k].low), u = 1 - v;
    const double variance = netmodel_fit__times(netmodel_fit__times(u, u), x[k].variance_low) +
                            2 * netmodel_fit__times(netmodel_fit__times(u, v), x[k].covariance) +
                            netmodel_fit__times(netmodel_fit__times(v, v), x[k].variance_high);
    /* Breaks were searched for, and no curve is a line: intervals of several pieces are wider than if breaks were known. */
    const double part = (double)(fit->sizes - fit->degrees_of_freedom) / (double)fit->sizes;
    const double wider = fit->count > 1 ? 1 + netmodel_fit__times(3, netmodel_fit__times(part, part)) : 1;
    const size_t freedom = fit->count > 1 && fit->degrees_of_freedom > 4 ? 4 : fit->degrees_of_freedom;
    return netmodel_fit__predict_next(netmodel_line_time(&x[k].line, n), variance > 0 ? variance : 0,
                                      netmodel_fit__times(wider, fit->deviation),
                                      netmodel_fit__times(wider, fit->scatter), fit->error, freedom, level,
                                      !(n >= x[0].low && n <= x[fit->count - 1].high));
}

/* A curve under construction: it is nowhere lower than before, and what that has lifted most. */
typedef struct netmodel_fit__rising {
    double *bytes, *seconds;
    size_t count;
    netmodel_lift lift;
} netmodel_fit__rising;

static void netmodel_fit__rising_add(netmodel_fit__rising *x, double n, double time)
{
    x->bytes[x->count] = n;
    x->seconds[x->count++] = time;
}

/* Where the fit has this time, and the curve is at least as high as before. */
static void netmodel_fit__rising_lift(netmodel_fit__rising *x, double n, double time)
{
    const double seconds = x->seconds[x->count - 1] - time;
    if (!(seconds > 0)) return;
    if (seconds > x->lift.seconds) {
        x->lift.seconds = seconds;
        x->lift.bytes = n;
    }
    if (seconds / time > x->lift.fraction) x->lift.fraction = seconds / time;
}

/* A piece of the fit. It may begin below the curve: then the curve stays flat until the piece crosses it. */
static void netmodel_fit__rising_piece(netmodel_fit__rising *x, double low, double begins, double high, double ends)
{
    const double before = x->count > 0 ? x->seconds[x->count - 1] : begins;
    if (x->count == 0 || begins - before > 1e-12 * begins) {
        netmodel_fit__rising_add(x, low, begins);
    } else if (before - begins > 1e-12 * begins) { /* otherwise they meet */
        const double part = ends > before ? (before - begins) / (ends - begins) : 1;
        const double crossing = low + netmodel_fit__times(part, high - low);
        netmodel_fit__rising_lift(x, low, begins);
        if (crossing > low && crossing < high) netmodel_fit__rising_add(x, crossing, before);
    }
    netmodel_fit__rising_lift(x, high, ends);
    netmodel_fit__rising_add(x, high, ends > x->seconds[x->count - 1] ? ends : x->seconds[x->count - 1]);
}

NETMODEL_API netmodel_result netmodel_curve_of_pieces(const netmodel_pieces *fit, double bytes[], double seconds[],
                                                      netmodel_curve *curve, netmodel_lift *lift)
{
    netmodel_fit__rising x;
    memset(&x, 0, sizeof x);
    x.bytes = bytes;
    x.seconds = seconds;
    if (!curve) return NETMODEL_MISSING;
    memset(curve, 0, sizeof *curve);
    if (lift) memset(lift, 0, sizeof *lift);
    if (!fit || !bytes || !seconds) return NETMODEL_MISSING;
    for (size_t k = 0; k < fit->count; ++k) {
        const netmodel_piece *own = &fit->piece[k];
        const double high = k + 1 == fit->count ? own->high : own[1].low; /* a line goes on to the next one */
        const double begins = netmodel_line_time(&own->line, own->low), ends = netmodel_line_time(&own->line, high);
        if (!(begins >= 0 && ends >= 0)) return NETMODEL_NEGATIVE;
        netmodel_fit__rising_piece(&x, own->low, begins, high, ends);
    }
    if (lift) *lift = x.lift;
    return netmodel_curve_init(bytes, seconds, x.count, curve, NULL);
}

/*=============================================================================
 * MARK: - >>measured (body)
 *===========================================================================*/
/* The time of the line through sizes i and k at n. */
static double netmodel_fit__chord(const netmodel_points *p, size_t i, size_t k, double n)
{
    const double part = (n - p->n[i]) / (p->n[k] - p->n[i]);
    return p->t[i] + netmodel_fit__times(part, p->t[k] - p->t[i]);
}

/* log2 of the jump between sizes i and i + 1; 0: none. */
static double netmodel_fit__jump_after(const netmodel_points *p, size_t i, double usual)
{
    if (i < 1 || i + 2 >= p->count) return 0;
    const double after = netmodel_fit__chord(p, i - 1, i, p->n[i + 1]),
                 before = netmodel_fit__chord(p, i + 1, i + 2, p->n[i]);
    if (!(after > 0 && before > 0)) return 0;
    const double left = netmodel_fit__log2(p->t[i + 1] / after), right = netmodel_fit__log2(before / p->t[i]);
    const double least = fmin(fabs(left), fabs(right));
    if ((left > 0) != (right > 0) || !(least > 0.1375) || !(least > 3 * usual)) return 0; /* log2(1.1) */
    return left > 0 ? least : -least;
}

/* Keeps a jump, if it is among the largest, in order. One size far off is no jump there and back. */
static void netmodel_fit__jump_keep(netmodel_measured *m, netmodel_jump jump)
{
    const netmodel_jump *before = m->jumps > 0 ? &m->jump[m->jumps - 1] : NULL;
    if (before && before->high >= jump.low && (before->factor > 1) != (jump.factor > 1)) {
        --m->jumps;
        return;
    }
    if (m->jumps == NETMODEL_JUMPS_MAX) {
        size_t least = 0;
        for (size_t k = 1; k < m->jumps; ++k)
            if (fabs(netmodel_fit__log2(m->jump[k].factor)) < fabs(netmodel_fit__log2(m->jump[least].factor)))
                least = k;
        if (!(fabs(netmodel_fit__log2(jump.factor)) > fabs(netmodel_fit__log2(m->jump[least].factor)))) return;
        for (size_t k = least; k + 1 < m->jumps; ++k) m->jump[k] = m->jump[k + 1];
        --m->jumps;
    }
    m->jump[m->jumps++] = jump;
}

/* Finds where the lines on both sides of gap i meet in it, and how far below the straight line. False: nowhere. */
static bool netmodel_fit__bend(const netmodel_points *p, size_t i, double *n, double *t)
{
    if (i < 1 || i + 2 >= p->count || !(p->n[i] > 0 && p->n[i + 1] >= 3 * p->n[i] && p->t[i + 1] >= 2 * p->t[i]))
        return false;
    const double before = (p->t[i] - p->t[i - 1]) / (p->n[i] - p->n[i - 1]),
                 after = (p->t[i + 2] - p->t[i + 1]) / (p->n[i + 2] - p->n[i + 1]);
    if (!(after > before)) return false;
    const double lift = p->t[i] - p->t[i + 1] + netmodel_fit__times(after, p->n[i + 1] - p->n[i]);
    *n = p->n[i] + lift / (after - before);
    if (!(*n > p->n[i] && *n < p->n[i + 1])) return false;
    const double corner = netmodel_fit__chord(p, i - 1, i, *n), straight = netmodel_fit__chord(p, i, i + 1, *n);
    if (!(corner > 0 && corner < straight)) return false;
    *t = sqrt(netmodel_fit__times(corner, straight));
    return true;
}

/* Puts the bends between the sizes, whose number is returned with them. A bend is as far off as its neighbours. */
static size_t netmodel_fit__bends(const netmodel_points *sizes, double n[], double t[], double miss[])
{
    struct {
        double n, t;
        size_t after;
    } bend[NETMODEL_BENDS_MAX];
    size_t bends = 0;
    for (size_t i = 1; i + 2 < sizes->count && bends < NETMODEL_BENDS_MAX; ++i) {
        bend[bends].after = i;
        bends += netmodel_fit__bend(sizes, i, &bend[bends].n, &bend[bends].t);
    }
    const size_t all = sizes->count + bends;
    for (size_t i = sizes->count; bends > 0 && i-- > 0;) {
        n[i + bends] = n[i];
        t[i + bends] = t[i];
        miss[i + bends] = miss[i];
        if (bend[bends - 1].after + 1 != i) continue;
        --bends;
        n[i + bends] = bend[bends].n;
        t[i + bends] = bend[bends].t;
        miss[i + bends] = fmax(fabs(miss[i - 1]), fabs(miss[i]));
    }
    return all;
}

NETMODEL_API netmodel_result netmodel_measured_fit(const netmodel_points *points, double n[], double t[], double miss[],
                                                   netmodel_measured *measured, size_t *where)
{
    double squares = 0;
    if (!measured) return NETMODEL_MISSING;
    memset(measured, 0, sizeof *measured);
    if (!points || !n || !t || !miss) return NETMODEL_MISSING;
    netmodel_points relative = *points;
    if (relative.error == NETMODEL_ERROR_ABSOLUTE) relative.error = NETMODEL_ERROR_RELATIVE; /* times must be > 0 */
    netmodel_result result = netmodel_fit__fit_check(&relative, 3, true, where);
    if (result != NETMODEL_OK) return result;
    const netmodel_points sizes = netmodel_fit__medians(&relative, n, t);
    const size_t count = sizes.count;
    if (count < 3) return NETMODEL_TOO_FEW;

    for (size_t i = 0, k = 0; i < points->count; ++i) {
        while (n[k] < points->n[i]) ++k;
        miss[i] = fabs(points->t[i] / t[k] - 1);
    }
    if (points->count > count) /* by their median, that a few far off do not widen all intervals */
        measured->scatter = netmodel_fit__times(netmodel_fit__select(miss, points->count, points->count / 2) / 0.6745,
                                                sqrt((double)points->count / (double)(points->count - count)));
    for (size_t i = 1; i + 1 < count; ++i)
        miss[i - 1] = fabs(netmodel_fit__log2(netmodel_fit__chord(&sizes, i - 1, i + 1, n[i]) / t[i]));
    const double middle = netmodel_fit__select(miss, count - 2, (count - 2) / 2), most = 3 * middle / 0.6745;
    squares = 0;
    miss[0] = miss[count - 1] = 0;
    for (size_t i = 1; i + 1 < count; ++i) {
        miss[i] = netmodel_fit__log2(netmodel_fit__chord(&sizes, i - 1, i + 1, n[i]) / t[i]);
        const double own = fmin(fabs(miss[i]), most);
        squares += netmodel_fit__times(own, own);
    }
    measured->deviation = sqrt(squares / (double)(count - 2));
    for (size_t i = 1; i + 2 < count; ++i) {
        const double jump = netmodel_fit__jump_after(&sizes, i, middle / 0.6745);
        const netmodel_jump found = { n[i], n[i + 1], netmodel_fit__exp2(jump) };
        if (jump > 0 || jump < 0) netmodel_fit__jump_keep(measured, found);
    }
    measured->miss = miss;
    measured->points = points->count;
    return netmodel_curve_init_any(n, t, netmodel_fit__bends(&sizes, n, t, miss), &measured->curve, where);
}

/* The square of the usual error around a size: that of its neighbours. */
static double netmodel_fit__missed(const netmodel_measured *m, double n)
{
    const double *size = m->curve.bytes;
    size_t low = 0, high = m->curve.count - 1, counted = 0;
    double squares = 0;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (size[middle] <= n)
            low = middle;
        else
            high = middle;
    }
    for (size_t i = low > 0 ? low - 1 : 0; i <= high + 1 && i < m->curve.count; ++i) {
        if (i == 0 || i + 1 == m->curve.count) continue;
        squares += netmodel_fit__times(m->miss[i], m->miss[i]);
        ++counted;
    }
    return squares / (double)counted; /* three sizes or more: there is a neighbour */
}

NETMODEL_API netmodel_prediction netmodel_measured_predict(const netmodel_measured *measured, double n, double level)
{
    netmodel_prediction p = { NETMODEL_FIT__NAN, NETMODEL_FIT__NAN, NETMODEL_FIT__NAN,
                              NETMODEL_FIT__NAN, NETMODEL_FIT__NAN, true };
    const double t = netmodel_student(level, 3);
    if (!measured || measured->curve.count < 3 || !netmodel_fit__amount(n) || netmodel_fit__is_nan(t)) return p;
    const double first = measured->curve.bytes[0], last = measured->curve.bytes[measured->curve.count - 1];
    p.time = netmodel_curve_time(&measured->curve, n);
    p.outside = !(n >= first && n <= last);
    const double beyond = n > last    ? netmodel_fit__log2(n / last)
                          : n < first ? netmodel_fit__log2((first + 1) / (n + 1)) /* 0 bytes are not infinitely far */
                                      : 0;
    const double usual = netmodel_fit__times(0.3, measured->deviation), away = netmodel_fit__times(0.15, beyond),
                 scatter = measured->scatter / NETMODEL_FIT__LN2;
    double jump = 0;
    for (size_t k = 0; k < measured->jumps; ++k)
        if (n > measured->jump[k].low && n < measured->jump[k].high)
            jump = netmodel_fit__times(0.4, netmodel_fit__log2(measured->jump[k].factor));
    const double mean = 0.007 * 0.007 + netmodel_fit__times(usual, usual) +
                        netmodel_fit__times(0.36, netmodel_fit__missed(measured, n)) + netmodel_fit__times(away, away) +
                        netmodel_fit__times(jump, jump);
    const double model = netmodel_fit__exp2(netmodel_fit__times(t, sqrt(mean))),
                 next = netmodel_fit__exp2(netmodel_fit__times(t, sqrt(mean + netmodel_fit__times(scatter, scatter))));
    p.mean_low = p.time / model;
    p.mean_high = netmodel_fit__times(p.time, model);
    p.low = p.time / next;
    p.high = netmodel_fit__times(p.time, next);
    return p;
}

/*=============================================================================
 * MARK: - >>runs (private)
 *===========================================================================*/
/* Times of runs, `a + d x + b work`, where x is log2(np), and the (co)variances of a, d, b in squares of a run's
 * relative deviation: 11, 12, 13, 22, 23, 33. */
typedef struct netmodel_fit__runs_fit {
    double a, d, b, variance[6];
    double squares;    /* of the relative errors */
    size_t parameters; /* that were fitted */
} netmodel_fit__runs_fit;

static double netmodel_fit__runs_time(const netmodel_fit__runs_fit *fit, const netmodel_run *run)
{
    return fit->a + netmodel_fit__times(fit->d, netmodel_fit__log2((double)run->processes)) +
           netmodel_fit__times(fit->b, run->work);
}

/* The error of a run is relative to the time by a first, unweighted fit, and not to that of the run itself: then a run
 * that came out short would weigh more than one that came out long. */
static double netmodel_fit__runs_scale(const netmodel_fit__runs_fit *fit, const netmodel_run *run)
{
    const double time = netmodel_fit__runs_time(fit, run);
    return time > 0 ? time : run->seconds;
}

static double netmodel_fit__runs_weight(const netmodel_fit__runs_fit *before, const netmodel_run *run)
{
    const double scale = before ? netmodel_fit__runs_scale(before, run) : 1;
    return 1 / netmodel_fit__times(scale, scale);
}

/* Sums the squares of the relative errors of the runs on so many processes. */
static void netmodel_fit__runs_squares(netmodel_fit__runs_fit *fit, const netmodel_run run[], size_t count,
                                       size_t minimum, size_t maximum)
{
    fit->squares = 0;
    for (size_t i = 0; i < count; ++i) {
        if (run[i].processes < minimum || run[i].processes > maximum) continue;
        const double miss =
            (run[i].seconds - netmodel_fit__runs_time(fit, &run[i])) / netmodel_fit__runs_scale(fit, &run[i]);
        fit->squares += netmodel_fit__times(miss, miss);
    }
}

/* A line over work through the runs on one number of processes; false if their work does not differ. */
static bool netmodel_fit__runs_line(netmodel_fit__runs_fit *fit, const netmodel_run run[], size_t count,
                                    size_t processes)
{
    memset(fit, 0, sizeof *fit);
    for (int round = 0; round < 2; ++round) {
        netmodel_fit__sums s = { NETMODEL_FIT__ZERO };
        double low = HUGE_VAL, high = 0;
        for (size_t i = 0; i < count; ++i) {
            if (run[i].processes != processes) continue;
            netmodel_fit__join(&s, run[i].work, run[i].seconds,
                               netmodel_fit__runs_weight(round > 0 ? fit : NULL, &run[i]));
            if (run[i].work < low) low = run[i].work;
            if (run[i].work > high) high = run[i].work;
        }
        if (!(high > low && s.nn > 0)) return false;
        const netmodel_line line = netmodel_fit__line_of(&s);
        fit->a = line.intercept;
        fit->b = line.slope;
        fit->variance[0] = 1 / s.weight + netmodel_fit__times(s.n, s.n) / s.nn;
        fit->variance[2] = -s.n / s.nn;
        fit->variance[5] = 1 / s.nn;
    }
    netmodel_fit__runs_squares(fit, run, count, processes, processes);
    return true;
}

/* The smallest number of processes of the runs that is larger than this one, or 0. */
static size_t netmodel_fit__runs_next(const netmodel_run run[], size_t count, size_t processes)
{
    size_t next = 0;
    for (size_t i = 0; i < count; ++i)
        if (run[i].processes > processes && (next == 0 || run[i].processes < next)) next = run[i].processes;
    return next;
}

/* The paper's steps: a line over work for each number of processes, a line over log2(np) through their intercepts, and
 * the slope of the last of them. */
static bool netmodel_fit__runs_steps(netmodel_fit__runs_fit *fit, const netmodel_run run[], size_t count)
{
    double mean = 0, spread = 0, numbers = 0;
    memset(fit, 0, sizeof *fit);
    for (size_t np = 1; (np = netmodel_fit__runs_next(run, count, np)) > 0;) {
        const double off = netmodel_fit__log2((double)np) - mean;
        numbers += 1;
        mean += off / numbers;
        spread += netmodel_fit__times(off, netmodel_fit__log2((double)np) - mean);
    }
    if (!(numbers >= 2)) return false;
    for (size_t np = 1; (np = netmodel_fit__runs_next(run, count, np)) > 0;) {
        const double to_d = (netmodel_fit__log2((double)np) - mean) / spread,
                     to_a = 1 / numbers - netmodel_fit__times(mean, to_d);
        netmodel_fit__runs_fit own;

        if (!netmodel_fit__runs_line(&own, run, count, np)) return false;
        fit->a += netmodel_fit__times(to_a, own.a);
        fit->d += netmodel_fit__times(to_d, own.a);
        fit->b = own.b;
        fit->variance[0] += netmodel_fit__times(netmodel_fit__times(to_a, to_a), own.variance[0]);
        fit->variance[1] += netmodel_fit__times(netmodel_fit__times(to_a, to_d), own.variance[0]);
        fit->variance[2] = netmodel_fit__times(to_a, own.variance[2]);
        fit->variance[3] += netmodel_fit__times(netmodel_fit__times(to_d, to_d), own.variance[0]);
        fit->variance[4] = netmodel_fit__times(to_d, own.variance[2]);
        fit->variance[5] = own.variance[5];
        fit->squares += own.squares;
        fit->parameters += 2;
    }
    return true;
}

/* A run on more than one process, as the next fit sees it: log2(np), work and time, less their means. */
typedef struct netmodel_fit__runs_point {
    double x, y, t, weight;
} netmodel_fit__runs_point;

static netmodel_fit__runs_point netmodel_fit__runs_off(const netmodel_run *run, const netmodel_fit__runs_point *mean,
                                                       const netmodel_fit__runs_fit *before)
{
    netmodel_fit__runs_point off = { netmodel_fit__log2((double)run->processes) - mean->x, run->work - mean->y,
                                     run->seconds - mean->t, netmodel_fit__runs_weight(before, run) };
    return off;
}

/* One least squares fit to all runs on more than one process, weighted by the one before, if any. */
static bool netmodel_fit__runs_plane(netmodel_fit__runs_fit *fit, const netmodel_run run[], size_t count,
                                     const netmodel_fit__runs_fit *before)
{
    netmodel_fit__runs_point mean = { 0, 0, 0, 0 };
    double xx = 0, xy = 0, yy = 0, xt = 0, yt = 0, *v = fit->variance;
    for (size_t i = 0; i < count; ++i) {
        if (run[i].processes < 2) continue;
        const netmodel_fit__runs_point off = netmodel_fit__runs_off(&run[i], &mean, before);
        mean.weight += off.weight;
        mean.x += netmodel_fit__times(off.x, off.weight / mean.weight);
        mean.y += netmodel_fit__times(off.y, off.weight / mean.weight);
        mean.t += netmodel_fit__times(off.t, off.weight / mean.weight);
    }
    for (size_t i = 0; i < count; ++i) {
        if (run[i].processes < 2) continue;
        const netmodel_fit__runs_point off = netmodel_fit__runs_off(&run[i], &mean, before);
        const double wx = netmodel_fit__times(off.weight, off.x), wy = netmodel_fit__times(off.weight, off.y);
        xx += netmodel_fit__times(wx, off.x);
        xy += netmodel_fit__times(wx, off.y);
        yy += netmodel_fit__times(wy, off.y);
        xt += netmodel_fit__times(wx, off.t);
        yt += netmodel_fit__times(wy, off.t);
    }
    const double det = netmodel_fit__times(xx, yy) - netmodel_fit__times(xy, xy);
    if (!(det > 1e-12 * netmodel_fit__times(xx, yy)))
        return false; /* x and work vary together: no telling them apart */

    fit->d = (netmodel_fit__times(xt, yy) - netmodel_fit__times(yt, xy)) / det;
    fit->b = (netmodel_fit__times(yt, xx) - netmodel_fit__times(xt, xy)) / det;
    fit->a = mean.t - netmodel_fit__times(fit->d, mean.x) - netmodel_fit__times(fit->b, mean.y);
    v[3] = yy / det;
    v[4] = -xy / det;
    v[5] = xx / det;
    v[1] = -netmodel_fit__times(mean.x, v[3]) - netmodel_fit__times(mean.y, v[4]);
    v[2] = -netmodel_fit__times(mean.x, v[4]) - netmodel_fit__times(mean.y, v[5]);
    v[0] = 1 / mean.weight - netmodel_fit__times(mean.x, v[1]) - netmodel_fit__times(mean.y, v[2]);
    fit->parameters = 3;
    netmodel_fit__runs_squares(fit, run, count, 2, (size_t)-1);
    return true;
}

/*=============================================================================
 * MARK: - >>scaling (body)
 *===========================================================================*/
static netmodel_result netmodel_fit__runs_check(const netmodel_run run[], size_t count, size_t *where)
{
    for (size_t i = 0; i < count; ++i) {
        if (run[i].processes < 1 || !netmodel_fit__amount(run[i].work) || !netmodel_fit__amount(run[i].seconds) ||
            !(run[i].seconds > 0))
            return netmodel_fit__refuse(NETMODEL_BAD_RUN, i, where);
        if (!netmodel_fit__in_range(run[i].work) || !netmodel_fit__in_range(run[i].seconds))
            return netmodel_fit__refuse(NETMODEL_OUT_OF_RANGE, i, where);
    }
    return NETMODEL_OK;
}

/* Fits the times on more than one process; false if the runs are too few. */
static bool netmodel_fit__runs_many(netmodel_fit__runs_fit *many, const netmodel_run run[], size_t count,
                                    netmodel_scaling_method method)
{
    if (method == NETMODEL_SCALING_STEPS) return netmodel_fit__runs_steps(many, run, count);
    return netmodel_fit__runs_plane(many, run, count, NULL) && netmodel_fit__runs_plane(many, run, count, many);
}

/* The standard errors, from deviation and covariances. */
static void netmodel_fit__scaling_errors(netmodel_scaling *scaling)
{
    scaling->c_error = netmodel_fit__times(scaling->deviation, sqrt(scaling->one[0] + scaling->many[0]));
    scaling->d_error = netmodel_fit__times(scaling->deviation, sqrt(scaling->many[3]));
    scaling->g_error = netmodel_fit__times(scaling->deviation, sqrt(scaling->one[5] + scaling->many[5]));
}

/* What twice the processes add to the error of a forecast, as a part of the time: as for laws of times that fall. Of 36 runs of
 * multigrid and sort (tests/series/scaling.csv, two sizes) on 8 and 16 nodes, predicted from up to 4 and 8, 34 are in their
 * 95 % intervals then; without it, 15 are. */
static const double netmodel_fit__scaling_drift = 0.1;

/* There is a run on so many processes. */
static void netmodel_fit__scaling_reach(netmodel_scaling *scaling, size_t processes)
{
    if (processes < 2) return;
    if (scaling->fewest == 0 || processes < scaling->fewest) scaling->fewest = processes;
    if (processes > scaling->most) scaling->most = processes;
}

NETMODEL_API netmodel_result netmodel_scaling_fit(const netmodel_run run[], size_t count,
                                                  const netmodel_scaling_desc *desc, netmodel_scaling *scaling,
                                                  size_t *where)
{
    const netmodel_scaling_method method = desc ? desc->method : NETMODEL_SCALING_POOLED;
    const double error = desc ? desc->error : 0;
    netmodel_fit__runs_fit one, many;
    if (!scaling) return NETMODEL_MISSING;
    memset(scaling, 0, sizeof *scaling);
    if (count > 0 && !run) return NETMODEL_MISSING;
    if (method != NETMODEL_SCALING_STEPS && method != NETMODEL_SCALING_POOLED && method != NETMODEL_SCALING_EXACT)
        return NETMODEL_BAD_OPTION;
    if (!netmodel_fit__amount(error)) return NETMODEL_BAD_ERROR;
    netmodel_result result = netmodel_fit__runs_check(run, count, where);
    if (result != NETMODEL_OK) return result;
    if (!netmodel_fit__runs_line(&one, run, count, 1) || !netmodel_fit__runs_many(&many, run, count, method))
        return NETMODEL_TOO_FEW;

    scaling->start = one.a;
    scaling->per_work = one.b;
    scaling->c = many.a - one.a;
    scaling->d = many.d;
    scaling->g = many.b - one.b;
    const size_t parameters = 2 + many.parameters, freedom = count > parameters ? count - parameters : 0;
    scaling->degrees_of_freedom = error > 0 ? NETMODEL_DEVIATION_KNOWN : freedom;
    scaling->deviation = HUGE_VAL;
    if (error > 0)
        scaling->deviation = error;
    else if (freedom > 0)
        scaling->deviation = sqrt((one.squares + many.squares) / (double)freedom);
    memcpy(scaling->one, one.variance, sizeof scaling->one);
    memcpy(scaling->many, many.variance, sizeof scaling->many);
    netmodel_fit__scaling_errors(scaling);
    scaling->low = HUGE_VAL;
    for (size_t i = 0; i < count; ++i) {
        if (run[i].work < scaling->low) scaling->low = run[i].work;
        if (run[i].work > scaling->high) scaling->high = run[i].work;
        netmodel_fit__scaling_reach(scaling, run[i].processes);
    }
    if (method == NETMODEL_SCALING_POOLED) scaling->drift = netmodel_fit__scaling_drift;
    return NETMODEL_OK;
}

NETMODEL_API double netmodel_scaling_overhead(const netmodel_scaling *scaling, size_t processes, double work)
{
    if (processes < 1 || !netmodel_fit__amount(work)) return NETMODEL_FIT__NAN;
    if (processes == 1) return 0;
    return scaling->c + netmodel_fit__times(scaling->d, netmodel_fit__log2((double)processes)) +
           netmodel_fit__times(scaling->g, work);
}

NETMODEL_API double netmodel_scaling_time(const netmodel_scaling *scaling, size_t processes, double work)
{
    const double overhead = netmodel_scaling_overhead(scaling, processes, work);
    return scaling->start + netmodel_fit__times(scaling->per_work, work) + overhead;
}

/* The variance of the model at a run, in squares of the deviation. */
static double netmodel_fit__scaling_variance(const netmodel_scaling *scaling, size_t processes, double work)
{
    const double x = netmodel_fit__log2((double)processes), *v = processes > 1 ? scaling->many : scaling->one;
    const double variance =
        v[0] + netmodel_fit__times(x, netmodel_fit__times(2, v[1]) + netmodel_fit__times(x, v[3])) +
        netmodel_fit__times(work, netmodel_fit__times(2, v[2]) + netmodel_fit__times(netmodel_fit__times(2, x), v[4]) +
                                      netmodel_fit__times(work, v[5]));
    return variance > 0 ? variance : 0;
}

/* Half an interval, and half of another one that is independent. */
static double netmodel_fit__widened(double half, double other)
{
    return half < HUGE_VAL ? sqrt(netmodel_fit__times(half, half) + netmodel_fit__times(other, other)) : half;
}

NETMODEL_API netmodel_prediction netmodel_scaling_predict(const netmodel_scaling *scaling, size_t processes,
                                                          double work, double level)
{
    const double time = netmodel_scaling_time(scaling, processes, work);
    const bool few = processes > 1 && processes<scaling->fewest, many = processes> 1 && processes > scaling->most;
    netmodel_prediction p = netmodel_fit__predict(
        time, netmodel_fit__scaling_variance(scaling, processes, work), scaling->deviation, NETMODEL_ERROR_RELATIVE,
        scaling->degrees_of_freedom, level, few || many || !(work >= scaling->low && work <= scaling->high));
    if (!(few || many) || !(scaling->drift > 0) || netmodel_fit__is_nan(p.time)) return p;
    const double end = netmodel_fit__log2((double)(few ? scaling->fewest : scaling->most));
    const double beyond = fabs(netmodel_fit__log2((double)processes) - end);
    const double t = netmodel_fit__times(netmodel_student(level, 5), scaling->drift),
                 away = netmodel_fit__times(netmodel_fit__times(t, time),
                                            sqrt(beyond + netmodel_fit__times(beyond, beyond) / 3));
    const double mean = netmodel_fit__widened(p.mean_high - p.time, away),
                 next = netmodel_fit__widened(p.high - p.time, away);
    p.mean_low = time - mean;
    p.mean_high = time + mean;
    p.low = time - next;
    p.high = time + next;
    return p;
}

/* The larger; the first one if there is no other yet. */
static void netmodel_fit__raise(double *largest, double x, bool first)
{
    if (first || x > *largest) *largest = x;
}

NETMODEL_API netmodel_prediction netmodel_scaling_together(const netmodel_scaling_part part[], size_t count,
                                                           double level)
{
    const netmodel_prediction none = { NETMODEL_FIT__NAN, NETMODEL_FIT__NAN, NETMODEL_FIT__NAN,
                                       NETMODEL_FIT__NAN, NETMODEL_FIT__NAN, false };
    const double upper = count > 1 ? 1 - (1 - level) / (double)count : level;
    netmodel_prediction all = none;
    if (!part) return none;
    for (size_t i = 0; i < count; ++i) {
        const netmodel_scaling_part *x = &part[i];
        if (!x->scaling) return none;
        const netmodel_prediction own = netmodel_scaling_predict(x->scaling, x->processes, x->work, level);
        const netmodel_prediction high = netmodel_scaling_predict(x->scaling, x->processes, x->work, upper);
        if (netmodel_fit__is_nan(own.time) || netmodel_fit__is_nan(high.time)) return none;
        netmodel_fit__raise(&all.time, own.time, i == 0);
        netmodel_fit__raise(&all.mean_low, own.mean_low, i == 0);
        netmodel_fit__raise(&all.low, own.low, i == 0);
        netmodel_fit__raise(&all.mean_high, high.mean_high, i == 0);
        netmodel_fit__raise(&all.high, high.high, i == 0);
        all.outside = all.outside || own.outside;
    }
    return all;
}

/*=============================================================================
 * MARK: - >>forms (private)
 *
 * What a law is: its factors, and how its parameters and exponents are found from runs at different sizes.
 *===========================================================================*/
#ifndef NETMODEL_FIT__CONSTANT /* tests/bench/laws.c changes them, to choose them without a family and judge by that */
#define NETMODEL_FIT__CONSTANT static const
#endif

/* Constants of forecasts, from series of measurements; deviations are of log2. */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_floor = 0.07; /* error of a law that does not count against it */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_factor =
    2; /* the same, of exact runs: that of the best law times this */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_unknown =
    0.7; /* error of a law that goes through all runs because it must */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_power[] = {
    0.25, 0.3, 3
}; /* of weights: on three sizes, for each more, at most */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_prior[2][NETMODEL_LAWS] = {
    { 1, 0, 1, 0, 0, 0, 6, 0 }, /* times fall */
    { 1, 0, 2, 1, 0, 0, 0, 2 }
}; /* times grow */
NETMODEL_FIT__CONSTANT size_t netmodel_fit__laws_freedom = 5;
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_least = 0.03; /* deviation of any forecast */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_misfit =
    0.35; /* the part of the misfit that counts far beyond the runs */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_part = 0.2;    /* what the disagreement of the laws adds */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_rate = 0.14;   /* what is beyond the runs, near them */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_weak = 0.2;    /* what each doubling adds where times grow */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_exact = 0.002; /* laws that are closer to runs than this know more */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_usual =
    0.07 / 3;                                                   /* misfit of laws that is nothing unusual, by three */
NETMODEL_FIT__CONSTANT double netmodel_fit__laws_switch = 0.35; /* by how much these may come as a surprise */

/* A run in a fit: processes, their logarithm, work of each, time. */
typedef struct netmodel_fit__law_run {
    double p, log, work, seconds;
} netmodel_fit__law_run;

/* One more parameter must take this off a sum of squares of relative errors; where runs are more exact than 1 %, twice the
 * variance that the law leaves. */
static const double netmodel_fit__law_price = 2e-4;

/* Where no work is given, each process does its part of 1. */
static netmodel_fit__law_run netmodel_fit__law_at(const netmodel_laws *laws, size_t processes, double work)
{
    netmodel_fit__law_run at = { (double)processes, netmodel_fit__log2((double)processes), work, 0 };
    if (!(laws->high > 0)) at.work = 1 / at.p;
    return at;
}

static double netmodel_fit__overhead(netmodel_overhead kind, double p, double log)
{
    switch (kind) {
    case NETMODEL_OVERHEAD_LOG: return log;
    case NETMODEL_OVERHEAD_LINEAR: return p - 1;
    case NETMODEL_OVERHEAD_SHARE: return (p - 1) / p;
    case NETMODEL_OVERHEAD_PAIRS: return (p - 1) / p / p;
    case NETMODEL_OVERHEAD_SPREAD: return log / p;
    case NETMODEL_OVERHEAD_SIDE: return sqrt(p) - 1;
    default: return netmodel_fit__times(log, log);
    }
}

/* The factors that parameters are multiplied with before they are summed; of a product, in logarithms. */
static void netmodel_fit__law_factors(netmodel_law_kind kind, const netmodel_law *law, const netmodel_fit__law_run *at,
                                      double factor[NETMODEL_LAW_PARAMETERS])
{
    const double many = at->p > 1;
    memset(factor, 0, NETMODEL_LAW_PARAMETERS * sizeof *factor);
    factor[1] = 1;
    switch (kind) {
    case NETMODEL_LAW_PAPER:
        factor[0] = at->work;
        factor[2] = many;
        factor[3] = at->log;
        factor[4] = many > 0 ? at->work : 0;
        break;
    case NETMODEL_LAW_SUM:
        factor[0] = 1 / at->p;
        factor[2] = at->log;
        factor[3] = at->p - 1;
        break;
    case NETMODEL_LAW_AMDAHL: factor[0] = 1 / at->p; break;
    case NETMODEL_LAW_LATE:
        factor[0] = 1 / at->p;
        factor[2] = at->log;
        break;
    case NETMODEL_LAW_OVERHEAD:
        factor[0] = 1 / (at->p - law->x);
        factor[2] = many;
        factor[3] = netmodel_fit__overhead(law->overhead, at->p, at->log);
        break;
    case NETMODEL_LAW_PRODUCT:
        factor[0] = netmodel_fit__log2(at->work); /* > 0 where a product is fitted */
        factor[2] = at->log;
        break;
    default:
        factor[0] = netmodel_fit__exp2(netmodel_fit__times(law->x, at->log));
        for (double y = law->y; y > 0; y -= 1) factor[0] = netmodel_fit__times(factor[0], at->log);
    }
}

static double netmodel_fit__law_seconds(netmodel_law_kind kind, const netmodel_law *law,
                                        const netmodel_fit__law_run *at)
{
    double factor[NETMODEL_LAW_PARAMETERS], sum = 0;
    if (kind == NETMODEL_LAW_PRODUCT)
        return !(at->work > 0)
                   ? NETMODEL_FIT__NAN
                   : netmodel_fit__times(law->parameter[0],
                                         netmodel_fit__exp2(netmodel_fit__times(law->x, netmodel_fit__log2(at->work)) +
                                                            netmodel_fit__times(law->y, at->log)));
    netmodel_fit__law_factors(kind, law, at, factor);
    for (int i = 0; i < NETMODEL_LAW_PARAMETERS; ++i)
        if (law->parameter[i] > 0) sum += netmodel_fit__times(law->parameter[i], factor[i]);
    return sum;
}

/* Least squares for a subset of the parameters: normal equations, of columns of length 1. False if columns depend on each
 * other, or a parameter becomes negative and must not. */
static bool netmodel_fit__law_solve(double m[NETMODEL_LAW_PARAMETERS][NETMODEL_LAW_PARAMETERS],
                                    const double v[NETMODEL_LAW_PARAMETERS], unsigned subset, bool any_sign,
                                    double x[NETMODEL_LAW_PARAMETERS])
{
    double a[NETMODEL_LAW_PARAMETERS][NETMODEL_LAW_PARAMETERS + 1];
    size_t at[NETMODEL_LAW_PARAMETERS] = { NETMODEL_FIT__ZERO }, n = 0;

    for (size_t i = 0; i < NETMODEL_LAW_PARAMETERS; ++i) {
        x[i] = 0;
        if (subset >> i & 1) at[n++] = i;
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n; ++k) a[i][k] = m[at[i]][at[k]];
        a[i][n] = v[at[i]];
    }
    for (size_t i = 0; i < n; ++i) {
        if (!(a[i][i] > 1e-9)) return false;
        for (size_t r = i + 1; r < n; ++r) {
            const double part = a[r][i] / a[i][i];
            for (size_t k = i; k <= n; ++k) a[r][k] -= netmodel_fit__times(part, a[i][k]);
        }
    }
    for (size_t i = n; i-- > 0;) {
        double sum = a[i][n];
        for (size_t k = i + 1; k < n; ++k) sum -= netmodel_fit__times(a[i][k], x[at[k]]);
        x[at[i]] = sum / a[i][i];
        if (!any_sign && !(x[at[i]] >= 0)) return false;
    }
    return true;
}

/* Runs in a fit: `count` of them, at different sizes. */
typedef struct netmodel_fit__law_runs {
    const netmodel_laws *laws;
    const netmodel_run *run;
    size_t count;
} netmodel_fit__law_runs;

static netmodel_fit__law_run netmodel_fit__law_run_at(const netmodel_fit__law_runs *runs, size_t i)
{
    netmodel_fit__law_run at = netmodel_fit__law_at(runs->laws, runs->run[i].processes, runs->run[i].work);
    at.seconds = runs->run[i].seconds;
    return at;
}

/* The weight of a square of runs of one process; that of p processes is by sqrt p larger for Amdahl's law, else the same. The mean
 * weight is 1. */
static double netmodel_fit__law_one(netmodel_law_kind kind, const netmodel_fit__law_runs *runs)
{
    double sum = 0;
    if (kind != NETMODEL_LAW_AMDAHL) return 1;
    for (size_t i = 0; i < runs->count; ++i) sum += sqrt((double)runs->run[i].processes);
    return (double)runs->count / sum;
}

static double netmodel_fit__law_share(netmodel_law_kind kind, double one, double p)
{
    return kind == NETMODEL_LAW_AMDAHL ? netmodel_fit__times(one, sqrt(p)) : one;
}

/* Sum of squares of the relative errors of a law, weighted. */
static double netmodel_fit__law_squares(netmodel_law_kind kind, const netmodel_law *law,
                                        const netmodel_fit__law_runs *runs)
{
    const double one = netmodel_fit__law_one(kind, runs);
    double sum = 0;
    for (size_t i = 0; i < runs->count; ++i) {
        const netmodel_fit__law_run at = netmodel_fit__law_run_at(runs, i);
        const double miss = netmodel_fit__law_seconds(kind, law, &at) / at.seconds - 1;
        sum += netmodel_fit__times(netmodel_fit__law_share(kind, one, at.p), netmodel_fit__times(miss, miss));
    }
    return sum;
}

/* A law whose exponents are set, and what it costs: its squares and the price of its parameters. */
typedef struct netmodel_fit__law_try {
    netmodel_law law;
    double cost;
} netmodel_fit__law_try;

/* Fits the parameters of a law, its exponents being given; keeps it if it is better than what there is. */
static void netmodel_fit__law_linear(netmodel_law_kind kind, const netmodel_law *law,
                                     const netmodel_fit__law_runs *runs, netmodel_fit__law_try *best)
{
    double m[NETMODEL_LAW_PARAMETERS][NETMODEL_LAW_PARAMETERS], v[NETMODEL_LAW_PARAMETERS],
        length[NETMODEL_LAW_PARAMETERS], x[NETMODEL_LAW_PARAMETERS];
    const bool product = kind == NETMODEL_LAW_PRODUCT;
    const double one = netmodel_fit__law_one(kind, runs);

    memset(m, 0, sizeof m);
    memset(v, 0, sizeof v);
    for (size_t i = 0; i < runs->count; ++i) {
        const netmodel_fit__law_run at = netmodel_fit__law_run_at(runs, i);
        double factor[NETMODEL_LAW_PARAMETERS];
        netmodel_fit__law_factors(kind, law, &at, factor);
        const double share = netmodel_fit__law_share(kind, one, at.p);
        for (size_t r = 0; r < NETMODEL_LAW_PARAMETERS; ++r) {
            const double own = netmodel_fit__times(share, product ? factor[r] : factor[r] / at.seconds);
            v[r] += product ? netmodel_fit__times(own, netmodel_fit__log2(at.seconds)) : own;
            for (size_t k = 0; k < NETMODEL_LAW_PARAMETERS; ++k)
                m[r][k] += netmodel_fit__times(own, product ? factor[k] : factor[k] / at.seconds);
        }
    }
    for (size_t r = 0; r < NETMODEL_LAW_PARAMETERS; ++r) length[r] = m[r][r] > 0 ? sqrt(m[r][r]) : 1;
    for (size_t r = 0; r < NETMODEL_LAW_PARAMETERS; ++r) {
        v[r] /= length[r];
        for (size_t k = 0; k < NETMODEL_LAW_PARAMETERS; ++k) m[r][k] /= netmodel_fit__times(length[r], length[k]);
    }
    double price = netmodel_fit__law_price;
    for (int round = 0; round < 2; ++round) /* the first only finds the price */
        for (unsigned subset = 1; subset < 1u << NETMODEL_LAW_PARAMETERS; ++subset) {
            netmodel_fit__law_try next = { *law, 0 };
            size_t parameters = 0;
            for (unsigned left = subset; left > 0; left &= left - 1) ++parameters;
            if (product && !(subset & 2)) continue; /* the constant */
            if (parameters + (round == 0 ? 2 : 0) > runs->count || !netmodel_fit__law_solve(m, v, subset, product, x))
                continue;
            if (product) {
                next.law.x = x[0] / length[0];
                next.law.y = x[2] / length[2];
                next.law.parameter[0] = netmodel_fit__exp2(x[1] / length[1]);
            } else {
                for (size_t r = 0; r < NETMODEL_LAW_PARAMETERS; ++r) next.law.parameter[r] = x[r] / length[r];
            }
            next.cost = netmodel_fit__law_squares(kind, &next.law, runs);
            const double variance = next.cost / (parameters < runs->count ? (double)(runs->count - parameters) : 1);
            if (round == 0) {
                price = fmin(price, 2 * variance);
                continue;
            }
            next.law.misfit = sqrt(variance);
            if (kind == NETMODEL_LAW_TERM || kind == NETMODEL_LAW_POWER) ++parameters; /* the exponent */
            next.law.free = runs->count > parameters ? runs->count - parameters : 0;
            next.cost += netmodel_fit__times(price, (double)parameters);
            next.law.fits = true;
            if (next.cost < best->cost) *best = next;
        }
}

/* The best exponent of a power: steps of a twentieth, and halves of that around the best. */
static void netmodel_fit__law_power(const netmodel_fit__law_runs *runs, netmodel_fit__law_try *best)
{
    netmodel_law law;
    memset(&law, 0, sizeof law);
    for (int i = -30; i <= 50; ++i) {
        law.x = i / 20.0;
        if (i != 0) netmodel_fit__law_linear(NETMODEL_LAW_POWER, &law, runs, best);
    }
    for (double step = 1 / 40.0; step > 1e-4; step /= 2) {
        const double middle = best->law.x;
        law.x = middle - step;
        netmodel_fit__law_linear(NETMODEL_LAW_POWER, &law, runs, best);
        law.x = middle + step;
        netmodel_fit__law_linear(NETMODEL_LAW_POWER, &law, runs, best);
    }
}

/* The number of runs on the smallest number of processes, if two other numbers remain; else 0. */
static size_t netmodel_fit__law_early(const netmodel_fit__law_runs *runs)
{
    size_t first = 1;
    while (first < runs->count && runs->run[first].processes == runs->run[0].processes) ++first;
    return first < runs->count && runs->run[first].processes < runs->run[runs->count - 1].processes ? first : 0;
}

/* Fits a law; zeroed if that cannot be. */
static void netmodel_fit__law_fit(netmodel_law_kind kind, const netmodel_fit__law_runs *runs, netmodel_law *law)
{
    static const double powers[] = { -1,      -0.75, -2 / 3.0, -0.5, -1 / 3.0, -0.25, 0,       0.25, 1 / 3.0, 0.5,
                                     2 / 3.0, 0.75,  1,        1.25, 4 / 3.0,  1.5,   5 / 3.0, 1.75, 2 };
    netmodel_fit__law_try best;
    netmodel_law own;

    memset(&own, 0, sizeof own);
    memset(&best, 0, sizeof best);
    best.cost = HUGE_VAL;
    if (kind == NETMODEL_LAW_LATE) {
        const size_t early = netmodel_fit__law_early(runs);
        const netmodel_fit__law_runs late = { runs->laws, runs->run + early, runs->count - early };
        netmodel_fit__law_linear(kind, &own, &late, &best);
    } else if (kind == NETMODEL_LAW_POWER) {
        netmodel_fit__law_power(runs, &best);
    } else if (kind == NETMODEL_LAW_TERM) {
        for (size_t i = 0; i < sizeof powers / sizeof *powers; ++i)
            for (int y = powers[i] < 0 || powers[i] > 0 ? 0 : 1; y <= 2; ++y) {
                own.x = powers[i];
                own.y = y;
                netmodel_fit__law_linear(kind, &own, runs, &best);
            }
    } else if (kind == NETMODEL_LAW_OVERHEAD) {
        for (int i = 0; i < 2 * NETMODEL_OVERHEADS; ++i) {
            own.x = i >= NETMODEL_OVERHEADS;
            own.overhead = (netmodel_overhead)(i % NETMODEL_OVERHEADS);
            if (own.x > 0 && runs->run[0].processes == 1) break;
            netmodel_fit__law_linear(kind, &own, runs, &best);
        }
    } else {
        netmodel_fit__law_linear(kind, &own, runs, &best);
    }
    *law = best.law;
}

/*=============================================================================
 * MARK: - >>blend (private)
 *
 * What several laws say together: the weight of each, from its errors, and the mean.
 *===========================================================================*/
/* The order of runs: by processes, work and time. */
static bool netmodel_fit__run_before(const netmodel_run *a, const netmodel_run *b)
{
    if (a->processes != b->processes) return a->processes < b->processes;
    if (a->work < b->work || a->work > b->work) return a->work < b->work;
    return a->seconds < b->seconds;
}

static void netmodel_fit__run_swap(netmodel_run *a, netmodel_run *b)
{
    const netmodel_run other = *a;
    *a = *b;
    *b = other;
}

static void netmodel_fit__run_sift(netmodel_run run[], size_t at, size_t count)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) return;
        if (child + 1 < count && netmodel_fit__run_before(&run[child], &run[child + 1])) ++child;
        if (!netmodel_fit__run_before(&run[at], &run[child])) return;
        netmodel_fit__run_swap(&run[at], &run[child]);
        at = child;
    }
}

/* Sorts runs in place and always in the same way: a heap. */
static void netmodel_fit__runs_sort(netmodel_run run[], size_t count)
{
    for (size_t i = count / 2; i-- > 0;) netmodel_fit__run_sift(run, i, count);
    for (size_t i = count; i-- > 1;) {
        netmodel_fit__run_swap(&run[0], &run[i]);
        netmodel_fit__run_sift(run, 0, i);
    }
}

/* Puts the median of each size in front, and says how many sizes there are. */
static size_t netmodel_fit__run_medians(netmodel_run run[], size_t count, double *scatter)
{
    double squares = 0;
    size_t sizes = 0, repeated = 0;

    netmodel_fit__runs_sort(run, count);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1;
             next < count && run[next].processes == run[first].processes && !(run[next].work > run[first].work);
             ++next) {
        }
        const size_t n = next - first;
        netmodel_run middle = run[first + n / 2];
        if (n % 2 == 0) middle.seconds = (middle.seconds + run[first + n / 2 - 1].seconds) / 2;
        for (size_t i = first; i < next; ++i) {
            const double off = run[i].seconds / middle.seconds - 1;
            squares += netmodel_fit__times(off, off);
        }
        repeated += n - 1;
        run[sizes++] = middle;
    }
    *scatter = repeated > 0 ? sqrt(squares / (double)repeated) : 0;
    return sizes;
}

static bool netmodel_fit__alike(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* Looks for what the runs have in common: all processes together, or each of them, always have the same work. Returns how
 * many numbers of processes there are. */
static size_t netmodel_fit__laws_range(netmodel_laws *laws, const netmodel_run run[])
{
    size_t numbers = 0;
    laws->fewest = run[0].processes;
    laws->most = run[laws->sizes - 1].processes;
    laws->low = HUGE_VAL;
    laws->total = netmodel_fit__times((double)run[0].processes, run[0].work);
    for (size_t i = 0; i < laws->sizes; ++i) {
        const double total = netmodel_fit__times((double)run[i].processes, run[i].work);
        if (run[i].work < laws->low) laws->low = run[i].work;
        if (run[i].work > laws->high) laws->high = run[i].work;
        if (!netmodel_fit__alike(total, laws->total)) laws->total = NETMODEL_FIT__NAN;
        if (i == 0 || run[i].processes > run[i - 1].processes) ++numbers;
    }
    return numbers;
}

/* Says if laws that know only the number of processes hold for such a run. */
static bool netmodel_fit__laws_alone(const netmodel_laws *laws, size_t processes, double work)
{
    return netmodel_fit__alike(laws->high, laws->low)
               ? netmodel_fit__alike(work, laws->low)
               : netmodel_fit__alike(netmodel_fit__times((double)processes, work), laws->total);
}

static bool netmodel_fit__laws_usable(const netmodel_laws *laws, netmodel_law_kind kind, bool alone)
{
    return laws->law[kind].fits && (alone || kind == NETMODEL_LAW_PAPER || kind == NETMODEL_LAW_PRODUCT);
}

/* The square of the error of a law, in log2: at the runs that were held back, and at those that it was fitted to. */
static double netmodel_fit__law_error(const netmodel_law *law)
{
    const double back = fmin(law->held_back, 4.0), misfit = 2 * law->misfit / NETMODEL_FIT__LN2;
    const double unknown = law->free > 0 ? 0 : netmodel_fit__laws_unknown;
    return netmodel_fit__times(back, back) + netmodel_fit__times(misfit, misfit) +
           netmodel_fit__times(unknown, unknown);
}

/* The weights of the laws in the blend. A small error says nothing: runs have errors of their own. By how much they have is
 * what the best law leaves, or what is stated, or the scatter. Where times grow,
 * the law of the paper, which knows of little growth, enters between twice and four times the processes. Returns the error of the
 * best law. */
static double netmodel_fit__laws_blend(const netmodel_laws *laws, bool alone, double beyond,
                                       double weight[NETMODEL_LAWS])
{
    const double most = netmodel_fit__laws_power[2], known = fmax(laws->error, laws->scatter) / NETMODEL_FIT__LN2,
                 more = netmodel_fit__times(netmodel_fit__laws_power[1], (double)laws->sizes - 3),
                 power = fmin(netmodel_fit__laws_power[0] + more, most);
    double error[NETMODEL_LAWS], best = HUGE_VAL, floor = netmodel_fit__laws_floor;

    for (int i = 0; i < NETMODEL_LAWS; ++i) {
        const netmodel_law_kind kind = (netmodel_law_kind)i;
        weight[i] = !netmodel_fit__laws_usable(laws, kind, alone) ? 0
                    : alone ? netmodel_fit__laws_prior[laws->kind == NETMODEL_KIND_WEAK][i]
                            : 1;
        if (alone && kind == NETMODEL_LAW_PAPER && laws->kind == NETMODEL_KIND_WEAK)
            weight[i] *= fmax(0.0, fmin(1.0, beyond - 1));
        error[i] = netmodel_fit__law_error(&laws->law[i]);
        if (weight[i] > 0 && error[i] < best) best = error[i];
    }
    if (laws->sizes > 3) floor = fmin(floor, fmax(netmodel_fit__times(netmodel_fit__laws_factor, sqrt(best)), known));
    floor = netmodel_fit__times(floor, floor) + 1e-24; /* rounding */
    for (int i = 0; i < NETMODEL_LAWS; ++i)
        if (weight[i] > 0)
            weight[i] *= netmodel_fit__exp2(
                -netmodel_fit__times(power, netmodel_fit__log2((error[i] + floor) / (best + floor))));
    return sqrt(best);
}

/* The weights of the laws in a forecast. */
static void netmodel_fit__laws_weights(const netmodel_laws *laws, bool alone, double beyond, netmodel_law_choice choice,
                                       double weight[NETMODEL_LAWS])
{
    netmodel_fit__laws_blend(laws, alone, beyond, weight);
    if (choice == NETMODEL_CHOOSE_BLEND || (choice == NETMODEL_CHOOSE_MEDIAN && !alone)) return;
    int best = NETMODEL_LAWS;
    for (int i = 0; i < NETMODEL_LAWS; ++i) {
        const bool usable = netmodel_fit__laws_usable(laws, (netmodel_law_kind)i, alone);
        if (usable && (best == NETMODEL_LAWS || laws->law[i].held_back < laws->law[best].held_back)) best = i;
        weight[i] = choice == NETMODEL_CHOOSE_MEDIAN && usable &&
                    (i == NETMODEL_LAW_SUM || i == NETMODEL_LAW_TERM || i == NETMODEL_LAW_POWER);
    }
    if (choice == NETMODEL_CHOOSE_HELD_BACK && best < NETMODEL_LAWS) weight[best] = 1;
}

/* The number of doublings by which so many processes lie outside the runs. */
static double netmodel_fit__laws_beyond(const netmodel_laws *laws, size_t processes)
{
    if (processes > laws->most) return netmodel_fit__log2((double)processes) - netmodel_fit__log2((double)laws->most);
    if (processes < laws->fewest)
        return netmodel_fit__log2((double)laws->fewest) - netmodel_fit__log2((double)processes);
    return 0;
}

/* A forecast in log2 of seconds, and the standard deviation of the blended laws about it; NaN if there is none. */
static double netmodel_fit__laws_log(const netmodel_laws *laws, size_t processes, double work, double *spread)
{
    const bool alone = netmodel_fit__laws_alone(laws, processes, work);
    const netmodel_fit__law_run at = netmodel_fit__law_at(laws, processes, work);
    double time[NETMODEL_LAWS], chosen[NETMODEL_LAWS], weight[NETMODEL_LAWS], weights = 0, sum = 0, squares = 0;
    size_t count = 0;

    const double beyond = netmodel_fit__laws_beyond(laws, processes);
    netmodel_fit__laws_weights(laws, alone, beyond, laws->choice, weight);
    for (int i = 0; i < NETMODEL_LAWS; ++i) {
        const netmodel_law_kind kind = (netmodel_law_kind)i;
        const double seconds = laws->law[i].fits ? netmodel_fit__law_seconds(kind, &laws->law[i], &at) : 0;
        time[i] = seconds > 0 && seconds < HUGE_VAL ? netmodel_fit__log2(seconds) : NETMODEL_FIT__NAN;
        if (!(weight[i] > 0) || netmodel_fit__is_nan(time[i])) continue;
        chosen[count++] = time[i];
        weights += weight[i];
        sum += netmodel_fit__times(weight[i], time[i]);
    }
    double middle = sum / weights; /* NaN without a law */
    if (laws->choice == NETMODEL_CHOOSE_MEDIAN && alone && count == 3)
        middle = fmax(fmin(chosen[0], chosen[1]), fmin(fmax(chosen[0], chosen[1]), chosen[2]));
    netmodel_fit__laws_blend(laws, alone, beyond, weight);
    weights = 0;
    for (int i = 0; i < NETMODEL_LAWS; ++i) {
        if (!(weight[i] > 0) || netmodel_fit__is_nan(time[i])) continue;
        weights += weight[i];
        squares += netmodel_fit__times(weight[i], netmodel_fit__times(time[i] - middle, time[i] - middle));
    }
    *spread = sqrt(squares / weights);
    return middle;
}

/*=============================================================================
 * MARK: - >>laws (body)
 *===========================================================================*/
/* Fits the laws that can be, to the first so many sizes. */
static void netmodel_fit__laws_all(const netmodel_laws *laws, const netmodel_run run[], size_t count,
                                   netmodel_law law[NETMODEL_LAWS])
{
    const netmodel_fit__law_runs runs = { laws, run, count };
    const bool alone = netmodel_fit__laws_alone(laws, run[0].processes, run[0].work);
    for (int i = 0; i < NETMODEL_LAWS; ++i) {
        memset(&law[i], 0, sizeof law[i]);
        if (i == NETMODEL_LAW_PRODUCT && !(laws->low > 0) && laws->high > 0) continue; /* no logarithm */
        if (alone || i == NETMODEL_LAW_PAPER || i == NETMODEL_LAW_PRODUCT)
            netmodel_fit__law_fit((netmodel_law_kind)i, &runs, &law[i]);
    }
}

/* Tries how well each law predicts the runs on the most processes from the others. */
static void netmodel_fit__laws_hold_back(netmodel_laws *laws, const netmodel_run run[])
{
    netmodel_law law[NETMODEL_LAWS];
    size_t count = laws->sizes;

    while (run[count - 1].processes == laws->most) --count;
    netmodel_fit__laws_all(laws, run, count, law);
    laws->held_back = HUGE_VAL;
    for (int i = 0; i < NETMODEL_LAWS; ++i) {
        double sum = 0;
        for (size_t k = count; k < laws->sizes && law[i].fits; ++k) {
            const netmodel_fit__law_run at = netmodel_fit__law_at(laws, run[k].processes, run[k].work);
            const double seconds = netmodel_fit__law_seconds((netmodel_law_kind)i, &law[i], &at);
            sum += seconds > 0 ? fabs(netmodel_fit__log2(seconds) - netmodel_fit__log2(run[k].seconds)) : HUGE_VAL;
        }
        laws->law[i].held_back = law[i].fits ? sum / (double)(laws->sizes - count) : HUGE_VAL;
        if (laws->law[i].held_back < laws->held_back) laws->held_back = laws->law[i].held_back;
    }
}

/* Finds by how much the laws are off at their sizes. */
static void netmodel_fit__laws_missed(netmodel_laws *laws, const netmodel_run run[])
{
    double squares = 0, spread;
    for (size_t i = 0; i < laws->sizes; ++i) {
        const double miss =
            netmodel_fit__laws_log(laws, run[i].processes, run[i].work, &spread) - netmodel_fit__log2(run[i].seconds);
        squares += netmodel_fit__times(miss, miss);
    }
    laws->misfit = sqrt(squares / (double)laws->sizes);
}

/* The runs on one node come first. Says how many numbers of processes these are on, and how many the others. */
static size_t netmodel_fit__laws_nodes(const netmodel_laws *laws, const netmodel_run run[], size_t numbers[2])
{
    size_t one = 0;
    numbers[0] = numbers[1] = 0;
    for (size_t i = 0; i < laws->sizes; ++i) {
        const bool several = laws->per_node > 0 && run[i].processes > laws->per_node;
        if (!several) one = i + 1;
        if (i == 0 || run[i].processes > run[i - 1].processes) ++numbers[several];
    }
    return one;
}

/* By how much runs on several nodes differ from laws of one. */
static void netmodel_fit__laws_jump(netmodel_laws *laws, const netmodel_run run[], size_t count)
{
    double more = 0, logs = 0, spread;
    for (size_t i = 0; i < count; ++i) {
        const double log = netmodel_fit__laws_log(laws, run[i].processes, run[i].work, &spread);
        more += run[i].seconds - netmodel_fit__exp2(log);
        logs += netmodel_fit__log2(run[i].seconds) - log;
    }
    if (laws->kind == NETMODEL_KIND_STRONG && more > 0)
        laws->jump = more / (double)count;
    else
        laws->factor = netmodel_fit__exp2(logs / (double)count);
    laws->most = run[count - 1].processes;
}

NETMODEL_API netmodel_result netmodel_laws_fit(const netmodel_run run[], size_t count, const netmodel_laws_desc *desc,
                                               netmodel_run scratch[], netmodel_laws *laws, size_t *where)
{
    const netmodel_law_choice choice = desc ? desc->choice : NETMODEL_CHOOSE_BLEND;
    const double error = desc ? desc->error : 0;
    const netmodel_kind kind = desc ? desc->kind : NETMODEL_KIND_FOUND;

    if (!laws) return NETMODEL_MISSING;
    memset(laws, 0, sizeof *laws);
    if (count > 0 && (!run || !scratch)) return NETMODEL_MISSING;
    if (choice != NETMODEL_CHOOSE_BLEND && choice != NETMODEL_CHOOSE_HELD_BACK && choice != NETMODEL_CHOOSE_MEDIAN)
        return NETMODEL_BAD_OPTION;
    if (kind != NETMODEL_KIND_FOUND && kind != NETMODEL_KIND_STRONG && kind != NETMODEL_KIND_WEAK)
        return NETMODEL_BAD_OPTION;
    if (!netmodel_fit__amount(error)) return NETMODEL_BAD_ERROR;
    const netmodel_result result = netmodel_fit__runs_check(run, count, where);
    if (result != NETMODEL_OK) return result;
    if (count < 3) return NETMODEL_TOO_FEW;
    memcpy(scratch, run, count * sizeof *run);
    laws->sizes = netmodel_fit__run_medians(scratch, count, &laws->scatter);
    laws->per_node = desc ? desc->per_node : 0;
    laws->factor = 1;
    size_t numbers[2], later = 0; /* later: runs on several nodes that the laws are not fitted to */
    const size_t one = netmodel_fit__laws_nodes(laws, scratch, numbers);
    laws->several = numbers[1] > 0;
    if (numbers[1] >= 3) {
        laws->sizes -= one;
        memmove(scratch, scratch + one, laws->sizes * sizeof *scratch);
    } else if (numbers[0] >= 3) {
        later = laws->sizes - one;
        laws->sizes = one;
    }
    if (netmodel_fit__laws_range(laws, scratch) < 3) {
        memset(laws, 0, sizeof *laws);
        return NETMODEL_TOO_FEW;
    }
    laws->kind = kind != NETMODEL_KIND_FOUND                             ? kind
                 : scratch[laws->sizes - 1].seconds > scratch[0].seconds ? NETMODEL_KIND_WEAK
                                                                         : NETMODEL_KIND_STRONG;
    laws->choice = choice;
    laws->error = error;
    netmodel_fit__laws_all(laws, scratch, laws->sizes, laws->law);
    netmodel_fit__laws_hold_back(laws, scratch);
    netmodel_fit__laws_missed(laws, scratch);
    if (later > 0) netmodel_fit__laws_jump(laws, scratch + laws->sizes, later);
    return NETMODEL_OK;
}

NETMODEL_API double netmodel_law_time(netmodel_law_kind kind, const netmodel_law *law, size_t processes, double work)
{
    if (!law || !law->fits || (unsigned)kind >= NETMODEL_LAWS || processes < 1 || !netmodel_fit__amount(work))
        return NETMODEL_FIT__NAN;
    const netmodel_fit__law_run at = { (double)processes, netmodel_fit__log2((double)processes), work, 0 };
    return netmodel_fit__law_seconds(kind, law, &at);
}

NETMODEL_API netmodel_forecast netmodel_laws_forecast(const netmodel_laws *laws, size_t processes, double work,
                                                      double level)
{
    netmodel_forecast forecast = { NETMODEL_FIT__NAN, NETMODEL_FIT__NAN, NETMODEL_FIT__NAN, 0 };
    const double t = netmodel_student(level, netmodel_fit__laws_freedom),
                 usual = netmodel_student(0.95, netmodel_fit__laws_freedom);
    double spread, weight[NETMODEL_LAWS];
    unsigned doubts = 0;

    if (!laws || laws->sizes == 0 || processes < 1 || !netmodel_fit__amount(work) || netmodel_fit__is_nan(t))
        return forecast;
    const double beyond = netmodel_fit__laws_beyond(laws, processes);
    const bool other = !(work >= laws->low && work <= laws->high) &&
                       !netmodel_fit__alike(netmodel_fit__times((double)processes, work), laws->total);
    const bool alone = netmodel_fit__laws_alone(laws, processes, work);
    const double log = netmodel_fit__laws_log(laws, processes, work, &spread);
    const double best = netmodel_fit__laws_blend(laws, alone, beyond, weight) / netmodel_fit__laws_exact;
    const double part = laws->sizes > 3 && best < 1 ? best : 1; /* of what is not known of other processes */
    const double near = fmax(netmodel_fit__laws_misfit, 1 - beyond);
    const double growth = laws->kind == NETMODEL_KIND_WEAK ? netmodel_fit__times(netmodel_fit__laws_weak, beyond) : 0;
    const double away = netmodel_fit__times(netmodel_fit__times(netmodel_fit__laws_rate, netmodel_fit__laws_rate),
                                            beyond + netmodel_fit__times(beyond, beyond) / 3) +
                        netmodel_fit__times(growth, growth);
    const double apart = netmodel_fit__times(netmodel_fit__laws_part, spread),
                 misfit = netmodel_fit__times(near, laws->misfit), scatter = laws->scatter / NETMODEL_FIT__LN2;
    const double deviation =
        sqrt(netmodel_fit__times(netmodel_fit__times(netmodel_fit__laws_least, netmodel_fit__laws_least), part) +
             netmodel_fit__times(misfit, misfit) + netmodel_fit__times(scatter, scatter) +
             netmodel_fit__times(netmodel_fit__times(part, part), away) + netmodel_fit__times(apart, apart));
    const double width = netmodel_fit__times(t, deviation);
    if (netmodel_fit__is_nan(log)) return forecast;
    const bool several = laws->per_node > 0 && processes > laws->per_node;
    forecast.time = netmodel_fit__exp2(log);
    if (several) forecast.time = netmodel_fit__times(forecast.time, laws->factor) + laws->jump;
    forecast.low = netmodel_fit__times(forecast.time, netmodel_fit__exp2(-width));
    forecast.high = netmodel_fit__times(forecast.time, netmodel_fit__exp2(width));
    if (laws->per_node > 0 && (several ? !laws->several : laws->fewest > laws->per_node))
        doubts |= NETMODEL_DOUBT_NODES;
    if (beyond > 0 || other) doubts |= NETMODEL_DOUBT_OUTSIDE;
    if (beyond > 2) doubts |= NETMODEL_DOUBT_FAR;
    if (netmodel_fit__exp2(netmodel_fit__times(usual, deviation)) > 1.2) doubts |= NETMODEL_DOUBT_WIDE;
    const double most = laws->error > 0 ? laws->error : fmax(laws->scatter, netmodel_fit__laws_usual);
    if (netmodel_fit__exp2(laws->misfit) - 1 > 3 * most) doubts |= NETMODEL_DOUBT_MISFIT;
    if (laws->held_back > netmodel_fit__laws_switch) doubts |= NETMODEL_DOUBT_SWITCH;
    forecast.doubts = doubts;
    return forecast;
}

NETMODEL_API netmodel_result netmodel_laws_fit_joined(const netmodel_run run[], const double simulated[], size_t count,
                                                      const netmodel_laws_desc *desc, netmodel_run scratch[],
                                                      netmodel_laws *laws, size_t *where)
{
    if (!laws) return NETMODEL_MISSING;
    memset(laws, 0, sizeof *laws);
    if (count > 0 && (!run || !simulated || !scratch)) return NETMODEL_MISSING;
    const netmodel_result result = netmodel_fit__runs_check(run, count, where);
    if (result != NETMODEL_OK) return result;
    for (size_t i = 0; i < count; ++i) {
        if (!(netmodel_fit__amount(simulated[i]) && simulated[i] > 0))
            return netmodel_fit__refuse(NETMODEL_BAD_RUN, i, where);
        scratch[count + i] = run[i];
        scratch[count + i].work = simulated[i];
    }
    netmodel_laws_desc own;
    memset(&own, 0, sizeof own);
    if (desc) own = *desc;
    own.per_node = 0;
    const netmodel_result fitted = netmodel_laws_fit(scratch + count, count, &own, scratch, laws, where);
    if (fitted != NETMODEL_OK) return fitted;
    for (int i = 0; i < NETMODEL_LAWS; ++i)
        if (i != NETMODEL_LAW_PAPER) memset(&laws->law[i], 0, sizeof laws->law[i]);
    laws->held_back = laws->law[NETMODEL_LAW_PAPER].held_back;
    netmodel_fit__laws_missed(laws, scratch);
    return NETMODEL_OK;
}

NETMODEL_API unsigned netmodel_prediction_doubts(const netmodel_prediction *prediction)
{
    unsigned doubts = 0;
    if (!prediction) return 0;
    if (prediction->outside) doubts |= NETMODEL_DOUBT_OUTSIDE;
    if (!(prediction->high <= 1.2 * prediction->time && prediction->low >= prediction->time / 1.2))
        doubts |= NETMODEL_DOUBT_WIDE;
    if (!(prediction->low > 0)) doubts |= NETMODEL_DOUBT_NEGATIVE;
    return doubts;
}

NETMODEL_API const char *netmodel_doubt_text(unsigned doubts)
{
    switch (doubts & (~doubts + 1)) {
    case NETMODEL_DOUBT_NEGATIVE: return "the interval contains times that are not > 0";
    case NETMODEL_DOUBT_SWITCH:
        return "the runs on the most processes differ from what those on fewer predict: a switch between them?";
    case NETMODEL_DOUBT_MISFIT: return "the laws miss the runs by more than three times their error or scatter";
    case NETMODEL_DOUBT_FAR: return "more than four times as many processes as in any run";
    case NETMODEL_DOUBT_WIDE: return "the interval is wider than 20 % on either side";
    case NETMODEL_DOUBT_OUTSIDE: return "outside the runs";
    case NETMODEL_DOUBT_NODES:
        return "runs on one node, a forecast on several, or the reverse: times may jump by any factor";
    default: return "";
    }
}

NETMODEL_API const char *netmodel_law_name(netmodel_law_kind kind)
{
    static const char *const names[] = { "paper", "sum", "overhead", "term", "power", "product", "amdahl", "late" };
    return (unsigned)kind < NETMODEL_LAWS ? names[kind] : "";
}

/*=============================================================================
 * MARK: - >>choice (body)
 *===========================================================================*/
NETMODEL_API double netmodel_choice_cost(double seconds, size_t clusters, const size_t processes[],
                                         const double price[])
{
    double hourly = 0;
    if (!netmodel_fit__amount(seconds)) return NETMODEL_FIT__NAN;
    for (size_t k = 0; k < clusters; ++k) {
        if (!netmodel_fit__amount(price[k])) return NETMODEL_FIT__NAN;
        hourly += netmodel_fit__times((double)processes[k], price[k]);
    }
    return netmodel_fit__times(seconds / 3600, hourly);
}

/* The work of a process of cluster k if all clusters end at this time, as far as its memory allows. */
static double netmodel_fit__choice_work(const netmodel_choice_desc *desc, const netmodel_choice *choice, size_t k,
                                        double time)
{
    const netmodel_scaling *scaling = &desc->grid[choice->grid].scaling[k];
    const double empty = netmodel_scaling_time(scaling, choice->processes[k], 0);
    const double slope = scaling->per_work + (choice->processes[k] > 1 ? scaling->g : 0);
    if (!(slope > 0)) return NETMODEL_FIT__NAN;
    const double work = time > empty ? (time - empty) / slope : 0;
    return work < desc->cluster[k].memory ? work : desc->cluster[k].memory;
}

/* Divides the work of a choice so that all clusters end together; false if nothing is left for one of them. More time
 * means more work: the shortest time in which all is done lies between 0 and one that is enough, found by bisection. */
static bool netmodel_fit__choice_balance(const netmodel_choice_desc *desc, netmodel_choice *choice)
{
    const netmodel_grid *grid = &desc->grid[choice->grid];
    double low = 0, high = 0;
    for (size_t k = 0; k < desc->clusters; ++k) {
        if (choice->processes[k] == 0) continue;
        double largest = desc->cluster[k].memory;
        if (largest > grid->work / (double)choice->processes[k]) largest = grid->work / (double)choice->processes[k];
        netmodel_fit__raise(&high, netmodel_scaling_time(&grid->scaling[k], choice->processes[k], largest), false);
    }
    for (;;) {
        const double time = low + (high - low) / 2;
        double done = 0;
        if (!(time > low && time < high)) break;
        for (size_t k = 0; k < desc->clusters; ++k)
            if (choice->processes[k] > 0)
                done +=
                    netmodel_fit__times((double)choice->processes[k], netmodel_fit__choice_work(desc, choice, k, time));
        if (done < grid->work)
            low = time;
        else
            high = time;
    }
    for (size_t k = 0; k < desc->clusters; ++k) {
        if (choice->processes[k] == 0) continue;
        choice->work[k] = netmodel_fit__choice_work(desc, choice, k, high);
        if (choice->work[k] <= 0) return false;
    }
    return true;
}

/* Gives each process of a choice its work; false if memory is short, or nothing is left for one of the clusters. */
static bool netmodel_fit__choice_share_out(const netmodel_choice_desc *desc, netmodel_choice *choice)
{
    const double work = desc->grid[choice->grid].work;
    double processes = 0, memory = 0;
    size_t used = 0;
    for (size_t k = 0; k < desc->clusters; ++k) {
        used += choice->processes[k] > 0;
        processes += (double)choice->processes[k];
    }
    const bool equal = used == 1 || desc->split == NETMODEL_SPLIT_EQUAL;
    for (size_t k = 0; k < desc->clusters; ++k) {
        if (choice->processes[k] == 0) continue;
        choice->work[k] = work / processes;
        memory += netmodel_fit__times((double)choice->processes[k], desc->cluster[k].memory);
        if (!(choice->work[k] <= desc->cluster[k].memory) && equal) return false;
    }
    return equal || (memory >= work && netmodel_fit__choice_balance(desc, choice));
}

/* Time and cost of a choice that has its work. */
static void netmodel_fit__choice_predict(const netmodel_choice_desc *desc, netmodel_choice *choice)
{
    netmodel_scaling_part part[NETMODEL_CLUSTERS_MAX];
    double price[NETMODEL_CLUSTERS_MAX];
    size_t parts = 0;
    for (size_t k = 0; k < desc->clusters; ++k) {
        price[k] = desc->cluster[k].price;
        if (choice->processes[k] == 0) continue;
        const netmodel_scaling_part own = { &desc->grid[choice->grid].scaling[k], choice->processes[k],
                                            choice->work[k] };
        part[parts++] = own;
    }
    netmodel_prediction p = netmodel_scaling_together(part, parts, desc->level > 0 ? desc->level : 0.5);
    if (!(p.time > 0)) p.time = p.low = p.high = NETMODEL_FIT__NAN;
    choice->time = p.time;
    choice->low = desc->level > 0 ? p.low : p.time;
    choice->high = desc->level > 0 ? p.high : p.time;
    choice->outside = p.outside;
    choice->cost = netmodel_choice_cost(p.time, desc->clusters, choice->processes, price);
}

/* The next combination of processor counts: at[k] is 0 for none of cluster k, otherwise one more than the index in its
 * `tries`. False after the last one. */
static bool netmodel_fit__choice_next(const netmodel_choice_desc *desc, size_t at[])
{
    for (size_t k = 0; k < desc->clusters; ++k) {
        const netmodel_cluster *cluster = &desc->cluster[k];
        const size_t counts = cluster->tries ? cluster->count : cluster->free > 0;
        if (at[k]++ < counts) return true;
        at[k] = 0;
    }
    return false;
}

/* The choice of a grid and such a combination; false if it is impossible. */
static bool netmodel_fit__choice_of(const netmodel_choice_desc *desc, size_t grid, const size_t at[],
                                    netmodel_choice *choice)
{
    size_t used = 0;
    bool alone = false;
    memset(choice, 0, sizeof *choice);
    choice->grid = grid;
    choice->side = desc->grid[grid].side;
    for (size_t k = 0; k < desc->clusters; ++k) {
        const netmodel_cluster *cluster = &desc->cluster[k];
        if (at[k] == 0) continue;
        choice->processes[k] = cluster->tries ? cluster->tries[at[k] - 1] : cluster->free;
        alone = alone || cluster->alone;
        ++used;
    }
    if ((alone && used > 1) || !netmodel_fit__choice_share_out(desc, choice)) return false;
    netmodel_fit__choice_predict(desc, choice);
    return true;
}

static bool netmodel_fit__cluster_is_bad(const netmodel_cluster *cluster)
{
    if (!(cluster->memory > 0 && netmodel_fit__amount(cluster->price))) return true;
    for (size_t k = 0; cluster->tries && k < cluster->count; ++k)
        if (cluster->tries[k] < 1 || cluster->tries[k] > cluster->free) return true;
    return false;
}

static netmodel_result netmodel_fit__choice_check(const netmodel_choice_desc *desc, size_t *where)
{
    if ((desc->clusters > 0 && !desc->cluster) || (desc->grids > 0 && !desc->grid)) return NETMODEL_MISSING;
    if (desc->clusters == 0 || desc->grids == 0) return NETMODEL_EMPTY;
    if (desc->split != NETMODEL_SPLIT_EQUAL && desc->split != NETMODEL_SPLIT_BALANCED) return NETMODEL_BAD_OPTION;
    if (!(desc->level >= 0 && desc->level < 1)) return NETMODEL_BAD_LEVEL;
    for (size_t i = 0; i < desc->clusters; ++i)
        if (i >= NETMODEL_CLUSTERS_MAX || netmodel_fit__cluster_is_bad(&desc->cluster[i]))
            return netmodel_fit__refuse(NETMODEL_BAD_CLUSTER, i, where);
    for (size_t i = 0; i < desc->grids; ++i) {
        const netmodel_grid *grid = &desc->grid[i];
        if (!(fabs(grid->side) < HUGE_VAL && netmodel_fit__amount(grid->work) && grid->work > 0 && grid->scaling))
            return netmodel_fit__refuse(NETMODEL_BAD_GRID, i, where);
    }
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_choice_list(const netmodel_choice_desc *desc, size_t capacity,
                                                  netmodel_choice list[], size_t *count, size_t *where)
{
    if (count) *count = 0;
    if (list) memset(list, 0, capacity * sizeof *list);
    if (!desc || !count || (!list && capacity > 0)) return NETMODEL_MISSING;
    netmodel_result result = netmodel_fit__choice_check(desc, where);
    if (result != NETMODEL_OK) return result;

    for (size_t grid = 0; grid < desc->grids; ++grid) {
        size_t at[NETMODEL_CLUSTERS_MAX] = { 0 };
        while (netmodel_fit__choice_next(desc, at)) {
            netmodel_choice choice;
            if (!netmodel_fit__choice_of(desc, grid, at, &choice)) continue;
            if (*count < capacity) list[*count] = choice;
            ++*count;
        }
    }
    return *count > capacity && capacity > 0 ? NETMODEL_LIST_FULL : NETMODEL_OK;
}

/* The first choice of the list within budget and deadline that is minimal in cost (otherwise in time), and of equals in
 * the other; of the finest grid if `grid` is NULL. A time that is NaN is no choice. */
static size_t netmodel_fit__choice_best(const netmodel_choice list[], size_t count, const size_t *grid, bool cheapest,
                                        double budget, double deadline)
{
    size_t best = count;
    for (size_t i = 0; i < count; ++i) {
        const netmodel_choice *own = &list[i], *so_far = &list[best < count ? best : i];
        const double time = own->time - so_far->time, cost = own->cost - so_far->cost;
        const double first = cheapest ? cost : time, second = cheapest ? time : cost;
        if (!(own->time <= deadline && own->cost <= budget)) continue;
        if (grid ? own->grid != *grid : own->side < so_far->side) continue;
        if (best == count || (!grid && own->side > so_far->side) || first < 0 || (!(first > 0) && second < 0)) best = i;
    }
    return best;
}

NETMODEL_API size_t netmodel_choice_fastest(const netmodel_choice list[], size_t count, size_t grid, double budget)
{
    return netmodel_fit__choice_best(list, count, &grid, false, budget, HUGE_VAL);
}

NETMODEL_API size_t netmodel_choice_cheapest(const netmodel_choice list[], size_t count, size_t grid, double deadline)
{
    return netmodel_fit__choice_best(list, count, &grid, true, HUGE_VAL, deadline);
}

NETMODEL_API size_t netmodel_choice_finest(const netmodel_choice list[], size_t count, double budget, double deadline)
{
    return netmodel_fit__choice_best(list, count, NULL, true, budget, deadline);
}

/*=============================================================================
 * MARK: - >>experiments (body)
 *===========================================================================*/
static bool netmodel_fit__candidate_is_bad(const netmodel_candidate *candidate, bool line)
{
    return !((line || candidate->processes >= 1) && candidate->repeats >= 1 && netmodel_fit__amount(candidate->work) &&
             netmodel_fit__in_range(candidate->work) && netmodel_fit__amount(candidate->cost));
}

NETMODEL_API netmodel_fit netmodel_fit_after(const netmodel_fit *fit, const netmodel_candidate *candidate)
{
    netmodel_fit after = *fit;
    const double time = netmodel_line_time(&fit->line, candidate->work), repeats = (double)candidate->repeats;
    const bool relative = fit->error == NETMODEL_ERROR_RELATIVE;
    if (netmodel_fit__candidate_is_bad(candidate, true) || netmodel_fit__is_nan(time) || (relative && !(time > 0))) {
        after.line.slope = after.line.intercept = NETMODEL_FIT__NAN;
        return after;
    }
    netmodel_fit__sums s = { NETMODEL_FIT__ZERO };
    s.weight = fit->weight;
    s.n = fit->mean;
    s.nn = fit->spread;
    netmodel_fit__join(&s, candidate->work, 0, relative ? repeats / netmodel_fit__times(time, time) : repeats);
    after.weight = s.weight;
    after.mean = s.n;
    after.spread = s.nn;
    after.count += candidate->repeats;
    if (candidate->work < after.low) after.low = candidate->work;
    if (candidate->work > after.high) after.high = candidate->work;
    netmodel_fit__fit_errors(&after);
    return after;
}

NETMODEL_API netmodel_scaling netmodel_scaling_after(const netmodel_scaling *scaling,
                                                     const netmodel_candidate *candidate)
{
    netmodel_scaling after = *scaling;
    const double work = candidate->work, time = netmodel_scaling_time(scaling, candidate->processes, work);
    if (netmodel_fit__candidate_is_bad(candidate, false) || !(time > 0)) {
        after.start = after.per_work = after.c = after.d = after.g = NETMODEL_FIT__NAN;
        return after;
    }
    double *v = candidate->processes > 1 ? after.many : after.one;
    const double x = netmodel_fit__log2((double)candidate->processes);
    const double y[3] = { v[0] + netmodel_fit__times(v[1], x) + netmodel_fit__times(v[2], work),
                          v[1] + netmodel_fit__times(v[3], x) + netmodel_fit__times(v[4], work),
                          v[2] + netmodel_fit__times(v[4], x) + netmodel_fit__times(v[5], work) };
    const double own = netmodel_fit__times(time, time) / (double)candidate->repeats;
    const double both = own + y[0] + netmodel_fit__times(y[1], x) + netmodel_fit__times(y[2], work);
    for (size_t i = 0, k = 0; i < 3; ++i)
        for (size_t j = i; j < 3; ++j) v[k++] -= netmodel_fit__times(y[i] / both, y[j]);
    if (after.degrees_of_freedom != NETMODEL_DEVIATION_KNOWN) after.degrees_of_freedom += candidate->repeats;
    if (work < after.low) after.low = work;
    if (work > after.high) after.high = work;
    netmodel_fit__scaling_reach(&after, candidate->processes);
    netmodel_fit__scaling_errors(&after);
    return after;
}

/* The knowledge of a prediction at a target: half its interval, and its variance in squares of the deviation. */
typedef struct netmodel_fit__known {
    double interval, variance;
} netmodel_fit__known;

static netmodel_fit__known netmodel_fit__known_line(const netmodel_fit *fit, double n, double level)
{
    const netmodel_prediction p = netmodel_fit_predict(fit, n, level);
    const netmodel_fit__known known = { p.mean_high - p.time, netmodel_fit__fit_variance(fit, n) };
    return known;
}

static netmodel_fit__known netmodel_fit__known_scaling(const netmodel_scaling *scaling, size_t processes, double work,
                                                       double level)
{
    const netmodel_prediction p = netmodel_scaling_predict(scaling, processes, work, level);
    const netmodel_fit__known known = { p.mean_high - p.time,
                                        netmodel_fit__scaling_variance(scaling, processes, work) };
    return known;
}

static netmodel_gain netmodel_fit__gain_of(const netmodel_candidate *candidate, double time, double processes,
                                           const netmodel_fit__known *now, const netmodel_fit__known *then)
{
    netmodel_gain gain = { time, candidate->cost, then->interval, NETMODEL_FIT__NAN, NETMODEL_FIT__NAN };
    if (!(time > 0)) {
        gain.time = gain.cost = gain.interval = NETMODEL_FIT__NAN;
        return gain;
    }
    if (!(gain.cost > 0))
        gain.cost = netmodel_fit__times(netmodel_fit__times(time, processes), (double)candidate->repeats);
    const bool known = then->interval < HUGE_VAL && now->interval > 0 && now->interval < HUGE_VAL;
    const double left = known ? then->interval / now->interval : sqrt(then->variance / now->variance);
    gain.narrows = 1 - left;
    gain.per_cost = gain.narrows / gain.cost;
    return gain;
}

static void netmodel_fit__gain_report(netmodel_gain own, size_t i, netmodel_gain gain[], double *largest, size_t *best)
{
    if (gain) gain[i] = own;
    if (!(own.per_cost > *largest)) return;
    *largest = own.per_cost;
    *best = i;
}

static netmodel_result netmodel_fit__next_check(const void *model, bool line, bool target, double level,
                                                const netmodel_candidate candidate[], size_t count,
                                                netmodel_gain gain[], size_t *best, size_t *where)
{
    if (best) *best = count;
    if (gain) memset(gain, 0, count * sizeof *gain);
    if (!model || !best || (count > 0 && !candidate)) return NETMODEL_MISSING;
    if (count == 0) return NETMODEL_EMPTY;
    if (!(level > 0 && level < 1)) return NETMODEL_BAD_LEVEL;
    for (size_t i = 0; i < count; ++i)
        if (netmodel_fit__candidate_is_bad(&candidate[i], line))
            return netmodel_fit__refuse(NETMODEL_BAD_CANDIDATE, i, where);
    return target ? NETMODEL_OK : netmodel_fit__refuse(NETMODEL_BAD_CANDIDATE, count, where);
}

NETMODEL_API netmodel_result netmodel_fit_next(const netmodel_fit *fit, double n, double level,
                                               const netmodel_candidate candidate[], size_t count, netmodel_gain gain[],
                                               size_t *best, size_t *where)
{
    netmodel_result result =
        netmodel_fit__next_check(fit, true, netmodel_fit__amount(n), level, candidate, count, gain, best, where);
    if (result != NETMODEL_OK) return result;
    const netmodel_fit__known now = netmodel_fit__known_line(fit, n, level);
    double largest = 0;
    for (size_t i = 0; i < count; ++i) {
        const netmodel_fit after = netmodel_fit_after(fit, &candidate[i]);
        const netmodel_fit__known then = netmodel_fit__known_line(&after, n, level);
        const double time = netmodel_line_time(&after.line, candidate[i].work);
        netmodel_fit__gain_report(netmodel_fit__gain_of(&candidate[i], time, 1, &now, &then), i, gain, &largest, best);
    }
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_scaling_next(const netmodel_scaling *scaling, size_t processes, double work,
                                                   double level, const netmodel_candidate candidate[], size_t count,
                                                   netmodel_gain gain[], size_t *best, size_t *where)
{
    const bool target = processes >= 1 && netmodel_fit__amount(work);
    netmodel_result result =
        netmodel_fit__next_check(scaling, false, target, level, candidate, count, gain, best, where);
    if (result != NETMODEL_OK) return result;
    const netmodel_fit__known now = netmodel_fit__known_scaling(scaling, processes, work, level);
    double largest = 0;
    for (size_t i = 0; i < count; ++i) {
        const netmodel_scaling after = netmodel_scaling_after(scaling, &candidate[i]);
        const netmodel_fit__known then = netmodel_fit__known_scaling(&after, processes, work, level);
        const double time = netmodel_scaling_time(&after, candidate[i].processes, candidate[i].work);
        const double on = (double)candidate[i].processes;
        netmodel_fit__gain_report(netmodel_fit__gain_of(&candidate[i], time, on, &now, &then), i, gain, &largest, best);
    }
    return NETMODEL_OK;
}

#ifdef _WIN32
#pragma pop_macro("far")
#pragma pop_macro("near")
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* NETMODEL_FIT_IMPLEMENTED */

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
