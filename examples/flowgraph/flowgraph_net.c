/* flowgraph_net.c - flow graphs for real: one process a node, started from node 0, and TCP between every two of them
 *
 * Every process has one thread for all connections (epoll), and one for each execution thread of its node, in which
 * operations are processes of a world that has no other use. A message is written by whoever posts it as far as the
 * kernel takes it, with writev, straight from where its data lies; the rest goes when there is room. It is read straight
 * to where its data will lie. What stands in flowgraph.c happens under one lock. */
#define _GNU_SOURCE
#include "flowgraph_core.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
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
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Waits: for nodes to come; for processes to go, and as long again for operations to end; and for messages before it is
 * asked whether anything is under way [s]. */
static const double net__patience = 20, net__farewell = 2, net__quiet = 0.5;

/* How often the clock of node 0 is asked for. */
enum { net__asks = 8 };

/* A connection to another node. */
typedef struct net__peer {
    struct net__peer *next;          /* of all that there have been */
    int socket;                      /* closed by the thread of the connections alone, which reads from it */
    bool gone;                       /* whatever else comes from it counts no more */
    uint32_t node;                   /* NOWHERE until it has said */
    flowgraph__message *head, *tail; /* to be written */
    size_t written;                  /* of the first */
    bool writing;                    /* wants to hear when there is room */
    bool closing;                    /* has said that it goes */
    /* what is being read */
    flowgraph__header header;
    flowgraph__message *message; /* NULL: its header */
    size_t got;                  /* bytes of the header, or of the words behind it, or of a piece of data */
    uint32_t pieces, piece;      /* of data */
    bool words;                  /* are there */
    int least;                   /* bytes before it is worth waking up */
} net__peer;

struct flowgraph__net {
    flowgraph *graph;
    int listener, epoll, alarm;
    uint64_t key;
    net__peer **peers; /* peers[node_count] */
    net__peer *all;    /* the accepted but unknown, and the lost, too */
    size_t strangers;  /* accepted, but unknown */
    uint16_t *ports;   /* node 0: where they listen */
    pid_t *children;   /* node 0: children[node_count]; 0: none */
    bool *ready;       /* node 0 */
    size_t awaited;    /* answers to come: to node 0, and to one that connects */
    bool *asked;       /* who is to answer */
    uint64_t sent, received;
    uint64_t all_sent, all_received; /* as answered */
    bool all_idle;
    char waiting[480];
    double *expected;    /* node 0: expected[node_count], by when it must have come [s]; 0: it need not */
    double lead_began;   /* when the run began, on the clock of node 0 [s] */
    double offset, best; /* of the clock of node 0 to ours, and how long asking took [s] */
    int asks;
    pthread_t thread;
    pthread_cond_t changed;
    bool running, stop, finished;
    bool finishing; /* node 0 wants to hear what happened, as soon as no operation runs here */
    double spent;   /* processor time of this process when the run began [s] */
};

typedef flowgraph__net net;

static double net__now(void)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Processor time of this process [s]. */
static double net__spent(void)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Waits for a change, at most until `end`; false: it is past. */
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

    for (*text = 0; *pattern && length + 12 < room; pattern++) {
        const bool number = pattern[0] == '%' && (pattern[1] == 'd' || pattern[1] == 'e');
        if (number)
            length += (size_t)snprintf(text + length, room - length, "%lu", (unsigned long)node + (pattern[1] == 'e'));
        else
            text[length++] = *pattern;
        pattern += number;
        text[length] = 0;
    }
}

static bool net__resolve(const char *host, uint16_t port, struct sockaddr_in *address)
{
    struct addrinfo hints, *found = NULL;

    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, NULL, &hints, &found) != 0 || found == NULL) return false;
    memcpy(address, found->ai_addr, sizeof *address);
    address->sin_port = htons(port);
    freeaddrinfo(found);
    return true;
}

/* A dead peer is known after about four seconds, even if it says nothing any more. */
static void net__tune(int socket)
{
    const int on = 1, idle = 1, interval = 1, count = 3;
    const unsigned patience = 4000;

    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
}

