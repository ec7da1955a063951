/* core.h - what the files of the library share: the inside of a sweep. Programs include sweep.h. */
/** @file */
#ifndef SWEEP_CORE_H
#define SWEEP_CORE_H

#include "sweep.h"
#include "util/simkit_statistics.h"

/** Maximum number of parameters that vary. */
#define SWEEP_PARAMETERS 24
/** Maximum number of places of the machine file that a parameter sets or scales. */
#define SWEEP_PLACES 8
/** Maximum number of pictures. */
#define SWEEP_PICTURES 16
/** Maximum number of choices. */
#define SWEEP_CHOICES 8
/** Maximum number of runs in a batch. */
#define SWEEP_BATCH 65536

/*=============================================================================
 * MARK: - >>texts (text.c)
 *===========================================================================*/
/** A text that grows. */
typedef struct sweep_text {
    char *text;              /**< text[length], and a zero byte */
    size_t length, capacity; /**< [B] */
    bool failed;             /**< memory ran out, and something is missing */
} sweep_text;

/** Adds text[length]. */
void sweep_text_add(sweep_text *t, const char *text, size_t length);

/** Frees it. */
void sweep_text_free(sweep_text *t);

/** Reads a whole file; `failed` if memory runs out.
 *
 *  @return  0, or an error of errno.h.
 */
int sweep_text_read(sweep_text *t, const char *path);

/** Adds a number: as few digits as it takes to read the same number again. */
void sweep_text_number(sweep_text *t, double value);

/** Rounds to 12 significant digits. */
double sweep_round(double value);

/** Reads a number as sweep_text_number() writes it, up to `end`.
 *
 *  @return  Where it ends; NULL if no number begins here.
 */
const char *sweep_number_read(const char *from, const char *end, double *value);

/** A hash of text[length], going on from another one. @source FNV-1a, in words of 8 bytes */
uint64_t sweep_hash(uint64_t before, const char *text, size_t length);

/*=============================================================================
 * MARK: - >>inside
 *===========================================================================*/
/** A place in the machine file. */
typedef struct sweep_place {
    char section[80]; /**< without [ ] */
    char key[32];     /**< in this section */
} sweep_place;

/** A parameter, and what it changes. */
typedef struct sweep_target {
    size_t model;                    /**< parameter of the model; SIZE_MAX: the machine file */
    bool scales;                     /**< its values are factors of the numbers in the machine file */
    sweep_place place[SWEEP_PLACES]; /**< place[places] in the machine file */
    size_t places;                   /**< how many */
} sweep_target;

/** A place of the machine text that a parameter sets. */
typedef struct sweep_cut {
    size_t from, to;    /**< the value in the text [B] */
    size_t parameter;   /**< which one */
    double factor;      /**< of its value: the number in the file, or 1 */
    const char *unit;   /**< of the number that is written */
    const char *before; /**< what is written before it: a key that the file does not have; or "" */
} sweep_cut;

/** Maximum number of different messages of failed runs; those after them are counted together. */
#define SWEEP_MESSAGES 250

/** Where a run is. From SWEEP_FAILED on, it has failed, and the rest is the number of its message. */
enum { SWEEP_MISSING = 0, SWEEP_DEALT, SWEEP_DONE, SWEEP_FAILED };

/** A message of failed runs. */
typedef struct sweep_failure {
    char *message;      /**< of its runs */
    size_t times;       /**< how many */
    size_t point, seed; /**< of one of them */
} sweep_failure;

