/*
answers.h - what the results of a sweep say: means, effects, Sobol' indices, choices

USE      answers_print() prints all that applies. A program that wants the numbers calls the other functions:

             answers a;
             if (!answers_open(s, sweep_watched(s), &a)) ...;   no memory
             a.effect[a.order[0]] is that of the parameter that matters most
             answers_close(&a);

MISSING  Runs that have not been made or have failed are left out, and what is left out is counted. A number that the results
         cannot give is NaN.

UNITS    Those of the results and parameters of the model. A part, an index or a loss is a number [1].

BITS     All sums are in the order of points and seeds: the same results give the same answers, whoever made them.

MEMORY   8 bytes for each point, besides what the sweep itself has; answers_expected_of() and answers_print() copy a result of
         each run for a while, other calls do not.

THREADS  One at a time for each sweep; none may make runs meanwhile.
*/
/** @file */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "../interval.h"
#include "sweep.h"
#include "util/simkit_statistics.h"

#include <stdio.h>

/** Number of equally likely classes of the values of a parameter that can have any value. */
#define ANSWERS_CLASSES 10
/** Maximum number of classes of a parameter: neighbours in a longer list share a class. */
#define ANSWERS_CLASSES_MOST 250
/** Confidence of all intervals [1]. */
#define ANSWERS_LEVEL 0.95

/*=============================================================================
 * MARK: - >>numbers as text
 *===========================================================================*/
/** Size of a number as text. */
#define ANSWERS_TEXT 48

/** A unit in which numbers are readable. */
typedef struct answers_unit {
    double factor; /**< of it in base units: 1e-3 for "ms" */
    char name[12]; /**< "ms"; empty for numbers without a unit */
} answers_unit;

/** The unit that suits a number: ns to s, h from 10000 s on, B to PB, B/s to PB/s, flop/s to Pflop/s.
 *
 *  @param[in] base       Base unit: "s", "1/s", "B", "B/s", "flop/s" or "1"; others stay as they are.
 *  @param[in] magnitude  The number, or the largest of several, in the base unit.
 */
answers_unit answers_unit_for(const char *base, double magnitude);

/** Writes a number with so many significant digits, without zeros at the end; NaN is "-". */
void answers_digits(char text[ANSWERS_TEXT], double value, int digits);

/** Writes a number in a base unit with 4 significant digits and the unit that suits it: "12.35 MB/s". */
void answers_quantity(char text[ANSWERS_TEXT], double value, const char *base);

/** Writes a value of a parameter: its word, or a number with its unit. Significant digits: 6 if the file lists
 *  it, 4 if it is a step of a law, 3 if the parameter can have any value. */
void answers_value(char text[ANSWERS_TEXT], const sweep_parameter *p, double value);

/*=============================================================================
 * MARK: - >>classes
 *===========================================================================*/
/** Classes of the values of a parameter, ascending; of words, in the order of the file. */
typedef struct answers_classes {
    const sweep_parameter *parameter;
    size_t count;     /**< how many, >= 1 */
    double *bound;    /**< any value: bound[count - 1], the lower ends of all but the first */
    double *middle;   /**< any value: middle[count], the part of all values that are below the median of a class [1] */
    double *sorted;   /**< a list: sorted[parameter->count] */
    size_t *rank;     /**< a list: rank[parameter->count], the classes of sorted[i] */
    size_t *of_index; /**< a list: of_index[parameter->count], the classes of parameter->values[i] */
} answers_classes;

/** Makes classes: one for each value of a list; of a parameter that can have any value, `any` equally likely
 *  ones; fewer if it has fewer whole numbers.
 *
 *  @param[in] any  From 1.
 *  @return  false: no memory; nothing is to be closed.
 */
bool answers_classes_open(const sweep_parameter *p, size_t any, answers_classes *c);

/** Frees them; all zero is harmless. */
void answers_classes_close(answers_classes *c);

/** The class of a value that sweep_values() has given, from 0. @cost O(log count) */
size_t answers_class_of(const answers_classes *c, double value);

/** A value that stands for a class: that of the list, the middle one of several, or the median of the class. */
double answers_class_value(const answers_classes *c, size_t index);

