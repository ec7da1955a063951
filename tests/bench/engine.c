/* How fast is the engine, and how much memory does it take? PROGRAM ROW N; the rows stand at the end. */
#define _DEFAULT_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "networks.h"

#include <unistd.h>

static simkit_world *world;
static double started;
static long left; /* operations until the clock is read */
static bool equal, clusters, varied;
static unsigned hosts;

static void fail(void)
{
    fprintf(stderr, "%s\n", simkit_world_why(world));
    exit(1);
}

static void ok(simkit_result result)
{
    if (result != SIMKIT_OK && result != SIMKIT_STOPPED) fail();
}

static void open_world(simkit_sharing sharing)
{
    const simkit_world_desc desc = { .seed = 1, .sharing = sharing, .latency = WORK_LATENCY };
    if (simkit_world_open(&desc, &world) != SIMKIT_OK) exit(1);
}

static void run(long operations)
{
    left = operations;
    started = work_now();
    ok(simkit_world_run(world));
}

static double each(double operations)
{
    return (work_now() - started) / operations * 1e9;
}

static inline void count(void)
{
    if (--left <= 0) simkit_world_stop(world);
}

/* Resident memory [B], page tables included. */
static double resident(void)
{
    char line[256];
    double total = 0, kib;
    FILE *status = fopen("/proc/self/status", "r");
    if (!status) return NAN;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmRSS: %lf", &kib) == 1 || sscanf(line, "VmPTE: %lf", &kib) == 1) total += kib * 1024;
    fclose(status);
    return total;
}

/* --- the queue --- */
static void hold(simkit_world *w, void *user)
{
    static unsigned turn;
    simkit_step step;
    const double delay = work_time();
    count();
    ok(simkit_step_after(w, equal ? 0 : clusters && ++turn % 2 ? 1e9 * delay : delay, 0, hold, user, &step));
}

static double queue(double n)
{
    const long rounds = 3000000;
    for (double i = 0; i < n; ++i) ok(simkit_step_after(world, equal ? 0 : work_time(), 0, hold, NULL, NULL));
    run(2 * (long)n);
    run(rounds);
    return each(rounds);
}

static void nothing(simkit_world *w, void *user)
{
    (void)w, (void)user;
}

static double queue_growing(double n)
{
    double time = 0;
    started = work_now();
    for (double i = 0; i < n; ++i) ok(simkit_step_at(world, time += work_time(), 0, nothing, NULL, NULL));
    ok(simkit_world_run(world));
    return each(n);
}

/* A burst of cancels: of n steps nine tenths are taken back, in no order; the rest run. */
static double queue_cancel(double n)
{
    const size_t many = (size_t)n;
    simkit_step *steps = malloc(many * sizeof *steps);
    uint64_t dice = 1;
    if (!steps) exit(1);
    started = work_now();
    for (size_t i = 0; i < many; ++i) ok(simkit_step_at(world, 1 + work_time(), 0, nothing, NULL, &steps[i]));
    for (size_t i = 0; i < 9 * many / 10; ++i) {
        const size_t which = i + work_bits(&dice) % (many - i);
        simkit_step_cancel(world, steps[which]);
        steps[which] = steps[i];
    }
    ok(simkit_world_run(world));
    free(steps);
    return each(n);
}

/* Steady state: does memory grow over n steps? Bytes that it grew by. */
static double queue_steady(double n)
{
    size_t before;
    for (int i = 0; i < 1000; ++i) ok(simkit_step_after(world, work_time(), 0, hold, NULL, NULL));
    run(1000000);
    simkit_world_memory(world, &before);
    for (double done = 0; done < n; done += 1e7) {
        run(10000000);
        if (isatty(2)) fprintf(stderr, "\rsteady: %3.0f %%", 100 * (done + 1e7) / n);
    }
    size_t after;
    simkit_world_memory(world, &after);
    return (double)(after - before);
}

/* --- processes --- */
static void waits(simkit_world *w, void *user)
{
    (void)user;
    for (;;) {
        ok(simkit_process_wait(w, work_time()));
        count();
    }
}

