/* giving_back.c - what does a cluster gain if programs give nodes back while they run?
 * make build/giving_back && build/giving_back                               (a second; --svg FILE draws it)
 *
 * The efficiency of the jobs falls from iteration to iteration, as that of the LU factorization does, [dps] section 8. A
 * rigid job keeps its nodes nevertheless. A malleable one lets the server take them away, and give them back to others.
 * 0 to 100 % of 200 jobs on 64 nodes are malleable; the jobs and the times of their submission are the same in all runs of
 * a seed. Means over ten seeds with 95 % intervals (Student's t).
 *   EASY          backfilling, which treats all jobs as rigid: what clusters do today
 *   average       malleable jobs have half of their nodes while others wait
 *   efficiency    each node to the job that uses it best, while its efficiency is at least 0.5 */
#include "policies.h"
#include "report.h"
#include "simulate.h"

#include "simkit.h"

#include "../svg.h"

#include <math.h>
#include <stdlib.h>

enum { NODES = 64, JOBS = 200, SEEDS = 10, SHARES = 6, ITERATIONS = 12, POLICIES = 3, MEASURES = 5 };
enum { TURNAROUND, STRETCH, UTILIZATION, GIVEN, USEFUL };

static const char *const policies[POLICIES] = { "easy", "average", "efficiency" };
/* The second is the turnaround of a job over its time on all of its nodes: a malleable job that runs at once on fewer nodes
 * has no bounded slowdown, but takes longer. */
static const struct measure {
    const char *name, *unit;
    int decimals;
} kinds[MEASURES] = { { "turnaround", "[s]", 0 },
                      { "stretch", "[1]", 1 },
                      { "utilization", "[%]", 1 },
                      { "node-seconds", "[1000]", 0 },
                      { "used efficiently", "[%]", 1 } };

/* results[policy][share][measure][seed] */
static double results[POLICIES][SHARES][MEASURES][SEEDS];

/* The table of predicted times of a job: iteration i has (1 - i / K)^2 of the work of the first, and a serial part that
 * grows from 1 to 30 %. */
static double make_table(double seconds, double *table)
{
    double sum = 0, serial_time = 0;
    for (int i = 0; i < ITERATIONS; ++i) sum += pow(1 - (double)i / ITERATIONS, 2);
    for (int i = 0; i < ITERATIONS; ++i) {
        const double part = (double)i / ITERATIONS, work = seconds * (1 - part) * (1 - part) / sum,
                     serial = 0.01 + 0.29 * part * part;
        for (int n = 1; n <= NODES; ++n) table[i * NODES + n - 1] = work * (serial + (1 - serial) / n);
        serial_time += work;
    }
    return serial_time;
}

/* One run; false without memory. */
static bool run(const char *policy, double share, uint64_t seed, double measures[MEASURES])
{
    static double tables[JOBS][ITERATIONS * NODES];
    static work works[JOBS];
    simkit_random random = { seed };
    static double alone[JOBS]; /* time of each job on its nodes [s] */
    double time = 0, useful = 0;
    simulate_desc desc = { .nodes = NODES, .changed = report_changed };
    simulate *sim = NULL;
    report *r = NULL;
    if (report_open(&(report_desc){ .keep = REPORT_SUMS }, &r) != SERVER_OK) return false;
    desc.user = r;
    bool done = policies_make(policy, &desc.policy) == SERVER_OK && simulate_open(&desc, &sim) == SERVER_OK;
    for (int i = 0; i < JOBS && done; ++i) {
        const unsigned nodes = 4u << (unsigned)(4 * simkit_random_uniform(&random)); /* 4, 8, 16 or 32 */
        const double seconds = 60 * nodes * exp(1.5 * simkit_random_uniform(&random));
        const bool malleable = simkit_random_uniform(&random) < share;
        useful += make_table(seconds, tables[i]);
        works[i] = (work){
            .kind = WORK_PROGRAM, .iterations = ITERATIONS, .table = tables[i], .sizes = NODES, .data = 1e6 * nodes
        };
        alone[i] = 0;
        for (unsigned k = 0; k < ITERATIONS; ++k) alone[i] += work_seconds(&works[i], k, nodes);
        const server_job_desc job = { .name = (uint64_t)i + 1,
                                      .kind = malleable ? SERVER_MALLEABLE : SERVER_RIGID,
                                      .submit = time,
                                      .estimate = alone[i],
                                      .minimum = 1,
                                      .preferred = nodes,
                                      .maximum = nodes,
                                      .work = &works[i] };
        done = server_submit(simulate_server(sim), &job, NULL) == SERVER_OK;
        time += simkit_random_exponential(&random, 60);
    }
    done = done && simulate_run(sim) == SERVER_OK && report_finish(r, simulate_server(sim)) == SERVER_OK;
    if (done) {
        const report_summary *s = report_summary_of(r);
        measures[TURNAROUND] = s->turnaround.mean;
        const report_job *jobs = report_jobs(r, NULL);
        measures[STRETCH] = 0;
        for (int i = 0; i < JOBS; ++i) measures[STRETCH] += jobs[i].turnaround / alone[i] / JOBS;
        measures[UTILIZATION] = 100 * s->utilization;
        measures[GIVEN] = s->node_seconds / 1000;
        measures[USEFUL] = 100 * useful / s->node_seconds;
    }
    simulate_close(sim);
    report_close(r);
    return done;
}

