/*
simkit_statistics.h - what is drawn, and what a simulation's numbers are worth

Distributions of service times, think times and numbers, with the same bits everywhere; tallies, levels over time, quantiles,
histograms and batch means, with intervals. Values and formulas only: no world, no allocation, no state. Part of simkit; stands on
simkit.h, for its streams of random numbers, and on netmodel.h, for Student's t.

    #define SIMKIT_IMPLEMENTATION
    #include "simkit.h"
    #include "util/simkit_statistics.h"
    static simkit_distribution service;
    static simkit_tally mean;
    int main(void)
    {
        simkit_random random = simkit_random_stream(NULL, 1);
        service.law = SIMKIT_LAW_GAMMA;
        service.mean = 2, service.shape = 4;
        if (simkit_distribution_wrong(&service)) return puts(simkit_distribution_wrong(&service)), 1;
        for (int i = 0; i < 1000; ++i) simkit_tally_add(&mean, simkit_distribution_draw(&service, &random));
        const simkit_interval i = simkit_tally_interval(&mean, 0.95);
        printf("%.3f s, and the mean is between %.3f and %.3f s\n", i.mean, i.low, i.high);
        return 0;
    }

prints `1.973 s, and the mean is between 1.913 and 2.034 s`.

USE      Copy it beside simkit.h, or into a folder util/ there, and include simkit.h before it. SIMKIT_IMPLEMENTATION in one
         C or C++ file, as above, makes the bodies of both. Others just include the headers. Link with -lm.

ROOMS    grep 'MARK: - >>' walks them; bodies follow in the same order
    distributions  of service times, think times and numbers
    statistics     tallies, levels over time, quantiles, histograms, batch means; how far to trust them

OPTIONS  Those of simkit.h, defined before both headers: SIMKIT_STATIC, SIMKIT_ANY_FLOAT. Besides:
    SIMKIT_STATISTICS_IMPLEMENTATION  this body alone; that of simkit.h is in another file of the program

ERRORS   What cannot be is NaN, and so is every result that it enters; simkit_distribution_wrong() says what is wrong.

THREADS  A function touches its arguments and nothing else: call from any thread.

BITS     As those of simkit.h: equal inputs give equal bits on every processor with IEEE doubles.

SINCE    0.1.0, the first version, in which all of it was a part of simkit.h.
*/
/** @file simkit_statistics.h
 *  What is drawn, and what numbers are worth: distributions, tallies, quantiles, intervals.
 *  @since 0.1.0 */
#ifndef SIMKIT_STATISTICS_H
#define SIMKIT_STATISTICS_H

#ifndef SIMKIT_H
#error "include simkit.h before util/simkit_statistics.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>distributions
 *===========================================================================*/
/** @defgroup simkit_distributions simkit: distributions
 *  Distributions of service times, think times and numbers, drawn with the same bits everywhere. @{ */

/** A family of distributions on [0, inf). */
typedef enum simkit_law {
    SIMKIT_LAW_CONSTANT = 0,     /**< always `mean` */
    SIMKIT_LAW_EXPONENTIAL,      /**< of `mean` */
    SIMKIT_LAW_HYPEREXPONENTIAL, /**< exponential of mean values[i], with probability weights[i] / sum of weights */
    SIMKIT_LAW_PARETO,     /**< P(X > x) = (minimum / x)^shape for x >= minimum; at most `maximum`, unless that is 0 */
    SIMKIT_LAW_SAMPLE,     /**< one of values[count], with equal probabilities or by weights[count] */
    SIMKIT_LAW_NORMAL,     /**< of `mean` and `deviation`, drawn again while negative: the mean becomes larger by 8e-8
                                deviations where it is 5 deviations, 0.06 where it is 2 */
    SIMKIT_LAW_LOGNORMAL,  /**< of `mean` and `deviation`: those of the number itself, not of its logarithm */
    SIMKIT_LAW_GAMMA,      /**< of `mean` and `shape`; its standard deviation is mean / sqrt(shape) */
    SIMKIT_LAW_ERLANG,     /**< the sum of `shape` exponential numbers, together of `mean` */
    SIMKIT_LAW_WEIBULL,    /**< P(X > x) = exp(-(x / scale)^shape) */
    SIMKIT_LAW_TRIANGULAR, /**< the density rises from `minimum` to `mode` and falls to `maximum` */
    SIMKIT_LAW_UNIFORM,    /**< from `minimum` to `maximum` */
    SIMKIT_LAW_POISSON,    /**< a whole number: how many events of a Poisson process where `mean` are expected */
    SIMKIT_LAW_INTEGER     /**< a whole number from `minimum` to `maximum`, both included, equally likely */
} simkit_law;

/** A distribution; a value that you may copy. Its arrays are borrowed. All zero is the constant 0. */
typedef struct simkit_distribution {
    simkit_law law;   /**< its family */
    double mean;      /**< its mean; a Poisson distribution: at most 1e15 */
    double deviation; /**< its standard deviation, >= 0; lognormal: at most 1e6 times the mean */
    double shape;     /**< Pareto: the exponent [1]; gamma, Weibull; >= 0.01. Erlang: whole. Gamma, Erlang: <= 1e9 */
    double scale;     /**< Weibull: P(X > scale) = 1 / e; > 0 */
    double minimum;   /**< no value is below; Pareto: > 0 */
    double mode;      /**< triangular: the most likely value, from `minimum` to `maximum` */
    double maximum;   /**< no value is above; Pareto: 0 is none; integer: at most 2^53 */
    const double *values;  /**< hyperexponential and sample: values[count], finite, >= 0 */
    const double *weights; /**< weights[count], finite, >= 0, one of them > 0, any sum; NULL: equal */
    size_t count;          /**< of values */
} simkit_distribution;

/** The mean of a distribution.
 *
 *  @return  Its mean; INFINITY for a Pareto distribution without maximum and with shape <= 1; NaN if it is invalid: a
 *           number is negative, NaN, infinite or out of its range, a Pareto distribution's maximum is less than 1.01 times
 *           the minimum, or there are no values.
 */
SIMKIT_API double simkit_distribution_mean(const simkit_distribution *distribution);

/** What is wrong with a distribution, for a sentence, such as "the mean is negative or not finite"; NULL if nothing is. */
SIMKIT_API const char *simkit_distribution_wrong(const simkit_distribution *distribution);

/** Draws a number.
 *
 *  @return  A number >= 0 in the distribution's unit; NaN if it is invalid.
 *  @cost    O(count) with weights; a Pareto distribution with a maximum is drawn until a number is not above it.
 *  @source  Gamma: Marsaglia, Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000). Poisson of
 *           mean 10 or more: Hoermann, "The transformed rejection method for generating Poisson random variables",
 *           Insurance: Mathematics and Economics 12 (1993), with the probabilities of Loader, "Fast and accurate
 *           computation of binomial probabilities" (2000). Logarithms and powers are the kit's own.
 */
