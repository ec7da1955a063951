/* examples/schedulers/icecream/placement.c: by hand, and against jobs that run on the virtual clock. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "../../examples/schedulers/icecream/placement.c"

#include "../close.h"

#include <stdint.h>

static double seconds(double speed, double cores, double jobs, double others, bool nice)
{
    const placement_server server = { speed, cores, jobs, others, nice };
    return placement_seconds(&server);
}

static void by_hand(void **state)
{
    (void)state;
    assert_close(seconds(1, 4, 0, 0, true), 1, 0);        /* alone */
    assert_close(seconds(2, 4, 3, 0, true), 0.5, 0);      /* a core for each of four jobs */
    assert_close(seconds(1, 4, 4, 0, true), 1.25, 1e-15); /* the fifth waits for the quarter of a job */
    assert_close(seconds(1, 1, 0, 1, false), 2, 0);       /* half a core */
    assert_close(seconds(1, 1, 0, 1, true), (1024 + 335) / 335.0, 1e-15);
    assert_close(seconds(1, 2, 1, 2, true), (1024 + 335) / 335.0, 1e-15);
    assert_equal(seconds(1, 2, 0, 1, true), 1); /* the other core is idle */
}

static void impossible_servers_are_nobody_s_first_choice(void **state)
{
    (void)state;
    assert_nan(seconds(1, 0, 0, 0, true));
    assert_nan(seconds(1, NAN, 0, 0, true));
    assert_nan(seconds(1, 4, 0, -1, true));
    assert_nan(seconds(1, 4, 0, NAN, true));
}

static void ended(simkit_world *world, void *user)
{
    *(double *)user = simkit_clock_now(world);
}

/* All jobs begin together, and the others stay. */
static void jobs_take_that_long(void **state)
{
    (void)state;
    for (unsigned cores = 1; cores <= 8; ++cores)
        for (unsigned jobs = 1; jobs <= cores; ++jobs)
            for (unsigned others = 0; others <= 10; others += 2) {
                simkit_world *world;
                simkit_node node;
                double end = 0;
                succeeds(simkit_world_open(NULL, &world));
                const simkit_node_desc server = { .cores = cores, .speed = 1.5 };
                succeeds(simkit_node_add(world, &server, &node));
                const simkit_computation_desc other = { .node = node, .seconds = 1e6, .background = true };
                const simkit_computation_desc job = {
                    .node = node, .seconds = 3, .nice = 5, .done = ended, .user = &end
                };
                for (unsigned i = 0; i < others; ++i) succeeds(simkit_computation_start(world, &other, NULL));
                for (unsigned i = 0; i < jobs; ++i) succeeds(simkit_computation_start(world, &job, NULL));
                succeeds(simkit_world_run(world));
                assert_close(end, 3 * seconds(1.5, cores, jobs - 1, others, true), 1e-12);
                simkit_world_close(world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(impossible_servers_are_nobody_s_first_choice),
        cmocka_unit_test(jobs_take_that_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
