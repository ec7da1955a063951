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

/* Logarithms of a time in several worlds. */
typedef struct moments {
    double mean, squares;
    unsigned count;
} moments;

struct report_spread {
    size_t jobs;
    moments turnarounds[REPORT_FIGURES], makespans;
    moments each[]; /* each[jobs]: turnarounds */
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

/* Replaces bytes that are not valid text by question marks. */
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
    if (count > 0) qsort(values, count, sizeof *values, compare_doubles);
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
                          .estimate = j->desc.estimate,
                          .promised = j->promised,
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
    const size_t room = 3 * count + 1; /* also without jobs some */
    double *values = (double *)change_size(r, NULL, 0, room, sizeof *values);
    if (r->jobs) r->job_count = count;
    if (r->no_memory || !values || (count > 0 && !r->jobs)) {
        change_size(r, values, room, 0, sizeof *values);
        return SERVER_NO_MEMORY;
    }
    report_summary *m = &r->summary;
    double square = 0, sum = 0;
    size_t ended = 0, waited = 0;
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
        if (j->state == SERVER_REFUSED) continue; /* the cluster has done nothing for it */
        r->first_submit = fmin(r->first_submit, j->submit);
        if (j->end > r->last_end) r->last_end = j->end;
        if (j->state == SERVER_ENDED || j->state == SERVER_KILLED) values[waited++] = j->wait;
        if (j->state != SERVER_ENDED) continue;
        values[count + ended] = j->turnaround;
        values[2 * count + ended] = j->slowdown;
        sum += j->slowdown;
        square += j->slowdown * j->slowdown;
        ++ended;
    }
    if (!(r->first_submit < INFINITY)) r->first_submit = r->last_end = 0;
    m->wait = distribution(values, waited);
    m->turnaround = distribution(values + count, ended);
    m->slowdown = distribution(values + 2 * count, ended);
    m->fairness = ended > 0 ? sum * sum / ((double)ended * square) : NAN;
    m->makespan = fmax(0, r->last_end - r->first_submit);
    m->utilization = m->makespan > 0 ? m->node_seconds / (r->nodes * m->makespan) : NAN;
    change_size(r, values, room, 0, sizeof *values);
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

/* Names of the four columns of an interval. */
static void head_interval(FILE *out, const char *name)
{
    fprintf(out, ",%s 80 %% from [s],%s 80 %% to [s],%s 95 %% from [s],%s 95 %% to [s]", name, name, name, name);
}

static void write_interval(FILE *out, const interval *in)
{
    for (int i = 0; i < 2; ++i) {
        number(out, interval_known(in) ? in->low[i] : NAN);
        number(out, interval_known(in) ? in->high[i] : NAN);
    }
}

bool report_write_jobs(const report *r, const char *path, char why[REPORT_WHY])
{
    static const char *const kinds[] = { "rigid", "moldable", "malleable" };
    output o;
    if (!kept(r, REPORT_SUMS, path, why) || !output_open(&o, path, why)) return false;
    fputs("job,kind,state,submit [s],begin [s],end [s],wait [s],run [s],turnaround [s],bounded slowdown [1],"
          "node-seconds [s],resizes [1],estimate [s],promised begin [s],nodes over time [s:1]",
          o.file);
    head_interval(o.file, "turnaround");
    fputc('\n', o.file);
    for (size_t i = 0; i < r->job_count; ++i) {
        const report_job *j = &r->jobs[i];
        const double values[] = { j->submit,   j->begin,        j->end,     j->wait,     j->run,     j->turnaround,
                                  j->slowdown, j->node_seconds, j->resizes, j->estimate, j->promised };
        fprintf(o.file, "%llu,%s,%s", (unsigned long long)j->name, kinds[j->kind], state_name(j->state));
        for (size_t k = 0; k < sizeof values / sizeof *values; ++k) number(o.file, values[k]);
        fputc(',', o.file);
        for (size_t k = 0; k < j->changes; ++k)
            fprintf(o.file, "%s%.12g:%u", k > 0 ? " " : "", r->changes[j->first + k].time,
                    r->changes[j->first + k].nodes);
        write_interval(o.file, &j->next);
        fputc('\n', o.file);
    }
    return output_close(&o, true);
}

/*=============================================================================
 * MARK: - >>how sure
 *===========================================================================*/
server_result report_spread_open(size_t jobs, report_spread **spread)
{
    report_spread *s = (report_spread *)calloc(1, sizeof *s + jobs * sizeof *s->each);
    if (s) s->jobs = jobs;
    *spread = s;
    return s ? SERVER_OK : SERVER_NO_MEMORY;
}

void report_spread_close(report_spread *spread)
{
    free(spread);
}

static void add_time(moments *m, double seconds)
{
    if (!(seconds > 0)) return;
    const double off = log(seconds) - m->mean;
    m->mean += off / ++m->count;
    m->squares += off * (log(seconds) - m->mean);
}

static double deviation_of(const moments *m)
{
    return m->count > 1 ? sqrt(m->squares / (m->count - 1)) : 0;
}

static void figures_of(const report_distribution *d, double figures[REPORT_FIGURES])
{
    const double all[REPORT_FIGURES] = { d->mean, d->median, d->p95, d->p99, d->maximum };
    memcpy(figures, all, sizeof all);
}

