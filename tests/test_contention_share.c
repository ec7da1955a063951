/* Rooms share and load of contention.h: closed forms, every refusal, and random inputs against a second, slow, obvious
 * way. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"
#include "close.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
static void every_result_has_its_own_sentence(void **state)
{
    static const char *const words[] = { "success",
                                         "NULL",
                                         "cores of a node",
                                         "taken by communication",
                                         "a weight must be",
                                         "a number of processes",
                                         "from 0 to 1, and so must their sum",
                                         "the mix has",
                                         "number of an application",
                                         "a time must be",
                                         "a slowdown must be",
                                         "capacities of all nodes",
                                         "an edge must lead",
                                         "a limit of cores",
                                         "parent of a member" };
    int i, k;
    (void)state;

    assert_int_equal(COUNT(words), CONTENTION_BAD_GROUP + 1);
    for (i = CONTENTION_OK; i <= CONTENTION_BAD_GROUP; ++i) {
        assert_non_null(strstr(contention_result_text((contention_result)i), words[i]));
        for (k = CONTENTION_OK; k < i; ++k)
            assert_string_not_equal(contention_result_text((contention_result)i),
                                    contention_result_text((contention_result)k));
    }
    assert_string_equal(contention_result_text((contention_result)99), "not a result of contention.h");
}

/*=============================================================================
 * MARK: - >>share
 *===========================================================================*/
static void communication_takes_its_part(void **state)
{
    (void)state;

    assert_equal(contention_share_taken(0, 0.05, 0, 0.02), 0);
    assert_close(contention_share_taken(3, 0.05, 2, 0.02), 0.19, 1e-15);
    assert_close(contention_share_taken(100, 0.05, 0, 0), 5, 1e-15);
    assert_nan(contention_share_taken(-1, 1, 1, 1));
    assert_nan(contention_share_taken(1, -1, 1, 1));
    assert_nan(contention_share_taken(1, 1, -1, 1));
    assert_nan(contention_share_taken(1, 1, 1, -1));
    assert_nan(contention_share_taken(INFINITY, 0, 1, 1));
    assert_nan(contention_share_taken(1, 1, 1, NAN));
}

static void equal_processes_share_equally(void **state)
{
    (void)state;

    assert_equal(contention_share_equal(1, 0, 1), 1);
    assert_equal(contention_share_equal(1, 0, 4), 0.25);
    assert_equal(contention_share_equal(4, 0, 3), 1);
    assert_equal(contention_share_equal(4, 1, 4), 0.75);
    assert_equal(contention_share_equal(1, 0.5, 2.5), 0.2);
    assert_equal(contention_share_equal(1, 3, 2), 0);
    assert_equal(contention_share_equal(1, INFINITY, 2), 0);
    assert_equal(contention_share_equal(INFINITY, 3, 1e9), 1);
    assert_nan(contention_share_equal(0, 0, 1));
    assert_nan(contention_share_equal(-1, 0, 1));
    assert_nan(contention_share_equal(NAN, 0, 1));
    assert_nan(contention_share_equal(1, -1, 1));
    assert_nan(contention_share_equal(1, NAN, 1));
    assert_nan(contention_share_equal(1, 0, 0));
    assert_nan(contention_share_equal(1, 0, NAN));
    assert_nan(contention_share_equal(1, 0, INFINITY));
}

static void nice_levels_share_one_core(void **state)
{
    double weight[2], share[2];
    (void)state;

    weight[0] = contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 0);
    weight[1] = contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 5);
    assert_int_equal(contention_share_weighted(1, 0, 2, weight, NULL, share), CONTENTION_OK);
    assert_close(share[0], 1024. / (1024 + 335), 1e-15);
    assert_close(share[1], 335. / (1024 + 335), 1e-15);

    weight[1] = contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 19);
    assert_int_equal(contention_share_weighted(1, 0, 2, weight, NULL, share), CONTENTION_OK);
    assert_close(share[0] / share[1], 1024. / 15, 1e-15);

    weight[0] = contention_nice_weight(CONTENTION_NICE_LINUX_2_2, 0);
    weight[1] = contention_nice_weight(CONTENTION_NICE_LINUX_2_2, 19);
    assert_int_equal(contention_share_weighted(1, 0, 2, weight, NULL, share), CONTENTION_OK);
    assert_close(share[0], 20. / 21, 1e-15);
}

