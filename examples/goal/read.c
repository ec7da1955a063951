/* read.c - goal_read(): the text form of GOAL
 *
 *     num_ranks 2
 *     rank 0 {
 *         l1: calc 100 cpu 0
 *         l2: send 8b to 1 tag 5 cpu 0 nic 0
 *         l2 requires l1
 *     }
 *     rank 1 { ... recv 8b from 0 tag 5 ... }
 *
 * A statement is a line. Comments are // and slash-star. */
#include "goal.h"

#include <stdio.h>
#include <string.h>

/* A line `A requires B`, until the labels of its rank are known. */
typedef struct pending {
    const char *text[2];
    uint32_t length[2], column[2], line;
    bool start;
} pending;

typedef struct reading {
    simkit_reader r; /* `end` is that of the text; `start` and `line` are those of the line */
    goal_schedule *s;
    bool no_memory;
    uint32_t rank;       /* whose block this is */
    size_t rank_first;   /* its first operation */
    uint32_t *described; /* described[ranks]: the line of its block; 0: none so far */
    uint32_t *table;     /* labels of this rank: operation + 1; 0: none. table_room is a power of two */
    size_t table_room, table_count;
    pending *pendings;
    size_t pending_count, pending_room;
} reading;

static bool out_of_memory(reading *in)
{
    in->no_memory = true;
    return false;
}

/*=============================================================================
 * MARK: - >>scanner
 *===========================================================================*/
static void next_line(reading *in)
{
    in->r.start = in->r.at;
    ++in->r.line;
}

/* Skips blanks and comments; also the ends of lines, if told so. False for a comment without an end. */
static bool skip(reading *in, bool lines)
{
    simkit_reader *r = &in->r;
    while (r->at < r->end) {
        const char c = *r->at;
        if (c == ' ' || c == '\t' || c == '\r') {
            ++r->at;
        } else if (c == '\n' && lines) {
            ++r->at;
            next_line(in);
        } else if (c == '/' && r->at + 1 < r->end && r->at[1] == '/') {
            while (r->at < r->end && *r->at != '\n') ++r->at;
        } else if (c == '/' && r->at + 1 < r->end && r->at[1] == '*') {
            const char *at = r->at, *start = r->start;
            const unsigned line = r->line;
            for (r->at += 2; r->at + 1 < r->end && !(r->at[0] == '*' && r->at[1] == '/');)
                if (*r->at++ == '\n') next_line(in);
            if (r->at + 1 >= r->end) {
                r->start = start;
                r->line = line;
                return simkit_reader_error(r, at, "this comment has no end");
            }
            r->at += 2;
        } else {
            break;
        }
    }
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* What stands there, for an error: a word, a character, or the end. */
static bool expected(reading *in, const char *what)
{
    simkit_reader *r = &in->r;
    const char *end = r->at;
    while (end < r->end && is_word(*end) && end - r->at < 30) ++end;
    if (r->at == r->end) return simkit_reader_error(r, r->at, "expected %s, found the end of the file", what);
    if (*r->at == '\n') return simkit_reader_error(r, r->at, "expected %s, found the end of the line", what);
    if (end == r->at && (*r->at < ' ' || *r->at > '~'))
        return simkit_reader_error(r, r->at, "expected %s, found the byte %u", what, (unsigned)(unsigned char)*r->at);
    return simkit_reader_error(r, r->at, "expected %s, found '%.*s'", what, (int)(end > r->at ? end - r->at : 1),
                               r->at);
}

/* Returns the next word without consuming it; its length is 0 if none is left. */
static size_t word_length(const reading *in)
{
    const char *at = in->r.at;
    if (at < in->r.end && is_digit(*at)) return 0;
    while (at < in->r.end && is_word(*at)) ++at;
    return (size_t)(at - in->r.at);
}

static bool is_next(const reading *in, const char *word)
{
    return word_length(in) == strlen(word) && memcmp(in->r.at, word, strlen(word)) == 0;
}

/* Reads a word if it comes next. */
static bool take(reading *in, const char *word)
{
    if (!is_next(in, word)) return false;
    in->r.at += strlen(word);
    return true;
}

/* A whole number up to `most`, or `any` for -1 if that is not 0. */
static bool number(reading *in, const char *what, double most, uint32_t any, double *value)
{
    simkit_reader *r = &in->r;
    if (!skip(in, false)) return false;
    const char *at = r->at;
    if (any && r->end - at >= 2 && at[0] == '-' && at[1] == '1' && (r->end - at == 2 || !is_digit(at[2]))) {
        r->at += 2;
        *value = any;
        return true;
    }
    if (at == r->end || !is_digit(*at)) return expected(in, what);
    double sum = 0;
    for (; r->at < r->end && is_digit(*r->at); ++r->at) sum = sum < 1e17 ? sum * 10 + (*r->at - '0') : sum;
    *value = sum;
    const bool whole = r->at == r->end || *r->at != '.';
    if (whole && sum <= most) return true;
    if (!whole) ++r->at;
    while (r->at < r->end && is_digit(*r->at)) ++r->at;
    const int length = r->at - at > 30 ? 30 : (int)(r->at - at);
    if (!whole) return simkit_reader_error(r, at, "expected %s as a whole number, found %.*s", what, length, at);
    return simkit_reader_error(r, at, "expected %s up to %.0f, found %.*s", what, most, length, at);
}

static bool character(reading *in, char c, const char *what)
{
    if (!skip(in, false)) return false;
    if (in->r.at == in->r.end || *in->r.at != c) return expected(in, what);
    ++in->r.at;
    return true;
}

/*=============================================================================
 * MARK: - >>labels
 *===========================================================================*/
static size_t label_hash(const char *text, size_t length)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; ++i) h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)(h ^ h >> 29);
}

