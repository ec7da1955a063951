/* particular.h - EASY and conservative backfilling with reservations for particular nodes */
/** @file */
#ifndef PARTICULAR_H
#define PARTICULAR_H

#include "server.h"

/** Makes a policy: `easy-nodes` or `conservative-nodes`. They are as `easy` and `conservative` of policies.h, but a
 *  reservation is for the nodes with the lowest numbers that are free then, and is not broken up: a job that would still
 *  run at that time must not be on one of them.
 *
 *  @return  SERVER_OK; SERVER_BAD_ARGUMENT for another name; SERVER_NO_MEMORY.
 */
server_result particular_make(const char *name, server_policy *policy);

#endif
