/* Room timing of netmodel.h: closed forms, every refusal with its place, and random programs against a slow, obvious
 * way. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { NODES = 9, SEGMENTS = 80 };

static netmodel_timing_total total;
static netmodel_timing_sum sum[NODES];
static netmodel_timing_span span[NODES * SEGMENTS];
static size_t scratch[NODES * (SEGMENTS + 2)];
static netmodel_timing_line lines[NODES * SEGMENTS];

#define CODE(t)                                                                                                        \
    {                                                                                                                  \
        .kind = NETMODEL_SEGMENT_CODE, .seconds = (t)                                                                  \
    }
#define SEND(to, number, how, n)                                                                                       \
    {                                                                                                                  \
        .kind = NETMODEL_SEGMENT_SEND, .peer = (to), .message = (number), .mode = (how), .size = (n)                   \
    }
#define RECEIVE(from, number)                                                                                          \
    {                                                                                                                  \
        .kind = NETMODEL_SEGMENT_RECEIVE, .peer = (from), .message = (number)                                          \
    }
#define NODE(list)                                                                                                     \
    {                                                                                                                  \
        list, COUNT(list)                                                                                              \
    }

/* Delays of 1/8 s to pack, 2 s to send, 4 s on the way, 8 s to receive; twice: the second way of sending is synchronous.
 * The third and fourth have both sides begin at once; the fifth takes no time. All times are exact in double. */
static netmodel_message plain;
static netmodel_mode modes[5];

static netmodel_timing graph_of(const netmodel_timing_node *node, size_t nodes)
{
    netmodel_timing graph = { node, nodes, modes, COUNT(modes) };
    return graph;
}

static int set_up(void **state)
{
    (void)state;
    plain.pack = (netmodel_delay){ .link = { 0.125, 0 } };
    plain.send = (netmodel_delay){ .link = { 2, 0 } };
    plain.transmit = (netmodel_delay){ .link = { 4, 0 } };
    plain.receive = (netmodel_delay){ .link = { 8, 0 } };
    for (size_t i = 0; i < 4; ++i) {
        modes[i].messages.fallback = &plain;
        modes[i].synchronous = i % 2 == 1;
        modes[i].end_to_end = i >= 2;
    }
    return 0;
}

static void predict(const netmodel_timing *graph)
{
    assert_int_equal(netmodel_timing_predict(graph, scratch, sum, span, &total, NULL), NETMODEL_OK);
}

static void assert_span(size_t index, double begin, double ready, double end, size_t partner)
{
    assert_equal(span[index].begin, begin);
    assert_equal(span[index].ready, ready);
    assert_equal(span[index].end, end);
    assert_int_equal(span[index].partner, partner);
}

/*=============================================================================
 * Closed forms
 *===========================================================================*/
/* The paper's program and rule: both sides come to the message at once, each takes its own line, and the larger sum is
 * the time. */
static void without_waiting_the_larger_sum_is_the_time(void **state)
{
    netmodel_message message = { .send = { .kind = NETMODEL_DELAY_LINE, .line = { 4.10604e-07, -0.0031578 } },
                                 .receive = { .kind = NETMODEL_DELAY_LINE, .line = { 4.7111e-07, 0.0002422 } } };
    netmodel_mode mode = { .messages = { .fallback = &message }, .end_to_end = 1 };
    const netmodel_segment sender[] = { CODE(0.25), SEND(1, 0, 0, 5e5), CODE(0.5) };
    const netmodel_segment receiver[] = { CODE(0.25), RECEIVE(0, 0), CODE(0.125) };
    const netmodel_timing_node node[] = { NODE(sender), NODE(receiver) };
    netmodel_timing graph = { node, 2, &mode, 1 };
    double first = 0.25 + netmodel_line_time(&message.send.line, 5e5) + 0.5;
    double second = 0.25 + netmodel_line_time(&message.receive.line, 5e5) + 0.125;
    (void)state;

    assert_int_equal(netmodel_timing_segments(&graph), 6);
    assert_int_equal(netmodel_timing_scratch(&graph), 6 + 2 * graph.nodes);
    predict(&graph);
    assert_close(sum[0].time, first, 1e-15);
    assert_close(sum[1].time, second, 1e-15);
    assert_equal(sum[0].waiting + sum[1].waiting, 0);
    assert_equal(total.time, sum[0].time);
    assert_int_equal(total.node, 0);
    assert_int_equal(sum[0].first, 0);
    assert_int_equal(sum[1].first, 3);
}

