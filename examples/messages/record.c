/* record.c - the report of a run: the time of each task by activity, which tasks waited for which, sizes of messages,
 * and on request a trace or a diagram. */
#define _GNU_SOURCE
#include "record.h"
#include "util/simkit_trace.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const messages_state_names[MESSAGES_STATES] = { "computing", "sending", "receiving",
                                                            "waiting",   "threads", "sleeping" };

/*=============================================================================
 * MARK: - >>recording
 *===========================================================================*/

void messages_log_open(void)
{
    log_ *l = messages->log = direct_new(sizeof(log_));
    l->late = direct_new(sizeof(log_));
}

static record *record__add(log_ *l)
{
    if (!l->last || l->last->count == BLOCK) {
        block *fresh = direct_new(sizeof *fresh);
        if (l->last)
            l->last->next = fresh;
        else
            l->first = fresh;
        l->last = fresh;
    }
    ++l->count;
    return &l->last->records[l->last->count++];
}

void messages_log_state(messages_task *t, double now)
{
    record *r = record__add(messages->log);
    *r = (record){ .begin = t->since, .end = now, .task = t->number, .to = -1, .kind = t->state };
    if (t->state == MESSAGES_COMPUTING) /* less if the task was killed */
        r->amount = fmin(t->account.computing, (now - t->since) / messages->cluster.hosts[t->host].factor);
    if (messages->sites) r->site = t->state == MESSAGES_COMPUTING ? messages_site_now(t) : t->state_site;
    memcpy(r->of.call, r->site ? messages_site_at(r->site)->call : t->call, sizeof r->of.call - 1);
}

/* A computation of a background user begins or ends. */
static void record__on_compute(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    log_ *l = messages->log;
    int32_t host = 0;
    size_t i = 0;
    (void)user;
    (void)world;
    if (!event->background) return;
    if (event->phase == SIMKIT_PHASE_BEGIN) {
        while (messages->cluster.hosts[host].node != event->node) ++host;
        record *r = record__add(messages->log);
        *r = (record){ .begin = event->time, .end = -1, .task = host, .to = -1, .kind = USERS };
        snprintf(r->of.call, sizeof r->of.call, "%s", event->name);
        if (l->open_count == l->open_room) {
            const size_t room = l->open_room ? 2 * l->open_room : 64;
            l->open = direct_reallocate(NULL, l->open, l->open_room * sizeof *l->open, room * sizeof *l->open);
            l->open_room = room;
        }
        l->open[l->open_count++] = (open_){ event->number, r };
    } else if (event->phase == SIMKIT_PHASE_END) {
        while (i < l->open_count && l->open[i].number != event->number) ++i;
        if (i == l->open_count) return;
        l->open[i].record->end = event->time;
        l->open[i] = l->open[--l->open_count];
    }
}

void messages_log_users(void)
{
    if (simkit_watch_add(direct->world, SIMKIT_WATCH_COMPUTE, record__on_compute, NULL) != SIMKIT_OK)
        messages_end(1, "%s", simkit_world_why(direct->world));
}

uint32_t messages_log_order(void)
{
    log_ *l = messages->log;
    return l->order++;
}

void messages_log_message(int32_t from, int32_t to, double bytes, double sent, uint32_t order)
{
    *record__add(messages->log) = (record){ .begin = sent,
                                            .end = simkit_clock_now(direct->world),
                                            .amount = bytes,
                                            .task = from,
                                            .to = to,
                                            .kind = MESSAGE,
                                            .of.order = { order, messages_log_order() } };
}

void messages_log_late(int32_t from, int32_t to, uint32_t order)
{
    const double now = simkit_clock_now(direct->world);
    record *r = record__add(((log_ *)messages->log)->late);
    *r = (record){ .begin = now, .end = now, .task = from, .to = to, .kind = MESSAGE, .of.order = { order, 0 } };
}

/*=============================================================================
 * MARK: - >>the report
 *===========================================================================*/

static double record__lifetime(const messages_task *t)
{
    return t->account.ends - t->account.began;
}

