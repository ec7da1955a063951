/* The flow-graph runtime of examples/flowgraph: where processor time comes from, windows, execution threads, nodes that
 * come and go, and the record of a run; in closed form. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "../close.h"

#include "flowgraph.c"
#include "flowgraph_net.c"
#include "record.c"

/* A split on node 0 posts pieces, number i to the leaf on thread i mod count; a merge on node 0 sums them up. */
static struct {
    flowgraph *graph;
    flowgraph_type number;
    flowgraph_threads threads;
    flowgraph_kernel kernel;
    flowgraph_operation split, leaf, merge;
    flowgraph_edge out, back;
    int pieces, ran, sum, on_their_way, most_on_their_way, allocated;
    size_t bytes;
    double clock, takes; /* of the processor, as told to the runtime [s] */
    double seconds;
    void (*before)(flowgraph_task *task);
} t;

static double told_time(void *user)
{
    (void)user;
    return t.clock;
}

static void work(void *argument)
{
    (void)argument;
    ++t.ran;
    t.clock += t.takes;
}

static double model(double parameter, void *user)
{
    (void)user;
    return parameter;
}

static void split(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    if (t.before) t.before(task);
    for (int i = 0; i < t.pieces; ++i) {
        flowgraph_data *data = t.bytes ? flowgraph_data_new(task, t.bytes) : NULL;
        t.allocated += flowgraph_data_bytes(data) != NULL;
        assert_true(flowgraph_data_size(data) == t.bytes);
        if (flowgraph_post(task, t.out, &i, &data, data != NULL) == FLOWGRAPH_OK) ++t.on_their_way;
        if (t.on_their_way > t.most_on_their_way) t.most_on_their_way = t.on_their_way;
        flowgraph_data_drop(data);
    }
}

static void leaf(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_compute(task, t.kernel, 1, work, NULL);
    flowgraph_post(task, t.back, object, NULL, 0);
}

static void merge(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    for (t.sum = 0; object; object = flowgraph_next(task)) {
        t.sum += *(const int *)object;
        --t.on_their_way;
    }
    flowgraph_mark(task, 7);
}

static size_t by_number(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return (size_t) * (const int *)object % count;
}

static size_t last(const void *object, size_t from, size_t count, void *user)
{
    (void)object;
    (void)from;
    (void)user;
    return count - 1;
}

static void assert_ok(flowgraph_result result)
{
    if (result != FLOWGRAPH_OK) fail_msg("%s: %s", flowgraph_result_text(result), flowgraph_why(t.graph));
}

/* Leaves have execution threads of their own; `modelled`: the kernel has a model, a second for each. */
static void begin(const flowgraph_desc *how, bool modelled, size_t window,
                  size_t (*route)(const void *, size_t, size_t, void *))
{
    const flowgraph_threads_desc here = { .name = "here", .count = 1 };
    const flowgraph_threads_desc workers = { .name = "workers", .count = how->nodes };
    const flowgraph_kernel_desc kernel = { .name = "work", .model = modelled ? model : NULL };
    flowgraph_threads one = 0;

    assert_ok(flowgraph_open(how, &t.graph));
    assert_ok(flowgraph_type_add(t.graph, "number", sizeof(int), &t.number));
    assert_ok(flowgraph_threads_add(t.graph, &here, &one));
    assert_ok(flowgraph_threads_add(t.graph, &workers, &t.threads));
    assert_ok(flowgraph_kernel_add(t.graph, &kernel, &t.kernel));
    const flowgraph_operation_desc a = { "a", FLOWGRAPH_SPLIT, one, t.number, { t.number }, split, NULL, window };
    const flowgraph_operation_desc b = { "b", FLOWGRAPH_LEAF, t.threads, t.number, { t.number }, leaf, NULL, 0 };
    const flowgraph_operation_desc c = { "c", FLOWGRAPH_MERGE, one, t.number, { 0 }, merge, NULL, 0 };
    assert_ok(flowgraph_operation_add(t.graph, &a, &t.split));
    assert_ok(flowgraph_operation_add(t.graph, &b, &t.leaf));
    assert_ok(flowgraph_operation_add(t.graph, &c, &t.merge));
    assert_ok(flowgraph_edge_add(t.graph, &(flowgraph_edge_desc){ t.split, t.leaf, route, NULL, false }, &t.out));
    assert_ok(flowgraph_edge_add(t.graph, &(flowgraph_edge_desc){ t.leaf, t.merge, NULL, NULL, false }, &t.back));
}

