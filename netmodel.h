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
        >>star          equal and max-min fair shares of the links to a switch
        >>fit           lines through measurements, least squares and robust, with intervals
        >>pieces        lines with breaks, with and without jumps
        >>message       what a message costs sender, network and receiver, for each pair of hosts
        >>timing        timing graphs: nodes of code and communication, and which line takes the time
        >>scaling       from runs on few processes to many, and which cluster to choose
        >>arithmetic    (private) products that round alike everywhere

    OPTIONS
        NETMODEL_IMPLEMENTATION   the body too; define it in exactly one file, before the include
        NETMODEL_STATIC           all functions static, body included, for a library that must not export them; define
                                  it in each file that calls them, before the include

    ERRORS
        A formula given the impossible (a negative size, a NaN) returns NaN, which no later sum can hide. A function
        that checks arrays returns a netmodel_result; netmodel_result_text() gives its sentence.

    THREADS
        A function touches its arguments and nothing else: call from any thread.

    TIME RESOLUTION
        That of double: nothing is rounded to a tick, 53 bits of the result count. The same inputs give the same bits
        on every processor with IEEE doubles. -ffast-math removes NaN, so the body refuses to compile with it.

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
    NETMODEL_NO_SEND,       /**< A receive without a send. */
    NETMODEL_NO_RECEIVE,    /**< A send without a receive. */
    NETMODEL_NEVER          /**< Segments that wait for each other for ever. */
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
 *           infinite or NaN, or a field is NaN.
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

/** Max-min fair rates of all transfers through the star: the other policy, where what a transfer cannot take of a link
 *  goes to the others on it.
 *
 *  All rates grow alike until a link is full; those on it stay, the others grow on.
 *
 *  @param[in]  nodes   Number of nodes [1].
 *  @param[in]  up      Bandwidth of each node to the switch [B/s], `up[nodes]`, >= 0 or INFINITY.
 *  @param[in]  down    Bandwidth of the switch to each node [B/s], `down[nodes]`, >= 0 or INFINITY.
 *  @param[in]  flows   Number of transfers [1]; may be 0.
 *  @param[in]  from    Sender of each, `from[flows]`, < nodes.
 *  @param[in]  to      Receiver of each, `to[flows]`, < nodes, another than the sender.
 *  @param[out] rate    Rate of each [B/s], `rate[flows]`; untouched if something is refused.
 *  @param[out] left    Working space, `left[2 * nodes]`.
 *  @param[out] out,in  Working space, `out[nodes]` and `in[nodes]`.
 *  @return  NETMODEL_OK, _MISSING, _BAD_BANDWIDTH, _NO_SUCH_NODE or _SELF_FLOW.
 *  @cost    O(nodes * (nodes + flows)) at most.
 *  @source  Progressive filling: Bertsekas and Gallager, "Data Networks", section 6.5.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_star_max_min(size_t nodes, const double up[], const double down[], size_t flows,
                                                   const size_t from[], const size_t to[], double rate[], double left[],
                                                   size_t out[], size_t in[]);

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
 *  @return  NETMODEL_OK, _MISSING, _TOO_FEW, _NOT_FINITE, _NEGATIVE, _NOT_POSITIVE, _ALL_ALIKE or _BAD_CHOICE.
 *  @cost    O(count), three passes; no scratch.
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
 *  @param[in] freedom   Degrees of freedom [1], >= 1.
 *  @return  t [1], to within 1 part in 1e11; NaN if an argument is not as said.
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
 *           _BYTES_FALL, _ALL_ALIKE or _BAD_CHOICE.
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
 * MARK: - >>message
 *===========================================================================*/
/** @defgroup netmodel_message_room Message
 *  What a message costs whom: packing and sending keep the sender busy, then it is under way, then receiving keeps the
 *  receiver busy. Each is a constant, a link or a curve, for any pair of hosts, a host and itself included. Follows
 *  [clue], machine files.
 *  @{ */

/** A delay that depends on the size: the curve if it has points, else the link; a link without byte time is a constant.
 *  Zeroed, it is none. */
typedef struct netmodel_delay {
    netmodel_link link;   /**< A link, or a constant in its latency. */
    netmodel_curve curve; /**< A curve; `count` 0: the link counts. */
} netmodel_delay;

/** Time of a delay.
 *
 *  @param[in] delay   The delay; borrowed.
 *  @param[in] bytes   Message size [B], finite, >= 0.
 *  @return  Time [s]; NaN as netmodel_link_time() and netmodel_curve_time().
 *  @since   0.1.0
 */
NETMODEL_API double netmodel_delay_time(const netmodel_delay *delay, double bytes);

/** The delays of a message between two hosts; zeroed, it takes no time. */
typedef struct netmodel_message {
    netmodel_delay pack;     /**< Into the sender's buffer. */
    netmodel_delay send;     /**< In the sending call, as far as the sender is involved. */
    netmodel_delay transmit; /**< From then on until it is there. */
    netmodel_delay receive;  /**< In the receiving call. */
} netmodel_message;

/** When what has happened, from the beginning of packing. */
typedef struct netmodel_message_times {
    double packed;   /**< It is in the buffer [s]. */
    double sent;     /**< The sender is free again [s]. */
    double arrived;  /**< The receive can begin [s]. */
    double received; /**< A receiver that was waiting has it [s]. */
} netmodel_message_times;

