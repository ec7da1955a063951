/* answers.h, pictures.h: indices against theory and a slow analysis of variance, choices by hand, what is missing, and pictures
 * that are whole. */
#define _DEFAULT_SOURCE 1 /* mkdtemp, rmdir */
#include "answers.h"
#include "pictures.h"

#include "../close.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static char place[] = "/tmp/test_answers_XXXXXX";

static int make_place(void **state)
{
    (void)state;
    return mkdtemp(place) == NULL;
}

static int remove_place(void **state)
{
    (void)state;
    return rmdir(place);
}

static const char *path_of(const char *name)
{
    static char path[2][200];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", place, name);
    return path[which];
}

/*=============================================================================
 * MARK: - >>models
 *===========================================================================*/
static const double pi = 3.14159265358979323846;
static double offset;        /* added to a result */
static const double *listed; /* results of a table; NaN: the run fails */
static double (*formula)(const double *x);

static double seeded(const sweep_point *p)
{
    uint64_t state = p->seed * UINT64_C(0x9e3779b97f4a7c15);
    return random_normal(&state);
}

static int run_formula(const sweep_point *p, double *result)
{
    result[0] = formula(p->value) + offset;
    result[1] = seeded(p);
    return isnan(result[0]) ? sweep_fail(p, "a hole at %g", p->value[0]) : 0;
}

static double ishigami(const double *x)
{
    const double a = -pi + 2 * pi * x[0], b = -pi + 2 * pi * x[1], c = -pi + 2 * pi * x[2];
    return sin(a) + 7 * sin(b) * sin(b) + 0.1 * pow(c, 4) * sin(a);
}

static double ishigami_holes(const double *x)
{
    return x[0] > 0.97 ? (double)(double)NAN : ishigami(x);
}

/* Product of (|4 x - 2| + a) / (1 + a); variance of a factor: 1 / 3 / (1 + a)^2. */
static const double g_a[] = { 0, 1, 4.5, 9 };

static double g_function(const double *x)
{
    double product = 1;
    for (int i = 0; i < 4; ++i) product *= (fabs(4 * x[i] - 2) + g_a[i]) / (1 + g_a[i]);
    return product;
}

static double additive(const double *x)
{
    return 3 * x[0] + 4 * x[1] + 12 * x[2];
}

static double constant(const double *x)
{
    (void)x;
    return 0.1;
}

static double rough(const double *x)
{
    return x[0] * (1 + x[1]) + 3 * (x[0] > 2 ? x[2] : -x[2]) + sin(7 * x[1] * x[2]);
}

static int run_table(const sweep_point *p, double *result)
{
    const int at = (int)p->value[0] * 3 + (int)p->value[1];
    result[0] = listed[at];
    result[1] = (double)at;
    return isnan(listed[at]) ? sweep_fail(p, "no result for %g", p->value[0]) : 0;
}

/* The result is normal, deviation 2; a seed is the same everywhere. */
static int run_noise(const sweep_point *p, double *result)
{
    result[0] = 10 * p->value[0] + 2 * seeded(p);
    result[1] = p->seed == 2 ? (double)(double)NAN : 1;
    return 0;
}

static int run_validated(const sweep_point *p, double *result)
{
    result[0] = p->value[0] / p->value[1];
    result[1] = 0;
    return 0;
}

static const sweep_quantity noded[] = { { "seconds", "s", 100, NULL, NULL }, { "nodes", "1", 2, NULL, NULL } };
static const sweep_quantity numbers[] = {
    { "a", "1", 0, NULL, NULL }, { "b", "1", 0, NULL, NULL }, { "c", "1", 0, NULL, NULL }, { "d", "1", 0, NULL, NULL }
};
static const sweep_quantity worded[] = { { "r", "1", 0, NULL, NULL }, { "method", "1", 0, "fast,fair,lazy", NULL } };
static const sweep_quantity results[] = { { "time", "s", 0, NULL, NULL }, { "other", "1", 0, NULL, NULL } };
static const sweep_model models[] = {
    { "formula", 1, numbers, 4, results, 2, run_formula, NULL, NULL, SWEEP_MAY, NULL },
    { "table", 1, worded, 2, results, 2, run_table, NULL, NULL, SWEEP_MAY, NULL },
    { "noise", 1, numbers, 4, results, 2, run_noise, NULL, NULL, SWEEP_MAY, NULL },
    { "validated", 1, noded, 2, results, 2, run_validated, NULL, NULL, SWEEP_MAY, "random" },
};

