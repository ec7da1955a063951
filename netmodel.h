/*
    netmodel.h: how long bytes take

    Formulas for the time of a message on a network, from three numbers to a measured curve, fits that make them of
    measurements and say how far to trust them, and the rates of transfers that share the links of a switch. Values and
    formulas only: plain structs that you may copy, no clock, no allocation, no state. Part of simkit; works alone.

    USE
        In one C or C++ file:                           In every file that calls it:
            #define NETMODEL_IMPLEMENTATION                 #include "netmodel.h"
            #include "netmodel.h"

        netmodel_link ether = { 60e-6, 1 / 12.5e6 };                 60 us, then 80 ns a byte: Fast Ethernet
        double t = netmodel_link_time(&ether, 1e6);                  0.08006 s
        double r = netmodel_star_rate(12.5e6, 1, 12.5e6, 2);         6.25e6 B/s: two senders into one node

    UNITS
        Seconds [s], bytes [B], bytes per second [B/s], seconds per byte [s/B]; a count is [1]. All in double. A link
        keeps seconds per byte, not bytes per second, so that zero is neutral: a zeroed link takes no time at all.

    ROOMS (search for >>room; each has its declarations first and its body below the guard)
        >>results       codes of the functions that check arrays, and their sentences
        >>link          latency and a time per byte
        >>line          slope and intercept, as a fit gives them, and the parts a message's time is made of
        >>curve         piecewise-linear between measured points
        >>star          equal shares of the links to a switch
        >>fit           lines through measurements, least squares and robust, with intervals
        >>pieces        lines with breaks, with and without jumps
        >>starmax       the other policy for the star: max-min fair shares
        >>message       what a message costs its sender, the network and its receiver, for each pair of hosts
        >>timing        a parallel program as a timing graph: its time, and which source lines take it
        >>scaling       from runs on few processes to many, on one cluster or several, with intervals
        >>choice        which clusters for which grid: every choice with time and cost, and the best
        >>arithmetic    (private) products that round alike everywhere

    OPTIONS
        NETMODEL_IMPLEMENTATION   the body too; define it in exactly one file, before the include
        NETMODEL_STATIC           all functions static, body included, for a library that must not export them; define
                                  it in each file that calls them, before the include
        NETMODEL_ANY_FLOAT        the body compiles where doubles are computed with more digits (x87); results then
                                  differ in their last bits from those of other processors

    ERRORS
        A formula given the impossible (a negative size, a NaN) returns NaN, which no later sum can hide. A function
        that checks arrays returns a netmodel_result; netmodel_result_text() gives its sentence.

    THREADS
        A function touches its arguments and nothing else: call from any thread.

    TIME RESOLUTION
        That of double: nothing is rounded to a tick, 53 bits of the result count. The same inputs give the same bits
        on every processor with IEEE doubles. -ffast-math and -ffinite-math-only remove NaN, and x87 arithmetic (i686
        without -msse2 -mfpmath=sse) changes the last bits: the body refuses to compile with them.

    BREAKS
        0.1.0 is the first version: nothing is broken yet.
*/
/** @file netmodel.h
 *  How long bytes take: links, lines, measured curves, fits, and a star of shared links. See @ref netmodel. */
#ifndef NETMODEL_H
#define NETMODEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Version of this header, as text. */
#define NETMODEL_VERSION "0.1.0"

#ifndef NETMODEL_API
#if !defined(NETMODEL_STATIC)
#define NETMODEL_API extern
#elif defined(__GNUC__)
#define NETMODEL_API static __attribute__((unused))
#else
#define NETMODEL_API static
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
/** @defgroup netmodel_results_room Results
 *  Formulas answer with NaN; functions that read whole arrays answer with one of these codes.
 *  @{ */

/** Why an array was refused. */
typedef enum netmodel_result {
    NETMODEL_OK = 0,        /**< All is well. */
    NETMODEL_MISSING,       /**< A pointer is NULL that has something to point at. */
    NETMODEL_EMPTY,         /**< A curve of no points. */
    NETMODEL_NOT_FINITE,    /**< A point with a NaN or an infinity. */
    NETMODEL_NEGATIVE,      /**< A point with negative bytes or seconds. */
    NETMODEL_BYTES_FALL,    /**< A point with fewer bytes than the point before. */
    NETMODEL_BYTES_THRICE,  /**< A third point at the same bytes: a jump has two. */
    NETMODEL_SECONDS_FALL,  /**< A point with fewer seconds than the point before. */
    NETMODEL_BAD_BANDWIDTH, /**< A node whose up or down bandwidth is negative or NaN. */
    NETMODEL_NO_SUCH_NODE,  /**< A flow from or to a node index that is too large. */
    NETMODEL_SELF_FLOW,     /**< A flow from a node to itself: it never sees the star. */
    NETMODEL_TOO_FEW,       /**< Fewer points than the fit needs. */
    NETMODEL_NOT_POSITIVE,  /**< A time that is not > 0, where errors are relative to it. */
    NETMODEL_ALL_ALIKE,     /**< All points at the same size: no line is better than another. */
    NETMODEL_BAD_CHOICE,    /**< A choice that is none of those there are. */
    NETMODEL_BAD_WEIGHT,    /**< A flow whose weight is not between 1e-100 and 1e100. */
    NETMODEL_PAIRS_FALL,    /**< A pair of hosts that does not come after the one before. */
    NETMODEL_BAD_TIME,      /**< A segment whose time is negative, infinite or NaN. */
    NETMODEL_NO_SUCH_PEER,  /**< A send or receive with a node that there is not. */
    NETMODEL_NO_SUCH_MODE,  /**< A send in a mode that there is not. */
    NETMODEL_NO_SEND,       /**< A receive without a send. */
    NETMODEL_NO_RECEIVE,    /**< A send without a receive. */
    NETMODEL_WAIT_CYCLE,    /**< Nodes that wait for each other in a circle. */
    NETMODEL_BAD_RUN,       /**< A run on no process, with bad work or without time. */
    NETMODEL_BAD_ERROR,     /**< A relative error that is negative, infinite or NaN. */
    NETMODEL_BAD_CLUSTER,   /**< A cluster without memory, with a bad price, with more tries than are free; or one too
                                 many. */
    NETMODEL_BAD_GRID,      /**< A grid without work or models. */
    NETMODEL_BAD_LEVEL,     /**< A level that is not between 0 and 1. */
    NETMODEL_LIST_FULL,     /**< A list too short for all there is. */
    NETMODEL_OUT_OF_RANGE   /**< A size or time of a fit that is neither 0 nor between 1e-40 and 1e40. */
} netmodel_result;

/** The sentence for a result code.
 *
 *  @param[in] result   Any value, also one that is no code.
 *  @return  A sentence in English; static, never NULL.
 *  @since   0.1.0
 */
NETMODEL_API const char *netmodel_result_text(netmodel_result result);

/** @} */

/*=============================================================================
 * MARK: - >>link
 *===========================================================================*/
/** @defgroup netmodel_link_room Link
 *  The traditional formula: a start-up time, then so much for every byte. It describes one transfer over TCP/IP between
 *  two idle nodes very well; it has no term for a second transfer, see @ref netmodel_star_room. Follows [dps] section 4.
 *  @{ */

/** A link: zeroed, it takes no time at all. */
typedef struct netmodel_link {
    double latency;   /**< Time of an empty message [s], finite, >= 0. */
    double byte_time; /**< Time for each byte [s/B], finite, >= 0: 1 / bandwidth. */
} netmodel_link;

/** A link from its latency and its bandwidth.
 *
 *  @param[in] latency     Time of an empty message [s], finite, >= 0.
 *  @param[in] bandwidth   Speed [B/s], > 0; INFINITY is a link where bytes cost nothing.
 *  @return  The link; both fields NaN if an argument is not as said, or so small that 1 / bandwidth overflows.
 *  @source  [dps] section 4.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_link netmodel_link_of(double latency, double bandwidth);

/** Bandwidth of a link, `1 / byte_time`.
 *
 *  @param[in] link   The link; borrowed.
 *  @return  Bandwidth [B/s]; INFINITY if byte_time is 0, NaN if it is negative, infinite or NaN. What was given to
 *           netmodel_link_of() comes back to within 1 part in 2^52, for two reciprocals round twice.
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_link_bandwidth(const netmodel_link *link);

/** Time for one message to cross an idle link.
 *
 *  `T = latency + bytes * byte_time`
 *
 *  @param[in] link    The link; borrowed.
 *  @param[in] bytes   Message size [B], finite, >= 0.
 *  @return  Transfer time [s]; NaN if a field or the size is negative, infinite or NaN.
 *  @source  [dps] section 4, t = l + s/b; no term for a second sender, see netmodel_star_rate().
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_link_time(const netmodel_link *link, double bytes);

/** @} */

/*=============================================================================
 * MARK: - >>line
 *===========================================================================*/
/** @defgroup netmodel_line_room Line
 *  A straight line through measured times, and the parts that a message's time is made of: memory to network buffer,
 *  the wire, network buffer to memory. Its messages have elements, of whatever size was measured. Follows [dpgraph]
 *  section 3.3.
 *  @{ */

/** A line. Where a link is physics, a line is what a fit gave: both numbers may be negative. */
typedef struct netmodel_line {
    double slope;     /**< Time for each element [s]. */
    double intercept; /**< Time of an empty message [s]. */
} netmodel_line;

/** What the time of a message is made of; zeroed, it takes no time. A fitted part may be negative. */
typedef struct netmodel_line_parts {
    double memory_to_buffer; /**< Sender, memory to network buffer, for each element [s]: c1. */
    double wire;             /**< Network, for each element [s]: kb. */
    double buffer_to_memory; /**< Receiver, network buffer to memory, for each element [s]: c2. */
    double latency;          /**< Network, once a message [s]: kl. */
} netmodel_line_parts;

/** The line that the parts of a message's time add up to.
 *
 *  `tc(n) = (c1 + kb + c2) n + kl`
 *
 *  @param[in] parts   The parts; borrowed. Unchecked, a NaN stays one.
 *  @return  The line, slope `c1 + kb + c2` [s], intercept `kl` [s].
 *  @source  [dpgraph] section 3.3, te(n) + tt(n) + tr(n).
 *  @since   0.1.0
 */
NETMODEL_API netmodel_line netmodel_line_from_parts(const netmodel_line_parts *parts);

/** Time of a message by a line.
 *
 *  `t(n) = slope * n + intercept`
 *
 *  @param[in] line   The line; borrowed.
 *  @param[in] n      Elements in the message [1], finite, >= 0.
 *  @return  Time [s]; negative where the line is, for a fit far from its data may promise that. NaN if n is negative,
 *           infinite or NaN, or a field is infinite or NaN.
 *  @source  [dpgraph] section 3.3, tc(n) = c n + kl.
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_line_time(const netmodel_line *line, double n);

/** @} */

/*=============================================================================
 * MARK: - >>curve
 *===========================================================================*/
/** @defgroup netmodel_curve_room Curve
 *  Times as measured: straight between the points, flat before the first, with the last slope beyond the last. Two
 *  points at the same bytes are a jump, as where a message library changes its protocol. The points stay in the
 *  caller's arrays. With one piece from 0 bytes on it is a link.
 *  @{ */

/** A curve through points; zeroed, it has none and gives NaN. Fill it with netmodel_curve_init(), which checks. */
typedef struct netmodel_curve {
    const double *bytes;   /**< Sizes [B], `bytes[count]`, never falling; borrowed as long as the curve lives. */
    const double *seconds; /**< Times [s], `seconds[count]`, never falling; borrowed as long as the curve lives. */
    size_t count;          /**< Number of points [1]. */
} netmodel_curve;

/** A curve through the caller's points, once they are found in order.
 *
 *  @param[out] curve     The curve; zeroed if the points are refused.
 *  @param[in]  bytes     Sizes [B], `bytes[count]`, finite, >= 0, never falling, no more than two alike; borrowed as
 *                        long as the curve lives.
 *  @param[in]  seconds   Times [s], `seconds[count]`, finite, >= 0, never falling; borrowed as long as the curve lives.
 *  @param[in]  count     Number of points [1], >= 1.
 *  @param[out] where     If not NULL and a point is refused: its index. Else untouched.
 *  @return  NETMODEL_OK, _MISSING, _EMPTY, or of the first point at fault _NOT_FINITE, _NEGATIVE, _BYTES_FALL,
 *           _BYTES_THRICE or _SECONDS_FALL.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_curve_init(netmodel_curve *curve, const double *bytes, const double *seconds,
                                                 size_t count, size_t *where);

/** Time of a message by a curve.
 *
 *  Between points `t0 + (bytes - b0) / (b1 - b0) * (t1 - t0)`. Before the first point the first point's time: a smaller
 *  message is not faster than the smallest that was measured. Beyond the last point the slope of the last two, or flat
 *  if they are one point or a jump. At a jump the upper time. A larger message never takes less.
 *
 *  @param[in] curve   The curve; borrowed.
 *  @param[in] bytes   Message size [B], finite, >= 0.
 *  @return  Time [s]; NaN if the size is negative, infinite or NaN, or the curve has no points.
 *  @cost    A binary search and one division: 4 to 6 ns for two breaks, 7 to 10 for a hundred (gcc -O2, x86-64).
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_curve_time(const netmodel_curve *curve, double bytes);

/** @} */

/*=============================================================================
 * MARK: - >>star
 *===========================================================================*/
/** @defgroup netmodel_star_room Star
 *  Nodes around a switch that is never the bottleneck, each with a full-duplex link to it. Transfers that leave a node
 *  share its up link equally, those that enter share its down link equally, and a transfer gets the smaller of its two
 *  shares; what it leaves unused of the larger one nobody takes. Pure functions over the caller's arrays. Follows [dps]
 *  section 4.
 *  @{ */

/** Rate of one transfer through the star.
 *
 *  `rate = min(up / out, down / in)`
 *
 *  With bandwidths of 1 it is the share of itself that the transfer gets: `netmodel_star_rate(1, out, 1, in)`.
 *
 *  @param[in] up     Bandwidth from the sender to the switch [B/s], >= 0; may be INFINITY.
 *  @param[in] out    Transfers that leave the sender, this one included [1], finite, >= 1.
 *  @param[in] down   Bandwidth from the switch to the receiver [B/s], >= 0; may be INFINITY.
 *  @param[in] in     Transfers that enter the receiver, this one included [1], finite, >= 1.
 *  @return  Rate [B/s]; INFINITY if both links are infinite, NaN if an argument is not as said.
 *  @source  [dps] section 4, all transfers of a node get an equal share.
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_star_rate(double up, double out, double down, double in);

/** Rates of all transfers through the star, each by netmodel_star_rate().
 *
 *  @param[in]  nodes   Number of nodes [1].
 *  @param[in]  up      Bandwidth of each node to the switch [B/s], `up[nodes]`, >= 0 or INFINITY.
 *  @param[in]  down    Bandwidth of the switch to each node [B/s], `down[nodes]`, >= 0 or INFINITY.
 *  @param[in]  flows   Number of transfers [1]; may be 0.
 *  @param[in]  from    Sender of each, `from[flows]`, < nodes.
 *  @param[in]  to      Receiver of each, `to[flows]`, < nodes, another than the sender.
 *  @param[out] rate    Rate of each [B/s], `rate[flows]`; untouched if something is refused.
 *  @param[out] out     Working space that ends with the transfers that leave each node [1], `out[nodes]`.
 *  @param[out] in      Working space that ends with the transfers that enter each node [1], `in[nodes]`.
 *  @return  NETMODEL_OK, _MISSING, _BAD_BANDWIDTH, _NO_SUCH_NODE or _SELF_FLOW.
 *  @cost    O(nodes + flows).
 *  @source  [dps] section 4.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_star_rates(size_t nodes, const double up[], const double down[], size_t flows,
                                                 const size_t from[], const size_t to[], double rate[], size_t out[],
                                                 size_t in[]);

/** @} */

/*=============================================================================
 * MARK: - >>fit
 *===========================================================================*/
/** @defgroup netmodel_fit_room Fit
 *  Lines through measured times, and how far they can be trusted. Least squares, of the errors or of the relative
 *  errors: times of messages span six decades, and a microsecond is much for the smallest and nothing for the largest.
 *  Intervals assume errors that are independent and normal, of one deviation (absolute) or of one in proportion to the
 *  time (relative). Formulas as in any textbook of regression; Draper and Smith, "Applied Regression Analysis".
 *  @{ */

/** Which errors are made small. */
typedef enum netmodel_error {
    NETMODEL_ABSOLUTE = 0, /**< `sum (t - line)^2` [s^2]. */
    NETMODEL_RELATIVE      /**< `sum ((t - line) / t)^2` [1]; all times must be > 0. */
} netmodel_error;

/** A fitted line. Values: copy it, keep it, predict from it. */
typedef struct netmodel_fit {
    netmodel_line line;     /**< The line. */
    netmodel_error error;   /**< Which errors were made small. */
    size_t count;           /**< Points that it goes through [1]. */
    size_t set_aside;       /**< Points that a robust fit took for wild [1]. */
    double slope_error;     /**< Standard error of the slope [s]; INFINITY with two points, which say nothing of it. */
    double intercept_error; /**< Standard error of the intercept [s]; INFINITY with two points. */
    double deviation;       /**< Standard deviation of the errors, [s] or relative [1]; INFINITY with two points. */
    double r_squared;       /**< Part of the (weighted) variance of the times that the line explains [1]. */
    double leave_one_out;   /**< Root mean square of what the line misses each point by when it is fitted without it,
                                 [s] or relative [1]; INFINITY if one point alone holds the line. */
    double low;             /**< Smallest n of the data [1]. */
    double high;            /**< Largest n of the data [1]. */
    double mean;            /**< Weighted mean of n [1]; with the next two what a prediction needs. */
    double spread;          /**< Weighted sum of squares of n about it. */
    double weight;          /**< Sum of the weights. */
} netmodel_fit;

/** What a fit says of one size. */
typedef struct netmodel_prediction {
    double time;      /**< Time by the fit [s]. */
    double mean_low;  /**< Confidence interval of the line itself, lower end [s]. */
    double mean_high; /**< Its upper end [s]. */
    double low;       /**< Prediction interval: where the next measurement falls, lower end [s]. */
    double high;      /**< Its upper end [s]. */
    int outside;      /**< Not 0: n is outside the data, and the interval tells only part of the doubt. */
} netmodel_prediction;

/** Fits a line by least squares.
 *
 *  @param[out] fit     The fit; zeroed if it is refused.
 *  @param[in]  n       Elements or bytes, `n[count]` [1], finite, >= 0, in any order, at least two different.
 *  @param[in]  t       Times, `t[count]` [s], finite; > 0 for relative errors.
 *  @param[in]  count   Points [1], >= 2.
 *  @param[in]  error   Which errors to make small.
 *  @param[out] where   If not NULL and a point is refused: its index. Else untouched.
 *  @return  NETMODEL_OK, _MISSING, _TOO_FEW, _NOT_FINITE, _NEGATIVE, _NOT_POSITIVE, _OUT_OF_RANGE (not 0 nor from 1e-40 to
 *           1e40), _ALL_ALIKE or _BAD_CHOICE.
 *  @cost    O(count), up to six passes; no scratch.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_fit_line(netmodel_fit *fit, const double n[], const double t[], size_t count,
                                               netmodel_error error, size_t *where);

/** Fits a line that wild points do not move, up to nearly half of all.
 *
 *  Of the lines through up to 500 pairs of points it takes the one with the least median of squared errors; then least
 *  squares through the points within three deviations of it, the deviation judged by that median; again with the line
 *  and deviation so found, until the points stay the same. The result is that last fit: `set_aside` says how many
 *  points are not in it, and its intervals are those of the others.
 *
 *  @param[out] fit      The fit; zeroed if it is refused.
 *  @param[in]  n,t      As for netmodel_fit_line().
 *  @param[in]  count    Points [1], >= 3.
 *  @param[in]  error    Which errors to make small.
 *  @param[out] scratch  Working space, `scratch[count]`.
 *  @param[out] where    If not NULL and a point is refused: its index. Else untouched.
 *  @return  As netmodel_fit_line().
 *  @cost    O(count), some 500 medians of it.
 *  @source  P. J. Rousseeuw, "Least median of squares regression", JASA 79 (1984); the pairs are always the same ones.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_fit_robust(netmodel_fit *fit, const double n[], const double t[], size_t count,
                                                 netmodel_error error, double scratch[], size_t *where);

/** What a fit says of a size, with intervals.
 *
 *  @param[in] fit     The fit; borrowed.
 *  @param[in] n       Elements or bytes [1], finite, >= 0.
 *  @param[in] level   Level of the intervals [1], between 0 and 1, such as 0.95.
 *  @return  The prediction; NaN in all its times if an argument is not as said. Intervals are without end if the fit
 *           had two points.
 *  @cost    O(number of points), at most 2000: the t quantile is a sum of so many terms.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_prediction netmodel_fit_predict(const netmodel_fit *fit, double n, double level);

/** The link that a line is, where it is one.
 *
 *  @param[in] line   The line, seconds per byte.
 *  @return  The link; both fields NaN if slope or intercept is negative or not finite.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_link netmodel_link_of_line(const netmodel_line *line);

/** Two-sided quantile of Student's t: `P(|T| <= t) = level`.
 *
 *  @param[in] level     Level [1], between 0 and 1.
 *  @param[in] freedom   Degrees of freedom [1], >= 1; NETMODEL_KNOWN: those of the normal distribution.
 *  @return  t [1], to within 1 part in 1e11 up to level 0.9999, in 1e9 up to 0.999999; NaN if an argument is not as said.
 *  @cost    O(freedom), at most 2000: beyond that a series in 1/freedom goes on from there.
 *  @source  Finite sums and series as in Abramowitz and Stegun, 26.7.3, 26.7.4 and 26.7.5.
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_student(double level, size_t freedom);

/** @} */

