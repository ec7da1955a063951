/* policies.c - see policies.h */
#include "policies.h"

#include "malleable.h"
#include "particular.h"
#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A job that waits. */
typedef struct waiter {
    double estimate, start; /* start: of its reservation */
    server_number job;
    unsigned nodes;
} waiter;

/* A job that runs. */
typedef struct runner {
    double end; /* expected */
    server_number job;
    unsigned nodes;
} runner;

typedef struct queue {
    waiter *waiting; /* waiting[first .. count - 1], in order */
    size_t first, count, space;
    runner *running; /* running[running_count], by end */
    size_t running_count, running_space;
    double shadow;   /* EASY: when the first job that waits can start */
    unsigned extra;  /* EASY: nodes that it does not need then */
    size_t seen;     /* EASY: waiting jobs that have been tried with this shadow */
    profile profile; /* conservative: beside jobs that run and reservations */
    double woken;    /* conservative: the latest time for which it has asked to be woken */
    bool behind;     /* conservative: a job has begun after its reservation, so the profile is wrong */
    bool changed;    /* a job has ended since */
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

static void insert_runner(queue *q, runner r)
{
    const size_t at = place_of(q, r.end, r.job);
    memmove(q->running + at + 1, q->running + at, (q->running_count - at) * sizeof *q->running);
    q->running[at] = r;
    ++q->running_count;
}

/* Starts a job that waits. */
static bool begin(queue *q, server *s, const waiter *w)
{
    if (!grow(q, &q->running, q->running_count, &q->running_space, sizeof *q->running)) return false;
    insert_runner(q, (runner){ server_now(s) + w->estimate, w->job, w->nodes });
    return server_start(s, w->job, w->nodes) == SERVER_OK;
}

/* The place of a job that runs; only one that has outlived its estimate is searched for. */
static size_t runner_of(const queue *q, const server *s, server_number job)
{
    const server_job *j = server_job_of(s, job);
    size_t at = place_of(q, j->begin + j->desc.estimate, job);
    if (at < q->running_count && q->running[at].job == job) return at;
    for (at = 0; q->running[at].job != job;) ++at;
    return at;
}

static runner drop_runner(queue *q, size_t at)
{
    const runner dropped = q->running[at];
    --q->running_count;
    memmove(q->running + at, q->running + at + 1, (q->running_count - at) * sizeof *q->running);
    return dropped;
}

/* A job that goes on has lost a node. */
static void lose_node(queue *q, const server *s, server_number job)
{
    const server_job *j = server_job_of(s, job);
    if (j->state == SERVER_RUNNING) q->running[runner_of(q, s, job)].nodes = j->nodes;
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
    profile_free(&q->profile);
    free(q);
}

/*=============================================================================
 * MARK: - >>fcfs, easy
 *===========================================================================*/
static void happened(void *state, server *s, const server_event *event)
{
    queue *q = (queue *)state;
    if (event->kind == SERVER_EVENT_SUBMIT) wait_for_nodes(q, s, event->job);
    if (event->kind == SERVER_EVENT_END) drop_runner(q, runner_of(q, s, event->job));
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
/* A place for a job that has none. */
static void reserve(queue *q, server *s, waiter *w)
{
    w->start = profile_fit(&q->profile, w->nodes, w->estimate);
    profile_add(&q->profile, w->start, w->start + w->estimate, -(int)w->nodes);
    server_promise(s, w->job, w->start);
}

/* The profile of the jobs that run, and all reservations in order. */
static void plan_anew(queue *q, server *s, double now)
{
    q->behind = false;
    profile_reset(&q->profile, now, (int)server_free(s));
    for (size_t i = 0; i < q->running_count; ++i)
        profile_add(&q->profile, q->running[i].end, INFINITY, (int)q->running[i].nodes);
    for (size_t i = q->first; i < q->count; ++i) reserve(q, s, &q->waiting[i]);
}

/* Each waiting job in order is taken out, and put where it first fits. So it moves up or stays; only one that takes no time may also
 * go back, because others may have been put where it was. */
static void move_up(queue *q, server *s)
{
    for (size_t i = q->first; i < q->count; ++i) {
        waiter *w = &q->waiting[i];
        const double latest = w->estimate > 0 ? w->start : INFINITY;
        const double start = profile_earlier(&q->profile, w->nodes, w->estimate, latest);
        if (!(start < w->start) && w->estimate > 0) continue;
        const double end = start + w->estimate;
        profile_add(&q->profile, start, fmin(end, w->start), -(int)w->nodes);
        profile_add(&q->profile, fmax(end, w->start), w->start + w->estimate, (int)w->nodes);
        w->start = start;
        server_promise(s, w->job, start);
    }
}

/* Jobs that have outlived their estimates get another expected end. At one instant ends are told before the policy is woken, so
 * only then is a job late that was expected to end at this very instant. */
static bool postpone(queue *q, const server *s, double now, bool woken)
{
    bool any = false;
    while (q->running_count > 0 && (q->running[0].end < now || (woken && q->running[0].end <= now))) {
        runner late = drop_runner(q, 0);
        late.end = server_expected_end(s, late.job);
        insert_runner(q, late);
        any = true;
    }
    return any;
}

static void happened_conservative(void *state, server *s, const server_event *event)
{
    queue *q = (queue *)state;
    const double now = server_now(s);
    double expected = now;
    if (event->kind == SERVER_EVENT_END) expected = q->running[runner_of(q, s, event->job)].end;
    happened(q, s, event);
    if (q->no_memory) return;
    const bool late = postpone(q, s, now, event->kind == SERVER_EVENT_WAKE);
    if (late || q->behind || q->profile.count == 0 || event->kind == SERVER_EVENT_FAIL) {
        plan_anew(q, s, now);
    } else {
        profile_advance(&q->profile, now);
        if (event->kind == SERVER_EVENT_SUBMIT) reserve(q, s, &q->waiting[q->count - 1]);
        if (event->kind == SERVER_EVENT_END && expected > now) profile_add(&q->profile, now, expected, (int)event->before);
        if (event->kind == SERVER_EVENT_REPAIR) profile_add(&q->profile, now, INFINITY, 1);
        if ((event->kind == SERVER_EVENT_END && expected > now) || event->kind == SERVER_EVENT_REPAIR) move_up(q, s);
    }
    if (q->profile.no_memory) q->no_memory = true;
}

/* A reservation may begin when nothing ends, because what it was behind has moved up since; and a job may not end when it is
 * expected to. For both the policy is woken. */
static void wake_for(queue *q, server *s, double next)
{
    const double now = server_now(s);
    if (q->first == q->count) return;
    if (q->running_count > 0 && q->running[0].end < next) next = q->running[0].end;
    if (!(next < INFINITY) || (q->woken > now && q->woken <= next)) return;
    if (server_wake(s, next > now ? next : now) == SERVER_OK) q->woken = next;
}

/* Those that move up one after another leave gaps behind that one before them would have taken. A job that fits into one now, beside
 * all reservations, does not wait. */
static bool take_gap(queue *q, const waiter *w, double now)
{
    if (!profile_fits(&q->profile, w->nodes, w->estimate, w->start)) return false;
    profile_add(&q->profile, w->start, w->start + w->estimate, (int)w->nodes);
    profile_add(&q->profile, now, now + w->estimate, -(int)w->nodes);
    return true;
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
        const bool starts = w.nodes <= server_free(s) && (w.start <= now || take_gap(q, &w, now));
        if (!starts) {
            q->waiting[kept++] = w;
            if (w.start > now && w.start < next) next = w.start;
        } else if (begin(q, s, &w)) {
            q->behind = q->behind || (w.start < now && w.estimate > 0);
        } else {
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