/** When what happens to a message whose receiver waits for it.
 *
 *  `packed = pack`, `sent = packed + send`, `arrived = sent + transmit`, `received = arrived + receive`
 *
 *  @param[in] message   Its delays; borrowed.
 *  @param[in] bytes     Its size [B], finite, >= 0.
 *  @return  The times [s]; NaN from the first delay on that is NaN.
 *  @source  [clue] figure 3.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_message_times netmodel_message_at(const netmodel_message *message, double bytes);

/** The delays between any two hosts. */
typedef struct netmodel_hosts {
    netmodel_message standard;            /**< For all pairs that have none of their own. */
    size_t hosts;                         /**< Number of hosts with pairs of their own [1]. */
    const netmodel_message *const *pairs; /**< `pairs[hosts * hosts]`, row by sender; NULL: standard. May be NULL. */
} netmodel_hosts;

/** The delays from one host to another, or to itself.
 *
 *  @param[in] hosts   All of them; borrowed.
 *  @param[in] from    Sender, from 0.
 *  @param[in] to      Receiver, from 0.
 *  @return  Their own, or the standard ones; borrowed.
 *  @source  [clue] "may be specified for any pair of hosts".
 *  @since   0.1.0
 */
NETMODEL_API const netmodel_message *netmodel_hosts_message(const netmodel_hosts *hosts, size_t from, size_t to);

/** @} */

/*=============================================================================
 * MARK: - >>timing
 *===========================================================================*/
/** @defgroup netmodel_timing_room Timing
 *  A timing graph: each node is a list of segments, code and communication, and a receive waits for its send. The
 *  program takes as long as the node that takes longest. Follows [dpgraph] sections 3.1 and 3.2.
 *  @{ */

/** What a segment is. */
typedef enum netmodel_segment_kind {
    NETMODEL_CODE = 0, /**< Computing. */
    NETMODEL_SEND,     /**< Sending a message. */
    NETMODEL_RECEIVE   /**< Receiving one. */
} netmodel_segment_kind;

/** A segment of a node's program. */
typedef struct netmodel_segment {
    netmodel_segment_kind kind; /**< What it is. */
    double seconds;             /**< Its own time on this side, without waiting [s], >= 0. */
    size_t peer;                /**< Send, receive: the other node, from 0. */
    int tag;                    /**< Send, receive: which message; those of one pair and tag match in order. */
    double ready;               /**< Send: the receive can begin so long after the send has [s], >= 0. 0 where the
                                     receiver's time was measured from when both had begun, as in [dpgraph]; `arrived`
                                     of netmodel_message_at() where it was not. */
    int synchronous;            /**< Send, not 0: it begins when its receive does, not before. */
    const char *file;           /**< Source file, for netmodel_timing_lines(); may be NULL. */
    unsigned line;              /**< Line of it. */
} netmodel_segment;

/** When a segment takes place. */
typedef struct netmodel_segment_time {
    double begin;  /**< The node comes to it [s]. */
    double waited; /**< Waiting for the other side, from then on [s]. */
    double end;    /**< It is done [s]. */
} netmodel_segment_time;

/** A node of a timing graph. */
typedef struct netmodel_timeline {
    const netmodel_segment *segment; /**< `segment[count]`, in order. */
    netmodel_segment_time *time;     /**< `time[count]`, filled by netmodel_timing(). */
    size_t count;                    /**< Number of segments [1]; may be 0. */
} netmodel_timeline;

/** Where a timing graph was refused. */
typedef struct netmodel_place {
    size_t node;    /**< Node, from 0. */
    size_t segment; /**< Segment of it, from 0. */
} netmodel_place;

/** Times of all segments, and of the program.
 *
 *  `T = max over nodes of the sum of its segments`, waiting included
 *
 *  @param[in,out] nodes   The nodes, `nodes[count]`; their times are filled, and worth nothing if the graph is refused.
 *  @param[in]     count   Number of nodes [1].
 *  @param[out]    total   Time of the program [s]; 0 for no segments, NaN if it is refused.
 *  @param[out]    next    Working space, `next[count]`.
 *  @param[out]    where   If not NULL and a segment is refused: which. Else untouched.
 *  @return  NETMODEL_OK, _MISSING, _NOT_FINITE, _NEGATIVE, _BAD_CHOICE (a kind), _NO_SUCH_NODE, _NO_SEND, _NO_RECEIVE,
 *           or _NEVER: it waits in a circle.
 *  @cost    O(segments * length of the longest node).
 *  @source  [dpgraph] section 3.2.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_timing(netmodel_timeline nodes[], size_t count, double *total, size_t next[],
                                             netmodel_place *where);

/** What a line of the source takes on a node. */
typedef struct netmodel_line_time_share {
    const char *file; /**< Source file; NULL for segments without. */
    unsigned line;    /**< Line. */
    double seconds;   /**< Its own time on this node [s]. */
    double waited;    /**< Its waiting [s]. */
    double part;      /**< Both, of all the time of the node [1]. */
} netmodel_line_time_share;

/** The lines of the source by what they take on a node, the longest first.
 *
 *  @param[in]  node    The node, after netmodel_timing().
 *  @param[out] lines   The lines, `lines[most]`.
 *  @param[in]  most    Room for so many [1]; `node->count` is always enough.
 *  @return  How many there are [1]; no more than `most` are given, of the first segments.
 *  @cost    O(segments * lines).
 *  @since   0.1.0
 */
NETMODEL_API size_t netmodel_timing_lines(const netmodel_timeline *node, netmodel_line_time_share lines[], size_t most);

/** @} */

/*=============================================================================
 * MARK: - >>scaling
 *===========================================================================*/
/** @defgroup netmodel_scaling_room Scaling
 *  From runs on few processes to many: what is not computing grows with the logarithm of their number and with the work
 *  of each. For programs whose work per process is kept. Follows [multigrid] section IV.
 *  @{ */

