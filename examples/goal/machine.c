/* machine.c - goal_machine(): a schedule on a machine of simkit, by computations and transfers, without processes
 *
 * Each processor of a rank does one thing after another: calcs, and what sends and receives take of it. A message of at most S bytes
 * leaves at once; a longer one waits for its receive, and its send ends when it has arrived. What becomes ready goes through
 * a list, so that a long chain of operations that take no time needs no deep stack. */
#include "goal.h"
#include "util/simkit_trace.h"

#include <stdio.h>
#include <string.h>

typedef struct machine_run machine_run;
typedef struct progress {
    machine_run *run;           /* for callbacks */
    uint32_t left;              /* operations that it waits for */
    uint32_t next;              /* behind it at its processor */
    uint32_t other;             /* the receive of a message, the message of a receive; GOAL_NONE: unknown so far */
    bool begun, sent, has_come; /* it has begun; a send: its processor is free again; its message has arrived */
} progress;

typedef struct processor {
    uint32_t first, last; /* the first is at work, if `busy` */
    bool busy;
} processor;

struct machine_run {
    const goal_schedule *s;
    const goal_machine_desc *desc;
    simkit_world *world;
    simkit_node *nodes;
    size_t node_count, *places; /* nodes[node_count]; places[s->ranks]: which of them each rank is on */
    progress *ops;
    size_t *cpu_first; /* cpu_first[s->ranks]: of the processors of a rank */
    processor *cpus;
    size_t cpu_count;
    uint32_t *todo; /* todo[s->count]: what has become ready, in this order; from `done` on it has not begun */
    size_t done, ready;
    goal_match match;
    double *end;
    simkit_result result;
};

static void work(machine_run *r);

static void failed(machine_run *r, simkit_result result)
{
    if (result == SIMKIT_OK || r->result != SIMKIT_OK) return;
    r->result = result;
    simkit_world_stop(r->world);
}

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
/* What becomes ready together begins in the order of LogGOPSim: sends, receives, calcs. */
static void let(machine_run *r, uint32_t op, bool start)
{
    const goal_schedule *s = r->s;
    const size_t before = r->ready;
    for (uint32_t k = s->first[op]; k < s->first[op + 1]; ++k) {
        const uint32_t other = s->after[k] & ~GOAL_START;
        if (((s->after[k] & GOAL_START) != 0) != start || --r->ops[other].left > 0) continue;
        size_t at = r->ready++;
        for (; at > before && s->ops[r->todo[at - 1]].kind > s->ops[other].kind; --at) r->todo[at] = r->todo[at - 1];
        r->todo[at] = other;
    }
}

static void ends(machine_run *r, uint32_t op)
{
    const uint32_t rank = r->s->ops[op].rank;
    const double now = simkit_clock_now(r->world) * 1e9;
    if (now > r->end[rank]) r->end[rank] = now;
    let(r, op, false);
}

static void arrived(simkit_world *world, void *user);
static void computed(simkit_world *world, void *user);

static const char *label_of(const goal_schedule *s, uint32_t op)
{
    static const char *const kinds[] = { "send", "recv", "calc" };
    return s->ops[op].label ? s->labels + s->ops[op].label : kinds[s->ops[op].kind];
}

static void leave(machine_run *r, uint32_t op)
{
    const goal_op *o = &r->s->ops[op];
    const simkit_transfer_desc desc = { .from = r->nodes[r->places[o->rank]],
                                        .to = r->nodes[r->places[o->peer]],
                                        .bytes = o->size,
                                        .name = label_of(r->s, op),
                                        .done = arrived,
                                        .user = &r->ops[op] };
    failed(r, simkit_transfer_start(r->world, &desc, NULL));
}

/* A processor has done its part of an operation. */
static void finish(machine_run *r, uint32_t op)
{
    const goal_op *o = &r->s->ops[op];
    if (o->kind != GOAL_SEND) {
        ends(r, op);
        return;
    }
    const uint32_t receive = goal_match_message(&r->match, op);
    r->ops[op].sent = true;
    r->ops[op].other = receive;
    if (receive != GOAL_NONE) r->ops[receive].other = op;
    if (o->size <= r->desc->S || receive != GOAL_NONE) leave(r, op);
    if (o->size <= r->desc->S) ends(r, op);
}

/*=============================================================================
 * MARK: - >>processors
 *===========================================================================*/
static processor *cpu_of(machine_run *r, uint32_t op)
{
    return &r->cpus[r->cpu_first[r->s->ops[op].rank] + r->s->ops[op].cpu];
}

static double seconds_of(const machine_run *r, uint32_t op)
{
    const goal_op *o = &r->s->ops[op];
    if (o->kind == GOAL_CALC) return o->size * 1e-9;
    const double bytes = r->s->ops[o->kind == GOAL_SEND ? op : r->ops[op].other].size;
    return (r->desc->o + (bytes > 1 ? bytes - 1 : 0) * r->desc->O) * 1e-9;
}