static void run(void)
{
    const int number = 0;
    assert_ok(flowgraph_start(t.graph, t.split, 0, &number));
    assert_ok(flowgraph_run(t.graph, &t.seconds));
    assert_int_equal(t.sum, t.pieces * (t.pieces - 1) / 2);
    assert_int_equal(t.on_their_way, 0);
}

static void reset(int pieces)
{
    memset(&t, 0, sizeof t);
    t.pieces = pieces;
}

/*=============================================================================
 * MARK: - >>policies
 *===========================================================================*/
static void a_modelled_kernel_is_never_run(void **state)
{
    (void)state;
    reset(10);
    t.bytes = 1000000;
    begin(&(flowgraph_desc){ .nodes = 2 }, true, 0, by_number);
    run();
    assert_int_equal(t.ran, 0);
    assert_int_equal(t.allocated, 0); /* nothing reads it */
    assert_close(t.seconds, 5, 1e-12);
    assert_close(flowgraph_marked(t.graph, 7), 5, 1e-12);
    assert_nan(flowgraph_marked(t.graph, 8));
    flowgraph_close(t.graph);
}

static void an_executed_kernel_takes_what_the_clock_says(void **state)
{
    const flowgraph_policy execute = { "work", SIMKIT_POLICY_EXECUTE, 0, 0 };

    (void)state;
    reset(10);
    t.bytes = 100;
    t.takes = 0.25;
    begin(&(flowgraph_desc){ .nodes = 2, .policies = &execute, .policy_count = 1, .processor_time = told_time }, true,
          0, by_number);
    run();
    assert_int_equal(t.ran, 10);
    assert_int_equal(t.allocated, 10);
    assert_close(t.seconds, 1.25, 1e-12);
    flowgraph_close(t.graph);
}

static void a_measured_kernel_is_run_a_few_times(void **state)
{
    const flowgraph_policy policies[2] = { { NULL, SIMKIT_POLICY_MODEL, 0, 9 },
                                           { "work", SIMKIT_POLICY_MEASURE, 3, 0 } };

    (void)state;
    reset(10);
    t.takes = 0.5;
    begin(&(flowgraph_desc){ .nodes = 1, .policies = policies, .policy_count = 2, .processor_time = told_time }, false,
          0, by_number);
    run();
    assert_int_equal(t.ran, 3);
    assert_close(t.seconds, 5, 1e-12);
    flowgraph_close(t.graph);
}

static void a_policy_can_say_how_long(void **state)
{
    const flowgraph_policy policy = { NULL, SIMKIT_POLICY_MODEL, 0, 0.125 };

    (void)state;
    reset(8);
    begin(&(flowgraph_desc){ .nodes = 1, .policies = &policy, .policy_count = 1 }, true, 0, by_number);
    run();
    assert_close(t.seconds, 1, 1e-12);
    flowgraph_close(t.graph);
}

static void a_kernel_without_any_time_is_refused(void **state)
{
    const flowgraph_policy policy = { NULL, SIMKIT_POLICY_MODEL, 0, 0 };
    const flowgraph_kernel_desc kernel = { .name = "work" };
    flowgraph_kernel number = 9;

    (void)state;
    reset(1);
    assert_ok(flowgraph_open(&(flowgraph_desc){ .policies = &policy, .policy_count = 1 }, &t.graph));
    assert_int_equal(flowgraph_kernel_add(t.graph, &kernel, &number), FLOWGRAPH_BAD_ARGUMENT);
    assert_int_equal(number, 0);
    assert_non_null(
        strstr(flowgraph_why(t.graph), "kernel 'work' has the policy model, but neither a model nor a duration"));
    flowgraph_close(t.graph);
}

