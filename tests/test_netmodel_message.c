/* Room message of netmodel.h: delays of every kind, the moments of a message, tables of pairs; and what LogGOPSim says
 * of two collective operations, both by message delays alone and as timing graphs, to the nanosecond. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const double curve_bytes[] = { 0, 1000, 1000, 5000 }, curve_seconds[] = { 1e-3, 2e-3, 4e-3, 8e-3 };

static netmodel_curve a_curve(void)
{
    netmodel_curve curve;

    assert_int_equal(netmodel_curve_init(curve_bytes, curve_seconds, 4, &curve, NULL), NETMODEL_OK);
    return curve;
}

static netmodel_message a_message(void)
{
    netmodel_message message = { .pack = { .kind = NETMODEL_DELAY_LINE, .line = { 1e-8, 1e-6 } },
                                 .send = (netmodel_delay){ .link = { 2e-3, 0 } },
                                 .transmit = { .kind = NETMODEL_DELAY_CURVE, .curve = a_curve() },
                                 .receive = (netmodel_delay){ .link = netmodel_link_of(60e-6, 12.5e6) } };
    return message;
}

/*=============================================================================
 * Delays
 *===========================================================================*/
static void a_delay_is_what_its_kind_says(void **state)
{
    netmodel_delay none = { 0 }, constant = (netmodel_delay){ .link = { 3e-3, 0 } };
    netmodel_delay link = (netmodel_delay){ .link = { 60e-6, 80e-9 } };
    netmodel_delay line = { .kind = NETMODEL_DELAY_LINE, .line = { 4.10604e-07, -0.0031578 } };
    netmodel_delay curve = { .kind = NETMODEL_DELAY_CURVE, .curve = a_curve() };
    static const double sizes[] = { 0, 1, 500, 999, 1000, 4000, 1e6, 1e12 };
    (void)state;

    for (size_t i = 0; i < COUNT(sizes); ++i) {
        assert_equal(netmodel_delay_time(&none, sizes[i]), 0);
        assert_equal(netmodel_delay_time(&constant, sizes[i]), 3e-3);
        assert_equal(netmodel_delay_time(&link, sizes[i]), netmodel_link_time(&link.link, sizes[i]));
        assert_equal(netmodel_delay_time(&curve, sizes[i]), netmodel_curve_time(&curve.curve, sizes[i]));
    }
    assert_equal(netmodel_delay_time(&curve, 1000), 4e-3);
    assert_equal(netmodel_delay_time(&line, 40000), netmodel_line_time(&line.line, 40000));
    assert_nan(netmodel_delay_time(&line, 7000)); /* less than no time */
}

static void a_delay_refuses_the_impossible(void **state)
{
    static const double bad[] = { -1, -INFINITY, INFINITY, NAN };
    netmodel_delay unknown = { .kind = (netmodel_delay_kind)3 };
    netmodel_delay empty = { .kind = NETMODEL_DELAY_CURVE };
    (void)state;

    assert_nan(netmodel_delay_time(&unknown, 1));
    assert_nan(netmodel_delay_time(&empty, 1));
    for (size_t i = 0; i < COUNT(bad); ++i) {
        netmodel_delay none = { 0 }, constant = (netmodel_delay){ .link = { bad[i], 0 } };
        netmodel_delay latency = (netmodel_delay){ .link = { bad[i], 0 } };
        netmodel_delay byte_time = (netmodel_delay){ .link = { 0, bad[i] } };
        netmodel_delay line = { .kind = NETMODEL_DELAY_LINE, .line = { 0, bad[i] } };
        assert_nan(netmodel_delay_time(&none, bad[i]));
        assert_nan(netmodel_delay_time(&constant, 1));
        assert_nan(netmodel_delay_time(&latency, 1));
        assert_nan(netmodel_delay_time(&byte_time, 1));
        assert_nan(netmodel_delay_time(&line, 1));
        line = (netmodel_delay){ .kind = NETMODEL_DELAY_LINE, .line = { bad[i], 0 } };
        assert_nan(netmodel_delay_time(&line, 1));
    }
}

/* A time that no double holds is infinite, as with the link, the line and the curve themselves. */
static void a_delay_beyond_doubles_is_infinite(void **state)
{
    static const double bytes[] = { 1, 4000 }, seconds[] = { 50e-6, 1e308 };
    netmodel_delay link = { .link = { 0, 1e308 } };
    netmodel_delay line = { .kind = NETMODEL_DELAY_LINE, .line = { 1e308, 0 } };
    netmodel_delay curve = { .kind = NETMODEL_DELAY_CURVE, .curve = { bytes, seconds, 2 } };
    (void)state;

    assert_equal(netmodel_delay_time(&curve, 4000), 1e308);
    assert_true(isinf(netmodel_delay_time(&link, 8000)));
    assert_true(isinf(netmodel_delay_time(&line, 8000)));
    assert_true(isinf(netmodel_delay_time(&curve, 8000)));
}

