/* Room links of simkit.h: transfers over routes of any length, with weights, limits and half duplex; links that change, fail
 * and return. Random networks are in test_simkit_links_random.c, tables of bandwidths in tests/inside. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "network.h"

/* A, B - link 1 - C, and link 2 from there to D. */
static void a_chain(double duplex)
{
    add_nodes(4);
    const simkit_link links[] = { add_link(100, 0.5, duplex), add_link(40, 0.25, duplex) };
    route(1, 3, links, 1);
    route(2, 4, links, 2);
    route(1, 4, links, 2);
    route(3, 4, &links[1], 1);
}

static void alone_it_takes_latency_and_bytes(void **state)
{
    ended e[2] = { { 0 } };
    (void)state;
    a_chain(0);
    assert_int_equal(simkit_link_count(world), 2);
    assert_string_equal(simkit_link_name(world, 2), "link 2");
    assert_string_equal(simkit_link_name(world, 3), "no link");
    send(2, 4, 1000, &e[0]);
    succeeds(simkit_world_run(world));
    assert_close(e[0].time, 0.75 + 1000 / 40.0, 1e-15);
    send(4, 2, 0, &e[1]); /* and back, without bytes */
    succeeds(simkit_world_run(world));
    assert_close(e[1].time - e[0].time, 0.75, 1e-14);
}

static void the_smallest_share_counts(void **state)
{
    ended e[3] = { { 0 } };
    (void)state;
    a_chain(0);
    /* Link 1 has two, 50 each, and link 2 has two, 20 each: the first gets 50 and the others 20. */
    send(1, 3, 500, &e[0]);
    send(1, 4, 200, &e[1]);
    send(3, 4, 200, &e[2]);
    succeeds(simkit_world_run(world));
    /* begins: 0.5, 0.75, 0.25; all the while before 0.75 the first had 100, and the third 40 */
    assert_close(e[2].time, 0.75 + (200 - 40 * 0.5) / 20, 1e-14);
    assert_close(e[0].time, 0.75 + (500 - 100 * 0.25) / 50, 1e-14);
    assert_true(e[1].time > e[2].time);
}

static void maxmin_gives_the_rest_away(void **state)
{
    ended e[3] = { { 0 } };
    (void)state;
    reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN });
    add_nodes(4);
    const simkit_link links[] = { add_link(100, 0, 0), add_link(40, 0, 0) };
    route(1, 3, links, 1);
    route(1, 4, links, 2);
    route(3, 4, &links[1], 1);
    send(1, 3, 800, &e[0]); /* 80, as the second gets only 20 */
    send(1, 4, 200, &e[1]);
    send(3, 4, 200, &e[2]);
    succeeds(simkit_world_run(world));
    for (int i = 0; i < 3; ++i) assert_close(e[i].time, 10, 1e-14);
}

static void directions_share_a_half_duplex_link(void **state)
{
    static const double factors[] = { 0, 2, 1.5, 1 }, rates[] = { 100, 100, 75, 50 };
    (void)state;
    for (int policy = 0; policy < 2; ++policy)
        for (int i = 0; i < 4; ++i) {
            ended e[2] = { { 0 } };
            reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
            add_nodes(2);
            const simkit_link link = add_link(100, 0, factors[i]);
            route(1, 2, &link, 1);
            send(1, 2, 1000, &e[0]);
            send(2, 1, 1000, &e[1]);
            succeeds(simkit_world_run(world));
            assert_close(e[0].time, 1000 / rates[i], 1e-14);
            assert_close(e[1].time, 1000 / rates[i], 1e-14);
        }
}

/* Measured on a star of 10 GbE: together 1.4 times one direction with different partners, 1.0 times with the same. */
static void nodes_and_pairs_have_factors(void **state)
{
    ended e[4] = { { 0 } };
    (void)state;
    reopen_world(&(simkit_world_desc){ .pair_duplex = 1 });
    for (int i = 0; i < 3; ++i)
        add_node(&(simkit_node_desc){ .up_bandwidth = 100, .down_bandwidth = 100, .duplex = 1.4 });
    send(1, 2, 700, &e[0]);
    send(3, 1, 700, &e[1]);
    succeeds(simkit_world_run(world));
    assert_close(e[0].time, 10, 1e-14); /* node 1 sends and receives: 70 each */
    assert_close(e[1].time, 10, 1e-14);
    send(1, 2, 500, &e[2]);
    send(2, 1, 500, &e[3]);
    succeeds(simkit_world_run(world));
    assert_close(e[2].time, 20, 1e-14);
    assert_close(e[3].time, 20, 1e-14);
    send(1, 2, 1000, &e[0]); /* alone it has all */
    succeeds(simkit_world_run(world));
    assert_close(e[0].time, 30, 1e-14);
}

/* On a switch, on a topology, over a link, over a link slower than the nodes, with links of their own between nodes without
 * bandwidths or with larger ones. */