/* Directly executed, all that an operation does between two calls of the runtime counts, not only kernels. */
static void all_of_an_operation_is_charged(flowgraph_task *task)
{
    (void)task;
    t.clock += 2;
}

static void direct_execution_charges_whole_operations(void **state)
{
    (void)state;
    reset(6);
    t.takes = 0.5;
    t.before = all_of_an_operation_is_charged;
    begin(&(flowgraph_desc){ .mode = FLOWGRAPH_DIRECT, .nodes = 1, .processor_time = told_time }, true, 0, by_number);
    run();
    assert_int_equal(t.ran, 6);
    assert_close(t.seconds, 2 + 6 * 0.5, 1e-12); /* the split, then leaves; the model is not asked */
    flowgraph_close(t.graph);
}

/* Paced, a kernel takes what its model says where that is more. */
static void direct_execution_can_be_of_a_slower_processor(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        reset(6);
        t.takes = i ? 4 : 0.25; /* the model: 1 */
        begin(&(flowgraph_desc){ .mode = FLOWGRAPH_DIRECT, .paced = true, .nodes = 1, .processor_time = told_time },
              true, 0, by_number);
        run();
        assert_int_equal(t.ran, 6);
        assert_close(t.seconds, i ? 24 : 6, 1e-12);
        flowgraph_close(t.graph);
    }
}

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/
/* The time of some pieces on `nodes` nodes, the last of which computes each for a second; a machine of operations. */
static double with_costs(int pieces, const char *operations, size_t nodes, size_t bytes)
{
    char text[400];
    simkit_machine *machine = NULL;
    simkit_input input = { .text = text, .name = "m" };

    snprintf(text, sizeof text, "[node]\ncores = 8\n%s", operations);
    input.length = strlen(text);
    assert_int_equal(simkit_machine_read(&input, &machine, NULL), SIMKIT_OK);
    reset(pieces);
    t.bytes = bytes;
    begin(&(flowgraph_desc){ .nodes = nodes, .machine = machine }, true, 0, last);
    run();
    flowgraph_close(t.graph);
    simkit_machine_close(machine);
    return t.seconds;
}

/* Two clusters of two nodes: a message takes 1 s in a cluster, and 5 s between them. The last node computes for 1 s. */
static const char clusters[] = "[network]\nlatency = 1 s\n[node a]\ncount = 2\n[node b]\ncount = 2\n"
                               "[link thin]\nlatency = 4 s\n[route a b]\nlinks = thin\n";

static void nodes_are_in_their_places(void **state)
{
    static const uint32_t near[] = { 1, 0 }, far[] = { 3, 1 }, twice[] = { 2, 2 }, beyond[] = { 0, 4 };
    const uint32_t *const places[] = { NULL, near, far };
    const double seconds[] = { 3, 3, 11 };
    simkit_machine *machine = NULL;
    const simkit_input input = { .text = clusters, .length = sizeof clusters - 1, .name = "m" };
    flowgraph *graph;
    (void)state;
    assert_int_equal(simkit_machine_read(&input, &machine, NULL), SIMKIT_OK);
    for (size_t i = 0; i < 3; ++i) {
        reset(1);
        begin(&(flowgraph_desc){ .nodes = 2, .machine = machine, .places = places[i] }, true, 0, last);
        run();
        flowgraph_close(t.graph);
        assert_close(t.seconds, seconds[i], 1e-12);
    }
    flowgraph_desc how = { .nodes = 2, .machine = machine, .places = twice };
    assert_int_equal(flowgraph_open(&how, &graph), FLOWGRAPH_BAD_ARGUMENT);
    assert_non_null(strstr(flowgraph_why(graph), "nodes 0 and 1 are both in place 2 of the machine: b0"));
    flowgraph_close(graph);
    how.places = beyond;
    assert_int_equal(flowgraph_open(&how, &graph), FLOWGRAPH_BAD_ARGUMENT);
    assert_non_null(strstr(flowgraph_why(graph), "node 1 is in place 4, but the last node of the machine is 3"));
    flowgraph_close(graph);
    simkit_machine_close(machine);
}