static void start(double n, simkit_call *body, simkit_node node, void *user)
{
    const simkit_process_desc desc = { .body = body, .node = node, .user = user };
    for (double i = 0; i < n; ++i) ok(simkit_process_start(world, &desc, NULL));
}

static double processes_wait(double n)
{
    const long rounds = n < 1e5 ? 3000000 : 1000000;
    start(n, waits, 0, NULL);
    run(2 * (long)n);
    run(rounds);
    return each(rounds);
}

static simkit__context host, guest;
static volatile long entered;

static void back_and_forth(simkit_world *w, void *user)
{
    (void)w, (void)user;
    for (;;) {
        entered = entered + 1;
        simkit__context_switch(&guest, &host, NULL, false, NULL);
    }
}

/* The switch alone, from one stack to another. */
static double switches(double n)
{
    const long rounds = 20000000;
    (void)n;
    start(1, nothing, 0, NULL); /* so that the world knows of stacks */
    simkit__process *process = simkit__stack_get(world, 65536);
    if (!process) exit(1);
    process->world = world;
    process->body = back_and_forth;
    guest = process->context;
    simkit__context_prepare(&guest, simkit__process_main, process);
    for (long i = 0; i < 1000 + rounds / 2; ++i) {
        if (i == 1000) started = work_now();
        simkit__context_switch(&host, &guest, process, false, NULL);
    }
    if (entered != 1000 + rounds / 2) exit(1);
    return each(rounds);
}

static simkit_mailbox *boxes;
static simkit_node place;

static void plays(simkit_world *w, void *user)
{
    const size_t me = (size_t)(uintptr_t)user;
    const simkit_post_desc ball = { .from = place, .to = boxes[me ^ 1] };
    for (;;) {
        simkit_message message;
        if (me % 2 == 0) ok(simkit_mailbox_post(w, &ball, NULL));
        ok(simkit_process_receive(w, boxes[me], &message));
        if (me % 2 == 1) ok(simkit_mailbox_post(w, &ball, NULL));
        count();
    }
}

static double mailboxes(double n)
{
    const long rounds = 3000000;
    const size_t players = 2 * (size_t)n;
    boxes = calloc(players, sizeof *boxes);
    if (!boxes) exit(1);
    ok(simkit_node_add(world, NULL, &place));
    for (size_t i = 0; i < players; ++i) ok(simkit_mailbox_open(world, place, NULL, &boxes[i]));
    for (size_t i = 0; i < players; ++i) start(1, plays, place, (void *)(uintptr_t)i);
    run(20 * (long)n);
    run(rounds);
    free(boxes);
    return each(rounds);
}

static double spawns(double n)
{
    started = work_now();
    for (double i = 0; i < n; ++i) {
        start(1, nothing, 0, NULL);
        ok(simkit_world_run(world));
    }
    return each(n);
}

typedef struct customer {
    double came;
    struct customer *next;
} customer;

static struct { /* a queue with one server */
    customer *first, **last, *spare;
    simkit_process server;
    bool idle;
    double inside;
} shop;

static void arrives(simkit_world *w, void *user)
{
    (void)user;
    customer *c = shop.spare;
    if (c)
        shop.spare = c->next;
    else if (!(c = malloc(sizeof *c)))
        exit(1);
    c->came = simkit_clock_now(w);
    c->next = NULL;
    *shop.last = c;
    shop.last = &c->next;
    if (shop.idle) ok(simkit_process_resume(w, shop.server));
    shop.idle = false;
}

static void source(simkit_world *w, void *user)
{
    for (;;) {
        ok(simkit_process_wait(w, work_time() / 0.9));
        arrives(w, user);
    }
}

static void serves(simkit_world *w, void *user)
{
    (void)user;
    for (;;) {
        while (!shop.first) {
            shop.idle = true;
            ok(simkit_process_suspend(w, "customers"));
        }
        customer *c = shop.first;
        ok(simkit_process_wait(w, work_time()));
        shop.inside += simkit_clock_now(w) - c->came;
        shop.first = c->next;
        if (!shop.first) shop.last = &shop.first;
        c->next = shop.spare;
        shop.spare = c;
        count();
    }
}

static double mm1(double n)
{
    shop.last = &shop.first;
    ok(simkit_process_start(world, &(simkit_process_desc){ .body = serves }, &shop.server));
    start(1, source, 0, NULL);
    run((long)n);
    return each(n);
}

