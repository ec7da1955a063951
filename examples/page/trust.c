/* trust.c - Trust: measurements with an outlier; how sure is the line through them, and what happens beyond the data? */
#include "module.h"

#include "netmodel.h"
#include "simkit.h"
#include "util/netmodel_fit.h"

#include "../svg.h"

#include <string.h>

enum { SIZES = 15, DISTURBED = 9, FITS = 2 };
enum { ROBUST, SQUARES };
enum { NOISE, OUTLIER, METHOD, ASK, SEED, CONTROLS };

static const char *const methods[FITS] = { "robust", "least squares" };
static const netmodel_link truth = { 50e-6, 1 / 100e6 };

static const module_control controls[CONTROLS] = {
    { "noise", "Error of a measurement", MODULE_WHOLE, "percent", "3", 0, 30, false, NULL, NULL },
    { "outlier", "One is longer by a factor of", MODULE_QUANTITY, "1", "20", 1, 100, true, NULL, NULL },
    { "method", "Fit", MODULE_CHOICE, NULL, "robust", 0, FITS - 1, false, methods, NULL },
    { "ask", "Predict a message of", MODULE_QUANTITY, "B", "16 MB", 64, 1e9, true, NULL, NULL },
    { "seed", "Series of measurements number", MODULE_WHOLE, "series", "1", 1, 1000, false, NULL, NULL },
};

/*=============================================================================
 * MARK: - >>measurements
 *===========================================================================*/

/* A series of measurements, and the fits of a line to it. */
typedef struct series {
    double bytes[SIZES], seconds[SIZES];
    netmodel_fit fit[FITS];
} series;

/* Draws a nearly normal error: the sum of twelve uniform numbers has the mean 6 and the variance 1. */
static double trust__error(simkit_random *random)
{
    double error = -6;
    for (int k = 0; k < 12; ++k) error += simkit_random_uniform(random);
    return error;
}

/* Measures sizes from 64 B to 1 MiB, with nearly normal relative errors, and makes both fits. */
static bool trust__measure(series *m, double noise, double outlier, uint64_t seed)
{
    const netmodel_points points = { m->bytes, m->seconds, SIZES, NETMODEL_ERROR_RELATIVE };
    double scratch[SIZES];
    simkit_random random = { seed };
    for (int i = 0; i < SIZES; ++i) {
        const double error = trust__error(&random);
        m->bytes[i] = 64.0 * (1 << i);
        m->seconds[i] = netmodel_link_time(&truth, m->bytes[i]) * fmax(1 + noise * error, 0.05);
    }
    m->seconds[DISTURBED] *= outlier;
    return netmodel_fit_line(&points, &m->fit[SQUARES], NULL) == NETMODEL_OK &&
           netmodel_fit_robust(&points, scratch, &m->fit[ROBUST], NULL) == NETMODEL_OK;
}

/*=============================================================================
 * MARK: - >>pictures and data
 *===========================================================================*/

/* Limits a time to the range of the picture, whose axes are logarithmic. */
static double trust__shown(double seconds)
{
    return fmin(fmax(seconds, 1e-6), 100);
}

