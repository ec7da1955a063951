/*
report.h - what became of the jobs of a server: tables, CSV, pictures and a trace

USE     report_open(); report_changed() as the `changed` of simulate_desc, with the report as `user`; simulate_run();
        report_finish() while the server is open; then the rest, also after the server has been closed.

WORDS   wait: from submission to begin. run: from begin to end. turnaround: both. bounded slowdown:
        `max(1, turnaround / max(run, 10 s))`. makespan: from the first submission to the last end. Distributions are
        those of the jobs that ended; jobs that were killed or refused, or wait for ever, are counted apart.
        Percentiles are linear between the two neighbours in the sorted list.

FILES   appear complete or not at all: they are written beside their place, as PATH.part, and renamed.

ERRORS  `why` gets a sentence; it may be NULL.

UNITS   [s]
*/
/** @file */
#ifndef REPORT_H
#define REPORT_H

#include "../interval.h"
#include "server.h"

#include <stdio.h>

/*=============================================================================
 * MARK: - >>recorder
 *===========================================================================*/
/** A report on the jobs of one server. */
typedef struct report report;

/** How much is kept. What less is kept, needs less memory and draws fewer pictures. */
typedef enum report_keep {
    REPORT_SUMS = 0, /**< 32 B per job until report_finish(): tables and a CSV without changes */
    REPORT_CHANGES,  /**< also when each job changed its number of nodes: utilization, efficiency */
    REPORT_RANGES    /**< also which nodes each had: Gantt chart and trace */
} report_keep;

/** A report to open. */
typedef struct report_desc {
    report_keep keep;  /**< how much */
    const char *title; /**< above tables and pictures, such as the policy; copied; NULL: none */
    /** Allocates, grows and frees (new_bytes 0), as realloc(); NULL: that of the C library. */
    void *(*reallocate)(void *user, void *pointer, size_t old_bytes, size_t new_bytes);
    void *user; /**< passed to it */
} report_desc;

/** Opens a report.
 *
 *  @return  SERVER_OK, SERVER_BAD_ARGUMENT, SERVER_NO_MEMORY.
 */
server_result report_open(const report_desc *desc, report **r);

/** Closes a report; NULL is harmless. */
void report_close(report *r);

/** A job has begun, ended or changed its nodes. To be called for all of them, in order.
 *
 *  @param[in] user  The report.
 */
void report_changed(void *user, const server *s, server_number job, double time);

/** Room for a sentence. */
enum { REPORT_WHY = 320 };

/** Node-seconds until now. */
typedef struct report_balance {
    double given; /**< nodes of the cluster times the time since 0 [s] */
    double used;  /**< by jobs, as the recorder has added them up [s] */
    double jobs;  /**< the same, added up over the jobs of the server [s] */
    double idle;  /**< of nodes that were free or had failed [s] */
} report_balance;

/** Whether nothing is lost: node-seconds given = used + idle to within 1e-9, as the jobs say themselves, and each node
 *  is free, has failed, or has exactly one job. It may be called at each event, after report_changed().
 *
 *  @param[out] balance  May be NULL.
 *  @param[out] why      What is wrong.
 *  @cost  O(jobs + nodes)
 */
bool report_conserves(report *r, const server *s, report_balance *balance, char why[REPORT_WHY]);

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
/** From this time on, a job has these nodes. */
typedef struct report_change {
    double time;          /**< when [s] */
    unsigned nodes;       /**< how many [1]; 0 at the end */
    server_number job;    /**< whose */
    size_t first;         /**< index of the first of its ranges; see report_ranges() */
    uint32_t range_count; /**< how many; 0 unless REPORT_RANGES */
} report_change;

/** What became of a job. What it has not reached is NaN. */
typedef struct report_job {
    uint64_t name;                /**< its number in the workload */
    server_kind kind;             /**< rigid, moldable or malleable */
    server_state state;           /**< at the end of the run */
    double submit, begin, end;    /**< [s] */
    double wait, run, turnaround; /**< [s] */
    double slowdown;              /**< bounded slowdown [1] */
    double node_seconds;          /**< [s] */
    double estimate;              /**< of its run time [s] */
    double promised;              /**< when it was to begin, as the policy first said; NaN without a promise [s] */
    unsigned resizes;             /**< how often it has changed its size [1] */
    size_t first, changes;        /**< its part of report_changes(); none with REPORT_SUMS */
    interval next;                /**< of the turnaround in a real run, by report_trusts(); zeros: none [s] */
} report_job;

/** A distribution. All NaN without values. */
typedef struct report_distribution {
    double mean, median, p95, p99, maximum;
} report_distribution;

/** Bins of the efficiency: 0 .. 0.1, ..., 0.9 .. 1 and above. */
enum { REPORT_BINS = 10 };

/** Figures of a distribution. */
enum { REPORT_FIGURES = 5 };

/** The whole run. */
typedef struct report_summary {
    size_t jobs;                          /**< all; the sum of the next six */
    size_t ended, killed, refused;        /**< that far they got */
    size_t waiting, running, expected;    /**< when the run was over; `expected`: not submitted yet */
    report_distribution wait;             /**< of jobs that ended or were killed [s] */
    report_distribution turnaround;       /**< of jobs that ended [s] */
    report_distribution slowdown;         /**< of jobs that ended [1] */
    double makespan;                      /**< from the first submission to the last end, without jobs that were refused [s] */
    double node_seconds;                  /**< used [s] */
    double utilization;                   /**< node_seconds / (nodes * makespan) [1] */
    double fairness;                      /**< Jain's index of the bounded slowdowns of jobs that ended, 1: all alike,
                                                   1 / jobs: one bears it all [1]. @source Jain, Chiu, Hawe 1984 */
    double by_efficiency[REPORT_BINS];    /**< node-seconds by the efficiency that work.h predicts [s] */
    double without_efficiency;            /**< node-seconds of work that has no efficiency [s] */
    interval turnarounds[REPORT_FIGURES]; /**< of each figure of `turnaround` in a real run, by report_trusts(); zeros: none [s] */
    interval makespans;                   /**< likewise of `makespan` [s] */
} report_summary;

