/* Room results of simkit.h. What no call can work with: no world, nothing where a description belongs, numbers out of
 * range. Each is refused, says so, and leaves the world as it was. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "world.h"

#define REFUSED(call) assert_int_equal((call), SIMKIT_BAD_ARGUMENT)
/* Refused, with a sentence that contains this. */
#define REFUSED_FOR(call, text) refused_for((call), SIMKIT_BAD_ARGUMENT, (text), __FILE__, __LINE__)
#define REFUSED_AS(call, result, text) refused_for((call), (result), (text), __FILE__, __LINE__)

static void refused_for(simkit_result is, simkit_result wanted, const char *text, const char *file, int line)
{
    if (is == wanted && strstr(simkit_world_why(world), text) != NULL) return;
    print_error("result %d, wanted %d: %s\n", (int)is, (int)wanted, simkit_world_why(world));
    _fail(file, line);
}

static void call_me(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
}
static void receive_me(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    (void)user;
    (void)message;
}
static void watch_me(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)user;
    (void)w;
    (void)event;
}
static void run_me(void *argument)
{
    (void)argument;
}

static void without_a_world(void **state)
{
    simkit_node node = 7;
    simkit_mailbox box = 7;
    simkit_step step = 7;
    size_t peak = 7;
    double seconds = 7;
    bool run = true;
    simkit_operation operation = 7;
    simkit_source users = 7;
    const netmodel_link link = { 0, 0 };
    const simkit_watch_event event = { .kind = SIMKIT_WATCH_COMPUTE };

    (void)state;
    simkit_world_close(NULL);
    REFUSED(simkit_world_run(NULL));
    REFUSED(simkit_world_run_until(NULL, 1));
    simkit_world_stop(NULL);
    assert_true(simkit_world_why(NULL)[0] != 0);
    assert_int_equal(simkit_world_memory(NULL, NULL), 0);
    assert_int_equal(simkit_world_memory(NULL, &peak), 0);
    assert_int_equal(peak, 0);
    assert_nan(simkit_clock_now(NULL));
    assert_equal(simkit_clock_next(NULL), (double)INFINITY);
    assert_int_equal(simkit_clock_events(NULL), 0);
    REFUSED(simkit_step_at(NULL, 1, 0, call_me, NULL, &step));
    assert_int_equal(step, 0);
    REFUSED(simkit_step_after(NULL, 1, 0, call_me, NULL, NULL));
    assert_false(simkit_step_cancel(NULL, 1));
    assert_false(simkit_step_pending(NULL, 1));
    REFUSED(simkit_node_add(NULL, NULL, &node));
    assert_int_equal(node, 0);
    REFUSED(simkit_node_fail(NULL, 1));
    assert_int_equal(simkit_node_count(NULL), 0);
    assert_true(simkit_node_name(NULL, 1)[0] != 0);
    assert_int_equal(simkit_node_running(NULL, 1), 0);
    REFUSED(simkit_computation_start(NULL, NULL, NULL));
    assert_false(simkit_computation_cancel(NULL, (simkit_computation){ 0 }));
    REFUSED(simkit_load_record(NULL, 1));
    assert_nan(simkit_load_average(NULL, 1, 0.5, 5));
    REFUSED(simkit_transfer_start(NULL, NULL, NULL));
    REFUSED(simkit_pair_set(NULL, 1, 2, &link));
    REFUSED(simkit_mailbox_open(NULL, 1, NULL, &box));
    assert_int_equal(box, 0);
    REFUSED(simkit_mailbox_close(NULL, 1));
    REFUSED(simkit_mailbox_post(NULL, NULL, NULL));
    REFUSED(simkit_mailbox_take(NULL, 1, receive_me, NULL, NULL));
    assert_int_equal(simkit_mailbox_messages(NULL, 1), 0);
#ifndef SIMKIT_NO_PROCESSES
    simkit_process process = 7;
    simkit_message message;
    REFUSED(simkit_process_start(NULL, NULL, &process));
    assert_int_equal(process, 0);
    assert_int_equal(simkit_process_self(NULL), 0);
    REFUSED(simkit_process_wait(NULL, 1));
    REFUSED(simkit_process_compute(NULL, NULL, NULL));
    REFUSED(simkit_process_send(NULL, NULL, NULL));
    REFUSED(simkit_process_receive(NULL, 1, &message));
    REFUSED(simkit_process_suspend(NULL, NULL));
    REFUSED(simkit_process_resume(NULL, 1));
    REFUSED(simkit_process_kill(NULL, 1));
    assert_int_equal(simkit_process_stack(NULL, 1, NULL), 0);
    assert_false(simkit_process_overflow(NULL, &process));
#endif
    REFUSED(simkit_operation_add(NULL, NULL, &operation));
    REFUSED(simkit_operation_run(NULL, 1, 0, run_me, NULL, &seconds));
    assert_equal(seconds, 0);
    REFUSED(simkit_operation_run(NULL, 1, 0, run_me, NULL, NULL));
    REFUSED(simkit_operation_begin(NULL, 1, 0, &run, &seconds));
    assert_false(run);
    REFUSED(simkit_operation_begin(NULL, 1, 0, NULL, NULL));
    REFUSED(simkit_operation_end(NULL, 1, 0, 1));
    assert_int_equal(simkit_operation_progress(NULL, 1).runs, 0);
    REFUSED(simkit_arrivals_start(NULL, NULL, &users));
    assert_int_equal(users, 0);
    REFUSED(simkit_replay_start(NULL, NULL, NULL));
    REFUSED(simkit_user_start(NULL, NULL, NULL));
    assert_int_equal(simkit_source_progress(NULL, 0).begun, 0);
    simkit_source_stop(NULL, 1);
    REFUSED(simkit_watch_add(NULL, SIMKIT_WATCH_ALL, watch_me, NULL));
    REFUSED(simkit_watch_emit(NULL, &event));
    simkit_watch_remove(NULL, watch_me, NULL);
    REFUSED(simkit_fingerprint_begin(NULL));
    assert_int_equal(simkit_fingerprint_value(NULL), 0);
    REFUSED(simkit_machine_add(NULL, NULL, 1, &node));
    REFUSED(simkit_population_start(NULL, NULL, 1, 1));
    /* Streams without a world are those of seed 0. */
    simkit_random one = simkit_random_stream(NULL, 3), other = simkit_random_stream(world, 3);
    assert_int_equal(simkit_random_bits(&one), simkit_random_bits(&other));
}

