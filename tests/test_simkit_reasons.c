/* Room reasons of simkit.h: critical paths by hand, against the longest path of random graphs, and what holds of every run. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#include "hook.h"
#include "world.h"

static const simkit_reason_piece *path;
static size_t pieces;

static simkit_reasons *record(simkit_world *w)
{
    simkit_reasons *r = NULL;
    if (simkit_reasons_open(w, &r) != SIMKIT_OK) fail_msg("%s", simkit_world_why(w));
    return r;
}

/* The path covers the time from the beginning to the end, and the table adds up to the same. */
static void look(simkit_reasons *r, double from, double to)
{
    const simkit_reason_piece *rows;
    size_t count;
    double sum = 0, at = from;
    assert_int_equal(simkit_reasons_table(r, &rows, &count), SIMKIT_OK);
    size_t all = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += rows[i].seconds;
        all += rows[i].count;
        assert_true(rows[i].begin >= from && rows[i].end <= to && rows[i].seconds > 0);
        if (i > 0) assert_true(rows[i].seconds <= rows[i - 1].seconds);
    }
    assert_int_equal(simkit_reasons_path(r, &path, &pieces), SIMKIT_OK);
    assert_int_equal(pieces, all);
    for (size_t i = 0; i < pieces; ++i) {
        assert_equal(path[i].begin, at);
        assert_true(path[i].end > path[i].begin);
        assert_equal(path[i].seconds, path[i].end - path[i].begin);
        assert_int_equal(path[i].count, 1);
        at = path[i].end;
    }
    assert_equal(at, to);
    if (to > from) assert_close(sum, to - from, 1e-12);
}

static void assert_piece(size_t i, simkit_reason reason, const char *name, simkit_node node, double end)
{
    assert_true(i < pieces);
    if (path[i].reason != reason || strcmp(path[i].name, name) != 0 || path[i].node != node || fabs(path[i].end - end) > 1e-9)
        fail_msg("piece %lu is %d '%s' on %u to %g", (unsigned long)i, (int)path[i].reason, path[i].name, path[i].node,
                 path[i].end);
}