/*=============================================================================
 * MARK: - >>pieces
 *===========================================================================*/
/** @defgroup netmodel_pieces_room Pieces
 *  Lines with breaks: where a message library changes its protocol, a buffer ends, a cache is full. The best breaks for
 *  each number of pieces by dynamic programming, and the number by an information criterion.
 *  @{ */

/** One piece of a fit. */
typedef struct netmodel_piece {
    netmodel_line line;   /**< Its line. */
    double low;           /**< Where it begins, n [1]. */
    double high;          /**< Where it ends, n [1]; without a jump the next one begins there. */
    double variance_low;  /**< Variance of the line at `low`, in squares of the deviation. */
    double variance_high; /**< Variance at `high`. */
    double covariance;    /**< Covariance of the two. */
} netmodel_piece;

/** What to fit. */
typedef struct netmodel_pieces_desc {
    size_t most;          /**< Most pieces [1], 1 to NETMODEL_PIECES. */
    int exactly;          /**< Not 0: just so many, instead of as many as the criterion says. */
    int jumps;            /**< Not 0: pieces need not meet. */
    netmodel_error error; /**< Which errors to make small. */
} netmodel_pieces_desc;

/** Most pieces. */
#define NETMODEL_PIECES 16

/** A fit in pieces, which lie in the caller's array. */
typedef struct netmodel_pieces {
    netmodel_piece *piece; /**< `piece[count]`, ascending; the caller's array, as long as the fit lives. */
    size_t count;          /**< Number of pieces [1]. */
    size_t points;         /**< Points that it goes through [1]. */
    size_t freedom;       /**< Points less parameters [1]: two a piece with jumps, one more than pieces without, and one
                                a break. */
    netmodel_error error; /**< Which errors were made small. */
    double deviation;     /**< Standard deviation of the errors, [s] or relative [1]. */
    double criterion;     /**< What was made least over the numbers of pieces, see netmodel_fit_pieces(). */
} netmodel_pieces;

/** Scratch that netmodel_fit_pieces() needs.
 *
 *  @param[in] count   Points [1].
 *  @param[in] most    Most pieces [1].
 *  @return  Number of doubles.
 *  @since   0.1.0
 */
NETMODEL_API size_t netmodel_pieces_scratch(size_t count, size_t most);

/** Fits lines with breaks.
 *
 *  With jumps: the best of all partitions into runs of at least three points and two different n each, exactly, by
 *  dynamic programming over the ends of runs. Without: breaks at points of the data, dynamic programming over them, where
 *  the cost so far is a set of parabolas in the height of the break; up to 16 are kept at each, those that can be least.
 *  With more than 200 different n, every 200th part of them at first, and then each break moves to whichever point
 *  near it is best until none moves. The number of pieces, from 1 to `most`, makes least
 *
 *  `ln(sum of squared errors / (N - p)) + 0.299 p ln(N)^2.1 / N`
 *
 *  with p parameters, a break being one: Liu, Wu, Zidek, "On segmented multivariate regressions", Statistica Sinica 7
 *  (1997). Schwarz' criterion charges too little for a break, which can go wherever the noise wants it.
 *
 *  @param[out] fit      The fit; zeroed if it is refused.
 *  @param[in]  n        Elements or bytes, `n[count]` [1], finite, >= 0, never falling, at least two different.
 *  @param[in]  t        Times, `t[count]` [s], finite; > 0 for relative errors.
 *  @param[in]  count    Points [1], >= 3 for one piece and so many more for each further one.
 *  @param[in]  desc     What to fit; borrowed.
 *  @param[out] piece    The pieces, `piece[desc->most]`.
 *  @param[out] scratch  Working space, `scratch[netmodel_pieces_scratch(count, desc->most)]`.
 *  @param[out] where    If not NULL and a point is refused: its index. Else untouched.
 *  @return  NETMODEL_OK, _MISSING, _TOO_FEW (also for `exactly` so many), _NOT_FINITE, _NEGATIVE, _NOT_POSITIVE,
 *           _OUT_OF_RANGE, _BYTES_FALL, _ALL_ALIKE or _BAD_CHOICE.
 *  @cost    O(count^2) with jumps, O(count) without.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_fit_pieces(netmodel_pieces *fit, const double n[], const double t[], size_t count,
                                                 const netmodel_pieces_desc *desc, netmodel_piece piece[],
                                                 double scratch[], size_t *where);

/** What a fit in pieces says of a size, with intervals. The breaks are taken as known.
 *
 *  Between two pieces, where there are no points, the lower one's line goes on.
 *
 *  @param[in] fit     The fit; borrowed.
 *  @param[in] n       Elements or bytes [1], finite, >= 0.
 *  @param[in] level   Level of the intervals [1], between 0 and 1.
 *  @return  As netmodel_fit_predict().
 *  @since   0.1.0
 */
NETMODEL_API netmodel_prediction netmodel_pieces_predict(const netmodel_pieces *fit, double n, double level);

/** The curve that a fit in pieces is. A larger message never takes less, so where the fit falls the curve stays flat.
 *
 *  @param[in]  fit       The fit; borrowed.
 *  @param[out] curve     The curve; zeroed if the fit is none.
 *  @param[out] bytes     Its sizes, `bytes[2 * fit->count]` [B].
 *  @param[out] seconds   Its times, `seconds[2 * fit->count]` [s]. A jump is where the piece after it begins.
 *  @param[out] lifted    The largest part by which a time was lifted to keep it flat [1]: noise, if it is no more than
 *                        the deviation. May be NULL.
 *  @return  NETMODEL_OK; NETMODEL_NEGATIVE for a fit that promises negative times.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_curve_of_pieces(const netmodel_pieces *fit, netmodel_curve *curve, double bytes[],
                                                      double seconds[], double *lifted);

/** @} */

/*=============================================================================
 * MARK: - >>starmax
 *===========================================================================*/
/** @defgroup netmodel_starmax_room Star, max-min fair
 *  The other policy for the same star: what a transfer leaves unused of its share on one side goes to those who can use
 *  it, until nobody can get more without taking it from somebody who has less. Pure, over the caller's arrays. Follows
 *  [networks] section 6.5.2, progressive filling: all rates rise together, and where a link is full its transfers stay.
 *  @{ */

/** Max-min fair rates of all transfers through the star.
 *
 *  `rate[i] = weight[i] * level`, where `level` is that of the first link on its way to be full:
 *  `level = (bandwidth - what slower transfers take) / sum of the weights of the others`
 *
 *  @param[in]  nodes    Number of nodes [1].
 *  @param[in]  up       Bandwidth of each node to the switch [B/s], `up[nodes]`, >= 0 or INFINITY.
 *  @param[in]  down     Bandwidth of the switch to each node [B/s], `down[nodes]`, >= 0 or INFINITY.
 *  @param[in]  flows    Number of transfers [1]; may be 0.
 *  @param[in]  from     Sender of each, `from[flows]`, < nodes.
 *  @param[in]  to       Receiver of each, `to[flows]`, < nodes, another than the sender.
 *  @param[in]  weight   What each counts [1], `weight[flows]`, 1e-100 to 1e100; NULL: all the same.
 *  @param[out] rate     Rate of each [B/s], `rate[flows]`, INFINITY where both links are; zeroed if something is refused.
 *  @param[out] amounts  Working space, `amounts[6 * nodes]`.
 *  @param[out] lists    Working space, `lists[4 * nodes + 2 * flows]`.
 *  @return  NETMODEL_OK, _MISSING, _BAD_BANDWIDTH, _NO_SUCH_NODE, _SELF_FLOW or _BAD_WEIGHT.
 *  @cost    O(flows + nodes * rounds), a round for each different level, at most 2 * nodes; all to all on equal links
 *           is one round: 13 to 90 ns a flow from 64 to 1024 nodes. Weights of very different size may cost O(flows) a
 *           round more.
 *  @source  [networks] section 6.5.2.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_starmax_rates(size_t nodes, const double up[], const double down[], size_t flows,
                                                    const size_t from[], const size_t to[], const double weight[],
                                                    double rate[], double amounts[], size_t lists[]);

/** @} */

/*=============================================================================
 * MARK: - >>message
 *===========================================================================*/
/** @defgroup netmodel_message_room Message
 *  What a message costs whom: the sender packs and sends it, the network transmits it, the receiver takes it. Each of the
 *  four is a constant, a link, a line or a curve, and each pair of hosts may have its own, a host with itself too.
 *  Follows [clue], "Virtual Machines".
 *  @{ */

/** What a delay is made of. */
typedef enum netmodel_delay_kind {
    NETMODEL_DELAY_NONE = 0, /**< It takes no time. */
    NETMODEL_DELAY_CONSTANT, /**< As long for every message. */
    NETMODEL_DELAY_LINK,     /**< Latency, then a time for each byte. */
    NETMODEL_DELAY_LINE,     /**< Slope and intercept, as a fit gives them. */
    NETMODEL_DELAY_CURVE     /**< As measured. */
} netmodel_delay_kind;

/** A delay; zeroed, it takes no time. Only the member that its kind names counts. */
typedef struct netmodel_delay {
    netmodel_delay_kind kind; /**< Which of the others counts. */
    double constant;          /**< Time of a message of any size [s], finite, >= 0. */
    netmodel_link link;       /**< A link. */
    netmodel_line line;       /**< A line; its messages have elements instead of bytes. */
    netmodel_curve curve;     /**< A curve; its arrays are borrowed as long as the delay lives. */
} netmodel_delay;

/** A delay that does not depend on the size.
 *
 *  @param[in] seconds   The delay [s], finite, >= 0.
 *  @return  The delay.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_delay netmodel_delay_constant(double seconds);

/** A delay by a link.
 *
 *  @param[in] link   The link, such as netmodel_link_of() gives.
 *  @return  The delay.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_delay netmodel_delay_link(netmodel_link link);

/** A delay by a line.
 *
 *  @param[in] line   The line.
 *  @return  The delay.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_delay netmodel_delay_line(netmodel_line line);

/** A delay by a curve.
 *
 *  @param[in] curve   The curve, as netmodel_curve_init() made it; its arrays are borrowed as long as the delay lives.
 *  @return  The delay.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_delay netmodel_delay_curve(netmodel_curve curve);

/** Time of a delay.
 *
 *  @param[in] delay   The delay; borrowed.
 *  @param[in] bytes   Message size [B], of a line its elements [1]; finite, >= 0.
 *  @return  Time [s]; INFINITY if it exceeds the largest double; NaN if the size or a number of the model is out of range,
 *           the kind is unknown, or the time is negative, as a fitted line can give for small messages.
 *  @source  [clue], "Virtual Machines".
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_delay_time(const netmodel_delay *delay, double bytes);

/** The delays of a message; zeroed, it takes no time. */
typedef struct netmodel_message {
    netmodel_delay pack;     /**< Sender: memory into the send buffer. */
    netmodel_delay send;     /**< Sender: in the send call, until it is free again. */
    netmodel_delay transmit; /**< Nobody: from there until the message is at the receiver's host. */
    netmodel_delay receive;  /**< Receiver: in the receive call, once the message is there. */
} netmodel_message;

/** Time of a message whose receiver waits for it.
 *
 *  `T = pack + send + transmit + receive`
 *
 *  @param[in] message   The message's delays; borrowed.
 *  @param[in] bytes     Message size [B], finite, >= 0.
 *  @return  Time from the begin of packing until the receiver has it [s]; NaN if one of the delays is.
 *  @source  [clue], "Virtual Machines".
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_message_time(const netmodel_message *message, double bytes);

/** The moments of a message. */
typedef struct netmodel_message_times {
    double sent;     /**< The sender is free again [s]. */
    double arrived;  /**< The message is at the receiver's host [s]. */
    double received; /**< The receiver has it [s]. */
} netmodel_message_times;

/** When the sender of a message is free again, and when the receiver has it.
 *
 *  `sent = begin + pack + send`, `arrived = sent + transmit`, `received = max(arrived, asked) + receive`
 *
 *  @param[in] message   The message's delays; borrowed.
 *  @param[in] bytes     Message size [B], finite, >= 0.
 *  @param[in] begin     When the sender begins to pack [s], finite.
 *  @param[in] asked     When the receiver asks for it [s], finite.
 *  @return  The moments [s]; all NaN if an argument or a delay is not as said.
 *  @source  [clue], "Virtual Machines" and figure 3.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_message_times netmodel_message_when(const netmodel_message *message, double bytes, double begin,
                                                          double asked);

/** The delays of one ordered pair of hosts. */
typedef struct netmodel_message_pair {
    size_t from;                     /**< Host that sends. */
    size_t to;                       /**< Host that receives; may be the same. */
    const netmodel_message *message; /**< Their delays; borrowed. */
} netmodel_message_pair;

/** Delays for every pair of hosts; zeroed, no message takes time. Fill it with netmodel_messages_init(), which checks,
 *  or only `usual` by hand. */
typedef struct netmodel_messages {
    const netmodel_message *usual; /**< For every pair that is not in the table; borrowed. NULL: no time. */
    const netmodel_message *self;  /**< For a host with itself that is not in the table; borrowed. NULL: as usual. */
    const netmodel_message_pair *pair; /**< The table, `pair[count]`, ascending; borrowed. */
    size_t count;                      /**< Pairs in it [1]. */
} netmodel_messages;

/** A table of delays over the caller's pairs, once they are found in order.
 *
 *  @param[out] messages   The table; zeroed if the pairs are refused.
 *  @param[in]  usual      For every pair that is not in the table; NULL: no time. Borrowed as long as the table lives.
 *  @param[in]  self       For a host with itself, if that is not in the table; NULL: as usual. Borrowed likewise.
 *  @param[in]  pair       The pairs, `pair[count]`, ascending by `from`, then by `to`, none twice; borrowed likewise.
 *  @param[in]  count      Number of pairs [1]; may be 0.
 *  @param[out] where      If not NULL and a pair is refused: its index. Else untouched.
 *  @return  NETMODEL_OK, _MISSING or _PAIRS_FALL.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_messages_init(netmodel_messages *messages, const netmodel_message *usual,
                                                    const netmodel_message *self, const netmodel_message_pair *pair,
                                                    size_t count, size_t *where);

/** The delays of a message from one host to another.
 *
 *  @param[in] messages   The table; borrowed.
 *  @param[in] from       Host that sends, any number.
 *  @param[in] to         Host that receives; may be the same.
 *  @return  The delays: the pair's own, else `self` if it is one host, else `usual`, else none. Never NULL; it lives as
 *           long as what it was made of.
 *  @cost    A binary search.
 *  @since   0.1.0
 */
NETMODEL_API const netmodel_message *netmodel_messages_between(const netmodel_messages *messages, size_t from,
                                                               size_t to);

/** @} */

/*=============================================================================
 * MARK: - >>timing
 *===========================================================================*/
/** @defgroup netmodel_timing_room Timing graph
 *  A parallel program as a graph: for each node the segments that it goes through, code and messages. The program takes
 *  as long as the node whose segments sum up to most, where a receive waits for its send, and a synchronous send for its
 *  receive. Segments know their source lines, so that a prediction points back into the program. The caller's arrays, no
 *  allocation. Follows [dpgraph] section 3; the waiting is ours, the paper's sums take it as part of a receive.
 *  @{ */

/** What a segment does. */
typedef enum netmodel_segment_kind {
    NETMODEL_CODE = 0, /**< Computes. */
    NETMODEL_SEND,     /**< Sends a message to `peer`. */
    NETMODEL_RECEIVE   /**< Receives a message from `peer`. */
} netmodel_segment_kind;

/** The send modes of MPI, as usual indices into the modes of a graph. Any other meaning may be given to the numbers. */
typedef enum netmodel_send_mode {
    NETMODEL_STANDARD = 0, /**< MPI_Send. */
    NETMODEL_BUFFERED,     /**< MPI_Bsend. */
    NETMODEL_READY,        /**< MPI_Rsend. */
    NETMODEL_SYNCHRONOUS   /**< MPI_Ssend. */
} netmodel_send_mode;

/** A segment; zeroed, it is code that takes no time. */
typedef struct netmodel_segment {
    netmodel_segment_kind kind; /**< What it does. */
    double seconds;             /**< Code: its time [s], finite, >= 0. */
    size_t peer;                /**< Send, receive: the other node; may be its own. */
    size_t message;   /**< Send, receive: which message between the two, as a tag: the k-th send of this number
                                     goes to the k-th receive of it. */
    size_t mode;      /**< Send: how, an index into the modes of the graph. */
    double size;      /**< Send: bytes [B], or elements where the mode's delays are lines over elements [1]. */
    const char *file; /**< Source file; borrowed. NULL: not known. */
    int line;         /**< Source line [1]; 0: not known. */
} netmodel_segment;

/** What a way of sending costs; zeroed, no time, and nobody waits but a receive for its message. */
typedef struct netmodel_mode {
    netmodel_messages messages; /**< The delays by pair of nodes. The sender takes pack + send, the receiver receive. */
    int synchronous;            /**< Not 0: a send first waits until its receive has begun. */
    int together;               /**< Not 0: receive was measured with both sides beginning at once, so that sending and
                                     the wire are in it: it counts from the begin of the send (plus transmit). */
} netmodel_mode;

/** What a node does. */
typedef struct netmodel_timing_node {
    const netmodel_segment *segment; /**< Its segments in order, `segment[count]`; borrowed, may be shared by nodes. */
    size_t count;                    /**< Number of them [1]; may be 0. */
} netmodel_timing_node;

/** A program. */
typedef struct netmodel_timing {
    const netmodel_timing_node *node; /**< What each node does, `node[nodes]`; borrowed. */
    size_t nodes;                     /**< Number of nodes [1]. */
    const netmodel_mode *mode;        /**< Ways of sending, `mode[modes]`; borrowed. */
    size_t modes;                     /**< Number of them [1]. */
} netmodel_timing;

/** When a segment ran. From begin to ready it waits, from ready to end it works. */
typedef struct netmodel_timing_span {
    double begin;   /**< The node comes to it [s]. */
    double ready;   /**< What it waits for is there [s]. */
    double end;     /**< The node goes on [s]. */
    size_t partner; /**< Index of the span of its receive or its send; its own if it is code. */
} netmodel_timing_span;

/** The segments of a node, summed up. */
typedef struct netmodel_timing_sum {
    size_t first;   /**< Index of its first span. */
    double working; /**< Time that it works [s]. */
    double waiting; /**< Time that it waits [s]. */
    double time;    /**< When its last segment ends [s]: the two together. */
} netmodel_timing_sum;

/** The time of a program. */
typedef struct netmodel_timing_total {
    double time; /**< Its time [s], that of its slowest node. */
    size_t node; /**< That node; the first of them. */
} netmodel_timing_total;

/** A segment of a graph. */
typedef struct netmodel_timing_place {
    size_t node;    /**< Index of the node. */
    size_t segment; /**< Index of the segment in it. */
} netmodel_timing_place;

/** What a source line takes of a node's time. */
typedef struct netmodel_timing_line {
    const char *file; /**< The file, as the segments say; may be NULL. */
    int line;         /**< The line [1]. */
    size_t first;     /**< The node's first segment at it, an index in the node. */
    size_t segments;  /**< How many segments of the node are at it [1]. */
    double working;   /**< Time that the node works at it [s]. */
    double waiting;   /**< Time that the node waits at it [s]. */
    double part;      /**< The two together, as a part of the node's time [1], 0 to 1. */
} netmodel_timing_line;