void report_spread_add(report_spread *spread, const report *r)
{
    double figures[REPORT_FIGURES];
    figures_of(&r->summary.turnaround, figures);
    for (int i = 0; i < REPORT_FIGURES; ++i) add_time(&spread->turnarounds[i], figures[i]);
    add_time(&spread->makespans, r->summary.makespan);
    for (size_t i = 0; i < r->job_count && i < spread->jobs; ++i)
        if (r->jobs[i].state == SERVER_ENDED) add_time(&spread->each[i], r->jobs[i].turnaround);
}

void report_trusts(report *r, const report_trust *trust)
{
    const report_spread *s = trust->spread;
    report_summary *m = &r->summary;
    double figures[REPORT_FIGURES];
    if (trust->none) return;
    figures_of(&m->turnaround, figures);
    for (int i = 0; i < REPORT_FIGURES; ++i)
        m->turnarounds[i] =
            interval_of(trust->family, trust->reasons, figures[i], s ? deviation_of(&s->turnarounds[i]) : 0);
    m->makespans = interval_of(trust->family, trust->reasons, m->makespan, s ? deviation_of(&s->makespans) : 0);
    for (size_t i = 0; i < r->job_count; ++i)
        if (r->jobs[i].state == SERVER_ENDED)
            r->jobs[i].next = interval_of(trust->family, trust->reasons, r->jobs[i].turnaround,
                                          s && i < s->jobs ? deviation_of(&s->each[i]) : 0);
}

void report_print_trust(const report_trust *trust, FILE *out)
{
    const residuals *family = trust->family;
    if (trust->none) {
        fprintf(out, "no interval of a real run: %s\n", trust->none);
        return;
    }
    fprintf(out,
            "intervals of a real run: %.1f %% and %.1f %% about the prediction held 80 %% and 95 %% of %d turnarounds; "
            "waits and "
            "slowdowns have none\n",
            100 * family->within[0], 100 * family->within[1], family->runs);
    interval_print_reasons(out, family, trust->reasons, trust->kind);
    if (trust->worlds > 0)
        fprintf(out, "  widened by the spread of %u draws of the uncertain values in the machine file\n",
                trust->worlds);
}

/*=============================================================================
 * MARK: - >>tables
 *===========================================================================*/
static void print_distribution(FILE *out, const char *name, const report_distribution *d)
{
    if (isnan(d->mean)) {
        fprintf(out, "%-22s %12s %12s %12s %12s %12s\n", name, "-", "-", "-", "-", "-");
        return;
    }
    fprintf(out, "%-22s %12.6g %12.6g %12.6g %12.6g %12.6g\n", name, d->mean, d->median, d->p95, d->p99, d->maximum);
}

/* The ends of the intervals of all figures of a distribution. */
static void print_ends(FILE *out, const interval of[REPORT_FIGURES])
{
    static const char *const names[2][2] = { { "  80 % from", "  80 % to" }, { "  95 % from", "  95 % to" } };
    if (!interval_known(&of[0])) return;
    for (int i = 0; i < 4; ++i) {
        fprintf(out, "%-22s", names[i / 2][i % 2]);
        for (int k = 0; k < REPORT_FIGURES; ++k) fprintf(out, " %12.6g", i % 2 ? of[k].high[i / 2] : of[k].low[i / 2]);
        fputc('\n', out);
    }
}

void report_print(const report *r, FILE *out)
{
    const report_summary *m = &r->summary;
    double efficiency = 0;
    if (r->title[0]) fprintf(out, "%s\n", r->title);
    fprintf(out, "%-22s %12s %12s %12s %12s %12s\n", "", "mean", "median", "95 %", "99 %", "maximum");
    print_distribution(out, "wait [s]", &m->wait);
    print_distribution(out, "turnaround [s]", &m->turnaround);
    print_ends(out, m->turnarounds);
    print_distribution(out, "bounded slowdown [1]", &m->slowdown);
    fprintf(out, "jobs                   %zu: %zu ended, %zu killed, %zu refused, %zu waiting", m->jobs, m->ended,
            m->killed, m->refused, m->waiting);
    if (m->running + m->expected > 0) fprintf(out, ", %zu running, %zu not submitted", m->running, m->expected);
    fprintf(out, "\nmakespan               %.6g s\n", m->makespan);
    interval_print(out, &m->makespans);
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
} quantities[] = { { "wait", "s" },        { "95 % wait", "s" }, { "turnaround", "s" }, { "slowdown", "1" },
                   { "utilization", "1" }, { "makespan", "s" },  { "fairness", "1" },   { "killed", "1" },
                   { "refused", "1" },     { "waiting", "1" } };

enum { QUANTITIES = sizeof quantities / sizeof *quantities, COUNTS = 3 }; /* the last ones are counts of jobs */

static double quantity_of(const report_summary *m, int quantity)
{
    const double values[QUANTITIES] = { m->wait.mean,       m->wait.p95,       m->turnaround.mean, m->slowdown.mean,
                                        m->utilization,     m->makespan,       m->fairness,        (double)m->killed,
                                        (double)m->refused, (double)m->waiting };
    return values[quantity];
}

double report_half(double squares, size_t count)
{
    if (count < 2) return NAN;
    return netmodel_student(0.95, count - 1) * sqrt(squares / (double)(count - 1) / (double)count);
}

