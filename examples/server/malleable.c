/* malleable.c - see malleable.h */
#include "malleable.h"

#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum scheme { EQUI, MINIMUM, PREFERRED, AVERAGE, EFFICIENCY, SCHEMES } scheme;

/* A job that waits or runs. */
typedef struct member {
    server_number job;
    unsigned least, most; /* what it may get now */
    unsigned target;      /* what it is to get; 0: it has to wait */
    double efficiency;    /* EFFICIENCY: with one node more */
} member;

typedef struct crowd {
    scheme scheme;
    double period, threshold;
    bool armed; /* a wake-up is under way */
    member *members;
    size_t count, space;
    size_t *heap; /* heap[space]: EFFICIENCY, of members */
} crowd;

static void close_crowd(void *state)
{
    crowd *c = (crowd *)state;
    free(c->members);
    free(c->heap);
    free(c);
}

static void happened(void *state, server *s, const server_event *event)
{
    crowd *c = (crowd *)state;
    if (event->kind == SERVER_EVENT_WAKE) c->armed = false;
    if (event->kind == SERVER_EVENT_END)
        for (size_t i = 0; i < c->count; ++i) {
            if (c->members[i].job != event->job) continue;
            memmove(c->members + i, c->members + i + 1, (--c->count - i) * sizeof *c->members);
            break;
        }
    if (event->kind != SERVER_EVENT_SUBMIT) return;
    if (c->count == c->space) {
        const size_t space = c->space ? 2 * c->space : 64;
        member *members = (member *)realloc(c->members, space * sizeof *members);
        if (members) c->members = members;
        size_t *heap = (size_t *)realloc(c->heap, space * sizeof *heap);
        if (heap) c->heap = heap;
        if (!members || !heap) {
            server_give_up(s, "is out of memory");
            return;
        }
        c->space = space;
    }
    c->members[c->count++] = (member){ event->job, 0, 0, 0, 0 };
}

/*=============================================================================
 * MARK: - >>targets
 *===========================================================================*/
/* What each job may get, and who can run at all: in order, until a minimum does not fit. Gives the nodes that are left. */
static unsigned admit(crowd *c, const server *s)
{
    unsigned left = server_nodes(s);
    bool fits = true;
    for (size_t i = 0; i < c->count; ++i) { /* those that run keep their minimum */
        member *m = &c->members[i];
        const server_job *j = server_job_of(s, m->job);
        const bool fixed = j->state == SERVER_RUNNING && j->desc.kind != SERVER_MALLEABLE;
        m->least = fixed ? j->nodes : j->desc.minimum;
        m->most = fixed ? j->nodes : j->desc.maximum;
        m->target = 0;
        if (j->state != SERVER_RUNNING) continue;
        m->target = m->least;
        left -= left < m->least ? left : m->least;
    }
    for (size_t i = 0; i < c->count && fits; ++i) {
        member *m = &c->members[i];
        if (server_job_of(s, m->job)->state != SERVER_WAITING) continue;
        fits = m->least <= left;
        if (!fits) break;
        m->target = m->least;
        left -= m->least;
    }
    return left;
}

static unsigned within(const member *m, unsigned nodes)
{
    return nodes < m->least ? m->least : nodes > m->most ? m->most : nodes;
}

/* The same number for all, as far as their limits allow; the remainder to the first ones. */
static void share_equally(crowd *c, unsigned left)
{
    unsigned low = 0, high = 0;
    for (size_t i = 0; i < c->count; ++i)
        if (c->members[i].target > 0 && c->members[i].most > high) high = c->members[i].most;
    while (low < high) { /* the largest level that can be given to all */
        const unsigned level = low + (high - low + 1) / 2;
        unsigned long long more = 0;
        for (size_t i = 0; i < c->count; ++i)
            if (c->members[i].target > 0) more += within(&c->members[i], level) - c->members[i].least;
        if (more <= left)
            low = level;
        else
            high = level - 1;
    }
    for (size_t i = 0; i < c->count; ++i) {
        member *m = &c->members[i];
        if (m->target == 0) continue;
        m->target = within(m, low);
        left -= m->target - m->least;
    }
    for (size_t i = 0; i < c->count && left > 0; ++i) {
        member *m = &c->members[i];
        if (m->target == 0 || m->target != low || m->target == m->most) continue;
        ++m->target;
        --left;
    }
}

/* Up to a size for each, in order; then, if nobody waits, up to their maximum. */
static void fill_in_order(crowd *c, const server *s, unsigned left)
{
    bool waits = false;
    for (size_t i = 0; i < c->count; ++i) {
        member *m = &c->members[i];
        const server_job_desc *d = &server_job_of(s, m->job)->desc;
        const unsigned size = c->scheme == MINIMUM     ? d->minimum
                              : c->scheme == PREFERRED ? d->preferred
                                                       : d->minimum + (d->maximum - d->minimum + 1) / 2;
        waits = waits || m->target == 0;
        if (m->target == 0 || within(m, size) <= m->target) continue;
        const unsigned more = within(m, size) - m->target < left ? within(m, size) - m->target : left;
        m->target += more;
        left -= more;
    }
    for (size_t i = 0; i < c->count && !waits; ++i) {
        member *m = &c->members[i];
        const unsigned more = m->most - m->target < left ? m->most - m->target : left;
        m->target += more;
        left -= more;
    }
}

