/* The flow-graph runtime of examples/flowgraph: what it refuses, what ends a run, and how it says so. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "flowgraph.c"
#include "flowgraph_net.c"

#include "graph.h"

/* An inconsistent graph is refused before anything runs, and the error names the edge. */
static void graphs_that_do_not_fit_are_refused(void **state)
{
    flowgraph_operation a, b = 0, c;
    flowgraph_edge edge = 99;
    flowgraph_type text = 0;

    (void)state;
    open_cluster(1);
    assert_int_equal(flowgraph_type_add(f.graph, "text", 8, &text), FLOWGRAPH_OK);
    a = add("a", FLOWGRAPH_SPLIT, nothing, NULL);
    {
        const flowgraph_operation_desc desc = { "b", FLOWGRAPH_LEAF, f.threads, text, { f.number }, nothing, NULL, 0 };
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &b), FLOWGRAPH_OK);
    }
    assert_int_equal(flowgraph_edge_add(f.graph, &(flowgraph_edge_desc){ a, b, NULL, NULL, false }, &edge),
                     FLOWGRAPH_BAD_GRAPH);
    assert_int_equal(edge, 0);
    assert_why("edge 'a' -> 'b': 'b' takes 'text', which 'a' does not give");
    c = add("c", FLOWGRAPH_LEAF, nothing, NULL);
    assert_int_equal(flowgraph_edge_add(f.graph, &(flowgraph_edge_desc){ c, a, NULL, NULL, false }, &edge),
                     FLOWGRAPH_BAD_GRAPH);
    assert_why("edge 'c' -> 'a' goes back");
    assert_int_equal(flowgraph_edge_add(f.graph, &(flowgraph_edge_desc){ c, 9, NULL, NULL, false }, &edge),
                     FLOWGRAPH_BAD_ARGUMENT);
    assert_why("edge from operation 3 to operation 9, expected 1 to 3");
    join(a, c, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_BAD_GRAPH);
    assert_why("leaf 'c' is an end inside a split: a merge is missing");
    close_cluster();

    open_cluster(1);
    a = add("a", FLOWGRAPH_LEAF, nothing, NULL);
    b = add("b", FLOWGRAPH_MERGE, nothing, NULL);
    join(a, b, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_BAD_GRAPH);
    assert_why("merge 'b' has no split before it");
    assert_int_equal(start(b, 0), FLOWGRAPH_BAD_GRAPH);
    close_cluster();

    open_cluster(1);
    reset();
    o.pieces = 1;
    a = split_leaf_merge(split, leaf, end, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(start(a + 1, 0), FLOWGRAPH_BAD_GRAPH);
    assert_why("'b' cannot be started: it is inside a split");
    close_cluster();

    open_cluster(1);
    a = add("a", FLOWGRAPH_SPLIT, nothing, NULL);
    b = add("b", FLOWGRAPH_SPLIT, nothing, NULL);
    c = add("c", FLOWGRAPH_MERGE, nothing, NULL);
    join(a, b, NULL);
    join(a, c, NULL);
    join(b, c, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_BAD_GRAPH);
    assert_why("edge 'b' -> 'c' is inside 2 splits, another edge to the same operation inside 1");
    close_cluster();

    open_cluster(1);
    a = add("a", FLOWGRAPH_SPLIT, nothing, NULL);
    b = add("b", FLOWGRAPH_LEAF, nothing, NULL);
    join_outer(a, b);
    assert_int_equal(start(a, 0), FLOWGRAPH_BAD_GRAPH);
    assert_why("edge 'a' -> 'b' is an outer edge, but 'a' is not inside a split");
    close_cluster();

    open_cluster(1);
    a = add("a", FLOWGRAPH_SPLIT, nothing, NULL);
    b = add("b", FLOWGRAPH_SPLIT, nothing, NULL);
    c = add("c", FLOWGRAPH_MERGE, nothing, NULL);
    join(a, b, NULL);
    join_outer(b, c);
    assert_int_equal(start(a, 0), FLOWGRAPH_BAD_GRAPH);
    assert_why("split 'b' has only outer edges");
    close_cluster();

    open_cluster(1);
    a = add("a", FLOWGRAPH_SPLIT, nothing, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_BAD_GRAPH);
    assert_why("split 'a' is an end inside a split");
    close_cluster();
}

static int given_back[2], given_back_count;

static void give_back(void *user)
{
    given_back[given_back_count++] = *(const int *)user;
}

