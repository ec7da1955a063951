/* tests/differential/reference.h   A slow, obvious world that executes the same programs, to hold the engine against.
 *
 * It knows no queue, no virtual clocks and no heaps: before each event it computes every rate and every completion from
 * scratch, in long double. It follows the history that the engine left: each entry has to be what may happen next.
 *   - What was asked for a time (steps, waits, latencies, wake-ups) comes to the bit at that time, in the order of (time,
 *     priority, number).
 *   - What shares something (computations, transfers) is done within a small relative error of the right time. If that is
 *     to the bit the time of a step, the computation's turn is when its node's shares last changed.
 *   - Everything else is exact: results, counts, messages, who is told.
 * After each event its clock is set to the engine's, so errors do not add up, and what is late stays late. Completions of
 * transfers at one instant may come in any order. So may the notices of what a failed node lost. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "play.h"

#include <float.h>
#include <limits.h>
#include <setjmp.h>

typedef long double real;

typedef struct ref_timer {
    bool armed, loose; /* loose: any time at this instant */
    double due;
    int priority;
    uint64_t number;
} ref_timer;

typedef struct ref_node {
    bool made, failed, keeps;
    double kept_since;
    int place;        /* among the nodes, from 0 */
    uint64_t number;  /* of the latest change of its shares */
    uint64_t felt;    /* transfers came or went at this instant: its turn among those that feel it; 0: none did */
    int running_kept; /* computations there when it began to keep its past */
    /* quota */
    real left, refill, refills, offset;
    real held; /* of the slice that was drawn last */
    bool edge; /* a slice was just used up, or nearly: rounding says whether one more was drawn */
    bool spent;
    real taken; /* cores in use now */
    /* host */
    double cores, demand;
    /* bursts of its links, down and up */
    real tokens[2];
} ref_node;

typedef enum ref_state { AWAY, QUEUED, LATENCY, ALONE, FLOWING, COMPUTING, GONE } ref_state;

typedef struct ref_task { /* a computation or a transfer */
    ref_state state;
    int node, to; /* operations */
    bool in_order, told; /* told: somebody wants to know its end */
    int port;            /* of the link of its pair: the operation that has set it; 0: that has none */
    real left, rate;
    double latency, alone, begun, size;
    real at_once; /* bytes that passed so */
    int nice;
    uint64_t label;
} ref_task;

typedef struct ref_place { /* in a line at a mailbox: a letter that lies there, or a receiver that waits */
    int box;               /* 0: in no line */
    long long order;
} ref_place;

typedef enum ref_life { UNBORN, READY, RUNNING_NOW, HOLDING, ON_COMPUTATION, CANCELLED, SENDING, RECEIVING, SUSPENDED, DEAD } ref_life;

typedef struct ref_process {
    ref_life life;
    int node, next, waits; /* operations: where it is, what comes after it, what it waits in */
    int seat;
    bool started;
    bool resumed; /* before it suspends itself */
} ref_process;

typedef struct reference {
    const program *p;
    const history *h;
    simkit_world *world; /* for its random streams only */
    int at;              /* the next entry */
    double now;
    real clock;
    uint64_t numbers;
    long long lines;
    bool running, stopped;
    int current; /* process */
    ref_timer timers[MOST_OPS];
    bool background[MOST_OPS]; /* of steps */
    double quiet;              /* when something was lost last that nobody is told of */
    ref_node nodes[MOST_OPS];
    int added[MOST_OPS], node_count; /* the nodes in the order in which they were added */
    ref_task tasks[MOST_OPS];
    ref_place letters[MOST_OPS], takers[MOST_OPS];
    int given[MOST_OPS]; /* of a receiver: the letter that it will get; 0: none, -1: its mailbox was closed */
    double sent[MOST_OPS], arrived[MOST_OPS];
    struct {
        int node, place;
        bool made, closed;
    } boxes[MOST_OPS];
    int box_count;
    struct {
        bool made;
        double latency;
        int port;
    } models[MOST_OPS][8]; /* links of pairs, by the numbers of nodes, if there are not too many */
    ref_process processes[MOST_OPS];
    int seats[MOST_OPS], free_seats;
    struct {
        int node, by;
        double time;
    } changes[4 * MOST_OPS]; /* of the number of computations on a node */
    int change_count;
    struct {
        double time;
        int priority;
        uint64_t number, counter;
    } last; /* what was due and its turn is known */
    double processor;
    struct {
        bool made;
        int runs, reused;
    } operations[MOST_OPS];
    struct {
        int operation;
        double least, seconds; /* of its size class */
    } uses[NUMBERS * MOST_OPS]; /* of operations that are measured, run or not */
    int use_count;
    jmp_buf out;
    char why[300];
} reference;

#define REF_TOLERANCE 1e-10L

static void ref_wrong(reference *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->why, sizeof r->why, format, arguments);
    va_end(arguments);
    longjmp(r->out, 1);
}

/* What comes cannot be told, such as whether a tick comes before or after a quota is spent: stops without a verdict. */
static void ref_vague(reference *r)
{
    r->why[0] = 0;
    longjmp(r->out, 2);
}

static const op *ref_op(const reference *r, int i)
{
    return &r->p->ops[i];
}

static bool ref_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static const entry *ref_next(reference *r)
{
    if (r->at >= r->h->count) ref_wrong(r, "the history is at its end");
    return &r->h->entries[r->at];
}

/* The next entry has to be this one, now. */
static void ref_expect(reference *r, int i, event event, int result, double a, double b, double c, double d)
{
    const entry *e = ref_next(r);
    const double values[4] = { a, b, c, d };
    if (e->op != i || e->event != event || e->result != result || !ref_same(e->time, r->now))
        ref_wrong(r, "expected at %.17g s: %d %s %s %d", r->now, i, kinds[ref_op(r, i)->kind].name, events[event], result);
    for (int k = 0; k < 4; ++k)
        if (!(fabs(e->values[k] - values[k]) <= 1e-10 * fabs(values[k]) + 1e-290) && !(isnan(values[k]) && isnan(e->values[k])))
            ref_wrong(r, "expected %.17g as value %d", values[k], k);
    ++r->at;
}

static void ref_arm(reference *r, int i, double due, int priority)
{
    r->timers[i].armed = true;
    r->timers[i].loose = false;
    r->timers[i].due = due;
    r->timers[i].priority = priority;
    r->timers[i].number = ++r->numbers;
}

static void ref_notice(reference *r, int i)
{
    ref_arm(r, i, r->now, 0);
    r->timers[i].loose = true;
}

/*=============================================================================
 * Rates
 *===========================================================================*/
static int ref_running(const reference *r, int node)
{
    int count = 0;
    for (int i = 1; i < r->p->count; ++i) count += r->tasks[i].state == COMPUTING && r->tasks[i].node == node;
    return count;
}

/* How many flow out of a node or into it. */
static int ref_flowing(const reference *r, int node, bool out)
{
    int count = 0;
    for (int i = 1; i < r->p->count; ++i)
        count += r->tasks[i].state == FLOWING && (out ? r->tasks[i].node : r->tasks[i].to) == node;
    return count;
}

static real ref_bandwidth(const reference *r, int node, bool up)
{
    const double bandwidth = ref_op(r, node)->x[up ? 1 : 2];
    return bandwidth > 0 ? bandwidth : (real)INFINITY;
}

/* Of the link of a pair. */
static real ref_own(const reference *r, int port)
{
    return port > 0 ? 1 / (real)ref_op(r, port)->x[1] : (real)INFINITY;
}

static real ref_least(real a, real b)
{
    return a < b ? a : b;
}

static real ref_alone(const reference *r, const ref_task *t)
{
    return ref_least(ref_least(ref_bandwidth(r, t->node, true), ref_bandwidth(r, t->to, false)), ref_own(r, t->port));
}

