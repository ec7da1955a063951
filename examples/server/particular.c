/* particular.c - see particular.h */
#include "particular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A job that waits, with its reservation; or one that runs, with its expected end. */
typedef struct entry {
    double estimate, time; /* waits: length and begin of its reservation; runs: its end */
    server_number job;
    unsigned nodes;
} entry;

/* Sets of nodes are bitmaps of `words` words. That of entry i of a list is sets + i * words. */
typedef struct list {
    entry *entries;
    uint64_t *sets;
    size_t count, space;
} list;

typedef struct plan {
    list waiting; /* in the order of submission */
    list running; /* by end */
    list profile; /* from `time` on, until that of the next one, these nodes are free; conservative */
    size_t words;
    uint64_t *scratch;    /* scratch[2 * words] */
    server_range *ranges; /* ranges[32 * words]: of one set */
    double woken;         /* the latest time for which it has asked to be woken */
    bool behind;          /* a job has begun after its reservation, so the profile is wrong */
    bool no_memory;
} plan;

/*=============================================================================
 * MARK: - >>sets
 *===========================================================================*/
static unsigned count_nodes(const uint64_t *set, size_t words)
{
    unsigned count = 0;
    for (size_t i = 0; i < words; ++i) count += (unsigned)__builtin_popcountll(set[i]);
    return count;
}

/* Keeps the `nodes` lowest of a set. */
static void keep_lowest(uint64_t *set, size_t words, unsigned nodes)
{
    for (size_t i = 0; i < words; ++i) {
        unsigned here = (unsigned)__builtin_popcountll(set[i]);
        for (; here > nodes; --here) set[i] &= ~(UINT64_C(1) << (63 - __builtin_clzll(set[i])));
        nodes -= here;
    }
}

static size_t ranges_of_set(const uint64_t *set, size_t words, server_range *ranges)
{
    size_t count = 0;
    for (size_t i = 0; i < words; ++i)
        for (uint64_t bits = set[i]; bits != 0;) {
            const unsigned first = (unsigned)__builtin_ctzll(bits);
            const uint64_t from = ~(bits >> first);
            const unsigned length = from == 0 ? 64 : (unsigned)__builtin_ctzll(from);
            const uint32_t node = (uint32_t)(64 * i + first);
            if (count > 0 && ranges[count - 1].first + ranges[count - 1].count == node)
                ranges[count - 1].count += length;
            else
                ranges[count++] = (server_range){ node, length };
            if (first + length == 64) break;
            bits &= UINT64_MAX << (first + length);
        }
    return count;
}

/*=============================================================================
 * MARK: - >>lists
 *===========================================================================*/
static uint64_t *set_at(const plan *p, const list *l, size_t at)
{
    return l->sets + at * p->words;
}

/* A new entry at a place; its set is undefined. */
static bool insert(plan *p, list *l, size_t at, entry e)
{
    if (l->count == l->space) {
        const size_t space = l->space ? 2 * l->space : 16;
        entry *entries = (entry *)realloc(l->entries, space * sizeof *entries);
        if (entries) l->entries = entries;
        uint64_t *sets = (uint64_t *)realloc(l->sets, space * p->words * sizeof *sets);
        if (sets) l->sets = sets;
        if (!entries || !sets) {
            p->no_memory = true;
            return false;
        }
        l->space = space;
    }
    memmove(l->entries + at + 1, l->entries + at, (l->count - at) * sizeof *l->entries);
    memmove(set_at(p, l, at + 1), set_at(p, l, at), (l->count - at) * p->words * sizeof *l->sets);
    l->entries[at] = e;
    ++l->count;
    return true;
}

static void drop(const plan *p, list *l, size_t at, size_t count)
{
    l->count -= count;
    memmove(l->entries + at, l->entries + at + count, (l->count - at) * sizeof *l->entries);
    memmove(set_at(p, l, at), set_at(p, l, at + count), (l->count - at) * p->words * sizeof *l->sets);
}

static void close_plan(void *state)
{
    plan *p = (plan *)state;
    list *all[] = { &p->waiting, &p->running, &p->profile };
    for (int i = 0; i < 3; ++i) {
        free(all[i]->entries);
        free(all[i]->sets);
    }
    free(p->scratch);
    free(p->ranges);
    free(p);
}

