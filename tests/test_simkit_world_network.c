/* Room world of simkit.h: the network of a world that is open already, and its description as it is now. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "hook.h"
#include "world.h"

static netmodel_topology star(size_t hosts)
{
    netmodel_topology t;
    memset(&t, 0, sizeof t);
    t.kind = NETMODEL_TOPOLOGY_STAR;
    t.star.hosts = hosts;
    t.star.cable.bandwidth = 10e6;
    t.star.cable.latency = 1e-3;
    return t;
}

static void refused(simkit_result is, simkit_result wanted, const char *sentence)
{
    assert_int_equal(is, wanted);
    assert_string_equal(simkit_world_why(world), sentence);
}

/* 1 MB from one node to another and 1 MB back at once, in a world of this description and then these calls. */
static double seconds(simkit_world *w)
{
    simkit_node nodes[2];
    const simkit_node_desc desc = { .up_bandwidth = 20e6, .down_bandwidth = 20e6 };
    for (int i = 0; i < 2; ++i) succeeds(simkit_node_add(w, &desc, &nodes[i]));
    for (int i = 0; i < 2; ++i)
        succeeds(simkit_transfer_start(w, &(simkit_transfer_desc){ .from = nodes[i], .to = nodes[1 - i], .bytes = 1e6 },
                                       NULL));
    succeeds(simkit_world_run(w));
    return simkit_clock_now(w);
}

static void as_if_it_was_opened_so(void **state)
{
    const netmodel_topology network = star(3);
    (void)state;
    for (int parts = 0; parts < 8; ++parts) {
        simkit_world_desc desc = { .latency = 2e-3 };
        simkit_world *opened, *given;
        succeeds(simkit_world_open(&desc, &given));
        if (parts & 1) desc.window = 5000;
        if (parts & 2) desc.pair_duplex = 1.25;
        if (parts & 4) desc.topology = &network;
        succeeds(simkit_world_open(&desc, &opened));
        if (parts & 1) succeeds(simkit_world_window(given, 5000));
        if (parts & 2) succeeds(simkit_world_pair_duplex(given, 1.25));
        if (parts & 4) succeeds(simkit_world_topology(given, &network));
        const simkit_world_desc one = simkit_world_get(opened), other = simkit_world_get(given);
        assert_equal(one.window, parts & 1 ? 5000 : 0);
        assert_equal(other.window, one.window);
        assert_equal(other.pair_duplex, one.pair_duplex);
        assert_equal(other.latency, 2e-3);
        assert_int_equal(other.topology != NULL, parts & 4 ? 1 : 0);
        if (other.topology) assert_memory_equal(other.topology, &network, sizeof network);
        assert_int_equal(simkit_link_count(given), simkit_link_count(opened));
        assert_equal(seconds(given), seconds(opened));
        simkit_world_close(given);
        simkit_world_close(opened);
    }
}

static void what_was_set_counts_last(void **state)
{
    (void)state;
    succeeds(simkit_world_pair_duplex(world, 1));
    succeeds(simkit_world_pair_duplex(world, 0));
    succeeds(simkit_world_window(world, 1));
    succeeds(simkit_world_window(world, 0));
    assert_equal(simkit_world_get(world).window, 0);
    assert_close(seconds(world), 1e6 / 20e6, 1e-15);
}

static void a_reset_forgets(void **state)
{
    const netmodel_topology network = star(2);
    (void)state;
    succeeds(simkit_world_window(world, 100));
    succeeds(simkit_world_pair_duplex(world, 1.5));
    succeeds(simkit_world_topology(world, &network));
    succeeds(simkit_world_reset(world, NULL));
    assert_equal(simkit_world_get(world).window, 0);
    assert_equal(simkit_world_get(world).pair_duplex, 0);
    assert_non_null(simkit_world_get(world).topology); /* except the topology */
    succeeds(simkit_world_reset(world, &(simkit_world_desc){ .seed = 3 }));
    assert_null(simkit_world_get(world).topology);
    assert_int_equal(simkit_world_get(world).seed, 3);
    assert_int_equal(simkit_link_count(world), 0);
}

