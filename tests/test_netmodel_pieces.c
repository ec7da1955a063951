/* Room pieces of util/netmodel_fit.h: breaks, against trying them all, and against the truth. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"
#include "polygons.h"

#include <stdlib.h>

#define POINTS(n, t, count, error) (&(netmodel_points){ (n), (t), (count), (netmodel_error_metric)(error) })

static uint64_t dice = 1;

enum { MEET = 0, JUMPS = 1, FALLING = 2 };

/* Fits with scratch of just the size that is promised. */
static netmodel_result fit_pieces(netmodel_pieces *fit, const double *n, const double *t, size_t count, size_t most,
                                  int exactly, int how, netmodel_error_metric error, netmodel_piece *piece)
{
    const netmodel_pieces_desc desc = { most, exactly != 0, (how & JUMPS) != 0, (how & FALLING) != 0 };
    double *scratch = (double *)malloc(netmodel_pieces_scratch(count, most) * sizeof *scratch);
    netmodel_result result = netmodel_fit_pieces(POINTS(n, t, count, error), &desc, scratch, piece, fit, NULL);
    free(scratch);
    return result;
}

static double squares_of(const netmodel_pieces *fit)
{
    return fit->deviation * fit->deviation * (double)fit->degrees_of_freedom;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One point for each size, with the median of its times; returns their number. */
static size_t medians_of(const double *n, const double *t, size_t count, double *sizes, double *medians)
{
    size_t found = 0;
    for (size_t i = 0, end; i < count; i = end) {
        double own[64];
        for (end = i; end < count && !(n[end] > n[i]); ++end) own[end - i] = t[end];
        qsort(own, end - i, sizeof *own, ascending);
        sizes[found] = n[i];
        medians[found++] = (own[(end - i - 1) / 2] + own[(end - i) / 2]) / 2;
    }
    return found;
}

/*=============================================================================
 * Every choice of breaks
 *===========================================================================*/

/* Least squares of one line through points first .. last, by normal equations in long double. A line that would fall and
 * may not is flat. */
static long double squares_of_run(const double *n, const double *t, size_t first, size_t last, int falling,
                                  netmodel_error_metric error)
{
    long double w = 0, wn = 0, wt = 0, nn = 0, nt = 0, tt = 0;
    for (size_t i = first; i <= last; ++i) {
        const long double x = weight_of(t[i], error);
        w += x, wn += x * n[i], wt += x * t[i];
    }
    for (size_t i = first; i <= last; ++i) {
        const long double x = weight_of(t[i], error), dn = n[i] - wn / w, dt = t[i] - wt / w;
        nn += x * dn * dn, nt += x * dn * dt, tt += x * dt * dt;
    }
    return nt < 0 && !falling ? tt : tt - nt * nt / nn;
}

static long double best_runs(const double *n, const double *t, size_t first, size_t count, size_t pieces, int falling,
                             netmodel_error_metric error)
{
    long double best = HUGE_VAL;
    if (pieces == 1) return count - first >= 3 ? squares_of_run(n, t, first, count - 1, falling, error) : HUGE_VAL;
    for (size_t next = first + 3; next + 3 * (pieces - 1) <= count; ++next) {
        const long double sum = squares_of_run(n, t, first, next - 1, falling, error) +
                                best_runs(n, t, next, count, pieces - 1, falling, error);
        if (sum < best) best = sum;
    }
    return best;
}

static void jumps_equal_trying_all(void **state)
{
    int flat = 0;
    (void)state;
    for (int trial = 0; trial < CASES(400); ++trial) {
        const netmodel_error_metric error = trial % 2 ? NETMODEL_ERROR_RELATIVE : NETMODEL_ERROR_ABSOLUTE;
        const size_t pieces = 1 + (size_t)trial % 4, points = 3 * pieces + (size_t)random_between(&dice, 0, 10);
        const int falling = trial % 3 == 0;
        double n[24], t[24], sizes[24], medians[24];
        netmodel_pieces fit;
        netmodel_piece piece[4];
        long double best;
        n[0] = 0;
        for (size_t i = 0; i < points; ++i) {
            if (i > 0) n[i] = n[i - 1] + floor(random_between(&dice, trial % 5 ? 1 : 0, 4)); /* some alike */
            t[i] = random_between(&dice, 1, 2) + 0.1 * n[i];
        }
        const size_t count = medians_of(n, t, points, sizes, medians);
        const netmodel_result result =
            fit_pieces(&fit, n, t, points, pieces, 1, JUMPS | (falling ? FALLING : 0), error, piece);
        if (count < 3 * pieces) {
            assert_int_equal(result, NETMODEL_TOO_FEW);
            continue;
        }
        assert_int_equal(result, NETMODEL_OK);
        best = best_runs(sizes, medians, 0, count, pieces, falling, error);
        assert_int_equal(fit.count, pieces);
        assert_int_equal(fit.points, points);
        assert_int_equal(fit.sizes, count);
        assert_true(fabs(squares_of(&fit) - (double)best) <= 1e-9 * (double)best + 1e-12);
        for (size_t k = 0; k + 1 < pieces; ++k) assert_true(piece[k].high < piece[k + 1].low);
        for (size_t k = 0; k < pieces; ++k) {
            assert_true(falling || piece[k].line.slope >= 0);
            if (falling || piece[k].line.slope > 0) continue;
            ++flat; /* one number is known: its variance is the same everywhere */
            assert_equal(piece[k].variance_high, piece[k].variance_low);
            assert_equal(piece[k].covariance, piece[k].variance_low);
        }
        assert_equal(piece[0].low, n[0]);
        assert_equal(piece[pieces - 1].high, n[points - 1]);
    }
    assert_true(flat > CASES(50));
}

static long double best_polygon(const double *n, const double *t, size_t count, size_t *knot, size_t k, size_t pieces,
                                int falling, netmodel_error_metric error)
{
    long double best = HUGE_VAL;
    if (k == pieces) return squares_of_polygon(n, t, count, knot, pieces, falling, error);
    for (knot[k] = knot[k - 1] + 1; knot[k] + (pieces - k) < count; ++knot[k]) {
        const long double squares = best_polygon(n, t, count, knot, k + 1, pieces, falling, error);
        if (squares < best) best = squares;
    }
    return best;
}

static void polygons_equal_trying_all(void **state)
{
#ifdef TESTS_SLOW
    const int trials = 150;
#else
    const int trials = 600;
#endif
    int flat = 0;
    (void)state;
    for (int trial = 0; trial < trials; ++trial) {
        const netmodel_error_metric error = trial % 2 ? NETMODEL_ERROR_RELATIVE : NETMODEL_ERROR_ABSOLUTE;
        const size_t pieces = 1 + (size_t)trial % 4, points = 3 * pieces + 2 + (size_t)random_between(&dice, 0, 6);
        const int falling = trial % 3 == 0;
        const double rise = trial % 7 ? 0.1 : -0.1;
        double n[24], t[24], sizes[24], medians[24], best;
        size_t knot[6] = { 0 };
        netmodel_pieces fit;
        netmodel_piece piece[4];
        n[0] = 0;
        for (size_t i = 0; i < points; ++i) {
            if (i > 0) n[i] = n[i - 1] + floor(random_between(&dice, trial % 5 ? 1 : 0, 4)); /* some alike */
            t[i] = random_between(&dice, 1, 2) + rise * n[i] + 5;
        }
        const size_t count = medians_of(n, t, points, sizes, medians);
        const netmodel_result result =
            fit_pieces(&fit, n, t, points, pieces, 1, falling ? FALLING : MEET, error, piece);
        if (count < 3 * pieces) {
            assert_int_equal(result, NETMODEL_TOO_FEW);
            continue;
        }
        assert_int_equal(result, NETMODEL_OK);
        knot[pieces] = count - 1;
        best = (double)best_polygon(sizes, medians, count, knot, 1, pieces, falling, error);
        assert_int_equal(fit.count, pieces);
        assert_close(squares_of(&fit), best, 1e-9);
        for (size_t k = 0; k + 1 < pieces; ++k) {
            assert_equal(piece[k].high, piece[k + 1].low);
            assert_close(netmodel_line_time(&piece[k].line, piece[k].high),
                         netmodel_line_time(&piece[k + 1].line, piece[k].high), 1e-9);
        }
        for (size_t k = 0; k < pieces; ++k) {
            assert_true(falling || piece[k].line.slope >= 0);
            flat += !falling && piece[k].line.slope <= 0;
        }
    }
    assert_true(flat > trials / 6);
}

/*=============================================================================
 * The truth
 *===========================================================================*/
/* Sizes on a log scale, 1 to 4 breaks, at each the time of a byte changes by a factor of 8, or with a jump half of the
 * time comes on top; 5 % noise. */
enum { SAMPLES = 60 };

static void draw_curve(double *n, double *t, size_t breaks, int jumps)
{
    double slope = 0.03, height = 10;
    size_t k = 0;

    for (size_t i = 0; i < SAMPLES; ++i) {
        n[i] = 64 * pow(1.25, (double)i);
        if (k < breaks && i == (k + 1) * SAMPLES / (breaks + 1)) {
            slope = k++ % 2 ? slope / 8 : slope * 8;
            if (jumps) height *= 2;
        }
        if (i > 0) height += slope * (n[i] - n[i - 1]);
        t[i] = height * (1 + 0.05 * random_normal(&dice));
    }
}

static void breaks_are_found(void **state)
{
#ifdef TESTS_SLOW
    const int sets = 12;
#else
    const int sets = 40;
#endif
    (void)state;
    dice = 1; /* however much was drawn before: few sets of a seed may be too few */
    for (int jumps = 0; jumps < 2; ++jumps)
        for (size_t breaks = 1; breaks <= 4; ++breaks) {
            int found = 0;
            for (int set = 0; set < sets; ++set) {
                double n[SAMPLES], t[SAMPLES];
                netmodel_pieces fit;
                netmodel_piece piece[8];
                int good;
                draw_curve(n, t, breaks, jumps);
                assert_int_equal(fit_pieces(&fit, n, t, SAMPLES, 8, 0, jumps, NETMODEL_ERROR_RELATIVE, piece),
                                 NETMODEL_OK);
                good = fit.count == breaks + 1;
                for (size_t k = 1; good && k <= breaks; ++k) {
                    const double truth =
                        n[k * SAMPLES / (breaks + 1) - (jumps ? 0 : 1)]; /* the break, or after the jump */
                    good = piece[k].low >= truth / 1.26 && piece[k].low <= truth * 1.26;
                }
                found += good;
            }
            assert_true(found >= sets * 95 / 100);
        }
}

/* A straight line has no breaks, however much noise. */
static void no_breaks_are_found_where_there_are_none(void **state)
{
#ifdef TESTS_SLOW
    const int sets = 40;
#else
    const int sets = 100;
#endif
    int found = 0;

    (void)state;
    for (int set = 0; set < sets; ++set) {
        double n[SAMPLES], t[SAMPLES];
        netmodel_pieces fit;
        netmodel_piece piece[8];
        for (int i = 0; i < SAMPLES; ++i) {
            n[i] = 64 * pow(1.25, i);
            t[i] = (20e-6 + 8e-9 * n[i]) * (1 + 0.05 * random_normal(&dice));
        }
        assert_int_equal(fit_pieces(&fit, n, t, SAMPLES, 8, 0, set % 2, NETMODEL_ERROR_RELATIVE, piece), NETMODEL_OK);
        found += fit.count > 1;
        if (fit.count == 1) {
            netmodel_fit line;
            assert_int_equal(netmodel_fit_line(POINTS(n, t, SAMPLES, NETMODEL_ERROR_RELATIVE), &line, NULL),
                             NETMODEL_OK);
            assert_close(piece[0].line.slope, line.line.slope, 1e-6);
            assert_close(netmodel_pieces_predict(&fit, 1e5, 0.95).high, netmodel_fit_predict(&line, 1e5, 0.95).high,
                         1e-5);
            assert_close(netmodel_pieces_predict(&fit, 70, 0.95).mean_low,
                         netmodel_fit_predict(&line, 70, 0.95).mean_low, 1e-3);
        }
    }
    assert_true(found <= sets / 20);
}

/* Many points: breaks are looked for coarsely, then settle. */
static void many_points_settle(void **state)
{
    enum { COUNT = 2000 };
    double *n = (double *)malloc(2 * COUNT * sizeof *n), *t = n + COUNT;
    netmodel_pieces fit;
    netmodel_piece piece[6];

    (void)state;
    for (int i = 0; i < COUNT; ++i) {
        n[i] = i;
        t[i] = 10 + (i < 777 ? 0.1 * i : i < 1501 ? 77.7 + 0.7 * (i - 777) : 77.7 + 506.8 + 0.05 * (i - 1501));
    }
    assert_int_equal(fit_pieces(&fit, n, t, COUNT, 6, 0, 0, NETMODEL_ERROR_RELATIVE, piece), NETMODEL_OK);
    assert_int_equal(fit.count, 3);
    assert_equal(piece[1].low, 777);
    assert_equal(piece[2].low, 1501);
    assert_close(piece[1].line.slope, 0.7, 1e-9);
    for (int i = 0; i < COUNT; ++i) { /* each size twice, and the second break close to the end */
        n[i] = i / 2;
        t[i] = 10 + (n[i] < 333   ? 0.1 * n[i]
                     : n[i] < 997 ? 33.3 + 0.7 * (n[i] - 333)
                                  : 33.3 + 464.8 + 9 * (n[i] - 997));
    }
    assert_int_equal(fit_pieces(&fit, n, t, COUNT, 6, 0, 0, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
    assert_int_equal(fit.count, 3);
    assert_equal(piece[1].low, 333);
    assert_equal(piece[2].low, 997);
    assert_close(piece[2].line.slope, 9, 1e-9);
    free(n);
}

/* Lines without any error: whatever rounding leaves of their squares, it is never less than nothing. */
static void exact_runs_leave_nothing(void **state)
{
    (void)state;
    for (int trial = 0; trial < CASES(500); ++trial) {
        const int jumps = trial % 2; /* with an intercept of next to nothing rounding must not look like a break */
        const double slope = random_between(&dice, 0, 1),
                     intercept = trial % 4 < 2 ? random_between(&dice, 0.1, 1) : 1e-9;
        double n[9], t[9];
        netmodel_pieces fit;
        netmodel_piece piece[2];
        for (int i = 0; i < 9; ++i) {
            n[i] = i;
            t[i] = intercept + slope * n[i];
        }
        assert_int_equal(fit_pieces(&fit, n, t, 9, 2, 0, jumps, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
        assert_int_equal(fit.count, 1);
        assert_int_equal(fit.degrees_of_freedom, 7);
        assert_true(fit.deviation >= 0 && fit.deviation < 1e-14);
        for (int i = 0; i < 9; ++i) t[i] = 0; /* all times 0 */
        assert_int_equal(fit_pieces(&fit, n, t, 9, 2, 0, jumps, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
        assert_int_equal(fit.count, 1);
        assert_equal(fit.deviation, 0);
        assert_equal(piece[0].line.slope, 0);
        assert_equal(netmodel_pieces_predict(&fit, 4, 0.95).high, 0);
    }
}

/* Breaks have settled where no one of them can move by a few points and leave less. */
static void settled_breaks_cannot_move(void **state)
{
    enum { COUNT = 401, REACH = 6, PIECES = 4 };
#ifdef TESTS_SLOW
    const int trials = 3;
#else
    const int trials = 12;
#endif
    static double n[COUNT], t[COUNT];

    (void)state;
    for (int trial = 0; trial < trials; ++trial) {
        netmodel_pieces fit;
        netmodel_piece piece[PIECES];
        size_t knot[PIECES + 1] = { 0 };
        double height = 5, least;
        for (int i = 0; i < COUNT; ++i) {
            n[i] = i;
            height += i < 90 + trial ? 0.2 : i < 200 ? 1.5 : i < 310 - trial ? 0.1 : 2;
            t[i] = height + random_between(&dice, -8, 8);
        }
        assert_int_equal(fit_pieces(&fit, n, t, COUNT, PIECES, 1, 0, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
        for (size_t k = 1; k < PIECES; ++k) knot[k] = (size_t)piece[k].low;
        knot[PIECES] = COUNT - 1;
        least = (double)squares_of_polygon(n, t, COUNT, knot, PIECES, 0, NETMODEL_ERROR_ABSOLUTE);
        assert_close(squares_of(&fit), least, 1e-9);
        for (size_t k = 1; k < PIECES; ++k) {
            const size_t settled = knot[k];
            for (knot[k] = settled - REACH; knot[k] <= settled + REACH; ++knot[k])
                assert_true(squares_of_polygon(n, t, COUNT, knot, PIECES, 0, NETMODEL_ERROR_ABSOLUTE) >=
                            least * (1 - 1e-9));
            knot[k] = settled;
        }
    }
}

/* As many pieces as there may be, joined and with jumps: a saw whose lines are all known. */
static void the_most_pieces_are_all_found(void **state)
{
    enum { EACH = 5, COUNT = NETMODEL_PIECES_MAX * EACH };
    double n[COUNT], t[COUNT];

    (void)state;
    for (int jumps = 0; jumps < 2; ++jumps) {
        netmodel_pieces fit;
        netmodel_piece piece[NETMODEL_PIECES_MAX];
        double height = 1;
        for (int i = 0; i < COUNT; ++i) {
            const int k = i / EACH, up = k % 2 == 0;
            n[i] = i;
            if (jumps)
                t[i] = up ? 100 + (k + 1) * (i % EACH) : 1 + (k + 2) * (i % EACH);
            else if (i > 0)
                height += (i - 1) / EACH % 2 == 0 ? 1 + (i - 1) / EACH : 0.25; /* breaks at 5, 10, ... */
            if (!jumps) t[i] = height;
        }
        assert_int_equal(fit_pieces(&fit, n, t, COUNT, NETMODEL_PIECES_MAX, 1, jumps, NETMODEL_ERROR_ABSOLUTE, piece),
                         NETMODEL_OK);
        assert_int_equal(fit.count, NETMODEL_PIECES_MAX);
        assert_int_equal(fit.degrees_of_freedom,
                         COUNT - (jumps ? 3 * NETMODEL_PIECES_MAX - 1 : 2 * NETMODEL_PIECES_MAX));
        assert_true(fit.deviation < 1e-10);
        for (int k = 0; k < NETMODEL_PIECES_MAX; ++k) {
            const int up = k % 2 == 0;
            assert_equal(piece[k].low, k * EACH);
            assert_close(piece[k].line.slope, jumps ? (up ? k + 1 : k + 2) : up ? 1 + k : 0.25, 1e-9);
        }
    }
}

/* 95 % of the next measurements fall into the interval, and more, as errors are normal here and breaks easily found. */
static void intervals_cover_what_they_promise(void **state)
{
#ifdef TESTS_SLOW
    const int sets = 60;
#else
    const int sets = 2000;
#endif
    (void)state;
    for (int jumps = 0; jumps < 2; ++jumps) {
        int inside = 0;
        for (int set = 0; set < sets; ++set) {
            double n[40], t[40], at = random_between(&dice, 0, 39), truth;
            netmodel_pieces fit;
            netmodel_piece piece[2];
            netmodel_prediction p;
            for (int i = 0; i < 40; ++i) {
                n[i] = i;
                t[i] = (i < 20 ? 5 + i : 5 + 20 + 10 * (i - 20) + jumps * 40) * (1 + 0.02 * random_normal(&dice));
            }
            at = floor(at);
            truth = at < 20 ? 5 + at : 5 + 20 + 10 * (at - 20) + jumps * 40;
            assert_int_equal(fit_pieces(&fit, n, t, 40, 2, 1, jumps, NETMODEL_ERROR_RELATIVE, piece), NETMODEL_OK);
            p = netmodel_pieces_predict(&fit, at, 0.95);
            truth *= 1 + 0.02 * random_normal(&dice);
            inside += truth >= p.low && truth <= p.high;
            assert_false(p.outside);
            assert_true(netmodel_pieces_predict(&fit, 40, 0.95).outside);
        }
        assert_true((double)inside / sets > (sets >= 2000 ? 0.95 : 0.85) && (sets < 2000 || inside < 0.998 * sets));
    }
}

static void pieces_become_curves(void **state)
{
    const double n[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, t[] = { 1, 2, 3, 4, 9, 10, 11, 12 },
                 back[] = { 1, 2, 3, 4, 2, 3, 4, 5 };
    const netmodel_lift none = { 0, 0, 0 };
    double bytes[4], seconds[4];
    netmodel_lift lift = { 9, 9, 9 };
    netmodel_pieces fit;
    netmodel_piece piece[2];
    netmodel_curve curve;

    (void)state;
    assert_int_equal(fit_pieces(&fit, n, t, 8, 2, 1, JUMPS, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
    assert_int_equal(curve.count, 4);
    assert_memory_equal(&lift, &none, sizeof lift);
    assert_close(netmodel_curve_time(&curve, 3.5), 4.5, 1e-12);
    assert_close(netmodel_curve_time(&curve, 4), 9, 1e-12); /* the jump is where the second piece begins */
    assert_close(netmodel_curve_time(&curve, 10), 15, 1e-12);
    assert_int_equal(fit_pieces(&fit, n, t, 8, 2, 1, MEET, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
    assert_int_equal(curve.count, 3); /* they meet */
    assert_memory_equal(&lift, &none, sizeof lift);
    assert_int_equal(fit_pieces(&fit, n, back, 8, 2, 1, JUMPS, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
    assert_close(lift.fraction, 1.5, 1e-12); /* from 2 to the 5 where the first piece goes to */
    assert_close(lift.seconds, 3, 1e-12);
    assert_equal(lift.bytes, 4);
    assert_close(netmodel_curve_time(&curve, 4), 5, 1e-12);
    assert_close(netmodel_curve_time(&curve, 6), 5, 1e-12);
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, NULL), NETMODEL_OK);
    assert_int_equal(netmodel_curve_of_pieces(NULL, bytes, seconds, &curve, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, NULL, &curve, NULL), NETMODEL_MISSING);
    piece[1].line.slope = -1; /* begins at half a second, and ends below nothing */
    piece[1].line.intercept = 4.5;
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_NEGATIVE);
    assert_memory_equal(&lift, &none, sizeof lift);
    piece[1].line.slope = 1;
    piece[0].line.intercept = -3;
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_NEGATIVE);
    assert_int_equal(curve.count, 0);
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, NULL, NULL), NETMODEL_MISSING);
    assert_int_equal(netmodel_curve_of_pieces(&fit, NULL, seconds, &curve, NULL), NETMODEL_MISSING);
}

/* Of two falls the largest difference and the largest fraction count, each where it is. */
static void a_curve_says_how_far_it_was_lifted(void **state)
{
    netmodel_piece falls[3] = { { { 1, 10 }, 0, 10, 1, 1, 1 },
                                { { 1, 0 }, 11, 20, 1, 1, 1 },
                                { { 1, -3 }, 21, 30, 1, 1, 1 } };
    netmodel_pieces fit;
    netmodel_curve curve;
    netmodel_lift lift;
    double bytes[6], seconds[6];

    (void)state;
    memset(&fit, 0, sizeof fit);
    fit.piece = falls, fit.count = 3;
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
    assert_close(lift.fraction, 21. / 11 - 1, 1e-12); /* 21 where the first line goes to, 11 where the second begins */
    assert_close(lift.seconds, 10, 1e-12);
    assert_equal(lift.bytes, 11);
    assert_close(netmodel_curve_time(&curve, 21), 21, 1e-12);
    assert_close(netmodel_curve_time(&curve, 24), 21, 1e-12); /* flat until the third line crosses it */
    assert_close(netmodel_curve_time(&curve, 27), 24, 1e-12);
    assert_close(netmodel_curve_time(&curve, 30), 27, 1e-12);
    falls[1].line.intercept = 9;
    falls[2].line.intercept = -6;
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
    assert_close(lift.fraction, 30. / 15 - 1, 1e-12);
    assert_close(lift.seconds, 15, 1e-12);
    assert_equal(lift.bytes, 21);
    falls[0].line.slope = 0, falls[0].line.intercept = 5; /* a small fall to almost nothing, then a large one */
    falls[1].line.slope = 100, falls[1].line.intercept = -1099;
    falls[2].line.slope = -1, falls[2].line.intercept = 1000;
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
    assert_close(lift.fraction, 4, 1e-12);
    assert_close(lift.seconds, 1001 - 970, 1e-12);
    assert_equal(lift.bytes, 30);
    assert_close(netmodel_curve_time(&curve, 30), 1001, 1e-12);
    falls[1].line.intercept = -1100; /* from no time at all */
    assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
    assert_equal(lift.fraction, HUGE_VAL);
}

/* Curves of random lines, some falling, with and without jumps: nowhere lower than before or than the fit, and nowhere
 * higher than the largest time of the fit so far; lifted as far as their values say. */
static void curves_are_the_lowest_that_never_fall(void **state)
{
    enum { STEPS = 400 };
    (void)state;
    for (int trial = 0; trial < CASES(300); ++trial) {
        netmodel_piece piece[5];
        netmodel_pieces fit;
        netmodel_curve curve;
        netmodel_lift lift;
        double bytes[10], seconds[10], highest = 0, at = floor(random_between(&dice, 0, 5)), time = 50;
        double difference = 0, fraction = 0;
        memset(piece, 0, sizeof piece);
        memset(&fit, 0, sizeof fit);
        fit.piece = piece, fit.count = 1 + (size_t)trial % 5;
        for (size_t k = 0; k < fit.count; ++k) {
            const double slope = random_between(&dice, -1, 1);
            if (k > 0 && trial % 2) time = random_between(&dice, 40, 60);
            piece[k].line.slope = slope;
            piece[k].line.intercept = time - slope * at;
            piece[k].low = at;
            at += 1 + floor(random_between(&dice, 0, 8));
            piece[k].high = trial % 2 && k + 1 < fit.count ? at - 0.5 : at;
            time += slope * (at - piece[k].low);
        }
        assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
        assert_true(curve.count <= 2 * fit.count);
        for (size_t k = 0; k < fit.count; ++k) {
            const double end = k + 1 < fit.count ? piece[k + 1].low : piece[k].high;
            for (int i = 0; i <= STEPS; ++i) {
                const double x = piece[k].low + i * (end - piece[k].low) / STEPS;
                const double own = netmodel_line_time(&piece[k].line, x);
                highest = fmax(highest, own);
                difference = fmax(difference, highest - own);
                fraction = fmax(fraction, highest / own - 1);
                if (i < STEPS || k + 1 == fit.count) assert_close(netmodel_curve_time(&curve, x), highest, 1e-9);
            }
        }
        assert_true(fabs(lift.seconds - difference) < 1e-9);
        assert_true(fabs(lift.fraction - fraction) < 1e-9);
    }
}

/*=============================================================================
 * Repeated points
 *===========================================================================*/
/* Times of sizes that are repeated: each size has an error of its own, which its repetitions share, and each of these has
 * a small one; one in thirty is a spike. Returns their number. */
static size_t draw_repeated(double *n, double *t, size_t repeats)
{
    size_t count = 0;
    for (size_t i = 0; i < 30; ++i) {
        const double size = 64 * pow(1.5, (double)i), truth = 1e-5 + (i < 15 ? 1e-9 * size : 2e-5 + 4e-9 * size);
        const double shared = 1 + 0.02 * random_normal(&dice);
        const size_t own = repeats * (1 + i % 3); /* more of some */
        for (size_t k = 0; k < own; ++k) {
            n[count] = size;
            t[count++] = truth * shared * (1 + 0.01 * random_normal(&dice)) * (random_next(&dice) % 30 ? 1 : 8);
        }
    }
    return count;
}

/* A fit to repeated points is that to their medians, bit for bit; only the next single point may be farther off. */
static void repeated_points_count_once(void **state)
{
    enum { MOST = 30 * 3 * 20 };
    static double n[MOST], t[MOST];
    (void)state;
    for (int trial = 0; trial < 40; ++trial) {
        const size_t count = draw_repeated(n, t, 1 + (size_t)trial % 20);
        const int how = trial / 2 % 4;
        double sizes[30], medians[30];
        netmodel_pieces fit, of_medians;
        netmodel_piece piece[6], of_median[6];
        assert_int_equal(medians_of(n, t, count, sizes, medians), 30);
        assert_int_equal(fit_pieces(&fit, n, t, count, 6, 0, how, NETMODEL_ERROR_RELATIVE, piece), NETMODEL_OK);
        assert_int_equal(fit_pieces(&of_medians, sizes, medians, 30, 6, 0, how, NETMODEL_ERROR_RELATIVE, of_median),
                         NETMODEL_OK);
        assert_int_equal(fit.count, of_medians.count);
        assert_memory_equal(piece, of_median, fit.count * sizeof *piece);
        assert_int_equal(fit.points, count);
        assert_int_equal(fit.sizes, 30);
        assert_int_equal(of_medians.points, 30);
        assert_int_equal(fit.degrees_of_freedom, of_medians.degrees_of_freedom);
        assert_equal(fit.deviation, of_medians.deviation);
        assert_equal(fit.criterion, of_medians.criterion);
        assert_equal(of_medians.scatter, of_medians.deviation);
        { /* the scatter, from the definition */
            long double sum = 0;
            for (size_t i = 0, end; i < count; i = end) {
                long double own = 0;
                for (end = i; end < count && !(n[end] > n[i]); ++end) {
                    /* at a break itself the line before it holds, which without jumps is no other */
                    const double miss = netmodel_pieces_predict(&fit, n[i], 0.5).time / t[end] - 1;
                    own += miss * miss;
                }
                sum += own / (double)(end - i);
            }
            sum += (30 - (double)fit.degrees_of_freedom) * fit.deviation * fit.deviation;
            assert_close(fit.scatter, (double)sqrtl(sum / 30), 1e-9);
        }
        const netmodel_prediction p = netmodel_pieces_predict(&fit, 1e4, 0.95),
                                  q = netmodel_pieces_predict(&of_medians, 1e4, 0.95);
        const double mean = q.mean_high - q.time, next = q.high - q.time;
        assert_equal(p.time, q.time);
        assert_equal(p.mean_high, q.mean_high);
        assert_close(p.high - p.time,
                     sqrt(mean * mean + (next * next - mean * mean) * pow(fit.scatter / fit.deviation, 2)), 1e-9);
    }
}

/* 95 % of the next single points fall into the interval, where sizes were repeated. */
static void intervals_of_repeated_points_cover(void **state)
{
#ifdef TESTS_SLOW
    const int sets = 60;
#else
    const int sets = 2000;
#endif
    int inside = 0;
    (void)state;
    for (int set = 0; set < sets; ++set) {
        enum { SIZES = 40, EACH = 5 };
        double n[SIZES * EACH], t[SIZES * EACH], at = floor(random_between(&dice, 0, SIZES)), truth;
        netmodel_pieces fit;
        netmodel_piece piece[2];
        for (int i = 0; i < SIZES * EACH; ++i) {
            const int size = i / EACH;
            n[i] = size;
            t[i] = (size < 20 ? 5 + size : 5 + 20 + 10 * (size - 20)) * (1 + 0.02 * random_normal(&dice));
        }
        truth = (at < 20 ? 5 + at : 5 + 20 + 10 * (at - 20)) * (1 + 0.02 * random_normal(&dice));
        assert_int_equal(fit_pieces(&fit, n, t, SIZES * EACH, 2, 1, MEET, NETMODEL_ERROR_RELATIVE, piece), NETMODEL_OK);
        const netmodel_prediction p = netmodel_pieces_predict(&fit, at, 0.95);
        inside += truth >= p.low && truth <= p.high;
    }
    assert_true((double)inside / sets > (sets >= 2000 ? 0.95 : 0.85) && (sets < 2000 || inside < 0.998 * sets));
}

/* Delays that fall and then rise: followed where they may, flat where they may not. */
static void slopes_fall_only_where_they_may(void **state)
{
    double n[20], t[20], bytes[4], seconds[4];
    netmodel_pieces fit;
    netmodel_piece piece[2];
    netmodel_curve curve;
    netmodel_lift lift;

    (void)state;
    for (int i = 0; i < 20; ++i) {
        n[i] = i;
        t[i] = i < 10 ? 30 - 2 * i : 12 + 3 * (i - 9);
    }
    for (int jumps = 0; jumps < 2; ++jumps) {
        assert_int_equal(fit_pieces(&fit, n, t, 20, 2, 1, FALLING | jumps, NETMODEL_ERROR_ABSOLUTE, piece),
                         NETMODEL_OK);
        assert_close(piece[0].line.slope, -2, 1e-9);
        assert_close(piece[1].line.slope, 3, 1e-9);
        assert_int_equal(netmodel_curve_of_pieces(&fit, bytes, seconds, &curve, &lift), NETMODEL_OK);
        assert_close(netmodel_curve_time(&curve, 15), 30, 1e-9);
        assert_close(netmodel_curve_time(&curve, 19), 42, 1e-9);
        assert_true(lift.seconds > 15 && lift.seconds < 20.5);
        assert_int_equal(fit_pieces(&fit, n, t, 20, 2, 1, jumps, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
        assert_equal(piece[0].line.slope, 0);
        assert_true(piece[1].line.slope > 0);
        assert_int_equal(fit_pieces(&fit, n, t, 10, 2, 0, jumps, NETMODEL_ERROR_ABSOLUTE, piece), NETMODEL_OK);
        for (size_t k = 0; k < fit.count; ++k) assert_equal(piece[k].line.slope, 0);
        if (!jumps) assert_int_equal(fit.count, 1);
        if (!jumps) assert_close(piece[0].line.intercept, 21, 1e-12);
    }
}

static void bad_input_is_refused(void **state)
{
    static const netmodel_pieces zero;
    const double n[] = { 1, 2, 3, 4, 5, 6 }, t[] = { 1, 2, 3, 4, 5, 6 }, fall[] = { 1, 2, 3, 2.5, 4, 5 },
                 same[] = { 2, 2, 2, 2, 2, 2 }, two[] = { 1, 1, 1, 2, 2, 2 };
    double scratch[40000];
    netmodel_pieces fit;
    netmodel_piece piece[NETMODEL_PIECES_MAX + 1];
    netmodel_pieces_desc desc = { 2, false, false, false };
    size_t where = 99;

    (void)state;
    assert_true(netmodel_pieces_scratch(6, NETMODEL_PIECES_MAX) < sizeof scratch / sizeof *scratch);
    assert_int_equal(netmodel_pieces_scratch(1000000, 3), 8000000); /* 2 numbers a point; with jumps 2 for each piece */
    assert_int_equal(netmodel_pieces_scratch(100, 3), 2 * 100 + 100 * (1 + 113 * 3)); /* without jumps */
    for (int jumps = 0; jumps < 2; ++jumps) {
        desc.jumps = jumps == 1;
        memset(&fit, 1, sizeof fit);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 0, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_TOO_FEW);
        assert_memory_equal(&fit, &zero, sizeof fit);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 2, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_TOO_FEW);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(same, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_ONE_SIZE);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(fall, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_BYTES_DECREASE);
        assert_int_equal(where, 3);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(NULL, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_MISSING);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, NULL, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_MISSING);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 6, NETMODEL_ERROR_ABSOLUTE), NULL, scratch, piece, &fit, &where),
            NETMODEL_MISSING);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, NULL, &fit, &where),
            NETMODEL_MISSING);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, NULL, piece, &fit, &where),
            NETMODEL_MISSING);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, NULL, &where),
            NETMODEL_MISSING);
        desc.maximum = 0;
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_BAD_OPTION);
        desc.maximum = NETMODEL_PIECES_MAX + 1;
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_BAD_OPTION);
        desc.maximum = 3;
        desc.exactly = true;
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_TOO_FEW);
        desc.exactly = false;
        assert_int_equal(
            netmodel_fit_pieces(POINTS(n, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, &where),
            NETMODEL_OK);
        assert_int_equal(fit.count, 1); /* a straight line */
        assert_nan(netmodel_pieces_predict(&fit, -1, 0.95).time);
        assert_nan(netmodel_pieces_predict(&fit, NAN, 0.95).time);
        assert_nan(netmodel_pieces_predict(&fit, 1, 2).high);
        desc.exactly = true;
        desc.maximum = 2;
        assert_int_equal(
            netmodel_fit_pieces(POINTS(two, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, NULL),
            NETMODEL_TOO_FEW);
        assert_memory_equal(&fit, &zero, sizeof fit);
        desc.exactly = false; /* two sizes are not enough even for one piece, however often they are repeated */
        assert_int_equal(
            netmodel_fit_pieces(POINTS(two, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, NULL),
            NETMODEL_TOO_FEW);
        assert_int_equal(
            netmodel_fit_pieces(POINTS(fall, t, 6, NETMODEL_ERROR_ABSOLUTE), &desc, scratch, piece, &fit, NULL),
            NETMODEL_BYTES_DECREASE);
        desc.maximum = 2;
    }
    assert_nan(netmodel_pieces_predict(&zero, 1, 0.95).time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_equal_trying_all),
        cmocka_unit_test(polygons_equal_trying_all),
        cmocka_unit_test(breaks_are_found),
        cmocka_unit_test(no_breaks_are_found_where_there_are_none),
        cmocka_unit_test(many_points_settle),
        cmocka_unit_test(intervals_cover_what_they_promise),
        cmocka_unit_test(pieces_become_curves),
        cmocka_unit_test(a_curve_says_how_far_it_was_lifted),
        cmocka_unit_test(curves_are_the_lowest_that_never_fall),
        cmocka_unit_test(repeated_points_count_once),
        cmocka_unit_test(intervals_of_repeated_points_cover),
        cmocka_unit_test(slopes_fall_only_where_they_may),
        cmocka_unit_test(settled_breaks_cannot_move),
        cmocka_unit_test(the_most_pieces_are_all_found),
        cmocka_unit_test(exact_runs_leave_nothing),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
