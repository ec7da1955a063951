/*
netmodel.h - how long bytes take

Formulas for the time of a message on a network, from a latency and a bandwidth to a measured curve; the rates of
transfers that share the links of a switch, or of any network; and the time of programs made of messages. Values and
formulas only: plain structs that you may copy, no clock, no allocation, no state. Part of simkit; works alone. What
derives these models from measurements is util/netmodel_fit.h.

    #define NETMODEL_IMPLEMENTATION
    #include "netmodel.h"
    #include <stdio.h>

    int main(void)
    {
        netmodel_link ether = { 60e-6, 1 / 12.5e6 };              // 60 us, then 80 ns a byte: Fast Ethernet
        double alone = netmodel_link_time(&ether, 1e6);           // one message of 1 MB
        double rate = netmodel_star_rate(12.5e6, 1, 12.5e6, 2);   // each of two senders into one node
        printf("alone %.5f s, two at once %.5f s\n", alone, ether.latency + 1e6 / rate);
        return 0;
    }

prints `alone 0.08006 s, two at once 0.16006 s`.

USE      Define NETMODEL_IMPLEMENTATION in one C or C++ file, as above; others just include the header. Link with -lm.

UNITS    Seconds [s], bytes [B], bytes per second [B/s], seconds per byte [s/B]; a count is [1]. All are double. A link
         has seconds per byte, not bytes per second, so that zero is neutral: a zeroed link takes no time at all.

ROOMS    grep 'MARK: - >>' walks them; bodies follow in the same order, private rooms before the body that needs them
    results      codes of the functions that check arrays, and their sentences
    link         latency and a time per byte
    line         slope and intercept, as a fit gives them, and the parts that a message's time consists of
    curve        piecewise linear between measured points
    star         equal shares of the links to a switch
    maxmin       the other policy for the star: max-min fair shares
    network      the same two policies for routes over any links, with weights, caps and duplex factors
    topology     clusters, fat trees, tori, meshes, dragonflies: hosts, links, and routes on demand
    message      what a message costs its sender, the network and its receiver, for each pair of hosts
    timing       a parallel program as a timing graph: its time, and which source lines take it
    student      Student's t: how many standard errors wide an interval is
    arithmetic   (private) products that round alike everywhere
    filling      (private) max-min fair rates of networks, and of stars with caps or duplex factors
    matching     (private) which receive belongs to which send

OPTIONS  NETMODEL_IMPLEMENTATION   compile the body too; in exactly one file, before the include
         NETMODEL_STATIC           all functions static, body included, for a library that must not export them; in each
                                   file that calls them, before the include
         NETMODEL_ANY_FLOAT        compile the body also where doubles are computed with more digits (x87); results then
                                   differ in their last bits from those of other processors

CALLS    What is read is borrowed for the call; what is filled is the caller's. A parameter is described where a room
         first has it, and not at all if its type says enough. `level` is that of intervals [1], between 0 and 1, such
         as 0.95. `where`, which may be NULL, gets the index or place of what is refused.

ERRORS   A formula returns NaN for an argument out of range (a negative size, a NaN); no later sum can hide it. A
         function that checks arrays returns a netmodel_result; netmodel_result_text() gives its sentence. A
         struct that it fills is zeroed on error.

THREADS  A function touches its arguments and nothing else: call from any thread.

BITS     Nothing is rounded to a tick: 53 bits of the result count. Equal inputs give equal bits on every processor with
         IEEE doubles. The body refuses to compile with -ffast-math or -ffinite-math-only, which remove NaN, and with
         x87 arithmetic (i686 without -msse2 -mfpmath=sse), which changes the last bits.

SINCE    0.1.0, the first version: all of it.
*/
/** @file netmodel.h
 *  How long bytes take: links, lines, measured curves, networks of shared links, programs made of messages. See
 *  @ref netmodel.
 *  @since 0.1.0 */
#ifndef NETMODEL_H
#define NETMODEL_H

#include <math.h>
#include <stdbool.h>
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

/* A compiler warns where a result is ignored. With [[nodiscard]], in C++17 and C23, a cast to void says: on purpose. */
#if (defined(__cplusplus) && __cplusplus >= 201703L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#define NETMODEL__CHECKED [[nodiscard]] NETMODEL_API
#elif defined(__GNUC__)
#define NETMODEL__CHECKED __attribute__((warn_unused_result)) NETMODEL_API
#else
#define NETMODEL__CHECKED NETMODEL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
/** @defgroup netmodel_results_room netmodel: results
 *  Formulas return NaN on error; functions that read whole arrays return one of these codes. @{ */

/** Why something was refused. */
typedef enum netmodel_result {
    NETMODEL_OK = 0,           /**< success */
    NETMODEL_MISSING,          /**< a required pointer is NULL */
    NETMODEL_EMPTY,            /**< no points, nodes, clusters or grids */
    NETMODEL_NOT_FINITE,       /**< a point with a NaN or an infinity */
    NETMODEL_NEGATIVE,         /**< a point with negative bytes or seconds */
    NETMODEL_BYTES_DECREASE,   /**< a point with fewer bytes than the point before */
    NETMODEL_BYTES_THRICE,     /**< a third point at the same bytes; a jump has two */
    NETMODEL_SECONDS_DECREASE, /**< a point with fewer seconds than the point before */
    NETMODEL_BAD_BANDWIDTH,    /**< a node or link with a bandwidth that is negative or NaN */
    NETMODEL_UNKNOWN_NODE,     /**< an index of a node that is too large */
    NETMODEL_SELF_FLOW,        /**< a flow from a node to itself, which does not cross the star */
    NETMODEL_TOO_FEW,          /**< fewer points or runs than the fit needs */
    NETMODEL_NOT_POSITIVE,     /**< a time not > 0, with relative errors */
    NETMODEL_ONE_SIZE,         /**< all points at the same size */
    NETMODEL_BAD_OPTION,       /**< an option with an unknown value */
    NETMODEL_BAD_WEIGHT,       /**< a flow whose weight is not from 1e-100 to 1e100 */
    NETMODEL_PAIRS_DECREASE,   /**< a pair of hosts that does not follow the one before */
    NETMODEL_BAD_TIME,         /**< a segment whose time is negative, infinite or NaN */
    NETMODEL_UNKNOWN_MODE,     /**< a send whose mode is too large an index */
    NETMODEL_NO_SEND,          /**< a receive without a send */
    NETMODEL_NO_RECEIVE,       /**< a send without a receive */
    NETMODEL_DEADLOCK,         /**< nodes that wait for each other in a cycle */
    NETMODEL_BAD_RUN,          /**< a run on no process, with bad work or without time */
    NETMODEL_BAD_ERROR,        /**< a relative error that is negative, infinite or NaN */
    NETMODEL_BAD_CLUSTER,      /**< a cluster without memory, with a bad price or bad processor counts; one too many */
    NETMODEL_BAD_GRID,         /**< a grid without work or models */
    NETMODEL_BAD_LEVEL,        /**< a level not between 0 and 1 */
    NETMODEL_LIST_FULL,        /**< a list too short for all choices */
    NETMODEL_OUT_OF_RANGE,     /**< a size or time of a fit that is neither 0 nor from 1e-40 to 1e40 */
    NETMODEL_BAD_CANDIDATE,  /**< a run that may be measured, without processes or repetitions, with bad work or cost */
    NETMODEL_BAD_LEVELS,     /**< a fat tree without levels or with too many */
    NETMODEL_BAD_DIMENSIONS, /**< a torus or mesh without dimensions or with too many */
    NETMODEL_BAD_CLUSTERS,   /**< a topology of no cluster or of too many */
    NETMODEL_BAD_SIZE,       /**< a topology with a number of hosts, children, parents, nodes or the like that is 0 */
    NETMODEL_TOO_LARGE,      /**< a topology with more hosts, switches or links than can be numbered */
    NETMODEL_TOO_MANY_GROUPS, /**< a dragonfly with more groups than a group has routers */
    NETMODEL_BAD_JOINT,       /**< a link between clusters with an unknown end or equal ends, or one too many */
    NETMODEL_NOT_JOINED,      /**< a cluster that no link between clusters reaches */
    NETMODEL_BAD_CABLE,       /**< a cable with a bad bandwidth, latency or duplex */
    NETMODEL_BAD_CAP,         /**< a flow with a cap that is not > 0 */
    NETMODEL_BAD_DUPLEX,      /**< a node or link with a duplex factor that is neither 0 nor from 1 to 2 */
    NETMODEL_FIRST_DECREASES, /**< a route that ends before it begins */
    NETMODEL_UNKNOWN_LINK,    /**< a channel of a link that is too large an index */
    NETMODEL_LINK_TWICE       /**< a route that crosses a link twice, in either direction */
} netmodel_result;

/** The sentence for a result code, or for any other value, in English; static, never NULL. */
NETMODEL_API const char *netmodel_result_text(netmodel_result result);

/** @} */

/*=============================================================================
 * MARK: - >>link
 *===========================================================================*/
/** @defgroup netmodel_link_room netmodel: link
 *  The traditional formula: a start-up time, then a time for every byte. It describes one transfer over TCP/IP between
 *  two idle nodes very well; it has no term for a second transfer, see @ref netmodel_star_room. Follows [dps] section
 *  4. @{ */

/** A link: zeroed, it takes no time at all. */
typedef struct netmodel_link {
    double latency;   /**< time of an empty message [s], finite, >= 0 */
    double byte_time; /**< time per byte [s/B], finite, >= 0: 1 / bandwidth */
} netmodel_link;

/** A link from its latency and its bandwidth.
 *
 *  @param[in] latency     Time of an empty message [s], finite, >= 0.
 *  @param[in] bandwidth   Speed [B/s], > 0; INFINITY: bytes take no time.
 *  @return  The link; both fields NaN if an argument is out of range, or 1 / bandwidth overflows.
 *  @source  [dps] section 4.
 */
NETMODEL_API netmodel_link netmodel_link_of(double latency, double bandwidth);

/** Bandwidth of a link, `1 / byte_time`.
 *
 *  @return  Bandwidth [B/s]; INFINITY if byte_time is 0, NaN if it is negative, infinite or NaN. Equals the
 *           argument of netmodel_link_of() to within 1 part in 2^52, since two reciprocals round twice.
 */
NETMODEL_API double netmodel_link_bandwidth(const netmodel_link *link);

/** Time for one message to cross an idle link.
 *
 *  `T = latency + bytes * byte_time`
 *
 *  @param[in] bytes   Message size [B], finite, >= 0.
 *  @return  Transfer time [s]; NaN if a field or the size is negative, infinite or NaN.
 *  @source  [dps] section 4, t = l + s/b; no term for a second sender, see netmodel_star_rate().
 */
NETMODEL_API double netmodel_link_time(const netmodel_link *link, double bytes);

/** @} */

/*=============================================================================
 * MARK: - >>line
 *===========================================================================*/
/** @defgroup netmodel_line_room netmodel: line
 *  A straight line through measured times, and the parts that a message's time consists of: memory to network buffer,
 *  the wire, network buffer to memory. Its messages have elements of whatever size was measured. Follows [dpgraph]
 *  section 3.3. @{ */

/** A line. A link is physics, a line is the result of a fit: both numbers may be negative. */
typedef struct netmodel_line {
    double slope;     /**< time per element [s] */
    double intercept; /**< time of an empty message [s] */
} netmodel_line;

/** The parts of a message's time; zeroed, it takes no time. A fitted part may be negative. */
typedef struct netmodel_line_parts {
    double memory_to_buffer; /**< sender, memory to network buffer, per element [s]: c1 */
    double wire;             /**< network, per element [s]: kb */
    double buffer_to_memory; /**< receiver, network buffer to memory, per element [s]: c2 */
    double latency;          /**< network, once per message [s]: kl */
} netmodel_line_parts;

/** The line that is the sum of the parts of a message's time, which are not checked.
 *
 *  `tc(n) = (c1 + kb + c2) n + kl`
 *
 *  @return  The line, slope `c1 + kb + c2` [s], intercept `kl` [s].
 *  @source  [dpgraph] section 3.3, te(n) + tt(n) + tr(n).
 */
NETMODEL_API netmodel_line netmodel_line_from_parts(const netmodel_line_parts *parts);

/** Time of a message by a line.
 *
 *  `t(n) = slope * n + intercept`
 *
 *  @param[in] n   Elements in the message [1], finite, >= 0.
 *  @return  Time [s]; negative where the line is, as a fit may be far from its data. NaN if n is negative, infinite or
 *           NaN, or a field is infinite or NaN.
 *  @source  [dpgraph] section 3.3, tc(n) = c n + kl.
 */
NETMODEL_API double netmodel_line_time(const netmodel_line *line, double n);

/** The link that equals a line.
 *
 *  @param[in] line   The line, seconds per byte.
 *  @return  The link; both fields NaN if slope or intercept is negative or not finite.
 */
NETMODEL_API netmodel_link netmodel_link_of_line(const netmodel_line *line);

/** @} */

/*=============================================================================
 * MARK: - >>curve
 *===========================================================================*/
/** @defgroup netmodel_curve_room netmodel: curve
 *  Times as measured: straight between the points, constant before the first, with the last slope beyond the last. Two
 *  points at the same bytes are a jump, as where a message library changes its protocol. The points stay in the
 *  caller's arrays. With one piece, from 0 bytes on, it is a link. @{ */

/** A curve through points; zeroed, it has none and gives NaN. Fill it with netmodel_curve_init(), which checks. */
typedef struct netmodel_curve {
    const double *bytes;   /**< sizes [B], `bytes[count]`, finite, >= 0, never decreasing; borrowed for its life */
    const double *seconds; /**< times [s], `seconds[count]`, finite, >= 0, never decreasing unless it was filled by
                                netmodel_curve_init_any(); borrowed likewise */
    size_t count;          /**< number of points [1] */
} netmodel_curve;

/** A curve through the caller's points, which are checked.
 *
 *  @param[in] bytes,seconds,count   Its fields: at least one point, of at most two of the same size.
 *  @return  NETMODEL_OK, _MISSING, _EMPTY, or of the first bad point _NOT_FINITE, _NEGATIVE, _BYTES_DECREASE,
 *           _BYTES_THRICE or _SECONDS_DECREASE.
 */
NETMODEL__CHECKED netmodel_result netmodel_curve_init(const double *bytes, const double *seconds, size_t count,
                                                      netmodel_curve *curve, size_t *where);

/** A curve whose times may fall, as the CPU time of a call does where a library changes its protocol: a call that copies
 *  60 kB into a buffer may take longer than one that only asks the receiver for 70 kB.
 *
 *  @param[in] bytes,seconds,count   As for netmodel_curve_init(), but the times need not rise.
 *  @return  What netmodel_curve_init() returns, but never NETMODEL_SECONDS_DECREASE.
 */
NETMODEL__CHECKED netmodel_result netmodel_curve_init_any(const double *bytes, const double *seconds, size_t count,
                                                          netmodel_curve *curve, size_t *where);

/** Time of a message by a curve.
 *
 *  Between points `t0 + (bytes - b0) / (b1 - b0) * (t1 - t0)`. Before the first point the time of the first point.
 *  Beyond the last point the slope of the last two, or 0 if there is one point, or they are a jump or fall. At a jump
 *  the time of its second point. Where times never fall between the points, a larger message never takes less.
 *
 *  @param[in] bytes   Message size [B], finite, >= 0.
 *  @return  Time [s]; NaN if the size is negative, infinite or NaN, or the curve has no points.
 *  @cost    A binary search and one division: 4 to 6 ns for two breaks, 7 to 10 for a hundred (gcc -O2, x86-64).
 */
NETMODEL_API double netmodel_curve_time(const netmodel_curve *curve, double bytes);

/** @} */

/*=============================================================================
 * MARK: - >>star
 *===========================================================================*/
/** @defgroup netmodel_star_room netmodel: star
 *  Nodes around a switch that is never the bottleneck, each with a full-duplex link to it. Transfers that leave a node
 *  share its up link equally, those that enter a node share its down link equally, and a transfer gets the smaller of
 *  its two shares. What it leaves unused of the larger share stays unused; see @ref netmodel_maxmin_room for the other
 *  policy. Follows [dps] section 4. A duplex factor below 2 is a limit for both directions of a node's link together. @{ */

/** Transfers through a star or a network; all arrays are borrowed for the call. A zeroed one has no transfers. */
typedef struct netmodel_flows {
    size_t nodes;            /**< star: number of nodes [1] */
    const double *up;        /**< star: bandwidth from each node to the switch [B/s], `up[nodes]`, >= 0 or INFINITY */
    const double *down;      /**< star: from the switch to each node [B/s], `down[nodes]`, >= 0 or INFINITY */
    size_t flows;            /**< number of transfers [1]; may be 0 */
    const size_t *from;      /**< star: sender of each, `from[flows]`, < nodes */
    const size_t *to;        /**< star: receiver of each, `to[flows]`, < nodes, not the sender */
    const double *weight;    /**< weight of each [1], `weight[flows]`, 1e-100 to 1e100; NULL: all 1. Equal shares of a
                                  star ignore it. */
    const double *cap;       /**< most that each can get [B/s], `cap[flows]`, > 0 or INFINITY; NULL: no caps */
    size_t links;            /**< network: number of links [1] */
    const double *bandwidth; /**< network: of each link in each direction [B/s], `bandwidth[links]`, >= 0 or INFINITY */
    const double *duplex;    /**< most that both directions of a link together can get, relative to one of them [1],
                                  `duplex[links]`, star: `duplex[nodes]`; 1 to 2, or 0 for 2; NULL: all 2. See
                                  netmodel_duplex(). */
    const size_t *first;     /**< network: `first[flows + 1]`; the route of transfer i is channel[first[i]] to
                                  channel[first[i + 1] - 1] */
    const size_t *channel;   /**< network: all routes, `channel[first[flows]]`: 2 * link forth, 2 * link + 1 back */
} netmodel_flows;

/** Rate of one transfer through the star.
 *
 *  `rate = min(up / out, down / in)`
 *
 *  With bandwidths of 1 it is the fraction of its own rate that the transfer gets: `netmodel_star_rate(1, out, 1, in)`.
 *
 *  @param[in] up     Bandwidth from the sender to the switch [B/s], >= 0; may be INFINITY.
 *  @param[in] out    Transfers that leave the sender, this one included [1], finite, >= 1.
 *  @param[in] down   Bandwidth from the switch to the receiver [B/s], >= 0; may be INFINITY.
 *  @param[in] in     Transfers that enter the receiver, this one included [1], finite, >= 1.
 *  @return  Rate [B/s]; INFINITY if both links are infinite, NaN if an argument is out of range.
 *  @source  [dps] section 4, all transfers of a node get an equal share.
 */
NETMODEL_API double netmodel_star_rate(double up, double out, double down, double in);

