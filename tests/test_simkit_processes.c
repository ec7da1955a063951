/* Room processes of simkit.h, and the error of a world when no event is left. */
#define _DEFAULT_SOURCE /* sigaltstack() */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

#include <signal.h>

static simkit_process spawn(const char *name, simkit_node node, simkit_call *body, void *user)
{
    const simkit_process_desc desc = { .name = name, .node = node, .body = body, .user = user };
    simkit_process process = 0;
    assert_int_equal(simkit_process_start(world, &desc, &process), SIMKIT_OK);
    assert_true(process != 0);
    return process;
}

static char told[1000];

static void tell(const char *text)
{
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s@%g ", text, simkit_clock_now(world));
}

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

typedef struct pair {
    simkit_mailbox box;
    int value;
} pair;

static void sends(simkit_world *w, void *user)
{
    pair *p = (pair *)user;
    for (p->value = 1; p->value <= 3; ++p->value)
        assert_int_equal(
            simkit_process_send(w, &(simkit_post_desc){ .to = p->box, .bytes = 1e6, .data = &p->value }, NULL),
            SIMKIT_OK);
    tell("sent");
}

static void receives(simkit_world *w, void *user)
{
    pair *p = (pair *)user;
    simkit_message message;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(simkit_process_receive(w, p->box, &message), SIMKIT_OK);
        assert_ptr_equal(message.data, &p->value);
        tell("got");
    }
    assert_int_equal(simkit_process_receive(w, p->box, NULL), SIMKIT_MAILBOX_CLOSED);
    tell("closed");
}

static void closes(simkit_world *w, void *user)
{
    assert_int_equal(simkit_mailbox_close(w, ((pair *)user)->box), SIMKIT_OK);
}

