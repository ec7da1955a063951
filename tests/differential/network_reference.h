/* tests/differential/network_reference.h   What simkit.h promises of networks, slowly: a list of transfers, of which each gets a
 * new rate whenever anything happens (slow_rates.h).
 *
 * It reads what happened in the world, entry by entry, and says what is wrong. Which of several things at one instant comes first
 * is the world's choice; what it means for the next one is not. */
#ifndef NETWORK_REFERENCE_H
#define NETWORK_REFERENCE_H

#include "network_play.h"

#include "../slow_rates.h"

#include <stdarg.h>

/* How far ends, and the bytes of a load map, may be off, relatively. Where weights are further apart than WEIGHTS_FAR, the engine
 * loses digits (left to a later change): a light transfer makes the clock of a port run so fast that a heavy one after it is as exact
 * as 1e12 * 2^-53 of the time so far, a few times. */
#define TOLERANCE 1e-9
#define TOLERANCE_FAR 1e-3
#define WEIGHTS_FAR 1e3

typedef enum state {
    UNSTARTED,
    WAITING,   /* for its turn on its connection */
    TRAVELLING, /* its latency passes */
    FLOWING,
    CUT, /* lost, but that has not been told */
    OVER
} state;

typedef struct transfer {
    state state;
    int from, to;
    bool in_order, free; /* free: its bytes take no time: it has none, or nothing on its way has a bandwidth when it starts */
    double latency, joins;
    int hop_count, hops[MOST_LINKS];
    long double left;
} transfer;

typedef struct table {
    int count;
    double period, taken, rows[MOST_ROWS][2];
} table;

typedef struct route {
    int count, hops[MOST_LINKS];
    bool own, direct;
    double latency;
    int port; /* of the link of its own: number of the operation that has set it; 0: it has only a latency */
    int line[MOST_OPS], waiting; /* in order: line[0] has its turn */
} route;

/* Places at which transfers share: see place_*. */
enum { PLACES = 3 * MOST_LINKS + 3 * MOST_NODES + MOST_NODES * MOST_NODES + MOST_OPS };

typedef struct reference {
    const program *p;
    double now, tolerance;
    double bandwidth[MOST_LINKS], latency[MOST_LINKS];
    bool failed[MOST_LINKS], node_failed[MOST_NODES];
    table tables[MOST_LINKS];
    route routes[MOST_NODES][MOST_NODES];
    transfer transfers[MOST_OPS];
    slow_shared shared[PLACES];
    slow_flow flows[MOST_OPS];
    bool map, stale; /* a load map is open; rates have to be computed */
    /* What links have carried: for certain; and with what crossed them when they had no bandwidth, or took no time. */
    long double sure[MOST_LINKS][2], perhaps[MOST_LINKS][2];
    char why[200];
} reference;

static reference ref;

static void wrong(const char *format, ...)
{
    va_list arguments;
    if (ref.why[0]) return;
    va_start(arguments, format);
    vsnprintf(ref.why, sizeof ref.why, format, arguments);
    va_end(arguments);
}

static int place_link(int link, int side) /* side 2: both directions */
{
    return 3 * link + side;
}

static int place_node(int node, int side)
{
    return 3 * MOST_LINKS + 3 * node + side;
}

static int place_pair(int a, int b)
{
    return 3 * MOST_LINKS + 3 * MOST_NODES + (a < b ? a * MOST_NODES + b : b * MOST_NODES + a);
}

static int place_limit(int i)
{
    return 3 * MOST_LINKS + 3 * MOST_NODES + MOST_NODES * MOST_NODES + i;
}

static double or_infinite(double bandwidth)
{
    return bandwidth > 0 ? bandwidth : (double)INFINITY;
}

static bool is_duplex(double duplex)
{
    return duplex > 0 && duplex < 2;
}

/* The smallest bandwidth on the way, without the link of the pair. */
static double ref_way(int from, int to)
{
    const route *r = &ref.routes[from][to];
    double way = r->direct ? (double)INFINITY : fmin(or_infinite(ref.p->up[from]), or_infinite(ref.p->down[to]));
    for (int k = 0; k < r->count; ++k) way = fmin(way, ref.bandwidth[r->hops[k] / 2]);
    return way;
}

/* And with it. */
static double ref_limited(int from, int to)
{
    const int port = ref.routes[from][to].port;
    return port > 0 ? fmin(ref_way(from, to), 1 / ref.p->ops[port].x[1]) : ref_way(from, to);
}