static void record__print_times(FILE *f)
{
    enum { SHOWN = 64 };
    double sum[MESSAGES_STATES] = { 0 }, whole = 0, worked = 0;
    fprintf(f, "\n%-12s %-12s %12s %12s", "", "host", "ends [s]", "CPU time [s]");
    for (int s = 0; s < MESSAGES_STATES; ++s) fprintf(f, " %10s", messages_state_names[s]);
    fprintf(f, " %9s %12s\n", "messages", "bytes sent");
    for (uint32_t i = 0; i < messages->task_count; ++i) {
        const messages_task *t = messages->tasks[i];
        const double all = record__lifetime(t);
        for (int s = 0; s < MESSAGES_STATES; ++s) sum[s] += t->account.spent[s];
        whole += all;
        worked += t->account.worked;
        if (i >= SHOWN) continue;
        fprintf(f, "%-12s %-12.12s %12.6f %12.6f", t->name, messages->cluster.hosts[t->host].name, t->account.ends,
                t->account.worked);
        for (int s = 0; s < MESSAGES_STATES; ++s) fprintf(f, " %9.1f%%", all > 0 ? 100 * t->account.spent[s] / all : 0);
        fprintf(f, " %9llu %12.0f\n", (unsigned long long)t->account.sent, t->account.bytes_sent);
    }
    if (messages->task_count > SHOWN) fprintf(f, "and %u others\n", messages->task_count - SHOWN);
    fprintf(f, "%-12s %-12s %12.6f %12.6f", "all", "", simkit_clock_now(direct->world), worked);
    for (int s = 0; s < MESSAGES_STATES; ++s) fprintf(f, " %9.1f%%", whole > 0 ? 100 * sum[s] / whole : 0);
    fprintf(f, " %9llu\n", (unsigned long long)messages->counted.messages);
}

/* The background users of the hosts, and their effect on tasks. */
static void record__print_users(FILE *f)
{
    enum { SHOWN = 64 };
    static const double windows[] = { 60, 300, 900 };
    const messages_cluster *c = &messages->cluster;
    const simkit_source_tally tally = simkit_source_progress(direct->world, 0);
    if (!c->population) return;
    fprintf(f, "\nusers: %llu processes, %llu of them ended, with %.6f s of CPU time in %.6f s\n",
            (unsigned long long)tally.begun, (unsigned long long)tally.ended, tally.demand, tally.response);
    fprintf(f, "%-12s %12s %12s %12s   load of 1, 5, 15 minutes\n", "host", "CPU time [s]", "elapsed [s]", "slowdown");
    for (size_t i = 0; i < c->count && i < SHOWN; ++i) {
        const messages_host *host = &c->hosts[i];
        double worked = 0, took = 0;
        for (uint32_t k = 0; k < messages->task_count; ++k) {
            if (messages->tasks[k]->host != (int32_t)i) continue;
            worked += messages->tasks[k]->account.worked;
            took += messages->tasks[k]->account.spent[MESSAGES_COMPUTING];
        }
        fprintf(f, "%-12.12s %12.6f %12.6f", host->name, worked, took);
        if (worked > 0)
            fprintf(f, " %12.3f  ", took / worked);
        else
            fprintf(f, " %12s  ", "");
        for (int k = 0; k < 3 && host->node; ++k)
            fprintf(f, " %.2f", messages_host_load(host, direct->world, contention_load_beta(windows[k]), 1));
        fputc('\n', f);
    }
    if (c->count > SHOWN) fprintf(f, "and %zu others\n", c->count - SHOWN);
}

typedef struct wait_ {
    double seconds;
    int32_t who, whom;
} wait_;

static int record__longest_first(const void *one, const void *other)
{
    const wait_ *a = one, *b = other;
    if (a->seconds > b->seconds || a->seconds < b->seconds) return a->seconds > b->seconds ? -1 : 1;
    return a->who != b->who ? (a->who < b->who ? -1 : 1) : a->whom < b->whom ? -1 : 1;
}

static void record__print_waits(FILE *f)
{
    enum { SHOWN = 20 };
    size_t count = 0, room = 0;
    wait_ *all = NULL;
    for (uint32_t i = 0; i < messages->task_count; ++i) {
        const messages_task *t = messages->tasks[i];
        for (uint32_t k = 0; k < t->partners.room; ++k) {
            const messages_partner *p = &t->partners.list[k];
            if (!(p->waited > 0)) continue;
            if (count == room) {
                room = room ? 2 * room : 64;
                wait_ *more = realloc(all, room * sizeof *all);
                if (!more) {
                    free(all);
                    return;
                }
                all = more;
            }
            all[count++] = (wait_){ p->waited, t->number, (int32_t)p->other - 1 };
        }
    }
    if (count > 0) {
        qsort(all, count, sizeof *all, record__longest_first);
        fprintf(f, "\nwaiting times between tasks, the longest of %zu\n", count);
    }
    for (size_t i = 0; i < count && i < SHOWN; ++i)
        fprintf(f, "%-12s for %-12s %12.6f s\n", messages->tasks[all[i].who]->name, messages->tasks[all[i].whom]->name,
                all[i].seconds);
    free(all);
}