static void pairs_have_a_limit_on_every_way(void **state)
{
    static const double factors[] = { 0, 1, 1.5, 2 }, rates[] = { 100, 50, 75, 100 };
    const netmodel_topology star = { .kind = NETMODEL_TOPOLOGY_STAR,
                                     .star = { .hosts = 3, .cable = { .bandwidth = 100 } } };
    (void)state;
    for (int run = 0; run < 2 * 4 * 6; ++run) {
        const int policy = run % 2, i = run / 2 % 4, way = run / 8;
        ended e[3] = { { 0 } };
        reopen_world(&(simkit_world_desc){
            .sharing = (simkit_sharing)policy, .pair_duplex = factors[i], .topology = way == 1 ? &star : NULL });
        const double nodes[] = { 100, 0, 0, 1000, 0, 1000 };
        for (int k = 0; k < 3; ++k)
            add_node(&(simkit_node_desc){ .up_bandwidth = nodes[way], .down_bandwidth = nodes[way] });
        if (way == 2 || way == 3) {
            const simkit_link links[] = { add_link(100, 0, 0), add_link(200, 0, 0) };
            route(1, 2, links, 2);
        }
        for (int back = 0; way >= 4 && back < 2; ++back)
            succeeds(simkit_pair_set(world, 1u + (unsigned)back, 2u - (unsigned)back, &(netmodel_link){ 0, 0.01 }));
        send(1, 2, 1000, &e[0]);
        send(2, 1, 2000, &e[1]);
        succeeds(simkit_world_run(world));
        assert_close(e[0].time, 1000 / rates[i], 1e-14);
        assert_close(e[1].time, 1000 / rates[i] + 1000 / 100., 1e-14);
    }
}

/* The link is the whole way of both, of one direction, or of one that has a link of its own on the way back. */
static void limits_of_pairs_change_with_links(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy)
        for (int later = 0; later < 2; ++later) {
            ended e[2] = { { 0 } };
            reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy, .pair_duplex = 1 });
            add_nodes(2);
            const simkit_link link = add_link(100, later ? 10 : 0, 0);
            route(1, 2, &link, 1);
            send(1, 2, 1000, &e[0]);
            send(2, 1, 1000, &e[1]);
            succeeds(simkit_world_run_until(world, 10)); /* 500 B each have passed, or none */
            succeeds(simkit_link_change(world, link, 50, 0));
            succeeds(simkit_world_run(world));
            assert_close(e[0].time, later ? 10 + 1000 / 25. : 10 + 500 / 25., 1e-14);
            assert_close(e[1].time, e[0].time, 1e-14);
            succeeds(simkit_link_change(world, link, 200, 0)); /* while nothing passes */
            const double begin = simkit_clock_now(world);
            send(1, 2, 1000, &e[0]);
            send(2, 1, 1000, &e[1]);
            succeeds(simkit_world_run(world));
            assert_close(e[0].time, begin + 10, 1e-14);
            const simkit_link detour = add_link(40, 0, 0); /* another route, while some are on the first */
            send(1, 2, 1000, &e[0]);
            succeeds(simkit_world_run_until(world, begin + 10 + 2));
            route(1, 2, &detour, 1);
            send(2, 1, 400, &e[1]);
            succeeds(simkit_link_change(world, add_link(7, 0, 0), 8, 0)); /* which nobody crosses */
            succeeds(simkit_world_run(world));
            assert_close(e[0].time, begin + 10 + 5, 1e-14); /* they keep the limit of their own route */
            assert_close(e[1].time, begin + 10 + 2 + 10, 1e-14);
        }
}

/* SimGrid's test cm02-tcpgamma: 10 Gbit over one link of 10 Gbit/s, a window of 4194304 in the same unit. */
static void a_window_limits_a_transfer(void **state)
{
    static const double latency[] = { 0, 1e-5, 1e-3, 0.1 }, expected[] = { 1, 1.000010, 4.769372, 476.937158 };
    (void)state;
    for (int policy = 0; policy < 2; ++policy)
        for (int i = 0; i < 4; ++i) {
            ended e = { 0 };
            reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy, .window = 4194304 });
            add_nodes(2);
            const simkit_link link = add_link(1e10, latency[i], 0);
            route(1, 2, &link, 1);
            send(1, 2, 1e10, &e);
            succeeds(simkit_world_run(world));
            assert_true(fabs(e.time - expected[i]) < 6e-7);
        }
}

static void limits_and_weights(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[3] = { { 0 } };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 4; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 100, .down_bandwidth = 100 });
        simkit_transfer_desc desc = { .from = 1, .to = 2, .bytes = 250, .weight = 3, .done = note_done, .user = &e[0] };
        succeeds(simkit_transfer_start(world, &desc, NULL));
        desc.user = &e[1], desc.to = 3, desc.weight = 1;
        succeeds(simkit_transfer_start(world, &desc, NULL));
        succeeds(simkit_world_run_until(world, 1)); /* 75 and 25 so far */
        desc.user = &e[2], desc.to = 4, desc.rate_limit = 5,
        desc.bytes = 5; /* 60, 20 and 5; with max-min 71.25 and 23.75 */
        succeeds(simkit_transfer_start(world, &desc, NULL));
        succeeds(simkit_world_run(world));
        assert_close(e[2].time, 2, 1e-14);
        assert_close(e[0].time, 2 + (policy ? 250 - 75 - 71.25 : 250 - 75 - 60) / 75, 1e-14);
    }
}

/* What has no burst lets the links of nodes rest before it flows, and not while it does. */
static void bursts_beside_limits(void **state)
{
    ended e[3] = { { 0 } };
    (void)state;
    add_node(&(simkit_node_desc){ .up_bandwidth = 64, .burst = 100 });
    add_node(NULL);
    send(1, 2, 100, &e[0]); /* at once */
    succeeds(simkit_world_run_until(world, 1));
    assert_equal(e[0].time, 0);
    const simkit_transfer_desc limited = {
        .from = 1, .to = 2, .bytes = 32, .rate_limit = 32, .done = note_done, .user = &e[1]
    };
    succeeds(simkit_transfer_start(world, &limited, NULL));
    succeeds(simkit_world_run_until(world, 2.25));
    assert_equal(e[1].time, 2);
    send(1, 2, 160, &e[2]); /* 64 + 16 at once */
    succeeds(simkit_world_run(world));
    assert_close(e[2].time, 2.25 + 80 / 64.0, 1e-14);
}

