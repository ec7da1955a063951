/* simulate.c - see simulate.h */
#include "simulate.h"

#include "programs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that a job runs. */
typedef struct execution {
    struct cell *cell;
    flowgraph *graph;
    flowgraph_host host;
    program program;
    unsigned stage;       /* which of its runs */
    uint32_t *slot;       /* slot[desc.nodes]: node of the graph, by node of the cluster */
    uint32_t *node;       /* node[desc.nodes]: the reverse */
    flowgraph_task *asks; /* at a point; NULL: none */
    unsigned before;      /* nodes at that point */
    unsigned answer;      /* to how many it changes */
    unsigned leaving;     /* nodes that have been given up and are not free yet */
    bool joining;         /* nodes have come, and the job has not used them yet */
} execution;

/* A job while it runs. */
typedef struct cell {
    struct simulate *sim;
    simkit_step step;  /* its end, or that of its iteration */
    simkit_step limit; /* when it will be killed, if it can be late */
    server_number job;
    unsigned iteration;   /* of its work */
    struct part *parts;   /* skeleton: computations and transfers that have not ended */
    execution *execution; /* program: while it runs; else NULL */
} cell;

/* A part of an iteration of a skeleton: a computation, or a transfer. */
typedef struct part {
    cell *cell;
    struct part *next, **link; /* in its list; what points to it there */
    simkit_computation computation;
    simkit_transfer transfer;
    unsigned index; /* of the node, among those of the job */
    bool sends;     /* it computes, and sends then */
} part;

typedef struct failure {
    struct simulate *sim;
    struct failure *next;
    double fails, repaired;
    uint32_t node;
} failure;

typedef struct submission {
    double time; /* [s] */
    server_number job;
} submission;

struct simulate {
    simulate_desc desc;
    simkit_world *world;
    server *server;
    simkit_node *nodes; /* nodes[desc.nodes]: of the world; NULL: no job needs them */
    double latency;     /* of the network [s] */
    double bandwidth;   /* of the slowest link [B/s] */
    cell *cells;        /* cells[jobs] */
    submission *order;  /* order[ordered]: by time; jobs that follow no other */
    server_number next, ordered; /* the next in order; how many */
    server_number *follower;     /* follower[jobs]: the first that follows a job; NULL if no job follows another */
    server_number *next_follower; /* next_follower[jobs]: the next one that follows the same job */
    size_t to_come, running;     /* submissions, failures and repairs in the queue; jobs that run */
    unsigned long wakes;         /* of the policy, since anything else happened, with nothing running or to come */
    failure *failures;
    bool no_memory;
};

/* What comes first at one instant: ends, then jobs that are late, then points at which jobs change their size, then
 * submissions. The engine's own events have priority 0, and so come before all of them. */
enum { ENDS = 1, LIMITS, POINTS, FAILS, SUBMITS, WAKES };

static void begin_iteration(cell *c);

static double now(void *host)
{
    return simkit_clock_now(((simulate *)host)->world);
}

/* No memory in the middle of a run: it cannot go on. */
static void give_up(simulate *sim)
{
    sim->no_memory = true;
    simkit_world_stop(sim->world);
}

static const work *work_of(const cell *c)
{
    const work *w = (const work *)server_job_of(c->sim->server, c->job)->desc.work;
    return w && w->kind != WORK_TIME ? w : NULL;
}

/* A table without a program is like a law. */
static bool runs_program(const work *w)
{
    return w && w->kind == WORK_PROGRAM && w->program;
}

static void later(cell *c, double seconds, int priority, simkit_call *call)
{
    if (simkit_step_after(c->sim->world, seconds, priority, call, c, &c->step) != SIMKIT_OK) give_up(c->sim);
}

/*=============================================================================
 * MARK: - >>jobs
 *===========================================================================*/
static void finish(cell *c, bool killed)
{
    simkit_step_cancel(c->sim->world, c->limit);
    server_tell_ended(c->sim->server, c->job, killed);
}

static void ended(simkit_world *world, void *user)
{
    (void)world;
    finish((cell *)user, false);
}

/* The data have moved to the nodes that the job has now. */
static void moved(simkit_world *world, void *user)
{
    cell *c = (cell *)user;
    (void)world;
    const server_job *j = server_job_of(c->sim->server, c->job);
    server_tell_resized(c->sim->server, c->job, j->wanted < j->nodes ? j->wanted : j->nodes);
    begin_iteration(c);
}

