/* Rooms computing, nodes and transfers of simkit.h: closed forms, theory, and a slow simulation of the same
 * rules that recomputes everything at every event. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "world.h"

static void run(void)
{
    if (simkit_world_run(world) != SIMKIT_OK) fail_msg("%s", simkit_world_why(world));
}

/* Something to start at a time. */
typedef struct work {
    double begin, end;
    simkit_computation_desc compute;
    simkit_transfer_desc transfer;
} work;

static void start_work(simkit_world *w, void *user)
{
    work *item = (work *)user;
    simkit_result result = item->compute.node ? simkit_computation_start(w, &item->compute, NULL)
                                              : simkit_transfer_start(w, &item->transfer, NULL);
    assert_int_equal(result, SIMKIT_OK);
}

static void start_later(work *item)
{
    item->end = -1;
    item->compute.done = item->transfer.done = note_time;
    item->compute.user = item->transfer.user = &item->end;
    assert_int_equal(simkit_step_at(world, item->begin, 0, start_work, item, NULL), SIMKIT_OK);
}

static work computing(double begin, simkit_node node, double seconds, int nice)
{
    work item;
    memset(&item, 0, sizeof item);
    item.begin = begin;
    item.compute.node = node;
    item.compute.seconds = seconds;
    item.compute.nice = nice;
    return item;
}

static work sending(double begin, simkit_node from, simkit_node to, double bytes)
{
    work item;
    memset(&item, 0, sizeof item);
    item.begin = begin;
    item.transfer.from = from;
    item.transfer.to = to;
    item.transfer.bytes = bytes;
    return item;
}

/*=============================================================================
 * Computing
 *===========================================================================*/
/* One resource of 100 units a second, equal shares. */
static void equal_shares_end_when_they_must(void **state)
{
    const simkit_node_desc hundred = { .speed = 100 };
    const simkit_node node[] = { add_node(&hundred), add_node(&hundred), add_node(&hundred), add_node(&hundred) };
    work items[] = { computing(0, node[0], 350, 0), computing(0, node[1], 150, 0), computing(0, node[1], 300, 0),
                     computing(0, node[2], 200, 0), computing(1, node[2], 200, 0), computing(0, node[3], 500, 0),
                     computing(1, node[3], 100, 0) };
    static const double ends[] = { 3.5, 3, 4.5, 3, 4, 6, 3 };

    (void)state;
    for (int i = 0; i < 7; ++i) start_later(&items[i]);
    run();
    for (int i = 0; i < 7; ++i) assert_close(items[i].end, ends[i], 1e-12);
}

static void cores_are_not_shared_until_they_are_full(void **state)
{
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 3 });
    work items[] = { computing(0, node, 1, 0), computing(0, node, 2, 0), computing(0, node, 3, 0),
                     computing(0, node, 4, 0) };

    (void)state;
    assert_string_equal(simkit_node_name(world, node), "node 1");
    for (int i = 0; i < 4; ++i) start_later(&items[i]);
    run();
    /* Four on three cores: 3/4 each until the first ends, then a core each. */
    assert_close(items[0].end, 4.0 / 3, 1e-12);
    assert_close(items[1].end, 4.0 / 3 + 1, 1e-12);
    assert_close(items[2].end, 4.0 / 3 + 2, 1e-12);
    assert_close(items[3].end, 4.0 / 3 + 3, 1e-12);
}

/* Linux today: nice 0 against nice 5 is 1024 to 335; 2.2: 20 to 15. */
static void nice_levels_share_by_weight(void **state)
{
    const simkit_node today = add_node(NULL),
                      old = add_node(&(simkit_node_desc){ .nice_rule = CONTENTION_NICE_LINUX_2_2 });
    work items[] = { computing(0, today, 1024, 0), computing(0, today, 335, 5), computing(0, old, 20, 0),
                     computing(0, old, 15, 5), computing(0, old, 10, 5) };

    (void)state;
    for (int i = 0; i < 5; ++i) start_later(&items[i]);
    run();
    assert_close(items[0].end, 1359, 1e-12);
    assert_close(items[1].end, 1359, 1e-12);
    /* 20 : 15 : 15 of 50; at 100/3 s the third is done, at 20 15 of 35 then. */
    assert_close(items[4].end, 100.0 / 3, 1e-12);
    assert_close(items[2].end, 45, 1e-12);
    assert_close(items[3].end, 45, 1e-12);
}

