/* simrun_base.c - what the files of simrun share: errors that end it, variables for the programs that it starts, and numbers on its
 * command line. */
#define _GNU_SOURCE
#include "simrun_base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 65536 };

void simrun_stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("simrun: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    exit(SIMRUN_WRONG);
}

void simrun_set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0) simrun_stop("%s cannot be set: %s", name, strerror(errno));
}

long simrun_number(const char *word, const char *value)
{
    char *end;
    errno = 0;
    const long number = strtol(value, &end, 10);
    if (errno || end == value || *end || number < 1 || number > MOST_RANKS)
        simrun_stop("%s %s: expected a whole number from 1 to %d", word, value, MOST_RANKS);
    return number;
}
