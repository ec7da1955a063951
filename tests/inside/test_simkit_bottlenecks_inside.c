/* What the engine has inside, of its network and its nodes. Room bottlenecks: max-min fair shares that change only where a
 * change reaches, against netmodel.h, which computes all rates anew after every event. Room links: tables of bandwidths. Room
 * transfers: the order of ends. Room loadmap: what each link carries, cell by cell and in sums, and that a record changes
 * nothing. Room computing: classes of demands for memory. */
#define SIMKIT__AGE 1 /* ports get quiet as soon as they can */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#define FILE_NAME(ending) scratch("test_simkit_bottlenecks_inside", &ending[1])

#include "../loadmap.h"

enum { FLOWS = 4000, PORTS = 1000, HOPS = 40000 };

typedef struct flow {
    double bytes, left;
    simkit_transfer handle;
    uint32_t place;
    int over; /* 1 ended, 2 lost, 3 cancelled */
} flow;

static flow flows[FLOWS];
static size_t started, over;

static void ends(simkit_world *w, void *user)
{
    flow *f = user;
    (void)w;
    assert_int_equal(f->over, 0);
    if (!(fabs(f->left) <= 1e-9 * f->bytes)) fail_msg("%g of %g are left", f->left, f->bytes);
    f->over = 1;
    ++over;
}

static void is_lost(simkit_world *w, void *user)
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
    for (size_t i = 0; i < ports; ++i) bandwidth[i] = world->ports[i].bandwidth;
    for (uint32_t i = 0; i < simkit__pool_count(world->flows); ++i) {
        const simkit__flow *f = simkit__flow_at(world, i);
        if (f->from == 0 || !f->member || f->failed) continue;
        first[n] = hops;
        for (uint32_t k = 0; k < f->hop_count; ++k) channel[hops++] = 2 * (size_t)simkit__flow_hops(world, f)[k].port;
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
        const double level = m->ports[simkit__flow_at(world, members[i])->follows].level;
        assert_close(simkit__flow_weight(world, f) * level, rate[i], 1e-10);
    }
    for (size_t i = 0; i < simkit__count(world->ports); ++i) {
        const simkit__member *all = world->ports[i].members;
        tags += simkit__count(world->ports[i].group.tags);
        held += m->ports[i].held;
        assert_int_equal(m->sums[i].members, simkit__count(all));
        assert_int_equal(m->order[m->ports[i].rank], i);
        for (size_t k = 0; k < simkit__count(all); ++k)
            assert_int_equal(k < m->ports[i].held, simkit__flow_at(world, all[k].flow)->follows == i);
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
    while (over < started) {
        const double now = simkit_clock_now(world), next = simkit_clock_next(world);
        assert_true(next < INFINITY);
        for (size_t i = 0; next > now && i < n; ++i) {
            flow *f = simkit__request_at(world, members[i])->end.user;
            f->left -= rate[i] * (next - now);
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
    flow *f = &flows[started++];
    *f = (flow){ .bytes = bytes, .left = bytes };
    const simkit_transfer_desc desc = { .from = from,
                                        .to = to,
                                        .bytes = bytes,
                                        .done = ends,
                                        .lost = is_lost,
                                        .user = f,
                                        .weight = weight,
                                        .rate_limit = limit };
    assert_int_equal(simkit_transfer_start(world, &desc, &f->handle), SIMKIT_OK);
}

static void cancel_some(simkit_random *dice)
{
    flow *f = &flows[below(dice, (uint32_t)started)];
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
            started = over = 0;
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

static uint32_t places, cables;

/* Transfers come and go, links change, a node fails. */
static void this_and_that(simkit_random *dice)
{
    switch (below(dice, 6)) {
    case 0: cancel_some(dice); break;
    case 1:
        if (cables > 0)
            assert_int_equal(simkit_link_change(world, 1 + below(dice, cables), 1e5 * (1 + below(dice, 20)), 0),
                             SIMKIT_OK);
        break;
    case 2:
        if (below(dice, 100) == 0 && places > 3) assert_int_equal(simkit_node_fail(world, places--), SIMKIT_OK);
        break;
    default:
        for (uint32_t i = below(dice, 4); i > 0 && started < FLOWS; --i) {
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
    for (uint64_t seed = 1; seed <= CASES(60); ++seed) {
        simkit_random dice = { seed };
        reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN,
                                           .latency = below(&dice, 2) * 1e-3,
                                           .pair_duplex = seed % 2 ? 0 : 1 + 0.1 * below(&dice, 10) });
        started = over = 0;
        places = 2 + below(&dice, 20);
        cables = seed % 3 == 0 ? 0 : 1 + below(&dice, 30);
        for (uint32_t i = 0; i < places; ++i)
            add_node(
                &(simkit_node_desc){ .up_bandwidth = below(&dice, 5) || cables == 0 ? 1e5 * (1 + below(&dice, 20)) : 0,
                                     .down_bandwidth = below(&dice, 5) ? 1e5 * (1 + below(&dice, 20)) : 0,
                                     .duplex = below(&dice, 3) ? 0 : 1.4 });
        for (uint32_t i = 0; i < cables; ++i)
            assert_int_equal(simkit_link_add(world,
                                             &(simkit_link_desc){ .bandwidth = 1e5 * (1 + below(&dice, 20)),
                                                                  .duplex = below(&dice, 3) ? 0 : 1.5 },
                                             NULL),
                             SIMKIT_OK);
        for (uint32_t i = 1; i <= places; ++i)
            for (uint32_t k = 1; k <= places && cables > 0; ++k) {
                simkit_hop hops[8];
                const uint32_t most = cables < 8 ? cables : 8, n = 1 + below(&dice, most), start = below(&dice, cables);
                for (uint32_t h = 0; h < n; ++h)
                    hops[h] = (simkit_hop){ 1 + (start + h) % cables, below(&dice, 2) != 0 };
                if (i != k) assert_int_equal(simkit_route_set(world, i, k, hops, n, false), SIMKIT_OK);
            }
        for (uint32_t i = 0; i < 200; ++i) {
            const simkit_node from = 1 + below(&dice, places), to = 1 + from % places;
            if (from != to) add_flow(from, to, 1e5 * simkit_random_exponential(&dice, 1) + 1, 0, 0);
        }
        run_checked(this_and_that, &dice);
    }
}

static int covered, widened; /* ports that were quiet because of a narrower one; how often that was widened */

/* The narrow link of a chain gets wider, and narrow again: ports that were quiet because of it are looked at. */
static void widen(simkit_random *dice)
{
    const size_t ports = simkit__count(world->ports);
    for (size_t i = 0; i < ports; ++i) covered += world->maxmin.sums[i].covered != SIMKIT_NONE;
    (void)dice;
    succeeds(simkit_link_change(world, 2, ++widened % 2 ? 1e6 : 1e5, 0));
}

static void quiet_ports_wake_with_those_that_change(void **state)
{
    static const double duplex[] = { 0, 1, 1.5 };
    (void)state;
    covered = widened = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        simkit_random dice = { seed };
        const double limits = duplex[seed % 3];
        reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN, .pair_duplex = limits });
        started = over = 0;
        add_nodes(4);
        const simkit_link links[] = { add_link(1.02e5, 0, 0), add_link(1e5, 0, 0), add_link(1.6e5, 0, 0) };
        route(1, 2, links, 3);
        route(3, 4, &links[1], 1 + seed % 2);
        for (int i = 0; i < 40; ++i) {
            const bool back = limits > 0 && i % 4 == 3, other = i % 5 == 4;
            const simkit_node from = other ? 3 : 1, to = other ? 4 : 2;
            add_flow(back ? to : from, back ? from : to, 1e4 + 1e5 * simkit_random_uniform(&dice), i % 3 ? 0 : 2, 0);
        }
        run_checked(widen, &dice);
    }
    assert_true(covered > 20 && widened > 40);
}

