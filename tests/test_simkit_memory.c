/* Room memory of simkit.h: when the hook says no, at whatever allocation, a call answers so, and the world stays whole. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"
#include "util/simkit_trace.h"

#include "close.h"
#include "hook.h"

#include <unistd.h>

static char directory[64], svg[96], json[96];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test_simkit_memory.XXXXXX");
    if (mkdtemp(directory) == NULL) return 1;
    snprintf(svg, sizeof svg, "%s/x.svg", directory);
    snprintf(json, sizeof json, "%s/x.json", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory);
}

/*=============================================================================
 * A scenario that uses everything
 *===========================================================================*/
enum { NODES = 3, ROUNDS = 12 };

typedef struct play {
    simkit_node node[NODES];
    simkit_mailbox box[NODES];
    int said_no, done, received;
} play;

/* Whatever fails must have failed for want of memory, with a sentence that says so. */
static bool ok(simkit_world *world, play *p, simkit_result result)
{
    if (result == SIMKIT_OK) return true;
    if (result != SIMKIT_NO_MEMORY) fail_msg("%s: %s", simkit_result_text(result), simkit_world_why(world));
    if (strstr(simkit_world_why(world), "no memory for ") == NULL) fail_msg("%s", simkit_world_why(world));
    ++p->said_no;
    return false;
}

static void done(simkit_world *world, void *user)
{
    (void)world;
    ((play *)user)->done++;
}

static void received(simkit_world *world, void *user, const simkit_message *message)
{
    (void)world;
    ((play *)user)->received += message != NULL;
}

#ifndef SIMKIT_NO_PROCESSES
static void acts(simkit_world *world, void *user)
{
    play *p = (play *)user;
    simkit_message message;
    for (int i = 0; i < 3; ++i) {
        simkit_computation_desc compute = { .seconds = 0.1, .name = "part", .lane = "process" };
        simkit_post_desc post = { .to = p->box[1], .bytes = 1e3 };
        ok(world, p, simkit_process_wait(world, 0.05));
        ok(world, p, simkit_process_compute(world, &compute, NULL));
        if (!ok(world, p, simkit_process_send(world, &post, NULL))) continue;
        if (ok(world, p, simkit_process_receive(world, p->box[1], &message))) ++p->received;
    }
}
#endif

static void watcher(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    (void)user;
    (void)world;
    (void)event;
}

/* Gives how often a call said no. */
static int act(hook *h)
{
    const simkit_world_desc desc = { .seed = 3, .memory = { .reallocate = reallocate, .user = h }, .latency = 0.02 };
    const netmodel_link own = { 0.01, 1e-6 };
    simkit_world *world;
    simkit_trace *picture = NULL, *trace = NULL;
    simkit_result ran;
    play p;

    memset(&p, 0, sizeof p);
    if (simkit_world_open(&desc, &world) != SIMKIT_OK) {
        assert_null(world);
        return 1;
    }
    ok(world, &p, simkit_watch_add(world, SIMKIT_WATCH_ALL, watcher, NULL));
    if (!ok(world, &p, simkit_trace_open(world, &(simkit_trace_desc){ .path = svg, .title = "no memory" }, &picture)))
        assert_null(picture);
    if (!ok(world, &p, simkit_trace_open(world, &(simkit_trace_desc){ .path = json }, &trace))) assert_null(trace);
    for (int i = 0; i < NODES; ++i) {
        const simkit_node_desc node = { .name = i ? NULL : "first", .up_bandwidth = 1e7, .down_bandwidth = 1e7 };
        if (!ok(world, &p, simkit_node_add(world, &node, &p.node[i]))) assert_int_equal(p.node[i], 0);
        if (p.node[i]) ok(world, &p, simkit_mailbox_open(world, p.node[i], NULL, &p.box[i]));
    }
    if (p.node[0] && p.node[1] && p.node[2] && p.box[1]) {
        ok(world, &p, simkit_pair_set(world, p.node[0], p.node[1], &own));
        for (int i = 0; i < ROUNDS; ++i) {
            const simkit_computation_desc compute = { .node = p.node[i % NODES],
                                                      .seconds = 0.3,
                                                      .nice = i % 5,
                                                      .done = done,
                                                      .user = &p,
                                                      .name = "computing",
                                                      .lane = i % 2 ? "even" : "odd" };
            const simkit_transfer_desc transfer = { .from = p.node[i % NODES],
                                                    .to = p.node[i % 2],
                                                    .bytes = 1e6 * i,
                                                    .in_order = i % 3 == 0,
                                                    .done = done,
                                                    .user = &p,
                                                    .name = "bytes" };
            const simkit_post_desc post = { .from = p.node[0], .to = p.box[1], .bytes = 5, .done = done, .user = &p };
            const int before = p.said_no;
            int asked = 0;
            asked += ok(world, &p, simkit_computation_start(world, &compute, NULL));
            asked += ok(world, &p, simkit_transfer_start(world, &transfer, NULL));
            asked += ok(world, &p, simkit_mailbox_post(world, &post, NULL));
            ok(world, &p, simkit_mailbox_take(world, p.box[1], received, &p, NULL));
            asked += ok(world, &p, simkit_step_after(world, 0.1 * i, 0, done, &p, NULL));
            p.done -= asked;
            assert_int_equal(asked + (p.said_no - before) >= 4, 1);
        }
#ifndef SIMKIT_NO_PROCESSES
        ok(world, &p,
           simkit_process_start(world, &(simkit_process_desc){ .node = p.node[0], .body = acts, .user = &p }, NULL));
        ok(world, &p,
           simkit_process_start(world, &(simkit_process_desc){ .node = p.node[2], .body = acts, .user = &p }, NULL));
#endif
    }
    ran = simkit_world_run(world);
    if (ran != SIMKIT_OK && ran != SIMKIT_DEADLOCK)
        fail_msg("%s", simkit_world_why(world)); /* lost messages are waited for */
    assert_int_equal(p.done, 0);                 /* everything that was asked for has happened */
    ok(world, &p, simkit_trace_close(picture));
    ok(world, &p, simkit_trace_close(trace));
    /* The hook gives again: the world is as good as new. */
    h->left = -1;
    {
        int finished = 0;
        play again;
        memset(&again, 0, sizeof again);
        if (p.node[0] == 0) assert_int_equal(simkit_node_add(world, NULL, &p.node[0]), SIMKIT_OK);
        assert_int_equal(
            simkit_computation_start(
                world, &(simkit_computation_desc){ .node = p.node[0], .seconds = 1, .done = done, .user = &again },
                NULL),
            SIMKIT_OK);
        ran = simkit_world_run(world);
        assert_true(ran == SIMKIT_OK || ran == SIMKIT_DEADLOCK);
        finished = again.done;
        assert_int_equal(finished, 1);
    }
    simkit_world_close(world);
    remove(svg);
    remove(json);
    return p.said_no;
}