/* A transfer takes of its receiver's processor, and less of its sender's. */
static void communication_takes_its_part(void **state)
{
    const simkit_node_desc desc = {
        .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cpu_per_outgoing = 0.1, .cpu_per_incoming = 0.25
    };
    const simkit_node a = add_node(&desc), b = add_node(&desc);
    work items[] = { computing(0, a, 10, 0), computing(0, b, 10, 0), sending(2, a, b, 4e6) };

    (void)state;
    for (int i = 0; i < 3; ++i) start_later(&items[i]);
    run();
    assert_close(items[2].end, 6, 1e-12);
    assert_close(items[0].end, 10.4, 1e-12);
    assert_close(items[1].end, 11, 1e-12);
}

/* Transfers that take all of a processor stop it; it goes on when they have ended. */
static void communication_can_take_all(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cpu_per_incoming = 0.6 };
    const simkit_node a = add_node(&desc), b = add_node(&desc), c = add_node(&desc);
    work items[] = { computing(0, c, 1, 0), sending(0, a, c, 1e6), sending(0, b, c, 1e6) };

    (void)state;
    for (int i = 0; i < 3; ++i) start_later(&items[i]);
    run();
    assert_close(items[1].end, 2, 1e-12);
    assert_close(items[0].end, 3, 1e-12);
}

static void nothing_takes_no_time(void **state)
{
    reopen_world(&(simkit_world_desc){ .latency = 0.5 });
    const simkit_node a = add_node(NULL), b = add_node(NULL);
    work items[] = { computing(1, a, 0, 0), computing(1, a, 5, 0), sending(1, a, a, 1e9), sending(1, b, b, 0),
                     sending(1, a, b, 0),   sending(1, b, a, 1e9), sending(1, b, b, 7) };

    (void)state;
    assert_int_equal(simkit_pair_set(world, b, a, &(netmodel_link){ 0.25, 0 }), SIMKIT_OK);
    for (int i = 0; i < 7; ++i) start_later(&items[i]);
    run();
    assert_equal(items[0].end, 1);
    assert_equal(items[1].end, 6);
    assert_equal(items[2].end, 1); /* to itself */
    assert_equal(items[3].end, 1);
    assert_equal(items[4].end, 1.5);  /* the latency */
    assert_equal(items[5].end, 1.25); /* of this pair; bytes cost nothing */
    assert_equal(items[6].end, 1);
}

/*=============================================================================
 * Queueing theory
 *===========================================================================*/
typedef struct customers {
    simkit_node node;
    simkit_random arrivals, services;
    double (*service)(simkit_random *random);
    long left, present, counted;
    double area, since, sojourns;
} customers;

typedef struct customer {
    customers *of;
    double arrived;
} customer;

static double exponential(simkit_random *random)
{
    return simkit_random_exponential(random, 1);
}

static double constant(simkit_random *random)
{
    (void)random;
    return 1;
}

/* Mean 1, square of the coefficient of variation 4.5: mostly short, sometimes long. */
static double hyperexponential(simkit_random *random)
{
    return simkit_random_uniform(random) < 0.9 ? simkit_random_exponential(random, 0.5)
                                               : simkit_random_exponential(random, 5.5);
}

static void present(simkit_world *w, customers *c, int change)
{
    c->area += (double)c->present * (simkit_clock_now(w) - c->since);
    c->since = simkit_clock_now(w);
    c->present += change;
}

static void departs(simkit_world *w, void *user)
{
    customer *one = (customer *)user;
    present(w, one->of, -1);
    one->of->sojourns += simkit_clock_now(w) - one->arrived;
    ++one->of->counted;
    free(one);
}

static void arrives(simkit_world *w, void *user)
{
    customers *c = (customers *)user;
    customer *one = (customer *)malloc(sizeof *one);
    simkit_computation_desc service = { .node = c->node, .done = departs, .user = one };

    one->of = c;
    one->arrived = simkit_clock_now(w);
    present(w, c, 1);
    service.seconds = c->service(&c->services);
    assert_int_equal(simkit_computation_start(w, &service, NULL), SIMKIT_OK);
    if (--c->left > 0)
        assert_int_equal(simkit_step_after(w, simkit_random_exponential(&c->arrivals, 1 / 0.9), 0, arrives, c, NULL),
                         SIMKIT_OK);
}

