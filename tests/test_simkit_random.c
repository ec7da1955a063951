/* Room random of simkit.h: known bits, moments, streams of their own. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "close.h"

enum { DRAWS = 1000000 };

/* The first numbers of SplitMix64 from state 0, as its authors' own code gives them. */
static void bits_are_splitmix64(void **state)
{
    simkit_random random = { 0 };
    (void)state;
    assert_true(simkit_random_bits(&random) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(simkit_random_bits(&random) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(simkit_random_bits(&random) == UINT64_C(0x06c45d188009454f));
}

/* Mean and variance within five standard errors. */
static void moments(double (*draw)(simkit_random *random), double mean, double variance, double fourth)
{
    simkit_random random = { 7 };
    double sum = 0, squares = 0;

    for (int i = 0; i < DRAWS; ++i) {
        const double x = draw(&random) - mean;
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / DRAWS) < 5 * sqrt(variance / DRAWS));
    assert_true(fabs(squares / DRAWS - variance) < 5 * sqrt((fourth - variance * variance) / DRAWS));
}

static double exponential(simkit_random *random)
{
    return simkit_random_exponential(random, 2);
}

static void uniform_and_exponential_have_their_moments(void **state)
{
    (void)state;
    moments(simkit_random_uniform, 0.5, 1.0 / 12, 1.0 / 80);
    moments(exponential, 2, 4, 9 * 16);
}

/* The largest distance between the empirical and the true distribution function (Kolmogorov): 1.95 / sqrt(n) is passed
 * once in a thousand seeds. */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void exponential_has_its_distribution(void **state)
{
    enum { N = 100000 };
    simkit_random random = { 99 };
    double *x = (double *)malloc(N * sizeof *x), worst = 0;

    (void)state;
    for (int i = 0; i < N; ++i) x[i] = simkit_random_exponential(&random, 1);
    qsort(x, N, sizeof *x, ascending);
    for (int i = 0; i < N; ++i) worst = fmax(worst, fabs((i + 0.5) / N - (1 - exp(-x[i]))));
    free(x);
    assert_true(worst < 1.95 / sqrt(N));
}

static void ranges_hold(void **state)
{
    simkit_random random = { 1 };
    double low = 1, high = 0;
    (void)state;
    for (int i = 0; i < DRAWS; ++i) {
        const double u = simkit_random_uniform(&random);
        low = fmin(low, u);
        high = fmax(high, u);
        assert_true(simkit_random_exponential(&random, 1e-3) > 0);
    }
    assert_true(low >= 0 && low < 1e-4 && high < 1 && high > 1 - 1e-4);
    assert_nan(simkit_random_exponential(&random, 0));
    assert_nan(simkit_random_exponential(&random, -1));
    assert_nan(simkit_random_exponential(&random, NAN));
    assert_nan(simkit_random_exponential(&random, INFINITY));
}

static void streams_are_their_own(void **state)
{
    simkit_world *a, *b, *same;
    (void)state;
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .seed = 1 }, &a), SIMKIT_OK);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .seed = 2 }, &b), SIMKIT_OK);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .seed = 1 }, &same), SIMKIT_OK);
    for (uint64_t number = 0; number < 100; ++number) {
        simkit_random x = simkit_random_stream(a, number), y = simkit_random_stream(same, number),
                      z = simkit_random_stream(b, number), next = simkit_random_stream(a, number + 1);
        const uint64_t bits = simkit_random_bits(&x);
        assert_true(bits == simkit_random_bits(&y));
        assert_true(bits != simkit_random_bits(&z));
        assert_true(bits != simkit_random_bits(&next));
    }
    simkit_world_close(a);
    simkit_world_close(b);
    simkit_world_close(same);
}

/* Neighbouring streams are not correlated. */
static void streams_do_not_follow_each_other(void **state)
{
    simkit_world *world;
    simkit_random x, y;
    double sum = 0;
    (void)state;
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    x = simkit_random_stream(world, 0);
    y = simkit_random_stream(world, 1);
    for (int i = 0; i < DRAWS; ++i) sum += (simkit_random_uniform(&x) - 0.5) * (simkit_random_uniform(&y) - 0.5);
    assert_true(fabs(sum / DRAWS) * 12 < 5 / sqrt(DRAWS));
    simkit_world_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_splitmix64),
        cmocka_unit_test(uniform_and_exponential_have_their_moments),
        cmocka_unit_test(exponential_has_its_distribution),
        cmocka_unit_test(ranges_hold),
        cmocka_unit_test(streams_are_their_own),
        cmocka_unit_test(streams_do_not_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
