/* tests/differential/play.h   The engine executes a program, in one of several ways that must not make a difference. */
#ifndef PLAY_H
#define PLAY_H

#include "generate.h"

/* What may be done to a run besides. */
typedef struct way {
    unsigned watched;    /* kinds that are watched */
    bool traced;         /* the history has what watchers see of transfers: for the reference */
    bool peeks;          /* in callbacks, processes and watchers: everything that can be read */
    bool worn;           /* timers, places and numbers have been used so often that they are about to come again */
    bool moves;          /* memory: each block moves when it grows, and what was freed is overwritten */
    int stale;           /* so many steps are asked for and taken back beside each operation */
    int slices;          /* the run is made in so many slices more, until these times */
    double slice[8];
    long refuses;        /* allocations until one is refused; 0: none is */
    uint64_t before;     /* the program of this seed is played first, in the same world, until `until`; 0: none */
    double until;
    int leaves_out;      /* an operation that is answered with SIMKIT_NO_MEMORY without being called */
} way;

typedef struct player player;

enum { MOST_CROWDS = 16 };
typedef struct crowd { /* what a source of background processes borrows */
    simkit_arrival arrivals[4];
    simkit_user_state states[2];
    double next[2], values[2], weights[2];
} crowd;

typedef struct cell { /* what a callback is handed */
    player *player;
    int op;
    char name[8]; /* the number of the operation, for watchers */
} cell;

struct player {
    const program *program;
    const way *way;
    simkit_world *world;
    history *history;
    cell cells[MOST_OPS];
    uint64_t handles[MOST_OPS]; /* what an operation made; 0: nothing */
    uint64_t watched;           /* a hash of what watchers were told */
    double duration;            /* of what is run next */
    double processor;           /* processor time of this machine, as the world is told [s] */
    crowd crowds[MOST_CROWDS];
    int crowd_count;
    long allocations;
    bool refused;
    int without_memory; /* the operation that was answered so; 0: none */
    bool open;
};

static void execute(player *p, int parent);

static void record(player *p, int op, event event, int result, double a, double b, double c, double d)
{
    entry e;
    memset(&e, 0, sizeof e);
    e.time = simkit_clock_now(p->world);
    e.op = op;
    e.event = event;
    e.result = result;
    e.values[0] = a;
    e.values[1] = b;
    e.values[2] = c;
    e.values[3] = d;
    history_add(p->history, e);
}