/** A run of the program. */
typedef struct netmodel_run {
    double processes; /**< On so many [1]: 1, or one of two other numbers. */
    double work;      /**< Work of each process, such as its memory [MB]: one of two numbers. */
    double seconds;   /**< Its time [s], > 0. */
} netmodel_run;

/** A fitted program on a cluster, for the larger of the two works. */
typedef struct netmodel_scaling {
    double c;           /**< Constant overhead [s]. */
    double d;           /**< Overhead for each doubling of the processes [s]. */
    double g;           /**< Overhead for each unit of work [s]. */
    double c_error;     /**< Standard error of c [s]. */
    double d_error;     /**< Standard error of d [s]. */
    double g_error;     /**< Standard error of g [s]. */
    double computing;   /**< Time on one process at that work, Tcomp [s]. */
    double work;        /**< That work. */
    double deviation;   /**< Standard deviation of a measured time, relative [1]. */
    size_t freedom;     /**< Degrees of freedom of it [1]; 0: it was told, and is taken as exact. */
    double fewest;      /**< The smaller number of processes that was fitted, more than one. */
    double most;        /**< The larger. */
    double variance[6]; /**< Of the six mean times that all comes from, for intervals [s^2]. */
    double light;       /**< The smaller work. */
} netmodel_scaling;

/** Fits a program on a cluster: steps 1 to 4 of [multigrid].
 *
 *  `T = Tcomp + a(np) + g work`, `a(np) = c + d log2(np)`: at each of the two numbers of processes a line through the
 *  overheads at the two works gives a and g; a(np) goes through the two a, and g is that of the larger number.
 *
 *  @param[out] scaling    The fit; zeroed if it is refused.
 *  @param[in]  runs       The runs, `runs[count]`, in any order: on 1 process and on two other numbers, such as 4 and 8,
 *                         each at the same two works, each once or more often.
 *  @param[in]  count      Number of runs [1].
 *  @param[in]  deviation  Standard deviation of a measured time, relative [1], > 0; 0: from the repeated runs.
 *  @param[out] where      If not NULL and a run is refused: its index. Else untouched.
 *  @return  NETMODEL_OK, _MISSING, _TOO_FEW (a combination without a run; nothing repeated and no deviation told),
 *           _NOT_FINITE, _NOT_POSITIVE, _BAD_CHOICE (a third work, or number of processes beside 1; a deviation).
 *  @source  [multigrid] eqs. (1) to (4); the errors are those of the six mean times, carried through.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_result netmodel_fit_scaling(netmodel_scaling *scaling, const netmodel_run runs[], size_t count,
                                                  double deviation, size_t *where);

/** Time on any number of processes at the larger work: steps 5 and 6.
 *
 *  @param[in] scaling     The fit; borrowed.
 *  @param[in] processes   Number of them [1], >= 1.
 *  @param[in] level       Level of the intervals [1], between 0 and 1.
 *  @return  The prediction; NaN in its times if an argument is not as said. It is outside of what was fitted, unless it
 *           is for one of those numbers or between.
 *  @source  [multigrid] section IV.
 *  @since   0.1.0
 */
NETMODEL_API netmodel_prediction netmodel_scaling_predict(const netmodel_scaling *scaling, double processes,
                                                          double level);

/** A part of a job, on one cluster. */
typedef struct netmodel_part {
    const netmodel_scaling *scaling; /**< The program there, at the work of this job. */
    double processes;                /**< How many of them [1]. */
    double free;                     /**< How many processors are free there [1]. */
    double memory;                   /**< Memory of each processor, in the unit of work; 0: enough. */
    double price;                    /**< Of a processor for an hour [any currency]. */
} netmodel_part;

/** A choice: a job on one cluster or on several at once. */
typedef struct netmodel_choice {
    const netmodel_part *part; /**< Its parts, `part[parts]`; borrowed. */
    size_t parts;              /**< Number of them [1], >= 1. */
    double grid;               /**< How fine its answer is, such as the points of a side of the grid. */
    double seconds;            /**< Result: time, the longest of its parts' [s]. */
    double low;                /**< Result: lower end of its interval [s]. */
    double high;               /**< Result: upper end [s]. */
    double cost;               /**< Result: `sum of price * processes * seconds / 3600` [currency]. */
    int possible;              /**< Result: not 0 if processors and memory are there. */
} netmodel_choice;

/** Fills in the results of every choice.
 *
 *  `T = max over parts of T_part`: one cluster waits for the other, and what they say to each other is little beside.
 *
 *  @param[in,out] choices   The choices, `choices[count]`.
 *  @param[in]     count     Number of them [1].
 *  @param[in]     level     Level of the intervals [1], between 0 and 1.
 *  @source  [multigrid] eq. (5), sections V.C and VI.
 *  @since   0.1.0
 */
NETMODEL_API void netmodel_choices(netmodel_choice choices[], size_t count, double level);

/** What to look for. */
typedef enum netmodel_aim {
    NETMODEL_FASTEST = 0, /**< The least time. */
    NETMODEL_CHEAPEST,    /**< The least cost. */
    NETMODEL_FINEST       /**< The largest grid, and of those the least cost. */
} netmodel_aim;

/** The best of the choices that are possible, within a budget.
 *
 *  @param[in] choices   The choices, `choices[count]`, after netmodel_choices().
 *  @param[in] count     Number of them [1].
 *  @param[in] aim       What to look for.
 *  @param[in] budget    Most that it may cost; INFINITY: anything.
 *  @param[in] seconds   Most time that it may take [s]; INFINITY: any.
 *  @return  Its index, the first of equals; `count` if there is none.
 *  @since   0.1.0
 */
NETMODEL_API size_t netmodel_choices_best(const netmodel_choice choices[], size_t count, netmodel_aim aim,
                                          double budget, double seconds);

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

