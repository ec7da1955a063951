/* Room maxmin of netmodel.h: closed forms, every refusal, and random stars against a slow, obvious water-filling loop. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

#include <stdlib.h>

enum { NODES = 12, FLOWS = 60 };

static netmodel_maxmin_link link_scratch[2 * NODES];
static size_t next_scratch[2 * FLOWS];

#define FLOWS_OF(n, u, d, f, a, z, w)                                                                                  \
    (&(const netmodel_flows){ .nodes = n, .up = u, .down = d, .flows = f, .from = a, .to = z, .weight = w })
#define RATES(n, f, w)                                                                                                 \
    netmodel_maxmin_rates(FLOWS_OF((n), up, down, (f), from, to, (w)), link_scratch, next_scratch, rate)

/* Capacity 3 for two transfers of which one counts half: 2 and 1. */
static void what_a_transfer_counts(void **state)
{
    const double up[] = { 3, 1e9, 1e9 }, down[] = { 1e9, 1e9, 1e9 }, weight[] = { 1, 0.5 };
    const size_t from[] = { 0, 0 }, to[] = { 1, 2 };
    double rate[2];
    (void)state;

    assert_int_equal(RATES(3, 2, weight), NETMODEL_OK);
    assert_equal(rate[0], 2);
    assert_equal(rate[1], 1);
    assert_int_equal(RATES(3, 2, NULL), NETMODEL_OK);
    assert_equal(rate[0], 1.5);
    assert_equal(rate[1], 1.5);
}

/* The star of docs/netmodel.md: what 0 cannot send to 2 it sends to 1. */
static void what_one_leaves_another_takes(void **state)
{
    const double up[] = { 12.5, 12.5, 12.5, 12.5, 12.5 }, *down = up;
    const size_t from[] = { 0, 0, 3, 4 }, to[] = { 1, 2, 2, 2 };
    double rate[4];
    (void)state;

    assert_int_equal(RATES(5, 4, NULL), NETMODEL_OK);
    assert_close(rate[0], 12.5 - 12.5 / 3, 1e-15);
    for (int i = 1; i < 4; ++i) assert_close(rate[i], 12.5 / 3, 1e-15);
}

/* Eight hosts, private links of 1.25e8 B/s, all 56 transfers at once: a seventh each, to the last bit alike. */
static void all_to_all_is_equal(void **state)
{
    double up[8], down[8], rate[56];
    size_t from[56], to[56], flows = 0;
    (void)state;

    for (size_t a = 0; a < 8; ++a) {
        up[a] = down[a] = 1.25e8;
        for (size_t b = 0; b < 8; ++b)
            if (a != b) from[flows] = a, to[flows++] = b;
    }
    assert_int_equal(RATES(8, flows, NULL), NETMODEL_OK);
    for (size_t i = 0; i < flows; ++i) assert_equal(rate[i], 1.25e8 / 7);
}

