/* workload.c - see workload.h */
#define _POSIX_C_SOURCE 200809L /* dup, open */
#include "workload.h"
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/*=============================================================================
 * MARK: - >>memory (private)
 *
 * What grows has arrays of its own; works, texts and tables stand in blocks that never move.
 *===========================================================================*/
typedef struct block {
    struct block *next;
    size_t size, used; /* of the bytes behind it */
} block;

/* A workload in the making, and after that. */
typedef struct making {
    workload w; /* first: workload_close() goes back from it */
    simkit_memory memory;
    block *blocks;
    size_t job_room, name_room, origin_room, record_room, comment_room;
    work time; /* shared by all jobs with a run time and nothing else */
} making;

static void *resize(const simkit_memory *m, void *memory, size_t old_bytes, size_t new_bytes)
{
    if (m->reallocate) return m->reallocate(m->user, memory, old_bytes, new_bytes);
    if (new_bytes > 0) return realloc(memory, new_bytes);
    free(memory);
    return NULL;
}

static making *make(const simkit_memory *memory)
{
    making *m = (making *)resize(memory, NULL, 0, sizeof *m);
    if (!m) return NULL;
    memset(m, 0, sizeof *m);
    m->memory = *memory;
    return m;
}

/* An array with room for one more; NULL: no memory, and the array is as before. */
static void *grown(making *m, void *array, size_t count, size_t *room, size_t bytes)
{
    if (count < *room) return array;
    const size_t more = *room ? 2 * *room : 8;
    if (more > SIZE_MAX / 2 / bytes) return NULL;
    void *moved = resize(&m->memory, array, *room * bytes, more * bytes);
    if (moved) *room = more;
    return moved;
}

/* Zeroed memory that lives as long as the workload. */
static void *keep(making *m, size_t bytes)
{
    const size_t size = (bytes + 15) / 16 * 16, head = (sizeof(block) + 15) / 16 * 16;
    if (!m->blocks || m->blocks->size - m->blocks->used < size) {
        const size_t room = size > 1024 ? size : 4096;
        block *fresh = (block *)resize(&m->memory, NULL, 0, head + room);
        if (!fresh) return NULL;
        *fresh = (block){ m->blocks, room, 0 };
        m->blocks = fresh;
    }
    void *kept = (char *)m->blocks + head + m->blocks->used;
    m->blocks->used += size;
    return memset(kept, 0, size);
}

static char *keep_text(making *m, const char *text, size_t length)
{
    char *kept = (char *)keep(m, length + 1);
    if (kept && length > 0) memcpy(kept, text, length);
    return kept;
}

static void release(const simkit_memory *memory, void *pointer, size_t bytes)
{
    if (pointer) resize(memory, pointer, bytes, 0);
}

void workload_close(workload *w)
{
    if (!w) return;
    making *m = (making *)w;
    const simkit_memory memory = m->memory;
    for (block *b = m->blocks, *next; b; b = next) {
        next = b->next;
        release(&memory, b, (sizeof *b + 15) / 16 * 16 + b->size);
    }
    release(&memory, w->jobs, m->job_room * sizeof *w->jobs);
    release(&memory, w->names, m->name_room * sizeof *w->names);
    release(&memory, w->record, m->origin_room * sizeof *w->record);
    release(&memory, w->records, m->record_room * sizeof *w->records);
    release(&memory, w->comments, m->comment_room * sizeof *w->comments);
    release(&memory, m, sizeof *m);
}

static bool add_job(making *m, const server_job_desc *job)
{
    server_job_desc *jobs = (server_job_desc *)grown(m, m->w.jobs, m->w.count, &m->job_room, sizeof *jobs);
    if (!jobs) return false;
    m->w.jobs = jobs;
    jobs[m->w.count++] = *job;
    return true;
}

/* Adds the name of the next job. */
static bool add_name(making *m, const char *name)
{
    const char **names = (const char **)grown(m, m->w.names, m->w.count, &m->name_room, sizeof *names);
    if (!names) return false;
    m->w.names = names;
    names[m->w.count] = name;
    return true;
}

/*=============================================================================
 * MARK: - >>input (private)
 *===========================================================================*/
typedef simkit_result parse(making *m, simkit_reader *r);

simkit_result workload_text(const simkit_memory *memory, const char *path, char **text, size_t *length, size_t *size,
                            char why[200])
{
    simkit_result result = SIMKIT_OK;
    *text = NULL;
    *length = *size = 0;
    errno = 0;
    const int input = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    gzFile file = input >= 0 ? gzdopen(input, "rb") : NULL; /* also reads what is not compressed */
    if (!file) {
        snprintf(why, 200, "%s", errno ? strerror(errno) : "no memory");
        if (input >= 0) close(input);
        return SIMKIT_NO_FILE;
    }
    for (int got = 1; result == SIMKIT_OK && got > 0;) {
        if (*length == *size) {
            const size_t more = *size ? 2 * *size : 65536;
            char *moved = (char *)resize(memory, *text, *size, more);
            if (!moved) {
                result = SIMKIT_NO_MEMORY;
                break;
            }
            *text = moved;
            *size = more;
        }
        const size_t room = *size - *length < 1 << 20 ? *size - *length : 1 << 20;
        got = gzread(file, *text + *length, (unsigned)room);
        if (got > 0) *length += (size_t)got;
    }
    int error = Z_OK;
    const char *said = gzerror(file, &error);
    if (result == SIMKIT_OK && error != Z_OK) {
        snprintf(why, 200, "%s", error == Z_ERRNO ? strerror(errno) : error == Z_BUF_ERROR ? "the compressed file is cut off" : said);
        result = SIMKIT_NO_FILE;
    }
    gzclose(file);
    if (result != SIMKIT_OK) {
        release(memory, *text, *size);
        *text = NULL;
        *length = *size = 0;
    }
    return result;
}

static simkit_result read_file(const simkit_memory *memory, simkit_reader *r, char **text, size_t *length, size_t *size)
{
    char why[200];
    const simkit_result result = workload_text(memory, r->file, text, length, size, why);
    if (result == SIMKIT_NO_FILE) simkit_reader_error(r, NULL, "the file cannot be read: %.150s", why);
    return result;
}