static void a_receive_waits_for_its_send(void **state)
{
    const netmodel_segment sender[] = { CODE(10), SEND(1, 0, 0, 1), CODE(1) };
    const netmodel_segment receiver[] = { CODE(3), RECEIVE(0, 0) };
    const netmodel_timing_node node[] = { NODE(sender), NODE(receiver) };
    netmodel_timing graph = graph_of(node, 2);
    (void)state;

    predict(&graph);
    assert_span(0, 0, 0, 10, 0);
    assert_span(1, 10, 10, 12.125, 4);
    assert_span(2, 12.125, 12.125, 13.125, 2);
    assert_span(3, 0, 0, 3, 3);
    assert_span(4, 3, 16.125, 24.125, 1);
    assert_equal(total.time, 24.125);
    assert_int_equal(total.node, 1);
    assert_equal(sum[1].waiting, 13.125);
    assert_equal(sum[1].working, 11);
    assert_equal(sum[0].waiting, 0);
}

static void a_message_waits_for_a_late_receive(void **state)
{
    const netmodel_segment sender[] = { SEND(1, 0, 0, 1), CODE(1) };
    const netmodel_segment receiver[] = { CODE(30), RECEIVE(0, 0) };
    const netmodel_timing_node node[] = { NODE(sender), NODE(receiver) };
    netmodel_timing graph = graph_of(node, 2);
    (void)state;

    predict(&graph);
    assert_span(0, 0, 0, 2.125, 3);
    assert_span(3, 30, 30, 38, 0);
    assert_equal(sum[0].time, 3.125);
}

static void a_synchronous_send_waits_for_its_receive(void **state)
{
    const netmodel_segment sender[] = { CODE(1), SEND(1, 0, 1, 1), CODE(1) };
    const netmodel_segment receiver[] = { CODE(20), RECEIVE(0, 0) };
    const netmodel_timing_node node[] = { NODE(sender), NODE(receiver) };
    netmodel_timing graph = graph_of(node, 2);
    (void)state;

    predict(&graph);
    assert_span(1, 1, 20, 22.125, 4);
    assert_span(4, 20, 26.125, 34.125, 1);
    assert_equal(sum[0].waiting, 19);
    assert_equal(sum[0].time, 23.125);
}

/* Measured with both sides beginning at once, a receive counts from the begin of its send. */
static void together_counts_from_the_begin(void **state)
{
    const netmodel_segment early[] = { CODE(10), SEND(1, 0, 2, 1), SEND(1, 1, 3, 1) };
    const netmodel_segment late[] = { CODE(3), RECEIVE(0, 0), RECEIVE(0, 1) };
    const netmodel_timing_node node[] = { NODE(early), NODE(late) };
    netmodel_timing graph = graph_of(node, 2);
    (void)state;

    predict(&graph);
    assert_span(1, 10, 10, 12.125, 4);
    assert_span(4, 3, 14, 22, 1);          /* 10 + 4, then 8 */
    assert_span(2, 12.125, 22, 24.125, 5); /* the receive begins at 22 */
    assert_span(5, 22, 26, 34, 2);
}

/* The k-th send of a number goes to the k-th receive of it, and another number is another message. */
static void messages_of_a_number_stay_in_order(void **state)
{
    const netmodel_segment sender[] = { SEND(1, 7, 4, 1), CODE(1), SEND(1, 5, 4, 1), CODE(1), SEND(1, 7, 4, 1) };
    const netmodel_segment receiver[] = { RECEIVE(0, 5), RECEIVE(0, 7), RECEIVE(0, 7) };
    const netmodel_timing_node node[] = { NODE(sender), NODE(receiver) };
    netmodel_timing graph = graph_of(node, 2);
    (void)state;

    predict(&graph);
    assert_span(5, 0, 1, 1, 2);
    assert_span(6, 1, 1, 1, 0);
    assert_span(7, 1, 2, 2, 4);
}

