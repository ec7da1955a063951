/* queues.c - Queues: many jobs on one cluster; who waits, and for how long under which policy? */
#include "module.h"

#include "../server/policies.h"
#include "../server/report.h"
#include "../server/simulate.h"

#include "../svg.h"

#include <stdlib.h>
#include <string.h>

enum { JOBS = 60, NODES = 32, ITERATIONS = 8, POLICIES = 6, EQUI = 4 };
enum { POLICY, COUNT, LOAD, MALLEABLE, SEED, CONTROLS };

static const char *const policies[POLICIES] = { "fcfs", "sjf", "easy", "conservative", "equi", "efficiency" };

static const module_control controls[CONTROLS] = {
    { "policy", "Policy", MODULE_CHOICE, NULL, "fcfs", 0, POLICIES - 1, false, policies, NULL },
    { "jobs", "Jobs", MODULE_WHOLE, "jobs", "24", 4, JOBS, false, NULL, NULL },
    { "load", "Work that comes, of what the cluster can do", MODULE_WHOLE, "percent", "90", 20, 200, false, NULL,
      NULL },
    { "malleable", "Jobs that can change their nodes", MODULE_WHOLE, "percent", "50", 0, 100, false, NULL, NULL },
    { "seed", "Day number", MODULE_WHOLE, "days", "1", 1, 1000, false, NULL, NULL },
};

/* The rule of each policy, and its effect. */
static const char *const effects[POLICIES] = {
    "First come, first served: nobody passes a large job that waits for its nodes, so nodes stay empty before it.",
    "The shortest job goes first, so the mean wait is small, and a long job may wait as long as short ones keep "
    "coming.",
    "EASY: a later job may start early if the first one that waits is not delayed, so holes are filled.",
    "Conservative: every job that waits has a reservation, and nobody may delay any of them; holes are filled with "
    "care.",
    "Equal shares: malleable jobs share the cluster; rigid ones still wait for their nodes.",
    "Each node goes to the malleable job that uses it best, while its efficiency is at least one half."
};

/*=============================================================================
 * MARK: - >>a day of jobs
 *===========================================================================*/

/* A day of jobs: each has 2, 4, 8 or 16 nodes for some minutes; its efficiency falls from iteration to iteration, as
 * that of the LU factorization does. The arithmetic is exact on every machine: no logarithms. */
typedef struct batch {
    double tables[JOBS][ITERATIONS * NODES];
    work works[JOBS];
    server_job_desc jobs[JOBS];
} batch;

static void queues__make(batch *b, const double *v, uint64_t seed)
{
    simkit_random random = { seed };
    const double load = v[LOAD] / 100, share = v[MALLEABLE] / 100;
    double time = 0;
    memset(b, 0, sizeof *b);
    for (int j = 0; j < (int)v[COUNT]; ++j) {
        const unsigned nodes = 2u << (unsigned)(4 * simkit_random_uniform(&random));
        const double u = simkit_random_uniform(&random), seconds = (double)nodes * (60 + 600 * u * u * u);
        const bool malleable = simkit_random_uniform(&random) < share;
        const double gap = simkit_random_uniform(&random); /* 0 to twice the mean */
        double sum = 0, alone = 0;
        for (int i = 0; i < ITERATIONS; ++i) sum += (1 - (double)i / ITERATIONS) * (1 - (double)i / ITERATIONS);
        for (int i = 0; i < ITERATIONS; ++i) {
            const double part = (double)i / ITERATIONS, all = seconds * (1 - part) * (1 - part) / sum,
                         serial = 0.01 + 0.29 * part * part;
            for (int n = 1; n <= NODES; ++n) b->tables[j][i * NODES + n - 1] = all * (serial + (1 - serial) / n);
            alone += b->tables[j][i * NODES + (int)nodes - 1];
        }
        b->works[j] = (work){ .kind = WORK_PROGRAM, .iterations = ITERATIONS, .table = b->tables[j], .sizes = NODES };
        b->jobs[j] = (server_job_desc){ .name = (uint64_t)j + 1,
                                        .kind = malleable ? SERVER_MALLEABLE : SERVER_RIGID,
                                        .submit = time,
                                        .estimate = alone,
                                        .minimum = malleable ? 1 : nodes,
                                        .preferred = nodes,
                                        .maximum = nodes,
                                        .work = &b->works[j] };
        time += 2 * gap * alone * nodes / (load * NODES);
    }
}