#ifdef TESTS_SLOW
enum { CUSTOMERS = 20000 };
#else
enum { CUSTOMERS = 1000000 };
#endif

static customers serve(double (*service)(simkit_random *random), unsigned stream)
{
    customers c;

    memset(&c, 0, sizeof c);
    c.node = add_node(NULL);
    c.arrivals = simkit_random_stream(world, stream);
    c.services = simkit_random_stream(world, stream + 1);
    c.service = service;
    c.left = CUSTOMERS;
    c.since = simkit_clock_now(world);
    assert_int_equal(simkit_step_after(world, 0, 0, arrives, &c, NULL), SIMKIT_OK);
    run();
    return c;
}

/* Arrival rate 0.9, service rate 1: 9 customers on average, 10 time units each. A million customers of this queue give
 * a mean that is some 1.5 % around it (standard deviation); 5 % is then more than three of them. */
static void m_m_1_has_nine_customers(void **state)
{
    const double allowed = CUSTOMERS > 100000 ? 0.05 : 0.4;
    customers c = serve(exponential, 1);

    (void)state;
    assert_int_equal(c.counted, CUSTOMERS);
    assert_close(c.area / simkit_clock_now(world), 9, allowed);
    assert_close(c.sojourns / (double)c.counted, 10, allowed);
    /* Little's law holds for the sample itself. */
    assert_close(c.area, c.sojourns, 1e-9);
}

/* Processor sharing does not care how the demands are distributed: 1 / (1 - 0.9) = 10 for all. */
static void processor_sharing_is_insensitive(void **state)
{
    const double allowed = CUSTOMERS > 100000 ? 0.05 : 0.4;

    (void)state;
    assert_close(serve(constant, 3).sojourns / CUSTOMERS, 10, allowed);
    assert_close(serve(hyperexponential, 5).sojourns / CUSTOMERS, 10, allowed);
}

/*=============================================================================
 * Transfers
 *===========================================================================*/
/* 1 byte forth and 1e9 bytes back over 7.20975 MB/s and 1.461517 ms: 0.001462 s for the first, 138.703988 s in all. */
static void ping_pong_takes_latency_and_bytes(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 7.20975e6, .down_bandwidth = 7.20975e6 };
    reopen_world(&(simkit_world_desc){ .latency = 1.461517e-3 });
    const simkit_node a = add_node(&desc), b = add_node(&desc);
    work forth = sending(0, a, b, 1), back;

    (void)state;
    start_later(&forth);
    run();
    assert_close(forth.end, 1.461517e-3 + 1 / 7.20975e6, 1e-12);
    assert_true(fabs(forth.end - 0.001462) < 5e-7);
    back = sending(forth.end, b, a, 1e9);
    start_later(&back);
    run();
    assert_close(back.end, forth.end + 1.461517e-3 + 1e9 / 7.20975e6, 1e-12);
    assert_true(fabs(back.end - 138.703988) < 1e-4);
}

/* A transfer gets the smaller of its two shares, and nobody takes what it leaves: a sends to c and d, b to c. */
static void a_transfer_gets_its_smaller_share(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e7, .down_bandwidth = 1e7 };
    const simkit_node a = add_node(&desc), b = add_node(&desc), c = add_node(&desc), d = add_node(&desc);
    work items[] = { sending(0, a, c, 10e6), sending(0, a, d, 20e6), sending(0, b, c, 20e6) };

    (void)state;
    for (int i = 0; i < 3; ++i) start_later(&items[i]);
    run();
    assert_close(items[0].end, 2, 1e-12); /* all at 5 MB/s until then */
    assert_close(items[1].end, 3, 1e-12);
    assert_close(items[2].end, 3, 1e-12);
}

static void a_connection_carries_one_after_another(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e7, .down_bandwidth = 1e7 };
    reopen_world(&(simkit_world_desc){ .latency = 0.1 });
    const simkit_node a = add_node(&desc), b = add_node(&desc);
    work items[6];

    (void)state;
    for (int i = 0; i < 6; ++i) {
        items[i] = sending(0, a, b, 1e6);
        items[i].transfer.in_order = i < 4;
    }
    for (int i = 0; i < 6; ++i) start_later(&items[i]);
    run();
    /* The two that are independent share with one of the connection at a time: latency 0.1, then thirds of the link. */
    assert_close(items[0].end, 0.1 + 0.3, 1e-12);
    assert_close(items[4].end, 0.4, 1e-12);
    assert_close(items[5].end, 0.4, 1e-12);
    for (int i = 1; i < 4; ++i) assert_close(items[i].end, 0.4 + 0.2 * i, 1e-12);
}

