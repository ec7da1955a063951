/* Room intervals of netmodel.h: Student's t, and what intervals of a fitted line cover. Their refusals: test_netmodel_fit.c.
 * Intervals of other models: with those models. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

#define POINTS(n, t, count, error) (&(netmodel_points){ (n), (t), (count), (netmodel_error_metric)(error) })

static uint64_t dice = 1;

#ifdef TESTS_SLOW
enum { SETS = 300 };
#else
enum { SETS = 10000 };
#endif

/* Student's t: published values, and its own density integrated. */
static void quantiles_are_those_of_the_tables(void **state)
{
    static const struct {
        size_t freedom;
        double level, t;
    } known[] = { { 1, 0.95, 12.7062047361747 }, { 2, 0.95, 4.30265272974946 },  { 3, 0.95, 3.18244630528371 },
                  { 5, 0.99, 4.03214298355523 }, { 10, 0.95, 2.22813885198627 }, { 10, 0.9, 1.81246112281168 },
                  { 30, 0.95, 2.04227245630124 } };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        assert_close(netmodel_student(known[i].level, known[i].freedom), known[i].t, 1e-11);
    /* where the series takes over, nothing jumps: differences go like 1 / freedom^2 */
    for (double level = 0.5; level < 0.9995; level += 0.0625) {
        const double a = netmodel_student(level, 499), b = netmodel_student(level, 500),
                     c = netmodel_student(level, 501), d = netmodel_student(level, 502);
        assert_true(fabs((a - b) - (b - c)) < 2.1 * (a - b) / 500 && fabs((b - c) - (c - d)) < 2.1 * (b - c) / 500);
        assert_true(netmodel_student(level, 100000000) < d);
    }
    assert_close(netmodel_student(0.95, 100000000), 1.95996398454005, 1e-7); /* nearly normal */
    for (size_t freedom = 1; freedom < 30; ++freedom) {
        const double t = netmodel_student(0.9, freedom), v = (double)freedom;
        double inside = 0, all = 0, step = 1e-3;
        if (freedom < 4) continue; /* too much of it lies far out */
        for (double x = step / 2; x < 400; x += step) {
            const double density = pow(1 + x * x / v, -(v + 1) / 2);
            all += density;
            inside += x < t ? density : 0;
        }
        assert_close(inside / all, 0.9, 2e-3);
    }
    for (int i = 0; i < 2; ++i) { /* far out, against the closed forms for 1 and 2 degrees of freedom */
        const double level = i ? 0.999999 : 0.9999, within = i ? 1e-9 : 1e-11;
        assert_close(netmodel_student(level, 1), tan(acos(-1) / 2 * level), within);
        assert_close(netmodel_student(level, 2), level * sqrt(2 / ((1 - level) * (1 + level))), within);
    }
    assert_nan(netmodel_student(0, 3));
    assert_nan(netmodel_student(1, 3));
    assert_nan(netmodel_student(NAN, 3));
    assert_nan(netmodel_student(0.5, 0));
}

/* What two points say of their own errors: nothing. */
static void two_points_promise_nothing(void **state)
{
    const double n[] = { 1, 3 }, t[] = { 2, 8 };
    netmodel_fit fit;
    netmodel_prediction p;

    (void)state;
    assert_int_equal(netmodel_fit_line(POINTS(n, t, 2, NETMODEL_ERROR_ABSOLUTE), &fit, NULL), NETMODEL_OK);
    assert_close(fit.line.slope, 3, 1e-15);
    assert_true(isinf(fit.slope_error) && isinf(fit.intercept_error) && isinf(fit.deviation) &&
                isinf(fit.leave_one_out));
    p = netmodel_fit_predict(&fit, 2, 0.95);
    assert_close(p.time, 5, 1e-15);
    assert_true(p.low < -1e300 && p.high > 1e300 && p.mean_low < -1e300 && p.mean_high > 1e300);
}

/* Of 95 % intervals 95 % hold what they promise: the slope, the line, and the next measurement. */
static void intervals_cover_what_they_promise(void **state)
{
    const double slack = SETS >= 10000 ? 0.02 : 0.06;

    (void)state;
    for (int error = 0; error < 2; ++error) {
        int slope = 0, intercept = 0, mean = 0, next = 0;
        for (int set = 0; set < SETS; ++set) {
            enum { COUNT = 12 };
            double n[COUNT], t[COUNT], at = random_between(&dice, 0, 20), truth = 3 + 0.5 * at, measured;
            const double q = netmodel_student(0.95, COUNT - 2);
            netmodel_fit fit;
            netmodel_prediction p;
            for (int i = 0; i < COUNT; ++i) {
                n[i] = i;
                t[i] = 3 + 0.5 * n[i];
                t[i] += error ? 0.02 * t[i] * random_normal(&dice) : 0.3 * random_normal(&dice);
            }
            measured = truth + (error ? 0.02 * truth * random_normal(&dice) : 0.3 * random_normal(&dice));
            assert_int_equal(netmodel_fit_line(POINTS(n, t, COUNT, error), &fit, NULL), NETMODEL_OK);
            p = netmodel_fit_predict(&fit, at, 0.95);
            slope += fabs(fit.line.slope - 0.5) <= q * fit.slope_error;
            intercept += fabs(fit.line.intercept - 3) <= q * fit.intercept_error;
            mean += truth >= p.mean_low && truth <= p.mean_high;
            next += measured >= p.low && measured <= p.high;
        }
        assert_true(fabs((double)slope / SETS - 0.95) < slack);
        assert_true(fabs((double)intercept / SETS - 0.95) < slack);
        assert_true(fabs((double)mean / SETS - 0.95) < slack);
        assert_true(fabs((double)next / SETS - 0.95) < slack);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(two_points_promise_nothing),
        cmocka_unit_test(intervals_cover_what_they_promise),
    };
    return cmocka_run_group_tests_name("intervals", tests, NULL, NULL);
}
