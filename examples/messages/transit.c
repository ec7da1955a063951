/* transit.c - messages in transit: connections between tasks, on which messages come one after another; the queue of the link of
 * a host; answers, which overtake large messages. It knows ways between hosts and the transfers of simkit.h; what arrives is told to
 * match.c (messages_above.notice). */
#include "engine.h"

#include <math.h>
#include <string.h>

static void transit__connection_next(messages_connection *c);
static void transit__connection_transfer(messages_connection *c);
static void transit__connection_transferred(simkit_world *world, void *user);
static void transit__connection_advance(messages_connection *c);

/*=============================================================================
 * MARK: - >>connections
 *===========================================================================*/
/* A block of the arena in 32 bits: connections are whole lines of the caches, and the arena has up to 2^32 lines. */
enum { CONNECTION_BYTES = sizeof(messages_connection) };
_Static_assert(sizeof(messages_connection) == 64, "a connection is a line of the caches");

/* The connection of a task to a partner; NULL: nothing is in transit. */
messages_connection *messages_connection_of(const messages_task *t, const messages_partner *p)
{
    if (p->connection == 0) return NULL;
    messages_connection *c =
        (messages_connection *)(void *)((char *)messages + (size_t)p->connection * CONNECTION_BYTES);
    return c->from == t->number && c->to == (int32_t)p->other - 1 ? c : NULL;
}

/* The connection of a task to another one; NULL: nothing is in transit. */
messages_connection *messages_connection_with(const messages_task *t, int32_t other)
{
    const messages_partner *p = messages_partner_place(t, other);
    return p && p->other != 0 ? messages_connection_of(t, p) : NULL;
}

/* The connection to another task, for one more user. */
messages_connection *messages_connection_use(messages_task *t, int32_t other)
{
    messages_partner *p = messages_partner_of(t, other);
    messages_connection *c = messages_connection_of(t, p);
    if (!c) {
        c = messages->free_connections;
        if (c)
            messages->free_connections = c->behind;
        else
            c = direct_new(sizeof *c);
        *c = (messages_connection){ .from = t->number, .to = other };
        p->connection = (uint32_t)((size_t)((char *)c - (char *)messages) / CONNECTION_BYTES);
    }
    ++c->users;
    return c;
}

static void transit__connection_leave(messages_connection *c)
{
    if (--c->users > 0 || c->first || c->answers) return;
    c->from = -1;
    c->behind = messages->free_connections;
    messages->free_connections = c;
}

static messages_task *transit__message_way_from(const messages_message *m)
{
    return messages_task_at(m->answers ? m->to : m->from);
}

static messages_task *transit__message_way_to(const messages_message *m)
{
    return messages_task_at(m->answers ? m->from : m->to);
}

/*=============================================================================
 * MARK: - >>the first message of a connection
 *===========================================================================*/
/* Bytes that a rendezvous sends with its request. */
static double transit__message_early(const messages_message *m)
{
    return fmin(messages->cluster.early, (double)m->bytes);
}

/* Bytes that are in transit, or will be next. */
static double transit__message_part(const messages_message *m)
{
    if (m->answers) return 0;
    if (m->notice == NOTICE_COMPLETE) return (double)m->bytes - transit__message_early(m);
    return m->asks ? transit__message_early(m) : (double)m->bytes;
}

static void transit__message_watched(simkit_world *world, void *user)
{
    messages_connection *c = user;
    (void)world;
    c->first->watching = false;
    --transit__message_way_to(c->first)->inbox.watches;
    if (!c->first->there) return;
    ++c->users;
    transit__connection_next(c);
    transit__connection_advance(c);
    transit__connection_leave(c);
}

static void transit__message_woken(simkit_world *world, void *user)
{
    messages_connection *c = user;
    (void)world;
    const messages_work watch = { c->watch, 0 };
    messages_computation_start(transit__message_way_to(c->first), watch, transit__message_watched, c, NULL);
}

/* A task that waits in a call processes the bytes of the first message of a connection as they arrive, which takes CPU time.
 * If it has waited for long, it has to be woken, unless another message has done that. */
