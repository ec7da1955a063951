/*
    netmodel.h: how long bytes take

    Formulas for the time of a message on a network, from three numbers to a measured curve, and for the rates of
    transfers that share the links of a switch. Values and formulas only: plain structs that you may copy, no clock, no
    allocation, no state. Part of simkit; works alone.

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
        >>results       codes of the two functions that check arrays, and their sentences
        >>link          latency and a time per byte
        >>line          slope and intercept, as a fit gives them, and the parts a message's time is made of
        >>curve         piecewise-linear between measured points
        >>star          equal shares of the links to a switch
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
 *  How long bytes take: links, lines, measured curves, and a star of shared links. See @ref netmodel. */
#ifndef NETMODEL_H
#define NETMODEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

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
 *  Formulas answer with NaN; the two functions that read whole arrays, netmodel_curve_init() and
 *  netmodel_star_rates(), answer with one of these codes.
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
    NETMODEL_SELF_FLOW      /**< A flow from a node to itself: it never sees the star. */
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
