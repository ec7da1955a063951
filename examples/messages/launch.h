/* launch.h - what the environment and the system say of a run (settings.c). Private to launch.c. */
#ifndef MESSAGES_LAUNCH_H
#define MESSAGES_LAUNCH_H

#include "core.h"

/* A program whose ranks follow those of the launcher's own, and its arguments. */
typedef struct messages_extra {
    long ranks;
    char **argv; /* up to NULL */
} messages_extra;

#define TOGETHER "; with SIMKIT_RANKS=together all ranks are in one process"

/* A whole number from an environment variable, or its default. */
long messages_setting_number(const char *name, long least, long most, long unset);
void messages_machine_read(void); /* the hosts, and how ranks are bound there */
void messages_settings_read(void);
messages_extra *messages_extras_read(void); /* of SIMKIT_PROGRAMS */
long messages_limit_of(const char *path);   /* a number from a file of the system; -1: it is not there, or unlimited */
void messages_limits_say(char *text, size_t room); /* the limits of the number of processes, and how to raise them */

void messages_launch(char **argv);
void messages_launch_together(int argc, char **argv, char **environment);
__attribute__((noreturn)) void messages_launcher_end(void);

#endif
