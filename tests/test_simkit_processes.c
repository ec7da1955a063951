/* Room processes of simkit.h, and the error of a world when no event is left. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "processes.h"

static void waits(simkit_world *w, void *user)
{
    assert_true(simkit_process_self(w) != 0);
    for (int i = 0; i < 3; ++i) {
        tell((const char *)user);
        assert_int_equal(simkit_process_wait(w, 1), SIMKIT_OK);
    }
    tell((const char *)user);
}

static void processes_take_turns(void **state)
{
    (void)state;
    told[0] = 0;
    spawn("a", 0, waits, "a");
    spawn("b", 0, waits, "b");
    assert_string_equal(told, ""); /* a step of its own */
    assert_int_equal(simkit_process_self(world), 0);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "a@0 b@0 a@1 b@1 a@2 b@2 a@3 b@3 ");
}

static void yields(simkit_world *w, void *user)
{
    tell((const char *)user);
    assert_int_equal(simkit_process_wait(w, 0), SIMKIT_OK);
    tell((const char *)user);
}

static void waiting_for_nothing_lets_others_go_first(void **state)
{
    (void)state;
    told[0] = 0;
    spawn(NULL, 0, yields, "a");
    spawn(NULL, 0, yields, "b");
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "a@0 b@0 a@0 b@0 ");
}

static simkit_process sleeper;

static void sleeps(simkit_world *w, void *user)
{
    (void)user;
    tell("asleep");
    assert_int_equal(simkit_process_suspend(w, "an alarm"), SIMKIT_OK);
    tell("awake");
}

static void wakes(simkit_world *w, void *user)
{
    (void)user;
    assert_int_equal(simkit_process_wait(w, 2.5), SIMKIT_OK);
    assert_int_equal(simkit_process_resume(w, sleeper), SIMKIT_OK);
    assert_int_equal(simkit_process_resume(w, sleeper), SIMKIT_OK); /* it has not run since: counts as one */
    tell("resumed");
}

static void a_suspended_process_is_resumed(void **state)
{
    (void)state;
    told[0] = 0;
    sleeper = spawn("sleeper", 0, sleeps, NULL);
    spawn("waker", 0, wakes, NULL);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "asleep@0 resumed@2.5 awake@2.5 ");
    assert_int_equal(simkit_process_resume(world, sleeper), SIMKIT_UNKNOWN_PROCESS);
    assert_why("at 2.5 s: the process to resume does not exist, or has ended");
    assert_int_equal(simkit_process_resume(world, 12345), SIMKIT_UNKNOWN_PROCESS);
    spawn("next", 0, waits, "n"); /* has its seat now */
    assert_int_equal(simkit_process_resume(world, sleeper), SIMKIT_UNKNOWN_PROCESS);
}

static void ends_told(simkit_world *w, void *user)
{
    (void)w, (void)user;
    tell("ended");
}

static void computes(simkit_world *w, void *user)
{
    assert_int_equal(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 3 }, NULL), SIMKIT_OK);
    tell((const char *)user);
}

static void processes_share_their_node(void **state)
{
    const simkit_node node = add_node(NULL);
    (void)state;
    told[0] = 0;
    spawn("a", node, computes, "a");
    spawn("b", node, computes, "b");
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "a@6 b@6 ");
}

static simkit_computation own_work;

static void loses_its_work(simkit_world *w, void *user)
{
    (void)user;
    assert_int_equal(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 10, .name = "work" }, &own_work),
                     SIMKIT_CANCELLED);
    assert_why("at 1 s: computation 'work' of process 'loser' was cancelled");
    tell("cancelled");
    assert_int_equal(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1 }, NULL), SIMKIT_OK);
    tell("computed");
}

static void cancels_work(simkit_world *w, void *user)
{
    const simkit_node node = *(simkit_node *)user;
    assert_true(simkit_computation_cancel(w, own_work));
    assert_false(simkit_computation_cancel(w, own_work));
    assert_int_equal(
        simkit_computation_start(w, &(simkit_computation_desc){ .node = node, .seconds = 3, .done = ends_told }, NULL),
        SIMKIT_OK); /* in the place of what was cancelled */
    tell("cancels");
}