/** The `part` of a distribution that lies below the result; values[count] ascend. NaN without values. */
double report_percentile(const double *values, size_t count, double part);

/** Takes what became of the jobs from their server. What their `work` points to must still be there.
 *
 *  @return  SERVER_OK; SERVER_NO_MEMORY, also if memory ran out while it recorded; SERVER_BAD_STATE if called twice.
 */
server_result report_finish(report *r, const server *s);

/** The results of all jobs, by their number on the server; jobs[*count]. */
const report_job *report_jobs(const report *r, size_t *count);

/** All changes, job by job. */
const report_change *report_changes(const report *r);

/** All ranges of nodes. */
const server_range *report_ranges(const report *r);

/** The whole run. */
const report_summary *report_summary_of(const report *r);

/*=============================================================================
 * MARK: - >>how sure
 *===========================================================================*/
/** How much the times of the same jobs differ between several worlds. */
typedef struct report_spread report_spread;

/** Opens a spread.
 *
 *  @param[in]  jobs    How many there are.
 *  @param[out] spread  Of no world yet; NULL without memory.
 *  @return  SERVER_OK, SERVER_NO_MEMORY.
 */
server_result report_spread_open(size_t jobs, report_spread **spread);

/** Closes a spread; NULL is harmless. */
void report_spread_close(report_spread *spread);

/** Adds the times of one more world: turnarounds of jobs that ended, the figures of their distribution, and the makespan.
 *
 *  @param[in] r  A report that is finished, with as many jobs.
 */
void report_spread_add(report_spread *spread, const report *r);

/** Where the intervals of predicted times come from. */
typedef struct report_trust {
    const char *none;            /**< why there are no intervals; NULL: there are */
    const residuals *family;     /**< real runs that were compared with their predictions */
    unsigned reasons;            /**< for which the bounds of these are wider, see interval.h */
    const char *kind;            /**< what is of another kind then; a constant text */
    const report_spread *spread; /**< of what the machine file is not sure of; only for report_trusts(); NULL: of nothing */
    unsigned worlds;             /**< how many it has */
} report_trust;

/** Gives the turnarounds and the makespan of a finished report their intervals. Waits and slowdowns have none. */
void report_trusts(report *r, const report_trust *trust);

/** Prints where the intervals come from, or why there are none. */
void report_print_trust(const report_trust *trust, FILE *out);

/** Prints the summary as a table. */
void report_print(const report *r, FILE *out);

/** Writes a CSV with a line per job. */
bool report_write_jobs(const report *r, const char *path, char why[REPORT_WHY]);

/*=============================================================================
 * MARK: - >>policies side by side
 *===========================================================================*/
/** One run of a policy. */
typedef struct report_sample {
    const char *policy;     /**< its name */
    report_summary summary; /**< of a run with a seed of its own */
} report_sample;

/** Half the width of the 95 % interval of a mean (Student's t).
 *
 *  `half = t(0.95, count - 1) * sqrt(squares / (count - 1) / count)`
 *
 *  @param[in] squares  Sum of the squared deviations from the mean, in the square of the values' unit.
 *  @param[in] count    Values.
 *  @return  In the values' unit; NaN for fewer than two values.
 */
double report_half(double squares, size_t count);

/** Prints policies side by side, in the order of their first samples: means over the samples with 95 % intervals
 *  (Student's t), and by how much those of 80 % are narrower. Below them are the intervals of report_trusts(), if there are any. */
void report_print_policies(const report_sample *samples, size_t count, FILE *out);

/** Writes the same as CSV: for each quantity the mean, and half the width of its interval, empty for a single run; then half the
 *  widths of 80 % intervals, and the ends of the intervals of report_trusts(), of the first sample of each policy. */
bool report_write_policies(const report_sample *samples, size_t count, const char *path, char why[REPORT_WHY]);

/*=============================================================================
 * MARK: - >>pictures
 *===========================================================================*/
/** Draws which nodes each job had, as SVG: a colour per job. Of more than 4 000 rectangles, the smallest, and
 *  those narrower than a pixel, become a shade of what they use.
 *  Needs REPORT_RANGES. */
bool report_draw_gantt(const report *r, const char *path, char why[REPORT_WHY]);

/** Draws utilization and queue length over time, as SVG. Needs REPORT_CHANGES. */
bool report_draw_utilization(const report *r, const char *path, char why[REPORT_WHY]);

/** Draws the efficiency over time, weighted by nodes, as SVG. Needs REPORT_CHANGES. */
bool report_draw_efficiency(const report *r, const char *path, char why[REPORT_WHY]);

/** Writes a trace for chrome://tracing or Perfetto: jobs on rows of nodes, counters of utilization and queue. Needs
 *  REPORT_RANGES. Of more than 200 000 bars, each job has one per range, on the row of its first node; of more
 *  ranges, the first 200 000 are written, and a label of the process says until when. */
bool report_write_trace(const report *r, const char *path, char why[REPORT_WHY]);

#endif