/** Number of segments in a program, and so of spans.
 *
 *  @param[in] graph   The program; borrowed.
 *  @return  The number [1]; 0 if `node` is NULL.
 *  @since   0.1.0
 */
NETMODEL_API size_t netmodel_timing_segments(const netmodel_timing *graph);

/** Predicts a program.
 *
 *  `T = max over nodes of the sum of their segments`
 *
 *  Code takes its seconds. A send takes pack + send of its mode; a synchronous one first waits for the begin of its
 *  receive. A receive waits until the end of its send (`together`: the begin of it or, if synchronous, of both) and for
 *  transmit after that; then it takes receive.
 *
 *  @param[in]  graph     The program; borrowed.
 *  @param[out] total     Its time and its slowest node; zeroed if it is refused.
 *  @param[out] sum       Of each node, `sum[nodes]`; zeroed if it is refused.
 *  @param[out] span      Of each segment, node after node, `span[netmodel_timing_segments(graph)]`; zeroed likewise.
 *  @param[out] scratch   Working space, `scratch[netmodel_timing_segments(graph) + 2 * nodes]`.
 *  @param[out] where     If not NULL and a segment is refused: which. Else untouched.
 *  @return  NETMODEL_OK, _MISSING, _EMPTY, or of a segment _BAD_CHOICE (a kind), _BAD_TIME, _NO_SUCH_PEER, _NO_SUCH_MODE,
 *           _NO_SEND, _NO_RECEIVE; _WAIT_CYCLE with the first node of those that wait for each other in a circle, and
 *           the segment where it waits.
 *  @cost    O(s log s) for s segments, nearly all of it to find the receive of each send: 0.2 us a segment for 300 000.
 *  @source  [dpgraph] section 3.2; waiting as in [clue], "Virtual Time".
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_timing_predict(const netmodel_timing *graph, netmodel_timing_total *total,
                                                     netmodel_timing_sum sum[], netmodel_timing_span span[],
                                                     size_t scratch[], netmodel_timing_place *where);

/** The source lines of a node by what they take of its time, the dearest first.
 *
 *  Lines are one if number and name of the file are the same, letter by letter.
 *
 *  @param[in]  graph   The program; borrowed.
 *  @param[in]  sum     As netmodel_timing_predict() filled it, `sum[nodes]`.
 *  @param[in]  span    As netmodel_timing_predict() filled it.
 *  @param[in]  node    Which node.
 *  @param[out] line    The lines, `line[graph->node[node].count]`, of which the first `*count` are filled.
 *  @param[out] count   Number of different lines [1]; 0 if something is refused.
 *  @return  NETMODEL_OK, _MISSING or _NO_SUCH_PEER.
 *  @cost    O(s log s) for the s segments of the node.
 *  @source  [dpgraph] section 1, analysis bound back to the source code.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_timing_lines(const netmodel_timing *graph, const netmodel_timing_sum sum[],
                                                   const netmodel_timing_span span[], size_t node,
                                                   netmodel_timing_line line[], size_t *count);

/** @} */

/*=============================================================================
 * MARK: - >>scaling
 *===========================================================================*/
/** @defgroup netmodel_scaling_room Scaling
 *  How long a program takes on many processes, from runs on few: each process keeps its work, as more come the parallel
 *  overhead grows with their logarithm. `work` is the memory of a process in any one unit, say MB: for a multilevel
 *  solver computing goes with it. A model holds for one code, one cluster and one length of the messages. Follows
 *  [multigrid] section IV, eqs. 1 to 5.
 *  @{ */

/** A run, as measured. */
typedef struct netmodel_run {
    size_t processes; /**< On so many processes [1], >= 1. */
    double work;      /**< Work of each [MB], finite, >= 0. */
    double seconds;   /**< Time of the run [s], finite, > 0. */
} netmodel_run;

/** How parameters come out of runs. */
typedef enum netmodel_scaling_method {
    NETMODEL_SCALING_STEPS = 0, /**< Steps 3 and 4 of the paper: a line over work for each number of processes; c and d
                                     from their intercepts, g the slope of the largest number. 2 parameters for each
                                     number: from two sizes of work they are exact. */
    NETMODEL_SCALING_POOLED     /**< The same model, one g for all: 3 parameters by one least squares fit to all runs on
                                     more than one process. Its intervals are less than half as
                                     wide, see docs/netmodel.md. */
} netmodel_scaling_method;

/** How to fit; zeroed: the paper's steps, errors from the residuals. */
typedef struct netmodel_scaling_desc {
    netmodel_scaling_method method; /**< How parameters come out of runs. */
    double error;                   /**< Standard deviation of a run's time relative to it [1], finite, >= 0, such as
                                         0.02, if you know it. 0: what the residuals say. */
} netmodel_scaling_desc;

/** The freedom of a deviation that needs not be judged. */
#define NETMODEL_KNOWN ((size_t)-1)

/** A fitted model. Values: copy it, keep it, predict from it. Filled by hand with start, per_work, c, d and g, the rest
 *  zero, it predicts times, in intervals without end. */
typedef struct netmodel_scaling {
    double start;     /**< Tcomp, the part that does not depend on work [s]. */
    double per_work;  /**< Tcomp, for each unit of work [s/MB]. */
    double c;         /**< Overhead, the part that all have [s]. */
    double d;         /**< Overhead, for each doubling of the processes [s]. */
    double g;         /**< Overhead, for each unit of work of a process [s/MB]. */
    double c_error;   /**< Standard error of c [s]; INFINITY if there is nothing to judge it by. */
    double d_error;   /**< Standard error of d [s]; likewise. */
    double g_error;   /**< Standard error of g [s/MB]; likewise. */
    double deviation; /**< Standard deviation of a run relative to its time [1]; likewise. */
    size_t freedom;   /**< Runs less parameters, by which deviation is judged [1]; NETMODEL_KNOWN: it was told; 0:
                                nothing tells it. */
    double low;       /**< Least work of the runs [MB]. */
    double high;      /**< Most work of the runs [MB]. */
    double one[3];    /**< For intervals: (co)variances of start, per_work on one process: 11, 12, 22. */
    double many[6];   /**< For intervals: of start + c, d, per_work + g on more: 11, 12, 13, 22, 23, 33. Both in
                                squares of deviation. */
} netmodel_scaling;

/** Fits a model to runs on one process and on few: steps 1 to 4 of the paper.
 *
 *  `T(1, work) = Tcomp = start + per_work work`, `T(np, work) = Tcomp + c + d log2(np) + g work`
 *
 *  Least squares of the relative errors, weighted by a first, unweighted fit. Runs may be repeated: that is what errors
 *  come from, as the residuals over `freedom` = runs - parameters (2 for one process, and those of the method). The six
 *  runs that the paper asks for, on 1, 4 and 8 processes at two sizes each, leave no freedom to its steps: the parameters
 *  go through them, and all errors are those that `desc->error` tells.
 *
 *  @param[out] scaling   The model; zeroed if the runs are refused.
 *  @param[in]  run       The runs, `run[count]`, in any order: on one process at two sizes of work or more; on two other
 *                        numbers of processes or more, for the steps at two sizes each.
 *  @param[in]  count     Number of runs [1].
 *  @param[in]  desc      How to fit; borrowed. NULL: zeroed.
 *  @param[out] where     If not NULL and a run is refused: its index. Else untouched.
 *  @return  NETMODEL_OK, _MISSING, _BAD_CHOICE (a method), _BAD_ERROR, _BAD_RUN, _OUT_OF_RANGE or _TOO_FEW.
 *  @cost    O(count) for each different number of processes.
 *  @source  [multigrid] section IV, eqs. 1 to 4, steps 1 to 4.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_scaling_fit(netmodel_scaling *scaling, const netmodel_run run[], size_t count,
                                                  const netmodel_scaling_desc *desc, size_t *where);

/** What being parallel costs: step 5 of the paper.
 *
 *  `Tcomm = c + d log2(np) + g work`
 *
 *  @param[in] scaling     The model; borrowed.
 *  @param[in] processes   Number of processes np [1], >= 1; on one there is no overhead, and it is 0.
 *  @param[in] work        Work of each [MB], finite, >= 0.
 *  @return  Overhead [s], negative where the model is; NaN if an argument is not as said.
 *  @source  [multigrid] section IV, eqs. 2 to 4.
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_scaling_overhead(const netmodel_scaling *scaling, size_t processes, double work);

/** Time of a run: step 6 of the paper.
 *
 *  `T = Tcomp + Tcomm`
 *
 *  @param[in] scaling     The model; borrowed.
 *  @param[in] processes   Number of processes [1], >= 1.
 *  @param[in] work        Work of each [MB], finite, >= 0.
 *  @return  Time [s], negative where the model is; NaN if an argument is not as said.
 *  @source  [multigrid] section IV, eq. 1.
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_scaling_time(const netmodel_scaling *scaling, size_t processes, double work);

/** Time of a run, with intervals.
 *
 *  `time +- t(level, freedom) deviation sqrt(x' V x)`, for the next run `sqrt(x' V x + time^2)`, x = (1, log2 np, work)
 *
 *  @param[in] scaling     The model; borrowed.
 *  @param[in] processes   Number of processes [1], >= 1.
 *  @param[in] work        Work of each [MB], finite, >= 0.
 *  @param[in] level       Level of the intervals [1], between 0 and 1, such as 0.95.
 *  @return  The prediction; all NaN if an argument is not as said. A lower end may be negative; where nothing tells the
 *           errors, the intervals are without end.
 *  @cost    Some 10 us, nearly all of it netmodel_student().
 *  @source  [multigrid] section IV; intervals as of any linear regression.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_prediction netmodel_scaling_predict(const netmodel_scaling *scaling, size_t processes,
                                                          double work, double level);

/** The part of a job that runs on one cluster. */
typedef struct netmodel_scaling_part {
    const netmodel_scaling *scaling; /**< The model of the cluster; borrowed. */
    size_t processes;                /**< Number of processes there [1]. */
    double work;                     /**< Work of each of these [MB]. */
} netmodel_scaling_part;

/** Time of one job on several clusters: the slowest counts.
 *
 *  `T = max(T_A, T_B, ...)`
 *
 *  An upper end is the largest of the parts' at `1 - (1 - level) / count`, a lower end the largest of the parts' at
 *  `level`: the intervals hold at least at the level.
 *
 *  @param[in] part    The parts, `part[count]`.
 *  @param[in] count   Number of clusters [1], >= 1.
 *  @param[in] level   Level of the intervals [1], between 0 and 1.
 *  @return  The prediction, `outside` if a part is; all NaN if an argument or a part is not as said.
 *  @source  [multigrid] section V.B, eq. 5: what clusters say to each other is little beside their difference.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_prediction netmodel_scaling_together(const netmodel_scaling_part part[], size_t count,
                                                           double level);

/** @} */

/*=============================================================================
 * MARK: - >>choice
 *===========================================================================*/
/** @defgroup netmodel_choice_room Choice
 *  Which clusters to take for which grid: every choice with its time and what it costs, and of these the fastest, the
 *  cheapest, or the finest grid that a budget allows. The list is the caller's array. Follows [multigrid] section V.C,
 *  scenarios 1 and 2.
 *  @{ */

/** Most clusters of one question. */
#define NETMODEL_CLUSTERS 8

/** A cluster on offer. The same one with another network is another, which is `alone`. */
typedef struct netmodel_cluster {
    size_t free;   /**< Processors that are free [1]. */
    double memory; /**< Memory of a processor [MB], > 0; INFINITY: no limit. */
    double price;  /**< Of a processor for an hour [1/h], in any money, finite, >= 0. */
    int alone;     /**< Not 0: a job on it cannot span other clusters too. */
    const size_t
        *tries;   /**< Numbers of processors to think of, `tries[count]`, each 1 to free; borrowed. NULL: all that
                              are free, or none. */
    size_t count; /**< How many numbers [1]; 0 without `tries`. */
} netmodel_cluster;

/** A grid that may be solved. */
typedef struct netmodel_grid {
    double side;                     /**< How fine it is: the larger the finer, such as points along a side [1]. */
    double work;                     /**< Its memory in all [MB], finite, > 0. */
    const netmodel_scaling *scaling; /**< What it takes on each cluster, `scaling[clusters]`, fitted with its length of
                                          messages; borrowed. */
} netmodel_grid;

/** How the grid is shared out where a job spans clusters. */
typedef enum netmodel_split {
    NETMODEL_SPLIT_EQUAL = 0, /**< All processes get the same work. */
    NETMODEL_SPLIT_BALANCED   /**< All clusters end at once, as far as memory allows. */
} netmodel_split;

/** What there is to choose from. */
typedef struct netmodel_choice_desc {
    const netmodel_cluster *cluster; /**< The clusters, `cluster[clusters]`; borrowed. */
    size_t clusters;                 /**< How many [1], 1 to NETMODEL_CLUSTERS. */
    const netmodel_grid *grid;       /**< The grids, `grid[grids]`; borrowed. */
    size_t grids;                    /**< How many [1], >= 1. */
    netmodel_split split;            /**< How a grid is shared out. */
    double level; /**< Level of the intervals [1], between 0 and 1; 0: none, their ends are the time. */
} netmodel_choice_desc;

/** One choice. */
typedef struct netmodel_choice {
    size_t grid;                         /**< Index of the grid. */
    double side;                         /**< How fine it is [1]. */
    size_t processes[NETMODEL_CLUSTERS]; /**< Processors of each cluster [1]; 0: it has no part. */
    double work[NETMODEL_CLUSTERS];      /**< Work of each of its processes [MB]. */
    double time;                         /**< Time [s]; NaN if the model promises none that is > 0. */
    double low;                          /**< Prediction interval, lower end [s]. */
    double high;                         /**< Its upper end [s]. */
    double cost;                         /**< What it costs, in the money of the prices; NaN if time is. */
    int outside;                         /**< Not 0: beyond the work that the models have seen. */
} netmodel_choice;

/** What processors cost that are held until the job ends.
 *
 *  `cost = seconds / 3600 * sum of processes * price`
 *
 *  @param[in] seconds     Time of the job [s], finite, >= 0.
 *  @param[in] clusters    Number of clusters [1].
 *  @param[in] processes   Processors of each [1], `processes[clusters]`.
 *  @param[in] price       Of a processor of each for an hour [1/h], `price[clusters]`, finite, >= 0.
 *  @return  Cost, in the money of the prices; NaN if an argument is not as said.
 *  @source  [multigrid] section V.C, scenario 2.
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_choice_cost(double seconds, size_t clusters, const size_t processes[],
                                         const double price[]);

/** Lists every choice that has memory enough: each grid on each cluster, and on each set of clusters that can work
 *  together, with each number of processors on each.
 *
 *  @param[in]  desc    What there is to choose from; borrowed.
 *  @param[out] list    The choices, `list[room]`, grid by grid; zeroed if something but its length is refused.
 *  @param[in]  room    How many it can take [1]; 0 only counts, and then it may be NULL.
 *  @param[out] count   How many there are [1], also if they are more than room; 0 if something else is refused.
 *  @param[out] where   If not NULL and a cluster or a grid is refused: its index. Else untouched.
 *  @return  NETMODEL_OK, _MISSING, _EMPTY, _BAD_CLUSTER (also for too many), _BAD_GRID, _BAD_LEVEL,
 *           _BAD_CHOICE (a split), or _LIST_FULL if they are more than room: the first are in the list.
 *  @cost    A prediction a choice; the product over the clusters of 1 + their numbers of processors, for each grid.
 *  @source  [multigrid] section V.C.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_choice_list(const netmodel_choice_desc *desc, netmodel_choice list[], size_t room,
                                                  size_t *count, size_t *where);

/** The fastest choice for a grid; of equals the cheaper, then the first.
 *
 *  @param[in] list     The choices, `list[count]`.
 *  @param[in] count    Number of choices [1].
 *  @param[in] grid     Index of the grid.
 *  @param[in] budget   Most that it may cost, in the money of the prices; INFINITY: no limit.
 *  @return  Index of the choice; `count` if there is none.
 *  @source  [multigrid] section V.C, scenario 1.
 *  @since   0.1.0
 */
NETMODEL_API size_t netmodel_choice_fastest(const netmodel_choice list[], size_t count, size_t grid, double budget);

/** The cheapest choice for a grid; of equals the faster, then the first.
 *
 *  @param[in] list       The choices, `list[count]`.
 *  @param[in] count      Number of choices [1].
 *  @param[in] grid       Index of the grid.
 *  @param[in] deadline   Most that it may take [s]; INFINITY: no limit.
 *  @return  Index of the choice; `count` if there is none.
 *  @source  [multigrid] section V.C.
 *  @since   0.1.0
 */
NETMODEL_API size_t netmodel_choice_cheapest(const netmodel_choice list[], size_t count, size_t grid, double deadline);

/** The finest grid that money and time allow, and the cheapest choice for it; of equals the faster, then the first.
 *
 *  @param[in] list       The choices, `list[count]`.
 *  @param[in] count      Number of choices [1].
 *  @param[in] budget     Most that it may cost, in the money of the prices; INFINITY: no limit.
 *  @param[in] deadline   Most that it may take [s]; INFINITY: no limit.
 *  @return  Index of the choice; `count` if there is none.
 *  @source  [multigrid] section V.C, scenario 2.
 *  @since   0.1.0
 */
NETMODEL_API size_t netmodel_choice_finest(const netmodel_choice list[], size_t count, double budget, double deadline);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* NETMODEL_H */

/*
 *  The body, once per file.
 */
#if (defined(NETMODEL_IMPLEMENTATION) || defined(NETMODEL_STATIC)) && !defined(NETMODEL_IMPLEMENTED)
#define NETMODEL_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "netmodel.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "netmodel.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(NETMODEL_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "netmodel.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define NETMODEL_ANY_FLOAT"
#endif

/*=============================================================================
 * MARK: - >>arithmetic (private)
 *===========================================================================*/
/* What every formula below leans on: a product, and the test that a number is one we can reckon with. */

/* A product that is rounded before anything is added to it. The language lets a compiler fuse a*b + c into one
 * instruction that rounds once; whether it does depends on processor, compiler and flags, and the last bit with it. One
 * such bit turns a tie of two events into an order. So the product passes through a barrier, which costs no instruction. */
static double netmodel__times(double a, double b)
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
static int netmodel__amount(double x)
{
    return x >= 0 && x < HUGE_VAL;
}

/* Not a number. Not isnan(), which is a template in C++ that an object without optimization would export. */
static int netmodel__nan(double x)
{
    return !(x >= 0 || x < 0);
}

/*=============================================================================
 * MARK: - >>results (body)
 *===========================================================================*/
NETMODEL_API const char *netmodel_result_text(netmodel_result result)
{
    switch (result) {
    case NETMODEL_OK: return "all is well";
    case NETMODEL_MISSING: return "a pointer is NULL that has something to point at";
    case NETMODEL_EMPTY: return "a curve needs at least one point";
    case NETMODEL_NOT_FINITE: return "the bytes and seconds of a point must be finite numbers";
    case NETMODEL_NEGATIVE: return "the bytes and seconds of a point must not be negative";
    case NETMODEL_BYTES_FALL: return "a point must not have fewer bytes than the point before it";
    case NETMODEL_BYTES_THRICE: return "no more than two points, a jump, may have the same bytes";
    case NETMODEL_SECONDS_FALL: return "a point must not have fewer seconds than the point before it";
    case NETMODEL_BAD_BANDWIDTH: return "the bandwidth of a node must not be negative or NaN";
    case NETMODEL_NO_SUCH_NODE: return "a flow must go between nodes that there are";
    case NETMODEL_SELF_FLOW: return "a flow from a node to itself does not use the star";
    case NETMODEL_TOO_FEW: return "there are fewer points than the fit needs";
    case NETMODEL_NOT_POSITIVE: return "a time must be positive for an error to be relative to it";
    case NETMODEL_ALL_ALIKE: return "a line needs points of at least two sizes";
    case NETMODEL_BAD_CHOICE: return "a choice is none of those there are";
    case NETMODEL_BAD_WEIGHT: return "the weight of a flow must be between 1e-100 and 1e100";
    case NETMODEL_PAIRS_FALL: return "pairs of hosts must ascend, by sender and then by receiver, none twice";
    case NETMODEL_BAD_TIME: return "the time of a segment must be a finite number and not negative";
    case NETMODEL_NO_SUCH_PEER: return "a send or receive must name a node that there is";
    case NETMODEL_NO_SUCH_MODE: return "a send must name a mode that there is";
    case NETMODEL_NO_SEND: return "a receive waits for a message that its peer never sends";
    case NETMODEL_NO_RECEIVE: return "a send has no receive at its peer";
    case NETMODEL_WAIT_CYCLE: return "nodes wait for each other in a circle";
    case NETMODEL_BAD_RUN: return "a run needs a process, work that is not negative, and a time that is positive";
    case NETMODEL_BAD_ERROR: return "the relative error of a run must be a finite number and not negative";
    case NETMODEL_BAD_CLUSTER: return "a cluster needs memory, a price that is not negative, and tries that are free";
    case NETMODEL_BAD_GRID: return "a grid needs work that is positive, and a model for each cluster";
    case NETMODEL_BAD_LEVEL: return "the level of an interval must be between 0 and 1";
    case NETMODEL_LIST_FULL: return "the list is too short for all choices";
    case NETMODEL_OUT_OF_RANGE: return "a size or time of a fit must be 0 or between 1e-40 and 1e40";
    }
    return "not a result of netmodel.h";
}

