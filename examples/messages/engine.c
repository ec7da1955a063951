/* engine.c - runs the scripts of tasks on the virtual clock. It runs in the process of whichever task hands over its
 * script; its state is in the arena. Events are ordered by virtual time, so a receive takes the earliest message. */
#define _GNU_SOURCE
#include "core.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OF_LINK(type, member, pointer) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* Notices about a message. */
typedef enum message_notice {
    NOTICE_ARRIVED, /* receiver: it has arrived, or its rendezvous request has */
    NOTICE_READY,   /* sender: the receiver is ready for it */
    NOTICE_MATCHED, /* sender: the receiver has begun to receive */
    NOTICE_COMPLETE /* receiver: the rest of its bytes has arrived */
} message_notice;

/* There may be a million at once, so those parts share memory that are not needed at the same time. */
struct messages_message {
    union {
        struct {
            messages_connection *connection;
            messages_message *behind; /* in its queue, or in that of deferred notices */
            double load, tail;        /* time that the bytes occupy an idle connection [s]; `tail` of it after the
                                         sender is done. Of an answer, load: until it overtakes the other bytes */
        } way;
        struct {
            messages_link link, any; /* of its source, of all */
        } arrived;
    } in;
    messages_envelope envelope;
    int32_t from, to;
    size_t bytes;
    messages_chunk *chunk;
    uint32_t look; /* its receiver's number of looks when it arrived */
    messages_mode mode : 8;
    message_notice notice : 8;
    bool joins;               /* the packet of the message before it */
    bool queued;              /* its last bytes are in the queue of the sender's link */
    bool asks;                /* asks the receiver before its bytes are sent (rendezvous) */
    bool answers;             /* is the answer to such a request, on its way back */
    bool due;                 /* its latency is over */
    bool there;               /* its bytes have arrived */
    bool watching;            /* its receiver is busy processing them */
    bool watched;             /* its receiver has processed them */
    bool known;               /* `other` is its receive from the beginning: an answer to a parcel */
    bool coming;              /* is in its receiver's list of those that will come */
    bool certain;             /* it is known which receive it is for */
    bool withdrawn;           /* its sender has cancelled it: nobody receives it */
    uint32_t order;           /* in a trace: when it was sent, among what happens at one instant */
    messages_request *sender; /* to be completed; may be NULL */
    messages_request *other;  /* once matched, its receive; before it is sent, the one whose data it forwards */
    double sent;
    messages_parcel *parcel; /* of one-sided communication; NULL: a message to be received */
    const void *caller;      /* address of the program that sent it */
};

/* What a script will send: one line of the caches. It becomes a message when it is sent, because in an all-to-all scripts
 * have half a million of them, but far fewer are in transit. With several cores it is a message from the beginning, which
 * can be known to come. */
struct messages_letter {
    messages_envelope envelope;
    size_t bytes;
    messages_chunk *chunk;
    messages_request *sender, *other;
    const void *caller;
    int32_t to;
    messages_mode mode;
};

static void engine__advance(messages_task *t);
static void engine__message_certain(messages_message *m, messages_request *r);
static void engine__coming_remove(messages_task *t, const messages_message *m);
static bool engine__coming_find(messages_task *t, messages_request *r);

static void engine__check(simkit_result result)
{
    if (result != SIMKIT_OK) messages_end(1, "%s", simkit_world_why(messages->world));
}

/* Notes an event for which polling tasks may have waited. */
void messages_goes_on(void)
{
    messages->polls_before = messages->polls;
    messages->polls_time = 0;
    messages->polls_since = simkit_clock_now(messages->world);
}

static messages_task *engine__task(int32_t number)
{
    return messages->tasks[number];
}

/* Circular lists. */
static void engine__link_init(messages_link *head)
{
    head->before = head->after = head;
}

static void engine__link_add(messages_link *head, messages_link *link)
{
    link->before = head->before;
    link->after = head;
    head->before->after = link;
    head->before = link;
}

static void engine__link_remove(messages_link *link)
{
    link->before->after = link->after;
    link->after->before = link->before;
}

static messages_queues *engine__queues_for(messages_task *t, messages_envelope e)
{
    return &t->queues[((unsigned)e.source + 7u * (unsigned)e.context) & (t->queue_count - 1)];
}

static void engine__queues_init(messages_queues *queues, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        engine__link_init(&queues[i].posted);
        engine__link_init(&queues[i].arrived);
    }
}

static bool engine__envelope_fits(messages_envelope asked, messages_envelope found)
{
    return asked.context == found.context && (asked.source == MESSAGES_ANY || asked.source == found.source) &&
           (asked.tag == MESSAGES_ANY || asked.tag == found.tag);
}

static void engine__script_init(messages_script *s)
{
    s->room = 16;
    s->actions = messages_new(s->room * sizeof *s->actions);
}

void messages_script_begin(messages_task *t)
{
    engine__script_init(&t->script);
    t->last_script = &t->script;
}

messages_task *messages_task_add(const char *name, int32_t host, double begin)
{
    messages_arena *a = messages;
    if (a->task_count == MESSAGES_MOST_TASKS) messages_end(1, "more than %d tasks", MESSAGES_MOST_TASKS);
    messages_task *t = messages_new(sizeof *t);
    t->number = (int32_t)a->task_count;
    t->host = host;
    t->parent = -1;
    t->live = true;
    snprintf(t->name, sizeof t->name, "%s", name);
    t->queues = t->first_queues;
    t->queue_count = MESSAGES_QUEUES;
    engine__queues_init(t->queues, t->queue_count);
    engine__link_init(&t->posted_any);
    engine__link_init(&t->arrived_any);
    if (!a->tasks) {
        a->tasks = messages_new(MESSAGES_MOST_TASKS * sizeof(messages_task *));
        a->numbers_of = messages_new(MESSAGES_MOST_TASKS * sizeof(int32_t));
    }
    a->numbers_of[a->task_count] = t->number;
    a->tasks[a->task_count++] = t;
    ++a->live;
    t->state = MESSAGES_SLEEPING;
    t->began = t->since = simkit_clock_now(a->world);
    messages_action sleep = { .kind = MESSAGES_SLEEP, .amount = begin };
    messages_script_begin(t);
    t->script.actions[t->script.count++] = sleep;
    return t;
}

/* Changes the state to which a task's time is attributed. */
static void engine__state_set(messages_task *t, messages_state state)
{
    double now = simkit_clock_now(messages->world);
    t->spent[t->state] += now - t->since;
    if (messages->log && now > t->since && !t->of) messages_log_state(t, now);
    t->since = now;
    t->state = state;
}

static void engine__turn_ask(messages_task *t)
{
    if (t->ended) return;
    t->next_ready = NULL;
    if (messages->last_ready)
        messages->last_ready->next_ready = t;
    else
        messages->first_ready = t;
    messages->last_ready = t;
    simkit_world_stop(messages->world);
}

/* A task's computation or sleep is over. */
static void engine__time_over(simkit_world *world, void *user)
{
    messages_task *t = user;
    (void)world;
    if (t->ended) return;
    engine__state_set(t, MESSAGES_COMPUTING);
    engine__advance(t);
}

void messages_computation_start(const messages_task *t, double seconds, simkit_call *done, void *user,
                                simkit_computation *started)
{
    simkit_computation_desc desc;
    if (messages->cluster.busy_counts)
        messages_host_busy(&messages->cluster, t->host, simkit_clock_now(messages->world), seconds);
    memset(&desc, 0, sizeof desc);
    desc.node = messages->cluster.hosts[t->host].node;
    desc.seconds = seconds;
    desc.lane = t->name;
    desc.done = done;
    desc.user = user;
    engine__check(simkit_computation_start(messages->world, &desc, started));
}

static void engine__compute(messages_task *t, messages_state state, double seconds)
{
    engine__state_set(t, state);
    if (state == MESSAGES_COMPUTING) t->worked += seconds;
    messages_computation_start(t, seconds, engine__time_over, t, &t->computation);
}

/*=============================================================================
 * MARK: - >>messages in transit
 *===========================================================================*/

static void engine__notify(messages_message *m, message_notice what);
static void engine__request_done(messages_request *r);

/* Nobody will receive it. */
static void engine__message_lose(const messages_message *m)
{
    if (m->parcel || m->known || m->withdrawn) return; /* of a window, or cancelled */
    messages_unreceived(engine__task(m->to), engine__task(m->from), m->envelope, m->bytes, m->sent, m->caller);
}

/* Of a letter, whose members mean the same here. */
static messages_message *engine__message_new(const messages_task *t, const messages_letter *l)
{
    messages_message *m = messages_new(sizeof *m);
    m->from = t->number;
    m->to = l->to;
    m->envelope = l->envelope;
    m->bytes = l->bytes;
    m->chunk = l->chunk;
    m->mode = l->mode;
    m->sender = l->sender;
    m->other = l->other;
    m->caller = l->caller;
    return m;
}

static void engine__message_drop(messages_message *m)
{
    messages_chunk_drop(m->chunk);
    messages_free(m, sizeof *m);
}

/* Whether the table of a task's partners has no place for another task, or would be so full that searches take long. */
static bool engine__partners_full(const messages_task *t, int32_t other)
{
    if (t->partners_direct) return (uint32_t)other >= t->partner_room;
    return 8 * (t->partner_count + 1) > 7 * t->partner_room;
}

/* Where the search for another task begins in that table. Partners of a rank are often at distances that are powers of two,
 * so all bits count. */
static uint32_t engine__partner_first(const messages_task *t, int32_t other)
{
    enum { BITS = 32 };
    if (t->partners_direct) return (uint32_t)other;
    const unsigned shift = BITS - (unsigned)__builtin_ctz(t->partner_room);
    return (uint32_t)other * UINT32_C(0x9e3779b1) >> shift;
}

/* Where another task stands in that table, or would stand if it were added; NULL: the table has no room for it. */
static messages_partner *engine__partner_place(const messages_task *t, int32_t other)
{
    if (t->partner_room == 0 || (t->partners_direct && (uint32_t)other >= t->partner_room)) return NULL;
    uint32_t at = engine__partner_first(t, other);
    while (t->partners[at].other != 0 && t->partners[at].other != (uint32_t)other + 1)
        at = (at + 1) & (t->partner_room - 1);
    return &t->partners[at];
}

/* A table with room for all tasks needs no hash: each stands at its number. */
static void engine__partners_enlarge(messages_task *t)
{
    messages_partner *before = t->partners;
    const uint32_t room = t->partner_room;
    t->partner_room = room > 0 ? 2 * room : 4;
    t->partners_direct = t->partner_room >= messages->task_count;
    t->partners = messages_new(t->partner_room * sizeof *before);
    for (uint32_t i = 0; i < room; ++i)
        if (before[i].other != 0) *engine__partner_place(t, (int32_t)before[i].other - 1) = before[i];
    messages_free(before, room * sizeof *before);
}

messages_partner *messages_partner_of(messages_task *t, int32_t other)
{
    messages_partner *p = engine__partner_place(t, other);
    if (p && p->other != 0) return p;
    if (engine__partners_full(t, other)) engine__partners_enlarge(t);
    ++t->partner_count;
    p = engine__partner_place(t, other);
    p->other = (uint32_t)other + 1;
    return p;
}

/* A block of the arena in 32 bits: connections are whole lines of the caches, and the arena has up to 2^32 lines. */
enum { CONNECTION_BYTES = sizeof(messages_connection) };

/* The connection of a task to a partner; NULL: nothing is in transit. */
static messages_connection *engine__connection_of(const messages_task *t, const messages_partner *p)
{
    if (p->connection == 0) return NULL;
    messages_connection *c =
        (messages_connection *)(void *)((char *)messages + (size_t)p->connection * CONNECTION_BYTES);
    return c->from == t->number && c->to == (int32_t)p->other - 1 ? c : NULL;
}

