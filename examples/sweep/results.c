/* results.c - the CSV of results: reading what is there, whatever happened to it, and appending
 *
 *     point,PARAMETER [UNIT]...,seed,RESULT [UNIT]...,failed,check_CONTEXTHEADER
 *     1,1.1e7,1,185.2,,5d0f3a77
 *
 * Each line ends with a hash of itself, so a line that was cut off, changed, or glued to another one is recognized. The last
 * name of the header has a hash of all that the columns do not show (the machine file, fixed values, the version of the
 * model), so results of another sweep are not mistaken for those of this one, and a hash of the header itself. */
#define _DEFAULT_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(sweep_text *t, const char *text)
{
    sweep_text_add(t, text, strlen(text));
}

static void add_hex(sweep_text *t, uint64_t hash)
{
    char text[16];
    sweep_text_add(t, text, (size_t)snprintf(text, sizeof text, "%08lx", (unsigned long)(hash & 0xffffffffu)));
}

static void add_name(sweep_text *t, const char *name, const char *unit)
{
    add(t, name);
    if (strcmp(unit, "1") == 0) return;
    add(t, " [");
    add(t, unit);
    add(t, "]");
}

static bool make_header(sweep *s)
{
    sweep_text *t = &s->header;
    add(t, "point,");
    for (size_t i = 0; i < s->parameters; ++i) add_name(t, s->parameter[i].name, s->parameter[i].unit), add(t, ",");
    add(t, "seed,");
    for (size_t i = 0; i < s->model->result_count; ++i)
        add_name(t, s->model->results[i].name, s->model->results[i].unit), add(t, ",");
    add(t, "failed,check_");
    add_hex(t, s->context);
    add_hex(t, sweep_hash(0, t->text, t->length));
    return !t->failed || sweep_says(s, "no memory for the results");
}

/* The hash at the end of a line. */
static unsigned long line_check(const sweep *s, const char *line, size_t length)
{
    return (unsigned long)(sweep_hash(s->context, line, length) & 0xffffffffu);
}

void sweep_line_make(const sweep *s, sweep_text *t, size_t point, const double *value, size_t seed,
                     const double *results, const char *failed)
{
    const size_t from = t->length;
    char text[40];
    sweep_text_add(t, text, (size_t)snprintf(text, sizeof text, "%lu,", (unsigned long)point + 1));
    for (size_t i = 0; i < s->parameters; ++i) {
        if (s->parameter[i].words)
            add(t, sweep_word(&s->parameter[i], value[i]));
        else
            sweep_text_number(t, value[i]);
        add(t, ",");
    }
    sweep_text_add(t, text, (size_t)snprintf(text, sizeof text, "%lu,", (unsigned long)seed + 1));
    for (size_t i = 0; i < s->model->result_count; ++i) {
        if (!failed && !isnan(results[i])) sweep_text_number(t, results[i]);
        add(t, ",");
    }
    if (failed) {
        add(t, "\"");
        for (const char *c = *failed ? failed : "it says no reason"; *c; ++c) {
            char shown = *c;
            if ((unsigned char)shown < ' ') shown = ' ';
            if (shown == '"') add(t, "\"");
            sweep_text_add(t, &shown, 1);
        }
        add(t, "\"");
    }
    add(t, ",");
    if (!t->failed) add_hex(t, line_check(s, t->text + from, t->length - from));
    add(t, "\n");
}

/*=============================================================================
 * MARK: - >>points by their values
 *===========================================================================*/