static void ref_rates_equal(reference *r)
{
    for (int i = 1; i < r->p->count; ++i) {
        ref_task *t = &r->tasks[i];
        if (t->state != FLOWING) continue;
        const int out = ref_flowing(r, t->node, true), in = ref_flowing(r, t->to, false);
        const real up = ref_bandwidth(r, t->node, true) / out, down = ref_bandwidth(r, t->to, false) / in;
        int beside = 0;
        for (int k = 1; k < r->p->count; ++k) beside += r->tasks[k].state == FLOWING && r->tasks[k].port == t->port;
        t->rate = ref_least(ref_least(up, down), ref_own(r, t->port) / beside) / ref_alone(r, t);
    }
}

/* Progressive filling: the link that is full at the lowest level holds back its transfers, then the next one. */
static void ref_rates_maxmin(reference *r)
{
    static bool fixed[MOST_OPS];
    memset(fixed, 0, sizeof fixed);
    for (;;) {
        real lowest = (real)INFINITY;
        int link = 0, side = 0;
        for (int node = 1; node < r->p->count; ++node)
            for (int up = 0; up < 3; ++up) { /* 2: the link of a pair */
                if (up < 2 ? !r->nodes[node].made : ref_op(r, node)->kind != MODEL || !(ref_op(r, node)->x[1] > 0)) continue;
                real rest = up < 2 ? ref_bandwidth(r, node, up) : ref_own(r, node);
                int rising = 0;
                for (int i = 1; i < r->p->count; ++i) {
                    const ref_task *t = &r->tasks[i];
                    if (t->state != FLOWING || (up == 2 ? t->port : up ? t->node : t->to) != node) continue;
                    if (fixed[i])
                        rest -= t->rate;
                    else
                        ++rising;
                }
                if (rising > 0 && rest / rising < lowest) {
                    lowest = rest / rising;
                    link = node;
                    side = up;
                }
            }
        if (link == 0) break;
        for (int i = 1; i < r->p->count; ++i) {
            ref_task *t = &r->tasks[i];
            if (t->state != FLOWING || fixed[i] || (side == 2 ? t->port : side ? t->node : t->to) != link) continue;
            t->rate = lowest;
            fixed[i] = true;
        }
    }
    for (int i = 1; i < r->p->count; ++i) {
        ref_task *t = &r->tasks[i];
        if (t->state != FLOWING) continue;
        t->rate = fixed[i] ? t->rate / ref_alone(r, t) : 1;
    }
}

/* By weight, with a whole core at most: whoever would have more gets one, and the others share what is left. */
static void ref_rates_computing(reference *r, int node)
{
    const op *o = ref_op(r, node);
    ref_node *n = &r->nodes[node];
    real cores = n->cores - o->x[6] * (real)ref_flowing(r, node, false) - o->x[5] * (real)ref_flowing(r, node, true);
    const real speed = o->x[0] > 0 ? o->x[0] : 1;
    const contention_nice_rule rule = o->flag ? CONTENTION_NICE_LINUX_2_2 : CONTENTION_NICE_LINUX_TODAY;
    static bool whole[MOST_OPS];
    bool again = true;
    memset(whole, 0, sizeof whole);
    if (cores < 0 || n->spent) cores = 0;
    n->taken = 0;
    while (again) {
        real weights = 0, rest = cores;
        again = false;
        for (int i = 1; i < r->p->count; ++i) {
            if (r->tasks[i].state != COMPUTING || r->tasks[i].node != node) continue;
            if (whole[i])
                rest -= 1;
            else
                weights += contention_nice_weight(rule, r->tasks[i].nice);
        }
        for (int i = 1; i < r->p->count; ++i) {
            ref_task *t = &r->tasks[i];
            if (t->state != COMPUTING || t->node != node || whole[i]) continue;
            t->rate = rest > 0 ? rest * contention_nice_weight(rule, t->nice) / weights : 0;
            if (t->rate >= 1) {
                t->rate = 1;
                whole[i] = again = true;
            }
        }
    }
    for (int i = 1; i < r->p->count; ++i) {
        if (r->tasks[i].state != COMPUTING || r->tasks[i].node != node) continue;
        n->taken += r->tasks[i].rate;
        r->tasks[i].rate *= speed;
    }
}

/* Who shares the memory: who wants least has what it wants, one after another, until there is no longer enough for all
 * others to have as much; these divide the rest by the cores that they use. */
static void ref_rates_memory(reference *r, int node)
{
    const real speed = ref_op(r, node)->x[0] > 0 ? ref_op(r, node)->x[0] : 1;
    static bool has[MOST_OPS];
    real rest = ref_op(r, node)->x[12];
    memset(has, 0, sizeof has);
    for (;;) {
        real cores = 0, level;
        int least = 0;
        for (int i = 1; i < r->p->count; ++i) {
            if (r->tasks[i].state != COMPUTING || r->tasks[i].node != node || has[i]) continue;
            if (least == 0 || ref_op(r, i)->x[1] < ref_op(r, least)->x[1]) least = i;
            cores += r->tasks[i].rate / speed;
        }
        if (least == 0 || cores <= 0) return;
        level = rest / cores;
        if (ref_op(r, least)->x[1] * speed > level) {
            for (int i = 1; i < r->p->count; ++i)
                if (r->tasks[i].state == COMPUTING && r->tasks[i].node == node && !has[i])
                    r->tasks[i].rate *= level / (ref_op(r, i)->x[1] * speed);
            return;
        }
        has[least] = true;
        rest -= ref_op(r, least)->x[1] * r->tasks[least].rate;
    }
}

static void ref_rates(reference *r)
{
    if (r->p->sharing == SIMKIT_SHARING_EQUAL)
        ref_rates_equal(r);
    else
        ref_rates_maxmin(r);
    for (int i = 1; i < r->p->count; ++i)
        if (r->nodes[i].made) {
            ref_rates_computing(r, i);
            if (ref_op(r, i)->x[12] > 0) ref_rates_memory(r, i);
        }
}

static bool ref_shares(const ref_task *t)
{
    return t->state == FLOWING || t->state == COMPUTING;
}

/* When a computation or a transfer would be done, if nothing else happened. */
static real ref_end(const reference *r, const ref_task *t)
{
    if (t->left <= 0) return r->clock;
    return t->rate > 0 ? r->clock + t->left / t->rate : (real)INFINITY;
}

/*=============================================================================
 * Quotas
 *===========================================================================*/
static bool ref_rationed(const reference *r, int node)
{
    return r->nodes[node].made && ref_op(r, node)->x[7] > 0;
}

/* A node with a quota changes its shares, or is looked at. */
static void ref_ration(reference *r, int node)
{
    ref_node *n = &r->nodes[node];
    const op *o = ref_op(r, node);
    if (!ref_rationed(r, node)) return;
    if (n->refill <= r->clock && n->left > 0 && n->edge)
        ref_vague(r);
    while (n->refill <= r->clock) {
        n->left = n->left < n->held ? n->left + o->x[7] : n->held + o->x[7];
        n->refills += 1;
        n->refill = o->x[8] * (n->refills + n->offset);
    }
    if (fabsl(n->left) < 1e-12L) ref_vague(r); /* nearly spent: rounding says whether it is */
    n->spent = n->left <= 0;
    for (int i = 1; n->spent && i < r->p->count; ++i) { /* rounding says whether what is nearly done waits for more */
        const ref_task *t = &r->tasks[i];
        if (t->state == COMPUTING && t->node == node && fabsl(t->left) < 1e-12L) ref_vague(r);
    }
}

/* When a node with a quota is next to be looked at: its quota is found to be spent, or a period begins. */
static real ref_look(reference *r, int node)
{
    const ref_node *n = &r->nodes[node];
    const op *o = ref_op(r, node);
    real found = (real)INFINITY;
    if (!ref_rationed(r, node) || n->failed || ref_running(r, node) == 0) return (real)INFINITY;
    if (n->taken > 0) {
        found = r->clock + (n->left > 0 ? n->left / n->taken : 0);
        if (o->x[9] > 0) {
            const real ticks = found / o->x[9];
            if (fabsl(ticks - roundl(ticks)) < 1e-9L * (1 + ticks)) ref_vague(r);
            found = o->x[9] * ceill(ticks);
        }
    }
    return found < n->refill ? found : n->refill;
}

