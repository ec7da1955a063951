/* Room curve of netmodel.h: closed forms, every refusal, and random inputs against a second, slow, obvious way. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

#include <float.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void the_documented_curve(void **state)
{
    (void)state;
    /* from here to the first assertion: docs/netmodel.md, word for word */
    static const double bytes[] = { 0, 4096, 65536, 65536, 1048576 }; /* at 64 KiB the protocol changes */
    static const double seconds[] = { 100e-6, 500e-6, 5.5e-3, 6e-3, 90e-3 };
    netmodel_curve tcp;
    size_t where;

    if (netmodel_curve_init(bytes, seconds, 5, &tcp, &where) != NETMODEL_OK) abort();
    double small = netmodel_curve_time(&tcp, 2048);    /* 300 us: halfway along the first piece */
    double jump = netmodel_curve_time(&tcp, 65536);    /* 6 ms: at a jump the upper time */
    double large = netmodel_curve_time(&tcp, 2097152); /* 179.6 ms: the slope of the last piece goes on */
    assert_close(small, 300e-6, 1e-15);
    assert_equal(jump, 6e-3);
    assert_close(large, 90e-3 + 84e-3 / 983040 * 1048576, 1e-15);
    assert_close(large, 179.6e-3, 1e-15);
}

static void at_and_around_the_points(void **state)
{
    static const double b[] = { 10, 20, 20, 40 }, t[] = { 1, 2, 5, 6 };
    netmodel_curve curve, one, flat_end;
    size_t where = 77;
    (void)state;

    assert_int_equal(netmodel_curve_init(b, t, 4, &curve, &where), NETMODEL_OK);
    assert_int_equal(where, 77);
    assert_equal(netmodel_curve_time(&curve, 0), 1);
    assert_equal(netmodel_curve_time(&curve, 10), 1);
    assert_equal(netmodel_curve_time(&curve, 15), 1.5);
    assert_close(netmodel_curve_time(&curve, nextafter(20, 0)), 2, 1e-15);
    assert_equal(netmodel_curve_time(&curve, 20), 5);
    assert_equal(netmodel_curve_time(&curve, 30), 5.5);
    assert_equal(netmodel_curve_time(&curve, 40), 6);
    assert_equal(netmodel_curve_time(&curve, 80), 8);

    curve = one = (netmodel_curve){ b, t, 4 };
    assert_int_equal(netmodel_curve_init(b, t, 0, &one, NULL), NETMODEL_EMPTY);
    assert_true(!one.bytes && !one.seconds && one.count == 0);
    assert_int_equal(netmodel_curve_init(b, NULL, 4, &curve, NULL), NETMODEL_MISSING);
    assert_true(!curve.bytes && !curve.seconds && curve.count == 0);
    assert_int_equal(netmodel_curve_init(b, t, 4, &curve, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_curve_init(b, t, 1, &one, NULL), NETMODEL_OK);
    assert_equal(netmodel_curve_time(&one, 0), 1);
    assert_equal(netmodel_curve_time(&one, 1e300), 1);

    assert_int_equal(netmodel_curve_init(b, t, 3, &flat_end, NULL), NETMODEL_OK);
    assert_equal(netmodel_curve_time(&flat_end, 1e300), 5);
}

static void one_piece_from_nothing_is_a_link(void **state)
{
    uint64_t seed = 2;
    int i;
    (void)state;

    for (i = 0; i < 10000; ++i) {
        netmodel_link link = { random_between(&seed, 0, 1e-3), exp(random_between(&seed, -25, -10)) };
        double b[2] = { 0, random_between(&seed, 1, 1e6) }, t[2], bytes = exp(random_between(&seed, 0, 20));
        netmodel_curve curve;
        t[0] = netmodel_link_time(&link, b[0]);
        t[1] = netmodel_link_time(&link, b[1]);
        assert_int_equal(netmodel_curve_init(b, t, 2, &curve, NULL), NETMODEL_OK);
        /* the rounding of the second time against the first is carried as far as we go beyond it */
        assert_close(netmodel_curve_time(&curve, bytes), netmodel_link_time(&link, bytes),
                     2e-15 * (1 + bytes / b[1] * t[1] / netmodel_link_time(&link, bytes)));
    }
}

/* Reads the definition aloud: the last point at or before, and a weighted mean with the next. */
static double slow_curve_time(const double *b, const double *t, size_t count, double bytes)
{
    size_t i, at = count;

    for (i = 0; i < count; ++i)
        if (b[i] <= bytes) at = i;
    if (at == count) return t[0];
    if (at + 1 < count) {
        double part = (bytes - b[at]) / (b[at + 1] - b[at]);
        return (1 - part) * t[at] + part * t[at + 1];
    }
    if (count < 2 || b[count - 1] <= b[count - 2] || t[count - 1] <= t[count - 2]) return t[count - 1];
    return t[at] + (t[at] - t[at - 1]) / (b[at] - b[at - 1]) * (bytes - b[at]);
}

static void random_curves_equal_a_linear_scan(void **state)
{
    uint64_t seed = 3;
    int round, k;
    (void)state;

    for (round = 0; round < 2000; ++round) {
        double b[40], t[40], before = 0, bytes = 0;
        size_t count = 1 + random_next(&seed) % 40, i, where;
        netmodel_curve curve;

        for (i = 0; i < count; ++i) {
            int jump = i > 0 && random_next(&seed) % 4 == 0 && !(i > 1 && b[i - 1] <= b[i - 2]);
            b[i] = (i > 0 ? b[i - 1] : 0) + (jump ? 0 : random_between(&seed, 1e-3, 1000));
            t[i] = (i > 0 ? t[i - 1] : 0) + (random_next(&seed) % 3 ? random_between(&seed, 0, 1) : 0);
        }
        assert_int_equal(netmodel_curve_init(b, t, count, &curve, &where), NETMODEL_OK);
        for (i = 0; i < count; ++i) assert_equal(netmodel_curve_time(&curve, b[i]), slow_curve_time(b, t, count, b[i]));
        for (k = 0; k < 200; ++k) {
            double time;
            bytes += random_between(&seed, 0, 1.2 * b[count - 1] / 100);
            time = netmodel_curve_time(&curve, bytes);
            assert_close(time, slow_curve_time(b, t, count, bytes), 1e-12);
            assert_true(time >= before);
            before = time;
        }
    }
}

static void random_curves_that_fall_equal_a_linear_scan(void **state)
{
    uint64_t seed = 4;
    (void)state;

    for (int round = 0; round < 2000; ++round) {
        double b[40], t[40], bytes = 0;
        size_t count = 1 + random_next(&seed) % 40, falls = 0, where = 99;
        netmodel_curve curve;

        for (size_t i = 0; i < count; ++i) {
            int jump = i > 0 && random_next(&seed) % 4 == 0 && !(i > 1 && b[i - 1] <= b[i - 2]);
            b[i] = (i > 0 ? b[i - 1] : 0) + (jump ? 0 : random_between(&seed, 1e-3, 1000));
            t[i] = random_next(&seed) % 5 ? random_between(&seed, 0, 10) : 0;
            if (falls == 0 && i > 0 && t[i] < t[i - 1]) falls = i;
        }
        assert_int_equal(netmodel_curve_init_any(b, t, count, &curve, &where), NETMODEL_OK);
        for (size_t i = 0; i < count; ++i)
            assert_equal(netmodel_curve_time(&curve, b[i]), slow_curve_time(b, t, count, b[i]));
        for (int k = 0; k < 200; ++k) {
            bytes += random_between(&seed, 0, 1.2 * b[count - 1] / 100);
            assert_true(netmodel_curve_time(&curve, bytes) >= 0);
            assert_close(netmodel_curve_time(&curve, bytes) + 1, slow_curve_time(b, t, count, bytes) + 1, 1e-12);
        }
        assert_int_equal(netmodel_curve_init(b, t, count, &curve, &where),
                         falls ? NETMODEL_SECONDS_DECREASE : NETMODEL_OK);
        if (falls) assert_int_equal(where, falls);
    }
}

/* Numbers whose differences round up, so that the end of the piece would come out above the point where it ends. */
static void rounding_lifts_no_end(void **state)
{
    const double u = 0x1p-52, b[] = { u / 2, 1 + 3 * u }, t[] = { 3 * u / 2, 1 + 3 * u };
    netmodel_curve curve;
    (void)state;

    assert_int_equal(netmodel_curve_init(b, t, 2, &curve, NULL), NETMODEL_OK);
    assert_equal(netmodel_curve_time(&curve, 1 + 2 * u), 1 + 3 * u);
    assert_equal(netmodel_curve_time(&curve, 1 + 3 * u), 1 + 3 * u);
}

static void extremes_stay_numbers(void **state)
{
    static const double b[] = { 0, 5e-324, 1e308 }, t[] = { 0, 1e308, 1e308 };
    netmodel_curve curve;
    (void)state;

    assert_int_equal(netmodel_curve_init(b, t, 3, &curve, NULL), NETMODEL_OK);
    assert_equal(netmodel_curve_time(&curve, 0), 0);
    assert_equal(netmodel_curve_time(&curve, 5e-324), 1e308);
    assert_equal(netmodel_curve_time(&curve, DBL_MAX), 1e308);
    assert_int_equal(netmodel_curve_init(b, t, 2, &curve, NULL), NETMODEL_OK);
    assert_equal(netmodel_curve_time(&curve, 1), INFINITY);
}

static void a_curve_says_what_is_wrong_and_where(void **state)
{
    static const struct {
        double bytes[4], seconds[4];
        netmodel_result result;
        size_t where;
    } refused[] = {
        { { 1, 2, NAN, 4 }, { 1, 2, 3, 4 }, NETMODEL_NOT_FINITE, 2 },
        { { 1, 2, 3, INFINITY }, { 1, 2, 3, 4 }, NETMODEL_NOT_FINITE, 3 },
        { { 1, 2, 3, 4 }, { 1, -INFINITY, 3, 4 }, NETMODEL_NOT_FINITE, 1 },
        { { 1, 2, 3, 4 }, { NAN, 2, 3, 4 }, NETMODEL_NOT_FINITE, 0 },
        { { -1, 2, 3, 4 }, { 1, 2, 3, 4 }, NETMODEL_NEGATIVE, 0 },
        { { 1, 2, 3, 4 }, { 1, 2, -3, 4 }, NETMODEL_NEGATIVE, 2 },
        { { 1, 3, 2, 4 }, { 1, 2, 3, 4 }, NETMODEL_BYTES_DECREASE, 2 },
        { { 1, 2, 2, 2 }, { 1, 2, 3, 4 }, NETMODEL_BYTES_THRICE, 3 },
        { { 1, 2, 3, 4 }, { 1, 2, 3, 2.9 }, NETMODEL_SECONDS_DECREASE, 3 },
    };
    const double b[] = { 1 }, t[] = { 1 };
    netmodel_curve curve;
    size_t i;
    (void)state;

    for (i = 0; i < COUNT(refused); ++i) {
        size_t where = 99;
        assert_int_equal(netmodel_curve_init(refused[i].bytes, refused[i].seconds, 4, &curve, &where),
                         refused[i].result);
        assert_int_equal(where, refused[i].where);
        assert_null(curve.bytes);
        assert_nan(netmodel_curve_time(&curve, 1));
        assert_int_equal(netmodel_curve_init(refused[i].bytes, refused[i].seconds, 4, &curve, NULL), refused[i].result);
    }
    for (i = 0; i < COUNT(refused); ++i) {
        size_t where = 99;
        const int falls = refused[i].result == NETMODEL_SECONDS_DECREASE;
        assert_int_equal(netmodel_curve_init_any(refused[i].bytes, refused[i].seconds, 4, &curve, &where),
                         falls ? NETMODEL_OK : refused[i].result);
        assert_int_equal(where, falls ? 99 : refused[i].where);
    }
    assert_int_equal(netmodel_curve_init_any(b, t, 0, &curve, NULL), NETMODEL_EMPTY);
    assert_int_equal(netmodel_curve_init_any(NULL, t, 1, &curve, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_curve_init_any(b, t, 1, NULL, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_curve_init(b, t, 0, &curve, NULL), NETMODEL_EMPTY);
    assert_int_equal(netmodel_curve_init(NULL, t, 1, &curve, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_curve_init(b, NULL, 1, &curve, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_curve_init(b, t, 1, NULL, NULL), NETMODEL_MISSING);

    assert_int_equal(netmodel_curve_init(b, t, 1, &curve, NULL), NETMODEL_OK);
    assert_nan(netmodel_curve_time(&curve, -1));
    assert_nan(netmodel_curve_time(&curve, INFINITY));
    assert_nan(netmodel_curve_time(&curve, NAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_documented_curve),
        cmocka_unit_test(at_and_around_the_points),
        cmocka_unit_test(one_piece_from_nothing_is_a_link),
        cmocka_unit_test(random_curves_equal_a_linear_scan),
        cmocka_unit_test(random_curves_that_fall_equal_a_linear_scan),
        cmocka_unit_test(extremes_stay_numbers),
        cmocka_unit_test(rounding_lifts_no_end),
        cmocka_unit_test(a_curve_says_what_is_wrong_and_where),
    };
    return cmocka_run_group_tests_name("curve", tests, NULL, NULL);
}
