/* tests/differential/network_program.h   A network and what happens in it, as data, and random ones.
 *
 * An operation is executed once: before the run (time < 0), at a time, or in the `done` or `lost` of a transfer that another
 * one started. Those of one parent, and those of one time, come in the order of the list. So any of them can be left out, and
 * the rest is still a program: that is how one that fails is reduced. */
#ifndef NETWORK_PROGRAM_H
#define NETWORK_PROGRAM_H

#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 6, MOST_LINKS = 6, MOST_OPS = 120, MOST_ROWS = 4 };

typedef enum kind {
    NOTHING,
    START,     /* a to b: x[0] bytes, x[1] weight, x[2] limit; flag: in order */
    CANCEL,    /* the transfer of operation a */
    CHANGE,    /* link a: bandwidth x[0], latency x[1] */
    FAIL,      /* link a */
    REPAIR,    /* link a */
    FOLLOW,    /* link a: rows[n], period x[0] */
    ROUTE,     /* a to b: hops[n]; flag: both ways; x[0]: direct */
    PAIR,      /* a to b: latency x[0], byte time x[1] */
    NODE_FAIL, /* node a */
    MAP_OPEN,
    MAP_READ,
    MAP_CLOSE,
    KINDS
} kind;

static const char *const kind_names[KINDS] = { "nothing", "start",     "cancel",   "change",   "fail",      "repair", "follow",
                                               "route",   "pair link", "node fails", "map opens", "map is read", "map closes" };

typedef struct op {
    kind kind;
    int by;              /* operation whose transfer's end executes it; 0: it has a time */
    double time;
    int a, b, n;         /* nodes and links from 1 on */
    bool flag;
    double x[3];
    int hops[MOST_LINKS]; /* 2 * (link - 1) + whether it is crossed backwards */
    double rows[MOST_ROWS][2]; /* time, bandwidth */
} op;

typedef struct program {
    uint64_t seed;
    bool maxmin;
    double latency, pair_duplex;
    int nodes, links;
    double up[MOST_NODES], down[MOST_NODES], node_duplex[MOST_NODES];
    double bandwidth[MOST_LINKS], link_latency[MOST_LINKS], duplex[MOST_LINKS];
    int count; /* of operations; the first is nothing */
    op ops[MOST_OPS];
} program;

/* The largest weight over the smallest. */
static inline double program_weights(const program *p)
{
    double least = INFINITY, most = 0;
    for (int i = 1; i < p->count; ++i) {
        const double weight = p->ops[i].x[1] > 0 ? p->ops[i].x[1] : 1;
        if (p->ops[i].kind != START) continue;
        least = fmin(least, weight);
        most = fmax(most, weight);
    }
    return most > 0 ? most / least : 1;
}

typedef struct maker {
    program *p;
    uint64_t random;
    bool round;      /* small round numbers, so that much happens at one instant */
    int weights;     /* 0: all 1, 1: 0.1 to 10, 2: 1e-6 to 1e6 */
    double in_order; /* how often */
    double often[KINDS];
} maker;

static double make_bandwidth(maker *m)
{
    static const double some[] = { 1, 2, 4, 5, 8, 10, 20, 40 };
    return m->round || chance(&m->random, 0.2) ? some[random_below(&m->random, 8)] : 0.5 + 50 * random_unit(&m->random);
}

static double make_latency(maker *m)
{
    if (chance(&m->random, 0.6)) return 0;
    return m->round ? (double)random_below(&m->random, 5) / 4 : random_unit(&m->random);
}

static double make_duplex(maker *m)
{
    return chance(&m->random, 0.7) ? 0 : m->round ? 1 + (double)random_below(&m->random, 4) / 4 : 1 + random_unit(&m->random);
}

static double make_weight(maker *m)
{
    if (m->weights == 0 || chance(&m->random, 0.5)) return chance(&m->random, 0.5) ? 0 : 1;
    if (m->weights == 1) return m->round ? (double)(1 << random_below(&m->random, 4)) / 2 : pow(10, 2 * random_unit(&m->random) - 1);
    return fmin(1e6, fmax(1e-6, pow(10, m->round ? random_below(&m->random, 13) - 6 : 12 * random_unit(&m->random) - 6)));
}

