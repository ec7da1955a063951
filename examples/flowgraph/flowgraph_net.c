/* flowgraph_net.c - flow graphs in real mode: one process per node, started by node 0, and TCP between every two of
 * them
 *
 * Every process has one thread for all connections (epoll), and one for each execution thread of its node, in which
 * operations are processes of a world used only for this. A message is written directly from its data by the thread
 * that posts it, as far as the kernel accepts it; the rest is sent when there is room. It is read directly into the
 * memory of its data. The code of flowgraph.c runs under one lock. */
#define _GNU_SOURCE
#include "flowgraph_core.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Timeouts [s]: for processes to end, and as long again for operations; for messages, before nodes are polled; for a
 * connection to identify itself; for a silent node, before a warning, and to answer a ping. After the graph's `patience`
 * a silent node counts as lost. */
static const double net__farewell = 2, net__quiet = 0.5, net__greeting = 5, net__notice = 4, net__reply = 0.5;

/* Before a run begins [s]: for its nodes to hear of it, at first and at most; and for node 0 to wake up. */
static const double net__ahead = 2e-3, net__most_ahead = 1, net__wakes = 1e-4;
enum { net__attempts = 4 };

/* Minimum time for a node to start [s]: its program may have to be loaded over a network. */
static const double net__coming = 20;

/* Maximum number of connections that have not identified themselves. One more drops the oldest, so they never keep a
 * node out. */
enum { net__most_strangers = 64 };

/* A node in the middle of a long message is not silent while at least so many bytes pass within `patience` [B]. */
enum { net__progress = 65536 };

/* Number of requests for the clock of node 0. */
enum { net__asks = 8 };

/* The token of a graph: random bytes of node 0. A node that it starts reads them from standard input, as a line of
 * hexadecimal digits; they appear on no command line and in no environment. */
enum { net__token_bytes = 16, net__token_text = 2 * net__token_bytes + 1 };

/* A connection to another node. */
typedef struct net__peer {
    struct net__peer *next;          /* list of all connections */
    int socket;                      /* only the thread that reads from it closes it */
    int problem;                     /* of writing: nothing more is written; 0: none */
    bool gone;                       /* later messages from it are ignored */
    uint32_t node;                   /* NOWHERE until it has identified itself */
    flowgraph__message *head, *tail; /* to be written */
    size_t written;                  /* of the first */
    bool writing;                    /* waits for room to write */
    bool closing;                    /* has announced that it closes */
    double heard;                    /* when it connected; then when it last sent, or took much data [s] */
    size_t came, took;               /* received from it and sent to it since then [B] */
    double asked;                    /* when a ping was sent that has not been answered [s]; 0: none */
    bool noticed;                    /* its silence was reported */
    /* what is being read */
    flowgraph__header header;
    flowgraph__message *message; /* NULL: its header is being read */
    size_t got;                  /* bytes of the header, or of the words behind it, or of a piece of data */
    uint32_t pieces, piece;      /* of data */
    bool words;                  /* the words behind the header have been read */
    int least;                   /* bytes worth waking up for */
} net__peer;

struct flowgraph__net {
    flowgraph *graph;
    int listener, epoll, alarm;
    unsigned char token[net__token_bytes];
    net__peer **peers;      /* peers[node_count] */
    net__peer *all;         /* including unidentified and lost ones */
    size_t strangers;       /* accepted, but unknown */
    bool lost;              /* some of `all` are closed and can be freed */
    bool full, deaf;        /* a warning was printed that no more connections are possible; listening is suspended */
    double looked;          /* when silent connections were last looked for [s] */
    uint16_t *ports;        /* node 0: where they listen */
    pid_t *children;        /* node 0: children[node_count]; 0: none */
    bool *ready;            /* node 0 */
    size_t awaited;         /* outstanding answers: to node 0, and to a node that connects */
    flowgraph__kind answer; /* their kind */
    bool *asked;            /* asked[node_count]: an answer is outstanding */
    uint64_t sent, received;
    uint64_t all_sent, all_received; /* sums over the answers */
    bool all_idle;
    char waiting[480];
    bool ending, stirs; /* node 0: waits for records; something has happened meanwhile */
    uint64_t *moved;   /* node 0: moved[node_count], messages that a node had sent and received when it answered last */
    uint32_t late;     /* node 0: which node was last reported as late */
    double *expected;  /* node 0: expected[node_count], deadline for joining [s]; 0: none */
    double lead_began; /* when the run began, on the clock of node 0 [s] */
    double offset, best; /* of the clock of node 0 from ours, and the round-trip time of that request [s] */
    int asks;
    pthread_t thread;
    pthread_cond_t changed;
    bool running, stop, finished;
    bool awaits;    /* node 0: its main thread is in a waiting call, which returns when the run fails */
    bool signals;   /* signals that end a program are handled by this graph */
    bool finishing; /* node 0 has asked for records, to be sent when no operation runs here */
    double spent;   /* CPU time of this process when the run began [s] */
};

typedef flowgraph__net net;

static double net__now(void)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* CPU time of this process [s]. */
static double net__spent(void)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Silence of a node after which node 0 pings it [s]. */
static double net__beat(const flowgraph *g)
{
    return fmin(g->patience / 4, 3);
}

/* Waits for a change, at most until `end`; false: `end` is past. */
static bool net__wait_until(net *n, double end)
{
    struct timespec at;
    if (net__now() >= end) return false;
    at.tv_sec = (time_t)end;
    at.tv_nsec = (long)((end - floor(end)) * 1e9);
    pthread_cond_timedwait(&n->changed, &n->graph->lock, &at);
    return true;
}

static flowgraph_result net__failed(flowgraph *g, const char *what)
{
    return flowgraph__fail(g, FLOWGRAPH_WORLD, "%s: %s", what, strerror(errno));
}

/*=============================================================================
 * MARK: - >>addresses
 *===========================================================================*/
/* `%d` is a node's number, `%e` one more. */
static void net__fill_in(char *text, size_t room, const char *pattern, uint32_t node)
{
    size_t length = 0;
    for (*text = 0; *pattern && length + 12 < room; ++pattern) {
        const bool number = pattern[0] == '%' && (pattern[1] == 'd' || pattern[1] == 'e');
        if (number)
            length += (size_t)snprintf(text + length, room - length, "%lu", (unsigned long)node + (pattern[1] == 'e'));
        else
            text[length++] = *pattern;
        pattern += number;
        text[length] = 0;
    }
}

/* Resolves a host name. Returns NULL, or the reason for the failure. */
static const char *net__resolve(const char *host, uint16_t port, struct sockaddr_in *address)
{
    struct addrinfo hints, *found = NULL;
    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    int problem = getaddrinfo(host, NULL, &hints, &found);
    if (problem != 0) return problem == EAI_SYSTEM ? strerror(errno) : gai_strerror(problem);
    memcpy(address, found->ai_addr, sizeof *address);
    address->sin_port = htons(port);
    freeaddrinfo(found);
    return NULL;
}

/* An unreachable machine is detected even if nothing is sent there: by the kernel, a quarter of the patience after
 * net__look() has called it silent, so that the error says which. */
static void net__tune(int socket, double patience)
{
    const int on = 1, idle = 1, interval = 1, count = 127; /* TCP_USER_TIMEOUT decides */
    const unsigned timeout = (unsigned)(1.25 * patience * 1000);

    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
}