/* Begins what is next at a processor; what takes no time is done at once. */
static void advance(machine_run *r, processor *cpu)
{
    while (!cpu->busy && cpu->first != GOAL_NONE && r->result == SIMKIT_OK) {
        const uint32_t op = cpu->first;
        const double seconds = seconds_of(r, op);
        if (r->s->ops[op].kind != GOAL_RECV && !r->ops[op].begun) {
            r->ops[op].begun = true;
            let(r, op, true);
        }
        if (seconds > 0) {
            char lane[24];
            snprintf(lane, sizeof lane, "rank %u", (unsigned)r->s->ops[op].rank);
            const simkit_computation_desc desc = { .node = r->nodes[r->places[r->s->ops[op].rank]],
                                                   .seconds = seconds,
                                                   .name = label_of(r->s, op),
                                                   .lane = lane,
                                                   .done = computed,
                                                   .user = &r->ops[op] };
            cpu->busy = true;
            failed(r, simkit_computation_start(r->world, &desc, NULL));
            return;
        }
        cpu->first = r->ops[op].next;
        finish(r, op);
    }
}

static void queue_up(machine_run *r, uint32_t op)
{
    processor *cpu = cpu_of(r, op);
    r->ops[op].next = GOAL_NONE;
    if (cpu->first == GOAL_NONE)
        cpu->first = op;
    else
        r->ops[cpu->last].next = op;
    cpu->last = op;
    advance(r, cpu);
}

static void computed(simkit_world *world, void *user)
{
    progress *p = user;
    machine_run *r = p->run;
    const uint32_t op = (uint32_t)(p - r->ops);
    processor *cpu = cpu_of(r, op);
    (void)world;
    cpu->busy = false;
    cpu->first = p->next;
    finish(r, op);
    work(r);
    advance(r, cpu);
    work(r);
}

static void arrived(simkit_world *world, void *user)
{
    progress *p = user;
    machine_run *r = p->run;
    const uint32_t op = (uint32_t)(p - r->ops);
    (void)world;
    p->has_come = true;
    if (r->s->ops[op].size > r->desc->S) ends(r, op);
    if (p->other != GOAL_NONE) queue_up(r, p->other);
    work(r);
}

static void begin_receive(machine_run *r, uint32_t op)
{
    const uint32_t message = goal_match_receive(&r->match, op);
    r->ops[op].begun = true;
    r->ops[op].other = message;
    let(r, op, true);
    if (message == GOAL_NONE) return;
    r->ops[message].other = op;
    if (r->ops[message].has_come)
        queue_up(r, op);
    else if (r->s->ops[message].size > r->desc->S)
        leave(r, message);
}

static void work(machine_run *r)
{
    while (r->done < r->ready && r->result == SIMKIT_OK) {
        const uint32_t op = r->todo[r->done++];
        if (r->s->ops[op].kind == GOAL_RECV)
            begin_receive(r, op);
        else
            queue_up(r, op);
    }
}

/*=============================================================================
 * MARK: - >>the run
 *===========================================================================*/
static goal_fate fate(const void *run, uint32_t op)
{
    const progress *p = &((const machine_run *)run)->ops[op];
    const goal_kind kind = (goal_kind)p->run->s->ops[op].kind;
    if (!p->begun) return GOAL_UNBEGUN;
    if (kind == GOAL_CALC || p->other != GOAL_NONE) return GOAL_FINE;
    return kind == GOAL_SEND ? GOAL_UNRECEIVED : GOAL_UNSENT;
}

static bool make_room(machine_run *r)
{
    const goal_schedule *s = r->s;
    r->nodes = goal_memory(&s->memory, NULL, 0, r->node_count * sizeof *r->nodes);
    r->places = goal_memory(&s->memory, NULL, 0, s->ranks * sizeof *r->places);
    r->cpu_first = goal_memory(&s->memory, NULL, 0, s->ranks * sizeof *r->cpu_first);
    r->ops = goal_memory(&s->memory, NULL, 0, (s->count + 1) * sizeof *r->ops);
    r->todo = goal_memory(&s->memory, NULL, 0, (s->count + 1) * sizeof *r->todo);
    if (!r->nodes || !r->places || !r->cpu_first || !r->ops || !r->todo || !goal_match_open(&r->match, s)) return false;
    for (uint32_t i = 0; i < s->ranks; ++i) r->cpu_first[i] = 1;
    for (size_t i = 0; i < s->count; ++i) {
        size_t *cpus = &r->cpu_first[s->ops[i].rank];
        r->ops[i] = (progress){ r, s->needed[i], GOAL_NONE, GOAL_NONE, false, false, false };
        if (*cpus <= s->ops[i].cpu) *cpus = s->ops[i].cpu + (size_t)1;
    }
    for (uint32_t i = 0; i < s->ranks; ++i) {
        const size_t cpus = r->cpu_first[i];
        r->cpu_first[i] = r->cpu_count;
        r->cpu_count += cpus;
    }
    r->cpus = goal_memory(&s->memory, NULL, 0, r->cpu_count * sizeof *r->cpus);
    for (size_t i = 0; i < r->cpu_count && r->cpus; ++i) r->cpus[i] = (processor){ GOAL_NONE, GOAL_NONE, false };
    return r->cpus != NULL;
}