static void a_cancelled_computation_wakes_its_process(void **state)
{
    simkit_node node = add_node(NULL);
    (void)state;
    told[0] = 0;
    spawn("loser", node, loses_its_work, NULL);
    assert_int_equal(simkit_step_at(world, 1, 0, cancels_work, &node, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "cancels@1 cancelled@1 computed@3 ended@5 ");
}

static void cancels_and_kills(simkit_world *w, void *user)
{
    cancels_work(w, user);
    assert_int_equal(simkit_process_kill(w, sleeper), SIMKIT_OK);
}

static simkit_transfer own_messages[3];
static simkit_mailbox news_box;

static void sends_in_vain(simkit_world *w, void *user)
{
    const int i = (int)(size_t)user; /* 0: flows, 1: waits for its turn, 2: takes no time */
    const simkit_post_desc post = {
        .from = i == 2 ? 2 : 0, .to = news_box, .bytes = 1e6, .in_order = i < 2, .name = "news"
    };
    char why[100];
    assert_int_equal(simkit_process_send(w, &post, &own_messages[i]), SIMKIT_CANCELLED);
    snprintf(why, sizeof why, "at %d s: message 'news' of process 'sender %d' was cancelled", i < 2, i);
    assert_why(why);
    tell("cancelled");
    assert_int_equal(simkit_process_send(w, &(simkit_post_desc){ .to = news_box, .bytes = 1e6 }, NULL), SIMKIT_OK);
    tell("sent");
}

static void cancels_messages(simkit_world *w, void *user)
{
    for (int i = *(int *)user ? 2 : 0; i < (*(int *)user ? 3 : 2); ++i) {
        assert_true(simkit_transfer_cancel(w, own_messages[i]));
        assert_false(simkit_transfer_cancel(w, own_messages[i]));
    }
    tell("cancels");
}

static void a_cancelled_message_wakes_its_sender(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    const simkit_node here = add_node(&desc), there = add_node(&desc);
    int none = 0, instant = 1;
    (void)state;
    told[0] = 0;
    assert_int_equal(simkit_mailbox_open(world, there, NULL, &news_box), SIMKIT_OK);
    spawn("sender 0", here, sends_in_vain, (void *)0);
    spawn("sender 1", here, sends_in_vain, (void *)1);
    assert_int_equal(simkit_step_at(world, 1, 0, cancels_messages, &none, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    /* What was to end at this instant, and what waited for its turn behind it; then two share the link. */
    assert_string_equal(told, "cancels@1 cancelled@1 cancelled@1 sent@3 sent@3 ");
    assert_int_equal(simkit_mailbox_messages(world, news_box), 2);

    reopen_world(NULL);
    told[0] = 0;
    add_node(&desc);
    add_node(&desc);
    assert_int_equal(simkit_mailbox_open(world, there, NULL, &news_box), SIMKIT_OK);
    spawn("sender 2", here, sends_in_vain, (void *)2);
    assert_int_equal(simkit_step_at(world, 0, 0, cancels_messages, &instant, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "cancels@0 cancelled@0 sent@1 ");
    assert_int_equal(simkit_mailbox_messages(world, news_box), 1);
}

/* Killed before it has gone on: nothing of another computation is taken away. */
static void a_process_without_its_computation_is_killed(void **state)
{
    simkit_node node = add_node(NULL);
    (void)state;
    told[0] = 0;
    sleeper = spawn("loser", node, loses_its_work, NULL);
    assert_int_equal(simkit_step_at(world, 1, 0, cancels_and_kills, &node, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "cancels@1 ended@4 ");
}

/*=============================================================================
 * Deadlocks and bad calls
 *===========================================================================*/
static void waits_for_a_message(simkit_world *w, void *user)
{
    succeeds(simkit_process_wait(w, 1.5));
    succeeds(simkit_process_receive(w, *(simkit_mailbox *)user, NULL));
}

static void waits_for_an_alarm(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_process_suspend(w, "an alarm"));
    tell("alarmed");
}

static void a_deadlock_says_who_waits_on_what(void **state)
{
    const simkit_node node = add_node(NULL);
    simkit_mailbox box;
    simkit_process alarmed;
    (void)state;
    told[0] = 0;
    assert_int_equal(simkit_mailbox_open(world, node, "orders", &box), SIMKIT_OK);
    spawn("clerk", node, waits_for_a_message, &box);
    alarmed = spawn("fireman", 0, waits_for_an_alarm, NULL);
    assert_int_equal(simkit_world_run(world), SIMKIT_DEADLOCK);
    assert_non_null(strstr(simkit_world_why(world), "at 1.5 s: no event is left, but 2 processes wait:"));
    assert_non_null(strstr(simkit_world_why(world), "'clerk'"));
    assert_non_null(strstr(simkit_world_why(world), "'orders'"));
    assert_non_null(strstr(simkit_world_why(world), "'fireman'"));
    assert_non_null(strstr(simkit_world_why(world), "an alarm"));
    /* The world is whole: somebody outside can still wake one. */
    assert_int_equal(simkit_process_resume(world, alarmed), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_DEADLOCK);
    assert_string_equal(told, "alarmed@1.5 ");
    assert_non_null(strstr(simkit_world_why(world), "1 process waits:"));
    /* A run until a time is not at its end when nothing happens any more. */
    assert_int_equal(simkit_world_run_until(world, 5), SIMKIT_OK);
}

static void many_that_wait_are_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; ++i) spawn(NULL, 0, waits_for_an_alarm, NULL);
    assert_int_equal(simkit_world_run(world), SIMKIT_DEADLOCK);
    assert_non_null(strstr(simkit_world_why(world), "1000 processes wait:"));
    assert_non_null(strstr(simkit_world_why(world), " wait: process 1 is suspended on an alarm; process 2 is"));
}

static void sends_badly(simkit_world *w, void *user)
{
    simkit_mailbox box = *(simkit_mailbox *)user;
    assert_int_equal(simkit_process_wait(w, -1), SIMKIT_BAD_TIME);
    assert_why("at 0 s: process 'bad' cannot wait for -1 s: expected a finite time, not negative");
    assert_int_equal(simkit_process_wait(w, NAN), SIMKIT_BAD_TIME);
    assert_int_equal(simkit_process_compute(w, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = NAN }, NULL),
                     SIMKIT_UNKNOWN_NODE);
    assert_int_equal(simkit_process_send(w, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_process_send(w, &(simkit_post_desc){ .to = 99 }, NULL), SIMKIT_UNKNOWN_MAILBOX);
    assert_int_equal(simkit_process_receive(w, 99, NULL), SIMKIT_UNKNOWN_MAILBOX);
    assert_int_equal(simkit_process_send(w, &(simkit_post_desc){ .to = box }, NULL), SIMKIT_UNKNOWN_NODE);
    tell("still here");
}

static void bad_calls_are_named(void **state)
{
    const simkit_node node = add_node(NULL);
    simkit_mailbox box;
    (void)state;
    told[0] = 0;
    assert_int_equal(simkit_process_wait(world, 1), SIMKIT_BAD_CALL);
    assert_why("at 0 s: simkit_process_wait was called outside a process");
    assert_int_equal(simkit_process_compute(world, &(simkit_computation_desc){ .node = node }, NULL), SIMKIT_BAD_CALL);
    assert_int_equal(simkit_process_send(world, &(simkit_post_desc){ .from = node }, NULL), SIMKIT_BAD_CALL);
    assert_int_equal(simkit_process_receive(world, 1, NULL), SIMKIT_BAD_CALL);
    assert_int_equal(simkit_process_suspend(world, NULL), SIMKIT_BAD_CALL);
    assert_int_equal(simkit_process_start(world, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .name = "empty" }, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .name = "lost", .node = 44, .body = waits }, NULL),
        SIMKIT_UNKNOWN_NODE);
    assert_why("at 0 s: process 'lost' names node 44, but there is only node 1");
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .name = "small", .body = waits, .stack_bytes = 100 }, NULL),
        SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_mailbox_open(world, node, NULL, &box), SIMKIT_OK);
    spawn("bad", 0, sends_badly, &box);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "still here@0 ");
}

