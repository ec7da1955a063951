/*
sweep.h - a model at many points with many seeds: on all cores, on many machines, and what the results say

A sweep file says which model is run, which parameters vary and how, and how many seeds each point gets. docs/sweep.md
describes it:

    [sweep]
    model = lu
    machine = ../machines/dps.machine
    design = saltelli
    points = 512
    [set]
    n = 2592
    r = 324
    [parameter bandwidth]
    scales = [node] bandwidth
    linear = 0.8, 1.2

A model is a function of a point: the values of its parameters, and a seed. It must return the same results whenever it is
called with the same point, whoever calls it: a run depends on nothing else. So all points have the same random numbers
with the same seed (common random numbers), and it does not matter on which thread, process or machine a run is made.

USE      Your own model is one C file with a `const sweep_model sweep_export`, made a shared object, which a sweep file names:
             cc -O2 -shared -fPIC -I. -Iexamples/sweep mine.c -o mine.so
         and model = ./mine.so, where `.` is the folder of simkit.h.
         Or a program of your own calls sweep_main() with its models: compile it with the C files of this folder except
         main.c and model*.c, with -ldl -lm -pthread. -DSWEEP_MPI and mpicc add MPI, -DSWEEP_SQLITE and -lsqlite3 SQLite.

RESULTS  A line of a CSV for each run, written as soon as its batch is done, never changed. docs/sweep.md has its columns.

THREADS  run() is called by several threads at once, each with its own point; `shared` is the same for all of them. All other
         functions belong to one thread.

ERRORS   false, and a sentence in `why`. A run that fails says so in its point and does not end the sweep.

UNITS    Base units: [s] [1/s] [B] [B/s] [flop/s] [1]
*/
/** @file */
#ifndef SWEEP_H
#define SWEEP_H

#include "simkit.h"
#include "util/simkit_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*=============================================================================
 * MARK: - >>models
 *===========================================================================*/
/** Size of a sentence about an error. */
#define SWEEP_WHY 400

/** A parameter or a result of a model. */
typedef struct sweep_quantity {
    const char *name;  /**< letters, digits, _ and -, at most 31 */
    const char *unit;  /**< base unit: "s", "1/s", "B", "B/s", "flop/s" or "1" */
    double value;      /**< of a parameter that the sweep does not set; NaN: it has to */
    const char *words; /**< of a parameter: the words that it can be, as "equal,maxmin"; its value is the number of
                            one of them, from 0. NULL: it is a number */
    const char *about; /**< what it is, for --models; NULL: nothing is said */
} sweep_quantity;

/** A run: where, with which seed. */
typedef struct sweep_point {
    const double *value;           /**< value[parameters], of the model, in its order and units */
    uint64_t seed;                 /**< from 1 */
    const simkit_machine *machine; /**< the machine file with the numbers of this point; NULL: the sweep has none */
    void *shared;                  /**< what the model's open() made */
    char *why;                     /**< why[SWEEP_WHY], for sweep_fail() */
} sweep_point;

/** Whether a model uses a file. */
typedef enum sweep_use {
    SWEEP_MAY = 0, /**< if the sweep names one */
    SWEEP_NEEDS,   /**< a sweep without one is refused */
    SWEEP_REFUSES  /**< a sweep with one is refused */
} sweep_use;

/** A model. */
typedef struct sweep_model {
    const char *name;                 /**< in sweep files */
    unsigned version;                 /**< to be raised when run() changes: results of others are refused */
    const sweep_quantity *parameters; /**< parameters[parameter_count] */
    size_t parameter_count;           /**< how many; may be 0 */
    const sweep_quantity *results;    /**< results[result_count] */
    size_t result_count;              /**< how many, >= 1 */
    /** Makes a run.
     *
     *  @param[in]  point    Where.
     *  @param[out] results  results[result_count]; NaN for a result that this run does not have.
     *  @return  0; otherwise the run has failed, see sweep_fail().
     */
    int (*run)(const sweep_point *point, double *results);
    /** Reads the file that the sweep names with `input`; NULL: the model has no such file.
     *
     *  @param[in]  path    The file; NULL: the sweep names none.
     *  @param[out] shared  For all points; it must not change afterwards.
     *  @param[out] why     why[SWEEP_WHY]: what is wrong.
     *  @return  Whether it was read.
     */
    bool (*open)(const char *path, void **shared, char *why);
    void (*close)(void *shared); /**< frees what open() made; NULL: nothing to free */
    sweep_use machine;           /**< whether it uses the machine file */
    /** A table of validated runs whose predictions are like its results, as "random", see examples/residuals.h: the errors of
     *  all its results that are > 0 are relative, and as large. NULL: it was not compared with real runs. */
    const char *family;
} sweep_model;

