/* simulate.c - see simulate.h */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a step of a job needs to know. */
typedef struct cell {
    struct simulate *sim;
    server_number job;
} cell;

struct simulate {
    simulate_desc desc;
    simkit_world *world;
    server *server;
    cell *cells;          /* cells[jobs] */
    server_number *order; /* order[jobs]: by the time of submission */
    server_number next;   /* the next in order */
};

/* The engine's own events have priority 0; ends come before submissions. */
enum { ENDS = 1, SUBMITS = 2, WAKES = 3 };

static double now(void *host)
{
    return simkit_clock_now(((simulate *)host)->world);
}

static void ended(simkit_world *world, void *user)
{
    const cell *c = (cell *)user;
    (void)world;
    server_tell_ended(c->sim->server, c->job, false);
}

static server_result start(void *host, server_number job)
{
    simulate *sim = (simulate *)host;
    const double run = server_job_of(sim->server, job)->desc.run;
    return simkit_step_after(sim->world, run, ENDS, ended, &sim->cells[job], NULL) == SIMKIT_OK ? SERVER_OK
                                                                                                : SERVER_NO_MEMORY;
}

static void woken(simkit_world *world, void *user)
{
    (void)world;
    server_tell_wake(((simulate *)user)->server);
}

static server_result wake(void *host, double time)
{
    simulate *sim = (simulate *)host;
    return simkit_step_at(sim->world, time, WAKES, woken, sim, NULL) == SIMKIT_OK ? SERVER_OK : SERVER_NO_MEMORY;
}

static void changed(void *host, server_number job, double time)
{
    const simulate *sim = (simulate *)host;
    sim->desc.changed(sim->desc.user, sim->server, job, time);
}

/* One job is submitted, and the next one comes at its time. */
static void submits(simkit_world *world, void *user)
{
    simulate *sim = (simulate *)user;
    const server_number job = sim->order[sim->next++];
    if (sim->next < server_jobs(sim->server)) {
        const double time = server_job_of(sim->server, sim->order[sim->next])->desc.submit;
        simkit_step_at(world, time, SUBMITS, submits, sim, NULL); /* the place of this step is free */
    }
    server_tell_submitted(sim->server, job);
}

server_result simulate_open(const simulate_desc *desc, simulate **opened)
{
    simulate *sim = desc && opened ? (simulate *)calloc(1, sizeof *sim) : NULL;
    if (opened) *opened = NULL;
    if (!sim || simkit_world_open(NULL, &sim->world) != SIMKIT_OK) {
        if (desc && desc->policy.close) desc->policy.close(desc->policy.state);
        free(sim);
        return desc && opened ? SERVER_NO_MEMORY : SERVER_BAD_ARGUMENT;
    }
    sim->desc = *desc;
    const server_desc of_server = {
        desc->nodes, desc->policy, { now, start, wake, desc->changed ? changed : NULL, sim }, desc->keep
    };
    const server_result result = server_open(&of_server, &sim->server);
    if (result != SERVER_OK) {
        simkit_world_close(sim->world);
        free(sim);
        return result;
    }
    *opened = sim;
    return SERVER_OK;
}

void simulate_close(simulate *sim)
{
    if (!sim) return;
    server_close(sim->server);
    simkit_world_close(sim->world);
    free(sim->cells);
    free(sim->order);
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

/* By the time of submission; those of one instant as they are. */
static void sort_by_time(const server *s, server_number *order, server_number *scratch, server_number count)
{
    bool sorted = true;
    for (server_number i = 0; i < count; ++i) {
        order[i] = i;
        if (i > 0 && server_job_of(s, i)->desc.submit < server_job_of(s, i - 1)->desc.submit) sorted = false;
    }
    for (server_number width = 1; !sorted && width < count; width *= 2) {
        for (server_number low = 0; low < count; low += 2 * width) {
            const server_number middle = low + width < count ? low + width : count,
                                high = low + 2 * width < count ? low + 2 * width : count;
            for (server_number a = low, b = middle, to = low; to < high; ++to)
                scratch[to] = a < middle && (b == high || server_job_of(s, order[a])->desc.submit <=
                                                              server_job_of(s, order[b])->desc.submit)
                                  ? order[a++]
                                  : order[b++];
        }
        memcpy(order, scratch, count * sizeof *order);
    }
}

server_result simulate_run(simulate *sim)
{
    const server_number count = server_jobs(sim->server);
    if (count == 0) return SERVER_OK;
    sim->cells = (cell *)malloc(count * sizeof *sim->cells);
    sim->order = (server_number *)malloc(2 * (size_t)count * sizeof *sim->order);
    if (!sim->cells || !sim->order) return SERVER_NO_MEMORY;
    for (server_number i = 0; i < count; ++i) sim->cells[i] = (cell){ sim, i };
    sort_by_time(sim->server, sim->order, sim->order + count, count);
    const double first = server_job_of(sim->server, sim->order[0])->desc.submit;
    if (simkit_step_at(sim->world, first, SUBMITS, submits, sim, NULL) != SIMKIT_OK ||
        simkit_world_run(sim->world) != SIMKIT_OK)
        return SERVER_NO_MEMORY;
    return server_failed(sim->server) ? SERVER_BAD_STATE : SERVER_OK;
}
