/* Callers hang up when they have waited too long: how many operators does a call centre need?
 * cc -O2 -DSIMKIT_STATIC -I. examples/patience.c -o patience -lm && ./patience        (--svg FILE draws it)
 *
 * The operators are a resource, and all waiting is done by callbacks: a caller requests an operator, and a step cancels the
 * request when the caller's patience ends. Calls arrive 10 a minute and last 1 minute on average, patience is 2 minutes,
 * all exponential: the queue M/M/c+M, whose number of callers is a birth and death process (Palm, 1957). */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "svg.h"

enum { CALLS = 200000, FEWEST = 6, MOST = 14, STATES = 400 };

static const double rate = 10, length = 1, patience = 2; /* [1/min], [min], [min] */

typedef struct centre centre;
typedef struct call {
    centre *c;
    simkit_wait request;
    simkit_step end_of_patience;
} call;

struct centre {
    simkit_resource operators;
    simkit_random arrivals, lengths, patiences; /* random streams */
    int arrived, lost;
    double waiting; /* callers that a new one finds waiting, summed */
    bool failed;
    call calls[CALLS];
};

static void must(simkit_world *world, centre *c, simkit_result result)
{
    if (result == SIMKIT_OK) return;
    c->failed = true;
    simkit_world_stop(world);
}

static void ends(simkit_world *world, void *user)
{
    centre *c = ((call *)user)->c;
    must(world, c, simkit_resource_release(world, c->operators, 1));
}

static void answered(simkit_world *world, void *user, simkit_result result)
{
    call *k = (call *)user;
    must(world, k->c, result);
    simkit_step_cancel(world, k->end_of_patience);
    must(world, k->c, simkit_step_after(world, simkit_random_exponential(&k->c->lengths, length), 0, ends, k, NULL));
}

static void hangs_up(simkit_world *world, void *user)
{
    call *k = (call *)user;
    if (simkit_wait_cancel(world, k->request)) ++k->c->lost; /* false: answered at this instant */
}

static void arrives(simkit_world *world, void *user)
{
    centre *c = (centre *)user;
    call *k = &c->calls[c->arrived++];
    k->c = c;
    c->waiting += (double)simkit_resource_waiting(world, c->operators);
    must(world, c,
         simkit_step_after(world, simkit_random_exponential(&c->patiences, patience), 0, hangs_up, k,
                           &k->end_of_patience));
    must(world, c, simkit_resource_acquire(world, c->operators, 1, 0, answered, k, &k->request));
    if (c->arrived == CALLS) return;
    must(world, c, simkit_step_after(world, simkit_random_exponential(&c->arrivals, 1 / rate), 0, arrives, c, NULL));
}

/* The part of the calls that are lost, and the mean number that waits. */
static double theory(int operators, double *waiting)
{
    double weight = 1, sum = 1;
    *waiting = 0;
    for (int n = 1; n < STATES; ++n) {
        const int waits = n > operators ? n - operators : 0;
        weight *= rate / ((n - waits) / length + waits / patience);
        sum += weight;
        *waiting += waits * weight;
    }
    *waiting /= sum;
    return *waiting / patience / rate;
}

static bool run(centre *c, int operators)
{
    simkit_world *world;
    const simkit_resource_desc desc = { .name = "operators", .capacity = (uint64_t)operators };
    simkit_result result = simkit_world_open(NULL, &world);
    memset(c, 0, sizeof *c);
    c->arrivals = simkit_random_stream(world, 1);
    c->lengths = simkit_random_stream(world, 2);
    c->patiences = simkit_random_stream(world, 3);
    if (!result) result = simkit_resource_open(world, &desc, &c->operators);
    if (!result) result = simkit_step_after(world, 0, 0, arrives, c, NULL);
    if (!result) result = simkit_world_run(world);
    if (result || c->failed) fprintf(stderr, "%s\n", world ? simkit_world_why(world) : simkit_result_text(result));
    simkit_world_close(world);
    return !result && !c->failed;
}

int main(int argc, char **argv)
{
    static centre c;
    double lost[MOST + 1], waiting;
    bool near = true;
    svg picture;

    printf("operators   hang up    theory   wait    theory\n");
    for (int n = FEWEST; n <= MOST; ++n) {
        if (!run(&c, n)) return 1;
        lost[n] = 100. * c.lost / CALLS;
        const double expected = 100 * theory(n, &waiting), seen = c.waiting / CALLS;
        printf("%9d  %6.2f %%  %6.2f %%  %5.2f  %8.2f  %.*s\n", n, lost[n], expected, seen, waiting,
               (int)(lost[n] + 0.5), "##################################################");
        near = near && fabs(lost[n] - expected) < 0.3 && fabs(seen - waiting) < 0.15;
    }
    printf("\n%s\n", near ? "simulation and theory agree" : "SIMULATION AND THEORY DIFFER");

    svg_open(&picture, svg_asked(argc, argv), "Callers who hang up before they are answered", 860, 360);
    svg_plot(&picture, 100, 640, (svg_axis){ .label = "operators", .from = FEWEST, .to = MOST },
             (svg_axis){ .label = "hang up [%]", .to = 45 });
    svg_begin(&picture, SVG_LINE, svg_colours[0], "theory");
    for (int n = FEWEST; n <= MOST; ++n) svg_at(&picture, n, 100 * theory(n, &waiting));
    svg_end(&picture);
    svg_begin(&picture, SVG_POINTS, svg_colours[1], "simulated");
    for (int n = FEWEST; n <= MOST; ++n) svg_at(&picture, n, lost[n]);
    svg_end(&picture);
    return !svg_close(&picture) || !near;
}
