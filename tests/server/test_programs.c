/* Programs as jobs: alone as profiled, several at once in one world, with nodes that come and go at their points. */
#include "malleable.h"
#include "policies.h"
#include "programs.h"
#include "simulate.h"

#include "../close.h"

#include "../../examples/flowgraph/farm.h"
#include "../../examples/flowgraph/stencil.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static simkit_machine *machine;

static int opens(void **state)
{
    (void)state;
    return simkit_machine_read(&(simkit_input){ .path = "examples/machines/programs.machine" }, &machine, NULL);
}

static int closes(void **state)
{
    (void)state;
    simkit_machine_close(machine);
    return 0;
}

static const struct {
    const char *name, *arguments;
} cases[] = { { "lu", "n=648 r=81" }, { "stencil", "n=512 blocks=12 iterations=6" }, { "farm", "tasks=40 rounds=5" } };
enum { CASES = 3 };

/* Direct execution on several nodes finds what a simple loop finds. */
static bool stays(void *user, flowgraph_task *task, size_t iteration, bool *has)
{
    (void)user, (void)task, (void)iteration, (void)has;
    return true;
}

/* Nodes come and go by a fixed pattern, each some time in and some time out. */
static bool comes_and_goes(void *user, flowgraph_task *task, size_t iteration, bool *has)
{
    (void)user, (void)task;
    for (size_t n = 1; n < 5; ++n) has[n] = (iteration * 7 + n * n) % 3 != 0;
    return true;
}

static void direct(int which, const char *arguments, bool (*ask)(void *, flowgraph_task *, size_t, bool *), program *p)
{
    char why[200] = "";
    bool right;
    flowgraph *graph = NULL;
    const points_desc points = { .nodes = 5, .maximum = 5, .ask = ask };
    const program_desc desc = { .name = cases[which].name, .arguments = arguments, .points = &points };
    assert_int_equal(flowgraph_open(&(flowgraph_desc){ .mode = FLOWGRAPH_DIRECT, .nodes = 5, .at_first = 3 }, &graph),
                     FLOWGRAPH_OK);
    if (program_open(graph, &desc, p, why) != FLOWGRAPH_OK) fail_msg("%s", why);
    for (unsigned i = 0; i < p->stages; ++i) {
        assert_int_equal(flowgraph_start(graph, p->entries[i], 0, NULL), FLOWGRAPH_OK);
        if (flowgraph_run(graph, NULL) != FLOWGRAPH_OK) fail_msg("%s", flowgraph_why(graph));
    }
    program_result(p, true, &right);
    assert_true(right);
    assert_true(*p->result);
    flowgraph_close(graph);
}

static void what_programs_find_is_right(void **state)
{
    (void)state;
    program p;
    char expected[80];
    for (int moving = 0; moving < 2; ++moving) {
        direct(0, "n=120 r=10", moving ? comes_and_goes : stays, &p); /* its residual is checked */
        direct(1, "n=90 blocks=7 depth=3 iterations=9", moving ? comes_and_goes : stays, &p);
        const stencil_desc grid = { .n = 90, .blocks = 7, .depth = 3, .iterations = 9 };
        snprintf(expected, sizeof expected, "the sum of the cells is %.17g", stencil_check(&grid));
        assert_string_equal(p.result, expected);
        direct(2, "tasks=50 rounds=7 candidates=20000 seed=3", moving ? comes_and_goes : stays, &p);
        const farm_desc tasks = { .tasks = 50, .rounds = 7, .candidates = 20000, .seed = 3 };
        uint64_t found = 0;
        for (size_t t = 0; t < tasks.tasks; ++t) found += farm_search(tasks.seed, t, farm_candidates(&tasks, t));
        snprintf(expected, sizeof expected, "%llu were found", (unsigned long long)found);
        assert_string_equal(p.result, expected);
    }
}

static void a_job_alone_takes_what_its_profile_says(void **state)
{
    (void)state;
    for (int which = 0; which < CASES; ++which)
        for (unsigned nodes = 1; nodes <= 8; ++nodes) {
            char why[200] = "";
            work w = { .kind = WORK_PROGRAM, .program = cases[which].name, .arguments = cases[which].arguments };
            const program_desc desc = { .name = w.program, .arguments = w.arguments, .machine = machine };
            double *table, sum = 0;
            unsigned iterations;
            assert_true(program_check(w.program, w.arguments, &iterations, NULL, why));
            if (program_profile(&desc, nodes, &table, why) != FLOWGRAPH_OK) fail_msg("%s", why);
            for (unsigned i = 0; i < iterations; ++i) sum += table[i * nodes + nodes - 1];
            simulate *sim;
            simulate_desc how = { .nodes = 8, .machine = machine };
            assert_int_equal(policies_make("fcfs", &how.policy), SERVER_OK);
            assert_int_equal(simulate_open(&how, &sim), SERVER_OK);
            const server_job_desc job = { .estimate = INFINITY, .preferred = nodes, .anchored = true, .work = &w };
            assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
            if (simulate_run(sim) != SERVER_OK) fail_msg("%s", server_why(simulate_server(sim)));
            const server_job *j = server_job_of(simulate_server(sim), 0);
            assert_int_equal(j->state, SERVER_ENDED);
            assert_close(j->end - j->begin, sum, 1e-9);
            simulate_close(sim);
            free(table);
        }
}

