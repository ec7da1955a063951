/* compute.c - CPU time of a task takes time on the virtual clock. */
#include "direct.h"

#include <string.h>

simkit_result direct_compute(simkit_world *world, simkit_node node, double seconds, const char *lane, simkit_call *done,
                             void *user, simkit_computation *started)
{
    simkit_computation_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.node = node;
    desc.seconds = seconds;
    desc.lane = lane;
    desc.done = done;
    desc.user = user;
    return simkit_computation_start(world, &desc, started);
}