static simkit_result read_input(const simkit_input *input, unsigned nodes, parse *parser, workload **made,
                                simkit_parse_error *error)
{
    simkit_reader r;
    char path[1024], *text = NULL;
    size_t length = 0, size = 0;
    if (made) *made = NULL;
    if (!made || !input || (!input->path && !input->text)) return SIMKIT_BAD_ARGUMENT;
    simkit_result result = SIMKIT_NO_MEMORY;
    making *m = make(&input->memory);
    simkit_reader_init(&r, input->text, input->length, input->name ? input->name : "workload");
    if (m && input->path) {
        const char *slash = input->beside && input->path[0] != '/' ? strrchr(input->beside, '/') : NULL;
        const size_t folder = slash ? (size_t)(slash - input->beside) + 1 : 0;
        r.file = input->path;
        if (folder + strlen(input->path) >= sizeof path) {
            simkit_reader_error(&r, NULL, "the path is longer than 1023 characters");
            result = SIMKIT_NO_FILE;
        } else {
            if (folder > 0) memcpy(path, input->beside, folder);
            memcpy(path + folder, input->path, strlen(input->path) + 1);
            r.file = path;
            result = read_file(&m->memory, &r, &text, &length, &size);
        }
        if (result == SIMKIT_OK) simkit_reader_init(&r, text ? text : "", length, input->name ? input->name : path);
    } else if (m) {
        result = SIMKIT_OK;
    }
    if (result == SIMKIT_OK) {
        m->w.nodes = nodes;
        result = parser(m, &r);
    }
    if (m) release(&m->memory, text, size);
    if (result == SIMKIT_NO_MEMORY) {
        r.line = 0;
        simkit_reader_error(&r, NULL, "no memory for the workload");
    }
    if (result == SIMKIT_OK)
        *made = &m->w;
    else if (m)
        workload_close(&m->w);
    if (error && result != SIMKIT_OK) *error = r.error;
    return result;
}

/*=============================================================================
 * MARK: - >>logs
 *===========================================================================*/
static const char *const field_names[WORKLOAD_FIELDS] = {
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "CPU time",
    "used memory",
    "requested number of processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Goes to the next line, whatever it contains. */
static bool next_line(simkit_reader *r)
{
    if (r->rest >= r->last) return false;
    const char *newline = (const char *)memchr(r->rest, '\n', (size_t)(r->last - r->rest));
    r->start = r->at = r->rest;
    r->end = newline ? newline : r->last;
    r->rest = newline ? newline + 1 : r->last;
    ++r->line;
    while (r->end > r->start && is_blank(r->end[-1])) --r->end;
    while (r->at < r->end && is_blank(*r->at)) ++r->at;
    return true;
}

/* "field 4, the run time, is 'abc', expected a number" */
static bool bad_field(simkit_reader *r, const char *from, int field, const char *expected)
{
    const char *end = from;
    while (end < r->end && !is_blank(*end) && *end >= ' ' && *end <= '~') ++end;
    const int length = end - from > 20 ? 20 : (int)(end - from);
    return simkit_reader_error(r, from, "field %d, the %s, is '%.*s', expected %s", field + 1, field_names[field],
                               length, from, expected);
}

/* Any number that is not a short integer, rounded to the nearest double. strtod() wants the locale's decimal point, which
 * may have several bytes. */
static bool read_long_number(simkit_reader *r, const char *from, int field, double *value)
{
    char text[96];
    const char *locale = localeconv()->decimal_point;
    size_t length = 0;
    bool digits = false;
    const char *at = from;
    if (at < r->end && (*at == '-' || *at == '+')) ++at;
    for (; at < r->end && is_digit(*at); ++at) digits = true;
    if (at < r->end && *at == '.') ++at;
    for (; at < r->end && is_digit(*at); ++at) digits = true;
    if (digits && at < r->end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at < r->end && (*at == '-' || *at == '+')) ++at;
        digits = at < r->end && is_digit(*at);
        while (at < r->end && is_digit(*at)) ++at;
    }
    if (!digits || (at < r->end && !is_blank(*at))) return bad_field(r, from, field, "a number");
    if (at - from > 63) return bad_field(r, from, field, "a number of at most 63 characters");
    for (; from < at; ++from) {
        const char *put = *from == '.' ? locale : from;
        const size_t bytes = *from == '.' ? strlen(locale) : 1;
        if (length + bytes >= sizeof text) break;
        memcpy(text + length, put, bytes);
        length += bytes;
    }
    text[length] = 0;
    *value = strtod(text, NULL);
    if (!(fabs(*value) <= DBL_MAX)) return bad_field(r, r->at, field, "a smaller number");
    r->at = at;
    return true;
}

static bool read_field(simkit_reader *r, int field, double *value)
{
    const char *from = r->at, *at = from;
    uint64_t digits = 0;
    const bool negative = at < r->end && *at == '-';
    if (negative) ++at;
    const char *first = at;
    while (at < r->end && is_digit(*at) && at - first < 15) digits = digits * 10 + (uint64_t)(*at++ - '0');
    if (at == first || (at < r->end && !is_blank(*at))) {
        if (!read_long_number(r, from, field, value)) return false;
    } else {
        *value = negative ? -(double)digits : (double)digits;
        r->at = at;
    }
    while (r->at < r->end && is_blank(*r->at)) ++r->at;
    /* Only these become integers of the server. */
    if (field == WORKLOAD_NUMBER && !(*value >= 0 && *value <= 9007199254740992.0 && floor(*value) >= *value))
        return bad_field(r, from, field, "a whole number >= 0");
    if ((field == WORKLOAD_ALLOCATED || field == WORKLOAD_PROCESSORS) &&
        !(*value <= 4294967295.0 && floor(*value) >= *value))
        return bad_field(r, from, field, "a whole number up to 4294967295");
    return true;
}

static simkit_result add_comment(making *m, const simkit_reader *r)
{
    workload_comment *comments =
        (workload_comment *)grown(m, m->w.comments, m->w.comment_count, &m->comment_room, sizeof *comments);
    if (!comments) return SIMKIT_NO_MEMORY;
    m->w.comments = comments;
    const size_t length = (size_t)(r->end - r->start);
    const char *text = keep_text(m, r->start, length);
    if (!text) return SIMKIT_NO_MEMORY;
    comments[m->w.comment_count++] = (workload_comment){ text, length, m->w.record_count };
    return SIMKIT_OK;
}

/* Makes a job of a line, or counts why it is none. */
static simkit_result add_logged_job(making *m, const workload_record *line, double *latest)
{
    workload *w = &m->w;
    const double run = line->field[WORKLOAD_RUN], submit = line->field[WORKLOAD_SUBMIT];
    const double requested = line->field[WORKLOAD_PROCESSORS], time = line->field[WORKLOAD_TIME];
    const double processors = requested > 0 ? requested : line->field[WORKLOAD_ALLOCATED];
    const double status = line->field[WORKLOAD_STATUS];
    const bool cancelled = status >= 5 && status <= 5;
    ++w->counts.lines;
    size_t *reason = NULL;
    if (status >= 2 && status <= 4)
        reason = &w->counts.partial;
    else if (cancelled && !(run > 0 && processors > 0))
        reason = &w->counts.cancelled;
    else if (!(run > 0))
        reason = &w->counts.timeless;
    else if (!(processors > 0))
        reason = &w->counts.sizeless;
    else if (!(submit >= 0))
        reason = &w->counts.undated;
    if (reason) {
        ++*reason;
        return SIMKIT_OK;
    }
    server_job_desc job = { .name = (uint64_t)line->field[WORKLOAD_NUMBER],
                            .submit = submit,
                            .estimate = time > run ? time : run,
                            .run = run,
                            .preferred = (unsigned)processors,
                            .work = &m->time };
    size_t *origin = (size_t *)grown(m, w->record, w->count, &m->origin_room, sizeof *origin);
    if (!origin) return SIMKIT_NO_MEMORY;
    w->record = origin;
    origin[w->count] = w->record_count - 1;
    if (!add_job(m, &job)) return SIMKIT_NO_MEMORY;
    if (!(time > 0))
        ++w->counts.unestimated;
    else if (time < run)
        ++w->counts.raised;
    if (cancelled) ++w->counts.broken_off;
    if (submit < *latest) ++w->counts.back;
    if (submit > *latest) *latest = submit;
    return SIMKIT_OK;
}

