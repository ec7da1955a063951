/* Rooms clock, world and queue of simkit.h. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "world.h"

static int happened[64], count;

static void happen(simkit_world *w, void *user)
{
    (void)w;
    happened[count++] = (int)(intptr_t)user;
}

static simkit_step ask(double time, int priority, int mark)
{
    simkit_step step = 0;
    assert_int_equal(simkit_step_at(world, time, priority, happen, (void *)(intptr_t)mark, &step), SIMKIT_OK);
    assert_true(step != 0);
    return step;
}

static void steps_run_by_time_priority_and_number(void **state)
{
    static const int expected[] = { 5, 3, 4, 1, 6, 2, 0 };
    (void)state;
    count = 0;
    ask(3, 0, 0);
    ask(2, 0, 1);
    ask(2, 7, 2);
    ask(1, 0, 3);
    ask(1, 0, 4);
    ask(1, -1, 5);
    ask(2, 0, 6);
    assert_equal(simkit_clock_next(world), 1);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(count, 7);
    assert_memory_equal(happened, expected, sizeof expected);
    assert_equal(simkit_clock_now(world), 3);
    assert_int_equal(simkit_clock_events(world), 7);
    assert_true(isinf(simkit_clock_next(world)));
}

static void cancelled_steps_never_run(void **state)
{
    simkit_step a, b, c;
    (void)state;
    count = 0;
    a = ask(1, 0, 1);
    b = ask(1, 0, 2);
    c = ask(1, 0, 3);
    assert_true(simkit_step_pending(world, b));
    assert_true(simkit_step_cancel(world, b));
    assert_false(simkit_step_pending(world, b));
    assert_false(simkit_step_cancel(world, b));
    assert_false(simkit_step_cancel(world, 0));
    assert_false(simkit_step_cancel(world, UINT64_MAX));
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(count, 2);
    assert_int_equal(happened[0], 1);
    assert_int_equal(happened[1], 3);
    assert_false(simkit_step_pending(world, a));
    assert_false(simkit_step_cancel(world, c));
}

/* A handle that has outlived its step does not mean the step that has its place now. */
static void handles_outlive_their_steps(void **state)
{
    simkit_step first, next;
    (void)state;
    count = 0;
    first = ask(1, 0, 1);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    for (int i = 0; i < 1000; ++i) {
        next = ask(2, 0, 2);
        assert_true(next != first);
        assert_false(simkit_step_cancel(world, first));
        assert_false(simkit_step_pending(world, first));
        assert_true(simkit_step_cancel(world, next));
        first = next;
    }
}

static simkit_step victim;

static void cancel_victim(simkit_world *w, void *user)
{
    *(bool *)user = simkit_step_cancel(w, victim);
}

static void a_step_can_cancel_another_of_its_instant(void **state)
{
    bool cancelled = false;
    (void)state;
    count = 0;
    assert_int_equal(simkit_step_at(world, 1, 0, cancel_victim, &cancelled, NULL), SIMKIT_OK);
    victim = ask(1, 0, 1);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(cancelled);
    assert_int_equal(count, 0);
    assert_equal(simkit_clock_now(world), 1);
}

static void again(simkit_world *w, void *user)
{
    int *left = (int *)user;
    if (--*left > 0) assert_int_equal(simkit_step_after(w, 0, 0, again, user, NULL), SIMKIT_OK);
}

