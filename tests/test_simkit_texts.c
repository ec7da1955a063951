/* Room texts of simkit.h: whatever a call takes is copied, or used only until it returns. All that is given here is overwritten
 * or freed as soon as the call has returned. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "seen.h"
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

static const char long_name[] =
    "a name that is longer than thirty-one bytes, and than anything that a struct has room for";

static void suspends(simkit_world *w, void *user)
{
    (void)user;
    whatever(simkit_process_suspend(w, "a bell"));
}

static double less_than_nothing(double parameter, void *user)
{
    (void)parameter;
    (void)user;
    return -1;
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
    const simkit_operation_desc model = { .name = name_of(long_name),
                                          .policy = SIMKIT_POLICY_MODEL,
                                          .model = less_than_nothing };
    succeeds(simkit_operation_add(world, &model, &operation));
    forget();
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
    const struct CMUnitTest tests[] = {
        WORLD_TEST(names_of_any_length_are_copied),
        WORLD_TEST(names_for_watchers_are_copied),
        WORLD_TEST(a_population_may_be_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