static void transit__message_watch(messages_connection *c)
{
    messages_message *m = c->first;
    messages_task *t = transit__message_way_to(m);
    double wake;
    if (t->ended || !(t->wait.waits || t->wait.probes)) return;
    const double now = simkit_clock_now(direct->world), waited = t->inbox.watches > 0 ? 0 : now - t->since;
    c->watch = messages_watch_delay(&messages->cluster, t->host, transit__message_part(m), waited, now, &wake);
    if (!(c->watch > 0)) return;
    m->watching = m->watched = true;
    ++t->inbox.watches;
    if (wake > 0)
        messages_check(simkit_step_after(direct->world, wake, 0, transit__message_woken, c, NULL));
    else
        messages_computation_start(t, (messages_work){ c->watch, 0 }, transit__message_watched, c, NULL);
}

static void transit__connection_next(messages_connection *c)
{
    messages_message *m = c->first;
    m->there = true;
    if (m->watching) return;
    m->there = false;
    c->first = m->in.way.behind;
    if (!c->first || !c->first->joins) --c->packets;
    if (!c->first) c->last = NULL;
    c->busy = false;
    messages_above.notice(m, m->notice);
}

/*=============================================================================
 * MARK: - >>the queue of a link
 *
 * What a host sends waits at its link in the order in which it came, up to `queue` bytes: a message begins when nothing is
 * in that queue any more but bytes of messages that are larger, with which it takes turns. The last bytes of a message
 * leave the queue as fast as the link is, even if they then wait at that of the receiver; or before, when they arrive, because
 * links that have rested pass them at once.
 *===========================================================================*/
/* Returns true if the first message of a connection has to wait. */
static bool transit__connection_waits(messages_connection *c)
{
    const int32_t from = transit__message_way_from(c->first)->host;
    messages_host *h = &messages->cluster.hosts[from];
    if (h->queued == 0 || transit__message_way_to(c->first)->host == from) return false;
    c->behind = NULL;
    if (h->last_waiting)
        h->last_waiting->behind = c;
    else
        h->first_waiting = c;
    h->last_waiting = c;
    return true;
}

/* The last bytes of a message have left the queue of a host. */
static void transit__queue_left(simkit_world *world, void *user)
{
    const size_t host = (size_t)((char *)user - (char *)messages);
    messages_host *h = &messages->cluster.hosts[host];
    (void)world;
    --h->queued;
    while (h->queued == 0 && h->first_waiting) {
        messages_connection *next = h->first_waiting;
        h->first_waiting = next->behind;
        if (!h->first_waiting) h->last_waiting = NULL;
        transit__connection_transfer(next);
        h = &messages->cluster.hosts[host];
    }
}

/* The last bytes of a message come into the queue of a host, in which they are for so long [s], unless they arrive before. */
static void transit__queue_joined(messages_message *m, int32_t host, double seconds)
{
    ++messages->cluster.hosts[host].queued;
    messages_check(
        simkit_step_after(direct->world, seconds, 0, transit__queue_left, (char *)messages + host, &m->leaves));
}

/* All bytes of a message have arrived. */
static void transit__queue_passed(messages_message *m)
{
    if (m->queued && simkit_step_cancel(direct->world, m->leaves))
        transit__queue_left(direct->world, (char *)messages + transit__message_way_from(m)->host);
}

/*=============================================================================
 * MARK: - >>answers
 *===========================================================================*/
static bool transit__message_is_large(const messages_message *m)
{
    return m->notice == NOTICE_COMPLETE;
}

/* Returns how long an answer waits for other bytes of its connection, if it is idle otherwise: for all of the messages that are sent
 * at once, and for as much of each large one as is handed to the connection at a time [s]. */
static double transit__answer_wait(const messages_connection *c, double held)
{
    double wait = 0, passing = c->passing;
    for (const messages_message *m = c->first; m; m = m->in.way.behind, passing = 0) {
        const double load = m->in.way.load + passing;
        wait += transit__message_is_large(m) ? fmin(load, held) : load;
    }
    return wait;
}

/* The time for the bytes that are handed to a connection at a time. */
static double transit__ahead_time(const messages_way *way)
{
    return way->bandwidth > 0 ? messages->cluster.ahead / way->bandwidth : 0;
}

/* So much has been transferred on a connection [s]; INFINITY: it is idle. */
static void transit__answers_advance(messages_connection *c, double seconds)
{
    for (messages_message *m = c->answers; m; m = m->in.way.behind) {
        const double left = m->in.way.load - seconds;
        m->in.way.load = left > 1e-9 * m->in.way.load ? left : 0; /* less is an error of rounding */
    }
    for (messages_message **at = &c->answers; *at;) {
        messages_message *m = *at;
        if (m->in.way.load > 0 || !m->due) {
            at = &m->in.way.behind;
            continue;
        }
        *at = m->in.way.behind;
        messages_above.notice(m, m->notice);
        at = &c->answers; /* the list may have changed */
    }
}

