/*
statistics.h - how far to trust what simulations say: confidence intervals, and where a warm-up ends

USE     Independent runs, one number from each: statistics_mean(). Two systems: statistics_welch(), or
        statistics_paired() where both had the same random numbers, which is usually narrower. One long run:
        statistics_warm_up(), then statistics_batches() on the rest. A median or a 95th percentile of independent
        observations: statistics_quantile().

UNITS   Those of the observations. A level is a probability [1], such as 0.95.

ERRORS  NaN in all three numbers where there is no observation, one is NaN, or an argument is out of range; so also
        where a mean has an infinite observation, or its sum of squares overflows. A bound that the data cannot give is
        infinite: nothing is known about the scatter of a single observation.

BITS    The same results on every compiler and processor, bit for bit: additions in a fixed order, products rounded
        before they are added, and of the math library sqrt() and floor() alone.

MEMORY  Nothing is allocated.
*/
/** @file */
#ifndef STATISTICS_H
#define STATISTICS_H

#include "netmodel.h"

#include <math.h>
#include <stddef.h>

/** An estimate and its confidence interval. */
typedef struct statistics_interval {
    double mean;  /**< the estimate: a mean, a difference of means or a quantile */
    double low;   /**< lower end; -INFINITY: the data give none */
    double high;  /**< upper end; INFINITY: the data give none */
    size_t count; /**< observations in the estimate */
} statistics_interval;

/*=============================================================================
 * MARK: - >>sums (private)
 *===========================================================================*/
/* A product that is rounded before anything is added to it; see netmodel.h. */
static inline double statistics__times(double a, double b)
{
    double product = a * b;
#if defined(__GNUC__) && defined(__x86_64__)
    __asm__("" : "+x"(product));
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__("" : "+w"(product));
#else
    volatile double rounded = product;
    product = rounded;
#endif
    return product;
}

/* Numbers that are made from observations as they are needed. */
typedef struct statistics__sample {
    const double *x, *minus; /* differences x - minus; `minus` may be NULL */
    size_t size;             /* or means of so many of x */
    size_t count;            /* numbers */
} statistics__sample;

typedef struct statistics__moments {
    double mean;
    double variance; /* of the mean; INFINITY: only one number */
} statistics__moments;

static inline double statistics__number(const statistics__sample *s, size_t i)
{
    double sum = 0;
    if (s->minus) return s->x[i] - s->minus[i];
    for (size_t k = i * s->size; k < (i + 1) * s->size; ++k) sum += s->x[k];
    return sum / (double)s->size;
}

/* The second pass takes up what rounding has left of the first: Chan, Golub, LeVeque, "Algorithms for computing the
 * sample variance", The American Statistician 37 (1983), eq. 1.7. */
static inline statistics__moments statistics__measure(const statistics__sample *s)
{
    const double count = (double)s->count;
    double sum = 0, left = 0, squares = 0;
    for (size_t i = 0; i < s->count; ++i) sum += statistics__number(s, i);
    const double mean = sum / count;
    for (size_t i = 0; i < s->count; ++i) {
        const double deviation = statistics__number(s, i) - mean;
        left += deviation;
        squares += statistics__times(deviation, deviation);
    }
    squares -= statistics__times(left, left) / count;
    if (!(s->count > 0 && isfinite(squares))) return (statistics__moments){ (double)NAN, (double)NAN };
    return (statistics__moments){ mean + left / count,
                                  s->count == 1 ? HUGE_VAL : (squares > 0 ? squares : 0) / (count - 1) / count };
}

static inline statistics_interval statistics__nothing(size_t count)
{
    return (statistics_interval){ (double)NAN, (double)NAN, (double)NAN, count };
}

/*=============================================================================
 * MARK: - >>means
 *===========================================================================*/
/** Two-sided quantile of Student's t for degrees of freedom that are no whole number: `P(|T| <= t) = level`.
 *
 *  Between two whole numbers it is linear in 1 / freedom, and a little too large, so the interval is too wide: at level
 *  0.95 by at most 19 % between 1 and 2 degrees of freedom, 1.7 % between 2 and 3, 0.4 % between 3 and 4, 0.06 % beyond
 *  5; at level 0.99 by 57 %, 4.5 %, 1 % and 0.14 %.
 *
 *  @param[in] level    Probability [1], in (0, 1).
 *  @param[in] freedom  Degrees of freedom [1], >= 1; INFINITY: the normal distribution.
 *  @return  t [1]; NaN if an argument is out of range or NaN.
 *  @source  netmodel_student(); for large freedom, t is a series in 1 / freedom: Abramowitz and Stegun, 26.7.5.
 */
