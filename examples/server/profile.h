/*
profile.h - the availability profile of a cluster: how many nodes will be free, from now on

A step function of time: spans, each with the time at which it begins and the number of nodes that are free until the next
one begins; the last one never ends. Conservative backfilling keeps one.

It is stored in blocks of up to 16 spans. For a block the fewest and the most nodes that are free in it are known, so that a
search looks into few blocks, and a number counts for all of its spans, so that a change over many blocks touches each once.

ERRORS  Without memory `no_memory` is true, and the profile is empty and stays so.
*/
/** @file */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>

/** An availability profile; all zero is one that is empty. */
typedef struct profile {
    struct profile_block **blocks; /**< blocks[count]: in order of time */
    double *begins;                /**< begins[count]: when the first span of each block begins [s] */
    int *least;                    /**< least[count]: the fewest free nodes in each block */
    int *most;                     /**< most[count]: the most */
    size_t count;                  /**< blocks in use */
    size_t space;                  /**< capacity of these arrays */
    bool no_memory;                /**< memory ran out */
} profile;

/** Frees a profile. */
void profile_free(profile *p);

/** From `now` on `nodes` nodes are free, for ever. */
void profile_reset(profile *p, double now, int nodes);

/** Forgets what was before `now`. */
void profile_advance(profile *p, double now);

/** `nodes` nodes more are free from `from` until `to`, or fewer if negative. Nothing happens before the profile begins. */
void profile_add(profile *p, double from, double to, int nodes);

/** Whether `nodes` nodes are free for `seconds` [s] from the begin of the profile on, for a job that has its place from `start` on. */
bool profile_fits(const profile *p, unsigned nodes, double seconds, double start);

/** The first time from which `nodes` nodes are free for `seconds` [s]; INFINITY: never. */
double profile_fit(const profile *p, unsigned nodes, double seconds);

/** The same for a job that has its place in the profile, from `start` on, if it may only move up: `start` if nothing is earlier. */
double profile_earlier(const profile *p, unsigned nodes, double seconds, double start);

#endif
