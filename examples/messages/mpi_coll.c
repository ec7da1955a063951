/* mpi_coll.c - MPI collectives, made of messages, with a choice of algorithms, which determine their time. A rank's
 * part goes into its script as far as it does not depend on received data, so most collectives take one turn. */
#define _GNU_SOURCE
#include "mpi_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `from` may be NULL for 0 bytes. */
static void coll__copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes);
}

/*=============================================================================
 * MARK: - >>rounds: messages that a rank waits for together
 *===========================================================================*/

/* The first requests need no memory of their own. */
typedef struct request_list {
    messages_request **at;
    size_t count, room;
    messages_request *first[8];
} request_list;

typedef struct stage {
    MPI_Comm comm;
    request_list open, all; /* of this round; of all rounds */
    int code;               /* MPI_ERR_TRUNCATE: a message was longer than its buffer */
    int tag;
    messages_meeting *meeting;
} stage;

/* Data that the parts of a nonblocking call share; the call runs in a progress thread. */
typedef struct started {
    int tag;  /* of its messages: calls on one communicator may overlap */
    bool met; /* the other ranks know of it; its further parts are at no certain place in the order of calls */
} started;

/* NULL: the call is a blocking one. */
static started *coll__started(void)
{
    return messages_self->of && !messages_self->threaded ? messages_thread_user() : NULL;
}

static void coll__list_open(request_list *list)
{
    list->at = list->first;
    list->count = 0;
    list->room = sizeof list->first / sizeof *list->first;
}

static void coll__list_close(request_list *list)
{
    if (list->at != list->first) free(list->at);
}

static void coll__list_add(request_list *list, messages_request *r)
{
    if (list->count == list->room) {
        messages_request **more = malloc(2 * list->room * sizeof(messages_request *));
        if (!more) messages_end(1, "%s: no memory for a collective", messages_self->name);
        memcpy(more, list->at, list->count * sizeof(messages_request *));
        coll__list_close(list);
        list->at = more;
        list->room *= 2;
    }
    list->at[list->count++] = r;
}

static void coll__stage_open(stage *s, MPI_Comm comm)
{
    const started *nonblocking = coll__started();
    s->comm = comm;
    coll__list_open(&s->open);
    coll__list_open(&s->all);
    s->code = MPI_SUCCESS;
    s->tag = nonblocking ? nonblocking->tag : 0;
    s->meeting = NULL;
}

/* The arguments that must be the same on all ranks of the call. */
typedef struct agreement {
    int root;   /* -1: none */
    MPI_Op op;  /* NULL: none */
    long count; /* -1: each has counts of its own */
    MPI_Datatype type;
    size_t bytes; /* SIZE_MAX: each has its own */
    int pattern;  /* -1: it depends on the bytes */
    messages_direction direction;
} agreement;

/* Threads make collective calls on a communicator one after another, so that all ranks have the same order. */
static void coll__thread_enters(MPI_Comm comm)
{
    const messages_task *other = comm->caller;
    if (other && other != messages_self && other->inside && other->entered == comm->entered)
        messages_end(1,
                     "%s: thread %u called %s%s on %s while thread %u was in %s on it: collective calls on a "
                     "communicator are made by one thread at a time",
                     messages_self->name, (unsigned)messages_self->thread, messages_self->call,
                     messages_where(messages_self), messages_communicator_text(messages_self, comm->context),
                     (unsigned)other->thread, other->call);
    comm->caller = messages_self;
    comm->entered = messages_self->entered;
}

/* Begins a call; the engine compares it with those of the other ranks as they arrive. */
static void coll__stage_meet(stage *s, agreement a)
{
    MPI_Comm comm = s->comm;
    started *nonblocking = coll__started();
    if (nonblocking && nonblocking->met) return;
    if (nonblocking) nonblocking->met = true;
    ++comm->collectives;
    if (!nonblocking) coll__thread_enters(comm);
    if (!comm->remote && comm->group->size == 1) return;
    messages_meeting *m = direct_new(sizeof *m);
    m->context = comm->context;
    m->leader = comm->group->tasks[0];
    m->rank = comm->group->rank;
    m->size = comm->group->size;
    if (comm->remote) { /* both sides meet; the side with the lower task is the first */
        const int32_t far = comm->remote->tasks[0];
        m->side = m->leader < far ? 1 : 2;
        m->near = m->size;
        m->size += comm->remote->size;
        if (far < m->leader) m->leader = far;
    }
    m->number = comm->collectives;
    memcpy(m->name, messages_self->call, sizeof m->name - 1);
    m->root = a.root;
    m->op = a.op ? mpi_op_number(a.op) : -1;
    m->count = a.count;
    m->type = a.type ? a.type->basic : 0;
    m->elements = a.type ? mpi_elements_of(a.type) : 0;
    m->bytes = m->sends = m->room = a.bytes;
    m->pattern = comm->remote ? -1 : a.pattern;
    m->direction = a.direction;
    m->returns = mpi_errors_return(comm);
    s->meeting = m;
    messages_meet(m);
}

/* A call of which only the name is compared. */
static void coll__stage_meet_plainly(stage *s)
{
    coll__stage_meet(s, (agreement){ -1, NULL, -1, NULL, SIZE_MAX, -1, MESSAGES_TO_ALL });
}

/* A call of both sides of an intercommunicator, whose work is done on each side and between their first ranks; or of a rank
 * that has nothing to do in it. Closing the stage ends it. */
static void coll__sides_meet(stage *s, MPI_Comm comm, agreement a)
{
    coll__stage_open(s, comm);
    if (comm->remote) coll__stage_meet(s, a);
}

/* Bytes that this rank sends and has room for, if they differ from the common size. */
static void coll__stage_room(stage *s, size_t sends, size_t room)
{
    if (!s->meeting) return;
    s->meeting->sends = sends;
    s->meeting->room = room;
}

void messages_meeting_text(const messages_meeting *m, char *text, size_t room)
{
    char what[80] = "", root[24] = "";
    if (m->count >= 0 && m->type > 0)
        snprintf(what, sizeof what, "%lld of %s", (long long)m->count, mpi_basic_name(m->type));
    else if (m->bytes != SIZE_MAX)
        snprintf(what, sizeof what, "%zu B", m->bytes);
    if (m->sends != m->bytes) { /* it sends another count or type than it receives */
        const size_t used = strlen(what);
        snprintf(what + used, sizeof what - used, ", sends %zu B", m->sends);
    }
    if (m->root >= 0) snprintf(root, sizeof root, "%sroot %d", what[0] ? ", " : "", (int)m->root);
    if (m->root < -1)
        snprintf(root, sizeof root, "%s%s", what[0] ? ", " : "", m->root == MPI_ROOT ? "MPI_ROOT" : "MPI_PROC_NULL");
    text[0] = 0;
    if (what[0] || root[0])
        snprintf(text, room, "(%s%s%s%s)", what, m->op >= 0 ? ", " : "", m->op >= 0 ? mpi_op_name(m->op) : "", root);
}

static messages_request *coll__stage_add(stage *s, messages_request *r)
{
    coll__list_add(&s->open, r);
    coll__list_add(&s->all, r);
    return r;
}

static messages_request *coll__stage_receive(stage *s, int from)
{
    return coll__stage_add(s, mpi_post(s->comm, true, from, s->tag));
}

/* Sends a chunk, whose ownership it takes, or forwards the data that a request will have received. */
static void coll__stage_put(stage *s, int to, messages_chunk *chunk, size_t bytes, messages_request *received)
{
    const messages_envelope e = { .context = s->comm->context + 1, .source = s->comm->group->rank, .tag = s->tag };
    messages_request *r = NULL;
    if (!messages_is_eager(bytes)) {
        r = coll__stage_add(s, messages_request_new(false));
    }
    messages_send(mpi_task_of(s->comm, to), e, chunk, bytes, MESSAGES_STANDARD, r, received);
}

static void coll__stage_send(stage *s, int to, messages_chunk *chunk)
{
    coll__stage_put(s, to, chunk, chunk->bytes, NULL);
}

static void coll__stage_share(stage *s, int to, messages_chunk *chunk)
{
    ++chunk->references;
    coll__stage_send(s, to, chunk);
}

/* The end of a round: waits for its requests. */
static void coll__stage_round(stage *s)
{
    messages_wait(s->open.at, s->open.count, s->open.count);
    s->open.count = 0;
}

/* The end of a round: also hands the script over, so that received data can be read. */
static void coll__stage_flush(stage *s)
{
    coll__stage_round(s);
    messages_flush_round();
}

/* Nobody needs the data of the rounds so far. The next one then has the memory of the last one, which is in a cache. */
static void coll__stage_forget(stage *s)
{
    for (size_t i = 0; i < s->all.count; ++i) messages_request_drop(s->all.at[i]);
    s->all.count = 0;
}

static int coll__stage_close(stage *s)
{
    if (s->open.count > 0 || messages_has_script()) coll__stage_flush(s);
    coll__stage_forget(s);
    coll__list_close(&s->open);
    coll__list_close(&s->all);
    if (!s->meeting) return s->code;
    /* With equal counts a truncated message that is only forwarded is not this rank's error. */
    const bool same = s->meeting->bytes != SIZE_MAX && s->meeting->pattern >= 0;
    const bool beyond = messages_part(s->meeting);
    return same ? (beyond ? MPI_ERR_TRUNCATE : MPI_SUCCESS) : s->code;
}

void mpi_meet(MPI_Comm comm)
{
    stage s;
    coll__stage_open(&s, comm);
    coll__stage_meet_plainly(&s);
    coll__stage_close(&s);
}

static messages_chunk *coll__chunk_of(const void *bytes, size_t count)
{
    messages_chunk *c = messages_chunk_new(count);
    coll__copy(c->data, bytes, count);
    return c;
}

static void *coll__allocate(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);
    if (!block) messages_end(1, "%s: no memory for a collective of %zu bytes", messages_self->name, bytes);
    return block;
}

static void coll__too_long(stage *s, const messages_request *r, size_t room)
{
    s->code = MPI_ERR_TRUNCATE;
    mpi_too_long(r, room);
}

/* Where each pair of ranks has its own count: the sender's is smaller. */
static void coll__too_short(const messages_request *r, size_t count, MPI_Datatype type)
{
    messages_note_add(
        -1, 1, NULL, "%s called %s" MESSAGES_HERE " and expected %zu B from %s, which sent %zu B: the counts differ",
        messages_self->name, messages_self->call, count * type->size, messages->tasks[r->from]->name, r->bytes);
}

/* Copies received data into a buffer. coll__take_whole() sets the rest to 0 if the sender's count was smaller, so that
 * forwarded data is the same in each run. */
static void coll__take(stage *s, const messages_request *r, void *to, size_t room)
{
    coll__copy(to, r->chunk->data, r->bytes < room ? r->bytes : room);
    if (r->bytes > room) coll__too_long(s, r, room);
}

static void coll__take_whole(stage *s, const messages_request *r, void *to, size_t room)
{
    coll__take(s, r, to, room);
    if (r->bytes < room) memset((char *)to + r->bytes, 0, room - r->bytes);
}

static void coll__take_elements(stage *s, const messages_request *r, void *to, size_t count, MPI_Datatype type)
{
    if (!r->chunk->absent) mpi_unpack(to, r->chunk->data, r->bytes, count, type);
    if (r->bytes > count * type->size) coll__too_long(s, r, count * type->size);
    if (r->bytes < count * type->size && s->meeting && s->meeting->bytes == SIZE_MAX) coll__too_short(r, count, type);
}