/** Bandwidth of both directions of a link together.
 *
 *  `both = max(forth, back) + (duplex - 1) * min(forth, back)`
 *
 *  With equal bandwidths that is `duplex` times one of them. With 1 the directions share one bandwidth, with 2
 *  neither slows the other down.
 *
 *  @param[in] forth   Bandwidth of one direction alone [B/s], >= 0; may be INFINITY.
 *  @param[in] back    Bandwidth of the other alone [B/s], >= 0; may be INFINITY.
 *  @param[in] duplex  Duplex factor [1], 1 to 2, or 0 for 2.
 *  @return  Bandwidth [B/s]; NaN if an argument is out of range.
 */
NETMODEL_API double netmodel_duplex(double forth, double back, double duplex);

/** Rates of all transfers through the star, each by netmodel_star_rate(), with its cap and the duplex factors of its two
 *  nodes: `rate = min(up / out, down / in, both / (out + in) at either node, cap)`. Weights are ignored.
 *
 *  @param[out] out    Transfers that leave each node [1], `out[nodes]`.
 *  @param[out] in     Transfers that enter each node [1], `in[nodes]`.
 *  @param[out] rate   Rate of each transfer [B/s], `rate[flows]`; untouched on error.
 *  @return  NETMODEL_OK, _MISSING, _BAD_BANDWIDTH, _BAD_DUPLEX, _UNKNOWN_NODE, _SELF_FLOW or _BAD_CAP.
 *  @cost    O(nodes + flows).
 */
NETMODEL__CHECKED netmodel_result netmodel_star_rates(const netmodel_flows *flows, size_t out[], size_t in[],
                                                      double rate[]);

/** @} */

/*=============================================================================
 * MARK: - >>maxmin
 *===========================================================================*/
/** @defgroup netmodel_maxmin_room netmodel: star, max-min fair
 *  The other policy for the same star: what a transfer leaves unused of its share on one side goes to others that can
 *  use it, until no rate can grow without reducing one that is smaller. Follows [networks] section 6.5.2, progressive
 *  filling: all rates grow together, and where a link is full its transfers stop growing. @{ */

/** Scratch for a link, for both its directions together, or for a cap; its contents are private. */
typedef struct netmodel_maxmin_link {
    double left;    /**< capacity less the rates that have stopped growing */
    double sum;     /**< weights of its growing transfers */
    double fresh;   /**< that sum when it was last computed from its terms */
    size_t first;   /**< where the list of its growing transfers begins */
    size_t growing; /**< of all links: those that are full in this round, or have lost a transfer */
    size_t end;     /**< where the list ends */
    size_t state;   /**< whether it is full, or has lost a transfer, in this round */
    double low[2];  /**< of a tree of levels: those of the two nodes below this one */
} netmodel_maxmin_link;

/** Max-min fair rates of all transfers through the star.
 *
 *  `rate[i] = weight[i] * level`, where `level` is that of the first link on its way to be full:
 *  `level = (bandwidth - rates of slower transfers) / sum of the other weights`
 *
 *  A transfer that reaches its cap stops there. A duplex factor is one more link, for both directions of a node.
 *
 *  @param[out] link   Scratch, `link[2 * nodes]`; with `duplex` nodes more, with `cap` flows more.
 *  @param[out] next   Scratch, `next[2 * flows]`; with `duplex` twice as many.
 *  @param[out] rate   Rate of each transfer [B/s], `rate[flows]`, INFINITY where both links are; zeroed on error.
 *  @return  NETMODEL_OK, _MISSING, _BAD_BANDWIDTH, _BAD_DUPLEX, _UNKNOWN_NODE, _SELF_FLOW, _BAD_CAP or _BAD_WEIGHT.
 *  @cost    O(flows + nodes) and O(log(nodes)) for each transfer and link whose level changes. All to all on equal links, which is
 *           one round: 18 to 23 ns per flow for 64 to 1024 nodes (`build/bench/netmodel`). Weights of very different size may cost
 *           O(flows) a round more.
 */
NETMODEL__CHECKED netmodel_result netmodel_maxmin_rates(const netmodel_flows *flows, netmodel_maxmin_link link[],
                                                        size_t next[], double rate[]);

/** @} */

/*=============================================================================
 * MARK: - >>network
 *===========================================================================*/
/** @defgroup netmodel_network_room netmodel: network
 *  Any network: links that carry both directions, and a route of links for each transfer. A link with a duplex factor
 *  below 2 limits both directions together as well. The two policies are those of the star: equal shares, of which a
 *  transfer gets the smallest, and max-min fair shares. The latency of a route is the sum over its links. @{ */

/** Rates of all transfers through the network, with equal shares.
 *
 *  `rate = min over the capacities on its route of (weight * capacity / sum of weights there)`, and at most its cap
 *
 *  @param[out] sum    Scratch, `sum[3 * links]`.
 *  @param[out] rate   Rate of each transfer [B/s], `rate[flows]`; without finite capacities its cap or INFINITY. Zeroed
 *                     on error.
 *  @return  NETMODEL_OK, _MISSING, _BAD_BANDWIDTH, _BAD_DUPLEX, _BAD_WEIGHT, _BAD_CAP, _FIRST_DECREASES, _UNKNOWN_LINK
 *           or _LINK_TWICE.
 *  @cost    O(links + hops of all routes).
 */
NETMODEL__CHECKED netmodel_result netmodel_network_equal(const netmodel_flows *flows, double sum[], double rate[]);

/** Rates of all transfers through the network, max-min fair: netmodel_maxmin_rates() with routes.
 *
 *  @param[out] link   Scratch, `link[2 * links]`; with `duplex` links more, with `cap` flows more.
 *  @param[out] next   Scratch, `next[first[flows]]`; with `duplex` twice as many.
 *  @param[out] rate   Rate of each transfer [B/s], `rate[flows]`; without finite capacities its cap or INFINITY. Zeroed
 *                     on error.
 *  @return  As netmodel_network_equal().
 *  @cost    O((links + hops of all routes) * log(links)): 30 to 100 ns for each hop of 1 000 to 10 000 transfers through a
 *           torus of 1 000 nodes (`build/bench/netmodel`). Weights of very different size may cost more.
 */
NETMODEL__CHECKED netmodel_result netmodel_network_maxmin(const netmodel_flows *flows, netmodel_maxmin_link link[],
                                                          size_t next[], double rate[]);

/** Maximum rate of a TCP connection, one window for each round trip: a cap for a transfer.
 *
 *  `rate = window / (2 * latency)`
 *
 *  @param[in] window   Bytes that may be on their way unacknowledged [B], > 0; may be INFINITY.
 *  @param[in] latency  Latency of the route in one direction [s], finite, >= 0.
 *  @return  Rate [B/s]; INFINITY without latency, NaN if an argument is out of range.
 */
NETMODEL_API double netmodel_window_rate(double window, double latency);

/** @} */

/*=============================================================================
 * MARK: - >>topology
 *===========================================================================*/
/** @defgroup netmodel_topology_room netmodel: topology
 *  Networks as values: hosts, switches, the links between them and the route from one host to another, computed when it
 *  is asked for. No table, no allocation: ten thousand hosts cost as much as ten. Parameters and routes are those of
 *  SimGrid's cluster zones of the same names; tests/networks compares them link by link.
 *
 *  A link is a cable between two places, a host or a switch, and carries both directions. Its channel `2 * link` is the
 *  direction from its first end to its second, `2 * link + 1` the direction back. A route is an ordered array of
 *  channels; its latency is the sum over its links. Hosts, links and switches are numbered from 0, hosts in the order of
 *  the parameters.
 *
 *  netmodel_topology_check() says what is wrong with a topology. The other functions may be called without it: if it
 *  refuses the shape, they count 0 hosts and 0 links, and find no route. @{ */

enum {
    NETMODEL_TREE_LEVELS = 8,           /**< maximum levels of switches of a fat tree [1] */
    NETMODEL_GRID_DIMENSIONS = 5,       /**< maximum dimensions of a torus or mesh [1] */
    NETMODEL_JOINED_CLUSTERS = 8,       /**< maximum number of clusters [1] */
    NETMODEL_JOINTS = 28,               /**< maximum number of links between them [1]: one for each pair of 8 */
    NETMODEL_TOPOLOGY_MOST = 1073741824 /**< 2^30: maximum number of hosts, of switches and of links [1] */
};

/** What netmodel_topology_route() returns where there is no route. */
#define NETMODEL_NO_ROUTE ((size_t)-1)

/** Kinds of topologies. */
typedef enum netmodel_topology_kind {
    NETMODEL_TOPOLOGY_STAR = 0, /**< hosts around one switch */
    NETMODEL_TOPOLOGY_CLUSTERS, /**< stars, joined by a backbone or by links between their switches */
    NETMODEL_TOPOLOGY_FAT_TREE, /**< a tree whose switches have several parents, with parallel cables */
    NETMODEL_TOPOLOGY_TORUS,    /**< a grid whose lines are rings */
    NETMODEL_TOPOLOGY_MESH,     /**< a grid whose lines have two ends */
    NETMODEL_TOPOLOGY_DRAGONFLY /**< groups of routers, each group with a link to each other one */
} netmodel_topology_kind;

/** What a link can carry. Where a topology has several kinds of links, a zeroed cable is the same as the one before. */
typedef struct netmodel_cable {
    double bandwidth; /**< in each direction [B/s], > 0 or INFINITY */
    double latency;   /**< time to cross it [s], finite, >= 0 */
    double duplex;    /**< both directions together get at most so many times the bandwidth [1], 1 to 2; 0: 2 */
} netmodel_cable;

/** Hosts around one switch. Links: that of each host, then the backbone. */
typedef struct netmodel_star_shape {
    size_t hosts;            /**< number of hosts [1], >= 1 */
    netmodel_cable cable;    /**< from each host to the switch */
    netmodel_cable backbone; /**< what the switch itself passes, all transfers together; zeroed: everything */
} netmodel_star_shape;

/** One of several clusters: a star. */
typedef struct netmodel_cluster_shape {
    size_t hosts;         /**< number of hosts [1], >= 1 */
    netmodel_cable cable; /**< from each host to the cluster's switch; zeroed: as in the cluster before */
    netmodel_cable up;    /**< from its switch to the backbone, not with joints; zeroed: as in the cluster before. One
                               cluster needs none */
} netmodel_cluster_shape;

/** A link between the switches of two clusters. */
typedef struct netmodel_joint {
    size_t from, to;      /**< the clusters, different; channels go forth from `from` to `to` */
    netmodel_cable cable; /**< zeroed: as the joint before */
} netmodel_joint;

/** Clusters, joined by a backbone, or by joints if there are any. Links: those of the hosts, cluster by cluster; then
 *  the up links and the backbone, or the joints. */
typedef struct netmodel_clusters_shape {
    size_t count;                                             /**< number of clusters [1], >= 1 */
    netmodel_cluster_shape cluster[NETMODEL_JOINED_CLUSTERS]; /**< `cluster[count]` */
    netmodel_cable backbone;               /**< what the backbone passes, all transfers together; zeroed: everything */
    size_t joints;                         /**< number of joints [1]; 0: a backbone */
    netmodel_joint joint[NETMODEL_JOINTS]; /**< `joint[joints]`; together they reach all clusters */
} netmodel_clusters_shape;

/** A fat tree, SimGrid's `levels;down;up;count`: a parallel ports generalized fat tree. Hosts are level 0; entry i
 *  describes what is between levels i and i + 1. The tree has `down[0] * down[1] * ...` hosts. Links: level by level
 *  from the hosts up, child by child, then by port, which is `parent + up[i] * cable`. */
typedef struct netmodel_tree_shape {
    size_t levels;                              /**< levels of switches [1], >= 1 */
    size_t down[NETMODEL_TREE_LEVELS];          /**< children of each switch of level i + 1 [1], >= 1 */
    size_t up[NETMODEL_TREE_LEVELS];            /**< parents of each host or switch of level i [1], >= 1 */
    size_t count[NETMODEL_TREE_LEVELS];         /**< parallel cables between a child and a parent [1]; 0: 1 */
    netmodel_cable cable[NETMODEL_TREE_LEVELS]; /**< zeroed: as the level below */
    bool by_sender; /**< going down, the sender alone chooses among parallel cables; otherwise as in SimGrid */
} netmodel_tree_shape;

/** A torus or mesh. The first dimension varies fastest. In a torus, a line of two has one cable, as in a mesh. Links:
 *  those of the hosts, if they have any; then dimension by dimension, those along it in the order of their first ends. */
typedef struct netmodel_grid_shape {
    size_t dimensions;                              /**< number of dimensions [1], >= 1 */
    size_t size[NETMODEL_GRID_DIMENSIONS];          /**< length of each [1], >= 1 */
    netmodel_cable cable[NETMODEL_GRID_DIMENSIONS]; /**< links along each dimension; zeroed: as the dimension before */
    netmodel_cable host; /**< from each host to its router; zeroed: none, the hosts are the nodes of the grid */
} netmodel_grid_shape;

/** A dragonfly, SimGrid's `groups,blue;chassis,black;blades,green;nodes`. The routers of a chassis are joined all to all
 *  by green links, those of a group with the same blade number by black links; the blue link between groups i and j joins
 *  router j of group i and router i of group j. Links: those of the hosts, then green, black and blue ones. */
typedef struct netmodel_dragonfly_shape {
    size_t groups;  /**< number of groups [1], >= 1, at most the routers of a group */
    size_t blue;    /**< cables between each two groups [1]; 0: 1 */
    size_t chassis; /**< chassis of each group [1], >= 1 */
    size_t black;   /**< cables between each two routers of a group with the same blade number [1]; 0: 1 */
    size_t blades;  /**< blades of each chassis [1], >= 1; a blade has one router */
    size_t green;   /**< cables between each two routers of a chassis [1]; 0: 1 */
    size_t nodes;   /**< hosts on each router [1], >= 1 */
    bool separate;  /**< parallel cables are a link each; otherwise one link of so many times the bandwidth, as in
                         SimGrid */
    netmodel_cable host_cable;  /**< from each host to its router */
    netmodel_cable green_cable; /**< within a chassis; zeroed: as host_cable */
    netmodel_cable black_cable; /**< within a group; zeroed: as green_cable */
    netmodel_cable blue_cable;  /**< between groups; zeroed: as black_cable */
} netmodel_dragonfly_shape;

/** A network. Only the shape of its kind counts. A value: copy it, keep it; it borrows nothing. */
typedef struct netmodel_topology {
    netmodel_topology_kind kind;        /**< which of the following counts */
    netmodel_star_shape star;           /**< for NETMODEL_TOPOLOGY_STAR */
    netmodel_clusters_shape clusters;   /**< for NETMODEL_TOPOLOGY_CLUSTERS */
    netmodel_tree_shape tree;           /**< for NETMODEL_TOPOLOGY_FAT_TREE */
    netmodel_grid_shape grid;           /**< for NETMODEL_TOPOLOGY_TORUS and _MESH */
    netmodel_dragonfly_shape dragonfly; /**< for NETMODEL_TOPOLOGY_DRAGONFLY */
} netmodel_topology;

/** An end of a link: host `number` if the level is 0, otherwise a switch of that level, such as switch 1.0. Stars,
 *  clusters, grids whose hosts have links and dragonflies have switches of level 1; a backbone is switch 2.0. */
typedef struct netmodel_place {
    size_t level;  /**< 0 for a host [1] */
    size_t number; /**< among those of its level, from 0 [1] */
} netmodel_place;

/** What is wrong with a topology.
 *
 *  @param[out] where   Index of the level, dimension, cluster or joint that is refused, otherwise 0; may be NULL.
 *  @return  NETMODEL_OK, _MISSING, _BAD_OPTION (its kind), _BAD_LEVELS, _BAD_DIMENSIONS, _BAD_CLUSTERS, _BAD_SIZE,
 *           _BAD_JOINT, _NOT_JOINED, _TOO_MANY_GROUPS, _TOO_LARGE or _BAD_CABLE.
 */
NETMODEL__CHECKED netmodel_result netmodel_topology_check(const netmodel_topology *topology, size_t *where);

/** Number of hosts [1]; 0 if the shape is refused. */
NETMODEL_API size_t netmodel_topology_hosts(const netmodel_topology *topology);

/** Number of switches of a level [1], from 1; 0 above the highest. Level 0 are the hosts. */
NETMODEL_API size_t netmodel_topology_places(const netmodel_topology *topology, size_t level);

/** Number of links [1]; 0 if the shape is refused. */
NETMODEL_API size_t netmodel_topology_links(const netmodel_topology *topology);

/** The route from one host to another.
 *
 *  Star and clusters: through the switches; where clusters have joints, over as few of them as possible, through
 *  clusters with low numbers, and among parallel joints the one that the receiver's number in its cluster chooses, modulo
 *  their number.
 *
 *  Fat tree: up to the first switch above both, then down. On level i a route goes up by port
 *  `to / (up[0] * ... * up[i - 1]) % (up[i] * count[i])` (d-mod-k). Going down, only the cable is left to choose: it is
 *  `from % count[i]` at the switch where the route turns. At each switch below, SimGrid 3.32 goes on in its list of ports
 *  (child + down * cable) behind the number of the port that it took above: it takes the first one that leads to the
 *  receiver, or cable `from % count[i]` if no later port does. This concerns trees with parallel cables below the level where
 *  routes turn, and uses them unevenly; `by_sender` takes cable `from % count[i]` everywhere.
 *
 *  Torus and mesh: dimension by dimension, from the first; in a torus the shorter way round. If both ways are equally
 *  long it goes up, except from half the size to 0: down. Dragonfly: minimal, green before black in both groups; among
 *  separate cables the receiver's number chooses, modulo their number.
 *
 *  @param[in] from,to     Hosts.
 *  @param[out] channel    The channels in order, `channel[room]`; may be NULL if room is 0.
 *  @param[in] room        Its length [1]; netmodel_topology_hops_max() always suffices.
 *  @return  Number of channels [1]; 0 if the hosts are the same. NETMODEL_NO_ROUTE for an unknown host or too little room.
 *  @cost    O(hops), without any table: 7 ns in a star, 40 to 90 ns elsewhere, for 1024 hosts (`build/bench/netmodel`).
 *  @source  [pgft] for the fat tree, [dragonfly], [dally]; what these leave open as in SimGrid 3.32.
 */
NETMODEL_API size_t netmodel_topology_route(const netmodel_topology *topology, size_t from, size_t to, size_t channel[],
                                            size_t room);

/** Number of links between two hosts [1], that of their route; NETMODEL_NO_ROUTE for an unknown host. */
NETMODEL_API size_t netmodel_topology_hops(const netmodel_topology *topology, size_t from, size_t to);

/** Number of links of the longest route [1]: the diameter, where routes are shortest paths. */
NETMODEL_API size_t netmodel_topology_hops_max(const netmodel_topology *topology);

/** What a link can carry.
 *
 *  @param[in] link   Its number, less than netmodel_topology_links().
 *  @return  Its cable, with a duplex of 2 for 0; all NaN for an unknown link.
 */