/* Likewise to another task. */
static messages_connection *engine__connection_with(const messages_task *t, int32_t other)
{
    const messages_partner *p = engine__partner_place(t, other);
    return p && p->other != 0 ? engine__connection_of(t, p) : NULL;
}

/* The connection to another task, for one more user. */
static messages_connection *engine__connection_use(messages_task *t, int32_t other)
{
    messages_partner *p = messages_partner_of(t, other);
    messages_connection *c = engine__connection_of(t, p);
    if (!c) {
        c = messages->free_connections;
        if (c)
            messages->free_connections = c->behind;
        else
            c = messages_new(sizeof *c);
        *c = (messages_connection){ .from = t->number, .to = other };
        p->connection = (uint32_t)((size_t)((char *)c - (char *)messages) / CONNECTION_BYTES);
    }
    ++c->users;
    return c;
}

static void engine__connection_leave(messages_connection *c)
{
    if (--c->users > 0 || c->first || c->answers) return;
    c->from = -1;
    c->behind = messages->free_connections;
    messages->free_connections = c;
}

static messages_task *engine__message_way_from(const messages_message *m)
{
    return engine__task(m->answers ? m->to : m->from);
}

static messages_task *engine__message_way_to(const messages_message *m)
{
    return engine__task(m->answers ? m->from : m->to);
}

static void engine__connection_advance(messages_connection *c);
static void engine__connection_next(messages_connection *c);

/* Bytes that a rendezvous sends with its request. */
static double engine__message_early(const messages_message *m)
{
    return fmin(messages->cluster.early, (double)m->bytes);
}

/* Bytes that are in transit, or will be next. */
static double engine__message_part(const messages_message *m)
{
    if (m->answers) return 0;
    if (m->notice == NOTICE_COMPLETE) return (double)m->bytes - engine__message_early(m);
    return m->asks ? engine__message_early(m) : (double)m->bytes;
}

static void engine__message_watched(simkit_world *world, void *user)
{
    messages_connection *c = user;
    (void)world;
    c->first->watching = false;
    --engine__message_way_to(c->first)->watches;
    if (!c->first->there) return;
    ++c->users;
    engine__connection_next(c);
    engine__connection_advance(c);
    engine__connection_leave(c);
}

static void engine__message_woken(simkit_world *world, void *user)
{
    messages_connection *c = user;
    (void)world;
    messages_computation_start(engine__message_way_to(c->first), c->watch, engine__message_watched, c, NULL);
}

/* A task that waits in a call processes the bytes of the first message of a connection as they arrive, which takes CPU time.
 * If it has waited for long, it has to be woken, unless another message has done that. */
static void engine__message_watch(messages_connection *c)
{
    messages_message *m = c->first;
    messages_task *t = engine__message_way_to(m);
    double wake;
    if (t->ended || !(t->waits || t->probes)) return;
    const double now = simkit_clock_now(messages->world), waited = t->watches > 0 ? 0 : now - t->since;
    c->watch = messages_watch_delay(&messages->cluster, t->host, engine__message_part(m), waited, now, &wake);
    if (!(c->watch > 0)) return;
    m->watching = m->watched = true;
    ++t->watches;
    if (wake > 0)
        engine__check(simkit_step_after(messages->world, wake, 0, engine__message_woken, c, NULL));
    else
        messages_computation_start(t, c->watch, engine__message_watched, c, NULL);
}

static void engine__connection_next(messages_connection *c)
{
    messages_message *m = c->first;
    m->there = true;
    if (m->watching) return;
    m->there = false;
    c->first = m->in.way.behind;
    if (!c->first || !c->first->joins) --c->packets;
    if (!c->first) c->last = NULL;
    c->busy = false;
    engine__notify(m, m->notice);
}

/* -- the queue of a link --
 * What a host sends waits at its link in the order in which it came, up to `queue` bytes: a message begins when nothing is
 * in that queue any more but bytes of messages that are larger, with which it takes turns. The last bytes of a message
 * leave the queue as fast as the link is, even if they then wait at that of the receiver. */

/* Whether the first message of a connection has to wait. */
static bool engine__connection_waits(messages_connection *c)
{
    const int32_t from = engine__message_way_from(c->first)->host;
    messages_host *h = &messages->cluster.hosts[from];
    if (h->queued == 0 || engine__message_way_to(c->first)->host == from) return false;
    c->behind = NULL;
    if (h->last_waiting)
        h->last_waiting->behind = c;
    else
        h->first_waiting = c;
    h->last_waiting = c;
    return true;
}

static void engine__connection_transfer(messages_connection *c);

/* The last bytes of a message have left the queue of a host. */
static void engine__queue_left(simkit_world *world, void *user)
{
    const size_t host = (size_t)((char *)user - (char *)messages);
    messages_host *h = &messages->cluster.hosts[host];
    (void)world;
    --h->queued;
    while (h->queued == 0 && h->first_waiting) {
        messages_connection *next = h->first_waiting;
        h->first_waiting = next->behind;
        if (!h->first_waiting) h->last_waiting = NULL;
        engine__connection_transfer(next);
        h = &messages->cluster.hosts[host];
    }
}

/* The last bytes of a message come into the queue of a host, in which they are for so long [s]. */
static void engine__queue_joined(int32_t host, double seconds)
{
    ++messages->cluster.hosts[host].queued;
    engine__check(simkit_step_after(messages->world, seconds, 0, engine__queue_left, (char *)messages + host, NULL));
}

/* -- answers -- */

static bool engine__message_is_large(const messages_message *m)
{
    return m->notice == NOTICE_COMPLETE;
}

/* How long an answer waits for other bytes of its connection, if it is idle otherwise: for all of the messages that are sent
 * at once, and for as much of each large one as is handed to the connection at a time [s]. */
static double engine__answer_wait(const messages_connection *c, double held)
{
    double wait = 0, passing = c->passing;
    for (const messages_message *m = c->first; m; m = m->in.way.behind, passing = 0) {
        const double load = m->in.way.load + passing;
        wait += engine__message_is_large(m) ? fmin(load, held) : load;
    }
    return wait;
}

/* The time for the bytes that are handed to a connection at a time. */
static double engine__ahead_time(const messages_way *way)
{
    return way->bandwidth > 0 ? messages->cluster.ahead / way->bandwidth : 0;
}

/* So much has been transferred on a connection [s]; INFINITY: it is idle. */
static void engine__answers_advance(messages_connection *c, double seconds)
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
        engine__notify(m, m->notice);
        at = &c->answers; /* the list may have changed */
    }
}

static void engine__connection_transferred(simkit_world *world, void *user);

/* What remains of a message after its next part [s]. It is transferred in parts: until the sender is done; until its last
 * bytes are in the queue of the link; and, where answers may overtake it, in short ones. */
static double engine__message_part_end(const messages_message *m, const messages_way *way, double queue)
{
    enum { PARTS = 64 }; /* of a large message; and 4 of what is handed over at a time */
    const double load = m->in.way.load, held = engine__ahead_time(way);
    double end = 0;
    if (m->in.way.tail < load) end = m->in.way.tail;
    if (queue < load && queue > end) end = queue;
    if (engine__message_is_large(m) && held > 0) {
        const double all = (double)m->bytes / way->bandwidth;
        end = fmax(end, load - fmax(held / 4, all / PARTS));
    }
    return end;
}

enum { PACKET = 1460 }; /* bytes of a full one on Ethernet */

/* Bytes that a host sends during a message because it also acknowledges what it receives. What comes from the task to which it
 * sends, the message itself acknowledges. */
static double engine__acknowledgements(const messages_message *m)
{
    const messages_task *from = engine__message_way_from(m), *to = engine__message_way_to(m);
    const messages_connection *back = engine__connection_with(to, from->number);
    const uint32_t of_message = back && back->passing > 0;
    if (messages->cluster.hosts[from->host].receiving <= of_message) return 0;
    return engine__message_part(m) / PACKET * messages->cluster.acknowledge;
}

/* Whether the switch can store all of a message, so that it leaves the link of its sender without waiting for that of its
 * receiver. */
static bool engine__message_is_stored(const messages_message *m, const messages_way *way)
{
    return messages->cluster.buffer > 0 && (double)m->bytes <= messages->cluster.buffer && way->switched && !m->asks &&
           !engine__message_is_large(m);
}

static void engine__connection_pass(messages_connection *c, simkit_node from, simkit_node to, double bytes,
                                    double limit)
{
    simkit_transfer_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.from = from;
    desc.to = to;
    desc.bytes = bytes;
    desc.rate_limit = limit;
    desc.done = engine__connection_transferred;
    desc.user = c;
    ++c->transfers;
    engine__check(simkit_transfer_start(messages->world, &desc, NULL));
}

/* Transfers the next part of the first message. */
static void engine__connection_transfer(messages_connection *c)
{
    messages_message *m = c->first;
    messages_cluster *cluster = &messages->cluster;
    const int32_t from = engine__message_way_from(m)->host, to = engine__message_way_to(m)->host;
    const messages_way way = messages_way_between(cluster, from, to);
    const double queue = from != to && way.bandwidth > 0 ? cluster->queue / way.bandwidth : 0;
    double more = 0;
    if (m->in.way.tail >= m->in.way.load && m->sender) {
        messages_request *r = m->sender;
        m->in.way.tail = 0;
        m->sender = NULL;
        engine__request_done(r);
    }
    const double end = engine__message_part_end(m, &way, queue);
    if (cluster->acknowledge > 0 && from != to) {
        if (end <= 0) more = engine__acknowledgements(m);
        ++cluster->hosts[to].receiving;
    }
    if (queue >= m->in.way.load && !m->queued) {
        const double link = cluster->hosts[from].desc.up_bandwidth;
        m->queued = true;
        engine__queue_joined(from, (m->in.way.load + more / way.bandwidth) *
                                       (link > way.bandwidth ? way.bandwidth / link : 1));
    }
    /* as many bytes as the slowest link transfers in the time that an idle connection takes */
    c->passing = m->in.way.load - end;
    m->in.way.load = end;
    const double bytes = c->passing * way.bandwidth;
    const simkit_node nodes[2] = { cluster->hosts[from].node, cluster->hosts[to].node };
    if (engine__message_is_stored(m, &way)) {
        const simkit_node between = messages_switch_node(cluster, messages->world);
        engine__connection_pass(c, nodes[0], between, bytes + more, way.limit);
        engine__connection_pass(c, between, nodes[1], bytes, way.limit);
    } else {
        engine__connection_pass(c, nodes[0], nodes[1], bytes + more, way.limit);
    }
}

static void engine__connection_transferred(simkit_world *world, void *user)
{
    messages_connection *c = user;
    const double passed = c->passing;
    (void)world;
    --c->transfers;
    if (c->transfers > 0) return;
    c->passing = 0;
    if (messages->cluster.acknowledge > 0) {
        const int32_t from = engine__message_way_from(c->first)->host, to = engine__message_way_to(c->first)->host;
        if (from != to) --messages->cluster.hosts[to].receiving;
    }
    ++c->users;
    if (c->first->in.way.load > 0)
        engine__connection_transfer(c);
    else
        engine__connection_next(c);
    if (c->answers) engine__answers_advance(c, passed);
    engine__connection_advance(c); /* does nothing while the receiver processes the first message */
    engine__connection_leave(c);
}

static void engine__connection_advance(messages_connection *c)
{
    while (c->first && c->first->due && !c->busy) {
        messages_message *m = c->first;
        c->busy = true;
        m->watching = m->watched = false;
        engine__message_watch(c);
        if (m->in.way.load <= 0)
            engine__connection_next(c);
        else if (!engine__connection_waits(c))
            engine__connection_transfer(c);
    }
    if (!c->first && c->answers) engine__answers_advance(c, INFINITY);
}

