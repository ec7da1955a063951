/* Room statistics of simkit.h: by hand, against slow second ways, and how often its intervals cover the closed forms of
 * M/M/1. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"

#include "close.h"

#ifdef TESTS_SLOW
enum { SETS = 1000, PERCENT_OFF = 3 };
#else
enum { SETS = 10000, PERCENT_OFF = 2 };
#endif

static const double LEVEL = 0.95;
static uint64_t dice = 1;

static simkit_tally tally_of(const double *x, size_t count)
{
    simkit_tally t = { 0 };
    for (size_t i = 0; i < count; ++i) simkit_tally_add(&t, x[i]);
    return t;
}

static simkit_interval mean_of(const double *x, size_t count, double level)
{
    const simkit_tally t = tally_of(x, count);
    return simkit_tally_interval(&t, level);
}

static simkit_interval difference_of(const double *x, size_t count, const double *y, size_t other, double level)
{
    const simkit_tally a = tally_of(x, count), b = tally_of(y, other);
    return simkit_tally_difference(&a, &b, level);
}

static simkit_interval pairs_of(const double *x, const double *y, size_t count, double level)
{
    simkit_tally t = { 0 };
    for (size_t i = 0; i < count; ++i) simkit_tally_add(&t, x[i] - y[i]);
    return simkit_tally_interval(&t, level);
}

static simkit_interval batches_of(const double *x, size_t count, double level)
{
    simkit_batches b = { 0 };
    for (size_t i = 0; i < count; ++i) simkit_batches_add(&b, x[i]);
    return simkit_batches_interval(&b, level);
}

static void assert_nothing(simkit_interval r)
{
    assert_nan(r.mean);
    assert_nan(r.low);
    assert_nan(r.high);
}

static void assert_unbounded(simkit_interval r, double mean)
{
    assert_equal(r.mean, mean);
    assert_equal(r.low, -HUGE_VAL);
    assert_equal(r.high, HUGE_VAL);
}

/* `half` on either side. */
static void assert_interval(simkit_interval r, double mean, double half, size_t count)
{
    assert_close(r.mean, mean, 1e-14);
    assert_close(r.mean - r.low, half, 1e-9);
    assert_close(r.high - r.mean, half, 1e-9);
    assert_int_equal(r.count, count);
}

/*=============================================================================
 * MARK: - >>by hand
 *===========================================================================*/
static void means_by_hand(void **state)
{
    const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 }; /* mean 5, squares about it 32 */
    double far[8], same[7];
    (void)state;
    assert_interval(mean_of(x, 8, 0.95), 5, 2.36462425159278 * sqrt(32. / 7 / 8), 8);
    assert_interval(mean_of(x, 2, 0.95), 3, 12.7062047361747, 2);
    for (size_t i = 0; i < 8; ++i) far[i] = x[i] + 0x1p40; /* exact; sums of squares would lose it */
    assert_close(mean_of(far, 8, 0.95).high - 0x1p40, 5 + 2.36462425159278 * sqrt(32. / 7 / 8), 1e-4);
    for (size_t i = 0; i < 7; ++i) same[i] = 0.1;
    assert_equal(mean_of(same, 7, 0.95).mean, 0.1);
    assert_close(mean_of(same, 7, 0.95).high, 0.1, 1e-15);
    assert_unbounded(mean_of(x, 1, 0.95), 2);
}

static void differences_by_hand(void **state)
{
    /* Means 20 and 22, s^2 10/3 and 10: a = 5/6 and b = 2, between 6 and 7 degrees of freedom. */
    const double x[] = { 18, 19, 21, 22 }, steady[] = { 3, 3, 3 };
    const double y[] = { 18, 20, 22, 24, 26 };
    const double a = 10. / 3 / 4, b = 2, freedom = (a + b) * (a + b) / (a * a / 3 + b * b / 4);
    const double t = 2.36462425159278 + (2.44691185114497 - 2.36462425159278) * (1 / freedom - 1. / 7) * 42;
    (void)state;
    assert_true(freedom > 6 && freedom < 7);
    assert_interval(difference_of(x, 4, y, 5, 0.95), -2, t * sqrt(a + b), 9);
    assert_interval(difference_of(y, 5, x, 4, 0.95), 2, t * sqrt(a + b), 9);
    assert_interval(difference_of(steady, 3, y, 5, 0.95), -19, 2.77644510519779 * sqrt(2), 8); /* 4 degrees */
    assert_interval(difference_of(steady, 3, steady, 2, 0.95), 0, 0, 5);
    for (size_t i = 0; i < 400; ++i) { /* degrees of freedom that are 1 but for rounding, and more */
        const double pair[] = { 0, 1 }, near[] = { 0, pow(10, -(double)i / 20), 0 };
        const simkit_interval r = difference_of(pair, 2, near, 3, 0.95);
        const double width = netmodel_student(0.95, 1) * sqrt(0.25 + near[1] * near[1] / 9);
        assert_true(r.high - r.mean <= width * (1 + 1e-12));
        assert_true(r.high - r.mean >= width / 5);
    }
    assert_unbounded(difference_of(x, 4, y, 1, 0.95), 2);
    assert_unbounded(difference_of(x, 1, y, 5, 0.95), -4);
    assert_unbounded(difference_of(x, 1, y, 1, 0.95), 0);
    {
        double small[4], other[5]; /* whose squared variances underflow */
        for (size_t i = 0; i < 4; ++i) small[i] = x[i] * 1e-100;
        for (size_t i = 0; i < 5; ++i) other[i] = y[i] * 1e-100;
        assert_interval(difference_of(small, 4, other, 5, 0.95), -2e-100, t * sqrt(a + b) * 1e-100, 9);
    }
    /* Differences 0, -1, -1, -2: mean -1, squares 2. */
    assert_interval(pairs_of(x, y, 4, 0.95), -1, 3.18244630528371 * sqrt(2. / 3 / 4), 4);
    assert_unbounded(pairs_of(x, y + 1, 1, 0.95), -2);
}

