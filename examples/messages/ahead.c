/* ahead.c - running ahead. With several cores a task may return to its program before its script is complete: when it only
 * waits, and what it will receive is certain. It then computes beside other tasks, up to its next call, in which it waits for its
 * turn. Turns are still given in the order of virtual time, so all events happen in the same order as on one core, at the same
 * times.
 *
 * A message is certain when its sender has handed over its script up to the send and will not wait before it. Which
 * receive it is for is known then as well, because messages from one task with one tag are received in the order in
 * which they are sent; receives from any source may change that, and a task that uses them does not run ahead.
 * This looks ahead as far as the scripts do: at least by the latency of a message, and by the computing before it.
 *
 * The rest of the engine knows of this file by the table messages_running_ahead, which is NULL on one core. */
#include "engine.h"

bool messages_is_ahead MESSAGES_COMMON;
bool messages_in_rounds MESSAGES_COMMON;
const messages_ahead_calls *messages_running_ahead MESSAGES_COMMON;

/* A message that will come, and has no receive yet. */
typedef struct coming {
    messages_link link;
    messages_message *message;
} coming;

static messages_link *ahead__coming_for(messages_task *t, messages_envelope e)
{
    if (!t->ahead->coming) {
        t->ahead->coming = direct_new(2 * MESSAGES_COMING * sizeof *t->ahead->coming);
        for (int i = 0; i < 2 * MESSAGES_COMING; ++i) messages_link_init(&t->ahead->coming[i]);
    }
    return &t->ahead->coming[((unsigned)e.source + 7u * (unsigned)e.context) % MESSAGES_COMING];
}

/* Receives that a task will post without waiting before, for which no message is certain. */
static messages_link *ahead__expected_for(messages_task *t, messages_envelope e)
{
    return ahead__coming_for(t, e) + MESSAGES_COMING;
}

static coming *ahead__coming_of(messages_link *at)
{
    return OF_LINK(coming, link, at);
}

static void ahead__coming_take(coming *c)
{
    c->message->coming = false;
    messages_link_remove(&c->link);
    direct_free(c, sizeof *c);
}

static void ahead__arrived(messages_task *t, const messages_message *m)
{
    messages_link *at = ahead__coming_for(t, m->envelope)->after;
    while (ahead__coming_of(at)->message != m) at = at->after;
    ahead__coming_take(ahead__coming_of(at));
}

/* It may go ahead, and is to be woken for that. */
static void ahead__release(messages_task *t)
{
    if (t->ahead->computes < messages->several.worth) return; /* it will have its turn in time */
    if (t->ahead->released) return;
    t->ahead->released = true;
    t->ahead->next_released = messages->several.first_released;
    messages->several.first_released = t;
}

/* Shows the owner of a receive what it will receive. From now on it may drop the request. */
static void ahead__request_show(messages_request *r)
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

static bool ahead__request_is_certain(const messages_request *r)
{
    return r->progress == MESSAGES_DONE || r->progress == MESSAGES_ARRIVED || r->of.coming;
}

/* Error codes of a collective call depend on the other ranks' calls. */
static bool ahead__is_possible(const messages_task *t)
{
    return !t->progress.threads && !messages->windows && !(t->meeting && t->meeting->returns);
}

/* Returns true if the results of a wait are certain; then its task sees them. `certain`: the number of its requests that are so. */
static bool ahead__wait_is_certain(const messages_action *a, uint32_t *certain)
{
    if (a->kind != MESSAGES_WAIT || a->need < a->count || a->amount > 0) return false;
    messages_request *const *list = a->count == 1 ? &a->of.request : a->of.requests;
    while (*certain < a->count && ahead__request_is_certain(list[*certain])) ++*certain;
    if (*certain < a->count) return false;
    for (uint32_t i = 0; i < a->count; ++i) ahead__request_show(list[i]);
    return true;
}

/* Lets a task run ahead if nothing is left in its last script but one wait at most, and its results are certain. */
static void ahead__check(messages_task *t)
{
    messages_script *s = t->ahead->last_script;
    const uint32_t at = s == &t->script ? t->at : 0;
    if (t->ahead->ahead || t->ahead->unsure || at < s->meets || at >= s->count || !ahead__is_possible(t)) return;
    const uint32_t next = s->committed > at ? s->committed : at;
    if (next + 1 < s->count) return;
    if (next < s->count && !ahead__wait_is_certain(&s->actions[next], &s->certain)) return;
    t->ahead->ahead = true;
    ahead__release(t);
}

/* A task at its beginning. */
static void ahead__starts(messages_task *t)
{
    if (!t->system.forked || t->system.together) return;
    t->ahead->ahead = true;
    t->ahead->computes = messages->several.worth; /* not known yet */
    ahead__release(t);
}