static void objects_that_stay_take_the_time_of_a_post(void **state)
{
    (void)state;
    assert_equal(with_costs(1, "", 1, 0), 1);
    assert_equal(with_costs(1, "[operation post]\nseconds = 0.25 s\n", 1, 0), 1.5);
    assert_equal(with_costs(1, "[operation post]\nseconds = 0.25 s\n", 2, 0), 1.5); /* also those that go */
}

static void messages_take_time_at_both_ends(void **state)
{
    (void)state;
    assert_equal(with_costs(1, "", 2, 0), 1);
    assert_equal(with_costs(1, "[operation receive]\nseconds = 0.25 s\n", 2, 0), 1.5); /* there and back */
    assert_equal(with_costs(1, "[operation receive]\nseconds = 0.25 s\n", 1, 0), 1);
    assert_equal(with_costs(1, "[operation send]\nseconds = 0.25 s\n", 1, 0), 1);
}

static void large_messages_may_take_another_time(void **state)
{
    static const char costs[] = "[operation receive]\nseconds = 0.25 s\nlarge = 1000 B\nlarge_seconds = 2 s\n"
                                "large_rate = 500 B/s\n";
    (void)state;
    assert_equal(with_costs(1, costs, 2, 500), 1.5);
    const double large = with_costs(1, costs, 2, 1000); /* with a header of less than 100 B */
    assert_true(large > 1 + 0.25 + 2 + 2 && large < 1 + 0.25 + 2 + 2.2);
}

/* Two arrive at once, and are received one after the other; the answer to the second follows that to the first. */
static void a_message_soon_after_another_takes_less(void **state)
{
    static const char costs[] = "[operation receive]\nseconds = 1 s\n[operation messages]\nspacing = 1 s\n";
    char all[200];
    (void)state;
    assert_equal(with_costs(2, costs, 2, 0), 1 + 2 + 1);
    snprintf(all, sizeof all, "%srepeated = 50 %%\n", costs);
    assert_equal(with_costs(2, all, 2, 0), 1 + 2 + 0.5);
    assert_equal(with_costs(1, all, 2, 0), 1 + 1 + 1);
}

/*=============================================================================
 * MARK: - >>flow control
 *===========================================================================*/
static flowgraph_desc on_links(simkit_machine *machine, size_t nodes, double latency, double bandwidth)
{
    static simkit_machine_kind kind;
    kind.node.up_bandwidth = kind.node.down_bandwidth = bandwidth;
    memset(machine, 0, sizeof *machine);
    machine->latency = latency;
    machine->kinds = &kind;
    machine->kind_count = 1;
    return (flowgraph_desc){ .nodes = nodes, .machine = machine, .record = true };
}

/* At most `window` pieces between split and merge; with one of them, each goes there and back alone. */
static void a_window_bounds_what_is_on_its_way(void **state)
{
    simkit_machine machine;
    const flowgraph_desc how = on_links(&machine, 2, 0.25, 1000);

    (void)state;
    for (int window = 0; window <= 7; ++window) {
        reset(20);
        begin(&how, true, (size_t)window, last);
        run();
        assert_int_equal(t.most_on_their_way, window ? window : 20);
        if (window == 1) {
            const double there = 0.25 + 1e-3 * (double)flowgraph_envelope(t.graph, t.leaf);
            const double back = 0.25 + 1e-3 * (double)flowgraph_envelope(t.graph, t.merge);
            assert_close(t.seconds, 20 * (there + 1 + back), 1e-12);
        }
        flowgraph_close(t.graph);
    }
}