static void ref_begin(const program *p)
{
    memset(&ref, 0, sizeof ref);
    ref.p = p;
    ref.tolerance = program_weights(p) > WEIGHTS_FAR ? TOLERANCE_FAR : TOLERANCE;
    for (int i = 0; i < p->links; ++i) {
        ref.bandwidth[i] = or_infinite(p->bandwidth[i]);
        ref.latency[i] = p->link_latency[i];
    }
}

/* The bandwidths of now. */
static void ref_share(void)
{
    const program *p = ref.p;
    for (int i = 0; i < p->links; ++i) {
        ref.shared[place_link(i, 0)].capacity = ref.shared[place_link(i, 1)].capacity = ref.bandwidth[i];
        ref.shared[place_link(i, 2)].capacity = is_duplex(p->duplex[i]) ? ref.bandwidth[i] * p->duplex[i] : (double)INFINITY;
    }
    for (int i = 0; i < p->nodes; ++i) {
        const double up = or_infinite(p->up[i]), down = or_infinite(p->down[i]);
        ref.shared[place_node(i, 0)].capacity = up;
        ref.shared[place_node(i, 1)].capacity = down;
        ref.shared[place_node(i, 2)].capacity = netmodel_duplex(up, down, p->node_duplex[i]);
    }
    for (int a = 0; a < p->nodes && p->pair_duplex > 0; ++a)
        for (int b = a + 1; b < p->nodes; ++b)
            ref.shared[place_pair(a, b)].capacity = netmodel_duplex(ref_limited(a, b), ref_limited(b, a), p->pair_duplex);
}

static void ref_rates(void)
{
    if (!ref.stale) return;
    ref.stale = false;
    ref_share();
    for (int i = 1; i < ref.p->count; ++i) ref.flows[i].flows = ref.transfers[i].state == FLOWING && !ref.transfers[i].free;
    slow_rates(ref.shared, PLACES, ref.flows + 1, ref.p->count - 1, ref.p->maxmin);
}

/* When a row of a table counts. */
static double ref_row_time(const table *t, double row)
{
    const double round = floor(row / t->count);
    return t->rows[(int)(row - round * t->count)][0] + round * t->period;
}

static bool ref_row_left(const table *t)
{
    return t->count > 0 && (t->period > 0 || t->taken < t->count);
}

/* A transfer is lost. */
static void ref_cut(int i)
{
    ref.transfers[i].state = CUT;
    ref.stale = true;
}

/* Those that cross a link, or begin or end at a node, are lost, with those behind them; the others of the line close up. */
static void ref_lose(int link, int node)
{
    for (int i = 1; i < ref.p->count; ++i) {
        const transfer *t = &ref.transfers[i];
        if (t->state != WAITING && t->state != TRAVELLING && t->state != FLOWING) continue;
        bool crosses = t->from == node || t->to == node;
        for (int k = 0; k < t->hop_count; ++k) crosses |= t->hops[k] / 2 == link;
        if (crosses) ref_cut(i);
    }
    for (int a = 0; a < ref.p->nodes; ++a)
        for (int b = 0; b < ref.p->nodes; ++b) {
            route *r = &ref.routes[a][b];
            int first = 0;
            while (first < r->waiting && ref.transfers[r->line[first]].state != CUT) ++first;
            for (int k = first; k < r->waiting; ++k) ref_cut(r->line[k]);
            r->waiting = first;
        }
}

static void ref_link_fail(int link)
{
    if (ref.failed[link]) return;
    ref.failed[link] = true;
    ref_lose(link, -1);
}

/* Returns true if a link on its way has a bandwidth, so that bytes take time. */
static bool ref_takes_time(int i)
{
    const slow_flow *f = &ref.flows[i];
    for (int k = 0; k < f->count; ++k)
        if (ref.shared[f->shared[k]].capacity < (double)INFINITY) return true;
    return false;
}

/* Bytes that would take no time do take some, if a link on their way has got a bandwidth before they have arrived. */
static void ref_slow(void)
{
    ref_share();
    for (int i = 1; i < ref.p->count; ++i) {
        transfer *t = &ref.transfers[i];
        if (t->state == FLOWING && t->free && ref.p->ops[i].x[0] > 0) t->free = !ref_takes_time(i);
    }
}

