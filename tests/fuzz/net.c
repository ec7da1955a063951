/* What comes over the network in real mode, to node 0 or to node 1 of three: in one thread, over pairs of sockets.
 *
 * An input begins with a byte that says who this is. Then come messages: from whom, how well made, and what its fields are;
 * lengths are right by themselves unless they are to be wrong, so that what follows is still read as messages. */
#define _GNU_SOURCE
#include "simkit.h"
#include "util/simkit_files.h"

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* No thread runs, no process starts, nobody is connected to; and memory has an end, as who promises much must find. */
static int no_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user)
{
    (void)attributes;
    (void)body;
    (void)user;
    memset(thread, 0, sizeof *thread);
    return 0;
}

static int no_connection(int fd, const struct sockaddr *address, socklen_t length)
{
    (void)fd;
    (void)address;
    (void)length;
    errno = ECONNREFUSED;
    return -1;
}

static void *some_memory(size_t size)
{
    return size > (size_t)16 << 20 ? NULL : malloc(size);
}

#define pthread_create no_thread
#define pthread_join(thread, result) ((void)(thread), (void)(result), 0)
#define connect no_connection
#define posix_spawnp(pid, file, actions, attributes, arguments, environment)                                           \
    ((void)(pid), (void)(file), (void)(actions), (void)(attributes), (void)(arguments), (void)(environment), ENOENT)
#define malloc some_memory
#include "../../examples/flowgraph/flowgraph.c"
#include "../../examples/flowgraph/flowgraph_net.c"
#include "../../examples/flowgraph/record.c"
#undef malloc

#include "fuzz.h"

/*=============================================================================
 * MARK: - >>program
 *===========================================================================*/
typedef struct piece {
    uint32_t number, thread;
} piece;

static flowgraph_threads workers;
static flowgraph_edge out, back, on, past;

static size_t to_thread(const void *object, size_t from, size_t count, void *user)
{
    (void)user;
    return (((const piece *)object)->thread + from) % count;
}

static void split(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    for (uint32_t i = 0; i < 4; ++i) {
        const piece next = { i, ((const piece *)object)->thread };
        if (flowgraph_post(task, out, &next, NULL, 0) != FLOWGRAPH_OK) return;
    }
}

static void leaf(flowgraph_task *task, const void *object, void *user)
{
    flowgraph_data *kept = flowgraph_part(task, 0);
    const piece *what = (const piece *)object;

    (void)user;
    flowgraph_store(task, what->number % 4, kept);
    if (what->number == 5) flowgraph_move(task, workers, what->thread % 3, what->thread % 2);
    if (what->number == 6) flowgraph_resize(task, workers, 1 + what->thread % 3);
    if (what->number == 7) flowgraph_post(task, past, what, &kept, kept != NULL);
    flowgraph_post(task, back, what, &kept, kept != NULL);
}

static void stream(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    for (; object; object = flowgraph_next(task)) {
        const piece copy = *(const piece *)object;
        flowgraph_mark(task, copy.number);
        if (flowgraph_post(task, on, &copy, NULL, 0) != FLOWGRAPH_OK) return;
    }
}

static void merge(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    while (object) object = flowgraph_next(task);
}

static flowgraph *program(void)
{
    static const uint32_t nodes[] = { 0, 1, 1 };
    const flowgraph_threads_desc all = { .name = "workers", .count = 3, .nodes = nodes, .execution = 1 };
    const flowgraph_threads_desc few = { .name = "few", .count = 2, .nodes = nodes };
    flowgraph *g;
    flowgraph_type type;
    flowgraph_threads others;
    flowgraph_operation a, b, c, d;

    CHECK(flowgraph_open(&(flowgraph_desc){ .mode = FLOWGRAPH_REAL, .nodes = 3, .record = true }, &g) == FLOWGRAPH_OK);
    CHECK(flowgraph_type_add(g, "piece", sizeof(piece), &type) == FLOWGRAPH_OK);
    CHECK(flowgraph_threads_add(g, &all, &workers) == FLOWGRAPH_OK);
    CHECK(flowgraph_threads_add(g, &few, &others) == FLOWGRAPH_OK);
    const flowgraph_operation_desc operations[] = {
        { "a", FLOWGRAPH_SPLIT, workers, type, { type }, split, NULL, 2 },
        { "b", FLOWGRAPH_LEAF, workers, type, { type }, leaf, NULL, 0 },
        { "c", FLOWGRAPH_STREAM, others, type, { type }, stream, NULL, 0 },
        { "d", FLOWGRAPH_MERGE, others, type, { 0 }, merge, NULL, 0 },
    };
    CHECK(flowgraph_operation_add(g, &operations[0], &a) == FLOWGRAPH_OK);
    CHECK(flowgraph_operation_add(g, &operations[1], &b) == FLOWGRAPH_OK);
    CHECK(flowgraph_operation_add(g, &operations[2], &c) == FLOWGRAPH_OK);
    CHECK(flowgraph_operation_add(g, &operations[3], &d) == FLOWGRAPH_OK);
    CHECK(flowgraph_edge_add(g, &(flowgraph_edge_desc){ a, b, to_thread, NULL, false }, &out) == FLOWGRAPH_OK);
    CHECK(flowgraph_edge_add(g, &(flowgraph_edge_desc){ b, c, to_thread, NULL, false }, &back) == FLOWGRAPH_OK);
    CHECK(flowgraph_edge_add(g, &(flowgraph_edge_desc){ c, d, to_thread, NULL, false }, &on) == FLOWGRAPH_OK);
    past = back;
    return g;
}

