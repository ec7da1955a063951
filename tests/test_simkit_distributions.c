/* Room distributions of simkit.h, and the normal and whole numbers of room random: distribution functions, moments and
 * probabilities against closed forms, at fixed seeds. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "background.h"
#include "draws.h"

/* The regularized lower incomplete gamma function, by its series and its continued fraction. */
static double incomplete_gamma(double a, double x)
{
    const double front = exp(a * log(x) - x - lgamma(a));
    if (x <= 0) return 0;
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (double n = 1; term > 1e-17 * sum; ++n) sum += term *= x / (a + n);
        return sum * front;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (double n = 1; n < 10000; ++n) {
        const double an = -n * (n - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16) break;
    }
    return 1 - front * h;
}

static double normal_below(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

/* P(X <= x) in closed form. */
static double below(const simkit_distribution *d, double x)
{
    const double width = d->maximum - d->minimum;
    if (width > 0 && x >= d->maximum) return 1;
    switch (d->law) {
    case SIMKIT_LAW_NORMAL: {
        const double negative = normal_below(-d->mean / d->deviation);
        return (normal_below((x - d->mean) / d->deviation) - negative) / (1 - negative);
    }
    case SIMKIT_LAW_LOGNORMAL: {
        const double variance = log1p(pow(d->deviation / d->mean, 2));
        return normal_below((log(x / d->mean) + variance / 2) / sqrt(variance));
    }
    case SIMKIT_LAW_GAMMA:
    case SIMKIT_LAW_ERLANG: return incomplete_gamma(d->shape, x * d->shape / d->mean);
    case SIMKIT_LAW_WEIBULL: return 1 - exp(-pow(x / d->scale, d->shape));
    case SIMKIT_LAW_TRIANGULAR:
        if (x < d->mode) return (x - d->minimum) * (x - d->minimum) / width / (d->mode - d->minimum);
        return 1 - (d->maximum - x) * (d->maximum - x) / width / (d->maximum - d->mode);
    case SIMKIT_LAW_UNIFORM: return (x - d->minimum) / width;
    default: return NAN;
    }
}

static const simkit_distribution continuous[] = {
    { .law = SIMKIT_LAW_NORMAL, .mean = 10, .deviation = 1 },
    { .law = SIMKIT_LAW_NORMAL, .mean = 1, .deviation = 2 },
    { .law = SIMKIT_LAW_LOGNORMAL, .mean = 2, .deviation = 1 },
    { .law = SIMKIT_LAW_LOGNORMAL, .mean = 1e-3, .deviation = 0.02 },
    { .law = SIMKIT_LAW_LOGNORMAL, .mean = 5, .deviation = 5e-9 },
    { .law = SIMKIT_LAW_GAMMA, .mean = 3, .shape = 0.1 },
    { .law = SIMKIT_LAW_GAMMA, .mean = 0.2, .shape = 1 },
    { .law = SIMKIT_LAW_GAMMA, .mean = 7, .shape = 2.5 },
    { .law = SIMKIT_LAW_GAMMA, .mean = 1, .shape = 400 },
    { .law = SIMKIT_LAW_ERLANG, .mean = 4, .shape = 3 },
    { .law = SIMKIT_LAW_WEIBULL, .scale = 2, .shape = 1.5 },
    { .law = SIMKIT_LAW_WEIBULL, .scale = 3, .shape = 0.4 },
    { .law = SIMKIT_LAW_TRIANGULAR, .minimum = 1, .mode = 2, .maximum = 6 },
    { .law = SIMKIT_LAW_TRIANGULAR, .minimum = 0, .mode = 3, .maximum = 3.5 },
    { .law = SIMKIT_LAW_UNIFORM, .minimum = 2, .maximum = 5 },
};
enum { CONTINUOUS = sizeof continuous / sizeof *continuous };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest distance between the empirical and the true distribution function (Kolmogorov): 1.95 / sqrt(n) is passed
 * once in a thousand seeds. */
static void distribution_functions_are_the_closed_forms(void **state)
{
    static double x[DRAWS];
    (void)state;
    for (size_t law = 0; law < CONTINUOUS; ++law) {
        simkit_random random = { 100 + law };
        double worst = 0;
        for (int i = 0; i < DRAWS; ++i) x[i] = simkit_distribution_draw(&continuous[law], &random);
        qsort(x, DRAWS, sizeof *x, ascending);
        assert_true(x[0] >= 0 && x[DRAWS - 1] < 1e300);
        for (int i = 0; i < DRAWS; ++i) worst = fmax(worst, fabs((i + 0.5) / DRAWS - below(&continuous[law], x[i])));
        if (!(worst < 1.95 / sqrt(DRAWS))) fail_msg("law %lu is off by %g", (unsigned long)law, worst);
    }
}

/* Mean, second and third moment about 0, each from the integral of P(X > x), against the draws. */
static void moments_are_those_of_the_distribution_function(void **state)
{
    (void)state;
    for (size_t law = 0; law < CONTINUOUS; ++law) {
        const simkit_distribution *d = &continuous[law];
        if (law == 3 || law == 4) continue; /* a deviation of 20 means, which no sample has; one of 1e-9 means */
        double high = simkit_distribution_mean(d), mean = 0, square = 0;
        while (below(d, high) < 1 - 1e-15) high *= 1.2;
        const double fine = 1e-5;
        for (double at = 0; at < 1; at += fine) { /* substitution x = high u^4, for densities that are large at 0 */
            const double u = at + fine / 2, x = high * u * u * u * u, width = 4 * high * u * u * u * fine;
            mean += width * (x > d->minimum ? 1 - below(d, x) : 1);
            square += 2 * x * width * (x > d->minimum ? 1 - below(d, x) : 1);
        }
        assert_close(simkit_distribution_mean(d), mean, 2e-5);
        simkit_random random = { 200 + law };
        double sum = 0, squares = 0, fourth = 0;
        for (int i = 0; i < DRAWS; ++i) {
            const double x = simkit_distribution_draw(d, &random);
            sum += x / DRAWS;
            squares += x * x / DRAWS;
            fourth += x * x * x * x / DRAWS;
        }
        if (!(fabs(sum - mean) <= 4 * sqrt((square - mean * mean) / DRAWS) + 3e-5 * mean))
            fail_msg("law %lu: mean %g, expected %g", (unsigned long)law, sum, mean);
        if (!(fabs(squares - square) <= 4 * sqrt((fourth - squares * squares) / DRAWS) + 3e-5 * square))
            fail_msg("law %lu: second moment %g, expected %g", (unsigned long)law, squares, square);
    }
    const simkit_distribution half = { .law = SIMKIT_LAW_NORMAL, .deviation = 3 };
    assert_close(simkit_distribution_mean(&half), 3 * sqrt(2 / 3.14159265358979), 1e-14);
}

/* Of large means, the first two moments. */
static void large_poisson_numbers_have_their_moments(void **state)
{
    (void)state;
    for (double mean = 1e3; mean < 1e16; mean *= 1e3) {
        const simkit_distribution d = { .law = SIMKIT_LAW_POISSON, .mean = mean };
        simkit_random random = { (uint64_t)mean };
        double sum = 0, squares = 0;
        for (int n = 0; n < DRAWS; ++n) {
            const double z = (simkit_distribution_draw(&d, &random) - mean) / sqrt(mean);
            sum += z / DRAWS;
            squares += z * z / DRAWS;
        }
        assert_true(fabs(sum) < 4 / sqrt(DRAWS));
        assert_true(fabs(squares - 1) < 4 * sqrt(2.1 / DRAWS));
    }
}

static void whole_numbers_are_equally_likely(void **state)
{
    const simkit_distribution die = { .law = SIMKIT_LAW_INTEGER, .minimum = 1, .maximum = 6 };
    const simkit_distribution one = { .law = SIMKIT_LAW_INTEGER, .minimum = 4, .maximum = 4 };
    const simkit_distribution all = { .law = SIMKIT_LAW_INTEGER, .maximum = 9007199254740992.0 };
    static const double sixth[7] = { 0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0 };
    int count[7] = { 0 }, thirds[3] = { 0 };
    simkit_random random = { 1 };
    (void)state;
    for (int n = 0; n < DRAWS; ++n) ++count[(int)simkit_distribution_draw(&die, &random)];
    assert_true(fabs(misfit(count, sixth, 7, DRAWS)) < 4);
    assert_equal(simkit_distribution_mean(&die), 3.5);
    assert_equal(simkit_distribution_draw(&one, &random), 4);
    for (int n = 0; n < DRAWS; ++n) assert_true(simkit_distribution_draw(&all, &random) <= all.maximum);
    assert_true(simkit_random_below(&random, 0) == 0);
    assert_true(simkit_random_below(&random, 1) == 0);
    /* of 3/4 of all numbers, each third is as likely: bits % bound would draw the first one twice as often */
    for (int n = 0; n < DRAWS; ++n) ++thirds[simkit_random_below(&random, UINT64_C(3) << 62) >> 62];
    for (int i = 0; i < 3; ++i) assert_true(abs(thirds[i] - DRAWS / 3) < 4 * sqrt(DRAWS * 2.0 / 9));
}

static void normal_numbers_have_both_signs(void **state)
{
    static double x[DRAWS];
    simkit_random random = { 17 };
    double worst = 0;
    (void)state;
    for (int i = 0; i < DRAWS; ++i) x[i] = simkit_random_normal(&random, -2, 3);
    qsort(x, DRAWS, sizeof *x, ascending);
    for (int i = 0; i < DRAWS; ++i) worst = fmax(worst, fabs((i + 0.5) / DRAWS - normal_below((x[i] + 2) / 3)));
    assert_true(worst < 1.95 / sqrt(DRAWS));
    assert_equal(simkit_random_normal(&random, 5, 0), 5);
    assert_nan(simkit_random_normal(&random, NAN, 1));
    assert_nan(simkit_random_normal(&random, INFINITY, 1));
    assert_nan(simkit_random_normal(&random, 0, -1));
    assert_nan(simkit_random_normal(&random, 0, INFINITY));
}

static void what_is_out_of_range_draws_nothing(void **state)
{
    const simkit_distribution none[] = {
        { .law = SIMKIT_LAW_NORMAL, .mean = -1, .deviation = 1 },
        { .law = SIMKIT_LAW_NORMAL, .mean = 1, .deviation = -1 },
        { .law = SIMKIT_LAW_NORMAL, .mean = 1, .deviation = NAN },
        { .law = SIMKIT_LAW_LOGNORMAL, .deviation = 1 },
        { .law = SIMKIT_LAW_LOGNORMAL, .mean = 1, .deviation = 1.1e6 },
        { .law = SIMKIT_LAW_GAMMA, .shape = 1 },
        { .law = SIMKIT_LAW_GAMMA, .mean = 1 },
        { .law = SIMKIT_LAW_GAMMA, .mean = 1, .shape = 2e9 },
        { .law = SIMKIT_LAW_ERLANG, .mean = 1, .shape = 1.5 },
        { .law = SIMKIT_LAW_WEIBULL, .shape = 1 },
        { .law = SIMKIT_LAW_WEIBULL, .shape = 0.001, .scale = 1 },
        { .law = SIMKIT_LAW_TRIANGULAR, .minimum = 1, .maximum = 2 },
        { .law = SIMKIT_LAW_TRIANGULAR, .minimum = 1, .maximum = 2, .mode = 3 },
        { .law = SIMKIT_LAW_UNIFORM, .minimum = 2, .maximum = 1 },
        { .law = SIMKIT_LAW_UNIFORM, .minimum = 2, .maximum = INFINITY },
        { .law = SIMKIT_LAW_INTEGER, .minimum = 0.5, .maximum = 2 },
        { .law = SIMKIT_LAW_INTEGER, .maximum = 1e16 },
        { .law = SIMKIT_LAW_POISSON, .mean = -1 },
        { .law = SIMKIT_LAW_POISSON, .mean = 2e15 },
        { .law = (simkit_law)(SIMKIT_LAW_INTEGER + 1) },
    };
    simkit_random random = { 1 };
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        assert_nan(simkit_distribution_mean(&none[i]));
        assert_nan(simkit_distribution_draw(&none[i], &random));
    }
}

