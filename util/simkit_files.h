/*
simkit_files.h - files that people write: machines, tables, and formats of your own

A reader of lines `key = value unit` under `[section]`, which says in which line and column something is wrong and what was
expected there; machine files, which describe a cluster and its network; tables of measurements; and what it takes to read
a format of your own in the same way. Part of simkit; stands on simkit.h.

    #define SIMKIT_IMPLEMENTATION
    #include "simkit.h"
    #include "util/simkit_files.h"
    #include <stdio.h>
    static const char text[] = "[network]\nlatency = 60 us\n[node pc]\ncount = 2\nbandwidth = 100 Mbit/s\n";
    static simkit_input input;
    static simkit_world_desc network;
    static simkit_transfer_desc message;
    int main(void)
    {
        simkit_world *world;
        simkit_machine *machine;
        simkit_parse_error error;
        simkit_node nodes[2];
        input.text = text, input.length = sizeof text - 1; // or input.path
        if (simkit_machine_read(&input, &machine, &error)) return puts(error.text), 1;
        network.latency = machine->latency;
        simkit_result result = simkit_world_open(&network, &world);
        if (!result) result = simkit_machine_add(world, machine, 2, nodes);
        simkit_machine_close(machine);
        message.from = nodes[0], message.to = nodes[1], message.bytes = 1e6;
        if (!result) result = simkit_transfer_start(world, &message, NULL);
        if (!result) result = simkit_world_run(world);
        if (result) puts(simkit_world_why(world));
        else printf("1 MB from %s to %s takes %.5f s\n", simkit_node_name(world, nodes[0]),
                    simkit_node_name(world, nodes[1]), simkit_clock_now(world));
        simkit_world_close(world);
        return result != SIMKIT_OK;
    }

prints `1 MB from pc0 to pc1 takes 0.08006 s`.

USE      Copy it beside simkit.h, or into a folder util/ there, and include simkit.h before it. Define SIMKIT_IMPLEMENTATION in
         one C or C++ file, as above, before both. Others just include the headers. Link with -lm.

UNITS    Those of simkit.h. In files every number has its unit, and values come in base units: s, 1/s, B, B/s, flop/s, 1.

ROOMS    grep 'MARK: - >>' walks them; bodies follow in the same order, private rooms before the body that needs them
    reader       lines of `key = value unit` under [section]; parse errors with file, line and column
    input        from a file or a text to a struct in memory
    keys         tables of keys, with the kind of value of each
    machines     machine files: kinds of nodes and their network
    tables       tables of measurements, for the fits of util/netmodel_fit.h
    shapes       (private) the topology in a machine file
    cluster      (private) the sections and keys of machine files

OPTIONS  Those of simkit.h, defined before both headers: SIMKIT_STATIC, SIMKIT_ANY_FLOAT. With SIMKIT_NO_STDIO texts are read,
         and paths are refused. Besides:
         SIMKIT_FILES_IMPLEMENTATION   compile this body alone; the body of simkit.h is in another file of the program
         The body has 40 KB of code by gcc 12 -O2, and takes 1 s to compile.

ERRORS   As in simkit.h: a call returns a simkit_result. What is wrong with a file is in a simkit_parse_error: FILE:LINE:COLUMN,
         what was found, what was expected. Nothing is half-read. Calls of a reader return whether they could go on.

OWNED    What is read owns its memory, which comes from the hook of its simkit_input, until it is closed. A reader, a key and a
         simkit_input are values that point to what is yours.

THREADS  A function touches its arguments and nothing else; those that take a world belong to its thread.

SINCE    0.1.0, the first version, in which all of it was a part of simkit.h.
*/
/** @file simkit_files.h
 *  Files that people write: a reader with errors that say where, tables of keys, machine files, tables. See
 *  @ref simkit_reader.
 *  @since 0.1.0 */
#ifndef SIMKIT_FILES_H
#define SIMKIT_FILES_H

#ifndef SIMKIT_H
#error "include simkit.h before util/simkit_files.h"
#endif

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>reader
 *===========================================================================*/
/** @defgroup simkit_reader simkit: reader
 *  Files that people write: lines of `key = value unit` under `[section]`, where `#` begins a comment. All formats of the
 *  kit are read with it, and formats of your own can be, too. Numbers have a decimal point in every locale. The first
 *  argument of each call is the reader. @{ */

/** Where a parse error is, and what it is. A call that reads sets it if it fails; it may be NULL there. */
typedef struct simkit_parse_error {
    unsigned line;   /**< from 1; 0: the file as a whole */
    unsigned column; /**< from 1 */
    char text[280];  /**< FILE:LINE:COLUMN: what was found, what was expected */
} simkit_parse_error;

/** A text that is being read line by line; a value. The text is borrowed. */
typedef struct simkit_reader {
    const char *file;         /**< its name in errors */
    const char *start;        /**< the line */
    const char *at;           /**< what comes next in it */
    const char *end;          /**< its end, without comment and blanks */
    const char *rest;         /**< the lines after it */
    const char *last;         /**< the end of the text */
    unsigned line;            /**< its number, from 1 */
    simkit_parse_error error; /**< the latest */
    unsigned draw;    /**< which draw of the values that have an error is read; 0: they are read as they stand */
    unsigned errors;  /**< how many quantities with an error have been read */
    double deviation; /**< standard error of the latest quantity, in its base unit; 0: it has none */
} simkit_reader;

/** Begins to read a text; a byte order mark is skipped.
 *
 *  @param[out] reader  The reader, before the first line.
 *  @param[in]  text    The text; need not end with a zero byte.
 *  @param[in]  length  Its length [B].
 *  @param[in]  file    Its name in errors; borrowed.
 */
SIMKIT_API void simkit_reader_init(simkit_reader *reader, const char *text, size_t length, const char *file);

/** Goes to the first word of the next line that is not empty; false if there is none. */
SIMKIT_API bool simkit_reader_line(simkit_reader *reader);

/** As simkit_reader_line(), but only a `#` at the beginning of a line begins a comment: for tables, whose cells may have one. */
SIMKIT_API bool simkit_reader_row(simkit_reader *reader);

/** Skips blanks. */
SIMKIT_API void simkit_reader_blanks(simkit_reader *reader);

/** Skips blanks, and one character if it comes next.
 *
 *  @param[in]     next    The character.
 *  @return  Whether it came; otherwise only blanks were skipped.
 */
SIMKIT_API bool simkit_reader_accept(simkit_reader *reader, char next);

/** Reads a name of letters, digits, _ and -.
 *
 *  @param[out]    word    The name, word[32], with a zero byte at its end.
 *  @param[in]     what    What is expected, for the error.
 *  @return  Whether there is one; false sets the error.
 */
SIMKIT_API bool simkit_reader_word(simkit_reader *reader, char word[32], const char *what);

/** Reads one of several words.
 *
 *  @param[in]     words   The words, words[count].
 *  @param[in]     count   How many.
 *  @param[out]    index   Which of them it is.
 *  @return  Whether it is one of them; false sets the error.
 */
SIMKIT_API bool simkit_reader_choice(simkit_reader *reader, const char *const *words, size_t count, size_t *index);

/** Reads a number without a unit, where something else may follow, such as `-` in `2-5`.
 *
 *  @param[out]    value   The number, finite, >= 0: exact to the last bit up to 15 digits and powers of ten to 22.
 *  @return  Whether there is one; false sets the error.
 */
SIMKIT_API bool simkit_reader_number(simkit_reader *reader, double *value);

/** Reads a number and its unit, and its error if it has one: `58 us +- 2 us`.
 *
 *  The error is one standard error, in a unit of the same kind, or in percent of the value: `58 us +- 3 %`; where the value itself has no
 *  unit, a percentage is absolute. With `draw` of the reader above 0, the value that is read is drawn: that of draw k is the same each time
 *  the same file is read, values in different places are independent, and none of them is negative. It is normal about the value; a relative
 *  error of u below it divides by 1 + u |z|, so that it stays above zero. Errors with one source bear its name: of `latency = 58 us +- 2 us @wire` and
 *  `wake = 16 us +- 3 us @wire -0.8`, the second is correlated with the first by -0.8; without a number, by 1.
 *  `deviation` of the reader is the standard error, in the base unit.
 *
 *  @param[in]     base    The base unit it must have: "s", "1/s", "B", "B/s", "flop/s" or "1"; NULL: any.
 *  @param[out]    value   The value in the base unit, finite, >= 0.
 *  @param[out]    found   The base unit it has; may be NULL.
 *  @return  Whether there is one; false sets the error.
 */
SIMKIT_API bool simkit_reader_quantity(simkit_reader *reader, const char *base, double *value, const char **found);

/** Reads a whole number.
 *
 *  @param[out]    integer  The number, 1 .. 1000000.
 *  @return  Whether there is one; false sets the error.
 */
SIMKIT_API bool simkit_reader_integer(simkit_reader *reader, unsigned *integer);

/** Reads the rest of the line as a text.
 *
 *  @param[out]    text    The text, text[size], with a zero byte at its end.
 *  @param[in]     size    Of the array [B].
 *  @return  Whether there is one that fits; false sets the error.
 */
SIMKIT_API bool simkit_reader_text(simkit_reader *reader, char *text, size_t size);

/** Whether only blanks are left in the line; false sets the error. */
SIMKIT_API bool simkit_reader_end(simkit_reader *reader);

/** Sets the error: file, line and column come before the text.
 *
 *  @param[in]     at      Where in the line; NULL: at its beginning.
 *  @param[in]     format  What was found, what was expected; with its arguments, as for simkit_text_format().
 *  @return  false.
 */
SIMKIT_API SIMKIT__FORMAT(3, 4) bool simkit_reader_error(simkit_reader *reader, const char *at, const char *format,
                                                         ...);
/** @} */

/*=============================================================================
 * MARK: - >>input
 *===========================================================================*/
/** @defgroup simkit_input_of simkit: input
 *  From a file or a text to a struct in memory, as the kit does it and formats of your own can: with one result, one sentence, and
 *  nothing half-read. @{ */

struct simkit_machine;

/** Reads the value of a key of a machine file that simkit does not know; the reader is at the value.
 *
 *  `section` is "machine", "network", "node", "pair", "link" or "route"; in the last four, the key belongs to the last of
 *  the machine's kinds, pairs, links or routes. Returns whether it was read; false without an error for an unknown key.
 */
typedef bool simkit_input_key(void *user, struct simkit_reader *reader, const struct simkit_machine *machine,
                              const char *section, const char *key);

/** What to read: a file, or a text in memory. */
typedef struct simkit_input {
    const char *path;      /**< the file, of at most 1 GiB; NULL: the text */
    const char *beside;    /**< a file in whose folder a relative path begins; NULL: the current folder */
    const char *text;      /**< text[length]; need not end with a zero byte */
    size_t length;         /**< of the text [B] */
    const char *name;      /**< of the file in errors; NULL: its path, or "machine", "table", "trace", "users" */
    simkit_memory memory;  /**< where memory comes from; all zero: the C library */
    simkit_input_key *key; /**< machine files: reads further keys; NULL: there are none */
    void *user;            /**< passed to it */
    unsigned draw;         /**< which draw of values with an error is read; 0: they are read as they stand */
} simkit_input;

/** Parses what was read; the reader is before the first line.
 *
 *  @param[out] made    Your struct, zeroed but for the store at its beginning, which has what it needs: simkit_array_reserve(),
 *                      simkit_names_add().
 *  @param[in]  input   What is read; its path is the one that was opened.
 *  @param[in]  reader  The reader.
 *  @return  SIMKIT_OK; SIMKIT_BAD_FILE, or another result, after simkit_reader_error(); SIMKIT_NO_MEMORY.
 */
typedef simkit_result simkit_input_parse(void *made, const simkit_input *input, simkit_reader *reader);

/** Frees your struct, complete or not, last by simkit_store_close(). */
typedef void simkit_input_close(void *made);

/** A format: what becomes of an input. */
typedef struct simkit_input_format {
    const char *name;          /**< what it is called in errors, as "machine"; also a text without a name */
    size_t bytes;              /**< of your struct, whose first member is a simkit_store */
    simkit_input_parse *parse; /**< fills it */
    simkit_input_close *close; /**< frees it, when parsing has failed */
} simkit_input_format;

/** Reads a file or a text into a struct of yours.
 *
 *  @param[in]  input   What to read.
 *  @param[in]  format  Its format.
 *  @param[out] made    The struct; NULL if the call fails. Free it as `close` of the format does.
 *  @param[out] error   Where it fails, and why; may be NULL.
 *  @return  SIMKIT_OK; SIMKIT_NO_FILE, also for any path with SIMKIT_NO_STDIO; SIMKIT_BAD_FILE; SIMKIT_BAD_ARGUMENT;
 *           SIMKIT_NO_MEMORY; or what `parse` returns.
 */
SIMKIT__CHECKED simkit_result simkit_input_read(const simkit_input *input, const simkit_input_format *format,
                                                void **made, simkit_parse_error *error);

/** The path of an input, in the folder of `beside`, unless it begins with /.
 *
 *  @param[out] path   Space for it, path[1024].
 *  @return  `path`; NULL if it is too long, or there is none.
 */
SIMKIT_API const char *simkit_input_path(const simkit_input *input, char path[1024]);
/** @} */

/*=============================================================================
 * MARK: - >>keys
 *===========================================================================*/
/** @defgroup simkit_keys_of simkit: keys
 *  Tables that say which keys a format has, what kind of value each takes, in which unit, and where it goes. Machine files and
 *  users files are read with them: a new key is a row of a table. docs/simkit.md has an example. @{ */

/** The kind of value that a key takes. Others, from SIMKIT_KEY_OTHER on, are those of your format, which reads them itself. */
typedef enum simkit_key_kind {
    SIMKIT_KEY_QUANTITY = 0, /**< a double >= 0, in the unit of the key */
    SIMKIT_KEY_POSITIVE,     /**< likewise, > 0 */
    SIMKIT_KEY_INTEGER,      /**< an unsigned, 1 .. 1000000 */
    SIMKIT_KEY_OTHER         /**< the first of your own */
} simkit_key_kind;

/** A key: a row of a table. */
typedef struct simkit_key {
    const char *section; /**< in which it is */
    const char *name;    /**< as it is written */
    int kind;            /**< a simkit_key_kind, or one of your own */
    const char *unit;    /**< base unit: "s", "1/s", "B", "B/s", "flop/s" or "1"; NULL if its kind has none */
    size_t offset;       /**< where its value goes, in the struct that describes a section of this kind [B] */
} simkit_key;

/** A table of keys, and how far the reader of a file is in it. */
typedef struct simkit_keys {
    const simkit_key *keys;      /**< keys[count] */
    size_t count;                /**< of keys */
    const char *const *sections; /**< sections[section_count]: all kinds of sections, also those without keys */
    size_t section_count;        /**< of sections */
    unsigned *lines;             /**< lines[count], zeroed: where the file sets each key */
    const char *section;         /**< in which the reader is; NULL before the first */
} simkit_keys;

/** Reads `[SECTION` and blanks. The reader is at the bracket; afterwards it is at a name, which you read, or at `]`.
 *
 *  @param[out] which   Which section: its index.
 *  @return  Whether there is one of the table; false sets the error.
 */
SIMKIT_API bool simkit_keys_section(simkit_keys *keys, simkit_reader *reader, size_t *which);

/** All keys of this section can be set again: it describes one more of its kind. */
SIMKIT_API void simkit_keys_again(simkit_keys *keys);

/** Reads `KEY =`. The reader is at a word; afterwards it is at the value.
 *
 *  @param[out] name    The word, name[32].
 *  @param[out] key     The key; NULL if the section has none of this name, which is no error yet.
 *  @return  Whether it can be read on; false sets the error: there is no word, no `=` or no section yet, or the key was set before.
 */
SIMKIT_API bool simkit_keys_next(simkit_keys *keys, simkit_reader *reader, char name[32], const simkit_key **key);

/** Reads a value of the first three kinds.
 *
 *  @param[out] base   The struct that the offset of the key begins from.
 *  @return  Whether there is one; false sets the error.
 */
SIMKIT_API bool simkit_keys_value(const simkit_key *key, simkit_reader *reader, void *base);

/** Sets the error of a key that the section does not have: it lists those that it has.
 *
 *  @param[in] from  Where its name is.
 *  @param[in] name  Its name.
 *  @param[in] more  What else the section may have; ends the sentence. NULL: nothing.
 *  @return  false.
 */
SIMKIT_API bool simkit_keys_unknown(const simkit_keys *keys, simkit_reader *reader, const char *from, const char *name,
                                    const char *more);

/** The line in which a key was set, since the latest simkit_keys_again() in its section.
 *
 *  @param[in] section  Its section.
 *  @param[in] name     Its name.
 *  @return  From 1; 0: it was not set.
 */
SIMKIT_API unsigned simkit_keys_line(const simkit_keys *keys, const char *section, const char *name);
/** @} */

/*=============================================================================
 * MARK: - >>machines
 *===========================================================================*/