/* The width of an 80 % interval of a mean over so many runs, of that of 95 %. */
static double narrower(size_t runs)
{
    return runs > 1 ? netmodel_student(0.8, runs - 1) / netmodel_student(0.95, runs - 1) : NAN;
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
    *half = report_half(squares, runs);
    return runs;
}

/* Whether a policy has no sample before this one. */
static bool is_first(const report_sample *samples, size_t at)
{
    for (size_t i = 0; i < at; ++i)
        if (strcmp(samples[i].policy, samples[at].policy) == 0) return false;
    return true;
}

/* A cell of the table of policies; sets `interval` if it has one. */
static int print_estimate(const report_sample *samples, size_t count, const char *policy, int quantity, char text[60],
                          bool *interval)
{
    double mean, half;
    estimate(samples, count, policy, quantity, &mean, &half);
    if (isnan(half)) return snprintf(text, 60, "%.5g", mean);
    *interval = true;
    return snprintf(text, 60, "%.5g +- %.2g", mean, half);
}

/* The intervals of a real run, where there are any, in a table of their own. */
static void print_policy_intervals(const report_sample *samples, size_t count, int width, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
        const interval *const ends[2] = { &samples[i].summary.turnarounds[0], &samples[i].summary.makespans };
        if (!is_first(samples, i) || !interval_known(ends[0])) continue;
        if (!any)
            fprintf(out, "%-*s  %22s  %22s  %22s  %22s\n", width, "policy", "turnaround 80 % [s]", "95 % [s]",
                    "makespan 80 % [s]", "95 % [s]");
        any = true;
        fprintf(out, "%-*s", width, samples[i].policy);
        for (int k = 0; k < 4; ++k) fprintf(out, "  %9.5g to %9.5g", ends[k / 2]->low[k % 2], ends[k / 2]->high[k % 2]);
        fputc('\n', out);
    }
}

void report_print_policies(const report_sample *samples, size_t count, FILE *out)
{
    /* Columns are as wide as what stands in them; the first two lines are the names and the units. */
    char text[60];
    int policy = 6, width[QUANTITIES];
    bool intervals = false, shown[QUANTITIES];
    size_t most = 0;
    for (int q = 0; q < QUANTITIES; ++q) {
        width[q] = (int)strlen(quantities[q].name);
        shown[q] = q < QUANTITIES - COUNTS; /* counts only if there is something to tell */
        for (size_t i = 0; i < count; ++i) shown[q] = shown[q] || quantity_of(&samples[i].summary, q) > 0;
    }
    for (size_t i = 0; i < count; ++i) {
        if ((int)strlen(samples[i].policy) > policy) policy = (int)strlen(samples[i].policy);
        for (int q = 0; q < QUANTITIES; ++q) {
            const int length = print_estimate(samples, count, samples[i].policy, q, text, &intervals);
            if (length > width[q]) width[q] = length;
        }
    }
    fprintf(out, "%-*s  runs", policy, "policy");
    for (int q = 0; q < QUANTITIES; ++q)
        if (shown[q]) fprintf(out, "  %*s", width[q], quantities[q].name);
    fprintf(out, "\n%-*s      ", policy, "");
    for (int q = 0; q < QUANTITIES; ++q)
        if (shown[q]) fprintf(out, "  %*s[%s]", width[q] - 2 - (int)strlen(quantities[q].unit), "", quantities[q].unit);
    fputc('\n', out);
    for (size_t i = 0; i < count; ++i) {
        double mean, half;
        if (!is_first(samples, i)) continue;
        const size_t runs = estimate(samples, count, samples[i].policy, 0, &mean, &half);
        if (runs > most) most = runs;
        fprintf(out, "%-*s  %4zu", policy, samples[i].policy, runs);
        for (int q = 0; q < QUANTITIES; ++q) {
            if (!shown[q]) continue;
            print_estimate(samples, count, samples[i].policy, q, text, &intervals);
            fprintf(out, "  %*s", width[q], text);
        }
        fputc('\n', out);
    }
    if (intervals) fputs("+-: 95 % interval of the mean over the runs (Student's t)", out);
    if (intervals) fprintf(out, "; an 80 %% interval of %zu is %.3g times as wide\n", most, narrower(most));
    print_policy_intervals(samples, count, policy, out);
}

bool report_write_policies(const report_sample *samples, size_t count, const char *path, char why[REPORT_WHY])
{
    output o;
    if (!output_open(&o, path, why)) return false;
    fputs("policy,runs [1]", o.file);
    for (int q = 0; q < QUANTITIES; ++q)
        fprintf(o.file, ",%s [%s],%s +- [%s]", quantities[q].name, quantities[q].unit, quantities[q].name,
                quantities[q].unit);
    for (int q = 0; q < QUANTITIES; ++q) fprintf(o.file, ",%s 80 %% +- [%s]", quantities[q].name, quantities[q].unit);
    head_interval(o.file, "turnaround");
    head_interval(o.file, "makespan");
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
        for (int q = 0; q < QUANTITIES; ++q) {
            double mean, half;
            const size_t runs = estimate(samples, count, samples[i].policy, q, &mean, &half);
            number(o.file, narrower(runs) * half);
        }
        write_interval(o.file, &samples[i].summary.turnarounds[0]);
        write_interval(o.file, &samples[i].summary.makespans);
        fputc('\n', o.file);
    }
    return output_close(&o, true);
}

