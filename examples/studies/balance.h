/*
balance.h - a day of a parallel program on 16 workstations that others use, and four ways to choose one for each job

From 9 h to 17 h bags of eight jobs arrive, and each job is sent to a workstation at once, where it stays. The
workstations have users from a users file, such as examples/users/office.users; four are half as fast as most, and four
twice as fast. A job is a short one or a long one; either kind has exponential CPU times. The strategies:

    in turn       every workstation in turn, whatever its speed and its users
    load average  smallest (load + 1) / speed, over the last 60 s; a job sent a moment ago hardly shows in it
    own jobs      the same, but with the load of others only, plus the program's own jobs that run there now
    forecast      smallest sum of the job's time and the delay of the jobs that run there. The load of others is the
                  load average whose beta predicts best for that time, as load_index.c found: 0 for a few seconds, 0.9
                  for some tens, else 60/61. The program's own jobs are added with their expected remaining work.

USE     simkit_population_read(); then for each seed balance_alone(), once, and balance_day() for each strategy with
        what it gave. Days of one seed have the same users and the same jobs, so compare strategies seed by seed.
        balance.c is the whole study; it includes the body of simkit.h, here are only its declarations.

UNITS   [s] seconds, of a computer of speed 1 if CPU time; [1/h] per hour; [%] per cent; [1] ratios and counts

ERRORS  A simkit_result, and a sentence. A mean of nothing is NaN, and a sentence says so though the result is
        SIMKIT_OK: see balance_outcome.

THREADS Nothing is kept between calls: several threads may simulate days at once, also of one population.

MEMORY  A world, and 56 bytes for each job, from malloc(). All is freed at the end of the call.
*/
/** @file */
#ifndef BALANCE_H
#define BALANCE_H

#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Number of workstations, and of jobs in a bag. */
enum { BALANCE_SEATS = 16, BALANCE_TASKS = 8 };

/** Where to send a job. */
typedef enum balance_strategy {
    BALANCE_IN_TURN,                    /**< in turn */
    BALANCE_LOAD,                       /**< load average */
    BALANCE_OWN,                        /**< own jobs */
    BALANCE_FORECAST,                   /**< forecast */
    BALANCE_STRATEGIES,                 /**< their number */
    BALANCE_NOBODY = BALANCE_STRATEGIES /**< nowhere: there are no jobs, the users are by themselves */
} balance_strategy;

/** Names of the strategies. */
static const char *const balance_names[BALANCE_STRATEGIES] = { "in turn", "load average", "own jobs", "forecast" };

/** Speeds of the workstations [1]. */
static const double balance_speeds[BALANCE_SEATS] = { 1, 1, 1, 1, 1, 1, 1, 1, .5, .5, .5, .5, 2, 2, 2, 2 };

/** A day. Zero in a number of the program is the study's own value. */
typedef struct balance_desc {
    balance_strategy strategy;           /**< where to send jobs */
    uint64_t seed;                       /**< of all random numbers; 0 is a seed like any other */
    const simkit_population *population; /**< the users; borrowed for the call */
    double bags_per_hour;                /**< mean number of bags that arrive [1/h], <= 1000; 0: 12 */
    double short_mean;                   /**< mean CPU time of a short job [s], 0.001 .. 86400; 0: 10 */
    double long_mean;                    /**< and of a long one [s], likewise; 0: 120 */
    /** Part of the jobs that are short [1], <= 1; 0: 0.7. For long ones only, make both means the same. */
    double short_part;
    double alone; /**< what balance_alone() gave for this seed [1]; 0: balance_day() simulates that day also */
} balance_desc;

/** Results of a day. After an error all are NaN, and there are 0 jobs. Without jobs, means of jobs are NaN and `users`
 *  is 0. If none of the users' processes ends by 19 h, `users` is NaN. In each of these cases `why` says so. */
typedef struct balance_outcome {
    double response; /**< time from arrival to end of a job, mean [s] */
    double slowdown; /**< that against its time on an idle fast workstation, mean of the ratios [1] */
    double bag;      /**< time from the arrival of a bag to the end of its last job, mean [s] */
    double users;    /**< how much longer the users' processes take than without the program [%] */
    /** Jobs sent to a workstation that received another one within the last minute and still has it [%]. */
    double herded;
    size_t jobs;   /**< number of jobs [1] */
    char why[200]; /**< a sentence about an error, or about a NaN; else empty */
} balance_outcome;

/*=============================================================================
 * MARK: - >>balancer (private)
 *===========================================================================*/
enum { BALANCE__BETAS = 3 };
enum { BALANCE__FIRST = 9 * 3600, BALANCE__LAST = 17 * 3600 }; /* time in which bags arrive [s] */
enum { BALANCE__EVENING = 19 * 3600 };                         /* until when users are measured [s] */
/* A job that should have ended is assumed to have a twentieth left: results with 5 to 50 differ little. */
enum { BALANCE__OVERDUE = 20 };

