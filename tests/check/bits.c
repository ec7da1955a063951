/* tests/check/bits.c   Prints the bits of everything that the kit computes. Built by every compiler, as C and as C++, at
 * every optimization, on other processors: what it prints must be the same (see tests/check/bits). */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/netmodel_fit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include <stdlib.h>

static uint64_t mixed; /* of all bits so far, for what is too much to print */

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* For calls whose results do not matter: what happens is in the bits. */
static void whatever(int result)
{
    (void)result;
}

static void print(const char *what, double value)
{
    printf("%-28s %016llx\n", what, (unsigned long long)bits_of(value));
}

static void mix(double value)
{
    mixed = (mixed ^ bits_of(value)) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
}

static void print_mixed(const char *what)
{
    printf("%-28s %016llx\n", what, (unsigned long long)mixed);
}

/*=============================================================================
 * Formulas
 *===========================================================================*/
static void mix_fit(const netmodel_fit *fit)
{
    netmodel_prediction p = netmodel_fit_predict(fit, 1e5, 0.95);

    mix(fit->line.slope);
    mix(fit->line.intercept);
    mix(fit->slope_error);
    mix(fit->intercept_error);
    mix(fit->leave_one_out);
    mix(p.mean_low);
    mix(p.high);
}

static void fits(simkit_random *random)
{
    enum { COUNT = 90, MOST = 5 };
    static double n[COUNT], t[COUNT], scratch[40000];
    double size = 64;
    netmodel_fit fit;
    netmodel_pieces pieces;
    netmodel_piece piece[MOST];
    netmodel_pieces_desc desc;
    netmodel_points points;

    for (int i = 0; i < COUNT; ++i) {
        volatile double grown = size * 1.1, transfer = size * (i < 40 ? 1e-8 : 8e-8);
        size = grown;
        n[i] = size;
        transfer = transfer + 1e-4;
        t[i] = transfer * (1 + simkit_random_uniform(random));
    }
    memset(&desc, 0, sizeof desc);
    desc.maximum = MOST;
    points.n = n;
    points.t = t;
    points.count = COUNT;
    for (int error = 0; error < 2; ++error) {
        points.error = error ? NETMODEL_ERROR_RELATIVE : NETMODEL_ERROR_ABSOLUTE;
        if (netmodel_fit_line(&points, &fit, NULL) == NETMODEL_OK) mix_fit(&fit);
        if (netmodel_fit_robust(&points, scratch, &fit, NULL) == NETMODEL_OK) mix_fit(&fit);
        for (int jumps = 0; jumps < 2 && netmodel_pieces_scratch(COUNT, MOST) <= 40000; ++jumps) {
            desc.jumps = jumps == 1;
            if (netmodel_fit_pieces(&points, &desc, scratch, piece, &pieces, NULL) != NETMODEL_OK) continue;
            mix((double)pieces.count);
            for (size_t k = 0; k < pieces.count; ++k) mix(piece[k].line.slope);
            mix(netmodel_pieces_predict(&pieces, 3e4, 0.9).low);
        }
    }
    static double own_n[COUNT + NETMODEL_BENDS_MAX], own_t[COUNT + NETMODEL_BENDS_MAX],
        miss[COUNT + NETMODEL_BENDS_MAX];
    netmodel_measured measured;
    if (netmodel_measured_fit(&points, own_n, own_t, miss, &measured, NULL) == NETMODEL_OK) {
        mix(measured.deviation);
        for (size_t k = 0; k < measured.jumps; ++k) mix(measured.jump[k].factor);
        for (double at = 1; at < 1e9; at *= 3) mix(netmodel_measured_predict(&measured, at, 0.9).high);
    }
    for (size_t freedom = 1; freedom < 700; freedom += 23) mix(netmodel_student(0.95, freedom));
    print_mixed("fits");
}

