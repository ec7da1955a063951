/* trace.c - goal_read_trace(): time-independent traces, as SimGrid records and replays them
 *
 *     0 init
 *     0 compute 1e9
 *     0 isend 1 5 1e6
 *     0 wait 0 1 5
 *
 * A line is an action: its rank, its name, numbers. Each becomes operations of a schedule. An operation begins when those before
 * it have ended, or have begun, if the program does not wait for them: isend, irecv. Collectives are sends and receives by the
 * algorithms that MPI libraries use for them. */
#include "goal.h"

#include <stdio.h>
#include <string.h>

#define COLLECTIVE 0x80000000u /* tags from here on */
enum { RANKS = 1 << 20 };      /* at most so many */
/* SimGrid's recorder writes what the program passed: MPI_ANY_SOURCE, MPI_ANY_TAG and MPI_PROC_NULL have these values there. */
enum { ANY_SOURCE = -555, ANY_TAG = -444, NOBODY = -666 };

typedef enum kind {
    INIT,
    FINALIZE,
    NOTHING,
    COMPUTE,
    SLEEP,
    SEND,
    ISEND,
    RECV,
    IRECV,
    WAIT,
    WAITALL,
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    GATHER,
    GATHERV,
    ALLGATHER,
    ALLGATHERV,
    SCATTER,
    SCATTERV,
    ALLTOALL,
    ALLTOALLV,
    REDUCESCATTER
} kind;

/* Its numbers: at least `least`, and `each` for each rank, and at most `more` behind them. */
typedef struct action {
    const char *name;
    kind kind;
    unsigned least, each, more;
} action;

static const action actions[] = {
    { "init", INIT, 0, 0, 1 },
    { "finalize", FINALIZE, 0, 0, 0 },
    { "comm_size", NOTHING, 0, 0, 9 },
    { "comm_split", NOTHING, 0, 0, 9 },
    { "comm_dup", NOTHING, 0, 0, 9 },
    { "test", NOTHING, 0, 0, 9 },
    { "compute", COMPUTE, 1, 0, 0 },
    { "sleep", SLEEP, 1, 0, 0 },
    { "send", SEND, 2, 0, 2 },
    { "isend", ISEND, 2, 0, 2 },
    { "recv", RECV, 2, 0, 2 },
    { "irecv", IRECV, 2, 0, 2 },
    { "wait", WAIT, 0, 0, 3 },
    { "waitall", WAITALL, 0, 0, 1 },
    { "barrier", BARRIER, 0, 0, 0 },
    { "bcast", BCAST, 1, 0, 2 },
    { "reduce", REDUCE, 2, 0, 2 },
    { "allreduce", ALLREDUCE, 2, 0, 1 },
    { "gather", GATHER, 2, 0, 3 },
    { "gatherv", GATHERV, 1, 1, 3 },
    { "allgather", ALLGATHER, 2, 0, 2 },
    { "allgatherv", ALLGATHERV, 1, 1, 2 },
    { "scatter", SCATTER, 2, 0, 3 },
    { "scatterv", SCATTERV, 1, 1, 3 },
    { "alltoall", ALLTOALL, 2, 0, 2 },
    { "alltoallv", ALLTOALLV, 2, 2, 2 },
    { "reducescatter", REDUCESCATTER, 1, 1, 1 },
};
enum { ACTIONS = sizeof actions / sizeof *actions };

typedef struct quantity {
    double value;
    const char *at;
} quantity;

/* An isend or irecv that nobody has waited for. */
typedef struct request {
    uint32_t op, from, to, tag;
} request;

typedef struct program {
    goal_need *needs; /* for what the next operation waits */
    size_t need_count, need_room;
    request *requests;
    size_t request_count, request_room;
    size_t collectives;
    double type; /* bytes of a number whose type is not given */
} program;

typedef struct file {
    char *text;
    size_t length, room;
    char name[300];
} file;

/* The collective with this number, as the first rank has it. */
typedef struct collective {
    const action *action;
    const char *file;
    uint32_t rank, line, root;
} collective;