static void nice_weights(void **state)
{
    double sum = 0;
    int nice;
    (void)state;

    for (nice = -20; nice <= 19; ++nice) {
        double weight = contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, nice);
        assert_close(weight, 1024 * pow(1.25, -nice), 0.07); /* so it was made; small weights round */
        assert_equal(weight, floor(weight));
        assert_equal(contention_nice_weight(CONTENTION_NICE_LINUX_2_2, nice), 20 - nice);
        sum += weight;
    }
    assert_equal(sum, 445163); /* of all forty, summed from a copy of the kernel's table made by other hands */
    assert_equal(contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, -20), 88761);
    assert_equal(contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 0), 1024);
    assert_equal(contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 5), 335);
    assert_equal(contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 19), 15);
    assert_nan(contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, -21));
    assert_nan(contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, 20));
    assert_nan(contention_nice_weight(CONTENTION_NICE_LINUX_2_2, 20));
    assert_nan(contention_nice_weight((contention_nice_rule)2, 0));
}

static void what_one_leaves_goes_to_the_others(void **state)
{
    static const double weight[] = { 8, 1, 3 }, count[] = { 1, 3, 0 };
    double share[3];
    (void)state;

    /* by weight alone the first would get 16/11 of 2 cores; it gets one, and the others divide the second */
    assert_int_equal(contention_share_weighted(2, 0, 3, weight, count, share), CONTENTION_OK);
    assert_equal(share[0], 1);
    assert_equal(share[1], 1 / 3.);
    assert_equal(share[2], 0);

    assert_int_equal(contention_share_weighted(INFINITY, 5, 2, weight, count, share), CONTENTION_OK);
    assert_equal(share[0], 1);
    assert_equal(share[1], 1);

    assert_int_equal(contention_share_weighted(2, 2, 2, weight, count, share), CONTENTION_OK);
    assert_equal(share[0], 0);
    assert_equal(share[1], 0);
}

static void equal_weights_share_equally_to_the_bit(void **state)
{
    uint64_t seed = 5;
    int round;
    (void)state;

    for (round = 0; round < 20000; ++round) {
        double weight[30], count[30], share[30], running = 0, w = exp(random_between(&seed, -100, 100));
        double cores = random_between(&seed, 0.1, 20), taken = random_between(&seed, 0, 2);
        size_t classes = 1 + random_next(&seed) % 30, i;
        int counted = (int)(random_next(&seed) % 2);

        for (i = 0; i < classes; ++i) {
            weight[i] = w;
            count[i] = counted ? 1 + floor(random_between(&seed, 0, 5)) : 1;
            running += count[i];
        }
        assert_int_equal(contention_share_weighted(cores, taken, classes, weight, counted ? count : NULL, share),
                         CONTENTION_OK);
        for (i = 0; i < classes; ++i) assert_equal(share[i], contention_share_equal(cores, taken, running));
    }
}

/* All that the classes take at a level of water, in cores. */
static double taken_at(double lambda, size_t classes, const double *weight, const double *count)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < classes; ++i) sum += count[i] * fmin(1, lambda * weight[i]);
    return sum;
}

