/* Room mix of contention.h: against all states at once, against starting again, and every refusal. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"
#include "mixes.h"

#include <stdbool.h>

/* Probabilities of i of `count` at a time, by all 2^count states. */
static void enumerate(const double *part, size_t count, double *probability)
{
    for (size_t i = 0; i <= count; ++i) probability[i] = 0;
    for (size_t states = 0; states < (size_t)1 << count; ++states) {
        double p = 1;
        size_t on = 0;
        for (size_t i = 0; i < count; ++i) {
            const bool is = states >> i & 1;
            p *= is ? part[i] : 1 - part[i];
            on += is;
        }
        probability[on] += p;
    }
}

static void probabilities_equal_all_states(void **state)
{
    const contention_delay delays[] = { { 2.37, -0.20, 0.49, 1.38, -0.06 }, { 1.74, -0.50, 1.37, 2.48, 0 } };

    (void)state;
    for (int trial = 0; trial < 60; ++trial) {
        contention_mix mix;
        double compute[17], communicate[17], slowdown = 1;
        const double k = random_between(&dice, 0, 4);
        const size_t count = (size_t)trial % 17;
        memset(&mix, 0, sizeof mix);
        while (mix.count < count) add(&mix);
        enumerate(mix.computing, count, compute);
        enumerate(mix.communicating, count, communicate);
        for (size_t i = 0; i <= count; ++i) {
            assert_true(fabs(probability(&mix, 0, i) - compute[i]) <= 1e-12 * compute[i] + 1e-300);
            assert_true(fabs(probability(&mix, 1, i) - communicate[i]) <= 1e-12 * communicate[i] + 1e-300);
            slowdown += (double)i * compute[i] + communicate[i] * contention_delay_of(delays, 2, i, k);
        }
        assert_close(contention_slowdown_local(&mix, delays, 2, k), slowdown, 1e-12);
    }
}

/* A million arrivals and departures: every probability within 1e-12 of starting again. */
static void a_million_come_and_go(void **state)
{
#ifdef TESTS_SLOW
    const int moves = 30000;
#else
    const int moves = 1000000;
#endif
    contention_mix mix;
    double worst = 0;

    (void)state;
    memset(&mix, 0, sizeof mix);
    for (int move = 0; move < moves; ++move) {
        const size_t aim = (size_t)(32 + 32 * sin(move / 500.0)); /* from none to all, and back */
        const bool comes = mix.count == 0 || (mix.count < CONTENTION_MIX_MAX &&
                                              random_between(&dice, 0, 1) < (mix.count < aim ? 0.6 : 0.4));
        if (comes)
            add(&mix);
        else
            assert_int_equal(contention_mix_remove(&mix, (size_t)random_between(&dice, 0, (double)mix.count)),
                             CONTENTION_OK);
        if (move % 17 == 0) {
            contention_mix again = mix;
            contention_mix_rebuild(&again);
            for (size_t i = 0; i <= mix.count; ++i) {
                worst = fmax(worst, fabs(probability(&mix, 0, i) - probability(&again, 0, i)));
                worst = fmax(worst, fabs(probability(&mix, 1, i) - probability(&again, 1, i)));
            }
            assert_true(mix.error_bound[0] <= 1e-12 && mix.error_bound[1] <= 1e-12);
        }
    }
    assert_true(worst < 1e-12);
}

/* Made anew from the applications alone, whatever stood there, it is what adding one after another made. */
static void a_mix_is_rebuilt_from_nothing(void **state)
{
    contention_mix mix, again;
    (void)state;
    memset(&mix, 0, sizeof mix);
    for (int i = 0; i < 20; ++i) add(&mix);
    again = mix;
    memset(again.probability, 0x7F, sizeof again.probability); /* 1e306 and more */
    again.error_bound[0] = again.error_bound[1] = 1;
    contention_mix_rebuild(&again);
    for (size_t i = 0; i <= mix.count; ++i) {
        assert_close(again.probability[i][0], mix.probability[i][0], 1e-12);
        assert_close(again.probability[i][1], mix.probability[i][1], 1e-12);
    }
    assert_true(again.error_bound[0] < 1e-12 && again.error_bound[1] < 1e-12 && again.error_bound[0] > 0);
}

static void mixes_refuse_what_cannot_be(void **state)
{
    static const double bad[] = { -1e-9, 1 + 1e-9, NAN, INFINITY, -INFINITY };
    contention_mix mix, before;

    (void)state;
    memset(&mix, 0, sizeof mix);
    assert_equal(contention_slowdown_local(&mix, NULL, 0, 1), 1);
    add(&mix);
    before = mix;
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(contention_mix_add(&mix, bad[i], 0), CONTENTION_BAD_FRACTION);
        assert_int_equal(contention_mix_add(&mix, 0, bad[i]), CONTENTION_BAD_FRACTION);
    }
    assert_int_equal(contention_mix_add(&mix, 0.6, 0.5), CONTENTION_BAD_FRACTION);
    assert_int_equal(contention_mix_add(NULL, 0.6, 0.4), CONTENTION_MISSING);
    assert_int_equal(contention_mix_remove(NULL, 0), CONTENTION_MISSING);
    assert_int_equal(contention_mix_remove(&mix, 1), CONTENTION_UNKNOWN_APPLICATION);
    assert_memory_equal(&mix, &before, sizeof mix);
    while (mix.count < CONTENTION_MIX_MAX) add(&mix);
    assert_int_equal(contention_mix_add(&mix, 0, 0), CONTENTION_MIX_FULL);
    while (mix.count > 0) assert_int_equal(contention_mix_remove(&mix, 0), CONTENTION_OK);
    assert_equal(mix.load, 0);
    assert_int_equal(contention_mix_remove(&mix, 0), CONTENTION_UNKNOWN_APPLICATION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mix_is_rebuilt_from_nothing),
        cmocka_unit_test(probabilities_equal_all_states),
        cmocka_unit_test(a_million_come_and_go),
        cmocka_unit_test(mixes_refuse_what_cannot_be),
    };
    return cmocka_run_group_tests_name("mix", tests, NULL, NULL);
}
