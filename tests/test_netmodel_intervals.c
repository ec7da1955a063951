/* Room intervals of util/netmodel_fit.h: what intervals of a fitted line cover. Their refusals: test_netmodel_fit.c. Intervals of
 * other models: with those models. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"
#include "close.h"

#define POINTS(n, t, count, error) (&(netmodel_points){ (n), (t), (count), (netmodel_error_metric)(error) })

static uint64_t dice = 1;

#ifdef TESTS_SLOW
enum { SETS = 300 };
#else
enum { SETS = 10000 };
#endif

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
        cmocka_unit_test(two_points_promise_nothing),
        cmocka_unit_test(intervals_cover_what_they_promise),
    };
    return cmocka_run_group_tests_name("intervals", tests, NULL, NULL);
}
