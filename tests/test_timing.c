/* Rooms message and timing of netmodel.h, and the max-min fair star: closed forms, LogGOPS, and slow second ways. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include "close.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t dice = 1;

/*=============================================================================
 * Messages
 *===========================================================================*/
static void delays_are_constants_links_and_curves(void **state)
{
    static const double bytes[] = { 0, 1000 }, seconds[] = { 1e-3, 2e-3 };
    netmodel_message message = { { { 5e-6, 0 }, { NULL, NULL, 0 } },
                                 { { 20e-6, 1e-9 }, { NULL, NULL, 0 } },
                                 { { 0, 0 }, { bytes, seconds, 2 } },
                                 { { 0, 0 }, { NULL, NULL, 0 } } };
    netmodel_message_times times = netmodel_message_at(&message, 500);

    (void)state;
    assert_close(times.packed, 5e-6, 1e-15);
    assert_close(times.sent, 5e-6 + 20e-6 + 5e-7, 1e-14);
    assert_close(times.arrived, times.sent + 1.5e-3, 1e-14);
    assert_equal(times.received, times.arrived);
    times = netmodel_message_at(&message, -1);
    assert_nan(times.packed);
    assert_nan(times.received);
    message.transmit.link.latency = NAN; /* not looked at: there is a curve */
    assert_close(netmodel_message_at(&message, 0).received, 25e-6 + 1e-3, 1e-14);
}

static void pairs_have_delays_of_their_own(void **state)
{
    netmodel_message self, slow;
    const netmodel_message *pairs[4] = { &self, &slow, NULL, &self };
    netmodel_hosts hosts;

    (void)state;
    memset(&self, 0, sizeof self);
    memset(&hosts, 0, sizeof hosts);
    slow = self;
    hosts.hosts = 2;
    hosts.pairs = pairs;
    slow.transmit.link.latency = 1;
    hosts.standard.transmit.link.latency = 0.5;
    assert_ptr_equal(netmodel_hosts_message(&hosts, 0, 0), &self);
    assert_ptr_equal(netmodel_hosts_message(&hosts, 0, 1), &slow);
    assert_ptr_equal(netmodel_hosts_message(&hosts, 1, 0), &hosts.standard);
    assert_ptr_equal(netmodel_hosts_message(&hosts, 7, 1), &hosts.standard);
    hosts.pairs = NULL;
    assert_ptr_equal(netmodel_hosts_message(&hosts, 0, 1), &hosts.standard);
}

/*=============================================================================
 * Timing graphs
 *===========================================================================*/
enum { NODES = 32, SEGMENTS = 64 };

static netmodel_segment segments[NODES][SEGMENTS];
static netmodel_segment_time times[NODES][SEGMENTS];
static netmodel_timeline nodes[NODES];
static size_t next[NODES];
static netmodel_place place;

static void clear(void)
{
    memset(segments, 0, sizeof segments);
    for (size_t i = 0; i < NODES; i++) {
        nodes[i].segment = segments[i];
        nodes[i].time = times[i];
        nodes[i].count = 0;
    }
    place.node = place.segment = 99;
}

static netmodel_segment *add(size_t node, netmodel_segment_kind kind, size_t peer, double seconds)
{
    netmodel_segment *x = &segments[node][nodes[node].count++];
    x->kind = kind;
    x->peer = peer;
    x->seconds = seconds;
    return x;
}

static double total(size_t count)
{
    double time;
    const netmodel_result result = netmodel_timing(nodes, count, &time, next, &place);
    if (result != NETMODEL_OK) fail_msg("%s", netmodel_result_text(result));
    return time;
}

static netmodel_result refused(size_t count)
{
    double time = 7;
    const netmodel_result result = netmodel_timing(nodes, count, &time, next, &place);
    assert_nan(time);
    return result;
}

/* L = 2500, o = 1500, g = 1000, G = 6 ns a byte: a send keeps its node o + (s-1) G busy, the receive can begin L later and
 * takes o. For one byte. */
