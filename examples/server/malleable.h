/* malleable.h - policies that choose and change the sizes of jobs */
/** @file */
#ifndef MALLEABLE_H
#define MALLEABLE_H

#include "server.h"

/** Makes a policy. All of them take jobs in the order of submission; a rigid job gets its size, a moldable one keeps the
 *  size with which it starts, a malleable one is asked to change at its next point.
 *
 *  | name | nodes of a job |
 *  |---|---|
 *  | `equi` | equal shares of the cluster, within minimum .. maximum |
 *  | `minimum`, `preferred`, `average` | that size; the average is halfway between minimum and maximum. What is left goes to the jobs in order, up to their maximum, while nobody waits |
 *  | `efficiency` | one node after another to the job that uses it best, while its efficiency is at least 0.5 |
 *
 *  If the first job that waits does not fit, jobs above their minimum are asked to shrink for it; until it has started,
 *  what they give up is kept for it: nobody grows. The name may be followed by `:KEY=NUMBER` once or more: `period`, ask
 *  again every so many seconds; `threshold`, of the efficiency.
 *
 *  @return  SERVER_OK; SERVER_BAD_ARGUMENT for another name or key; SERVER_NO_MEMORY.
 *  @source  equi: equipartition; efficiency: [dps] section 8, dynamic efficiency.
 */
server_result malleable_make(const char *name, server_policy *policy);

#endif
