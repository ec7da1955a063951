/* How far can the mean of one simulated run be trusted?
 * cc -O2 -DSIMKIT_STATIC -I. examples/confidence.c -o confidence -lm && ./confidence
 *
 * A server with one queue, M/M/1 at load 0.75, has been down: 200 customers wait when the run begins. In steady state the
 * time in the system is exponential with mean S / (1 - rho) = 4 s, and rho / (1 - rho) = 3 customers are there. A 95 %
 * interval is right if it contains the 4 s in 95 % of the runs. Two things make it wrong: the warm-up, and taking customers
 * for independent although each waits for those before. What is then still missing to 95 % comes from short batches and from
 * MSER-5, which likes to begin with a quiet time. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"

#include <math.h>
#include <string.h>

enum { RUNS = 200, CUSTOMERS = 20000, BACKLOG = 200, BINS = 12 };

static const double load = 0.75, truth = 4;

typedef struct shop {
    simkit_random when, what; /* random streams: arrivals, service times */
    double came[CUSTOMERS];   /* when each customer came [s] */
    double took[CUSTOMERS];   /* time in the system [s] */
    unsigned arrived, served;
    simkit_level there; /* customers in the system */
} shop;

static void serve(simkit_world *world, void *user);

static void after(simkit_world *world, double seconds, simkit_call *call, shop *s)
{
    if (simkit_step_after(world, seconds, 0, call, s, NULL) != SIMKIT_OK) simkit_world_stop(world);
}

static void arrive(simkit_world *world, void *user)
{
    shop *s = (shop *)user;
    const double now = simkit_clock_now(world);
    s->came[s->arrived++] = now;
    simkit_level_set(&s->there, s->there.value + 1, now);
    if (s->arrived < BACKLOG) { arrive(world, s); return; } /* they all come at once */
    if (s->arrived - s->served == 1 || now <= 0) /* the server was idle */
        after(world, simkit_random_exponential(&s->what, 1), serve, s);
    if (s->arrived < CUSTOMERS) after(world, simkit_random_exponential(&s->when, 1 / load), arrive, s);
}

static void serve(simkit_world *world, void *user) /* a customer is done; the next */
{
    shop *s = (shop *)user;
    const double now = simkit_clock_now(world);
    s->took[s->served] = now - s->came[s->served];
    ++s->served;
    simkit_level_set(&s->there, s->there.value - 1, now);
    if (s->served < s->arrived) after(world, simkit_random_exponential(&s->what, 1), serve, s);
    if (s->served == 4000) simkit_level_restart(&s->there, now);
}

static bool run(shop *s, uint64_t seed)
{
    const simkit_world_desc desc = { .seed = seed };
    simkit_world *world;
    if (simkit_world_open(&desc, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), false;
    memset(s, 0, sizeof *s);
    s->when = simkit_random_stream(world, 1);
    s->what = simkit_random_stream(world, 2);
    const bool fine = !simkit_step_after(world, 0, 0, arrive, s, NULL) && !simkit_world_run(world);
    if (!fine) fputs(simkit_world_why(world), stderr);
    simkit_world_close(world);
    return fine;
}

/* The interval from customer `first` on, by batch means or as if the customers were independent. */
static simkit_interval estimate(const shop *s, size_t first, bool batches, double *correlation)
{
    simkit_tally tally = { 0 };
    simkit_batches batch = { 0 };
    for (size_t i = first; i < CUSTOMERS; ++i) {
        simkit_tally_add(&tally, s->took[i]);
        simkit_batches_add(&batch, s->took[i]);
    }
    *correlation = simkit_batches_correlation(&batch);
    return batches ? simkit_batches_interval(&batch, 0.95) : simkit_tally_interval(&tally, 0.95);
}

int main(void)
{
    static const char *const names[] = { "all customers, as if independent", "all customers, batch means",
                                         "after the warm-up, as if independent", "after the warm-up, batch means" };
    static shop s;
    static simkit_quantiles all;
    static uint64_t bins[BINS];
    simkit_histogram h = { .low = 0, .high = 18, .count = BINS, .bins = bins };
    simkit_tally half[4] = { { 0 } }, right[4] = { { 0 } }, there = { 0 };
    static const double parts[] = { 0.5, 0.9, 0.99 };
    double correlation = 0;

    for (uint64_t seed = 1; seed <= RUNS; ++seed) {
        if (!run(&s, seed)) return 1;
        const size_t warm = simkit_warm_up(s.took, CUSTOMERS);
        if (seed == 1) printf("One run; the truth is %g s, the warm-up %d customers\n\n", truth, (int)warm);
        for (int way = 0; way < 4; ++way) {
            const simkit_interval i = estimate(&s, way < 2 ? 0 : warm, way % 2 == 1, &correlation);
            simkit_tally_add(&half[way], i.high - i.mean);
            simkit_tally_add(&right[way], i.low <= truth && truth <= i.high);
            if (seed == 1) printf("%-38s %5.2f +- %5.2f s\n", names[way], i.mean, i.high - i.mean);
        }
        if (seed == 1) printf("correlation of neighbouring batches    %5.2f\n", correlation);
        for (size_t i = warm; i < CUSTOMERS; ++i) {
            simkit_quantiles_add(&all, s.took[i]);
            simkit_histogram_add(&h, s.took[i]);
        }
        simkit_tally_add(&there, simkit_level_until(&s.there, s.there.time).mean);
    }
    printf("\n%d runs                               +- on average   right\n\n", RUNS);
    for (int way = 0; way < 4; ++way)
        printf("%-38s %8.2f s   %6.1f %%  %.*s\n", names[way], half[way].mean, 100 * right[way].mean,
               (int)(30 * right[way].mean + 0.5), "##############################");
    const simkit_interval number = simkit_tally_interval(&there, 0.95);
    printf("\ncustomers in the system: %.2f +- %.2f, theory %.2f\n", number.mean, number.high - number.mean,
           load / (1 - load));
    for (int i = 0; i < 3; ++i)
        printf("%2.0f %% take less than %5.2f s, theory %5.2f s\n", 100 * parts[i], simkit_quantiles_value(&all, parts[i]),
               -truth * log(1 - parts[i]));
    printf("\n");
    for (size_t i = 0; i < BINS; ++i)
        printf("%4.1f to %4.1f s  %4.1f %%  %.*s\n", simkit_histogram_edge(&h, i), simkit_histogram_edge(&h, i + 1),
               100.0 * (double)bins[i] / (double)all.count, (int)(90.0 * (double)bins[i] / (double)all.count + 0.5),
               "########################################");
    const bool fine = right[3].mean > 0.88 && half[3].mean < 0.5 && right[2].mean < 0.3 && number.low < 3 && 3 < number.high;
    printf("\n%s\n", fine ? "only batch means after the warm-up are narrow, and right in nine runs of ten" : "SOMETHING DIFFERS");
    return !fine;
}