static void every_allocation_may_fail(void **state)
{
    long allowed = 0, failures = 0;

    (void)state;
    for (;; ++allowed) {
        hook h = { 0, 0, allowed, false, false };
        const int said_no = act(&h);
        assert_int_equal(h.held, 0);
        assert_int_equal(h.blocks, 0);
        failures += said_no > 0;
        if (!h.refused) {
            assert_int_equal(said_no, 0);
            break;
        }
        assert_true(said_no > 0);
    }
    assert_true(failures > 30);
    assert_int_equal(failures, allowed);
}

/* One allocation fails, all after it succeed. */
static void a_single_refusal_is_survived(void **state)
{
    uint64_t dice = 5;
    (void)state;
    for (int trial = 0; trial < 200; ++trial) {
        hook h = { 0, 0, (long)random_between(&dice, 0, 120), false, true };
        act(&h);
        assert_int_equal(h.held, 0);
    }
}

/*=============================================================================
 * A scenario for each room, every allocation of which is refused in turn: once, or from then on
 *===========================================================================*/
typedef struct scene {
    hook *h;
    simkit_world *world;
    simkit_world_desc desc;
    int said_no;
    simkit_source users;
} scene;

static bool went(scene *s, simkit_result result)
{
    if (result == SIMKIT_OK) return true;
    if (result != SIMKIT_NO_MEMORY) fail_msg("%s: %s", simkit_result_text(result), simkit_world_why(s->world));
    if (s->world && strstr(simkit_world_why(s->world), "no memory") == NULL) fail_msg("%s", simkit_world_why(s->world));
    ++s->said_no;
    return false;
}

/* What a reader of files answers. */
static bool was_read(scene *s, simkit_result result, const simkit_parse_error *error)
{
    if (result == SIMKIT_OK) return true;
    if (result != SIMKIT_NO_MEMORY || strstr(error->text, "no memory") == NULL)
        fail_msg("%s: %s", simkit_result_text(result), error->text);
    ++s->said_no;
    return false;
}

/* A run may end for want of memory; what is lost by it may leave others waiting. */
static void live(scene *s, double until)
{
    const simkit_result ran = simkit_world_run_until(s->world, until);
    if (ran == SIMKIT_NO_MEMORY)
        ++s->said_no;
    else if (ran != SIMKIT_OK && ran != SIMKIT_DEADLOCK)
        fail_msg("%s", simkit_world_why(s->world));
}

static simkit_node a_node(scene *s, const simkit_node_desc *desc)
{
    simkit_node node = 0;
    went(s, simkit_node_add(s->world, desc, &node));
    return node;
}

static void nothing(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
}

