/* Customers queue for one clerk: how long does a customer take?
 * cc -O2 -DSIMKIT_STATIC -I. examples/mm1.c -o mm1 -lm && ./mm1
 *
 * The clerk is a resource of one unit, a customer is a process that acquires it, is served, and releases it. Arrivals are
 * Poisson, service times exponential with a mean of 1 s: M/M/1. Theory: 1 / (1 - load) seconds on average. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

enum { CUSTOMERS = 200000 };

typedef struct bank {
    simkit_resource clerk;
    simkit_random arrivals, services;
    double load, took; /* took: [s], summed over the customers */
} bank;

static void customer(simkit_world *world, void *user)
{
    bank *b = (bank *)user;
    const double arrived = simkit_clock_now(world);
    if (simkit_process_acquire(world, b->clerk, 1, 0) != SIMKIT_OK ||
        simkit_process_wait(world, simkit_random_exponential(&b->services, 1)) != SIMKIT_OK ||
        simkit_resource_release(world, b->clerk, 1) != SIMKIT_OK)
        simkit_world_stop(world);
    b->took += simkit_clock_now(world) - arrived;
}

static void street(simkit_world *world, void *user)
{
    bank *b = (bank *)user;
    for (int i = 0; i < CUSTOMERS; ++i)
        if (simkit_process_wait(world, simkit_random_exponential(&b->arrivals, 1 / b->load)) != SIMKIT_OK ||
            simkit_process_start(world, &(simkit_process_desc){ .body = customer, .user = b }, NULL) != SIMKIT_OK)
            simkit_world_stop(world);
}

int main(void)
{
    bool near = true;
    printf("load   simulated    theory\n");
    for (int percent = 20; percent <= 80; percent += 20) {
        simkit_world *world;
        bank b = { .load = percent / 100. };
        simkit_result result = simkit_world_open(NULL, &world);
        b.arrivals = simkit_random_stream(world, 1);
        b.services = simkit_random_stream(world, 2);
        if (!result) result = simkit_resource_open(world, &(simkit_resource_desc){ .name = "clerk" }, &b.clerk);
        if (!result) result = simkit_process_start(world, &(simkit_process_desc){ .body = street, .user = &b }, NULL);
        if (!result) result = simkit_world_run(world);
        if (result) fprintf(stderr, "%s\n", world ? simkit_world_why(world) : simkit_result_text(result));
        simkit_world_close(world);
        if (result) return 1;
        const double mean = b.took / CUSTOMERS, theory = 1 / (1 - b.load);
        printf("%3d %%  %7.2f s  %7.2f s  %.*s\n", percent, mean, theory, (int)(8 * mean + 0.5),
               "##################################################");
        near = near && mean > 0.95 * theory && mean < 1.05 * theory;
    }
    printf("\n%s\n", near ? "simulation and theory agree within 5 %" : "SIMULATION AND THEORY DIFFER BY MORE THAN 5 %");
    return !near;
}
