/* simulate.h - jobs and their server on a virtual clock */
/** @file */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "server.h"
#include "simkit.h"
#include "util/simkit_files.h"
#include "work.h"

/** A simulation. */
typedef struct simulate simulate;

/** A simulation to open. */
typedef struct simulate_desc {
    unsigned nodes;       /**< of the cluster, >= 1 */
    server_policy policy; /**< closed with the simulation, also if it does not open */
    /** Nodes and network, for work that computes and sends there; NULL: nodes of speed 1, a network that takes no time. */
    const simkit_machine *machine;
    /** Which nodes of the machine the cluster has: places[nodes], as flowgraph_places() says; borrowed until the simulation
     *  closes; NULL: the first ones. */
    const uint32_t *places;
    bool keep; /**< keep the nodes of jobs that have ended */
    /** A job has begun, ended or changed its nodes; NULL: not called. */
    void (*changed)(void *user, const server *s, server_number job, double time);
    void *user; /**< passed to it */
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

/** A node fails at a time, and is repaired at another, INFINITY for never. To be called before the run.
 *
 *  The iteration that a malleable job loses is repeated on the nodes that are left.
 *
 *  @return  SERVER_OK, SERVER_BAD_NODE, SERVER_BAD_ARGUMENT, SERVER_NO_MEMORY.
 */
server_result simulate_failure(simulate *sim, uint32_t node, double fails, double repaired);

/** How often in a row a policy is woken when nothing runs and no submission, failure or repair is to come. */
enum { SIMULATE_WAKES = 10000 };

/** Runs until all jobs have ended, and the rest waits for ever: nothing runs, nothing is to come, and the policy has not started a
 *  job when it was woken SIMULATE_WAKES times.
 *
 *  @return  SERVER_OK; or what server_why() says.
 */
server_result simulate_run(simulate *sim);

#endif
