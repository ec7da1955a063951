/* report.c - see report.h */
#include "report.h"

#include "netmodel.h"
#include "work.h"

#include "../svg.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A job while it is recorded. */
typedef struct record {
    double since;       /* when its nodes changed last */
    unsigned nodes;     /* since then */
    unsigned iteration; /* then */
} record;

/* Node-seconds of one efficiency. */
typedef struct piece {
    double begin, end, efficiency;
    unsigned nodes;
} piece;

struct report {
    report_desc desc;
    char *title;
    record *records;
    size_t record_space;
    report_change *changes;
    size_t change_count, change_space;
    server_range *ranges;
    size_t range_count, range_space;
    piece *pieces;
    size_t piece_count, piece_space;
    uint64_t *marks;
    size_t mark_space;
    report_job *jobs;
    size_t job_count;
    unsigned nodes; /* of the cluster; 0 before the first change */
    double last, used, idle;
    unsigned busy, free; /* nodes; those that have failed count as free */
    double first_submit, last_end;
    report_summary summary;
    bool no_memory, finished;
};

/*=============================================================================
 * MARK: - >>memory and sentences
 *===========================================================================*/
static void *reallocate(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes > 0) return realloc(pointer, new_bytes);
    free(pointer);
    return NULL;
}

static void *change_size(const report *r, void *pointer, size_t old_count, size_t new_count, size_t bytes)
{
    if (!pointer && new_count == 0) return NULL;
    if (new_count > SIZE_MAX / 2 / bytes) return NULL;
    return r->desc.reallocate(r->desc.user, pointer, old_count * bytes, new_count * bytes);
}

/* Room for `count` elements, at least doubled. False without memory. */
static bool reserve(report *r, void **array, size_t *space, size_t count, size_t bytes)
{
    if (count <= *space) return true;
    const size_t wanted = count > 2 * *space ? count : 2 * *space;
    void *moved = change_size(r, *array, *space, wanted, bytes);
    if (!moved) {
        r->no_memory = true;
        return false;
    }
    *array = moved;
    *space = wanted;
    return true;
}

static bool fail(char *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (why) vsnprintf(why, REPORT_WHY, format, arguments);
    va_end(arguments);
    return false;
}