static void without_a_description(void **state)
{
    const simkit_node node = add_node(NULL);
    const simkit_node_desc nameless = { .name = NULL, .speed = -1 };
    simkit_operation operation = 0;
    simkit_mailbox box = 0;
    double seconds = 1;
    bool run = false;

    (void)state;
    REFUSED_FOR(simkit_step_at(world, 1, 0, NULL, NULL, NULL), "needs a function");
    REFUSED_FOR(simkit_step_at(world, 1, -32769, call_me, NULL, NULL), "priority -32769");
    REFUSED_FOR(simkit_step_at(world, 1, 32768, call_me, NULL, NULL), "priority 32768");
    assert_int_equal(simkit_step_at(world, 1, -32768, call_me, NULL, NULL), SIMKIT_OK);
    REFUSED_FOR(simkit_node_add(world, &nameless, NULL), "speed");
    REFUSED_FOR(simkit_node_add(world, &nameless, &(simkit_node){ 0 }), "speed");
    REFUSED_FOR(
        simkit_node_add(world, &(simkit_node_desc){ .nice_rule = (contention_nice_rule)9 }, &(simkit_node){ 0 }),
        "nice rule 9 of node 2");
    REFUSED_AS(simkit_node_fail(world, node + 1), SIMKIT_UNKNOWN_NODE, "2");
    REFUSED_FOR(simkit_computation_start(world, NULL, NULL), "needs a description");
    REFUSED_FOR(simkit_transfer_start(world, NULL, NULL), "description");
    REFUSED_AS(simkit_pair_set(world, node, 9, &(netmodel_link){ 0, 0 }), SIMKIT_UNKNOWN_NODE, "9");
    REFUSED_AS(simkit_pair_set(world, 9, node, &(netmodel_link){ 0, 0 }), SIMKIT_UNKNOWN_NODE, "9");
    REFUSED_FOR(simkit_pair_set(world, node, node, &(netmodel_link){ 0, -1 }), "");
    REFUSED_FOR(simkit_pair_set(world, node, node, &(netmodel_link){ -1, 0 }), "");
    REFUSED_FOR(simkit_mailbox_open(world, node, NULL, NULL), "pointer for its handle");
    assert_int_equal(simkit_mailbox_open(world, node, NULL, &box), SIMKIT_OK);
    REFUSED_FOR(simkit_mailbox_post(world, NULL, NULL), "needs a description");
    REFUSED_FOR(simkit_mailbox_take(world, box, NULL, NULL, NULL), "");
    REFUSED_AS(simkit_mailbox_close(world, 0), SIMKIT_UNKNOWN_MAILBOX, "");
    REFUSED_AS(simkit_mailbox_close(world, box + 1), SIMKIT_UNKNOWN_MAILBOX, "");
    assert_int_equal(simkit_mailbox_messages(world, 0), 0);
    assert_int_equal(simkit_node_running(world, 0), 0);
    assert_nan(simkit_load_average(world, 0, 0.5, 5));

    REFUSED_FOR(simkit_operation_add(world, NULL, &operation), "");
    REFUSED_FOR(simkit_operation_add(world, &(simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE }, NULL), "");
    REFUSED_FOR(simkit_operation_add(world, &(simkit_operation_desc){ .policy = (simkit_policy)9 }, &operation), "");
    assert_int_equal(
        simkit_operation_add(world, &(simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE }, &operation),
        SIMKIT_OK);
    REFUSED_FOR(simkit_operation_run(world, operation, 0, NULL, NULL, &seconds), "needs a body");
    REFUSED_FOR(simkit_operation_run(world, operation, 0, run_me, NULL, NULL), "needs a body");
    REFUSED(simkit_operation_begin(world, operation, 0, NULL, &seconds));
    REFUSED(simkit_operation_begin(world, operation, 0, &run, NULL));
    REFUSED_FOR(simkit_operation_begin(world, operation + 1, 0, &run, &seconds), "unknown");
    REFUSED_FOR(simkit_operation_begin(world, operation, (double)NAN, &run, &seconds), "parameter");
    assert_int_equal(simkit_operation_progress(world, 0).runs, 0);
    assert_int_equal(simkit_operation_progress(world, operation + 1).runs, 0);

    assert_nan(simkit_distribution_mean(NULL));
    assert_nan(
        simkit_distribution_mean(&(simkit_distribution){ .law = SIMKIT_LAW_EXPONENTIAL, .mean = (double)INFINITY }));
    assert_nan(simkit_distribution_mean(
        &(simkit_distribution){ .law = SIMKIT_LAW_PARETO, .shape = (double)INFINITY, .minimum = 1 }));
    assert_nan(simkit_distribution_mean(
        &(simkit_distribution){ .law = SIMKIT_LAW_PARETO, .shape = 1, .minimum = (double)INFINITY }));
    assert_nan(
        simkit_distribution_mean(&(simkit_distribution){ .law = SIMKIT_LAW_SAMPLE, .values = &seconds, .count = 0 }));
    const double huge[2] = { 1.7e308, 1.7e308 }, none[2] = { 0, 0 };
    assert_nan(
        simkit_distribution_mean(&(simkit_distribution){ .law = SIMKIT_LAW_SAMPLE, .values = huge, .count = 2 }));
    assert_nan(simkit_distribution_mean(
        &(simkit_distribution){ .law = SIMKIT_LAW_SAMPLE, .values = none, .weights = none, .count = 2 }));
    assert_nan(simkit_distribution_draw(&(simkit_distribution){ .law = (simkit_law)99 }, &(simkit_random){ 0 }));
    assert_nan(simkit_random_exponential(&(simkit_random){ 0 }, 0));
    assert_nan(simkit_random_exponential(&(simkit_random){ 0 }, (double)INFINITY));
}