static inline double statistics_student(double level, double freedom)
{
    const double whole = 1e9; /* and from there, infinity is the next: the series in 1 / freedom has one term left */
    if (!(freedom >= 1)) return (double)NAN;
    const double low = freedom < whole ? floor(freedom) : whole;
    const double below = netmodel_student(level, (size_t)low);
    if (freedom <= low) return below;
    const double above = netmodel_student(level, low < whole ? (size_t)low + 1 : NETMODEL_DEVIATION_KNOWN);
    const double part = low < whole ? statistics__times(freedom - low, (low + 1) / freedom) : 1 - low / freedom;
    return below + statistics__times(part, above - below);
}

/* The interval about a mean. */
static inline statistics_interval statistics__about(statistics__moments m, double freedom, double level, size_t count)
{
    if (!(level > 0 && level < 1) || isnan(m.mean)) return statistics__nothing(count);
    if (isinf(m.variance)) return (statistics_interval){ m.mean, -HUGE_VAL, HUGE_VAL, count };
    const double half = statistics__times(statistics_student(level, freedom), sqrt(m.variance));
    return (statistics_interval){ m.mean, m.mean - half, m.mean + half, count };
}

/** Mean of independent observations.
 *
 *  `mean +- t sqrt(s^2 / n)`, with t for n - 1 degrees of freedom. Exact for normal observations; good for means of
 *  many, such as one mean from each run. Too narrow for observations that depend on their predecessors.
 *
 *  @param[in] x      Observations, x[count].
 *  @param[in] level  Confidence [1], in (0, 1).
 *  @return  The interval; bounds -INFINITY and INFINITY if count is 1; NaN if count is 0, x has a NaN or an infinite
 *           number, or the level is out of range.
 *  @source  Student, "The probable error of a mean", Biometrika 6 (1908); Law, Simulation Modeling and Analysis, 4th
 *           edition, section 4.5. Sums: Chan, Golub, LeVeque (1983), eq. 1.7.
 */
static inline statistics_interval statistics_mean(const double *x, size_t count, double level)
{
    const statistics__sample s = { x, NULL, 1, count };
    return statistics__about(statistics__measure(&s), (double)count - 1, level, count);
}

/** Difference of the means of two independent sets, `mean(x) - mean(y)`; their variances and numbers may differ.
 *
 *  `t sqrt(a + b)` on either side, with `a = s_x^2 / n_x`, `b = s_y^2 / n_y`, and t for
 *  `(a + b)^2 / (a^2 / (n_x - 1) + b^2 / (n_y - 1))` degrees of freedom, see statistics_student().
 *
 *  @param[in] x,y    Observations, x[count] and y[other].
 *  @param[in] level  Confidence [1], in (0, 1).
 *  @return  The interval, its count that of both; bounds -INFINITY and INFINITY if a set has one observation; NaN if
 *           one is empty, one has a NaN or an infinite number, or the level is out of range.
 *  @source  Welch, "The significance of the difference between two means when the population variances are unequal",
 *           Biometrika 29 (1938); Satterthwaite, Biometrics Bulletin 2 (1946); Law, section 10.2.2.
 */
static inline statistics_interval statistics_welch(const double *x, size_t count, const double *y, size_t other,
                                                   double level)
{
    const statistics__sample s[2] = { { x, NULL, 1, count }, { y, NULL, 1, other } };
    const statistics__moments a = statistics__measure(&s[0]), b = statistics__measure(&s[1]);
    const statistics__moments both = { a.mean - b.mean, a.variance + b.variance };
    double freedom = (double)(count < other ? count : other) - 1; /* any would do where nothing scatters */
    if (isfinite(both.variance) && both.variance > 0) { /* shares of the variance: squares of small ones underflow */
        const double one = a.variance / both.variance, two = b.variance / both.variance; /* neither exceeds 1 */
        freedom =
            1 / (statistics__times(one, one) / ((double)count - 1) + statistics__times(two, two) / ((double)other - 1));
    }
    return statistics__about(both, freedom, level, count + other);
}

