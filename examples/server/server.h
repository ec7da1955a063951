/*
server.h - a cluster server: jobs that wait, run, grow and shrink on the nodes of a cluster, and policies that decide

The server keeps what is true: which jobs there are, which of them waits or runs, and which nodes each has. It knows no
clock and runs nothing. A host tells it what happens and does what it decides: simulate.h on a virtual clock, real.h on
real nodes. After each event the policy is told, and then asked for its decisions, so the same policy serves both.

[dps] ends with this system as future work: "a cluster server running concurrently multiple, possibly different
applications whose allocations of compute nodes vary dynamically over time".

USE     The host: server_open(), server_submit(), server_tell_...() when something happens, server_close().
        A policy: fills a server_policy; its functions call server_start(), server_resize() and so on.

NODES   Numbered from 0. A job gets the free nodes with the lowest numbers unless the policy names particular ones. It
        gives up those with the highest numbers; an anchored job keeps the lowest of those on which it began, its home.

ORDER   The policy is asked after every single event. At one instant, the host reports ends before submissions.

ERRORS  A server_result; server_why() is the sentence, with job, node and time. A policy that decides something
        impossible ends the run: later decisions do nothing, and server_failed() is true.

UNITS   [s] of the host's clock
*/
/** @file */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*=============================================================================
 * MARK: - >>jobs
 *===========================================================================*/
/** When the server may choose the size of a job. */
typedef enum server_kind {
    SERVER_RIGID = 0, /**< it runs on `preferred` nodes */
    SERVER_MOLDABLE,  /**< the server chooses minimum .. maximum at the start */
    SERVER_MALLEABLE  /**< the same, and may change it while the job runs, at points that the job chooses */
} server_kind;

/** Number of a job on its server, from 0, in the order of server_submit(). */
typedef uint32_t server_number;

/** No job. */
#define SERVER_NONE UINT32_MAX

/** A job to submit. */
typedef struct server_job_desc {
    uint64_t name;      /**< its number in the workload, for people */
    server_kind kind;   /**< rigid, moldable or malleable */
    double submit;      /**< when it is submitted [s] */
    double estimate;    /**< requested time on `preferred` nodes [s]; INFINITY: unknown */
    double run;         /**< actual time on `preferred` nodes [s]; for hosts only: a policy must not read it */
    unsigned minimum;   /**< nodes [1]; 0 means `preferred`; as preferred if rigid */
    unsigned preferred; /**< nodes [1], >= 1 */
    unsigned maximum;   /**< nodes [1]; 0 means `preferred`; as preferred if rigid */
    void *work;         /**< what it does; for the host and for predictions */
    bool anchored;      /**< it always keeps its home, and is killed if any of its nodes fails */
    double limit;       /**< the host kills it after so long [s]; 0: never */
    server_number follows; /**< 1 + the number of a job before it: it is submitted when that one is over; 0: at `submit` */
    double think;       /**< so long after the end of that one [s]; NAN: at `submit`, or when it is over if that is later */
} server_job_desc;

/** Where a job is in its life. */
typedef enum server_state {
    SERVER_EXPECTED = 0, /**< not submitted yet */
    SERVER_WAITING,      /**< submitted */
    SERVER_RUNNING,      /**< on nodes */
    SERVER_ENDED,        /**< it has done its work */
    SERVER_KILLED,       /**< it lost a node or exceeded its time while it ran */
    SERVER_REFUSED       /**< it can never run here, or the policy cancelled it */
} server_state;

/** Neighbouring nodes. */
typedef struct server_range {
    uint32_t first; /**< the lowest */
    uint32_t count; /**< how many, > 0 */
} server_range;