static void messages_go_from_one_to_the_other(void **state)
{
    const simkit_node_desc desc = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    const simkit_node a = add_node(&desc), b = add_node(&desc);
    pair p;
    (void)state;
    told[0] = 0;
    assert_int_equal(simkit_mailbox_open(world, b, "b's", &p.box), SIMKIT_OK);
    spawn("sender", a, sends, &p);
    spawn("receiver", b, receives, &p);
    assert_int_equal(simkit_step_at(world, 10, 0, closes, &p, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_non_null(strstr(told, "got@1 "));
    assert_non_null(strstr(told, "got@2 "));
    assert_non_null(strstr(told, "got@3 "));
    assert_non_null(strstr(told, "sent@3 "));
    assert_non_null(strstr(told, "closed@10 "));
    assert_why("at 10 s: mailbox 'b's' was closed while process 'receiver' waited there");
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

static void waits_long(simkit_world *w, void *user)
{
    succeeds(simkit_process_wait(w, 1));
    ++*(int *)user;
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
static void is_no_process(simkit_world *w, void *user)
{
    (void)w, (void)user;
}

static void uses_too_much(simkit_world *w, void *user)
{
    volatile char here = 1;
    volatile char *below = &here - *(size_t *)user;
    for (int i = 0; i < 64; ++i) below[-i] = 1;
    succeeds(simkit_process_wait(w, 1));
}

static void *from_the_library(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    (void)user, (void)old_bytes;
    if (new_bytes > 0) return realloc(pointer, new_bytes);
    free(pointer);
    return NULL;
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

/* An overflow that is found when its process already waits for something: nothing looks for it any more. */
typedef struct sunk {
    int what, woken, heirs;
    simkit_node here, there;
    simkit_mailbox box, far_box;
} sunk;

static void sinks(simkit_world *w, void *user)
{
    sunk *s = (sunk *)user;
    memset(w->current->context.stack, 7, 16); /* as an overflow does */
    switch (s->what) {
    case 0: whatever(simkit_process_wait(w, 1)); break;
    case 1: whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1 }, NULL)); break;
    case 2: whatever(simkit_process_send(w, &(simkit_post_desc){ .to = s->far_box, .bytes = 1e6 }, NULL)); break;
    case 3: whatever(simkit_process_receive(w, s->box, NULL)); break;
    default: whatever(simkit_process_suspend(w, "help"));
    }
    ++s->woken;
}

static void takes_its_place(simkit_world *w, void *user)
{
    simkit_message message;
    assert_int_equal(simkit_process_wait(w, 5), SIMKIT_OK);
    assert_true(simkit_clock_now(w) == 5);
    assert_int_equal(simkit_process_receive(w, ((sunk *)user)->box, &message), SIMKIT_OK);
    assert_true(message.sent == 0 && message.arrived == 1 && message.bytes == 1e6);
    ((sunk *)user)->heirs++;
}

static void nothing_looks_for_who_overflowed(void **state)
{
    const simkit_world_desc hook = { .memory = { .reallocate = from_the_library } };
    const simkit_node_desc slow = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    (void)state;
    for (int what = 0; what < 5; ++what) {
        sunk s = { .what = what };
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(&hook, &world), SIMKIT_OK);
        s.here = add_node(&slow);
        s.there = add_node(&slow);
        assert_int_equal(simkit_mailbox_open(world, s.here, NULL, &s.box), SIMKIT_OK);
        assert_int_equal(simkit_mailbox_open(world, s.there, NULL, &s.far_box), SIMKIT_OK);
        spawn("sinker", s.here, sinks, &s);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_why_begins("at 0 s: process 'sinker' has used more than its ");
        assert_int_equal(simkit_node_running(world, s.here), 0);
        spawn("heir", s.here, takes_its_place, &s);
        assert_int_equal(
            simkit_mailbox_post(world, &(simkit_post_desc){ .from = s.there, .to = s.box, .bytes = 1e6 }, NULL),
            SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(s.woken, 0);
        assert_int_equal(s.heirs, 1);
        assert_int_equal(simkit_mailbox_messages(world, s.far_box), what == 2 ? 1 : 0);
    }
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    simkit_process_overflow(world, info->si_addr);
    signal(signal_number, SIG_DFL); /* none of ours: happens again, and ends the program */
}

static struct sigaction uncaught; /* what the signal of an overflow did before */

/* From now on an overflow is a result; skips the test where stacks have no guards. */
static void catch_overflows(void)
{
    static char own_stack[64 * 1024];
    const stack_t alternate = { .ss_sp = own_stack, .ss_size = sizeof own_stack };
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

#if defined(TESTS_SLOW) || !defined(SIMKIT__MAPPED)
    skip();
#endif
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaltstack(&alternate, NULL), 0);
    assert_int_equal(sigaction(SIGSEGV, &action, &uncaught), 0);
}

static void recurses(simkit_world *w, void *user)
{
    volatile char page[1024];
    volatile char *volatile all = page; /* so that no compiler keeps less of it */
    all[0] = 1;
    if (*(int *)user < 1000000 && ++*(int *)user > 0) recurses(w, user);
    page[1] = page[0];
}

/* With a guard: the fault becomes a result, the others are as they were, and the world goes on. */
static void a_guard_stops_an_overflow(void **state)
{
    int depth = 0, ended = 0;

    (void)state;
    catch_overflows();
    const simkit_process_desc neighbour = { .body = waits_long, .user = &ended };
    const simkit_process_desc deep = { .name = "deep", .body = recurses, .user = &depth };
    for (int round = 0; round < 3; ++round) {
        depth = 0;
        assert_int_equal(simkit_process_start(world, &neighbour, NULL), SIMKIT_OK);
        assert_int_equal(simkit_process_start(world, &deep, NULL), SIMKIT_OK);
        assert_int_equal(simkit_process_start(world, &neighbour, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_why_begins(round == 0 ? "at 0 s: process 'deep' has used" : "at ");
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(ended, 2 * round + 2);
        assert_in_range(depth, 40, 80);
    }
    sigaction(SIGSEGV, &uncaught, NULL);
}

/* An overflow in the engine: a process goes down to so many bytes above the end of its stack, then calls. */
typedef struct diver {
    int what;
    size_t left;
    simkit_node here, there;
    simkit_mailbox box;
    int others, back;
    void (*calls)(simkit_world *w, struct diver *d); /* NULL: calls_down_there */
} diver;

static void calls_down_there(simkit_world *w, diver *d)
{
    switch (d->what) {
    case 0: whatever(simkit_process_wait(w, 0.5)); break;
    case 1: whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 0.5, .nice = 3 }, NULL)); break;
    case 2: whatever(simkit_process_send(w, &(simkit_post_desc){ .to = d->box, .bytes = 1e5 }, NULL)); break;
    case 3: whatever(simkit_process_wait(w, -1)); break;
    case 4:
        whatever(simkit_computation_start(w, &(simkit_computation_desc){ .node = d->here, .seconds = 0.5 }, NULL));
        break;
    case 5:
        whatever(simkit_mailbox_post(w, &(simkit_post_desc){ .from = d->here, .to = d->box, .bytes = 1e5 }, NULL));
        break;
    case 6: whatever(simkit_mailbox_post(w, &(simkit_post_desc){ .from = d->there, .to = d->box }, NULL)); break;
    default: whatever(simkit_step_after(w, 1, 0, is_no_process, d, NULL));
    }
}