static void random_weights_equal_a_bisection(void **state)
{
    uint64_t seed = 6;
    int round, k;
    (void)state;

    for (round = 0; round < 20000; ++round) {
        double weight[12], count[12], share[12], low = 0, high = 1, all = 0, rest, sum = 0;
        double cores = random_between(&seed, 0.1, 16), taken = random_between(&seed, 0, 2);
        size_t classes = 1 + random_next(&seed) % 12, i;

        for (i = 0; i < classes; ++i) {
            weight[i] = exp(random_between(&seed, -6, 6));
            count[i] = random_next(&seed) % 4 ? random_between(&seed, 0, 3) : floor(random_between(&seed, 0, 3));
            all += count[i];
            high = fmax(high, 1 / weight[i]);
        }
        rest = fmin(all, fmax(0, cores - taken));
        for (k = 0; k < 200; ++k) {
            double middle = (low + high) / 2;
            if (taken_at(middle, classes, weight, count) < rest)
                low = middle;
            else
                high = middle;
        }
        assert_int_equal(contention_share_weighted(cores, taken, classes, weight, count, share), CONTENTION_OK);
        for (i = 0; i < classes; ++i) {
            assert_close(share[i], count[i] > 0 && rest > 0 ? fmin(1, high * weight[i]) : 0, 1e-11);
            sum += count[i] * share[i];
        }
        assert_close(sum, rest, 1e-13);
    }
}

static void far_apart_weights_stay_numbers(void **state)
{
    static const double weight[] = { 1e300, 1e-300, 1, DBL_MAX }, count[] = { 1, 2, 1, 0 };
    double share[4];
    (void)state;

    assert_int_equal(contention_share_weighted(3, 0, 4, weight, count, share), CONTENTION_OK);
    assert_equal(share[0], 1);
    assert_equal(share[1], 0.5);
    assert_equal(share[2], 1);
    assert_equal(share[3], 0);
}

static void refused_shares_leave_the_array_alone(void **state)
{
    static const double bad_weight[] = { 0, -1, NAN, INFINITY }, bad_count[] = { -1, NAN, INFINITY };
    double weight[] = { 1, 1 }, count[] = { 1, 1 }, share[] = { 7, 7 };
    size_t i;
    (void)state;

    assert_int_equal(contention_share_weighted(0, 0, 2, weight, count, share), CONTENTION_BAD_CORES);
    assert_int_equal(contention_share_weighted(NAN, 0, 2, weight, count, share), CONTENTION_BAD_CORES);
    assert_int_equal(contention_share_weighted(1, -1, 2, weight, count, share), CONTENTION_BAD_TAKEN);
    assert_int_equal(contention_share_weighted(1, NAN, 2, weight, count, share), CONTENTION_BAD_TAKEN);
    assert_int_equal(contention_share_weighted(1, 0, 2, NULL, count, share), CONTENTION_MISSING);
    assert_int_equal(contention_share_weighted(1, 0, 2, weight, count, NULL), CONTENTION_MISSING);
    for (i = 0; i < 2 * COUNT(bad_weight); ++i) { /* of the first, then of the second */
        weight[i % 2] = bad_weight[i / 2];
        assert_int_equal(contention_share_weighted(1, 0, 2, weight, count, share), CONTENTION_BAD_WEIGHT);
        weight[i % 2] = 1;
    }
    for (i = 0; i < 2 * COUNT(bad_count); ++i) {
        count[i % 2] = bad_count[i / 2];
        assert_int_equal(contention_share_weighted(1, 0, 2, weight, count, share), CONTENTION_BAD_COUNT);
        count[i % 2] = 1;
    }
    assert_equal(share[0], 7);
    assert_equal(share[1], 7);
    assert_int_equal(contention_share_weighted(1, 0, 0, NULL, NULL, NULL), CONTENTION_OK);
}

/*=============================================================================
 * MARK: - >>load
 *===========================================================================*/