static void of_processes(void **state)
{
    (void)state;
#ifndef SIMKIT_NO_PROCESSES
    const simkit_node node = add_node(NULL);
    REFUSED_FOR(simkit_process_start(world, NULL, NULL), "needs a body");
    REFUSED_FOR(simkit_process_start(world, &(simkit_process_desc){ .node = node }, NULL), "needs a body");
    REFUSED_FOR(simkit_process_start(world, &(simkit_process_desc){ .body = call_me, .stack_bytes = 1 }, NULL),
                "a stack of 1 bytes for a process");
    REFUSED_FOR(
        simkit_process_start(world, &(simkit_process_desc){ .body = call_me, .stack_bytes = SIZE_MAX / 2 }, NULL),
        "a stack of");
    assert_int_equal(simkit_process_self(world), 0);
    REFUSED_AS(simkit_process_wait(world, 1), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_compute(world, NULL, NULL), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_send(world, NULL, NULL), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_receive(world, 1, NULL), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_suspend(world, NULL), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_limit(world, 1), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_acquire(world, 1, 1, 0), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_listen(world, 1, 0), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_arrive(world, 1), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_join(world, 1), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_choose(world, NULL, 0, NULL, NULL), SIMKIT_BAD_CALL, "outside a process");
    REFUSED_AS(simkit_process_kill(world, 0), SIMKIT_UNKNOWN_PROCESS, "to kill");
    REFUSED_AS(simkit_process_interrupt(world, 0), SIMKIT_UNKNOWN_PROCESS, "to interrupt");
    REFUSED_AS(simkit_process_resume(world, 0), SIMKIT_UNKNOWN_PROCESS, "to resume");
    assert_false(simkit_process_overflow(world, &world)); /* nobody runs */
#endif
}

#ifndef SIMKIT_NO_PROCESSES
static void suspends_itself(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_process_suspend(w, NULL));
}

static void asks_for_too_much(simkit_world *w, void *user)
{
    REFUSED_AS(simkit_process_wait(w, -1), SIMKIT_BAD_TIME, "cannot wait for -1 s");
    REFUSED_AS(simkit_process_wait(w, 1.7e308), SIMKIT_BAD_TIME, "cannot wait for");
    REFUSED_FOR(simkit_process_compute(w, NULL, NULL), "needs a description");
    REFUSED_FOR(simkit_process_compute(w, &(simkit_computation_desc){ .seconds = -1 }, NULL), "CPU time");
    REFUSED_FOR(simkit_process_send(w, NULL, NULL), "description");
    REFUSED_AS(simkit_process_receive(w, 0, NULL), SIMKIT_UNKNOWN_MAILBOX, "");
    REFUSED_AS(simkit_process_limit(w, -1), SIMKIT_BAD_TIME, "cannot limit a wait to -1 s");
    REFUSED_AS(simkit_process_acquire(w, 0, 1, 0), SIMKIT_UNKNOWN_PLACE, "names no resource: the handle is 0");
    REFUSED_AS(simkit_process_listen(w, 0, 0), SIMKIT_UNKNOWN_PLACE, "names no condition: the handle is 0");
    REFUSED_AS(simkit_process_arrive(w, 0), SIMKIT_UNKNOWN_PLACE, "names no barrier: the handle is 0");
    REFUSED_AS(simkit_process_join(w, 0), SIMKIT_UNKNOWN_PROCESS, "never existed");
    REFUSED_AS(simkit_process_join(w, simkit_process_self(w)), SIMKIT_BAD_CALL, "its own end");
    REFUSED_FOR(simkit_process_choose(w, NULL, 0, NULL, NULL), "at least one choice");
    REFUSED_FOR(simkit_process_choose(w, &(simkit_choice){ .mailbox = 0 }, 1, NULL, NULL), "names 0 things");
    REFUSED_FOR(simkit_process_choose(w, &(simkit_choice){ .resource = 1, .process = 1 }, 1, NULL, NULL),
                "names 2 things");
    assert_false(simkit_process_overflow(w, user)); /* nowhere near its guard page */
    *(int *)user = 1;
}