static void many_steps(scene *s)
{
    simkit_step step[300];
    for (int i = 0; i < 300; ++i) {
        step[i] = (simkit_step){ 0 };
        went(s, simkit_step_at(s->world, (i * 7919) % 300 + (i % 3) * 1e6, i % 5, nothing, NULL, &step[i]));
    }
    for (int i = 0; i < 300; i += 2) simkit_step_cancel(s->world, step[i]);
    live(s, 150);
    for (int i = 0; i < 300; ++i) went(s, simkit_step_after(s->world, 1e-3 * i, 0, nothing, NULL, NULL));
    live(s, 1e9);
}

static void computations(scene *s)
{
    const simkit_node node = a_node(s, &(simkit_node_desc){ .name = "first", .cores = 2, .quota = 0.5, .period = 1 });
    const simkit_node other = a_node(s, &(simkit_node_desc){ .speed = 2, .nice_rule = CONTENTION_NICE_LINUX_2_2 });
    simkit_computation taken = { 0 };
    if (!node || !other) return;
    went(s, simkit_load_record(s->world, other));
    for (int i = 0; i < 30; ++i) {
        const simkit_computation_desc compute = { .node = i % 3 ? node : other,
                                                  .seconds = 0.25 * i,
                                                  .nice = i % 7,
                                                  .done = i % 2 ? nothing : NULL,
                                                  .lost = nothing };
        went(s, simkit_computation_start(s->world, &compute, i == 20 ? &taken : NULL));
    }
    live(s, 3);
    simkit_computation_cancel(s->world, taken);
    (void)simkit_load_average(s->world, other, 0.9, 5);
    went(s, simkit_node_fail(s->world, node));
    live(s, 1e6);
}

static void transfers(scene *s)
{
    simkit_node node[5];
    for (int i = 0; i < 5; ++i) {
        node[i] = a_node(s, &(simkit_node_desc){ .up_bandwidth = 1e7,
                                                 .down_bandwidth = 5e6,
                                                 .cpu_per_incoming = i ? 0.1 : 0,
                                                 .cpu_per_outgoing = 0.1 });
        if (!node[i]) return;
    }
    went(s, simkit_pair_set(s->world, node[0], node[1], &(netmodel_link){ 0.5, 1e-6 }));
    went(s, simkit_pair_set(s->world, node[1], node[0], &(netmodel_link){ 0.5, 1e-6 }));
    went(s, simkit_computation_start(s->world, &(simkit_computation_desc){ .node = node[2], .seconds = 2 }, NULL));
    for (int i = 0; i < 40; ++i) {
        const simkit_transfer_desc transfer = { .from = node[i % 5],
                                                .to = node[i * 3 % 5],
                                                .bytes = 1e4 * (i % 11),
                                                .in_order = i % 4 == 1,
                                                .done = i % 2 ? nothing : NULL,
                                                .lost = nothing };
        went(s, simkit_transfer_start(s->world, &transfer, NULL));
        if (i == 25) live(s, 0.02);
    }
    went(s, simkit_node_fail(s->world, node[4]));
    live(s, 1e6);
}

/* Each has a limit of its own, so that timers of transfers and those of their ports are made in turn. */
static void limits(scene *s)
{
    simkit_node node[2];
    for (int i = 0; i < 2; ++i)
        if (!(node[i] = a_node(s, &(simkit_node_desc){ .up_bandwidth = 1e7, .down_bandwidth = 5e6 }))) return;
    for (int i = 0; i < 40; ++i) {
        const simkit_transfer_desc transfer = {
            .from = node[i % 2], .to = node[(i + 1) % 2], .bytes = 1e4, .rate_limit = 1e5 + i, .done = nothing
        };
        went(s, simkit_transfer_start(s->world, &transfer, NULL));
        if (i % 7 == 0) went(s, simkit_step_after(s->world, 0.1, 0, nothing, NULL, NULL));
    }
    live(s, 1e6);
}

/* A topology, routes set by hand, limits, weights, half duplex; a link fails. The world of a scene is replaced. */
static void networks(scene *s)
{
    static const netmodel_topology tree = {
        .kind = NETMODEL_TOPOLOGY_FAT_TREE,
        .tree = { .levels = 2, .down = { 2, 2 }, .up = { 1, 2 }, .cable = { { 1e7, 1e-3, 1.5 } } }
    };
    simkit_node node[4];
    simkit_link link;
    simkit_world_close(s->world);
    s->world = NULL;
    s->desc.topology = &tree;
    s->desc.window = 1e5;
    s->desc.pair_duplex = 1.2;
    if (!went(s, simkit_world_open(&s->desc, &s->world))) return;
    for (int i = 0; i < 4; ++i) {
        node[i] = a_node(s, &(simkit_node_desc){ .up_bandwidth = 1e7, .down_bandwidth = 2e7, .duplex = 1.5 });
        if (!node[i]) return;
    }
    if (!went(s, simkit_link_add(s->world, &(simkit_link_desc){ .bandwidth = 5e6, .duplex = 1 }, &link))) return;
    const simkit_hop hops[] = { { link, false }, { 1, true } };
    went(s, simkit_route_set(s->world, node[0], node[3], hops, 2, true));
    for (int i = 0; i < 40; ++i) {
        const simkit_transfer_desc transfer = { .from = node[i % 4],
                                                .to = node[i * 3 % 4],
                                                .bytes = 1e4 * (i % 11),
                                                .in_order = i % 4 == 1,
                                                .rate_limit = i % 3 ? 0 : 1e5,
                                                .weight = i % 5 ? 0 : 2,
                                                .done = i % 2 ? nothing : NULL,
                                                .lost = nothing };
        went(s, simkit_transfer_start(s->world, &transfer, NULL));
        if (i == 25) live(s, 0.02);
    }
    went(s, simkit_link_change(s->world, 2, 2e6, 0));
    for (int i = 0; i < 3; ++i) /* the second in place of the first */
        went(s, simkit_link_follow(s->world, (simkit_link)(3 + i / 2),
                                   (simkit_link_point[]){ { 0.01, 1e6 }, { 0.2, 0 }, { 0.3, 2e6 } }, 3, i));
    went(s, simkit_link_fail(s->world, 1));
    live(s, 50); /* tables that repeat go on for ever */
}