static uint64_t hash_values(const double *value, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        hash = (hash ^ bits ^ (bits >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool same_values(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (a[i] < b[i] || a[i] > b[i]) return false;
    return true;
}

/* The same, but for what libraries of other machines round otherwise. */
static bool near_values(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(a[i] - b[i]) <= 1e-11 * fabs(b[i]))) return false;
    return true;
}

static bool make_table(sweep *s)
{
    double value[SWEEP_PARAMETERS];
    for (s->slots = 16; s->slots < 2 * s->points;) s->slots *= 2;
    s->table = (uint32_t *)calloc(s->slots, sizeof *s->table);
    if (!s->table) return sweep_says(s, "no memory for the results");
    for (size_t point = 0; point < s->points; ++point) {
        sweep_values(s, point, value);
        size_t at = (size_t)hash_values(value, s->parameters) & (s->slots - 1);
        while (s->table[at] > 0) at = (at + 1) & (s->slots - 1);
        s->table[at] = (uint32_t)(point + 1);
    }
    return true;
}

/* The point that has these values: the one that the line says, the one before, or by the table; SIZE_MAX: none has. Of several
 * that have the same values, the one that the line says. */
static bool find_point(sweep *s, size_t said, const double *value, size_t *point)
{
    *point = said;
    if (said < s->points) {
        if (said != s->last) {
            sweep_values(s, said, s->value);
            s->last = said;
        }
        if (near_values(value, s->value, s->parameters)) return true;
    }
    if (!s->table && !make_table(s)) return false;
    double there[SWEEP_PARAMETERS];
    for (size_t at = (size_t)hash_values(value, s->parameters) & (s->slots - 1); s->table[at] > 0;
         at = (at + 1) & (s->slots - 1)) {
        *point = s->table[at] - 1;
        sweep_values(s, *point, there);
        if (same_values(value, there, s->parameters)) return true;
    }
    *point = SIZE_MAX;
    return true;
}

/*=============================================================================
 * MARK: - >>lines
 *===========================================================================*/
/* What a line says. */
typedef struct line {
    size_t point, seed;
    double value[SWEEP_PARAMETERS];
    double *results;
    const char *failed; /* failed[failed_length], as in the file without the outer quotes; NULL: it has not */
    size_t failed_length;
} line;

static const char *comma(const char *at, const char *end)
{
    return at && at < end && *at == ',' ? at + 1 : NULL;
}

static const char *read_word(const sweep_parameter *p, const char *at, const char *end, double *value)
{
    const char *stop = (const char *)memchr(at, ',', (size_t)(end - at));
    for (size_t i = 0; i < p->count && stop; ++i)
        if (strlen(p->words[i]) == (size_t)(stop - at) && memcmp(p->words[i], at, (size_t)(stop - at)) == 0) {
            *value = p->values[i];
            return stop;
        }
    *value = -1; /* a word of another sweep: no point has it */
    return stop;
}

static bool read_line(const sweep *s, const char *at, const char *end, line *l)
{
    double number = 0;
    at = comma(sweep_number_read(at, end, &number), end);
    l->point = number >= 1 && number < 1e15 ? (size_t)number - 1 : SIZE_MAX;
    for (size_t i = 0; i < s->parameters && at; ++i) {
        const sweep_parameter *p = &s->parameter[i];
        at = comma(p->words ? read_word(p, at, end, &l->value[i]) : sweep_number_read(at, end, &l->value[i]), end);
    }
    if (at) at = comma(sweep_number_read(at, end, &number), end);
    l->seed = number >= 1 && number < 1e15 ? (size_t)number - 1 : SIZE_MAX;
    for (size_t i = 0; i < s->model->result_count && at; ++i) {
        l->results[i] = (double)NAN;
        at = comma(at < end && *at == ',' ? at : sweep_number_read(at, end, &l->results[i]), end);
    }
    if (!at || end - at < 1 || end[-1] != ',') return false;
    l->failed = NULL;
    if (at == end - 1) return true;
    if (end - at < 3 || *at != '"' || end[-2] != '"') return false;
    l->failed = at + 1;
    l->failed_length = (size_t)(end - at) - 3;
    return true;
}

/* Counts the message of a failed run. */
static bool count_failure(sweep *s, const line *l, size_t point, size_t *number)
{
    char message[SWEEP_WHY] = "other messages";
    size_t length = 0, i = 0;
    for (size_t k = 0; k < l->failed_length && length + 1 < sizeof message && s->failures + 1 < SWEEP_MESSAGES; ++k) {
        message[length++] = l->failed[k];
        message[length] = 0;
        k += l->failed[k] == '"';
    }
    while (i < s->failures && strcmp(s->failure[i].message, message) != 0) ++i;
    if (i == s->failures) {
        sweep_failure *larger = (sweep_failure *)realloc(s->failure, (s->failures + 1) * sizeof *larger);
        if (larger) s->failure = larger;
        char *kept = larger ? strdup(message) : NULL;
        if (!kept) return sweep_says(s, "no memory for the results");
        s->failure[s->failures++] = (sweep_failure){ kept, 0, point, l->seed };
    }
    s->failure[i].times++;
    *number = i;
    return true;
}

static bool same_results(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!(isnan(a[i]) && isnan(b[i])) && !(a[i] <= b[i] && a[i] >= b[i])) return false;
    return true;
}

