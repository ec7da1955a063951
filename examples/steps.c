/* Nodes compute in steps and wait for each other after each: how much time is lost if each takes a little longer at random?
 * cc -O2 -DSIMKIT_STATIC -I. examples/steps.c -o steps -lm && ./steps        (--svg FILE draws six steps of eight nodes)
 *
 * A barrier ends each step when the last process has arrived. If a step takes 1 s and exponential noise of mean s on each
 * node, theory says that a step of n nodes takes 1 + s (1 + 1/2 + ... + 1/n): the mean of the largest of n. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"

#include <string.h>

enum { MOST = 64 };

typedef struct program {
    simkit_barrier barrier;
    double noise; /* mean [s] */
    int steps;
    simkit_random random[MOST]; /* one stream per node */
    int next;
    double computed;      /* [s], summed over the nodes */
    simkit_result result; /* of the process that failed */
} program;

static void node(simkit_world *world, void *user)
{
    program *p = (program *)user;
    simkit_random *random = &p->random[p->next++];
    for (int i = 0; i < p->steps && !p->result; ++i) {
        const double noise = p->noise > 0 ? simkit_random_exponential(random, p->noise) : 0;
        p->result =
            simkit_process_compute(world, &(simkit_computation_desc){ .name = "step", .seconds = 1 + noise }, NULL);
        p->computed += 1 + noise;
        if (!p->result) p->result = simkit_process_arrive(world, p->barrier);
    }
    if (p->result) simkit_world_stop(world);
}

/* The mean time of a step [s], and the part of it that a node waits; negative if it could not be found out. */
static double run(int nodes, double noise, int steps, const char *svg, double *lost)
{
    simkit_world *world;
    simkit_trace *trace = NULL;
    program p = { .noise = noise, .steps = steps };
    simkit_result result = simkit_world_open(NULL, &world);
    const simkit_trace_desc picture = { .path = svg, .title = "Steps with a barrier after each: the gaps are waiting" };
    if (!result && svg) result = simkit_trace_open(world, &picture, &trace);
    if (!result) result = simkit_barrier_open(world, "end of the step", (size_t)nodes, &p.barrier);
    for (int i = 0; i < nodes && !result; ++i) {
        simkit_process_desc process = { .body = node, .user = &p };
        p.random[i] = simkit_random_stream(world, (uint64_t)i);
        result = simkit_node_add(world, NULL, &process.node);
        if (!result) result = simkit_process_start(world, &process, NULL);
    }
    if (!result) result = simkit_world_run(world);
    if (!result) result = p.result;
    if (!result && trace) result = simkit_trace_close(trace);
    if (result) fprintf(stderr, "%s\n", world ? simkit_world_why(world) : simkit_result_text(result));
    const double mean = result ? -1 : simkit_clock_now(world) / steps;
    *lost = 1 - p.computed / steps / nodes / mean;
    simkit_world_close(world);
    return mean;
}

int main(int argc, char **argv)
{
    static const double noises[] = { 0, 0.05, 0.2 }; /* [s] */
    bool near = true;
    double lost;

    if (argc == 3 && strcmp(argv[1], "--svg") == 0) return run(8, 0.2, 6, argv[2], &lost) < 0;
    printf("nodes   noise   a step takes    theory   lost in waiting\n");
    for (size_t k = 0; k < sizeof noises / sizeof *noises; ++k)
        for (int nodes = 1; nodes <= MOST; nodes *= 4) {
            double harmonic = 0;
            for (int i = 1; i <= nodes; ++i) harmonic += 1. / i;
            const double mean = run(nodes, noises[k], 4000, NULL, &lost), theory = 1 + noises[k] * harmonic;
            if (mean < 0) return 1;
            printf("%5d  %4.2f s     %7.3f s  %7.3f s  %13.1f %%  %.*s\n", nodes, noises[k], mean, theory, 100 * lost,
                   (int)(100 * lost + 0.5), "########################################");
            near = near && mean > 0.99 * theory && mean < 1.01 * theory;
        }
    printf("\n%s\n", near ? "simulation and theory agree within 1 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 1 %");
    return !near;
}