static flowgraph_result net__listen(net *n, uint16_t *port)
{
    flowgraph *g = n->graph;
    char host[200];
    struct sockaddr_in address;
    socklen_t length = sizeof address;

    net__fill_in(host, sizeof host, g->address, g->me);
    if (!net__resolve(host, 0, &address))
        return flowgraph__fail(g, FLOWGRAPH_WORLD, "node %lu is to listen at '%s', which is no address here",
                               (unsigned long)g->me, host);
    n->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (n->listener < 0) return net__failed(g, "a socket");
    if (bind(n->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(n->listener, 1024) != 0 ||
        getsockname(n->listener, (struct sockaddr *)&address, &length) != 0)
        return flowgraph__fail(g, FLOWGRAPH_WORLD, "node %lu cannot listen at '%s': %s", (unsigned long)g->me, host,
                               strerror(errno));
    *port = ntohs(address.sin_port);
    return FLOWGRAPH_OK;
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

/* The pieces of a message from an offset on; gives how many. `sizes` and the message must stand while they are used. */
static int net__pieces(flowgraph__message *m, size_t offset, uint64_t *sizes, struct iovec *pieces, int most)
{
    const size_t words = (m->header.content + 7u) / 8 * 8;
    int count = 0;
    struct {
        void *at;
        size_t bytes;
    } piece;

    for (size_t i = 0; i < m->header.data; i++) sizes[i] = flowgraph__data(m)[i]->size;
    for (size_t i = 0; i < 4u + m->header.data && count < most; i++) {
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

/* Writes as much of a message as there is room for; false: it is not whole, or the connection is gone. */
static bool net__push_out(net *n, net__peer *peer, flowgraph__message *m)
{
    uint64_t few[256], *sizes = m->header.data > 256 ? (uint64_t *)malloc(m->header.data * sizeof *sizes) : few;
    const size_t all = sizeof m->header + m->header.total;
    int problem = sizes ? 0 : ENOMEM;

    while (problem == 0 && peer->written < all) {
        struct iovec pieces[64];
        struct msghdr header;
        ssize_t went;
        memset(&header, 0, sizeof header);
        header.msg_iov = pieces;
        header.msg_iovlen = (size_t)net__pieces(m, peer->written, sizes, pieces, 64);
        went = sendmsg(peer->socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (went >= 0)
            peer->written += (size_t)went;
        else if (errno != EINTR)
            problem = errno;
    }
    if (sizes != few) free(sizes);
    if (problem != 0 && problem != EAGAIN && problem != EWOULDBLOCK) net__lose(n, peer, strerror(problem));
    return problem == 0;
}

static void net__flush(net *n, net__peer *peer)
{
    while (peer->head != NULL && net__push_out(n, peer, peer->head)) {
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
    if (peer->head != NULL) {
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

    if (peer == NULL) {
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "a message is for node %lu, which is not there",
                                          (unsigned long)m->header.to));
        flowgraph__message_free(m);
        return;
    }
    n->sent++;
    net__write(n, peer, m);
}

/* A message of the network itself; not counted. */
static void net__say(net *n, net__peer *peer, flowgraph__kind kind, uint64_t cookie, const void *content, size_t bytes)
{
    flowgraph__message *m = peer ? flowgraph__message_new(n->graph, kind, 0, 0, bytes) : NULL;

    if (m == NULL) return;
    m->header.cookie = cookie;
    m->header.from = (uint16_t)n->graph->me;
    if (bytes > 0) memcpy(flowgraph__content(m), content, bytes);
    net__write(n, peer, m);
}

static void net__say_all(net *n, flowgraph__kind kind, uint64_t cookie, const void *content, size_t bytes)
{
    for (size_t i = 0; n->peers && i < n->graph->node_count; i++)
        net__say(n, n->peers[i], kind, cookie, content, bytes);
}

/* Node 0 asks everybody; their answers are counted. */
static void net__ask_all(net *n, flowgraph__kind kind, uint64_t cookie)
{
    n->awaited = 0;
    for (size_t i = 0; i < n->graph->node_count; i++) {
        n->asked[i] = n->peers[i] != NULL;
        n->awaited += n->asked[i];
    }
    net__say_all(n, kind, cookie, NULL, 0);
}

/*=============================================================================
 * MARK: - >>failing
 *===========================================================================*/
/* What a failure is told with. */
typedef struct net__sentence {
    uint32_t result;
    char why[640];
} net__sentence;

static void net__wake_all(net *n)
{
    pthread_cond_broadcast(&n->changed);
    for (flowgraph__executor *e = n->graph->instances[n->graph->me].executors; e != NULL; e = e->next)
        pthread_cond_signal(&e->work);
}

void flowgraph__net_failed(flowgraph *g)
{
    net__sentence sentence;

    if (g->net == NULL) return;
    memset(&sentence, 0, sizeof sentence);
    sentence.result = (uint32_t)g->result;
    snprintf(sentence.why, sizeof sentence.why, "%s", g->why);
    net__say_all(g->net, FLOWGRAPH__FAIL, 0, &sentence, sizeof sentence);
    net__wake_all(g->net);
}

/* A connection is gone. Who reads from it hears that, and closes it. */
static void net__lose(net *n, net__peer *peer, const char *how)
{
    flowgraph *g = n->graph;
    char host[200];

    if (peer->gone) return;
    peer->gone = true;
    shutdown(peer->socket, SHUT_RDWR);
    while (peer->head != NULL) {
        flowgraph__message *next = peer->head->next;
        flowgraph__message_free(peer->head);
        peer->head = next;
    }
    if (peer->node == FLOWGRAPH__NOWHERE) { /* it has never said who it is */
        n->strangers--;
        return;
    }
    n->peers[peer->node] = NULL;
    pthread_cond_broadcast(&n->changed);
    if (n->stop || n->finished || peer->closing || g->result != FLOWGRAPH_OK) return;
    net__fill_in(host, sizeof host, g->address, peer->node);
    flowgraph__end(
        g, flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "node %lu (%s) has gone: %s", (unsigned long)peer->node, host, how));
}

/*=============================================================================
 * MARK: - >>reading
 *===========================================================================*/
static net__peer *net__peer_new(net *n, int socket, uint32_t node)
{
    net__peer *peer = (net__peer *)calloc(1, sizeof *peer);
    struct epoll_event event;

    if (peer == NULL) return NULL;
    net__tune(socket);
    peer->socket = socket;
    peer->node = node;
    peer->next = n->all;
    n->all = peer;
    n->strangers += node == FLOWGRAPH__NOWHERE;
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN;
    event.data.ptr = peer;
    epoll_ctl(n->epoll, EPOLL_CTL_ADD, socket, &event);
    if (node != FLOWGRAPH__NOWHERE) n->peers[node] = peer;
    return peer;
}

/* Where the next bytes go, and how many; 0: the message is whole. */
static size_t net__room(net__peer *peer, char **at)
{
    flowgraph__message *m = peer->message;

    if (m == NULL) {
        *at = (char *)&peer->header + peer->got;
        return sizeof peer->header - peer->got;
    }
    if (!peer->words) {
        const size_t bytes = 8 * ((size_t)peer->header.depth + peer->header.data) + (peer->header.content + 7u) / 8 * 8;
        *at = (char *)m->trail + peer->got;
        if (peer->got < bytes) return bytes - peer->got;
    }
    while (peer->words && peer->piece < peer->pieces) {
        flowgraph_data *data = flowgraph__data(m)[peer->piece];
        *at = (char *)data->bytes + peer->got;
        if (peer->got < data->size) return data->size - peer->got;
        peer->piece++;
        peer->got = 0;
    }
    return 0;
}

/* The header is there: room for the rest. The words behind it come to where they will be, sizes in the place of data. */
static bool net__header(net *n, net__peer *peer)
{
    flowgraph__message *m;

    flowgraph__lock(n->graph);
    m = flowgraph__message_new(n->graph, (flowgraph__kind)peer->header.kind, peer->header.depth, peer->header.data,
                               peer->header.content);
    if (m != NULL) {
        m->header = peer->header;
        m->header.data = 0; /* none is there yet */
    }
    flowgraph__unlock(n->graph);
    peer->message = m;
    peer->pieces = peer->header.data;
    peer->piece = 0;
    peer->words = false;
    peer->got = 0;
    return m != NULL;
}

/* The words are there: sizes become data. */
static bool net__words(net__peer *peer)
{
    flowgraph__message *m = peer->message;
    flowgraph_data **data = (flowgraph_data **)(void *)(m->trail + m->header.depth);
    size_t total = 8 * ((size_t)m->header.depth + peer->pieces) + (m->header.content + 7u) / 8 * 8;

    for (uint32_t i = 0; i < peer->pieces; i++) total += m->trail[m->header.depth + i];
    if (total != m->header.total) return false;
    for (uint32_t i = 0; i < peer->pieces; i++) {
        data[i] = flowgraph__data_make(m->graph, (size_t)m->trail[m->header.depth + i], true);
        if (data[i] == NULL) {
            m->header.data = (uint16_t)i;
            return false;
        }
    }
    m->header.data = (uint16_t)peer->pieces;
    peer->words = true;
    peer->got = 0;
    return true;
}

static void net__whole(net *n, net__peer *peer);

/* In the middle of much, waking up for every packet would cost more than all else; but what is less than that would
 * never wake anybody up, so whenever reading stops, this is set. */
static void net__expect(net__peer *peer)
{
    char *at;
    const size_t room = peer->message && peer->words ? net__room(peer, &at) : 1;
    const int least = room > 65536 ? 65536 : room > 4096 ? (int)room : 1;

    if (least == peer->least) return;
    setsockopt(peer->socket, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    peer->least = least;
}

/* Reads what there is; false: nothing more for now. */
static bool net__read(net *n, net__peer *peer)
{
    char *at;
    size_t room = net__room(peer, &at);
    ssize_t came;

    if (room > 0) {
        came = recv(peer->socket, at, room, MSG_DONTWAIT);
        if (came < 0 && errno == EINTR) return true;
        if (came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            net__expect(peer);
            return false;
        }
        if (came <= 0) {
            flowgraph__lock(n->graph);
            net__lose(n, peer, came == 0 ? "its connection was closed" : strerror(errno));
            flowgraph__unlock(n->graph);
            return false;
        }
        peer->got += (size_t)came;
        if ((size_t)came < room) return true;
    }
    if (peer->message == NULL) {
        if (net__header(n, peer)) return true;
    } else if (!peer->words) {
        if (net__words(peer)) return true;
    } else if (net__room(peer, &at) > 0) {
        return true;
    } else {
        net__whole(n, peer);
        return true;
    }
    flowgraph__lock(n->graph);
    net__lose(n, peer, "it sends what is no message, or there is no memory for it");
    flowgraph__unlock(n->graph);
    return false;
}

/*=============================================================================
 * MARK: - >>meeting
 *===========================================================================*/
/* Who comes must have the same program, in the same build. */
typedef struct net__hello {
    uint64_t key, graph;
    uint32_t node, port;
} net__hello;

static uint64_t net__mix(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t net__graph_hash(const flowgraph *g)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ sizeof(flowgraph__header);

    for (uint32_t i = 0; i < g->type_count; i++) {
        hash = net__mix(hash, g->types[i].name, strlen(g->types[i].name));
        hash = net__mix(hash, &g->types[i].size, sizeof g->types[i].size);
    }
    for (uint32_t i = 0; i < g->collection_count; i++)
        hash = net__mix(hash, &g->collections[i].count, sizeof g->collections[i].count);
    for (uint32_t i = 0; i < g->operation_count; i++) {
        hash = net__mix(hash, g->operations[i].name, strlen(g->operations[i].name));
        hash = net__mix(hash, &g->operations[i].desc.kind, sizeof g->operations[i].desc.kind);
    }
    for (uint32_t i = 0; i < g->edge_count; i++) hash = net__mix(hash, &g->edges[i], 2 * sizeof(uint32_t));
    return hash;
}

static net__hello net__hello_of(const net *n, uint16_t port)
{
    const net__hello hello = { n->key, net__graph_hash(n->graph), n->graph->me, port };
    return hello;
}

/* Connects to a node and says who this is. */
static net__peer *net__connect(net *n, uint32_t node, const char *host, uint16_t port, uint16_t mine)
{
    flowgraph *g = n->graph;
    struct sockaddr_in address;
    const net__hello hello = net__hello_of(n, mine);
    net__peer *peer;
    int fd;

    if (!net__resolve(host, port, &address)) {
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "node %lu is to be at '%s', which is no address",
                                          (unsigned long)node, host));
        return NULL;
    }
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        if (fd >= 0) close(fd);
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "node %lu at %s:%u cannot be reached: %s",
                                          (unsigned long)node, host, (unsigned)port, strerror(errno)));
        return NULL;
    }
    peer = net__peer_new(n, fd, node);
    if (peer == NULL) close(fd);
    net__say(n, peer, FLOWGRAPH__HELLO, 0, &hello, sizeof hello);
    return peer;
}