static const double balance__betas[BALANCE__BETAS] = { 0, 0.9, 60.0 / 61 };

typedef struct balance__job {
    double demand, arrival, predicted, end; /* CPU time [s]; when; how long it takes [s]; when */
    struct balance__day *day;
    struct balance__job *next; /* on its workstation */
    int seat;
} balance__job;

typedef struct balance__seat {
    simkit_node node;
    balance__job *jobs;              /* jobs of the program that compute there */
    double own;                      /* their number */
    double smoothed[BALANCE__BETAS]; /* their part of its load averages */
    double sample;                   /* up to which time that is known [s] */
} balance__seat;

/* A day that runs. */
typedef struct balance__day {
    balance_desc desc; /* with numbers for the zeros */
    balance__seat seats[BALANCE_SEATS];
    balance__job *jobs; /* in the order of arrival */
    size_t count;
    int turn;             /* the workstation whose turn it is */
    size_t herded;        /* number of such jobs */
    simkit_result result; /* of jobs that could not start */
} balance__day;

/* Updates our own part of the load averages, before the number of our jobs changes and before it is used. */
static inline void balance__sample(balance__seat *at, double now)
{
    const double second = floor(now);

    if (second <= at->sample) return;
    for (int b = 0; b < BALANCE__BETAS; ++b)
        at->smoothed[b] =
            contention_load_after(balance__betas[b], at->smoothed[b], at->own, (uint64_t)(second - at->sample));
    at->sample = second;
}

static inline double balance__load_of_others(simkit_world *world, const balance__seat *at, int beta)
{
    const double load = simkit_load_average(world, at->node, balance__betas[beta], 1) - at->smoothed[beta];
    return load > 0 ? load : 0; /* negative by rounding */
}

/* With f others the job gets the share of one in 1 + f. It and each job of ours there delay each other by the smaller
 * of their remaining works. Divisions only: they are rounded alike on all machines, whereas a product and a sum may be
 * rounded once or twice. */
static inline double balance__forecast(simkit_world *world, const balance__seat *at, double speed, double demand,
                                       double *delay)
{
    const double now = simkit_clock_now(world), alone = demand / speed;
    const int beta = alone < 8 ? 0 : alone < 60 ? 1 : 2;
    double ours = 0;

    for (const balance__job *j = at->jobs; j; j = j->next) {
        const double rest = j->predicted - (now - j->arrival);
        const double left = rest > 0 ? j->demand / (j->predicted / rest) : j->demand / BALANCE__OVERDUE;
        ours += left < demand ? left : demand;
    }
    *delay = ours / speed;
    return alone / contention_share_equal(1, 0, 1 + balance__load_of_others(world, at, beta)) + ours / speed;
}

static inline double balance__cost(simkit_world *world, const balance__day *day, int number, const balance__job *of)
{
    const balance__seat *at = &day->seats[number];
    const double speed = balance_speeds[number];
    double seconds, delay;

    switch (day->desc.strategy) {
    case BALANCE_IN_TURN: return (number - day->turn + BALANCE_SEATS) % BALANCE_SEATS;
    case BALANCE_LOAD: return (simkit_load_average(world, at->node, balance__betas[2], 1) + 1) / speed;
    case BALANCE_OWN: return (balance__load_of_others(world, at, 2) + at->own + 1) / speed;
    default: seconds = balance__forecast(world, at, speed, of->demand, &delay); return seconds + delay;
    }
}

static inline void balance__ends(simkit_world *world, void *user)
{
    balance__job *j = (balance__job *)user;
    balance__seat *seat = &j->day->seats[j->seat];
    balance__job **at = &seat->jobs;

    j->end = simkit_clock_now(world);
    balance__sample(seat, j->end);
    seat->own--;
    while (*at != j) at = &(*at)->next;
    *at = j->next;
}

static inline void balance__arrives(simkit_world *world, void *user)
{
    balance__job *j = (balance__job *)user;
    balance__day *day = j->day;
    const double now = simkit_clock_now(world);
    double least = (double)INFINITY, delay;
    balance__seat *to;

    for (int i = 0; i < BALANCE_SEATS; ++i) {
        balance__sample(&day->seats[i], now);
        const double here = balance__cost(world, day, i, j);
        if (here < least) least = here, j->seat = i;
    }
    to = &day->seats[j->seat];
    for (const balance__job *other = to->jobs; other; other = other->next)
        if (now - other->arrival < 60) {
            ++day->herded;
            break;
        }
    const simkit_computation_desc desc = { .node = to->node, .seconds = j->demand, .done = balance__ends, .user = j };
    j->predicted = balance__forecast(world, to, balance_speeds[j->seat], j->demand, &delay);
    j->next = to->jobs, to->jobs = j, to->own++;
    day->turn = (day->turn + 1) % BALANCE_SEATS;
    day->result = simkit_computation_start(world, &desc, NULL);
    if (day->result != SIMKIT_OK) simkit_world_stop(world);
}

