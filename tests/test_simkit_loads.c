/* Room loads of simkit.h: load averages against sampling, which looks at every time of a sample. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "background.h"

/* A load average that is kept from now on counts what runs now. */
static void a_load_begins_with_what_runs(void **state)
{
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 4 });
    (void)state;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(
            simkit_computation_start(
                world, &(simkit_computation_desc){ .node = node, .seconds = i ? 100 : 5.25 }, NULL),
            SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 3.25), SIMKIT_OK);
    assert_int_equal(simkit_load_record(world, node), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 7.5), SIMKIT_OK);
    /* three of them at 4 s and 5 s, two at 6 s and 7 s, half of each counts: (((3/2 + 3)/2 + 2)/2 + 2)/2 */
    assert_close(simkit_load_average(world, node, 0.5, 1), 2.0625, 1e-15);
}

static void so_many_processes_give_so_much_load(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    assert_nan(simkit_load_average(world, node, 0.5, 1)); /* its past is not kept */
    assert_int_equal(simkit_load_record(world, node), SIMKIT_OK);
    assert_int_equal(simkit_load_record(world, node), SIMKIT_OK);
    for (int i = 0; i < 60; ++i)
        assert_int_equal(
            simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .seconds = 1e6 }, NULL),
            SIMKIT_OK);
    for (int t = 0; t <= 180; ++t) {
        assert_int_equal(simkit_world_run_until(world, t + 0.5), SIMKIT_OK);
        assert_close(simkit_load_average(world, node, 59.0 / 60, 1), 60 * (1 - pow(59.0 / 60, t)), 1e-12);
    }
    assert_equal(simkit_load_average(world, node, 0, 1), 60);
    assert_nan(simkit_load_average(world, node, -0.1, 1));
    assert_nan(simkit_load_average(world, node, 1.1, 1));
    assert_nan(simkit_load_average(world, node, 0.5, 0));
    assert_nan(simkit_load_average(world, node, 0.5, 1e-300));
    assert_nan(simkit_load_average(world, node, 0.5, INFINITY * 0));
    assert_nan(simkit_load_average(world, node + 1, 0.5, 1));
    assert_int_equal(simkit_load_record(world, 2), SIMKIT_UNKNOWN_NODE);
    assert_why("at 180.5 s: a load average names node 2, but there is only node 1");
}

enum { WINDOWS = 5 };
static const double betas[WINDOWS] = { 0, 0.5, 60.0 / 61, 0.999, 1 }, intervals[WINDOWS] = { 1, 0.1, 1, 5, 2 };

typedef struct sampler {
    simkit_node node;
    double interval, beta, load, number;
} sampler;

/* The slow way: looks at every sample's time. It goes first of all that happens then. */
static void take_sample(simkit_world *w, void *user)
{
    sampler *s = (sampler *)user;
    s->load = contention_load_next(s->beta, s->load, (double)simkit_node_running(w, s->node));
    s->number += 1;
    succeeds(simkit_step_at(w, s->number * s->interval, -32768, take_sample, s, NULL));
}

static void load_averages_equal_sampling(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; ++seed) {
        sampler samplers[WINDOWS];
        simkit_world *w = open_seeded(seed);
        const simkit_node node = node_of(w, NULL);
        const simkit_distribution demand = { .law = SIMKIT_LAW_PARETO, .shape = 1.2, .minimum = 0.05, .maximum = 60 };
        const double since = seed % 2 ? 100 : 0;
        arrive(w, (simkit_arrivals_desc){ .node = node, .rate = 2, .demand = demand });
        assert_int_equal(simkit_world_run_until(w, since), SIMKIT_OK);
        assert_int_equal(simkit_load_record(w, node), SIMKIT_OK);
        for (size_t i = 0; i < WINDOWS; ++i) {
            samplers[i] = (sampler){ node, intervals[i], betas[i], 0, floor(since / intervals[i] + 1e-9) + 1 };
            succeeds(simkit_step_at(w, samplers[i].number * intervals[i], -32768, take_sample, &samplers[i], NULL));
        }
        uint64_t numbers = seed + 1;
        for (double t = since; t < since + 2000;) {
            t += random_between(&numbers, 0, 200);
            assert_int_equal(simkit_world_run_until(w, t), SIMKIT_OK);
            for (size_t i = 0; i < WINDOWS; ++i) /* some are asked for often, some late */
                if (i % 2 == 0 || t > since + 1500)
                    assert_close(simkit_load_average(w, node, betas[i], intervals[i]), samplers[i].load, 1e-9);
        }
        simkit_world_close(w);
    }
}

static void a_failed_node_has_no_load(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    assert_int_equal(simkit_load_record(world, node), SIMKIT_OK);
    simkit_computation computation = 0;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(
            simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .seconds = 99 }, &computation),
            SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 10), SIMKIT_OK);
    assert_true(simkit_computation_cancel(world, computation));
    assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
    assert_equal(simkit_load_average(world, node, 0, 1), 2);
    assert_int_equal(simkit_node_fail(world, node), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 30), SIMKIT_OK);
    assert_equal(simkit_load_average(world, node, 0, 1), 0);
    assert_close(simkit_load_average(world, node, 0.5, 10), ((3 * 0.5) * 0.5 + 2 * 0.5) * 0.5, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_load_begins_with_what_runs),
        WORLD_TEST(so_many_processes_give_so_much_load),
        cmocka_unit_test(load_averages_equal_sampling),
        WORLD_TEST(a_failed_node_has_no_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