/* Writes a sweep file, and opens it. */
static sweep *open_sweep(const char *text)
{
    char why[SWEEP_WHY], file[200], out[200];
    sweep *s;
    snprintf(file, sizeof file, "%s", path_of("try.sweep"));
    snprintf(out, sizeof out, "%s", path_of("try.csv"));
    remove(out); /* of a test that failed */
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    if (!sweep_open(&(sweep_desc){ .path = file, .models = models, .count = 4, .results = out }, &s, why))
        fail_msg("%s", why);
    return s;
}

static void run_all(sweep *s)
{
    if (!sweep_run(s, &(sweep_run_desc){ .threads = 1 })) fail_msg("%s", sweep_why(s));
}

static sweep *made(const char *text)
{
    sweep *s = open_sweep(text);
    run_all(s);
    return s;
}

/* Closes it, and removes its files. */
static void end(sweep *s)
{
    sweep_close(s);
    remove(path_of("try.sweep"));
    remove(path_of("try.csv"));
}

/* What is printed. */
static char *printed(const sweep *s)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_true(answers_print(s, f));
    const long length = ftell(f);
    char *text = (char *)calloc((size_t)length + 1, 1);
    assert_non_null(text);
    rewind(f);
    assert_int_equal(fread(text, 1, (size_t)length, f), (size_t)length);
    fclose(f);
    if (getenv("SHOW")) printf("-----\n%s", text);
    return text;
}

static void assert_says(const sweep *s, const char *wanted)
{
    char *text = printed(s);
    if (!strstr(text, wanted)) fail_msg("'%s' is not in:\n%s", wanted, text);
    free(text);
}

static void assert_covers(simkit_interval i, double expected, double widest)
{
    if (!(i.low <= expected && expected <= i.high && i.high - i.low <= widest))
        fail_msg("%g, %g .. %g, expected %g", i.mean, i.low, i.high, expected);
}

static void assert_near(double actual, double expected, double allowed)
{
    if (!(fabs(actual - expected) <= allowed)) fail_msg("%g, expected %g +- %g", actual, expected, allowed);
}

#define THREE "[parameter a]\nlinear = 0, 1\n[parameter b]\nlinear = 0, 1\n[parameter c]\nlinear = 0, 1\n"
#define FOUR THREE "[parameter d]\nlinear = 0, 1\n"

/*=============================================================================
 * MARK: - >>how sure
 *===========================================================================*/
/* An interval has the spread of the runs and the bounds of the family. */
static void assert_expected(const answers_expected *e, double median, double deviation, double wider)
{
    const residuals *family = interval_family("random");
    assert_close(e->median, median, 1e-9);
    assert_close(log(e->next.high[1] / median), hypot(wider * family->within[1], 1.959963984540054 * deviation), 1e-9);
    assert_close(log(e->next.low[0] / median), -hypot(wider * family->within[0], 1.2815515655446004 * deviation), 1e-9);
}