/** Mean difference of pairs, `mean(x[i] - y[i])`, such as two systems with the same random numbers, run by run.
 *
 *  statistics_mean() of the differences. Pairs are independent of each other; the two of a pair need not be.
 *
 *  @param[in] x,y    Pairs, x[count] and y[count].
 *  @param[in] level  Confidence [1], in (0, 1).
 *  @return  The interval, its count that of pairs; bounds -INFINITY and INFINITY if count is 1; NaN if count is 0, a
 *           difference is NaN or infinite, or the level is out of range.
 *  @source  Law, section 10.2.1; common random numbers: section 11.2.
 */
static inline statistics_interval statistics_paired(const double *x, const double *y, size_t count, double level)
{
    const statistics__sample s = { x, y, 1, count };
    return statistics__about(statistics__measure(&s), (double)count - 1, level, count);
}

/*=============================================================================
 * MARK: - >>one long run
 *===========================================================================*/
/** Mean of one long run in steady state, by batch means.
 *
 *  The run is cut into batches of count / batches observations; the oldest that remain over are dropped. The means of
 *  batches much longer than the memory of the system are nearly independent and normal: statistics_mean() of them. 10
 *  to 30 batches are usual; more of them are shorter, and the interval is too narrow.
 *
 *  @param[in] x        Observations in the order of the run, x[count], without warm-up.
 *  @param[in] batches  Batches [1], 1 to count.
 *  @param[in] level    Confidence [1], in (0, 1).
 *  @return  The interval, its count that of observations used; bounds -INFINITY and INFINITY if there is one batch; NaN
 *           if batches is 0 or more than count, an observation used is NaN or infinite, or the level is out of range.
 *  @source  Law, section 9.5.3; number of batches: Schmeiser, "Batch size effects in the analysis of simulation
 *           output", Operations Research 30 (1982).
 */
static inline statistics_interval statistics_batches(const double *x, size_t count, size_t batches, double level)
{
    const size_t size = batches > 0 ? count / batches : 0;
    if (size == 0) return statistics__nothing(0);
    const statistics__sample s = { x + (count - size * batches), NULL, size, batches };
    return statistics__about(statistics__measure(&s), (double)batches - 1, level, size * batches);
}

/** Length of the warm-up at the beginning of a run, by MSER-5.
 *
 *  Means of 5 observations, Y[k]. Those before d are dropped, where `sum over i >= d of (Y[i] - mean)^2 / (k - d)^2` is
 *  a minimum, mean being that of the rest: the square of the standard error of the mean, were the rest independent.
 *  Only d <= k / 2 are tried. A minimum at the last d means that the run is too short: it may still be falling.
 *
 *  The rest tends to begin with a quiet stretch, so its mean is a little low where high values come in bursts. Where
 *  there is hardly a warm-up, that costs more than it gains: the waits of 8000 customers of M/M/1 at half load, from an
 *  empty queue, in 20 batches, are covered in 91.7 % of the runs at level 0.95, and in 93.8 % if none is dropped.
 *
 *  @param[in] x  Observations in the order of the run, x[count].
 *  @return  Observations to drop [1], a multiple of 5, less than count / 2; or count: no part of the run is known to be
 *           steady, it is too short (less than 10 always is), or an observation is NaN or infinite.
 *  @cost    O(count)
 *  @source  White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997);
 *           batches of 5: White, Cobb, Spratt, "A comparison of five steady-state truncation heuristics for
 *           simulation", Proc. Winter Simulation Conference (2000); the first half only: Hoad, Robinson, Davies,
 *           "Automating warm-up length estimation", J. Operational Research Society 61 (2010). Sums from the end:
 *           Welford, Technometrics 4 (1962).
 */
static inline size_t statistics_warm_up(const double *x, size_t count)
{
    const size_t size = 5, batches = count / size, last = batches / 2;
    double mean = 0, squares = 0, best = HUGE_VAL;
    size_t drop = last;
    for (size_t i = batches; i-- > 0;) {
        const double kept = (double)(batches - i);
        double sum = 0;
        for (size_t k = 0; k < size; ++k) sum += x[size * i + k];
        const double away = sum / (double)size - mean;
        mean += away / kept;
        squares += statistics__times(away, sum / (double)size - mean);
        if (i <= last && squares / (kept * kept) <= best) { /* of equals, the shortest */
            best = squares / (kept * kept);
            drop = i;
        }
    }
    for (size_t k = size * batches; k < count; ++k) squares += x[k] - x[k]; /* NaN unless finite */
    return drop < last && isfinite(squares) ? size * drop : count;
}