/* A hook that moves every block and says no once. */
static void *play_reallocate(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    player *p = (player *)user;
    void *moved;
    if (new_bytes > old_bytes && p->open && ++p->allocations == p->way->refuses) {
        p->refused = true;
        return NULL;
    }
    if (new_bytes == 0) {
        if (pointer) memset(pointer, 0xa5, old_bytes);
        free(pointer);
        return NULL;
    }
    if (!(moved = malloc(new_bytes))) abort();
    memset(moved, 0x5a, new_bytes);
    if (pointer) {
        memcpy(moved, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
        memset(pointer, 0xa5, old_bytes);
        free(pointer);
    }
    return moved;
}

static void mix(uint64_t *hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i) *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void look_around(const player *p)
{
    const simkit_world *w = p->world;
    volatile double seen = simkit_clock_next(w) + simkit_clock_now(w) + (double)simkit_clock_events(w);
    for (int i = 1; i < p->program->count; ++i) {
        const kind kind = p->program->ops[i].kind;
        if (p->handles[i] == 0) continue;
        if (kind == STEP_AT || kind == STEP_AFTER) seen += simkit_step_pending(w, p->handles[i]);
        if (kind == NODE) seen += (double)simkit_node_running(w, (simkit_node)p->handles[i]);
        if (kind == NODE) seen += simkit_node_name(w, (simkit_node)p->handles[i])[0];
        if (kind == BOX) seen += (double)simkit_mailbox_messages(w, (simkit_mailbox)p->handles[i]);
    }
    seen += simkit_node_count(w) + (double)simkit_world_memory(w, NULL) + simkit_world_why(w)[0];
    seen += (double)simkit_process_self(w);
    (void)seen;
}

static void watch(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    player *p = (player *)user;
    const double numbers[] = { event->time, event->begin, event->seconds, event->bytes };
    const uint64_t names[] = { event->kind, event->phase, event->node, event->to,
                               event->kind == SIMKIT_WATCH_STEP ? 0 : event->number, event->background };
    (void)world;
    mix(&p->watched, numbers, sizeof numbers);
    mix(&p->watched, names, sizeof names);
    if (p->way->peeks) look_around(p);
}

/* Bytes begin to flow, and all have arrived. */
static void trace(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    player *p = (player *)user;
    (void)world;
    if (event->phase == SIMKIT_PHASE_FLOW || event->phase == SIMKIT_PHASE_END)
        record(p, atoi(event->name), event->phase == SIMKIT_PHASE_FLOW ? FLOWS : ARRIVED, 0, event->begin, event->bytes, 0, 0);
}

/* A watcher that a program adds: nobody looks at what it is told. */
static void ignore(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    (void)user, (void)world, (void)event;
}

static void never_waits(simkit_world *world, void *user, simkit_result result)
{
    (void)world, (void)user, (void)result;
    abort();
}

static void never(simkit_world *world, void *user)
{
    (void)world, (void)user;
    abort(); /* it was taken back */
}

/*=============================================================================
 * What the engine calls
 *===========================================================================*/
static void on_event(void *user, event event, double a, double b, double c, double d)
{
    cell *at = (cell *)user;
    record(at->player, at->op, event, 0, a, b, c, d);
    execute(at->player, at->op);
}

static void on_run(simkit_world *world, void *user)
{
    (void)world;
    on_event(user, RAN, 0, 0, 0, 0);
}

static void on_done(simkit_world *world, void *user)
{
    (void)world;
    on_event(user, DONE, 0, 0, 0, 0);
}

static void on_lost(simkit_world *world, void *user)
{
    (void)world;
    on_event(user, LOST, 0, 0, 0, 0);
}

static void on_message(simkit_world *world, void *user, const simkit_message *m)
{
    (void)world;
    if (m)
        on_event(user, GOT, ((const cell *)m->data)->op, m->bytes, m->sent, m->arrived);
    else
        on_event(user, NOT_GOT, 0, 0, 0, 0);
}

static void on_wait(simkit_world *world, void *user, simkit_result result)
{
    (void)world;
    on_event(user, DONE, (double)result, 0, 0, 0);
}

/* A source of background processes ends. */
static void on_end(simkit_world *world, void *user)
{
    cell *at = (cell *)user;
    const simkit_source users = (simkit_source)at->player->handles[at->op];
    const simkit_source_tally tally = simkit_source_progress(world, users);
    simkit_source_stop(world, users);
    on_event(user, DONE, (double)tally.begun, (double)tally.ended, tally.demand, tally.response);
}

/*=============================================================================
 * Operations
 *===========================================================================*/
static simkit_result play_node(player *p, const op *o, int i)
{
    simkit_node_desc desc;
    simkit_node node;
    simkit_result result;
    memset(&desc, 0, sizeof desc);
    desc.speed = o->x[0];
    desc.cores = (unsigned)o->n;
    desc.up_bandwidth = o->x[1];
    desc.down_bandwidth = o->x[2];
    desc.cpu_per_outgoing = o->x[5];
    desc.cpu_per_incoming = o->x[6];
    desc.quota = o->x[7];
    desc.period = o->x[8];
    desc.tick = o->x[9];
    desc.slice = o->x[3];
    desc.kept = o->x[4];
    desc.host = (unsigned)o->x[10];
    desc.burst = o->x[11];
    desc.memory_bandwidth = o->x[12];
    desc.nice_rule = o->flag ? CONTENTION_NICE_LINUX_2_2 : CONTENTION_NICE_LINUX_TODAY;
    result = simkit_node_add(p->world, &desc, &node);
    p->handles[i] = node;
    return result;
}

static simkit_result play_compute(player *p, const op *o, int i)
{
    simkit_computation_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.node = (simkit_node)p->handles[o->a];
    desc.seconds = o->x[0];
    desc.memory_rate = o->x[1];
    desc.nice = o->n;
    desc.background = o->flag;
    desc.done = on_done;
    desc.lost = on_lost;
    desc.user = &p->cells[i];
    return o->kind == COMPUTE ? simkit_computation_start(p->world, &desc, &p->handles[i])
                              : simkit_process_compute(p->world, &desc, &p->handles[i]);
}

static simkit_result play_transfer(player *p, const op *o, int i)
{
    simkit_transfer_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.from = (simkit_node)p->handles[o->a];
    desc.to = (simkit_node)p->handles[o->b];
    desc.bytes = o->x[0];
    desc.in_order = o->flag;
    desc.name = p->cells[i].name;
    desc.done = on_done;
    desc.lost = on_lost;
    desc.user = &p->cells[i];
    return simkit_transfer_start(p->world, &desc, &p->handles[i]);
}

static simkit_result play_post(player *p, const op *o, int i)
{
    simkit_post_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.from = (simkit_node)p->handles[o->a];
    desc.to = (simkit_mailbox)p->handles[o->b];
    desc.bytes = o->x[0];
    desc.in_order = o->flag;
    desc.name = p->cells[i].name;
    desc.data = &p->cells[i];
    if (!o->quiet) {
        desc.done = on_done;
        desc.lost = on_lost;
        desc.user = &p->cells[i];
    }
    return o->kind == POST ? simkit_mailbox_post(p->world, &desc, &p->handles[i])
                           : simkit_process_send(p->world, &desc, &p->handles[i]);
}

static simkit_result play_process(player *p, const op *o, int i)
{
    simkit_process_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.node = (simkit_node)p->handles[o->a];
    desc.body = on_run;
    desc.user = &p->cells[i];
    return simkit_process_start(p->world, &desc, &p->handles[i]);
}

static double processor_time(void *user)
{
    return ((const player *)user)->processor;
}

static simkit_result play_operation(player *p, const op *o, int i)
{
    simkit_operation_desc desc;
    simkit_operation operation;
    simkit_result result;
    memset(&desc, 0, sizeof desc);
    desc.policy = (simkit_policy)o->n;
    desc.first = (unsigned)o->b;
    desc.skip = (unsigned)o->x[1];
    desc.every = (unsigned)o->x[2];
    desc.quantile = o->x[3];
    desc.classes = (unsigned)o->x[4];
    desc.power = desc.classes ? (unsigned)o->x[5] : 0;
    desc.seconds = o->x[0];
    result = simkit_operation_add(p->world, &desc, &operation);
    p->handles[i] = operation;
    return result;
}

static void operate(void *user)
{
    player *p = (player *)user;
    p->processor += p->duration;
}

static simkit_distribution play_law(const op *o, crowd *c)
{
    simkit_distribution d;
    memset(&d, 0, sizeof d);
    d.law = (simkit_law)(o->b % 4);
    d.mean = d.law == SIMKIT_LAW_EXPONENTIAL ? o->x[1] + 0.125 : o->x[1];
    d.shape = 1.5;
    d.minimum = 0.125;
    d.maximum = 2 + o->x[1];
    c->values[0] = 0.125;
    c->values[1] = 1 + o->x[1];
    c->weights[0] = 3;
    c->weights[1] = 1;
    d.values = c->values;
    d.weights = c->weights;
    d.count = d.law == SIMKIT_LAW_HYPEREXPONENTIAL ? 2 : 0;
    return d;
}

/* A stream, a trace or a user; for a time, so that the run ends. */
static simkit_result play_users(player *p, const op *o, int i)
{
    crowd *c = &p->crowds[p->crowd_count % MOST_CROWDS];
    const simkit_node node = (simkit_node)p->handles[o->a];
    simkit_source users = 0;
    simkit_result result;
    if (p->crowd_count++ >= MOST_CROWDS) return SIMKIT_BAD_ARGUMENT;
    if (o->n == 0) {
        simkit_arrivals_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.node = node;
        desc.rate = 0.125 + o->x[0];
        desc.demand = play_law(o, c);
        desc.stream = (uint64_t)i;
        result = simkit_arrivals_start(p->world, &desc, &users);
    } else if (o->n == 1) {
        simkit_replay_desc desc;
        memset(&desc, 0, sizeof desc);
        for (int k = 0; k < 4; ++k) {
            c->arrivals[k].time = k * o->x[0];
            c->arrivals[k].seconds = o->x[3 + k];
            c->arrivals[k].process = (uint32_t)(k % (1 + o->b));
        }
        desc.node = node;
        desc.arrivals = c->arrivals;
        desc.count = 4;
        desc.skip = o->x[7] / 4;
        result = simkit_replay_start(p->world, &desc, &users);
    } else {
        simkit_user_desc desc;
        memset(&desc, 0, sizeof desc);
        for (int k = 0; k < 2; ++k) {
            c->states[k].think.mean = 0.25 + o->x[3 + k];
            c->states[k].demand = play_law(o, c);
            c->states[k].nice = 10 * k;
            c->states[k].next = k ? NULL : c->next;
        }
        c->next[0] = c->next[1] = 0.5;
        desc.node = node;
        desc.states = c->states;
        desc.count = 2;
        desc.begin = o->x[7];
        desc.end = simkit_clock_now(p->world) + 8;
        desc.stream = (uint64_t)i;
        result = simkit_user_start(p->world, &desc, &users);
    }
    p->handles[i] = users;
    if (users && simkit_step_after(p->world, o->x[2], 0, on_end, &p->cells[i], NULL) != SIMKIT_OK) abort();
    return result;
}

static simkit_result play_place(player *p, const op *o, int i)
{
    simkit_resource_desc desc;
    if (o->kind == CONDITION) return simkit_condition_open(p->world, NULL, &p->handles[i]);
    if (o->kind == BARRIER) return simkit_barrier_open(p->world, NULL, (size_t)o->n, &p->handles[i]);
    if (o->flag) return simkit_semaphore_open(p->world, NULL, (uint64_t)o->b, &p->handles[i]);
    memset(&desc, 0, sizeof desc);
    desc.capacity = (uint64_t)o->n;
    desc.taken = (uint64_t)o->b;
    return simkit_resource_open(p->world, &desc, &p->handles[i]);
}

static simkit_result play_shut(player *p, int place)
{
    const kind kind = p->program->ops[place].kind;
    if (kind == CONDITION) return simkit_condition_close(p->world, p->handles[place]);
    if (kind == BARRIER) return simkit_barrier_close(p->world, p->handles[place]);
    return simkit_resource_close(p->world, p->handles[place]);
}

static simkit_result play_choose(player *p, const op *o, double value[4])
{
    simkit_choice choices[2];
    simkit_message message;
    size_t which;
    memset(choices, 0, sizeof choices);
    memset(&message, 0, sizeof message);
    for (int i = 0; i < 2; ++i) {
        const int thing = i ? o->b : o->a;
        const uint64_t handle = p->handles[thing];
        switch (p->program->ops[thing].kind) {
        case RESOURCE:
            choices[i].resource = handle;
            choices[i].units = (uint64_t)o->x[0];
            break;
        case CONDITION: choices[i].condition = handle; break;
        case BOX: choices[i].mailbox = (simkit_mailbox)handle; break;
        case PROCESS: choices[i].process = handle; break;
        case COMPUTE:
        case PROCESS_COMPUTE: choices[i].computation = handle; break;
        default: choices[i].transfer = handle;
        }
    }
    const simkit_result result = simkit_process_choose(p->world, choices, o->b ? 2 : 1, &which, &message);
    value[0] = (double)which;
    if (message.data) value[1] = ((const cell *)message.data)->op;
    return result;
}

/* What can be read of a place and of a process. */
static void play_measure(const player *p, const op *o, double value[4])
{
    for (int i = 1; i < p->program->count; ++i) {
        const kind kind = p->program->ops[i].kind;
        if (kind == RESOURCE) value[0] += (double)simkit_resource_waiting(p->world, p->handles[i]);
        if (kind == CONDITION) value[1] += (double)simkit_condition_waiting(p->world, p->handles[i]);
        if (kind == BARRIER) value[2] += (double)simkit_barrier_waiting(p->world, p->handles[i]);
        if (kind == PROCESS && simkit_process_user(p->world, p->handles[i])) value[2] += 1000;
    }
    value[3] = (double)simkit_resource_available(p->world, p->handles[o->a]);
}

/* Until a time, or to the end, in slices. */
static simkit_result play_run(player *p, double until)
{
    for (int i = 0; i < p->way->slices; ++i) {
        simkit_result result;
        const double next = p->way->slice[i];
        if (!(next > simkit_clock_now(p->world) && next < until)) continue;
        if ((result = simkit_world_run_until(p->world, next)) != SIMKIT_OK) return result;
        look_around(p);
    }
    return until < (double)INFINITY ? simkit_world_run_until(p->world, until) : simkit_world_run(p->world);
}

static void play_op(player *p, int i)
{
    const op *o = &p->program->ops[i];
    const double *x = o->x;
    simkit_world *w = p->world;
    simkit_result result = SIMKIT_OK;
    simkit_message message;
    double value[4] = { 0, 0, 0, 0 };
    const bool inside = simkit_process_self(w) != 0;
    event event = CALLED;
    simkit_mailbox box = 0;

    switch (o->kind) {
    case NODE: result = play_node(p, o, i); break;
    case FAIL: result = simkit_node_fail(w, (simkit_node)p->handles[o->a]); break;
    case RUNNING: value[0] = (double)simkit_node_running(w, (simkit_node)p->handles[o->a]); break;
    case STEP_AT: result = simkit_step_at(w, x[0], o->n, on_run, &p->cells[i], &p->handles[i]); break;
    case STEP_AFTER: result = simkit_step_after(w, x[0], o->n, on_run, &p->cells[i], &p->handles[i]); break;
    case STEP_CANCEL: value[0] = simkit_step_cancel(w, p->handles[o->a]); break;
    case STEP_PENDING: value[0] = simkit_step_pending(w, p->handles[o->a]); break;
    case STEP_BACKGROUND: value[0] = simkit_step_background(w, p->handles[o->a]); break;
    case NEXT: value[0] = simkit_clock_next(w); break;
    case STOP: simkit_world_stop(w); break;
    case RUN_UNTIL:
        result = !(x[0] < 1e300) ? simkit_world_run_until(w, simkit_clock_now(w) + x[0]) : play_run(p, simkit_clock_now(w) + x[0]);
        break;
    case COMPUTE: result = play_compute(p, o, i); break;
    case COMPUTE_CANCEL: value[0] = simkit_computation_cancel(w, p->handles[o->a]); break;
    case LOAD_KEEP: result = simkit_load_record(w, (simkit_node)p->handles[o->a]); break;
    case LOAD_AVERAGE: value[0] = simkit_load_average(w, (simkit_node)p->handles[o->a], x[0], x[1] + 0.25); break;
    case TRANSFER: result = play_transfer(p, o, i); break;
    case TRANSFER_CANCEL: value[0] = simkit_transfer_cancel(w, p->handles[o->a]); break;
    case MODEL: {
        const netmodel_link link = { x[0], x[1] };
        result = simkit_pair_set(w, (simkit_node)p->handles[o->a], (simkit_node)p->handles[o->b], &link);
        break;
    }
    case BOX:
        result = simkit_mailbox_open(w, (simkit_node)p->handles[o->a], NULL, &box);
        p->handles[i] = box;
        break;
    case BOX_CLOSE: result = simkit_mailbox_close(w, (simkit_mailbox)p->handles[o->a]); break;
    case BOX_COUNT: value[0] = (double)simkit_mailbox_messages(w, (simkit_mailbox)p->handles[o->a]); break;
    case POST: result = play_post(p, o, i); break;
    case TAKE: result = simkit_mailbox_take(w, (simkit_mailbox)p->handles[o->a], on_message, &p->cells[i], &p->handles[i]); break;
    case PROCESS: result = play_process(p, o, i); break;
    case WAIT: result = simkit_process_wait(w, x[0]); break;
    case PROCESS_COMPUTE: result = play_compute(p, o, i); break;
    case SEND: result = play_post(p, o, i); break;
    case RECEIVE:
        result = simkit_process_receive(w, (simkit_mailbox)p->handles[o->a], &message);
        if (result != SIMKIT_OK) break;
        value[0] = ((const cell *)message.data)->op;
        value[1] = message.bytes;
        value[2] = message.sent;
        value[3] = message.arrived;
        break;
    case SUSPEND: result = simkit_process_suspend(w, "what comes"); break;
    case RESUME: result = simkit_process_resume(w, p->handles[o->a]); break;
    case KILL: result = simkit_process_kill(w, p->handles[o->a]); break;
    case STACK: value[0] = simkit_process_stack(w, p->handles[o->a], NULL) > 0; break;
    case WATCH: result = simkit_watch_add(w, (unsigned)o->n, ignore, &p->cells[i]); break;
    case WATCH_REMOVE: simkit_watch_remove(w, ignore, &p->cells[o->a]); break;
    case TELL: {
        simkit_watch_event told;
        memset(&told, 0, sizeof told);
        told.kind = SIMKIT_WATCH_COMPUTE;
        told.phase = SIMKIT_PHASE_END;
        told.node = (simkit_node)p->handles[o->a];
        told.begin = x[0];
        told.time = x[1];
        result = simkit_watch_emit(w, &told);
        break;
    }
    case OPERATION: result = play_operation(p, o, i); break;
    case OPERATE: {
        for (int k = 1; k < NUMBERS && result == SIMKIT_OK; ++k) {
            double seconds;
            p->duration = x[k];
            result = simkit_operation_run(w, (simkit_operation)p->handles[o->a], x[0], operate, p, &seconds);
            value[0] += seconds;
        }
        const simkit_operation_tally tally = simkit_operation_progress(w, (simkit_operation)p->handles[o->a]);
        value[1] = (double)tally.runs;
        value[2] = (double)tally.reused;
        value[3] = p->processor;
        break;
    }
    case USERS: result = play_users(p, o, i); break;
    case RESOURCE:
    case CONDITION:
    case BARRIER: result = play_place(p, o, i); break;
    case SHUT: result = play_shut(p, o->a); break;
    case ACQUIRE: result = simkit_process_acquire(w, p->handles[o->a], (uint64_t)x[0], o->n); break;
    case LISTEN: result = simkit_process_listen(w, p->handles[o->a], p->handles[o->b]); break;
    case ARRIVE: result = simkit_process_arrive(w, p->handles[o->a]); break;
    case JOIN: result = simkit_process_join(w, p->handles[o->a]); break;
    case CHOOSE: result = play_choose(p, o, value); break;
    case ASK:
        result = simkit_resource_acquire(w, p->handles[o->a], (uint64_t)x[0], o->n, on_wait, &p->cells[i], &p->handles[i]);
        break;
    case HARK: result = simkit_condition_wait(w, p->handles[o->a], on_wait, &p->cells[i], &p->handles[i]); break;
    case COME: result = simkit_barrier_arrive(w, p->handles[o->a], on_wait, &p->cells[i], &p->handles[i]); break;
    case END: result = simkit_process_ended(w, p->handles[o->a], on_wait, &p->cells[i], &p->handles[i]); break;
    case RELEASE: result = simkit_resource_release(w, p->handles[o->a], (uint64_t)x[0]); break;
    case SIGNAL: result = simkit_condition_signal(w, p->handles[o->a]); break;
    case BROADCAST: result = simkit_condition_broadcast(w, p->handles[o->a]); break;
    case WAIT_CANCEL: value[0] = simkit_wait_cancel(w, p->handles[o->a]); break;
    case BOUND: result = simkit_mailbox_bound(w, (simkit_mailbox)p->handles[o->a], (size_t)o->n); break;
    case LIMIT: result = simkit_process_limit(w, x[0]); break;
    case INTERRUPT: result = simkit_process_interrupt(w, p->handles[o->a]); break;
    case MEASURE: play_measure(p, o, value); break;
    default: return;
    }
    if (inside && o->kind >= WAIT && o->kind <= SUSPEND) event = RETURNED;
    if (result == SIMKIT_NO_MEMORY) memset(value, 0, sizeof value);
    if (result == SIMKIT_NO_MEMORY && p->without_memory == 0) p->without_memory = i;
    record(p, i, event, result, value[0], value[1], value[2], value[3]);
}

static void beside(player *p)
{
    simkit_step step;
    if (p->way->peeks) look_around(p);
    for (int i = 0; i < p->way->stale; ++i)
        if (simkit_step_after(p->world, i % 4, i % 3 - 1, never, NULL, &step) == SIMKIT_OK)
            simkit_step_cancel(p->world, step);
}

/* All that an operation's callback or body does. */
static void execute(player *p, int parent)
{
    for (int i = parent + 1; i < p->program->count; ++i) {
        if (p->program->ops[i].by != parent || p->program->ops[i].kind == NOTHING) continue;
        beside(p);
        if (i == p->way->leaves_out) {
            const kind k = p->program->ops[i].kind;
            simkit_result refused = SIMKIT_OK; /* like the call that is left out, it ends a time limit */
            if (simkit_process_self(p->world) && k >= WAIT && k <= SUSPEND) refused = simkit_process_wait(p->world, -1);
            if (refused != SIMKIT_OK && refused != SIMKIT_BAD_TIME) abort();
            record(p, i, simkit_process_self(p->world) && k >= WAIT && k <= SUSPEND ? RETURNED : CALLED,
                   SIMKIT_NO_MEMORY, 0, 0, 0, 0);
        } else {
            play_op(p, i);
        }
    }
    beside(p);
}

static void nothing(simkit_world *world, void *user)
{
    (void)world, (void)user;
}

/* As if thousands of millions of steps and computations had been. Nothing is pending when it is done. */
static void wear_out(simkit_world *w, uint64_t seed)
{
    static const uint32_t generations[] = { UINT16_MAX - 2, UINT32_MAX - 3, UINT32_MAX - 1, 3u << 16 };
    for (int i = 0; i < 40; ++i)
        if (simkit_step_at(w, 0, 0, nothing, NULL, NULL) != SIMKIT_OK) abort();
    if (simkit_world_run(w) != SIMKIT_OK) abort();
    for (uint32_t i = w->free_timer; i != SIMKIT_NONE; i = w->timers[i].next)
        w->timers[i].generation = generations[random_below(&seed, 4)];
    w->labels = UINT32_MAX - 10;
    simkit_condition places[8];
    simkit_wait waits[20];
    for (int i = 0; i < 8; ++i)
        if (simkit_condition_open(w, NULL, &places[i]) != SIMKIT_OK) abort();
    for (int i = 0; i < 20; ++i)
        if (simkit_condition_wait(w, places[0], never_waits, NULL, &waits[i]) != SIMKIT_OK) abort();
    for (int i = 0; i < 20; ++i) simkit_wait_cancel(w, waits[i]);
    for (int i = 0; i < 8; ++i)
        if (simkit_condition_close(w, places[i]) != SIMKIT_OK) abort();
    for (uint32_t i = w->free_waiter; i != SIMKIT_NONE; i = w->waiters[i].next)
        w->waiters[i].generation = generations[1 + random_below(&seed, 2)];
    for (uint32_t i = w->free_place; i != SIMKIT_NONE; i = w->places[i].next)
        w->places[i].generation = generations[1 + random_below(&seed, 2)];
}

/* The player begins a program in a world that is open, or will be. */
static simkit_world_desc set_up(player *p, const program *program, const way *way, history *history)
{
    simkit_world *world = p->world;
    simkit_world_desc desc;
    memset(p, 0, sizeof *p);
    memset(&desc, 0, sizeof desc);
    p->world = world;
    p->program = program;
    p->way = way;
    p->history = history;
    p->watched = UINT64_C(0xcbf29ce484222325);
    history->count = 0;
    for (int i = 0; i < program->count; ++i) {
        p->cells[i].player = p;
        p->cells[i].op = i;
        snprintf(p->cells[i].name, sizeof p->cells[i].name, "%d", i);
    }
    desc.seed = program->seed;
    desc.sharing = (simkit_sharing)program->sharing;
    desc.latency = program->ops[0].x[0];
    desc.slow_links = true;
    desc.processor_time = processor_time;
    desc.processor_time_user = p;
    if (way->moves || way->refuses) {
        desc.memory.reallocate = play_reallocate;
        desc.memory.user = p;
    }
    return desc;
}

static void add_watchers(player *p)
{
    const way *way = p->way;
    if (way->watched && simkit_watch_add(p->world, way->watched, watch, p) != SIMKIT_OK) abort();
    if (way->traced && simkit_watch_add(p->world, SIMKIT_WATCH_TRANSFER, trace, p) != SIMKIT_OK) abort();
    if (way->watched == SIMKIT_WATCH_ALL && simkit_fingerprint_begin(p->world) != SIMKIT_OK) abort();
}

/* Another program first, perhaps not to its end; then the world is reset. */
static void play_before(player *p, const program *next, const way *way, history *history)
{
    static program before;
    generate(&before, way->before, ROOMS);
    simkit_world_desc desc = set_up(p, &before, way, history);
    if (simkit_world_reset(p->world, &desc) != SIMKIT_OK) abort();
    add_watchers(p);
    execute(p, 0);
    (void)play_run(p, way->until);
    desc = set_up(p, next, way, history);
    if (simkit_world_reset(p->world, &desc) != SIMKIT_OK) abort();
}

/* Plays a program; what watchers were told is in player.watched, what was refused in player.without_memory. */
static void play(player *p, const program *program, const way *way, history *history)
{
    simkit_result result;
    int runs = 0;
    const simkit_world_desc desc = set_up(p, program, way, history);
    if (simkit_world_open(&desc, &p->world) != SIMKIT_OK) abort();
    if (way->before) play_before(p, program, way, history);
    if (way->worn) wear_out(p->world, program->seed);
    add_watchers(p);
    p->open = true;
    execute(p, 0);
    do {
        result = play_run(p, (double)INFINITY);
        record(p, 0, ENDED, result, 0, 0, 0, 0);
    } while (result == SIMKIT_STOPPED && ++runs < MOST_OPS);
    p->open = false;
    p->watched ^= simkit_fingerprint_value(p->world);
    simkit_world_close(p->world);
    p->world = NULL;
}

#endif
