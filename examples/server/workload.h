/*
workload.h - the jobs of a cluster: from a log in the Standard Workload Format, from a model, or from a file of our own

USE     workload_read_swf(), workload_read() or workload_generate(); server_submit() each of its jobs; workload_close().

SWF     [swf] The Standard Workload Format 2.2: a line per job with 18 numbers, header lines `; Key: value`.
        All 18 numbers of each line and all lines with `;` are kept, and workload_write_swf() writes them as they were.
        What is odd about a real log is counted in workload_counts; nothing is dropped silently.

OURS    docs/workloads.md describes it: `[cluster]` with `nodes`, and a section for each job, or for several of a kind:

            [job solver]
            submit = 10 s
            kind = malleable
            nodes = 4
            minimum = 2
            maximum = 8
            law = amdahl
            seconds = 1000 s
            iterations = 50
            serial = 0.02

MODEL   [lublin] The model of Lublin and Feitelson: sizes, run times and arrivals of rigid jobs.

ERRORS  A simkit_result; what is wrong in a file is a sentence with its place: FILE:LINE:COLUMN.

UNITS   [s] seconds, [B] bytes
*/
/** @file */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "server.h"
#include "simkit.h"
#include "util/simkit_files.h"

#include <stdio.h>

/*=============================================================================
 * MARK: - >>workloads
 *===========================================================================*/
/** The numbers of a line of the Standard Workload Format; -1 stands for what is not known. */
typedef enum workload_field {
    WORKLOAD_NUMBER = 0,       /**< of the job */
    WORKLOAD_SUBMIT,           /**< time of submission [s] */
    WORKLOAD_WAIT,             /**< wait [s] */
    WORKLOAD_RUN,              /**< run time [s] */
    WORKLOAD_ALLOCATED,        /**< processors that it had [1] */
    WORKLOAD_CPU,              /**< average CPU time of a processor [s] */
    WORKLOAD_MEMORY,           /**< average memory of a processor [kB] */
    WORKLOAD_PROCESSORS,       /**< processors that it requested [1] */
    WORKLOAD_TIME,             /**< time that it requested [s] */
    WORKLOAD_MEMORY_REQUESTED, /**< memory of a processor that it requested [kB] */
    WORKLOAD_STATUS,           /**< 0 failed, 1 completed, 2, 3, 4 a part of a job, 5 cancelled */
    WORKLOAD_USER,             /**< number */
    WORKLOAD_GROUP,            /**< number */
    WORKLOAD_EXECUTABLE,       /**< number */
    WORKLOAD_QUEUE,            /**< number */
    WORKLOAD_PARTITION,        /**< number */
    WORKLOAD_PRECEDING,        /**< job that has to end first */
    WORKLOAD_THINK,            /**< time between its end and this submission [s] */
    WORKLOAD_FIELDS            /**< how many there are */
} workload_field;

/** A line of the Standard Workload Format. */
typedef struct workload_record {
    double field[WORKLOAD_FIELDS]; /**< by workload_field */
} workload_record;

/** A line with `;` of the Standard Workload Format. */
typedef struct workload_comment {
    const char *text; /**< text[length], without the end of the line; a zero byte follows */
    size_t length;    /**< [B] */
    size_t before;    /**< the record that follows it */
} workload_comment;

/** What was odd about a log. Each line is a job, or left out for one of the reasons. */
typedef struct workload_counts {
    size_t lines;       /**< of jobs */
    size_t partial;     /**< left out: status 2, 3 or 4, a part of a job; the line of the whole job is used */
    size_t cancelled;   /**< left out: status 5, and it had no run time or no processors */
    size_t timeless;    /**< left out: not cancelled, but the run time is 0 or not known */
    size_t sizeless;    /**< left out: not cancelled, but the number of processors is 0 or not known */
    size_t undated;     /**< left out: the time of submission is not known */
    size_t raised;      /**< ran longer than requested: the estimate is raised to the run time */
    size_t unestimated; /**< requested no time: the estimate is the run time */
    size_t broken_off;  /**< status 5, but it ran: it runs as long as it did */
    size_t oversized;   /**< more processors than the cluster has: the server will refuse it */
    size_t back;        /**< submitted before the job of an earlier line: it comes when its time says */
    size_t following;   /**< has a preceding job: it is submitted after the end of that one */
    size_t unfollowed;  /**< its preceding job is no job of an earlier line: it comes when its time says */
    size_t repeated;    /**< has the number of a job of an earlier line */
    size_t wide;        /**< more than 18 fields: the others are left out */
} workload_counts;

