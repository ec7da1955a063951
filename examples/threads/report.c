/* report.c - the report of a run for simthreads, and the sentence about a deadlock. */
#define _GNU_SOURCE
#include "core.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*=============================================================================
 * MARK: - >>the report
 *===========================================================================*/

/* Threads with the same first function. */
typedef struct report_group {
    struct report_group *next;
    const void *entry; /* NULL: main() */
    char name[THREADS_NAME];
    uint64_t threads;
    threads_times times;
    double alone; /* virtual time in which no other thread wanted a core [s] */
} report_group;

static report_group *groups;
static char path[4096];
static pid_t process; /* this one; 0: the child of a fork() */
static bool written;

/* The first process that has the library owns the run. Others that it starts find its number in the environment. */
bool threads_report_child(void)
{
    const char *owner = getenv("SIMTHREADS_PROCESS"), *text = getenv("SIMTHREADS_REPORT");
    char number[16];
    if (text) snprintf(path, sizeof path, "%s", text); /* a shell's own setenv() changes what its getenv() finds */
    process = getpid();
    snprintf(number, sizeof number, "%ld", (long)process);
    if (!owner) setenv("SIMTHREADS_PROCESS", number, 1);
    return owner && strcmp(owner, number) != 0;
}

/* The child of vfork() runs in the memory of the process above, until it ends or is another program. */
bool threads_report_borrowed(void)
{
    return process != 0 && process != getpid();
}

void threads_report_forget(void)
{
    process = 0;
}

void threads_group_add(const threads_thread *t)
{
    report_group *g = groups;
    while (g && g->entry != t->entry) g = g->next;
    if (!g) {
        g = direct_new(sizeof *g);
        g->entry = t->entry;
        g->next = groups;
        groups = g;
    }
    if (!*g->name) memcpy(g->name, t->name, sizeof g->name);
    ++g->threads;
    g->times.cpu += t->times.cpu;
    g->times.computed += t->times.computed;
    g->times.waking += t->times.waking;
    g->alone += threads_alone(t);
    for (int i = 0; i < THREADS_KINDS; ++i) g->times.waited[i] += t->times.waited[i];
}

static void report__write(FILE *file, bool ended)
{
    char text[512];
    fprintf(file, "run\t%u\t%.12g\t%.12g\t%u\t%llu\n", threads_set.cores, threads_now(), threads_cpu, threads_started,
            (unsigned long long)simkit_clock_events(direct->world));
    if (threads_watch.shortest > 0)
        fprintf(file, "quantum\t%.12g\t%.12g\n", threads_watch.shortest, threads_set.quantum);
    for (size_t i = 0; i < threads_tallied.room; ++i)
        if (threads_tallied.running[i] > 0) fprintf(file, "running\t%zu\t%.12g\n", i, threads_tallied.running[i]);
    if (threads_turn.looked > 0) fprintf(file, "looked\t%.12g\n", threads_turn.looked);
    for (const report_group *g = groups; g; g = g->next) {
        threads_address(g->entry, text, sizeof text);
        fprintf(file, "threads\t%s\t%s\t%llu\t%.12g\t%.12g\t%.12g\t%.12g", g->entry ? text : "main", g->name,
                (unsigned long long)g->threads, g->times.cpu, g->times.computed, g->times.waking, g->alone);
        for (int i = 0; i < THREADS_KINDS; ++i) fprintf(file, "\t%.12g", g->times.waited[i]);
        fputc('\n', file);
    }
    for (const threads_object *o = threads_objects; o; o = o->after) {
        if (!(o->waited > 0) || o->kind >= THREADS_SLEEP) continue;
        threads_address(o->address, text, sizeof text);
        fprintf(file, "object\t%s\t%s\t%s\t%llu\t%.12g\n", threads_kind_name(o->kind), text, o->name,
                (unsigned long long)o->waits, o->waited);
        for (const direct_site *s = o->sites; s; s = s->next) {
            threads_address(s->holder, text, sizeof text);
            fprintf(file, "site\t%llu\t%.12g\t%.12g\t%s", (unsigned long long)s->waits, s->waited, s->longest,
                    s->holder ? text : "-");
            for (int i = 0; i < DIRECT_FRAMES && s->frames[i]; ++i) {
                threads_address(s->frames[i], text, sizeof text);
                fprintf(file, "\t%s", text);
            }
            fputc('\n', file);
        }
    }
    threads_path_write(file, threads_self());
    fputs(ended ? "end\n" : "broken\n", file);
}

void threads_report(bool ended)
{
    if (threads_rank || written || process != getpid()) return;
    written = true;
    for (const threads_thread *t = threads_all; t; t = t->next_of_all)
        if (!t->ended || t->number == 0) threads_group_add(t);
    if (!*path) {
        threads_say("%.6f s on %u core%s: %u thread%s, %.6f s of CPU time", threads_now(), threads_set.cores,
                    threads_set.cores == 1 ? "" : "s", threads_started, threads_started == 1 ? "" : "s", threads_cpu);
        return;
    }
    if (strcmp(path, "none") == 0) return;
    FILE *file = fopen(path, "we");
    if (!file) {
        threads_say("%s cannot be written", path);
        return;
    }
    report__write(file, ended);
    fclose(file);
}

/*=============================================================================
 * MARK: - >>deadlock
 *===========================================================================*/

static void report__thread(char *text, size_t bytes, const threads_thread *t)
{
    char what[256];
    size_t at = strlen(text);
    text += at;
    bytes -= at;
    at = (size_t)snprintf(text, bytes, "\n    thread %u%s%s", t->number, *t->name ? " " : "", t->name);
    if (at >= bytes) return;
    text += at;
    bytes -= at;
    if (!t->wait.object) {
        snprintf(text, bytes, " in %s()", t->call);
        return;
    }
    if (t->wait.object->kind == THREADS_JOIN) {
        for (const threads_thread *o = threads_all; o; o = o->next_of_all)
            if (o->joiner == t)
                snprintf(text, bytes, " waits in %s() since %.9g s for the end of thread %u", t->call, t->since,
                         o->number);
        return;
    }
    if (!t->wait.object->address)
        *what = 0;
    else if (*t->wait.object->name)
        snprintf(what, sizeof what, "%s", t->wait.object->name);
    else
        threads_describe(t->wait.object->address, what, sizeof what);
    at = (size_t)snprintf(text, bytes, " waits in %s() since %.9g s for %s%s%s", t->call, t->since,
                          threads_kind_name(t->wait.object->kind), *what ? " " : "", what);
    if (at >= bytes) return;
    const uint32_t owner = t->wait.object->kind == THREADS_MUTEX || t->wait.object->kind == THREADS_SPIN
                               ? *(const uint32_t *)t->wait.object->address
                               : 0;
    if (owner) snprintf(text + at, bytes - at, ", which thread %u holds", owner - 1);
}

void threads_deadlock(void)
{
    static char text[16384];
    unsigned waiting = 0, shown = 0;
    for (const threads_thread *t = threads_all; t; t = t->next_of_all) waiting += !t->ended;
    snprintf(text, sizeof text, "deadlock at %.9g s: %u thread%s wait%s, and nothing else can happen:", threads_now(),
             waiting, waiting == 1 ? "" : "s", waiting == 1 ? "s" : "");
    for (const threads_thread *t = threads_all; t && shown < 20; t = t->next_of_all)
        if (!t->ended) report__thread(text, sizeof text, t), ++shown;
    dprintf(STDERR_FILENO, "simthreads: %s\n", text);
    threads_report(false);
    threads_real.end(71);
    abort();
}