/* Runs a batch under a policy; after an error the answer has its sentence. The caller closes the report. */
static bool queues__serve(const batch *b, int jobs, const char *policy, report **r, module_answer *a)
{
    simulate_desc desc = { .nodes = NODES, .changed = report_changed };
    simulate *sim = NULL;
    char title[80];
    snprintf(title, sizeof title, "%d jobs on %d nodes, %s", jobs, NODES, policy);
    bool done = report_open(&(report_desc){ .keep = REPORT_RANGES, .title = title }, r) == SERVER_OK;
    desc.user = *r;
    done = done && policies_make(policy, &desc.policy) == SERVER_OK && simulate_open(&desc, &sim) == SERVER_OK;
    for (int j = 0; j < jobs && done; ++j) done = server_submit(simulate_server(sim), &b->jobs[j], NULL) == SERVER_OK;
    done = done && simulate_run(sim) == SERVER_OK && report_finish(*r, simulate_server(sim)) == SERVER_OK;
    if (!done) module_fail(a, "%s", sim ? server_why(simulate_server(sim)) : "no memory for the jobs");
    simulate_close(sim);
    return done;
}

/*=============================================================================
 * MARK: - >>answer
 *===========================================================================*/

/* The result of a day. */
typedef struct result {
    const report_summary *summary;
    double longest;        /* wait [s] */
    unsigned long name;    /* of the job that waits longest */
    unsigned wants;        /* its nodes */
    unsigned long resizes; /* of all jobs */
} result;

static result queues__result(const report *r, const batch *b)
{
    size_t count = 0;
    const report_job *job = report_jobs(r, &count);
    result all = { .summary = report_summary_of(r) };
    for (size_t j = 0; j < count; ++j) {
        all.resizes += job[j].resizes;
        if (job[j].wait <= all.longest) continue;
        all.longest = job[j].wait;
        all.name = (unsigned long)job[j].name;
        all.wants = b->jobs[j].preferred;
    }
    return all;
}

static bool queues__write_files(const module_run *run, report *r, module_answer *a)
{
    char path[512], why[REPORT_WHY] = "";
    return (report_draw_gantt(r, module_path(run, "picture.svg", path), why) &&
            report_draw_utilization(r, module_path(run, "use.svg", path), why) &&
            report_write_jobs(r, module_path(run, "data.csv", path), why)) ||
           module_fail(a, "%.200s", why);
}

/* Adds the formula and the numbers. */
static void queues__add_numbers(const result *all, module_answer *a)
{
    const report_summary *s = all->summary;
    snprintf(a->formula, sizeof a->formula,
             "utilization = node-seconds used / (nodes x makespan) = %.0f s / (%d x %.0f s) = %s\n"
             "bounded slowdown = max(1, turnaround / max(run, 10 s)), mean %.3g",
             s->node_seconds, NODES, s->makespan, module_word(a, s->utilization, "%"), s->slowdown.mean);
    module_add(a, "wait", "s", s->wait.mean, "Mean wait");
    if (all->longest > 0)
        module_add(a, "longest", "s", all->longest, "Longest wait (job %lu)", all->name);
    else
        module_add(a, "longest", "s", all->longest, "Longest wait");
    module_add(a, "turnaround", "s", s->turnaround.mean, "Mean turnaround: wait and run");
    module_add(a, "slowdown", "1", s->slowdown.mean, "Mean bounded slowdown");
    module_add(a, "makespan", "s", s->makespan, "Makespan");
    module_add(a, "utilization", "%", s->utilization, "Utilization");
    module_add(a, "resizes", "1", (double)all->resizes, "Changes of a job's nodes");
}

/* Says why jobs have changed their nodes, or have not. `malleable` is the number of those that can. */
static void queues__explain_resizes(int policy, size_t malleable, unsigned long resizes, module_answer *a)
{
    if (policy < EQUI || malleable == 0)
        module_because(a, 2, "Every job keeps its nodes to the end, although its last iterations use them badly: %s.",
                       malleable > 0 ? "this policy treats malleable jobs as rigid" : "all jobs are rigid");
    else if (resizes == 0)
        module_because(a, 2, "Jobs may change their nodes, but there is no need to.");
    else
        module_because(a, 2, "Jobs changed their nodes %lu times: %s.", resizes,
                       policy == EQUI ? "whenever one comes or ends, the nodes are shared anew"
                                      : "late iterations, which use them badly, give nodes to others");
}

