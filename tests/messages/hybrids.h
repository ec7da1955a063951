/* hybrids.h - cases of ranks with threads whose output the standards determine, for the frame of conform.h. */
#ifndef HYBRIDS_H
#define HYBRIDS_H

#define _GNU_SOURCE
#include "conform.h"

#include <omp.h>
#include <pthread.h>

enum { THREADS = 3, MANY = 8 };

/* Each ends with NO_MORE_CASES. */
extern const conform_case hybrids_levels[], hybrids_funneled[], hybrids_serialized[], hybrids_messages[],
    hybrids_probes[], hybrids_requests[], hybrids_comms[], hybrids_objects[], hybrids_windows[], hybrids_openmp[],
    hybrids_posix[], hybrids_patterns[], hybrids_random[];

/* The other rank of a pair: 0 and 1, 2 and 3. */
extern int peer;
/* A copy of MPI_COMM_WORLD for each thread, only if the level is MPI_THREAD_MULTIPLE. */
extern MPI_Comm own[THREADS];

/* THREADS threads of POSIX run the body with their numbers, and end; then says what they have noted. */
void each(void (*body)(int thread));
/* Adds a word to the notes of a thread. */
void note(int thread, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Notes the text if not fine. */
void note_wrong(int thread, bool fine, const char *text);
/* Says `each: NOTES`, or `[0 NOTES] [1 NOTES]` where they differ, and forgets them. For OpenMP; each() does it itself. */
void say_notes(void);
/* Exchanges a number with the other rank of the pair. */
int swap(int value, int tag, MPI_Comm comm);
const char *level_name(int level);

#endif
