/* mpi_p2p.c - MPI point to point: sends, receives, requests. A message is packed when it is sent and unpacked when its
 * receive completes, so in between it needs no memory of either rank. */
#include "mpi_core.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum request_kind { SENDS = 1, RECEIVES, GENERAL, OF_LAYER } request_kind;

#define ALIVE 0x4c495645 /* detects the use of a freed request */

/* The calls that send or receive; each message says by which one it was sent. */
#define P2P_CALLS(of)                                                                                                  \
    of(Send) of(Bsend) of(Ssend) of(Rsend) of(Isend) of(Ibsend) of(Issend) of(Irsend) of(Send_init) of(Bsend_init)     \
        of(Ssend_init) of(Rsend_init) of(Sendrecv) of(Sendrecv_replace) of(Irecv) of(Recv_init) of(Imrecv)
#define P2P_CALL(name) CALL_##name,
#define P2P_NAME(name) "MPI_" #name,
typedef enum p2p_call { CALL_OTHER, P2P_CALLS(P2P_CALL) CALLS } p2p_call;
static const char *const p2p_names[] = { "another call", P2P_CALLS(P2P_NAME) };

struct mpi_request {
    unsigned alive;
    request_kind kind;
    bool persistent, active;
    messages_mode mode;
    p2p_call how;
    MPI_Comm comm;
    void *data;
    int count;
    MPI_Datatype type;
    int peer, tag;
    messages_request *request; /* NULL: completes at once */
    bool complete;             /* a generalized request */
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *release;
    MPI_Grequest_cancel_function *cancel;
    void (*finish)(void *user, const messages_request *received); /* of the layer; the user is `extra` */
    void *extra;
    const int *code; /* NULL: no error is possible */
    bool cancelled;
    int number;
    struct mpi_request *next; /* in the list of free or of forgotten requests */
    const char *call;         /* that made it */
    const void *caller;       /* address of the program that called it; NULL: unknown */
    struct mpi_request *made; /* the one that was allocated before it */
};

/* A message that a matched probe has found. */
struct mpi_message {
    MPI_Comm comm;
    messages_request *request; /* holds it; NULL: of MPI_PROC_NULL */
    int number;
};

struct mpi_message simkit_mpi_no_process;

static MPI_Request free_requests, forgotten_requests, last_made;

static struct {
    void *place;
    int bytes;
} buffer;

/*=============================================================================
 * MARK: - >>checks
 *===========================================================================*/

static int p2p__peer_check(MPI_Comm comm, int peer, bool any)
{
    const int size = comm->remote ? comm->remote->size : comm->group->size;
    if ((peer >= 0 && peer < size) || peer == MPI_PROC_NULL || (any && peer == MPI_ANY_SOURCE)) return MPI_SUCCESS;
    return mpi_rank_wrong(MPI_ERR_RANK, "rank", peer, size);
}

static int p2p__tag_check(int tag, bool any)
{
    if ((tag >= 0 && tag <= MPI_MOST_TAG) || (any && tag == MPI_ANY_TAG)) return MPI_SUCCESS;
    return mpi_explain(MPI_ERR_TAG, "invalid tag %d, expected 0 .. %d", tag, MPI_MOST_TAG);
}

static int p2p__message_check(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                              bool any)
{
    int code = mpi_comm_check(comm);
    if (!code) code = mpi_data_check(data, count, type);
    if (!code) code = p2p__peer_check(comm, peer, any);
    return code ? code : p2p__tag_check(tag, any);
}