static void engine__message_due(simkit_world *world, void *user)
{
    messages_message *m = user;
    messages_connection *c = m->in.way.connection;
    (void)world;
    m->due = true;
    ++c->users;
    if (m->answers)
        engine__answers_advance(c, 0);
    else
        engine__connection_advance(c);
    engine__connection_leave(c);
}

static void engine__connection_add(messages_connection *c, messages_message *m)
{
    m->in.way.behind = NULL;
    if (c->last)
        c->last->in.way.behind = m;
    else
        c->first = m;
    c->last = m;
    if (!m->joins) ++c->packets;
}

static void engine__answer_add(messages_connection *c, messages_message *m, double wait)
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
static void engine__message_launch_on(messages_connection *c, messages_message *m)
{
    const messages_cluster *cluster = &messages->cluster;
    const double bytes = engine__message_part(m);
    const messages_task *from = engine__message_way_from(m), *to = engine__message_way_to(m);
    m->joins = !m->answers && (double)c->packets * PACKET > cluster->queue;
    const double header = m->answers ? 0 : m->joins ? cluster->header_more : cluster->header;
    double latency, whole;
    messages_transmission(cluster, from->host, to->host, bytes, header, &latency, &whole);
    if (whole <= 0 && from->host == to->host && from != to && m->notice == NOTICE_ARRIVED) ++messages->costless;
    m->in.way.load = whole - latency;
    m->in.way.tail = 0;
    if (m->notice == NOTICE_COMPLETE && m->sender && m->in.way.load > 0)
        m->in.way.tail = m->in.way.load * fmin(cluster->buffer / bytes, 1);
    m->in.way.connection = c;
    m->due = latency <= 0;
    if (m->answers) {
        const messages_way way = messages_way_between(cluster, from->host, to->host);
        engine__answer_add(c, m, engine__answer_wait(c, engine__ahead_time(&way)));
    } else {
        engine__connection_add(c, m);
    }
    if (!m->due)
        engine__check(simkit_step_after(messages->world, latency, 0, engine__message_due, m, NULL));
    else if (m->answers)
        engine__answers_advance(c, 0);
    else
        engine__connection_advance(c);
    engine__connection_leave(c);
}

static void engine__message_launch(messages_message *m)
{
    engine__message_launch_on(engine__connection_use(engine__message_way_from(m), engine__message_way_to(m)->number),
                              m);
}

/*=============================================================================
 * MARK: - >>requests
 *===========================================================================*/

static void engine__request_arrived(messages_request *r)
{
    messages_task *t = r->owner;
    r->progress = MESSAGES_ARRIVED;
    if (!r->watched) return;
    r->in.after = NULL;
    if (t->last_arrived)
        t->last_arrived->in.after = r;
    else
        t->first_arrived = r;
    t->last_arrived = r;
    if (t->waits) engine__advance(t);
}

static void engine__request_done(messages_request *r)
{
    messages_task *t = r->owner;
    r->progress = MESSAGES_DONE;
    if (!r->watched) return;
    r->watched = false;
    if (t->open > 0) --t->open; /* 0: a wait for some requests may have ended while the task was receiving */
    if (t->waits && t->open == 0) engine__advance(t);
}

/* Answers the sender, behind what has been handed to the connection, as with TCP. */
static void engine__message_answer(messages_message *m)
{
    m->answers = true;
    m->notice = m->asks ? NOTICE_READY : NOTICE_MATCHED;
    engine__message_launch(m);
}

static messages_chunk *engine__request_own_chunk(messages_request *r)
{
    return (messages_chunk *)(void *)r->own;
}

static size_t engine__request_bytes(const messages_request *r)
{
    return sizeof *r + (r->small > 0 ? sizeof(messages_chunk) + r->small : 0);
}

/* Moves the bytes of a message to its receive. */
static void engine__request_keep(messages_request *r, messages_message *m)
{
    r->seen = m->watched;
    r->look = m->look;
    if (r->shown) return; /* its owner has read the data, and perhaps dropped it */
    r->chunk = m->chunk;
    m->chunk = NULL;
    if (!r->chunk || r->chunk->absent || r->small == 0 || r->chunk->bytes > r->small) return;
    messages_chunk *own = engine__request_own_chunk(r);
    own->bytes = r->chunk->bytes;
    memcpy(own->data, r->chunk->data, own->bytes);
    messages_chunk_drop(r->chunk);
    r->chunk = own;
}

/* A message matches a receive. */
static void engine__message_matched(messages_message *m, messages_request *r)
{
    r->envelope = m->envelope;
    r->from = m->from;
    r->bytes = m->bytes;
    m->other = r;
    engine__message_certain(m, r);
    if (m->asks) {
        r->progress = MESSAGES_MATCHED;
        engine__message_answer(m);
        return;
    }
    engine__request_keep(r, m);
    if (m->mode == MESSAGES_SYNCHRONOUS && m->sender)
        engine__message_answer(m);
    else
        engine__message_drop(m);
    engine__request_arrived(r);
}

static void engine__parcel_take(messages_message *m)
{
    messages_parcel *p = m->parcel;
    p->watched = m->watched;
    engine__message_drop(m);
    messages_parcel_take(p);
}

/* A message arrives that no receive is posted for: a parcel, or an answer to one. */
static bool engine__message_is_one_sided(messages_message *m)
{
    if (m->known)
        engine__message_matched(m, m->other);
    else if (m->parcel && m->asks)
        engine__message_answer(m);
    else if (m->parcel)
        engine__parcel_take(m);
    else
        return false;
    return true;
}

/* A search in its queues has taken so many steps: makes more queues, once. Most tasks never need them. */
static void engine__queues_enlarge(messages_task *t, unsigned steps)
{
    messages_queues *before = t->queues;
    if (steps < MESSAGES_QUEUES || before != t->first_queues) return;
    t->queue_count = 16 * MESSAGES_QUEUES;
    t->queues = messages_new(t->queue_count * sizeof *t->queues);
    engine__queues_init(t->queues, t->queue_count);
    for (int i = 0; i < MESSAGES_QUEUES; ++i) {
        for (messages_link *at = before[i].posted.after, *next; at != &before[i].posted; at = next) {
            next = at->after;
            engine__link_add(&engine__queues_for(t, OF_LINK(messages_request, in.link, at)->envelope)->posted, at);
        }
        for (messages_link *at = before[i].arrived.after, *next; at != &before[i].arrived; at = next) {
            next = at->after;
            engine__link_add(&engine__queues_for(t, OF_LINK(messages_message, in.arrived.link, at)->envelope)->arrived,
                             at);
        }
    }
}

/* A message arrives: it goes to the first posted receive that matches. */
static void engine__message_arrives(messages_task *t, messages_message *m)
{
    messages_link *lists[2] = { &engine__queues_for(t, m->envelope)->posted, &t->posted_any };
    messages_request *found = NULL;
    unsigned steps = 0;
    if (engine__message_is_one_sided(m)) return;
    if (m->coming) engine__coming_remove(t, m);
    if (m->withdrawn) {
        engine__message_drop(m);
        return;
    }
    for (int i = 0; i < 2; ++i)
        for (messages_link *at = lists[i]->after; at != lists[i]; at = at->after) {
            messages_request *r = OF_LINK(messages_request, in.link, at);
            ++steps;
            if (!engine__envelope_fits(r->envelope, m->envelope)) continue;
            if (!found || (int32_t)(r->number - found->number) < 0) found = r; /* the numbers may overflow */
            break;
        }
    engine__queues_enlarge(t, steps);
    if (found) {
        engine__link_remove(&found->in.link);
        engine__message_matched(m, found);
        return;
    }
    engine__link_add(&engine__queues_for(t, m->envelope)->arrived, &m->in.arrived.link);
    engine__link_add(&t->arrived_any, &m->in.arrived.any);
    if (t->probes && engine__envelope_fits(t->probes->envelope, m->envelope)) engine__advance(t);
}

/* The first arrived message that matches an envelope; NULL: none. */
static messages_message *engine__message_find(messages_task *t, messages_envelope e)
{
    const bool any = e.source == MESSAGES_ANY;
    messages_link *list = any ? &t->arrived_any : &engine__queues_for(t, e)->arrived;
    messages_message *found = NULL;
    unsigned steps = 0;
    for (messages_link *at = list->after; at != list && !found; at = at->after, ++steps) {
        messages_message *m =
            any ? OF_LINK(messages_message, in.arrived.any, at) : OF_LINK(messages_message, in.arrived.link, at);
        if (engine__envelope_fits(e, m->envelope)) found = m;
    }
    if (!any) engine__queues_enlarge(t, steps);
    return found;
}

static void engine__message_take(messages_message *m)
{
    engine__link_remove(&m->in.arrived.link);
    engine__link_remove(&m->in.arrived.any);
}

/* A probe has found a message. */
static void engine__probe_found(messages_request *r, messages_message *m)
{
    r->envelope = m->envelope;
    r->bytes = m->bytes;
    r->progress = MESSAGES_DONE;
    if (!r->holds) return;
    engine__message_take(m);
    r->of.held = m;
}

static void engine__receive_post(messages_task *t, messages_request *r)
{
    messages_message *m = r->holds ? r->of.held : NULL;
    if (t->of) t = t->of;
    if (r->progress == MESSAGES_EXPECTED) engine__link_remove(&r->in.link);
    r->progress = MESSAGES_ACTIVE;
    r->number = t->receives++;
    if (!m && (m = engine__message_find(t, r->envelope))) engine__message_take(m);
    if (r->holds) r->of.held = NULL;
    if (m) {
        engine__message_matched(m, r);
        return;
    }
    engine__link_add(r->envelope.source == MESSAGES_ANY ? &t->posted_any : &engine__queues_for(t, r->envelope)->posted,
                     &r->in.link);
    if (messages->cores > 1 && !r->of.coming && !r->shown) engine__coming_find(t, r);
}

static bool engine__task_attends(const messages_task *t)
{
    return !messages->cluster.progress_in_calls || (t->state != MESSAGES_COMPUTING && t->state != MESSAGES_SLEEPING);
}

/* Handles a notice about a message. */
static void engine__notice_take(messages_task *t, messages_message *m)
{
    switch (m->notice) {
    case NOTICE_ARRIVED: engine__message_arrives(t, m); break;
    case NOTICE_READY: {
        /* The CPU time for copying the bytes overlaps with the transfer and is not waited for. */
        m->asks = m->answers = false;
        m->notice = NOTICE_COMPLETE;
        engine__message_launch(m);
        break;
    }
    case NOTICE_MATCHED:
        engine__request_done(m->sender);
        engine__message_drop(m);
        break;
    case NOTICE_COMPLETE: {
        messages_request *r = m->other;
        if (r) engine__request_keep(r, m);
        if (m->sender) engine__request_done(m->sender);
        if (m->parcel) {
            engine__parcel_take(m);
            break;
        }
        engine__message_drop(m);
        engine__request_arrived(r);
        break;
    }
    }
}

static void engine__notify(messages_message *m, message_notice what)
{
    messages_goes_on();
    messages_task *t = engine__task(what == NOTICE_ARRIVED || what == NOTICE_COMPLETE ? m->to : m->from);
    m->notice = what;
    m->look = t->looks;
    if (messages->log && !m->withdrawn && (what == NOTICE_COMPLETE || (what == NOTICE_ARRIVED && !m->asks)))
        messages_log_message(m->from, m->to, (double)m->bytes, m->sent, m->order);
    if (t->ended) {
        if (what == NOTICE_ARRIVED) engine__message_lose(m);
        if (what == NOTICE_ARRIVED || what == NOTICE_MATCHED)
            engine__message_drop(m); /* the task will neither receive it nor be notified */
        if (what == NOTICE_READY)
            engine__notice_take(t, m); /* the bytes are in shared memory although their sender has ended */
        return;
    }
    if (engine__task_attends(t)) {
        engine__notice_take(t, m);
        return;
    }
    m->in.way.behind = NULL;
    if (t->last_deferred)
        t->last_deferred->in.way.behind = m;
    else
        t->first_deferred = m;
    t->last_deferred = m;
}