static void what_a_graph_was_given_goes_with_it_the_last_first(void **state)
{
    static int one = 1, two = 2;

    (void)state;
    given_back_count = 0;
    open_cluster(1);
    assert_int_equal(flowgraph_at_close(NULL, give_back, &one), FLOWGRAPH_BAD_ARGUMENT);
    assert_int_equal(flowgraph_at_close(f.graph, NULL, &one), FLOWGRAPH_BAD_ARGUMENT);
    assert_int_equal(flowgraph_at_close(f.graph, give_back, &one), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_at_close(f.graph, give_back, &two), FLOWGRAPH_OK);
    assert_int_equal(given_back_count, 0);
    close_cluster();
    assert_int_equal(given_back_count, 2);
    assert_int_equal(given_back[0], 2);
    assert_int_equal(given_back[1], 1);
}

static void bad_parts_are_refused(void **state)
{
    flowgraph_type type = 9;
    flowgraph_threads threads = 9;
    flowgraph_operation operation = 9;
    flowgraph_edge edge = 9;
    const uint32_t nowhere = 77;
    flowgraph_threads_desc bad = { .name = "t", .count = 1, .nodes = &nowhere };
    const int number = 0;

    (void)state;
    assert_int_equal(flowgraph_open(NULL, NULL), FLOWGRAPH_BAD_ARGUMENT);
    flowgraph_close(NULL);
    assert_int_equal(flowgraph_open(&(flowgraph_desc){ .nodes = 2, .at_first = 3 }, &f.graph), FLOWGRAPH_BAD_ARGUMENT);
    assert_why("2 nodes, 3 of them at first");
    flowgraph_close(f.graph);
    assert_int_equal(flowgraph_open(&(flowgraph_desc){ .mode = (flowgraph_mode)7 }, &f.graph), FLOWGRAPH_BAD_ARGUMENT);
    flowgraph_close(f.graph);
    assert_int_equal(flowgraph_open(&(flowgraph_desc){ .patience = 0.5 }, &f.graph), FLOWGRAPH_BAD_ARGUMENT);
    assert_why("patience is 0.5 s, expected 1 to 1e6 s");
    flowgraph_close(f.graph);
    assert_int_equal(flowgraph_open(&(flowgraph_desc){ .patience = (double)NAN }, &f.graph), FLOWGRAPH_BAD_ARGUMENT);
    flowgraph_close(f.graph);
    assert_int_equal(flowgraph_run(NULL, NULL), FLOWGRAPH_BAD_ARGUMENT);
    open_cluster(2);
    assert_string_equal(flowgraph_why(f.graph), "");
    assert_int_equal(flowgraph_type_add(f.graph, "", 4, &type), FLOWGRAPH_BAD_ARGUMENT);
    assert_int_equal(type, 0);
    assert_why("a type needs a name");
    assert_int_equal(flowgraph_type_add(f.graph, "a name of more than thirty-one bytes", 4, &type),
                     FLOWGRAPH_BAD_ARGUMENT);
    assert_int_equal(flowgraph_type_add(f.graph, "huge", (size_t)-1, &type), FLOWGRAPH_BAD_ARGUMENT);
    assert_int_equal(flowgraph_threads_add(f.graph, &bad, &threads), FLOWGRAPH_BAD_ARGUMENT);
    assert_why("thread 0 of 't' is on node 77, expected 0 to 1: those at first");
    bad.count = 0;
    assert_int_equal(flowgraph_threads_add(f.graph, &bad, &threads), FLOWGRAPH_BAD_ARGUMENT);
    assert_int_equal(threads, 0);
    {
        flowgraph_operation_desc desc = { "x", FLOWGRAPH_LEAF, f.threads, f.number, { f.number }, NULL, NULL, 0 };
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &operation), FLOWGRAPH_BAD_ARGUMENT);
        assert_why("operation 'x' needs a kind and a function");
        desc.run = nothing;
        desc.threads = 5;
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &operation), FLOWGRAPH_BAD_ARGUMENT);
        assert_why("operation 'x' runs in threads 5");
        desc.threads = f.threads;
        desc.threads = f.threads;
        desc.window = 3;
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &operation), FLOWGRAPH_BAD_ARGUMENT);
        assert_why("operation 'x' has a window, but opens no frame");
        desc.window = 0;
        desc.takes = 0;
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &operation), FLOWGRAPH_BAD_ARGUMENT);
        assert_why("operation 'x' takes type 0");
        desc.takes = f.number;
        desc.gives[1] = 44;
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &operation), FLOWGRAPH_BAD_ARGUMENT);
        assert_why("operation 'x' gives type 44");
        assert_int_equal(operation, 0);
    }
    operation = add("x", FLOWGRAPH_LEAF, nothing, NULL);
    assert_int_equal(flowgraph_start(f.graph, 5, 0, &number), FLOWGRAPH_BAD_ARGUMENT);
    assert_why("operation 5 cannot be started, expected 1 to 1");
    assert_int_equal(flowgraph_start(f.graph, operation, 2, &number), FLOWGRAPH_BAD_ARGUMENT);
    assert_why("thread 2 of 'workers', which has 2");
    assert_int_equal(flowgraph_start(f.graph, operation, 0, NULL), FLOWGRAPH_BAD_ARGUMENT);
    assert_why("a 'number' without content");
    assert_int_equal(start(operation, 0), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_type_add(f.graph, "late", 4, &type), FLOWGRAPH_BAD_CALL);
    assert_why("cannot be added after flowgraph_start()");
    assert_int_equal(flowgraph_edge_add(f.graph, &(flowgraph_edge_desc){ 1, 1, NULL, NULL, false }, &edge),
                     FLOWGRAPH_BAD_CALL);
    assert_int_equal(run(), FLOWGRAPH_OK);
    close_cluster();
    for (int i = -1; i <= FLOWGRAPH_WORLD + 1; ++i) assert_non_null(flowgraph_result_text((flowgraph_result)i));
}