/* The link of a pair is one more that its transfers share, also where the nodes have no bandwidths. */
static void links_of_some_pairs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        simkit_random dice = { seed };
        double bandwidth[12];
        reopen_world(&(simkit_world_desc){ .sharing = SIMKIT_SHARING_MAXMIN });
        started = over = 0;
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

/*=============================================================================
 * Links
 *===========================================================================*/
static void follow(simkit_link link, const simkit_link_point *points, size_t count, double period)
{
    succeeds(simkit_link_follow(world, link, points, count, period));
}

static void links_follow_tables(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e = { 0 };
        simkit_link_point points[] = { { 0, 100 }, { 2, 50 }, { 4, 25 } };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        add_nodes(2);
        const simkit_link link = add_link(7, 0, 1);
        route(1, 2, &link, 1);
        follow(link, points, 3, 0);
        memset(points, 0, sizeof points); /* it was copied */
        send(1, 2, 325, &e);
        succeeds(simkit_world_run(world));
        assert_close(e.time, 5, 1e-14);
        /* a period of 2 s, from 6 on: as it is for a second, then 100 and 50 */
        follow(link, (simkit_link_point[]){ { 6, 100 }, { 7, 50 } }, 2, 2);
        send(1, 2, 25 + 150 * 1000 + 60, &e);
        succeeds(simkit_world_run(world));
        assert_close(e.time, 6 + 2000 + 0.6, 1e-14);
        /* at once what a table says of now, whatever the period */
        follow(link, (simkit_link_point[]){ { 1, 10 }, { 7, 50 }, { 8, 80 }, { 3000, 1 } }, 4, 0);
        assert_equal(world->wires[0].bandwidth, 80);
        follow(link, (simkit_link_point[]){ { 0.5, 10 }, { 1.5, 20 } }, 2, 4);
        assert_equal(world->wires[0].bandwidth, 20); /* 2006.6 is 2.6 */
        succeeds(simkit_world_run_until(world, 2008.25));
        assert_equal(world->wires[0].bandwidth, 20); /* 0.25 */
        follow(link, (simkit_link_point[]){ { 0.5, 10 }, { 1.5, 30 } }, 2, 4);
        assert_equal(world->wires[0].bandwidth, 30);
        succeeds(simkit_world_run_until(world, 2008.5));
        assert_equal(world->wires[0].bandwidth, 10);
        succeeds(simkit_link_change(world, link, 15, 0)); /* until the next row */
        succeeds(simkit_world_run_until(world, 2009.25));
        assert_equal(world->wires[0].bandwidth, 15);
        succeeds(simkit_world_run_until(world, 2009.5));
        assert_equal(world->wires[0].bandwidth, 30);
        follow(link, NULL, 0, 0); /* as it is */
        succeeds(simkit_world_run_until(world, 2100));
        assert_equal(world->wires[0].bandwidth, 30);
        follow(link, (simkit_link_point[]){ { 5000, 10 } }, 1, 0);
        assert_equal(world->wires[0].bandwidth, 30);
        succeeds(simkit_world_reset(world, NULL)); /* without its tables */
        add_link(7, 0, 1);
        succeeds(simkit_world_run_until(world, 6000));
        assert_equal(world->wires[0].bandwidth, 7);
    }
}

