/* Room world of simkit.h. A world that is reset is as new: random programs give the same bits, whatever was there before;
 * its memory stays and does not grow, and handles of before are harmless. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "hook.h"
#include "world.h"

enum { MOST = 8, BODIES = 6 };

typedef struct scene { /* a program: what its callbacks need */
    simkit_random dice;
    unsigned nodes;
    simkit_node node[MOST];
    simkit_mailbox box[MOST];
    simkit_resource resource;
    simkit_condition condition;
    simkit_link link;
    simkit_operation operation;
    int left; /* works to start */
} scene;

/* Calls may fail here: for want of memory, or because a node has failed. */
static unsigned pick(scene *s, unsigned bound)
{
    return (unsigned)simkit_random_below(&s->dice, bound);
}

static void work(simkit_world *w, void *user)
{
    scene *s = (scene *)user;
    if (--s->left < 0) return;
    const double size = simkit_random_exponential(&s->dice, 1);
    const simkit_node here = s->node[pick(s, s->nodes)], there = s->node[pick(s, s->nodes)];
    simkit_transfer transfer;
    simkit_step step;
    switch (pick(s, 9)) {
    case 0: whatever(simkit_step_after(w, size, (int)pick(s, 3) - 1, work, s, NULL)); break;
    case 1:
        whatever(simkit_computation_start(w,
                                          &(simkit_computation_desc){ .node = here,
                                                                      .seconds = size,
                                                                      .nice = (int)pick(s, 3),
                                                                      .done = work,
                                                                      .lost = work,
                                                                      .user = s,
                                                                      .memory_rate = pick(s, 2) * 0.5 },
                                          NULL));
        break;
    case 2:
        whatever(simkit_transfer_start(w,
                                       &(simkit_transfer_desc){ .from = here,
                                                                .to = there,
                                                                .bytes = 100 * size,
                                                                .in_order = pick(s, 2),
                                                                .name = "data",
                                                                .done = work,
                                                                .lost = work,
                                                                .user = s },
                                       NULL));
        break;
    case 3:
        whatever(simkit_transfer_start(w,
                                       &(simkit_transfer_desc){ .from = here,
                                                                .to = there,
                                                                .bytes = 100 * size,
                                                                .rate_limit = pick(s, 3) * 20.0,
                                                                .weight = 1 + pick(s, 2),
                                                                .done = work,
                                                                .lost = work,
                                                                .user = s },
                                       NULL));
        if (pick(s, 4) == 0) whatever(simkit_link_change(w, s->link, 10 + 100 * size, 0.1));
        break;
    case 4:
        if (simkit_transfer_start(w, &(simkit_transfer_desc){ .from = here, .to = there, .bytes = 1e3 }, &transfer) ==
                SIMKIT_OK &&
            pick(s, 2))
            simkit_transfer_cancel(w, transfer);
        whatever(simkit_step_after(w, size, 0, work, s, NULL));
        break;
    case 5:
        if (simkit_step_after(w, size, 0, work, s, &step) == SIMKIT_OK && pick(s, 4) == 0) simkit_step_cancel(w, step);
        break;
    case 6:
        whatever(simkit_mailbox_post(
            w, &(simkit_post_desc){ .from = here, .to = s->box[pick(s, s->nodes)], .bytes = 10 * size * pick(s, 2) },
            NULL));
        break;
    case 7: whatever(simkit_condition_signal(w, s->condition)); break;
    default:
        whatever(simkit_pair_set(w, here, there, &(netmodel_link){ .latency = size / 10, .byte_time = 1e-3 }));
        break;
    }
    if (pick(s, 3) == 0) whatever(simkit_step_after(w, size, 0, work, s, NULL));
}

static double no_time(void *user)
{
    (void)user;
    return 0;
}

#ifndef SIMKIT_NO_PROCESSES
static void spends(void *user)
{
    (void)user;
}