/*=============================================================================
 * MARK: - >>quantiles
 *===========================================================================*/
/* The largest k with P(B < k) <= tail, B binomial: count trials of probability p, q = 1 - p. Probabilities are relative
 * to that of the mode, from which they fall on both sides; what is less than 1e-30 of it is left out. The tolerance is
 * for ties such as P(B < 1) = 1/64 = tail, which rounding would decide. */
static inline size_t statistics__rank(size_t count, double p, double q, double tail)
{
    const double n = (double)count, least = 1e-30, mode = floor(statistics__times(n + 1, p));
    double k = mode < n ? mode : n, sum = 1;
    for (double up = k, term = 1; up < n; ++up) {
        term = statistics__times(term, (n - up) * p / ((up + 1) * q));
        if (!(term >= least)) break;
        sum += term;
    }
    double term = 1, below = 0;
    for (; k > 0; --k) {
        const double next = statistics__times(term, k * q / ((n - k + 1) * p));
        if (!(next >= least)) break;
        term = next;
        sum += term;
    }
    for (const double most = tail * (1 + 1e-10) * sum; k < n && below + term <= most; ++k) {
        below += term;
        term = statistics__times(term, (n - k) * p / ((k + 1) * q));
    }
    return (size_t)k;
}

/** A quantile of the distribution of independent observations, such as part 0.5, the median.
 *
 *  The estimate is linear between neighbours in the sorted list: it stands at `part * (count - 1)`, counted from 0. The
 *  interval is from one observation to another, which need no assumption about the distribution: as many observations
 *  lie below the quantile as a binomial number says. Each end is as near as it can be while it is on the wrong side
 *  with a probability of at most (1 - level) / 2, so the interval covers the quantile with at least the level, usually
 *  a little more. A median needs 6 observations for two bounds at level 0.95, a quantile 0.9 needs 36.
 *
 *  @param[in] sorted  Observations in ascending order, sorted[count]; they may be infinite, as a wait without end.
 *  @param[in] part    Probability below the quantile [1], in [0, 1]; 0 and 1 are the ends of the distribution.
 *  @param[in] level   Confidence [1], in (0, 1), each tail to within 1 part in 1e10.
 *  @return  The interval; a bound is -INFINITY or INFINITY if there are too few observations for it; NaN if count is 0,
 *           one is NaN or out of order, or an argument is out of range.
 *  @cost    O(count), to see that they are sorted, and O(sqrt(count)) divisions: 40 us of them for 1e6.
 *  @source  Estimate: Hyndman, Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996),
 *           definition 7. Interval: David, Nagaraja, Order Statistics, 3rd edition (2003), section 7.1; Conover,
 *           Practical Nonparametric Statistics, 3rd edition (1999), section 3.2.
 */
static inline statistics_interval statistics_quantile(const double *sorted, size_t count, double part, double level)
{
    if (count == 0 || !(part >= 0 && part <= 1) || !(level > 0 && level < 1) || isnan(sorted[0]))
        return statistics__nothing(count);
    for (size_t i = 1; i < count; ++i)
        if (!(sorted[i - 1] <= sorted[i])) return statistics__nothing(count);
    const double place = statistics__times(part, (double)(count - 1)), tail = (1 - level) / 2;
    const size_t at = (size_t)place, next = at + 1 < count ? at + 1 : at;
    const double a = sorted[at], b = sorted[next], between = place - (double)at;
    const size_t low = statistics__rank(count, part, 1 - part, tail);  /* from the lower end, counted from 1 */
    const size_t high = statistics__rank(count, 1 - part, part, tail); /* from the upper end */
    statistics_interval r = { a, -HUGE_VAL, HUGE_VAL, count };
    if (between > 0 && a < b && a > -HUGE_VAL) r.mean = a + statistics__times(between, b - a);
    if (low > 0) r.low = sorted[low - 1];
    if (high > 0) r.high = sorted[count - high];
    return r;
}

#endif