NETMODEL_API netmodel_cable netmodel_topology_link(const netmodel_topology *topology, size_t link);

/** The ends of a link, for names and pictures: channel `2 * link` goes from `end[0]` to `end[1]`.
 *
 *  `end[0]` is the end nearer to the hosts; of a link along a dimension the one before `end[1]`, where in a torus the last
 *  is before the first; of a joint the switch of its cluster `from`; otherwise the one with the lower number. A backbone with a
 *  bandwidth has switch 2.0 (in a star 1.0) at both ends.
 *
 *  @return  True; false for an unknown link, with zeroed ends.
 */
NETMODEL_API bool netmodel_topology_link_ends(const netmodel_topology *topology, size_t link, netmodel_place end[2]);

/** Bisection bandwidth: what passes in one direction, at most, between two halves of the hosts that are chosen so that
 *  this is smallest. With an odd number of hosts one half has one more.
 *
 *  @return  Bandwidth [B/s]; NaN where no closed form is known: dragonflies, fat trees whose narrowest subtrees do not make
 *           up half of the hosts, grids whose narrowest dimension is odd.
 */
NETMODEL_API double netmodel_topology_bisection(const netmodel_topology *topology);

/** @} */

/*=============================================================================
 * MARK: - >>message
 *===========================================================================*/
/** @defgroup netmodel_message_room netmodel: message
 *  What a message costs: the sender packs and sends it, the network transmits it, the receiver receives it. Each of the
 *  four is a link, a line or a curve, and each pair of hosts may have its own, including a host with itself. Follows
 *  [clue], "Virtual Machines". @{ */

/** The model of a delay. */
typedef enum netmodel_delay_kind {
    NETMODEL_DELAY_LINK = 0, /**< latency, then a time per byte; a constant if that is 0 */
    NETMODEL_DELAY_LINE,     /**< slope and intercept, as a fit gives them */
    NETMODEL_DELAY_CURVE     /**< as measured */
} netmodel_delay_kind;

/** A delay; zeroed, it takes no time. Only the member that its kind names counts. */
typedef struct netmodel_delay {
    netmodel_delay_kind kind; /**< which of the others counts */
    netmodel_link link;       /**< a link */
    netmodel_line line;       /**< a line; its messages have elements instead of bytes */
    netmodel_curve curve;     /**< a curve; its arrays are borrowed for the life of the delay */
} netmodel_delay;

/** Time of a delay.
 *
 *  @param[in] bytes   Message size [B], of a line its elements [1]; finite, >= 0.
 *  @return  Time [s]; INFINITY if it exceeds the largest double; NaN if the size or a number of the model is out of
 *           range, the kind is unknown, or the time is negative, as a fitted line can give for small messages.
 */
NETMODEL_API double netmodel_delay_time(const netmodel_delay *delay, double bytes);

/** The delays of a message; zeroed, it takes no time. */
typedef struct netmodel_message {
    netmodel_delay pack;     /**< sender: from memory into the send buffer */
    netmodel_delay send;     /**< sender: in the send call, until it returns */
    netmodel_delay transmit; /**< network: from there until the message is at the receiver's host */
    netmodel_delay receive;  /**< receiver: in the receive call, once the message is there */
} netmodel_message;

/** Time of a message whose receiver waits for it.
 *
 *  `T = pack + send + transmit + receive`
 *
 *  @return  Time from the start of packing until the receiver has it [s]; NaN if one of the delays is.
 */
NETMODEL_API double netmodel_message_time(const netmodel_message *message, double bytes);

/** The moments of a message. */
typedef struct netmodel_message_times {
    double sent;     /**< the send call returns [s] */
    double arrived;  /**< the message is at the receiver's host [s] */
    double received; /**< the receiver has it [s] */
} netmodel_message_times;

/** When the send call of a message returns, and when the receiver has it.
 *
 *  `sent = begin + pack + send`, `arrived = sent + transmit`, `received = max(arrived, requested) + receive`
 *
 *  @param[in] begin       When the sender starts to pack [s], finite.
 *  @param[in] requested   When the receive call begins [s], finite.
 *  @return  The moments [s]; all NaN if an argument or a delay is out of range.
 *  @source  [clue], "Virtual Machines" and figure 3.
 */
NETMODEL_API netmodel_message_times netmodel_message_when(const netmodel_message *message, double bytes, double begin,
                                                          double requested);

/** The delays of one ordered pair of hosts. */
typedef struct netmodel_message_pair {
    size_t from;                     /**< host that sends */
    size_t to;                       /**< host that receives; may be the same */
    const netmodel_message *message; /**< their delays; borrowed */
} netmodel_message_pair;

/** Delays for every pair of hosts; zeroed, no message takes time. Fill it with netmodel_messages_init(), which checks,
 *  or only `fallback` by hand. */
typedef struct netmodel_messages {
    const netmodel_message *fallback;  /**< for pairs that are not in the table; borrowed. NULL: no time */
    const netmodel_message *self;      /**< for a host with itself that is not in it; borrowed. NULL: `fallback` */
    const netmodel_message_pair *pair; /**< the table, `pair[count]`, by `from`, then `to`, no duplicates; borrowed */
    size_t count;                      /**< number of pairs in it [1]; may be 0 */
} netmodel_messages;

/** A table of delays over the caller's pairs, which are checked. Everything is borrowed for the life of the table.
 *
 *  @param[in] fallback,self,pair,count   Its fields.
 *  @return  NETMODEL_OK, _MISSING or _PAIRS_DECREASE.
 */
NETMODEL__CHECKED netmodel_result netmodel_messages_init(const netmodel_message *fallback, const netmodel_message *self,
                                                         const netmodel_message_pair *pair, size_t count,
                                                         netmodel_messages *messages, size_t *where);

/** The delays of a message from one host to another.
 *
 *  @param[in] from   Host that sends, any number.
 *  @param[in] to     Host that receives; may be the same.
 *  @return  The delays of the pair, or else `self` for one host, or else `fallback`, or else none. Never NULL; as
 *           long-lived as what the table was made of.
 *  @cost    A binary search.
 */
NETMODEL_API const netmodel_message *netmodel_messages_between(const netmodel_messages *messages, size_t from,
                                                               size_t to);

/** @} */

/*=============================================================================
 * MARK: - >>timing
 *===========================================================================*/
/** @defgroup netmodel_timing_room netmodel: timing graph
 *  A parallel program as a graph: for each node the sequence of its segments, code and messages. The program takes as
 *  long as its slowest node, where a receive waits for its send, and a synchronous send for its receive. Segments know
 *  their source lines, so that a prediction points back into the program. Follows [dpgraph] section 3; the waiting is
 *  ours, the paper's sums take it as part of a receive. @{ */

/** What a segment does. */
typedef enum netmodel_segment_kind {
    NETMODEL_SEGMENT_CODE = 0, /**< computes */
    NETMODEL_SEGMENT_SEND,     /**< sends a message to `peer` */
    NETMODEL_SEGMENT_RECEIVE   /**< receives a message from `peer` */
} netmodel_segment_kind;

/** The send modes of MPI, as usual indices into the modes of a graph. The numbers may have any other meaning. */
typedef enum netmodel_send_mode {
    NETMODEL_MODE_STANDARD = 0, /**< MPI_Send */
    NETMODEL_MODE_BUFFERED,     /**< MPI_Bsend */
    NETMODEL_MODE_READY,        /**< MPI_Rsend */
    NETMODEL_MODE_SYNCHRONOUS   /**< MPI_Ssend */
} netmodel_send_mode;

/** A segment; zeroed, it is code that takes no time. */
typedef struct netmodel_segment {
    netmodel_segment_kind kind; /**< what it does */
    double seconds;             /**< code: its time [s], finite, >= 0 */
    size_t peer;                /**< send, receive: the other node; may be its own */
    size_t message;             /**< send, receive: a tag; the k-th send of a tag matches the k-th receive of it */
    size_t mode;                /**< send: an index into the modes of the graph */
    double size;                /**< send: bytes [B], or elements where the mode's delays are lines over elements [1] */
    const char *file;           /**< source file; borrowed. NULL: unknown */
    int line;                   /**< source line [1]; 0: unknown */
} netmodel_segment;

/** The cost of a send mode; zeroed, no time, and only a receive waits, for its message. */
typedef struct netmodel_mode {
    netmodel_messages messages; /**< delays by pair of nodes; the sender takes pack + send, the receiver receive */
    bool synchronous;           /**< a send first waits until its receive has begun */
    bool end_to_end;            /**< receive was measured with both sides starting at once and includes sending and the
                                     wire: it counts from the start of the send (plus transmit) */
} netmodel_mode;

/** The segments of a node. */
typedef struct netmodel_timing_node {
    const netmodel_segment *segment; /**< its segments in order, `segment[count]`; borrowed, nodes may share them */
    size_t count;                    /**< number of segments [1]; may be 0 */
} netmodel_timing_node;

/** A program. */
typedef struct netmodel_timing {
    const netmodel_timing_node *node; /**< the nodes, `node[nodes]`; borrowed */
    size_t nodes;                     /**< number of nodes [1] */
    const netmodel_mode *mode;        /**< the send modes, `mode[modes]`; borrowed */
    size_t modes;                     /**< number of modes [1] */
} netmodel_timing;

/** When a segment ran. From begin to ready it waits, from ready to end it works. */
typedef struct netmodel_timing_span {
    double begin;   /**< the node reaches it [s] */
    double ready;   /**< it no longer waits [s] */
    double end;     /**< the node goes on [s] */
    size_t partner; /**< index of the span of its receive or its send; its own for code */
} netmodel_timing_span;

/** The sums over the segments of a node. */
typedef struct netmodel_timing_sum {
    size_t first;   /**< index of its first span */
    double working; /**< time that it works [s] */
    double waiting; /**< time that it waits [s] */
    double time;    /**< when its last segment ends [s]: the sum of the two */
} netmodel_timing_sum;

/** The time of a program. */
typedef struct netmodel_timing_total {
    double time; /**< its time [s], that of its slowest node */
    size_t node; /**< that node; ties go to the first */
} netmodel_timing_total;

/** A place in a graph. */
typedef struct netmodel_timing_place {
    size_t node;    /**< index of the node */
    size_t segment; /**< index of the segment in it */
} netmodel_timing_place;

/** The part of a source line in a node's time. */
typedef struct netmodel_timing_line {
    const char *file; /**< the file, as in the segments; may be NULL */
    int line;         /**< the line [1] */
    size_t first;     /**< the node's first segment of this line, an index in the node */
    size_t segments;  /**< number of segments of the node with this line [1] */
    double working;   /**< time that the node works there [s] */
    double waiting;   /**< time that the node waits there [s] */
    double part;      /**< the sum of the two as a fraction of the node's time [1], 0 to 1 */
} netmodel_timing_line;

/** Number of segments in a program, and so of spans [1]; 0 if `node` is NULL. */
NETMODEL_API size_t netmodel_timing_segments(const netmodel_timing *graph);

/** Number of indices in the scratch of netmodel_timing_predict(). */
NETMODEL_API size_t netmodel_timing_scratch(const netmodel_timing *graph);

/** Predicts the time of a program.
 *
 *  `T = max over nodes of the sum of their segments`
 *
 *  Code takes its seconds. A send takes pack + send of its mode; a synchronous one first waits for the start of its
 *  receive. A receive waits until the end of its send (`end_to_end`: the start of it or, if synchronous, of both) plus
 *  transmit; then it takes receive.
 *
 *  @param[out] scratch   Scratch, `scratch[netmodel_timing_scratch(graph)]`.
 *  @param[out] sum       Of each node, `sum[nodes]`; zeroed on error.
 *  @param[out] span      Of each segment, node after node, `span[netmodel_timing_segments(graph)]`; zeroed on error.
 *  @return  NETMODEL_OK, _MISSING, _EMPTY, or of a segment _BAD_OPTION (a kind), _BAD_TIME, _UNKNOWN_NODE,
 *           _UNKNOWN_MODE, _NO_SEND, _NO_RECEIVE; _DEADLOCK with the first node of a cycle of waiting nodes and the
 *           segment where it waits.
 *  @cost    O(s log s) for s segments, nearly all of it to match sends and receives: 0.2 us a segment for 300 000.
 *  @source  [dpgraph] section 3.2; waiting as in [clue], "Virtual Time".
 */
NETMODEL__CHECKED netmodel_result netmodel_timing_predict(const netmodel_timing *graph, size_t scratch[],
                                                          netmodel_timing_sum sum[], netmodel_timing_span span[],
                                                          netmodel_timing_total *total, netmodel_timing_place *where);

/** The source lines of a node by their part in its time, the largest first, from a prediction.
 *
 *  Lines are equal if their numbers and the names of their files are.
 *
 *  @param[in]  node    Which node.
 *  @param[out] line    The lines, `line[graph->node[node].count]`, of which the first `*count` are filled.
 *  @param[out] count   Number of different lines [1]; 0 on error.
 *  @return  NETMODEL_OK, _MISSING or _UNKNOWN_NODE.
 *  @cost    O(s log s) for the s segments of the node.
 *  @source  [dpgraph] section 1, analysis bound back to the source code.
 */
NETMODEL__CHECKED netmodel_result netmodel_timing_lines(const netmodel_timing *graph, const netmodel_timing_sum sum[],
                                                        const netmodel_timing_span span[], size_t node,
                                                        netmodel_timing_line line[], size_t *count);

/** @} */

/*=============================================================================
 * MARK: - >>student
 *===========================================================================*/
/** @defgroup netmodel_student_room netmodel: student
 *  How many standard errors wide an interval is, after few measurements as after many. @{ */

/** Degrees of freedom where the deviation was given, not estimated. */
#define NETMODEL_DEVIATION_KNOWN ((size_t)-1)

/** Two-sided quantile of Student's t: `P(|T| <= t) = level`.
 *
 *  @param[in] degrees_of_freedom   Degrees of freedom [1], >= 1; NETMODEL_DEVIATION_KNOWN: the normal distribution.
 *  @return  t [1], to within 1 part in 1e11 up to level 0.9999, in 1e9 up to 0.999999; NaN if an argument is out of
 *           range.
 *  @cost    O(degrees of freedom), at most 2000: beyond 500 by a series in their reciprocal.
 *  @source  Finite sums and series as in Abramowitz and Stegun, 26.7.3, 26.7.4 and 26.7.5.
 */
NETMODEL_API double netmodel_student(double level, size_t degrees_of_freedom);

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
/* Between braces: everything zero, as C and C++ write it. */
#ifdef __cplusplus
#define NETMODEL__ZERO
#else
#define NETMODEL__ZERO 0
#endif

/* NAN is a float. */
#define NETMODEL__NAN ((double)NAN)

/* A product that is rounded before anything is added to it. The language lets a compiler fuse a*b + c into one
 * instruction that rounds once; whether it does depends on processor, compiler and flags, and the last bit with it. One
 * such bit turns a tie of two events into an order. The barrier costs no instruction. */
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

/* Finite and not negative; false for NaN. */
static bool netmodel__amount(double x)
{
    return x >= 0 && x < HUGE_VAL;
}

/* Not a number. Not isnan(), which is a template in C++ that an object without optimization would export. */
static bool netmodel__is_nan(double x)
{
    return !(x >= 0 || x < 0);
}

/* Reports the index of what is refused; returns the result. */
static netmodel_result netmodel__refuse(netmodel_result result, size_t index, size_t *where)
{
    if (where) *where = index;
    return result;
}

/*=============================================================================
 * MARK: - >>results (body)
 *===========================================================================*/
NETMODEL_API const char *netmodel_result_text(netmodel_result result)
{
    switch (result) {
    case NETMODEL_OK: return "success";
    case NETMODEL_MISSING: return "a required pointer is NULL";
    case NETMODEL_EMPTY: return "at least one point, node, cluster or grid is needed";
    case NETMODEL_NOT_FINITE: return "the bytes and seconds (n and t) of a point must be finite";
    case NETMODEL_NEGATIVE: return "the bytes and seconds (n and t) of a point must be >= 0";
    case NETMODEL_BYTES_DECREASE: return "a point must not have fewer bytes than the point before";
    case NETMODEL_BYTES_THRICE: return "at most two points, a jump, may have the same bytes";
    case NETMODEL_SECONDS_DECREASE: return "a point must not have fewer seconds than the point before";
    case NETMODEL_BAD_BANDWIDTH: return "the bandwidth of a node or link must be >= 0";
    case NETMODEL_UNKNOWN_NODE: return "the index of a node must be less than the number of nodes";
    case NETMODEL_SELF_FLOW: return "a flow must not go from a node to itself";
    case NETMODEL_TOO_FEW: return "there are fewer points or runs than the fit needs";
    case NETMODEL_NOT_POSITIVE: return "a time must be > 0 for an error relative to it";
    case NETMODEL_ONE_SIZE: return "a line needs points of at least two sizes";
    case NETMODEL_BAD_OPTION: return "an option has an unknown value";
    case NETMODEL_BAD_WEIGHT: return "the weight of a flow must be from 1e-100 to 1e100";
    case NETMODEL_PAIRS_DECREASE: return "pairs of hosts must ascend by sender, then receiver, without duplicates";
    case NETMODEL_BAD_TIME: return "the time of a segment must be finite and >= 0";
    case NETMODEL_UNKNOWN_MODE: return "the mode of a send must be less than the number of modes";
    case NETMODEL_NO_SEND: return "a receive waits for a message that its peer never sends";
    case NETMODEL_NO_RECEIVE: return "a send has no receive at its peer";
    case NETMODEL_DEADLOCK: return "nodes wait for each other in a cycle";
    case NETMODEL_BAD_RUN: return "a run needs processes >= 1, work >= 0 and seconds > 0, all finite";
    case NETMODEL_BAD_ERROR: return "the relative error of a run must be finite and >= 0";
    case NETMODEL_BAD_CLUSTER: return "a cluster needs memory > 0, a price >= 0 and processor counts from 1 to `free`";
    case NETMODEL_BAD_GRID: return "a grid needs work > 0, and a model for each cluster";
    case NETMODEL_BAD_LEVEL: return "the level of an interval must be between 0 and 1";
    case NETMODEL_LIST_FULL: return "the list is too short for all choices";
    case NETMODEL_OUT_OF_RANGE: return "a size or time of a fit must be 0 or from 1e-40 to 1e40";
    case NETMODEL_BAD_CANDIDATE:
        return "a candidate needs processes and repeats >= 1, work of 0 or from 1e-40 to 1e40, and a cost >= 0";
    case NETMODEL_BAD_LEVELS: return "a fat tree must have 1 to 8 levels of switches";
    case NETMODEL_BAD_DIMENSIONS: return "a torus or mesh must have 1 to 5 dimensions";
    case NETMODEL_BAD_CLUSTERS: return "a topology must have 1 to 8 clusters";
    case NETMODEL_BAD_SIZE: return "hosts, children, parents, lengths, groups, chassis, blades and nodes must be >= 1";
    case NETMODEL_TOO_LARGE: return "a topology must not have more than 2^30 hosts, switches or links";
    case NETMODEL_TOO_MANY_GROUPS: return "a dragonfly must not have more groups than a group has routers";
    case NETMODEL_BAD_JOINT: return "at most 28 links may join clusters, each two different ones that exist";
    case NETMODEL_NOT_JOINED: return "the links between clusters must reach all of them";
    case NETMODEL_BAD_CABLE:
        return "a cable needs a bandwidth > 0, a finite latency >= 0, and a duplex of 1 to 2, or 0; clusters without "
               "joints need `up`";
    case NETMODEL_BAD_CAP: return "the cap of a flow must be > 0, or INFINITY for none";
    case NETMODEL_BAD_DUPLEX: return "the duplex factor of a node or link must be from 1 to 2, or 0 for 2";
    case NETMODEL_FIRST_DECREASES: return "the first channel of a route must not lie before that of the route before";
    case NETMODEL_UNKNOWN_LINK: return "a channel must be less than twice the number of links";
    case NETMODEL_LINK_TWICE: return "a route must not cross a link twice";
    }
    return "not a result of netmodel.h";
}