static void tables_break_links(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        ended e[3] = { { 0 } };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        add_nodes(2);
        const simkit_link link = add_link(10, 0, 0);
        route(1, 2, &link, 1);
        follow(link, (simkit_link_point[]){ { 1, 0 }, { 2, 0 }, { 4, 20 } }, 3, 0);
        send(1, 2, 30, &e[0]);
        succeeds(simkit_world_run_until(world, 3));
        assert_int_equal(e[0].lost, 1);
        assert_equal(e[0].time, 1);
        const simkit_transfer_desc desc = { .from = 1, .to = 2, .bytes = 20, .done = note_done, .user = &e[1] };
        assert_int_equal(simkit_transfer_start(world, &desc, NULL), SIMKIT_LINK_FAILED);
        succeeds(simkit_world_run_until(world, 4));
        succeeds(simkit_transfer_start(world, &desc, NULL));
        succeeds(simkit_world_run(world));
        assert_equal(e[1].time, 5);
        send(1, 2, 20, &e[2]);
        succeeds(simkit_world_run_until(world, 5.5));
        follow(link, (simkit_link_point[]){ { 3, 0 } }, 1, 0); /* at once */
        succeeds(simkit_world_run(world));
        assert_int_equal(e[2].lost, 1);
        assert_equal(e[2].time, 5.5);
        follow(link, (simkit_link_point[]){ { 3, 5 } }, 1, 0);
        assert_int_equal(world->broken, 0);
    }
}

