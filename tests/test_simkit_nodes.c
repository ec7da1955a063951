/* Room nodes of simkit.h, where nodes are containers of Linux: those that share the cores of a host, what is kept of a
 * quota when its period ends, and links that are token buckets. Closed forms; tests/differential holds all of it against
 * a slow simulation of the same rules. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "world.h"

static double ends[16];

static void run(void)
{
    if (simkit_world_run(world) != SIMKIT_OK) fail_msg("%s", simkit_world_why(world));
}

static void compute(simkit_node node, double seconds, double *end)
{
    const simkit_computation_desc desc = { .node = node, .seconds = seconds, .done = note_time, .user = end };
    assert_int_equal(simkit_computation_start(world, &desc, NULL), SIMKIT_OK);
}

static void send(simkit_node from, simkit_node to, double bytes, double *end)
{
    const simkit_transfer_desc desc = { .from = from, .to = to, .bytes = bytes, .done = note_time, .user = end };
    assert_int_equal(simkit_transfer_start(world, &desc, NULL), SIMKIT_OK);
}

static void run_until(double time)
{
    assert_int_equal(simkit_world_run_until(world, time), SIMKIT_OK);
}

/*=============================================================================
 * Hosts
 *===========================================================================*/
static void nodes_of_a_host_share_its_cores(void **state)
{
    const simkit_node a = add_node(&(simkit_node_desc){ .host = 1 }), b = add_node(&(simkit_node_desc){ .host = 1 });
    const simkit_node c = add_node(&(simkit_node_desc){ .host = 2 }), d = add_node(NULL);
    (void)state;
    compute(a, 1, &ends[0]);
    compute(b, 2, &ends[1]);
    compute(c, 1, &ends[2]);
    compute(d, 1, &ends[3]);
    run();
    assert_equal(ends[0], 2); /* half a core each */
    assert_equal(ends[1], 3); /* then all of it */
    assert_equal(ends[2], 1);
    assert_equal(ends[3], 1);
}

static void what_one_node_cannot_use_goes_to_the_others(void **state)
{
    const simkit_node_desc four = { .cores = 4, .host = 7 };
    const simkit_node a = add_node(&four), b = add_node(&four), c = add_node(&four);
    (void)state;
    compute(a, 1, &ends[0]); /* one core is all it can use */
    for (int i = 1; i < 9; ++i) compute(i < 5 ? b : c, 3, &ends[i]);
    run();
    assert_equal(ends[0], 1);
    /* b and c had a core and a half each, for four computations; then two cores each. */
    for (int i = 1; i < 9; ++i) assert_close(ends[i], 1 + (3 - 1.5 / 4) / 0.5, 1e-12);
}

static void communication_takes_its_part_of_a_nodes_cores(void **state)
{
    const simkit_node_desc desc = { .host = 1, .up_bandwidth = 1, .cpu_per_outgoing = 0.25 };
    const simkit_node a = add_node(&desc), b = add_node(&desc), c = add_node(NULL);
    (void)state;
    compute(a, 1, &ends[0]);
    compute(b, 2, &ends[1]);
    send(a, c, 100, &ends[2]);
    run();
    assert_close(ends[0], 4, 1e-12); /* a quarter of a core: half of one, less what sending takes */
    assert_close(ends[1], 4, 1e-12); /* half of one */
    assert_close(ends[2], 100, 1e-12);
}

static void a_node_without_quota_leaves_the_host_to_the_others(void **state)
{
    const simkit_node a = add_node(&(simkit_node_desc){ .quota = 0.25, .period = 100, .host = 1 });
    const simkit_node b = add_node(&(simkit_node_desc){ .host = 1 });
    simkit_random random = simkit_random_stream(world, ~UINT64_C(0));
    const double refill = 100 * simkit_random_uniform(&random);
    (void)state;
    assert_true(refill > 3);
    compute(a, 0.5, &ends[0]);
    compute(b, 1, &ends[1]);
    run();
    assert_close(ends[1], 1.25, 1e-12); /* 0.25 s in the first half second, then alone */
    assert_close(ends[0], refill + 0.25, 1e-12);
}