/* Two collections on one node with two cores: with one execution thread they run one after another. */
static void threads_may_share_an_execution_thread(void **state)
{
    const simkit_node_desc node = { .cores = 2 };

    (void)state;
    for (uint32_t execution = 0; execution < 2; ++execution) {
        simkit_world *world;
        simkit_node number;
        flowgraph_threads threads = 0;
        const flowgraph_threads_desc workers = { .name = "workers", .count = 2, .execution = execution };
        flowgraph_operation_desc b = { "b", FLOWGRAPH_LEAF, 0, 0, { 0 }, leaf, NULL, 0 };
        reset(2);
        assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
        assert_int_equal(simkit_node_add(world, &node, &number), SIMKIT_OK);
        begin(&(flowgraph_desc){ .world = world, .world_nodes = &number, .nodes = 1 }, true, 0, by_number);
        assert_ok(flowgraph_threads_add(t.graph, &workers, &threads));
        b.threads = threads, b.takes = b.gives[0] = t.number;
        t.graph->operations[t.leaf - 1].desc.threads = threads; /* in the place of the other */
        run();
        assert_close(t.seconds, execution ? 2 : 1, 1e-12);
        flowgraph_close(t.graph);
        simkit_world_close(world);
    }
}

/*=============================================================================
 * MARK: - >>nodes
 *===========================================================================*/
enum { KEPT = 1000 };

/* The thread keeps numbers; the leaf that runs there adds what they were. */
static void keep(flowgraph_task *task, const void *object, void *user)
{
    flowgraph_data *kept = flowgraph_stored(task, 5);
    int sum = *(const int *)object;

    (void)user;
    if (!kept) {
        kept = flowgraph_data_new(task, KEPT * sizeof(int));
        for (int i = 0; i < KEPT; ++i) ((int *)flowgraph_data_bytes(kept))[i] = i;
        flowgraph_store(task, 5, kept);
        flowgraph_data_drop(kept);
        ++t.ran;
    }
    for (int i = 0; i < KEPT; ++i) sum += ((const int *)flowgraph_data_bytes(kept))[i] - i;
    flowgraph_charge(task, 1);
    flowgraph_post(task, t.back, &sum, NULL, 0);
}

static size_t moved_to, joined;
static bool leaves;

/* First a piece to the last thread, then it moves, then the others. */
static void split_and_move(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    for (int i = 0; i < t.pieces; ++i) {
        if (i == 1 && joined) assert_int_equal(flowgraph_join(task, joined), FLOWGRAPH_OK);
        if (i == 1 && leaves) assert_int_equal(flowgraph_leave(task, 1), FLOWGRAPH_OK);
        if (i == 1 && moved_to) assert_int_equal(flowgraph_move(task, t.threads, 1, moved_to), FLOWGRAPH_OK);
        flowgraph_post(task, t.out, &i, NULL, 0);
        ++t.on_their_way;
    }
}

static void begin_moving(const flowgraph_desc *how)
{
    begin(how, false, 0, last);
    t.graph->operations[t.split - 1].desc.run = split_and_move;
    t.graph->operations[t.leaf - 1].desc.run = keep;
}

/* What thread 1 keeps goes over the network with it, once; what was sent to where it was follows. */
static void a_thread_moves_with_what_it_keeps(void **state)
{
    simkit_machine machine;
    flowgraph_desc how = on_links(&machine, 3, 0, 0);
    double fast;

    (void)state;
    joined = 0, leaves = false;
    for (moved_to = 0; moved_to <= 2; moved_to += 2) {
        reset(4);
        begin_moving(&how);
        t.graph->collections[t.threads - 1].count = 2; /* the last is thread 1, on node 1 */
        run();
        assert_int_equal(t.ran, 1); /* it was made once */
        assert_close(t.seconds, 4, 1e-12);
        if (moved_to) assert_int_equal(t.graph->instances[2].where[t.threads - 1][1], 2);
        flowgraph_close(t.graph);
    }
    fast = t.seconds;
    how = on_links(&machine, 3, 0, 1e3);
    reset(4);
    moved_to = 2;
    begin_moving(&how);
    t.graph->collections[t.threads - 1].count = 2;
    run();
    assert_true(t.seconds > fast + 1e-3 * KEPT * sizeof(int)); /* it is paid for */
    assert_true(t.seconds < fast + 1e-3 * (KEPT * sizeof(int) + 2000));
    flowgraph_close(t.graph);
}