typedef struct trace {
    simkit_reader r;
    goal_schedule *s;
    const goal_trace_desc *desc;
    bool no_memory;
    file *files;
    size_t file_count, file_room;
    program *programs; /* programs[s->ranks] */
    quantity *numbers; /* of this line */
    size_t count, number_room;
    collective *collectives;
    size_t collective_count, collective_room;
    uint32_t labels[ACTIONS];
    const action *action; /* this one, of this rank */
    uint32_t rank;
} trace;

static bool out_of_memory(trace *t)
{
    t->no_memory = true;
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* An error at a word, which is what was found. */
static bool expected(trace *t, const char *at, const char *what)
{
    const char *end = at;
    while (end != t->r.end && *end > ' ' && *end <= '~' && end - at < 30) ++end;
    if (at == t->r.end) return simkit_reader_error(&t->r, at, "expected %s, found the end of the line", what);
    if (end == at)
        return simkit_reader_error(&t->r, at, "expected %s, found the byte %u", what, (unsigned)(unsigned char)*at);
    return simkit_reader_error(&t->r, at, "expected %s, found %.*s", what, (int)(end - at), at);
}

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
static bool await(trace *t, uint32_t on, bool start)
{
    program *p = &t->programs[t->rank];
    if (!goal_grow(&t->s->memory, &p->needs, &p->need_room, p->need_count + 1, sizeof *p->needs))
        return out_of_memory(t);
    p->needs[p->need_count++] = (goal_need){ .on = on, .line = t->r.line, .column = 1, .start = start };
    return true;
}

/* Adds an operation behind those for which the rank waits now; the next one waits for its end, or only for its start. */
static bool add(trace *t, goal_op op, bool wait, uint32_t *number)
{
    program *p = &t->programs[t->rank];
    op.rank = t->rank;
    op.label = t->labels[t->action - actions];
    op.line = t->r.line;
    if (goal_add(t->s, &op, number) != SIMKIT_OK) return out_of_memory(t);
    for (size_t i = 0; i < p->need_count; ++i) {
        p->needs[i].op = *number;
        if (goal_wait(t->s, &p->needs[i]) != SIMKIT_OK) return out_of_memory(t);
    }
    p->need_count = 0;
    return await(t, *number, !wait);
}

static bool add_calc(trace *t, double ns)
{
    uint32_t number;
    if (!(ns <= GOAL_LARGEST)) return simkit_reader_error(&t->r, NULL, "this takes %g ns, expected at most 9e15", ns);
    return ns == 0 || add(t, (goal_op){ .kind = GOAL_CALC, .size = ns }, true, &number);
}

static bool add_flop(trace *t, double flop)
{
    if (flop == 0) return true;
    if (!(t->desc->rate > 0))
        return simkit_reader_error(&t->r, t->numbers[0].at, "%s counts flop: expected their rate (--flops)",
                                   t->action->name);
    return add_calc(t, flop / t->desc->rate * 1e9);
}

static uint32_t tag_of(const trace *t)
{
    return COLLECTIVE + (uint32_t)t->action->kind;
}

static bool send(trace *t, uint32_t to, double bytes)
{
    uint32_t number;
    return add(t, (goal_op){ .kind = GOAL_SEND, .peer = to, .tag = tag_of(t), .size = bytes }, true, &number);
}

static bool receive(trace *t, uint32_t from, double bytes)
{
    uint32_t number;
    return add(t, (goal_op){ .kind = GOAL_RECV, .peer = from, .tag = tag_of(t), .size = bytes }, true, &number);
}

/* Both at once, as MPI_Sendrecv(). */
static bool exchange(trace *t, uint32_t to, double out, uint32_t from, double in)
{
    uint32_t sent;
    return add(t, (goal_op){ .kind = GOAL_SEND, .peer = to, .tag = tag_of(t), .size = out }, false, &sent) &&
           receive(t, from, in) && await(t, sent, false);
}

/*=============================================================================
 * MARK: - >>collectives
 *===========================================================================*/
static uint32_t fewer(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Dissemination: to the ranks 1, 2, 4, ... further on. */
static bool barrier(trace *t)
{
    const uint32_t p = t->s->ranks, r = t->rank;
    for (uint32_t d = 1; d < p; d *= 2)
        if (!exchange(t, (r + d) % p, 0, (r + p - d) % p, 0)) return false;
    return true;
}

/* Down a binomial tree: `part` bytes for each rank of the subtree, or the same for all. */
static bool down(trace *t, uint32_t root, double bytes, bool parts)
{
    const uint32_t p = t->s->ranks, me = (t->rank + p - root) % p;
    uint32_t d = 1;
    while (d < p && !(me & d)) d *= 2;
    if (me && !receive(t, (t->rank + p - d) % p, bytes * (parts ? fewer(d, p - me) : 1))) return false;
    for (d /= 2; d > 0; d /= 2) {
        if (me + d >= p) continue;
        if (!send(t, (t->rank + d) % p, bytes * (parts ? fewer(d, p - me - d) : 1))) return false;
    }
    return true;
}

/* Up the same tree. */
static bool up(trace *t, uint32_t root, double bytes, bool parts)
{
    const uint32_t p = t->s->ranks, me = (t->rank + p - root) % p;
    uint32_t d = 1;
    for (; d < p && !(me & d); d *= 2) {
        if (me + d >= p) continue;
        if (!receive(t, (t->rank + d) % p, bytes * (parts ? fewer(d, p - me - d) : 1))) return false;
    }
    return me == 0 || send(t, (t->rank + p - d) % p, bytes * (parts ? fewer(d, p - me) : 1));
}

/* Recursive doubling; ranks beyond the largest power of two give their part to a neighbour and get the result from it. */
static bool doubling(trace *t, double bytes)
{
    const uint32_t p = t->s->ranks, r = t->rank;
    uint32_t power = 1;
    while (2 * power <= p) power *= 2;
    const uint32_t rest = p - power;
    if (r < 2 * rest && r % 2 == 0) return send(t, r + 1, bytes) && receive(t, r + 1, bytes);
    if (r < 2 * rest && !receive(t, r - 1, bytes)) return false;
    const uint32_t me = r < 2 * rest ? r / 2 : r - rest;
    for (uint32_t d = 1; d < power; d *= 2) {
        const uint32_t other = (me ^ d) < rest ? 2 * (me ^ d) + 1 : (me ^ d) + rest;
        if (!exchange(t, other, bytes, other, bytes)) return false;
    }
    return r >= 2 * rest || send(t, r - 1, bytes);
}

/* Blocks go round a ring. blocks[p] or, if NULL, all of `bytes`. */
static bool ring(trace *t, const quantity *blocks, double type, double bytes)
{
    const uint32_t p = t->s->ranks, r = t->rank;
    for (uint32_t i = 0; i + 1 < p; ++i) {
        const double out = blocks ? blocks[(r + p - i) % p].value * type : bytes;
        const double in = blocks ? blocks[(r + 2 * p - i - 1) % p].value * type : bytes;
        if (!exchange(t, (r + 1) % p, out, (r + p - 1) % p, in)) return false;
    }
    return true;
}

/* In round i, with the ranks i further on and i back. */
static bool pairs(trace *t, const quantity *out, const quantity *in, double type, double bytes)
{
    const uint32_t p = t->s->ranks, r = t->rank;
    for (uint32_t i = 1; i < p; ++i) {
        const uint32_t to = (r + i) % p, from = (r + p - i) % p;
        if (!exchange(t, to, out ? out[to].value * type : bytes, from, in ? in[from].value * type : bytes))
            return false;
    }
    return true;
}

/* Every rank for itself with the root: `out` to the root, or parts[p] from it. */
static bool linear(trace *t, uint32_t root, bool gather, const quantity *parts, double type, double bytes)
{
    for (uint32_t i = 0; t->rank == root && i < t->s->ranks; ++i) {
        if (i == root) continue;
        if (!(gather ? receive(t, i, parts[i].value * type) : send(t, i, parts[i].value * type))) return false;
    }
    return t->rank == root || (gather ? send(t, root, bytes) : receive(t, root, bytes));
}

/*=============================================================================
 * MARK: - >>actions
 *===========================================================================*/
/* Bytes of an element: those of the type with this number, or what init said. */
static bool type_of(trace *t, size_t which, double *bytes)
{
    static const double sizes[] = { 8, 4, 1, 2, 8, 4, 1 }; /* double, int, char, short, long, float, byte */
    *bytes = t->programs[t->rank].type;
    if (which >= t->count) return true;
    const double type = t->numbers[which].value;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        if (type != (double)i) continue;
        *bytes = sizes[i];
        return true;
    }
    return expected(t, t->numbers[which].at, "a type from 0 to 6 (double, int, char, short, long, float, byte)");
}

/* A rank among the numbers, or -1 or ANY_SOURCE for any; a missing one is 0. */
static bool rank_of(trace *t, size_t which, bool any, uint32_t *rank)
{
    const double value = which < t->count ? t->numbers[which].value : 0;
    *rank = 0;
    if (any && (value == -1 || value == ANY_SOURCE)) return *rank = GOAL_ANY, true;
    if (value >= 0 && value < RANKS && (double)(uint32_t)value == value) {
        *rank = (uint32_t)value;
        if (*rank < t->s->ranks) return true;
        return simkit_reader_error(&t->r, t->numbers[which].at, "rank %u has no actions: the last rank is %u",
                                   (unsigned)*rank, (unsigned)t->s->ranks - 1);
    }
    char what[80];
    snprintf(what, sizeof what, "a rank from 0 to %u%s", (unsigned)t->s->ranks - 1, any ? ", or -1 or -555 for any" : "");
    return expected(t, t->numbers[which].at, what);
}

static bool tag_among(trace *t, size_t which, bool any, uint32_t *tag)
{
    const double value = t->numbers[which].value;
    if (any && (value == -1 || value == ANY_TAG)) return *tag = GOAL_ANY, true;
    if (!(value >= 0 && value < COLLECTIVE) || (double)(uint32_t)value != value)
        return expected(t, t->numbers[which].at, any ? "a tag from 0 to 2147483647, or -1 or -444 for any" : "a tag from 0 to 2147483647");
    *tag = (uint32_t)value;
    return true;
}

/* PARTNER TAG COUNT [TYPE], or as earlier versions wrote it, PARTNER COUNT. A message to or from NOBODY does nothing. */
static bool message(trace *t)
{
    const bool to = t->action->kind == SEND || t->action->kind == ISEND, tagged = t->count > 2;
    const bool wait = t->action->kind == SEND || t->action->kind == RECV;
    program *p = &t->programs[t->rank];
    goal_op op = { .kind = to ? GOAL_SEND : GOAL_RECV };
    const double count = t->numbers[tagged ? 2 : 1].value;
    double type;
    uint32_t number;
    const bool nobody = t->numbers[0].value == NOBODY;
    if ((!nobody && !rank_of(t, 0, !to, &op.peer)) || (tagged && !tag_among(t, 1, !to, &op.tag)) || !type_of(t, 3, &type))
        return false;
    if (nobody) return true;
    if (op.peer == t->rank)
        return simkit_reader_error(&t->r, t->numbers[0].at, "rank %u cannot send to itself", t->rank);
    op.size = count > 0 || to ? count * type : 0; /* a receive may have -1: what comes */
    if (!(op.size >= 0 && op.size <= GOAL_LARGEST))
        return expected(t, t->numbers[tagged ? 2 : 1].at, "a size of at most 9e15 B");
    if (!add(t, op, wait, &number) || wait) return !t->no_memory;
    if (!goal_grow(&t->s->memory, &p->requests, &p->request_room, p->request_count + 1, sizeof *p->requests))
        return out_of_memory(t);
    p->requests[p->request_count++] = (request){ number, to ? t->rank : op.peer, to ? op.peer : t->rank, op.tag };
    return true;
}

/* SENDER RECEIVER TAG, or as earlier versions wrote it, nothing: the latest request. */
static bool await_one(trace *t)
{
    program *p = &t->programs[t->rank];
    uint32_t from = 0, to = 0, tag = 0;
    if (t->count != 0 && t->count != 3)
        return simkit_reader_error(&t->r, NULL, "wait: expected sender, receiver and tag");
    if (t->count && (t->numbers[0].value == NOBODY || t->numbers[1].value == NOBODY)) return true;
    if (t->count && (!rank_of(t, 0, true, &from) || !rank_of(t, 1, true, &to) || !tag_among(t, 2, true, &tag)))
        return false;
    size_t i = t->count || p->request_count == 0 ? 0 : p->request_count - 1;
    for (; t->count && i < p->request_count; ++i)
        if (p->requests[i].from == from && p->requests[i].to == to && p->requests[i].tag == tag) break;
    if (i >= p->request_count)
        return simkit_reader_error(&t->r, NULL, "rank %u has no such isend or irecv to wait for", (unsigned)t->rank);
    const uint32_t op = p->requests[i].op;
    memmove(&p->requests[i], &p->requests[i + 1], (--p->request_count - i) * sizeof *p->requests);
    return await(t, op, false);
}

static bool await_all(trace *t)
{
    program *p = &t->programs[t->rank];
    for (size_t i = 0; i < p->request_count; ++i)
        if (!await(t, p->requests[i].op, false)) return false;
    p->request_count = 0;
    return true;
}

/* `line 7`, in a list of traces `line 7 of rank0.trace`. */
static const char *place_of(const trace *t, const collective *c, char text[120])
{
    const int length = snprintf(text, 120, "line %u", (unsigned)c->line);
    if (t->file_count > 1) snprintf(text + length, 120 - (size_t)length, " of %.80s", c->file);
    return text;
}

/* All ranks must have the same collectives. */
static bool agree(trace *t)
{
    const size_t number = t->programs[t->rank].collectives++;
    char place[120];
    if (number < t->collective_count) {
        const collective *c = &t->collectives[number];
        return c->action == t->action ||
               simkit_reader_error(&t->r, NULL, "%s is collective %zu of rank %u, but rank %u has %s there, in %s",
                                   t->action->name, number + 1, (unsigned)t->rank, (unsigned)c->rank, c->action->name,
                                   place_of(t, c, place));
    }
    if (!goal_grow(&t->s->memory, &t->collectives, &t->collective_room, number + 1, sizeof *t->collectives))
        return out_of_memory(t);
    t->collectives[t->collective_count++] = (collective){ t->action, t->r.file, t->rank, t->r.line, GOAL_NONE };
    return true;
}

/* The root among the numbers; all ranks must have the same. */
static bool root_of(trace *t, size_t which, uint32_t *root)
{
    collective *c = &t->collectives[t->programs[t->rank].collectives - 1];
    char place[120];
    if (!rank_of(t, which, false, root)) return false;
    if (c->root == GOAL_NONE) c->root = *root;
    return c->root == *root || simkit_reader_error(&t->r, which < t->count ? t->numbers[which].at : NULL,
                                                   "%s of rank %u has root %u, but rank %u has root %u there, in %s",
                                                   t->action->name, (unsigned)t->rank, (unsigned)*root,
                                                   (unsigned)c->rank, (unsigned)c->root, place_of(t, c, place));
}

static bool collective_action(trace *t)
{
    const quantity *n = t->numbers;
    const uint32_t p = t->s->ranks;
    uint32_t root;
    double type, other;
    if (!agree(t)) return false;
    switch (t->action->kind) {
    case BARRIER: return barrier(t);
    case BCAST: return root_of(t, 1, &root) && type_of(t, 2, &type) && down(t, root, n[0].value * type, false);
    case REDUCE:
        return root_of(t, 2, &root) && type_of(t, 3, &type) && up(t, root, n[0].value * type, false) &&
               add_flop(t, n[1].value);
    case ALLREDUCE: return type_of(t, 2, &type) && doubling(t, n[0].value * type) && add_flop(t, n[1].value);
    case GATHER: return root_of(t, 2, &root) && type_of(t, 3, &type) && up(t, root, n[0].value * type, true);
    case SCATTER: return root_of(t, 2, &root) && type_of(t, 3, &type) && down(t, root, n[0].value * type, true);
    case ALLGATHER: return type_of(t, 2, &type) && ring(t, NULL, 1, n[0].value * type);
    case ALLTOALL: return type_of(t, 2, &type) && pairs(t, NULL, NULL, 1, n[0].value * type);
    case GATHERV:
        return root_of(t, 1 + p, &root) && type_of(t, 2 + p, &type) && type_of(t, 3 + p, &other) &&
               linear(t, root, true, n + 1, other, n[0].value * type);
    case SCATTERV:
        return root_of(t, 1 + p, &root) && type_of(t, 2 + p, &type) && type_of(t, 3 + p, &other) &&
               linear(t, root, false, n, type, n[p].value * other);
    case ALLGATHERV: /* the counts are of the receive type; if only one type is given, it is both */
        return type_of(t, 1 + p, &type) && (t->count <= 2 + (size_t)p || type_of(t, 2 + p, &type)) &&
               ring(t, n + 1, type, 0);
    case ALLTOALLV: return type_of(t, 2 + 2 * (size_t)p, &type) && pairs(t, n + 1, n + 2 + p, type, 0);
    default: break;
    }
    return type_of(t, 1 + p, &type) && pairs(t, n, NULL, type, n[t->rank].value * type) && add_flop(t, n[p].value);
}

static bool act(trace *t)
{
    switch (t->action->kind) {
    case INIT: t->programs[t->rank].type = t->count ? 8 : 1; return true;
    case FINALIZE:
    case NOTHING: return true;
    case COMPUTE: return add_flop(t, t->numbers[0].value);
    case SLEEP: return add_calc(t, t->numbers[0].value * 1e9);
    case SEND:
    case ISEND:
    case RECV:
    case IRECV: return message(t);
    case WAIT: return await_one(t);
    case WAITALL: return await_all(t);
    default: return collective_action(t);
    }
}

/*=============================================================================
 * MARK: - >>lines
 *===========================================================================*/
/* A number up to 9e21, also a negative one. `what` is how errors call it. */
static bool read_number(trace *t, const char *what, double *value)
{
    simkit_reader *r = &t->r;
    const char *at = r->at, *end = r->end;
    const bool negative = at < end && *at == '-';
    if (negative) ++r->at;
    r->end = r->at; /* only this word, so that the next one is no unit */
    while (r->end < end && !is_blank(*r->end)) ++r->end;
    const bool read = simkit_reader_quantity(r, "1", value, NULL) && r->at == r->end;
    r->end = end;
    if (!read || *value > GOAL_LARGEST * 1e6) return expected(t, at, what);
    if (negative) *value = -*value;
    simkit_reader_accept(r, ' ');
    return true;
}

static bool read_rank(trace *t, uint32_t *rank)
{
    static const char what[] = "a rank from 0 to 1048575";
    double value;
    const char *at = t->r.at;
    if (!read_number(t, what, &value)) return false;
    if (!(value >= 0 && value < RANKS) || (double)(uint32_t)value != value) return expected(t, at, what);
    *rank = (uint32_t)value;
    return true;
}

/* Names in capitals and small letters are the same: allReduce, Isend. */
static bool read_action(trace *t)
{
    char word[32];
    const char *at = t->r.at;
    if (!simkit_reader_word(&t->r, word, "an action")) return false;
    for (char *c = word; *c; ++c)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    for (size_t i = 0; i < ACTIONS; ++i) {
        if (strcmp(word, actions[i].name) != 0) continue;
        t->action = &actions[i];
        return true;
    }
    return simkit_reader_error(&t->r, at, "there is no action '%s'", word);
}

static bool wrong_count(trace *t, size_t least, size_t most)
{
    char range[60];
    snprintf(range, sizeof range, least == most ? "%zu" : "%zu to %zu", least, most);
    return simkit_reader_error(&t->r, NULL, "%s: expected %s number%s, found %zu", t->action->name, range,
                               least == 1 && most == 1 ? "" : "s", t->count);
}

static bool read_numbers(trace *t)
{
    static const char may_be[] = "a number from 0 to 9e21";
    const action *a = t->action;
    simkit_reader_accept(&t->r, ' ');
    for (t->count = 0; t->r.at < t->r.end; ++t->count) {
        if (!goal_grow(&t->s->memory, &t->numbers, &t->number_room, t->count + 1, sizeof *t->numbers))
            return out_of_memory(t);
        t->numbers[t->count].at = t->r.at;
        if (!read_number(t, may_be, &t->numbers[t->count].value)) return false;
    }
    const size_t least = a->least + (size_t)a->each * t->s->ranks, most = least + a->more;
    if (t->count < least || t->count > most) return wrong_count(t, least, most);
    for (size_t i = 0; i < t->count && a->kind != NOTHING; ++i) {
        const quantity *n = &t->numbers[i];
        const bool nobody = i == 0 && n->value == NOBODY && (a->kind == SEND || a->kind == ISEND);
        const bool may = a->kind == RECV || a->kind == IRECV || a->kind == WAIT || nobody;
        if (n->value < 0 && !may) return expected(t, n->at, may_be);
    }
    return true;
}

static bool read_file(trace *t, const file *f, bool count)
{
    simkit_reader_init(&t->r, f->text, f->length, f->name);
    while (simkit_reader_line(&t->r)) {
        if (!read_rank(t, &t->rank)) return false;
        if (count) {
            if (t->rank >= t->s->ranks) t->s->ranks = t->rank + 1;
        } else if (!read_action(t) || !read_numbers(t) || !act(t)) {
            return false;
        }
    }
    return true;
}

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/
static simkit_result load(trace *t, const simkit_input *input, simkit_parse_error *error)
{
    if (!goal_grow(&t->s->memory, &t->files, &t->file_room, t->file_count + 1, sizeof *t->files))
        return SIMKIT_NO_MEMORY;
    file *f = &t->files[t->file_count];
    snprintf(f->name, sizeof f->name, "%s", input->name ? input->name : input->path ? input->path : "trace");
    const simkit_result result = goal_text(input, &f->text, &f->length, &f->room, error);
    if (result == SIMKIT_OK) ++t->file_count;
    return result;
}

/* The files that a list names, beside it. */
static simkit_result load_list(trace *t, const char *list, simkit_parse_error *error)
{
    const char *slash = strrchr(list, '/');
    simkit_reader r;
    simkit_result result = SIMKIT_OK;
    simkit_reader_init(&r, t->files[0].text, t->files[0].length, t->files[0].name);
    while (result == SIMKIT_OK && simkit_reader_line(&r)) {
        char path[600];
        const int length = snprintf(path, sizeof path, "%.*s%.*s", *r.at == '/' || !slash ? 0 : (int)(slash - list) + 1,
                                    list, (int)(r.end - r.at), r.at);
        if (length < 0 || (size_t)length >= sizeof path) {
            simkit_reader_error(&r, r.at, "the path is too long");
            *error = r.error;
            return SIMKIT_BAD_FILE;
        }
        result = load(t, &(simkit_input){ .path = path, .memory = t->s->memory }, error);
    }
    return result;
}

/* What the text is: a trace begins with the number of a rank, a list of traces with a path. */
static goal_form form_of(const char *text, size_t length)
{
    simkit_reader r;
    simkit_reader_init(&r, text, length, "");
    if (!simkit_reader_line(&r) || (r.end - r.at >= 2 && *r.at == '/' && (r.at[1] == '/' || r.at[1] == '*')))
        return GOAL_SCHEDULE;
    if (*r.at >= '0' && *r.at <= '9') {
        const char *at = r.at;
        while (at < r.end && *at >= '0' && *at <= '9') ++at;
        if (at == r.end || is_blank(*at)) return GOAL_TRACE;
    }
    for (const char *at = r.at; at < r.end && !is_blank(*at); ++at)
        if (*at == '.' || *at == '/') return GOAL_LIST;
    return GOAL_SCHEDULE;
}

simkit_result goal_form_of(const simkit_input *input, goal_form *form, simkit_parse_error *error)
{
    char *text;
    size_t length, room;
    const simkit_result result = goal_text(input, &text, &length, &room, error);
    if (result != SIMKIT_OK) return result;
    *form = form_of(text, length);
    goal_memory(&input->memory, text, room, 0);
    return SIMKIT_OK;
}

static simkit_result read_all(trace *t, const simkit_input *input, simkit_parse_error *error)
{
    simkit_result result = load(t, input, error);
    size_t first = 0;
    if (result == SIMKIT_OK && form_of(t->files[0].text, t->files[0].length) == GOAL_LIST) {
        result = load_list(t, input->path ? input->path : input->name ? input->name : "", error);
        first = 1;
    }
    if (result != SIMKIT_OK) return result;
    bool read = true;
    for (size_t i = first; i < t->file_count && read; ++i) read = read_file(t, &t->files[i], true);
    if (read && t->s->ranks == 0)
        read = simkit_reader_error(&t->r, NULL, "expected lines of a rank, an action and numbers");
    if (read) {
        t->programs = goal_memory(&t->s->memory, NULL, 0, t->s->ranks * sizeof *t->programs);
        if (!t->programs) return SIMKIT_NO_MEMORY;
        memset(t->programs, 0, t->s->ranks * sizeof *t->programs);
        for (uint32_t i = 0; i < t->s->ranks; ++i) t->programs[i].type = 1;
        for (size_t i = 0; i < ACTIONS; ++i)
            if (goal_label(t->s, actions[i].name, strlen(actions[i].name), &t->labels[i]) != SIMKIT_OK)
                return SIMKIT_NO_MEMORY;
    }
    for (size_t i = first; i < t->file_count && read; ++i) read = read_file(t, &t->files[i], false);
    for (uint32_t i = 0; i < t->s->ranks && read; ++i) {
        const size_t had = t->programs[i].collectives;
        if (had == t->collective_count) continue;
        const collective *c = &t->collectives[had];
        char place[120];
        t->r.line = 0;
        t->r.file = t->s->name;
        read = simkit_reader_error(&t->r, NULL, "rank %u has %zu collectives, but rank %u has another one: %s in %s",
                                   (unsigned)i, had, (unsigned)c->rank, c->action->name, place_of(t, c, place));
    }
    if (!read) *error = t->r.error;
    return t->no_memory ? SIMKIT_NO_MEMORY : read ? goal_finish(t->s, error) : SIMKIT_BAD_FILE;
}

simkit_result goal_read_trace(const simkit_input *input, const goal_trace_desc *desc, goal_schedule **schedule,
                              simkit_parse_error *error)
{
    static const simkit_reader before;
    trace t = { .r = before, .desc = desc };
    const simkit_memory *m = &input->memory;
    const char *name = input->name ? input->name : input->path ? input->path : "trace";
    memset(error, 0, sizeof *error);
    *schedule = NULL;
    simkit_result result = goal_open(m, name, &t.s);
    if (result == SIMKIT_OK) result = read_all(&t, input, error);
    for (size_t i = 0; i < t.file_count; ++i) goal_memory(m, t.files[i].text, t.files[i].room, 0);
    goal_memory(m, t.files, t.file_room * sizeof *t.files, 0);
    for (uint32_t i = 0; t.programs && i < t.s->ranks; ++i) {
        goal_memory(m, t.programs[i].needs, t.programs[i].need_room * sizeof(goal_need), 0);
        goal_memory(m, t.programs[i].requests, t.programs[i].request_room * sizeof(request), 0);
    }
    if (t.programs) goal_memory(m, t.programs, t.s->ranks * sizeof *t.programs, 0);
    goal_memory(m, t.numbers, t.number_room * sizeof *t.numbers, 0);
    goal_memory(m, t.collectives, t.collective_room * sizeof *t.collectives, 0);
    if (result == SIMKIT_NO_MEMORY) snprintf(error->text, sizeof error->text, "%.200s: no memory", name);
    if (result == SIMKIT_OK)
        *schedule = t.s;
    else
        goal_close(t.s);
    return result;
}