static void body(simkit_world *w, void *user)
{
    scene *s = (scene *)user;
    for (int i = 0; i < 6; ++i) {
        const double size = simkit_random_exponential(&s->dice, 1);
        simkit_message message;
        switch (pick(s, 7)) {
        case 0: whatever(simkit_process_wait(w, size)); break;
        case 1: whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = size }, NULL)); break;
        case 2:
            whatever(simkit_process_limit(w, size));
            whatever(simkit_process_receive(w, s->box[pick(s, s->nodes)], &message));
            break;
        case 3:
            if (simkit_process_acquire(w, s->resource, 1, 0) != SIMKIT_OK) break;
            whatever(simkit_process_wait(w, size));
            whatever(simkit_resource_release(w, s->resource, 1));
            break;
        case 4:
            whatever(simkit_process_limit(w, 3 * size));
            whatever(simkit_process_listen(w, s->condition, 0));
            break;
        case 5: whatever(simkit_process_start(w, &(simkit_process_desc){ .body = work, .user = s }, NULL)); break;
        default: whatever(simkit_operation_run(w, s->operation, size, spends, NULL, NULL)); break;
        }
    }
}
#endif

static const netmodel_topology trees[2] = {
    { .kind = NETMODEL_TOPOLOGY_FAT_TREE,
      .tree = { .levels = 2,
                .down = { 2, 4 },
                .up = { 1, 2 },
                .count = { 1, 2 },
                .cable = { { 80, 0.01, 0 }, { 40, 0.02, 1.5 } } } },
    { .kind = NETMODEL_TOPOLOGY_FAT_TREE,
      .tree = { .levels = 1, .down = { 8 }, .up = { 1 }, .count = { 1 }, .cable = { { 60, 0.03, 0 } } } },
};

static simkit_world_desc desc_of(uint64_t seed)
{
    return (simkit_world_desc){ .seed = seed,
                                .topology = seed % 5 < 2 ? &trees[seed % 5] : NULL,
                                .latency = (double)(seed % 3) / 100,
                                .processor_time = no_time,
                                .sharing = seed % 4 == 0 ? SIMKIT_SHARING_MAXMIN : SIMKIT_SHARING_EQUAL };
}

/* A program begins in a world that is new, or reset: everything is built and started. */
static void begin(simkit_world *w, scene *s, uint64_t seed, bool watched)
{
    memset(s, 0, sizeof *s);
    if (watched) whatever(simkit_fingerprint_begin(w));
    s->dice = simkit_random_stream(w, 1);
    s->nodes = 2 + pick(s, MOST - 2);
    s->left = 60;
    for (unsigned i = 0; i < s->nodes; ++i) {
        const simkit_node_desc desc = { .name = pick(s, 2) ? "host" : NULL,
                                        .up_bandwidth = 50 + pick(s, 3) * 50.0,
                                        .down_bandwidth = 100,
                                        .cores = 1 + pick(s, 2),
                                        .cpu_per_incoming = pick(s, 2) * 0.1,
                                        .memory_bandwidth = pick(s, 2) * 2.0,
                                        .burst = pick(s, 2) * 10.0 };
        whatever(simkit_node_add(w, &desc, &s->node[i]));
        whatever(simkit_mailbox_open(w, s->node[i], pick(s, 2) ? "box" : NULL, &s->box[i]));
    }
    whatever(simkit_resource_open(w, &(simkit_resource_desc){ .name = "thing" }, &s->resource));
    whatever(simkit_condition_open(w, NULL, &s->condition));
    whatever(simkit_link_add(
        w,
        &(simkit_link_desc){
            .name = seed % 2 ? "cable" : NULL, .bandwidth = 70, .latency = 0.1, .duplex = 1 + seed % 2 },
        &s->link));
    whatever(simkit_route_set(w, s->node[0], s->node[1], &(simkit_hop){ .link = s->link }, seed % 4 < 2, true));
    whatever(simkit_operation_add(
        w, &(simkit_operation_desc){ .name = "op", .policy = SIMKIT_POLICY_MODEL, .seconds = 0.5 }, &s->operation));
#ifndef SIMKIT_NO_USERS
    simkit_source source;
    whatever(simkit_arrivals_start(
        w,
        &(simkit_arrivals_desc){
            .node = s->node[0], .rate = 0.5, .name = "user", .demand = { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 0.3 } },
        &source));
#endif
#ifndef SIMKIT_NO_PROCESSES
    for (int i = 0; i < BODIES; ++i)
        whatever(simkit_process_start(w, &(simkit_process_desc){ .node = s->node[0], .body = body, .user = s }, NULL));
#endif
    for (int i = 0; i < 8; ++i) work(w, s);
    if (seed % 5 == 0) whatever(simkit_node_fail(w, s->node[s->nodes - 1]));
}