static void slowdowns(simkit_random *random)
{
    const contention_delay delay = { 2, 0.1, 0.3, 0.9, -0.1 };
    static contention_mix mixes;
    double weight[7], slowdown[7];

    for (int i = 0; i < 3000; ++i) {
        double computing = simkit_random_uniform(random), communicating = simkit_random_uniform(random);
        volatile double rest = 1 - computing;
        if (mixes.count == 20 || (mixes.count > 0 && computing < 0.4))
            whatever(contention_mix_remove(&mixes, (size_t)i % mixes.count));
        else
            whatever(contention_mix_add(&mixes, computing, communicating < rest ? communicating : rest));
        for (size_t k = 0; k <= mixes.count; ++k) mix(mixes.probability[k][1]);
        mix(contention_slowdown_local(&mixes, &delay, 1, 3 * computing));
        mix(contention_slowdown_shared(&mixes, &delay, 1, 3 * computing));
        for (int k = 0; k < 7; ++k) {
            weight[k] = 0.5 + simkit_random_uniform(random);
            slowdown[k] = 1 + simkit_random_uniform(random);
        }
        mix(contention_slowdown_by_load(7, weight, slowdown));
        mix(contention_slowdown_by_partition(7, weight, slowdown, weight, NULL));
    }
    print_mixed("slowdowns");
}

/* A ring of nodes that pass messages, in which everybody waits for somebody. */
static void timing(simkit_random *random)
{
    enum { RING = 6, TURNS = 50 };
    static netmodel_segment segments[RING][3 * TURNS];
    static netmodel_timing_span span[RING * 3 * TURNS];
    static size_t scratch[RING * (3 * TURNS + 2)];
    netmodel_timing_node node[RING];
    netmodel_timing_sum sum[RING];
    netmodel_timing_total total;
    netmodel_timing graph;
    netmodel_message message;
    netmodel_mode mode;

    memset(&message, 0, sizeof message);
    memset(&mode, 0, sizeof mode);
    message.pack.kind = NETMODEL_DELAY_LINE;
    message.pack.line.slope = 1e-8 / 3;
    message.send.link.latency = 1e-4 / 7;
    message.transmit.link = netmodel_link_of(1e-4 / 3, 3e7);
    message.receive = message.send;
    mode.messages.fallback = &message;
    for (size_t i = 0; i < RING; ++i) {
        node[i].segment = segments[i];
        node[i].count = 3 * TURNS;
        for (size_t turn = 0; turn < TURNS; ++turn) {
            netmodel_segment *own = &segments[i][3 * turn];
            own[0].seconds = simkit_random_uniform(random) * 1e-2;
            own[1].kind = NETMODEL_SEGMENT_SEND;
            own[1].peer = (i + 1) % RING;
            own[1].size = simkit_random_uniform(random) * 1e5;
            own[2].kind = NETMODEL_SEGMENT_RECEIVE;
            own[2].peer = (i + RING - 1) % RING;
        }
    }
    graph.node = node;
    graph.nodes = RING;
    graph.mode = &mode;
    graph.modes = 1;
    if (netmodel_timing_predict(&graph, scratch, sum, span, &total, NULL) != NETMODEL_OK) return;
    for (size_t i = 0; i < RING; ++i) {
        mix(sum[i].waiting);
        mix(sum[i].working);
    }
    print("timing graph", total.time);
}

/* Laws of these runs, and of the same runs without their work. */
static void mix_laws(netmodel_run run[], size_t count)
{
    static netmodel_run scratch[24];
    for (int work = 1; work >= 0; --work) {
        for (int choice = 0; choice < 3; ++choice) {
            netmodel_laws_desc how;
            netmodel_laws laws;
            how.choice = (netmodel_law_choice)choice;
            how.error = 0;
            how.kind = NETMODEL_KIND_FOUND;
            how.per_node = choice == 2 ? 4 : 0;
            if (netmodel_laws_fit(run, count, &how, scratch, &laws, NULL) != NETMODEL_OK) return;
            for (int k = 0; k < NETMODEL_LAWS; ++k) mix(laws.law[k].held_back);
            for (size_t p = 1; p < 1000; p *= 7) {
                const netmodel_forecast at = netmodel_laws_forecast(&laws, p, work * 700, 0.9);
                mix(at.time);
                mix(at.high);
            }
        }
        for (size_t i = 0; i < count; ++i) run[i].work = 0;
    }
}

