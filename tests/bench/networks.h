/* The networks and the transfers of the rows called TOPOLOGY-WORKLOAD[-OPTION...], for the kit and for SimGrid; for C99
 * and C++11.
 *
 *   topologies   star, clusters, joined, fattree, torus, mesh, dragonfly, with as many hosts as work_network_of() lists
 *   permutation  ten rounds: in each, every host sends to another one; the next begins when all transfers have ended
 *   neighbours   every host sends to its neighbours in the grid, elsewhere to those before and after it, all at once
 *   all          up to 64 hosts, drawn by lot, send to each other, all at once
 *   -latency     each link has one, and transfers have the weight 1 / latency of their route, as in CM02
 *   -window      the same and a TCP window
 *   -limit       a third of the transfers has a rate limit
 *   -shared      both directions of a cable share its bandwidth
 *   -change      the cables of a third of the hosts get slower, then of another third faster; star, clusters, joined;
 *                for SimGrid together with latency, without which no transfer gets faster than its route was at first
 *   -equal       equal shares, which SimGrid does not have
 *   -routes      the kit gets links and routes one by one
 *
 * Without latency, all weights are 1 on both sides. */
#ifndef NETWORKS_H
#define NETWORKS_H

#include "work.h"

#include <stdlib.h>
#include <string.h>

#define WORK_LINK_LATENCY 1e-5 /* [s] of each link, with the option latency */
#define WORK_WINDOW 3000.0     /* [B] of TCP, with the option window: a route of two links passes 75 MB/s */
#define WORK_LIMIT 2e7         /* [B/s] of a third of the transfers, with the option limit */

enum { WORK_LEVELS = 5, WORK_ALL = 64, WORK_ROUNDS = 10 };

typedef enum work_kind {
    WORK_STAR,
    WORK_CLUSTERS,
    WORK_JOINED,
    WORK_FAT_TREE,
    WORK_TORUS,
    WORK_MESH,
    WORK_DRAGONFLY
} work_kind;

/* Sizes and their meaning by kind; bandwidths in that of a host's cable.
 *   star             down: hosts; cables[0]: bandwidth of its switch
 *   clusters         down: clusters, hosts of each; cables[0]: bandwidth of the cable of each cluster
 *   joined           the same, but cable i, of bandwidth cables[i], joins clusters i and i + 1
 *   fat tree         down[levels], up[levels], cables[levels], from the hosts up
 *   torus and mesh   down[levels]: extent of each dimension, the first is the one that varies fastest
 *   dragonfly        down: groups, chassis, blades, nodes; cables between groups, chassis, blades */
typedef struct work_network {
    work_kind kind;
    unsigned hosts, levels;
    unsigned down[WORK_LEVELS], up[WORK_LEVELS], cables[WORK_LEVELS];
} work_network;

typedef struct work_transfer {
    unsigned round, from, to; /* hosts from 0 */
    double bytes, limit;      /* [B], [B/s] or 0 */
} work_transfer;

static inline int work_option(const char *row, const char *option)
{
    const size_t length = strlen(option);
    for (const char *at = strchr(row, '-'); at; at = strchr(at + 1, '-'))
        if (strncmp(at + 1, option, length) == 0 && (at[1 + length] == '-' || at[1 + length] == '\0')) return 1;
    return 0;
}

/* When the cables of hosts turn, turn + 3, turn + 6, ... change [s], and to what [B/s]; turn is 0 or 1. */
static inline double work_change_time(int turn)
{
    return turn == 0 ? 2e-3 : 5e-3;
}

static inline double work_change_bandwidth(int turn)
{
    return (turn == 0 ? 0.3 : 1.7) * WORK_BANDWIDTH;
}

static inline int work_weighted(const char *row)
{
    return work_option(row, "latency") || work_option(row, "window");
}

