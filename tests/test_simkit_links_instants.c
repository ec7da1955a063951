/* Rooms links and loadmap of simkit.h: something changes in the instant in which something else starts, ends or settles. A link
 * gets a bandwidth, a limit is used again, a link fails that only some transfers of a connection cross. Closed forms, for both
 * policies. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#include "network.h"

static void open_policy(int policy)
{
    reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
}

static simkit_transfer start_desc(simkit_node to, double bytes, double weight, double limit, bool in_order, ended *e)
{
    simkit_transfer transfer;
    const simkit_transfer_desc desc = { .from = 1,
                                        .to = to,
                                        .bytes = bytes,
                                        .weight = weight,
                                        .rate_limit = limit,
                                        .in_order = in_order,
                                        .done = note_done,
                                        .lost = note_lost,
                                        .user = e };
    succeeds(simkit_transfer_start(world, &desc, &transfer));
    return transfer;
}

/* -- a link without a bandwidth gets one ------------------------------------------------------------------------------- */

static void slows_down(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_link_change(w, 1, 1e5, 0));
}

static void an_infinite_link_gets_a_bandwidth(void **state)
{
    (void)state;
    for (int way = 0; way < 6; ++way) { /* by either policy; by a call, by a table, twice in one instant */
        ended e = { 0 };
        open_policy(way % 2);
        add_node(&(simkit_node_desc){ .up_bandwidth = 1e6 });
        add_nodes(1);
        const simkit_link link = add_link(0, 0, 0);
        route(1, 2, &link, 1);
        send(1, 2, 10e6, &e);
        if (way / 2 == 1) {
            const simkit_link_point row = { 1, 1e5 };
            succeeds(simkit_link_follow(world, link, &row, 1, 0));
        } else {
            succeeds(simkit_step_at(world, 1, 0, slows_down, NULL, NULL));
        }
        succeeds(simkit_world_run_until(world, 1));
        if (way / 2 == 2) {
            succeeds(simkit_link_change(world, link, 2e5, 0));
            succeeds(simkit_link_change(world, link, 1e5, 0));
        }
        succeeds(simkit_world_run(world));
        assert_close(e.time, 91, 1e-14); /* 1 s at 1 MB/s, then 9 MB at 100 kB/s */
    }
}

static void speeds_up(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_link_change(w, 1, 5, 0));
}

static void starts_beside(simkit_world *w, void *user)
{
    (void)w;
    send(1, 3, 1, user);
}

/* A light transfer that has followed two other links gets another finish tag in the instant in which the third gets a bandwidth. */
static void a_light_one_does_not_follow_it(void **state)
{
    const double weight = 1.0 / 1024, beside = 10 * weight / (1 + weight);
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended light = { 0 }, other = { 0 };
        open_policy(policy);
        add_node(&(simkit_node_desc){ .up_bandwidth = 10 });
        add_node(NULL);
        add_node(&(simkit_node_desc){ .down_bandwidth = 1 });
        const simkit_link link = add_link(0, 0, 0);
        route(1, 2, &link, 1);
        start_desc(2, 10, weight, 2.5, false, &light);
        succeeds(simkit_step_at(world, 1, 0, starts_beside, &other, NULL));
        succeeds(simkit_step_at(world, 4, 0, speeds_up, NULL, NULL));
        succeeds(simkit_world_run(world));
        assert_close(other.time, 2, 1e-12);
        assert_close(light.time, policy == SIMKIT_SHARING_EQUAL ? 2 + (7.5 - beside) / 2.5 : 4, 1e-12);
    }
}

static void its_transfers_share_it_by_weight(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[3] = { { 0 } };
        simkit_loadmap *map;
        open_policy(policy);
        add_node(&(simkit_node_desc){ .up_bandwidth = 1e6 });
        add_nodes(2);
        const simkit_link link = add_link(0, 0, 0), other = add_link(0, 0, 0);
        route(1, 2, &link, 1);
        route(1, 3, &other, 1);
        succeeds(simkit_loadmap_open(world, &map));
        start_desc(2, 1.2e6, 3, 0, false, &e[0]);
        start_desc(2, 1e6, 1, 0, false, &e[1]);
        start_desc(3, 1e6, 1, 0, false, &e[2]); /* not on the link */
        succeeds(simkit_step_at(world, 1, 0, slows_down, NULL, NULL));
        succeeds(simkit_world_run(world));
        /* 1 s at 600, 200 and 200 kB/s; then 75 and 25 on the link, and what the node has left (equal shares: a fifth) for the other */
        assert_close(e[0].time, 1 + 0.6e6 / 75e3, 1e-12);
        assert_close(e[1].time, 9 + (1e6 - 0.2e6 - 8 * 25e3) / 1e5, 1e-12);
        assert_close(e[2].time, policy ? 1 + 0.8e6 / 0.9e6 : 5, 1e-12);
        assert_close(simkit_loadmap_bytes(map, link, false), 2.2e6, 1e-12);
    }
}