static void give_back(machine_run *r)
{
    const goal_schedule *s = r->s;
    if (r->nodes) goal_memory(&s->memory, r->nodes, r->node_count * sizeof *r->nodes, 0);
    if (r->places) goal_memory(&s->memory, r->places, s->ranks * sizeof *r->places, 0);
    if (r->cpu_first) goal_memory(&s->memory, r->cpu_first, s->ranks * sizeof *r->cpu_first, 0);
    if (r->ops) goal_memory(&s->memory, r->ops, (s->count + 1) * sizeof *r->ops, 0);
    if (r->todo) goal_memory(&s->memory, r->todo, (s->count + 1) * sizeof *r->todo, 0);
    if (r->cpus) goal_memory(&s->memory, r->cpus, r->cpu_count * sizeof *r->cpus, 0);
    goal_match_close(&r->match);
    simkit_world_close(r->world);
}

static simkit_result open_world(machine_run *r, char why[GOAL_WHY])
{
    const simkit_machine *m = r->desc->machine;
    simkit_parse_error error;
    simkit_result result =
        simkit_machine_placement(m, r->desc->place, r->node_count, true, r->s->ranks, r->places, &error);
    if (result != SIMKIT_OK) return snprintf(why, GOAL_WHY, "%s", error.text), result;
    result = simkit_world_open(
        &(simkit_world_desc){ .memory = r->s->memory, .latency = m->latency, .sharing = m->sharing }, &r->world);
    return result == SIMKIT_OK ? simkit_machine_add(r->world, m, r->node_count, r->nodes) : result;
}

/* By rank; of each, sends, receives, calcs. */
static void begin_all(machine_run *r)
{
    const goal_schedule *s = r->s;
    for (size_t i = 0, from = 0; i <= s->count; ++i) {
        if (i < s->count && s->ops[i].rank == s->ops[from].rank) continue;
        for (unsigned kind = GOAL_SEND; kind <= GOAL_CALC; ++kind)
            for (size_t k = from; k < i; ++k)
                if (s->needed[k] == 0 && s->ops[k].kind == kind) r->todo[r->ready++] = (uint32_t)k;
        from = i;
    }
    work(r);
}

static simkit_result run_world(machine_run *r, char why[GOAL_WHY])
{
    simkit_trace *trace = NULL;
    simkit_result result = open_world(r, why);
    const simkit_trace_desc desc = { .path = r->desc->trace, .title = r->s->name, .lanes = true };
    if (result == SIMKIT_OK && desc.path) result = simkit_trace_open(r->world, &desc, &trace);
    if (result == SIMKIT_OK) {
        begin_all(r);
        result = r->result == SIMKIT_OK ? simkit_world_run(r->world) : r->result;
        if (r->result != SIMKIT_OK) result = r->result;
    }
    if (result != SIMKIT_OK && !why[0] && r->world) snprintf(why, GOAL_WHY, "%s", simkit_world_why(r->world));
    const simkit_result written = simkit_trace_close(trace);
    if (result == SIMKIT_OK && written != SIMKIT_OK) {
        snprintf(why, GOAL_WHY, "%s: %s", desc.path, simkit_result_text(written));
        result = written;
    }
    return result;
}

simkit_result goal_machine(const goal_schedule *s, const goal_machine_desc *desc, double *end, char why[GOAL_WHY])
{
    machine_run r = { .s = s, .desc = desc, .end = end, .node_count = desc->machine->nodes };
    why[0] = 0;
    if (!(desc->o >= 0 && desc->O >= 0 && desc->S >= 0))
        return snprintf(why, GOAL_WHY, "expected o, O and S of at least 0"), SIMKIT_BAD_ARGUMENT;
    if (r.node_count == 0) r.node_count = s->ranks;
    for (uint32_t i = 0; i < s->ranks; ++i) end[i] = 0;
    simkit_result result = make_room(&r) ? run_world(&r, why) : SIMKIT_NO_MEMORY;
    if (result == SIMKIT_OK && goal_explain(s, fate, &r, why)) result = SIMKIT_DEADLOCK;
    if (result != SIMKIT_OK && !why[0]) snprintf(why, GOAL_WHY, "%s", simkit_result_text(result));
    give_back(&r);
    return result;
}