static void iteration_ends(cell *c)
{
    const work *w = work_of(c);
    server *s = c->sim->server;
    if (++c->iteration >= w->iterations) {
        finish(c, false);
        return;
    }
    if (server_job_of(s, c->job)->desc.kind == SERVER_MALLEABLE) {
        const unsigned before = server_job_of(s, c->job)->nodes, after = server_tell_point(s, c->job, c->iteration);
        if (before != after) {
            later(c, work_move_seconds(w, before, after, c->sim->latency, c->sim->bandwidth), POINTS, moved);
            return;
        }
    }
    begin_iteration(c);
}

static void law_ends(simkit_world *world, void *user)
{
    (void)world;
    iteration_ends((cell *)user);
}

/*=============================================================================
 * MARK: - >>skeletons
 *===========================================================================*/
/* Node `index` of a job, in the world. */
static simkit_node node_of(const cell *c, unsigned index)
{
    const server_job *j = server_job_of(c->sim->server, c->job);
    uint32_t k = 0;
    while (index >= j->ranges[k].count) index -= j->ranges[k++].count;
    return c->sim->nodes[j->ranges[k].first + index];
}

/* A part of an iteration at a node; NULL without memory. */
static part *part_add(cell *c, unsigned index, bool sends)
{
    part *p = (part *)malloc(sizeof *p);
    if (!p) return NULL;
    *p = (part){ c, c->parts, &c->parts, 0, 0, index, sends };
    if (c->parts) c->parts->link = &p->next;
    c->parts = p;
    return p;
}

static void part_remove(part *p)
{
    *p->link = p->next;
    if (p->next) p->next->link = p->link;
    free(p);
}

static void end_skeleton(cell *c)
{
    while (c->parts) {
        simkit_computation_cancel(c->sim->world, c->parts->computation);
        simkit_transfer_cancel(c->sim->world, c->parts->transfer);
        part_remove(c->parts);
    }
}

static void part_ends(simkit_world *world, void *user);

static void send_to(cell *c, unsigned from, unsigned to)
{
    part *p = part_add(c, to, false);
    const simkit_transfer_desc desc = {
        .from = node_of(c, from), .to = node_of(c, to), .bytes = work_of(c)->bytes, .done = part_ends, .user = p
    };
    if (!p || simkit_transfer_start(c->sim->world, &desc, &p->transfer) != SIMKIT_OK) give_up(c->sim);
}

/* A computation or a transfer has ended. The last one ends the iteration. */
static void part_ends(simkit_world *world, void *user)
{
    part *p = (part *)user;
    cell *c = p->cell;
    const unsigned nodes = server_job_of(c->sim->server, c->job)->nodes, index = p->index;
    const bool sends = p->sends && nodes > 1;
    (void)world;
    part_remove(p);
    if (sends) switch (work_of(c)->pattern) {
        case WORK_RING:
            send_to(c, index, (index + 1) % nodes);
            send_to(c, index, (index + nodes - 1) % nodes);
            break;
        case WORK_ALL_TO_ALL:
            for (unsigned i = 1; i < nodes; ++i) send_to(c, index, (index + i) % nodes);
            break;
        case WORK_GATHER:
            if (index > 0) send_to(c, index, 0);
            break;
        case WORK_SILENT: break;
        }
    if (!c->parts) iteration_ends(c);
}

static void begin_skeleton(cell *c, const work *w, unsigned nodes)
{
    const double seconds = work_seconds(w, c->iteration, nodes);
    for (unsigned i = 0; i < nodes; ++i) {
        part *p = part_add(c, i, true);
        const simkit_computation_desc desc = {
            .node = node_of(c, i), .seconds = seconds, .done = part_ends, .user = p
        };
        if (!p || simkit_computation_start(c->sim->world, &desc, &p->computation) != SIMKIT_OK) {
            give_up(c->sim);
            return;
        }
    }
}

/*=============================================================================
 * MARK: - >>programs
 *
 * A program is a graph in the world of the simulation. Its nodes are those of the cluster, the job's own first; so it can
 * come to have any of them. What happens in an operation is told to the server by a step of its own, because a policy may
 * start other jobs then, for which the stack of an operation is too small.
 *===========================================================================*/
static void end_program(cell *c)
{
    execution *e = c->execution;
    if (!e) return;
    c->execution = NULL;
    flowgraph_close(e->graph);
    free(e->slot);
    free(e->node);
    free(e);
}

