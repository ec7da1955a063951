/* charge.c - the CPU time of a task between its calls, and what it takes on the virtual clock. Reading a CPU clock is a system call of
 * 0.3 to 0.5 us, reading the wall clock takes 30 ns. So the CPU clock is read only after more than SHORT of wall-clock time, and when the
 * task has slept; shorter intervals since the last reading are measured with the wall clock, and the next reading corrects them. */
#define _GNU_SOURCE
#include "direct.h"

#include <math.h>
#include <string.h>

#define SHORT 20e-6 /* [s] */

static void charge__processor_read(direct_spent *s)
{
    s->read = direct_clock(s->clock);
    s->counted = 0;
    direct_slept = false;
}

void direct_spent_begin(direct_spent *s, clockid_t clock)
{
    s->clock = clock;
    charge__processor_read(s);
    s->left = direct_clock(CLOCK_MONOTONIC);
}

double direct_clock_cost(void)
{
    enum { TRIALS = 16 };
    static double cost DIRECT_COMMON;
    if (cost > 0) return cost;
    cost = 1;
    for (int i = 0; i < TRIALS; ++i) {
        const double before = direct_clock(CLOCK_MONOTONIC);
        cost = fmin(cost, direct_clock(CLOCK_MONOTONIC) - before);
    }
    return cost;
}

double direct_spent_enter(direct_spent *s)
{
    const double wall = direct_clock(CLOCK_MONOTONIC);
    double segment = wall - s->left;
    if (segment > SHORT) {
        const double before = s->read + s->counted, most = segment;
        charge__processor_read(s);
        segment = s->read - before;
        segment = segment < 0 ? 0 : segment > most ? most : segment;
    } else {
        s->counted += segment;
    }
    s->entered = wall;
    return segment;
}

void direct_spent_again(direct_spent *s)
{
    s->entered = direct_clock(CLOCK_MONOTONIC);
}

void direct_spent_leave(direct_spent *s)
{
    s->left = direct_clock(CLOCK_MONOTONIC);
    s->slept = direct_slept;
    if (direct_slept || s->left - s->entered > SHORT) {
        charge__processor_read(s);
        s->left = direct_clock(CLOCK_MONOTONIC); /* the reading is not the task's */
    } else {
        s->counted += s->left - s->entered;
    }
}

simkit_result direct_compute(simkit_world *world, simkit_node node, double seconds, double memory_rate,
                             simkit_call *done, void *user, simkit_computation *started)
{
    simkit_computation_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.node = node;
    desc.seconds = seconds;
    desc.memory_rate = memory_rate;
    desc.done = done;
    desc.user = user;
    return simkit_computation_start(world, &desc, started);
}

double direct_share(simkit_world *world, simkit_node node, unsigned cores)
{
    const double computing = (double)simkit_node_running(world, node) + 1;
    return fmin(cores / computing, 1);
}
