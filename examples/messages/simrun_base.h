/* simrun_base.h - what the files of simrun share (simrun_base.c). Private to examples/messages. */
#ifndef MESSAGES_SIMRUN_BASE_H
#define MESSAGES_SIMRUN_BASE_H

enum { SIMRUN_WRONG = 2 }; /* the exit status for wrong options and files */

void simrun_stop(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void simrun_set(const char *name, const char *value);    /* an environment variable */
long simrun_number(const char *word, const char *value); /* of ranks or threads; `word` is its option */

#endif