/*=============================================================================
 * MARK: - >>time series
 *===========================================================================*/
/* The value from `time` on; before series_sum(), what is added to it at `time`. A ratio is value / weight. */
typedef struct step {
    double time, value, weight;
    size_t index; /* order of addition: steps of one instant are summed in this order */
} step;

typedef struct series {
    step *steps;
    size_t count, space;
} series;

static void series_add(series *s, double time, double value, double weight)
{
    s->steps[s->count] = (step){ time, value, weight, s->count };
    ++s->count;
}

static int compare_steps(const void *a, const void *b)
{
    const step *x = (const step *)a, *y = (const step *)b;
    const int by_time = compare(x->time, y->time);
    return by_time ? by_time : (x->index > y->index) - (x->index < y->index);
}

/* Sorts, and sums up; steps of one instant become one. */
static void series_sum(series *s)
{
    size_t kept = 0;
    double value = 0, weight = 0;
    if (s->count > 0) qsort(s->steps, s->count, sizeof *s->steps, compare_steps);
    for (size_t i = 0; i < s->count; ++i) {
        value += s->steps[i].value;
        weight += s->steps[i].weight;
        if (weight <= 0) value = fabs(value) < 1e-6 ? 0 : value; /* what rounding leaves */
        if (i + 1 < s->count && s->steps[i + 1].time <= s->steps[i].time) continue;
        s->steps[kept] = (step){ s->steps[i].time, value, weight, kept };
        ++kept;
    }
    s->count = kept;
}

/* More steps than columns of pixels become one mean per column. */
static void series_thin(series *s, double from, double to)
{
    enum { COLUMNS = 800 };
    double sums[COLUMNS][2] = { { 0, 0 } };
    if (s->count < 2 * COLUMNS) return;
    const double width = (to - from) / COLUMNS;
    for (size_t i = 0; i < s->count; ++i) {
        const double begin = s->steps[i].time, end = i + 1 < s->count ? s->steps[i + 1].time : to;
        for (int c = (int)fmax(0, floor((begin - from) / width)); c < COLUMNS && from + c * width < end; ++c) {
            const double part = fmin(end, from + (c + 1) * width) - fmax(begin, from + c * width);
            if (!(part > 0)) continue;
            sums[c][0] += part / width * s->steps[i].value;
            sums[c][1] += part / width * s->steps[i].weight;
        }
    }
    s->count = 0;
    for (int c = 0; c < COLUMNS; ++c) series_add(s, from + c * width, sums[c][0], sums[c][1]);
}

static bool series_open(const report *r, series *s, size_t space)
{
    *s = (series){ (step *)change_size(r, NULL, 0, space, sizeof(step)), 0, space };
    return s->steps || space == 0;
}

static void series_close(const report *r, series *s)
{
    change_size(r, s->steps, s->space, 0, sizeof *s->steps);
}

static bool series_of_queue(const report *r, series *s)
{
    if (!series_open(r, s, 2 * r->job_count)) return false;
    for (size_t i = 0; i < r->job_count; ++i) {
        const report_job *j = &r->jobs[i];
        if (j->state == SERVER_EXPECTED) continue;
        series_add(s, j->submit, 1, 0);
        if (j->begin >= 0 || j->state == SERVER_REFUSED) series_add(s, j->begin >= 0 ? j->begin : j->end, -1, 0);
    }
    series_sum(s);
    return true;
}

static bool series_of_nodes(const report *r, series *s)
{
    if (!series_open(r, s, r->change_count)) return false;
    for (size_t i = 0; i < r->change_count; ++i) {
        const report_change *c = &r->changes[i];
        const unsigned before = i > 0 && c[-1].job == c->job ? c[-1].nodes : 0;
        series_add(s, c->time, (double)c->nodes - before, 0);
    }
    series_sum(s);
    return true;
}

static bool series_of_efficiency(const report *r, series *s)
{
    if (!series_open(r, s, 2 * r->piece_count)) return false;
    for (size_t i = 0; i < r->piece_count; ++i) {
        const piece *p = &r->pieces[i];
        series_add(s, p->begin, p->nodes * p->efficiency, p->nodes);
        series_add(s, p->end, -(p->nodes * p->efficiency), -(double)p->nodes);
    }
    series_sum(s);
    return true;
}

/*=============================================================================
 * MARK: - >>pictures
 *===========================================================================*/
/* The time axis of a picture, in seconds, hours or days. */
typedef struct times {
    double from, to, unit; /* [s] */
    const char *label;
} times;

static times times_of(const report *r)
{
    const double from = r->first_submit, length = r->last_end > from ? r->last_end - from : 1;
    times t = { from, from + length, 1, "time [s]" };
    if (length > 3 * 86400.)
        t.unit = 86400, t.label = "time [d]";
    else if (length > 3 * 3600.)
        t.unit = 3600, t.label = "time [h]";
    return t;
}

static svg_axis time_axis(const times *t)
{
    return (svg_axis){ .label = t->label, .from = t->from / t->unit, .to = t->to / t->unit };
}

static void start_picture(svg *s, const output *o, const report *r, const char *what, double width, double height)
{
    char title[400];
    snprintf(title, sizeof title, "%s%s%s", what, r->title[0] ? ": " : "", r->title);
    clean(title);
    svg_start(s, o->file, title, width, height);
}