/* Takes a rank's own data. */
static void coll__take_own(stage *s, const void *from, size_t from_count, MPI_Datatype from_type, void *to,
                           size_t to_count, MPI_Datatype to_type)
{
    mpi_copy(from, from_count, from_type, to, to_count, to_type);
    if (from_count * from_type->size > to_count * to_type->size) s->code = MPI_ERR_TRUNCATE;
}

/*=============================================================================
 * MARK: - >>algorithms
 *===========================================================================*/

typedef enum algorithm {
    AUTOMATIC,
    LINEAR,
    BINOMIAL,
    NEAREST, /* binomial, the nearest first */
    RING,
    DOUBLING, /* recursive doubling */
    PAIRWISE,
    BRUCK,
    CHAIN,
    DISSEMINATION,
    ALGORITHMS
} algorithm;

static const char *const algorithm_names[ALGORITHMS] = { "automatic",        "linear", "binomial",
                                                         "binomial-nearest", "ring",   "recursive-doubling",
                                                         "pairwise",         "bruck",  "chain",
                                                         "dissemination" };

typedef enum collective {
    BARRIER,
    BCAST,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    SCAN,
    COLLECTIVES
} collective;

#define BIT(which) (1u << which)

static const struct {
    const char *name;
    unsigned known;
} collectives[COLLECTIVES] = { { "barrier", BIT(LINEAR) | BIT(DISSEMINATION) },
                               { "bcast", BIT(LINEAR) | BIT(BINOMIAL) | BIT(NEAREST) | BIT(CHAIN) | BIT(RING) },
                               { "gather", BIT(LINEAR) | BIT(BINOMIAL) },
                               { "scatter", BIT(LINEAR) | BIT(BINOMIAL) },
                               { "allgather", BIT(LINEAR) | BIT(RING) | BIT(BRUCK) },
                               { "alltoall", BIT(LINEAR) | BIT(PAIRWISE) | BIT(BRUCK) },
                               { "reduce", BIT(LINEAR) | BIT(BINOMIAL) },
                               { "allreduce", BIT(BINOMIAL) | BIT(DOUBLING) | BIT(RING) },
                               { "reduce_scatter", BIT(BINOMIAL) | BIT(PAIRWISE) },
                               { "scan", BIT(LINEAR) | BIT(DOUBLING) } };

static algorithm chosen[COLLECTIVES] MESSAGES_COMMON;

/* SIMKIT_ALGORITHMS="bcast=binomial,alltoall=pairwise" */
void messages_algorithms_read(void)
{
    static bool read MESSAGES_COMMON;
    const char *text = read ? NULL : getenv("SIMKIT_ALGORITHMS");
    read = true;
    while (text && *text) {
        size_t length = strcspn(text, ","), name = strcspn(text, "=");
        int which = -1, how = -1;
        for (int i = 0; i < COLLECTIVES && name < length; ++i)
            if (strlen(collectives[i].name) == name && memcmp(collectives[i].name, text, name) == 0) which = i;
        for (int i = 0; i < ALGORITHMS && which >= 0; ++i)
            if (strlen(algorithm_names[i]) == length - name - 1 &&
                memcmp(algorithm_names[i], text + name + 1, length - name - 1) == 0)
                how = i;
        if (which < 0) {
            char known[160] = "";
            for (int i = 0; i < COLLECTIVES; ++i) {
                if (i > 0) strcat(known, ", ");
                strcat(known, collectives[i].name);
            }
            messages_end(2, "SIMKIT_ALGORITHMS: '%.*s': expected one of %s, = and an algorithm", (int)length, text,
                         known);
        }
        if (how < 0 || (how != AUTOMATIC && !(collectives[which].known & BIT(how)))) {
            char known[160] = "automatic";
            for (int i = 1; i < ALGORITHMS; ++i)
                if (collectives[which].known & BIT(i)) {
                    strcat(known, ", ");
                    strcat(known, algorithm_names[i]);
                }
            messages_end(2, "SIMKIT_ALGORITHMS: '%.*s': expected for %s: %s", (int)length, text,
                         collectives[which].name, known);
        }
        chosen[which] = (algorithm)how;
        text += length + (text[length] == ',');
    }
}

/* The default: the usual choice for so many ranks and bytes. */
static algorithm coll__algorithm_for(collective which, int size, size_t bytes, bool commutes)
{
    messages_algorithms_read();
    if (chosen[which] != AUTOMATIC) return chosen[which];
    switch (which) {
    case BARRIER: return DISSEMINATION;
    case BCAST: return bytes <= 65536 || size < 4 ? BINOMIAL : bytes < (size_t)1 << 20 ? CHAIN : RING;
    case GATHER:
    case SCATTER: return bytes <= 1024 && size > 8 ? BINOMIAL : LINEAR;
    case ALLGATHER: return bytes <= 2048 && size > 4 ? BRUCK : RING;
    case ALLTOALL: return bytes < 200 && size > 12 ? BRUCK : bytes < 3000 ? LINEAR : PAIRWISE;
    case REDUCE: return BINOMIAL;
    case ALLREDUCE: return !commutes ? BINOMIAL : bytes <= 10000 ? DOUBLING : RING;
    case REDUCE_SCATTER: return BINOMIAL;
    default: return DOUBLING;
    }
}

/*=============================================================================
 * MARK: - >>barrier, broadcast
 *===========================================================================*/

static void coll__barrier(stage *s)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    if (coll__algorithm_for(BARRIER, size, 0, true) == LINEAR) {
        for (int i = 1; i < size && rank == 0; ++i) coll__stage_receive(s, i);
        if (rank > 0) coll__stage_send(s, 0, messages_chunk_new(0));
        if (rank > 0) coll__stage_receive(s, 0);
        coll__stage_round(s);
        for (int i = 1; i < size && rank == 0; ++i) coll__stage_send(s, i, messages_chunk_new(0));
        return;
    }
    for (int step = 1; step < size; step *= 2) {
        coll__stage_receive(s, (rank - step + size) % size);
        coll__stage_send(s, (rank + step) % size, messages_chunk_new(0));
        coll__stage_round(s);
    }
}

/* Broadcast down a binomial tree: `mine` at the root, else NULL. Returns the request that will have the data, NULL
 * at the root. Ranks send to the farthest rank first, or to the nearest, so that after k steps the first 2^k ranks
 * have it. */
static messages_request *coll__bcast_binomial(stage *s, int root, messages_chunk *mine, size_t bytes, bool nearest)
{
    const int size = s->comm->group->size, rank = (s->comm->group->rank - root + size) % size;
    messages_request *r = NULL;
    int step = 1;
    if (nearest)
        while (step <= rank) step *= 2;
    else
        while (step < size && !(rank & step)) step *= 2;
    if (rank > 0) {
        r = coll__stage_receive(s, (rank - (nearest ? step / 2 : step) + root) % size);
        coll__stage_round(s);
    }
    if (!nearest) step /= 2;
    for (; step > 0 && step < size; step = nearest ? 2 * step : step / 2) {
        if (rank + step >= size) continue;
        int to = (rank + step + root) % size;
        if (r)
            coll__stage_put(s, to, NULL, bytes, r);
        else
            coll__stage_share(s, to, mine);
    }
    return r;
}

static messages_request *coll__bcast_linear(stage *s, int root, messages_chunk *mine)
{
    const int size = s->comm->group->size;
    if (!mine) return coll__stage_receive(s, root);
    for (int i = 0; i < size; ++i)
        if (i != root) coll__stage_share(s, i, mine);
    return NULL;
}

enum { SEGMENT = 32768 };

/* From rank to rank, in segments. */
static void coll__bcast_chain(stage *s, int root, char *data, size_t bytes)
{
    const int size = s->comm->group->size, rank = (s->comm->group->rank - root + size) % size;
    const int next = (s->comm->group->rank + 1) % size, before = (s->comm->group->rank - 1 + size) % size;
    const size_t segments = (bytes + SEGMENT - 1) / SEGMENT;
    messages_request **list = coll__allocate(segments * sizeof *list);
    for (size_t i = 0; i < segments; ++i) {
        size_t length = bytes - i * SEGMENT < SEGMENT ? bytes - i * SEGMENT : SEGMENT;
        if (rank == 0) {
            coll__stage_send(s, next, coll__chunk_of(data + i * SEGMENT, length));
            coll__stage_round(s);
            continue;
        }
        list[i] = coll__stage_receive(s, before);
        coll__stage_round(s);
        if (rank + 1 < size) coll__stage_put(s, next, NULL, length, list[i]);
    }
    if (rank > 0) {
        coll__stage_flush(s);
        for (size_t i = 0; i < segments; ++i)
            coll__take(s, list[i], data + i * SEGMENT, bytes - i * SEGMENT < SEGMENT ? bytes - i * SEGMENT : SEGMENT);
    }
    free(list);
}

static size_t coll__part_at(size_t bytes, int size, int part)
{
    size_t each = (bytes / (size_t)size + 15) / 16 * 16, at = each * (size_t)part;
    return part >= size || at > bytes ? bytes : at;
}

/* Scatters parts, then passes them around a ring. */
static void coll__bcast_ring(stage *s, int root, char *data, size_t bytes)
{
    const int size = s->comm->group->size, rank = (s->comm->group->rank - root + size) % size;
    const int next = (s->comm->group->rank + 1) % size, before = (s->comm->group->rank - 1 + size) % size;
    messages_request **list = coll__allocate((size_t)size * sizeof *list);
    messages_chunk *own = NULL;
    if (rank == 0) {
        for (int i = 1; i < size; ++i)
            coll__stage_send(s, (root + i) % size,
                             coll__chunk_of(data + coll__part_at(bytes, size, i),
                                            coll__part_at(bytes, size, i + 1) - coll__part_at(bytes, size, i)));
        own = coll__chunk_of(data, coll__part_at(bytes, size, 1));
    } else {
        list[rank] = coll__stage_receive(s, root);
    }
    coll__stage_round(s);
    for (int i = 0; i < size - 1; ++i) {
        int out = (rank - i + size) % size, in = (rank - i - 1 + 2 * size) % size;
        size_t length = coll__part_at(bytes, size, out + 1) - coll__part_at(bytes, size, out);
        if (rank > 0 || in > 0) list[in] = coll__stage_receive(s, before);
        if (out == rank && own)
            coll__stage_share(s, next, own);
        else
            coll__stage_put(s, next, NULL, length, list[out]);
        coll__stage_round(s);
    }
    coll__stage_flush(s);
    for (int i = 0; i < size && rank > 0; ++i)
        coll__take(s, list[i], data + coll__part_at(bytes, size, i),
                   coll__part_at(bytes, size, i + 1) - coll__part_at(bytes, size, i));
    messages_chunk_drop(own);
    free(list);
}

/* Broadcasts packed bytes. Returns their number, which is smaller if the root's count is. */
static size_t coll__bcast(stage *s, int root, void *data, size_t bytes)
{
    const int size = s->comm->group->size;
    if (size == 1) return bytes;
    algorithm how = coll__algorithm_for(BCAST, size, bytes, true);
    if (how == CHAIN && bytes > 0) {
        coll__bcast_chain(s, root, data, bytes);
        return bytes;
    }
    if (how == RING && bytes > 0) {
        coll__bcast_ring(s, root, data, bytes);
        return bytes;
    }
    messages_chunk *mine = s->comm->group->rank == root ? coll__chunk_of(data, bytes) : NULL;
    messages_request *r =
        how == LINEAR ? coll__bcast_linear(s, root, mine) : coll__bcast_binomial(s, root, mine, bytes, how == NEAREST);
    coll__stage_flush(s);
    if (r) coll__take(s, r, data, bytes);
    messages_chunk_drop(mine);
    return r && r->bytes < bytes ? r->bytes : bytes;
}

