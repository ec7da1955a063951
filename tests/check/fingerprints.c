/* Prints the fingerprints of random programs, a few for every room of simkit.h, which must be the same with every
 * compiler and on every processor: they are recorded in fingerprints.txt. A line: name, the world's fingerprint, and a
 * hash of what the program itself saw.
 *
 * Each program runs again with watchers that look around, in slices, with memory that always moves, and without a
 * fingerprint: where the same does not happen, another line says so and the exit status is 1. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#include <stdio.h>
#include <stdlib.h>

enum { /* what a program does */
       STEPS = 1,
       PRIORITIES = 2,
       CANCELS = 4,
       COMPUTES = 8,
       NICE = 16,
       RATIONS = 32, /* nodes have quotas, some with a tick */
       TRANSFERS = 64,
       ORDERED = 128,
       MODELS = 256,
       POSTS = 512,
       CLOSES = 1024,
       FAILS = 2048,
       LOADS = 4096,
       USERS = 8192,
       OPERATIONS = 16384,
       PROCESSES = 32768,
       KILLS = 65536,
       STOPS = 131072,
       MAXMIN = 262144,
       FREE = 524288, /* links take no time */
       MEMORY = 2097152, /* nodes have a memory bandwidth */
       WAITING = 4194304, /* resources, conditions, barriers, choices, limits, interrupts, bounds */
       GRID = 1048576 /* all times are multiples of 1/8 s: many events at one instant */
};

enum { /* how it is run */
       PRINTED = 1,
       WATCHED = 2,
       SLICED = 4,
       MOVED = 8
};

enum { NODES = 4, MOST_NODES = 9, PLACES = 16, TOKENS = 6000, EVENTS = 1500 };

typedef struct program program;

/* For calls that may fail: then something else happens. */
static void whatever(simkit_result result)
{
    (void)result;
}

typedef struct token { /* what a callback gets */
    program *of;
    uint64_t number;
} token;

struct program {
    simkit_world *world;
    simkit_random dice;
    unsigned does;
    int left;      /* deeds */
    uint64_t seen; /* hash of what its callbacks were called with */
    token tokens[TOKENS];
    int used;
    simkit_node nodes;
    simkit_mailbox boxes;
    simkit_step steps[PLACES];
    simkit_computation computations[PLACES];
    simkit_operation operations[3];
    double processor;
    simkit_resource resources[3];
    simkit_condition conditions[2];
    simkit_barrier barriers[2];
    simkit_wait waits[PLACES];
#ifndef SIMKIT_NO_PROCESSES
    simkit_process processes[PLACES];
#endif
};

static void act(program *p);