/* Of so many observations, the batches are the largest power of two of them that gives 16 to 31, or single ones. */
static void batches_by_hand(void **state)
{
    double x[500];
    (void)state;
    for (size_t i = 0; i < 500; ++i) x[i] = random_between(&dice, 0, 10);
    for (size_t count = 1; count <= 500; ++count) {
        double means[31], sum = 0, products = 0, squares = 0;
        size_t size = 1, batches;
        simkit_batches b = { 0 };
        while (count / size > 31) size *= 2;
        batches = count / size;
        for (size_t i = 0; i < batches; ++i) {
            means[i] = 0;
            for (size_t k = 0; k < size; ++k) means[i] += x[i * size + k] / (double)size;
            sum += means[i] / (double)batches;
        }
        for (size_t i = 0; i < batches; ++i) squares += (means[i] - sum) * (means[i] - sum);
        for (size_t i = 1; i < batches; ++i) products += (means[i] - sum) * (means[i - 1] - sum);
        for (size_t i = 0; i < count; ++i) simkit_batches_add(&b, x[i]);
        assert_true(b.count == batches && b.size == size && b.inside == count - batches * size);
        const simkit_interval is = simkit_batches_interval(&b, 0.95), expected = mean_of(means, batches, 0.95);
        assert_close(is.mean, expected.mean, 1e-13);
        assert_close(is.low, expected.low, 1e-12);
        assert_close(is.high, expected.high, 1e-12);
        assert_int_equal(is.count, batches * size);
        if (batches < 3)
            assert_nan(simkit_batches_correlation(&b));
        else
            assert_true(fabs(simkit_batches_correlation(&b) - products / squares) < 1e-12);
    }
    const simkit_batches none = { 0 };
    assert_nothing(simkit_batches_interval(&none, 0.95));
    assert_unbounded(batches_of(x, 1, 0.95), x[0]);
    for (size_t i = 0; i < 500; ++i) x[i] = 2;
    assert_interval(batches_of(x, 500, 0.95), 2, 0, 496);
    x[300] = NAN;
    assert_nothing(batches_of(x, 500, 0.95));
}

/* Correlated observations are found: an autoregressive series of memory 0.99, and the same without memory. */
static void short_batches_are_seen(void **state)
{
    (void)state;
    for (int memory = 0; memory < 2; ++memory) {
        simkit_batches b = { 0 };
        double x = 0;
        for (int i = 0; i < 500; ++i) simkit_batches_add(&b, x = (memory ? 0.99 : 0) * x + random_normal(&dice));
        assert_true(memory ? simkit_batches_correlation(&b) > 0.4 : simkit_batches_correlation(&b) < 0.4);
    }
}

static void tallies_merge(void **state)
{
    double x[200];
    (void)state;
    for (int set = 0; set < CASES(500); ++set) {
        const size_t count = (size_t)random_between(&dice, 0, 200), cut = (size_t)random_between(&dice, 0, (double)count + 1);
        const double far = set % 3 == 0 ? 1e8 : 0;
        for (size_t i = 0; i < count; ++i) x[i] = far + random_normal(&dice);
        simkit_tally parts = tally_of(x, cut);
        const simkit_tally rest = tally_of(x + cut, count - cut), all = tally_of(x, count);
        simkit_tally_merge(&parts, &rest);
        assert_int_equal(parts.count, all.count);
        if (count > 0) assert_true(fabs(parts.mean - all.mean) <= 1e-14 * (1 + far));
        assert_true(fabs(parts.squares - all.squares) <= (far > 0 ? 1e-4 : 1e-12) * all.squares);
        assert_equal(parts.minimum, all.minimum);
        assert_equal(parts.maximum, all.maximum);
        long double sum = 0, squares = 0;
        for (size_t i = 0; i < count; ++i) sum += (long double)x[i] / count;
        for (size_t i = 0; i < count; ++i) squares += ((long double)x[i] - sum) * ((long double)x[i] - sum);
        if (count > 1) assert_close(simkit_tally_variance(&all), (double)(squares / (count - 1)), far > 0 ? 1e-4 : 1e-12);
    }
    simkit_tally empty = { 0 }, bad = { 0 };
    const simkit_tally none = { 0 };
    simkit_tally_merge(&empty, &none);
    assert_int_equal(empty.count, 0);
    assert_nan(simkit_tally_variance(&empty));
    simkit_tally_add(&bad, NAN);
    simkit_tally_add(&bad, 1);
    assert_nan(bad.minimum);
    assert_nan(bad.maximum);
    simkit_tally_add(&empty, 1);
    simkit_tally_merge(&empty, &bad);
    assert_nan(empty.mean);
    assert_nan(empty.minimum);
}