/*=============================================================================
 * MARK: - >>link (body)
 *===========================================================================*/
/* A link, if it is one; otherwise both fields are NaN. */
static netmodel_link netmodel__link(double latency, double byte_time)
{
    const bool good = netmodel__amount(latency) && netmodel__amount(byte_time);
    netmodel_link link = { good ? latency : NETMODEL__NAN, good ? byte_time : NETMODEL__NAN };
    return link;
}

NETMODEL_API netmodel_link netmodel_link_of(double latency, double bandwidth)
{
    return netmodel__link(latency, bandwidth > 0 ? 1 / bandwidth : NETMODEL__NAN);
}

NETMODEL_API double netmodel_link_bandwidth(const netmodel_link *link)
{
    if (!netmodel__amount(link->byte_time)) return NETMODEL__NAN;
    return link->byte_time > 0 ? 1 / link->byte_time : HUGE_VAL;
}

NETMODEL_API double netmodel_link_time(const netmodel_link *link, double bytes)
{
    if (!netmodel__amount(bytes) || !netmodel__amount(link->latency) || !netmodel__amount(link->byte_time))
        return NETMODEL__NAN;
    return link->latency + netmodel__times(bytes, link->byte_time);
}

/*=============================================================================
 * MARK: - >>line (body)
 *===========================================================================*/
NETMODEL_API netmodel_line netmodel_line_from_parts(const netmodel_line_parts *parts)
{
    netmodel_line line = { parts->memory_to_buffer + parts->wire + parts->buffer_to_memory, parts->latency };
    return line;
}

NETMODEL_API double netmodel_line_time(const netmodel_line *line, double n)
{
    const bool finite = fabs(line->slope) < HUGE_VAL && fabs(line->intercept) < HUGE_VAL;
    return finite && netmodel__amount(n) ? netmodel__times(line->slope, n) + line->intercept : NETMODEL__NAN;
}

NETMODEL_API netmodel_link netmodel_link_of_line(const netmodel_line *line)
{
    return netmodel__link(line->intercept, line->slope);
}

/*=============================================================================
 * MARK: - >>curve (body)
 *===========================================================================*/
/* What is wrong with point i, if the points before it are in order. */
static netmodel_result netmodel__curve_check(const double *bytes, const double *seconds, size_t i)
{
    if (!(fabs(bytes[i]) < HUGE_VAL && fabs(seconds[i]) < HUGE_VAL)) return NETMODEL_NOT_FINITE;
    if (bytes[i] < 0 || seconds[i] < 0) return NETMODEL_NEGATIVE;
    if (i >= 1 && bytes[i] < bytes[i - 1]) return NETMODEL_BYTES_DECREASE;
    if (i >= 2 && bytes[i] <= bytes[i - 2]) return NETMODEL_BYTES_THRICE;
    return NETMODEL_OK;
}