/* The program has failed: nothing that it computes is right, so the whole run ends. */
static void program_broken(cell *c, const char *why)
{
    server_tell_broken(c->sim->server, c->job, why);
    simkit_world_stop(c->sim->world);
}

/* A run of the program has ended; after the last one the job has. */
static void program_ended(void *user, flowgraph *graph, flowgraph_result result)
{
    execution *e = (execution *)user;
    cell *c = e->cell;
    if (result == FLOWGRAPH_OK && ++e->stage < e->program.stages)
        result = flowgraph_start(graph, e->program.entries[e->stage], 0, NULL);
    if (result != FLOWGRAPH_OK) {
        program_broken(c, flowgraph_why(graph));
    } else if (e->stage == e->program.stages) {
        end_program(c);
        finish(c, false);
    }
}

/* The job uses the nodes that it has now. */
static void program_resized(simkit_world *world, void *user)
{
    cell *c = (cell *)user;
    (void)world;
    if (!c->execution) return;
    const unsigned nodes = c->execution->answer;
    c->step = 0;
    c->execution->joining = false;
    server_tell_resized(c->sim->server, c->job, nodes);
}

static void program_left(void *user, flowgraph *graph, size_t node)
{
    execution *e = (execution *)user;
    (void)graph;
    (void)node;
    if (--e->leaving == 0) later(e->cell, 0, POINTS, program_resized);
}

/* At a point the server says how many nodes the job has from now on. */
static void program_asks(simkit_world *world, void *user)
{
    cell *c = (cell *)user;
    execution *e = c->execution;
    (void)world;
    c->step = 0;
    e->before = server_job_of(c->sim->server, c->job)->nodes;
    e->answer = server_tell_point(c->sim->server, c->job, c->iteration);
    if (c->execution == e) flowgraph_continue(e->asks);
}

static bool program_point(void *user, flowgraph_task *task, size_t iteration, bool *has)
{
    execution *e = (execution *)user;
    cell *c = e->cell;
    c->iteration = (unsigned)iteration;
    if (server_job_of(c->sim->server, c->job)->desc.kind != SERVER_MALLEABLE) return true;
    if (e->leaving > 0 || e->joining) return true; /* one change at a time */
    e->asks = task;
    later(c, 0, POINTS, program_asks);
    if (flowgraph_wait(task, "the cluster server") != FLOWGRAPH_OK) return false;
    const server_job *j = server_job_of(c->sim->server, c->job);
    e->asks = NULL;
    e->leaving = e->answer < e->before ? e->before - e->answer : 0;
    e->joining = e->answer > e->before;
    for (uint32_t k = 0; k < j->range_count; ++k)
        for (uint32_t n = j->ranges[k].first; n < j->ranges[k].first + j->ranges[k].count; ++n)
            has[e->slot[n]] = server_keeps(c->sim->server, c->job, n, e->answer);
    return true;
}

/* All nodes that have come have joined. */
static void program_changed(void *user)
{
    execution *e = (execution *)user;
    if (e->joining) later(e->cell, 0, POINTS, program_resized);
}

static void program_begins(simkit_world *world, void *user)
{
    cell *c = (cell *)user;
    execution *e = c->execution;
    simulate *sim = c->sim;
    const work *w = work_of(c);
    const server_job *j = server_job_of(sim->server, c->job);
    char why[200] = "no memory for its program";
    simkit_node *world_nodes = (simkit_node *)malloc(sim->desc.nodes * sizeof *world_nodes);
    c->step = 0;
    program_nodes(j, sim->desc.nodes, e->node);
    for (uint32_t i = 0; i < sim->desc.nodes; ++i) e->slot[e->node[i]] = i;
    for (unsigned i = 0; world_nodes && i < sim->desc.nodes; ++i) world_nodes[i] = sim->nodes[e->node[i]];
    e->host = (flowgraph_host){ .ended = program_ended, .left = program_left, .priority = ENDS, .user = e };
    const points_desc decides = { .nodes = sim->desc.nodes,
                                  .maximum = j->desc.maximum < sim->desc.nodes ? j->desc.maximum : sim->desc.nodes,
                                  .ask = program_point,
                                  .changed = program_changed,
                                  .user = e };
    const flowgraph_desc how = { .nodes = sim->desc.nodes,
                                 .at_first = j->nodes,
                                 .world = world,
                                 .world_nodes = world_nodes,
                                 .machine = sim->desc.machine,
                                 .host = &e->host };
    const program_desc what = {
        .name = w->program, .arguments = w->arguments, .machine = sim->desc.machine, .points = &decides
    };
    flowgraph_result result = world_nodes ? flowgraph_open(&how, &e->graph) : FLOWGRAPH_NO_MEMORY;
    if (result == FLOWGRAPH_OK)
        result = program_open(e->graph, &what, &e->program, why);
    else if (e->graph)
        snprintf(why, sizeof why, "%.190s", flowgraph_why(e->graph));
    if (result == FLOWGRAPH_OK) {
        result = flowgraph_start(e->graph, e->program.entries[0], 0, NULL);
        if (result != FLOWGRAPH_OK) snprintf(why, sizeof why, "%.190s", flowgraph_why(e->graph));
    }
    free(world_nodes);
    if (result != FLOWGRAPH_OK) program_broken(c, why);
}