static void a_node_limits_beside_its_route(void **state)
{
    ended e[2] = { { 0 } };
    (void)state;
    add_node(&(simkit_node_desc){ .up_bandwidth = 30 });
    add_nodes(2);
    const simkit_link link = add_link(100, 0.5, 0);
    route(1, 2, &link, 1);
    send(1, 2, 300, &e[0]);
    send(1, 3, 300, &e[1]); /* through the switch, as ever */
    succeeds(simkit_world_run(world));
    /* for 0.5 s the second had 30, then each has 15 */
    assert_close(e[1].time, 0.5 + (300 - 15) / 15.0, 1e-14);
    assert_close(e[0].time, e[1].time + (300 - 285) / 30.0, 1e-14);
}

/* Bursts are for transfers without a route; many of those with one, so that their hops are more than there are ports. */
static void routes_have_no_bursts(void **state)
{
    enum { MANY = 400 };
    static ended e[MANY];
    ended plain = { 0 };
    (void)state;
    for (int i = 0; i < 3; ++i)
        add_node(&(simkit_node_desc){ .up_bandwidth = 100, .down_bandwidth = 100, .burst = 50 });
    const simkit_link link = add_link(40, 0, 0);
    route(1, 2, &link, 1);
    memset(e, 0, sizeof e);
    for (int i = 0; i < MANY; ++i) send(1, 2, 10, &e[i]);
    send(3, 2, 50, &plain);
    succeeds(simkit_world_run(world));
    for (int i = 0; i < MANY; ++i) assert_close(e[i].time, 100, 1e-12);
    assert_close(plain.time, 0, 1e-12);
}

static void links_change(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[2] = { { 0 } };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        a_chain(0);
        send(1, 3, 1000, &e[0]); /* from 0.5 on */
        succeeds(simkit_world_run_until(world, 5.5));
        succeeds(simkit_link_change(world, 1, 50, 2));
        succeeds(simkit_world_run_until(world, 7.5));
        succeeds(simkit_link_change(world, 1, 200, 1));
        succeeds(simkit_world_run(world));
        assert_close(e[0].time, 7.5 + 400 / 200.0, 1e-14);
        send(1, 3, 1000, &e[1]);
        succeeds(simkit_world_run(world));
        assert_close(e[1].time - e[0].time, 1 + 1000 / 200.0, 1e-14);
    }
}

static void breaks(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_link_fail(w, 1));
}

static void repairs(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_link_repair(w, 1));
}

typedef struct told {
    int place; /* in the order in which they were started */
    int *count;
} told;

static void note_order(simkit_world *w, void *user)
{
    const told *t = (const told *)user;
    (void)w;
    assert_int_equal(t->place, (*t->count)++);
}

/* Also those that wait for their turn, and those in places of others that have ended. */
static void losses_are_told_in_order(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        told t[12];
        ended e[4] = { { 0 } };
        int count = 0;
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        add_nodes(3);
        const simkit_link link = add_link(100, 0, 0);
        route(1, 2, &link, 1);
        route(1, 3, &link, 1);
        for (int i = 0; i < 4; ++i) send(1, 2, 10 + i, &e[i]);
        succeeds(simkit_world_run(world));
        for (int i = 0; i < 12; ++i) {
            t[i] = (told){ i, &count };
            const simkit_transfer_desc desc = { .from = 1,
                                                .to = i % 3 == 0 ? 3 : 2,
                                                .bytes = 100,
                                                .in_order = i % 4 != 0,
                                                .lost = note_order,
                                                .user = &t[i] };
            succeeds(simkit_transfer_start(world, &desc, NULL));
        }
        succeeds(simkit_world_run_until(world, simkit_clock_now(world) + 0.1));
        succeeds(simkit_link_fail(world, link));
        succeeds(simkit_world_run(world));
        assert_int_equal(count, 12);
    }
}

static void links_fail_and_return(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[5] = { { 0 } };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        a_chain(0);
        send(1, 3, 1000, &e[0]);
        send(3, 4, 1000, &e[1]);
        simkit_transfer_desc behind = {
            .from = 2, .to = 4, .bytes = 10, .in_order = true, .done = note_done, .lost = note_lost, .user = &e[2]
        };
        succeeds(simkit_transfer_start(world, &behind, NULL));
        behind.user = &e[3];
        succeeds(simkit_transfer_start(world, &behind, NULL));
        succeeds(simkit_step_at(world, 0.6, 0, breaks, NULL, NULL));
        succeeds(simkit_step_at(world, 30, 0, repairs, NULL, NULL));
        succeeds(simkit_world_run_until(world, 1));
        assert_int_equal(simkit_link_fail(world, 1), SIMKIT_LINK_FAILED);
        assert_why("at 1 s: link 1 has failed already");
        for (int i = 0; i < 4; ++i) assert_int_equal(e[i].lost, i != 1);
        for (int i = 0; i < 4; ++i)
            if (i != 1) assert_close(e[i].time, 0.6, 0);
        behind.name = "late";
        assert_int_equal(simkit_transfer_start(world, &behind, NULL), SIMKIT_LINK_FAILED);
        assert_why("at 1 s: transfer 'late' crosses link 1, which has failed");
        succeeds(simkit_world_run_until(world, 31));
        assert_close(e[1].time, 0.25 + 1000 / 40.0, 1e-14);
        behind.user = &e[4]; /* the connection works again */
        succeeds(simkit_transfer_start(world, &behind, NULL));
        succeeds(simkit_world_run(world));
        assert_int_equal(e[4].done, 1);
        assert_close(e[4].time, 31 + 0.75 + 10 / 40.0, 1e-14);
        succeeds(simkit_link_repair(world, 1)); /* harmless */
    }
}