static flowgraph_result net__listen(net *n, uint16_t *port)
{
    flowgraph *g = n->graph;
    char host[200];
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    net__fill_in(host, sizeof host, g->address, flowgraph__outside(g, g->me));
    const char *why = net__resolve(host, 0, &address);
    if (why)
        return flowgraph__fail(g, FLOWGRAPH_WORLD, "node %lu cannot listen: its address '%s' cannot be resolved: %s",
                               (unsigned long)g->me, host, why);
    n->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (n->listener < 0) return net__failed(g, "a socket");
    if (bind(n->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(n->listener, 1024) != 0 ||
        getsockname(n->listener, (struct sockaddr *)&address, &length) != 0)
        return flowgraph__fail(g, FLOWGRAPH_WORLD, "node %lu cannot listen at '%s': %s", (unsigned long)g->me, host,
                               strerror(errno));
    *port = ntohs(address.sin_port);
    if (ntohl(address.sin_addr.s_addr) >> 24 != 127)
        fprintf(
            stderr,
            "node %lu listens at %s:%u, which other machines can reach: the token of this run is required, but nothing "
            "is encrypted\n",
            (unsigned long)g->me, inet_ntop(AF_INET, &address.sin_addr, host, sizeof host) ? host : "?",
            (unsigned)*port);
    return FLOWGRAPH_OK;
}

/*=============================================================================
 * MARK: - >>contents
 *
 * The contents of messages of the network itself, and the checks of received ones. Nothing from a connection is trusted
 * before it has been checked here: each index, length, count and time. Operations check what objects and data mean.
 *===========================================================================*/
/* A node that joins must run the same build of the same program. */
typedef struct net__hello {
    unsigned char token[net__token_bytes];
    uint64_t graph;
    uint32_t node, port;
} net__hello;

/* The content of a failure message. */
typedef struct net__sentence {
    uint32_t result;
    char why[640];
} net__sentence;

/* The answer to a poll: whether anything is in progress, and the waiting operations. */
typedef struct net__answer {
    uint64_t sent, received, idle;
    char waiting[400];
} net__answer;

/* Number of 32-bit words in a welcome, see net__welcome(). */
static size_t net__welcome_words(const flowgraph *g)
{
    size_t words = 3 * g->node_count;
    for (uint32_t c = 0; c < g->collection_count; ++c) words += 1 + 2 * g->collections[c].count;
    return words;
}

/* Bytes of a message between its header and its data. */
static uint64_t net__envelope(const flowgraph__header *header)
{
    return 8 * ((uint64_t)header->depth + header->data) + ((uint64_t)header->content + 7) / 8 * 8;
}

/* Whether a header names a thread of a collection, from 0. */
static bool net__names_thread(const flowgraph *g, const flowgraph__header *h, uint32_t collection)
{
    return collection < g->collection_count && h->thread < g->collections[collection].count;
}

/* Whether it names an operation, and a thread on which that runs. */
static bool net__names_operation(const flowgraph *g, const flowgraph__header *h)
{
    return h->operation < g->operation_count && net__names_thread(g, h, g->operations[h->operation].desc.threads - 1);
}

static bool net__collects(const flowgraph *g, uint32_t operation)
{
    return g->operations[operation].desc.kind == FLOWGRAPH_MERGE ||
           g->operations[operation].desc.kind == FLOWGRAPH_STREAM;
}

/* Whether a header is valid for a connection, identified or not. Then its lengths are within limits, so a sender cannot
 * make this node allocate more than is allowed. */
static bool net__header_fits(const flowgraph *g, uint32_t node, const flowgraph__header *h)
{
    const uint64_t envelope = net__envelope(h);
    const bool lead = g->me == 0, from_lead = node == 0, other = h->cookie > 0 && h->cookie < g->node_count;
    if (node == FLOWGRAPH__NOWHERE)
        return h->kind == FLOWGRAPH__HELLO && h->depth == 0 && h->data == 0 && h->content == sizeof(net__hello) &&
               h->total == envelope;
    if (h->from != node || h->total < envelope || (h->data == 0 && h->total != envelope)) return false;
    if (h->kind == FLOWGRAPH__OBJECT)
        return net__names_operation(g, h) && h->depth == g->operations[h->operation].depth &&
               h->content == g->types[g->operations[h->operation].desc.takes - 1].size;
    if (h->depth > 0) return false;
    if (h->kind == FLOWGRAPH__STATE)
        return net__names_thread(g, h, h->operation) && h->content >= 8u * h->data &&
               (h->content - 8u * h->data) % sizeof(flowgraph__packed) == 0;
    if (h->data > 0) return false;
    switch ((flowgraph__kind)h->kind) {
    case FLOWGRAPH__REGISTER: return h->content == 8 && net__names_operation(g, h) && net__collects(g, h->operation);
    case FLOWGRAPH__SEAL:
    case FLOWGRAPH__ACK: return h->content == 8 && net__names_operation(g, h);
    case FLOWGRAPH__END: return h->content == 8 && net__names_operation(g, h) && lead;
    case FLOWGRAPH__RESIZE:
        return h->content == 8 && h->operation < g->collection_count && h->thread > 0 &&
               h->thread <= g->collections[h->operation].count;
    case FLOWGRAPH__MOVE: return h->content == 8 && net__names_thread(g, h, h->operation) && h->cookie < g->node_count;
    case FLOWGRAPH__WHERE: return h->content == 8 && net__names_thread(g, h, h->operation);
    case FLOWGRAPH__LEAVE: return h->content == 8 && other; /* node 0 never does */
    case FLOWGRAPH__LEFT:
    case FLOWGRAPH__JOIN: return h->content == 8 && other && lead;
    case FLOWGRAPH__JOINED: return h->content == 0 && other && from_lead;
    case FLOWGRAPH__WELCOME: return h->content == 4 * net__welcome_words(g) && from_lead;
    case FLOWGRAPH__PING: return h->content == sizeof(double) && (lead || from_lead);
    case FLOWGRAPH__PONG: return h->content == 2 * sizeof(double) && (lead || from_lead);
    case FLOWGRAPH__BEGIN: return h->content == sizeof(double) && from_lead;
    case FLOWGRAPH__READY: return h->content == 0 && lead;
    case FLOWGRAPH__DONE: return h->content == 0;
    case FLOWGRAPH__FAIL: return h->content == sizeof(net__sentence);
    case FLOWGRAPH__FINISH:
    case FLOWGRAPH__POLL: return h->content == 0 && from_lead;
    case FLOWGRAPH__RECORDS: return h->content >= 3 * sizeof(uint64_t) && lead;
    case FLOWGRAPH__ANSWER: return h->content == sizeof(net__answer) && lead;
    case FLOWGRAPH__BYE: return h->content == 0;
    case FLOWGRAPH__OBJECT:
    case FLOWGRAPH__STATE:
    case FLOWGRAPH__WAKE:
    case FLOWGRAPH__HELLO: break;
    }
    return false;
}

/* A frame names the node that opened it, to which answers go. */
static bool net__frame_fits(const flowgraph *g, uint64_t frame)
{
    return frame >> 48 < g->node_count;
}

static bool net__times_fit(flowgraph__message *m)
{
    double times[2] = { 0, 0 };
    memcpy(times, flowgraph__content(m), m->header.content);
    return isfinite(times[0]) && isfinite(times[1]);
}

/* A thread that moves here must not be here yet, and its frames must be its own. */
static bool net__state_fits(const flowgraph *g, flowgraph__message *m)
{
    const flowgraph__thread *thread = &g->collections[m->header.operation].threads[m->header.thread];
    const size_t keys = 8u * m->header.data, count = (m->header.content - keys) / sizeof(flowgraph__packed);
    for (size_t i = 0; i < count; ++i) {
        flowgraph__packed packed;
        memcpy(&packed, (const char *)flowgraph__content(m) + keys + i * sizeof packed, sizeof packed);
        if (!net__frame_fits(g, packed.id) || packed.operation >= g->operation_count ||
            !net__collects(g, packed.operation) ||
            g->operations[packed.operation].desc.threads - 1 != m->header.operation)
            return false;
    }
    return !thread->executor;
}

static bool net__welcome_fits(const flowgraph *g, flowgraph__message *m)
{
    const uint32_t *word = (const uint32_t *)flowgraph__content(m);
    for (size_t i = 0; i < g->node_count; ++i)
        if (word[3 * i + 1] > UINT16_MAX) return false;
    word += 3 * g->node_count;
    for (uint32_t c = 0; c < g->collection_count; ++c) {
        const uint32_t threads = (uint32_t)g->collections[c].count;
        if (word[0] == 0 || word[0] > threads) return false;
        for (uint32_t t = 0; t < threads; ++t)
            if (word[1 + t] >= g->node_count) return false;
        word += 1 + 2 * threads;
    }
    return isfinite(m->header.posted);
}

/* Records contain indices, which are checked. After three counts come activations, passages and events. */
static bool net__records_fit(const flowgraph *g, flowgraph__message *m)
{
    const char *at = (const char *)flowgraph__content(m);
    const size_t sizes[3] = { sizeof(flowgraph__activation), sizeof(flowgraph__passage), sizeof(flowgraph__event) };
    uint64_t counts[3], left = m->header.content - sizeof counts;
    memcpy(counts, at, sizeof counts);
    at += sizeof counts;
    for (int i = 0; i < 3; ++i) {
        if (counts[i] > left / sizes[i]) return false;
        left -= counts[i] * sizes[i];
    }
    if (left > 0) return false;
    for (uint64_t i = 0; i < counts[0]; i++, at += sizes[0]) {
        flowgraph__activation a;
        memcpy(&a, at, sizeof a);
        if (a.node != m->header.from || a.operation >= g->operation_count ||
            a.thread >= g->collections[g->operations[a.operation].desc.threads - 1].count)
            return false;
    }
    for (uint64_t i = 0; i < counts[1]; i++, at += sizes[1]) {
        flowgraph__passage p;
        memcpy(&p, at, sizeof p);
        if (p.from >= g->node_count || p.to >= g->node_count || p.operation >= g->operation_count) return false;
    }
    for (uint64_t i = 0; i < counts[2]; i++, at += sizes[2]) {
        flowgraph__event e;
        memcpy(&e, at, sizeof e);
        if (e.node >= g->node_count || e.kind > 2) return false;
    }
    return true;
}

/* Whether the rest of a message is valid, given a valid header. */
static bool net__content_fits(const flowgraph *g, flowgraph__message *m)
{
    switch ((flowgraph__kind)m->header.kind) {
    case FLOWGRAPH__OBJECT:
        for (uint32_t i = 0; i < m->header.depth; ++i)
            if (!net__frame_fits(g, flowgraph__frames(m)[i])) return false;
        return true;
    case FLOWGRAPH__SEAL:
    case FLOWGRAPH__ACK:
    case FLOWGRAPH__REGISTER: return net__frame_fits(g, m->header.cookie);
    case FLOWGRAPH__STATE: return net__state_fits(g, m);
    case FLOWGRAPH__WELCOME: return net__welcome_fits(g, m);
    case FLOWGRAPH__PING:
    case FLOWGRAPH__PONG:
    case FLOWGRAPH__BEGIN: return net__times_fit(m);
    case FLOWGRAPH__RECORDS: return net__records_fit(g, m);
    default: return true;
    }
}

/*=============================================================================
 * MARK: - >>writing
 *===========================================================================*/
static void net__lose(net *n, net__peer *peer, const char *how);

static void net__watch(net *n, net__peer *peer, bool writing)
{
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN | (writing ? EPOLLOUT : 0u);
    event.data.ptr = peer;
    epoll_ctl(n->epoll, EPOLL_CTL_MOD, peer->socket, &event);
    peer->writing = writing;
}

/* The pieces of a message from an offset on; returns their number. They point into `sizes` and the message. */
static int net__pieces(flowgraph__message *m, size_t offset, uint64_t *sizes, struct iovec *pieces, int most)
{
    const size_t words = (m->header.content + 7u) / 8 * 8;
    int count = 0;
    struct {
        void *at;
        size_t bytes;
    } piece;

    for (size_t i = 0; i < m->header.data; ++i) sizes[i] = flowgraph__data(m)[i]->size;
    for (size_t i = 0; i < 4u + m->header.data && count < most; ++i) {
        piece.at = i == 0   ? (void *)&m->header
                   : i == 1 ? (void *)flowgraph__frames(m)
                   : i == 2 ? (void *)sizes
                   : i == 3 ? flowgraph__content(m)
                            : flowgraph__data(m)[i - 4]->bytes;
        piece.bytes = i == 0   ? sizeof m->header
                      : i == 1 ? 8u * m->header.depth
                      : i == 2 ? 8u * m->header.data
                      : i == 3 ? words
                               : flowgraph__data(m)[i - 4]->size;
        if (offset >= piece.bytes) {
            offset -= piece.bytes;
            continue;
        }
        pieces[count].iov_base = (char *)piece.at + offset;
        pieces[count++].iov_len = piece.bytes - offset;
        offset = 0;
    }
    return count;
}

/* Drops unwritten messages. */
static void net__forget(net__peer *peer)
{
    while (peer->head) {
        flowgraph__message *next = peer->head->next;
        flowgraph__message_free(peer->head);
        peer->head = next;
    }
}

/* Writes as much of a message as the socket accepts; false: a part remains, or writing failed. */
static bool net__push_out(net *n, net__peer *peer, flowgraph__message *m)
{
    uint64_t few[256], *sizes = m->header.data > 256 ? (uint64_t *)malloc(m->header.data * sizeof *sizes) : few;
    const size_t all = sizeof m->header + m->header.total;
    int problem = sizes ? 0 : ENOMEM;
    while (problem == 0 && peer->written < all) {
        struct iovec pieces[64];
        struct msghdr header;
        memset(&header, 0, sizeof header);
        header.msg_iov = pieces;
        header.msg_iovlen = (size_t)net__pieces(m, peer->written, sizes, pieces, 64);
        ssize_t went = sendmsg(peer->socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (went >= 0) {
            peer->written += (size_t)went;
            peer->took += (size_t)went;
            if (peer->took >= net__progress) peer->took = 0, peer->heard = net__now();
        } else if (errno != EINTR)
            problem = errno;
    }
    if (sizes != few) free(sizes);
    /* The connection has failed. What the node sent before may give the reason, so it counts as lost only when that has
     * been read. */
    if (problem != 0 && problem != EAGAIN && problem != EWOULDBLOCK) {
        peer->problem = problem;
        net__forget(peer);
        net__watch(n, peer, false);
    }
    return problem == 0;
}

static void net__flush(net *n, net__peer *peer)
{
    while (peer->head && net__push_out(n, peer, peer->head)) {
        flowgraph__message *m = peer->head;
        peer->head = m->next;
        peer->written = 0;
        flowgraph__message_free(m);
    }
    if (!peer->gone && (peer->head != NULL) != peer->writing) net__watch(n, peer, peer->head != NULL);
}

static void net__write(net *n, net__peer *peer, flowgraph__message *m)
{
    m->header.total = flowgraph__wire(m) - sizeof m->header;
    m->next = NULL;
    if (peer->problem != 0) {
        flowgraph__message_free(m);
        return;
    }
    if (peer->head) {
        peer->tail->next = m;
        peer->tail = m;
        return;
    }
    peer->head = peer->tail = m;
    net__flush(n, peer);
}

void flowgraph__net_send(flowgraph *g, flowgraph__message *m)
{
    net *n = g->net;
    net__peer *peer = n->peers[m->header.to];
    if (!peer) {
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_NODE_LOST,
                                          "a message is addressed to node %lu, which is not connected",
                                          (unsigned long)m->header.to));
        flowgraph__message_free(m);
        return;
    }
    ++n->sent;
    net__write(n, peer, m);
}