/* A job runs on a set of nodes. */
static bool insert_running(plan *p, entry r, const uint64_t *set)
{
    size_t at = 0;
    while (at < p->running.count && p->running.entries[at].time <= r.time) ++at;
    if (!insert(p, &p->running, at, r)) return false;
    memcpy(set_at(p, &p->running, at), set, p->words * sizeof *set);
    return true;
}

/* Starts a job that waits on a set of nodes. */
static bool begin(plan *p, server *s, size_t place, const uint64_t *set)
{
    const entry w = p->waiting.entries[place];
    if (!insert_running(p, (entry){ w.estimate, server_now(s) + w.estimate, w.job, w.nodes }, set)) return false;
    const size_t count = ranges_of_set(set, p->words, p->ranges);
    drop(p, &p->waiting, place, 1);
    return server_start_on(s, w.job, p->ranges, count) == SERVER_OK;
}

static void happened(void *state, server *s, const server_event *event)
{
    plan *p = (plan *)state;
    if (!p->scratch) {
        p->words = ((size_t)server_size(s) + 63) / 64;
        p->scratch = (uint64_t *)malloc(2 * p->words * sizeof *p->scratch);
        p->ranges = (server_range *)malloc(32 * p->words * sizeof *p->ranges);
        p->no_memory = !p->scratch || !p->ranges;
    }
    if (p->no_memory) return;
    if (event->kind == SERVER_EVENT_SUBMIT) {
        const server_job_desc *d = &server_job_of(s, event->job)->desc;
        insert(p, &p->waiting, p->waiting.count, (entry){ d->estimate, INFINITY, event->job, d->preferred });
    }
    for (size_t i = 0; i < p->running.count && event->job != SERVER_NONE; ++i) {
        if (p->running.entries[i].job != event->job) continue;
        if (event->kind == SERVER_EVENT_END) drop(p, &p->running, i, 1);
        if (event->kind == SERVER_EVENT_FAIL)
            set_at(p, &p->running, i)[event->node / 64] &= ~(UINT64_C(1) << event->node % 64);
        break;
    }
}

static bool can_decide(const plan *p, server *s)
{
    if (p->no_memory) server_give_up(s, "is out of memory");
    return !p->no_memory;
}

/*=============================================================================
 * MARK: - >>easy
 *===========================================================================*/
static void decide_easy(void *state, server *s)
{
    plan *p = (plan *)state;
    const size_t words = p->words;
    uint64_t *set = p->scratch, *reserved = p->scratch + words;
    if (!can_decide(p, s)) return;
    while (p->waiting.count > 0 && p->waiting.entries[0].nodes <= server_free(s)) {
        memcpy(set, server_free_set(s), words * sizeof *set);
        keep_lowest(set, words, p->waiting.entries[0].nodes);
        if (!begin(p, s, 0, set)) return;
    }
    if (p->waiting.count < 2) return;
    /* When the first one can start, and where. */
    const unsigned wanted = p->waiting.entries[0].nodes;
    double shadow = INFINITY;
    memcpy(reserved, server_free_set(s), words * sizeof *reserved);
    for (size_t i = 0; i < p->running.count && p->running.entries[i].time <= shadow; ++i) {
        for (size_t k = 0; k < words; ++k) reserved[k] |= set_at(p, &p->running, i)[k];
        if (count_nodes(reserved, words) >= wanted && !(shadow < INFINITY)) shadow = p->running.entries[i].time;
    }
    keep_lowest(reserved, words, shadow < INFINITY ? wanted : 0);
    for (size_t i = 1; i < p->waiting.count;) {
        const entry w = p->waiting.entries[i];
        const bool before = server_now(s) + w.estimate <= shadow;
        memcpy(set, server_free_set(s), words * sizeof *set);
        for (size_t k = 0; k < words && !before; ++k) set[k] &= ~reserved[k];
        if (count_nodes(set, words) < w.nodes) {
            ++i;
            continue;
        }
        keep_lowest(set, words, w.nodes);
        if (!begin(p, s, i, set)) return;
    }
}

/*=============================================================================
 * MARK: - >>conservative
 *===========================================================================*/
/* A span of the profile begins at this time, which is not before the first; its place. */
static size_t cut(plan *p, double time)
{
    size_t at = p->profile.count;
    while (p->profile.entries[at - 1].time > time) --at;
    if (p->profile.entries[at - 1].time >= time) return at - 1;
    if (!insert(p, &p->profile, at, (entry){ 0, time, SERVER_NONE, 0 })) return at - 1;
    memcpy(set_at(p, &p->profile, at), set_at(p, &p->profile, at - 1), p->words * sizeof(uint64_t));
    return at;
}