/* Gives the numbers, the sentences and the pictures of a day with the values v[CONTROLS]. */
static void queues__explain(const result *all, const batch *b, const double *v, module_answer *a)
{
    const int policy = (int)v[POLICY], jobs = (int)v[COUNT];
    size_t malleable = 0;
    for (int j = 0; j < jobs; ++j) malleable += b->jobs[j].kind == SERVER_MALLEABLE;
    queues__add_numbers(all, a);
    module_because(a, 0, "%s", effects[policy]);
    if (all->longest > 0)
        module_because(a, 1, "Job %lu waits longest, %s: it wants %u of %d nodes.", all->name,
                       module_word(a, all->longest, "s"), all->wants, NODES);
    else
        module_because(a, 1, "Nobody waits: whenever a job comes, there are nodes for it.");
    queues__explain_resizes(policy, malleable, all->resizes, a);
    module_show(a, "picture.svg",
                "A Gantt chart: %d rows of nodes over time, with the numbers of %d jobs. Mean wait %s, utilization %s.",
                NODES, jobs, module_word(a, all->summary->wait.mean, "s"),
                module_word(a, all->summary->utilization, "%"));
    module_show(a, "use.svg", "The part of the nodes in use, and the number of jobs that wait, over time.");
}

static bool queues__answer(const module_run *run, module_answer *a)
{
    const double *v = run->values->value;
    batch *b = (batch *)malloc(sizeof *b);
    report *r = NULL;
    if (!b) return module_fail(a, "no memory for the jobs");
    queues__make(b, v, (uint64_t)v[SEED]);
    const bool done =
        queues__serve(b, (int)v[COUNT], policies[(int)v[POLICY]], &r, a) && queues__write_files(run, r, a);
    if (done) {
        const result all = queues__result(r, b);
        queues__explain(&all, b, v, a);
    }
    report_close(r);
    free(b);
    return done;
}

/*=============================================================================
 * MARK: - >>study
 *===========================================================================*/

enum { DAYS = 20 };

/* The policies on the same days. A difference is the mean of those of each day, from the best policy. */
typedef struct comparison {
    double turnaround[POLICIES][DAYS];       /* means of a day [s] */
    double mean[POLICIES], half[POLICIES];   /* of the days, and half of the 95 % interval [s] */
    double longer[POLICIES], sure[POLICIES]; /* difference, and half of its 95 % interval [s] */
    int best, worst;
} comparison;

/* Gives the mean of the values of days, and half of its 95 % interval. */
static double queues__mean(const double day[DAYS], double *half)
{
    double mean = 0, squares = 0;
    for (int d = 0; d < DAYS; ++d) mean += day[d] / DAYS;
    for (int d = 0; d < DAYS; ++d) squares += (day[d] - mean) * (day[d] - mean);
    *half = report_half(squares, DAYS);
    return mean;
}

static bool queues__serve_days(const module_run *run, comparison *c, module_answer *a)
{
    const double *v = run->values->value;
    batch *b = (batch *)malloc(sizeof *b);
    bool done = b != NULL || module_fail(a, "no memory for the jobs");
    for (int d = 0; d < DAYS && done; ++d) {
        queues__make(b, v, (uint64_t)v[SEED] + (uint64_t)d);
        for (int p = 0; p < POLICIES && done; ++p) {
            report *r = NULL;
            if (run->progress) run->progress(run->user, (double)(d * POLICIES + p) / (DAYS * POLICIES));
            done = queues__serve(b, (int)v[COUNT], policies[p], &r, a);
            if (done) c->turnaround[p][d] = report_summary_of(r)->turnaround.mean;
            report_close(r);
        }
    }
    free(b);
    if (done && run->progress) run->progress(run->user, 1);
    return done;
}

static void queues__compare(comparison *c)
{
    for (int p = 0; p < POLICIES; ++p) {
        c->mean[p] = queues__mean(c->turnaround[p], &c->half[p]);
        if (c->mean[p] < c->mean[c->best]) c->best = p;
        if (c->mean[p] > c->mean[c->worst]) c->worst = p;
    }
    for (int p = 0; p < POLICIES; ++p) {
        double difference[DAYS];
        for (int d = 0; d < DAYS; ++d) difference[d] = c->turnaround[p][d] - c->turnaround[c->best][d];
        c->longer[p] = queues__mean(difference, &c->sure[p]);
    }
}