/** @defgroup simkit_machines simkit: machines
 *  Machine files: a cluster of nodes of several kinds and its network, with units written out, and what operations cost
 *  there. docs/simkit.md has the format. @{ */

/** Nodes that are alike: a section `[node NAME]`. */
typedef struct simkit_machine_kind {
    char name[32];         /**< empty: without a name */
    size_t first;          /**< place of the first of them, from 0 */
    unsigned count;        /**< how many; 0: one, or as many as are asked for if there is no other kind */
    unsigned hosts;        /**< how many hosts they are on, in turn; 0: each is a computer of its own */
    simkit_node_desc node; /**< each of them; its name is NULL, its host that of the first */
} simkit_machine_kind;

/** An exception for the transfers from one node to another: a section `[pair FROM TO]`. */
typedef struct simkit_machine_pair {
    size_t from, to;  /**< places of the nodes, from 0 */
    double latency;   /**< [s]; < 0: that of the network */
    double bandwidth; /**< [B/s]; 0: that of their links */
} simkit_machine_pair;

/** A link of the network: a section `[link NAME]`. */
typedef struct simkit_machine_link {
    char name[32];    /**< of the link */
    double bandwidth; /**< in each direction [B/s]; 0: infinitely fast */
    double latency;   /**< of each direction [s] */
    double duplex;    /**< as in simkit_link_desc [1] */
    size_t first;     /**< of the table that it follows: points[first] of the machine */
    size_t count;     /**< rows of that table; 0: it follows none */
    double period;    /**< of the table, as in simkit_link_follow() [s] */
} simkit_machine_link;

/** The route from each of some nodes to each of others: a section `[route FROM TO]`. Of two routes of a pair the later one
 *  counts. */
typedef struct simkit_machine_route {
    size_t from, from_count; /**< places of the first nodes, from 0: one, or all of a kind */
    size_t to, to_count;     /**< places of the others */
    size_t first, count;     /**< its links: hops[first] to hops[first + count - 1] of the machine, at most 64 */
    bool one_way;            /**< only from the first to the others; false: also back, over the same links in reverse */
    bool direct;             /**< beside the links of the nodes: simkit_route_direct() */
} simkit_machine_route;

/** A number about an operation, such as the rate of a kernel; its meaning is up to the application. */
typedef struct simkit_machine_operation {
    char name[32]; /**< of the operation: the section `[operation NAME]` */
    char key[32];  /**< which number */
    char unit[8];  /**< base unit: "s", "1/s", "B", "B/s", "flop/s" or "1" */
    double value;  /**< in the base unit */
} simkit_machine_operation;

/** A cluster. Arrays are in the order of the file. */
typedef struct simkit_machine {
    char name[96];                        /**< what it is */
    size_t nodes;                         /**< how many it has; 0: as many as are asked for */
    double latency;                       /**< of the whole path between two nodes [s]; for simkit_world_desc */
    simkit_sharing sharing;               /**< how transfers share; for simkit_world_desc */
    simkit_machine_kind *kinds;           /**< kinds[kind_count] */
    simkit_machine_pair *pairs;           /**< pairs[pair_count] */
    simkit_machine_operation *operations; /**< operations[operation_count] */
    size_t kind_count, pair_count, operation_count; /**< of these arrays */
    const netmodel_topology *topology; /**< the network; part of the machine. NULL: one switch, and the links below */
    double window;                     /**< window of each TCP connection [B]; 0: no limit */
    double pair_duplex;                /**< as in simkit_world_desc [1]; 0: each direction is independent */
    simkit_machine_link *links;        /**< links[link_count] */
    simkit_machine_route *routes;      /**< routes[route_count] */
    simkit_hop *hops;                  /**< hops[hop_count], where link i + 1 is links[i] */
    simkit_link_point *points;         /**< points[point_count]: of all tables that links follow */
    size_t link_count, route_count, hop_count, point_count; /**< of these arrays */
    unsigned errors;      /**< how many of its values, those of the host program included, have an error */
    simkit_memory memory; /**< of its simkit_input, for simkit_machine_placement(); all zero: the C library */
} simkit_machine;

/** Reads a machine file.
 *
 *  @param[in]  input    The file or text; its callback reads keys that are only known to the host program.
 *  @param[out] machine  The machine; NULL if the call fails.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_machine_read(const simkit_input *input, simkit_machine **machine,
                                                  simkit_parse_error *error);

/** Frees a machine; NULL is harmless. */
SIMKIT_API void simkit_machine_close(simkit_machine *machine);

/** A number about an operation of a machine.
 *
 *  @param[in] name   The operation.
 *  @param[in] key    Which number.
 *  @param[in] unit   The base unit it must have: "s", "1/s", "B", "B/s", "flop/s" or "1".
 *  @return  The value in that unit; NaN if the file does not have it, or in another unit.
 */
SIMKIT_API double simkit_machine_value(const simkit_machine *machine, const char *name, const char *key,
                                       const char *unit);

/** The description of a node of a machine.
 *
 *  @param[in]  place   Which node, from 0; those after the last are like the last.
 *  @param[out] name    Space for its name, name[32]: `NAME`, or `NAME0`, `NAME1`, ... for a kind with a count.
 *  @return  Its description, for simkit_node_add().
 */
SIMKIT_API simkit_node_desc simkit_machine_node(const simkit_machine *machine, size_t place, char name[32]);

/** Adds the first nodes of a machine to a world, with their network and their exceptions.
 *
 *  A world without nodes takes the topology, the window and the duplex factor of pairs from the machine, unless its
 *  description has its own. More nodes than a machine has are like its last one; a machine with routes refuses them, because
 *  its routes do not lead to them.
 *
 *  @param[in]  world   The world; `latency` and `sharing` of the machine belong in its description.
 *  @param[in]  count   How many nodes.
 *  @param[out] nodes   Their numbers, nodes[count]; what was added before a failure stays.
 *  @return  As simkit_node_add(); SIMKIT_BAD_TOPOLOGY; SIMKIT_BAD_ARGUMENT, also for a machine with a topology and a world
 *           that has nodes or links, but no topology.
 */
SIMKIT__CHECKED simkit_result simkit_machine_add(simkit_world *world, const simkit_machine *machine, size_t count,
                                                 simkit_node *nodes);

/** Adds the links of a machine to a world and sets its routes, for nodes that were added by other means than
 *  simkit_machine_add(), which does it as well.
 *
 *  @param[in]  count   How many nodes.
 *  @param[in]  nodes   Their numbers in the world, nodes[count]: first that of the machine's first node. What was added
 *                      before a failure stays.
 *  @return  As simkit_link_add(), simkit_link_follow() and simkit_route_set(); SIMKIT_BAD_ARGUMENT.
 */
SIMKIT__CHECKED simkit_result simkit_machine_connect(simkit_world *world, const simkit_machine *machine, size_t count,
                                                     const simkit_node *nodes);

/** Places the parts of a program, such as its ranks or threads, on the nodes of a machine.
 *
 *  "block" goes from node to node. "round-robin" goes from group to group, and takes another node of each in every round:
 *  groups are the clusters of a topology, the lowest switches of a fat tree, and the groups of a dragonfly; without a
 *  topology the kinds of nodes. With other topologies, all nodes are one group. Anything else is the path of a file with a
 *  node in each line: its number, from 0, or its name; `#` begins a comment. When all places are taken, it begins again with
 *  the first.
 *
 *  @param[in]  how      "block", "round-robin" or the path of a file; NULL: block.
 *  @param[in]  nodes    How many nodes there are [1], >= 1: `machine->nodes` unless that is 0.
 *  @param[in]  by_core  Each node has as many places as cores. Block fills a node before it goes on, round-robin takes one
 *                       place of each node in every round.
 *  @param[out] node     The node of each part, from 0: node[count].
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY; `node` is unchanged then.
 */
SIMKIT__CHECKED simkit_result simkit_machine_placement(const simkit_machine *machine, const char *how, size_t nodes,
                                                       bool by_core, size_t count, size_t *node,
                                                       simkit_parse_error *error);
/** @} */

/*=============================================================================
 * MARK: - >>tables
 *===========================================================================*/
/** @defgroup simkit_tables simkit: tables
 *  Tables of measurements, for the fits of util/netmodel_fit.h: separated by commas, semicolons or blanks, with a header or
 *  without. docs/tables.md has the format. @{ */

/** A column of a table: numbers or texts. */
typedef struct simkit_column {
    const char *name; /**< in the header, without its unit; empty without a header */
    const char *unit; /**< base unit if the header has `name [unit]`: "s", "1/s", "B", "B/s", "flop/s", "1"; or empty */
    double factor;    /**< the unit of the header in base units [1] */
    double *numbers;  /**< numbers[rows], finite, in the base unit; NULL: texts */
    char **texts;     /**< texts[rows]; NULL: numbers */
} simkit_column;

/** A table in memory. */
typedef struct simkit_table {
    size_t rows;           /**< without the header, > 0 */
    size_t columns;        /**< > 0 */
    simkit_column *column; /**< column[columns] */
    unsigned *line;        /**< line[rows]: where each row is in the file, from 1, for errors */
} simkit_table;

/** Reads a table.
 *
 *  @param[out] table   The table; NULL if the call fails.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_BAD_FILE, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY.
 *  @cost    O(length); 8 bytes a number, and the text once more.
 */
SIMKIT__CHECKED simkit_result simkit_table_read(const simkit_input *input, simkit_table **table,
                                                simkit_parse_error *error);

/** Frees a table; NULL is harmless. */
SIMKIT_API void simkit_table_close(simkit_table *table);

/** Finds a column.
 *
 *  @param[in] table  The table; may be NULL.
 *  @param[in] name   The name in the header, without its unit.
 *  @return  The first column of this name; NULL if there is none.
 */
SIMKIT_API const simkit_column *simkit_table_column(const simkit_table *table, const char *name);
/** @} */

#ifdef __cplusplus
}
#endif
#endif /* SIMKIT_FILES_H */

/*
 *  The body, once per file.
 */
#if (defined(SIMKIT_FILES_IMPLEMENTATION) || defined(SIMKIT_IMPLEMENTATION) || defined(SIMKIT_STATIC)) &&              \
    !defined(SIMKIT_FILES_IMPLEMENTED)
#define SIMKIT_FILES_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "util/simkit_files.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "util/simkit_files.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(SIMKIT_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "util/simkit_files.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define SIMKIT_ANY_FLOAT"
#endif

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h> /* snprintf, for sentences; files only without SIMKIT_NO_STDIO */
#include <stdlib.h>
#include <string.h>

/* A cast that C and C++ both accept is an old-style one in C++. Hosts that ask for -Wold-style-cast or -Wuseless-cast
 * mean their own code, so these two are off in this body, and only there. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>reader (body)
 *
 * The only scanner of lines and numbers; machine files, tables and users files are read with it. It never reads beyond
 * the end of the text, and needs no memory of its own.
 *===========================================================================*/
/* The last element of an array that has some. */
#define simkit__files_last(array) ((array)[simkit_array_count(array) - 1])

/* A number that must be finite and not negative. */
static bool simkit__files_amount(double value)
{
    return value >= 0 && value < (double)INFINITY;
}

static void simkit__files_release(simkit_store *store, void *pointer, size_t bytes)
{
    if (pointer) simkit_store_resize(store, pointer, bytes, 0);
}

typedef struct simkit__unit {
    const char *text;
    const char *base;
    double factor;
} simkit__unit;

static const simkit__unit simkit__units[] = {
    { "", "1", 1 },
    { "%", "1", 0.01 },
    { "s", "s", 1 },
    { "ms", "s", 1e-3 },
    { "us", "s", 1e-6 },
    { "ns", "s", 1e-9 },
    { "min", "s", 60 },
    { "h", "s", 3600 },
    { "/s", "1/s", 1 },
    { "/min", "1/s", 1.0 / 60 },
    { "/h", "1/s", 1.0 / 3600 },
    { "B", "B", 1 },
    { "kB", "B", 1e3 },
    { "MB", "B", 1e6 },
    { "GB", "B", 1e9 },
    { "KiB", "B", 1024 },
    { "MiB", "B", 1048576 },
    { "GiB", "B", 1073741824 },
    { "B/s", "B/s", 1 },
    { "kB/s", "B/s", 1e3 },
    { "MB/s", "B/s", 1e6 },
    { "GB/s", "B/s", 1e9 },
    { "Mbit/s", "B/s", 125e3 },
    { "Gbit/s", "B/s", 125e6 },
    { "flop/s", "flop/s", 1 },
    { "Mflop/s", "flop/s", 1e6 },
    { "Gflop/s", "flop/s", 1e9 },
};

/* Lists the units of a quantity, or all units. */
static void simkit__list_units(char list[200], const char *base)
{
    *list = 0;
    for (size_t i = 0, used = 0; i < sizeof simkit__units / sizeof *simkit__units; ++i)
        if (!base || strcmp(simkit__units[i].base, base) == 0)
            used += (size_t)snprintf(list + used, 200 - used, "%s%s", used ? ", " : "",
                                     *simkit__units[i].text ? simkit__units[i].text : "none");
}

/* Finds a unit; NULL with an error if it is unknown. `base`: the one that is expected, or NULL. */
static const simkit__unit *simkit__find_unit(simkit_reader *r, const char *text, size_t length, const char *base)
{
    char list[200];
    for (size_t i = 0; i < sizeof simkit__units / sizeof *simkit__units; ++i)
        if (strlen(simkit__units[i].text) == length && memcmp(simkit__units[i].text, text, length) == 0)
            return &simkit__units[i];
    const char *semicolon = (const char *)memchr(text, ';', length);
    if (semicolon) {
        simkit_reader_error(r, semicolon, "expected ',' between the values of a list, found ';'");
    } else {
        simkit__list_units(list, base);
        simkit_reader_error(r, text, "unknown unit '%.*s', expected one of: %s", length > 20 ? 20 : (int)length, text,
                            list);
    }
    return NULL;
}

/* Powers of ten below one are not exact, their reciprocals are. */
static double simkit__to_base(double value, double factor)
{
    return factor < 1 ? value / (1 / factor) : value * factor;
}

SIMKIT_API bool simkit_reader_error(simkit_reader *reader, const char *at, const char *format, ...)
{
    if (!reader || !format) return false;
    simkit_parse_error *e = &reader->error;
    e->line = reader->line;
    e->column = at ? (unsigned)(at - reader->start) + 1 : 1;
    int used = snprintf(e->text, sizeof e->text, "%.100s", reader->file);
    if (e->line > 0) used += snprintf(e->text + used, sizeof e->text - (size_t)used, ":%u:%u", e->line, e->column);
    used += snprintf(e->text + used, sizeof e->text - (size_t)used, ": ");
    va_list arguments;
    va_start(arguments, format);
    simkit_text_format(e->text + used, sizeof e->text - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

SIMKIT_API void simkit_reader_init(simkit_reader *reader, const char *text, size_t length, const char *file)
{
    if (!reader) return;
    memset(reader, 0, sizeof *reader);
    reader->file = file ? file : "";
    if (!text) return;
    reader->rest = text;
    reader->last = text + length;
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) reader->rest += 3; /* a byte order mark */
}

static bool simkit__is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

SIMKIT_API void simkit_reader_blanks(simkit_reader *reader)
{
    while (reader->at < reader->end && simkit__is_blank(*reader->at)) ++reader->at;
}

/* Goes to the next line that is not empty. A comment begins at any `#`, or only at one that comes first. */
static bool simkit__next_line(simkit_reader *r, bool any_comment)
{
    while (r->rest < r->last) {
        const char *newline = (const char *)memchr(r->rest, '\n', (size_t)(r->last - r->rest));
        r->start = r->at = r->rest;
        r->end = newline ? newline : r->last;
        r->rest = newline ? newline + 1 : r->last;
        ++r->line;
        const char *comment = any_comment ? (const char *)memchr(r->at, '#', (size_t)(r->end - r->at)) : NULL;
        if (comment) r->end = comment;
        while (r->end > r->at && simkit__is_blank(r->end[-1])) --r->end;
        simkit_reader_blanks(r);
        if (r->at < r->end && *r->at != '#') return true;
    }
    return false;
}

SIMKIT_API bool simkit_reader_line(simkit_reader *reader)
{
    return reader && simkit__next_line(reader, true);
}

SIMKIT_API bool simkit_reader_row(simkit_reader *reader)
{
    return reader && simkit__next_line(reader, false);
}

SIMKIT_API bool simkit_reader_accept(simkit_reader *reader, char next)
{
    simkit_reader_blanks(reader);
    if (reader->at == reader->end || *reader->at != next) return false;
    ++reader->at;
    simkit_reader_blanks(reader);
    return true;
}

SIMKIT_API bool simkit_reader_end(simkit_reader *reader)
{
    simkit_reader_blanks(reader);
    return reader->at == reader->end || simkit_reader_error(reader, reader->at, "expected the end of the line");
}

SIMKIT_API bool simkit_reader_text(simkit_reader *reader, char *text, size_t size)
{
    simkit_reader_blanks(reader);
    const size_t length = (size_t)(reader->end - reader->at);
    if (length == 0 || length >= size)
        return simkit_reader_error(reader, reader->at, "expected 1 to %lu characters", (unsigned long)size - 1);
    memcpy(text, reader->at, length);
    text[length] = 0;
    reader->at = reader->end;
    return true;
}

static bool simkit__is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

SIMKIT_API bool simkit_reader_word(simkit_reader *r, char word[32], const char *what)
{
    const char *from = r->at;
    while (r->at < r->end && simkit__is_word(*r->at)) ++r->at;
    size_t length = (size_t)(r->at - from);
    if (length == 0) return simkit_reader_error(r, from, "expected %s", what);
    if (length > 31) return simkit_reader_error(r, from, "%s is longer than 31 characters", what);
    memcpy(word, from, length);
    word[length] = 0;
    return true;
}

SIMKIT_API bool simkit_reader_choice(simkit_reader *r, const char *const *words, size_t count, size_t *index)
{
    char word[32], list[160] = "";
    const char *from = r->at;
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof list; ++i)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 words[i]);
    if (!simkit_reader_word(r, word, list)) return false;
    for (size_t i = 0; i < count; ++i)
        if (strcmp(words[i], word) == 0) {
            *index = i;
            return true;
        }
    return simkit_reader_error(r, from, "'%s' is unknown, expected %s", word, list);
}

