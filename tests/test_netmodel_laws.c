/* Room laws of util/netmodel_fit.h: each law finds its own parameters, no parameter is negative, repetitions count once, the flags,
 * every refusal; and least squares without negative parameters against a slow, obvious way. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"
#include "close.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MOST = 4000 };

static netmodel_run scratch[MOST];

/* A law whose parameters are given. */
static netmodel_law truth(double b, double c, double d, double e, double g)
{
    netmodel_law law = { .fits = true, .parameter = { b, c, d, e, g } };
    return law;
}

/* Runs of a law on so many processes; `total`: work of all together, else that of each. */
static size_t runs_of(netmodel_law_kind kind, const netmodel_law *law, const size_t processes[], size_t count,
                      double work, bool total, netmodel_run run[])
{
    for (size_t i = 0; i < count; ++i) {
        run[i].processes = processes[i];
        run[i].work = total ? work / (double)processes[i] : work;
        run[i].seconds = netmodel_law_time(kind, law, processes[i], run[i].work);
    }
    return count;
}

static const size_t few[] = { 1, 2, 3, 4, 6, 8, 12, 16 }, many[] = { 2, 4, 8, 16, 32 };

/*=============================================================================
 * Laws
 *===========================================================================*/
static void each_law_finds_itself(void **state)
{
    netmodel_law laws[NETMODEL_LAWS];
    (void)state;

    laws[NETMODEL_LAW_PAPER] = truth(8, 0.5, 0.25, 0.125, 0);
    laws[NETMODEL_LAW_SUM] = truth(8, 0.5, 0.25, 0.0625, 0);
    laws[NETMODEL_LAW_OVERHEAD] = truth(8, 0.5, 0.25, 4, 0);
    laws[NETMODEL_LAW_OVERHEAD].overhead = NETMODEL_OVERHEAD_PAIRS;
    laws[NETMODEL_LAW_TERM] = truth(3, 1, 0, 0, 0);
    laws[NETMODEL_LAW_TERM].x = -0.5;
    laws[NETMODEL_LAW_TERM].y = 1;
    laws[NETMODEL_LAW_POWER] = truth(5, 1, 0, 0, 0);
    laws[NETMODEL_LAW_POWER].x = -0.71;
    laws[NETMODEL_LAW_PRODUCT] = truth(3, 0, 0, 0, 0);
    laws[NETMODEL_LAW_PRODUCT].x = 0.8;
    laws[NETMODEL_LAW_PRODUCT].y = -0.1;
    laws[NETMODEL_LAW_AMDAHL] = truth(8, 0.5, 0, 0, 0);
    laws[NETMODEL_LAW_LATE] = truth(8, 0.5, 0.25, 0, 0);
    for (int i = 0; i < NETMODEL_LAWS; ++i) {
        const netmodel_law_kind kind = (netmodel_law_kind)i;
        netmodel_run run[COUNT(few)];
        netmodel_laws found;

        runs_of(kind, &laws[i], few, COUNT(few), 1, true, run);
        assert_int_equal(netmodel_laws_fit(run, COUNT(few), NULL, scratch, &found, NULL), NETMODEL_OK);
        assert_true(found.law[i].fits);
        /* Parameters that hardly matter are left out. */
        assert_true(found.law[i].misfit < 0.005 && found.law[i].held_back < 0.05);
        assert_close(netmodel_law_time(kind, &found.law[i], 64, 1 / 64.0),
                     netmodel_law_time(kind, &laws[i], 64, 1 / 64.0), 0.03);
    }
}

static void every_overhead_is_found(void **state)
{
    (void)state;

    for (int f = 0; f < NETMODEL_OVERHEADS; ++f) {
        netmodel_law law = truth(4, 0.5, 0, 1, 0);
        netmodel_run run[COUNT(few)];
        netmodel_laws found;

        law.overhead = (netmodel_overhead)f;
        assert_close(netmodel_law_time(NETMODEL_LAW_OVERHEAD, &law, 1, 0), 4.5, 1e-15); /* none on one process */
        runs_of(NETMODEL_LAW_OVERHEAD, &law, few, COUNT(few), 0, false, run);
        assert_int_equal(netmodel_laws_fit(run, COUNT(few), NULL, scratch, &found, NULL), NETMODEL_OK);
        assert_close(netmodel_law_time(NETMODEL_LAW_OVERHEAD, &found.law[NETMODEL_LAW_OVERHEAD], 32, 0),
                     netmodel_law_time(NETMODEL_LAW_OVERHEAD, &law, 32, 0), 0.02);
    }
}

/* One process hands out the work: all others share it. */
static void a_master_does_no_work(void **state)
{
    netmodel_run run[COUNT(many)];
    netmodel_laws found;
    (void)state;

    for (size_t i = 0; i < COUNT(many); ++i) run[i] = (netmodel_run){ many[i], 0, 12.0 / (double)(many[i] - 1) + 0.01 };
    assert_int_equal(netmodel_laws_fit(run, COUNT(many), NULL, scratch, &found, NULL), NETMODEL_OK);
    assert_equal(found.law[NETMODEL_LAW_OVERHEAD].x, 1);
    assert_close(netmodel_laws_forecast(&found, 64, 0, 0.95).time, 12.0 / 63 + 0.01, 0.1);
}

