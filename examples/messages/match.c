/* match.c - which message is for which receive: those that are posted, those that have arrived, probes, the answers of a
 * rendezvous, and messages that a task takes only when it is in a call. */
#include "engine.h"

#include <string.h>

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/
/* Nobody will receive it. */
static void match__message_lose(const messages_message *m)
{
    if (m->parcel || m->known || m->withdrawn) return; /* of a window, or cancelled */
    messages_unreceived(messages_task_at(m->to), messages_task_at(m->from), m->envelope, m->bytes, m->sent, m->caller);
}

/* Of a letter, whose members mean the same here. */
messages_message *messages_message_new(const messages_task *t, const messages_letter *l)
{
    messages_message *m = direct_new(sizeof *m);
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

static void match__message_drop(messages_message *m)
{
    messages_chunk_drop(m->chunk);
    direct_free(m, sizeof *m);
}

/* Gives a message the content that it forwards, if it has been received. */
void messages_message_fill(messages_message *m)
{
    if (m->known || !m->other || !m->other->chunk || m->chunk) return; /* known: its bytes are in the answer */
    messages_chunk *forwarded = m->other->chunk;
    if (forwarded == messages_request_own_chunk(m->other)) {
        m->chunk = messages_chunk_new(forwarded->bytes);
        memcpy(m->chunk->data, forwarded->data, forwarded->bytes);
    } else {
        m->chunk = forwarded;
        ++m->chunk->references;
    }
}

/*=============================================================================
 * MARK: - >>the queue of a link
 *
 * What a host sends waits at its link in the order in which it came, up to `queue` bytes: a message begins when nothing is
 * in that queue any more but bytes of messages that are larger, with which it takes turns. The last bytes of a message
 * leave the queue as fast as the link is, even if they then wait at that of the receiver.
 *===========================================================================*/
/* A search in its queues has taken so many steps: makes more queues, once. Most tasks never need them. */
static void match__queues_enlarge(messages_task *t, unsigned steps)
{
    messages_queues *before = t->inbox.queues;
    if (steps < MESSAGES_QUEUES || before != t->inbox.first_queues) return;
    t->inbox.queue_count = 16 * MESSAGES_QUEUES;
    t->inbox.queues = direct_new(t->inbox.queue_count * sizeof *t->inbox.queues);
    messages_queues_init(t->inbox.queues, t->inbox.queue_count);
    for (int i = 0; i < MESSAGES_QUEUES; ++i) {
        for (messages_link *at = before[i].posted.after, *next; at != &before[i].posted; at = next) {
            next = at->after;
            messages_link_add(&messages_queues_for(t, OF_LINK(messages_request, in.link, at)->envelope)->posted, at);
        }
        for (messages_link *at = before[i].arrived.after, *next; at != &before[i].arrived; at = next) {
            next = at->after;
            messages_link_add(
                &messages_queues_for(t, OF_LINK(messages_message, in.arrived.link, at)->envelope)->arrived, at);
        }
    }
}

/*=============================================================================
 * MARK: - >>receives
 *===========================================================================*/
/* Answers the sender, behind what has been handed to the connection, as with TCP. */
static void match__message_answer(messages_message *m)
{
    m->answers = true;
    m->notice = m->asks ? NOTICE_READY : NOTICE_MATCHED;
    messages_message_launch(m);
}

/* A message matches a receive. */
static void match__message_matched(messages_message *m, messages_request *r)
{
    r->envelope = m->envelope;
    r->from = m->from;
    r->bytes = m->bytes;
    m->other = r;
    if (messages_running_ahead) messages_running_ahead->matched(m, r);
    if (m->asks) {
        r->progress = MESSAGES_MATCHED;
        match__message_answer(m);
        return;
    }
    messages_request_keep(r, m);
    if (m->mode == MESSAGES_SYNCHRONOUS && m->sender)
        match__message_answer(m);
    else
        match__message_drop(m);
    messages_request_arrived(r);
}

static void match__parcel_take(messages_message *m)
{
    messages_parcel *p = m->parcel;
    p->watched = m->watched;
    match__message_drop(m);
    messages_above.parcel(p);
}

/* A message arrives that no receive is posted for: a parcel, or an answer to one. */
static bool match__message_is_one_sided(messages_message *m)
{
    if (m->known)
        match__message_matched(m, m->other);
    else if (m->parcel && m->asks)
        match__message_answer(m);
    else if (m->parcel)
        match__parcel_take(m);
    else
        return false;
    return true;
}

static bool match__probes_for(const messages_task *t, messages_envelope e)
{
    return t->wait.probes && messages_envelope_fits(t->wait.probes->envelope, e);
}

/* A message has arrived for which no receive is posted: a task or one of its threads may wait for it in a probe. Of several that do, one
 * with a matched probe takes it, and the others wait on. */
static void match__probes_tell(messages_task *t, messages_envelope e)
{
    if (match__probes_for(t, e)) messages_above.advance(t);
    for (messages_task *thread = t->progress.threads, *next; thread; thread = next) {
        next = thread->progress.next;
        if (match__probes_for(thread, e)) messages_above.advance(thread);
    }
}

/* A message arrives: it goes to the first posted receive that matches. */
static void match__message_arrives(messages_task *t, messages_message *m)
{
    messages_link *lists[2] = { &messages_queues_for(t, m->envelope)->posted, &t->inbox.posted_any };
    messages_request *found = NULL;
    unsigned steps = 0;
    if (match__message_is_one_sided(m)) return;
    if (m->coming) messages_running_ahead->arrived(t, m);
    if (m->withdrawn) {
        match__message_drop(m);
        return;
    }
    for (int i = 0; i < 2; ++i)
        for (messages_link *at = lists[i]->after; at != lists[i]; at = at->after) {
            messages_request *r = OF_LINK(messages_request, in.link, at);
            ++steps;
            if (!messages_envelope_fits(r->envelope, m->envelope)) continue;
            if (!found || (int32_t)(r->number - found->number) < 0) found = r; /* the numbers may overflow */
            break;
        }
    match__queues_enlarge(t, steps);
    if (found) {
        messages_link_remove(&found->in.link);
        match__message_matched(m, found);
        return;
    }
    messages_link_add(&messages_queues_for(t, m->envelope)->arrived, &m->in.arrived.link);
    messages_link_add(&t->inbox.arrived_any, &m->in.arrived.any);
    match__probes_tell(t, m->envelope);
}

/* The first arrived message that matches an envelope; NULL: none. */
messages_message *messages_message_find(messages_task *t, messages_envelope e)
{
    if (t->of) t = t->of;
    const bool any = e.source == MESSAGES_ANY;
    messages_link *list = any ? &t->inbox.arrived_any : &messages_queues_for(t, e)->arrived;
    messages_message *found = NULL;
    unsigned steps = 0;
    for (messages_link *at = list->after; at != list && !found; at = at->after, ++steps) {
        messages_message *m =
            any ? OF_LINK(messages_message, in.arrived.any, at) : OF_LINK(messages_message, in.arrived.link, at);
        if (messages_envelope_fits(e, m->envelope)) found = m;
    }
    if (!any) match__queues_enlarge(t, steps);
    return found;
}

static void messages_message_take(messages_message *m)
{
    messages_link_remove(&m->in.arrived.link);
    messages_link_remove(&m->in.arrived.any);
}

/* A probe has found a message. */
void messages_probe_found(messages_request *r, messages_message *m)
{
    r->envelope = m->envelope;
    r->bytes = m->bytes;
    r->progress = MESSAGES_DONE;
    if (!r->holds) return;
    messages_message_take(m);
    r->of.held = m;
}

void messages_receive_post(messages_task *t, messages_request *r)
{
    messages_message *m = r->holds ? r->of.held : NULL;
    if (t->of) t = t->of;
    if (r->progress == MESSAGES_EXPECTED) messages_link_remove(&r->in.link);
    r->progress = MESSAGES_ACTIVE;
    r->number = t->inbox.receives++;
    if (!m && (m = messages_message_find(t, r->envelope))) messages_message_take(m);
    if (r->holds) r->of.held = NULL;
    if (m) {
        if (messages->log && (m->asks || (m->mode == MESSAGES_SYNCHRONOUS && m->sender)))
            messages_log_late(m->from, m->to, m->order);
        match__message_matched(m, r);
        return;
    }
    messages_link_add(r->envelope.source == MESSAGES_ANY ? &t->inbox.posted_any
                                                         : &messages_queues_for(t, r->envelope)->posted,
                      &r->in.link);
    if (messages_running_ahead && !r->of.coming && !r->shown) messages_running_ahead->posted(t, r);
}

bool messages_probe(messages_task *t, messages_envelope *e, size_t *bytes)
{
    messages_message *m = messages_message_find(t, *e);
    if (!m) return false;
    *e = m->envelope;
    *bytes = m->bytes;
    return true;
}

bool messages_probe_matched(messages_task *t, messages_request *r)
{
    messages_message *m = messages_message_find(t, r->envelope);
    if (m) messages_probe_found(r, m);
    return m != NULL;
}

/*=============================================================================
 * MARK: - >>notices
 *===========================================================================*/
/* It sends, receives or waits for messages; a thread that waits for another one does not. */
static bool match__is_in_call(const messages_task *t)
{
    return !t->wait.blocked && t->state != MESSAGES_COMPUTING && t->state != MESSAGES_SLEEPING;
}

static bool match__task_attends(const messages_task *t)
{
    if (!messages->cluster.progress_in_calls || match__is_in_call(t)) return true;
    for (const messages_task *thread = t->progress.threads; thread; thread = thread->progress.next)
        if (thread->threaded && match__is_in_call(thread)) return true;
    return false;
}

/* Handles a notice about a message. */
static void match__notice_take(messages_task *t, messages_message *m)
{
    switch (m->notice) {
    case NOTICE_ARRIVED: match__message_arrives(t, m); break;
    case NOTICE_READY: {
        /* The CPU time for copying the bytes overlaps with the transfer and is not waited for. */
        m->asks = m->answers = false;
        m->notice = NOTICE_COMPLETE;
        messages_message_launch(m);
        break;
    }
    case NOTICE_MATCHED:
        messages_request_done(m->sender);
        match__message_drop(m);
        break;
    case NOTICE_COMPLETE: {
        messages_request *r = m->other;
        if (r) messages_request_keep(r, m);
        if (m->sender) messages_request_done(m->sender);
        if (m->parcel) {
            match__parcel_take(m);
            break;
        }
        match__message_drop(m);
        messages_request_arrived(r);
        break;
    }
    }
}

void messages_notify(messages_message *m, messages_notice what)
{
    messages_goes_on();
    messages_task *t = messages_task_at(what == NOTICE_ARRIVED || what == NOTICE_COMPLETE ? m->to : m->from);
    m->notice = what;
    m->look = t->inbox.looks;
    if (messages->log && !m->withdrawn && (what == NOTICE_COMPLETE || (what == NOTICE_ARRIVED && !m->asks)))
        messages_log_message(m->from, m->to, (double)m->bytes, m->sent, m->order);
    if (t->ended) {
        if (what == NOTICE_ARRIVED) match__message_lose(m);
        if (what == NOTICE_ARRIVED || what == NOTICE_MATCHED)
            match__message_drop(m); /* the task will neither receive it nor be notified */
        if (what == NOTICE_READY)
            match__notice_take(t, m); /* the bytes are in shared memory although their sender has ended */
        return;
    }
    if (match__task_attends(t)) {
        match__notice_take(t, m);
        return;
    }
    m->in.way.behind = NULL;
    if (t->inbox.last_deferred)
        t->inbox.last_deferred->in.way.behind = m;
    else
        t->inbox.first_deferred = m;
    t->inbox.last_deferred = m;
}

void messages_deferred_take(messages_task *t)
{
    while (t->inbox.first_deferred) {
        messages_message *m = t->inbox.first_deferred;
        t->inbox.first_deferred = m->in.way.behind;
        if (!m->in.way.behind) t->inbox.last_deferred = NULL;
        match__notice_take(t, m);
    }
}

/*=============================================================================
 * MARK: - >>sends
 *===========================================================================*/
bool messages_is_eager(size_t bytes)
{
    return messages->cluster.eager < 0 || (double)bytes <= messages->cluster.eager;
}

void messages_message_send(messages_task *t, messages_message *m, messages_connection *c)
{
    const bool rendezvous = m->mode != MESSAGES_POSTED && !messages_is_eager(m->bytes);
    unsigned size = m->bytes == 0 ? 0 : 64 - (unsigned)__builtin_clzll(m->bytes);
    ++messages->counted.histogram[size < MESSAGES_SIZES ? size : MESSAGES_SIZES - 1];
    ++messages->counted.messages;
    if (t->of) t = t->of;
    ++t->account.sent;
    t->account.bytes_sent += (double)m->bytes;
    m->sent = simkit_clock_now(direct->world);
    if (messages->log) m->order = messages_log_order();
    m->asks = rendezvous;
    m->notice = NOTICE_ARRIVED;
    messages_message_fill(m);
    if (m->sender && (m->mode == MESSAGES_BUFFERED || (m->mode == MESSAGES_STANDARD && !rendezvous))) {
        messages_request *r = m->sender;
        m->sender = NULL;
        messages_request_done(r);
    }
    messages_message_launch_on(c, m);
}

void messages_answer_send(messages_task *from, messages_request *r, size_t bytes)
{
    messages_message *m = direct_new(sizeof *m);
    m->from = from->number;
    m->to = r->owner->number;
    m->envelope = r->envelope;
    m->bytes = bytes;
    m->other = r;
    m->known = true;
    messages_message_send(from, m, messages_connection_use(from, m->to));
}

static messages_message *match__message_sent_for(messages_message *first, const messages_request *r)
{
    while (first && first->sender != r) first = first->in.way.behind;
    return first;
}

/* The message of a send, in transit or as a notice for its receiver; NULL: it is not there any more. */
static messages_message *match__message_in_transit(const messages_task *t, const messages_request *r)
{
    const messages_task *process = t->of ? t->of : t, *to = messages_task_at(r->from);
    const messages_connection *way = messages_connection_with(process, to->number);
    const messages_connection *back = messages_connection_with(to, process->number);
    messages_message *m = way ? match__message_sent_for(way->first, r) : NULL;
    if (!m && back) m = match__message_sent_for(back->answers, r);
    return m ? m : match__message_sent_for(to->inbox.first_deferred, r);
}

/* Withdraws the message of a send; false: its receive is known, so that the send completes. */
bool messages_send_cancel(const messages_task *t, const messages_request *r)
{
    messages_task *to = messages_task_at(r->from);
    for (messages_link *at = to->inbox.arrived_any.after; at != &to->inbox.arrived_any; at = at->after) {
        messages_message *m = OF_LINK(messages_message, in.arrived.any, at);
        if (m->sender != r) continue;
        if (m->certain) return false;
        messages_message_take(m);
        match__message_drop(m);
        return true;
    }
    messages_message *m = match__message_in_transit(t, r);
    if (m && m->notice == NOTICE_ARRIVED && !m->certain) {
        if (m->coming) messages_running_ahead->arrived(to, m);
        m->withdrawn = true; /* its bytes are under way, but count for nothing */
    } else if (!to->ended || (m && m->notice == NOTICE_MATCHED)) {
        return false;
    }
    if (m) m->sender = NULL;
    return true;
}

/*=============================================================================
 * MARK: - >>the end of a task
 *===========================================================================*/
/* The messages that have arrived at a task that ends: nobody receives them. */
void messages_arrived_lose(messages_task *t)
{
    for (messages_link *at = t->inbox.arrived_any.after; at != &t->inbox.arrived_any;) {
        messages_message *m = OF_LINK(messages_message, in.arrived.any, at);
        at = at->after;
        match__message_lose(m);
        if (!m->asks) match__message_drop(m);
    }
    messages_link_init(&t->inbox.arrived_any);
}

void messages_unreceived_note(void)
{
    for (uint32_t i = 0; i < messages->task_count; ++i) {
        const messages_task *t = messages->tasks[i];
        for (uint32_t k = 0; k < t->partners.room; ++k) {
            const messages_connection *c = messages_connection_of(t, &t->partners.list[k]);
            for (const messages_message *m = c ? c->first : NULL; m; m = m->in.way.behind)
                if (m->notice == NOTICE_ARRIVED) match__message_lose(m);
        }
    }
}
