/* The flow-graph runtime of examples/flowgraph, simulated: what it computes in closed form, what it refuses and how it
 * says so. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "../close.h"

#include "flowgraph.c"
#include "flowgraph_net.c"
#include "options.c"

/* A world with nodes of one core on links without latency; a graph with a type `number` and one thread on each node. */
typedef struct fixture {
    simkit_world *world;
    flowgraph *graph;
    simkit_node nodes[8];
    flowgraph_type number;
    flowgraph_threads threads;
} fixture;

static fixture f;

static void open_graph(size_t nodes, double latency, double bandwidth, const simkit_world_desc *world,
                       flowgraph_desc how)
{
    const flowgraph_threads_desc workers = { .name = "workers", .count = nodes };

    memset(&f, 0, sizeof f);
    simkit_world_desc with = world ? *world : (simkit_world_desc){ 0 };
    with.latency = latency;
    assert_int_equal(simkit_world_open(&with, &f.world), SIMKIT_OK);
    for (size_t i = 0; i < nodes; ++i) {
        const simkit_node_desc node = { .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
        assert_int_equal(simkit_node_add(f.world, &node, &f.nodes[i]), SIMKIT_OK);
    }
    how.nodes = nodes;
    how.world = f.world;
    assert_int_equal(flowgraph_open(&how, &f.graph), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_type_add(f.graph, "number", sizeof(int), &f.number), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_threads_add(f.graph, &workers, &f.threads), FLOWGRAPH_OK);
}

static void open_with(size_t nodes, double latency, double bandwidth, const simkit_world_desc *world)
{
    open_graph(nodes, latency, bandwidth, world, (flowgraph_desc){ .record = true });
}

/* On a network that takes no time. */
static void open_cluster(size_t nodes)
{
    open_with(nodes, 0, 0, NULL);
}

static void close_cluster(void)
{
    simkit_world_close(f.world);
    flowgraph_close(f.graph);
}

static flowgraph_result run(void)
{
    return flowgraph_run(f.graph, NULL);
}

typedef void run_operation(flowgraph_task *task, const void *object, void *user);
typedef size_t route_object(const void *object, size_t from, size_t count, void *user);

static flowgraph_operation add(const char *name, flowgraph_kind kind, run_operation *body, void *user)
{
    const flowgraph_operation_desc desc = { name, kind, f.threads, f.number, { f.number }, body, user, 0 };
    flowgraph_operation operation = 0;
    assert_int_equal(flowgraph_operation_add(f.graph, &desc, &operation), FLOWGRAPH_OK);
    return operation;
}

static flowgraph_edge join(flowgraph_operation from, flowgraph_operation to, route_object *route)
{
    const flowgraph_edge_desc desc = { from, to, route, NULL, false };
    flowgraph_edge edge = 0;
    assert_int_equal(flowgraph_edge_add(f.graph, &desc, &edge), FLOWGRAPH_OK);
    return edge;
}

static flowgraph_edge join_outer(flowgraph_operation from, flowgraph_operation to)
{
    const flowgraph_edge_desc desc = { from, to, NULL, NULL, true };
    flowgraph_edge edge = 0;
    assert_int_equal(flowgraph_edge_add(f.graph, &desc, &edge), FLOWGRAPH_OK);
    return edge;
}

static flowgraph_result start(flowgraph_operation operation, int number)
{
    return flowgraph_start(f.graph, operation, 0, &number);
}

static void assert_why(const char *part)
{
    if (strstr(flowgraph_why(f.graph), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", flowgraph_why(f.graph), part);
}

static size_t by_number(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return (size_t) * (const int *)object % count;
}

static size_t to_neighbour(const void *object, size_t from, size_t count, void *user)
{
    (void)object;
    (void)user;
    return (from + 1) % count;
}

/* What the operations below share: where they post, and what came out. */
static struct {
    flowgraph_edge split, leaf, inner_split, inner_leaf, inner_merge, outer;
    int pieces, inner_pieces;
    double piece_time, leaf_time, merge_time, late_time;
    size_t bytes;
    double end[4]; /* of merge number */
    int sum[4], ends;
    int order[64], ordered;
} o;

static void reset(void)
{
    memset(&o, 0, sizeof o);
}

static void post(flowgraph_task *task, flowgraph_edge edge, const void *object, size_t bytes)
{
    flowgraph_data *data = bytes ? flowgraph_data_new(task, bytes) : NULL;
    flowgraph_post(task, edge, object, &data, data != NULL);
    flowgraph_data_drop(data);
}

/* What such an object takes on the network. */
static double wire(flowgraph_operation to)
{
    return (double)(flowgraph_envelope(f.graph, to) + (o.bytes ? 8 + o.bytes : 0));
}

static void split(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    for (int i = 0; i < o.pieces; ++i) {
        flowgraph_charge(task, o.piece_time);
        post(task, o.split, &i, o.bytes);
    }
    flowgraph_charge(task, o.late_time);
}

static void leaf(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    if (o.ordered < 64) o.order[o.ordered++] = *(const int *)object;
    flowgraph_charge(task, o.leaf_time);
    post(task, o.leaf, object, o.bytes);
}

static void end(flowgraph_task *task, const void *object, void *user)
{
    int sum = 0;
    (void)user;
    for (; object; object = flowgraph_next(task)) {
        flowgraph_charge(task, o.merge_time);
        sum += *(const int *)object;
    }
    o.end[o.ends] = flowgraph_now(task);
    o.sum[o.ends++] = sum;
}

static void nothing(flowgraph_task *task, const void *object, void *user)
{
    (void)task;
    (void)object;
    (void)user;
}

static flowgraph_operation split_leaf_merge(run_operation *a, run_operation *b, run_operation *c, route_object *route)
{
    const flowgraph_operation first = add("a", FLOWGRAPH_SPLIT, a, NULL), second = add("b", FLOWGRAPH_LEAF, b, NULL),
                              third = add("c", FLOWGRAPH_MERGE, c, NULL);
    o.split = join(first, second, route);
    o.leaf = join(second, third, NULL);
    return first;
}

/* [dps] figure 2: a split on node 1 sends two objects to leaves on nodes 2 and 3, a merge on node 1 takes the results. */
static void two_pieces_take_what_the_figure_shows(void **state)
{
    flowgraph_operation a;

    (void)state;
    reset();
    open_with(3, 0.5, 1000, NULL);
    o.pieces = 3, o.piece_time = 1, o.leaf_time = 4, o.merge_time = 0.25, o.bytes = 500;
    a = split_leaf_merge(split, leaf, end, by_number); /* 0 stays here, 1 and 2 travel */
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    /* Node 1: pieces at 1, 2, 3; but leaf 0 begins at 1 once the split has left the thread, at 3, and ends at 7. Piece 2
     * leaves at 3 and is on its way for w, half a second and a millisecond a byte, then again after 4 s of computing.
     * Nothing else is on that way at that time. */
    assert_int_equal(o.ends, 1);
    assert_int_equal(o.sum[0], 3);
    assert_close(o.end[0], 3 + 4 + 2 * (0.5 + wire(a + 1) / 1000) + 0.25, 1e-12);
    close_cluster();
}

/* One thread takes its objects in the order in which they came; an operation does not interrupt another. */
static void a_thread_takes_objects_in_order(void **state)
{
    flowgraph_operation a;

    (void)state;
    reset();
    open_cluster(1);
    o.pieces = 50, o.leaf_time = 1;
    a = split_leaf_merge(split, leaf, end, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    for (int i = 0; i < 50; ++i) assert_int_equal(o.order[i], i);
    assert_close(o.end[0], 50, 1e-12);
    assert_int_equal(o.sum[0], 49 * 50 / 2);
    close_cluster();
}

/* Objects between two nodes go one after another: piece i arrives at (i + 1) w, whatever the others do. */
static void objects_between_two_nodes_go_in_order(void **state)
{
    flowgraph_operation a;

    (void)state;
    reset();
    open_with(2, 0, 1, NULL);
    o.pieces = 20, o.bytes = 10;
    a = split_leaf_merge(split, leaf, end, to_neighbour);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    for (int i = 0; i < 20; ++i) assert_int_equal(o.order[i], i);
    assert_close(o.end[0], 20 * wire(a + 1) + wire(a + 2), 1e-12); /* the last one comes back, too */
    close_cluster();
}

/* A split that goes on after its last post: the merge has all objects, but learns it only then. */
static void a_merge_waits_for_a_split_that_has_not_ended(void **state)
{
    flowgraph_operation a;

    (void)state;
    reset();
    open_cluster(1);
    o.pieces = 2, o.late_time = 7;
    a = add("a", FLOWGRAPH_SPLIT, split, NULL);
    {
        flowgraph_threads other = 0;
        const flowgraph_threads_desc others = { .name = "others", .count = 1 };
        flowgraph_operation_desc desc = { "b", FLOWGRAPH_LEAF, 0, f.number, { f.number }, leaf, NULL, 0 };
        flowgraph_operation b = 0, c = 0;
        assert_int_equal(flowgraph_threads_add(f.graph, &others, &other), FLOWGRAPH_OK);
        desc.threads = other;
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &b), FLOWGRAPH_OK);
        desc.name = "c", desc.kind = FLOWGRAPH_MERGE, desc.run = end;
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &c), FLOWGRAPH_OK);
        o.split = join(a, b, NULL);
        o.leaf = join(b, c, NULL);
    }
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    assert_int_equal(o.sum[0], 1);
    assert_close(o.end[0], 7, 1e-12);
    close_cluster();
}