static void dives(simkit_world *w, void *user)
{
    diver *d = (diver *)user;
    volatile char frame[256];
    frame[0] = 1;
    if ((size_t)((const char *)&frame[0] - w->current->context.stack) > d->left)
        dives(w, user);
    else if (d->calls)
        d->calls(w, d);
    else
        calls_down_there(w, d);
    d->back += frame[0] == 1;
}

static void goes_on(simkit_world *w, void *user)
{
    diver *d = (diver *)user;
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(simkit_process_wait(w, 0.25), SIMKIT_OK);
        assert_int_equal(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 0.1 }, NULL), SIMKIT_OK);
    }
    ++d->others;
}

static void counts_other(simkit_world *w, void *user)
{
    (void)w;
    ((diver *)user)->others++;
}

static void an_overflow_in_the_engine_harms_nobody(void **state)
{
    int overflows = 0, finished = 0;

    (void)state;
    catch_overflows();
    for (int policy = 0; policy < 2; ++policy)
        for (int what = 0; what < 8; ++what)
            for (size_t left = 300; left < 7500; left += 92) {
                const simkit_node_desc slow = { .up_bandwidth = 1e6, .down_bandwidth = 1e6, .cpu_per_incoming = .1 };
                diver d = { .what = what, .left = left };
                simkit_world_close(world);
                assert_int_equal(simkit_world_open(&(simkit_world_desc){ .sharing = (simkit_sharing)policy }, &world),
                                 SIMKIT_OK);
                d.here = add_node(&slow);
                d.there = add_node(&slow);
                assert_int_equal(simkit_mailbox_open(world, d.there, NULL, &d.box), SIMKIT_OK);
                spawn("diver", d.here, dives, &d);
                for (int i = 0; i < 4; ++i) {
                    spawn(NULL, i % 2 ? d.here : d.there, goes_on, &d);
                    assert_int_equal(
                        simkit_computation_start(
                            world,
                            &(simkit_computation_desc){
                                .node = d.there, .seconds = 0.1 * i, .nice = i, .done = counts_other, .user = &d },
                            NULL),
                        SIMKIT_OK);
                    assert_int_equal(
                        simkit_transfer_start(
                            world,
                            &(simkit_transfer_desc){
                                .from = d.here, .to = d.there, .bytes = 1e5 * i, .done = counts_other, .user = &d },
                            NULL),
                        SIMKIT_OK);
                }
                simkit_result result = simkit_world_run(world);
                if (result == SIMKIT_STACK_OVERFLOW) {
                    assert_why_begins("at 0 s: process 'diver' has used more than its ");
                    assert_int_equal(d.back, 0);
                    ++overflows;
                    result = simkit_world_run(world);
                } else {
                    assert_true(d.back > 0);
                    ++finished;
                }
                assert_int_equal(result, SIMKIT_OK);
                assert_int_equal(d.others, 12);
            }
    sigaction(SIGSEGV, &uncaught, NULL);
    assert_true(overflows > 300 && finished > 300);
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

/* Whatever a process calls with less left than the engine needs is an overflow, without a fault. */
typedef struct caller {
    diver d; /* first: dives() sees this one */
    simkit_node other;
    simkit_step step;
    simkit_process sleeper;
    simkit_operation operation;
    simkit_source users;
    simkit_transfer transfer;
    simkit_computation work;
    simkit_process other_process;
} caller;

static void takes_nothing(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    (void)user;
    (void)message;
}

static void is_resumed(simkit_world *w, void *user)
{
    (void)user;
    whatever(simkit_process_suspend(w, NULL));
}

static void watches_nothing(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)user;
    (void)w;
    (void)event;
}