static void scaling(simkit_random *random)
{
    netmodel_run run[24];
    netmodel_scaling model[2];
    netmodel_cluster cluster[2];
    netmodel_grid grid;
    netmodel_choice_desc desc;
    netmodel_choice list[3];
    size_t count = 0;

    for (size_t i = 0; i < 24; ++i) {
        volatile double noise = 0.1 * simkit_random_uniform(random), growth = 0.1 * (double)(i % 4);
        run[i].processes = i % 4 == 0 ? 1 : 3 * (i % 4);
        run[i].work = 500.0 * (double)(1 + i / 4 % 2);
        run[i].seconds = run[i].work * (1 + growth) * (1 + noise);
    }
    for (int method = 0; method < 2; ++method) {
        netmodel_scaling_desc how;
        how.method = method ? NETMODEL_SCALING_POOLED : NETMODEL_SCALING_STEPS;
        how.error = method * 0.02;
        if (netmodel_scaling_fit(run, 24, &how, &model[method], NULL) != NETMODEL_OK) return;
        mix(model[method].c_error);
        mix(model[method].d_error);
        mix(model[method].g_error);
        mix(netmodel_scaling_predict(&model[method], 100, 700, 0.9).low);
    }
    memset(cluster, 0, sizeof cluster);
    memset(&desc, 0, sizeof desc);
    for (int k = 0; k < 2; ++k) {
        cluster[k].free = 100 - 30 * (size_t)k;
        cluster[k].memory = 1000;
        cluster[k].price = 1 + k;
    }
    grid.side = 1;
    grid.work = 5e4;
    grid.scaling = model;
    desc.cluster = cluster;
    desc.clusters = 2;
    desc.grid = &grid;
    desc.grids = 1;
    desc.split = NETMODEL_SPLIT_BALANCED;
    desc.level = 0.95;
    if (netmodel_choice_list(&desc, 3, list, &count, NULL) != NETMODEL_OK) return;
    for (size_t i = 0; i < count; ++i) {
        mix(list[i].time);
        mix(list[i].high);
        mix(list[i].cost);
        mix(list[i].work[1]);
    }
    mix_laws(run, 24);
    print("scaling", model[0].c);
}

static void fair_rates(simkit_random *random)
{
    enum { HOSTS = 8, FLOWS = 40 };
    static size_t from[FLOWS], to[FLOWS], next[4 * FLOWS], first[FLOWS + 1], channel[2 * FLOWS];
    static double up[HOSTS], down[HOSTS], duplex[HOSTS], weight[FLOWS], cap[FLOWS], rate[FLOWS], sum[3 * HOSTS];
    static netmodel_maxmin_link link[3 * HOSTS + FLOWS];
    netmodel_flows flows;

    for (int i = 0; i < HOSTS; ++i) up[i] = down[HOSTS - 1 - i] = 1e6 * (1 + simkit_random_uniform(random));
    for (size_t i = 0; i < FLOWS; ++i) {
        from[i] = (size_t)(simkit_random_uniform(random) * HOSTS);
        to[i] = (from[i] + 1 + i % (HOSTS - 1)) % HOSTS;
        weight[i] = 0.1 + simkit_random_uniform(random);
    }
    for (int weighted = 0; weighted < 2; ++weighted) {
        memset(&flows, 0, sizeof flows);
        flows.nodes = flows.links = HOSTS;
        flows.up = flows.bandwidth = up;
        flows.down = down;
        flows.flows = FLOWS;
        flows.from = from;
        flows.to = to;
        flows.first = first;
        flows.channel = channel;
        flows.weight = weighted ? weight : NULL;
        whatever(netmodel_maxmin_rates(&flows, link, next, rate));
        for (int i = 0; i < FLOWS; ++i) mix(rate[i]);
    }
    print_mixed("timing, scaling, fair rates");

    for (size_t i = 0; i < FLOWS; ++i) {
        first[i + 1] = 2 * i + 2;
        channel[2 * i] = 2 * from[i] + i % 2;
        channel[2 * i + 1] = 2 * to[i] + i / 2 % 2;
        cap[i] = i % 3 ? 1e5 * (1 + simkit_random_uniform(random)) : (double)INFINITY;
    }
    for (int i = 0; i < HOSTS; ++i) duplex[i] = 1 + simkit_random_uniform(random);
    for (int round = 0; round < 16; ++round) {
        flows.weight = round & 1 ? weight : NULL;
        flows.cap = round & 2 ? cap : NULL;
        flows.duplex = round & 4 ? duplex : NULL;
        if (round & 8)
            whatever(netmodel_maxmin_rates(&flows, link, next, rate));
        else
            whatever(netmodel_network_maxmin(&flows, link, next, rate));
        for (int i = 0; i < FLOWS; ++i) mix(rate[i]);
        whatever(netmodel_network_equal(&flows, sum, rate));
        for (int i = 0; i < FLOWS; ++i) mix(rate[i]);
    }
    print_mixed("rates over a network");
}

