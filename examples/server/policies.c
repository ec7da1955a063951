/* policies.c - see policies.h */
#include "policies.h"

#include "malleable.h"
#include "particular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A job that waits. */
typedef struct waiter {
    double estimate, start; /* start: of its reservation */
    server_number job;
    unsigned nodes;
} waiter;

/* A job that runs, as long as it may. */
typedef struct runner {
    double end;
    server_number job;
    unsigned nodes;
} runner;

/* From a time on, until that of the next one, so many nodes are free. */
typedef struct span {
    double time;
    long long free;
} span;

typedef struct queue {
    waiter *waiting; /* waiting[first .. count - 1], in order */
    size_t first, count, space;
    runner *running; /* running[running_count], by end */
    size_t running_count, running_space;
    span *profile; /* conservative: profile[spans]; the last one lasts for ever */
    size_t spans, profile_space;
    double shadow;  /* EASY: when the first job that waits can start */
    unsigned extra; /* EASY: nodes that it does not need then */
    size_t seen;    /* EASY: waiting jobs that have been tried with this shadow */
    double woken;   /* conservative: the latest time for which it has asked to be woken */
    bool changed;   /* a job has ended since */
    bool no_memory;
} queue;

/*=============================================================================
 * MARK: - >>queues
 *===========================================================================*/
/* Room for one more element. */
static bool grow(queue *q, void *array, size_t count, size_t *space, size_t bytes)
{
    void *moved;
    if (count < *space) return true;
    const size_t more = *space ? 2 * *space : 64;
    memcpy(&moved, array, sizeof moved);
    moved = realloc(moved, more * bytes);
    if (!moved) {
        q->no_memory = true;
        return false;
    }
    memcpy(array, &moved, sizeof moved);
    *space = more;
    return true;
}

static void wait_for_nodes(queue *q, const server *s, server_number job)
{
    const server_job_desc *d = &server_job_of(s, job)->desc;
    if (q->first > 64 && 2 * q->first > q->count) {
        memmove(q->waiting, q->waiting + q->first, (q->count - q->first) * sizeof *q->waiting);
        q->count -= q->first;
        q->seen -= q->seen < q->first ? q->seen : q->first;
        q->first = 0;
    }
    if (!grow(q, &q->waiting, q->count, &q->space, sizeof *q->waiting)) return;
    q->waiting[q->count++] = (waiter){ d->estimate, INFINITY, job, d->preferred };
}