static void mailboxes(scene *s)
{
    const simkit_node node = a_node(s, &(simkit_node_desc){ .up_bandwidth = 1e7, .down_bandwidth = 5e6 });
    const simkit_node other = a_node(s, NULL);
    simkit_mailbox box[3] = { 0, 0, 0 };
    play taker = { .received = 0 };
    if (!node || !other) return;
    for (int i = 0; i < 3; ++i) {
        went(s, simkit_mailbox_open(s->world, i ? node : other, i == 1 ? "a long name for a mailbox" : NULL, &box[i]));
        if (!box[i]) return;
    }
    for (int i = 0; i < 40; ++i) {
        const simkit_post_desc post = { .from = i % 3 ? node : other, .to = box[i % 3], .bytes = 100 * i };
        went(s, simkit_mailbox_post(s->world, &post, NULL));
        if (i % 2) went(s, simkit_mailbox_take(s->world, box[i % 3], received, &taker, NULL));
        if (i == 30) live(s, 0.015);
    }
    went(s, simkit_mailbox_close(s->world, box[2]));
    went(s, simkit_node_fail(s->world, other));
    live(s, 0.02);
}

static void lives(simkit_world *w, void *user)
{
    scene *s = (scene *)user;
    went(s, simkit_process_wait(w, 0.5));
    went(s, simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 0.3 }, NULL));
    went(s, simkit_process_suspend(w, "what never comes"));
    went(s, simkit_process_wait(w, 0.5));
}

static void processes(scene *s)
{
#ifndef SIMKIT_NO_PROCESSES
    const simkit_node node = a_node(s, NULL);
    simkit_process process[12];
    if (!node) return;
    for (unsigned i = 0; i < 12; ++i) {
        const simkit_process_desc desc = { .name = i % 3 ? "one" : NULL,
                                           .node = node,
                                           .body = lives,
                                           .user = s,
                                           .measure_stack = i == 4,
                                           .stack_bytes = i % 2 ? 0 : 32768u + 4096 * i };
        process[i] = 0;
        went(s, simkit_process_start(s->world, &desc, &process[i]));
    }
    live(s, 2);
    for (int i = 0; i < 12; i += 2)
        if (process[i])
            whatever(simkit_process_resume(s->world, process[i])); /* one that failed to compute still waits */
    live(s, 5);
    for (int i = 1; i < 12; i += 4)
        if (process[i]) whatever(simkit_process_kill(s->world, process[i]));
    live(s, 9);
    went(s, simkit_node_fail(s->world, node));
    live(s, 1e6);
#else
    (void)s;
#endif
}

static double model_of(double parameter, void *user)
{
    (void)user;
    return parameter;
}