static void bad_tables_change_nothing(void **state)
{
    static const struct {
        simkit_link_point points[2];
        double period;
        const char *why;
    } bad[] = {
        { { { 0, 1 }, { 0, 2 } },
          0,
          "at 0 s: time of row 2 of the table of link 1 is 0 s, expected more than the 0 s before it" },
        { { { NAN, 1 }, { 0, 2 } }, 0, "at 0 s: time of row 1 of the table of link 1 is nan" },
        { { { 0, 1 }, { INFINITY, 2 } }, 0, "at 0 s: time of row 2 of the table of link 1 is inf" },
        { { { -1, 1 }, { 0, 2 } }, 0, "at 0 s: time of row 1 of the table of link 1 is -1" },
        { { { 0, 1 }, { 1, -2 } }, 0, "at 0 s: bandwidth of row 2 of the table of link 1 is -2" },
        { { { 0, NAN }, { 1, 2 } }, 0, "at 0 s: bandwidth of row 1 of the table of link 1 is nan" },
        { { { 0, 1e-6 }, { 1, 2 } },
          0,
          "at 0 s: bandwidth of row 1 of the table of link 1 is 1e-06 B/s, which looks like" },
        { { { 1, 5 }, { 3, 2 } }, 2, "at 0 s: the table of link 1 has a period of 2 s, but is 2 s long" },
        { { { 1, 5 }, { 3, 2 } }, -1, "at 0 s: period of the table of link 1 is -1" },
        { { { 1, 5 }, { 3, 2 } }, NAN, "at 0 s: period of the table of link 1 is nan" },
    };
    (void)state;
    assert_int_equal(simkit_link_follow(NULL, 1, bad[0].points, 1, 0), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_link_follow(world, 1, bad[0].points, 1, 0), SIMKIT_UNKNOWN_LINK);
    assert_why("at 0 s: a table names link 1, but there is none");
    add_link(10, 0, 0);
    follow(1, (simkit_link_point[]){ { 1, 30 } }, 1, 0);
    assert_int_equal(simkit_link_follow(world, 1, NULL, 1, 0), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: the table of link 1 needs its rows");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(simkit_link_follow(world, 1, bad[i].points, 2, bad[i].period), SIMKIT_BAD_ARGUMENT);
        assert_why_begins(bad[i].why);
    }
    assert_equal(world->wires[0].bandwidth, 10);
    succeeds(simkit_world_run_until(world, 1)); /* the table before them counts */
    assert_equal(world->wires[0].bandwidth, 30);
    succeeds(simkit_world_run_until(world, 1e17));
    assert_int_equal(simkit_link_follow(world, 1, (simkit_link_point[]){ { 1, 20 }, { 1.5, 40 } }, 2, 1),
                     SIMKIT_BAD_TIME);
    assert_why("at 1e+17 s: the time is too large to distinguish the rows of the table of link 1, 1 s apart");
    assert_equal(world->wires[0].bandwidth, 30);
    follow(1, (simkit_link_point[]){ { 1e17 + 64, 20 } }, 1, 8);
    assert_int_equal(simkit_world_run_until(world, 2e17), SIMKIT_BAD_TIME);
}

/*=============================================================================
 * Transfers
 *===========================================================================*/
/* Those that end at one instant end in the order in which they were started, by both policies, whatever place in memory
 * each has. In the last round the lower half of their numbers begins again at 0. */
static void ends_of_one_instant_are_in_order(void **state)
{
    enum { ENDS = 64 };
    (void)state;
    for (int policy = SIMKIT_SHARING_EQUAL; policy <= SIMKIT_SHARING_MAXMIN; ++policy) {
        const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int n = 0; n < ENDS; ++n) add_node(&desc);
        for (int round = 0; round < 3; ++round) { /* places are used again from the last one back */
            ordered = 0;
            if (round == 2) world->labels = UINT32_MAX - ENDS / 2;
            for (size_t i = 1; i < ENDS; ++i)
                assert_int_equal(simkit_transfer_start(world,
                                                       &(simkit_transfer_desc){ .from = 1,
                                                                                .to = (simkit_node)(ENDS + 1 - i),
                                                                                .bytes = 1e4,
                                                                                .done = is_next,
                                                                                .user = (void *)(uintptr_t)i },
                                                       NULL),
                                 SIMKIT_OK);
            assert_int_equal(simkit_world_run(world), SIMKIT_OK);
            assert_int_equal(ordered, ENDS - 1);
            for (size_t i = 1; i < ENDS; ++i) assert_int_equal(order[i - 1], i);
        }
    }
}

/*=============================================================================
 * Maps of loads
 *===========================================================================*/
static double link_cell(simkit_link link, bool back, size_t column)
{
    const size_t place = 2 * (link - (size_t)1) + back;
    assert_true(simkit__loadmap_catch_up(map));
    return place < simkit__count(map->links) && map->links[place] ? map->links[place][column] : 0;
}

static double node_cell(simkit_node node, int side, size_t column)
{
    const size_t place = 2 * (node - (size_t)1) + (size_t)side;
    assert_true(simkit__loadmap_catch_up(map));
    return place < simkit__count(map->nodes) && map->nodes[place] ? map->nodes[place][column] : 0;
}

static double node_bytes(simkit_node node, int side)
{
    const size_t place = 2 * (node - (size_t)1) + (size_t)side;
    assert_true(simkit__loadmap_catch_up(map));
    return simkit__loadmap_sum(place < simkit__count(map->nodes) ? map->nodes[place] : NULL);
}

/* Links of 64 and 16 B/s in a row. The first transfer crosses one, the second both: it gets 16, the first 32, or max-min the
 * 48 that are left, and all when the second has ended. */