static const double latency = 2500e-9, overhead = 1500e-9;

static void send_byte(size_t from, size_t to)
{
    netmodel_message message;
    netmodel_message_times at;

    memset(&message, 0, sizeof message);
    message.send.link.latency = overhead - 6e-9; /* so that one byte costs o */
    message.send.link.byte_time = 6e-9;
    message.transmit.link.latency = latency;
    message.receive.link.latency = overhead;
    at = netmodel_message_at(&message, 1);
    add(from, NETMODEL_SEND, to, at.sent)->ready = at.arrived;
    add(to, NETMODEL_RECEIVE, from, netmodel_delay_time(&message.receive, 1));
}

/* Dissemination: in round k rank i sends to i + 2^k and receives from i - 2^k. 16500, 22000, 27500 ns. */
static void dissemination_takes_what_loggops_says(void **state)
{
    static const double expected[] = { 16500, 22000, 27500 };

    (void)state;
    for (int i = 0; i < 3; i++) {
        const size_t ranks = (size_t)8 << i;
        clear();
        for (size_t step = 1; step < ranks; step *= 2) {
            for (size_t rank = 0; rank < ranks; rank++)
                add(rank, NETMODEL_SEND, (rank + step) % ranks, overhead)->ready = overhead + latency;
            for (size_t rank = 0; rank < ranks; rank++)
                add(rank, NETMODEL_RECEIVE, (rank + ranks - step) % ranks, overhead);
        }
        assert_true(fabs(total(ranks) * 1e9 - expected[i]) < 1e-3);
    }
}

/* Binomial broadcast over 8 ranks: who has it sends it to the rank 1, then 2, then 4 further on. */
static void broadcast_takes_what_loggops_says(void **state)
{
    static const double expected[] = { 4500, 8500, 8500, 12500, 8500, 12500, 12500, 16500 };

    (void)state;
    clear();
    for (size_t step = 1; step < 8; step *= 2)
        for (size_t rank = 0; rank < step; rank++) send_byte(rank, rank + step);
    assert_true(fabs(total(8) * 1e9 - 16500) < 1e-3);
    for (size_t rank = 0; rank < 8; rank++)
        assert_true(fabs(times[rank][nodes[rank].count - 1].end * 1e9 - expected[rank]) < 1e-3);
}

/* [dpgraph] figure 3: code, message, code on two nodes. */
static void a_program_takes_its_longest_node(void **state)
{
    (void)state;
    clear();
    add(0, NETMODEL_CODE, 0, 1);
    add(0, NETMODEL_SEND, 1, 0.5);
    add(0, NETMODEL_CODE, 0, 2);
    add(1, NETMODEL_CODE, 0, 0.25);
    add(1, NETMODEL_RECEIVE, 0, 0.75);
    add(1, NETMODEL_CODE, 0, 1);
    assert_close(total(2), 3.5, 1e-15);
    assert_close(times[1][1].waited, 0.75, 1e-15);
    assert_close(times[1][2].end, 2.75, 1e-15);
    segments[0][1].synchronous = 1; /* the receiver waits already: nothing changes */
    assert_close(total(2), 3.5, 1e-15);
    segments[1][0].seconds = 4; /* now the sender waits */
    assert_close(total(2), 6.5, 1e-15);
    assert_close(times[0][1].waited, 3, 1e-15);
    segments[0][1].synchronous = 0;
    assert_close(total(2), 5.75, 1e-15);
    assert_close(times[0][2].end, 3.5, 1e-15);
    assert_equal(total(0), 0);
    clear();
    assert_equal(total(4), 0); /* nodes without anything to do */
    add(0, NETMODEL_SEND, 0, 1);
    add(0, NETMODEL_RECEIVE, 0, 1); /* to itself */
    assert_close(total(1), 2, 1e-15);
}