static void a_pair_can_have_a_link_of_its_own(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e7, .down_bandwidth = 1e7 };
    const simkit_node a = add_node(&desc), b = add_node(&desc), c = add_node(&desc);
    const netmodel_link slow = { 0.5, 1e-6 }, memory = { 0, 1e-9 };
    work items[] = { sending(0, a, b, 1e6), sending(10, a, b, 1e6), sending(10.5, a, c, 1e7), sending(20, a, a, 1e9) };

    (void)state;
    assert_int_equal(simkit_pair_set(world, a, b, &slow), SIMKIT_OK);
    assert_int_equal(simkit_pair_set(world, a, a, &memory), SIMKIT_OK);
    for (int i = 0; i < 4; ++i) start_later(&items[i]);
    run();
    assert_close(items[0].end, 1.5, 1e-12);
    /* Beside another that leaves a it has no use for its half, which the other does not get. */
    assert_close(items[1].end, 11.5, 1e-12);
    assert_close(items[2].end, 11.5 + 0.5, 1e-12);
    assert_close(items[3].end, 21, 1e-12);
    assert_int_equal(simkit_pair_set(world, a, b, &(netmodel_link){ -1, 0 }), SIMKIT_BAD_ARGUMENT);
    assert_why(
        "at 21 s: the link from node 1 to node 2 needs a latency and a byte time that are finite and not negative");
    assert_int_equal(simkit_pair_set(world, 9, b, &slow), SIMKIT_UNKNOWN_NODE);
    assert_int_equal(simkit_pair_set(world, a, b, NULL), SIMKIT_BAD_ARGUMENT);
}

/* A bandwidth in place of a byte time, or the reverse, is slower than anything real: refused, unless the world allows it. */
static void implausible_links_are_refused(void **state)
{
    static const char text[] = "[network]\n[node a]\nbandwidth = 0.5 B/s\n";
    static const char slow_pair[] = "[network]\n[node a]\ncount = 2\n[pair a0 a1]\nbandwidth = 0.5 B/s\n";
    const netmodel_link mistaken = { 30e-6, 11.5e6 }, slowest = { 0, 1 };
    simkit_node node[2];
    (void)state;
    for (int allowed = 0; allowed < 2; ++allowed) {
        const simkit_result wanted = allowed ? SIMKIT_OK : SIMKIT_BAD_ARGUMENT;
        reopen_world(&(simkit_world_desc){ .slow_links = allowed });
        const simkit_node a = add_node(NULL), b = add_node(&(simkit_node_desc){ .name = "b", .up_bandwidth = 1 });
        assert_int_equal(simkit_pair_set(world, a, b, &slowest), SIMKIT_OK);
        assert_int_equal(simkit_pair_set(world, a, b, &mistaken), wanted);
        if (!allowed)
            assert_why("at 0 s: the link from node 1 to node 'b' has a byte time of 11500000 s/B, which looks like a "
                       "bandwidth: its byte time would be 8.69565217e-08 s/B (simkit_world_desc.slow_links allows more "
                       "than 1 s/B)");
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .up_bandwidth = 0.99 }, NULL), wanted);
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .down_bandwidth = 0.99 }, NULL), wanted);
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .memory_bandwidth = 0.99 }, NULL), wanted);
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .up_bandwidth = 1e-3 }, NULL),
                         SIMKIT_BAD_ARGUMENT);
        for (int pair = 0; pair < 2; ++pair) {
            simkit_machine *machine;
            const simkit_input input = { .text = pair ? slow_pair : text, .length = strlen(pair ? slow_pair : text) };
            assert_int_equal(simkit_machine_read(&input, &machine, NULL), SIMKIT_OK);
            assert_int_equal(simkit_machine_add(world, machine, 2, node), wanted);
            simkit_machine_close(machine);
        }
    }
}

/*=============================================================================
 * The same rules, slowly
 *===========================================================================*/
enum { NODES = 6, ITEMS = 120 };

typedef struct slow_item {
    int state; /* 0: not yet, 1: latency or waiting its turn, 2: computes or flows, 3: done */
    double left, until, rate, end;
} slow_item;