/* Takes what a line says into the results. */
static bool keep(sweep *s, const line *l)
{
    size_t point = 0;
    if (l->seed >= s->most) {
        s->tally.foreign++;
        return true;
    }
    if (!find_point(s, l->point, l->value, &point)) return false;
    if (point == SIZE_MAX) {
        s->tally.foreign++;
        return true;
    }
    const size_t results = s->model->result_count, run = point * s->most + l->seed;
    double *found = s->found + run * results;
    uint8_t *state = &s->state[run];
    const bool failed = *state >= SWEEP_FAILED;
    if (*state == SWEEP_DONE || (failed && l->failed)) {
        if (failed || (!l->failed && same_results(found, l->results, results)))
            s->tally.repeated++;
        else
            s->tally.differing++;
        return true;
    }
    if (failed) { /* it was made again */
        s->tally.failed--;
        s->failure[*state - SWEEP_FAILED].times--;
    }
    size_t message = 0;
    if (l->failed && !count_failure(s, l, point, &message)) return false;
    if (*state == SWEEP_DEALT) s->dealt--;
    if (*state == SWEEP_MISSING && s->missing > 0) s->missing--;
    *state = (uint8_t)(l->failed ? SWEEP_FAILED + message : SWEEP_DONE);
    for (size_t i = 0; i < results; ++i) found[i] = l->failed ? (double)NAN : l->results[i];
    if (l->failed)
        s->tally.failed++;
    else
        s->tally.done++;
    if (s->ended && !failed) {
        s->ended[point]++;
        sweep_deal_ended(s, point);
    }
    return true;
}

