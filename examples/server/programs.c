/* programs.c - the body of programs.h */
#include "programs.h"

#include "../flowgraph/farm.h"
#include "../flowgraph/lu.h"
#include "../flowgraph/stencil.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program and the values of its arguments, in the order of `keys`. */
enum { VALUES = 4 };

typedef struct shape {
    int kind; /* index in work_programs */
    double values[VALUES];
} shape;

static const struct program_kind {
    const char *keys[VALUES];
    double defaults[VALUES];
} kinds[WORK_PROGRAMS] = {
    [WORK_LU] = { { "n", "r" }, { 1296, 162 } },
    [WORK_STENCIL] = { { "n", "blocks", "depth", "iterations" }, { 1024, 16, 8, 10 } },
    [WORK_FARM] = { { "tasks", "rounds", "candidates", "seed" }, { 64, 6, 1e6, 1 } },
};

/*=============================================================================
 * MARK: - >>arguments
 *===========================================================================*/
/* "there is no program 'qr'; there are lu, stencil and farm" */
static bool no_program(const char *name, char why[200])
{
    int length = snprintf(why, 200, "there is no program '%.40s'; there are ", name ? name : "");
    for (int i = 0; i < WORK_PROGRAMS && length > 0 && length < 200; ++i) {
        const char *between = i == 0 ? "" : i + 1 < WORK_PROGRAMS ? ", " : " and ";
        length += snprintf(why + length, 200 - (size_t)length, "%s%s", between, work_programs[i]);
    }
    return false;
}

static bool read_shape(const char *name, const char *arguments, shape *s, char why[200])
{
    memset(s, 0, sizeof *s);
    while (s->kind < WORK_PROGRAMS && (!name || strcmp(work_programs[s->kind], name) != 0)) ++s->kind;
    if (s->kind == WORK_PROGRAMS) return no_program(name, why);
    const struct program_kind *kind = &kinds[s->kind];
    memcpy(s->values, kind->defaults, sizeof s->values);
    for (const char *at = arguments ? arguments : ""; *(at += strspn(at, " \t"));) {
        const size_t length = strcspn(at, " \t");
        size_t key = 0;
        char *end = NULL;
        const char *equals = (const char *)memchr(at, '=', length);
        while (equals && key < VALUES && kind->keys[key] &&
               (strlen(kind->keys[key]) != (size_t)(equals - at) ||
                strncmp(kind->keys[key], at, (size_t)(equals - at)) != 0))
            ++key;
        if (!equals || key == VALUES || !kind->keys[key]) {
            snprintf(why, 200, "%s: '%.*s' is no argument; expected key=value with the keys %s, %s%s%s%s%s", name,
                     (int)(length < 40 ? length : 40), at, kind->keys[0], kind->keys[1], kind->keys[2] ? ", " : "",
                     kind->keys[2] ? kind->keys[2] : "", kind->keys[3] ? ", " : "", kind->keys[3] ? kind->keys[3] : "");
            return false;
        }
        s->values[key] = strtod(equals + 1, &end);
        const bool whole = s->values[key] >= 0 && s->values[key] <= 1e15 && floor(s->values[key]) >= s->values[key];
        if (end != at + length || end == equals + 1 || !whole) {
            snprintf(why, 200, "%s: '%.*s': expected a whole number from 0 to 1e15", name,
                     (int)(length < 60 ? length : 60), at);
            return false;
        }
        at += length;
    }
    return true;
}

static size_t value(const shape *s, int i)
{
    return (size_t)s->values[i];
}

static unsigned iterations_of(const shape *s)
{
    switch (s->kind) {
    case WORK_LU: return value(s, 1) > 0 ? (unsigned)(value(s, 0) / value(s, 1)) : 0;
    case WORK_STENCIL: return (unsigned)value(s, 3);
    default: return (unsigned)value(s, 1);
    }
}

/*=============================================================================
 * MARK: - >>programs
 *===========================================================================*/
static stencil_desc stencil_of(const shape *s, const program_desc *desc)
{
    const double rate = desc->machine ? simkit_machine_value(desc->machine, "stencil", "rate", "flop/s") : 0;
    return (stencil_desc){ .n = value(s, 0),
                           .blocks = value(s, 1),
                           .depth = value(s, 2),
                           .iterations = value(s, 3),
                           .rate = rate,
                           .points = desc->points };
}

