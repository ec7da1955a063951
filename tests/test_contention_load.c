/* Room load of contention.h: closed forms, every refusal, and the kernel's load average against another arithmetic. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"
#include "close.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
        cmocka_unit_test(beta_from_window),
        cmocka_unit_test(sixty_runnable_processes),
        cmocka_unit_test(many_samples_equal_one_after_another),
        cmocka_unit_test(a_load_refuses_the_impossible),
        cmocka_unit_test(the_kernel_digit_for_digit),
        cmocka_unit_test(the_kernel_gets_there_and_back),
        cmocka_unit_test(the_longest_text_fits),
    };
    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
