/* What the tests of links, transfers and maps of loads share: links and routes are added, and transfers started whose ends are
 * noted. Include after simkit.h. */
#ifndef NETWORK_H
#define NETWORK_H

#include "world.h"

typedef struct ended { /* of a transfer: when, and how */
    double time;
    int done, lost;
} ended;

static inline void note_done(simkit_world *w, void *user)
{
    ended *e = (ended *)user;
    e->time = simkit_clock_now(w);
    ++e->done;
}

static inline void note_lost(simkit_world *w, void *user)
{
    ended *e = (ended *)user;
    e->time = simkit_clock_now(w);
    ++e->lost;
}

static inline simkit_link add_link(double bandwidth, double latency, double duplex)
{
    simkit_link link = 0;
    const simkit_link_desc desc = { .bandwidth = bandwidth, .latency = latency, .duplex = duplex };
    succeeds(simkit_link_add(world, &desc, &link));
    return link;
}

/* `e` may be NULL. */
static inline simkit_transfer send(simkit_node from, simkit_node to, double bytes, ended *e)
{
    simkit_transfer transfer;
    const simkit_transfer_desc desc = { .from = from,
                                        .to = to,
                                        .bytes = bytes,
                                        .done = e ? note_done : NULL,
                                        .lost = e ? note_lost : NULL,
                                        .user = e };
    succeeds(simkit_transfer_start(world, &desc, &transfer));
    return transfer;
}

/* Nodes with infinitely fast links of their own. */
static inline void add_nodes(int count)
{
    for (int i = 0; i < count; ++i) add_node(NULL);
}

static inline void route(simkit_node from, simkit_node to, const simkit_link *links, size_t count)
{
    simkit_hop hops[12];
    assert_true(count <= 12);
    for (size_t i = 0; i < count; ++i) hops[i] = (simkit_hop){ .link = links[i] };
    succeeds(simkit_route_set(world, from, to, hops, count, true));
}

/* The order in which up to 64 transfers end, told by numbers from 0 on. */
static size_t order[64], ordered;

static inline void is_next(simkit_world *w, void *user)
{
    (void)w;
    order[ordered++] = (size_t)(uintptr_t)user;
}

#endif
