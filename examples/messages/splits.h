/* splits.h - runs of one program with several numbers of ranks and threads (splits.c), for simrun. Private to examples/messages. */
#ifndef MESSAGES_SPLITS_H
#define MESSAGES_SPLITS_H

#include <stdbool.h>

enum { SPLITS_REPEATS = 999 }; /* most runs of a split */

typedef struct splits_request {
    const char *ranks, *threads; /* numbers, separated by commas */
    const char *svg;             /* the file of the picture; NULL: none */
    int repeat;                  /* how many runs of each; */
    bool disturb;                /* they differ by a disturbance alone */
    long seed;                   /* of the first one */
    char **argv;                 /* the program and its arguments, up to NULL */
} splits_request;

bool splits_is_list(const char *text); /* it has a comma; false for NULL */
/* Runs each split, prints the table, draws the picture, and returns the exit status. */
int splits_run(const splits_request *request);

#endif