/* Where in the table a label is or would be. */
static uint32_t *label_slot(const reading *in, const char *text, size_t length)
{
    size_t slot = label_hash(text, length) & (in->table_room - 1);
    for (; in->table[slot]; slot = (slot + 1) & (in->table_room - 1)) {
        const char *label = in->s->labels + in->s->ops[in->table[slot] - 1].label;
        if (strncmp(label, text, length) == 0 && label[length] == 0) break;
    }
    return &in->table[slot];
}

static bool grow_labels(reading *in)
{
    const size_t room = in->table_room ? 2 * in->table_room : 64;
    uint32_t *table = goal_memory(&in->s->memory, NULL, 0, room * sizeof *table), *old = in->table;
    if (!table) return out_of_memory(in);
    const size_t old_room = in->table_room;
    memset(table, 0, room * sizeof *table);
    in->table = table;
    in->table_room = room;
    for (size_t i = 0; i < old_room; ++i) {
        if (!old[i]) continue;
        const char *label = in->s->labels + in->s->ops[old[i] - 1].label;
        *label_slot(in, label, strlen(label)) = old[i];
    }
    goal_memory(&in->s->memory, old, old_room * sizeof *old, 0);
    return true;
}

/* Keeps the label of the operation that is read next. */
static bool add_label(reading *in, const char *text, size_t length, uint32_t *label)
{
    if (2 * (in->table_count + 1) > in->table_room && !grow_labels(in)) return false;
    uint32_t *slot = label_slot(in, text, length);
    if (*slot)
        return simkit_reader_error(&in->r, text, "rank %u has a label '%.*s' already, in line %u", (unsigned)in->rank,
                                   length > 60 ? 60 : (int)length, text, (unsigned)in->s->ops[*slot - 1].line);
    if (goal_label(in->s, text, length, label) != SIMKIT_OK) return out_of_memory(in);
    *slot = (uint32_t)in->s->count + 1;
    ++in->table_count;
    return true;
}

/*=============================================================================
 * MARK: - >>statements
 *===========================================================================*/
static bool small(reading *in, const char *what, unsigned char *value)
{
    double read;
    if (!number(in, what, 255, 0, &read)) return false;
    *value = (unsigned char)read;
    return true;
}

/* tag, cpu and nic in any order, each at most once. */
static bool read_options(reading *in, goal_op *op)
{
    bool tag = false, cpu = false, nic = false;
    for (;;) {
        double value;
        if (!skip(in, false)) return false;
        const char *at = in->r.at;
        if (in->r.at == in->r.end || *at == '\n' || *at == '}') return true;
        if (op->kind != GOAL_CALC && !tag && take(in, "tag")) {
            const uint32_t any = op->kind == GOAL_RECV ? GOAL_ANY : 0;
            if (!number(in, any ? "a tag, or -1 for any," : "a tag", GOAL_ANY - 1.0, any, &value)) return false;
            op->tag = (uint32_t)value;
            tag = true;
        } else if (!cpu && take(in, "cpu")) {
            if (!small(in, "the number of a processor", &op->cpu)) return false;
            cpu = true;
        } else if (!nic && take(in, "nic")) {
            if (!small(in, "the number of a network interface", &op->nic)) return false;
            nic = true;
        } else {
            return expected(in, op->kind == GOAL_CALC ? "cpu, nic or the end of the line"
                                                      : "tag, cpu, nic or the end of the line");
        }
    }
}