/* CPU time is used, slice by slice. */
static void ref_use(reference *r, int node, real used)
{
    const real slice = ref_op(r, node)->x[3];
    ref_node *n = &r->nodes[node];
    n->left -= used;
    if (slice > 0 && used > 1e5L * slice) ref_vague(r); /* too long to be reckoned here */
    while (slice > 0 && used >= n->held) {
        used -= n->held;
        n->held = slice;
    }
    if (slice > 0) n->held -= used;
    n->edge = slice > 0 && (n->held < 1e-12L * slice || n->held > (1 - 1e-12L) * slice);
    if (n->held > n->left) n->held = n->left > 0 ? n->left : 0;
}

static double ref_cores(const reference *r, int node)
{
    const op *o = ref_op(r, node);
    return o->n > 0 ? o->n : 1;
}

static bool ref_same_host(const reference *r, int a, int b)
{
    return r->nodes[a].made && r->nodes[b].made && ref_same(ref_op(r, a)->x[10], ref_op(r, b)->x[10]);
}

/* What each node of a host can have, when those with the smallest demands are satisfied and the others share the rest. */
static double ref_host_level(const reference *r, int node)
{
    for (double level = 0, least = 0;; level = least) { /* everybody who wants at most `level` has that */
        double cores = 0, rest = 0, sharing = 0;
        least = INFINITY;
        for (int i = 1; i < r->p->count; ++i) {
            if (!ref_same_host(r, i, node)) continue;
            cores = fmax(cores, ref_cores(r, i));
            if (r->nodes[i].demand <= level) {
                rest -= r->nodes[i].demand;
            } else {
                sharing += 1;
                least = fmin(least, r->nodes[i].demand);
            }
        }
        if (sharing <= 0) return INFINITY;
        if ((cores + rest) / sharing < least) return (cores + rest) / sharing;
    }
}

/* The demand of a node may have changed: so do the shares of the others of its host, from the next one on. */
static void ref_reshare_host(reference *r, int node)
{
    ref_node *n = &r->nodes[node];
    const double demand = n->failed || n->spent ? 0 : fmin(ref_running(r, node), ref_cores(r, node));
    double level;
    if (ref_op(r, node)->x[10] <= 0 || ref_same(demand, n->demand)) return;
    n->demand = demand;
    level = ref_host_level(r, node);
    for (int k = 1; k <= r->node_count; ++k) { /* in the order in which they were added, from the next one round to this one */
        const int i = r->added[(n->place + k) % r->node_count];
        ref_node *other = &r->nodes[i];
        const double cores = other->demand > level ? level : ref_cores(r, i);
        if (!ref_same_host(r, i, node) || other->demand <= 0 || ref_same(cores, other->cores)) continue;
        other->cores = cores;
        if (i != node) other->number = ++r->numbers;
    }
}

/* The shares of a node change: its turn among what is due at one instant is anew. */
static void ref_reshare(reference *r, int node)
{
    ref_ration(r, node);
    ref_reshare_host(r, node);
    r->nodes[node].number = ++r->numbers;
}

/* Up to a time, at the rates that there are. */
static void ref_advance(reference *r, real time)
{
    const real passed = time - r->clock;
    if (passed <= 0) return;
    for (int i = 1; i < r->p->count; ++i) {
        if (ref_shares(&r->tasks[i])) r->tasks[i].left -= passed * r->tasks[i].rate;
        if (ref_rationed(r, i) && ref_running(r, i) > 0)
            ref_use(r, i, passed * r->nodes[i].taken);
        else if (r->nodes[i].held > ref_op(r, i)->x[4])
            r->nodes[i].held = ref_op(r, i)->x[4];
        for (int up = 0; r->nodes[i].made && up < 2; ++up) {
            const real burst = ref_op(r, i)->x[11], tokens = r->nodes[i].tokens[up] + passed * ref_bandwidth(r, i, up);
            if (ref_flowing(r, i, up) == 0) r->nodes[i].tokens[up] = tokens < burst ? tokens : burst;
        }
    }
    r->clock = time;
    for (int i = 1; i < r->p->count; ++i)
        if (ref_rationed(r, i) && !r->nodes[i].failed && ref_running(r, i) == 0) ref_ration(r, i);
}

/*=============================================================================
 * What happens to things
 *===========================================================================*/
static void ref_execute(reference *r, int parent);
static void ref_body(reference *r, int process);

static void ref_counts(reference *r, int node, int by)
{
    r->changes[r->change_count].node = node;
    r->changes[r->change_count].by = by;
    r->changes[r->change_count++].time = r->now;
}

static void ref_feel(reference *r, const ref_task *t)
{
    if (ref_op(r, t->node)->x[5] > 0 && r->nodes[t->node].felt == 0) r->nodes[t->node].felt = ++r->numbers;
    if (ref_op(r, t->to)->x[6] > 0 && r->nodes[t->to].felt == 0) r->nodes[t->to].felt = ++r->numbers;
}

/* What came and went at this instant is felt at its end, by the nodes in the order in which it touched them. */
static void ref_settle(reference *r)
{
    for (;;) {
        int first = 0;
        for (int i = 1; i < r->p->count; ++i)
            if (r->nodes[i].felt && (first == 0 || r->nodes[i].felt < r->nodes[first].felt)) first = i;
        if (first == 0) break;
        if (!r->nodes[first].failed) ref_reshare(r, first);
        r->nodes[first].felt = 0;
    }
}

static void ref_fire(reference *r, int i, event event)
{
    r->current = 0;
    ref_expect(r, i, event, 0, 0, 0, 0, 0);
    ref_execute(r, i);
}

/* A process goes on with an answer. */
static void ref_go(reference *r, int process, int result, double a, double b, double c, double d)
{
    ref_process *q = &r->processes[process];
    r->current = process;
    q->life = RUNNING_NOW;
    ref_expect(r, q->waits, RETURNED, result, a, b, c, d);
    ref_body(r, process);
}

static void ref_go_with_letter(reference *r, int process)
{
    const int letter = r->given[process];
    if (letter < 0)
        ref_go(r, process, SIMKIT_MAILBOX_CLOSED, 0, 0, 0, 0);
    else
        ref_go(r, process, SIMKIT_OK, letter, ref_op(r, letter)->x[0], r->sent[letter], r->arrived[letter]);
}

/* The first of a line at a mailbox; 0: it is empty. */
static int ref_first(const reference *r, const ref_place *line, int box)
{
    int first = 0;
    for (int i = 1; i < r->p->count; ++i)
        if (line[i].box == box && (first == 0 || line[i].order < line[first].order)) first = i;
    return first;
}

static void ref_line(reference *r, ref_place *line, int i, int box, bool front)
{
    line[i].box = box;
    line[i].order = front ? -++r->lines : ++r->lines;
}

/* A letter, or -1 for none, to the first who waits; false if nobody does. */
static bool ref_give(reference *r, int box, int letter)
{
    const int taker = ref_first(r, r->takers, box);
    if (taker == 0) return false;
    r->takers[taker].box = 0;
    r->given[taker] = letter;
    ref_arm(r, taker, r->now, 0);
    return true;
}

static int ref_box_of(const reference *r, int letter)
{
    return ref_op(r, letter)->b;
}

static void ref_letter_arrives(reference *r, int letter)
{
    const int box = ref_box_of(r, letter);
    r->arrived[letter] = r->now;
    if (!r->boxes[box].closed && !ref_give(r, box, letter)) ref_line(r, r->letters, letter, box, false);
}

static void ref_box_shut(reference *r, int box)
{
    r->boxes[box].closed = true;
    for (int i; (i = ref_first(r, r->letters, box)) != 0;) r->letters[i].box = 0;
    while (ref_give(r, box, -1)) {
    }
}