static void simulate_slowly(double latency, const simkit_node_desc *nodes, const simkit_node *numbers,
                            const work *items, slow_item *slow)
{
    double now = 0;

    for (int i = 0; i < ITEMS; ++i) {
        slow[i].state = 0;
        slow[i].left = items[i].compute.node ? items[i].compute.seconds : items[i].transfer.bytes;
        slow[i].end = -1;
    }
    for (;;) {
        int in[NODES] = { 0 }, out[NODES] = { 0 };
        double next = HUGE_VAL;
        /* Whatever is due changes state; in-order transfers wait for those of their pair that were asked before. */
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < ITEMS; ++i) {
                const bool computes = items[i].compute.node != 0;
                slow_item *s = &slow[i];
                if (s->state == 0 && items[i].begin <= now) {
                    bool turn = true;
                    for (int k = 0; k < i && items[i].transfer.in_order; ++k)
                        turn = turn && !(items[k].transfer.in_order && slow[k].state != 3 &&
                                         items[k].transfer.from == items[i].transfer.from &&
                                         items[k].transfer.to == items[i].transfer.to);
                    if (!turn) continue;
                    s->state = computes ? 2 : 1;
                    if (!computes && items[i].transfer.from != items[i].transfer.to)
                        s->until = now + latency;
                    else
                        s->until = now;
                    changed = true;
                } else if (s->state == 1 && s->until <= now) {
                    s->state = items[i].transfer.from == items[i].transfer.to ? 3 : 2;
                    if (s->state == 3) s->end = now;
                    changed = true;
                }
                if (s->state == 2 && s->left <= (computes ? 1e-11 : 1e-5)) {
                    s->state = 3;
                    s->end = now;
                    changed = true;
                }
            }
        }
        for (int i = 0; i < ITEMS; ++i)
            if (slow[i].state == 2 && !items[i].compute.node) {
                out[items[i].transfer.from - numbers[0]]++;
                in[items[i].transfer.to - numbers[0]]++;
            }
        for (int i = 0; i < ITEMS; ++i) {
            slow_item *s = &slow[i];
            if (s->state == 0 && items[i].begin > now) next = fmin(next, items[i].begin);
            if (s->state == 1) next = fmin(next, s->until);
            if (s->state != 2) continue;
            if (!items[i].compute.node) {
                const int a = (int)(items[i].transfer.from - numbers[0]), b = (int)(items[i].transfer.to - numbers[0]);
                s->rate = fmin(nodes[a].up_bandwidth / out[a], nodes[b].down_bandwidth / in[b]);
            } else { /* weighted shares of the cores that are left, nobody more than one: fill until all are settled */
                const int n = (int)(items[i].compute.node - numbers[0]);
                double cores =
                    fmax(0, nodes[n].cores - in[n] * nodes[n].cpu_per_incoming - out[n] * nodes[n].cpu_per_outgoing);
                bool whole[ITEMS] = { false };
                for (bool settled = false; !settled;) {
                    double weights = 0, share = 0;
                    settled = true;
                    for (int k = 0; k < ITEMS; ++k)
                        if (slow[k].state == 2 && items[k].compute.node == items[i].compute.node && !whole[k])
                            weights += contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, items[k].compute.nice);
                    for (int k = 0; k < ITEMS && settled; ++k) {
                        if (slow[k].state != 2 || items[k].compute.node != items[i].compute.node || whole[k]) continue;
                        share = cores * contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, items[k].compute.nice) /
                                weights;
                        if (share >= 1) {
                            whole[k] = true;
                            cores -= 1;
                            settled = false;
                        } else if (k == i) {
                            s->rate = share * nodes[n].speed;
                        }
                    }
                    if (whole[i]) s->rate = nodes[n].speed;
                }
            }
            if (s->rate > 0) next = fmin(next, now + s->left / s->rate);
        }
        if (isinf(next)) return;
        for (int i = 0; i < ITEMS; ++i)
            if (slow[i].state == 2) slow[i].left -= (next - now) * slow[i].rate;
        now = next;
    }
}

