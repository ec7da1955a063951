/* Rooms distributions and statistics of simkit.h, what no public call gives to the last digits: the exponential function, the
 * logarithm, the probabilities of Poisson numbers, and Student's factor between whole numbers. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"

#include "../close.h"
#include "../draws.h"

static void the_exponential_function_is_right(void **state)
{
    (void)state;
    uint64_t numbers = 3;
    for (int i = 0; i < 20000; ++i) {
        const double x = random_between(&numbers, 0, i % 2 ? 1 : 700);
        assert_close(simkit__exp(x), exp(x), 4e-16);
    }
    assert_equal(simkit__exp(0), 1);
}

static void logarithms_are_right(void **state)
{
    uint64_t numbers = 3;
    (void)state;
    for (int i = 0; i < 20000; ++i) {
        const double x = exp(random_between(&numbers, i % 2 ? -700 : -0.1, i % 2 ? 700 : 0.1));
        assert_close(simkit__log(x), log(x), 5e-16);
        assert_close(simkit__power(log(x)), exp(log(x)), 5e-16);
    }
    assert_equal(simkit__log(1), 0);
    assert_equal(simkit__power(-701), 0);
    assert_equal(simkit__power(701), INFINITY);
}

static void poisson_numbers_have_their_probabilities(void **state)
{
    static const double means[] = { 0.01, 0.7, 3, 9.99, 10, 15.5, 40, 300 };
    static int count[1000];
    static double chance[1000];
    (void)state;
    for (size_t i = 0; i < sizeof means / sizeof *means; ++i) {
        const simkit_distribution d = { .law = SIMKIT_LAW_POISSON, .mean = means[i] };
        simkit_random random = { i };
        memset(count, 0, sizeof count);
        assert_equal(simkit_distribution_mean(&d), means[i]);
        for (int n = 0; n < DRAWS; ++n) {
            const double k = simkit_distribution_draw(&d, &random);
            assert_true(k >= 0 && k == floor(k) && k < 1000);
            ++count[(int)k];
        }
        for (int k = 0; k < 1000; ++k) {
            chance[k] = exp(k * log(means[i]) - means[i] - lgamma(k + 1.0));
            if (chance[k] > 1e-290) assert_close(simkit__poisson_chance(k, means[i]), chance[k], 1e-11);
        }
        const double off = misfit(count, chance, 1000, DRAWS);
        if (!(fabs(off) < 4)) fail_msg("mean %g: Pearson's statistic is off by %g deviations", means[i], off);
    }
}

/* Exact values between whole numbers from the incomplete beta function, 40 digits. */
static void student_between_whole_numbers(void **state)
{
    static const struct {
        double level, freedom, t;
    } exact[] = {
        { 0.95, 1.125, 9.8108402497104 },  { 0.95, 1.5, 6.01666310442793 },  { 0.95, 1.75, 4.94884784911609 },
        { 0.95, 2.5, 3.57465484200368 },   { 0.95, 3.5, 2.94008863798273 },  { 0.95, 4.25, 2.71320584714606 },
        { 0.95, 7.5, 2.33303962686497 },   { 0.95, 12.5, 2.16918594271254 }, { 0.95, 40.5, 2.02029842818543 },
        { 0.99, 1.125, 41.1748483023161 }, { 0.99, 1.5, 17.8203105144628 },  { 0.99, 1.75, 12.6828576552051 },
        { 0.99, 2.5, 7.16372813894879 },   { 0.99, 3.5, 5.08570222309126 },  { 0.99, 4.25, 4.42430601537494 },
        { 0.99, 7.5, 3.42142268812404 },   { 0.99, 12.5, 3.03243665287056 }, { 0.99, 40.5, 2.70279914225686 },
    };
    (void)state;
    for (size_t n = 1; n < 2000; n += 1 + n / 3)
        assert_equal(simkit__student(0.95, (double)n), netmodel_student(0.95, n));
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        const double v = exact[i].freedom, ratio = simkit__student(exact[i].level, v) / exact[i].t;
        const double most = v < 2 ? 0.57 : v < 3 ? 0.045 : v < 4 ? 0.01 : v < 5 ? 3.3e-3 : v < 9 ? 1.4e-3 : 1e-4;
        assert_true(ratio >= 1 - 1e-10 && ratio <= 1 + most);
    }
    assert_close(simkit__student(0.95, 6.75),
                 2.36462425159278 + (2.44691185114497 - 2.36462425159278) * (1 / 6.75 - 1. / 7) * 42, 1e-9);
    assert_close(simkit__student(0.95, 1.5), 12.7062047361747 / 3 + 4.30265272974946 * 2 / 3, 1e-9);
    assert_equal(simkit__student(0.95, HUGE_VAL), netmodel_student(0.95, NETMODEL_DEVIATION_KNOWN));
    for (double v = 1; v < 1e300; v *= 1.01) { /* falls, to the normal distribution */
        assert_true(simkit__student(0.95, v * 1.01) <= simkit__student(0.95, v) * (1 + 1e-14));
        if (v > 1e5) v *= 1e3;
    }
    assert_nan(simkit__student(0.95, 0.999));
    assert_nan(simkit__student(0.95, (double)NAN));
    assert_nan(simkit__student(0, 5));
    assert_nan(simkit__student(1, 5.5));
    assert_nan(simkit__student((double)NAN, 5.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponential_function_is_right),
        cmocka_unit_test(logarithms_are_right),
        cmocka_unit_test(poisson_numbers_have_their_probabilities),
        cmocka_unit_test(student_between_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