typedef struct estimate {
    double mean, half;
} estimate;

static estimate estimate_of(const double values[SEEDS])
{
    double mean = 0, squares = 0;
    for (int i = 0; i < SEEDS; ++i) mean += values[i] / SEEDS;
    for (int i = 0; i < SEEDS; ++i) squares += (values[i] - mean) * (values[i] - mean);
    return (estimate){ mean, report_half(squares, SEEDS) };
}

static double share_of(int i)
{
    return (double)i / (SHARES - 1);
}

static void print(void)
{
    printf("%-9s  %-10s", "malleable", "policy");
    for (int m = 0; m < MEASURES; ++m) printf("  %16s", kinds[m].name);
    printf("\n%-9s  %-10s", "", "");
    for (int m = 0; m < MEASURES; ++m) printf("  %16s", kinds[m].unit);
    for (int p = 0; p < POLICIES; ++p)
        for (int i = 0; i < SHARES; ++i) {
            if (p == 0 && i > 0) continue; /* EASY knows no malleable jobs */
            printf("\n%7.0f %%  %-10s", 100 * share_of(i), policies[p]);
            for (int m = 0; m < MEASURES; ++m) {
                const estimate in = estimate_of(results[p][i][m]);
                printf("  %8.*f +- %4.*f", kinds[m].decimals, in.mean, kinds[m].decimals, in.half);
            }
        }
    printf("\n");
}

static bool draw(const char *path)
{
    svg s;
    svg_open(&s, path, "200 jobs on 64 nodes: what giving nodes back saves (10 seeds, 95 % intervals)", 1450, 330);
    for (int m = 0; m < MEASURES; ++m) {
        char label[40];
        double most = 0;
        for (int p = 0; p < POLICIES; ++p)
            for (int i = 0; i < SHARES; ++i) {
                const estimate in = estimate_of(results[p][i][m]);
                most = fmax(most, in.mean + in.half);
            }
        snprintf(label, sizeof label, "%s %s", kinds[m].name, kinds[m].unit);
        svg_plot(&s, 70 + 250 * m, 70 + 250 * m + 190, (svg_axis){ .label = "malleable jobs [%]", .to = 100 },
                 (svg_axis){ .label = label, .to = 1.1 * most });
        for (int p = 0; p < POLICIES; ++p) {
            svg_begin(&s, SVG_LINE, svg_colours[p], m == 0 ? policies[p] : NULL);
            for (int i = 0; i < SHARES; ++i) svg_at(&s, 100 * share_of(i), estimate_of(results[p][p ? i : 0][m]).mean);
            svg_end(&s);
            for (int i = 0; i < SHARES; ++i) {
                const estimate in = estimate_of(results[p][p ? i : 0][m]);
                svg_box(&s, 100 * share_of(i) - 0.4, in.mean - in.half, 100 * share_of(i) + 0.4, in.mean + in.half,
                        svg_colours[p]);
            }
        }
    }
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    for (int p = 0; p < POLICIES; ++p)
        for (int i = 0; i < SHARES; ++i)
            for (int seed = 0; seed < SEEDS; ++seed) {
                double measures[MEASURES];
                if (p == 0 && i > 0) continue;
                if (!run(policies[p], share_of(i), (uint64_t)seed + 1, measures)) {
                    fputs("giving_back: no memory\n", stderr);
                    return 1;
                }
                for (int m = 0; m < MEASURES; ++m) results[p][i][m][seed] = measures[m];
            }
    print();
    return !draw(svg_asked(argc, argv));
}