/*=============================================================================
 * MARK: - >>link (body)
 *===========================================================================*/
NETMODEL_API netmodel_link netmodel_link_of(double latency, double bandwidth)
{
    netmodel_link link = { NAN, NAN };

    if (netmodel__amount(latency) && bandwidth > 0 && netmodel__amount(1 / bandwidth)) {
        link.latency = latency;
        link.byte_time = 1 / bandwidth;
    }
    return link;
}

NETMODEL_API double netmodel_link_bandwidth(const netmodel_link *link)
{
    if (!netmodel__amount(link->byte_time)) return NAN;
    return link->byte_time > 0 ? 1 / link->byte_time : HUGE_VAL;
}

NETMODEL_API double netmodel_link_time(const netmodel_link *link, double bytes)
{
    if (!netmodel__amount(bytes) || !netmodel__amount(link->latency) || !netmodel__amount(link->byte_time)) return NAN;
    return link->latency + netmodel__times(bytes, link->byte_time);
}

/*=============================================================================
 * MARK: - >>line (body)
 *===========================================================================*/
NETMODEL_API netmodel_line netmodel_line_from_parts(const netmodel_line_parts *parts)
{
    netmodel_line line;

    line.slope = parts->memory_to_buffer + parts->wire + parts->buffer_to_memory;
    line.intercept = parts->latency;
    return line;
}

NETMODEL_API double netmodel_line_time(const netmodel_line *line, double n)
{
    const int finite = fabs(line->slope) < HUGE_VAL && fabs(line->intercept) < HUGE_VAL;
    return finite && netmodel__amount(n) ? netmodel__times(line->slope, n) + line->intercept : (double)NAN;
}

/*=============================================================================
 * MARK: - >>curve (body)
 *===========================================================================*/