static void operations(scene *s)
{
    simkit_operation operation[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        went(s, simkit_operation_add(
                    s->world,
                    &(simkit_operation_desc){ .name = i ? "named" : NULL,
                                              .policy = i == 2 ? SIMKIT_POLICY_MODEL : SIMKIT_POLICY_MEASURE,
                                              .model = i == 2 ? model_of : NULL,
                                              .first = i ? 20 : 2 },
                    &operation[i]));
    for (int i = 0; i < 3; ++i)
        for (int size = 0; operation[i] && size < 10; ++size)
            for (int again = 0; again < 4; ++again) {
                double seconds;
                bool run;
                if (!went(s, simkit_operation_begin(s->world, operation[i], size, &run, &seconds))) continue;
                if (run) went(s, simkit_operation_end(s->world, operation[i], size, 0.5 * again));
            }
}

static void users_of_all_kinds(scene *s)
{
    static const double profile[3] = { 1, 0, 2 }, all[2] = { 0.5, 0.5 };
    static const simkit_user_state states[2] = {
        { "edit", { SIMKIT_LAW_EXPONENTIAL, .mean = 2 }, { SIMKIT_LAW_CONSTANT, .mean = 0.5 }, 0, all },
        { "compile", { SIMKIT_LAW_CONSTANT, .mean = 1 }, { SIMKIT_LAW_EXPONENTIAL, .mean = 3 }, 5, NULL },
    };
    static const simkit_arrival arrivals[4] = {
        { 0, 1, 0, 0, "one" }, { 1, 2, 0, 1, "two" }, { 1, 1, 3, 1, "two" }, { 4, 1, 0, 7, NULL }
    };
    const simkit_node node = a_node(s, NULL), other = a_node(s, NULL);
    if (!node || !other) return;
    went(s, simkit_load_record(s->world, node));
    went(s, simkit_arrivals_start(s->world,
                                  &(simkit_arrivals_desc){ .node = node,
                                                           .rate = 2,
                                                           .profile = profile,
                                                           .demand_profile = profile,
                                                           .parts = 3,
                                                           .day = 30,
                                                           .demand = { SIMKIT_LAW_EXPONENTIAL, .mean = 0.4 } },
                                  &s->users));
    went(s, simkit_arrivals_start(
                s->world,
                &(simkit_arrivals_desc){ .node = other, .rate = 1, .demand = { SIMKIT_LAW_EXPONENTIAL, .mean = 0.4 } },
                NULL));
    went(s,
         simkit_replay_start(s->world, &(simkit_replay_desc){ .node = node, .arrivals = arrivals, .count = 4 }, NULL));
    for (unsigned i = 0; i < 6; ++i)
        went(s,
             simkit_user_start(s->world,
                               &(simkit_user_desc){
                                   .node = i % 2 ? node : other, .states = states, .count = 2, .stream = i, .end = 50 },
                               NULL));
    live(s, 20);
    (void)simkit_load_average(s->world, node, 0.95, 5);
    simkit_source_stop(s->world, s->users);
    went(s, simkit_node_fail(s->world, other));
    live(s, 40);
}

static const char users_file[] =
    "[day]\nlength = 60 s\nbegin = 5 s\n\n"
    "[arrivals commands]\nrate = 2 /s, 1 /s, 0 /s\ndemand = hyperexponential 0.8: 0.1 s, 0.2: 1 s\n"
    "[arrivals others]\nrate = 1 /s\ndemand = pareto 1: 1 s, 10 s\nnodes = 1-2\n"
    "[user programmer]\nbegin = 1 s\nend = 50 s\ncopies = 2\nnodes = 1\n"
    "[state edit]\nthink = exponential 2 s\ndemand = exponential 0.5 s\nnext = edit 0.5, run 0.5\n"
    "[state run]\nthink = exponential 2 s\ndemand = sample 1 s, 2 s\nnext = edit 1\n";

static void users_files(scene *s)
{
    simkit_population *population = NULL;
    simkit_parse_error error;
    const simkit_node node = a_node(s, NULL);
    if (was_read(s,
                 simkit_population_read(
                     &(simkit_input){ .text = users_file, .length = sizeof users_file - 1, .memory = s->desc.memory },
                     &population, &error),
                 &error)) {
        if (node) went(s, simkit_population_start(s->world, population, 1, node));
        live(s, 30);
    } else {
        assert_null(population);
    }
    simkit_world_close(s->world); /* it uses what the population holds */
    s->world = NULL;
    simkit_population_close(population);
}

static void tables_and_traces(scene *s)
{
    static const char numbers[] = "time [ms],load,\"who\"\n1,2,a\n3,4,\"b,c\"\n5,6,d\n";
    static const char samples[] =
        "time [s],pid,parent,cpu [s],nice,name\n0,1,0,0,0,p\n1,2,1,0.5,0,q\n2,2,1,1.5,0,q\n3,1,0,1,0,p\n";
    simkit_table *table = NULL;
    simkit_workload *workload = NULL;
    simkit_parse_error error;

    if (!was_read(s,
                  simkit_table_read(
                      &(simkit_input){ .text = numbers, .length = sizeof numbers - 1, .memory = s->desc.memory },
                      &table, &error),
                  &error))
        assert_null(table);
    simkit_table_close(table);
    if (!was_read(s,
                  simkit_workload_read(
                      &(simkit_input){ .text = samples, .length = sizeof samples - 1, .memory = s->desc.memory },
                      &workload, &error),
                  &error))
        assert_null(workload);
    simkit_workload_close(workload);
}

/* Something of each kind to watch. */
static void events(scene *s)
{
    simkit_node node[4];
    for (int i = 0; i < 4; ++i)
        if (!(node[i] = a_node(s, &(simkit_node_desc){ .name = i ? NULL : "a & b", .up_bandwidth = 1e6 }))) return;
    for (int i = 0; i < 24; ++i) {
        static const char *const lanes[] = { NULL, "odd", "even", "prime", "all" };
        static const char *const names[] = { "one", "two", NULL, "three", "four", "five" };
        went(s, simkit_computation_start(
                    s->world,
                    &(simkit_computation_desc){
                        .node = node[i % 4], .seconds = 1 + i, .lane = lanes[i % 5], .name = names[i % 6] },
                    NULL));
        went(s, simkit_transfer_start(
                    s->world,
                    &(simkit_transfer_desc){
                        .from = node[i % 4], .to = node[(i + 1) % 4], .bytes = 1e6, .name = names[i % 6] },
                    NULL));
    }
    live(s, 4);
    went(s, simkit_node_fail(s->world, node[3]));
    live(s, 1e6);
}

static void watchers(scene *s)
{
    for (int i = 0; i < 9; ++i)
        if (!went(s, simkit_watch_add(s->world, i % 2 ? SIMKIT_WATCH_ALL : SIMKIT_WATCH_COMPUTE, watcher, NULL))) break;
    events(s);
}

static void a_trace(scene *s, const char *path)
{
    simkit_trace *trace = NULL;
    if (!went(s, simkit_trace_open(s->world, &(simkit_trace_desc){ .path = path }, &trace))) assert_null(trace);
    events(s);
    went(s, simkit_trace_close(trace));
    remove(path);
}
static void a_diagram(scene *s)
{
    a_trace(s, svg);
}
static void a_chrome_trace(scene *s)
{
    a_trace(s, json);
}
static void a_paje_trace(scene *s)
{
    char path[112];
    snprintf(path, sizeof path, "%s.paje", svg);
    a_trace(s, path);
}
static void a_csv_trace(scene *s)
{
    char path[112];
    snprintf(path, sizeof path, "%s.csv", svg);
    a_trace(s, path);
}

static void machines(scene *s)
{
    static const char text[] = "[node a]\nspeed = 2\ncores = 4\ncount = 3\nbandwidth = 1 MB/s\n"
                               "[network]\nlatency = 1 ms\ntopology = clusters\nhosts = 10, 10\njoints = 1-2\n"
                               "link_bandwidth = 1 MB/s\njoint_bandwidth = 1 MB/s\n"
                               "[node b]\n[pair a0 b]\nlatency = 2 ms\n"
                               "[link thin]\n[link spur]\n[route a b]\nlinks = thin\n[route a a]\nlinks = spur, -thin\n"
                               "[operation c]\nrate = 5 flop/s\n";
    const simkit_input input = { .text = text, .length = sizeof text - 1, .memory = s->desc.memory };
    simkit_machine *machine;
    simkit_parse_error error;
    simkit_node node[20] = { 0 };
    if (was_read(s, simkit_machine_read(&input, &machine, &error), &error)) {
        if (went(s, simkit_machine_add(s->world, machine, 20, node))) assert_int_equal(node[0], 1);
    } else {
        assert_null(machine);
    }
    simkit_machine_close(machine);
}

/* Placements by all rules, by a machine that was read with a hook; then its network, for nodes that are there. */
static void placements(scene *s)
{
    static const char text[] = "[node a]\ncores = 2\ncount = 9\n[node b]\ncount = 3\n"
                               "[link thin]\nbandwidth = 1 MB/s\nfollows = 1 s: 2 MB/s, 2 s: 1 MB/s\n[link spur]\n[route a b]\nlinks = thin\n"
                               "[route a a]\nlinks = spur, -thin\n[route b0 a7]\nlinks = spur\n";
    const simkit_input input = { .text = text, .length = sizeof text - 1, .memory = s->desc.memory };
    char path[112];
    const char *const how[] = { NULL, "block", "round-robin", path };
    simkit_machine *machine;
    simkit_parse_error error;
    simkit_node node[12];
    size_t place[20];
    bool all = true;
    snprintf(path, sizeof path, "%s.places", svg);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 9; ++i) fprintf(file, i % 2 ? "%d\n" : "a%d\n", i);
    fclose(file);
    if (was_read(s, simkit_machine_read(&input, &machine, &error), &error)) {
        for (int i = 0; i < 8; ++i) {
            place[0] = 77;
            if (was_read(s, simkit_machine_placement(machine, how[i / 2], 12, i % 2, 20, place, &error), &error))
                assert_int_equal(place[0], 0);
            else
                assert_int_equal(place[0], 77);
        }
        for (int i = 0; i < 12; ++i) all = (node[i] = a_node(s, NULL)) != 0 && all;
        if (all && went(s, simkit_machine_connect(s->world, machine, 12, node))) {
            went(s,
                 simkit_transfer_start(s->world, &(simkit_transfer_desc){ .from = 1, .to = 11, .bytes = 1e6 }, NULL));
            live(s, 1e6);
        }
    }
    simkit_machine_close(machine);
    remove(path);
}