SIMKIT_API double simkit_distribution_draw(const simkit_distribution *distribution, simkit_random *random);

/** The same of one that simkit_distribution_wrong() finds right, which is not checked again. */
SIMKIT_API double simkit_distribution_next(const simkit_distribution *distribution, simkit_random *random);
/** @} */

/*=============================================================================
 * MARK: - >>statistics
 *===========================================================================*/
/** @defgroup simkit_statistics simkit: statistics
 *  What a run says, and how far to trust it: plain values that are added to as the run goes on, each all zero at the
 *  beginning. Nothing is allocated; additions have a fixed order, so the bits are the same everywhere. They need no world.
 *
 *  Independent runs, one number from each: a tally. One long run: batches, or a tally and quantiles without intervals.
 *  How many are in the system: a level. What is NaN stays visible: the results that it enters are NaN. @{ */

/** An estimate and its confidence interval. */
typedef struct simkit_interval {
    double mean;    /**< the estimate: a mean, a difference of means or a quantile */
    double low;     /**< lower end; -INFINITY: the data give none */
    double high;    /**< upper end; INFINITY: the data give none */
    uint64_t count; /**< observations in the estimate */
} simkit_interval;

/** Count, mean, scatter and extremes of observations. */
typedef struct simkit_tally {
    uint64_t count; /**< observations */
    double mean;    /**< their mean; 0 without any */
    double squares; /**< the sum of the squares of their deviations from it */
    double minimum; /**< the smallest */
    double maximum; /**< the largest */
} simkit_tally;

/** Adds an observation. If it is NaN, mean, extremes and intervals are NaN from then on.
 *
 *  `mean_n = mean + (x - mean) / n`, `squares_n = squares + (x - mean) (x - mean_n)`
 *
 *  @param[in] x  The observation.
 *  @source  Welford, "Note on a method for calculating corrected sums of squares and products", Technometrics 4 (1962).
 */
SIMKIT_API void simkit_tally_add(simkit_tally *tally, double x);

/** Adds the observations of another tally, which stays as it is.
 *
 *  @source  Chan, Golub, LeVeque, "Algorithms for computing the sample variance", The American Statistician 37 (1983).
 */
SIMKIT_API void simkit_tally_merge(simkit_tally *tally, const simkit_tally *other);

/** The variance of the distribution of which these are observations: `squares / (count - 1)`; NaN of less than two. */
SIMKIT_API double simkit_tally_variance(const simkit_tally *tally);

/** The mean of independent observations, with its interval.
 *
 *  `mean +- t sqrt(s^2 / n)`, with t for n - 1 degrees of freedom. Exact for normal observations; good for means of
 *  many, such as one mean from each run. Far too narrow for observations that depend on their predecessors, such as the
 *  waits in one run: see simkit_batches. The mean difference of pairs is that of a tally of their differences.
 *
 *  @param[in] level  Confidence [1], in (0, 1).
 *  @return  The interval; bounds -INFINITY and INFINITY of one observation; NaN without any, if one is NaN or infinite, if
 *           the squares overflow, or if the level is out of range.
 *  @cost    netmodel_student(): up to 10 us.
 *  @source  Student, "The probable error of a mean", Biometrika 6 (1908); Law, Simulation Modeling and Analysis, 4th
 *           edition, section 4.5.
 */
SIMKIT_API simkit_interval simkit_tally_interval(const simkit_tally *tally, double level);

/** The difference of the means of two independent tallies, `tally - other`; their variances and counts may differ.
 *
 *  `t sqrt(a + b)` on either side, with `a = s_x^2 / n_x`, `b = s_y^2 / n_y`, and t for
 *  `(a + b)^2 / (a^2 / (n_x - 1) + b^2 / (n_y - 1))` degrees of freedom. Between whole numbers, t is linear in their
 *  reciprocal and a little too large: at level 0.95 by at most 19 % between 1 and 2 degrees of freedom, 1.7 % between 2
 *  and 3, 0.4 % between 3 and 4, 0.06 % beyond 5.
 *
 *  @param[in] level  Confidence [1], in (0, 1).
 *  @return  The interval, its count that of both; otherwise as simkit_tally_interval().
 *  @source  Welch, "The significance of the difference between two means when the population variances are unequal",
 *           Biometrika 29 (1938); Satterthwaite, Biometrics Bulletin 2 (1946); Law, section 10.2.2.
 */
SIMKIT_API simkit_interval simkit_tally_difference(const simkit_tally *tally, const simkit_tally *other, double level);

/** A value that changes in steps over time, such as the number of customers in a queue. It begins at time 0 with 0. */
typedef struct simkit_level {
    double value;   /**< the value now */
    double time;    /**< since when [s] */
    double seconds; /**< how long values before it have lasted [s] */
    double mean;    /**< of those: their time-weighted mean */
    double squares; /**< and the integral of the squares of their deviations from it */
    double minimum; /**< the smallest that has lasted longer than 0 s */
    double maximum; /**< the largest */
} simkit_level;

/** What a level was over a time. */
typedef struct simkit_level_summary {
    double seconds;  /**< how long [s] */
    double mean;     /**< time-weighted mean */
    double variance; /**< time-weighted variance */
    double minimum;  /**< the smallest value that lasted longer than 0 s */
    double maximum;  /**< the largest */
} simkit_level_summary;

/** Changes the value at a time, in order of time. If time goes back or is NaN, the results are NaN from then on.
 *
 *  @param[in] value  The value from now on.
 *  @param[in] time   Now [s].
 *  @source  Weighted sums: West, "Updating mean and variance estimates: an improved method", Comm. ACM 22 (1979).
 */
SIMKIT_API void simkit_level_set(simkit_level *level, double value, double time);

/** Forgets all before this time, such as a warm-up, and keeps the value.
 *
 *  @param[in] time  When it begins anew [s].
 */
SIMKIT_API void simkit_level_restart(simkit_level *level, double time);

/** What a level has been up to a time, the value that it has since included.
 *
 *  @param[in] time  The end [s].
 *  @return  Its summary; NaN if no time has passed, or time went back.
 */
SIMKIT_API simkit_level_summary simkit_level_until(const simkit_level *level, double time);

/** Quantiles of any number of observations >= 0 in constant memory, 16 kB: how many lie in each of 64 equal parts of each
 *  power of two, from the largest 32 powers of two downwards. */
typedef struct simkit_quantiles {
    uint64_t count;      /**< observations */
    uint64_t refused;    /**< those that were negative, infinite or NaN; any makes all quantiles NaN */
    double minimum;      /**< the smallest */
    double maximum;      /**< the largest */
    uint64_t below;      /**< those smaller than the smallest bin */
    uint64_t top;        /**< number of the largest bin: the upper 18 bits of its numbers */
    uint64_t bins[2048]; /**< observations in bin b: bins[b % 2048] */
} simkit_quantiles;