void mpi_tell(MPI_Comm comm, int root, void *data, size_t bytes)
{
    stage s;
    coll__stage_open(&s, comm);
    coll__stage_meet_plainly(&s);
    coll__bcast(&s, root, data, bytes);
    coll__stage_close(&s);
}

/*=============================================================================
 * MARK: - >>gather, scatter: packed blocks, in the order of ranks
 *===========================================================================*/

/* Up a binomial tree. The root gets `size` blocks of `bytes`. */
static void coll__gather_binomial(stage *s, int root, const void *mine, size_t bytes, char *all)
{
    const int size = s->comm->group->size, rank = (s->comm->group->rank - root + size) % size;
    int step = 1;
    char *held = coll__allocate(bytes * (size_t)size);
    coll__copy(held, mine, bytes);
    for (; step < size && !(rank & step); step *= 2) {
        if (rank + step >= size) continue;
        const int blocks = size - rank - step < step ? size - rank - step : step;
        messages_request *r = coll__stage_receive(s, (rank + step + root) % size);
        coll__stage_flush(s);
        coll__take_whole(s, r, held + (size_t)step * bytes, (size_t)blocks * bytes);
    }
    if (rank > 0) {
        const int have = size - rank < step ? size - rank : step;
        coll__stage_send(s, (rank - step + root) % size, coll__chunk_of(held, (size_t)have * bytes));
        coll__stage_round(s);
    } else {
        for (int i = 0; i < size; ++i)
            coll__copy(all + (size_t)((i + root) % size) * bytes, held + (size_t)i * bytes, bytes);
    }
    free(held);
}

static void coll__scatter_binomial(stage *s, int root, const char *all, size_t bytes, void *mine)
{
    const int size = s->comm->group->size, rank = (s->comm->group->rank - root + size) % size;
    char *held = coll__allocate(bytes * (size_t)size);
    int step = 1, have = size;
    if (rank == 0)
        for (int i = 0; i < size; ++i)
            coll__copy(held + (size_t)i * bytes, all + (size_t)((i + root) % size) * bytes, bytes);
    while (step < size && !(rank & step)) step *= 2;
    if (rank > 0) {
        messages_request *r = coll__stage_receive(s, (rank - step + root) % size);
        coll__stage_flush(s);
        have = step < size - rank ? step : size - rank;
        coll__take_whole(s, r, held, (size_t)have * bytes);
    }
    for (step /= 2; step > 0; step /= 2) {
        if (step >= have) continue;
        coll__stage_send(s, (rank + step + root) % size,
                         coll__chunk_of(held + (size_t)step * bytes, (size_t)(have - step) * bytes));
        have = step;
    }
    coll__stage_round(s);
    coll__copy(mine, held, bytes);
    free(held);
}

/*=============================================================================
 * MARK: - >>allgather, alltoall
 *===========================================================================*/

/* Blocks of different lengths; at[size + 1] has their offsets. */
static void coll__allgather_ring(stage *s, const size_t *at, char *all)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank, next = (rank + 1) % size;
    messages_request **list = coll__allocate((size_t)size * sizeof *list);
    messages_chunk *own = coll__chunk_of(all + at[rank], at[rank + 1] - at[rank]);
    for (int i = 0; i < size - 1; ++i) {
        int out = (rank - i + size) % size, in = (rank - i - 1 + size) % size;
        list[in] = coll__stage_receive(s, (rank - 1 + size) % size);
        if (i == 0)
            coll__stage_share(s, next, own);
        else
            coll__stage_put(s, next, NULL, at[out + 1] - at[out], list[out]);
        coll__stage_round(s);
    }
    coll__stage_flush(s);
    for (int i = 0; i < size; ++i)
        if (i != rank) coll__take(s, list[i], all + at[i], at[i + 1] - at[i]);
    messages_chunk_drop(own);
    free(list);
}

static void coll__allgather_linear(stage *s, const size_t *at, char *all)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    messages_request **list = coll__allocate((size_t)size * sizeof *list);
    messages_chunk *own = coll__chunk_of(all + at[rank], at[rank + 1] - at[rank]);
    for (int i = 0; i < size; ++i)
        if (i != rank) list[i] = coll__stage_receive(s, i);
    for (int i = 1; i < size; ++i) coll__stage_share(s, (rank + i) % size, own);
    coll__stage_flush(s);
    for (int i = 0; i < size; ++i)
        if (i != rank) coll__take(s, list[i], all + at[i], at[i + 1] - at[i]);
    messages_chunk_drop(own);
    free(list);
}

/* In each round twice as many blocks travel twice the distance. */
static void coll__allgather_bruck(stage *s, size_t bytes, char *all)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    char *held = coll__allocate(bytes * (size_t)size);
    coll__copy(held, all + (size_t)rank * bytes, bytes);
    for (int step = 1; step < size; step *= 2) {
        int count = size - step < step ? size - step : step;
        messages_request *r = coll__stage_receive(s, (rank + step) % size);
        coll__stage_send(s, (rank - step + size) % size, coll__chunk_of(held, (size_t)count * bytes));
        coll__stage_flush(s);
        coll__take_whole(s, r, held + (size_t)step * bytes, (size_t)count * bytes);
    }
    for (int i = 0; i < size; ++i)
        coll__copy(all + (size_t)((rank + i) % size) * bytes, held + (size_t)i * bytes, bytes);
    free(held);
}

static void coll__allgather(stage *s, size_t bytes, char *all)
{
    const int size = s->comm->group->size;
    algorithm how = coll__algorithm_for(ALLGATHER, size, bytes, true);
    if (size == 1) return;
    if (how == BRUCK) {
        coll__allgather_bruck(s, bytes, all);
        return;
    }
    size_t *at = coll__allocate((size_t)(size + 1) * sizeof *at);
    for (int i = 0; i <= size; ++i) at[i] = (size_t)i * bytes;
    (how == LINEAR ? coll__allgather_linear : coll__allgather_ring)(s, at, all);
    free(at);
}

void mpi_share(MPI_Comm comm, const void *mine, size_t bytes, void *all)
{
    stage s;
    coll__stage_open(&s, comm);
    coll__stage_meet_plainly(&s);
    if (bytes == 0) {
        coll__barrier(&s);
    } else {
        coll__copy((char *)all + (size_t)comm->group->rank * bytes, mine, bytes);
        coll__allgather(&s, bytes, all);
    }
    coll__stage_close(&s);
}

/* Takes the blocks of a round into `held`, which is allocated if these are the first with content. */
static char *coll__bruck_take(stage *s, const messages_request *r, int step, size_t bytes, char *held)
{
    const int size = s->comm->group->size;
    size_t count = 0;
    for (int i = step; i < size; ++i)
        if (i & step) ++count;
    if (r->chunk->absent) {
        if (r->bytes > count * bytes) coll__too_long(s, r, count * bytes);
        return held;
    }
    if (!held) held = memset(coll__allocate(bytes * (size_t)size), 0, bytes * (size_t)size);
    char *some = coll__allocate(count * bytes);
    coll__take_whole(s, r, some, count * bytes);
    count = 0;
    for (int i = step; i < size; ++i)
        if (i & step) coll__copy(held + (size_t)i * bytes, some + bytes * count++, bytes);
    free(some);
    return held;
}

/* Bruck's algorithm: in round k each rank sends the blocks whose distance to their receiver has bit k set, its own and those
 * that it holds for others. `sent` is NULL if this rank has no content to send. Blocks without content are not copied:
 * `held` is allocated when the first content arrives. Returns whether anything was received. */
static bool coll__alltoall_bruck(stage *s, size_t bytes, const char *sent, char *received)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    char *held = sent ? coll__allocate(bytes * (size_t)size) : NULL;
    for (int i = 0; i < size && sent; ++i)
        coll__copy(held + (size_t)i * bytes, sent + (size_t)((rank + i) % size) * bytes, bytes);
    for (int step = 1; step < size; step *= 2) {
        size_t count = 0;
        for (int i = step; i < size; ++i)
            if (i & step) ++count;
        messages_chunk *some = held ? messages_chunk_new(count * bytes) : messages_chunk_absent(count * bytes);
        count = 0;
        for (int i = step; i < size && held; ++i)
            if (i & step) coll__copy(some->data + bytes * count++, held + (size_t)i * bytes, bytes);
        messages_request *r = coll__stage_receive(s, (rank - step + size) % size);
        coll__stage_send(s, (rank + step) % size, some);
        coll__stage_flush(s);
        held = coll__bruck_take(s, r, step, bytes, held);
        messages_request_empty(r);
    }
    for (int i = 0; i < size && held; ++i)
        coll__copy(received + (size_t)((rank - i + size) % size) * bytes, held + (size_t)i * bytes, bytes);
    const bool content = held != NULL;
    free(held);
    return content;
}

typedef struct block { /* of one peer */
    void *data;
    size_t count;
    MPI_Datatype type;
} block;

static messages_request *coll__stage_receive_block(stage *s, int from, const block *in)
{
    return coll__stage_add(s, mpi_post_into(s->comm, true, from, s->tag, in->data, in->count, in->type));
}

/*=============================================================================
 * MARK: - >>reductions: elements as in memory
 *===========================================================================*/

typedef struct reduction {
    int count;
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes; /* packed */
    void *other, *other_block;
} reduction;

static void coll__reduction_open(reduction *d, int count, MPI_Datatype type, MPI_Op op)
{
    d->count = count;
    d->type = type;
    d->op = op;
    d->bytes = (size_t)count * type->size;
    d->other = mpi_room((size_t)count, type, &d->other_block);
}

static void coll__reduction_close(reduction *d)
{
    free(d->other_block);
}

/* Charges the CPU time to the rank. */
static void coll__timed_reduce(const reduction *d, const void *in, void *inout)
{
    double begun = messages_clock();
    mpi_reduce(in, inout, d->count, d->type, d->op);
    if (messages->measure) messages_compute(messages_clock() - begun);
}

static messages_chunk *coll__packed(const reduction *d, const void *data)
{
    return mpi_chunk(data, (size_t)d->count, d->type);
}

/* Unpacks received elements, to be combined; missing ones are 0. */
static int coll__take_other(stage *s, const reduction *d, const messages_request *r)
{
    const size_t count = (size_t)d->count, whole = count * d->type->size;
    if (r->bytes < whole) {
        char *nothing = coll__allocate(whole);
        memset(nothing, 0, whole);
        mpi_unpack(d->other, nothing, whole, count, d->type);
        free(nothing);
    }
    coll__take_elements(s, r, d->other, count, d->type);
    return r->bytes < whole ? (int)(r->bytes / d->type->size) : d->count;
}

/* mine = theirs op mine, or mine op theirs where the other's ranks are higher. */
static void coll__combine(stage *s, reduction *d, const messages_request *r, void *mine, bool higher)
{
    reduction part = *d;
    part.count = coll__take_other(s, d, r);
    if (!higher) {
        coll__timed_reduce(&part, d->other, mine);
        return;
    }
    coll__timed_reduce(&part, mine, d->other);
    mpi_copy(d->other, (size_t)part.count, d->type, mine, (size_t)part.count, d->type);
}