static void cell_by_cell(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 3; ++i) add_node(NULL);
        const simkit_link links[] = { add_link(64, 0, 0), add_link(16, 0, 0) };
        route(1, 2, links, 1);
        route(1, 3, links, 2);
        open_map();
        send(1, 2, 512, NULL);
        send(1, 3, 64, NULL);
        succeeds(simkit_world_run(world));
        assert_close(simkit_clock_now(world), policy ? 9 : 10, 1e-15);
        assert_equal(map->width, 1 / 16.0);
        for (size_t i = 0; i < 256; ++i) {
            const double first = i < 64 ? (policy ? 64 : 48) : i < (policy ? 144 : 160) ? 64 : 0;
            assert_close(link_cell(1, false, i), first / 16, 1e-14);
            assert_close(link_cell(2, false, i), i < 64 ? 1 : 0, 1e-14);
            assert_equal(link_cell(1, true, i), 0);
            assert_equal(link_cell(2, true, i), 0);
        }
        assert_close(simkit_loadmap_bytes(map, 1, false), 576, 1e-15);
        assert_close(simkit_loadmap_bytes(map, 2, false), 64, 1e-15);
        assert_equal(simkit_loadmap_bytes(map, 2, true), 0);
        assert_true(isnan(simkit_loadmap_bytes(map, 0, false)));
        assert_true(isnan(simkit_loadmap_bytes(map, 3, false)));
        assert_true(isnan(simkit_loadmap_bytes(NULL, 1, false)));
        picture();
    }
}

/* A weight of 3, a limit, half duplex, the links of nodes; and the picture of a moment. */
static void shares_of_all_kinds(void **state)
{
    (void)state;
    add_node(&(simkit_node_desc){ .up_bandwidth = 64, .down_bandwidth = 64, .duplex = 1 });
    add_node(&(simkit_node_desc){ .down_bandwidth = 8 });
    add_node(NULL);
    open_map();
    simkit_transfer_desc desc = { .from = 1, .to = 3, .bytes = 1e6, .weight = 3 };
    succeeds(simkit_transfer_start(world, &desc, NULL)); /* 64 * 3 / 5 */
    desc.to = 2, desc.weight = 1;
    succeeds(simkit_transfer_start(world, &desc, NULL)); /* 8 */
    desc.from = 3, desc.to = 1, desc.rate_limit = 4;
    succeeds(simkit_transfer_start(world, &desc, NULL)); /* 4 */
    succeeds(simkit_world_run_until(world, 10));
    assert_close(node_bytes(1, SIMKIT__UP), 10 * (64 * 0.6 + 8), 1e-14);
    assert_close(node_bytes(1, SIMKIT__DOWN), 10 * 4, 1e-14);
    assert_close(node_bytes(2, SIMKIT__DOWN), 10 * 8, 1e-14);
    assert_equal(node_bytes(2, SIMKIT__UP), 0); /* it has no bandwidth */
    const char *text = picture();
    assert_non_null(strstr(text, "<title>node 1, up: 70 to 75 %</title>"));
    assert_non_null(strstr(text, "<title>node 1, down: 5 to 10 %</title>"));
    assert_non_null(strstr(text, "<title>node 2, down: 95 to 100 %</title>"));
    assert_null(strstr(text, "node 3"));
    assert_non_null(strstr(text, "&lt;a&gt; &amp; &quot;b&quot;"));
}

/* What passes at once is in the column where the bytes begin to flow. */
static void bursts(void **state)
{
    (void)state;
    add_node(&(simkit_node_desc){ .up_bandwidth = 64, .burst = 100 });
    add_node(&(simkit_node_desc){ .down_bandwidth = 32 });
    add_node(NULL);
    open_map();
    send(1, 3, 164, NULL); /* 100 at once, then 64 in 1 s */
    succeeds(simkit_world_run(world));
    assert_equal(simkit_clock_now(world), 1);
    assert_equal(map->width, 1 / 128.0);
    for (size_t i = 0; i < 128; ++i) assert_close(node_cell(1, SIMKIT__UP, i), i == 0 ? 100.5 : 0.5, 1e-14);
    succeeds(simkit_world_run_until(world, 6));
    send(1, 3, 80, NULL); /* all at once */
    succeeds(simkit_world_run(world));
    assert_close(node_bytes(1, SIMKIT__UP), 244, 1e-14);
    assert_close(node_cell(1, SIMKIT__UP, 192), 80, 1e-14);
    picture();
}