static void a_node_may_send_to_itself(void **state)
{
    const netmodel_segment alone[] = { SEND(0, 0, 0, 1), CODE(1), RECEIVE(0, 0) };
    const netmodel_timing_node node[] = { NODE(alone), { NULL, 0 } };
    netmodel_message self = { .transmit = (netmodel_delay){ .link = { 0.5, 0 } } };
    netmodel_mode mode = { .messages = { .fallback = &plain, .self = &self } };
    netmodel_timing graph = graph_of(node, 2), by_pair = { node, 2, &mode, 1 };
    (void)state;

    predict(&graph);
    assert_span(2, 3.125, 6.125, 14.125, 0);
    assert_equal(sum[1].time, 0);
    assert_int_equal(sum[1].first, 3);
    predict(&by_pair);
    assert_span(2, 1, 1, 1, 0);
}

/* Four nodes in a ring, synchronous: even ones send first. Everybody ends at the same time. */
static void a_ring_of_synchronous_sends(void **state)
{
    netmodel_segment ring[4][2];
    netmodel_timing_node node[4];
    netmodel_timing graph = graph_of(node, 4);
    (void)state;

    for (size_t i = 0; i < 4; ++i) {
        const netmodel_segment send = SEND((i + 1) % 4, 0, 1, 1), receive = RECEIVE((i + 3) % 4, 0);
        ring[i][i % 2] = send;
        ring[i][1 - i % 2] = receive;
        node[i].segment = ring[i];
        node[i].count = 2;
    }
    predict(&graph);
    for (size_t i = 0; i < 4; ++i) assert_equal(sum[i].time, i % 2 ? 14.125 + 2.125 : 14.125 + 6.125 + 8);
}

static void no_segments_take_no_time(void **state)
{
    const netmodel_timing_node node[] = { { NULL, 0 }, { NULL, 0 } };
    netmodel_timing graph = { node, 2, NULL, 0 };
    (void)state;

    assert_int_equal(netmodel_timing_predict(&graph, scratch, sum, NULL, &total, NULL), NETMODEL_OK);
    assert_equal(total.time, 0);
    assert_int_equal(total.node, 0);
}

/*=============================================================================
 * Source lines
 *===========================================================================*/
static void lines_by_their_part_of_the_time(void **state)
{
    char other_place[] = "solve.c"; /* another pointer, the same name */
    const netmodel_segment sender[] = { { .seconds = 1, .file = "solve.c", .line = 80 },
                                        { .kind = NETMODEL_SEGMENT_SEND, .peer = 1, .file = "solve.c", .line = 90 } };
    const netmodel_segment receiver[] = {
        { .seconds = 0.5, .file = "solve.c", .line = 84 },
        { .kind = NETMODEL_SEGMENT_RECEIVE, .file = "solve.c", .line = 92 },
        { .seconds = 64, .file = other_place, .line = 84 },
        { .seconds = 1, .file = "solve.h", .line = 84 },
        { .seconds = 0.25, .line = 84 },
        { .seconds = 6.625, .file = "solve.c", .line = 84 },
    };
    const netmodel_timing_node node[] = { NODE(sender), NODE(receiver) };
    netmodel_timing graph = graph_of(node, 2);
    size_t count = 99;
    (void)state;

    predict(&graph);
    assert_int_equal(netmodel_timing_lines(&graph, sum, span, 1, lines, &count), NETMODEL_OK);
    assert_int_equal(count, 4);
    assert_string_equal(lines[0].file, "solve.c");
    assert_int_equal(lines[0].line, 84);
    assert_int_equal(lines[0].first, 0);
    assert_int_equal(lines[0].segments, 3);
    assert_equal(lines[0].working, 71.125);
    assert_equal(lines[0].waiting, 0);
    assert_close(lines[0].part, 71.125 / 87, 1e-15);
    assert_int_equal(lines[1].line, 92); /* waits from 0.5 to 1 + 2.125 + 4, then works for 8 */
    assert_equal(lines[1].waiting, 6.625);
    assert_equal(lines[1].working, 8);
    assert_string_equal(lines[2].file, "solve.h");
    assert_null(lines[3].file);
    assert_equal(lines[3].working, 0.25);
    assert_int_equal(netmodel_timing_lines(&graph, sum, span, 0, lines, &count), NETMODEL_OK);
    assert_int_equal(count, 2);
    assert_int_equal(lines[0].line, 90);
}

