/* Room bottlenecks of simkit.h: max-min fair shares that change only where a change reaches, against netmodel.h, which
 * computes all rates anew after every event. */
#define SIMKIT__AGE 1 /* ports get quiet as soon as they can */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

enum { FLOWS = 4000, PORTS = 1000, HOPS = 40000 };

typedef struct flow {
    double bytes, left, alone; /* with a link of its own: in seconds at its rate, which is that of the way alone */
    simkit_transfer handle;
    uint32_t place;
    int over; /* 1 ended, 2 lost, 3 cancelled */
} flow;

static flow flows[FLOWS];
static size_t count, over;

static void ends(simkit_world *w, void *user)
{
    flow *f = user;
    (void)w;
    assert_int_equal(f->over, 0);
    if (!(fabs(f->left) <= 1e-9 * f->bytes)) fail_msg("%g of %g are left", f->left, f->bytes);
    f->over = 1;
    ++over;
}

static void lost(simkit_world *w, void *user)
{
    (void)w;
    ((flow *)user)->over = 2;
    ++over;
}

/* The rates of all members, by netmodel.h: each port of the engine is a link of its own there. */
static size_t recompute(uint32_t *members, double *rate)
{
    static double bandwidth[PORTS], weight[FLOWS];
    static size_t first[FLOWS + 1], channel[HOPS], next[HOPS];
    static netmodel_maxmin_link link[2 * PORTS];
    const size_t ports = simkit__count(world->ports);
    size_t n = 0, hops = 0;
    assert_true(ports <= PORTS);
    for (size_t i = 0; i < ports; ++i) bandwidth[i] = world->ports[i].bandwidth / world->ports[i].slowing;
    for (uint32_t i = 0; i < simkit__pool_count(world->flows); ++i) {
        const simkit__flow *f = simkit__flow_at(world, i);
        if (f->from == 0 || !f->member || f->failed) continue;
        first[n] = hops;
        for (uint32_t k = 0; k < simkit__flow_port_count(f); ++k)
            channel[hops++] = 2 * (size_t)simkit__flow_port_at(world, f, k);
        assert_true(hops < HOPS);
        weight[n] = simkit__flow_weight(world, f);
        members[n++] = i;
    }
    first[n] = hops;
    const netmodel_flows all = {
        .flows = n, .links = ports, .bandwidth = bandwidth, .first = first, .channel = channel, .weight = weight
    };
    if (n > 0) assert_int_equal(netmodel_network_maxmin(&all, link, next, rate), NETMODEL_OK);
    return n;
}

/* Every flow has its rate, and one finish tag; what its clock has not reached yet is not late. */
static size_t check(uint32_t *members, double *rate)
{
    const simkit__maxmin *m = &world->maxmin;
    const size_t n = recompute(members, rate);
    size_t tags = 0, held = 0;
    for (size_t i = 0; i < n; ++i) {
        const simkit__flow *f = simkit__flow_at(world, members[i]);
        const double level = m->ports[simkit__progress_at(world, members[i])->follows].level;
        assert_close(simkit__flow_weight(world, f) * level, rate[i], 1e-10);
    }
    for (size_t i = 0; i < simkit__count(world->ports); ++i) {
        const simkit__member *all = world->ports[i].members;
        tags += simkit__count(world->ports[i].tags);
        held += m->ports[i].held;
        assert_int_equal(m->basins[i].members, simkit__count(all));
        assert_int_equal(m->order[m->ports[i].rank], i);
        for (size_t k = 0; k < simkit__count(all); ++k)
            assert_int_equal(k < m->ports[i].held, simkit__progress_at(world, all[k].flow)->follows == i);
    }
    assert_int_equal(tags, n);
    assert_int_equal(held, n);
    return n;
}