/* A message of the network itself; not counted. */
static void net__say(net *n, net__peer *peer, flowgraph__kind kind, uint64_t cookie, const void *content, size_t bytes)
{
    flowgraph__message *m = peer ? flowgraph__message_new(n->graph, kind, 0, 0, bytes) : NULL;
    if (!m && peer && kind != FLOWGRAPH__FAIL) flowgraph__end(n->graph, flowgraph__no_memory(n->graph));
    if (!m) return;
    m->header.cookie = cookie;
    m->header.from = (uint16_t)n->graph->me;
    if (bytes > 0) memcpy(flowgraph__content(m), content, bytes);
    net__write(n, peer, m);
}

static void net__say_all(net *n, flowgraph__kind kind, uint64_t cookie, const void *content, size_t bytes)
{
    for (size_t i = 0; n->peers && i < n->graph->node_count; ++i)
        net__say(n, n->peers[i], kind, cookie, content, bytes);
}

/* Node 0 asks all nodes; their answers are counted. */
static void net__ask_all(net *n, flowgraph__kind kind, uint64_t cookie)
{
    n->awaited = 0;
    n->answer = kind == FLOWGRAPH__POLL ? FLOWGRAPH__ANSWER : FLOWGRAPH__RECORDS;
    for (size_t i = 0; i < n->graph->node_count; ++i) {
        n->asked[i] = n->peers[i];
        n->awaited += n->asked[i];
    }
    net__say_all(n, kind, cookie, NULL, 0);
}

/*=============================================================================
 * MARK: - >>failing
 *===========================================================================*/
static void net__wake_all(net *n)
{
    pthread_cond_broadcast(&n->changed);
    for (flowgraph__executor *e = n->graph->instances[n->graph->me].executors; e; e = e->next)
        pthread_cond_signal(&e->work);
}

void flowgraph__net_failed(flowgraph *g)
{
    net__sentence sentence;
    if (!g->net) return;
    memset(&sentence, 0, sizeof sentence);
    sentence.result = (uint32_t)g->result;
    snprintf(sentence.why, sizeof sentence.why, "%s", g->why);
    net__say_all(g->net, FLOWGRAPH__FAIL, 0, &sentence, sizeof sentence);
    net__wake_all(g->net);
}

/* A connection is lost. Its reader notices and closes it. */
static void net__lose(net *n, net__peer *peer, const char *how)
{
    flowgraph *g = n->graph;
    char host[200];
    if (peer->gone) return;
    peer->gone = n->lost = true;
    shutdown(peer->socket, SHUT_RDWR);
    net__forget(peer);
    if (peer->node == FLOWGRAPH__NOWHERE) { /* it has never identified itself */
        --n->strangers;
        return;
    }
    n->peers[peer->node] = NULL;
    pthread_cond_broadcast(&n->changed);
    if (n->stop || n->finished || peer->closing || g->result != FLOWGRAPH_OK) return;
    net__fill_in(host, sizeof host, g->address, flowgraph__outside(g, peer->node));
    flowgraph__end(
        g, flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "node %lu (%s) was lost: %s", (unsigned long)peer->node, host, how));
}

/*=============================================================================
 * MARK: - >>reading
 *===========================================================================*/
static net__peer *net__peer_new(net *n, int socket, uint32_t node)
{
    net__peer *peer = (net__peer *)calloc(1, sizeof *peer);
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN;
    event.data.ptr = peer;
    if (!peer || epoll_ctl(n->epoll, EPOLL_CTL_ADD, socket, &event) != 0) {
        free(peer);
        return NULL;
    }
    net__tune(socket, n->graph->patience);
    peer->socket = socket;
    peer->node = node;
    peer->heard = net__now();
    peer->next = n->all;
    n->all = peer;
    n->strangers += node == FLOWGRAPH__NOWHERE;
    if (node != FLOWGRAPH__NOWHERE) n->peers[node] = peer;
    return peer;
}

/* Where the next bytes go, and how many; 0: the message is whole. */
static size_t net__room(net__peer *peer, char **at)
{
    flowgraph__message *m = peer->message;
    if (!m) {
        *at = (char *)&peer->header + peer->got;
        return sizeof peer->header - peer->got;
    }
    if (!peer->words) {
        const size_t bytes = (size_t)net__envelope(&peer->header);
        *at = (char *)m->trail + peer->got;
        if (peer->got < bytes) return bytes - peer->got;
    }
    while (peer->words && peer->piece < peer->pieces) {
        flowgraph_data *data = flowgraph__data(m)[peer->piece];
        *at = (char *)data->bytes + peer->got;
        if (peer->got < data->size) return data->size - peer->got;
        ++peer->piece;
        peer->got = 0;
    }
    return 0;
}

static const char net__no_sense[] = "it sent an invalid message";
static const char net__no_room[] = "no memory for its message";

/* The header has been read: allocates the rest. The words behind it are read into their final place, the sizes into
 * that of the data. Returns NULL, or the error. */
static const char *net__header(net *n, net__peer *peer)
{
    if (!net__header_fits(n->graph, peer->node, &peer->header)) return net__no_sense;
    flowgraph__lock(n->graph);
    flowgraph__message *m = flowgraph__message_new(n->graph, (flowgraph__kind)peer->header.kind, peer->header.depth,
                                                   peer->header.data, peer->header.content);
    if (m) {
        m->header = peer->header;
        m->header.data = 0; /* none has been allocated yet */
    } else if (peer->node == FLOWGRAPH__NOWHERE) {
        flowgraph__end(n->graph, flowgraph__no_memory(n->graph)); /* a hello is short, and this may be that of a node */
    }
    flowgraph__unlock(n->graph);
    peer->message = m;
    peer->pieces = peer->header.data;
    peer->piece = 0;
    peer->words = false;
    peer->got = 0;
    return m ? NULL : net__no_room;
}

/* The words have been read: allocates data of the sizes. Returns NULL, or the error. */
static const char *net__words(net__peer *peer)
{
    flowgraph__message *m = peer->message;
    flowgraph_data **data = (flowgraph_data **)(void *)(m->trail + m->header.depth);
    uint64_t left = m->header.total - net__envelope(&peer->header);
    for (uint32_t i = 0; i < peer->pieces; ++i) {
        const uint64_t size = m->trail[m->header.depth + i];
        if (size > left) return net__no_sense;
        left -= size;
    }
    if (left != 0) return net__no_sense;
    for (uint32_t i = 0; i < peer->pieces; ++i) {
        data[i] = flowgraph__data_make(m->graph, (size_t)m->trail[m->header.depth + i], true);
        if (!data[i]) {
            m->header.data = (uint16_t)i;
            return net__no_room;
        }
    }
    m->header.data = (uint16_t)peer->pieces;
    peer->words = true;
    peer->got = 0;
    return NULL;
}

static bool net__whole(net *n, net__peer *peer);

/* In the middle of a long message, waking up for every packet would dominate the cost. So the low-water mark of the
 * socket is set whenever reading stops, to no more than what is still missing. */
static void net__expect(net__peer *peer)
{
    char *at;
    const size_t room = peer->message && peer->words ? net__room(peer, &at) : 1;
    const int least = room > 65536 ? 65536 : room > 4096 ? (int)room : 1;
    if (least == peer->least) return;
    setsockopt(peer->socket, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    peer->least = least;
}

/* Notes the progress of a long message from time to time. */
static void net__goes_on(net *n, net__peer *peer, size_t came)
{
    peer->came += came;
    if (peer->came < net__progress) return;
    flowgraph__lock(n->graph);
    peer->came = 0;
    peer->heard = net__now();
    n->stirs = true;
    flowgraph__unlock(n->graph);
}

/* Reads what there is; false: nothing more for now. */
static bool net__read(net *n, net__peer *peer)
{
    char *at;
    const char *wrong = NULL;
    size_t room = net__room(peer, &at);
    if (room > 0) {
        ssize_t came = recv(peer->socket, at, room, MSG_DONTWAIT);
        if (came < 0 && errno == EINTR) return true;
        if (came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            net__expect(peer);
            return false;
        }
        if (came <= 0) {
            flowgraph__lock(n->graph);
            net__lose(n, peer,
                      came < 0             ? strerror(errno)
                      : peer->problem != 0 ? strerror(peer->problem)
                                           : "its connection was closed");
            flowgraph__unlock(n->graph);
            return false;
        }
        peer->got += (size_t)came;
        net__goes_on(n, peer, (size_t)came);
        if ((size_t)came < room) return true;
    }
    if (!peer->message)
        wrong = net__header(n, peer);
    else if (!peer->words)
        wrong = net__words(peer);
    else if (net__room(peer, &at) == 0)
        return net__whole(n, peer);
    if (!wrong) return true;
    flowgraph__lock(n->graph);
    net__lose(n, peer, wrong);
    flowgraph__unlock(n->graph);
    return false;
}

/*=============================================================================
 * MARK: - >>meeting
 *===========================================================================*/
static uint64_t net__mix(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i) hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t net__graph_hash(const flowgraph *g)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ sizeof(flowgraph__header);
    for (uint32_t i = 0; i < g->type_count; ++i) {
        hash = net__mix(hash, g->types[i].name, strlen(g->types[i].name));
        hash = net__mix(hash, &g->types[i].size, sizeof g->types[i].size);
    }
    for (uint32_t i = 0; i < g->collection_count; ++i)
        hash = net__mix(hash, &g->collections[i].count, sizeof g->collections[i].count);
    for (uint32_t i = 0; i < g->operation_count; ++i) {
        hash = net__mix(hash, g->operations[i].name, strlen(g->operations[i].name));
        hash = net__mix(hash, &g->operations[i].desc.kind, sizeof g->operations[i].desc.kind);
    }
    for (uint32_t i = 0; i < g->edge_count; ++i) hash = net__mix(hash, &g->edges[i], 2 * sizeof(uint32_t));
    return hash;
}