/*=============================================================================
 * MARK: - >>node
 *===========================================================================*/
enum { PEERS = 4 }; /* both other nodes, and two that nobody knows yet */

typedef struct fuzzed {
    flowgraph *g;
    net *n;
    int ends[PEERS];         /* of the pairs, our own */
    net__peer *peers[PEERS]; /* NULL: gone */
} fuzzed;

static uint32_t other(const fuzzed *f, int peer)
{
    return peer > 1 ? FLOWGRAPH__NOWHERE : peer == 1 ? 2 : 1 - f->g->me;
}

static void open_all(fuzzed *f, uint8_t who)
{
    f->g = program();
    f->g->me = who & 1;
    CHECK(net__make(f->g) == FLOWGRAPH_OK);
    f->n = f->g->net;
    f->g->data = f->g->started = true;
    flowgraph__depths(f->g);
    CHECK(flowgraph__place(f->g) == FLOWGRAPH_OK);
    f->g->began = net__now();
    for (int i = 0; i < PEERS; ++i) {
        int pair[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
        f->ends[i] = pair[1];
        f->peers[i] = net__peer_new(f->n, pair[0], who & 2 ? other(f, i) : FLOWGRAPH__NOWHERE);
        CHECK(f->peers[i]);
    }
    for (int i = 1; i < 3 && !f->g->me; ++i) { /* as if they were asked what happened there */
        f->n->asked[i] = (who & 4) != 0;
        f->n->awaited += f->n->asked[i];
        f->n->expected[i] = who & 8 ? net__now() + 20 : 0;
        f->n->ready[i] = (who & 16) != 0;
    }
    f->n->ending = (who & 4) != 0;
    f->n->answer = f->g->me ? FLOWGRAPH__DONE : FLOWGRAPH__RECORDS;
    f->n->ready[0] = (who & 32) != 0;
    f->g->expected = 1;
}

/* Execution threads, by turns, as long as they have something to do; not for ever. */
static void execute(fuzzed *f)
{
    for (flowgraph__executor *e = f->g->instances[f->g->me].executors; e != NULL; e = e->next)
        for (int i = 0; i < 20 && f->g->result == FLOWGRAPH_OK; ++i) {
            bool fresh;
            flowgraph__lock(f->g);
            flowgraph_task *task = flowgraph__take(e, &fresh);
            flowgraph__unlock(f->g);
            if (!task) break;
            CHECK(flowgraph__go_on(task, fresh, e->world, e->node) == SIMKIT_OK);
            CHECK(simkit_world_run_until(e->world, 0) == SIMKIT_OK);
        }
}

/* What a peer wrote is read, what it is told is thrown away, and connections that are gone are freed. */
static void attend(fuzzed *f, int i)
{
    static char sink[65536];

    if (f->peers[i]) net__attend(f->n, f->peers[i], true);
    for (int k = 0; k < PEERS; ++k) {
        while (recv(f->ends[k], sink, sizeof sink, MSG_DONTWAIT) > 0) {
        }
        if (f->peers[k] && f->peers[k]->gone) f->peers[k] = NULL;
    }
    flowgraph__lock(f->g);
    net__sweep(f->n);
    flowgraph__unlock(f->g);
    execute(f);
}

static void close_all(fuzzed *f)
{
    record_piece *pieces = NULL;
    size_t count;
    flowgraph *g = f->g;

    if (g->me == 0 && record_critical_path(g, &pieces, &count)) {
        for (size_t i = 0; i < count; ++i) CHECK(pieces[i].node < 3 && pieces[i].name);
        free(pieces);
    }
    if (g->me == 0) record_efficiency(g, 0, record_node_seconds(g, 0, 1));
    CHECK(g->result == FLOWGRAPH_OK || g->why[0]);
    CHECK(memchr(g->why, 0, sizeof g->why));
    for (flowgraph__executor *e = g->instances[g->me].executors; e != NULL; e = e->next) e->ended = true;
    flowgraph_close(g);
    for (int i = 0; i < PEERS; ++i) close(f->ends[i]);
}

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/
typedef struct input {
    const uint8_t *at, *end;
} input;

static uint8_t byte(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* A small number as it is, others from the ends of the range. */
static uint64_t number(input *in)
{
    const uint8_t first = byte(in);
    uint64_t value = 0;
    if (first < 248) return first;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte(in);
    return first == 255   ? UINT64_MAX
           : first == 254 ? UINT32_MAX
           : first == 253 ? UINT16_MAX
           : first == 252 ? INT64_MAX
                          : value;
}

/* How much is in a message of a kind. */
static size_t content_of(const flowgraph *g, uint8_t kind, size_t pieces, uint8_t more)
{
    switch ((flowgraph__kind)kind) {
    case FLOWGRAPH__OBJECT: return sizeof(piece);
    case FLOWGRAPH__STATE: return 8 * pieces + more % 3 * sizeof(flowgraph__packed);
    case FLOWGRAPH__HELLO: return sizeof(net__hello);
    case FLOWGRAPH__WELCOME: return 4 * net__welcome_words(g);
    case FLOWGRAPH__PING:
    case FLOWGRAPH__BEGIN: return 8;
    case FLOWGRAPH__PONG: return 16;
    case FLOWGRAPH__FAIL: return sizeof(net__sentence);
    case FLOWGRAPH__ANSWER: return sizeof(net__answer);
    case FLOWGRAPH__RECORDS:
        return 24 + more % 3 * sizeof(flowgraph__activation) + more / 3 % 3 * sizeof(flowgraph__passage) +
               more / 9 % 3 * sizeof(flowgraph__event);
    case FLOWGRAPH__JOINED:
    case FLOWGRAPH__READY:
    case FLOWGRAPH__DONE:
    case FLOWGRAPH__FINISH:
    case FLOWGRAPH__POLL:
    case FLOWGRAPH__BYE: return 0;
    default: return 8;
    }
}

static void send_message(fuzzed *f, int peer, input *in)
{
    static uint64_t words[1 << 13];
    char *bytes = (char *)words;
    const uint8_t shape = byte(in), kind = byte(in), more = byte(in);
    flowgraph__header h;
    size_t all, at = sizeof h;

    memset(&h, 0, sizeof h);
    memset(words, 0, sizeof words);
    h.kind = kind % 40;
    h.operation = (uint32_t)number(in);
    h.thread = (uint32_t)number(in);
    h.cookie = number(in);
    h.adds = byte(in);
    h.id = byte(in);
    h.by = byte(in);
    h.from = (uint16_t)(shape & 1 ? byte(in) : peer < 2 ? other(f, peer) : 0);
    h.data = h.kind == FLOWGRAPH__OBJECT || h.kind == FLOWGRAPH__STATE ? more / 64 : 0;
    if (h.kind == FLOWGRAPH__OBJECT && h.operation < f->g->operation_count)
        h.depth = (uint8_t)(f->g->operations[h.operation].depth < 0 ? 0 : f->g->operations[h.operation].depth);
    h.content = (uint32_t)content_of(f->g, h.kind, h.data, more);
    if (shape & 2) h.depth = byte(in);
    if (shape & 4) h.content = (uint32_t)number(in);
    if (shape & 8) h.data = (uint16_t)number(in);
    all = at + (size_t)net__envelope(&h);
    if (all > sizeof words / 2) all = sizeof words / 2;
    for (size_t i = at / 8; i < all / 8; ++i) words[i] = number(in);
    if (h.kind == FLOWGRAPH__OBJECT) /* frames that some node has opened */
        for (size_t i = 0; i < h.depth && at + 8 * i < all; ++i) words[at / 8 + i] |= (words[at / 8 + i] & 3) << 48;
    if (h.kind == FLOWGRAPH__RECORDS && !(shape & 16)) {
        words[at / 8] = more % 3;
        words[at / 8 + 1] = more / 3 % 3;
        words[at / 8 + 2] = more / 9 % 3;
    }
    if (h.kind == FLOWGRAPH__HELLO && !(shape & 16)) {
        net__hello hello = net__hello_of(f->n, 0);
        hello.node = byte(in) % 4;
        hello.port = byte(in);
        memcpy(bytes + at, &hello, sizeof hello);
    }
    for (size_t i = 0; i < h.data && at + 8 * (h.depth + i) < all; ++i) {
        uint64_t *length = &words[at / 8 + h.depth + i];
        if (!(shape & 32)) *length %= 100;
        if (*length < 100 && all + *length < sizeof words) all += *length;
    }
    h.total = shape & 64 ? number(in) : all - sizeof h;
    memcpy(bytes, &h, sizeof h);
    if (shape & 128) all = all * byte(in) / 256;
    if (f->peers[peer] && write(f->ends[peer], bytes, all) < 0) return;
    attend(f, peer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = { data, data + size };
    fuzzed f;

    memset(&f, 0, sizeof f);
    open_all(&f, byte(&in));
    for (int i = 0; i < 64 && in.at < in.end; ++i) {
        const uint8_t what = byte(&in);
        const int peer = what % PEERS;
        if (what < 224) {
            send_message(&f, peer, &in);
        } else if (what < 240) { /* bytes as they are */
            const size_t most = (size_t)byte(&in) * 2, left = (size_t)(in.end - in.at),
                         count = most < left ? most : left;
            if (f.peers[peer] && count > 0 && write(f.ends[peer], in.at, count) < 0) break;
            in.at += count;
            attend(&f, peer);
        } else {
            shutdown(f.ends[peer], SHUT_WR);
            attend(&f, peer);
        }
    }
    close_all(&f);
    return 0;
}