/* Nodes of the cluster, if the header says. False if there are too many. */
static bool header_nodes(workload *w, simkit_reader *r, const char *key)
{
    const char *text = w->nodes == 0 ? workload_header(w, key) : NULL;
    const double value = text ? strtod(text, NULL) : 0;
    if (!(value >= 1)) return true;
    r->line = 0; /* it may stand anywhere */
    if (value > WORKLOAD_MOST_NODES)
        return simkit_reader_error(r, NULL, "%s is %.12g, expected at most %d", key, value, WORKLOAD_MOST_NODES);
    w->nodes = (unsigned)value;
    return true;
}

/* A job of a log by its number. */
typedef struct logged {
    uint64_t name;
    size_t job;
} logged;

static int compare_logged(const void *a, const void *b)
{
    const logged *x = (const logged *)a, *y = (const logged *)b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* The latest job before a place in the log with a number; `count` if there is none. */
static size_t find_logged(const logged *all, size_t count, double name, size_t before)
{
    size_t low = 0, high = count;
    if (!(name >= 0 && name <= 9007199254740992.0)) return count;
    while (low < high) { /* the first that is not before (name, before) */
        const size_t middle = (low + high) / 2;
        if (all[middle].name < (uint64_t)name || (all[middle].name == (uint64_t)name && all[middle].job < before))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && all[low - 1].name == (uint64_t)name ? all[low - 1].job : count;
}

/* Finds the preceding jobs, and numbers that come twice. Only earlier lines count, so no job waits for itself. */
static simkit_result join_jobs(making *m)
{
    workload *w = &m->w;
    const size_t bytes = (w->count + 1) * sizeof(logged);
    logged *all = (logged *)resize(&m->memory, NULL, 0, bytes);
    if (!all) return SIMKIT_NO_MEMORY;
    bool sorted = true;
    for (size_t i = 0; i < w->count; ++i) {
        all[i] = (logged){ w->jobs[i].name, i };
        sorted = sorted && (i == 0 || all[i - 1].name < all[i].name);
    }
    if (!sorted) qsort(all, w->count, sizeof *all, compare_logged);
    for (size_t i = 0; i < w->count; ++i) {
        const double *field = w->records[w->record[i]].field;
        if (i > 0 && all[i - 1].name == all[i].name) ++w->counts.repeated;
        if (!(field[WORKLOAD_PRECEDING] > 0)) continue;
        const size_t before = find_logged(all, w->count, field[WORKLOAD_PRECEDING], i);
        if (before == w->count) {
            ++w->counts.unfollowed;
            continue;
        }
        ++w->counts.following;
        w->jobs[i].follows = (server_number)before + 1;
        w->jobs[i].think = field[WORKLOAD_THINK] >= 0 ? field[WORKLOAD_THINK] : NAN;
    }
    release(&m->memory, all, bytes);
    return SIMKIT_OK;
}

static simkit_result parse_swf(making *m, simkit_reader *r)
{
    workload *w = &m->w;
    double latest = 0;
    while (next_line(r)) {
        simkit_result result = SIMKIT_OK;
        if (r->at == r->end) continue;
        if (*r->at == ';') {
            result = add_comment(m, r);
            if (result != SIMKIT_OK) return result;
            continue;
        }
        workload_record *records =
            (workload_record *)grown(m, w->records, w->record_count, &m->record_room, sizeof *records);
        if (!records) return SIMKIT_NO_MEMORY;
        w->records = records;
        workload_record *line = &records[w->record_count];
        for (int i = 0; i < WORKLOAD_FIELDS; ++i) {
            if (r->at == r->end) {
                simkit_reader_error(r, r->at, "the line ends after %d fields, expected 18; the %s is missing", i,
                                    field_names[i]);
                return SIMKIT_BAD_FILE;
            }
            if (!read_field(r, i, &line->field[i])) return SIMKIT_BAD_FILE;
        }
        if (r->at < r->end) ++w->counts.wide;
        ++w->record_count;
        result = add_logged_job(m, line, &latest);
        if (result != SIMKIT_OK) return result;
    }
    if (!header_nodes(w, r, "MaxProcs") || !header_nodes(w, r, "MaxNodes")) return SIMKIT_BAD_FILE;
    for (size_t i = 0; w->nodes > 0 && i < w->count; ++i) w->counts.oversized += w->jobs[i].preferred > w->nodes;
    return join_jobs(m);
}

simkit_result workload_read_swf(const simkit_input *input, unsigned nodes, workload **w, simkit_parse_error *error)
{
    return read_input(input, nodes, parse_swf, w, error);
}

const char *workload_header(const workload *w, const char *key)
{
    const size_t length = w && key ? strlen(key) : 0;
    for (size_t i = 0; length > 0 && i < w->comment_count; ++i) {
        const char *at = w->comments[i].text;
        while (is_blank(*at) || *at == ';') ++at;
        if (strncmp(at, key, length) != 0) continue;
        for (at += length; is_blank(*at); ++at) {
        }
        if (*at != ':') continue;
        for (++at; is_blank(*at); ++at) {
        }
        return at;
    }
    return NULL;
}

/* The shortest digits that give the same number again, in every locale. */
static char *put_number(char *to, double value)
{
    if (fabs(value) <= 9007199254740992.0 && floor(value) >= value) {
        char digits[20] = "";
        int count = 0;
        if (value < 0) *to++ = '-';
        for (uint64_t rest = (uint64_t)fabs(value); rest > 0 || count == 0; rest /= 10)
            digits[count++] = "0123456789"[rest % 10];
        while (count > 0) *to++ = digits[--count];
        return to;
    }
    char text[32];
    for (int precision = 1; precision <= 17; ++precision) {
        snprintf(text, sizeof text, "%.*g", precision, value);
        const double again = strtod(text, NULL);
        if (again >= value && again <= value) break;
    }
    const char *locale = localeconv()->decimal_point;
    for (const char *at = text; *at;) {
        const size_t point = strlen(locale);
        const bool is_point = strncmp(at, locale, point) == 0;
        *to = *at;
        if (is_point) *to = '.';
        ++to;
        at += is_point ? point : 1;
    }
    return to;
}

static void write_record(const workload_record *line, FILE *file)
{
    char text[WORKLOAD_FIELDS * 32], *at = text;
    for (int i = 0; i < WORKLOAD_FIELDS; ++i) {
        at = put_number(at, line->field[i]);
        *at++ = i + 1 < WORKLOAD_FIELDS ? ' ' : '\n';
    }
    fwrite(text, 1, (size_t)(at - text), file);
}

static void write_comments(const workload *w, size_t before, size_t *next, FILE *file)
{
    for (; *next < w->comment_count && w->comments[*next].before == before; ++*next) {
        fwrite(w->comments[*next].text, 1, w->comments[*next].length, file);
        fputc('\n', file);
    }
}

simkit_result workload_write_swf(const workload *w, FILE *file)
{
    if (!w || !file) return SIMKIT_BAD_ARGUMENT;
    size_t comment = 0;
    for (size_t i = 0; i < w->record_count; ++i) {
        write_comments(w, i, &comment, file);
        write_record(&w->records[i], file);
    }
    write_comments(w, w->record_count, &comment, file);
    const bool logged = w->record_count > 0 || w->comment_count > 0;
    if (!logged) fputs("; Version: 2.2\n", file);
    if (!logged && w->nodes > 0) fprintf(file, "; MaxNodes: %u\n; MaxProcs: %u\n", w->nodes, w->nodes);
    for (size_t i = 0; !logged && i < w->count; ++i) {
        const server_job_desc *job = &w->jobs[i];
        workload_record line;
        for (int k = 0; k < WORKLOAD_FIELDS; ++k) line.field[k] = -1;
        line.field[WORKLOAD_NUMBER] = (double)job->name;
        line.field[WORKLOAD_SUBMIT] = job->submit;
        if (!isnan(job->run)) line.field[WORKLOAD_RUN] = job->run;
        line.field[WORKLOAD_ALLOCATED] = line.field[WORKLOAD_PROCESSORS] = job->preferred;
        if (job->estimate < INFINITY) line.field[WORKLOAD_TIME] = job->estimate;
        line.field[WORKLOAD_STATUS] = 1;
        write_record(&line, file);
    }
    return fflush(file) == 0 && !ferror(file) ? SIMKIT_OK : SIMKIT_NO_FILE;
}

void workload_counts_text(const workload *w, char *text, size_t size)
{
    if (!text || size == 0) return;
    text[0] = 0;
    if (!w) return;
    const workload_counts *c = &w->counts;
    const struct {
        size_t count;
        const char *text;
    } parts[] = {
        { c->partial, "left out as parts of jobs" },
        { c->cancelled, "left out as cancelled" },
        { c->timeless, "left out without run time" },
        { c->sizeless, "left out without processors" },
        { c->undated, "left out without submit time" },
        { c->raised, "ran longer than requested (estimate raised)" },
        { c->unestimated, "requested no time (estimate is the run time)" },
        { c->broken_off, "cancelled while running" },
        { c->oversized, "larger than the cluster" },
        { c->back, "submitted before an earlier line" },
        { c->following, "submitted after the end of another job" },
        { c->unfollowed, "with a preceding job that is not there (submitted at their times)" },
        { c->repeated, "with the number of an earlier job" },
        { c->wide, "with more than 18 fields (the others left out)" },
    };
    int used = snprintf(text, size, "%lu lines, %lu jobs", (unsigned long)c->lines, (unsigned long)w->count);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used >= 0 && (size_t)used < size; ++i)
        if (parts[i].count > 0)
            used +=
                snprintf(text + used, size - (size_t)used, ", %lu %s", (unsigned long)parts[i].count, parts[i].text);
}

/*=============================================================================
 * MARK: - >>files
 *
 * A section is read key by key. At its end, or at that of the file, it is known which keys it has to have and which of
 * them have a meaning.
 *===========================================================================*/
typedef enum key {
    SUBMIT,
    KIND,
    NODES,
    MINIMUM,
    MAXIMUM,
    ESTIMATE,
    RUN,
    LAW,
    SKELETON,
    PROGRAM,
    ARGUMENTS,
    SECONDS,
    ITERATIONS,
    SERIAL,
    PARALLELISM,
    VARIATION,
    SPEEDUP,
    BYTES,
    DATA,
    COUNT,
    EVERY,
    KEYS
} key;

static const char *const key_names[KEYS] = { "submit",    "kind",    "nodes",      "minimum",  "maximum",
                                             "estimate",  "run",     "law",        "skeleton", "program",
                                             "arguments", "seconds", "iterations", "serial",   "parallelism",
                                             "variation", "speedup", "bytes",      "data",     "count",
                                             "every" };
static const char *const kinds[] = { "rigid", "moldable", "malleable" };
static const char *const laws[] = { "amdahl", "downey", "table" };
static const char *const patterns[] = { "silent", "ring", "all_to_all", "gather" };

#define BIT(key) (1u << (key))

typedef struct place {
    unsigned line;
    const char *start, *at;
} place;

typedef struct section {
    place header;
    place keys[KEYS]; /* where each was set; line 0: not */
    char name[32];
    const char *kept_name;
    server_job_desc job;
    work work;
    unsigned count;
    double every;
} section;

/* A name that has been given to a job. */
typedef struct named {
    const char *name; /* NULL: a free place */
    unsigned line;
} named;

/* A file that is being read. */
typedef struct reading {
    making *m;
    simkit_reader *r;
    section now; /* of a job, if in_job */
    bool in_job, in_cluster;
    place cluster; /* line 0: no such section */
    place nodes;   /* of the cluster */
    named *names;  /* names[room]: a hash table with linear probing */
    size_t name_count, name_room;
    bool no_memory;
} reading;

static place here(const simkit_reader *r, const char *at)
{
    return (place){ r->line, r->start, at };
}

/* Makes the reader point at a place, so that an error is there. */
static const char *go_to(simkit_reader *r, const place *p)
{
    r->line = p->line;
    r->start = p->start;
    return p->at;
}

/* Memory that ran out ends the reading like an error. */
static bool no_memory(reading *in)
{
    in->no_memory = true;
    return false;
}

/* The place of a name, or a free place for it (FNV-1a). */
static named *place_of(named *names, size_t room, const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *at = name; *at; ++at) hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    size_t i = (size_t)(hash % room);
    while (names[i].name && strcmp(names[i].name, name) != 0) i = (i + 1) % room;
    return &names[i];
}