static flowgraph_result net__token_make(net *n)
{
    size_t got = 0;
    while (got < sizeof n->token) {
        const ssize_t more = getrandom(n->token + got, sizeof n->token - got, 0);
        if (more > 0)
            got += (size_t)more;
        else if (errno != EINTR)
            return net__failed(n->graph, "no random numbers for the token of this run");
    }
    return FLOWGRAPH_OK;
}

/* A pipe that contains the token, for the standard input of a new process; < 0 after an error. */
static int net__token_pipe(const net *n)
{
    char text[net__token_text + 1];
    int ends[2];
    for (size_t i = 0; i < sizeof n->token; ++i) snprintf(text + 2 * i, 3, "%02x", n->token[i]);
    text[net__token_text - 1] = '\n';
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    bool written = write(ends[1], text, net__token_text) == net__token_text; /* a pipe has room for it */
    memset(text, 0, sizeof text);
    close(ends[1]);
    if (written) return ends[0];
    close(ends[0]);
    return -1;
}

static int net__digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads the token from standard input, not a byte more; false: there is none, or it is invalid. */
static bool net__token_read(net *n)
{
    const double end = net__now() + net__coming;
    char text[net__token_text];
    size_t got = 0;
    while (got < sizeof text) {
        struct pollfd input = { 0, POLLIN, 0 };
        const double left = end - net__now();
        const int ready = left > 0 ? poll(&input, 1, (int)(fmin(left, 1e6) * 1000)) : 0;
        const ssize_t more = ready > 0 ? read(0, text + got, sizeof text - got) : ready;
        if (more > 0)
            got += (size_t)more;
        else if (more == 0 || errno != EINTR)
            return false;
    }
    for (size_t i = 0; i < sizeof n->token; ++i) {
        const int high = net__digit(text[2 * i]), low = net__digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        n->token[i] = (unsigned char)(16 * high + low);
    }
    memset(text, 0, sizeof text);
    return true;
}

/* Compares in constant time. */
static bool net__token_fits(const net *n, const unsigned char token[net__token_bytes])
{
    volatile unsigned char differ = 0;
    for (size_t i = 0; i < net__token_bytes; ++i) differ = (unsigned char)(differ | (n->token[i] ^ token[i]));
    return differ == 0;
}

static net__hello net__hello_of(const net *n, uint16_t port)
{
    net__hello hello = { { 0 }, net__graph_hash(n->graph), n->graph->me, port };
    memcpy(hello.token, n->token, sizeof hello.token);
    return hello;
}

/* Connects to a node and identifies this one. */
static net__peer *net__connect(net *n, uint32_t node, const char *host, uint16_t port, uint16_t mine)
{
    flowgraph *g = n->graph;
    struct sockaddr_in address;
    const net__hello hello = net__hello_of(n, mine);
    const char *why = net__resolve(host, port, &address);
    if (why) {
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "node %lu: its address '%s' cannot be resolved: %s",
                                          (unsigned long)node, host, why));
        return NULL;
    }
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        if (fd >= 0) close(fd);
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "node %lu at %s:%u cannot be reached: %s",
                                          (unsigned long)node, host, (unsigned)port, strerror(errno)));
        return NULL;
    }
    net__peer *peer = net__peer_new(n, fd, node);
    if (!peer) {
        close(fd);
        flowgraph__end(g, flowgraph__no_memory(g));
    }
    net__say(n, peer, FLOWGRAPH__HELLO, 0, &hello, sizeof hello);
    return peer;
}

/* Welcomes a node: tells it which nodes take part, and where the threads are, as 32-bit words. */
static void net__welcome(net *n, uint32_t node)
{
    flowgraph *g = n->graph;
    const flowgraph__instance *here = &g->instances[g->me];
    const size_t words = net__welcome_words(g);
    size_t at = 0;
    uint32_t *word = (uint32_t *)malloc(words * sizeof *word);
    if (!word) {
        flowgraph__end(g, flowgraph__no_memory(g));
        return;
    }
    for (uint32_t i = 0; i < g->node_count; ++i) {
        /* Of two nodes that start together the one with the higher number connects. */
        word[at++] = n->ports[i] && i != node && (i < node || n->ready[i]);
        word[at++] = n->ports[i];
        word[at++] = here->taking_part[i];
    }
    for (uint32_t c = 0; c < g->collection_count; ++c) {
        word[at++] = here->count[c];
        memcpy(word + at, here->where[c], g->collections[c].count * sizeof *word);
        at += g->collections[c].count;
        memcpy(word + at, here->moves[c], g->collections[c].count * sizeof *word);
        at += g->collections[c].count;
    }
    flowgraph__message *m = flowgraph__message_new(g, FLOWGRAPH__WELCOME, 0, 0, words * sizeof *word);
    if (m) {
        m->header.posted = g->began;
        m->header.from = (uint16_t)g->me;
        memcpy(flowgraph__content(m), word, words * sizeof *word);
        net__write(n, n->peers[node], m);
    } else {
        flowgraph__end(g, flowgraph__no_memory(g));
    }
    free(word);
}

/* Node 0: all nodes have started; they learn of each other. */
static void net__maybe_welcome(net *n, uint32_t node)
{
    flowgraph *g = n->graph;
    if (g->result != FLOWGRAPH_OK) return; /* one of them may be lost already */
    if (n->ready[0]) {                     /* this one joins later */
        net__welcome(n, node);
        return;
    }
    for (uint32_t i = 1; i < g->at_first; ++i)
        if (n->ports[i] == 0) return;
    for (uint32_t i = 1; i < g->at_first; ++i) net__welcome(n, i);
    n->ready[0] = true;
}

static void net__greeted(net *n, net__peer *peer, flowgraph__message *m)
{
    flowgraph *g = n->graph;
    net__hello hello;
    memcpy(&hello, flowgraph__content(m), sizeof hello);
    if (!net__token_fits(n, hello.token) || hello.node >= g->node_count || hello.node == g->me ||
        n->peers[hello.node]) /* not a node of this graph */
        return net__lose(n, peer, "");
    --n->strangers;
    peer->node = hello.node;
    n->peers[hello.node] = peer;
    if (hello.graph != net__graph_hash(g)) {
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH,
                                          "node %lu runs another program: its graph differs from that of node %lu",
                                          (unsigned long)hello.node, (unsigned long)g->me));
        return;
    }
    if (g->me != 0) {
        net__say(n, peer, FLOWGRAPH__DONE, 0, NULL, 0);
        return;
    }
    n->ports[hello.node] = (uint16_t)hello.port;
    net__maybe_welcome(n, hello.node);
}

static uint16_t net__my_port(const net *n)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    return getsockname(n->listener, (struct sockaddr *)&address, &length) == 0 ? ntohs(address.sin_port) : 0;
}

static void net__welcomed(net *n, flowgraph__message *m)
{
    flowgraph *g = n->graph;
    flowgraph__instance *here = &g->instances[g->me];
    const uint32_t *word = (const uint32_t *)flowgraph__content(m);
    const double asked = net__now();
    n->lead_began = m->header.posted;
    n->asks = 0;
    n->answer = FLOWGRAPH__DONE;
    for (uint32_t i = 0; i < g->node_count; i++, word += 3) {
        char host[200];
        if (word[0] && i > 0 && !n->peers[i] && g->result == FLOWGRAPH_OK) {
            net__fill_in(host, sizeof host, g->address, flowgraph__outside(g, i));
            n->asked[i] = net__connect(n, i, host, (uint16_t)word[1], net__my_port(n));
            n->awaited += n->asked[i];
        }
        here->taking_part[i] = word[2] != 0;
    }
    here->active = true;
    here->leaving = false;
    for (uint32_t c = 0; c < g->collection_count; ++c) {
        const uint32_t threads = (uint32_t)g->collections[c].count;
        here->count[c] = *word++;
        for (uint32_t t = 0; t < threads; ++t) flowgraph__heard(here, c, t, word[t], word[threads + t]);
        word += 2 * threads;
    }
    net__say(n, n->peers[0], FLOWGRAPH__PING, 0, &asked, sizeof asked);
}

/* Once this node's clock is set and the nodes that it has connected to have answered, all can send it messages. */
static void net__maybe_ready(net *n)
{
    if (n->asks >= net__asks && n->awaited == 0) net__say(n, n->peers[0], FLOWGRAPH__READY, 0, NULL, 0);
}

/* Offset of the clock of node 0, from the answer with the shortest round trip. */
static void net__ponged(net *n, flowgraph__message *m)
{
    flowgraph *g = n->graph;
    double times[2];
    const double now = net__now();
    memcpy(times, flowgraph__content(m), sizeof times);
    if (n->asks == 0 || now - times[0] < n->best) {
        n->best = now - times[0];
        n->offset = times[1] - (now + times[0]) / 2;
    }
    if (++n->asks < net__asks) {
        net__say(n, n->peers[0], FLOWGRAPH__PING, 0, &now, sizeof now);
        return;
    }
    g->began = n->lead_began - n->offset; /* of a run that may be in progress */
    n->spent = net__spent();
    net__maybe_ready(n);
}

