/* Nodes fail, and a spare takes over from the last checkpoint: how often should a program write one?
 * cc -O2 -DSIMKIT_STATIC -I. examples/failure.c -o failure -lm && ./failure
 *
 * A failed node does not return; a spare joins while the world runs. What computed on the failed node is lost, and the
 * host is notified by the callback `lost`. Failures come at random, once an hour on average. A program of four hours writes
 * a checkpoint each tau seconds, and a spare reads it. Theory (Daly 2006): M exp(R/M) (exp((tau + C)/M) - 1) T / tau,
 * with M between failures, R to read a checkpoint, C to write it; the best tau is near sqrt(2 C M) = 379 s. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <math.h>

enum { PROGRAMS = 2000 };

static const double hour = 3600, whole = 4 * 3600, writing = 20, reading = 60; /* [s] */

typedef struct program {
    simkit_node node;
    simkit_step failure; /* of the node */
    simkit_random random;
    double tau, done;      /* between checkpoints; saved in the last of them [s] */
    bool starting, story;  /* reads a checkpoint; prints what happens */
    unsigned left, failed; /* programs to run; failures so far */
} program;

static void computed(simkit_world *world, void *user);
static void lost(simkit_world *world, void *user);

static void check(simkit_world *world, simkit_result result)
{
    if (result == SIMKIT_OK) return;
    fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_stop(world);
}

static void compute(simkit_world *world, program *p)
{
    const simkit_computation_desc work = {
        .node = p->node, .seconds = p->starting ? reading : p->tau + writing, .done = computed, .lost = lost, .user = p
    };
    check(world, simkit_computation_start(world, &work, NULL));
}

static void fail(simkit_world *world, void *user)
{
    program *p = (program *)user;

    if (p->story && simkit_clock_now(world) < 10 * hour)
        printf("%8.0f s   %s fails, %.0f s of work are saved\n", simkit_clock_now(world),
               simkit_node_name(world, p->node), p->done);
    ++p->failed;
    check(world, simkit_node_fail(world, p->node)); /* lost() is called next */
}

static void join(simkit_world *world, program *p) /* a fresh node, and when it will fail */
{
    check(world, simkit_node_add(world, NULL, &p->node));
    check(world, simkit_step_after(world, simkit_random_exponential(&p->random, hour), 0, fail, p, &p->failure));
}

static void lost(simkit_world *world, void *user)
{
    program *p = (program *)user;

    join(world, p);
    p->starting = true;
    compute(world, p);
}

static void computed(simkit_world *world, void *user)
{
    program *p = (program *)user;

    if (!p->starting) p->done += p->tau;
    p->starting = false;
    if (p->done >= whole) {
        p->done = 0;
        p->story = false;
        if (--p->left == 0) {
            simkit_step_cancel(world, p->failure); /* or the world would run until then */
            return;
        }
    }
    compute(world, p);
}

int main(void)
{
    static const double taus[] = { 60, 120, 240, 360, 600, 1200, 2400 }; /* [s], parts of four hours */
    bool near = true;

    for (size_t i = 0; i < sizeof taus / sizeof *taus; ++i) {
        program p = { .tau = taus[i], .left = PROGRAMS, .story = i == 0 };
        simkit_world *world;
        if (simkit_world_open(&(simkit_world_desc){ .seed = 1 }, &world) != SIMKIT_OK)
            return fputs("no memory for a world\n", stderr), 1;
        p.random = simkit_random_stream(world, 0);
        join(world, &p);
        compute(world, &p);
        if (simkit_world_run(world) != SIMKIT_OK) return fprintf(stderr, "%s\n", simkit_world_why(world)), 1;
        const double took = simkit_clock_now(world) / PROGRAMS, n = (double)simkit_node_count(world);
        const double theory = hour * exp(reading / hour) * (exp((p.tau + writing) / hour) - 1) * whole / p.tau;
        simkit_world_close(world);
        if (i == 0) printf("\n   tau   nodes used   mean time   theory\n");
        printf("%4.0f s   %10.2f   %7.3f h  %5.3f h  %.*s\n", p.tau, n / PROGRAMS, took / hour, theory / hour,
               (int)(6 * took / hour + 0.5), "##########################################################");
        near = near && fabs(took / theory - 1) < 0.02 && p.failed + 1 == n;
    }
    printf("\n%s\n", near ? "simulation and theory agree within 2 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 2 %");
    return !near;
}