/* Runs by the paper's law, with three amounts of work on each of three numbers of processes; returns how many. */
static size_t runs_of_other_work(const netmodel_law *law, netmodel_run run[9])
{
    size_t count = 0;
    for (size_t p = 1; p <= 16; p *= 4)
        for (double work = 256; work <= 1024; work *= 2) {
            run[count] = (netmodel_run){ p, work, 0 };
            run[count].seconds = netmodel_law_time(NETMODEL_LAW_PAPER, law, p, work);
            ++count;
        }
    return count;
}

/* Work differs on the same number of processes: only paper and product apply, and give the time for other work. */
static void work_may_differ(void **state)
{
    const netmodel_law law = truth(0.5, 16, 30, 12, 0.1);
    netmodel_run run[9];
    netmodel_laws found;
    (void)state;

    const size_t count = runs_of_other_work(&law, run);
    assert_int_equal(netmodel_laws_fit(run, count, NULL, scratch, &found, NULL), NETMODEL_OK);
    assert_int_equal(found.sizes, 9);
    for (int i = 0; i < NETMODEL_LAWS; ++i)
        assert_int_equal(found.law[i].fits, i == NETMODEL_LAW_PAPER || i == NETMODEL_LAW_PRODUCT);
    assert_close(netmodel_law_time(NETMODEL_LAW_PAPER, &found.law[NETMODEL_LAW_PAPER], 64, 2048),
                 netmodel_law_time(NETMODEL_LAW_PAPER, &law, 64, 2048), 0.02);
    assert_close(netmodel_laws_forecast(&found, 64, 2048, 0.95).time,
                 netmodel_law_time(NETMODEL_LAW_PAPER, &law, 64, 2048), 0.1);
    assert_true(netmodel_laws_forecast(&found, 4, 2048, 0.95).doubts & NETMODEL_DOUBT_OUTSIDE);
    assert_false(netmodel_laws_forecast(&found, 4, 512, 0.95).doubts & NETMODEL_DOUBT_OUTSIDE);
}

/* Where all processes together always do the same, a law of their number alone does not know what more work takes. */
static void other_work_needs_a_law_of_work(void **state)
{
    const netmodel_law law = truth(8, 0.5, 0.25, 0.125, 0);
    netmodel_run run[COUNT(few)];
    netmodel_laws found;
    (void)state;

    runs_of(NETMODEL_LAW_PAPER, &law, few, COUNT(few), 1, true, run);
    assert_int_equal(netmodel_laws_fit(run, COUNT(few), NULL, scratch, &found, NULL), NETMODEL_OK);
    assert_equal(found.total, 1);
    const netmodel_forecast same = netmodel_laws_forecast(&found, 4, 1 / 4.0, 0.95),
                            twice = netmodel_laws_forecast(&found, 4, 2 / 4.0, 0.95);
    assert_close(same.time, netmodel_law_time(NETMODEL_LAW_PAPER, &law, 4, 1 / 4.0), 0.01);
    assert_true(twice.time > 1.3 * same.time);
}

/* Some runs have no work: that has no logarithm, so product does not apply. */
static void no_work_is_work_too(void **state)
{
    const netmodel_law law = truth(0.5, 16, 30, 12, 0.1);
    netmodel_run run[9];
    netmodel_laws found;
    size_t count = 0;
    (void)state;

    for (size_t p = 1; p <= 16; p *= 4)
        for (double work = 0; work <= 1024; work += 512) {
            run[count] = (netmodel_run){ p, work, 0 };
            run[count].seconds = netmodel_law_time(NETMODEL_LAW_PAPER, &law, p, work);
            ++count;
        }
    for (int choice = 0; choice < 3; ++choice) {
        const netmodel_laws_desc desc = { .choice = (netmodel_law_choice)choice };
        assert_int_equal(netmodel_laws_fit(run, count, &desc, scratch, &found, NULL), NETMODEL_OK);
        assert_false(found.law[NETMODEL_LAW_PRODUCT].fits);
        assert_close(netmodel_laws_forecast(&found, 4, 256, 0.95).time,
                     netmodel_law_time(NETMODEL_LAW_PAPER, &law, 4, 256), 0.01);
        assert_true(netmodel_laws_forecast(&found, 4, 2000, 0.95).doubts & NETMODEL_DOUBT_OUTSIDE);
    }
    const netmodel_law power = { .fits = true, .parameter = { 2 }, .x = 0.5, .y = 0.5 };
    assert_nan(netmodel_law_time(NETMODEL_LAW_PRODUCT, &power, 4, 0));
    assert_close(netmodel_law_time(NETMODEL_LAW_PRODUCT, &power, 4, 16), 16, 1e-12);
}