/* Starts this program on a node. */
static flowgraph_result net__start(net *n, uint32_t node)
{
    flowgraph *g = n->graph;
    char words[2048] = "", who[40], where[260], host[200], **list, *save = NULL;
    posix_spawn_file_actions_t actions;
    size_t count = 0, given = 0;
    flowgraph_result result = FLOWGRAPH_OK;
    if (!g->arguments)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                               "real mode needs the arguments of main(), but `arguments` is NULL");
    if (g->launch) net__fill_in(words, sizeof words, g->launch, flowgraph__outside(g, node));
    while (g->arguments[given]) ++given;
    list = (char **)malloc((sizeof words / 2 + 4 + given) * sizeof *list);
    if (!list) return flowgraph__no_memory(g);
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) list[count++] = word;
    net__fill_in(host, sizeof host, g->address, flowgraph__outside(g, 0));
    snprintf(who, sizeof who, "FLOWGRAPH_NODE=%lu", (unsigned long)node);
    snprintf(where, sizeof where, "FLOWGRAPH_AT=%s:%u", host, (unsigned)net__my_port(n));
    list[count++] = (char *)(uintptr_t) "env";
    list[count++] = who;
    list[count++] = where;
    for (size_t i = 0; i < given; ++i) list[count++] = g->arguments[i];
    list[count] = NULL;
    int input = net__token_pipe(n);
    if (input < 0) {
        result = net__failed(g, "cannot open a pipe to a new node");
        free(list);
        return result;
    }
    int failed = posix_spawn_file_actions_init(&actions);
    if (!failed) {
        failed = posix_spawn_file_actions_adddup2(&actions, input, 0);
        if (!failed) failed = posix_spawnp(&n->children[node], list[0], &actions, NULL, list, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(input);
    if (failed) {
        n->children[node] = 0;
        result = flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "node %lu cannot be started with '%s': %s",
                                 (unsigned long)node, list[0], strerror(failed));
    }
    free(list);
    return result;
}

/*=============================================================================
 * MARK: - >>records
 *===========================================================================*/
static void net__send_records(net *n)
{
    flowgraph *g = n->graph;
    flowgraph__records *r = &g->records;
    const uint64_t counts[3] = { r->activation_count, r->passage_count, r->event_count };
    const size_t bytes[3] = { r->activation_count * sizeof *r->activations, r->passage_count * sizeof *r->passages,
                              r->event_count * sizeof *r->events };
    const size_t all = sizeof counts + bytes[0] + bytes[1] + bytes[2];
    flowgraph__message *m = all < UINT32_MAX ? flowgraph__message_new(g, FLOWGRAPH__RECORDS, 0, 0, all) : NULL;

    if (!m) {
        flowgraph__end(g, flowgraph__no_memory(g));
        return;
    }
    m->header.posted = net__spent() - n->spent;
    char *at = (char *)flowgraph__content(m);
    memcpy(at, counts, sizeof counts);
    if (bytes[0]) memcpy(at + sizeof counts, r->activations, bytes[0]);
    if (bytes[1]) memcpy(at + sizeof counts + bytes[0], r->passages, bytes[1]);
    if (bytes[2]) memcpy(at + sizeof counts + bytes[0] + bytes[1], r->events, bytes[2]);
    m->header.from = (uint16_t)g->me;
    net__write(n, n->peers[0], m);
}

static bool net__append(void *array, size_t *count, const char **from, uint64_t more, size_t bytes)
{
    for (uint64_t i = 0; i < more; ++i) {
        if (!flowgraph__grow(array, *count, bytes)) return false;
        memcpy(*(char **)array + *count * bytes, *from, bytes);
        *from += bytes;
        ++*count;
    }
    return true;
}

static void net__take_records(net *n, flowgraph__message *m)
{
    flowgraph *g = n->graph;
    flowgraph__records *r = &g->records;
    const char *at = (const char *)flowgraph__content(m);
    uint64_t counts[3];
    g->processor_times[m->header.from] = m->header.posted;
    memcpy(counts, at, sizeof counts);
    at += sizeof counts;
    if (!net__append(&r->activations, &r->activation_count, &at, counts[0], sizeof *r->activations) ||
        !net__append(&r->passages, &r->passage_count, &at, counts[1], sizeof *r->passages) ||
        !net__append(&r->events, &r->event_count, &at, counts[2], sizeof *r->events))
        flowgraph__end(g, flowgraph__no_memory(g));
}

/*=============================================================================
 * MARK: - >>signals
 *
 * A signal that would end the process ends the run, with an error message. A second one, at least half a second later,
 * ends the process; an earlier one does not, because a process group is often signalled both as a whole and one by one.
 * A handler of the program's own stays in place, and a signal that it ignores stays ignored. Only one graph of a
 * process can handle signals, so their state is global.
 *===========================================================================*/
static const int net__ends[] = { SIGINT, SIGTERM, SIGHUP };
static int net__signal;    /* the last one; 0: none. A handler runs in any thread: this and the rest by atomic access */
static int net__bell = -1; /* wakes the thread of the connections */
static int64_t net__rung;  /* when the first one came [ms]; 0: none has */

static void net__ring(int number)
{
    const int before = errno, bell = __atomic_load_n(&net__bell, __ATOMIC_RELAXED);
    const uint64_t one = 1;
    const int64_t now = (int64_t)(net__now() * 1000), rung = __atomic_load_n(&net__rung, __ATOMIC_RELAXED);
    if (rung > 0 && now > rung + 500) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when this returns */
        return;
    }
    if (rung == 0) __atomic_store_n(&net__rung, now, __ATOMIC_RELAXED);
    __atomic_store_n(&net__signal, number, __ATOMIC_RELAXED);
    if (bell >= 0) {
        const ssize_t rings = write(bell, &one, sizeof one); /* fails only if a wake-up is pending anyway */
        (void)rings;
    }
    errno = before;
}