static void crowds_equal_a_slow_simulation(void **state)
{
#ifdef TESTS_SLOW
    const int trials = 10;
#else
    const int trials = 60;
#endif
    uint64_t dice = 11;

    (void)state;
    for (int trial = 0; trial < trials; ++trial) {
        simkit_node_desc nodes[NODES];
        simkit_node numbers[NODES];
        work items[ITEMS];
        slow_item slow[ITEMS];
        double begin = 0;

        const double latency = random_between(&dice, 0, 0.2);
        reopen_world(&(simkit_world_desc){ .latency = latency });
        memset(nodes, 0, sizeof nodes);
        for (int i = 0; i < NODES; ++i) {
            nodes[i].speed = random_between(&dice, 0.5, 2);
            nodes[i].cores = 1 + (unsigned)random_between(&dice, 0, 3);
            nodes[i].up_bandwidth = random_between(&dice, 1e6, 1e7);
            nodes[i].down_bandwidth = random_between(&dice, 1e6, 1e7);
            nodes[i].cpu_per_incoming = random_between(&dice, 0, 0.4);
            nodes[i].cpu_per_outgoing = random_between(&dice, 0, 0.1);
            numbers[i] = add_node(&nodes[i]);
        }
        for (int i = 0; i < ITEMS; ++i) {
            const simkit_node a = numbers[(int)random_between(&dice, 0, NODES)],
                              b = numbers[(int)random_between(&dice, 0, NODES)];
            begin += random_between(&dice, 0, 0.1);
            if (random_between(&dice, 0, 1) < 0.5) {
                items[i] = computing(begin, a, random_between(&dice, 0, 2), (int)random_between(&dice, -3, 4));
            } else {
                items[i] = sending(begin, a, b, random_between(&dice, 0, 3e6));
                items[i].transfer.in_order = random_between(&dice, 0, 1) < 0.5;
            }
        }
        for (int i = 0; i < ITEMS; ++i) start_later(&items[i]);
        run();
        simulate_slowly(latency, nodes, numbers, items, slow);
        for (int i = 0; i < ITEMS; ++i) assert_close(items[i].end, slow[i].end, 1e-9);
    }
}

/*=============================================================================
 * Bad input
 *===========================================================================*/