struct sweep {
    char name[96], *path, *results, why[SWEEP_WHY];
    const sweep_model *model;
    void *object; /* the shared object of the model, for dlclose() */
    void *shared; /* what the model's open() made */
    bool opened;
    sweep_design design;
    size_t base;        /* points asked for, of a sampled design */
    uint64_t shift;     /* seed of the design */
    size_t points;      /* all of them */
    size_t seeds, most; /* of each point: at first, and at most */
    double interval;    /* relative half-width to be reached; 0: `seeds` are enough */
    size_t watched;     /* the result that is meant */
    sweep_parameter parameter[SWEEP_PARAMETERS];
    sweep_target target[SWEEP_PARAMETERS];
    size_t parameters;
    double *set;               /* set[parameters of the model]: values that do not vary */
    uint32_t (*direction)[32]; /* direction numbers of each dimension of the Sobol' sequence */
    char *machine_path, *machine_text;
    size_t machine_length;
    sweep_cut *cut; /* cut[cuts], in the order of the text */
    size_t cuts;
    bool varies;             /* a parameter changes the machine */
    bool unsure;             /* the machine file does not say how sure its values are */
    simkit_machine *machine; /* if no parameter changes it */
    sweep_text header;       /* first line of the results */
    uint64_t context;        /* hash of all that the header does not show */
    char *input;             /* the file of the model */
    sweep_picture picture[SWEEP_PICTURES];
    sweep_choice choice[SWEEP_CHOICES];
    size_t pictures, choices;
    bool read_only, bare, retry;
    unsigned shard, shards;

    /* Results: by run, which is point * most + seed. */
    double *found;   /* found[runs * results of the model] */
    uint8_t *state;  /* state[runs] */
    uint32_t *asked; /* with an interval: asked[points], seeds that are needed as far as is known */
    uint32_t *ended; /* with an interval: ended[points], seeds that are done or failed */
    uint32_t *table; /* points + 1 by the hash of their values, for lines that say another number; NULL: not made */
    size_t slots;    /* of the table */
    sweep_failure *failure; /* failure[failures] */
    size_t failures;
    sweep_tally tally;
    size_t last; /* point whose values are in `value` */
    double value[SWEEP_PARAMETERS];
    int file;     /* descriptor of the results; -1: none */
    bool cut_off; /* the last line has no end */
    bool empty;   /* there is no header yet */
    char *part;   /* a line whose end has not been read yet */
    size_t part_length;

    /* Dealing. */
    size_t cursor;   /* the next run to look at */
    size_t missing;  /* runs that are neither dealt nor ended */
    size_t dealt;    /* runs that are dealt */
    size_t *again;   /* with an interval: again[agains], points that need more seeds, each once */
    uint8_t *listed; /* with an interval: listed[points], those that are in `again` */
    size_t agains;
};

/** Sets `why`.
 *
 *  @return  false
 */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool sweep_says(sweep *s, const char *format, ...);

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/
/** Reads a sweep file into a sweep that is all zero. (file.c) */
bool sweep_file_read(sweep *s, const sweep_desc *desc);

/** The word of a value; NULL if the parameter does not have this value. (points.c) */
const char *sweep_word(const sweep_parameter *p, double value);

/** The value of a law that so large a part of all values is below; without the list. (points.c) */
double sweep_law_quantile(const sweep_parameter *p, double part);

/** The same with the list, whole numbers and rounding. (points.c) */
double sweep_law_value(const sweep_parameter *p, double part);

/** Makes direction numbers. (points.c) */
bool sweep_points_open(sweep *s);

/** Reads the machine at a point. (machine.c)
 *
 *  @param[in]     value  value[parameters] of the point.
 *  @param[in,out] text   Space for the text of its file.
 *  @param[out]    error  Where it fails, and why; its text is empty if memory runs out.
 *  @return  As simkit_machine_read().
 */
simkit_result sweep_machine_read(const sweep *s, const double *value, sweep_text *text, simkit_machine **machine,
                                 simkit_parse_error *error);

/** Finds the places of the parameters in the machine file, and checks the machine of the first point. (machine.c) */
bool sweep_machine_open(sweep *s);

/** Opens the results, and reads those that there are. (results.c) */
bool sweep_results_open(sweep *s);

/** Adds the line of a run. (results.c)
 *
 *  @param[in] value    value[parameters] of the point.
 *  @param[in] results  results[results of the model]; not used if it has failed.
 *  @param[in] failed   Why it has failed; NULL: it has not.
 */
void sweep_line_make(const sweep *s, sweep_text *t, size_t point, const double *value, size_t seed,
                     const double *results, const char *failed);

/** Takes lines of results. (results.c)
 *
 *  @param[in] text  text[length]; what follows the last end of a line is kept for the next call.
 */
bool sweep_results_take(sweep *s, const char *text, size_t length);

/** Appends whole lines to the file, and takes them. (results.c) */
bool sweep_results_append(sweep *s, const char *text, size_t length);