static netmodel_result netmodel__curve_fill(const double *bytes, const double *seconds, size_t count, int falls,
                                            netmodel_curve *curve, size_t *where)
{
    if (!curve) return NETMODEL_MISSING;
    memset(curve, 0, sizeof *curve);
    if (count == 0) return NETMODEL_EMPTY;
    if (!bytes || !seconds) return NETMODEL_MISSING;

    for (size_t i = 0; i < count; ++i) {
        netmodel_result result = netmodel__curve_check(bytes, seconds, i);
        if (result == NETMODEL_OK && !falls && i >= 1 && seconds[i] < seconds[i - 1])
            result = NETMODEL_SECONDS_DECREASE;
        if (result != NETMODEL_OK) return netmodel__refuse(result, i, where);
    }
    const netmodel_curve all = { bytes, seconds, count };
    *curve = all;
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_curve_init(const double *bytes, const double *seconds, size_t count,
                                                 netmodel_curve *curve, size_t *where)
{
    return netmodel__curve_fill(bytes, seconds, count, 0, curve, where);
}

NETMODEL_API netmodel_result netmodel_curve_init_any(const double *bytes, const double *seconds, size_t count,
                                                     netmodel_curve *curve, size_t *where)
{
    return netmodel__curve_fill(bytes, seconds, count, 1, curve, where);
}

NETMODEL_API double netmodel_curve_time(const netmodel_curve *curve, double bytes)
{
    const double *b = curve->bytes, *t = curve->seconds;
    size_t low = 0, among = curve->count;
    if (among == 0 || !netmodel__amount(bytes)) return NETMODEL__NAN;
    if (bytes < b[0] || among == 1) return t[0];

    /* The last point at or before, so at a jump the second one: it is among the `among` points from low on. */
    while (among > 1) {
        size_t half = among / 2;
        low += b[low + half] <= bytes ? half : 0;
        among -= half;
    }

    /* The piece whose slope counts starts here; beyond the last point it is the last one. */
    const size_t first = low + 1 < curve->count ? low : low - 1;
    const double width = b[first + 1] - b[first], rise = t[first + 1] - t[first];
    if (!(width > 0 && (rise > 0 || (rise < 0 && low == first)))) return t[low];
    const double time = t[low] + netmodel__times((bytes - b[low]) / width, rise);

    /* Rounding must not carry the end of a piece beyond the start of the next. */
    if (low != first) return time;
    return rise > 0 ? (time > t[first + 1] ? t[first + 1] : time) : (time < t[first + 1] ? t[first + 1] : time);
}

/*=============================================================================
 * MARK: - >>star (body)
 *===========================================================================*/
NETMODEL_API double netmodel_star_rate(double up, double out, double down, double in)
{
    if (!(up >= 0 && down >= 0 && out >= 1 && in >= 1 && out < HUGE_VAL && in < HUGE_VAL)) return NETMODEL__NAN;
    return up / out < down / in ? up / out : down / in;
}

static bool netmodel__duplex_good(double duplex)
{
    return (duplex >= 1 && duplex <= 2) || !(duplex > 0 || duplex < 0 || netmodel__is_nan(duplex));
}

NETMODEL_API double netmodel_duplex(double forth, double back, double duplex)
{
    if (!(forth >= 0 && back >= 0) || !netmodel__duplex_good(duplex)) return NETMODEL__NAN;
    const double high = forth > back ? forth : back, low = forth > back ? back : forth;
    if (!(duplex > 0)) return high + low;
    return high > low ? high + netmodel__times(duplex - 1, low) : netmodel__times(duplex, high);
}

/* What both directions of a node or link have together; INFINITY where they do not disturb each other. */
static double netmodel__both(double forth, double back, double duplex)
{
    return duplex >= 1 && duplex < 2 ? netmodel_duplex(forth, back, duplex) : HUGE_VAL;
}

static netmodel_result netmodel__duplex_check(const double *duplex, size_t count)
{
    for (size_t i = 0; duplex && i < count; ++i)
        if (!netmodel__duplex_good(duplex[i])) return NETMODEL_BAD_DUPLEX;
    return NETMODEL_OK;
}

static netmodel_result netmodel__caps_check(const netmodel_flows *x)
{
    for (size_t i = 0; x->cap && i < x->flows; ++i)
        if (!(x->cap[i] > 0)) return NETMODEL_BAD_CAP;
    return NETMODEL_OK;
}

static netmodel_result netmodel__weights_check(const netmodel_flows *x)
{
    for (size_t i = 0; x->weight && i < x->flows; ++i)
        if (!(x->weight[i] >= 1e-100 && x->weight[i] <= 1e100)) return NETMODEL_BAD_WEIGHT;
    return NETMODEL_OK;
}

/* What is wrong with a star; the weights are checked where they count. */
static netmodel_result netmodel__star_check(const netmodel_flows *x)
{
    if ((x->nodes > 0 && (!x->up || !x->down)) || (x->flows > 0 && (!x->from || !x->to))) return NETMODEL_MISSING;
    for (size_t i = 0; i < x->nodes; ++i)
        if (!(x->up[i] >= 0 && x->down[i] >= 0)) return NETMODEL_BAD_BANDWIDTH;
    const netmodel_result result = netmodel__duplex_check(x->duplex, x->nodes);
    if (result != NETMODEL_OK) return result;
    for (size_t i = 0; i < x->flows; ++i) {
        if (x->from[i] >= x->nodes || x->to[i] >= x->nodes) return NETMODEL_UNKNOWN_NODE;
        if (x->from[i] == x->to[i]) return NETMODEL_SELF_FLOW;
    }
    return netmodel__caps_check(x);
}

/* What a transfer gets at most of what both directions of a node share. */
static double netmodel__star_both(const netmodel_flows *x, size_t node, const size_t out[], const size_t in[])
{
    return netmodel__both(x->up[node], x->down[node], x->duplex[node]) / (double)(out[node] + in[node]);
}

static double netmodel__smaller(double a, double b)
{
    return a < b ? a : b;
}

NETMODEL_API netmodel_result netmodel_star_rates(const netmodel_flows *flows, size_t out[], size_t in[], double rate[])
{
    if (!flows || (flows->nodes > 0 && (!out || !in)) || (flows->flows > 0 && !rate)) return NETMODEL_MISSING;
    netmodel_result result = netmodel__star_check(flows);
    if (result != NETMODEL_OK) return result;

    for (size_t i = 0; i < flows->nodes; ++i) out[i] = in[i] = 0;
    for (size_t i = 0; i < flows->flows; ++i) {
        ++out[flows->from[i]];
        ++in[flows->to[i]];
    }
    for (size_t i = 0; i < flows->flows; ++i) {
        size_t a = flows->from[i], z = flows->to[i];
        rate[i] = netmodel_star_rate(flows->up[a], (double)out[a], flows->down[z], (double)in[z]);
        if (flows->duplex) {
            rate[i] = netmodel__smaller(rate[i], netmodel__star_both(flows, a, out, in));
            rate[i] = netmodel__smaller(rate[i], netmodel__star_both(flows, z, out, in));
        }
        if (flows->cap) rate[i] = netmodel__smaller(rate[i], flows->cap[i]);
    }
    return NETMODEL_OK;
}

/*=============================================================================
 * MARK: - >>filling (private)
 *===========================================================================*/
/* Progressive filling, for stars and for networks. What can be full is a capacity: first the
 * channels (of a star the up links from 0, the down links from `nodes`), then, with duplex factors, both directions of
 * each link together, then, with caps, one for each transfer. Each has a list of its growing transfers, but a cap needs
 * none.
 *
 * A tree has the lowest level of the capacities below each of its nodes: node i has the children 2 i and 2 i + 1, whose
 * levels are link[i].low, and the capacities are its leaves. So a round costs only what changes in it. */
typedef struct netmodel__filling {
    const netmodel_flows *flows;
    netmodel_maxmin_link *link;
    size_t *list;
    double *rate;      /* -1 while it grows */
    double level;      /* that is reached */
    size_t both, caps; /* the first capacity of both directions, and the first cap */
    size_t all;        /* number of capacities */
    size_t deepest;    /* the first node of the lowest row of the tree: capacity 0 */
    size_t touched;    /* capacities that have lost a transfer in this round, at the end of link[].growing */
    bool network;      /* otherwise a star */
} netmodel__filling;

enum { NETMODEL__QUIET, NETMODEL__TOUCHED, NETMODEL__FULL };

static double netmodel__filling_weight(const netmodel__filling *m, size_t flow)
{
    return m->flows->weight ? m->flows->weight[flow] : 1;
}

/* The k-th channel on the way of a transfer; returns whether there is one. */
static bool netmodel__filling_channel(const netmodel__filling *m, size_t flow, size_t k, size_t *channel)
{
    const netmodel_flows *x = m->flows;
    if (m->network) {
        if (k >= x->first[flow + 1] - x->first[flow]) return false;
        *channel = x->channel[x->first[flow] + k];
        return true;
    }
    *channel = k == 0 ? x->from[flow] : x->nodes + x->to[flow];
    return k < 2;
}

/* The capacity of both directions of a channel's link. */
static size_t netmodel__filling_both(const netmodel__filling *m, size_t channel)
{
    if (m->network) return m->both + channel / 2;
    return m->both + (channel < m->flows->nodes ? channel : channel - m->flows->nodes);
}

static double netmodel__filling_capacity(const netmodel__filling *m, size_t i)
{
    const netmodel_flows *x = m->flows;
    if (i >= m->caps) return x->cap[i - m->caps];
    if (i >= m->both) {
        const size_t own = i - m->both;
        return m->network ? netmodel__both(x->bandwidth[own], x->bandwidth[own], x->duplex[own])
                          : netmodel__both(x->up[own], x->down[own], x->duplex[own]);
    }
    if (m->network) return x->bandwidth[i / 2];
    return i < x->nodes ? x->up[i] : x->down[i - x->nodes];
}

/* Sums the weights of the growing transfers of a capacity and drops the others from its list. Subtracting alone would
 * leave only rounding errors where a heavy transfer stops and light ones go on. */
static void netmodel__filling_sum(netmodel__filling *m, size_t i)
{
    netmodel_maxmin_link *link = &m->link[i];
    double sum = 0;
    size_t kept = link->first;
    for (size_t at = link->first; at < link->end; ++at) {
        const size_t flow = m->list[at];
        if (!(m->rate[flow] < 0)) continue;
        sum += netmodel__filling_weight(m, flow);
        m->list[kept++] = flow;
    }
    link->end = kept;
    link->sum = link->fresh = sum;
}

/* The level at which a capacity is full; rounding must not put it below the level reached. */
static double netmodel__filling_level(const netmodel__filling *m, const netmodel_maxmin_link *link)
{
    if (!(link->sum > 0)) return HUGE_VAL;
    const double level = link->left / link->sum;
    return level > m->level ? level : m->level;
}

/* The leaves from left to right: those of the lowest row, then those of the row above it. */
static double *netmodel__filling_node(const netmodel__filling *m, size_t node)
{
    return &m->link[node / 2].low[node % 2];
}

static size_t netmodel__filling_leaf(const netmodel__filling *m, size_t i)
{
    return i < 2 * m->all - m->deepest ? m->deepest + i : m->deepest + i - m->all;
}

/* Sets the level of a capacity, and of the nodes above it that change. */
static void netmodel__filling_set(const netmodel__filling *m, size_t i, double level)
{
    for (size_t node = netmodel__filling_leaf(m, i); node > 0; node /= 2) {
        double *old = netmodel__filling_node(m, node);
        if (!(*old < level || *old > level)) return;
        *old = level;
        level = netmodel__smaller(m->link[node / 2].low[0], m->link[node / 2].low[1]);
    }
}

/* A capacity loses a transfer. */
static void netmodel__filling_take(netmodel__filling *m, size_t i, double weight, double rate)
{
    netmodel_maxmin_link *link = &m->link[i];
    if (link->state == NETMODEL__FULL) return;
    link->left -= rate;
    link->sum -= weight;
    if (m->flows->weight && !(link->sum > 0.5 * link->fresh)) netmodel__filling_sum(m, i);
    if (link->state == NETMODEL__TOUCHED) return;
    link->state = NETMODEL__TOUCHED;
    m->link[m->all - ++m->touched].growing = i;
}

/* A transfer stops growing, and all capacities on its way lose it. */
static void netmodel__filling_stop(netmodel__filling *m, size_t flow, double rate)
{
    const double weight = netmodel__filling_weight(m, flow);
    m->rate[flow] = rate;
    for (size_t k = 0, channel; netmodel__filling_channel(m, flow, k, &channel); ++k) {
        netmodel__filling_take(m, channel, weight, rate);
        if (m->flows->duplex) netmodel__filling_take(m, netmodel__filling_both(m, channel), weight, rate);
    }
    if (m->flows->cap) netmodel__filling_take(m, m->caps + flow, weight, rate);
}

/* A capacity is full: its transfers stop growing. */
static void netmodel__filling_fill(netmodel__filling *m, size_t i)
{
    const double *cap = m->flows->cap;
    if (i >= m->caps) {
        if (m->rate[i - m->caps] < 0) netmodel__filling_stop(m, i - m->caps, cap[i - m->caps]);
        return;
    }
    for (size_t at = m->link[i].first; at < m->link[i].end; ++at) {
        const size_t flow = m->list[at];
        if (!(m->rate[flow] < 0)) continue;
        const double rate = netmodel__times(netmodel__filling_weight(m, flow), m->level);
        netmodel__filling_stop(m, flow, cap ? netmodel__smaller(rate, cap[flow]) : rate);
    }
}

/* Lists the capacities that are full, in ascending order, and returns their number. All are found before the first is
 * filled: its rounding must not split one round into several. */
static size_t netmodel__filling_full(netmodel__filling *m)
{
    size_t full = 0;
    for (size_t node = 1; node > 0;) {
        const bool low = *netmodel__filling_node(m, node) <= m->level;
        if (low && node < m->all) {
            node *= 2;
            continue;
        }
        if (low) m->link[full++].growing = node >= m->deepest ? node - m->deepest : node + m->all - m->deepest;
        while (node % 2 == 1) node /= 2;
        if (node > 0) ++node;
    }
    for (size_t k = 0; k < full; ++k) {
        m->link[m->link[k].growing].state = NETMODEL__FULL;
        netmodel__filling_set(m, m->link[k].growing, HUGE_VAL);
    }
    return full;
}

/* Lists the transfers of each capacity, sums their weights, and plants the tree. */
static void netmodel__filling_plant(netmodel__filling *m)
{
    netmodel_maxmin_link *link = m->link;
    size_t end = 0, channel;
    for (size_t i = 0; i < m->all; ++i) {
        link[i].left = netmodel__filling_capacity(m, i);
        link[i].first = 0;
        link[i].state = NETMODEL__QUIET;
    }
    for (size_t i = 0; i < m->flows->flows; ++i)
        for (size_t k = 0; netmodel__filling_channel(m, i, k, &channel); ++k) {
            ++link[channel].first;
            if (m->flows->duplex) ++link[netmodel__filling_both(m, channel)].first;
        }
    for (size_t i = 0; i < m->caps; ++i) {
        const size_t count = link[i].first;
        link[i].sum = (double)count;
        link[i].first = link[i].end = end;
        end += count;
    }
    for (size_t i = 0; i < m->flows->flows; ++i) {
        m->rate[i] = -1;
        for (size_t k = 0; netmodel__filling_channel(m, i, k, &channel); ++k) {
            m->list[link[channel].end++] = i;
            if (m->flows->duplex) m->list[link[netmodel__filling_both(m, channel)].end++] = i;
        }
    }
    for (size_t i = 0; m->flows->weight && i < m->caps; ++i) netmodel__filling_sum(m, i);
    for (size_t i = m->caps; i < m->all; ++i) {
        link[i].first = link[i].end = 0;
        link[i].sum = link[i].fresh = netmodel__filling_weight(m, i - m->caps);
    }
    if (m->all > 0) link[0].low[0] = HUGE_VAL; /* node 0 stands for nothing */
    m->deepest = 1;
    while (m->deepest < m->all) m->deepest *= 2;
    for (size_t i = 0; i < m->all; ++i)
        *netmodel__filling_node(m, netmodel__filling_leaf(m, i)) = netmodel__filling_level(m, &link[i]);
    for (size_t i = m->all; i-- > 1;) *netmodel__filling_node(m, i) = netmodel__smaller(link[i].low[0], link[i].low[1]);
}

/* Round after round, the level rises to where the next capacities are full. A sum is exactly 0 where nothing grows any
 * more: without weights it is a count, with weights it is summed again when it has become small. */
static void netmodel__filling_solve(const netmodel_flows *flows, bool network, netmodel_maxmin_link link[],
                                    size_t list[], double rate[])
{
    const size_t links = network ? flows->links : flows->nodes, caps = 2 * links + (flows->duplex ? links : 0);
    const size_t all = caps + (flows->cap ? flows->flows : 0);
    netmodel__filling m = { flows, link, list, rate, 0, 2 * links, caps, all, 0, 0, network };
    netmodel__filling_plant(&m);
    while (all > 0 && link[0].low[1] < HUGE_VAL) {
        m.level = link[0].low[1];
        m.touched = 0;
        const size_t full = netmodel__filling_full(&m);
        for (size_t k = 0; k < full; ++k) netmodel__filling_fill(&m, link[k].growing);
        for (size_t k = all - m.touched; k < all; ++k) {
            const size_t i = link[k].growing;
            link[i].state = NETMODEL__QUIET;
            netmodel__filling_set(&m, i, netmodel__filling_level(&m, &link[i]));
        }
    }
    for (size_t i = 0; i < flows->flows; ++i) /* nothing on its way is ever full */
        if (rate[i] < 0) rate[i] = flows->cap ? flows->cap[i] : HUGE_VAL;
}

/*=============================================================================
 * MARK: - >>maxmin (body)
 *===========================================================================*/
NETMODEL_API netmodel_result netmodel_maxmin_rates(const netmodel_flows *flows, netmodel_maxmin_link link[],
                                                   size_t next[], double rate[])
{
    if (!flows || (flows->flows > 0 && !rate)) return NETMODEL_MISSING;
    for (size_t i = 0; i < flows->flows; ++i) rate[i] = 0;
    const size_t nodes = flows->nodes, count = flows->flows;
    if ((nodes > 0 && !link) || (count > 0 && !next)) return NETMODEL_MISSING;
    netmodel_result result = netmodel__star_check(flows);
    if (result == NETMODEL_OK) result = netmodel__weights_check(flows);
    if (result == NETMODEL_OK && count > 0) netmodel__filling_solve(flows, false, link, next, rate);
    return result;
}

/*=============================================================================
 * MARK: - >>network (body)
 *===========================================================================*/
/* What is wrong with a network, but for routes that cross a link twice. */
static netmodel_result netmodel__network_check(const netmodel_flows *x)
{
    if ((x->links > 0 && !x->bandwidth) || (x->flows > 0 && !x->first)) return NETMODEL_MISSING;
    for (size_t i = 0; i < x->links; ++i)
        if (!(x->bandwidth[i] >= 0)) return NETMODEL_BAD_BANDWIDTH;
    netmodel_result result = netmodel__duplex_check(x->duplex, x->links);
    if (result == NETMODEL_OK) result = netmodel__weights_check(x);
    if (result == NETMODEL_OK) result = netmodel__caps_check(x);
    if (result != NETMODEL_OK) return result;
    for (size_t i = 0; i < x->flows; ++i)
        if (x->first[i + 1] < x->first[i]) return NETMODEL_FIRST_DECREASES;
    if (x->flows == 0 || x->first[0] == x->first[x->flows]) return NETMODEL_OK;
    if (!x->channel) return NETMODEL_MISSING;
    for (size_t at = x->first[0]; at < x->first[x->flows]; ++at)
        if (x->channel[at] / 2 >= x->links) return NETMODEL_UNKNOWN_LINK;
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_network_equal(const netmodel_flows *flows, double sum[], double rate[])
{
    if (!flows || (flows->flows > 0 && !rate)) return NETMODEL_MISSING;
    for (size_t i = 0; i < flows->flows; ++i) rate[i] = 0;
    if (flows->links > 0 && !sum) return NETMODEL_MISSING;
    const netmodel_result result = netmodel__network_check(flows);
    if (result != NETMODEL_OK) return result;

    const size_t links = flows->links, *first = flows->first, *channel = flows->channel;
    double *both = links > 0 ? sum + 2 * links : NULL; /* at first the last flow that has crossed the link, from 1 */
    for (size_t i = 0; i < 3 * links; ++i) sum[i] = 0;
    for (size_t i = 0; i < flows->flows; ++i)
        for (size_t at = first[i]; at < first[i + 1]; ++at) {
            if (both[channel[at] / 2] > (double)i) return NETMODEL_LINK_TWICE;
            both[channel[at] / 2] = (double)i + 1;
        }
    for (size_t i = 0; i < links; ++i) both[i] = 0;
    for (size_t i = 0; i < flows->flows; ++i)
        for (size_t at = first[i]; at < first[i + 1]; ++at) {
            const double weight = flows->weight ? flows->weight[i] : 1;
            sum[channel[at]] += weight;
            both[channel[at] / 2] += weight;
        }
    for (size_t i = 0; i < flows->flows; ++i) {
        const double weight = flows->weight ? flows->weight[i] : 1;
        rate[i] = flows->cap ? flows->cap[i] : HUGE_VAL;
        for (size_t at = first[i]; at < first[i + 1]; ++at) {
            const size_t own = channel[at] / 2;
            const double bandwidth = flows->bandwidth[own];
            rate[i] = netmodel__smaller(rate[i], bandwidth / (sum[channel[at]] / weight));
            if (!flows->duplex) continue;
            const double together = netmodel__both(bandwidth, bandwidth, flows->duplex[own]);
            rate[i] = netmodel__smaller(rate[i], together / (both[own] / weight));
        }
    }
    return NETMODEL_OK;
}

NETMODEL_API netmodel_result netmodel_network_maxmin(const netmodel_flows *flows, netmodel_maxmin_link link[],
                                                     size_t next[], double rate[])
{
    if (!flows || (flows->flows > 0 && !rate)) return NETMODEL_MISSING;
    for (size_t i = 0; i < flows->flows; ++i) rate[i] = 0;
    netmodel_result result = netmodel__network_check(flows);
    if (result != NETMODEL_OK || flows->flows == 0) return result;
    const size_t *first = flows->first, *channel = flows->channel;
    if ((flows->links > 0 || flows->cap) && !link) return NETMODEL_MISSING;
    if (first[flows->flows] > first[0] && !next) return NETMODEL_MISSING;

    for (size_t i = 0; i < flows->links; ++i) link[i].first = 0; /* the last flow that has crossed the link, from 1 */
    for (size_t i = 0; i < flows->flows; ++i)
        for (size_t at = first[i]; at < first[i + 1]; ++at) {
            if (link[channel[at] / 2].first == i + 1) return NETMODEL_LINK_TWICE;
            link[channel[at] / 2].first = i + 1;
        }
    netmodel__filling_solve(flows, true, link, next, rate);
    return NETMODEL_OK;
}

NETMODEL_API double netmodel_window_rate(double window, double latency)
{
    return window > 0 && netmodel__amount(latency) ? window / (2 * latency) : NETMODEL__NAN;
}

/*=============================================================================
 * MARK: - >>topology (body)
 *===========================================================================*/
/* Numbers of hosts, switches and links stay below 2^30, so that no product of two overflows 64 bits, and a channel fits
 * into 31. A product that does not fit becomes 0, which is refused as well. */
static size_t netmodel__fitting(size_t a, size_t b)
{
    if (a > NETMODEL_TOPOLOGY_MOST || b > NETMODEL_TOPOLOGY_MOST) return 0;
    const uint64_t product = (uint64_t)a * b;
    return product <= NETMODEL_TOPOLOGY_MOST ? (size_t)product : 0;
}

static bool netmodel__zero_cable(const netmodel_cable *x)
{
    return x->bandwidth >= 0 && x->bandwidth <= 0 && x->latency >= 0 && x->latency <= 0 && x->duplex >= 0 &&
           x->duplex <= 0;
}

static bool netmodel__good_cable(const netmodel_cable *x)
{
    return x->bandwidth > 0 && netmodel__amount(x->latency) &&
           ((x->duplex >= 0 && x->duplex <= 0) || (x->duplex >= 1 && x->duplex <= 2));
}

/* The cable of an array that counts at an index: the last before it that is not zeroed. */
static const netmodel_cable *netmodel__cable_at(const netmodel_cable *cable, size_t index)
{
    while (index > 0 && netmodel__zero_cable(&cable[index])) --index;
    return &cable[index];
}

/* What follows from a shape. A node of level i of a fat tree is `low + below[i] * high`: low has one digit for each level
 * below, which counts parents, high has one for each level above, which counts children. */
typedef struct netmodel__layout {
    size_t hosts;                           /* 0: refused */
    size_t links;                           /* their number */
    size_t first[NETMODEL_TREE_LEVELS + 1]; /* fat tree: first link above each level; dragonfly: of each color */
    size_t nodes[NETMODEL_TREE_LEVELS + 1]; /* fat tree: hosts or switches of each level */
    size_t below[NETMODEL_TREE_LEVELS + 1]; /* fat tree: products of up */
    size_t ports[NETMODEL_TREE_LEVELS];     /* fat tree: of each node to the level above */
} netmodel__layout;

/* -- stars and clusters -- */

static netmodel_result netmodel__star_size(const netmodel_star_shape *x, netmodel__layout *layout)
{
    if (x->hosts == 0) return NETMODEL_BAD_SIZE;
    if (x->hosts >= NETMODEL_TOPOLOGY_MOST) return NETMODEL_TOO_LARGE;
    layout->hosts = x->hosts;
    layout->links = x->hosts + (netmodel__zero_cable(&x->backbone) ? 0 : 1);
    return NETMODEL_OK;
}

/* Numbers of links from each cluster to one of them, by way of the joints; SIZE_MAX where there is no way. */
static void netmodel__clusters_distances(const netmodel_clusters_shape *x, size_t to,
                                         size_t distance[NETMODEL_JOINED_CLUSTERS])
{
    for (size_t i = 0; i < NETMODEL_JOINED_CLUSTERS; ++i) distance[i] = NETMODEL_NO_ROUTE;
    distance[to] = 0;
    for (size_t far = 0; far < x->count; ++far)
        for (size_t j = 0; j < x->joints; ++j) {
            const size_t a = x->joint[j].from, b = x->joint[j].to;
            if (distance[a] == far && distance[b] > far + 1) distance[b] = far + 1;
            if (distance[b] == far && distance[a] > far + 1) distance[a] = far + 1;
        }
}

static netmodel_result netmodel__clusters_size(const netmodel_clusters_shape *x, netmodel__layout *layout,
                                               size_t *where)
{
    size_t hosts = 0, distance[NETMODEL_JOINED_CLUSTERS];
    if (x->count == 0 || x->count > NETMODEL_JOINED_CLUSTERS) return NETMODEL_BAD_CLUSTERS;
    for (size_t i = 0; i < x->count; ++i) {
        if (x->cluster[i].hosts == 0) return netmodel__refuse(NETMODEL_BAD_SIZE, i, where);
        if (x->cluster[i].hosts > NETMODEL_TOPOLOGY_MOST / 16) return netmodel__refuse(NETMODEL_TOO_LARGE, i, where);
        hosts += x->cluster[i].hosts;
    }
    if (x->joints > NETMODEL_JOINTS) return NETMODEL_BAD_JOINT;
    for (size_t j = 0; j < x->joints; ++j)
        if (x->joint[j].from >= x->count || x->joint[j].to >= x->count || x->joint[j].from == x->joint[j].to)
            return netmodel__refuse(NETMODEL_BAD_JOINT, j, where);
    if (x->joints > 0) {
        netmodel__clusters_distances(x, 0, distance);
        for (size_t i = 0; i < x->count; ++i)
            if (distance[i] == NETMODEL_NO_ROUTE) return netmodel__refuse(NETMODEL_NOT_JOINED, i, where);
    }
    layout->hosts = hosts;
    layout->links = hosts + (x->joints > 0 ? x->joints : x->count + (netmodel__zero_cable(&x->backbone) ? 0 : 1));
    return NETMODEL_OK;
}

/* The cluster of a host, whose number becomes that within the cluster. */
static size_t netmodel__cluster_of(const netmodel_clusters_shape *x, size_t *host)
{
    size_t cluster = 0;
    while (*host >= x->cluster[cluster].hosts) *host -= x->cluster[cluster++].hosts;
    return cluster;
}

/* The clusters between two that joints connect, both included. It is found from the lower number, so that there and
 * back are the same way. */
static size_t netmodel__clusters_way(const netmodel_clusters_shape *x, size_t from, size_t to,
                                     size_t way[NETMODEL_JOINED_CLUSTERS])
{
    size_t distance[NETMODEL_JOINED_CLUSTERS], at = from < to ? from : to, count;
    netmodel__clusters_distances(x, from < to ? to : from, distance);
    count = distance[at] + 1;
    for (size_t step = 0; step < count; ++step) {
        size_t next = NETMODEL_JOINED_CLUSTERS;
        way[from < to ? step : count - 1 - step] = at;
        for (size_t j = 0; j < x->joints; ++j) {
            const size_t a = x->joint[j].from, b = x->joint[j].to, other = a == at ? b : a;
            if ((a == at || b == at) && distance[other] + 1 == distance[at] && other < next) next = other;
        }
        at = next;
    }
    return count;
}

static bool netmodel__joins(const netmodel_joint *joint, size_t a, size_t b)
{
    return (joint->from == a && joint->to == b) || (joint->from == b && joint->to == a);
}

/* The channel between two neighboring clusters for a receiver with this number in its cluster. */
static size_t netmodel__joint_channel(const netmodel_clusters_shape *x, size_t from, size_t to, size_t receiver)
{
    size_t parallel = 0, chosen = 0;
    for (size_t j = 0; j < x->joints; ++j) parallel += netmodel__joins(&x->joint[j], from, to) ? 1u : 0u;
    for (size_t others = parallel > 0 ? receiver % parallel : 0;
         !netmodel__joins(&x->joint[chosen], from, to) || others-- > 0;)
        ++chosen;
    return 2 * chosen + (x->joint[chosen].from == from ? 0 : 1);
}

/* Channels are collected where there is room; those that do not fit are only counted. */
typedef struct netmodel__route {
    size_t *channel;
    size_t room, count;
} netmodel__route;

static void netmodel__route_add(netmodel__route *route, size_t channel)
{
    if (route->count < route->room) route->channel[route->count] = channel;
    ++route->count;
}

static void netmodel__star_route(const netmodel_star_shape *x, size_t from, size_t to, netmodel__route *route)
{
    netmodel__route_add(route, 2 * from);
    if (!netmodel__zero_cable(&x->backbone)) netmodel__route_add(route, 2 * x->hosts);
    netmodel__route_add(route, 2 * to + 1);
}

static void netmodel__clusters_route(const netmodel_clusters_shape *x, size_t hosts, size_t from, size_t to,
                                     netmodel__route *route)
{
    size_t sender = from, receiver = to, way[NETMODEL_JOINED_CLUSTERS];
    const size_t a = netmodel__cluster_of(x, &sender), b = netmodel__cluster_of(x, &receiver);
    netmodel__route_add(route, 2 * from);
    if (a != b && x->joints == 0) {
        netmodel__route_add(route, 2 * (hosts + a));
        if (!netmodel__zero_cable(&x->backbone)) netmodel__route_add(route, 2 * (hosts + x->count));
        netmodel__route_add(route, 2 * (hosts + b) + 1);
    } else if (a != b) {
        const size_t count = netmodel__clusters_way(x, a, b, way);
        for (size_t i = 1; i < count; ++i)
            netmodel__route_add(route, 2 * hosts + netmodel__joint_channel(x, way[i - 1], way[i], receiver));
    }
    netmodel__route_add(route, 2 * to + 1);
}

/* -- fat trees -- */

static size_t netmodel__tree_count(const netmodel_tree_shape *x, size_t level)
{
    return x->count[level] > 0 ? x->count[level] : 1;
}

static netmodel_result netmodel__tree_size(const netmodel_tree_shape *x, netmodel__layout *tree, size_t *where)
{
    size_t above[NETMODEL_TREE_LEVELS + 1]; /* products of down from the top */
    if (x->levels == 0 || x->levels > NETMODEL_TREE_LEVELS) return NETMODEL_BAD_LEVELS;
    for (size_t i = 0; i < x->levels; ++i)
        if (x->down[i] == 0 || x->up[i] == 0) return netmodel__refuse(NETMODEL_BAD_SIZE, i, where);
    above[x->levels] = 1;
    for (size_t i = x->levels; i-- > 0;) {
        above[i] = netmodel__fitting(above[i + 1], x->down[i]);
        if (above[i] == 0) return netmodel__refuse(NETMODEL_TOO_LARGE, i, where);
    }
    tree->below[0] = 1;
    tree->first[0] = 0;
    tree->nodes[0] = above[0];
    for (size_t i = 0; i < x->levels; ++i) {
        tree->ports[i] = netmodel__fitting(x->up[i], netmodel__tree_count(x, i));
        tree->below[i + 1] = netmodel__fitting(tree->below[i], x->up[i]);
        tree->nodes[i + 1] = netmodel__fitting(tree->below[i + 1], above[i + 1]);
        const size_t links = netmodel__fitting(tree->nodes[i], tree->ports[i]);
        if (links == 0 || tree->first[i] + links > NETMODEL_TOPOLOGY_MOST) /* not fewer than switches above */
            return netmodel__refuse(NETMODEL_TOO_LARGE, i, where);
        tree->first[i + 1] = tree->first[i] + links;
    }
    tree->hosts = tree->nodes[0];
    tree->links = tree->first[x->levels];
    return NETMODEL_OK;
}

/* Up while the two are in different subtrees, choosing the port by the receiver; then down, where only the cable is left
 * to choose. SimGrid looks through the ports of a switch, child by child and then cable by cable, and having found one
 * goes on with the next port of the next switch: `next`. */
static void netmodel__tree_route(const netmodel_tree_shape *x, const netmodel__layout *tree, size_t from, size_t to,
                                 netmodel__route *route)
{
    size_t low[NETMODEL_TREE_LEVELS + 1], high[NETMODEL_TREE_LEVELS + 1], parent[NETMODEL_TREE_LEVELS] = { 0 };
    size_t own = from, choice = to, level = 0;
    low[0] = 0;
    high[0] = to;
    for (; own != high[level]; ++level) {
        const size_t ports = tree->ports[level], port = choice % ports, node = low[level] + tree->below[level] * own;
        choice /= x->up[level];
        parent[level] = port % x->up[level];
        netmodel__route_add(route, 2 * (tree->first[level] + node * ports + port));
        low[level + 1] = low[level] + tree->below[level] * parent[level];
        own /= x->down[level];
        high[level + 1] = high[level] / x->down[level];
    }
    size_t next = NETMODEL_NO_ROUTE;
    while (level-- > 0) {
        const size_t child = high[level] % x->down[level], count = netmodel__tree_count(x, level);
        size_t cable = from % count;
        if (!x->by_sender && next <= child + x->down[level] * (count - 1))
            cable = next <= child ? 0 : (next - child + x->down[level] - 1) / x->down[level];
        next = child + x->down[level] * cable + 1;
        const size_t node = low[level] + tree->below[level] * high[level];
        const size_t port = parent[level] + x->up[level] * cable;
        netmodel__route_add(route, 2 * (tree->first[level] + node * tree->ports[level] + port) + 1);
    }
}

static void netmodel__tree_ends(const netmodel_tree_shape *x, const netmodel__layout *tree, size_t link,
                                netmodel_place end[2])
{
    size_t level = 0;
    while (link >= tree->first[level + 1]) ++level;
    const size_t index = link - tree->first[level], node = index / tree->ports[level];
    const size_t parent = index % tree->ports[level] % x->up[level], below = tree->below[level];
    end[0].level = level;
    end[0].number = node;
    end[1].level = level + 1;
    end[1].number = node % below + below * (parent + x->up[level] * (node / below / x->down[level]));
}

/* -- tori and meshes -- */

static bool netmodel__ring(const netmodel_topology *x, size_t dimension)
{
    return x->kind == NETMODEL_TOPOLOGY_TORUS && x->grid.size[dimension] > 2;
}

/* Links along a line of a dimension. */
static size_t netmodel__line_links(const netmodel_topology *x, size_t dimension)
{
    return x->grid.size[dimension] - (netmodel__ring(x, dimension) ? 0 : 1);
}

/* Links of one dimension: there are nodes / size lines, none if that is 0 or the lines have length 1. */
static size_t netmodel__dimension_links(const netmodel_topology *x, size_t nodes, size_t dimension)
{
    return nodes / x->grid.size[dimension] * netmodel__line_links(x, dimension);
}

static netmodel_result netmodel__grid_size(const netmodel_topology *x, netmodel__layout *layout, size_t *where)
{
    const netmodel_grid_shape *grid = &x->grid;
    size_t nodes = 1, links = 0;
    if (grid->dimensions == 0 || grid->dimensions > NETMODEL_GRID_DIMENSIONS) return NETMODEL_BAD_DIMENSIONS;
    for (size_t j = 0; j < grid->dimensions; ++j)
        if (grid->size[j] == 0) return netmodel__refuse(NETMODEL_BAD_SIZE, j, where);
    for (size_t j = 0; j < grid->dimensions; ++j) {
        nodes = netmodel__fitting(nodes, grid->size[j]);
        if (nodes == 0 || nodes > NETMODEL_TOPOLOGY_MOST / 8) return netmodel__refuse(NETMODEL_TOO_LARGE, j, where);
    }
    for (size_t j = 0; j < grid->dimensions; ++j) links += netmodel__dimension_links(x, nodes, j);
    layout->hosts = nodes;
    layout->links = links + (netmodel__zero_cable(&grid->host) ? 0 : nodes);
    return NETMODEL_OK;
}

/* Steps along a line, and whether they go up. Halfway round a ring it is up, but down from half to 0. */
static size_t netmodel__line_steps(const netmodel_topology *x, size_t dimension, size_t from, size_t to, bool *up)
{
    const size_t size = x->grid.size[dimension], ahead = from <= to ? to - from : to + size - from;
    *up = from < to;
    if (!netmodel__ring(x, dimension)) return *up ? to - from : from - to;
    *up = 2 * ahead < size || (2 * ahead == size && to != 0);
    return *up ? ahead : size - ahead;
}

static void netmodel__grid_route(const netmodel_topology *x, size_t nodes, size_t from, size_t to,
                                 netmodel__route *route)
{
    const netmodel_grid_shape *grid = &x->grid;
    const bool own = !netmodel__zero_cable(&grid->host);
    size_t first = own ? nodes : 0, stride = 1, high_from = from, high_to = to;
    if (own) netmodel__route_add(route, 2 * from);
    for (size_t j = 0; j < grid->dimensions; ++j) {
        const size_t size = grid->size[j], links = netmodel__line_links(x, j), goal = high_to % size;
        const size_t low = to % stride; /* the dimensions before have been crossed */
        size_t at = high_from % size;
        bool up;
        high_from /= size;
        high_to /= size;
        for (size_t steps = netmodel__line_steps(x, j, at, goal, &up); steps > 0; --steps) {
            const size_t next = up ? (at + 1 < size ? at + 1 : 0) : (at > 0 ? at : size) - 1;
            const size_t link = first + low + stride * ((up ? at : next) + links * high_from);
            netmodel__route_add(route, 2 * link + (up ? 0 : 1));
            at = next;
        }
        first += netmodel__dimension_links(x, nodes, j);
        stride *= size;
    }
    if (own) netmodel__route_add(route, 2 * to + 1);
}

/* -- dragonflies -- */

/* Colors of the links of a dragonfly, in the order of their numbers. */
enum { NETMODEL__WHITE, NETMODEL__GREEN, NETMODEL__BLACK, NETMODEL__BLUE, NETMODEL__COLORS };

static size_t netmodel__pairs(size_t n)
{
    return n * (n - 1) / 2;
}

/* The number of a pair among those of n, ordered by the lower, then the higher. */
static size_t netmodel__pair(size_t n, size_t a, size_t b)
{
    const size_t low = a < b ? a : b, high = a < b ? b : a;
    return low * (2 * n - low - 1) / 2 + high - low - 1;
}

/* Cables that are links of their own between two routers. */
static size_t netmodel__dragonfly_count(const netmodel_dragonfly_shape *x, size_t color)
{
    const size_t count = color == NETMODEL__GREEN   ? x->green
                         : color == NETMODEL__BLACK ? x->black
                         : color == NETMODEL__BLUE  ? x->blue
                                                    : 1;
    return x->separate && count > 0 ? count : 1;
}

static netmodel_result netmodel__dragonfly_size(const netmodel_dragonfly_shape *x, netmodel__layout *layout)
{
    const size_t widest = 32768; /* its pairs fit */
    if (x->groups == 0 || x->chassis == 0 || x->blades == 0 || x->nodes == 0) return NETMODEL_BAD_SIZE;
    if (x->groups > widest || x->chassis > widest || x->blades > widest) return NETMODEL_TOO_LARGE;
    const size_t group = netmodel__fitting(x->chassis, x->blades), routers = netmodel__fitting(x->groups, group);
    const size_t hosts = netmodel__fitting(routers, x->nodes);
    const size_t pairs[NETMODEL__COLORS] = { 1, netmodel__pairs(x->blades), netmodel__pairs(x->chassis),
                                             netmodel__pairs(x->groups) };
    const size_t times[NETMODEL__COLORS] = { hosts, x->groups * x->chassis, x->groups * x->blades, 1 };
    if (hosts == 0) return NETMODEL_TOO_LARGE;
    if (x->groups > group) return NETMODEL_TOO_MANY_GROUPS;
    layout->first[NETMODEL__WHITE] = 0;
    for (size_t color = 0; color < NETMODEL__COLORS; ++color) {
        size_t links = netmodel__fitting(netmodel__dragonfly_count(x, color), times[color]);
        if (links > 0 && pairs[color] > 0) links = netmodel__fitting(links, pairs[color]);
        if (links == 0 || layout->first[color] + links > NETMODEL_TOPOLOGY_MOST) return NETMODEL_TOO_LARGE;
        layout->first[color + 1] = layout->first[color] + (pairs[color] > 0 ? links : 0);
    }
    layout->hosts = hosts;
    layout->links = layout->first[NETMODEL__COLORS];
    return NETMODEL_OK;
}

/* Crosses a link of a color: `line` is the number of the chassis, of the group and blade, or 0. */
static void netmodel__dragonfly_cross(const netmodel_dragonfly_shape *x, const netmodel__layout *layout, size_t color,
                                      size_t link, bool back, size_t to, netmodel__route *route)
{
    const size_t count = netmodel__dragonfly_count(x, color);
    netmodel__route_add(route, 2 * (layout->first[color] + link * count + to % count) + (back ? 1 : 0));
}

/* Within a group, from one router to another. */
static void netmodel__dragonfly_group(const netmodel_dragonfly_shape *x, const netmodel__layout *layout, size_t group,
                                      size_t from, size_t goal, size_t to, netmodel__route *route)
{
    const size_t chassis = from / x->blades, blade = from % x->blades;
    const size_t other = goal / x->blades, place = goal % x->blades;
    if (blade != place)
        netmodel__dragonfly_cross(x, layout, NETMODEL__GREEN,
                                  (group * x->chassis + chassis) * netmodel__pairs(x->blades) +
                                      netmodel__pair(x->blades, blade, place),
                                  blade > place, to, route);
    if (chassis != other)
        netmodel__dragonfly_cross(
            x, layout, NETMODEL__BLACK,
            (group * netmodel__pairs(x->chassis) + netmodel__pair(x->chassis, chassis, other)) * x->blades + place,
            chassis > other, to, route);
}

static void netmodel__dragonfly_route(const netmodel_dragonfly_shape *x, const netmodel__layout *layout, size_t from,
                                      size_t to, netmodel__route *route)
{
    const size_t size = x->chassis * x->blades, sender = from / x->nodes, receiver = to / x->nodes;
    const size_t group = sender / size, other = receiver / size;
    netmodel__route_add(route, 2 * from);
    if (group == other) {
        netmodel__dragonfly_group(x, layout, group, sender % size, receiver % size, to, route);
    } else {
        netmodel__dragonfly_group(x, layout, group, sender % size, other, to, route);
        netmodel__dragonfly_cross(x, layout, NETMODEL__BLUE, netmodel__pair(x->groups, group, other), group > other, to,
                                  route);
        netmodel__dragonfly_group(x, layout, other, group, receiver % size, to, route);
    }
    netmodel__route_add(route, 2 * to + 1);
}

/* -- all of them -- */

/* Its numbers of hosts and links; 0 if its shape is refused. Cables are not looked at. */
static netmodel_result netmodel__topology_layout(const netmodel_topology *x, netmodel__layout *layout, size_t *where)
{
    layout->hosts = layout->links = 0;
    if (!x) return NETMODEL_MISSING;
    switch (x->kind) {
    case NETMODEL_TOPOLOGY_STAR: return netmodel__star_size(&x->star, layout);
    case NETMODEL_TOPOLOGY_CLUSTERS: return netmodel__clusters_size(&x->clusters, layout, where);
    case NETMODEL_TOPOLOGY_FAT_TREE: return netmodel__tree_size(&x->tree, layout, where);
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH: return netmodel__grid_size(x, layout, where);
    case NETMODEL_TOPOLOGY_DRAGONFLY: return netmodel__dragonfly_size(&x->dragonfly, layout);
    }
    return NETMODEL_BAD_OPTION;
}

/* The first bad cable of an array in which a zeroed one is the same as the one before. */
static netmodel_result netmodel__cables_check(const netmodel_cable *cable, size_t count, size_t *where)
{
    for (size_t i = 0; i < count; ++i)
        if (!netmodel__good_cable(netmodel__cable_at(cable, i))) return netmodel__refuse(NETMODEL_BAD_CABLE, i, where);
    return NETMODEL_OK;
}

/* A cable that may be missing. */
static bool netmodel__zero_or_good_cable(const netmodel_cable *x)
{
    return netmodel__zero_cable(x) || netmodel__good_cable(x);
}

/* Cables of clusters: those of their hosts, their up links and their joints are three rows. */
static const netmodel_cable *netmodel__cluster_cable(const netmodel_clusters_shape *x, size_t i)
{
    size_t last = 0;
    for (size_t k = 1; k <= i; ++k) last = netmodel__zero_cable(&x->cluster[k].cable) ? last : k;
    return &x->cluster[last].cable;
}

static const netmodel_cable *netmodel__cluster_up(const netmodel_clusters_shape *x, size_t i)
{
    size_t last = 0;
    for (size_t k = 1; k <= i; ++k) last = netmodel__zero_cable(&x->cluster[k].up) ? last : k;
    return &x->cluster[last].up;
}

static const netmodel_cable *netmodel__joint_cable(const netmodel_clusters_shape *x, size_t j)
{
    size_t last = 0;
    for (size_t k = 1; k <= j; ++k) last = netmodel__zero_cable(&x->joint[k].cable) ? last : k;
    return &x->joint[last].cable;
}

static netmodel_result netmodel__clusters_check(const netmodel_clusters_shape *x, size_t *where)
{
    for (size_t i = 0; i < x->count; ++i)
        if (!netmodel__good_cable(netmodel__cluster_cable(x, i)) ||
            (x->joints == 0 && !netmodel__good_cable(netmodel__cluster_up(x, i)) &&
             (x->count > 1 || !netmodel__zero_cable(&x->cluster[0].up))))
            return netmodel__refuse(NETMODEL_BAD_CABLE, i, where);
    for (size_t j = 0; j < x->joints; ++j)
        if (!netmodel__good_cable(netmodel__joint_cable(x, j))) return netmodel__refuse(NETMODEL_BAD_CABLE, j, where);
    return x->joints > 0 || netmodel__zero_or_good_cable(&x->backbone) ? NETMODEL_OK : NETMODEL_BAD_CABLE;
}

static void netmodel__dragonfly_cables(const netmodel_dragonfly_shape *x, netmodel_cable cable[NETMODEL__COLORS])
{
    cable[NETMODEL__WHITE] = x->host_cable;
    cable[NETMODEL__GREEN] = x->green_cable;
    cable[NETMODEL__BLACK] = x->black_cable;
    cable[NETMODEL__BLUE] = x->blue_cable;
}

static netmodel_result netmodel__topology_check(const netmodel_topology *topology, netmodel__layout *layout,
                                                size_t *where)
{
    netmodel_cable cable[NETMODEL__COLORS];
    netmodel_result result = netmodel__topology_layout(topology, layout, where);
    if (result != NETMODEL_OK) return result;
    switch (topology->kind) {
    case NETMODEL_TOPOLOGY_STAR:
        return netmodel__good_cable(&topology->star.cable) && netmodel__zero_or_good_cable(&topology->star.backbone)
                   ? NETMODEL_OK
                   : NETMODEL_BAD_CABLE;
    case NETMODEL_TOPOLOGY_CLUSTERS: return netmodel__clusters_check(&topology->clusters, where);
    case NETMODEL_TOPOLOGY_FAT_TREE: return netmodel__cables_check(topology->tree.cable, topology->tree.levels, where);
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH:
        result = netmodel__cables_check(topology->grid.cable, topology->grid.dimensions, where);
        return result != NETMODEL_OK || netmodel__zero_or_good_cable(&topology->grid.host) ? result
                                                                                           : NETMODEL_BAD_CABLE;
    case NETMODEL_TOPOLOGY_DRAGONFLY:
        netmodel__dragonfly_cables(&topology->dragonfly, cable);
        return netmodel__cables_check(cable, NETMODEL__COLORS, where);
    }
    return NETMODEL_BAD_OPTION;
}

NETMODEL_API netmodel_result netmodel_topology_check(const netmodel_topology *topology, size_t *where)
{
    netmodel__layout layout;
    if (where) *where = 0;
    return netmodel__topology_check(topology, &layout, where);
}

NETMODEL_API size_t netmodel_topology_hosts(const netmodel_topology *topology)
{
    netmodel__layout layout;
    return netmodel__topology_layout(topology, &layout, NULL) == NETMODEL_OK ? layout.hosts : 0;
}

NETMODEL_API size_t netmodel_topology_links(const netmodel_topology *topology)
{
    netmodel__layout layout;
    return netmodel__topology_layout(topology, &layout, NULL) == NETMODEL_OK ? layout.links : 0;
}

NETMODEL_API size_t netmodel_topology_places(const netmodel_topology *topology, size_t level)
{
    netmodel__layout layout;
    if (netmodel__topology_layout(topology, &layout, NULL) != NETMODEL_OK) return 0;
    if (level == 0) return layout.hosts;
    switch (topology->kind) {
    case NETMODEL_TOPOLOGY_STAR: return level == 1 ? 1 : 0;
    case NETMODEL_TOPOLOGY_CLUSTERS:
        if (level == 1) return topology->clusters.count;
        return level == 2 && topology->clusters.joints == 0 ? 1 : 0;
    case NETMODEL_TOPOLOGY_FAT_TREE: return level <= topology->tree.levels ? layout.nodes[level] : 0;
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH: return level == 1 && !netmodel__zero_cable(&topology->grid.host) ? layout.hosts : 0;
    case NETMODEL_TOPOLOGY_DRAGONFLY: return level == 1 ? layout.hosts / topology->dragonfly.nodes : 0;
    }
    return 0;
}

/* Counts the whole route, and writes what fits. */
static size_t netmodel__topology_route(const netmodel_topology *x, size_t from, size_t to, size_t channel[],
                                       size_t room)
{
    netmodel__layout layout;
    netmodel__route route;
    route.channel = channel;
    route.room = room;
    route.count = 0;
    if (netmodel__topology_layout(x, &layout, NULL) != NETMODEL_OK) return NETMODEL_NO_ROUTE;
    if (from >= layout.hosts || to >= layout.hosts) return NETMODEL_NO_ROUTE;
    if (from == to) return 0;
    switch (x->kind) {
    case NETMODEL_TOPOLOGY_STAR: netmodel__star_route(&x->star, from, to, &route); break;
    case NETMODEL_TOPOLOGY_CLUSTERS: netmodel__clusters_route(&x->clusters, layout.hosts, from, to, &route); break;
    case NETMODEL_TOPOLOGY_FAT_TREE: netmodel__tree_route(&x->tree, &layout, from, to, &route); break;
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH: netmodel__grid_route(x, layout.hosts, from, to, &route); break;
    case NETMODEL_TOPOLOGY_DRAGONFLY: netmodel__dragonfly_route(&x->dragonfly, &layout, from, to, &route); break;
    }
    return route.count;
}

NETMODEL_API size_t netmodel_topology_route(const netmodel_topology *topology, size_t from, size_t to, size_t channel[],
                                            size_t room)
{
    const size_t most = channel ? room : 0, count = netmodel__topology_route(topology, from, to, channel, most);
    return count <= most ? count : NETMODEL_NO_ROUTE;
}

NETMODEL_API size_t netmodel_topology_hops(const netmodel_topology *topology, size_t from, size_t to)
{
    return netmodel__topology_route(topology, from, to, NULL, 0);
}

static size_t netmodel__clusters_hops_max(const netmodel_clusters_shape *x)
{
    size_t longest = 0, distance[NETMODEL_JOINED_CLUSTERS];
    if (x->joints == 0) return x->count == 1 ? 2 : netmodel__zero_cable(&x->backbone) ? 4 : 5;
    for (size_t i = 0; i < x->count; ++i) {
        netmodel__clusters_distances(x, i, distance);
        for (size_t k = 0; k < x->count; ++k)
            if (distance[k] > longest) longest = distance[k];
    }
    return longest + 2;
}

NETMODEL_API size_t netmodel_topology_hops_max(const netmodel_topology *topology)
{
    netmodel__layout layout;
    size_t most = 0;
    if (netmodel__topology_layout(topology, &layout, NULL) != NETMODEL_OK || layout.hosts == 1) return 0;
    switch (topology->kind) {
    case NETMODEL_TOPOLOGY_STAR: return netmodel__zero_cable(&topology->star.backbone) ? 2 : 3;
    case NETMODEL_TOPOLOGY_CLUSTERS: return netmodel__clusters_hops_max(&topology->clusters);
    case NETMODEL_TOPOLOGY_FAT_TREE:
        for (size_t i = 0; i < topology->tree.levels; ++i)
            if (topology->tree.down[i] > 1) most = 2 * (i + 1);
        return most;
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH:
        for (size_t j = 0; j < topology->grid.dimensions; ++j)
            most += netmodel__ring(topology, j) ? topology->grid.size[j] / 2 : topology->grid.size[j] - 1;
        return most + (netmodel__zero_cable(&topology->grid.host) ? 0 : 2);
    case NETMODEL_TOPOLOGY_DRAGONFLY:
        most = (topology->dragonfly.blades > 1 ? 1u : 0u) + (topology->dragonfly.chassis > 1 ? 1u : 0u);
        return topology->dragonfly.groups > 1 ? 3 + 2 * most : 2 + most;
    }
    return 0;
}

static void netmodel__grid_link(const netmodel_topology *x, size_t nodes, size_t link, netmodel_cable *cable,
                                netmodel_place end[2])
{
    size_t dimension = 0, stride = 1;
    const bool own = !netmodel__zero_cable(&x->grid.host);
    if (own && link < nodes) {
        *cable = x->grid.host;
        end[0].number = end[1].number = link;
        end[1].level = 1;
        return;
    }
    if (own) link -= nodes;
    while (link >= netmodel__dimension_links(x, nodes, dimension)) {
        link -= netmodel__dimension_links(x, nodes, dimension);
        stride *= x->grid.size[dimension++];
    }
    const size_t size = x->grid.size[dimension], links = netmodel__line_links(x, dimension),
                 line = link / stride / links;
    const size_t at = link / stride % links, next = at + 1 < size ? at + 1 : 0;
    *cable = *netmodel__cable_at(x->grid.cable, dimension);
    end[0].number = link % stride + stride * (at + size * line);
    end[1].number = link % stride + stride * (next + size * line);
    end[0].level = end[1].level = own ? 1 : 0;
}

/* The pair with this number; see netmodel__pair(). */
static void netmodel__pair_of(size_t n, size_t pair, size_t *low, size_t *high)
{
    *low = 0;
    while (pair >= n - 1 - *low) pair -= n - 1 - (*low)++;
    *high = *low + 1 + pair;
}

static void netmodel__dragonfly_link(const netmodel_dragonfly_shape *x, const netmodel__layout *layout, size_t link,
                                     netmodel_cable *cable, netmodel_place end[2])
{
    netmodel_cable cables[NETMODEL__COLORS];
    const size_t parallel[NETMODEL__COLORS] = { 1, x->green, x->black, x->blue }, group = x->chassis * x->blades;
    size_t color = 0, low, high;
    while (link >= layout->first[color + 1]) ++color;
    link = (link - layout->first[color]) / netmodel__dragonfly_count(x, color);
    netmodel__dragonfly_cables(x, cables);
    *cable = *netmodel__cable_at(cables, color);
    if (!x->separate && parallel[color] > 1) cable->bandwidth *= (double)parallel[color];
    end[0].level = color == NETMODEL__WHITE ? 0 : 1;
    end[1].level = 1;
    if (color == NETMODEL__WHITE) {
        end[0].number = link;
        end[1].number = link / x->nodes;
    } else if (color == NETMODEL__GREEN) {
        const size_t first = link / netmodel__pairs(x->blades) * x->blades;
        netmodel__pair_of(x->blades, link % netmodel__pairs(x->blades), &low, &high);
        end[0].number = first + low;
        end[1].number = first + high;
    } else if (color == NETMODEL__BLACK) {
        const size_t pair = link / x->blades, first = pair / netmodel__pairs(x->chassis) * group + link % x->blades;
        netmodel__pair_of(x->chassis, pair % netmodel__pairs(x->chassis), &low, &high);
        end[0].number = first + low * x->blades;
        end[1].number = first + high * x->blades;
    } else {
        netmodel__pair_of(x->groups, link, &low, &high);
        end[0].number = low * group + high;
        end[1].number = high * group + low;
    }
}

static void netmodel__clusters_link(const netmodel_clusters_shape *x, size_t hosts, size_t link, netmodel_cable *cable,
                                    netmodel_place end[2])
{
    if (link < hosts) {
        end[0].number = link;
        end[1].level = 1;
        end[1].number = netmodel__cluster_of(x, &link);
        *cable = *netmodel__cluster_cable(x, end[1].number);
        return;
    }
    link -= hosts;
    if (x->joints > 0) {
        end[0].level = end[1].level = 1;
        end[0].number = x->joint[link].from;
        end[1].number = x->joint[link].to;
        *cable = *netmodel__joint_cable(x, link);
    } else {
        end[0].level = link < x->count ? 1 : 2;
        end[0].number = link < x->count ? link : 0;
        end[1].level = 2;
        *cable = link < x->count ? *netmodel__cluster_up(x, link) : x->backbone;
        if (x->count == 1 && netmodel__zero_cable(cable))
            cable->bandwidth = HUGE_VAL; /* an up link that nobody needs */
    }
}

/* The cable and the ends of a link; false if there is no such link. */
static bool netmodel__topology_link(const netmodel_topology *x, size_t link, netmodel_cable *cable,
                                    netmodel_place end[2])
{
    netmodel__layout layout;
    end[0].level = end[0].number = end[1].level = end[1].number = 0;
    if (netmodel__topology_layout(x, &layout, NULL) != NETMODEL_OK || link >= layout.links) return false;
    switch (x->kind) {
    case NETMODEL_TOPOLOGY_STAR:
        end[0].level = link < layout.hosts ? 0 : 1;
        end[0].number = link < layout.hosts ? link : 0;
        end[1].level = 1;
        *cable = link < layout.hosts ? x->star.cable : x->star.backbone;
        break;
    case NETMODEL_TOPOLOGY_CLUSTERS: netmodel__clusters_link(&x->clusters, layout.hosts, link, cable, end); break;
    case NETMODEL_TOPOLOGY_FAT_TREE:
        netmodel__tree_ends(&x->tree, &layout, link, end);
        *cable = *netmodel__cable_at(x->tree.cable, end[0].level);
        break;
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH: netmodel__grid_link(x, layout.hosts, link, cable, end); break;
    case NETMODEL_TOPOLOGY_DRAGONFLY: netmodel__dragonfly_link(&x->dragonfly, &layout, link, cable, end); break;
    }
    return true;
}

NETMODEL_API netmodel_cable netmodel_topology_link(const netmodel_topology *topology, size_t link)
{
    netmodel_cable cable = { NETMODEL__NAN, NETMODEL__NAN, NETMODEL__NAN };
    netmodel_place end[2];
    if (netmodel__topology_link(topology, link, &cable, end) && !(cable.duplex > 0)) cable.duplex = 2;
    return cable;
}

NETMODEL_API bool netmodel_topology_link_ends(const netmodel_topology *topology, size_t link, netmodel_place end[2])
{
    netmodel_cable cable;
    return netmodel__topology_link(topology, link, &cable, end);
}

static double netmodel__cables(size_t count, double bandwidth)
{
    return netmodel__times((double)count, bandwidth);
}

/* The cheapest way to bring `count` hosts of the clusters whose bit in `side` is this `bit` to the other side: the
 * cables of these hosts are cut, the thinnest first, among equal ones those of the first cluster. */
static double netmodel__clusters_moved(const netmodel_clusters_shape *x, size_t count, size_t side, size_t bit)
{
    double sum = 0;
    for (size_t i = 0; i < x->count; ++i) {
        const double own = netmodel__cluster_cable(x, i)->bandwidth;
        size_t before = 0;
        for (size_t j = 0; j < x->count; ++j) {
            const double other = netmodel__cluster_cable(x, j)->bandwidth;
            if ((side >> j & 1) == bit && (other < own || (j < i && !(own < other)))) before += x->cluster[j].hosts;
        }
        if ((side >> i & 1) != bit || before >= count) continue;
        const size_t left = count - before, hosts = x->cluster[i].hosts;
        sum += netmodel__cables(left < hosts ? left : hosts, own);
    }
    return sum;
}

/* What joins the switches of the two sides; the backbone is on side 0, on side 1, or is itself cut (2). */
static double netmodel__clusters_joined(const netmodel_clusters_shape *x, size_t side, size_t backbone)
{
    double sum = 0;
    for (size_t j = 0; j < x->joints; ++j)
        if ((side >> x->joint[j].from & 1) != (side >> x->joint[j].to & 1))
            sum += netmodel__joint_cable(x, j)->bandwidth;
    if (x->joints > 0) return sum;
    if (backbone == 2) return x->backbone.bandwidth;
    for (size_t i = 0; i < x->count; ++i)
        if ((side >> i & 1) != backbone) sum += netmodel__cluster_up(x, i)->bandwidth;
    return sum;
}

/* The best of all ways to put each switch on one of the sides. */
static double netmodel__clusters_bisection(const netmodel_clusters_shape *x, size_t hosts)
{
    const size_t half = hosts / 2, cuts = x->joints > 0 ? 1 : netmodel__zero_cable(&x->backbone) ? 2 : 3;
    double best = HUGE_VAL;
    for (size_t side = 0; side < (size_t)1 << x->count; ++side) {
        size_t there = 0;
        for (size_t i = 0; i < x->count; ++i) there += (side >> i & 1) ? x->cluster[i].hosts : 0;
        const double moved = there > half ? netmodel__clusters_moved(x, there - half, side, 1)
                                          : netmodel__clusters_moved(x, half - there, side, 0);
        for (size_t backbone = 0; backbone < cuts; ++backbone) {
            const double sum = moved + netmodel__clusters_joined(x, side, backbone);
            if (sum < best) best = sum;
        }
    }
    return best;
}

/* Any permutation passes at the rate per host of the narrowest subtrees, since a switch can spread what goes up evenly; so
 * no cut is cheaper than half of the hosts at that rate. Where these are whole subtrees, cutting them off costs just
 * that. Of equally narrow subtrees the smallest count. */
static double netmodel__tree_bisection(const netmodel_tree_shape *x, const netmodel__layout *tree)
{
    size_t hosts = 1, size = 1;  /* of a subtree of this level, and of one of the narrowest */
    double parts = HUGE_VAL;     /* what the parts of a subtree of this level can send, together */
    double narrowest = HUGE_VAL; /* what one of the narrowest can */
    const size_t half = tree->hosts / 2;
    for (size_t i = 0; i < x->levels && hosts < tree->hosts; ++i) {
        const double own =
            netmodel__cables(tree->below[i] * tree->ports[i], netmodel__cable_at(x->cable, i)->bandwidth);
        if (own < parts) {
            parts = narrowest = own;
            size = hosts;
        }
        parts = netmodel__cables(x->down[i], parts);
        hosts *= x->down[i];
    }
    return half % size == 0 ? netmodel__cables(half / size, narrowest) : NETMODEL__NAN;
}

/* Uniform traffic by dimension order fills the links in the middle of a dimension first; where that is even, cutting
 * them is as good as that bound. */
static double netmodel__grid_bisection(const netmodel_topology *x, size_t nodes)
{
    double even = HUGE_VAL, odd = HUGE_VAL;
    for (size_t j = 0; j < x->grid.dimensions; ++j) {
        const size_t size = x->grid.size[j];
        const double cut = netmodel__cables(nodes / size * (netmodel__ring(x, j) ? 2 : 1),
                                            netmodel__cable_at(x->grid.cable, j)->bandwidth);
        const double square = (double)size * (double)size, bound = size % 2 == 0 ? cut : cut * square / (square - 1);
        if (size % 2 == 0 || size == nodes)
            even = cut < even ? cut : even;
        else if (size > 1)
            odd = bound < odd ? bound : odd;
    }
    if (!(even <= odd)) return NETMODEL__NAN;
    const double own =
        netmodel__zero_cable(&x->grid.host) ? HUGE_VAL : netmodel__cables(nodes / 2, x->grid.host.bandwidth);
    return own < even ? own : even;
}

NETMODEL_API double netmodel_topology_bisection(const netmodel_topology *topology)
{
    netmodel__layout layout;
    double half, backbone;
    if (netmodel__topology_check(topology, &layout, NULL) != NETMODEL_OK) return NETMODEL__NAN;
    if (layout.hosts == 1) return 0;
    switch (topology->kind) {
    case NETMODEL_TOPOLOGY_STAR:
        half = netmodel__cables(layout.hosts / 2, topology->star.cable.bandwidth);
        backbone = topology->star.backbone.bandwidth;
        return backbone > 0 && backbone < half ? backbone : half;
    case NETMODEL_TOPOLOGY_CLUSTERS: return netmodel__clusters_bisection(&topology->clusters, layout.hosts);
    case NETMODEL_TOPOLOGY_FAT_TREE: return netmodel__tree_bisection(&topology->tree, &layout);
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH: return netmodel__grid_bisection(topology, layout.hosts);
    case NETMODEL_TOPOLOGY_DRAGONFLY: break;
    }
    return NETMODEL__NAN;
}

/*=============================================================================
 * MARK: - >>message (body)
 *===========================================================================*/
/* The delays of a pair without a model. */
static const netmodel_message netmodel__no_message = { NETMODEL__ZERO };

NETMODEL_API double netmodel_delay_time(const netmodel_delay *delay, double bytes)
{
    double time = NETMODEL__NAN;
    switch (delay->kind) {
    case NETMODEL_DELAY_LINK: time = netmodel_link_time(&delay->link, bytes); break;
    case NETMODEL_DELAY_LINE: time = netmodel_line_time(&delay->line, bytes); break;
    case NETMODEL_DELAY_CURVE: time = netmodel_curve_time(&delay->curve, bytes); break;
    }
    return time >= 0 ? time : NETMODEL__NAN;
}

NETMODEL_API double netmodel_message_time(const netmodel_message *message, double bytes)
{
    return netmodel_message_when(message, bytes, 0, 0).received;
}

NETMODEL_API netmodel_message_times netmodel_message_when(const netmodel_message *message, double bytes, double begin,
                                                          double requested)
{
    netmodel_message_times when = { NETMODEL__NAN, NETMODEL__NAN, NETMODEL__NAN };
    const double side = netmodel_delay_time(&message->pack, bytes) + netmodel_delay_time(&message->send, bytes);
    const double transmit = netmodel_delay_time(&message->transmit, bytes);
    const double receive = netmodel_delay_time(&message->receive, bytes);
    if (!(fabs(begin) < HUGE_VAL && fabs(requested) < HUGE_VAL && side + transmit + receive < HUGE_VAL)) return when;
    when.sent = begin + side;
    when.arrived = when.sent + transmit;
    when.received = (requested > when.arrived ? requested : when.arrived) + receive;
    return when;
}

/* True if the pair a comes before (from, to): by `from`, then by `to`. */
static bool netmodel__pair_before(const netmodel_message_pair *a, size_t from, size_t to)
{
    return a->from < from || (a->from == from && a->to < to);
}

NETMODEL_API netmodel_result netmodel_messages_init(const netmodel_message *fallback, const netmodel_message *self,
                                                    const netmodel_message_pair *pair, size_t count,
                                                    netmodel_messages *messages, size_t *where)
{
    if (!messages) return NETMODEL_MISSING;
    memset(messages, 0, sizeof *messages);
    if (count > 0 && !pair) return NETMODEL_MISSING;

    for (size_t i = 0; i < count; ++i) {
        if (!pair[i].message) return netmodel__refuse(NETMODEL_MISSING, i, where);
        if (i > 0 && !netmodel__pair_before(&pair[i - 1], pair[i].from, pair[i].to))
            return netmodel__refuse(NETMODEL_PAIRS_DECREASE, i, where);
    }
    const netmodel_messages all = { fallback, self, pair, count };
    *messages = all;
    return NETMODEL_OK;
}

NETMODEL_API const netmodel_message *netmodel_messages_between(const netmodel_messages *messages, size_t from,
                                                               size_t to)
{
    size_t low = 0, high = messages->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (netmodel__pair_before(&messages->pair[middle], from, to))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < messages->count && messages->pair[low].from == from && messages->pair[low].to == to)
        return messages->pair[low].message;
    if (from == to && messages->self) return messages->self;
    return messages->fallback ? messages->fallback : &netmodel__no_message;
}

/*=============================================================================
 * MARK: - >>matching (private)
 *===========================================================================*/
/* Sorts what lies in any arrays, in place and always in the same way: a heap. `before` is a strict order. */
typedef struct netmodel__sorted {
    bool (*before)(const void *what, size_t i, size_t k);
    void (*swap)(void *what, size_t i, size_t k);
} netmodel__sorted;

static void netmodel__sift(const netmodel__sorted *by, void *what, size_t at, size_t count)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) return;
        if (child + 1 < count && by->before(what, child, child + 1)) ++child;
        if (!by->before(what, at, child)) return;
        by->swap(what, at, child);
        at = child;
    }
}