static void ref_take_row(int link)
{
    table *t = &ref.tables[link];
    const double bandwidth = t->rows[(int)fmod(t->taken, t->count)][1];
    t->taken += 1;
    ref.stale = true;
    if (bandwidth > 0) {
        ref.failed[link] = false;
        ref.bandwidth[link] = bandwidth;
        ref_slow();
    } else {
        ref_link_fail(link);
    }
}

/* Time passes, up to a time at which nothing happens before. */
static void ref_pass(double to)
{
    const long double dt = (long double)to - (long double)ref.now;
    ref_rates();
    for (int i = 1; i < ref.p->count && dt > 0; ++i) {
        transfer *t = &ref.transfers[i];
        if (t->state == CUT) wrong("at %.17g s transfer %d is lost, but that is not told", ref.now, i);
        if (t->state != FLOWING) continue;
        const long double rate = ref.flows[i].rate, sent = rate * dt;
        if (t->free) {
            wrong("at %.17g s transfer %d has ended, but that is not told", ref.now, i);
            continue;
        }
        t->left -= sent;
        for (int k = 0; k < t->hop_count && ref.map; ++k) {
            if (ref.bandwidth[t->hops[k] / 2] < (double)INFINITY) ref.sure[t->hops[k] / 2][t->hops[k] % 2] += sent;
            ref.perhaps[t->hops[k] / 2][t->hops[k] % 2] += sent;
        }
        if (-t->left > ref.tolerance * ref.p->ops[i].x[0] && -t->left / rate > ref.tolerance * to)
            wrong("transfer %d ends at %.17g s", i, (double)((long double)to + t->left / rate));
    }
    ref.now = to;
}

/* Transfers whose latency has passed begin to flow. */
static void ref_join(void)
{
    for (int i = 1; i < ref.p->count; ++i) {
        if (ref.transfers[i].state != TRAVELLING || !(ref.transfers[i].joins <= ref.now)) continue;
        ref.transfers[i].state = FLOWING;
        ref.stale = true;
    }
    if (ref.stale) ref_slow();
}

/* Up to a time; the rows of tables of that very time are left to the world. */
static void ref_advance(double to)
{
    while (ref.now < to && !ref.why[0]) {
        double next = to;
        int link = -1;
        for (int i = 1; i < ref.p->count; ++i)
            if (ref.transfers[i].state == TRAVELLING) next = fmin(next, ref.transfers[i].joins);
        for (int l = 0; l < ref.p->links; ++l) {
            const table *t = &ref.tables[l];
            if (!ref_row_left(t) || !(ref_row_time(t, t->taken) < to) || ref_row_time(t, t->taken) > next) continue;
            next = ref_row_time(t, t->taken);
            link = l;
        }
        if (next > ref.now) ref_pass(next);
        ref_join();
        if (link >= 0) ref_take_row(link);
    }
    ref_join();
}

/* The first of a line has its turn. */
static void ref_turn(const route *r)
{
    if (r->waiting == 0) return;
    ref.transfers[r->line[0]].state = TRAVELLING;
    ref.transfers[r->line[0]].joins = ref.now + ref.transfers[r->line[0]].latency;
    ref_join();
}

/* A transfer has ended, or was cancelled. */
static void ref_end(int i)
{
    transfer *t = &ref.transfers[i];
    route *r = &ref.routes[t->from][t->to];
    t->state = OVER;
    ref.stale = true;
    for (int k = 0; t->in_order && k < r->waiting; ++k) {
        if (r->line[k] != i) continue;
        memmove(&r->line[k], &r->line[k + 1], (size_t)(--r->waiting - k) * sizeof *r->line);
        if (k == 0) ref_turn(r);
        return;
    }
}

static void ref_done(int i)
{
    transfer *t = &ref.transfers[i];
    const double bytes = ref.p->ops[i].x[0];
    if (t->state == FLOWING) {
        const bool early = !t->free && t->left > ref.tolerance * bytes;
        if (early) ref_rates();
        if (early && t->left / ref.flows[i].rate > ref.tolerance * ref.now)
            wrong("transfer %d has %.17g of %.17g bytes left, at %.17g B/s", i, (double)t->left, bytes, (double)ref.flows[i].rate);
    } else {
        static const char *const names[] = { "was not started", "waits", "has latency left", "", "is lost", "is over" };
        wrong("transfer %d %s", i, names[t->state]);
    }
    for (int k = 0; k < t->hop_count && ref.map; ++k) { /* it has sent all, and here perhaps a little more or less by now */
        const long double off = t->free ? 0 : fabsl(t->left);
        ref.sure[t->hops[k] / 2][t->hops[k] % 2] -= off;
        ref.perhaps[t->hops[k] / 2][t->hops[k] % 2] += t->free ? (long double)bytes : off;
    }
    ref_end(i);
}