/* Makes the name of the section known, or finds it used. */
static bool name_job(reading *in, const char *from)
{
    if (2 * in->name_count >= in->name_room) {
        const size_t room = in->name_room ? 2 * in->name_room : 16;
        named *names = (named *)resize(&in->m->memory, NULL, 0, room * sizeof *names);
        if (!names) return no_memory(in);
        for (size_t i = 0; i < room; ++i) names[i].name = NULL;
        for (size_t i = 0; i < in->name_room; ++i)
            if (in->names[i].name) *place_of(names, room, in->names[i].name) = in->names[i];
        release(&in->m->memory, in->names, in->name_room * sizeof *names);
        in->names = names;
        in->name_room = room;
    }
    named *found = place_of(in->names, in->name_room, in->now.name);
    if (found->name)
        return simkit_reader_error(in->r, from, "duplicate job '%s', first in line %u", found->name, found->line);
    in->now.kept_name = keep_text(in->m, in->now.name, strlen(in->now.name));
    if (!in->now.kept_name) return no_memory(in);
    *found = (named){ in->now.kept_name, in->now.header.line };
    ++in->name_count;
    return true;
}

static bool read_positive(simkit_reader *r, const char *base, double *value, const char *name)
{
    const char *from = r->at;
    if (!simkit_reader_quantity(r, base, value, NULL)) return false;
    return *value > 0 || simkit_reader_error(r, from, "'%s' is 0, expected a number > 0", name);
}