/* What is wrong with point i, the points before it being in order. */
static netmodel_result netmodel__curve_check(const double *bytes, const double *seconds, size_t i)
{
    if (!(fabs(bytes[i]) < HUGE_VAL && fabs(seconds[i]) < HUGE_VAL)) return NETMODEL_NOT_FINITE;
    if (bytes[i] < 0 || seconds[i] < 0) return NETMODEL_NEGATIVE;
    if (i >= 1 && bytes[i] < bytes[i - 1]) return NETMODEL_BYTES_FALL;
    if (i >= 2 && bytes[i] <= bytes[i - 2]) return NETMODEL_BYTES_THRICE;
    if (i >= 1 && seconds[i] < seconds[i - 1]) return NETMODEL_SECONDS_FALL;
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_curve_init(netmodel_curve *curve, const double *bytes, const double *seconds,
                                                 size_t count, size_t *where)
{
    size_t i;

    if (curve == NULL) return NETMODEL_MISSING;
    curve->bytes = NULL;
    curve->seconds = NULL;
    curve->count = 0;
    if (count == 0) return NETMODEL_EMPTY;
    if (bytes == NULL || seconds == NULL) return NETMODEL_MISSING;

    for (i = 0; i < count; i++) {
        netmodel_result result = netmodel__curve_check(bytes, seconds, i);
        if (result != NETMODEL_OK) {
            if (where != NULL) *where = i;
            return result;
        }
    }
    curve->bytes = bytes;
    curve->seconds = seconds;
    curve->count = count;
    return NETMODEL_OK;
}

NETMODEL_API double netmodel_curve_time(const netmodel_curve *curve, double bytes)
{
    const double *b = curve->bytes, *t = curve->seconds;
    size_t low = 0, among = curve->count, first;
    double width, rise, time;

    if (among == 0 || !netmodel__amount(bytes)) return NAN;
    if (bytes < b[0] || among == 1) return t[0];

    /* the last point at or before, so at a jump the upper one: it is among the `among` points from low on */
    while (among > 1) {
        size_t half = among / 2;
        low += b[low + half] <= bytes ? half : 0;
        among -= half;
    }

    /* the piece whose slope counts starts here; beyond the last point it is the last one */
    first = low + 1 < curve->count ? low : low - 1;
    width = b[first + 1] - b[first];
    rise = t[first + 1] - t[first];
    if (!(width > 0 && rise > 0)) return t[low];
    time = t[low] + netmodel__times((bytes - b[low]) / width, rise);

    /* rounding must not lift the end of a piece above the start of the next */
    return low == first && time > t[first + 1] ? t[first + 1] : time;
}

/*=============================================================================
 * MARK: - >>star (body)
 *===========================================================================*/
NETMODEL_API double netmodel_star_rate(double up, double out, double down, double in)
{
    if (!(up >= 0 && down >= 0 && out >= 1 && in >= 1 && out < HUGE_VAL && in < HUGE_VAL)) return NAN;
    return up / out < down / in ? up / out : down / in;
}

NETMODEL_API netmodel_result netmodel_star_rates(size_t nodes, const double up[], const double down[], size_t flows,
                                                 const size_t from[], const size_t to[], double rate[], size_t out[],
                                                 size_t in[])
{
    size_t i;

    if (nodes > 0 && (up == NULL || down == NULL || out == NULL || in == NULL)) return NETMODEL_MISSING;
    if (flows > 0 && (from == NULL || to == NULL || rate == NULL)) return NETMODEL_MISSING;

    for (i = 0; i < nodes; i++) {
        if (!(up[i] >= 0 && down[i] >= 0)) return NETMODEL_BAD_BANDWIDTH;
        out[i] = in[i] = 0;
    }
    for (i = 0; i < flows; i++) {
        if (from[i] >= nodes || to[i] >= nodes) return NETMODEL_NO_SUCH_NODE;
        if (from[i] == to[i]) return NETMODEL_SELF_FLOW;
        out[from[i]]++;
        in[to[i]]++;
    }
    for (i = 0; i < flows; i++) {
        size_t a = from[i], z = to[i];
        rate[i] = netmodel_star_rate(up[a], (double)out[a], down[z], (double)in[z]);
    }
    return NETMODEL_OK;
}

/*=============================================================================
 * MARK: - >>fit (body)
 *===========================================================================*/
/* What point i weighs: with relative errors a square of an error is divided by the square of its time. */
static double netmodel__weight(double t, netmodel_error error)
{
    return error == NETMODEL_RELATIVE ? 1 / netmodel__times(t, t) : 1;
}

/* By how much a line misses a point, in the unit of its deviation. */
static double netmodel__miss(const netmodel_line *line, double n, double t, netmodel_error error)
{
    double miss = t - (netmodel__times(line->slope, n) + line->intercept);
    return error == NETMODEL_RELATIVE ? miss / t : miss;
}

/* Whether a fit can compute with it: squares of such numbers, weighted by the squares of others, do not leave the range of
 * a double. */
static int netmodel__in_range(double x)
{
    x = fabs(x);
    return !(x > 0) || (x >= 1e-40 && x <= 1e40);
}

/* What is wrong with the points of a fit, all of which are looked at. */
static netmodel_result netmodel__fit_check(const double *n, const double *t, size_t count, size_t least,
                                           netmodel_error error, int sorted, size_t *where)
{
    int alike = 1;
    size_t i;

    if (error != NETMODEL_ABSOLUTE && error != NETMODEL_RELATIVE) return NETMODEL_BAD_CHOICE;
    if (count > 0 && (n == NULL || t == NULL)) return NETMODEL_MISSING;
    if (count < least) return NETMODEL_TOO_FEW;
    for (i = 0; i < count; i++) {
        netmodel_result result = NETMODEL_OK;
        if (!(fabs(n[i]) < HUGE_VAL && fabs(t[i]) < HUGE_VAL))
            result = NETMODEL_NOT_FINITE;
        else if (n[i] < 0)
            result = NETMODEL_NEGATIVE;
        else if (error == NETMODEL_RELATIVE && !(t[i] > 0))
            result = NETMODEL_NOT_POSITIVE;
        else if (!netmodel__in_range(n[i]) || !netmodel__in_range(t[i]))
            result = NETMODEL_OUT_OF_RANGE;
        else if (sorted && i > 0 && n[i] < n[i - 1])
            result = NETMODEL_BYTES_FALL;
        if (result != NETMODEL_OK) {
            if (where != NULL) *where = i;
            return result;
        }
        alike = alike && n[i] <= n[0] && n[i] >= n[0];
    }
    return alike ? NETMODEL_ALL_ALIKE : NETMODEL_OK;
}

/* Weighted sums about the mean, which a point joins without cancellation (Welford's recurrence). */
typedef struct netmodel__sums {
    double weight, n, t; /* sum of weights, means */
    double nn, nt, tt;   /* about the means */
} netmodel__sums;

static void netmodel__join(netmodel__sums *s, double n, double t, double weight)
{
    double dn = n - s->n, dt = t - s->t, part;

    s->weight += weight;
    part = weight / s->weight;
    s->n += netmodel__times(dn, part);
    s->t += netmodel__times(dt, part);
    s->nn += netmodel__times(netmodel__times(weight, dn), n - s->n);
    s->nt += netmodel__times(netmodel__times(weight, dn), t - s->t);
    s->tt += netmodel__times(netmodel__times(weight, dt), t - s->t);
}

static netmodel_line netmodel__line_of(const netmodel__sums *s)
{
    netmodel_line line;

    line.slope = s->nt / s->nn;
    line.intercept = s->t - netmodel__times(line.slope, s->n);
    return line;
}

/* Points of a fit: all that a line misses by no more than `cut`, or all there are. */
typedef struct netmodel__chosen {
    const double *n, *t;
    size_t count;
    netmodel_error error;
    const netmodel_line *near; /* or NULL: all */
    double cut;
} netmodel__chosen;

static int netmodel__chooses(const netmodel__chosen *x, size_t i)
{
    return x->near == NULL || fabs(netmodel__miss(x->near, x->n[i], x->t[i], x->error)) <= x->cut;
}

/* Their weighted sums, all but one's. The means come first, so that the sums about them are as good as they can be, also
 * where all n are close together; `n` and `t` then say by how much rounding has displaced the means. */
static netmodel__sums netmodel__sums_about(const netmodel__chosen *x, size_t without, double *mean_n, double *mean_t)
{
    netmodel__sums s = { 0, 0, 0, 0, 0, 0 };
    double rest_n = 0, rest_t = 0;
    size_t i;

    *mean_n = *mean_t = 0;
    for (i = 0; i < x->count; i++) {
        const double weight = netmodel__weight(x->t[i], x->error);
        double part;
        if (i == without || !netmodel__chooses(x, i)) continue;
        s.weight += weight;
        part = weight / s.weight;
        *mean_n += netmodel__times(x->n[i] - *mean_n, part);
        *mean_t += netmodel__times(x->t[i] - *mean_t, part);
    }
    for (i = 0; i < x->count; i++) {
        const double weight = netmodel__weight(x->t[i], x->error), dn = x->n[i] - *mean_n, dt = x->t[i] - *mean_t;
        if (i == without || !netmodel__chooses(x, i)) continue;
        rest_n += netmodel__times(weight, dn);
        rest_t += netmodel__times(weight, dt);
        s.nn += netmodel__times(netmodel__times(weight, dn), dn);
        s.nt += netmodel__times(netmodel__times(weight, dn), dt);
        s.tt += netmodel__times(netmodel__times(weight, dt), dt);
    }
    s.n = rest_n / s.weight;
    s.t = rest_t / s.weight;
    s.nn -= netmodel__times(rest_n, s.n);
    s.nt -= netmodel__times(rest_n, s.t);
    s.tt -= netmodel__times(rest_t, s.t);
    return s;
}

/* The line of such sums. */
static netmodel_line netmodel__line_about(const netmodel__sums *s, double mean_n, double mean_t)
{
    netmodel_line line;

    line.slope = s->nt / s->nn;
    line.intercept = mean_t - netmodel__times(line.slope, mean_n) + (s->t - netmodel__times(line.slope, s->n));
    return line;
}

/* By how much a line through the others misses a point, in the unit of its deviation. `lever` says how much of the line
 * there hangs on the point itself: of much, 1 - lever would keep no digits, so the line is fitted again without it. */
static double netmodel__miss_without(const netmodel__chosen *x, size_t i, double miss, double lever)
{
    netmodel__sums s;
    netmodel_line line;
    double mean_n, mean_t;

    if (lever < 0.5) return miss / (1 - lever);
    s = netmodel__sums_about(x, i, &mean_n, &mean_t);
    if (!(s.nn > 0)) return HUGE_VAL;
    line = netmodel__line_about(&s, mean_n, mean_t);
    return netmodel__miss(&line, x->n[i], x->t[i], x->error);
}

/* Least squares through the points that a line misses by no more than `cut`; through all, if there is no such line. */
static void netmodel__fit(netmodel_fit *fit, const double *n, const double *t, size_t count, netmodel_error error,
                          const netmodel_line *near, double cut)
{
    const netmodel__chosen x = { n, t, count, error, near, cut };
    double mean_n, mean_t, errors = 0, left_out = 0;
    const netmodel__sums s = netmodel__sums_about(&x, count, &mean_n, &mean_t);
    size_t i, used = 0;

    fit->line = netmodel__line_about(&s, mean_n, mean_t);
    fit->low = HUGE_VAL;
    fit->high = 0;
    for (i = 0; i < count; i++) {
        double miss, lever, off;
        if (!netmodel__chooses(&x, i)) continue;
        used++;
        if (n[i] < fit->low) fit->low = n[i];
        if (n[i] > fit->high) fit->high = n[i];
        miss = netmodel__miss(&fit->line, n[i], t[i], error);
        off = n[i] - mean_n - s.n;
        lever = netmodel__times(netmodel__weight(t[i], error), 1 / s.weight + netmodel__times(off, off) / s.nn);
        errors += netmodel__times(miss, miss);
        miss = netmodel__miss_without(&x, i, miss, lever);
        left_out += netmodel__times(miss, miss);
    }
    fit->error = error;
    fit->count = used;
    fit->set_aside = count - used;
    fit->mean = mean_n + s.n;
    fit->spread = s.nn;
    fit->weight = s.weight;
    fit->r_squared = s.tt > 0 ? 1 - errors / s.tt : 1;
    fit->deviation = used > 2 ? sqrt(errors / (double)(used - 2)) : HUGE_VAL;
    fit->leave_one_out = used > 2 ? sqrt(left_out / (double)used) : HUGE_VAL;
    fit->slope_error = used > 2 ? fit->deviation / sqrt(s.nn) : HUGE_VAL;
    fit->intercept_error =
        used > 2 ? netmodel__times(fit->deviation, sqrt(1 / s.weight + netmodel__times(fit->mean, fit->mean) / s.nn))
                 : HUGE_VAL;
}

NETMODEL_API netmodel_result netmodel_fit_line(netmodel_fit *fit, const double n[], const double t[], size_t count,
                                               netmodel_error error, size_t *where)
{
    netmodel_result result;

    if (fit == NULL) return NETMODEL_MISSING;
    memset(fit, 0, sizeof *fit);
    result = netmodel__fit_check(n, t, count, 2, error, 0, where);
    if (result == NETMODEL_OK) netmodel__fit(fit, n, t, count, error, NULL, 0);
    return result;
}

/* The k-th smallest of x[count], from 0; x is reordered (Hoare's selection). */
static double netmodel__select(double *x, size_t count, size_t k)
{
    size_t low = 0, high = count - 1;

    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            double swapped;
            while (x[i] < pivot) i++;
            while (pivot < x[j]) j--;
            if (i >= j) break;
            swapped = x[i];
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

/* The median of what a line misses. */
static double netmodel__median_miss(const netmodel_line *line, const double *n, const double *t, size_t count,
                                    netmodel_error error, double *scratch)
{
    size_t i;

    for (i = 0; i < count; i++) scratch[i] = fabs(netmodel__miss(line, n[i], t[i], error));
    return netmodel__select(scratch, count, count / 2);
}

/* The best of lines through two points each: all pairs of few points, else always the same 500. */
static double netmodel__best_pair(netmodel_line *best, const double *n, const double *t, size_t count,
                                  netmodel_error error, double *scratch)
{
    double least = HUGE_VAL;
    uint64_t dice = 0;
    size_t i = 0, j = 0, tried;

    for (tried = 0; tried < 500; tried++) {
        netmodel_line line;
        double median;
        if (count <= 32) {
            if (++j >= count) j = ++i + 1;
            if (j >= count) break;
        } else {
            dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            i = (size_t)((dice >> 33) % count);
            dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            j = (size_t)((dice >> 33) % count);
        }
        if (!(n[i] < n[j] || n[j] < n[i])) continue;
        line.slope = (t[j] - t[i]) / (n[j] - n[i]);
        line.intercept = t[i] - netmodel__times(line.slope, n[i]);
        median = netmodel__median_miss(&line, n, t, count, error, scratch);
        if (median < least) {
            least = median;
            *best = line;
        }
    }
    return least;
}

NETMODEL_API netmodel_result netmodel_fit_robust(netmodel_fit *fit, const double n[], const double t[], size_t count,
                                                 netmodel_error error, double scratch[], size_t *where)
{
    const double cut = 3, kept = 0.98656; /* deviation of a normal distribution that is cut off at three of its own */
    netmodel_line near;
    netmodel_result result;
    double deviation, floor_of_it = 0, median;
    size_t i, round;

    if (fit == NULL) return NETMODEL_MISSING;
    memset(fit, 0, sizeof *fit);
    result = netmodel__fit_check(n, t, count, 3, error, 0, where);
    if (result == NETMODEL_OK && scratch == NULL) result = NETMODEL_MISSING;
    if (result != NETMODEL_OK) return result;

    for (i = 0; i < count; i++)
        if (fabs(t[i]) > floor_of_it) floor_of_it = fabs(t[i]);
    floor_of_it = error == NETMODEL_RELATIVE ? 1e-12 : 1e-12 * floor_of_it; /* rounding is no deviation */
    near.slope = near.intercept = 0;
    median = netmodel__best_pair(&near, n, t, count, error, scratch);
    if (!(median < HUGE_VAL)) { /* no pair of different n was met: nearly all are alike */
        netmodel__fit(fit, n, t, count, error, NULL, 0);
        return NETMODEL_OK;
    }
    /* 1.4826 medians are a deviation; with few points a fit through two of them is too good */
    deviation = netmodel__times(1.4826 * median, 1 + 5 / (double)(count - 2));
    for (round = 0; round < 30; round++) {
        netmodel_line before = near;
        netmodel_fit next;
        memset(&next, 0, sizeof next);
        netmodel__fit(&next, n, t, count, error, &near, cut * (deviation > floor_of_it ? deviation : floor_of_it));
        if (next.count < 2 || !(next.spread > 0)) break;
        *fit = next;
        near = next.line;
        if (next.count == 2) break;
        deviation = next.deviation / kept;
        if (memcmp(&near, &before, sizeof near) == 0) break;
    }
    if (fit->count == 0) netmodel__fit(fit, n, t, count, error, NULL, 0);
    return NETMODEL_OK;
}

/* arctan(x), x >= 0, without a math library, so with the same bits everywhere: halved four times, then its series. */
static double netmodel__arctan(double x)
{
    double square, sum = 0;
    int i;

    for (i = 0; i < 4; i++) x = x / (1 + sqrt(1 + netmodel__times(x, x)));
    square = netmodel__times(x, x);
    for (i = 23; i > 0; i -= 2) sum = 1.0 / i - netmodel__times(square, sum);
    return 16 * netmodel__times(x, sum);
}

/* P(|T| <= t), the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4. */
static double netmodel__student_within(double t, size_t freedom)
{
    const double v = (double)freedom, cosine2 = v / (v + netmodel__times(t, t));
    const double sine = t / sqrt(v + netmodel__times(t, t));
    double term = 1, sum = 0;
    size_t i;

    if (freedom % 2 == 0) {
        for (i = 2; i <= freedom; i += 2) {
            sum += term;
            term = netmodel__times(netmodel__times(term, cosine2), (double)(i - 1) / (double)i);
        }
        return netmodel__times(sine, sum);
    }
    for (i = 3; i <= freedom; i += 2) {
        sum += term;
        term = netmodel__times(netmodel__times(term, cosine2), (double)(i - 1) / (double)i);
    }
    sum = netmodel__times(netmodel__times(sine, sqrt(cosine2)), sum);
    return (netmodel__arctan(t / sqrt(v)) + sum) / 1.57079632679489661923;
}

/* t of so many degrees of freedom from z, that of infinitely many: Abramowitz and Stegun 26.7.5. */
static double netmodel__student_series(double z, double v)
{
    double z2 = netmodel__times(z, z), sum;

    sum = netmodel__times(netmodel__times(netmodel__times(netmodel__times(79, z2) + 776, z2) + 1482, z2) - 1920, z2) -
          945;
    sum = sum / 92160 / v;
    sum += (netmodel__times(netmodel__times(netmodel__times(3, z2) + 19, z2) + 17, z2) - 15) / 384;
    sum = sum / v + (netmodel__times(netmodel__times(5, z2) + 16, z2) + 3) / 96;
    sum = sum / v + (z2 + 1) / 4;
    return z + netmodel__times(z, sum / v);
}

NETMODEL_API double netmodel_student(double level, size_t freedom)
{
    const size_t most = 500; /* terms of the sums; beyond, the series is as good */
    const size_t summed = freedom < most ? freedom : most;
    double low = 0, high = 1, below, above, z;
    int i;

    if (!(level > 0 && level < 1) || freedom == 0) return NAN;
    while (netmodel__student_within(high, summed) < level && high < 1e300) high = 2 * high;
    below = -level;
    above = netmodel__student_within(high, summed) - level;
    for (i = 0; i < 200 && high - low > 1e-15 * high; i++) { /* between a secant and a half, whichever is safe */
        double t = i % 3 == 2 ? low + (high - low) / 2 : low + netmodel__times(high - low, below / (below - above));
        double now;
        if (!(t > low && t < high)) t = low + (high - low) / 2;
        if (!(t > low && t < high)) break;
        now = netmodel__student_within(t, summed) - level;
        if (now < 0) {
            low = t;
            below = now;
        } else {
            high = t;
            above = now;
        }
    }
    if (freedom <= most) return high;
    for (z = high, i = 0; i < 20; i++) z -= netmodel__student_series(z, (double)most) - high;
    /* What is known has infinitely many: the same everywhere, however large a size_t is. */
    return netmodel__student_series(z, freedom == NETMODEL_KNOWN ? HUGE_VAL : (double)freedom);
}

/* A prediction from a time, the variance of the line there in squares of the deviation, and the rest of a fit. */
static netmodel_prediction netmodel__predict(double time, double variance, double deviation, netmodel_error error,
                                             size_t freedom, double level, int outside)
{
    netmodel_prediction p;
    double t = netmodel_student(level, freedom > 0 ? freedom : 1), own, mean, next;

    own = error == NETMODEL_RELATIVE ? netmodel__times(time, time) : 1; /* of the next measurement */
    mean = freedom > 0 ? netmodel__times(netmodel__times(t, deviation), sqrt(variance)) : HUGE_VAL;
    next = freedom > 0 ? netmodel__times(netmodel__times(t, deviation), sqrt(variance + own)) : HUGE_VAL;
    if (netmodel__nan(time) || netmodel__nan(t)) time = mean = next = NAN;
    p.time = time;
    p.mean_low = time - mean;
    p.mean_high = time + mean;
    p.low = time - next;
    p.high = time + next;
    p.outside = outside;
    return p;
}

NETMODEL_API netmodel_prediction netmodel_fit_predict(const netmodel_fit *fit, double n, double level)
{
    double off = n - fit->mean;

    return netmodel__predict(netmodel_line_time(&fit->line, n),
                             1 / fit->weight + netmodel__times(off, off) / fit->spread, fit->deviation, fit->error,
                             fit->count > 2 ? fit->count - 2 : 0, level, !(n >= fit->low && n <= fit->high));
}

NETMODEL_API netmodel_link netmodel_link_of_line(const netmodel_line *line)
{
    netmodel_link link = { NAN, NAN };

    if (netmodel__amount(line->slope) && netmodel__amount(line->intercept)) {
        link.latency = line->intercept;
        link.byte_time = line->slope;
    }
    return link;
}

/*=============================================================================
 * MARK: - >>pieces (body)
 *===========================================================================*/
#define NETMODEL__KNOTS 200 /* breaks that are tried at first */
#define NETMODEL__KEPT 16   /* parabolas that are kept at each */

/* Cost of all points so far, as a parabola in the height of the last break, and which it came from. */
typedef struct netmodel__parabola {
    double a, b, c;
    double from; /* break * NETMODEL__KEPT + parabola */
} netmodel__parabola;

NETMODEL_API size_t netmodel_pieces_scratch(size_t count, size_t most)
{
    const size_t knots = count < NETMODEL__KNOTS ? count : NETMODEL__KNOTS;
    const size_t runs = 2 * most * count;
    const size_t breaks = knots + most * knots * (1 + NETMODEL__KEPT * sizeof(netmodel__parabola) / sizeof(double));

    return runs > breaks ? runs : breaks;
}

/* The points that a fit in pieces works on. */
typedef struct netmodel__points {
    const double *n, *t;
    size_t count;
    netmodel_error error;
} netmodel__points;

static void netmodel__join_point(netmodel__sums *s, const netmodel__points *p, size_t i)
{
    netmodel__join(s, p->n[i], p->t[i], netmodel__weight(p->t[i], p->error));
}

static netmodel__sums netmodel__sums_of(const netmodel__points *p, size_t first, size_t last)
{
    netmodel__sums s = { 0, 0, 0, 0, 0, 0 };
    size_t i;

    for (i = first; i <= last; i++) netmodel__join_point(&s, p, i);
    return s;
}

/* What speaks against so many parameters that leave such squares; what rounding leaves counts as nothing. */
static double netmodel__criterion(const netmodel__points *p, double squares, size_t parameters)
{
    const double count = (double)p->count, free = count - (double)parameters; /* a piece has three points or more */
    double all = 0, least;
    size_t i;

    for (i = 0; i < p->count; i++)
        all += netmodel__times(netmodel__weight(p->t[i], p->error), netmodel__times(p->t[i], p->t[i]));
    least = 1e-24 * all;
    if (squares < least) squares = least;
    if (!(squares > 0)) squares = 1e-300; /* all times are 0 */
    return log(squares / free) + 0.299 * pow(log(count), 2.1) * (double)parameters / count;
}

static double netmodel__squares_left(const netmodel__points *p, const netmodel_piece *piece, size_t pieces, int jumps)
{
    double sum = 0;
    size_t i, k = 0;

    for (i = 0; i < p->count; i++) {
        double miss;
        while (k + 1 < pieces && (jumps ? p->n[i] >= piece[k + 1].low : p->n[i] > piece[k].high)) k++;
        miss = netmodel__miss(&piece[k].line, p->n[i], p->t[i], p->error);
        sum += netmodel__times(miss, miss);
    }
    return sum;
}

/*----- with jumps: runs of points -----*/
/* best[k * count + j]: least squares left by k + 1 runs of the points 0 .. j; from[]: where the last of them begins. */
static void netmodel__runs(const netmodel__points *p, size_t most, double *best, double *from)
{
    const size_t count = p->count;
    size_t i, j, k;

    for (i = 0; i < most * count; i++) best[i] = HUGE_VAL;
    for (j = 2; j < count; j++) {
        netmodel__sums s = { 0, 0, 0, 0, 0, 0 };
        if (j + 1 < count && p->n[j + 1] <= p->n[j]) continue; /* not between points of one n */
        for (i = j + 1; i-- > 0;) {
            double left;
            netmodel__join_point(&s, p, i);
            if (j - i < 2 || (i > 0 && p->n[i - 1] >= p->n[i]) || !(s.nn > 0)) continue;
            left = s.tt - netmodel__times(s.nt / s.nn, s.nt);
            if (left < 0) left = 0;
            if (i == 0) {
                best[j] = left;
                continue;
            }
            for (k = 1; k < most; k++)
                if (best[(k - 1) * count + i - 1] + left < best[k * count + j]) {
                    best[k * count + j] = best[(k - 1) * count + i - 1] + left;
                    from[k * count + j] = (double)i;
                }
        }
    }
}

static void netmodel__run_pieces(const netmodel__points *p, size_t pieces, const double *from, netmodel_piece *piece)
{
    size_t k = pieces - 1, end = p->count - 1;

    for (;; k--) {
        const size_t begin = k > 0 ? (size_t)from[k * p->count + end] : 0;
        const netmodel__sums s = netmodel__sums_of(p, begin, end);
        const double low = p->n[begin] - s.n, high = p->n[end] - s.n;
        piece[k].line = netmodel__line_of(&s);
        piece[k].low = p->n[begin];
        piece[k].high = p->n[end];
        piece[k].variance_low = 1 / s.weight + netmodel__times(low, low) / s.nn;
        piece[k].variance_high = 1 / s.weight + netmodel__times(high, high) / s.nn;
        piece[k].covariance = 1 / s.weight + netmodel__times(low, high) / s.nn;
        if (k == 0) return;
        end = begin - 1;
    }
}

/*----- without jumps: heights at breaks -----*/
/* The squares left between two breaks, as a function of the heights p and q there: pp p^2 + pq p q + qq q^2 + p0 p + q0 q +
 * rest. The time at n between them is p u + q v, u + v = 1. */
typedef struct netmodel__span {
    double pp, pq, qq, p0, q0, rest;
} netmodel__span;

static netmodel__span netmodel__span_of(const netmodel__sums *s, double low, double high)
{
    const double wide = high - low, left = s->n - low, right = high - s->n;
    const double wt = netmodel__times(s->weight, s->t);
    netmodel__span x;

    x.pp = (s->nn + netmodel__times(s->weight, netmodel__times(right, right))) / wide / wide;
    x.qq = (s->nn + netmodel__times(s->weight, netmodel__times(left, left))) / wide / wide;
    x.pq = 2 * (netmodel__times(s->weight, netmodel__times(left, right)) - s->nn) / wide / wide;
    x.p0 = -2 * (netmodel__times(wt, right) - s->nt) / wide;
    x.q0 = -2 * (netmodel__times(wt, left) + s->nt) / wide;
    x.rest = s->tt + netmodel__times(wt, s->t);
    return x;
}

static double netmodel__bottom(const netmodel__parabola *x)
{
    return x->a > 0 ? x->c - netmodel__times(x->b / x->a, x->b) / 4 : x->c;
}

/* Whether x is nowhere above y. */
static int netmodel__below(const netmodel__parabola *x, const netmodel__parabola *y)
{
    const double a = y->a - x->a, b = y->b - x->b, c = y->c - x->c;

    return a >= 0 && c >= 0 && netmodel__times(4 * a, c) >= netmodel__times(b, b);
}

/* Adds a parabola to those that are kept at a break: what is never least goes, and if all are full the one whose least
 * is the largest. */
static void netmodel__keep(netmodel__parabola *kept, double *number, const netmodel__parabola *fresh)
{
    size_t count = (size_t)*number, i, j, worst = 0;

    for (i = 0; i < count; i++)
        if (netmodel__below(&kept[i], fresh)) return;
    for (i = j = 0; i < count; i++)
        if (!netmodel__below(fresh, &kept[i])) kept[j++] = kept[i];
    count = j;
    if (count < NETMODEL__KEPT) {
        kept[count++] = *fresh;
    } else {
        for (i = 1; i < count; i++)
            if (netmodel__bottom(&kept[i]) > netmodel__bottom(&kept[worst])) worst = i;
        if (netmodel__bottom(fresh) < netmodel__bottom(&kept[worst])) kept[worst] = *fresh;
    }
    *number = (double)count;
}

/* Cost at the next break: the span between, at the best height of the break before. */
static netmodel__parabola netmodel__cross(const netmodel__parabola *x, const netmodel__span *s, size_t from)
{
    const double a = x->a + s->pp, b = x->b + s->p0;
    netmodel__parabola y;

    y.a = s->qq;
    y.b = s->q0;
    y.c = s->rest + x->c;
    if (a > 0) {
        y.a -= netmodel__times(s->pq / a, s->pq) / 4;
        y.b -= netmodel__times(s->pq / a, b) / 2;
        y.c -= netmodel__times(b / a, b) / 4;
    }
    y.from = (double)from;
    return y;
}

/* The last point at or before each break that may be one; gives how many there are. */
static size_t netmodel__knots(const netmodel__points *p, double *knot)
{
    size_t different = 1, i, seen = 0, count = 0, most;

    for (i = 1; i < p->count; i++) different += p->n[i] > p->n[i - 1];
    most = different < NETMODEL__KNOTS ? different : NETMODEL__KNOTS;
    for (i = 0; i < p->count; i++) {
        if (i + 1 < p->count && p->n[i + 1] <= p->n[i]) continue;
        if (seen * (most - 1) >= count * (different - 1)) knot[count++] = (double)i;
        seen++;
    }
    return count;
}

/* Heights at given breaks by least squares: a system of three diagonals. Gives the squares left. */
typedef struct netmodel__heights {
    double diagonal[NETMODEL_PIECES + 1], beside[NETMODEL_PIECES + 1], right[NETMODEL_PIECES + 1];
    double height[NETMODEL_PIECES + 1];
} netmodel__heights;

static void netmodel__solve(const netmodel__heights *h, const double *right, size_t pieces, double *x)
{
    double pivot[NETMODEL_PIECES + 1], y[NETMODEL_PIECES + 1];
    size_t i;

    for (i = 0; i <= pieces; i++) {
        const double factor = i > 0 && pivot[i - 1] > 0 ? h->beside[i - 1] / pivot[i - 1] : 0;
        pivot[i] = h->diagonal[i] - (i > 0 ? netmodel__times(factor, h->beside[i - 1]) : 0);
        y[i] = right[i] - (i > 0 ? netmodel__times(factor, y[i - 1]) : 0);
    }
    for (i = pieces + 1; i-- > 0;) {
        const double after = i < pieces ? netmodel__times(h->beside[i], x[i + 1]) : 0;
        x[i] = pivot[i] > 0 ? (y[i] - after) / pivot[i] : 0;
    }
}

static double netmodel__fit_heights(netmodel__heights *h, const netmodel__span *span, size_t pieces)
{
    double left = 0;
    size_t i;

    memset(h, 0, sizeof *h);
    for (i = 0; i < pieces; i++) {
        h->diagonal[i] += span[i].pp;
        h->diagonal[i + 1] += span[i].qq;
        h->beside[i] += span[i].pq / 2;
        h->right[i] -= span[i].p0 / 2;
        h->right[i + 1] -= span[i].q0 / 2;
        left += span[i].rest;
    }
    netmodel__solve(h, h->right, pieces, h->height);
    for (i = 0; i <= pieces; i++) left -= netmodel__times(h->right[i], h->height[i]);
    return left;
}

/* The span between the breaks at points a and b; the first one has its left end too. */
static netmodel__span netmodel__span_between(const netmodel__points *p, size_t a, size_t b, int first)
{
    const netmodel__sums s = netmodel__sums_of(p, first ? 0 : a + 1, b);
    return netmodel__span_of(&s, p->n[a], p->n[b]);
}

/* Moves each inner break to the best point within `reach` different n on either side, until none moves. */
static void netmodel__settle(const netmodel__points *p, size_t *end, size_t pieces, size_t reach)
{
    netmodel__span span[NETMODEL_PIECES];
    netmodel__heights h;
    double least;
    int moved = 1, round;
    size_t i;

    for (i = 0; i < pieces; i++) span[i] = netmodel__span_between(p, end[i], end[i + 1], i == 0);
    least = netmodel__fit_heights(&h, span, pieces);
    for (round = 0; moved && round < 50; round++) {
        moved = 0;
        for (i = 1; i < pieces; i++) {
            const size_t start = end[i];
            netmodel__span before = span[i - 1], after = span[i];
            int side;
            for (side = -1; side <= 1; side += 2) {
                size_t at = start, steps = 0;
                while (steps < reach) {
                    double left;
                    if (side < 0 ? at == 0 : at + 1 >= p->count) break;
                    at = side < 0 ? at - 1 : at + 1;
                    if (at + 1 < p->count && p->n[at + 1] <= p->n[at]) continue; /* not the last of its n */
                    if (!(p->n[at] > p->n[end[i - 1]] && p->n[at] < p->n[end[i + 1]])) break;
                    steps++;
                    span[i - 1] = netmodel__span_between(p, end[i - 1], at, i == 1);
                    span[i] = netmodel__span_between(p, at, end[i + 1], 0);
                    left = netmodel__fit_heights(&h, span, pieces);
                    if (left < least - 1e-13 * fabs(least)) {
                        least = left;
                        end[i] = at;
                        before = span[i - 1];
                        after = span[i];
                        moved = 1;
                    }
                }
            }
            span[i - 1] = before;
            span[i] = after;
        }
    }
}

static void netmodel__joined_pieces(const netmodel__points *p, const size_t *end, size_t pieces, netmodel_piece *piece)
{
    netmodel__span span[NETMODEL_PIECES];
    netmodel__heights h;
    size_t i, j;

    memset(span, 0, sizeof span);
    for (i = 0; i < pieces; i++) span[i] = netmodel__span_between(p, end[i], end[i + 1], i == 0);
    netmodel__fit_heights(&h, span, pieces);
    for (i = 0; i < pieces; i++) {
        netmodel_piece *x = &piece[i];
        x->low = p->n[end[i]];
        x->high = p->n[end[i + 1]];
        x->line.slope = (h.height[i + 1] - h.height[i]) / (x->high - x->low);
        x->line.intercept = h.height[i] - netmodel__times(x->line.slope, x->low);
    }
    for (j = 0; j <= pieces; j++) { /* a column of the inverse at a time */
        double unit[NETMODEL_PIECES + 1] = { 0 }, column[NETMODEL_PIECES + 1];
        unit[j] = 1;
        netmodel__solve(&h, unit, pieces, column);
        if (j < pieces) piece[j].variance_low = column[j];
        if (j < pieces) piece[j].covariance = column[j + 1];
        if (j > 0) piece[j - 1].variance_high = column[j];
    }
}

/* The parabolas kept at each break, for each number of pieces that end there. */
typedef struct netmodel__search {
    size_t knots;
    double *knot;             /* knot[knots] */
    double *number;           /* number[most * knots] */
    netmodel__parabola *kept; /* kept[most * knots * NETMODEL__KEPT] */
} netmodel__search;

static netmodel__search netmodel__search_breaks(const netmodel__points *p, size_t most, double *scratch)
{
    static const netmodel__parabola nothing = { 0, 0, 0, 0 };
    netmodel__search x;
    size_t c, d, i, k, q;

    x.knot = scratch;
    x.knots = netmodel__knots(p, scratch);
    x.number = scratch + x.knots;
    x.kept = (netmodel__parabola *)(void *)(x.number + most * x.knots);
    for (i = 0; i < most * x.knots; i++) x.number[i] = 0;
    for (d = 1; d < x.knots; d++) {
        netmodel__sums s = { 0, 0, 0, 0, 0, 0 };
        size_t next = (size_t)x.knot[d] + 1;
        for (c = d; c-- > 0;) {
            const size_t stop = c > 0 ? (size_t)x.knot[c] + 1 : 0;
            netmodel__span span;
            while (next > stop) netmodel__join_point(&s, p, --next);
            span = netmodel__span_of(&s, p->n[(size_t)x.knot[c]], p->n[(size_t)x.knot[d]]);
            for (k = 0; k < most; k++) {
                const size_t there = (k * x.knots + d);
                if (c == 0 && k == 0) {
                    netmodel__parabola y = netmodel__cross(&nothing, &span, 0);
                    netmodel__keep(x.kept + there * NETMODEL__KEPT, &x.number[there], &y);
                } else if (c > 0 && k > 0) {
                    const size_t here = (k - 1) * x.knots + c;
                    for (q = 0; q < (size_t)x.number[here]; q++) {
                        netmodel__parabola y =
                            netmodel__cross(&x.kept[here * NETMODEL__KEPT + q], &span, c * NETMODEL__KEPT + q);
                        netmodel__keep(x.kept + there * NETMODEL__KEPT, &x.number[there], &y);
                    }
                }
            }
        }
    }
    return x;
}

/* The breaks of the best so many pieces, as points; 0: there are none. */
static int netmodel__best_breaks(const netmodel__search *x, size_t pieces, size_t *end)
{
    size_t k = pieces, d = x->knots - 1, q = 0, i;
    const size_t last = (pieces - 1) * x->knots + d;

    if (x->number[last] < 1) return 0;
    for (i = 1; i < (size_t)x->number[last]; i++)
        if (netmodel__bottom(&x->kept[last * NETMODEL__KEPT + i]) <
            netmodel__bottom(&x->kept[last * NETMODEL__KEPT + q]))
            q = i;
    end[pieces] = (size_t)x->knot[d];
    while (--k > 0) {
        const size_t from = (size_t)x->kept[(k * x->knots + d) * NETMODEL__KEPT + q].from;
        d = from / NETMODEL__KEPT;
        q = from % NETMODEL__KEPT;
        end[k] = (size_t)x->knot[d];
    }
    end[0] = (size_t)x->knot[0];
    return 1;
}

/*----- both -----*/
NETMODEL_API netmodel_result netmodel_fit_pieces(netmodel_pieces *fit, const double n[], const double t[], size_t count,
                                                 const netmodel_pieces_desc *desc, netmodel_piece piece[],
                                                 double scratch[], size_t *where)
{
    netmodel__points p;
    netmodel__search search;
    netmodel_result result;
    size_t end[NETMODEL_PIECES + 1] = { 0 }, k, chosen = 0, different = 1, i;
    double criterion = HUGE_VAL;

    if (fit == NULL) return NETMODEL_MISSING;
    memset(fit, 0, sizeof *fit);
    if (desc == NULL || piece == NULL || scratch == NULL) return NETMODEL_MISSING;
    if (desc->most < 1 || desc->most > NETMODEL_PIECES) return NETMODEL_BAD_CHOICE;
    result = netmodel__fit_check(n, t, count, desc->exactly ? 3 * desc->most : 3, desc->error, 1, where);
    if (result != NETMODEL_OK) return result;

    p.n = n;
    p.t = t;
    p.count = count;
    p.error = desc->error;
    for (i = 1; i < count; i++) different += n[i] > n[i - 1];
    memset(&search, 0, sizeof search);
    if (desc->jumps)
        netmodel__runs(&p, desc->most, scratch, scratch + desc->most * count);
    else
        search = netmodel__search_breaks(&p, desc->most, scratch);
    for (k = desc->exactly ? desc->most : 1; k <= desc->most && 3 * k <= count; k++) {
        double squares, now;
        if (desc->jumps) {
            if (!(scratch[(k - 1) * count + count - 1] < HUGE_VAL)) continue;
            netmodel__run_pieces(&p, k, scratch + desc->most * count, piece);
        } else {
            if (!netmodel__best_breaks(&search, k, end)) continue;
            if (different > search.knots) netmodel__settle(&p, end, k, 2 * (different / search.knots + 1));
            netmodel__joined_pieces(&p, end, k, piece);
        }
        squares = netmodel__squares_left(&p, piece, k, desc->jumps);
        now = netmodel__criterion(&p, squares, desc->jumps ? 3 * k - 1 : 2 * k);
        if (chosen == 0 || now < criterion) {
            chosen = k;
            criterion = now;
            fit->freedom = count - (desc->jumps ? 3 * k - 1 : 2 * k);
            fit->deviation = sqrt(squares / (double)fit->freedom);
        }
    }
    if (chosen == 0) {
        memset(fit, 0, sizeof *fit);
        return NETMODEL_TOO_FEW;
    }
    if (desc->jumps) { /* the last that was made need not be the chosen one */
        netmodel__run_pieces(&p, chosen, scratch + desc->most * count, piece);
    } else {
        netmodel__best_breaks(&search, chosen, end);
        if (different > search.knots) netmodel__settle(&p, end, chosen, 2 * (different / search.knots + 1));
        netmodel__joined_pieces(&p, end, chosen, piece);
    }
    fit->piece = piece;
    fit->count = chosen;
    fit->points = count;
    fit->error = desc->error;
    fit->criterion = criterion;
    return NETMODEL_OK;
}

NETMODEL_API netmodel_prediction netmodel_pieces_predict(const netmodel_pieces *fit, double n, double level)
{
    const netmodel_piece *x = fit->piece;
    double u, v, variance;
    size_t k = 0;

    if (fit->count == 0) return netmodel__predict(NAN, 0, 0, fit->error, 1, level, 1);
    while (k + 1 < fit->count && n >= x[k + 1].low) k++;
    v = (n - x[k].low) / (x[k].high - x[k].low);
    u = 1 - v;
    variance = netmodel__times(netmodel__times(u, u), x[k].variance_low) +
               2 * netmodel__times(netmodel__times(u, v), x[k].covariance) +
               netmodel__times(netmodel__times(v, v), x[k].variance_high);
    return netmodel__predict(netmodel_line_time(&x[k].line, n), variance > 0 ? variance : 0, fit->deviation, fit->error,
                             fit->freedom, level, !(n >= x[0].low && n <= x[fit->count - 1].high));
}

/* A point more, no lower than the one before. */
static size_t netmodel__lift(double *bytes, double *seconds, size_t count, double n, double time, double *lifted)
{
    const double least = count > 0 ? seconds[count - 1] : time;

    bytes[count] = n;
    seconds[count] = time < least ? least : time;
    if (lifted != NULL && time < least && least / time - 1 > *lifted) *lifted = least / time - 1;
    return count + 1;
}

NETMODEL_API netmodel_result netmodel_curve_of_pieces(const netmodel_pieces *fit, netmodel_curve *curve, double bytes[],
                                                      double seconds[], double *lifted)
{
    size_t k, count = 0;

    if (curve == NULL) return NETMODEL_MISSING;
    memset(curve, 0, sizeof *curve);
    if (lifted != NULL) *lifted = 0;
    if (fit == NULL || bytes == NULL || seconds == NULL) return NETMODEL_MISSING;
    for (k = 0; k < fit->count; k++) {
        const netmodel_piece *x = &fit->piece[k];
        const double high =
            k + 1 == fit->count ? x->high : fit->piece[k + 1].low; /* its line goes on to the next one */
        const double begins = netmodel_line_time(&x->line, x->low), ends = netmodel_line_time(&x->line, high);
        if (!(begins >= 0 && ends >= 0)) return NETMODEL_NEGATIVE;
        if (count == 0 || fabs(begins - seconds[count - 1]) > 1e-12 * begins) /* else they meet */
            count = netmodel__lift(bytes, seconds, count, x->low, begins, lifted);
        count = netmodel__lift(bytes, seconds, count, high, ends, lifted);
    }
    return netmodel_curve_init(curve, bytes, seconds, count, NULL);
}

/*=============================================================================
 * MARK: - >>starmax (body)
 *===========================================================================*/
/* A link is numbered by its node: up links from 0 on, down links from `nodes` on. Each has a list of its transfers that
 * still rise: head[link] is the first, next[2 * flow] the one after a flow on its up link, next[2 * flow + 1] on its down
 * link. The lists hold indices plus one; 0 ends them. */
typedef struct netmodel__starmax {
    size_t nodes, flows;
    const size_t *from, *to;
    const double *weight;
    double *rate;   /* -1 while it rises */
    double *left;   /* of a link's bandwidth, when those that rise no more have theirs */
    double *sum;    /* of the weights of those that rise on a link */
    double *fresh;  /* that sum when it was last added up */
    size_t *head;   /* of a link's list */
    size_t *next;   /* in the lists of a flow's two links */
    size_t *rising; /* links on which something rises */
} netmodel__starmax;

static double netmodel__starmax_weight(const netmodel__starmax *s, size_t flow)
{
    return s->weight != NULL ? s->weight[flow] : 1;
}

/* Adds up the weights of those that rise on a link, and drops the others from its list. To subtract alone would leave
 * nothing but rounding errors where a heavy transfer stays and light ones go on. */
static void netmodel__starmax_add_up(netmodel__starmax *s, size_t link)
{
    size_t side = link < s->nodes ? 0 : 1, *at = &s->head[link];

    s->sum[link] = 0;
    while (*at != 0) {
        size_t flow = *at - 1;
        if (s->rate[flow] < 0) {
            s->sum[link] += netmodel__starmax_weight(s, flow);
            at = &s->next[2 * flow + side];
        } else {
            *at = s->next[2 * flow + side];
        }
    }
    s->fresh[link] = s->sum[link];
}

/* The level at which a link is full; not below the one reached, whatever rounding says. */
static double netmodel__starmax_level(const netmodel__starmax *s, size_t link, double reached)
{
    double level = s->left[link] / s->sum[link];
    return level > reached ? level : reached;
}

/* A link is full at this level: its transfers stay there, and the links of their other ends have so much less left. */
static void netmodel__starmax_fill(netmodel__starmax *s, size_t link, double level)
{
    size_t side = link < s->nodes ? 0 : 1, at;

    for (at = s->head[link]; at != 0; at = s->next[2 * (at - 1) + side]) {
        size_t flow = at - 1, other = side == 0 ? s->nodes + s->to[flow] : s->from[flow];
        double weight = netmodel__starmax_weight(s, flow);
        if (!(s->rate[flow] < 0)) continue;
        s->rate[flow] = netmodel__times(weight, level);
        s->left[other] -= s->rate[flow];
        s->sum[other] -= weight;
        if (s->weight != NULL && !(s->sum[other] > 0.5 * s->fresh[other])) netmodel__starmax_add_up(s, other);
    }
    s->sum[link] = 0;
}

/* Moves those that are full at this level to the front of those on which something rises; says how many. All are found
 * before the first is filled: its rounding must not make rounds of what is one. */
static size_t netmodel__starmax_full(netmodel__starmax *s, size_t count, double level)
{
    size_t full = 0, i;

    for (i = 0; i < count; i++) {
        size_t link = s->rising[i];
        if (netmodel__starmax_level(s, link, level) > level) continue;
        s->rising[i] = s->rising[full];
        s->rising[full++] = link;
    }
    return full;
}

/* Round after round, the level rises to where the next links are full. A sum is exactly 0 where nothing rises any more:
 * without weights it is a count, with weights it is added up anew when it has become small. */
static void netmodel__starmax_run(netmodel__starmax *s)
{
    size_t count = 0, i;
    double level = 0;

    for (i = 0; i < 2 * s->nodes; i++) {
        netmodel__starmax_add_up(s, i);
        if (s->head[i] != 0) s->rising[count++] = i;
    }
    while (count > 0) {
        double lowest = HUGE_VAL;
        size_t full, kept = 0;

        for (i = 0; i < count; i++) {
            double own = netmodel__starmax_level(s, s->rising[i], level);
            if (own < lowest) lowest = own;
        }
        if (!(lowest < HUGE_VAL)) break;
        level = lowest;
        full = netmodel__starmax_full(s, count, level);
        for (i = 0; i < full; i++) netmodel__starmax_fill(s, s->rising[i], level);
        for (i = full; i < count; i++)
            if (s->sum[s->rising[i]] > 0) s->rising[kept++] = s->rising[i];
        count = kept;
    }
    for (i = 0; i < s->flows; i++)
        if (s->rate[i] < 0) s->rate[i] = HUGE_VAL; /* nothing on its way is ever full */
}

static netmodel_result netmodel__starmax_check(const netmodel__starmax *s, const double up[], const double down[])
{
    size_t i;

    for (i = 0; i < s->nodes; i++)
        if (!(up[i] >= 0 && down[i] >= 0)) return NETMODEL_BAD_BANDWIDTH;
    for (i = 0; i < s->flows; i++) {
        double weight = netmodel__starmax_weight(s, i);
        if (s->from[i] >= s->nodes || s->to[i] >= s->nodes) return NETMODEL_NO_SUCH_NODE;
        if (s->from[i] == s->to[i]) return NETMODEL_SELF_FLOW;
        if (!(weight >= 1e-100 && weight <= 1e100)) return NETMODEL_BAD_WEIGHT;
    }
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_starmax_rates(size_t nodes, const double up[], const double down[], size_t flows,
                                                    const size_t from[], const size_t to[], const double weight[],
                                                    double rate[], double amounts[], size_t lists[])
{
    netmodel__starmax s;
    netmodel_result result;
    size_t i;

    if (rate == NULL && flows > 0) return NETMODEL_MISSING;
    for (i = 0; i < flows; i++) rate[i] = 0;
    if (nodes > 0 && (up == NULL || down == NULL || amounts == NULL || lists == NULL)) return NETMODEL_MISSING;
    if (flows > 0 && (from == NULL || to == NULL)) return NETMODEL_MISSING;

    s.nodes = nodes, s.flows = flows;
    s.from = from, s.to = to, s.weight = weight;
    result = netmodel__starmax_check(&s, up, down);
    if (result != NETMODEL_OK || flows == 0) return result;

    s.rate = rate;
    s.left = amounts, s.sum = s.left + 2 * nodes, s.fresh = s.sum + 2 * nodes;
    s.head = lists, s.rising = s.head + 2 * nodes, s.next = s.rising + 2 * nodes;
    for (i = 0; i < nodes; i++) {
        s.left[i] = up[i], s.left[nodes + i] = down[i];
        s.head[i] = s.head[nodes + i] = 0;
    }
    for (i = flows; i-- > 0;) {
        size_t a = from[i], z = nodes + to[i];
        rate[i] = -1;
        s.next[2 * i] = s.head[a], s.head[a] = i + 1;
        s.next[2 * i + 1] = s.head[z], s.head[z] = i + 1;
    }
    netmodel__starmax_run(&s);
    return NETMODEL_OK;
}

/*=============================================================================
 * MARK: - >>message (body)
 *===========================================================================*/
#define NETMODEL__NO_DELAY                                                                                             \
    {                                                                                                                  \
        NETMODEL_DELAY_NONE, 0, { 0, 0 }, { 0, 0 },                                                                    \
        {                                                                                                              \
            NULL, NULL, 0                                                                                              \
        }                                                                                                              \
    }

/* The delays of a pair that nobody gave any. */
static const netmodel_message netmodel__no_message = { NETMODEL__NO_DELAY, NETMODEL__NO_DELAY, NETMODEL__NO_DELAY,
                                                       NETMODEL__NO_DELAY };

NETMODEL_API netmodel_delay netmodel_delay_constant(double seconds)
{
    netmodel_delay delay = NETMODEL__NO_DELAY;

    delay.kind = NETMODEL_DELAY_CONSTANT;
    delay.constant = seconds;
    return delay;
}

NETMODEL_API netmodel_delay netmodel_delay_link(netmodel_link link)
{
    netmodel_delay delay = NETMODEL__NO_DELAY;

    delay.kind = NETMODEL_DELAY_LINK;
    delay.link = link;
    return delay;
}

NETMODEL_API netmodel_delay netmodel_delay_line(netmodel_line line)
{
    netmodel_delay delay = NETMODEL__NO_DELAY;

    delay.kind = NETMODEL_DELAY_LINE;
    delay.line = line;
    return delay;
}

NETMODEL_API netmodel_delay netmodel_delay_curve(netmodel_curve curve)
{
    netmodel_delay delay = NETMODEL__NO_DELAY;

    delay.kind = NETMODEL_DELAY_CURVE;
    delay.curve = curve;
    return delay;
}

NETMODEL_API double netmodel_delay_time(const netmodel_delay *delay, double bytes)
{
    double time = NAN;

    if (!netmodel__amount(bytes)) return NAN;
    switch (delay->kind) {
    case NETMODEL_DELAY_NONE: time = 0; break;
    case NETMODEL_DELAY_CONSTANT: time = netmodel__amount(delay->constant) ? delay->constant : (double)NAN; break;
    case NETMODEL_DELAY_LINK: time = netmodel_link_time(&delay->link, bytes); break;
    case NETMODEL_DELAY_LINE: time = netmodel_line_time(&delay->line, bytes); break;
    case NETMODEL_DELAY_CURVE: time = netmodel_curve_time(&delay->curve, bytes); break;
    }
    return time >= 0 ? time : (double)NAN;
}

NETMODEL_API double netmodel_message_time(const netmodel_message *message, double bytes)
{
    return netmodel_message_when(message, bytes, 0, 0).received;
}

NETMODEL_API netmodel_message_times netmodel_message_when(const netmodel_message *message, double bytes, double begin,
                                                          double asked)
{
    netmodel_message_times when = { NAN, NAN, NAN };
    double side = netmodel_delay_time(&message->pack, bytes) + netmodel_delay_time(&message->send, bytes);
    double transmit = netmodel_delay_time(&message->transmit, bytes);
    double receive = netmodel_delay_time(&message->receive, bytes);

    if (!(fabs(begin) < HUGE_VAL && fabs(asked) < HUGE_VAL && side + transmit + receive < HUGE_VAL)) return when;
    when.sent = begin + side;
    when.arrived = when.sent + transmit;
    when.received = (asked > when.arrived ? asked : when.arrived) + receive;
    return when;
}

/* Is the pair a before from, to? */
static int netmodel__pair_before(const netmodel_message_pair *a, size_t from, size_t to)
{
    return a->from < from || (a->from == from && a->to < to);
}

NETMODEL_API netmodel_result netmodel_messages_init(netmodel_messages *messages, const netmodel_message *usual,
                                                    const netmodel_message *self, const netmodel_message_pair *pair,
                                                    size_t count, size_t *where)
{
    size_t i;

    if (messages == NULL) return NETMODEL_MISSING;
    messages->usual = messages->self = NULL;
    messages->pair = NULL;
    messages->count = 0;
    if (count > 0 && pair == NULL) return NETMODEL_MISSING;

    for (i = 0; i < count; i++) {
        netmodel_result result = NETMODEL_OK;
        if (pair[i].message == NULL)
            result = NETMODEL_MISSING;
        else if (i > 0 && !netmodel__pair_before(&pair[i - 1], pair[i].from, pair[i].to))
            result = NETMODEL_PAIRS_FALL;
        if (result == NETMODEL_OK) continue;
        if (where != NULL) *where = i;
        return result;
    }
    messages->usual = usual;
    messages->self = self;
    messages->pair = pair;
    messages->count = count;
    return NETMODEL_OK;
}

NETMODEL_API const netmodel_message *netmodel_messages_between(const netmodel_messages *messages, size_t from,
                                                               size_t to)
{
    size_t low = 0, high = messages->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (netmodel__pair_before(&messages->pair[middle], from, to))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < messages->count && messages->pair[low].from == from && messages->pair[low].to == to)
        return messages->pair[low].message;
    if (from == to && messages->self != NULL) return messages->self;
    return messages->usual != NULL ? messages->usual : &netmodel__no_message;
}

/*=============================================================================
 * MARK: - >>timing (body)
 *===========================================================================*/
/* Sorts what lies in any arrays, in place and always in the same way: a heap. `before` is a strict order. */
typedef struct netmodel__sorted {
    int (*before)(const void *what, size_t i, size_t k);
    void (*swap)(void *what, size_t i, size_t k);
} netmodel__sorted;

static void netmodel__sift(const netmodel__sorted *by, void *what, size_t at, size_t count)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) return;
        if (child + 1 < count && by->before(what, child, child + 1)) child++;
        if (!by->before(what, at, child)) return;
        by->swap(what, at, child);
        at = child;
    }
}