/* Messages of one pair and tag match in order, others as they say. */
static void tags_match_in_order(void **state)
{
    (void)state;
    clear();
    add(0, NETMODEL_SEND, 1, 1)->tag = 5;
    add(0, NETMODEL_SEND, 1, 1)->tag = 6;
    add(0, NETMODEL_SEND, 1, 1)->tag = 5;
    for (int i = 0; i < 3; i++) segments[0][i].ready = 10.0 * (i + 1);
    add(1, NETMODEL_RECEIVE, 0, 0)->tag = 6;
    add(1, NETMODEL_RECEIVE, 0, 0)->tag = 5;
    add(1, NETMODEL_RECEIVE, 0, 0)->tag = 5;
    assert_close(total(2), 32, 1e-15);
    assert_close(times[1][0].end, 21, 1e-15);
    assert_close(times[1][1].end, 21, 1e-15); /* it was there at 10 */
}

/* Random programs: a global order of events guarantees that none waits in a circle; computed again by repetition until
 * nothing changes. */
static void random_programs_equal_a_slow_way(void **state)
{
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        const size_t count = 2 + (size_t)random_between(&dice, 0, 6);
        double ends[NODES] = { 0 };
        clear();
        for (int event = 0; event < 60; event++) {
            const size_t a = (size_t)random_between(&dice, 0, (double)count),
                         b = (size_t)random_between(&dice, 0, (double)count);
            const double s = random_between(&dice, 0, 1), r = random_between(&dice, 0, 1),
                         ready = random_between(&dice, 0, 3);
            if (nodes[a].count + 2 > SEGMENTS || nodes[b].count + 2 > SEGMENTS) continue;
            if (a == b || event % 3 == 0) {
                add(a, NETMODEL_CODE, 0, s);
                ends[a] += s;
            } else {
                const int synchronous = event % 5 == 0;
                netmodel_segment *x = add(a, NETMODEL_SEND, b, s);
                double begin = synchronous && ends[b] > ends[a] ? ends[b] : ends[a];
                x->ready = ready;
                x->synchronous = synchronous;
                x->tag = (int)random_between(&dice, 0, 2);
                add(b, NETMODEL_RECEIVE, a, r)->tag = x->tag;
                ends[a] = begin + s;
                ends[b] = (ends[b] > begin + ready ? ends[b] : begin + ready) + r;
            }
        }
        {
            double longest = 0;
            for (size_t i = 0; i < count; i++) longest = fmax(longest, ends[i]);
            assert_close(total(count), longest, 1e-12);
            for (size_t i = 0; i < count; i++)
                if (nodes[i].count > 0) assert_close(times[i][nodes[i].count - 1].end, ends[i], 1e-12);
        }
    }
}

static void lines_take_their_part(void **state)
{
    netmodel_line_time_share lines[8];
    static const char here[] = "a.c", same[] = "a.c";

    (void)state;
    clear();
    for (int i = 0; i < 4; i++) {
        netmodel_segment *x = add(0, NETMODEL_CODE, 0, 2);
        x->file = i % 2 ? here : same;
        x->line = 84;
    }
    add(0, NETMODEL_RECEIVE, 1, 1)->line = 90;
    add(0, NETMODEL_CODE, 0, 0);
    add(1, NETMODEL_CODE, 0, 9);
    add(1, NETMODEL_SEND, 0, 1);
    assert_close(total(2), 10, 1e-15);
    assert_int_equal(netmodel_timing_lines(&nodes[0], lines, 8), 3);
    assert_string_equal(lines[0].file, "a.c");
    assert_int_equal(lines[0].line, 84);
    assert_close(lines[0].seconds, 8, 1e-15);
    assert_close(lines[0].part, 0.8, 1e-15);
    assert_null(lines[1].file);
    assert_int_equal(lines[1].line, 90);
    assert_close(lines[1].waited, 1, 1e-15);
    assert_close(lines[1].part, 0.2, 1e-15);
    assert_int_equal(netmodel_timing_lines(&nodes[0], lines, 1), 3);
    assert_int_equal(netmodel_timing_lines(&nodes[0], NULL, 0), 3);
    assert_int_equal(netmodel_timing_lines(&nodes[5], lines, 8), 0);
}