static void record__print_sizes(FILE *f)
{
    uint32_t most = 0;
    for (int i = 0; i < MESSAGES_SIZES; ++i)
        if (messages->counted.histogram[i] > most) most = messages->counted.histogram[i];
    if (most == 0) return;
    fprintf(f, "\nmessages by size [B]\n");
    for (int i = 0; i < MESSAGES_SIZES; ++i) {
        if (!messages->counted.histogram[i]) continue;
        fprintf(f, "%11llu .. %-11llu %9u ", i ? 1ull << (i - 1) : 0, i ? (1ull << i) - 1 : 0,
                messages->counted.histogram[i]);
        for (int k = (int)lround(40.0 * messages->counted.histogram[i] / most); k > 0; --k) fputc('#', f);
        fputc('\n', f);
    }
}

/*=============================================================================
 * MARK: - >>traces
 *===========================================================================*/

typedef struct moment { /* a beginning or an end, in the order of time */
    double time;
    uint32_t place;
    bool ends;
} moment;

static int record__by_time(const void *one, const void *other)
{
    const moment *a = one, *b = other;
    if (a->time < b->time || a->time > b->time) return a->time < b->time ? -1 : 1;
    if (a->ends != b->ends) return a->ends ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Replays the events into a world of its own, whose traces write the files. */
static const char *record__tell(simkit_world *w)
{
    const log_ *l = messages->log;
    block **blocks = malloc((l->count / BLOCK + 1) * sizeof *blocks);
    moment *moments = malloc((2 * l->count + 1) * sizeof *moments);
    const char *wrong = blocks && moments ? NULL : "no memory for a trace";
    size_t count = 0;
    for (block *b = l->first; b && !wrong; b = b->next) blocks[count++] = b;
    for (size_t i = 0; i < l->open_count; ++i) l->open[i].record->end = simkit_clock_now(direct->world);
    for (size_t i = 0; i < l->count && !wrong; ++i) {
        const record *r = record__at(blocks, i);
        moments[2 * i] = (moment){ r->begin, (uint32_t)i, false };
        moments[2 * i + 1] = (moment){ r->end, (uint32_t)i, true };
    }
    if (!wrong) qsort(moments, 2 * l->count, sizeof *moments, record__by_time);
    for (size_t i = 0; i < 2 * l->count && !wrong; ++i) {
        const record *r = record__at(blocks, moments[i].place);
        const int32_t host = r->kind == USERS ? r->task : messages->tasks[r->task]->host;
        simkit_watch_event e;
        memset(&e, 0, sizeof e);
        e.kind = r->kind == MESSAGE ? SIMKIT_WATCH_TRANSFER : SIMKIT_WATCH_COMPUTE;
        e.phase = moments[i].ends ? SIMKIT_PHASE_END : SIMKIT_PHASE_BEGIN;
        e.time = moments[i].time;
        e.begin = r->begin;
        e.node = (simkit_node)host + 1;
        e.number = moments[i].place;
        if (r->kind == MESSAGE) {
            e.to = (simkit_node)messages->tasks[r->to]->host + 1;
            e.bytes = r->amount;
        } else {
            e.lane = r->kind == USERS ? "users" : messages->tasks[r->task]->name;
            e.name = r->kind == USERS ? r->of.call : messages_state_names[r->kind];
            if (r->kind == MESSAGES_COMPUTING || r->kind == USERS) e.seconds = r->end - r->begin; /* else no CPU time */
        }
        if (simkit_watch_emit(w, &e) != SIMKIT_OK) wrong = simkit_world_why(w);
    }
    free(blocks);
    free(moments);
    return wrong;
}

/*=============================================================================
 * MARK: - >>GOAL
 *===========================================================================*/
typedef enum deed_kind { RECEIVES, SENDS, COMPUTES } deed_kind;
typedef struct deed {
    double time;
    uint32_t order; /* at one instant: what it computes from then on is last */
    uint32_t place; /* of its record */
    int32_t task;
    deed_kind kind;
} deed;

static int record__by_task(const void *one, const void *other)
{
    const deed *a = one, *b = other;
    if (a->task != b->task) return a->task < b->task ? -1 : 1;
    if (a->time < b->time || a->time > b->time) return a->time < b->time ? -1 : 1;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Lists the records that are operations of a schedule: computations and sleep, by their task; messages between tasks, by both. */
static size_t record__list_deeds(block *const *blocks, deed *deeds)
{
    const log_ *l = messages->log;
    size_t count = 0;
    for (size_t i = 0; i < l->count; ++i) {
        const record *r = record__at(blocks, i);
        const bool message = r->kind == MESSAGE && r->task != r->to;
        if (!message && r->kind != MESSAGES_COMPUTING && r->kind != MESSAGES_SLEEPING) continue;
        if (!message) {
            deeds[count++] = (deed){ r->begin, UINT32_MAX, (uint32_t)i, r->task, COMPUTES };
            continue;
        }
        deeds[count++] = (deed){ r->begin, r->of.order.sent, (uint32_t)i, r->task, SENDS };
        deeds[count++] = (deed){ r->end, r->of.order.arrived, (uint32_t)i, r->to, RECEIVES };
    }
    return count;
}

/* CPU time at speed 1 of computing, or of sleep, which a schedule cannot tell from it. */
static double record__calc(const record *r)
{
    return r->kind == MESSAGES_COMPUTING ? r->amount : r->end - r->begin;
}

/* The operations of a task, from deeds[0] on; returns how many deeds they are. What a task computes or sends begins after what it
 * did before and after the messages that had arrived by then. */
static size_t record__write_task(FILE *f, block *const *blocks, const deed *deeds, size_t count)
{
    size_t i = 0, last = 0,
           received = 1; /* the label of what it did last, and of the first message that arrived since */
    bool sent = false;
    for (; i < count && deeds[i].task == deeds[0].task; ++i) {
        const record *r = record__at(blocks, deeds[i].place);
        const size_t label = i + 1;
        if (deeds[i].kind == RECEIVES) {
            fprintf(f, "l%zu: recv %.0fb from %d tag %u\n", label, r->amount, (int)r->task, (unsigned)deeds[i].place);
            continue;
        }
        if (deeds[i].kind == SENDS)
            fprintf(f, "l%zu: send %.0fb to %d tag %u\n", label, r->amount, (int)r->to, (unsigned)deeds[i].place);
        else
            fprintf(f, "l%zu: calc %.0f\n", label, floor(record__calc(r) * 1e9 + 0.5));
        if (last > 0) fprintf(f, "l%zu %s l%zu\n", label, sent ? "irequires" : "requires", last);
        for (; received < label; ++received) fprintf(f, "l%zu requires l%zu\n", label, received);
        received = label + 1;
        last = label;
        sent = deeds[i].kind == SENDS;
    }
    return i;
}

/* The run as a schedule in the language GOAL, which examples/goal replays: with a tag of its own for each message. */
static void record__write_goal(const char *path)
{
    const log_ *l = messages->log;
    block **blocks = malloc((l->count / BLOCK + 1) * sizeof *blocks);
    deed *deeds = malloc((2 * l->count + 1) * sizeof *deeds);
    FILE *f = blocks && deeds ? fopen(path, "w") : NULL;
    if (f) {
        size_t count = 0, at = 0;
        for (block *b = l->first; b; b = b->next) blocks[count++] = b;
        count = record__list_deeds(blocks, deeds);
        qsort(deeds, count, sizeof *deeds, record__by_task);
        fprintf(f, "// %s\nnum_ranks %u\n", messages->cluster.name, messages->task_count);
        for (int32_t task = 0; task < (int32_t)messages->task_count; ++task) {
            fprintf(f, "rank %d {\n", (int)task);
            if (at < count && deeds[at].task == task) at += record__write_task(f, blocks, deeds + at, count - at);
            fprintf(f, "}\n");
        }
        if (fclose(f) == 0) path = NULL;
    }
    if (path)
        fprintf(stderr, "simkit: SIMKIT_TRACE=%s: %s\n", path,
                blocks && deeds ? strerror(errno) : "no memory for a schedule");
    free(blocks);
    free(deeds);
}

static void record__trace_one(const char *path)
{
    const size_t length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".goal") == 0) {
        record__write_goal(path);
        return;
    }
    simkit_world *w;
    simkit_trace *trace = NULL;
    if (simkit_world_open(NULL, &w) != SIMKIT_OK) return;
    const char *wrong = NULL;
    for (size_t i = 0; i < messages->cluster.count && !wrong; ++i) {
        simkit_node node;
        simkit_node_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.name = messages->cluster.hosts[i].name;
        desc.cores = messages->cluster.hosts[i].desc.cores;
        if (simkit_node_add(w, &desc, &node) != SIMKIT_OK) wrong = simkit_world_why(w);
    }
    char title[160];
    snprintf(title, sizeof title, "%.96s%s%u tasks, %.6g s", messages->cluster.name,
             *messages->cluster.name ? ": " : "", messages->task_count, simkit_clock_now(direct->world));
    const simkit_trace_desc desc = { .path = path, .title = title };
    simkit_result result = simkit_trace_open(w, &desc, &trace);
    if (!wrong && result == SIMKIT_OK) wrong = record__tell(w);
    if (result == SIMKIT_OK) result = simkit_trace_close(trace);
    if (!wrong && result != SIMKIT_OK) wrong = simkit_world_why(w);
    if (wrong) fprintf(stderr, "simkit: SIMKIT_TRACE: %s\n", wrong);
    simkit_world_close(w);
}