/*=============================================================================
 * MARK: - >>a day
 *===========================================================================*/
static inline simkit_result balance__refuse(char why[200], const char *what, double value, const char *expected)
{
    snprintf(why, 200, "%s is %g, expected %s", what, value, expected);
    return SIMKIT_BAD_ARGUMENT;
}

static inline bool balance__is_mean(double seconds)
{
    return seconds == 0 || (seconds >= 0.001 && seconds <= 86400);
}

/* Checks a description, and puts the study's own values in place of zeros. */
static inline simkit_result balance__begin(balance__day *day, const balance_desc *desc, char why[200])
{
    static const char missing[] = "a day needs a description, a population and a place for its results";
    balance_desc *d = &day->desc;

    memset(day, 0, sizeof *day);
    if (!desc || !desc->population) return snprintf(why, 200, "%s", missing), SIMKIT_BAD_ARGUMENT;
    *d = *desc;
    if ((unsigned)d->strategy > BALANCE_NOBODY)
        return balance__refuse(why, "strategy", (double)d->strategy, "one of balance_strategy");
    if (!(d->bags_per_hour >= 0 && d->bags_per_hour <= 1000))
        return balance__refuse(why, "bags_per_hour", d->bags_per_hour, "0 to 1000; 0 stands for 12");
    if (!balance__is_mean(d->short_mean))
        return balance__refuse(why, "short_mean", d->short_mean, "0.001 s to 86400 s, or 0, which stands for 10 s");
    if (!balance__is_mean(d->long_mean))
        return balance__refuse(why, "long_mean", d->long_mean, "0.001 s to 86400 s, or 0, which stands for 120 s");
    if (!(d->short_part >= 0 && d->short_part <= 1))
        return balance__refuse(why, "short_part", d->short_part, "0 to 1; 0 stands for 0.7");
    if (!(d->alone >= 0 && d->alone < (double)INFINITY))
        return balance__refuse(why, "alone", d->alone, "what balance_alone() gave, or 0");
    if (d->bags_per_hour == 0) d->bags_per_hour = 12;
    if (d->short_mean == 0) d->short_mean = 10;
    if (d->long_mean == 0) d->long_mean = 120;
    if (d->short_part == 0) d->short_part = 0.7;
    return SIMKIT_OK;
}

/* When the next bag arrives [s]. NaN is as good as late: the mean may be infinite. */
static inline bool balance__next_bag(const balance__day *day, simkit_random *when, double *time)
{
    *time += simkit_random_exponential(when, 3600 / day->desc.bags_per_hour);
    return *time <= BALANCE__LAST;
}

/* The bags of a day, the same for every strategy. They are counted first, because jobs must not move. */
static inline simkit_result balance__send_bags(balance__day *day, simkit_world *world)
{
    simkit_random counted = simkit_random_stream(world, 1), when = counted, what = simkit_random_stream(world, 2);
    simkit_result result = SIMKIT_OK;
    const balance_desc *d = &day->desc;
    double time = BALANCE__FIRST;

    while (balance__next_bag(day, &counted, &time)) day->count += BALANCE_TASKS;
    if (day->count == 0) return SIMKIT_OK;
    day->jobs = (balance__job *)calloc(day->count, sizeof *day->jobs);
    if (!day->jobs) return SIMKIT_NO_MEMORY;
    time = BALANCE__FIRST;
    for (size_t i = 0; i < day->count && result == SIMKIT_OK; ++i) {
        balance__job *j = &day->jobs[i];
        if (i % BALANCE_TASKS == 0) balance__next_bag(day, &when, &time);
        j->day = day, j->arrival = time;
        const bool is_short = simkit_random_uniform(&what) < d->short_part;
        j->demand = simkit_random_exponential(&what, is_short ? d->short_mean : d->long_mean);
        result = simkit_step_at(world, time, 0, balance__arrives, j, NULL);
    }
    return result;
}