static void engine__deferred_take(messages_task *t)
{
    while (t->first_deferred) {
        messages_message *m = t->first_deferred;
        t->first_deferred = m->in.way.behind;
        if (!m->in.way.behind) t->last_deferred = NULL;
        engine__notice_take(t, m);
    }
}

bool messages_is_eager(size_t bytes)
{
    return messages->cluster.eager < 0 || (double)bytes <= messages->cluster.eager;
}

/* Gives a message the content that it forwards, if it has been received. */
static void engine__message_fill(messages_message *m)
{
    if (m->known || !m->other || !m->other->chunk || m->chunk) return; /* known: its bytes are in the answer */
    messages_chunk *forwarded = m->other->chunk;
    if (forwarded == engine__request_own_chunk(m->other)) {
        m->chunk = messages_chunk_new(forwarded->bytes);
        memcpy(m->chunk->data, forwarded->data, forwarded->bytes);
    } else {
        m->chunk = forwarded;
        ++m->chunk->references;
    }
}

static void engine__message_send(messages_task *t, messages_message *m, messages_connection *c)
{
    const bool rendezvous = m->mode != MESSAGES_POSTED && !messages_is_eager(m->bytes);
    unsigned size = m->bytes == 0 ? 0 : 64 - (unsigned)__builtin_clzll(m->bytes);
    ++messages->histogram[size < MESSAGES_SIZES ? size : MESSAGES_SIZES - 1];
    ++messages->messages;
    if (t->of) t = t->of;
    ++t->sent;
    t->bytes_sent += (double)m->bytes;
    m->sent = simkit_clock_now(messages->world);
    if (messages->log) m->order = messages_log_order();
    m->asks = rendezvous;
    m->notice = NOTICE_ARRIVED;
    engine__message_fill(m);
    if (m->sender && (m->mode == MESSAGES_BUFFERED || (m->mode == MESSAGES_STANDARD && !rendezvous))) {
        messages_request *r = m->sender;
        m->sender = NULL;
        engine__request_done(r);
    }
    engine__message_launch_on(c, m);
}

void messages_answer_send(messages_task *from, messages_request *r, size_t bytes)
{
    messages_message *m = messages_new(sizeof *m);
    m->from = from->number;
    m->to = r->owner->number;
    m->envelope = r->envelope;
    m->bytes = bytes;
    m->other = r;
    m->known = true;
    engine__message_send(from, m, engine__connection_use(from, m->to));
}

void messages_request_complete(messages_request *r)
{
    engine__request_done(r);
}

/*=============================================================================
 * MARK: - >>running ahead
 *
 * With several cores a task may return to its program before its script is complete: when it only waits, and what it will
 * receive is certain. It then computes beside other tasks, up to its next call, in which it waits for its turn. Turns
 * are still given in the order of virtual time, so all events happen in the same order as on one core, at the same times.
 *
 * A message is certain when its sender has handed over its script up to the send and will not wait before it. Which
 * receive it is for is known then as well, because messages from one task with one tag are received in the order in
 * which they are sent; receives from any source may change that, and a task that uses them does not run ahead.
 * This looks ahead as far as the scripts do: at least by the latency of a message, and by the computing before it.
 *===========================================================================*/

/* A message that will come, and has no receive yet. */
typedef struct coming {
    messages_link link;
    messages_message *message;
} coming;

static messages_link *engine__coming_for(messages_task *t, messages_envelope e)
{
    if (!t->coming) {
        t->coming = messages_new(2 * MESSAGES_COMING * sizeof *t->coming);
        for (int i = 0; i < 2 * MESSAGES_COMING; ++i) engine__link_init(&t->coming[i]);
    }
    return &t->coming[((unsigned)e.source + 7u * (unsigned)e.context) % MESSAGES_COMING];
}

/* Receives that a task will post without waiting before, for which no message is certain. */
static messages_link *engine__expected_for(messages_task *t, messages_envelope e)
{
    return engine__coming_for(t, e) + MESSAGES_COMING;
}

static coming *engine__coming_of(messages_link *at)
{
    return OF_LINK(coming, link, at);
}

static void engine__coming_take(coming *c)
{
    c->message->coming = false;
    engine__link_remove(&c->link);
    messages_free(c, sizeof *c);
}

static void engine__coming_remove(messages_task *t, const messages_message *m)
{
    messages_link *at = engine__coming_for(t, m->envelope)->after;
    while (engine__coming_of(at)->message != m) at = at->after;
    engine__coming_take(engine__coming_of(at));
}

/* Shows the owner of a receive what it will receive. From now on it may drop the request. */
static void engine__request_show(messages_request *r)
{
    const messages_message *m = r->of.coming;
    if (r->progress == MESSAGES_ARRIVED || r->progress == MESSAGES_DONE) return;
    r->shown = true;
    if (!r->receives) return;
    r->envelope = m->envelope;
    r->from = m->from;
    r->bytes = m->bytes;
    r->chunk = m->chunk;
    if (r->chunk) ++r->chunk->references;
}

static bool engine__request_is_certain(const messages_request *r)
{
    return r->progress == MESSAGES_DONE || r->progress == MESSAGES_ARRIVED || r->of.coming;
}

/* Error codes of a collective call depend on the other ranks' calls. */
static bool engine__ahead_is_possible(const messages_task *t)
{
    return !t->threads && !messages->windows && !(t->meeting && t->meeting->returns);
}

/* Whether the results of a wait are certain; then its task sees them. `certain`: the number of its requests that are so. */
static bool engine__wait_is_certain(const messages_action *a, uint32_t *certain)
{
    if (a->kind != MESSAGES_WAIT || a->need < a->count || a->amount > 0) return false;
    messages_request *const *list = a->count == 1 ? &a->of.request : a->of.requests;
    while (*certain < a->count && engine__request_is_certain(list[*certain])) ++*certain;
    if (*certain < a->count) return false;
    for (uint32_t i = 0; i < a->count; ++i) engine__request_show(list[i]);
    return true;
}

/* Lets a task run ahead if nothing is left in its last script but one wait at most, and its results are certain. */
static void engine__ahead_check(messages_task *t)
{
    messages_script *s = t->last_script;
    const uint32_t at = s == &t->script ? t->at : 0;
    if (t->ahead || t->unsure || at < s->meets || at >= s->count || !engine__ahead_is_possible(t)) return;
    const uint32_t next = s->committed > at ? s->committed : at;
    if (next + 1 < s->count) return;
    if (next < s->count && !engine__wait_is_certain(&s->actions[next], &s->certain)) return;
    t->ahead = true;
    messages_go_ahead(t);
}

/* A task at its beginning. */
static void engine__ahead_begin(messages_task *t)
{
    if (!t->forked || t->together) return;
    t->ahead = true;
    t->computes = messages->worth; /* not known yet */
    messages_go_ahead(t);
}

/* The script of a task is complete. */
static void engine__ahead_end(messages_task *t)
{
    messages_script *s = &t->script;
    s->committed = s->certain = s->meets = 0;
    while (s->dropped) {
        messages_request *r = s->dropped;
        s->dropped = r->of.dropped;
        messages_free(r, engine__request_bytes(r));
    }
    if (s->next) return;                                                             /* the rest is for the last one */
    if (t->hasty && !t->ahead && engine__ahead_is_possible(t)) messages_go_ahead(t); /* until its turn comes */
    t->hasty = t->ahead = false;
    if (t->outside) t->inside = t->outside = false;
}

static void engine__request_certain(messages_request *r, messages_message *m)
{
    if (r->shown) return;
    r->of.coming = m;
    if (r->owner->hasty) engine__ahead_check(r->owner);
}

/* It is certain that this message will be received, by this receive. */
static void engine__message_certain(messages_message *m, messages_request *r)
{
    if (messages->cores < 2) return;
    m->certain = true;
    engine__request_certain(r, m);
    if (m->sender) engine__request_certain(m->sender, m);
}

/* After a receive from any source or of any tag, nothing that a task receives is certain before it arrives. */
static void engine__wildcard_note(messages_task *t, const messages_request *r)
{
    if (r->envelope.source == MESSAGES_ANY || r->envelope.tag == MESSAGES_ANY) t->unsure = true;
}

/* Finds the message for a receive among those that will come; false: none is certain. */
static bool engine__coming_find(messages_task *t, messages_request *r)
{
    engine__wildcard_note(t, r);
    if (t->unsure) return false;
    messages_link *list = engine__coming_for(t, r->envelope);
    for (messages_link *at = list->after; at != list; at = at->after) {
        messages_message *m = engine__coming_of(at)->message;
        if (!engine__envelope_fits(r->envelope, m->envelope)) continue;
        engine__coming_take(engine__coming_of(at));
        engine__message_certain(m, r);
        return true;
    }
    return false;
}

/* A receive will be posted. */
static void engine__receive_expect(messages_task *t, messages_request *r)
{
    if (t->of) t = t->of;
    engine__wildcard_note(t, r);
    if (t->unsure) return;
    messages_link *list = &engine__queues_for(t, r->envelope)->arrived;
    for (messages_link *at = list->after; at != list; at = at->after) {
        messages_message *m = OF_LINK(messages_message, in.arrived.link, at);
        if (m->certain || !engine__envelope_fits(r->envelope, m->envelope)) continue;
        engine__message_certain(m, r);
        return;
    }
    if (engine__coming_find(t, r)) return;
    r->progress = MESSAGES_EXPECTED;
    engine__link_add(engine__expected_for(t, r->envelope), &r->in.link);
}

/* It is certain that this message will be sent. */
static void engine__message_commit(messages_message *m)
{
    messages_task *t = engine__task(m->to);
    if (m->parcel || t->ended || t->unsure) return;
    messages_link *list = &engine__queues_for(t, m->envelope)->posted;
    for (messages_link *at = list->after; at != list; at = at->after) {
        messages_request *r = OF_LINK(messages_request, in.link, at);
        if (r->of.coming || r->shown || !engine__envelope_fits(r->envelope, m->envelope)) continue;
        engine__message_certain(m, r);
        return;
    }
    list = engine__expected_for(t, m->envelope);
    for (messages_link *at = list->after; at != list; at = at->after) {
        messages_request *r = OF_LINK(messages_request, in.link, at);
        if (!engine__envelope_fits(r->envelope, m->envelope)) continue;
        engine__link_remove(&r->in.link);
        r->progress = MESSAGES_ACTIVE;
        engine__message_certain(m, r);
        return;
    }
    coming *c = messages_new(sizeof *c);
    c->message = m;
    m->coming = true;
    engine__link_add(engine__coming_for(t, m->envelope), &c->link);
}

/* Makes certain what a task sends and receives from an action on without waiting before; of sends before action `known` the
 * content is known even if it is forwarded. */
static void engine__actions_commit(messages_task *t, messages_script *s, uint32_t from, uint32_t known)
{
    uint32_t i = from;
    for (; i < s->count && s->actions[i].kind <= MESSAGES_MEET; ++i) {
        const messages_action *a = &s->actions[i];
        if (a->kind == MESSAGES_MEET) s->meets = i + 1;
        if (a->kind == MESSAGES_POST) {
            if (a->of.request->holds) break; /* it has its message */
            engine__receive_expect(t, a->of.request);
        }
        if (a->kind != MESSAGES_SEND) continue;
        messages_message *m = a->of.message;
        if (i >= known && m->other && m->other->progress != MESSAGES_DONE) break;
        engine__message_fill(m);
        engine__message_commit(m);
    }
    s->committed = i;
}

