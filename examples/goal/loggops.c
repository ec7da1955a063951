/* loggops.c - goal_loggops(): a schedule in the LogGOPS model, with the rules of LogGOPSim
 *
 * Operations and messages ask for the processor and the network interface when they are ready. Who asked first, by a number
 * that each gets when it becomes ready or is sent, goes first among those of one instant. What finds its resources taken waits
 * in the queue of its kind: for each rank, calcs of each processor, and sends and messages of each pair of processor and
 * interface. Only the first of a queue has an event, so a thousand messages that wait for one rank cost a thousand events,
 * not a million. */
#include "goal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING, STARTED, DONE }; /* the state of an operation */
enum { OF_OP, OF_QUEUE }; /* what an event is about: its operation, or its message if it is a send that has begun */

typedef struct event {
    double time;
    uint32_t turn; /* lower goes first */
    uint32_t what; /* operation or queue */
    unsigned char kind;
} event;

typedef struct progress {
    double ready; /* from when it may begin; a send that has begun: when its processor is free again */
    double taken; /* when the message of a send has been taken from the network */
    uint32_t
        turn; /* of the operation, then of its message; of a receive that waits for one: in which order they were posted */
    uint32_t left;        /* operations that it waits for */
    uint32_t next, child; /* in a queue of those that wait */
    unsigned char state;
    bool sent; /* a send: its message is on its way or has arrived */
} progress;

typedef struct queue {
    uint32_t first; /* the root of a pairing heap by turn */
    double due;     /* the time of its event that counts; others are out of date */
} queue;

typedef struct rank {
    uint32_t cpus, nics;
    size_t cpu, nic, queue; /* where its own begin in the arrays below */
} rank;

typedef struct replay {
    const goal_schedule *s;
    goal_loggops_desc p;
    goal_teller *tell;
    void *user;
    double *end;
    progress *ops;
    rank *ranks;
    double *cpu, *out, *in; /* when each processor and each interface is free, for sending and for receiving */
    size_t cpus, nics;
    queue *queues;
    size_t queue_count;
    goal_match match;
    event *heap;
    size_t pending, room;
    uint64_t *freed; /* operations that this event has made ready: rank, kind, number */
    size_t freed_count, freed_room;
    uint32_t turn;
    bool no_memory;
} replay;

/*=============================================================================
 * MARK: - >>events
 *===========================================================================*/
static bool sooner(const event *a, const event *b)
{
    return a->time < b->time || (a->time == b->time && a->turn < b->turn);
}

static void push(replay *r, event e)
{
    if (!goal_grow(&r->s->memory, &r->heap, &r->room, r->pending + 1, sizeof *r->heap)) {
        r->no_memory = true;
        return;
    }
    size_t at = r->pending++;
    for (; at > 0 && sooner(&e, &r->heap[(at - 1) / 4]); at = (at - 1) / 4) r->heap[at] = r->heap[(at - 1) / 4];
    r->heap[at] = e;
}

static event pop(replay *r)
{
    const event top = r->heap[0], e = r->heap[--r->pending];
    size_t at = 0;
    for (size_t child = 1; child < r->pending; child = 4 * at + 1) {
        const size_t end = child + 4 < r->pending ? child + 4 : r->pending;
        size_t best = child;
        for (size_t i = child + 1; i < end; ++i)
            if (sooner(&r->heap[i], &r->heap[best])) best = i;
        if (!sooner(&r->heap[best], &e)) break;
        r->heap[at] = r->heap[best];
        at = best;
    }
    r->heap[at] = e;
    return top;
}

/*=============================================================================
 * MARK: - >>queues
 *===========================================================================*/
static uint32_t meld(replay *r, uint32_t a, uint32_t b)
{
    if (a == GOAL_NONE) return b;
    if (b == GOAL_NONE) return a;
    const uint32_t top = r->ops[a].turn < r->ops[b].turn ? a : b, under = top == a ? b : a;
    r->ops[under].next = r->ops[top].child;
    r->ops[top].child = under;
    return top;
}

/* The heap without its root: its children, melded in pairs from the left and then into one from the right. */
static uint32_t without_root(replay *r, uint32_t root)
{
    uint32_t pairs = GOAL_NONE, all = GOAL_NONE;
    for (uint32_t a = r->ops[root].child; a != GOAL_NONE;) {
        const uint32_t b = r->ops[a].next, rest = b == GOAL_NONE ? GOAL_NONE : r->ops[b].next;
        r->ops[a].next = GOAL_NONE;
        if (b != GOAL_NONE) r->ops[b].next = GOAL_NONE;
        const uint32_t pair = meld(r, a, b);
        r->ops[pair].next = pairs;
        pairs = pair;
        a = rest;
    }
    while (pairs != GOAL_NONE) {
        const uint32_t next = r->ops[pairs].next;
        r->ops[pairs].next = GOAL_NONE;
        all = meld(r, all, pairs);
        pairs = next;
    }
    return all;
}