static void see(program *p, uint64_t word)
{
    p->seen = (p->seen ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    p->seen ^= p->seen >> 29;
}

static void see_number(program *p, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    see(p, bits);
}

static unsigned below(program *p, unsigned n)
{
    return (unsigned)(simkit_random_bits(&p->dice) >> 33) % n;
}

static double amount(program *p)
{
    return p->does & GRID ? below(p, 5) / 8.0 : simkit_random_exponential(&p->dice, 0.25);
}

static token *token_new(program *p, uint64_t kind)
{
    token *t = &p->tokens[p->used % TOKENS];
    t->of = p;
    t->number = kind << 32 | (uint64_t)p->used++;
    return t;
}

static void called(simkit_world *world, void *user)
{
    token *t = (token *)user;
    see(t->of, t->number);
    see_number(t->of, simkit_clock_now(world));
    act(t->of);
}

static void lost(simkit_world *world, void *user)
{
    see(((token *)user)->of, UINT64_MAX);
    called(world, user);
}

static void received(simkit_world *world, void *user, const simkit_message *message)
{
    program *p = ((token *)user)->of;
    see(p, message ? message->from : 0);
    see_number(p, message ? message->sent : -1);
    called(world, user);
}

/*=============================================================================
 * Deeds
 *===========================================================================*/
static simkit_node any_node(program *p)
{
    return 1 + below(p, p->nodes);
}

static simkit_mailbox any_box(program *p)
{
    return 1 + below(p, p->boxes);
}

static void add_node(program *p)
{
    simkit_node_desc desc;
    simkit_mailbox box;
    memset(&desc, 0, sizeof desc);
    desc.speed = p->does & GRID ? 1 : 0.5 + simkit_random_uniform(&p->dice);
    desc.cores = 1 + below(p, 2);
    desc.nice_rule = p->nodes % 2 ? CONTENTION_NICE_LINUX_TODAY : CONTENTION_NICE_LINUX_2_2;
    if (p->does & RATIONS) {
        desc.period = 0.1;
        desc.quota = 0.03 * (1 + below(p, 3));
        desc.tick = p->nodes % 2 ? 0.004 : 0;
    }
    if (p->does & MEMORY) desc.memory_bandwidth = 1 + below(p, 3);
    if (!(p->does & FREE)) {
        desc.up_bandwidth = desc.down_bandwidth = 1048576;
        if (!(p->does & GRID)) {
            desc.down_bandwidth = 1e6 / (1 + simkit_random_uniform(&p->dice));
            desc.cpu_per_outgoing = 0.05;
            desc.cpu_per_incoming = 0.1;
        }
    }
    if (p->nodes == MOST_NODES || simkit_node_add(p->world, &desc, &p->nodes) != SIMKIT_OK) return;
    whatever(simkit_mailbox_open(p->world, p->nodes, NULL, &box));
    p->boxes = box;
    if (p->does & LOADS) whatever(simkit_load_record(p->world, p->nodes));
}

static void starts_step(program *p)
{
    const int priority = p->does & PRIORITIES ? (int)below(p, 5) - 2 : 0;
    const double delay = amount(p); /* each draw in a line of its own: compilers order arguments differently */
    whatever(simkit_step_after(p->world, delay, priority, called, token_new(p, 1), &p->steps[below(p, PLACES)]));
}

static void works(void *argument)
{
    (void)argument; /* processor_time() says what it takes */
}

static void computes(program *p)
{
    simkit_computation_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.node = any_node(p);
    desc.seconds = amount(p);
    desc.nice = p->does & NICE ? (int)below(p, 9) - 4 : 0;
    if (p->does & MEMORY) desc.memory_rate = p->does & GRID ? below(p, 4) : 4 * simkit_random_uniform(&p->dice);
    if (p->does & OPERATIONS) {
        const simkit_operation operation = p->operations[below(p, 3)];
        whatever(simkit_operation_run(p->world, operation, below(p, 3), works, NULL, &desc.seconds));
    }
    desc.done = called;
    desc.lost = lost;
    desc.user = token_new(p, 2);
    simkit_computation *computation = &p->computations[below(p, PLACES)];
    see(p, (uint64_t)simkit_computation_start(p->world, &desc, computation));
}

static void transfers(program *p)
{
    simkit_transfer_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.from = any_node(p);
    desc.to = any_node(p);
    desc.bytes = amount(p) * 1048576;
    desc.in_order = p->does & ORDERED && below(p, 2);
    desc.done = called;
    desc.lost = lost;
    desc.user = token_new(p, 3);
    see(p, (uint64_t)simkit_transfer_start(p->world, &desc, NULL));
}

static void posts(program *p)
{
    simkit_post_desc desc;
    if (below(p, 2)) {
        whatever(simkit_mailbox_take(p->world, any_box(p), received, token_new(p, 4), NULL));
        return;
    }
    memset(&desc, 0, sizeof desc);
    desc.from = any_node(p);
    desc.to = any_box(p);
    desc.bytes = amount(p) * 1048576;
    desc.in_order = p->does & ORDERED && below(p, 2);
    desc.lost = lost;
    desc.user = token_new(p, 5);
    if (below(p, 2)) desc.done = called;
    see(p, (uint64_t)simkit_mailbox_post(p->world, &desc, NULL));
}

static void models(program *p)
{
    netmodel_link link;
    const simkit_node from = any_node(p), to = any_node(p);
    link.latency = amount(p);
    link.byte_time = p->does & GRID ? 1.0 / 1048576 : 1e-6;
    whatever(simkit_pair_set(p->world, from, to, &link));
}

static void cancels(program *p)
{
    for (int i = 0; i < 4; ++i) {
        see(p, simkit_step_cancel(p->world, p->steps[below(p, PLACES)]));
        if (p->does & COMPUTES) see(p, simkit_computation_cancel(p->world, p->computations[below(p, PLACES)]));
    }
}

static void waited(simkit_world *world, void *user, simkit_result result)
{
    program *p = ((token *)user)->of;
    see(p, (uint64_t)result);
    if (result == SIMKIT_OK && below(p, 2)) whatever(simkit_resource_release(world, p->resources[below(p, 3)], 1));
    called(world, user);
}

static void add_places(program *p)
{
    simkit_resource_desc desc;
    memset(&desc, 0, sizeof desc);
    for (int i = 0; i < 3; ++i) {
        desc.capacity = (uint64_t)i + 1;
        whatever(simkit_resource_open(p->world, &desc, &p->resources[i]));
    }
    for (int i = 0; i < 2; ++i) {
        whatever(simkit_condition_open(p->world, NULL, &p->conditions[i]));
        whatever(simkit_barrier_open(p->world, NULL, 2 + (size_t)i, &p->barriers[i]));
    }
}

/* What waits with a callback, and what ends waits. */
static void waits(program *p)
{
    const unsigned one = below(p, 2), which = below(p, 3), units = 1 + below(p, which + 1), where = below(p, PLACES);
    const int priority = (int)below(p, 3) - 1;
    simkit_result result = SIMKIT_OK;
    switch (below(p, 9)) {
    case 0:
    case 1:
        result = simkit_resource_acquire(p->world, p->resources[which], units, priority, waited, token_new(p, 7),
                                         &p->waits[where]);
        break;
    case 2: result = simkit_condition_wait(p->world, p->conditions[one], waited, token_new(p, 8), &p->waits[where]); break;
    case 3: result = simkit_barrier_arrive(p->world, p->barriers[one], waited, token_new(p, 9), &p->waits[where]); break;
    case 4: result = simkit_resource_release(p->world, p->resources[which], units); break;
    case 5: result = simkit_condition_signal(p->world, p->conditions[one]); break;
    case 6: result = simkit_condition_broadcast(p->world, p->conditions[one]); break;
    case 7: see(p, simkit_wait_cancel(p->world, p->waits[where])); break;
    default:
        if (p->does & POSTS) result = simkit_mailbox_bound(p->world, any_box(p), units - 1);
    }
    see(p, (uint64_t)result);
    see(p, simkit_resource_available(p->world, p->resources[which]));
    if (p->does & CLOSES && below(p, 200) == 0) whatever(simkit_resource_close(p->world, p->resources[which]));
}

#ifndef SIMKIT_NO_PROCESSES
/* A call of a process that waits; it may have a limit. */
static simkit_result waits_for(program *p)
{
    const unsigned one = below(p, 2), which = below(p, 3), units = 1 + below(p, which + 1), other = below(p, PLACES);
    const int priority = (int)below(p, 3) - 1;
    const bool limited = below(p, 3) == 0, locks = below(p, 2);
    const double limit = amount(p);
    if (limited) whatever(simkit_process_limit(p->world, limit));
    simkit_choice any[3];
    size_t chosen;
    simkit_result result;
    switch (below(p, 6)) {
    case 0:
    case 1:
        result = simkit_process_acquire(p->world, p->resources[which], units, priority);
        if (result != SIMKIT_OK) return result;
        whatever(simkit_process_wait(p->world, limit));
        return simkit_resource_release(p->world, p->resources[which], units);
    case 2: return simkit_process_listen(p->world, p->conditions[one], locks ? p->resources[which] : 0);
    case 3: return simkit_process_arrive(p->world, p->barriers[one]);
    case 4: return simkit_process_join(p->world, p->processes[other]);
    default: break;
    }
    memset(any, 0, sizeof any);
    any[0].resource = p->resources[which];
    any[0].units = units;
    any[1].condition = p->conditions[one];
    any[2].computation = p->computations[other];
    if (locks) any[1].condition = 0, any[1].mailbox = any_box(p);
    result = simkit_process_choose(p->world, any, any[2].computation ? 3 : 2, &chosen, NULL);
    see(p, chosen);
    return result;
}

static void process(simkit_world *world, void *user)
{
    program *p = ((token *)user)->of;
    simkit_computation_desc compute;
    simkit_post_desc post;
    simkit_message message;
    for (int i = 0; i < 5; ++i) {
        simkit_result result = SIMKIT_OK;
        if (p->does & WAITING && below(p, 2)) {
            see(p, (uint64_t)waits_for(p));
            called(world, user);
            continue;
        }
        switch (below(p, 5)) {
        case 0: result = simkit_process_wait(world, amount(p)); break;
        case 1:
            memset(&compute, 0, sizeof compute);
            compute.seconds = amount(p);
            result = simkit_process_compute(world, &compute, NULL);
            break;
        case 2:
            memset(&post, 0, sizeof post);
            post.to = any_box(p);
            post.bytes = amount(p) * 1048576;
            result = simkit_process_send(world, &post, NULL);
            break;
        case 3:
            result = simkit_process_receive(world, any_box(p), &message);
            if (result == SIMKIT_OK) see_number(p, message.sent);
            break;
        default: result = simkit_process_suspend(world, NULL);
        }
        see(p, (uint64_t)result);
        called(world, user);
    }
}

static void processes(program *p)
{
    simkit_process_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.node = any_node(p);
    desc.body = process;
    desc.user = token_new(p, 6);
    see(p, (uint64_t)simkit_process_start(p->world, &desc, &p->processes[below(p, PLACES)]));
    if (p->does & WAITING) { /* all that wait are interrupted now and then, or one is */
        const unsigned which = below(p, PLACES);
        see(p, (uint64_t)simkit_process_interrupt(p->world, p->processes[which]));
        if (below(p, 8) == 0)
            for (int i = 0; i < PLACES; ++i) whatever(simkit_process_interrupt(p->world, p->processes[i]));
    }
    for (int i = 0; i < PLACES; ++i) whatever(simkit_process_resume(p->world, p->processes[i]));
    if (!(p->does & KILLS)) return;
    const simkit_process victim = p->processes[below(p, PLACES)];
    if (victim != simkit_process_self(p->world)) see(p, (uint64_t)simkit_process_kill(p->world, victim));
}
#endif

static void act(program *p)
{
    for (unsigned deeds = p->left > EVENTS - 40 ? 3 : below(p, 3); deeds > 0 && p->left > 0; --deeds) {
        const unsigned what = 1u << below(p, 18);
        --p->left;
        if (p->does & WAITING && below(p, 3) == 0) {
            waits(p);
            continue;
        }
        switch (what & p->does) {
        case STEPS: starts_step(p); break;
        case CANCELS: cancels(p); break;
        case COMPUTES: computes(p); break;
        case TRANSFERS: transfers(p); break;
        case MODELS: models(p); break;
        case POSTS: posts(p); break;
        case CLOSES:
            if (below(p, 8) == 0) whatever(simkit_mailbox_close(p->world, any_box(p)));
            break;
        case FAILS:
            if (below(p, 12) != 0 || p->nodes == MOST_NODES) break;
            add_node(p);
#ifndef SIMKIT_NO_PROCESSES
            if (simkit_process_self(p->world)) break; /* which might end here, in the middle of its deeds */
#endif
            see(p, (uint64_t)simkit_node_fail(p->world, any_node(p)));
            break;
        case LOADS: see_number(p, simkit_load_average(p->world, any_node(p), 0.75, 0.125)); break;
        case STOPS: simkit_world_stop(p->world); break;
#ifndef SIMKIT_NO_PROCESSES
        case PROCESSES: processes(p); break;
#endif
        default: starts_step(p);
        }
    }
}

/*=============================================================================
 * Users and operations
 *===========================================================================*/
static const double means[] = { 0.125, 0.5, 2 }, weights[] = { 5, 3, 2 }, profile[] = { 1, 0.25, 2, 0.5 };
static const double next_states[] = { 0.5, 0.375, 0.75, 0.125 };
static const simkit_arrival trace[] = { { 0, 0.5, 0, 1, NULL },      { 0.125, 0.3, 5, 0, NULL },
                                        { 0.125, 0.25, 0, 1, NULL }, { 1, 0.1, -3, 2, NULL },
                                        { 2, 1, 0, 2, NULL },        { 7, 0.7, 0, 0, NULL } };

static void start_users(program *p)
{
    static simkit_user_state states[2]; /* lives as long as the world, as its description asks */
    simkit_arrivals_desc arrivals;
    simkit_user_desc behaviour;
    simkit_replay_desc replay;
    memset(states, 0, sizeof states);
    states[0].think.law = SIMKIT_LAW_EXPONENTIAL;
    states[0].think.mean = 0.5;
    states[0].demand.law = SIMKIT_LAW_PARETO;
    states[0].demand.shape = 1.25;
    states[0].demand.minimum = 0.03125;
    states[0].demand.maximum = 4;
    states[0].next = next_states;
    states[1].think.law = SIMKIT_LAW_CONSTANT;
    states[1].think.mean = 0.125;
    states[1].demand.law = SIMKIT_LAW_SAMPLE;
    states[1].demand.values = means;
    states[1].demand.count = 3;
    states[1].next = next_states + 2;
    memset(&arrivals, 0, sizeof arrivals);
    memset(&behaviour, 0, sizeof behaviour);
    memset(&replay, 0, sizeof replay);
    arrivals.node = behaviour.node = 1;
    replay.node = 2;
    arrivals.rate = 2;
    arrivals.profile = arrivals.demand_profile = profile;
    arrivals.parts = 4;
    arrivals.day = 8;
    arrivals.demand.law = SIMKIT_LAW_HYPEREXPONENTIAL;
    arrivals.demand.values = means;
    arrivals.demand.weights = weights;
    arrivals.demand.count = 3;
    behaviour.states = states;
    behaviour.count = 2;
    behaviour.end = 40;
    replay.arrivals = trace;
    replay.count = sizeof trace / sizeof trace[0];
    replay.scale = 0.75;
    see(p, (uint64_t)simkit_arrivals_start(p->world, &arrivals, NULL));
    see(p, (uint64_t)simkit_user_start(p->world, &behaviour, NULL));
    see(p, (uint64_t)simkit_replay_start(p->world, &replay, NULL));
}

static void stop_users(simkit_world *world, void *user)
{
    const simkit_source_tally tally = simkit_source_progress(world, 0);
    program *p = (program *)user;
    see(p, tally.begun);
    see_number(p, tally.response);
    for (simkit_source users = 1; users <= 3; ++users) simkit_source_stop(world, users);
}

/* A processor that a measured operation finds to be now faster and now slower. */
static double processor_time(void *user)
{
    program *p = (program *)user;
    p->processor += 0.0625;
    return p->processor * p->processor / 64;
}

static double modelled(double parameter, void *user)
{
    (void)user;
    return parameter / 16;
}

static void add_operations(program *p)
{
    simkit_operation_desc desc;
    memset(&desc, 0, sizeof desc);
    for (int policy = 0; policy < 3; ++policy) {
        desc.policy = (simkit_policy)policy;
        desc.model = modelled;
        whatever(simkit_operation_add(p->world, &desc, &p->operations[policy]));
    }
}

/*=============================================================================
 * Running
 *===========================================================================*/
/* A watcher that reads all that may be read. */
static void looks(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    double *sum = (double *)user;
    if (simkit_clock_next(world) > event->time) *sum += 1;
    *sum += (double)simkit_node_running(world, event->node) + (double)simkit_mailbox_messages(world, event->node);
    *sum += (double)simkit_clock_events(world) + simkit_source_progress(world, 0).response;
    *sum += (double)simkit_world_memory(world, NULL);
}

/* Memory that moves whenever it can, and is full of something else before. */
static void *moves(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    void *fresh = NULL;
    (void)user;
    if (new_bytes > 0) {
        fresh = malloc(new_bytes);
        if (!fresh) return NULL;
        memset(fresh, 0xa5, new_bytes);
        if (pointer) memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    }
    if (pointer) {
        memset(pointer, 0x5a, old_bytes);
        free(pointer);
    }
    return fresh;
}

/* To the end, through whatever stops on the way; in slices also through times at which nothing happens. */
static simkit_result run(program *p, unsigned how)
{
    simkit_random cut = { 1 };
    simkit_result result;
    if (how & SLICED)
        for (;;) {
            const double next = simkit_clock_next(p->world), now = simkit_clock_now(p->world);
            if (!(next < (double)INFINITY)) break;
            whatever(simkit_world_run_until(p->world, simkit_random_bits(&cut) % 2 ? next : now + (next - now) / 2));
        }
    do {
        result = simkit_world_run(p->world);
    } while (result == SIMKIT_STOPPED);
    while (simkit_clock_next(p->world) < (double)INFINITY) /* background */
        whatever(simkit_world_run_until(p->world, simkit_clock_next(p->world)));
    return result;
}

/* The critical path covers the time from the beginning to its end without gaps. */
static void walk(simkit_reasons *reasons)
{
    const simkit_reason_piece *path;
    size_t count;
    double at = 0;
    whatever(simkit_reasons_path(reasons, &path, &count));
    for (size_t i = 0; i < count; at = path[i++].end)
        if (path[i].begin < at || path[i].begin > at || !(path[i].end > at)) puts("the critical path differs from itself");
}

static void happen(uint64_t seed, unsigned does, unsigned how, uint64_t hash[2])
{
    static program whole;
    program *p = &whole;
    simkit_world_desc desc;
    double sum = 0;
    memset(p, 0, sizeof *p);
    memset(&desc, 0, sizeof desc);
    desc.seed = seed;
    if (!(does & FREE)) desc.latency = does & GRID ? 0.125 : 1e-3;
    if (does & MAXMIN) desc.sharing = SIMKIT_SHARING_MAXMIN;
    desc.processor_time = processor_time;
    desc.processor_time_user = p;
    if (how & MOVED) desc.memory.reallocate = moves;
    if (simkit_world_open(&desc, &p->world) != SIMKIT_OK) exit(2);
    if (how & PRINTED) whatever(simkit_fingerprint_begin(p->world));
    if (how & WATCHED && simkit_watch_add(p->world, SIMKIT_WATCH_ALL, looks, &sum) != SIMKIT_OK) exit(2);
    simkit_reasons *reasons = NULL;
    if (how & WATCHED && simkit_reasons_open(p->world, &reasons) != SIMKIT_OK) exit(2);
    p->dice = simkit_random_stream(p->world, 1);
    p->does = does;
    p->left = EVENTS;
    for (int i = 0; i < NODES; ++i) add_node(p);
    if (does & OPERATIONS) add_operations(p);
    if (does & WAITING) add_places(p);
    if (does & USERS) {
        start_users(p);
        whatever(simkit_step_at(p->world, 60, 0, stop_users, p, NULL));
    }
    for (int i = 0; i < 8; ++i) starts_step(p);
    see(p, (uint64_t)run(p, how));
    see_number(p, simkit_clock_now(p->world));
    hash[0] = simkit_fingerprint_value(p->world);
    hash[1] = p->seen;
    if (reasons) walk(reasons);
    simkit_world_close(p->world);
}

static const struct scene {
    const char *name;
    unsigned does;
} scenes[] = {
    { "clock", STEPS },
    { "clock, ties", STEPS | GRID },
    { "clock, priorities", STEPS | PRIORITIES | GRID },
    { "clock, cancels", STEPS | CANCELS },
    { "clock, cancels at ties", STEPS | CANCELS | PRIORITIES | GRID | STOPS },
    { "computing", COMPUTES },
    { "computing, ties", COMPUTES | STEPS | GRID },
    { "computing, nice", COMPUTES | NICE },
    { "computing, cancels", COMPUTES | NICE | CANCELS | GRID },
    { "computing, quotas", COMPUTES | RATIONS },
    { "computing, quotas and nice", COMPUTES | RATIONS | NICE | CANCELS },
    { "computing, memory", COMPUTES | MEMORY | CANCELS },
    { "computing, memory, all", COMPUTES | MEMORY | RATIONS | NICE | CANCELS | FAILS | GRID },
    { "nodes, failures", COMPUTES | TRANSFERS | POSTS | FAILS },
    { "nodes, failures at ties", COMPUTES | TRANSFERS | POSTS | FAILS | ORDERED | GRID },
    { "loads", COMPUTES | NICE | LOADS },
    { "loads, ties", COMPUTES | LOADS | GRID },
    { "transfers", TRANSFERS | COMPUTES },
    { "transfers, ties", TRANSFERS | GRID },
    { "transfers, connections", TRANSFERS | ORDERED },
    { "transfers, pair models", TRANSFERS | ORDERED | MODELS | COMPUTES },
    { "transfers, at once", TRANSFERS | STEPS | ORDERED | FREE | GRID },
    { "transfers, max-min", TRANSFERS | MAXMIN | COMPUTES },
    { "transfers, max-min, models", TRANSFERS | MAXMIN | MODELS | ORDERED | FAILS },
    { "transfers, max-min, ties", TRANSFERS | MAXMIN | GRID },
    { "mailboxes", POSTS },
    { "mailboxes, ties", POSTS | GRID | CLOSES },
    { "mailboxes, at once", POSTS | FREE | GRID | CLOSES | FAILS },
    { "waiting", WAITING | STEPS },
    { "waiting, ties", WAITING | STEPS | GRID | PRIORITIES },
    { "waiting, mailboxes", WAITING | POSTS | GRID | CLOSES },
    { "operations", COMPUTES | OPERATIONS | NICE },
    { "users", USERS | COMPUTES | LOADS },
    { "users, quotas and failures", USERS | COMPUTES | RATIONS | FAILS | NICE },
    { "all at once", STEPS | PRIORITIES | CANCELS | COMPUTES | NICE | TRANSFERS | ORDERED | MODELS | POSTS | CLOSES |
                         FAILS | LOADS | USERS | STOPS },
    { "all at once, ties", STEPS | PRIORITIES | CANCELS | COMPUTES | NICE | TRANSFERS | ORDERED | MODELS | POSTS |
                               CLOSES | FAILS | LOADS | STOPS | GRID },
    { "all at once, max-min", STEPS | CANCELS | COMPUTES | RATIONS | TRANSFERS | ORDERED | MODELS | POSTS | CLOSES |
                                  FAILS | USERS | STOPS | MAXMIN },
#ifndef SIMKIT_NO_PROCESSES
    { "processes", PROCESSES | COMPUTES | POSTS },
    { "processes, ties", PROCESSES | GRID | POSTS },
    { "processes, at once", PROCESSES | GRID | POSTS | FREE },
    { "processes, kills", PROCESSES | KILLS | COMPUTES | POSTS | GRID },
    { "processes, failures", PROCESSES | KILLS | FAILS | CLOSES | POSTS },
    { "processes, all at once", PROCESSES | KILLS | FAILS | CLOSES | POSTS | STEPS | PRIORITIES | CANCELS | COMPUTES |
                                    NICE | TRANSFERS | ORDERED | MODELS | LOADS | USERS | STOPS },
    { "processes, all, ties", PROCESSES | KILLS | CLOSES | POSTS | STEPS | PRIORITIES | CANCELS | COMPUTES | NICE |
                                  TRANSFERS | ORDERED | FREE | GRID | STOPS },
    { "processes, waiting", PROCESSES | WAITING | COMPUTES | POSTS },
    { "processes, waiting, ties", PROCESSES | WAITING | COMPUTES | POSTS | GRID | FREE | STEPS },
    { "processes, waiting, all", PROCESSES | WAITING | KILLS | FAILS | CLOSES | POSTS | COMPUTES | TRANSFERS | GRID | STEPS },
    { "processes, max-min", PROCESSES | KILLS | FAILS | CLOSES | POSTS | TRANSFERS | MAXMIN | RATIONS },
#endif
};

static const struct way {
    const char *name;
    unsigned how;
} ways[] = {
    { "with a watcher", PRINTED | WATCHED },
    { "in slices", PRINTED | SLICED },
    { "with memory that moves", PRINTED | MOVED },
    { "with all of these", PRINTED | WATCHED | SLICED | MOVED },
    { "without a fingerprint", 0 },
    { "with a watcher, without a fingerprint", WATCHED },
};

int main(void)
{
    enum { SEEDS = 4 };
    int status = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        uint64_t hash[SEEDS][2], other[2], fingerprint = 0, seen = 0;
        for (uint64_t seed = 0; seed < SEEDS; ++seed) {
            happen(seed, scenes[i].does, PRINTED, hash[seed]);
            fingerprint = fingerprint * 31 + hash[seed][0];
            seen = seen * 31 + hash[seed][1];
        }
        printf("%-28s %016llx %016llx\n", scenes[i].name, (unsigned long long)fingerprint, (unsigned long long)seen);
        for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k)
            for (uint64_t seed = 0; seed < SEEDS; ++seed) {
                happen(seed, scenes[i].does, ways[k].how, other);
                if (other[1] == hash[seed][1] && (!(ways[k].how & PRINTED) || other[0] == hash[seed][0])) continue;
                printf("%-28s differs %s, seed %d\n", scenes[i].name, ways[k].name, (int)seed);
                status = 1;
            }
    }
    return status;
}
