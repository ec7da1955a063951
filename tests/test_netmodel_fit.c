/* Room fit of util/netmodel_fit.h: lines and their errors. Their intervals: test_netmodel_intervals.c. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "close.h"

#define POINTS(n, t, count, error) (&(netmodel_points){ (n), (t), (count), (netmodel_error_metric)(error) })

static uint64_t dice = 1;

/* Five points whose sums can be done by hand: means 2 and 4, sums about them 10 and 20 and 13. */
static void a_line_by_hand(void **state)
{
    const double n[] = { 0, 1, 2, 3, 4 }, t[] = { 1.5, 2.5, 4.5, 4.5, 7 };
    netmodel_fit fit;
    netmodel_prediction p;

    (void)state;
    assert_int_equal(netmodel_fit_line(POINTS(n, t, 5, NETMODEL_ERROR_ABSOLUTE), &fit, NULL), NETMODEL_OK);
    assert_close(fit.line.slope, 1.3, 1e-14); /* 13 / 10 */
    assert_close(fit.line.intercept, 1.4, 1e-14);
    /* misses 0.1, -0.2, 0.5, -0.8, 0.4: squares 1.1; sum of squares of t about its mean 18 */
    assert_close(fit.deviation, sqrt(1.1 / 3), 1e-13);
    assert_close(fit.slope_error, sqrt(1.1 / 3 / 10), 1e-13);
    assert_close(fit.intercept_error, sqrt(1.1 / 3 * (0.2 + 0.4)), 1e-13);
    assert_close(fit.r_squared, 1 - 1.1 / 18, 1e-13);
    assert_int_equal(fit.count, 5);
    assert_equal(fit.low, 0);
    assert_equal(fit.high, 4);
    p = netmodel_fit_predict(&fit, 6, 0.95);
    assert_close(p.time, 9.2, 1e-14);
    assert_true(p.outside);
    assert_close(p.high - p.time, 3.18244630528371 * sqrt(1.1 / 3 * (1 + 0.2 + 1.6)), 1e-11);
    assert_close(p.mean_high - p.time, 3.18244630528371 * sqrt(1.1 / 3 * (0.2 + 1.6)), 1e-11);
    assert_close(p.time - p.low, p.high - p.time, 1e-12);
    assert_false(netmodel_fit_predict(&fit, 2, 0.95).outside);
}

/* Against normal equations in long double, and leaving one out by fitting again. */
static void random_lines_equal_a_slow_way(void **state)
{
    (void)state;
    for (int set = 0; set < 300; ++set) {
        enum { MOST = 40 };
        const netmodel_error_metric error = set % 2 ? NETMODEL_ERROR_RELATIVE : NETMODEL_ERROR_ABSOLUTE;
        const size_t count = 3 + (size_t)random_between(&dice, 0, MOST - 3);
        double n[MOST], t[MOST];
        long double w = 0, wn = 0, wt = 0, wnn = 0, wnt = 0, squares = 0, left = 0, determinant;
        netmodel_fit fit;
        for (size_t i = 0; i < count; ++i) {
            n[i] = floor(exp(random_between(&dice, 0, 14)));
            t[i] = (20e-6 + n[i] * 1e-8) * exp(0.1 * random_normal(&dice));
        }
        assert_int_equal(netmodel_fit_line(POINTS(n, t, count, error), &fit, NULL), NETMODEL_OK);
        for (size_t i = 0; i < count; ++i) {
            const long double x = error == NETMODEL_ERROR_RELATIVE ? 1 / ((long double)t[i] * t[i]) : 1;
            w += x, wn += x * n[i], wt += x * t[i], wnn += x * n[i] * n[i], wnt += x * n[i] * t[i];
        }
        determinant = w * wnn - wn * wn;
        assert_close(fit.line.slope, (double)((w * wnt - wn * wt) / determinant), 1e-9);
        assert_close(fit.line.intercept, (double)((wnn * wt - wn * wnt) / determinant), 1e-6);
        for (size_t i = 0; i < count; ++i) {
            const long double x = error == NETMODEL_ERROR_RELATIVE ? 1 / ((long double)t[i] * t[i]) : 1;
            const long double miss = t[i] - (fit.line.intercept + (long double)fit.line.slope * n[i]);
            double n1[MOST], t1[MOST], again;
            netmodel_fit without;
            size_t kept = 0;
            squares += x * miss * miss;
            for (size_t k = 0; k < count; ++k)
                if (k != i) n1[kept] = n[k], t1[kept++] = t[k];
            if (netmodel_fit_line(POINTS(n1, t1, kept, error), &without, NULL) != NETMODEL_OK) {
                left = HUGE_VAL;
                continue;
            }
            again = t[i] - netmodel_line_time(&without.line, n[i]);
            left += x * again * again;
        }
        assert_close(fit.deviation, (double)sqrtl(squares / (count - 2)), 1e-9);
        assert_close(fit.slope_error, (double)sqrtl(squares / (count - 2) * w / determinant), 1e-6);
        assert_close(fit.intercept_error, (double)sqrtl(squares / (count - 2) * wnn / determinant), 1e-6);
        assert_close(fit.leave_one_out, (double)sqrtl(left / count), 1e-9);
    }
}

