/* Room share of contention.h: closed forms, every refusal, and random inputs against a second, slow, obvious way. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"
#include "close.h"

#include <float.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(communication_takes_its_part),
        cmocka_unit_test(equal_processes_share_equally),
        cmocka_unit_test(nice_levels_share_one_core),
        cmocka_unit_test(nice_weights),
        cmocka_unit_test(what_one_leaves_goes_to_the_others),
        cmocka_unit_test(equal_weights_share_equally_to_the_bit),
        cmocka_unit_test(random_weights_equal_a_bisection),
        cmocka_unit_test(far_apart_weights_stay_numbers),
        cmocka_unit_test(refused_shares_leave_the_array_alone),
    };
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