/* A merge that waits leaves its thread to others: the leaf of the second input runs between. */
static void inputs_at_once_have_frames_of_their_own(void **state)
{
    flowgraph_operation a;

    (void)state;
    reset();
    open_cluster(4);
    o.pieces = 8, o.leaf_time = 1;
    a = split_leaf_merge(split, leaf, end, by_number);
    for (int i = 0; i < 3; ++i) assert_int_equal(start(a, i), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    assert_int_equal(o.ends, 3);
    for (int i = 0; i < 3; ++i) assert_int_equal(o.sum[i], 28);
    assert_close(o.end[2], 6, 1e-12); /* 24 leaves of a second on four nodes */
    close_cluster();
}

/* Nested: each of n pieces is split again into m, merged, and the results merged. */
static void inner_split(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    for (int i = 0; i < o.inner_pieces; ++i) {
        const int number = *(const int *)object * o.inner_pieces + i;
        flowgraph_post(task, o.inner_split, &number, NULL, 0);
    }
}

static void inner_leaf(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_charge(task, o.leaf_time);
    flowgraph_post(task, o.inner_leaf, object, NULL, 0);
}

static void inner_merge(flowgraph_task *task, const void *object, void *user)
{
    int sum = 0, objects = 0;
    (void)user;
    for (; object; object = flowgraph_next(task), objects++) sum += *(const int *)object;
    assert_int_equal(objects, o.inner_pieces);
    flowgraph_post(task, o.inner_merge, &sum, NULL, 0);
}

static flowgraph_operation nested(void)
{
    const flowgraph_operation a = add("a", FLOWGRAPH_SPLIT, split, NULL),
                              b = add("b", FLOWGRAPH_SPLIT, inner_split, NULL),
                              c = add("c", FLOWGRAPH_LEAF, inner_leaf, NULL),
                              d = add("d", FLOWGRAPH_MERGE, inner_merge, NULL),
                              e = add("e", FLOWGRAPH_MERGE, end, NULL);
    o.split = join(a, b, by_number);
    o.inner_split = join(b, c, by_number);
    o.inner_leaf = join(c, d, NULL);
    o.inner_merge = join(d, e, NULL);
    return a;
}

static void nested_splits_are_matched_by_counting(void **state)
{
    flowgraph_operation a;

    (void)state;
    reset();
    open_cluster(4);
    o.pieces = 5, o.inner_pieces = 12, o.leaf_time = 1;
    a = nested();
    for (int i = 0; i < 2; ++i) assert_int_equal(start(a, i), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    assert_int_equal(o.ends, 2);
    for (int i = 0; i < 2; ++i) assert_int_equal(o.sum[i], 59 * 60 / 2);
    assert_close(o.end[1], 30, 1e-12); /* 120 leaves of a second on four nodes */
    close_cluster();
}

/* On one node the processor never idles and nothing travels: all takes as long as its parts together. */
static void on_one_node_time_is_the_sum_of_all_steps(void **state)
{
    uint64_t random = 17;

    (void)state;
    for (int trial = 0; trial < 20; ++trial) {
        flowgraph_operation a;
        double total;
        reset();
        open_cluster(1);
        o.pieces = 1 + (int)(random_next(&random) % 9);
        o.inner_pieces = 1 + (int)(random_next(&random) % 9);
        o.piece_time = random_between(&random, 0, 1);
        o.leaf_time = random_between(&random, 0, 1);
        o.merge_time = random_between(&random, 0, 1);
        o.late_time = random_between(&random, 0, 1);
        a = nested();
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(run(), FLOWGRAPH_OK);
        total = o.pieces * (o.piece_time + o.merge_time + o.inner_pieces * o.leaf_time) + o.late_time;
        assert_close(o.end[0], total, 1e-9);
        close_cluster();
    }
}

/* A stream posts while its objects come: the piece of three seconds does not hold back the one of one. */
static void uneven(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_charge(task, *(const int *)object == 0 ? 3 : 1);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void stream(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    for (; object; object = flowgraph_next(task)) {
        flowgraph_post(task, o.inner_split, object, NULL, 0);
        if (*(const int *)object == 0) flowgraph_post(task, o.outer, object, NULL, 0);
    }
}

static void late_leaf(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_charge(task, 1);
    o.end[2 + *(const int *)object] = flowgraph_now(task);
    flowgraph_post(task, o.inner_leaf, object, NULL, 0);
}

static void pass_on(flowgraph_task *task, const void *object, void *user)
{
    int sum = 0;
    for (; object; object = flowgraph_next(task)) sum += *(const int *)object;
    flowgraph_post(task, *(const flowgraph_edge *)user, &sum, NULL, 0);
}

static void once(flowgraph_task *task, const void *object, void *user)
{
    flowgraph_post(task, *(const flowgraph_edge *)user, object, NULL, 0);
}

static void a_stream_goes_on_before_it_has_all(void **state)
{
    flowgraph_edge begin, whole, beside;
    flowgraph_operation s, a, b, c, d, e, g, h;

    (void)state;
    reset();
    open_cluster(2);
    o.pieces = 2;
    s = add("s", FLOWGRAPH_SPLIT, once, &begin); /* around all, for what goes past the stream */
    a = add("a", FLOWGRAPH_SPLIT, split, NULL);
    b = add("b", FLOWGRAPH_LEAF, uneven, NULL);
    c = add("c", FLOWGRAPH_STREAM, stream, NULL);
    d = add("d", FLOWGRAPH_LEAF, late_leaf, NULL);
    e = add("e", FLOWGRAPH_MERGE, pass_on, &whole);
    g = add("g", FLOWGRAPH_LEAF, once, &beside);
    h = add("h", FLOWGRAPH_MERGE, end, NULL);
    begin = join(s, a, NULL);
    o.split = join(a, b, by_number);
    o.leaf = join(b, c, NULL);
    o.inner_split = join(c, d, by_number);
    o.inner_leaf = join(d, e, NULL);
    whole = join(e, h, NULL);
    o.outer = join_outer(c, g);
    beside = join(g, h, NULL);
    assert_int_equal(start(s, 7), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    assert_close(o.end[2 + 0], 3, 1e-12); /* its step begins then: its leaf took so long */
    assert_close(o.end[2 + 1], 3, 1e-12); /* 1 s on node 2, but the stream's thread is busy with the leaf until 3 */
    assert_int_equal(o.ends, 1);
    assert_int_equal(o.sum[0], 1); /* 1 from the stream's frame, 0 from beside it */
    assert_close(o.end[0], 4, 1e-12);
    close_cluster();
}

/* A window is of what its own operation has posted: objects that others put into the frame do not open it. */
static int under_way, most_under_way;

static void windowed(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    for (int i = 0; i < o.pieces; ++i) {
        if (flowgraph_post(task, *(const flowgraph_edge *)user, &i, NULL, 0) == FLOWGRAPH_OK) ++under_way;
        if (under_way > most_under_way) most_under_way = under_way;
    }
}

static void posts_around(flowgraph_task *task, const void *object, void *user)
{
    const int nothing_more = 0;
    (void)user;
    for (int i = 0; i < 3; ++i) flowgraph_post(task, o.outer, &nothing_more, NULL, 0);
    flowgraph_post(task, o.inner_split, object, NULL, 0);
}

static void counts_down(flowgraph_task *task, const void *object, void *user)
{
    flowgraph_charge(task, 1);
    --under_way;
    for (; object; object = flowgraph_next(task)) {
    }
    flowgraph_post(task, *(const flowgraph_edge *)user, &o.pieces, NULL, 0);
}

static void a_window_does_not_count_what_goes_past_it(void **state)
{
    flowgraph_edge begin, whole;
    flowgraph_operation s = 0, a, b, c;

    (void)state;
    for (size_t window = 1; window <= 3; ++window) {
        reset();
        open_cluster(2);
        o.pieces = 9;
        under_way = most_under_way = 0;
        const flowgraph_operation_desc desc = { "s",          FLOWGRAPH_SPLIT, f.threads, f.number,
                                                { f.number }, windowed,        &begin,    window };
        assert_int_equal(flowgraph_operation_add(f.graph, &desc, &s), FLOWGRAPH_OK);
        a = add("a", FLOWGRAPH_SPLIT, posts_around, NULL);
        b = add("b", FLOWGRAPH_MERGE, counts_down, &whole);
        c = add("c", FLOWGRAPH_MERGE, end, NULL);
        begin = join(s, a, by_number);
        o.inner_split = join(a, b, NULL);
        whole = join(b, c, NULL);
        o.outer = join_outer(a, c);
        assert_int_equal(start(s, 0), FLOWGRAPH_OK);
        assert_int_equal(run(), FLOWGRAPH_OK);
        assert_int_equal(o.sum[0], 9 * 9);
        assert_int_equal(most_under_way, (int)window);
        close_cluster();
    }
}

static void posts_too_late(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    flowgraph_post(task, o.leaf, object, NULL, 0);
    flowgraph_post(task, o.outer, object, NULL, 0);
}

static void what_goes_past_a_frame_comes_before_the_result(void **state)
{
    flowgraph_operation a, b, c;

    (void)state;
    reset();
    open_cluster(1);
    o.pieces = 2;
    a = add("a", FLOWGRAPH_SPLIT, split, NULL);
    b = add("b", FLOWGRAPH_LEAF, posts_too_late, NULL);
    c = add("c", FLOWGRAPH_MERGE, end, NULL);
    o.split = join(a, b, NULL);
    o.leaf = join(b, c, NULL);
    o.outer = join_outer(b, c);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_BAD_COUNT);
    assert_why("edge 'b' -> 'c': 'b' on workers 0 posts on an outer edge after its result");
    close_cluster();
}

/* The same graph twice: the same bits. */
static void the_same_run_twice_gives_the_same_bits(void **state)
{
    double ends[2];

    (void)state;
    for (int i = 0; i < 2; ++i) {
        flowgraph_operation a;
        reset();
        open_with(5, 2e-3, 1e6, NULL);
        o.pieces = 40, o.inner_pieces = 7, o.piece_time = 0.1, o.leaf_time = 0.3, o.bytes = 12345;
        a = nested();
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(run(), FLOWGRAPH_OK);
        ends[i] = o.end[0];
        close_cluster();
    }
    assert_memory_equal(&ends[0], &ends[1], sizeof ends[0]);
}

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
        { split, resizes_beyond, end, FLOWGRAPH_BAD_ARGUMENT, "cannot resize a collection: there is no thread 2 of collection 1" },
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

/*=============================================================================
 * Users
 *===========================================================================*/
/* A process that computes for ever, on all nodes or on those that are named. */
#define HOG(nodes, nice) "[user hog]\n" nodes "[state burn]\ndemand = constant 1000000 s\nnice = " nice "\n"

static simkit_population *population_of(const char *text)
{
    simkit_population *population = NULL;
    simkit_parse_error error;
    if (simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text) }, &population, &error) !=
        SIMKIT_OK)
        fail_msg("%s", error.text);
    return population;
}