static void beta_from_window(void **state)
{
    (void)state;

    assert_equal(contention_load_beta(60), 60. / 61);
    assert_equal(contention_load_beta(59), 59. / 60);
    assert_equal(contention_load_beta(0), 0);
    assert_equal(contention_load_beta(INFINITY), 1);
    assert_nan(contention_load_beta(-1));
    assert_nan(contention_load_beta(NAN));
    assert_equal(contention_load_beta_window(60, 1), 60. / 61);
    assert_equal(contention_load_beta_window(300, 5), 60. / 61);
    assert_equal(contention_load_beta_window(0, 5), 0);
    assert_equal(contention_load_beta_window(INFINITY, 5), 1);
    assert_nan(contention_load_beta_window(-1, 5));
    assert_nan(contention_load_beta_window(NAN, 5));
    assert_nan(contention_load_beta_window(60, 0));
    assert_nan(contention_load_beta_window(60, -1));
    assert_nan(contention_load_beta_window(60, INFINITY));
    assert_nan(contention_load_beta_window(60, NAN));
}

static void sixty_runnable_processes(void **state)
{
    double load = 0, beta = contention_load_beta(59);
    int t;
    (void)state;

    for (t = 1; t <= 600; ++t) {
        load = contention_load_next(beta, load, 60);
        assert_close(load, 60 * (1 - pow(59. / 60, t)), 1e-13);
        assert_close(contention_load_after(beta, 0, 60, (uint64_t)t), load, 1e-13);
    }
}

static void many_samples_equal_one_after_another(void **state)
{
    uint64_t seed = 7;
    int round;
    (void)state;

    for (round = 0; round < 300; ++round) {
        double beta = contention_load_beta(random_between(&seed, 0, 900)), start = random_between(&seed, 0, 50);
        double running = random_between(&seed, 0, 50), load = start;
        uint64_t samples = random_next(&seed) % 3000, k;
        for (k = 0; k < samples; ++k) load = contention_load_next(beta, load, running);
        assert_close(contention_load_after(beta, start, running, samples), load, 1e-12);
    }
    assert_equal(contention_load_after(0.5, 3, 9, 0), 3);
    assert_equal(contention_load_after(0, 3, 9, 0), 3);
    assert_equal(contention_load_after(0, 3, 9, 1), 9);
    assert_equal(contention_load_after(1, 3, 9, UINT64_MAX), 3);
    assert_equal(contention_load_after(0.999, 3, 9, UINT64_MAX), 9);
}

static void a_load_refuses_the_impossible(void **state)
{
    static const double bad_beta[] = { -0.1, 1.1, NAN }, bad[] = { -1, INFINITY, NAN };
    size_t i;
    (void)state;

    for (i = 0; i < COUNT(bad_beta); ++i) {
        assert_nan(contention_load_next(bad_beta[i], 1, 1));
        assert_nan(contention_load_after(bad_beta[i], 1, 1, 1));
        assert_nan(contention_load_after(bad_beta[i], 1, 1, 0));
        assert_nan(contention_load_after(bad_beta[i], 1, 1, 2));
    }
    for (i = 0; i < COUNT(bad); ++i) {
        assert_nan(contention_load_next(0.5, bad[i], 1));
        assert_nan(contention_load_next(0.5, 1, bad[i]));
        assert_nan(contention_load_after(0.5, bad[i], 1, 2));
        assert_nan(contention_load_after(0.5, 1, bad[i], 2));
    }
}

/* The kernel's step in another arithmetic: an exact quotient, rounded up or down. All numbers stay below 2^53. */
static double slow_kernel_step(double fixed, double window, double active)
{
    double keep = floor(2048 / exp(5 / window) + 0.5), exact = (fixed * keep + 2048 * active * (2048 - keep)) / 2048;
    return 2048 * active >= fixed ? ceil(exact) : floor(exact);
}