static farm_desc farm_of(const shape *s, const program_desc *desc)
{
    const double seconds = desc->machine ? simkit_machine_value(desc->machine, "candidate", "seconds", "s") : 0;
    return (farm_desc){ .tasks = value(s, 0),
                        .rounds = value(s, 1),
                        .candidates = s->values[2],
                        .seed = (uint64_t)s->values[3],
                        .seconds = seconds,
                        .points = desc->points };
}

static flowgraph_result open_lu(flowgraph *graph, const program_desc *desc, const shape *s, program *p, char why[200])
{
    lu_costs *costs = NULL;
    lu *all = NULL;
    if (desc->machine) {
        costs = (lu_costs *)malloc(sizeof *costs);
        if (!costs || flowgraph_at_close(graph, free, costs) != FLOWGRAPH_OK) {
            free(costs);
            snprintf(why, 200, "no memory for the costs of a factorization");
            return FLOWGRAPH_NO_MEMORY;
        }
        if (lu_costs_of_machine(desc->machine, value(s, 0), value(s, 1), 1, costs) != SIMKIT_OK && costs->n > 0) {
            snprintf(why, 200,
                     "lu: the machine file lacks a rate: multiply.rate, solve.rate, memory.rate, memory.cache, "
                     "panel.cached or panel.streamed");
            return FLOWGRAPH_BAD_ARGUMENT;
        }
    }
    const lu_desc what = {
        .n = value(s, 0), .r = value(s, 1), .costs = costs && costs->n > 0 ? costs : NULL, .points = desc->points
    };
    const flowgraph_result result = lu_open(graph, &what, &all, why);
    if (result != FLOWGRAPH_OK) return result;
    const lu_entries entries = lu_entries_of(all);
    p->stages = 2;
    p->entries[0] = entries.create;
    p->entries[1] = entries.factor;
    p->self = all;
    return FLOWGRAPH_OK;
}

flowgraph_result program_open(flowgraph *graph, const program_desc *desc, program *p, char why[200])
{
    shape s;
    memset(p, 0, sizeof *p);
    if (!read_shape(desc->name, desc->arguments, &s, why)) return FLOWGRAPH_BAD_ARGUMENT;
    p->kind = s.kind;
    p->iterations = iterations_of(&s);
    p->stages = 1;
    flowgraph_result result = FLOWGRAPH_OK;
    if (s.kind == WORK_LU) {
        result = open_lu(graph, desc, &s, p, why);
    } else if (s.kind == WORK_STENCIL) {
        const stencil_desc what = stencil_of(&s, desc);
        stencil *all = NULL;
        if (desc->machine && !(what.rate > 0)) {
            snprintf(why, 200, "stencil: the machine file lacks stencil.rate");
            return FLOWGRAPH_BAD_ARGUMENT;
        }
        result = stencil_open(graph, &what, &all, why);
        p->self = all;
        if (result == FLOWGRAPH_OK) p->entries[0] = stencil_entry(all);
    } else {
        const farm_desc what = farm_of(&s, desc);
        farm *all = NULL;
        if (desc->machine && !(what.seconds > 0)) {
            snprintf(why, 200, "farm: the machine file lacks candidate.seconds");
            return FLOWGRAPH_BAD_ARGUMENT;
        }
        result = farm_open(graph, &what, &all, why);
        p->self = all;
        if (result == FLOWGRAPH_OK) p->entries[0] = farm_entry(all);
    }
    return result;
}

bool program_check(const char *name, const char *arguments, unsigned *iterations, double *data, char why[200])
{
    const program_desc desc = { .name = name, .arguments = arguments };
    shape s;
    program p;
    flowgraph *graph = NULL;
    if (!read_shape(name, arguments, &s, why)) return false;
    if (iterations) *iterations = iterations_of(&s);
    if (data) *data = s.kind == WORK_FARM ? 0 : 8 * s.values[0] * s.values[0];
    flowgraph_result result = flowgraph_open(NULL, &graph);
    if (result != FLOWGRAPH_OK)
        snprintf(why, 200, "no memory");
    else
        result = program_open(graph, &desc, &p, why);
    flowgraph_close(graph);
    return result == FLOWGRAPH_OK;
}