static void a_transfer_in_its_latency_notices(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[2] = { { 0 } };
        open_policy(policy);
        add_nodes(2);
        const simkit_link link = add_link(0, 5, 0);
        route(1, 2, &link, 1);
        send(1, 2, 1e6, &e[0]);
        send(1, 2, 0, &e[1]);
        succeeds(simkit_world_run_until(world, 1));
        succeeds(simkit_link_change(world, link, 1e5, 5));
        succeeds(simkit_world_run(world));
        assert_close(e[0].time, 15, 1e-14);
        assert_close(e[1].time, 5, 1e-14); /* no bytes take no time */
    }
}

/* -- a limit that is used again ---------------------------------------------------------------------------------------- */

typedef struct next_one {
    double weight, limit;
    ended end;
    double began;
} next_one;

static void starts_next(simkit_world *w, void *user)
{
    next_one *next = user;
    next->began = simkit_clock_now(w);
    start_desc(2, 1e6, next->weight, next->limit, false, &next->end);
}

static void cancels(simkit_world *w, void *user)
{
    assert_true(simkit_transfer_cancel(w, *(simkit_transfer *)user));
}

static void a_limit_holds_right_after_another(void **state)
{
    static const double weights[] = { 2, 1, 3, 0.5 }, limits[] = { 1e6, 5e5, 1e6, 8e5 };
    (void)state;
    for (int k = 0; k < 4 * 2 * 2 * 2; ++k) { /* policies; the first ends or is cancelled; alone or beside another one */
        next_one next = { .weight = weights[k / 8], .limit = limits[k / 8] };
        simkit_transfer first;
        open_policy(k % 2);
        add_nodes(2);
        const simkit_link link = add_link(3e6, 0, 0); /* enough for each limit beside another one */
        route(1, 2, &link, 1);
        const simkit_transfer_desc desc = { .from = 1, .to = 2, .bytes = 2e6, .weight = 2, .rate_limit = 1e6,
                                            .done = starts_next, .user = &next };
        succeeds(simkit_transfer_start(world, &desc, &first));
        if (k / 4 % 2) send(1, 2, 1e9, NULL);
        if (k / 2 % 2) {
            succeeds(simkit_step_at(world, 1, 0, cancels, &first, NULL));
            succeeds(simkit_step_at(world, 1, 0, starts_next, &next, NULL));
        }
        succeeds(simkit_world_run(world));
        assert_int_equal(next.end.done, 1);
        assert_close(next.end.time - next.began, 1e6 / next.limit, 1e-12);
    }
}

/* -- what a failing link takes along ----------------------------------------------------------------------------------- */

static simkit_link slow, fast, third;

static void reroutes(simkit_world *w, void *user)
{
    succeeds(simkit_route_set(w, 1, 2, &(simkit_hop){ .link = *(simkit_link *)user }, 1, false));
}

static void starts_in_order(simkit_world *w, void *user)
{
    (void)w;
    start_desc(2, 1e7, 0, 0, true, user);
}

static void fails(simkit_world *w, void *user)
{
    succeeds(simkit_link_fail(w, *(simkit_link *)user));
}

/* Five transfers of a connection. The third crosses a link that fails at 4 s; the others another one. */
static void only_what_crosses_it_is_lost(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[5] = { { 0 } };
        open_policy(policy);
        add_nodes(2);
        slow = add_link(1e6, 0, 0), fast = add_link(1e7, 0, 0), third = add_link(1e6, 0, 0);
        reroutes(world, &slow);
        starts_in_order(world, &e[0]);
        starts_in_order(world, &e[1]);
        succeeds(simkit_step_at(world, 1, 0, reroutes, &fast, NULL));
        succeeds(simkit_step_at(world, 2, 0, starts_in_order, &e[2], NULL));
        succeeds(simkit_step_at(world, 3, 0, reroutes, &third, NULL));
        succeeds(simkit_step_at(world, 3, 0, starts_in_order, &e[3], NULL)); /* behind one that crosses it */
        succeeds(simkit_step_at(world, 4, 0, fails, &fast, NULL));
        succeeds(simkit_step_at(world, 5, 0, starts_in_order, &e[4], NULL));
        succeeds(simkit_world_run(world));
        assert_true(e[0].done && e[1].done && e[2].lost && e[3].lost && e[4].done);
        assert_close(e[0].time, 10, 1e-14);
        assert_close(e[1].time, 20, 1e-14);
        assert_close(e[2].time, 4, 1e-14);
        assert_close(e[3].time, 4, 1e-14);
        assert_close(e[4].time, 30, 1e-14); /* after all that were started before and go on */
    }
}