static void begin_program(cell *c)
{
    execution *e = (execution *)calloc(1, sizeof *e);
    if (e) {
        e->slot = (uint32_t *)malloc(c->sim->desc.nodes * sizeof *e->slot);
        e->node = (uint32_t *)malloc(c->sim->desc.nodes * sizeof *e->node);
        e->cell = c;
    }
    c->execution = e;
    if (!e || !e->slot || !e->node) {
        give_up(c->sim);
        return;
    }
    later(c, program_launch_seconds(c->sim->desc.machine, server_job_of(c->sim->server, c->job)->nodes), ENDS,
          program_begins);
}

static void begin_iteration(cell *c)
{
    const work *w = work_of(c);
    const unsigned nodes = server_job_of(c->sim->server, c->job)->nodes;
    if (w->kind == WORK_SKELETON)
        begin_skeleton(c, w, nodes);
    else
        later(c, work_seconds(w, c->iteration, nodes), c->iteration + 1 < w->iterations ? POINTS : ENDS, law_ends);
}

/*=============================================================================
 * MARK: - >>host
 *===========================================================================*/
/* Ends what the job does now. */
static void stop(cell *c)
{
    simkit_step_cancel(c->sim->world, c->step);
    end_skeleton(c);
    end_program(c);
}

static void is_late(simkit_world *world, void *user)
{
    cell *c = (cell *)user;
    (void)world;
    stop(c);
    finish(c, true);
}

static server_result start(void *host, server_number job)
{
    simulate *sim = (simulate *)host;
    cell *c = &sim->cells[job];
    const server_job_desc *d = &server_job_of(sim->server, job)->desc;
    ++sim->running;
    if (runs_program(work_of(c)))
        begin_program(c);
    else if (work_of(c))
        begin_iteration(c);
    else
        later(c, d->run, ENDS, ended);
    /* The sum of many iterations may exceed an exact limit by its last bits. */
    const double limit = work_of(c) ? d->limit * (1 + 1e-9) : d->limit;
    if (limit > 0 && simkit_step_after(sim->world, limit, LIMITS, is_late, c, &c->limit) != SIMKIT_OK) give_up(sim);
    return sim->no_memory ? SERVER_NO_MEMORY : SERVER_OK;
}

/* A policy that is woken again and again would never end, though nothing is left that it could wait for. It may start jobs at times of
 * its own, so it is not given up at once. */
static void woken(simkit_world *world, void *user)
{
    simulate *sim = (simulate *)user;
    (void)world;
    sim->wakes = sim->to_come + sim->running > 0 ? 0 : sim->wakes + 1;
    if (sim->wakes <= SIMULATE_WAKES) server_tell_wake(sim->server);
}

static server_result wake(void *host, double time)
{
    simulate *sim = (simulate *)host;
    switch (simkit_step_at(sim->world, time, WAKES, woken, sim, NULL)) {
    case SIMKIT_OK: return SERVER_OK;
    case SIMKIT_NO_MEMORY: return SERVER_NO_MEMORY;
    default: return SERVER_BAD_ARGUMENT;
    }
}

static void changed(void *host, server_number job, double time)
{
    const simulate *sim = (simulate *)host;
    sim->desc.changed(sim->desc.user, sim->server, job, time);
}

/* A job is submitted that follows another one. */
static void follows(simkit_world *world, void *user)
{
    const cell *c = (const cell *)user;
    (void)world;
    --c->sim->to_come;
    server_tell_submitted(c->sim->server, c->job);
}