/* Up a binomial tree, in the order of ranks if the root is 0. `mine` is overwritten. */
static void coll__reduce_binomial(stage *s, reduction *d, int root, void *mine)
{
    const int size = s->comm->group->size, rank = (s->comm->group->rank - root + size) % size;
    int step = 1;
    for (; step < size && !(rank & step); step *= 2) {
        if (rank + step >= size) continue;
        messages_request *r = coll__stage_receive(s, (rank + step + root) % size);
        coll__stage_flush(s);
        coll__combine(s, d, r, mine, true);
    }
    if (rank == 0) return;
    coll__stage_send(s, (rank - step + root) % size, coll__packed(d, mine));
    coll__stage_round(s);
}

static void coll__reduce_linear(stage *s, reduction *d, int root, void *mine)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    if (rank != root) {
        coll__stage_send(s, root, coll__packed(d, mine));
        coll__stage_round(s);
        return;
    }
    messages_request **list = coll__allocate((size_t)size * sizeof *list);
    for (int i = 0; i < size; ++i)
        if (i != root) list[i] = coll__stage_receive(s, i);
    coll__stage_flush(s);
    void *held, *sum = mpi_room((size_t)d->count, d->type, &held);
    for (int i = size - 1; i >= 0; --i) { /* from the last to the first: the new operand is on the left */
        if (i == root)
            mpi_copy(mine, (size_t)d->count, d->type, d->other, (size_t)d->count, d->type);
        else
            coll__take_other(s, d, list[i]);
        if (i == size - 1)
            mpi_copy(d->other, (size_t)d->count, d->type, sum, (size_t)d->count, d->type);
        else
            coll__timed_reduce(d, d->other, sum);
    }
    mpi_copy(sum, (size_t)d->count, d->type, mine, (size_t)d->count, d->type);
    free(held);
    free(list);
}

/* The result is in `mine` of the root. If the operation does not commute, rank 0 computes it first. */
static void coll__reduce_to(stage *s, reduction *d, int root, void *mine)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    if (size == 1) return;
    if (coll__algorithm_for(REDUCE, size, d->bytes, d->op->commutes) == LINEAR) {
        coll__reduce_linear(s, d, root, mine);
        return;
    }
    if (d->op->commutes || root == 0) {
        coll__reduce_binomial(s, d, root, mine);
        return;
    }
    coll__reduce_binomial(s, d, 0, mine);
    if (rank == 0) coll__stage_send(s, root, coll__packed(d, mine));
    if (rank == root) {
        messages_request *r = coll__stage_receive(s, 0);
        coll__stage_flush(s);
        coll__take_elements(s, r, mine, (size_t)d->count, d->type);
    }
    coll__stage_round(s);
}

static void coll__allreduce_doubling(stage *s, reduction *d, void *mine)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    int whole = 1;
    while (2 * whole <= size) whole *= 2;
    const int extra = size - whole;
    int place = rank < 2 * extra ? (rank % 2 ? rank / 2 : -1) : rank - extra; /* even ranks of the first pairs wait */
    if (rank < 2 * extra && rank % 2 == 0) {
        coll__stage_send(s, rank + 1, coll__packed(d, mine));
        coll__stage_round(s);
    } else if (rank < 2 * extra) {
        messages_request *r = coll__stage_receive(s, rank - 1);
        coll__stage_flush(s);
        coll__combine(s, d, r, mine, false);
    }
    for (int step = 1; step < whole && place >= 0; step *= 2) {
        int other = place ^ step, peer = other < extra ? 2 * other + 1 : other + extra;
        messages_request *r = coll__stage_receive(s, peer);
        coll__stage_send(s, peer, coll__packed(d, mine));
        coll__stage_flush(s);
        coll__combine(s, d, r, mine, other > place);
        coll__stage_forget(s);
    }
    if (rank >= 2 * extra) return;
    if (rank % 2) {
        coll__stage_send(s, rank - 1, coll__packed(d, mine));
        coll__stage_round(s);
    } else {
        messages_request *r = coll__stage_receive(s, rank + 1);
        coll__stage_flush(s);
        coll__take_elements(s, r, mine, (size_t)d->count, d->type);
    }
}

/* Parts travel around the ring and are combined, then they travel around once more. */
static void coll__allreduce_ring(stage *s, reduction *d, char *mine)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank, next = (rank + 1) % size;
    const int before = (rank - 1 + size) % size;
    const ptrdiff_t extent = d->type->ub - d->type->lb;
    reduction part = *d;
#define PART_AT(i) ((long long)d->count * (i) / size)
    for (int i = 0; i < size - 1; ++i) {
        int out = (rank - i + size) % size, in = (rank - i - 1 + 2 * size) % size;
        char *from = mine + PART_AT(out) * extent, *to = mine + PART_AT(in) * extent;
        messages_request *r = coll__stage_receive(s, before);
        coll__stage_send(s, next, mpi_chunk(from, (size_t)(PART_AT(out + 1) - PART_AT(out)), d->type));
        coll__stage_flush(s);
        part.count = (int)(PART_AT(in + 1) - PART_AT(in));
        coll__combine(s, &part, r, to, false);
        coll__stage_forget(s);
    }
    for (int i = 0; i < size - 1; ++i) {
        int out = (rank + 1 - i + size) % size, in = (rank - i + size) % size;
        char *from = mine + PART_AT(out) * extent, *to = mine + PART_AT(in) * extent;
        messages_request *r = coll__stage_receive(s, before);
        coll__stage_send(s, next, mpi_chunk(from, (size_t)(PART_AT(out + 1) - PART_AT(out)), d->type));
        coll__stage_flush(s);
        coll__take_elements(s, r, to, (size_t)(PART_AT(in + 1) - PART_AT(in)), d->type);
        coll__stage_forget(s);
    }
#undef PART_AT
}

static algorithm coll__allreduce_algorithm(MPI_Comm comm, const reduction *d)
{
    const int size = comm->group->size;
    const algorithm how = coll__algorithm_for(ALLREDUCE, size, d->bytes, d->op->commutes);
    return how == RING && !(d->op->commutes && d->count >= size) ? DOUBLING : how;
}

static void coll__allreduce(stage *s, reduction *d, void *mine)
{
    const int size = s->comm->group->size;
    if (size == 1) return;
    algorithm how = coll__allreduce_algorithm(s->comm, d);
    if (how == RING) {
        coll__allreduce_ring(s, d, mine);
        return;
    }
    if (how == DOUBLING) {
        coll__allreduce_doubling(s, d, mine);
        return;
    }
    coll__reduce_to(s, d, 0, mine);
    char *bytes = coll__allocate(d->bytes);
    if (s->comm->group->rank == 0) mpi_pack(bytes, mine, (size_t)d->count, d->type);
    coll__bcast(s, 0, bytes, d->bytes);
    mpi_unpack(mine, bytes, d->bytes, (size_t)d->count, d->type);
    free(bytes);
}

/*=============================================================================
 * MARK: - >>calls: what both forms of them do
 *===========================================================================*/

static int coll__root_check(MPI_Comm comm, int root)
{
    if (comm->remote && (root == MPI_ROOT || root == MPI_PROC_NULL)) return MPI_SUCCESS;
    const int size = comm->remote ? comm->remote->size : comm->group->size;
    return root >= 0 && root < size ? MPI_SUCCESS : mpi_rank_wrong(MPI_ERR_ROOT, "root", root, size);
}

static int coll__counts_check(const int *counts, int size)
{
    if (!counts) return MPI_ERR_ARG;
    for (int i = 0; i < size; ++i)
        if (counts[i] < 0) return mpi_count_wrong(counts[i]);
    return MPI_SUCCESS;
}

static void coll__sides_part(stage *both)
{
    if (both->meeting) coll__stage_close(both);
}

/* A call with a root on an intercommunicator, of the other ranks beside that root: MPI_PROC_NULL. */
static int coll__nothing(MPI_Comm comm)
{
    stage s;
    coll__sides_meet(&s, comm, (agreement){ MPI_PROC_NULL, NULL, -1, NULL, SIZE_MAX, -1, MESSAGES_TO_ALL });
    return coll__stage_close(&s);
}

/* An address as a number: MPI_BOTTOM is 0, and so is a buffer of no elements. */
static char *coll__bytes_on(const void *data, ptrdiff_t bytes)
{
    return (char *)((uintptr_t)data + (uintptr_t)bytes);
}

static char *coll__place_of(const void *data, long long elements, MPI_Datatype type)
{
    return coll__bytes_on(data, (ptrdiff_t)elements * (type->ub - type->lb));
}

/* The data of a rank, to send or to receive. */
typedef struct buffer {
    const void *data;
    MPI_Datatype type;
    int count;                  /* per rank, if equal for all */
    bool each;                  /* each rank has its own count and place: */
    const int *counts, *places; /* places: in elements; in bytes where there are types */
    const MPI_Aint *far_places; /* instead, in bytes */
    const MPI_Datatype *types;  /* NULL: one for all */
} buffer;

static buffer coll__buffer_each(const void *data, const int *counts, const int *places, MPI_Datatype type)
{
    return (buffer){ .data = data, .type = type, .each = true, .counts = counts, .places = places };
}

static buffer coll__buffer_typed(const void *data, const int *counts, const int *places, const MPI_Datatype *types)
{
    return (buffer){ .data = data, .each = true, .counts = counts, .places = places, .types = types };
}

static buffer coll__buffer_far(const void *data, const int *counts, const MPI_Aint *places, const MPI_Datatype *types)
{
    return (buffer){ .data = data, .each = true, .counts = counts, .far_places = places, .types = types };
}

static int coll__buffer_check(const buffer *b, int size)
{
    int code = b->each ? coll__counts_check(b->counts, size) : b->count < 0 ? mpi_count_wrong(b->count) : MPI_SUCCESS;
    for (int i = 0; i < (b->types ? size : 1) && !code; ++i) code = mpi_type_check(b->types ? b->types[i] : b->type);
    return code;
}

static block coll__buffer_block(const buffer *b, int i)
{
    block found = { NULL, (size_t)(b->each ? b->counts[i] : b->count), b->types ? b->types[i] : b->type };
    found.data = b->far_places ? coll__bytes_on(b->data, b->far_places[i])
                 : b->types    ? coll__bytes_on(b->data, b->places[i])
                               : coll__place_of(b->data, b->each ? b->places[i] : (long long)i * b->count, b->type);
    return found;
}

static block *coll__buffer_blocks(const buffer *b, int size)
{
    block *blocks = coll__allocate((size_t)size * sizeof *blocks);
    for (int i = 0; i < size; ++i) blocks[i] = coll__buffer_block(b, i);
    return blocks;
}

/* A collective call, blocking or not: its arguments, and what is done with them. */
typedef struct call {
    const char *name;
    int (*check)(struct call *c);
    int (*run)(struct call *c);
    MPI_Comm comm;
    bool one_side;    /* not for intercommunicators */
    collective which; /* GATHER, SCATTER */
    buffer one, all;  /* what one rank has, and what there is for all: to send or to receive */
    int root;
    MPI_Op op;
    /* of this rank: */
    int size, rank;           /* size: of the other side of an intercommunicator */
    int one_parts, all_parts; /* number of blocks where each has its own type */
    bool is_root, in_place;
    bool spreads; /* among neighbors: all of them get the same block */
} call;

typedef struct nonblocking {
    started as; /* the first member, which coll__started() finds */
    call call;
    int code;
    char too_long[MPI_TOO_LONG]; /* of MPI_ERR_TRUNCATE, for the call that completes it */
    MPI_Datatype *types;         /* its copy of one.types and all.types */
} nonblocking;