static void netmodel__sort(const netmodel__sorted *by, void *what, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) netmodel__sift(by, what, i, count);
    for (size_t i = count; i-- > 1;) {
        by->swap(what, 0, i);
        netmodel__sift(by, what, 0, i);
    }
}

/* What a prediction works on. Segments have one index over all nodes, that of their spans. */
typedef struct netmodel__timing {
    const netmodel_timing *graph;
    netmodel_timing_sum *sum;
    netmodel_timing_span *span; /* partner is the node of a segment until its partner is known */
    size_t *order;              /* sends and receives, sorted so that partners come together */
    size_t *at;                 /* the segment that each node has reached */
    size_t *below;              /* a stack of nodes that may go on: the one below, or one of the two marks */
    size_t top;
} netmodel__timing;

#define NETMODEL__BOTTOM ((size_t)-1)
#define NETMODEL__NOT_STACKED ((size_t)-2)

static const netmodel_segment *netmodel__segment(const netmodel__timing *t, size_t node, size_t index)
{
    return &t->graph->node[node].segment[index - t->sum[node].first];
}

/* Reports the place of what is refused; returns the result. */
static netmodel_result netmodel__timing_refuse(const netmodel__timing *t, netmodel_result result, size_t node,
                                               size_t index, netmodel_timing_place *where)
{
    const netmodel_timing_place place = { node, index - t->sum[node].first };
    if (where) *where = place;
    return result;
}