static void lines_of_a_node_without_time(void **state)
{
    const netmodel_segment nothing[] = { { .line = 3 }, { .line = 1 }, { .line = 3 }, { .line = 2 } };
    const netmodel_timing_node node[] = { NODE(nothing), { NULL, 0 } };
    netmodel_timing graph = graph_of(node, 2);
    size_t count = 99;
    (void)state;

    predict(&graph);
    assert_int_equal(netmodel_timing_lines(&graph, sum, span, 0, lines, &count), NETMODEL_OK);
    assert_int_equal(count, 3); /* of equals the first in the program is first */
    assert_int_equal(lines[0].line, 3);
    assert_int_equal(lines[1].line, 1);
    assert_int_equal(lines[2].line, 2);
    assert_equal(lines[0].part, 0);
    assert_int_equal(netmodel_timing_lines(&graph, sum, span, 1, NULL, &count), NETMODEL_OK);
    assert_int_equal(count, 0);
}

static void lines_refuse_the_impossible(void **state)
{
    const netmodel_segment one[] = { CODE(1) };
    const netmodel_timing_node node[] = { NODE(one) };
    netmodel_timing graph = graph_of(node, 1), nowhere = { NULL, 1, NULL, 0 };
    size_t count = 99;
    (void)state;

    predict(&graph);
    assert_int_equal(netmodel_timing_lines(&graph, sum, span, 1, lines, &count), NETMODEL_UNKNOWN_NODE);
    assert_int_equal(count, 0);
    assert_int_equal(netmodel_timing_lines(&graph, sum, span, 0, NULL, &count), NETMODEL_MISSING);
    assert_int_equal(netmodel_timing_lines(&graph, sum, NULL, 0, lines, &count), NETMODEL_MISSING);
    assert_int_equal(netmodel_timing_lines(&graph, NULL, span, 0, lines, &count), NETMODEL_MISSING);
    {
        const netmodel_timing_node hollow[] = { { NULL, 1 } };
        netmodel_timing holes = graph;
        holes.node = hollow;
        holes.nodes = 1;
        count = 9;
        assert_int_equal(netmodel_timing_lines(&holes, sum, span, 0, lines, &count), NETMODEL_MISSING);
        assert_int_equal(count, 0);
    }
    assert_int_equal(netmodel_timing_lines(&nowhere, sum, span, 0, lines, &count), NETMODEL_MISSING);
    assert_int_equal(netmodel_timing_lines(NULL, sum, span, 0, lines, &count), NETMODEL_MISSING);
    assert_int_equal(netmodel_timing_lines(&graph, sum, span, 0, lines, NULL), NETMODEL_MISSING);
}

/*=============================================================================
 * What is refused, and where
 *===========================================================================*/
static void refused(const netmodel_timing_node *node, size_t nodes, netmodel_result result, size_t at, size_t segment)
{
    netmodel_timing graph = graph_of(node, nodes);
    netmodel_timing_place where = { 99, 99 };
    size_t segments = netmodel_timing_segments(&graph);

    memset(&total, 1, sizeof total);
    memset(sum, 1, sizeof sum);
    memset(span, 1, sizeof span);
    assert_int_equal(netmodel_timing_predict(&graph, scratch, sum, span, &total, &where), result);
    assert_int_equal(where.node, at);
    assert_int_equal(where.segment, segment);
    assert_equal(total.time, 0);
    assert_int_equal(total.node, 0);
    for (size_t i = 0; i < nodes; ++i) assert_equal(sum[i].time + sum[i].waiting + sum[i].working, 0);
    for (size_t i = 0; i < segments; ++i) assert_equal(span[i].begin + span[i].ready + span[i].end, 0);
    assert_int_equal(netmodel_timing_predict(&graph, scratch, sum, span, &total, NULL), result);
}