static void a_process_goes_on_after_refusals(void **state)
{
    int went_on = 0;
    const simkit_node node = add_node(NULL);
    const simkit_process_desc desc = { .name = "a name that is longer than thirty-one bytes, and is cut",
                                       .node = node,
                                       .body = asks_for_too_much,
                                       .user = &went_on };
    (void)state;
    assert_int_equal(simkit_world_run_until(world, 1.7e308), SIMKIT_OK);
    assert_int_equal(simkit_process_start(world, &desc, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(went_on, 1);
    /* Names are whole, whatever their length, but sentences show a hundred bytes at most. */
    for (int length = 99; length <= 101; ++length) {
        char name[120] = "";
        memset(name, 'n', (size_t)length);
        assert_int_equal(
            simkit_process_start(world, &(simkit_process_desc){ .name = name, .body = suspends_itself }, NULL),
            SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run(world), SIMKIT_DEADLOCK);
    const char *const name = strstr(simkit_world_why(world), "process 'n");
    assert_non_null(name);
    assert_int_equal(strspn(name + 9, "n"), 99);
    assert_int_equal(strspn(strstr(name + 109, "process 'n") + 9, "n"), 100);
}
#endif

static void of_events_from_elsewhere(void **state)
{
    const simkit_node node = add_node(NULL);
    simkit_watch_event event = { .kind = SIMKIT_WATCH_COMPUTE, .phase = SIMKIT_PHASE_BEGIN, .node = node };
    (void)state;
    REFUSED_FOR(simkit_watch_emit(world, NULL), "kind of an event is unknown");
    event.kind = (simkit_watch_kind)0;
    REFUSED_FOR(simkit_watch_emit(world, &event), "kind of an event is unknown");
    event.kind = (simkit_watch_kind)(SIMKIT_WATCH_ALL + 1);
    REFUSED_FOR(simkit_watch_emit(world, &event), "kind of an event is unknown");
    event.kind = SIMKIT_WATCH_COMPUTE;
    event.begin = -1;
    REFUSED_FOR(simkit_watch_emit(world, &event), "times -1 s");
    event.begin = 2, event.time = 1;
    REFUSED_FOR(simkit_watch_emit(world, &event), "times 2 s to 1 s");
    event.time = (double)INFINITY;
    REFUSED_FOR(simkit_watch_emit(world, &event), "to inf s");
    event.time = 3;
    assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_OK);
    event.node = 0;
    REFUSED_AS(simkit_watch_emit(world, &event), SIMKIT_UNKNOWN_NODE, "names nodes");
    event.node = node + 1;
    REFUSED_AS(simkit_watch_emit(world, &event), SIMKIT_UNKNOWN_NODE, "names nodes");
    event.kind = SIMKIT_WATCH_TRANSFER, event.node = node, event.to = node;
    assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_OK);
    event.to = node + 1;
    REFUSED_AS(simkit_watch_emit(world, &event), SIMKIT_UNKNOWN_NODE, "names nodes");
    event.to = 0;
    REFUSED_AS(simkit_watch_emit(world, &event), SIMKIT_UNKNOWN_NODE, "names nodes");
    REFUSED_FOR(simkit_watch_add(world, 0, watch_me, NULL), "kinds");
    REFUSED_FOR(simkit_watch_add(world, SIMKIT_WATCH_ALL + 1, watch_me, NULL), "kinds");
    REFUSED_FOR(simkit_watch_add(world, SIMKIT_WATCH_ALL, NULL, NULL), "function");
}

static void of_users(void **state)
{
    const simkit_node node = add_node(NULL);
    const double some[2] = { 1, 2 }, huge[2] = { 1.7e308, 1.7e308 }, half[1] = { 0.5 }, much[1] = { 2 };
    const simkit_distribution second = { .law = SIMKIT_LAW_CONSTANT, .mean = 1 }, never = { .law = (simkit_law)99 };
    simkit_arrivals_desc stream = { .node = node, .rate = 1, .demand = second };
    simkit_arrival arrival = { 0, 1, 0, 0, NULL };
    simkit_replay_desc tape = { .node = node, .arrivals = &arrival, .count = 1 };
    simkit_user_state one = { NULL, second, second, 0, NULL };
    simkit_user_desc user = { .node = node, .states = &one, .count = 1 };

    (void)state;
    REFUSED_FOR(simkit_arrivals_start(world, NULL, NULL), "description");
    stream.node = 9;
    REFUSED_AS(simkit_arrivals_start(world, &stream, NULL), SIMKIT_UNKNOWN_NODE, "9");
    stream.node = node, stream.rate = -1;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "rate");
    stream.rate = 2e6;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "processes per second");
    stream.rate = 1, stream.day = -1;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "day");
    stream.day = 0, stream.time_of_day = (double)NAN;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "time of day");
    stream.time_of_day = 1e13;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "begins at 1e+13 s of the day");
    stream.time_of_day = 0, stream.nice = -21;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "-21");
    stream.nice = 20;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "20");
    stream.nice = 0, stream.demand = never;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "no such law");
    stream.demand = second, stream.profile = some;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "0 parts");
    stream.parts = 1000001;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "1000001 parts");
    stream.parts = 2, stream.profile = huge;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "negative or not finite");
    stream.profile = NULL, stream.demand_profile = huge;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "negative or not finite");
    stream.demand_profile = some, stream.day = 1e-6;
    REFUSED_FOR(simkit_arrivals_start(world, &stream, NULL), "parts of the day");

    REFUSED_FOR(simkit_replay_start(world, NULL, NULL), "description");
    tape.arrivals = NULL;
    REFUSED_FOR(simkit_replay_start(world, &tape, NULL), "arrivals");
    tape.arrivals = &arrival, tape.skip = -1;
    REFUSED_FOR(simkit_replay_start(world, &tape, NULL), "skip");
    tape.skip = 0, tape.scale = -1;
    REFUSED_FOR(simkit_replay_start(world, &tape, NULL), "scale");
    tape.scale = 0, arrival.time = -1;
    REFUSED_FOR(simkit_replay_start(world, &tape, NULL), "at -1 s");
    arrival.time = 0, arrival.seconds = -1;
    REFUSED_FOR(simkit_replay_start(world, &tape, NULL), "CPU time");
    arrival.seconds = 1e308, tape.scale = 1e308;
    REFUSED_FOR(simkit_replay_start(world, &tape, NULL), "CPU time of all");
    arrival.seconds = 1, tape.scale = 0, arrival.nice = -21;
    REFUSED_FOR(simkit_replay_start(world, &tape, NULL), "-21");
    arrival.nice = 0, arrival.process = 100000001;
    REFUSED_FOR(simkit_replay_start(world, &tape, NULL), "100000001");
    arrival.process = 0, tape.node = 9;
    REFUSED_AS(simkit_replay_start(world, &tape, NULL), SIMKIT_UNKNOWN_NODE, "9");

    REFUSED_FOR(simkit_user_start(world, NULL, NULL), "needs states");
    user.count = 0;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "needs states");
    user.count = 1, user.first = 1;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "needs states");
    user.first = 0, user.states = NULL;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "needs states");
    user.states = &one, user.begin = -1;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "begin");
    user.begin = 0, user.end = (double)INFINITY;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "end");
    user.end = 0, one.think = never;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "state 0 of a user: there is no such law");
    one.think = second, one.demand = never;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "no such law");
    one.demand = second, one.nice = 20;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "nice level");
    one.nice = 0, one.next = huge;
    assert_int_equal(simkit_user_start(world, &user, NULL), SIMKIT_BAD_ARGUMENT);
    one.next = much;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "more than 1");
    one.next = half, one.think.mean = 0;
    REFUSED_FOR(simkit_user_start(world, &user, NULL), "state 0 of a user is on a cycle");
    one.think.mean = 1, user.node = 9;
    REFUSED_AS(simkit_user_start(world, &user, NULL), SIMKIT_UNKNOWN_NODE, "9");
    REFUSED_FOR(simkit_population_start(world, NULL, 1, node), "population");
    REFUSED_FOR(simkit_machine_add(world, NULL, 1, &(simkit_node){ 0 }), "machine");
    /* Nothing has come of all that. */
    assert_int_equal(simkit_source_progress(world, 0).begun, 0);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(simkit_clock_now(world), 0);
}

