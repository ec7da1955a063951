/* report.h: results against schedules by hand, node-seconds that add up, and files that are valid in their format. */
#define _DEFAULT_SOURCE /* mkdtemp, rmdir */
#include "policies.h"
#include "report.h"
#include "simulate.h"
#include "work.h"

#include "netmodel.h"

#include "../close.h"
#include "../formats.h"
#include "../hook.h"
#include "../written.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[] = "/tmp/test_report_XXXXXX";

static int make_place(void **state)
{
    (void)state;
    return mkdtemp(place) == NULL;
}

static int remove_place(void **state)
{
    (void)state;
    return rmdir(place);
}

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

/*=============================================================================
 * MARK: - >>by hand
 *===========================================================================*/
/* Ten nodes: job 0 has all of them from 0 to 20, job 1 waits for it, job 2 wants too many. */
static void submit_three(server *s)
{
    static const server_job_desc jobs[] = {
        { 7, SERVER_RIGID, 0, 20, 20, 0, 10, 0, .work = NULL },
        { 8, SERVER_RIGID, 5, 5, 5, 0, 4, 0, .work = NULL },
        { 9, SERVER_RIGID, 6, 5, 5, 0, 11, 0, .work = NULL },
    };
    for (size_t i = 0; i < 3; ++i) assert_int_equal(server_submit(s, &jobs[i], NULL), SERVER_OK);
}