/* --- waiting --- */
enum { ROUNDS = 2000000 };

static simkit_resource resource;
static simkit_condition conditions[2];
static simkit_barrier barrier;

static void acquires(simkit_world *w, void *user)
{
    (void)user;
    for (long i = 0; i < ROUNDS; ++i) {
        ok(simkit_process_acquire(w, resource, 1, 0));
        ok(simkit_resource_release(w, resource, 1));
    }
}

/* Nobody else wants it: acquired and released. */
static double resources(double n)
{
    ok(simkit_resource_open(world, NULL, &resource));
    start(n, acquires, 0, NULL);
    run(ROUNDS + 1);
    return each(ROUNDS * n);
}

static double semaphores(double n)
{
    ok(simkit_semaphore_open(world, NULL, 1, &resource));
    start(n, acquires, 0, NULL);
    run(ROUNDS + 1);
    return each(ROUNDS * n);
}

static void has_acquired(simkit_world *w, void *user, simkit_result result)
{
    (void)user;
    ok(result);
    ok(simkit_resource_release(w, resource, 1));
    if (--left > 0) ok(simkit_resource_acquire(w, resource, 1, 0, has_acquired, NULL, NULL));
}

static double resources_callback(double n)
{
    ok(simkit_resource_open(world, NULL, &resource));
    for (double i = 0; i < n; ++i) ok(simkit_resource_acquire(world, resource, 1, 0, has_acquired, NULL, NULL));
    run(ROUNDS);
    return each(ROUNDS);
}

static void holds(simkit_world *w, void *user)
{
    (void)user;
    for (;;) {
        ok(simkit_process_acquire(w, resource, 1, 0));
        ok(simkit_process_wait(w, work_time()));
        ok(simkit_resource_release(w, resource, 1));
        count();
    }
}

/* n processes want it, and each keeps it for a while: acquired, kept, released. */
static double resources_queue(double n)
{
    ok(simkit_resource_open(world, NULL, &resource));
    start(n, holds, 0, NULL);
    run(2 * (long)n);
    run(ROUNDS);
    return each(ROUNDS);
}

static enum { LISTEN, LOCK, CHOOSE, LIMIT } listening;

/* Each signals the other's condition and waits for its own. */
static void signals(simkit_world *w, void *user)
{
    const size_t me = (size_t)(uintptr_t)user;
    const simkit_choice any[2] = { { .condition = conditions[me] }, { .resource = resource } };
    if (listening == LOCK) ok(simkit_process_acquire(w, resource, 1, 0));
    for (;;) {
        if (me == 1 || simkit_condition_waiting(w, conditions[0]) == 0)
            ok(simkit_condition_signal(w, conditions[me ^ 1]));
        if (listening == LIMIT) ok(simkit_process_limit(w, 1));
        ok(listening == CHOOSE ? simkit_process_choose(w, any, 2, NULL, NULL)
                               : simkit_process_listen(w, conditions[me], listening == LOCK ? resource : 0));
        count();
    }
}

static double signalled(void)
{
    ok(simkit_resource_open(world, &(simkit_resource_desc){ .taken = listening == CHOOSE }, &resource));
    for (int i = 0; i < 2; ++i) ok(simkit_condition_open(world, NULL, &conditions[i]));
    for (size_t i = 2; i-- > 0;) start(1, signals, 0, (void *)(uintptr_t)i);
    run(1000);
    run(ROUNDS);
    return each(ROUNDS);
}

static double condition(double n)
{
    (void)n;
    return signalled();
}

static double condition_mutex(double n)
{
    (void)n;
    listening = LOCK;
    return signalled();
}

static double choice(double n)
{
    (void)n;
    listening = CHOOSE;
    return signalled();
}

static double limit(double n)
{
    (void)n;
    listening = LIMIT;
    return signalled();
}

static void is_late(simkit_world *w, void *user)
{
    (void)user;
    for (;;) {
        ok(simkit_process_limit(w, work_time()));
        if (simkit_process_listen(w, conditions[0], 0) != SIMKIT_TIMED_OUT) fail();
        count();
    }
}