static int p2p__buffer_check(size_t bytes)
{
    return bytes + MPI_BSEND_OVERHEAD <= (size_t)buffer.bytes ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/

int32_t mpi_task_of(MPI_Comm comm, int rank)
{
    return (comm->remote ? comm->remote : comm->group)->tasks[rank];
}

messages_chunk *mpi_chunk(const void *data, size_t count, MPI_Datatype type)
{
    messages_chunk *chunk = messages_chunk_new(count * type->size);
    mpi_pack(chunk->data, data, count, type);
    return chunk;
}

/* Returns true if it is memory without content. */
static bool p2p__without_content(const void *data, size_t count, MPI_Datatype type)
{
    return type->dense && messages_is_shared(data, count * type->size);
}

messages_chunk *mpi_chunk_sent(const void *data, size_t count, MPI_Datatype type)
{
    if (p2p__without_content(data, count, type)) return messages_chunk_absent(count * type->size);
    return mpi_chunk(data, count, type);
}

static messages_envelope p2p__envelope_of(MPI_Comm comm, bool collective, int source, int tag)
{
    return (messages_envelope){ comm->context + collective, source, tag, 0 };
}

/* Of a message of the program: the elements are in the lower byte of `sent`, the call is above. */
static messages_envelope p2p__sent_envelope(MPI_Comm comm, int tag, p2p_call call, MPI_Datatype type)
{
    return (messages_envelope){ comm->context, comm->group->rank, tag, (uint32_t)call << 8 | mpi_elements_of(type) };
}

void messages_sent_text(uint32_t sent, size_t bytes, char *text, size_t room)
{
    const int basic = (int)(sent & 255);
    const size_t size = basic && basic != MPI_MIXED ? mpi_basic_size(basic) : 0;
    const char *call = p2p_names[sent >> 8 < CALLS ? sent >> 8 : CALL_OTHER];
    if (size > 0 && bytes % size == 0)
        snprintf(text, room, "%zu B, %zu of %s sent by %s", bytes, bytes / size, mpi_basic_name(basic), call);
    else
        snprintf(text, room, "%zu B sent by %s", bytes, call);
}

void mpi_too_long(const messages_request *r, size_t room)
{
    char what[96];
    snprintf(what, sizeof what, "%zu B", r->bytes);
    if (r->envelope.sent) messages_sent_text(r->envelope.sent, r->bytes, what, sizeof what);
    mpi_explain(MPI_SUCCESS, ": %s from rank %d with tag %d, but the buffer has %zu B", what, (int)r->envelope.source,
                (int)r->envelope.tag, room);
}

void mpi_send_chunk(MPI_Comm comm, bool collective, int to, int tag, messages_chunk *chunk, size_t bytes)
{
    messages_send(mpi_task_of(comm, to), p2p__envelope_of(comm, collective, comm->group->rank, tag), chunk, bytes,
                  MESSAGES_STANDARD, NULL, NULL);
}

messages_request *mpi_post(MPI_Comm comm, bool collective, int from, int tag)
{
    messages_request *r = messages_request_new(true);
    messages_post(r, p2p__envelope_of(comm, collective, from, tag));
    return r;
}

messages_request *mpi_post_into(MPI_Comm comm, bool collective, int from, int tag, const void *data, size_t count,
                                MPI_Datatype type)
{
    const size_t bytes = p2p__without_content(data, count, type) ? 0 : count * type->size;
    messages_request *r = messages_request_new_for(bytes);
    messages_post(r, p2p__envelope_of(comm, collective, from, tag));
    return r;
}

static void p2p__status_set(MPI_Status *status, int source, int tag, size_t bytes, bool cancelled)
{
    if (!status) return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status->mpi_bytes = bytes;
    status->mpi_cancelled = cancelled;
}

static void p2p__status_empty(MPI_Status *status)
{
    p2p__status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
    if (status) status->MPI_ERROR = MPI_SUCCESS;
}

/* The types of sender and receiver differ. */
static void p2p__types_differ(const messages_request *r, uint32_t elements)
{
    char what[96];
    messages_sent_text(r->envelope.sent, r->bytes, what, sizeof what);
    messages_note_add(-1, 1, NULL, "%s received in %s" MESSAGES_HERE " as %s a message %s: %s: the types differ",
                      messages_self->name, messages_self->call,
                      elements == MPI_MIXED ? "several types" : mpi_basic_name((int)elements),
                      messages_envelope_text(messages_self, r->envelope), what);
}

/* Unpacks a received message into its buffer. */
static int p2p__receive_deliver(const messages_request *r, void *data, size_t count, MPI_Datatype type,
                                MPI_Status *status)
{
    const size_t most = count * type->size, bytes = r->bytes < most ? r->bytes : most;
    const uint32_t elements = mpi_elements_of(type), sent = r->envelope.sent & 255;
    if (sent != elements && r->bytes > 0 && !messages_types_match(sent, elements)) p2p__types_differ(r, elements);
    if (r->chunk && !r->chunk->absent) mpi_unpack(data, r->chunk->data, bytes, count, type);
    p2p__status_set(status, r->envelope.source, r->envelope.tag, bytes, r->cancelled);
    if (r->bytes <= most) return MPI_SUCCESS;
    mpi_too_long(r, most);
    return MPI_ERR_TRUNCATE;
}

static int p2p__receive_finish(messages_request *r, void *data, size_t count, MPI_Datatype type, MPI_Status *status)
{
    int code = p2p__receive_deliver(r, data, count, type, status);
    messages_request_drop(r);
    return code;
}

/* In the function that the program calls: its line, for error messages. */
#define p2p__caller_set() (messages_self->caller = __builtin_return_address(0))

static int p2p__send(p2p_call call, const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     messages_mode mode)
{
    mpi_begin(p2p_names[call]);
    int code = p2p__message_check(data, count, type, to, tag, comm, false);
    if (!code && mode == MESSAGES_BUFFERED) code = p2p__buffer_check((size_t)count * type->size);
    if (code || to == MPI_PROC_NULL) return mpi_end(comm, code);
    const size_t bytes = (size_t)count * type->size;
    const bool waits = mode == MESSAGES_SYNCHRONOUS || (mode == MESSAGES_STANDARD && !messages_is_eager(bytes));
    messages_request *r = waits ? messages_request_new(false) : NULL;
    messages_send(mpi_task_of(comm, to), p2p__sent_envelope(comm, tag, call, type),
                  mpi_chunk_sent(data, (size_t)count, type), bytes, mode, r, NULL);
    if (r) {
        messages_wait(&r, 1, 1);
        messages_flush_ahead();
        messages_request_drop(r);
    }
    return mpi_end(comm, code);
}

int PMPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    p2p__caller_set();
    return p2p__send(CALL_Send, data, count, type, to, tag, comm, MESSAGES_STANDARD);
}

int PMPI_Bsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    p2p__caller_set();
    return p2p__send(CALL_Bsend, data, count, type, to, tag, comm, MESSAGES_BUFFERED);
}

int PMPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    p2p__caller_set();
    return p2p__send(CALL_Ssend, data, count, type, to, tag, comm, MESSAGES_SYNCHRONOUS);
}

int PMPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    p2p__caller_set();
    return p2p__send(CALL_Rsend, data, count, type, to, tag, comm, MESSAGES_STANDARD);
}

int PMPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    mpi_begin("MPI_Recv");
    int code = p2p__message_check(data, count, type, from, tag, comm, true);
    if (code) return mpi_end(comm, code);
    if (from == MPI_PROC_NULL) {
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        return mpi_end(comm, code);
    }
    messages_request *r = mpi_post_into(comm, false, from, tag, data, (size_t)count, type);
    messages_wait(&r, 1, 1);
    messages_flush_ahead();
    return mpi_end(comm, p2p__receive_finish(r, data, (size_t)count, type, status));
}

static int p2p__probe_check(int from, int tag, MPI_Comm comm)
{
    int code = mpi_comm_check(comm);
    if (!code) code = p2p__peer_check(comm, from, true);
    return code ? code : p2p__tag_check(tag, true);
}

static messages_request *p2p__probe_new(int from, int tag, MPI_Comm comm)
{
    messages_request *r = messages_request_new(true);
    r->envelope = p2p__envelope_of(comm, false, from, tag);
    return r;
}

/* Waits until the probe has found a message. */
static void p2p__probe_wait(messages_request *r, MPI_Status *status)
{
    messages_action_add(MESSAGES_PROBE)->of.request = r;
    messages_flush();
    p2p__status_set(status, r->envelope.source, r->envelope.tag, r->bytes, false);
}

int PMPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    mpi_begin("MPI_Probe");
    int code = p2p__probe_check(from, tag, comm);
    if (code) return mpi_end(comm, code);
    if (from == MPI_PROC_NULL) {
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        return mpi_end(comm, code);
    }
    messages_request *r = p2p__probe_new(from, tag, comm);
    p2p__probe_wait(r, status);
    messages_request_drop(r);
    return mpi_end(comm, code);
}

int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    mpi_begin("MPI_Iprobe");
    size_t bytes = 0;
    int code = p2p__probe_check(from, tag, comm);
    if (code) return mpi_end(comm, code);
    if (!flag) return mpi_end(comm, MPI_ERR_ARG);
    *flag = 1;
    if (from == MPI_PROC_NULL) {
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        return mpi_end(comm, code);
    }
    messages_action_add(MESSAGES_LOOK);
    messages_flush();
    messages_envelope e = p2p__envelope_of(comm, false, from, tag);
    *flag = messages_probe(messages_self, &e, &bytes);
    if (*flag)
        p2p__status_set(status, e.source, e.tag, bytes, false);
    else
        messages_vain();
    return mpi_end(comm, code);
}

/*=============================================================================
 * MARK: - >>requests
 *===========================================================================*/

static MPI_Request p2p__request_new(request_kind kind, const char *call)
{
    MPI_Request q = free_requests, made;
    if (q) {
        free_requests = q->next;
        made = q->made;
    } else {
        if (!(q = malloc(sizeof *q))) messages_end(1, "%s: no memory for a request", messages_self->name);
        made = last_made;
        last_made = q;
    }
    memset(q, 0, sizeof *q);
    q->alive = ALIVE;
    q->kind = kind;
    q->call = call;
    q->made = made;
    return q;
}

static void p2p__request_free(MPI_Request q)
{
    if (q->comm) mpi_comm_drop(q->comm);
    if (q->type) mpi_type_drop(q->type);
    q->alive = 0;
    q->next = free_requests;
    free_requests = q;
}

static bool p2p__request_is(MPI_Request q)
{
    return q && q->alive == ALIVE;
}

static void p2p__start(MPI_Request q)
{
    q->active = true;
    q->request = NULL;
    if (q->peer == MPI_PROC_NULL) return;
    if (q->kind == RECEIVES) {
        q->request = mpi_post_into(q->comm, false, q->peer, q->tag, q->data, (size_t)q->count, q->type);
        return;
    }
    const size_t bytes = (size_t)q->count * q->type->size;
    if (q->mode == MESSAGES_SYNCHRONOUS || (q->mode == MESSAGES_STANDARD && !messages_is_eager(bytes)))
        q->request = messages_request_new(false);
    messages_self->caller = q->caller;
    messages_send(mpi_task_of(q->comm, q->peer), p2p__sent_envelope(q->comm, q->tag, q->how, q->type),
                  mpi_chunk_sent(q->data, (size_t)q->count, q->type), bytes, q->mode, q->request, NULL);
}

static int p2p__make(p2p_call call, request_kind kind, const void *data, int count, MPI_Datatype type, int peer,
                     int tag, MPI_Comm comm, messages_mode mode, bool persistent, MPI_Request *request)
{
    mpi_begin(p2p_names[call]);
    int code = p2p__message_check(data, count, type, peer, tag, comm, kind == RECEIVES);
    if (!code && !request) code = MPI_ERR_REQUEST;
    if (!code && mode == MESSAGES_BUFFERED && !persistent) code = p2p__buffer_check((size_t)count * type->size);
    if (code) return mpi_end(comm, code);
    MPI_Request q = p2p__request_new(kind, p2p_names[call]);
    q->how = call;
    q->caller = messages_self->caller;
    q->comm = comm;
    ++comm->references;
    q->type = type;
    mpi_type_hold(type);
    q->data = (void *)(uintptr_t)data;
    q->count = count;
    q->peer = peer;
    q->tag = tag;
    q->mode = mode;
    q->persistent = persistent;
    if (!persistent) p2p__start(q);
    *request = q;
    return mpi_end(comm, code);
}

MPI_Request mpi_request_of(MPI_Comm comm, messages_request *received,
                           void (*finish)(void *user, const messages_request *received), void *user)
{
    MPI_Request q = p2p__request_new(OF_LAYER, mpi_now.call);
    q->comm = comm;
    ++comm->references;
    q->request = received;
    q->finish = finish;
    q->extra = user;
    q->active = true;
    return q;
}

void mpi_request_code(MPI_Request q, const int *code)
{
    q->code = code;
}

#define MAKER(name, kind, qualifier, mode, persistent)                                                                 \
    int PMPI_##name(qualifier void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,              \
                    MPI_Request *request)                                                                              \
    {                                                                                                                  \
        p2p__caller_set();                                                                                             \
        return p2p__make(CALL_##name, kind, data, count, type, peer, tag, comm, mode, persistent, request);            \
    }
MAKER(Isend, SENDS, const, MESSAGES_STANDARD, false)
MAKER(Ibsend, SENDS, const, MESSAGES_BUFFERED, false)
MAKER(Issend, SENDS, const, MESSAGES_SYNCHRONOUS, false)
MAKER(Irsend, SENDS, const, MESSAGES_STANDARD, false)
MAKER(Irecv, RECEIVES, , MESSAGES_STANDARD, false)
MAKER(Send_init, SENDS, const, MESSAGES_STANDARD, true)
MAKER(Bsend_init, SENDS, const, MESSAGES_BUFFERED, true)
MAKER(Ssend_init, SENDS, const, MESSAGES_SYNCHRONOUS, true)
MAKER(Rsend_init, SENDS, const, MESSAGES_STANDARD, true)
MAKER(Recv_init, RECEIVES, , MESSAGES_STANDARD, true)

/*=============================================================================
 * MARK: - >>matched probes
 *===========================================================================*/

static MPI_Message p2p__message_new(MPI_Comm comm, messages_request *r)
{
    MPI_Message m = mpi_new(1, sizeof *m);
    m->comm = comm;
    ++comm->references;
    m->request = r;
    return m;
}

static void p2p__message_free(MPI_Message *message)
{
    MPI_Message m = *message;
    *message = MPI_MESSAGE_NULL;
    if (m == MPI_MESSAGE_NO_PROC) return;
    mpi_comm_drop(m->comm);
    mpi_retire(m);
}

int PMPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    mpi_begin("MPI_Mprobe");
    int code = p2p__probe_check(from, tag, comm);
    if (code) return mpi_end(comm, code);
    if (!message) return mpi_end(comm, MPI_ERR_REQUEST);
    if (from == MPI_PROC_NULL) {
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        *message = MPI_MESSAGE_NO_PROC;
        return mpi_end(comm, code);
    }
    messages_request *r = p2p__probe_new(from, tag, comm);
    r->holds = true;
    p2p__probe_wait(r, status);
    *message = p2p__message_new(comm, r);
    return mpi_end(comm, code);
}

int PMPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    mpi_begin("MPI_Improbe");
    int code = p2p__probe_check(from, tag, comm);
    if (code) return mpi_end(comm, code);
    if (!flag) return mpi_end(comm, MPI_ERR_ARG);
    if (!message) return mpi_end(comm, MPI_ERR_REQUEST);
    *flag = 1;
    if (from == MPI_PROC_NULL) {
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        *message = MPI_MESSAGE_NO_PROC;
        return mpi_end(comm, code);
    }
    *message = MPI_MESSAGE_NULL;
    messages_action_add(MESSAGES_LOOK);
    messages_flush();
    messages_request *r = p2p__probe_new(from, tag, comm);
    r->holds = true;
    *flag = messages_probe_matched(messages_self, r);
    if (*flag) {
        p2p__status_set(status, r->envelope.source, r->envelope.tag, r->bytes, false);
        *message = p2p__message_new(comm, r);
    } else {
        messages_request_drop(r);
        messages_vain();
    }
    return mpi_end(comm, code);
}

static int p2p__matched_check(const void *data, int count, MPI_Datatype type, MPI_Message *message)
{
    if (!message || *message == MPI_MESSAGE_NULL) return MPI_ERR_REQUEST;
    return mpi_data_check(data, count, type);
}

int PMPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    mpi_begin("MPI_Mrecv");
    MPI_Comm comm = message && *message ? (*message)->comm : NULL;
    int code = p2p__matched_check(data, count, type, message);
    if (code) return mpi_end(comm, code);
    messages_request *r = (*message)->request;
    if (r) {
        messages_post(r, r->envelope);
        messages_wait(&r, 1, 1);
        messages_flush();
        code = p2p__receive_finish(r, data, (size_t)count, type, status);
    } else {
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    }
    code = mpi_end(comm, code);
    p2p__message_free(message);
    return code;
}

int PMPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    mpi_begin("MPI_Imrecv");
    MPI_Comm comm = message && *message ? (*message)->comm : NULL;
    int code = p2p__matched_check(data, count, type, message);
    if (!code && !request) code = MPI_ERR_REQUEST;
    if (code) return mpi_end(comm, code);
    MPI_Request q = p2p__request_new(RECEIVES, p2p_names[CALL_Imrecv]);
    if (comm) ++comm->references;
    q->comm = comm;
    q->type = type;
    mpi_type_hold(type);
    q->data = data;
    q->count = count;
    q->request = (*message)->request;
    q->active = true;
    if (q->request) messages_post(q->request, q->request->envelope);
    p2p__message_free(message);
    *request = q;
    return mpi_end(comm, code);
}

static int p2p__request_wrong(MPI_Request q)
{
    return mpi_explain(MPI_ERR_REQUEST, q ? "the request was freed" : "the request is MPI_REQUEST_NULL");
}

static int p2p__start_wrong(MPI_Request q)
{
    if (!p2p__request_is(q)) return p2p__request_wrong(q);
    if (!q->persistent) return mpi_explain(MPI_ERR_REQUEST, "the request is not persistent, as of MPI_Send_init");
    return mpi_explain(MPI_ERR_REQUEST, "the request is active: started, not yet completed");
}

int PMPI_Startall(int count, MPI_Request requests[])
{
    mpi_begin("MPI_Startall");
    for (int i = 0; i < count; ++i)
        if (!p2p__request_is(requests[i]) || !requests[i]->persistent || requests[i]->active)
            return mpi_end(NULL, p2p__start_wrong(requests[i]));
    for (int i = 0; i < count; ++i)
        if (requests[i]->mode == MESSAGES_BUFFERED &&
            p2p__buffer_check((size_t)requests[i]->count * requests[i]->type->size))
            return mpi_end(requests[i]->comm, MPI_ERR_BUFFER);
    for (int i = 0; i < count; ++i) p2p__start(requests[i]);
    return mpi_end(NULL, MPI_SUCCESS);
}

int PMPI_Start(MPI_Request *request)
{
    return MPI_AS(PMPI_Startall(1, request));
}

/* Returns true if it completes without waiting. */
static bool p2p__is_complete(MPI_Request q)
{
    if (q->kind == GENERAL) return q->complete;
    return !q->request || q->request->progress == MESSAGES_DONE;
}

/* Returns true if it is active: neither null nor an inactive persistent request. */
static bool p2p__is_active(MPI_Request q)
{
    return q && (q->kind == GENERAL || q->active);
}

/* The functions of a generalized request. */
static int p2p__query(MPI_Request q, MPI_Status *status)
{
    const mpi_interlude i = mpi_interlude_begin();
    const int code = q->query(q->extra, status);
    mpi_interlude_end(&i);
    return code;
}

static int p2p__release(MPI_Request q)
{
    const mpi_interlude i = mpi_interlude_begin();
    const int code = q->release(q->extra);
    mpi_interlude_end(&i);
    return code;
}