/* `1:1, 2:1.9, 4:3.5` */
static bool read_speedup(reading *in)
{
    simkit_reader *r = in->r;
    struct work *w = &in->now.work;
    size_t rows = 1;
    for (const char *at = r->at; at < r->end; ++at) rows += *at == ',';
    unsigned *nodes = (unsigned *)keep(in->m, rows * sizeof *nodes);
    double *speedup = (double *)keep(in->m, rows * sizeof *speedup);
    if (!nodes || !speedup) return no_memory(in);
    for (size_t i = 0; i < rows; ++i) {
        const char *from = r->at;
        if (!simkit_reader_integer(r, &nodes[i])) return false;
        if (!simkit_reader_accept(r, ':'))
            return simkit_reader_error(r, r->at, "expected ':' and the speed-up after the number of nodes");
        const char *value = r->at;
        if (!read_positive(r, "1", &speedup[i], "speedup")) return false;
        if (i == 0 && (nodes[0] != 1 || speedup[0] < 1 || speedup[0] > 1))
            return simkit_reader_error(r, from, "the table does not begin with 1:1");
        if (i > 0 && nodes[i] <= nodes[i - 1])
            return simkit_reader_error(r, from, "%u nodes after %u, expected a larger number", nodes[i], nodes[i - 1]);
        if (speedup[i] > 1e6) return simkit_reader_error(r, value, "the speed-up is larger than 1000000");
        if (i + 1 < rows && !simkit_reader_accept(r, ',')) return simkit_reader_error(r, r->at, "expected ','");
    }
    w->nodes = nodes;
    w->speedup = speedup;
    w->count = rows;
    return true;
}

/* `key=value key=value` */
static bool read_arguments(reading *in)
{
    simkit_reader *r = in->r;
    const char *from = r->at;
    while (r->at < r->end) {
        const char *word = r->at;
        while (r->at < r->end && !is_blank(*r->at)) ++r->at;
        const size_t length = (size_t)(r->at - word);
        const char *equals = (const char *)memchr(word, '=', length);
        if (!equals || equals == word || equals + 1 == r->at || memchr(word, 0, length))
            return simkit_reader_error(r, word, "'%.*s' is no argument, expected key=value",
                                       length > 20 ? 20 : (int)length, word);
        while (r->at < r->end && is_blank(*r->at)) ++r->at;
    }
    if (r->at == from) return simkit_reader_error(r, from, "expected key=value");
    in->now.work.arguments = keep_text(in->m, from, (size_t)(r->at - from));
    return in->now.work.arguments || no_memory(in);
}

static bool read_value(reading *in, key k)
{
    simkit_reader *r = in->r;
    section *s = &in->now;
    const char *from = r->at;
    size_t chosen;
    switch (k) {
    case SUBMIT: return simkit_reader_quantity(r, "s", &s->job.submit, NULL);
    case KIND:
        if (!simkit_reader_choice(r, kinds, 3, &chosen)) return false;
        s->job.kind = (server_kind)chosen;
        return true;
    case NODES: return simkit_reader_integer(r, &s->job.preferred);
    case MINIMUM: return simkit_reader_integer(r, &s->job.minimum);
    case MAXIMUM: return simkit_reader_integer(r, &s->job.maximum);
    case ESTIMATE: return read_positive(r, "s", &s->job.estimate, "estimate");
    case RUN: return read_positive(r, "s", &s->job.run, "run");
    case LAW:
        if (!simkit_reader_choice(r, laws, 3, &chosen)) return false;
        s->work.kind = (work_kind)(WORK_AMDAHL + chosen);
        return true;
    case SKELETON:
        if (!simkit_reader_choice(r, patterns, 4, &chosen)) return false;
        s->work.kind = WORK_SKELETON;
        s->work.pattern = (work_pattern)chosen;
        return true;
    case PROGRAM:
        if (!simkit_reader_choice(r, work_programs, WORK_PROGRAMS, &chosen)) return false;
        s->work.kind = WORK_PROGRAM;
        s->work.program = work_programs[chosen];
        return true;
    case ARGUMENTS: return read_arguments(in);
    case SECONDS: return read_positive(r, "s", &s->work.seconds, "seconds");
    case ITERATIONS: return simkit_reader_integer(r, &s->work.iterations);
    case SERIAL:
        if (!simkit_reader_quantity(r, "1", &s->work.serial, NULL)) return false;
        return s->work.serial <= 1 || simkit_reader_error(r, from, "'serial' is more than 1, expected 0 to 1");
    case PARALLELISM:
        if (!simkit_reader_quantity(r, "1", &s->work.parallelism, NULL)) return false;
        return s->work.parallelism >= 1 ||
               simkit_reader_error(r, from, "'parallelism' is less than 1, expected a number >= 1");
    case VARIATION: return simkit_reader_quantity(r, "1", &s->work.variation, NULL);
    case SPEEDUP: return read_speedup(in);
    case BYTES: return simkit_reader_quantity(r, "B", &s->work.bytes, NULL);
    case DATA: return simkit_reader_quantity(r, "B", &s->work.data, NULL);
    case COUNT: return simkit_reader_integer(r, &s->count);
    case EVERY: return simkit_reader_quantity(r, "s", &s->every, NULL);
    case KEYS: break;
    }
    return false;
}

/* Whether each key that is there has a meaning, and each that is needed is there; `what` is why. */
static bool check_keys(reading *in, unsigned given, unsigned needed, const char *why, const char *what)
{
    simkit_reader *r = in->r;
    for (int k = 0; k < KEYS; ++k)
        if (given & BIT(k))
            return simkit_reader_error(r, go_to(r, &in->now.keys[k]), "key '%s' has no meaning with %s = %s",
                                       key_names[k], why, what);
    for (int k = 0; k < KEYS; ++k)
        if (needed & BIT(k))
            return simkit_reader_error(r, go_to(r, &in->now.header), "job '%s' has no '%s', which %s = %s needs",
                                       in->now.name, key_names[k], why, what);
    return true;
}

