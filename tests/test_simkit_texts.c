/* Room texts of simkit.h: whatever a call takes is copied, or used only until it returns. All that is given here is overwritten
 * or freed as soon as the call has returned. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

static char given[200];

/* A name that is gone after the next one. */
static const char *name_of(const char *text)
{
    memset(given, '?', sizeof given - 1);
    snprintf(given, sizeof given, "%s", text);
    return given;
}

static void forget(void)
{
    memset(given, '?', sizeof given - 1);
}

static char seen[2000];

static void see(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)user;
    if (event->phase != SIMKIT_PHASE_END && event->phase != SIMKIT_PHASE_LOST) return;
    const size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s/%s@%g ", event->name, event->lane, simkit_clock_now(w));
}

static const char long_name[] =
    "a name that is longer than thirty-one bytes, and than anything that a struct has room for";

static void suspends(simkit_world *w, void *user)
{
    (void)user;
    whatever(simkit_process_suspend(w, "a bell"));
}

static void run_nothing(void *argument)
{
    (void)argument;
}

static void names_of_any_length_are_copied(void **state)
{
    (void)state;
    char wanted[300];
    simkit_mailbox box;
    simkit_operation operation;
    const simkit_node node = add_node(&(simkit_node_desc){ .name = name_of(long_name) });
    forget();
    assert_string_equal(simkit_node_name(world, node), long_name);
    succeeds(simkit_mailbox_open(world, node, name_of(long_name), &box));
    forget();
    succeeds(simkit_mailbox_close(world, box));
    assert_int_equal(simkit_mailbox_close(world, box), SIMKIT_MAILBOX_CLOSED);
    snprintf(wanted, sizeof wanted, "at 0 s: a call to close: mailbox '%s' on node '", long_name);
    assert_why_begins(wanted);
    succeeds(simkit_operation_add(
        world, &(simkit_operation_desc){ .name = name_of(long_name), .policy = SIMKIT_POLICY_MODEL }, &operation));
    forget();
    world->operations[0].desc.seconds = -1;
    double seconds;
    assert_int_equal(simkit_operation_run(world, operation, 0, run_nothing, NULL, &seconds), SIMKIT_BAD_ARGUMENT);
    snprintf(wanted, sizeof wanted, "at 0 s: duration of operation '%s' is -1", long_name);
    assert_why_begins(wanted);
    succeeds(simkit_process_start(world, &(simkit_process_desc){ .name = name_of(long_name), .body = suspends }, NULL));
    forget();
    assert_int_equal(simkit_world_run(world), SIMKIT_DEADLOCK);
    snprintf(wanted, sizeof wanted, "1 process waits: process '%s' is suspended on a bell", long_name);
    assert_non_null(strstr(simkit_world_why(world), wanted));
}

static void computes_named(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1, .name = "named" }, NULL));
    succeeds(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 1, .lane = "own" }, NULL));
}

static void names_for_watchers_are_copied(void **state)
{
    (void)state;
    simkit_mailbox box;
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 9 }), other = add_node(NULL);
    succeeds(simkit_mailbox_open(world, other, NULL, &box));
    seen[0] = 0;
    /* Before anything watches, names are not kept: a watcher that comes later sees none. */
    succeeds(simkit_computation_start(
        world, &(simkit_computation_desc){ .node = node, .seconds = 1, .name = name_of("early") }, NULL));
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_COMPUTE | SIMKIT_WATCH_TRANSFER, see, NULL));
    const char lane[] = "a lane";
    succeeds(simkit_computation_start(
        world, &(simkit_computation_desc){ .node = node, .seconds = 2, .name = name_of("sum"), .lane = lane }, NULL));
    succeeds(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = node, .to = node, .name = name_of("row") },
                                   NULL));
    succeeds(
        simkit_mailbox_post(world, &(simkit_post_desc){ .from = node, .to = box, .name = name_of("letter") }, NULL));
    succeeds(simkit_process_start(
        world, &(simkit_process_desc){ .name = name_of("worker"), .node = node, .body = computes_named }, NULL));
    succeeds(simkit_process_start(world, &(simkit_process_desc){ .node = other, .body = computes_named }, NULL));
    forget();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(seen, "row/@0 letter/@0 /@1 named/process 2@1 named/worker@1 /own@2 sum/a lane@2 /own@2 ");
}

static void call_nothing(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
}

/* Equal names share memory; other names go when nothing has them any more; and nothing is kept that nobody watches. */
static void names_take_little_memory(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    for (int i = 0; i < 3; ++i) {
        succeeds(simkit_computation_start(world, &(simkit_computation_desc){ .node = node }, NULL));
        succeeds(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = node, .to = node }, NULL));
        succeeds(simkit_world_run(world));
    }
    const size_t before = simkit_world_memory(world, NULL);
    for (int i = 0; i < 1000; ++i) {
        char name[32];
        snprintf(name, sizeof name, "unseen %d", i);
        succeeds(simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .name = name }, NULL));
        succeeds(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = node, .to = node, .name = name }, NULL));
        succeeds(simkit_world_run(world));
    }
    assert_int_equal(simkit_world_memory(world, NULL), before);

    succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, see, NULL));
    size_t later = 0;
    for (int i = 0; i < 50000; ++i) {
        char name[32];
        snprintf(name, sizeof name, "task %d", i);
        seen[0] = 0;
        succeeds(simkit_computation_start(
            world, &(simkit_computation_desc){ .node = node, .seconds = 1, .name = name, .lane = "always the same" },
            NULL));
        if (i % 7 == 0) { /* some last for a while */
            succeeds(
                simkit_transfer_start(world, &(simkit_transfer_desc){ .from = node, .to = node, .name = name }, NULL));
            succeeds(simkit_step_after(world, 3, 0, call_nothing, NULL, NULL));
        }
        succeeds(simkit_world_run(world));
        assert_non_null(strstr(seen, name));
        if (i == 5000) later = simkit_world_memory(world, NULL);
    }
    assert_true(simkit_world_memory(world, NULL) < later + 150000);
    assert_true(world->text_count < 2 * 1024 + 200);
}