/* The script of a task is complete. */
static void ahead__ended(messages_task *t)
{
    messages_script *s = &t->script;
    s->committed = s->certain = s->meets = 0;
    while (s->dropped) {
        messages_request *r = s->dropped;
        s->dropped = r->of.dropped;
        direct_free(r, messages_request_bytes(r));
    }
    if (s->next) return; /* the rest is for the last one */
    if (t->ahead->hasty && !t->ahead->ahead && ahead__is_possible(t)) ahead__release(t); /* until its turn comes */
    t->ahead->hasty = t->ahead->ahead = false;
    if (t->ahead->outside) t->inside = t->ahead->outside = false;
}

static void ahead__request_certain(messages_request *r, messages_message *m)
{
    if (r->shown) return;
    r->of.coming = m;
    if (r->owner->ahead->hasty) ahead__check(r->owner);
}

/* It is certain that this message will be received, by this receive. */
static void ahead__matched(messages_message *m, messages_request *r)
{
    m->certain = true;
    ahead__request_certain(r, m);
    if (m->sender) ahead__request_certain(m->sender, m);
}

/* After a receive from any source or of any tag, nothing that a task receives is certain before it arrives. */
static void ahead__wildcard_note(messages_task *t, const messages_request *r)
{
    if (r->envelope.source == MESSAGES_ANY || r->envelope.tag == MESSAGES_ANY) t->ahead->unsure = true;
}

/* Finds the message for a receive among those that will come; false: none is certain. */
static bool ahead__posted(messages_task *t, messages_request *r)
{
    ahead__wildcard_note(t, r);
    if (t->ahead->unsure) return false;
    messages_link *list = ahead__coming_for(t, r->envelope);
    for (messages_link *at = list->after; at != list; at = at->after) {
        messages_message *m = ahead__coming_of(at)->message;
        if (!messages_envelope_fits(r->envelope, m->envelope)) continue;
        ahead__coming_take(ahead__coming_of(at));
        ahead__matched(m, r);
        return true;
    }
    return false;
}

/* A receive will be posted. */
static void ahead__receive_expect(messages_task *t, messages_request *r)
{
    if (t->of) t = t->of;
    ahead__wildcard_note(t, r);
    if (t->ahead->unsure) return;
    messages_link *list = &messages_queues_for(t, r->envelope)->arrived;
    for (messages_link *at = list->after; at != list; at = at->after) {
        messages_message *m = OF_LINK(messages_message, in.arrived.link, at);
        if (m->certain || !messages_envelope_fits(r->envelope, m->envelope)) continue;
        ahead__matched(m, r);
        return;
    }
    if (ahead__posted(t, r)) return;
    r->progress = MESSAGES_EXPECTED;
    messages_link_add(ahead__expected_for(t, r->envelope), &r->in.link);
}

/* It is certain that this message will be sent. */
static void ahead__message_commit(messages_message *m)
{
    messages_task *t = messages_task_at(m->to);
    if (m->parcel || t->ended || t->ahead->unsure) return;
    messages_link *list = &messages_queues_for(t, m->envelope)->posted;
    for (messages_link *at = list->after; at != list; at = at->after) {
        messages_request *r = OF_LINK(messages_request, in.link, at);
        if (r->of.coming || r->shown || !messages_envelope_fits(r->envelope, m->envelope)) continue;
        ahead__matched(m, r);
        return;
    }
    list = ahead__expected_for(t, m->envelope);
    for (messages_link *at = list->after; at != list; at = at->after) {
        messages_request *r = OF_LINK(messages_request, in.link, at);
        if (!messages_envelope_fits(r->envelope, m->envelope)) continue;
        messages_link_remove(&r->in.link);
        r->progress = MESSAGES_ACTIVE;
        ahead__matched(m, r);
        return;
    }
    coming *c = direct_new(sizeof *c);
    c->message = m;
    m->coming = true;
    messages_link_add(ahead__coming_for(t, m->envelope), &c->link);
}

/* Makes certain what a task sends and receives from an action on without waiting before; of sends before action `known` the
 * content is known even if it is forwarded. */
static void ahead__actions_commit(messages_task *t, messages_script *s, uint32_t from, uint32_t known)
{
    uint32_t i = from;
    for (; i < s->count && s->actions[i].kind <= MESSAGES_MEET; ++i) {
        const messages_action *a = &s->actions[i];
        if (a->kind == MESSAGES_MEET) s->meets = i + 1;
        if (a->kind == MESSAGES_POST) {
            if (a->of.request->holds) break; /* it has its message */
            ahead__receive_expect(t, a->of.request);
        }
        if (a->kind != MESSAGES_SEND) continue;
        messages_message *m = a->of.message;
        if (i >= known && m->other && m->other->progress != MESSAGES_DONE) break;
        messages_message_fill(m);
        ahead__message_commit(m);
    }
    s->committed = i;
}