/* A decimal number >= 0, in any locale: exact to the last bit up to 15 digits and powers of ten to 22. */
SIMKIT_API bool simkit_reader_number(simkit_reader *r, double *value)
{
    const char *from = r->at;
    uint64_t digits = 0;
    int scale = 0, exponent = 0, sign = 1;
    bool any = false, point = false;
    for (; r->at < r->end; ++r->at) {
        char c = *r->at;
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            any = true;
            if (digits < UINT64_C(100000000000000000)) {
                digits = digits * 10 + (uint64_t)(c - '0');
                if (point) --scale;
            } else if (!point) {
                ++scale;
            }
        } else {
            break;
        }
    }
    if (!any) return simkit_reader_error(r, from, "expected a number >= 0");
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        ++r->at;
        if (r->at < r->end && (*r->at == '-' || *r->at == '+')) sign = *r->at++ == '-' ? -1 : 1;
        if (r->at == r->end || *r->at < '0' || *r->at > '9')
            return simkit_reader_error(r, r->at, "expected an exponent");
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; ++r->at)
            if (exponent < 1000) exponent = exponent * 10 + (*r->at - '0');
    }
    scale += sign * exponent;
    double result = (double)digits, power = 1;
    for (int i = scale < 0 ? -scale : scale; i > 0 && power < (double)INFINITY; --i) power *= 10;
    *value = scale < 0 ? result / power : result * power;
    if (digits == 0) *value = 0;
    if (!simkit__files_amount(*value)) return simkit_reader_error(r, from, "the number is too large");
    return true;
}

/* Lists the units that were expected. */
static bool simkit__wrong_unit(simkit_reader *r, const char *from, const char *unit, const char *base)
{
    char list[200];
    simkit__list_units(list, base);
    if (!*unit) return simkit_reader_error(r, from, "there is no unit, expected one of: %s", list);
    return simkit_reader_error(r, from, "the unit is '%s', expected one of: %s", unit, list);
}

/* A number and its unit, without an error. */
static bool simkit__plain_quantity(simkit_reader *r, const char *base, double *value, const char **found)
{
    const char *number = r->at;
    if (!simkit_reader_number(r, value)) return false;
    simkit_reader_blanks(r);
    const char *from = r->at;
    while (r->at < r->end && !strchr(" \t,:+@", *r->at)) ++r->at;
    const simkit__unit *unit = simkit__find_unit(r, from, (size_t)(r->at - from), base);
    if (!unit) return false;
    if (base && strcmp(base, unit->base) != 0) return simkit__wrong_unit(r, from, unit->text, base);
    *value = simkit__to_base(*value, unit->factor);
    if (!simkit__files_amount(*value)) return simkit_reader_error(r, number, "the number is too large");
    if (found) *found = unit->base;
    return true;
}

/* An error that belongs to a draw and to a name, such as that of a source of errors. */
static double simkit__drawn(unsigned draw, const char *name, double deviation)
{
    simkit_random random = { draw };
    for (; *name; ++name) random.state = simkit_random_bits(&random) ^ (unsigned char)*name;
    return simkit_random_normal(&random, 0, deviation);
}

/* `@NAME` or `@NAME COEFFICIENT` after an error: its source, and how it is correlated with it. */
static bool simkit__error_source(simkit_reader *r, char source[32], double *correlation)
{
    const char *from;
    *correlation = 1;
    if (!simkit_reader_word(r, source, "the name of a source of errors")) return false;
    simkit_reader_blanks(r);
    from = r->at;
    const bool negative = simkit_reader_accept(r, '-');
    if (!negative && (r->at == r->end || !((*r->at >= '0' && *r->at <= '9') || *r->at == '.'))) return true;
    if (!simkit_reader_number(r, correlation)) return false;
    if (*correlation > 1) return simkit_reader_error(r, from, "a correlation beyond 1");
    if (negative) *correlation = -*correlation;
    return true;
}

/* The error after a value, from `+-` on; with a draw the value is changed by it. */
static bool simkit__value_error(simkit_reader *r, const char *base, double *value)
{
    const char *from = r->at, *unit;
    char source[32] = "", place[32];
    double deviation, correlation = 0;
    r->at += 2;
    simkit_reader_blanks(r);
    const char *number = r->at;
    if (!simkit__plain_quantity(r, NULL, &deviation, &unit)) return false;
    if (strcmp(unit, base) != 0) {
        if (r->at[-1] != '%') {
            r->at = number;
            return simkit__plain_quantity(r, base, &deviation, NULL); /* says that its unit is another one */
        }
        deviation *= *value;
    }
    if (simkit_reader_accept(r, '@') && !simkit__error_source(r, source, &correlation)) return false;
    r->deviation = deviation;
    ++r->errors;
    if (r->draw == 0) return true;
    snprintf(place, sizeof place, "%u:%u", r->line, (unsigned)(from - r->start));
    double error = simkit__drawn(r->draw, place, deviation * sqrt((1 - correlation) * (1 + correlation)));
    const double common = *source ? simkit__drawn(r->draw, source, deviation * fabs(correlation)) : 0;
    error += correlation < 0 ? -common : common;
    if (error > 0)
        *value += error;
    else if (*value > 0)
        *value /= 1 - error / *value;
    return simkit__files_amount(*value) || simkit_reader_error(r, from, "a draw of the value is too large");
}

SIMKIT_API bool simkit_reader_quantity(simkit_reader *r, const char *base, double *value, const char **found)
{
    const char *unit;
    r->deviation = 0;
    if (!simkit__plain_quantity(r, base, value, &unit)) return false;
    if (found) *found = unit;
    const char *after = r->at;
    simkit_reader_blanks(r);
    if (r->end - r->at >= 2 && r->at[0] == '+' && r->at[1] == '-') return simkit__value_error(r, unit, value);
    r->at = after;
    return true;
}

SIMKIT_API bool simkit_reader_integer(simkit_reader *r, unsigned *integer)
{
    const char *from = r->at;
    double value = 0;
    const bool negative = r->at < r->end && *r->at == '-';
    if (!negative && !simkit__plain_quantity(r, "1", &value, NULL)) return false;
    if (!(value >= 1 && value <= 1e6) || value > floor(value))
        return simkit_reader_error(r, from, "expected a whole number from 1 to 1000000");
    *integer = (unsigned)value;
    return true;
}

/*=============================================================================
 * MARK: - >>input (body)
 *
 * From a path or a text to something in memory: what all the files have in common. Whatever is read begins with a store,
 * which holds all of its memory.
 *===========================================================================*/
/* Beside another file, unless it begins with /. */
SIMKIT_API const char *simkit_input_path(const simkit_input *input, char path[1024])
{
    if (!input || !input->path) return NULL;
    const char *slash = input->beside ? strrchr(input->beside, '/') : NULL;
    const size_t folder = slash && input->path[0] != '/' ? (size_t)(slash - input->beside) + 1 : 0;
    if (folder + strlen(input->path) >= 1024) return NULL;
    if (folder > 0) memcpy(path, input->beside, folder);
    memcpy(path + folder, input->path, strlen(input->path) + 1);
    return path;
}

typedef struct simkit__block {
    char *text;
    size_t length, size;
} simkit__block;

#ifdef SIMKIT_NO_STDIO
static simkit_result simkit__read_file(simkit_store *store, simkit_reader *r, simkit__block *block)
{
    (void)store;
    (void)block;
    simkit_reader_error(r, NULL, "this program was built without files (SIMKIT_NO_STDIO)");
    return SIMKIT_NO_FILE;
}
#else
/* Reads a file of at most 1 GiB; `r` has its path. */
static simkit_result simkit__read_file(simkit_store *store, simkit_reader *r, simkit__block *block)
{
    const size_t maximum = (size_t)1 << 30;
    simkit_result result = SIMKIT_OK;
    errno = 0;
    FILE *file = fopen(r->file, "rb");
    for (size_t got = 1; file && got > 0 && block->length <= maximum;) {
        if (block->length == block->size) {
            const size_t larger = block->size ? 2 * block->size : 65536;
            char *moved = (char *)simkit_store_resize(store, block->text, block->size, larger);
            if (!moved) {
                result = SIMKIT_NO_MEMORY;
                break;
            }
            block->text = moved;
            block->size = larger;
        }
        got = fread(block->text + block->length, 1, block->size - block->length, file);
        block->length += got;
    }
    if (result == SIMKIT_OK && (!file || ferror(file))) {
        const int why = errno; /* some C libraries do not set it */
        simkit_reader_error(r, NULL, "the file cannot be read%s%.100s", why ? ": " : "", why ? strerror(why) : "");
        result = SIMKIT_NO_FILE;
    } else if (result == SIMKIT_OK && block->length > maximum) {
        simkit_reader_error(r, NULL, "the file is longer than 1 GiB");
        result = SIMKIT_BAD_FILE;
    }
    if (file) fclose(file);
    return result;
}
#endif

SIMKIT_API simkit_result simkit_input_read(const simkit_input *input, const simkit_input_format *format, void **made,
                                           simkit_parse_error *error)
{
    char path[1024];
    simkit_reader r;
    simkit__block block = { NULL, 0, 0 };
    if (made) *made = NULL;
    if (!made || !format || !format->parse || !format->close || format->bytes < sizeof(simkit_store))
        return SIMKIT_BAD_ARGUMENT;
    const char *what = format->name ? format->name : "file";
    if (!input || (!input->path && !input->text)) {
        simkit_reader_init(&r, NULL, 0, what);
        simkit_reader_error(&r, NULL, "there is nothing to read: neither a path nor a text");
        if (error) *error = r.error;
        return SIMKIT_BAD_ARGUMENT;
    }
    simkit_result result = SIMKIT_NO_MEMORY;
    simkit_store *store = (simkit_store *)simkit_store_open(&input->memory, format->bytes);
    simkit_reader_init(&r, input->text, input->length, input->name ? input->name : what);
    r.draw = input->draw;
    if (store && input->path) {
        r.file = simkit_input_path(input, path);
        if (r.file) {
            result = simkit__read_file(store, &r, &block);
        } else {
            r.file = input->path;
            simkit_reader_error(&r, NULL, "the path is longer than 1023 characters");
            result = SIMKIT_NO_FILE;
        }
        if (result == SIMKIT_OK) {
            simkit_input found = *input;
            found.path = path;
            simkit_reader_init(&r, block.text, block.length, input->name ? input->name : path);
            r.draw = input->draw;
            result = format->parse(store, &found, &r);
        }
        simkit__files_release(store, block.text, block.size);
    } else if (store) {
        result = format->parse(store, input, &r);
    }
    if (result == SIMKIT_NO_MEMORY) {
        r.line = 0;
        simkit_reader_error(&r, NULL, "no memory for the %s", what);
    }
    if (result == SIMKIT_OK)
        *made = store;
    else if (store)
        format->close(store);
    if (error && result != SIMKIT_OK) *error = r.error;
    return result;
}

/*=============================================================================
 * MARK: - >>keys (body)
 *
 * Lines of `key = value unit` under `[section NAME]`, and tables that say which keys there are, what kind of value each
 * has, and where that goes. Machine files and users files are read with them: a new key is a line in a table.
 *===========================================================================*/
/* The kind of a section, between `[` and a blank or `]`. */
SIMKIT_API bool simkit_keys_section(simkit_keys *keys, simkit_reader *r, size_t *which)
{
    ++r->at;
    simkit_reader_blanks(r);
    if (!simkit_reader_choice(r, keys->sections, keys->section_count, which)) return false;
    simkit_reader_blanks(r);
    keys->section = keys->sections[*which];
    return true;
}

SIMKIT_API void simkit_keys_again(simkit_keys *keys)
{
    for (size_t i = 0; keys->section && i < keys->count; ++i)
        if (strcmp(keys->keys[i].section, keys->section) == 0) keys->lines[i] = 0;
}

static const simkit_key *simkit__find_key(const simkit_keys *keys, const char *section, const char *name)
{
    for (size_t i = 0; i < keys->count; ++i)
        if (strcmp(keys->keys[i].name, name) == 0 && strcmp(keys->keys[i].section, section) == 0) return &keys->keys[i];
    return NULL;
}

/* Refuses a key that was set before, in the line that is kept of it. */
static bool simkit__key_once(simkit_reader *r, const char *from, const simkit_key *key, unsigned *line)
{
    if (*line > 0) return simkit_reader_error(r, from, "duplicate key '%s', first set in line %u", key->name, *line);
    *line = r->line;
    return true;
}

SIMKIT_API bool simkit_keys_next(simkit_keys *keys, simkit_reader *r, char name[32], const simkit_key **key)
{
    const char *from = r->at;
    *key = NULL;
    if (!simkit_reader_word(r, name, "a key, a [section] or a # comment")) return false;
    if (!simkit_reader_accept(r, '=')) return simkit_reader_error(r, r->at, "expected '=' after '%s'", name);
    if (!keys->section) return simkit_reader_error(r, from, "key '%s' is before the first [section]", name);
    *key = simkit__find_key(keys, keys->section, name);
    return !*key || simkit__key_once(r, from, *key, &keys->lines[*key - keys->keys]);
}

SIMKIT_API bool simkit_keys_unknown(const simkit_keys *keys, simkit_reader *r, const char *from, const char *name,
                                    const char *more)
{
    const char *section = keys->section ? keys->section : "";
    char list[192] = "";
    for (size_t i = 0, used = 0; i < keys->count && used < sizeof list; ++i)
        if (strcmp(keys->keys[i].section, section) == 0)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", keys->keys[i].name);
    return simkit_reader_error(r, from, "section [%s] has no key '%s', only %s%s", section, name, list,
                               more ? more : "");
}

SIMKIT_API bool simkit_keys_value(const simkit_key *key, simkit_reader *r, void *base)
{
    const char *from = r->at;
    void *place = (char *)base + key->offset;
    double *value = (double *)place;
    if (key->kind == SIMKIT_KEY_INTEGER) return simkit_reader_integer(r, (unsigned *)place);
    if (!simkit_reader_quantity(r, key->unit, value, NULL)) return false;
    return key->kind == SIMKIT_KEY_QUANTITY || *value > 0 ||
           simkit_reader_error(r, from, "'%s' is 0, expected a number > 0", key->name);
}

SIMKIT_API unsigned simkit_keys_line(const simkit_keys *keys, const char *section, const char *name)
{
    const simkit_key *key = simkit__find_key(keys, section, name);
    return key ? keys->lines[key - keys->keys] : 0;
}

/*=============================================================================
 * MARK: - >>shapes (private)
 *
 * The topology in section [network] of a machine file. Its keys are lists of numbers, which are kept with their places in
 * the text until the file ends: only then it is known which topology they describe.
 *===========================================================================*/
typedef struct simkit__spot {
    const char *start, *at; /* the line, and where in it */
    unsigned line;          /* its number; 0: nowhere */
} simkit__spot;

static simkit__spot simkit__spot_at(const simkit_reader *r, const char *at)
{
    const simkit__spot spot = { r->start, at, r->line };
    return spot;
}

/* Goes back to a spot, for an error there. */
static const char *simkit__spot_go(simkit_reader *r, const simkit__spot *spot)
{
    r->start = spot->start;
    r->line = spot->line;
    return spot->at;
}