/* What a node that comes has to know: who is there and where threads are. As numbers, one after another. */
static void net__welcome(net *n, uint32_t node)
{
    flowgraph *g = n->graph;
    const flowgraph__instance *here = &g->instances[g->me];
    size_t words = 3 * g->node_count, at = 0;
    flowgraph__message *m;
    uint32_t *word;

    for (uint32_t c = 0; c < g->collection_count; c++) words += 1 + 2 * g->collections[c].count;
    word = (uint32_t *)malloc(words * sizeof *word);
    if (word == NULL) {
        flowgraph__end(g, flowgraph__no_memory(g));
        return;
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        /* Of two that come at once, the later connects. */
        word[at++] = n->ports[i] && i != node && (i < node || n->ready[i]);
        word[at++] = n->ports[i];
        word[at++] = here->taking_part[i];
    }
    for (uint32_t c = 0; c < g->collection_count; c++) {
        word[at++] = here->count[c];
        memcpy(word + at, here->where[c], g->collections[c].count * sizeof *word);
        at += g->collections[c].count;
        memcpy(word + at, here->moves[c], g->collections[c].count * sizeof *word);
        at += g->collections[c].count;
    }
    m = flowgraph__message_new(g, FLOWGRAPH__WELCOME, 0, 0, words * sizeof *word);
    if (m != NULL) {
        m->header.posted = g->began;
        m->header.from = (uint16_t)g->me;
        memcpy(flowgraph__content(m), word, words * sizeof *word);
        net__write(n, n->peers[node], m);
    }
    free(word);
}