static void test_expected(void **state)
{
    answers_expected e[ANSWERS_EXPECTED];
    char none[SWEEP_WHY];
    size_t count;
    (void)state;
    /* Three equally likely values of a normal distribution: its quantiles at 1/6, 1/2 and 5/6. */
    const double away = 0.9674215661017010 * 0.05, logs[2] = { log1p(-away), log1p(away) },
                 mean = (logs[0] + logs[1]) / 3;
    const double deviation = sqrt((pow(logs[0] - mean, 2) + pow(logs[1] - mean, 2) + mean * mean) / 2);
    sweep *s = made("[sweep]\nmodel = validated\n[parameter seconds]\nnormal = 100 s +- 5 %\nsteps = 3\n"
                    "[parameter nodes]\nvalues = 2, 80, 100\n");
    assert_true(answers_expected_of(s, 0, e, &count, none));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; ++i) assert_int_equal(e[i].runs, 3);
    assert_int_equal(e[0].reasons, INTERVAL_UNSURE); /* there is no machine file */
    assert_expected(&e[0], 50, deviation, 2);
    assert_expected(&e[1], 1.25, deviation, 2);
    assert_expected(&e[2], 1, deviation, 4);
    assert_true(answers_expected_of(s, 1, e, &count, none)); /* zeros have none */
    assert_int_equal(count, 3);
    assert_false(interval_known(&e[0].next));
    assert_says(s, "\nWhere a run is expected: 80 % and 95 % intervals of time\n  nodes  runs  median [s]  80 % from");
    assert_says(s, "\n  bounds twice as wide: more than 10 times the size");
    assert_says(s, "\n  bounds twice as wide: the machine file does not say how sure its values are\n");
    end(s);
    s = made("[sweep]\nmodel = validated\ndesign = sobol\npoints = 64\n[parameter seconds]\nnormal = 100 s +- 5 %\n");
    assert_true(answers_expected_of(s, 0, e, &count, none));
    assert_int_equal(count, 1);
    assert_int_equal(e[0].runs, 64);
    assert_true(log(e[0].next.high[1] / 50) > 1.9 * 0.05 && log(e[0].next.high[1] / 50) < 0.17);
    assert_says(
        s, "\nWhere a run is expected: 80 % and 95 % intervals of the results\n            runs  median  80 % from ");
    end(s);
    s = made("[sweep]\nmodel = noise\nseeds = 7\n[parameter a]\nvalues = 1, 2\n");
    assert_true(answers_expected_of(s, 0, e, &count, none));
    assert_int_equal(e[0].runs, 7);
    assert_true(interval_known(&e[0].next));
    assert_says(s, "\nPoints: mean over the seeds +- half of its 95 % interval; one of 80 % is 0.588 times as wide\n"); /* t = 1.440, 2.447 */
    end(s);
    /* A model that was not compared has the spread alone, of parameters or of seeds; or nothing. */
    formula = additive;
    s = made("[sweep]\nmodel = formula\n[parameter a]\nnormal = 1 +- 10 %\nsteps = 5\n");
    assert_true(answers_expected_of(s, 0, e, &count, none));
    assert_int_equal(e[0].reasons, 0);
    assert_close(e[0].next.high[0] / e[0].median, e[0].median / e[0].next.low[0], 1e-12);
    assert_says(s, "\n  from how much these runs differ alone: the model was not compared with real runs\n");
    end(s);
    s = made("[sweep]\nmodel = formula\n[parameter a]\nvalues = 1, 2\n");
    assert_true(answers_expected_of(s, 0, e, &count, none));
    assert_int_equal(count, 0);
    assert_says(s, "\nNo interval of a run: no parameter is uncertain, there is one seed, and the model was not "
                   "compared with real "
                   "runs\n");
    end(s);
    s = made("[sweep]\nmodel = formula\ndesign = sobol\npoints = 8\n[parameter a]\nvalues = 1, 2\n[parameter "
             "b]\nlinear = 1, 2\n");
    assert_says(s, "\nNo interval of a run: 'a' is a choice, and only a factorial design has all others with each\n");
    end(s);
    s = made("[sweep]\nmodel = formula\n[parameter a]\nlinear = 1, 2\nsteps = 41\n");
    assert_says(s, "\nNo interval of a run: there are 41 combinations of choices, more than 40\n");
    end(s);
}

/*=============================================================================
 * MARK: - >>indices
 *===========================================================================*/
static void test_ishigami(void **state)
{
    static const double first[] = { 0.31390519, 0.44241114, 0 }, total[] = { 0.55758886, 0.44241114, 0.24368367 };
    (void)state;
    formula = ishigami;
    sweep *s = made("[sweep]\nmodel = formula\ndesign = saltelli\npoints = 4096\n" THREE);
    answers a;
    assert_true(answers_open(s, 0, &a));
    assert_int_equal(a.rows, 4096);
    assert_int_equal(a.left_out, 0);
    for (int i = 0; i < 3; ++i) {
        assert_covers(a.effect[i].first, first[i], 0.12);
        assert_covers(a.effect[i].total, total[i], 0.12);
        assert_near(a.effect[i].first.mean, first[i], 0.005);
        assert_near(a.effect[i].total.mean, total[i], 0.005);
    }
    assert_int_equal(a.order[0], 0);
    assert_int_equal(a.order[1], 1);
    assert_int_equal(a.order[2], 2);
    answers_close(&a);
    assert_says(s, "of 4096 rows\n");
    end(s);
}