/* Runs from event to event. At each one, all that flow have advanced at the rates of the recomputation. */
static void run_checked(void (*meanwhile)(simkit_random *), simkit_random *dice)
{
    static uint32_t members[FLOWS];
    static double rate[FLOWS];
    size_t n = 0;
    while (over < count) {
        const double now = simkit_clock_now(world), next = simkit_clock_next(world);
        assert_true(next < INFINITY);
        for (size_t i = 0; next > now && i < n; ++i) {
            const simkit__flow *engine = simkit__flow_at(world, members[i]);
            flow *f = simkit__request_at(world, members[i])->user;
            const double share = engine->own_link && f->alone < INFINITY ? rate[i] / f->alone
                                 : engine->own_link                      ? 1
                                                                         : rate[i];
            f->left -= share * (next - now);
        }
        assert_int_equal(simkit_world_run_until(world, next), SIMKIT_OK);
        if (meanwhile && simkit_random_bits(dice) % 8 == 0) meanwhile(dice);
        if (world->unsettled) assert_int_equal(simkit_world_run_until(world, next), SIMKIT_OK);
        if (world->unsettled) simkit__settle(world);
        n = check(members, rate);
    }
}

static simkit_node below(simkit_random *dice, uint32_t n)
{
    return (simkit_node)(simkit_random_bits(dice) % n);
}

static void add_flow(simkit_node from, simkit_node to, double bytes, double weight, double limit)
{
    flow *f = &flows[count++];
    *f = (flow){ .bytes = bytes, .left = bytes, .alone = INFINITY };
    const simkit_transfer_desc desc = { .from = from,
                                        .to = to,
                                        .bytes = bytes,
                                        .done = ends,
                                        .lost = lost,
                                        .user = f,
                                        .weight = weight,
                                        .rate_limit = limit };
    assert_int_equal(simkit_transfer_start(world, &desc, &f->handle), SIMKIT_OK);
}

static void cancel_some(simkit_random *dice)
{
    flow *f = &flows[below(dice, (uint32_t)count)];
    if (f->over || !simkit_transfer_cancel(world, f->handle)) return;
    f->over = 3;
    ++over;
}

/* All at once through the star, sizes differ: nearly every rate changes with every end. */
static void all_at_once(void **state)
{
    (void)state;
    for (uint32_t nodes = 2; nodes <= 34; nodes += 8)
        for (int mixed = 0; mixed < 2; ++mixed) {
            simkit_random dice = { nodes };
            reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN, .latency = 1e-4 });
            count = over = 0;
            for (uint32_t i = 0; i < nodes; ++i) {
                const double up = mixed ? 1e6 * (1 + below(&dice, 3)) : 1e6,
                             down = mixed ? 3e6 / (1 + below(&dice, 4)) : 1e6;
                add_node(&(simkit_node_desc){ .up_bandwidth = up, .down_bandwidth = down });
            }
            for (uint32_t i = 1; i <= nodes; ++i)
                for (uint32_t k = 1; k <= nodes; ++k)
                    if (i != k) add_flow(i, k, 5e5 + 1e6 * simkit_random_uniform(&dice), 0, 0);
            run_checked(mixed ? cancel_some : NULL, &dice);
        }
}

static uint32_t places, links;

/* Transfers come and go, links change, a node fails. */
static void this_and_that(simkit_random *dice)
{
    switch (below(dice, 6)) {
    case 0: cancel_some(dice); break;
    case 1:
        if (links > 0)
            assert_int_equal(simkit_link_change(world, 1 + below(dice, links), 1e5 * (1 + below(dice, 20)), 0),
                             SIMKIT_OK);
        break;
    case 2:
        if (below(dice, 100) == 0 && places > 3) assert_int_equal(simkit_node_fail(world, places--), SIMKIT_OK);
        break;
    default:
        for (uint32_t i = below(dice, 4); i > 0 && count < FLOWS; --i) {
            const simkit_node from = 1 + below(dice, places), to = 1 + (from + below(dice, places - 1)) % places;
            if (from == to) continue;
            add_flow(from, to, 1e5 * simkit_random_exponential(dice, 1) + 1, below(dice, 3) ? 0 : 0.5 + below(dice, 4),
                     below(dice, 3) ? 0 : 1e4 * (1 + below(dice, 50)));
        }
    }
}