static void calls_with_little(simkit_world *w, diver *d)
{
    static const simkit_user_state state = { .name = "rests", .think = { .law = SIMKIT_LAW_CONSTANT, .mean = 1 } };
    caller *c = (caller *)d;
    simkit_source users;
    double seconds;
    bool run;
    switch (d->what) {
    case 0: whatever(simkit_process_resume(w, c->sleeper)); break;
    case 1: simkit_step_cancel(w, c->step); break;
    case 2: whatever(simkit_node_add(w, NULL, &c->other)); break;
    case 3: whatever(simkit_mailbox_open(w, d->here, NULL, &d->box)); break;
    case 4: whatever(simkit_pair_set(w, d->here, d->there, &(netmodel_link){ 0, 0 })); break;
    case 5: whatever(simkit_load_record(w, d->here)); break;
    case 6: simkit_load_average(w, d->here, 0.5, 1); break;
    case 7: whatever(simkit_operation_add(w, &(simkit_operation_desc){ .name = "it" }, &c->operation)); break;
    case 8: whatever(simkit_operation_begin(w, c->operation, 1, &run, &seconds)); break;
    case 9: whatever(simkit_operation_end(w, c->operation, 1, 1)); break;
    case 10: whatever(simkit_arrivals_start(w, &(simkit_arrivals_desc){ .node = d->here, .rate = 1 }, &users)); break;
    case 11: whatever(simkit_replay_start(w, &(simkit_replay_desc){ .node = d->here }, &users)); break;
    case 12:
        whatever(simkit_user_start(w, &(simkit_user_desc){ .node = d->here, .states = &state, .count = 1 }, &users));
        break;
    case 13: simkit_source_stop(w, c->users); break;
    case 14:
        whatever(simkit_computation_start(w, &(simkit_computation_desc){ .node = d->here, .seconds = 1 }, NULL));
        break;
    case 15: simkit_computation_cancel(w, c->work); break;
    case 16: whatever(simkit_node_fail(w, d->there)); break;
    case 17:
        whatever(
            simkit_transfer_start(w, &(simkit_transfer_desc){ .from = d->here, .to = d->there, .bytes = 1 }, NULL));
        break;
    case 18: simkit_transfer_cancel(w, c->transfer); break;
    case 19: whatever(simkit_mailbox_close(w, d->box)); break;
    case 20: whatever(simkit_mailbox_post(w, &(simkit_post_desc){ .from = d->here, .to = d->box }, NULL)); break;
    case 21: whatever(simkit_mailbox_take(w, d->box, takes_nothing, NULL, NULL)); break;
    case 22: whatever(simkit_process_kill(w, c->sleeper)); break;
    case 23: whatever(simkit_process_start(w, &(simkit_process_desc){ .body = is_resumed }, &c->other_process)); break;
    case 24: whatever(simkit_process_wait(w, 1)); break;
    case 25: whatever(simkit_process_suspend(w, NULL)); break;
    case 26: whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1 }, NULL)); break;
    case 27: whatever(simkit_process_send(w, &(simkit_post_desc){ .to = d->box }, NULL)); break;
    case 28: whatever(simkit_process_receive(w, d->box, NULL)); break;
    case 29: whatever(simkit_watch_add(w, SIMKIT_WATCH_ALL, watches_nothing, NULL)); break;
    default: whatever(simkit_watch_emit(w, &(simkit_watch_event){ .kind = SIMKIT_WATCH_COMPUTE, .node = d->here }));
    }
}

