/* Room slowdown of contention.h: sharing against all states at once, partitions and batches, and every refusal. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"
#include "mixes.h"

/* All 3^n states, each with what max-min sharing leaves to the one that computes. */
static double shared_by_all_states(const contention_mix *mix, const contention_delay *delays, double k)
{
    double sum = 0;
    size_t states = 1;
    for (size_t a = 0; a < mix->count; ++a) states *= 3;
    for (size_t state = 0; state < states; ++state) {
        size_t rest = state, doing[3] = { 0, 0, 0 };
        double probability = 1;
        for (size_t a = 0; a < mix->count; a++, rest /= 3) {
            const double parts[3] = { 1 - mix->computing[a] - mix->communicating[a], mix->computing[a],
                                      mix->communicating[a] };
            probability *= parts[rest % 3] > 0 ? parts[rest % 3] : 0;
            ++doing[rest % 3];
        }
        const double delay = contention_delay_of(delays, 2, doing[2], k), others = (double)doing[1];
        const double talkers = (double)doing[2], wanted = delay / (1 + delay);
        const double fair = talkers / (1 + others + talkers), taken = wanted < fair ? wanted : fair;
        double slowdown = (1 + others) / (1 - taken);
        if (delay > talkers) slowdown = (1 + others + talkers) * (1 + delay) / (1 + talkers);
        sum += probability * slowdown;
    }
    return sum;
}

static void sharing_equals_all_states(void **state)
{
    const contention_delay delays[] = { { 2.37, -0.20, 0.49, 1.38, -0.06 }, { 1.74, -0.50, 1.37, 2.48, 0 } };
    const contention_delay turns[] = { { 0, 0, 0, 1, 0 }, { 0, 0, 0, 2, 0 }, { 0, 0, 0, 3, 0 } };
    contention_mix mix;

    (void)state;
    for (int trial = 0; trial < 60; ++trial) {
        const double k = random_between(&dice, 0, 4);
        memset(&mix, 0, sizeof mix);
        while (mix.count < (size_t)trial % 9) add(&mix);
        assert_close(contention_slowdown_shared(&mix, delays, 2, k), shared_by_all_states(&mix, delays, k), 1e-12);
        assert_close(contention_slowdown_shared(&mix, NULL, 0, k), 1 + mix.load, 1e-12);
        assert_true(contention_slowdown_shared(&mix, delays, 2, k) >= 1 - 1e-12);
        if (mix.count <= 3) /* who takes turns is as eq. (2) has it */
            assert_close(contention_slowdown_shared(&mix, turns, 3, k), contention_slowdown_local(&mix, turns, 3, k),
                         1e-12);
    }
    memset(&mix, 0, sizeof mix);
    assert_int_equal(contention_mix_add(&mix, 0, 1), CONTENTION_OK);
    assert_close(contention_slowdown_shared(&mix, delays, 2, 1), contention_slowdown_local(&mix, delays, 2, 1), 1e-15);
    assert_nan(contention_slowdown_shared(&mix, delays, 2, -1));
    while (mix.count <= CONTENTION_SHARED_MAX) add(&mix);
    assert_nan(contention_slowdown_shared(&mix, delays, 2, 1));
}

static void delays_are_lines_in_two_pieces(void **state)
{
    const contention_delay delays[] = { { 2, 1, -1, 5, 0.5 }, { 0, 0, 0, 0.25, 0 } };

    (void)state;
    assert_equal(contention_delay_of(delays, 2, 1, 0.5), 0.5);
    assert_equal(contention_delay_of(delays, 2, 1, 1.5), 0); /* the line leads below */
    assert_equal(contention_delay_of(delays, 2, 1, 2), 6);
    assert_equal(contention_delay_of(delays, 2, 2, 1), 0.25);
    assert_equal(contention_delay_of(delays, 2, 9, 1), 0.25); /* beyond the last curve it counts */
    assert_equal(contention_delay_of(delays, 2, 0, 1), 0);
    assert_equal(contention_delay_of(NULL, 0, 3, 1), 0);
    assert_nan(contention_delay_of(delays, 2, 1, -1));
    assert_nan(contention_delay_of(delays, 2, 1, NAN));
}