/* Time limits that pass. */
static double limit_passes(double n)
{
    ok(simkit_condition_open(world, NULL, &conditions[0]));
    start(n, is_late, 0, NULL);
    run(1000);
    run(ROUNDS / 2);
    return each(ROUNDS / 2);
}

static void meets(simkit_world *w, void *user)
{
    (void)user;
    for (;;) {
        ok(simkit_process_arrive(w, barrier));
        count();
    }
}

/* One of n that arrive. */
static double barriers(double n)
{
    ok(simkit_barrier_open(world, NULL, (size_t)n, &barrier));
    start(n, meets, 0, NULL);
    run(2 * (long)n);
    run(ROUNDS);
    return each(ROUNDS);
}

static void joins(simkit_world *w, void *user)
{
    const simkit_process_desc desc = { .body = nothing };
    const long rounds = (long)(uintptr_t)user;
    simkit_process child;
    for (long i = 0; i < rounds; ++i) {
        ok(simkit_process_start(w, &desc, &child));
        ok(simkit_process_join(w, child));
    }
}

/* A process starts, ends, and another waits for that. */
static double join(double n)
{
    start(1, joins, 0, (void *)(uintptr_t)n);
    run(2);
    return each(n);
}

static void puts_in(simkit_world *w, void *user)
{
    const simkit_post_desc ball = { .from = place, .to = boxes[0] };
    (void)user;
    for (;;) ok(simkit_process_send(w, &ball, NULL));
}

static void takes_out(simkit_world *w, void *user)
{
    (void)user;
    for (;;) {
        ok(simkit_process_receive(w, boxes[0], NULL));
        count();
    }
}

/* A mailbox with room for n messages, a process that always fills it, and one that empties it. */
static double bounded(double n)
{
    static simkit_mailbox box;
    boxes = &box;
    ok(simkit_node_add(world, NULL, &place));
    ok(simkit_mailbox_open(world, place, NULL, &box));
    if (n > 0) ok(simkit_mailbox_bound(world, box, (size_t)n));
    start(1, puts_in, place, NULL);
    start(1, takes_out, 0, NULL);
    run(1000);
    run(ROUNDS);
    return each(ROUNDS);
}

/* --- sharing --- */
static double sum_of_ends; /* of all transfers [s]: tests/check/engine compares it with SimGrid's */

static void ends(simkit_world *w, void *user)
{
    (void)user;
    sum_of_ends += simkit_clock_now(w);
}

static void add_hosts(double n)
{
    const simkit_node_desc desc = { .up_bandwidth = WORK_BANDWIDTH, .down_bandwidth = WORK_BANDWIDTH };
    simkit_node node;
    hosts = (unsigned)n;
    for (unsigned i = 0; i < hosts; ++i) ok(simkit_node_add(world, &desc, &node));
}

static void transfer(unsigned from, unsigned to, simkit_call *done, void *user)
{
    const simkit_transfer_desc desc = {
        .from = from + 1, .to = to + 1, .bytes = work_size(hosts, from, to, varied), .done = done, .user = user
    };
    ok(simkit_transfer_start(world, &desc, NULL));
}

static double star_once(double n)
{
    add_hosts(n);
    started = work_now();
    for (unsigned i = 0; i < hosts; ++i)
        for (unsigned j = 0; j < hosts; ++j)
            if (i != j) transfer(i, j, ends, NULL);
    ok(simkit_world_run(world));
    return each(n * (n - 1));
}

/* Every host starts a transfer to each other one, in a world that is new each time, or reset. Only the starts are counted. */
static double star_starts(double n, bool resets)
{
    const size_t pairs = (size_t)(n * (n - 1)), rounds = pairs < 500000 ? 1000000 / pairs : 2;
    double time = 0;
    for (size_t round = 0; round < rounds; ++round) {
        if (round > 0 && resets) {
            ok(simkit_world_reset(world, NULL));
            if (round == 1) time = 0;
        } else if (round > 0) {
            simkit_world_close(world);
            open_world(SIMKIT_SHARING_EQUAL);
        }
        add_hosts(n);
        started = work_now();
        for (unsigned i = 0; i < hosts; ++i)
            for (unsigned j = 0; j < hosts; ++j)
                if (i != j) transfer(i, j, ends, NULL);
        time += work_now() - started;
        if (round + 1 < rounds) ok(simkit_world_run(world));
    }
    return time / (double)((rounds - resets) * pairs) * 1e9;
}