static bool read_message(reading *in, goal_op *op)
{
    const bool send = op->kind == GOAL_SEND;
    double peer;
    if (!number(in, "the bytes of a message", GOAL_LARGEST, 0, &op->size)) return false;
    if (!skip(in, false)) return false;
    if (!take(in, "b")) return expected(in, "'b' behind the bytes of a message");
    if (!skip(in, false)) return false;
    if (!take(in, send ? "to" : "from")) return expected(in, send ? "'to' and a rank" : "'from' and a rank");
    if (!skip(in, false)) return false;
    const char *at = in->r.at;
    if (!number(in, send ? "a rank" : "a rank, or -1 for any,", in->s->ranks - 1.0, send ? 0 : GOAL_ANY, &peer))
        return false;
    op->peer = (uint32_t)peer;
    if (op->peer == op->rank)
        return simkit_reader_error(&in->r, at, "rank %u cannot send to itself", (unsigned)op->rank);
    return true;
}

/* `A requires B`, behind A. */
static bool read_need(reading *in, const char *text, size_t length)
{
    const bool start = is_next(in, "irequires");
    if (!goal_grow(&in->s->memory, &in->pendings, &in->pending_room, in->pending_count + 1, sizeof *in->pendings))
        return out_of_memory(in);
    in->r.at += word_length(in);
    if (!skip(in, false)) return false;
    const size_t other = word_length(in);
    if (other == 0) return expected(in, "a label");
    in->pendings[in->pending_count++] = (pending){
        { text, in->r.at },
        { (uint32_t)length, (uint32_t)other },
        { (uint32_t)(text - in->r.start) + 1, (uint32_t)(in->r.at - in->r.start) + 1 },
        in->r.line,
        start,
    };
    in->r.at += other;
    return true;
}

static bool read_operation(reading *in, uint32_t label)
{
    goal_op op = { .rank = in->rank, .label = label, .line = in->r.line };
    if (!skip(in, false)) return false;
    if (take(in, "calc")) {
        op.kind = GOAL_CALC;
        if (!number(in, "nanoseconds", GOAL_LARGEST, 0, &op.size)) return false;
    } else if (is_next(in, "send") || is_next(in, "recv")) {
        op.kind = take(in, "send") ? GOAL_SEND : GOAL_RECV;
        if (op.kind == GOAL_RECV) in->r.at += 4;
        if (!read_message(in, &op)) return false;
    } else {
        return expected(in, "calc, send or recv");
    }
    return read_options(in, &op) && (goal_add(in->s, &op, NULL) == SIMKIT_OK || out_of_memory(in));
}

static bool read_statement(reading *in)
{
    const char *at = in->r.at;
    const size_t length = word_length(in);
    if (is_next(in, "calc") || is_next(in, "send") || is_next(in, "recv")) {
        if (!read_operation(in, 0)) return false;
    } else if (length > 0) {
        uint32_t label;
        in->r.at += length;
        if (!skip(in, false)) return false;
        if (is_next(in, "requires") || is_next(in, "irequires")) {
            if (!read_need(in, at, length)) return false;
        } else {
            if (!character(in, ':', "':', requires or irequires") || !add_label(in, at, length, &label)) return false;
            if (!read_operation(in, label)) return false;
        }
    } else {
        return expected(in, "a label, calc, send, recv or '}'");
    }
    if (!skip(in, false)) return false;
    return in->r.at == in->r.end || *in->r.at == '\n' || *in->r.at == '}' || expected(in, "the end of the line");
}

/* The lines `A requires B` of a rank, now that its labels are known. */
static bool resolve(reading *in)
{
    for (size_t i = 0; i < in->pending_count; ++i) {
        const pending *p = &in->pendings[i];
        uint32_t found[2] = { 0, 0 };
        for (int k = 0; k < 2; ++k) {
            if (in->table_room) found[k] = *label_slot(in, p->text[k], p->length[k]);
            if (found[k]) continue;
            in->r.line = p->line;
            in->r.start = p->text[k] - (p->column[k] - 1);
            return simkit_reader_error(&in->r, p->text[k], "rank %u has no label '%.*s'", (unsigned)in->rank,
                                       p->length[k] > 60 ? 60 : (int)p->length[k], p->text[k]);
        }
        const goal_need need = { found[0] - 1, found[1] - 1, p->line, p->column[0], p->start };
        if (goal_wait(in->s, &need) != SIMKIT_OK) return out_of_memory(in);
    }
    in->pending_count = 0;
    if (in->table_room) {
        /* Each rank has labels of its own. A table that one large rank has left behind is not cleared for each small one. */
        if (in->table_count * 8 > in->table_room) {
            memset(in->table, 0, in->table_room * sizeof *in->table);
        } else {
            goal_memory(&in->s->memory, in->table, in->table_room * sizeof *in->table, 0);
            in->table = NULL;
            in->table_room = 0;
        }
    }
    in->table_count = 0;
    return true;
}