static void levels_by_hand(void **state)
{
    simkit_level l = { 0 };
    (void)state;
    assert_nan(simkit_level_until(&l, 0).mean);
    simkit_level_set(&l, 2, 0); /* 0 has lasted no time */
    simkit_level_set(&l, 5, 10);
    simkit_level_set(&l, 99, 14); /* nor has this */
    simkit_level_set(&l, 1, 14);
    const simkit_level_summary s = simkit_level_until(&l, 20);
    assert_equal(s.seconds, 20);
    assert_close(s.mean, (20 + 20 + 6) / 20.0, 1e-15);
    assert_close(s.variance, (40 + 100 + 6) / 20.0 - 2.3 * 2.3, 1e-14);
    assert_equal(s.minimum, 1);
    assert_equal(s.maximum, 5);
    assert_equal(simkit_level_until(&l, 14).minimum, 2); /* what only looks changes nothing */
    simkit_level_restart(&l, 16);
    assert_nan(simkit_level_until(&l, 16).mean);
    simkit_level_set(&l, 3, 17);
    assert_close(simkit_level_until(&l, 20).mean, 10 / 4.0, 1e-15);
    assert_equal(simkit_level_until(&l, 20).minimum, 1);
    assert_nan(simkit_level_until(&l, 16.5).mean); /* back in time */
    simkit_level_set(&l, 3, 16);
    simkit_level_set(&l, 3, 30);
    assert_nan(simkit_level_until(&l, 40).mean);
    simkit_level_restart(&l, 40);
    assert_equal(simkit_level_until(&l, 50).mean, 3);
    simkit_level_set(&l, NAN, 41);
    assert_nan(simkit_level_until(&l, 50).mean);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Every quantile within its promise, in any order, merged or not; the same bits. */
static void quantiles_keep_their_promise(void **state)
{
    enum { COUNT = 3000 };
    static double x[COUNT];
    static simkit_quantiles one, two, other, backwards;
    (void)state;
    for (int set = 0; set < 60; ++set) {
        const double decades = set % 3 == 0 ? 1 : set % 3 == 1 ? 30 : 700;
        memset(&one, 0, sizeof one);
        memset(&two, 0, sizeof two);
        memset(&other, 0, sizeof other);
        memset(&backwards, 0, sizeof backwards);
        for (int i = 0; i < COUNT; ++i) {
            x[i] = exp(random_between(&dice, -decades, decades));
            if (set % 4 == 0 && i % 5 == 0) x[i] = 0;
            simkit_quantiles_add(&one, x[i]);
            simkit_quantiles_add(i % 3 ? &two : &other, x[i]);
        }
        for (int i = COUNT; i-- > 0;) simkit_quantiles_add(&backwards, x[i]);
        simkit_quantiles_merge(&two, &other);
        assert_memory_equal(&one, &two, sizeof one);
        assert_memory_equal(&one, &backwards, sizeof one);
        qsort(x, COUNT, sizeof *x, compare);
        assert_equal(simkit_quantiles_value(&one, 0), x[0]);
        assert_equal(simkit_quantiles_value(&one, 1), x[COUNT - 1]);
        for (double part = 0; part < 1; part += 0.0037) {
            const double exact = x[(int)floor(part * (COUNT - 1))], is = simkit_quantiles_value(&one, part);
            const double far = fabs(is - exact);
            if (!(far <= exact / 128 || far < 0x1p-31 * x[COUNT - 1])) fail_msg("%g is %g, not %g", part, is, exact);
        }
    }
    assert_nan(simkit_quantiles_value(&one, -0.1));
    assert_nan(simkit_quantiles_value(&one, NAN));
    simkit_quantiles_add(&one, -1);
    simkit_quantiles_add(&one, NAN);
    simkit_quantiles_add(&one, INFINITY);
    assert_int_equal(one.refused, 3);
    assert_nan(simkit_quantiles_value(&one, 0.5));
    memset(&one, 0, sizeof one);
    assert_nan(simkit_quantiles_value(&one, 0.5));
    simkit_quantiles_merge(&one, &other);
    assert_memory_equal(&one, &other, sizeof one);
    simkit_quantiles_add(&one, 1.7976931348623157e308);
    assert_equal(simkit_quantiles_value(&one, 1), 1.7976931348623157e308);
}

static void histograms_by_hand(void **state)
{
    uint64_t bins[7] = { 0 };
    simkit_histogram linear = { .low = -1, .high = 2.5, .bins = bins, .count = 7 };
    (void)state;
    for (int i = 0; i <= 7; ++i) assert_equal(simkit_histogram_edge(&linear, (size_t)i), -1 + 0.5 * i);
    for (int i = -10; i < 20; ++i) simkit_histogram_add(&linear, 0.25 * i);
    for (int i = 0; i < 7; ++i) assert_int_equal(bins[i], 2);
    assert_int_equal(linear.under, 6);
    assert_int_equal(linear.over, 10);
    simkit_histogram_add(&linear, NAN);
    assert_int_equal(linear.refused, 1);
    simkit_histogram_add(&linear, INFINITY);
    assert_int_equal(linear.over, 11);
    /* Every edge belongs to the bin above it, the number before it to the one below. */
    for (int way = 0; way < 2; ++way)
        for (size_t count = 1; count < 40; ++count) {
            uint64_t many[40] = { 0 };
            simkit_histogram h = { .low = 1e-3, .high = 7e4, .logarithmic = way == 1, .bins = many, .count = count };
            for (size_t i = 0; i < count; ++i) {
                const double edge = simkit_histogram_edge(&h, i);
                if (way == 1) assert_close(edge, 1e-3 * pow(7e7, (double)i / (double)count), 1e-14);
                simkit_histogram_add(&h, edge);
                simkit_histogram_add(&h, nextafter(simkit_histogram_edge(&h, i + 1), 0));
                assert_int_equal(many[i], 2);
            }
            assert_int_equal(h.under + h.over + h.refused, 0);
        }
    simkit_histogram bad[] = { { .low = 1, .high = 1, .bins = bins, .count = 7 },
                               { .low = 0, .high = 1, .bins = bins, .count = 7, .logarithmic = true },
                               { .low = 0, .high = INFINITY, .bins = bins, .count = 7 },
                               { .low = 0, .high = 1, .bins = bins },
                               { .low = NAN, .high = 1, .bins = bins, .count = 7 },
                               { .low = 0, .high = 1, .count = 7 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        simkit_histogram_add(&bad[i], 0.5);
        assert_int_equal(bad[i].refused, 1);
        assert_nan(simkit_histogram_edge(&bad[i], 0));
    }
    assert_nan(simkit_histogram_edge(&linear, 8));
}

static void quantiles_by_hand(void **state)
{
    const double x[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 }, endless[] = { 1, 2, HUGE_VAL, HUGE_VAL };
    const double infinite[] = { -HUGE_VAL, 3 };
    simkit_interval r = simkit_sorted_quantile(x, 10, 0.5, 0.95);
    (void)state;
    assert_equal(r.mean, 24);
    assert_equal(r.low, 2); /* P(B < 2) = 11 / 1024, P(B < 3) = 56 / 1024 */
    assert_equal(r.high, 256);
    assert_int_equal(r.count, 10);
    r = simkit_sorted_quantile(x, 6, 0.5, 0.95);
    assert_equal(r.low, 1);
    assert_equal(r.high, 32);
    assert_unbounded(simkit_sorted_quantile(x, 5, 0.5, 0.95), 4);
    r = simkit_sorted_quantile(x, 6, 0.5, 1 - 2. / 64); /* P(B < 1) = 1 / 64, a tie */
    assert_equal(r.low, 1);
    assert_equal(r.high, 32);
    assert_unbounded(simkit_sorted_quantile(x, 6, 0.5, 0.97), 6);
    assert_unbounded(simkit_sorted_quantile(x, 1, 0.3, 0.95), 1);
    r = simkit_sorted_quantile(x, 1, 0.9, 0.8); /* another: P(B < 1) = 0.1 */
    assert_equal(r.low, 1);
    assert_equal(r.high, HUGE_VAL);
    r = simkit_sorted_quantile(x, 10, 0.75, 0.95);
    assert_equal(r.mean, 112);
    assert_equal(r.high, HUGE_VAL); /* P(B = 10) = 0.056 */
    /* The ends of the distribution are no further in than those of the observations. */
    r = simkit_sorted_quantile(x, 10, 0, 0.95);
    assert_equal(r.mean, 1);
    assert_equal(r.low, -HUGE_VAL);
    assert_equal(r.high, 1);
    r = simkit_sorted_quantile(x, 10, 1, 0.95);
    assert_equal(r.mean, 512);
    assert_equal(r.low, 512);
    assert_equal(r.high, HUGE_VAL);
    r = simkit_sorted_quantile(x, 10, 1e-300, 0.95);
    assert_equal(r.mean, 1);
    assert_equal(r.low, -HUGE_VAL);
    assert_equal(r.high, 1);
    assert_equal(simkit_sorted_quantile(endless, 4, 0.3, 0.5).mean, 1 + 0.3 * 3);
    assert_equal(simkit_sorted_quantile(endless, 4, 0.5, 0.5).mean, HUGE_VAL);
    assert_equal(simkit_sorted_quantile(endless, 4, 0.9, 0.5).mean, HUGE_VAL);
    assert_equal(simkit_sorted_quantile(infinite, 2, 0.5, 0.5).mean, -HUGE_VAL);
}

static void impossible_arguments(void **state)
{
    static const double levels[] = { 0, 1, -0.5, 1.5, (double)NAN, HUGE_VAL };
    const double x[] = { 1, 2, 3, 4 }, y[] = { 4, 4, 5, 6 };
    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i)
        for (size_t count = 0; count <= 4; ++count) {
            assert_nothing(mean_of(x, count, levels[i]));
            assert_nothing(difference_of(x, count, y, 4, levels[i]));
            assert_nothing(pairs_of(x, y, count, levels[i]));
            assert_nothing(simkit_sorted_quantile(x, count, 0.5, levels[i]));
            if (!(levels[i] >= 0 && levels[i] <= 1)) assert_nothing(simkit_sorted_quantile(x, count, levels[i], 0.95));
        }
    assert_nothing(mean_of(NULL, 0, 0.95));
    assert_nothing(difference_of(NULL, 0, y, 4, 0.95));
    assert_nothing(difference_of(x, 4, NULL, 0, 0.95));
    assert_nothing(difference_of(x, 1, NULL, 0, 0.95));
    assert_nothing(pairs_of(NULL, NULL, 0, 0.95));
    assert_nothing(simkit_sorted_quantile(NULL, 0, 0.5, 0.95));
    assert_int_equal(simkit_warm_up(NULL, 0), 0);
    for (size_t bad = 0; bad < 4; ++bad)
        for (int kind = 0; kind < 3; ++kind)
            for (size_t count = bad + 1; count <= 4; ++count) {
                double z[4] = { 1, 2, 3, 4 };
                z[bad] = kind == 0 ? (double)NAN : kind == 1 ? HUGE_VAL : -HUGE_VAL;
                assert_nothing(mean_of(z, count, 0.95));
                assert_nothing(difference_of(z, count, x, 4, 0.95));
                assert_nothing(difference_of(x, 4, z, count, 0.95));
                assert_nothing(difference_of(x, 1, z, count, 0.95));
                assert_nothing(pairs_of(z, x, count, 0.95));
                assert_nothing(pairs_of(x, z, count, 0.95));
                if (kind == 0) assert_nothing(simkit_sorted_quantile(z, count, 0.5, 0.95));
            }
    {
        const double falling[] = { 1, 3, 2 }, huge[] = { 1e200, -1e200 };
        assert_nothing(simkit_sorted_quantile(falling, 3, 0.5, 0.95));
        assert_nothing(mean_of(huge, 2, 0.95)); /* its squares overflow */
    }
}

static void warm_up_by_hand(void **state)
{
    double x[103];
    (void)state;
    for (size_t i = 0; i < 103; ++i) x[i] = 0.1;
    for (size_t count = 0; count < 10; ++count) assert_int_equal(simkit_warm_up(x, count), count);
    for (size_t count = 10; count <= 103; ++count) assert_int_equal(simkit_warm_up(x, count), 0); /* all the same */
    for (size_t count = 10; count < 15; ++count) {
        x[0] = 50;
        assert_int_equal(simkit_warm_up(x, count), count); /* one batch does not scatter */
    }
    for (size_t i = 0; i < 13; ++i) x[i] = 50;
    assert_int_equal(simkit_warm_up(x, 103), 15); /* whole batches */
    for (size_t i = 0; i < 45; ++i) x[i] = 50;
    assert_int_equal(simkit_warm_up(x, 103), 45);
    for (size_t i = 0; i < 48; ++i) x[i] = 50;
    assert_int_equal(simkit_warm_up(x, 103), 103); /* half of 20 batches */
    for (size_t i = 0; i < 103; ++i) x[i] = (double)i;
    assert_int_equal(simkit_warm_up(x, 103), 103); /* it still grows */
    for (size_t bad = 0; bad < 103; ++bad) {
        for (size_t i = 0; i < 103; ++i) x[i] = i < 13 ? 50 : 0.1;
        x[bad] = bad % 2 ? (double)NAN : HUGE_VAL;
        assert_int_equal(simkit_warm_up(x, 103), 103);
    }
}

/*=============================================================================
 * MARK: - >>slow second ways
 *===========================================================================*/
/* As White defines it: for each d, a mean and a sum of squares. */
static size_t slow_warm_up(const double *x, size_t count)
{
    const size_t batches = count / 5;
    long double best = HUGE_VALL;
    size_t drop = 0;
    for (size_t d = 0; d <= batches / 2 && d < batches; ++d) {
        const long double kept = (long double)(batches - d);
        long double sum = 0, squares = 0;
        for (size_t i = 5 * d; i < 5 * batches; ++i) sum += (long double)x[i];
        for (size_t i = d; i < batches; ++i) {
            long double batch = 0;
            for (size_t k = 0; k < 5; ++k) batch += (long double)x[5 * i + k];
            batch = batch / 5 - sum / (5 * kept);
            squares += batch * batch;
        }
        if (squares / (kept * kept) < best) {
            best = squares / (kept * kept);
            drop = d;
        }
    }
    return drop < batches / 2 ? 5 * drop : count;
}

static void warm_ups_equal_a_slow_way(void **state)
{
    enum { MOST = 400 };
    size_t none = 0, whole = 0;
    (void)state;
    for (int set = 0; set < CASES(3000); ++set) {
        const size_t count = (size_t)random_between(&dice, 0, MOST);
        const double decay = random_between(&dice, 0.5, 0.99), memory = random_between(&dice, 0, 0.9);
        const double level = set % 7 == 0 ? 1e6 : 3; /* far from 0 too */
        double x[MOST], start = random_between(&dice, -20, 20), noise = 0;
        if (set % 3 == 0) start = 0;
        for (size_t i = 0; i < count; ++i) {
            noise = memory * noise + random_normal(&dice);
            x[i] = level + start + noise;
            start *= decay;
        }
        const size_t drop = simkit_warm_up(x, count);
        assert_int_equal(drop, slow_warm_up(x, count));
        none += drop == 0 && count > 0;
        whole += drop == count;
    }
    assert_in_range(none, CASES(3000) / 10, CASES(3000) - CASES(3000) / 10); /* all kinds were there */
    assert_in_range(whole, 30, 1500);
}

/* P(B = k) for all k, trial by trial. */
static void slow_binomial(long double *probability, size_t count, long double p)
{
    probability[0] = 1;
    for (size_t n = 1; n <= count; ++n) {
        probability[n] = probability[n - 1] * p;
        for (size_t k = n - 1; k > 0; --k) probability[k] = probability[k] * (1 - p) + probability[k - 1] * p;
        probability[0] *= 1 - p;
    }
}

/* The largest rank, 0 to count, for which the probability of less is at most the tail. */
static size_t slow_rank(const long double *probability, size_t count, long double tail)
{
    long double below = 0;
    size_t rank = 0;
    while (rank < count && below + probability[rank] <= tail * (1 + 1e-10L)) below += probability[rank++];
    return rank;
}

/* The probability that the interval from x[low - 1] to x[high - 1] covers: B is in low..high - 1. */
static long double slow_coverage(const long double *probability, size_t low, size_t high)
{
    long double sum = 0;
    for (size_t k = low; k < high; ++k) sum += probability[k];
    return sum;
}

static void ranks_equal_a_slow_way(void **state)
{
    enum { MOST = 320 };
    static long double up[MOST + 1], down[MOST + 1];
    double x[MOST];
    (void)state;
    for (size_t i = 0; i < MOST; ++i) x[i] = (double)(i + 1); /* an observation is its rank */
    for (int set = 0; set < CASES(3000); ++set) {
        const size_t count = 1 + (size_t)random_between(&dice, 0, set % 2 ? MOST : 30);
        double part = random_between(&dice, 0, 1);
        double level = set % 5 == 0 ? 1 - exp(random_between(&dice, -20, 0)) : random_between(&dice, 0.5, 1);
        if (set % 4 == 0) part = floor(part * 101) / 100; /* with the ends and the median */
        if (set % 4 == 1) part = pow(part, 8);
        if (set % 3 == 0) level = 0.95;
        if (!(level > 0 && level < 1)) level = 0.5;
        const long double tail = (long double)(1 - level) / 2;
        const simkit_interval r = simkit_sorted_quantile(x, count, part, level);
        slow_binomial(up, count, (long double)part);
        slow_binomial(down, count, (long double)(1 - part));
        const size_t low = slow_rank(up, count, tail), high = count + 1 - slow_rank(down, count, tail);
        assert_equal(r.low, low == 0 ? -HUGE_VAL : (double)low);
        assert_equal(r.high, high == count + 1 ? HUGE_VAL : (double)high);
        assert_true((double)slow_coverage(up, low, high) >= level - 1e-10);
        assert_close(r.mean, 1 + part * (double)(count - 1), 1e-14);
    }
}

/* A million observations: ranks as of a normal distribution with a correction for its skew (Cornish, Fisher). */
static void ranks_of_a_million(void **state)
{
    enum { MILLION = 1000000 };
    static const double parts[] = { 0.5, 0.9, 0.99, 0.999, 0.01 };
    double *x = (double *)malloc(MILLION * sizeof *x);
    (void)state;
    assert_non_null(x);
    for (size_t i = 0; i < MILLION; ++i) x[i] = (double)(i + 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        const double p = parts[i], n = MILLION, z = 1.95996398454005, skew = (1 - 2 * p) * (z * z - 1) / 6;
        const simkit_interval r = simkit_sorted_quantile(x, MILLION, p, 0.95);
        assert_true(fabs(r.low - (n * p - z * sqrt(n * p * (1 - p)) + skew + 0.5)) <= 1);
        assert_true(fabs(r.high - (n * p + z * sqrt(n * p * (1 - p)) + skew + 0.5)) <= 1);
    }
    free(x);
}

/*=============================================================================
 * MARK: - >>coverage
 *===========================================================================*/
/* Waiting times of M/M/1 in the order of arrival, by Lindley's recursion. */
typedef struct queue {
    double between, service; /* mean time between arrivals, mean service time [s] */
    double wait;             /* of the next customer [s] */
} queue;

/* Mean waiting time in steady state [s]: rho / (mu - lambda). */
static double mean_wait(double between, double service)
{
    return service / between / (1 / service - 1 / between);
}

/* A queue in steady state: the wait is 0 with probability 1 - rho, else exponential of rate mu - lambda. */
static queue steady(simkit_random *random, double between, double service)
{
    const double busy = simkit_random_uniform(random);
    const double wait = simkit_random_exponential(random, 1 / (1 / service - 1 / between));
    return (queue){ between, service, busy < service / between ? wait : 0 };
}

/* From random numbers of mean 1; returns the wait of the customer who arrives now. */
static double arrive(queue *q, double service, double between)
{
    const double wait = q->wait, next = wait + service * q->service - between * q->between;
    q->wait = next > 0 ? next : 0;
    return wait;
}

static double next_wait(queue *q, simkit_random *random)
{
    const double service = simkit_random_exponential(random, 1);
    return arrive(q, service, simkit_random_exponential(random, 1));
}

/* The mean wait of so many customers. */
static double run(simkit_random *random, double between, double service, size_t customers)
{
    queue q = steady(random, between, service);
    double sum = 0;
    for (size_t i = 0; i < customers; ++i) sum += next_wait(&q, random);
    return sum / (double)customers;
}

static bool covers(simkit_interval r, double truth)
{
    return r.low <= truth && truth <= r.high;
}

/* Of SETS sets. */
static void assert_share(const char *name, size_t sets, double low, double high)
{
    const double share = (double)sets / SETS;
    if (share >= low && share <= high) return;
    print_error("%s: %.2f %% of the sets, not %.2f to %.2f %%\n", name, 100 * share, 100 * low, 100 * high);
    fail();
}

static void assert_coverage(const char *name, size_t covered, double expected)
{
    assert_share(name, covered, expected - 0.01 * PERCENT_OFF, expected + 0.01 * PERCENT_OFF);
}

static void student_covers(void **state)
{
    simkit_random random = simkit_random_stream(NULL, 1);
    size_t covered = 0;
    (void)state;
    for (size_t set = 0; set < SETS; ++set) {
        double x[10];
        for (size_t i = 0; i < 10; ++i) x[i] = run(&random, 4, 1, 250);
        covered += covers(mean_of(x, 10, LEVEL), mean_wait(4, 1));
    }
    assert_coverage("Student", covered, LEVEL);
}

static void welch_covers(void **state)
{
    simkit_random random = simkit_random_stream(NULL, 2);
    size_t covered = 0;
    (void)state;
    for (size_t set = 0; set < SETS; ++set) {
        double x[8], y[16];
        for (size_t i = 0; i < 8; ++i) x[i] = run(&random, 2, 1, 350);
        for (size_t i = 0; i < 16; ++i) y[i] = run(&random, 4, 1, 100);
        covered += covers(difference_of(x, 8, y, 16, LEVEL), mean_wait(2, 1) - mean_wait(4, 1));
    }
    assert_coverage("Welch", covered, LEVEL);
}

/* Two service rates with the same random numbers; and the interval is narrower than without the pairs. */
static void pairs_cover(void **state)
{
    simkit_random random = simkit_random_stream(NULL, 3);
    size_t covered = 0, narrower = 0;
    (void)state;
    for (size_t set = 0; set < SETS; ++set) {
        double x[10], y[10];
        for (size_t i = 0; i < 10; ++i) {
            simkit_random again = random;
            queue slow = steady(&random, 4, 1), fast = steady(&again, 4, 0.8);
            x[i] = y[i] = 0;
            for (size_t k = 0; k < 300; ++k) {
                const double service = simkit_random_exponential(&random, 1);
                const double between = simkit_random_exponential(&random, 1);
                x[i] += arrive(&slow, service, between) / 300;
                y[i] += arrive(&fast, service, between) / 300;
            }
        }
        const simkit_interval r = pairs_of(x, y, 10, LEVEL);
        const simkit_interval wide = difference_of(x, 10, y, 10, LEVEL);
        covered += covers(r, mean_wait(4, 1) - mean_wait(4, 0.8));
        narrower += r.high - r.low < 0.8 * (wide.high - wide.low);
    }
    assert_coverage("pairs", covered, LEVEL);
    assert_share("narrower", narrower, 0.9, 1);
}

static void batches_cover(void **state)
{
    enum { COUNT = 4000 };
    static double x[COUNT];
    simkit_random random = simkit_random_stream(NULL, 4);
    size_t covered = 0, uncut = 0;
    (void)state;
    for (size_t set = 0; set < SETS; ++set) {
        queue q = steady(&random, 3, 1);
        for (size_t i = 0; i < COUNT; ++i) x[i] = next_wait(&q, &random);
        covered += covers(batches_of(x, COUNT, LEVEL), mean_wait(3, 1));
        uncut += covers(mean_of(x, COUNT, LEVEL), mean_wait(3, 1)); /* as if the waits were independent */
    }
    assert_coverage("batches", covered, LEVEL);
    assert_share("batches of one", uncut, 0, 0.75);
}

/* Times in the system, in a run that needs a quarter of its time for the work that waits at its beginning. With that
 * quarter the interval misses. */
static void warm_up_makes_it_cover(void **state)
{
    enum { COUNT = 6000, BACKLOG = 4500 };
    static double x[COUNT];
    simkit_random random = simkit_random_stream(NULL, 5);
    const double truth = 1 / (1 - 1. / 4);
    size_t covered = 0, kept = 0, whole = 0;
    (void)state;
    for (size_t set = 0; set < SETS; ++set) {
        queue q = { 4, 1, BACKLOG };
        for (size_t i = 0; i < COUNT; ++i) {
            const double service = simkit_random_exponential(&random, 1);
            x[i] = service + arrive(&q, service, simkit_random_exponential(&random, 1));
        }
        const size_t drop = simkit_warm_up(x, COUNT);
        covered += covers(batches_of(x + drop, COUNT - drop, LEVEL), truth);
        kept += covers(batches_of(x, COUNT, LEVEL), truth);
        whole += drop == COUNT;
    }
    assert_coverage("warm-up", covered, LEVEL);
    assert_share("with the backlog", kept, 0, 0.5);
    assert_share("too short", whole, 0, 0.005);
}

/* Independent times in the system, a wait and a service: exponential of rate mu - lambda. The coverage is known
 * exactly: that of the ranks. */
static void quantiles_cover(void **state)
{
    enum { COUNT = 200 };
    static const double parts[] = { 0.5, 0.9 }, truth[] = { 0.69314718055994531 * 2, 2.3025850929940457 * 2 };
    static long double probability[COUNT + 1];
    simkit_random random = simkit_random_stream(NULL, 6);
    size_t covered[2] = { 0, 0 };
    (void)state;
    for (size_t set = 0; set < SETS; ++set) {
        double x[COUNT];
        for (size_t i = 0; i < COUNT; ++i) {
            const queue q = steady(&random, 2, 1);
            x[i] = q.wait + simkit_random_exponential(&random, 1);
        }
        qsort(x, COUNT, sizeof *x, compare);
        for (size_t i = 0; i < 2; ++i) covered[i] += covers(simkit_sorted_quantile(x, COUNT, parts[i], LEVEL), truth[i]);
    }
    for (size_t i = 0; i < 2; ++i) {
        double ranks[COUNT];
        for (size_t k = 0; k < COUNT; ++k) ranks[k] = (double)(k + 1);
        const simkit_interval r = simkit_sorted_quantile(ranks, COUNT, parts[i], LEVEL);
        slow_binomial(probability, COUNT, (long double)parts[i]);
        const double exact = (double)slow_coverage(probability, (size_t)r.low, (size_t)r.high);
        const double error = sqrt(exact * (1 - exact) / SETS);
        assert_true(exact >= LEVEL);
        assert_coverage(i == 0 ? "median" : "quantile 0.9", covered[i], LEVEL);
        assert_share("exact coverage", covered[i], exact - 4 * error, exact + 4 * error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_by_hand),
        cmocka_unit_test(differences_by_hand),
        cmocka_unit_test(batches_by_hand),
        cmocka_unit_test(short_batches_are_seen),
        cmocka_unit_test(tallies_merge),
        cmocka_unit_test(levels_by_hand),
        cmocka_unit_test(quantiles_keep_their_promise),
        cmocka_unit_test(histograms_by_hand),
        cmocka_unit_test(quantiles_by_hand),
        cmocka_unit_test(impossible_arguments),
        cmocka_unit_test(warm_up_by_hand),
        cmocka_unit_test(warm_ups_equal_a_slow_way),
        cmocka_unit_test(ranks_equal_a_slow_way),
        cmocka_unit_test(ranks_of_a_million),
        cmocka_unit_test(student_covers),
        cmocka_unit_test(welch_covers),
        cmocka_unit_test(pairs_cover),
        cmocka_unit_test(batches_cover),
        cmocka_unit_test(warm_up_makes_it_cover),
        cmocka_unit_test(quantiles_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
