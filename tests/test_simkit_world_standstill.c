/* Room world of simkit.h: a run whose clock stands still, because events bring about others at the same instant for ever,
 * ends with SIMKIT_STANDSTILL and a sentence that names what runs. */
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "world.h"

enum { LIMIT = 1000 };

static int open_limited(void **state)
{
    (void)state;
    return simkit_world_open(&(simkit_world_desc){ .instant_limit = LIMIT }, &world) != SIMKIT_OK;
}
#define LIMITED_TEST(name) cmocka_unit_test_setup_teardown(name, open_limited, close_world)

static void assert_stands(const char *what)
{
    const uint64_t before = simkit_clock_events(world);
    assert_int_equal(simkit_world_run(world), SIMKIT_STANDSTILL);
    if (!strstr(simkit_world_why(world), what)) assert_string_equal(simkit_world_why(world), what);
    assert_in_range(simkit_clock_events(world) - before, LIMIT, 2 * LIMIT + 100);
}

static int flag;

static void polls(simkit_world *w, void *user)
{
    (void)user;
    while (!flag) succeeds(simkit_process_wait(w, 0));
}

static void sets_flag(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_process_wait(w, 1));
    flag = 1;
}

static void start(const char *name, simkit_node node, simkit_call *body, void *user)
{
    succeeds(simkit_process_start(
        world, &(simkit_process_desc){ .name = name, .node = node, .body = body, .user = user }, NULL));
}

/* The loop waits for a flag that another process sets a second later, which never comes. */
static void a_process_that_polls_is_named(void **state)
{
    (void)state;
    flag = 0;
    start("poller", 0, polls, NULL);
    start(NULL, 0, sets_flag, NULL);
    assert_stands(
        "at 0 s: the clock stands still: more than 1000 events at this instant, the latest of process 'poller'");
    /* The next run goes on where this one was: here, to the same end; once there is a flag, to the end. */
    assert_stands("the latest of process 'poller'");
    flag = 1;
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(simkit_clock_now(world), 1);
}

static void rearms_itself(simkit_world *w, void *user)
{
    succeeds(simkit_step_after(w, 0, 0, rearms_itself, user, NULL));
}

static void steps_that_ask_for_themselves_are_named(void **state)
{
    (void)state;
    succeeds(simkit_step_at(world, 2.5, 0, rearms_itself, NULL, NULL));
    assert_stands("at 2.5 s: the clock stands still: more than 1000 events at this instant, the latest of steps");
    assert_int_equal(simkit_world_run_until(world, 3), SIMKIT_STANDSTILL);
    assert_equal(simkit_clock_now(world), 2.5);
}

typedef struct player {
    simkit_mailbox own, other;
    bool serves;
} player;

static void plays(simkit_world *w, void *user)
{
    const player *p = (const player *)user;
    if (p->serves) succeeds(simkit_process_send(w, &(simkit_post_desc){ .to = p->other }, NULL));
    for (;;) {
        if (simkit_process_receive(w, p->own, NULL) != SIMKIT_OK) return;
        if (simkit_process_send(w, &(simkit_post_desc){ .to = p->other }, NULL) != SIMKIT_OK) return;
    }
}

static void handing_over_for_ever_names_both(void **state)
{
    (void)state;
    static player players[2];
    const simkit_node node = add_node(NULL);
    succeeds(simkit_mailbox_open(world, node, NULL, &players[0].own));
    succeeds(simkit_mailbox_open(world, node, "right", &players[1].own));
    players[0].other = players[1].own, players[1].other = players[0].own, players[0].serves = true;
    start("ping", node, plays, &players[0]);
    start("pong", node, plays, &players[1]);
    assert_stands("process 'ping'");
    assert_non_null(strstr(simkit_world_why(world), "process 'pong'"));
    assert_non_null(strstr(simkit_world_why(world), "messages to mailbox 1"));
    assert_non_null(strstr(simkit_world_why(world), "messages to mailbox 'right'"));
}

static simkit_node place;

static void computes_nothing(simkit_world *w, void *user)
{
    succeeds(simkit_computation_start(
        w, &(simkit_computation_desc){ .node = place, .done = computes_nothing, .user = user }, NULL));
}

static void sends_nothing(simkit_world *w, void *user)
{
    succeeds(simkit_transfer_start(
        w, &(simkit_transfer_desc){ .from = place, .to = place, .done = sends_nothing, .user = user }, NULL));
}

static void computes_as_process(simkit_world *w, void *user)
{
    (void)user;
    while (simkit_process_compute(w, &(simkit_computation_desc){ 0 }, NULL) == SIMKIT_OK) continue;
}

static void all_that_takes_no_time_is_named(void **state)
{
    (void)state;
    place = add_node(&(simkit_node_desc){ .name = "idle" });
    computes_nothing(world, NULL);
    assert_stands("the latest of computations on node 'idle'");
    close_world(NULL), open_limited(NULL);
    place = add_node(NULL);
    sends_nothing(world, NULL);
    assert_stands("the latest of the transfer from node 1 to node 1");
    close_world(NULL), open_limited(NULL);
    start(NULL, add_node(NULL), computes_as_process, NULL);
    assert_stands("process 1");
}

/* A crowd at one instant is no standstill, as long as it is smaller than the limit; nor are any number of events with time
 * between them. */
static void call_nothing(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
}

static void crowds_are_no_standstill(void **state)
{
    (void)state;
    for (int instant = 0; instant < 20; ++instant)
        for (int i = 0; i < LIMIT - 1; ++i) succeeds(simkit_step_at(world, instant, 0, call_nothing, NULL, NULL));
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(simkit_clock_now(world), 19);
    for (int i = 0; i < 2 * LIMIT + 20; ++i) succeeds(simkit_step_at(world, 20, 0, call_nothing, NULL, NULL));
    assert_int_equal(simkit_world_run(world), SIMKIT_STANDSTILL);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK); /* the rest */
}