static void routes(const netmodel_topology *topology)
{
    size_t channel[32];
    const size_t hosts = netmodel_topology_hosts(topology);
    for (size_t from = 0; from < hosts; ++from)
        for (size_t to = 0; to < hosts; to += 3) {
            const size_t count = netmodel_topology_route(topology, from, to, channel, 32);
            for (size_t i = 0; i < count && count <= 32; ++i) mix((double)channel[i]);
        }
    for (size_t i = 0; i < netmodel_topology_links(topology); i += 7)
        mix(netmodel_topology_link(topology, i).bandwidth);
    if (topology->kind != NETMODEL_TOPOLOGY_DRAGONFLY) mix(netmodel_topology_bisection(topology));
}

static void topologies(void)
{
    static netmodel_topology t; /* too large for a small stack */
    netmodel_cable cable;
    cable.bandwidth = 1.25e9 / 3;
    cable.latency = 1e-6;
    cable.duplex = 0;
    t.star.hosts = 9;
    t.star.cable = t.tree.cable[0] = t.grid.cable[0] = t.dragonfly.host_cable = cable;
    t.clusters.count = 4;
    for (size_t i = 0; i < 4; ++i) {
        t.clusters.cluster[i].hosts = 2 + i;
        t.clusters.cluster[i].cable = t.clusters.cluster[i].up = t.clusters.joint[i].cable = cable;
        t.clusters.joint[i].from = i;
        t.clusters.joint[i].to = (i + 1) % 4;
        cable.bandwidth *= 1.1;
    }
    t.tree.levels = t.grid.dimensions = 3;
    for (size_t i = 0; i < 3; ++i) {
        t.tree.down[i] = 4 - i;
        t.tree.up[i] = 1 + i;
        t.tree.count[i] = 1 + i % 2;
        t.grid.size[i] = 2 + i;
    }
    t.dragonfly.groups = 3;
    t.dragonfly.chassis = t.dragonfly.nodes = t.dragonfly.blue = 2;
    t.dragonfly.blades = 4;
    for (int kind = NETMODEL_TOPOLOGY_STAR; kind <= NETMODEL_TOPOLOGY_DRAGONFLY; ++kind) {
        t.kind = (netmodel_topology_kind)kind;
        routes(&t);
    }
    t.kind = NETMODEL_TOPOLOGY_CLUSTERS;
    t.clusters.joints = 4;
    routes(&t);
    print_mixed("routes");
}

static void formulas(simkit_random *random)
{
    static const double bytes[] = { 0, 1000, 65536, 65536, 1048576, 3e7 };
    static const double seconds[] = { 1e-4, 3.3e-4, 5.5e-3, 6.1e-3, 0.0937, 2.7 };
    netmodel_link link;
    netmodel_line line;
    netmodel_curve curve;
    contention_kernel_load kernel = { { 0, 0, 0 } };
    double load = 0, beta = contention_load_beta_window(60, 1);

    whatever(netmodel_curve_init(bytes, seconds, 6, &curve, NULL));
    for (int i = 0; i < 2000; ++i) {
        double size = simkit_random_uniform(random) * 4e7, k = 1 + (int)(simkit_random_uniform(random) * 9);
        link.latency = simkit_random_uniform(random);
        link.byte_time = simkit_random_uniform(random) * 1e-6;
        line.slope = simkit_random_uniform(random) - 0.5;
        line.intercept = simkit_random_uniform(random) - 0.5;
        mix(netmodel_link_time(&link, size));
        mix(netmodel_line_time(&line, size));
        mix(netmodel_curve_time(&curve, size));
        mix(netmodel_star_rate(1 / link.byte_time, k, 1e6, 3));
        mix(contention_share_equal(2, 0.3, k));
        load = contention_load_next(beta, load, k);
        mix(load);
        contention_kernel_load_next(&kernel, (uint64_t)k);
        for (int n = 0; n < 3; ++n) mix(contention_kernel_load_value(&kernel, n));
        mix(simkit_random_exponential(random, 3));
    }
    for (int nice = -20; nice < 20; ++nice) {
        mix(contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, nice));
        mix(contention_nice_weight(CONTENTION_NICE_LINUX_2_2, nice));
    }
    print("load average", load);
    print_mixed("formulas");
}

/*=============================================================================
 * A world in which everything happens at once
 *===========================================================================*/
enum { NODES = 5, STEPS = 3000 };

