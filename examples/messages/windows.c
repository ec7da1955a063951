/* windows.c - the engine's part of one-sided communication: takes parcels that arrive at a window, in the order in which
 * their origins sent them, gives and releases locks, and sends answers. It needs no call of the window's task. */
#include "core.h"

#include <string.h>

enum { ANSWER_BYTES = 32 }; /* of an answer, without data */

/* A task takes parcels and sends answers one after another: each takes CPU time on its host. */
struct messages_service {
    messages_service *next;
    messages_parcel *parcel;   /* to be taken; NULL: */
    messages_request *request; /* to be answered, */
    size_t bytes;              /* with so many */
};

static messages_task *window__task(const messages_window *w, int32_t rank)
{
    return messages->tasks[w->members[rank].task];
}

/* CPU time of the first service of a task. */
static messages_work window__service_work(const messages_task *t)
{
    const messages_service *s = t->serving.first_service;
    const messages_cluster *c = &messages->cluster;
    const messages_haste haste = { .computed = t->cooled };
    if (!s->parcel) return messages_send_work(c, t->host, s->request->owner->host, (double)s->bytes, &haste);
    const messages_parcel *p = s->parcel;
    messages_work work = messages_receive_work(c, window__task(p->window, p->origin)->host, t->host,
                                               p->watched ? 0 : (double)p->bytes, &haste);
    work.seconds += p->work * c->hosts[t->host].factor;
    return work;
}

static void window__parcel_open(messages_task *t, messages_parcel *p);

/* The first service has had its CPU time. */
static void window__service_end(messages_task *t)
{
    messages_service *s = t->serving.first_service;
    if (s->parcel)
        window__parcel_open(t, s->parcel);
    else
        messages_answer_send(t, s->request, s->bytes);
    t->serving.first_service = s->next; /* it may be one that the parcel has added */
    direct_free(s, sizeof *s);
}

static void window__service_over(simkit_world *world, void *user);

/* Serves until one takes time. */
static void window__serve(messages_task *t)
{
    while (t->serving.first_service) {
        const messages_work work = window__service_work(t);
        if (work.seconds > 0) {
            messages_computation_start(t, work, window__service_over, t, NULL);
            return;
        }
        window__service_end(t);
    }
}

static void window__service_over(simkit_world *world, void *user)
{
    messages_task *t = user;
    (void)world;
    messages_goes_on();
    window__service_end(t);
    window__serve(t);
}

static void window__service_add(messages_task *t, messages_parcel *parcel, messages_request *request, size_t bytes)
{
    messages_service *s = direct_new(sizeof *s);
    s->parcel = parcel;
    s->request = request;
    s->bytes = bytes;
    const bool idle = !t->serving.first_service;
    if (idle)
        t->serving.first_service = s;
    else
        t->serving.last_service->next = s;
    t->serving.last_service = s;
    if (idle) window__serve(t);
}

static void window__answer(messages_task *t, messages_request *r, size_t bytes)
{
    if (r) window__service_add(t, NULL, r, ANSWER_BYTES + bytes);
}

/*=============================================================================
 * MARK: - >>locks
 *===========================================================================*/

/* Gives the lock to those that can have it now, in the order in which they asked. */
static void window__lock_give(messages_task *t, messages_member *m)
{
    while (m->first_wish && !m->exclusive && (m->holders == 0 || !m->first_wish->exclusive)) {
        messages_wish *wish = m->first_wish;
        m->first_wish = wish->next;
        if (!m->first_wish) m->last_wish = NULL;
        m->exclusive = wish->exclusive;
        ++m->holders;
        window__answer(t, wish->request, 0);
        direct_free(wish, sizeof *wish);
    }
}

static void window__lock_ask(messages_task *t, messages_member *m, const messages_deed *d)
{
    messages_wish *wish = direct_new(sizeof *wish);
    wish->exclusive = d->exclusive;
    wish->request = d->request;
    if (m->last_wish)
        m->last_wish->next = wish;
    else
        m->first_wish = wish;
    m->last_wish = wish;
    window__lock_give(t, m);
}

static void window__unlock(messages_task *t, messages_member *m)
{
    --m->holders;
    m->exclusive = false;
    window__lock_give(t, m);
}

/*=============================================================================
 * MARK: - >>deeds
 *===========================================================================*/