static void every_call_needs_stack(void **state)
{
    (void)state;
#if defined(TESTS_SLOW)
    skip();
#endif
    for (int what = 0; what < 31; ++what) {
        caller c = { .d = { .what = what, .left = 3000, .calls = calls_with_little } };
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
        c.d.here = add_node(NULL);
        c.d.there = add_node(NULL);
        assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "op" }, &c.operation),
                         SIMKIT_OK);
        assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .body = is_resumed }, &c.sleeper),
                         SIMKIT_OK);
        assert_int_equal(simkit_step_at(world, 1, 0, is_no_process, &c, &c.step), SIMKIT_OK);
        assert_int_equal(simkit_mailbox_open(world, c.d.there, NULL, &c.d.box), SIMKIT_OK);
        assert_int_equal(
            simkit_computation_start(world, &(simkit_computation_desc){ .node = c.d.there, .seconds = 1 }, &c.work),
            SIMKIT_OK);
        assert_int_equal(
            simkit_arrivals_start(world, &(simkit_arrivals_desc){ .node = c.d.here, .rate = 1e-3 }, &c.users),
            SIMKIT_OK);
        assert_int_equal(
            simkit_transfer_start(world, &(simkit_transfer_desc){ .from = c.d.here, .to = c.d.there }, &c.transfer),
            SIMKIT_OK);
        spawn("diver", c.d.here, dives, &c);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_why_begins("at 0 s: process 'diver' has used more than its ");
        assert_int_equal(c.d.back, 0);
        assert_int_equal(simkit_process_resume(world, c.sleeper), SIMKIT_OK);
        assert_true(simkit_step_pending(world, c.step));
        assert_int_equal(simkit_node_count(world), 2);
        assert_int_equal(simkit_node_running(world, c.d.here), 0);
        assert_int_equal(simkit_node_running(world, c.d.there), 1);
        assert_true(simkit_computation_cancel(world, c.work));
    }
}

/* An overflow in a watcher, on the stack of a process that has just asked for something: that is taken back, or goes on
 * without it. */
static simkit_phase too_deep;

static void watches_too_deep(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    if (simkit_process_self(w) != 0 && event->phase == too_deep && strcmp(event->name, "deep") == 0)
        recurses(world, user);
}

static void is_watched(simkit_world *w, void *user)
{
    diver *d = (diver *)user;
    if (d->what == 0)
        whatever(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1, .name = "deep" }, NULL));
    else
        whatever(simkit_process_send(
            w, &(simkit_post_desc){ .to = d->box, .bytes = d->what == 1 ? 0 : 1e6, .name = "deep" }, NULL));
    ++d->back;
}

static void an_overflow_in_a_watcher_leaves_nothing(void **state)
{
    (void)state;
    catch_overflows();
    for (int what = 0; what < 5; ++what) { /* from 3 on when it is asked for, else when it begins */
        const simkit_node_desc slow = { .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
        diver d = { .what = what < 3 ? what : what - 2 };
        int depth = 0;
        too_deep = what < 3 ? SIMKIT_PHASE_BEGIN : SIMKIT_PHASE_REQUESTED;
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
        d.here = add_node(&slow);
        d.there = add_node(&slow);
        assert_int_equal(simkit_mailbox_open(world, d.what == 1 ? d.here : d.there, NULL, &d.box), SIMKIT_OK);
        assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_ALL, watches_too_deep, &depth), SIMKIT_OK);
        spawn("watched", d.here, is_watched, &d);
        assert_int_equal(simkit_world_run(world), SIMKIT_STACK_OVERFLOW);
        assert_why_begins("at 0 s: process 'watched' has used more than its ");
        assert_int_equal(simkit_node_running(world, d.here), 0);
        spawn("heir", d.here, goes_on, &d);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(d.others, 1);
        assert_int_equal(d.back, 0);
    }
    sigaction(SIGSEGV, &uncaught, NULL);
}

/* The same on the stack of a process that takes back, kills or lets a node fail: nothing is left half done. */
typedef struct breaker {
    int what, kind; /* whose loss the watcher does not survive */
    simkit_node here, there;
    simkit_mailbox box;
    simkit_computation computation;
    simkit_process victim;
    int lost, woken;
} breaker;

static void watches_losses(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    breaker *b = (breaker *)user;
    int depth = 0;
    if (event->phase != SIMKIT_PHASE_LOST) return;
    ++b->lost;
    if (simkit_process_self(w) == 0 || (int)event->kind != b->kind) return;
    b->kind = 0;
    recurses(world, &depth);
}

static void is_broken(simkit_world *w, void *user)
{
    breaker *b = (breaker *)user;
    simkit_message message;
    if (b->what == 2)
        whatever(simkit_process_receive(w, b->box, &message));
    else
        whatever(
            simkit_process_compute(w, &(simkit_computation_desc){ .node = b->there, .seconds = 9 }, &b->computation));
    ++b->woken;
}

