/* sqlite.c - see sqlite.h */
#include "sqlite.h"

#include <stdio.h>

#ifndef SWEEP_SQLITE

bool sweep_sqlite_write(const sweep *s, const char *path, char *why)
{
    (void)s;
    snprintf(
        why, SWEEP_WHY,
        "%s: this program was built without SQLite: install it (Debian: apt-get install libsqlite3-dev), then remove "
        "build/sweep and make it again",
        path);
    return false;
}

#else

#include "core.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

static void add(sweep_text *t, const char *text)
{
    sweep_text_add(t, text, strlen(text));
}

static void add_column(sweep_text *t, const char *name, const char *unit, const char *type)
{
    add(t, ", \"");
    add(t, name);
    if (strcmp(unit, "1") != 0) add(t, " ["), add(t, unit), add(t, "]");
    add(t, "\" ");
    add(t, type);
}

/* "CREATE TABLE ..." and "INSERT ..." */
static void make_statements(const sweep *s, sweep_text *create, sweep_text *insert)
{
    add(create, "CREATE TABLE runs (point INTEGER");
    add(insert, "INSERT INTO runs VALUES (?");
    for (size_t i = 0; i < s->parameters; ++i)
        add_column(create, s->parameter[i].name, s->parameter[i].unit, s->parameter[i].words ? "TEXT" : "REAL"),
            add(insert, ",?");
    add(create, ", seed INTEGER");
    for (size_t i = 0; i < s->model->result_count; ++i)
        add_column(create, s->model->results[i].name, s->model->results[i].unit, "REAL"), add(insert, ",?");
    add(create, ", failed TEXT)");
    add(insert, ",?,?)");
}

static int insert_run(const sweep *s, sqlite3_stmt *insert, size_t run, const double *value)
{
    int column = 1;
    const size_t results = s->model->result_count;
    sqlite3_bind_int64(insert, column++, (sqlite3_int64)(run / s->most) + 1);
    for (size_t i = 0; i < s->parameters; ++i) {
        const sweep_parameter *p = &s->parameter[i];
        if (p->words)
            sqlite3_bind_text(insert, column++, sweep_word(p, value[i]), -1, SQLITE_STATIC);
        else
            sqlite3_bind_double(insert, column++, value[i]);
    }
    sqlite3_bind_int64(insert, column++, (sqlite3_int64)(run % s->most) + 1);
    for (size_t i = 0; i < results; ++i)
        if (isnan(s->found[run * results + i]))
            sqlite3_bind_null(insert, column++);
        else
            sqlite3_bind_double(insert, column++, s->found[run * results + i]);
    if (s->state[run] >= SWEEP_FAILED)
        sqlite3_bind_text(insert, column, s->failure[s->state[run] - SWEEP_FAILED].message, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(insert, column);
    const int step = sqlite3_step(insert);
    sqlite3_reset(insert);
    return step == SQLITE_DONE ? SQLITE_OK : step;
}

static int insert_all(const sweep *s, sqlite3_stmt *insert)
{
    double value[SWEEP_PARAMETERS];
    int result = SQLITE_OK;
    for (size_t point = 0; point < s->points && result == SQLITE_OK; ++point) {
        sweep_values(s, point, value);
        for (size_t run = point * s->most; run < (point + 1) * s->most && result == SQLITE_OK; ++run)
            if (s->state[run] >= SWEEP_DONE) result = insert_run(s, insert, run, value);
    }
    return result;
}

bool sweep_sqlite_write(const sweep *s, const char *path, char *why)
{
    sqlite3 *base = NULL;
    sqlite3_stmt *statement = NULL;
    sweep_text create = { 0 }, insert = { 0 };
    make_statements(s, &create, &insert);
    int result = create.failed || insert.failed ? SQLITE_NOMEM : sqlite3_open(path, &base);
    if (result == SQLITE_OK) result = sqlite3_busy_timeout(base, 10000);
    if (result == SQLITE_OK)
        result = sqlite3_exec(base, "BEGIN IMMEDIATE; DROP TABLE IF EXISTS runs", NULL, NULL, NULL);
    if (result == SQLITE_OK) result = sqlite3_exec(base, create.text, NULL, NULL, NULL);
    if (result == SQLITE_OK) result = sqlite3_prepare_v2(base, insert.text, -1, &statement, NULL);
    if (result == SQLITE_OK) result = insert_all(s, statement);
    if (statement) sqlite3_finalize(statement);
    if (result == SQLITE_OK) result = sqlite3_exec(base, "COMMIT", NULL, NULL, NULL);
    if (result != SQLITE_OK) snprintf(why, SWEEP_WHY, "%s: %.300s", path, base ? sqlite3_errmsg(base) : "no memory");
    if (base) sqlite3_close(base); /* what was not committed is undone */
    sweep_text_free(&create);
    sweep_text_free(&insert);
    return result == SQLITE_OK;
}

#endif