#ifdef __FAST_MATH__
#error "netmodel.h: NaN has a meaning here: compile its body without -ffast-math"
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
    case NETMODEL_NO_SEND: return "a receive has no send";
    case NETMODEL_NO_RECEIVE: return "a send has no receive";
    case NETMODEL_NEVER: return "a segment waits for another that waits for it";
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
    return netmodel__amount(n) ? netmodel__times(line->slope, n) + line->intercept : NAN;
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

/* Counts the transfers at each end; what is wrong with nodes or transfers, before anything is written but the counts. */
static netmodel_result netmodel__star_count(size_t nodes, const double *up, const double *down, size_t flows,
                                            const size_t *from, const size_t *to, const double *rate, size_t *out,
                                            size_t *in)
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
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_star_rates(size_t nodes, const double up[], const double down[], size_t flows,
                                                 const size_t from[], const size_t to[], double rate[], size_t out[],
                                                 size_t in[])
{
    netmodel_result result = netmodel__star_count(nodes, up, down, flows, from, to, rate, out, in);
    size_t i;

    for (i = 0; result == NETMODEL_OK && i < flows; i++) {
        size_t a = from[i], z = to[i];
        rate[i] = netmodel_star_rate(up[a], (double)out[a], down[z], (double)in[z]);
    }
    return result;
}