/* Transfers of a pair with a link of its own count at the links of both nodes. */
static void links_of_pairs(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)policy });
        for (int i = 0; i < 3; ++i) add_node(&(simkit_node_desc){ .up_bandwidth = 10, .down_bandwidth = 10 });
        succeeds(simkit_pair_set(world, 1, 2, &(netmodel_link){ 0, 1 / 4.0 }));
        open_map();
        send(1, 2, 64, NULL);
        send(1, 3, 20, NULL);
        send(1, 1, 5, NULL);
        succeeds(simkit_world_run_until(world, 1));
        assert_close(node_bytes(2, SIMKIT__DOWN), 4, 1e-14);
        assert_close(node_bytes(3, SIMKIT__DOWN), policy == SIMKIT_SHARING_EQUAL ? 5 : 6, 1e-14);
        succeeds(simkit_world_run(world));
        assert_close(node_bytes(1, SIMKIT__UP), 84, 1e-14);
        picture();
    }
}

static void change(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_link_change(w, 1, 32, 0));
}

static void fail_and_return(simkit_world *w, void *user)
{
    (void)user;
    if (w->wires[0].failed)
        succeeds(simkit_link_repair(w, 1));
    else
        succeeds(simkit_link_fail(w, 1));
}

/* The share of a column is that of what the link could carry in it. */
static void changes_are_marked(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) add_node(NULL);
    const simkit_link link = add_link(64, 0, 0);
    route(1, 2, &link, 1);
    open_map();
    send(1, 2, 1000, NULL);
    succeeds(simkit_step_at(world, 4 + 1 / 32.0, 0, change, NULL, NULL));          /* in the middle of a column */
    succeeds(simkit_step_at(world, 6, 0, fail_and_return, NULL, NULL));            /* 258 + 63 B so far */
    succeeds(simkit_step_at(world, 8 + 3 / 64.0, 0, fail_and_return, NULL, NULL)); /* three quarters of one */
    succeeds(simkit_world_run(world));
    send(1, 2, 32, NULL);
    succeeds(simkit_world_run(world));
    assert_equal(map->width, 1 / 16.0);
    assert_close(simkit_loadmap_bytes(map, 1, false), 258 + 63 + 32, 1e-14);
    assert_close(link_cell(1, false, 64), 2 + 1, 1e-14);
    simkit__heat_row row;
    simkit__heat_row_of(map, 0, &row);
    for (size_t i = 0; i < simkit__heat_columns(map); ++i)
        assert_close(simkit__heat_share(map, &row, 0, i), i < 96 || i >= 128 ? 1 : 0, 1e-13);
    for (size_t i = 0; i < 256; ++i) {
        assert_close(row.changes->failed[i], i < 96 || i > 128 ? 0 : i < 128 ? 1 / 16.0 : 3 / 64.0, 1e-13);
        assert_equal(row.changes->resized[i], i == 64);
    }
    const char *text = picture();
    assert_non_null(strstr(text, "<title>link 1: failed</title>"));
    assert_non_null(strstr(text, "its bandwidth changed"));
    assert_null(strstr(text, "0 to 5 %"));
    /* columns double, and nothing is lost */
    succeeds(simkit_world_run_until(world, 1e5));
    assert_equal(map->width, 1 / 16.0);
    assert_close(simkit_loadmap_bytes(map, 1, false), 258 + 63 + 32, 1e-14);
    assert_equal(map->width, 512);
    assert_close(link_cell(1, false, 0), 258 + 63 + 32, 1e-14);
    simkit__heat_row_of(map, 0, &row);
    assert_close(simkit__loadmap_sum(row.changes->failed), 2 + 3 / 64.0, 1e-14);
    assert_close(simkit__loadmap_sum(row.changes->capacity), 64 * (4 + 1 / 32.0) + 32 * (1e5 - 6 - 5 / 64.0), 1e-14);
    text = picture(); /* too short to be hatched */
    assert_null(strstr(text, "failed</title>"));
    assert_non_null(strstr(text, "#cc3311"));
}

/*=============================================================================
 * Maps of loads: random networks
 *===========================================================================*/
enum { MAP_NODES = 7, MAP_LINKS = 9, MAP_FLOWS = 40 };

typedef struct sent {
    simkit_transfer_desc desc;
    simkit_link links[MAP_LINKS];
    size_t count;
    simkit_transfer handle;
    int done, lost;
} sent;

static void count_done(simkit_world *w, void *user)
{
    (void)w;
    ++((sent *)user)->done;
}

static void count_lost(simkit_world *w, void *user)
{
    (void)w;
    ++((sent *)user)->lost;
}

static void start(simkit_world *w, void *user)
{
    sent *s = (sent *)user;
    succeeds(simkit_transfer_start(w, &s->desc, &s->handle));
}

static void change_one(simkit_world *w, void *user)
{
    simkit_random *r = (simkit_random *)user;
    const simkit_link link = (simkit_link)simkit_random_below(r, simkit_link_count(w)) + 1;
    succeeds(simkit_link_change(w, link, 10 + 90 * simkit_random_uniform(r), 0));
}