static void breaks(simkit_world *w, void *user)
{
    breaker *b = (breaker *)user;
    whatever(simkit_process_wait(w, 0.05));
    switch (b->what) {
    case 0: simkit_computation_cancel(w, b->computation); break;
    case 1:
    case 2: whatever(simkit_process_kill(w, b->victim)); break;
    default: whatever(simkit_node_fail(w, b->there));
    }
}

static void a_watcher_that_overflows_leaves_nothing_half_done(void **state)
{
    static const int kinds[] = { SIMKIT_WATCH_COMPUTE, SIMKIT_WATCH_TRANSFER, SIMKIT_WATCH_PROCESS, SIMKIT_WATCH_NODE };
    int overflows = 0;

    (void)state;
    catch_overflows();
    for (int what = 0; what < 4; ++what)
        for (int kind = 0; kind < 4; ++kind) {
            const simkit_node_desc slow = { .up_bandwidth = 1e6 };
            breaker b = { .what = what, .kind = kinds[kind] };
            reopen_world(&(simkit_world_desc){ .latency = 0.1 });
            b.here = add_node(&slow);
            b.there = add_node(NULL);
            assert_int_equal(simkit_mailbox_open(world, b.there, NULL, &b.box), SIMKIT_OK);
            assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_ALL, watches_losses, &b), SIMKIT_OK);
            assert_int_equal(
                simkit_process_start(world, &(simkit_process_desc){ .node = b.there, .body = is_broken, .user = &b },
                                     &b.victim),
                SIMKIT_OK);
            assert_int_equal(simkit_transfer_start(
                                 world, &(simkit_transfer_desc){ .from = b.here, .to = b.there, .bytes = 1e6 }, NULL),
                             SIMKIT_OK);
            spawn("breaker", b.here, breaks, &b);
            simkit_result result = simkit_world_run(world);
            if (result == SIMKIT_STACK_OVERFLOW) {
                ++overflows;
                assert_why_begins("at 0.05 s: process 'breaker' has used more than its ");
                whatever(
                    simkit_process_kill(world, b.victim)); /* where the watcher saw its end, it may be there still */
                result = simkit_world_run(world);
            }
            assert_int_equal(result, SIMKIT_OK);
            assert_int_equal(b.woken, what == 0 && kind > 0);
            assert_int_equal(simkit_node_running(world, b.there), 0);
            if (what == 3) assert_int_equal(b.lost, kind == 2 ? 5 : 4);
        }
    assert_int_equal(overflows, 8);
    sigaction(SIGSEGV, &uncaught, NULL);
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
        WORLD_TEST(callbacks_have_the_stack_of_the_host),
        WORLD_TEST(processes_take_turns),
        WORLD_TEST(waiting_for_nothing_lets_others_go_first),
        WORLD_TEST(a_suspended_process_is_resumed),
        WORLD_TEST(processes_share_their_node),
        WORLD_TEST(a_cancelled_computation_wakes_its_process),
        WORLD_TEST(a_cancelled_message_wakes_its_sender),
        WORLD_TEST(a_process_without_its_computation_is_killed),
        WORLD_TEST(messages_go_from_one_to_the_other),
        WORLD_TEST(a_deadlock_says_who_waits_on_what),
        WORLD_TEST(many_that_wait_are_counted),
        WORLD_TEST(bad_calls_are_named),
        WORLD_TEST(processes_start_processes),
        WORLD_TEST(ten_thousand_live_at_once),
        WORLD_TEST(values_survive_a_switch),
        WORLD_TEST(a_stack_overflow_is_named),
        WORLD_TEST(nothing_looks_for_who_overflowed),
        WORLD_TEST(a_guard_stops_an_overflow),
        WORLD_TEST(an_overflow_in_the_engine_harms_nobody),
        WORLD_TEST(every_call_needs_stack),
        WORLD_TEST(an_overflow_in_a_watcher_leaves_nothing),
        WORLD_TEST(a_watcher_that_overflows_leaves_nothing_half_done),
        WORLD_TEST(a_stack_is_measured),
        WORLD_TEST(worlds_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