/* How long a split takes that has one piece for each of two nodes and computes 10 s for it, and when the merge ended. */
static double among(const char *users, uint64_t seed, contention_nice_rule rule, bool again)
{
    simkit_population *population = population_of(users);
    const simkit_world_desc world = { .seed = seed };
    simkit_node_desc node = { .nice_rule = rule };
    const flowgraph_threads_desc workers = { .name = "workers", .count = 2 };
    simkit_node nodes[2];
    flowgraph_desc how = { .nodes = 2, .users = population };
    double seconds = 0, second;
    flowgraph_operation a;

    memset(&f, 0, sizeof f);
    assert_int_equal(simkit_world_open(&world, &f.world), SIMKIT_OK);
    for (int i = 0; i < 2; ++i) assert_int_equal(simkit_node_add(f.world, &node, &nodes[i]), SIMKIT_OK);
    how.world = f.world;
    how.world_nodes = nodes;
    assert_int_equal(flowgraph_open(&how, &f.graph), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_type_add(f.graph, "number", sizeof(int), &f.number), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_threads_add(f.graph, &workers, &f.threads), FLOWGRAPH_OK);
    a = split_leaf_merge(split, leaf, end, by_number);
    o.ends = 0;
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_run(f.graph, &seconds), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_run(f.graph, &second), FLOWGRAPH_OK); /* of nothing */
    assert_equal(second, seconds);
    for (int i = 0; again && i < 3; ++i) {
        o.ends = 0;
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(flowgraph_run(f.graph, &second), FLOWGRAPH_OK);
        assert_close(second, seconds, 1e-12);
    }
    close_cluster();
    simkit_population_close(population);
    return seconds;
}