/* The delays of a send of a node. */
static const netmodel_message *netmodel__segment_message(const netmodel__timing *t, size_t node,
                                                         const netmodel_segment *send)
{
    return netmodel_messages_between(&t->graph->mode[send->mode].messages, node, send->peer);
}

static netmodel_result netmodel__segment_check(const netmodel__timing *t, size_t node, const netmodel_segment *segment)
{
    const netmodel_message *message;
    switch (segment->kind) {
    case NETMODEL_SEGMENT_CODE: return netmodel__amount(segment->seconds) ? NETMODEL_OK : NETMODEL_BAD_TIME;
    case NETMODEL_SEGMENT_SEND:
        if (segment->peer >= t->graph->nodes) return NETMODEL_UNKNOWN_NODE;
        if (segment->mode >= t->graph->modes) return NETMODEL_UNKNOWN_MODE;
        message = netmodel__segment_message(t, node, segment);
        return netmodel__amount(netmodel_message_time(message, segment->size)) ? NETMODEL_OK : NETMODEL_BAD_TIME;
    case NETMODEL_SEGMENT_RECEIVE: return segment->peer < t->graph->nodes ? NETMODEL_OK : NETMODEL_UNKNOWN_NODE;
    }
    return NETMODEL_BAD_OPTION;
}