void messages_deed_drop(messages_deed *d)
{
    messages_chunk_drop(d->data);
    messages_chunk_drop(d->result);
    direct_free(d, sizeof *d + d->run_count * sizeof *d->runs);
}

/* Adds a deed to those that are to be applied before the program of the task goes on. */
static void window__deed_keep(messages_task *t, messages_deed *d)
{
    messages_deed **first = d->anywhere ? &messages->visit.first_deed : &t->serving.first_deed;
    messages_deed **last = d->anywhere ? &messages->visit.last_deed : &t->serving.last_deed;
    d->next = NULL;
    if (*last)
        (*last)->next = d;
    else
        *first = d;
    *last = d;
}

static void window__deed_take(messages_task *t, const messages_parcel *p, messages_deed *d)
{
    messages_window *w = p->window;
    messages_member *m = &w->members[p->target];
    switch (d->kind) {
    case MESSAGES_PUT:
    case MESSAGES_ACCUMULATE: window__deed_keep(t, d); return;
    case MESSAGES_GET:
    case MESSAGES_FETCH:
    case MESSAGES_COMPARE: {
        messages_request *r = d->request; /* the deed may be freed as soon as it is applied */
        const size_t bytes = d->bytes;
        window__deed_keep(t, d);
        window__answer(t, r, bytes);
        return;
    }
    case MESSAGES_LOCK: window__lock_ask(t, m, d); break;
    case MESSAGES_UNLOCK:
        window__answer(t, d->request, 0);
        window__unlock(t, m);
        break;
    case MESSAGES_CONFIRM: window__answer(t, d->request, 0); break;
    case MESSAGES_EXPOSE:
        if (!m->exposures) m->exposures = direct_new((size_t)w->size * sizeof *m->exposures);
        ++m->exposures[p->origin];
        break;
    case MESSAGES_FINISH: ++m->finishes; break;
    }
    messages_deed_drop(d);
}

bool messages_member_served(const messages_window *w, int32_t rank)
{
    const messages_member *m = &w->members[rank];
    switch (m->awaited) {
    case MESSAGES_PARCELS: return m->parcels >= m->need;
    case MESSAGES_FINISHES: return m->finishes >= m->need;
    case MESSAGES_EXPOSURE: return m->exposures && m->exposures[m->from] >= m->need;
    default: return true;
    }
}

static void window__parcel_open(messages_task *t, messages_parcel *p)
{
    messages_member *m = &p->window->members[p->target];
    for (messages_deed *d = p->first, *next; d; d = next) {
        next = d->next;
        window__deed_take(t, p, d);
    }
    ++m->parcels;
    if (m->waits && messages_member_served(p->window, p->target)) {
        messages_request *r = m->waits;
        m->waits = NULL;
        messages_request_complete(r);
    }
    direct_free(p, sizeof *p);
}

/*=============================================================================
 * MARK: - >>parcels
 *===========================================================================*/

/* A parcel that asked first may be overtaken by later ones; they wait for it. */
void messages_parcel_take(messages_parcel *p)
{
    messages_member *m = &p->window->members[p->target];
    messages_task *t = window__task(p->window, p->target);
    if (!m->numbers) m->numbers = direct_new((size_t)p->window->size * sizeof *m->numbers);
    uint32_t *number = &m->numbers[p->origin];
    if (p->number != *number) {
        p->next = m->early;
        m->early = p;
        return;
    }
    const int32_t origin = p->origin;
    while (p) {
        ++*number;
        window__service_add(t, p, NULL, 0);
        messages_parcel **at = &m->early;
        while (*at && ((*at)->origin != origin || (*at)->number != *number)) at = &(*at)->next;
        p = *at;
        if (p) *at = p->next;
    }
}

void messages_window_drop(messages_window *w, int32_t rank)
{
    messages_member *m = &w->members[rank];
    direct_free(m->numbers, m->numbers ? (size_t)w->size * sizeof *m->numbers : 0);
    direct_free(m->exposures, m->exposures ? (size_t)w->size * sizeof *m->exposures : 0);
    direct_free(m->attached, m->attached_room * sizeof *m->attached);
    if (++w->left < w->size) return;
    direct_free(w->memory, w->memory_bytes);
    direct_free(w, sizeof *w + (size_t)w->size * sizeof *w->members);
}