/** Adds an observation; one that is negative, infinite or NaN is refused: all quantiles are NaN from then on.
 *
 *  @param[in] x  The observation.
 *  @cost    4 ns.
 */
SIMKIT_API void simkit_quantiles_add(simkit_quantiles *quantiles, double x);

/** Adds the observations of another, which stays as it is. The result is the same as if all had been added to one, in any
 *  order, bit for bit. */
SIMKIT_API void simkit_quantiles_merge(simkit_quantiles *quantiles, const simkit_quantiles *other);

/** A quantile, such as part 0.5, the median: the observation at place `floor(part (count - 1))`, counted from 0.
 *
 *  @param[in] part  The part of the observations below it [1], in [0, 1]; 0 and 1 give the extremes exactly.
 *  @return  The middle of that observation's bin: at most 1/128 (0.8 %) from it, or less than 2^-31 of the largest where it
 *           lies below all bins; NaN without observations, if one was refused, or if the part is out of range.
 *  @source  The bins of an HDR histogram (Tene, 2012) or of Masson, Rim, Lee, "DDSketch", Proc. VLDB 12 (2019), whose
 *           relative error is guaranteed and which merge exactly; P2 and t-digest have neither. Bins are taken from the
 *           bits of a double: no logarithm.
 */
SIMKIT_API double simkit_quantiles_value(const simkit_quantiles *quantiles, double part);

/** A quantile of independent observations that were kept, with an interval.
 *
 *  The estimate is linear between neighbours in the sorted list: it stands at `part * (count - 1)`, counted from 0. The
 *  interval is from one observation to another, which need no assumption about the distribution: as many observations
 *  lie below the quantile as a binomial number says. Each end is as near as it can be while it is on the wrong side
 *  with a probability of at most (1 - level) / 2, so the interval covers the quantile with at least the level, usually
 *  a little more. A median needs 6 observations for two bounds at level 0.95, a quantile 0.9 needs 36.
 *
 *  @param[in] sorted  Observations in ascending order, sorted[count]; they may be infinite, as a wait without end.
 *  @param[in] count   Their number.
 *  @param[in] part    Probability below the quantile [1], in [0, 1]; 0 and 1 are the ends of the distribution.
 *  @param[in] level   Confidence [1], in (0, 1), each tail to within 1 part in 1e10.
 *  @return  The interval; a bound is -INFINITY or INFINITY if there are too few observations for it; NaN if count is 0,
 *           one is NaN or out of order, or an argument is out of range.
 *  @cost    O(count), to see that they are sorted, and O(sqrt(count)) divisions: 40 us of them for 1e6.
 *  @source  Estimate: Hyndman, Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996),
 *           definition 7. Interval: David, Nagaraja, Order Statistics, 3rd edition (2003), section 7.1; Conover,
 *           Practical Nonparametric Statistics, 3rd edition (1999), section 3.2.
 */
SIMKIT_API simkit_interval simkit_sorted_quantile(const double *sorted, size_t count, double part, double level);

/** How many observations lie in each of the bins of the caller. Set the first five members; the others begin as 0. */
typedef struct simkit_histogram {
    double low;       /**< lower edge of the first bin; logarithmic: > 0 */
    double high;      /**< upper edge of the last bin, > low */
    bool logarithmic; /**< edges at equal ratios instead of equal distances */
    size_t count;     /**< number of bins, > 0 */
    uint64_t *bins;   /**< observations in each, bins[count], zero at first; borrowed */
    uint64_t under;   /**< observations below low */
    uint64_t over;    /**< observations of high and above */
    uint64_t refused; /**< those that were NaN; all, if low, high, bins or count are out of range */
} simkit_histogram;

/** Adds an observation to its bin, `edge(i) <= x < edge(i + 1)`, exactly as simkit_histogram_edge() gives the edges.
 *
 *  @param[in] x  The observation.
 */
SIMKIT_API void simkit_histogram_add(simkit_histogram *histogram, double x);

/** The lower edge of a bin.
 *
 *  `low + (high - low) i / count`, or `low (high / low)^(i / count)`
 *
 *  @param[in] i  Number of the bin, from 0; count: the upper edge of the last.
 *  @return  The edge; NaN if i or a member is out of range.
 */
SIMKIT_API double simkit_histogram_edge(const simkit_histogram *histogram, size_t i);

/** The mean of one long run in steady state, by batch means in constant memory: at most 31 batches, all of the same size,
 *  which doubles whenever there would be 32. */
typedef struct simkit_batches {
    uint64_t size;   /**< observations in a batch; 0 before the first */
    uint64_t inside; /**< observations in the batch that is not complete */
    double sum;      /**< and their sum */
    size_t count;    /**< complete batches; from 32 observations on, 16 to 31 */
    double mean[32]; /**< their means, mean[count] */
} simkit_batches;

/** Adds an observation, in the order of the run, after the warm-up.
 *
 *  @param[in] x  The observation.
 */
SIMKIT_API void simkit_batches_add(simkit_batches *batches, double x);

/** The mean of the complete batches, with its interval.
 *
 *  The means of batches much longer than the memory of the system are nearly independent and normal: the interval is that
 *  of simkit_tally_interval() for them. How far they are independent, simkit_batches_correlation() says.
 *
 *  @param[in] level  Confidence [1], in (0, 1).
 *  @return  The interval, its count that of the observations in complete batches; otherwise as simkit_tally_interval().
 *  @source  Law, section 9.5.3; 10 to 30 batches: Schmeiser, "Batch size effects in the analysis of simulation output",
 *           Operations Research 30 (1982).
 */
SIMKIT_API simkit_interval simkit_batches_interval(const simkit_batches *batches, double level);

/** The correlation of neighbouring batch means, to check whether batches are long enough.
 *
 *  `sum (m_i - m) (m_i+1 - m) / sum (m_i - m)^2`. Of independent batches it is about -1 / count, with a standard deviation of
 *  1 / sqrt(count): with 16 to 31 batches, more than 0.4 says that the interval is too narrow, and the run too short.
 *
 *  @return  The correlation [1]; NaN of less than 3 batches, or if they do not scatter.
 *  @source  Law, section 9.5.3; Fishman, "Grouping observations in digital simulation", Management Science 24 (1978).
 */
SIMKIT_API double simkit_batches_correlation(const simkit_batches *batches);

