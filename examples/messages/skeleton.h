/* skeleton.h - for programs that state how long they would compute instead of computing, so that a thousand ranks run
 * on a laptop. Include it after mpi.h or pvm3.h. With a real MPI or PVM the same calls exist: code runs each time, and
 * charging time takes no time. */
#ifndef SIMKIT_SKELETON_H
#define SIMKIT_SKELETON_H

#include <stddef.h>

#if defined(SIMKIT_MPI) || defined(SIMKIT_PVM)
#ifdef __cplusplus
extern "C" {
#endif

/** Charges CPU time at speed 1; the host's speed and load determine how long it takes. Seconds, >= 0. */
void skeleton_compute(double seconds);

/** Waits without computing. Seconds, >= 0. */
void skeleton_sleep(double seconds);

/** Time of this machine [s], from some moment on; the clocks of the C library are virtual, as MPI_Wtime() is. For programs that measure
 *  how long the simulation itself takes. */
double skeleton_clock(void);

/** The load average of the task's host over N observations: the number of processes that compute there, this task
 *  included, sampled every second and smoothed with `beta = N / (N + 1)`. NaN unless N is a number >= 0. After
 *  skeleton_compute() it is the program frame of [clue]. With a real MPI or PVM: the machine's load average over 1, 5
 *  or 15 minutes, whichever is closest; NaN if there is none. */
double skeleton_load_average(double observations);

/** Memory that all tasks share because its content does not matter: it takes 1 MiB in all, whatever its size, and
 *  messages from it carry no content. NULL without memory. Free it with skeleton_shared_free(). */
void *skeleton_shared(size_t bytes);
void skeleton_shared_free(void *shared, size_t bytes);

/** Changes a parameter of a host from now on, written as in the machine file: skeleton_change("sun1", "speed", "0.4").
 *  Returns NULL, or the error as a sentence. */
const char *skeleton_change(const char *host, const char *key, const char *value);

/** A piece of code that runs only a number of times, counted over all tasks; then the robust mean of its CPU times is
 *  charged instead: see SKELETON_MEASURE. */
typedef struct skeleton_segment {
    int runs;
    unsigned operation;
    double parameter;
    const char *name;
} skeleton_segment;

skeleton_segment skeleton_begin(const char *name, double parameter, unsigned first);
void skeleton_end(skeleton_segment *segment);

/** SKELETON_MEASURE("solve", n, 10) { ... } runs the block the first 10 times for this name and parameter; later it is
 *  skipped, and its mean time is charged. The block must not send or receive messages. */
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
int getloadavg(double loads[], int count); /* if stdlib.h does not declare it */
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
