/* model_balance.c - a day of jobs on workstations with users as a model for sweeps */
#include "../studies/balance.h"
#include "models.h"

enum { STRATEGY, BAGS, SHORT_MEAN, LONG_MEAN, SHORT_PART, PARAMETERS };
enum { RESPONSE, SLOWDOWN, BAG, USERS, HERDED, RESULTS };

static const sweep_quantity parameters[PARAMETERS] = {
    { "strategy", "1", BALANCE_FORECAST, "in-turn,load-average,own-jobs,forecast",
      "where a job is sent, see balance.h" },
    { "bags", "1/s", 12.0 / 3600, NULL, "arrivals of bags of eight jobs" },
    { "short-mean", "s", 10, NULL, "mean CPU time of short jobs" },
    { "long-mean", "s", 120, NULL, "mean CPU time of long jobs" },
    { "short-part", "1", 0.7, NULL, "part of the jobs that is short" },
};

static const sweep_quantity results[RESULTS] = {
    { "response", "s", 0, NULL, "mean time of a job" },
    { "slowdown", "1", 0, NULL, "mean, of a job, against an idle fast workstation" },
    { "bag", "s", 0, NULL, "mean time of a bag" },
    { "users-slower", "1", 0, NULL, "than without the jobs" },
    { "herded", "1", 0, NULL, "part of the jobs that is sent where one was sent in the last minute" },
};

static bool open_users(const char *path, void **shared, char *why)
{
    simkit_parse_error error = { 0 };
    if (!path) return snprintf(why, SWEEP_WHY, "model 'balance' needs an 'input' in [sweep]: a users file") < 0;
    const simkit_result read =
        simkit_population_read(&(simkit_input){ .path = path }, (simkit_population **)shared, &error);
    if (read == SIMKIT_OK) return true;
    return snprintf(why, SWEEP_WHY, "%s", *error.text ? error.text : simkit_result_text(read)) < 0;
}

static void close_users(void *shared)
{
    simkit_population_close((simkit_population *)shared);
}

static int run(const sweep_point *point, double *result)
{
    const balance_desc desc = { .strategy = (balance_strategy)point->value[STRATEGY],
                                .seed = point->seed,
                                .population = (const simkit_population *)point->shared,
                                .bags_per_hour = point->value[BAGS] * 3600,
                                .short_mean = point->value[SHORT_MEAN],
                                .long_mean = point->value[LONG_MEAN],
                                .short_part = point->value[SHORT_PART] };
    balance_outcome outcome;
    for (size_t i = BAGS; i < PARAMETERS; ++i) /* a zero would stand for the value of the study */
        if (!(point->value[i] > 0))
            return sweep_fail(point, "'%s' is %g: expected a number > 0", parameters[i].name, point->value[i]);
    if (balance_day(&desc, &outcome) != SIMKIT_OK) return sweep_fail(point, "%s", outcome.why);
    result[RESPONSE] = outcome.response;
    result[SLOWDOWN] = outcome.slowdown;
    result[BAG] = outcome.bag;
    result[USERS] = outcome.users / 100;
    result[HERDED] = outcome.herded / 100;
    return 0;
}

const sweep_model model_balance = { "balance", 1,          parameters,  PARAMETERS,    results, RESULTS,
                                    run,       open_users, close_users, SWEEP_REFUSES, NULL };
