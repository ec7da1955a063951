/* demand.h - what a program demands of the cache and of the memory, found without counters: it runs on one core, alone and beside
 * loads that are known. */
#ifndef DEMAND_H
#define DEMAND_H

#include <stddef.h>

/* Zeros: nothing that could be told from the noise, or nothing that is a limit here. */
typedef struct demand {
    double reload;    /* CPU time that a thread takes more after its cache was emptied [s] */
    double rate;      /* what it moves to and from memory in a second of its CPU time [B/s] */
    double bandwidth; /* of the memory, which all cores share [B/s] */
} demand;

/* What a program moves beside loads that want more than the memory has, as contention_memory_level() shares it [B/s]. One that
 * wants less than its part moves what the loads leave; one that wants more is slowed down as well. `slowdown`: of the program
 * beside them [1]. */
double demand_rate(double bandwidth, double loads, double slowdown);

/* Runs the program so often (`rounds`) in each way, on the first processor that this process may use; its output is unread.
 * NULL, or what is wrong. `text` gets a sentence or two on what was measured. */
const char *demand_measure(demand *d, int rounds, char *const argv[], char *text, size_t room);

#endif