/* Why a file cannot be written, as far as this is known before; NULL: it can. */
static const char *record__unwritable(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0)
        return S_ISDIR(about.st_mode) ? strerror(EISDIR) : access(path, W_OK) == 0 ? NULL : strerror(errno);
    char *copy = strdup(path);
    const bool can = copy && access(dirname(copy), W_OK | X_OK) == 0;
    free(copy);
    return can ? NULL : strerror(errno);
}

/* The formats of simkit_trace_open(), and GOAL. */
static bool record__is_trace(const char *path)
{
    static const char *const ends[] = { ".svg", ".json", ".paje", ".trace", ".csv", ".goal" };
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
        if (length > strlen(ends[i]) && strcmp(path + length - strlen(ends[i]), ends[i]) == 0) return true;
    return false;
}

void messages_report_check(void)
{
    const char *report = getenv("SIMKIT_REPORT"), *trace = getenv("SIMKIT_TRACE"), *json = getenv("SIMKIT_JSON"),
               *why = NULL;
    if (json && (why = record__unwritable(json))) messages_end(2, "SIMKIT_JSON=%s: %s", json, why);
    if (report && strcmp(report, "none") != 0 && strcmp(report, "-") != 0 && (why = record__unwritable(report)))
        messages_end(2, "SIMKIT_REPORT=%s: %s", report, why);
    char *paths = trace ? strdup(trace) : NULL, *rest = NULL;
    for (char *path = paths ? strtok_r(paths, ",", &rest) : NULL; path; path = strtok_r(NULL, ",", &rest)) {
        if (!record__is_trace(path))
            messages_end(2, "SIMKIT_TRACE: %s: expected a path that ends in .svg, .json, .paje, .trace, .csv or .goal",
                         path);
        if ((why = record__unwritable(path))) messages_end(2, "SIMKIT_TRACE: %s: %s", path, why);
    }
    free(paths);
}