/* Fewer processes than in any run, where some laws have no time at all: the others give it. */
static void fewer_processes(void **state)
{
    netmodel_run run[COUNT(many)];
    netmodel_laws found;
    (void)state;

    for (int weak = 0; weak < 2; ++weak)
        for (int choice = 0; choice < 3; ++choice) {
            const netmodel_laws_desc desc = { .choice = (netmodel_law_choice)choice };
            for (size_t i = 0; i < COUNT(many); ++i) {
                const double p = (double)many[i];
                run[i] = (netmodel_run){ many[i], weak ? 3 : 3 / p, weak ? log2(p) : 6 / (p - 1) };
            }
            assert_int_equal(netmodel_laws_fit(run, COUNT(many), &desc, scratch, &found, NULL), NETMODEL_OK);
            const netmodel_forecast f = netmodel_laws_forecast(&found, 1, 3, 0.95);
            /* One law alone may have none: log2 p, or a share of the work of p - 1. */
            assert_true(f.time > 0 ? (f.doubts & NETMODEL_DOUBT_OUTSIDE) != 0
                                   : weak || choice == NETMODEL_CHOOSE_HELD_BACK);
            assert_true(netmodel_laws_forecast(&found, 64, weak ? 3 : 3 / 64.0, 0.95).time > 0);
        }
}

/* What always takes the same: the first of equals is chosen. */
static void constant_times(void **state)
{
    const netmodel_laws_desc desc = { .choice = NETMODEL_CHOOSE_HELD_BACK };
    netmodel_run run[4];
    netmodel_laws found;
    (void)state;

    for (size_t i = 0; i < 4; ++i) run[i] = (netmodel_run){ few[i], 0, 2 };
    assert_int_equal(netmodel_laws_fit(run, 4, &desc, scratch, &found, NULL), NETMODEL_OK);
    for (size_t p = 1; p < 1000; p *= 5) assert_close(netmodel_laws_forecast(&found, p, 0, 0.95).time, 2, 1e-9);
}

/* The first number of processes follows no law: the only one on one node. */
static void late_leaves_out_the_first(void **state)
{
    netmodel_run run[COUNT(few)];
    netmodel_laws found;
    (void)state;

    for (size_t i = 0; i < COUNT(few); ++i)
        run[i] = (netmodel_run){ few[i], 0, i ? 3 + 0.5 * log2((double)few[i]) : 0.1 };
    assert_int_equal(netmodel_laws_fit(run, COUNT(few), NULL, scratch, &found, NULL), NETMODEL_OK);
    assert_int_equal(found.kind, NETMODEL_KIND_WEAK);
    assert_close(netmodel_law_time(NETMODEL_LAW_LATE, &found.law[NETMODEL_LAW_LATE], 64, 0), 6, 1e-9);
    assert_close(netmodel_laws_forecast(&found, 64, 0, 0.95).time, 6, 0.02);
}

/*=============================================================================
 * Exact runs
 *===========================================================================*/
static double exact_time(size_t which, double p)
{
    switch (which) {
    case 0: return 2 + p * p / 1000;
    case 1: return 1 + 0.01 * p * log2(p);
    case 2: return 1 + 0.01 * pow(p, 1.5);
    case 3: return 100 / p;
    case 4: return 100 / p + 1;
    case 5: return 1 + 0.2 * log2(p);
    case 6: return 1 + 0.05 * (p - 1);
    case 7: return 7 * pow(p, 1.5);
    default: return 100 / p + 0.5 + 0.02 * (p - 1); /* the universal scalability law */
    }
}

/* Counts of operations, or times of a model: the law that goes through them is the forecast, and nothing fades. */
static void exact_runs_choose_the_exact_law(void **state)
{
    (void)state;
    for (size_t which = 0; which < 9; ++which) {
        netmodel_run run[7];
        netmodel_laws found;

        for (size_t i = 0; i < 7; ++i)
            run[i] = (netmodel_run){ (size_t)1 << i, 0, exact_time(which, (double)(1 << i)) };
        assert_int_equal(netmodel_laws_fit(run, 7, NULL, scratch, &found, NULL), NETMODEL_OK);
        for (size_t p = 128; p <= 4096; p *= 2) {
            const netmodel_forecast f = netmodel_laws_forecast(&found, p, 0, 0.95);
            assert_close(f.time, exact_time(which, (double)p), 1e-3);
            assert_true(f.low > 0.95 * f.time && f.high < 1.05 * f.time);
        }
    }
}

/* With errors of 1 and 3 %, forecasts at four times the processes, of growing times that are hard to tell apart. */
static void noise_does_not_hide_a_law(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int noise = 1; noise <= 3; noise += 2)
        for (size_t which = 0; which < 3; ++which) {
            double logs = 0;
            for (int turn = 0; turn < 40; ++turn) {
                netmodel_run run[7];
                netmodel_laws found;
                for (size_t i = 0; i < 7; ++i)
                    run[i] = (netmodel_run){ (size_t)1 << i, 0,
                                             exact_time(which, (double)(1 << i)) *
                                                 (1 + noise / 100.0 * random_normal(&seed)) };
                assert_int_equal(netmodel_laws_fit(run, 7, NULL, scratch, &found, NULL), NETMODEL_OK);
                logs += fabs(log(netmodel_laws_forecast(&found, 256, 0, 0.95).time / exact_time(which, 256))) / 40;
            }
            assert_true(logs < (noise == 1 ? 0.15 : 0.45));
        }
}

/* Times that the paper's law gives for work and processes, each run another work: 64 times the processes of any run. */
static void nothing_fades_where_work_is_known(void **state)
{
    const netmodel_law law = truth(0.5, 16, 30, 12, 0.1);
    netmodel_run run[9];
    netmodel_laws found;
    (void)state;
    const size_t count = runs_of_other_work(&law, run);
    assert_int_equal(netmodel_laws_fit(run, count, NULL, scratch, &found, NULL), NETMODEL_OK);
    assert_close(netmodel_laws_forecast(&found, 1024, 1024, 0.95).time,
                 netmodel_law_time(NETMODEL_LAW_PAPER, &law, 1024, 1024), 0.01);
}