static void formulas_refuse_what_cannot_be(void **state)
{
    static const double bad[] = { 0, -1, NAN };
    contention_mix nobody, crowd;
    const double one[] = { 1, 1 }, half[] = { 0.5, 0.5 };
    double out[2] = { 7, 7 };

    (void)state;
    for (int i = 0; i < 3; ++i) {
        const double wrong[] = { 1, bad[i] };
        assert_nan(contention_slowdown_communication(bad[i], 1));
        assert_nan(contention_slowdown_communication(1, bad[i]));
        assert_nan(contention_slowdown_by_load(2, wrong, one));
        assert_nan(contention_slowdown_by_load(2, one, wrong));
        assert_nan(contention_slowdown_by_partition(2, wrong, one, half, NULL));
        assert_nan(contention_slowdown_by_partition(2, one, wrong, half, NULL));
        assert_int_equal(contention_weights(2, wrong, out), CONTENTION_BAD_TIME);
        assert_int_equal(contention_partition(2, wrong, one, out), CONTENTION_BAD_WEIGHT);
        assert_int_equal(contention_partition(2, one, wrong, out), CONTENTION_BAD_SLOWDOWN);
        if (i > 0) assert_nan(contention_slowdown_by_partition(2, one, one, wrong, NULL));
        if (i > 0) assert_nan(contention_slowdown_by_partition(2, one, one, half, wrong));
    }
    for (int i = 0; i < 2; ++i) { /* infinite weights, parts and times */
        const double endless[] = { i ? INFINITY : 1, i ? 1 : INFINITY };
        assert_nan(contention_slowdown_communication(endless[0], endless[1]));
        assert_nan(contention_slowdown_by_load(2, endless, one));
        assert_nan(contention_slowdown_by_partition(2, endless, one, half, NULL));
        assert_nan(contention_slowdown_by_partition(2, one, one, endless, NULL));
        assert_nan(contention_slowdown_by_partition(2, one, one, half, endless));
        assert_int_equal(contention_weights(2, endless, out), CONTENTION_BAD_TIME);
        assert_int_equal(contention_partition(2, endless, one, out), CONTENTION_BAD_WEIGHT);
        assert_close(contention_slowdown_by_load(2, one, endless), 2, 1e-15); /* one of the two does nothing */
    }
    {
        const double tiny[] = { 1e-300, 1 }, huge[] = { 1e300, 1 }, most[] = { 1.7e308, 1.7e308 };
        assert_int_equal(contention_weights(2, (const double[]){ 1e-200, 1e200 }, out), CONTENTION_BAD_TIME);
        assert_int_equal(contention_weights(2, (const double[]){ 1e200, 1e-200 }, out), CONTENTION_BAD_TIME);
        assert_int_equal(contention_partition(2, huge, tiny, out), CONTENTION_BAD_SLOWDOWN);
        assert_nan(contention_slowdown_by_load(2, huge, tiny));
        assert_nan(contention_slowdown_by_load(2, most, (const double[]){ 1e200, 1e200 }));
        assert_close(contention_slowdown_by_load(2, huge, (const double[]){ 1e100, 1 }), 1e100, 1e-12);
    }
    assert_equal(contention_slowdown_communication(12.5, 5), 2.5);
    memset(&nobody, 0, sizeof nobody);
    memset(&crowd, 0, sizeof crowd);
    assert_int_equal(contention_mix_add(&crowd, 0.5, 0.5), CONTENTION_OK);
    for (int i = 1; i < 3; ++i) {
        assert_nan(contention_slowdown_local(&crowd, NULL, 0, bad[i]));
        assert_nan(contention_slowdown_local(&nobody, NULL, 0, bad[i]));
        assert_nan(contention_slowdown_shared(&crowd, NULL, 0, bad[i]));
    }
    assert_equal(contention_slowdown_local(&crowd, NULL, 0, 0), 1.5);
    assert_equal(contention_slowdown_local(&nobody, NULL, 0, INFINITY), 1);
    assert_equal(probability(&crowd, 1, 1), 0.5);
    assert_true(crowd.error_bound[0] > 0 && crowd.error_bound[1] > 0);
    assert_int_equal(contention_mix_remove(&crowd, 0), CONTENTION_OK);
    assert_equal(crowd.error_bound[0], 0); /* an empty mix is known exactly */
    assert_equal(crowd.error_bound[1], 0);
    assert_nan(contention_slowdown_by_load(2, one, NULL));
    assert_int_equal(contention_partition(0, one, one, out), CONTENTION_BAD_COUNT);
    assert_int_equal(contention_partition(2, NULL, one, out), CONTENTION_MISSING);
    assert_int_equal(contention_partition(2, one, NULL, out), CONTENTION_MISSING);
    assert_int_equal(contention_weights(2, one, NULL), CONTENTION_MISSING);
    assert_nan(contention_slowdown_by_partition(0, one, one, half, NULL));
    /* a node without work does not count, however slow it is */
    assert_equal(contention_slowdown_by_partition(2, (const double[]){ 1, 1 }, (const double[]){ 2, INFINITY },
                                                  (const double[]){ 1, 0 }, NULL),
                 4);
    assert_nan(contention_slowdown_by_load(0, one, one));
    assert_nan(contention_slowdown_by_load(2, NULL, one));
    assert_nan(contention_slowdown_by_partition(2, one, one, NULL, NULL));
    assert_nan(contention_slowdown_by_partition(2, one, one, half, (const double[]){ 0, 0 }));
    assert_int_equal(contention_weights(0, one, out), CONTENTION_BAD_COUNT);
    assert_int_equal(contention_weights(2, NULL, out), CONTENTION_MISSING);
    assert_int_equal(contention_partition(2, one, one, NULL), CONTENTION_MISSING);
    {
        const double never[] = { INFINITY, INFINITY };
        assert_int_equal(contention_partition(2, one, never, out), CONTENTION_NO_CAPACITY);
        assert_true(isinf(contention_slowdown_by_load(2, one, never)));
    }
    assert_equal(out[0], 7);
}

