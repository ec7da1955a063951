/* flowgraph_run() of examples/flowgraph, simulated: the times of splits, leaves, merges and streams in closed form. What the
 * runtime refuses: test_flowgraph_refusals.c; among users: test_flowgraph_users.c. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "flowgraph.c"
#include "flowgraph_net.c"

#include "graph.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