/* The network of a row with so many hosts; NULL if there is none. */
static inline const work_network *work_network_of(const char *row, unsigned hosts)
{
    static const char *const names[] = { "star", "clusters", "joined", "fattree", "torus", "mesh", "dragonfly" };
    static const work_network networks[] = {
        { WORK_STAR, 12, 1, { 12 }, { 0 }, { 4 } },
        { WORK_STAR, 64, 1, { 64 }, { 0 }, { 20 } },
        { WORK_CLUSTERS, 12, 2, { 3, 4 }, { 0 }, { 2 } },
        { WORK_CLUSTERS, 64, 2, { 4, 16 }, { 0 }, { 4 } },
        { WORK_JOINED, 12, 2, { 3, 4 }, { 0 }, { 2, 1 } },
        { WORK_JOINED, 64, 2, { 4, 16 }, { 0 }, { 4, 6, 3 } },
        { WORK_FAT_TREE, 16, 2, { 4, 4 }, { 1, 2 }, { 1, 2 } },
        { WORK_FAT_TREE, 128, 3, { 8, 4, 4 }, { 1, 4, 2 }, { 1, 1, 1 } },
        { WORK_FAT_TREE, 1024, 3, { 16, 8, 8 }, { 1, 8, 8 }, { 1, 1, 1 } },
        { WORK_FAT_TREE, 10000, 3, { 25, 20, 20 }, { 1, 10, 10 }, { 1, 1, 1 } },
        { WORK_TORUS, 12, 3, { 3, 2, 2 }, { 0 }, { 0 } },
        { WORK_TORUS, 60, 3, { 5, 4, 3 }, { 0 }, { 0 } },
        { WORK_TORUS, 1024, 3, { 8, 8, 16 }, { 0 }, { 0 } },
        { WORK_MESH, 12, 2, { 4, 3 }, { 0 }, { 0 } },
        { WORK_MESH, 60, 3, { 5, 4, 3 }, { 0 }, { 0 } },
        { WORK_DRAGONFLY, 24, 4, { 2, 2, 3, 2 }, { 0 }, { 2, 1, 1 } },
        { WORK_DRAGONFLY, 120, 4, { 3, 4, 5, 2 }, { 0 }, { 4, 3, 1 } },
        { WORK_DRAGONFLY, 1024, 4, { 16, 1, 16, 4 }, { 0 }, { 4, 1, 1 } },
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; ++i) {
        const char *name = names[networks[i].kind];
        if (networks[i].hosts == hosts && strncmp(row, name, strlen(name)) == 0 && row[strlen(name)] == '-')
            return &networks[i];
    }
    return NULL;
}

/* Writes the neighbours of a host, each once; returns how many, at most 2 WORK_LEVELS. */
static inline unsigned work_neighbours(const work_network *n, unsigned host, unsigned *neighbours)
{
    const int grid = n->kind == WORK_TORUS || n->kind == WORK_MESH;
    unsigned count = 0, stride = 1;
    for (unsigned d = 0; d < (grid ? n->levels : 1); ++d) {
        const unsigned extent = grid ? n->down[d] : n->hosts, at = host / stride % extent, base = host - at * stride;
        if (at + 1 < extent || (n->kind != WORK_MESH && extent > 2))
            neighbours[count++] = base + (at + 1) % extent * stride;
        if (at > 0 || (n->kind != WORK_MESH && extent > 2))
            neighbours[count++] = base + (at + extent - 1) % extent * stride;
        stride *= extent;
    }
    return count;
}

static inline void work_transfer_put(work_transfer *list, size_t *count, const char *row, unsigned hosts,
                                     unsigned round, unsigned from, unsigned to)
{
    const work_transfer t = { round, from, to, work_size(hosts + 7 * round, from, to, 1),
                              work_option(row, "limit") && *count % 3 == 0 ? WORK_LIMIT : 0 };
    if (list) list[*count] = t;
    ++*count;
}

/* Draws an order of 0 .. n - 1. */
static inline void work_shuffle(unsigned *order, unsigned n, uint64_t seed)
{
    for (unsigned i = 0; i < n; ++i) order[i] = i;
    for (unsigned i = n; i-- > 1;) {
        const unsigned j = (unsigned)(work_bits(&seed) % (i + 1)), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

/* The transfers of a row, round after round; how many goes into *count. NULL if there is no such workload. */
static inline work_transfer *work_transfers(const char *row, const work_network *n, size_t *count)
{
    unsigned *order = (unsigned *)malloc(n->hosts * sizeof *order);
    work_transfer *list = NULL;
    if (!order) exit(1);
    for (int pass = 0; pass < 2; ++pass) { /* counted, then written */
        *count = 0;
        if (work_option(row, "permutation")) {
            for (unsigned round = 0; round < WORK_ROUNDS; ++round) {
                work_shuffle(order, n->hosts,
                             round); /* each sends to the next in this order: one to each, nobody to itself */
                for (unsigned i = 0; i < n->hosts; ++i)
                    work_transfer_put(list, count, row, n->hosts, round, order[i], order[(i + 1) % n->hosts]);
            }
        } else if (work_option(row, "neighbours")) {
            for (unsigned i = 0; i < n->hosts; ++i) {
                unsigned neighbours[2 * WORK_LEVELS];
                const unsigned many = work_neighbours(n, i, neighbours);
                for (unsigned k = 0; k < many; ++k) work_transfer_put(list, count, row, n->hosts, 0, i, neighbours[k]);
            }
        } else if (work_option(row, "all")) {
            const unsigned many = n->hosts < (unsigned)WORK_ALL ? n->hosts : (unsigned)WORK_ALL;
            work_shuffle(order, n->hosts, 0);
            for (unsigned i = 0; i < many; ++i)
                for (unsigned k = 0; k < many; ++k)
                    if (i != k) work_transfer_put(list, count, row, n->hosts, 0, order[i], order[k]);
        }
        if (pass == 0 && !(list = (work_transfer *)malloc((*count + 1) * sizeof *list))) exit(1);
    }
    free(order);
    if (*count > 0) return list;
    free(list);
    return NULL;
}

#endif