/* To repair a link that works changes nothing: one that fails later is seen by what starts then. */
static void repairing_what_works_changes_nothing(void **state)
{
    (void)state;
    for (int way = 0; way < 5; ++way) {
        ended e = { 0 };
        const simkit_transfer_desc over_one = { .from = 1, .to = 3, .bytes = 100, .done = note_done, .user = &e },
                                   over_two = { .from = 3, .to = 4, .bytes = 100, .done = note_done, .user = &e };
        reopen_world(NULL);
        a_chain(0);
        switch (way) {
        case 0: succeeds(simkit_link_repair(world, 1)); break;
        case 1: /* more than once */
            for (int i = 0; i < 3; ++i) succeeds(simkit_link_repair(world, 1));
            break;
        case 2: succeeds(simkit_link_repair(world, 2)); break; /* another */
        case 3:                                                /* a row of a table */
            succeeds(simkit_link_follow(world, 1, (simkit_link_point[]){ { 0, 100 }, { 1, 100 } }, 2, 0));
            succeeds(simkit_world_run_until(world, 2));
            break;
        default: /* after it was broken */
            succeeds(simkit_link_fail(world, 1));
            for (int i = 0; i < 2; ++i) succeeds(simkit_link_repair(world, 1));
        }
        succeeds(simkit_link_fail(world, 1));
        assert_int_equal(simkit_transfer_start(world, &over_one, NULL), SIMKIT_LINK_FAILED);
        succeeds(simkit_link_repair(world, 2)); /* while the other is broken */
        assert_int_equal(simkit_transfer_start(world, &over_one, NULL), SIMKIT_LINK_FAILED);
        succeeds(simkit_transfer_start(world, &over_two, NULL));
        succeeds(simkit_link_repair(world, 1));
        succeeds(simkit_transfer_start(world, &over_one, NULL));
        succeeds(simkit_world_run(world));
        assert_int_equal(e.done, 2);
    }
}

static void sends(simkit_world *w, void *user)
{
    const simkit_mailbox box = *(simkit_mailbox *)user;
    assert_int_equal(simkit_process_send(w, &(simkit_post_desc){ .to = box, .from = 1, .bytes = 1e6 }, NULL),
                     SIMKIT_LINK_FAILED);
    assert_string_equal(simkit_world_why(w), "at 0.6 s: process 1 sent over a link that has failed");
    assert_int_equal(simkit_process_send(w, &(simkit_post_desc){ .to = box, .from = 1, .bytes = 1e6 }, NULL),
                     SIMKIT_LINK_FAILED);
    *(simkit_mailbox *)user = 0;
}

/* Several things are waited for, of which the transfer over the link ends first. */
static void chooses(simkit_world *w, void *user)
{
    simkit_choice any[2];
    size_t which;
    memset(any, 0, sizeof any);
    any[0].mailbox = *(simkit_mailbox *)user;
    succeeds(simkit_transfer_start(w, &(simkit_transfer_desc){ .from = 1, .to = 3, .bytes = 1e6 }, &any[1].transfer));
    assert_int_equal(simkit_process_choose(w, any, 2, &which, NULL), SIMKIT_LINK_FAILED);
    assert_int_equal(which, 1);
    assert_string_equal(simkit_world_why(w), "at 0.6 s: what process 2 waited for is lost, because a link has failed");
}

static void waiting_processes_are_notified(void **state)
{
    simkit_mailbox box, other;
    (void)state;
    a_chain(0);
    succeeds(simkit_mailbox_open(world, 1, "other", &other));
    succeeds(simkit_mailbox_open(world, 3, "box", &box));
    succeeds(simkit_process_start(world, &(simkit_process_desc){ .node = 1, .body = sends, .user = &box }, NULL));
    succeeds(simkit_process_start(world, &(simkit_process_desc){ .node = 1, .body = chooses, .user = &other }, NULL));
    succeeds(simkit_step_at(world, 0.6, 0, breaks, NULL, NULL));
    succeeds(simkit_world_run(world));
    assert_int_equal(box, 0);
}

static void transfers_are_cancelled(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[2] = { { 0 } };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        a_chain(0);
        const simkit_transfer gone = send(1, 3, 1000, &e[0]);
        send(1, 3, 1000, &e[1]);
        succeeds(simkit_world_run_until(world, 2.5));
        assert_true(simkit_transfer_cancel(world, gone));
        succeeds(simkit_world_run(world));
        assert_int_equal(e[0].done + e[0].lost, 0);
        assert_close(e[1].time, 2.5 + 900 / 100.0, 1e-14);
        send(1, 4, 100, &e[0]);
        succeeds(simkit_world_run_until(world, 12.5));
        succeeds(simkit_node_fail(world, 4));
        succeeds(simkit_world_run(world));
        assert_int_equal(e[0].lost, 1);
    }
}