static void links_without_end_and_without_anything(void **state)
{
    double up[] = { INFINITY, INFINITY, 0 }, down[] = { INFINITY, INFINITY, 5 };
    const size_t from[] = { 0, 0, 2, 1 }, to[] = { 1, 2, 1, 0 };
    const double weight[] = { 1e100, 1e-100, 1, 3 };
    double rate[4];
    (void)state;

    for (int weighted = 0; weighted < 2; ++weighted) {
        assert_int_equal(RATES(3, 4, weighted ? weight : NULL), NETMODEL_OK);
        assert_equal(rate[0], INFINITY);
        assert_equal(rate[1], 5);
        assert_equal(rate[2], 0);
        assert_equal(rate[3], INFINITY);
    }
    assert_int_equal(RATES(3, 0, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_maxmin_rates(FLOWS_OF(0, NULL, NULL, 0, NULL, NULL, NULL), NULL, NULL, NULL),
                     NETMODEL_OK);
}

/* A heavy transfer that stays leaves the light ones their own share, not its rounding errors. */
static void light_ones_survive_heavy_ones(void **state)
{
    const double up[] = { 1, 1e-3, 1 }, down[] = { 1, 1, 1 }, weight[] = { 1e20, 1, 2 };
    const size_t from[] = { 1, 0, 0 }, to[] = { 2, 2, 2 };
    double rate[3];
    (void)state;

    assert_int_equal(RATES(3, 3, weight), NETMODEL_OK);
    assert_equal(rate[0], 1e-3);
    assert_close(rate[1], 0.999 / 3, 1e-12);
    assert_close(rate[2], 2 * 0.999 / 3, 1e-12);
}

/* 1 - 0.3 - 0.7 leaves nothing in double, but nobody falls below the level that is reached. */
static void rounding_leaves_nobody_without(void **state)
{
    const double up[] = { 1, 1, 1, 1 }, down[] = { 9, 0.3, 0.7, 9 }, weight[] = { 3, 7, 1e-30 };
    const size_t from[] = { 0, 0, 0 }, to[] = { 1, 2, 3 };
    double rate[3];
    (void)state;

    assert_int_equal(RATES(4, 3, weight), NETMODEL_OK);
    assert_close(rate[0], 0.3, 1e-15);
    assert_close(rate[1], 0.7, 1e-15);
    assert_close(rate[2], 1e-31, 1e-15);
}

/* Reads the definition aloud: the link that is full first decides, everything counted again from scratch every time. */
static void slow_rates(size_t nodes, const double *up, const double *down, size_t flows, const size_t *from,
                       const size_t *to, const double *weight, double *rate)
{
    int stays[FLOWS] = { 0 };

    for (;;) {
        double least = INFINITY;
        size_t full = 0;
        for (size_t link = 0; link < 2 * nodes; ++link) {
            double left = link < nodes ? up[link] : down[link - nodes], sum = 0;
            for (size_t i = 0; i < flows; ++i) {
                if (link != from[i] && link != nodes + to[i]) continue;
                if (stays[i])
                    left -= rate[i];
                else
                    sum += weight[i];
            }
            if (sum > 0 && left / sum < least) least = left / sum, full = link;
        }
        if (!(least < INFINITY)) break;
        for (size_t i = 0; i < flows; ++i) {
            if (stays[i] || (full != from[i] && full != nodes + to[i])) continue;
            stays[i] = 1;
            rate[i] = weight[i] * least;
        }
    }
    for (size_t i = 0; i < flows; ++i)
        if (!stays[i]) rate[i] = INFINITY;
}

static void random_stars_equal_water_filling(void **state)
{
    uint64_t seed = 5;
    (void)state;

    for (int round = 0; round < 4000; ++round) {
        double up[NODES], down[NODES], rate[FLOWS], expected[FLOWS], weight[FLOWS];
        size_t from[FLOWS], to[FLOWS];
        size_t nodes = 2 + random_next(&seed) % (NODES - 1), flows = random_next(&seed) % (FLOWS + 1);
        int weighted = round % 2, alike = round % 3 == 0;

        for (size_t i = 0; i < nodes; ++i) {
            up[i] = random_next(&seed) % 8 ? (alike ? 1e8 : random_between(&seed, 1e6, 1e9)) : INFINITY;
            down[i] = random_next(&seed) % 8 ? (alike ? 1e8 : random_between(&seed, 1e6, 1e9)) : INFINITY;
        }
        for (size_t i = 0; i < flows; ++i) {
            from[i] = random_next(&seed) % nodes;
            to[i] = (from[i] + 1 + random_next(&seed) % (nodes - 1)) % nodes;
            weight[i] = weighted ? exp(random_between(&seed, -3, 3)) : 1;
        }
        /* working space exactly as large as it says, so that a sanitizer sees who goes beyond */
        netmodel_maxmin_link *exact_links = malloc(2 * nodes * sizeof *exact_links);
        size_t *exact_next = malloc(2 * flows * sizeof *exact_next);
        assert_int_equal(netmodel_maxmin_rates(FLOWS_OF(nodes, up, down, flows, from, to, weighted ? weight : NULL),
                                               exact_links, exact_next, rate),
                         NETMODEL_OK);
        free(exact_links);
        free(exact_next);
        slow_rates(nodes, up, down, flows, from, to, weight, expected);
        for (size_t i = 0; i < flows; ++i) assert_close(rate[i], expected[i], 1e-11);

        /* and what max-min fair means: on one of its links it has the most, and that link is full */
        for (size_t i = 0; i < flows; ++i) {
            int content = isinf(rate[i]);
            for (int side = 0; side < 2 && !content; ++side) {
                double sum = 0, bandwidth = side ? down[to[i]] : up[from[i]];
                int most = 1;
                for (size_t k = 0; k < flows; ++k) {
                    if (side ? to[k] != to[i] : from[k] != from[i]) continue;
                    sum += rate[k];
                    if (rate[k] / weight[k] > rate[i] / weight[i] * (1 + 1e-11)) most = 0;
                }
                assert_true(sum <= bandwidth * (1 + 1e-12));
                content = most && sum >= bandwidth * (1 - 1e-11);
            }
            assert_true(content);
        }
    }
}

/* The bits of 20 000 stars, which are the same everywhere: alike and unlike links, ties, weights of any size, links
 * without end and without anything. */
static void bits_stay(void **state)
{
    uint64_t seed = 6, mixed = 0;
    (void)state;

    for (int round = 0; round < 20000; ++round) {
        double up[NODES], down[NODES], rate[FLOWS], weight[FLOWS];
        size_t from[FLOWS], to[FLOWS];
        size_t nodes = 2 + random_next(&seed) % (NODES - 1), flows = random_next(&seed) % (FLOWS + 1);
        int links = round % 4, weights = round / 4 % 4;

        for (size_t i = 0; i < 2 * nodes; ++i) {
            double bandwidth = links == 0 ? 1e8 : random_between(&seed, 1, 10);
            if (links == 1) bandwidth = (double)(random_next(&seed) % 4);
            if (links == 2 && random_next(&seed) % 4 == 0) bandwidth = INFINITY;
            *(i < nodes ? &up[i] : &down[i - nodes]) = bandwidth;
        }
        for (size_t i = 0; i < flows; ++i) {
            from[i] = random_next(&seed) % nodes;
            to[i] = (from[i] + 1 + random_next(&seed) % (nodes - 1)) % nodes;
            weight[i] = random_between(&seed, 0.1, 3);
            if (weights == 2) weight[i] = 0.1 * (double)(1 + random_next(&seed) % 3);
            if (weights == 3) weight[i] = ldexp(weight[i], (int)(random_next(&seed) % 600) - 300);
        }
        assert_int_equal(RATES(nodes, flows, weights ? weight : NULL), NETMODEL_OK);
        for (size_t i = 0; i < flows; ++i) {
            uint64_t bits;
            memcpy(&bits, &rate[i], sizeof bits);
            mixed = (mixed ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
            mixed ^= mixed >> 29;
        }
    }
    assert_true(mixed == UINT64_C(0x645e1526fa8939ab));
}

static void refused_stars_have_no_rates(void **state)
{
    double up[] = { 1, 1 }, down[] = { 1, 1 }, rate[2], weight[] = { 1, 1 };
    size_t from[] = { 0, 1 }, to[] = { 1, 0 };
    static const double bad_bandwidth[] = { -1, -INFINITY, NAN },
                        bad_weight[] = { 0, -1, INFINITY, NAN, 1e-101, 1e101 };
    (void)state;

#define REFUSED(call, code)                                                                                            \
    (rate[0] = rate[1] = 7, assert_int_equal((call), (code)), assert_equal(rate[0], 0), assert_equal(rate[1], 0))
    for (int i = 0; i < 3; ++i) {
        up[1] = bad_bandwidth[i];
        REFUSED(RATES(2, 2, NULL), NETMODEL_BAD_BANDWIDTH);
        up[1] = 1, down[0] = bad_bandwidth[i];
        REFUSED(RATES(2, 2, NULL), NETMODEL_BAD_BANDWIDTH);
        down[0] = 1;
    }
    for (int i = 0; i < 6; ++i) {
        weight[1] = bad_weight[i];
        REFUSED(RATES(2, 2, weight), NETMODEL_BAD_WEIGHT);
    }
    to[1] = 2;
    REFUSED(RATES(2, 2, NULL), NETMODEL_UNKNOWN_NODE);
    to[1] = 0, from[1] = (size_t)-1;
    REFUSED(RATES(2, 2, NULL), NETMODEL_UNKNOWN_NODE);
    from[1] = 0;
    REFUSED(RATES(2, 2, NULL), NETMODEL_SELF_FLOW);
    from[1] = 1;
    assert_int_equal(netmodel_maxmin_rates(NULL, link_scratch, next_scratch, rate), NETMODEL_MISSING);
    REFUSED(netmodel_maxmin_rates(FLOWS_OF(2, NULL, down, 2, from, to, NULL), link_scratch, next_scratch, rate),
            NETMODEL_MISSING);
    REFUSED(netmodel_maxmin_rates(FLOWS_OF(2, up, NULL, 2, from, to, NULL), link_scratch, next_scratch, rate),
            NETMODEL_MISSING);
    REFUSED(netmodel_maxmin_rates(FLOWS_OF(2, up, down, 2, NULL, to, NULL), link_scratch, next_scratch, rate),
            NETMODEL_MISSING);
    REFUSED(netmodel_maxmin_rates(FLOWS_OF(2, up, down, 2, from, NULL, NULL), link_scratch, next_scratch, rate),
            NETMODEL_MISSING);
    REFUSED(netmodel_maxmin_rates(FLOWS_OF(2, up, down, 2, from, to, NULL), NULL, next_scratch, rate),
            NETMODEL_MISSING);
    REFUSED(netmodel_maxmin_rates(FLOWS_OF(2, up, down, 2, from, to, NULL), link_scratch, NULL, rate),
            NETMODEL_MISSING);
    assert_int_equal(netmodel_maxmin_rates(FLOWS_OF(2, up, down, 2, from, to, NULL), link_scratch, next_scratch, NULL),
                     NETMODEL_MISSING);
    assert_int_equal(RATES(2, 2, NULL), NETMODEL_OK);
    assert_equal(rate[1], 1);
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_transfer_counts),
        cmocka_unit_test(what_one_leaves_another_takes),
        cmocka_unit_test(all_to_all_is_equal),
        cmocka_unit_test(links_without_end_and_without_anything),
        cmocka_unit_test(light_ones_survive_heavy_ones),
        cmocka_unit_test(rounding_leaves_nobody_without),
        cmocka_unit_test(random_stars_equal_water_filling),
        cmocka_unit_test(bits_stay),
        cmocka_unit_test(refused_stars_have_no_rates),
    };
    return cmocka_run_group_tests_name("maxmin", tests, NULL, NULL);
}
