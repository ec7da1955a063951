/* policies.h - policies for server.h: FCFS, SJF, EASY and conservative backfilling */
/** @file */
#ifndef POLICIES_H
#define POLICIES_H

#include "server.h"

/** Makes a policy.
 *
 *  | name | a waiting job starts |
 *  |---|---|
 *  | `fcfs` | in the order of submission |
 *  | `sjf` | shortest estimate first |
 *  | `easy` | as `fcfs`, or earlier if that does not delay the first one that waits (EASY backfilling) |
 *  | `conservative` | at its reservation; each job has one, which others do not delay |
 *
 *  @param[in]  name    One of these, or of malleable.h and particular.h.
 *  @param[out] policy  For server_open(), which closes it.
 *  @return  SERVER_OK; SERVER_BAD_ARGUMENT for another name; SERVER_NO_MEMORY.
 */
server_result policies_make(const char *name, server_policy *policy);

#endif
