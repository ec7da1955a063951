/* Room scaling of netmodel.h: from runs on 1, 4 and 8 processes to 64 and 256, and which cluster to choose. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include "close.h"

static uint64_t dice = 1;

/* A program: 100 s for 500 MB on one process; overheads 20 s and 5 s more each doubling, and 0.05 s each MB. */
static double truth(double processes, double work)
{
    const double computing = 0.2 * work;
    return processes > 1 ? computing + 20 + 5 * log2(processes) + 0.05 * work : computing;
}

static size_t measure(netmodel_run *runs, size_t repeats, double noise)
{
    static const double processes[] = { 8, 1, 4 }, works[] = { 500, 250 };
    size_t count = 0;
    for (size_t r = 0; r < repeats; r++)
        for (int p = 0; p < 3; p++)
            for (int w = 0; w < 2; w++) {
                netmodel_run *x = &runs[count++];
                x->processes = processes[p];
                x->work = works[w];
                x->seconds = truth(x->processes, x->work) * (1 + noise * random_normal(&dice));
            }
    return count;
}

static void an_exact_program_comes_back(void **state)
{
    netmodel_run runs[6];
    netmodel_scaling s;
    netmodel_prediction p;

    (void)state;
    assert_int_equal(netmodel_fit_scaling(&s, runs, measure(runs, 1, 0), 0.02, NULL), NETMODEL_OK);
    assert_close(s.c, 20, 1e-9);
    assert_close(s.d, 5, 1e-9);
    assert_close(s.g, 0.05, 1e-9);
    assert_close(s.computing, 100, 1e-12);
    assert_equal(s.work, 500);
    assert_equal(s.fewest, 4);
    assert_equal(s.most, 8);
    for (double np = 1; np <= 1024; np *= 2) {
        p = netmodel_scaling_predict(&s, np, 0.95);
        assert_close(p.time, 100 + 20 + 5 * log2(np) + 25, 1e-12);
        assert_true(p.outside == !(np == 4 || np == 8));
        assert_true(p.low < p.mean_low && p.mean_high < p.high);
    }
    /* at 8 processes what is predicted is the run there itself: no more doubt than 2 % */
    assert_close(netmodel_scaling_predict(&s, 8, 0.95).mean_high / 160 - 1, 1.95996 * 0.02, 1e-4);
}

/* Intervals at 64 and 256 processes from runs on 1, 4 and 8 with 2 % noise: 95 % of them hold the truth, and 95 % of the
 * wider ones the next run; with a deviation that is told, and with one that repeated runs tell. */
static void intervals_cover_what_they_promise(void **state)
{
#ifdef TESTS_SLOW
    const int sets = 200;
#else
    const int sets = 4000;
#endif
    static const double processes[] = { 64, 256 };

    (void)state;
    for (size_t repeats = 1; repeats <= 3; repeats += 2)
        for (int k = 0; k < 2; k++) {
            int mean = 0, next = 0;
            for (int set = 0; set < sets; set++) {
                netmodel_run runs[18];
                netmodel_scaling s;
                netmodel_prediction p;
                const double exact = truth(processes[k], 500), measured = exact * (1 + 0.02 * random_normal(&dice));
                const size_t count = measure(runs, repeats, 0.02);
                assert_int_equal(netmodel_fit_scaling(&s, runs, count, repeats > 1 ? 0 : 0.02, NULL), NETMODEL_OK);
                p = netmodel_scaling_predict(&s, processes[k], 0.95);
                mean += exact >= p.mean_low && exact <= p.mean_high;
                next += measured >= p.low && measured <= p.high;
                assert_true(p.outside);
            }
            assert_true(fabs((double)mean / sets - 0.95) < (sets >= 4000 ? 0.02 : 0.06));
            assert_true(fabs((double)next / sets - 0.95) < (sets >= 4000 ? 0.02 : 0.06));
        }
}

