/*
work.h - what a job does: for a time, by a law of speed-up, as a skeleton with real transfers, or as a program

Work that can change its size consists of iterations; between two of them it is at a point, see server_tell_point().
work_seconds() predicts an iteration on a number of nodes; policies take efficiencies from it.

UNITS   [s] seconds, [B] bytes
*/
/** @file */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stddef.h>

/** What describes the work. */
typedef enum work_kind {
    WORK_TIME = 0, /**< server_job_desc.run, on any number of nodes */
    WORK_AMDAHL,   /**< speed-up `1 / (serial + (1 - serial) / n)` */
    WORK_DOWNEY,   /**< Downey's speed-up, of average parallelism A and coefficient of variation sigma */
    WORK_TABLE,    /**< speed-ups in a table, linear between its rows */
    WORK_SKELETON, /**< computations and transfers on the nodes of the cluster */
    WORK_PROGRAM   /**< a flow-graph program */
} work_kind;

/** How the nodes of a skeleton communicate in each iteration. */
typedef enum work_pattern {
    WORK_SILENT = 0, /**< not at all */
    WORK_RING,       /**< each with the next and the one before */
    WORK_ALL_TO_ALL, /**< each with all others */
    WORK_GATHER      /**< all others send to the first one */
} work_pattern;

/** Flow-graph programs that jobs can run; see programs.h. */
typedef enum work_program {
    WORK_LU,      /**< LU factorization */
    WORK_STENCIL, /**< stencil with halo exchange */
    WORK_FARM,    /**< rounds of tasks */
    WORK_PROGRAMS /**< how many there are */
} work_program;

/** Their names: "lu", "stencil" and "farm". */
extern const char *const work_programs[WORK_PROGRAMS];

/** What a job does. All zero is WORK_TIME. */
typedef struct work {
    work_kind kind;        /**< which of the members below count */
    double seconds;        /**< laws, skeleton: CPU time of the whole work on one node of speed 1 [s] */
    unsigned iterations;   /**< laws, skeleton: parts between which the size may change [1]; 0 means 1 */
    double data;           /**< data distributed over the nodes, moved when their number changes [B] */
    double serial;         /**< Amdahl: the part that only one node does, 0 .. 1 */
    double parallelism;    /**< Downey: A, >= 1 */
    double variation;      /**< Downey: sigma, >= 0 */
    const unsigned *nodes; /**< table: nodes[count], ascending, from 1; borrowed */
    const double *speedup; /**< table: speedup[count], from 1; borrowed */
    size_t count;          /**< table: rows */
    work_pattern pattern;  /**< skeleton: who sends to whom */
    double bytes;          /**< skeleton: size of each message [B] */
    const char *program;   /**< program: one of work_programs */
    const char *arguments; /**< program: `key=value` separated by blanks; what is missing has a default */
    const double *table;   /**< program: table[iterations * sizes]: predicted seconds of iteration i on n nodes at
                                table[i * sizes + n - 1] [s]; NULL: not known yet */
    unsigned sizes;        /**< program: number of sizes in the table */
} work;

/** The speed-up of a law on a number of nodes.
 *
 *  @return  [1]; NaN for work that is not a law, or invalid.
 *  @source  Amdahl 1967; Downey, "A model for speedup of parallel programs", 1997; table: linear between its rows, and
 *           constant beyond the last.
 */
double work_speedup(const work *w, unsigned nodes);

/** The time of an iteration on a number of nodes of speed 1.
 *
 *  @param[in] iteration  From 0.
 *  @return  [s]; NaN for WORK_TIME, and for a program without a table.
 */
double work_seconds(const work *w, unsigned iteration, unsigned nodes);

/** The efficiency of an iteration: the time on one node, divided by `nodes` times the time on `nodes` nodes.
 *
 *  @return  [1]; NaN as work_seconds(). @source [dps] section 8, dynamic efficiency.
 */
double work_efficiency(const work *w, unsigned iteration, unsigned nodes);

/** The time to move the data when the number of nodes changes: each node that comes or goes receives or sends its part,
 *  each one that stays the difference, over links of so many bytes per second in each direction.
 *
 *  @return  [s], >= 0; 0 without data.
 */
double work_move_seconds(const work *w, unsigned from, unsigned to, double latency, double bandwidth);

#endif