static void fail_one(simkit_world *w, void *user)
{
    simkit_random *r = (simkit_random *)user;
    const simkit_link link = (simkit_link)simkit_random_below(r, simkit_link_count(w)) + 1;
    if (w->wires[link - 1].failed)
        succeeds(simkit_link_repair(w, link));
    else
        succeeds(simkit_link_fail(w, link));
}

/* A random world, and what is sent in it, on the same routes in both directions. Gives the fingerprint. */
static uint64_t random_run(uint64_t seed, bool records, bool fails, sent all[MAP_FLOWS])
{
    simkit_random r = simkit_random_stream(world, seed);
    simkit_link links[MAP_NODES][MAP_NODES][MAP_LINKS];
    size_t counts[MAP_NODES][MAP_NODES];
    const bool plain = simkit_random_below(&r, 4) == 0; /* a star */
    reopen_world(&(simkit_world_desc){ .sharing = (simkit_sharing)simkit_random_below(&r, 2),
                                       .latency = simkit_random_uniform(&r),
                                       .pair_duplex = simkit_random_below(&r, 4) == 0 ? 1.3 : 0 });
    for (int i = 0; i < MAP_NODES; ++i)
        add_node(
            &(simkit_node_desc){ .up_bandwidth = simkit_random_below(&r, 2) ? 20 + 50 * simkit_random_uniform(&r) : 0,
                                 .down_bandwidth = simkit_random_below(&r, 2) ? 50 : 0,
                                 .duplex = simkit_random_below(&r, 4) == 0 ? 1.5 : 0,
                                 .burst = simkit_random_below(&r, 3) == 0 ? 30 : 0 });
    for (int i = 0; i < MAP_LINKS; ++i) add_link(20 + 80 * simkit_random_uniform(&r), 0, i % 3 == 0 ? 1.2 : 0);
    for (simkit_node from = 1; from <= MAP_NODES; ++from)
        for (simkit_node to = 1; to < from; ++to) {
            size_t count = 0;
            for (simkit_link link = 1; link <= MAP_LINKS && !plain; ++link)
                if (simkit_random_below(&r, 3) == 0) links[from - 1][to - 1][count++] = link;
            counts[from - 1][to - 1] = count;
            if (count > 0) route(from, to, links[from - 1][to - 1], count);
            if (simkit_random_below(&r, 8) == 0)
                succeeds(simkit_pair_set(world, from, to, &(netmodel_link){ 0.5, 0.2 }));
        }
    map = NULL;
    if (records) open_map();
    succeeds(simkit_fingerprint_begin(world));
    for (int i = 0; i < MAP_FLOWS; ++i) {
        sent *s = &all[i];
        memset(s, 0, sizeof *s);
        s->desc.from = (simkit_node)simkit_random_below(&r, MAP_NODES) + 1;
        s->desc.to = (simkit_node)simkit_random_below(&r, MAP_NODES) + 1;
        s->desc.bytes = 500 * simkit_random_uniform(&r);
        s->desc.in_order = simkit_random_below(&r, 3) == 0;
        if (simkit_random_below(&r, 3) == 0) s->desc.weight = 0.5 + 3 * simkit_random_uniform(&r);
        if (simkit_random_below(&r, 3) == 0) s->desc.rate_limit = 5 + 30 * simkit_random_uniform(&r);
        s->desc.done = count_done;
        s->desc.lost = count_lost;
        s->desc.user = s;
        const simkit_node more = s->desc.from > s->desc.to ? s->desc.from : s->desc.to;
        const simkit_node less = s->desc.from + s->desc.to - more;
        if (more != less) {
            s->count = counts[more - 1][less - 1];
            memcpy(s->links, links[more - 1][less - 1], sizeof s->links);
        }
        succeeds(simkit_step_at(world, 20 * simkit_random_uniform(&r), 0, start, s, NULL));
    }
    for (int i = 0; i < 6; ++i)
        succeeds(simkit_step_at(world, 40 * simkit_random_uniform(&r), 0, change_one, &r, NULL));
    for (int i = 0; i < 6 && fails; ++i)
        succeeds(simkit_step_at(world, 21 + 40 * simkit_random_uniform(&r), 0, fail_one, &r, NULL));
    succeeds(simkit_world_run(world));
    return simkit_fingerprint_value(world);
}

