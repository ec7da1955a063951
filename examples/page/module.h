/*
module.h - the modules of the teaching page: from the values of a few controls to an answer with pictures

A module answers one question, such as "where do small messages turn into large ones?", with the functions of the kit. The
page shows its controls, and this file is all that the page knows of them: the same code runs in a browser, as WebAssembly,
and in build/module, a program for the command line. Both give the same bits.

USE     module_find(), module_defaults(), module_read() for each value that is not the default, module_answer_to(),
        then module_answer_json() or module_answer_print().

FILES   A module writes its pictures and its data to a folder: NAME.svg for each picture, data.csv, and cluster.machine if
        it has a cluster that `build/demo --machine` can read. A study writes to the same names.

UNITS   [s] [B] [B/s] [1]; values are read with the units of machine files: 60 us, 12.5 MB/s
*/
/** @file */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The compiler checks the arguments of a format: number of its text, and of the first argument. */
#ifdef __GNUC__
#define MODULE_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define MODULE_FORMAT(text, first)
#endif

/*=============================================================================
 * MARK: - >>controls
 *===========================================================================*/
/** The kind of a control. */
typedef enum module_kind {
    MODULE_QUANTITY, /**< a number with a unit */
    MODULE_WHOLE,    /**< a whole number */
    MODULE_CHOICE    /**< one of several words: the value is the number of the word, from 0 */
} module_kind;

/** A control. */
typedef struct module_control {
    const char *key;         /**< in links and on the command line */
    const char *label;       /**< beside the control */
    module_kind kind;        /**< its kind */
    const char *unit;        /**< quantity: base unit, as simkit_reader_quantity() has them; whole: what is counted */
    const char *initial;     /**< the default, as a text */
    double minimum, maximum; /**< limits, both included; a choice has 0 and the number of the last word */
    bool logarithmic;        /**< the slider is logarithmic */
    const char *const *choices; /**< choice: choices[maximum + 1] */
    const char *group;          /**< the group it belongs to, in modules with many controls; NULL: none */
} module_control;

enum {
    MODULE_CONTROLS = 12, /**< maximum number of controls of a module */
    MODULE_TEXT = 40,     /**< room for the text of a value */
    MODULE_WHY = 280      /**< room for a sentence */
};

/** The values of the controls of a module. */
typedef struct module_values {
    double value[MODULE_CONTROLS];           /**< value[control count], in base units */
    char text[MODULE_CONTROLS][MODULE_TEXT]; /**< as they were written */
} module_values;

/*=============================================================================
 * MARK: - >>answers
 *===========================================================================*/
enum {
    MODULE_NUMBERS = 24,   /**< maximum number of numbers in an answer */
    MODULE_PICTURES = 2,   /**< maximum number of pictures */
    MODULE_REASONS = 3,    /**< sentences that say why */
    MODULE_FORMULA = 480,  /**< room for the formula */
    MODULE_SENTENCE = 400, /**< room for a sentence that says why */
    MODULE_WORDS = 64      /**< quantities as texts in one expression */
};

/** A number of an answer. */
typedef struct module_number {
    const char *key;  /**< for programs */
    char label[64];   /**< for people */
    const char *unit; /**< as module_control.unit; "%": a part of 1 that is shown in percent */
    double value;     /**< in base units; NaN: no value */
} module_number;

/** A picture of an answer. */
typedef struct module_picture {
    const char *file;           /**< its name in the folder */
    char text[MODULE_SENTENCE]; /**< its contents, for people who cannot see it */
} module_picture;

/** An answer. */
typedef struct module_answer {
    char formula[MODULE_FORMULA];              /**< with the numbers in it; lines end with \n */
    char why[MODULE_REASONS][MODULE_SENTENCE]; /**< three sentences */
    module_number numbers[MODULE_NUMBERS];     /**< numbers[number_count] */
    size_t number_count;                       /**< number of them */
    module_picture pictures[MODULE_PICTURES];  /**< pictures[picture_count] */
    size_t picture_count;                      /**< number of them */
    char error[MODULE_WHY];                    /**< the error as a sentence; empty: none */
    char words[MODULE_WORDS][MODULE_TEXT];     /**< of module_word() */
    size_t word_count;                         /**< number of them so far */
} module_answer;

/** Tells how far a study is, 0 .. 1. */
typedef void module_progress(void *user, double part);

/** The input of a module. */
typedef struct module_run {
    const module_values *values; /**< of its controls */
    const char *folder;          /**< for its files */
    module_progress *progress;   /**< of a study; NULL: nobody wants to know */
    void *user;                  /**< passed to it */
} module_run;