static void bad_segments(void **state)
{
    static const double bad[] = { -1, -INFINITY, INFINITY, NAN };
    const netmodel_segment fine[] = { CODE(1) }, kind[] = { CODE(1), CODE(1), { .kind = (netmodel_segment_kind)3 } };
    const netmodel_segment to[] = { CODE(1), SEND(2, 0, 0, 1) }, from[] = { RECEIVE((size_t)-1, 0) };
    const netmodel_segment next[] = { RECEIVE(2, 0) }; /* one too large */
    const netmodel_segment mode[] = { CODE(1), SEND(0, 0, 5, 1) };
    const netmodel_segment huge[] = { CODE(1e308), CODE(1), CODE(1e308) };
    (void)state;

#define REFUSED(list, code, segment)                                                                                   \
    do {                                                                                                               \
        const netmodel_timing_node node[] = { NODE(fine), NODE(list) };                                                \
        refused(node, 2, (code), 1, (segment));                                                                        \
    } while (0)
    REFUSED(kind, NETMODEL_BAD_OPTION, 2);
    REFUSED(to, NETMODEL_UNKNOWN_NODE, 1);
    REFUSED(from, NETMODEL_UNKNOWN_NODE, 0);
    REFUSED(next, NETMODEL_UNKNOWN_NODE, 0);
    REFUSED(mode, NETMODEL_UNKNOWN_MODE, 1);
    REFUSED(huge, NETMODEL_BAD_TIME, 2);
    for (size_t i = 0; i < COUNT(bad); ++i) {
        const netmodel_segment code[] = { CODE(1), CODE(bad[i]) }, size[] = { SEND(0, 0, 0, bad[i]), CODE(1) };
        REFUSED(code, NETMODEL_BAD_TIME, 1);
        REFUSED(size, NETMODEL_BAD_TIME, 0);
    }
#undef REFUSED
}

/* A line that promises less than no time for so few elements is no delay. */
static void a_send_of_negative_time(void **state)
{
    netmodel_message message = { .send = { .kind = NETMODEL_DELAY_LINE, .line = { 4.10604e-07, -0.0031578 } } };
    netmodel_mode mode = { .messages = { .fallback = &message } };
    const netmodel_segment sender[] = { SEND(1, 0, 0, 8e3), SEND(1, 0, 0, 7e3) };
    const netmodel_segment receiver[] = { RECEIVE(0, 0), RECEIVE(0, 0) };
    const netmodel_timing_node node[] = { NODE(sender), NODE(receiver) };
    netmodel_timing graph = { node, 2, &mode, 1 };
    netmodel_timing_place where;
    (void)state;

    assert_int_equal(netmodel_timing_predict(&graph, scratch, sum, span, &total, &where), NETMODEL_BAD_TIME);
    assert_int_equal(where.node, 0);
    assert_int_equal(where.segment, 1);
}

static void messages_without_a_partner(void **state)
{
    const netmodel_segment fine[] = { SEND(1, 0, 0, 1), RECEIVE(1, 0) }, back[] = { RECEIVE(0, 0), SEND(0, 0, 0, 1) };
    const netmodel_segment once_more[] = { SEND(0, 0, 0, 1), RECEIVE(0, 0), CODE(1), RECEIVE(0, 0) };
    const netmodel_segment number[] = { SEND(0, 0, 0, 1), CODE(1), RECEIVE(0, 1) },
                           twice[] = { SEND(1, 0, 0, 1), CODE(1), SEND(1, 0, 0, 1) };
    const netmodel_segment one[] = { RECEIVE(0, 0) }, third[] = { CODE(1), RECEIVE(0, 0) };
    const netmodel_timing_node no_send[] = { NODE(fine), NODE(once_more) }, no_receive[] = { NODE(twice), NODE(one) };
    const netmodel_timing_node other[] = { NODE(fine), NODE(number) },
                               wrong[] = { NODE(fine), NODE(back), NODE(third) };
    (void)state;

    refused(no_send, 2, NETMODEL_NO_SEND, 1, 3);
    refused(no_receive, 2, NETMODEL_NO_RECEIVE, 0, 2);
    refused(other, 2, NETMODEL_NO_RECEIVE, 0, 0); /* the first of the two that are alone */
    refused(wrong, 3, NETMODEL_NO_SEND, 2, 1);
}