static void the_kernel_digit_for_digit(void **state)
{
    static const double window[] = { 60, 300, 900 };
    contention_kernel_load load = { { 0, 0, 0 } };
    double slow[3] = { 0, 0, 0 };
    uint64_t seed = 8, active = 0;
    int step, i;
    (void)state;

    for (step = 0; step < 200000; ++step) {
        char text[CONTENTION_KERNEL_LOAD_TEXT], expected[100];
        uint64_t cents[3];

        if (random_next(&seed) % 50 == 0)
            active = random_next(&seed) % 3 ? random_next(&seed) % 8 : random_next(&seed) % 3000;
        contention_kernel_load_next(&load, active);
        for (i = 0; i < 3; ++i) {
            slow[i] = slow_kernel_step(slow[i], window[i], (double)active);
            assert_equal(contention_kernel_load_value(&load, i), slow[i] / 2048);
            cents[i] = (uint64_t)((slow[i] + 10) * 100 / 2048);
        }
        snprintf(expected, sizeof expected,
                 "%" PRIu64 ".%02" PRIu64 " %" PRIu64 ".%02" PRIu64 " %" PRIu64 ".%02" PRIu64, cents[0] / 100,
                 cents[0] % 100, cents[1] / 100, cents[1] % 100, cents[2] / 100, cents[2] % 100);
        contention_kernel_load_text(&load, text);
        assert_string_equal(text, expected);
    }
}

static void the_kernel_gets_there_and_back(void **state)
{
    contention_kernel_load load = { { 0, 0, 0 } };
    char text[CONTENTION_KERNEL_LOAD_TEXT];
    int step;
    (void)state;

    contention_kernel_load_next(&load, 1); /* 2048 * (2048 - 1884) / 2048 = 164 */
    assert_int_equal(load.fixed[0], 164);
    assert_int_equal(load.fixed[1], 34);
    assert_int_equal(load.fixed[2], 11);
    contention_kernel_load_text(&load, text);
    assert_string_equal(text, "0.08 0.02 0.01");

    for (step = 0; step < 2000; ++step) contention_kernel_load_next(&load, 1);
    contention_kernel_load_text(&load, text);
    assert_string_equal(text, "1.00 1.00 1.00");
    for (step = 0; step < 2000; ++step) contention_kernel_load_next(&load, 0);
    contention_kernel_load_text(&load, text);
    assert_string_equal(text, "0.00 0.00 0.00");
    assert_equal(contention_kernel_load_value(&load, 2), 0);
}

static void the_longest_text_fits(void **state)
{
    const uint64_t most = UINT64_MAX - 10;
    contention_kernel_load load = { { 0, 2048, 40960 } }, huge = { { most, most, most } };
    char text[CONTENTION_KERNEL_LOAD_TEXT];
    (void)state;

    contention_kernel_load_text(&load, text);
    assert_string_equal(text, "0.00 1.00 20.00");
    contention_kernel_load_text(&huge, text);
    assert_string_equal(text, "9007199254740991.99 9007199254740991.99 9007199254740991.99");
    assert_nan(contention_kernel_load_value(&load, -1));
    assert_nan(contention_kernel_load_value(&load, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_has_its_own_sentence),
        cmocka_unit_test(communication_takes_its_part),
        cmocka_unit_test(equal_processes_share_equally),
        cmocka_unit_test(nice_levels_share_one_core),
        cmocka_unit_test(nice_weights),
        cmocka_unit_test(what_one_leaves_goes_to_the_others),
        cmocka_unit_test(equal_weights_share_equally_to_the_bit),
        cmocka_unit_test(random_weights_equal_a_bisection),
        cmocka_unit_test(far_apart_weights_stay_numbers),
        cmocka_unit_test(refused_shares_leave_the_array_alone),
        cmocka_unit_test(beta_from_window),
        cmocka_unit_test(sixty_runnable_processes),
        cmocka_unit_test(many_samples_equal_one_after_another),
        cmocka_unit_test(a_load_refuses_the_impossible),
        cmocka_unit_test(the_kernel_digit_for_digit),
        cmocka_unit_test(the_kernel_gets_there_and_back),
        cmocka_unit_test(the_longest_text_fits),
    };
    return cmocka_run_group_tests_name("contention", tests, NULL, NULL);
}