/* A large offset must not ruin it, nor holes. */
static void test_ishigami_offset(void **state)
{
    (void)state;
    answers a, b;
    formula = ishigami;
    sweep *s = made("[sweep]\nmodel = formula\ndesign = saltelli\npoints = 512\n" THREE);
    assert_true(answers_open(s, 0, &a));
    end(s);
    offset = 1e6;
    s = made("[sweep]\nmodel = formula\ndesign = saltelli\npoints = 512\n" THREE);
    assert_true(answers_open(s, 0, &b));
    end(s);
    offset = 0;
    for (int i = 0; i < 3; ++i) {
        assert_near(a.effect[i].first.mean, b.effect[i].first.mean, 1e-8);
        assert_close(a.effect[i].total.mean, b.effect[i].total.mean, 1e-8);
        assert_close(a.effect[i].total.high, b.effect[i].total.high, 1e-8);
    }
    answers_close(&a);
    answers_close(&b);
    formula = ishigami_holes;
    s = made("[sweep]\nmodel = formula\ndesign = saltelli\npoints = 512\n" THREE);
    assert_true(answers_open(s, 0, &a));
    assert_in_range(a.left_out, 20, 40); /* a of A or of B in the upper 3 % */
    assert_int_equal(a.rows + a.left_out, 512);
    assert_near(a.effect[1].total.mean, 0.45, 0.05);
    answers_close(&a);
    assert_says(s, "left out, where results are missing");
    assert_says(s, "failed, ");
    end(s);
}

/* The variance of a product of independent factors. */
static void test_g_function(void **state)
{
    (void)state;
    double part[4], all = 1;
    for (int i = 0; i < 4; ++i) {
        part[i] = 1 / (3 * (1 + g_a[i]) * (1 + g_a[i]));
        all *= 1 + part[i];
    }
    formula = g_function;
    sweep *s = made("[sweep]\nmodel = formula\ndesign = saltelli\npoints = 4096\n" FOUR);
    answers a;
    assert_true(answers_open(s, 0, &a));
    for (int i = 0; i < 4; ++i) {
        const double first = part[i] / (all - 1), total = part[i] * all / (1 + part[i]) / (all - 1);
        assert_covers(a.effect[i].first, first, 0.12);
        assert_covers(a.effect[i].total, total, 0.12);
        assert_int_equal(a.order[i], i);
    }
    assert_near(a.overall, 1, 0.002);
    answers_close(&a);
    end(s);
}

/* How often 95 % intervals of independent rows cover the truth: rows of Sobol' are not independent, and cover more often. */
static void test_coverage(void **state)
{
    (void)state;
    int covered = 0;
    formula = additive;
    for (int i = 1; i <= 100; ++i) {
        char text[400];
        snprintf(text, sizeof text, "[sweep]\nmodel = formula\ndesign = saltelli\npoints = 100\nseed = %d\n" THREE, i);
        sweep *s = made(text);
        answers a;
        assert_true(answers_open(s, 0, &a));
        for (int k = 0; k < 3; ++k) {
            static const double squares[] = { 9, 16, 144 };
            const double truth = squares[k] / 169;
            covered += a.effect[k].first.low <= truth && truth <= a.effect[k].first.high;
            covered += a.effect[k].total.low <= truth && truth <= a.effect[k].total.high;
        }
        answers_close(&a);
        end(s);
    }
    assert_in_range(covered, 570, 600);
}

static void test_given_points(void **state)
{
    static const char *const designs[] = { "latin", "sobol" };
    static const double squares[] = { 9, 16, 144, 0 };
    (void)state;
    formula = additive;
    for (int d = 0; d < 2; ++d)
        for (int many = 0; many < 2; ++many) {
            char text[400];
            snprintf(text, sizeof text, "[sweep]\nmodel = formula\ndesign = %s\npoints = %d\n" FOUR, designs[d],
                     many ? 20000 : 500);
            sweep *s = made(text);
            answers a;
            assert_true(answers_open(s, 0, &a));
            for (int k = 0; k < 4; ++k) {
                assert_near(a.effect[k].first.mean, squares[k] / 169, many ? 0.01 : 0.05);
                assert_nan(a.effect[k].total.mean);
                assert_nan(a.effect[k].first.low);
                assert_int_equal(a.effect[k].count, ANSWERS_CLASSES);
                for (size_t i = 0; i < ANSWERS_CLASSES; ++i) { /* equally likely, and on the line */
                    const answers_class *c = &a.effect[k].classes[i];
                    assert_in_range(c->count, many ? 1995 : 47, many ? 2005 : 53);
                    assert_near(c->value, ((double)i + 0.5) / 10, 1e-9);
                    assert_near(c->mean, 9.5 + sqrt(squares[k]) * (c->value - 0.5), many ? 0.3 : 2);
                }
                assert_equal(a.effect[k].low, a.effect[k].classes[0].mean);
                assert_equal(a.effect[k].high, a.effect[k].classes[9].mean);
            }
            assert_int_equal(a.order[0], 2);
            answers_close(&a);
            assert_says(s, "design = saltelli");
            end(s);
        }
}