static bool check_work(reading *in, unsigned given)
{
    const section *s = &in->now;
    const unsigned general =
        BIT(SUBMIT) | BIT(KIND) | BIT(NODES) | BIT(MINIMUM) | BIT(MAXIMUM) | BIT(ESTIMATE) | BIT(COUNT) | BIT(EVERY);
    unsigned needed = 0, may = general;
    const char *what;
    key described;
    switch (s->work.kind) {
    case WORK_TIME:
        described = RUN;
        what = "TIME";
        break;
    case WORK_SKELETON:
        described = SKELETON;
        needed = BIT(SECONDS) | (s->work.pattern == WORK_SILENT ? 0 : BIT(BYTES));
        may |= BIT(ITERATIONS) | BIT(DATA);
        what = patterns[s->work.pattern];
        break;
    case WORK_PROGRAM:
        described = PROGRAM;
        may |= BIT(ARGUMENTS);
        what = s->work.program;
        break;
    default:
        described = LAW;
        needed = BIT(SECONDS) | (s->work.kind == WORK_AMDAHL   ? BIT(SERIAL)
                                 : s->work.kind == WORK_DOWNEY ? BIT(PARALLELISM) | BIT(VARIATION)
                                                               : BIT(SPEEDUP));
        may |= BIT(ITERATIONS) | BIT(DATA);
        what = laws[s->work.kind - WORK_AMDAHL];
        break;
    }
    return check_keys(in, given & ~(may | needed | BIT(described)), needed & ~given, key_names[described], what);
}

static bool check_size(reading *in, unsigned given)
{
    simkit_reader *r = in->r;
    server_job_desc *job = &in->now.job;
    const bool rigid = job->kind == SERVER_RIGID, iterates = job->kind == SERVER_MALLEABLE && !(given & BIT(PROGRAM));
    const unsigned sizes = BIT(MINIMUM) | BIT(MAXIMUM);
    unsigned senseless = 0;
    if (rigid) senseless |= sizes;
    if (job->kind != SERVER_MALLEABLE) senseless |= BIT(DATA);
    if (job->kind == SERVER_MALLEABLE) senseless |= BIT(RUN); /* it has no points at which to change */
    if (!check_keys(in, given & senseless, iterates ? BIT(ITERATIONS) & ~given : 0, "kind", kinds[job->kind]))
        return false;
    if (!rigid && !(given & sizes))
        return simkit_reader_error(r, go_to(r, &in->now.header),
                                   "job '%s' has no 'minimum' or 'maximum', which kind = %s needs", in->now.name,
                                   kinds[job->kind]);
    if (given & BIT(MINIMUM) && job->minimum > job->preferred)
        return simkit_reader_error(r, go_to(r, &in->now.keys[MINIMUM]), "'minimum' is %u, more than the %u 'nodes'",
                                   job->minimum, job->preferred);
    if (given & BIT(MAXIMUM) && job->maximum < job->preferred)
        return simkit_reader_error(r, go_to(r, &in->now.keys[MAXIMUM]), "'maximum' is %u, less than the %u 'nodes'",
                                   job->maximum, job->preferred);
    return true;
}

static bool check_job(reading *in)
{
    simkit_reader *r = in->r;
    section *s = &in->now;
    const unsigned works = BIT(RUN) | BIT(LAW) | BIT(SKELETON) | BIT(PROGRAM);
    unsigned given = 0;
    for (int k = 0; k < KEYS; ++k)
        if (s->keys[k].line > 0) given |= BIT(k);
    if (!(given & works))
        return simkit_reader_error(r, go_to(r, &s->header),
                                   "job '%s' has no work, expected one of: run, law, skeleton, program", s->name);
    if (!(given & BIT(NODES))) return simkit_reader_error(r, go_to(r, &s->header), "job '%s' has no 'nodes'", s->name);
    if (given & BIT(EVERY) && !(given & BIT(COUNT)))
        return simkit_reader_error(r, go_to(r, &s->keys[EVERY]), "key 'every' has no meaning without 'count'");
    return check_work(in, given) && check_size(in, given);
}

/* Adds the jobs of the section that has been read. */
static bool finish_job(reading *in)
{
    section *s = &in->now;
    if (!in->in_job) return true;
    in->in_job = false;
    if (!check_job(in)) return false;
    server_job_desc job = s->job;
    job.anchored = s->work.kind == WORK_PROGRAM;
    if (s->work.kind == WORK_SKELETON || s->work.kind == WORK_PROGRAM) {
        job.run = NAN;
    } else if (s->work.kind != WORK_TIME) {
        job.run = work_seconds(&s->work, 0, job.preferred) * (s->work.iterations > 0 ? s->work.iterations : 1);
        if (!(job.run < INFINITY))
            return simkit_reader_error(in->r, go_to(in->r, &s->header), "job '%s' takes too long", s->name);
    }
    if (s->keys[ESTIMATE].line == 0) job.estimate = isnan(job.run) ? INFINITY : job.run;
    work *kept = (work *)keep(in->m, sizeof *kept);
    if (!kept) return no_memory(in);
    *kept = s->work;
    job.work = kept;
    for (unsigned i = 0; i < (s->count ? s->count : 1); ++i) {
        job.name = in->m->w.count + 1;
        job.submit = s->job.submit + i * s->every;
        if (!(job.submit < INFINITY))
            return simkit_reader_error(in->r, go_to(in->r, &s->keys[EVERY]), "the last submission is too late");
        if (in->m->w.count >= SERVER_NONE - 1)
            return simkit_reader_error(in->r, go_to(in->r, &s->header), "there are too many jobs");
        if (!add_name(in->m, s->kept_name) || !add_job(in->m, &job)) return no_memory(in);
    }
    return true;
}

static bool read_section(reading *in)
{
    static const char *const sections[] = { "job", "cluster" };
    simkit_reader *r = in->r;
    const char *from = r->at - 1;
    size_t chosen;
    const place header = here(r, from);
    if (!finish_job(in)) return false;
    if (!simkit_reader_choice(r, sections, 2, &chosen)) return false;
    simkit_reader_accept(r, ' ');
    in->in_job = chosen == 0;
    in->in_cluster = chosen == 1;
    if (in->in_job) {
        memset(&in->now, 0, sizeof in->now);
        in->now.header = header;
        if (!simkit_reader_word(r, in->now.name, "the name of a job") || !name_job(in, from)) return false;
    } else if (in->cluster.line > 0) {
        return simkit_reader_error(r, from, "duplicate [cluster], first in line %u", in->cluster.line);
    } else {
        in->cluster = header;
    }
    return simkit_reader_accept(r, ']') || simkit_reader_error(r, r->at, "expected ']'");
}

