/* Unix process accounting, as `lastcomm` and `dump-acct` print it: a line for each process that has ended, in any
 * order. accounting_read() returns the processes in order of time, accounting_print() writes them as a table for
 * simkit_workload_read(). docs/users.md describes the formats. */
#ifndef ACCOUNTING_H
#define ACCOUNTING_H

#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct accounting_process {
    double time;        /* its start [s], since 1970; in the year 2000 if the date has none */
    double seconds;     /* CPU time [s] */
    double pid, parent; /* -1: unknown */
    const char *name;   /* name[length], in the text that was read */
    size_t length;
    unsigned line;
} accounting_process;

static void accounting_blanks(simkit_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) ++r->at;
}

/* Reads a number without a unit, and nothing after it, such as `|`. */
static bool accounting_number(simkit_reader *r, double *value)
{
    const char *const end = r->end;
    accounting_blanks(r);
    const char *stop = r->at;
    for (char last = 0; stop < end; last = *stop++)
        if ((*stop < '0' || *stop > '9') && !(*stop && strchr(".eE", *stop)) &&
            !((*stop == '+' || *stop == '-') && (last == 'e' || last == 'E')))
            break;
    r->end = stop;
    const bool fine = simkit_reader_quantity(r, "1", value, NULL);
    r->end = end;
    return fine;
}

/* Seconds since 1970 of `Tue Nov 14 22:13:20 2023`, or of a date without seconds and year, which is then 2000. */
static bool accounting_date(simkit_reader *r, double *time)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char word[32];
    double number[4] = { 0, 0, 0, 0 }, year = 2000; /* day, hour, minute, second */
    const char *from = r->at;
    unsigned month = 0;
    if (!simkit_reader_word(r, word, "a day of the week")) return false;
    accounting_blanks(r);
    if (!simkit_reader_word(r, word, "a month")) return false;
    while (month < 12 && strncmp(word, months + (size_t)3 * month, 3) != 0) ++month;
    if (month == 12 || strlen(word) != 3) return simkit_reader_error(r, from, "'%s' is not a month", word);
    for (int i = 0; i < 4; ++i) {
        if (!accounting_number(r, &number[i])) return false;
        if (i == 2 && (r->at == r->end || *r->at != ':')) break;
        if ((i == 1 || i == 2) && !simkit_reader_accept(r, ':')) return simkit_reader_error(r, r->at, "expected ':'");
        if (i == 3 && !accounting_number(r, &year)) return false;
    }
    if (!(number[0] >= 1 && number[0] <= 31 && number[1] < 24 && number[2] < 60 && number[3] < 61 && year >= 1970 &&
          year < 10000))
        return simkit_reader_error(r, from, "this date does not exist");
    /* days, with years that begin in March */
    const long y = (long)year - (month < 2), shifted = (long)(month + 10) % 12;
    const long days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * shifted + 2) / 5 + (long)number[0] - 1 - 719468;
    *time = (double)days * 86400 + number[1] * 3600 + number[2] * 60 + number[3];
    return true;
}

/* A line of dump-acct: name |v3| user| system| elapsed| uid| gid| memory| io| pid| parent| flags| exit| tty|date. CPU
 * times are in ticks, 100 a second. */
static bool accounting_dump(simkit_reader *r, accounting_process *p)
{
    const char *field[16] = { r->at };
    size_t fields = 1;
    double ticks[2];
    for (const char *c = r->at; c < r->end && fields < 16; ++c)
        if (*c == '|') field[fields++] = c + 1;
    if (fields < 9)
        return simkit_reader_error(r, NULL, "%lu fields between '|', expected 9 or more", (unsigned long)fields);
    p->length = (size_t)(field[1] - field[0]) - 1;
    for (int i = 0; i < 2; ++i) {
        r->at = field[2 + i];
        if (!accounting_number(r, &ticks[i])) return false;
    }
    p->seconds = (ticks[0] + ticks[1]) / 100;
    if (!(p->seconds - p->seconds >= 0)) return simkit_reader_error(r, field[2], "the CPU time is too large");
    if (fields >= 15 && memcmp(field[1], "v3|", 3) == 0) {
        r->at = field[9];
        if (!accounting_number(r, &p->pid)) return false;
        r->at = field[10];
        if (!accounting_number(r, &p->parent)) return false;
    }
    r->at = field[fields - 1];
    accounting_blanks(r);
    return accounting_date(r, &p->time);
}

/* A line of lastcomm: name, flags, user, tty, `0.02 secs`, date, and with --pid the numbers of process and parent. */
static bool accounting_lastcomm(simkit_reader *r, accounting_process *p)
{
    const char *secs = NULL;
    for (const char *c = r->at; c + 6 < r->end; ++c)
        if (memcmp(c, " secs ", 6) == 0) secs = c;
    if (!secs) return simkit_reader_error(r, NULL, "expected a number of 'secs'");
    p->length = r->end - r->at < 16 ? (size_t)(r->end - r->at) : 16;
    for (r->at = secs; r->at > r->start && r->at[-1] != ' ' && r->at[-1] != '\t';) --r->at;
    if (!accounting_number(r, &p->seconds)) return false;
    r->at = secs + 6;
    accounting_blanks(r);
    if (!accounting_date(r, &p->time)) return false;
    accounting_blanks(r);
    return r->at == r->end || (accounting_number(r, &p->pid) && accounting_number(r, &p->parent));
}