/*=============================================================================
 * MARK: - >>dealing (deal.c)
 *===========================================================================*/
/** Begins to deal: counts what is missing. */
void sweep_deal_begin(sweep *s);

/** The next runs that are missing.
 *
 *  @param[out] run   run[most]
 *  @return  How many; 0: none now. Others may come when results do.
 */
size_t sweep_deal(sweep *s, uint64_t *run, size_t most);

/** Gives runs back that were dealt and not made. */
void sweep_deal_back(sweep *s, const uint64_t *run, size_t count);

/** With an interval: decides whether a point needs more seeds, when those that were asked for have ended. */
void sweep_deal_ended(sweep *s, size_t point);

/* The mean of a result at a point over its first seeds, of those that have it, with its 95 % interval. */
simkit_interval sweep_interval_of(const sweep *s, size_t point, size_t result, size_t seeds);

/*=============================================================================
 * MARK: - >>ranks (ranks.c)
 *===========================================================================*/
/** Whether this process is one of several that mpirun or srun has started. */
bool sweep_ranks_asked(void);

/** Begins to talk to the other ranks.
 *
 *  @param[out] rank  Which one this is: 0 deals, writes and prints.
 *  @return  false, with a sentence on standard error: this program was built without MPI.
 */
bool sweep_ranks_open(int *count, char ***arguments, int *rank);

/** Rank 0: makes the runs that are missing, with all ranks. */
bool sweep_ranks_run(sweep *s, const sweep_run_desc *desc);

/** Other ranks: make runs for rank 0 until all are made. */
bool sweep_ranks_work(sweep *s);

/** Tells all ranks whether rank 0 could open the sweep.
 *
 *  @param[in] right  Of rank 0; that of the others does not count.
 *  @return  That of rank 0.
 */
bool sweep_ranks_agree(bool right);

/** Ends the talk. `failed`: all ranks are ended at once. */
void sweep_ranks_close(bool failed);

/*=============================================================================
 * MARK: - >>making runs (make.c)
 *===========================================================================*/
/** Who makes runs: one for each thread. */
typedef struct sweep_maker {
    const sweep *s;
    double value[SWEEP_PARAMETERS]; /**< of `point` */
    size_t point;                   /**< SIZE_MAX: none yet */
    simkit_machine *machine;        /**< of this point */
    char why_machine[SWEEP_WHY];    /**< what is wrong with it; empty: nothing */
    sweep_text machine_text;
    double *model_value; /**< model_value[parameters of the model] */
    double *results;     /**< results[results of the model] */
    sweep_text line;     /**< lines that have been made */
} sweep_maker;

/** Opens one. */
bool sweep_maker_open(sweep_maker *m, const sweep *s);

/** Closes one; all zero is harmless. */
void sweep_maker_close(sweep_maker *m);

/** Makes a run and adds its line; false if memory runs out. */
bool sweep_maker_run(sweep_maker *m, uint64_t run);

/** Makes a run again that has been made, if there is one: whether it has the same results, to 1e-9, for libraries of
 *  other machines. */
bool sweep_make_again(sweep *s);

/** A batch that takes longer ends, and gives back what is left [s]. */
#define SWEEP_PATIENCE 1.0

/** How many runs make a batch: a quarter of a second's, a part of what is left.
 *
 *  @param[in] seconds  Of the last batch [s]; 0: none yet.
 *  @param[in] runs     In the last batch.
 *  @param[in] left     Runs that are missing.
 *  @param[in] makers   How many there are.
 */
size_t sweep_batch(double seconds, size_t runs, size_t left, size_t makers);

/** Makes the runs that are missing, on this machine and, by `others`, elsewhere. (run.c)
 *
 *  @param[in] others  Called several hundred times a second by the thread that called this, with the sweep to itself: takes
 *                     results and deals runs. Returns whether it has runs out; false also for an error, which it has
 *                     said. NULL: there are no others.
 */
bool sweep_run_with(sweep *s, const sweep_run_desc *desc, bool (*others)(void *user, bool *failed), void *user);

/** Real time from some moment on [s]. */
double sweep_clock(void);

/** How far it is, in a line: runs, failures, time left. */
void sweep_progress_text(const sweep *s, double seconds, size_t at_first, char text[160]);

#endif
