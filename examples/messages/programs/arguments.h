/* arguments.h - the command line, for all programs of this folder.
 *
 * All ranks read the same line and reach the same result; only one of them prints. No state is kept between calls, so
 * ranks may share one address space. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum argument_answer { ARGUMENTS_GOOD, ARGUMENTS_HELP, ARGUMENTS_WRONG } argument_answer;

/* An option with a value; the pointer that is set determines the kind of value. */
typedef struct argument {
    const char *name;   /* with its dashes */
    int *number;        /* a whole number from least to most, or */
    int least, most;    /* limits of it, and of the parts of a grid */
    double *amount;     /* a number above 0, or */
    int *grid;          /* two of them, as in 2x4, or */
    const char **words; /* anything */
} argument;

static inline int arguments__whole(const char *text, char until, int least, int most, int *number, const char **rest)
{
    char *end = NULL;
    long value;

    if (*text < '0' || *text > '9') return 0;
    value = strtol(text, &end, 10);
    if (*end != until || value < least || value > most) return 0;
    *number = (int)value;
    *rest = end + 1;
    return 1;
}

static inline int arguments__take(const argument *a, const char *text, char why[200])
{
    const char *rest = text;
    char *end = NULL;
    int parts[2];

    if (!text) {
        snprintf(why, 200, "%s: expected a value", a->name);
        return 0;
    }
    if (a->number) {
        if (arguments__whole(text, 0, a->least, a->most, a->number, &rest)) return 1;
        snprintf(why, 200, "%s %.60s: expected a whole number from %d to %d", a->name, text, a->least, a->most);
    } else if (a->amount) {
        const double value = strtod(text, &end);
        if (end != text && *end == 0 && isfinite(value) && value > 0) {
            *a->amount = value;
            return 1;
        }
        snprintf(why, 200, "%s %.60s: expected a number above 0", a->name, text);
    } else if (a->grid) {
        if (arguments__whole(text, 'x', a->least, a->most, &parts[0], &rest) &&
            arguments__whole(rest, 0, a->least, a->most, &parts[1], &rest)) {
            memcpy(a->grid, parts, sizeof parts);
            return 1;
        }
        snprintf(why, 200, "%s %.60s: expected ROWSxCOLUMNS as in 2x4", a->name, text);
    } else {
        *a->words = text;
        return 1;
    }
    return 0;
}

/* Reads the options, starting at argv[first]. */
static inline argument_answer arguments_read(int argc, char **argv, int first, const argument *list, size_t count,
                                             char why[200])
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--help") == 0) return ARGUMENTS_HELP;
    for (int i = first; i < argc; i += 2) {
        const argument *found = NULL;
        for (size_t k = 0; k < count; ++k)
            if (strcmp(list[k].name, argv[i]) == 0) found = &list[k];
        if (!found) {
            snprintf(why, 200, "%.80s: unknown option; --help lists all", argv[i]);
            return ARGUMENTS_WRONG;
        }
        if (!arguments__take(found, i + 1 < argc ? argv[i + 1] : NULL, why)) return ARGUMENTS_WRONG;
    }
    return ARGUMENTS_GOOD;
}

#endif