/* The leaders of the two sides exchange packed data and broadcast it on their side. */
static int coll__sides_exchange(MPI_Comm comm, const void *mine, size_t bytes, void *theirs, size_t their_bytes)
{
    stage s;
    int code = MPI_SUCCESS;
    if (comm->group->rank == 0) {
        coll__stage_open(&s, comm);
        messages_request *r = coll__stage_receive(&s, 0);
        coll__stage_send(&s, 0, coll__chunk_of(mine, bytes));
        coll__stage_flush(&s);
        coll__take_whole(&s, r, theirs, their_bytes);
        code = coll__stage_close(&s);
    }
    mpi_tell(comm->local, 0, theirs, their_bytes);
    return code;
}

static int coll__sure(call *c)
{
    (void)c;
    return MPI_SUCCESS;
}

static int coll__barrier_run(call *c)
{
    stage s, both;
    coll__sides_meet(&both, c->comm, (agreement){ -1, NULL, -1, NULL, SIZE_MAX, -1, MESSAGES_TO_ALL });
    coll__stage_open(&s, c->comm->remote ? c->comm->local : c->comm);
    coll__stage_meet_plainly(&s);
    coll__barrier(&s);
    coll__stage_close(&s);
    if (c->comm->remote) {
        char mine = 0, theirs = 0;
        coll__sides_exchange(c->comm, &mine, 1, &theirs, 1);
    }
    coll__sides_part(&both);
    return MPI_SUCCESS;
}

static int coll__bcast_check(call *c)
{
    const int code = coll__root_check(c->comm, c->root);
    return code || c->root == MPI_PROC_NULL ? code : mpi_data_check(c->one.data, c->one.count, c->one.type);
}

static int coll__bcast_run(call *c)
{
    stage s;
    MPI_Comm comm = c->comm;
    MPI_Datatype type = c->one.type;
    void *data = (void *)(uintptr_t)c->one.data;
    const size_t count = (size_t)c->one.count, bytes = count * type->size;
    size_t known = bytes;
    coll__stage_open(&s, comm);
    const algorithm how = coll__algorithm_for(BCAST, comm->group->size, bytes, true);
    coll__stage_meet(&s, (agreement){ c->root, NULL, c->one.count, type, bytes,
                                      how == CHAIN || how == RING ? -1 : (int)how, MESSAGES_FROM_ROOT });
    if (c->root == MPI_ROOT) {
        coll__stage_send(&s, 0, mpi_chunk(data, count, type));
        return coll__stage_close(&s);
    }
    char *packed_data = type->dense ? data : coll__allocate(bytes);
    if (comm->remote) {
        if (comm->group->rank == 0) {
            messages_request *r = coll__stage_receive(&s, c->root);
            coll__stage_flush(&s);
            coll__take_whole(&s, r, packed_data, bytes);
        }
        mpi_tell(comm->local, 0, packed_data, bytes);
    } else {
        if (c->is_root && !type->dense) mpi_pack(packed_data, data, count, type);
        known = coll__bcast(&s, c->root, packed_data, bytes);
    }
    if (!type->dense) {
        if (!c->is_root) mpi_unpack(data, packed_data, known, count, type);
        free(packed_data);
    }
    return coll__stage_close(&s);
}

/* The root receives a block from each rank. */
static void coll__gather_blocks(stage *s, const block *in, int size, int self)
{
    messages_request **list = coll__allocate((size_t)size * sizeof *list);
    for (int i = 0; i < size; ++i)
        if (i != self) list[i] = coll__stage_receive(s, i);
    coll__stage_flush(s);
    for (int i = 0; i < size; ++i)
        if (i != self) coll__take_elements(s, list[i], in[i].data, in[i].count, in[i].type);
    free(list);
}

/* Packs up to `room` bytes, and fills the rest with 0. */
static void coll__pack_some(char *packed, size_t room, const void *data, size_t count, MPI_Datatype type)
{
    const size_t bytes = count * type->size;
    char *whole = bytes > room ? coll__allocate(bytes) : packed;
    mpi_pack(whole, data, count, type);
    if (bytes < room) memset(packed + bytes, 0, room - bytes);
    if (bytes <= room) return;
    coll__copy(packed, whole, room);
    free(whole);
}

/* The checks of calls with a root and a block for each rank. */
static int coll__rooted_check(call *c)
{
    MPI_Comm comm = c->comm;
    int code = coll__root_check(comm, c->root);
    if (code || c->root == MPI_PROC_NULL) return code;
    if (c->in_place && !c->is_root) return mpi_explain(MPI_ERR_ARG, "MPI_IN_PLACE is only for the root");
    if (c->in_place || (comm->remote && c->is_root))
        c->one.type = NULL;
    else
        code = mpi_data_check(c->one.data, c->one.count, c->one.type);
    if (!c->is_root) c->all.type = NULL;
    return code || !c->is_root ? code : coll__buffer_check(&c->all, c->size);
}

/* Packed blocks go up a tree. */
static void coll__gather_tree(stage *s, const call *c, size_t bytes)
{
    const block own = coll__buffer_block(c->is_root ? &c->all : &c->one, c->is_root ? c->rank : 0);
    char *mine = coll__allocate(bytes), *all = c->is_root ? coll__allocate(bytes * (size_t)c->size) : NULL;
    if (c->in_place)
        mpi_pack(mine, own.data, own.count, own.type);
    else
        coll__pack_some(mine, bytes, c->one.data, (size_t)c->one.count, c->one.type);
    coll__gather_binomial(s, c->root, mine, bytes, all);
    if (c->is_root)
        mpi_unpack(coll__buffer_block(&c->all, 0).data, all, bytes * (size_t)c->size, own.count * (size_t)c->size,
                   own.type);
    free(mine);
    free(all);
}

/* Packed blocks go down a tree. */
static void coll__scatter_tree(stage *s, const call *c, size_t bytes)
{
    char *all = c->is_root ? coll__allocate(bytes * (size_t)c->size) : NULL, *mine = coll__allocate(bytes);
    if (c->is_root) mpi_pack(all, c->all.data, (size_t)c->all.count * (size_t)c->size, c->all.type);
    coll__scatter_binomial(s, c->root, all, bytes, mine);
    if (!c->in_place) {
        const block own = coll__buffer_block(&c->one, 0);
        mpi_unpack(own.data, mine, bytes, own.count, own.type);
    }
    free(all);
    free(mine);
}

/* Each block goes directly to the root. */
static void coll__gather_straight(stage *s, const call *c)
{
    if (!c->is_root) {
        coll__stage_send(s, c->root, mpi_chunk(c->one.data, (size_t)c->one.count, c->one.type));
        return;
    }
    const int self = c->comm->remote ? -1 : c->rank;
    block *in = coll__buffer_blocks(&c->all, c->size);
    coll__gather_blocks(s, in, c->size, self);
    if (self >= 0 && !c->in_place)
        coll__take_own(s, c->one.data, (size_t)c->one.count, c->one.type, in[self].data, in[self].count, in[self].type);
    free(in);
}

/* Each block comes directly from the root. */
static void coll__scatter_straight(stage *s, const call *c)
{
    if (!c->is_root) {
        messages_request *r = coll__stage_receive(s, c->root);
        const block own = coll__buffer_block(&c->one, 0);
        coll__stage_flush(s);
        coll__take_elements(s, r, own.data, own.count, own.type);
        return;
    }
    for (int i = 0; i < c->size; ++i) {
        const block out = coll__buffer_block(&c->all, i);
        if (c->comm->remote || i != c->rank) {
            coll__stage_send(s, i, mpi_chunk(out.data, out.count, out.type));
        } else if (!c->in_place) {
            const block own = coll__buffer_block(&c->one, 0);
            coll__take_own(s, out.data, out.count, out.type, own.data, own.count, own.type);
        }
    }
}

static int coll__rooted_run(call *c)
{
    const bool gathers = c->which == GATHER;
    const messages_direction direction = gathers ? MESSAGES_TO_ROOT : MESSAGES_FROM_ROOT;
    stage s;
    coll__stage_open(&s, c->comm);
    algorithm how = LINEAR;
    size_t bytes = 0;
    if (c->all.each || c->comm->remote) {
        coll__stage_meet(&s, (agreement){ c->root, NULL, -1, NULL, SIZE_MAX, -1, direction });
    } else {
        /* the root's count is per rank, the others' is their own */
        const buffer *mine = c->is_root ? &c->all : &c->one;
        bytes = (size_t)mine->count * mine->type->size;
        how = coll__algorithm_for(c->which, c->size, bytes, true);
        coll__stage_meet(&s, (agreement){ c->root, NULL, mine->count, mine->type, bytes, (int)how, direction });
        if (gathers && !c->in_place) coll__stage_room(&s, (size_t)c->one.count * c->one.type->size, bytes);
    }
    if (how == BINOMIAL)
        (gathers ? coll__gather_tree : coll__scatter_tree)(&s, c, bytes);
    else
        (gathers ? coll__gather_straight : coll__scatter_straight)(&s, c);
    return coll__stage_close(&s);
}

/* Of an intercommunicator: every rank sends its block to all ranks of the other side. */
static int coll__allgather_sides(MPI_Comm comm, const buffer *sent, const block *in)
{
    stage s;
    const int size = comm->remote->size;
    messages_request **list = coll__allocate((size_t)size * sizeof *list);
    messages_chunk *own = mpi_chunk(sent->data, (size_t)sent->count, sent->type);
    coll__stage_open(&s, comm);
    coll__stage_meet_plainly(&s);
    for (int i = 0; i < size; ++i) list[i] = coll__stage_receive(&s, i);
    for (int i = 0; i < size; ++i) coll__stage_share(&s, i, own);
    coll__stage_flush(&s);
    for (int i = 0; i < size; ++i) coll__take_elements(&s, list[i], in[i].data, in[i].count, in[i].type);
    messages_chunk_drop(own);
    free(list);
    return coll__stage_close(&s);
}

/* Within one group, through packed blocks; that of a rank begins at at[rank]. */
static int coll__allgather_packed(MPI_Comm comm, const buffer *sent, const buffer *received, const block *in,
                                  const size_t *at)
{
    stage s;
    const int size = comm->group->size, rank = comm->group->rank;
    const bool in_place = sent->data == MPI_IN_PLACE;
    const size_t mine = at[rank + 1] - at[rank];
    const size_t sends = in_place ? mine : (size_t)sent->count * sent->type->size;
    char *all = coll__allocate(at[size]);
    if (in_place)
        mpi_pack(all + at[rank], in[rank].data, in[rank].count, in[rank].type);
    else
        coll__pack_some(all + at[rank], mine, sent->data, (size_t)sent->count, sent->type);
    coll__stage_open(&s, comm);
    if (received->each) {
        const algorithm how = coll__algorithm_for(ALLGATHER, size, SIZE_MAX, true);
        coll__stage_meet(&s, (agreement){ -1, NULL, -1, NULL, at[size], (int)how, MESSAGES_TO_ALL });
        if (size > 1) (how == LINEAR ? coll__allgather_linear : coll__allgather_ring)(&s, at, all);
    } else {
        coll__stage_meet(&s, (agreement){ -1, NULL, received->count, received->type, mine,
                                          (int)coll__algorithm_for(ALLGATHER, size, mine, true), MESSAGES_TO_ALL });
        coll__stage_room(&s, sends, mine);
        if (size > 1) coll__allgather(&s, mine, all);
    }
    const int code = coll__stage_close(&s);
    for (int i = 0; i < size; ++i) mpi_unpack(in[i].data, all + at[i], at[i + 1] - at[i], in[i].count, in[i].type);
    free(all);
    return !code && sends > mine ? MPI_ERR_TRUNCATE : code;
}