/* Load averages of one node with other decays and other intervals do not mix. */
static void of_load_averages(void **state)
{
    const simkit_node node = add_node(NULL);
    (void)state;
    assert_int_equal(simkit_load_record(world, node), SIMKIT_OK);
    assert_int_equal(simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .seconds = 100 }, NULL),
                     SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 10), SIMKIT_OK);
    for (int again = 0; again < 2; ++again) { /* the second time from what was kept */
        assert_close(simkit_load_average(world, node, 0.5, 5), 0.75, 1e-15);
        assert_close(simkit_load_average(world, node, 0.5, 10), 0.5, 1e-15);
        assert_close(simkit_load_average(world, node, 0.5, 2.5), 1 - 1.0 / 16, 1e-15);
        assert_close(simkit_load_average(world, node, 0.25, 5), 1 - 1.0 / 16, 1e-15);
        assert_close(simkit_load_average(world, node, 0.75, 5), 1 - 9.0 / 16, 1e-15);
    }
    assert_nan(simkit_load_average(world, node, -0.1, 5));
    assert_nan(simkit_load_average(world, node, 1.1, 5));
    assert_nan(simkit_load_average(world, node, 0.5, 0));
    assert_nan(simkit_load_average(world, node, 0.5, 1e-300));
}

#ifndef SIMKIT_NO_PROCESSES
static void of_what_nobody_named(void **state)
{
    (void)state;
    assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .body = suspends_itself }, NULL), SIMKIT_OK);
    REFUSED_AS(simkit_world_run(world), SIMKIT_DEADLOCK, "1 process waits: process 1 is suspended");
    const simkit_node node = add_node(&(simkit_node_desc){ .name = "here" });
    assert_int_equal(simkit_process_start(world, &(simkit_process_desc){ .node = node, .body = suspends_itself }, NULL),
                     SIMKIT_OK);
    REFUSED_AS(simkit_world_run(world), SIMKIT_DEADLOCK,
               "2 processes wait: process 1 is suspended; process 2 on node 'here' is suspended");
}
#endif