typedef struct member {
    struct crowd *crowd;
    int number;
} member;

typedef struct crowd {
    simkit_node node[NODES];
    simkit_random random;
    simkit_mailbox mailbox[NODES];
    member members[NODES];
    int left;
} crowd;

static double between(crowd *c, double low, double high)
{
    volatile double step = (high - low) * simkit_random_uniform(&c->random); /* never fused with the sum */
    return low + step;
}

static simkit_node any(crowd *c)
{
    return c->node[(int)between(c, 0, NODES)];
}

static void ended(simkit_world *world, void *user)
{
    (void)user;
    mix(simkit_clock_now(world));
}

static void begin_something(simkit_world *world, void *user)
{
    crowd *c = (crowd *)user;
    simkit_computation_desc compute;
    simkit_transfer_desc transfer;

    memset(&compute, 0, sizeof compute);
    compute.node = any(c);
    compute.seconds = between(c, 0, 0.4);
    compute.nice = (int)between(c, -5, 6);
    compute.done = ended;
    memset(&transfer, 0, sizeof transfer);
    transfer.from = any(c);
    transfer.to = any(c);
    transfer.bytes = between(c, 0, 3e6);
    transfer.in_order = between(c, 0, 1) < 0.5;
    transfer.done = ended;
    whatever(simkit_computation_start(world, &compute, NULL));
    whatever(simkit_transfer_start(world, &transfer, NULL));
    if (--c->left > 0)
        whatever(simkit_step_after(world, simkit_random_exponential(&c->random, 0.1), 0, begin_something, c, NULL));
}

#ifndef SIMKIT_NO_PROCESSES
/* One of five that pass a message around a ring and compute between. */
static void passes(simkit_world *world, void *user)
{
    const member *self = (const member *)user;
    crowd *c = self->crowd;
    simkit_post_desc post;
    simkit_computation_desc compute;

    memset(&post, 0, sizeof post);
    memset(&compute, 0, sizeof compute);
    post.to = c->mailbox[(self->number + 1) % NODES];
    post.bytes = 1e5 / 3;
    compute.seconds = 0.01 / 7;
    for (int i = 0; i < 100; ++i) {
        if (simkit_process_receive(world, c->mailbox[self->number], NULL) != SIMKIT_OK) return;
        whatever(simkit_process_compute(world, &compute, NULL));
        whatever(simkit_process_send(world, &post, NULL));
        mix(simkit_clock_now(world));
    }
}
#endif

static void crowded(uint64_t seed)
{
    simkit_world_desc desc;
    simkit_node_desc node;
    simkit_world *world;
    simkit_post_desc post;
    crowd c;

    memset(&desc, 0, sizeof desc);
    memset(&node, 0, sizeof node);
    memset(&c, 0, sizeof c);
    memset(&post, 0, sizeof post);
    desc.seed = seed;
    desc.latency = 1e-3 / 3;
    if (simkit_world_open(&desc, &world) != SIMKIT_OK) return;
    c.random = simkit_random_stream(world, 1);
    for (int i = 0; i < NODES; ++i) {
        node.speed = between(&c, 0.5, 2);
        node.cores = 1u + (unsigned)i % 2;
        node.up_bandwidth = between(&c, 1e7, 1e8);
        node.down_bandwidth = between(&c, 1e7, 1e8);
        node.cpu_per_outgoing = 0.03;
        node.cpu_per_incoming = 0.11;
        whatever(simkit_node_add(world, &node, &c.node[i]));
        whatever(simkit_mailbox_open(world, c.node[i], NULL, &c.mailbox[i]));
    }
    c.left = STEPS;
    whatever(simkit_step_at(world, 0, 0, begin_something, &c, NULL));
#ifndef SIMKIT_NO_PROCESSES
    for (int i = 0; i < NODES; ++i) {
        simkit_process_desc process;
        memset(&process, 0, sizeof process);
        process.node = c.node[i];
        process.body = passes;
        c.members[i].crowd = &c;
        c.members[i].number = i;
        process.user = &c.members[i];
        post.from = c.node[i];
        post.to = c.mailbox[i];
        whatever(simkit_mailbox_post(world, &post, NULL));
        whatever(simkit_process_start(world, &process, NULL));
    }
#endif
    while (simkit_clock_events(world) < 1000000 && simkit_world_run(world) == SIMKIT_STOPPED) {
    }
    print("crowded until", simkit_clock_now(world));
    printf("%-28s %llu\n", "steps", (unsigned long long)simkit_clock_events(world));
    print_mixed("crowded");
    simkit_world_close(world);
}