/* The one in progress crosses it: all that wait are lost, and the next begins at once. */
static void what_waits_behind_is_lost(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[4] = { { 0 } };
        open_policy(policy);
        add_nodes(2);
        slow = add_link(1e6, 0, 0), fast = add_link(1e7, 0, 0);
        reroutes(world, &slow);
        starts_in_order(world, &e[0]);
        reroutes(world, &fast);
        starts_in_order(world, &e[1]);
        starts_in_order(world, &e[2]);
        succeeds(simkit_step_at(world, 4, 0, fails, &slow, NULL));
        succeeds(simkit_step_at(world, 4, 0, starts_in_order, &e[3], NULL));
        succeeds(simkit_world_run(world));
        assert_true(e[0].lost && e[1].lost && e[2].lost && e[3].done);
        assert_close(e[3].time, 5, 1e-14);
    }
}

/* -- maps of loads ----------------------------------------------------------------------------------------------------- */

static void fails_over(simkit_world *w, void *user)
{
    if (*(bool *)user)
        succeeds(simkit_node_fail(w, 2));
    else
        succeeds(simkit_link_fail(w, 1));
    succeeds(simkit_link_change(w, 2, 2e6, 0));
}

static void what_is_lost_carries_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        simkit_loadmap *map;
        ended e[3] = { { 0 } };
        bool by_node = k / 2;
        open_policy(k % 2);
        add_node(&(simkit_node_desc){ .up_bandwidth = 1e6 });
        add_nodes(2);
        const simkit_link links[] = { add_link(1e6, 0, 0), add_link(1e6, 0, 0) };
        route(1, 2, &links[0], 1);
        route(1, 3, &links[1], 1);
        succeeds(simkit_loadmap_open(world, &map));
        send(1, 2, 1e7, &e[0]);
        send(1, 3, 1e7, &e[1]);
        succeeds(simkit_step_at(world, 1, 0, fails_over, &by_node, NULL));
        succeeds(simkit_world_run_until(world, 5));
        assert_close(simkit_loadmap_bytes(map, links[0], false), 5e5, 1e-12);
        assert_close(simkit_loadmap_bytes(map, links[1], false), 4.5e6, 1e-12);
        send(1, 3, 1e6, &e[2]); /* perhaps in the place of the lost one */
        succeeds(simkit_world_run(world));
        assert_close(simkit_loadmap_bytes(map, links[0], false), 5e5, 1e-12);
        assert_close(simkit_loadmap_bytes(map, links[1], false), 1.1e7, 1e-12);
    }
}

static void a_map_that_is_opened_late_knows_the_link_of_a_transfer(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) { /* the pair gets another link, or one with a latency only, before the map is opened */
        simkit_loadmap *map;
        open_policy(k % 2);
        add_nodes(2);
        const simkit_link link = add_link(5e6, 0, 0);
        route(1, 2, &link, 1);
        succeeds(simkit_pair_set(world, 1, 2, &(netmodel_link){ 0, 1e-6 }));
        send(1, 2, 1e7, NULL);
        succeeds(simkit_world_run_until(world, 1));
        succeeds(simkit_pair_set(world, 1, 2, &(netmodel_link){ 0, k / 2 ? SIMKIT_OF_WAY : 1e-5 }));
        succeeds(simkit_loadmap_open(world, &map));
        succeeds(simkit_world_run_until(world, 2));
        assert_close(simkit_loadmap_bytes(map, link, false), 1e6, 1e-12);
    }
}

/* -- weights far apart --------------------------------------------------------------------------------------------------- */

/* A light transfer stays while heavy ones come and go: the sum of the weights is then as if they had never been there, which a
 * second light one beside it shows. */