/*=============================================================================
 * MARK: - >>transfers
 *===========================================================================*/
enum { PACKET = 1460 }; /* bytes of a full one on Ethernet */

/* Returns what remains of a message after its next part [s]. It is transferred in parts: until the sender is done; until its last
 * bytes are in the queue of the link; and, where answers may overtake it, in short ones. */
static double transit__message_part_end(const messages_message *m, const messages_way *way, double queue)
{
    enum { PARTS = 64 }; /* of a large message; and 4 of what is handed over at a time */
    const double load = m->in.way.load, held = transit__ahead_time(way);
    double end = 0;
    if (m->in.way.tail < load) end = m->in.way.tail;
    if (queue < load && queue > end) end = queue;
    if (transit__message_is_large(m) && held > 0) {
        const double all = (double)m->bytes / way->bandwidth;
        end = fmax(end, load - fmax(held / 4, all / PARTS));
    }
    return end;
}

/* Bytes that a host sends during a message because it also acknowledges what it receives. What comes from the task to which it
 * sends, the message itself acknowledges. */
static double transit__acknowledgements(const messages_message *m)
{
    const messages_task *from = transit__message_way_from(m), *to = transit__message_way_to(m);
    const messages_connection *back = messages_connection_with(to, from->number);
    const uint32_t of_message = back && back->passing > 0;
    if (messages->cluster.hosts[from->host].receiving <= of_message) return 0;
    return transit__message_part(m) / PACKET * messages->cluster.acknowledge;
}

/* Returns true if the switch can store all of a message, so that it leaves the link of its sender without waiting for that of its
 * receiver. */
static bool transit__message_is_stored(const messages_message *m, const messages_way *way)
{
    return messages->cluster.buffer > 0 && (double)m->bytes <= messages->cluster.buffer && way->switched && !m->asks &&
           !transit__message_is_large(m);
}

static void transit__connection_pass(messages_connection *c, simkit_node from, simkit_node to, double bytes,
                                     double limit)
{
    simkit_transfer_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.from = from;
    desc.to = to;
    desc.bytes = bytes;
    desc.rate_limit = limit;
    desc.done = transit__connection_transferred;
    desc.user = c;
    ++c->transfers;
    messages_check(simkit_transfer_start(direct->world, &desc, NULL));
}

/* Transfers the next part of the first message. */
static void transit__connection_transfer(messages_connection *c)
{
    messages_message *m = c->first;
    messages_cluster *cluster = &messages->cluster;
    const int32_t from = transit__message_way_from(m)->host, to = transit__message_way_to(m)->host;
    const messages_way way = messages_way_between(cluster, from, to);
    const double queue = from != to && way.bandwidth > 0 ? cluster->queue / way.bandwidth : 0;
    double more = 0;
    if (m->in.way.tail >= m->in.way.load && m->sender) {
        messages_request *r = m->sender;
        m->in.way.tail = 0;
        m->sender = NULL;
        messages_request_done(r);
    }
    const double end = transit__message_part_end(m, &way, queue);
    if (cluster->acknowledge > 0 && from != to) {
        if (end <= 0) more = transit__acknowledgements(m);
        ++cluster->hosts[to].receiving;
    }
    if (queue >= m->in.way.load && !m->queued) {
        const double link = cluster->hosts[from].desc.up_bandwidth;
        m->queued = true;
        transit__queue_joined(
            m, from, (m->in.way.load + more / way.bandwidth) * (link > way.bandwidth ? way.bandwidth / link : 1));
    }
    /* as many bytes as the slowest link transfers in the time that an idle connection takes */
    c->passing = m->in.way.load - end;
    m->in.way.load = end;
    const double bytes = c->passing * way.bandwidth;
    const simkit_node nodes[2] = { cluster->hosts[from].node, cluster->hosts[to].node };
    if (transit__message_is_stored(m, &way)) {
        const simkit_node between = messages_switch_node(cluster, direct->world);
        transit__connection_pass(c, nodes[0], between, bytes + more, way.limit);
        transit__connection_pass(c, between, nodes[1], bytes, way.limit);
    } else {
        transit__connection_pass(c, nodes[0], nodes[1], bytes + more, way.limit);
    }
}