/* Mean of f over the grid of those parameters that `fixed` leaves, at the indices of the others. */
static double grid_mean(const double values[3][4], const size_t counts[3], const int fixed[3], const size_t at[3])
{
    double sum = 0, count = 0, x[3];
    size_t i[3];
    for (i[0] = 0; i[0] < counts[0]; ++i[0])
        for (i[1] = 0; i[1] < counts[1]; ++i[1])
            for (i[2] = 0; i[2] < counts[2]; ++i[2]) {
                bool in = true;
                for (int k = 0; k < 3; ++k) {
                    in = in && (!fixed[k] || i[k] == at[k]);
                    x[k] = values[k][i[k]];
                }
                if (!in) continue;
                sum += rough(x);
                count += 1;
            }
    return sum / count;
}

static void test_factorial(void **state)
{
    static const double values[3][4] = { { 1, 2, 3, 5 }, { 0.5, 2, 1, 0 }, { 4, 1, 0, 0 } };
    static const size_t counts[3] = { 4, 3, 2 };
    (void)state;
    formula = rough;
    sweep *s = made("[sweep]\nmodel = formula\n[parameter a]\nvalues = 1, 2, 3, 5\n[parameter b]\nvalues = 0.5, 2, "
                    "1\n[parameter c]\nvalues = 4, 1\n");
    answers a;
    assert_true(answers_open(s, 0, &a));
    const int none[3] = { 0, 0, 0 };
    size_t at[3];
    const double mean = grid_mean(values, counts, none, (const size_t[3]){ 0, 0, 0 });
    double all = 0, sums[3][2] = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
    for (at[0] = 0; at[0] < 4; ++at[0])
        for (at[1] = 0; at[1] < 3; ++at[1])
            for (at[2] = 0; at[2] < 2; ++at[2])
                for (int k = -1; k < 3; ++k) {
                    const int only[3] = { k == 0, k == 1, k == 2 }, rest[3] = { k != 0, k != 1, k != 2 };
                    const double one = grid_mean(values, counts, only, at) - mean,
                                 other = grid_mean(values, counts, rest, at) - mean;
                    if (k < 0) {
                        all += other * other / 24;
                        continue;
                    }
                    sums[k][0] += one * one / 24;
                    sums[k][1] += other * other / 24;
                }
    assert_close(a.overall, mean, 1e-13);
    assert_close(a.variance, all, 1e-12);
    for (size_t k = 0; k < 3; ++k) {
        assert_close(a.effect[k].first.mean, sums[k][0] / all, 1e-10);
        assert_close(a.effect[k].total.mean, 1 - sums[k][1] / all, 1e-10);
        assert_int_equal(a.effect[k].count, counts[k]);
    }
    /* b is said as 0.5, 2, 1: classes are ascending */
    const answers_class *b = a.effect[1].classes;
    assert_equal(b[0].value, 0.5);
    assert_equal(b[1].value, 1);
    assert_equal(b[2].value, 2);
    assert_close(b[1].mean, grid_mean(values, counts, (const int[3]){ 0, 1, 0 }, (const size_t[3]){ 0, 2, 0 }), 1e-13);
    assert_equal(a.effect[1].low, b[0].mean);
    assert_equal(a.effect[1].high, b[2].mean);
    answers_close(&a);
    assert_says(s, "24 points of 3 parameters, 24 of 24 runs done, 0 failed");
    end(s);
}

