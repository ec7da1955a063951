/* A parallel program has jobs for 16 workstations that others use: on which should each compute?
 * cc -O2 -DSIMKIT_STATIC -I. examples/studies/balance.c -o balance -lm && ./balance     (four seconds; --svg FILE draws it)
 *
 * Through a working day, bags of eight jobs arrive, and each job is sent to a workstation at once, where it stays. The
 * workstations have users from examples/users/office.users; four are half as fast as most, and four twice as fast.
 *   in turn       every workstation in turn, whatever its speed and its users
 *   load average  smallest (load + 1) / speed, over the last 60 s; a job sent a moment ago hardly shows in it
 *   own jobs      the same, but with the load of others only, plus the program's own jobs that run there now
 *   forecast      smallest sum of the job's time and the delay of the jobs that run there. The load of others is the
 *                 load average whose beta predicts best for that time, as load_index.c found: 0 for a few seconds, 0.9
 *                 for some tens, else 60/61. The program's own jobs are added with their expected remaining work.
 * Not better: one beta for all jobs (0: 2 % longer, 60/61: 1 %); moving the load of others towards its mean of the day
 * before, more for longer jobs (1 %). The difference comes from knowing the program's own jobs. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "../svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEATS = 16, TASKS = 8, MOST_JOBS = 8000, MOST_DAYS = 1000, BETAS = 3 };
enum { RESPONSE, SLOWDOWN, BAG, USERS, HERD, MEASURES }; /* [s], [1], [s], [%], [%] */
enum { IN_TURN, LOAD, OWN, FORECAST, STRATEGIES, NOBODY = STRATEGIES /* the users by themselves */ };

static const char *const names[STRATEGIES] = { "in turn", "load average", "own jobs", "forecast" };
static const double speeds[SEATS] = { 1, 1, 1, 1, 1, 1, 1, 1, .5, .5, .5, .5, 2, 2, 2, 2 };
static const double betas[BETAS] = { 0, 0.9, 60.0 / 61 };
static const double first = 9 * 3600, last = 17 * 3600, evening = 19 * 3600; /* [s], of the bags; of the simulation */
static const double bags_per_hour = 12, means[2] = { 10, 120 } /* [s], of the jobs: 70 % short ones, 30 % long */;

typedef struct job {
    double demand, arrival, predicted, end; /* CPU time [s]; when; how long it takes [s]; when, if not 0 */
    int bag, seat;
    struct job *next; /* on its workstation */
} job;

typedef struct seat {
    simkit_node node;
    job *jobs;              /* jobs of the program that compute there */
    double own;             /* their number */
    double smoothed[BETAS]; /* their part of its load averages */
    double sample;          /* up to which time that is known [s] */
} seat;

static seat seats[SEATS];
static job jobs[MOST_JOBS];
static int strategy, jobs_count, placed, herded;

static double results[STRATEGIES][MEASURES][MOST_DAYS];

/*=============================================================================
 * The balancer
 *===========================================================================*/
/* Updates our own part of the load averages, before the number of our jobs changes and before it is used. */
static void sample(seat *at, double now)
{
    const double second = floor(now);

    if (second <= at->sample) return;
    for (int b = 0; b < BETAS; ++b)
        at->smoothed[b] = contention_load_after(betas[b], at->smoothed[b], at->own, (uint64_t)(second - at->sample));
    at->sample = second;
}

static double load_of_others(simkit_world *world, seat *at, int beta)
{
    const double load = simkit_load_average(world, at->node, betas[beta], 1) - at->smoothed[beta];
    return load > 0 ? load : 0; /* negative by rounding */
}

enum {
    OVERDUE = 20
}; /* a job that should have ended is assumed to have a twentieth left: results with 5 to 50 differ little */

/* With f others the job gets the share of one in 1 + f. It and each job of ours there delay each other by the smaller
 * of their remaining works. Divisions only: they are rounded alike on all machines, whereas a product and a sum may be
 * rounded once or twice. */
static double forecast(simkit_world *world, seat *at, double speed, double demand, double *delay)
{
    const double now = simkit_clock_now(world), alone = demand / speed;
    const int beta = alone < 8 ? 0 : alone < 60 ? 1 : 2;
    double ours = 0;

    for (const job *j = at->jobs; j; j = j->next) {
        const double rest = j->predicted - (now - j->arrival);
        const double left = rest > 0 ? j->demand / (j->predicted / rest) : j->demand / OVERDUE;
        ours += left < demand ? left : demand;
    }
    *delay = ours / speed;
    return alone / contention_share_equal(1, 0, 1 + load_of_others(world, at, beta)) + ours / speed;
}

static double cost(simkit_world *world, int number, const job *of)
{
    seat *at = &seats[number];
    double seconds, delay;

    switch (strategy) {
    case IN_TURN: return (number - placed % SEATS + SEATS) % SEATS;
    case LOAD: return (simkit_load_average(world, at->node, betas[2], 1) + 1) / speeds[number];
    case OWN: return (load_of_others(world, at, 2) + at->own + 1) / speeds[number];
    default: seconds = forecast(world, at, speeds[number], of->demand, &delay); return seconds + delay;
    }
}