/* The efficiency of a job with one node more; less than any threshold if it cannot have one. */
static double next_efficiency(const member *m, const server *s)
{
    if (m->target == 0 || m->target >= m->most) return -1;
    const server_job *j = server_job_of(s, m->job);
    const double e = work_efficiency((const work *)j->desc.work, j->iteration, m->target + 1);
    return e >= 0 ? e : m->target < j->desc.preferred; /* unknown: it gets what it prefers */
}

static bool better(const crowd *c, size_t a, size_t b)
{
    const double x = c->members[a].efficiency, y = c->members[b].efficiency;
    return x > y || (x >= y && a < b);
}

static void sink(crowd *c, size_t at, size_t count)
{
    const size_t moved = c->heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && better(c, c->heap[child + 1], c->heap[child])) ++child;
        if (!better(c, c->heap[child], moved)) break;
        c->heap[at] = c->heap[child];
    }
    c->heap[at] = moved;
}

static void give_where_best(crowd *c, const server *s, unsigned left)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; ++i) {
        c->members[i].efficiency = next_efficiency(&c->members[i], s);
        if (c->members[i].efficiency >= c->threshold) c->heap[count++] = i;
    }
    for (size_t i = count / 2; i-- > 0;) sink(c, i, count);
    while (left > 0 && count > 0) {
        member *m = &c->members[c->heap[0]];
        ++m->target;
        --left;
        m->efficiency = next_efficiency(m, s);
        if (!(m->efficiency >= c->threshold)) c->heap[0] = c->heap[--count];
        sink(c, 0, count);
    }
}

/*=============================================================================
 * MARK: - >>decisions
 *===========================================================================*/
static void decide(void *state, server *s)
{
    crowd *c = (crowd *)state;
    const unsigned left = admit(c, s);
    bool waits = false;
    if (c->scheme == EQUI)
        share_equally(c, left);
    else if (c->scheme == EFFICIENCY)
        give_where_best(c, s, left);
    else
        fill_in_order(c, s, left);
    for (size_t i = 0; i < c->count; ++i) {
        const member *m = &c->members[i];
        const server_job *j = server_job_of(s, m->job);
        if (j->state != SERVER_WAITING || waits) continue;
        const unsigned nodes = m->target < server_free(s) ? m->target : server_free(s);
        if (m->target == 0 || nodes < m->least)
            waits = true; /* what is free is kept for it */
        else if (server_start(s, m->job, nodes) != SERVER_OK)
            return;
    }
    for (size_t i = 0; i < c->count; ++i) {
        const member *m = &c->members[i];
        const server_job *j = server_job_of(s, m->job);
        if (j->state != SERVER_RUNNING || j->desc.kind != SERVER_MALLEABLE) continue;
        const unsigned wanted = m->target > j->nodes && waits ? j->nodes : m->target;
        if (wanted != j->wanted && server_resize(s, m->job, wanted) != SERVER_OK) return;
    }
    if (c->period > 0 && !c->armed && c->count > 0) c->armed = server_wake(s, server_now(s) + c->period) == SERVER_OK;
}

static bool read_keys(crowd *c, const char *keys)
{
    while (*keys == ':') {
        char *end;
        const size_t length = strcspn(++keys, "=");
        if (keys[length] != '=') return false;
        const double value = strtod(keys + length + 1, &end);
        if (end == keys + length + 1 || !(value > 0)) return false;
        if (length == 6 && memcmp(keys, "period", 6) == 0)
            c->period = value;
        else if (length == 9 && memcmp(keys, "threshold", 9) == 0)
            c->threshold = value;
        else
            return false;
        keys = end;
    }
    return *keys == 0;
}

server_result malleable_make(const char *name, server_policy *policy)
{
    static const char *const names[SCHEMES] = { "equi", "minimum", "preferred", "average", "efficiency" };
    if (!name || !policy) return SERVER_BAD_ARGUMENT;
    const size_t length = strcspn(name, ":");
    for (int i = 0; i < SCHEMES; ++i) {
        if (strlen(names[i]) != length || memcmp(names[i], name, length) != 0) continue;
        crowd *c = (crowd *)calloc(1, sizeof *c);
        if (!c) return SERVER_NO_MEMORY;
        c->scheme = (scheme)i;
        c->threshold = 0.5;
        if (!read_keys(c, name + length)) {
            free(c);
            return SERVER_BAD_ARGUMENT;
        }
        *policy = (server_policy){ names[i], happened, decide, close_crowd, c };
        return SERVER_OK;
    }
    return SERVER_BAD_ARGUMENT;
}