static void test_constant(void **state)
{
    static const char *const designs[] = { "", "design = latin\npoints = 100\n", "design = saltelli\npoints = 64\n" };
    (void)state;
    formula = constant;
    for (int d = 0; d < 3; ++d) {
        char text[400];
        snprintf(text, sizeof text, "[sweep]\nmodel = formula\n%s%s", designs[d],
                 d == 0 ? "[parameter a]\nvalues = 1, 2, 3\n[parameter b]\nvalues = 1, 2, 3\n" : THREE);
        sweep *s = made(text);
        answers a;
        assert_true(answers_open(s, 0, &a));
        assert_close(a.overall, 0.1, 1e-15);
        assert_nan(a.effect[0].first.mean);
        assert_nan(a.effect[0].total.mean);
        answers_close(&a);
        assert_says(s, "it is the same everywhere");
        end(s);
    }
}

/*=============================================================================
 * MARK: - >>points and runs
 *===========================================================================*/
static void test_seeds(void **state)
{
    (void)state;
    sweep *s = made("[sweep]\nmodel = noise\nseeds = 7\n[parameter a]\nvalues = 1, 2\n");
    double x[14];
    simkit_tally seeds = { 0 };
    for (uint64_t i = 0; i < 7; ++i) {
        const sweep_point p = { NULL, i + 1, NULL, NULL, NULL };
        x[i] = 10 + 2 * seeded(&p);
        x[7 + i] = 20 + 2 * seeded(&p);
        simkit_tally_add(&seeds, x[7 + i]);
    }
    const simkit_interval is = answers_point(s, 1, 0), expected = simkit_tally_interval(&seeds, 0.95);
    assert_close(is.mean, expected.mean, 1e-12);
    assert_close(is.low, expected.low, 1e-12);
    assert_close(is.high, expected.high, 1e-12);
    assert_int_equal(is.count, 7);
    assert_int_equal(answers_point(s, 1, 1).count, 6); /* one seed does not have it */
    answers_overall all;
    assert_true(answers_overall_of(s, 0, &all));
    double sum = 0, squares = 0, sorted[14];
    for (int i = 0; i < 14; ++i) sum += x[i];
    for (int i = 0; i < 14; ++i) {
        squares += (x[i] - sum / 14) * (x[i] - sum / 14);
        int at = i;
        for (; at > 0 && sorted[at - 1] > x[i]; --at) sorted[at] = sorted[at - 1];
        sorted[at] = x[i];
    }
    assert_int_equal(all.runs, 14);
    assert_close(all.mean, sum / 14, 1e-12);
    assert_close(all.deviation, sqrt(squares / 13), 1e-12);
    assert_close(all.minimum, sorted[0], 1e-11);
    assert_close(all.maximum, sorted[13], 1e-11);
    assert_close(all.median, (sorted[6] + sorted[7]) / 2, 1e-11);
    assert_true(answers_overall_of(s, 1, &all));
    assert_int_equal(all.runs, 12);
    assert_equal(all.median, 1);
    assert_equal(all.deviation, 0);
    assert_says(s, "+-");
    end(s);
}

/* Medians of signs, zeros, ties and an odd number. */
static void test_median(void **state)
{
    static const double tables[][6] = { { -1, -2, 3, 0, 5, -7 },
                                        { 2, 2, 2, 2, 2, 9 },
                                        { -3, -3, 1e300, -1e300, 1e-300, 0 },
                                        { 1, (double)NAN, 3, 2, (double)NAN, 9 },
                                        { (double)NAN, (double)NAN, (double)NAN, 4, 7, 5 } };
    static const double medians[] = { -0.5, 2, -1.5, 2.5, 5 };
    (void)state;
    for (int i = 0; i < 5; ++i) {
        listed = tables[i];
        sweep *s = made(
            "[sweep]\nmodel = table\n[parameter r]\nvalues = 0, 1\n[parameter method]\nvalues = fast, fair, lazy\n");
        answers_overall all;
        assert_true(answers_overall_of(s, 0, &all));
        assert_equal(all.median, medians[i]);
        free(printed(s));
        end(s);
    }
}

