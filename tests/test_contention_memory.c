/* Room memory of contention.h: closed forms, a second way that bisects for the level, every refusal. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "close.h"

enum { MOST = 12 };

/* Who streams 10 GB/s a core, on a memory of 25 GB/s: two cores have all they need, the third has half of it. */
static void streams_divide_the_bandwidth(void **state)
{
    const double demand = 10e9;
    (void)state;
    for (int n = 1; n <= 16; ++n) {
        const double cores = n, level = contention_memory_level(25e9, 1, &cores, &demand);
        const double progress = contention_memory_progress(level, demand);
        if (n <= 2) assert_equal(level, HUGE_VAL);
        assert_close(progress, n <= 2 ? 1 : 2.5 / n, 1e-15);
    }
}

/* What a core does not need goes to the others: 1 and 4 of a memory of 9 for three cores; the third wants 10. */
static void what_one_does_not_need_goes_to_the_others(void **state)
{
    const double cores[] = { 1, 1, 1, 0 }, demand[] = { 1, 4, 10, 1e300 };
    (void)state;
    assert_equal(contention_memory_level(9, 4, cores, demand), 4);
    assert_equal(contention_memory_level(8, 4, cores, demand), 3.5);
    assert_equal(contention_memory_level(3, 4, cores, demand), 1);
    assert_equal(contention_memory_level(1.5, 4, cores, demand), 0.5);
    assert_equal(contention_memory_level(12, 4, cores, demand), 7);
    assert_equal(contention_memory_level(15, 4, cores, demand), HUGE_VAL); /* who is not there wants nothing */
    assert_equal(contention_memory_progress(3.5, 1), 1);
    assert_equal(contention_memory_progress(3.5, 4), 0.875);
    assert_equal(contention_memory_progress(3.5, 10), 0.35);
}

/* Halves of a core count half: two that share a core are as one. */
static void a_share_of_a_core_has_that_share_of_the_level(void **state)
{
    const double one[] = { 1, 1 }, two[] = { 0.5, 0.5, 1 }, demand[] = { 6, 2 }, same[] = { 6, 6, 2 };
    (void)state;
    assert_equal(contention_memory_level(5, 2, one, demand), 3);
    assert_equal(contention_memory_level(5, 3, two, same), 3);
}

static double moved(double level, size_t classes, const double cores[], const double demand[])
{
    double sum = 0;
    for (size_t i = 0; i < classes; ++i) sum += cores[i] * fmin(demand[i], level);
    return sum;
}

/* Until the level is between neighbouring doubles. */
static double by_bisection(double bandwidth, size_t classes, const double cores[], const double demand[])
{
    double low = 0, high = 0;
    for (size_t i = 0; i < classes; ++i) high = fmax(high, demand[i]);
    if (moved(high, classes, cores, demand) <= bandwidth) return HUGE_VAL;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        if (moved(middle, classes, cores, demand) <= bandwidth)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void the_level_is_that_of_a_bisection(void **state)
{
    uint64_t dice = 11;
    int contended = 0;
    (void)state;
    for (int trial = 0; trial < 20000; ++trial) {
        const size_t classes = (size_t)(random_next(&dice) % (MOST + 1));
        const double bandwidth = random_between(&dice, 0.1, 30);
        double cores[MOST], demand[MOST];
        for (size_t i = 0; i < classes; ++i) {
            cores[i] = random_next(&dice) % 4 ? random_between(&dice, 0, 2) : (double)(random_next(&dice) % 3);
            demand[i] = random_next(&dice) % 4 ? random_between(&dice, 0, 9) : (double)(random_next(&dice) % 4);
        }
        const double level = contention_memory_level(bandwidth, classes, cores, demand);
        const double slowly = by_bisection(bandwidth, classes, cores, demand);
        for (size_t i = 0; i < classes; ++i)
            assert_close(contention_memory_progress(level, demand[i]), contention_memory_progress(slowly, demand[i]), 1e-12);
        if (slowly < HUGE_VAL) {
            ++contended;
            assert_close(moved(level, classes, cores, demand), bandwidth, 1e-12);
        }
    }
    assert_true(contended > 5000 && contended < 15000);
}

static void extremes_have_a_level(void **state)
{
    const double cores[] = { 1e300, 1 }, demand[] = { 1e300, 1e-300 };
    (void)state;
    assert_close(contention_memory_level(1e300, 2, cores, demand), 1, 1e-12);
    assert_equal(contention_memory_level(HUGE_VAL, 2, cores, demand), HUGE_VAL);
    assert_equal(contention_memory_level(1, 0, NULL, NULL), HUGE_VAL);
    assert_equal(contention_memory_progress(0, 0), 1);
    assert_equal(contention_memory_progress(0, 1), 0);
    assert_equal(contention_memory_progress(HUGE_VAL, 1e308), 1);
}

static void what_is_out_of_range_is_nan(void **state)
{
    static const double bad[] = { -1, (double)NAN, HUGE_VAL };
    double cores[] = { 1, 1 }, demand[] = { 1, 1 };
    (void)state;
    for (int i = 0; i < 3; ++i) {
        cores[1] = bad[i];
        assert_true(isnan(contention_memory_level(1, 2, cores, demand)));
        cores[1] = 1, demand[1] = bad[i];
        assert_true(isnan(contention_memory_level(1, 2, cores, demand)));
        assert_true(isnan(contention_memory_progress(1, bad[i])));
        demand[1] = 1;
    }
    assert_true(isnan(contention_memory_level(0, 2, cores, demand)));
    assert_true(isnan(contention_memory_level((double)NAN, 2, cores, demand)));
    assert_true(isnan(contention_memory_level(1, 2, NULL, demand)));
    assert_true(isnan(contention_memory_level(1, 2, cores, NULL)));
    assert_true(isnan(contention_memory_progress(-1, 1)));
    assert_true(isnan(contention_memory_progress((double)NAN, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_divide_the_bandwidth),
        cmocka_unit_test(what_one_does_not_need_goes_to_the_others),
        cmocka_unit_test(a_share_of_a_core_has_that_share_of_the_level),
        cmocka_unit_test(the_level_is_that_of_a_bisection),
        cmocka_unit_test(extremes_have_a_level),
        cmocka_unit_test(what_is_out_of_range_is_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