/*=============================================================================
 * So late that neighbouring times are 2 s apart, half a second is nothing. What repeats then ends a run.
 *===========================================================================*/
static void steps_on(simkit_world *w, void *user)
{
    succeeds(simkit_step_after(w, 0.5, 0, steps_on, user, NULL));
}

static void naps(simkit_world *w, void *user)
{
    (void)user;
    while (simkit_process_wait(w, 0.5) == SIMKIT_OK) continue;
}

static void listens_in_vain(simkit_world *w, void *user)
{
    const simkit_mailbox box = *(const simkit_mailbox *)user;
    do succeeds(simkit_process_limit(w, 0.5));
    while (simkit_process_receive(w, box, NULL) == SIMKIT_TIMED_OUT);
}

static void computes_on(simkit_world *w, void *user)
{
    succeeds(simkit_computation_start(
        w, &(simkit_computation_desc){ .node = place, .seconds = 0.5, .done = computes_on, .user = user }, NULL));
}

static void sends_on(simkit_world *w, void *user)
{
    succeeds(simkit_transfer_start(
        w, &(simkit_transfer_desc){ .from = place, .to = place, .bytes = 1, .done = sends_on, .user = user }, NULL));
}

static void be_late(void)
{
    close_world(NULL), open_limited(NULL);
    place = add_node(&(simkit_node_desc){ .name = "late" });
    succeeds(simkit_world_run_until(world, 1e16));
}

static void so_late_that_nothing_takes_time(void **state)
{
    simkit_mailbox box;
    (void)state;
    be_late();
    steps_on(world, NULL);
    assert_stands("steps of the program");
    be_late();
    start("napper", 0, naps, NULL);
    assert_stands("process 'napper'");
    be_late();
    succeeds(simkit_mailbox_open(world, place, NULL, &box));
    start("listener", 0, listens_in_vain, &box);
    assert_int_equal(simkit_world_run(world), SIMKIT_STANDSTILL); /* two events for each wait */
    be_late();
    computes_on(world, NULL);
    assert_stands("computations on node 'late'");
    be_late();
    succeeds(simkit_pair_set(world, place, place, &(netmodel_link){ .latency = 0.25, .byte_time = 0.25 }));
    sends_on(world, NULL);
    assert_stands("the transfer from node 'late' to node 'late'");
}

/* Background has a result of its own, or the same. */
static void so_late_that_background_takes_no_time(void **state)
{
    static const double next[] = { 1 };
    static const double seconds[] = { 0.5 };
    simkit_link link;
    (void)state;
    be_late();
    const simkit_user_state thinks = { .think = { .mean = 0.5 }, .next = next };
    succeeds(simkit_user_start(world, &(simkit_user_desc){ .node = place, .states = &thinks, .count = 1 }, NULL));
    assert_int_equal(simkit_world_run_until(world, 2e16), SIMKIT_STANDSTILL);
    be_late();
    succeeds(simkit_link_add(world, NULL, &link));
    assert_int_equal(simkit_link_follow(world, link, (simkit_link_point[]){ { 0, 1e6 }, { 0.25, 2e6 } }, 2, 0.5),
                     SIMKIT_BAD_TIME);
    be_late();
    whatever(simkit_arrivals_start(world, &(simkit_arrivals_desc){ .node = place, .rate = 2 }, NULL));
    assert_int_equal(simkit_world_run_until(world, 2e16), SIMKIT_BAD_TIME);
    be_late();
    const simkit_result result = simkit_arrivals_start(
        world, &(simkit_arrivals_desc){ .node = place, .rate = 2, .day = 0.5, .parts = 1, .profile = seconds }, NULL);
    assert_int_not_equal(result == SIMKIT_OK ? simkit_world_run_until(world, 2e16) : result, SIMKIT_OK);
    be_late();
    succeeds(simkit_load_record(world, place));
    assert_nan(simkit_load_average(world, place, 0.5, 0.5));
    be_late();
    const simkit_arrival arrivals[] = { { .time = 0, .seconds = 0.5 }, { .time = 0.5, .seconds = 0.5 } };
    succeeds(simkit_replay_start(world, &(simkit_replay_desc){ .node = place, .arrivals = arrivals, .count = 2 }, NULL));
    succeeds(simkit_world_run_until(world, 2e16));
    assert_int_equal(simkit_source_progress(world, 0).ended, 2);
}

/* All zero is ten million; this takes a fifth of a second. */
static void by_itself_the_limit_is_ten_million(void **state)
{
    (void)state;
    reopen_world(NULL);
    flag = 0;
    start(NULL, 0, polls, NULL);
    assert_int_equal(simkit_world_run(world), SIMKIT_STANDSTILL);
    assert_why("at 0 s: the clock stands still: more than 10000000 events at this instant, the latest of process 1");
    assert_in_range(simkit_clock_events(world), 10000000, 10000100);
    reopen_world(&(simkit_world_desc){ .instant_limit = UINT64_MAX });
    succeeds(simkit_step_at(world, 1, 0, call_nothing, NULL, NULL));
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        LIMITED_TEST(a_process_that_polls_is_named),    LIMITED_TEST(steps_that_ask_for_themselves_are_named),
        LIMITED_TEST(handing_over_for_ever_names_both), LIMITED_TEST(all_that_takes_no_time_is_named),
        LIMITED_TEST(so_late_that_nothing_takes_time),  LIMITED_TEST(so_late_that_background_takes_no_time),
        LIMITED_TEST(crowds_are_no_standstill),         LIMITED_TEST(by_itself_the_limit_is_ten_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