static const struct {
    const char *name;
    void (*act)(scene *s);
} scenes[] = {
    { "steps", many_steps },
    { "computations", computations },
    { "transfers", transfers },
    { "limits", limits },
    { "mailboxes", mailboxes },
    { "processes", processes },
    { "operations", operations },
    { "users", users_of_all_kinds },
    { "users files", users_files },
    { "tables and traces of processes", tables_and_traces },
    { "watchers", watchers },
    { "trace, SVG", a_diagram },
    { "trace, Chrome", a_chrome_trace },
    { "trace, Paje", a_paje_trace },
    { "trace, CSV", a_csv_trace },
    { "machines", machines },
    { "placements", placements },
    { "networks", networks },
};

static int play_scene(size_t which, simkit_sharing sharing, hook *h)
{
    scene s = {
        .h = h,
        .desc = { .seed = 3, .memory = { .reallocate = reallocate, .user = h }, .sharing = sharing, .latency = 0.03 }
    };
    if (!went(&s, simkit_world_open(&s.desc, &s.world))) {
        assert_null(s.world);
        return s.said_no;
    }
    scenes[which].act(&s);
    simkit_world_close(s.world);
    return s.said_no;
}

static void every_room_survives(void **state)
{
    (void)state;
    for (size_t which = 0; which < sizeof scenes / sizeof *scenes; ++which)
        for (int once = 0; once < 2; ++once)
            for (int sharing = 0; sharing < 2; ++sharing) {
                long allowed = 0, silent = 0;
                for (;; ++allowed) {
                    hook h = { 0, 0, allowed, false, once != 0 };
                    const int said_no = play_scene(which, sharing ? SIMKIT_SHARING_MAXMIN : SIMKIT_SHARING_EQUAL, &h);
                    if (h.held != 0 || h.blocks != 0)
                        fail_msg("%s: refusal %ld leaves %zu blocks", scenes[which].name, allowed, h.blocks);
                    if (!h.refused) break;
                    silent += said_no == 0;
                }
                if (allowed < 3) fail_msg("%s: only %ld allocations", scenes[which].name, allowed);
                /* A load average that cannot be kept is computed anew; nothing else goes on without a word. */
                if (silent > (which == 1 || which == 6 || which == 7))
                    fail_msg("%s: %ld of %ld refusals are silent", scenes[which].name, silent, allowed);
            }
}