static bool trust__draw(const module_run *run, const series *m, int method, double ask, const netmodel_prediction *p)
{
    enum { STEPS = 60 };
    const double from = 40, to = fmax(16e6, 2 * ask), factor = pow(to / from, 1.0 / STEPS);
    const netmodel_fit *fit = &m->fit[method];
    char path[512];
    svg s;
    svg_open(&s, module_path(run, "picture.svg", path), "Measured times, the line through them, and where it predicts",
             960, 420);
    s.legend_left = 750;
    svg_plot(&s, 80, 720, (svg_axis){ .label = "size of a message", .from = from, .to = to, .unit = "B" },
             (svg_axis){ .label = "time", .from = 1e-6, .to = 100, .unit = "s" });
    svg_begin(&s, SVG_BAND, svg_colours[method == ROBUST ? 0 : 6], "95 % of the next times");
    for (int i = 0; i <= STEPS; ++i)
        svg_at(&s, from * pow(factor, i), trust__shown(netmodel_fit_predict(fit, from * pow(factor, i), 0.95).high));
    for (int i = STEPS; i >= 0; --i)
        svg_at(&s, from * pow(factor, i), trust__shown(netmodel_fit_predict(fit, from * pow(factor, i), 0.95).low));
    svg_end(&s);
    svg_begin(&s, SVG_LINE, svg_colours[method == ROBUST ? 0 : 6], methods[method]);
    for (int i = 0; i <= STEPS; ++i)
        svg_at(&s, from * pow(factor, i), trust__shown(netmodel_line_time(&fit->line, from * pow(factor, i))));
    svg_end(&s);
    svg_begin(&s, SVG_DASHED, "black", "the truth");
    for (int i = 0; i <= STEPS; ++i)
        svg_at(&s, from * pow(factor, i), netmodel_link_time(&truth, from * pow(factor, i)));
    svg_end(&s);
    svg_begin(&s, SVG_POINTS, svg_colours[2], "measured");
    for (int i = 0; i < SIZES; ++i)
        if (i != DISTURBED) svg_at(&s, m->bytes[i], trust__shown(m->seconds[i]));
    svg_end(&s);
    svg_begin(&s, SVG_POINTS, svg_colours[1], "disturbed");
    svg_at(&s, m->bytes[DISTURBED], trust__shown(m->seconds[DISTURBED]));
    svg_end(&s);
    svg_begin(&s, SVG_WIDE, svg_colours[5], "the interval asked for");
    svg_at(&s, ask, trust__shown(p->low));
    svg_at(&s, ask, trust__shown(p->high));
    svg_end(&s);
    return svg_close(&s);
}

/* Draws the errors of the line, its band and the points. Points beyond the picture lie on its border. */
static bool trust__draw_errors(const module_run *run, const series *m, int method, double ask,
                               const netmodel_prediction *p)
{
    enum { STEPS = 60 };
    const double from = 40, to = fmax(16e6, 2 * ask), factor = pow(to / from, 1.0 / STEPS),
                 border = fmin(fmax(6 * m->fit[method].deviation, 0.05), 1);
    const netmodel_fit *fit = &m->fit[method];
    double off[3][STEPS + 1], at[STEPS + 1];
    char path[512];
    svg s;
    for (int i = 0; i <= STEPS; ++i) {
        at[i] = from * pow(factor, i);
        const double right = netmodel_link_time(&truth, at[i]);
        const netmodel_prediction q = netmodel_fit_predict(fit, at[i], 0.95);
        const double values[3] = { q.low, q.time, q.high };
        for (int k = 0; k < 3; ++k) off[k][i] = 100 * fmin(fmax(values[k] / right - 1, -border), border);
    }
    svg_open(&s, module_path(run, "errors.svg", path), "The same, relative to the truth: by how much they are off", 960,
             320);
    s.legend_left = 750;
    svg_plot(&s, 80, 720, (svg_axis){ .label = "size of a message", .from = from, .to = to, .unit = "B" },
             (svg_axis){ .label = "off by [%]", .from = -100 * border, .to = 100 * border });
    svg_begin(&s, SVG_BAND, svg_colours[method == ROBUST ? 0 : 6], "95 % of the next times");
    for (int i = 0; i <= STEPS; ++i) svg_at(&s, at[i], off[2][i]);
    for (int i = STEPS; i >= 0; --i) svg_at(&s, at[i], off[0][i]);
    svg_end(&s);
    svg_begin(&s, SVG_LINE, svg_colours[method == ROBUST ? 0 : 6], methods[method]);
    for (int i = 0; i <= STEPS; ++i) svg_at(&s, at[i], off[1][i]);
    svg_end(&s);
    svg_begin(&s, SVG_DASHED, "black", "the truth");
    svg_at(&s, from, 0);
    svg_at(&s, to, 0);
    svg_end(&s);
    for (int disturbed = 0; disturbed < 2; ++disturbed) {
        svg_begin(&s, SVG_POINTS, svg_colours[disturbed ? 1 : 2], disturbed ? "disturbed" : "measured");
        for (int i = 0; i < SIZES; ++i) {
            const double error = m->seconds[i] / netmodel_link_time(&truth, m->bytes[i]) - 1;
            if ((i == DISTURBED) == disturbed) svg_at(&s, m->bytes[i], 100 * fmin(fmax(error, -border), border));
        }
        svg_end(&s);
    }
    const double right = netmodel_link_time(&truth, ask);
    svg_begin(&s, SVG_WIDE, svg_colours[5], "the interval asked for");
    svg_at(&s, ask, 100 * fmax(p->low / right - 1, -border));
    svg_at(&s, ask, 100 * fmin(p->high / right - 1, border));
    svg_end(&s);
    return svg_close(&s);
}