/* All hosts to all others at once, sizes and links different, by both ways to share; one host fails on the way. */
static void fails(simkit_world *world, void *user)
{
    mix((double)simkit_node_fail(world, *(simkit_node *)user));
}

static void told(simkit_world *world, void *user)
{
    mix(simkit_clock_now(world));
    mix((double)(uintptr_t)user);
}

static void star(simkit_sharing policy)
{
    enum { HOSTS = 12 };
    simkit_random random = { 7 };
    simkit_world_desc desc;
    simkit_world *world;
    simkit_node node[HOSTS], victim;
    memset(&desc, 0, sizeof desc);
    desc.sharing = policy;
    desc.latency = 1e-3 / 7;
    if (simkit_world_open(&desc, &world) != SIMKIT_OK) exit(1);
    for (int i = 0; i < HOSTS; ++i) {
        simkit_node_desc host;
        memset(&host, 0, sizeof host);
        host.up_bandwidth = 1e7 / (1 + simkit_random_uniform(&random));
        host.down_bandwidth = 1e7 / (double)(1 + i % 3);
        host.cpu_per_incoming = 0.01;
        whatever(simkit_node_add(world, &host, &node[i]));
    }
    for (int i = 0; i < HOSTS * HOSTS; ++i) {
        simkit_transfer_desc transfer;
        memset(&transfer, 0, sizeof transfer);
        transfer.from = node[i / HOSTS];
        transfer.to = node[i % HOSTS];
        transfer.bytes = 1e6 * simkit_random_exponential(&random, 1);
        transfer.in_order = i % 5 == 0;
        transfer.done = transfer.lost = told;
        transfer.user = (void *)(uintptr_t)i;
        whatever(simkit_transfer_start(world, &transfer, NULL));
    }
    victim = node[3];
    whatever(simkit_step_at(world, 1.25, -1, fails, &victim, NULL));
    mix((double)simkit_world_run(world));
    mix((double)simkit_clock_events(world));
    simkit_world_close(world);
    print_mixed(policy == SIMKIT_SHARING_EQUAL ? "star, equal shares" : "star, max-min");
}

/*=============================================================================
 * Users
 *===========================================================================*/
static void users(simkit_random *random)
{
    static const double values[] = { 0.3, 4, 0.01 }, weights[] = { 5, 0.3, 2 }, again[] = { 1 };
    static simkit_distribution laws[SIMKIT_LAW_INTEGER + 1];
    static simkit_user_state state;
    static simkit_arrival trace[50];
    for (int i = 0; i <= SIMKIT_LAW_INTEGER; ++i) {
        laws[i].law = (simkit_law)i;
        laws[i].mean = i == SIMKIT_LAW_POISSON ? 3e3 : 0.7;
        laws[i].deviation = 0.9;
        laws[i].shape = i == SIMKIT_LAW_ERLANG ? 3 : 1.1;
        laws[i].scale = 0.6;
        laws[i].minimum = i == SIMKIT_LAW_INTEGER ? 3 : 0.05;
        laws[i].mode = 0.3;
        laws[i].maximum = i == SIMKIT_LAW_PARETO || i > SIMKIT_LAW_SAMPLE ? 200 : 0;
        laws[i].values = values;
        laws[i].weights = weights;
        laws[i].count = 3;
        for (int n = 0; n < 1000; ++n) mix(simkit_distribution_draw(&laws[i], random));
    }
    laws[SIMKIT_LAW_GAMMA].shape = 0.3;
    laws[SIMKIT_LAW_POISSON].mean = 3;
    for (int n = 0; n < 1000; ++n) {
        mix(simkit_distribution_draw(&laws[SIMKIT_LAW_GAMMA], random));
        mix(simkit_distribution_draw(&laws[SIMKIT_LAW_POISSON], random));
        mix(simkit_random_normal(random, -1, 0.1));
        mix((double)simkit_random_below(random, 1000));
    }
    print_mixed("distributions");
    for (int i = 0; i < 50; ++i) {
        trace[i].time = 10.0 * i;
        trace[i].seconds = simkit_distribution_draw(&laws[3], random);
        trace[i].process = (uint32_t)i % 4;
    }
    state.think = laws[1];
    state.demand = laws[3];
    state.next = again;

    simkit_world *world;
    simkit_node node;
    simkit_arrivals_desc arrivals;
    simkit_replay_desc replay;
    simkit_user_desc behaviour;
    if (simkit_world_open(NULL, &world) != SIMKIT_OK || simkit_node_add(world, NULL, &node) != SIMKIT_OK) return;
    memset(&arrivals, 0, sizeof arrivals);
    memset(&replay, 0, sizeof replay);
    memset(&behaviour, 0, sizeof behaviour);
    arrivals.node = replay.node = behaviour.node = node;
    arrivals.rate = 0.3;
    arrivals.profile = arrivals.demand_profile = values;
    arrivals.parts = 3;
    arrivals.day = 100;
    arrivals.demand = laws[2];
    replay.arrivals = trace;
    replay.count = 50;
    replay.scale = 0.7;
    behaviour.states = &state;
    behaviour.count = 1;
    whatever(simkit_load_record(world, node));
    whatever(simkit_arrivals_start(world, &arrivals, NULL));
    arrivals.nice = 5;
    whatever(simkit_arrivals_start(world, &arrivals, NULL));
    whatever(simkit_replay_start(world, &replay, NULL));
    whatever(simkit_user_start(world, &behaviour, NULL));
    for (int i = 1; i < 40; ++i) {
        whatever(simkit_world_run_until(world, i * 20.25));
        mix(simkit_load_average(world, node, contention_load_beta(60), 1));
        mix(simkit_load_average(world, node, 0.3, 0.1));
    }
    mix(simkit_source_progress(world, 0).response);
    mix((double)simkit_source_progress(world, 0).ended);
    simkit_world_close(world);
    print_mixed("users");
}