static void netmodel__sort(const netmodel__sorted *by, void *what, size_t count)
{
    size_t i;

    for (i = count / 2; i-- > 0;) netmodel__sift(by, what, i, count);
    for (i = count; i-- > 1;) {
        by->swap(what, 0, i);
        netmodel__sift(by, what, 0, i);
    }
}

/* What a prediction works on. Segments have one index over all nodes, that of their spans. */
typedef struct netmodel__timing {
    const netmodel_timing *graph;
    netmodel_timing_sum *sum;
    netmodel_timing_span *span; /* partner is the node of a segment until it has found its partner */
    size_t *order;              /* sends and receives, sorted so that partners come together */
    size_t *at;                 /* of each node the segment that it has come to */
    size_t *below;              /* a stack of nodes that may go on: the one below, or one of the two marks */
    size_t top;
} netmodel__timing;

#define NETMODEL__BOTTOM ((size_t)-1)
#define NETMODEL__NOT_STACKED ((size_t)-2)

static const netmodel_segment *netmodel__segment(const netmodel__timing *t, size_t node, size_t index)
{
    return &t->graph->node[node].segment[index - t->sum[node].first];
}

static void netmodel__timing_tell(const netmodel__timing *t, netmodel_timing_place *where, size_t node, size_t index)
{
    if (where == NULL) return;
    where->node = node;
    where->segment = index - t->sum[node].first;
}