/* Drops the span at a place if it is like the one before. */
static void join(plan *p, size_t at)
{
    const size_t bytes = p->words * sizeof(uint64_t);
    if (at > 0 && at < p->profile.count &&
        memcmp(set_at(p, &p->profile, at), set_at(p, &p->profile, at - 1), bytes) == 0)
        drop(p, &p->profile, at, 1);
}

/* Nodes are free, or not, from `from` until `to`. */
static void set_free(plan *p, double from, double to, const uint64_t *set, bool are_free)
{
    if (!(from < to) || p->no_memory) return;
    const size_t first = cut(p, from), last = to < INFINITY ? cut(p, to) : p->profile.count;
    for (size_t i = first; i < last; ++i) {
        uint64_t *of = set_at(p, &p->profile, i);
        for (size_t k = 0; k < p->words; ++k) of[k] = are_free ? of[k] | set[k] : of[k] & ~set[k];
    }
    join(p, last);
    join(p, first);
}

/* The first time from which on enough nodes are free for as long as a job takes: they are reserved for it. */
static void reserve(plan *p, server *s, size_t place)
{
    entry *w = &p->waiting.entries[place];
    uint64_t *set = set_at(p, &p->waiting, place);
    w->time = INFINITY;
    for (size_t i = 0; i < p->profile.count && !(w->time < INFINITY); ++i) {
        const double from = p->profile.entries[i].time;
        unsigned count = count_nodes(set_at(p, &p->profile, i), p->words);
        memcpy(set, set_at(p, &p->profile, i), p->words * sizeof *set);
        for (size_t k = i + 1; count >= w->nodes && k < p->profile.count; ++k) {
            if (p->profile.entries[k].time >= from + w->estimate) break;
            for (size_t word = 0; word < p->words; ++word) set[word] &= set_at(p, &p->profile, k)[word];
            count = count_nodes(set, p->words);
        }
        if (count >= w->nodes) w->time = from;
    }
    keep_lowest(set, p->words, w->nodes);
    set_free(p, w->time, w->time + w->estimate, set, false);
    server_promise(s, w->job, w->time);
}

/* The profile of the jobs that run, and all reservations in order. */
static void plan_anew(plan *p, server *s, double now)
{
    p->behind = false;
    p->profile.count = 0;
    if (!insert(p, &p->profile, 0, (entry){ 0, now, SERVER_NONE, 0 })) return;
    memcpy(set_at(p, &p->profile, 0), server_free_set(s), p->words * sizeof(uint64_t));
    for (size_t i = 0; i < p->running.count; ++i)
        set_free(p, p->running.entries[i].time, INFINITY, set_at(p, &p->running, i), true);
    for (size_t i = 0; i < p->waiting.count; ++i) reserve(p, s, i);
}

/* Jobs that have outlived their estimates get another expected end. At one instant ends are told before the policy is woken, so
 * only then is a job late that was expected to end at this very instant. */
static bool postpone(plan *p, const server *s, double now, bool woken)
{
    bool any = false;
    while (p->running.count > 0 && (p->running.entries[0].time < now || (woken && p->running.entries[0].time <= now))) {
        entry late = p->running.entries[0];
        memcpy(p->scratch, set_at(p, &p->running, 0), p->words * sizeof *p->scratch);
        drop(p, &p->running, 0, 1);
        late.time = server_expected_end(s, late.job);
        insert_running(p, late, p->scratch);
        any = true;
    }
    return any;
}