static void circles_of_waits(void **state)
{
    const netmodel_segment first_receives[] = { CODE(1), RECEIVE(1, 0), SEND(1, 0, 0, 1) };
    const netmodel_segment also[] = { RECEIVE(0, 0), SEND(0, 0, 0, 1) };
    const netmodel_segment first_sends[] = { CODE(1), SEND(1, 0, 1, 1), RECEIVE(1, 0) };
    const netmodel_segment also_sends[] = { SEND(0, 0, 1, 1), RECEIVE(0, 0) };
    const netmodel_segment self[] = { CODE(2), RECEIVE(0, 0), SEND(0, 0, 0, 1) },
                           self_sync[] = { SEND(0, 0, 1, 1), RECEIVE(0, 0) };
    const netmodel_timing_node receives[] = { NODE(first_receives), NODE(also) };
    const netmodel_timing_node sends[] = { NODE(first_sends), NODE(also_sends) };
    const netmodel_timing_node alone[] = { NODE(self) }, alone_sync[] = { NODE(self_sync) };
    /* 0 waits for 1, which is through; 2 waits for 4, 4 for 3, 3 for 4: the circle is 3 and 4, and 2 is not in it */
    const netmodel_segment zero[] = { RECEIVE(1, 0) }, one[] = { SEND(0, 0, 0, 1) };
    const netmodel_segment two[] = { CODE(1), RECEIVE(4, 1) };
    const netmodel_segment three[] = { CODE(1), CODE(1), RECEIVE(4, 0), SEND(4, 0, 0, 1) };
    const netmodel_segment four[] = { RECEIVE(3, 0), SEND(3, 0, 0, 1), SEND(2, 1, 0, 1) };
    const netmodel_timing_node tail[] = { NODE(zero), NODE(one), NODE(two), NODE(three), NODE(four) };
    (void)state;

    refused(receives, 2, NETMODEL_DEADLOCK, 0, 1);
    refused(sends, 2, NETMODEL_DEADLOCK, 0, 1);
    refused(alone, 1, NETMODEL_DEADLOCK, 0, 1);
    refused(alone_sync, 1, NETMODEL_DEADLOCK, 0, 0);
    refused(tail, 5, NETMODEL_DEADLOCK, 3, 2);
}

static void arrays_that_are_missing(void **state)
{
    const netmodel_segment one[] = { CODE(1) };
    const netmodel_timing_node node[] = { NODE(one) }, hollow[] = { { NULL, 1 } };
    netmodel_timing graph = graph_of(node, 1), bad;
    netmodel_timing_place where = { 99, 99 };
    (void)state;

#define MISSING(graph, total, sum, span, scratch)                                                                      \
    assert_int_equal(netmodel_timing_predict(graph, scratch, sum, span, total, &where), NETMODEL_MISSING)
    MISSING(NULL, &total, sum, span, scratch);
    MISSING(&graph, NULL, sum, span, scratch);
    MISSING(&graph, &total, NULL, span, scratch);
    MISSING(&graph, &total, sum, NULL, scratch);
    MISSING(&graph, &total, sum, span, NULL);
    bad = graph, bad.node = NULL;
    MISSING(&bad, &total, sum, span, scratch);
    assert_int_equal(netmodel_timing_segments(&bad), 0);
    bad = graph, bad.mode = NULL;
    MISSING(&bad, &total, sum, span, scratch);
    bad = graph, bad.node = hollow;
    MISSING(&bad, &total, sum, span, scratch);
#undef MISSING
    bad = graph, bad.nodes = 0;
    assert_int_equal(netmodel_timing_predict(&bad, scratch, sum, span, &total, &where), NETMODEL_EMPTY);
    assert_int_equal(where.node, 99);
}

/*=============================================================================
 * Random programs
 *===========================================================================*/
static netmodel_segment random_segments[NODES][SEGMENTS];
static netmodel_timing_node random_nodes[NODES];

static int random_add(size_t node, netmodel_segment segment)
{
    if (random_nodes[node].count >= SEGMENTS) return 0;
    random_segments[node][random_nodes[node].count++] = segment;
    return 1;
}

/* Written in an order in which it could run: a receive after its send, or at once if that is synchronous. So there is no
 * circle. Synchronous messages have numbers of their own. */