/* Operations that break their promise: the run ends with a code, and with a sentence that names who, where and when. */
static void posts_nothing(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    flowgraph_charge(task, 2);
}

static void posts_twice(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_post(task, o.leaf, object, NULL, 0);
    assert_int_equal(flowgraph_post(task, o.leaf, object, NULL, 0), FLOWGRAPH_BAD_COUNT);
    assert_int_equal(flowgraph_post(task, o.leaf, object, NULL, 0), FLOWGRAPH_BAD_CALL);
    assert_int_equal(flowgraph_charge(task, 1), FLOWGRAPH_BAD_CALL);
    assert_null(flowgraph_next(task));
}

static void returns_early(flowgraph_task *task, const void *object, void *user)
{
    (void)task;
    (void)object;
    (void)user;
}

static void posts_elsewhere(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_post(task, o.split, object, NULL, 0);
}

static void posts_missing_data(flowgraph_task *task, const void *object, void *user)
{
    flowgraph_data *none = NULL;
    (void)user;
    flowgraph_post(task, o.leaf, object, &none, 1);
}

static void posts_much_data(flowgraph_task *task, const void *object, void *user)
{
    flowgraph_data *none = NULL;
    (void)user;
    flowgraph_post(task, o.leaf, object, &none, 256);
}

static void computes_nothing(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_compute(task, 3, 0, NULL, NULL);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void moves_to_nowhere(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_move(task, f.threads, 1, 8);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void gives_back_node_0(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_leave(task, 0);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void takes_a_node_twice(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_join(task, 1);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void resizes_beyond(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_resize(task, f.threads, 3);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void posts_no_content(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    flowgraph_post(task, o.leaf, NULL, NULL, 0);
}

static void charges_nan(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_charge(task, NAN);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void charges_too_much(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_charge(task, -1);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void stops_the_world(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    simkit_world_stop(f.world);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static size_t nowhere(const void *object, size_t from, size_t count, void *user)
{
    (void)object;
    (void)from;
    (void)user;
    return count + 3;
}

static void broken_promises_end_the_run(void **state)
{
    const struct {
        run_operation *a, *b, *c;
        flowgraph_result result;
        const char *why;
    } cases[] = {
        { split, posts_nothing, end, FLOWGRAPH_BAD_COUNT, "at 3 s: leaf 'b' on workers 0 ended without a result" },
        { split, posts_twice, end, FLOWGRAPH_BAD_COUNT,
          "edge 'b' -> 'c': leaf 'b' on workers 0 posts a second result" },
        { posts_nothing, leaf, end, FLOWGRAPH_BAD_COUNT, "at 2 s: split 'a' on workers 0 ended without a result" },
        { split, leaf, returns_early, FLOWGRAPH_BAD_COUNT, "merge 'c' on workers 0 ended with 1 of 4 objects" },
        { split, posts_elsewhere, end, FLOWGRAPH_BAD_ARGUMENT,
          "'b' on workers 0 posts on edge 1, which does not leave" },
        { split, posts_missing_data, end, FLOWGRAPH_BAD_ARGUMENT,
          "edge 'b' -> 'c': piece 0 of the data that 'b' on workers 0 posts is NULL" },
        { split, posts_much_data, end, FLOWGRAPH_BAD_ARGUMENT,
          "edge 'b' -> 'c': 'b' on workers 0 posts 256 pieces of data, expected up to 255" },
        { split, computes_nothing, end, FLOWGRAPH_BAD_ARGUMENT, "'b' on workers 0 runs kernel 3 of 0" },
        { split, moves_to_nowhere, end, FLOWGRAPH_BAD_ARGUMENT, "cannot move a thread: node is 8, expected 0 to 1" },
        { split, gives_back_node_0, end, FLOWGRAPH_BAD_ARGUMENT, "cannot release node 0, which always takes part" },
        { split, takes_a_node_twice, end, FLOWGRAPH_BAD_ARGUMENT, "cannot add node 1, which takes part already" },
        { split, resizes_beyond, end, FLOWGRAPH_BAD_ARGUMENT,
          "cannot resize a collection: there is no thread 2 of collection 1" },
        { split, posts_no_content, end, FLOWGRAPH_BAD_ARGUMENT, "'b' on workers 0 posts a 'number' without content" },
        { split, charges_nan, end, FLOWGRAPH_BAD_ARGUMENT, "'b' on workers 0 is charged nan s" },
        { split, charges_too_much, end, FLOWGRAPH_BAD_ARGUMENT, "'b' on workers 0 is charged -1 s" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        flowgraph_operation a;
        reset();
        open_cluster(2);
        o.pieces = 4, o.piece_time = 0.25;
        a = split_leaf_merge(cases[i].a, cases[i].b, cases[i].c, NULL);
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(run(), cases[i].result);
        assert_why(cases[i].why);
        assert_int_equal(run(), FLOWGRAPH_BAD_CALL);
        assert_int_equal(start(a, 0), FLOWGRAPH_BAD_CALL);
        close_cluster();
    }
}

static void routes_that_lead_nowhere_end_the_run(void **state)
{
    flowgraph_operation a, b, c;

    (void)state;
    reset();
    open_cluster(2);
    o.pieces = 4;
    a = split_leaf_merge(split, leaf, end, nowhere);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_BAD_ROUTE);
    assert_why("at 0 s: edge 'a' -> 'b' routes a 'number' to thread 5 of 'workers', which has 2");
    close_cluster();

    reset();
    open_cluster(2);
    o.pieces = 4;
    a = add("a", FLOWGRAPH_SPLIT, split, NULL);
    b = add("b", FLOWGRAPH_LEAF, leaf, NULL);
    c = add("c", FLOWGRAPH_MERGE, end, NULL);
    o.split = join(a, b, NULL);
    o.leaf = join(b, c, by_number);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_BAD_ROUTE);
    assert_why("edge 'b' -> 'c' routes to workers 1, but another thread has merged that frame already");
    close_cluster();

    reset();
    open_with(2, 1, 0, NULL); /* slow enough that the first is still being merged */
    o.pieces = 4, o.late_time = 10;
    a = add("a", FLOWGRAPH_SPLIT, split, NULL);
    b = add("b", FLOWGRAPH_LEAF, leaf, NULL);
    c = add("c", FLOWGRAPH_MERGE, end, NULL);
    o.split = join(a, b, to_neighbour);
    o.leaf = join(b, c, by_number);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_BAD_ROUTE);
    assert_why("edge 'b' -> 'c' routes to workers 1, but earlier objects of the same 'a' went to 'c' on workers 0");
    close_cluster();
}

/* Nor to two threads of one node, which sees that itself. */
static void a_frame_goes_to_one_thread(void **state)
{
    const uint32_t nodes[] = { 1, 1 };
    const flowgraph_threads_desc pair = { .name = "pair", .count = 2, .nodes = nodes };
    flowgraph_operation a, b, c;

    (void)state;
    reset();
    open_with(2, 1, 0, NULL);
    o.pieces = 4, o.late_time = 10;
    a = add("a", FLOWGRAPH_SPLIT, split, NULL);
    b = add("b", FLOWGRAPH_LEAF, leaf, NULL);
    assert_int_equal(flowgraph_threads_add(f.graph, &pair, &f.threads), FLOWGRAPH_OK);
    c = add("c", FLOWGRAPH_MERGE, end, NULL);
    o.split = join(a, b, to_neighbour);
    o.leaf = join(b, c, by_number);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_BAD_ROUTE);
    assert_why("edge 'b' -> 'c' routes to pair 1, but earlier objects of the same split went to 'c' on pair 0");
    close_cluster();
}

static void a_world_that_stops_is_told(void **state)
{
    flowgraph_operation a;

    (void)state;
    reset();
    open_cluster(1);
    o.pieces = 4;
    a = split_leaf_merge(split, stops_the_world, end, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    for (int stops = 0; stops < 4; ++stops) assert_int_equal(run(), FLOWGRAPH_WORLD);
    assert_int_equal(run(), FLOWGRAPH_OK); /* it goes on where it stopped */
    assert_int_equal(o.sum[0], 6);
    close_cluster();
}

/* A leaf that waits for a message nobody sends: the merge after it never completes. */
static void waits_forever(flowgraph_task *task, const void *object, void *user)
{
    if (*(const int *)object == 2) succeeds(simkit_process_receive(f.world, *(simkit_mailbox *)user, NULL));
    flowgraph_charge(task, 1);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void a_merge_that_never_completes_is_named(void **state)
{
    simkit_mailbox mailbox;
    flowgraph_operation a, b, c;

    (void)state;
    reset();
    open_cluster(3);
    assert_int_equal(simkit_mailbox_open(f.world, f.nodes[0], "nobody's", &mailbox), SIMKIT_OK);
    o.pieces = 3;
    a = add("a", FLOWGRAPH_SPLIT, split, NULL);
    b = add("b", FLOWGRAPH_LEAF, waits_forever, &mailbox);
    c = add("c", FLOWGRAPH_MERGE, end, NULL);
    o.split = join(a, b, by_number);
    o.leaf = join(b, c, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_INCOMPLETE);
    assert_why("at 1 s: deadlock: ");
    assert_why("merge 'c' on workers 0 has 2 of 3 objects");
    assert_why("leaf 'b' on workers 2 waits for something other than an object");
    close_cluster();
}

/* The host's memory hook says no at every allocation in turn: a result, no crash; what is given back is all of it. */
typedef struct hook {
    size_t held;
    long left;
} hook;

static void *reallocate(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    hook *h = (hook *)user;
    void *moved;

    if (new_bytes == 0) {
        h->held -= old_bytes;
        free(pointer);
        return NULL;
    }
    if (h->left-- <= 0) return NULL;
    moved = realloc(pointer, new_bytes);
    if (moved) h->held += new_bytes - old_bytes;
    return moved;
}

static void memory_that_runs_out_is_a_result(void **state)
{
    simkit_population *population =
        population_of(HOG("", "0") "[arrivals mail]\nrate = 2 /s\ndemand = constant 0.1 s\n");
    long failures = 0, finished = 0;

    (void)state;
    for (long allowed = 0; finished < 2; ++allowed) {
        hook h = { 0, 1L << 40 };
        const simkit_world_desc desc = { .memory = { .reallocate = reallocate, .user = &h } };
        flowgraph_operation a;
        flowgraph_result result;
        reset();
        open_graph(3, 2e-3, 1e6, &desc, (flowgraph_desc){ .record = true, .users = finished ? population : NULL });
        o.pieces = 6, o.leaf_time = 0.5, o.bytes = 1000;
        a = split_leaf_merge(split, leaf, end, by_number);
        h.left = allowed;
        result = start(a, 0);
        if (result == FLOWGRAPH_OK) result = run();
        close_cluster();
        assert_int_equal(h.held, 0);
        if (result == FLOWGRAPH_OK) {
            ++finished;
            allowed = -1;
            continue;
        }
        assert_int_equal(result, FLOWGRAPH_NO_MEMORY);
        ++failures;
    }
    assert_true(failures > 10);
    simkit_population_close(population);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_that_do_not_fit_are_refused),
        cmocka_unit_test(a_frame_goes_to_one_thread),
        cmocka_unit_test(what_a_graph_was_given_goes_with_it_the_last_first),
        cmocka_unit_test(bad_parts_are_refused),
        cmocka_unit_test(broken_promises_end_the_run),
        cmocka_unit_test(routes_that_lead_nowhere_end_the_run),
        cmocka_unit_test(a_world_that_stops_is_told),
        cmocka_unit_test(a_merge_that_never_completes_is_named),
        cmocka_unit_test(memory_that_runs_out_is_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