static void bad_input_is_named(void **state)
{
    static const double bad[] = { -1, NAN, INFINITY, -INFINITY };
    const simkit_node a = add_node(&(simkit_node_desc){ .name = "alpha" });
    simkit_node node = 9;
    simkit_mailbox box = 9;
    simkit_world *none;

    (void)state;
    assert_int_equal(simkit_world_run_until(world, 0.25), SIMKIT_OK);
    /* The time of a byte instead of bytes in a time. */
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = "beta", .down_bandwidth = 8e-8 }, &node),
                     SIMKIT_BAD_ARGUMENT);
    assert_why(
        "at 0.25 s: down bandwidth of node 'beta' is 8e-08 B/s, which looks like a byte time: its bandwidth would be "
        "12500000 B/s (simkit_world_desc.slow_links allows less than 1 B/s)");
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .up_bandwidth = 1e-3 }, &node), SIMKIT_BAD_ARGUMENT);
    assert_why_begins("at 0.25 s: up bandwidth of node 2 is 0.001 B/s, which looks like a byte time: ");
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .speed = bad[i] }, &node), SIMKIT_BAD_ARGUMENT);
        assert_int_equal(node, 0);
        assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = bad[i] }, &none), SIMKIT_BAD_ARGUMENT);
        assert_null(none);
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .up_bandwidth = bad[i] }, &node),
                         SIMKIT_BAD_ARGUMENT);
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .down_bandwidth = bad[i] }, &node),
                         SIMKIT_BAD_ARGUMENT);
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .cpu_per_incoming = bad[i] }, &node),
                         SIMKIT_BAD_ARGUMENT);
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .cpu_per_outgoing = bad[i] }, &node),
                         SIMKIT_BAD_ARGUMENT);
        assert_int_equal(
            simkit_computation_start(world, &(simkit_computation_desc){ .node = a, .seconds = bad[i] }, NULL),
            SIMKIT_BAD_ARGUMENT);
        assert_int_equal(
            simkit_transfer_start(world, &(simkit_transfer_desc){ .from = a, .to = a, .bytes = bad[i] }, NULL),
            SIMKIT_BAD_ARGUMENT);
    }
    assert_why("at 0.25 s: size of the transfer from node 'alpha' to node 'alpha' is -inf, but must be finite and not "
               "negative");
    assert_int_equal(simkit_node_count(world), 1);
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = "beta", .speed = -2 }, &node),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0.25 s: speed of node 'beta' is -2, but must be finite and not negative");
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .nice_rule = (contention_nice_rule)7 }, &node),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(
        simkit_computation_start(world, &(simkit_computation_desc){ .node = 4, .seconds = 1, .name = "sum" }, NULL),
        SIMKIT_UNKNOWN_NODE);
    assert_why("at 0.25 s: computation 'sum' names node 4, but there is only node 1");
    assert_int_equal(
        simkit_computation_start(world, &(simkit_computation_desc){ .node = a, .nice = 20, .name = "sum" }, NULL),
        SIMKIT_BAD_ARGUMENT);
    assert_why("at 0.25 s: nice level 20 of computation 'sum' is not in -20 .. 19");
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = a, .to = 8, .name = "row" }, NULL),
                     SIMKIT_UNKNOWN_NODE);
    assert_why("at 0.25 s: transfer 'row' names node 8, but there is only node 1");
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = 0, .to = a }, NULL),
                     SIMKIT_UNKNOWN_NODE);
    assert_int_equal(simkit_mailbox_open(world, 3, "box", &box), SIMKIT_UNKNOWN_NODE);
    assert_int_equal(box, 0);
    assert_int_equal(simkit_mailbox_open(world, a, "box", NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_computation_start(world, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_transfer_start(world, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_mailbox_post(world, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_mailbox_take(world, 1, NULL, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_node_running(world, a), 0);
    assert_int_equal(simkit_node_running(world, 99), 0);
    assert_non_null(simkit_node_name(world, 99));
    run();
    assert_equal(simkit_clock_now(world), 0.25);
}

/* What is taken back gives its share to the others at once; handles outlive what they name. */
static void a_computation_can_be_taken_back(void **state)
{
    simkit_node node = add_node(&(simkit_node_desc){ .name = "alpha" });
    simkit_computation first = 0, second = 0, third = 0;
    double ends[3] = { -1, -1, -1 };
    (void)state;
    for (int i = 0; i < 2; ++i)
        assert_int_equal(simkit_computation_start(
                             world,
                             &(simkit_computation_desc){ .node = node, .seconds = 4, .done = note_time, .user = &ends[i] },
                             i ? &second : &first),
                         SIMKIT_OK);
    assert_true(first != 0 && second != 0 && first != second);
    assert_int_equal(simkit_world_run_until(world, 2), SIMKIT_OK);
    assert_true(simkit_computation_cancel(world, first));
    assert_false(simkit_computation_cancel(world, first));
    assert_int_equal(simkit_node_running(world, node), 1);
    assert_int_equal(
        simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .seconds = 100 }, &third),
        SIMKIT_OK); /* in the place of the first */
    assert_false(simkit_computation_cancel(world, first));
    assert_true(simkit_computation_cancel(world, third));
    run();
    assert_equal(ends[0], -1);
    assert_close(ends[1], 5, 1e-12); /* 1 s of 4 by 2 s, then alone */
    assert_false(simkit_computation_cancel(world, second));
    assert_false(simkit_computation_cancel(world, 0));
    assert_false(simkit_computation_cancel(world, UINT64_MAX));
    assert_false(simkit_computation_cancel(NULL, second));
}

/*=============================================================================
 * Memory bandwidth
 *===========================================================================*/
static work streaming(simkit_node node, double seconds, double rate)
{
    work item = computing(0, node, seconds, 0);
    item.compute.memory_rate = rate;
    return item;
}

/* Parts of a program on so many of 16 cores: faster until the memory is the limit. */
static void a_program_is_as_fast_as_its_memory(void **state)
{
    for (int n = 1; n <= 16; ++n) {
        work items[16];
        close_world(state);
        open_world(state);
        const simkit_node node = add_node(&(simkit_node_desc){ .cores = 16, .memory_bandwidth = 50 });
        for (int i = 0; i < n; ++i) {
            items[i] = streaming(node, 12.0 / n, 10);
            start_later(&items[i]);
        }
        run();
        for (int i = 0; i < n; ++i) assert_close(items[i].end, 12.0 / fmin(n, 5), 1e-12);
    }
}

/* Two that stream wait for each other, from when the second begins until the first ends; one that only computes does not
 * notice. A faster core waits longer. */
static void who_moves_nothing_does_not_wait(void **state)
{
    (void)state;
    for (double speed = 1; speed <= 4; speed *= 2) {
        const simkit_node node = add_node(&(simkit_node_desc){ .speed = speed, .cores = 4, .memory_bandwidth = 12 * speed });
        work one = streaming(node, 6 * speed, 10), other = streaming(node, 6 * speed, 8), third = streaming(node, 6 * speed, 0);
        const double now = simkit_clock_now(world);
        one.begin = third.begin = now;
        other.begin = now + 3;
        start_later(&one);
        start_later(&other);
        start_later(&third);
        run();
        assert_close(one.end - now, 3 + 3 / 0.6, 1e-12);                                /* level 6: 6/10 and 6/8 */
        assert_close(other.end - now, 3 + 3 / 0.6 + (6 - 3 / 0.6 * 0.75), 1e-12);
        assert_close(third.end - now, 6, 1e-12);
    }
}

/* Three on one core move what one would; by weight, on two cores, it is shared like the cores. */
static void the_memory_is_shared_like_the_cores(void **state)
{
    simkit_node node = add_node(&(simkit_node_desc){ .memory_bandwidth = 5 });
    work items[3];
    (void)state;
    for (int i = 0; i < 3; ++i) {
        items[i] = streaming(node, 2, 10);
        items[i].compute.nice = i; /* of different weights, and all moves at half speed */
        start_later(&items[i]);
    }
    run();
    assert_close(items[2].end, 12, 1e-12);
    assert_true(items[0].end < items[1].end && items[1].end < items[2].end);
}

/* Waiting for the memory uses up the quota: 30 ms of each 100, of which half go to waiting. */
static void waiting_for_the_memory_is_cpu_time(void **state)
{
    const simkit_node node = add_node(&(simkit_node_desc){ .quota = 0.03, .period = 0.1, .memory_bandwidth = 1 });
    work item = streaming(node, 3, 2);
    (void)state;
    start_later(&item);
    run();
    assert_close(item.end, 20, 0.006);
}

static void bad_rates_are_named(void **state)
{
    static const double bad[] = { -1, NAN, INFINITY };
    const simkit_node node = add_node(&(simkit_node_desc){ .speed = 1e10, .memory_bandwidth = 5 });
    simkit_node none = 9;
    (void)state;
    for (int i = 0; i < 3; ++i) {
        const simkit_computation_desc compute = { .node = node, .seconds = 1, .memory_rate = bad[i], .name = "sum" };
        assert_int_equal(simkit_computation_start(world, &compute, NULL), SIMKIT_BAD_ARGUMENT);
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .memory_bandwidth = bad[i] }, &none), SIMKIT_BAD_ARGUMENT);
    }
    assert_int_equal(simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .memory_rate = -1, .name = "sum" }, NULL),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: memory rate of computation 'sum' is -1, but must be finite and not negative");
    assert_int_equal(simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .memory_rate = 1e308 }, NULL),
                     SIMKIT_BAD_ARGUMENT); /* times the speed it is infinite */
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = "beta", .memory_bandwidth = 1e-9 }, &none),
                     SIMKIT_BAD_ARGUMENT);
    assert_why_begins("at 0 s: memory bandwidth of node 'beta' is 1e-09 B/s, which looks like a byte time");
    assert_int_equal(simkit_node_running(world, node), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_program_is_as_fast_as_its_memory),
        WORLD_TEST(who_moves_nothing_does_not_wait),
        WORLD_TEST(the_memory_is_shared_like_the_cores),
        WORLD_TEST(waiting_for_the_memory_is_cpu_time),
        WORLD_TEST(bad_rates_are_named),
        WORLD_TEST(a_computation_can_be_taken_back),
        WORLD_TEST(equal_shares_end_when_they_must),
        WORLD_TEST(cores_are_not_shared_until_they_are_full),
        WORLD_TEST(nice_levels_share_by_weight),
        WORLD_TEST(communication_takes_its_part),
        WORLD_TEST(communication_can_take_all),
        WORLD_TEST(nothing_takes_no_time),
        WORLD_TEST(m_m_1_has_nine_customers),
        WORLD_TEST(processor_sharing_is_insensitive),
        WORLD_TEST(ping_pong_takes_latency_and_bytes),
        WORLD_TEST(a_transfer_gets_its_smaller_share),
        WORLD_TEST(a_connection_carries_one_after_another),
        WORLD_TEST(a_pair_can_have_a_link_of_its_own),
        WORLD_TEST(implausible_links_are_refused),
        WORLD_TEST(crowds_equal_a_slow_simulation),
        WORLD_TEST(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