/* Its profile is that of the same places, so it knows of a thin link before it starts. */
static void a_job_alone_is_where_its_profile_is(void **state)
{
    static const uint32_t places[] = { 7, 0, 6, 1, 5, 2, 4, 3 };
    const simkit_input file = { .path = "examples/machines/two_clusters.machine" };
    simkit_machine *two;
    double seconds[2];
    (void)state;
    assert_int_equal(simkit_machine_read(&file, &two, NULL), SIMKIT_OK);
    for (int placed = 0; placed < 2; ++placed) {
        char why[200] = "";
        work w = { .kind = WORK_PROGRAM, .program = "lu", .arguments = "n=648 r=81" };
        server_job_desc job = { .estimate = INFINITY, .preferred = 4, .anchored = true, .work = &w };
        simulate_desc how = { .nodes = 8, .machine = two, .places = placed ? places : NULL };
        programs *set;
        simulate *sim;
        assert_int_equal(programs_open(two, how.places, &set), FLOWGRAPH_OK);
        if (programs_prepare(set, &job, 8, why) != FLOWGRAPH_OK) fail_msg("%s", why);
        assert_int_equal(policies_make("fcfs", &how.policy), SERVER_OK);
        assert_int_equal(simulate_open(&how, &sim), SERVER_OK);
        assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
        if (simulate_run(sim) != SERVER_OK) fail_msg("%s", server_why(simulate_server(sim)));
        const server_job *j = server_job_of(simulate_server(sim), 0);
        seconds[placed] = j->end - j->begin;
        assert_close(seconds[placed], job.run, 1e-9);
        simulate_close(sim);
        programs_close(set);
    }
    assert_true(seconds[1] > 2 * seconds[0]);
    simkit_machine_close(two);
}

/*=============================================================================
 * Many at once
 *===========================================================================*/
enum { JOBS = 9 };

typedef struct account {
    const simulate *sim;
    double until, used; /* node-seconds given until a time */
    unsigned given;
    uint64_t print; /* of all changes */
    unsigned changes;
} account;

static void accounts(void *user, const server *s, server_number job, double time)
{
    account *a = (account *)user;
    unsigned given = 0;
    uint64_t bits;
    a->used += a->given * (time - a->until);
    a->until = time;
    for (server_number i = 0; i < server_jobs(s); ++i)
        given += server_job_of(s, i)->state == SERVER_RUNNING ? server_job_of(s, i)->nodes : 0;
    a->given = given;
    if (server_job_of(s, job)->state != SERVER_RUNNING || server_nodes(s) == server_size(s))
        assert_true(given + server_free(s) <= server_size(s));
    memcpy(&bits, &time, sizeof bits);
    a->print = (a->print ^ bits ^ job ^ (uint64_t)server_job_of(s, job)->nodes << 32) * UINT64_C(0x100000001b3);
    ++a->changes;
}

/* Jobs of the three programs, rigid and malleable by turns. */
static account many(const char *policy, unsigned failing, double *makespan)
{
    static work works[JOBS];
    static double *tables[CASES];
    char why[200];
    unsigned iterations[CASES];
    account a = { .print = UINT64_C(0xcbf29ce484222325) };
    simulate_desc how = { .nodes = 8, .machine = machine, .changed = accounts, .user = &a };
    if (malleable_make(policy, &how.policy) != SERVER_OK)
        assert_int_equal(policies_make(policy, &how.policy), SERVER_OK);
    simulate *sim;
    assert_int_equal(simulate_open(&how, &sim), SERVER_OK);
    a.sim = sim;
    for (int i = 0; i < CASES; ++i) {
        const program_desc desc = { .name = cases[i].name, .arguments = cases[i].arguments, .machine = machine };
        assert_true(program_check(cases[i].name, cases[i].arguments, &iterations[i], NULL, why));
        if (program_profile(&desc, 8, &tables[i], why) != FLOWGRAPH_OK) fail_msg("%s", why);
    }
    for (unsigned i = 0; i < JOBS; ++i) {
        const unsigned which = i % CASES;
        works[i] = (work){ .kind = WORK_PROGRAM,
                           .program = cases[which].name,
                           .arguments = cases[which].arguments,
                           .iterations = iterations[which],
                           .table = tables[which],
                           .sizes = 8 };
        const server_job_desc job = { .name = i + 1,
                                      .kind = i % 4 == 3 ? SERVER_RIGID : SERVER_MALLEABLE,
                                      .submit = 0.02 * i,
                                      .estimate = 2,
                                      .minimum = 1,
                                      .preferred = 3,
                                      .maximum = 8,
                                      .anchored = true,
                                      .work = &works[i] };
        assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
    }
    for (unsigned i = 0; i < failing; ++i)
        assert_int_equal(simulate_failure(sim, 7 - i, 0.1 + 0.05 * i, 0.3 + 0.1 * i), SERVER_OK);
    if (simulate_run(sim) != SERVER_OK) fail_msg("%s: %s", policy, server_why(simulate_server(sim)));
    double used = 0;
    *makespan = 0;
    for (unsigned i = 0; i < JOBS; ++i) {
        const server_job *j = server_job_of(simulate_server(sim), i);
        assert_true(j->state == SERVER_ENDED || (failing > 0 && j->state == SERVER_KILLED));
        used += j->node_seconds;
        *makespan = fmax(*makespan, j->end);
    }
    assert_int_equal(server_free(simulate_server(sim)), 8);
    assert_close(used, a.used, 1e-9);
    simulate_close(sim);
    for (int i = 0; i < CASES; ++i) free(tables[i]);
    return a;
}