static void ref_cross(slow_flow *f, int place)
{
    f->shared[f->count++] = place;
}

static void ref_new(int i)
{
    const op *o = &ref.p->ops[i];
    const int from = o->a - 1, to = o->b - 1;
    route *r = &ref.routes[from][to];
    transfer *t = &ref.transfers[i];
    slow_flow *f = &ref.flows[i];
    memset(t, 0, sizeof *t);
    memset(f, 0, sizeof *f);
    t->from = from;
    t->to = to;
    t->in_order = o->flag;
    t->left = (long double)o->x[0];
    t->latency = r->own ? r->latency : r->direct ? 0 : ref.p->latency;
    t->hop_count = r->count;
    memcpy(t->hops, r->hops, sizeof t->hops);
    f->weight = o->x[1] > 0 ? o->x[1] : 1;
    ref_share();
    if (!r->direct) ref_cross(f, place_node(from, 0));
    if (!r->direct && is_duplex(ref.p->node_duplex[from])) ref_cross(f, place_node(from, 2));
    for (int k = 0; k < r->count; ++k) {
        const int link = r->hops[k] / 2;
        if (!r->own) t->latency += ref.latency[link];
        ref_cross(f, place_link(link, r->hops[k] % 2));
        if (is_duplex(ref.p->duplex[link])) ref_cross(f, place_link(link, 2));
    }
    if (!r->direct && is_duplex(ref.p->node_duplex[to])) ref_cross(f, place_node(to, 2));
    if (!r->direct) ref_cross(f, place_node(to, 1));
    if (r->port > 0) ref_cross(f, place_limit(r->port));
    if (is_duplex(ref.p->pair_duplex)) ref_cross(f, place_pair(from, to));
    ref.shared[place_limit(i)].capacity = or_infinite(o->x[2]);
    if (o->x[2] > 0) ref_cross(f, place_limit(i));
    t->free = !ref_takes_time(i) || !(o->x[0] > 0);
    t->state = WAITING;
    t->joins = ref.now + t->latency;
    if (t->in_order) r->line[r->waiting++] = i;
    if (!t->in_order || r->waiting == 1) t->state = TRAVELLING;
    ref_join();
}

/* The answer to the start of a transfer. */
static int ref_start_answer(const op *o)
{
    const route *r = &ref.routes[o->a - 1][o->b - 1];
    if (ref.node_failed[o->a - 1] || ref.node_failed[o->b - 1]) return SIMKIT_NODE_FAILED;
    for (int k = 0; k < r->count; ++k)
        if (ref.failed[r->hops[k] / 2]) return SIMKIT_LINK_FAILED;
    return SIMKIT_OK;
}

static void ref_route(const op *o)
{
    for (int back = 0; back < (o->flag ? 2 : 1); ++back) {
        route *r = &ref.routes[(back ? o->b : o->a) - 1][(back ? o->a : o->b) - 1];
        r->count = o->n;
        r->direct = o->x[0] > 0;
        for (int k = 0; k < o->n; ++k) r->hops[k] = back ? o->hops[o->n - 1 - k] ^ 1 : o->hops[k];
    }
}

static void ref_follow(const op *o)
{
    table *t = &ref.tables[o->a - 1];
    memset(t, 0, sizeof *t);
    t->count = o->n;
    t->period = o->x[0];
    memcpy(t->rows, o->rows, sizeof t->rows);
    double last = -1;
    for (double row = 0; o->n > 0 && (t->period > 0 || row < o->n) && ref_row_time(t, row) <= ref.now; ++row) last = row;
    if (last < 0) return;
    t->taken = last;
    ref_take_row(o->a - 1); /* only the last one counts */
}

/* What a link has carried, by the map and by the reference. */
static void ref_map(const entry *e)
{
    for (int l = 0; l < ref.p->links && ref.map; ++l)
        for (int side = 0; side < 2; ++side) {
            const double is = e->bytes[l][side];
            const long double least = ref.sure[l][side], most = ref.perhaps[l][side];
            long double slack = most;
            for (int i = 1; i < ref.p->count; ++i) /* what they have sent is as exact as what they have left */
                for (int k = 0; k < ref.transfers[i].hop_count && most > 0; ++k)
                    if (ref.transfers[i].hops[k] == 2 * l + side) slack += (long double)ref.p->ops[i].x[0];
            slack *= (long double)ref.tolerance;
            if (!((long double)is >= least - slack && (long double)is <= most + slack))
                wrong("by the load map link %d has carried %.17g bytes %s, not %.17Lg to %.17Lg", l + 1, is, side ? "back" : "forth", least, most);
        }
}