NETMODEL_API netmodel_result netmodel_star_max_min(size_t nodes, const double up[], const double down[], size_t flows,
                                                   const size_t from[], const size_t to[], double rate[], double left[],
                                                   size_t out[], size_t in[])
{
    netmodel_result result = netmodel__star_count(nodes, up, down, flows, from, to, rate, out, in);
    size_t i, growing = flows;

    if (result == NETMODEL_OK && nodes > 0 && left == NULL) result = NETMODEL_MISSING;
    if (result != NETMODEL_OK) return result;
    for (i = 0; i < nodes; i++) {
        left[i] = up[i];
        left[nodes + i] = down[i];
    }
    for (i = 0; i < flows; i++) rate[i] = -1; /* still grows */
    while (growing > 0) {
        double least = HUGE_VAL;
        size_t full = 0; /* a link: an up link, or nodes + a down link */
        for (i = 0; i < 2 * nodes; i++) {
            size_t on = i < nodes ? out[i] : in[i - nodes];
            if (on == 0 || (left[i] / (double)on >= least && least < HUGE_VAL)) continue;
            least = left[i] / (double)on;
            full = i;
        }
        for (i = 0; i < flows; i++) {
            if (rate[i] >= 0 || (full < nodes ? from[i] != full : to[i] != full - nodes)) continue;
            rate[i] = least;
            out[from[i]]--;
            in[to[i]]--;
            growing--;
            /* rounding must not leave less than nothing; what is without end stays so */
            if (left[from[i]] < HUGE_VAL) left[from[i]] = left[from[i]] > least ? left[from[i]] - least : 0;
            if (left[nodes + to[i]] < HUGE_VAL)
                left[nodes + to[i]] = left[nodes + to[i]] > least ? left[nodes + to[i]] - least : 0;
        }
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

/* Least squares through the points that a line misses by no more than `cut`; through all, if there is no such line. The
 * means come first, so that the sums about them are as good as they can be. */
static void netmodel__fit(netmodel_fit *fit, const double *n, const double *t, size_t count, netmodel_error error,
                          const netmodel_line *near, double cut)
{
    netmodel__sums s = { 0, 0, 0, 0, 0, 0 };
    double errors = 0, left_out = 0;
    size_t i, used = 0;

    fit->low = HUGE_VAL;
    fit->high = 0;
    for (i = 0; i < count; i++) {
        if (near != NULL && !(fabs(netmodel__miss(near, n[i], t[i], error)) <= cut)) continue;
        netmodel__join(&s, n[i], t[i], netmodel__weight(t[i], error));
        if (n[i] < fit->low) fit->low = n[i];
        if (n[i] > fit->high) fit->high = n[i];
        used++;
    }
    fit->line = netmodel__line_of(&s);
    fit->error = error;
    fit->count = used;
    fit->set_aside = count - used;
    fit->mean = s.n;
    fit->spread = s.nn;
    fit->weight = s.weight;
    for (i = 0; i < count; i++) {
        double miss, lever, off;
        if (near != NULL && !(fabs(netmodel__miss(near, n[i], t[i], error)) <= cut)) continue;
        miss = netmodel__miss(&fit->line, n[i], t[i], error);
        off = n[i] - s.n;
        lever = netmodel__times(netmodel__weight(t[i], error), 1 / s.weight + netmodel__times(off, off) / s.nn);
        errors += netmodel__times(miss, miss);
        miss = 1 - lever > 1e-12 ? miss / (1 - lever) : HUGE_VAL;
        left_out += netmodel__times(miss, miss);
    }
    fit->r_squared = s.tt > 0 ? 1 - errors / s.tt : 1;
    fit->deviation = used > 2 ? sqrt(errors / (double)(used - 2)) : HUGE_VAL;
    fit->leave_one_out = used > 2 ? sqrt(left_out / (double)used) : HUGE_VAL;
    fit->slope_error = used > 2 ? fit->deviation / sqrt(s.nn) : HUGE_VAL;
    fit->intercept_error =
        used > 2 ? netmodel__times(fit->deviation, sqrt(1 / s.weight + netmodel__times(s.n, s.n) / s.nn)) : HUGE_VAL;
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
        if (near.slope <= before.slope && near.slope >= before.slope && near.intercept <= before.intercept &&
            near.intercept >= before.intercept)
            break;
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
    return netmodel__student_series(z, (double)freedom);
}

/* A prediction from a time, its own standard error, the deviation of the next measurement, and how well both are known:
 * no degree of freedom at all means not. */
static netmodel_prediction netmodel__predict(double time, double error, double own, size_t freedom, double level,
                                             int outside)
{
    const double t = netmodel_student(level, freedom > 0 ? freedom : 1);
    double mean, next;
    netmodel_prediction p;

    mean = freedom > 0 ? netmodel__times(t, error) : HUGE_VAL;
    next = freedom > 0 ? netmodel__times(t, sqrt(netmodel__times(error, error) + netmodel__times(own, own))) : HUGE_VAL;
    if (isnan(time) || isnan(t)) time = mean = next = NAN;
    p.time = time;
    p.mean_low = time - mean;
    p.mean_high = time + mean;
    p.low = time - next;
    p.high = time + next;
    p.outside = outside;
    return p;
}

/* Deviation of a measurement of that time. */
static double netmodel__own(double deviation, double time, netmodel_error error)
{
    return error == NETMODEL_RELATIVE ? netmodel__times(deviation, time) : deviation;
}

NETMODEL_API netmodel_prediction netmodel_fit_predict(const netmodel_fit *fit, double n, double level)
{
    const double off = n - fit->mean, time = netmodel_line_time(&fit->line, n);
    const double error = sqrt(1 / fit->weight + netmodel__times(off, off) / fit->spread);

    return netmodel__predict(time, netmodel__times(fit->deviation, error),
                             netmodel__own(fit->deviation, time, fit->error), fit->count > 2 ? fit->count - 2 : 0,
                             level, !(n >= fit->low && n <= fit->high));
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
    const double count = (double)p->count, free = count > (double)parameters ? count - (double)parameters : 1;
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
    size_t k = pieces, end = p->count - 1;

    while (k-- > 0) {
        const size_t begin = k > 0 ? (size_t)from[k * p->count + end] : 0;
        const netmodel__sums s = netmodel__sums_of(p, begin, end);
        const double low = p->n[begin] - s.n, high = p->n[end] - s.n;
        piece[k].line = netmodel__line_of(&s);
        piece[k].low = p->n[begin];
        piece[k].high = p->n[end];
        piece[k].variance_low = 1 / s.weight + netmodel__times(low, low) / s.nn;
        piece[k].variance_high = 1 / s.weight + netmodel__times(high, high) / s.nn;
        piece[k].covariance = 1 / s.weight + netmodel__times(low, high) / s.nn;
        if (begin == 0) break;
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
    netmodel__span x = { 0, 0, 0, 0, 0, 0 };

    if (!(s->weight > 0)) return x; /* no points in it */
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
        if (seen * (most - 1) >= count * (different - 1) && count < most) knot[count++] = (double)i;
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
            fit->freedom = count > (desc->jumps ? 3 * k - 1 : 2 * k) ? count - (desc->jumps ? 3 * k - 1 : 2 * k) : 0;
            fit->deviation = fit->freedom > 0 ? sqrt(squares / (double)fit->freedom) : HUGE_VAL;
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
    double u, v, variance, time;
    size_t k = 0;

    if (fit->count == 0) return netmodel__predict(NAN, 0, 0, 1, level, 1);
    while (k + 1 < fit->count && n >= x[k + 1].low) k++;
    v = (n - x[k].low) / (x[k].high - x[k].low);
    u = 1 - v;
    variance = netmodel__times(netmodel__times(u, u), x[k].variance_low) +
               2 * netmodel__times(netmodel__times(u, v), x[k].covariance) +
               netmodel__times(netmodel__times(v, v), x[k].variance_high);
    time = netmodel_line_time(&x[k].line, n);
    return netmodel__predict(time, netmodel__times(fit->deviation, sqrt(variance > 0 ? variance : 0)),
                             netmodel__own(fit->deviation, time, fit->error), fit->freedom, level,
                             !(n >= x[0].low && n <= x[fit->count - 1].high));
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
 * MARK: - >>message (body)
 *===========================================================================*/
NETMODEL_API double netmodel_delay_time(const netmodel_delay *delay, double bytes)
{
    return delay->curve.count > 0 ? netmodel_curve_time(&delay->curve, bytes) : netmodel_link_time(&delay->link, bytes);
}

NETMODEL_API netmodel_message_times netmodel_message_at(const netmodel_message *message, double bytes)
{
    netmodel_message_times times;

    times.packed = netmodel_delay_time(&message->pack, bytes);
    times.sent = times.packed + netmodel_delay_time(&message->send, bytes);
    times.arrived = times.sent + netmodel_delay_time(&message->transmit, bytes);
    times.received = times.arrived + netmodel_delay_time(&message->receive, bytes);
    return times;
}

NETMODEL_API const netmodel_message *netmodel_hosts_message(const netmodel_hosts *hosts, size_t from, size_t to)
{
    const netmodel_message *own = hosts->pairs != NULL && from < hosts->hosts && to < hosts->hosts
                                      ? hosts->pairs[from * hosts->hosts + to]
                                      : NULL;

    return own != NULL ? own : &hosts->standard;
}

/*=============================================================================
 * MARK: - >>timing (body)
 *===========================================================================*/
/* The segment at the other end: the so-manieth of its kind, peer and tag, as this is of its own. Its node's count: none. */
static size_t netmodel__other_end(const netmodel_timeline *nodes, size_t node, size_t segment)
{
    const netmodel_segment *x = &nodes[node].segment[segment];
    const netmodel_timeline *peer = &nodes[x->peer];
    size_t i, before = 0;

    for (i = 0; i < segment; i++) {
        const netmodel_segment *y = &nodes[node].segment[i];
        before += y->kind == x->kind && y->peer == x->peer && y->tag == x->tag;
    }
    for (i = 0; i < peer->count; i++) {
        const netmodel_segment *y = &peer->segment[i];
        if (y->kind == NETMODEL_CODE || y->kind == x->kind || y->peer != node || y->tag != x->tag) continue;
        if (before-- == 0) break;
    }
    return i;
}

/* What is wrong with a segment by itself. */
static netmodel_result netmodel__segment_check(const netmodel_timeline *nodes, size_t count, size_t node,
                                               size_t segment)
{
    const netmodel_segment *x = &nodes[node].segment[segment];

    if (x->kind != NETMODEL_CODE && x->kind != NETMODEL_SEND && x->kind != NETMODEL_RECEIVE) return NETMODEL_BAD_CHOICE;
    if (!(fabs(x->seconds) < HUGE_VAL)) return NETMODEL_NOT_FINITE;
    if (x->seconds < 0) return NETMODEL_NEGATIVE;
    if (x->kind == NETMODEL_CODE) return NETMODEL_OK;
    if (x->kind == NETMODEL_SEND && !(fabs(x->ready) < HUGE_VAL)) return NETMODEL_NOT_FINITE;
    if (x->kind == NETMODEL_SEND && x->ready < 0) return NETMODEL_NEGATIVE;
    if (x->peer >= count) return NETMODEL_NO_SUCH_NODE;
    if (netmodel__other_end(nodes, node, segment) < nodes[x->peer].count) return NETMODEL_OK;
    return x->kind == NETMODEL_SEND ? NETMODEL_NO_RECEIVE : NETMODEL_NO_SEND;
}

/* Takes a node's next segment if what it waits for is known; gives whether it could. */
static int netmodel__segment_take(netmodel_timeline *nodes, size_t node, const size_t *next)
{
    const size_t at = next[node];
    const netmodel_segment *x = &nodes[node].segment[at];
    netmodel_segment_time *time = &nodes[node].time[at];
    double begin = at > 0 ? nodes[node].time[at - 1].end : 0, can = begin;

    if (x->kind != NETMODEL_CODE) {
        const size_t other = netmodel__other_end(nodes, node, at);
        const netmodel_timeline *peer = &nodes[x->peer];
        const netmodel_segment *y = &peer->segment[other];
        const int come = next[x->peer] > other || (next[x->peer] == other && x->peer != node); /* the peer is there */
        const double there = other > 0 && come ? peer->time[other - 1].end : 0;
        if (x->kind == NETMODEL_RECEIVE && y->synchronous) {
            if (!come) return 0;
            can = (there > begin ? there : begin) + y->ready;
        } else if (x->kind == NETMODEL_RECEIVE) {
            if (!come) return 0;
            can = there + y->ready;
        } else if (x->synchronous) {
            if (!come) return 0;
            can = there;
        }
    }
    time->begin = begin;
    time->waited = can > begin ? can - begin : 0;
    time->end = begin + time->waited + x->seconds;
    return 1;
}

NETMODEL_API netmodel_result netmodel_timing(netmodel_timeline nodes[], size_t count, double *total, size_t next[],
                                             netmodel_place *where)
{
    size_t node, i;
    int moved = 1;

    if (total == NULL) return NETMODEL_MISSING;
    *total = NAN;
    if (count > 0 && (nodes == NULL || next == NULL)) return NETMODEL_MISSING;
    for (node = 0; node < count; node++)
        if (nodes[node].count > 0 && (nodes[node].segment == NULL || nodes[node].time == NULL)) return NETMODEL_MISSING;
    for (node = 0; node < count; node++) {
        for (i = 0; i < nodes[node].count; i++) {
            netmodel_result result = netmodel__segment_check(nodes, count, node, i);
            if (result == NETMODEL_OK) continue;
            if (where != NULL) where->node = node;
            if (where != NULL) where->segment = i;
            return result;
        }
        next[node] = 0;
    }
    while (moved) {
        moved = 0;
        for (node = 0; node < count; node++)
            while (next[node] < nodes[node].count && netmodel__segment_take(nodes, node, next)) {
                next[node]++;
                moved = 1;
            }
    }
    for (node = 0; node < count; node++) {
        if (next[node] == nodes[node].count) continue;
        if (where != NULL) where->node = node;
        if (where != NULL) where->segment = next[node];
        return NETMODEL_NEVER;
    }
    *total = 0;
    for (node = 0; node < count; node++)
        if (nodes[node].count > 0 && nodes[node].time[nodes[node].count - 1].end > *total)
            *total = nodes[node].time[nodes[node].count - 1].end;
    return NETMODEL_OK;
}

static int netmodel__same_line(const netmodel_line_time_share *a, const netmodel_segment *b)
{
    return a->line == b->line && (a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0));
}

NETMODEL_API size_t netmodel_timing_lines(const netmodel_timeline *node, netmodel_line_time_share lines[], size_t most)
{
    const double all = node->count > 0 ? node->time[node->count - 1].end : 0;
    size_t found = 0, kept, i, k;

    for (i = 0; i < node->count; i++) {
        const netmodel_segment *x = &node->segment[i];
        for (k = 0; k < i && !(node->segment[k].line == x->line &&
                               (node->segment[k].file == x->file ||
                                (node->segment[k].file && x->file && strcmp(node->segment[k].file, x->file) == 0)));
             k++) {
        }
        if (k == i) { /* the first of its line */
            if (found < most) {
                lines[found].file = x->file;
                lines[found].line = x->line;
                lines[found].seconds = lines[found].waited = lines[found].part = 0;
            }
            found++;
        }
        for (k = 0; k < (found < most ? found : most); k++) {
            if (!netmodel__same_line(&lines[k], x)) continue;
            lines[k].seconds += x->seconds;
            lines[k].waited += node->time[i].waited;
        }
    }
    kept = found < most ? found : most;
    for (i = 0; i < kept; i++) { /* into their order, one by one */
        netmodel_line_time_share x = lines[i];
        x.part = all > 0 ? (x.seconds + x.waited) / all : 0;
        for (k = i; k > 0 && lines[k - 1].part < x.part; k--) lines[k] = lines[k - 1];
        lines[k] = x;
    }
    return found;
}

/*=============================================================================
 * MARK: - >>scaling (body)
 *===========================================================================*/
/* The six mean times: on 1, the fewer and the more processes, at the lighter and the heavier work each. What is wanted
 * is linear in them, so its errors are too. */
enum { NETMODEL__ONE, NETMODEL__FEWER = 2, NETMODEL__MORE = 4 };

typedef struct netmodel__linear {
    double of[6];
} netmodel__linear;

static double netmodel__apply(const netmodel__linear *x, const double *mean)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < 6; i++) sum += netmodel__times(x->of[i], mean[i]);
    return sum;
}

static double netmodel__spread(const netmodel__linear *x, const double *variance)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < 6; i++) sum += netmodel__times(netmodel__times(x->of[i], x->of[i]), variance[i]);
    return sqrt(sum);
}