static void a_node_that_fails_leaves_the_host_to_the_others(void **state)
{
    const simkit_node a = add_node(&(simkit_node_desc){ .host = 3 }), b = add_node(&(simkit_node_desc){ .host = 3 });
    (void)state;
    ends[0] = -1;
    compute(a, 5, &ends[0]);
    compute(b, 2, &ends[1]);
    run_until(1);
    assert_int_equal(simkit_node_fail(world, a), SIMKIT_OK);
    run();
    assert_equal(ends[0], -1);
    assert_equal(ends[1], 2.5);
}

/*=============================================================================
 * Quotas
 *===========================================================================*/
/* A node of 2 s in periods of 10 s, and when its first period begins. */
static simkit_node rationed(double slice, double kept, double *begin)
{
    const simkit_node node = add_node(&(simkit_node_desc){ .quota = 2, .period = 10, .slice = slice, .kept = kept });
    simkit_random random = simkit_random_stream(world, ~(uint64_t)(node - 1));
    *begin = 10 * simkit_random_uniform(&random);
    return node;
}

static void a_node_that_rests_keeps_a_part_of_its_slice(void **state)
{
    static const double slices[] = { 5, 5, 0, 5 }, kept[] = { 1, 0, 0, 2 };
    (void)state;
    for (int i = 0; i < 4; ++i) {
        double begin;
        const simkit_node node = rationed(slices[i], kept[i], &begin);
        run_until(begin);
        compute(node, 0.5, &ends[0]); /* draws the whole quota, has 1.5 s left, and keeps `kept` */
        run_until(begin + 25);
        const double more = 2 + fmin(kept[i], 1.5);
        compute(node, more, &ends[1]);
        run();
        compute(node, 0.5, &ends[2]);
        run();
        assert_close(ends[1], begin + 25 + more, 1e-12);
        assert_close(ends[2], begin + 30 + 0.5, 1e-12);
        reopen_world(NULL);
    }
}

static void a_slice_outlives_its_period_while_the_node_computes(void **state)
{
    static const double slices[] = { 5, 0.75, 0 };
    (void)state;
    for (int i = 0; i < 3; ++i) {
        double begin;
        const simkit_node node = rationed(slices[i], 0, &begin);
        run_until(begin + 9); /* a second before the next period */
        compute(node, 10, &ends[0]);
        run();
        /* After a second: 1 s left of a slice that was limited by the quota; half a second of the second slice. */
        const double held = i == 0 ? 1 : i == 1 ? 0.5 : 0, left = 10 - 1 - 2 - held;
        assert_close(ends[0], begin + 10 + 10 * ceil(left / 2) + (left - 2 * (ceil(left / 2) - 1)), 1e-12);
        reopen_world(NULL);
    }
}

/*=============================================================================
 * Bursts
 *===========================================================================*/
static void a_burst_passes_at_once_after_a_rest(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 10, .down_bandwidth = 10, .burst = 20 };
    const simkit_node a = add_node(&desc), b = add_node(&desc);
    (void)state;
    send(a, b, 5, &ends[0]);
    send(a, b, 35, &ends[1]);
    run();
    assert_equal(ends[0], 0);
    assert_close(ends[1], 2, 1e-12); /* 15 of it at once */
    run_until(3);
    send(a, b, 30, &ends[2]); /* a second has filled half of the bucket */
    run();
    assert_close(ends[2], 3 + 2, 1e-12);
    run_until(100);
    send(a, b, 30, &ends[3]);
    run();
    assert_close(ends[3], 100 + 1, 1e-12);
}

