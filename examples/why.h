/* why.h - what programs that predict print about the reasons: the critical path as a table and as JSON. All of them have the same
 * columns and the same schema, which docs/why.md describes. */
#ifndef WHY_H
#define WHY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_SCHEMA "simkit-why"
#define WHY_VERSION 1

/* A row of a path: pieces that have all but their times in common. */
typedef struct why_row {
    const char *what; /* what takes the time, such as "computing" */
    char call[32];    /* the call or function; "": none */
    char line[128];   /* where that is in the program, such as "ring.c:12"; "": unknown */
    char who[40];     /* rank or thread; "": several, or nobody */
    char where[80];   /* host, or hosts of a message */
    double seconds;
    size_t pieces;
} why_row;

/* The longest first. */
static inline int why_by_seconds(const void *one, const void *other)
{
    const why_row *a = (const why_row *)one, *b = (const why_row *)other;
    if (a->seconds > b->seconds || a->seconds < b->seconds) return a->seconds > b->seconds ? -1 : 1;
    return memcmp(a->call, b->call, sizeof a->call);
}

/* Prints the rows, which are sorted, at most so many, and the sum of the others. */
static inline void why_print(FILE *f, const why_row *rows, size_t count, double all, size_t most)
{
    double rest = 0;
    fprintf(f, "critical path: %.9g s\n\n%12s %6s %7s  %-13s what, who, where\n", all, "seconds", "%", "pieces",
            "reason");
    for (size_t i = 0; i < count; ++i) {
        const why_row *row = &rows[i];
        const char *texts[] = { row->call, row->line, row->who, row->where };
        if (i >= most) {
            rest += row->seconds;
            continue;
        }
        fprintf(f, "%12.6g %6.1f %7zu  %-13s ", row->seconds, all > 0 ? 100 * row->seconds / all : 0, row->pieces,
                row->what);
        const char *between = "";
        for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
            if (!*texts[k]) continue;
            fprintf(f, k == 1 ? "%s(%s)" : "%s%s", k == 1 && *between ? " " : between, texts[k]);
            between = ", ";
        }
        fputc('\n', f);
    }
    if (count > most)
        fprintf(f, "%12.6g %6.1f %7s  %zu others\n", rest, all > 0 ? 100 * rest / all : 0, "", count - most);
}

/* A text in quotes. */
static inline void why_json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; ++text)
        if (*text == '"' || *text == '\\')
            fprintf(f, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(f, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, f);
    fputc('"', f);
}

/* `"key": "text"`, and what is between it and what was before. */
static inline void why_json_member(FILE *f, const char *before, const char *key, const char *text)
{
    fputs(before, f);
    why_json_text(f, key);
    fputs(": ", f);
    why_json_text(f, text);
}

/* The beginning of a file, up to the seconds of the run. What follows begins with a comma; the last brace is the caller's. */
static inline void why_json_begin(FILE *f, const char *program, double seconds)
{
    fprintf(f, "{\n  \"schema\": \"%s\",\n  \"version\": %d", WHY_SCHEMA, WHY_VERSION);
    why_json_member(f, ",\n  ", "program", program);
    fprintf(f, ",\n  \"seconds\": %.17g", seconds);
}

/* `, "path": [...]` */
static inline void why_json_path(FILE *f, const why_row *rows, size_t count)
{
    fputs(",\n  \"path\": [", f);
    for (size_t i = 0; i < count; ++i) {
        why_json_member(f, i > 0 ? ",\n    { " : "\n    { ", "reason", rows[i].what);
        why_json_member(f, ", ", "call", rows[i].call);
        why_json_member(f, ", ", "line", rows[i].line);
        why_json_member(f, ", ", "who", rows[i].who);
        why_json_member(f, ", ", "where", rows[i].where);
        fprintf(f, ", \"seconds\": %.17g, \"pieces\": %zu }", rows[i].seconds, rows[i].pieces);
    }
    fputs(count > 0 ? "\n  ]" : "]", f);
}

#endif
