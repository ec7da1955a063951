/* skeleton.h - programs that tell how long they would compute instead of computing, so that a thousand ranks run on a
 * laptop. To be included after mpi.h or pvm3.h; with those of a real MPI or PVM all of it is there, too, and does what it
 * says for real: code runs each time, and what should only be charged takes no time. */
#ifndef SIMKIT_SKELETON_H
#define SIMKIT_SKELETON_H

#include <stddef.h>

#if defined(SIMKIT_MPI) || defined(SIMKIT_PVM)
#ifdef __cplusplus
extern "C" {
#endif

/** Charges CPU time: the host's speed and whoever shares the processor count. Seconds, >= 0. */
void skeleton_compute(double seconds);

/** Lets time go by in which nothing is computed. Seconds, >= 0. */
void skeleton_sleep(double seconds);

/** The load average of the task's host, over so many seconds: the number of processes that compute there, its own and
 *  others, seen every second and smoothed with `beta = N / (N + 1)`. NaN for what is no number >= 0. With
 *  skeleton_compute() before it, it is the program frame of [clue]. With a real MPI or PVM that of the machine, of 1, 5
 *  or 15 minutes, what is nearest; NaN if it tells none. */
double skeleton_load_average(double observations);

/** Memory that all tasks share because its content does not matter: it takes 1 MiB in all, whatever its size, and
 *  messages from there carry nothing. NULL without memory. Given back with skeleton_shared_free(). */
void *skeleton_shared(size_t bytes);
void skeleton_shared_free(void *shared, size_t bytes);

/** Changes a parameter of a host from now on, as it would be written in the machine file: skeleton_change("sun1",
 *  "speed", "0.4"). NULL, or what is wrong. */
const char *skeleton_change(const char *host, const char *key, const char *value);

/** A piece of code that runs the first times only, in all tasks together; then the robust mean of what it took is
 *  charged: see SKELETON_MEASURE. */
typedef struct skeleton_segment {
    int runs;
    unsigned operation;
    double parameter;
    const char *name;
} skeleton_segment;

skeleton_segment skeleton_begin(const char *name, double parameter, unsigned first);
void skeleton_end(skeleton_segment *segment);

/** SKELETON_MEASURE("solve", n, 10) { ... } runs what follows for the first 10 times of this name and this parameter;
 *  after that it is skipped and takes as long. No messages inside. */
#define SKELETON_MEASURE(name, parameter, first)                                                                       \
    for (skeleton_segment simkit_segment = skeleton_begin(name, parameter, first); simkit_segment.runs;                \
         skeleton_end(&simkit_segment))

#ifdef __cplusplus
}
#endif
#else
#include <math.h>
#include <stdlib.h>
#ifndef __cplusplus
int getloadavg(double loads[], int count); /* where stdlib.h keeps it to itself */
#endif
static inline double skeleton_load_average(double observations)
{
    double loads[3];
    const int which = observations < 134 ? 0 : observations < 520 ? 1 : 2; /* means of 60, 300 and 900 */
    return observations >= 0 && getloadavg(loads, 3) > which ? loads[which] : NAN;
}
#define skeleton_compute(seconds) ((void)(seconds))
#define skeleton_sleep(seconds) ((void)(seconds))
#define skeleton_shared(bytes) malloc(bytes)
#define skeleton_shared_free(shared, bytes) ((void)(bytes), free(shared))
#define skeleton_change(host, key, value) ((const char *)0)
#define SKELETON_MEASURE(name, parameter, first)                                                                       \
    for (int simkit_once = ((void)(parameter), (void)(first), 1); simkit_once; simkit_once = 0)
#endif
#endif
