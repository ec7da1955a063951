/* Room star of netmodel.h: closed forms, every refusal, and random stars against naive counting. Caps and duplex factors:
 * test_netmodel_network.c. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define FLOWS_OF(n, u, d, f, a, z)                                                                                     \
    (&(const netmodel_flows){ .nodes = n, .up = u, .down = d, .flows = f, .from = a, .to = z })

static void a_transfer_gets_the_smaller_share(void **state)
{
    (void)state;

    assert_equal(netmodel_star_rate(0, 1, 5, 1),
                 0); /* nothing goes through a link of no bandwidth, and that is an answer */
    assert_equal(netmodel_star_rate(5, 1, 0, 1), 0);
    assert_equal(netmodel_star_rate(5, 2, 7, 1), 2.5);
    assert_equal(netmodel_star_rate(12.5e6, 1, 12.5e6, 1), 12.5e6);
    assert_equal(netmodel_star_rate(12.5e6, 1, 12.5e6, 2), 6.25e6);
    assert_equal(netmodel_star_rate(12.5e6, 5, 12.5e6, 2), 2.5e6);
    assert_equal(netmodel_star_rate(100, 2, 30, 1), 30);
    assert_equal(netmodel_star_rate(1, 4, 1, 3), 0.25);
    assert_equal(netmodel_star_rate(INFINITY, 7, 12.5e6, 1), 12.5e6);
    assert_equal(netmodel_star_rate(INFINITY, 7, INFINITY, 1), INFINITY);
    assert_equal(netmodel_star_rate(0, 7, INFINITY, 1), 0);
}

static void a_star_refuses_the_impossible(void **state)
{
    static const double bandwidth[] = { -1, -INFINITY, NAN }, crowd[] = { 0, 0.5, -1, INFINITY, NAN };
    size_t i;
    (void)state;

    for (i = 0; i < COUNT(bandwidth); ++i) {
        assert_nan(netmodel_star_rate(bandwidth[i], 1, 1, 1));
        assert_nan(netmodel_star_rate(1, 1, bandwidth[i], 1));
    }
    for (i = 0; i < COUNT(crowd); ++i) {
        assert_nan(netmodel_star_rate(1, crowd[i], 1, 1));
        assert_nan(netmodel_star_rate(1, 1, 1, crowd[i]));
    }
}

static void random_stars_equal_naive_counting(void **state)
{
    enum { NODES = 12, FLOWS = 60 };
    uint64_t seed = 4;
    int round;
    (void)state;

    for (round = 0; round < 2000; ++round) {
        double up[NODES], down[NODES], rate[FLOWS];
        size_t from[FLOWS], to[FLOWS], out[NODES], in[NODES], i, k;
        size_t nodes = 2 + random_next(&seed) % (NODES - 1), flows = random_next(&seed) % (FLOWS + 1);

        for (i = 0; i < nodes; ++i) {
            up[i] = random_next(&seed) % 8 ? random_between(&seed, 0, 1e9) : INFINITY;
            down[i] = random_next(&seed) % 8 ? random_between(&seed, 0, 1e9) : INFINITY;
        }
        for (i = 0; i < flows; ++i) {
            from[i] = random_next(&seed) % nodes;
            to[i] = (from[i] + 1 + random_next(&seed) % (nodes - 1)) % nodes;
        }
        assert_int_equal(netmodel_star_rates(FLOWS_OF(nodes, up, down, flows, from, to), out, in, rate), NETMODEL_OK);
        for (i = 0; i < flows; ++i) {
            double leave = 0, enter = 0;
            for (k = 0; k < flows; ++k) {
                leave += from[k] == from[i];
                enter += to[k] == to[i];
            }
            assert_equal(rate[i], fmin(up[from[i]] / leave, down[to[i]] / enter));
            assert_equal((double)out[from[i]], leave);
            assert_equal((double)in[to[i]], enter);
        }
    }
}

static void refused_stars_leave_the_rates_alone(void **state)
{
    double up[] = { 1, 1 }, down[] = { 1, 1 }, rate[] = { 7, 7 };
    size_t from[] = { 0, 1 }, to[] = { 1, 0 }, out[2], in[2];
    (void)state;

#define RATES(n, f) netmodel_star_rates(FLOWS_OF((n), up, down, (f), from, to), out, in, rate)
    up[1] = -1;
    assert_int_equal(RATES(2, 2), NETMODEL_BAD_BANDWIDTH);
    up[1] = NAN;
    assert_int_equal(RATES(2, 2), NETMODEL_BAD_BANDWIDTH);
    up[1] = 1, down[0] = NAN;
    assert_int_equal(RATES(2, 2), NETMODEL_BAD_BANDWIDTH);
    down[0] = 1, to[1] = 2;
    assert_int_equal(RATES(2, 2), NETMODEL_UNKNOWN_NODE);
    to[1] = 0, from[1] = (size_t)-1;
    assert_int_equal(RATES(2, 2), NETMODEL_UNKNOWN_NODE);
    from[1] = 0;
    assert_int_equal(RATES(2, 2), NETMODEL_SELF_FLOW);
    assert_int_equal(RATES(0, 1), NETMODEL_UNKNOWN_NODE);
    assert_int_equal(netmodel_star_rates(FLOWS_OF(2, NULL, down, 2, from, to), out, in, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_star_rates(FLOWS_OF(2, up, NULL, 2, from, to), out, in, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_star_rates(FLOWS_OF(2, up, down, 2, NULL, to), out, in, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_star_rates(FLOWS_OF(2, up, down, 2, from, NULL), out, in, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_star_rates(FLOWS_OF(2, up, down, 2, from, to), out, in, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_star_rates(FLOWS_OF(2, up, down, 2, from, to), NULL, in, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_star_rates(FLOWS_OF(2, up, down, 2, from, to), out, NULL, rate), NETMODEL_MISSING);
    assert_int_equal(netmodel_star_rates(NULL, out, in, rate), NETMODEL_MISSING);
    assert_equal(rate[0], 7);
    assert_equal(rate[1], 7);

    assert_int_equal(netmodel_star_rates(FLOWS_OF(0, NULL, NULL, 0, NULL, NULL), NULL, NULL, NULL), NETMODEL_OK);
    from[1] = 1;
    assert_int_equal(RATES(2, 2), NETMODEL_OK);
    assert_equal(rate[1], 1);
#undef RATES
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transfer_gets_the_smaller_share),
        cmocka_unit_test(a_star_refuses_the_impossible),
        cmocka_unit_test(random_stars_equal_naive_counting),
        cmocka_unit_test(refused_stars_leave_the_rates_alone),
    };
    return cmocka_run_group_tests_name("star", tests, NULL, NULL);
}
