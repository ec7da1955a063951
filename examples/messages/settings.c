/* settings.c - what the environment says of a run: SIMKIT_... variables, and the limits of this system. */
#define _GNU_SOURCE
#include "engine.h"
#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_POLLS 10000000
#define WORTH 50e-6 /* CPU time after a wait from which on waking a task on another core pays [s] */

/* A whole number from an environment variable, or its default. */
long messages_setting_number(const char *name, long least, long most, long unset)
{
    const char *text = getenv(name);
    char *end;
    if (!text) return unset;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        messages_end(2, "%s=%s: expected a whole number from %ld to %ld", name, text, least, most);
    return value;
}

/* A time from an environment variable, > 0 or >= 0, or its default [s]. */
static double settings__seconds(const char *name, bool positive, double unset)
{
    const char *text = getenv(name);
    char *end;
    if (!text) return unset;
    const double value = strtod(text, &end);
    if (end == text || *end || !(positive ? value > 0 : value >= 0))
        messages_end(2, "%s=%s: expected a number of seconds %s 0", name, text, positive ? ">" : ">=");
    return value;
}

/* Which draw of the values in files that have an error. */
static unsigned settings__draw(void)
{
    return (unsigned)messages_setting_number("SIMKIT_DRAW", 0, INT_MAX, 0);
}

/* Reads the background users, from SIMKIT_USERS or the machine file. */
static void settings__users_load(void)
{
    messages_cluster *c = &messages->cluster;
    const char *path = getenv("SIMKIT_USERS");
    simkit_input input = { .path = path ? path : c->users,
                           .memory.reallocate = direct_reallocate,
                           .draw = settings__draw() };
    simkit_parse_error error;
    if (!*input.path || strcmp(input.path, "none") == 0) return;
    if (!path) input.beside = getenv("SIMKIT_MACHINES");
    if (simkit_population_read(&input, &c->population, &error) != SIMKIT_OK) messages_end(2, "%s", error.text);
}

static messages_warnings settings__warnings(const char *text)
{
    static const char *const words[] = { "none", "usual", "all" };
    for (int i = 0; text && i < 3; ++i)
        if (strcmp(text, words[i]) == 0) return (messages_warnings)i;
    if (text) messages_end(2, "SIMKIT_WARNINGS=%s: expected usual, all or none", text);
    return MESSAGES_USUAL_WARNINGS;
}

/* Of SIMKIT_CORES. */
static int settings__cores(const char *text)
{
    char *end;
    if (!text) return 1;
    if (strcmp(text, "all") == 0) return CPU_SETSIZE;
    const long cores = strtol(text, &end, 10);
    if (end == text || *end || cores < 1 || cores > CPU_SETSIZE)
        messages_end(2, "SIMKIT_CORES=%s: expected a whole number from 1 to %d, or all", text, CPU_SETSIZE);
    return (int)cores;
}

/* Of SIMKIT_MEMORY_RATE, with its unit [B/s]. */
static double settings__memory_rate(const char *text)
{
    simkit_reader r;
    double rate = 0;
    if (!text) return 0;
    simkit_reader_init(&r, text, strlen(text), "SIMKIT_MEMORY_RATE");
    if (!simkit_reader_line(&r) || !simkit_reader_quantity(&r, "B/s", &rate, NULL) || !simkit_reader_end(&r))
        messages_end(2, "SIMKIT_MEMORY_RATE=%s: expected bytes in a second, such as 2 GB/s", text);
    return rate;
}

/* Of SIMKIT_BIND and SIMKIT_THREADS. */
static void settings__bind(messages_cluster *c)
{
    const char *text = getenv("SIMKIT_BIND");
    c->threads = (size_t)messages_setting_number("SIMKIT_THREADS", 1, MESSAGES_MOST_TASKS, 1);
    for (int i = 0; text && strcmp(text, messages_bind_names[c->bind]) != 0; ++i) {
        if (i == MESSAGES_BIND_NAMES) messages_end(2, "SIMKIT_BIND=%s: expected core, socket or none", text);
        c->bind = (messages_bind_to)i;
    }
}

void messages_machine_read(void)
{
    const char *wrong = messages_cluster_load(getenv("SIMKIT_MACHINES"), settings__draw(), &messages->cluster);
    if (wrong) messages_end(2, "%s", wrong);
    settings__bind(&messages->cluster);
}