static bool end_picture(output *o, bool good)
{
    fputs("</svg>\n", o->file);
    return output_close(o, good);
}

/* A line in steps; a ratio has a gap where nothing runs. */
static void draw_steps(svg *s, const series *of, const times *t, double scale, bool ratio, svg_style style,
                       const char *colour)
{
    bool drawn = false;
    double last = 0;
    for (size_t i = 0; i < of->count; ++i) {
        const step *at = &of->steps[i];
        const double x = at->time / t->unit, y = ratio ? at->value / at->weight : at->value * scale;
        const bool gap = ratio && !(at->weight > 1e-9);
        if (drawn) svg_at(s, x, last);
        if (gap && drawn && style == SVG_BAND) svg_at(s, x, 0);
        if (gap && drawn) svg_end(s);
        if (!gap && !drawn) svg_begin(s, style, colour, NULL);
        if (!gap && !drawn && style == SVG_BAND) svg_at(s, x, 0);
        if (!gap) svg_at(s, x, y);
        drawn = !gap;
        last = y;
    }
    if (!drawn) return;
    svg_at(s, t->to / t->unit, last);
    if (style == SVG_BAND) svg_at(s, t->to / t->unit, 0);
    svg_end(s);
}

static void draw_level(svg *s, const times *t, double level, const char *colour, const char *what)
{
    char text[60];
    if (!(level >= 0)) return;
    snprintf(text, sizeof text, "%s %.3g", what, level);
    svg_begin(s, SVG_DASHED, colour, text);
    svg_at(s, t->from / t->unit, level);
    svg_at(s, t->to / t->unit, level);
    svg_end(s);
}

bool report_draw_utilization(const report *r, const char *path, char why[REPORT_WHY])
{
    output o;
    svg s;
    series nodes = { NULL, 0, 0 }, queue = { NULL, 0, 0 };
    if (!kept(r, REPORT_CHANGES, path, why) || !output_open(&o, path, why)) return false;
    const times t = times_of(r);
    const bool good = series_of_nodes(r, &nodes) && series_of_queue(r, &queue);
    double longest = 0, mean = 0;
    for (size_t i = 0; i < queue.count && good; ++i) {
        const double end = i + 1 < queue.count ? queue.steps[i + 1].time : t.to;
        longest = fmax(longest, queue.steps[i].value);
        mean += queue.steps[i].value * (end - queue.steps[i].time) / (t.to - t.from);
    }
    if (good) {
        series_thin(&nodes, t.from, t.to);
        series_thin(&queue, t.from, t.to);
        start_picture(&s, &o, r, "Utilization and queue", 1000, 580);
        s.height = 190;
        svg_axis axis = time_axis(&t);
        axis.label = "";
        svg_plot(&s, 80, 820, axis, (svg_axis){ .label = "utilization [1]", .from = 0, .to = 1 });
        draw_steps(&s, &nodes, &t, 1. / r->nodes, false, SVG_BAND, svg_colours[0]);
        draw_steps(&s, &nodes, &t, 1. / r->nodes, false, SVG_LINE, svg_colours[0]);
        svg_legend(&s, SVG_LINE, svg_colours[0], "nodes that work");
        draw_level(&s, &t, r->summary.utilization, "black", "mean");
        s.top += 190 + 72;
        s.legend = s.top + 8;
        svg_plot(&s, 80, 820, time_axis(&t),
                 (svg_axis){ .label = "waiting jobs [1]", .from = 0, .to = fmax(8, 1.05 * longest) });
        draw_steps(&s, &queue, &t, 1, false, SVG_BAND, svg_colours[1]);
        draw_steps(&s, &queue, &t, 1, false, SVG_LINE, svg_colours[1]);
        svg_legend(&s, SVG_LINE, svg_colours[1], "waiting jobs");
        draw_level(&s, &t, mean, "black", "mean");
    }
    series_close(r, &nodes);
    series_close(r, &queue);
    return end_picture(&o, good);
}

bool report_draw_efficiency(const report *r, const char *path, char why[REPORT_WHY])
{
    output o;
    svg s;
    series efficiency;
    if (!kept(r, REPORT_CHANGES, path, why) || !output_open(&o, path, why)) return false;
    const times t = times_of(r);
    const bool good = series_of_efficiency(r, &efficiency);
    double node_seconds = 0, useful = 0, highest = 1;
    for (size_t i = 0; i < r->piece_count; ++i) {
        const double used = r->pieces[i].nodes * (r->pieces[i].end - r->pieces[i].begin);
        node_seconds += used;
        useful += used * r->pieces[i].efficiency;
        highest = fmax(highest, r->pieces[i].efficiency);
    }
    if (good) {
        series_thin(&efficiency, t.from, t.to);
        start_picture(&s, &o, r, "Efficiency of the nodes that work", 1000, 380);
        svg_plot(&s, 80, 820, time_axis(&t), (svg_axis){ .label = "efficiency [1]", .from = 0, .to = highest });
        draw_steps(&s, &efficiency, &t, 1, true, SVG_BAND, svg_colours[2]);
        draw_steps(&s, &efficiency, &t, 1, true, SVG_LINE, svg_colours[2]);
        svg_legend(&s, SVG_LINE, svg_colours[2], "mean over nodes");
        if (node_seconds > 0)
            draw_level(&s, &t, useful / node_seconds, "black", "mean");
        else
            svg_text(&s, 450, s.top + s.height / 2, "middle", "no job has an efficiency");
        if (node_seconds > 0 && r->summary.without_efficiency > 0)
            svg_text(&s, 820, SVG_TOP - 12, "end", "without jobs whose efficiency is not known");
    }
    series_close(r, &efficiency);
    return end_picture(&o, good);
}