static void a_node_that_leaves_gives_up_its_threads(void **state)
{
    simkit_machine machine;
    const flowgraph_desc how = on_links(&machine, 3, 0, 0);

    (void)state;
    reset(4);
    joined = moved_to = 0, leaves = true;
    begin_moving(&how);
    t.graph->collections[t.threads - 1].count = 2;
    run();
    assert_int_equal(t.ran, 1);
    assert_close(t.seconds, 4, 1e-12);
    /* Free when its first leaf has ended; the other two to the end. */
    assert_close(record_node_seconds(t.graph, 0, t.seconds), 2 * 4 + 1, 1e-12);
    assert_close(record_efficiency(t.graph, 0, t.seconds), 4.0 / 9, 1e-12);
    assert_close(record_efficiency(t.graph, 0, 1), 1.0 / 3, 1e-12);
    assert_close(record_efficiency(t.graph, 1, 4), 0.5, 1e-12);
    flowgraph_close(t.graph);
}

static void a_node_that_joins_takes_threads(void **state)
{
    simkit_machine machine;
    flowgraph_desc how = on_links(&machine, 3, 0, 0);

    (void)state;
    reset(4);
    how.at_first = 2;
    joined = moved_to = 2, leaves = false;
    simkit_machine_operation join = { "join", "seconds", "s", 10 };
    machine.operations = &join;
    machine.operation_count = 1;
    begin_moving(&how);
    t.graph->collections[t.threads - 1].count = 2;
    assert_int_equal(flowgraph_nodes(t.graph), 2);
    run();
    assert_int_equal(t.ran, 1);
    assert_close(t.seconds, 10 + 3, 1e-12); /* the first leaf was done while it came */
    assert_close(record_node_seconds(t.graph, 0, t.seconds), 2 * 13 + 3, 1e-12);
    flowgraph_close(t.graph);
}

/* Half of the nodes at once, the last first: threads that were sent to one of the next go on from there. */
static void gives_back_half(flowgraph_task *task)
{
    for (size_t node = 8; node-- > 4;) assert_int_equal(flowgraph_leave(task, node), FLOWGRAPH_OK);
}

static void nodes_that_leave_together_are_all_free(void **state)
{
    simkit_machine machine;
    const flowgraph_desc how = on_links(&machine, 8, 0.125, 0);
    const flowgraph_threads_desc many = { .name = "many", .count = 40 };
    flowgraph_threads threads = 0;

    (void)state;
    reset(80);
    t.before = gives_back_half;
    begin(&how, true, 0, by_number);
    assert_ok(flowgraph_threads_add(t.graph, &many, &threads));
    t.graph->operations[t.leaf - 1].desc.threads = threads;
    run();
    for (int i = 0; i < 8; ++i) {
        assert_true(t.graph->instances[i].active == (i < 4));
        assert_int_equal(t.graph->instances[i].hosted == 0, i >= 4);
    }
    for (uint32_t i = 0; i < 40; ++i) assert_true(t.graph->collections[threads - 1].threads[i].node < 4);
    assert_true(record_node_seconds(t.graph, 0, t.seconds) < 4 * t.seconds + 4 * 8);
    flowgraph_close(t.graph);
}

/*=============================================================================
 * MARK: - >>records
 *===========================================================================*/