/* The rank of a send or receive in the order: from, to, message, whether it receives, index. So partners come together;
 * of one message the sends come before the receives, each in the order of the program. */
static void netmodel__rank(const netmodel__timing *t, size_t index, size_t rank[5])
{
    const size_t node = t->span[index].partner;
    const netmodel_segment *segment = netmodel__segment(t, node, index);
    const bool receives = segment->kind == NETMODEL_SEGMENT_RECEIVE;
    rank[0] = receives ? segment->peer : node;
    rank[1] = receives ? node : segment->peer;
    rank[2] = segment->message;
    rank[3] = receives;
    rank[4] = index;
}

static bool netmodel__order_before(const void *what, size_t i, size_t k)
{
    const netmodel__timing *t = (const netmodel__timing *)what;
    size_t a[5], b[5], n = 0;
    netmodel__rank(t, t->order[i], a);
    netmodel__rank(t, t->order[k], b);
    while (n < 4 && a[n] == b[n]) ++n;
    return a[n] < b[n];
}

static void netmodel__order_swap(void *what, size_t i, size_t k)
{
    const netmodel__timing *t = (const netmodel__timing *)what;
    const size_t index = t->order[i];
    t->order[i] = t->order[k];
    t->order[k] = index;
}

/* Numbers and checks the segments, and collects sends and receives in `order`, *count of them. */
static netmodel_result netmodel__timing_read(netmodel__timing *t, size_t *count, netmodel_timing_place *where)
{
    *count = 0;
    for (size_t node = 0, index = 0; node < t->graph->nodes; ++node) {
        t->sum[node].first = index;
        for (size_t i = 0; i < t->graph->node[node].count; ++i, ++index) {
            const netmodel_segment *segment = &t->graph->node[node].segment[i];
            netmodel_result result = netmodel__segment_check(t, node, segment);
            if (result != NETMODEL_OK) return netmodel__timing_refuse(t, result, node, index, where);
            t->span[index].partner = segment->kind == NETMODEL_SEGMENT_CODE ? index : node;
            if (segment->kind != NETMODEL_SEGMENT_CODE) t->order[(*count)++] = index;
        }
    }
    return NETMODEL_OK;
}

/* Gives each send its receive. Of those without a partner the first in the program is reported. */
static netmodel_result netmodel__timing_match(netmodel__timing *t, size_t count, netmodel_timing_place *where)
{
    static const netmodel__sorted by = { netmodel__order_before, netmodel__order_swap };
    size_t lonely = NETMODEL__BOTTOM, head[5], own[5];
    netmodel__sort(&by, t, count);
    for (size_t begin = 0, end; begin < count; begin = end) {
        size_t sends = 0;
        netmodel__rank(t, t->order[begin], head);
        for (end = begin; end < count; ++end) {
            netmodel__rank(t, t->order[end], own);
            if (memcmp(head, own, 3 * sizeof *head) != 0) break; /* another message */
            sends += own[3] == 0;
        }
        const size_t pairs = end - begin - sends < sends ? end - begin - sends : sends;
        if (end - begin != 2 * pairs) {
            const size_t alone = t->order[sends > pairs ? begin + pairs : begin + sends + pairs];
            if (alone < lonely) lonely = alone;
        }
        for (size_t k = 0; k < pairs; ++k) {
            const size_t send = t->order[begin + k], receive = t->order[begin + sends + k];
            t->span[send].partner = receive;
            t->span[receive].partner = send;
        }
    }
    if (lonely == NETMODEL__BOTTOM) return NETMODEL_OK;
    netmodel__rank(t, lonely, own);
    return netmodel__timing_refuse(t, own[3] ? NETMODEL_NO_SEND : NETMODEL_NO_RECEIVE, own[3] ? own[1] : own[0], lonely,
                                   where);
}

/*=============================================================================
 * MARK: - >>timing (body)
 *===========================================================================*/
static void netmodel__timing_push(netmodel__timing *t, size_t node)
{
    if (t->below[node] != NETMODEL__NOT_STACKED) return;
    t->below[node] = t->top;
    t->top = node;
}

/* Places a segment in time, from its begin on; false if it is not known yet when it no longer waits. */
static bool netmodel__timing_place(const netmodel__timing *t, size_t node, netmodel_timing_span *own)
{
    const netmodel_segment *segment = netmodel__segment(t, node, (size_t)(own - t->span)), *send = segment;
    const netmodel_timing_span *other = &t->span[own->partner];
    const bool receives = segment->kind == NETMODEL_SEGMENT_RECEIVE;
    own->ready = own->begin;
    own->end = own->begin + segment->seconds;
    if (segment->kind == NETMODEL_SEGMENT_CODE) return true;
    if (receives) send = netmodel__segment(t, segment->peer, own->partner);
    const netmodel_mode *mode = &t->graph->mode[send->mode];
    if ((mode->synchronous || receives) && t->at[segment->peer] < own->partner) return false; /* it has not begun */
    const netmodel_message *message = netmodel__segment_message(t, receives ? segment->peer : node, send);
    const double packing = netmodel_delay_time(&message->pack, send->size);
    const double sending = packing + netmodel_delay_time(&message->send, send->size);
    if (mode->synchronous && own->ready < other->begin) own->ready = other->begin; /* both wait for the later one */
    own->end = own->ready + sending;
    if (!receives) return true;
    double there = (mode->synchronous ? own->ready : other->begin) + (mode->end_to_end ? 0 : sending);
    there += netmodel_delay_time(&message->transmit, send->size);
    if (own->ready < there) own->ready = there;
    own->end = own->ready + netmodel_delay_time(&message->receive, send->size);
    return true;
}

/* A node goes on until it must wait or is done. Nodes that wait for what it has done may go on as well. */
static netmodel_result netmodel__timing_go_on(netmodel__timing *t, size_t node, netmodel_timing_place *where)
{
    netmodel_timing_sum *sum = &t->sum[node];
    const size_t last = sum->first + t->graph->node[node].count;
    for (; t->at[node] < last; ++t->at[node]) {
        const size_t index = t->at[node];
        const netmodel_segment *segment = netmodel__segment(t, node, index);
        netmodel_timing_span *own = &t->span[index];

        own->begin = sum->time;
        if (!netmodel__timing_place(t, node, own)) return NETMODEL_OK;
        if (!(own->end < HUGE_VAL)) return netmodel__timing_refuse(t, NETMODEL_BAD_TIME, node, index, where);
        sum->time = own->end;
        sum->waiting += own->ready - own->begin;
        sum->working += own->end - own->ready;
        if (segment->kind != NETMODEL_SEGMENT_CODE && t->at[segment->peer] == own->partner)
            netmodel__timing_push(t, segment->peer);
    }
    return NETMODEL_OK;
}

/* A waiting node waits for a waiting node: follows them into a cycle, and once around it to the first of its nodes. */
static netmodel_result netmodel__timing_deadlock(const netmodel__timing *t, size_t node, netmodel_timing_place *where)
{
    const size_t nodes = t->graph->nodes;
    for (size_t steps = 0; steps < nodes; ++steps) node = netmodel__segment(t, node, t->at[node])->peer;
    size_t first = node;
    for (size_t steps = 0; steps < nodes; ++steps) {
        node = netmodel__segment(t, node, t->at[node])->peer;
        if (node < first) first = node;
    }
    return netmodel__timing_refuse(t, NETMODEL_DEADLOCK, first, t->at[first], where);
}

/* All nodes go on until none can. */
static netmodel_result netmodel__timing_run(netmodel__timing *t, netmodel_timing_place *where)
{
    const size_t nodes = t->graph->nodes;
    t->top = NETMODEL__BOTTOM;
    for (size_t node = nodes; node-- > 0;) {
        t->at[node] = t->sum[node].first;
        t->below[node] = NETMODEL__NOT_STACKED;
        netmodel__timing_push(t, node);
    }
    while (t->top != NETMODEL__BOTTOM) {
        const size_t node = t->top;
        t->top = t->below[node];
        t->below[node] = NETMODEL__NOT_STACKED;
        netmodel_result result = netmodel__timing_go_on(t, node, where);
        if (result != NETMODEL_OK) return result;
    }
    for (size_t node = 0; node < nodes; ++node)
        if (t->at[node] < t->sum[node].first + t->graph->node[node].count)
            return netmodel__timing_deadlock(t, node, where);
    return NETMODEL_OK;
}

NETMODEL_API size_t netmodel_timing_segments(const netmodel_timing *graph)
{
    size_t count = 0;
    if (!graph->node) return 0;
    for (size_t node = 0; node < graph->nodes; ++node) count += graph->node[node].count;
    return count;
}

NETMODEL_API size_t netmodel_timing_scratch(const netmodel_timing *graph)
{
    return netmodel_timing_segments(graph) + 2 * graph->nodes;
}

NETMODEL_API netmodel_result netmodel_timing_predict(const netmodel_timing *graph, size_t scratch[],
                                                     netmodel_timing_sum sum[], netmodel_timing_span span[],
                                                     netmodel_timing_total *total, netmodel_timing_place *where)
{
    if (total) memset(total, 0, sizeof *total);
    if (!graph || (graph->nodes > 0 && !graph->node)) return NETMODEL_MISSING;
    const size_t segments = netmodel_timing_segments(graph);
    if (sum) memset(sum, 0, graph->nodes * sizeof *sum);
    if (span) memset(span, 0, segments * sizeof *span);
    if (graph->nodes == 0) return NETMODEL_EMPTY;
    if (!total || !sum || !scratch || (segments > 0 && !span)) return NETMODEL_MISSING;
    if (graph->modes > 0 && !graph->mode) return NETMODEL_MISSING;
    for (size_t node = 0; node < graph->nodes; ++node)
        if (graph->node[node].count > 0 && !graph->node[node].segment) return NETMODEL_MISSING;

    size_t count = 0;
    netmodel__timing t = { graph, sum, span, scratch, scratch + segments, scratch + segments + graph->nodes, 0 };
    netmodel_result result = netmodel__timing_read(&t, &count, where);
    if (result == NETMODEL_OK) result = netmodel__timing_match(&t, count, where);
    if (result == NETMODEL_OK) result = netmodel__timing_run(&t, where);
    if (result != NETMODEL_OK) {
        memset(sum, 0, graph->nodes * sizeof *sum);
        memset(span, 0, segments * sizeof *span); /* a segment is to blame, so there is one */
        return result;
    }
    for (size_t node = 0; node < graph->nodes; ++node)
        if (node == 0 || sum[node].time > total->time) total->time = sum[node].time, total->node = node;
    return NETMODEL_OK;
}

/* Order of texts, as of strcmp(); NULL comes first. */
static int netmodel__text_order(const char *a, const char *b)
{
    if (!a || !b) return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static bool netmodel__line_before(const void *what, size_t i, size_t k)
{
    const netmodel_timing_line *a = (const netmodel_timing_line *)what + i, *b = (const netmodel_timing_line *)what + k;
    const int order = netmodel__text_order(a->file, b->file);
    if (order != 0) return order < 0;
    return a->line != b->line ? a->line < b->line : a->first < b->first;
}

static bool netmodel__line_longer(const void *what, size_t i, size_t k)
{
    const netmodel_timing_line *a = (const netmodel_timing_line *)what + i, *b = (const netmodel_timing_line *)what + k;
    const double own = a->working + a->waiting, other = b->working + b->waiting;
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
    static const netmodel__sorted by_time = { netmodel__line_longer, netmodel__line_swap };
    if (!count) return NETMODEL_MISSING;
    *count = 0;
    if (!graph || !graph->node || !sum) return NETMODEL_MISSING;
    if (node >= graph->nodes) return NETMODEL_UNKNOWN_NODE;
    const size_t segments = graph->node[node].count;
    const netmodel_segment *segment = graph->node[node].segment;
    if (segments > 0 && (!segment || !span || !line)) return NETMODEL_MISSING;

    for (size_t i = 0; i < segments; ++i) {
        const netmodel_timing_span *own = &span[sum[node].first + i];
        const double working = own->end - own->ready, waiting = own->ready - own->begin;
        const netmodel_timing_line one = { segment[i].file, segment[i].line, i, 1, working, waiting, 0 };
        line[i] = one;
    }
    netmodel__sort(&by_line, line, segments);
    size_t lines = 0;
    for (size_t i = 0; i < segments; ++i) {
        netmodel_timing_line *last = line + lines - (lines > 0);
        if (lines > 0 && last->line == line[i].line && netmodel__text_order(last->file, line[i].file) == 0) {
            ++last->segments;
            last->working += line[i].working;
            last->waiting += line[i].waiting;
        } else {
            line[lines++] = line[i];
        }
    }
    for (size_t i = 0; i < lines; ++i)
        if (sum[node].time > 0) line[i].part = (line[i].working + line[i].waiting) / sum[node].time;
    netmodel__sort(&by_time, line, lines);
    *count = lines;
    return NETMODEL_OK;
}

/*=============================================================================
 * MARK: - >>student (body)
 *===========================================================================*/
/* arctan(x), x >= 0, without a math library, so with the same bits everywhere: halved four times, then its series. */
static double netmodel__arctan(double x)
{
    double sum = 0;
    for (int i = 0; i < 4; ++i) x = x / (1 + sqrt(1 + netmodel__times(x, x)));
    const double square = netmodel__times(x, x);
    for (int i = 23; i > 0; i -= 2) sum = 1.0 / i - netmodel__times(square, sum);
    return 16 * netmodel__times(x, sum);
}

/* P(|T| <= t), the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4. */
static double netmodel__student_within(double t, size_t freedom)
{
    const double v = (double)freedom, cosine2 = v / (v + netmodel__times(t, t));
    const double sine = t / sqrt(v + netmodel__times(t, t));
    double term = 1, sum = 0;
    for (size_t i = freedom % 2 == 0 ? 2 : 3; i <= freedom; i += 2) {
        sum += term;
        term = netmodel__times(netmodel__times(term, cosine2), (double)(i - 1) / (double)i);
    }
    if (freedom % 2 == 0) return netmodel__times(sine, sum);
    sum = netmodel__times(netmodel__times(sine, sqrt(cosine2)), sum);
    return (netmodel__arctan(t / sqrt(v)) + sum) / 1.57079632679489661923;
}

/* t for v degrees of freedom from z, that of infinitely many: Abramowitz and Stegun 26.7.5. */
static double netmodel__student_series(double z, double v)
{
    const double z2 = netmodel__times(z, z);
    double sum =
        netmodel__times(netmodel__times(netmodel__times(netmodel__times(79, z2) + 776, z2) + 1482, z2) - 1920, z2) -
        945;
    sum = sum / 92160 / v;
    sum += (netmodel__times(netmodel__times(netmodel__times(3, z2) + 19, z2) + 17, z2) - 15) / 384;
    sum = sum / v + (netmodel__times(netmodel__times(5, z2) + 16, z2) + 3) / 96;
    sum = sum / v + (z2 + 1) / 4;
    return z + netmodel__times(z, sum / v);
}

NETMODEL_API double netmodel_student(double level, size_t degrees_of_freedom)
{
    const size_t limit = 500; /* terms of the sums; beyond, the series is as good */
    const size_t summed = degrees_of_freedom < limit ? degrees_of_freedom : limit;
    double low = 0, high = 1;
    if (!(level > 0 && level < 1) || degrees_of_freedom == 0) return NETMODEL__NAN;
    while (netmodel__student_within(high, summed) < level && high < 1e300) high = 2 * high;
    double below = -level, above = netmodel__student_within(high, summed) - level;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) { /* between a secant and a half, whichever is safe */
        double t = i % 3 == 2 ? low + (high - low) / 2 : low + netmodel__times(high - low, below / (below - above));
        if (!(t > low && t < high)) t = low + (high - low) / 2;
        if (!(t > low && t < high)) break;
        const double now = netmodel__student_within(t, summed) - level;
        if (now < 0) {
            low = t;
            below = now;
        } else {
            high = t;
            above = now;
        }
    }
    if (degrees_of_freedom <= limit) return high;
    double z = high;
    for (int i = 0; i < 20; ++i) z -= netmodel__student_series(z, (double)limit) - high;
    /* What is known has infinitely many: the same everywhere, however large a size_t is. */
    const bool known = degrees_of_freedom == NETMODEL_DEVIATION_KNOWN;
    return netmodel__student_series(z, known ? HUGE_VAL : (double)degrees_of_freedom);
}

#ifdef _WIN32
#pragma pop_macro("far")
#pragma pop_macro("near")
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
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