static double star_start(double n)
{
    return star_starts(n, false);
}

static double star_start_again(double n)
{
    return star_starts(n, true);
}

static unsigned *turns;

static void next_turn(simkit_world *w, void *user)
{
    const unsigned me = (unsigned)(uintptr_t)user;
    if (turns[me] > 0) ends(w, NULL);
    if (++turns[me] < hosts) transfer(me, (me + turns[me]) % hosts, next_turn, user);
}

static double star_turn(double n)
{
    add_hosts(n);
    turns = calloc(hosts, sizeof *turns);
    if (!turns) exit(1);
    started = work_now();
    for (unsigned i = 0; i < hosts; ++i) next_turn(world, (void *)(uintptr_t)i);
    ok(simkit_world_run(world));
    free(turns);
    return each(n * (n - 1));
}

/* --- networks: see networks.h --- */
static netmodel_cable wide(netmodel_cable cable, unsigned factor)
{
    cable.bandwidth *= factor;
    return cable;
}

static netmodel_topology topology_of(const work_network *n, const char *row)
{
    const netmodel_cable cable = { .bandwidth = WORK_BANDWIDTH,
                                   .latency = work_weighted(row) ? WORK_LINK_LATENCY : 0,
                                   .duplex = work_option(row, "shared") ? 1 : 2 };
    netmodel_topology t = { .kind = NETMODEL_TOPOLOGY_STAR };
    switch (n->kind) {
    case WORK_STAR:
        t.star = (netmodel_star_shape){ .hosts = n->hosts, .cable = cable, .backbone = wide(cable, n->cables[0]) };
        t.star.backbone.duplex = 1;
        break;
    case WORK_CLUSTERS:
    case WORK_JOINED:
        t.kind = NETMODEL_TOPOLOGY_CLUSTERS;
        t.clusters.count = n->down[0];
        t.clusters.cluster[0] = (netmodel_cluster_shape){ .cable = cable, .up = wide(cable, n->cables[0]) };
        for (unsigned c = 0; c < n->down[0]; ++c) t.clusters.cluster[c].hosts = n->down[1];
        if (n->kind == WORK_CLUSTERS) break;
        t.clusters.joints = n->down[0] - 1;
        for (unsigned c = 0; c < t.clusters.joints; ++c)
            t.clusters.joint[c] = (netmodel_joint){ .from = c, .to = c + 1, .cable = wide(cable, n->cables[c]) };
        break;
    case WORK_FAT_TREE:
        t.kind = NETMODEL_TOPOLOGY_FAT_TREE;
        t.tree.levels = n->levels;
        for (unsigned i = 0; i < n->levels; ++i) {
            t.tree.down[i] = n->down[i];
            t.tree.up[i] = n->up[i];
            t.tree.count[i] = n->cables[i];
        }
        t.tree.cable[0] = cable;
        break;
    case WORK_TORUS:
    case WORK_MESH:
        t.kind = n->kind == WORK_TORUS ? NETMODEL_TOPOLOGY_TORUS : NETMODEL_TOPOLOGY_MESH;
        t.grid.dimensions = n->levels;
        for (unsigned i = 0; i < n->levels; ++i) t.grid.size[i] = n->down[i];
        t.grid.cable[0] = cable;
        break;
    case WORK_DRAGONFLY:
        t.kind = NETMODEL_TOPOLOGY_DRAGONFLY;
        t.dragonfly = (netmodel_dragonfly_shape){ .groups = n->down[0],
                                                  .chassis = n->down[1],
                                                  .blades = n->down[2],
                                                  .nodes = n->down[3],
                                                  .blue = n->cables[0],
                                                  .black = n->cables[1],
                                                  .green = n->cables[2],
                                                  .host_cable = cable };
        break;
    }
    return t;
}

static struct { /* what is sent through a network, round after round */
    const char *row;
    netmodel_topology topology;
    const work_transfer *list;
    size_t count, next, running;
} traffic;