/*=============================================================================
 * Messages
 *===========================================================================*/
static void a_message_is_the_sum_of_its_delays(void **state)
{
    netmodel_message zero = { 0 }, message = a_message();
    (void)state;

    assert_equal(netmodel_message_time(&zero, 1e9), 0);
    assert_close(netmodel_message_time(&message, 1000), 11e-6 + 2e-3 + 4e-3 + 140e-6, 1e-15);
    for (double bytes = 0; bytes < 1e4; bytes += 77)
        assert_close(netmodel_message_time(&message, bytes),
                     netmodel_delay_time(&message.pack, bytes) + netmodel_delay_time(&message.send, bytes) +
                         netmodel_delay_time(&message.transmit, bytes) + netmodel_delay_time(&message.receive, bytes),
                     1e-15);
}

static void a_receiver_waits_or_comes_late(void **state)
{
    netmodel_message message = a_message();
    netmodel_message_times waits = netmodel_message_when(&message, 1000, 5, 4);
    netmodel_message_times late = netmodel_message_when(&message, 1000, 5, 7);
    (void)state;

    assert_close(waits.sent, 5.002011, 1e-15);
    assert_close(waits.arrived, 5.006011, 1e-15);
    assert_close(waits.received, 5.006151, 1e-15);
    assert_equal(late.sent, waits.sent);
    assert_equal(late.arrived, waits.arrived);
    assert_close(late.received, 7.000140, 1e-15);
}

static void a_message_refuses_the_impossible(void **state)
{
    static const double bad[] = { -INFINITY, INFINITY, NAN };
    netmodel_message message = a_message();
    (void)state;

    for (size_t i = 0; i < COUNT(bad); ++i) {
        netmodel_message_times begin = netmodel_message_when(&message, 1, bad[i], 0);
        netmodel_message_times asked = netmodel_message_when(&message, 1, 0, bad[i]);
        assert_nan(netmodel_message_time(&message, bad[i]));
        assert_nan(begin.sent);
        assert_nan(begin.arrived);
        assert_nan(begin.received);
        assert_nan(asked.sent);
        assert_nan(asked.received);
    }
    assert_nan(netmodel_message_time(&message, -1));
    for (int i = 0; i < 4; ++i) {
        netmodel_message broken = a_message();
        netmodel_message_times when;
        *(i == 0   ? &broken.pack
          : i == 1 ? &broken.send
          : i == 2 ? &broken.transmit
                   : &broken.receive) = (netmodel_delay){ .link = { -1, 0 } };
        when = netmodel_message_when(&broken, 1, 0, 0);
        assert_nan(netmodel_message_time(&broken, 1));
        assert_nan(when.sent);
        assert_nan(when.arrived);
        assert_nan(when.received);
    }
}

/*=============================================================================
 * Pairs of hosts
 *===========================================================================*/
static void pairs_have_their_own_delays(void **state)
{
    netmodel_message usual = { 0 }, self = { 0 }, special = { 0 };
    const netmodel_message_pair pairs[] = { { 1, 0, &special }, { 1, 1, &special }, { 3, 7, &special } };
    netmodel_messages table = { 0 };
    size_t where = 99;
    (void)state;

    assert_equal(netmodel_message_time(netmodel_messages_between(&table, 4, 4), 1e6), 0);
    table.fallback = &usual;
    assert_ptr_equal(netmodel_messages_between(&table, 4, 4), &usual);

    assert_int_equal(netmodel_messages_init(&usual, &self, pairs, 3, &table, &where), NETMODEL_OK);
    assert_int_equal(where, 99);
    assert_ptr_equal(netmodel_messages_between(&table, 1, 0), &special);
    assert_ptr_equal(netmodel_messages_between(&table, 0, 1), &usual);
    assert_ptr_equal(netmodel_messages_between(&table, 1, 1), &special);
    assert_ptr_equal(netmodel_messages_between(&table, 2, 2), &self);
    assert_ptr_equal(netmodel_messages_between(&table, 3, 7), &special);
    assert_ptr_equal(netmodel_messages_between(&table, 3, 8), &usual);
    assert_ptr_equal(netmodel_messages_between(&table, (size_t)-1, 0), &usual);

    assert_int_equal(netmodel_messages_init(NULL, NULL, NULL, 0, &table, NULL), NETMODEL_OK);
    assert_equal(netmodel_message_time(netmodel_messages_between(&table, 1, 2), 1e6), 0);
}