/** Length of the warm-up at the beginning of a run, by MSER-5.
 *
 *  Means of 5 observations, Y[k]. Those before d are dropped, where `sum over i >= d of (Y[i] - mean)^2 / (k - d)^2` is
 *  a minimum, mean being that of the rest: the square of the standard error of the mean, were the rest independent.
 *  Only d <= k / 2 are tried. A minimum at the last d means that the run is too short: it may still be falling.
 *
 *  The rest tends to begin with a quiet stretch, so its mean is a little low where high values come in bursts. Where
 *  there is hardly a warm-up, that costs more than it gains.
 *
 *  @param[in] x  Observations in the order of the run, x[count].
 *  @return  Observations to drop [1], a multiple of 5, less than count / 2; or count: no part of the run is known to be
 *           steady, it is too short (less than 10 always is), or an observation is NaN or infinite.
 *  @cost    O(count)
 *  @source  White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997);
 *           batches of 5: White, Cobb, Spratt, "A comparison of five steady-state truncation heuristics for
 *           simulation", Proc. Winter Simulation Conference (2000); the first half only: Hoad, Robinson, Davies,
 *           "Automating warm-up length estimation", J. Operational Research Society 61 (2010).
 */
SIMKIT_API size_t simkit_warm_up(const double *x, size_t count);
/** @} */

#ifdef __cplusplus
}
#endif
#endif /* SIMKIT_STATISTICS_H */

/*
 *  The body, once per file.
 */
#if (defined(SIMKIT_STATISTICS_IMPLEMENTATION) || defined(SIMKIT_IMPLEMENTATION) || defined(SIMKIT_STATIC)) &&         \
    !defined(SIMKIT_STATISTICS_IMPLEMENTED)
#define SIMKIT_STATISTICS_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "util/simkit_statistics.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "util/simkit_statistics.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(SIMKIT_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "util/simkit_statistics.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define SIMKIT_ANY_FLOAT"
#endif
#include <math.h>
#include <string.h>

/* A cast that C and C++ both accept is an old-style one in C++. Hosts that ask for -Wold-style-cast or -Wuseless-cast
 * mean their own code, so these two are off in this body, and only there. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>distributions (body)
 *
 * What is drawn, and its mean.
 *===========================================================================*/
/* a * b rounded on its own: a compiler that fuses it into a following addition would change bits. */
static double simkit__stat_product(double a, double b)
{
#if defined(__GNUC__) && defined(__x86_64__)
    double product = a * b;
    __asm__("" : "+x"(product));
    return product;
#elif defined(__GNUC__) && defined(__aarch64__)
    double product = a * b;
    __asm__("" : "+w"(product));
    return product;
#else
    volatile double product = a * b;
    return product;
#endif
}

static bool simkit__stat_amount(double value)
{
    return value >= 0 && value < (double)INFINITY;
}

static uint64_t simkit__stat_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* exp(x) of 0 <= x <= 700 to an ulp or two, the same bits everywhere: no math library is asked. */
static double simkit__exp(double x)
{
    const double high = 0.6931471803691238, low = 1.9082149292705877e-10; /* ln 2 in two parts: n * high is exact */
    const double n = floor(simkit__stat_product(x, 1.4426950408889634) + 0.5); /* / ln 2 */
    const double rest = x - simkit__stat_product(n, high) - simkit__stat_product(n, low);
    double sum = 1;
    for (int k = 15; k > 0; --k) sum = 1 + simkit__stat_product(sum, rest) / k; /* Taylor, |rest| < 0.35 */
    return ldexp(sum, (int)n);
}

/* exp(x) of any x: 0 below -700, INFINITY above 700. */
static double simkit__power(double x)
{
    if (x < 0) return x < -700 ? 0 : 1 / simkit__exp(-x);
    return x > 700 ? (double)INFINITY : simkit__exp(x);
}

/* log(x) of a positive finite x, to an ulp or two, in the same way. */
static double simkit__log(double x)
{
    int exponent;
    double part = frexp(x, &exponent), sum = 0;
    if (part < 0.7071067811865476) part *= 2, --exponent;
    const double s = (part - 1) / (part + 1), square = simkit__stat_product(s, s); /* |s| < 0.172 */
    for (int k = 23; k > 0; k -= 2) sum = 1.0 / k + simkit__stat_product(sum, square);
    return simkit__stat_product(exponent, 0.6931471803691238) +
           (simkit__stat_product(exponent, 1.9082149292705877e-10) + 2 * simkit__stat_product(s, sum));
}

/* Whether values[count] are all finite and not negative, and one is positive if one must be. */
static bool simkit__stat_amounts(const double *values, size_t count, bool some)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!simkit__stat_amount(values[i])) return false;
        sum += values[i];
    }
    return sum < (double)INFINITY && (!some || sum > 0);
}

SIMKIT_API const char *simkit_distribution_wrong(const simkit_distribution *distribution)
{
    const simkit_distribution *d = distribution;
    if (!d) return "there is none";
    switch (d->law) {
    case SIMKIT_LAW_CONSTANT: return simkit__stat_amount(d->mean) ? NULL : "the mean is negative or not finite";
    case SIMKIT_LAW_EXPONENTIAL:
        return simkit__stat_amount(d->mean) && d->mean > 0 ? NULL : "the mean is not positive and finite";
    case SIMKIT_LAW_PARETO:
        if (!(d->shape >= 0.01 && d->shape < (double)INFINITY)) return "the shape is not finite and 0.01 or more";
        if (!(d->minimum > 0 && d->minimum < (double)INFINITY)) return "the minimum is not positive and finite";
        if (!simkit__stat_amount(d->maximum)) return "the maximum is negative or not finite";
        if (d->maximum > 0 && d->maximum < 1.01 * d->minimum) return "the maximum is less than 1.01 times the minimum";
        return NULL;
    case SIMKIT_LAW_NORMAL:
    case SIMKIT_LAW_LOGNORMAL:
        if (!simkit__stat_amount(d->mean)) return "the mean is negative or not finite";
        if (!simkit__stat_amount(d->deviation)) return "the deviation is negative or not finite";
        if (d->law == SIMKIT_LAW_NORMAL) return NULL;
        if (!(d->mean > 0)) return "the mean is not positive and finite";
        return d->deviation / d->mean <= 1e6 ? NULL : "the deviation is more than 1e6 times the mean";
    case SIMKIT_LAW_GAMMA:
    case SIMKIT_LAW_ERLANG:
        if (d->law == SIMKIT_LAW_GAMMA && !(d->shape >= 0.01 && d->shape <= 1e9)) return "the shape is not 0.01 to 1e9";
        if (d->law == SIMKIT_LAW_ERLANG && !(d->shape >= 1 && d->shape <= 1e9 && d->shape <= floor(d->shape)))
            return "the shape is not a whole number from 1 to 1e9";
        return simkit__stat_amount(d->mean) && d->mean > 0 ? NULL : "the mean is not positive and finite";
    case SIMKIT_LAW_WEIBULL:
        if (!(d->shape >= 0.01 && d->shape < (double)INFINITY)) return "the shape is not finite and 0.01 or more";
        return simkit__stat_amount(d->scale) && d->scale > 0 ? NULL : "the scale is not positive and finite";
    case SIMKIT_LAW_TRIANGULAR:
    case SIMKIT_LAW_UNIFORM:
    case SIMKIT_LAW_INTEGER:
        if (!simkit__stat_amount(d->minimum)) return "the minimum is negative or not finite";
        if (!(simkit__stat_amount(d->maximum) && d->maximum >= d->minimum))
            return "the maximum is less than the minimum or not finite";
        if (d->law == SIMKIT_LAW_TRIANGULAR && !(d->mode >= d->minimum && d->mode <= d->maximum))
            return "the mode is not between the minimum and the maximum";
        if (d->law == SIMKIT_LAW_INTEGER &&
            !(d->minimum <= floor(d->minimum) && d->maximum <= floor(d->maximum) && d->maximum <= 9007199254740992.0))
            return "minimum and maximum are not whole numbers up to 2^53";
        return NULL;
    case SIMKIT_LAW_POISSON:
        return simkit__stat_amount(d->mean) && d->mean <= 1e15 ? NULL : "the mean is not 0 to 1e15";
    case SIMKIT_LAW_HYPEREXPONENTIAL:
        if (!d->weights) return "there are no probabilities";
        /* fall through */
    case SIMKIT_LAW_SAMPLE:
        if (!d->values || d->count == 0) return "there are no values";
        if (!simkit__stat_amounts(d->values, d->count, false)) return "a value is negative or not finite";
        if (d->weights && !simkit__stat_amounts(d->weights, d->count, true))
            return "a weight is negative or not finite, or all are 0";
        return NULL;
    }
    return "there is no such law";
}