/* Of its first script, from where it is now. */
static void engine__script_commit(messages_task *t)
{
    messages_script *s = &t->script;
    engine__actions_commit(t, s, s->committed > t->at ? s->committed : t->at, t->at + 1);
    if (t->hasty) engine__ahead_check(t);
}

/* -- further scripts --
 * In the rounds of a collective call a task that runs ahead may hand over further scripts, because others wait for what they
 * send. Its process then works on the engine's data beside that which runs the engine, but each holds the lock. A further
 * script waits in a queue until the task would have had its turn; until then only its messages are made certain. */

void messages_further_queue(void)
{
    messages_task *t = messages_self;
    messages_script *s = t->further;
    t->further = NULL;
    t->last_script->next = s;
    t->last_script = s;
    t->hasty = true;
    t->ahead = false;
    /* What it forwards before it waits is there, because it was received by a script before. */
    engine__actions_commit(t, s, 0, s->count);
    engine__ahead_check(t);
}

/* A further script takes the place of the first one of its task, which is complete. */
static void engine__script_follow(messages_task *t, messages_script *s)
{
    messages_free(t->script.actions, t->script.room * sizeof *t->script.actions);
    t->script = *s;
    if (t->last_script == s) t->last_script = &t->script;
    messages_free(s, sizeof *s);
}

static void engine__further_take(messages_task *t)
{
    if (t->further) engine__script_follow(t, t->further);
    t->further = NULL;
}

void messages_further_take(void)
{
    engine__further_take(messages_self);
}

/* The turn of a task: if it has handed over a further script, that one begins instead. */
static bool engine__script_next(messages_task *t)
{
    if (!t->script.next) return false;
    engine__script_follow(t, t->script.next);
    engine__advance(t);
    return true;
}

/*=============================================================================
 * MARK: - >>collective calls
 *===========================================================================*/

static unsigned engine__meeting_bucket(const messages_meeting *m)
{
    const uint64_t mixed = ((uint64_t)(uint32_t)m->context << 32 ^ (uint64_t)(uint32_t)m->leader << 13 ^ m->number);
    return (unsigned)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 40) % MESSAGES_MEETINGS;
}

/* A call as text: the task, the call with its arguments, and the time. If the task is still in it, also its line. */
static void engine__meeting_say(const messages_meeting *m, bool line, char *text, size_t room)
{
    char arguments[160] = "";
    messages_task *t = engine__task(m->task);
    const bool still = line && t->inside && t->entered == m->entered;
    if (messages_meeting_text) messages_meeting_text(m, arguments, sizeof arguments);
    snprintf(text, room, "%s called %s%s%s at %.9g s", messages_rank_text(t, m->context, m->rank), m->name, arguments,
             still ? messages_where(t) : "", m->at);
}

/* The difference between the roots of two calls; NULL: they agree. On an intercommunicator MPI_ROOT is on one side, with
 * MPI_PROC_NULL, and the other side names its rank. */
static const char *engine__roots_differ(const messages_meeting *one, const messages_meeting *other)
{
    const bool names = one->root >= 0, other_names = other->root >= 0;
    if (one->side == other->side) {
        if (one->root == other->root)
            return one->side && one->root == MESSAGES_ORIGIN ? "only one rank may be MPI_ROOT" : NULL;
        return names || other_names ? "the roots differ" : NULL;
    }
    if (names == other_names && one->root != -1) return "one side has MPI_ROOT, and the other one names its rank";
    const messages_meeting *origin = names ? other : one, *naming = names ? one : other;
    return origin->root == MESSAGES_ORIGIN && naming->root != origin->rank ? "the roots differ" : NULL;
}

/* The difference between two calls that should be the same collective call; NULL: they agree. */
static const char *engine__meeting_differs(const messages_meeting *one, const messages_meeting *other)
{
    if (strcmp(one->name, other->name) != 0) return "the ranks made different calls, or in a different order";
    const char *roots = engine__roots_differ(one, other);
    if (roots) return roots;
    if (one->op != other->op && one->op != -1 && other->op != -1) return "the operations differ";
    /* On an intercommunicator one side receives the bytes that the other side sends. */
    const bool far = one->side != other->side;
    const size_t bytes = far ? other->sends : other->bytes, sends = far ? other->bytes : other->sends;
    if (one->bytes == bytes && one->sends == sends) return NULL;
    if (one->side && (one->bytes == SIZE_MAX || other->bytes == SIZE_MAX)) return NULL;
    /* If the pattern of messages is the same, ranks with too small a buffer get an error code. */
    const bool passes = one->returns && other->returns && one->pattern == other->pattern && one->pattern >= 0;
    return passes ? NULL : "the counts differ";
}

/* The types of two calls are compared where they describe the same data. Without a root and an operation, as in MPI_Alltoall, the two sides of an
 * intercommunicator receive different data. */
static bool engine__meeting_types(const messages_meeting *one, const messages_meeting *other)
{
    if (one->count < 0 || other->count < 0) return false;
    return one->side == other->side || one->root != -1 || one->op != -1;
}

/* Compares a call with another one, and ends the run if they contradict each other. */
static void engine__meeting_compare(messages_meeting *first, const messages_meeting *other, const messages_meeting *m)
{
    char one[320], two[320];
    const char *differs = engine__meeting_differs(other, m);
    const bool types = !differs && !first->noted && engine__meeting_types(other, m) && messages_types_match &&
                       !messages_types_match(other->elements, m->elements);
    if (!differs && !types) return;
    engine__meeting_say(other, differs, one, sizeof one);
    engine__meeting_say(m, differs, two, sizeof two);
    const char *where = messages_communicator_text(engine__task(m->task), m->context);
    if (differs)
        messages_end(1, "collective call %llu on %s differs among the ranks: %s, %s: %s", (unsigned long long)m->number,
                     where, one, two, differs);
    first->noted = true;
    messages_note_add(-1, 1, NULL, "collective call %llu on %s: %s, %s: the types differ",
                      (unsigned long long)m->number, where, one, two);
}

static messages_meeting *engine__meeting_copy(const messages_meeting *m)
{
    messages_meeting *copy = messages_new(sizeof *copy);
    *copy = *m;
    return copy;
}

static size_t engine__meeting_words(const messages_meeting *m)
{
    return ((size_t)m->size + 63) / 64;
}

/* All ranks have come. */
static void engine__meeting_complete(messages_meeting *first)
{
    messages_free(first->here, engine__meeting_words(first) * sizeof *first->here);
    if (first->far) messages_free(first->far, sizeof *first->far);
    if (first->of_origin) messages_free(first->of_origin, sizeof *first->of_origin);
}

static void engine__meeting_join(messages_task *t, messages_meeting *m)
{
    messages_meeting **at = &messages->meetings[engine__meeting_bucket(m)], *first;
    const int32_t place = m->side == 2 ? m->size - m->near + m->rank : m->rank;
    m->task = t->number;
    m->entered = t->entered;
    m->at = simkit_clock_now(messages->world);
    t->meeting = m;
    while (*at && ((*at)->context != m->context || (*at)->leader != m->leader || (*at)->number != m->number))
        at = &(*at)->next;
    if (!*at) {
        *at = m;
        m->here = messages_new(engine__meeting_words(m) * sizeof *m->here);
    }
    m->first = first = *at;
    if (m != first) engine__meeting_compare(first, first, m);
    if (first->far && m->side != first->side) engine__meeting_compare(first, first->far, m);
    if (first->of_origin) engine__meeting_compare(first, first->of_origin, m);
    if (m->side != first->side && !first->far) first->far = engine__meeting_copy(m);
    if (m->root == MESSAGES_ORIGIN) first->of_origin = engine__meeting_copy(m);
    if (m->sends > first->most) first->most = m->sends;
    if (m->rank == m->root) first->of_root = m->sends;
    first->here[place / 64] |= UINT64_C(1) << place % 64;
    if (++first->came < m->size) return;
    *at = first->next;
    engine__meeting_complete(first);
}

bool messages_part(messages_meeting *m)
{
    messages_meeting *first = m->first;
    const bool from_root = m->direction == MESSAGES_FROM_ROOT, to_root = m->direction == MESSAGES_TO_ROOT;
    const bool receives = from_root ? m->rank != m->root : !to_root || m->rank == m->root;
    const bool beyond = receives && (from_root ? first->of_root : first->most) > m->room;
    messages_self->meeting = NULL;
    const bool last = ++first->left == m->size;
    if (m != first) messages_free(m, sizeof *m);
    if (last) messages_free(first, sizeof *first);
    return beyond;
}

/*=============================================================================
 * MARK: - >>scripts
 *===========================================================================*/

static messages_request **engine__wait_requests(messages_action *a)
{
    return a->count == 1 ? &a->of.request : a->of.requests;
}

static void engine__task_late(simkit_world *world, void *user)
{
    messages_task *t = user;
    (void)world;
    t->deadline = 0;
    if (t->ended) return;
    t->late = true;
    if (t->waits) engine__advance(t);
}

/* Counts the open requests and marks them as waited for. */
static void engine__wait_begin(messages_task *t, messages_action *a)
{
    messages_request **list = engine__wait_requests(a);
    size_t done = 0;
    t->charged = true;
    t->late = false;
    t->first_arrived = t->last_arrived = NULL;
    if (a->amount > 0)
        engine__check(simkit_step_after(messages->world, a->amount, 0, engine__task_late, t, &t->deadline));
    for (uint32_t i = 0; i < a->count; ++i)
        if (list[i]->progress == MESSAGES_DONE) ++done;
    t->open = a->need > done ? a->need - done : 0;
    for (uint32_t i = 0; t->open > 0 && i < a->count; ++i) {
        if (list[i]->progress == MESSAGES_DONE) continue;
        list[i]->watched = true;
        if (list[i]->progress == MESSAGES_ARRIVED) engine__request_arrived(list[i]);
    }
}

/* Takes the next request that has arrived; false: the task is busy with it. */
static bool engine__wait_take(messages_task *t)
{
    messages_request *r = t->first_arrived;
    messages_task *process = t->of ? t->of : t;
    const messages_haste haste = { .follows = r->look != process->looks, .computed = process->cooled };
    const double delay = messages_receive_delay(&messages->cluster, engine__task(r->from)->host, t->host,
                                                r->seen ? 0 : (double)r->bytes, &haste);
    if (!haste.follows) ++process->looks;
    process->cooled = 0;
    t->first_arrived = r->in.after;
    if (!t->first_arrived) t->last_arrived = NULL;
    if (t->state == MESSAGES_WAITING && !t->of) {
        messages_waited(t, r->from);
        engine__state_set(t, MESSAGES_WAITING);
    }
    t->waits = false;
    if (delay > 0) {
        t->taking = r;
        engine__compute(t, MESSAGES_RECEIVING, delay);
        return false;
    }
    engine__request_done(r);
    return true;
}

static void engine__wait_end(messages_task *t, messages_action *a)
{
    messages_request **list = engine__wait_requests(a);
    t->waits = false;
    if (t->state != MESSAGES_COMPUTING) engine__state_set(t, MESSAGES_COMPUTING);
    t->charged = false;
    t->first_arrived = t->last_arrived = NULL;
    if (a->amount > 0) simkit_step_cancel(messages->world, t->deadline);
    if (a->need < a->count || t->late)
        for (uint32_t i = 0; i < a->count; ++i) list[i]->watched = false;
    if (a->count != 1) messages_free(list, a->count * sizeof *list);
}