static void users_take_their_share(void **state)
{
    (void)state;
    reset();
    o.pieces = 2, o.leaf_time = 10;
    assert_close(among(HOG("", "0"), 0, CONTENTION_NICE_LINUX_TODAY, true), 20, 1e-12);
    assert_close(among(HOG("nodes = 3\n", "0"), 0, CONTENTION_NICE_LINUX_TODAY, true), 10, 1e-12);
    assert_close(among(HOG("nodes = 2\n", "0"), 0, CONTENTION_NICE_LINUX_TODAY, true), 20, 1e-12);
    o.merge_time = 0.5; /* on node 1, twice */
    assert_close(among(HOG("nodes = 2\n", "0"), 0, CONTENTION_NICE_LINUX_TODAY, false), 20.5, 1e-12);
    assert_close(among(HOG("nodes = 1\n", "0"), 0, CONTENTION_NICE_LINUX_TODAY, false), 22, 1e-12);
    o.merge_time = 0;
    assert_close(among(HOG("", "19"), 0, CONTENTION_NICE_LINUX_TODAY, false), 10 * 1039.0 / 1024, 1e-12);
    assert_close(among(HOG("", "19"), 0, CONTENTION_NICE_LINUX_2_2, false), 10.5, 1e-12);
    assert_close(among(HOG("", "-20"), 0, CONTENTION_NICE_LINUX_2_2, false), 30, 1e-12);
}