static size_t random_program(uint64_t *seed)
{
    enum { OPEN = 6 };
    size_t nodes = 1 + random_next(seed) % NODES, events = random_next(seed) % 150, open = 0;
    netmodel_segment receives[OPEN];
    size_t receiver[OPEN];

    for (size_t i = 0; i < nodes; ++i) {
        random_nodes[i].segment = random_segments[i];
        random_nodes[i].count = 0;
    }
    for (size_t event = 0; event < events || open > 0; ++event) {
        size_t a = random_next(seed) % nodes, b = random_next(seed) % nodes, mode = random_next(seed) % 5;
        netmodel_segment code = { .seconds = random_between(seed, 0, 10), .line = (int)(random_next(seed) % 5) };
        int synchronous = modes[mode].synchronous;
        size_t number = random_next(seed) % 2 + (synchronous ? 10 : 0);
        netmodel_segment send = SEND(b, number, mode, random_between(seed, 0, 1e6)), receive = RECEIVE(a, number);

        if (open == OPEN || event >= events) { /* one of those that are on the way is received */
            size_t k = random_next(seed) % open;
            assert_true(random_add(receiver[k], receives[k]));
            receives[k] = receives[--open];
            receiver[k] = receiver[open];
            continue;
        }
        if (random_nodes[a].count > SEGMENTS / 2 || random_nodes[b].count > SEGMENTS / 2) continue;
        if (random_next(seed) % 2 || (synchronous && a == b)) {
            random_add(a, code);
        } else if (synchronous) {
            random_add(a, send);
            random_add(b, receive);
        } else {
            random_add(a, send);
            receives[open] = receive;
            receiver[open++] = b;
        }
    }
    return nodes;
}

/* The k-th receive of a message for its k-th send, or the other way round, by counting both from the start. */
static void slow_partner(size_t node, size_t index, size_t *peer, size_t *other)
{
    const netmodel_segment *own = &random_segments[node][index];
    netmodel_segment_kind wanted =
        own->kind == NETMODEL_SEGMENT_SEND ? NETMODEL_SEGMENT_RECEIVE : NETMODEL_SEGMENT_SEND;
    size_t before = 0;

    for (size_t i = 0; i < index; ++i) {
        const netmodel_segment *s = &random_segments[node][i];
        before += s->kind == own->kind && s->peer == own->peer && s->message == own->message;
    }
    *peer = own->peer;
    for (*other = 0;; ++*other) {
        const netmodel_segment *s = &random_segments[*peer][*other];
        if (s->kind == wanted && s->peer == node && s->message == own->message && before-- == 0) return;
    }
}

/* All times begin at 0 and are computed from all others again and again, until nothing changes. */
static void slow_times(size_t nodes, netmodel_timing_span times[NODES][SEGMENTS])
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t n = 0; n < nodes; ++n)
            for (size_t i = 0; i < random_nodes[n].count; ++i) {
                const netmodel_segment *s = &random_segments[n][i], *send = s;
                netmodel_timing_span *own = &times[n][i], *other = own, now = *own;
                double receive = 0, work = s->seconds;
                size_t peer = n, index = i;

                now.begin = now.ready = i > 0 ? times[n][i - 1].end : 0;
                if (s->kind != NETMODEL_SEGMENT_CODE) {
                    slow_partner(n, i, &peer, &index);
                    other = &times[peer][index];
                    if (s->kind == NETMODEL_SEGMENT_RECEIVE) send = &random_segments[peer][index];
                    const netmodel_mode *mode = &modes[send->mode];
                    const netmodel_message *message = mode->messages.fallback;
                    const double size = send->size;
                    const double side =
                        message ? netmodel_delay_time(&message->pack, size) + netmodel_delay_time(&message->send, size)
                                : 0;
                    const double transmit = message ? netmodel_delay_time(&message->transmit, size) : 0;
                    receive = message ? netmodel_delay_time(&message->receive, size) : 0;
                    work = s->kind == NETMODEL_SEGMENT_SEND ? side : receive;
                    if (mode->synchronous) now.ready = fmax(now.begin, other->begin);
                    if (s->kind == NETMODEL_SEGMENT_RECEIVE) {
                        double start = mode->synchronous ? now.ready : other->begin;
                        now.ready = fmax(now.ready, start + (mode->end_to_end ? 0 : side) + transmit);
                    }
                }
                now.end = now.ready + work;
                if (now.end != own->end || now.ready != own->ready || now.begin != own->begin) changed = 1;
                *own = now;
            }
    }
}