/* A transfer begins: its latency. */
static void ref_begin(reference *r, int i)
{
    r->tasks[i].state = LATENCY;
    r->tasks[i].begun = r->now;
    ref_arm(r, i, r->now + r->tasks[i].latency, 0);
}

static bool ref_same_way(const ref_task *a, const ref_task *b)
{
    return a->in_order && b->in_order && a->node == b->node && a->to == b->to;
}

/* The next of those that wait for their turn behind it begins. */
static void ref_pass(reference *r, const ref_task *t)
{
    int following = 0;
    for (int k = 1; k < r->p->count; ++k)
        if (r->tasks[k].state == QUEUED && ref_same_way(t, &r->tasks[k]) &&
            (following == 0 || r->tasks[k].label < r->tasks[following].label))
            following = k;
    if (following) ref_begin(r, following);
}

static void ref_arrive(reference *r, int i)
{
    ref_task *t = &r->tasks[i];
    const op *o = ref_op(r, i);
    if (t->state == FLOWING) ref_feel(r, t);
    t->state = AWAY;
    r->timers[i].armed = false;
    ref_expect(r, i, ARRIVED, 0, t->begun, o->x[0], 0, 0);
    ref_pass(r, t);
    if (o->kind != TRANSFER) ref_letter_arrives(r, i);
    if (!t->told) return;
    if (o->kind == SEND)
        ref_go(r, o->by, SIMKIT_OK, 0, 0, 0, 0);
    else
        ref_fire(r, i, DONE);
}

/* Bytes that pass at once, because both links have rested. */
static void ref_burst(reference *r, ref_task *t)
{
    real *up = &r->nodes[t->node].tokens[1], *down = &r->nodes[t->to].tokens[0];
    const bool limits_up = ref_bandwidth(r, t->node, true) < (real)INFINITY;
    const bool limits_down = ref_bandwidth(r, t->to, false) < (real)INFINITY;
    real tokens = t->size;
    if (t->node == t->to || t->port > 0 || t->left <= 0) return;
    if (limits_up && *up < tokens) tokens = *up;
    if (limits_down && *down < tokens) tokens = *down;
    /* The engine's tokens are off by 1e-16 of what the bucket holds. Where few bytes are missing, that is more of the time
     * they take than REF_TOLERANCE. */
    real held = t->size;
    if (limits_up && ref_op(r, t->node)->x[11] > held) held = ref_op(r, t->node)->x[11];
    if (limits_down && ref_op(r, t->to)->x[11] > held) held = ref_op(r, t->to)->x[11];
    if (tokens < t->size && t->size - tokens <= 1e-5L * held) ref_vague(r);
    if (tokens >= t->size && ((limits_up && *up < t->size * (1 + 1e-9L) && *up < ref_op(r, t->node)->x[11]) ||
                              (limits_down && *down < t->size * (1 + 1e-9L) && *down < ref_op(r, t->to)->x[11])))
        ref_vague(r); /* rounding says whether any bytes are left */
    if (limits_up) *up -= tokens;
    if (limits_down) *down -= tokens;
    t->at_once = tokens;
    t->left = tokens < t->size ? (t->size - tokens) / ref_alone(r, t) : 0;
}

/* Its latency is over. */
static void ref_latency_over(reference *r, int i)
{
    ref_task *t = &r->tasks[i];
    r->timers[i].armed = false;
    ref_burst(r, t);
    if (t->left <= 0) {
        ref_arrive(r, i);
        return;
    }
    ref_expect(r, i, FLOWS, 0, t->begun, ref_op(r, i)->x[0], 0, 0);
    if (t->node == t->to) {
        t->state = ALONE;
        ref_arm(r, i, r->now + t->alone, 0);
    } else {
        t->state = FLOWING;
        ref_feel(r, t);
    }
}

static void ref_computed(reference *r, int i)
{
    ref_task *t = &r->tasks[i];
    t->state = AWAY;
    ref_counts(r, t->node, -1);
    ref_reshare(r, t->node);
    if (ref_op(r, i)->kind == COMPUTE)
        ref_fire(r, i, DONE);
    else
        ref_go(r, ref_op(r, i)->by, SIMKIT_OK, 0, 0, 0, 0);
}

/* Somebody is told that a node failed. */
static void ref_lost(reference *r, int i)
{
    const kind k = ref_op(r, i)->kind;
    r->tasks[i].state = AWAY;
    r->timers[i].armed = false;
    if (k == SEND || k == PROCESS_COMPUTE)
        ref_go(r, ref_op(r, i)->by, SIMKIT_NODE_FAILED, 0, 0, 0, 0);
    else
        ref_fire(r, i, LOST);
}

static void ref_seat_free(reference *r, int process)
{
    r->seats[r->free_seats++] = r->processes[process].seat;
}

static void ref_process_dies(reference *r, int process)
{
    ref_process *q = &r->processes[process];
    const ref_life life = q->life;
    ref_task *t = &r->tasks[q->waits];
    q->life = DEAD;
    r->timers[process].armed = false;
    if (life == ON_COMPUTATION) {
        const bool here = t->state == COMPUTING;
        r->timers[q->waits].armed = false;
        t->state = AWAY;
        if (here) ref_counts(r, t->node, -1);
        if (here) ref_reshare(r, t->node);
    } else if (life == SENDING) {
        t->told = false;
        if (t->state == GONE) {
            t->state = AWAY;
            r->timers[q->waits].armed = false;
            r->quiet = r->now;
        }
    } else if (life == RECEIVING) {
        const int letter = r->given[process];
        r->takers[process].box = 0;
        if (letter > 0 && !r->boxes[ref_box_of(r, letter)].closed && !ref_give(r, ref_box_of(r, letter), letter))
            ref_line(r, r->letters, letter, ref_box_of(r, letter), true);
    }
    ref_seat_free(r, process);
}

static void ref_fail(reference *r, int node)
{
    ref_settle(r);
    r->nodes[node].failed = true;
    for (int i = 1; i < r->p->count; ++i) {
        ref_task *t = &r->tasks[i];
        if (t->state == AWAY || t->state == GONE || (t->node != node && (t->state == COMPUTING || t->to != node))) continue;
        if (t->state == COMPUTING) ref_counts(r, node, -1);
        if (t->state == FLOWING) ref_feel(r, t);
        t->state = t->told ? GONE : AWAY;
        if (!t->told) r->quiet = r->now;
        r->timers[i].armed = false;
        if (t->told) ref_notice(r, i);
    }
    ref_reshare_host(r, node);
    for (int place = 0; place < r->box_count; ++place)
        for (int i = 1; i < r->p->count; ++i)
            if (r->boxes[i].made && r->boxes[i].place == place && !r->boxes[i].closed && r->boxes[i].node == node)
                ref_box_shut(r, i);
    for (int seat = 0; seat < MOST_OPS; ++seat)
        for (int i = 1; i < r->p->count; ++i) {
            ref_process *q = &r->processes[i];
            if (q->life == UNBORN || q->life == DEAD || q->seat != seat || q->node != node || i == r->current) continue;
            ref_process_dies(r, i);
            break;
        }
    if (r->current && r->processes[r->current].node == node) {
        r->processes[r->current].life = DEAD;
        ref_seat_free(r, r->current);
    }
}

/*=============================================================================
 * Operations
 *===========================================================================*/
static int ref_node_check(const reference *r, int node)
{
    if (!r->nodes[node].made) return SIMKIT_UNKNOWN_NODE;
    return r->nodes[node].failed ? SIMKIT_NODE_FAILED : SIMKIT_OK;
}

static int ref_box_check(const reference *r, int box)
{
    if (!r->boxes[box].made) return SIMKIT_UNKNOWN_MAILBOX;
    return r->boxes[box].closed ? SIMKIT_MAILBOX_CLOSED : SIMKIT_OK;
}