static int p2p__complete(MPI_Request *request, MPI_Status *status)
{
    MPI_Request q = *request;
    int code = MPI_SUCCESS;
    MPI_Status own;
    if (!status) status = &own;
    if (!p2p__is_active(q)) {
        p2p__status_empty(status);
        return code;
    }
    p2p__status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, q->request && q->request->cancelled);
    if (q->kind == GENERAL) {
        messages_request_drop(q->request);
        status->MPI_ERROR = MPI_SUCCESS;
        code = p2p__query(q, status);
        const int freed = p2p__release(q);
        if (!code) code = freed;
    } else if (q->kind == RECEIVES && q->request) {
        code = p2p__receive_finish(q->request, q->data, (size_t)q->count, q->type, status);
    } else if (q->kind == RECEIVES) {
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    } else {
        if (q->code) code = *q->code;
        if (q->kind == OF_LAYER) q->finish(q->extra, q->request);
        messages_request_drop(q->request);
    }
    q->request = NULL;
    q->active = false;
    if (q->persistent) return code;
    p2p__request_free(q);
    *request = MPI_REQUEST_NULL;
    return code;
}

static int p2p__requests_check(int count, MPI_Request requests[])
{
    if (count < 0) return MPI_ERR_COUNT;
    if (!requests && count > 0) return MPI_ERR_REQUEST;
    for (int i = 0; i < count; ++i)
        if (requests[i] != MPI_REQUEST_NULL && !p2p__request_is(requests[i])) return p2p__request_wrong(requests[i]);
    return MPI_SUCCESS;
}

/* The communicator whose error handler applies. */
static MPI_Comm p2p__comm_of(int count, MPI_Request requests[])
{
    for (int i = 0; requests && i < count; ++i)
        if (p2p__request_is(requests[i]) && requests[i]->comm) return requests[i]->comm;
    return NULL;
}

/* A generalized request that is waited for: another thread may complete it. */
static void p2p__general_open(MPI_Request q)
{
    if (!messages_has_threads)
        messages_end(1, "deadlock: %s waits in %s for a generalized request, which only this rank could complete",
                     messages_self->name, messages_self->call);
    if (q->request) return;
    q->request = messages_request_new(true);
    q->request->progress = MESSAGES_ACTIVE;
    q->request->envelope.context = MESSAGES_OF_PROGRAM;
}

/* The engine's requests for those that are not complete. `plain`: all of them are sends or receives. */
static messages_request **p2p__behind(int count, MPI_Request requests[], size_t *found, bool *plain)
{
    messages_request **list = malloc((count ? (size_t)count : 1) * sizeof *list);
    if (!list) messages_end(1, "%s: no memory for %d requests", messages_self->name, count);
    *found = 0;
    *plain = true;
    list[0] = NULL;
    for (int i = 0; i < count; ++i)
        if (p2p__is_active(requests[i]) && !p2p__is_complete(requests[i])) {
            *plain = *plain && (requests[i]->kind == SENDS || requests[i]->kind == RECEIVES);
            if (requests[i]->kind == GENERAL) p2p__general_open(requests[i]);
            list[(*found)++] = requests[i]->request;
        }
    return list;
}

static void p2p__wait_some(int count, MPI_Request requests[], bool all)
{
    size_t open;
    bool plain;
    messages_request **list = p2p__behind(count, requests, &open, &plain);
    messages_wait(list, open, all ? open : 1);
    if (all && plain)
        messages_flush_ahead();
    else
        messages_flush();
    free(list);
}

static int p2p__open(int count, MPI_Request requests[])
{
    int open = 0;
    for (int i = 0; i < count; ++i) open += p2p__is_active(requests[i]) && !p2p__is_complete(requests[i]);
    return open;
}

/* Polls: takes arrived messages until nothing more completes without waiting. */
static void p2p__look(int count, MPI_Request requests[])
{
    const int open = p2p__open(count, requests);
    if (open > 0) messages_action_add(MESSAGES_LOOK);
    messages_flush();
    messages_request *one = NULL, **list = count > 1 ? malloc((size_t)count * sizeof *list) : &one;
    size_t found = 0;
    for (int i = 0; i < count; ++i)
        if (p2p__is_active(requests[i]) && requests[i]->request && requests[i]->request->progress == MESSAGES_ARRIVED)
            list[found++] = requests[i]->request;
    if (found > 0) {
        messages_wait(list, found, found);
        messages_flush();
    }
    if (count > 1) free(list);
    if (open > 0 && p2p__open(count, requests) == open) messages_vain();
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    mpi_begin("MPI_Wait");
    int code = request ? p2p__requests_check(1, request) : MPI_ERR_REQUEST;
    MPI_Comm comm = code ? NULL : p2p__comm_of(1, request);
    if (code) return mpi_end(comm, code);
    if (p2p__is_active(*request) && !p2p__is_complete(*request)) p2p__wait_some(1, request, true);
    return mpi_end(comm, p2p__complete(request, status));
}

/* Completes all requests that can complete; returns their number and indices. */
static int p2p__complete_those(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    int code = MPI_SUCCESS, active = 0;
    *done = 0;
    for (int i = 0; i < count; ++i) {
        if (!p2p__is_active(requests[i])) continue;
        ++active;
        if (!p2p__is_complete(requests[i])) continue;
        MPI_Status *status = statuses ? &statuses[*done] : NULL;
        int one = p2p__complete(&requests[i], status);
        if (status) status->MPI_ERROR = one;
        if (one) code = MPI_ERR_IN_STATUS;
        indices[(*done)++] = i;
    }
    if (active == 0) *done = MPI_UNDEFINED;
    return code;
}

static int p2p__complete_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < count; ++i) {
        int one = p2p__complete(&requests[i], statuses ? &statuses[i] : NULL);
        if (statuses) statuses[i].MPI_ERROR = one;
        if (one) code = MPI_ERR_IN_STATUS;
    }
    return code;
}

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    mpi_begin("MPI_Waitall");
    int code = p2p__requests_check(count, requests);
    MPI_Comm comm = code ? NULL : p2p__comm_of(count, requests);
    if (code) return mpi_end(comm, code);
    p2p__wait_some(count, requests, true);
    return mpi_end(comm, p2p__complete_all(count, requests, statuses));
}