/* One point, far from all others, holds the slope: what the others say of it, by hand. */
static void a_point_that_holds_the_line_is_left_out_rightly(void **state)
{
    (void)state;
    for (double far = 1e2; far < 1e14; far *= 10) {
        const double n[] = { 1, 2, 3, 4, far }, t[] = { 1, 3, 2, 4, 0.7 * far };
        double squares = 0, scratch[5];
        netmodel_fit fit;
        for (int i = 0; i < 5; ++i) { /* normal equations of the other four, in long double */
            long double mean_n = 0, mean_t = 0, nn = 0, nt = 0, miss;
            for (int k = 0; k < 5; ++k)
                if (k != i) mean_n += n[k] / 4.0L, mean_t += t[k] / 4.0L;
            for (int k = 0; k < 5; ++k)
                if (k != i) nn += (n[k] - mean_n) * (n[k] - mean_n), nt += (n[k] - mean_n) * (t[k] - mean_t);
            miss = t[i] - mean_t - nt / nn * (n[i] - mean_n);
            squares += (double)(miss * miss);
        }
        for (int robust = 0; robust < 2; ++robust) {
            assert_int_equal(robust ? netmodel_fit_robust(POINTS(n, t, 5, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL)
                                    : netmodel_fit_line(POINTS(n, t, 5, NETMODEL_ERROR_ABSOLUTE), &fit, NULL),
                             NETMODEL_OK);
            if (fit.count == 5) assert_close(fit.leave_one_out, sqrt(squares / 5), 1e-12);
        }
    }
}

/* Sizes that differ in their last bit still make a line; where two of them are left alike, nothing can be left out. */
static void neighbouring_sizes_make_a_line(void **state)
{
    (void)state;
    for (double size = 1; size < 1e18; size *= 10) {
        const double next = nextafter(size, HUGE_VAL), wide = next - size;
        const double n[] = { size, size, next }, t[] = { 1, 3, 6 };
        double scratch[3];
        netmodel_fit fit;
        for (int robust = 0; robust < 2; ++robust) {
            assert_int_equal(robust ? netmodel_fit_robust(POINTS(n, t, 3, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL)
                                    : netmodel_fit_line(POINTS(n, t, 3, NETMODEL_ERROR_ABSOLUTE), &fit, NULL),
                             NETMODEL_OK);
            if (robust) continue;
            assert_close(fit.line.slope, 4 / wide, 1e-15);
            assert_close(fit.spread, wide * wide * 2 / 3, 1e-15);
            assert_true(fabs(fit.line.intercept) < 5 / wide * size && isinf(fit.leave_one_out));
            assert_true(fit.deviation < HUGE_VAL && fit.slope_error < HUGE_VAL && fit.intercept_error < HUGE_VAL);
        }
    }
}

/* What squares would take out of the range of a double is refused; at the ends of the range all numbers are right. */
static void a_fit_says_where_its_numbers_end(void **state)
{
    static const double bad[] = { 1e300, 1e41, 1e-41, 1e-200, 4e-320 };
    netmodel_fit fit, small;
    netmodel_piece piece[1];
    netmodel_pieces pieces;
    const netmodel_pieces_desc desc = { 1, 1, 0, 0 };
    double scratch[1000];
    size_t where = 9;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        for (int error = 0; error < 2; ++error)
            for (int axis = 0; axis < 2; ++axis) {
                double n[] = { 1, 2, 3, 4 }, t[] = { 1, 2, 4, 5 };
                (axis ? n : t)[i % 4] = bad[i];
                assert_int_equal(netmodel_fit_line(POINTS(n, t, 4, error), &fit, &where), NETMODEL_OUT_OF_RANGE);
                assert_int_equal(where, i % 4);
                assert_int_equal(netmodel_fit_robust(POINTS(n, t, 4, error), scratch, &fit, &where),
                                 NETMODEL_OUT_OF_RANGE);
                assert_int_equal(netmodel_fit_pieces(POINTS(n, t, 4, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece,
                                                     &pieces, &where),
                                 NETMODEL_OUT_OF_RANGE);
            }
    for (int error = 0; error < 2; ++error) {
        const double n[] = { 1, 2, 3, 5 }, t[] = { 1, 2, 4, 5 };
        assert_int_equal(netmodel_fit_line(POINTS(n, t, 4, error), &small, NULL), NETMODEL_OK);
        for (int corner = 0; corner < 4; ++corner) {
            const double wide = corner & 1 ? 1e39 : 1e-40, high = corner & 2 ? 1e39 : 1e-40, unit = error ? 1 : high;
            double far[4], tall[4];
            for (int i = 0; i < 4; ++i) far[i] = n[i] * wide, tall[i] = t[i] * high;
            assert_int_equal(netmodel_fit_line(POINTS(far, tall, 4, error), &fit, NULL), NETMODEL_OK);
            assert_close(fit.line.slope, small.line.slope * high / wide, 1e-13);
            assert_close(fit.line.intercept, small.line.intercept * high, 1e-13);
            assert_close(fit.deviation, small.deviation * unit, 1e-13);
            assert_close(fit.leave_one_out, small.leave_one_out * unit, 1e-13);
            assert_close(fit.slope_error, small.slope_error * high / wide, 1e-13);
            assert_close(fit.intercept_error, small.intercept_error * high, 1e-13);
            assert_close(fit.r_squared, small.r_squared, 1e-13);
        }
    }
}

/* A line without errors comes back, and says that there are none. */
static void an_exact_line_comes_back(void **state)
{
    double n[20], t[20], scratch[20];
    netmodel_fit fit;
    netmodel_link link;

    (void)state;
    for (int i = 0; i < 20; ++i) {
        n[i] = ldexp(1, i);
        t[i] = 50e-6 + 8e-9 * n[i];
    }
    for (int robust = 0; robust < 2; ++robust)
        for (int error = 0; error < 2; ++error) {
            assert_int_equal(robust ? netmodel_fit_robust(POINTS(n, t, 20, error), scratch, &fit, NULL)
                                    : netmodel_fit_line(POINTS(n, t, 20, error), &fit, NULL),
                             NETMODEL_OK);
            assert_close(fit.line.slope, 8e-9, 1e-12);
            assert_close(fit.line.intercept, 50e-6, 1e-9);
            assert_close(1 + fit.deviation, 1, 1e-12);
            assert_close(fit.r_squared, 1, 1e-12);
            assert_int_equal(fit.outliers, 0);
        }
    link = netmodel_link_of_line(&fit.line);
    assert_close(netmodel_link_time(&link, 1e6), 50e-6 + 8e-3, 1e-12);
    fit.line.intercept = -1;
    assert_nan(netmodel_link_of_line(&fit.line).latency);
    assert_nan(netmodel_link_of_line(&fit.line).byte_time);
}

/* One point in ten a hundred times too large, or too small: the line stays within 1 %. */
static void wild_points_do_not_move_a_robust_line(void **state)
{
    (void)state;
    for (int set = 0; set < 100; ++set)
        for (int error = 0; error < 2; ++error) {
            enum { COUNT = 200 };
            double n[COUNT], t[COUNT], scratch[COUNT];
            netmodel_fit fit;
            size_t wild = 0;
            for (int i = 0; i < COUNT; ++i) {
                n[i] = 1 + 5 * i;
                t[i] = 100 + 2 * n[i];
                t[i] += error ? 0.005 * t[i] * random_normal(&dice) : random_normal(&dice);
                if (i % 10 == set % 10) {
                    t[i] = set % 2 ? t[i] * 100 : t[i] / 100;
                    ++wild;
                }
            }
            assert_int_equal(netmodel_fit_robust(POINTS(n, t, COUNT, error), scratch, &fit, NULL), NETMODEL_OK);
            assert_close(fit.line.slope, 2, 0.01);
            assert_close(fit.line.intercept, 100, 0.01);
            assert_true(fit.outliers >= wild && fit.outliers < wild + 10);
            assert_int_equal(fit.count + fit.outliers, COUNT);
        }
}

/* Forty of a hundred wild, few points, many alike: still the line of the others. */
static void a_robust_line_holds_out(void **state)
{
    double n[100], t[100], scratch[100];
    netmodel_fit fit;

    (void)state;
    for (int i = 0; i < 100; ++i) {
        n[i] = i;
        t[i] = i % 5 < 2 ? 1000 + i * i : 7 + 3 * i;
    }
    assert_int_equal(netmodel_fit_robust(POINTS(n, t, 100, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL), NETMODEL_OK);
    assert_close(fit.line.slope, 3, 1e-9);
    assert_int_equal(fit.outliers, 40);
    for (int i = 0; i < 100; ++i) {
        n[i] = i == 99 ? 2 : 1;
        t[i] = n[i] * 5;
    }
    assert_int_equal(netmodel_fit_robust(POINTS(n, t, 100, NETMODEL_ERROR_RELATIVE), scratch, &fit, NULL), NETMODEL_OK);
    assert_close(fit.line.slope, 5, 1e-9);
    t[0] = 1, t[1] = 2, t[2] = 30, n[0] = 1, n[1] = 2, n[2] = 3;
    assert_int_equal(netmodel_fit_robust(POINTS(n, t, 3, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL), NETMODEL_OK);
    assert_true(fit.count >= 2);
}

/* Times that do not differ: a flat line, which explains all there is to explain. */
static void equal_times_make_a_flat_line(void **state)
{
    const double n[] = { 1, 2, 3, 4 }, t[] = { 5, 5, 5, 5 }, zero[] = { 0, 0, 0, 0 };
    netmodel_fit fit;

    (void)state;
    for (int error = 0; error < 3; ++error) {
        assert_int_equal(netmodel_fit_line(POINTS(n, error < 2 ? t : zero, 4, error % 2), &fit, NULL), NETMODEL_OK);
        assert_equal(fit.line.slope, 0);
        assert_equal(fit.line.intercept, error < 2 ? 5 : 0);
        assert_equal(fit.r_squared, 1);
        assert_equal(fit.deviation, 0);
        assert_equal(fit.leave_one_out, 0);
    }
}

/* Where the robust fit has no line to begin with, or its points would all be alike, it is least squares through what it had. */
static void a_robust_line_falls_back(void **state)
{
    static double n[10000], t[10000], scratch[10000];
    netmodel_fit fit, plain;

    (void)state;
    for (int i = 0; i < 10000; ++i) { /* no pair that is tried meets the one that differs */
        n[i] = i == 4999 ? 3 : 2;
        t[i] = i == 4999 ? 7 : 4 + i % 3;
    }
    assert_int_equal(netmodel_fit_robust(POINTS(n, t, 10000, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL),
                     NETMODEL_OK);
    assert_int_equal(netmodel_fit_line(POINTS(n, t, 10000, NETMODEL_ERROR_ABSOLUTE), &plain, NULL), NETMODEL_OK);
    assert_memory_equal(&fit, &plain, sizeof fit);
    assert_close(fit.line.slope, 2, 1e-3);

    for (int i = 0; i < 100; ++i) { /* the two that differ are just within the first cut, and beyond the second */
        n[i] = i < 98 ? 1 : 2;
        t[i] = i < 98 ? 10 + i % 2 : i == 98 ? 18 : 22;
    }
    assert_int_equal(netmodel_fit_robust(POINTS(n, t, 100, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_fit_line(POINTS(n, t, 100, NETMODEL_ERROR_ABSOLUTE), &plain, NULL), NETMODEL_OK);
    assert_memory_equal(&fit, &plain, sizeof fit);
    assert_close(fit.line.slope, 9.5, 1e-12);

    n[0] = n[2] = 0x1p40 + 0x1p-11; /* rounding of the first line is more than any deviation */
    n[1] = 0x1p40 + 3 * 0x1p-12;
    t[0] = t[2] = 8, t[1] = 5;
    assert_int_equal(netmodel_fit_robust(POINTS(n, t, 3, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_fit_line(POINTS(n, t, 3, NETMODEL_ERROR_ABSOLUTE), &plain, NULL), NETMODEL_OK);
    assert_memory_equal(&fit, &plain, sizeof fit);
    assert_close(fit.line.slope, -3 * 0x1p12, 1e-12);
}

/* What counts as rounding goes with the size of the times: picoseconds have wild points, too. */
static void wild_points_are_found_in_any_unit(void **state)
{
    (void)state;
    for (double unit = 1e-30; unit < 1e31; unit *= 1e10)
        for (int error = 0; error < 2; ++error) {
            double n[9], t[9], scratch[9];
            netmodel_fit fit;
            for (int i = 0; i < 9; ++i) {
                n[i] = i;
                t[i] = (i == 4 ? 6.5 : 1 + i) * unit;
            }
            assert_int_equal(netmodel_fit_robust(POINTS(n, t, 9, error), scratch, &fit, NULL), NETMODEL_OK);
            assert_int_equal(fit.outliers, 1);
            assert_close(fit.line.slope, unit, 1e-12);
            assert_close(fit.line.intercept, unit, 1e-11);
        }
}

static void bad_points_are_named(void **state)
{
    const double good[] = { 1, 2, 3 }, alike[] = { 4, 4, 4 };
    double scratch[3];
    static const netmodel_fit zero;
    netmodel_fit fit;
    size_t where = 99;

    (void)state;
#define REFUSED(n, t, count, error, result)                                                                            \
    do {                                                                                                               \
        assert_int_equal(netmodel_fit_line(POINTS(n, t, count, error), &fit, &where), result);                         \
        assert_memory_equal(&fit, &zero, sizeof fit);                                                                  \
        assert_int_equal(netmodel_fit_robust(POINTS(n, t, count, error), scratch, &fit, &where), result);              \
        assert_memory_equal(&fit, &zero, sizeof fit);                                                                  \
    } while (0)
    REFUSED(good, good, 0, NETMODEL_ERROR_ABSOLUTE, NETMODEL_TOO_FEW);
    REFUSED(NULL, NULL, 0, NETMODEL_ERROR_ABSOLUTE, NETMODEL_TOO_FEW);
    REFUSED(good, good, 1, NETMODEL_ERROR_ABSOLUTE, NETMODEL_TOO_FEW);
    REFUSED(NULL, good, 3, NETMODEL_ERROR_ABSOLUTE, NETMODEL_MISSING);
    REFUSED(good, NULL, 3, NETMODEL_ERROR_ABSOLUTE, NETMODEL_MISSING);
    REFUSED(alike, good, 3, NETMODEL_ERROR_ABSOLUTE, NETMODEL_ONE_SIZE);
    REFUSED(good, good, 3, (netmodel_error_metric)7, NETMODEL_BAD_OPTION);
    assert_int_equal(where, 99);
    for (size_t i = 0; i < 3; ++i) {
        static const double bad[] = { NAN, INFINITY, -INFINITY };
        double n[] = { 1, 2, 3 }, t[] = { 1, 2, 3 };
        n[i] = bad[i];
        REFUSED(n, t, 3, NETMODEL_ERROR_ABSOLUTE, NETMODEL_NOT_FINITE);
        assert_int_equal(where, i);
        n[i] = -1;
        REFUSED(n, t, 3, NETMODEL_ERROR_ABSOLUTE, NETMODEL_NEGATIVE);
        n[i] = (double)i + 1;
        t[i] = bad[2 - i];
        REFUSED(n, t, 3, NETMODEL_ERROR_RELATIVE, NETMODEL_NOT_FINITE);
        assert_int_equal(where, i);
        t[i] = i == 1 ? 0 : -2;
        REFUSED(n, t, 3, NETMODEL_ERROR_RELATIVE, NETMODEL_NOT_POSITIVE);
        assert_int_equal(where, i);
        assert_int_equal(netmodel_fit_line(POINTS(n, t, 3, NETMODEL_ERROR_ABSOLUTE), &fit, NULL), NETMODEL_OK);
    }
#undef REFUSED
    assert_int_equal(
        netmodel_fit_line(&(netmodel_points){ (const double[]){ 1, NAN }, good, 2, NETMODEL_ERROR_ABSOLUTE }, &fit,
                          NULL),
        NETMODEL_NOT_FINITE);
    assert_int_equal(netmodel_fit_line(POINTS(good, good, 3, NETMODEL_ERROR_ABSOLUTE), NULL, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_line(NULL, &fit, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_robust(NULL, scratch, &fit, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_robust(POINTS(good, good, 3, NETMODEL_ERROR_ABSOLUTE), scratch, NULL, NULL),
                     NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_robust(POINTS(good, good, 3, NETMODEL_ERROR_ABSOLUTE), NULL, &fit, NULL),
                     NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_robust(POINTS(good, good, 2, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL),
                     NETMODEL_TOO_FEW);
    assert_int_equal(netmodel_fit_line(POINTS(good, good, 3, NETMODEL_ERROR_ABSOLUTE), &fit, NULL), NETMODEL_OK);
    assert_nan(netmodel_fit_predict(&fit, -1, 0.95).time);
    assert_nan(netmodel_fit_predict(&fit, NAN, 0.95).low);
    assert_nan(netmodel_fit_predict(&fit, 1, 0).high);
    assert_nan(netmodel_fit_predict(&fit, 1, 1).time);
    assert_nan(netmodel_fit_predict(&fit, 1, NAN).mean_low);
}

/* Whichever of a few points is wrong, the line goes through the others. */
static void any_point_may_be_the_outlier(void **state)
{
    enum { COUNT = 9 };
    (void)state;
    for (int wrong = 0; wrong < COUNT; ++wrong) {
        double room[COUNT + 2], t[COUNT], scratch[COUNT], *n = room + 1;
        netmodel_fit fit;
        room[0] = room[COUNT + 1] = NAN; /* no points */
        for (int i = 0; i < COUNT; ++i) n[i] = i + 1, t[i] = 3 + 0.5 * n[i] + (i == wrong ? 100 : 0);
        assert_int_equal(netmodel_fit_robust(POINTS(n, t, COUNT, NETMODEL_ERROR_ABSOLUTE), scratch, &fit, NULL),
                         NETMODEL_OK);
        assert_close(fit.line.slope, 0.5, 1e-12);
        assert_close(fit.line.intercept, 3, 1e-12);
        assert_int_equal(fit.count, COUNT - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_point_may_be_the_outlier),
        cmocka_unit_test(a_line_by_hand),
        cmocka_unit_test(random_lines_equal_a_slow_way),
        cmocka_unit_test(a_point_that_holds_the_line_is_left_out_rightly),
        cmocka_unit_test(neighbouring_sizes_make_a_line),
        cmocka_unit_test(a_fit_says_where_its_numbers_end),
        cmocka_unit_test(an_exact_line_comes_back),
        cmocka_unit_test(wild_points_do_not_move_a_robust_line),
        cmocka_unit_test(a_robust_line_holds_out),
        cmocka_unit_test(bad_points_are_named),
        cmocka_unit_test(equal_times_make_a_flat_line),
        cmocka_unit_test(a_robust_line_falls_back),
        cmocka_unit_test(wild_points_are_found_in_any_unit),
    };
    return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