/* The weight that CM02 gives a transfer. */
static double weight_of(const work_transfer *t)
{
    size_t channel[64];
    const size_t hops = netmodel_topology_route(&traffic.topology, t->from, t->to, channel, 64);
    double latency = 0;
    for (size_t i = 0; i < hops; ++i) latency += netmodel_topology_link(&traffic.topology, channel[i] / 2).latency;
    return 1 / latency;
}

static void round_ends(simkit_world *w, void *user);

static void start_round(void)
{
    if (traffic.next == traffic.count) return;
    const unsigned round = traffic.list[traffic.next].round;
    const bool weighted = work_weighted(traffic.row);
    for (; traffic.next < traffic.count && traffic.list[traffic.next].round == round;
         ++traffic.next, ++traffic.running) {
        const work_transfer *t = &traffic.list[traffic.next];
        const simkit_transfer_desc desc = { .from = t->from + 1,
                                            .to = t->to + 1,
                                            .bytes = t->bytes,
                                            .weight = weighted ? weight_of(t) : 0,
                                            .rate_limit = t->limit,
                                            .done = round_ends };
        ok(simkit_transfer_start(world, &desc, NULL));
    }
}

static void round_ends(simkit_world *w, void *user)
{
    ends(w, user);
    if (--traffic.running == 0) start_round();
}

/* The links of the topology and the routes of all that is sent, one by one. */
static void add_routes(void)
{
    for (size_t i = 0; i < netmodel_topology_links(&traffic.topology); ++i) {
        const netmodel_cable cable = netmodel_topology_link(&traffic.topology, i);
        const simkit_link_desc desc = { .bandwidth = cable.bandwidth,
                                        .latency = cable.latency,
                                        .duplex = cable.duplex };
        ok(simkit_link_add(world, &desc, NULL));
    }
    for (size_t i = 0; i < traffic.count; ++i) {
        const unsigned from = traffic.list[i].from, to = traffic.list[i].to;
        size_t channel[64];
        simkit_hop hops[64];
        const size_t count = netmodel_topology_route(&traffic.topology, from, to, channel, 64);
        for (size_t k = 0; k < count; ++k)
            hops[k] = (simkit_hop){ .link = (simkit_link)(channel[k] / 2 + 1), .back = channel[k] % 2 == 1 };
        ok(simkit_route_set(world, from + 1, to + 1, hops, count, false));
    }
}

static void open_network(const work_network *n, const char *row)
{
    const bool by_hand = work_option(row, "routes");
    traffic.topology = topology_of(n, row);
    const simkit_world_desc desc = { .seed = 1,
                                     .sharing =
                                         work_option(row, "equal") ? SIMKIT_SHARING_EQUAL : SIMKIT_SHARING_MAXMIN,
                                     .topology = by_hand ? NULL : &traffic.topology,
                                     .window = work_option(row, "window") ? WORK_WINDOW : 0 };
    if (simkit_world_open(&desc, &world) != SIMKIT_OK) exit(1);
    for (unsigned i = 0; i < n->hosts; ++i) ok(simkit_node_add(world, NULL, NULL));
    if (by_hand) add_routes();
}

static void change_cables(simkit_world *w, void *user)
{
    const int turn = (int)(intptr_t)user;
    for (simkit_link link = (simkit_link)turn + 1; link <= hosts; link += 3)
        ok(simkit_link_change(w, link, work_change_bandwidth(turn),
                              work_weighted(traffic.row) ? WORK_LINK_LATENCY : 0));
}

static double networks(const work_network *n, const char *row)
{
    traffic.row = row;
    traffic.list = work_transfers(row, n, &traffic.count);
    if (!traffic.list) exit(2);
    open_network(n, row);
    hosts = n->hosts;
    if (work_option(row, "change"))
        for (int turn = 0; turn < 2; ++turn)
            ok(simkit_step_at(world, work_change_time(turn), 0, change_cables, (void *)(intptr_t)turn, NULL));
    started = work_now();
    start_round();
    ok(simkit_world_run(world));
    return each((double)traffic.count);
}