static bool trust__write_data(const module_run *run, const series *m, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "bytes [B],time [s],robust [s],least squares [s],truth [s]\n");
    for (int i = 0; i < SIZES; ++i)
        fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g\n", m->bytes[i], m->seconds[i],
                netmodel_line_time(&m->fit[ROBUST].line, m->bytes[i]),
                netmodel_line_time(&m->fit[SQUARES].line, m->bytes[i]), netmodel_link_time(&truth, m->bytes[i]));
    return module_close(file, "data.csv", a);
}

/*=============================================================================
 * MARK: - >>answer
 *===========================================================================*/

/* Adds the formula and the numbers of a prediction for `ask` bytes. */
static void trust__add_numbers(const netmodel_fit *fit, const netmodel_prediction *p, double ask, module_answer *a)
{
    const char *const size = module_word(a, ask, "B");
    snprintf(a->formula, sizeof a->formula,
             "t(n) = k + c n = %s + %s/B x %s = %s\n95 %% of the next measurements are within %s .. %s",
             module_word(a, fit->line.intercept, "s"), module_word(a, fit->line.slope, "s"), size,
             module_word(a, p->time, "s"), module_word(a, p->low, "s"), module_word(a, p->high, "s"));
    module_add(a, "predicted", "s", p->time, "Predicted time of %s", size);
    module_add(a, "low", "s", p->low, "95 %% interval, from");
    module_add(a, "high", "s", p->high, "to");
    module_add(a, "truth", "s", netmodel_link_time(&truth, ask), "The truth");
    module_add(a, "latency", "s", fit->line.intercept, "Latency by the fit (truth: 50 us)");
    module_add(a, "bandwidth", "B/s", 1 / fit->line.slope, "Bandwidth by the fit (truth: 100 MB/s)");
    module_add(a, "deviation", "%", fit->deviation, "Standard deviation of the errors");
    module_add(a, "outliers", "1", (double)fit->outliers, "Measurements set aside as outliers");
}

/* Says how the fit treats the measurements, of which one is longer by the factor `outlier`. */
static void trust__explain_fit(const series *m, int method, double outlier, module_answer *a)
{
    const netmodel_fit *fit = &m->fit[method];
    const bool disturbed = outlier >= 1.05;
    const char *const deviation = module_word(a, fit->deviation, "%");
    if (method == SQUARES && !disturbed)
        module_because(a, 0, "Least squares believes every point, and none is disturbed: the errors deviate by %s.",
                       deviation);
    else if (method == SQUARES)
        module_because(
            a, 0,
            "Least squares believes every point, also the one that is wrong by a factor of %.3g: the errors seem "
            "to deviate by %s, where the robust fit finds %s, and the interval is as wide as that.",
            outlier, deviation, module_word(a, m->fit[ROBUST].deviation, "%"));
    else if (fit->outliers == 0)
        module_because(a, 0,
                       "The robust fit asks what most points say; here none is so far from that that it is set aside.");
    else
        module_because(a, 0, "The robust fit asks what most points say: it has set %lu of %d aside%s.",
                       (unsigned long)fit->outliers, SIZES,
                       fit->outliers == 1 && disturbed ? ", and the others decide"
                       : disturbed ? ", although only one was disturbed: a good point can look like a bad one"
                                   : ", although none was disturbed: a good point can look like a bad one");
}