/* The delays of a send of a node. */
static const netmodel_message *netmodel__segment_message(const netmodel__timing *t, size_t node,
                                                         const netmodel_segment *send)
{
    return netmodel_messages_between(&t->graph->mode[send->mode].messages, node, send->peer);
}

static double netmodel__send_time(const netmodel_message *message, double size)
{
    return netmodel_delay_time(&message->pack, size) + netmodel_delay_time(&message->send, size);
}

static netmodel_result netmodel__segment_check(const netmodel__timing *t, size_t node, const netmodel_segment *segment)
{
    const netmodel_message *message;

    switch (segment->kind) {
    case NETMODEL_CODE: return netmodel__amount(segment->seconds) ? NETMODEL_OK : NETMODEL_BAD_TIME;
    case NETMODEL_SEND:
        if (segment->peer >= t->graph->nodes) return NETMODEL_NO_SUCH_PEER;
        if (segment->mode >= t->graph->modes) return NETMODEL_NO_SUCH_MODE;
        message = netmodel__segment_message(t, node, segment);
        return netmodel__amount(netmodel_message_time(message, segment->size)) ? NETMODEL_OK : NETMODEL_BAD_TIME;
    case NETMODEL_RECEIVE: return segment->peer < t->graph->nodes ? NETMODEL_OK : NETMODEL_NO_SUCH_PEER;
    }
    return NETMODEL_BAD_CHOICE;
}

/* One side of a message. */
typedef struct netmodel__end {
    size_t from, to, message, index;
    int receives;
} netmodel__end;

static netmodel__end netmodel__end_of(const netmodel__timing *t, size_t index)
{
    size_t node = t->span[index].partner;
    const netmodel_segment *segment = netmodel__segment(t, node, index);
    netmodel__end end;

    end.receives = segment->kind == NETMODEL_RECEIVE;
    end.from = end.receives ? segment->peer : node;
    end.to = end.receives ? node : segment->peer;
    end.message = segment->message;
    end.index = index;
    return end;
}

static int netmodel__same_message(const netmodel__end *a, const netmodel__end *b)
{
    return a->from == b->from && a->to == b->to && a->message == b->message;
}

/* By message; of one message the sends before the receives, each in the order of the program. */
static int netmodel__order_before(const void *what, size_t i, size_t k)
{
    const netmodel__timing *t = (const netmodel__timing *)what;
    netmodel__end a = netmodel__end_of(t, t->order[i]), b = netmodel__end_of(t, t->order[k]);

    if (a.from != b.from) return a.from < b.from;
    if (a.to != b.to) return a.to < b.to;
    if (a.message != b.message) return a.message < b.message;
    if (a.receives != b.receives) return b.receives;
    return a.index < b.index;
}

static void netmodel__order_swap(void *what, size_t i, size_t k)
{
    const netmodel__timing *t = (const netmodel__timing *)what;
    size_t index = t->order[i];

    t->order[i] = t->order[k];
    t->order[k] = index;
}

/* Numbers the segments, checks them, and puts sends and receives into the order; says how many these are. */
static netmodel_result netmodel__timing_read(netmodel__timing *t, size_t *count, netmodel_timing_place *where)
{
    size_t index = 0, node, i;

    for (node = 0; node < t->graph->nodes; node++) {
        t->sum[node].first = index;
        index += t->graph->node[node].count;
    }
    *count = 0;
    for (node = 0; node < t->graph->nodes; node++)
        for (i = 0; i < t->graph->node[node].count; i++) {
            const netmodel_segment *segment = &t->graph->node[node].segment[i];
            netmodel_result result = netmodel__segment_check(t, node, segment);
            index = t->sum[node].first + i;
            if (result != NETMODEL_OK) {
                netmodel__timing_tell(t, where, node, index);
                return result;
            }
            t->span[index].partner = segment->kind == NETMODEL_CODE ? index : node;
            if (segment->kind != NETMODEL_CODE) t->order[(*count)++] = index;
        }
    return NETMODEL_OK;
}

/* Gives each send its receive. Of those that find none the first in the program is told. */
static netmodel_result netmodel__timing_match(netmodel__timing *t, size_t count, netmodel_timing_place *where)
{
    static const netmodel__sorted by = { netmodel__order_before, netmodel__order_swap };
    size_t lonely = NETMODEL__BOTTOM, begin, sends, end;
    netmodel__end left = { 0, 0, 0, 0, 0 };

    netmodel__sort(&by, t, count);
    for (begin = 0; begin < count; begin = end) {
        netmodel__end head = netmodel__end_of(t, t->order[begin]);
        size_t k, pairs;

        for (sends = 0, end = begin; end < count; end++) {
            netmodel__end own = netmodel__end_of(t, t->order[end]);
            if (!netmodel__same_message(&head, &own)) break;
            sends += !own.receives;
        }
        pairs = end - begin - sends < sends ? end - begin - sends : sends;
        if (end - begin != 2 * pairs) {
            size_t alone = t->order[sends > pairs ? begin + pairs : begin + sends + pairs];
            if (alone < lonely) lonely = alone, left = netmodel__end_of(t, alone);
        }
        for (k = 0; k < pairs; k++) {
            size_t send = t->order[begin + k], receive = t->order[begin + sends + k];
            t->span[send].partner = receive;
            t->span[receive].partner = send;
        }
    }
    if (lonely == NETMODEL__BOTTOM) return NETMODEL_OK;
    netmodel__timing_tell(t, where, left.receives ? left.to : left.from, lonely);
    return left.receives ? NETMODEL_NO_SEND : NETMODEL_NO_RECEIVE;
}

static void netmodel__timing_push(netmodel__timing *t, size_t node)
{
    if (t->below[node] != NETMODEL__NOT_STACKED) return;
    t->below[node] = t->top;
    t->top = node;
}

/* Is what a send or receive waits for known? Then it says when it is there. */
static int netmodel__timing_ready(const netmodel__timing *t, size_t node, netmodel_timing_span *own)
{
    const netmodel_segment *segment = netmodel__segment(t, node, (size_t)(own - t->span)), *send = segment;
    const netmodel_timing_span *other = &t->span[own->partner];
    size_t come = t->at[segment->peer];
    int receives = segment->kind == NETMODEL_RECEIVE, synchronous;
    double start = own->begin;

    if (receives) send = netmodel__segment(t, segment->peer, own->partner);
    synchronous = t->graph->mode[send->mode].synchronous;
    if ((synchronous || receives) && come < own->partner) return 0; /* it has not even begun */
    if (synchronous && start < other->begin) start = other->begin;  /* both begin when the later one does */
    if (receives) {
        const netmodel_message *message = netmodel__segment_message(t, segment->peer, send);
        double there = synchronous ? start : other->begin;
        if (!t->graph->mode[send->mode].together) there += netmodel__send_time(message, send->size);
        there += netmodel_delay_time(&message->transmit, send->size);
        if (start < there) start = there;
    }
    own->ready = start;
    return 1;
}

/* How long a segment works. */
static double netmodel__timing_work(const netmodel__timing *t, size_t node, const netmodel_timing_span *own)
{
    const netmodel_segment *segment = netmodel__segment(t, node, (size_t)(own - t->span)), *send;

    switch (segment->kind) {
    case NETMODEL_CODE: break;
    case NETMODEL_SEND: return netmodel__send_time(netmodel__segment_message(t, node, segment), segment->size);
    case NETMODEL_RECEIVE:
        send = netmodel__segment(t, segment->peer, own->partner);
        return netmodel_delay_time(&netmodel__segment_message(t, segment->peer, send)->receive, send->size);
    }
    return segment->seconds;
}

/* A node goes on until it must wait, or is through. Who waits for what it has done may go on, too. */
static netmodel_result netmodel__timing_go_on(netmodel__timing *t, size_t node, netmodel_timing_place *where)
{
    netmodel_timing_sum *sum = &t->sum[node];
    size_t last = sum->first + t->graph->node[node].count;

    for (; t->at[node] < last; t->at[node]++) {
        size_t index = t->at[node];
        const netmodel_segment *segment = netmodel__segment(t, node, index);
        netmodel_timing_span *own = &t->span[index];

        own->begin = own->ready = sum->time;
        if (segment->kind != NETMODEL_CODE && !netmodel__timing_ready(t, node, own)) return NETMODEL_OK;
        own->end = own->ready + netmodel__timing_work(t, node, own);
        if (!(own->end < HUGE_VAL)) {
            netmodel__timing_tell(t, where, node, index);
            return NETMODEL_BAD_TIME;
        }
        sum->time = own->end;
        sum->waiting += own->ready - own->begin;
        sum->working += own->end - own->ready;
        if (segment->kind != NETMODEL_CODE && t->at[segment->peer] == own->partner)
            netmodel__timing_push(t, segment->peer);
    }
    return NETMODEL_OK;
}

/* All nodes go on until none can. */
static netmodel_result netmodel__timing_run(netmodel__timing *t, netmodel_timing_place *where)
{
    size_t nodes = t->graph->nodes, node, first, steps;

    t->top = NETMODEL__BOTTOM;
    for (node = nodes; node-- > 0;) {
        t->at[node] = t->sum[node].first;
        t->below[node] = NETMODEL__NOT_STACKED;
        netmodel__timing_push(t, node);
    }
    while (t->top != NETMODEL__BOTTOM) {
        netmodel_result result;
        node = t->top;
        t->top = t->below[node];
        t->below[node] = NETMODEL__NOT_STACKED;
        result = netmodel__timing_go_on(t, node, where);
        if (result != NETMODEL_OK) return result;
    }
    for (node = 0; node < nodes; node++)
        if (t->at[node] < t->sum[node].first + t->graph->node[node].count) break;
    if (node == nodes) return NETMODEL_OK;

    /* whoever waits does so for one who waits: that way into a circle, and once around it to the first of its nodes */
    for (steps = 0; steps < nodes; steps++) node = netmodel__segment(t, node, t->at[node])->peer;
    first = node;
    for (steps = 0; steps < nodes; steps++) {
        node = netmodel__segment(t, node, t->at[node])->peer;
        if (node < first) first = node;
    }
    netmodel__timing_tell(t, where, first, t->at[first]);
    return NETMODEL_WAIT_CYCLE;
}

NETMODEL_API size_t netmodel_timing_segments(const netmodel_timing *graph)
{
    size_t count = 0, node;

    if (graph->node == NULL) return 0;
    for (node = 0; node < graph->nodes; node++) count += graph->node[node].count;
    return count;
}

NETMODEL_API netmodel_result netmodel_timing_predict(const netmodel_timing *graph, netmodel_timing_total *total,
                                                     netmodel_timing_sum sum[], netmodel_timing_span span[],
                                                     size_t scratch[], netmodel_timing_place *where)
{
    netmodel__timing t;
    netmodel_result result;
    size_t segments, count = 0, node;

    if (total != NULL) memset(total, 0, sizeof *total);
    if (graph == NULL || (graph->nodes > 0 && graph->node == NULL)) return NETMODEL_MISSING;
    segments = netmodel_timing_segments(graph);
    if (sum != NULL) memset(sum, 0, graph->nodes * sizeof *sum);
    if (span != NULL) memset(span, 0, segments * sizeof *span);
    if (graph->nodes == 0) return NETMODEL_EMPTY;
    if (total == NULL || sum == NULL || scratch == NULL || (segments > 0 && span == NULL)) return NETMODEL_MISSING;
    if (graph->modes > 0 && graph->mode == NULL) return NETMODEL_MISSING;
    for (node = 0; node < graph->nodes; node++)
        if (graph->node[node].count > 0 && graph->node[node].segment == NULL) return NETMODEL_MISSING;

    t.graph = graph;
    t.sum = sum;
    t.span = span;
    t.order = scratch;
    t.at = scratch + segments;
    t.below = t.at + graph->nodes;
    t.top = NETMODEL__BOTTOM;
    result = netmodel__timing_read(&t, &count, where);
    if (result == NETMODEL_OK) result = netmodel__timing_match(&t, count, where);
    if (result == NETMODEL_OK) result = netmodel__timing_run(&t, where);
    if (result != NETMODEL_OK) {
        memset(sum, 0, graph->nodes * sizeof *sum);
        memset(span, 0, segments * sizeof *span); /* a segment is to blame, so there is one */
        return result;
    }
    for (node = 0; node < graph->nodes; node++)
        if (node == 0 || sum[node].time > total->time) total->time = sum[node].time, total->node = node;
    return NETMODEL_OK;
}

/* Text against text, as strcmp() does it; NULL comes first. */
static int netmodel__text_order(const char *a, const char *b)
{
    if (a == NULL || b == NULL) return (a != NULL) - (b != NULL);
    while (*a != 0 && *a == *b) a++, b++;
    return (*a > *b) - (*a < *b);
}

static int netmodel__line_before(const void *what, size_t i, size_t k)
{
    const netmodel_timing_line *a = (const netmodel_timing_line *)what + i, *b = (const netmodel_timing_line *)what + k;
    int order = netmodel__text_order(a->file, b->file);

    if (order != 0) return order < 0;
    return a->line != b->line ? a->line < b->line : a->first < b->first;
}

static int netmodel__line_dearer(const void *what, size_t i, size_t k)
{
    const netmodel_timing_line *a = (const netmodel_timing_line *)what + i, *b = (const netmodel_timing_line *)what + k;
    double own = a->working + a->waiting, other = b->working + b->waiting;

    return own > other || (!(own < other) && a->first < b->first);
}

static void netmodel__line_swap(void *what, size_t i, size_t k)
{
    netmodel_timing_line *line = (netmodel_timing_line *)what, one = line[i];

    line[i] = line[k];
    line[k] = one;
}

NETMODEL_API netmodel_result netmodel_timing_lines(const netmodel_timing *graph, const netmodel_timing_sum sum[],
                                                   const netmodel_timing_span span[], size_t node,
                                                   netmodel_timing_line line[], size_t *count)
{
    static const netmodel__sorted by_line = { netmodel__line_before, netmodel__line_swap };
    static const netmodel__sorted by_time = { netmodel__line_dearer, netmodel__line_swap };
    size_t segments, lines = 0, i;

    if (count == NULL) return NETMODEL_MISSING;
    *count = 0;
    if (graph == NULL || graph->node == NULL || sum == NULL) return NETMODEL_MISSING;
    if (node >= graph->nodes) return NETMODEL_NO_SUCH_PEER;
    segments = graph->node[node].count;
    if (segments > 0 && (graph->node[node].segment == NULL || span == NULL || line == NULL)) return NETMODEL_MISSING;

    for (i = 0; i < segments; i++) {
        const netmodel_timing_span *own = &span[sum[node].first + i];
        line[i].file = graph->node[node].segment[i].file;
        line[i].line = graph->node[node].segment[i].line;
        line[i].first = i;
        line[i].segments = 1;
        line[i].working = own->end - own->ready;
        line[i].waiting = own->ready - own->begin;
        line[i].part = 0;
    }
    netmodel__sort(&by_line, line, segments);
    for (i = 0; i < segments; i++) {
        netmodel_timing_line *last = line + lines - (lines > 0);
        if (lines > 0 && last->line == line[i].line && netmodel__text_order(last->file, line[i].file) == 0) {
            last->segments++;
            last->working += line[i].working;
            last->waiting += line[i].waiting;
        } else {
            line[lines++] = line[i];
        }
    }
    for (i = 0; i < lines; i++)
        if (sum[node].time > 0) line[i].part = (line[i].working + line[i].waiting) / sum[node].time;
    netmodel__sort(&by_time, line, lines);
    *count = lines;
    return NETMODEL_OK;
}

/*=============================================================================
 * MARK: - >>scaling (body)
 *===========================================================================*/
/* The binary logarithm of a number of processes, exact for powers of two. That of libm may differ in its last bit from
 * one processor to the next; this one may not. ln m = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1) / (m + 1), |s| < 0.172 */
static double netmodel__log2(size_t n)
{
    int exponent;
    double m = frexp((double)n, &exponent), s, power, sum = 0;
    int k;

    if (m < 0.70710678118654752) m *= 2, exponent--;
    s = (m - 1) / (m + 1);
    power = 2 * s;
    for (k = 1; k <= 23; k += 2) {
        sum += power / k;
        power = netmodel__times(power, netmodel__times(s, s));
    }
    return exponent + netmodel__times(sum, 1.4426950408889634); /* 1 / ln 2 */
}

/* A line through the runs on so many processes, over their work, and its (co)variances in squares of a run's relative
 * deviation: of the intercept, of both, of the slope. */
typedef struct netmodel__runs_line {
    netmodel_line line;
    double variance[3];
    double squares; /* of the relative errors */
    size_t count;
} netmodel__runs_line;

/* The square of an error counts relative to the time there: by a first fit, which weighs all alike, and not by the run
 * itself, for then a run that came out short would weigh more than one that came out long. */
static double netmodel__run_weight(double fitted, double measured)
{
    double time = fitted > 0 ? fitted : measured;
    return 1 / netmodel__times(time, time);
}

/* Fits it; 0 if the work of these runs does not differ. */
static int netmodel__runs_line_fit(netmodel__runs_line *fit, const netmodel_run run[], size_t count, size_t processes)
{
    int round, rounds = 2;

    for (round = 0; round < rounds; round++) {
        netmodel__sums s = { 0, 0, 0, 0, 0, 0 };
        double low = HUGE_VAL, high = 0, squares = 0;
        size_t i;

        fit->count = 0;
        for (i = 0; i < count; i++) {
            double weight = 1;
            if (run[i].processes != processes) continue;
            if (round > 0) weight = netmodel__run_weight(netmodel_line_time(&fit->line, run[i].work), run[i].seconds);
            netmodel__join(&s, run[i].work, run[i].seconds, weight);
            if (run[i].work < low) low = run[i].work;
            if (run[i].work > high) high = run[i].work;
            fit->count++;
        }
        if (!(high > low && s.nn > 0)) return 0;
        fit->line = netmodel__line_of(&s);
        fit->variance[0] = 1 / s.weight + netmodel__times(s.n, s.n) / s.nn;
        fit->variance[1] = -s.n / s.nn;
        fit->variance[2] = 1 / s.nn;
        for (i = 0; i < count; i++) {
            double time = netmodel_line_time(&fit->line, run[i].work), miss;
            if (run[i].processes != processes) continue;
            miss = (run[i].seconds - time) / (time > 0 ? time : run[i].seconds);
            squares += netmodel__times(miss, miss);
        }
        fit->squares = squares;
    }
    return 1;
}

/* The times on more than one process, `a + d log2(np) + b work`, and the (co)variances of a, d, b: 11, 12, 13, 22, 23,
 * 33. Its parameters are those that were fitted, not always three. */
typedef struct netmodel__runs_plane {
    double a, d, b, variance[6], squares;
    size_t parameters;
} netmodel__runs_plane;

/* The smallest number of processes of the runs that is larger than this one, or 0. */
static size_t netmodel__runs_next(const netmodel_run run[], size_t count, size_t processes)
{
    size_t next = 0, i;

    for (i = 0; i < count; i++)
        if (run[i].processes > processes && (next == 0 || run[i].processes < next)) next = run[i].processes;
    return next;
}

/* The paper's steps: a line over work for each number of processes, a line over log2(np) through their intercepts, and
 * the slope of the last of them. */
static int netmodel__runs_steps(netmodel__runs_plane *plane, const netmodel_run run[], size_t count)
{
    double mean = 0, spread = 0, numbers = 0;
    size_t np;

    memset(plane, 0, sizeof *plane);
    for (np = 1; (np = netmodel__runs_next(run, count, np)) > 0;) {
        double off = netmodel__log2(np) - mean;
        numbers += 1;
        mean += off / numbers;
        spread += netmodel__times(off, netmodel__log2(np) - mean);
    }
    if (!(numbers >= 2)) return 0;
    for (np = 1; (np = netmodel__runs_next(run, count, np)) > 0;) {
        netmodel__runs_line own;
        double to_d = (netmodel__log2(np) - mean) / spread, to_a = 1 / numbers - netmodel__times(mean, to_d);

        if (!netmodel__runs_line_fit(&own, run, count, np)) return 0;
        plane->a += netmodel__times(to_a, own.line.intercept);
        plane->d += netmodel__times(to_d, own.line.intercept);
        plane->b = own.line.slope;
        plane->variance[0] += netmodel__times(netmodel__times(to_a, to_a), own.variance[0]);
        plane->variance[1] += netmodel__times(netmodel__times(to_a, to_d), own.variance[0]);
        plane->variance[2] = netmodel__times(to_a, own.variance[1]);
        plane->variance[3] += netmodel__times(netmodel__times(to_d, to_d), own.variance[0]);
        plane->variance[4] = netmodel__times(to_d, own.variance[1]);
        plane->variance[5] = own.variance[2];
        plane->squares += own.squares;
        plane->parameters += 2;
    }
    return 1;
}