/* The keys; those of a cable are three: bandwidth, latency, duplex. */
enum {
    SIMKIT__SHAPE_HOSTS,
    SIMKIT__SHAPE_DOWN,
    SIMKIT__SHAPE_UP,
    SIMKIT__SHAPE_CABLES,
    SIMKIT__SHAPE_SIZE,
    SIMKIT__SHAPE_GROUPS,
    SIMKIT__SHAPE_BLUE,
    SIMKIT__SHAPE_CHASSIS,
    SIMKIT__SHAPE_BLACK,
    SIMKIT__SHAPE_BLADES,
    SIMKIT__SHAPE_GREEN,
    SIMKIT__SHAPE_NODES,
    SIMKIT__SHAPE_JOINTS,
    SIMKIT__SHAPE_LINK,
    SIMKIT__SHAPE_UPLINK = SIMKIT__SHAPE_LINK + 3,
    SIMKIT__SHAPE_HOST = SIMKIT__SHAPE_UPLINK + 3,
    SIMKIT__SHAPE_BACKBONE = SIMKIT__SHAPE_HOST + 3,
    SIMKIT__SHAPE_JOINT = SIMKIT__SHAPE_BACKBONE + 3,
    SIMKIT__SHAPE_KEYS = SIMKIT__SHAPE_JOINT + 3,
    SIMKIT__SHAPE_NUMBERS = 256 /* more than any topology has */
};

/* Sets of kinds: bits. */
enum {
    SIMKIT__ALL = 63,
    SIMKIT__STARS = 3,
    SIMKIT__JOINED = 2,
    SIMKIT__TREES = 4,
    SIMKIT__GRIDS = 24,
    SIMKIT__FLIES = 32
};
static const char *const simkit__shape_kinds[] = { "star", "clusters", "fat_tree", "torus", "mesh", "dragonfly" };

static const struct {
    const char *name, *unit; /* NULL: whole numbers */
    unsigned kinds;          /* that have it: bits */
} simkit__shape_keys[SIMKIT__SHAPE_KEYS] = {
    { "hosts", NULL, SIMKIT__STARS },
    { "down", NULL, SIMKIT__TREES },
    { "up", NULL, SIMKIT__TREES },
    { "cables", NULL, SIMKIT__TREES },
    { "size", NULL, SIMKIT__GRIDS },
    { "groups", NULL, SIMKIT__FLIES },
    { "blue", NULL, SIMKIT__FLIES },
    { "chassis", NULL, SIMKIT__FLIES },
    { "black", NULL, SIMKIT__FLIES },
    { "blades", NULL, SIMKIT__FLIES },
    { "green", NULL, SIMKIT__FLIES },
    { "nodes", NULL, SIMKIT__FLIES },
    { "joints", NULL, SIMKIT__JOINED },
    { "link_bandwidth", "B/s", SIMKIT__ALL },
    { "link_latency", "s", SIMKIT__ALL },
    { "link_duplex", "1", SIMKIT__ALL },
    { "up_bandwidth", "B/s", SIMKIT__JOINED },
    { "up_latency", "s", SIMKIT__JOINED },
    { "up_duplex", "1", SIMKIT__JOINED },
    { "host_bandwidth", "B/s", SIMKIT__GRIDS },
    { "host_latency", "s", SIMKIT__GRIDS },
    { "host_duplex", "1", SIMKIT__GRIDS },
    { "backbone_bandwidth", "B/s", SIMKIT__STARS },
    { "backbone_latency", "s", SIMKIT__STARS },
    { "backbone_duplex", "1", SIMKIT__STARS },
    { "joint_bandwidth", "B/s", SIMKIT__JOINED },
    { "joint_latency", "s", SIMKIT__JOINED },
    { "joint_duplex", "1", SIMKIT__JOINED },
};

typedef struct simkit__shape {
    simkit__spot spot; /* of the word after `topology` */
    struct {
        simkit__spot spot;
        unsigned first, count; /* of its numbers */
    } lists[SIMKIT__SHAPE_KEYS];
    struct {
        double value;
        const char *at;
    } numbers[SIMKIT__SHAPE_NUMBERS];
    unsigned used; /* of them */
    netmodel_topology topology;
} simkit__shape;

/* The number of a key; SHAPE_KEYS for another. */
static size_t simkit__shape_key(const char *name)
{
    size_t key = 0;
    while (key < SIMKIT__SHAPE_KEYS && strcmp(simkit__shape_keys[key].name, name) != 0) ++key;
    return key;
}

static bool simkit__read_topology(simkit__shape *s, simkit_reader *r)
{
    size_t kind;
    s->spot = simkit__spot_at(r, r->at);
    if (!simkit_reader_choice(r, simkit__shape_kinds, 6, &kind)) return false;
    s->topology.kind = (netmodel_topology_kind)kind;
    return true;
}

static bool simkit__read_duplex(simkit_reader *r, double *duplex)
{
    const char *from = r->at;
    return simkit_reader_quantity(r, "1", duplex, NULL) &&
           ((*duplex >= 1 && *duplex <= 2) || simkit_reader_error(r, from, "expected a number from 1 to 2"));
}

/* One number of a list. */
static bool simkit__read_shape_number(simkit__shape *s, simkit_reader *r, size_t key)
{
    const char *from = r->at, *unit = simkit__shape_keys[key].unit;
    unsigned whole;
    double value = 0;
    if (s->used == SIMKIT__SHAPE_NUMBERS)
        return simkit_reader_error(r, from, "the topology has more than %d numbers", SIMKIT__SHAPE_NUMBERS);
    if (key == SIMKIT__SHAPE_JOINTS) { /* A-B, where a number and its unit would go on */
        if (!simkit_reader_number(r, &value)) return false;
        if (!(value >= 1 && value <= (double)NETMODEL_JOINED_CLUSTERS) || value > floor(value))
            return simkit_reader_error(r, from, "expected the number of a cluster, from 1 to %d",
                                       NETMODEL_JOINED_CLUSTERS);
    } else if (!unit) {
        if (!simkit_reader_integer(r, &whole)) return false;
        value = whole;
    } else if (*unit == '1') {
        if (!simkit__read_duplex(r, &value)) return false;
    } else {
        if (!simkit_reader_quantity(r, unit, &value, NULL)) return false;
        if (*unit == 'B' && !(value >= 1))
            return simkit_reader_error(r, from, "'%s' is less than 1 B/s", simkit__shape_keys[key].name);
    }
    s->numbers[s->used].value = value;
    s->numbers[s->used++].at = from;
    ++s->lists[key].count;
    return true;
}

/* `NUMBER, NUMBER, ...`, or `A-B, A-B, ...` */
static bool simkit__read_shape_list(simkit__shape *s, simkit_reader *r, size_t key, const char *from)
{
    if (s->lists[key].spot.line > 0)
        return simkit_reader_error(r, from, "duplicate key '%s', first set in line %u", simkit__shape_keys[key].name,
                                   s->lists[key].spot.line);
    s->lists[key].spot = simkit__spot_at(r, from);
    s->lists[key].first = s->used;
    do {
        if (!simkit__read_shape_number(s, r, key)) return false;
        if (key != SIMKIT__SHAPE_JOINTS) continue;
        if (!simkit_reader_accept(r, '-')) return simkit_reader_error(r, r->at, "expected '-' between two clusters");
        if (!simkit__read_shape_number(s, r, key)) return false;
    } while (simkit_reader_accept(r, ','));
    return true;
}

/* An error at a key. */
static const char *simkit__shape_go(simkit__shape *s, simkit_reader *r, size_t key)
{
    return simkit__spot_go(r, &s->lists[key].spot);
}

/* A number of a list; of one for all, that. */
static double simkit__shape_number(const simkit__shape *s, size_t key, size_t index)
{
    return s->numbers[s->lists[key].first + (s->lists[key].count > 1 ? index : 0)].value;
}

/* A list that must be there, of so many numbers. */
static bool simkit__shape_has(simkit__shape *s, simkit_reader *r, size_t key, unsigned most)
{
    const unsigned count = s->lists[key].count;
    if (count == 0)
        return simkit_reader_error(r, simkit__spot_go(r, &s->spot), "topology %s needs '%s'",
                                   simkit__shape_kinds[s->topology.kind], simkit__shape_keys[key].name);
    if (count <= most) return true;
    return simkit_reader_error(r, simkit__shape_go(s, r, key), "'%s' has %u values, expected %s%u",
                               simkit__shape_keys[key].name, count, most > 1 ? "at most " : "", most);
}

/* A list of as many numbers as another one. */
static bool simkit__shape_same(simkit__shape *s, simkit_reader *r, size_t key, size_t other)
{
    const unsigned count = s->lists[other].count;
    if (!simkit__shape_has(s, r, key, SIMKIT__SHAPE_NUMBERS)) return false;
    return s->lists[key].count == count ||
           simkit_reader_error(r, simkit__shape_go(s, r, key), "'%s' has %u value%s, expected %u, as many as '%s'",
                               simkit__shape_keys[key].name, s->lists[key].count, s->lists[key].count > 1 ? "s" : "",
                               count, simkit__shape_keys[other].name);
}

/* Cables, `stride` bytes apart, from three keys: one value for all, or one for each. */
static bool simkit__shape_cables(simkit__shape *s, simkit_reader *r, size_t key, void *cables, size_t stride,
                                 size_t count, const char *each)
{
    if (!simkit__shape_has(s, r, key, SIMKIT__SHAPE_NUMBERS)) return false;
    for (size_t k = key; k < key + 3; ++k) {
        if (s->lists[k].count <= 1 || s->lists[k].count == count) continue;
        if (count == 1)
            return simkit_reader_error(r, simkit__shape_go(s, r, k), "'%s' has %u values, expected 1",
                                       simkit__shape_keys[k].name, s->lists[k].count);
        return simkit_reader_error(r, simkit__shape_go(s, r, k), "'%s' has %u values, expected 1 or %lu: %s",
                                   simkit__shape_keys[k].name, s->lists[k].count, (unsigned long)count, each);
    }
    for (size_t i = 0; i < count; ++i) {
        netmodel_cable cable = { simkit__shape_number(s, key, i), 0, 0 };
        if (s->lists[key + 1].count > 0) cable.latency = simkit__shape_number(s, key + 1, i);
        if (s->lists[key + 2].count > 0) cable.duplex = simkit__shape_number(s, key + 2, i);
        memcpy((char *)cables + i * stride, &cable, sizeof cable);
    }
    return true;
}

/* A cable that may be missing. */
static bool simkit__shape_cable(simkit__shape *s, simkit_reader *r, size_t key, netmodel_cable *cable)
{
    if (s->lists[key].count > 0) return simkit__shape_cables(s, r, key, cable, sizeof *cable, 1, "");
    for (size_t k = key + 1; k < key + 3; ++k)
        if (s->lists[k].count > 0)
            return simkit_reader_error(r, simkit__shape_go(s, r, k), "'%s' needs '%s'", simkit__shape_keys[k].name,
                                       simkit__shape_keys[key].name);
    return true;
}

static bool simkit__shape_joints(simkit__shape *s, simkit_reader *r)
{
    netmodel_clusters_shape *x = &s->topology.clusters;
    const unsigned first = s->lists[SIMKIT__SHAPE_JOINTS].first;
    if (!simkit__shape_has(s, r, SIMKIT__SHAPE_JOINTS, 2 * NETMODEL_JOINTS)) return false;
    for (size_t k = SIMKIT__SHAPE_UPLINK; k < SIMKIT__SHAPE_JOINT; ++k)
        if (s->lists[k].count > 0)
            return simkit_reader_error(r, simkit__shape_go(s, r, k), "'%s' is of clusters without joints",
                                       simkit__shape_keys[k].name);
    x->joints = s->lists[SIMKIT__SHAPE_JOINTS].count / 2;
    for (size_t i = 0; i < 2 * x->joints; ++i) {
        const size_t end = (size_t)s->numbers[first + i].value;
        const char *at = s->numbers[first + i].at;
        if (end > x->count) {
            simkit__shape_go(s, r, SIMKIT__SHAPE_JOINTS);
            return simkit_reader_error(r, at, "there is no cluster %lu: 'hosts' has %lu value%s", (unsigned long)end,
                                       (unsigned long)x->count, x->count > 1 ? "s" : "");
        }
        *(i % 2 ? &x->joint[i / 2].to : &x->joint[i / 2].from) = end - 1;
        if (i % 2 && x->joint[i / 2].from == end - 1) {
            simkit__shape_go(s, r, SIMKIT__SHAPE_JOINTS);
            return simkit_reader_error(r, at, "a joint leads from cluster %lu to itself", (unsigned long)end);
        }
    }
    return simkit__shape_cables(s, r, SIMKIT__SHAPE_JOINT, &x->joint[0].cable, sizeof *x->joint, x->joints,
                                "one for each joint");
}

static bool simkit__shape_clusters(simkit__shape *s, simkit_reader *r)
{
    netmodel_clusters_shape *x = &s->topology.clusters;
    if (!simkit__shape_has(s, r, SIMKIT__SHAPE_HOSTS, NETMODEL_JOINED_CLUSTERS)) return false;
    x->count = s->lists[SIMKIT__SHAPE_HOSTS].count;
    for (size_t i = 0; i < x->count; ++i) x->cluster[i].hosts = (size_t)simkit__shape_number(s, SIMKIT__SHAPE_HOSTS, i);
    if (!simkit__shape_cables(s, r, SIMKIT__SHAPE_LINK, &x->cluster[0].cable, sizeof *x->cluster, x->count,
                              "one for each cluster"))
        return false;
    if (s->lists[SIMKIT__SHAPE_JOINTS].count > 0) return simkit__shape_joints(s, r);
    for (size_t k = SIMKIT__SHAPE_JOINT; k < SIMKIT__SHAPE_KEYS; ++k)
        if (s->lists[k].count > 0)
            return simkit_reader_error(r, simkit__shape_go(s, r, k), "'%s' needs 'joints'", simkit__shape_keys[k].name);
    if (x->count == 1 && s->lists[SIMKIT__SHAPE_UPLINK].count == 0)
        return simkit__shape_cable(s, r, SIMKIT__SHAPE_UPLINK, &x->cluster[0].up) &&
               simkit__shape_cable(s, r, SIMKIT__SHAPE_BACKBONE, &x->backbone);
    return simkit__shape_cables(s, r, SIMKIT__SHAPE_UPLINK, &x->cluster[0].up, sizeof *x->cluster, x->count,
                                "one for each cluster") &&
           simkit__shape_cable(s, r, SIMKIT__SHAPE_BACKBONE, &x->backbone);
}

static bool simkit__shape_tree(simkit__shape *s, simkit_reader *r)
{
    netmodel_tree_shape *x = &s->topology.tree;
    if (!simkit__shape_has(s, r, SIMKIT__SHAPE_DOWN, NETMODEL_TREE_LEVELS) ||
        !simkit__shape_same(s, r, SIMKIT__SHAPE_UP, SIMKIT__SHAPE_DOWN) ||
        (s->lists[SIMKIT__SHAPE_CABLES].count > 0 &&
         !simkit__shape_same(s, r, SIMKIT__SHAPE_CABLES, SIMKIT__SHAPE_DOWN)))
        return false;
    x->levels = s->lists[SIMKIT__SHAPE_DOWN].count;
    for (size_t i = 0; i < x->levels; ++i) {
        x->down[i] = (size_t)simkit__shape_number(s, SIMKIT__SHAPE_DOWN, i);
        x->up[i] = (size_t)simkit__shape_number(s, SIMKIT__SHAPE_UP, i);
        if (s->lists[SIMKIT__SHAPE_CABLES].count > 0)
            x->count[i] = (size_t)simkit__shape_number(s, SIMKIT__SHAPE_CABLES, i);
    }
    return simkit__shape_cables(s, r, SIMKIT__SHAPE_LINK, x->cable, sizeof *x->cable, x->levels, "one for each level");
}

static bool simkit__shape_grid(simkit__shape *s, simkit_reader *r)
{
    netmodel_grid_shape *x = &s->topology.grid;
    if (!simkit__shape_has(s, r, SIMKIT__SHAPE_SIZE, NETMODEL_GRID_DIMENSIONS)) return false;
    x->dimensions = s->lists[SIMKIT__SHAPE_SIZE].count;
    for (size_t i = 0; i < x->dimensions; ++i) x->size[i] = (size_t)simkit__shape_number(s, SIMKIT__SHAPE_SIZE, i);
    return simkit__shape_cables(s, r, SIMKIT__SHAPE_LINK, x->cable, sizeof *x->cable, x->dimensions,
                                "one for each dimension") &&
           simkit__shape_cable(s, r, SIMKIT__SHAPE_HOST, &x->host);
}

static bool simkit__shape_dragonfly(simkit__shape *s, simkit_reader *r)
{
    netmodel_dragonfly_shape *x = &s->topology.dragonfly;
    netmodel_cable cable[4];
    size_t *const numbers[] = { &x->groups, &x->blue, &x->chassis, &x->black, &x->blades, &x->green, &x->nodes };
    for (size_t i = 0; i < 7; ++i) {
        const size_t key = SIMKIT__SHAPE_GROUPS + i;
        const bool cables = key == SIMKIT__SHAPE_BLUE || key == SIMKIT__SHAPE_BLACK || key == SIMKIT__SHAPE_GREEN;
        *numbers[i] = 1;
        if (cables && s->lists[key].count == 0) continue;
        if (!simkit__shape_has(s, r, key, 1)) return false;
        *numbers[i] = (size_t)simkit__shape_number(s, key, 0);
    }
    if (!simkit__shape_cables(s, r, SIMKIT__SHAPE_LINK, cable, sizeof *cable, 4, "of hosts, green, black and blue"))
        return false;
    x->host_cable = cable[0];
    x->green_cable = cable[1];
    x->black_cable = cable[2];
    x->blue_cable = cable[3];
    return true;
}