static void statistics(simkit_random *random)
{
    static simkit_quantiles quantiles;
    static uint64_t bins[2][30];
    static simkit_histogram linear, logarithmic;
    simkit_tally tally, other;
    simkit_level level;
    simkit_batches batches;
    double waits[1000], now = 0;
    memset(&tally, 0, sizeof tally);
    memset(&other, 0, sizeof other);
    memset(&level, 0, sizeof level);
    memset(&batches, 0, sizeof batches);
    linear.low = logarithmic.low = 1e-3;
    linear.high = logarithmic.high = 30;
    linear.count = logarithmic.count = 30;
    linear.bins = bins[0];
    logarithmic.bins = bins[1];
    logarithmic.logarithmic = true;
    for (int i = 0; i < 1000; ++i) {
        const double x = simkit_random_exponential(random, 3);
        waits[i] = x;
        now += simkit_random_exponential(random, 1);
        simkit_tally_add(i % 3 ? &tally : &other, x);
        simkit_level_set(&level, x, now);
        simkit_quantiles_add(&quantiles, x);
        simkit_batches_add(&batches, x);
        simkit_histogram_add(&linear, x);
        simkit_histogram_add(&logarithmic, x);
    }
    mix(simkit_tally_difference(&tally, &other, 0.95).low);
    simkit_tally_merge(&tally, &other);
    mix(simkit_tally_interval(&tally, 0.99).high);
    mix(simkit_level_until(&level, now + 1).mean);
    mix(simkit_level_until(&level, now + 1).variance);
    mix(simkit_batches_interval(&batches, 0.95).low);
    mix(simkit_batches_correlation(&batches));
    mix((double)simkit_warm_up(waits, 1000));
    for (int i = 0; i < 50; ++i) mix(simkit_quantiles_value(&quantiles, i / 49.0));
    for (size_t i = 0; i < 30; ++i) {
        mix((double)bins[0][i]);
        mix((double)bins[1][i]);
        mix(simkit_histogram_edge(&logarithmic, i));
    }
    for (int i = 0; i < 1000; ++i) waits[i] = i;
    mix(simkit_sorted_quantile(waits, 1000, 0.3, 0.95).low);
    print_mixed("statistics");
}

int main(void)
{
    simkit_random random = { 42 };

    formulas(&random);
    fits(&random);
    slowdowns(&random);
    timing(&random);
    scaling(&random);
    fair_rates(&random);
    topologies();
    for (uint64_t seed = 0; seed < 3; ++seed) crowded(seed);
    star(SIMKIT_SHARING_EQUAL);
    star(SIMKIT_SHARING_MAXMIN);
    users(&random);
    statistics(&random);
    return 0;
}