/* Does what an operation does. Returns its answer. */
static int ref_answer(int i, const entry *e)
{
    const op *o = &ref.p->ops[i];
    int answer = SIMKIT_OK;
    ref.stale = true;
    switch (o->kind) {
    case START:
        answer = ref_start_answer(o);
        if (answer == SIMKIT_OK) ref_new(i);
        break;
    case CANCEL: {
        const state s = ref.transfers[o->a].state;
        answer = s == WAITING || s == TRAVELLING || s == FLOWING;
        if (answer) ref_end(o->a);
        break;
    }
    case CHANGE:
        ref.bandwidth[o->a - 1] = o->x[0];
        ref_slow();
        ref.latency[o->a - 1] = o->x[1];
        break;
    case FAIL:
        answer = ref.failed[o->a - 1] ? SIMKIT_LINK_FAILED : SIMKIT_OK;
        ref_link_fail(o->a - 1);
        break;
    case REPAIR: ref.failed[o->a - 1] = false; break;
    case FOLLOW: ref_follow(o); break;
    case ROUTE: ref_route(o); break;
    case PAIR: {
        route *r = &ref.routes[o->a - 1][o->b - 1];
        if (o->x[1] < (1 - 1e-12) / ref_way(o->a - 1, o->b - 1)) {
            answer = SIMKIT_BAD_ARGUMENT;
            break;
        }
        r->own = true;
        r->latency = o->x[0];
        r->port = o->x[1] > 0 ? (int)(o - ref.p->ops) : 0;
        if (r->port > 0) ref.shared[place_limit(r->port)].capacity = 1 / o->x[1];
        break;
    }
    case NODE_FAIL:
        answer = ref.node_failed[o->a - 1] ? SIMKIT_NODE_FAILED : SIMKIT_OK;
        ref.node_failed[o->a - 1] = true;
        ref_lose(-1, o->a - 1);
        break;
    case MAP_OPEN:
        if (!ref.map) memset(ref.sure, 0, sizeof ref.sure), memset(ref.perhaps, 0, sizeof ref.perhaps);
        ref.map = true;
        break;
    case MAP_READ: ref_map(e); break;
    case MAP_CLOSE: ref.map = false; break;
    default: break;
    }
    return answer;
}

static void ref_entry(const entry *e)
{
    if (!(e->time >= ref.now)) wrong("the time goes back");
    ref_advance(e->time);
    for (int l = 0; l < ref.p->links; ++l) { /* rows that were taken at this instant, before this entry */
        table *t = &ref.tables[l];
        while (t->taken < e->rows[l] && ref_row_left(t) && ref_row_time(t, t->taken) <= ref.now) ref_take_row(l);
        if (t->taken < e->rows[l] || t->taken > e->rows[l]) wrong("link %d has taken %g rows of its table, not %g", l + 1, e->rows[l], t->taken);
    }
    switch (e->event) {
    case ANSWERED: {
        const op *o = &ref.p->ops[e->op];
        const int answer = ref_answer(e->op, e);
        if (o->by == 0 && o->time >= 0 && (e->time < o->time || e->time > o->time)) wrong("it is due at %.17g s", o->time);
        if (e->result != answer) wrong("the answer is %d, not %d", e->result, answer);
        break;
    }
    case DONE: ref_done(e->op); break;
    case LOST:
        if (ref.transfers[e->op].state != CUT) wrong("transfer %d is not lost", e->op);
        ref.transfers[e->op].state = OVER;
        break;
    case ENDED:
        if (e->result != SIMKIT_OK) wrong("the run ends with %d, not 0", e->result);
        ref_map(e);
        for (int i = 1; i < ref.p->count; ++i)
            if (ref.transfers[i].state != UNSTARTED && ref.transfers[i].state != OVER) wrong("transfer %d never ends", i);
        break;
    }
}

/* Holds what was played against the reference. Returns the entry that is wrong; -1: none is. */
static int ref_check(void)
{
    ref_begin(playing.p);
    for (int i = 0; i < playing.count; ++i) {
        ref_entry(&playing.entries[i]);
        if (ref.why[0]) return i;
    }
    return -1;
}

#endif