static bool simkit__shape_fill(simkit__shape *s, simkit_reader *r)
{
    switch (s->topology.kind) {
    case NETMODEL_TOPOLOGY_STAR:
        if (!simkit__shape_has(s, r, SIMKIT__SHAPE_HOSTS, 1)) return false;
        s->topology.star.hosts = (size_t)simkit__shape_number(s, SIMKIT__SHAPE_HOSTS, 0);
        return simkit__shape_cables(s, r, SIMKIT__SHAPE_LINK, &s->topology.star.cable, sizeof(netmodel_cable), 1, "") &&
               simkit__shape_cable(s, r, SIMKIT__SHAPE_BACKBONE, &s->topology.star.backbone);
    case NETMODEL_TOPOLOGY_CLUSTERS: return simkit__shape_clusters(s, r);
    case NETMODEL_TOPOLOGY_FAT_TREE: return simkit__shape_tree(s, r);
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH: return simkit__shape_grid(s, r);
    case NETMODEL_TOPOLOGY_DRAGONFLY: return simkit__shape_dragonfly(s, r);
    }
    return false;
}

/* A key that its topology does not have, if there is one: the first in the file. */
static bool simkit__shape_foreign(simkit__shape *s, simkit_reader *r)
{
    size_t found = SIMKIT__SHAPE_KEYS, used = 0;
    char list[192] = "";
    const unsigned kind = s->spot.line > 0 ? 1u << s->topology.kind : 0;
    for (size_t key = 0; key < SIMKIT__SHAPE_KEYS; ++key) {
        if (s->lists[key].count > 0 && !(simkit__shape_keys[key].kinds & kind) &&
            (found == SIMKIT__SHAPE_KEYS || s->lists[key].first < s->lists[found].first))
            found = key;
        if (simkit__shape_keys[key].kinds & kind && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     simkit__shape_keys[key].name);
    }
    if (found == SIMKIT__SHAPE_KEYS) return true;
    const char *at = simkit__shape_go(s, r, found), *name = simkit__shape_keys[found].name;
    if (kind == 0) return simkit_reader_error(r, at, "'%s' is of a topology, but the network has none", name);
    return simkit_reader_error(r, at, "topology %s has no '%s', only %s", simkit__shape_kinds[s->topology.kind], name,
                               list);
}

/* When the file ends: the topology, if there is one. */
static bool simkit__finish_shape(simkit__shape *s, simkit_reader *r)
{
    size_t where = 0;
    if (!simkit__shape_foreign(s, r)) return false;
    if (s->spot.line == 0) return true;
    if (!simkit__shape_fill(s, r)) return false;
    const netmodel_result result = netmodel_topology_check(&s->topology, &where);
    const char *name = simkit__shape_kinds[s->topology.kind];
    if (result == NETMODEL_NOT_JOINED)
        return simkit_reader_error(r, simkit__shape_go(s, r, SIMKIT__SHAPE_JOINTS), "no joint reaches cluster %lu",
                                   (unsigned long)where + 1);
    if (result == NETMODEL_TOO_MANY_GROUPS)
        return simkit_reader_error(r, simkit__shape_go(s, r, SIMKIT__SHAPE_GROUPS),
                                   "there are %lu groups, expected at most the %lu routers of a group",
                                   (unsigned long)s->topology.dragonfly.groups,
                                   (unsigned long)(s->topology.dragonfly.chassis * s->topology.dragonfly.blades));
    if (result != NETMODEL_OK)
        return simkit_reader_error(r, simkit__spot_go(r, &s->spot), "topology %s: %s", name,
                                   netmodel_result_text(result));
    if (netmodel_topology_hops_max(&s->topology) <= SIMKIT_ROUTE_LINKS) return true;
    return simkit_reader_error(r, simkit__spot_go(r, &s->spot),
                               "topology %s: its longest route has %lu links, expected at most %d", name,
                               (unsigned long)netmodel_topology_hops_max(&s->topology), SIMKIT_ROUTE_LINKS);
}

/*=============================================================================
 * MARK: - >>cluster (private)
 *
 * What can be written in a machine file. What a later kind of nodes does not have is as in the first.
 *===========================================================================*/
enum {
    SIMKIT__KEY_TITLE = SIMKIT_KEY_OTHER,
    SIMKIT__KEY_SHARING,
    SIMKIT__KEY_NICE_RULE,
    SIMKIT__KEY_LINKS,
    SIMKIT__KEY_DUPLEX,
    SIMKIT__KEY_TOPOLOGY,
    SIMKIT__KEY_HOPS,
    SIMKIT__KEY_POINTS,
    SIMKIT__KEY_YES
};

static const simkit_key simkit__machine_keys[] = {
    { "machine", "name", SIMKIT__KEY_TITLE, NULL, offsetof(simkit_machine, name) },
    { "network", "latency", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_machine, latency) },
    { "network", "sharing", SIMKIT__KEY_SHARING, NULL, offsetof(simkit_machine, sharing) },
    { "network", "topology", SIMKIT__KEY_TOPOLOGY, NULL, 0 },
    { "network", "window", SIMKIT_KEY_POSITIVE, "B", offsetof(simkit_machine, window) },
    { "network", "pair_duplex", SIMKIT__KEY_DUPLEX, "1", offsetof(simkit_machine, pair_duplex) },
    { "node", "count", SIMKIT_KEY_INTEGER, "1", offsetof(simkit_machine_kind, count) },
    { "node", "cores", SIMKIT_KEY_INTEGER, "1", offsetof(simkit_machine_kind, node.cores) },
    { "node", "speed", SIMKIT_KEY_POSITIVE, "1", offsetof(simkit_machine_kind, node.speed) },
    { "node", "memory_bandwidth", SIMKIT_KEY_QUANTITY, "B/s", offsetof(simkit_machine_kind, node.memory_bandwidth) },
    { "node", "bandwidth", SIMKIT__KEY_LINKS, "B/s", offsetof(simkit_machine_kind, node) },
    { "node", "up_bandwidth", SIMKIT_KEY_POSITIVE, "B/s", offsetof(simkit_machine_kind, node.up_bandwidth) },
    { "node", "down_bandwidth", SIMKIT_KEY_POSITIVE, "B/s", offsetof(simkit_machine_kind, node.down_bandwidth) },
    { "node", "quota", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_machine_kind, node.quota) },
    { "node", "period", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_machine_kind, node.period) },
    { "node", "tick", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_machine_kind, node.tick) },
    { "node", "slice", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_machine_kind, node.slice) },
    { "node", "kept", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_machine_kind, node.kept) },
    { "node", "hosts", SIMKIT_KEY_INTEGER, "1", offsetof(simkit_machine_kind, hosts) },
    { "node", "burst", SIMKIT_KEY_QUANTITY, "B", offsetof(simkit_machine_kind, node.burst) },
    { "node", "cpu_per_outgoing", SIMKIT_KEY_QUANTITY, "1", offsetof(simkit_machine_kind, node.cpu_per_outgoing) },
    { "node", "cpu_per_incoming", SIMKIT_KEY_QUANTITY, "1", offsetof(simkit_machine_kind, node.cpu_per_incoming) },
    { "node", "nice_rule", SIMKIT__KEY_NICE_RULE, NULL, offsetof(simkit_machine_kind, node.nice_rule) },
    { "node", "duplex", SIMKIT__KEY_DUPLEX, "1", offsetof(simkit_machine_kind, node.duplex) },
    { "node", "place", SIMKIT_KEY_INTEGER, "1", offsetof(simkit_machine_kind, node.place) },
    { "pair", "latency", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_machine_pair, latency) },
    { "pair", "bandwidth", SIMKIT_KEY_POSITIVE, "B/s", offsetof(simkit_machine_pair, bandwidth) },
    { "link", "bandwidth", SIMKIT_KEY_POSITIVE, "B/s", offsetof(simkit_machine_link, bandwidth) },
    { "link", "latency", SIMKIT_KEY_QUANTITY, "s", offsetof(simkit_machine_link, latency) },
    { "link", "duplex", SIMKIT__KEY_DUPLEX, "1", offsetof(simkit_machine_link, duplex) },
    { "link", "follows", SIMKIT__KEY_POINTS, NULL, 0 },
    { "link", "period", SIMKIT_KEY_POSITIVE, "s", offsetof(simkit_machine_link, period) },
    { "route", "links", SIMKIT__KEY_HOPS, NULL, 0 },
    { "route", "one_way", SIMKIT__KEY_YES, NULL, offsetof(simkit_machine_route, one_way) },
    { "route", "direct", SIMKIT__KEY_YES, NULL, offsetof(simkit_machine_route, direct) },
};

static const char *const simkit__machine_sections[] = { "machine", "network", "node",     "pair",
                                                        "link",    "route",   "operation" };

enum {
    SIMKIT__MACHINE_KEYS = sizeof simkit__machine_keys / sizeof *simkit__machine_keys,
    SIMKIT__MACHINE_SECTIONS = sizeof simkit__machine_sections / sizeof *simkit__machine_sections
};

typedef struct simkit__machine {
    simkit_store store;
    simkit_machine machine;
    simkit_names names;      /* of kinds: their numbers are those of the kinds */
    simkit_names operations; /* and their keys */
    simkit_names links;
    simkit_index pairs;
    simkit_index routes;  /* 2 * route, and 2 * route + 1 for the way back */
    simkit__spot *places; /* of each kind: of its place, or else of its section */
    simkit__spot *ways;   /* of each route: of its section */
    simkit__spot period;  /* of the last link that has one */
    simkit__shape shape;
    simkit_keys keys;
    unsigned lines[SIMKIT__MACHINE_KEYS];
    char operation[32];
    unsigned kind_line;
    const simkit_input *input;
    bool no_memory;
} simkit__machine;

enum { SIMKIT__ROUTE_HOPS = 64 }; /* most in a file */

static void simkit__machine_close(void *made)
{
    simkit__machine *m = (simkit__machine *)made;
    simkit_names_free(&m->store, &m->names);
    simkit_names_free(&m->store, &m->operations);
    simkit_names_free(&m->store, &m->links);
    simkit_index_free(&m->store, &m->pairs);
    simkit_index_free(&m->store, &m->routes);
    simkit_array_discard(&m->store, m->places);
    simkit_array_discard(&m->store, m->ways);
    simkit_array_discard(&m->store, m->machine.links);
    simkit_array_discard(&m->store, m->machine.routes);
    simkit_array_discard(&m->store, m->machine.hops);
    simkit_array_discard(&m->store, m->machine.points);
    simkit_array_discard(&m->store, m->machine.kinds);
    simkit_array_discard(&m->store, m->machine.pairs);
    simkit_array_discard(&m->store, m->machine.operations);
    simkit_store_close(&m->store, sizeof *m);
}

static bool simkit__machine_no_memory(simkit__machine *m)
{
    m->no_memory = true;
    return false;
}

/* The place of a node of this name; SIZE_MAX if there is none. Those of a kind with a count have its number behind it. */
static size_t simkit__machine_place(const simkit__machine *m, const char *name)
{
    char kind[32];
    size_t length = strlen(name), index = 0;
    char digit = '1';
    memcpy(kind, name, length + 1);
    for (size_t unit = 1; length > 0 && unit <= 1000000; unit *= 10) {
        const uint32_t number = simkit_names_find(&m->names, kind);
        const simkit_machine_kind *k = number != SIMKIT_NONE ? &m->machine.kinds[number] : NULL;
        if (k && (unit == 1 ? k->count <= 1 : index < k->count && (digit != '0' || unit == 10)))
            return k->first + index;
        digit = kind[--length];
        if (digit < '0' || digit > '9') return SIZE_MAX;
        index += unit * (size_t)(digit - '0');
        kind[length] = 0;
    }
    return SIZE_MAX;
}

/* What a kind of nodes is called in errors. */
static const char *simkit__kind_called(const char *name, char called[64])
{
    snprintf(called, 64, name[0] ? "node '%s'" : "section [node] without a name", name);
    return called;
}

/* When a kind of nodes is complete. */
static bool simkit__finish_kind(simkit__machine *m, simkit_reader *r)
{
    if (simkit_array_count(m->machine.kinds) == 0) return true;
    const simkit_machine_kind *kind = &simkit__files_last(m->machine.kinds);
    char called[64];
    if (!(kind->node.quota > 0) || kind->node.period > 0) return true;
    r->line = m->kind_line;
    return simkit_reader_error(r, NULL, "%s has a quota, but no period", simkit__kind_called(kind->name, called));
}

static bool simkit__add_kind(simkit__machine *m, simkit_reader *r)
{
    simkit_machine_kind fresh;
    memset(&fresh, 0, sizeof fresh);
    simkit_machine *machine = &m->machine;
    const char *from = r->at;
    char called[64];
    if (r->at < r->end && *r->at != ']' && !simkit_reader_word(r, fresh.name, "a name")) return false;
    if (simkit_names_find(&m->names, fresh.name) != SIMKIT_NONE)
        return simkit_reader_error(r, from, "duplicate %s", simkit__kind_called(fresh.name, called));
    if (!simkit_array_reserve(&m->store, machine->kinds, 1) || !simkit_array_reserve(&m->store, m->places, 1) ||
        simkit_names_add(&m->store, &m->names, fresh.name) == SIMKIT_NONE)
        return simkit__machine_no_memory(m);
    fresh.node.host = 1;
    if (machine->kind_count > 0) {
        const simkit_machine_kind *last = &simkit__files_last(machine->kinds);
        fresh.node = machine->kinds[0].node;
        fresh.node.place = 0;
        fresh.node.host = last->node.host + last->hosts;
        fresh.first = last->first + (last->count > 0 ? last->count : 1);
    }
    simkit_array_push(machine->kinds, fresh);
    simkit_array_push(m->places, simkit__spot_at(r, from));
    ++machine->kind_count;
    m->kind_line = r->line;
    return true;
}

/* Why a node that a user expects has no such name: its kind has no count, or no name. Ends a sentence. */
static const char *simkit__unnamed(const simkit__machine *m, const char *name)
{
    for (size_t k = 0; k < m->machine.kind_count; ++k) {
        const simkit_machine_kind *kind = &m->machine.kinds[k];
        const size_t length = strlen(kind->name);
        if (length > 0 && kind->count == 0 && strncmp(name, kind->name, length) == 0 && name[length] &&
            !name[length + strspn(name + length, "0123456789")])
            return ": its kind needs a 'count'";
    }
    for (size_t k = 0; k < m->machine.kind_count; ++k)
        if (!m->machine.kinds[k].name[0]) return ": nodes of a section [node] without a name have none";
    return "";
}

static bool simkit__add_pair(simkit__machine *m, simkit_reader *r)
{
    simkit_machine_pair fresh = { 0, 0, -1, 0 };
    const char *begin = r->at;
    char name[32];
    for (int i = 0; i < 2; ++i) {
        const char *from = r->at;
        if (!simkit_reader_word(r, name, "the name of a node")) return false;
        simkit_reader_blanks(r);
        const size_t place = simkit__machine_place(m, name);
        *(i == 0 ? &fresh.from : &fresh.to) = place;
        if (place == SIZE_MAX)
            return simkit_reader_error(r, from, "there is no node '%s' above%s", name, simkit__unnamed(m, name));
    }
    const uint32_t hash = simkit_hash_number((uint64_t)fresh.from << 32 ^ fresh.to);
    uint32_t other;
    for (size_t at = hash; (other = simkit_index_next(&m->pairs, hash, &at)) != SIMKIT_NONE;)
        if (m->machine.pairs[other].from == fresh.from && m->machine.pairs[other].to == fresh.to)
            return simkit_reader_error(r, begin, "duplicate pair");
    if (!simkit_array_reserve(&m->store, m->machine.pairs, 1) ||
        !simkit_index_put(&m->store, &m->pairs, hash, (uint32_t)m->machine.pair_count))
        return simkit__machine_no_memory(m);
    simkit_array_push(m->machine.pairs, fresh);
    ++m->machine.pair_count;
    return true;
}

static bool simkit__add_link(simkit__machine *m, simkit_reader *r)
{
    simkit_machine_link fresh;
    memset(&fresh, 0, sizeof fresh);
    const char *from = r->at;
    if (!simkit_reader_word(r, fresh.name, "the name of a link")) return false;
    if (fresh.name[0] == '-')
        return simkit_reader_error(r, from, "the name of a link begins with '-', which a route has for its way back");
    if (simkit_names_find(&m->links, fresh.name) != SIMKIT_NONE)
        return simkit_reader_error(r, from, "duplicate link '%s'", fresh.name);
    if (!simkit_array_reserve(&m->store, m->machine.links, 1) ||
        simkit_names_add(&m->store, &m->links, fresh.name) == SIMKIT_NONE)
        return simkit__machine_no_memory(m);
    simkit_array_push(m->machine.links, fresh);
    ++m->machine.link_count;
    return true;
}

