/* server.h: what it refuses, and what is true after each event. */
#include "policies.h"
#include "simulate.h"

#include "../close.h"

/* Schedules by hand, on ten nodes: submit, estimate, nodes, run, and when each job begins. */
typedef struct planned {
    double submit, estimate;
    unsigned nodes;
    double run, begin;
} planned;

static void check_schedule(const char *policy, const planned *jobs, size_t count)
{
    simulate_desc desc = { .nodes = 10 };
    simulate *sim;
    assert_int_equal(policies_make(policy, &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(server_submit(simulate_server(sim),
                                       &(server_job_desc){ .name = i,
                                                           .submit = jobs[i].submit,
                                                           .estimate = jobs[i].estimate,
                                                           .run = jobs[i].run,
                                                           .preferred = jobs[i].nodes },
                                       NULL),
                         SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    for (size_t i = 0; i < count; ++i) {
        const server_job *j = server_job_of(simulate_server(sim), (server_number)i);
        if (!(j->begin == jobs[i].begin))
            fail_msg("%s: job %lu begins at %g, expected %g", policy, (unsigned long)i, j->begin, jobs[i].begin);
        assert_int_equal(j->state, SERVER_ENDED);
        assert_true(j->end == j->begin + jobs[i].run);
    }
    simulate_close(sim);
}

static void fcfs_waits_for_the_first(void **state)
{
    static const planned jobs[] = { { 0, 10, 6, 10, 0 }, { 1, 5, 6, 5, 10 }, { 2, 3, 4, 3, 10 } };
    (void)state;
    check_schedule("fcfs", jobs, 3);
}

static void easy_fills_what_does_not_delay_the_first(void **state)
{
    /* Job 2 ends before job 1 can begin; job 3 would not; job 4 fits beside it. */
    static const planned jobs[] = {
        { 0, 10, 6, 10, 0 }, { 1, 5, 8, 5, 10 }, { 2, 3, 2, 3, 2 }, { 3, 9, 3, 9, 15 }, { 4, 9, 2, 9, 4 }
    };
    (void)state;
    check_schedule("easy", jobs, 5);
}

static void conservative_moves_up_when_a_job_ends_early(void **state)
{
    static const planned jobs[] = { { 0, 10, 6, 4, 0 }, { 1, 5, 8, 5, 4 }, { 2, 9, 4, 9, 9 }, { 3, 6, 6, 6, 9 } };
    (void)state;
    check_schedule("conservative", jobs, 4);
}

static void sjf_starts_the_shortest(void **state)
{
    static const planned jobs[] = { { 0, 10, 6, 10, 0 }, { 1, 5, 6, 5, 13 }, { 2, 3, 6, 3, 10 } };
    (void)state;
    check_schedule("sjf", jobs, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fcfs_waits_for_the_first),
        cmocka_unit_test(easy_fills_what_does_not_delay_the_first),
        cmocka_unit_test(conservative_moves_up_when_a_job_ends_early),
        cmocka_unit_test(sjf_starts_the_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