void messages_settings_read(void)
{
    const char *compute = getenv("SIMKIT_COMPUTE");
    if (compute && strcmp(compute, "none") != 0 && strcmp(compute, "measured") != 0)
        messages_end(2, "SIMKIT_COMPUTE=%s: expected measured or none", compute);
    messages->measure = !compute || strcmp(compute, "none") != 0;
    if (messages_attached.read_settings) messages_attached.read_settings();
    messages_report_check();
    const bool why = getenv("SIMKIT_WHY") || getenv("SIMKIT_CALLS") || getenv("SIMKIT_JSON");
    if (getenv("SIMKIT_TRACE") || why) messages_log_open();
    if (why) messages_sites_open();
    messages->shared_file = direct_memory_file("simkit skeleton");
    if (messages->shared_file < 0 || ftruncate(messages->shared_file, 1 << 20) != 0)
        messages_end(1, "no shared memory for skeletons: %s", strerror(errno));
    messages->cores =
        why ? 1 : settings__cores(getenv("SIMKIT_CORES")); /* ahead of its turn a call is not in its time */
    messages->several.worth = settings__seconds("SIMKIT_AHEAD", false, WORTH);
    messages->polling.most = (uint64_t)messages_setting_number("SIMKIT_POLLS", 0, LONG_MAX, MOST_POLLS);
    messages->time_limit = settings__seconds("SIMKIT_TIME_LIMIT", true, (double)INFINITY);
    messages->disturbance.state = (uint64_t)messages_setting_number("SIMKIT_DISTURB", 0, LONG_MAX, 0);
    messages->disturbed = messages->disturbance.state > 0;
    messages->patience = settings__seconds("SIMKIT_PATIENCE", true, 0);
    messages->notes.wanted = settings__warnings(getenv("SIMKIT_WARNINGS"));
    messages_machine_read();
    messages->cluster.only_places = getenv("SIMKIT_PLACES") != NULL;
    const char *how = getenv("SIMKIT_PLACE");
    const char *wrong = how && *how ? messages_cluster_place(&messages->cluster, how) : NULL;
    if (wrong) messages_end(2, "%s", wrong);
    messages->cluster.measures_copy = messages->measure;
    messages->cluster.memory_rate = settings__memory_rate(getenv("SIMKIT_MEMORY_RATE"));
    settings__users_load();
    messages_bind_check(&messages->cluster);
    messages->cluster.loads = messages->cluster.population || &messages_asks_for_loads;
}

/*=============================================================================
 * MARK: - >>programs
 *===========================================================================*/
/* Reads a word up to a blank, writes it to `text` and returns the text after it. A backslash quotes a character; `\0` is
 * an empty word. */
static char *settings__word_read(const char **from, char *text)
{
    const char *at = *from;
    for (; *at && *at != ' '; ++at) {
        if (*at == '\\' && at[1] && *++at == '0') continue;
        *text++ = *at;
    }
    *text++ = 0;
    *from = at + strspn(at, " ");
    return text;
}

/* Reads SIMKIT_PROGRAMS, `RANKS PROGRAM ARGUMENT... : RANKS PROGRAM ARGUMENT...`. Returns the programs, and one without
 * ranks after them. They live as long as the launcher. */
messages_extra *messages_extras_read(void)
{
    const char *given = getenv("SIMKIT_PROGRAMS"), *at = given ? given + strspn(given, " ") : "";
    const size_t length = strlen(at);
    messages_extra *all = calloc(length / 4 + 2, sizeof *all);
    char **words = calloc(length + 2, sizeof *words), *text = malloc(length + 2);
    if (!all || !words || !text) messages_end(1, "no memory for the programs of SIMKIT_PROGRAMS");
    for (size_t count = 0; *at; ++count) {
        char *word = text, *end;
        text = settings__word_read(&at, text);
        const long ranks = strtol(word, &end, 10);
        char **argv = words;
        while (*at && strncmp(at, ": ", 2) != 0) {
            *words++ = text;
            text = settings__word_read(&at, text);
        }
        ++words; /* it stays NULL */
        if (end == word || *end || ranks < 1 || ranks > MESSAGES_MOST_TASKS || !*argv)
            messages_end(2, "SIMKIT_PROGRAMS=%s: expected RANKS PROGRAM ARGUMENTS, separated by ' : '", given);
        all[count].ranks = ranks;
        all[count].argv = argv;
        if (*at) at += 2;
    }
    unsetenv("SIMKIT_PROGRAMS");
    return all;
}

/*=============================================================================
 * MARK: - >>limits of this system
 *===========================================================================*/
/* A number from a file of the system; -1: it is not there, or unlimited. */
long messages_limit_of(const char *path)
{
    long value = -1;
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%ld", &value) != 1) value = -1;
    if (f) fclose(f);
    return value;
}

/* The file with the maximum number of processes in this control group, if there is one. */
static void settings__group_file(char *path, size_t room)
{
    char line[256];
    FILE *f = fopen("/proc/self/cgroup", "re");
    path[0] = 0;
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::", 3) == 0) snprintf(path, room, "/sys/fs/cgroup%s/pids.max", line + 3);
    }
    if (f) fclose(f);
}

/* The limits of the number of processes, and how to raise them. */
void messages_limits_say(char *text, size_t room)
{
    static const char *const names[] = { "pid_max", "threads-max" };
    struct rlimit own;
    size_t used = 0;
    char path[320];
    long value;
    text[0] = 0;
    if (getrlimit(RLIMIT_NPROC, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
        used += (size_t)snprintf(text, room, ", 'ulimit -u' is %llu", (unsigned long long)own.rlim_cur);
    for (size_t i = 0; i < sizeof names / sizeof *names && used < room; ++i) {
        snprintf(path, sizeof path, "/proc/sys/kernel/%s", names[i]);
        if ((value = messages_limit_of(path)) >= 0)
            used += (size_t)snprintf(text + used, room - used, ", 'sysctl kernel.%s' is %ld", names[i], value);
    }
    settings__group_file(path, sizeof path);
    if (path[0] && (value = messages_limit_of(path)) >= 0 && used < room)
        snprintf(text + used, room - used, ", %s is %ld", path, value);
}
