/*
programs.h - the flow-graph programs that jobs can run: LU factorization, stencil, task farm

A job's work names a program and its arguments, such as "lu" and "n=1296 r=162". The same program runs in a simulation and
for real, and changes its nodes at its points, see points.h. Its predicted times, for each iteration and number of nodes,
are those of simulations of the program alone.

    program  arguments, with defaults                          iterations  see
    lu       n=1296 r=162                                      n / r       lu.h
    stencil  n=1024 blocks=16 depth=8 iterations=10            iterations  stencil.h
    farm     tasks=64 rounds=6 candidates=1e6 seed=1           rounds      farm.h

COSTS   simulated, from the machine file: of `lu` as lu_costs_of_machine() says; `[operation stencil]` with `rate`
        [flop/s], of 4 flop for a cell; `[operation candidate]` with `seconds`, CPU time of a candidate of the farm.
        `[operation launch]`: a job on n nodes starts its program after `seconds`, and if n > 1 after `connect + n each`
        more, each [s]; missing: 0.
UNITS   [s] seconds
*/
/** @file */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "../flowgraph/points.h"
#include "server.h"
#include "work.h"

/** Maximum number of runs of a program. */
#define PROGRAMS_STAGES 2

/** A program in a graph. */
typedef struct program {
    unsigned stages;                              /**< runs, one after the other */
    flowgraph_operation entries[PROGRAMS_STAGES]; /**< entries[stages]: what to start for each, on thread 0 */
    unsigned iterations;                          /**< of the last run; mark k is the beginning of iteration k */
    char result[80];                              /**< after the run, by program_result() */
    int kind;                                     /**< which program it is */
    void *self;                                   /**< the program itself; the graph owns it */
} program;

/** A program to open. */
typedef struct program_desc {
    const char *name;              /**< one of work_programs */
    const char *arguments;         /**< `key=value` separated by blanks; NULL or empty: all defaults */
    const simkit_machine *machine; /**< costs; NULL: the kernels are run */
    const points_desc *points;     /**< who decides about its nodes; NULL: nobody; borrowed for the call */
    const uint32_t *places;        /**< of program_profile(): which nodes of the machine; NULL: the first ones */
} program_desc;

/** Checks a name and arguments.
 *
 *  @param[out] iterations  How many it has; may be NULL.
 *  @param[out] data        Data that is distributed over the nodes [B]; may be NULL.
 *  @param[out] why         why[200]: the error as a sentence.
 *  @return  Whether they are right.
 */
bool program_check(const char *name, const char *arguments, unsigned *iterations, double *data, char why[200]);

/** Adds a program to an empty graph, which owns it.
 *
 *  @param[out] why  why[200]: the error as a sentence.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_BAD_ARGUMENT, FLOWGRAPH_NO_MEMORY, or an error of the graph.
 */
flowgraph_result program_open(flowgraph *graph, const program_desc *desc, program *p, char why[200]);

/** What a run has found, if its kernels were run: "the residual is 0.012" and so on; empty if they were modelled. To be
 *  called between the last run and flowgraph_close().
 *
 *  @param[in]  check  Check the factors of `lu`, which takes a run that gathers them on node 0; else nothing is said.
 *  @param[out] right  Whether the factors are right; true for the others.
 *  @return  p->result.
 */
const char *program_result(program *p, bool check, bool *right);

/** Predicted times of all iterations on 1 .. sizes nodes: each size simulated alone, on the first nodes of the machine,
 *  or those in the first places.
 *
 *  @param[out] table  table[iterations * sizes], as work.table [s]; to be freed by the caller; NULL after an error.
 *  @return  FLOWGRAPH_OK, or as program_open().
 */
flowgraph_result program_profile(const program_desc *desc, unsigned sizes, double **table, char why[200]);

/** Profiles of the programs of jobs, each made once. */
typedef struct programs programs;

/** Opens an empty set of profiles.
 *
 *  @param[in]  machine  Of the simulation; kept, not copied.
 *  @param[in]  places   Of the simulation; kept, not copied.
 *  @param[out] set      The set; NULL without memory.
 *  @return  FLOWGRAPH_OK, FLOWGRAPH_NO_MEMORY.
 */
flowgraph_result programs_open(const simkit_machine *machine, const uint32_t *places, programs **set);

/** Closes a set, and frees the tables that it has given to jobs; NULL is harmless. */
void programs_close(programs *set);

/** Checks the program of a job, and gives its work iterations, data and a table of predicted times, up to the job's
 *  maximum and `nodes` of the cluster. The job's run time is their sum on its preferred nodes, and so is its estimate if
 *  it has none. A job without a program stays as it is.
 *
 *  @param[in,out] job  To be submitted.
 *  @param[out]    why  why[200]: the error as a sentence.
 *  @return  FLOWGRAPH_OK, or as program_profile().
 */
flowgraph_result programs_prepare(programs *set, server_job_desc *job, unsigned nodes, char why[200]);

/** The nodes of the cluster in the order in which the graph of a job's program numbers them: the job's own nodes first,
 *  then all others, both ascending. The first is the job's home.
 *
 *  @param[in]  job    When it begins.
 *  @param[in]  nodes  Of the cluster.
 *  @param[out] order  order[nodes]: node of the cluster, by node of the graph.
 */
void program_nodes(const server_job *job, unsigned nodes, uint32_t *order);

/** Time from a job's start on so many nodes until its program runs, from the machine file [s]. */
double program_launch_seconds(const simkit_machine *machine, unsigned nodes);

#endif