static void random_networks(void **state)
{
    static sent all[MAP_FLOWS], same[MAP_FLOWS];
    int lost = 0, finite = 0;
    (void)state;
    for (uint64_t seed = 0; seed < CASES(300); ++seed) {
        const bool fails = seed % 3 == 0;
        double links[MAP_LINKS][2] = { { 0 } }, nodes[MAP_NODES][2] = { { 0 } };
        const uint64_t fingerprint = random_run(seed, false, fails, same);
        assert_int_equal(random_run(seed, true, fails, all), fingerprint);
        if (seed % 16 == 0) picture();
        for (int i = 0; i < MAP_FLOWS; ++i) {
            const sent *s = &all[i];
            assert_int_equal(s->done + s->lost, 1);
            lost += s->lost;
            if (s->lost || s->desc.from == s->desc.to) continue;
            for (size_t k = 0; k < s->count; ++k) links[s->links[k] - 1][s->desc.from < s->desc.to] += s->desc.bytes;
            nodes[s->desc.from - 1][0] += s->desc.bytes;
            nodes[s->desc.to - 1][1] += s->desc.bytes;
        }
        for (int i = 0; i < MAP_LINKS; ++i)
            for (int back = 0; back < 2; ++back) {
                const double bytes = simkit_loadmap_bytes(map, (simkit_link)i + 1, back);
                if (fails)
                    assert_true(bytes >= links[i][back] * (1 - 1e-12));
                else
                    assert_close(bytes, links[i][back], 1e-12);
            }
        for (simkit_node i = 1; i <= MAP_NODES && !fails; ++i)
            for (int side = 0; side < 2; ++side) {
                if (!(world->ports[world->nodes[i - 1].ports[side]].bandwidth < (double)INFINITY)) continue;
                assert_close(node_bytes(i, side), nodes[i - 1][side], 1e-12);
                ++finite;
            }
        /* nothing carries more than it can, but for bursts */
        for (size_t i = 0; i < MAP_LINKS; ++i) {
            simkit__heat_row row;
            simkit__heat_row_of(map, i, &row);
            for (size_t k = 0; k < simkit__heat_columns(map); ++k)
                for (int side = 0; side < 2; ++side) {
                    const double share = simkit__heat_share(map, &row, side, k);
                    assert_true(share >= 0 && share <= 1 + 1e-9);
                }
        }
    }
    assert_true(lost > CASES(100) && finite > CASES(500));
}

/*=============================================================================
 * Computing
 *===========================================================================*/
/* A thousand demands, one or two at a time, are no more than a few classes. */
static void classes_of_demands_are_used_again(void **state)
{
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 3, .memory_bandwidth = 5 });
    simkit_computation last = 0;
    (void)state;
    for (int i = 0; i < 1000; ++i) {
        const simkit_computation_desc compute = { .node = node, .seconds = 1 + i % 3, .memory_rate = i, .nice = i % 2 };
        assert_int_equal(simkit_computation_start(world, &compute, &last), SIMKIT_OK);
        if (i % 5 == 0) assert_true(simkit_computation_cancel(world, last));
        if (i % 2 == 1) succeeds(simkit_world_run(world));
    }
    assert_true(simkit__count(world->nodes[0].classes) <= 3);
}

/* On a node whose memory is infinitely fast a rate makes no difference, and no class. */
static void a_rate_needs_a_bandwidth(void **state)
{
    const simkit_node node = add_node(NULL);
    ended e[8] = { { 0 } };
    (void)state;
    for (int i = 0; i < 8; ++i) {
        const simkit_computation_desc compute = {
            .node = node, .seconds = 1, .memory_rate = i * 1e9, .done = note_done, .user = &e[i]
        };
        succeeds(simkit_computation_start(world, &compute, NULL));
    }
    succeeds(simkit_world_run(world));
    for (int i = 0; i < 8; ++i) assert_close(e[i].time, 8, 1e-12);
    assert_int_equal(simkit__count(world->nodes[0].classes), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(all_at_once),
        WORLD_TEST(many_comings_and_goings),
        WORLD_TEST(quiet_ports_wake_with_those_that_change),
        WORLD_TEST(links_of_some_pairs),
        WORLD_TEST(ends_of_one_instant),
        WORLD_TEST(links_follow_tables),
        WORLD_TEST(tables_break_links),
        WORLD_TEST(bad_tables_change_nothing),
        WORLD_TEST(ends_of_one_instant_are_in_order),
        WORLD_TEST(cell_by_cell),
        WORLD_TEST(shares_of_all_kinds),
        WORLD_TEST(bursts),
        WORLD_TEST(links_of_pairs),
        WORLD_TEST(changes_are_marked),
        WORLD_TEST(random_networks),
        WORLD_TEST(classes_of_demands_are_used_again),
        WORLD_TEST(a_rate_needs_a_bandwidth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