#if defined(__GNUC__)
#define SWEEP_FORMAT(at, from) __attribute__((format(printf, at, from), unused))
#else
#define SWEEP_FORMAT(at, from)
#endif

/** Says why a run fails.
 *
 *  @param[in] point   The run.
 *  @param[in] format  As for printf().
 *  @return  1, for run() to return.
 */
SWEEP_FORMAT(2, 3) static int sweep_fail(const sweep_point *point, const char *format, ...);

/*=============================================================================
 * MARK: - >>sweeps
 *===========================================================================*/
/** A sweep: its points, and the results so far. */
typedef struct sweep sweep;

/** How the points of a sweep are chosen. */
typedef enum sweep_design {
    SWEEP_FACTORIAL = 0, /**< every value with every value of all other parameters */
    SWEEP_LATIN,         /**< Latin hypercube. @source McKay, Beckman, Conover, Technometrics 21 (1979) */
    SWEEP_SOBOL,         /**< Sobol' sequence. @source Sobol' 1967; direction numbers of Joe and Kuo 2008 */
    SWEEP_SALTELLI       /**< two halves of a Sobol' sequence, A and B, and A with one parameter of B each.
                              @source Saltelli et al., Computer Physics Communications 181 (2010) */
} sweep_design;

/** How the values of a parameter are distributed. */
typedef enum sweep_law {
    SWEEP_VALUES = 0,  /**< one of a list */
    SWEEP_LINEAR,      /**< from, to */
    SWEEP_LOGARITHMIC, /**< from, to: the logarithm is linear */
    SWEEP_NORMAL,      /**< mean, standard deviation */
    SWEEP_LOG_NORMAL,  /**< median, geometric standard deviation [1] */
    SWEEP_EXPONENTIAL, /**< mean */
    SWEEP_TRIANGULAR   /**< minimum, mode, maximum */
} sweep_law;

/** A parameter that varies. To be read only. */
typedef struct sweep_parameter {
    char name[32];     /**< as in the file */
    const char *unit;  /**< base unit; "1" for words */
    sweep_law law;     /**< how it is distributed */
    double number[3];  /**< of the law, in its order */
    double *values;    /**< values[count]: those that it can have; NULL: any */
    size_t count;      /**< how many; 0: any */
    char (*words)[32]; /**< words[count], of values[count]; NULL: they are numbers */
    bool whole;        /**< rounded to whole numbers */
    bool draws;        /**< its values are draws of the values in the machine file that have an error */
} sweep_parameter;

/** A picture that the file asks for. To be read only. */
typedef struct sweep_picture {
    enum { SWEEP_LINES, SWEEP_MAP, SWEEP_TORNADO } kind; /**< lines with bands, a heat map, bars */
    char name[32];                                       /**< of its file: SWEEP-NAME.svg */
    char title[96];                                      /**< empty: one is made */
    size_t result;                                       /**< of the model: what it shows */
    size_t x;                                            /**< parameter along the horizontal axis; SIZE_MAX: none */
    size_t y; /**< lines: parameter with a line for each value; map: along the vertical axis; SIZE_MAX: none */
} sweep_picture;

/** A choice that the file asks about: how far is the best value of a parameter from the chosen one? To be read only. */
typedef struct sweep_choice {
    size_t parameter; /**< which is chosen */
    double chosen;    /**< its value; NaN: none yet */
    size_t result;    /**< what is to be small */
} sweep_choice;

/** A sweep to open. */
typedef struct sweep_desc {
    const char *path;          /**< the sweep file */
    const sweep_model *models; /**< models[count] that it may name */
    size_t count;              /**< how many */
    const char *results;       /**< the CSV; NULL: the name of the sweep file, in the current folder */
    unsigned shard, shards;    /**< this is part `shard` of `shards`, from 1; 0: all of it */
    bool retry;                /**< runs that have failed are missing */
    bool read_only;            /**< nothing is written: another process may be doing so */
    bool bare;                 /**< without results: this process makes runs for another one */
} sweep_desc;

/** Opens a sweep: reads its file, and the results that there are.
 *
 *  @param[out] s    The sweep; NULL after an error.
 *  @param[out] why  why[SWEEP_WHY].
 *  @return  Whether it is open.
 */
bool sweep_open(const sweep_desc *desc, sweep **s, char *why);