static bool p2p__any_active(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; ++i)
        if (p2p__is_active(requests[i])) return true;
    return false;
}

static int p2p__first_complete(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; ++i)
        if (p2p__is_active(requests[i]) && p2p__is_complete(requests[i])) return i;
    return MPI_UNDEFINED;
}

int PMPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    mpi_begin("MPI_Waitany");
    int code = p2p__requests_check(count, requests);
    MPI_Comm comm = code ? NULL : p2p__comm_of(count, requests);
    if (code) return mpi_end(comm, code);
    if (!index) return mpi_end(comm, MPI_ERR_ARG);
    *index = MPI_UNDEFINED;
    if (!p2p__any_active(count, requests)) {
        p2p__status_empty(status);
        return mpi_end(comm, code);
    }
    *index = p2p__first_complete(count, requests);
    if (*index == MPI_UNDEFINED) {
        p2p__wait_some(count, requests, false);
        *index = p2p__first_complete(count, requests);
    }
    return mpi_end(comm, p2p__complete(&requests[*index], status));
}

int PMPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    mpi_begin("MPI_Waitsome");
    int code = p2p__requests_check(count, requests);
    MPI_Comm comm = code ? NULL : p2p__comm_of(count, requests);
    if (code) return mpi_end(comm, code);
    if (!done || (count > 0 && !indices)) return mpi_end(comm, MPI_ERR_ARG);
    if (p2p__any_active(count, requests) && p2p__first_complete(count, requests) == MPI_UNDEFINED)
        p2p__wait_some(count, requests, false);
    p2p__look(count, requests);
    return mpi_end(comm, p2p__complete_those(count, requests, done, indices, statuses));
}

int PMPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    mpi_begin("MPI_Testall");
    int code = p2p__requests_check(count, requests);
    MPI_Comm comm = code ? NULL : p2p__comm_of(count, requests);
    if (code) return mpi_end(comm, code);
    if (!flag) return mpi_end(comm, MPI_ERR_ARG);
    p2p__look(count, requests);
    *flag = 1;
    for (int i = 0; i < count; ++i)
        if (p2p__is_active(requests[i]) && !p2p__is_complete(requests[i])) *flag = 0;
    return mpi_end(comm, *flag ? p2p__complete_all(count, requests, statuses) : MPI_SUCCESS);
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    mpi_begin("MPI_Test");
    int code = request ? p2p__requests_check(1, request) : MPI_ERR_REQUEST;
    MPI_Comm comm = code ? NULL : p2p__comm_of(1, request);
    if (code) return mpi_end(comm, code);
    if (!flag) return mpi_end(comm, MPI_ERR_ARG);
    p2p__look(1, request);
    *flag = !p2p__is_active(*request) || p2p__is_complete(*request);
    return mpi_end(comm, *flag ? p2p__complete(request, status) : MPI_SUCCESS);
}

int PMPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    mpi_begin("MPI_Testany");
    int code = p2p__requests_check(count, requests);
    MPI_Comm comm = code ? NULL : p2p__comm_of(count, requests);
    if (code) return mpi_end(comm, code);
    if (!flag || !index) return mpi_end(comm, MPI_ERR_ARG);
    p2p__look(count, requests);
    *index = p2p__first_complete(count, requests);
    *flag = *index != MPI_UNDEFINED || !p2p__any_active(count, requests);
    if (*index != MPI_UNDEFINED)
        code = p2p__complete(&requests[*index], status);
    else if (*flag)
        p2p__status_empty(status);
    return mpi_end(comm, code);
}

int PMPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    mpi_begin("MPI_Testsome");
    int code = p2p__requests_check(count, requests);
    MPI_Comm comm = code ? NULL : p2p__comm_of(count, requests);
    if (code) return mpi_end(comm, code);
    if (!done || (count > 0 && !indices)) return mpi_end(comm, MPI_ERR_ARG);
    p2p__look(count, requests);
    return mpi_end(comm, p2p__complete_those(count, requests, done, indices, statuses));
}

/* Completes requests that were freed before they were complete, at the end of each call while there are any. It does
 * not wait for their messages, but takes those that have arrived. */
static void p2p__forgotten_complete(void)
{
    MPI_Request *at = &forgotten_requests;
    while (*at) {
        MPI_Request q = *at;
        if (!p2p__is_complete(q) && !(q->kind == RECEIVES && q->request->progress == MESSAGES_ARRIVED)) {
            at = &q->next;
            continue;
        }
        *at = q->next;
        if (q->kind == GENERAL) {
            p2p__release(q);
            p2p__request_free(q);
            at = &forgotten_requests; /* the program's function may have made calls that complete others */
        } else {
            p2p__complete(&q, NULL);
        }
    }
    mpi_leaving = forgotten_requests ? p2p__forgotten_complete : NULL;
}

/* Returns true if the program has freed a request before it was complete. */
static bool p2p__is_forgotten(MPI_Request q)
{
    MPI_Request at = forgotten_requests;
    while (at && at != q) at = at->next;
    return at;
}

/* Notes the requests that the program has neither waited for nor freed, at MPI_Finalize. */
void mpi_requests_note(void)
{
    for (MPI_Request q = last_made; q; q = q->made) {
        if (q->alive != ALIVE || !p2p__is_active(q) || p2p__is_forgotten(q)) continue;
        char what[400] = "";
        if (q->kind == SENDS && q->peer != MPI_PROC_NULL)
            snprintf(what, sizeof what, " of a message to %s with tag %d on %s",
                     messages->tasks[mpi_task_of(q->comm, q->peer)]->name, q->tag,
                     messages_communicator_text(messages_self, q->comm->context));
        if (q->kind == RECEIVES && q->request)
            snprintf(what, sizeof what, " for a message %s",
                     messages_envelope_text(messages_self, q->request->envelope));
        messages_note_add(-1, 1, q->caller,
                          "%s called MPI_Finalize with a request of %s%s%s, which no wait or test has completed",
                          messages_self->name, q->call, q->caller ? MESSAGES_HERE : "", what);
    }
}