SIMKIT_API double simkit_distribution_mean(const simkit_distribution *distribution)
{
    const simkit_distribution *d = distribution;
    if (simkit_distribution_wrong(d)) return (double)NAN;
    double sum = 0, all = 0;
    switch (d->law) {
    case SIMKIT_LAW_PARETO:
        if (d->maximum > 0) { /* the integral of P(X > x), and what lies below the minimum */
            const double q = pow(d->minimum / d->maximum, d->shape), a = d->shape;
            const double tail =
                fabs(a - 1) < 1e-9 ? log(d->maximum / d->minimum) : (1 - pow(d->minimum / d->maximum, a - 1)) / (a - 1);
            return d->minimum + (d->minimum * tail - q * (d->maximum - d->minimum)) / (1 - q);
        }
        return d->shape > 1 ? d->shape * d->minimum / (d->shape - 1) : (double)INFINITY;
    case SIMKIT_LAW_NORMAL: /* what is left of it above 0 */
        if (d->deviation > 0)
            sum = d->deviation * 0.7978845608028654 * exp(-pow(d->mean / d->deviation, 2.) / 2) /
                  erfc(-d->mean / d->deviation * 0.7071067811865476);
        return d->mean + sum;
    case SIMKIT_LAW_WEIBULL: return d->scale * tgamma(1 + 1 / d->shape);
    case SIMKIT_LAW_TRIANGULAR: return d->minimum + (d->mode - d->minimum) / 3 + (d->maximum - d->minimum) / 3;
    case SIMKIT_LAW_UNIFORM:
    case SIMKIT_LAW_INTEGER: return d->minimum + (d->maximum - d->minimum) / 2;
    case SIMKIT_LAW_HYPEREXPONENTIAL:
    case SIMKIT_LAW_SAMPLE:
        for (size_t i = 0; i < d->count; ++i) {
            const double weight = d->weights ? d->weights[i] : 1;
            sum += simkit__stat_product(weight, d->values[i]);
            all += weight;
        }
        return sum / all;
    default: return d->mean;
    }
}

/* Which of the values, by weight. */
static size_t simkit__distribution_pick(const simkit_distribution *d, simkit_random *random)
{
    const double uniform = simkit_random_uniform(random);
    double all = 0, sum = 0;
    size_t last = 0;
    if (!d->weights) return (size_t)simkit__stat_product(uniform, (double)d->count);
    for (size_t i = 0; i < d->count; ++i) all += d->weights[i];
    const double at = simkit__stat_product(uniform, all);
    for (size_t i = 0; i < d->count; ++i) {
        if (!(d->weights[i] > 0)) continue;
        last = i;
        if ((sum += d->weights[i]) > at) break;
    }
    return last;
}

/* A gamma number of this shape and scale 1. */
static double simkit__gamma(simkit_random *random, double shape)
{
    double less = 1;
    if (shape < 1) less = simkit__power(-simkit_random_exponential(random, 1) / shape), shape += 1; /* U^(1 / shape) */
    const double d = shape - 1.0 / 3, c = 1 / (3 * sqrt(d));
    for (;;) { /* d v, with v the cube of a normal number near 1 */
        const double z = simkit_random_normal(random, 0, 1), root = 1 + simkit__stat_product(c, z);
        if (!(root > 0)) continue;
        const double v = simkit__stat_product(simkit__stat_product(root, root), root);
        const double rest = simkit_random_exponential(random, 1) + simkit__stat_product(z, z) / 2;
        if (rest >= simkit__stat_product(d, v - 1 - simkit__log(v)))
            return simkit__stat_product(simkit__stat_product(d, v), less);
    }
}

/* P(X = k) of a Poisson number. */
static double simkit__poisson_chance(double k, double mean)
{
    if (k < 16) {
        double chance = simkit__power(-mean);
        for (double i = 1; i <= k; ++i) chance = simkit__stat_product(chance, mean / i);
        return chance;
    }
    const double far = k - mean, v = far / (k + mean), square = simkit__stat_product(v, v), per = 1 / k;
    const double less = simkit__stat_product(per, per), third = 1.0 / 360 - less / 1260;
    const double stirling =
        simkit__stat_product(per, 1.0 / 12 - simkit__stat_product(less, third)); /* of log k!, to 3e-12 */
    double away; /* k log(k / mean) + mean - k, by a series where that would cancel */
    if (fabs(v) < 0.1) {
        double sum = 0;
        for (int i = 17; i > 1; i -= 2) sum = simkit__stat_product(square, 1.0 / i + sum);
        away = simkit__stat_product(far, v) + simkit__stat_product(simkit__stat_product(2 * k, v), sum);
    } else {
        away = simkit__stat_product(k, simkit__log(k / mean)) - far;
    }
    return simkit__power(-stirling - away) / sqrt(6.283185307179586 * k);
}

