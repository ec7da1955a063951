/*
options.h - the command line of a flow-graph program: its mode, nodes and costs

A program passes its arguments on and opens its graph with the description that results.

    --mode real|direct|partial   default: partial
    --nodes N                    maximum number of nodes; default: the machine's
    --at-first N                 how many of them take part from the beginning; default: all
    --machine FILE               nodes, network, and what messages and operations cost
    --place HOW                  which of the machine's nodes: block, round-robin over its clusters, or a file with a node
                                 in each line: its number, from 0, or its name; after --machine; default: block
    --users FILE                 simulated: background users of the nodes
    --link-loads FILE            simulated: how busy each link is over time: a picture (.svg) or a table (.csv)
    --seed N                     simulated: seed of the users, and of the phases of quota periods
    --policy KERNEL=POLICY       execute, measure, measure:TIMES, model, or model:SECONDS; KERNEL may be `all`
    --launch WORDS               real: words before the program on each node; `%d` is its number, from 0
    --address PATTERN            real: where a node listens; `%d` is its number, `%e` its number + 1; default: 127.0.0.1
    --patience SECONDS           real: silence after which a node counts as lost; default: 20
*/
/** @file */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "flowgraph.h"

/** Maximum number of policies on a command line. */
#define OPTIONS_POLICIES 32

/** The values of a command line. */
typedef struct options {
    flowgraph_desc desc;                         /**< for flowgraph_open(); points to the following */
    simkit_machine *machine;                     /**< of --machine */
    simkit_population *users;                    /**< of --users */
    const char *machine_file;                    /**< path of the machine file; NULL: none */
    flowgraph_policy policies[OPTIONS_POLICIES]; /**< of --policy */
    char names[OPTIONS_POLICIES][32];            /**< names of their kernels */
    const char *place;                           /**< of --place; NULL: block */
    uint32_t places[FLOWGRAPH_NODES];            /**< what it means */
    simkit_machine *drawn;                       /**< of options_draw(); NULL: values are as they stand */
} options;

/** Initialises options.
 *
 *  @param[out] o          The options; they must not be copied or moved afterwards.
 *  @param[in]  arguments  The argv of main(); kept, not copied.
 */
void options_begin(options *o, char **arguments);

/** Frees what was read; no graph may still use it.
 *
 *  @param[in,out] o  The options.
 */
void options_end(options *o);

/** Takes an argument if it is an option.
 *
 *  @param[in,out] o      The options.
 *  @param[in]     name   The argument.
 *  @param[in]     value  The argument after it; NULL if there is none.
 *  @param[out]    why    why[200]: the error as a sentence.
 *  @return  2, the number of arguments taken; 0 if it is not an option; -1 if its value is wrong.
 */
int options_take(options *o, const char *name, const char *value, char why[200]);

/** Graphs that are opened from now on have a machine whose values with an error are drawn. `machine` stays as it is.
 *
 *  @param[in,out] o     The options, with a machine.
 *  @param[in]     draw  Which draw; 0: the values as they stand.
 *  @param[out]    why   why[200]: the error as a sentence.
 *  @return  Whether it could be read; otherwise values are as they stand.
 */
bool options_draw(options *o, unsigned draw, char why[200]);

/** The mode as text.
 *
 *  @param[in] o  The options.
 *  @return  A constant text.
 */
const char *options_mode_text(const options *o);

/** What runs is a prediction.
 *
 *  @param[in] o  The options.
 *  @return  false: it is real.
 */
bool options_predict(const options *o);

/** The same description in partial mode with all kernels modelled: for a prediction of the run.
 *
 *  @param[in] o  The options.
 *  @return  For flowgraph_open().
 */
flowgraph_desc options_simulated(const options *o);

/** Before a real run that is timed: waits for two periods of the nodes' quotas, so that none of these is used up already.
 *
 *  @param[in] o  The options; without a machine, or without quotas, it does not wait.
 */
void options_rest(const options *o);

/** Parses a whole number.
 *
 *  @param[in]  text    The text; may be NULL.
 *  @param[in]  least   The minimum.
 *  @param[out] number  The number; unchanged after an error.
 *  @return  Whether it is a whole number of at least the minimum.
 */
bool options_number(const char *text, size_t least, size_t *number);

/** Parses a number.
 *
 *  @param[in]  text    The text; may be NULL.
 *  @param[in]  least   The minimum.
 *  @param[out] amount  The number; unchanged after an error.
 *  @return  Whether it is a finite number of at least the minimum.
 */
bool options_amount(const char *text, double least, double *amount);

/** The above as text, for a usage message. */
extern const char options_usage[];

#endif
