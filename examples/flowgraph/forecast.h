/*
forecast.h - how long will the next run take, and how sure is that?

Each seed gives one simulated time, because it shifts the periods of the nodes' quotas and changes what their users do. A
forecast is the median over several seeds, with an interval for the next run. The interval combines independent errors: the
spread of the seeds, the uncertainty of each measurement of the machine, and what the model does not explain. If values in the
machine file have errors, as `58 us +- 2 us`, the spread is that of worlds with a seed and a draw of these values each.

UNITS   [s] seconds
*/
/** @file */
#ifndef FORECAST_H
#define FORECAST_H

#include "../interval.h"
#include "simkit.h"
#include "util/simkit_files.h"

/** What to forecast. */
typedef struct forecast_desc {
    size_t seeds; /**< number of simulations, made odd; 1 .. FORECAST_SEEDS */
    /** The machine of the simulations, with how far its measurements differed in [operation calibration]. It is
     *  modified between simulations and restored before forecast_make() returns. NULL: nothing is known about it. */
    simkit_machine *machine;
    /** Simulates with a seed and says how long the run takes [s]; false: that failed, and was reported. Called for each
     *  seed, and again for each seed and each measurement that may be off: up to 4 times `seeds`; and once more for each
     *  seed after `draw`. */
    bool (*simulate)(void *user, uint64_t seed, double *seconds);
    void *user; /**< handed to it */
    /** From now on, simulations are those of this draw of the machine's values that have an error; 0, in the end: of these
     *  values as they stand. False: that failed, and was reported. NULL, or no such value in `machine`: it is not called. */
    bool (*draw)(void *user, unsigned draw);
    size_t nodes; /**< of the run [1] */
} forecast_desc;

/** Maximum number of seeds. */
#define FORECAST_SEEDS 99

/** What makes a forecast doubtful. */
enum {
    FORECAST_CROWDED = 1, /**< the nodes of a computer may use more than its cores together */
    FORECAST_WIDE = 2     /**< the interval ends more than FORECAST_WIDTH away */
};

/** An interval that ends farther away from the forecast, relative to it, is wide. */
#define FORECAST_WIDTH 0.12

/** A forecast. */
typedef struct forecast {
    double seconds;   /**< median [s] */
    uint64_t seed;    /**< the one that has it */
    interval next;    /**< 80 % and 95 % intervals of the next run */
    unsigned doubts;  /**< FORECAST_CROWDED, FORECAST_WIDE; 0: none */
    unsigned reasons; /**< for which what the model does not explain is wider, see interval.h */
} forecast;

/** Forecasts a run.
 *
 *  @param[in]  desc   What; borrowed.
 *  @param[out] found  The forecast.
 *  @return  Whether it was made; otherwise a simulation failed, or memory ran out.
 */
bool forecast_make(const forecast_desc *desc, forecast *found);

/** Prints both intervals, and for what they are wider; or, if they are not known, why.
 *
 *  @param[in] f        Where.
 *  @param[in] next     The intervals.
 *  @param[in] reasons  For which they are wider, as in a forecast.
 *  @param[in] needs    What `--seeds` takes besides, as "--machine FILE"; NULL: it is there.
 */
void forecast_print(FILE *f, const interval *next, unsigned reasons, const char *needs);

/** What a doubt is.
 *
 *  @param[in] doubts  Of a forecast.
 *  @return  A static sentence for the first doubt that is set; "" for 0.
 */
const char *forecast_doubt_text(unsigned doubts);

#endif