static double simkit__poisson(simkit_random *random, double mean)
{
    if (mean < 10) {
        const double least = simkit__power(-mean);
        double k = 0, product = simkit_random_uniform(random);
        for (; product > least; k += 1) product = simkit__stat_product(product, simkit_random_uniform(random));
        return k;
    }
    const double b = 0.931 + simkit__stat_product(2.53, sqrt(mean)), a = simkit__stat_product(0.02483, b) - 0.059;
    for (;;) {
        const double u = simkit_random_uniform(random) - 0.5, v = simkit_random_uniform(random), near = 0.5 - fabs(u);
        const double k =
            floor(simkit__stat_product(2 * a / near + b, u) + mean + 0.43); /* near 0: u is -0.5, k -INFINITY */
        if (near >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
        if (k < 0 || (near < 0.013 && v > near)) continue;
        const double hat = a / simkit__stat_product(near, near) + b;
        if (simkit__stat_product(v, 1.1239 + 1.1328 / (b - 3.4)) <=
            simkit__stat_product(hat, simkit__poisson_chance(k, mean)))
            return k;
    }
}

/* A lognormal number, from the variance of its logarithm: log(1 + x), which for small x is more exact so. */
static double simkit__lognormal(simkit_random *random, double mean, double deviation)
{
    const double ratio = deviation / mean, x = simkit__stat_product(ratio, ratio), sum = 1 + x;
    const double variance = sum > 1 ? simkit__stat_product(simkit__log(sum), x / (sum - 1)) : x;
    return simkit__stat_product(mean, simkit__power(simkit_random_normal(random, -variance / 2, sqrt(variance))));
}

SIMKIT_API double simkit_distribution_next(const simkit_distribution *distribution, simkit_random *random)
{
    const simkit_distribution *d = distribution;
    double mean = d->mean;
    switch (d->law) {
    case SIMKIT_LAW_CONSTANT: return mean;
    case SIMKIT_LAW_PARETO:
        for (;;) { /* log(X / minimum) is exponential of mean 1 / shape */
            const double log_ratio = simkit_random_exponential(random, 1 / d->shape);
            const double value =
                log_ratio < 700 ? simkit__stat_product(d->minimum, simkit__exp(log_ratio)) : (double)INFINITY;
            if (value <= (d->maximum > 0 ? d->maximum : 1.7e308)) return value;
        }
    case SIMKIT_LAW_SAMPLE: return d->values[simkit__distribution_pick(d, random)];
    case SIMKIT_LAW_NORMAL:
        for (;;) {
            const double value = simkit_random_normal(random, mean, d->deviation);
            if (value >= 0) return value;
        }
    case SIMKIT_LAW_LOGNORMAL: return simkit__lognormal(random, mean, d->deviation);
    case SIMKIT_LAW_GAMMA:
    case SIMKIT_LAW_ERLANG: return simkit__stat_product(mean / d->shape, simkit__gamma(random, d->shape));
    case SIMKIT_LAW_WEIBULL:
        for (;;) {
            const double log_ratio = simkit__log(simkit_random_exponential(random, 1)) / d->shape;
            const double value = simkit__stat_product(d->scale, simkit__power(log_ratio));
            if (value <= 1.7e308) return value;
        }
    case SIMKIT_LAW_TRIANGULAR: {
        const double width = d->maximum - d->minimum, up = width > 0 ? (d->mode - d->minimum) / width : 0;
        const double u = simkit_random_uniform(random);
        if (u < up) return d->minimum + simkit__stat_product(width, sqrt(simkit__stat_product(u, up)));
        return d->maximum - simkit__stat_product(width, sqrt(simkit__stat_product(1 - u, 1 - up)));
    }
    case SIMKIT_LAW_UNIFORM:
        return d->minimum + simkit__stat_product(simkit_random_uniform(random), d->maximum - d->minimum);
    case SIMKIT_LAW_POISSON: return simkit__poisson(random, mean);
    case SIMKIT_LAW_INTEGER:
        return d->minimum + (double)simkit_random_below(random, (uint64_t)(d->maximum - d->minimum) + 1);
    case SIMKIT_LAW_HYPEREXPONENTIAL: mean = d->values[simkit__distribution_pick(d, random)]; break;
    default: break;
    }
    return mean > 0 ? simkit_random_exponential(random, mean) : 0;
}

SIMKIT_API double simkit_distribution_draw(const simkit_distribution *distribution, simkit_random *random)
{
    if (!distribution || !random || simkit_distribution_wrong(distribution)) return (double)NAN;
    return simkit_distribution_next(distribution, random);
}

/*=============================================================================
 * MARK: - >>statistics (body)
 *
 * Sums in a fixed order, products rounded before they are added.
 *===========================================================================*/
static simkit_interval simkit__interval_of(double mean, double low, double high, uint64_t count)
{
    simkit_interval interval;
    interval.mean = mean;
    interval.low = low;
    interval.high = high;
    interval.count = count;
    return interval;
}

static void simkit__extend(double x, bool first, double *minimum, double *maximum)
{
    const bool bad = !(x <= x); /* NaN, and it stays */
    if (first || bad || x < *minimum) *minimum = x;
    if (first || bad || x > *maximum) *maximum = x;
}

SIMKIT_API void simkit_tally_add(simkit_tally *tally, double x)
{
    const double away = x - tally->mean;
    tally->mean += away / (double)++tally->count;
    tally->squares += simkit__stat_product(away, x - tally->mean);
    simkit__extend(x, tally->count == 1, &tally->minimum, &tally->maximum);
}

SIMKIT_API void simkit_tally_merge(simkit_tally *tally, const simkit_tally *other)
{
    if (other->count == 0) return;
    const double away = other->mean - tally->mean, own = (double)tally->count, more = (double)other->count;
    const double part = more / (own + more);
    const bool first = tally->count == 0;
    tally->mean = first ? other->mean : tally->mean + simkit__stat_product(away, part);
    tally->squares +=
        other->squares + simkit__stat_product(simkit__stat_product(away, away), simkit__stat_product(own, part));
    simkit__extend(other->minimum, first, &tally->minimum, &tally->maximum);
    simkit__extend(other->maximum, false, &tally->minimum, &tally->maximum);
    tally->count += other->count;
}

SIMKIT_API double simkit_tally_variance(const simkit_tally *tally)
{
    return tally->count < 2 ? (double)NAN : tally->squares / (double)(tally->count - 1);
}

/* Student's t for degrees of freedom that are no whole number, linear in 1 / freedom between two whole numbers. */
static double simkit__student(double level, double freedom)
{
    const double whole = 1e9; /* and from there, infinity is the next: the series in 1 / freedom has one term left */
    if (!(freedom >= 1)) return (double)NAN;
    const double low = freedom < whole ? floor(freedom) : whole;
    const double below = netmodel_student(level, (size_t)low);
    if (freedom <= low) return below;
    const double above = netmodel_student(level, low < whole ? (size_t)low + 1 : NETMODEL_DEVIATION_KNOWN);
    const double part = low < whole ? simkit__stat_product(freedom - low, (low + 1) / freedom) : 1 - low / freedom;
    return below + simkit__stat_product(part, above - below);
}

/* The variance of the mean; INFINITY of one observation; NaN if there is none, or one is NaN or infinite. */
static double simkit__tally_error(const simkit_tally *t)
{
    if (t->count == 0 || !(t->squares < (double)INFINITY)) return (double)NAN;
    return t->count == 1 ? (double)INFINITY : simkit_tally_variance(t) / (double)t->count;
}

static simkit_interval simkit__interval_about(double mean, double variance, double freedom, double level,
                                              uint64_t count)
{
    const double none = (double)NAN, far = (double)INFINITY;
    if (!(level > 0 && level < 1 && variance >= 0)) return simkit__interval_of(none, none, none, count);
    if (variance >= far) return simkit__interval_of(mean, -far, far, count);
    const double half = simkit__stat_product(simkit__student(level, freedom), sqrt(variance));
    return simkit__interval_of(mean, mean - half, mean + half, count);
}

SIMKIT_API simkit_interval simkit_tally_interval(const simkit_tally *tally, double level)
{
    return simkit__interval_about(tally->mean, simkit__tally_error(tally), (double)tally->count - 1, level,
                                  tally->count);
}

SIMKIT_API simkit_interval simkit_tally_difference(const simkit_tally *tally, const simkit_tally *other, double level)
{
    const double a = simkit__tally_error(tally), b = simkit__tally_error(other), both = a + b;
    const double n = (double)tally->count - 1, m = (double)other->count - 1;
    double freedom = n < m ? n : m;                  /* any would do where nothing scatters */
    if (both > 0 && both < (double)INFINITY) {       /* shares of the variance: squares of small ones underflow */
        const double one = a / both, two = b / both; /* neither exceeds 1 */
        freedom = 1 / (simkit__stat_product(one, one) / n + simkit__stat_product(two, two) / m);
    }
    return simkit__interval_about(tally->mean - other->mean, both, freedom, level, tally->count + other->count);
}

SIMKIT_API void simkit_level_set(simkit_level *level, double value, double time)
{
    const double held = time - level->time;
    if (held > 0) {
        const double away = level->value - level->mean;
        const bool first = !(level->seconds > 0);
        level->seconds += held;
        level->mean += simkit__stat_product(away, held / level->seconds);
        level->squares += simkit__stat_product(simkit__stat_product(held, away), level->value - level->mean);
        simkit__extend(level->value, first, &level->minimum, &level->maximum);
    }
    if (!(held >= 0)) level->seconds = (double)NAN;
    level->time = time;
    level->value = value;
}

SIMKIT_API void simkit_level_restart(simkit_level *level, double time)
{
    const double value = level->value;
    memset(level, 0, sizeof *level);
    level->value = value;
    level->time = time;
}

SIMKIT_API simkit_level_summary simkit_level_until(const simkit_level *level, double time)
{
    simkit_level all = *level;
    simkit_level_summary summary;
    simkit_level_set(&all, all.value, time);
    const bool known = all.seconds > 0;
    summary.seconds = all.seconds;
    summary.mean = known ? all.mean : (double)NAN;
    summary.variance = known ? all.squares / all.seconds : (double)NAN;
    summary.minimum = known ? all.minimum : (double)NAN;
    summary.maximum = known ? all.maximum : (double)NAN;
    return summary;
}

/* Bins of doubles: sign, exponent and the first 6 bits of the mantissa. */
enum { SIMKIT__SKETCH_BITS = 46 };
#define SIMKIT__SKETCH UINT64_C(2048)

static double simkit__bin_edge(uint64_t bin)
{
    const uint64_t bits = bin << SIMKIT__SKETCH_BITS;
    double edge;
    memcpy(&edge, &bits, sizeof edge);
    return edge;
}

/* Makes this the largest bin; what falls out at the other end is counted below all bins. */
static void simkit__quantiles_raise(simkit_quantiles *q, uint64_t top)
{
    const uint64_t up = top - q->top < SIMKIT__SKETCH ? top - q->top : SIMKIT__SKETCH;
    for (uint64_t bin = top - up + 1; bin <= top; ++bin) {
        q->below += q->bins[bin % SIMKIT__SKETCH];
        q->bins[bin % SIMKIT__SKETCH] = 0;
    }
    q->top = top;
}

static void simkit__quantiles_put(simkit_quantiles *q, uint64_t bin, uint64_t count)
{
    if (bin > q->top) simkit__quantiles_raise(q, bin);
    if (bin + SIMKIT__SKETCH > q->top)
        q->bins[bin % SIMKIT__SKETCH] += count;
    else
        q->below += count;
}

SIMKIT_API void simkit_quantiles_add(simkit_quantiles *quantiles, double x)
{
    if (!simkit__stat_amount(x)) {
        ++quantiles->refused;
        return;
    }
    x += 0; /* -0 becomes 0 */
    simkit__extend(x, quantiles->count++ == 0, &quantiles->minimum, &quantiles->maximum);
    simkit__quantiles_put(quantiles, simkit__stat_bits(x) >> SIMKIT__SKETCH_BITS, 1);
}

SIMKIT_API void simkit_quantiles_merge(simkit_quantiles *quantiles, const simkit_quantiles *other)
{
    quantiles->refused += other->refused;
    if (other->count == 0) return;
    const bool first = quantiles->count == 0;
    simkit__extend(other->minimum, first, &quantiles->minimum, &quantiles->maximum);
    simkit__extend(other->maximum, false, &quantiles->minimum, &quantiles->maximum);
    if (other->top > quantiles->top) simkit__quantiles_raise(quantiles, other->top);
    for (uint64_t bin = other->top < SIMKIT__SKETCH ? 0 : other->top - SIMKIT__SKETCH + 1; bin <= other->top; ++bin)
        simkit__quantiles_put(quantiles, bin, other->bins[bin % SIMKIT__SKETCH]);
    quantiles->below += other->below;
    quantiles->count += other->count;
}

SIMKIT_API double simkit_quantiles_value(const simkit_quantiles *quantiles, double part)
{
    const simkit_quantiles *q = quantiles;
    if (q->count == 0 || q->refused > 0 || !(part >= 0 && part <= 1)) return (double)NAN;
    const double place = floor(simkit__stat_product(part, (double)(q->count - 1)));
    if (part >= 1) return q->maximum;
    if (place < (q->below > 0 ? (double)q->below : 1)) return q->minimum;
    double before = (double)q->below;
    uint64_t bin = q->top < SIMKIT__SKETCH ? 0 : q->top - SIMKIT__SKETCH + 1;
    for (; bin < q->top; ++bin) {
        before += (double)q->bins[bin % SIMKIT__SKETCH];
        if (place < before) break;
    }
    const double low = simkit__bin_edge(bin), middle = low / 2 + simkit__bin_edge(bin + 1) / 2;
    return middle < q->minimum ? q->minimum : middle > q->maximum ? q->maximum : middle;
}

/* The largest k with P(B < k) <= tail, B binomial: count trials of probability p, q = 1 - p. Probabilities are relative
 * to that of the mode, from which they fall on both sides; what is less than 1e-30 of it is left out. The tolerance is
 * for ties such as P(B < 1) = 1/64 = tail, which rounding would decide. */
static size_t simkit__binomial_rank(size_t count, double p, double q, double tail)
{
    const double n = (double)count, least = 1e-30, mode = floor(simkit__stat_product(n + 1, p));
    double k = mode < n ? mode : n, sum = 1;
    for (double up = k, term = 1; up < n; ++up) {
        term = simkit__stat_product(term, (n - up) * p / ((up + 1) * q));
        if (!(term >= least)) break;
        sum += term;
    }
    double term = 1, below = 0;
    for (; k > 0; --k) {
        const double next = simkit__stat_product(term, k * q / ((n - k + 1) * p));
        if (!(next >= least)) break;
        term = next;
        sum += term;
    }
    for (const double most = tail * (1 + 1e-10) * sum; k < n && below + term <= most; ++k) {
        below += term;
        term = simkit__stat_product(term, (n - k) * p / ((k + 1) * q));
    }
    return (size_t)k;
}

SIMKIT_API simkit_interval simkit_sorted_quantile(const double *sorted, size_t count, double part, double level)
{
    const double far = (double)INFINITY;
    bool fine = count > 0 && part >= 0 && part <= 1 && level > 0 && level < 1 && sorted[0] <= sorted[0];
    for (size_t i = 1; fine && i < count; ++i) fine = sorted[i - 1] <= sorted[i];
    if (!fine) return simkit__interval_of((double)NAN, (double)NAN, (double)NAN, count);
    const double place = simkit__stat_product(part, (double)(count - 1)), tail = (1 - level) / 2;
    const size_t at = (size_t)place, next = at + 1 < count ? at + 1 : at;
    const double a = sorted[at], b = sorted[next], between = place - (double)at;
    const size_t low = simkit__binomial_rank(count, part, 1 - part, tail);  /* from the lower end, counted from 1 */
    const size_t high = simkit__binomial_rank(count, 1 - part, part, tail); /* from the upper end */
    return simkit__interval_of(between > 0 && a < b && a > -far ? a + simkit__stat_product(between, b - a) : a,
                               low > 0 ? sorted[low - 1] : -far, high > 0 ? sorted[count - high] : far, count);
}

SIMKIT_API double simkit_histogram_edge(const simkit_histogram *histogram, size_t i)
{
    const simkit_histogram *h = histogram;
    if (!(h->bins && i <= h->count && h->count > 0 && h->low < h->high && fabs(h->high - h->low) < (double)INFINITY))
        return (double)NAN;
    const double part = (double)i / (double)h->count;
    if (!h->logarithmic) return i == h->count ? h->high : h->low + simkit__stat_product(h->high - h->low, part);
    if (!(h->low > 0)) return (double)NAN;
    if (i == h->count) return h->high;
    const double ratio = simkit__log(h->high) - simkit__log(h->low);
    return simkit__stat_product(h->low, simkit__power(simkit__stat_product(ratio, part)));
}

SIMKIT_API void simkit_histogram_add(simkit_histogram *histogram, double x)
{
    simkit_histogram *h = histogram;
    if (!(x <= x) || !(simkit_histogram_edge(h, 0) < (double)INFINITY)) {
        ++h->refused;
    } else if (x < h->low) {
        ++h->under;
    } else if (x >= h->high) {
        ++h->over;
    } else {
        const double part = h->logarithmic
                                ? (simkit__log(x) - simkit__log(h->low)) / (simkit__log(h->high) - simkit__log(h->low))
                                : (x - h->low) / (h->high - h->low);
        const double place = simkit__stat_product(part, (double)h->count),
                     near = 1e-6; /* where rounding could decide */
        size_t i = place > 0 ? (size_t)place : 0;
        if (i >= h->count) i = h->count - 1;
        if (i > 0 && place - (double)i < near && x < simkit_histogram_edge(h, i)) --i;
        if (i + 1 < h->count && (double)i + 1 - place < near && x >= simkit_histogram_edge(h, i + 1)) ++i;
        ++h->bins[i];
    }
}

SIMKIT_API void simkit_batches_add(simkit_batches *batches, double x)
{
    simkit_batches *b = batches;
    if (b->size == 0) b->size = 1;
    b->sum += x;
    if (++b->inside < b->size) return;
    b->mean[b->count++] = b->sum / (double)b->size;
    b->inside = 0;
    b->sum = 0;
    if (b->count < 32) return;
    for (size_t i = 0; i < 16; ++i) b->mean[i] = (b->mean[2 * i] + b->mean[2 * i + 1]) / 2;
    b->count = 16;
    b->size *= 2;
}

static simkit_tally simkit__batches_tally(const simkit_batches *b)
{
    simkit_tally tally;
    memset(&tally, 0, sizeof tally);
    for (size_t i = 0; i < b->count; ++i) simkit_tally_add(&tally, b->mean[i]);
    return tally;
}

SIMKIT_API simkit_interval simkit_batches_interval(const simkit_batches *batches, double level)
{
    const simkit_tally tally = simkit__batches_tally(batches);
    simkit_interval interval = simkit_tally_interval(&tally, level);
    interval.count = batches->count * batches->size;
    return interval;
}

SIMKIT_API double simkit_batches_correlation(const simkit_batches *batches)
{
    const simkit_tally tally = simkit__batches_tally(batches);
    double sum = 0;
    if (batches->count < 3 || !(tally.squares > 0)) return (double)NAN;
    for (size_t i = 1; i < batches->count; ++i)
        sum += simkit__stat_product(batches->mean[i - 1] - tally.mean, batches->mean[i] - tally.mean);
    return sum / tally.squares;
}

SIMKIT_API size_t simkit_warm_up(const double *x, size_t count)
{
    const size_t size = 5, batches = count / size, last = batches / 2;
    double mean = 0, squares = 0, best = (double)INFINITY;
    size_t drop = last;
    for (size_t i = batches; i-- > 0;) { /* sums from the end: Welford's */
        const double kept = (double)(batches - i);
        double sum = 0;
        for (size_t k = 0; k < size; ++k) sum += x[size * i + k];
        const double away = sum / (double)size - mean;
        mean += away / kept;
        squares += simkit__stat_product(away, sum / (double)size - mean);
        if (i <= last && squares / (kept * kept) <= best) { /* of equals, the shortest */
            best = squares / (kept * kept);
            drop = i;
        }
    }
    for (size_t k = size * batches; k < count; ++k) squares += x[k] - x[k]; /* NaN unless finite */
    return drop < last && squares < (double)INFINITY ? size * drop : count;
}

#ifdef __cplusplus
}
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* SIMKIT_STATISTICS_IMPLEMENTED */

/*
    MIT No Attribution

    Copyright 2026 the simkit authors

    Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
    documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
    rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
    permit persons to whom the Software is furnished to do so.

    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
    WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS
    OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
    OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
