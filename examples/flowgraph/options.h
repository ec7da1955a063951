/*
options.h - the command line of a flow-graph program: how it runs, where, and on what numbers

So that a program need not know: it gives its arguments, and opens its graph with what comes out.

    --mode real|direct|partial   default: partial
    --nodes N                    all nodes that can take part; default: as the machine has
    --at-first N                 how many of them take part from the beginning; default: all
    --machine FILE               nodes, network, and what messages and operations cost
    --users FILE                 simulated: who else uses the nodes
    --seed N                     simulated: of their days, and of when periods of a quota begin
    --policy KERNEL=POLICY       execute, measure, measure:TIMES, model, or model:SECONDS; KERNEL may be `all`
    --launch WORDS               real: before the program on each node, `%d` its number from 0
    --address PATTERN            real: where a node listens, `%d` its number, `%e` that plus one; default: 127.0.0.1
    --patience SECONDS           real: a node that says nothing for so long is given up; default: 20
*/
/** @file */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "flowgraph.h"

/** Most policies on a command line. */
#define OPTIONS_POLICIES 32

/** What a command line says. */
typedef struct options {
    flowgraph_desc desc;                         /**< for flowgraph_open() */
    simkit_machine *machine;                     /**< where `desc` points, if a file was given */
    simkit_population *users;                    /**< where `desc` points, if a file was given */
    const char *machine_file;                    /**< which; NULL: none */
    flowgraph_policy policies[OPTIONS_POLICIES]; /**< where `desc` points */
    char names[OPTIONS_POLICIES][32];            /**< of kernels */
} options;

/** Begins with what main() got.
 *
 *  @param[out] o          The options; must stay where they are.
 *  @param[in]  arguments  As main() got them; kept.
 */
void options_begin(options *o, char **arguments);

/** Gives back what was read; no graph may still be simulated with it.
 *
 *  @param[in,out] o  The options.
 */
void options_end(options *o);

/** Looks at an argument.
 *
 *  @param[in,out] o      The options.
 *  @param[in]     name   The argument.
 *  @param[in]     value  The one behind it; NULL if there is none.
 *  @param[out]    why    why[200]: the sentence, if it is one of these and wrong.
 *  @return  How many arguments it has taken: 2; 0: it is none of these; -1: it is wrong.
 */
int options_take(options *o, const char *name, const char *value, char why[200]);

/** How the program runs, in words.
 *
 *  @param[in] o  The options.
 *  @return  A constant text.
 */
const char *options_mode_text(const options *o);

/** The same, but on the virtual clock and on numbers for all kernels: for a prediction of the run.
 *
 *  @param[in] o  The options.
 *  @return  For flowgraph_open().
 */
flowgraph_desc options_simulated(const options *o);

/** Reads a whole number of a command line.
 *
 *  @param[in]  text    The text; may be NULL.
 *  @param[in]  least   The least that is allowed.
 *  @param[out] number  It; untouched if it is none.
 *  @return  Whether it is one, and not less.
 */
bool options_number(const char *text, size_t least, size_t *number);

/** Reads a number of a command line.
 *
 *  @param[in]  text    The text; may be NULL.
 *  @param[in]  least   The least that is allowed.
 *  @param[out] amount  It; untouched if it is none.
 *  @return  Whether it is one, finite and not less.
 */
bool options_amount(const char *text, double least, double *amount);

/** The above as text, for a usage message. */
extern const char options_usage[];

#endif