static bool no_key(simkit_reader *r, const char *from, const char *name)
{
    char known[16 * KEYS] = ""; /* names are short */
    size_t length = 0;
    for (int k = 0; k < KEYS; ++k)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", k > 0 ? ", " : "", key_names[k]);
    return simkit_reader_error(r, from, "[job] has no key '%s', only %s", name, known);
}

static bool read_key(reading *in)
{
    simkit_reader *r = in->r;
    const char *from = r->at;
    char name[32];
    int k = 0;
    if (!simkit_reader_word(r, name, "a key, a [section] or a # comment")) return false;
    if (!in->in_job && !in->in_cluster)
        return simkit_reader_error(r, from, "key '%s' is before the first [section]", name);
    if (!simkit_reader_accept(r, '=')) return simkit_reader_error(r, r->at, "expected '=' after '%s'", name);
    if (in->in_cluster && strcmp(name, "nodes") != 0)
        return simkit_reader_error(r, from, "section [cluster] has no key '%s', only nodes", name);
    while (in->in_job && k < KEYS && strcmp(key_names[k], name) != 0) ++k;
    if (k == KEYS) return no_key(r, from, name);
    place *set = in->in_job ? &in->now.keys[k] : &in->nodes;
    if (set->line > 0) return simkit_reader_error(r, from, "duplicate key '%s', first set in line %u", name, set->line);
    *set = here(r, from);
    return (in->in_job ? read_value(in, (key)k) : simkit_reader_integer(r, &in->m->w.nodes)) && simkit_reader_end(r);
}

static simkit_result parse_file(making *m, simkit_reader *r)
{
    reading in;
    memset(&in, 0, sizeof in);
    in.m = m;
    in.r = r;
    bool good = true;
    while (good && simkit_reader_line(r))
        good = simkit_reader_accept(r, '[') ? read_section(&in) && simkit_reader_end(r) : read_key(&in);
    good = good && finish_job(&in);
    if (good && m->w.count == 0) {
        r->line = 0;
        good = simkit_reader_error(r, NULL, "there is no [job NAME]");
    }
    release(&m->memory, in.names, in.name_room * sizeof *in.names);
    return good ? SIMKIT_OK : in.no_memory ? SIMKIT_NO_MEMORY : SIMKIT_BAD_FILE;
}

simkit_result workload_read(const simkit_input *input, workload **w, simkit_parse_error *error)
{
    return read_input(input, 0, parse_file, w, error);
}

/*=============================================================================
 * MARK: - >>model
 *===========================================================================*/
/* The numbers are those of batch jobs in the program that the authors published with [lublin] (m_lublin99.c, 1999); the
 * names there stand behind them. It says how they follow the size of the cluster: `high` is its log2, `middle` 1.5 to 3.5
 * below it, and `low` may be changed by 0.2. `middle` is 2 below `high` there (128 processors), so it is here. The scale of
 * a gamma distribution is its second number. */
workload_lublin workload_batch(unsigned nodes)
{
    workload_lublin p = {
        .serial = 0.2927,             /* SERIAL_PROB_BATCH */
        .power = 0.6686,              /* POW2_PROB_BATCH */
        .low = 1.2,                   /* ULOW_BATCH */
        .lower = 0.875,               /* UPROB_BATCH */
        .brief = { 6.57, 0.823 },     /* A1_BATCH, B1_BATCH */
        .lasting = { 639.1, 0.0156 }, /* A2_BATCH, B2_BATCH */
        .slope = -0.003,              /* PA_BATCH */
        .offset = 0.6986,             /* PB_BATCH */
        .longest = 12,                /* TOO_MUCH_TIME: two days */
        .gap = { 6.0415 * 1.0519,
                 0.8531 },         /* AARR_BATCH * ARAR_BATCH, BARR_BATCH: ARAR makes rush hours average ones */
        .latest = 13,              /* TOO_MUCH_ARRIVE_TIME: five days */
        .day = { 6.1271, 5.2740 }, /* ANUM_BATCH, BNUM_BATCH */
    };
    p.high = log2(nodes);
    if (p.low > p.high) p.low = p.high;
    p.middle = p.high - 2 > p.low ? p.high - 2 : p.low;
    return p;
}

/* The density of a gamma distribution, without its constant factor. */
static double gamma_density(const workload_gamma *g, double x)
{
    return pow(x / g->scale, g->shape - 1) * exp(-x / g->scale);
}

/* Half hour i, counted from 1 at midnight, has what the density has between i - 1/2 and i + 1/2; those before the 11th
 * belong to the day before (CYCLIC_DAY_START). By Simpson's rule. */
void workload_day(const workload_lublin *parameters, double rate[48])
{
    enum { STEPS = 8 };
    double sum = 0;
    for (int i = 11; i < 11 + 48; ++i) {
        double part = 0;
        for (int k = 0; k <= STEPS; ++k)
            part += (k == 0 || k == STEPS ? 1
                     : k % 2              ? 4
                                          : 2) *
                    gamma_density(&parameters->day, i - 0.5 + (double)k / STEPS);
        rate[(i - 1) % 48] = part;
        sum += part;
    }
    for (int i = 0; i < 48; ++i) rate[i] *= 48 / sum;
}

/* A normal number, by Marsaglia's polar method. */
static double draw_normal(simkit_random *random)
{
    for (;;) {
        const double x = 2 * simkit_random_uniform(random) - 1, y = 2 * simkit_random_uniform(random) - 1;
        const double square = x * x + y * y;
        if (square > 0 && square < 1) return x * sqrt(-2 * log(square) / square);
    }
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; below 1, a power of a uniform number makes
 * shape + 1 to shape. */
static double draw_gamma(simkit_random *random, const workload_gamma *g)
{
    const double shape = g->shape < 1 ? g->shape + 1 : g->shape;
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = draw_normal(random), root = 1 + c * x, v = root * root * root;
        const double u = 1 - simkit_random_uniform(random); /* > 0 */
        if (!(v > 0) || !(log(u) < x * x / 2 + d - d * v + d * log(v))) continue;
        const double less = g->shape < 1 ? pow(1 - simkit_random_uniform(random), 1 / g->shape) : 1;
        return d * v * less * g->scale;
    }
}

/* A number above its bound is drawn again; after so many trials, the bound is taken. */
enum { TRIALS = 1000 };

static double draw_gap(simkit_random *random, const workload_lublin *p)
{
    for (int i = 0; i < TRIALS; ++i) {
        const double gap = draw_gamma(random, &p->gap);
        if (gap <= p->latest) return exp(gap);
    }
    return exp(p->latest);
}

static double draw_run(simkit_random *random, const workload_lublin *p, unsigned nodes)
{
    const double brief = p->slope * nodes + p->offset;
    for (int i = 0; i < TRIALS; ++i) {
        const bool is_brief = simkit_random_uniform(random) < brief;
        const double run = draw_gamma(random, is_brief ? &p->brief : &p->lasting);
        if (run <= p->longest) return fmax(1, round(exp(run)));
    }
    return fmax(1, round(exp(p->longest)));
}