/* x += factor * (overhead at `group` and work: 0 the lighter, 1 the heavier) */
static void netmodel__add_overhead(netmodel__linear *x, size_t group, size_t work, double factor)
{
    x->of[group + work] += factor;
    x->of[NETMODEL__ONE + work] -= factor;
}

/* g at a number of processes: the slope of its overheads; a: where their line meets no work. */
static void netmodel__add_g(netmodel__linear *x, size_t group, double light, double heavy, double factor)
{
    netmodel__add_overhead(x, group, 1, factor / (heavy - light));
    netmodel__add_overhead(x, group, 0, -factor / (heavy - light));
}

static void netmodel__add_a(netmodel__linear *x, size_t group, double light, double heavy, double factor)
{
    netmodel__add_overhead(x, group, 0, factor);
    netmodel__add_g(x, group, light, heavy, -netmodel__times(factor, light));
}

/* a(np) is the line through (log2 fewest, a(fewest)) and (log2 most, a(most)): factor times c or d. */
static void netmodel__add_c(netmodel__linear *x, const netmodel_scaling *s, double factor)
{
    const double low = log2(s->fewest), high = log2(s->most);

    netmodel__add_a(x, NETMODEL__FEWER, s->light, s->work, netmodel__times(factor, high / (high - low)));
    netmodel__add_a(x, NETMODEL__MORE, s->light, s->work, -netmodel__times(factor, low / (high - low)));
}