/*=============================================================================
 * MARK: - >>points and runs
 *===========================================================================*/
/** Mean of a result at a point over its seeds, with its interval of level ANSWERS_LEVEL.
 *
 *  @param[in] point,result  From 0.
 *  @return  See simkit_tally_interval(); its count is the number of results that are not missing, which may be 0.
 */
simkit_interval answers_point(const sweep *s, size_t point, size_t result);

/** Means of a result over the seeds of each point.
 *
 *  @param[out] mean  mean[sweep_points()]; NaN where there is no result. An infinite result counts as none.
 *  @return  Points with results.
 */
size_t answers_means(const sweep *s, size_t result, double *mean);

/** A result over all runs. */
typedef struct answers_overall {
    size_t runs;      /**< with this result */
    double mean;      /**< over the runs: a point with more seeds has more weight */
    double deviation; /**< standard deviation, n - 1; NaN with one run */
    double minimum, median, maximum;
} answers_overall;

/** A result over all runs.
 *
 *  @param[out] all  NaN and 0 runs where there is no result.
 *  @return  false: no memory for half a MB.
 *  @cost    O(runs), 8 passes; runs need not be sorted: the median is selected by its bits, 16 at a time.
 */
bool answers_overall_of(const sweep *s, size_t result, answers_overall *all);

/*=============================================================================
 * MARK: - >>how sure
 *===========================================================================*/
/** Maximum number of combinations of choices that have intervals. */
#define ANSWERS_EXPECTED 40

/** Where a real run is expected that has these choices. */
typedef struct answers_expected {
    size_t point;     /**< one of those with these choices */
    size_t runs;      /**< with this result, at all of them */
    double median;    /**< of these runs */
    interval next;    /**< 80 % and 95 % intervals; not known unless all these results are > 0 */
    unsigned reasons; /**< for which the model's part is wider, see interval.h */
} answers_expected;

/** Whether the values of a parameter are choices, those of a list or a range in steps; otherwise it is not sure. */
bool answers_chosen(const sweep_parameter *p);

/** Intervals of a result for each combination of choices; one combination if there are none.
 *
 *  They have independent parts: how much the runs with these choices differ, which is what uncertain parameters and seeds do,
 *  and how far validated runs were from their predictions, if the model names a family of these.
 *
 *  @param[out] expected  expected[ANSWERS_EXPECTED], in the order of their points.
 *  @param[out] count     How many; 0: none, and `none` says why.
 *  @param[out] none      none[SWEEP_WHY]; empty if there are some.
 *  @return  false: no memory.
 */
bool answers_expected_of(const sweep *s, size_t result, answers_expected *expected, size_t *count, char *none);

/*=============================================================================
 * MARK: - >>effects
 *===========================================================================*/
/** A class of the values of a parameter. */
typedef struct answers_class {
    double value; /**< that stands for it, see answers_class_value() */
    double mean;  /**< of the point means in it; NaN without any */
    size_t count; /**< points with results in it */
} answers_class;

/** What a parameter does to a result. */
typedef struct answers_effect {
    size_t parameter;
    size_t count;             /**< classes */
    answers_class *classes;   /**< classes[count] */
    double smallest, largest; /**< class means */
    double low, high; /**< mean in the lowest and the highest class that has results; of words, smallest and largest */
    double low_value, high_value; /**< values of these two */
    simkit_interval first; /**< first-order index [1]: part of the variance that this parameter explains alone; its
                                    count is that of rows or points */
    simkit_interval total; /**< total index [1]: part that would remain if all others were fixed */
} answers_effect;

/** What a result depends on. */
typedef struct answers {
    const sweep *s;
    size_t result;
    double *mean;             /**< mean[sweep_points()] over the seeds; NaN where there is no result */
    size_t with;              /**< points with results */
    double overall;           /**< mean of the point means */
    double variance;          /**< of the point means, 1/n */
    double smallest, largest; /**< point means */
    size_t rows, left_out;    /**< SWEEP_SALTELLI: rows with all results, and without */
    size_t parameters;        /**< of the sweep */
    answers_effect *effect;   /**< effect[parameters] */
    size_t
        *order; /**< order[parameters]: by importance: total index, else first-order index, else range of the means */
} answers;