/* What a plane says. */
static double netmodel__runs_plane_time(const netmodel__runs_plane *plane, double log2_np, double work)
{
    return plane->a + netmodel__times(plane->d, log2_np) + netmodel__times(plane->b, work);
}

/* A run on more than one process, as that fit sees it: log2(np), work and time, less their means. */
typedef struct netmodel__runs_point {
    double x, y, t, weight;
} netmodel__runs_point;

static netmodel__runs_point netmodel__runs_off(const netmodel_run *run, const netmodel__runs_point *mean,
                                               const netmodel__runs_plane *before)
{
    netmodel__runs_point off;
    double log2_np = netmodel__log2(run->processes);

    off.x = log2_np - mean->x;
    off.y = run->work - mean->y;
    off.t = run->seconds - mean->t;
    off.weight = 1;
    if (before->parameters > 0)
        off.weight = netmodel__run_weight(netmodel__runs_plane_time(before, log2_np, run->work), run->seconds);
    return off;
}

/* One least squares fit to all runs on more than one process, weighted by the one before if that has parameters. */
static int netmodel__runs_plane_fit(netmodel__runs_plane *plane, const netmodel_run run[], size_t count,
                                    const netmodel__runs_plane *before)
{
    netmodel__runs_point mean = { 0, 0, 0, 0 };
    double xx = 0, xy = 0, yy = 0, xt = 0, yt = 0, det, *v = plane->variance;
    size_t i;

    memset(plane, 0, sizeof *plane);
    plane->parameters = 3;
    for (i = 0; i < count; i++) {
        netmodel__runs_point off = netmodel__runs_off(&run[i], &mean, before);
        if (run[i].processes < 2) continue;
        mean.weight += off.weight;
        mean.x += netmodel__times(off.x, off.weight / mean.weight);
        mean.y += netmodel__times(off.y, off.weight / mean.weight);
        mean.t += netmodel__times(off.t, off.weight / mean.weight);
    }
    for (i = 0; i < count; i++) {
        netmodel__runs_point off = netmodel__runs_off(&run[i], &mean, before);
        if (run[i].processes < 2) continue;
        xx += netmodel__times(netmodel__times(off.weight, off.x), off.x);
        xy += netmodel__times(netmodel__times(off.weight, off.x), off.y);
        yy += netmodel__times(netmodel__times(off.weight, off.y), off.y);
        xt += netmodel__times(netmodel__times(off.weight, off.x), off.t);
        yt += netmodel__times(netmodel__times(off.weight, off.y), off.t);
    }
    det = netmodel__times(xx, yy) - netmodel__times(xy, xy);
    if (!(det > 1e-12 * netmodel__times(xx, yy))) return 0; /* one goes with the other: who is to blame? */

    plane->d = (netmodel__times(xt, yy) - netmodel__times(yt, xy)) / det;
    plane->b = (netmodel__times(yt, xx) - netmodel__times(xt, xy)) / det;
    plane->a = mean.t - netmodel__times(plane->d, mean.x) - netmodel__times(plane->b, mean.y);
    v[3] = yy / det;
    v[4] = -xy / det;
    v[5] = xx / det;
    v[1] = -netmodel__times(mean.x, v[3]) - netmodel__times(mean.y, v[4]);
    v[2] = -netmodel__times(mean.x, v[4]) - netmodel__times(mean.y, v[5]);
    v[0] = 1 / mean.weight - netmodel__times(mean.x, v[1]) - netmodel__times(mean.y, v[2]);
    for (i = 0; i < count; i++) {
        double time = netmodel__runs_plane_time(plane, netmodel__log2(run[i].processes), run[i].work), miss;
        if (run[i].processes < 2) continue;
        miss = (run[i].seconds - time) / (time > 0 ? time : run[i].seconds);
        plane->squares += netmodel__times(miss, miss);
    }
    return 1;
}

static netmodel_result netmodel__runs_check(const netmodel_run run[], size_t count, size_t *where)
{
    size_t i;

    for (i = 0; i < count; i++) {
        netmodel_result result = NETMODEL_OK;
        if (run[i].processes < 1 || !netmodel__amount(run[i].work) ||
            !(run[i].seconds > 0 && run[i].seconds < HUGE_VAL))
            result = NETMODEL_BAD_RUN;
        else if (!netmodel__in_range(run[i].work) || !netmodel__in_range(run[i].seconds))
            result = NETMODEL_OUT_OF_RANGE;
        if (result == NETMODEL_OK) continue;
        if (where != NULL) *where = i;
        return result;
    }
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_scaling_fit(netmodel_scaling *scaling, const netmodel_run run[], size_t count,
                                                  const netmodel_scaling_desc *desc, size_t *where)
{
    netmodel_scaling_method method = desc != NULL ? desc->method : NETMODEL_SCALING_STEPS;
    double error = desc != NULL ? desc->error : 0;
    netmodel__runs_line one;
    netmodel__runs_plane many, first, none;
    netmodel_result result;
    size_t i, parameters;
    int told;

    if (scaling == NULL) return NETMODEL_MISSING;
    memset(scaling, 0, sizeof *scaling);
    if (count > 0 && run == NULL) return NETMODEL_MISSING;
    if (method != NETMODEL_SCALING_STEPS && method != NETMODEL_SCALING_POOLED) return NETMODEL_BAD_CHOICE;
    if (!netmodel__amount(error)) return NETMODEL_BAD_ERROR;
    result = netmodel__runs_check(run, count, where);
    if (result != NETMODEL_OK) return result;

    memset(&none, 0, sizeof none);
    told = netmodel__runs_line_fit(&one, run, count, 1);
    if (method == NETMODEL_SCALING_STEPS)
        told = told && netmodel__runs_steps(&many, run, count);
    else
        told = told && netmodel__runs_plane_fit(&first, run, count, &none) &&
               netmodel__runs_plane_fit(&many, run, count, &first);
    if (!told) return NETMODEL_TOO_FEW;

    scaling->start = one.line.intercept;
    scaling->per_work = one.line.slope;
    scaling->c = many.a - one.line.intercept;
    scaling->d = many.d;
    scaling->g = many.b - one.line.slope;
    parameters = 2 + many.parameters;
    scaling->freedom = count > parameters ? count - parameters : 0;
    scaling->deviation = HUGE_VAL;
    if (error > 0)
        scaling->deviation = error, scaling->freedom = NETMODEL_KNOWN;
    else if (scaling->freedom > 0)
        scaling->deviation = sqrt((one.squares + many.squares) / (double)scaling->freedom);
    memcpy(scaling->one, one.variance, sizeof scaling->one);
    memcpy(scaling->many, many.variance, sizeof scaling->many);
    scaling->c_error = netmodel__times(scaling->deviation, sqrt(one.variance[0] + many.variance[0]));
    scaling->d_error = netmodel__times(scaling->deviation, sqrt(many.variance[3]));
    scaling->g_error = netmodel__times(scaling->deviation, sqrt(one.variance[2] + many.variance[5]));
    scaling->low = HUGE_VAL;
    for (i = 0; i < count; i++) {
        if (run[i].work < scaling->low) scaling->low = run[i].work;
        if (run[i].work > scaling->high) scaling->high = run[i].work;
    }
    return NETMODEL_OK;
}

NETMODEL_API double netmodel_scaling_overhead(const netmodel_scaling *scaling, size_t processes, double work)
{
    if (processes < 1 || !netmodel__amount(work)) return NAN;
    if (processes == 1) return 0;
    return scaling->c + netmodel__times(scaling->d, netmodel__log2(processes)) + netmodel__times(scaling->g, work);
}

NETMODEL_API double netmodel_scaling_time(const netmodel_scaling *scaling, size_t processes, double work)
{
    double overhead = netmodel_scaling_overhead(scaling, processes, work);
    return scaling->start + netmodel__times(scaling->per_work, work) + overhead;
}

NETMODEL_API netmodel_prediction netmodel_scaling_predict(const netmodel_scaling *scaling, size_t processes,
                                                          double work, double level)
{
    double time = netmodel_scaling_time(scaling, processes, work), variance;
    int outside = !(work >= scaling->low && work <= scaling->high);
    const double *v = scaling->many;

    if (processes > 1) {
        double x = netmodel__log2(processes);
        variance = v[0] + netmodel__times(x, netmodel__times(2, v[1]) + netmodel__times(x, v[3])) +
                   netmodel__times(work, netmodel__times(2, v[2]) + netmodel__times(netmodel__times(2, x), v[4]) +
                                             netmodel__times(work, v[5]));
    } else {
        v = scaling->one;
        variance = v[0] + netmodel__times(work, netmodel__times(2, v[1]) + netmodel__times(work, v[2]));
    }
    return netmodel__predict(time, variance > 0 ? variance : 0, scaling->deviation, NETMODEL_RELATIVE, scaling->freedom,
                             level, outside);
}

NETMODEL_API netmodel_prediction netmodel_scaling_together(const netmodel_scaling_part part[], size_t count,
                                                           double level)
{
    netmodel_prediction all = { NAN, NAN, NAN, NAN, NAN, 0 };
    double upper = count > 1 ? 1 - (1 - level) / (double)count : level;
    size_t i;

    if (part == NULL) return all;
    for (i = 0; i < count; i++) {
        netmodel_prediction own = { NAN, NAN, NAN, NAN, NAN, 0 }, high = own;
        if (part[i].scaling != NULL) {
            own = netmodel_scaling_predict(part[i].scaling, part[i].processes, part[i].work, level);
            high = netmodel_scaling_predict(part[i].scaling, part[i].processes, part[i].work, upper);
        }
        if (netmodel__nan(own.time) || netmodel__nan(high.time)) {
            all.time = all.mean_low = all.mean_high = all.low = all.high = NAN;
            return all;
        }
        if (i == 0 || own.time > all.time) all.time = own.time;
        if (i == 0 || own.mean_low > all.mean_low) all.mean_low = own.mean_low;
        if (i == 0 || own.low > all.low) all.low = own.low;
        if (i == 0 || high.mean_high > all.mean_high) all.mean_high = high.mean_high;
        if (i == 0 || high.high > all.high) all.high = high.high;
        all.outside = all.outside || own.outside;
    }
    return all;
}

/*=============================================================================
 * MARK: - >>choice (body)
 *===========================================================================*/
NETMODEL_API double netmodel_choice_cost(double seconds, size_t clusters, const size_t processes[],
                                         const double price[])
{
    double hourly = 0;
    size_t k;

    if (!netmodel__amount(seconds)) return NAN;
    for (k = 0; k < clusters; k++) {
        if (!netmodel__amount(price[k])) return NAN;
        hourly += netmodel__times((double)processes[k], price[k]);
    }
    return netmodel__times(seconds / 3600, hourly);
}

/* The work of a process of cluster k if all clusters end at this time, as far as its memory allows. */
static double netmodel__choice_work(const netmodel_choice_desc *desc, const netmodel_choice *choice, size_t k,
                                    double time)
{
    const netmodel_scaling *scaling = &desc->grid[choice->grid].scaling[k];
    double empty = netmodel_scaling_time(scaling, choice->processes[k], 0), work;
    double slope = scaling->per_work + (choice->processes[k] > 1 ? scaling->g : 0);

    if (!(slope > 0)) return NAN;
    work = time > empty ? (time - empty) / slope : 0;
    return work < desc->cluster[k].memory ? work : desc->cluster[k].memory;
}

/* Gives each process of a choice its work; 0 if memory is short, or nothing is left for one of the clusters. */
static int netmodel__choice_share_out(const netmodel_choice_desc *desc, netmodel_choice *choice)
{
    double all = desc->grid[choice->grid].work, processes = 0, room = 0, low = 0, high = 0;
    size_t used = 0, k;

    for (k = 0; k < desc->clusters; k++) {
        used += choice->processes[k] > 0;
        processes += (double)choice->processes[k];
    }
    for (k = 0; k < desc->clusters; k++) {
        if (choice->processes[k] == 0) continue;
        choice->work[k] = all / processes;
        room += netmodel__times((double)choice->processes[k], desc->cluster[k].memory);
        if (!(choice->work[k] <= desc->cluster[k].memory) && (used == 1 || desc->split == NETMODEL_SPLIT_EQUAL))
            return 0;
    }
    if (used == 1 || desc->split == NETMODEL_SPLIT_EQUAL) return 1;
    if (!(room >= all)) return 0;

    /* more time, more work: the least time in which all of it is done lies between none and one that is enough */
    for (k = 0; k < desc->clusters; k++) {
        double most = desc->cluster[k].memory, time;
        if (choice->processes[k] == 0) continue;
        if (most > all / (double)choice->processes[k]) most = all / (double)choice->processes[k];
        time = netmodel_scaling_time(&desc->grid[choice->grid].scaling[k], choice->processes[k], most);
        if (time > high) high = time;
    }
    for (;;) {
        double time = low + (high - low) / 2, done = 0;
        if (!(time > low && time < high)) break;
        for (k = 0; k < desc->clusters; k++)
            if (choice->processes[k] > 0)
                done += netmodel__times((double)choice->processes[k], netmodel__choice_work(desc, choice, k, time));
        if (done < all)
            low = time;
        else
            high = time;
    }
    for (k = 0; k < desc->clusters; k++) {
        if (choice->processes[k] == 0) continue;
        choice->work[k] = netmodel__choice_work(desc, choice, k, high);
        if (choice->work[k] <= 0) return 0;
    }
    return 1;
}

/* Time and cost of a choice that has its work. */
static void netmodel__choice_predict(const netmodel_choice_desc *desc, netmodel_choice *choice)
{
    netmodel_scaling_part part[NETMODEL_CLUSTERS];
    double price[NETMODEL_CLUSTERS];
    netmodel_prediction p;
    size_t parts = 0, k;

    for (k = 0; k < desc->clusters; k++) {
        price[k] = desc->cluster[k].price;
        if (choice->processes[k] == 0) continue;
        part[parts].scaling = &desc->grid[choice->grid].scaling[k];
        part[parts].processes = choice->processes[k];
        part[parts++].work = choice->work[k];
    }
    p = netmodel_scaling_together(part, parts, desc->level > 0 ? desc->level : 0.5);
    if (!(p.time > 0)) p.time = p.low = p.high = NAN;
    choice->time = p.time;
    choice->low = desc->level > 0 ? p.low : p.time;
    choice->high = desc->level > 0 ? p.high : p.time;
    choice->outside = p.outside;
    choice->cost = netmodel_choice_cost(p.time, desc->clusters, choice->processes, price);
}

/* The next combination of numbers of processors: at[k] is 0 for none of cluster k, else one more than the index of its
 * try. 0 after the last one. */
static int netmodel__choice_next(const netmodel_choice_desc *desc, size_t at[])
{
    size_t k;

    for (k = 0; k < desc->clusters; k++) {
        const netmodel_cluster *cluster = &desc->cluster[k];
        size_t most = cluster->tries != NULL ? cluster->count : cluster->free > 0;
        if (at[k]++ < most) return 1;
        at[k] = 0;
    }
    return 0;
}

/* A choice of a grid and such a combination; 0 if it is none. */
static int netmodel__choice_of(const netmodel_choice_desc *desc, size_t grid, const size_t at[],
                               netmodel_choice *choice)
{
    size_t used = 0, k;
    int alone = 0;

    memset(choice, 0, sizeof *choice);
    choice->grid = grid;
    choice->side = desc->grid[grid].side;
    for (k = 0; k < desc->clusters; k++) {
        const netmodel_cluster *cluster = &desc->cluster[k];
        if (at[k] == 0) continue;
        choice->processes[k] = cluster->tries != NULL ? cluster->tries[at[k] - 1] : cluster->free;
        alone = alone || cluster->alone;
        used++;
    }
    if ((alone && used > 1) || !netmodel__choice_share_out(desc, choice)) return 0;
    netmodel__choice_predict(desc, choice);
    return 1;
}

static netmodel_result netmodel__choice_check(const netmodel_choice_desc *desc, size_t *where)
{
    size_t i, k;

    if ((desc->clusters > 0 && desc->cluster == NULL) || (desc->grids > 0 && desc->grid == NULL))
        return NETMODEL_MISSING;
    if (desc->clusters == 0 || desc->grids == 0) return NETMODEL_EMPTY;
    if (desc->split != NETMODEL_SPLIT_EQUAL && desc->split != NETMODEL_SPLIT_BALANCED) return NETMODEL_BAD_CHOICE;
    if (!(desc->level >= 0 && desc->level < 1)) return NETMODEL_BAD_LEVEL;
    for (i = 0; i < desc->clusters; i++) {
        const netmodel_cluster *cluster = &desc->cluster[i];
        int bad = i >= NETMODEL_CLUSTERS;
        if (!bad) bad = !(cluster->memory > 0 && netmodel__amount(cluster->price));
        for (k = 0; !bad && cluster->tries != NULL && k < cluster->count; k++)
            bad = cluster->tries[k] < 1 || cluster->tries[k] > cluster->free;
        if (!bad) continue;
        if (where != NULL) *where = i;
        return NETMODEL_BAD_CLUSTER;
    }
    for (i = 0; i < desc->grids; i++) {
        const netmodel_grid *grid = &desc->grid[i];
        if (fabs(grid->side) < HUGE_VAL && netmodel__amount(grid->work) && grid->work > 0 && grid->scaling != NULL)
            continue;
        if (where != NULL) *where = i;
        return NETMODEL_BAD_GRID;
    }
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_choice_list(const netmodel_choice_desc *desc, netmodel_choice list[], size_t room,
                                                  size_t *count, size_t *where)
{
    netmodel_result result;
    size_t grid;

    if (count != NULL) *count = 0;
    if (list != NULL) memset(list, 0, room * sizeof *list);
    if (desc == NULL || count == NULL || (list == NULL && room > 0)) return NETMODEL_MISSING;
    result = netmodel__choice_check(desc, where);
    if (result != NETMODEL_OK) return result;

    for (grid = 0; grid < desc->grids; grid++) {
        size_t at[NETMODEL_CLUSTERS];
        memset(at, 0, sizeof at);
        while (netmodel__choice_next(desc, at)) {
            netmodel_choice choice;
            if (!netmodel__choice_of(desc, grid, at, &choice)) continue;
            if (*count < room) list[*count] = choice;
            ++*count;
        }
    }
    return *count > room && room > 0 ? NETMODEL_LIST_FULL : NETMODEL_OK;
}

/* The choice that is least in one thing, and of equals in the other; a time that is NaN is no choice. */
typedef struct netmodel__wish {
    int finest, cheapest; /* else the fastest; of any grid, or of this one */
    size_t grid;
    double budget, deadline;
} netmodel__wish;

static size_t netmodel__choice_best(const netmodel_choice list[], size_t count, const netmodel__wish *wish)
{
    size_t best = count, i;

    for (i = 0; i < count; i++) {
        const netmodel_choice *own = &list[i], *so_far = &list[best < count ? best : i];
        double first = own->time - so_far->time, second = own->cost - so_far->cost, swap;
        if (!(own->time <= wish->deadline && own->cost <= wish->budget)) continue;
        if (!wish->finest && own->grid != wish->grid) continue;
        if (wish->cheapest) swap = first, first = second, second = swap;
        if (wish->finest && own->side < so_far->side) continue;
        if (best == count || (wish->finest && own->side > so_far->side) || first < 0 || (!(first > 0) && second < 0))
            best = i;
    }
    return best;
}

NETMODEL_API size_t netmodel_choice_fastest(const netmodel_choice list[], size_t count, size_t grid, double budget)
{
    netmodel__wish wish = { 0, 0, 0, 0, 0 };

    wish.grid = grid;
    wish.budget = budget;
    wish.deadline = HUGE_VAL;
    return netmodel__choice_best(list, count, &wish);
}

NETMODEL_API size_t netmodel_choice_cheapest(const netmodel_choice list[], size_t count, size_t grid, double deadline)
{
    netmodel__wish wish = { 0, 1, 0, 0, 0 };

    wish.grid = grid;
    wish.budget = HUGE_VAL;
    wish.deadline = deadline;
    return netmodel__choice_best(list, count, &wish);
}

NETMODEL_API size_t netmodel_choice_finest(const netmodel_choice list[], size_t count, double budget, double deadline)
{
    netmodel__wish wish = { 1, 1, 0, 0, 0 };

    wish.budget = budget;
    wish.deadline = deadline;
    return netmodel__choice_best(list, count, &wish);
}

#endif /* NETMODEL_IMPLEMENTED */

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