/* The users' processes that end until the evening. Our jobs may continue after that. */
static inline simkit_result balance__live(balance__day *day, simkit_source_tally *users, char why[200])
{
    simkit_world *world;
    simkit_result result = simkit_world_open(&(simkit_world_desc){ .seed = day->desc.seed }, &world);

    for (int i = 0; i < BALANCE_SEATS && result == SIMKIT_OK; ++i) {
        simkit_node *node = &day->seats[i].node;
        result = simkit_node_add(world, &(simkit_node_desc){ .speed = balance_speeds[i] }, node);
        if (result == SIMKIT_OK) result = simkit_population_start(world, day->desc.population, (size_t)i + 1, *node);
    }
    if (result == SIMKIT_OK && day->desc.strategy != BALANCE_NOBODY) result = balance__send_bags(day, world);
    if (result == SIMKIT_OK) result = simkit_world_run_until(world, BALANCE__EVENING);
    if (result == SIMKIT_OK) *users = simkit_source_progress(world, 0);
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (day->result != SIMKIT_OK) result = day->result;
    if (result != SIMKIT_OK) {
        const char *text = world ? simkit_world_why(world) : "";
        snprintf(why, 200, "%.199s", *text ? text : simkit_result_text(result));
    }
    simkit_world_close(world);
    return result;
}

/* The means of a day's jobs. */
static inline void balance__measure(const balance__day *day, balance_outcome *outcome)
{
    const double jobs = (double)day->count;
    double response = 0, slowdown = 0, bags = 0, bag_end = 0;

    for (size_t i = 0; i < day->count; ++i) {
        const balance__job *j = &day->jobs[i];
        const double took = j->end - j->arrival;
        response += took;
        slowdown += took / (j->demand / balance_speeds[BALANCE_SEATS - 1]);
        if (j->end > bag_end) bag_end = j->end;
        if ((i + 1) % BALANCE_TASKS != 0) continue;
        bags += bag_end - j->arrival;
        bag_end = 0;
    }
    outcome->response = response / jobs;
    outcome->slowdown = slowdown / jobs;
    outcome->bag = bags / (jobs / BALANCE_TASKS);
    outcome->herded = 100 * (double)day->herded / jobs;
}

/* Says what has no mean. */
static inline void balance__remark(bool jobs, bool users, char why[200])
{
    snprintf(why, 200, "%s%s%s", jobs ? "" : "no bag arrived by 17 h", jobs || users ? "" : ", and ",
             users ? "" : "no process of the users ended by 19 h");
}

/** Run time per CPU second of the users on a day without the program.
 *
 *  @param[in]  desc   The day; its strategy and `alone` do not matter.
 *  @param[out] alone  Run time per CPU second of their processes that end by 19 h [1]; 1 if none does; unchanged
 *                     after an error. May be the one in `desc`.
 *  @param[out] why    why[200]: a sentence about an error, or that none ended; else empty.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY; what a run of the world may return.
 *  @cost    14 ms with office.users
 */
static inline simkit_result balance_alone(const balance_desc *desc, double *alone, char why[200])
{
    balance__day day;
    simkit_source_tally users = { 0, 0, 0, 0 };

    *why = 0;
    simkit_result result = balance__begin(&day, desc, why);
    if (result != SIMKIT_OK) return result;
    day.desc.strategy = BALANCE_NOBODY;
    result = balance__live(&day, &users, why);
    if (result != SIMKIT_OK) return result;
    balance__remark(true, users.demand > 0, why);
    *alone = users.demand > 0 ? users.response / users.demand : 1;
    return SIMKIT_OK;
}

/** Simulates a day.
 *
 *  @param[in]  desc     The day; borrowed.
 *  @param[out] outcome  Its results.
 *  @return  SIMKIT_OK, also for a day without jobs; SIMKIT_BAD_ARGUMENT for a number out of range or NaN, or a missing
 *           population; SIMKIT_NO_MEMORY; what a run of the world may return.
 *  @cost    22 ms with the study's own values and office.users, and that of balance_alone() if `alone` is 0. From about
 *           200 bags an hour on jobs accumulate, and each arrival looks at all of them: 0.2 s for 300, 11 s for 1000.
 */
static inline simkit_result balance_day(const balance_desc *desc, balance_outcome *outcome)
{
    const double nan = (double)NAN;
    balance__day day;
    simkit_source_tally users = { 0, 0, 0, 0 };

    if (!outcome) return SIMKIT_BAD_ARGUMENT;
    *outcome = (balance_outcome){ nan, nan, nan, nan, nan, 0, "" };
    simkit_result result = balance__begin(&day, desc, outcome->why);
    if (result != SIMKIT_OK) return result;
    double alone = day.desc.alone;
    if (alone == 0) result = balance_alone(&day.desc, &alone, outcome->why);
    if (result == SIMKIT_OK) result = balance__live(&day, &users, outcome->why);
    if (result == SIMKIT_OK) {
        const bool ended = users.demand > 0;
        outcome->jobs = day.count;
        if (day.count > 0) balance__measure(&day, outcome);
        if (ended) outcome->users = 100 * (users.response / users.demand / alone - 1);
        balance__remark(day.count > 0, ended, outcome->why);
    }
    free(day.jobs);
    return result;
}

#endif