/* Mistakes with things that have no name: each sentence says by number which thing it is. */
static void what_has_no_name_has_a_number(void **state)
{
    (void)state;
    REFUSED_AS(simkit_computation_start(world, &(simkit_computation_desc){ .seconds = 1 }, NULL), SIMKIT_UNKNOWN_NODE,
               "at 0 s: a computation names node 0, but there is none");
    simkit_mailbox box;
    REFUSED_AS(simkit_mailbox_post(world, &(simkit_post_desc){ .to = 1 }, NULL), SIMKIT_UNKNOWN_MAILBOX,
               "at 0 s: a message names mailbox 1, but there is none");
    const simkit_node a = add_node(&(simkit_node_desc){ .name = "" }), b = add_node(&(simkit_node_desc){ .name = "b" });
    assert_string_equal(simkit_node_name(world, a), "node 1");
    REFUSED_FOR(simkit_node_add(world, &(simkit_node_desc){ .speed = -1 }, NULL),
                "at 0 s: speed of node 3 is -1, but ");
    REFUSED_FOR(simkit_node_add(world, &(simkit_node_desc){ .quota = 0.5 }, NULL),
                "at 0 s: node 3 has a quota of 0.5 s, but its period is 0");
    REFUSED_AS(simkit_node_fail(world, 9), SIMKIT_UNKNOWN_NODE,
               "at 0 s: a failure names node 9, but the nodes are 1 .. 2");
    REFUSED_FOR(simkit_computation_start(world, &(simkit_computation_desc){ .node = a, .nice = 20 }, NULL),
                "at 0 s: nice level 20 of a computation on node 1 is not in -20 .. 19");
    REFUSED_FOR(simkit_computation_start(world, &(simkit_computation_desc){ .node = b, .seconds = NAN }, NULL),
                "at 0 s: CPU time of a computation on node 'b' is nan, but ");
    REFUSED_AS(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = a, .to = 17 }, NULL), SIMKIT_UNKNOWN_NODE,
               "at 0 s: a transfer names node 17, but the nodes are 1 .. 2");
    REFUSED_FOR(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = a, .to = b, .bytes = -1 }, NULL),
                "at 0 s: size of the transfer from node 1 to node 'b' is -1, but ");
    REFUSED_FOR(simkit_pair_set(world, b, a, &(netmodel_link){ -1, 0 }),
                "at 0 s: the link from node 'b' to node 1 needs ");
    assert_int_equal(simkit_mailbox_open(world, a, "", &box), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_close(world, box), SIMKIT_OK);
    REFUSED_AS(simkit_mailbox_close(world, box), SIMKIT_MAILBOX_CLOSED,
               "at 0 s: a call to close: mailbox 1 on node 1 is closed");
    REFUSED_AS(simkit_mailbox_take(world, 7, receive_me, NULL, NULL), SIMKIT_UNKNOWN_MAILBOX,
               "at 0 s: a receiver names mailbox 7, but there is only mailbox 1");
    simkit_operation operation;
    REFUSED_FOR(simkit_operation_add(world, &(simkit_operation_desc){ .name = "", .seconds = -1 }, &operation),
                "at 0 s: duration of operation 1 is -1, but ");
    assert_int_equal(simkit_node_fail(world, a), SIMKIT_OK);
    REFUSED_AS(simkit_node_fail(world, a), SIMKIT_NODE_FAILED, "at 0 s: node 1 has failed already");
    REFUSED_AS(simkit_computation_start(world, &(simkit_computation_desc){ .node = a }, NULL), SIMKIT_NODE_FAILED,
               "at 0 s: a computation names node 1, which has failed");
    /* The sentence stays after a call that succeeds. */
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_why("at 0 s: a computation names node 1, which has failed");
}

static void of_populations(void **state)
{
    static const char text[] = "[arrivals a]\nrate = 1 /s\ndemand = constant 1 s\n";
    const simkit_node node = add_node(NULL);
    simkit_population *population = NULL;
    (void)state;
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = sizeof text - 1 }, &population, NULL),
        SIMKIT_OK);
    REFUSED_FOR(simkit_population_start(world, population, 0, node), "a place >= 1");
    REFUSED_AS(simkit_population_start(world, population, 1, node + 1), SIMKIT_UNKNOWN_NODE, "");
    simkit_population_close(population);
}