static void ends(simkit_world *world, void *user)
{
    job *j = (job *)user, **at = &seats[j->seat].jobs;

    j->end = simkit_clock_now(world);
    sample(&seats[j->seat], j->end);
    seats[j->seat].own--;
    while (*at != j) at = &(*at)->next;
    *at = j->next;
}

static void arrives(simkit_world *world, void *user)
{
    job *j = (job *)user;
    const double now = simkit_clock_now(world);
    double least = INFINITY, delay;
    seat *to;

    for (int i = 0; i < SEATS; ++i) {
        sample(&seats[i], now);
        const double here = cost(world, i, j);
        if (here < least) least = here, j->seat = i;
    }
    to = &seats[j->seat];
    for (const job *other = to->jobs; other; other = other->next)
        if (now - other->arrival < 60) {
            ++herded;
            break;
        }
    const simkit_computation_desc desc = { .node = to->node, .seconds = j->demand, .done = ends, .user = j };
    j->predicted = forecast(world, to, speeds[j->seat], j->demand, &delay);
    j->next = to->jobs, to->jobs = j, to->own++, placed++;
    if (simkit_computation_start(world, &desc, NULL) != SIMKIT_OK) simkit_world_stop(world);
}

/*=============================================================================
 * A day
 *===========================================================================*/
/* The bags of a day, the same for every strategy. */
static simkit_result send_bags(simkit_world *world)
{
    simkit_random when = simkit_random_stream(world, 1), what = simkit_random_stream(world, 2);
    simkit_result result = SIMKIT_OK;
    double time = first;

    for (int bag = 0; result == SIMKIT_OK; ++bag) {
        time += simkit_random_exponential(&when, 3600 / bags_per_hour);
        if (time > last || jobs_count + TASKS > MOST_JOBS) break;
        for (int i = 0; i < TASKS && result == SIMKIT_OK; ++i) {
            job *j = &jobs[jobs_count++];
            memset(j, 0, sizeof *j);
            j->bag = bag, j->arrival = time;
            j->demand = simkit_random_exponential(&what, means[simkit_random_uniform(&what) < 0.7 ? 0 : 1]);
            result = simkit_step_at(world, time, 0, arrives, j, NULL);
        }
    }
    return result;
}

/* The measures of a day; `slower`: run time per CPU second of the users without the program [1]. */
static void measure(int day, double slower)
{
    double response = 0, slowdown = 0, bags = 0, bag_end = 0;

    for (int i = 0; i < jobs_count; ++i) {
        const double took = jobs[i].end - jobs[i].arrival;
        response += took;
        slowdown += took / (jobs[i].demand / speeds[SEATS - 1]);
        if (jobs[i].end > bag_end) bag_end = jobs[i].end;
        if (i + 1 < jobs_count && jobs[i + 1].bag == jobs[i].bag) continue;
        bags += bag_end - jobs[i].arrival;
        bag_end = 0;
    }
    results[strategy][RESPONSE][day] = response / jobs_count;
    results[strategy][SLOWDOWN][day] = slowdown / jobs_count;
    results[strategy][BAG][day] = bags / (jobs_count / TASKS);
    results[strategy][USERS][day] = 100 * (slower - 1);
    results[strategy][HERD][day] = 100.0 * herded / jobs_count;
}

static bool live(int day, const simkit_population *population, double *alone)
{
    simkit_world *world;
    simkit_result result = simkit_world_open(&(simkit_world_desc){ .seed = (uint64_t)day + 1 }, &world);

    if (result != SIMKIT_OK) return false;
    memset(seats, 0, sizeof seats);
    jobs_count = placed = herded = 0;
    for (int i = 0; i < SEATS && result == SIMKIT_OK; ++i) {
        result = simkit_node_add(world, &(simkit_node_desc){ .speed = speeds[i] }, &seats[i].node);
        if (result == SIMKIT_OK) result = simkit_population_start(world, population, (size_t)i + 1, seats[i].node);
    }
    if (result == SIMKIT_OK && strategy != NOBODY) result = send_bags(world);
    if (result == SIMKIT_OK) result = simkit_world_run_until(world, evening);
    const simkit_source_tally users = simkit_source_progress(world, 0); /* our jobs may continue after that */
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result != SIMKIT_OK) fprintf(stderr, "balance: %s\n", simkit_world_why(world));
    if (result == SIMKIT_OK && strategy == NOBODY)
        *alone = users.response / users.demand;
    else if (result == SIMKIT_OK)
        measure(day, users.response / users.demand / *alone);
    simkit_world_close(world);
    return result == SIMKIT_OK;
}

/*=============================================================================
 * Results
 *===========================================================================*/
typedef struct interval {
    double mean, half; /* of a confidence interval of 95 % */
} interval;