/* The nodes at an end of a route: one, or all of a kind. */
static bool simkit__read_route_end(simkit__machine *m, simkit_reader *r, size_t *first, size_t *count)
{
    char name[32];
    const char *from = r->at;
    if (!simkit_reader_word(r, name, "the name of a node, or of a kind of nodes")) return false;
    simkit_reader_blanks(r);
    const uint32_t kind = simkit_names_find(&m->names, name);
    *count = 1;
    *first = simkit__machine_place(m, name);
    if (*first == SIZE_MAX && kind != SIMKIT_NONE) {
        *first = m->machine.kinds[kind].first;
        *count = m->machine.kinds[kind].count;
    }
    return *first != SIZE_MAX || simkit_reader_error(r, from, "there is no node '%s' above, and no kind of nodes%s",
                                                     name, simkit__unnamed(m, name));
}

static bool simkit__add_route(simkit__machine *m, simkit_reader *r)
{
    simkit_machine_route fresh;
    memset(&fresh, 0, sizeof fresh);
    const char *from = r->at;
    if (!simkit__read_route_end(m, r, &fresh.from, &fresh.from_count) ||
        !simkit__read_route_end(m, r, &fresh.to, &fresh.to_count))
        return false;
    if (fresh.from == fresh.to && fresh.from_count == 1 && fresh.to_count == 1)
        return simkit_reader_error(r, from, "the route leads from a node to itself");
    if (!simkit_array_reserve(&m->store, m->machine.routes, 1) || !simkit_array_reserve(&m->store, m->ways, 1))
        return simkit__machine_no_memory(m);
    fresh.first = m->machine.hop_count;
    simkit_array_push(m->machine.routes, fresh);
    simkit_array_push(m->ways, simkit__spot_at(r, from));
    ++m->machine.route_count;
    return true;
}

/* `NAME, -NAME, ...`: links, or with a minus links that are crossed from their second end to their first. */
static bool simkit__read_hops(simkit__machine *m, simkit_reader *r)
{
    simkit_machine *machine = &m->machine;
    simkit_machine_route *route = &simkit__files_last(machine->routes);
    char name[32];
    do {
        const char *from = r->at;
        simkit_hop hop = { 0, r->at < r->end && *r->at == '-' };
        r->at += hop.back;
        if (!simkit_reader_word(r, name, "the name of a link")) return false;
        const uint32_t number = simkit_names_find(&m->links, name);
        if (number == SIMKIT_NONE) return simkit_reader_error(r, from, "there is no link '%s' above", name);
        hop.link = number + 1;
        for (size_t i = 0; i < route->count; ++i)
            if (machine->hops[route->first + i].link == hop.link)
                return simkit_reader_error(r, from, "the route crosses link '%s' twice", name);
        if (route->count == SIMKIT__ROUTE_HOPS)
            return simkit_reader_error(r, from, "the route has more than %d links", SIMKIT__ROUTE_HOPS);
        if (!simkit_array_reserve(&m->store, machine->hops, 1)) return simkit__machine_no_memory(m);
        simkit_array_push(machine->hops, hop);
        ++machine->hop_count;
        ++route->count;
    } while (simkit_reader_accept(r, ','));
    return true;
}

/* `TIME: BANDWIDTH, ...`: the table that a link follows. */
static bool simkit__read_points(simkit__machine *m, simkit_reader *r)
{
    simkit_machine *machine = &m->machine;
    simkit_machine_link *link = &simkit__files_last(machine->links);
    link->first = machine->point_count;
    do {
        simkit_link_point point;
        const char *from = r->at;
        if (!simkit_reader_quantity(r, "s", &point.time, NULL)) return false;
        if (link->count > 0 && !(point.time > simkit__files_last(machine->points).time))
            return simkit_reader_error(r, from, "expected a later time than the one before it");
        if (!simkit_reader_accept(r, ':'))
            return simkit_reader_error(r, r->at, "expected ':', and the bandwidth from then on");
        if (!simkit_reader_quantity(r, "B/s", &point.bandwidth, NULL)) return false;
        if (!simkit_array_reserve(&m->store, machine->points, 1)) return simkit__machine_no_memory(m);
        simkit_array_push(machine->points, point);
        ++machine->point_count;
        ++link->count;
    } while (simkit_reader_accept(r, ','));
    return true;
}

/* When the section of a link ends. */
static bool simkit__finish_link(simkit__machine *m, simkit_reader *r)
{
    const simkit_machine_link *link = &simkit__files_last(m->machine.links);
    const simkit_link_point *points = m->machine.points;
    if (!(link->period > 0)) return true;
    if (link->count == 0)
        return simkit_reader_error(r, simkit__spot_go(r, &m->period), "the link has a period, but 'follows' nothing");
    return link->period > points[link->first + link->count - 1].time - points[link->first].time ||
           simkit_reader_error(
               r, simkit__spot_go(r, &m->period),
               "the period must be longer than from the first time that the link 'follows' to the last");
}

/* Notes that a route, or its way back, is there; false if one with the same ends was there before. */
static bool simkit__note_route(simkit__machine *m, simkit_reader *r, uint32_t number)
{
    const simkit_machine_route *routes = m->machine.routes, *route = &routes[number / 2];
    const size_t from[2] = { route->from, route->from_count }, to[2] = { route->to, route->to_count };
    const bool back = number % 2 != 0;
    const size_t *const begin = back ? to : from, *const end = back ? from : to;
    const uint32_t hash = simkit_hash_number((uint64_t)begin[0] << 32 ^ end[0]);
    uint32_t other;
    for (size_t at = hash; (other = simkit_index_next(&m->routes, hash, &at)) != SIMKIT_NONE;) {
        const simkit_machine_route *o = &routes[other / 2];
        const size_t o_from[2] = { o->from, o->from_count }, o_to[2] = { o->to, o->to_count };
        const size_t *const o_begin = other % 2 ? o_to : o_from, *const o_end = other % 2 ? o_from : o_to;
        if (o_begin[0] != begin[0] || o_begin[1] != begin[1] || o_end[0] != end[0] || o_end[1] != end[1]) continue;
        if (other / 2 == number / 2) return true; /* from a kind to itself */
        const unsigned line = m->ways[other / 2].line;
        return simkit_reader_error(r, simkit__spot_go(r, &simkit__files_last(m->ways)), "%s route is set in line %u%s",
                                   back ? "the way back of this" : "this", line,
                                   other % 2 ? ", as the way back of that one: say 'one_way = yes' there" : "");
    }
    return simkit_index_put(&m->store, &m->routes, hash, number) || simkit__machine_no_memory(m);
}

/* When a route is complete. */
static bool simkit__finish_route(simkit__machine *m, simkit_reader *r)
{
    const uint32_t number = 2 * (uint32_t)(m->machine.route_count - 1);
    const simkit_machine_route *route = &simkit__files_last(m->machine.routes);
    if (route->count == 0)
        return simkit_reader_error(r, simkit__spot_go(r, &simkit__files_last(m->ways)), "the route has no 'links'");
    return simkit__note_route(m, r, number) && (route->one_way || simkit__note_route(m, r, number + 1));
}

/* Whether this is the section in which the reader is. */
static bool simkit__machine_in(const simkit__machine *m, const char *section)
{
    return m->keys.section && strcmp(m->keys.section, section) == 0;
}

static bool simkit__finish_machine_section(simkit__machine *m, simkit_reader *r)
{
    return simkit__finish_kind(m, r) && (!simkit__machine_in(m, "link") || simkit__finish_link(m, r)) &&
           (!simkit__machine_in(m, "route") || simkit__finish_route(m, r));
}

static bool simkit__read_machine_section(simkit__machine *m, simkit_reader *r)
{
    enum { MACHINE, NETWORK, NODE, PAIR, LINK, ROUTE, OPERATION }; /* simkit__machine_sections */
    size_t kind;
    if (!simkit__finish_machine_section(m, r)) return false;
    const char *from = r->at + 1;
    if (!simkit_keys_section(&m->keys, r, &kind)) {
        const bool host = r->at - from == 4 && memcmp(from, "host", 4) == 0;
        if (host || (r->at - from == 4 && memcmp(from, "type", 4) == 0))
            simkit_reader_error(r, from, "[%s NAME] is now [node NAME]", host ? "host" : "type");
        return false;
    }
    if ((kind == NODE && !simkit__add_kind(m, r)) || (kind == PAIR && !simkit__add_pair(m, r)) ||
        (kind == LINK && !simkit__add_link(m, r)) || (kind == ROUTE && !simkit__add_route(m, r)))
        return false;
    if (kind == OPERATION && !simkit_reader_word(r, m->operation, "the name of an operation")) return false;
    if (kind >= NODE) simkit_keys_again(&m->keys); /* there is one machine with one network */
    return simkit_reader_accept(r, ']') || simkit_reader_error(r, r->at, "expected ']'");
}

static bool simkit__read_operation(simkit__machine *m, simkit_reader *r, const char *key, const char *from)
{
    simkit_machine *machine = &m->machine;
    simkit_machine_operation fresh;
    char whole[64];
    const char *unit;
    memset(&fresh, 0, sizeof fresh);
    snprintf(whole, sizeof whole, "%s %s", m->operation, key);
    if (simkit_names_find(&m->operations, whole) != SIMKIT_NONE)
        return simkit_reader_error(r, from, "duplicate key '%s' of operation '%s'", key, m->operation);
    if (!simkit_reader_quantity(r, NULL, &fresh.value, &unit)) return false;
    snprintf(fresh.name, sizeof fresh.name, "%s", m->operation);
    snprintf(fresh.key, sizeof fresh.key, "%s", key);
    snprintf(fresh.unit, sizeof fresh.unit, "%s", unit);
    if (!simkit_array_reserve(&m->store, machine->operations, 1) ||
        simkit_names_add(&m->store, &m->operations, whole) == SIMKIT_NONE)
        return simkit__machine_no_memory(m);
    simkit_array_push(machine->operations, fresh);
    ++machine->operation_count;
    return true;
}

/* A key that is not in the table: the host program's, or one of an older form. */
static bool simkit__read_other_key(simkit__machine *m, simkit_reader *r, const char *key, const char *from)
{
    static const char *const old[][3] = { { "machine", "nodes", "'count' of [node]" },
                                          { "machine", "sharing", "'sharing' of [network]" },
                                          { "network", "bandwidth",
                                            "'bandwidth' of [node], or 'link_bandwidth' of a topology" },
                                          { "node", "latency", "'latency' of [network], of the whole path" },
                                          { "node", "factor", "'speed', its reciprocal" } };
    const char *section = m->keys.section;
    r->error.text[0] = 0;
    if (m->input->key && m->input->key(m->input->user, r, &m->machine, section, key)) return true;
    if (r->error.text[0]) return false;
    for (size_t i = 0; i < sizeof old / sizeof *old; ++i)
        if (strcmp(old[i][0], section) == 0 && strcmp(old[i][1], key) == 0)
            return simkit_reader_error(r, from, "'%s' of [%s] is now %s", key, section, old[i][2]);
    const char *more = m->input->key ? ", and those of this program" : "";
    if (strcmp(section, "network") == 0)
        more = m->input->key ? ", those of its topology, and those of this program" : ", and those of its topology";
    return simkit_keys_unknown(&m->keys, r, from, key, more);
}

static bool simkit__read_machine_value(simkit_reader *r, const simkit_key *key, char *base)
{
    static const char *const rules[] = { "linux_today", "linux_2_2" }, *const sharing[] = { "equal", "maxmin" },
                             *const answers[] = { "no", "yes" };
    void *place = base + key->offset;
    simkit_node_desc *node = (simkit_node_desc *)place;
    simkit_key link = *key;
    size_t chosen;
    switch (key->kind) {
    case SIMKIT__KEY_TITLE: return simkit_reader_text(r, (char *)place, 96);
    case SIMKIT__KEY_SHARING:
        if (!simkit_reader_choice(r, sharing, 2, &chosen)) return false;
        *(simkit_sharing *)place = (simkit_sharing)chosen;
        return true;
    case SIMKIT__KEY_NICE_RULE:
        if (!simkit_reader_choice(r, rules, 2, &chosen)) return false;
        *(contention_nice_rule *)place = (contention_nice_rule)chosen;
        return true;
    case SIMKIT__KEY_YES:
        if (!simkit_reader_choice(r, answers, 2, &chosen)) return false;
        *(bool *)place = chosen == 1;
        return true;
    case SIMKIT__KEY_DUPLEX: return simkit__read_duplex(r, (double *)place);
    case SIMKIT__KEY_LINKS:
        link.kind = SIMKIT_KEY_POSITIVE;
        link.offset = offsetof(simkit_node_desc, up_bandwidth);
        if (!simkit_keys_value(&link, r, node)) return false;
        node->down_bandwidth = node->up_bandwidth;
        return true;
    default: return simkit_keys_value(key, r, base);
    }
}

static bool simkit__read_machine_key(simkit__machine *m, simkit_reader *r)
{
    char name[32];
    const char *from = r->at;
    const simkit_key *key;
    if (!simkit_keys_next(&m->keys, r, name, &key)) return false;
    if (simkit__machine_in(m, "operation")) return simkit__read_operation(m, r, name, from);
    const size_t list = simkit__machine_in(m, "network") ? simkit__shape_key(name) : (size_t)SIMKIT__SHAPE_KEYS;
    if (list < SIMKIT__SHAPE_KEYS) return simkit__read_shape_list(&m->shape, r, list, from);
    if (!key) return simkit__read_other_key(m, r, name, from);
    char *base = (char *)&m->machine;
    if (simkit__machine_in(m, "node")) base = (char *)&simkit__files_last(m->machine.kinds);
    if (simkit__machine_in(m, "pair")) base = (char *)&simkit__files_last(m->machine.pairs);
    if (simkit__machine_in(m, "link")) base = (char *)&simkit__files_last(m->machine.links);
    if (simkit__machine_in(m, "route")) base = (char *)&simkit__files_last(m->machine.routes);
    if (key->kind == SIMKIT__KEY_TOPOLOGY) return simkit__read_topology(&m->shape, r);
    if (key->kind == SIMKIT__KEY_HOPS) return simkit__read_hops(m, r);
    if (key->kind == SIMKIT__KEY_POINTS) return simkit__read_points(m, r);
    if (simkit__machine_in(m, "link") && strcmp(name, "period") == 0) m->period = simkit__spot_at(r, r->at);
    if (strcmp(name, "place") == 0) simkit__files_last(m->places) = simkit__spot_at(r, r->at);
    return simkit__read_machine_value(r, key, base);
}

/* When the file ends: the hosts of the topology that the nodes are attached to. Nodes on one computer, as containers, share
 * its host. */
static bool simkit__finish_places(simkit__machine *m, simkit_reader *r)
{
    simkit_machine *machine = &m->machine;
    const size_t hosts = machine->topology ? netmodel_topology_hosts(machine->topology) : 0;
    size_t next = 1;
    char called[64];
    for (size_t k = 0; k < machine->kind_count; ++k) {
        simkit_machine_kind *kind = &machine->kinds[k];
        const size_t count = kind->count > 0 ? kind->count : 1;
        const size_t places = kind->hosts > 0 && kind->hosts < count ? kind->hosts : count;
        simkit__kind_called(kind->name, called);
        if (hosts == 0 && kind->node.place > 0)
            return simkit_reader_error(r, simkit__spot_go(r, &m->places[k]),
                                       "%s has a place, but the network has no topology", called);
        if (hosts == 0) continue;
        if (kind->node.place > 0) next = kind->node.place;
        if (next + places - 1 > hosts)
            return simkit_reader_error(r, simkit__spot_go(r, &m->places[k]),
                                       "%s would have place %lu, but the topology has %lu host%s", called,
                                       (unsigned long)(next + places - 1), (unsigned long)hosts, hosts == 1 ? "" : "s");
        kind->node.place = (unsigned)next;
        next += places;
    }
    if (hosts > 0 && machine->kind_count == 0) machine->nodes = hosts;
    if (hosts > 0 && machine->nodes == 0 && machine->kinds[0].hosts == 0)
        machine->nodes = hosts - (machine->kinds[0].node.place - 1);
    if (hosts > 0 && machine->kind_count == 1 && machine->kinds[0].count == 0)
        machine->kinds[0].count = (unsigned)machine->nodes; /* so all have numbers in their names */
    return true;
}