static void test_incomplete(void **state)
{
    (void)state;
    static const double table[] = { 1, (double)NAN, 3, 2, 4, (double)NAN };
    listed = table;
    const char *text =
        "[sweep]\nmodel = table\n[parameter r]\nvalues = 0, 1\n[parameter method]\nvalues = fast, fair, lazy\n";
    sweep *s = open_sweep(text);
    assert_says(s, "0 of 6 runs done, 0 failed\n  6 points have no results");
    answers a;
    assert_true(answers_open(s, 0, &a));
    assert_nan(a.overall);
    assert_nan(a.effect[0].low);
    answers_close(&a);
    run_all(s);
    assert_true(answers_open(s, 0, &a));
    assert_int_equal(a.with, 4);
    assert_equal(a.overall, 2.5);
    assert_nan(a.effect[0].first.mean);
    assert_equal(a.effect[0].low, 2);
    assert_equal(a.effect[0].high, 3);
    assert_equal(a.effect[1].classes[0].mean, 1.5);
    assert_equal(a.effect[1].low, 1.5); /* words: the smallest and the largest mean */
    assert_equal(a.effect[1].high, 4);
    answers_close(&a);
    assert_says(s, "2 points have no results");
    assert_says(s, "no Sobol' indices");
    assert_says(s, "failed, 1 time: no result for 0");
    end(s);
}

/*=============================================================================
 * MARK: - >>choices
 *===========================================================================*/
static void test_choice(void **state)
{
    static const double table[] = { 10, 11, 12, 30, 20, 22, 5, (double)NAN, 4, 7, (double)NAN, (double)NAN };
    (void)state;
    listed = table;
    sweep *s = made(
        "[sweep]\nmodel = table\n[parameter r]\nvalues = 0, 1, 2, 3\n[parameter method]\nvalues = fair, fast, lazy\n"
        "[choice]\nparameter = method\nchosen = lazy\n[choice]\nparameter = r\nresult = time\n");
    size_t count;
    const sweep_choice *choice = sweep_choices(s, &count);
    assert_int_equal(count, 2);
    double mean[12];
    assert_int_equal(answers_means(s, 0, mean), 9);
    answers_choice c;
    assert_true(answers_choice_open(s, &choice[0], mean, &c));
    assert_int_equal(c.cases, 3);
    assert_int_equal(c.left_out, 1);
    assert_int_equal(c.count, 3);
    assert_int_equal(c.chosen, 2);
    const answers_option *o = c.option; /* fair, fast, lazy */
    assert_equal(o[0].value, 1);
    assert_int_equal(o[0].cases, 2);
    assert_int_equal(o[0].best, 1);
    assert_close(o[0].loss, 0.05, 1e-12);
    assert_close(o[0].worst, 0.1, 1e-12);
    assert_int_equal(o[1].cases, 3);
    assert_int_equal(o[1].best, 1);
    assert_equal(o[1].mean, 15);
    assert_close(o[1].loss, 0.25, 1e-12);
    assert_close(o[1].worst, 0.5, 1e-12);
    assert_int_equal(o[2].best, 1);
    assert_close(o[2].loss, 0.1, 1e-12);
    assert_int_equal(c.favourite, 0);
    answers_choice_close(&c);
    assert_true(answers_choice_open(s, &choice[1], mean, &c));
    assert_int_equal(c.cases, 3); /* fair: 11, 20; fast: 10, 30, 5, 7; lazy: 12, 22, 4 */
    assert_int_equal(c.chosen, c.count);
    assert_int_equal(c.option[2].best, 2);
    assert_close(c.option[1].worst, 5, 1e-12);
    answers_choice_close(&c);
    assert_says(s, "method = lazy takes 10 % longer than the best on average, 20 % at most; method = fair is best in "
                   "33.3 % of 3 cases");
    end(s);
}

/*=============================================================================
 * MARK: - >>text and pictures
 *===========================================================================*/
static void test_numbers(void **state)
{
    static const struct {
        double value;
        const char *base, *text;
    } cases[] = { { 0.0012345, "s", "1.234 ms" }, { 3e-7, "s", "300 ns" },        { 59.5, "s", "59.5 s" },
                  { 12345, "s", "3.429 h" },      { 12.5e6, "B/s", "12.5 MB/s" }, { 0, "s", "0 s" },
                  { 2592, "1", "2592" },          { 1e9, "flop/s", "1 Gflop/s" }, { 123456, "1", "123456" },
                  { 0.5, "B/s", "0.5 B/s" },      { 0.05, "1/s", "0.05 1/s" },    { -0.0025, "s", "-2.5 ms" },
                  { 999990, "B", "1 MB" },        { (double)NAN, "s", "-" },      { (double)INFINITY, "s", "inf s" },
                  { 5e20, "B", "500000 PB" } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[ANSWERS_TEXT];
        answers_quantity(text, cases[i].value, cases[i].base);
        assert_string_equal(text, cases[i].text);
    }
}