static void what_cannot_be(void **state)
{
    netmodel_topology network = star(2);
    (void)state;
    refused(simkit_world_topology(world, NULL), SIMKIT_BAD_ARGUMENT, "at 0 s: the topology of a world is missing");
    refused(simkit_world_window(world, -1), SIMKIT_BAD_ARGUMENT,
            "at 0 s: window of the world is -1, but must be finite and not negative");
    refused(simkit_world_window(world, NAN), SIMKIT_BAD_ARGUMENT,
            "at 0 s: window of the world is nan, but must be finite and not negative");
    refused(simkit_world_pair_duplex(world, 0.5), SIMKIT_BAD_ARGUMENT,
            "at 0 s: duplex factor of pairs of nodes is 0.5, but must be from 1 to 2, or 0");
    network.star.hosts = 0;
    refused(simkit_world_topology(world, &network), SIMKIT_BAD_TOPOLOGY,
            "at 0 s: the topology is impossible: hosts, children, parents, lengths, groups, chassis, blades and nodes "
            "must be >= 1");
    network = star(2);
    network.star.cable.bandwidth = 0.5;
    refused(simkit_world_topology(world, &network), SIMKIT_BAD_TOPOLOGY,
            "at 0 s: bandwidth of link 'host 1 to switch 1.1' is 0.5 B/s, which looks like a byte time: its bandwidth "
            "would be "
            "2 B/s (simkit_world_desc.slow_links allows less than 1 B/s)");
    assert_int_equal(simkit_link_count(world), 0);
    succeeds(simkit_link_add(world, NULL, NULL));
    network = star(2);
    refused(simkit_world_topology(world, &network), SIMKIT_BAD_ARGUMENT,
            "at 0 s: the world has links without a topology already");
    succeeds(simkit_world_window(world, 1e6)); /* links are no nodes */
    succeeds(simkit_node_add(world, NULL, NULL));
    refused(simkit_world_topology(world, &network), SIMKIT_BAD_ARGUMENT,
            "at 0 s: the world has nodes without a topology already");
    refused(simkit_world_window(world, 1), SIMKIT_BAD_ARGUMENT,
            "at 0 s: the window of a world is set before it has nodes");
    refused(simkit_world_pair_duplex(world, 1), SIMKIT_BAD_ARGUMENT,
            "at 0 s: the duplex factor of pairs is set before a world has nodes");
    succeeds(simkit_world_reset(world, NULL));
    succeeds(simkit_world_topology(world, &network));
    refused(simkit_world_topology(world, &network), SIMKIT_BAD_ARGUMENT, "at 0 s: the world has a topology already");
    assert_int_equal(simkit_world_topology(NULL, &network), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_world_window(NULL, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_world_pair_duplex(NULL, 1), SIMKIT_BAD_ARGUMENT);
    assert_equal(simkit_world_get(NULL).latency, 0);
}

/* Wherever memory runs out, the world has no link, and can have a topology later; also after a reset, which has left links. */
static void memory_that_is_refused(void **state)
{
    const netmodel_topology network = star(5);
    (void)state;
    for (int again = 0; again < 2; ++again)
        for (long left = 0;; ++left) {
            hook h = { .left = -1 };
            simkit_world *w;
            assert_true(left < 100);
            succeeds(simkit_world_open(&(simkit_world_desc){ .memory = { reallocate, &h } }, &w));
            if (again) {
                const netmodel_topology before = star(3);
                succeeds(simkit_world_topology(w, &before));
                succeeds(simkit_world_reset(w, &(simkit_world_desc){ .seed = 1 }));
            }
            h.left = left;
            const simkit_result result = simkit_world_topology(w, &network);
            h.left = -1;
            if (result != SIMKIT_OK) {
                assert_int_equal(result, SIMKIT_NO_MEMORY);
                assert_string_equal(simkit_world_why(w), "at 0 s: no memory for a topology");
                assert_int_equal(simkit_link_count(w), 0);
                assert_null(simkit_world_get(w).topology);
                if (left % 2) succeeds(simkit_world_topology(w, &network));
            }
            if (result == SIMKIT_OK || left % 2) {
                assert_int_equal(simkit_link_count(w), 5);
                assert_string_equal(simkit_link_name(w, 5), "host 5 to switch 1.1");
                assert_close(seconds(w), 2e-3 + 1e6 / 10e6, 1e-12);
            }
            simkit_world_close(w);
            assert_int_equal(h.blocks, 0);
            if (result == SIMKIT_OK) {
                assert_true(left > 3);
                break;
            }
        }
}

static void a_route_that_is_too_long(void **state)
{
    netmodel_topology ring;
    (void)state;
    memset(&ring, 0, sizeof ring);
    ring.kind = NETMODEL_TOPOLOGY_MESH;
    ring.grid.dimensions = 1;
    ring.grid.size[0] = SIMKIT_ROUTE_LINKS + 2;
    ring.grid.cable[0].bandwidth = 1e9;
    assert_true(netmodel_topology_hops_max(&ring) > SIMKIT_ROUTE_LINKS);
    assert_int_equal(simkit_world_topology(world, &ring), SIMKIT_NO_MEMORY);
    assert_int_equal(simkit_link_count(world), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_if_it_was_opened_so),
        WORLD_TEST(what_was_set_counts_last),
        WORLD_TEST(a_reset_forgets),
        WORLD_TEST(what_cannot_be),
        cmocka_unit_test(memory_that_is_refused),
        WORLD_TEST(a_route_that_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