static bool queues__write_comparison(const module_run *run, const comparison *c, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(
        file,
        "policy,mean turnaround [s],half of the 95 %% interval [s],longer than %s [s],half of its 95 %% interval [s]\n",
        policies[c->best]);
    for (int p = 0; p < POLICIES; ++p)
        fprintf(file, "%s,%.17g,%.17g,%.17g,%.17g\n", policies[p], c->mean[p], c->half[p], c->longer[p], c->sure[p]);
    return module_close(file, "data.csv", a);
}

static bool queues__draw_comparison(const module_run *run, const comparison *c)
{
    double low[POLICIES], high[POLICIES], most = 1, farthest = 1;
    char path[512], label[64];
    svg s;
    for (int p = 0; p < POLICIES; ++p) {
        low[p] = fmax(c->longer[p] - c->sure[p], 0);
        high[p] = c->longer[p] + c->sure[p];
        most = fmax(most, c->mean[p]);
        farthest = fmax(farthest, high[p]);
    }
    svg_open(&s, module_path(run, "picture.svg", path), "Six policies on the same 20 days", 960, 340);
    svg_plot(&s, 120, 480, (svg_axis){ .label = "mean turnaround [s]", .to = 1.25 * most },
             (svg_axis){ .rows = true, .to = POLICIES, .names = policies });
    svg_bars(&s, POLICIES, c->mean, NULL, NULL, "%.0f", svg_colours[0]);
    snprintf(label, sizeof label, "longer than %s, with 95 %% interval [s]", policies[c->best]);
    svg_plot(&s, 540, 920, (svg_axis){ .label = label, .to = 1.25 * farthest },
             (svg_axis){ .rows = true, .to = POLICIES });
    svg_bars(&s, POLICIES, c->longer, low, high, "%.0f", svg_colours[1]);
    return svg_close(&s);
}

static void queues__explain_comparison(const comparison *c, module_answer *a)
{
    const char *const best = policies[c->best], *const worst = policies[c->worst],
                      *const shortest = module_word(a, c->mean[c->best], "s"),
                      *const longest = module_word(a, c->mean[c->worst], "s");
    int surely = 0;
    for (int p = 0; p < POLICIES; ++p) surely += c->longer[p] > c->sure[p];
    snprintf(a->formula, sizeof a->formula,
             "longer = mean of (turnaround - turnaround of %s) over %d days, +- t(0.95, %d) x deviation / sqrt(%d)",
             best, DAYS, DAYS - 1, DAYS);
    for (int p = 0; p < POLICIES; ++p)
        module_add(a, policies[p], "s", c->mean[p], p == c->best ? "%s" : "%s: longer by %.0f +- %.0f s", policies[p],
                   c->longer[p], c->sure[p]);
    module_because(
        a, 0,
        "All policies get the same jobs at the same times, so they are compared day by day: good and bad days "
        "do not count.");
    if (c->longer[c->worst] < 1e-9 * c->mean[c->best])
        module_because(a, 1, "All policies take the same time: there is nothing to decide.");
    else
        module_because(a, 1, "%s has the shortest mean turnaround, %s; %s the longest, %s.", best, shortest, worst,
                       longest);
    module_because(
        a, 2,
        "One day proves little. On %d days, %d of %d other policies take longer by more than the interval; the rest "
        "may be as good.",
        DAYS, surely, POLICIES - 1);
    module_show(a, "picture.svg",
                "Bars: mean turnaround by policy, from %s for %s to %s for %s, and by how much each is longer than the "
                "best, with intervals.",
                shortest, best, longest, worst);
}

static bool queues__study(const module_run *run, module_answer *a)
{
    comparison c;
    memset(&c, 0, sizeof c);
    if (!queues__serve_days(run, &c, a)) return false;
    queues__compare(&c);
    if (!queues__write_comparison(run, &c, a)) return false;
    if (!queues__draw_comparison(run, &c)) return module_fail(a, "cannot write the picture");
    queues__explain_comparison(&c, a);
    return true;
}

const module module_queues = {
    "queues", controls, CONTROLS, false, queues__answer, queues__study, "All six policies on 20 days"
};