/* Reads a picture and looks for what an SVG must not have. */
static void check_picture(void *user, const char *path)
{
    static char text[1 << 20];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    const size_t length = fread(text, 1, sizeof text - 1, f);
    text[length] = 0;
    fclose(f);
    assert_memory_equal(text, "<svg", 4);
    assert_non_null(strstr(text, "</svg>\n"));
    static const char *const wrong[] = { "\"nan", "\"-nan", "\"inf", "Mnan", "Vnan",  "Hnan",
                                         "nan,",  ",nan",   ",-nan", " nan", " -nan", "\"-inf" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        if (strstr(text, wrong[i])) fail_msg("%s has %s", path, wrong[i]);
    assert_null(strstr(text, "a < b"));
    if (!getenv("KEEP")) assert_int_equal(remove(path), 0);
    ++*(int *)user;
}

static void check_pictures(const sweep *s, int expected)
{
    char why[SWEEP_WHY] = "";
    int count = 0;
    if (!pictures_draw(s, place, check_picture, &count, why)) fail_msg("%s", why);
    assert_int_equal(count, expected);
}

static void test_pictures(void **state)
{
    static const double table[] = { 10, 11, 12, 30, (double)NAN, 22 },
                        holes[] = { (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN };
    static const char *const files[] = {
        "[sweep]\nmodel = formula\n[parameter a]\nvalues = 1\n",
        "[sweep]\nmodel = formula\nseeds = 4\n[parameter a]\nvalues = 1, 2, 400\n",
        "[sweep]\nmodel = formula\n[parameter a]\nvalues = 0, 1\n[parameter b]\nvalues = 1, 2, 3\n",
        "[sweep]\nmodel = formula\ndesign = latin\npoints = 40\n[parameter a]\nlogarithmic = 1, 4\n[parameter "
        "b]\nlinear = 1, 2\n",
        "[sweep]\nmodel = formula\ndesign = sobol\npoints = 3\n" FOUR,
        "[sweep]\nmodel = formula\ndesign = saltelli\npoints = 8\n" FOUR
        "[lines]\nx = a\ntitle = \"a < b & \xff c\"\n[map]\nx = a\ny = d\n[tornado]\n",
    };
    static const int counts[] = { 1, 1, 2, 2, 1, 3 };
    (void)state;
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 2; ++k) {
            formula = k ? constant : additive;
            if (i < 2 && !k) formula = constant;
            sweep *s = open_sweep(files[i]);
            check_pictures(s, counts[i]); /* nothing yet */
            run_all(s);
            check_pictures(s, counts[i]);
            free(printed(s));
            end(s);
        }
    for (int k = 0; k < 2; ++k) {
        listed = k ? holes : table;
        sweep *s =
            made("[sweep]\nmodel = table\n[parameter r]\nvalues = 0, 1\n[parameter method]\nvalues = fast, fair, lazy\n"
                 "[lines]\nx = method\nlines = r\n[map]\nx = method\ny = r\n[tornado]\n");
        check_pictures(s, 3);
        end(s);
    }
}

static void test_no_folder(void **state)
{
    (void)state;
    char why[SWEEP_WHY] = "";
    formula = additive;
    sweep *s = made("[sweep]\nmodel = formula\n[parameter a]\nvalues = 1, 2\n");
    assert_false(pictures_draw(s, "/nowhere/at/all", NULL, NULL, why));
    assert_non_null(strstr(why, "/nowhere/at/all"));
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected),   cmocka_unit_test(test_ishigami),   cmocka_unit_test(test_ishigami_offset),
        cmocka_unit_test(test_g_function), cmocka_unit_test(test_coverage),   cmocka_unit_test(test_given_points),
        cmocka_unit_test(test_factorial),  cmocka_unit_test(test_constant),   cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_median),     cmocka_unit_test(test_incomplete), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_pictures),   cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