static bool read_rank(reading *in)
{
    double rank;
    if (!skip(in, false)) return false;
    const char *at = in->r.at;
    if (in->s->ranks == 0) return simkit_reader_error(&in->r, at, "expected num_ranks before the first rank");
    if (!number(in, "a rank", in->s->ranks - 1.0, 0, &rank)) return false;
    in->rank = (uint32_t)rank;
    if (in->described[in->rank])
        return simkit_reader_error(&in->r, at, "rank %u is described already, in line %u", (unsigned)in->rank,
                                   (unsigned)in->described[in->rank]);
    in->described[in->rank] = in->r.line;
    if (!skip(in, true)) return false;
    if (in->r.at == in->r.end || *in->r.at != '{') return expected(in, "'{'");
    ++in->r.at;
    for (;;) {
        if (!skip(in, true)) return false;
        if (in->r.at == in->r.end) return expected(in, "'}' at the end of a rank");
        if (*in->r.at == '}') break;
        if (!read_statement(in)) return false;
    }
    ++in->r.at;
    return resolve(in);
}

static bool read_size(reading *in)
{
    double ranks;
    if (!skip(in, false)) return false;
    const char *at = in->r.at;
    if (in->s->ranks > 0) return simkit_reader_error(&in->r, at, "num_ranks was given already");
    if (!number(in, "a number of ranks", GOAL_RANKS, 0, &ranks)) return false;
    if (ranks < 1) return simkit_reader_error(&in->r, at, "expected at least one rank");
    const size_t bytes = (size_t)ranks * sizeof *in->described;
    in->described = goal_memory(&in->s->memory, NULL, 0, bytes);
    if (!in->described) return out_of_memory(in);
    memset(in->described, 0, bytes);
    in->s->ranks = (uint32_t)ranks;
    return true;
}

static bool read_all(reading *in)
{
    /* goal_form_of() takes a file that begins with none of them for a schedule */
    static const char beginnings[] = "num_ranks (GOAL), a rank (trace) or a path (list)";
    for (;;) {
        if (!skip(in, true)) return false;
        if (in->r.at == in->r.end) break;
        if (take(in, "num_ranks")) {
            if (!read_size(in)) return false;
        } else if (take(in, "rank")) {
            if (!read_rank(in)) return false;
        } else {
            return expected(in, in->s->ranks ? "rank" : beginnings);
        }
    }
    return in->s->ranks > 0 || expected(in, beginnings);
}

/*=============================================================================
 * MARK: - >>the whole
 *===========================================================================*/
simkit_result goal_read(const simkit_input *input, goal_schedule **schedule, simkit_parse_error *error)
{
    static const simkit_reader before;
    const char *name = input->name ? input->name : input->path ? input->path : "schedule";
    char *text;
    size_t length, room;
    memset(error, 0, sizeof *error);
    *schedule = NULL;
    simkit_result result = goal_text(input, &text, &length, &room, error);
    if (result != SIMKIT_OK) return result;
    reading in = { .r = before };
    in.r.file = name;
    in.r.start = in.r.at = text;
    in.r.end = text + length;
    in.r.line = 1;
    result = goal_open(&input->memory, name, &in.s);
    if (result == SIMKIT_OK && !read_all(&in)) {
        result = in.no_memory ? SIMKIT_NO_MEMORY : SIMKIT_BAD_FILE;
        *error = in.r.error;
    }
    if (in.described) goal_memory(&input->memory, in.described, in.s->ranks * sizeof *in.described, 0);
    goal_memory(&input->memory, in.table, in.table_room * sizeof *in.table, 0);
    goal_memory(&input->memory, in.pendings, in.pending_room * sizeof *in.pendings, 0);
    goal_memory(&input->memory, text, room, 0);
    if (result == SIMKIT_OK) result = goal_finish(in.s, error);
    if (result == SIMKIT_NO_MEMORY) snprintf(error->text, sizeof error->text, "%.200s: no memory", name);
    if (result == SIMKIT_OK)
        *schedule = in.s;
    else
        goal_close(in.s);
    return result;
}