int PMPI_Request_free(MPI_Request *request)
{
    mpi_begin("MPI_Request_free");
    if (!request) return mpi_end(NULL, MPI_ERR_REQUEST);
    if (!p2p__request_is(*request)) return mpi_end(NULL, p2p__request_wrong(*request));
    MPI_Request q = *request;
    if (q->kind == OF_LAYER) return mpi_end(q->comm, MPI_ERR_REQUEST); /* of a nonblocking collective call */
    q->persistent = false;
    *request = MPI_REQUEST_NULL;
    if (!p2p__is_active(q)) {
        p2p__request_free(q);
    } else {
        q->next = forgotten_requests;
        forgotten_requests = q;
        mpi_leaving = p2p__forgotten_complete;
    }
    return mpi_end(NULL, MPI_SUCCESS);
}

int PMPI_Request_get_status(MPI_Request q, int *flag, MPI_Status *status)
{
    mpi_begin("MPI_Request_get_status");
    if (q != MPI_REQUEST_NULL && !p2p__request_is(q)) return mpi_end(NULL, MPI_ERR_REQUEST);
    if (!flag) return mpi_end(NULL, MPI_ERR_ARG);
    *flag = 1;
    if (!p2p__is_active(q)) {
        p2p__status_empty(status);
        return mpi_end(NULL, MPI_SUCCESS);
    }
    p2p__look(1, &q);
    *flag = p2p__is_complete(q);
    if (*flag && q->kind == GENERAL) {
        MPI_Status own;
        p2p__query(q, status ? status : &own);
    } else if (*flag && q->kind == RECEIVES && q->request) {
        p2p__receive_deliver(q->request, q->data, (size_t)q->count, q->type, status);
    } else if (*flag && q->kind == RECEIVES) {
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    } else if (*flag) {
        p2p__status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, q->request && q->request->cancelled);
    }
    return mpi_end(NULL, MPI_SUCCESS);
}

static int p2p__cancel_general(MPI_Request q)
{
    if (!q->cancel) return MPI_SUCCESS;
    const mpi_interlude i = mpi_interlude_begin();
    const int code = q->cancel(q->extra, q->complete);
    mpi_interlude_end(&i);
    return code;
}

int PMPI_Cancel(MPI_Request *request)
{
    mpi_begin("MPI_Cancel");
    if (!request) return mpi_end(NULL, MPI_ERR_REQUEST);
    if (!p2p__request_is(*request)) return mpi_end(NULL, p2p__request_wrong(*request));
    MPI_Request q = *request;
    if (q->kind == OF_LAYER) return mpi_end(q->comm, MPI_ERR_REQUEST); /* of a nonblocking collective call */
    if (q->kind == GENERAL) return mpi_end(NULL, p2p__cancel_general(q));
    if (q->request) messages_action_add(MESSAGES_CANCEL)->of.request = q->request;
    messages_flush();
    return mpi_end(NULL, MPI_SUCCESS);
}

int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    if (!status || !flag) return mpi_fail(NULL, MPI_ERR_ARG);
    *flag = status->mpi_cancelled;
    return MPI_SUCCESS;
}

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    if (!status) return mpi_fail(NULL, MPI_ERR_ARG);
    status->mpi_cancelled = flag;
    return MPI_SUCCESS;
}

int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (count < 0) return mpi_fail(NULL, MPI_ERR_COUNT);
    if (!status) return MPI_SUCCESS; /* MPI_STATUS_IGNORE */
    status->mpi_bytes = type->elements ? (size_t)count * (type->size / type->elements) : 0;
    return MPI_SUCCESS;
}

int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count)
{
    return MPI_AS(PMPI_Status_set_elements_x(status, type, count));
}

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!status || !count) return mpi_fail(NULL, MPI_ERR_ARG);
    if (type->size == 0)
        *count = status->mpi_bytes ? MPI_UNDEFINED : 0;
    else if (status->mpi_bytes % type->size || status->mpi_bytes / type->size > INT_MAX)
        *count = MPI_UNDEFINED;
    else
        *count = (int)(status->mpi_bytes / type->size);
    return MPI_SUCCESS;
}

int PMPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!status || !count) return mpi_fail(NULL, MPI_ERR_ARG);
    size_t found = mpi_elements(status->mpi_bytes, type);
    *count = found > INT_MAX ? MPI_UNDEFINED : (int)found;
    return MPI_SUCCESS;
}

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!status || !count) return mpi_fail(NULL, MPI_ERR_ARG);
    const size_t found = mpi_elements(status->mpi_bytes, type);
    *count = found > LLONG_MAX ? MPI_UNDEFINED : (MPI_Count)found;
    return MPI_SUCCESS;
}

/* A send and a receive. The receive is posted first, because the send may wait. */
static int p2p__exchange(p2p_call call, const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                         void *received, int received_count, MPI_Datatype received_type, int from, int received_tag,
                         MPI_Comm comm, MPI_Status *status)
{
    mpi_begin(p2p_names[call]);
    int code = p2p__message_check(sent, sent_count, sent_type, to, sent_tag, comm, false);
    if (!code) code = p2p__message_check(received, received_count, received_type, from, received_tag, comm, true);
    if (code) return mpi_end(comm, code);
    messages_request *list[2], *r = NULL, *s = NULL;
    size_t count = 0, bytes = (size_t)sent_count * sent_type->size;
    if (from != MPI_PROC_NULL) list[count++] = r = mpi_post(comm, false, from, received_tag);
    if (to != MPI_PROC_NULL) {
        if (!messages_is_eager(bytes)) list[count++] = s = messages_request_new(false);
        messages_send(mpi_task_of(comm, to), p2p__sent_envelope(comm, sent_tag, call, sent_type),
                      mpi_chunk_sent(sent, (size_t)sent_count, sent_type), bytes, MESSAGES_STANDARD, s, NULL);
    }
    messages_wait(list, count, count);
    messages_flush_ahead();
    messages_request_drop(s);
    if (r)
        code = p2p__receive_finish(r, received, (size_t)received_count, received_type, status);
    else
        p2p__status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    return mpi_end(comm, code);
}