/* A time: of its own, or one that another operation has. */
static double make_time(maker *m)
{
    const op *other = &m->p->ops[random_below(&m->random, m->p->count)];
    if (chance(&m->random, 0.1)) return 0;
    if (chance(&m->random, 0.4) && other->kind != NOTHING && other->by == 0 && other->time >= 0) return other->time;
    return m->round ? (double)random_below(&m->random, 24) / 2 : 12 * random_unit(&m->random);
}

static void make_pair(maker *m, op *o)
{
    o->a = 1 + random_below(&m->random, chance(&m->random, 0.5) ? 2 : m->p->nodes);
    o->b = 1 + (o->a + random_below(&m->random, m->p->nodes - 1)) % m->p->nodes;
}

static void make_route(maker *m, op *o)
{
    const int most = m->p->links < 4 ? m->p->links : 4;
    bool taken[MOST_LINKS] = { false };
    o->flag = chance(&m->random, 0.5);
    o->n = o->time >= 0 && chance(&m->random, 0.1) ? 0 : 1 + random_below(&m->random, most);
    o->x[0] = o->n > 0 && chance(&m->random, 0.2);
    for (int i = 0; i < o->n; ++i) {
        int link = random_below(&m->random, m->p->links);
        while (taken[link]) link = (link + 1) % m->p->links;
        taken[link] = true;
        o->hops[i] = 2 * link + chance(&m->random, 0.3);
    }
}

static void make_rows(maker *m, op *o)
{
    double time = make_time(m);
    o->n = chance(&m->random, 0.1) ? 0 : 1 + random_below(&m->random, MOST_ROWS);
    for (int i = 0; i < o->n; ++i) {
        o->rows[i][0] = time;
        o->rows[i][1] = chance(&m->random, 0.2) ? 0 : make_bandwidth(m);
        time += m->round ? 0.5 * (1 + random_below(&m->random, 6)) : 0.1 + 3 * random_unit(&m->random);
    }
    if (o->n > 0 && chance(&m->random, 0.3)) o->x[0] = time - o->rows[0][0] + 1;
}

static void make_start(maker *m, op *o)
{
    const op *parent = &m->p->ops[o->by];
    make_pair(m, o);
    o->x[0] = m->round ? (double)(1 + random_below(&m->random, 20)) * (chance(&m->random, 0.3) ? 10 : 1) : 1 + 200 * random_unit(&m->random);
    if (chance(&m->random, 0.05)) o->x[0] = 0;
    o->x[1] = make_weight(m);
    o->x[2] = chance(&m->random, 0.7) ? 0 : make_bandwidth(m);
    o->flag = chance(&m->random, m->in_order);
    if (o->by == 0 || chance(&m->random, 0.4)) return;
    o->x[1] = parent->x[1]; /* a chain of transfers that are alike */
    o->x[2] = parent->x[2];
    if (chance(&m->random, 0.5)) return;
    o->a = parent->a;
    o->b = parent->b;
}

static int make_any(maker *m, kind kind)
{
    int found = 0, seen = 0;
    for (int i = 1; i < m->p->count; ++i)
        if (m->p->ops[i].kind == kind && random_below(&m->random, ++seen) == 0) found = i;
    return found;
}

static kind make_kind(maker *m)
{
    double sum = 0;
    for (int k = 0; k < KINDS; ++k) sum += m->often[k];
    double at = sum * random_unit(&m->random);
    for (int k = 0; k < KINDS; ++k)
        if ((at -= m->often[k]) < 0) return (kind)k;
    return START;
}