void messages_report(void)
{
    const char *report = getenv("SIMKIT_REPORT"), *trace = getenv("SIMKIT_TRACE");
    if (!report || strcmp(report, "none") != 0)
        fprintf(stderr, "simkit: %u task%s, %.9g s\n", messages->task_count, messages->task_count == 1 ? "" : "s",
                simkit_clock_now(direct->world));
    if (report && strcmp(report, "none") != 0) {
        FILE *f = strcmp(report, "-") == 0 ? stderr : fopen(report, "w");
        if (f) {
            fprintf(f, "%s\n", messages->cluster.name);
            if (messages->cluster.has_copy)
                fprintf(f, "messages within a host: copy = %.3g us + %.3g GB/s, measured on this machine\n",
                        1e6 * messages->cluster.copy.latency, 1e-9 / messages->cluster.copy.byte_time);
            record__print_times(f);
            record__print_users(f);
            record__print_waits(f);
            record__print_sizes(f);
        }
        if (!f || (f != stderr && fclose(f) != 0))
            fprintf(stderr, "simkit: SIMKIT_REPORT=%s: %s\n", report, strerror(errno));
    }
    messages_path_report();
    char *paths = trace ? strdup(trace) : NULL, *rest = NULL;
    for (char *path = paths ? strtok_r(paths, ",", &rest) : NULL; path; path = strtok_r(NULL, ",", &rest))
        record__trace_one(path);
    free(paths);
}