const char *program_result(program *p, bool check, bool *right)
{
    *p->result = 0;
    *right = true;
    if (p->kind == WORK_LU) {
        double residual = NAN;
        if (check && lu_check((lu *)p->self, &residual) != FLOWGRAPH_OK) *right = false;
        if (!isnan(residual)) snprintf(p->result, sizeof p->result, "the residual is %.3g", residual);
        *right = *right && !(residual > 16);
    } else if (p->kind == WORK_STENCIL) {
        const double sum = stencil_sum((const stencil *)p->self);
        if (!isnan(sum)) snprintf(p->result, sizeof p->result, "the sum of the cells is %.17g", sum);
    } else {
        const uint64_t found = farm_found((const farm *)p->self);
        if (found > 0) snprintf(p->result, sizeof p->result, "%llu were found", (unsigned long long)found);
    }
    return p->result;
}

void program_nodes(const server_job *job, unsigned nodes, uint32_t *order)
{
    for (int own = 1; own >= 0; --own)
        for (uint32_t n = 0, k = 0; n < nodes; ++n) {
            while (k < job->range_count && n >= job->ranges[k].first + job->ranges[k].count) ++k;
            const bool has = k < job->range_count && n >= job->ranges[k].first;
            if (has == (own == 1)) *order++ = n;
        }
}

/*=============================================================================
 * MARK: - >>profiles
 *===========================================================================*/
double program_launch_seconds(const simkit_machine *machine, unsigned nodes)
{
    static const char *const keys[] = { "seconds", "connect", "each" };
    const double times[] = { 1, nodes > 1, nodes > 1 ? nodes : 0 };
    double sum = 0;
    for (int i = 0; i < 3 && machine; ++i) {
        const double seconds = simkit_machine_value(machine, "launch", keys[i], "s");
        if (seconds > 0) sum += times[i] * seconds;
    }
    return sum;
}

static bool keeps_all(void *user, flowgraph_task *task, size_t iteration, bool *has)
{
    (void)user;
    (void)task;
    (void)iteration;
    (void)has;
    return true;
}

/* Simulates the program on one number of nodes; iteration i takes times[i * stride]. The first iteration includes the
 * time before it. */
static flowgraph_result profile_size(const program_desc *desc, unsigned nodes, double *times, size_t stride,
                                     char why[200])
{
    const flowgraph_desc how = { .nodes = nodes, .machine = desc->machine, .places = desc->places };
    const points_desc stays = { .nodes = nodes, .maximum = nodes, .ask = keeps_all };
    program_desc what = *desc;
    program p = { 0 };
    flowgraph *graph = NULL;
    double before = program_launch_seconds(desc->machine, nodes), seconds = 0;
    flowgraph_result result = flowgraph_open(&how, &graph);
    what.points = &stays;
    if (result != FLOWGRAPH_OK) snprintf(why, 200, "%.190s", flowgraph_why(graph));
    if (result == FLOWGRAPH_OK) result = program_open(graph, &what, &p, why);
    for (unsigned i = 0; result == FLOWGRAPH_OK && i < p.stages; ++i) {
        before += seconds;
        result = flowgraph_start(graph, p.entries[i], 0, NULL);
        if (result == FLOWGRAPH_OK) result = flowgraph_run(graph, &seconds);
        if (result != FLOWGRAPH_OK) snprintf(why, 200, "%.190s", flowgraph_why(graph));
    }
    for (unsigned i = 0; result == FLOWGRAPH_OK && i < p.iterations; ++i) {
        const double begin = i == 0 ? -before : flowgraph_marked(graph, i),
                     end = i + 1 < p.iterations ? flowgraph_marked(graph, i + 1) : seconds;
        times[i * stride] = end - begin;
    }
    flowgraph_close(graph);
    return result;
}