static void happened_conservative(void *state, server *s, const server_event *event)
{
    plan *p = (plan *)state;
    const double now = server_now(s);
    double expected = now;
    if (event->kind == SERVER_EVENT_END) /* its nodes, before it is forgotten */
        for (size_t i = 0; i < p->running.count; ++i)
            if (p->running.entries[i].job == event->job) {
                expected = p->running.entries[i].time;
                memcpy(p->scratch + p->words, set_at(p, &p->running, i), p->words * sizeof *p->scratch);
            }
    happened(p, s, event);
    if (p->no_memory) return;
    const bool late = postpone(p, s, now, event->kind == SERVER_EVENT_WAKE);
    if (late || p->behind || p->profile.count == 0 || event->kind == SERVER_EVENT_FAIL) {
        plan_anew(p, s, now);
        return;
    }
    size_t past = 0;
    while (past + 1 < p->profile.count && p->profile.entries[past + 1].time <= now) ++past;
    drop(p, &p->profile, 0, past);
    if (p->profile.entries[0].time < now) p->profile.entries[0].time = now;
    if (event->kind == SERVER_EVENT_SUBMIT) reserve(p, s, p->waiting.count - 1);
    uint64_t *const back = p->scratch + p->words;
    if (event->kind == SERVER_EVENT_REPAIR) {
        memset(back, 0, p->words * sizeof *back);
        back[event->node / 64] = UINT64_C(1) << event->node % 64;
        expected = INFINITY;
    } else if (event->kind != SERVER_EVENT_END || !(expected > now)) {
        return;
    }
    set_free(p, now, expected, back, true);
    for (size_t i = 0; i < p->waiting.count; ++i) {
        const entry *w = &p->waiting.entries[i];
        set_free(p, w->time, w->time + w->estimate, set_at(p, &p->waiting, i), true);
        reserve(p, s, i);
    }
}

static bool all_free(const uint64_t *set, const uint64_t *of, size_t words)
{
    for (size_t i = 0; i < words; ++i)
        if (set[i] & ~of[i]) return false;
    return true;
}

/* Those that move up one after another leave gaps behind that one before them would have taken. A job that fits into one now, beside
 * all reservations, does not wait. */
static bool take_gap(plan *p, size_t place, double now)
{
    entry *w = &p->waiting.entries[place];
    uint64_t *set = set_at(p, &p->waiting, place), *gap = p->scratch;
    memcpy(gap, set_at(p, &p->profile, 0), p->words * sizeof *gap);
    for (size_t k = 1; k < p->profile.count && p->profile.entries[k].time < now + w->estimate; ++k)
        for (size_t word = 0; word < p->words; ++word)
            gap[word] &= set_at(p, &p->profile, k)[word] | (p->profile.entries[k].time >= w->time ? set[word] : 0);
    if (count_nodes(gap, p->words) < w->nodes) return false;
    keep_lowest(gap, p->words, w->nodes);
    set_free(p, w->time, w->time + w->estimate, set, true);
    set_free(p, now, now + w->estimate, gap, false);
    memcpy(set, gap, p->words * sizeof *gap);
    w->time = now;
    return true;
}

static void decide_conservative(void *state, server *s)
{
    plan *p = (plan *)state;
    const double now = server_now(s);
    double next = INFINITY;
    if (!can_decide(p, s)) return;
    for (size_t i = 0; i < p->waiting.count;) {
        if (p->waiting.entries[i].time > now && p->waiting.entries[i].nodes <= server_free(s)) take_gap(p, i, now);
        const entry w = p->waiting.entries[i];
        if (w.time > now || !all_free(set_at(p, &p->waiting, i), server_free_set(s), p->words)) {
            if (w.time > now && w.time < next) next = w.time;
            ++i;
            continue;
        }
        memcpy(p->scratch, set_at(p, &p->waiting, i), p->words * sizeof *p->scratch);
        p->behind = p->behind || (w.time < now && w.estimate > 0);
        if (!begin(p, s, i, p->scratch)) return;
    }
    /* What a reservation was behind may have moved up since, so that nothing ends when it begins; and a job may not end when it is
     * expected to. */
    if (p->waiting.count > 0 && p->running.count > 0 && p->running.entries[0].time < next) next = p->running.entries[0].time;
    if (next < now) next = now;
    if (next < INFINITY && !(p->woken > now && p->woken <= next) && server_wake(s, next) == SERVER_OK) p->woken = next;
}

server_result particular_make(const char *name, server_policy *policy)
{
    static const server_policy all[] = { { "easy-nodes", happened, decide_easy, close_plan, NULL },
                                         { "conservative-nodes", happened_conservative, decide_conservative, close_plan,
                                           NULL } };
    for (size_t i = 0; name && policy && i < sizeof all / sizeof *all; ++i) {
        if (strcmp(name, all[i].name) != 0) continue;
        *policy = all[i];
        policy->state = calloc(1, sizeof(plan));
        return policy->state ? SERVER_OK : SERVER_NO_MEMORY;
    }
    return SERVER_BAD_ARGUMENT;
}