/*=============================================================================
 * Tables
 *===========================================================================*/
/* A table ends no wait, and a run does not wait for it. */
static void tables_are_background(void **state)
{
    ended e = { 0 };
    (void)state;
    add_nodes(2);
    const simkit_link link = add_link(10, 0, 0);
    route(1, 2, &link, 1);
    succeeds(simkit_link_follow(world, link, (simkit_link_point[]){ { 1, 10 }, { 2, 20 } }, 2, 10));
    succeeds(simkit_world_run(world));
    assert_equal(simkit_clock_now(world), 0);
    send(1, 2, 30, &e); /* 20, then 10 at 20 */
    succeeds(simkit_world_run(world));
    assert_equal(simkit_clock_now(world), 2.5);
    succeeds(simkit_world_run_until(world, 3));
    assert_equal(simkit_clock_next(world), 11);
}

static void mistakes_change_nothing(void **state)
{
    simkit_link link = 7;
    simkit_hop hops[3] = { { 1, false }, { 2, false }, { 1, true } };
    ended e = { 0 };
    (void)state;
    const simkit_link_desc bad[] = { { .bandwidth = -1 }, { .bandwidth = NAN },   { .bandwidth = 1e-9 },
                                     { .latency = -1 },   { .duplex = 0.5 },      { .duplex = 2.5 },
                                     { .duplex = NAN },   { .latency = INFINITY } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(simkit_link_add(world, &bad[i], &link), SIMKIT_BAD_ARGUMENT);
        assert_int_equal(link, 0);
        assert_why_begins("at 0 s: ");
    }
    assert_int_equal(simkit_link_add(world, &(simkit_link_desc){ .bandwidth = INFINITY }, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: bandwidth of link 1 is inf, but must be finite and not negative; 0 means infinitely fast");
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .up_bandwidth = INFINITY }, NULL),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: up bandwidth of node 1 is inf, but must be finite and not negative; 0 means infinitely fast");
    assert_int_equal(simkit_link_count(world), 0);
    add_nodes(2);
    const simkit_transfer_desc fast = { .from = 1, .to = 2, .rate_limit = INFINITY };
    assert_int_equal(simkit_transfer_start(world, &fast, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why(
        "at 0 s: rate limit of the transfer from node 1 to node 2 is inf, but must be finite and not negative; 0 "
        "means no limit");
    assert_int_equal(simkit_route_set(world, 1, 2, hops, 1, true), SIMKIT_UNKNOWN_LINK);
    assert_why("at 0 s: the route from node 1 to node 2 names link 1, but there is none");
    add_link(10, 1, 0);
    add_link(20, 1, 0);
    assert_int_equal(simkit_route_set(world, 1, 2, hops, 3, true), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: the route from node 1 to node 2 crosses link 1 twice");
    hops[1].link = 3;
    assert_int_equal(simkit_route_set(world, 1, 2, hops, 2, true), SIMKIT_UNKNOWN_LINK);
    assert_why("at 0 s: the route from node 1 to node 2 names link 3, but the links are 1 .. 2");
    assert_int_equal(simkit_route_set(world, 1, 3, hops, 1, true), SIMKIT_UNKNOWN_NODE);
    assert_int_equal(simkit_route_set(world, 1, 1, hops, 1, true), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_route_set(world, 1, 2, NULL, 1, true), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_link_change(world, 3, 1, 1), SIMKIT_UNKNOWN_LINK);
    assert_int_equal(simkit_link_change(world, 1, 0, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_link_change(world, 1, 5, NAN), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_link_fail(world, 0), SIMKIT_UNKNOWN_LINK);
    assert_int_equal(simkit_link_repair(world, 9), SIMKIT_UNKNOWN_LINK);
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .duplex = 3 }, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: duplex factor of node 3 is 3, but must be from 1 to 2, or 0");
    simkit_transfer_desc desc = { .from = 1, .to = 2, .rate_limit = -1 };
    assert_int_equal(simkit_transfer_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
    desc.rate_limit = 0, desc.weight = -1;
    assert_int_equal(simkit_transfer_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: weight of the transfer from node 1 to node 2 is -1, but must be from 1e-6 to 1e6, or 0");
    simkit_world *none;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .pair_duplex = 3 }, &none), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .window = -1 }, &none), SIMKIT_BAD_ARGUMENT);
    send(1, 2, 1, &e); /* no route was set */
    succeeds(simkit_world_run(world));
    assert_equal(e.time, 0);
    succeeds(simkit_route_set(world, 1, 2, (simkit_hop[]){ { 1, false } }, 1, false));
    succeeds(simkit_route_set(world, 1, 2, NULL, 0, false)); /* and removed */
    send(1, 2, 1, &e);
    succeeds(simkit_world_run(world));
    assert_equal(e.time, 0);
}