/*=============================================================================
 * MARK: - >>progress threads
 *
 * A nonblocking collective call is advanced by a progress thread: a second script on the task's host. It has a structure
 * of a task, but its number, and so its messages, are those of its task. When its script is complete, the process of the
 * task gets a turn for it, even while the task's own script computes or waits. With `progress = calls` it does nothing
 * while its task computes, and its task computes only when it waits for messages.
 *===========================================================================*/

/* Whether all progress threads of a task wait for messages; if not, the task waits for that. */
static bool engine__threads_settled(messages_task *t)
{
    if (t->busy > 0 && !t->settles) engine__state_set(t, MESSAGES_SENDING);
    if (t->busy == 0 && t->settles) engine__state_set(t, MESSAGES_COMPUTING);
    t->settles = t->busy > 0;
    return !t->settles;
}

static void engine__thread_rests(messages_task *t)
{
    messages_task *of = t->of;
    if (--of->busy == 0 && of->settles) engine__advance(of);
}

static void engine__thread_end(messages_task *t)
{
    messages_task **at = &t->of->threads;
    while (*at != t) at = &(*at)->next;
    *at = t->next;
    t->next = t->of->ended_threads;
    t->of->ended_threads = t;
    engine__thread_rests(t);
}

static bool engine__action_start(messages_task *t, messages_action *a)
{
    if (!t->charged) {
        messages_task *thread = a->of.thread;
        t->charged = true;
        thread->next = t->threads;
        t->threads = thread;
        thread->since = simkit_clock_now(messages->world);
        ++t->busy;
        engine__advance(thread);
    }
    if (!engine__threads_settled(t)) return false;
    t->charged = false;
    ++t->at;
    return true;
}

static bool engine__action_complete(messages_task *t, messages_action *a)
{
    ++t->at;
    engine__request_done(a->of.request);
    return true;
}

static void engine__poll_count(messages_task *t);

/* Handlers of actions. Each advances the script when its action is complete, and returns whether the next action can
 * follow at once: false while the task is busy or waits. */
static bool engine__action_compute(messages_task *t, messages_action *a)
{
    if (!t->of && messages->cluster.progress_in_calls && !engine__threads_settled(t)) return false;
    ++t->at;
    if (a->amount <= 0) return true;
    if (!t->of) t->cooled += a->amount;
    t->computing = a->amount;
    engine__compute(t, MESSAGES_COMPUTING, a->amount * messages->cluster.hosts[t->host].factor);
    return false;
}

static bool engine__action_sleep(messages_task *t, messages_action *a)
{
    if (messages->cluster.progress_in_calls && !engine__threads_settled(t)) return false;
    ++t->at;
    if (a->amount <= 0) return true;
    if (!t->of) t->cooled += a->amount;
    engine__state_set(t, MESSAGES_SLEEPING);
    engine__check(simkit_step_after(messages->world, a->amount, 0, engine__time_over, t, NULL));
    return false;
}

/* Charges the CPU time of a call; false: the task is busy with it. */
static bool engine__charge(messages_task *t, messages_state state, double seconds)
{
    if (seconds <= 0) return true;
    engine__compute(t, state, seconds);
    return false;
}

static bool engine__action_pack(messages_task *t, messages_action *a)
{
    ++t->at;
    return engine__charge(t, MESSAGES_SENDING, messages_pack_delay(&messages->cluster, t->host, a->amount));
}

/* CPU time of a look for messages that finds none. */
static double engine__look_time(const messages_task *t)
{
    const messages_task *process = t->of ? t->of : t;
    return messages->cluster.look + messages->cluster.look_more * process->partner_count;
}

static bool engine__action_look(messages_task *t, messages_action *a)
{
    (void)a;
    if (!t->charged) {
        t->charged = true;
        if (!engine__charge(t, MESSAGES_RECEIVING, engine__look_time(t))) return false;
    }
    if (messages->cluster.progress_in_calls && !engine__threads_settled(t)) return false;
    t->charged = false;
    ++t->at;
    return true;
}

/* The letter of an action becomes a message. */
static void engine__letter_open(const messages_task *t, messages_action *a)
{
    messages_letter *l = a->of.letter;
    a->of.message = engine__message_new(t, l);
    a->count = 0;
    messages_free(l, sizeof *l);
}

static bool engine__action_send(messages_task *t, messages_action *a)
{
    if (a->count > 0) engine__letter_open(t, a);
    messages_message *m = a->of.message;
    if (messages->cores > 1 && !t->charged) engine__script_commit(t);
    if (!t->charged) {
        messages_task *process = t->of ? t->of : t;
        m->in.way.connection = engine__connection_use(process, m->to);
        const messages_haste haste = { .follows = m->in.way.connection->first != NULL, .computed = process->cooled };
        const double delay =
            messages_send_delay(&messages->cluster, t->host, engine__task(m->to)->host, (double)m->bytes, &haste);
        process->cooled = 0;
        t->charged = true;
        if (!engine__charge(t, MESSAGES_SENDING, delay)) return false;
    }
    t->charged = false;
    ++t->at;
    engine__message_send(t, m, m->in.way.connection);
    return true;
}

static bool engine__action_post(messages_task *t, messages_action *a)
{
    ++t->at;
    engine__receive_post(t, a->of.request);
    return true;
}

static bool engine__action_meet(messages_task *t, messages_action *a)
{
    ++t->at;
    engine__meeting_join(t, a->of.meeting);
    return true;
}

static bool engine__action_wait(messages_task *t, messages_action *a)
{
    messages_request **list = engine__wait_requests(a);
    if (!t->charged)
        engine__wait_begin(t, a);
    else if (t->of && t->waits)
        ++t->of->busy;
    if (t->hasty) engine__ahead_check(t);
    while (t->open > 0 && t->first_arrived)
        if (!engine__wait_take(t)) return false;
    if (t->open > 0 && !t->late) {
        messages_state state = MESSAGES_SENDING;
        for (uint32_t i = 0; i < a->count && state == MESSAGES_SENDING; ++i)
            if (list[i]->watched && list[i]->receives) state = MESSAGES_WAITING;
        t->waits = true;
        if (t->state != state) engine__state_set(t, state);
        if (t->of) engine__thread_rests(t);
        return false;
    }
    engine__wait_end(t, a);
    ++t->at;
    return true;
}

static bool engine__action_probe(messages_task *t, messages_action *a)
{
    messages_request *r = a->of.request;
    messages_message *m = engine__message_find(t, r->envelope);
    if (!m) {
        t->probes = r;
        engine__state_set(t, MESSAGES_WAITING);
        return false;
    }
    ++t->at;
    if (t->probes) {
        messages_waited(t, m->from);
        engine__state_set(t, MESSAGES_COMPUTING);
    }
    t->probes = NULL;
    engine__probe_found(r, m);
    return engine__charge(t, MESSAGES_RECEIVING, engine__look_time(t));
}

static messages_message *engine__message_sent_for(messages_message *first, const messages_request *r)
{
    while (first && first->sender != r) first = first->in.way.behind;
    return first;
}

/* The message of a send, in transit or as a notice for its receiver; NULL: it is not there any more. */
static messages_message *engine__message_in_transit(const messages_task *t, const messages_request *r)
{
    const messages_task *process = t->of ? t->of : t, *to = engine__task(r->from);
    const messages_connection *way = engine__connection_with(process, to->number);
    const messages_connection *back = engine__connection_with(to, process->number);
    messages_message *m = way ? engine__message_sent_for(way->first, r) : NULL;
    if (!m && back) m = engine__message_sent_for(back->answers, r);
    return m ? m : engine__message_sent_for(to->first_deferred, r);
}

/* Withdraws the message of a send; false: its receive is known, so that the send completes. */
static bool engine__send_cancel(const messages_task *t, const messages_request *r)
{
    messages_task *to = engine__task(r->from);
    for (messages_link *at = to->arrived_any.after; at != &to->arrived_any; at = at->after) {
        messages_message *m = OF_LINK(messages_message, in.arrived.any, at);
        if (m->sender != r) continue;
        if (m->certain) return false;
        engine__message_take(m);
        engine__message_drop(m);
        return true;
    }
    messages_message *m = engine__message_in_transit(t, r);
    if (m && m->notice == NOTICE_ARRIVED && !m->certain) {
        if (m->coming) engine__coming_remove(to, m);
        m->withdrawn = true; /* its bytes are under way, but count for nothing */
    } else if (!to->ended || (m && m->notice == NOTICE_MATCHED)) {
        return false;
    }
    if (m) m->sender = NULL;
    return true;
}

static bool engine__action_cancel(messages_task *t, messages_action *a)
{
    messages_request *r = a->of.request;
    ++t->at;
    if (r->progress != MESSAGES_ACTIVE) return true;
    if (r->receives) {
        engine__link_remove(&r->in.link);
        t->unsure = true;
    } else if (!engine__send_cancel(t, r)) {
        return true;
    }
    r->cancelled = true;
    r->progress = MESSAGES_DONE;
    return true;
}

static bool engine__action_loads(messages_task *t, messages_action *a)
{
    const uint32_t averages = a->count;
    ++t->at;
    messages_hosts_keep(&messages->cluster, messages->world);
    for (uint32_t i = 0; i < averages; ++i)
        t->loads[i].load = simkit_load_average(messages->world, messages->cluster.hosts[t->host].node, t->loads[i].beta,
                                               t->loads[i].interval);
    return true;
}

static bool engine__action_kill(messages_task *t, messages_action *a)
{
    ++t->at;
    messages_task_kill(engine__task((int32_t)a->count));
    return true;
}

static bool engine__action_exit(messages_task *t, messages_action *a)
{
    (void)a;
    t->at = t->script.count = 0;
    messages_task_kill(t);
    return false;
}

static bool (*const actions[])(messages_task *t, messages_action *a) = {
    [MESSAGES_COMPUTE] = engine__action_compute,   [MESSAGES_SLEEP] = engine__action_sleep,
    [MESSAGES_PACK] = engine__action_pack,         [MESSAGES_SEND] = engine__action_send,
    [MESSAGES_POST] = engine__action_post,         [MESSAGES_MEET] = engine__action_meet,
    [MESSAGES_WAIT] = engine__action_wait,         [MESSAGES_PROBE] = engine__action_probe,
    [MESSAGES_LOOK] = engine__action_look,         [MESSAGES_CANCEL] = engine__action_cancel,
    [MESSAGES_LOADS] = engine__action_loads,       [MESSAGES_KILL] = engine__action_kill,
    [MESSAGES_EXIT] = engine__action_exit,         [MESSAGES_START] = engine__action_start,
    [MESSAGES_COMPLETE] = engine__action_complete,
};

/* The script of a task is complete: the task gets a turn. */
static void engine__script_end(messages_task *t)
{
    t->at = t->script.count = 0;
    t->script.carried = 0;
    if (messages->cores > 1) engine__ahead_end(t);
    if (t->of && t->result->progress == MESSAGES_DONE) {
        engine__thread_end(t);
        return;
    }
    if (!t->of) engine__poll_count(t);
    engine__turn_ask(t);
}

/* Advances a task's script until an action takes time or the script is complete. */
static void engine__advance(messages_task *t)
{
    if (t->taking) {
        messages_request *r = t->taking;
        t->taking = NULL;
        engine__request_done(r);
        /* does not recurse: engine__request_done() advances only waiting tasks, and this one was busy */
    }
    messages_action *a;
    do {
        if (t->first_deferred && (t->at == t->script.count || t->script.actions[t->at].kind > MESSAGES_SLEEP))
            engine__deferred_take(t);
        if (t->at == t->script.count) {
            engine__script_end(t);
            return;
        }
        a = &t->script.actions[t->at];
        if (a->kind == MESSAGES_COMPUTE)
            messages->polls_time += a->amount;
        else if (a->kind != MESSAGES_LOOK)
            messages_goes_on();
    } while (actions[a->kind](t, a));
}