static void a_seed_is_a_day(void **state)
{
    static const char mail[] = "[arrivals mail]\nrate = 0.5 /s\ndemand = exponential 1 s\n";
    double first;

    (void)state;
    reset();
    o.pieces = 2, o.leaf_time = 100;
    first = among(mail, 1, CONTENTION_NICE_LINUX_TODAY, false);
    assert_true(first > 100);
    assert_equal(among(mail, 1, CONTENTION_NICE_LINUX_TODAY, false), first);
    assert_true(among(mail, 2, CONTENTION_NICE_LINUX_TODAY, false) != first);
}

/* [clue]'s program frame, on each node; then the one with the least load gets the work. */
static double seen[4], seen_at[4];

static void frame(flowgraph_task *task, const void *object, void *user)
{
    const size_t thread = flowgraph_thread(task);
    (void)user;
    flowgraph_charge(task, o.leaf_time);
    seen[thread] = flowgraph_load_average(task, 60);
    seen_at[thread] = flowgraph_now(task);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void choose(flowgraph_task *task, const void *object, void *user)
{
    int least = 0;
    (void)user;
    while (object) object = flowgraph_next(task);
    for (int i = 1; i < o.pieces; ++i)
        if (seen[i] < seen[least]) least = i;
    flowgraph_post(task, o.inner_merge, &least, NULL, 0);
}

static void work(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    o.order[0] = *(const int *)object;
    flowgraph_charge(task, 5);
    seen[3] = flowgraph_load_average(task, 60);
    o.end[0] = flowgraph_now(task);
}

static void operations_see_the_load_and_act_on_it(void **state)
{
    simkit_population *population = population_of(HOG("nodes = 1, 3\n", "0"));
    flowgraph_operation a, b, c, d;
    double seconds;

    (void)state;
    for (int users = 1; users >= 0; --users) {
        reset();
        memset(&f, 0, sizeof f);
        flowgraph_desc how = { .nodes = 3, .users = users ? population : NULL, .loads = !users };
        const flowgraph_threads_desc workers = { .name = "workers", .count = 3 };
        assert_int_equal(flowgraph_open(&how, &f.graph), FLOWGRAPH_OK);
        assert_int_equal(flowgraph_type_add(f.graph, "number", sizeof(int), &f.number), FLOWGRAPH_OK);
        assert_int_equal(flowgraph_threads_add(f.graph, &workers, &f.threads), FLOWGRAPH_OK);
        a = add("a", FLOWGRAPH_SPLIT, split, NULL), b = add("b", FLOWGRAPH_LEAF, frame, NULL);
        c = add("c", FLOWGRAPH_MERGE, choose, NULL), d = add("d", FLOWGRAPH_LEAF, work, NULL);
        o.split = join(a, b, by_number);
        o.leaf = join(b, c, NULL);
        o.inner_merge = join(c, d, by_number);
        o.pieces = 3, o.leaf_time = 10;
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(flowgraph_run(f.graph, &seconds), FLOWGRAPH_OK);
        for (int i = 0; i < 3; ++i) {
            const bool hog = users && i != 1;
            assert_close(seen_at[i], hog ? 20 : 10, 1e-12);
            assert_close(seen[i], hog ? 2 * (1 - pow(60.0 / 61, 20)) : 1 - pow(60.0 / 61, 10), 1e-12);
        }
        assert_int_equal(o.order[0], users); /* the second node, or the first of equals */
        assert_close(seconds, users ? 25 : 15, 1e-12);
        /* from 10 s on, node 1 was idle for 10 s, or not at all */
        assert_close(seen[3], seen[1] * pow(60.0 / 61, users ? 15 : 5) + 1 - pow(60.0 / 61, 5), 1e-12);
        flowgraph_close(f.graph);
    }
    simkit_population_close(population);
}

static void no_load(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    seen[0] = flowgraph_load_average(task, 60);
}

static void a_load_that_is_not_kept_is_none(void **state)
{
    flowgraph_operation a;

    (void)state;
    assert_nan(flowgraph_load_average(NULL, 60));
    open_cluster(1);
    a = add("a", FLOWGRAPH_LEAF, no_load, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    assert_nan(seen[0]);
    close_cluster();
    assert_nan(flowgraph__machine_load(-1));
    assert_nan(flowgraph__machine_load((double)NAN));
    assert_true(flowgraph__machine_load(0) >= 0);
    assert_true(flowgraph__machine_load(1e9) >= 0);
}

/* A failure ends the run, whatever users do. */
static void a_failure_among_users_ends_the_run(void **state)
{
    simkit_population *population = population_of(HOG("", "0"));
    flowgraph_operation a, b;

    (void)state;
    reset();
    open_graph(2, 0, 0, NULL, (flowgraph_desc){ .users = population });
    a = add("a", FLOWGRAPH_SPLIT, nothing, NULL);
    b = add("b", FLOWGRAPH_MERGE, end, NULL);
    o.split = join(a, b, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_BAD_COUNT);
    assert_why("without a result");
    close_cluster();
    simkit_population_close(population);
}

static void the_command_line_names_users(void **state)
{
    char path[] = "/tmp/flowgraph.XXXXXX", why[200] = "", wanted[80];
    static options how;
    const int made = mkstemp(path);
    FILE *file = made >= 0 ? fdopen(made, "w") : NULL;

    (void)state;
    assert_non_null(file);
    fputs("[arrivals mail]\nrate = 1\n", file);
    fflush(file);
    options_begin(&how, NULL);
    assert_int_equal(options_take(&how, "--users", path, why), -1);
    snprintf(wanted, sizeof wanted, "%s:2:9: there is no unit, expected one of: /s, /min, /h", path);
    assert_string_equal(why, wanted);
    assert_null(how.desc.users);
    assert_int_equal(options_take(&how, "--users", "/nowhere", why), -1);
    assert_non_null(strstr(why, "/nowhere"));
    assert_int_equal(options_take(&how, "--users", NULL, why), -1);
    rewind(file);
    fputs("[arrivals mail]\nrate = 1 /s\ndemand = constant 1 s\n", file);
    fclose(file);
    for (int i = 0; i < 2; ++i) assert_int_equal(options_take(&how, "--users", path, why), 2); /* the last counts */
    assert_non_null(how.desc.users);
    assert_ptr_equal(options_simulated(&how).users, how.desc.users);
    assert_int_equal(options_take(&how, "--seed", "7", why), 2);
    assert_int_equal(how.desc.seed, 7);
    assert_int_equal(options_take(&how, "--seed", "-7", why), -1);
    options_end(&how);
    assert_null(how.desc.users);
    unlink(path);
}

/* What they compute is in the record of each run, from its beginning to its end. */
static void users_are_recorded(void **state)
{
    simkit_population *population =
        population_of(HOG("nodes = 2\n", "0") "[user once]\nnodes = 1\n[state edit]\ndemand = constant 2 s\n");
    flowgraph_operation a;

    (void)state;
    reset();
    open_graph(2, 0, 0, NULL, (flowgraph_desc){ .users = population, .record = true });
    o.pieces = 2, o.leaf_time = 10;
    a = split_leaf_merge(split, leaf, end, by_number);
    for (int i = 0; i < 2; ++i) {
        const flowgraph__records *r = &f.graph->records;
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(run(), FLOWGRAPH_OK);
        assert_int_equal(r->guest_count, i == 0 ? 2 : 1);
        for (size_t k = 0; k < r->guest_count; ++k) {
            const bool burns = strcmp(r->guests[k].name, "burn") == 0;
            assert_int_equal(r->guests[k].node, burns);
            assert_equal(r->guests[k].begin, 0);
            assert_close(r->guests[k].end, burns ? 20 : 4, 1e-12);
            assert_true(r->guests[k].open == burns);
        }
    }
    close_cluster();
    simkit_population_close(population);
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
        cmocka_unit_test(two_pieces_take_what_the_figure_shows),
        cmocka_unit_test(a_thread_takes_objects_in_order),
        cmocka_unit_test(objects_between_two_nodes_go_in_order),
        cmocka_unit_test(a_merge_waits_for_a_split_that_has_not_ended),
        cmocka_unit_test(inputs_at_once_have_frames_of_their_own),
        cmocka_unit_test(nested_splits_are_matched_by_counting),
        cmocka_unit_test(on_one_node_time_is_the_sum_of_all_steps),
        cmocka_unit_test(a_stream_goes_on_before_it_has_all),
        cmocka_unit_test(a_window_does_not_count_what_goes_past_it),
        cmocka_unit_test(what_goes_past_a_frame_comes_before_the_result),
        cmocka_unit_test(the_same_run_twice_gives_the_same_bits),
        cmocka_unit_test(graphs_that_do_not_fit_are_refused),
        cmocka_unit_test(a_frame_goes_to_one_thread),
        cmocka_unit_test(what_a_graph_was_given_goes_with_it_the_last_first),
        cmocka_unit_test(bad_parts_are_refused),
        cmocka_unit_test(broken_promises_end_the_run),
        cmocka_unit_test(routes_that_lead_nowhere_end_the_run),
        cmocka_unit_test(a_world_that_stops_is_told),
        cmocka_unit_test(a_merge_that_never_completes_is_named),
        cmocka_unit_test(users_take_their_share),
        cmocka_unit_test(a_seed_is_a_day),
        cmocka_unit_test(operations_see_the_load_and_act_on_it),
        cmocka_unit_test(a_load_that_is_not_kept_is_none),
        cmocka_unit_test(a_failure_among_users_ends_the_run),
        cmocka_unit_test(the_command_line_names_users),
        cmocka_unit_test(users_are_recorded),
        cmocka_unit_test(memory_that_runs_out_is_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