/* Makes certain what its first script sends and receives, from where it is now. */
static void ahead__goes_on(messages_task *t)
{
    messages_script *s = &t->script;
    ahead__actions_commit(t, s, s->committed > t->at ? s->committed : t->at, t->at + 1);
    if (t->ahead->hasty) ahead__check(t);
}

/*=============================================================================
 * MARK: - >>further scripts
 *
 * In the rounds of a collective call a task that runs ahead may hand over further scripts, because others wait for what they
 * send. Its process then works on the engine's data beside that which runs the engine, but each holds the lock. A further
 * script waits in a queue until the task would have had its turn; until then only its messages are made certain.
 *===========================================================================*/
void messages_further_queue(void)
{
    messages_task *t = messages_self;
    messages_script *s = t->ahead->further;
    t->ahead->further = NULL;
    t->ahead->last_script->next = s;
    t->ahead->last_script = s;
    t->ahead->hasty = true;
    t->ahead->ahead = false;
    /* The content that it forwards before it waits is known: an earlier script has received it. */
    ahead__actions_commit(t, s, 0, s->count);
    ahead__check(t);
}

/* A further script takes the place of the first one of its task, which is complete. */
static void ahead__script_follow(messages_task *t, messages_script *s)
{
    direct_free(t->script.actions, t->script.room * sizeof *t->script.actions);
    t->script = *s;
    if (t->ahead->last_script == s) t->ahead->last_script = &t->script;
    direct_free(s, sizeof *s);
}

static void ahead__taken(messages_task *t)
{
    if (t->ahead->further) ahead__script_follow(t, t->ahead->further);
    t->ahead->further = NULL;
}

/* The turn of a task: if it has handed over a further script, that one begins instead. */
static bool ahead__next(messages_task *t)
{
    if (!t->script.next) return false;
    ahead__script_follow(t, t->script.next);
    return true;
}

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/
/* A script is new. */
static void ahead__begins(messages_task *t)
{
    t->ahead = direct_new(sizeof *t->ahead);
    t->ahead->last_script = &t->script;
}

/* The script that this process writes; if it runs ahead, that is not the one of its task. NULL: it has none yet. */
static messages_script *ahead__written(messages_task *t)
{
    return messages_is_ahead ? t->ahead->further : &t->script;
}

/* A further script of this process, if it runs ahead and may write one; else NULL. */
static messages_script *ahead__writes(messages_task *t)
{
    messages_ahead *a = t->ahead;
    if (!messages_is_ahead || !messages_in_rounds) return NULL;
    if (!a->further) {
        a->further = direct_new(sizeof *a->further);
        messages_script_init(a->further);
    }
    return a->further;
}

/* A request is dropped which the engine still needs: freed later. */
static bool ahead__keeps(messages_task *t, messages_request *r)
{
    if (!t->ahead->ahead) return false;
    messages_script *s = t->ahead->last_script;
    r->of.dropped = s->dropped;
    s->dropped = r;
    return true;
}

static void ahead__waits(messages_task *t)
{
    if (t->ahead->hasty) ahead__check(t);
}

static void ahead__unsure(messages_task *t)
{
    t->ahead->unsure = true;
}

/* A task makes a call, and has computed for so long before it [s]. */
static void ahead__computed(messages_task *t, double seconds)
{
    messages_ahead *a = t->ahead;
    if (a->waited) a->computes = a->computes * 0.75 > seconds ? a->computes * 0.75 : seconds;
    a->waited = false;
}

/* A task leaves a call. Returns true if it does so ahead of its turn. */
static bool ahead__leaves(messages_task *t)
{
    if (messages_in_rounds) {
        messages_in_rounds = false;
        if (t->ahead->further) messages_turn_take(); /* it is handed over with what the next call adds */
    }
    if (t->ahead->ahead) t->ahead->outside = true;
    return t->ahead->ahead;
}

static const messages_ahead_calls calls = {
    .begins = ahead__begins,
    .starts = ahead__starts,
    .arrived = ahead__arrived,
    .matched = ahead__matched,
    .posted = ahead__posted,
    .keeps = ahead__keeps,
    .goes_on = ahead__goes_on,
    .waits = ahead__waits,
    .unsure = ahead__unsure,
    .ended = ahead__ended,
    .next = ahead__next,
    .taken = ahead__taken,
    .written = ahead__written,
    .writes = ahead__writes,
    .computed = ahead__computed,
    .leaves = ahead__leaves,
};

void messages_ahead_attach(void)
{
    messages_running_ahead = &calls;
}
