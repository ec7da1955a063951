/*
real.h - jobs and their server on a real cluster

Each job is a flow-graph program in real mode: a process on each of its nodes. The server starts the first of them, on the
home of the job, which starts the others. They talk over the standard input and output of that process, a line each:

    job to server     point K          iteration K comes next: which nodes does it have from now on?
                      changed          it uses the nodes that it was given
                      left N           node N of the cluster is free
                      done TEXT        it has ended, and this is what it found
                      failed TEXT      it cannot go on
    server to job     nodes 01101000   the answer to `point`: a digit for each node of the cluster

So a launch command that passes on standard input and output, such as ssh, is all that a cluster needs.

The job ends when that process has ended. One that ends without `done` is accounted for as killed. All times are those of
the server's clock, in real seconds from the beginning.
*/
/** @file */
#ifndef REAL_H
#define REAL_H

#include "server.h"
#include "work.h"

/** A real run. */
typedef struct real real;

/** A real run to open. */
typedef struct real_desc {
    unsigned nodes;       /**< of the cluster, 1 .. FLOWGRAPH_NODES */
    server_policy policy; /**< closed with the run, also if it does not open */
    const char *program;  /**< this program, which starts with `--job` as job_main() says */
    const char *launch;   /**< words before it, such as "ssh node%d"; `%d` is a node; NULL: none, all on this machine */
    const char *address;  /**< where a node listens: "10.77.0.%e"; `%e` is a node's number + 1; NULL: "127.0.0.1" */
    const char *machine; /**< path of a machine file: kernels take the times of its rates at least; NULL: as they are */
    bool keep;           /**< keep the nodes of jobs that have ended */
    double longest;      /**< ends a run that takes longer [s]; 0: never */
    /** A job has begun, ended or changed its nodes; NULL: not called. */
    void (*changed)(void *user, const server *s, server_number job, double time);
    /** A job has something to say: what it found, or why it failed; NULL: not called. */
    void (*says)(void *user, const server *s, server_number job, const char *text);
    void *user; /**< passed to them */
} real_desc;

/** Opens a real run. Strings of its description are borrowed until it closes.
 *
 *  @return  SERVER_OK, SERVER_BAD_ARGUMENT, SERVER_NO_MEMORY.
 */
server_result real_open(const real_desc *desc, real **r);

/** Ends all jobs, and closes the run with its server; NULL is harmless. */
void real_close(real *r);

/** Its server: server_submit() jobs before the run, read them after it. Jobs must run programs. */
server *real_server(const real *r);

/** A node fails at a time, and is repaired at another, INFINITY for never: the processes of the job on it are killed. */
server_result real_failure(real *r, uint32_t node, double fails, double repaired);

/** Runs until all jobs have ended, and the rest waits for ever.
 *
 *  @return  SERVER_OK; or what server_why() says.
 */
server_result real_run(real *r);

/** The processes of a job: reads the arguments after `--job`, runs the program, and talks to the server.
 *
 *  @param[in] arguments  The argv of main(): arguments[1] is "--job".
 *  @return  The exit status.
 */
int job_main(int count, char **arguments);

#endif