/*=============================================================================
 * MARK: - >>modules
 *===========================================================================*/
/** A module. */
typedef struct module {
    const char *name;                                        /**< in links and on the command line */
    const module_control *controls;                          /**< controls[control_count] */
    size_t control_count;                                    /**< number of them */
    bool machine;                                            /**< it writes cluster.machine */
    bool (*answer)(const module_run *run, module_answer *a); /**< false: a->error says why */
    bool (*study)(const module_run *run, module_answer *a);  /**< many runs; NULL: the module has none */
    const char *study_label;                                 /**< the text on its button */
} module;

/** The modules, in the order of the page. */
extern const module module_message, module_sharing, module_load, module_program, module_slowdown, module_trust,
    module_queues;

/** All modules: *module_all[module_count]. */
extern const module *const module_all[];
/** Number of modules. */
extern const size_t module_count;

/** Finds a module by its name; NULL if it does not exist. */
const module *module_find(const char *name);

/** Finds a control by its key; the number of controls if it does not exist. */
size_t module_control_of(const module *m, const char *key);

/** Sets all values to their defaults. */
void module_defaults(const module *m, module_values *values);

/** Reads the value of a control.
 *
 *  @param[in]     control  Its number.
 *  @param[in]     text     Such as "60 us".
 *  @param[in,out] values   Unchanged after an error.
 *  @param[out]    why      why[MODULE_WHY]: a sentence with the value found and the values expected.
 *  @return  true: the value is right and set.
 */
bool module_read(const module *m, size_t control, const char *text, module_values *values, char why[MODULE_WHY]);

/** The value of the control of a key, in base units. The key must be there. */
double module_value(const module *m, const module_values *values, const char *key);

/** Answers the question of a module, or makes its study.
 *
 *  @param[out] a  The answer; after an error, its sentence.
 *  @return  false after an error.
 */
bool module_answer_to(const module *m, bool study, const module_run *run, module_answer *a);

/** Writes an answer as JSON: numbers with 17 digits, so that the bits are there. */
void module_answer_json(const module_answer *a, FILE *out);

/** Writes a text as a string of JSON. */
void module_json_string(const char *text, FILE *out);

/** Writes an answer for people. */
void module_answer_print(const module_answer *a, FILE *out);

/** Writes all modules with their controls, as JSON. */
void module_describe(FILE *out);

/*=============================================================================
 * MARK: - >>writing (for modules)
 *===========================================================================*/
/** A quantity as a text of at most five digits, with a prefix: "12.5 MB/s".
 *
 *  @param[in]  unit  Base unit; "%": a part of 1 in percent; "" or "1": a number alone.
 *  @param[out] text  text[MODULE_TEXT].
 *  @return  text
 */
const char *module_text(double value, const char *unit, char text[MODULE_TEXT]);

/** The same, valid until MODULE_WORDS later ones of the same answer. */
const char *module_word(module_answer *a, double value, const char *unit);

/** Sets a sentence that says why, from 0. */
MODULE_FORMAT(3, 4) void module_because(module_answer *a, size_t number, const char *sentence, ...);

/** Adds a number to an answer. */
MODULE_FORMAT(5, 6)
void module_add(module_answer *a, const char *key, const char *unit, double value, const char *label, ...);

/** Adds a picture; the text describes it. */
MODULE_FORMAT(3, 4) void module_show(module_answer *a, const char *file, const char *text, ...);

/** Sets the error.
 *
 *  @return  false
 */
MODULE_FORMAT(2, 3) bool module_fail(module_answer *a, const char *format, ...);

/** The path of a file in the folder of a run.
 *
 *  @param[out] path  path[512].
 *  @return  path
 */
const char *module_path(const module_run *run, const char *file, char path[512]);

/** Opens a file in the folder; NULL: a->error says why. module_close() closes it. */
FILE *module_open(const module_run *run, const char *file, module_answer *a);

/** Closes a file; false if not all of it was written. */
bool module_close(FILE *file, const char *name, module_answer *a);

/** Writes cluster.machine, for `build/demo --machine`: the cluster of the DPS paper, examples/machines/dps.machine, with
 *  other numbers. The texts are as in machine files; NULL: as there.
 *
 *  @param[in] nodes  0: as there.
 */
bool module_write_machine(const module_run *run, const char *latency, const char *bandwidth, const char *speed,
                          unsigned nodes, module_answer *a);

#endif