/** A job on its server; policies read it. */
typedef struct server_job {
    server_job_desc desc; /**< as submitted */
    server_state state;   /**< where it is */
    double begin;         /**< when it began [s]; NaN before */
    double end;           /**< when it ended, was killed or refused [s]; NaN before */
    double expected;      /**< when it ends if its estimate is right [s]; NaN unless it runs */
    double promised;      /**< when it begins, as server_promise() first said [s]; NaN without a promise */
    double reserved;      /**< the same, as it said last [s] */
    unsigned nodes;       /**< nodes that it has [1] */
    unsigned wanted;      /**< nodes that the server has asked it to change to [1]; else as `nodes` */
    double changed;       /**< when `nodes` changed last [s] */
    double node_seconds;  /**< integral of its nodes until `changed` [s] */
    unsigned resizes;     /**< how often it has changed its size [1] */
    unsigned iteration;   /**< of its work, from 0 */
    uint32_t home;        /**< the lowest of the nodes on which it began */
    server_range *ranges; /**< ranges[range_count]: its nodes, ascending; of a job that ended only if they are kept */
    uint32_t range_count; /**< how many */
    uint32_t range_space; /**< capacity */
} server_job;

/*=============================================================================
 * MARK: - >>policies
 *===========================================================================*/
/** A cluster server. */
typedef struct server server;

/** What has happened. */
typedef enum server_event_kind {
    SERVER_EVENT_SUBMIT,  /**< a job waits */
    SERVER_EVENT_END,     /**< a job has ended or was killed; its nodes are free */
    SERVER_EVENT_POINT,   /**< a malleable job has reached a point at which it can change its size */
    SERVER_EVENT_RESIZED, /**< a job has changed its size */
    SERVER_EVENT_FAIL,    /**< a node has failed */
    SERVER_EVENT_REPAIR,  /**< a node is back */
    SERVER_EVENT_WAKE     /**< a time that the policy has asked for */
} server_event_kind;

/** An event. */
typedef struct server_event {
    server_event_kind kind; /**< what has happened */
    server_number job;      /**< the job concerned; FAIL: that lost the node; SERVER_NONE without a job */
    uint32_t node;          /**< FAIL, REPAIR: the node */
    unsigned before;        /**< END, RESIZED: nodes that the job had [1] */
} server_event;

/** A policy. `decide` is called after each event, and may call the functions below. */
typedef struct server_policy {
    const char *name;                                                    /**< for tables */
    void (*happened)(void *state, server *s, const server_event *event); /**< what happened */
    void (*decide)(void *state, server *s);                              /**< what to decide */
    void (*close)(void *state);                                          /**< frees `state`; may be NULL */
    void *state;                                                         /**< passed to them */
} server_policy;

/** The result of a call. */
typedef enum server_result {
    SERVER_OK = 0,       /**< done */
    SERVER_BAD_ARGUMENT, /**< a number or a pointer is missing or out of range */
    SERVER_UNKNOWN_JOB,  /**< there is no such job */
    SERVER_BAD_STATE,    /**< the job does not wait, does not run, or cannot change its size */
    SERVER_BAD_SIZE,     /**< fewer nodes than its minimum, more than its maximum, or more than are free */
    SERVER_BAD_NODE,     /**< a node that does not exist, is not free, or is named twice */
    SERVER_NO_MEMORY     /**< memory ran out */
} server_result;

/** Starts a waiting job on the free nodes with the lowest numbers. */
server_result server_start(server *s, server_number job, unsigned nodes);

/** Starts a waiting job on particular nodes, ranges[count], ascending and all free. */
server_result server_start_on(server *s, server_number job, const server_range *ranges, size_t count);

/** Asks a running malleable job to change its size at its next point. If it grows, it takes the free nodes with the
 *  lowest numbers at that point; if it shrinks, it gives up nodes as NODES above says. */
server_result server_resize(server *s, server_number job, unsigned nodes);

/** Cancels a waiting job. */
server_result server_refuse(server *s, server_number job);

/** Tells when a waiting job is going to begin, for reports; of a policy that makes reservations.
 *
 *  @param[in] time  [s]; INFINITY: not with the nodes that there are.
 */
server_result server_promise(server *s, server_number job, double time);

/** Asks for an event SERVER_EVENT_WAKE at a time, not before now. */
server_result server_wake(server *s, double time);

/** When a job that runs is expected to end [s], after now.
 *
 *  `begin + estimate`; of one that has outlived its estimate the first of `begin + estimate + (2^k - 1) max(estimate / 16, 1 ms)`,
 *  k = 1, 2, ..., that is still to come. So it is expected to take, from its estimate on, at most about as long again as it has.
 *
 *  @return  NaN unless the job runs.
 */
double server_expected_end(const server *s, server_number job);

/** The time now [s]. */
double server_now(const server *s);

