/* Other people use this workstation: how long does a minute of computing take there?
 * cc -O2 -DSIMKIT_STATIC -I. examples/background.c -o background -lm && ./background
 *
 * They take part of the CPU and keep no run alive: the world ends with our program. Theory of processor sharing: where
 * arrivals are Poisson and take the part rho of the CPU, x seconds of computing take x / (1 - rho), whatever the
 * distribution of their demands. For n users who think and wait in turn, it is mean value analysis. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"
#include <math.h>

enum { JOBS = 2000 };
static const double rho = 0.4, minute = 60, quarter = 900; /* [1], [s], [s] */

typedef struct program {
    double took;             /* [s], summed */
    double running, samples; /* background processes on the other node: their sum, then their mean; how often */
} program;

/* Counts once a minute. A background step keeps no run alive either. */
static void count(simkit_world *world, void *user)
{
    program *p = (program *)user;
    simkit_step again = 0;
    p->running += (double)simkit_node_running(world, 2);
    ++p->samples;
    if (simkit_step_after(world, minute, 0, count, p, &again) != SIMKIT_OK) simkit_world_stop(world);
    simkit_step_background(world, again);
}

/* A minute of computing every quarter of an hour. */
static void compute(simkit_world *world, void *user)
{
    program *p = (program *)user;
    for (int i = 0; i < JOBS; ++i) {
        if (simkit_process_wait(world, quarter) != SIMKIT_OK) simkit_world_stop(world);
        const double begin = simkit_clock_now(world);
        if (simkit_process_compute(world, &(simkit_computation_desc){ .seconds = minute }, NULL) != SIMKIT_OK)
            simkit_world_stop(world);
        p->took += simkit_clock_now(world) - begin;
    }
}

/* A node with Poisson arrivals: the mean time of a job, and of a background process on a node of its own. */
static bool arrivals(const simkit_distribution *demand, program *p, double *response)
{
    simkit_node ours = 0, theirs = 0;
    simkit_source source = 0;
    simkit_world *world;
    *p = (program){ 0, 0, 0 };
    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), false;
    bool fine = simkit_node_add(world, NULL, &ours) == SIMKIT_OK && simkit_node_add(world, NULL, &theirs) == SIMKIT_OK;
    simkit_arrivals_desc others = { .node = ours, .rate = rho / simkit_distribution_mean(demand), .demand = *demand };
    fine = fine && simkit_arrivals_start(world, &others, NULL) == SIMKIT_OK;
    others.node = theirs, others.stream = 1;
    const simkit_process_desc process = { .node = ours, .body = compute, .user = p };
    fine = fine && simkit_arrivals_start(world, &others, &source) == SIMKIT_OK &&
           simkit_process_start(world, &process, NULL) == SIMKIT_OK;
    if (fine) count(world, p), fine = simkit_world_run(world) == SIMKIT_OK; /* until the program ends */
    const double running = p->running / p->samples;
    simkit_source_stop(world, source); /* no more arrive; ten hours later all have gone */
    fine = fine && simkit_world_run_until(world, simkit_clock_now(world) + 36000) == SIMKIT_OK;
    const simkit_source_tally tally = simkit_source_progress(world, source);
    *response = tally.response / tally.demand, p->running = running;
    if (!fine) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    return fine && tally.begun == tally.ended;
}

/* Mean response time of a command of 1 s, where n users think for 5 s between two commands. */
static double users(unsigned n)
{
    const simkit_user_state state = { .think = { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 5 },
                                      .demand = { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 1 },
                                      .next = (const double[]){ 1 } };
    simkit_user_desc user = { .states = &state, .count = 1 };
    simkit_world *world;
    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), NAN;
    bool fine = simkit_node_add(world, NULL, &user.node) == SIMKIT_OK;
    for (; user.stream < n; ++user.stream) fine = fine && simkit_user_start(world, &user, NULL) == SIMKIT_OK;
    fine = fine && simkit_world_run_until(world, 200000) == SIMKIT_OK;
    const simkit_source_tally tally = simkit_source_progress(world, 0); /* of all users */
    if (!fine) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    return fine ? tally.response / (double)tally.ended : NAN;
}

int main(void)
{
    static const char *const names[] = { "constant 2 s", "exponential 2 s", "Pareto 1.5, 0.5 to 60 s" };
    static const simkit_distribution demands[] = {
        { .law = SIMKIT_LAW_CONSTANT, .mean = 2 },
        { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 2 },
        { .law = SIMKIT_LAW_PARETO, .shape = 1.5, .minimum = 0.5, .maximum = 60 }
    };
    double response, queue = 0;
    bool near = true;
    printf("demand of others          a minute takes  theory     they are slowed down  theory   running  theory\n");
    for (int i = 0; i < 3; ++i) {
        program p;
        if (!arrivals(&demands[i], &p, &response)) return 1;
        const double took = p.took / JOBS, slower = 1 / (1 - rho), running = p.running;
        printf("%-24s %13.2f s %7.2f s %18.3f %9.3f %9.3f %7.3f\n", names[i], took, minute * slower, response, slower,
               running, rho * slower);
        near = near && fabs(took / minute / slower - 1) < 0.03 && fabs(response / slower - 1) < 0.03 &&
               fabs(running / rho / slower - 1) < 0.03;
    }
    printf("\nusers   response   mean value analysis\n");
    for (unsigned n = 1; n <= 12; ++n) {
        const double theory = 1 + queue; /* what a command finds is the mean with one user less */
        queue = n * theory / (5 + theory);
        if (n != 1 && n % 3 != 0) continue;
        response = users(n);
        printf("%5u %8.2f s %12.2f s   %.*s\n", n, response, theory, (int)(5 * response + 0.5),
               "##################################################");
        near = near && fabs(response / theory - 1) < 0.03;
    }
    printf("\n%s\n", near ? "simulation and theory agree within 3 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 3 %");
    return !near;
}