static int coll__allgather_check(call *c)
{
    const int code = c->in_place ? MPI_SUCCESS : mpi_data_check(c->one.data, c->one.count, c->one.type);
    if (c->in_place) c->one.type = NULL;
    return code ? code : coll__buffer_check(&c->all, c->size);
}

static int coll__allgather_run(call *c)
{
    block *in = coll__buffer_blocks(&c->all, c->size);
    size_t *at = coll__allocate((size_t)(c->size + 1) * sizeof *at);
    at[0] = 0;
    for (int i = 0; i < c->size; ++i) at[i + 1] = at[i] + in[i].count * in[i].type->size;
    const int code = c->comm->remote ? coll__allgather_sides(c->comm, &c->one, in)
                                     : coll__allgather_packed(c->comm, &c->one, &c->all, in, at);
    free(at);
    free(in);
    return code;
}

/* The bytes of the message of another rank, which is dropped, go to their block. */
static void coll__exchange_take(stage *s, const call *c, messages_request *r, int from)
{
    const block in = coll__buffer_block(&c->all, from);
    coll__take_elements(s, r, in.data, in.count, in.type);
    messages_request_drop(r);
}

static messages_request *coll__exchange_post(stage *s, const call *c, int from)
{
    const block in = coll__buffer_block(&c->all, from);
    messages_request *r = mpi_post_into(s->comm, true, from, s->tag, in.data, in.count, in.type);
    coll__list_add(&s->open, r);
    return r;
}

static void coll__exchange_send(stage *s, const call *c, int to)
{
    const block out = coll__buffer_block(&c->one, to);
    coll__stage_send(s, to, mpi_chunk_sent(out.data, out.count, out.type));
}

/* From each rank to each, all at once; rank < 0: on the other side. */
static void coll__alltoall_linear(stage *s, const call *c, int rank)
{
    const int size = c->size, first = rank < 0 ? 0 : 1;
    for (int i = first; i < size; ++i) coll__exchange_post(s, c, rank < 0 ? i : (rank - i + size) % size);
    for (int i = first; i < size; ++i) coll__exchange_send(s, c, rank < 0 ? i : (rank + i) % size);
    coll__stage_flush(s);
    for (int i = 0; i < size; ++i) { /* the list of what it has waited for is still there, in the order of posting */
        if (i == rank) continue;
        coll__exchange_take(s, c, s->open.at[rank < 0 ? i : (rank - i + size) % size - 1], i);
    }
}

/* From each rank to each, in rounds. When a part of the script has run, the blocks of its rounds are taken, unless others
 * are still to be sent from there. */
static void coll__alltoall_pairwise(stage *s, const call *c, int rank)
{
    const int size = c->size;
    int taken = 1;
    messages_request **list = coll__allocate((size_t)size * sizeof *list); /* by rounds */
    for (int i = 1; i < size; ++i) {
        list[i] = coll__exchange_post(s, c, (rank - i + size) % size);
        coll__exchange_send(s, c, (rank + i) % size);
        coll__stage_round(s);
        for (; taken < i && !c->in_place && list[taken]->progress == MESSAGES_DONE; ++taken)
            coll__exchange_take(s, c, list[taken], (rank - taken + size) % size);
    }
    coll__stage_flush(s);
    for (; taken < size; ++taken) coll__exchange_take(s, c, list[taken], (rank - taken + size) % size);
    free(list);
}

/* Exchanges blocks. In place, blocks are sent before they are overwritten, because sending copies them. */
static int coll__alltoall_straight(const call *c, agreement what, algorithm how)
{
    stage s;
    const int rank = c->comm->remote ? -1 : c->rank;
    coll__stage_open(&s, c->comm);
    coll__stage_meet(&s, what);
    if (what.bytes != SIZE_MAX) coll__stage_room(&s, (size_t)c->one.count * c->one.type->size, what.bytes);
    (how == PAIRWISE && rank >= 0 ? coll__alltoall_pairwise : coll__alltoall_linear)(&s, c, rank);
    if (rank >= 0 && !c->in_place) {
        const block out = coll__buffer_block(&c->one, rank), in = coll__buffer_block(&c->all, rank);
        coll__take_own(&s, out.data, out.count, out.type, in.data, in.count, in.type);
    }
    return coll__stage_close(&s);
}

/* The same through other ranks, with packed blocks. */
static int coll__alltoall_forwarded(const call *c, agreement what)
{
    stage s;
    const size_t bytes = what.bytes, size = (size_t)c->size;
    const size_t sends = (size_t)c->one.count * c->one.type->size;
    const bool absent = messages_is_shared(c->one.data, sends * size) && c->one.type->dense;
    char *out = absent ? NULL : coll__allocate(bytes * size), *in = coll__allocate(bytes * size);
    for (int i = 0; i < c->size && out; ++i) {
        const block mine = coll__buffer_block(&c->one, i);
        coll__pack_some(out + (size_t)i * bytes, bytes, mine.data, mine.count, mine.type);
    }
    coll__stage_open(&s, c->comm);
    coll__stage_meet(&s, what);
    coll__stage_room(&s, sends, bytes);
    if (coll__alltoall_bruck(&s, bytes, out, in))
        mpi_unpack((void *)(uintptr_t)c->all.data, in, bytes * size, (size_t)c->all.count * size, c->all.type);
    free(out);
    free(in);
    return coll__stage_close(&s);
}

static int coll__alltoall_check(call *c)
{
    int code = c->in_place ? MPI_SUCCESS : mpi_data_check(c->one.data, c->one.count, c->one.type);
    if (!code) code = coll__buffer_check(&c->all, c->size);
    if (c->in_place) c->one = c->all;
    return code;
}

static int coll__alltoall_run(call *c)
{
    const size_t bytes = (size_t)c->all.count * c->all.type->size;
    const algorithm how = coll__algorithm_for(ALLTOALL, c->size, bytes, true);
    const agreement what = { -1, NULL, c->all.count, c->all.type, bytes, (int)how, MESSAGES_TO_ALL };
    return how == BRUCK && !c->comm->remote ? coll__alltoall_forwarded(c, what) : coll__alltoall_straight(c, what, how);
}

static int coll__alltoall_each_check(call *c)
{
    if (c->in_place) c->one = c->all;
    const int code = coll__buffer_check(&c->one, c->size);
    return code ? code : coll__buffer_check(&c->all, c->size);
}

static int coll__alltoall_each_run(call *c)
{
    const agreement what = { -1, NULL, -1, NULL, SIZE_MAX, -1, MESSAGES_TO_ALL };
    return coll__alltoall_straight(c, what, coll__algorithm_for(ALLTOALL, c->size, SIZE_MAX, true));
}

/* The checks of all reductions. */
static int coll__reduce_check(const void *sent, const void *received, int count, MPI_Datatype type, MPI_Op op)
{
    const void *data = sent == MPI_IN_PLACE ? received : sent;
    int code = mpi_data_check(data, count, type);
    return code ? code : mpi_op_check(op, type);
}

/* A copy of a rank's data, to be combined with others. */
static void *coll__work_of(const void *data, int count, MPI_Datatype type, void **block_)
{
    void *work = mpi_room((size_t)count, type, block_);
    mpi_copy(data, (size_t)count, type, work, (size_t)count, type);
    return work;
}

/* The data that a rank brings to a reduction. */
static const void *coll__reduced(const call *c)
{
    return c->in_place ? c->all.data : c->one.data;
}

static int coll__reduce_to_check(call *c)
{
    MPI_Comm comm = c->comm;
    const int code = coll__root_check(comm, c->root);
    if (code || c->root == MPI_PROC_NULL) return code;
    if (c->in_place && !c->is_root) return mpi_explain(MPI_ERR_ARG, "MPI_IN_PLACE is only for the root");
    if (c->is_root && comm->remote) return mpi_data_check(c->all.data, c->one.count, c->one.type);
    return coll__reduce_check(c->one.data, c->all.data, c->one.count, c->one.type, c->op);
}

static int coll__reduce_run(call *c)
{
    stage s;
    reduction d;
    void *held, *received = (void *)(uintptr_t)c->all.data;
    MPI_Comm comm = c->comm;
    MPI_Datatype type = c->one.type;
    const int count = c->one.count;
    const size_t bytes = (size_t)count * type->size;
    int code = MPI_SUCCESS;
    coll__stage_open(&s, comm);
    coll__stage_meet(&s, (agreement){ c->root, c->op, count, type, bytes,
                                      (int)coll__algorithm_for(REDUCE, comm->group->size, bytes, c->op->commutes),
                                      MESSAGES_TO_ROOT });
    if (c->is_root && comm->remote) {
        messages_request *r = coll__stage_receive(&s, 0);
        coll__stage_flush(&s);
        coll__take_elements(&s, r, received, (size_t)count, type);
        return coll__stage_close(&s);
    }
    coll__reduction_open(&d, count, type, c->op);
    char *work = coll__work_of(coll__reduced(c), count, type, &held);
    if (comm->remote) {
        stage near;
        coll__stage_open(&near, comm->local);
        coll__reduce_to(&near, &d, 0, work);
        code = coll__stage_close(&near);
        if (comm->group->rank == 0) coll__stage_send(&s, c->root, coll__packed(&d, work));
    } else {
        coll__reduce_to(&s, &d, c->root, work);
        if (c->is_root) mpi_copy(work, (size_t)count, type, received, (size_t)count, type);
    }
    free(held);
    coll__reduction_close(&d);
    const int found = coll__stage_close(&s);
    return code ? code : found;
}

static int coll__reduce_all_check(call *c)
{
    return coll__reduce_check(c->one.data, c->all.data, c->one.count, c->one.type, c->op);
}

/* Each side of an intercommunicator reduces; they exchange the results, packed. The caller frees that of the other. */
static int coll__reduce_sides(stage *s, reduction *d, MPI_Comm comm, char *work, char **theirs)
{
    coll__reduce_to(s, d, 0, work);
    const int code = coll__stage_close(s);
    char *mine = coll__allocate(d->bytes);
    *theirs = coll__allocate(d->bytes);
    mpi_pack(mine, work, (size_t)d->count, d->type);
    const int between = coll__sides_exchange(comm, mine, d->bytes, *theirs, d->bytes);
    free(mine);
    return code ? code : between;
}

static int coll__allreduce_run(call *c)
{
    stage s, both;
    reduction d;
    void *held, *received = (void *)(uintptr_t)c->all.data;
    MPI_Comm comm = c->comm;
    MPI_Datatype type = c->one.type;
    const size_t count = (size_t)c->one.count;
    int code;
    coll__reduction_open(&d, c->one.count, type, c->op);
    char *work = coll__work_of(coll__reduced(c), c->one.count, type, &held);
    const agreement what = {
        -1, c->op, c->one.count, type, d.bytes, (int)coll__allreduce_algorithm(comm, &d), MESSAGES_TO_ALL
    };
    coll__sides_meet(&both, comm, what);
    coll__stage_open(&s, comm->remote ? comm->local : comm);
    coll__stage_meet(&s, what);
    if (comm->remote) {
        char *theirs;
        code = coll__reduce_sides(&s, &d, comm, work, &theirs);
        mpi_unpack(received, theirs, d.bytes, count, type);
        free(theirs);
    } else {
        coll__allreduce(&s, &d, work);
        code = coll__stage_close(&s);
        mpi_copy(work, count, type, received, count, type);
    }
    coll__sides_part(&both);
    free(held);
    coll__reduction_close(&d);
    return code;
}