/* As links and nodes are, unless there are slow links. */
static void bandwidths_that_look_like_byte_times(void **state)
{
    static const char hint[] = "B/s, which looks like a byte time: its bandwidth would be 1e+09 B/s "
                               "(simkit_world_desc.slow_links allows less than 1 B/s)";
    netmodel_topology star = { .kind = NETMODEL_TOPOLOGY_STAR,
                               .star = {
                                   .hosts = 3, .cable = { .bandwidth = 10 }, .backbone = { .bandwidth = 1e-9 } } };
    char why[300];
    simkit_world *none;
    (void)state;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .topology = &star }, &none), SIMKIT_BAD_TOPOLOGY);
    assert_int_equal(simkit_world_reset(world, &(simkit_world_desc){ .topology = &star }), SIMKIT_BAD_TOPOLOGY);
    snprintf(why, sizeof why, "at 0 s: bandwidth of link 'switch 1.1 to switch 1.1' is 1e-09 %s", hint);
    assert_why(why);
    star.star.backbone.bandwidth = 1e-3;
    assert_int_equal(simkit_world_reset(world, &(simkit_world_desc){ .topology = &star, .slow_links = true }),
                     SIMKIT_BAD_TOPOLOGY);
    assert_why("at 0 s: bandwidth of link 'switch 1.1 to switch 1.1' is 0.001 B/s, expected more than 0.001, or 0");
    star.star.backbone.bandwidth = 0.5;
    succeeds(simkit_world_reset(world, &(simkit_world_desc){ .topology = &star, .slow_links = true }));
    star.star.backbone.bandwidth = INFINITY;
    succeeds(simkit_world_reset(world, &(simkit_world_desc){ .topology = &star }));
    add_nodes(2);
    const simkit_transfer_desc slow = { .from = 1, .to = 2, .rate_limit = 1e-9 };
    assert_int_equal(simkit_transfer_start(world, &slow, NULL), SIMKIT_BAD_ARGUMENT);
    snprintf(why, sizeof why, "at 0 s: rate limit of the transfer from node 1 to node 2 is 1e-09 %s", hint);
    assert_why(why);
}

/* SimGrid's "2;4,4;1,2;1,2", each host with a node. */
static const netmodel_topology tree = { .kind = NETMODEL_TOPOLOGY_FAT_TREE,
                                        .tree = { .levels = 2,
                                                  .down = { 4, 4 },
                                                  .up = { 1, 2 },
                                                  .count = { 1, 2 },
                                                  .cable = { { 100, 0.25, 0 }, { 50, 0.5, 0 } } } };

/* A reset says which part of it. */
static void impossible_topologies(void **state)
{
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_TORUS,
                            .grid = { .dimensions = 2, .size = { 4, 0 }, .cable = { { .bandwidth = 10 } } } };
    simkit_world *none;
    (void)state;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .topology = &t }, &none), SIMKIT_BAD_TOPOLOGY);
    assert_null(none);
    assert_int_equal(simkit_world_reset(world, &(simkit_world_desc){ .topology = &t }), SIMKIT_BAD_TOPOLOGY);
    assert_why(
        "at 0 s: the topology is impossible: hosts, children, parents, lengths, groups, chassis, blades and nodes "
        "must be >= 1 (dimension 1, counted from 0)");
    t = tree;
    t.tree.cable[1].bandwidth = -1;
    assert_int_equal(simkit_world_reset(world, &(simkit_world_desc){ .topology = &t }), SIMKIT_BAD_TOPOLOGY);
    assert_why(
        "at 0 s: the topology is impossible: a cable needs a bandwidth > 0, a finite latency >= 0, and a duplex of 1 "
        "to 2, or 0; clusters without joints need `up` (level 1, counted from 0)");
    t.tree.levels = 0;
    assert_int_equal(simkit_world_reset(world, &(simkit_world_desc){ .topology = &t }), SIMKIT_BAD_TOPOLOGY);
    assert_why("at 0 s: the topology is impossible: a fat tree must have 1 to 8 levels of switches");
    t = (netmodel_topology){ .kind = NETMODEL_TOPOLOGY_CLUSTERS, .clusters = { .count = 2, .joints = 1 } };
    t.clusters.cluster[0] = (netmodel_cluster_shape){ .hosts = 2, .cable = { .bandwidth = 10 } };
    t.clusters.cluster[1].hosts = 2;
    assert_int_equal(simkit_world_reset(world, &(simkit_world_desc){ .topology = &t }), SIMKIT_BAD_TOPOLOGY);
    assert_why_begins(
        "at 0 s: the topology is impossible: at most 28 links may join clusters, each two different ones that "
        "exist (joint 0, counted from 0)");
    assert_int_equal(simkit_link_count(world), 0);
}

static void a_topology_has_links_and_routes(void **state)
{
    ended e[3] = { { 0 } };
    (void)state;
    reopen_world(&(simkit_world_desc){ .topology = &tree, .latency = 1 });
    for (int i = 0; i < 16; ++i) add_node(NULL);
    assert_int_equal(simkit_link_count(world), netmodel_topology_links(&tree));
    assert_string_equal(simkit_link_name(world, 1), "host 1 to switch 1.1");
    assert_string_equal(simkit_link_name(world, 17), "switch 1.1 to switch 2.1");
    send(1, 2, 1000, &e[0]);
    send(5, 16, 1000, &e[1]);
    succeeds(simkit_world_run(world));
    assert_close(e[0].time, 1.5 + 10, 1e-14);
    assert_close(e[1].time, 2.5 + 20, 1e-14);
    /* a link of the topology fails, and a route by hand goes round it */
    succeeds(simkit_link_fail(world, 1));
    const simkit_transfer_desc desc = { .from = 1, .to = 2, .bytes = 1000, .done = note_done, .user = &e[2] };
    assert_int_equal(simkit_transfer_start(world, &desc, NULL), SIMKIT_LINK_FAILED);
    const simkit_link by_hand = add_link(10, 0, 0);
    route(1, 2, &by_hand, 1);
    succeeds(simkit_transfer_start(world, &desc, NULL));
    succeeds(simkit_world_run(world));
    assert_close(e[2].time - e[1].time, 1 + 100, 1e-14);
}