static void make_op(maker *m, kind kind, double time)
{
    op *o = &m->p->ops[m->p->count];
    memset(o, 0, sizeof *o);
    o->time = time;
    if (time >= 0 && chance(&m->random, 0.35)) o->by = make_any(m, START);
    if (time >= 0) o->time = o->by ? 0 : make_time(m);
    o->kind = kind;
    if (kind == CHANGE || kind == FAIL || kind == REPAIR || kind == FOLLOW) o->a = 1 + random_below(&m->random, m->p->links);
    switch (kind) {
    case START: make_start(m, o); break;
    case CANCEL: o->a = make_any(m, START); break;
    case CHANGE:
        o->x[0] = make_bandwidth(m);
        o->x[1] = make_latency(m);
        break;
    case FOLLOW: make_rows(m, o); break;
    case ROUTE:
        make_pair(m, o);
        make_route(m, o);
        break;
    case PAIR:
        make_pair(m, o);
        o->x[0] = make_latency(m);
        o->x[1] = time >= 0 && chance(&m->random, 0.05) ? 0 : (double)(1 + random_below(&m->random, 8)) / make_bandwidth(m);
        break;
    case NODE_FAIL: o->a = 1 + random_below(&m->random, m->p->nodes); break;
    default: break;
    }
    if (kind != CANCEL || o->a > 0) ++m->p->count;
}

static void make_network(maker *m)
{
    program *p = m->p;
    p->nodes = 2 + random_below(&m->random, MOST_NODES - 1);
    p->links = 1 + random_below(&m->random, MOST_LINKS);
    for (int i = 0; i < p->nodes; ++i) {
        p->up[i] = chance(&m->random, 0.5) ? make_bandwidth(m) : 0;
        p->down[i] = chance(&m->random, 0.5) ? make_bandwidth(m) : 0;
        p->node_duplex[i] = chance(&m->random, 0.8) ? 0 : make_duplex(m);
    }
    for (int i = 0; i < p->links; ++i) {
        p->bandwidth[i] = chance(&m->random, 0.7) ? make_bandwidth(m) : 0;
        p->link_latency[i] = make_latency(m);
        p->duplex[i] = make_duplex(m);
    }
    p->latency = chance(&m->random, 0.6) ? 0 : make_latency(m);
}

static void generate(program *p, uint64_t seed)
{
    static const double often[KINDS] = { [START] = 20, [CANCEL] = 2, [CHANGE] = 4,      [FAIL] = 2,     [REPAIR] = 1.5, [FOLLOW] = 1,
                                         [ROUTE] = 2,  [PAIR] = 2,   [NODE_FAIL] = 0.1, [MAP_OPEN] = 1, [MAP_READ] = 3, [MAP_CLOSE] = 0.2 };
    maker m;
    memset(p, 0, sizeof *p);
    memset(&m, 0, sizeof m);
    m.p = p;
    m.random = p->seed = seed;
    m.round = chance(&m.random, 0.6);
    m.weights = random_below(&m.random, 3);
    m.in_order = chance(&m.random, 0.4) ? 0 : chance(&m.random, 0.5) ? 0.3 : 0.9;
    for (int k = 0; k < KINDS; ++k) m.often[k] = often[k] * (k == START ? 1 : chance(&m.random, 0.3) ? 0 : 2 * random_unit(&m.random));
    const bool own = chance(&m.random, 0.25);
    if (chance(&m.random, 0.15)) p->pair_duplex = m.round ? 1 + (double)random_below(&m.random, 4) / 4 : 1 + random_unit(&m.random);
    if (!own) m.often[PAIR] = 0;
    make_network(&m);
    p->maxmin = chance(&m.random, 0.5);
    p->count = 1;
    for (int i = 1 + random_below(&m.random, p->nodes * 3); i > 0; --i) make_op(&m, ROUTE, -1);
    for (int i = own ? 1 + random_below(&m.random, 4) : 0; i > 0; --i) make_op(&m, PAIR, -1);
    /* With `pair_duplex` transfers in progress keep the limit of their pair when its route or its link is another one. That is
     * not in the reference: so these stay. */
    if (p->pair_duplex > 0) m.often[ROUTE] = m.often[PAIR] = 0;
    if (chance(&m.random, 0.3)) make_op(&m, MAP_OPEN, -1);
    const int wanted = p->count + 2 + random_below(&m.random, chance(&m.random, 0.2) ? 80 : 25);
    while (p->count < wanted && p->count < MOST_OPS) make_op(&m, make_kind(&m), 0);
}

#endif