/* Priorities need more room: where that is refused once, the next step with one gets it, and nothing is written behind it.
 * So many steps of this instant are left that as many may come before them. */
typedef struct asker {
    hook h;
    long allowed;
    int left;
} asker;

static void asks_again(simkit_world *w, void *user)
{
    asker *a = (asker *)user;
    if (a->left-- < 300) return;
    a->h.left = a->allowed;
    const simkit_result first = simkit_step_at(w, 1, -7, nothing, NULL, NULL);
    assert_int_equal(first, a->h.refused ? SIMKIT_NO_MEMORY : SIMKIT_OK);
    a->h.left = -1;
    for (int i = 0; i < 250; ++i) assert_int_equal(simkit_step_at(w, 1, -i - 1, nothing, NULL, NULL), SIMKIT_OK);
}

static void refused_priorities_are_asked_for_again(void **state)
{
    (void)state;
    for (long allowed = 0; allowed < 8; ++allowed) {
        asker a = { { 0, 0, -1, false, false }, allowed, 300 };
        simkit_world *w;
        assert_int_equal(
            simkit_world_open(&(simkit_world_desc){ .memory = { .reallocate = reallocate, .user = &a.h } }, &w),
            SIMKIT_OK);
        simkit_step step[700];
        for (int i = 0; i < 700; ++i) assert_int_equal(simkit_step_at(w, 1, 0, asks_again, &a, &step[i]), SIMKIT_OK);
        for (int i = 300; i < 700; ++i)
            simkit_step_cancel(w, step[i]); /* leaves room for those that will be asked for */
        assert_int_equal(simkit_world_run(w), SIMKIT_OK);
        assert_int_equal(a.left, 0);
        simkit_world_close(w);
        assert_int_equal(a.h.held, 0);
        if (!a.h.refused) return;
    }
    fail_msg("8 allocations for a step");
}

/* A world in which things come and go for ever takes no more memory than it took for the first of them. */
static void a_day(scene *s, simkit_node a, simkit_node b, simkit_mailbox box)
{
    play p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < 20; ++i) {
        simkit_step step;
        simkit_computation work;
        went(s, simkit_step_after(s->world, 1 + i, 0, nothing, NULL, &step));
        if (i % 2) simkit_step_cancel(s->world, step);
        went(s, simkit_computation_start(
                    s->world, &(simkit_computation_desc){ .node = a, .seconds = 1 + i, .nice = i % 3 }, &work));
        if (i % 4 == 1) simkit_computation_cancel(s->world, work);
        went(s, simkit_transfer_start(
                    s->world,
                    &(simkit_transfer_desc){ .from = a, .to = i % 5 ? b : a, .bytes = 1e5 * i, .in_order = i % 3 == 0 },
                    NULL));
        went(s,
             simkit_mailbox_post(s->world, &(simkit_post_desc){ .from = b, .to = box, .bytes = 1e4 * (i % 3) }, NULL));
        went(s, simkit_mailbox_take(s->world, box, received, &p, NULL));
    }