static void nodes_have_places(void **state)
{
    ended e = { 0 };
    simkit_node node = 9;
    simkit_world *none;
    netmodel_topology bad = tree;
    (void)state;
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .place = 1 }, &node), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: node 1 has place 1, but the world has no topology");
    reopen_world(&(simkit_world_desc){ .topology = &tree });
    add_node(&(simkit_node_desc){ .place = 15 });
    add_node(NULL); /* the next: 16 */
    assert_int_equal(simkit_node_add(world, NULL, &node), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: node 3 would have place 17, but the topology has 16 hosts");
    add_node(&(simkit_node_desc){ .place = 1 });
    add_node(&(simkit_node_desc){ .place = 1 }); /* as node 3: nothing lies between them */
    send(3, 2, 1000, &e);
    succeeds(simkit_world_run(world));
    assert_close(e.time, 1.5 + 20, 1e-14);
    send(3, 4, 1000, &e);
    succeeds(simkit_world_run(world));
    assert_close(e.time, 1.5 + 20, 1e-14);
    bad.tree.down[1] = 0;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .topology = &bad }, &none), SIMKIT_BAD_TOPOLOGY);
    assert_null(none);
}

/* Whatever transfers can do otherwise, they can do over routes. */
static void a_pair_keeps_its_own_link(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[2] = { { 0 } };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        a_chain(0);
        succeeds(simkit_pair_set(world, 1, 3, &(netmodel_link){ .latency = 2, .byte_time = 0.1 }));
        send(1, 3, 100, &e[0]); /* 2 s, then 10 s alone */
        succeeds(simkit_world_run(world));
        assert_close(e[0].time, 12, 1e-14);
        send(1, 3, 100, &e[0]);  /* from 14 on its own rate again, less than its share */
        send(2, 4, 1000, &e[1]); /* from 12.75 on 40 */
        succeeds(simkit_world_run(world));
        assert_close(e[0].time, 12 + 2 + 10, 1e-14);
        assert_true(e[1].time > 12.75 + 25 - 1e-9);
        succeeds(simkit_pair_set(world, 1, 1, &(netmodel_link){ .latency = 1, .byte_time = 0.1 }));
        const double now = simkit_clock_now(world);
        send(1, 1, 10, &e[0]); /* to itself: shares with nobody */
        send(1, 1, 10, &e[1]);
        succeeds(simkit_world_run(world));
        assert_close(e[0].time - now, 2, 1e-14);
        assert_close(e[1].time - now, 2, 1e-14);
    }
}

/* A cable beside the links of the nodes: neither these nor the latency of the world count, but the nodes' CPU does, and others do not
 * share it. A route that is set later takes its place. */
static void a_direct_route_lies_beside_the_nodes_links(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[4] = { { 0 } };
        const simkit_node_desc node = { .up_bandwidth = 10, .down_bandwidth = 10, .duplex = 1, .cpu_per_outgoing = 0.5 };
        const simkit_transfer_desc between = { .from = 1, .to = 2 };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy, .latency = 1 });
        for (int i = 0; i < 3; ++i) add_node(&node);
        const simkit_hop cable = { add_link(100, 0.25, 0), false };
        succeeds(simkit_route_direct(world, 1, 2, &cable, 1, true));
        assert_close(simkit_transfer_alone(world, &between).latency, 0.25, 1e-15);
        assert_close(simkit_transfer_alone(world, &between).byte_time, 0.01, 1e-15);
        send(1, 2, 1000, &e[0]); /* 100 B/s each way, whatever passes the nodes' links */
        send(2, 1, 1000, &e[1]);
        send(1, 3, 90, &e[2]);
        const simkit_computation_desc work = { .node = 1, .seconds = 1, .done = note_done, .user = &e[3] };
        succeeds(simkit_computation_start(world, &work, NULL));
        succeeds(simkit_world_run(world));
        assert_close(e[0].time, 10.25, 1e-14);
        assert_close(e[1].time, 10.25, 1e-14);
        assert_close(e[2].time, 10, 1e-14);
        /* 0.25 s undisturbed, half of the CPU beside one transfer until 1 s, nothing beside two until 10 s, half until 10.25 s */
        assert_close(e[3].time, 10.25 + (1 - 0.25 - 0.375 - 0.125), 1e-14);
        /* Faster than the nodes' links, a pair is possible on the cable only. */
        assert_int_equal(simkit_pair_set(world, 1, 3, &(netmodel_link){ 0, 1 / 20.0 }), SIMKIT_BAD_ARGUMENT);
        assert_why("at 10.5 s: the link from node 1 to node 3 would be faster than the way between them, which carries 10 B/s: a cable "
                   "beside the links of the nodes is a link on a direct route (simkit_route_direct(), or 'direct = yes' in a machine "
                   "file)");
        assert_int_equal(simkit_pair_set(world, 1, 3, &(netmodel_link){ 0, 0 }), SIMKIT_BAD_ARGUMENT);
        assert_non_null(strstr(simkit_world_why(world), "; a byte time of SIMKIT_OF_WAY sets the latency only"));
        succeeds(simkit_pair_set(world, 1, 2, &(netmodel_link){ 0, 1 / 20.0 }));
        double now = simkit_clock_now(world);
        send(1, 2, 100, &e[0]);
        succeeds(simkit_world_run(world));
        assert_close(e[0].time - now, 5, 1e-14);
        succeeds(simkit_route_set(world, 1, 2, &cable, 1, false));
        now = simkit_clock_now(world);
        send(1, 2, 100, &e[0]);
        send(2, 1, 100, &e[1]);
        succeeds(simkit_world_run(world));
        assert_close(e[0].time - now, 10, 1e-14);
        assert_close(e[1].time - now, 1.25, 1e-14);
        assert_int_equal(simkit_route_direct(world, 1, 2, NULL, 0, false), SIMKIT_BAD_ARGUMENT);
        assert_why_begins("at ");
        assert_non_null(strstr(simkit_world_why(world), "the direct route from node 1 to node 2 needs a link"));
    }
}