typedef struct day {
    uint64_t fingerprint;
    simkit_source_tally tally;
} day;

/* A day of everybody, with what describes them overwritten before it begins, or not. */
static day spend(bool overwrites)
{
    double rates[] = { 1, 2 }, demands[] = { 1, 0.5 }, values[] = { 0.1, 0.2, 0.3 }, weights[] = { 1, 2, 3 };
    double go_on[] = { 0.5, 0.4 }, go_back[] = { 0.9, 0 };
    char names[4][16] = { "stream", "line", "edit", "compile" };
    simkit_arrival lines[] = { { 1, 0.5, 0, 0, names[1] }, { 2, 0.25, 5, 1, NULL }, { 3, 1, 0, 1, names[1] } };
    const simkit_distribution sample = { .law = SIMKIT_LAW_SAMPLE, .values = values, .weights = weights, .count = 3 };
    simkit_user_state states[] = { { .name = names[2], .think = sample, .demand = sample, .next = go_on },
                                   { .name = names[3], .think = sample, .demand = sample, .next = go_back } };
    reopen_world(&(simkit_world_desc){ .seed = 3 });
    const simkit_node node = add_node(NULL), other = add_node(NULL);
    succeeds(simkit_fingerprint_begin(world));
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, see, NULL));
    const simkit_arrivals_desc stream = { .node = node,
                                          .rate = 0.2,
                                          .profile = rates,
                                          .demand_profile = demands,
                                          .parts = 2,
                                          .day = 100,
                                          .demand = sample,
                                          .name = names[0] };
    simkit_user_desc user = { .node = node, .states = states, .count = 2 };
    simkit_replay_desc replay = { .node = node, .arrivals = lines, .count = 3, .name = names[1] };
    succeeds(simkit_arrivals_start(world, &stream, NULL));
    succeeds(simkit_user_start(world, &user, NULL));
    succeeds(simkit_replay_start(world, &replay, NULL));
    const size_t kept = world->text_count;
    user.node = replay.node = other; /* what is the same is kept once */
    succeeds(simkit_user_start(world, &user, NULL));
    succeeds(simkit_replay_start(world, &replay, NULL));
    assert_int_equal(world->text_count, kept);
    if (overwrites) {
        memset(rates, 0xff, sizeof rates), memset(demands, 0xff, sizeof demands);
        memset(values, 0xff, sizeof values), memset(weights, 0xff, sizeof weights);
        memset(go_on, 0xff, sizeof go_on), memset(go_back, 0xff, sizeof go_back);
        memset(names, 0xff, sizeof names), memset(lines, 0xff, sizeof lines);
        memset(states, 0xff, sizeof states);
    }
    seen[0] = 0;
    succeeds(simkit_world_run_until(world, 300));
    const day result = { simkit_fingerprint_value(world), simkit_source_progress(world, 0) };
    return result;
}

static void users_keep_nothing_of_the_callers(void **state)
{
    (void)state;
    const day intact = spend(false);
    char as_intact[sizeof seen];
    memcpy(as_intact, seen, sizeof seen);
    const day overwritten = spend(true);
    assert_true(intact.fingerprint == overwritten.fingerprint && intact.fingerprint != 0);
    assert_true(intact.tally.ended > 20 && intact.tally.ended == overwritten.tally.ended);
    assert_string_equal(seen, as_intact);
    assert_non_null(strstr(seen, "edit/"));
    assert_non_null(strstr(seen, "line/"));
    assert_non_null(strstr(seen, "stream/"));
}

static void a_population_may_be_closed(void **state)
{
    static const char text[] =
        "[arrivals a]\nrate = 1 /s\ndemand = constant 0.1 s\n[user u]\n[state s]\nthink = exponential 1 s\ndemand = constant 0.5 s\n";
    (void)state;
    simkit_population *population;
    simkit_parse_error error;
    const simkit_input input = { .text = text, .length = strlen(text) };
    const simkit_node node = add_node(NULL);
    if (simkit_population_read(&input, &population, &error) != SIMKIT_OK) fail_msg("%s", error.text);
    succeeds(simkit_population_start(world, population, 1, node));
    simkit_population_close(population);
    succeeds(simkit_world_run_until(world, 50));
    assert_true(simkit_source_progress(world, 0).ended > 20);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        WORLD_TEST(names_of_any_length_are_copied), WORLD_TEST(names_for_watchers_are_copied),
        WORLD_TEST(names_take_little_memory),       WORLD_TEST(users_keep_nothing_of_the_callers),
        WORLD_TEST(a_population_may_be_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
