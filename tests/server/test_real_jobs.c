/* Jobs for real, on loopback: they start, change their nodes at their points, end, fail and are accounted for. This program
 * is the one that jobs run, too. */
#define _DEFAULT_SOURCE
#include "malleable.h"
#include "policies.h"
#include "programs.h"
#include "real.h"

#include "../close.h"

#include "../../examples/flowgraph/farm.h"
#include "../../examples/flowgraph/stencil.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 6, NODES = 4 };

static const char *self;

typedef struct heard {
    char text[JOBS][200];
    unsigned changes[JOBS];
} heard;

static void says(void *user, const server *s, server_number job, const char *text)
{
    (void)s;
    snprintf(((heard *)user)->text[job], 200, "%s", text);
}

static void changes(void *user, const server *s, server_number job, double time)
{
    unsigned given = 0;
    (void)time;
    for (server_number i = 0; i < server_jobs(s); ++i)
        given += server_job_of(s, i)->state == SERVER_RUNNING ? server_job_of(s, i)->nodes : 0;
    assert_true(given + server_free(s) <= NODES);
    ++((heard *)user)->changes[job];
}

static real *opens(const char *policy, heard *h)
{
    real *r;
    memset(h, 0, sizeof *h);
    real_desc desc = { .nodes = NODES, .program = self, .longest = 60, .changed = changes, .says = says, .user = h };
    if (malleable_make(policy, &desc.policy) != SERVER_OK)
        assert_int_equal(policies_make(policy, &desc.policy), SERVER_OK);
    assert_int_equal(real_open(&desc, &r), SERVER_OK);
    return r;
}

static void submit(real *r, server_kind kind, double time, unsigned nodes, work *w)
{
    const server_job_desc job = { .name = server_jobs(real_server(r)) + 1,
                                  .kind = kind,
                                  .submit = time,
                                  .estimate = 10,
                                  .minimum = 1,
                                  .preferred = nodes,
                                  .maximum = NODES,
                                  .anchored = true,
                                  .work = w };
    assert_int_equal(server_submit(real_server(r), &job, NULL), SERVER_OK);
}

static void runs(real *r)
{
    if (real_run(r) != SERVER_OK) fail_msg("%s", server_why(real_server(r)));
}

static void jobs_run_and_change_their_nodes(void **state)
{
    static const char *const policies[] = { "equi", "average", "easy" };
    (void)state;
    const stencil_desc grid = { .n = 200, .blocks = 8, .depth = 2, .iterations = 12 };
    const farm_desc tasks = { .tasks = 60, .rounds = 6, .candidates = 2e6, .seed = 5 };
    uint64_t found = 0;
    char sum[80], count[80];
    for (size_t t = 0; t < tasks.tasks; ++t) found += farm_search(tasks.seed, t, farm_candidates(&tasks, t));
    snprintf(sum, sizeof sum, " the sum of the cells is %.17g", stencil_check(&grid));
    snprintf(count, sizeof count, " %llu were found", (unsigned long long)found);
    work w[JOBS];
    for (int i = 0; i < JOBS; ++i) {
        static const char *const names[] = { "stencil", "farm", "lu" };
        static const char *const arguments[] = { "n=200 blocks=8 depth=2 iterations=12",
                                                 "tasks=60 rounds=6 candidates=2000000 seed=5", "n=240 r=24" };
        w[i] = (work){ .kind = WORK_PROGRAM, .program = names[i % 3], .arguments = arguments[i % 3] };
    }
    for (size_t p = 0; p < sizeof policies / sizeof *policies; ++p) {
        heard h;
        real *r = opens(policies[p], &h);
        for (int i = 0; i < JOBS; ++i) submit(r, i % 4 == 3 ? SERVER_RIGID : SERVER_MALLEABLE, 0.05 * i, 2, &w[i]);
        runs(r);
        for (server_number i = 0; i < JOBS; ++i) {
            const server_job *j = server_job_of(real_server(r), i);
            if (j->state != SERVER_ENDED) fail_msg("%s: job %lu: %s", policies[p], (unsigned long)i + 1, h.text[i]);
            if (i % 3 == 0) assert_string_equal(h.text[i], sum);
            if (i % 3 == 1) assert_string_equal(h.text[i], count);
            assert_true(j->end > j->begin && j->begin >= 0.05 * i);
        }
        assert_int_equal(server_free(real_server(r)), NODES);
        real_close(r);
    }
}

static void a_node_that_fails_kills_its_job(void **state)
{
    (void)state;
    heard h;
    real *r = opens("fcfs", &h);
    work lasting = { .kind = WORK_PROGRAM, .program = "farm", .arguments = "tasks=64 candidates=1000000000" },
         brief = { .kind = WORK_PROGRAM, .program = "farm", .arguments = "tasks=4 rounds=1 candidates=1000" };
    submit(r, SERVER_RIGID, 0, 3, &lasting);
    submit(r, SERVER_RIGID, 0, 3, &brief);
    assert_int_equal(real_failure(r, 1, 0.3, INFINITY), SERVER_OK);
    runs(r);
    const server_job *j = server_job_of(real_server(r), 0), *k = server_job_of(real_server(r), 1);
    assert_int_equal(j->state, SERVER_KILLED);
    assert_true(j->end >= 0.3 && j->end < 10);
    assert_int_equal(k->state, SERVER_ENDED); /* on the other three */
    assert_int_equal(server_free(real_server(r)), 3);
    real_close(r);
}

static void jobs_that_cannot_run_are_killed(void **state)
{
    (void)state;
    heard h;
    real *r = opens("fcfs", &h);
    work wrong = { .kind = WORK_PROGRAM, .program = "lu", .arguments = "n=10 r=3" },
         good = { .kind = WORK_PROGRAM, .program = "farm", .arguments = "tasks=4 rounds=1 candidates=1000" };
    submit(r, SERVER_RIGID, 0, 2, &wrong);
    submit(r, SERVER_RIGID, 0, 2, &good);
    runs(r);
    assert_int_equal(server_job_of(real_server(r), 0)->state, SERVER_KILLED);
    assert_string_equal(h.text[0], " n = 10, r = 3: r must divide n into 1 to 256 block columns");
    assert_int_equal(server_job_of(real_server(r), 1)->state, SERVER_ENDED);
    real_close(r);
    work time = { .kind = WORK_TIME };
    r = opens("fcfs", &h);
    submit(r, SERVER_RIGID, 0, 2, &time);
    assert_int_equal(real_run(r), SERVER_BAD_ARGUMENT);
    real_close(r);
    self = "build/no such program";
    r = opens("fcfs", &h);
    submit(r, SERVER_RIGID, 0, 2, &good);
    runs(r);
    assert_int_equal(server_job_of(real_server(r), 0)->state, SERVER_KILLED);
    real_close(r);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_run_and_change_their_nodes),
        cmocka_unit_test(a_node_that_fails_kills_its_job),
        cmocka_unit_test(jobs_that_cannot_run_are_killed),
    };
    self = arguments[0];
    if (count > 1 && strcmp(arguments[1], "--job") == 0) return job_main(count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
