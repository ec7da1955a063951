/* Scheduling policies for StarPU: each ready task goes at once to the worker where it ends first. `contended` multiplies its
 * length by how much slower that worker's core is at the moment; `blind` takes all cores for its own. Both follow the work:
 * they see tasks begin and end. `contended-plan` and `blind-plan` rely on what they have predicted, as a scheduler must that
 * hears nothing from its workers for long. */
#ifndef POLICY_H
#define POLICY_H

#include <starpu.h>
#include <starpu_scheduler.h>

/** Of one of these names, or NULL. */
struct starpu_sched_policy *policy_named(const char *name);

#endif