static simkit_result simkit__machine_parse(void *made, const simkit_input *input, simkit_reader *r)
{
    simkit__machine *m = (simkit__machine *)made;
    simkit_machine *machine = &m->machine;
    const simkit_keys keys = {
        simkit__machine_keys, SIMKIT__MACHINE_KEYS, simkit__machine_sections, SIMKIT__MACHINE_SECTIONS, m->lines, NULL
    };
    m->input = input;
    m->keys = keys;
    while (simkit_reader_line(r))
        if (!(*r->at == '[' ? simkit__read_machine_section(m, r) : simkit__read_machine_key(m, r)) ||
            !simkit_reader_end(r))
            return m->no_memory ? SIMKIT_NO_MEMORY : SIMKIT_BAD_FILE;
    if (!simkit__finish_machine_section(m, r) || !simkit__finish_shape(&m->shape, r))
        return m->no_memory ? SIMKIT_NO_MEMORY : SIMKIT_BAD_FILE;
    if (machine->kind_count > 0) {
        const simkit_machine_kind *last = &simkit__files_last(machine->kinds);
        machine->nodes = last->first + (last->count > 0 ? last->count : machine->kind_count > 1);
    }
    if (m->shape.spot.line > 0) machine->topology = &m->shape.topology;
    machine->errors = r->errors;
    return simkit__finish_places(m, r) ? SIMKIT_OK : SIMKIT_BAD_FILE;
}

/*=============================================================================
 * MARK: - >>machines (body)
 *
 * A machine that has been read, and its nodes in a world.
 *===========================================================================*/
SIMKIT_API simkit_result simkit_machine_read(const simkit_input *input, simkit_machine **machine,
                                             simkit_parse_error *error)
{
    void *made;
    if (!machine) return SIMKIT_BAD_ARGUMENT;
    static const simkit_input_format format = { "machine", sizeof(simkit__machine), simkit__machine_parse,
                                                simkit__machine_close };
    const simkit_result result = simkit_input_read(input, &format, &made, error);
    *machine = made ? &((simkit__machine *)made)->machine : NULL;
    if (made) (*machine)->memory = input->memory;
    return result;
}

SIMKIT_API void simkit_machine_close(simkit_machine *machine)
{
    if (machine) simkit__machine_close((char *)machine - offsetof(simkit__machine, machine));
}

SIMKIT_API double simkit_machine_value(const simkit_machine *machine, const char *name, const char *key,
                                       const char *unit)
{
    for (size_t i = 0; machine && i < machine->operation_count; ++i) {
        const simkit_machine_operation *o = &machine->operations[i];
        if (strcmp(o->name, name) == 0 && strcmp(o->key, key) == 0)
            return strcmp(o->unit, unit) == 0 ? o->value : (double)NAN;
    }
    return (double)NAN;
}

/* The kind of a node, of a machine that has kinds. */
static size_t simkit__kind_of(const simkit_machine *machine, size_t place)
{
    size_t low = 0, high = machine->kind_count - 1;
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (machine->kinds[middle].first <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

SIMKIT_API simkit_node_desc simkit_machine_node(const simkit_machine *machine, size_t place, char name[32])
{
    simkit_node_desc node;
    memset(&node, 0, sizeof node);
    if (!machine || machine->kind_count == 0) {
        if (machine && machine->topology) node.place = (unsigned)place + 1;
        return node;
    }
    const simkit_machine_kind *kind = &machine->kinds[simkit__kind_of(machine, place)];
    const size_t index = place - kind->first;
    node = kind->node;
    node.host = kind->hosts > 0 ? node.host + (unsigned)(index % kind->hosts) : 0;
    if (node.place > 0) node.place += (unsigned)(kind->hosts > 0 ? index % kind->hosts : index);
    node.name = kind->name[0] ? name : NULL;
    if (index > 0 || kind->count > 1)
        snprintf(name, 32, "%.20s%lu", kind->name, (unsigned long)index % 1000000000);
    else
        snprintf(name, 32, "%s", kind->name);
    return node;
}

/* The number of the group in which a node is; nodes of one are near each other. */
static size_t simkit__near_of(const simkit_machine *machine, size_t node)
{
    char name[32];
    const netmodel_topology *t = machine->topology;
    if (!t) return machine->kind_count > 0 ? simkit__kind_of(machine, node) : 0;
    const unsigned place = simkit_machine_node(machine, node, name).place;
    size_t host = place > 0 ? place - 1 : 0, group = 0;
    switch (t->kind) {
    case NETMODEL_TOPOLOGY_CLUSTERS:
        for (; group + 1 < t->clusters.count && host >= t->clusters.cluster[group].hosts; ++group)
            host -= t->clusters.cluster[group].hosts;
        return group;
    case NETMODEL_TOPOLOGY_FAT_TREE: return host / t->tree.down[0];
    case NETMODEL_TOPOLOGY_DRAGONFLY: return host / (t->dragonfly.chassis * t->dragonfly.blades * t->dragonfly.nodes);
    case NETMODEL_TOPOLOGY_STAR:
    case NETMODEL_TOPOLOGY_TORUS:
    case NETMODEL_TOPOLOGY_MESH: break;
    }
    return 0;
}

/* A node in the order of its placement: first by `round`, then by group. */
typedef struct simkit__placed {
    size_t round, group, node;
} simkit__placed;

static int simkit__placed_order(const void *a, const void *b)
{
    const simkit__placed *one = (const simkit__placed *)a, *other = (const simkit__placed *)b;
    if (one->round != other->round) return one->round < other->round ? -1 : 1;
    if (one->group != other->group) return one->group < other->group ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

/* What is read from a file, or found out: an order of nodes, some of them several times. */
typedef struct simkit__placement {
    simkit_store store;
    size_t *nodes;
    simkit__placed *order;
    simkit_index kinds; /* of the machine, by the beginnings of the names of their nodes: from the first name on */
    const simkit_machine *machine;
    size_t available;
} simkit__placement;

static void simkit__placement_close(void *made)
{
    simkit__placement *p = (simkit__placement *)made;
    simkit_array_discard(&p->store, p->nodes);
    simkit_array_discard(&p->store, p->order);
    simkit_index_free(&p->store, &p->kinds);
    simkit_store_close(&p->store, sizeof *p);
}

/* The number of nodes whose names end in a number, 0 or more, as simkit_machine_node() names them: 0 for a kind of a single
 * node. A kind without an end has them from 1 on. */
static size_t simkit__kind_numbers(const simkit_machine *machine, size_t number)
{
    const unsigned count = machine->kinds[number].count;
    if (count == 0 && number + 1 == machine->kind_count) return SIZE_MAX;
    return count > 1 ? count : 0;
}

/* Writes the beginning of the names of its numbered nodes. */
static void simkit__kind_begins(const simkit_machine_kind *kind, char begins[32])
{
    snprintf(begins, 32, "%.20s", kind->name);
}

/* The first kind that has a node of this number whose name begins so; NONE without one. */
static uint32_t simkit__kind_numbered(const simkit__placement *p, const simkit_machine *machine, size_t available,
                                      const char *begins, size_t number)
{
    const uint32_t hash = simkit_hash_text(begins);
    uint32_t first = SIMKIT_NONE, k;
    char own[32];
    for (size_t at = hash; (k = simkit_index_next(&p->kinds, hash, &at)) != SIMKIT_NONE;) {
        const size_t numbers = simkit__kind_numbers(machine, k), begin = machine->kinds[k].first;
        if (k >= first || number >= numbers || begin >= available || number >= available - begin) continue;
        if (number == 0 && numbers == SIZE_MAX) continue;
        simkit__kind_begins(&machine->kinds[k], own);
        if (strcmp(own, begins) == 0) first = k;
    }
    return first;
}

/* Puts all kinds into the index: by their names, and those with numbers by what comes before these. Of several that begin in
 * the same way, the index needs those that have more numbers than all before. */
static bool simkit__placement_index(simkit__placement *p, const simkit_machine *machine)
{
    char begins[32];
    for (size_t k = 0; k < machine->kind_count; ++k) {
        const size_t numbers = simkit__kind_numbers(machine, k);
        if (!machine->kinds[k].name[0]) continue;
        if ((numbers == 0 || numbers == SIZE_MAX) &&
            !simkit_index_put(&p->store, &p->kinds, simkit_hash_text(machine->kinds[k].name), (uint32_t)k))
            return false;
        if (numbers == 0) continue;
        simkit__kind_begins(&machine->kinds[k], begins);
        if (numbers < SIZE_MAX && simkit__kind_numbered(p, machine, SIZE_MAX, begins, numbers - 1) != SIMKIT_NONE)
            continue;
        if (!simkit_index_put(&p->store, &p->kinds, simkit_hash_text(begins), (uint32_t)k)) return false;
    }
    return true;
}

/* The number of a node by its name; SIZE_MAX if there is none. Of several nodes of one name, it is the first. */
static size_t simkit__node_called(const simkit__placement *p, const simkit_machine *machine, size_t available,
                                  const char *name)
{
    const uint32_t hash = simkit_hash_text(name);
    uint32_t first = SIMKIT_NONE, k;
    size_t index = 0, number = 0, length = strlen(name);
    char begins[32];
    for (size_t at = hash; (k = simkit_index_next(&p->kinds, hash, &at)) != SIMKIT_NONE;) {
        const size_t numbers = simkit__kind_numbers(machine, k);
        if (k < first && (numbers == 0 || numbers == SIZE_MAX) && machine->kinds[k].first < available &&
            strcmp(machine->kinds[k].name, name) == 0)
            first = k;
    }
    if (length >= sizeof begins) length = 0; /* no name with a number is so long */
    memcpy(begins, name, length);
    for (size_t unit = 1; length > 1 && unit <= 100000000; unit *= 10) { /* the last digits are its number */
        const char digit = begins[--length];
        if (digit < '0' || digit > '9') break;
        begins[length] = 0;
        number += unit * (size_t)(digit - '0');
        if (length > 20 || (digit == '0' && unit > 1)) continue;
        k = simkit__kind_numbered(p, machine, available, begins, number);
        if (k < first) first = k, index = number;
    }
    return first == SIMKIT_NONE ? SIZE_MAX : machine->kinds[first].first + index;
}

static simkit_result simkit__placement_parse(void *made, const simkit_input *input, simkit_reader *r)
{
    simkit__placement *p = (simkit__placement *)made;
    const simkit__placement *asked = (const simkit__placement *)input->user;
    char word[32];
    while (simkit_reader_line(r)) {
        const char *from = r->at;
        size_t number = 0;
        if (!simkit_reader_word(r, word, "the number or the name of a node")) return SIMKIT_BAD_FILE;
        if (strspn(word, "0123456789") == strlen(word)) {
            for (const char *at = word; *at && number < 1000000000; ++at) number = 10 * number + (size_t)(*at - '0');
            if (number >= asked->available) {
                simkit_reader_error(r, from, "there is no node %s: the last is %lu", word,
                                    (unsigned long)asked->available - 1);
                return SIMKIT_BAD_FILE;
            }
        } else {
            if (p->kinds.used == 0 && !simkit__placement_index(p, asked->machine)) return SIMKIT_NO_MEMORY;
            number = simkit__node_called(p, asked->machine, asked->available, word);
            if (number == SIZE_MAX) {
                simkit_reader_error(r, from, "the machine has no node '%s'", word);
                return SIMKIT_BAD_FILE;
            }
        }
        if (!simkit_reader_end(r)) return SIMKIT_BAD_FILE;
        if (!simkit_array_reserve(&p->store, p->nodes, 1)) return SIMKIT_NO_MEMORY;
        simkit_array_push(p->nodes, number);
    }
    if (simkit_array_count(p->nodes) > 0) return SIMKIT_OK;
    r->line = 0;
    simkit_reader_error(r, NULL, "expected the number or the name of a node in each line, but there is none");
    return SIMKIT_BAD_FILE;
}

/* The order of nodes, at least the first `count` of it, by a rule. */
static bool simkit__placement_fill(simkit__placement *p, bool round_robin, bool by_core, size_t count)
{
    char name[32];
    const size_t nodes = p->available;
    if (!simkit_array_reserve(&p->store, p->order, nodes)) return false;
    for (size_t i = 0; i < nodes; ++i) {
        const simkit__placed placed = { 0, round_robin ? simkit__near_of(p->machine, i) : 0, i };
        simkit_array_push(p->order, placed);
    }
    if (round_robin) {
        qsort(p->order, nodes, sizeof *p->order, simkit__placed_order);
        for (size_t i = 1; i < nodes; ++i)
            p->order[i].round = p->order[i].group == p->order[i - 1].group ? p->order[i - 1].round + 1 : 0;
        qsort(p->order, nodes, sizeof *p->order, simkit__placed_order);
    }
    for (size_t round = 0, left = nodes; left > 0 && simkit_array_count(p->nodes) < count; ++round) {
        size_t kept = 0; /* nodes that have places left */
        for (size_t i = 0; i < left && simkit_array_count(p->nodes) < count; ++i) {
            const size_t node = p->order[i].node;
            const unsigned cores = by_core ? simkit_machine_node(p->machine, node, name).cores : 1;
            size_t places = cores > 0 ? cores : 1;
            if (round_robin && places > round + 1) p->order[kept++] = p->order[i];
            if (round_robin) places = 1;
            if (places > count) places = count;
            if (!simkit_array_reserve(&p->store, p->nodes, places + 1)) return false;
            for (; places > 0; --places) simkit_array_push(p->nodes, node);
        }
        left = kept;
    }
    return true;
}

SIMKIT_API simkit_result simkit_machine_placement(const simkit_machine *machine, const char *how, size_t nodes,
                                                  bool by_core, size_t count, size_t *node, simkit_parse_error *error)
{
    static const simkit_input_format format = { "placement", sizeof(simkit__placement), simkit__placement_parse,
                                                simkit__placement_close };
    void *made = NULL;
    simkit__placement asked;
    if (error) memset(error, 0, sizeof *error);
    if (!machine || nodes == 0 || (!node && count > 0)) return SIMKIT_BAD_ARGUMENT;
    memset(&asked, 0, sizeof asked);
    asked.machine = machine;
    asked.available = nodes;
    const bool round_robin = how && strcmp(how, "round-robin") == 0;
    simkit_result result = SIMKIT_OK;
    if (!how || round_robin || strcmp(how, "block") == 0) {
        simkit__placement *p = (simkit__placement *)simkit_store_open(&machine->memory, sizeof *p);
        if (p) p->machine = machine, p->available = nodes;
        if (!p || !simkit__placement_fill(p, round_robin, by_core, count)) {
            simkit_reader r;
            simkit_reader_init(&r, NULL, 0, "placement");
            simkit_reader_error(&r, NULL, "no memory for the placement");
            if (error) *error = r.error;
            result = SIMKIT_NO_MEMORY;
        }
        made = p;
    } else {
        simkit_input input;
        memset(&input, 0, sizeof input);
        input.path = how;
        input.memory = machine->memory;
        input.user = &asked;
        result = simkit_input_read(&input, &format, &made, error);
    }
    if (!made) return result;
    simkit__placement *p = (simkit__placement *)made;
    for (size_t i = 0; i < count && result == SIMKIT_OK; ++i) node[i] = p->nodes[i % simkit_array_count(p->nodes)];
    simkit__placement_close(p);
    return result;
}

/* What belongs to the world itself, while it has no nodes. */
static simkit_result simkit__machine_world(simkit_world *w, const simkit_machine *machine)
{
    const simkit_world_desc world = simkit_world_get(w);
    const bool nodes = simkit_node_count(w) > 0;
    simkit_result result = SIMKIT_OK;
    if (!nodes && !(world.window > 0) && machine->window > 0) result = simkit_world_window(w, machine->window);
    if (result == SIMKIT_OK && !nodes && !(world.pair_duplex > 0) && machine->pair_duplex > 0)
        result = simkit_world_pair_duplex(w, machine->pair_duplex);
    if (result != SIMKIT_OK || !machine->topology || world.topology) return result;
    if (nodes || simkit_link_count(w) > 0)
        return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT,
                                 "the machine has a topology, but the world has nodes or links without one");
    return simkit_world_topology(w, machine->topology);
}

/* One route of a machine, whose links in the world begin after `before`. */
static simkit_result simkit__machine_route(simkit_world *w, const simkit_machine *machine,
                                           const simkit_machine_route *route, simkit_link before, size_t count,
                                           const simkit_node *nodes)
{
    simkit_hop hops[SIMKIT__ROUTE_HOPS];
    const bool within = route->from == route->to && route->from_count == route->to_count;
    if (route->count > SIMKIT__ROUTE_HOPS || route->count > machine->hop_count ||
        route->first > machine->hop_count - route->count)
        return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT,
                                 "a route of a machine has links that the machine does not have");
    for (size_t i = 0; i < route->count; ++i) {
        hops[i] = machine->hops[route->first + i];
        hops[i].link += before;
    }
    for (size_t from = route->from; from < count && from - route->from < route->from_count; ++from)
        for (size_t to = route->to; to < count && to - route->to < route->to_count; ++to) {
            if (from == to || (within && !route->one_way && to < from)) continue;
            const bool both = !route->one_way;
            const simkit_result result = route->direct
                                             ? simkit_route_direct(w, nodes[from], nodes[to], hops, route->count, both)
                                             : simkit_route_set(w, nodes[from], nodes[to], hops, route->count, both);
            if (result != SIMKIT_OK) return result;
        }
    return SIMKIT_OK;
}

/* Whether a machine's routes are for so many nodes. Others would be joined to all by the switch, past the links. */
static simkit_result simkit__machine_reaches(simkit_world *w, const simkit_machine *machine, size_t count)
{
    if (machine->route_count == 0 || machine->topology || machine->nodes == 0 || count <= machine->nodes)
        return SIMKIT_OK;
    return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT,
                             "%lu nodes are asked for, but the machine has %lu: its routes do not lead to more",
                             (unsigned long)count, (unsigned long)machine->nodes);
}