/* The standard errors are those of the constants over many measurements. */
static void errors_are_those_of_the_constants(void **state)
{
    enum { SETS = 3000 };
    double sums[3] = { 0 }, squares[3] = { 0 }, errors[3] = { 0 };

    (void)state;
    for (int set = 0; set < SETS; set++) {
        netmodel_run runs[6];
        netmodel_scaling s;
        assert_int_equal(netmodel_fit_scaling(&s, runs, measure(runs, 1, 0.02), 0.02, NULL), NETMODEL_OK);
        {
            const double value[] = { s.c, s.d, s.g }, error[] = { s.c_error, s.d_error, s.g_error };
            for (int i = 0; i < 3; i++) sums[i] += value[i], squares[i] += value[i] * value[i], errors[i] += error[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        const double mean = sums[i] / SETS;
        assert_close(sqrt(squares[i] / SETS - mean * mean), errors[i] / SETS, 0.06);
    }
}

static void choices_are_listed_and_made(void **state)
{
    netmodel_run runs[6];
    netmodel_scaling fast, slow, fine_fast, fine_slow;
    netmodel_part parts[6];
    netmodel_choice choices[5];
    const size_t count = measure(runs, 1, 0);

    (void)state;
    assert_int_equal(netmodel_fit_scaling(&slow, runs, count, 0.01, NULL), NETMODEL_OK);
    for (size_t i = 0; i < count; i++) runs[i].seconds /= 2;
    assert_int_equal(netmodel_fit_scaling(&fast, runs, count, 0.01, NULL), NETMODEL_OK);
    fine_fast = fast, fine_slow = slow;
    fine_fast.work = fine_slow.work = 1000;
    memset(parts, 0, sizeof parts);
    memset(choices, 0, sizeof choices);
    for (int i = 0; i < 6; i++) parts[i].free = 32, parts[i].memory = 1000;
    parts[0].scaling = &slow, parts[0].processes = 32, parts[0].price = 1;
    parts[1].scaling = &fast, parts[1].processes = 32, parts[1].price = 3;
    parts[2].scaling = &fast, parts[2].processes = 64, parts[2].price = 3; /* not so many are free */
    parts[3].scaling = &fine_slow, parts[3].processes = 16, parts[3].price = 1;
    parts[4].scaling = &fine_fast, parts[4].processes = 16, parts[4].price = 3;
    for (int i = 0; i < 4; i++) choices[i].part = &parts[i], choices[i].parts = 1, choices[i].grid = i < 3 ? 100 : 200;
    choices[3].parts = 2; /* both clusters */
    choices[4].part = NULL;
    netmodel_choices(choices, 5, 0.95);
    assert_close(choices[0].seconds, 170, 1e-9);
    assert_close(choices[0].cost, 170.0 * 32 / 3600, 1e-9);
    assert_close(choices[1].seconds, 85, 1e-9);
    assert_close(choices[1].cost, 3 * 85.0 * 32 / 3600, 1e-9);
    assert_true(choices[0].possible && choices[1].possible && !choices[2].possible && choices[3].possible);
    assert_false(choices[4].possible);
    /* the slower of the two counts, for both */
    assert_close(choices[3].seconds, netmodel_scaling_predict(&fine_slow, 16, 0.95).time, 1e-12);
    assert_close(choices[3].high, netmodel_scaling_predict(&fine_slow, 16, 0.95).high, 1e-12);
    assert_close(choices[3].cost, choices[3].seconds * 16 * 4 / 3600, 1e-12);
    assert_int_equal(netmodel_choices_best(choices, 5, NETMODEL_FASTEST, INFINITY, INFINITY), 1);
    assert_int_equal(netmodel_choices_best(choices, 5, NETMODEL_CHEAPEST, INFINITY, INFINITY), 0);
    assert_int_equal(netmodel_choices_best(choices, 5, NETMODEL_FINEST, INFINITY, INFINITY), 3);
    assert_int_equal(netmodel_choices_best(choices, 5, NETMODEL_FINEST, 2, INFINITY), 0);
    assert_int_equal(netmodel_choices_best(choices, 5, NETMODEL_FASTEST, 2, INFINITY), 0);
    assert_int_equal(netmodel_choices_best(choices, 5, NETMODEL_CHEAPEST, INFINITY, 100), 1);
    assert_int_equal(netmodel_choices_best(choices, 5, NETMODEL_CHEAPEST, 0.1, INFINITY), 5);
    parts[0].memory = 400; /* the work does not fit any more */
    netmodel_choices(choices, 5, 0.95);
    assert_false(choices[0].possible);
}

static void bad_runs_are_named(void **state)
{
    static const netmodel_scaling zero;
    netmodel_run runs[12];
    netmodel_scaling s;
    size_t where = 99, count = measure(runs, 1, 0);

    (void)state;
    assert_int_equal(netmodel_fit_scaling(NULL, runs, count, 0.02, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_scaling(&s, NULL, count, 0.02, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_fit_scaling(&s, runs, 0, 0.02, NULL), NETMODEL_TOO_FEW);
    assert_int_equal(netmodel_fit_scaling(&s, runs, count - 1, 0.02, NULL), NETMODEL_TOO_FEW);
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, 0, NULL), NETMODEL_TOO_FEW); /* nothing is repeated */
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, -1, NULL), NETMODEL_BAD_CHOICE);
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, NAN, NULL), NETMODEL_BAD_CHOICE);
    runs[5].work = 300; /* a third */
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, 0.02, &where), NETMODEL_BAD_CHOICE);
    assert_int_equal(where, 5);
    assert_memory_equal(&s, &zero, sizeof s);
    measure(runs, 1, 0);
    runs[4].processes = 16;
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, 0.02, &where), NETMODEL_BAD_CHOICE); /* then 4 is a third */
    assert_int_equal(where, 5);
    runs[5].processes = 8;
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, 0.02, &where),
                     NETMODEL_TOO_FEW); /* 16, but not at both works */
    measure(runs, 1, 0);
    runs[2].seconds = 0;
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, 0.02, &where), NETMODEL_NOT_POSITIVE);
    assert_int_equal(where, 2);
    runs[2].seconds = NAN;
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, 0.02, &where), NETMODEL_NOT_FINITE);
    measure(runs, 1, 0);
    runs[0].processes = 0.5;
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, 0.02, &where), NETMODEL_BAD_CHOICE);
    assert_nan(netmodel_scaling_predict(&zero, 8, 0.95).time);
    measure(runs, 1, 0);
    assert_int_equal(netmodel_fit_scaling(&s, runs, count, 0.02, NULL), NETMODEL_OK);
    assert_nan(netmodel_scaling_predict(&s, 0.5, 0.95).time);
    assert_nan(netmodel_scaling_predict(&s, NAN, 0.95).low);
    assert_nan(netmodel_scaling_predict(&s, INFINITY, 0.95).time);
    assert_nan(netmodel_scaling_predict(&s, 8, 1).high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_program_comes_back),
        cmocka_unit_test(intervals_cover_what_they_promise),
        cmocka_unit_test(errors_are_those_of_the_constants),
        cmocka_unit_test(choices_are_listed_and_made),
        cmocka_unit_test(bad_runs_are_named),
    };
    return cmocka_run_group_tests_name("scaling", tests, NULL, NULL);
}
