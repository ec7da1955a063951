/* conform.h - cases of MPI whose output the standard determines.
 *
 * mpirun -np N ./conform [CASE|TOPIC...] runs the cases (all, or those named) in order. Rank 0 prints one line for each,
 * `name: 0: text | 1-3: text`: what the ranks have said; ranks that follow each other and say the same are one item.
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <mpi.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct conform_case {
    const char *name;
    void (*run)(void);
    int ranks; /* the least it needs */
} conform_case;

typedef struct conform_topic {
    const char *name;
    const conform_case *cases; /* the last is NO_MORE_CASES */
} conform_topic;

#define CASE(name, ranks)                                                                                              \
    {                                                                                                                  \
#name, name, ranks                                                                                             \
    }
#define NO_MORE_CASES                                                                                                  \
    {                                                                                                                  \
        NULL, NULL, 0                                                                                                  \
    }
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* Each ends with NO_MORE_CASES. */
extern const conform_case conform_p2p[], conform_order[], conform_requests[], conform_types[], conform_packing[],
    conform_collectives[], conform_reductions[], conform_counts[], conform_comms[], conform_errors[], conform_misc[],
    conform_old[], conform_names[], conform_mpi3[], conform_ports[], conform_win[], conform_tools[],
    conform_waited_counts[], conform_waited_collectives[], conform_waited_reductions[], conform_nonblocking[],
    conform_neighbors[];

/* Runs the cases that the arguments name, or all cases without arguments. It is called between MPI_Init and MPI_Finalize. */
void run_topics(const conform_topic *topics, int count, int argc, char **argv);

extern int me, np; /* in MPI_COMM_WORLD */

/* Adds a word to what this rank says in the case. A rank that says nothing is printed as `ok`. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says the text if not fine; only the first time in a case. */
void expect(bool fine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says `what value`; MPI_UNDEFINED, MPI_PROC_NULL and MPI_ANY_SOURCE have other values elsewhere, so by name. */
void say_count(const char *what, int value);
void say_rank(const char *what, int rank);
/* Says source, tag and count. */
void say_status(const MPI_Status *status, MPI_Datatype type);
/* `what class`, by the name of the class. */
void say_class(const char *what, int code);
/* IDENT, CONGRUENT, SIMILAR or UNEQUAL. */
const char *compared(int result);

/* seed * 1000 + i; expect_filled says where they first differ. */
void fill(int *a, int count, int seed);
void expect_filled(const int *a, int count, int seed);
void say_ints(const char *what, const int *a, int count);
/* As malloc and calloc; ends if there is no memory. */
void *room(size_t bytes);
void *ints(int count);

#endif