/* Each rank sends every other one its part, and reduces its own. */
static void coll__reduce_scatter_pairwise(stage *s, reduction *d, const int *counts, const char *work, void *received)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    messages_request **list = coll__allocate((size_t)size * sizeof *list);
    long long place = 0;
    long long *at = coll__allocate((size_t)size * sizeof *at);
    for (int i = 0; i < size; ++i) {
        at[i] = place;
        place += counts[i];
    }
    for (int i = 1; i < size; ++i) {
        int to = (rank + i) % size, from = (rank - i + size) % size;
        list[from] = coll__stage_receive(s, from);
        coll__stage_send(s, to, mpi_chunk(coll__place_of(work, at[to], d->type), (size_t)counts[to], d->type));
        coll__stage_round(s);
    }
    coll__stage_flush(s);
    reduction part = *d;
    part.count = counts[rank];
    char *mine = coll__place_of(work, at[rank], d->type);
    const size_t count = (size_t)part.count;
    void *held, *sum = mpi_room(count, d->type, &held);
    for (int i = size - 1; i >= 0; --i) {
        if (i == rank)
            mpi_copy(mine, count, d->type, d->other, count, d->type);
        else
            coll__take_other(s, &part, list[i]);
        if (i == size - 1)
            mpi_copy(d->other, count, d->type, sum, count, d->type);
        else
            coll__timed_reduce(&part, d->other, sum);
    }
    mpi_copy(sum, count, d->type, received, count, d->type);
    free(held);
    free(at);
    free(list);
}

/* Reduces to rank 0, packed, and scatters the parts. */
static void coll__reduce_scatter_tree(stage *s, reduction *d, const int *counts, char *work, void *received)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    coll__reduce_to(s, d, 0, work);
    if (rank > 0) {
        messages_request *r = coll__stage_receive(s, 0);
        coll__stage_flush(s);
        coll__take_elements(s, r, received, (size_t)counts[rank], d->type);
        return;
    }
    long long place = counts[0];
    for (int i = 1; i < size; ++i) {
        coll__stage_send(s, i, mpi_chunk(coll__place_of(work, place, d->type), (size_t)counts[i], d->type));
        place += counts[i];
    }
    mpi_copy(work, (size_t)counts[0], d->type, received, (size_t)counts[0], d->type);
}

static int coll__reduce_scatter_check(call *c)
{
    const int size = c->comm->group->size;
    int code = c->one.each ? coll__counts_check(c->one.counts, size) : c->one.count < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
    long long total = 0;
    for (int i = 0; i < size && !code; ++i) total += c->one.each ? c->one.counts[i] : c->one.count;
    if (!code && total > 0x7fffffff) code = MPI_ERR_COUNT;
    return code ? code : coll__reduce_check(c->one.data, c->all.data, (int)total, c->one.type, c->op);
}

static int coll__reduce_scatter_run(call *c)
{
    stage s, both;
    reduction d;
    void *held, *received = (void *)(uintptr_t)c->all.data;
    MPI_Comm comm = c->comm;
    MPI_Datatype type = c->one.type;
    const int size = comm->group->size, rank = comm->group->rank;
    int *counts = coll__allocate((size_t)size * sizeof *counts), total = 0, code;
    for (int i = 0; i < size; ++i) total += counts[i] = c->one.each ? c->one.counts[i] : c->one.count;
    coll__reduction_open(&d, total, type, c->op);
    char *work = coll__work_of(coll__reduced(c), total, type, &held);
    const algorithm how = coll__algorithm_for(REDUCE_SCATTER, size, d.bytes, c->op->commutes);
    const agreement what = { -1, c->op, total, type, d.bytes, comm->remote ? -1 : (int)how, MESSAGES_TO_ALL };
    coll__sides_meet(&both, comm, what);
    coll__stage_open(&s, comm->remote ? comm->local : comm);
    coll__stage_meet(&s, what);
    if (comm->remote) {
        char *theirs;
        size_t place = 0;
        code = coll__reduce_sides(&s, &d, comm, work, &theirs);
        for (int i = 0; i < rank; ++i) place += (size_t)counts[i] * type->size;
        mpi_unpack(received, theirs + place, (size_t)counts[rank] * type->size, (size_t)counts[rank], type);
        free(theirs);
    } else {
        if (size == 1)
            mpi_copy(work, (size_t)total, type, received, (size_t)total, type);
        else if (how == PAIRWISE)
            coll__reduce_scatter_pairwise(&s, &d, counts, work, received);
        else
            coll__reduce_scatter_tree(&s, &d, counts, work, received);
        code = coll__stage_close(&s);
    }
    coll__sides_part(&both);
    free(held);
    free(counts);
    coll__reduction_close(&d);
    return code;
}

/* `sum` includes this rank; `before` excludes it and is defined from rank 1 on. */
static void coll__scan(stage *s, reduction *d, void *sum, void *before)
{
    const int size = s->comm->group->size, rank = s->comm->group->rank;
    const size_t count = (size_t)d->count;
    bool any = false;
    if (coll__algorithm_for(SCAN, size, d->bytes, d->op->commutes) == LINEAR) {
        if (rank > 0) {
            messages_request *r = coll__stage_receive(s, rank - 1);
            coll__stage_flush(s);
            coll__take_other(s, d, r);
            mpi_copy(d->other, count, d->type, before, count, d->type);
            coll__timed_reduce(d, before, sum);
        }
        if (rank + 1 < size) coll__stage_send(s, rank + 1, coll__packed(d, sum));
        coll__stage_round(s);
        return;
    }
    void *held, *part = coll__work_of(sum, d->count, d->type, &held); /* of this rank and those it has received */
    for (int step = 1; step < size; step *= 2) {
        messages_request *r = NULL;
        if (rank - step >= 0) r = coll__stage_receive(s, rank - step);
        if (rank + step < size) coll__stage_send(s, rank + step, coll__packed(d, part));
        coll__stage_flush(s);
        if (!r) continue;
        coll__take_other(s, d, r);
        coll__timed_reduce(d, d->other, part);
        if (any)
            coll__timed_reduce(d, d->other, before);
        else
            mpi_copy(d->other, count, d->type, before, count, d->type);
        any = true;
    }
    mpi_copy(part, count, d->type, sum, count, d->type);
    free(held);
}

static int coll__scan_with(const call *c, bool inclusive)
{
    stage s;
    reduction d;
    void *sum_held, *before_held, *received = (void *)(uintptr_t)c->all.data;
    MPI_Datatype type = c->one.type;
    const size_t count = (size_t)c->one.count;
    coll__reduction_open(&d, c->one.count, type, c->op);
    void *sum = coll__work_of(coll__reduced(c), c->one.count, type, &sum_held);
    void *before = mpi_room(count, type, &before_held);
    coll__stage_open(&s, c->comm);
    coll__stage_meet(&s,
                     (agreement){ -1, c->op, c->one.count, type, d.bytes,
                                  (int)coll__algorithm_for(SCAN, c->size, d.bytes, c->op->commutes), MESSAGES_TO_ALL });
    coll__scan(&s, &d, sum, before);
    const int code = coll__stage_close(&s);
    if (inclusive || c->rank > 0) mpi_copy(inclusive ? sum : before, count, type, received, count, type);
    free(sum_held);
    free(before_held);
    coll__reduction_close(&d);
    return code;
}

static int coll__scan_run(call *c)
{
    return coll__scan_with(c, true);
}

static int coll__exscan_run(call *c)
{
    return coll__scan_with(c, false);
}

/*=============================================================================
 * MARK: - >>neighbors
 *===========================================================================*/

static int coll__neighbors_check(call *c)
{
    MPI_Comm comm = c->comm;
    if (c->in_place || c->all.data == MPI_IN_PLACE)
        return mpi_explain(MPI_ERR_ARG, "MPI_IN_PLACE is not for calls among neighbors");
    mpi_edges sources = mpi_neighbors(comm, true), targets = mpi_neighbors(comm, false);
    c->one_parts = targets.count;
    c->all_parts = sources.count;
    free(sources.ranks);
    free(targets.ranks);
    if (!comm->topology) return MPI_ERR_TOPOLOGY;
    const int code = coll__buffer_check(&c->one, c->one_parts);
    return code ? code : coll__buffer_check(&c->all, c->all_parts);
}

/* The order in which blocks from one rank are received. On a grid the one that a rank sends down comes from above, which
 * matters where both neighbors are the same rank. */
static int coll__neighbor_order(const call *c, int i)
{
    return c->comm->topology->kind == MPI_CART ? i ^ 1 : i;
}

static int coll__neighbors_run(call *c)
{
    stage s;
    mpi_edges sources = mpi_neighbors(c->comm, true), targets = mpi_neighbors(c->comm, false);
    messages_request **list = coll__allocate((size_t)sources.count * sizeof *list);
    coll__stage_open(&s, c->comm);
    coll__stage_meet_plainly(&s);
    for (int k = 0; k < sources.count; ++k) {
        const int i = coll__neighbor_order(c, k);
        const block in = coll__buffer_block(&c->all, i);
        list[i] = sources.ranks[i] == MPI_PROC_NULL ? NULL : coll__stage_receive_block(&s, sources.ranks[i], &in);
    }
    for (int i = 0; i < targets.count; ++i) {
        if (targets.ranks[i] == MPI_PROC_NULL) continue;
        const block out = coll__buffer_block(&c->one, c->spreads ? 0 : i);
        coll__stage_send(&s, targets.ranks[i], mpi_chunk_sent(out.data, out.count, out.type));
    }
    coll__stage_flush(&s);
    for (int i = 0; i < sources.count; ++i) {
        if (!list[i]) continue;
        const block in = coll__buffer_block(&c->all, i);
        coll__take_elements(&s, list[i], in.data, in.count, in.type);
    }
    free(list);
    free(sources.ranks);
    free(targets.ranks);
    return coll__stage_close(&s);
}

/*=============================================================================
 * MARK: - >>the calls: each with a blocking and a nonblocking form
 *===========================================================================*/

/* Checks the arguments and finds this rank's part. `on`: the communicator whose error handler applies. */
static int coll__prepare(call *c, MPI_Comm *on)
{
    MPI_Comm comm = c->comm;
    const int code = mpi_comm_check(comm);
    *on = NULL;
    if (code || (c->one_side && comm->remote)) return MPI_ERR_COMM;
    *on = comm;
    c->size = comm->remote ? comm->remote->size : comm->group->size;
    c->rank = comm->group->rank;
    c->is_root = comm->remote ? c->root == MPI_ROOT : c->rank == c->root;
    c->one_parts = c->all_parts = c->size;
    c->in_place = c->one.data == MPI_IN_PLACE;
    return c->check(c);
}

static int coll__run(call *c)
{
    return c->comm->remote && c->root == MPI_PROC_NULL ? coll__nothing(c->comm) : c->run(c);
}

static int coll__block(call *c)
{
    MPI_Comm on;
    mpi_begin(c->name);
    int code = coll__prepare(c, &on);
    if (!code) code = coll__run(c);
    return mpi_end(on, code);
}