/* Where a job that runs is, or would be. */
static size_t place_of(const queue *q, double end, server_number job)
{
    size_t low = 0, high = q->running_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const runner *r = &q->running[middle];
        if (r->end < end || (r->end <= end && r->job < job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Starts a job that waits. */
static bool begin(queue *q, server *s, const waiter *w)
{
    if (!grow(q, &q->running, q->running_count, &q->running_space, sizeof *q->running)) return false;
    const double end = server_now(s) + w->estimate;
    const size_t at = place_of(q, end, w->job);
    memmove(q->running + at + 1, q->running + at, (q->running_count - at) * sizeof *q->running);
    q->running[at] = (runner){ end, w->job, w->nodes };
    ++q->running_count;
    return server_start(s, w->job, w->nodes) == SERVER_OK;
}

static void drop_runner(queue *q, const server *s, server_number job)
{
    const server_job *j = server_job_of(s, job);
    const size_t at = place_of(q, j->begin + j->desc.estimate, job);
    --q->running_count;
    memmove(q->running + at, q->running + at + 1, (q->running_count - at) * sizeof *q->running);
}

/* A job that goes on has lost a node. */
static void lose_node(queue *q, const server *s, server_number job)
{
    const server_job *j = server_job_of(s, job);
    if (j->state == SERVER_RUNNING) q->running[place_of(q, j->begin + j->desc.estimate, job)].nodes = j->nodes;
}

/* Without memory there is nothing to decide. */
static bool can_decide(const queue *q, server *s)
{
    if (q->no_memory) server_give_up(s, "is out of memory");
    return !q->no_memory;
}

static void close_queue(void *state)
{
    queue *q = (queue *)state;
    free(q->waiting);
    free(q->running);
    free(q->profile);
    free(q);
}

/*=============================================================================
 * MARK: - >>fcfs, easy
 *===========================================================================*/
static void happened(void *state, server *s, const server_event *event)
{
    queue *q = (queue *)state;
    if (event->kind == SERVER_EVENT_SUBMIT) wait_for_nodes(q, s, event->job);
    if (event->kind == SERVER_EVENT_END) drop_runner(q, s, event->job);
    if (event->kind == SERVER_EVENT_FAIL && event->job != SERVER_NONE) lose_node(q, s, event->job);
    if (event->kind != SERVER_EVENT_SUBMIT) q->changed = true;
}

static void decide_fcfs(void *state, server *s)
{
    queue *q = (queue *)state;
    if (!can_decide(q, s)) return;
    while (q->first < q->count && q->waiting[q->first].nodes <= server_free(s))
        if (!begin(q, s, &q->waiting[q->first++])) return;
}

/* When the first job that waits can start, and what is left then. */
static void reserve_first(queue *q, const server *s)
{
    const unsigned wanted = q->waiting[q->first].nodes;
    unsigned free = server_free(s);
    size_t i = 0;
    q->shadow = INFINITY; /* it needs nodes that have failed */
    while (i < q->running_count && free < wanted) {
        q->shadow = q->running[i].end;
        free += q->running[i++].nodes;
    }
    if (free < wanted) q->shadow = INFINITY;
    while (i < q->running_count && q->running[i].end <= q->shadow) free += q->running[i++].nodes;
    q->extra = free < wanted ? free : free - wanted;
}

static void decide_easy(void *state, server *s)
{
    queue *q = (queue *)state;
    const size_t first = q->first;
    const double now = server_now(s);
    decide_fcfs(q, s);
    if (q->first == q->count || server_failed(s)) return;
    if (q->changed || q->first != first || q->seen <= q->first) { /* otherwise only the latest is new */
        reserve_first(q, s);
        q->seen = q->first + 1;
        q->changed = false;
    }
    size_t kept = q->seen;
    unsigned free = server_free(s);
    for (size_t i = q->seen; i < q->count; ++i) {
        const waiter w = q->waiting[i];
        const bool before = now + w.estimate <= q->shadow;
        if (w.nodes > free || !(before || w.nodes <= q->extra)) {
            q->waiting[kept++] = w;
            continue;
        }
        if (!begin(q, s, &w)) return;
        if (!before) q->extra -= w.nodes;
        free -= w.nodes;
    }
    q->seen = q->count = kept;
}

/*=============================================================================
 * MARK: - >>sjf
 *===========================================================================*/
static bool shorter(const waiter *a, const waiter *b)
{
    return a->estimate < b->estimate || (a->estimate <= b->estimate && a->job < b->job);
}

/* The waiting jobs are a heap here: waiting[0] is the shortest. */
static void happened_sjf(void *state, server *s, const server_event *event)
{
    queue *q = (queue *)state;
    happened(q, s, event);
    if (event->kind != SERVER_EVENT_SUBMIT || q->no_memory) return;
    size_t at = q->count - 1;
    const waiter w = q->waiting[at];
    for (; at > 0 && shorter(&w, &q->waiting[(at - 1) / 2]); at = (at - 1) / 2)
        q->waiting[at] = q->waiting[(at - 1) / 2];
    q->waiting[at] = w;
}

static void decide_sjf(void *state, server *s)
{
    queue *q = (queue *)state;
    if (!can_decide(q, s)) return;
    while (q->count > 0 && q->waiting[0].nodes <= server_free(s)) {
        const waiter top = q->waiting[0], last = q->waiting[--q->count];
        size_t at = 0;
        for (size_t child; (child = 2 * at + 1) < q->count; at = child) {
            if (child + 1 < q->count && shorter(&q->waiting[child + 1], &q->waiting[child])) ++child;
            if (!shorter(&q->waiting[child], &last)) break;
            q->waiting[at] = q->waiting[child];
        }
        q->waiting[at] = last;
        if (!begin(q, s, &top)) return;
    }
}

/*=============================================================================
 * MARK: - >>conservative
 *===========================================================================*/
/* The span of a time. */
static size_t span_of(const queue *q, double time)
{
    size_t low = 0, high = q->spans;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (q->profile[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A span begins at this time, which is not before the first; its place. */
static size_t cut(queue *q, double time)
{
    const size_t at = span_of(q, time);
    if (q->profile[at].time >= time) return at;
    memmove(q->profile + at + 2, q->profile + at + 1, (q->spans - at - 1) * sizeof *q->profile);
    q->profile[at + 1] = (span){ time, q->profile[at].free };
    ++q->spans;
    return at + 1;
}

/* Drops the span at this place if it is like the one before. */
static void join(queue *q, size_t at)
{
    if (at == 0 || at >= q->spans || q->profile[at].free != q->profile[at - 1].free) return;
    memmove(q->profile + at, q->profile + at + 1, (q->spans - at - 1) * sizeof *q->profile);
    --q->spans;
}

/* So many nodes more are free from `from` until `to`. */
static void add_free(queue *q, double from, double to, long long nodes)
{
    if (!(from < to)) return;
    const size_t first = cut(q, from);
    const size_t last = to < INFINITY ? cut(q, to) : q->spans;
    for (size_t i = first; i < last; ++i) q->profile[i].free += nodes;
    join(q, last);
    join(q, first);
}

/* The first time at which so many nodes are free for so long. */
static double first_fit(const queue *q, double now, unsigned nodes, double seconds)
{
    double start = now;
    for (size_t i = 0; i < q->spans && !(q->profile[i].time >= start + seconds && q->profile[i].time > start); ++i)
        if (q->profile[i].free < (long long)nodes) start = i + 1 < q->spans ? q->profile[i + 1].time : INFINITY;
    return start;
}

/* The profile of the jobs that run, and all reservations in order. */
static void plan_anew(queue *q, const server *s, double now)
{
    q->spans = 0;
    q->profile[q->spans++] = (span){ now, server_free(s) };
    for (size_t i = 0; i < q->running_count; ++i)
        add_free(q, q->running[i].end, INFINITY, (long long)q->running[i].nodes);
    for (size_t i = q->first; i < q->count; ++i) {
        waiter *w = &q->waiting[i];
        w->start = first_fit(q, now, w->nodes, w->estimate);
        add_free(q, w->start, w->start + w->estimate, -(long long)w->nodes);
    }
}

static void happened_conservative(void *state, server *s, const server_event *event)
{
    queue *q = (queue *)state;
    const double now = server_now(s);
    happened(q, s, event);
    if (q->no_memory) return;
    while (q->profile_space < 2 * (q->count - q->first + q->running_count) + 4)
        if (!grow(q, &q->profile, q->profile_space, &q->profile_space, sizeof *q->profile)) return;
    if (q->spans == 0 || event->kind == SERVER_EVENT_FAIL || event->kind == SERVER_EVENT_REPAIR) {
        plan_anew(q, s, now);
        return;
    }
    const size_t past = span_of(q, now);
    memmove(q->profile, q->profile + past, (q->spans - past) * sizeof *q->profile);
    q->spans -= past;
    q->profile[0].time = now;
    if (event->kind == SERVER_EVENT_SUBMIT) {
        waiter *w = &q->waiting[q->count - 1];
        w->start = first_fit(q, now, w->nodes, w->estimate);
        add_free(q, w->start, w->start + w->estimate, -(long long)w->nodes);
    }
    if (event->kind != SERVER_EVENT_END) return;
    const server_job *j = server_job_of(s, event->job);
    const double expected = j->begin + j->desc.estimate;
    if (!(expected > now)) return;
    add_free(q, now, expected, (long long)event->before);
    for (size_t i = q->first; i < q->count; ++i) {
        waiter *w = &q->waiting[i];
        add_free(q, w->start, w->start + w->estimate, (long long)w->nodes);
        w->start = first_fit(q, now, w->nodes, w->estimate);
        add_free(q, w->start, w->start + w->estimate, -(long long)w->nodes);
    }
}

/* A reservation may begin when nothing ends, because what it was behind has moved up since: then the policy has to be
 * woken for it. */
static void wake_for(queue *q, server *s, double start)
{
    const double now = server_now(s);
    const size_t at = place_of(q, start, 0);
    if (!(start < INFINITY) || start <= now || (q->woken > now && q->woken <= start)) return;
    if (at < q->running_count && q->running[at].end <= start) return;
    if (server_wake(s, start) == SERVER_OK) q->woken = start;
}

static void decide_conservative(void *state, server *s)
{
    queue *q = (queue *)state;
    const double now = server_now(s);
    double next = INFINITY;
    size_t kept = q->first;
    if (!can_decide(q, s)) return;
    for (size_t i = q->first; i < q->count; ++i) {
        const waiter w = q->waiting[i];
        if (w.start > now || w.nodes > server_free(s)) {
            q->waiting[kept++] = w;
            if (w.start < next) next = w.start;
        } else if (!begin(q, s, &w)) {
            return;
        }
    }
    q->count = kept;
    wake_for(q, s, next);
}

/*=============================================================================
 * MARK: - >>table
 *===========================================================================*/
server_result policies_make(const char *name, server_policy *policy)
{
    static const server_policy all[] = { { "fcfs", happened, decide_fcfs, close_queue, NULL },
                                         { "sjf", happened_sjf, decide_sjf, close_queue, NULL },
                                         { "easy", happened, decide_easy, close_queue, NULL },
                                         { "conservative", happened_conservative, decide_conservative, close_queue,
                                           NULL } };
    for (size_t i = 0; name && policy && i < sizeof all / sizeof *all; ++i) {
        if (strcmp(name, all[i].name) != 0) continue;
        *policy = all[i];
        policy->state = calloc(1, sizeof(queue));
        return policy->state ? SERVER_OK : SERVER_NO_MEMORY;
    }
    const server_result result = particular_make(name, policy);
    return result == SERVER_BAD_ARGUMENT ? malleable_make(name, policy) : result;
}