/* The next line that is neither empty nor a comment; `#` begins a comment only at the start, as it can be in a name. */
static bool accounting_line(simkit_reader *r)
{
    while (r->rest < r->last) {
        const char *newline = (const char *)memchr(r->rest, '\n', (size_t)(r->last - r->rest));
        r->start = r->at = r->rest;
        r->end = newline ? newline : r->last;
        r->rest = newline ? newline + 1 : r->last;
        ++r->line;
        while (r->end > r->at && (r->end[-1] == ' ' || r->end[-1] == '\t' || r->end[-1] == '\r')) --r->end;
        accounting_blanks(r);
        if (r->at < r->end && *r->at != '#') return true;
    }
    return false;
}

static int accounting_compare(double a, double b)
{
    return a < b ? -1 : a > b;
}

static int accounting_earlier(const void *one, const void *two)
{
    const accounting_process *a = (const accounting_process *)one, *b = (const accounting_process *)two;
    const int time = accounting_compare(a->time, b->time);
    return time ? time : accounting_compare(a->line, b->line);
}

static int accounting_by_pid(const void *one, const void *two)
{
    const accounting_process *a = (const accounting_process *)one, *b = (const accounting_process *)two;
    const int pid = accounting_compare(a->pid, b->pid);
    return pid ? pid : accounting_earlier(one, two);
}

/* Checks that no process starts before its parent by more than `slack` seconds. */
static bool accounting_check(simkit_reader *r, accounting_process *all, size_t count, double slack)
{
    qsort(all, count, sizeof *all, accounting_by_pid);
    for (size_t i = 0; i < count; ++i) {
        size_t low = 0, high = count;
        if (all[i].pid < 0 || all[i].parent < 0) continue;
        while (low < high) { /* the first process with that number */
            const size_t middle = low + (high - low) / 2;
            if (all[middle].pid < all[i].parent)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == count || all[low].pid > all[i].parent || all[low].time <= all[i].time + slack) continue;
        r->line = all[i].line;
        return simkit_reader_error(r, NULL, "process %.0f begins at %.0f s, before its parent %.0f at %.0f s",
                                   all[i].pid, all[i].time, all[i].parent, all[low].time);
    }
    qsort(all, count, sizeof *all, accounting_earlier);
    return true;
}

/* The processes of text[length] in order of time, for free(); false with an error. Names point into the text. The
 * kernel computes a start as the end of a process less its duration, both in whole seconds, so starts have an error of
 * up to a second; of up to a minute if lastcomm prints only minutes. */
static bool accounting_read(const char *text, size_t length, const char *file, accounting_process **processes,
                            size_t *count, simkit_parse_error *error)
{
    simkit_reader r;
    accounting_process *all = NULL;
    size_t n = 0, bars = 0;
    bool fine = true, secs = false;
    *processes = NULL;
    *count = 0;
    simkit_reader_init(&r, text, length, file);
    while (fine && accounting_line(&r)) {
        for (const char *c = r.at; n == 0 && c < r.end; ++c) {
            bars += *c == '|';
            if (r.end - c > 6 && memcmp(c, " secs ", 6) == 0) secs = true;
        }
        if (bars < 8 && !secs) {
            fine = simkit_reader_error(&r, NULL, "expected a line as lastcomm or dump-acct prints it");
        } else if ((n & (n - 1)) == 0) { /* the capacity is a power of two */
            accounting_process *more = (accounting_process *)realloc(all, (n ? 2 * n : 1) * sizeof *more);
            if (more)
                all = more;
            else
                fine = simkit_reader_error(&r, NULL, "no memory");
        }
        if (!fine) break;
        accounting_process *p = &all[n++];
        memset(p, 0, sizeof *p);
        p->pid = p->parent = -1;
        p->line = r.line;
        p->name = r.at;
        fine = bars >= 8 ? accounting_dump(&r, p) : accounting_lastcomm(&r, p);
        const char *zero = (const char *)memchr(p->name, 0, p->length);
        if (zero) p->length = (size_t)(zero - p->name);
        while (p->length > 0 && p->name[p->length - 1] == ' ') --p->length;
    }
    if (fine && n == 0) fine = simkit_reader_error(&r, NULL, "the file is empty");
    if (fine && accounting_check(&r, all, n, bars >= 8 ? 1 : 60)) {
        *processes = all;
        *count = n;
        return true;
    }
    free(all);
    if (error) *error = r.error;
    return false;
}

/* Prints a table of starts, counted from the first, CPU times and names. */
static void accounting_print(FILE *file, const accounting_process *processes, size_t count)
{
    fputs("time [s],seconds [s],name\n", file);
    for (size_t i = 0; i < count; ++i) {
        fprintf(file, "%.17g,%.17g,\"", processes[i].time - processes[0].time, processes[i].seconds);
        for (size_t c = 0; c < processes[i].length; ++c)
            fprintf(file, processes[i].name[c] == '"' ? "\"\"" : "%c", processes[i].name[c]);
        fputs("\"\n", file);
    }
}
#endif