static void many_programs_share_a_world(void **state)
{
    static const char *const policies[] = { "equi", "average", "efficiency", "easy", "minimum" };
    (void)state;
    for (size_t p = 0; p < sizeof policies / sizeof *policies; ++p) {
        double once, again;
        const account a = many(policies[p], 0, &once), b = many(policies[p], 0, &again);
        assert_true(a.print == b.print); /* the same bits */
        assert_true(a.changes == b.changes && once > 0);
        if (p != 3) assert_true(a.changes > 2 * JOBS); /* sizes have changed */
    }
}

static void programs_whose_nodes_fail_are_killed(void **state)
{
    static const char *const policies[] = { "equi", "average", "easy" };
    (void)state;
    for (size_t p = 0; p < sizeof policies / sizeof *policies; ++p) {
        double makespan;
        many(policies[p], 4, &makespan);
    }
}

/* A world that ends while programs run. */
static void a_run_that_is_given_up_leaves_nothing(void **state)
{
    (void)state;
    work w = { .kind = WORK_PROGRAM, .program = "stencil", .arguments = "n=512 iterations=20" };
    simulate_desc how = { .nodes = 8, .machine = machine };
    simulate *sim;
    assert_int_equal(policies_make("fcfs", &how.policy), SERVER_OK);
    assert_int_equal(simulate_open(&how, &sim), SERVER_OK);
    const server_job_desc job = { .estimate = INFINITY, .preferred = 4, .anchored = true, .work = &w };
    assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
    const server_job_desc bad = { .name = 7,
                                  .submit = 0.06,
                                  .estimate = INFINITY,
                                  .preferred = 2,
                                  .anchored = true,
                                  .work = &(work){ .kind = WORK_PROGRAM, .program = "lu", .arguments = "n=100 r=33" } };
    assert_int_equal(server_submit(simulate_server(sim), &bad, NULL), SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_BAD_STATE);
    assert_string_equal(server_why(simulate_server(sim)),
                        "at 0.11 s: job 7: n = 100, r = 33: r must divide n into 1 to 256 block columns");
    simulate_close(sim);
}

static void wrong_arguments_are_refused(void **state)
{
    static const char *const wrong[][3] = {
        { "qr", "", "there is no program 'qr'; there are lu, stencil and farm" },
        { "lu", "m=3", "lu: 'm=3' is no argument; expected key=value with the keys n, r" },
        { "stencil", "n",
          "stencil: 'n' is no argument; expected key=value with the keys n, blocks, depth, iterations" },
        { "farm", "tasks=1.5", "farm: 'tasks=1.5': expected a whole number from 0 to 1e15" },
        { "farm", "tasks=", "farm: 'tasks=': expected a whole number from 0 to 1e15" },
        { "farm", "tasks=2 rounds=3",
          "tasks = 2, rounds = 3, candidates = 1e+06: rounds must be 1 to 64, and at most the number of tasks" },
        { "stencil", "blocks=1",
          "n = 1024, blocks = 1, depth = 8, iterations = 10: blocks must be 2 to n / depth, so that each has the rows "
          "it sends" },
        { "lu", "n=10 r=0", "n = 10, r = 0: r must divide n into 1 to 256 block columns" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char why[200] = "";
        assert_false(program_check(wrong[i][0], wrong[i][1], NULL, NULL, why));
        assert_string_equal(why, wrong[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_programs_find_is_right),
        cmocka_unit_test(a_job_alone_takes_what_its_profile_says),
        cmocka_unit_test(a_job_alone_is_where_its_profile_is),
        cmocka_unit_test(many_programs_share_a_world),
        cmocka_unit_test(programs_whose_nodes_fail_are_killed),
        cmocka_unit_test(a_run_that_is_given_up_leaves_nothing),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, opens, closes);
}