/* Mean of a measure, or of its difference from another strategy on the same day (`than` >= 0). */
static interval over_days(int of, int than, int measure, int days)
{
    double sum = 0, squares = 0;

    for (int day = 0; day < days; ++day)
        sum += results[of][measure][day] - (than < 0 ? 0 : results[than][measure][day]);
    for (int day = 0; day < days; ++day) {
        const double off = results[of][measure][day] - (than < 0 ? 0 : results[than][measure][day]) - sum / days;
        squares += off * off;
    }
    return (interval){ sum / days, netmodel_student(0.95, (size_t)days - 1) * sqrt(squares / days / (days - 1)) };
}

static void print_tables(int days)
{
    static const char *const units[MEASURES] = { "a job takes [s]", "its slowdown [1]", "a bag takes [s]",
                                                 "users slower [%]", "herded [%]" };

    printf("Mean of %d days with 95 %% confidence intervals\n\n              ", days);
    for (int m = 0; m < MEASURES; ++m) printf("  %16s", units[m]);
    for (int s = 0; s < STRATEGIES; ++s) {
        printf("\n%-14s", names[s]);
        for (int m = 0; m < MEASURES; ++m) {
            const interval i = over_days(s, -1, m, days);
            printf("  %8.2f +- %4.2f", i.mean, i.half);
        }
    }
    printf(
        "\n\nslowdown: of a job, against an idle fast workstation; users slower: against the same day without the "
        "program;\nherded: jobs sent to a workstation that received another one within the last minute and still has "
        "it\n");
    printf("\nDifference from the row above, on the same days\n");
    for (int s = 1; s < STRATEGIES; ++s) {
        printf("\n%-14s", names[s]);
        for (int m = 0; m < MEASURES; ++m) {
            const interval i = over_days(s, s - 1, m, days);
            printf("  %+8.2f +- %4.2f", i.mean, i.half);
        }
    }
    printf("\n\nTime of a job, with its interval\n");
    for (int s = 0; s < STRATEGIES; ++s) {
        const interval i = over_days(s, -1, RESPONSE, days);
        char bar[100];
        memset(bar, 0, sizeof bar);
        for (int c = 0; c < 99 && c < i.mean + i.half - 0.5; ++c) bar[c] = c < i.mean - i.half - 0.5 ? '#' : '=';
        printf("%-14s|%s\n", names[s], bar);
    }
    printf("              +");
    for (int c = 20; c <= 80; c += 20) printf("%19d%s", c, c < 80 ? "|" : "| s\n");
}

/* Means over the days with their 95 % confidence intervals. */
static bool draw(const char *path, int days)
{
    static const struct {
        const char *label;
        int what;
    } plots[] = { { "a job takes [s]", RESPONSE },
                  { "a bag of eight takes [s]", BAG },
                  { "users are slower by [%]", USERS } };
    char title[100];
    svg s;

    snprintf(title, sizeof title,
             "Jobs for 16 shared workstations: where should each compute? (%d days, 95 %% intervals)", days);
    svg_open(&s, path, title, 900, 320);
    for (int k = 0; k < 3; ++k) {
        const double left = 110 + 265 * k;
        double most = 0, mean[STRATEGIES], low[STRATEGIES], high[STRATEGIES];
        for (int i = 0; i < STRATEGIES; ++i) {
            const interval in = over_days(i, -1, plots[k].what, days);
            mean[i] = in.mean, low[i] = in.mean - in.half, high[i] = in.mean + in.half;
            most = fmax(most, high[i]);
        }
        svg_plot(&s, left, left + 235, (svg_axis){ .label = plots[k].label, .to = 1.25 * most },
                 (svg_axis){ .rows = true, .to = STRATEGIES, .names = k == 0 ? names : NULL });
        svg_bars(&s, STRATEGIES, mean, low, high, "%.1f", svg_colours[k]);
    }
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    static const char usage[] = "balance [--days N] [--users FILE] [--svg FILE]\n"
                                "  --days   number of days, each with other random numbers, 2 to 1000 (30)\n"
                                "  --users  users of the workstations (examples/users/office.users)\n";
    static const char where[] = "\nbalance: run it from the top of the project, or name a file with --users";
    const char *users = "examples/users/office.users", *picture = NULL;
    long days = 30;
    simkit_population *population;
    simkit_parse_error error;

    for (int i = 1; i < argc; i += 2) {
        char *rest = NULL;
        if (i + 1 < argc && strcmp(argv[i], "--users") == 0)
            users = argv[i + 1];
        else if (i + 1 < argc && strcmp(argv[i], "--svg") == 0)
            picture = argv[i + 1];
        else if (i + 1 == argc || strcmp(argv[i], "--days") != 0 || (days = strtol(argv[i + 1], &rest, 10)) < 2 ||
                 days > MOST_DAYS || *rest)
            return fputs(usage, stderr), 1;
    }
    if (simkit_population_read(&(simkit_input){ .path = users }, &population, &error) != SIMKIT_OK)
        return fprintf(stderr, "balance: %s%s\n", error.text, error.line ? "" : where), 1;
    for (int day = 0; day < days; ++day) {
        double alone = 1;
        for (strategy = NOBODY; strategy >= 0; --strategy)
            if (!live(day, population, &alone)) return 1;
    }
    simkit_population_close(population);
    print_tables((int)days);
    if (!draw(picture, (int)days)) return 1;
    return 0;
}
