/* Room measured of util/netmodel_fit.h: the curve passes through the medians, may fall, finds jumps, and its intervals are those of
 * the formula; every refusal; and half of the sizes of measured links, predicted from the other half. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"
#include "close.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 400 }; /* with room for bends */

static double n[MOST], t[MOST], size[MOST], time_of[MOST], miss[MOST];

static netmodel_measured fitted(size_t count)
{
    const netmodel_points points = { n, t, count, NETMODEL_ERROR_RELATIVE };
    netmodel_measured measured;
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, miss, &measured, NULL), NETMODEL_OK);
    return measured;
}

/* An exact line is known everywhere, within half a percent or so. */
static void a_line_is_a_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < 12; ++i) n[i] = (double)(1 << i), t[i] = 5e-6 + 1e-9 * n[i];
    const netmodel_measured m = fitted(12);
    assert_int_equal(m.jumps, 0);
    assert_true(m.deviation < 1e-12);
    assert_equal(m.scatter, 0);
    for (double at = 1; at < 2048; at *= 1.3) {
        const netmodel_prediction p = netmodel_measured_predict(&m, at, 0.95);
        assert_close(p.time, 5e-6 + 1e-9 * at, 1e-12);
        assert_close(p.high / p.time, exp2(netmodel_student(0.95, 3) * 0.007), 1e-9);
        assert_close(p.time / p.low, p.high / p.time, 1e-12);
        assert_false(p.outside);
    }
    assert_true(netmodel_measured_predict(&m, 4096, 0.95).outside);
    assert_true(netmodel_measured_predict(&m, 0, 0.95).outside);
    assert_close(netmodel_measured_predict(&m, 4096, 0.95).time, 5e-6 + 1e-9 * 4096, 1e-12);
    assert_true(netmodel_measured_predict(&m, 8192, 0.95).high / (5e-6 + 1e-9 * 8192) > 1.3);
}

/* The median of each size counts, and single measurements scatter about it. */
static void repetitions_become_medians(void **state)
{
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < 10; ++i)
        for (int k = -2; k <= 2; ++k)
            n[count] = (double)(i + 1), t[count++] = (double)(i + 1) * (1 + 0.01 * (k == 2 ? 500 : k));
    const netmodel_measured m = fitted(count);
    assert_int_equal(m.points, 50);
    assert_int_equal(m.curve.count, 10);
    for (size_t i = 0; i < 10; ++i) assert_close(time_of[i], (double)(i + 1), 1e-12);
    assert_close(m.scatter, 0.01 / 0.6745 * sqrt(50 / 40.0), 1e-9); /* one of five is far off */
    const netmodel_prediction p = netmodel_measured_predict(&m, 3.5, 0.9);
    assert_true(p.high > p.mean_high && p.low < p.mean_low && p.high < 1.1 * p.time);
}

static void jumps_are_found(void **state)
{
    static const double factors[] = { 1.5, 12, 0.4 };
    uint64_t seed = 3;
    (void)state;
    for (size_t f = 0; f < 3; ++f)
        for (int noise = 0; noise < 2; ++noise) {
            for (size_t i = 0; i < 24; ++i) {
                n[i] = exp2((double)i);
                t[i] = (1e-5 + 1e-9 * n[i]) * (i >= 14 ? factors[f] : 1) * (1 + 0.01 * noise * random_normal(&seed));
            }
            t[5] *= 1.6; /* far off, but no jump */
            const netmodel_measured m = fitted(24);
            assert_int_equal(m.jumps, 1);
            assert_equal(m.jump[0].low, 8192);
            assert_equal(m.jump[0].high, 16384);
            assert_close(m.jump[0].factor, factors[f], 0.1);
            const netmodel_prediction p = netmodel_measured_predict(&m, 12000, 0.95); /* anything between */
            assert_true(p.low < 1.05 * fmin(t[13], t[14]) && p.high > 0.95 * fmax(t[13], t[14]));
        }
}

