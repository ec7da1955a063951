/* path.c - why a run took so long: its critical path, and what its calls took, from what record.c has kept. The path goes back from
 * the task that ended last: what it did, down to a wait, then the message that ended it, to the task that sent it, and so on. */
#define _GNU_SOURCE
#include "../why.h"
#include "record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records by task, in the order of time: of[first[task]] to of[first[task + 1]]. */
typedef struct order {
    const record **of;
    size_t *first;
} order;

typedef struct path_ {
    order states, arrivals, late; /* late: by sender */
    const record **late_of;       /* the same by the order of their sending */
    size_t late_count;
    why_row *rows;
    struct row_key {
        uint32_t kind, site;
        int32_t task, other; /* of a message: the hosts; else the task; -1: several */
    } * keys;
    size_t count, room;
} path_;

/* The totals of one call at one place in the program. */
typedef struct of_site {
    double spent[MESSAGES_STATES];
    char line[128];
} of_site;

typedef struct cause { /* of waits in a call */
    uint32_t site;
    int32_t task;
    double seconds;
} cause;

static void *path__new(size_t count, size_t bytes)
{
    void *fresh = calloc(count + 1, bytes);
    if (!fresh) messages_end(1, "no memory for the critical path");
    return fresh;
}

/*=============================================================================
 * MARK: - >>finding records
 *===========================================================================*/
static bool path__is_state(const record *r)
{
    return r->kind < MESSAGES_STATES;
}

static bool path__is_message(const record *r)
{
    return r->kind == MESSAGE;
}

/* Sorts records by task, of messages by sender or receiver. They were recorded in the order of their ends. */
static order path__order(const log_ *l, bool (*wanted)(const record *), bool receivers)
{
    const uint32_t tasks = messages->task_count;
    order o = { path__new(l->count, sizeof *o.of), path__new(tasks + 2, sizeof *o.first) };
    for (int pass = 0; pass < 2; ++pass) {
        for (const block *b = l->first; b; b = b->next)
            for (size_t i = 0; i < b->count; ++i) {
                const record *r = &b->records[i];
                if (!wanted(r)) continue;
                const uint32_t task = (uint32_t)(receivers ? r->to : r->task);
                if (pass == 0)
                    ++o.first[task + 2];
                else
                    o.of[o.first[task + 1]++] = r;
            }
        for (uint32_t t = 2; t < tasks + 2 && pass == 0; ++t) o.first[t] += o.first[t - 1];
    }
    return o;
}

static void path__order_free(order *o)
{
    free(o->of);
    free(o->first);
}