/* A job is over: those that follow it are submitted when their users have thought. */
static void over(void *host, server_number job)
{
    simulate *sim = (simulate *)host;
    if (server_job_of(sim->server, job)->begin >= 0) --sim->running;
    for (server_number i = sim->follower ? sim->follower[job] : SERVER_NONE; i != SERVER_NONE; i = sim->next_follower[i]) {
        const server_job_desc *d = &server_job_of(sim->server, i)->desc;
        const double time = isnan(d->think) ? fmax(now(sim), d->submit) : now(sim) + d->think;
        ++sim->to_come;
        if (simkit_step_at(sim->world, time, SUBMITS, follows, &sim->cells[i], NULL) != SIMKIT_OK) give_up(sim);
    }
}

/* One job is submitted, and the next one comes at its time. */
static void submits(simkit_world *world, void *user)
{
    simulate *sim = (simulate *)user;
    const server_number job = sim->order[sim->next++].job;
    --sim->to_come;
    if (sim->next < sim->ordered &&
        simkit_step_at(world, sim->order[sim->next].time, SUBMITS, submits, sim, NULL) != SIMKIT_OK)
        give_up(sim);
    server_tell_submitted(sim->server, job);
}

static void fails(simkit_world *world, void *user)
{
    const failure *f = (failure *)user;
    simulate *sim = f->sim;
    --sim->to_come;
    const server_number job = server_tell_failed(sim->server, f->node);
    if (job == SERVER_NONE) return;
    cell *c = &sim->cells[job];
    stop(c);
    if (server_job_of(sim->server, job)->state == SERVER_RUNNING)
        begin_iteration(c);
    else
        simkit_step_cancel(world, c->limit);
}

static void repaired(simkit_world *world, void *user)
{
    const failure *f = (failure *)user;
    (void)world;
    --f->sim->to_come;
    server_tell_repaired(f->sim->server, f->node);
}

/*=============================================================================
 * MARK: - >>simulations
 *===========================================================================*/
/* The nodes of the machine in the world, in their places. */
static bool add_nodes(simulate *sim)
{
    const simkit_machine *machine = sim->desc.machine;
    sim->bandwidth = INFINITY;
    if (!machine) return true;
    sim->latency = machine->latency;
    sim->nodes = (simkit_node *)malloc(sim->desc.nodes * sizeof *sim->nodes);
    if (!sim->nodes ||
        flowgraph_places_add(sim->world, machine, sim->desc.nodes, sim->desc.places, sim->nodes) != SIMKIT_OK)
        return false;
    for (unsigned i = 0; i < sim->desc.nodes; ++i) {
        char name[32];
        const simkit_node_desc node = simkit_machine_node(machine, sim->desc.places ? sim->desc.places[i] : i, name);
        if (node.up_bandwidth > 0) sim->bandwidth = fmin(sim->bandwidth, node.up_bandwidth);
        if (node.down_bandwidth > 0) sim->bandwidth = fmin(sim->bandwidth, node.down_bandwidth);
    }
    return true;
}

server_result simulate_open(const simulate_desc *desc, simulate **opened)
{
    simulate *sim = desc && opened ? (simulate *)calloc(1, sizeof *sim) : NULL;
    simkit_world_desc network = { .latency = 0 };
    if (opened) *opened = NULL;
    if (sim && desc->machine) network.latency = desc->machine->latency, network.sharing = desc->machine->sharing;
    if (!sim || simkit_world_open(&network, &sim->world) != SIMKIT_OK) {
        if (desc && desc->policy.close) desc->policy.close(desc->policy.state);
        free(sim);
        return desc && opened ? SERVER_NO_MEMORY : SERVER_BAD_ARGUMENT;
    }
    sim->desc = *desc;
    const server_desc of_server = {
        desc->nodes, desc->policy, { now, start, wake, desc->changed ? changed : NULL, over, sim }, desc->keep
    };
    server_result result = server_open(&of_server, &sim->server);
    if (result == SERVER_OK && !add_nodes(sim)) result = SERVER_NO_MEMORY;
    if (result != SERVER_OK) {
        simulate_close(sim);
        return result;
    }
    *opened = sim;
    return SERVER_OK;
}