/*=============================================================================
 * MARK: - >>rectangles
 *===========================================================================*/
/* A range of nodes that a job has for a time. */
typedef struct rectangle {
    double begin, end;
    server_range range;
    server_number job;
    double area; /* [s] */
} rectangle;

/* rectangles[*count], job by job; NULL without memory, or if there are none. `space` is how many were allocated. */
static rectangle *rectangles_of(const report *r, size_t *count, size_t *space)
{
    rectangle *list = (rectangle *)change_size(r, NULL, 0, r->range_count, sizeof *list);
    *count = 0;
    *space = list ? r->range_count : 0;
    for (size_t i = 0; list && i < r->change_count; ++i) {
        const report_change *c = &r->changes[i];
        const bool more = i + 1 < r->change_count && c[1].job == c->job;
        const double end = more ? c[1].time : fmax(c->time, r->last_end);
        for (uint32_t k = 0; k < c->range_count; ++k) {
            const server_range range = r->ranges[c->first + k];
            list[(*count)++] = (rectangle){ c->time, end, range, c->job, range.count * (end - c->time) };
        }
    }
    return list;
}

enum { GANTT_COLOURS = 12, GANTT_MOST = 4000, GANTT_WIDTH = 840 /* [px] */ };

static const struct gantt_colour {
    const char *fill;
    bool dark; /* text on it is white */
} gantt_colours[GANTT_COLOURS] = { { "#4477aa", true },  { "#ee6677", false }, { "#228833", true },
                                   { "#ccbb44", false }, { "#66ccee", false }, { "#aa3377", true },
                                   { "#ee7733", false }, { "#332288", true },  { "#88cc88", false },
                                   { "#cc99bb", false }, { "#886633", true },  { "#99aabb", false } };

/* Jobs in the order in which their rectangles begin. */
static int compare_begins(const void *a, const void *b)
{
    const rectangle *x = (const rectangle *)a, *y = (const rectangle *)b;
    const int by_time = compare(x->begin, y->begin);
    if (by_time) return by_time;
    if (x->job != y->job) return x->job < y->job ? -1 : 1;
    return (x->range.first > y->range.first) - (x->range.first < y->range.first);
}

static int compare_areas(const void *a, const void *b)
{
    const int by_area = compare(((const rectangle *)b)->area, ((const rectangle *)a)->area);
    return by_area ? by_area : compare_begins(a, b);
}

enum { NO_COLOUR = 255 };

/* Chooses the colour of each job: one that none of the jobs beside it and before it on its nodes has, or few of them.
 * Rectangles in the order in which they begin; last[nodes] is scratch. */
static void choose_colours(const report *r, const rectangle *list, size_t count, unsigned char *colours,
                           unsigned char *last)
{
    int next = 0;
    memset(colours, NO_COLOUR, r->job_count);
    memset(last, NO_COLOUR, r->nodes);
    for (size_t i = 0; i < count;) {
        const server_number job = list[i].job;
        unsigned long taken[GANTT_COLOURS] = { 0 };
        size_t end = i;
        for (; end < count && list[end].job == job; ++end) {
            const server_range range = list[end].range;
            const uint32_t from = range.first > 0 ? range.first - 1 : 0,
                           to = range.first + range.count < r->nodes ? range.first + range.count : r->nodes - 1;
            for (uint32_t n = from; n <= to; ++n)
                if (last[n] != NO_COLOUR) ++taken[last[n]];
        }
        if (colours[job] == NO_COLOUR) {
            int best = next;
            for (int k = 1; k < GANTT_COLOURS; ++k)
                if (taken[(next + k) % GANTT_COLOURS] < taken[best]) best = (next + k) % GANTT_COLOURS;
            colours[job] = (unsigned char)best;
            next = (best + 1) % GANTT_COLOURS;
        }
        for (; i < end; ++i) memset(last + list[i].range.first, colours[job], list[i].range.count);
    }
}

/* Rectangles that are not drawn: how much of each cell of the picture they cover. */
enum { SHADE_COLUMNS = 250, SHADE_ROWS = 80, SHADE_LEVELS = 8 };