static void what_does_not_scatter_is_constant(void **state)
{
    const simkit_distribution constant[] = {
        { .law = SIMKIT_LAW_NORMAL, .mean = 3 },
        { .law = SIMKIT_LAW_LOGNORMAL, .mean = 3 },
        { .law = SIMKIT_LAW_TRIANGULAR, .minimum = 3, .mode = 3, .maximum = 3 },
        { .law = SIMKIT_LAW_UNIFORM, .minimum = 3, .maximum = 3 },
    };
    simkit_random random = { 1 };
    const simkit_distribution none = { .law = SIMKIT_LAW_POISSON };
    (void)state;
    for (size_t i = 0; i < sizeof constant / sizeof *constant; ++i) {
        assert_equal(simkit_distribution_draw(&constant[i], &random), 3);
        assert_equal(simkit_distribution_mean(&constant[i]), 3);
    }
    assert_equal(simkit_distribution_draw(&none, &random), 0);
}

static void means_are_what_is_drawn(void **state)
{
    (void)state;
    assert_equal(simkit_distribution_mean(&laws[0]), 3);
    assert_close(simkit_distribution_mean(&laws[2]), 0.35 + 0.8 + 2, 1e-15);
    assert_close(simkit_distribution_mean(&laws[3]), 2.5 * 0.1 / 1.5, 1e-15);
    assert_close(simkit_distribution_mean(&laws[4]), 0.1 * log(500) / (1 - 0.002), 1e-14);
    assert_close(simkit_distribution_mean(&laws[6]), 2.25, 1e-15);
    assert_close(simkit_distribution_mean(&laws[7]), 51.0 / 9, 1e-15);
    for (size_t law = 1; law < LAWS; ++law) {
        double means[20];
        for (uint64_t run = 0; run < 20; ++run) {
            simkit_random random = { run * 78 + law };
            means[run] = 0;
            for (int i = 0; i < 20000; ++i) means[run] += simkit_distribution_draw(&laws[law], &random) / 20000;
        }
        assert_within_95(means, 20, simkit_distribution_mean(&laws[law]), 0.02);
    }
    const simkit_distribution heavy = { .law = SIMKIT_LAW_PARETO, .shape = 1, .minimum = 1 };
    assert_equal(simkit_distribution_mean(&heavy), INFINITY);
}