static simkit_node add(simkit_world *w, double speed, double bandwidth)
{
    simkit_node node = 0;
    const simkit_node_desc desc = { .speed = speed, .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
    assert_int_equal(simkit_node_add(w, &desc, &node), SIMKIT_OK);
    return node;
}

static void start(simkit_world *w, simkit_node node, double seconds, const char *name, simkit_call *done, void *user)
{
    const simkit_computation_desc desc = {
        .node = node, .seconds = seconds, .name = name, .done = done, .user = user
    };
    assert_int_equal(simkit_computation_start(w, &desc, NULL), SIMKIT_OK);
}

/*=============================================================================
 * By hand
 *===========================================================================*/
static simkit_node place[3];

static void last(simkit_world *w, void *user)
{
    (void)user;
    start(w, place[1], 1, "finish", NULL, NULL);
}

static void sent(simkit_world *w, void *user)
{
    (void)user;
    assert_int_equal(simkit_step_after(w, 0.5, 0, last, NULL, NULL), SIMKIT_OK);
}

static void computed(simkit_world *w, void *user)
{
    const simkit_transfer_desc desc = { .from = place[0], .to = place[1], .bytes = 8e6, .name = "data", .done = sent };
    const simkit_transfer_desc other = { .from = place[0], .to = place[2], .bytes = 2e6, .name = "other" };
    (void)user;
    assert_int_equal(simkit_transfer_start(w, &desc, NULL), SIMKIT_OK);
    assert_int_equal(simkit_transfer_start(w, &other, NULL), SIMKIT_OK);
}

/* Two computations share a core of speed 2: 2 s of CPU time alone take 1 s, here 2 s. Two transfers share a link. */
static void callbacks_by_hand(void **state)
{
    simkit_world *w = NULL;
    (void)state;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = 0.25 }, &w), SIMKIT_OK);
    simkit_reasons *r = record(w);
    for (int i = 0; i < 3; ++i) place[i] = add(w, i == 0 ? 2 : 1, 4e6);
    start(w, place[0], 2, "prepare", computed, NULL);
    start(w, place[0], 2, "beside", NULL, NULL);
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    look(r, 0, 6.25);
    assert_int_equal(pieces, 7);
    assert_piece(0, SIMKIT_REASON_COMPUTING, "prepare", 1, 1);
    assert_piece(1, SIMKIT_REASON_CPU, "prepare", 1, 2);
    assert_piece(2, SIMKIT_REASON_LATENCY, "data", 1, 2.25);
    assert_piece(3, SIMKIT_REASON_TRANSMISSION, "data", 1, 4.25);
    assert_piece(4, SIMKIT_REASON_LINKS, "data", 1, 4.75);
    assert_piece(5, SIMKIT_REASON_TIMER, "", 0, 5.25);
    assert_piece(6, SIMKIT_REASON_COMPUTING, "finish", 2, 6.25);
    assert_int_equal(path[3].to, 2);
    const simkit_reason_node a = simkit_reasons_node(r, 1), b = simkit_reasons_node(r, 2), c = simkit_reasons_node(r, 3);
    assert_close(a.computing, 2, 1e-12);
    assert_close(a.communicating, 2.75, 1e-12);
    assert_close(a.idle, 1.5, 1e-12);
    assert_close(a.cpu, 2, 1e-12);
    assert_close(b.computing, 1, 1e-12);
    assert_close(b.communicating, 2.75, 1e-12);
    assert_close(c.present, 6.25, 1e-12);
    assert_close(c.communicating, 1.25, 1e-12); /* 2 MB at half of 4 MB/s, and the latency */
    assert_close(simkit_reasons_efficiency(r), 3 / 18.75, 1e-12);
    assert_nan(simkit_reasons_node(r, 4).present);
    assert_nan(simkit_reasons_node(r, 0).present);
    simkit_world_close(w);
}