static void transit__connection_transferred(simkit_world *world, void *user)
{
    messages_connection *c = user;
    const double passed = c->passing;
    (void)world;
    --c->transfers;
    if (c->transfers > 0) return;
    c->passing = 0;
    if (c->first->in.way.load <= 0) transit__queue_passed(c->first);
    if (messages->cluster.acknowledge > 0) {
        const int32_t from = transit__message_way_from(c->first)->host, to = transit__message_way_to(c->first)->host;
        if (from != to) --messages->cluster.hosts[to].receiving;
    }
    ++c->users;
    if (c->first->in.way.load > 0)
        transit__connection_transfer(c);
    else
        transit__connection_next(c);
    if (c->answers) transit__answers_advance(c, passed);
    transit__connection_advance(c); /* does nothing while the receiver processes the first message */
    transit__connection_leave(c);
}

static void transit__connection_advance(messages_connection *c)
{
    while (c->first && c->first->due && !c->busy) {
        messages_message *m = c->first;
        c->busy = true;
        m->watching = m->watched = false;
        transit__message_watch(c);
        if (m->in.way.load <= 0)
            transit__connection_next(c);
        else if (!transit__connection_waits(c))
            transit__connection_transfer(c);
    }
    if (!c->first && c->answers) transit__answers_advance(c, INFINITY);
}

/*=============================================================================
 * MARK: - >>beginning
 *===========================================================================*/
static void transit__message_due(simkit_world *world, void *user)
{
    messages_message *m = user;
    messages_connection *c = m->in.way.connection;
    (void)world;
    m->due = true;
    ++c->users;
    if (m->answers)
        transit__answers_advance(c, 0);
    else
        transit__connection_advance(c);
    transit__connection_leave(c);
}

static void transit__connection_add(messages_connection *c, messages_message *m)
{
    m->in.way.behind = NULL;
    if (c->last)
        c->last->in.way.behind = m;
    else
        c->first = m;
    c->last = m;
    if (!m->joins) ++c->packets;
}

static void transit__answer_add(messages_connection *c, messages_message *m, double wait)
{
    messages_message **at = &c->answers;
    while (*at) at = &(*at)->in.way.behind;
    m->in.way.behind = NULL;
    m->in.way.load = wait;
    *at = m;
}

/* Sends the next bytes of a message, the only purpose of this user of the connection. A small one joins the packet of the
 * message before it, if that waits for room in the queue of the link. Their time is divided into a latency, which is not
 * shared, and a load on the links. */
void messages_message_launch_on(messages_connection *c, messages_message *m)
{
    const messages_cluster *cluster = &messages->cluster;
    const double bytes = transit__message_part(m);
    const messages_task *from = transit__message_way_from(m), *to = transit__message_way_to(m);
    m->joins = !m->answers && (double)c->packets * PACKET > cluster->queue;
    const double header = m->answers ? 0 : m->joins ? cluster->header_more : cluster->header;
    double latency, whole;
    messages_transmission(cluster, from->host, to->host, bytes, header, &latency, &whole);
    if (from->host == to->host && from != to && m->notice == NOTICE_ARRIVED &&
        messages_host_is_free(cluster, from->host))
        ++messages->counted.costless;
    m->in.way.load = whole - latency;
    m->in.way.tail = 0;
    if (m->notice == NOTICE_COMPLETE && m->sender && m->in.way.load > 0)
        m->in.way.tail = m->in.way.load * fmin(cluster->buffer / bytes, 1);
    m->in.way.connection = c;
    m->due = latency <= 0;
    if (m->answers) {
        const messages_way way = messages_way_between(cluster, from->host, to->host);
        transit__answer_add(c, m, transit__answer_wait(c, transit__ahead_time(&way)));
    } else {
        transit__connection_add(c, m);
    }
    if (!m->due)
        messages_check(simkit_step_after(direct->world, messages_disturb(latency), 0, transit__message_due, m, NULL));
    else if (m->answers)
        transit__answers_advance(c, 0);
    else
        transit__connection_advance(c);
    transit__connection_leave(c);
}

void messages_message_launch(messages_message *m)
{
    messages_message_launch_on(
        messages_connection_use(transit__message_way_from(m), transit__message_way_to(m)->number), m);
}