/*=============================================================================
 * Stacks
 *===========================================================================*/
static void ends_at_once(simkit_world *w, void *user)
{
    (void)w;
    ++*(int *)user;
}

static void starts_others(simkit_world *w, void *user)
{
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(simkit_process_start(w, &(simkit_process_desc){ .body = ends_at_once, .user = user }, NULL),
                         SIMKIT_OK);
        succeeds(simkit_process_wait(w, i % 2));
    }
}

static void processes_start_processes(void **state)
{
    int ended = 0;
    (void)state;
    for (int i = 0; i < 10; ++i) spawn(NULL, 0, starts_others, &ended);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(ended, 1000);
}

static void ten_thousand_live_at_once(void **state)
{
#ifdef TESTS_SLOW
    const int processes = 500; /* a sanitizer needs large stacks */
    const size_t stack = 0;
#else
    const int processes = 10000;
    const size_t stack = 8 * 1024;
#endif
    int ended = 0;
    (void)state;
    for (int i = 0; i < processes; ++i)
        assert_int_equal(
            simkit_process_start(
                world, &(simkit_process_desc){ .body = waits_long, .user = &ended, .stack_bytes = stack }, NULL),
            SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(ended, processes);
}

/* What a process holds in registers is there when it goes on: integers, floats, and the rounding of floats. */
static void keeps_its_values(simkit_world *w, void *user)
{
    const int seed = *(int *)user;
    long a = seed, b = 2 * seed, c = 3 * seed, d = 4 * seed, e = 5 * seed, f = 6 * seed;
    double x = seed, y = x / 3, z = y / 7, u = z + x, v = u * y;

    for (int i = 0; i < 50; ++i) {
        succeeds(simkit_process_wait(w, 0.5));
        a += 1, b += a, c ^= b, d += c, e -= d, f += e;
        x += 1.5, y += x, z -= y, u += z, v *= 0.5, v += u;
    }
    {
        long a1 = seed, b1 = 2 * seed, c1 = 3 * seed, d1 = 4 * seed, e1 = 5 * seed, f1 = 6 * seed;
        double x1 = seed, y1 = x1 / 3, z1 = y1 / 7, u1 = z1 + x1, v1 = u1 * y1;
        for (int i = 0; i < 50; ++i) {
            a1 += 1, b1 += a1, c1 ^= b1, d1 += c1, e1 -= d1, f1 += e1;
            x1 += 1.5, y1 += x1, z1 -= y1, u1 += z1, v1 *= 0.5, v1 += u1;
        }
        assert_true(a == a1 && b == b1 && c == c1 && d == d1 && e == e1 && f == f1);
        assert_true(x == x1 && y == y1 && z == z1 && fabs(u - u1) < 1e-9 && fabs(v - v1) < 1e-9);
    }
    tell("kept");
}

static void values_survive_a_switch(void **state)
{
    static int seeds[] = { 3, 7, 11 };
    (void)state;
    told[0] = 0;
    for (int i = 0; i < 3; ++i) spawn(NULL, 0, keeps_its_values, &seeds[i]);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(told, "kept@25 kept@25 kept@25 ");
}

/* Writes so far below, as a function with a large array would. */
static void uses_too_much(simkit_world *w, void *user)
{
    volatile char here = 1;
    volatile char *below = &here - *(size_t *)user;
    for (int i = 0; i < 64; ++i) below[-i] = 1;
    succeeds(simkit_process_wait(w, 1));
}

/* Without a guard: who overwrote the lowest bytes is named at its next wait. */
static void a_stack_overflow_is_named(void **state)
{
    const simkit_world_desc hook = { .memory = { .reallocate = from_the_library } };
    size_t depth;
    const simkit_process_desc desc = {
        .name = "deep", .body = uses_too_much, .user = &depth, .stack_bytes = 16 * 1024
    };

    (void)state;
#if defined(TESTS_SLOW)
    skip(); /* the sanitizers have their own way to tell, and need more stack */
#endif
    for (depth = 14 * 1024; depth < 17 * 1024; depth += 8) { /* no further than the 8 bytes that are looked at */
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(&hook, &world), SIMKIT_OK);
        assert_int_equal(simkit_process_start(world, &desc, NULL), SIMKIT_OK);
        if (simkit_world_run(world) == SIMKIT_STACK_OVERFLOW) {
            assert_why_begins("at 0 s: process 'deep' has used more than its ");
            return;
        }
    }
    fail_msg("no overflow was seen");
}

