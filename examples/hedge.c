/* A server rarely takes very long: when should a client give up waiting and ask a second one as well?
 * cc -O2 -DSIMKIT_STATIC -I. examples/hedge.c -o hedge -lm && ./hedge        (--svg FILE draws it)
 *
 * A request takes 10 ms, but one in twenty 500 ms. The client waits with a time limit for the first server; then it asks
 * the second, waits for whichever is done first, and interrupts the other: a hedged request (Dean and Barroso, "The tail
 * at scale", 2013). Theory for the mean with a hedge after h ms: 19/20 10 + 1/20 (19/20 (h + 10) + 1/20 500) ms. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "svg.h"

#include <stdlib.h>

enum { REQUESTS = 40000, LIMITS = 5 };

typedef struct trial {
    double limit; /* [s]; 0: no second request */
    simkit_random random;
    double took[REQUESTS]; /* [s] */
    int hedged;
    simkit_result result; /* of what failed */
} trial;

static void server(simkit_world *world, void *user)
{
    trial *t = (trial *)user;
    const bool slow = simkit_random_uniform(&t->random) < 0.05;
    const simkit_result result = simkit_process_wait(world, slow ? 0.5 : 0.01);
    if (result && result != SIMKIT_INTERRUPTED) t->result = result; /* interrupted: the other one was faster */
}

static simkit_result ask(simkit_world *world, trial *t)
{
    const simkit_process_desc request = { .name = "request", .body = server, .user = t };
    simkit_choice servers[2] = { { 0 }, { 0 } };
    size_t first = 0;

    simkit_result result = simkit_process_start(world, &request, &servers[0].process);
    if (result || t->limit <= 0) return result ? result : simkit_process_join(world, servers[0].process);
    if (!result) result = simkit_process_limit(world, t->limit);
    if (!result) result = simkit_process_join(world, servers[0].process);
    if (result != SIMKIT_TIMED_OUT) return result;
    ++t->hedged;
    result = simkit_process_start(world, &request, &servers[1].process);
    if (!result) result = simkit_process_choose(world, servers, 2, &first, NULL);
    if (!result) result = simkit_process_interrupt(world, servers[1 - first].process);
    return result == SIMKIT_UNKNOWN_PROCESS ? SIMKIT_OK : result; /* both have ended at once */
}

static void client(simkit_world *world, void *user)
{
    trial *t = (trial *)user;
    for (int i = 0; i < REQUESTS && !t->result; ++i) {
        const double begin = simkit_clock_now(world);
        t->result = ask(world, t);
        t->took[i] = simkit_clock_now(world) - begin;
    }
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool run(trial *t)
{
    simkit_world *world;
    simkit_result result = simkit_world_open(NULL, &world);
    t->random = simkit_random_stream(world, 1);
    if (!result)
        result =
            simkit_process_start(world, &(simkit_process_desc){ .name = "client", .body = client, .user = t }, NULL);
    if (!result) result = simkit_world_run(world);
    if (!result) result = t->result;
    if (result) fprintf(stderr, "%s\n", world ? simkit_world_why(world) : simkit_result_text(result));
    simkit_world_close(world);
    qsort(t->took, REQUESTS, sizeof *t->took, order);
    return !result;
}

int main(int argc, char **argv)
{
    static const double limits[LIMITS] = { 0, 0.2, 0.1, 0.05, 0.02 }; /* [s] */
    static const char *const names[LIMITS] = { "never", "200 ms", "100 ms", "50 ms", "20 ms" };
    static trial t;
    svg picture;
    bool near = true;

    svg_open(&picture, svg_asked(argc, argv), "Requests that take longer, with a second request after a while", 860,
             360);
    svg_plot(&picture, 110, 640, (svg_axis){ .label = "time [ms]", .to = 550 },
             (svg_axis){ .label = "requests that take longer [%]", .to = 6 });
    printf("second request    mean      theory    99 %% take less than   more requests\n");
    for (int i = 0; i < LIMITS; ++i) {
        t = (trial){ .limit = limits[i] };
        if (!run(&t)) return 1;
        double mean = 0, theory = 0.95 * 10 + 0.05 * 500;
        for (int k = 0; k < REQUESTS; ++k) mean += t.took[k] * 1e3 / REQUESTS;
        if (i > 0) theory = 0.95 * 10 + 0.05 * (0.95 * (limits[i] * 1e3 + 10) + 0.05 * 500);
        printf("%-14s %6.2f ms %8.2f ms %16.0f ms %13.1f %%  %.*s\n", names[i], mean, theory,
               t.took[REQUESTS * 99 / 100] * 1e3, 100. * t.hedged / REQUESTS, (int)(mean + 0.5),
               "##################################################");
        near = near && fabs(mean / theory - 1) < 0.05;
        svg_begin(&picture, SVG_LINE, svg_colours[i], names[i]);
        for (int k = REQUESTS * 94 / 100; k < REQUESTS; k += 10)
            svg_at(&picture, t.took[k] * 1e3, 100 - 100. * k / REQUESTS);
        svg_end(&picture);
    }
    printf("\n%s\n", near ? "simulation and theory agree within 5 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 5 %");
    return !svg_close(&picture) || !near;
}
