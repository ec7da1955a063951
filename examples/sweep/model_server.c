/* model_server.c - a cluster server with synthetic jobs as a model for sweeps */
#include "models.h"
#include "policies.h"
#include "report.h"
#include "simulate.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { NODES, JOBS, LOAD, POLICY, MOLDABLE, MALLEABLE, OVERESTIMATE, PARAMETERS };
enum { MAKESPAN, WAIT, TURNAROUND, SLOWDOWN, UTILIZATION, RESULTS };

#define POLICY_NAMES                                                                                                   \
    "fcfs,sjf,easy,conservative,easy-nodes,conservative-nodes,equi,minimum,preferred,average,efficiency"

static const sweep_quantity parameters[PARAMETERS] = {
    { "nodes", "1", 128, NULL, "of the cluster" },
    { "jobs", "1", 1000, NULL, "how many are submitted" },
    { "load", "1", 0, NULL, "work per capacity; 0: as the model of Lublin and Feitelson has it" },
    { "policy", "1", 2, POLICY_NAMES, "see policies.h and malleable.h" },
    { "moldable", "1", 0, NULL, "part of the jobs" },
    { "malleable", "1", 0, NULL, "part of the jobs" },
    { "overestimate", "1", 0, NULL, "users request up to 1 + this times the run time" },
};

static const sweep_quantity results[RESULTS] = {
    { "makespan", "s", 0, NULL, "from the first submission to the last end" },
    { "wait", "s", 0, NULL, "mean of a job" },
    { "turnaround", "s", 0, NULL, "mean of a job" },
    { "slowdown", "1", 0, NULL, "mean bounded slowdown of a job" },
    { "utilization", "1", 0, NULL, "of the nodes until the last end" },
};

static bool make_policy(const sweep_point *point, server_policy *policy)
{
    char name[32];
    const char *words = POLICY_NAMES;
    for (double i = 0; i < point->value[POLICY]; ++i) words += strcspn(words, ",") + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(words, ","), words);
    return policies_make(name, policy) == SERVER_OK || sweep_fail(point, "no memory for policy %s", name) == 0;
}

static server_result simulate_jobs(const workload *w, simulate *sim, report *r)
{
    server *s = simulate_server(sim);
    server_result result = SERVER_OK;
    for (size_t i = 0; i < w->count && result == SERVER_OK; ++i) result = server_submit(s, &w->jobs[i], NULL);
    if (result == SERVER_OK) result = simulate_run(sim);
    return result == SERVER_OK ? report_finish(r, s) : result;
}

static int run(const sweep_point *point, double *result)
{
    size_t nodes = 0, jobs = 0;
    if (!models_whole(point, parameters, NODES, 1, &nodes) || !models_whole(point, parameters, JOBS, 1, &jobs))
        return 1;
    const workload_model model = { .jobs = jobs,
                                   .nodes = (unsigned)nodes,
                                   .seed = point->seed,
                                   .load = point->value[LOAD],
                                   .moldable = point->value[MOLDABLE],
                                   .malleable = point->value[MALLEABLE],
                                   .overestimate = point->value[OVERESTIMATE] };
    workload *w = NULL;
    report *r = NULL;
    simulate *sim = NULL;
    server_policy policy;
    int failed = 1;
    const simkit_result made = workload_generate(&model, &w);
    if (made != SIMKIT_OK) return sweep_fail(point, "the jobs cannot be made: %s", simkit_result_text(made));
    if (report_open(&(report_desc){ .keep = REPORT_SUMS }, &r) != SERVER_OK) {
        sweep_fail(point, "no memory for a report");
    } else if (make_policy(point, &policy)) {
        const simulate_desc desc = {
            .nodes = (unsigned)nodes, .policy = policy, .machine = point->machine, .changed = report_changed, .user = r
        };
        server_result ended = simulate_open(&desc, &sim);
        if (ended == SERVER_OK) ended = simulate_jobs(w, sim, r);
        if (ended != SERVER_OK) {
            const char *why = sim ? server_why(simulate_server(sim)) : "";
            sweep_fail(point, "%s", *why ? why : "no memory");
        } else {
            const report_summary *s = report_summary_of(r);
            result[MAKESPAN] = s->makespan;
            result[WAIT] = s->wait.mean;
            result[TURNAROUND] = s->turnaround.mean;
            result[SLOWDOWN] = s->slowdown.mean;
            result[UTILIZATION] = s->utilization;
            failed = s->ended == s->jobs ? 0
                                         : sweep_fail(point, "%lu of %lu jobs did not end",
                                                      (unsigned long)(s->jobs - s->ended), (unsigned long)s->jobs);
        }
    }
    simulate_close(sim);
    report_close(r);
    workload_close(w);
    return failed;
}

const sweep_model model_server = { "server", 1,    parameters, PARAMETERS, results, RESULTS,
                                   run,      NULL, NULL,       SWEEP_MAY,  NULL };