static uint64_t finish(simkit_world *w)
{
    uint64_t value;
    whatever(simkit_world_run_until(w, 40));
    value = simkit_fingerprint_value(w) ^ bits_of(simkit_clock_now(w)) ^ simkit_clock_events(w) << 32;
    for (const char *why = simkit_world_why(w); *why; ++why) value = (value ^ (uint64_t)*why) * UINT64_C(0x100000001b3);
    return value;
}

static uint64_t in_a_new_world(uint64_t seed, bool watched)
{
    scene s;
    simkit_world *w;
    const simkit_world_desc desc = desc_of(seed);
    succeeds(simkit_world_open(&desc, &w));
    begin(w, &s, seed, watched);
    const uint64_t value = finish(w);
    simkit_world_close(w);
    return value;
}

static void stops(simkit_world *w, void *user)
{
    (void)user;
    simkit_world_stop(w);
}

static void random_programs_give_the_same_bits(void **state)
{
    scene s;
    uint64_t different = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        const simkit_world_desc desc = desc_of(seed);
        const bool watched = seed % 7 != 0;
        const uint64_t expected = in_a_new_world(seed, watched);
        succeeds(simkit_world_reset(world, &desc));
        begin(world, &s, seed, watched);
        const uint64_t value = finish(world);
        assert_true(value == expected);
        different += value != in_a_new_world(seed + 1, watched);
        if (seed % 3 ==
            0) { /* the same once more, without a description; and something that does not come to its end */
            succeeds(simkit_world_reset(world, NULL));
            begin(world, &s, seed, watched);
            assert_true(finish(world) == expected);
            succeeds(simkit_world_reset(world, NULL));
            begin(world, &s, seed + 1000, false);
            whatever(simkit_step_at(world, 0.5, 0, stops, NULL, NULL)); /* perhaps in the middle of an instant */
            whatever(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = s.node[0], .to = s.node[1] }, NULL));
            whatever(simkit_step_at(world, 0.5, 0, stops, NULL, NULL));
            whatever(simkit_world_run(world));
        }
    }
    assert_true(different > 290);
}

static void memory_does_not_grow(void **state)
{
    enum { PROGRAMS = 7 };
    scene s;
    size_t before = 0, peak;
    (void)state;
    for (uint64_t i = 0; i <= 150 * PROGRAMS; ++i) { /* names differ: the same program before both looks */
        const simkit_world_desc desc = desc_of(i % PROGRAMS);
        succeeds(simkit_world_reset(world, &desc));
        begin(world, &s, i % PROGRAMS, true);
        finish(world);
        if (i == 3 * PROGRAMS) {
            succeeds(simkit_world_reset(world, NULL));
            before = simkit_world_memory(world, &peak);
            assert_int_equal(peak, before);
        }
    }
    succeeds(simkit_world_reset(world, NULL));
    assert_int_equal(simkit_world_memory(world, &peak), before);
    assert_int_equal(peak, before);
}