static void random_tables_equal_a_linear_scan(void **state)
{
    enum { HOSTS = 9 };
    static netmodel_message messages[HOSTS * HOSTS], usual, self;
    uint64_t seed = 6;
    (void)state;

    for (int round = 0; round < 500; ++round) {
        netmodel_message_pair pairs[HOSTS * HOSTS];
        netmodel_messages table;
        size_t count = 0;
        for (size_t i = 0; i < HOSTS * HOSTS; ++i) {
            if (random_next(&seed) % 3 != 0) continue;
            pairs[count].from = i / HOSTS;
            pairs[count].to = i % HOSTS;
            pairs[count++].message = &messages[i];
        }
        assert_int_equal(netmodel_messages_init(&usual, round % 2 ? &self : NULL, pairs, count, &table, NULL),
                         NETMODEL_OK);
        for (size_t from = 0; from < HOSTS; ++from)
            for (size_t to = 0; to < HOSTS; ++to) {
                const netmodel_message *expected = from == to && round % 2 ? &self : &usual;
                for (size_t i = 0; i < count; ++i)
                    if (pairs[i].from == from && pairs[i].to == to) expected = pairs[i].message;
                assert_ptr_equal(netmodel_messages_between(&table, from, to), expected);
            }
    }
}

static void a_table_says_which_pair_is_wrong(void **state)
{
    static const netmodel_message m;
    const netmodel_message_pair falls[] = { { 0, 1, &m }, { 2, 0, &m }, { 1, 5, &m } };
    const netmodel_message_pair back[] = { { 0, 1, &m }, { 0, 0, &m } }, twice[] = { { 0, 1, &m }, { 0, 1, &m } };
    const netmodel_message_pair missing[] = { { 0, 1, &m }, { 0, 2, NULL } };
    netmodel_messages table;
    size_t where;
    (void)state;

    assert_int_equal(netmodel_messages_init(&m, &m, falls, 3, &table, &where), NETMODEL_PAIRS_DECREASE);
    assert_int_equal(where, 2);
    assert_null(table.fallback);
    assert_null(table.self);
    assert_null(table.pair);
    assert_int_equal(table.count, 0);
    assert_int_equal(netmodel_messages_init(&m, &m, back, 2, &table, &where), NETMODEL_PAIRS_DECREASE);
    assert_int_equal(where, 1);
    assert_int_equal(netmodel_messages_init(&m, &m, twice, 2, &table, NULL), NETMODEL_PAIRS_DECREASE);
    assert_int_equal(netmodel_messages_init(&m, &m, missing, 2, &table, &where), NETMODEL_MISSING);
    assert_int_equal(where, 1);
    where = 99;
    assert_int_equal(netmodel_messages_init(&m, &m, NULL, 1, &table, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_messages_init(&m, &m, falls, 1, NULL, &where), NETMODEL_MISSING);
    assert_int_equal(where, 99);
}

/*=============================================================================
 * LogGOPS: L = 2500 ns, o = 1500 ns, G = 6 ns for every byte after the first (g is below o, so it never shows)
 *===========================================================================*/
enum { RANKS = 32 };

static const double dissemination[] = { 16500, 22000, 27500 };                            /* 8, 16, 32 ranks [ns] */
static const double broadcast[] = { 4500, 8500, 8500, 12500, 8500, 12500, 12500, 16500 }; /* of each of 8 ranks [ns] */

static netmodel_message loggops(void)
{
    netmodel_message message = { .send = (netmodel_delay){ .link = { 1500e-9, 0 } },
                                 .transmit = { .kind = NETMODEL_DELAY_LINE, .line = { 6e-9, 2500e-9 - 6e-9 } },
                                 .receive = (netmodel_delay){ .link = { 1500e-9, 0 } } };
    return message;
}

static long long nanoseconds(double seconds)
{
    assert_true(fabs(seconds * 1e9 - (double)llround(seconds * 1e9)) < 1e-6);
    return llround(seconds * 1e9);
}

/* In round k every rank sends to the one 2^k on, and receives from the one 2^k back. */
static void dissemination_by_messages(void **state)
{
    const netmodel_message message = loggops();
    (void)state;

    for (size_t i = 0; i < COUNT(dissemination); ++i) {
        const size_t ranks = (size_t)8 << i;
        double now[RANKS] = { 0 };
        for (size_t far = 1; far < ranks; far *= 2) {
            double next[RANKS];
            for (size_t r = 0; r < ranks; ++r) {
                const double sent = netmodel_message_when(&message, 1, now[r], 0).sent;
                next[r] = netmodel_message_when(&message, 1, now[(r + ranks - far) % ranks], sent).received;
            }
            for (size_t r = 0; r < ranks; ++r) now[r] = next[r];
        }
        for (size_t r = 0; r < ranks; ++r) assert_int_equal(nanoseconds(now[r]), dissemination[i]);
    }
}

static void broadcast_by_messages(void **state)
{
    const netmodel_message message = loggops();
    double now[8] = { 0 };
    (void)state;

    for (size_t far = 1; far < 8; far *= 2)
        for (size_t r = 0; r < far; ++r) {
            const netmodel_message_times when = netmodel_message_when(&message, 1, now[r], 0);
            now[r] = when.sent;
            now[r + far] = when.received;
        }
    for (size_t r = 0; r < 8; ++r) assert_int_equal(nanoseconds(now[r]), broadcast[r]);
}

/* The same programs as graphs. */
typedef struct program {
    netmodel_segment segment[RANKS][12];
    netmodel_timing_node node[RANKS];
} program;

static void add(program *p, size_t rank, netmodel_segment_kind kind, size_t peer)
{
    const netmodel_segment segment = { .kind = kind, .peer = peer, .size = 1 };

    p->node[rank].segment = p->segment[rank];
    p->segment[rank][p->node[rank].count++] = segment;
}

static double run(const program *p, size_t ranks, netmodel_timing_sum sum[])
{
    const netmodel_message message = loggops();
    const netmodel_mode mode = { .messages = { .fallback = &message } };
    const netmodel_timing graph = { p->node, ranks, &mode, 1 };
    netmodel_timing_total total;
    netmodel_timing_span span[RANKS * 12];
    size_t scratch[RANKS * 14];

    assert_int_equal(netmodel_timing_predict(&graph, scratch, sum, span, &total, NULL), NETMODEL_OK);
    return total.time;
}

static void dissemination_as_a_graph(void **state)
{
    netmodel_timing_sum sum[RANKS];
    (void)state;

    for (size_t i = 0; i < COUNT(dissemination); ++i) {
        const size_t ranks = (size_t)8 << i;
        program p = { 0 };
        for (size_t far = 1; far < ranks; far *= 2)
            for (size_t r = 0; r < ranks; ++r) {
                add(&p, r, NETMODEL_SEGMENT_SEND, (r + far) % ranks);
                add(&p, r, NETMODEL_SEGMENT_RECEIVE, (r + ranks - far) % ranks);
            }
        assert_int_equal(nanoseconds(run(&p, ranks, sum)), dissemination[i]);
        for (size_t r = 0; r < ranks; ++r) assert_int_equal(nanoseconds(sum[r].time), dissemination[i]);
    }
}

static void broadcast_as_a_graph(void **state)
{
    netmodel_timing_sum sum[RANKS];
    program p = { 0 };
    (void)state;

    for (size_t far = 1; far < 8; far *= 2)
        for (size_t r = 0; r < far; ++r) {
            add(&p, r, NETMODEL_SEGMENT_SEND, r + far);
            add(&p, r + far, NETMODEL_SEGMENT_RECEIVE, r);
        }
    assert_int_equal(nanoseconds(run(&p, 8, sum)), 16500);
    for (size_t r = 0; r < 8; ++r) assert_int_equal(nanoseconds(sum[r].time), broadcast[r]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delay_is_what_its_kind_says),      cmocka_unit_test(a_delay_refuses_the_impossible),
        cmocka_unit_test(a_delay_beyond_doubles_is_infinite),
        cmocka_unit_test(a_message_is_the_sum_of_its_delays), cmocka_unit_test(a_receiver_waits_or_comes_late),
        cmocka_unit_test(a_message_refuses_the_impossible),   cmocka_unit_test(pairs_have_their_own_delays),
        cmocka_unit_test(random_tables_equal_a_linear_scan),  cmocka_unit_test(a_table_says_which_pair_is_wrong),
        cmocka_unit_test(dissemination_by_messages),          cmocka_unit_test(broadcast_by_messages),
        cmocka_unit_test(dissemination_as_a_graph),           cmocka_unit_test(broadcast_as_a_graph),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
