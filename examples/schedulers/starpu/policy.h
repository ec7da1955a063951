/* Two scheduling policies for StarPU: each ready task goes at once to the worker where it ends first. `contended` multiplies
 * its length by how much slower that worker's core is at the moment; `blind` takes all cores for its own. */
#ifndef POLICY_H
#define POLICY_H

#include <starpu.h>
#include <starpu_scheduler.h>

extern struct starpu_sched_policy contended, blind;

#endif