/* What is the same in all runs may be stated; found, it is strong where times fall. */
static void the_kind_is_found_or_told(void **state)
{
    netmodel_run run[4];
    netmodel_laws found;
    (void)state;
    for (int grows = 0; grows < 2; ++grows)
        for (int told = 0; told < 3; ++told) {
            const netmodel_laws_desc desc = { .kind = (netmodel_kind)told };
            for (size_t i = 0; i < 4; ++i)
                run[i] = (netmodel_run){ few[i], 0, grows ? 1 + 0.1 * (double)(i * i) : 2 / (double)few[i] + 1 };
            assert_int_equal(netmodel_laws_fit(run, 4, &desc, scratch, &found, NULL), NETMODEL_OK);
            assert_int_equal(found.kind, told ? told : grows ? NETMODEL_KIND_WEAK : NETMODEL_KIND_STRONG);
            assert_true(netmodel_laws_forecast(&found, 8, 0, 0.95).time > 0);
        }
}

/* Runs are said to be off by 10 %: then a law that happens to be close is not worth more than another. */
static void a_stated_error_counts(void **state)
{
    netmodel_run run[6];
    netmodel_laws found[2];
    (void)state;
    for (size_t i = 0; i < 6; ++i) run[i] = (netmodel_run){ (size_t)1 << i, 0, 1 + 0.05 * (double)((1 << i) - 1) };
    for (int told = 0; told < 2; ++told) {
        const netmodel_laws_desc desc = { .error = told ? 0.1 : 0 };
        assert_int_equal(netmodel_laws_fit(run, 6, &desc, scratch, &found[told], NULL), NETMODEL_OK);
    }
    const double exact = netmodel_laws_forecast(&found[0], 256, 0, 0.95).time,
                 careful = netmodel_laws_forecast(&found[1], 256, 0, 0.95).time;
    assert_close(exact, 1 + 0.05 * 255, 1e-6);
    assert_true(careful < 0.999 * exact);
}

/*=============================================================================
 * Least squares
 *===========================================================================*/
/* Squares of the relative errors of sum, minimized by one parameter after the other, again and again. */
static double slow_squares(const netmodel_run run[], size_t count)
{
    double a[4] = { 0 };
    double squares = 0;
    for (int round = 0; round < 20000; ++round)
        for (int k = 0; k < 4; ++k) {
            double up = 0, down = 0;
            for (size_t i = 0; i < count; ++i) {
                const double p = (double)run[i].processes, f[4] = { 1 / p, 1, log2(p), p - 1 };
                double rest = run[i].seconds;
                for (int j = 0; j < 4; ++j)
                    if (j != k) rest -= a[j] * f[j];
                up += rest * f[k] / run[i].seconds / run[i].seconds;
                down += f[k] * f[k] / run[i].seconds / run[i].seconds;
            }
            a[k] = down > 0 ? fmax(up / down, 0) : 0;
        }
    for (size_t i = 0; i < count; ++i) {
        const double p = (double)run[i].processes;
        const double miss = (a[0] / p + a[1] + a[2] * log2(p) + a[3] * (p - 1)) / run[i].seconds - 1;
        squares += miss * miss;
    }
    return squares;
}

/* No better than what is possible, and worse by no more than the price of the parameters that it saves. */
static void the_subset_is_the_best(void **state)
{
    uint64_t seed = 4;
    (void)state;

    for (int turn = 0; turn < 12; ++turn) {
        netmodel_run run[COUNT(few)];
        netmodel_laws found;
        double squares = 0;

        for (size_t i = 0; i < COUNT(few); ++i)
            run[i] = (netmodel_run){ few[i], 0, random_between(&seed, 1, 3) / (turn % 2 ? (double)few[i] : 1) };
        assert_int_equal(netmodel_laws_fit(run, COUNT(few), NULL, scratch, &found, NULL), NETMODEL_OK);
        for (size_t i = 0; i < COUNT(few); ++i) {
            const double time = netmodel_law_time(NETMODEL_LAW_SUM, &found.law[NETMODEL_LAW_SUM], few[i], 0);
            squares += (time / run[i].seconds - 1) * (time / run[i].seconds - 1);
        }
        const double least = slow_squares(run, COUNT(few));
        assert_true(squares >= least - 1e-9);
        assert_true(squares <= least + 3 * 2e-4 + 1e-9);
    }
}

static void no_parameter_is_negative(void **state)
{
    uint64_t seed = 9;
    (void)state;

    for (int turn = 0; turn < 60; ++turn) {
        netmodel_run run[5];
        netmodel_laws found;
        const size_t count = 3 + (size_t)turn % 3;

        for (size_t i = 0; i < count; ++i)
            run[i] = (netmodel_run){ (size_t)(turn % 4 + 1) << i, 0, pow(10, random_between(&seed, -6, 6)) };
        assert_int_equal(netmodel_laws_fit(run, count, NULL, scratch, &found, NULL), NETMODEL_OK);
        for (int i = 0; i < NETMODEL_LAWS; ++i) {
            if (!found.law[i].fits) continue;
            for (size_t k = 0; k < NETMODEL_LAW_PARAMETERS; ++k) assert_true(found.law[i].parameter[k] >= 0);
        }
        for (size_t p = run[0].processes; p < 5000; p *= 3) {
            const netmodel_forecast forecast = netmodel_laws_forecast(&found, p, 0, 0.95);
            assert_true(forecast.time > 0 && forecast.low >= 0 && forecast.low <= forecast.time);
            assert_true(forecast.high >= forecast.time);
        }
    }
}