/* Says how far the interval of a prediction for `ask` bytes can be believed. */
static void trust__explain_interval(const netmodel_fit *fit, const netmodel_prediction *p, double ask, module_answer *a)
{
    const double right = netmodel_link_time(&truth, ask);
    const char *const size = module_word(a, ask, "B");
    module_because(a, 1,
                   "The interval is for one more measurement: 19 of 20 fall into it, if the errors are as assumed. The "
                   "truth, a mean of very many, is %s it.",
                   right >= p->low && right <= p->high ? "in" : "outside of");
    if (p->outside)
        module_because(a, 2,
                       "%s is beyond the data, which end at %s: the interval holds only if the line goes on, and no "
                       "measurement says so.",
                       size, module_word(a, fit->high, "B"));
    else
        module_because(a, 2, "%s is within the data, so only the errors of the measurements matter.", size);
}

static bool trust__answer(const module_run *run, module_answer *a)
{
    const double *v = run->values->value, ask = v[ASK];
    const int method = (int)v[METHOD];
    series m;

    if (!trust__measure(&m, v[NOISE] / 100, v[OUTLIER], (uint64_t)v[SEED]))
        return module_fail(a, "no line goes through these times");
    const netmodel_fit *fit = &m.fit[method];
    const netmodel_prediction p = netmodel_fit_predict(fit, ask, 0.95);
    if (!trust__draw(run, &m, method, ask, &p) || !trust__draw_errors(run, &m, method, ask, &p))
        return module_fail(a, "cannot write the pictures");
    if (!trust__write_data(run, &m, a)) return false;
    trust__add_numbers(fit, &p, ask, a);
    trust__explain_fit(&m, method, v[OUTLIER], a);
    trust__explain_interval(fit, &p, ask, a);
    module_show(a, "picture.svg",
                "Times of 15 messages of 64 B to 1 MiB on logarithmic axes, one of them disturbed, with the fitted "
                "line and its 95 %% band. For %s it predicts %s, within %s to %s; the truth is %s.",
                module_word(a, ask, "B"), module_word(a, p.time, "s"), module_word(a, p.low, "s"),
                module_word(a, p.high, "s"), module_word(a, netmodel_link_time(&truth, ask), "s"));
    module_show(
        a, "errors.svg",
        "The same line, band and points as errors beside the truth, in percent; what is farther off lies on the "
        "border.");
    return true;
}

/*=============================================================================
 * MARK: - >>study
 *===========================================================================*/

enum { REPEATS = 4000, CHUNK = 40 };

/* The predictions of the fits over all series. */
typedef struct tally {
    double within[FITS]; /* part of the next times that are in their intervals [1] */
    double error[FITS];  /* mean of the line [1] */
    double width[FITS];  /* mean of the interval [s] */
} tally;

/* Draws the error of the measurement that the interval is for: the one after the first of the series. */
static double trust__next_error(uint64_t seed)
{
    simkit_random next = { seed };
    trust__error(&next);
    return trust__error(&next);
}

static bool trust__repeat(const module_run *run, tally *all, module_answer *a)
{
    const double *v = run->values->value, ask = v[ASK], noise = v[NOISE] / 100, right = netmodel_link_time(&truth, ask);
    for (int i = 0; i < REPEATS; ++i) {
        series m;
        const double measured = right * (1 + noise * trust__next_error((uint64_t)v[SEED] + (uint64_t)i));
        if (i % CHUNK == 0 && run->progress) run->progress(run->user, (double)i / REPEATS);
        if (!trust__measure(&m, noise, v[OUTLIER], (uint64_t)v[SEED] + (uint64_t)i * 7919))
            return module_fail(a, "no line goes through");
        for (int f = 0; f < FITS; ++f) {
            const netmodel_prediction p = netmodel_fit_predict(&m.fit[f], ask, 0.95);
            all->within[f] += (measured >= p.low && measured <= p.high) / (double)REPEATS;
            all->error[f] += fabs(p.time / right - 1) / REPEATS;
            all->width[f] += (p.high - p.low) / REPEATS;
        }
    }
    if (run->progress) run->progress(run->user, 1);
    return true;
}

static bool trust__write_tally(const module_run *run, const tally *all, module_answer *a)
{
    FILE *file = module_open(run, "data.csv", a);
    if (!file) return false;
    fprintf(file, "fit,within 95 %% interval [1],mean error of the line [1]\n");
    for (int f = 0; f < FITS; ++f) fprintf(file, "%s,%.17g,%.17g\n", methods[f], all->within[f], all->error[f]);
    return module_close(file, "data.csv", a);
}