/** The nodes of the largest cluster [1]. */
enum { WORKLOAD_MOST_NODES = 1000000 };

/** Jobs, and what they were read from. To be read only, except for the fields of records and what jobs[].work points to;
 *  workload_close() frees all of it. */
typedef struct workload {
    server_job_desc *jobs;      /**< jobs[count]; their `work` is never NULL, and jobs that are alike share one */
    size_t count;               /**< of jobs */
    const char **names;         /**< names[count] of jobs in a file of our own; else NULL */
    unsigned nodes;             /**< of the cluster [1]; 0: not known */
    workload_record *records;   /**< records[record_count]: the lines of a log */
    size_t record_count;        /**< of records */
    size_t *record;             /**< record[count]: the line of each job of a log; else NULL */
    workload_comment *comments; /**< comments[comment_count] of a log */
    size_t comment_count;       /**< of comments */
    workload_counts counts;     /**< of a log */
} workload;

/** The text of a file, which may be compressed by gzip.
 *
 *  @param[in]  memory  Where it comes from; it is released as `*size` bytes.
 *  @param[in]  path    "-": standard input.
 *  @param[out] text    text[*length]; NULL after an error.
 *  @param[out] why     why[200]: what is wrong, after SIMKIT_NO_FILE.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_NO_MEMORY.
 */
simkit_result workload_text(const simkit_memory *memory, const char *path, char **text, size_t *length, size_t *size,
                            char why[200]);

/** Frees a workload; NULL is harmless. */
void workload_close(workload *w);

/*=============================================================================
 * MARK: - >>logs
 *===========================================================================*/
/** Reads a log in the Standard Workload Format.
 *
 *  A job runs for its run time on the processors that it requested, or else on those that it had. Its `name` is its
 *  number. The estimate is the requested time. A job with a preceding job is submitted when that one is over and its user has
 *  thought (fields 17 and 18); without a think time, at its own time of submission, or when that one is over if that is later.
 *
 *  @param[in]  nodes  Of the cluster; 0: MaxProcs or MaxNodes of the header.
 *  @param[out] w      The workload; NULL after an error.
 *  @param[out] error  What is wrong with the file; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_FILE, SIMKIT_NO_FILE, SIMKIT_NO_MEMORY, SIMKIT_BAD_ARGUMENT.
 *  @cost    A million lines take a third of a second and 300 MB.
 */
simkit_result workload_read_swf(const simkit_input *input, unsigned nodes, workload **w, simkit_parse_error *error);

/** Writes the Standard Workload Format.
 *
 *  A log is written as it was read, with blank lines and runs of blanks left out. Other workloads become a log of rigid
 *  jobs on their preferred nodes: the format has no place for laws and programs.
 *
 *  @return  SIMKIT_OK; SIMKIT_NO_FILE if it could not be written.
 */
simkit_result workload_write_swf(const workload *w, FILE *file);

/** A value of the header of a log, such as "MaxProcs".
 *
 *  @return  What stands behind `; Key:`; NULL if there is no such line.
 */
const char *workload_header(const workload *w, const char *key);

/** The counts in one line of text.
 *
 *  @param[out] text  text[size], with a zero byte at its end; 512 B are enough.
 */
