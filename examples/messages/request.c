/* request.c - receives, and sends that can be waited for: how far they are, and the bytes of a message that they keep. */
#include "engine.h"

#include <string.h>

void messages_request_arrived(messages_request *r)
{
    messages_task *t = r->owner;
    r->progress = MESSAGES_ARRIVED;
    if (!r->watched) return;
    r->in.after = NULL;
    if (t->wait.last_arrived)
        t->wait.last_arrived->in.after = r;
    else
        t->wait.first_arrived = r;
    t->wait.last_arrived = r;
    if (t->wait.waits) messages_above.advance(t);
}

/* A request that a task waits for is done. */
static void request__one_less(messages_task *t)
{
    if (t->wait.open > 0) --t->wait.open; /* 0: a wait for some requests may have ended while the task was receiving */
    if (t->wait.waits && t->wait.open == 0) messages_above.advance(t);
}

static bool request__is_awaited(const messages_request *r, const messages_task *t)
{
    if (t->ended || t->at >= t->script.count || !t->charged) return false;
    const messages_action *a = &t->script.actions[t->at];
    if (a->kind != MESSAGES_WAIT) return false;
    if (a->count == 1) return a->of.request == r;
    uint32_t i = 0;
    while (i < a->count && a->of.requests[i] != r) ++i;
    return i < a->count;
}

/* Further threads of the rank that wait for the same request. */
static void request__others_tell(messages_request *r)
{
    messages_task *owner = r->owner, *rank = messages_rank_of(owner), *threads = rank->progress.threads;
    r->several = false;
    if (rank != owner && request__is_awaited(r, rank)) request__one_less(rank);
    for (messages_task *t = threads, *next; t; t = next) {
        next = t->progress.next;
        if (t != owner && t->threaded && request__is_awaited(r, t)) request__one_less(t);
    }
}

void messages_request_done(messages_request *r)
{
    messages_task *t = r->owner;
    r->progress = MESSAGES_DONE;
    if (!r->watched) return;
    r->watched = false;
    request__one_less(t);
    if (r->several) request__others_tell(r);
}

/* Moves the bytes of a message to its receive. */
void messages_request_keep(messages_request *r, messages_message *m)
{
    r->seen = m->watched;
    r->look = m->look;
    if (r->shown) return; /* its owner has read the data, and perhaps dropped it */
    r->chunk = m->chunk;
    m->chunk = NULL;
    if (!r->chunk || r->chunk->absent || r->small == 0 || r->chunk->bytes > r->small) return;
    messages_chunk *own = messages_request_own_chunk(r);
    own->bytes = r->chunk->bytes;
    memcpy(own->data, r->chunk->data, own->bytes);
    messages_chunk_drop(r->chunk);
    r->chunk = own;
}

void messages_request_complete(messages_request *r)
{
    messages_request_done(r);
}

static messages_request *request__request_new(bool receives, size_t bytes)
{
    messages_request about = { .owner = messages_self, .receives = receives };
    about.small = (uint8_t)(bytes < MESSAGES_SMALL ? bytes : MESSAGES_SMALL);
    messages_request *r = direct_new(messages_request_bytes(&about));
    *r = about;
    return r;
}

messages_request *messages_request_new(bool receives)
{
    return request__request_new(receives, receives ? MESSAGES_SMALL : 0);
}

messages_request *messages_request_new_for(size_t bytes)
{
    return request__request_new(true, bytes);
}

void messages_request_empty(messages_request *r)
{
    if (r->chunk != messages_request_own_chunk(r)) messages_chunk_drop(r->chunk);
    r->chunk = NULL;
}

void messages_request_drop(messages_request *r)
{
    if (!r) return;
    messages_request_empty(r);
    if (messages_running_ahead && messages_running_ahead->keeps(messages_self, r)) return;
    direct_free(r, messages_request_bytes(r));
}