int PMPI_Sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag, void *received,
                  int received_count, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
                  MPI_Status *status)
{
    p2p__caller_set();
    return p2p__exchange(CALL_Sendrecv, sent, sent_count, sent_type, to, sent_tag, received, received_count,
                         received_type, from, received_tag, comm, status);
}

int PMPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int sent_tag, int from, int received_tag,
                          MPI_Comm comm, MPI_Status *status)
{
    p2p__caller_set();
    return p2p__exchange(CALL_Sendrecv_replace, data, count, type, to, sent_tag, data, count, type, from, received_tag,
                         comm, status);
}

int PMPI_Buffer_attach(void *place, int bytes)
{
    if (buffer.place || bytes < 0 || !place) return mpi_fail(NULL, buffer.place ? MPI_ERR_BUFFER : MPI_ERR_ARG);
    buffer.place = place;
    buffer.bytes = bytes;
    return MPI_SUCCESS;
}

int PMPI_Buffer_detach(void *place, int *bytes)
{
    mpi_begin("MPI_Buffer_detach");
    if (!place || !bytes) return mpi_end(NULL, MPI_ERR_ARG);
    messages_flush();
    *(void **)place = buffer.place;
    *bytes = buffer.bytes;
    buffer.place = NULL;
    buffer.bytes = 0;
    return mpi_end(NULL, MPI_SUCCESS);
}

int PMPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                        MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *request)
{
    if (!request) return mpi_fail(NULL, MPI_ERR_REQUEST);
    MPI_Request q = p2p__request_new(GENERAL, "MPI_Grequest_start");
    q->query = query;
    q->release = release;
    q->cancel = cancel;
    q->extra = extra;
    *request = q;
    return MPI_SUCCESS;
}

int PMPI_Grequest_complete(MPI_Request q)
{
    if (!p2p__request_is(q) || q->kind != GENERAL) return mpi_fail(NULL, MPI_ERR_REQUEST);
    q->complete = true;
    if (!q->request) return MPI_SUCCESS;
    mpi_begin("MPI_Grequest_complete"); /* another thread waits for it */
    messages_action_add(MESSAGES_COMPLETE)->of.request = q->request;
    messages_flush();
    return mpi_end(NULL, MPI_SUCCESS);
}

static mpi_numbered numbered;

MPI_Fint PMPI_Request_c2f(MPI_Request q)
{
    return q ? mpi_number_of(&numbered, q, &q->number) : 0;
}

MPI_Request PMPI_Request_f2c(MPI_Fint number)
{
    return mpi_handle_of(&numbered, number);
}

static mpi_numbered numbered_messages;

MPI_Fint PMPI_Message_c2f(MPI_Message message)
{
    return message ? mpi_number_of(&numbered_messages, message, &message->number) : 0;
}

MPI_Message PMPI_Message_f2c(MPI_Fint number)
{
    return mpi_handle_of(&numbered_messages, number);
}

/* A status in Fortran is an array of as many integers as this structure has. */
int PMPI_Status_c2f(const MPI_Status *status, MPI_Fint *numbers)
{
    if (!status || !numbers) return mpi_fail(NULL, MPI_ERR_ARG);
    memcpy(numbers, status, sizeof *status);
    return MPI_SUCCESS;
}

int PMPI_Status_f2c(const MPI_Fint *numbers, MPI_Status *status)
{
    if (!status || !numbers) return mpi_fail(NULL, MPI_ERR_ARG);
    memcpy(status, numbers, sizeof *status);
    return MPI_SUCCESS;
}

/* clang-format off */
MPI_FIRST(Send) MPI_FIRST(Bsend) MPI_FIRST(Ssend) MPI_FIRST(Rsend) MPI_FIRST(Recv) MPI_FIRST(Probe) MPI_FIRST(Iprobe)
MPI_FIRST(Startall) MPI_FIRST(Start) MPI_FIRST(Wait) MPI_FIRST(Waitall) MPI_FIRST(Waitany) MPI_FIRST(Waitsome)
MPI_FIRST(Testall) MPI_FIRST(Test) MPI_FIRST(Testany) MPI_FIRST(Testsome) MPI_FIRST(Request_free)
MPI_FIRST(Request_get_status) MPI_FIRST(Cancel) MPI_FIRST(Test_cancelled) MPI_FIRST(Status_set_cancelled)
MPI_FIRST(Status_set_elements) MPI_FIRST(Get_count) MPI_FIRST(Get_elements) MPI_FIRST(Sendrecv)
MPI_FIRST(Sendrecv_replace) MPI_FIRST(Buffer_attach) MPI_FIRST(Buffer_detach) MPI_FIRST(Grequest_start)
MPI_FIRST(Grequest_complete) MPI_FIRST(Request_c2f) MPI_FIRST(Request_f2c) MPI_FIRST(Isend) MPI_FIRST(Ibsend)
MPI_FIRST(Issend) MPI_FIRST(Irsend) MPI_FIRST(Irecv) MPI_FIRST(Send_init) MPI_FIRST(Bsend_init) MPI_FIRST(Ssend_init)
MPI_FIRST(Rsend_init) MPI_FIRST(Recv_init) MPI_FIRST(Get_elements_x) MPI_FIRST(Status_set_elements_x)
MPI_FIRST(Status_c2f) MPI_FIRST(Status_f2c) MPI_FIRST(Mprobe) MPI_FIRST(Improbe) MPI_FIRST(Mrecv) MPI_FIRST(Imrecv)
MPI_FIRST(Message_c2f) MPI_FIRST(Message_f2c)
    /* clang-format on */