void workload_counts_text(const workload *w, char *text, size_t size);

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/
/** Reads a file of our own.
 *
 *  Jobs are numbered from 1 in the order of the file. `run` is NaN for skeletons and programs, whose time only a run
 *  tells. Without `estimate`, the estimate is the run time, or INFINITY where that is NaN.
 *
 *  @param[out] w      The workload; NULL after an error.
 *  @param[out] error  What is wrong with the file; may be NULL.
 *  @return  SIMKIT_OK, SIMKIT_BAD_FILE, SIMKIT_NO_FILE, SIMKIT_NO_MEMORY, SIMKIT_BAD_ARGUMENT.
 */
simkit_result workload_read(const simkit_input *input, workload **w, simkit_parse_error *error);

/*=============================================================================
 * MARK: - >>model
 *===========================================================================*/
/** Two numbers of a gamma distribution: its mean is `shape * scale`. */
typedef struct workload_gamma {
    double shape; /**< > 0 */
    double scale; /**< > 0 */
} workload_gamma;

/** The parameters of the model of Lublin and Feitelson. @source [lublin] */
typedef struct workload_lublin {
    double serial;          /**< probability of one processor */
    double power;           /**< probability of a power of two */
    double low;             /**< log2 of the smallest parallel size */
    double middle;          /**< log2 of the size where the density changes */
    double high;            /**< log2 of the largest size */
    double lower;           /**< probability that log2 of a size is between `low` and `middle` */
    workload_gamma brief;   /**< log of the run time [s] of brief jobs */
    workload_gamma lasting; /**< log of the run time [s] of lasting jobs */
    double slope;           /**< a job on n processors is brief with probability `slope * n + offset`, within 0 .. 1 */
    double offset;          /**< see above */
    double longest;         /**< log of the longest run time [s]; longer ones are drawn again */
    workload_gamma gap;     /**< log of the time between two submissions [s], at average times of the day */
    double latest;          /**< log of the longest such time [s]; longer ones are drawn again */
    workload_gamma day;     /**< time of submission [half hours after midnight], from 5:00 to 5:00 */
} workload_lublin;

/** The parameters of batch jobs, for a cluster of so many nodes. */
workload_lublin workload_batch(unsigned nodes);

/** The rate of submissions in each half hour of a day, relative to its mean. */
void workload_day(const workload_lublin *parameters, double rate[48]);

/** A workload to generate. The same numbers give the same jobs on the same C library. */
typedef struct workload_model {
    size_t jobs;         /**< how many, >= 1 */
    unsigned nodes;      /**< of the cluster, >= 1 */
    uint64_t seed;       /**< any */
    double load;         /**< sum of run time * nodes / (nodes of the cluster * time of the last submission),
                                            reached by stretching the times between submissions; 0: as the model has them */
    bool steady;         /**< no daily cycle */
    double overestimate; /**< f: estimates are uniform in run .. (1 + f) * run, >= 0. @source Mu'alem and
                                            Feitelson, "Utilization, predictability, workloads, and user runtime
                                            estimates", 2001 */
    double moldable;     /**< fraction of moldable jobs, 0 .. 1 */
    double malleable;    /**< fraction of malleable jobs, 0 .. 1 - moldable */
    double spread;       /**< these have n / spread .. n * spread nodes, >= 1; 0 means 4 */
    unsigned iterations; /**< of these; 0 means 100 */
    double data;         /**< malleable jobs: data on each of n nodes [B], >= 0 */
    const workload_lublin *parameters; /**< NULL: workload_batch() */
    simkit_memory memory;              /**< where memory comes from; all zero: the C library */
} workload_model;

/** Generates a workload. Times are whole seconds, as in a log. The first day begins at midnight.
 *
 *  Moldable and malleable jobs take their run time on their preferred size; half of them follow Amdahl's law, half
 *  Downey's. Options that concern one property of the jobs leave the others as they are.
 *
 *  @return  SIMKIT_OK, SIMKIT_NO_MEMORY, SIMKIT_BAD_ARGUMENT.
 */
simkit_result workload_generate(const workload_model *model, workload **w);

#endif
