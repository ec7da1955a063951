/* What the tests of room pieces of util/netmodel_fit.h share: least squares of polygons with given breaks, the slow way. Include
 * after it. */
#ifndef POLYGONS_H
#define POLYGONS_H

#include "close.h"

static inline double weight_of(double t, netmodel_error_metric error)
{
    return error == NETMODEL_ERROR_RELATIVE ? 1 / (t * t) : 1;
}

/* Least squares of a polygon whose height at each break is that of its group: Gaussian elimination on the normal
 * equations, in long double. */
static inline long double squares_of_groups(const double *n, const double *t, size_t count, const size_t *knot,
                                            size_t pieces, const size_t *group, netmodel_error_metric error,
                                            long double *height)
{
    long double a[8][9] = { { 0 } }, own[8], squares = 0;
    const size_t size = group[pieces] + 1;
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t i = 0; i < count; ++i) {
            const long double x = weight_of(t[i], error);
            long double v, miss, row[8] = { 0 };
            size_t k = 0;
            while (k + 1 < pieces && n[i] > n[knot[k + 1]]) ++k;
            v = (n[i] - n[knot[k]]) / ((long double)n[knot[k + 1]] - n[knot[k]]);
            row[group[k]] += 1 - v, row[group[k + 1]] += v;
            miss = t[i];
            for (size_t r = 0; r < size; ++r) {
                if (pass == 1) miss -= row[r] * own[r];
                for (size_t c = 0; c < size && pass == 0; ++c) a[r][c] += x * row[r] * row[c];
                if (pass == 0) a[r][size] += x * row[r] * t[i];
            }
            squares += pass * x * miss * miss;
        }
        if (pass == 1) break;
        for (size_t k = 0; k < size; ++k) {
            if (a[k][k] < 1e-12) return HUGE_VAL;
            for (size_t i = k + 1; i < size; ++i) {
                const long double factor = a[i][k] / a[k][k];
                for (size_t j = k; j <= size; ++j) a[i][j] -= factor * a[k][j];
            }
        }
        for (size_t k = size; k-- > 0;) {
            own[k] = a[k][size];
            for (size_t j = k + 1; j < size; ++j) own[k] -= a[k][j] * own[j];
            own[k] /= a[k][k];
        }
    }
    for (size_t k = 0; k <= pieces; ++k) height[k] = own[group[k]];
    return squares;
}

/* Least squares of a polygon with given breaks. If it may not fall: the best of all ways to make some of its lines flat
 * that leaves none falling. */
static inline long double squares_of_polygon(const double *n, const double *t, size_t count, const size_t *knot,
                                             size_t pieces, int falling, netmodel_error_metric error)
{
    long double best = HUGE_VAL;
    for (unsigned flat = 0; flat < (falling ? 1u : 1u << pieces); ++flat) {
        size_t group[8] = { 0 };
        long double height[8], squares;
        int falls = 0;
        for (size_t k = 1; k <= pieces; ++k) group[k] = group[k - 1] + !(flat >> (k - 1) & 1u);
        squares = squares_of_groups(n, t, count, knot, pieces, group, error, height);
        if (isinf((double)squares)) continue;
        for (size_t k = 1; k <= pieces; ++k) falls += height[k] < height[k - 1];
        if ((falling || !falls) && squares < best) best = squares;
    }
    return best;
}

#endif