static void netmodel__add_d(netmodel__linear *x, const netmodel_scaling *s, double factor)
{
    const double low = log2(s->fewest), high = log2(s->most);

    netmodel__add_a(x, NETMODEL__MORE, s->light, s->work, factor / (high - low));
    netmodel__add_a(x, NETMODEL__FEWER, s->light, s->work, -factor / (high - low));
}

/* The two works and the two numbers of processes beside 1; what is wrong with a run. */
static netmodel_result netmodel__runs_check(netmodel_scaling *s, const netmodel_run *runs, size_t count, size_t *where)
{
    size_t i;

    for (i = 0; i < count; i++) {
        const netmodel_run *x = &runs[i];
        netmodel_result result = NETMODEL_OK;
        if (!(fabs(x->processes) < HUGE_VAL && fabs(x->work) < HUGE_VAL && fabs(x->seconds) < HUGE_VAL))
            result = NETMODEL_NOT_FINITE;
        else if (!(x->seconds > 0 && x->work > 0))
            result = NETMODEL_NOT_POSITIVE;
        else if (x->processes < 1)
            result = NETMODEL_BAD_CHOICE;
        if (result == NETMODEL_OK) {
            if (s->work <= 0)
                s->work = s->light = x->work;
            else if (x->work > s->work && s->light >= s->work)
                s->work = x->work;
            else if (x->work < s->light && s->light >= s->work)
                s->light = x->work;
            else if (!(x->work >= s->work && x->work <= s->work) && !(x->work >= s->light && x->work <= s->light))
                result = NETMODEL_BAD_CHOICE;
        }
        if (result == NETMODEL_OK && x->processes > 1) {
            if (s->most <= 0)
                s->most = s->fewest = x->processes;
            else if (x->processes > s->most && s->fewest >= s->most)
                s->most = x->processes;
            else if (x->processes < s->fewest && s->fewest >= s->most)
                s->fewest = x->processes;
            else if (!(x->processes >= s->most && x->processes <= s->most) &&
                     !(x->processes >= s->fewest && x->processes <= s->fewest))
                result = NETMODEL_BAD_CHOICE;
        }
        if (result != NETMODEL_OK) {
            if (where != NULL) *where = i;
            return result;
        }
    }
    return s->light < s->work && s->fewest < s->most ? NETMODEL_OK : NETMODEL_TOO_FEW;
}

static size_t netmodel__run_group(const netmodel_scaling *s, const netmodel_run *run)
{
    const size_t heavy = run->work > s->light;

    if (!(run->processes > 1)) return NETMODEL__ONE + heavy;
    return (run->processes < s->most ? NETMODEL__FEWER : NETMODEL__MORE) + heavy;
}