/* The two stages first, so that every size draws as many numbers: streams stay in step when a probability changes. */
static unsigned draw_size(simkit_random *random, const workload_lublin *p, unsigned nodes)
{
    const double which = simkit_random_uniform(random), stage = simkit_random_uniform(random);
    const double uniform = simkit_random_uniform(random);
    if (which < p->serial) return 1;
    double exponent =
        stage < p->lower ? p->low + uniform * (p->middle - p->low) : p->middle + uniform * (p->high - p->middle);
    if (which < p->serial + p->power) exponent = round(exponent);
    const double size = round(exp2(exponent));
    return size < 1 ? 1 : size > nodes ? nodes : (unsigned)size;
}

/* Maps a time of a process with a constant rate to the daily cycle; both count from midnight. Whole days stay whole. */
static double time_of(const double rate[48], double average)
{
    enum { DAY = 86400, BUCKET = 1800 };
    const double days = floor(average / DAY);
    double left = average - days * DAY;
    int i = 0;
    while (i < 47 && left > rate[i] * BUCKET) left -= rate[i++] * BUCKET;
    return days * DAY + (i + fmin(1, left / (rate[i] * BUCKET))) * BUCKET;
}

/* The inverse of time_of(). */
static double average_of(const double rate[48], double time)
{
    enum { DAY = 86400, BUCKET = 1800 };
    const double days = floor(time / DAY);
    double left = time - days * DAY, average = days * DAY;
    for (int i = 0; i < 48 && left > 0; ++i, left -= BUCKET) average += rate[i] * fmin(left, BUCKET);
    return average;
}

/* Makes a job moldable or malleable. The ranges of the laws are ours. */
static bool draw_law(making *m, const workload_model *model, simkit_random *random, server_job_desc *job)
{
    const double kind = simkit_random_uniform(random), law = simkit_random_uniform(random);
    const double one = simkit_random_uniform(random), other = simkit_random_uniform(random);
    const double spread = model->spread > 0 ? model->spread : 4;
    if (kind >= model->moldable + model->malleable) return true;
    work *w = (work *)keep(m, sizeof *w);
    if (!w) return false;
    job->kind = kind < model->malleable ? SERVER_MALLEABLE : SERVER_MOLDABLE;
    job->minimum = (unsigned)fmax(1, ceil(job->preferred / spread));
    job->maximum = (unsigned)fmin(model->nodes, floor(job->preferred * spread));
    job->work = w;
    w->kind = law < 0.5 ? WORK_AMDAHL : WORK_DOWNEY;
    w->serial = 0.1 * one * one;                     /* mostly a few percent */
    w->parallelism = job->preferred * exp2(2 * one); /* once to four times the preferred size */
    w->variation = 2 * other;
    w->seconds = job->run * work_speedup(w, job->preferred);
    w->iterations = model->iterations > 0 ? model->iterations : 100;
    if (job->kind == SERVER_MALLEABLE) w->data = model->data * job->preferred;
    return true;
}

static bool is_fraction(double x)
{
    return x >= 0 && x <= 1;
}

static bool is_gamma(const workload_gamma *g)
{
    return g->shape > 0 && g->scale > 0 && g->shape < INFINITY && g->scale < INFINITY;
}

static bool is_valid(const workload_model *model, const workload_lublin *p)
{
    return model->jobs >= 1 && model->jobs < SERVER_NONE && model->load >= 0 && model->load < INFINITY &&
           model->overestimate >= 0 && model->overestimate < INFINITY && is_fraction(model->moldable) &&
           is_fraction(model->malleable) && model->moldable + model->malleable <= 1 &&
           (model->spread >= 1 || !(model->spread > 0 || model->spread < 0)) && model->spread < INFINITY &&
           model->data >= 0 && model->data < INFINITY && is_fraction(p->serial) && is_fraction(p->power) &&
           is_fraction(p->lower) && p->low >= 0 && p->low <= p->middle && p->middle <= p->high && p->high <= 32 &&
           is_gamma(&p->brief) && is_gamma(&p->lasting) && is_gamma(&p->gap) && is_gamma(&p->day) &&
           isfinite(p->slope) && isfinite(p->offset) && p->longest >= 0 && p->longest <= 100 && p->latest >= 0 &&
           p->latest <= 100;
}

/* The factor for all submission times, before the daily cycle: the last submission is then at the time that gives the
 * requested load. */
static double stretch(const workload_model *model, const double rate[48], double node_seconds, double last)
{
    const double end = node_seconds / (model->nodes * model->load);
    return (model->steady ? end : average_of(rate, end)) / last;
}

simkit_result workload_generate(const workload_model *model, workload **generated)
{
    enum { SIZES, GAPS, ESTIMATES, LAWS, STREAMS };
    if (generated) *generated = NULL;
    if (!model || !generated || model->nodes == 0) return SIMKIT_BAD_ARGUMENT;
    const workload_lublin p = model->parameters ? *model->parameters : workload_batch(model->nodes);
    if (!is_valid(model, &p)) return SIMKIT_BAD_ARGUMENT;
    simkit_random random[STREAMS];
    double rate[48], time = 0, node_seconds = 0;
    for (int i = 0; i < STREAMS; ++i) random[i] = simkit_random_stream(NULL, STREAMS * model->seed + (uint64_t)i);
    workload_day(&p, rate);
    for (int i = 0; i < 48; ++i)
        if (!(rate[i] > 0 && rate[i] <= 48)) return SIMKIT_BAD_ARGUMENT;
    making *m = make(&model->memory);
    if (!m) return SIMKIT_NO_MEMORY;
    m->w.nodes = model->nodes;
    for (size_t i = 0; i < model->jobs; ++i) {
        server_job_desc job = { .name = i + 1, .work = &m->time };
        job.preferred = draw_size(&random[SIZES], &p, model->nodes);
        job.run = draw_run(&random[SIZES], &p, job.preferred);
        job.estimate = round(job.run * (1 + model->overestimate * simkit_random_uniform(&random[ESTIMATES])));
        job.submit = time += draw_gap(&random[GAPS], &p);
        node_seconds += job.run * job.preferred;
        if (!draw_law(m, model, &random[LAWS], &job) || !add_job(m, &job)) {
            workload_close(&m->w);
            return SIMKIT_NO_MEMORY;
        }
    }
    const double factor = model->load > 0 ? stretch(model, rate, node_seconds, time) : 1;
    for (size_t i = 0; i < m->w.count; ++i) {
        server_job_desc *job = &m->w.jobs[i];
        job->submit = round(model->steady ? factor * job->submit : time_of(rate, factor * job->submit));
    }
    *generated = &m->w;
    return SIMKIT_OK;
}