static void graphs_that_cannot_be_are_named(void **state)
{
    double time;

    (void)state;
    clear();
    add(0, NETMODEL_CODE, 0, 1);
    add(0, NETMODEL_RECEIVE, 1, 1);
    assert_int_equal(refused(2), NETMODEL_NO_SEND);
    assert_int_equal(place.node, 0);
    assert_int_equal(place.segment, 1);
    add(1, NETMODEL_SEND, 0, 1)->tag = 3;
    assert_int_equal(refused(2), NETMODEL_NO_SEND);
    segments[1][0].tag = 0;
    assert_int_equal((int)(total(2) > 0), 1);
    add(1, NETMODEL_SEND, 0, 1);
    assert_int_equal(refused(2), NETMODEL_NO_RECEIVE);
    assert_int_equal(place.node, 1);
    assert_int_equal(place.segment, 1);
    segments[1][1].peer = 2;
    assert_int_equal(refused(2), NETMODEL_NO_SUCH_NODE);
    segments[1][1].peer = 0;
    add(0, NETMODEL_RECEIVE, 1, NAN);
    assert_int_equal(refused(2), NETMODEL_NOT_FINITE);
    segments[0][2].seconds = -1;
    assert_int_equal(refused(2), NETMODEL_NEGATIVE);
    segments[0][2].seconds = 1;
    segments[1][0].ready = -1;
    assert_int_equal(refused(2), NETMODEL_NEGATIVE);
    segments[1][0].ready = INFINITY;
    assert_int_equal(refused(2), NETMODEL_NOT_FINITE);
    segments[1][0].ready = 0;
    segments[0][0].kind = (netmodel_segment_kind)9;
    assert_int_equal(refused(2), NETMODEL_BAD_CHOICE);

    clear(); /* two that receive first */
    add(0, NETMODEL_RECEIVE, 1, 1);
    add(0, NETMODEL_SEND, 1, 1);
    add(1, NETMODEL_RECEIVE, 0, 1);
    add(1, NETMODEL_SEND, 0, 1);
    assert_int_equal(refused(2), NETMODEL_NEVER);
    assert_int_equal(place.node, 0);
    assert_int_equal(place.segment, 0);
    clear(); /* to itself, synchronously */
    add(0, NETMODEL_SEND, 0, 1)->synchronous = 1;
    add(0, NETMODEL_RECEIVE, 0, 1);
    assert_int_equal(refused(1), NETMODEL_NEVER);
    assert_int_equal(netmodel_timing(nodes, 1, NULL, next, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_timing(NULL, 1, &time, next, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_timing(nodes, 1, &time, NULL, NULL), NETMODEL_MISSING);
    nodes[0].time = NULL;
    assert_int_equal(netmodel_timing(nodes, 1, &time, next, NULL), NETMODEL_MISSING);
}

/*=============================================================================
 * The max-min fair star
 *===========================================================================*/
/* Water-filling, slowly: all rates grow by a little until a link is full. */
static void water(size_t count, const double *up, const double *down, size_t flows, const size_t *from,
                  const size_t *to, double *rate)
{
    bool fixed[64] = { false };
    for (size_t i = 0; i < flows; i++) rate[i] = 0;
    for (size_t left = flows; left > 0;) {
        double step = HUGE_VAL;
        for (size_t link = 0; link < 2 * count; link++) {
            double used = 0, growing = 0;
            for (size_t i = 0; i < flows; i++)
                if (link < count ? from[i] == link : to[i] == link - count) used += rate[i], growing += !fixed[i];
            if (growing > 0) step = fmin(step, ((link < count ? up[link] : down[link - count]) - used) / growing);
        }
        for (size_t i = 0; i < flows; i++)
            if (!fixed[i]) rate[i] += step;
        for (size_t link = 0; link < 2 * count; link++) {
            const double room = link < count ? up[link] : down[link - count];
            double used = 0;
            for (size_t i = 0; i < flows; i++)
                if (link < count ? from[i] == link : to[i] == link - count) used += rate[i];
            if (used < room * (1 - 1e-12)) continue;
            for (size_t i = 0; i < flows; i++)
                if ((link < count ? from[i] == link : to[i] == link - count) && !fixed[i]) left -= fixed[i] = true;
        }
    }
}

static void max_min_equals_water_filling(void **state)
{
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        const size_t count = 2 + (size_t)random_between(&dice, 0, 7);
        const size_t flows = (size_t)random_between(&dice, 0, 40);
        double up[9], down[9], rate[64], slow[64], left[18];
        size_t from[64], to[64], out[9], in[9];
        for (size_t i = 0; i < count; i++) {
            up[i] = random_between(&dice, 1, 10);
            down[i] = random_between(&dice, 1, 10);
        }
        for (size_t i = 0; i < flows; i++) {
            from[i] = (size_t)random_between(&dice, 0, (double)count);
            to[i] = (from[i] + 1 + (size_t)random_between(&dice, 0, (double)count - 1)) % count;
        }
        assert_int_equal(netmodel_star_max_min(count, up, down, flows, from, to, rate, left, out, in), NETMODEL_OK);
        water(count, up, down, flows, from, to, slow);
        for (size_t i = 0; i < flows; i++) assert_close(rate[i], slow[i], 1e-9);
    }
}

/* docs/netmodel.md: node 0 could send 8.33 MB/s to node 1, and with this policy does. */
static void max_min_gives_away_what_is_left(void **state)
{
    const double link[] = { 12.5, 12.5, 12.5, 12.5, 12.5 };
    double rate[4], left[10], none[] = { HUGE_VAL, HUGE_VAL }, one[1];
    const size_t from[] = { 0, 0, 3, 4 }, to[] = { 1, 2, 2, 2 };
    size_t out[5], in[5];

    (void)state;
    assert_int_equal(netmodel_star_max_min(5, link, link, 4, from, to, rate, left, out, in), NETMODEL_OK);
    assert_close(rate[0], 12.5 * 2 / 3, 1e-12);
    for (int i = 1; i < 4; i++) assert_close(rate[i], 12.5 / 3, 1e-12);
    assert_int_equal(netmodel_star_max_min(2, none, none, 1, from, to, one, left, out, in), NETMODEL_OK);
    assert_true(isinf(one[0]));
    assert_int_equal(netmodel_star_max_min(5, link, link, 4, from, to, rate, NULL, out, in), NETMODEL_MISSING);
    assert_int_equal(netmodel_star_max_min(2, link, link, 4, from, to, rate, left, out, in), NETMODEL_NO_SUCH_NODE);
    assert_int_equal(netmodel_star_max_min(5, link, link, 4, from, from, rate, left, out, in), NETMODEL_SELF_FLOW);
    assert_close(rate[0], 12.5 * 2 / 3, 1e-12); /* untouched */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_are_constants_links_and_curves), cmocka_unit_test(pairs_have_delays_of_their_own),
        cmocka_unit_test(dissemination_takes_what_loggops_says), cmocka_unit_test(broadcast_takes_what_loggops_says),
        cmocka_unit_test(a_program_takes_its_longest_node),      cmocka_unit_test(tags_match_in_order),
        cmocka_unit_test(random_programs_equal_a_slow_way),      cmocka_unit_test(lines_take_their_part),
        cmocka_unit_test(graphs_that_cannot_be_are_named),       cmocka_unit_test(max_min_equals_water_filling),
        cmocka_unit_test(max_min_gives_away_what_is_left),
    };
    return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