static void a_burst_passes_only_where_both_links_have_rested(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 10, .down_bandwidth = 10, .burst = 20 };
    const simkit_node a = add_node(&desc), b = add_node(&desc), c = add_node(&desc), none = add_node(NULL);
    const simkit_node slow = add_node(&(simkit_node_desc){ .up_bandwidth = 10, .down_bandwidth = 10 });
    const netmodel_link own = { 0, 0.1 };
    (void)state;
    send(a, c, 20, &ends[0]);
    send(b, c, 20, &ends[1]); /* the tokens of c are gone */
    run();
    assert_equal(ends[0], 0);
    assert_close(ends[1], 2, 1e-12);
    run_until(10);
    send(none, b, 20, &ends[2]); /* a link without limit passes anything at once */
    send(a, slow, 20, &ends[3]); /* one without a burst nothing */
    run();
    assert_equal(ends[2], 10);
    assert_close(ends[3], 12, 1e-12);
    run_until(20);
    assert_int_equal(simkit_pair_set(world, a, b, &own), SIMKIT_OK);
    send(a, b, 20, &ends[4]);
    send(c, c, 20, &ends[5]);
    run();
    assert_close(ends[4], 22, 1e-12);
    assert_equal(ends[5], 20);
}

/*=============================================================================
 * Input
 *===========================================================================*/
static void wrong_numbers_are_refused(void **state)
{
    simkit_node node;
    (void)state;
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = "a", .slice = 1, .kept = 2 }, &node),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: node 'a' keeps 2 s of a slice of 1 s, expected at most the slice");
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = "a", .slice = -1 }, &node),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: slice of node 'a' is -1, but must be finite and not negative");
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .kept = NAN }, &node), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .burst = INFINITY }, &node), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_node_count(world), 0);
}

static void machine_files_place_nodes_on_hosts_in_turn(void **state)
{
    static const char text[] =
        "[node a]\ncount = 4\nhosts = 2\nslice = 5 ms\nkept = 1 ms\nburst = 16 kB\nquota = 2 ms\n"
        "period = 10 ms\n[node b]\ncount = 2\n[node c]\ncount = 3\nhosts = 1\nkept = 0.5 ms\n";
    static const unsigned hosts[] = { 1, 2, 1, 2, 0, 0, 3, 3, 3 };
    const simkit_input input = { .text = text, .length = sizeof text - 1, .name = "m" };
    simkit_machine *machine = NULL;
    simkit_parse_error error;
    char name[32];
    (void)state;
    assert_int_equal(simkit_machine_read(&input, &machine, &error), SIMKIT_OK);
    for (size_t i = 0; i < 9; ++i) assert_int_equal(simkit_machine_node(machine, i, name).host, hosts[i]);
    assert_close(simkit_machine_node(machine, 0, name).slice, 5e-3, 1e-15);
    assert_close(simkit_machine_node(machine, 4, name).kept, 1e-3, 1e-15);
    assert_close(simkit_machine_node(machine, 8, name).kept, 0.5e-3, 1e-15);
    assert_equal(simkit_machine_node(machine, 8, name).burst, 16e3);
    simkit_machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(nodes_of_a_host_share_its_cores),
        WORLD_TEST(what_one_node_cannot_use_goes_to_the_others),
        WORLD_TEST(communication_takes_its_part_of_a_nodes_cores),
        WORLD_TEST(a_node_without_quota_leaves_the_host_to_the_others),
        WORLD_TEST(a_node_that_fails_leaves_the_host_to_the_others),
        WORLD_TEST(a_node_that_rests_keeps_a_part_of_its_slice),
        WORLD_TEST(a_slice_outlives_its_period_while_the_node_computes),
        WORLD_TEST(a_burst_passes_at_once_after_a_rest),
        WORLD_TEST(a_burst_passes_only_where_both_links_have_rested),
        WORLD_TEST(wrong_numbers_are_refused),
        WORLD_TEST(machine_files_place_nodes_on_hosts_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