/* A delay over the bandwidth of competitors: it falls, and the curve follows it. */
static void times_may_fall(void **state)
{
    (void)state;
    for (size_t i = 0; i < 20; ++i) n[i] = (double)(1 + i), t[i] = 3 / n[i];
    const netmodel_measured m = fitted(20);
    assert_int_equal(m.jumps, 0);
    for (double at = 2; at < 20; at += 0.37) assert_close(netmodel_measured_predict(&m, at, 0.95).time, 3 / at, 0.08);
}

/* A buffer ends between 4096 and 16384: nearly no time below, and a bandwidth above. The straight line would be far too high. */
static void a_gap_may_have_a_bend(void **state)
{
    (void)state;
    for (size_t i = 0; i < 12; ++i) {
        n[i] = exp2(2 * (double)i);
        t[i] = 1e-5 + 1e-12 * n[i] + (n[i] > 6000 ? 1e-7 * (n[i] - 6000) : 0);
    }
    const netmodel_measured m = fitted(12);
    assert_int_equal(m.curve.count, 13);
    assert_close(size[7], 6000, 1e-9);
    const double corner = 1e-5 + 1e-12 * 6000, part = (6000 - 4096) / 12288.0, straight = t[6] + part * (t[7] - t[6]);
    assert_close(time_of[7], sqrt(corner * straight), 1e-9);
    assert_close(netmodel_measured_predict(&m, 6000, 0.95).time, sqrt(corner * straight), 1e-9);
    assert_true(netmodel_measured_predict(&m, 6000, 0.95).low < corner);
    for (size_t i = 0; i < 12; ++i) assert_close(netmodel_measured_predict(&m, n[i], 0.9).time, t[i], 1e-12);
}

/* More bends than there is room for: the first. */
static void many_bends(void **state)
{
    size_t count = 0;
    double at = 1, time = 1e-9;
    (void)state;
    for (int i = 0; i < 40; ++i) { /* two sizes close to each other, nearly flat, then a large step */
        n[count] = at, t[count++] = time;
        n[count] = at * 1.01, t[count++] = time * 1.0001;
        at *= 4, time *= 2.5;
        n[count] = at, t[count++] = time;
        n[count] = at * 1.01, t[count++] = time * 1.2;
        at *= 1.5, time *= 1.5;
    }
    const netmodel_measured m = fitted(count);
    assert_int_equal(m.curve.count, count + NETMODEL_BENDS_MAX);
    for (size_t i = 0; i < count; ++i) assert_close(netmodel_measured_predict(&m, n[i], 0.9).time, t[i], 1e-12);
}

/* More jumps than are kept: the largest, by size. */
static void the_largest_jumps_are_kept(void **state)
{
    double level = 1;
    (void)state;
    for (size_t i = 0; i < 60; ++i) {
        if (i % 5 == 0) level *= 2 + 0.1 * (double)(i / 5);
        n[i] = (double)(i + 1), t[i] = level * (1 + 1e-6 * n[i]);
    }
    const netmodel_measured m = fitted(60);
    assert_int_equal(m.jumps, NETMODEL_JUMPS_MAX);
    for (size_t k = 0; k < NETMODEL_JUMPS_MAX; ++k) assert_close(m.jump[k].factor, 2.4 + 0.1 * (double)k, 1e-3);
}