/* A refusal at any place leaves a world that can be reset and then is as new; the reset itself takes no memory. */
static void refused_memory(void **state)
{
    hook h;
    scene s;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        const uint64_t expected = in_a_new_world(seed, true);
        for (long refused = 0, more = 1; more; refused += 1 + refused / 8) {
            simkit_world *w;
            simkit_world_desc desc = desc_of(seed + 50);
            memset(&h, 0, sizeof h);
            h.left = -1;
            desc.memory = (simkit_memory){ reallocate, &h };
            succeeds(simkit_world_open(&desc, &w));
            begin(w, &s, seed + 50, false);
            finish(w);
            desc = desc_of(seed); /* its memory is ignored */
            h.left = 0;
            succeeds(simkit_world_reset(w, &desc));
            assert_false(h.refused);
            h.left = refused;
            h.once = seed % 2;
            begin(w, &s, seed, true);
            const uint64_t value = finish(w);
            more = h.refused;
            if (!h.refused) assert_true(value == expected);
            h.left = 0;
            succeeds(simkit_world_reset(w, NULL));
            h.left = -1;
            begin(w, &s, seed, true);
            assert_true(finish(w) == expected);
            simkit_world_close(w);
            assert_int_equal(h.held, 0);
        }
    }
}

static void never(simkit_world *w, void *user)
{
    (void)w;
    fail_msg("%s", (const char *)user);
}

#ifndef SIMKIT_NO_PROCESSES
static void sleeps(simkit_world *w, void *user)
{
    (void)user;
    whatever(simkit_process_wait(w, 1));
}
#endif

static void resets(simkit_world *w, void *user)
{
    *(simkit_result *)user = simkit_world_reset(w, NULL);
}

static void ended(simkit_world *w, void *user, simkit_result result)
{
    (void)w, (void)result;
    fail_msg("%s", (const char *)user);
}

static void nothing(simkit_world *w, void *user)
{
    (void)w, (void)user;
}

static void handles_of_before_are_harmless(void **state)
{
    simkit_step step, new_step;
    simkit_computation computation, new_computation;
    simkit_transfer transfer, new_transfer;
    simkit_resource resource, new_resource;
    simkit_wait wait, new_wait;
    (void)state;
    char text[] = "what a reset took back was called";
    for (int round = 0; round < 3; ++round) {
        const simkit_node a = add_node(NULL), b = add_node(NULL);
        succeeds(simkit_step_at(world, 1, 0, never, text, &step));
        succeeds(simkit_computation_start(
            world, &(simkit_computation_desc){ .node = a, .seconds = 1, .done = never, .lost = never, .user = text },
            &computation));
        succeeds(simkit_transfer_start(
            world,
            &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1, .done = never, .lost = never, .user = text },
            &transfer));
        succeeds(simkit_resource_open(world, &(simkit_resource_desc){ .taken = 1 }, &resource));
        succeeds(simkit_resource_acquire(world, resource, 1, 0, ended, text, &wait));
#ifndef SIMKIT_NO_PROCESSES
        simkit_process process, new_process;
        succeeds(simkit_process_start(world, &(simkit_process_desc){ .body = sleeps, .node = a }, &process));
#endif
        succeeds(simkit_world_reset(world, NULL));
        assert_equal(simkit_clock_next(world), (double)INFINITY);
        assert_int_equal(simkit_node_count(world), 0);
        const simkit_node c = add_node(NULL), d = add_node(NULL);
        assert_int_equal(c, a);
        succeeds(simkit_step_at(world, 1, 0, nothing, NULL, &new_step));
        succeeds(
            simkit_computation_start(world, &(simkit_computation_desc){ .node = c, .seconds = 1 }, &new_computation));
        succeeds(
            simkit_transfer_start(world, &(simkit_transfer_desc){ .from = c, .to = d, .bytes = 1 }, &new_transfer));
        succeeds(simkit_resource_open(world, &(simkit_resource_desc){ .taken = 1 }, &new_resource));
        succeeds(simkit_resource_acquire(world, new_resource, 1, 0, ended, text, &new_wait));
        assert_false(simkit_step_pending(world, step));
        assert_false(simkit_step_cancel(world, step));
        assert_false(simkit_computation_cancel(world, computation));
        assert_false(simkit_transfer_cancel(world, transfer));
        assert_false(simkit_wait_cancel(world, wait));
        assert_true(simkit_wait_cancel(world, new_wait));
        assert_int_equal(simkit_resource_release(world, resource, 1), SIMKIT_UNKNOWN_PLACE);
#ifndef SIMKIT_NO_PROCESSES
        succeeds(simkit_process_start(world, &(simkit_process_desc){ .body = sleeps, .node = c }, &new_process));
        assert_true(process != new_process);
        assert_int_equal(simkit_process_kill(world, process), SIMKIT_UNKNOWN_PROCESS);
#endif
        succeeds(simkit_world_run(world));
        assert_equal(simkit_clock_now(world), 1);
        succeeds(simkit_world_reset(world, NULL));
    }
}