/* Pieces of the path follow each other without gaps, and on a chain they are the chain. */
static void the_critical_path_covers_every_instant(void **state)
{
    simkit_machine machine;
    const flowgraph_desc how = on_links(&machine, 2, 0.25, 1000);
    record_piece *pieces;
    size_t count;
    double at = 0, computing = 0, moving = 0;

    (void)state;
    reset(1);
    begin(&how, true, 0, last);
    run();
    assert_true(record_critical_path(t.graph, &pieces, &count));
    assert_true(count >= 3);
    for (size_t i = 0; i < count; ++i) {
        assert_close(pieces[i].begin, at, 1e-12);
        assert_true(pieces[i].end > pieces[i].begin);
        at = pieces[i].end;
        if (pieces[i].kind == RECORD_OPERATION) computing += pieces[i].end - pieces[i].begin;
        if (pieces[i].kind == RECORD_MESSAGE) moving += pieces[i].end - pieces[i].begin;
    }
    assert_close(at, t.seconds, 1e-12);
    assert_close(computing, 1, 1e-9);
    assert_close(moving, t.seconds - 1, 1e-9);
    free(pieces);
    flowgraph_close(t.graph);
}

/* Many leaves on one thread: all of the path is computing there, but for the ways to it and back. */
static void the_critical_path_goes_through_the_busiest_thread(void **state)
{
    simkit_machine machine;
    const flowgraph_desc how = on_links(&machine, 3, 0.25, 0);
    record_piece *pieces;
    size_t count;
    double computing = 0, waiting = 0;

    (void)state;
    reset(20);
    begin(&how, true, 0, last);
    run();
    assert_true(record_critical_path(t.graph, &pieces, &count));
    for (size_t i = 0; i < count; ++i) {
        if (pieces[i].kind == RECORD_OPERATION) computing += pieces[i].end - pieces[i].begin;
        if (pieces[i].kind == RECORD_WAIT) waiting += pieces[i].end - pieces[i].begin;
    }
    assert_close(computing, 20, 1e-9);
    assert_true(waiting < 1e-9);
    assert_close(t.seconds, 20.5, 1e-9);
    free(pieces);
    flowgraph_close(t.graph);
}

static void without_a_record_nothing_is_told(void **state)
{
    record_piece *pieces;
    size_t count;
    char why[200];

    (void)state;
    reset(2);
    begin(&(flowgraph_desc){ .nodes = 1 }, true, 0, by_number);
    run();
    assert_false(record_critical_path(t.graph, &pieces, &count));
    assert_nan(record_efficiency(t.graph, 0, 1));
    assert_nan(record_node_seconds(t.graph, 0, 1));
    assert_nan(record_efficiency(NULL, 0, 1));
    assert_int_equal(record_draw(&(record_run){ t.graph, NULL }, 1, "x", "build/no/such/folder.svg", NULL, why),
                     FLOWGRAPH_WORLD);
    assert_non_null(strstr(why, "build/no/such/folder.svg"));
    flowgraph_close(t.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_modelled_kernel_is_never_run),
        cmocka_unit_test(an_executed_kernel_takes_what_the_clock_says),
        cmocka_unit_test(a_measured_kernel_is_run_a_few_times),
        cmocka_unit_test(a_policy_can_say_how_long),
        cmocka_unit_test(a_kernel_without_any_time_is_refused),
        cmocka_unit_test(direct_execution_charges_whole_operations),
        cmocka_unit_test(direct_execution_can_be_of_a_slower_processor),
        cmocka_unit_test(nodes_are_in_their_places),
        cmocka_unit_test(objects_that_stay_take_the_time_of_a_post),
        cmocka_unit_test(messages_take_time_at_both_ends),
        cmocka_unit_test(large_messages_may_take_another_time),
        cmocka_unit_test(a_message_soon_after_another_takes_less),
        cmocka_unit_test(a_window_bounds_what_is_on_its_way),
        cmocka_unit_test(threads_may_share_an_execution_thread),
        cmocka_unit_test(a_thread_moves_with_what_it_keeps),
        cmocka_unit_test(a_node_that_leaves_gives_up_its_threads),
        cmocka_unit_test(a_node_that_joins_takes_threads),
        cmocka_unit_test(nodes_that_leave_together_are_all_free),
        cmocka_unit_test(the_critical_path_covers_every_instant),
        cmocka_unit_test(the_critical_path_goes_through_the_busiest_thread),
        cmocka_unit_test(without_a_record_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