static size_t queue_of(const replay *r, uint32_t op, bool message)
{
    const goal_op *o = &r->s->ops[op];
    const rank *at = &r->ranks[message ? o->peer : o->rank];
    if (o->kind == GOAL_CALC) return at->queue + o->cpu;
    return at->queue + at->cpus * (1 + (message ? at->nics : 0)) + o->cpu + (size_t)at->cpus * o->nic;
}

/* When the resources of an operation, or of the message of a send, are free. */
static double free_at(const replay *r, uint32_t op, bool message)
{
    const goal_op *o = &r->s->ops[op];
    const rank *at = &r->ranks[message ? o->peer : o->rank];
    const double cpu = r->cpu[at->cpu + o->cpu];
    if (o->kind == GOAL_CALC) return cpu;
    return fmax(cpu, (message ? r->in : r->out)[at->nic + o->nic]);
}

static void call_first(replay *r, size_t q, double now)
{
    const uint32_t first = r->queues[q].first;
    if (first == GOAL_NONE) return;
    const double time = fmax(now, free_at(r, first, r->ops[first].sent));
    r->queues[q].due = time;
    push(r, (event){ time, r->ops[first].turn, (uint32_t)q, OF_QUEUE });
}

static void join(replay *r, uint32_t op, double now)
{
    const size_t q = queue_of(r, op, r->ops[op].sent);
    const uint32_t before = r->queues[q].first;
    r->ops[op].next = r->ops[op].child = GOAL_NONE;
    r->queues[q].first = meld(r, before, op);
    if (r->queues[q].first != before) call_first(r, q, now);
}

/*=============================================================================
 * MARK: - >>needs
 *===========================================================================*/
/* What waited for this operation may begin at `time`. */
static void let(replay *r, uint32_t op, bool start, double time)
{
    const goal_schedule *s = r->s;
    for (uint32_t k = s->first[op]; k < s->first[op + 1]; ++k) {
        const uint32_t other = s->after[k] & ~GOAL_START;
        if (((s->after[k] & GOAL_START) != 0) != start) continue;
        progress *p = &r->ops[other];
        p->ready = fmax(p->ready, time);
        if (--p->left > 0) continue;
        if (goal_grow(&s->memory, &r->freed, &r->freed_room, r->freed_count + 1, sizeof *r->freed))
            r->freed[r->freed_count++] =
                (uint64_t)s->ops[other].rank << 34 | (uint64_t)s->ops[other].kind << 32 | other;
        else
            r->no_memory = true;
    }
}

static void starts(replay *r, uint32_t op, double now)
{
    r->ops[op].state = STARTED;
    let(r, op, true, now);
}