static int ref_node_add(reference *r, int i)
{
    const op *o = ref_op(r, i);
    ref_node *n = &r->nodes[i];
    if ((o->x[7] > 0 && o->x[8] <= 0) || o->x[4] > o->x[3]) return SIMKIT_BAD_ARGUMENT;
    n->place = r->node_count;
    r->added[r->node_count++] = i;
    n->made = true;
    n->left = o->x[7];
    n->cores = ref_cores(r, i);
    n->tokens[0] = n->tokens[1] = o->x[11];
    if (o->x[7] > 0) {
        simkit_random random = simkit_random_stream(r->world, ~(uint64_t)n->place);
        n->offset = simkit_random_uniform(&random);
        n->refills = floorl(r->clock / o->x[8]);
        while ((n->refill = o->x[8] * (n->refills + n->offset)) <= r->clock) n->refills += 1;
    }
    return SIMKIT_OK;
}

static int ref_compute(reference *r, int i, int node)
{
    const op *o = ref_op(r, i);
    ref_task *t = &r->tasks[i];
    const int result = ref_node_check(r, node);
    if (result != SIMKIT_OK) return result;
    t->state = COMPUTING;
    t->node = node;
    t->left = o->x[0];
    t->size = o->x[0];
    t->begun = r->now;
    t->nice = o->n;
    t->told = true;
    t->label = ++r->numbers;
    ref_counts(r, node, +1);
    ref_reshare(r, node);
    return SIMKIT_OK;
}

static int ref_transfer(reference *r, int i, int from, int to, bool told)
{
    const op *o = ref_op(r, i);
    ref_task *t = &r->tasks[i];
    int result = SIMKIT_OK;
    bool waits = false;
    double latency, byte_time;
    if (!r->nodes[from].made || !r->nodes[to].made) result = SIMKIT_UNKNOWN_NODE;
    else if (r->nodes[from].failed || r->nodes[to].failed) result = SIMKIT_NODE_FAILED;
    if (result != SIMKIT_OK) return result;
    const double up = ref_op(r, from)->x[1], down = ref_op(r, to)->x[2];
    latency = ref_op(r, 0)->x[0];
    byte_time = fmax(up > 0 ? 1 / up : 0, down > 0 ? 1 / down : 0);
    if (from == to) latency = byte_time = 0;
    if (r->nodes[to].place >= 8) ref_vague(r);
    t->port = 0;
    if (r->models[from][r->nodes[to].place].made) {
        latency = r->models[from][r->nodes[to].place].latency;
        t->port = r->models[from][r->nodes[to].place].port;
        if (t->port > 0) byte_time = fmax(byte_time, ref_op(r, t->port)->x[1]);
        if (from == to) t->port = 0; /* it is not shared */
    }
    t->node = from;
    t->to = to;
    t->latency = latency;
    t->alone = o->x[0] * byte_time;
    t->left = (real)o->x[0] * byte_time;
    if (t->alone <= 0) t->left = 0;
    t->size = o->x[0];
    t->in_order = o->flag;
    t->told = told;
    t->label = ++r->numbers;
    for (int k = 1; k < r->p->count; ++k)
        if (r->tasks[k].state != AWAY && r->tasks[k].state != GONE && k != i && r->tasks[k].state != COMPUTING &&
            ref_same_way(t, &r->tasks[k]))
            waits = true;
    if (waits)
        t->state = QUEUED;
    else
        ref_begin(r, i);
    return SIMKIT_OK;
}

/* Whether a transfer was under way. */
static bool ref_transfer_cancel(reference *r, int i)
{
    ref_task *t = &r->tasks[i];
    const ref_state state = t->state;
    if (state != QUEUED && state != LATENCY && state != ALONE && state != FLOWING) return false;
    if (state == FLOWING) ref_feel(r, t);
    t->state = AWAY;
    r->timers[i].armed = false;
    if (state != QUEUED) ref_pass(r, t);
    if (ref_op(r, i)->kind == SEND && t->told) {
        r->processes[ref_op(r, i)->by].life = CANCELLED;
        ref_arm(r, ref_op(r, i)->by, r->now, 0);
    }
    return true;
}

static int ref_post(reference *r, int i, int from, bool told)
{
    const int box = ref_op(r, i)->b;
    int result = ref_box_check(r, box);
    if (result == SIMKIT_OK) result = ref_transfer(r, i, from, r->boxes[box].node, told);
    r->sent[i] = r->now;
    return result;
}

static double ref_load(const reference *r, int node, double beta, double interval)
{
    const ref_node *n = &r->nodes[node];
    double load = 0, sample = floor(n->kept_since / interval);
    if (!n->made || !n->keeps) return NAN;
    if (r->now / interval - sample > 20000) return INFINITY; /* too long to be reckoned here */
    while (sample > 0 && sample * interval > n->kept_since) sample -= 1;
    for (; sample * interval <= r->now; sample += 1) {
        int running = n->running_kept;
        if (sample * interval <= n->kept_since) continue;
        for (int i = 0; i < r->change_count; ++i)
            if (r->changes[i].node == node && r->changes[i].time < sample * interval && r->changes[i].by < 2) running += r->changes[i].by;
        load = beta * load + (1 - beta) * running;
    }
    return load;
}

static void ref_look_ahead(reference *r, int i)
{
    const entry *e = ref_next(r);
    double earliest = INFINITY;
    real latest = (real)INFINITY;
    ref_rates(r);
    for (int k = 1; k < r->p->count; ++k) {
        if (r->timers[k].armed && r->timers[k].due < earliest) earliest = r->timers[k].due;
        if (ref_shares(&r->tasks[k]) && ref_end(r, &r->tasks[k]) < latest) latest = ref_end(r, &r->tasks[k]);
        if (ref_look(r, k) < latest) latest = ref_look(r, k);
    }
    if (e->op != i || e->event != CALLED) ref_wrong(r, "expected the answer of %d", i);
    if (e->values[0] < r->now || e->values[0] > earliest || e->values[0] > latest * (1 + REF_TOLERANCE))
        ref_wrong(r, "the next event is at %.17g s, or %.17Lg s", earliest, latest);
    if (!(earliest < INFINITY) && !(latest < (real)INFINITY) && e->values[0] > r->now && e->values[0] < INFINITY)
        ref_wrong(r, "nothing is left to happen");
    ++r->at;
}

/*=============================================================================
 * Work that really runs
 *===========================================================================*/
