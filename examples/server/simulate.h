/* simulate.h - jobs and their server on a virtual clock */
/** @file */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "server.h"
#include "simkit.h"

/** A simulation. */
typedef struct simulate simulate;

/** A simulation to open. */
typedef struct simulate_desc {
    unsigned nodes;       /**< of the cluster, >= 1 */
    server_policy policy; /**< closed with the simulation, also if it does not open */
    bool keep;            /**< keep the nodes of jobs that have ended */
    void (*changed)(void *user, const server *s, server_number job, double time); /**< a job has begun, ended or changed
                                                                                       its nodes; NULL: not called */
    void *user;                                                                   /**< passed to it */
} simulate_desc;

/** Opens a simulation.
 *
 *  @return  SERVER_OK, SERVER_BAD_ARGUMENT, SERVER_NO_MEMORY.
 */
server_result simulate_open(const simulate_desc *desc, simulate **sim);

/** Closes a simulation with its server; NULL is harmless. */
void simulate_close(simulate *sim);

/** Its server: server_submit() jobs before the run, read them after it. */
server *simulate_server(const simulate *sim);

/** Its world. */
simkit_world *simulate_world(const simulate *sim);

/** Runs until all jobs have ended, and the rest waits for ever.
 *
 *  @return  SERVER_OK; or what server_why() says.
 */
server_result simulate_run(simulate *sim);

#endif