/* Draws the parts within the intervals, and the errors, both in percent. */
static bool trust__draw_tally(const module_run *run, const double within[FITS], const double error[FITS])
{
    char path[512];
    svg s;
    svg_open(&s, module_path(run, "picture.svg", path),
             "4000 series of measurements: how often the next time is in the interval", 960, 240);
    svg_plot(&s, 110, 440, (svg_axis){ .label = "within the 95 % interval [%]", .to = 120 },
             (svg_axis){ .rows = true, .to = FITS, .names = methods });
    svg_bars(&s, FITS, within, NULL, NULL, "%.1f", svg_colours[0]);
    svg_plot(&s, 520, 900,
             (svg_axis){ .label = "mean error of the line [%]", .to = 1.25 * fmax(fmax(error[0], error[1]), 0.1) },
             (svg_axis){ .rows = true, .to = FITS });
    svg_bars(&s, FITS, error, NULL, NULL, "%.1f", svg_colours[1]);
    return svg_close(&s);
}

/* Compares the intervals of the fits, of whose series one point is longer by the factor `outlier`. */
static void trust__explain_tally(const tally *all, const double within[FITS], double outlier, module_answer *a)
{
    module_because(a, 0, "An interval of 95 %% is right if it holds 95 of 100 times, and here that can be counted.");
    if (outlier < 1.05)
        module_because(a, 1,
                       "The next time is in the interval of least squares %.1f %% of the time: no measurement is "
                       "disturbed, and then it is the right fit.",
                       within[SQUARES]);
    else if (all->width[ROBUST] > 0)
        module_because(
            a, 1,
            "The next time is in the interval of least squares %.1f %% of the time: an outlier of %.3g makes "
            "it %.3g times as wide as that of the robust fit.",
            within[SQUARES], outlier, all->width[SQUARES] / all->width[ROBUST]);
    else
        module_because(
            a, 1,
            "The next time is in the interval of least squares %.1f %% of the time: the outlier makes it wide, "
            "though the others have no error at all.",
            within[SQUARES]);
    module_because(a, 2, "With the robust fit it is %.1f %%%s.", within[ROBUST],
                   within[ROBUST] > 96 ? ", more than was promised"
                   : within[ROBUST] > 94
                       ? ", as it should be"
                       : ", less than was promised: sometimes it takes a good point for an outlier, and "
                         "then its interval is too narrow");
}

static bool trust__study(const module_run *run, module_answer *a)
{
    tally all;
    memset(&all, 0, sizeof all);
    if (!trust__repeat(run, &all, a)) return false;
    if (!trust__write_tally(run, &all, a)) return false;
    const double within[FITS] = { 100 * all.within[ROBUST], 100 * all.within[SQUARES] },
                 error[FITS] = { 100 * all.error[ROBUST], 100 * all.error[SQUARES] };
    if (!trust__draw_tally(run, within, error)) return module_fail(a, "cannot write the picture");
    snprintf(a->formula, sizeof a->formula,
             "next times within their 95 %% interval, of %d: robust %.1f %%, least squares %.1f %%", REPEATS,
             within[ROBUST], within[SQUARES]);
    module_add(a, "robust", "%", all.within[ROBUST], "In the interval, robust");
    module_add(a, "squares", "%", all.within[SQUARES], "In the interval, least squares");
    module_add(a, "robust_error", "%", all.error[ROBUST], "Mean error of the line, robust");
    module_add(a, "squares_error", "%", all.error[SQUARES], "Mean error of the line, least squares");
    trust__explain_tally(&all, within, run->values->value[OUTLIER], a);
    module_show(
        a, "picture.svg",
        "Bars: of 4000 next times, %.1f %% are in the robust fit's interval and %.1f %% in that of least squares; the "
        "lines err by %.1f and %.1f %%.",
        within[ROBUST], within[SQUARES], error[ROBUST], error[SQUARES]);
    return true;
}

const module module_trust = {
    "trust", controls, CONTROLS, false, trust__answer, trust__study, "Repeat the measurements 4000 times"
};
