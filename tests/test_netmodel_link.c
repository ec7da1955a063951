/* Room link of netmodel.h: closed forms, and every refusal. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

#include <float.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void a_link_is_latency_plus_bytes(void **state)
{
    netmodel_link zero = { 0, 0 }, ether = { 60e-6, 1 / 12.5e6 };
    netmodel_link pingpong = netmodel_link_of(1.461517e-3, 7.20975e6), infinite = netmodel_link_of(1e-3, INFINITY);
    (void)state;

    assert_equal(netmodel_link_time(&zero, 0), 0);
    assert_equal(netmodel_link_time(&zero, 1e12), 0);
    assert_equal(netmodel_link_time(&ether, 0), 60e-6);
    assert_close(netmodel_link_time(&ether, 1e6), 0.08006, 1e-15);
    assert_close(netmodel_link_time(&pingpong, 1), 0.001462, 1e-3);
    assert_close(netmodel_link_time(&pingpong, 1) + netmodel_link_time(&pingpong, 1e9), 138.703988, 1e-8);
    assert_equal(infinite.byte_time, 0);
    assert_equal(netmodel_link_time(&infinite, 1e300), 1e-3);
}

static void bandwidth_comes_back(void **state)
{
    uint64_t seed = 1;
    netmodel_link zero = { 0, 0 };
    int i;
    (void)state;

    assert_equal(netmodel_link_bandwidth(&zero), INFINITY);
    for (i = 0; i < 10000; ++i) {
        double bandwidth = exp(random_between(&seed, -20, 40));
        netmodel_link link = netmodel_link_of(0, bandwidth);
        assert_close(netmodel_link_bandwidth(&link), bandwidth, DBL_EPSILON);
    }
}

static void a_link_refuses_the_impossible(void **state)
{
    static const double bad[] = { -1, -INFINITY, INFINITY, NAN };
    static const double no_bandwidth[] = { 0, -0.0, -1, -INFINITY, NAN, 1e-310 };
    netmodel_link fine = { 1, 1 };
    size_t i;
    (void)state;

    for (i = 0; i < COUNT(bad); ++i) {
        netmodel_link latency = { 1, 1 }, byte_time = { 1, 1 }, made = netmodel_link_of(bad[i], 1);
        latency.latency = byte_time.byte_time = bad[i];
        assert_nan(netmodel_link_time(&fine, bad[i]));
        assert_nan(netmodel_link_time(&latency, 1));
        assert_nan(netmodel_link_time(&byte_time, 0));
        assert_nan(netmodel_link_bandwidth(&byte_time));
        assert_nan(made.latency);
        assert_nan(made.byte_time);
    }
    for (i = 0; i < COUNT(no_bandwidth); ++i) {
        netmodel_link made = netmodel_link_of(1, no_bandwidth[i]);
        assert_nan(made.latency);
        assert_nan(made.byte_time);
        assert_nan(netmodel_link_time(&made, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_latency_plus_bytes),
        cmocka_unit_test(bandwidth_comes_back),
        cmocka_unit_test(a_link_refuses_the_impossible),
    };
    return cmocka_run_group_tests_name("link", tests, NULL, NULL);
}