/* From nothing to the end of the first transfer, on a fat tree with so many hosts. */
static double opening(double n)
{
    const work_network *network = work_network_of("fattree-", (unsigned)n);
    if (!network) exit(2);
    simkit_world_close(world);
    started = work_now();
    open_network(network, "fattree-");
    hosts = network->hosts;
    transfer(0, hosts - 1, ends, NULL);
    ok(simkit_world_run(world));
    return each(1e6); /* [ms] */
}

static double opening_memory(double n)
{
    const double before = resident();
    opening(n);
    return (resident() - before) / 1e6; /* [MB] */
}

static void computes(simkit_world *w, void *user)
{
    const simkit_computation_desc desc = { .node = place, .seconds = work_time(), .done = computes };
    (void)user;
    count();
    ok(simkit_computation_start(w, &desc, NULL));
}

/* The same with a memory: computations of ten different rates. */
static void streams(simkit_world *w, void *user)
{
    static long turn;
    const simkit_computation_desc desc = {
        .node = place, .seconds = work_time(), .memory_rate = (double)(turn++ % 10), .done = streams
    };
    (void)user;
    count();
    ok(simkit_computation_start(w, &desc, NULL));
}

/* n steps compete for one node; when one is done another one comes. An event is an end and a start. */
static double cpu_of(double n, const simkit_node_desc *node, simkit_call *computes_there)
{
    const long rounds = 1000000;
    ok(simkit_node_add(world, node, &place));
    left = 1L << 60;
    for (double i = 0; i < n; ++i) computes_there(world, NULL);
    run(2 * (long)n);
    run(rounds);
    return each(2 * rounds);
}

static double cpu(double n)
{
    return cpu_of(n, NULL, computes);
}

static double cpu_memory(double n)
{
    return cpu_of(n, &(simkit_node_desc){ .cores = 4, .memory_bandwidth = 12 }, streams);
}

/* --- memory --- */
static double bytes(double n, double before)
{
    size_t peak;
    simkit_world_memory(world, &peak);
    return ((double)peak - before) / n;
}

static double bytes_event(double n)
{
    for (double i = 0; i < n; ++i) ok(simkit_step_after(world, work_time(), 0, nothing, NULL, NULL));
    return bytes(n, 0);
}

static double bytes_node(double n)
{
    add_hosts(n);
    return bytes(n, 0);
}

static double bytes_transfer(double n)
{
    size_t before;
    add_hosts(64);
    simkit_world_memory(world, &before);
    for (double i = 0; i < n; ++i)
        transfer((unsigned)i % 64, (unsigned)(i + 1 + (unsigned)i / 64 % 63) % 64, nothing, NULL);
    ok(simkit_world_run_until(world, 1e-3));
    return bytes(n, (double)before);
}

/* The same over six links each, in a fat tree. */
static double bytes_transfer_tree(double n)
{
    size_t before;
    simkit_world_close(world);
    open_network(work_network_of("fattree-", 1024), "fattree-equal");
    hosts = 1024;
    simkit_world_memory(world, &before);
    for (double i = 0; i < n; ++i) transfer((unsigned)i % hosts, ((unsigned)i + hosts / 2) % hosts, nothing, NULL);
    ok(simkit_world_run_until(world, 1e-3));
    return bytes(n, (double)before);
}

/* What the system has resident, page tables included: all of them wait, each has run. */
static double bytes_process(double n)
{
    const double before = resident();
    start(n, waits, 0, NULL);
    run((long)n);
    return (resident() - before) / n;
}