static simulate *open_run(const char *policy, unsigned nodes, report *r)
{
    simulate_desc desc = { .nodes = nodes, .changed = report_changed, .user = r };
    simulate *sim;
    assert_int_equal(policies_make(policy, &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    return sim;
}

static report *report_three(report_keep keep, const char *title)
{
    report *r;
    assert_int_equal(report_open(&(report_desc){ .keep = keep, .title = title }, &r), SERVER_OK);
    simulate *sim = open_run("fcfs", 10, r);
    submit_three(simulate_server(sim));
    assert_int_equal(simulate_run(sim), SERVER_OK);
    assert_int_equal(report_finish(r, simulate_server(sim)), SERVER_OK);
    assert_int_equal(report_finish(r, simulate_server(sim)), SERVER_BAD_STATE);
    simulate_close(sim);
    return r;
}

static void results_by_hand(void **state)
{
    (void)state;
    for (int keep = REPORT_SUMS; keep <= REPORT_RANGES; ++keep) {
        report *r = report_three((report_keep)keep, "fcfs");
        size_t count;
        const report_job *j = report_jobs(r, &count);
        const report_summary *m = report_summary_of(r);
        assert_int_equal(count, 3);
        assert_close(j[1].wait, 15, 0);
        assert_close(j[1].run, 5, 0);
        assert_close(j[1].turnaround, 20, 0);
        assert_close(j[1].slowdown, 2, 0); /* 20 / 10, not 20 / 5 */
        assert_close(j[1].node_seconds, 20, 0);
        assert_close(j[0].slowdown, 1, 0);
        assert_int_equal(j[2].state, SERVER_REFUSED);
        assert_nan(j[2].wait);
        assert_int_equal(m->jobs, 3);
        assert_int_equal(m->ended, 2);
        assert_int_equal(m->refused, 1);
        assert_close(m->makespan, 25, 0);
        assert_close(m->node_seconds, 220, 0);
        assert_close(m->utilization, 220. / 250, 1e-15);
        assert_close(m->wait.mean, 7.5, 0);
        assert_close(m->wait.median, 7.5, 0);
        assert_close(m->wait.p95, 14.25, 1e-15);
        assert_close(m->wait.maximum, 15, 0);
        assert_close(m->fairness, 9. / 10, 1e-15); /* (1 + 2)^2 / (2 (1 + 4)) */
        assert_close(m->without_efficiency, 220, 0);
        assert_int_equal(j[1].changes, keep == REPORT_SUMS ? 0 : 2);
        if (keep == REPORT_RANGES) {
            const report_change *c = &report_changes(r)[j[1].first];
            assert_close(c[0].time, 20, 0);
            assert_int_equal(c[0].nodes, 4);
            assert_int_equal(c[1].nodes, 0);
            assert_int_equal(c[0].range_count, 1);
            assert_int_equal(report_ranges(r)[c[0].first].count, 4);
        }
        report_close(r);
    }
}

static void a_csv_of_jobs(void **state)
{
    (void)state;
    report *r = report_three(REPORT_CHANGES, NULL);
    char why[REPORT_WHY];
    if (!report_write_jobs(r, path_of("jobs.csv"), why)) fail_msg("%s", why);
    char *text = take(path_of("jobs.csv"));
    assert_string_equal(text, "job,kind,state,submit [s],begin [s],end [s],wait [s],run [s],turnaround [s],"
                              "bounded slowdown [1],node-seconds [s],resizes [1],estimate [s],promised begin [s],"
                              "nodes over time [s:1],turnaround 80 % from [s],turnaround 80 % to [s],"
                              "turnaround 95 % from [s],turnaround 95 % to [s]\n"
                              "7,rigid,ended,0,0,20,0,20,20,1,200,0,20,,0:10 20:0,,,,\n"
                              "8,rigid,ended,5,20,25,15,5,20,2,20,0,5,,20:4 25:0,,,,\n"
                              "9,rigid,refused,6,,6,,,,,0,0,5,,,,,,\n");
    free(text);
    report_close(r);
}

static void a_table(void **state)
{
    (void)state;
    report *r = report_three(REPORT_SUMS, "fcfs\n");
    FILE *file = fopen(path_of("table"), "w");
    assert_non_null(file);
    report_print(r, file);
    fclose(file);
    char *text = take(path_of("table"));
    assert_non_null(strstr(text, "fcfs?\n"));
    assert_non_null(strstr(text, "3: 2 ended, 0 killed, 1 refused, 0 waiting\n"));
    assert_non_null(strstr(text, "utilization            0.88 of 10 nodes, 220 node-seconds\n"));
    assert_non_null(strstr(text, "fairness               0.9 (Jain's index of bounded slowdowns)\n"));
    free(text);
    report_close(r);
}

static void efficiency_of_laws_and_programs(void **state)
{
    /* On two nodes: efficiency 1 / (2 * 0.75) of a law that runs for 15 s; a program whose iterations have 0.5 and 0.95. */
    work law = { .kind = WORK_AMDAHL, .seconds = 20, .serial = 0.5, .iterations = 1 };
    const double table[] = { 10, 10, 19, 10 };
    work program = { .kind = WORK_PROGRAM, .iterations = 2, .table = table, .sizes = 2 };
    report *r;
    (void)state;
    assert_int_equal(report_open(&(report_desc){ .keep = REPORT_CHANGES }, &r), SERVER_OK);
    simulate *sim = open_run("fcfs", 4, r);
    assert_int_equal(server_submit(simulate_server(sim),
                                   &(server_job_desc){ 1, SERVER_RIGID, 0, 15, 15, 0, 2, 0, .work = &law }, NULL),
                     SERVER_OK);
    assert_int_equal(server_submit(simulate_server(sim),
                                   &(server_job_desc){ 2, SERVER_RIGID, 0, 20, 20, 0, 2, 0, .work = &program }, NULL),
                     SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    assert_int_equal(report_finish(r, simulate_server(sim)), SERVER_OK);
    const report_summary *m = report_summary_of(r);
    assert_close(m->by_efficiency[6], 30, 1e-12);
    assert_close(m->by_efficiency[5], 20, 1e-12);
    assert_close(m->by_efficiency[9], 20, 1e-12);
    assert_close(m->without_efficiency, 0, 0);
    simulate_close(sim);
    report_close(r);
}

/* The smallest value with at least so many below it, by counting. */
static void percentiles_against_a_sort(void **state)
{
    uint64_t seed = 3;
    double values[101] = { 0 };
    (void)state;
    assert_nan(report_percentile(values, 0, 0.5));
    for (size_t i = 0; i < 101; ++i) values[i] = random_between(&seed, 0, 100);
    for (size_t i = 0; i < 101; ++i) /* insertion */
        for (size_t k = i; k > 0 && values[k] < values[k - 1]; --k) {
            const double other = values[k];
            values[k] = values[k - 1];
            values[k - 1] = other;
        }
    for (size_t percent = 0; percent <= 100; ++percent)
        assert_close(report_percentile(values, 101, (double)percent / 100), values[percent], 1e-12);
    assert_close(report_percentile(values, 2, 0.25), 0.75 * values[0] + 0.25 * values[1], 1e-12);
    assert_close(report_percentile(values, 1, 0.99), values[0], 0);
    assert_nan(report_percentile(values, 2, 1.5));
    assert_nan(report_percentile(values, 2, NAN));
}

static void half_an_interval_is_that_of_students_t(void **state)
{
    (void)state;
    assert_close(report_half(2, 3), 4.302652729911275 / sqrt(3), 1e-9); /* of 1, 2 and 3 */
    assert_close(report_half(0, 2), 0, 0);
    assert_nan(report_half(0, 1));
    assert_nan(report_half(0, 0));
}

/*=============================================================================
 * MARK: - >>conservation
 *===========================================================================*/
typedef struct watched {
    report *report;
    unsigned events;
} watched;

static void check_balance(void *user, const server *s, server_number job, double time)
{
    watched *w = (watched *)user;
    char why[REPORT_WHY];
    report_balance b;
    report_changed(w->report, s, job, time);
    if (!report_conserves(w->report, s, &b, why)) fail_msg("%s", why);
    assert_close(b.used + b.idle, b.given, 1e-9);
    ++w->events;
}

static void node_seconds_are_conserved(void **state)
{
    static const char *const policies[] = { "fcfs", "easy", "conservative", "sjf", "equi", "efficiency" };
    (void)state;
    for (size_t p = 0; p < 6; ++p)
        for (uint64_t seed = 0; seed < 60; ++seed) {
            uint64_t random = seed;
            const unsigned nodes = 1 + (unsigned)(random_next(&random) % 100), jobs = 40;
            work works[40];
            watched w = { NULL, 0 };
            simulate_desc desc = { .nodes = nodes, .keep = seed % 2, .changed = check_balance, .user = &w };
            simulate *sim;
            assert_int_equal(report_open(&(report_desc){ .keep = REPORT_RANGES }, &w.report), SERVER_OK);
            assert_int_equal(policies_make(policies[p], &desc.policy), SERVER_OK);
            assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
            for (unsigned i = 0; i < jobs; ++i) {
                const double run = random_between(&random, 0, 50);
                works[i] = (work){ .kind = WORK_AMDAHL, .seconds = 5 * run, .iterations = 5, .serial = 0.1 };
                const unsigned size = 1 + (unsigned)(random_next(&random) % nodes);
                const bool changes = p >= 4 && i % 2;
                server_job_desc job = { i,
                                        changes ? SERVER_MALLEABLE : SERVER_RIGID,
                                        random_between(&random, 0, 300),
                                        2 * run,
                                        run,
                                        changes,
                                        size,
                                        changes ? nodes : 0,
                                        .work = changes ? &works[i] : NULL };
                assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
            }
            if (seed % 3 == 0)
                assert_int_equal(simulate_failure(sim, (uint32_t)(seed % nodes), 50, seed % 2 ? 90 : INFINITY),
                                 SERVER_OK);
            if (simulate_run(sim) != SERVER_OK) fail_msg("%s", server_why(simulate_server(sim)));
            assert_int_equal(report_finish(w.report, simulate_server(sim)), SERVER_OK);
            const report_summary *m = report_summary_of(w.report);
            double sum = m->without_efficiency;
            for (int i = 0; i < REPORT_BINS; ++i) sum += m->by_efficiency[i];
            assert_close(sum, m->node_seconds, 1e-9);
            assert_int_equal(m->ended + m->killed + m->refused + m->waiting + m->running + m->expected, jobs);
            assert_true(w.events >= 2 * m->ended);
            assert_true(m->utilization <= 1 + 1e-12 && m->fairness <= 1 + 1e-12);
            simulate_close(sim);
            report_close(w.report);
        }
}

/* A recorder that has missed an event says so. */
static void what_is_lost_is_noticed(void **state)
{
    char why[REPORT_WHY];
    report *r;
    (void)state;
    assert_int_equal(report_open(&(report_desc){ .keep = REPORT_SUMS }, &r), SERVER_OK);
    simulate_desc desc = { .nodes = 10 };
    simulate *sim;
    assert_int_equal(policies_make("fcfs", &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    submit_three(simulate_server(sim));
    assert_int_equal(simulate_run(sim), SERVER_OK);
    assert_false(report_conserves(r, simulate_server(sim), NULL, why));
    assert_string_equal(why, "at 25 s: 250 node-seconds were given, 0 used (220 by the jobs) and 250 idle");
    simulate_close(sim);
    report_close(r);
}

/*=============================================================================
 * MARK: - >>pictures
 *===========================================================================*/
typedef bool writer(const report *r, const char *path, char why[REPORT_WHY]);

static char *written(const report *r, writer *write)
{
    char why[REPORT_WHY] = "";
    if (!write(r, path_of("x"), why)) fail_msg("%s", why);
    assert_int_equal(access(path_of("x.part"), F_OK), -1);
    return take(path_of("x"));
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); ++text) ++count;
    return count;
}

/* A report on random jobs, of which every second one is malleable; node 0 fails. */
static report *report_random(const char *policy, unsigned nodes, unsigned jobs, const char *title)
{
    uint64_t random = 5;
    report *r;
    work law = { .kind = WORK_AMDAHL, .seconds = 100, .iterations = 5, .serial = 0.1 };
    assert_int_equal(report_open(&(report_desc){ .keep = REPORT_RANGES, .title = title }, &r), SERVER_OK);
    simulate *sim = open_run(policy, nodes, r);
    for (unsigned i = 0; i < jobs; ++i) {
        const double run = random_between(&random, 1, 50);
        const unsigned size = 1 + (unsigned)(random_next(&random) % nodes);
        server_job_desc job = { i,
                                i % 2 ? SERVER_MALLEABLE : SERVER_RIGID,
                                random_between(&random, 0, 20 * jobs),
                                run,
                                run,
                                1,
                                size,
                                i % 2 ? nodes : 0,
                                .work = i % 2 ? &law : NULL };
        assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
    }
    assert_int_equal(simulate_failure(sim, 0, 10 * jobs, 11 * jobs), SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    assert_int_equal(report_finish(r, simulate_server(sim)), SERVER_OK);
    simulate_close(sim);
    return r;
}

static void a_chart_by_hand(void **state)
{
    (void)state;
    report *r = report_three(REPORT_RANGES, "fcfs");
    char *text = written(r, report_draw_gantt);
    assert_true(xml_is_well_formed(text));
    /* 840 pixels for 25 s, 220 for 10 nodes: job 7 has all nodes for 20 s, then job 8 has four. */
    assert_non_null(
        strstr(text, "<rect x=\"80.00\" y=\"72.00\" width=\"672.00\" height=\"220.00\" fill=\"#4477aa\"/>"));
    assert_non_null(
        strstr(text, "<rect x=\"752.00\" y=\"72.00\" width=\"168.00\" height=\"88.00\" fill=\"#ee6677\"/>"));
    assert_int_equal(count_of(text, ">7</text>"), 2); /* the job, and the node of this number */
    assert_non_null(strstr(text, ">time [s]</text>"));
    assert_non_null(strstr(text, ">node</text>"));
    free(text);
    text = written(r, report_draw_utilization);
    assert_true(xml_is_well_formed(text));
    /* 740 pixels for 25 s, 190 for 1: all nodes to 20 s, 0.4 of them to 25 s. */
    assert_non_null(strstr(text, "points=\"80.0,72.0 672.0,72.0 672.0,186.0 820.0,186.0 820.0,262.0 "));
    assert_non_null(strstr(text, ">utilization [1]</text>"));
    assert_non_null(strstr(text, ">waiting jobs [1]</text>"));
    assert_non_null(strstr(text, ">mean 0.88</text>"));
    assert_non_null(strstr(text, ">mean 0.6</text>")); /* 15 s of 25 s */
    free(text);
    text = written(r, report_draw_efficiency);
    assert_true(xml_is_well_formed(text));
    assert_non_null(strstr(text, "no job has an efficiency"));
    free(text);
    text = written(r, report_write_trace);
    assert_true(json_is_valid(text));
    assert_int_equal(count_of(text, "\"ph\": \"X\""), 14);
    assert_int_equal(count_of(text, "\"name\": \"job 8\", \"ph\": \"X\", \"pid\": 1, \"tid\": 3, \"ts\": 20000000.000, "
                                    "\"dur\": 5000000.000"),
                     1);
    assert_non_null(strstr(text, "\"ts\": 20000000.000, \"args\": {\"utilization\": 0.400000}"));
    free(text);
    report_close(r);
}

/* Node 3 fails at 8 s and ends job 7 on all nodes; nine nodes are left, and job 8 begins. */
static void a_killed_job_is_accounted_for(void **state)
{
    report *r;
    (void)state;
    assert_int_equal(report_open(&(report_desc){ .keep = REPORT_RANGES }, &r), SERVER_OK);
    simulate *sim = open_run("fcfs", 10, r);
    submit_three(simulate_server(sim));
    assert_int_equal(simulate_failure(sim, 3, 8, INFINITY), SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    assert_int_equal(report_finish(r, simulate_server(sim)), SERVER_OK);
    const report_summary *m = report_summary_of(r);
    assert_int_equal(m->killed, 1);
    assert_int_equal(m->ended, 1);
    assert_int_equal(m->refused, 1);
    assert_close(m->makespan, 13, 0);
    assert_close(m->node_seconds, 100, 0); /* 10 for 8 s, 4 for 5 s */
    assert_close(m->wait.maximum, 3, 0);   /* of job 8 alone */
    char *text = written(r, report_draw_gantt);
    assert_int_equal(count_of(text, "stroke=\"#dd0000\""), 1);
    assert_non_null(strstr(text, "red border: killed"));
    assert_int_equal(count_of(text, " fill=\"#ee6677\"/>"), 2); /* beside node 3 */
    free(text);
    simulate_close(sim);
    report_close(r);
}

static void pictures_of_any_run_are_valid(void **state)
{
    static const char *const titles[] = { "a < b & \"c\" > d ]]> \\ \n\t\x7f",
                                          "\xFC \xC0\xAF \xED\xA0\x80 \xEF\xBF\xBF", "\xC3\xBC \xF0\x9F\x98\x80", "" };
    static writer *const pictures[] = { report_draw_gantt, report_draw_utilization, report_draw_efficiency };
    static const unsigned nodes[] = { 1, 8, 70, 300 };
    (void)state;
    for (size_t i = 0; i < 4; ++i) {
        report *r = report_random(i % 2 ? "equi" : "minimum", nodes[i], i == 3 ? 6000 : 50, titles[i]);
        for (size_t k = 0; k < 3; ++k) {
            char *text = written(r, pictures[k]);
            assert_true(xml_is_well_formed(text));
            assert_null(strstr(text, "nan"));
            assert_null(strstr(text, "inf"));
            if (i == 3 && k == 0) assert_int_equal(count_of(text, "rectangles are not shown"), 1);
            free(text);
        }
        char *text = written(r, report_write_trace);
        assert_true(json_is_valid(text));
        free(text);
        report_close(r);
    }
}

/* A trace of very many jobs ends where viewers give up, and says so. */
static void a_trace_has_an_end(void **state)
{
    (void)state;
#ifndef TESTS_SLOW
    report *r = report_random("fcfs", 1, 200100, "many");
    char *text = written(r, report_write_trace);
    assert_non_null(strstr(text, " s: the first 200000 of 200100 bars\"}}"));
    assert_int_equal(count_of(text, "\"ph\": \"X\""), 200000);
    free(text);
    report_close(r);
#endif
}

/* Without jobs there is nothing to divide by. */
static void pictures_of_nothing(void **state)
{
    static writer *const pictures[] = { report_draw_gantt, report_draw_utilization, report_draw_efficiency };
    report *r;
    (void)state;
    assert_int_equal(report_open(&(report_desc){ .keep = REPORT_RANGES }, &r), SERVER_OK);
    simulate *sim = open_run("fcfs", 10, r);
    assert_int_equal(report_finish(r, simulate_server(sim)), SERVER_OK);
    simulate_close(sim);
    for (size_t k = 0; k < 3; ++k) {
        char *text = written(r, pictures[k]);
        assert_true(xml_is_well_formed(text));
        assert_null(strstr(text, "nan"));
        free(text);
    }
    char *text = written(r, report_write_trace);
    assert_true(json_is_valid(text));
    free(text);
    report_close(r);
}

static void pictures_need_what_they_show(void **state)
{
    char why[REPORT_WHY];
    (void)state;
    report *r = report_three(REPORT_SUMS, NULL);
    assert_false(report_draw_gantt(r, "x", why));
    assert_string_equal(why, "x: the report was not asked to keep the nodes of jobs (REPORT_RANGES)");
    assert_false(report_write_trace(r, "x", why));
    assert_false(report_draw_utilization(r, "x", why));
    assert_string_equal(why, "x: the report was not asked to keep changes of size (REPORT_CHANGES)");
    assert_false(report_draw_efficiency(r, "x", why));
    report_close(r);
}

/*=============================================================================
 * MARK: - >>how sure
 *===========================================================================*/
/* An end of an interval: so many normal deviations away, beside a bound. */
static double far_of(double bound, double normal, double deviation)
{
    return exp(sqrt(bound * bound + normal * normal * deviation * deviation));
}

static void times_have_intervals(void **state)
{
    static const residuals family = { "three", 441, 8, { 0.03, 0.07 } };
    report *r = report_three(REPORT_SUMS, NULL);
    report_spread *spread;
    report_trust trust = { .family = &family };
    size_t count;
    (void)state;
    report_trusts(r, &trust);
    const report_job *jobs = report_jobs(r, &count);
    const report_summary *m = report_summary_of(r);
    assert_close(jobs[0].next.high[0], 20 * exp(0.03), 1e-12);
    assert_close(jobs[0].next.low[1], 20 * exp(-0.07), 1e-12);
    assert_false(interval_known(&jobs[2].next)); /* it was refused */
    assert_close(m->turnarounds[4].high[1], m->turnaround.maximum * exp(0.07), 1e-12);
    assert_close(m->makespans.low[0], m->makespan * exp(-0.03), 1e-12);

    trust.reasons = INTERVAL_UNSURE | INTERVAL_UNLIKE;
    trust.kind = "three jobs";
    report_trusts(r, &trust);
    assert_close(m->makespans.high[1], m->makespan * exp(4 * 0.07), 1e-12);

    /* Two worlds that are alike, and one in which the first job takes 30 s. */
    assert_int_equal(report_spread_open(3, &spread), SERVER_OK);
    report_spread_add(spread, r);
    trust.reasons = 0;
    trust.spread = spread;
    report_trusts(r, &trust);
    assert_close(jobs[0].next.high[0], 20 * exp(0.03), 1e-12); /* one world has no spread */
    report_spread_add(spread, r);
    report_trusts(r, &trust);
    assert_close(jobs[0].next.high[0], 20 * exp(0.03), 1e-12);
    simulate *sim;
    report *longer;
    assert_int_equal(report_open(&(report_desc){ .keep = REPORT_SUMS }, &longer), SERVER_OK);
    sim = open_run("fcfs", 10, longer);
    const server_job_desc job = { 7, SERVER_RIGID, 0, 30, 30, 0, 10, 0, .work = NULL };
    assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    assert_int_equal(report_finish(longer, simulate_server(sim)), SERVER_OK);
    report_spread_add(spread, longer);
    report_trusts(r, &trust);
    const double deviation = log(1.5) / sqrt(3); /* of 20, 20 and 30 */
    assert_close(jobs[0].next.high[0], 20 * far_of(0.03, 1.2815515655446004, deviation), 1e-12);
    assert_close(jobs[0].next.low[1], 20 / far_of(0.07, 1.959963984540054, deviation), 1e-12);
    assert_close(jobs[1].next.low[1], 20 * exp(-0.07), 1e-12); /* it is in two of them, with one time */
    simulate_close(sim);
    report_close(longer);
    report_spread_close(spread);
    report_spread_close(NULL);

    FILE *file = fopen(path_of("table"), "w");
    assert_non_null(file);
    trust.reasons = INTERVAL_LARGER | INTERVAL_UNLIKE;
    trust.worlds = 3;
    report_print(r, file);
    report_print_trust(&trust, file);
    trust.none = "nothing is known";
    report_print_trust(&trust, file);
    fclose(file);
    char *text = take(path_of("table"));
    assert_non_null(strstr(text, "\n  80 % from  "));
    assert_non_null(strstr(text, "\n  95 % interval "));
    assert_non_null(strstr(
        text, "\nintervals of a real run: 3.0 % and 7.0 % about the prediction held 80 % and 95 % of 441 turnarounds"));
    assert_non_null(strstr(
        text,
        "\n  bounds twice as wide: more than 10 times the size of the largest real run for comparison, which had 8\n"));
    assert_non_null(strstr(text, "\n  bounds twice as wide: no real run to compare with had three jobs\n"));
    assert_null(strstr(text, "how sure its values"));
    assert_non_null(strstr(text, "\n  widened by the spread of 3 draws of the uncertain values "));
    assert_non_null(strstr(text, "\nno interval of a real run: nothing is known\n"));
    free(text);
    report_close(r);
}

static void families_say_what_is_larger(void **state)
{
    const residuals *server = interval_family("server");
    (void)state;
    assert_non_null(server);
    assert_null(interval_family("no such table"));
    assert_int_equal(server->most, 8);
    assert_int_equal(interval_larger(server, 80), 0);
    assert_int_equal(interval_larger(server, 81), INTERVAL_LARGER);
    assert_int_equal(interval_larger(interval_family("slowdown"), 1e6), 0); /* its size was no question */
    assert_int_equal(interval_larger(NULL, 1e6), 0);
    assert_true(interval_wider(0) <= 1 && interval_wider(0) >= 1);
    assert_close(interval_wider(INTERVAL_LARGER | INTERVAL_UNSURE | INTERVAL_UNLIKE), 8, 0);
}

/*=============================================================================
 * MARK: - >>policies side by side
 *===========================================================================*/
static void policies_side_by_side(void **state)
{
    report_sample samples[5];
    char why[REPORT_WHY];
    (void)state;
    memset(samples, 0, sizeof samples);
    for (int i = 0; i < 5; ++i) {
        samples[i].policy = i == 4 ? "one \"run\"" : i % 2 ? "easy" : "fcfs";
        samples[i].summary.wait.mean = 10 + i;
    }
    assert_true(report_write_policies(samples, 5, path_of("policies.csv"), why));
    char *text = take(path_of("policies.csv"));
    /* 10 and 12: mean 11, deviation sqrt 2, of the mean 1; t = 12.7062 with one degree of freedom. */
    assert_non_null(strstr(text, "policy,runs [1],wait [s],wait +- [s],95 % wait [s],95 % wait +- [s],"));
    assert_non_null(strstr(text, "\n\"fcfs\",2,11,12.7062047"));
    assert_non_null(strstr(text, "\n\"easy\",2,12,12.7062047"));
    assert_non_null(strstr(text, "\n\"one \"\"run\"\"\",1,14,,0,,"));
    assert_non_null(strstr(text, ",wait 80 % +- [s],95 % wait 80 % +- [s],"));
    assert_non_null(strstr(text, ",makespan 95 % from [s],makespan 95 % to [s]\n"));
    assert_non_null(strstr(text, ",3.07768353")); /* t = 3.07768 for 80 % */
    free(text);
    samples[4].summary.turnarounds[0] = interval_of(NULL, 0, 10, 0.1);
    samples[4].summary.makespans = interval_of(NULL, 0, 20, 0.1);
    FILE *file = fopen(path_of("table"), "w");
    assert_non_null(file);
    report_print_policies(samples, 5, file);
    fclose(file);
    text = take(path_of("table"));
    assert_non_null(strstr(text, "11 +- 13"));
    assert_non_null(strstr(text, "\nfcfs "));
    assert_non_null(strstr(text, "\none \"run\" "));
    assert_non_null(strstr(text, "; an 80 % interval of 2 is 0.242 times as wide\n"));
    assert_non_null(
        strstr(text, "\npolicy        turnaround 80 % [s]                95 % [s]       makespan 80 % [s] "));
    assert_non_null(strstr(
        text, "\none \"run\"     8.7972 to    11.367     8.2202 to    12.165     17.594 to    22.735      16.44"));
    free(text);
}

/*=============================================================================
 * MARK: - >>errors
 *===========================================================================*/
static void nonsense_is_refused(void **state)
{
    report *r;
    (void)state;
    assert_int_equal(report_open(NULL, &r), SERVER_BAD_ARGUMENT);
    assert_null(r);
    assert_int_equal(report_open(&(report_desc){ .keep = (report_keep)3 }, &r), SERVER_BAD_ARGUMENT);
    assert_int_equal(report_open(&(report_desc){ .keep = REPORT_SUMS }, NULL), SERVER_BAD_ARGUMENT);
    report_close(NULL);
}

static void files_that_cannot_be_written(void **state)
{
    char why[REPORT_WHY], expected[REPORT_WHY];
    report *r;
    (void)state;
    assert_int_equal(report_open(&(report_desc){ .keep = REPORT_SUMS }, &r), SERVER_OK);
    assert_false(report_write_jobs(r, "x", why));
    assert_string_equal(why, "x: the report has not been finished");
    report_close(r);
    r = report_three(REPORT_SUMS, NULL);
    snprintf(expected, sizeof expected, "%s/none/x.part: cannot be written: No such file or directory", place);
    assert_false(report_write_jobs(r, path_of("none/x"), why));
    assert_string_equal(why, expected);
    assert_false(report_write_jobs(r, path_of("none/x"), NULL));
    /* A directory stands there: nothing is left beside it. */
    assert_int_equal(mkdir(path_of("there"), 0700), 0);
    snprintf(expected, sizeof expected, "%s/there: cannot be written: Is a directory", place);
    assert_false(report_write_jobs(r, path_of("there"), why));
    assert_string_equal(why, expected);
    assert_int_equal(rmdir(path_of("there")), 0);
    assert_int_equal(access(path_of("there.part"), F_OK), -1);
    report_close(r);
}

/* The disk is full: what stood there before stays. */
static void a_file_that_cannot_be_completed(void **state)
{
    char why[REPORT_WHY], expected[REPORT_WHY];
    struct rlimit limit, small;
    (void)state;
    report *r = report_three(REPORT_RANGES, NULL);
    FILE *file = fopen(path_of("x"), "w");
    assert_non_null(file);
    fputs("before", file);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool jobs = report_write_jobs(r, path_of("x"), why), chart = report_draw_gantt(r, path_of("x"), NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_false(jobs);
    assert_false(chart);
    snprintf(expected, sizeof expected, "%s: cannot be written: File too large", path_of("x"));
    assert_string_equal(why, expected);
    assert_int_equal(access(path_of("x.part"), F_OK), -1);
    char *text = take(path_of("x"));
    assert_string_equal(text, "before");
    free(text);
    report_close(r);
}

/* Each allocation fails once. */
static void memory_runs_out(void **state)
{
    static writer *const writers[] = { report_draw_gantt, report_draw_utilization, report_draw_efficiency,
                                       report_write_trace };
    char expected[REPORT_WHY];
    bool done = false;
    (void)state;
    for (long left = 0; !done; ++left) {
        hook h = { .left = left };
        report *r;
        const report_desc desc = { .keep = REPORT_RANGES, .title = "t", .reallocate = reallocate, .user = &h };
        const server_result opened = report_open(&desc, &r);
        assert_true(left < 100);
        if (opened == SERVER_OK) {
            simulate *sim = open_run("fcfs", 10, r);
            submit_three(simulate_server(sim));
            assert_int_equal(simulate_run(sim), SERVER_OK);
            done = report_finish(r, simulate_server(sim)) == SERVER_OK;
            simulate_close(sim);
            for (size_t k = 0; done && k < 4; ++k) {
                char why[REPORT_WHY];
                done = writers[k](r, path_of("x"), why);
                if (done) {
                    assert_int_equal(remove(path_of("x")), 0);
                    continue;
                }
                snprintf(expected, sizeof expected, "%s: no memory", path_of("x"));
                assert_string_equal(why, expected);
                assert_int_equal(access(path_of("x"), F_OK), -1);
                assert_int_equal(access(path_of("x.part"), F_OK), -1);
            }
            report_close(r);
        } else {
            assert_int_equal(opened, SERVER_NO_MEMORY);
            assert_null(r);
        }
        assert_true(done != h.refused);
        assert_int_equal(h.blocks, 0);
        assert_int_equal(h.held, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_by_hand),
        cmocka_unit_test(a_csv_of_jobs),
        cmocka_unit_test(a_table),
        cmocka_unit_test(efficiency_of_laws_and_programs),
        cmocka_unit_test(percentiles_against_a_sort),
        cmocka_unit_test(half_an_interval_is_that_of_students_t),
        cmocka_unit_test(node_seconds_are_conserved),
        cmocka_unit_test(what_is_lost_is_noticed),
        cmocka_unit_test(a_chart_by_hand),
        cmocka_unit_test(a_killed_job_is_accounted_for),
        cmocka_unit_test(pictures_of_any_run_are_valid),
        cmocka_unit_test(a_trace_has_an_end),
        cmocka_unit_test(pictures_of_nothing),
        cmocka_unit_test(pictures_need_what_they_show),
        cmocka_unit_test(times_have_intervals),
        cmocka_unit_test(families_say_what_is_larger),
        cmocka_unit_test(policies_side_by_side),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(files_that_cannot_be_written),
        cmocka_unit_test(a_file_that_cannot_be_completed),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