void messages_task_kill(messages_task *t)
{
    if (t->ended) return;
    engine__state_set(t, MESSAGES_COMPUTING);
    t->ended = true;
    t->live = false;
    t->ends = simkit_clock_now(messages->world);
    --messages->live;
    if (messages->live == 0) simkit_world_stop(messages->world);
    simkit_computation_cancel(messages->world, t->computation);
    for (messages_task *thread = t->threads; thread; thread = thread->next) {
        thread->ended = true;
        simkit_computation_cancel(messages->world, thread->computation);
    }
    for (messages_link *at = t->arrived_any.after; at != &t->arrived_any;) {
        messages_message *m = OF_LINK(messages_message, in.arrived.any, at);
        at = at->after;
        engine__message_lose(m);
        if (!m->asks) engine__message_drop(m);
    }
    engine__link_init(&t->arrived_any);
}

void messages_unreceived_note(void)
{
    for (uint32_t i = 0; i < messages->task_count; ++i) {
        const messages_task *t = messages->tasks[i];
        for (uint32_t k = 0; k < t->partner_room; ++k) {
            const messages_connection *c = engine__connection_of(t, &t->partners[k]);
            for (const messages_message *m = c ? c->first : NULL; m; m = m->in.way.behind)
                if (m->notice == NOTICE_ARRIVED) engine__message_lose(m);
        }
    }
}

/*=============================================================================
 * MARK: - >>turns
 *===========================================================================*/

static bool engine__task_waits(const messages_task *t)
{
    if (t->at >= t->script.count) return false;
    const messages_action *a = &t->script.actions[t->at];
    return a->kind == MESSAGES_WAIT || a->kind == MESSAGES_PROBE;
}

static const char *engine__answer_text(messages_answer awaited)
{
    static const char *const texts[] = { [MESSAGES_DATA] = "data of the window of rank",
                                         [MESSAGES_GRANT] = "the lock of the window of rank",
                                         [MESSAGES_RECEIPT] = "the receipt of its accesses to the window of rank",
                                         [MESSAGES_PARCELS] = "accesses of others to the window of rank",
                                         [MESSAGES_FINISHES] =
                                             "MPI_Win_complete of those that access the window of rank",
                                         [MESSAGES_EXPOSURE] = "MPI_Win_post of rank" };
    return texts[awaited];
}

/* A text that grows up to its room. */
typedef struct writer {
    char *text;
    size_t room, used;
} writer;

static void __attribute__((format(printf, 2, 3))) engine__write(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(w->text + w->used, w->room - w->used, format, arguments);
    va_end(arguments);
    if (wanted > 0) w->used += (size_t)wanted;
    if (w->used >= w->room) w->used = w->room - 1;
}

/* The line of the call that a task is in, as a mark. */
static const char *engine__where(const messages_task *t)
{
    return t->inside ? messages_where(engine__task(t->number)) : "";
}

static bool engine__requests_write(writer *w, const messages_task *t);

/* The progress thread that completes a request; NULL: none does. */
static const messages_task *engine__thread_of(const messages_task *t, const messages_request *r)
{
    const messages_task *thread = t->threads;
    while (thread && thread->result != r) thread = thread->next;
    return thread;
}

/* What a nonblocking collective call waits for. */
static void engine__thread_write(writer *w, const messages_task *thread)
{
    char arguments[160] = "";
    if (thread->meeting && messages_meeting_text) messages_meeting_text(thread->meeting, arguments, sizeof arguments);
    engine__write(w, " for %s%s", thread->call, arguments);
    if (!engine__task_waits(thread)) return;
    engine__write(w, ", which waits");
    engine__requests_write(w, thread);
}

/* If a task is a leader that waits in MPI_Intercomm_create for the other leader, its receive; else NULL. */
static const messages_request *engine__leader_waits(const messages_task *t)
{
    const messages_action *a = &t->script.actions[t->at];
    if (t->meeting || !t->inside || strcmp(t->call, "MPI_Intercomm_create") != 0 || !engine__task_waits(t)) return NULL;
    return a->kind == MESSAGES_WAIT && a->count == 1 && a->of.request->receives ? a->of.request : NULL;
}

/* Both leaders must name each other, and the same tag. */
static void engine__leader_write(writer *w, const messages_task *t, const messages_task *other, messages_envelope e)
{
    const messages_request *r = engine__leader_waits(other);
    engine__write(w, " for %s, the other leader, with tag %d on %s", other->name, (int)e.tag,
                  messages_communicator_text(t, e.context - 1));
    if (!r) return;
    const messages_task *named = messages_task_of_source(other, r->envelope.context, r->envelope.source);
    if (named && named != t) engine__write(w, ", which names %s", named->name);
    if (r->envelope.context != e.context)
        engine__write(w, ", which names %s", messages_communicator_text(other, r->envelope.context - 1));
    if (r->envelope.tag != e.tag) engine__write(w, ", which has tag %d", (int)r->envelope.tag);
}

/* What a waiting task waits for: a message, a rank in a collective call, or that its own message is received. */
static void engine__request_write(writer *w, const messages_task *t, const messages_request *r)
{
    const messages_envelope e = r->envelope;
    const bool layer = t->mpi && (e.context & 1) != 0; /* a message of MPI's layer itself */
    const messages_task *source = messages_task_of_source(t, e.context, e.source);
    const messages_task *thread = engine__thread_of(t, r);
    if (thread)
        engine__thread_write(w, thread);
    else if (r->one_sided)
        engine__write(w, " for %s %d", engine__answer_text((messages_answer)e.tag), (int)e.source);
    else if (r->receives && (e.tag == MESSAGES_ACCEPTS || e.tag == MESSAGES_CONNECTS))
        engine__write(w, " for MPI_Comm_%s at port simkit:%d", e.tag == MESSAGES_ACCEPTS ? "accept" : "connect",
                      e.context);
    else if (!r->receives && t->meeting)
        engine__write(w, " for %s", engine__task(r->from)->name);
    else if (!r->receives)
        engine__write(w, " until %s%s receives its message of %zu B with tag %d", engine__task(r->from)->name,
                      engine__task(r->from)->ended ? ", which has ended," : "", r->bytes, (int)e.tag);
    else if (layer && source && engine__leader_waits(t) == r)
        engine__leader_write(w, t, source, e);
    else if (layer && source)
        engine__write(w, " for %s", source->name);
    else
        engine__write(w, " for a message %s", messages_envelope_text(t, e));
}

/* The messages of the program that have arrived at a task, of which none is what it waits for. */
static void engine__arrived_write(writer *w, const messages_task *t)
{
    size_t shown = 0;
    for (messages_link *at = t->arrived_any.after; at != &t->arrived_any; at = at->after) {
        const messages_message *m = OF_LINK(messages_message, in.arrived.any, at);
        if ((m->envelope.context & 1) != 0) continue;
        if (++shown > 2) {
            engine__write(w, " and others");
            return;
        }
        engine__write(w, "%s %s", shown > 1 ? "," : "; what has arrived is", messages_envelope_text(t, m->envelope));
    }
}

/* What the requests of a wait are; returns whether messages of the program are among them. */
static bool engine__requests_write(writer *w, const messages_task *t)
{
    const messages_action *a = &t->script.actions[t->at];
    messages_request *const *list = a->count <= 1 ? &a->of.request : a->of.requests;
    const uint32_t requests = a->kind == MESSAGES_PROBE ? 1 : a->count;
    bool receives = false;
    for (uint32_t k = 0, named = 0; k < requests && named < 3; ++k) {
        const messages_request *r = list[k];
        if (r->progress == MESSAGES_DONE) continue;
        if (named++ > 0) engine__write(w, ",");
        engine__request_write(w, t, r);
        receives = receives || (r->receives && t->mpi && (r->envelope.context & 1) == 0 && !engine__thread_of(t, r));
    }
    return receives;
}

static void engine__wait_write(writer *w, const messages_task *t)
{
    char arguments[160] = "";
    if (t->meeting && messages_meeting_text) messages_meeting_text(t->meeting, arguments, sizeof arguments);
    engine__write(w, "\n  %s has waited in %s%s%s since %.9g s", t->name, t->call, arguments, engine__where(t),
                  t->since);
    if (engine__requests_write(w, t)) engine__arrived_write(w, t);
}

/* The task that has this rank in a call, counted over both sides; NULL: unknown. */
static const messages_task *engine__meeting_task(const messages_meeting *m, int32_t place)
{
    const messages_task *t = engine__task(m->task);
    if (m->side == 0) return messages_task_of_source(t, m->context, place);
    const int32_t first = m->side == 1 ? m->near : m->size - m->near; /* ranks of the first side */
    const bool near = (place < first) == (m->side == 1);
    const int32_t rank = place < first ? place : place - first;
    return near ? messages_task_of_side(t, m->context, rank) : messages_task_of_source(t, m->context, rank);
}

/* Whether this rank has not come to a call. A leader in that call that waits for the other side has come. */
static bool engine__is_absent(const messages_meeting *m, int32_t place)
{
    if (m->here[place / 64] >> place % 64 & 1) return false;
    const messages_task *t = engine__meeting_task(m, place);
    return !t || t->meeting || !t->inside || strcmp(t->call, m->name) != 0;
}

static bool engine__any_absent(const messages_meeting *m)
{
    int32_t i = 0;
    while (i < m->size && !engine__is_absent(m, i)) ++i;
    return i < m->size;
}

/* The ranks that have not come to a collective call, and what they do instead. */
static void engine__absent_write(writer *w, const messages_meeting *m)
{
    char arguments[160] = "";
    uint32_t shown = 0, others = 0;
    if (messages_meeting_text) messages_meeting_text(m, arguments, sizeof arguments);
    engine__write(w, "\n  %s%s, collective call %llu on %s, has not been called by", m->name, arguments,
                  (unsigned long long)m->number, messages_communicator_text(engine__task(m->task), m->context));
    for (int32_t i = 0; i < m->size; ++i) {
        if (!engine__is_absent(m, i)) continue;
        const messages_task *t = engine__meeting_task(m, i);
        if (!t || shown >= 4) {
            ++others;
            continue;
        }
        engine__write(w, "%s %s, which %s%s%s", shown++ > 0 ? ";" : "", t->name,
                      t->ended                         ? "has ended"
                      : t->inside                      ? "is in "
                      : t->call[0]                     ? "computes after "
                      : messages->running == t->number ? "has not made a call"
                                                       : "has not begun", /* it waits for its first turn */
                      !t->ended ? t->call : "", engine__task_waits(t) ? engine__where(t) : "");
    }
    if (others > 0) engine__write(w, "%s %u other%s", shown > 0 ? " and" : "", others, others > 1 ? "s" : "");
}

static void engine__waiting_write(writer *w)
{
    size_t shown = 0;
    for (uint32_t i = 0; i < MESSAGES_MEETINGS; ++i)
        for (const messages_meeting *m = messages->meetings[i]; m; m = m->next)
            if (!messages_is_inner(engine__task(m->task), m->context) && engine__any_absent(m) && ++shown <= 4)
                engine__absent_write(w, m);
    shown = 0;
    for (uint32_t i = 0; i < messages->task_count && shown <= 16; ++i) {
        const messages_task *t = messages->tasks[i];
        if (t->ended || !engine__task_waits(t)) continue;
        if (++shown > 16)
            engine__write(w, "\n  and others");
        else
            engine__wait_write(w, t);
    }
}

void messages_waiting_text(char *text, size_t room)
{
    writer w = { text, room, 0 };
    text[0] = 0;
    engine__waiting_write(&w);
}