/** Closes a sweep; NULL is harmless. */
void sweep_close(sweep *s);

/** The sentence for the last error. */
const char *sweep_why(const sweep *s);

/** What the sweep is called. */
const char *sweep_name(const sweep *s);

/** Path of the results. */
const char *sweep_path(const sweep *s);

/** Its model. */
const sweep_model *sweep_model_of(const sweep *s);

/** Its design. */
sweep_design sweep_design_of(const sweep *s);

/** Its parameters.
 *
 *  @param[out] count  How many.
 *  @return  parameters[*count]
 */
const sweep_parameter *sweep_parameters(const sweep *s, size_t *count);

/** The result that `interval` and the pictures are about, unless they say another one. */
size_t sweep_watched(const sweep *s);

/** The pictures that its file asks for; pictures[*count]. */
const sweep_picture *sweep_pictures(const sweep *s, size_t *count);

/** The choices that its file asks about; choices[*count]. */
const sweep_choice *sweep_choices(const sweep *s, size_t *count);

/** Number of points. */
size_t sweep_points(const sweep *s);

/** SWEEP_SALTELLI: number of base points N. Point `i * (parameters + 2)` is row i of A, the next one is row i of B, those
 *  that follow are row i of A with parameter 0, 1, ... of B. */
size_t sweep_base(const sweep *s);

/** The values of a point: rounded to 12 significant digits, from 1e-10 to 1e30, so that a CSV shows them exactly.
 *
 *  @param[in]  point  From 0.
 *  @param[out] value  value[parameters]; of words, one of `values` of the parameter.
 */
void sweep_values(const sweep *s, size_t point, double *value);

/** Number of seeds that a point may have: those of one point are 0 .. sweep_seeds() - 1. */
size_t sweep_seeds(const sweep *s);

/** A result.
 *
 *  @param[in] point   From 0.
 *  @param[in] seed    From 0.
 *  @param[in] result  Of the model, from 0.
 *  @return  The result; NaN if the run has not been made, has failed or does not have it.
 */
double sweep_found(const sweep *s, size_t point, size_t seed, size_t result);

/** How far a sweep is. */
typedef struct sweep_tally {
    size_t planned;   /**< runs; more if `interval` asks for more seeds */
    size_t done;      /**< runs with results */
    size_t failed;    /**< runs that failed */
    size_t damaged;   /**< lines that are cut off or were changed: their runs are missing */
    size_t foreign;   /**< lines of other points: kept in the file, not used */
    size_t repeated;  /**< lines of runs that an earlier line has, too, with the same results */
    size_t differing; /**< the same, with other results: the model does not depend on the point and the seed alone */
} sweep_tally;

/** How far a sweep is. */
sweep_tally sweep_progress(const sweep *s);

/** With an interval: how many points have reached the maximum of seeds, and their interval is still wider. */
size_t sweep_wide(const sweep *s);

/** Messages of failed runs: `call` gets each one once, with how often it came, a point and a seed. */
void sweep_failures(const sweep *s,
                    void (*call)(void *user, const char *message, size_t times, size_t point, size_t seed), void *user);

/*=============================================================================
 * MARK: - >>running
 *===========================================================================*/
/** What a run of a sweep shows, and what ends it. */
typedef struct sweep_run_desc {
    unsigned threads;                           /**< on this machine; 0: one for each core */
    const int *stop;                            /**< not 0: end after the runs in progress; NULL: never */
    void (*show)(void *user, const char *text); /**< progress, a few times a second; NULL: none */
    void *user;                                 /**< passed to it */
} sweep_run_desc;

/** Makes the runs that are missing, on this machine.
 *
 *  @return  Whether all of them were made; false also if they were stopped.
 */
bool sweep_run(sweep *s, const sweep_run_desc *desc);

/** The program: reads the arguments, runs what is missing, prints and draws the answers. `--help` lists the arguments.
 *
 *  @param[in] models  models[model_count], besides those that a sweep file names as a shared object.
 *  @return  Its exit status: 0; 1 after an error; 2 for wrong arguments; 3 if runs have failed; 130 after ctrl-C.
 */
int sweep_main(int count, char **arguments, const sweep_model *models, size_t model_count);

/*=============================================================================
 * MARK: - >>models (body)
 *===========================================================================*/
#include <stdarg.h>
#include <stdio.h>

static int sweep_fail(const sweep_point *point, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(point->why, SWEEP_WHY, format, arguments);
    va_end(arguments);
    return 1;
}

#endif