/*=============================================================================
 * Repetitions
 *===========================================================================*/
static void repetitions_count_once(void **state)
{
    const netmodel_law law = truth(8, 0.5, 0.25, 0, 0);
    netmodel_run once[5], often[MOST];
    netmodel_laws one, all;
    size_t count = 0;
    (void)state;

    runs_of(NETMODEL_LAW_SUM, &law, few, 5, 0, false, once);
    once[1].seconds *= 1.1;
    for (int k = 0; k < 700; ++k)
        for (size_t i = 0; i < 5; ++i) {
            often[count] = once[i];
            often[count++].seconds *= 1 + (k % 7 - 3) * 1e-2; /* the median stays */
        }
    assert_int_equal(netmodel_laws_fit(once, 5, NULL, scratch, &one, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_laws_fit(often, count, NULL, scratch, &all, NULL), NETMODEL_OK);
    assert_int_equal(all.sizes, 5);
    assert_equal(one.scatter, 0);
    assert_close(all.scatter, sqrt((1 + 4 + 9) * 2 / 7.0) * 1e-2, 1e-2);
    for (int i = 0; i < NETMODEL_LAWS; ++i) assert_memory_equal(&one.law[i], &all.law[i], sizeof one.law[i]);
    assert_close(netmodel_laws_forecast(&one, 16, 0, 0.95).time, netmodel_laws_forecast(&all, 16, 0, 0.95).time, 0.02);
    assert_true(netmodel_laws_forecast(&one, 16, 0, 0.95).high < netmodel_laws_forecast(&all, 16, 0, 0.95).high);
}

static void order_does_not_matter(void **state)
{
    netmodel_run run[24];
    netmodel_laws first, next;
    uint64_t seed = 3;
    (void)state;

    for (size_t i = 0; i < COUNT(run); ++i) {
        run[i] = (netmodel_run){ few[i % 8], 0, 0 };
        run[i].seconds = (8 / (double)run[i].processes + 1) * (1 + 0.05 * random_normal(&seed));
    }
    assert_int_equal(netmodel_laws_fit(run, COUNT(run), NULL, scratch, &first, NULL), NETMODEL_OK);
    for (size_t i = COUNT(run); i-- > 1;) {
        const size_t k = (size_t)random_between(&seed, 0, (double)i + 1) % (i + 1);
        const netmodel_run other = run[i];
        run[i] = run[k];
        run[k] = other;
    }
    assert_int_equal(netmodel_laws_fit(run, COUNT(run), NULL, scratch, &next, NULL), NETMODEL_OK);
    assert_memory_equal(first.law, next.law, sizeof first.law);
    assert_equal(netmodel_laws_forecast(&first, 64, 0, 0.9).high, netmodel_laws_forecast(&next, 64, 0, 0.9).high);
}

/*=============================================================================
 * Forecasts and flags
 *===========================================================================*/
static void choices(void **state)
{
    netmodel_run run[4];
    netmodel_laws laws;
    double time[3];
    (void)state;

    for (size_t i = 0; i < 4; ++i) run[i] = (netmodel_run){ few[i], 0, 8 / (double)few[i] + 0.3 * (double)few[i] };
    for (int choice = 0; choice < 3; ++choice) {
        const netmodel_laws_desc desc = { .choice = (netmodel_law_choice)choice };
        assert_int_equal(netmodel_laws_fit(run, 4, &desc, scratch, &laws, NULL), NETMODEL_OK);
        time[choice] = netmodel_laws_forecast(&laws, 16, 0, 0.95).time;
    }
    netmodel_law_kind best = NETMODEL_LAW_PAPER;
    double low = HUGE_VAL, high = 0, three[3];
    for (int i = 0; i < NETMODEL_LAWS; ++i) {
        const netmodel_law_kind kind = (netmodel_law_kind)i;
        const double by = netmodel_law_time(kind, &laws.law[i], 16, 1 / 16.0);
        if (laws.law[i].held_back < laws.law[best].held_back) best = kind;
        if (kind <= NETMODEL_LAW_TERM) {
            low = fmin(low, by);
            high = fmax(high, by);
        }
    }
    three[0] = netmodel_law_time(NETMODEL_LAW_SUM, &laws.law[NETMODEL_LAW_SUM], 16, 0);
    three[1] = netmodel_law_time(NETMODEL_LAW_TERM, &laws.law[NETMODEL_LAW_TERM], 16, 0);
    three[2] = netmodel_law_time(NETMODEL_LAW_POWER, &laws.law[NETMODEL_LAW_POWER], 16, 0);
    assert_true(time[NETMODEL_CHOOSE_BLEND] >= low * (1 - 1e-12) && time[NETMODEL_CHOOSE_BLEND] <= high * (1 + 1e-12));
    assert_close(time[NETMODEL_CHOOSE_HELD_BACK], netmodel_law_time(best, &laws.law[best], 16, 1 / 16.0), 1e-12);
    assert_close(time[NETMODEL_CHOOSE_MEDIAN], fmax(fmin(three[0], three[1]), fmin(fmax(three[0], three[1]), three[2])),
                 1e-12);
}

/* Eight processes to a node: from there on, the network counts. Before a run on two nodes there is a flag; one such run gives the
 * jump, and from three numbers on, runs on one node say nothing more. */
static void nodes_are_a_jump(void **state)
{
    static const size_t on[] = { 1, 2, 4, 8, 16, 32, 64 };
    (void)state;
    for (int grows = 0; grows < 2; ++grows)
        for (size_t count = 4; count <= 7; ++count) {
            const netmodel_laws_desc desc = { .per_node = 8 };
            netmodel_run run[7];
            netmodel_laws laws, blind;
            for (size_t i = 0; i < 7; ++i) {
                const double p = (double)on[i], one = grows ? 1 + 0.1 * log2(p) : 100 / p + 1;
                run[i] = (netmodel_run){ on[i], 0, on[i] <= 8 ? one : grows ? 12 * one : one + 3 };
            }
            assert_int_equal(netmodel_laws_fit(run, count, &desc, scratch, &laws, NULL), NETMODEL_OK);
            assert_int_equal(netmodel_laws_fit(run, count, NULL, scratch, &blind, NULL), NETMODEL_OK);
            assert_int_equal(laws.most, on[count - 1]);
            assert_int_equal(laws.several, count > 4);
            assert_int_equal(laws.fewest, count == 7 ? 16 : 1);
            const netmodel_forecast f = netmodel_laws_forecast(&laws, 128, 0, 0.95),
                                    g = netmodel_laws_forecast(&laws, 6, 0, 0.95),
                                    b = netmodel_laws_forecast(&blind, 128, 0, 0.95);
            assert_int_equal(f.doubts & NETMODEL_DOUBT_NODES, count == 4 ? NETMODEL_DOUBT_NODES : 0);
            assert_int_equal(g.doubts & NETMODEL_DOUBT_NODES, count == 7 ? NETMODEL_DOUBT_NODES : 0);
            assert_int_equal(b.doubts & NETMODEL_DOUBT_NODES, 0);
            const double real = grows ? 12 * 1.7 : 100 / 128.0 + 4;
            assert_true(f.low < f.time && f.time < f.high);
            if (count == 4) continue;
            assert_close(f.time, real, count < 7 ? 0.01 : 0.05);
            assert_true(fabs(log(b.time / real)) > fabs(log(f.time / real)) || count == 7);
        }
}

/* A farm of 48 tasks: 12 processes take no longer than 15. The simulator knows that; what it does not is 5 %, and 0.2 for each
 * doubling. */
static void joined_with_a_simulation(void **state)
{
    netmodel_run run[6], twice[12];
    double simulated[6];
    netmodel_laws joined, alone;
    size_t where = 99;
    (void)state;
    for (size_t i = 0; i < 6; ++i) {
        const double p = (double)few[i];
        simulated[i] = ceil(48 / p);
        run[i] = (netmodel_run){ few[i], 0, simulated[i] * 1.05 + 0.2 * log2(p) };
    }
    assert_int_equal(netmodel_laws_fit_joined(run, simulated, 6, NULL, twice, &joined, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_laws_fit(run, 6, NULL, twice, &alone, NULL), NETMODEL_OK);
    for (size_t p = 9; p <= 48; ++p) {
        const double s = ceil(48 / (double)p);
        const netmodel_forecast f = netmodel_laws_forecast(&joined, p, s, 0.95);
        assert_close(f.time, s * 1.05 + 0.2 * log2((double)p), 1e-6);
        assert_true(f.low < f.time && f.high > f.time);
    }
    assert_true(fabs(netmodel_laws_forecast(&alone, 15, 0, 0.95).time / (4 * 1.05 + 0.2 * log2(15.0)) - 1) > 0.03);
    for (int i = 1; i < NETMODEL_LAWS; ++i) assert_false(joined.law[i].fits);
    assert_int_equal(netmodel_laws_fit_joined(run, NULL, 6, NULL, twice, &joined, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_laws_fit_joined(NULL, simulated, 6, NULL, twice, &joined, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_laws_fit_joined(run, simulated, 6, NULL, NULL, &joined, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_laws_fit_joined(run, simulated, 6, NULL, twice, NULL, NULL), NETMODEL_MISSING);
    simulated[4] = 0;
    assert_int_equal(netmodel_laws_fit_joined(run, simulated, 6, NULL, twice, &joined, &where), NETMODEL_BAD_RUN);
    assert_int_equal(where, 4);
    run[3].processes = 0;
    assert_int_equal(netmodel_laws_fit_joined(run, simulated, 6, NULL, twice, &joined, &where), NETMODEL_BAD_RUN);
    assert_int_equal(where, 3);
}

/* Farther away and at a higher level, an interval is wider; inside the runs it is narrowest. */
static void intervals_grow(void **state)
{
    const netmodel_law law = truth(8, 0.5, 0.25, 0, 0);
    netmodel_run run[5];
    netmodel_laws laws;
    double before = 0;
    (void)state;

    runs_of(NETMODEL_LAW_SUM, &law, few, 5, 0, false, run);
    assert_int_equal(netmodel_laws_fit(run, 5, NULL, scratch, &laws, NULL), NETMODEL_OK);
    for (size_t p = 6; p < 10000; p *= 2) {
        const netmodel_forecast at = netmodel_laws_forecast(&laws, p, 0, 0.95),
                                more = netmodel_laws_forecast(&laws, p, 0, 0.99);
        assert_true(at.high / at.time > before);
        assert_true(more.high > at.high && more.low < at.low);
        assert_int_equal(at.doubts & NETMODEL_DOUBT_OUTSIDE, p > 6 ? NETMODEL_DOUBT_OUTSIDE : 0);
        assert_int_equal(at.doubts & NETMODEL_DOUBT_FAR, p > 24 ? NETMODEL_DOUBT_FAR : 0);
        before = at.high / at.time;
    }
    assert_int_equal(netmodel_laws_forecast(&laws, 4, 0, 0.95).doubts, 0);
    assert_nan(netmodel_laws_forecast(&laws, 0, 0, 0.95).time);
    assert_nan(netmodel_laws_forecast(&laws, 4, -1, 0.95).time);
    assert_nan(netmodel_laws_forecast(&laws, 4, NAN, 0.95).high);
    assert_nan(netmodel_laws_forecast(&laws, 4, 0, 1).low);
    assert_nan(netmodel_laws_forecast(NULL, 4, 0, 0.95).low);
}

/* From four processes on, another algorithm takes twice as long. */
static void a_switch_is_suspected(void **state)
{
    netmodel_run run[6];
    netmodel_laws laws;
    (void)state;

    for (size_t i = 0; i < 6; ++i) run[i] = (netmodel_run){ (size_t)1 << i, 0, 1 + 0.1 * (double)i };
    assert_int_equal(netmodel_laws_fit(run, 6, NULL, scratch, &laws, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_laws_forecast(&laws, 64, 0, 0.95).doubts & NETMODEL_DOUBT_SWITCH, 0);
    run[5].seconds *= 2;
    assert_int_equal(netmodel_laws_fit(run, 6, NULL, scratch, &laws, NULL), NETMODEL_OK);
    assert_true(netmodel_laws_forecast(&laws, 64, 0, 0.95).doubts & NETMODEL_DOUBT_SWITCH);
}

/* The laws go through noise of 10 %, but runs were said to be off by 1 %. */
static void a_misfit_is_told(void **state)
{
    netmodel_laws_desc desc = { .error = 0.01 };
    netmodel_run run[8];
    netmodel_laws laws;
    (void)state;

    for (size_t i = 0; i < 8; ++i) run[i] = (netmodel_run){ few[i], 0, (8 / (double)few[i] + 1) * (i % 2 ? 1.1 : 0.9) };
    assert_int_equal(netmodel_laws_fit(run, 8, &desc, scratch, &laws, NULL), NETMODEL_OK);
    assert_true(netmodel_laws_forecast(&laws, 16, 0, 0.95).doubts & NETMODEL_DOUBT_MISFIT);
    desc.error = 0.1;
    assert_int_equal(netmodel_laws_fit(run, 8, &desc, scratch, &laws, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_laws_forecast(&laws, 16, 0, 0.95).doubts & NETMODEL_DOUBT_MISFIT, 0);
}

/* What the law of the paper foretells may be negative, with a small interval. */
static void negative_times_are_doubted(void **state)
{
    const netmodel_scaling model = { .start = 4,
                                     .per_work = 1,
                                     .c = 6,
                                     .d = -4,
                                     .g = 0,
                                     .deviation = 0.02,
                                     .degrees_of_freedom = NETMODEL_DEVIATION_KNOWN,
                                     .low = 1,
                                     .high = 8,
                                     .fewest = 2,
                                     .most = 256 };
    const netmodel_prediction good = netmodel_scaling_predict(&model, 4, 2, 0.95),
                              bad = netmodel_scaling_predict(&model, 256, 2, 0.95),
                              none = netmodel_scaling_predict(&model, 0, 2, 0.95);
    (void)state;

    assert_int_equal(netmodel_prediction_doubts(&good), 0);
    assert_true(bad.time < 0);
    assert_true(netmodel_prediction_doubts(&bad) & NETMODEL_DOUBT_NEGATIVE);
    assert_true(netmodel_prediction_doubts(&none) & NETMODEL_DOUBT_NEGATIVE);
    assert_int_equal(netmodel_prediction_doubts(NULL), 0);
    const netmodel_prediction wide = { 10, 9, 11, 8, 11, true }, high = { 10, 9, 11, 9, 13, false };
    assert_int_equal(netmodel_prediction_doubts(&wide), NETMODEL_DOUBT_WIDE | NETMODEL_DOUBT_OUTSIDE);
    assert_int_equal(netmodel_prediction_doubts(&high), NETMODEL_DOUBT_WIDE);
}

static void every_doubt_has_a_sentence(void **state)
{
    (void)state;

    assert_string_equal(netmodel_doubt_text(0), "");
    for (unsigned bit = 1; bit <= NETMODEL_DOUBT_NODES; bit *= 2) {
        assert_true(netmodel_doubt_text(bit)[0] != 0);
        assert_string_equal(netmodel_doubt_text(bit | bit * 2), netmodel_doubt_text(bit)); /* the lowest */
    }
    assert_string_equal(netmodel_doubt_text(128), "");
    for (int i = 0; i < NETMODEL_LAWS; ++i) assert_true(netmodel_law_name((netmodel_law_kind)i)[0] != 0);
    assert_string_equal(netmodel_law_name(NETMODEL_LAWS), "");
}

/*=============================================================================
 * Refusals
 *===========================================================================*/
static void what_is_wrong_is_refused(void **state)
{
    const netmodel_run good[] = { { 1, 0, 4 }, { 2, 0, 2.5 }, { 4, 0, 1.5 }, { 4, 0, 1.5 } };
    netmodel_run run[4];
    netmodel_laws laws;
    netmodel_laws_desc desc = { .choice = NETMODEL_CHOOSE_BLEND };
    size_t where = 99;
    (void)state;

    assert_int_equal(netmodel_laws_fit(good, 4, &desc, scratch, NULL, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_laws_fit(NULL, 4, &desc, scratch, &laws, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_laws_fit(good, 4, &desc, NULL, &laws, &where), NETMODEL_MISSING);
    assert_int_equal(netmodel_laws_fit(NULL, 0, NULL, NULL, &laws, &where), NETMODEL_TOO_FEW);
    assert_int_equal(netmodel_laws_fit(good, 2, NULL, scratch, &laws, &where), NETMODEL_TOO_FEW);
    assert_int_equal(netmodel_laws_fit(good + 1, 3, NULL, scratch, &laws, &where), NETMODEL_TOO_FEW);
    assert_int_equal(laws.sizes, 0);
    assert_nan(netmodel_laws_forecast(&laws, 4, 0, 0.95).time);
    desc.choice = (netmodel_law_choice)3;
    assert_int_equal(netmodel_laws_fit(good, 4, &desc, scratch, &laws, &where), NETMODEL_BAD_OPTION);
    desc = (netmodel_laws_desc){ .kind = (netmodel_kind)3 };
    assert_int_equal(netmodel_laws_fit(good, 4, &desc, scratch, &laws, &where), NETMODEL_BAD_OPTION);
    desc = (netmodel_laws_desc){ .error = -1 };
    assert_int_equal(netmodel_laws_fit(good, 4, &desc, scratch, &laws, &where), NETMODEL_BAD_ERROR);
    desc.error = NAN;
    assert_int_equal(netmodel_laws_fit(good, 4, &desc, scratch, &laws, &where), NETMODEL_BAD_ERROR);
    memcpy(run, good, sizeof run);
    run[2].processes = 0;
    assert_int_equal(netmodel_laws_fit(run, 4, NULL, scratch, &laws, &where), NETMODEL_BAD_RUN);
    assert_int_equal(where, 2);
    memcpy(run, good, sizeof run);
    run[3].seconds = 1e41;
    assert_int_equal(netmodel_laws_fit(run, 4, NULL, scratch, &laws, &where), NETMODEL_OUT_OF_RANGE);
    assert_int_equal(where, 3);
    assert_int_equal(netmodel_laws_fit(good, 3, NULL, scratch, &laws, &where), NETMODEL_OK);
    assert_nan(netmodel_law_time(NETMODEL_LAWS, &laws.law[0], 4, 0));
    assert_nan(netmodel_law_time(NETMODEL_LAW_SUM, NULL, 4, 0));
    assert_nan(netmodel_law_time(NETMODEL_LAW_SUM, &laws.law[NETMODEL_LAW_SUM], 0, 0));
    assert_nan(netmodel_law_time(NETMODEL_LAW_SUM, &laws.law[NETMODEL_LAW_SUM], 4, INFINITY));
    laws.law[NETMODEL_LAW_SUM].fits = false;
    assert_nan(netmodel_law_time(NETMODEL_LAW_SUM, &laws.law[NETMODEL_LAW_SUM], 4, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_law_finds_itself),
        cmocka_unit_test(every_overhead_is_found),
        cmocka_unit_test(a_master_does_no_work),
        cmocka_unit_test(work_may_differ),
        cmocka_unit_test(other_work_needs_a_law_of_work),
        cmocka_unit_test(no_work_is_work_too),
        cmocka_unit_test(fewer_processes),
        cmocka_unit_test(constant_times),
        cmocka_unit_test(late_leaves_out_the_first),
        cmocka_unit_test(exact_runs_choose_the_exact_law),
        cmocka_unit_test(noise_does_not_hide_a_law),
        cmocka_unit_test(nothing_fades_where_work_is_known),
        cmocka_unit_test(the_kind_is_found_or_told),
        cmocka_unit_test(a_stated_error_counts),
        cmocka_unit_test(the_subset_is_the_best),
        cmocka_unit_test(no_parameter_is_negative),
        cmocka_unit_test(repetitions_count_once),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(choices),
        cmocka_unit_test(nodes_are_a_jump),
        cmocka_unit_test(joined_with_a_simulation),
        cmocka_unit_test(intervals_grow),
        cmocka_unit_test(a_switch_is_suspected),
        cmocka_unit_test(a_misfit_is_told),
        cmocka_unit_test(negative_times_are_doubted),
        cmocka_unit_test(every_doubt_has_a_sentence),
        cmocka_unit_test(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