/* Likewise, with the tasks that poll. */
static void engine__polling_text(char *text, size_t room)
{
    writer w = { text, room, 0 };
    size_t shown = 0;
    text[0] = 0;
    engine__waiting_write(&w);
    for (uint32_t i = 0; i < messages->task_count && shown <= 16; ++i) {
        const messages_task *t = messages->tasks[i];
        if (t->ended || engine__task_waits(t)) continue;
        if (++shown > 16)
            engine__write(&w, "\n  and others");
        else
            engine__write(&w, "\n  %s calls %s%s", t->name, t->call, engine__where(t));
    }
}

/* Whether a message of a task is in transit, or a timeout of its wait is pending. */
static bool engine__task_expects(const messages_task *t)
{
    for (uint32_t i = 0; i < t->partner_room; ++i) {
        const messages_connection *c = engine__connection_of(t, &t->partners[i]);
        if (c && (c->first || c->answers)) return true;
    }
    return t->busy > 0 || simkit_step_pending(messages->world, t->deadline);
}

/* Whether all tasks wait or poll: no message is in transit, no task computes. */
static bool engine__only_polling(void)
{
    const uint64_t polls = messages->polls - messages->polls_before, recent = polls / 4;
    if (messages->polls_time > 2e-6 * (double)polls) return false;
    for (uint32_t i = 0; i < messages->task_count; ++i) {
        const messages_task *t = messages->tasks[i];
        if (engine__task_expects(t) || (!t->ended && !engine__task_waits(t) && t->polled + recent < messages->polls))
            return false;
    }
    return true;
}

/* Counts a script that only polled the clock or messages. If all tasks have only polled for a long time, the program
 * would never end. */
static void engine__poll_count(messages_task *t)
{
    messages_arena *a = messages;
    t->polled = ++a->polls;
    const uint64_t polls = a->polls - a->polls_before;
    if (a->polls_most == 0 || polls < a->polls_most / 10) return;
    /* With several tasks polling is detected after a tenth of the limit, because engine__only_polling() makes sure. */
    const double now = simkit_clock_now(a->world);
    const bool still = now <= a->polls_since;
    if (polls < a->polls_most && (still || a->live == 1)) return;
    if (!still && !engine__only_polling()) {
        messages_goes_on();
        return;
    }
    char text[sizeof a->why - 512];
    engine__polling_text(text, sizeof text);
    const char *tenth = polls < a->polls_most ? ", a tenth of --polls or SIMKIT_POLLS" : "";
    messages_end(1, "endless polling at %.9g s: the last %llu calls only polled%s%s%s:%s", now,
                 (unsigned long long)polls, tenth,
                 still ? ", and the clock stands still, because they cost no time" : ", and no message is in transit",
                 tenth[0] ? "" : " (--polls or SIMKIT_POLLS sets the maximum)", text);
}

/* The time limit of the run is exceeded. */
static void engine__too_late(void)
{
    char text[sizeof messages->why - 256];
    engine__polling_text(text, sizeof text);
    messages_end(1, "the time limit, --time-limit or SIMKIT_TIME_LIMIT=%g, was exceeded at %.9g s:%s",
                 messages->time_limit, simkit_clock_now(messages->world), text);
}

static void engine__deadlock(void)
{
    char text[sizeof messages->why - 256];
    messages_waiting_text(text, sizeof text);
    messages_end(1, "deadlock at %.9g s: no event is left, but %u of %u tasks wait:%s",
                 simkit_clock_now(messages->world), messages->live, messages->task_count, text);
}

messages_task *messages_engine_next(messages_task *t)
{
    messages_arena *a = messages;
    if (t && t->turn_of) { /* the process ran a progress thread */
        messages_task *thread = t->turn_of;
        t->turn_of = NULL;
        t = thread;
    }
    if (t && a->cores > 1 && !t->of) engine__script_commit(t);
    if (t) engine__advance(t);
    messages_task *next;
    do {
        while (!a->first_ready) {
            if (a->live == 0) return NULL;
            simkit_result result = simkit_world_run(a->world);
            if (result == SIMKIT_STOPPED) continue;
            engine__check(result);
            if (a->first_ready || a->live == 0) continue;
            engine__deadlock();
        }
        next = a->first_ready;
        a->first_ready = next->next_ready;
        if (!a->first_ready) a->last_ready = NULL;
        if (next->ended) continue; /* it has been killed meanwhile */
        if (simkit_clock_now(a->world) > a->time_limit) engine__too_late();
        ++a->turns;
    } while (next->ended || (a->cores > 1 && engine__script_next(next)));
    a->running = next->number;
    if (next->of) {
        next->of->turn_of = next;
        next = next->of;
    }
    if (a->cores > 1) next->has_turn = true;
    return next;
}

/* After a task has crashed: runs what is pending without giving turns, and returns the virtual time that the task had
 * reached. */
double messages_engine_last(messages_task *t)
{
    double reached = simkit_clock_now(messages->world);
    t->waits = false;
    engine__further_take(t);
    engine__advance(t);
    for (simkit_result result = SIMKIT_STOPPED; result == SIMKIT_STOPPED;) {
        for (const messages_task *r = messages->first_ready; r; r = r->next_ready)
            if (r == t) reached = simkit_clock_now(messages->world);
        messages->first_ready = messages->last_ready = NULL;
        result = simkit_world_run(messages->world);
    }
    return reached;
}

void messages_engine_start(void)
{
    for (uint32_t i = 0; i < messages->task_count; ++i)
        if (messages->tasks[i]->script.count > 0 && !messages->tasks[i]->started) {
            messages->tasks[i]->started = true;
            if (messages->cores > 1) engine__ahead_begin(messages->tasks[i]);
            engine__advance(messages->tasks[i]);
        }
}

bool messages_probe(messages_task *t, messages_envelope *e, size_t *bytes)
{
    messages_message *m = engine__message_find(t, *e);
    if (!m) return false;
    *e = m->envelope;
    *bytes = m->bytes;
    return true;
}

bool messages_probe_matched(messages_task *t, messages_request *r)
{
    messages_message *m = engine__message_find(t, r->envelope);
    if (m) engine__probe_found(r, m);
    return m != NULL;
}

enum { LONGEST_SCRIPT = 512 }; /* actions; then the script is handed over */

/*=============================================================================
 * MARK: - >>adding to a script
 *===========================================================================*/

/* The script that this process writes; if it runs ahead, that is not the one of its task. NULL: it has none yet. */
static messages_script *engine__script_written(void)
{
    messages_task *t = messages_self;
    return messages_ahead ? t->further : &t->script;
}

/* A further script of this process, which runs ahead. */
static messages_script *engine__further_begin(void)
{
    messages_task *t = messages_self;
    if (!t->further) {
        t->further = messages_new(sizeof *t->further);
        engine__script_init(t->further);
    }
    return t->further;
}

messages_action *messages_action_add(messages_action_kind kind)
{
    messages_script *s;
    if (messages_ahead && messages_in_rounds) {
        s = engine__further_begin();
    } else {
        messages_turn_take();
        s = &messages_self->script;
    }
    if (s->count == s->room) { /* in small steps, because thousands of tasks have one */
        const uint32_t more = s->room + s->room / 4 + 8;
        s->actions = messages_reallocate(NULL, s->actions, s->room * sizeof *s->actions, more * sizeof *s->actions);
        s->room = more;
    }
    messages_action *a = &s->actions[s->count++];
    memset(a, 0, sizeof *a);
    a->kind = kind;
    return a;
}

static size_t engine__script_length(void)
{
    const messages_script *s = engine__script_written();
    return s ? s->count : 0;
}

bool messages_has_script(void)
{
    return engine__script_length() > 0;
}

void messages_compute(double seconds)
{
    if (seconds > 0) messages_action_add(MESSAGES_COMPUTE)->amount = seconds;
    if (engine__script_length() > LONGEST_SCRIPT) messages_flush();
}

static messages_request *engine__request_new(bool receives, size_t bytes)
{
    messages_request about = { .owner = messages_self, .receives = receives };
    about.small = (uint8_t)(bytes < MESSAGES_SMALL ? bytes : MESSAGES_SMALL);
    messages_request *r = messages_new(engine__request_bytes(&about));
    *r = about;
    return r;
}

messages_request *messages_request_new(bool receives)
{
    return engine__request_new(receives, receives ? MESSAGES_SMALL : 0);
}

messages_request *messages_request_new_for(size_t bytes)
{
    return engine__request_new(true, bytes);
}

void messages_request_empty(messages_request *r)
{
    if (r->chunk != engine__request_own_chunk(r)) messages_chunk_drop(r->chunk);
    r->chunk = NULL;
}

void messages_request_drop(messages_request *r)
{
    if (!r) return;
    messages_request_empty(r);
    messages_task *t = messages_self;
    if (t->ahead) { /* the engine still needs it */
        messages_script *s = t->last_script;
        r->of.dropped = s->dropped;
        s->dropped = r;
        return;
    }
    messages_free(r, engine__request_bytes(r));
}

/* A message of a window has a parcel; else it is NULL. */
static void engine__script_send(const messages_letter *l, messages_parcel *parcel)
{
    messages_action send = { .kind = MESSAGES_SEND };
    if (messages->cores > 1 || parcel) {
        send.of.message = engine__message_new(messages_self, l);
        send.of.message->parcel = parcel;
    } else {
        send.count = 1;
        send.of.letter = messages_new(sizeof *l);
        *send.of.letter = *l;
    }
    if (l->sender) {
        l->sender->progress = MESSAGES_ACTIVE;
        l->sender->envelope = l->envelope;
        l->sender->from = l->to;
        l->sender->bytes = l->bytes;
    }
    *messages_action_add(MESSAGES_SEND) = send;
    engine__script_written()->carried += l->bytes;
}

static void engine__script_limit(void)
{
    const messages_script *s = engine__script_written();
    if (s->count > LONGEST_SCRIPT || s->carried > (size_t)64 << 20) messages_flush();
}

void messages_send(int32_t to, messages_envelope envelope, messages_chunk *chunk, size_t bytes, messages_mode mode,
                   messages_request *request, messages_request *forwards)
{
    const messages_letter l = { envelope, bytes, chunk, request, forwards, messages_self->caller, to, mode };
    engine__script_send(&l, NULL);
    engine__script_limit();
}

void messages_send_parcel(messages_parcel *p, size_t bytes, messages_request *request)
{
    const messages_letter l = { .envelope = { .source = p->origin },
                                .bytes = bytes,
                                .sender = request,
                                .caller = messages_self->caller,
                                .to = p->window->members[p->target].task };
    engine__script_send(&l, p);
    engine__script_limit();
}

void messages_post(messages_request *request, messages_envelope envelope)
{
    request->envelope = envelope;
    request->progress = MESSAGES_ACTIVE;
    messages_action_add(MESSAGES_POST)->of.request = request;
}

void messages_meet(messages_meeting *meeting)
{
    messages_action_add(MESSAGES_MEET)->of.meeting = meeting;
}

void messages_wait(messages_request *const *requests, size_t count, size_t need)
{
    enum { WAIT_MOST = (1 << 27) - 1 }; /* as `need` of an action */
    if (count == 0 || need == 0) return;
    if (count > WAIT_MOST) messages_end(1, "a wait for %zu messages at once; the maximum is %d", count, WAIT_MOST);
    messages_action *a = messages_action_add(MESSAGES_WAIT);
    a->count = (uint32_t)count;
    a->need = (uint32_t)need & WAIT_MOST;
    if (count == 1) {
        a->of.request = requests[0];
        return;
    }
    messages_request **list = messages_new(count * sizeof *list);
    memcpy(list, requests, count * sizeof *list);
    a->of.requests = list;
}

void messages_wait_for(messages_request *request, double seconds)
{
    messages_action *a = messages_action_add(MESSAGES_WAIT);
    a->count = a->need = 1;
    a->amount = seconds > 0 ? seconds : 1e-12; /* 0 is also a timeout */
    a->of.request = request;
}