static void many_comings_and_goings(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        simkit_random dice = { seed };
        reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN, .latency = below(&dice, 2) * 1e-3 });
        count = over = 0;
        places = 2 + below(&dice, 20);
        links = seed % 3 == 0 ? 0 : 1 + below(&dice, 30);
        for (uint32_t i = 0; i < places; ++i)
            add_node(
                &(simkit_node_desc){ .up_bandwidth = below(&dice, 5) || links == 0 ? 1e5 * (1 + below(&dice, 20)) : 0,
                                     .down_bandwidth = below(&dice, 5) ? 1e5 * (1 + below(&dice, 20)) : 0,
                                     .duplex = below(&dice, 3) ? 0 : 1.4 });
        for (uint32_t i = 0; i < links; ++i)
            assert_int_equal(simkit_link_add(world,
                                             &(simkit_link_desc){ .bandwidth = 1e5 * (1 + below(&dice, 20)),
                                                                  .duplex = below(&dice, 3) ? 0 : 1.5 },
                                             NULL),
                             SIMKIT_OK);
        for (uint32_t i = 1; i <= places; ++i)
            for (uint32_t k = 1; k <= places && links > 0; ++k) {
                simkit_hop hops[8];
                const uint32_t most = links < 8 ? links : 8, n = 1 + below(&dice, most), start = below(&dice, links);
                for (uint32_t h = 0; h < n; ++h)
                    hops[h] = (simkit_hop){ 1 + (start + h) % links, below(&dice, 2) != 0 };
                if (i != k) assert_int_equal(simkit_route_set(world, i, k, hops, n, false), SIMKIT_OK);
            }
        for (uint32_t i = 0; i < 200; ++i) {
            const simkit_node from = 1 + below(&dice, places), to = 1 + from % places;
            if (from != to) add_flow(from, to, 1e5 * simkit_random_exponential(&dice, 1) + 1, 0, 0);
        }
        run_checked(this_and_that, &dice);
    }
}

/* A pair with a model is scaled by what contention leaves to an ordinary transfer; without bandwidths it is just that. */
static void pairs_with_models(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        simkit_random dice = { seed };
        double bandwidth[12];
        reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN });
        count = over = 0;
        for (uint32_t i = 0; i < 12; ++i) {
            bandwidth[i] = below(&dice, 4) ? 1e5 * (1 + below(&dice, 9)) : INFINITY;
            add_node(&(simkit_node_desc){ .up_bandwidth = isinf(bandwidth[i]) ? 0 : bandwidth[i],
                                          .down_bandwidth = isinf(bandwidth[i]) ? 0 : bandwidth[i] });
        }
        for (uint32_t i = 0; i < 150; ++i) {
            const simkit_node from = 1 + below(&dice, 12), to = 1 + (from + below(&dice, 11)) % 12;
            const netmodel_link model = { 0, 1e-5 * (1 + below(&dice, 5)) };
            if (from == to) continue;
            if ((from + to) % 3 != 0 && isinf(fmin(bandwidth[from - 1], bandwidth[to - 1])))
                continue; /* takes no time */
            const double bytes = 1 + 1e5 * simkit_random_uniform(&dice);
            if ((from + to) % 3 == 0) assert_int_equal(simkit_pair_set(world, from, to, &model), SIMKIT_OK);
            add_flow(from, to, bytes, 0, 0);
            if ((from + to) % 3 != 0) continue;
            flows[count - 1].left = flows[count - 1].bytes = bytes * model.byte_time;
            flows[count - 1].alone = fmin(bandwidth[from - 1], bandwidth[to - 1]);
        }
        run_checked(NULL, &dice);
    }
}

/* Nothing is settled between ends of one instant: they come in the order of their numbers, whatever their ports. */
static uint64_t before;

static void in_order(simkit_world *w, void *user)
{
    assert_true((uintptr_t)user == before + 1);
    assert_true(simkit_clock_now(w) == 9);
    before = (uintptr_t)user;
}

static void ends_of_one_instant(void **state)
{
    (void)state;
    reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN });
    for (int i = 0; i < 10; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 1, .down_bandwidth = 1 });
    uintptr_t number = 0;
    before = 0;
    for (simkit_node gap = 9; gap >= 1; --gap)
        for (simkit_node from = 10; from >= 1; --from)
            assert_int_equal(simkit_transfer_start(world,
                                                   &(simkit_transfer_desc){ .from = from,
                                                                            .to = 1 + (from + gap - 1) % 10,
                                                                            .bytes = 1,
                                                                            .done = in_order,
                                                                            .user = (void *)++number },
                                                   NULL),
                             SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(before, 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(all_at_once),
        WORLD_TEST(many_comings_and_goings),
        WORLD_TEST(pairs_with_models),
        WORLD_TEST(ends_of_one_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