static void draws_follow_the_law(void **state)
{
    (void)state;
    /* parts of 1e5 draws above a value, against P(X > x) */
    static const double at[] = { 0.11, 0.2, 0.5, 2, 10 };
    for (size_t law = 3; law < 6; ++law)
        for (size_t i = 0; i < 5; ++i) {
            const simkit_distribution *d = &laws[law];
            simkit_random random = { 5 };
            int above = 0;
            const double q = d->maximum > 0 ? pow(d->minimum / d->maximum, d->shape) : 0;
            const double p = (pow(d->minimum / at[i], d->shape) - q) / (1 - q);
            for (int n = 0; n < 100000; ++n) {
                const double x = simkit_distribution_draw(d, &random);
                assert_true(x >= d->minimum && (!(d->maximum > 0) || x <= d->maximum));
                above += x > at[i];
            }
            assert_true(fabs(above - 1e5 * p) <= 4 * sqrt(1e5 * p * (1 - p)) + 1);
        }
}

static void what_is_no_distribution_draws_nothing(void **state)
{
    (void)state;
    static const double bad[] = { 1, -1 };
    const simkit_distribution none[] = {
        { .mean = -1 },
        { .mean = INFINITY },
        { .law = SIMKIT_LAW_EXPONENTIAL },
        { .law = SIMKIT_LAW_PARETO, .minimum = 1 },
        { .law = SIMKIT_LAW_PARETO, .shape = 1 },
        { .law = SIMKIT_LAW_PARETO, .shape = 1e-3, .minimum = 1 },
        { .law = SIMKIT_LAW_PARETO, .shape = 1, .minimum = 1, .maximum = 1 },
        { .law = SIMKIT_LAW_PARETO, .shape = 1, .minimum = 1, .maximum = NAN },
        { .law = SIMKIT_LAW_SAMPLE },
        { .law = SIMKIT_LAW_SAMPLE, .values = bad, .count = 2 },
        { .law = SIMKIT_LAW_SAMPLE, .values = sample, .weights = bad, .count = 2 },
        { .law = SIMKIT_LAW_HYPEREXPONENTIAL, .values = sample, .count = 2 },
        { .law = (simkit_law)9, .mean = 1 },
    };
    simkit_random random = { 1 };
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        assert_nan(simkit_distribution_mean(&none[i]));
        assert_nan(simkit_distribution_draw(&none[i], &random));
    }
    assert_nan(simkit_distribution_draw(NULL, &random));
    assert_nan(simkit_distribution_draw(&laws[0], NULL));
    assert_int_equal(random.state, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distribution_functions_are_the_closed_forms),
        cmocka_unit_test(moments_are_those_of_the_distribution_function),
        cmocka_unit_test(large_poisson_numbers_have_their_moments),
        cmocka_unit_test(whole_numbers_are_equally_likely),
        cmocka_unit_test(normal_numbers_have_both_signs),
        cmocka_unit_test(what_is_out_of_range_draws_nothing),
        cmocka_unit_test(what_does_not_scatter_is_constant),
        cmocka_unit_test(means_are_what_is_drawn),
        cmocka_unit_test(draws_follow_the_law),
        cmocka_unit_test(what_is_no_distribution_draws_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