static void of_readers(void **state)
{
    simkit_reader reader;
    simkit_machine *machine;
    simkit_parse_error error;
    simkit_table *table = NULL;
    simkit_workload *workload = NULL;
    simkit_population *population = NULL;
    static const char *const words[] = { "linux_2", "linux_2_2", "linux_today" };
    char text[8];
    size_t chosen;

    (void)state;
    simkit_reader_init(NULL, "a", 1, "f");
    simkit_reader_init(&reader, NULL, 3, NULL);
    assert_false(simkit_reader_line(&reader));
    assert_false(simkit_reader_line(NULL));
    assert_false(simkit_reader_error(NULL, NULL, "wrong"));
    assert_false(simkit_reader_error(&reader, NULL, NULL));
    simkit_reader_init(&reader, "abc /d linux_3 linux_today", 26, "f");
    assert_true(simkit_reader_line(&reader));
    assert_false(simkit_reader_error(&reader, reader.at, "this is wrong"));
    assert_string_equal(reader.error.text, "f:1:1: this is wrong");
    assert_false(simkit_reader_text(&reader, text, sizeof text));
    assert_string_equal(reader.error.text, "f:1:1: expected 1 to 7 characters");
    reader.at = reader.start + 7;
    assert_false(simkit_reader_choice(&reader, words, 3, &chosen));
    assert_string_equal(reader.error.text, "f:1:8: 'linux_3' is unknown, expected linux_2, linux_2_2 or linux_today");
    reader.at = reader.start + 15;
    assert_true(simkit_reader_choice(&reader, words, 3, &chosen));
    assert_int_equal(chosen, 2);
    assert_true(simkit_reader_end(&reader));
    assert_false(simkit_reader_choice(&reader, words, 2, &chosen));
    assert_string_equal(reader.error.text, "f:1:27: expected linux_2 or linux_2_2");

    REFUSED(simkit_machine_read(&(simkit_input){ .text = NULL, .length = 0 }, &machine, NULL));
    REFUSED(simkit_machine_read(&(simkit_input){ .text = "", .length = 0 }, NULL, NULL));
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = "x", .length = 1 }, &machine, NULL), SIMKIT_BAD_FILE);
    assert_nan(simkit_machine_value(NULL, "a", "b", "s"));
    REFUSED(simkit_table_read(&(simkit_input){ .text = NULL, .length = 0 }, &table, &error));
    REFUSED(simkit_table_read(&(simkit_input){ .text = "1", .length = 1 }, NULL, &error));
    assert_int_equal(simkit_table_read(&(simkit_input){ .text = "", .length = 0 }, &table, NULL), SIMKIT_BAD_FILE);
    REFUSED(simkit_workload_read(&(simkit_input){ .text = NULL, .length = 0 }, &workload, &error));
    REFUSED(simkit_workload_read(&(simkit_input){ .text = "1", .length = 1 }, NULL, &error));
    assert_int_equal(simkit_workload_read(&(simkit_input){ .text = "", .length = 0 }, &workload, NULL),
                     SIMKIT_BAD_FILE);
    REFUSED(simkit_population_read(&(simkit_input){ .text = NULL, .length = 0 }, &population, &error));
    REFUSED(simkit_population_read(&(simkit_input){ .text = "", .length = 0 }, NULL, &error));
    assert_int_equal(simkit_population_read(&(simkit_input){ .text = "x", .length = 1 }, &population, NULL),
                     SIMKIT_BAD_FILE);
    simkit_table_close(NULL);
    simkit_workload_close(NULL);
    simkit_population_close(NULL);
    assert_null(simkit_table_column(NULL, "a"));
#ifndef SIMKIT_NO_STDIO
    REFUSED(simkit_machine_read(&(simkit_input){ .path = NULL }, &machine, &error));
    REFUSED(simkit_machine_read(&(simkit_input){ .path = "none" }, NULL, &error));
    assert_int_equal(simkit_machine_read(&(simkit_input){ .path = "/no/such" }, &machine, NULL), SIMKIT_NO_FILE);
    REFUSED(simkit_table_read(&(simkit_input){ .path = "none" }, NULL, &error));
    REFUSED(simkit_table_read(&(simkit_input){ .path = NULL }, &table, &error));
    assert_int_equal(simkit_table_read(&(simkit_input){ .path = "/no/such" }, &table, NULL), SIMKIT_NO_FILE);
    REFUSED(simkit_workload_read(&(simkit_input){ .path = "none" }, NULL, &error));
    assert_int_equal(simkit_workload_read(&(simkit_input){ .path = "/no/such" }, &workload, NULL), SIMKIT_NO_FILE);
    REFUSED(simkit_population_read(&(simkit_input){ .path = "none" }, NULL, &error));
    assert_int_equal(simkit_population_read(&(simkit_input){ .path = "/no/such" }, &population, NULL), SIMKIT_NO_FILE);
#endif
}