/** Computes what a result depends on.
 *
 *  Main effects are the means in the classes of a parameter, over all points with results.
 *
 *  Indices, of the means over the seeds; a scatter that these means still have counts as part of the total effects of all
 *  parameters:
 *  - SWEEP_SALTELLI: `S = mean(b (ab - a)) / V`, `T = mean((a - ab)^2) / 2 / V`, where a, b and ab are the results in a row,
 *    less their mean, and `V = mean((a^2 + b^2) / 2)`. Intervals by the delta method for independent rows, so they are too
 *    wide for the rows of a Sobol' sequence. Rows in which a result is missing are left out.
 *  - SWEEP_FACTORIAL, if all points have results: `S = Var(E[Y|x]) / Var(Y)`, `T = E[Var(Y|others)] / Var(Y)`, exact for the
 *    values of the sweep, each equally likely; no intervals (both ends are the index).
 *  - SWEEP_LATIN, SWEEP_SOBOL: `S = (B - (K - 1) W) / (B + (n - K + 1) W)` with K classes, about the cube root of the n points,
 *    10 to 250: B is the sum of squares between classes, W the variance within them with n - K degrees of freedom. For
 *    SWEEP_SOBOL, `S = B / (B + (n - K) W)`: its points are spread evenly within a class, and the correction would take too
 *    much (256 points of an additive function of 4 parameters: rms error 0.006 instead of 0.028; where the result is nothing
 *    but scatter, S is then too large, by K / n). No intervals, no T (NaN).
 *  All are NaN if the result is constant: its standard deviation is less than 1e-12 of its mean.
 *
 *  @param[in]  result  From 0.
 *  @param[out] a       To be closed.
 *  @return  false: no memory; nothing is to be closed.
 *  @source  S: Saltelli et al., Computer Physics Communications 181 (2010), table 2 (b). T: Jansen, Computer Physics
 *           Communications 117 (1999). Classes: Kelley, PNAS 21 (1935), epsilon squared; Plischke, Borgonovo, Smith, European
 *           Journal of Operational Research 226 (2013).
 *  @cost    O(points * parameters)
 */
bool answers_open(const sweep *s, size_t result, answers *a);

/** Frees it. */
void answers_close(answers *a);

/*=============================================================================
 * MARK: - >>choices
 *===========================================================================*/
/** A value that could be chosen. */
typedef struct answers_option {
    double value; /**< of the parameter */
    size_t cases; /**< combinations in which it has a result and can be compared */
    size_t best;  /**< those in which no value is better; equal ones are all best */
    double mean;  /**< of the result, over its cases */
    double loss;  /**< `result / best - 1` [1], mean over its cases; NaN if the best is not > 0 in one of them */
    double worst; /**< the same, maximum */
} answers_option;

/** What a [choice] asks: how far is each value from the best one? */
typedef struct answers_choice {
    size_t cases;           /**< combinations of the other parameters in which two values or more have results */
    size_t left_out;        /**< combinations with fewer */
    size_t count;           /**< options */
    answers_option *option; /**< option[count], in the order of classes */
    size_t chosen;          /**< option; count: the file names none */
    size_t favourite;       /**< option that is best most often; the first of several; count: none */
} answers_choice;

/** Answers a [choice]. For each combination of the other parameters, the best value has the smallest mean result.
 *
 *  @param[in]  mean    mean[sweep_points()], see answers_means(), of the result of this choice.
 *  @param[out] c       To be closed.
 *  @return  false: no memory; nothing is to be closed.
 */
bool answers_choice_open(const sweep *s, const sweep_choice *choice, const double *mean, answers_choice *c);

/** Frees it. */
void answers_choice_close(answers_choice *c);

/*=============================================================================
 * MARK: - >>all of it
 *===========================================================================*/
/** Prints what the results say: how many there are, a table of all results, the points of a small factorial design, where a
 *  real run is expected, or why that is not known, what the watched result depends on (also those of pictures), and choices.
 *
 *  @return  false: no memory, or the file cannot be written.
 */
bool answers_print(const sweep *s, FILE *file);

#endif