NETMODEL_API netmodel_result netmodel_fit_scaling(netmodel_scaling *scaling, const netmodel_run runs[], size_t count,
                                                  double deviation, size_t *where)
{
    netmodel__linear c = { { 0 } }, d = { { 0 } }, g = { { 0 } };
    double mean[6] = { 0 }, squares = 0;
    size_t repeats[6] = { 0 }, i;
    netmodel_result result;

    if (scaling == NULL) return NETMODEL_MISSING;
    memset(scaling, 0, sizeof *scaling);
    if (count > 0 && runs == NULL) return NETMODEL_MISSING;
    if (!(deviation >= 0 && deviation < HUGE_VAL)) return NETMODEL_BAD_CHOICE;
    result = netmodel__runs_check(scaling, runs, count, where);
    for (i = 0; i < count && result == NETMODEL_OK; i++) {
        const size_t group = netmodel__run_group(scaling, &runs[i]);
        mean[group] += runs[i].seconds;
        repeats[group]++;
    }
    for (i = 0; i < 6 && result == NETMODEL_OK; i++) {
        if (repeats[i] == 0)
            result = NETMODEL_TOO_FEW;
        else
            mean[i] /= (double)repeats[i];
    }
    if (result == NETMODEL_OK && deviation <= 0 && count <= 6) result = NETMODEL_TOO_FEW;
    if (result != NETMODEL_OK) {
        memset(scaling, 0, sizeof *scaling);
        return result;
    }
    if (deviation <= 0) {
        for (i = 0; i < count; i++) {
            const size_t group = netmodel__run_group(scaling, &runs[i]);
            const double off = runs[i].seconds / mean[group] - 1;
            squares += netmodel__times(off, off);
        }
        scaling->freedom = count - 6;
        deviation = sqrt(squares / (double)scaling->freedom);
    }
    scaling->deviation = deviation;
    for (i = 0; i < 6; i++) {
        const double off = netmodel__times(deviation, mean[i]);
        scaling->variance[i] = netmodel__times(off, off) / (double)repeats[i];
    }
    netmodel__add_c(&c, scaling, 1);
    netmodel__add_d(&d, scaling, 1);
    netmodel__add_g(&g, NETMODEL__MORE, scaling->light, scaling->work, 1);
    scaling->c = netmodel__apply(&c, mean);
    scaling->d = netmodel__apply(&d, mean);
    scaling->g = netmodel__apply(&g, mean);
    scaling->c_error = netmodel__spread(&c, scaling->variance);
    scaling->d_error = netmodel__spread(&d, scaling->variance);
    scaling->g_error = netmodel__spread(&g, scaling->variance);
    scaling->computing = mean[NETMODEL__ONE + 1];
    return NETMODEL_OK;
}

NETMODEL_API netmodel_prediction netmodel_scaling_predict(const netmodel_scaling *scaling, double processes,
                                                          double level)
{
    const size_t exact = 100000000; /* a deviation that was told: as many degrees of freedom as one likes */
    netmodel__linear x = { { 0 } };
    double time;

    time = scaling->computing + scaling->c + netmodel__times(scaling->d, log2(processes)) +
           netmodel__times(scaling->g, scaling->work);
    if (!(processes >= 1 && processes < HUGE_VAL && scaling->most > 1))
        return netmodel__predict(NAN, 0, 0, 1, level, 1);
    x.of[NETMODEL__ONE + 1] = 1;
    netmodel__add_c(&x, scaling, 1);
    netmodel__add_d(&x, scaling, log2(processes));
    netmodel__add_g(&x, NETMODEL__MORE, scaling->light, scaling->work, scaling->work);
    return netmodel__predict(time, netmodel__spread(&x, scaling->variance),
                             netmodel__own(scaling->deviation, time, NETMODEL_RELATIVE),
                             scaling->freedom > 0 ? scaling->freedom : exact, level,
                             !(processes >= scaling->fewest && processes <= scaling->most));
}

NETMODEL_API void netmodel_choices(netmodel_choice choices[], size_t count, double level)
{
    size_t i, k;

    for (i = 0; i < count; i++) {
        netmodel_choice *x = &choices[i];
        double price = 0;
        x->possible = x->parts > 0;
        x->seconds = x->low = x->high = x->parts > 0 ? 0 : NAN;
        for (k = 0; k < x->parts; k++) {
            const netmodel_part *part = &x->part[k];
            const netmodel_prediction p = netmodel_scaling_predict(part->scaling, part->processes, level);
            if (!(p.time <= x->seconds)) x->seconds = p.time; /* a NaN stays one */
            if (!(p.low <= x->low)) x->low = p.low;
            if (!(p.high <= x->high)) x->high = p.high;
            price += netmodel__times(part->price, part->processes);
            if (!(part->processes <= part->free) || (part->memory > 0 && part->scaling->work > part->memory))
                x->possible = 0;
        }
        x->cost = netmodel__times(price, x->seconds) / 3600;
        if (isnan(x->seconds)) x->possible = 0;
    }
}

NETMODEL_API size_t netmodel_choices_best(const netmodel_choice choices[], size_t count, netmodel_aim aim,
                                          double budget, double seconds)
{
    size_t i, best = count;

    for (i = 0; i < count; i++) {
        const netmodel_choice *x = &choices[i], *y = &choices[best < count ? best : i];
        int better;
        if (!x->possible || !(x->cost <= budget && x->seconds <= seconds)) continue;
        if (aim == NETMODEL_FASTEST)
            better = x->seconds < y->seconds;
        else if (aim == NETMODEL_CHEAPEST)
            better = x->cost < y->cost;
        else
            better = x->grid > y->grid || (x->grid >= y->grid && x->cost < y->cost);
        if (best == count || better) best = i;
    }
    return best;
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