/* A link changes that limits nobody: a transfer of a pair with a link of its own that crosses it ends when it would have. */
static void a_pair_crosses_a_link_that_changes(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[2] = { { 0 } };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        a_chain(0);
        succeeds(simkit_pair_set(world, 1, 4, &(netmodel_link){ .byte_time = 1 / 40.0 }));
        send(1, 4, 80, &e[0]);
        send(3, 4, 1000, &e[1]); /* from 0.25 s on each gets half of link 2 */
        succeeds(simkit_world_run_until(world, 1));
        succeeds(simkit_link_change(world, 1, 80, 0));
        succeeds(simkit_world_run(world));
        assert_close(e[0].time, 0.25 + 70 / 20.0, 1e-14);
        assert_close(e[1].time, 3.75 + 930 / 40.0, 1e-14);
    }
}

/* The port of a limit that is over serves both directions of a pair, which nothing limits: so it limits them no longer. */
static void a_limit_that_is_over_limits_nobody(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e = { 0 };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy, .slow_links = true, .pair_duplex = 1.5 });
        succeeds(simkit_node_add(world, &(simkit_node_desc){ .up_bandwidth = 40 }, NULL));
        succeeds(simkit_node_add(world, NULL, NULL));
        succeeds(simkit_transfer_start(
            world, &(simkit_transfer_desc){ .from = 2, .to = 1, .bytes = 2, .rate_limit = 1 }, NULL));
        succeeds(simkit_node_add(world, NULL, NULL));
        succeeds(simkit_world_run_until(world, 3));
        send(1, 3, 80, &e);
        succeeds(simkit_world_run(world));
        assert_close(e.time, 3 + 2, 1e-14);
    }
}

static void connections_keep_their_order(void **state)
{
    ended e[3] = { { 0 } };
    (void)state;
    a_chain(0);
    for (int i = 0; i < 3; ++i) {
        const simkit_transfer_desc desc = {
            .from = 2, .to = 4, .bytes = 40, .in_order = true, .done = note_done, .user = &e[i]
        };
        succeeds(simkit_transfer_start(world, &desc, NULL));
    }
    succeeds(simkit_world_run(world));
    for (int i = 0; i < 3; ++i) assert_close(e[i].time, (i + 1) * 1.75, 1e-14);
}

/* Nodes without a bandwidth of their own feel their transfers as well. */
static void communication_takes_processor_time(void **state)
{
    ended e[2] = { { 0 } };
    (void)state;
    add_node(&(simkit_node_desc){ .cpu_per_outgoing = 0.5 });
    add_node(NULL);
    const simkit_link link = add_link(100, 0, 0);
    route(1, 2, &link, 1);
    const simkit_computation_desc compute = { .node = 1, .seconds = 10, .done = note_done, .user = &e[1] };
    succeeds(simkit_computation_start(world, &compute, NULL));
    send(1, 2, 400, &e[0]);
    succeeds(simkit_world_run(world));
    assert_close(e[0].time, 4, 1e-14);
    assert_close(e[1].time, 12, 1e-14); /* for 4 s at half its speed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(alone_it_takes_latency_and_bytes),
        WORLD_TEST(the_smallest_share_counts),
        WORLD_TEST(maxmin_gives_the_rest_away),
        WORLD_TEST(directions_share_a_half_duplex_link),
        WORLD_TEST(nodes_and_pairs_have_factors),
        WORLD_TEST(pairs_have_a_limit_on_every_way),
        WORLD_TEST(limits_of_pairs_change_with_links),
        WORLD_TEST(a_window_limits_a_transfer),
        WORLD_TEST(limits_and_weights),
        WORLD_TEST(bursts_beside_limits),
        WORLD_TEST(a_node_limits_beside_its_route),
        WORLD_TEST(routes_have_no_bursts),
        WORLD_TEST(links_change),
        WORLD_TEST(losses_are_told_in_order),
        WORLD_TEST(links_fail_and_return),
        WORLD_TEST(repairing_what_works_changes_nothing),
        WORLD_TEST(tables_are_background),
        WORLD_TEST(waiting_processes_are_notified),
        WORLD_TEST(transfers_are_cancelled),
        WORLD_TEST(mistakes_change_nothing),
        WORLD_TEST(a_pair_keeps_its_own_link),
        WORLD_TEST(a_direct_route_lies_beside_the_nodes_links),
        WORLD_TEST(a_pair_crosses_a_link_that_changes),
        WORLD_TEST(a_limit_that_is_over_limits_nobody),
        WORLD_TEST(connections_keep_their_order),
        WORLD_TEST(communication_takes_processor_time),
        WORLD_TEST(bandwidths_that_look_like_byte_times),
        WORLD_TEST(impossible_topologies),
        WORLD_TEST(a_topology_has_links_and_routes),
        WORLD_TEST(nodes_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