SIMKIT_API simkit_result simkit_machine_connect(simkit_world *world, const simkit_machine *machine, size_t count,
                                                const simkit_node *nodes)
{
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!machine || (!nodes && count > 0))
        return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "connecting nodes needs a machine and their numbers");
    const simkit_link before = simkit_link_count(world);
    const simkit_result reaches = simkit__machine_reaches(world, machine, count);
    if (reaches != SIMKIT_OK) return reaches;
    for (size_t i = 0; i < machine->link_count; ++i) {
        const simkit_machine_link *link = &machine->links[i];
        const simkit_link_desc desc = { link->name, link->bandwidth, link->latency, link->duplex };
        simkit_link number;
        if (link->count > machine->point_count || link->first > machine->point_count - link->count)
            return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT,
                                     "a link of a machine follows a table that the machine does not have");
        simkit_result result = simkit_link_add(world, &desc, &number);
        if (result == SIMKIT_OK && link->count > 0)
            result = simkit_link_follow(world, number, &machine->points[link->first], link->count, link->period);
        if (result != SIMKIT_OK) return result;
    }
    for (size_t i = 0; i < machine->route_count; ++i) {
        const simkit_result result = simkit__machine_route(world, machine, &machine->routes[i], before, count, nodes);
        if (result != SIMKIT_OK) return result;
    }
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_machine_add(simkit_world *world, const simkit_machine *machine, size_t count,
                                            simkit_node *nodes)
{
    char name[32];
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!machine || (!nodes && count > 0))
        return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT,
                                 "adding nodes needs a machine and an array for their numbers");
    simkit_result result = simkit__machine_reaches(world, machine, count);
    if (result == SIMKIT_OK) result = simkit__machine_world(world, machine);
    for (size_t i = 0; i < count && result == SIMKIT_OK; ++i) {
        const simkit_node_desc desc = simkit_machine_node(machine, i, name);
        result = simkit_node_add(world, &desc, &nodes[i]);
    }
    if (result == SIMKIT_OK) result = simkit_machine_connect(world, machine, count, nodes);
    if (result != SIMKIT_OK) return result;
    for (size_t i = 0; i < machine->pair_count; ++i) {
        const simkit_machine_pair *pair = &machine->pairs[i];
        if (pair->from >= count || pair->to >= count || (pair->latency < 0 && !(pair->bandwidth > 0))) continue;
        netmodel_link link = { pair->latency < 0 ? SIMKIT_OF_WAY : pair->latency, SIMKIT_OF_WAY };
        if (pair->bandwidth > 0) link.byte_time = 1 / pair->bandwidth;
        result = simkit_pair_set(world, nodes[pair->from], nodes[pair->to], &link);
        if (result != SIMKIT_OK) return result;
    }
    return SIMKIT_OK;
}

/*=============================================================================
 * MARK: - >>tables (body)
 *
 * The first line says how cells are separated and how many there are; a first pass counts the rows,
 * a second fills the columns. The text of all cells is copied into one block, which is no longer than the file.
 *===========================================================================*/
typedef struct simkit__table {
    simkit_store store;
    simkit_table table;
    char *text;
    size_t text_bytes;
} simkit__table;

/* The cells of a line. */
typedef struct simkit__cells {
    simkit_reader *r;
    char separator; /* 0: blanks */
    bool pending;   /* a cell is still to come on this line */
    const char *at; /* a cell, without its quotes */
    size_t length;
    bool quoted;
    char *to; /* where the next text of a cell goes */
} simkit__cells;

typedef enum simkit__cell { SIMKIT__CELL, SIMKIT__CELL_NONE, SIMKIT__CELL_WRONG } simkit__cell;

static bool simkit__cells_line(simkit__cells *c)
{
    c->pending = simkit_reader_row(c->r);
    return c->pending;
}

/* The next cell of the line. */
static simkit__cell simkit__next_cell(simkit__cells *c)
{
    simkit_reader *r = c->r;
    if (!c->pending) return SIMKIT__CELL_NONE;
    simkit_reader_blanks(r);
    const char *open = r->at;
    c->quoted = r->at < r->end && *r->at == '"';
    c->at = open + c->quoted;
    if (c->quoted) {
        for (++r->at; r->at < r->end; ++r->at) {
            if (*r->at != '"') continue;
            if (r->at + 1 == r->end || r->at[1] != '"') break; /* a doubled quote belongs to the cell */
            ++r->at;
        }
        if (r->at == r->end) {
            simkit_reader_error(r, open, "the quote is not closed on this line");
            return SIMKIT__CELL_WRONG;
        }
        c->length = (size_t)(r->at++ - c->at);
    } else {
        while (r->at < r->end && (c->separator ? *r->at != c->separator : !simkit__is_blank(*r->at))) ++r->at;
        c->length = (size_t)(r->at - c->at);
        while (c->length > 0 && simkit__is_blank(c->at[c->length - 1])) --c->length;
    }
    simkit_reader_blanks(r);
    c->pending = r->at < r->end;
    if (c->pending && c->separator && *r->at++ != c->separator) { /* otherwise a cell follows, perhaps an empty one */
        simkit_reader_error(r, r->at - 1, "expected '%c' or the end of the line after a quoted cell", c->separator);
        return SIMKIT__CELL_WRONG;
    }
    return SIMKIT__CELL;
}

/* Whether the cell is a number. */
static bool simkit__cell_number(const simkit__cells *c, double *value)
{
    simkit_reader cell = *c->r;
    bool negative = c->length > 0 && *c->at == '-';
    if (c->quoted || c->length == 0) return false;
    cell.at = c->at + (negative || *c->at == '+');
    cell.end = c->at + c->length;
    if (!simkit_reader_number(&cell, value) || cell.at != cell.end) return false;
    if (negative) *value = -*value;
    return true;
}

static bool simkit__cell_not_finite(const simkit__cells *c) /* nan, inf, infinity, with or without a sign */
{
    static const char *const words[] = { "nan", "inf", "infinity" };
    const char *at = c->at;
    size_t length = c->length;
    if (c->quoted) return false;
    if (length > 0 && (*at == '-' || *at == '+')) ++at, --length;
    for (size_t w = 0; w < 3; ++w) {
        size_t i = 0;
        while (i < length && words[w][i] && (at[i] | 0x20) == words[w][i]) ++i;
        if (i == length && length > 0 && !words[w][i]) return true;
    }
    return false;
}

/* Copies a cell to where the texts go, and ends it. */
static char *simkit__cell_text(simkit__cells *c)
{
    char *from = c->to;
    for (size_t i = 0; i < c->length; ++i) {
        *c->to++ = c->at[i];
        if (c->quoted && c->at[i] == '"') ++i; /* a doubled quote is one */
    }
    *c->to++ = 0;
    return from;
}

static void *simkit__table_memory(simkit__table *t, size_t bytes)
{
    void *memory = simkit_store_resize(&t->store, NULL, 0, bytes ? bytes : 1);
    if (memory) memset(memory, 0, bytes ? bytes : 1);
    return memory;
}

static void simkit__table_release(simkit__table *t, void *memory, size_t bytes)
{
    simkit__files_release(&t->store, memory, bytes ? bytes : 1);
}

static void simkit__table_close(void *made)
{
    simkit__table *t = (simkit__table *)made;
    simkit_table *table = &t->table;
    for (size_t i = 0; table->column && i < table->columns; ++i) {
        simkit__table_release(t, table->column[i].numbers, table->rows * sizeof(double));
        simkit__table_release(t, table->column[i].texts, table->rows * sizeof(char *));
    }
    simkit__table_release(t, table->column, table->columns * sizeof *table->column);
    simkit__table_release(t, table->line, table->rows * sizeof *table->line);
    simkit__table_release(t, t->text, t->text_bytes);
    simkit_store_close(&t->store, sizeof *t);
}

SIMKIT_API void simkit_table_close(simkit_table *table)
{
    if (table) simkit__table_close((char *)table - offsetof(simkit__table, table));
}

/* A header's cell: a name, and perhaps a unit in brackets at its end. */
static bool simkit__table_header(simkit__cells *c, simkit_column *column)
{
    const char *open = c->at;
    if (c->length > 0 && c->at[c->length - 1] == ']')
        for (open += c->length - 1; open > c->at && *open != '['; --open) {
        }
    if (open > c->at) {
        const simkit__unit *unit = simkit__find_unit(c->r, open + 1, (size_t)(c->at + c->length - open) - 2, NULL);
        if (!unit) return false;
        column->unit = unit->base;
        column->factor = unit->factor;
        c->length = (size_t)(open - c->at);
        while (c->length > 0 && simkit__is_blank(c->at[c->length - 1])) --c->length;
    }
    column->name = simkit__cell_text(c);
    return true;
}

/* Of the first line: how its cells are separated, how many there are, and whether it is a header: no cell is a number. */
static bool simkit__table_first(simkit__cells *c, size_t *cells, bool *header)
{
    const char *const begin = c->r->at;
    simkit__cell found;
    double value;
    bool inside = false, commas = false, semicolons = false;
    for (const char *at = begin; at < c->r->end; ++at) {
        if (*at == '"') inside = !inside;
        if (*at == ',' && !inside) commas = true;
        if (*at == ';' && !inside) semicolons = true;
    }
    c->separator = commas ? ',' : semicolons ? ';' : (char)0;
    *cells = 0;
    *header = true;
    for (; (found = simkit__next_cell(c)) == SIMKIT__CELL; ++*cells)
        if (simkit__cell_number(c, &value) || simkit__cell_not_finite(c)) *header = false;
    c->r->at = begin;
    c->pending = true;
    return found == SIMKIT__CELL_NONE;
}

/* Puts the cell into its column. The first row decides which columns are of numbers. */
static simkit_result simkit__table_cell(simkit__cells *c, simkit__table *t, simkit_column *column, size_t row)
{
    const size_t rows = t->table.rows;
    const int shown = c->length > 20 ? 20 : (int)c->length;
    double value = 0;
    const bool number = simkit__cell_number(c, &value);
    if (row == 0 && number) column->numbers = (double *)simkit__table_memory(t, rows * sizeof(double));
    if (row == 0 && !number) column->texts = (char **)simkit__table_memory(t, rows * sizeof(char *));
    if (!column->numbers && !column->texts) return SIMKIT_NO_MEMORY;
    if (simkit__cell_not_finite(c)) {
        simkit_reader_error(c->r, c->at, "'%.*s' is not finite", shown, c->at);
        return SIMKIT_BAD_FILE;
    }
    if (column->texts) {
        column->texts[row] = simkit__cell_text(c);
        return SIMKIT_OK;
    }
    column->numbers[row] = simkit__to_base(value, column->factor);
    if (!number && c->length == 0 && !c->quoted)
        simkit_reader_error(c->r, c->at, "the cell is empty, expected a number");
    else if (!number)
        simkit_reader_error(c->r, c->at, "'%.*s' is not a number", shown, c->at);
    else if (!simkit__files_amount(fabs(column->numbers[row])))
        simkit_reader_error(c->r, c->at, "'%.*s' is too large", shown, c->at);
    else
        return SIMKIT_OK;
    return SIMKIT_BAD_FILE;
}

/* A line has another number of cells than the first; SIZE_MAX: more. The separator comes from the first line, too. */
static void simkit__table_cells_differ(const simkit__cells *c, const char *at, size_t cells, size_t columns)
{
    const char separator[] = { '\'', c->separator, '\'', 0 };
    const char *by = c->separator ? separator : "blanks";
    if (cells == SIZE_MAX)
        simkit_reader_error(c->r, at, "this line has more cells than the first, which has %lu, separated by %s",
                            (unsigned long)columns, by);
    else
        simkit_reader_error(c->r, at, "this line has %lu cell%s, the first has %lu, separated by %s",
                            (unsigned long)cells, cells == 1 ? "" : "s", (unsigned long)columns, by);
}

static simkit_result simkit__table_row(simkit__cells *c, simkit__table *t, size_t row)
{
    const unsigned long columns = (unsigned long)t->table.columns;
    for (size_t i = 0; i < columns; ++i) {
        const simkit__cell found = simkit__next_cell(c);
        if (found == SIMKIT__CELL_NONE) simkit__table_cells_differ(c, c->r->end, i, t->table.columns);
        if (found != SIMKIT__CELL) return SIMKIT_BAD_FILE;
        const simkit_result result = simkit__table_cell(c, t, &t->table.column[i], row);
        if (result != SIMKIT_OK) return result;
    }
    if (!c->pending) return SIMKIT_OK;
    simkit__table_cells_differ(c, c->r->at, SIZE_MAX, t->table.columns);
    return SIMKIT_BAD_FILE;
}

/* Names the columns by the header, if that is one, and counts the rows. */
static simkit_result simkit__table_shape(simkit__cells *c, simkit__table *t)
{
    simkit_table *table = &t->table;
    bool header;
    if (!simkit__cells_line(c)) {
        c->r->line = 0;
        simkit_reader_error(c->r, NULL, "the table is empty");
        return SIMKIT_BAD_FILE;
    }
    if (!simkit__table_first(c, &table->columns, &header)) return SIMKIT_BAD_FILE;
    table->column = (simkit_column *)simkit__table_memory(t, table->columns * sizeof *table->column);
    if (!table->column) return SIMKIT_NO_MEMORY;
    for (size_t i = 0; i < table->columns; ++i) {
        table->column[i].name = table->column[i].unit = "";
        table->column[i].factor = 1;
    }
    for (size_t i = 0; header && i < table->columns; ++i) {
        simkit__next_cell(c); /* is there: it has been counted */
        if (!simkit__table_header(c, &table->column[i])) return SIMKIT_BAD_FILE;
    }
    simkit_reader rest = *c->r;
    for (table->rows = !header; simkit_reader_row(&rest); ++table->rows) {
    }
    /* A complete row has at least a byte for each of its cells, so if there are more rows than that, one of them is too
     * short: it is found before columns of that length are allocated, whose size has nothing to do with the file's. */
    const size_t complete = t->text_bytes / table->columns + 1;
    if (table->rows > complete) table->rows = complete;
    if (table->rows > 0) {
        table->line = (unsigned *)simkit__table_memory(t, table->rows * sizeof *table->line);
        return table->line ? SIMKIT_OK : SIMKIT_NO_MEMORY;
    }
    simkit_reader_error(c->r, NULL, "the table has a header, but no rows");
    return SIMKIT_BAD_FILE;
}

static simkit_result simkit__table_parse(void *made, const simkit_input *input, simkit_reader *r)
{
    (void)input;
    simkit__table *t = (simkit__table *)made;
    simkit__cells cells;
    memset(&cells, 0, sizeof cells);
    cells.r = r;
    t->text_bytes = (size_t)(r->last - r->rest) + 1; /* a zero for each separator */
    t->text = cells.to = (char *)simkit__table_memory(t, t->text_bytes);
    if (!t->text) return SIMKIT_NO_MEMORY;
    simkit_result result = simkit__table_shape(&cells, t);
    /* without a header the line that has been looked at is the first row */
    for (size_t row = 0; result == SIMKIT_OK && row < t->table.rows; ++row) {
        if (!cells.pending) simkit__cells_line(&cells);
        t->table.line[row] = r->line;
        result = simkit__table_row(&cells, t, row);
    }
    return result;
}

SIMKIT_API simkit_result simkit_table_read(const simkit_input *input, simkit_table **table, simkit_parse_error *error)
{
    void *made;
    if (!table) return SIMKIT_BAD_ARGUMENT;
    static const simkit_input_format format = { "table", sizeof(simkit__table), simkit__table_parse,
                                                simkit__table_close };
    const simkit_result result = simkit_input_read(input, &format, &made, error);
    *table = made ? &((simkit__table *)made)->table : NULL;
    return result;
}

SIMKIT_API const simkit_column *simkit_table_column(const simkit_table *table, const char *name)
{
    for (size_t i = 0; table && name && i < table->columns; ++i)
        if (strcmp(table->column[i].name, name) == 0) return &table->column[i];
    return NULL;
}

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* SIMKIT_FILES_IMPLEMENTED */

/*
    MIT No Attribution

    Copyright 2026 the simkit authors

    Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
    documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
    rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
    permit persons to whom the Software is furnished to do so.

    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
    WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS
    OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
    OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