/* The length of the character of UTF-8 at a place; 0 if there is none that both XML and JSON accept. */
static size_t character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] >= 0x20 && c[0] < 0x7f) return 1;
    const size_t length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                          : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                          : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                        : 0;
    unsigned long code = length > 0 ? c[0] & (0x7fu >> length) : 0;
    for (size_t i = 1; i < length; ++i) {
        if ((c[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (c[i] & 0x3f);
    }
    const unsigned long least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    const bool bad = code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe;
    return bad ? 0 : length;
}

/* Replaces what is no text by question marks. */
static void clean(char *text)
{
    for (size_t length; *text; text += length) {
        length = character(text);
        if (length == 0) *text = '?', length = 1;
    }
}

/*=============================================================================
 * MARK: - >>recorder
 *===========================================================================*/
server_result report_open(const report_desc *desc, report **opened)
{
    if (opened) *opened = NULL;
    if (!desc || !opened || desc->keep < REPORT_SUMS || desc->keep > REPORT_RANGES) return SERVER_BAD_ARGUMENT;
    report_desc d = *desc;
    if (!d.reallocate) d.reallocate = reallocate;
    const char *title = d.title ? d.title : "";
    const size_t length = strlen(title) + 1;
    report *r = (report *)d.reallocate(d.user, NULL, 0, sizeof *r);
    if (!r) return SERVER_NO_MEMORY;
    *r = (report){ .desc = d };
    r->title = (char *)change_size(r, NULL, 0, length, 1);
    if (!r->title) {
        report_close(r);
        return SERVER_NO_MEMORY;
    }
    memcpy(r->title, title, length);
    clean(r->title);
    r->desc.title = r->title;
    *opened = r;
    return SERVER_OK;
}

void report_close(report *r)
{
    if (!r) return;
    if (r->title) change_size(r, r->title, strlen(r->title) + 1, 0, 1);
    change_size(r, r->records, r->record_space, 0, sizeof *r->records);
    change_size(r, r->changes, r->change_space, 0, sizeof *r->changes);
    change_size(r, r->ranges, r->range_space, 0, sizeof *r->ranges);
    change_size(r, r->pieces, r->piece_space, 0, sizeof *r->pieces);
    change_size(r, r->marks, r->mark_space, 0, sizeof *r->marks);
    change_size(r, r->jobs, r->job_count, 0, sizeof *r->jobs);
    r->desc.reallocate(r->desc.user, r, sizeof *r, 0);
}

static void add_piece(report *r, double begin, double end, unsigned nodes, double efficiency)
{
    if (!(end > begin)) return;
    if (!(efficiency >= 0)) {
        r->summary.without_efficiency += nodes * (end - begin);
        return;
    }
    const int bin = efficiency < 1 ? (int)(efficiency * REPORT_BINS) : REPORT_BINS - 1;
    r->summary.by_efficiency[bin] += nodes * (end - begin);
    if (r->desc.keep < REPORT_CHANGES ||
        !reserve(r, (void **)&r->pieces, &r->piece_space, r->piece_count + 1, sizeof *r->pieces))
        return;
    r->pieces[r->piece_count++] = (piece){ begin, end, efficiency, nodes };
}

/* What a job has used since its nodes changed last. Its iterations take the parts of that time that work.h predicts. */
static void add_pieces(report *r, const server_job *j, const record *from, double now)
{
    const work *w = (const work *)j->desc.work;
    if (from->nodes == 0) return;
    if (!w || w->kind != WORK_PROGRAM) {
        add_piece(r, from->since, now, from->nodes,
                  w && w->kind != WORK_TIME ? work_efficiency(w, from->iteration, from->nodes) : NAN);
        return;
    }
    const unsigned all = w->iterations > 0 ? w->iterations : 1, reached = j->state == SERVER_ENDED ? all : j->iteration,
                   last = reached > from->iteration ? reached : from->iteration + 1;
    double sum = 0;
    for (unsigned i = from->iteration; i < last; ++i) sum += work_seconds(w, i, from->nodes);
    if (!(sum > 0)) {
        add_piece(r, from->since, now, from->nodes, NAN);
        return;
    }
    double at = from->since, done = 0;
    for (unsigned i = from->iteration; i < last; ++i) {
        done += work_seconds(w, i, from->nodes);
        const double to = i + 1 < last ? from->since + (now - from->since) * (done / sum) : now;
        add_piece(r, at, to, from->nodes, work_efficiency(w, i, from->nodes));
        at = to;
    }
}

static void pass_time(report *r, double now)
{
    r->used += r->busy * (now - r->last);
    r->idle += r->free * (now - r->last);
    r->last = now;
}

/* Before the first change, all nodes are free. */
static void know_cluster(report *r, const server *s)
{
    if (r->nodes == 0) r->free = r->nodes = server_size(s);
}

void report_changed(void *user, const server *s, server_number job, double time)
{
    report *r = (report *)user;
    const server_job *j = server_job_of(s, job);
    const size_t before = r->record_space;
    if (!j || r->no_memory || r->finished) return;
    know_cluster(r, s);
    if (!reserve(r, (void **)&r->records, &r->record_space, (size_t)job + 1, sizeof *r->records)) return;
    for (size_t i = before; i < r->record_space; ++i) r->records[i] = (record){ 0, 0, 0 };
    record *now = &r->records[job];
    const bool runs = j->state == SERVER_RUNNING;
    const unsigned nodes = runs ? j->nodes : 0;
    pass_time(r, time);
    add_pieces(r, j, now, time);
    r->busy += nodes - now->nodes;
    r->free = server_free(s) + server_size(s) - server_nodes(s);
    *now = (record){ time, nodes, j->iteration };
    if (r->desc.keep < REPORT_CHANGES) return;
    const uint32_t ranges = runs && r->desc.keep == REPORT_RANGES ? j->range_count : 0;
    if (!reserve(r, (void **)&r->changes, &r->change_space, r->change_count + 1, sizeof *r->changes) ||
        !reserve(r, (void **)&r->ranges, &r->range_space, r->range_count + ranges, sizeof *r->ranges))
        return;
    r->changes[r->change_count++] = (report_change){ time, nodes, job, r->range_count, ranges };
    for (uint32_t i = 0; i < ranges; ++i) r->ranges[r->range_count++] = j->ranges[i];
}

/* Marks the nodes of a job. False if one has been marked before, is free, or their number is wrong. */
static bool mark_nodes(report *r, const server_job *j, const uint64_t *free_set)
{
    unsigned nodes = 0;
    for (uint32_t i = 0; i < j->range_count; ++i)
        for (uint32_t n = j->ranges[i].first, k = 0; k < j->ranges[i].count; ++k, ++n, ++nodes) {
            const uint64_t bit = UINT64_C(1) << n % 64;
            if (n >= r->nodes || ((r->marks[n / 64] | free_set[n / 64]) & bit)) return false;
            r->marks[n / 64] |= bit;
        }
    return nodes == j->nodes;
}

bool report_conserves(report *r, const server *s, report_balance *balance, char why[REPORT_WHY])
{
    const double now = server_now(s);
    know_cluster(r, s);
    const size_t words = ((size_t)r->nodes + 63) / 64;
    if (r->no_memory || !reserve(r, (void **)&r->marks, &r->mark_space, words, sizeof *r->marks))
        return fail(why, "no memory");
    report_balance b = { r->nodes * now, r->used + r->busy * (now - r->last), 0, r->idle + r->free * (now - r->last) };
    unsigned busy = 0, marked = 0;
    memset(r->marks, 0, words * sizeof *r->marks);
    for (server_number i = 0; i < server_jobs(s); ++i) {
        const server_job *j = server_job_of(s, i);
        b.jobs += j->node_seconds;
        if (j->state != SERVER_RUNNING) continue;
        b.jobs += j->nodes * (now - j->changed);
        busy += j->nodes;
        if (!mark_nodes(r, j, server_free_set(s)))
            return fail(why, "at %.9g s: job %llu has a node that is free, belongs to another job, or is not counted",
                        now, (unsigned long long)j->desc.name);
        marked += j->nodes;
    }
    if (balance) *balance = b;
    const unsigned failed = server_size(s) - server_nodes(s);
    if (busy != r->busy || marked + server_free(s) + failed != r->nodes)
        return fail(why, "at %.9g s: %u nodes are busy (%u recorded), %u free, %u failed, of %u", now, busy, r->busy,
                    server_free(s), failed, r->nodes);
    const double tolerance = 1e-9 * b.given;
    if (!(fabs(b.used + b.idle - b.given) <= tolerance) || !(fabs(b.used - b.jobs) <= tolerance))
        return fail(why, "at %.9g s: %.9g node-seconds were given, %.9g used (%.9g by the jobs) and %.9g idle", now,
                    b.given, b.used, b.jobs, b.idle);
    return true;
}

/*=============================================================================
 * MARK: - >>results
 *===========================================================================*/
static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_doubles(const void *a, const void *b)
{
    return compare(*(const double *)a, *(const double *)b);
}

double report_percentile(const double *values, size_t count, double part)
{
    if (count == 0 || !(part >= 0 && part <= 1)) return NAN;
    const double place = part * (double)(count - 1);
    const size_t low = (size_t)place, high = low + 1 < count ? low + 1 : low;
    return values[low] + (place - (double)low) * (values[high] - values[low]);
}

static report_distribution distribution(double *values, size_t count)
{
    double sum = 0;
    qsort(values, count, sizeof *values, compare_doubles);
    for (size_t i = 0; i < count; ++i) sum += values[i];
    return (report_distribution){ count > 0 ? sum / (double)count : NAN, report_percentile(values, count, 0.5),
                                  report_percentile(values, count, 0.95), report_percentile(values, count, 0.99),
                                  count > 0 ? values[count - 1] : NAN };
}

/* Sorts the changes by job; those of a job stay in order. `places` is scratch. */
static bool group_changes(report *r)
{
    report_change *grouped = NULL;
    if (r->change_count == 0) return true;
    grouped = (report_change *)change_size(r, NULL, 0, r->change_count, sizeof *grouped);
    if (!grouped) return false;
    for (size_t i = 0; i < r->change_count; ++i) ++r->jobs[r->changes[i].job].changes;
    size_t at = 0;
    for (size_t i = 0; i < r->job_count; ++i) {
        r->jobs[i].first = at;
        at += r->jobs[i].changes;
        r->jobs[i].changes = 0;
    }
    for (size_t i = 0; i < r->change_count; ++i) {
        report_job *j = &r->jobs[r->changes[i].job];
        grouped[j->first + j->changes++] = r->changes[i];
    }
    change_size(r, r->changes, r->change_space, 0, sizeof *r->changes);
    r->changes = grouped;
    r->change_space = r->change_count;
    return true;
}

static report_job result_of(const server_job *j)
{
    const bool begun = j->begin >= 0, over = begun && j->end >= 0;
    report_job result = { .name = j->desc.name,
                          .kind = j->desc.kind,
                          .state = j->state,
                          .submit = j->desc.submit,
                          .begin = j->begin,
                          .end = j->end,
                          .wait = begun ? j->begin - j->desc.submit : NAN,
                          .run = over ? j->end - j->begin : NAN,
                          .turnaround = over ? j->end - j->desc.submit : NAN,
                          .slowdown = NAN,
                          .node_seconds = j->node_seconds,
                          .resizes = j->resizes };
    if (over) result.slowdown = fmax(1, result.turnaround / fmax(result.run, 10));
    return result;
}

static void count_job(report_summary *m, const report_job *j)
{
    size_t *const counts[] = { &m->expected, &m->waiting, &m->running, &m->ended, &m->killed, &m->refused };
    ++*counts[j->state];
    ++m->jobs;
    m->node_seconds += j->node_seconds;
}

server_result report_finish(report *r, const server *s)
{
    const size_t count = server_jobs(s);
    if (r->finished) return SERVER_BAD_STATE;
    know_cluster(r, s);
    r->jobs = (report_job *)change_size(r, NULL, 0, count, sizeof *r->jobs);
    double *values = (double *)change_size(r, NULL, 0, 3 * count, sizeof *values);
    if (r->jobs) r->job_count = count;
    if (r->no_memory || (count > 0 && (!r->jobs || !values))) {
        change_size(r, values, 3 * count, 0, sizeof *values);
        return SERVER_NO_MEMORY;
    }
    report_summary *m = &r->summary;
    double square = 0, sum = 0;
    size_t ended = 0;
    r->first_submit = INFINITY;
    r->last_end = r->last;
    for (size_t i = 0; i < count; ++i) {
        const server_job *from = server_job_of(s, (server_number)i);
        report_job *j = &r->jobs[i];
        *j = result_of(from);
        if (j->state == SERVER_RUNNING) {
            j->node_seconds += from->nodes * (server_now(s) - from->changed);
            if (i < r->record_space) add_pieces(r, from, &r->records[i], server_now(s));
            r->last_end = server_now(s);
        }
        count_job(m, j);
        r->first_submit = fmin(r->first_submit, j->submit);
        if (j->end > r->last_end) r->last_end = j->end;
        if (j->state != SERVER_ENDED) continue;
        values[ended] = j->wait;
        values[count + ended] = j->turnaround;
        values[2 * count + ended] = j->slowdown;
        sum += j->slowdown;
        square += j->slowdown * j->slowdown;
        ++ended;
    }
    if (count == 0) r->first_submit = r->last_end = 0;
    m->wait = distribution(values, ended);
    m->turnaround = distribution(values + count, ended);
    m->slowdown = distribution(values + 2 * count, ended);
    m->fairness = ended > 0 ? sum * sum / ((double)ended * square) : NAN;
    m->makespan = fmax(0, r->last_end - r->first_submit);
    m->utilization = m->makespan > 0 ? m->node_seconds / (r->nodes * m->makespan) : NAN;
    change_size(r, values, 3 * count, 0, sizeof *values);
    r->finished = group_changes(r) && !r->no_memory;
    return r->finished ? SERVER_OK : SERVER_NO_MEMORY;
}

const report_job *report_jobs(const report *r, size_t *count)
{
    if (count) *count = r->job_count;
    return r->jobs;
}

const report_change *report_changes(const report *r)
{
    return r->changes;
}

const server_range *report_ranges(const report *r)
{
    return r->ranges;
}

const report_summary *report_summary_of(const report *r)
{
    return &r->summary;
}

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/
/* A file that appears when it is complete. */
typedef struct output {
    FILE *file;
    const char *path;
    char *draft;
    char *why;
} output;

static bool output_open(output *o, const char *path, char *why)
{
    const size_t length = strlen(path);
    *o = (output){ NULL, path, (char *)malloc(length + sizeof ".part"), why };
    if (!o->draft) return fail(why, "%s: no memory", path);
    memcpy(o->draft, path, length);
    memcpy(o->draft + length, ".part", sizeof ".part");
    o->file = fopen(o->draft, "w");
    if (o->file) return true;
    fail(why, "%s: cannot be written: %s", o->draft, strerror(errno));
    free(o->draft);
    return false;
}

static bool output_close(output *o, bool good)
{
    errno = 0;
    bool written = fflush(o->file) == 0 && !ferror(o->file);
    written = fclose(o->file) == 0 && written;
    if (!good)
        fail(o->why, "%s: no memory", o->path);
    else if (!written || rename(o->draft, o->path) != 0)
        good = fail(o->why, "%s: cannot be written: %s", o->path, errno ? strerror(errno) : "write error");
    if (!good) remove(o->draft);
    free(o->draft);
    return good;
}

/* Whether enough was kept. */
static bool kept(const report *r, report_keep keep, const char *path, char *why)
{
    if (!r->finished) return fail(why, "%s: the report has not been finished", path);
    if (r->desc.keep >= keep) return true;
    return fail(why, "%s: the report was not asked to keep %s", path,
                keep == REPORT_RANGES ? "the nodes of jobs (REPORT_RANGES)" : "changes of size (REPORT_CHANGES)");
}

static const char *state_name(server_state state)
{
    static const char *const names[] = { "expected", "waiting", "running", "ended", "killed", "refused" };
    return names[state];
}

static void number(FILE *out, double value)
{
    if (isnan(value))
        fputc(',', out);
    else
        fprintf(out, ",%.12g", value);
}

bool report_write_jobs(const report *r, const char *path, char why[REPORT_WHY])
{
    static const char *const kinds[] = { "rigid", "moldable", "malleable" };
    output o;
    if (!kept(r, REPORT_SUMS, path, why) || !output_open(&o, path, why)) return false;
    fputs("job,kind,state,submit [s],begin [s],end [s],wait [s],run [s],turnaround [s],bounded slowdown [1],"
          "node-seconds [s],resizes [1],nodes over time [s:1]\n",
          o.file);
    for (size_t i = 0; i < r->job_count; ++i) {
        const report_job *j = &r->jobs[i];
        const double values[] = { j->submit,     j->begin,    j->end,          j->wait,   j->run,
                                  j->turnaround, j->slowdown, j->node_seconds, j->resizes };
        fprintf(o.file, "%llu,%s,%s", (unsigned long long)j->name, kinds[j->kind], state_name(j->state));
        for (size_t k = 0; k < sizeof values / sizeof *values; ++k) number(o.file, values[k]);
        fputc(',', o.file);
        for (size_t k = 0; k < j->changes; ++k)
            fprintf(o.file, "%s%.12g:%u", k > 0 ? " " : "", r->changes[j->first + k].time,
                    r->changes[j->first + k].nodes);
        fputc('\n', o.file);
    }
    return output_close(&o, true);
}

/*=============================================================================
 * MARK: - >>tables
 *===========================================================================*/
static void print_distribution(FILE *out, const char *name, const report_distribution *d)
{
    fprintf(out, "%-22s %12.6g %12.6g %12.6g %12.6g %12.6g\n", name, d->mean, d->median, d->p95, d->p99, d->maximum);
}

void report_print(const report *r, FILE *out)
{
    const report_summary *m = &r->summary;
    double efficiency = 0;
    if (r->title[0]) fprintf(out, "%s\n", r->title);
    fprintf(out, "%-22s %12s %12s %12s %12s %12s\n", "", "mean", "median", "95 %", "99 %", "maximum");
    print_distribution(out, "wait [s]", &m->wait);
    print_distribution(out, "turnaround [s]", &m->turnaround);
    print_distribution(out, "bounded slowdown [1]", &m->slowdown);
    fprintf(out, "jobs                   %zu: %zu ended, %zu killed, %zu refused, %zu waiting", m->jobs, m->ended,
            m->killed, m->refused, m->waiting);
    if (m->running + m->expected > 0) fprintf(out, ", %zu running, %zu not submitted", m->running, m->expected);
    fprintf(out, "\nmakespan               %.6g s\n", m->makespan);
    fprintf(out, "utilization            %.4g of %u nodes, %.6g node-seconds\n", m->utilization, r->nodes,
            m->node_seconds);
    fprintf(out, "fairness               %.4g (Jain's index of bounded slowdowns)\n", m->fairness);
    for (int i = 0; i < REPORT_BINS; ++i) efficiency += m->by_efficiency[i];
    if (!(efficiency > 0)) return;
    fprintf(out, "efficiency             node-seconds\n");
    for (int i = 0; i < REPORT_BINS; ++i)
        fprintf(out, "  %.1f .. %.1f           %12.6g\n", i / 10.0, (i + 1) / 10.0, m->by_efficiency[i]);
    if (m->without_efficiency > 0) fprintf(out, "  not known            %12.6g\n", m->without_efficiency);
}

/* What is compared. */
static const struct quantity {
    const char *name, *unit;
} quantities[] = { { "mean wait", "s" },        { "95 % wait", "s" },   { "mean turnaround", "s" },
                   { "bounded slowdown", "1" }, { "utilization", "1" }, { "makespan", "s" },
                   { "fairness", "1" } };

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static double quantity_of(const report_summary *m, int quantity)
{
    const double values[QUANTITIES] = { m->wait.mean,   m->wait.p95, m->turnaround.mean, m->slowdown.mean,
                                        m->utilization, m->makespan, m->fairness };
    return values[quantity];
}

/* The mean of a quantity over the samples of a policy, and half the width of its interval, NaN for one sample. */
static size_t estimate(const report_sample *samples, size_t count, const char *policy, int quantity, double *mean,
                       double *half)
{
    double sum = 0, squares = 0;
    size_t runs = 0;
    for (size_t i = 0; i < count; ++i)
        if (strcmp(samples[i].policy, policy) == 0) sum += quantity_of(&samples[i].summary, quantity), ++runs;
    *mean = sum / (double)runs;
    for (size_t i = 0; i < count; ++i)
        if (strcmp(samples[i].policy, policy) == 0) {
            const double off = quantity_of(&samples[i].summary, quantity) - *mean;
            squares += off * off;
        }
    *half = runs > 1 ? netmodel_student(0.95, runs - 1) * sqrt(squares / (double)(runs - 1) / (double)runs) : NAN;
    return runs;
}

/* Whether a policy has no sample before this one. */
static bool is_first(const report_sample *samples, size_t at)
{
    for (size_t i = 0; i < at; ++i)
        if (strcmp(samples[i].policy, samples[at].policy) == 0) return false;
    return true;
}

void report_print_policies(const report_sample *samples, size_t count, FILE *out)
{
    int width = 12;
    for (size_t i = 0; i < count; ++i)
        if ((int)strlen(samples[i].policy) > width) width = (int)strlen(samples[i].policy);
    fprintf(out, "%-*s %5s", width, "policy", "runs");
    for (int q = 0; q < QUANTITIES; ++q) {
        char head[40];
        snprintf(head, sizeof head, "%s [%s]", quantities[q].name, quantities[q].unit);
        fprintf(out, " %22s", head);
    }
    fputc('\n', out);
    for (size_t i = 0; i < count; ++i) {
        if (!is_first(samples, i)) continue;
        for (int q = 0; q < QUANTITIES; ++q) {
            double mean, half;
            char text[60];
            const size_t runs = estimate(samples, count, samples[i].policy, q, &mean, &half);
            if (q == 0) fprintf(out, "%-*s %5zu", width, samples[i].policy, runs);
            if (isnan(half))
                snprintf(text, sizeof text, "%.5g", mean);
            else
                snprintf(text, sizeof text, "%.5g +- %.2g", mean, half);
            fprintf(out, " %22s", text);
        }
        fputc('\n', out);
    }
    fputs("+-: 95 % interval of the mean over the runs (Student's t)\n", out);
}

bool report_write_policies(const report_sample *samples, size_t count, const char *path, char why[REPORT_WHY])
{
    output o;
    if (!output_open(&o, path, why)) return false;
    fputs("policy,runs [1]", o.file);
    for (int q = 0; q < QUANTITIES; ++q)
        fprintf(o.file, ",%s [%s],+- [%s]", quantities[q].name, quantities[q].unit, quantities[q].unit);
    fputc('\n', o.file);
    for (size_t i = 0; i < count; ++i) {
        if (!is_first(samples, i)) continue;
        fputc('"', o.file);
        for (const char *c = samples[i].policy; *c; ++c) {
            if (*c == '"') fputc('"', o.file);
            fputc(*c, o.file);
        }
        fputc('"', o.file);
        for (int q = 0; q < QUANTITIES; ++q) {
            double mean, half;
            const size_t runs = estimate(samples, count, samples[i].policy, q, &mean, &half);
            if (q == 0) fprintf(o.file, ",%zu", runs);
            number(o.file, mean);
            number(o.file, half);
        }
        fputc('\n', o.file);
    }
    return output_close(&o, true);
}