/* A program's own calls fail like those of the kit. */
static void of_calls_that_a_program_has_made(void **state)
{
    const simkit_node_desc named = { .name = "server", .up_bandwidth = 5 };
    simkit_node node;

    (void)state;
    assert_int_equal(simkit_world_run_until(world, 1.5), SIMKIT_OK);
    assert_int_equal(
        simkit_world_fail(world, SIMKIT_BAD_CALL, "job %lu of %.3s wants %g cores", 7ul, "Anna Maria", 0.1),
        SIMKIT_BAD_CALL);
    assert_string_equal(simkit_world_why(world), "at 1.5 s: job 7 of Ann wants 0.1 cores");
    assert_int_equal(simkit_world_fail(world, SIMKIT_NO_FILE, "%0600d", 7), SIMKIT_NO_FILE); /* is cut */
    assert_int_equal(strlen(simkit_world_why(world)), 511);
    assert_int_equal(simkit_world_fail(world, SIMKIT_OK, NULL), SIMKIT_OK);
    assert_int_equal(simkit_node_add(world, &named, &node), SIMKIT_OK);
    const simkit_node_desc got = simkit_node_get(world, node);
    assert_string_equal(got.name, "server");
    assert_int_equal(got.cores, 1);
    assert_true(got.speed >= 1 && got.speed <= 1 && got.up_bandwidth >= 5 && got.up_bandwidth <= 5);
    assert_int_equal(simkit_node_get(world, node + 1).cores, 0);
    assert_int_equal(simkit_node_get(NULL, 1).cores, 0);
    assert_int_equal(simkit_node_check(world, node, "job", NULL), SIMKIT_OK);
    assert_int_equal(simkit_node_check(world, node, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_node_check(NULL, node, "job", NULL), SIMKIT_BAD_ARGUMENT);
    assert_false(simkit_node_failed(world, node));
    assert_false(simkit_node_failed(world, node + 1));
    assert_false(simkit_node_failed(NULL, node));
    REFUSED_AS(simkit_node_check(world, 0, "job", "7"), SIMKIT_UNKNOWN_NODE,
               "at 1.5 s: job '7' names node 0, but there is only node 1");
    assert_int_equal(simkit_node_fail(world, node), SIMKIT_OK);
    assert_true(simkit_node_failed(world, node));
    REFUSED_AS(simkit_node_check(world, node, "job", NULL), SIMKIT_NODE_FAILED,
               "at 1.5 s: a job names node 'server', which has failed");
}

static size_t formatted(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const size_t length = simkit_text_format(text, size, format, values);
    va_end(values);
    return length;
}
/* The same text as printf() writes. */
#define ALIKE(...)                                                                                                     \
    do {                                                                                                               \
        char ours[400], theirs[400];                                                                                   \
        const int length = snprintf(theirs, sizeof theirs, __VA_ARGS__);                                               \
        assert_int_equal(formatted(ours, sizeof ours, __VA_ARGS__), length);                                           \
        assert_string_equal(ours, theirs);                                                                             \
        memset(ours, 'x', sizeof ours);                                                                                \
        assert_int_equal(formatted(ours, (size_t)length / 2 + 1, __VA_ARGS__), length); /* cut to the half */          \
        theirs[length / 2] = 0;                                                                                        \
        assert_string_equal(ours, theirs);                                                                             \
    } while (0)

static void sentences_are_what_printf_writes(void **state)
{
    char text[40];

    (void)state;
    ALIKE("nothing");
    ALIKE("100 %% of %s and '%.*s', %c", "all", 3, "abcdef", 'z');
    ALIKE("%8s|%-8s|%.2s|%8.2s|%-8.2s", "abc", "def", "ghi", "jkl", "mno");
    ALIKE("%d %5d %-5d| %ld %*d", -7, -8, -9, -1234567890123l, 6, 42);
    ALIKE("%u %lu %x %lx %04x %08lx %5u", 7u, 1234567890123ul, 255u, 0xfeedfacel, 10u, 255ul, 3u);
    ALIKE("%zu %zx %5zu %04zx", (size_t)7, (size_t)255, (size_t)8, (size_t)10);
    ALIKE("%.9g %.3f %e %10.2f %-10.2f| %.0f %.17g", 0.1, 1e10 / 3, 1e-300, 2.5, 3.5, 0.5, 1e308);
    ALIKE("%s", "a text that is longer than most, so that what comes behind it has no room: it has to be cut here");
    assert_int_equal(formatted(text, sizeof text, "%g %g", 1.0 / 3, (double)NAN), 15);
    assert_string_equal(text, "0.333333333 nan"); /* nine digits, and no sign */
    assert_int_equal(formatted(text, sizeof text, "ends with %"), 11);
    assert_string_equal(text, "ends with %");
    assert_int_equal(formatted(NULL, 0, "%s", "length"), 6);
    assert_int_equal(formatted(text, sizeof text, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(without_a_world),
        WORLD_TEST(without_a_description),
        WORLD_TEST(of_processes),
#ifndef SIMKIT_NO_PROCESSES
        WORLD_TEST(a_process_goes_on_after_refusals),
#endif
        WORLD_TEST(of_events_from_elsewhere),
        WORLD_TEST(of_users),
        WORLD_TEST(of_load_averages),
#ifndef SIMKIT_NO_PROCESSES
        WORLD_TEST(of_what_nobody_named),
#endif
        WORLD_TEST(what_has_no_name_has_a_number),
        WORLD_TEST(of_populations),
        WORLD_TEST(of_readers),
        WORLD_TEST(of_calls_that_a_program_has_made),
        cmocka_unit_test(sentences_are_what_printf_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
