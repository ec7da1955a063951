/*
profile.h - the availability profile of a cluster: how many nodes will be free, from now on

A step function of time: spans, each with the time at which it begins and the number of nodes that are free until the next
one begins; the last one never ends. Conservative backfilling keeps one.

It is stored in blocks of up to 64 spans. Per block the profile keeps the minimum of the free nodes; and for 1, 2, 4 ... nodes an upper
bound of how long so many are free from a time in the block on. A search reads the bounds for its number of nodes, rounded down, and
looks into the few blocks in which a job may fit.

UNITS   Times in seconds, >= 0.

ERRORS  Without memory `no_memory` is true, and the profile is empty and stays so.
*/
/** @file */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>

enum { PROFILE_LEVELS = 20 /**< for 1, 2, 4 ... 524 288 nodes; larger jobs use the last one */ };

/** An availability profile; all zero is one that is empty. */
typedef struct profile {
    struct profile_block **blocks;   /**< blocks[count]: in order of time */
    double *begins;                  /**< begins[count]: when the first span of each block begins [s] */
    int *least;                      /**< least[count]: minimum of the free nodes of each block */
    double *longest[PROFILE_LEVELS]; /**< longest[level][count]: bound of the time for which 2^level nodes are free [s] */
    size_t levels;                   /**< in use: as many as the nodes at the last reset need */
    size_t found;                    /**< the block of the time searched for last */
    size_t count;                    /**< blocks in use */
    size_t space;                    /**< capacity of these arrays */
    bool no_memory;                  /**< memory ran out */
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

/** The first time from which `nodes` > 0 nodes are free for `seconds` [s]; INFINITY: never. */
double profile_fit(profile *p, unsigned nodes, double seconds);

/** The same for a job that has its place in the profile, from `start` on, if it may only move up: `start` if nothing is earlier. */
double profile_earlier(profile *p, unsigned nodes, double seconds, double start);

#endif