/* The last record of a task that begins before a time, or that ends then at the latest; NULL: none. */
static const record *path__last(const order *o, int32_t task, double time, bool ends)
{
    size_t low = o->first[task], high = o->first[task + 1];
    const size_t begin = low;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const record *r = o->of[middle];
        if (ends ? r->end <= time : r->begin < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > begin ? o->of[low - 1] : NULL;
}

static int path__by_sending(const void *one, const void *other)
{
    const uint32_t a = (*(const record *const *)one)->of.order.sent, b = (*(const record *const *)other)->of.order.sent;
    return (a > b) - (a < b);
}

/* When the receive of a message was posted that had to ask for it; NULL: that was there before, or it did not ask. */
static const record *path__late(const path_ *p, const record *message)
{
    const record **found =
        p->late_count == 0 ? NULL : bsearch(&message, p->late_of, p->late_count, sizeof *p->late_of, path__by_sending);
    return found ? *found : NULL;
}

/* The message that ended a wait, which lasted until a time; NULL: something else did. */
static const record *path__ended_by(const path_ *p, const record *wait, double until)
{
    const record *m = path__last(&p->arrivals, wait->task, until, true);
    return m && m->end > wait->begin ? m : NULL;
}

/*=============================================================================
 * MARK: - >>the path
 *===========================================================================*/
static void path__add(path_ *p, const char *what, struct row_key key, const char *call, double seconds)
{
    if (!(seconds > 0)) return;
    size_t i = 0;
    while (i < p->count && (p->keys[i].kind != key.kind || p->keys[i].site != key.site ||
                            (key.kind == MESSAGE && (p->keys[i].task != key.task || p->keys[i].other != key.other)) ||
                            (key.kind != MESSAGE && strcmp(p->rows[i].call, call) != 0)))
        ++i;
    if (i == p->count) {
        if (p->count == p->room) {
            p->room = p->room ? 2 * p->room : 64;
            p->rows = realloc(p->rows, p->room * sizeof *p->rows);
            p->keys = realloc(p->keys, p->room * sizeof *p->keys);
            if (!p->rows || !p->keys) messages_end(1, "no memory for the critical path");
        }
        memset(&p->rows[i], 0, sizeof p->rows[i]);
        p->rows[i].what = what;
        snprintf(p->rows[i].call, sizeof p->rows[i].call, "%s", call);
        p->keys[i] = key;
        ++p->count;
    }
    if (p->keys[i].task != key.task) p->keys[i].task = -1;
    if (p->keys[i].other != key.other) p->keys[i].other = -1;
    p->rows[i].seconds += seconds;
    ++p->rows[i].pieces;
}

/* A part of a state; `other` is its host. */
static void path__add_state(path_ *p, const record *r, double seconds)
{
    char call[32];
    snprintf(call, sizeof call, "%s%s", r->kind == MESSAGES_COMPUTING && r->of.call[0] ? "before " : "", r->of.call);
    path__add(p, messages_state_names[r->kind],
              (struct row_key){ r->kind, r->site, r->task, messages->tasks[r->task]->host }, call, seconds);
}

static void path__add_message(path_ *p, const record *m, double seconds)
{
    path__add(p, "message",
              (struct row_key){ MESSAGE, 0, messages->tasks[m->task]->host, messages->tasks[m->to]->host }, "",
              seconds);
}

/* The task that ended last. */
static int32_t path__last_task(void)
{
    int32_t last = 0;
    for (uint32_t i = 1; i < messages->task_count; ++i)
        if (messages->tasks[i]->account.ends > messages->tasks[last]->account.ends) last = (int32_t)i;
    return last;
}

/* Goes back from the end of the run to its beginning. Each step takes a record that begins earlier, or a message. */
static void path__walk(path_ *p)
{
    const log_ *l = messages->log;
    int32_t task = path__last_task();
    double time = messages->tasks[task]->account.ends;
    for (size_t steps = 2 * l->count + 2; steps > 0 && time > 0; --steps) {
        const record *state = path__last(&p->states, task, time, false);
        if (!state) break;
        if (state->end < time) {
            path__add(p, "other", (struct row_key){ USERS, 0, task, messages->tasks[task]->host }, "",
                      time - state->end);
            time = state->end;
        }
        const record *m = state->kind == MESSAGES_WAITING ? path__ended_by(p, state, time) : NULL,
                     *late = m                                 ? path__late(p, m)
                             : state->kind == MESSAGES_SENDING ? path__last(&p->late, task, time, true)
                                                               : NULL;
        if (m) {
            path__add_state(p, state, time - m->end);
            const bool own = late && late->end > m->begin; /* this task came last: the message waited for its receive */
            time = own ? late->end : m->begin;
            path__add_message(p, m, m->end - time);
            if (!own) task = m->task;
        } else if (late && late->end > state->begin) { /* it sent, and waited for the receiver */
            path__add_message(p, late, time - late->end);
            time = late->end;
            task = late->to;
        } else {
            path__add_state(p, state, time - state->begin);
            time = state->begin;
        }
    }
    if (time > 0)
        path__add(p, "before start", (struct row_key){ USERS, 0, task, messages->tasks[task]->host }, "", time);
}

/* Names of the rows: lines, tasks and hosts. */
static void path__name(path_ *p, const of_site *sites)
{
    for (size_t i = 0; i < p->count; ++i) {
        const struct row_key *k = &p->keys[i];
        why_row *row = &p->rows[i];
        if (k->site && sites) memcpy(row->line, sites[k->site].line, sizeof row->line);
        const char *host = k->other >= 0 ? messages->cluster.hosts[k->other].name : "";
        if (k->kind != MESSAGE) {
            if (k->task >= 0) snprintf(row->who, sizeof row->who, "%s", messages->tasks[k->task]->name);
            snprintf(row->where, sizeof row->where, "%s", host);
        } else if (k->task == k->other) {
            snprintf(row->where, sizeof row->where, "within %s", host);
        } else {
            snprintf(row->where, sizeof row->where, "%.35s to %.35s", messages->cluster.hosts[k->task].name, host);
        }
    }
    qsort(p->rows, p->count, sizeof *p->rows, why_by_seconds);
}

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/
static int path__by_site(const void *one, const void *other)
{
    const cause *a = one, *b = other;
    if (a->site != b->site) return a->site < b->site ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

static int path__by_cause(const void *one, const void *other)
{
    const cause *a = one, *b = other;
    if (a->site != b->site) return a->site < b->site ? -1 : 1;
    return (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

/* Adds up what the calls took, and for whom they waited: by call, the longest first. Returns how many causes there are. */
static size_t path__calls(const path_ *p, of_site *sites, cause *causes)
{
    const size_t states = p->states.first[messages->task_count];
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < states; ++i) {
        const record *r = p->states.of[i];
        sites[r->site].spent[r->kind] += r->end - r->begin;
        const record *m = r->kind == MESSAGES_WAITING ? path__ended_by(p, r, r->end) : NULL;
        if (m) causes[count++] = (cause){ r->site, m->task, r->end - r->begin };
    }
    qsort(causes, count, sizeof *causes, path__by_site);
    for (size_t i = 0; i < count; ++i) {
        if (kept == 0 || path__by_site(&causes[kept - 1], &causes[i]) != 0)
            causes[kept++] = causes[i];
        else
            causes[kept - 1].seconds += causes[i].seconds;
    }
    qsort(causes, kept, sizeof *causes, path__by_cause);
    return kept;
}

static double path__in_call(const of_site *s)
{
    double sum = 0;
    for (int k = 0; k < MESSAGES_STATES; ++k) sum += k == MESSAGES_COMPUTING ? 0 : s->spent[k];
    return sum;
}

static const of_site *compared; /* by path__by_time() */

static int path__by_time(const void *one, const void *other)
{
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    const double x = path__in_call(&compared[a]), y = path__in_call(&compared[b]);
    if (x > y || x < y) return x > y ? -1 : 1;
    return (a > b) - (a < b);
}

/* The first cause of a call; NULL: it never waited for a message. */
static const cause *path__cause(const cause *causes, size_t count, uint32_t site)
{
    for (size_t i = 0; i < count; ++i)
        if (causes[i].site == site) return &causes[i];
    return NULL;
}

static void path__print_calls(FILE *f, const of_site *sites, const uint32_t *sorted, uint32_t count,
                              const cause *causes, size_t cause_count)
{
    enum { SHOWN = 40 };
    fprintf(f, "\n%10s %14s %12s %12s %12s  call, its line; for whom it waited longest\n", "calls", "bytes",
            "sending [s]", "receiving [s]", "waiting [s]");
    for (uint32_t i = 0; i < count && i < SHOWN; ++i) {
        const messages_site *s = messages_site_at(sorted[i]);
        const of_site *took = &sites[sorted[i]];
        const cause *c = path__cause(causes, cause_count, sorted[i]);
        fprintf(f, "%10llu %14.0f %12.6g %12.6g %12.6g  %s", (unsigned long long)s->calls, s->bytes,
                took->spent[MESSAGES_SENDING], took->spent[MESSAGES_RECEIVING], took->spent[MESSAGES_WAITING], s->call);
        if (took->line[0]) fprintf(f, " (%s)", took->line);
        if (c) fprintf(f, "; %s: %.6g s", messages->tasks[c->task]->name, c->seconds);
        fputc('\n', f);
    }
    if (count > SHOWN) fprintf(f, "and %u others\n", count - SHOWN);
}

static void path__write_calls(FILE *f, const of_site *sites, const uint32_t *sorted, uint32_t count,
                              const cause *causes, size_t cause_count)
{
    fputs(",\n  \"calls\": [", f);
    for (uint32_t i = 0; i < count; ++i) {
        const messages_site *s = messages_site_at(sorted[i]);
        const of_site *took = &sites[sorted[i]];
        const cause *c = path__cause(causes, cause_count, sorted[i]);
        why_json_member(f, i > 0 ? ",\n    { " : "\n    { ", "call", s->call);
        why_json_member(f, ", ", "line", took->line);
        fprintf(f, ", \"calls\": %llu, \"bytes\": %.17g", (unsigned long long)s->calls, s->bytes);
        for (int k = 0; k < MESSAGES_STATES; ++k)
            if (k != MESSAGES_COMPUTING) fprintf(f, ", \"%s\": %.17g", messages_state_names[k], took->spent[k]);
        fputs(", \"waited_for\": [", f);
        for (const char *between = ""; c && c < causes + cause_count && c->site == sorted[i]; ++c, between = ", ") {
            fputs(between, f);
            why_json_member(f, "{ ", "who", messages->tasks[c->task]->name);
            fprintf(f, ", \"seconds\": %.17g }", c->seconds);
        }
        fputs("] }", f);
    }
    fputs(count > 0 ? "\n  ]" : "]", f);
}

/*=============================================================================
 * MARK: - >>reports
 *===========================================================================*/
static void path__write_json(const char *file, const path_ *p, double seconds, const of_site *sites,
                             const uint32_t *sorted, uint32_t count, const cause *causes, size_t cause_count)
{
    FILE *f = fopen(file, "w");
    if (f) {
        why_json_begin(f, "simrun", seconds);
        why_json_path(f, p->rows, p->count);
        path__write_calls(f, sites, sorted, count, causes, cause_count);
        fputs("\n}\n", f);
    }
    if (!f || fclose(f) != 0) fprintf(stderr, "simkit: SIMKIT_JSON=%s: %s\n", file, strerror(errno));
}

void messages_path_report(void)
{
    enum { SHOWN = 25 };
    const char *json = getenv("SIMKIT_JSON");
    const log_ *l = messages->log;
    if (!l || !messages->sites) return;
    path_ p = { .states = path__order(l, path__is_state, false),
                .arrivals = path__order(l, path__is_message, true),
                .late = path__order(l->late, path__is_message, false),
                .late_count = l->late->count };
    p.late_of = path__new(p.late_count, sizeof *p.late_of);
    memcpy(p.late_of, p.late.of, p.late_count * sizeof *p.late_of);
    qsort(p.late_of, p.late_count, sizeof *p.late_of, path__by_sending);
    path__walk(&p);

    const uint32_t count = messages_site_count();
    of_site *sites = path__new(count + 1, sizeof *sites);
    cause *causes = path__new(p.states.first[messages->task_count], sizeof *causes);
    uint32_t *sorted = path__new(count, sizeof *sorted);
    const size_t cause_count = path__calls(&p, sites, causes);
    for (uint32_t i = 0; i < count; ++i) {
        sorted[i] = i + 1;
        messages_site_line(i + 1, sites[i + 1].line, sizeof sites[i + 1].line);
    }
    compared = sites;
    qsort(sorted, count, sizeof *sorted, path__by_time);
    path__name(&p, sites);
    const double seconds = messages->tasks[path__last_task()]->account.ends;
    if (getenv("SIMKIT_WHY")) why_print(stderr, p.rows, p.count, seconds, SHOWN);
    if (getenv("SIMKIT_CALLS")) path__print_calls(stderr, sites, sorted, count, causes, cause_count);
    if (json) path__write_json(json, &p, seconds, sites, sorted, count, causes, cause_count);
    path__order_free(&p.states);
    path__order_free(&p.arrivals);
    path__order_free(&p.late);
    free(p.late_of);
    free(p.rows);
    free(p.keys);
    free(sites);
    free(causes);
    free(sorted);
}