/* Links that tests/testbed/series measured: every other size, predicted from the others. */
static void measured_links_hold(void **state)
{
    FILE *file = fopen("tests/series/pings.csv", "r");
    char line[200], link[40], last[40] = "";
    static double held_n[MOST], held_t[MOST];
    size_t count = 0, held = 0;
    double hold95 = 0, hold80 = 0, all = 0, logs = 0;
    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (bool more = true; more;) {
        double bytes = 0, seconds = 0;
        more = fgets(line, sizeof line, file) && sscanf(line, "%39[^,],%lf,%lf", link, &bytes, &seconds) == 3;
        if (last[0] && (!more || strcmp(link, last) != 0)) {
            /* The file has one turn over the sizes after the other. */
            for (size_t i = 1; i < count; ++i)
                for (size_t k = i; k > 0 && n[k - 1] > n[k]; --k) {
                    const double a = n[k], b = t[k];
                    n[k] = n[k - 1], t[k] = t[k - 1];
                    n[k - 1] = a, t[k - 1] = b;
                }
            const netmodel_measured m = fitted(count);
            for (size_t i = 0; i < held; ++i) {
                const netmodel_prediction p = netmodel_measured_predict(&m, held_n[i], 0.95),
                                          q = netmodel_measured_predict(&m, held_n[i], 0.8);
                hold95 += held_t[i] >= p.low && held_t[i] <= p.high;
                hold80 += held_t[i] >= q.low && held_t[i] <= q.high;
                logs += fabs(log(p.time / held_t[i]));
                ++all;
            }
            count = held = 0;
        }
        if (!more) break;
        if (fmod(log2(bytes), 2) > 0.5)
            held_n[held] = bytes, held_t[held++] = seconds;
        else
            n[count] = bytes, t[count++] = seconds;
        memcpy(last, link, sizeof last);
    }
    fclose(file);
    assert_true(all == 600);
    print_message("off by %.1f %%, in 95 %% intervals %.1f %%, in 80 %% %.1f %%\n", 100 * (exp(logs / all) - 1),
                  100 * hold95 / all, 100 * hold80 / all);
    assert_true(exp(logs / all) < 1.25);
    assert_true(hold95 >= 0.9 * all && hold80 >= 0.75 * all);
}

static void what_is_wrong_is_refused(void **state)
{
    netmodel_points points = { n, t, 5, NETMODEL_ERROR_ABSOLUTE };
    netmodel_measured m;
    size_t where = 99;
    (void)state;
    for (size_t i = 0; i < 5; ++i) n[i] = (double)i, t[i] = 1 + n[i];
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, miss, &m, &where), NETMODEL_OK);
    assert_nan(netmodel_measured_predict(&m, -1, 0.95).time);
    assert_nan(netmodel_measured_predict(&m, INFINITY, 0.95).time);
    assert_nan(netmodel_measured_predict(&m, 1, 0).high);
    assert_nan(netmodel_measured_predict(NULL, 1, 0.5).high);
    assert_int_equal(netmodel_measured_fit(&points, NULL, time_of, miss, &m, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_measured_fit(&points, size, NULL, miss, &m, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, NULL, &m, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, miss, NULL, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_measured_fit(NULL, size, time_of, miss, &m, &where), NETMODEL_MISSING);
    assert_nan(netmodel_measured_predict(&m, 1, 0.5).time);
    t[2] = 0;
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, miss, &m, &where), NETMODEL_NOT_POSITIVE);
    assert_int_equal(where, 2);
    t[2] = 3, n[3] = 1;
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, miss, &m, &where), NETMODEL_BYTES_DECREASE);
    n[3] = 2, points.error = (netmodel_error_metric)7;
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, miss, &m, &where), NETMODEL_BAD_OPTION);
    points.error = NETMODEL_ERROR_RELATIVE, points.count = 2;
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, miss, &m, &where), NETMODEL_TOO_FEW);
    points.count = 5, n[0] = n[1] = 1, n[2] = n[3] = n[4] = 2;
    assert_int_equal(netmodel_measured_fit(&points, size, time_of, miss, &m, &where), NETMODEL_TOO_FEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_line),
        cmocka_unit_test(repetitions_become_medians),
        cmocka_unit_test(jumps_are_found),
        cmocka_unit_test(times_may_fall),
        cmocka_unit_test(a_gap_may_have_a_bend),
        cmocka_unit_test(many_bends),
        cmocka_unit_test(the_largest_jumps_are_kept),
        cmocka_unit_test(measured_links_hold),
        cmocka_unit_test(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests_name("measured", tests, NULL, NULL);
}