static void ends(replay *r, uint32_t op, double time)
{
    const uint32_t of = r->s->ops[op].rank;
    r->ops[op].state = DONE;
    r->end[of] = fmax(r->end[of], time);
    let(r, op, false, time);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Gives the operations that have become ready an event each. */
static void begin_freed(replay *r, double now)
{
    if (r->freed_count > 1) qsort(r->freed, r->freed_count, sizeof *r->freed, by_number);
    for (size_t i = 0; i < r->freed_count; ++i) {
        const uint32_t op = (uint32_t)r->freed[i];
        const goal_op *o = &r->s->ops[op];
        const double cpu = o->kind == GOAL_RECV ? r->cpu[r->ranks[o->rank].cpu + o->cpu] : free_at(r, op, false);
        r->ops[op].turn = r->turn++;
        push(r, (event){ fmax(fmax(now, r->ops[op].ready), cpu), r->ops[op].turn, op, OF_OP });
    }
    r->freed_count = 0;
}

/*=============================================================================
 * MARK: - >>rules
 *===========================================================================*/
static double beyond_first(const goal_op *o)
{
    return o->size > 1 ? o->size - 1 : 0;
}

static void say(replay *r, uint32_t op, bool receiving, double begin, double end)
{
    if (r->tell) r->tell(r->user, r->s, op, receiving, begin, end);
}

static void run_calc(replay *r, uint32_t op, double now)
{
    const goal_op *o = &r->s->ops[op];
    const double end = now + o->size;
    r->cpu[r->ranks[o->rank].cpu + o->cpu] = end;
    say(r, op, false, now, end);
    starts(r, op, now);
    ends(r, op, end);
}

static void run_send(replay *r, uint32_t op, double now)
{
    const goal_op *o = &r->s->ops[op];
    const rank *at = &r->ranks[o->rank];
    const double end = now + r->p.o + beyond_first(o) * r->p.O;
    r->cpu[at->cpu + o->cpu] = end;
    r->out[at->nic + o->nic] = now + r->p.g + beyond_first(o) * r->p.G;
    say(r, op, false, now, end);
    r->ops[op].sent = true;
    r->ops[op].ready = end;
    r->ops[op].turn = r->turn++;
    push(r, (event){ now + r->p.o + r->p.L, r->ops[op].turn, op, OF_OP });
    r->end[o->rank] = fmax(r->end[o->rank], end);
    starts(r, op, now);
    if (o->size <= r->p.S) ends(r, op, end);
}

/* A message has met its receive: a long one ends its send now. */
static void meet(replay *r, uint32_t message, double now)
{
    if (r->s->ops[message].size > r->p.S)
        ends(r, message, fmax(now, r->ops[message].ready));
    else
        r->ops[message].state = DONE;
    r->ops[message].sent = false; /* it is not lost */
}

static void run_receive(replay *r, uint32_t op, double now)
{
    starts(r, op, now);
    const uint32_t message = goal_match_receive(&r->match, op);
    if (message == GOAL_NONE) return;
    meet(r, message, now);
    ends(r, op, fmax(now, r->ops[message].taken));
}

static void run_message(replay *r, uint32_t op, double now)
{
    const goal_op *o = &r->s->ops[op];
    const rank *at = &r->ranks[o->peer];
    const double end = now + r->p.o + beyond_first(o) * fmax(r->p.O, r->p.G);
    r->cpu[at->cpu + o->cpu] = end;
    r->in[at->nic + o->nic] = now + r->p.g + beyond_first(o) * r->p.G;
    r->end[o->peer] = fmax(r->end[o->peer], end);
    say(r, op, true, now, end);
    r->ops[op].taken = end;
    const uint32_t receive = goal_match_message(&r->match, op);
    if (receive == GOAL_NONE) return;
    meet(r, op, now);
    ends(r, receive, end);
}

static void run(replay *r, uint32_t op, double now)
{
    const goal_kind kind = (goal_kind)r->s->ops[op].kind;
    if (r->ops[op].sent)
        run_message(r, op, now);
    else if (kind == GOAL_SEND)
        run_send(r, op, now);
    else
        run_calc(r, op, now);
}

static void handle(replay *r, const event *e)
{
    const double now = e->time;
    if (e->kind == OF_QUEUE) {
        queue *q = &r->queues[e->what];
        const uint32_t op = q->first;
        if (op == GOAL_NONE || r->ops[op].turn != e->turn || q->due != now) return; /* out of date */
        if (free_at(r, op, r->ops[op].sent) <= now) {
            q->first = without_root(r, op);
            run(r, op, now);
        }
        call_first(r, e->what, now);
    } else if (r->s->ops[e->what].kind == GOAL_RECV) {
        run_receive(r, e->what, now);
    } else if (free_at(r, e->what, r->ops[e->what].sent) <= now) {
        run(r, e->what, now);
    } else {
        join(r, e->what, now);
    }
    begin_freed(r, now);
}

/*=============================================================================
 * MARK: - >>replay
 *===========================================================================*/
static void *zeros(replay *r, size_t count, size_t bytes)
{
    void *block = goal_memory(&r->s->memory, NULL, 0, (count + 1) * bytes);
    if (block) memset(block, 0, (count + 1) * bytes);
    return block;
}

/* Each rank has as many processors and interfaces as its operations and the messages to it name. */
static bool count_resources(replay *r)
{
    const goal_schedule *s = r->s;
    for (size_t i = 0; i < s->count; ++i) {
        const goal_op *o = &s->ops[i];
        const uint32_t of[2] = { o->rank, o->kind == GOAL_SEND ? o->peer : o->rank };
        for (int k = 0; k < 2; ++k) {
            rank *at = &r->ranks[of[k]];
            if (at->cpus <= o->cpu) at->cpus = o->cpu + 1u;
            if (at->nics <= o->nic) at->nics = o->nic + 1u;
        }
    }
    for (uint32_t i = 0; i < s->ranks; ++i) {
        rank *at = &r->ranks[i];
        at->cpu = r->cpus;
        at->nic = r->nics;
        at->queue = r->queue_count;
        r->cpus += at->cpus;
        r->nics += at->nics;
        r->queue_count += at->cpus * (1 + 2 * (size_t)at->nics);
    }
    return r->queue_count < UINT32_MAX;
}

static bool open_replay(replay *r)
{
    const goal_schedule *s = r->s;
    r->ranks = zeros(r, s->ranks, sizeof *r->ranks);
    if (!r->ranks || !count_resources(r)) return false;
    r->ops = zeros(r, s->count, sizeof *r->ops);
    r->cpu = zeros(r, r->cpus, sizeof *r->cpu);
    r->out = zeros(r, r->nics, sizeof *r->out);
    r->in = zeros(r, r->nics, sizeof *r->in);
    r->queues = zeros(r, r->queue_count, sizeof *r->queues);
    if (!r->ops || !r->cpu || !r->out || !r->in || !r->queues || !goal_match_open(&r->match, s)) return false;
    for (size_t i = 0; i < r->queue_count; ++i) r->queues[i].first = GOAL_NONE;
    return true;
}

static void give_back(replay *r, void *block, size_t count, size_t bytes)
{
    if (block) goal_memory(&r->s->memory, block, (count + 1) * bytes, 0);
}

static void close_replay(replay *r)
{
    const goal_schedule *s = r->s;
    give_back(r, r->ranks, s->ranks, sizeof *r->ranks);
    give_back(r, r->ops, s->count, sizeof *r->ops);
    give_back(r, r->cpu, r->cpus, sizeof *r->cpu);
    give_back(r, r->out, r->nics, sizeof *r->out);
    give_back(r, r->in, r->nics, sizeof *r->in);
    give_back(r, r->queues, r->queue_count, sizeof *r->queues);
    goal_match_close(&r->match);
    goal_memory(&s->memory, r->heap, r->room * sizeof *r->heap, 0);
    goal_memory(&s->memory, r->freed, r->freed_room * sizeof *r->freed, 0);
}

static goal_fate fate(const void *run, uint32_t op)
{
    const replay *r = run;
    if (r->ops[op].sent) return GOAL_UNRECEIVED;
    if (r->ops[op].state == WAITING) return GOAL_UNBEGUN;
    return r->ops[op].state == STARTED && r->s->ops[op].kind == GOAL_RECV ? GOAL_UNSENT : GOAL_FINE;
}

simkit_result goal_loggops(const goal_schedule *s, const goal_loggops_desc *desc, goal_teller *tell, void *user,
                           double *end, char why[GOAL_WHY])
{
    const double p[] = { desc->L, desc->o, desc->g, desc->G, desc->O };
    replay r = { .s = s, .p = *desc, .tell = tell, .user = user, .end = end };
    why[0] = 0;
    for (size_t i = 0; i < sizeof p / sizeof *p; ++i) {
        if (p[i] >= 0 && p[i] <= GOAL_LARGEST) continue;
        snprintf(why, GOAL_WHY, "%c is %g: expected a time from 0 ns", "LogGO"[i], p[i]);
        return SIMKIT_BAD_ARGUMENT;
    }
    if (!(desc->S >= 0))
        return snprintf(why, GOAL_WHY, "S is %g: expected bytes, at least 0", desc->S), SIMKIT_BAD_ARGUMENT;
    for (uint32_t i = 0; i < s->ranks; ++i) end[i] = 0;
    r.no_memory = !open_replay(&r);
    for (size_t i = 0; i < s->count && !r.no_memory; ++i) {
        const goal_op *o = &s->ops[i];
        r.ops[i].left = s->needed[i];
        if (i > 0 && o[-1].rank != o->rank) begin_freed(&r, 0);
        if (s->needed[i] > 0) continue;
        if (!goal_grow(&s->memory, &r.freed, &r.freed_room, r.freed_count + 1, sizeof *r.freed))
            r.no_memory = true;
        else
            r.freed[r.freed_count++] = (uint64_t)o->rank << 34 | (uint64_t)o->kind << 32 | i;
    }
    if (!r.no_memory) begin_freed(&r, 0);
    while (r.pending > 0 && !r.no_memory) {
        const event e = pop(&r);
        handle(&r, &e);
    }
    const simkit_result result = r.no_memory                      ? SIMKIT_NO_MEMORY
                                 : goal_explain(s, fate, &r, why) ? SIMKIT_DEADLOCK
                                                                  : SIMKIT_OK;
    if (r.no_memory) snprintf(why, GOAL_WHY, "no memory");
    close_replay(&r);
    return result;
}