static void random_programs_equal_a_fixed_point(void **state)
{
    static netmodel_timing_span times[NODES][SEGMENTS];
    netmodel_message message = { .pack = (netmodel_delay){ .link = { 0.1, 0 } },
                                 .send = (netmodel_delay){ .link = { 0.3, 1e-6 } },
                                 .transmit = (netmodel_delay){ .link = { 0.7, 3e-6 } },
                                 .receive = (netmodel_delay){ .link = { 0.2, 2e-6 } } };
    uint64_t seed = 7;
    size_t messages = 0;
    (void)state;

    for (size_t i = 0; i < 4; ++i) modes[i].messages.fallback = &message;
    for (int round = 0; round < 3000; ++round) {
        netmodel_timing graph = graph_of(random_nodes, random_program(&seed));
        netmodel_timing_place where = { 99, 99 };
        double slowest = 0;

        /* working space exactly as large as it says, so that a sanitizer sees who goes beyond */
        size_t *exact = malloc(netmodel_timing_scratch(&graph) * sizeof *exact);
        assert_int_equal(netmodel_timing_predict(&graph, exact, sum, span, &total, &where), NETMODEL_OK);
        free(exact);
        memset(times, 0, sizeof times);
        slow_times(graph.nodes, times);
        for (size_t n = 0; n < graph.nodes; ++n) {
            double waiting = 0, working = 0, end = 0;
            for (size_t i = 0; i < random_nodes[n].count; ++i) {
                const netmodel_timing_span *own = &span[sum[n].first + i];
                assert_equal(own->begin, times[n][i].begin);
                assert_equal(own->ready, times[n][i].ready);
                assert_equal(own->end, times[n][i].end);
                waiting += own->ready - own->begin;
                working += own->end - own->ready;
                end = own->end;
                if (random_segments[n][i].kind != NETMODEL_SEGMENT_CODE) {
                    size_t peer, other;
                    slow_partner(n, i, &peer, &other);
                    assert_int_equal(own->partner, sum[peer].first + other);
                    ++messages;
                } else {
                    assert_int_equal(own->partner, sum[n].first + i);
                }
            }
            assert_equal(sum[n].time, end);
            assert_equal(sum[n].waiting, waiting);
            assert_equal(sum[n].working, working);
            slowest = fmax(slowest, end);

            /* the lines of a node add up to its time, the dearest first */
            size_t count;
            double parts = 0;
            assert_int_equal(netmodel_timing_lines(&graph, sum, span, n, lines, &count), NETMODEL_OK);
            for (size_t i = 0; i < count; ++i) {
                parts += lines[i].part;
                if (i > 0) assert_true(lines[i].part <= lines[i - 1].part);
                for (size_t k = 0; k < i; ++k) assert_int_not_equal(lines[i].line, lines[k].line);
            }
            if (end > 0) assert_close(parts, 1, 1e-12);
        }
        assert_equal(total.time, slowest);
        assert_equal(sum[total.node].time, slowest);
    }
    assert_true(messages > 50000);
    set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_waiting_the_larger_sum_is_the_time),
        cmocka_unit_test(a_receive_waits_for_its_send),
        cmocka_unit_test(a_message_waits_for_a_late_receive),
        cmocka_unit_test(a_synchronous_send_waits_for_its_receive),
        cmocka_unit_test(together_counts_from_the_begin),
        cmocka_unit_test(messages_of_a_number_stay_in_order),
        cmocka_unit_test(a_node_may_send_to_itself),
        cmocka_unit_test(a_ring_of_synchronous_sends),
        cmocka_unit_test(no_segments_take_no_time),
        cmocka_unit_test(lines_by_their_part_of_the_time),
        cmocka_unit_test(lines_of_a_node_without_time),
        cmocka_unit_test(lines_refuse_the_impossible),
        cmocka_unit_test(bad_segments),
        cmocka_unit_test(a_send_of_negative_time),
        cmocka_unit_test(messages_without_a_partner),
        cmocka_unit_test(circles_of_waits),
        cmocka_unit_test(arrays_that_are_missing),
        cmocka_unit_test(random_programs_equal_a_fixed_point),
    };
    return cmocka_run_group_tests_name("timing", tests, set_up, NULL);
}