static int ref_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double ref_median(const double *sorted, int count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* The mean of what lies within three scaled median absolute deviations of the median. */
static double ref_robust_mean(double *times, int count)
{
    double deviations[64], sum = 0, median;
    int kept = 0;
    qsort(times, (size_t)count, sizeof *times, ref_ascending);
    median = ref_median(times, count);
    for (int i = 0; i < count; ++i) deviations[i] = fabs(times[i] - median);
    qsort(deviations, (size_t)count, sizeof *deviations, ref_ascending);
    for (int i = 0; i < count; ++i) {
        if (fabs(times[i] - median) > 4.4478 * ref_median(deviations, count)) continue;
        sum += times[i];
        ++kept;
    }
    return kept ? sum / kept : median;
}

/* The smallest parameter of a size class. */
static double ref_size_class(double parameter, int classes)
{
    double low = 1;
    int at = 0;
    if (classes == 0 || parameter <= 0) return parameter;
    while (low > parameter) low /= 2;
    while (2 * low <= parameter) low *= 2;
    while (at + 1 < classes && parameter >= low + low * (at + 1) / classes) ++at;
    return low + low * at / classes;
}

/* Half of the way between the second and the third is quantile 1.5 / (count - 1). */
static double ref_quantile(double *times, int count, double quantile)
{
    double sum = 0;
    qsort(times, (size_t)count, sizeof *times, ref_ascending);
    for (int i = 0; i < count; ++i) sum += times[i] * fmax(0, 1 - fabs(i - quantile * (count - 1)));
    return sum;
}

/* Once; what it takes. */
static double ref_operate_once(reference *r, const op *o, double parameter, double duration)
{
    const op *operation = ref_op(r, o->a);
    const int first = operation->b ? operation->b : 5, skip = (int)operation->x[1], every = (int)operation->x[2];
    const double least = ref_size_class(parameter, (int)operation->x[4]);
    const double factor = operation->x[4] >= 1 && least > 0 ? pow(parameter / least, floor(operation->x[5])) : 1;
    const int round = every == 0 ? INT_MAX : every < skip + first ? skip + first : every;
    double times[64];
    int before = 0, count = 0;
    if (operation->n == SIMKIT_POLICY_MODEL) {
        r->operations[o->a].reused++;
        return operation->x[0];
    }
    for (int k = 0; k < r->use_count; ++k)
        before += r->uses[k].operation == o->a && ref_same(r->uses[k].least, least);
    if (operation->n == SIMKIT_POLICY_MEASURE) {
        r->uses[r->use_count].operation = o->a;
        r->uses[r->use_count].least = least;
        r->uses[r->use_count++].seconds = duration / factor;
        if (before % round >= skip + first) { /* it is not run */
            for (int k = 0, use = 0; k < r->use_count; ++k) {
                if (r->uses[k].operation != o->a || !ref_same(r->uses[k].least, least)) continue;
                if (use / round == before / round && use % round >= skip && use % round < skip + first) times[count++] = r->uses[k].seconds;
                ++use;
            }
            r->operations[o->a].reused++;
            return factor * (operation->x[3] > 0 ? ref_quantile(times, count, operation->x[3]) : ref_robust_mean(times, count));
        }
    }
    r->processor += duration;
    r->operations[o->a].runs++;
    return duration;
}

static void ref_operate(reference *r, int i)
{
    const op *o = ref_op(r, i);
    double seconds = 0;
    const bool made = r->operations[o->a].made;
    for (int k = 1; made && k < NUMBERS; ++k) seconds += ref_operate_once(r, o, o->x[0], o->x[k]);
    ref_expect(r, i, CALLED, made ? SIMKIT_OK : SIMKIT_BAD_ARGUMENT, seconds, r->operations[o->a].runs,
               r->operations[o->a].reused, r->processor);
}

static int ref_run(reference *r, double until);

static int ref_kill(reference *r, int process)
{
    const ref_life life = r->processes[process].life;
    if (life == UNBORN || life == DEAD) return SIMKIT_UNKNOWN_PROCESS;
    if (process == r->current) {
        r->processes[process].life = DEAD;
        ref_seat_free(r, process);
    } else {
        ref_process_dies(r, process);
    }
    return SIMKIT_OK;
}

static int ref_process_start(reference *r, int i, int node)
{
    ref_process *q = &r->processes[i];
    int count = 0;
    if (node && r->nodes[node].made && r->nodes[node].failed) return SIMKIT_NODE_FAILED;
    for (int k = 1; k < r->p->count; ++k) count += r->processes[k].life != UNBORN;
    q->life = READY;
    q->node = r->nodes[node].made ? node : 0;
    q->next = i + 1;
    if (r->free_seats > 0)
        q->seat = r->seats[--r->free_seats];
    else
        q->seat = -1;
    if (q->seat < 0) { /* a seat more than there were */
        q->seat = 0;
        for (int k = 1; k < r->p->count; ++k)
            if (k != i && r->processes[k].life != UNBORN && r->processes[k].seat >= q->seat) q->seat = r->processes[k].seat + 1;
    }
    ref_arm(r, i, r->now, 0);
    return SIMKIT_OK;
}

/* What a process asks for, and whether it waits now. */
static bool ref_waits(reference *r, int i, int *result)
{
    const op *o = ref_op(r, i);
    ref_process *q = &r->processes[r->current];
    const int here = o->a && r->nodes[o->a].made ? o->a : q->node;
    *result = SIMKIT_OK;
    switch (o->kind) {
    case WAIT:
        ref_arm(r, r->current, r->now + o->x[0], 0);
        q->life = HOLDING;
        break;
    case PROCESS_COMPUTE:
        if ((*result = ref_compute(r, i, here)) != SIMKIT_OK) return false;
        q->life = ON_COMPUTATION;
        break;
    case SEND:
        if ((*result = ref_post(r, i, here, true)) != SIMKIT_OK) return false;
        q->life = SENDING;
        break;
    case RECEIVE: {
        int letter;
        if ((*result = ref_box_check(r, o->a)) != SIMKIT_OK) return false;
        if ((letter = ref_first(r, r->letters, o->a)) != 0) {
            r->letters[letter].box = 0;
            ref_expect(r, i, RETURNED, SIMKIT_OK, letter, ref_op(r, letter)->x[0], r->sent[letter], r->arrived[letter]);
            *result = -1;
            return false;
        }
        r->given[r->current] = 0;
        ref_line(r, r->takers, r->current, o->a, false);
        q->life = RECEIVING;
        break;
    }
    case SUSPEND:
        if (q->resumed) {
            q->resumed = false;
            return false;
        }
        q->life = SUSPENDED;
        break;
    default: ref_vague(r); /* it knows nothing of places */
    }
    q->waits = i;
    return true;
}

static void ref_play(reference *r, int i)
{
    const op *o = ref_op(r, i);
    const double *x = o->x;
    int result = SIMKIT_OK;
    double value = 0;
    switch (o->kind) {
    case NODE: result = ref_node_add(r, i); break;
    case FAIL:
        if ((result = ref_node_check(r, o->a)) == SIMKIT_OK) ref_fail(r, o->a);
        break;
    case RUNNING: value = ref_running(r, o->a); break;
    case STEP_AT:
        if (x[0] >= r->now)
            ref_arm(r, i, x[0], o->n);
        else
            result = SIMKIT_BAD_TIME;
        break;
    case STEP_AFTER: ref_arm(r, i, r->now + x[0], o->n); break;
    case STEP_CANCEL:
    case STEP_PENDING:
    case STEP_BACKGROUND:
        value = o->a && r->timers[o->a].armed;
        if (o->kind == STEP_CANCEL && o->a) r->timers[o->a].armed = false;
        if (o->kind == STEP_BACKGROUND && value > 0) r->background[o->a] = true;
        break;
    case NEXT: ref_look_ahead(r, i); return;
    case STOP: r->stopped = true; break;
    case RUN_UNTIL:
        result = r->running ? SIMKIT_BAD_CALL : ref_run(r, r->now + x[0]);
        break;
    case COMPUTE: result = ref_compute(r, i, o->a); break;
    case COMPUTE_CANCEL:
        value = o->a && r->tasks[o->a].state == COMPUTING;
        if (value > 0) {
            r->tasks[o->a].state = AWAY;
            ref_counts(r, r->tasks[o->a].node, -1);
            ref_reshare(r, r->tasks[o->a].node);
            if (ref_op(r, o->a)->kind == PROCESS_COMPUTE) {
                r->processes[ref_op(r, o->a)->by].life = CANCELLED;
                ref_arm(r, ref_op(r, o->a)->by, r->now, 0);
            }
        }
        break;
    case LOAD_KEEP:
        if (!r->nodes[o->a].made) {
            result = SIMKIT_UNKNOWN_NODE;
        } else if (!r->nodes[o->a].keeps) {
            r->nodes[o->a].keeps = true;
            r->nodes[o->a].kept_since = r->now;
            r->nodes[o->a].running_kept = ref_running(r, o->a);
            for (int k = 0; k < r->change_count; ++k)
                if (r->changes[k].node == o->a) r->changes[k].by = 2; /* before */
        }
        break;
    case LOAD_AVERAGE:
        value = ref_load(r, o->a, x[0], x[1] + 0.25);
        if (isinf(value)) value = ref_next(r)->values[0];
        break;
    case TRANSFER: result = ref_transfer(r, i, o->a, o->b, true); break;
    case TRANSFER_CANCEL: value = o->a && ref_transfer_cancel(r, o->a); break;
    case MODEL:
        if (!r->nodes[o->a].made || !r->nodes[o->b].made) {
            result = SIMKIT_UNKNOWN_NODE;
        } else {
            const double up = ref_op(r, o->a)->x[1], down = ref_op(r, o->b)->x[2];
            const double way = o->a == o->b ? 0 : fmax(up > 0 ? 1 / up : 0, down > 0 ? 1 / down : 0);
            if (r->nodes[o->b].place >= 8) ref_vague(r);
            if (x[1] < way * (1 - 1e-12)) {
                result = SIMKIT_BAD_ARGUMENT;
                break;
            }
            r->models[o->a][r->nodes[o->b].place].made = true;
            r->models[o->a][r->nodes[o->b].place].latency = x[0];
            r->models[o->a][r->nodes[o->b].place].port = x[1] > 0 ? i : 0;
        }
        break;
    case BOX:
        if ((result = ref_node_check(r, o->a)) == SIMKIT_OK) {
            r->boxes[i].made = true;
            r->boxes[i].node = o->a;
            r->boxes[i].place = r->box_count++;
        }
        break;
    case BOX_CLOSE:
        if ((result = ref_box_check(r, o->a)) == SIMKIT_OK) ref_box_shut(r, o->a);
        break;
    case BOX_COUNT:
        for (int k = 1; k < r->p->count; ++k) value += o->a && r->letters[k].box == o->a;
        break;
    case POST: result = ref_post(r, i, o->a, !o->quiet); break;
    case TAKE: {
        int letter;
        if ((result = ref_box_check(r, o->a)) != SIMKIT_OK) break;
        letter = ref_first(r, r->letters, o->a);
        if (letter) {
            r->letters[letter].box = 0;
            r->given[i] = letter;
            ref_arm(r, i, r->now, 0);
        } else {
            ref_line(r, r->takers, i, o->a, false);
        }
        break;
    }
    case PROCESS: result = ref_process_start(r, i, o->a); break;
    case RESUME:
        if (r->processes[o->a].life == UNBORN || r->processes[o->a].life == DEAD) {
            result = SIMKIT_UNKNOWN_PROCESS;
        } else if (r->processes[o->a].life != SUSPENDED) {
            r->processes[o->a].resumed = true;
        } else if (!r->timers[o->a].armed) {
            ref_arm(r, o->a, r->now, 0);
        }
        break;
    case KILL: result = ref_kill(r, o->a); break;
    case STACK: value = r->processes[o->a].life != UNBORN && r->processes[o->a].life != DEAD; break;
    case WATCH:
    case WATCH_REMOVE: break;
    case TELL:
        if (x[1] < x[0])
            result = SIMKIT_BAD_ARGUMENT;
        else if (!r->nodes[o->a].made)
            result = SIMKIT_UNKNOWN_NODE;
        break;
    case OPERATION: r->operations[i].made = true; break;
    case OPERATE: ref_operate(r, i); return;
    case USERS:
    case SHUT:
    case ASK:
    case HARK:
    case COME:
    case END:
    case RELEASE:
    case SIGNAL:
    case BROADCAST:
    case BOUND:
    case LIMIT:
    case INTERRUPT:
    case MEASURE: ref_vague(r); break;
    case RESOURCE:
    case CONDITION:
    case BARRIER: break;
    case WAIT_CANCEL: ref_vague(r); break;
    case ACQUIRE:
    case LISTEN:
    case ARRIVE:
    case JOIN:
    case CHOOSE: ref_vague(r); break;
    case WAIT:
    case PROCESS_COMPUTE:
    case SEND:
    case RECEIVE:
    case SUSPEND: result = SIMKIT_BAD_CALL; break;
    default: return;
    }
    if (r->current && r->processes[r->current].life == DEAD) return; /* it does not return */
    ref_expect(r, i, CALLED, result, value, 0, 0, 0);
}

static void ref_execute(reference *r, int parent)
{
    for (int i = parent + 1; i < r->p->count; ++i)
        if (ref_op(r, i)->by == parent && ref_op(r, i)->kind != NOTHING) ref_play(r, i);
}

/* A process goes on until it waits or ends. */
static void ref_body(reference *r, int process)
{
    ref_process *q = &r->processes[process];
    for (; q->next < r->p->count; ++q->next) {
        const int i = q->next;
        const kind k = ref_op(r, i)->kind;
        int result;
        if (ref_op(r, i)->by != process || k == NOTHING) continue;
        if (k < WAIT || k > SUSPEND) {
            ref_play(r, i);
            if (q->life == DEAD) return;
            continue;
        }
        if (ref_waits(r, i, &result)) {
            ++q->next;
            return;
        }
        if (result >= 0) ref_expect(r, i, RETURNED, result, 0, 0, 0, 0);
    }
    q->life = DEAD;
    ref_seat_free(r, process);
}

/*=============================================================================
 * The loop
 *===========================================================================*/
static bool ref_before(const ref_timer *a, const ref_timer *b)
{
    if (a->due < b->due || a->due > b->due) return a->due < b->due;
    return a->priority != b->priority ? a->priority < b->priority : a->number < b->number;
}

/* What is due by its timer first, of those that keep an order. */
static int ref_first_timer(const reference *r)
{
    int first = 0;
    for (int i = 1; i < r->p->count; ++i)
        if (r->timers[i].armed && !r->timers[i].loose && (first == 0 || ref_before(&r->timers[i], &r->timers[first])))
            first = i;
    return first;
}

/* Whose turn the next entry says it is. */
static int ref_turn(reference *r, const entry *e)
{
    const int i = e->op;
    const kind k = ref_op(r, i)->kind;
    if (e->event == RETURNED && r->tasks[i].state == AWAY && ref_op(r, ref_op(r, i)->by)->kind == PROCESS)
        return ref_op(r, i)->by;
    if (e->event == RAN || e->event == FLOWS || e->event == ARRIVED || e->event == GOT || e->event == NOT_GOT) return i;
    if ((e->event == DONE || e->event == LOST || e->event == RETURNED) && (k == COMPUTE || r->tasks[i].state != AWAY)) return i;
    return 0;
}

/* Nothing that shares may be later than that. */
static void ref_nothing_before(reference *r, double time)
{
    for (int i = 1; i < r->p->count; ++i)
        if (ref_shares(&r->tasks[i]) && ref_end(r, &r->tasks[i]) < time * (1 - REF_TOLERANCE))
            ref_wrong(r, "%d %s is done at %.17Lg s, before", i, kinds[ref_op(r, i)->kind].name,
                      ref_end(r, &r->tasks[i]));
}

/* Its turn, by time, priority and number, must not have come before what was done last. */
static void ref_take_turn(reference *r, double time, int priority, uint64_t number)
{
    if (ref_same(r->last.time, time) && number <= r->last.counter &&
        (priority < r->last.priority || (priority == r->last.priority && number < r->last.number)))
        ref_wrong(r, "it was due before what was done last");
    r->last.time = time;
    r->last.priority = priority;
    r->last.number = number;
    r->last.counter = r->numbers;
}

/* Computations that began alike end in the order in which they began; so do transfers. */
static void ref_check_siblings(reference *r, int i)
{
    const ref_task *t = &r->tasks[i];
    for (int k = 1; k < r->p->count; ++k) {
        const ref_task *other = &r->tasks[k];
        if (k != i && other->state == t->state && other->node == t->node && other->to == t->to && other->nice == t->nice &&
            ref_same(other->begun, t->begun) && ref_same(other->size, t->size) && other->port == t->port &&
            (t->state != COMPUTING || ref_op(r, t->node)->x[12] <= 0 || ref_same(ref_op(r, k)->x[1], ref_op(r, i)->x[1])) &&
            ref_same(other->alone, t->alone) && fabsl(other->at_once - t->at_once) <= 0 && ref_same(other->latency, t->latency) && other->label < t->label)
            ref_wrong(r, "%d began before, and is alike", k);
    }
}

static void ref_to(reference *r, double time)
{
    if (time > r->now) ref_settle(r);
    ref_rates(r);
    ref_advance(r, time);
    r->clock = time;
    r->now = time;
}

/* A timer is due. */
static void ref_due(reference *r, int i)
{
    const kind k = ref_op(r, i)->kind;
    r->timers[i].armed = false;
    if (r->tasks[i].state == GONE) {
        ref_lost(r, i);
    } else if (k == PROCESS) {
        ref_process *q = &r->processes[i];
        if (!q->started) {
            q->started = true;
            q->life = RUNNING_NOW;
            r->current = i;
            ref_expect(r, i, RAN, 0, 0, 0, 0, 0);
            ref_body(r, i);
        } else if (q->life == RECEIVING) {
            ref_go_with_letter(r, i);
        } else {
            ref_go(r, i, q->life == CANCELLED ? SIMKIT_CANCELLED : SIMKIT_OK, 0, 0, 0, 0);
        }
    } else if (k == TAKE) {
        const int letter = r->given[i];
        r->current = 0;
        if (letter < 0)
            ref_expect(r, i, NOT_GOT, 0, 0, 0, 0, 0);
        else
            ref_expect(r, i, GOT, 0, letter, ref_op(r, letter)->x[0], r->sent[letter], r->arrived[letter]);
        ref_execute(r, i);
    } else if (r->tasks[i].state == LATENCY) {
        ref_latency_over(r, i);
    } else if (r->tasks[i].state == ALONE) {
        ref_arrive(r, i);
    } else {
        ref_fire(r, i, RAN);
    }
}

/* Quotas that are spent and periods that begin until a time. */
static bool ref_ration_until(reference *r, real time)
{
    real earliest = (real)INFINITY;
    int node = 0;
    for (int i = 1; i < r->p->count; ++i) {
        const real look = ref_look(r, i);
        if (!(look < earliest)) continue;
        earliest = look;
        node = i;
    }
    if (!(earliest <= time * (1 + REF_TOLERANCE))) return false;
    if (earliest >= time * (1 - REF_TOLERANCE)) ref_vague(r);
    for (int i = 1; i < r->p->count; ++i)
        if (ref_shares(&r->tasks[i]) && fabsl(ref_end(r, &r->tasks[i]) - earliest) <= earliest * REF_TOLERANCE) ref_vague(r);
    if (earliest > r->now) ref_settle(r);
    ref_rates(r);
    ref_advance(r, earliest);
    if (r->nodes[node].refill > r->clock) r->nodes[node].left = r->nodes[node].left < 0 ? r->nodes[node].left : 0;
    if (r->nodes[node].refill > r->clock && r->nodes[node].left >= 0) {
        r->nodes[node].spent = true;
        ref_reshare_host(r, node);
        r->nodes[node].number = ++r->numbers;
    } else {
        ref_reshare(r, node);
    }
    return true;
}

/* Whether anything is left but background. */
static bool ref_foreground(const reference *r)
{
    for (int i = 1; i < r->p->count; ++i) {
        const ref_task *t = &r->tasks[i];
        const bool background = r->background[i] || (ref_op(r, i)->kind == COMPUTE && ref_op(r, i)->flag);
        if (!background && (r->timers[i].armed || t->state != AWAY)) return true;
    }
    return false;
}

static int ref_run(reference *r, double until)
{
    r->running = true;
    r->stopped = false;
    while (!r->stopped) {
        const entry *e = ref_next(r);
        if (!(until < INFINITY) && !ref_foreground(r)) {
            if (e->event != ENDED && ref_same(r->quiet, r->now)) ref_vague(r); /* the engine still has to find it lost */
            break;
        }
        const int first = ref_first_timer(r), turn = e->event == ENDED || e->event == CALLED ? 0 : ref_turn(r, e);
        ref_timer *timer = &r->timers[turn];
        ref_task *task = &r->tasks[turn];
        if (e->time > r->now) ref_settle(r);
        ref_rates(r);
        if (turn == 0) { /* the run is over */
            const double end = until < INFINITY ? until : DBL_MAX;
            if (e->event != ENDED && e->event != CALLED) ref_wrong(r, "nothing of that can happen now");
            if (first && r->timers[first].due <= end)
                ref_wrong(r, "%d %s is due at %.17g s", first, kinds[ref_op(r, first)->kind].name, r->timers[first].due);
            while (until < INFINITY && ref_ration_until(r, until)) ref_rates(r);
            ref_nothing_before(r, until < INFINITY ? until : DBL_MAX);
            break;
        }
        if (e->time < r->now) ref_wrong(r, "the clock goes back");
        if (e->time > until) ref_wrong(r, "the run ends at %.17g s", until);
        if (ref_ration_until(r, e->time)) continue;
        ref_nothing_before(r, e->time);
        if (timer->armed) {
            if (!timer->loose && turn != first)
                ref_wrong(r, "%d %s is due before, at %.17g s", first, kinds[ref_op(r, first)->kind].name, r->timers[first].due);
            if (!ref_same(timer->due, e->time)) ref_wrong(r, "it is due at %.17g s", timer->due);
            if (!timer->loose) ref_take_turn(r, e->time, timer->priority, timer->number);
        } else if (ref_shares(task)) {
            const real end = ref_end(r, task);
            if (first && (e->time > r->timers[first].due ||
                          (ref_same(e->time, r->timers[first].due) && r->timers[first].priority < 0)))
                ref_wrong(r, "%d %s is due before", first, kinds[ref_op(r, first)->kind].name);
            if (!(fabsl(e->time - end) <= REF_TOLERANCE * end)) ref_wrong(r, "it is done at %.17Lg s", end);
            ref_check_siblings(r, turn);
            if (task->state == COMPUTING && !r->nodes[task->node].felt) { /* else it depends on whether the instant is over */
                if (first && ref_same(e->time, r->timers[first].due) && r->timers[first].priority == 0 &&
                    r->timers[first].number < r->nodes[task->node].number)
                    ref_wrong(r, "%d %s is due before, at this instant", first, kinds[ref_op(r, first)->kind].name);
                ref_take_turn(r, e->time, 0, r->nodes[task->node].number);
            }
        } else {
            ref_wrong(r, "%d %s is not under way", turn, kinds[ref_op(r, turn)->kind].name);
        }
        ref_to(r, e->time);
        if (timer->armed)
            ref_due(r, turn);
        else if (task->state == FLOWING)
            ref_arrive(r, turn);
        else
            ref_computed(r, turn);
        r->current = 0;
    }
    r->running = false;
    if (r->stopped) return SIMKIT_STOPPED;
    ref_settle(r);
    if (until < INFINITY) {
        ref_to(r, until);
        return SIMKIT_OK;
    }
    for (int i = 1; i < r->p->count; ++i)
        if (r->processes[i].life != UNBORN && r->processes[i].life != DEAD) return SIMKIT_DEADLOCK;
    return SIMKIT_OK;
}

/* Holds a traced history against the reference; -1 if it is right, else the first entry that is not, with r->why. */
static int ref_check(reference *r, const program *p, const history *h)
{
    int result;
    simkit_world_desc desc;
    memset(r, 0, sizeof *r);
    memset(&desc, 0, sizeof desc);
    r->p = p;
    r->h = h;
    r->last.time = r->quiet = -1;
    desc.seed = p->seed;
    if (simkit_world_open(&desc, &r->world) != SIMKIT_OK) abort();
    result = setjmp(r->out);
    if (result == 0) {
        int answer;
        ref_execute(r, 0);
        do {
            answer = ref_run(r, INFINITY);
            ref_expect(r, 0, ENDED, answer, 0, 0, 0, 0);
        } while (answer == SIMKIT_STOPPED);
        if (r->at != h->count) {
            snprintf(r->why, sizeof r->why, "the history goes on");
            result = 1;
        }
    }
    simkit_world_close(r->world);
    return result == 1 ? r->at : -1;
}

#endif