void simulate_close(simulate *sim)
{
    if (!sim) return;
    for (server_number i = 0; sim->cells && i < server_jobs(sim->server); ++i) {
        end_skeleton(&sim->cells[i]);
        end_program(&sim->cells[i]);
    }
    server_close(sim->server);
    simkit_world_close(sim->world);
    for (failure *f = sim->failures, *next; f; f = next) {
        next = f->next;
        free(f);
    }
    free(sim->nodes);
    free(sim->cells);
    free(sim->order);
    free(sim->follower);
    free(sim);
}

server *simulate_server(const simulate *sim)
{
    return sim->server;
}

simkit_world *simulate_world(const simulate *sim)
{
    return sim->world;
}

server_result simulate_failure(simulate *sim, uint32_t node, double at, double back)
{
    if (!sim || !(at >= 0 && at < INFINITY) || !(back > at)) return SERVER_BAD_ARGUMENT;
    if (node >= sim->desc.nodes) return SERVER_BAD_NODE;
    failure *f = (failure *)malloc(sizeof *f);
    if (!f) return SERVER_NO_MEMORY;
    *f = (failure){ sim, sim->failures, at, back, node };
    sim->failures = f;
    return SERVER_OK;
}

static int earlier(const void *a, const void *b)
{
    const submission *x = (const submission *)a, *y = (const submission *)b;
    if (x->time < y->time || x->time > y->time) return x->time < y->time ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* Jobs that follow no other, by the time of submission; those of one instant by their number. Logs are nearly always sorted
 * already. How many there are. */
static server_number sort_submissions(const server *s, submission *order, server_number count)
{
    bool sorted = true;
    server_number ordered = 0;
    for (server_number i = 0; i < count; ++i) {
        if (server_job_of(s, i)->desc.follows > 0) continue;
        order[ordered] = (submission){ server_job_of(s, i)->desc.submit, i };
        if (ordered > 0 && order[ordered].time < order[ordered - 1].time) sorted = false;
        ++ordered;
    }
    if (!sorted) qsort(order, ordered, sizeof *order, earlier);
    return ordered;
}

/* The lists of followers, each in the order of the jobs. False without memory. */
static bool list_followers(simulate *sim, server_number count)
{
    sim->follower = (server_number *)malloc(2 * (size_t)count * sizeof *sim->follower);
    if (!sim->follower) return false;
    sim->next_follower = sim->follower + count;
    for (size_t i = 0; i < 2 * (size_t)count; ++i) sim->follower[i] = SERVER_NONE;
    for (server_number i = count; i-- > 0;) {
        const server_number follows = server_job_of(sim->server, i)->desc.follows;
        if (follows == 0) continue;
        sim->next_follower[i] = sim->follower[follows - 1];
        sim->follower[follows - 1] = i;
    }
    return true;
}

server_result simulate_run(simulate *sim)
{
    const server_number count = server_jobs(sim->server);
    if (count == 0) return SERVER_OK;
    sim->cells = (cell *)malloc(count * sizeof *sim->cells);
    sim->order = (submission *)malloc(count * sizeof *sim->order);
    if (!sim->cells || !sim->order) return SERVER_NO_MEMORY;
    for (server_number i = 0; i < count; ++i) {
        const work *w = (const work *)server_job_of(sim->server, i)->desc.work;
        sim->cells[i] = (cell){ .sim = sim, .job = i };
        if (w && (w->kind == WORK_SKELETON || runs_program(w)) && !sim->nodes) return SERVER_BAD_ARGUMENT;
    }
    sim->ordered = sort_submissions(sim->server, sim->order, count);
    sim->to_come = sim->ordered;
    if (sim->ordered < count && !list_followers(sim, count)) return SERVER_NO_MEMORY;
    bool fine = simkit_step_at(sim->world, sim->order[0].time, SUBMITS, submits, sim, NULL) == SIMKIT_OK;
    for (failure *f = sim->failures; f; f = f->next) {
        fine = fine && simkit_step_at(sim->world, f->fails, FAILS, fails, f, NULL) == SIMKIT_OK;
        sim->to_come += 1 + (f->repaired < INFINITY);
        if (f->repaired < INFINITY)
            fine = fine && simkit_step_at(sim->world, f->repaired, FAILS, repaired, f, NULL) == SIMKIT_OK;
    }
    const simkit_result ran = fine ? simkit_world_run(sim->world) : SIMKIT_NO_MEMORY;
    if (server_failed(sim->server)) return SERVER_BAD_STATE;
    return ran == SIMKIT_OK && !sim->no_memory ? SERVER_OK : SERVER_NO_MEMORY;
}