static void draw_shade(svg *s, const report *r, const times *t, const rectangle *list, size_t count)
{
    float used[SHADE_ROWS][SHADE_COLUMNS] = { { 0 } };
    const int rows = r->nodes < SHADE_ROWS ? (int)r->nodes : SHADE_ROWS;
    const double width = (t->to - t->from) / SHADE_COLUMNS, height = (double)r->nodes / rows;
    for (size_t i = 0; i < count; ++i) {
        const double low = list[i].range.first, high = low + list[i].range.count;
        for (int y = (int)(low / height); y < rows && y * height < high; ++y)
            for (int x = (int)fmax(0, (list[i].begin - t->from) / width);
                 x < SHADE_COLUMNS && t->from + x * width < list[i].end; ++x) {
                const double wide = fmin(list[i].end, t->from + (x + 1) * width) -
                                    fmax(list[i].begin, t->from + x * width),
                             tall = fmin(high, (y + 1) * height) - fmax(low, y * height);
                if (wide > 0 && tall > 0) used[y][x] += (float)(wide / width * (tall / height));
            }
    }
    for (int y = 0; y < rows; ++y)
        for (int x = 0, end; x < SHADE_COLUMNS; x = end) {
            const int level = (int)(fminf(1, used[y][x]) * SHADE_LEVELS + 0.5f);
            for (end = x + 1; end < SHADE_COLUMNS; ++end)
                if ((int)(fminf(1, used[y][end]) * SHADE_LEVELS + 0.5f) != level) break;
            if (level == 0) continue;
            const int grey = 255 - level * 15;
            char colour[8];
            snprintf(colour, sizeof colour, "#%02x%02x%02x", (unsigned)grey & 255, (unsigned)grey & 255,
                     (unsigned)grey & 255);
            svg_box(s, (t->from + x * width) / t->unit, y * height, (t->from + end * width) / t->unit, (y + 1) * height,
                    colour);
        }
}

/* The number of a job where it fits, in its largest rectangle: the first one in the list. */
static void draw_numbers(svg *s, const report *r, const times *t, const rectangle *list, size_t count,
                         const unsigned char *colours, unsigned char *drawn)
{
    for (int dark = 0; dark < 2; ++dark) {
        fprintf(s->file, "<g font-size=\"11\" fill=\"%s\">\n", dark ? "white" : "black");
        for (size_t i = 0; i < count; ++i) {
            const rectangle *at = &list[i];
            if (gantt_colours[colours[at->job]].dark != dark || drawn[at->job]) continue;
            char text[24];
            const double left = svg_x(s, at->begin / t->unit), right = svg_x(s, at->end / t->unit),
                         top = svg_y(s, at->range.first), bottom = svg_y(s, (double)at->range.first + at->range.count);
            drawn[at->job] = 1;
            snprintf(text, sizeof text, "%llu", (unsigned long long)r->jobs[at->job].name);
            if (right - left >= 6.5 * (double)strlen(text) + 4 && bottom - top >= 11)
                svg_text(s, (left + right) / 2, (top + bottom) / 2 + 4, "middle", text);
        }
        fputs("</g>\n", s->file);
    }
}

/* Rectangles with a border; not between those of one job, and not where it would cover the colour. */
static void draw_rectangles(svg *s, const report *r, const times *t, const rectangle *list, size_t count,
                            const unsigned char *colours)
{
    fputs("<g shape-rendering=\"crispEdges\">\n", s->file);
    for (size_t i = 0; i < count; ++i) {
        const rectangle *at = &list[i];
        const report_job *j = &r->jobs[at->job];
        const bool killed = j->state == SERVER_KILLED;
        const double left = svg_x(s, at->begin / t->unit), width = svg_x(s, at->end / t->unit) - left,
                     top = svg_y(s, at->range.first),
                     height = svg_y(s, (double)at->range.first + at->range.count) - top;
        fprintf(s->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", left, top,
                fmax(0.2, width), height, gantt_colours[colours[at->job]].fill);
        if ((width < 3 || height < 3) && !killed) continue;
        fprintf(s->file, "<path d=\"M%.2f %.2f h%.2f m0 %.2f h%.2f", left, top, width, height, -width);
        if (at->begin <= j->begin) fprintf(s->file, " v%.2f", -height);
        if (at->end >= j->end) fprintf(s->file, " M%.2f %.2f v%.2f", left + width, top, height);
        fprintf(s->file, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"/>\n", killed ? "#dd0000" : "white",
                killed ? 2 : 1);
    }
    fputs("</g>\n", s->file);
}

/* The axis of nodes, from the top; few nodes have a name each. */
static void draw_node_axis(svg *s, const report *r, const times *t)
{
    enum { NAMED = 32 };
    char texts[NAMED][4];
    const char *names[NAMED];
    for (int i = 0; i < NAMED; ++i) {
        snprintf(texts[i], sizeof texts[i], "%d", i % 100);
        names[i] = texts[i];
    }
    svg_axis axis = { .label = "node", .from = 0, .to = r->nodes, .rows = true };
    if (r->nodes <= NAMED) axis.names = names;
    svg_plot(s, 80, 80 + GANTT_WIDTH, time_axis(t), axis);
    if (r->nodes <= NAMED) return;
    const double ten = pow(10, floor(log10(r->nodes / 4.))), by = r->nodes / ten >= 20  ? 5 * ten
                                                                  : r->nodes / ten >= 8 ? 2 * ten
                                                                                        : ten;
    for (double n = 0; n < r->nodes; n += by) svg_tick(s, &s->y, n);
}

/* Chooses rectangles to draw: of the GANTT_MOST largest, those at least a pixel wide. They go to the front of the list.
 * Returns how many they are. */
static size_t choose_shown(rectangle *list, double pixel)
{
    size_t shown = 0;
    for (size_t i = 0; i < GANTT_MOST; ++i) {
        const rectangle at = list[i];
        if (at.end - at.begin < pixel) continue;
        list[i] = list[shown];
        list[shown++] = at;
    }
    return shown;
}