static void a_light_one_is_left_by_heavy_ones(void **state)
{
    static const double heavy[] = { 1e6, 3.3e5, 1e6, 17, 1e3, 0.7 };
    (void)state;
    for (int way = 0; way < 12; ++way) { /* by either policy; also beside one without a weight; also while the link changes */
        ended e[10] = { { 0 } };
        const bool unweighted = way / 2 % 2, changes = way / 4 == 1, loses = way / 4 == 2;
        open_policy(way % 2);
        add_nodes(4);
        const simkit_link link = add_link(1e6, 0, 0), other = add_link(1e6, 0, 0);
        route(1, 2, &link, 1);
        route(1, 4, &other, 1); /* never used */
        start_desc(2, 1e15, 1.03e-6, 0, false, &e[0]);
        for (size_t i = 0; i < sizeof heavy / sizeof *heavy; ++i) {
            start_desc(2, 1e6, heavy[i], 0, false, &e[1 + i]);
            if (unweighted) start_desc(2, 1e3, 0, 0, false, &e[8]);
            if (i % 2) succeeds(simkit_world_run_until(world, simkit_clock_now(world) + 1));
            if (changes) succeeds(simkit_link_change(world, link, i % 2 ? 1e6 : 3e5, 0));
        }
        succeeds(simkit_world_run_until(world, 30));
        if (changes) succeeds(simkit_link_change(world, link, 1e6, 0));
        if (loses) { /* the heaviest is cancelled, and so never ends */
            const simkit_transfer last = start_desc(2, 1e15, 1e6, 0, false, &e[9]);
            succeeds(simkit_world_run_until(world, 31));
            whatever(simkit_transfer_cancel(world, last));
        }
        succeeds(simkit_world_run_until(world, 40));
        const double begin = simkit_clock_now(world);
        for (size_t i = 0; i < sizeof heavy / sizeof *heavy; ++i) assert_true(e[1 + i].time > 0 && e[1 + i].time < begin);
        start_desc(2, 1e6, 2.06e-6, 0, false, &e[7]);
        succeeds(simkit_world_run_until(world, 50));
        assert_close(e[7].time - begin, 1.5, 1e-12); /* two thirds of the link */
    }
}

/* Two links have the same transfers, and one of them a very light one besides: their levels differ by less than what is rounded.
 * The light one gets what its weight is worth all the same, and the heavy one ends. */
static void a_light_one_beside_a_link_of_the_same_level(void **state)
{
    (void)state;
    for (int way = 0; way < 16; ++way) { /* by either policy; the light one early or late, on the first link or the last */
        ended limited = { 0 }, heavy = { 0 }, middle = { 0 }, light = { 0 };
        const bool late = way / 2 % 2, last = way / 4 % 2, twice = way / 8 % 2;
        open_policy(way % 2);
        add_nodes(4);
        const simkit_link links[] = { add_link(5, 0, 0), add_link(5, 0, 0) };
        route(1, 2, links, 2);
        route(1, 3, links, 2);
        route(1, 4, &links[last], 1);
        start_desc(2, 19, 1e6, 1, false, &limited);
        succeeds(simkit_world_run_until(world, 1));
        if (!late) start_desc(4, 1, 1e-6, 0, false, &light);
        start_desc(2, 50, 1e6, 0, false, &heavy);
        if (twice) start_desc(2, 50, 1e6, 0, false, &heavy);
        succeeds(simkit_world_run_until(world, 10));
        if (late) start_desc(4, 1, 1e-6, 0, false, &light);
        start_desc(3, 1, 1, 0, false, &middle);
        succeeds(simkit_world_run(world));
        /* Beside the limited one heavy ones get 2.5 or 4 B/s, two of them 5/3 or 2; what is left of the others takes the whole link
         * afterwards, or 4 B/s. */
        static const double ends[2][2][3] = { { { 20, 20.2, 20.4 }, { 13.5, 13.75, 14 } },
                                              { { 27, 27.2, 27.4 }, { 24.6, 24.8, 25 } } };
        assert_close(limited.time, 19, 1e-12);
        assert_close(heavy.time, ends[twice][way % 2][0], 1e-6);
        assert_close(middle.time, ends[twice][way % 2][1], 1e-6);
        assert_close(light.time, ends[twice][way % 2][2], 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(an_infinite_link_gets_a_bandwidth),
        WORLD_TEST(its_transfers_share_it_by_weight),
        WORLD_TEST(a_light_one_does_not_follow_it),
        WORLD_TEST(a_transfer_in_its_latency_notices),
        WORLD_TEST(a_limit_holds_right_after_another),
        WORLD_TEST(only_what_crosses_it_is_lost),
        WORLD_TEST(what_waits_behind_is_lost),
        WORLD_TEST(what_is_lost_carries_nothing),
        WORLD_TEST(a_light_one_is_left_by_heavy_ones),
        WORLD_TEST(a_light_one_beside_a_link_of_the_same_level),
        WORLD_TEST(a_map_that_is_opened_late_knows_the_link_of_a_transfer),
    };
    return cmocka_run_group_tests_name("links, instants", tests, NULL, NULL);
}