static void zero_delays_are_steps_like_any_other(void **state)
{
    int left = 1000;
    (void)state;
    assert_int_equal(simkit_step_after(world, 0, 0, again, &left, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(left, 0);
    assert_equal(simkit_clock_now(world), 0);
    assert_int_equal(simkit_clock_events(world), 1000);
}

static void stop(simkit_world *w, void *user)
{
    (void)user;
    simkit_world_stop(w);
}

static void fails_and_stops(simkit_world *w, void *user)
{
    if (simkit_step_at(w, -1, 0, stop, user, NULL) != SIMKIT_OK) simkit_world_stop(w);
}

static void the_sentence_of_a_call_that_fails_stays(void **state)
{
    (void)state;
    assert_int_equal(simkit_step_at(world, 2, 0, fails_and_stops, NULL, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_STOPPED);
    assert_why_begins("at 2 s: ");
}

static void a_run_stops_and_goes_on(void **state)
{
    (void)state;
    count = 0;
    ask(1, 0, 1);
    assert_int_equal(simkit_step_at(world, 2, 0, stop, NULL, NULL), SIMKIT_OK);
    ask(3, 0, 3);
    assert_int_equal(simkit_step_at(world, -1, 0, stop, NULL, NULL), SIMKIT_BAD_TIME);
    assert_int_equal(simkit_world_run(world), SIMKIT_STOPPED);
    assert_why("the run was stopped"); /* not the sentence of the call before */
    assert_int_equal(count, 1);
    assert_equal(simkit_clock_now(world), 2);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(count, 2);
}

static void a_run_until_a_time_sets_the_clock(void **state)
{
    (void)state;
    count = 0;
    ask(1, 0, 1);
    ask(2, 0, 2);
    ask(2.5, 0, 3);
    assert_int_equal(simkit_world_run_until(world, 2), SIMKIT_OK);
    assert_int_equal(count, 2);
    assert_equal(simkit_clock_now(world), 2);
    assert_int_equal(simkit_world_run_until(world, 2.25), SIMKIT_OK);
    assert_equal(simkit_clock_now(world), 2.25);
    assert_int_equal(count, 2);
    assert_int_equal(simkit_world_run_until(world, 100), SIMKIT_OK);
    assert_equal(simkit_clock_now(world), 100);
    assert_int_equal(count, 3);
    assert_int_equal(simkit_world_run_until(world, 99), SIMKIT_BAD_TIME);
    assert_why("at 100 s: a run until 99 s: expected a finite time, not before now");
    assert_int_equal(simkit_world_run_until(world, NAN), SIMKIT_BAD_TIME);
    assert_int_equal(simkit_world_run_until(world, INFINITY), SIMKIT_BAD_TIME);
}

static void run_inside(simkit_world *w, void *user)
{
    *(simkit_result *)user = simkit_world_run(w);
}

static void bad_input_is_named(void **state)
{
    simkit_step step = 9;
    simkit_result inside = SIMKIT_OK;
    (void)state;
    assert_string_equal(simkit_world_why(world), "");
    assert_int_equal(simkit_world_run_until(world, 1.5), SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, 1, 0, happen, NULL, &step), SIMKIT_BAD_TIME);
    assert_why("at 1.5 s: a step at 1 s: expected a finite time, not before now");
    assert_int_equal(step, 0);
    for (int sign = -1; sign <= 1; sign += 2) { /* the sign of a NaN differs from processor to processor */
        assert_int_equal(simkit_step_at(world, copysign(NAN, sign), 0, happen, NULL, NULL), SIMKIT_BAD_TIME);
        assert_why("at 1.5 s: a step at nan s: expected a finite time, not before now");
    }
    assert_int_equal(simkit_step_at(world, INFINITY, 0, happen, NULL, NULL), SIMKIT_BAD_TIME);
    assert_why("at 1.5 s: a step at inf s: expected a finite time, not before now");
    assert_int_equal(simkit_step_after(world, -1, 0, happen, NULL, NULL), SIMKIT_BAD_TIME);
    assert_why("at 1.5 s: a step after -1 s: expected a finite delay, not negative");
    assert_int_equal(simkit_step_after(world, NAN, 0, happen, NULL, NULL), SIMKIT_BAD_TIME);
    assert_int_equal(simkit_step_at(world, 2, 40000, happen, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 1.5 s: priority 40000 is not in -32768 .. 32767");
    assert_int_equal(simkit_step_at(world, 2, 0, NULL, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 1.5 s: a step needs a function to call");
    assert_int_equal(simkit_step_at(NULL, 2, 0, happen, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_step_at(world, 2, 0, run_inside, &inside, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(inside, SIMKIT_BAD_CALL);
    assert_why("at 2 s: a run was started inside a run");
    assert_int_equal(simkit_world_run(NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_world_open(NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_nan(simkit_clock_now(NULL));
    simkit_world_stop(NULL);
    simkit_world_close(NULL);
    assert_non_null(simkit_world_why(NULL));
    for (int i = -1; i < 20; ++i) assert_non_null(simkit_result_text((simkit_result)i));
}

/*=============================================================================
 * Random operations against a list
 *===========================================================================*/
enum { MOST = 400 };

typedef struct entry {
    double time;
    int priority, number;
    simkit_step step;
} entry;

static entry list[MOST];
static int listed, ran;
static uint64_t dice;

static void expect_first(simkit_world *w, void *user)
{
    int best = 0;
    for (int i = 1; i < listed; ++i) {
        const entry *a = &list[i], *b = &list[best];
        if (a->time < b->time || (a->time == b->time &&
                                  (a->priority < b->priority || (a->priority == b->priority && a->number < b->number))))
            best = i;
    }
    assert_int_equal((int)(intptr_t)user, list[best].number);
    assert_equal(simkit_clock_now(w), list[best].time);
    list[best] = list[--listed];
    ++ran;
}

static void any_order_of_calls_equals_a_sorted_list(void **state)
{
#ifdef TESTS_SLOW
    const int operations = 20000;
#else
    const int operations = 200000;
#endif
    (void)state;
    dice = 5, listed = 0, ran = 0;
    for (int i = 0; i < operations; ++i) {
        const double chance = random_between(&dice, 0, 1);
        if (chance < 0.5 && listed < MOST) {
            entry *e = &list[listed++];
            e->time = simkit_clock_now(world) + floor(random_between(&dice, 0, 8)); /* many ties */
            e->priority = (int)random_between(&dice, -2, 3);
            e->number = i;
            assert_int_equal(simkit_step_at(world, e->time, e->priority, expect_first, (void *)(intptr_t)i, &e->step),
                             SIMKIT_OK);
        } else if (chance < 0.65 && listed > 0) {
            const int which = (int)random_between(&dice, 0, listed);
            assert_true(simkit_step_cancel(world, list[which].step));
            list[which] = list[--listed];
        } else if (chance < 0.66) {
            double next = simkit_clock_next(world);
            if (isfinite(next)) assert_int_equal(simkit_world_run_until(world, next), SIMKIT_OK);
        } else if (listed > 0 && chance > 0.9) {
            assert_int_equal(simkit_world_run_until(world, simkit_clock_now(world)), SIMKIT_OK);
        }
    }
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(listed, 0);
    assert_true(ran > operations / 10);
}

static double last;

static void in_order(simkit_world *w, void *user)
{
    assert_true(simkit_clock_now(w) >= last);
    last = simkit_clock_now(w);
    ++*(long *)user;
}

static void a_million_events_are_in_order(void **state)
{
#ifdef TESTS_SLOW
    const long events = 50000;
#else
    const long events = 1000000;
#endif
    long seen = 0;
    (void)state;
    dice = 3, last = 0;
    for (long i = 0; i < events; ++i)
        assert_int_equal(simkit_step_at(world, random_between(&dice, 0, 1e6), 0, in_order, &seen, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(seen, events);
    assert_int_equal(simkit_clock_events(world), events);
}

/* Steady state: what was pending once is reused. */
static void memory_does_not_grow_in_a_steady_state(void **state)
{
    size_t before, after, peak;
    (void)state;
    for (int round = 0; round < 3; ++round) {
        count = 0;
        for (int i = 0; i < 50; ++i) ask(simkit_clock_now(world) + i, 0, i);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    }
    before = simkit_world_memory(world, NULL);
    for (int round = 0; round < 100; ++round) {
        count = 0;
        for (int i = 0; i < 50; ++i) ask(simkit_clock_now(world) + i, 0, i);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    }
    after = simkit_world_memory(world, &peak);
    assert_int_equal(before, after);
    assert_true(peak >= after);
}

static void worlds_do_not_know_each_other(void **state)
{
    simkit_world *other;
    (void)state;
    count = 0;
    assert_int_equal(simkit_world_open(NULL, &other), SIMKIT_OK);
    ask(1, 0, 1);
    assert_int_equal(simkit_step_at(other, 5, 0, happen, (void *)(intptr_t)2, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(other), SIMKIT_OK);
    assert_int_equal(count, 1);
    assert_equal(simkit_clock_now(world), 0);
    assert_equal(simkit_clock_now(other), 5);
    simkit_world_close(other);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(count, 2);
}

static void closes_its_world(simkit_world *w, void *user)
{
    (void)user;
    simkit_world_close(w);
    happened[count++] = 1;
}

/* A callback is called by a run that needs its world afterwards. */
static void a_world_is_not_closed_in_its_run(void **state)
{
    (void)state;
    for (int process = 0; process < 2; ++process) {
        count = 0;
        ask(simkit_clock_now(world), 1, 2);
#ifndef SIMKIT_NO_PROCESSES
        if (process)
            assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .body = closes_its_world }, NULL),
                             SIMKIT_OK);
        else
#endif
            assert_int_equal(simkit_step_after(world, 0, 0, closes_its_world, NULL, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_BAD_CALL);
        assert_why("at 0 s: simkit_world_close was called inside a run; the world stays open");
        assert_int_equal(count, 1);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(count, 2);
    }
}

/* Memory that is freed all at once, for a world that nobody can close. */
static union {
    long double aligned;
    char bytes[1 << 20];
} arena;
static size_t arena_used;

static void *from_the_arena(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    if (new_bytes == 0 || new_bytes > sizeof arena - 64 - arena_used) return NULL;
    char *fresh = arena.bytes + arena_used;
    arena_used += (new_bytes + 63) / 64 * 64;
    if (pointer) memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    return fresh;
}

static jmp_buf outside;

static void jumps_out(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
    longjmp(outside, 1);
}

/* What the header forbids: the world stays inside its run. No call crashes. */
static void a_jump_out_of_a_step_ends_no_run(void **state)
{
    simkit_world *w;
    (void)state;
    arena_used = 0;
    succeeds(simkit_world_open(&(simkit_world_desc){ .memory = { .reallocate = from_the_arena } }, &w));
    succeeds(simkit_step_at(w, 1, 0, jumps_out, NULL, NULL));
    if (setjmp(outside) == 0) whatever(simkit_world_run(w));
    assert_int_equal(simkit_world_run(w), SIMKIT_BAD_CALL);
    assert_string_equal(simkit_world_why(w), "at 1 s: a run was started inside a run");
    assert_int_equal(simkit_world_run_until(w, 2), SIMKIT_BAD_CALL);
    assert_int_equal(simkit_world_reset(w, NULL), SIMKIT_BAD_CALL);
    simkit_world_close(w);
    assert_string_equal(simkit_world_why(w), "at 1 s: simkit_world_close was called inside a run; the world stays open");
    assert_equal(simkit_clock_now(w), 1);
}

/* The clock stays a number of seconds: what would end beyond the largest double does not, and the run says so. */
static void nothing_ends_after_the_last_time(void **state)
{
    (void)state;
    for (int what = 0; what < 4; ++what) {
        simkit_node far_away, beyond, near_by;
        const simkit_node_desc slow = { .speed = 1e-10, .up_bandwidth = 0.1, .down_bandwidth = 0.1 };
        const netmodel_link far = { 1e308, 0 }, memory = { 0, 10 };
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(&(simkit_world_desc){ .slow_links = true }, &world), SIMKIT_OK);
        assert_int_equal(simkit_node_add(world, NULL, &far_away), SIMKIT_OK);
        assert_int_equal(simkit_node_add(world, NULL, &beyond), SIMKIT_OK);
        assert_int_equal(simkit_node_add(world, &slow, &near_by), SIMKIT_OK);
        const simkit_transfer_desc late = { .from = far_away, .to = beyond, .in_order = true },
                                   large = { .from = near_by, .to = near_by, .bytes = 1e308, .done = happen };
        count = 0;
        switch (what) {
        case 0: /* the first in time, the second not */
            assert_int_equal(simkit_pair_set(world, far_away, beyond, &far), SIMKIT_OK);
            for (int i = 0; i < 2; ++i) assert_int_equal(simkit_transfer_start(world, &late, NULL), SIMKIT_OK);
            break;
        case 1:
            assert_int_equal(simkit_pair_set(world, near_by, near_by, &memory), SIMKIT_OK);
            assert_int_equal(simkit_transfer_start(world, &large, NULL), SIMKIT_OK);
            break;
        case 2: /* each alone would end in time */
            for (int i = 0; i < 2; ++i)
                assert_int_equal(
                    simkit_transfer_start(
                        world, &(simkit_transfer_desc){ .from = near_by, .to = beyond, .bytes = 1e307, .done = happen },
                        NULL),
                    SIMKIT_OK);
            break;
        default:
            assert_int_equal(
                simkit_computation_start(
                    world, &(simkit_computation_desc){ .node = near_by, .seconds = 1e300, .done = happen }, NULL),
                SIMKIT_OK);
        }
        ask(1, 0, 1);
        assert_int_equal(simkit_world_run(world), SIMKIT_BAD_TIME);
        assert_non_null(strstr(simkit_world_why(world), "would end after the last time there is, 1.79769313e+308 s"));
        assert_int_equal(count, 1);
        assert_true(simkit_clock_now(world) < INFINITY);
        if (what == 1 || what == 3) assert_equal(simkit_clock_now(world), 1);
        assert_int_equal(simkit_world_run_until(world, simkit_clock_now(world)), SIMKIT_OK);
        assert_int_equal(simkit_step_after(world, 0, 0, happen, NULL, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_BAD_TIME);
        assert_int_equal(count, 2);
    }
}

static void minus_zero_is_no_time_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(simkit_world_run_until(world, -0.0), SIMKIT_OK);
    assert_false(signbit(simkit_clock_now(world)));
    assert_int_equal(simkit_step_after(world, -0.0, 0, happen, NULL, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, -0.0), SIMKIT_OK);
    assert_false(signbit(simkit_clock_now(world)));
}

/* So late that doubles skip what is to happen: a result instead of a run that never ends. */
static void what_is_too_late_is_named(void **state)
{
    simkit_node node;
    (void)state;
    assert_int_equal(simkit_world_run_until(world, 1e15), SIMKIT_OK); /* neighbouring times are 0.125 s apart */
    assert_int_equal(
        simkit_node_add(world, &(simkit_node_desc){ .name = "box", .quota = 0.005, .period = 0.01 }, &node), SIMKIT_OK);
    assert_int_equal(simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .seconds = 1 }, NULL),
                     SIMKIT_OK);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(simkit_world_run_until(world, 1e15 + 10), SIMKIT_BAD_TIME);
        assert_non_null(strstr(simkit_world_why(world),
                               " s: the time is too large to distinguish the periods of node 'box', 0.01 s apart"));
    }
    assert_int_equal(simkit_node_fail(world, node), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 1e17), SIMKIT_OK);
    assert_int_equal(simkit_node_add(world, NULL, &node), SIMKIT_OK);
    assert_int_equal(
        simkit_arrivals_start(world, &(simkit_arrivals_desc){ .node = node, .rate = 1, .name = "visits" }, NULL),
        SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 1.1e17), SIMKIT_BAD_TIME);
    assert_why("at 1e+17 s: the time is too large to distinguish the arrivals of source 'visits', 1 s apart");
}

/* A quota that ends when it begins, because doubles cannot tell: nothing would be computed, period after period. */
static void a_quota_that_never_begins_is_named(void **state)
{
    static const struct {
        simkit_node_desc node;
        int computations;
        double memory_rate;
        simkit_result result;
    } cases[] = {
        { { .quota = 0.05, .period = 1e15 }, 3, 0, SIMKIT_BAD_TIME },
        { { .quota = 0.05, .period = 1e15 }, 1, 0, SIMKIT_BAD_TIME },
        { { .quota = 1e-30, .period = 0.1 }, 1, 0, SIMKIT_BAD_TIME },
        { { .quota = 5e-324, .period = 1e-300 }, 1, 0, SIMKIT_BAD_TIME },
        { { .quota = 0.2, .period = 1e15, .cores = 4 }, 4, 0, SIMKIT_BAD_TIME },
        { { .quota = 0.05, .period = 1e15, .tick = 0.01 }, 3, 0, SIMKIT_BAD_TIME },
        { { .quota = 0.05, .period = 1e15, .tick = 1e-300 }, 3, 0, SIMKIT_BAD_TIME },
        { { .quota = 0.05, .period = 1e15, .slice = 0.01, .kept = 0.01 }, 3, 0, SIMKIT_BAD_TIME },
        { { .quota = 0.05, .period = 1e15, .memory_bandwidth = 1e6 }, 3, 1e6, SIMKIT_BAD_TIME },
        { { .quota = 0.05, .period = 1e15, .host = 7 }, 3, 0, SIMKIT_BAD_TIME },
        { { .quota = 0.05, .period = 1e15, .speed = 0.1 }, 3, 0, SIMKIT_BAD_TIME },
        /* These go on, though a period takes very little of it, or its end is rounded. */
        { { .quota = 0.05, .period = 1e13 }, 3, 0, SIMKIT_OK },
        { { .quota = 0.2, .period = 1e13, .cores = 4 }, 4, 0, SIMKIT_OK },
        { { .quota = 0.05, .period = 1e13, .tick = 1e12 }, 1, 0, SIMKIT_OK },
        { { .quota = 0.05, .period = 1e13, .slice = 1, .kept = 1 }, 3, 0, SIMKIT_OK },
        { { .quota = 0.3, .period = 1e15 }, 3, 0, SIMKIT_OK },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        simkit_node node;
        simkit_node_desc box = cases[i].node;
        box.name = "box";
        reopen_world(NULL);
        succeeds(simkit_node_add(world, &box, &node));
        for (int k = 0; k < cases[i].computations; ++k)
            succeeds(simkit_computation_start(world,
                                              &(simkit_computation_desc){
                                                  .node = node, .seconds = 0.3, .memory_rate = cases[i].memory_rate },
                                              NULL));
        for (int k = 0; k < 3; ++k) {
            const simkit_result result = simkit_world_run(world);
            if (result != cases[i].result)
                fail_msg("case %lu: %s, %s", (unsigned long)i, simkit_result_text(result), simkit_world_why(world));
            if (result == SIMKIT_OK) break;
            assert_non_null(strstr(simkit_world_why(world),
                                   " s: the time is too large to distinguish begin and end of the quota of node 'box', "));
        }
        assert_int_equal(simkit_node_running(world, node) == 0, cases[i].result == SIMKIT_OK);
        if (cases[i].result != SIMKIT_OK) succeeds(simkit_node_fail(world, node));
        succeeds(simkit_world_run(world));
    }
}

/* From the smallest time that there is to nearly the largest, in any order of asking. */
enum { SPREAD = 60 };
static double spread_last;
static int spread_count;
static void spread_happens(simkit_world *w, void *user)
{
    (void)user;
    assert_true(simkit_clock_now(w) >= spread_last);
    spread_last = simkit_clock_now(w);
    ++spread_count;
}

static void times_far_apart_come_in_order(void **state)
{
    uint64_t dice = 9;
    (void)state;
    for (int trial = 0; trial < 50; ++trial) {
        simkit_world *w;
        assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
        spread_last = 0, spread_count = 0;
        for (int i = 0; i < SPREAD; ++i) {
            const double time = i == 0 ? 5e-324 : pow(10, random_between(&dice, -323, 308));
            assert_int_equal(simkit_step_at(w, time, 0, spread_happens, NULL, NULL), SIMKIT_OK);
        }
        assert_int_equal(simkit_world_run(w), SIMKIT_OK);
        assert_int_equal(spread_count, SPREAD);
        simkit_world_close(w);
    }
}

/* The next of periods that doubles cannot tell apart may be before now: that is named, too, and time does not go back. */
static void periods_do_not_turn_time_back(void **state)
{
    int named = 0;
    (void)state;
    for (double late = 1e13; late < 1e22; late *= 1.37)
        for (double period = 1e-4; period < 1000; period *= 3.1) {
            simkit_node node;
            simkit_world_close(world);
            assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
            assert_int_equal(
                simkit_node_add(world, &(simkit_node_desc){ .quota = 0.3 * period, .period = period }, &node),
                SIMKIT_OK);
            assert_int_equal(simkit_world_run_until(world, late), SIMKIT_OK);
            assert_int_equal(
                simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .seconds = 1 }, NULL),
                SIMKIT_OK);
            const simkit_result result = simkit_world_run_until(world, late);
            assert_true(result == SIMKIT_OK || result == SIMKIT_BAD_TIME);
            assert_true(simkit_clock_now(world) >= late);
            named += result == SIMKIT_BAD_TIME;
        }
    assert_true(named > 100);
}

static void nothing(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
}

typedef struct ticking {
    simkit_timer timer;
    double every, last;
    int count, until;
} ticking;

static void ticks(simkit_world *w, void *user)
{
    ticking *t = (ticking *)user;
    t->last = simkit_clock_now(w);
    if (++t->count == t->until)
        simkit_timer_close(w, t->timer);
    else
        simkit_timer_set(w, t->timer, simkit_clock_now(w) + t->every);
}

static void sees_a_step(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)w;
    (void)event;
    ++*(int *)user;
}

/* A timer of a library keeps no run alive, is seen by nobody, and can be set, closed and opened again at any time. */
static void a_timer_is_no_step(void **state)
{
    ticking often = { 0, 0.5, 0, 0, 0 }, few = { 0, 0.25, 0, 0, 3 }, late = { 0, 1, 0, 0, 0 };
    int seen = 0;

    (void)state;
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_STEP, sees_a_step, &seen));
    succeeds(simkit_timer_open(world, "often", ticks, &often, &often.timer));
    succeeds(simkit_timer_open(world, "few", ticks, &few, &few.timer));
    succeeds(simkit_timer_open(world, "late", ticks, &late, &late.timer));
    simkit_timer_set(world, often.timer, 0.5);
    simkit_timer_set(world, few.timer, 7);
    simkit_timer_set(world, few.timer, 0.25); /* the later setting counts */
    simkit_timer_set(world, late.timer, 2);
    simkit_timer_set(world, late.timer, (double)INFINITY); /* not at all */
    succeeds(simkit_world_run(world)); /* nothing else is there */
    assert_int_equal(often.count, 0);
    succeeds(simkit_step_at(world, 2, 0, nothing, NULL, NULL));
    succeeds(simkit_world_run(world));
    assert_int_equal(often.count, 3); /* 0.5, 1, 1.5; then the step, after which nothing keeps the run alive */
    assert_int_equal(few.count, 3);
    assert_int_equal(late.count, 0);
    assert_int_equal(seen, 1); /* the step */
    simkit_timer_set(world, late.timer, 1); /* that is over: now */
    simkit_timer_set(world, few.timer, 1);  /* closed: nothing */
    succeeds(simkit_world_run_until(world, 2.25));
    assert_int_equal(late.count, 1);
    assert_true(late.last >= 2 && late.last <= 2);
    assert_int_equal(few.count, 3);
    const simkit_timer before = few.timer;
    succeeds(simkit_timer_open(world, "again", ticks, &few, &few.timer));
    assert_int_equal(few.timer, before); /* its number is free */
    few.count = 0;
    simkit_timer_set(world, few.timer, 3);
    succeeds(simkit_world_reset(world, NULL)); /* ends all of them */
    succeeds(simkit_world_run_until(world, 10));
    assert_int_equal(few.count, 0);
    simkit_timer_set(world, few.timer, 11);
    simkit_timer_close(world, few.timer);
    simkit_timer_close(world, 0);
    simkit_timer_close(NULL, 1);
    assert_int_equal(simkit_timer_open(world, "", ticks, NULL, &few.timer), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_timer_open(world, "x", NULL, NULL, &few.timer), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_timer_open(world, "x", ticks, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_timer_open(NULL, "x", ticks, NULL, &few.timer), SIMKIT_BAD_ARGUMENT);
}

static void breaks(simkit_world *w, void *user)
{
    simkit_world_break(w, SIMKIT_NO_MEMORY, "no memory for job %d of %g", *(int *)user, 0.5);
}

/* A library that cannot go on ends the run, and every later one until a reset. */
static void a_broken_world_runs_no_more(void **state)
{
    int job = 7;

    (void)state;
    succeeds(simkit_step_at(world, 1, 0, breaks, &job, NULL));
    succeeds(simkit_step_at(world, 2, 0, nothing, NULL, NULL));
    assert_int_equal(simkit_world_run(world), SIMKIT_NO_MEMORY);
    assert_string_equal(simkit_world_why(world), "at 1 s: no memory for job 7 of 0.5");
    assert_int_equal(simkit_world_run(world), SIMKIT_NO_MEMORY);
    assert_string_equal(simkit_world_why(world), "at 1 s: no memory for job 7 of 0.5");
    assert_int_equal(simkit_world_run_until(world, 5), SIMKIT_NO_MEMORY);
    assert_true(simkit_clock_now(world) <= 1);
    succeeds(simkit_world_reset(world, NULL));
    succeeds(simkit_world_run_until(world, 5));
    simkit_world_break(world, SIMKIT_OK, "nothing");
    simkit_world_break(NULL, SIMKIT_BAD_CALL, NULL);
    succeeds(simkit_world_run_until(world, 6));
    simkit_world_break(world, SIMKIT_BAD_CALL, NULL); /* also between runs */
    assert_int_equal(simkit_world_run(world), SIMKIT_BAD_CALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_far_apart_come_in_order),
        WORLD_TEST(steps_run_by_time_priority_and_number),
        WORLD_TEST(cancelled_steps_never_run),
        WORLD_TEST(handles_outlive_their_steps),
        WORLD_TEST(a_step_can_cancel_another_of_its_instant),
        WORLD_TEST(zero_delays_are_steps_like_any_other),
        WORLD_TEST(a_run_stops_and_goes_on),
        WORLD_TEST(the_sentence_of_a_call_that_fails_stays),
        WORLD_TEST(a_run_until_a_time_sets_the_clock),
        WORLD_TEST(bad_input_is_named),
        WORLD_TEST(any_order_of_calls_equals_a_sorted_list),
        WORLD_TEST(a_million_events_are_in_order),
        WORLD_TEST(memory_does_not_grow_in_a_steady_state),
        WORLD_TEST(worlds_do_not_know_each_other),
        WORLD_TEST(a_world_is_not_closed_in_its_run),
        WORLD_TEST(a_jump_out_of_a_step_ends_no_run),
        WORLD_TEST(nothing_ends_after_the_last_time),
        WORLD_TEST(minus_zero_is_no_time_of_its_own),
        WORLD_TEST(what_is_too_late_is_named),
        WORLD_TEST(periods_do_not_turn_time_back),
        WORLD_TEST(a_quota_that_never_begins_is_named),
        WORLD_TEST(a_timer_is_no_step),
        WORLD_TEST(a_broken_world_runs_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