bool report_draw_gantt(const report *r, const char *path, char why[REPORT_WHY])
{
    output o;
    svg s;
    size_t count, space;
    if (!kept(r, REPORT_RANGES, path, why) || !output_open(&o, path, why)) return false;
    const times t = times_of(r);
    rectangle *list = rectangles_of(r, &count, &space);
    unsigned char *bytes = (unsigned char *)change_size(r, NULL, 0, 2 * r->job_count + r->nodes, 1);
    const bool good = bytes && (list || r->range_count == 0);
    if (good) {
        unsigned char *colours = bytes, *drawn = bytes + r->job_count, *last = drawn + r->job_count;
        if (count > 0) qsort(list, count, sizeof *list, compare_begins);
        choose_colours(r, list, count, colours, last);
        if (count > 0) qsort(list, count, sizeof *list, compare_areas);
        const size_t shown = count > GANTT_MOST ? choose_shown(list, (t.to - t.from) / GANTT_WIDTH) : count;
        const double height = fmin(560, fmax(160, 22. * r->nodes));
        memset(drawn, 0, r->job_count);
        start_picture(&s, &o, r, "Jobs on nodes", 1000, height + SVG_TOP + 56);
        draw_node_axis(&s, r, &t);
        if (shown < count) {
            char note[120];
            snprintf(note, sizeof note, "%zu of %zu rectangles are not shown; grey: what they use", count - shown,
                     count);
            draw_shade(&s, r, &t, list + shown, count - shown);
            svg_text(&s, 80 + GANTT_WIDTH, SVG_TOP - 12, "end", note);
        } else {
            svg_text(&s, 80 + GANTT_WIDTH, SVG_TOP - 12, "end",
                     r->summary.killed > 0 ? "a colour and a number per job; red border: killed"
                                           : "a colour and a number per job");
        }
        draw_rectangles(&s, r, &t, list, shown, colours);
        draw_numbers(&s, r, &t, list, shown, colours, drawn);
    }
    change_size(r, list, space, 0, sizeof *list);
    change_size(r, bytes, 2 * r->job_count + r->nodes, 0, 1);
    return end_picture(&o, good);
}

/*=============================================================================
 * MARK: - >>trace
 *===========================================================================*/
static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_counter(FILE *out, const series *s, const char *name, double scale, double until)
{
    for (size_t i = 0; i < s->count && s->steps[i].time <= until; ++i)
        fprintf(out, ",\n{\"name\": \"%s\", \"ph\": \"C\", \"pid\": 1, \"ts\": %.3f, \"args\": {\"%s\": %.6f}}", name,
                1e6 * s->steps[i].time, name, scale * s->steps[i].value);
}

static void write_bars(FILE *out, const report *r, const rectangle *list, size_t count, bool each_node)
{
    for (size_t i = 0; i < count; ++i) {
        const report_job *j = &r->jobs[list[i].job];
        const uint32_t rows = each_node ? list[i].range.count : 1;
        for (uint32_t k = 0; k < rows; ++k)
            fprintf(out,
                    ",\n{\"name\": \"job %llu\", \"ph\": \"X\", \"pid\": 1, \"tid\": %lu, \"ts\": %.3f, \"dur\": %.3f, "
                    "\"args\": {\"first node\": %lu, \"nodes\": %lu, \"state\": \"%s\"}}",
                    (unsigned long long)j->name, (unsigned long)list[i].range.first + k, 1e6 * list[i].begin,
                    1e6 * (list[i].end - list[i].begin), (unsigned long)list[i].range.first,
                    (unsigned long)list[i].range.count, state_name(j->state));
    }
}

enum { TRACE_MOST = 200000 }; /* bars, with the counters until then up to 100 MB: what viewers open */

bool report_write_trace(const report *r, const char *path, char why[REPORT_WHY])
{
    output o;
    size_t count, space;
    series nodes = { NULL, 0, 0 }, queue = { NULL, 0, 0 };
    if (!kept(r, REPORT_RANGES, path, why) || !output_open(&o, path, why)) return false;
    rectangle *list = rectangles_of(r, &count, &space);
    const bool good = (list || r->range_count == 0) && series_of_nodes(r, &nodes) && series_of_queue(r, &queue);
    if (good) {
        double bars = 0, until = (double)INFINITY;
        const size_t all = count;
        if (all > TRACE_MOST) {
            qsort(list, all, sizeof *list, compare_begins);
            count = TRACE_MOST;
            until = list[count].begin;
        }
        for (size_t i = 0; i < count; ++i) bars += list[i].range.count;
        fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
              "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": ",
              o.file);
        write_string(o.file, r->title[0] ? r->title : "cluster");
        fputs("}}", o.file);
        if (count < all)
            fprintf(o.file,
                    ",\n{\"name\": \"process_labels\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"labels\": "
                    "\"until %.3f s: the first %zu of %zu bars\"}}",
                    until, count, all);
        for (unsigned n = 0; n < r->nodes; ++n)
            fprintf(o.file,
                    ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"args\": {\"name\": "
                    "\"node %u\"}}",
                    n, n);
        write_bars(o.file, r, list, count, bars <= TRACE_MOST);
        write_counter(o.file, &nodes, "utilization", 1. / r->nodes, until);
        write_counter(o.file, &queue, "waiting jobs", 1, until);
        fputs("\n]}\n", o.file);
    }
    change_size(r, list, space, 0, sizeof *list);
    series_close(r, &nodes);
    series_close(r, &queue);
    return output_close(&o, good);
}
