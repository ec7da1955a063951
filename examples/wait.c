/* Buses come every ten minutes on average: how long does a passenger without a timetable wait?
 * cc -O2 -DSIMKIT_STATIC -I. examples/wait.c -o wait -lm && ./wait
 *
 * The bus, the street and each passenger are processes. The bus waits for time to pass; a passenger suspends itself, and
 * the bus resumes it. Theory says E[X^2] / (2 E[X]) for intervals X, which is five minutes only if the bus is on time:
 * a passenger is more likely to arrive in a long interval than in a short one. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"

#include <math.h>

enum { BUSES = 20000, MOST = 2000 };

typedef struct stop {
    const simkit_distribution *interval; /* between two buses [s] */
    simkit_random buses, passengers;     /* random streams */
    simkit_process street, waiting[MOST];
    size_t queue;           /* how many wait */
    double waited, boarded; /* [s], summed over the passengers; their number */
} stop;

static void passenger(simkit_world *world, void *user)
{
    stop *s = (stop *)user;
    const double arrived = simkit_clock_now(world);
    if (s->queue == MOST) return; /* walks */
    s->waiting[s->queue++] = simkit_process_self(world);
    if (simkit_process_suspend(world, "the bus") != SIMKIT_OK) simkit_world_stop(world);
    s->waited += simkit_clock_now(world) - arrived;
    ++s->boarded;
}

/* A passenger a minute, at random. */
static void street(simkit_world *world, void *user)
{
    stop *s = (stop *)user;
    const simkit_process_desc desc = { .body = passenger, .user = s };
    while (simkit_process_wait(world, simkit_random_exponential(&s->passengers, 60)) == SIMKIT_OK &&
           simkit_process_start(world, &desc, NULL) == SIMKIT_OK) {
    }
    simkit_world_stop(world); /* no memory */
}

static void bus(simkit_world *world, void *user)
{
    stop *s = (stop *)user;
    for (int i = 0; i < BUSES; ++i) {
        if (simkit_process_wait(world, simkit_distribution_draw(s->interval, &s->buses)) != SIMKIT_OK)
            simkit_world_stop(world);
        for (size_t k = 0; k < s->queue; ++k)
            if (simkit_process_resume(world, s->waiting[k]) != SIMKIT_OK) simkit_world_stop(world);
        s->queue = 0;
    }
    if (simkit_process_kill(world, s->street) != SIMKIT_OK) simkit_world_stop(world); /* it would go on for ever */
}

static simkit_result day(const simkit_distribution *interval, stop *s)
{
    simkit_world *world;
    simkit_result result = simkit_world_open(NULL, &world);

    if (result != SIMKIT_OK) return fputs("no memory for a world\n", stderr), result;
    *s = (stop){ .interval = interval };
    s->buses = simkit_random_stream(world, 1);
    s->passengers = simkit_random_stream(world, 2);
    result = simkit_process_start(world, &(simkit_process_desc){ .name = "bus", .body = bus, .user = s }, NULL);
    if (result == SIMKIT_OK)
        result = simkit_process_start(world, &(simkit_process_desc){ .name = "street", .body = street, .user = s },
                                      &s->street);
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    return result;
}

int main(void)
{
    static const double half[] = { 300, 900 }, weights[] = { 0.9, 0.1 }, means[] = { 300, 3300 };
    /* Intervals, and the mean of their squares [s^2]. */
    static const struct {
        const char *name;
        simkit_distribution interval;
        double squares;
    } laws[] = {
        { "on time", { .law = SIMKIT_LAW_CONSTANT, .mean = 600 }, 600. * 600 },
        { "5 or 15 minutes", { .law = SIMKIT_LAW_SAMPLE, .values = half, .count = 2 }, (300. * 300 + 900. * 900) / 2 },
        { "exponential", { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 600 }, 2 * 600. * 600 },
        { "often 5, rarely 55 minutes",
          { .law = SIMKIT_LAW_HYPEREXPONENTIAL, .values = means, .weights = weights, .count = 2 },
          0.9 * 2 * 300 * 300 + 0.1 * 2 * 3300 * 3300 },
    };
    static stop s;
    bool near = true;

    printf("intervals                     mean    passengers   mean wait    theory\n");
    for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i) {
        if (day(&laws[i].interval, &s) != SIMKIT_OK) return 1;
        const double mean = simkit_distribution_mean(&laws[i].interval), theory = laws[i].squares / (2 * mean);
        printf("%-27s %4.1f min  %10.0f   %6.2f min  %5.2f min  %.*s\n", laws[i].name, mean / 60, s.boarded,
               s.waited / s.boarded / 60, theory / 60, (int)(s.waited / s.boarded / 60 + 0.5),
               "########################################");
        near = near && fabs(s.waited / s.boarded / theory - 1) < 0.05;
    }
    printf("\n%s\n", near ? "simulation and theory agree within 5 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 5 %");
    return !near;
}