static void net__signals_take(net *n)
{
    struct sigaction action, old;
    if (__atomic_load_n(&net__bell, __ATOMIC_RELAXED) >= 0) return;
    memset(&action, 0, sizeof action);
    action.sa_handler = net__ring;
    action.sa_flags = SA_RESTART;
    __atomic_store_n(&net__signal, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&net__rung, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&net__bell, n->alarm, __ATOMIC_RELAXED);
    n->signals = true;
    for (size_t i = 0; i < sizeof net__ends / sizeof *net__ends; ++i)
        if (sigaction(net__ends[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
            sigaction(net__ends[i], &action, NULL);
}

static void net__signals_give_back(net *n)
{
    struct sigaction old;
    if (!n->signals) return;
    for (size_t i = 0; i < sizeof net__ends / sizeof *net__ends; ++i)
        if (sigaction(net__ends[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == net__ring)
            signal(net__ends[i], SIG_DFL);
    __atomic_store_n(&net__bell, -1, __ATOMIC_RELAXED);
    n->signals = false;
}

/* What is in progress here, for an error message. */
static void net__doing(const flowgraph *g, char *text, size_t room)
{
    const flowgraph__instance *here = &g->instances[g->me];
    *text = 0;
    for (const flowgraph__executor *e = here->executors; e; e = e->next)
        if (e->task) {
            snprintf(text, room, "'%s' on %s was computing", g->operations[e->task->operation].name,
                     e->task->thread->name);
            return;
        }
    flowgraph__waiting(g, text, room);
    if (*text) return;
    if (g->complete || g->me != 0)
        snprintf(text, room, "no operation was in progress there");
    else
        snprintf(text, room, "%lu of %lu objects had arrived", (unsigned long)g->ended, (unsigned long)g->expected);
}

/* A signal has arrived. Between runs node 0 prints a sentence and ends as it would without the graph. */
static void net__signalled(net *n)
{
    flowgraph *g = n->graph;
    const int number = n->signals ? __atomic_exchange_n(&net__signal, 0, __ATOMIC_RELAXED) : 0;
    const char *name = number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
    char doing[400];
    if (number == 0) return;
    net__doing(g, doing, sizeof doing);
    flowgraph__end(
        g, flowgraph__fail(g, FLOWGRAPH_WORLD, "%s ended the run at node %lu: %s", name, (unsigned long)g->me, doing));
    if (g->me != 0 || n->awaits) return;
    fprintf(stderr, "node 0: %s\n", g->why);
    signal(number, SIG_DFL);
    kill(getpid(), number);
}

/*=============================================================================
 * MARK: - >>serving
 *===========================================================================*/
static net__answer net__answer_of(const net *n)
{
    const flowgraph *g = n->graph;
    net__answer answer;
    memset(&answer, 0, sizeof answer);
    answer.sent = n->sent;
    answer.received = n->received;
    answer.idle = 1;
    for (const flowgraph__executor *e = g->instances[g->me].executors; e; e = e->next)
        if (e->task || e->head) answer.idle = 0;
    if (answer.idle) flowgraph__waiting(g, answer.waiting, sizeof answer.waiting);
    return answer;
}

static void net__add_answer(net *n, const net__answer *answer)
{
    const size_t length = strlen(n->waiting);
    n->all_sent += answer->sent;
    n->all_received += answer->received;
    n->all_idle = n->all_idle && answer->idle;
    if (*answer->waiting)
        snprintf(n->waiting + length, sizeof n->waiting - length, "%s%s", length ? "; " : "", answer->waiting);
}

/* Whether this is the expected answer of a node, not a late one to a question of the previous run. */
static bool net__answers(const net *n, uint32_t node, flowgraph__kind kind)
{
    return n->asked[node] && kind == n->answer;
}

static void net__answered(net *n, uint32_t node)
{
    n->asked[node] = false;
    --n->awaited;
    pthread_cond_broadcast(&n->changed);
    if (n->graph->me != 0) net__maybe_ready(n);
}

/* A node has joined and has all its connections. */
static void net__is_ready(net *n, uint32_t node)
{
    flowgraph *g = n->graph;
    const bool late = n->expected[node] > 0;
    n->ready[node] = true;
    n->expected[node] = 0;
    pthread_cond_broadcast(&n->changed);
    if (!late) return;
    g->instances[g->me].taking_part[node] = true;
    if (!flowgraph__note(g, 1, node, 0)) flowgraph__end(g, flowgraph__no_memory(g));
    for (uint32_t i = 0; i < g->node_count; ++i) { /* all nodes are informed, including the one that asked */
        flowgraph__message *m = flowgraph__message_new(g, FLOWGRAPH__JOINED, 0, 0, 0);
        if (!m) {
            flowgraph__end(g, flowgraph__no_memory(g));
            break;
        }
        m->header.from = (uint16_t)g->me;
        m->header.to = (uint16_t)i;
        m->header.cookie = node;
        if (i == g->me)
            flowgraph__deliver(&g->instances[i], m);
        else if (n->peers[i])
            flowgraph__net_send(g, m);
        else
            flowgraph__message_free(m);
    }
}

/* Node 0: a node is to join. A released node is still connected and only has to be updated. */
static void net__take(net *n, uint32_t node)
{
    if (n->expected[node] > 0) return;
    n->expected[node] = net__now() + fmax(n->graph->patience, net__coming);
    n->ready[node] = false;
    if (n->peers[node])
        net__welcome(n, node);
    else
        flowgraph__end(n->graph, net__start(n, node));
}

/* Replaces control characters in a text from another node. */
static void net__legible(char *text, size_t room)
{
    text[room - 1] = 0;
    for (; *text; ++text)
        if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

static void net__told_of_failure(net *n, flowgraph__message *m)
{
    flowgraph *g = n->graph;
    net__sentence sentence;
    if (g->result != FLOWGRAPH_OK) return;
    memcpy(&sentence, flowgraph__content(m), sizeof sentence);
    g->result = sentence.result > 0 && sentence.result <= FLOWGRAPH_WORLD ? (flowgraph_result)sentence.result
                                                                          : FLOWGRAPH_NODE_LOST;
    memcpy(g->why, sentence.why, sizeof g->why);
    net__legible(g->why, sizeof g->why);
    if (*g->why == 0)
        snprintf(g->why, sizeof g->why, "node %lu has failed: %s", (unsigned long)m->header.from,
                 flowgraph_result_text(g->result));
    flowgraph__net_failed(g); /* the others know the reason before this node ends */
}

void flowgraph__net_idle(flowgraph *g)
{
    net *n = g->net;
    if (g->tasks.after != &g->tasks) return;
    if (n->ending) pthread_cond_broadcast(&n->changed);
    if (!n->finishing) return;
    n->finishing = false;
    net__send_records(n);
}

static void net__pinged(net *n, flowgraph__message *m)
{
    double times[2];
    memcpy(times, flowgraph__content(m), sizeof *times);
    times[1] = net__now();
    net__say(n, n->peers[m->header.from], FLOWGRAPH__PONG, 0, times, sizeof times);
}

/* A run begins. */
static void net__begun(net *n, flowgraph__message *m)
{
    flowgraph *g = n->graph;
    double began;
    memcpy(&began, flowgraph__content(m), sizeof began);
    g->began = began - n->offset;
    g->records.activation_count = g->records.passage_count = g->records.event_count = 0;
    n->spent = net__spent();
    net__say(n, n->peers[0], FLOWGRAPH__DONE, 0, NULL, 0);
}

/* A node's answer to a poll. */
static void net__poll_answered(net *n, flowgraph__message *m)
{
    net__answer answer;
    memcpy(&answer, flowgraph__content(m), sizeof answer);
    net__legible(answer.waiting, sizeof answer.waiting);
    n->stirs = n->stirs || !answer.idle || n->moved[m->header.from] != answer.sent + answer.received;
    n->moved[m->header.from] = answer.sent + answer.received;
    if (n->ending) {
        if (*answer.waiting) snprintf(n->waiting, sizeof n->waiting, "%s", answer.waiting);
        return;
    }
    if (!net__answers(n, m->header.from, FLOWGRAPH__ANSWER)) return;
    net__add_answer(n, &answer);
    net__answered(n, m->header.from);
}

/* Every node receives a BYE from every other one before connections close; node 0 sends the first. */
static void net__leaves(net *n, const flowgraph__message *m)
{
    if (n->graph->me == 0 && !n->finished) return;
    if (n->peers[m->header.from]) n->peers[m->header.from]->closing = true;
    if (m->header.from != 0) return;
    net__say_all(n, FLOWGRAPH__BYE, 0, NULL, 0);
    n->finished = true;
    net__wake_all(n);
}

void flowgraph__net_deliver(flowgraph *g, flowgraph__message *m)
{
    net *n = g->net;
    switch (m->header.kind) {
    case FLOWGRAPH__JOIN: net__take(n, (uint32_t)m->header.cookie); break;
    case FLOWGRAPH__WELCOME: net__welcomed(n, m); break;
    case FLOWGRAPH__PING: net__pinged(n, m); break;
    case FLOWGRAPH__PONG:
        if (g->me != 0) net__ponged(n, m); /* node 0 only asks for a sign of life */
        break;
    case FLOWGRAPH__READY: net__is_ready(n, m->header.from); break;
    case FLOWGRAPH__BEGIN: net__begun(n, m); break;
    case FLOWGRAPH__DONE:
        if (net__answers(n, m->header.from, FLOWGRAPH__DONE)) net__answered(n, m->header.from);
        break;
    case FLOWGRAPH__FINISH:
        n->finishing = true;
        flowgraph__net_idle(g);
        break;
    case FLOWGRAPH__RECORDS:
        if (!net__answers(n, m->header.from, FLOWGRAPH__RECORDS)) break;
        n->stirs = true;
        net__take_records(n, m);
        net__answered(n, m->header.from);
        break;
    case FLOWGRAPH__POLL: {
        const net__answer answer = net__answer_of(n);
        net__say(n, n->peers[0], FLOWGRAPH__ANSWER, 0, &answer, sizeof answer);
        break;
    }
    case FLOWGRAPH__ANSWER: net__poll_answered(n, m); break;
    case FLOWGRAPH__FAIL: net__told_of_failure(n, m); break;
    case FLOWGRAPH__BYE: net__leaves(n, m); break;
    default: break;
    }
    flowgraph__message_free(m);
}

/* A message is whole; false: nothing more comes from there. */
static bool net__whole(net *n, net__peer *peer)
{
    flowgraph *g = n->graph;
    flowgraph__message *m = peer->message;
    peer->message = NULL;
    peer->got = 0;
    flowgraph__lock(g);
    peer->heard = net__now();
    peer->came = 0;
    peer->asked = 0;
    peer->noticed = false;
    if (peer->gone) {
        flowgraph__message_free(m);
    } else if (!net__content_fits(g, m)) {
        flowgraph__message_free(m);
        net__lose(n, peer, net__no_sense);
    } else if (m->header.kind == FLOWGRAPH__HELLO) { /* a node identifies itself once: see net__header_fits() */
        net__greeted(n, peer, m);
        flowgraph__message_free(m);
    } else if (m->header.kind >= FLOWGRAPH__JOIN && m->header.kind != FLOWGRAPH__JOINED) {
        n->received += m->header.kind == FLOWGRAPH__JOIN;
        flowgraph__net_deliver(g, m); /* also after a failure */
    } else {
        ++n->received;
        m->header.to = (uint16_t)g->me;
        flowgraph__deliver(&g->instances[g->me], m);
    }
    bool more = !peer->gone;
    flowgraph__unlock(g);
    return more;
}

/* Reads from a connection, and writes what waits for room there. */
static void net__attend(net *n, net__peer *peer, bool writable)
{
    int turn = 0;
    char *at;
    bool more = true;
    flowgraph__lock(n->graph);
    more = !peer->gone;
    flowgraph__unlock(n->graph);
    /* Other connections have their turn; but complete messages are processed, because no event would follow. */
    while (more && (turn++ < 64 || net__room(peer, &at) == 0)) more = net__read(n, peer);
    if (more) net__expect(peer);
    if (!writable) return;
    flowgraph__lock(n->graph);
    if (!peer->gone) net__flush(n, peer);
    flowgraph__unlock(n->graph);
}

/* Drops the oldest unidentified connection. */
static void net__drop_stranger(net *n)
{
    net__peer *oldest = NULL;
    for (net__peer *peer = n->all; peer; peer = peer->next)
        if (peer->node == FLOWGRAPH__NOWHERE && !peer->gone) oldest = peer; /* the latest are in front */
    if (oldest) net__lose(n, oldest, "");
}

/* Sets whether new connections wake this thread. */
static void net__hear(net *n, int change, bool comers)
{
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = comers ? EPOLLIN : 0u;
    event.data.ptr = n;
    epoll_ctl(n->epoll, change, n->listener, &event);
    n->deaf = !comers;
}

/* A connection cannot be accepted: drops the oldest unidentified one, or tries again later, with a warning. */
static void net__full(net *n, int problem)
{
    flowgraph__lock(n->graph);
    if (n->strangers > 0) {
        net__drop_stranger(n);
    } else {
        if (!n->full)
            fprintf(stderr, "node %lu cannot take another connection: %s\n", (unsigned long)n->graph->me,
                    strerror(problem));
        n->full = true;
        net__hear(n, EPOLL_CTL_MOD, false);
    }
    flowgraph__unlock(n->graph);
}

/* A new connection is read at once. A node identifies itself when it connects, so other connections cannot keep it out,
 * however many there are. */
static void net__accept(net *n)
{
    for (int i = 0; i < net__most_strangers; ++i) {
        const int fd = accept4(n->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) net__full(n, errno);
        if (fd < 0) return;
        flowgraph__lock(n->graph);
        if (n->strangers >= net__most_strangers) net__drop_stranger(n);
        net__peer *peer = net__peer_new(n, fd, FLOWGRAPH__NOWHERE);
        if (!peer) flowgraph__end(n->graph, flowgraph__no_memory(n->graph)); /* it may have been a node */
        flowgraph__unlock(n->graph);
        if (!peer)
            close(fd);
        else
            net__attend(n, peer, false);
    }
}

static void net__peer_free(net *n, net__peer *peer)
{
    /* Closing alone is not enough: a process that is just being started may hold the socket for a moment. */
    epoll_ctl(n->epoll, EPOLL_CTL_DEL, peer->socket, NULL);
    close(peer->socket);
    flowgraph__message_free(peer->message);
    free(peer);
}

/* Frees the connections that are gone. No event of theirs may be left to be handled. */
static void net__sweep(net *n)
{
    for (net__peer **place = &n->all; n->lost && *place;) {
        net__peer *peer = *place;
        if (!peer->gone) {
            place = &peer->next;
            continue;
        }
        *place = peer->next;
        net__peer_free(n, peer);
    }
    n->lost = false;
}

/* Looks for unidentified connections and silent nodes. Node 0 expects messages from all nodes and asks silent ones for
 * one; the others expect only the rest of messages that have begun. */
static void net__look(net *n)
{
    flowgraph *g = n->graph;
    const double now = net__now(), gap = now - n->looked;
    if (gap < 0.2) return;
    n->looked = now;
    if (n->deaf) net__hear(n, EPOLL_CTL_MOD, true);
    for (net__peer *peer = n->all; peer; peer = peer->next) {
        char how[100];
        const bool expected = g->me == 0 || peer->got > 0 || peer->message;
        if (peer->gone) continue;
        if (gap > 2) peer->heard += gap; /* this process itself was stopped */
        if (peer->node == FLOWGRAPH__NOWHERE) {
            if (now - peer->heard > net__greeting) net__lose(n, peer, "");
            continue;
        }
        if (!expected) peer->heard = now;
        if (g->me == 0 && now - peer->heard > net__beat(g) && !(peer->asked > 0) && !peer->head) {
            peer->asked = now;
            net__say(n, peer, FLOWGRAPH__PING, 0, &now, sizeof now);
        }
        const bool silent = now - peer->heard > net__notice && now - peer->asked > net__reply;
        if (silent && !peer->noticed && !n->finished && g->result == FLOWGRAPH_OK) {
            peer->noticed = true;
            fprintf(stderr, "node %lu: node %lu has been silent for %g s; after %g s it counts as lost\n",
                    (unsigned long)g->me, (unsigned long)peer->node, net__notice, g->patience);
        }
        if (now - peer->heard <= g->patience) continue;
        snprintf(how, sizeof how, "it was silent for %g s", g->patience);
        net__lose(n, peer, how);
    }
}

/* The thread of all connections. */
static void *net__serve(void *argument)
{
    net *n = (net *)argument;
    const int often = (int)(1000 * fmin(n->graph->patience / 8, 1)); /* before TCP gives up, see net__tune() */
    struct epoll_event events[64];
    n->looked = net__now();
    for (;;) {
        const int count = epoll_wait(n->epoll, events, 64, often);
        for (int i = 0; i < count; ++i) {
            net__peer *peer = (net__peer *)events[i].data.ptr;
            if (!peer) { /* the alarm */
                uint64_t value;
                if (read(n->alarm, &value, sizeof value) < 0) continue;
            } else if ((void *)peer == (void *)n) {
                net__accept(n);
            } else {
                net__attend(n, peer, (events[i].events & EPOLLOUT) != 0);
            }
        }
        flowgraph__lock(n->graph);
        net__signalled(n);
        net__look(n);
        net__sweep(n);
        bool stop = n->stop;
        flowgraph__unlock(n->graph);
        if (stop) return NULL;
    }
}

/*=============================================================================
 * MARK: - >>executors
 *===========================================================================*/
static void *net__execute(void *argument)
{
    flowgraph__executor *executor = (flowgraph__executor *)argument;
    flowgraph *g = executor->instance->graph;
    flowgraph__lock(g);
    while (!g->net->stop && g->result == FLOWGRAPH_OK) {
        bool fresh;
        flowgraph_task *task = flowgraph__take(executor, &fresh);
        if (!task) {
            pthread_cond_wait(&executor->work, &g->lock);
            continue;
        }
        flowgraph__unlock(g);
        simkit_result result = flowgraph__go_on(task, fresh, executor->world, executor->node);
        /* Runs until it has ended, or waits. */
        if (result == SIMKIT_OK) result = simkit_world_run_until(executor->world, 0);
        flowgraph__lock(g);
        if (result != SIMKIT_OK)
            flowgraph__end(
                g, flowgraph__fail(g, FLOWGRAPH_WORLD, "execution thread: %s", simkit_world_why(executor->world)));
    }
    executor->ended = true;
    pthread_cond_broadcast(&g->net->changed);
    flowgraph__unlock(g);
    return NULL;
}

flowgraph_result flowgraph__executor_open(flowgraph__executor *executor)
{
    flowgraph *g = executor->instance->graph;
    if (simkit_world_open(NULL, &executor->world) != SIMKIT_OK ||
        simkit_node_add(executor->world, NULL, &executor->node) != SIMKIT_OK)
        return flowgraph__no_memory(g);
    pthread_cond_init(&executor->work, NULL);
    if (pthread_create(&executor->thread, NULL, net__execute, executor) != 0)
        return flowgraph__fail(g, FLOWGRAPH_WORLD,
                               "an execution thread cannot be started: no memory, or too many threads");
    executor->started = true;
    return FLOWGRAPH_OK;
}

/*=============================================================================
 * MARK: - >>opening
 *===========================================================================*/
static flowgraph_result net__make(flowgraph *g)
{
    net *n = (net *)calloc(1, sizeof *n);
    pthread_condattr_t monotonic;
    struct epoll_event event;
    if (!n) return flowgraph__no_memory(g);
    g->net = n;
    n->graph = g;
    n->listener = n->epoll = n->alarm = -1;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&n->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    n->peers = (net__peer **)calloc(g->node_count, sizeof *n->peers);
    n->ports = (uint16_t *)calloc(g->node_count, sizeof *n->ports);
    n->children = (pid_t *)calloc(g->node_count, sizeof *n->children);
    n->ready = (bool *)calloc(g->node_count, sizeof *n->ready);
    n->asked = (bool *)calloc(g->node_count, sizeof *n->asked);
    n->expected = (double *)calloc(g->node_count, sizeof *n->expected);
    n->moved = (uint64_t *)calloc(g->node_count, sizeof *n->moved);
    if (!n->moved || !n->peers || !n->ports || !n->children || !n->ready || !n->asked || !n->expected)
        return flowgraph__no_memory(g);
    n->epoll = epoll_create1(EPOLL_CLOEXEC);
    n->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (n->epoll < 0 || n->alarm < 0) return net__failed(g, "epoll");
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN;
    epoll_ctl(n->epoll, EPOLL_CTL_ADD, n->alarm, &event);
    return FLOWGRAPH_OK;
}

static flowgraph_result net__begin_serving(net *n)
{
    net__hear(n, EPOLL_CTL_ADD, true);
    net__signals_take(n);
    if (pthread_create(&n->thread, NULL, net__serve, n) != 0)
        return flowgraph__fail(n->graph, FLOWGRAPH_WORLD,
                               "the network thread cannot be started: no memory, or too many threads");
    n->running = true;
    return FLOWGRAPH_OK;
}

/* Whether a node that was started can still join. */
static flowgraph_result net__expected(net *n, uint32_t node, double end)
{
    if (n->children[node] && waitpid(n->children[node], NULL, WNOHANG) == n->children[node]) {
        n->children[node] = 0;
        return flowgraph__fail(n->graph, FLOWGRAPH_NODE_LOST, "node %lu ended before it joined", (unsigned long)node);
    }
    const double limit = fmax(n->graph->patience, net__coming), now = net__now();
    if (now >= end)
        return flowgraph__fail(n->graph, FLOWGRAPH_NODE_LOST, "node %lu did not join within %g s", (unsigned long)node,
                               limit);
    if (now > end - limit + net__notice && n->late != node) {
        n->late = node;
        fprintf(stderr, "node 0: node %lu has not joined within %g s; after %g s it counts as lost\n",
                (unsigned long)node, net__notice, limit);
    }
    return FLOWGRAPH_OK;
}

/* The same for all nodes that are expected to join; `some`: whether there are any. */
static flowgraph_result net__all_expected(net *n, bool *some)
{
    flowgraph_result result = FLOWGRAPH_OK;
    *some = false;
    for (uint32_t i = 0; i < n->graph->node_count && result == FLOWGRAPH_OK; ++i) {
        if (!(n->expected[i] > 0)) continue;
        *some = true;
        result = net__expected(n, i, n->expected[i]);
    }
    return result;
}

/* Node 0: starts the others and waits until all are connected. */
static flowgraph_result net__lead(net *n)
{
    flowgraph *g = n->graph;
    const double end = net__now() + fmax(g->patience, net__coming);
    flowgraph_result result = FLOWGRAPH_OK;
    uint16_t port = 0;
    uint32_t missing = 1;
    result = net__token_make(n);
    if (result == FLOWGRAPH_OK) result = net__listen(n, &port);
    n->ports[0] = port;
    if (result == FLOWGRAPH_OK) result = flowgraph__place(g);
    n->awaits = true;
    if (result == FLOWGRAPH_OK) result = net__begin_serving(n);
    flowgraph__lock(g);
    n->ready[0] = g->at_first == 1;
    for (uint32_t i = 1; i < g->at_first && result == FLOWGRAPH_OK; ++i) result = net__start(n, i);
    while (result == FLOWGRAPH_OK && g->result == FLOWGRAPH_OK) {
        for (missing = 1; missing < g->at_first && n->ready[missing]; ++missing) {
        }
        if (missing == g->at_first) break;
        for (uint32_t i = missing; i < g->at_first && result == FLOWGRAPH_OK; ++i)
            if (!n->ready[i]) result = net__expected(n, i, end);
        if (result == FLOWGRAPH_OK) net__wait_until(n, fmin(end, net__now() + 0.1));
    }
    n->awaits = false;
    flowgraph__unlock(g);
    return g->result != FLOWGRAPH_OK ? g->result : result;
}

static bool net__has_ended(flowgraph *g, const flowgraph__executor *executor)
{
    flowgraph__lock(g);
    bool ended = executor->ended;
    flowgraph__unlock(g);
    return ended;
}

/* Whether written bytes have not been acknowledged: they would be lost if the process ended. */
static bool net__unsent(const net__peer *peer)
{
    int bytes = 0;
    return peer->head || (ioctl(peer->socket, SIOCOUTQ, &bytes) == 0 && bytes > 0);
}

/* Any other node: joins, works until the graph is closed, and ends. */
static void net__follow(net *n, const char *at)
{
    flowgraph *g = n->graph;
    char host[200];
    unsigned port;
    uint16_t mine = 0;
    flowgraph_result result = FLOWGRAPH_OK;
    if (!at || sscanf(at, "%199[^:]:%u", host, &port) != 2 || g->me >= g->node_count)
        result =
            flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT,
                            "FLOWGRAPH_NODE or FLOWGRAPH_AT is invalid; node 0 sets them for the nodes that it starts");
    else if (!net__token_read(n))
        result = flowgraph__fail(g, FLOWGRAPH_NODE_LOST,
                                 "no token from node 0 on standard input; the launch command must pass it on");
    if (result == FLOWGRAPH_OK) result = net__listen(n, &mine);
    if (result == FLOWGRAPH_OK) flowgraph__depths(g);
    if (result == FLOWGRAPH_OK) result = flowgraph__place(g);
    if (result == FLOWGRAPH_OK && !net__connect(n, 0, host, (uint16_t)port, mine)) result = FLOWGRAPH_NODE_LOST;
    if (result == FLOWGRAPH_OK) result = net__begin_serving(n);
    flowgraph__lock(g);
    while (result == FLOWGRAPH_OK && g->result == FLOWGRAPH_OK && !n->finished)
        net__wait_until(n, net__now() + g->patience);
    for (double end = net__now() + 1; g->result != FLOWGRAPH_OK && n->running;) { /* the error is sent first */
        bool more = false;
        for (uint32_t i = 0; i < g->node_count; ++i) more = more || (n->peers[i] && net__unsent(n->peers[i]));
        if (!more || !net__wait_until(n, fmin(end, net__now() + 0.02)) || net__now() >= end) break;
    }
    flowgraph__unlock(g);
    for (flowgraph__executor *e = g->instances[g->me].executors; e; e = e->next)
        if (net__has_ended(g, e)) pthread_join(e->thread, NULL);
    flowgraph__lock(g);
    if (!n->finished) fprintf(stderr, "node %lu: %s\n", (unsigned long)g->me, g->why);
    fflush(NULL);
    _exit(n->finished ? 0 : 1); /* its memory and its threads go with it */
}

flowgraph_result flowgraph__net_open(flowgraph *g)
{
    const char *node = getenv("FLOWGRAPH_NODE");
    flowgraph_result result = net__make(g);
    if (node) {
        g->me = (uint32_t)strtoul(node, NULL, 10);
        if (result != FLOWGRAPH_OK) _exit(1);
        net__follow(g->net, getenv("FLOWGRAPH_AT"));
    }
    return result == FLOWGRAPH_OK ? net__lead(g->net) : result;
}

/*=============================================================================
 * MARK: - >>run
 *===========================================================================*/
static uint32_t net__first_asked(const net *n)
{
    uint32_t node = 0;
    while (node + 1 < n->graph->node_count && !n->asked[node]) ++node;
    return node;
}

/* Node 0: waits until all have answered. */
static flowgraph_result net__gather(net *n)
{
    const double end = net__now() + 2 * n->graph->patience; /* a node silent for half of it is lost */

    while (n->awaited > 0 && n->graph->result == FLOWGRAPH_OK) {
        bool some;
        const flowgraph_result result = net__all_expected(n, &some);
        if (result != FLOWGRAPH_OK) return result;
        if (!net__wait_until(n, fmin(end, net__now() + 1)) && net__now() >= end)
            return flowgraph__fail(n->graph, FLOWGRAPH_NODE_LOST, "node %lu does not answer",
                                   (unsigned long)net__first_asked(n));
    }
    return n->graph->result;
}

/* All nodes are told when a run begins, and answer. It begins when all have done so: nodes whose quota is used up, or that
 * are busy, take long, and are given twice as long the next time. Until then node 0 sleeps, so that it has its quota. */
void flowgraph__net_begin(flowgraph *g)
{
    net *n = g->net;
    double ahead = net__ahead;
    n->awaits = true; /* until flowgraph__net_wait() is done */
    for (int attempt = 0; attempt < net__attempts; ++attempt) {
        const double asked = net__now();
        g->began = asked + ahead;
        n->awaited = 0;
        n->answer = FLOWGRAPH__DONE;
        for (size_t i = 0; i < g->node_count; ++i) {
            n->asked[i] = n->peers[i];
            n->awaited += n->asked[i];
            net__say(n, n->peers[i], FLOWGRAPH__BEGIN, 0, &g->began, sizeof g->began);
        }
        flowgraph__end(g, net__gather(n));
        const double answered = net__now();
        if (g->result != FLOWGRAPH_OK || answered < g->began) break;
        ahead = fmin(2 * (answered - asked), net__most_ahead);
    }
    for (size_t i = 0; i < g->node_count; ++i) g->processor_times[i] = NAN;
    while (net__wait_until(n, g->began - net__wakes)) {
    }
    while (net__now() < g->began) {
    }
    n->spent = net__spent();
}

void flowgraph__net_finished(flowgraph *g)
{
    pthread_cond_broadcast(&g->net->changed);
}

/* Polls all nodes. `still`: nothing is in progress, and nothing has happened since the last poll. */
static flowgraph_result net__stands_still(net *n, uint64_t *before, bool *still)
{
    const net__answer mine = net__answer_of(n);
    n->all_sent = n->all_received = 0;
    n->all_idle = true;
    *n->waiting = 0;
    net__add_answer(n, &mine);
    net__ask_all(n, FLOWGRAPH__POLL, 0);
    flowgraph_result result = net__gather(n);
    *still = n->all_idle && n->all_sent == n->all_received && *before == n->all_sent;
    *before = n->all_idle ? n->all_sent : UINT64_MAX;
    return result;
}

/* Node 0: all objects have reached an end, but operations may still run on any node. Waits until none runs and no
 * message is in transit; then every node sends its records. */
static flowgraph_result net__end_run(net *n)
{
    flowgraph *g = n->graph;
    double stirred = net__now(), polled = stirred;
    bool joining;
    n->ending = true;
    n->stirs = false;
    *n->waiting = 0;
    for (bool asked = false; g->result == FLOWGRAPH_OK;) {
        const net__answer mine = net__answer_of(n);
        flowgraph_result result = FLOWGRAPH_OK;
        if (!asked && g->tasks.after == &g->tasks) {
            asked = true;
            g->processor_times[0] = net__spent() - n->spent;
            net__ask_all(n, FLOWGRAPH__FINISH, 0);
        }
        if (asked && n->awaited == 0) break;
        n->stirs = n->stirs || !mine.idle || n->moved[0] != n->sent + n->received;
        n->moved[0] = n->sent + n->received;
        if (n->stirs) stirred = net__now();
        if (net__now() > stirred + g->patience)
            result = flowgraph__fail(g, FLOWGRAPH_INCOMPLETE, "all objects have arrived, but %s",
                                     *mine.waiting ? mine.waiting
                                     : *n->waiting ? n->waiting
                                                   : "a node has not sent its records");
        if (result == FLOWGRAPH_OK) result = net__all_expected(n, &joining);
        if (result != FLOWGRAPH_OK) return result;
        n->stirs = false;
        if (net__wait_until(n, polled + net__beat(g))) continue;
        polled = net__now();
        for (uint32_t i = 1; i < g->node_count; ++i)
            if (asked && n->asked[i]) net__say(n, n->peers[i], FLOWGRAPH__POLL, 0, NULL, 0);
    }
    n->ending = false;
    return g->result;
}

flowgraph_result flowgraph__net_wait(flowgraph *g)
{
    net *n = g->net;
    uint64_t before = UINT64_MAX, seen = UINT64_MAX;
    flowgraph_result result = FLOWGRAPH_OK;
    double moved = net__now(), quiet = net__quiet;
    bool joining, still;
    flowgraph__lock(g);
    n->awaits = true;
    while (!g->complete && g->result == FLOWGRAPH_OK && result == FLOWGRAPH_OK) {
        const double end = net__now() + quiet;
        while (!g->complete && g->result == FLOWGRAPH_OK && net__wait_until(n, end)) {
        }
        if (g->complete || g->result != FLOWGRAPH_OK) break;
        result = net__all_expected(n, &joining);
        if (joining || result != FLOWGRAPH_OK) {
            moved = net__now();
        } else if (seen == n->received) { /* no message has arrived meanwhile */
            const uint64_t last = before;
            result = net__stands_still(n, &before, &still);
            if (result == FLOWGRAPH_OK && still && !g->complete)
                result = flowgraph__fail(g, FLOWGRAPH_INCOMPLETE, "deadlock: %s",
                                         *n->waiting ? n->waiting : "no object has reached an end of the graph");
            if (before != last || !n->all_idle) moved = net__now();
            /* nodes that compute for long are asked less often, because answers cost them processor time */
            quiet = n->all_idle ? net__quiet : fmin(2 * quiet, net__notice);
            if (result == FLOWGRAPH_OK && net__now() > moved + g->patience)
                result =
                    flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "no progress for %g s, but %lu messages have not arrived",
                                    g->patience, (unsigned long)(n->all_sent - n->all_received));
        } else {
            moved = net__now();
            before = UINT64_MAX;
        }
        seen = n->received;
    }
    if (result == FLOWGRAPH_OK) result = net__end_run(n);
    if (g->result != FLOWGRAPH_OK) result = g->result;
    if (result != FLOWGRAPH_OK) flowgraph__end(g, result);
    n->awaits = false;
    flowgraph__unlock(g);
    return result;
}

/*=============================================================================
 * MARK: - >>closing
 *===========================================================================*/
/* Node 0: waits for the processes that it has started, up to a timeout. */
static void net__collect(net *n)
{
    const double end = net__now() + net__farewell;
    for (size_t i = 0; n->children && i < n->graph->node_count; ++i) {
        while (n->children[i] && net__now() < end) {
            const struct timespec moment = { 0, 5000000 };
            if (waitpid(n->children[i], NULL, WNOHANG) != 0)
                n->children[i] = 0;
            else
                nanosleep(&moment, NULL);
        }
        if (n->children[i] == 0) continue;
        kill(n->children[i], SIGKILL);
        waitpid(n->children[i], NULL, 0);
    }
}

/* Whether all execution threads have ended; an operation may compute for long, and cannot be interrupted. */
static bool net__executors_ended(net *n)
{
    const double end = net__now() + net__farewell;
    for (;;) {
        bool ended = true;
        for (flowgraph__executor *e = n->graph->instances[n->graph->me].executors; e; e = e->next)
            ended = ended && (e->ended || !e->started);
        if (ended || !net__wait_until(n, end)) return ended;
    }
}

bool flowgraph__net_close(flowgraph *g)
{
    net *n = g->net;
    uint64_t one = 1;
    if (!n) return true;
    flowgraph__lock(g);
    n->finished = n->awaits = true; /* later messages are ignored: the process ends within seconds */
    net__say_all(n, FLOWGRAPH__BYE, 0, NULL, 0);
    flowgraph__unlock(g);
    net__collect(n);
    flowgraph__lock(g);
    n->stop = true;
    net__wake_all(n);
    bool ended = net__executors_ended(n);
    flowgraph__unlock(g);
    if (n->alarm >= 0 && write(n->alarm, &one, sizeof one) < 0) one = 0;
    if (n->running) pthread_join(n->thread, NULL);
    net__signals_give_back(n);
    for (flowgraph__executor *e = g->instances[g->me].executors; e; e = e->next)
        if (e->started && net__has_ended(g, e)) pthread_join(e->thread, NULL);
    if (!ended) return false;
    while (n->all) {
        net__peer *peer = n->all;
        n->all = peer->next;
        net__lose(n, peer, "");
        net__peer_free(n, peer);
    }
    if (n->listener >= 0) close(n->listener);
    if (n->epoll >= 0) close(n->epoll);
    if (n->alarm >= 0) close(n->alarm);
    pthread_cond_destroy(&n->changed);
    free(n->peers);
    free(n->ports);
    free(n->children);
    free(n->ready);
    free(n->asked);
    free(n->expected);
    free(n->moved);
    free(n);
    g->net = NULL;
    return true;
}
