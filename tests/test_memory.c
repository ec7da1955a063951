/* Room memory of simkit.h: when the hook says no, at whatever allocation, a call answers so, and the world stays whole. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "close.h"
#include "hook.h"

#include <unistd.h>

static char directory[64], svg[96], json[96];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test_memory.XXXXXX");
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
    p->said_no++;
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
    for (int i = 0; i < 3; i++) {
        simkit_compute_desc compute = { .seconds = 0.1, .name = "part", .lane = "process" };
        simkit_post_desc post = { .to = p->box[1], .bytes = 1e3 };
        ok(world, p, simkit_process_wait(world, 0.05));
        ok(world, p, simkit_process_compute(world, &compute));
        if (!ok(world, p, simkit_process_send(world, &post))) continue;
        if (ok(world, p, simkit_process_receive(world, p->box[1], &message))) p->received++;
    }
}
#endif

static void watcher(void *user, const simkit_world *world, const simkit_watch_event *event)
{
    (void)user;
    (void)world;
    (void)event;
}

/* Gives how often a call said no. */
static int act(hook *h)
{
    const simkit_world_desc desc = { .seed = 3, .reallocate = reallocate, .reallocate_user = h };
    const netmodel_link own = { 0.01, 1e-8 };
    simkit_world *world;
    simkit_gantt *gantt = NULL;
    simkit_trace *trace = NULL;
    simkit_result ran;
    play p;

    memset(&p, 0, sizeof p);
    if (simkit_world_open(&desc, &world) != SIMKIT_OK) {
        assert_null(world);
        return 1;
    }
    ok(world, &p, simkit_watch_add(world, SIMKIT_WATCH_ALL, watcher, NULL));
    if (!ok(world, &p, simkit_gantt_open(world, &gantt))) assert_null(gantt);
    if (!ok(world, &p, simkit_trace_open(world, json, &trace))) assert_null(trace);
    for (int i = 0; i < NODES; i++) {
        const simkit_node_desc node = { .name = i ? NULL : "first", .up = { 0.01, 1e-7 }, .down = { 0.01, 1e-7 } };
        if (!ok(world, &p, simkit_node_add(world, &node, &p.node[i]))) assert_int_equal(p.node[i], 0);
        if (p.node[i]) ok(world, &p, simkit_mailbox_open(world, p.node[i], NULL, &p.box[i]));
    }
    if (p.node[0] && p.node[1] && p.node[2] && p.box[1]) {
        ok(world, &p, simkit_transfer_model(world, p.node[0], p.node[1], &own));
        for (int i = 0; i < ROUNDS; i++) {
            const simkit_compute_desc compute = { .node = p.node[i % NODES],
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
            asked += ok(world, &p, simkit_compute_start(world, &compute));
            asked += ok(world, &p, simkit_transfer_start(world, &transfer));
            asked += ok(world, &p, simkit_mailbox_post(world, &post));
            ok(world, &p, simkit_mailbox_take(world, p.box[1], received, &p));
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
    if (gantt) ok(world, &p, simkit_gantt_write(gantt, "no memory", svg));
    simkit_gantt_close(gantt);
    ok(world, &p, simkit_trace_close(trace));
    /* The hook gives again: the world is as good as new. */
    h->left = -1;
    {
        int finished = 0;
        play again;
        memset(&again, 0, sizeof again);
        if (p.node[0] == 0) assert_int_equal(simkit_node_add(world, NULL, &p.node[0]), SIMKIT_OK);
        assert_int_equal(
            simkit_compute_start(
                world, &(simkit_compute_desc){ .node = p.node[0], .seconds = 1, .done = done, .user = &again }),
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
    for (;; allowed++) {
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
    for (int trial = 0; trial < 200; trial++) {
        hook h = { 0, 0, (long)random_between(&dice, 0, 120), false, true };
        act(&h);
        assert_int_equal(h.held, 0);
    }
}

static void memory_is_counted(void **state)
{
    hook h = { 0, 0, -1, false, false };
    const simkit_world_desc desc = { .reallocate = reallocate, .reallocate_user = &h };
    simkit_world *world;
    size_t peak = 0;

    (void)state;
    assert_int_equal(simkit_world_open(&desc, &world), SIMKIT_OK);
    assert_int_equal(simkit_world_memory(world, NULL), h.held);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(simkit_step_after(world, i, 0, done, &(play){ .done = 0 }, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_memory(world, &peak), h.held);
    assert_true(peak >= h.held);
    assert_int_equal(simkit_world_memory(NULL, &peak), 0);
    simkit_world_close(world);
    assert_int_equal(h.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_single_refusal_is_survived),
        cmocka_unit_test(memory_is_counted),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