static void coll__types_hold(const call *c, void (*how)(MPI_Datatype type))
{
    for (int i = 0; c->one.types && i < c->one_parts; ++i) how(c->one.types[i]);
    for (int i = 0; c->all.types && i < c->all_parts; ++i) how(c->all.types[i]);
    if (c->one.type) how(c->one.type);
    if (c->all.type) how(c->all.type);
}

/* The body of the progress thread. */
static void coll__progress(void *user)
{
    nonblocking *n = user;
    n->code = coll__run(&n->call);
    if (n->code == MPI_ERR_TRUNCATE) memcpy(n->too_long, mpi_too_long_text(), sizeof n->too_long);
}

static void coll__finish(void *user, const messages_request *received)
{
    nonblocking *n = user;
    (void)received;
    if (n->code == MPI_ERR_TRUNCATE) memcpy(mpi_too_long_text(), n->too_long, sizeof n->too_long);
    coll__types_hold(&n->call, mpi_type_drop);
    if (n->call.op) mpi_op_drop(n->call.op);
    free(n->types);
    free(n);
}

/* Types and operations may be freed before the call is complete, and Fortran's handles of types are converted into an
 * array that is gone by then. */
static nonblocking *coll__keep(const call *given)
{
    nonblocking *n = coll__allocate(sizeof *n);
    memset(n, 0, sizeof *n);
    n->call = *given;
    call *c = &n->call;
    const size_t one = (size_t)c->one_parts, all = (size_t)c->all_parts;
    if (c->all.types) {
        n->types = coll__allocate((one + all) * sizeof *n->types);
        coll__copy(n->types, c->one.types, one * sizeof *n->types);
        coll__copy(n->types + one, c->all.types, all * sizeof *n->types);
        c->one.types = n->types;
        c->all.types = n->types + one;
    }
    coll__types_hold(c, mpi_type_hold);
    if (c->op) mpi_op_hold(c->op);
    return n;
}

static int coll__start(call *c, MPI_Request *request)
{
    enum { FIRST_TAG = 16, TAGS = 1 << 28 };
    MPI_Comm on;
    mpi_begin(c->name);
    int code = coll__prepare(c, &on);
    if (!code && !request) code = MPI_ERR_REQUEST;
    if (code) return mpi_end(on, code);
    nonblocking *n = coll__keep(c);
    n->as.tag = FIRST_TAG + (int)(c->comm->started++ % TAGS);
    *request = mpi_request_of(c->comm, messages_thread_start(c->name, coll__progress, n), coll__finish, n);
    mpi_request_code(*request, &n->code);
    return mpi_end(c->comm, MPI_SUCCESS);
}

/* Defines both forms of a call: their names, the parameters of the blocking one, and the members of the call. */
#define PARAMETERS(...) __VA_ARGS__
#define FORMS(name_, other, parameters, ...)                                                                           \
    int PMPI_##name_(PARAMETERS parameters)                                                                            \
    {                                                                                                                  \
        return coll__block(&(call){ .name = "MPI_" #name_, .comm = comm, __VA_ARGS__ });                               \
    }                                                                                                                  \
    int PMPI_##other(PARAMETERS parameters, MPI_Request *request)                                                      \
    {                                                                                                                  \
        return coll__start(&(call){ .name = "MPI_" #other, .comm = comm, __VA_ARGS__ }, request);                      \
    }

/* clang-format off */
#define SAME(which) { .data = which, .count = which##_count, .type = which##_type }

FORMS(Barrier, Ibarrier, (MPI_Comm comm), .check = coll__sure, .run = coll__barrier_run)

FORMS(Bcast, Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
      .check = coll__bcast_check, .run = coll__bcast_run, .root = root,
      .one = { .data = data, .count = count, .type = type })

FORMS(Gather, Igather,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
       MPI_Datatype received_type, int root, MPI_Comm comm),
      .check = coll__rooted_check, .run = coll__rooted_run, .which = GATHER, .root = root,
      .one = SAME(sent), .all = SAME(received))

FORMS(Gatherv, Igatherv,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
       const int places[], MPI_Datatype received_type, int root, MPI_Comm comm),
      .check = coll__rooted_check, .run = coll__rooted_run, .which = GATHER, .root = root,
      .one = SAME(sent), .all = coll__buffer_each(received, counts, places, received_type))

FORMS(Scatter, Iscatter,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
       MPI_Datatype received_type, int root, MPI_Comm comm),
      .check = coll__rooted_check, .run = coll__rooted_run, .which = SCATTER, .root = root,
      .one = SAME(received), .all = SAME(sent))

FORMS(Scatterv, Iscatterv,
      (const void *sent, const int counts[], const int places[], MPI_Datatype sent_type, void *received,
       int received_count, MPI_Datatype received_type, int root, MPI_Comm comm),
      .check = coll__rooted_check, .run = coll__rooted_run, .which = SCATTER, .root = root,
      .one = SAME(received), .all = coll__buffer_each(sent, counts, places, sent_type))

FORMS(Allgather, Iallgather,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
       MPI_Datatype received_type, MPI_Comm comm),
      .check = coll__allgather_check, .run = coll__allgather_run, .one = SAME(sent), .all = SAME(received))

FORMS(Allgatherv, Iallgatherv,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
       const int places[], MPI_Datatype received_type, MPI_Comm comm),
      .check = coll__allgather_check, .run = coll__allgather_run,
      .one = SAME(sent), .all = coll__buffer_each(received, counts, places, received_type))

FORMS(Alltoall, Ialltoall,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
       MPI_Datatype received_type, MPI_Comm comm),
      .check = coll__alltoall_check, .run = coll__alltoall_run, .one = SAME(sent), .all = SAME(received))

FORMS(Alltoallv, Ialltoallv,
      (const void *sent, const int sent_counts[], const int sent_places[], MPI_Datatype sent_type, void *received,
       const int received_counts[], const int received_places[], MPI_Datatype received_type, MPI_Comm comm),
      .check = coll__alltoall_each_check, .run = coll__alltoall_each_run,
      .one = coll__buffer_each(sent, sent_counts, sent_places, sent_type),
      .all = coll__buffer_each(received, received_counts, received_places, received_type))

FORMS(Alltoallw, Ialltoallw,
      (const void *sent, const int sent_counts[], const int sent_places[], const MPI_Datatype sent_types[],
       void *received, const int received_counts[], const int received_places[], const MPI_Datatype received_types[],
       MPI_Comm comm),
      .check = coll__alltoall_each_check, .run = coll__alltoall_each_run,
      .one = coll__buffer_typed(sent, sent_counts, sent_places, sent_types),
      .all = coll__buffer_typed(received, received_counts, received_places, received_types))

FORMS(Reduce, Ireduce,
      (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
      .check = coll__reduce_to_check, .run = coll__reduce_run, .op = op, .root = root,
      .one = { .data = sent, .count = count, .type = type }, .all = { .data = received })

FORMS(Allreduce, Iallreduce,
      (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      .check = coll__reduce_all_check, .run = coll__allreduce_run, .op = op,
      .one = { .data = sent, .count = count, .type = type }, .all = { .data = received })

FORMS(Reduce_scatter, Ireduce_scatter,
      (const void *sent, void *received, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      .check = coll__reduce_scatter_check, .run = coll__reduce_scatter_run, .op = op,
      .one = { .data = sent, .each = true, .counts = counts, .type = type }, .all = { .data = received })

FORMS(Reduce_scatter_block, Ireduce_scatter_block,
      (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      .check = coll__reduce_scatter_check, .run = coll__reduce_scatter_run, .op = op,
      .one = { .data = sent, .count = count, .type = type }, .all = { .data = received })

FORMS(Scan, Iscan, (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      .check = coll__reduce_all_check, .run = coll__scan_run, .op = op, .one_side = true,
      .one = { .data = sent, .count = count, .type = type }, .all = { .data = received })

FORMS(Exscan, Iexscan, (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      .check = coll__reduce_all_check, .run = coll__exscan_run, .op = op, .one_side = true,
      .one = { .data = sent, .count = count, .type = type }, .all = { .data = received })

#define NEIGHBORS .check = coll__neighbors_check, .run = coll__neighbors_run, .one_side = true

FORMS(Neighbor_allgather, Ineighbor_allgather,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
       MPI_Datatype received_type, MPI_Comm comm),
      NEIGHBORS, .spreads = true, .one = SAME(sent), .all = SAME(received))

FORMS(Neighbor_allgatherv, Ineighbor_allgatherv,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
       const int places[], MPI_Datatype received_type, MPI_Comm comm),
      NEIGHBORS, .spreads = true, .one = SAME(sent),
      .all = coll__buffer_each(received, counts, places, received_type))

FORMS(Neighbor_alltoall, Ineighbor_alltoall,
      (const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
       MPI_Datatype received_type, MPI_Comm comm),
      NEIGHBORS, .one = SAME(sent), .all = SAME(received))

FORMS(Neighbor_alltoallv, Ineighbor_alltoallv,
      (const void *sent, const int sent_counts[], const int sent_places[], MPI_Datatype sent_type, void *received,
       const int received_counts[], const int received_places[], MPI_Datatype received_type, MPI_Comm comm),
      NEIGHBORS, .one = coll__buffer_each(sent, sent_counts, sent_places, sent_type),
      .all = coll__buffer_each(received, received_counts, received_places, received_type))

FORMS(Neighbor_alltoallw, Ineighbor_alltoallw,
      (const void *sent, const int sent_counts[], const MPI_Aint sent_places[], const MPI_Datatype sent_types[],
       void *received, const int received_counts[], const MPI_Aint received_places[],
       const MPI_Datatype received_types[], MPI_Comm comm),
      NEIGHBORS, .one = coll__buffer_far(sent, sent_counts, sent_places, sent_types),
      .all = coll__buffer_far(received, received_counts, received_places, received_types))

MPI_FIRST(Barrier) MPI_FIRST(Bcast) MPI_FIRST(Gather) MPI_FIRST(Gatherv) MPI_FIRST(Scatter) MPI_FIRST(Scatterv)
MPI_FIRST(Allgather) MPI_FIRST(Allgatherv) MPI_FIRST(Alltoall) MPI_FIRST(Alltoallw) MPI_FIRST(Alltoallv)
MPI_FIRST(Reduce) MPI_FIRST(Allreduce) MPI_FIRST(Reduce_scatter) MPI_FIRST(Reduce_scatter_block) MPI_FIRST(Scan)
MPI_FIRST(Exscan) MPI_FIRST(Ibarrier) MPI_FIRST(Ibcast) MPI_FIRST(Igather) MPI_FIRST(Igatherv) MPI_FIRST(Iscatter)
MPI_FIRST(Iscatterv) MPI_FIRST(Iallgather) MPI_FIRST(Iallgatherv) MPI_FIRST(Ialltoall) MPI_FIRST(Ialltoallw)
MPI_FIRST(Ialltoallv) MPI_FIRST(Ireduce) MPI_FIRST(Iallreduce) MPI_FIRST(Ireduce_scatter)
MPI_FIRST(Ireduce_scatter_block) MPI_FIRST(Iscan) MPI_FIRST(Iexscan) MPI_FIRST(Neighbor_allgather)
MPI_FIRST(Neighbor_allgatherv) MPI_FIRST(Neighbor_alltoall) MPI_FIRST(Neighbor_alltoallv)
MPI_FIRST(Neighbor_alltoallw) MPI_FIRST(Ineighbor_allgather) MPI_FIRST(Ineighbor_allgatherv)
MPI_FIRST(Ineighbor_alltoall) MPI_FIRST(Ineighbor_alltoallv) MPI_FIRST(Ineighbor_alltoallw)
    /* clang-format on */
