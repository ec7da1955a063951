/* The load average of the host on which a task runs: [clue] "The Unix Load Average". Hosts record their load from the
 * beginning if this file is linked into the program. */
#define _GNU_SOURCE
#define SIMKIT_MPI 1
#include "skeleton.h"
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

const char messages_asks_for_loads = 1;

/* Requests the first `count` averages that the task has described. */
static void loads__ask(const char *call, uint32_t count)
{
    messages_enter(call);
    messages_action_add(MESSAGES_LOADS)->count = count;
    messages_flush();
    messages_leave();
}

double skeleton_load_average(double observations)
{
    messages_load *load = &messages_self->loads[0];
    *load = (messages_load){ .beta = contention_load_beta(observations), .interval = 1 };
    loads__ask("skeleton_load_average", 1);
    return load->load;
}

/* Replaces the C library's function in the whole program: averages over 1, 5 and 15 minutes, sampled and smoothed as by
 * Linux, with exp(-5 s / window) in parts of 2048. */
int getloadavg(double loads[], int count)
{
    static const double betas[MESSAGES_LOADS_MOST] = { 1884.0 / 2048, 2014.0 / 2048, 2037.0 / 2048 };
    if (!messages_self || messages_self->base.process != getpid() || count < 0) return -1; /* not a task */
    if (count > MESSAGES_LOADS_MOST) count = MESSAGES_LOADS_MOST;
    for (int i = 0; i < count; ++i)
        messages_self->loads[i] = (messages_load){ .beta = betas[i], .interval = CONTENTION_KERNEL_LOAD_INTERVAL };
    loads__ask("getloadavg", (uint32_t)count);
    for (int i = 0; i < count; ++i) loads[i] = messages_self->loads[i].load;
    return count;
}