#ifndef SIMKIT_NO_PROCESSES
    simkit_process process;
    went(s, simkit_process_start(s->world, &(simkit_process_desc){ .node = a, .body = lives, .user = s }, &process));
    live(s, simkit_clock_now(s->world) + 30);
    went(s, simkit_process_kill(s->world, process));
#endif
    live(s, simkit_clock_now(s->world) + 1e6);
    assert_int_equal(p.received, 20);
}

static void memory_does_not_grow(void **state)
{
    (void)state;
    for (int sharing = 0; sharing < 2; ++sharing) {
        scene s = { .desc = { .latency = 0.03, .sharing = sharing ? SIMKIT_SHARING_MAXMIN : SIMKIT_SHARING_EQUAL } };
        const simkit_node_desc desc = { .up_bandwidth = 1e7, .down_bandwidth = 5e6 };
        simkit_mailbox box = 0;
        size_t before = 0;
        assert_int_equal(simkit_world_open(&s.desc, &s.world), SIMKIT_OK);
        const simkit_node a = a_node(&s, &desc), b = a_node(&s, &desc);
        went(&s, simkit_mailbox_open(s.world, b, NULL, &box));
        for (int day = 0; day < 300; ++day) {
            /* the link of a pair is another one each day, even while it is in use */
            went(&s, simkit_pair_set(s.world, a, b, &(netmodel_link){ 0.01, 1e-6 * (1 + day % 7) }));
            a_day(&s, a, b, box);
            if (day == 20) before = simkit_world_memory(s.world, NULL);
        }
        assert_int_equal(simkit_world_memory(s.world, NULL), before);
        assert_int_equal(s.said_no, 0);
        simkit_world_close(s.world);
    }
}

static void memory_is_counted(void **state)
{
    hook h = { 0, 0, -1, false, false };
    const simkit_world_desc desc = { .memory = { .reallocate = reallocate, .user = &h } };
    simkit_world *world;
    size_t peak = 0;

    (void)state;
    assert_int_equal(simkit_world_open(&desc, &world), SIMKIT_OK);
    assert_int_equal(simkit_world_memory(world, NULL), h.held);
    for (int i = 0; i < 1000; ++i)
        assert_int_equal(simkit_step_after(world, i, 0, done, &(play){ .done = 0 }, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_memory(world, &peak), h.held);
    assert_true(peak >= h.held);
    assert_int_equal(simkit_world_memory(NULL, &peak), 0);
    simkit_world_close(world);
    assert_int_equal(h.held, 0);
}

static size_t losses;
static int lost_order[8];

static void is_lost(simkit_world *w, void *user)
{
    (void)w;
    lost_order[losses++] = (int)(intptr_t)user;
}

/* A computation that is refused leaves nothing by which later ones could be told in another order. */
static void a_refused_computation_leaves_no_trace(void **state)
{
    int refused = 0;
    (void)state;
    for (long allowed = 0; allowed < 6; ++allowed) {
        hook h = { 0, 0, -1, false, true };
        simkit_world *w;
        simkit_node node;
        assert_int_equal(
            simkit_world_open(&(simkit_world_desc){ .memory = { .reallocate = reallocate, .user = &h } }, &w),
            SIMKIT_OK);
        assert_int_equal(simkit_node_add(w, NULL, &node), SIMKIT_OK);
        h.left = allowed;
        if (simkit_computation_start(w, &(simkit_computation_desc){ .node = node, .seconds = 1, .nice = 5 }, NULL) !=
            SIMKIT_OK) {
            h.left = -1;
            for (int nice = 0; nice <= 5; nice += 5)
                assert_int_equal(
                    simkit_computation_start(
                        w,
                        &(simkit_computation_desc){
                            .node = node, .seconds = 1, .nice = nice, .lost = is_lost, .user = (void *)(intptr_t)nice },
                        NULL),
                    SIMKIT_OK);
            losses = 0;
            assert_int_equal(simkit_node_fail(w, node), SIMKIT_OK);
            assert_int_equal(simkit_world_run(w), SIMKIT_OK);
            assert_int_equal(losses, 2);
            assert_int_equal(lost_order[0], 0);
            assert_int_equal(lost_order[1], 5);
            ++refused;
        }
        simkit_world_close(w);
        assert_int_equal(h.held, 0);
    }
    assert_int_equal(refused, 3); /* the job, the class and its heap */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_priorities_are_asked_for_again),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_single_refusal_is_survived),
        cmocka_unit_test(every_room_survives),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(a_refused_computation_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