static void needs_room(simkit_world *w, void *user)
{
    volatile char room[48 * 1024];
    (void)w;
    for (size_t i = 0; i < sizeof room; i += 64) room[i] = 1;
    *(int *)user += room[0];
}

static void posts_and_waits(simkit_world *w, void *user)
{
    const simkit_post_desc post = { .from = 1, .to = 1, .done = needs_room, .user = user };
    assert_int_equal(simkit_mailbox_post(w, &post, NULL), SIMKIT_OK);
    assert_int_equal(simkit_process_wait(w, 1), SIMKIT_OK);
}

static void loses_and_waits(simkit_world *w, void *user)
{
    const simkit_post_desc post = { .from = 1, .to = 1, .lost = needs_room, .user = user };
    assert_int_equal(simkit_mailbox_post(w, &post, NULL), SIMKIT_OK);
    assert_int_equal(simkit_node_fail(w, 1), SIMKIT_OK);
    assert_int_equal(simkit_process_wait(w, 1), SIMKIT_OK);
}

/* What a host is called for runs on the stack of the host, whoever waits at that time. */
static void callbacks_have_the_stack_of_the_host(void **state)
{
    int called = 0;
    simkit_mailbox box;
    (void)state;
    const simkit_node node = add_node(NULL);
    assert_int_equal(simkit_mailbox_open(world, node, NULL, &box), SIMKIT_OK);
    const simkit_process_desc desc = { .body = posts_and_waits, .user = &called, .node = node, .stack_bytes = 16 * 1024 };
    for (int i = 0; i < 2; ++i) assert_int_equal(simkit_process_start(world, &desc, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(called, 2);
    const simkit_process_desc loses = {
        .body = loses_and_waits, .user = &called, .node = add_node(NULL), .stack_bytes = 16 * 1024
    };
    assert_int_equal(simkit_process_start(world, &loses, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(called, 3);
}

static void uses_some(simkit_world *w, void *user)
{
    volatile char bytes[8000];
    (void)user;
    for (size_t i = 0; i < sizeof bytes; i += 64) bytes[i] = 1;
    succeeds(simkit_process_wait(w, 1));
}

static void a_stack_is_measured(void **state)
{
    simkit_process some, little, unknown;
    size_t used;
    int ended = 0;

    (void)state;
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .body = uses_some, .measure_stack = true }, &some),
        SIMKIT_OK);
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .body = waits_long, .user = &ended, .measure_stack = true },
                             &little),
        SIMKIT_OK);
    assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .body = uses_some }, &unknown), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 0.5), SIMKIT_OK);
    assert_true(simkit_process_stack(world, some, &used) >= 64 * 1024);