static const struct {
    const char *row;
    double (*measure)(double n);
    const char *unit;
    simkit_sharing sharing;
} rows[] = {
    { "hold", queue, "ns", SIMKIT_SHARING_EQUAL },
    { "hold-equal", queue, "ns", SIMKIT_SHARING_EQUAL },
    { "hold-clusters", queue, "ns", SIMKIT_SHARING_EQUAL },
    { "hold-growing", queue_growing, "ns", SIMKIT_SHARING_EQUAL },
    { "hold-cancel", queue_cancel, "ns", SIMKIT_SHARING_EQUAL },
    { "steady", queue_steady, "B", SIMKIT_SHARING_EQUAL },
    { "switch", switches, "ns", SIMKIT_SHARING_EQUAL },
    { "wait", processes_wait, "ns", SIMKIT_SHARING_EQUAL },
    { "mailbox", mailboxes, "ns", SIMKIT_SHARING_EQUAL },
    { "spawn", spawns, "ns", SIMKIT_SHARING_EQUAL },
    { "mm1", mm1, "ns", SIMKIT_SHARING_EQUAL },
    { "resource", resources, "ns", SIMKIT_SHARING_EQUAL },
    { "semaphore", semaphores, "ns", SIMKIT_SHARING_EQUAL },
    { "resource-callback", resources_callback, "ns", SIMKIT_SHARING_EQUAL },
    { "resource-queue", resources_queue, "ns", SIMKIT_SHARING_EQUAL },
    { "condition", condition, "ns", SIMKIT_SHARING_EQUAL },
    { "condition-mutex", condition_mutex, "ns", SIMKIT_SHARING_EQUAL },
    { "choose", choice, "ns", SIMKIT_SHARING_EQUAL },
    { "limit", limit, "ns", SIMKIT_SHARING_EQUAL },
    { "limit-passes", limit_passes, "ns", SIMKIT_SHARING_EQUAL },
    { "barrier", barriers, "ns", SIMKIT_SHARING_EQUAL },
    { "join", join, "ns", SIMKIT_SHARING_EQUAL },
    { "bounded", bounded, "ns", SIMKIT_SHARING_EQUAL },
    { "star-once", star_once, "ns", SIMKIT_SHARING_EQUAL },
    { "star-once-random", star_once, "ns", SIMKIT_SHARING_EQUAL },
    { "star-turn", star_turn, "ns", SIMKIT_SHARING_EQUAL },
    { "star-turn-random", star_turn, "ns", SIMKIT_SHARING_EQUAL },
    { "star-once-maxmin", star_once, "ns", SIMKIT_SHARING_MAXMIN },
    { "star-once-maxmin-random", star_once, "ns", SIMKIT_SHARING_MAXMIN },
    { "star-turn-maxmin", star_turn, "ns", SIMKIT_SHARING_MAXMIN },
    { "star-turn-maxmin-random", star_turn, "ns", SIMKIT_SHARING_MAXMIN },
    { "star-start", star_start, "ns", SIMKIT_SHARING_EQUAL },
    { "star-start-reset", star_start_again, "ns", SIMKIT_SHARING_EQUAL },
    { "opening", opening, "ms", SIMKIT_SHARING_EQUAL },
    { "opening-memory", opening_memory, "MB", SIMKIT_SHARING_EQUAL },
    { "cpu", cpu, "ns", SIMKIT_SHARING_EQUAL },
    { "cpu-memory", cpu_memory, "ns", SIMKIT_SHARING_EQUAL },
    { "bytes-event", bytes_event, "B", SIMKIT_SHARING_EQUAL },
    { "bytes-transfer", bytes_transfer, "B", SIMKIT_SHARING_EQUAL },
    { "bytes-transfer-tree", bytes_transfer_tree, "B", SIMKIT_SHARING_EQUAL },
    { "bytes-process", bytes_process, "B", SIMKIT_SHARING_EQUAL },
    { "bytes-node", bytes_node, "B", SIMKIT_SHARING_EQUAL },
};

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s ROW N\n", argv[0]);
        return 1;
    }
    const double n = strtod(argv[2], NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (strcmp(rows[i].row, argv[1]) != 0) continue;
        equal = strcmp(argv[1], "hold-equal") == 0;
        clusters = strcmp(argv[1], "hold-clusters") == 0;
        varied = strstr(argv[1], "-random") != NULL;
        open_world(rows[i].sharing);
        work_time();
        work_report(rows[i].row, n, rows[i].measure(n), rows[i].unit);
        fprintf(stderr, "end %.17g %.17g\n", simkit_clock_now(world), sum_of_ends);
        return 0;
    }
    const work_network *network = work_network_of(argv[1], (unsigned)n); /* last: some rows are called as the network star */
    if (!network) return 2;
    work_report(argv[1], n, networks(network, argv[1]), "ns");
    fprintf(stderr, "end %.17g %.17g\n", simkit_clock_now(world), sum_of_ends);
    return 0;
}