static void counts(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)w, (void)event;
    ++*(int *)user;
}

static void it_is_refused(void **state)
{
    simkit_result result = SIMKIT_OK;
    (void)state;
    assert_int_equal(simkit_world_reset(NULL, NULL), SIMKIT_BAD_ARGUMENT);
    succeeds(simkit_step_at(world, 2, 0, resets, &result, NULL));
    assert_int_equal(simkit_world_reset(world, &(simkit_world_desc){ .latency = -1 }), SIMKIT_BAD_ARGUMENT);
    assert_why_begins("at 0 s: the description of the world is impossible: ");
    succeeds(simkit_world_run(world));
    assert_int_equal(result, SIMKIT_BAD_CALL);
    assert_equal(simkit_clock_now(world), 2);
    assert_why("at 2 s: simkit_world_reset was called inside a run");
}

static void everything_is_as_in_a_new_world(void **state)
{
    int seen = 0;
    (void)state;
    reopen_world(&(simkit_world_desc){ .latency = 1, .seed = 3 });
    const simkit_node a = add_node(&(simkit_node_desc){ .name = "a" }), b = add_node(NULL);
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, counts, &seen));
    succeeds(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = a, .to = b }, NULL));
    succeeds(simkit_world_run(world));
    assert_equal(simkit_clock_now(world), 1);
    const int before = seen;
    assert_true(before > 0);
    assert_int_equal(simkit_step_at(world, 0, 0, nothing, NULL, NULL), SIMKIT_BAD_TIME);
    succeeds(simkit_world_reset(world, NULL)); /* the same latency */
    assert_equal(simkit_clock_now(world), 0);
    assert_int_equal(simkit_clock_events(world), 0);
    assert_string_equal(simkit_world_why(world), "");
    assert_int_equal(simkit_fingerprint_value(world), 0);
    succeeds(
        simkit_transfer_start(world, &(simkit_transfer_desc){ .from = add_node(NULL), .to = add_node(NULL) }, NULL));
    assert_string_equal(simkit_node_name(world, 1), "node 1");
    succeeds(simkit_world_run(world));
    assert_equal(simkit_clock_now(world), 1);
    assert_int_equal(seen, before);
    succeeds(simkit_world_reset(world, &(simkit_world_desc){ .latency = 3 }));
    succeeds(
        simkit_transfer_start(world, &(simkit_transfer_desc){ .from = add_node(NULL), .to = add_node(NULL) }, NULL));
    succeeds(simkit_world_run(world));
    assert_equal(simkit_clock_now(world), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { WORLD_TEST(random_programs_give_the_same_bits),
                                        WORLD_TEST(memory_does_not_grow),
                                        WORLD_TEST(refused_memory),
                                        WORLD_TEST(handles_of_before_are_harmless),
                                        WORLD_TEST(it_is_refused),
                                        WORLD_TEST(everything_is_as_in_a_new_world) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