/* On a connection, transfers wait for their turn. */
static void turns_by_hand(void **state)
{
    simkit_world *w = NULL;
    (void)state;
    assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
    simkit_reasons *r = record(w);
    for (int i = 0; i < 2; ++i) place[i] = add(w, 1, 1e6);
    for (int i = 0; i < 2; ++i) {
        const simkit_transfer_desc desc = {
            .from = place[0], .to = place[1], .bytes = 1e6 * (1 + i), .name = i ? "second" : "first", .in_order = true
        };
        assert_int_equal(simkit_transfer_start(w, &desc, NULL), SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    look(r, 0, 3);
    assert_int_equal(pieces, 2);
    assert_piece(0, SIMKIT_REASON_TURN, "second", 1, 1);
    assert_piece(1, SIMKIT_REASON_TRANSMISSION, "second", 1, 3);
    simkit_world_close(w);
}

/* Between runs nothing is known; background is not on the path; a record may begin late. */
static void what_is_outside(void **state)
{
    simkit_world *w = NULL;
    (void)state;
    assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
    place[0] = add(w, 1, 0);
    start(w, place[0], 3, "before", NULL, NULL);
    assert_int_equal(simkit_world_run_until(w, 1), SIMKIT_OK);
    simkit_reasons *r = record(w), *second = r;
    assert_int_equal(simkit_reasons_open(w, &second), SIMKIT_BAD_CALL);
    assert_null(second);
    look(r, 1, 1);
    assert_int_equal(pieces, 0);
    assert_nan(simkit_reasons_efficiency(r));
    assert_int_equal(simkit_world_run_until(w, 4), SIMKIT_OK);
    look(r, 1, 1); /* "before" has ended, but its beginning was not seen */
    start(w, place[0], 2, "mine", NULL, NULL);
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    const simkit_computation_desc other = { .node = place[0], .seconds = 5, .background = true };
    assert_int_equal(simkit_computation_start(w, &other, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(w, 20), SIMKIT_OK);
    look(r, 1, 6);
    assert_int_equal(pieces, 2);
    assert_piece(0, SIMKIT_REASON_OUTSIDE, "", 0, 4);
    assert_piece(1, SIMKIT_REASON_COMPUTING, "mine", 1, 6);
    start(w, place[0], 1, "", NULL, NULL);
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    look(r, 1, 21);
    assert_piece(2, SIMKIT_REASON_OUTSIDE, "", 0, 20);
    assert_piece(3, SIMKIT_REASON_COMPUTING, "", 1, 21);
    /* what is sent to watchers from elsewhere is not of this run */
    const simkit_watch_event event = { .kind = SIMKIT_WATCH_COMPUTE, .phase = SIMKIT_PHASE_END, .node = 1, .time = 99, .number = 1 };
    assert_int_equal(simkit_watch_emit(w, &event), SIMKIT_OK);
    look(r, 1, 21);
    assert_close(simkit_reasons_node(r, 1).cpu, 3, 1e-12);
    simkit_reasons_close(r);
    simkit_reasons_close(NULL);
    r = record(w);
    look(r, 21, 21);
    assert_int_equal(simkit_reasons_path(NULL, &path, &pieces), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_reasons_table(r, NULL, &pieces), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_reasons_open(NULL, &r), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_reasons_open(w, NULL), SIMKIT_BAD_ARGUMENT);
    simkit_world_close(w); /* closes the record */
}

#ifndef SIMKIT_NO_PROCESSES
static simkit_mailbox box;
static simkit_resource mutex;
static simkit_process sleeper;

static void body_first(simkit_world *w, void *user)
{
    const simkit_computation_desc work = { .seconds = 1, .name = "make" };
    const simkit_post_desc post = { .to = box, .bytes = 1e6, .name = "made" };
    (void)user;
    assert_int_equal(simkit_process_acquire(w, mutex, 1, 0), SIMKIT_OK);
    assert_int_equal(simkit_process_compute(w, &work, NULL), SIMKIT_OK);
    assert_int_equal(simkit_resource_release(w, mutex, 1), SIMKIT_OK);
    assert_int_equal(simkit_process_wait(w, 0.5), SIMKIT_OK);
    assert_int_equal(simkit_process_send(w, &post, NULL), SIMKIT_OK);
}

static void body_second(simkit_world *w, void *user)
{
    const simkit_computation_desc work = { .seconds = 4, .name = "hold" };
    (void)user;
    assert_int_equal(simkit_process_wait(w, 0.25), SIMKIT_OK);
    assert_int_equal(simkit_process_acquire(w, mutex, 1, 0), SIMKIT_OK); /* until 1 */
    assert_int_equal(simkit_process_compute(w, &work, NULL), SIMKIT_OK); /* until 5 */
    assert_int_equal(simkit_process_resume(w, sleeper), SIMKIT_OK);
}

static void body_third(simkit_world *w, void *user)
{
    const simkit_computation_desc work = { .seconds = 2, .name = "end" };
    simkit_message message;
    (void)user;
    assert_int_equal(simkit_process_receive(w, box, &message), SIMKIT_OK); /* at 2.5 */
    assert_int_equal(simkit_process_suspend(w, NULL), SIMKIT_OK);          /* until 5 */
    assert_int_equal(simkit_process_limit(w, 1.5), SIMKIT_OK);
    assert_int_equal(simkit_process_receive(w, box, &message), SIMKIT_TIMED_OUT); /* at 6.5 */
    assert_int_equal(simkit_process_compute(w, &work, NULL), SIMKIT_OK);
}

/* A mutex, a message, a wait, a resume and a time limit: the path goes through what ended each wait. */
static void processes_by_hand(void **state)
{
    static simkit_call *const bodies[] = { body_first, body_second, body_third };
    static const char *const names[] = { "first", "second", "third" };
    simkit_world *w = NULL;
    (void)state;
    assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
    simkit_reasons *r = record(w);
    for (int i = 0; i < 3; ++i) place[i] = add(w, 1, 1e6);
    assert_int_equal(simkit_mailbox_open(w, place[2], "box", &box), SIMKIT_OK);
    assert_int_equal(simkit_resource_open(w, NULL, &mutex), SIMKIT_OK);
    for (int i = 0; i < 3; ++i) {
        const simkit_process_desc desc = { .node = place[i], .body = bodies[i], .name = names[i] };
        assert_int_equal(simkit_process_start(w, &desc, i == 2 ? &sleeper : NULL), SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run_until(w, 2.5), SIMKIT_OK);
    look(r, 0, 2.5);
    assert_int_equal(pieces, 3);
    assert_piece(0, SIMKIT_REASON_COMPUTING, "make", 1, 1);
    assert_piece(1, SIMKIT_REASON_TIMER, "first", 1, 1.5);
    assert_piece(2, SIMKIT_REASON_TRANSMISSION, "made", 1, 2.5);
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    look(r, 0, 8.5);
    assert_int_equal(pieces, 4);
    assert_piece(0, SIMKIT_REASON_COMPUTING, "make", 1, 1);
    assert_piece(1, SIMKIT_REASON_COMPUTING, "hold", 2, 5);
    assert_piece(2, SIMKIT_REASON_TIMER, "third", 3, 6.5);
    assert_piece(3, SIMKIT_REASON_COMPUTING, "end", 3, 8.5);
    simkit_world_close(w);
}
#endif

/*=============================================================================
 * Random graphs: the longest path by dynamic programming
 *===========================================================================*/
enum { TASKS = 40 };

typedef struct task {
    struct task *next[TASKS]; /* those that wait for it */
    int after, missing;
    double seconds, begins; /* when it begins, by the recurrence */
    struct task *because;   /* the one that it waits for */
    char name[8];
    simkit_node node;
} task;

static task tasks[TASKS];

static void task_done(simkit_world *w, void *user)
{
    task *t = (task *)user;
    for (int i = 0; i < t->after; ++i)
        if (--t->next[i]->missing == 0)
            start(w, t->next[i]->node, t->next[i]->seconds, t->next[i]->name, task_done, t->next[i]);
}

static void paths_are_the_longest(void **state)
{
    uint64_t dice = 5;
    (void)state;
    for (int set = 0; set < 200; ++set) {
        const double density = random_between(&dice, 0, 0.4);
        task *end = tasks;
        simkit_world *w = NULL;
        memset(tasks, 0, sizeof tasks);
        assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
        simkit_reasons *r = record(w);
        for (int i = 0; i < TASKS; ++i) {
            task *t = &tasks[i];
            t->seconds = random_between(&dice, 0.1, 1);
            t->node = add(w, 1, 0);
            snprintf(t->name, sizeof t->name, "t%d", i);
            for (int k = 0; k < i; ++k) {
                if (random_between(&dice, 0, 1) > density) continue;
                tasks[k].next[tasks[k].after++] = t;
                ++t->missing;
                if (tasks[k].begins + tasks[k].seconds <= t->begins) continue;
                t->begins = tasks[k].begins + tasks[k].seconds;
                t->because = &tasks[k];
            }
            if (t->begins + t->seconds > end->begins + end->seconds) end = t;
        }
        for (int i = 0; i < TASKS; ++i)
            if (tasks[i].begins <= 0) start(w, tasks[i].node, tasks[i].seconds, tasks[i].name, task_done, &tasks[i]);
        assert_int_equal(simkit_world_run(w), SIMKIT_OK);
        look(r, 0, simkit_clock_now(w));
        for (size_t i = pieces; i-- > 0; end = end->because) {
            assert_non_null(end);
            assert_string_equal(path[i].name, end->name);
            assert_int_equal(path[i].reason, SIMKIT_REASON_COMPUTING);
        }
        assert_null(end);
        simkit_world_close(w);
    }
}

/*=============================================================================
 * Every run
 *===========================================================================*/
typedef struct chaos {
    uint64_t dice;
    int left;
    simkit_node nodes;
    simkit_mailbox box;
    simkit_resource resource;
} chaos;

static void act(simkit_world *w, void *user);

static void receive(simkit_world *w, void *user, const simkit_message *message)
{
    (void)message;
    act(w, user);
}

static void acquired(simkit_world *w, void *user, simkit_result result)
{
    chaos *c = (chaos *)user;
    act(w, c);
    if (result == SIMKIT_OK) assert_int_equal(simkit_resource_release(w, c->resource, 1), SIMKIT_OK);
}

static simkit_node any(chaos *c)
{
    return 1 + (simkit_node)(random_next(&c->dice) % c->nodes);
}

/* Something that comes back here when it has happened; now and then nothing or two things. */
static void act(simkit_world *w, void *user)
{
    chaos *c = (chaos *)user;
    const int times = (int)(random_next(&c->dice) % 4);
    for (int i = 0; i < (times == 0 ? 2 : times > 2 ? 0 : 1) && c->left > 0; ++i) {
        --c->left;
        const double size = random_next(&c->dice) % 5 ? random_between(&c->dice, 0, 1) : 0;
        const simkit_computation_desc work = { .node = any(c), .seconds = size, .done = act, .lost = act, .user = c };
        const simkit_transfer_desc move = { .from = any(c), .to = any(c), .bytes = size * 1e6, .done = act, .lost = act,
                                            .user = c, .in_order = random_next(&c->dice) % 2 == 0 };
        const simkit_post_desc post = { .from = any(c), .to = c->box, .bytes = size * 1e5 };
        switch (random_next(&c->dice) % 6) {
        case 0: (void)!simkit_computation_start(w, &work, NULL); break;
        case 1: (void)!simkit_transfer_start(w, &move, NULL); break;
        case 2: (void)!simkit_step_after(w, size, 0, act, c, NULL); break;
        case 3: (void)!simkit_mailbox_post(w, &post, NULL); break;
        case 4: (void)!simkit_mailbox_take(w, c->box, receive, c, NULL); break;
        default: (void)!simkit_resource_acquire(w, c->resource, 1, 0, acquired, c, NULL); break;
        }
    }
}

static uint64_t chaos_run(uint64_t seed, bool recorded, bool fails)
{
    simkit_world *w = NULL;
    chaos c = { .dice = seed, .left = 400, .nodes = 4 };
    simkit_reasons *r = NULL;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = seed % 2 ? 0.01 : 0, .seed = seed }, &w), SIMKIT_OK);
    assert_int_equal(simkit_fingerprint_begin(w), SIMKIT_OK);
    if (recorded) r = record(w);
    for (int i = 0; i < 4; ++i) add(w, 1 + i % 2, 1e6);
    assert_int_equal(simkit_mailbox_open(w, 1, "box", &c.box), SIMKIT_OK);
    assert_int_equal(simkit_resource_open(w, NULL, &c.resource), SIMKIT_OK);
    for (int i = 0; i < 10; ++i) act(w, &c);
    if (fails) {
        assert_int_equal(simkit_world_run_until(w, 2), SIMKIT_OK);
        assert_int_equal(simkit_node_fail(w, 2), SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    if (recorded) {
        const simkit_reason_piece *all;
        size_t count;
        double sum = 0;
        assert_int_equal(simkit_reasons_path(r, &all, &count), SIMKIT_OK);
        look(r, 0, count > 0 ? all[count - 1].end : 0);
        if (!fails)
            for (size_t i = 0; i < pieces; ++i) if (path[i].reason == SIMKIT_REASON_OUTSIDE) fail_msg("seed %d: %lu of %lu, %g %g, next %d %u %u %g", (int)seed, i, pieces, path[i].begin, path[i].end, path[i+1].reason, path[i+1].node, path[i+1].to, path[i+1].end);
        for (simkit_node node = 1; node <= 4; ++node) {
            const simkit_reason_node is = simkit_reasons_node(r, node);
            assert_true(is.computing >= 0 && is.communicating >= 0 && is.idle >= 0);
            assert_close(is.present, fails && node == 2 ? 2 : simkit_clock_now(w), 1e-12);
            assert_true(fabs(is.computing + is.communicating + is.idle - is.present) < 1e-9);
            sum += is.cpu;
        }
        assert_true(sum >= 0 && simkit_reasons_efficiency(r) <= 1 + 1e-9);
    }
    const uint64_t fingerprint = simkit_fingerprint_value(w);
    simkit_world_close(w);
    return fingerprint;
}

static void every_path_is_whole_and_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        const bool fails = seed % 3 == 0;
        assert_true(chaos_run(seed, true, fails) == chaos_run(seed, false, fails));
    }
}

static void nothing(simkit_world *w, void *user)
{
    (void)w, (void)user;
}

static void sends(simkit_world *w, void *user)
{
    const simkit_transfer_desc desc = { .from = place[0], .to = place[1], .bytes = 8e6, .name = "b" };
    (void)user;
    if (simkit_transfer_start(w, &desc, NULL) != SIMKIT_OK || simkit_step_after(w, 9, 0, nothing, NULL, NULL) != SIMKIT_OK)
        simkit_world_stop(w);
}

/* Memory runs out while something is recorded: the run goes on as before, and the path says so. */
static void memory_runs_out(void **state)
{
    const simkit_reason_piece *all;
    size_t count;
    int lost = 0, kept = 0;
    (void)state;
    for (long allowed = 0; kept == 0; ++allowed) {
        hook h = { .left = -1 };
        const simkit_world_desc desc = { .memory = { reallocate, &h } };
        simkit_reasons *r = NULL;
        simkit_world *w = NULL;
        assert_int_equal(simkit_world_open(&desc, &w), SIMKIT_OK);
        for (int i = 0; i < 3; ++i) place[i] = add(w, 1, 4e6);
        h.left = allowed;
        h.once = true;
        const simkit_result opened = simkit_reasons_open(w, &r);
        if (opened != SIMKIT_OK) {
            assert_int_equal(opened, SIMKIT_NO_MEMORY);
            assert_null(r);
            simkit_world_close(w);
            assert_int_equal(h.blocks, 0);
            continue;
        }
        const simkit_computation_desc work = { .node = place[0], .seconds = 1, .name = "a", .done = sends };
        const simkit_result started = simkit_computation_start(w, &work, NULL);
        const simkit_result ran = started == SIMKIT_OK ? simkit_world_run(w) : started;
        const bool refused = h.refused;
        const simkit_result result = simkit_reasons_path(r, &all, &count);
        if (ran == SIMKIT_OK && result == SIMKIT_OK && !h.refused) {
            ++kept;
            assert_equal(all[count - 1].end, simkit_clock_now(w));
        } else if (result != SIMKIT_OK) {
            ++lost;
            assert_int_equal(result, SIMKIT_NO_MEMORY);
            assert_true(refused || h.refused);
            assert_null(all);
        }
        simkit_world_close(w);
        assert_int_equal(h.blocks, 0);
    }
    assert_true(lost > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_by_hand),
        cmocka_unit_test(turns_by_hand),
        cmocka_unit_test(what_is_outside),
#ifndef SIMKIT_NO_PROCESSES
        cmocka_unit_test(processes_by_hand),
#endif
        cmocka_unit_test(paths_are_the_longest),
        cmocka_unit_test(every_path_is_whole_and_changes_nothing),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