/** Ends the run because the policy cannot go on.
 *
 *  @param[in] why  The rest of a sentence: "policy NAME ...".
 *  @return  SERVER_BAD_STATE.
 */
server_result server_give_up(server *s, const char *why);

/** How many nodes the cluster has. */
unsigned server_size(const server *s);

/** How many nodes there are, without those that have failed. */
unsigned server_nodes(const server *s);

/** How many nodes are free. */
unsigned server_free(const server *s);

/** The bitmap of free nodes: free[(nodes of the cluster + 63) / 64], bit n % 64 of word n / 64. */
const uint64_t *server_free_set(const server *s);

/** A job, valid until the next server_submit(); NULL if there is none. */
const server_job *server_job_of(const server *s, server_number job);

/** How many jobs have been handed to server_submit(). */
server_number server_jobs(const server *s);

/*=============================================================================
 * MARK: - >>hosts
 *===========================================================================*/
/** What a host does for its server. */
typedef struct server_host {
    double (*now)(void *host);                             /**< its clock [s]; it stands still during an event */
    server_result (*start)(void *host, server_number job); /**< runs a job on the nodes that it has now */
    server_result (*wake)(void *host, double time);        /**< calls server_tell_wake() then */
    void (*changed)(void *host, server_number job,
                    double time); /**< a job has begun, ended or changed its nodes; or NULL */
    void (*over)(void *host, server_number job); /**< a job has ended, was killed or refused; or NULL */
    void *host;                   /**< passed to them */
} server_host;

/** A server to open. */
typedef struct server_desc {
    unsigned nodes;       /**< of the cluster, >= 1 */
    server_policy policy; /**< closed with the server, also if it does not open */
    server_host host;     /**< what runs the jobs */
    bool keep;            /**< keep the ranges of jobs that have ended */
} server_desc;

/** Opens a server.
 *
 *  @param[out] s  The server; NULL after an error.
 *  @return  SERVER_OK, SERVER_BAD_ARGUMENT, SERVER_NO_MEMORY.
 */
server_result server_open(const server_desc *desc, server **s);

/** Closes a server and its policy; NULL is harmless. */
void server_close(server *s);

/** The sentence for the first error, with job, node and time; empty without one. */
const char *server_why(const server *s);

/** Whether an error has ended the run. */
bool server_failed(const server *s);

/** Registers a job. It is submitted when the host calls server_tell_submitted().
 *
 *  @param[out] number  Its number; may be NULL.
 *  @return  SERVER_OK, SERVER_BAD_ARGUMENT, SERVER_NO_MEMORY.
 */
server_result server_submit(server *s, const server_job_desc *desc, server_number *number);

/** A job is submitted now. One that needs more nodes than the cluster has is refused, without asking the policy. */
void server_tell_submitted(server *s, server_number job);

/** A running job has ended, or was killed. */
void server_tell_ended(server *s, server_number job, bool killed);

/** A malleable job is at a point where it can change its size. Nodes that it gains are its own when the call returns.
 *
 *  @param[in] iteration  The iteration of its work that comes next, from 0.
 *  @return  The size to change to; after the data have moved, server_tell_resized() frees what it gives up.
 */
unsigned server_tell_point(server *s, server_number job, unsigned iteration);

/** A malleable job has moved its data, and uses so many nodes from now on: as server_tell_point() said. */
void server_tell_resized(server *s, server_number job, unsigned nodes);

/** Whether a running job keeps a node that it has when it shrinks to so many. */
bool server_keeps(const server *s, server_number job, uint32_t node, unsigned nodes);

/** A job cannot go on because of an error of its own, such as a program that fails: the run ends. */
void server_tell_broken(server *s, server_number job, const char *why);

/** A node has failed. It is not free until server_tell_repaired(). A malleable job that has more than its minimum and is
 *  not anchored goes on without it, any other job on it is killed.
 *
 *  @return  The job that has lost it, for the host to see what became of it; SERVER_NONE if the node was free.
 */
server_number server_tell_failed(server *s, uint32_t node);

/** A node that has failed is back, and free. */
void server_tell_repaired(server *s, uint32_t node);

/** A time that server_wake() has asked for. */
void server_tell_wake(server *s);

#endif