/* The table of a program that has been checked. */
static flowgraph_result profile_sizes(const program_desc *desc, unsigned iterations, unsigned sizes, double **table,
                                      char why[200])
{
    *table = NULL;
    double *times = (double *)malloc((size_t)iterations * sizes * sizeof *times);
    flowgraph_result result = times ? FLOWGRAPH_OK : FLOWGRAPH_NO_MEMORY;
    if (!times) snprintf(why, 200, "no memory for the predicted times of a program");
    for (unsigned n = 1; result == FLOWGRAPH_OK && n <= sizes; ++n)
        result = profile_size(desc, n, times + n - 1, sizes, why);
    if (result != FLOWGRAPH_OK) {
        free(times);
        return result;
    }
    *table = times;
    return FLOWGRAPH_OK;
}

flowgraph_result program_profile(const program_desc *desc, unsigned sizes, double **table, char why[200])
{
    unsigned iterations;
    *table = NULL;
    if (!program_check(desc->name, desc->arguments, &iterations, NULL, why)) return FLOWGRAPH_BAD_ARGUMENT;
    return profile_sizes(desc, iterations, sizes, table, why);
}

/*=============================================================================
 * MARK: - >>sets of profiles
 *===========================================================================*/
typedef struct profile {
    const char *name, *arguments;
    unsigned sizes, iterations;
    double data; /* [B] */
    double *table;
} profile;

struct programs {
    const simkit_machine *machine;
    const uint32_t *places;
    profile *profiles;
    size_t count;
};

flowgraph_result programs_open(const simkit_machine *machine, const uint32_t *places, programs **set)
{
    *set = (programs *)calloc(1, sizeof **set);
    if (!*set) return FLOWGRAPH_NO_MEMORY;
    (*set)->machine = machine;
    (*set)->places = places;
    return FLOWGRAPH_OK;
}

void programs_close(programs *set)
{
    if (!set) return;
    for (size_t i = 0; i < set->count; ++i) free(set->profiles[i].table);
    free(set->profiles);
    free(set);
}

/* The profile of a program; NULL: there is none yet. */
static const profile *find_profile(const programs *set, const work *w, unsigned sizes)
{
    for (size_t i = 0; i < set->count; ++i) {
        const profile *known = &set->profiles[i];
        if (known->sizes == sizes && strcmp(known->name, w->program) == 0 &&
            strcmp(known->arguments, w->arguments ? w->arguments : "") == 0)
            return known;
    }
    return NULL;
}

flowgraph_result programs_prepare(programs *set, server_job_desc *job, unsigned nodes, char why[200])
{
    work *w = (work *)job->work;
    if (!w || w->kind != WORK_PROGRAM || !w->program) return FLOWGRAPH_OK;
    const unsigned most = job->kind != SERVER_RIGID && job->maximum > job->preferred ? job->maximum : job->preferred,
                   sizes = most < nodes ? most : nodes;
    const profile *known = find_profile(set, w, sizes);
    if (!known) {
        const program_desc desc = {
            .name = w->program, .arguments = w->arguments, .machine = set->machine, .places = set->places
        };
        profile fresh = { .name = w->program, .arguments = w->arguments ? w->arguments : "", .sizes = sizes };
        if (!program_check(w->program, w->arguments, &fresh.iterations, &fresh.data, why))
            return FLOWGRAPH_BAD_ARGUMENT;
        profile *more = (profile *)realloc(set->profiles, (set->count + 1) * sizeof *more);
        if (!more) {
            snprintf(why, 200, "no memory for the predicted times of a program");
            return FLOWGRAPH_NO_MEMORY;
        }
        set->profiles = more;
        const flowgraph_result result = profile_sizes(&desc, fresh.iterations, sizes, &fresh.table, why);
        if (result != FLOWGRAPH_OK) return result;
        set->profiles[set->count++] = fresh;
        known = &set->profiles[set->count - 1];
    }
    w->iterations = known->iterations;
    w->data = known->data;
    w->table = known->table;
    w->sizes = sizes;
    if (job->preferred <= sizes) {
        job->run = 0;
        for (unsigned i = 0; i < w->iterations; ++i) job->run += work_seconds(w, i, job->preferred);
        if (!(job->estimate < INFINITY)) job->estimate = job->run;
    }
    return FLOWGRAPH_OK;
}