/* Node 0: all that were started have come, and learn of each other. */
static void net__maybe_welcome(net *n, uint32_t node)
{
    flowgraph *g = n->graph;

    if (n->ready[0]) { /* later than the others */
        net__welcome(n, node);
        return;
    }
    for (uint32_t i = 1; i < g->at_first; i++)
        if (n->ports[i] == 0) return;
    for (uint32_t i = 1; i < g->at_first; i++) net__welcome(n, i);
    n->ready[0] = true;
}

static void net__greeted(net *n, net__peer *peer, flowgraph__message *m)
{
    flowgraph *g = n->graph;
    net__hello hello;

    if (m->header.content != sizeof hello) return net__lose(n, peer, "");
    memcpy(&hello, flowgraph__content(m), sizeof hello);
    if (hello.key != n->key || hello.node >= g->node_count || n->peers[hello.node] != NULL) /* not one of ours */
        return net__lose(n, peer, "");
    n->strangers--;
    peer->node = hello.node;
    n->peers[hello.node] = peer;
    if (hello.graph != net__graph_hash(g)) {
        flowgraph__end(g, flowgraph__fail(g, FLOWGRAPH_BAD_GRAPH,
                                          "node %lu runs another program: its graph is not that of node %lu",
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
    for (uint32_t i = 0; i < g->node_count; i++, word += 3) {
        char host[200];
        if (word[0] && i > 0 && n->peers[i] == NULL && g->result == FLOWGRAPH_OK) {
            net__fill_in(host, sizeof host, g->address, i);
            n->asked[i] = net__connect(n, i, host, (uint16_t)word[1], net__my_port(n)) != NULL;
            n->awaited += n->asked[i];
        }
        here->taking_part[i] = word[2] != 0;
    }
    here->active = true;
    here->leaving = false;
    for (uint32_t c = 0; c < g->collection_count; c++) {
        const uint32_t threads = (uint32_t)g->collections[c].count;
        here->count[c] = *word++;
        for (uint32_t t = 0; t < threads; t++) flowgraph__heard(here, c, t, word[t], word[threads + t]);
        word += 2 * threads;
    }
    net__say(n, n->peers[0], FLOWGRAPH__PING, 0, &asked, sizeof asked);
}

/* This node's clock is set, and who it has connected to knows it: from now on all can send it messages. */
static void net__maybe_ready(net *n)
{
    if (n->asks == net__asks && n->awaited == 0) net__say(n, n->peers[0], FLOWGRAPH__READY, 0, NULL, 0);
}

/* What the clock of node 0 shows more than ours: from the answer that took least. */
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
    g->began = n->lead_began - n->offset; /* of the run that may be under way */
    n->spent = net__spent();
    net__maybe_ready(n);
}

/* Starts this program on a node. */
static flowgraph_result net__start(net *n, uint32_t node)
{
    flowgraph *g = n->graph;
    char words[2048] = "", who[40], where[260], host[200], *list[64], *save = NULL;
    size_t count = 0;
    int failed;

    if (g->arguments == NULL)
        return flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "in real mode the arguments of main() are needed");
    if (g->launch != NULL) net__fill_in(words, sizeof words, g->launch, node);
    for (char *word = strtok_r(words, " ", &save); word && count < 32; word = strtok_r(NULL, " ", &save))
        list[count++] = word;
    net__fill_in(host, sizeof host, g->address, 0);
    snprintf(who, sizeof who, "FLOWGRAPH_NODE=%lu", (unsigned long)node);
    snprintf(where, sizeof where, "FLOWGRAPH_AT=%s:%u:%llx", host, (unsigned)net__my_port(n),
             (unsigned long long)n->key);
    list[count++] = (char *)(uintptr_t) "env";
    list[count++] = who;
    list[count++] = where;
    for (char **argument = g->arguments; *argument && count < 63; argument++) list[count++] = *argument;
    list[count] = NULL;
    failed = posix_spawnp(&n->children[node], list[0], NULL, NULL, list, environ);
    if (failed) {
        n->children[node] = 0;
        return flowgraph__fail(g, FLOWGRAPH_NODE_LOST, "node %lu cannot be started with '%s': %s", (unsigned long)node,
                               list[0], strerror(failed));
    }
    return FLOWGRAPH_OK;
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
    char *at;

    if (m == NULL) {
        flowgraph__end(g, flowgraph__no_memory(g));
        return;
    }
    m->header.posted = net__spent() - n->spent;
    at = (char *)flowgraph__content(m);
    memcpy(at, counts, sizeof counts);
    if (bytes[0]) memcpy(at + sizeof counts, r->activations, bytes[0]);
    if (bytes[1]) memcpy(at + sizeof counts + bytes[0], r->passages, bytes[1]);
    if (bytes[2]) memcpy(at + sizeof counts + bytes[0] + bytes[1], r->events, bytes[2]);
    m->header.from = (uint16_t)g->me;
    net__write(n, n->peers[0], m);
}

static bool net__append(void *array, size_t *count, const char **from, uint64_t more, size_t bytes)
{
    for (uint64_t i = 0; i < more; i++) {
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
 * MARK: - >>serving
 *===========================================================================*/
/* Whether something is under way, and what waits. */
typedef struct net__answer {
    uint64_t sent, received, idle;
    char waiting[400];
} net__answer;

static net__answer net__answer_of(const net *n)
{
    const flowgraph *g = n->graph;
    net__answer answer;

    memset(&answer, 0, sizeof answer);
    answer.sent = n->sent;
    answer.received = n->received;
    answer.idle = 1;
    for (const flowgraph__executor *e = g->instances[g->me].executors; e != NULL; e = e->next)
        if (e->task != NULL || e->head != NULL) answer.idle = 0;
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

static void net__answered(net *n, uint32_t node)
{
    if (!n->asked[node]) return;
    n->asked[node] = false;
    n->awaited--;
    pthread_cond_broadcast(&n->changed);
    if (n->graph->me != 0) net__maybe_ready(n);
}

/* A node is there, with all its connections. */
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
    for (uint32_t i = 0; i < g->node_count; i++) { /* all learn of it, and one had asked */
        flowgraph__message *m = flowgraph__message_new(g, FLOWGRAPH__JOINED, 0, 0, 0);
        if (m == NULL) break;
        m->header.from = (uint16_t)g->me;
        m->header.to = (uint16_t)i;
        m->header.cookie = node;
        if (i == g->me)
            flowgraph__deliver(&g->instances[i], m);
        else if (n->peers[i] != NULL)
            flowgraph__net_send(g, m);
        else
            flowgraph__message_free(m);
    }
}

/* Node 0: a node is wanted. One that was given back is still connected, and has only to learn what it has missed. */
static void net__take(net *n, uint32_t node)
{
    if (n->expected[node] > 0) return;
    n->expected[node] = net__now() + net__patience;
    n->ready[node] = false;
    if (n->peers[node] != NULL)
        net__welcome(n, node);
    else
        flowgraph__end(n->graph, net__start(n, node));
}

static void net__told_of_failure(net *n, flowgraph__message *m)
{
    flowgraph *g = n->graph;
    net__sentence sentence;

    if (g->result != FLOWGRAPH_OK) return;
    memcpy(&sentence, flowgraph__content(m), sizeof sentence);
    g->result = (flowgraph_result)sentence.result;
    memcpy(g->why, sentence.why, sizeof g->why);
    g->why[sizeof g->why - 1] = 0;
    net__wake_all(n);
}

void flowgraph__net_idle(flowgraph *g)
{
    net *n = g->net;

    if (g->tasks.after != &g->tasks) return;
    pthread_cond_broadcast(&n->changed);
    if (!n->finishing) return;
    n->finishing = false;
    net__send_records(n);
}

void flowgraph__net_deliver(flowgraph *g, flowgraph__message *m)
{
    net *n = g->net;
    net__answer answer;
    double times[2];

    switch (m->header.kind) {
    case FLOWGRAPH__JOIN: net__take(n, (uint32_t)m->header.cookie); break;
    case FLOWGRAPH__WELCOME: net__welcomed(n, m); break;
    case FLOWGRAPH__PING:
        memcpy(times, flowgraph__content(m), sizeof *times);
        times[1] = net__now();
        net__say(n, n->peers[m->header.from], FLOWGRAPH__PONG, 0, times, sizeof times);
        break;
    case FLOWGRAPH__PONG: net__ponged(n, m); break;
    case FLOWGRAPH__READY: net__is_ready(n, m->header.from); break;
    case FLOWGRAPH__BEGIN:
        memcpy(times, flowgraph__content(m), sizeof *times);
        g->began = times[0] - n->offset;
        g->records.activation_count = g->records.passage_count = g->records.event_count = 0;
        n->spent = net__spent();
        net__say(n, n->peers[0], FLOWGRAPH__DONE, 0, NULL, 0);
        break;
    case FLOWGRAPH__DONE: net__answered(n, m->header.from); break;
    case FLOWGRAPH__FINISH:
        n->finishing = true;
        flowgraph__net_idle(g);
        break;
    case FLOWGRAPH__RECORDS:
        net__take_records(n, m);
        net__answered(n, m->header.from);
        break;
    case FLOWGRAPH__POLL:
        answer = net__answer_of(n);
        net__say(n, n->peers[0], FLOWGRAPH__ANSWER, 0, &answer, sizeof answer);
        break;
    case FLOWGRAPH__ANSWER:
        memcpy(&answer, flowgraph__content(m), sizeof answer);
        net__add_answer(n, &answer);
        net__answered(n, m->header.from);
        break;
    case FLOWGRAPH__FAIL: net__told_of_failure(n, m); break;
    case FLOWGRAPH__BYE: /* all others hear it from each before its connections close */
        if (n->peers[m->header.from]) n->peers[m->header.from]->closing = true;
        if (m->header.from != 0) break;
        net__say_all(n, FLOWGRAPH__BYE, 0, NULL, 0);
        n->finished = true;
        net__wake_all(n);
        break;
    default: break;
    }
    flowgraph__message_free(m);
}

/* A message is whole. */
static void net__whole(net *n, net__peer *peer)
{
    flowgraph *g = n->graph;
    flowgraph__message *m = peer->message;

    peer->message = NULL;
    peer->got = 0;
    flowgraph__lock(g);
    if (peer->gone) {
        flowgraph__message_free(m);
    } else if (m->header.kind == FLOWGRAPH__HELLO && peer->node == FLOWGRAPH__NOWHERE) {
        net__greeted(n, peer, m);
        flowgraph__message_free(m);
    } else if (peer->node == FLOWGRAPH__NOWHERE) {
        flowgraph__message_free(m);
        net__lose(n, peer, "");
    } else if (m->header.kind >= FLOWGRAPH__JOIN && m->header.kind != FLOWGRAPH__JOINED) {
        n->received += m->header.kind == FLOWGRAPH__JOIN;
        flowgraph__net_deliver(g, m); /* after a failure, too */
    } else {
        n->received++;
        m->header.to = (uint16_t)g->me;
        flowgraph__deliver(&g->instances[g->me], m);
    }
    flowgraph__unlock(g);
}

static void net__accept(net *n)
{
    const int fd = accept4(n->listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0) return;
    flowgraph__lock(n->graph);
    if (n->strangers >= 2 * n->graph->node_count || net__peer_new(n, fd, FLOWGRAPH__NOWHERE) == NULL) close(fd);
    flowgraph__unlock(n->graph);
}

static void net__close(net *n, net__peer *peer)
{
    if (peer->socket < 0) return;
    epoll_ctl(n->epoll, EPOLL_CTL_DEL, peer->socket, NULL);
    close(peer->socket);
    peer->socket = -1;
}

/* The thread of all connections. */
static void *net__serve(void *argument)
{
    net *n = (net *)argument;
    struct epoll_event events[64];

    for (;;) {
        const int count = epoll_wait(n->epoll, events, 64, 1000);
        bool stop;
        for (int i = 0; i < count; i++) {
            net__peer *peer = (net__peer *)events[i].data.ptr;
            if (peer == NULL) { /* the alarm */
                uint64_t value;
                if (read(n->alarm, &value, sizeof value) < 0) continue;
            } else if ((void *)peer == (void *)n) {
                net__accept(n);
            } else {
                int turn = 0;
                char *at;
                bool more = true, gone;
                /* Others, too, have something to say; but what is read whole is taken: nothing would wake this up. */
                while (more && (turn++ < 64 || net__room(peer, &at) == 0)) more = net__read(n, peer);
                if (more) net__expect(peer);
                flowgraph__lock(n->graph);
                if (!peer->gone && events[i].events & EPOLLOUT) net__flush(n, peer);
                gone = peer->gone;
                flowgraph__unlock(n->graph);
                if (!more && gone) net__close(n, peer);
            }
        }
        flowgraph__lock(n->graph);
        stop = n->stop;
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
        simkit_result result;
        if (task == NULL) {
            pthread_cond_wait(&executor->work, &g->lock);
            continue;
        }
        flowgraph__unlock(g);
        result = flowgraph__go_on(task, fresh, executor->world, executor->node);
        /* Runs until it has ended, or waits. */
        if (result == SIMKIT_OK) result = simkit_world_run_until(executor->world, 0);
        flowgraph__lock(g);
        if (result != SIMKIT_OK)
            flowgraph__end(
                g, flowgraph__fail(g, FLOWGRAPH_WORLD, "an execution thread: %s", simkit_world_why(executor->world)));
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
        return flowgraph__fail(g, FLOWGRAPH_WORLD, "an execution thread cannot be started");
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

    if (n == NULL) return flowgraph__no_memory(g);
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
    if (!n->peers || !n->ports || !n->children || !n->ready || !n->asked || !n->expected)
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
    struct epoll_event event;

    memset(&event, 0, sizeof event);
    event.events = EPOLLIN;
    event.data.ptr = n;
    epoll_ctl(n->epoll, EPOLL_CTL_ADD, n->listener, &event);
    if (pthread_create(&n->thread, NULL, net__serve, n) != 0)
        return flowgraph__fail(n->graph, FLOWGRAPH_WORLD, "the thread of the network cannot be started");
    n->running = true;
    return FLOWGRAPH_OK;
}

/* Whether a node that was started can still come. */
static flowgraph_result net__expected(net *n, uint32_t node, double end)
{
    if (n->children[node] && waitpid(n->children[node], NULL, WNOHANG) == n->children[node]) {
        n->children[node] = 0;
        return flowgraph__fail(n->graph, FLOWGRAPH_NODE_LOST, "node %lu has ended before it came", (unsigned long)node);
    }
    if (net__now() < end) return FLOWGRAPH_OK;
    return flowgraph__fail(n->graph, FLOWGRAPH_NODE_LOST, "node %lu has not come within %g s", (unsigned long)node,
                           net__patience);
}

/* The same for all that are wanted; `some`: whether there are any. */
static flowgraph_result net__all_expected(net *n, bool *some)
{
    flowgraph_result result = FLOWGRAPH_OK;

    *some = false;
    for (uint32_t i = 0; i < n->graph->node_count && result == FLOWGRAPH_OK; i++) {
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
    const double end = net__now() + net__patience;
    flowgraph_result result = FLOWGRAPH_OK;
    uint16_t port = 0;
    uint32_t missing = 1;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    n->key = net__mix((uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32, &now, sizeof now);
    result = net__listen(n, &port);
    n->ports[0] = port;
    if (result == FLOWGRAPH_OK) result = flowgraph__place(g);
    if (result == FLOWGRAPH_OK) result = net__begin_serving(n);
    flowgraph__lock(g);
    n->ready[0] = g->at_first == 1;
    for (uint32_t i = 1; i < g->at_first && result == FLOWGRAPH_OK; i++) result = net__start(n, i);
    while (result == FLOWGRAPH_OK && g->result == FLOWGRAPH_OK) {
        for (missing = 1; missing < g->at_first && n->ready[missing]; missing++) {
        }
        if (missing == g->at_first) break;
        result = net__expected(n, missing, end);
        if (result == FLOWGRAPH_OK) net__wait_until(n, fmin(end, net__now() + 0.1));
    }
    flowgraph__unlock(g);
    return g->result != FLOWGRAPH_OK ? g->result : result;
}

static bool net__has_ended(flowgraph *g, const flowgraph__executor *executor)
{
    bool ended;

    flowgraph__lock(g);
    ended = executor->ended;
    flowgraph__unlock(g);
    return ended;
}

/* Any other node: comes, works until it is told that all is done, and ends. */
static void net__follow(net *n, const char *at)
{
    flowgraph *g = n->graph;
    char host[200];
    unsigned port;
    unsigned long long key;
    uint16_t mine = 0;
    flowgraph_result result = FLOWGRAPH_OK;
    double end;

    if (at == NULL || sscanf(at, "%199[^:]:%u:%llx", host, &port, &key) != 3 || g->me >= g->node_count)
        result = flowgraph__fail(g, FLOWGRAPH_BAD_ARGUMENT, "FLOWGRAPH_NODE and FLOWGRAPH_AT are set by node 0");
    n->key = result == FLOWGRAPH_OK ? key : 0;
    if (result == FLOWGRAPH_OK) result = net__listen(n, &mine);
    if (result == FLOWGRAPH_OK) result = flowgraph__place(g);
    if (result == FLOWGRAPH_OK && net__connect(n, 0, host, (uint16_t)port, mine) == NULL) result = FLOWGRAPH_NODE_LOST;
    if (result == FLOWGRAPH_OK) result = net__begin_serving(n);
    flowgraph__lock(g);
    while (result == FLOWGRAPH_OK && g->result == FLOWGRAPH_OK && !n->finished) net__wait_until(n, net__now() + 1);
    for (end = net__now() + 1; g->result != FLOWGRAPH_OK && n->running;) { /* the sentence goes out first */
        bool more = false;
        for (uint32_t i = 0; i < g->node_count; i++) more = more || (n->peers[i] && n->peers[i]->head);
        if (!more || !net__wait_until(n, fmin(end, net__now() + 0.02)) || net__now() >= end) break;
    }
    flowgraph__unlock(g);
    for (flowgraph__executor *e = g->instances[g->me].executors; e != NULL; e = e->next)
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

    if (node != NULL) {
        g->me = (uint32_t)strtoul(node, NULL, 10);
        if (result != FLOWGRAPH_OK) _exit(1);
        net__follow(g->net, getenv("FLOWGRAPH_AT"));
    }
    return result == FLOWGRAPH_OK ? net__lead(g->net) : result;
}

/*=============================================================================
 * MARK: - >>run
 *===========================================================================*/
/* Node 0: until all have answered; `patience` [s]. */
static flowgraph_result net__gather(net *n, double patience)
{
    const double end = net__now() + patience;

    while (n->awaited > 0 && n->graph->result == FLOWGRAPH_OK) {
        bool some;
        const flowgraph_result result = net__all_expected(n, &some);
        if (result != FLOWGRAPH_OK) return result;
        if (!net__wait_until(n, fmin(end, net__now() + 1)) && net__now() >= end)
            return flowgraph__fail(n->graph, FLOWGRAPH_NODE_LOST, "%lu nodes do not answer", (unsigned long)n->awaited);
    }
    return n->graph->result;
}

void flowgraph__net_begin(flowgraph *g)
{
    net *n = g->net;
    double now;

    g->began = now = net__now() + 2e-3; /* by then they know, as a rule */
    n->awaited = 0;
    for (size_t i = 0; i < g->node_count; i++) {
        n->asked[i] = n->peers[i] != NULL;
        n->awaited += n->asked[i];
        net__say(n, n->peers[i], FLOWGRAPH__BEGIN, 0, &now, sizeof now);
    }
    flowgraph__end(g, net__gather(n, net__patience));
    for (size_t i = 0; i < g->node_count; i++) g->processor_times[i] = NAN;
    while (net__now() < now) {
    }
    n->spent = net__spent();
}

void flowgraph__net_finished(flowgraph *g)
{
    pthread_cond_broadcast(&g->net->changed);
}

/* Asks everybody whether something is under way; true: nothing, and nothing has happened since it was asked last. */
static bool net__stands_still(net *n, uint64_t *before)
{
    const net__answer mine = net__answer_of(n);
    bool still;

    n->all_sent = n->all_received = 0;
    n->all_idle = true;
    *n->waiting = 0;
    net__add_answer(n, &mine);
    net__ask_all(n, FLOWGRAPH__POLL, 0);
    if (net__gather(n, net__patience) != FLOWGRAPH_OK) return false;
    still = n->all_idle && n->all_sent == n->all_received && *before == n->all_sent;
    *before = n->all_idle ? n->all_sent : UINT64_MAX;
    return still;
}

flowgraph_result flowgraph__net_wait(flowgraph *g)
{
    net *n = g->net;
    uint64_t before = UINT64_MAX, seen = UINT64_MAX;
    flowgraph_result result = FLOWGRAPH_OK;
    double moved = net__now();
    bool joining;

    flowgraph__lock(g);
    while (!g->complete && g->result == FLOWGRAPH_OK && result == FLOWGRAPH_OK) {
        const double end = net__now() + net__quiet;
        while (!g->complete && g->result == FLOWGRAPH_OK && net__wait_until(n, end)) {
        }
        if (g->complete || g->result != FLOWGRAPH_OK) break;
        result = net__all_expected(n, &joining);
        if (joining || result != FLOWGRAPH_OK) {
            moved = net__now();
        } else if (seen == n->received) { /* it is quiet here */
            const uint64_t last = before;
            if (net__stands_still(n, &before) && !g->complete)
                result = flowgraph__fail(g, FLOWGRAPH_INCOMPLETE, "nothing is left to happen, yet %s",
                                         *n->waiting ? n->waiting : "nothing has arrived at an end");
            if (before != last || !n->all_idle) moved = net__now();
            if (result == FLOWGRAPH_OK && net__now() > moved + net__patience)
                result = flowgraph__fail(g, FLOWGRAPH_NODE_LOST,
                                         "nothing has moved for %g s, yet %lu messages have not arrived", net__patience,
                                         (unsigned long)(n->all_sent - n->all_received));
        } else {
            moved = net__now();
            before = UINT64_MAX;
        }
        seen = n->received;
    }
    /* An operation may go on for a while after its last object, everywhere. */
    while (g->tasks.after != &g->tasks && g->result == FLOWGRAPH_OK && result == FLOWGRAPH_OK) {
        net__wait_until(n, net__now() + 1);
        result = net__all_expected(n, &joining);
    }
    if (g->result != FLOWGRAPH_OK) result = g->result;
    g->processor_times[0] = net__spent() - n->spent;
    if (result == FLOWGRAPH_OK) {
        net__ask_all(n, FLOWGRAPH__FINISH, 0);
        result = net__gather(n, HUGE_VAL);
    }
    if (result != FLOWGRAPH_OK) flowgraph__end(g, result);
    flowgraph__unlock(g);
    return result;
}

/*=============================================================================
 * MARK: - >>closing
 *===========================================================================*/
/* Node 0: waits for the processes that it has started, and in the end does not. */
static void net__collect(net *n)
{
    const double end = net__now() + net__farewell;

    for (size_t i = 0; n->children && i < n->graph->node_count; i++) {
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
        for (flowgraph__executor *e = n->graph->instances[n->graph->me].executors; e != NULL; e = e->next)
            ended = ended && (e->ended || !e->started);
        if (ended || !net__wait_until(n, end)) return ended;
    }
}

bool flowgraph__net_close(flowgraph *g)
{
    net *n = g->net;
    uint64_t one = 1;
    bool ended;

    if (n == NULL) return true;
    flowgraph__lock(g);
    n->finished = true;
    net__say_all(n, FLOWGRAPH__BYE, 0, NULL, 0);
    flowgraph__unlock(g);
    net__collect(n);
    flowgraph__lock(g);
    n->stop = true;
    net__wake_all(n);
    ended = net__executors_ended(n);
    flowgraph__unlock(g);
    if (n->alarm >= 0 && write(n->alarm, &one, sizeof one) < 0) one = 0;
    if (n->running) pthread_join(n->thread, NULL);
    for (flowgraph__executor *e = g->instances[g->me].executors; e != NULL; e = e->next)
        if (e->started && net__has_ended(g, e)) pthread_join(e->thread, NULL);
    if (!ended) return false;
    while (n->all != NULL) {
        net__peer *peer = n->all;
        n->all = peer->next;
        net__lose(n, peer, "");
        net__close(n, peer);
        flowgraph__message_free(peer->message);
        free(peer);
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
    free(n);
    g->net = NULL;
    return true;
}