/* The partition by load lets all nodes end together, and its slowdown is that of eq. 5. */
static void a_partition_by_load_ends_together(void **state)
{
    (void)state;
    for (int trial = 0; trial < 100; ++trial) {
        double time[8], weight[8], slowdown[8], fraction[8], dedicated[8], sum = 0;
        const double none[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
        for (int i = 0; i < 8; ++i) {
            time[i] = random_between(&dice, 1, 10);
            slowdown[i] = random_between(&dice, 1, 5);
        }
        assert_int_equal(contention_weights(8, time, weight), CONTENTION_OK);
        assert_int_equal(contention_partition(8, weight, slowdown, fraction), CONTENTION_OK);
        assert_int_equal(contention_partition(8, weight, none, dedicated), CONTENTION_OK);
        for (int i = 0; i < 8; ++i) {
            sum += fraction[i];
            assert_close(fraction[i] * slowdown[i] / weight[i], fraction[0] * slowdown[0] / weight[0], 1e-12);
        }
        assert_close(sum, 1, 1e-12);
        assert_close(contention_slowdown_by_partition(8, weight, slowdown, fraction, dedicated),
                     contention_slowdown_by_load(8, weight, slowdown), 1e-12);
    }
}

static void a_batch_equals_one_after_another(void **state)
{
    enum { NODES = 40, CANDIDATES = 1000, EACH = 4 };
    static uint32_t node[EACH * CANDIDATES];
    static double slowdown[CANDIDATES];
    double weight[NODES], local[NODES], capacity[NODES];

    (void)state;
    for (int i = 0; i < NODES; ++i) {
        weight[i] = random_between(&dice, 1, 4);
        local[i] = i == 7 ? INFINITY : random_between(&dice, 1, 6);
        capacity[i] = weight[i] / local[i];
    }
    for (int i = 0; i < EACH * CANDIDATES; ++i) node[i] = (uint32_t)random_between(&dice, 0, NODES);
    for (int k = 0; k < EACH; ++k) node[5 * EACH + k] = 7;          /* without any capacity */
    for (int c = 0; c < CANDIDATES; ++c) slowdown[c] = (double)NAN; /* what was there before does not count */
    contention_slowdowns_by_load(CANDIDATES, EACH, node, weight, capacity, slowdown);
    for (int c = 0; c < CANDIDATES; ++c) {
        double w[EACH], s[EACH];
        for (int k = 0; k < EACH; ++k) w[k] = weight[node[c * EACH + k]], s[k] = local[node[c * EACH + k]];
        assert_close(slowdown[c], contention_slowdown_by_load(EACH, w, s), 1e-14);
    }
    assert_true(isinf(slowdown[5]));
}

/* Weights are relative to the slowest, whatever the unit of the times. */
static void weights_have_no_unit(void **state)
{
    static const double times[3] = { 2, 8, 4 }, scales[] = { 1e-9, 0.01, 1, 1e9 };
    (void)state;
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
        double time[3], weight[3];
        for (int i = 0; i < 3; ++i) time[i] = times[i] * scales[k];
        assert_int_equal(contention_weights(3, time, weight), CONTENTION_OK);
        assert_close(weight[0], 4, 1e-15);
        assert_equal(weight[1], 1);
        assert_close(weight[2], 2, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_have_no_unit),
        cmocka_unit_test(sharing_equals_all_states),
        cmocka_unit_test(delays_are_lines_in_two_pieces),
        cmocka_unit_test(formulas_refuse_what_cannot_be),
        cmocka_unit_test(a_partition_by_load_ends_together),
        cmocka_unit_test(a_batch_equals_one_after_another),
    };
    return cmocka_run_group_tests_name("slowdown", tests, NULL, NULL);
}