/* Takes a line without its end. */
static bool take_line(sweep *s, const char *text, size_t length)
{
    if (length > 0 && text[length - 1] == '\r')
        --length; /* an editor has been there: the hash tells whether more has changed */
    if (length == 0) return true;
    if (length == s->header.length && memcmp(text, s->header.text, length) == 0) {
        s->empty = false;
        return true;
    }
    if (length > 16 + 13 && memcmp(text, "point,", 6) == 0) {
        sweep_text own = { 0 };
        add_hex(&own, sweep_hash(0, text, length - 8));
        const bool header = !own.failed && memcmp(own.text, text + length - 8, 8) == 0;
        sweep_text_free(&own);
        if (header && length == s->header.length && memcmp(text, s->header.text, length - 16) == 0)
            return sweep_says(
                s,
                "%s has results of another machine file, other fixed values, or another version of the model: "
                "move it away, or name another file with --out",
                s->results);
        if (header)
            return sweep_says(s,
                              "%s has results with other columns, those of another sweep: move it away, or name "
                              "another file with --out. It has %.*s",
                              s->results, length > 160 ? 160 : (int)length - 22, text);
    }
    line l;
    unsigned long check = 0;
    double results[64];
    bool right = length > 9 && text[length - 9] == ',';
    for (size_t i = length - 8; right && i < length; ++i) {
        const char c = text[i];
        right = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        check = check << 4 | (unsigned long)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    l.results = results;
    if (!right || check != line_check(s, text, length - 8) || !read_line(s, text, text + length - 8, &l)) {
        s->tally.damaged++;
        return true;
    }
    return keep(s, &l);
}

/* What is longer is no line of ours: its end is left out, so that its hash is wrong. */
enum { LONGEST = 1 << 16 };

/* Keeps a part of a line until its end has come. */
static bool keep_part(sweep *s, const char *from, const char *to)
{
    const size_t rest = (size_t)(to - from), space = LONGEST - s->part_length, more = rest < space ? rest : space;
    char *larger = (char *)realloc(s->part, s->part_length + more + 1);
    if (!larger) return sweep_says(s, "no memory for the results");
    s->part = larger;
    memcpy(larger + s->part_length, from, more);
    s->part_length += more;
    return true;
}

bool sweep_results_take(sweep *s, const char *text, size_t length)
{
    const char *end = text + length, *stop;
    for (const char *at = text; at < end; at = stop + 1) {
        stop = (const char *)memchr(at, '\n', (size_t)(end - at));
        if (!stop) return keep_part(s, at, end);
        if (s->part_length > 0) { /* it began in the text before this one */
            if (!keep_part(s, at, stop)) return false;
            const size_t whole = s->part_length;
            s->part_length = 0;
            if (!take_line(s, s->part, whole)) return false;
        } else if (!take_line(s, at, (size_t)(stop - at))) {
            return false;
        }
    }
    return true;
}

/*=============================================================================
 * MARK: - >>the file
 *===========================================================================*/
static bool make_space(sweep *s)
{
    const size_t runs = s->points * s->most;
    s->found = (double *)calloc(runs * s->model->result_count, sizeof *s->found);
    s->state = (uint8_t *)calloc(runs, 1);
    s->last = SIZE_MAX;
    if (s->interval > 0) {
        s->asked = (uint32_t *)malloc(s->points * sizeof *s->asked);
        s->ended = (uint32_t *)calloc(s->points, sizeof *s->ended);
        s->again = (size_t *)malloc(s->points * sizeof *s->again);
        s->listed = (uint8_t *)calloc(s->points, 1);
        for (size_t i = 0; s->asked && i < s->points; ++i) s->asked[i] = (uint32_t)s->seeds;
    }
    if (s->found && s->state && (!(s->interval > 0) || (s->asked && s->ended && s->again && s->listed))) return true;
    return sweep_says(s, "no memory for the results of %.4g runs", (double)runs);
}

static bool read_all(sweep *s)
{
    enum { CHUNK = 1 << 18 };
    char *chunk = (char *)malloc(CHUNK);
    ssize_t got = 0;
    bool right = chunk != NULL || sweep_says(s, "no memory for the results");
    while (right && (got = read(s->file, chunk, CHUNK)) > 0) right = sweep_results_take(s, chunk, (size_t)got);
    if (right && got < 0) right = sweep_says(s, "%s: %s", s->results, strerror(errno));
    free(chunk);
    s->cut_off = s->part_length > 0;
    if (s->cut_off) s->tally.damaged++;
    s->part_length = 0;
    return right;
}

bool sweep_results_open(sweep *s)
{
    if (s->model->result_count > 64) return sweep_says(s, "model '%s' has more than 64 results", s->model->name);
    s->empty = true;
    if (!make_header(s)) return false;
    if (s->bare) return true;
    if (!make_space(s)) return false;
    s->file = open(s->results, s->read_only ? O_RDONLY : O_RDWR | O_APPEND | O_CREAT, 0666);
    if (s->file < 0 && s->read_only && errno == ENOENT) return true;
    if (s->file < 0) return sweep_says(s, "%s: %s", s->results, strerror(errno));
    struct stat kind;
    if (fstat(s->file, &kind) != 0 || !S_ISREG(kind.st_mode))
        return sweep_says(s, "%s is no ordinary file: results are read again when a sweep goes on", s->results);
    if (!s->read_only && flock(s->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return sweep_says(s,
                          "%s: another sweep is writing to it; name another file with --out, or give each its --shard",
                          s->results);
    if (!read_all(s)) return false;
    if (!s->retry) return true;
    for (size_t run = 0; run < s->points * s->most; ++run)
        if (s->state[run] >= SWEEP_FAILED) {
            s->state[run] = SWEEP_MISSING;
            if (s->ended) s->ended[run / s->most]--;
        }
    s->tally.failed = 0;
    for (size_t i = 0; i < s->failures; ++i) free(s->failure[i].message);
    s->failures = 0;
    return true;
}

static bool write_all(sweep *s, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(s->file, text, length);
        if (written < 0 && errno == EINTR) continue;
        s->cut_off = true; /* until all of it is there */
        if (written <= 0) return sweep_says(s, "%s: %s", s->results, strerror(written < 0 ? errno : EIO));
        text += written;
        length -= (size_t)written;
    }
    s->cut_off = false;
    return true;
}

bool sweep_results_append(sweep *s, const char *text, size_t length)
{
    if (s->cut_off && !write_all(s, "\n", 1)) return false;
    if (s->empty && !(write_all(s, s->header.text, s->header.length) && write_all(s, "\n", 1))) return false;
    s->empty = false;
    if (!write_all(s, text, length)) return false;
    const sweep_tally before = s->tally;
    if (!sweep_results_take(s, text, length)) return false;
    return (s->tally.damaged == before.damaged && s->tally.foreign == before.foreign) ||
           sweep_says(s, "%s: lines that were just made are not those of their runs", s->results);
}