#if !defined(TESTS_SLOW)
    assert_in_range(used, 8000, 12000);
    simkit_process_stack(world, little, &used);
    assert_in_range(used, 50, 4000);
#endif
    assert_true(simkit_process_stack(world, unknown, &used) >= 64 * 1024);
    assert_int_equal(used, 0);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_process_stack(world, some, &used), 0);
    assert_int_equal(simkit_process_stack(NULL, some, NULL), 0);
}

static void worlds_take_turns(void **state)
{
    simkit_world *first = world, *second;
    (void)state;
    told[0] = 0;
    assert_int_equal(simkit_world_open(NULL, &second), SIMKIT_OK);
    spawn("a", 0, waits, "a");
    world = second;
    spawn("b", 0, waits, "b");
    for (int i = 0; i < 4; ++i) {
        world = first;
        assert_int_equal(simkit_world_run_until(first, i), SIMKIT_OK);
        world = second;
        assert_int_equal(simkit_world_run_until(second, i), SIMKIT_OK);
    }
    assert_string_equal(told, "a@0 b@0 a@1 b@1 a@2 b@2 a@3 b@3 ");
    simkit_world_close(second);
    world = first;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(processes_take_turns),
        WORLD_TEST(waiting_for_nothing_lets_others_go_first),
        WORLD_TEST(a_suspended_process_is_resumed),
        WORLD_TEST(processes_share_their_node),
        WORLD_TEST(a_cancelled_computation_wakes_its_process),
        WORLD_TEST(a_cancelled_message_wakes_its_sender),
        WORLD_TEST(a_process_without_its_computation_is_killed),
        WORLD_TEST(a_deadlock_says_who_waits_on_what),
        WORLD_TEST(many_that_wait_are_counted),
        WORLD_TEST(bad_calls_are_named),
        WORLD_TEST(processes_start_processes),
        WORLD_TEST(ten_thousand_live_at_once),
        WORLD_TEST(values_survive_a_switch),
        WORLD_TEST(a_stack_overflow_is_named),
        WORLD_TEST(callbacks_have_the_stack_of_the_host),
        WORLD_TEST(a_stack_is_measured),
        WORLD_TEST(worlds_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
