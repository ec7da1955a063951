/* server.c - see server.h */
#include "server.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct server {
    server_desc desc;
    server_job *jobs;
    server_number count, space;
    size_t words;
    uint64_t *free;   /* free[words] */
    uint64_t *failed; /* failed[words]; not free */
    size_t lowest;    /* no word of `free` before this one has a node */
    unsigned free_count, failed_count;
    double woken;        /* when the policy was woken last [s] */
    unsigned long wakes; /* how often at that instant, since anything else happened */
    bool broken;
    char why[480];
};

/*=============================================================================
 * MARK: - >>errors
 *===========================================================================*/
static server_result server__fail(server *s, server_result result, const char *format, ...)
{
    if (s->broken) return result;
    const int used = snprintf(s->why, sizeof s->why, "at %.9g s: ", server_now(s));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->why + used, sizeof s->why - (size_t)used, format, arguments);
    va_end(arguments);
    s->broken = true;
    return result;
}

static unsigned long long server__name(const server *s, server_number job)
{
    return (unsigned long long)s->jobs[job].desc.name;
}

const char *server_why(const server *s)
{
    return s ? s->why : "there is no server";
}

bool server_failed(const server *s)
{
    return !s || s->broken;
}

/*=============================================================================
 * MARK: - >>nodes
 *===========================================================================*/
static unsigned server__bits(uint64_t word)
{
    return (unsigned)__builtin_popcountll(word);
}

/* `count` ones from bit `first` on, both within a word. */
static uint64_t server__mask(unsigned first, unsigned count)
{
    return (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

/* The first of the words that a range touches, and so on: its part of the word, as a mask. */
static uint64_t server__part(const server_range *range, uint32_t *done)
{
    const uint32_t at = range->first + *done, in_word = 64 - at % 64,
                   count = range->count - *done < in_word ? range->count - *done : in_word;
    *done += count;
    return server__mask(at % 64, count);
}

/* Nodes that have failed stay out. */
static void server__set_free(server *s, const server_range *range)
{
    for (uint32_t done = 0; done < range->count;) {
        const size_t word = (range->first + done) / 64;
        const uint64_t part = server__part(range, &done) & ~s->failed[word];
        s->free[word] |= part;
        s->free_count += server__bits(part);
        if (word < s->lowest) s->lowest = word;
    }
}

static void server__set_taken(server *s, const server_range *range)
{
    for (uint32_t done = 0; done < range->count;) {
        const size_t word = (range->first + done) / 64;
        s->free[word] &= ~server__part(range, &done);
    }
    s->free_count -= range->count;
}

static bool server__is_free(const server *s, const server_range *range)
{
    for (uint32_t done = 0; done < range->count;) {
        const size_t word = (range->first + done) / 64;
        const uint64_t part = server__part(range, &done);
        if ((s->free[word] & part) != part) return false;
    }
    return true;
}

/* Adds a range behind those of a job. */
static bool server__append(server_job *j, uint32_t first, uint32_t count)
{
    server_range *last = j->range_count > 0 ? &j->ranges[j->range_count - 1] : NULL;
    if (last && last->first + last->count == first) {
        last->count += count;
        return true;
    }
    if (j->range_count == j->range_space) {
        const uint32_t space = j->range_space ? 2 * j->range_space : 2;
        server_range *moved = (server_range *)realloc(j->ranges, space * sizeof *moved);
        if (!moved) return false;
        j->ranges = moved;
        j->range_space = space;
    }
    j->ranges[j->range_count++] = (server_range){ first, count };
    return true;
}

/* Gives the free nodes with the lowest numbers to a job, behind its ranges. Without memory it gets fewer. */
static bool server__take(server *s, server_job *j, unsigned nodes)
{
    while (s->free[s->lowest] == 0 && s->lowest + 1 < s->words) ++s->lowest;
    for (size_t word = s->lowest; nodes > 0; ++word)
        for (uint64_t bits = s->free[word]; bits != 0 && nodes > 0;) {
            const unsigned first = (unsigned)__builtin_ctzll(bits);
            const uint64_t from = ~(bits >> first);
            unsigned count = from == 0 ? 64 : (unsigned)__builtin_ctzll(from);
            if (count > nodes) count = nodes;
            if (!server__append(j, (uint32_t)(64 * word + first), count)) return false;
            const uint64_t taken = server__mask(first, count);
            bits &= ~taken;
            s->free[word] &= ~taken;
            s->free_count -= count;
            j->nodes += count;
            nodes -= count;
        }
    return true;
}

static int server__before(const void *a, const void *b)
{
    const uint32_t x = ((const server_range *)a)->first, y = ((const server_range *)b)->first;
    return (x > y) - (x < y);
}

/* After more have been taken: in order, and neighbours as one. */
static void server__tidy(server_job *j)
{
    uint32_t kept = 0;
    qsort(j->ranges, j->range_count, sizeof *j->ranges, server__before);
    for (uint32_t i = 1; i < j->range_count; ++i)
        if (j->ranges[kept].first + j->ranges[kept].count == j->ranges[i].first)
            j->ranges[kept].count += j->ranges[i].count;
        else
            j->ranges[++kept] = j->ranges[i];
    if (j->range_count > 0) j->range_count = kept + 1;
}

/* Takes one node from a job. False without memory. */
static bool server__remove(server_job *j, uint32_t node)
{
    for (uint32_t k = 0; k < j->range_count; ++k) {
        const server_range r = j->ranges[k];
        if (node - r.first >= r.count) continue;
        j->ranges[k].count = node - r.first;
        --j->nodes;
        if (node + 1 < r.first + r.count && !server__append(j, node + 1, r.first + r.count - node - 1)) return false;
        if (j->ranges[k].count == 0) j->ranges[k] = j->ranges[--j->range_count];
        server__tidy(j);
        return true;
    }
    return true;
}

/* Frees the nodes of a job with the highest numbers, down to so many. */
static void server__give_back(server *s, server_job *j, unsigned nodes)
{
    while (j->nodes > nodes) {
        server_range *last = &j->ranges[j->range_count - 1];
        const uint32_t count = j->nodes - nodes < last->count ? j->nodes - nodes : last->count;
        const server_range back = { last->first + last->count - count, count };
        server__set_free(s, &back);
        last->count -= count;
        j->nodes -= count;
        if (last->count == 0) --j->range_count;
    }
}

/* The same for a job that goes on: an anchored one keeps its home. False without memory. */
static bool server__shrink(server *s, server_job *j, unsigned nodes)
{
    if (!j->desc.anchored) {
        server__give_back(s, j, nodes);
        return true;
    }
    if (!server__remove(j, j->home)) return false;
    server__give_back(s, j, nodes - 1);
    ++j->nodes;
    if (!server__append(j, j->home, 1)) return false;
    server__tidy(j);
    return true;
}

/*=============================================================================
 * MARK: - >>policies
 *===========================================================================*/
double server_now(const server *s)
{
    return s->desc.host.now(s->desc.host.host);
}

unsigned server_size(const server *s)
{
    return s->desc.nodes;
}

unsigned server_nodes(const server *s)
{
    return s->desc.nodes - s->failed_count;
}

unsigned server_free(const server *s)
{
    return s->free_count;
}

const uint64_t *server_free_set(const server *s)
{
    return s->free;
}

const server_job *server_job_of(const server *s, server_number job)
{
    return job < s->count ? &s->jobs[job] : NULL;
}

server_number server_jobs(const server *s)
{
    return s->count;
}

double server_expected_end(const server *s, server_number job)
{
    if (job >= s->count || s->jobs[job].state != SERVER_RUNNING) return NAN;
    const server_job *j = &s->jobs[job];
    const double now = server_now(s);
    double more = j->desc.estimate / 16 > 1e-3 ? j->desc.estimate / 16 : 1e-3, end = j->expected;
    for (; end <= now; more *= 2) end += more;
    return end;
}

/* Tells the policy, and asks it. */
static void server__ask(server *s, server_event_kind kind, server_number job, uint32_t node, unsigned before)
{
    const server_event event = { kind, job, node, before };
    if (s->broken) return;
    if (kind != SERVER_EVENT_WAKE) s->wakes = 0;
    s->desc.policy.happened(s->desc.policy.state, s, &event);
    if (!s->broken) s->desc.policy.decide(s->desc.policy.state, s);
}

/* The nodes of a job change now: what it has used so far. */
static void server__account(server_job *j, double now)
{
    j->node_seconds += j->nodes * (now - j->changed);
    j->changed = now;
}

static void server__changed(server *s, server_number job, double now)
{
    if (s->desc.host.changed) s->desc.host.changed(s->desc.host.host, job, now);
}

static void server__over(server *s, server_number job)
{
    if (s->desc.host.over) s->desc.host.over(s->desc.host.host, job);
}

static server_result server__unknown(server *s, server_number job, const char *does)
{
    return server__fail(s, SERVER_UNKNOWN_JOB, "policy %s %s job number %lu, but there are %lu", s->desc.policy.name, does,
                        (unsigned long)job, (unsigned long)s->count);
}

static server_result server__not_waiting(server *s, server_number job, const char *does)
{
    if (job >= s->count) return server__unknown(s, job, does);
    return server__fail(s, SERVER_BAD_STATE, "policy %s %s job %llu, which does not wait", s->desc.policy.name, does,
                        server__name(s, job));
}

static server_result server__check_start(server *s, server_number job, unsigned nodes)
{
    if (s->broken) return SERVER_BAD_STATE;
    if (job >= s->count || s->jobs[job].state != SERVER_WAITING) return server__not_waiting(s, job, "starts");
    const server_job *j = &s->jobs[job];
    if (nodes < j->desc.minimum || nodes > j->desc.maximum)
        return server__fail(s, SERVER_BAD_SIZE, "policy %s starts job %llu on %u nodes, but it takes %u .. %u",
                            s->desc.policy.name, server__name(s, job), nodes, j->desc.minimum, j->desc.maximum);
    if (nodes > s->free_count)
        return server__fail(s, SERVER_BAD_SIZE, "policy %s starts job %llu on %u nodes, but %u are free",
                            s->desc.policy.name, server__name(s, job), nodes, s->free_count);
    return SERVER_OK;
}

/* Ends a message, where memory is the reason. */
static const char *server__no_memory(server_result result)
{
    return result == SERVER_NO_MEMORY ? ": no memory" : "";
}

/* A job has its nodes: it runs. */
static server_result server__begin(server *s, server_number job)
{
    server_job *j = &s->jobs[job];
    const double now = server_now(s);
    j->state = SERVER_RUNNING;
    j->begin = j->changed = now;
    j->wanted = j->nodes;
    j->home = j->ranges[0].first;
    j->expected = now + j->desc.estimate;
    server__changed(s, job, now);
    const server_result result = s->desc.host.start(s->desc.host.host, job);
    if (result == SERVER_OK) return SERVER_OK;
    return server__fail(s, result, "job %llu cannot be run on %u nodes%s", server__name(s, job), j->nodes,
                        server__no_memory(result));
}

server_result server_start(server *s, server_number job, unsigned nodes)
{
    const server_result result = server__check_start(s, job, nodes);
    if (result != SERVER_OK) return result;
    if (!server__take(s, &s->jobs[job], nodes))
        return server__fail(s, SERVER_NO_MEMORY, "no memory for the nodes of job %llu", server__name(s, job));
    return server__begin(s, job);
}

server_result server_start_on(server *s, server_number job, const server_range *ranges, size_t count)
{
    unsigned nodes = 0;
    uint32_t next = 0;
    if (!ranges && count > 0 && !s->broken && job < s->count)
        return server__fail(s, SERVER_BAD_ARGUMENT, "policy %s starts job %llu on %lu ranges of nodes, but there is no array of them",
                            s->desc.policy.name, server__name(s, job), (unsigned long)count);
    for (size_t i = 0; i < count; ++i) {
        const server_range *r = &ranges[i];
        if (s->broken || job >= s->count) break;
        if (r->count == 0 || r->first < next || r->first >= s->desc.nodes || r->count > s->desc.nodes - r->first)
            return server__fail(s, SERVER_BAD_NODE,
                                "policy %s starts job %llu on node %lu: twice, out of order or beyond %u nodes",
                                s->desc.policy.name, server__name(s, job), (unsigned long)r->first, s->desc.nodes);
        if (!server__is_free(s, r))
            return server__fail(s, SERVER_BAD_NODE, "policy %s starts job %llu on nodes %lu .. %lu, which are not free",
                                s->desc.policy.name, server__name(s, job), (unsigned long)r->first,
                                (unsigned long)(r->first + r->count - 1));
        nodes += r->count;
        next = r->first + r->count;
    }
    const server_result result = server__check_start(s, job, nodes);
    if (result != SERVER_OK) return result;
    for (size_t i = 0; i < count; ++i) {
        if (!server__append(&s->jobs[job], ranges[i].first, ranges[i].count))
            return server__fail(s, SERVER_NO_MEMORY, "no memory for the nodes of job %llu", server__name(s, job));
        server__set_taken(s, &ranges[i]);
    }
    s->jobs[job].nodes = nodes;
    return server__begin(s, job);
}

server_result server_resize(server *s, server_number job, unsigned nodes)
{
    if (s->broken) return SERVER_BAD_STATE;
    if (job >= s->count) return server__unknown(s, job, "resizes");
    server_job *j = &s->jobs[job];
    if (j->state != SERVER_RUNNING || j->desc.kind != SERVER_MALLEABLE)
        return server__fail(s, SERVER_BAD_STATE, "policy %s resizes job %llu, which %s", s->desc.policy.name,
                            server__name(s, job), j->state == SERVER_RUNNING ? "is not malleable" : "does not run");
    if (nodes < j->desc.minimum || nodes > j->desc.maximum)
        return server__fail(s, SERVER_BAD_SIZE, "policy %s resizes job %llu to %u nodes, but it takes %u .. %u",
                            s->desc.policy.name, server__name(s, job), nodes, j->desc.minimum, j->desc.maximum);
    j->wanted = nodes;
    return SERVER_OK;
}

server_result server_refuse(server *s, server_number job)
{
    if (s->broken) return SERVER_BAD_STATE;
    if (job >= s->count || s->jobs[job].state != SERVER_WAITING)
        return server__not_waiting(s, job, "refuses");
    s->jobs[job].state = SERVER_REFUSED;
    s->jobs[job].end = server_now(s);
    server__over(s, job);
    return SERVER_OK;
}

server_result server_promise(server *s, server_number job, double time)
{
    if (s->broken) return SERVER_BAD_STATE;
    if (job >= s->count || s->jobs[job].state != SERVER_WAITING) return server__not_waiting(s, job, "promises a begin to");
    server_job *j = &s->jobs[job];
    if (!(time >= server_now(s)))
        return server__fail(s, SERVER_BAD_ARGUMENT, "policy %s promises job %llu that it begins at %g s, which is over",
                            s->desc.policy.name, server__name(s, job), time);
    if (isnan(j->promised)) j->promised = time;
    j->reserved = time;
    return SERVER_OK;
}

server_result server_give_up(server *s, const char *why)
{
    return server__fail(s, SERVER_BAD_STATE, "policy %s %s", s->desc.policy.name, why ? why : "gives up");
}

server_result server_wake(server *s, double time)
{
    if (s->broken) return SERVER_BAD_STATE;
    if (!(time >= server_now(s) && time < INFINITY))
        return server__fail(s, SERVER_BAD_ARGUMENT, "policy %s wants to be woken at %g s", s->desc.policy.name, time);
    const server_result result = s->desc.host.wake(s->desc.host.host, time);
    if (result == SERVER_OK) return SERVER_OK;
    return server__fail(s, result, "policy %s cannot be woken at %g s%s", s->desc.policy.name, time,
                        server__no_memory(result));
}

/*=============================================================================
 * MARK: - >>hosts
 *===========================================================================*/
server_result server_open(const server_desc *desc, server **opened)
{
    if (opened) *opened = NULL;
    if (!desc || !opened || desc->nodes == 0 || !desc->policy.happened || !desc->policy.decide || !desc->host.now ||
        !desc->host.start || !desc->host.wake) {
        if (desc && desc->policy.close) desc->policy.close(desc->policy.state);
        return SERVER_BAD_ARGUMENT;
    }
    const size_t words = ((size_t)desc->nodes + 63) / 64;
    server *s = (server *)calloc(1, sizeof *s + 2 * words * sizeof(uint64_t));
    if (!s) {
        if (desc->policy.close) desc->policy.close(desc->policy.state);
        return SERVER_NO_MEMORY;
    }
    s->desc = *desc;
    if (!s->desc.policy.name) s->desc.policy.name = "without a name";
    s->words = words;
    s->free = (uint64_t *)(s + 1);
    s->failed = s->free + words;
    server__set_free(s, &(server_range){ 0, desc->nodes });
    s->lowest = 0;
    *opened = s;
    return SERVER_OK;
}

void server_close(server *s)
{
    if (!s) return;
    if (s->desc.policy.close) s->desc.policy.close(s->desc.policy.state);
    for (server_number i = 0; i < s->count; ++i) free(s->jobs[i].ranges);
    free(s->jobs);
    free(s);
}

server_result server_submit(server *s, const server_job_desc *desc, server_number *number)
{
    if (!s || !desc || desc->preferred == 0 || !(desc->submit >= 0) || !(desc->estimate >= 0) || desc->follows > s->count ||
        desc->think < 0)
        return SERVER_BAD_ARGUMENT;
    server_job j = { .desc = *desc, .begin = NAN, .end = NAN, .expected = NAN, .promised = NAN, .reserved = NAN };
    if (desc->kind == SERVER_RIGID || j.desc.minimum == 0) j.desc.minimum = desc->preferred;
    if (desc->kind == SERVER_RIGID || j.desc.maximum == 0) j.desc.maximum = desc->preferred;
    if (j.desc.minimum > desc->preferred || j.desc.maximum < desc->preferred) return SERVER_BAD_ARGUMENT;
    if (s->count == s->space) {
        const server_number space = s->space ? 2 * s->space : 64;
        server_job *moved = space > s->space ? (server_job *)realloc(s->jobs, space * sizeof *moved) : NULL;
        if (!moved) return SERVER_NO_MEMORY;
        s->jobs = moved;
        s->space = space;
    }
    s->jobs[s->count] = j;
    if (number) *number = s->count;
    ++s->count;
    return SERVER_OK;
}

void server_tell_submitted(server *s, server_number job)
{
    server_job *j = &s->jobs[job];
    if (s->broken) return;
    if (j->desc.follows > 0) j->desc.submit = server_now(s);
    if (j->desc.minimum > s->desc.nodes) {
        j->state = SERVER_REFUSED;
        j->end = server_now(s);
        server__over(s, job);
        return;
    }
    j->state = SERVER_WAITING;
    server__ask(s, SERVER_EVENT_SUBMIT, job, 0, 0);
}

void server_tell_ended(server *s, server_number job, bool killed)
{
    server_job *j = &s->jobs[job];
    const unsigned before = j->nodes;
    if (s->broken) return;
    const double now = server_now(s);
    server__account(j, now);
    if (s->desc.keep) {
        for (uint32_t i = 0; i < j->range_count; ++i) server__set_free(s, &j->ranges[i]);
        j->nodes = 0;
    } else {
        server__give_back(s, j, 0);
        free(j->ranges);
        j->ranges = NULL;
        j->range_space = 0;
    }
    j->state = killed ? SERVER_KILLED : SERVER_ENDED;
    j->end = now;
    j->expected = NAN;
    server__changed(s, job, now);
    server__over(s, job);
    server__ask(s, SERVER_EVENT_END, job, 0, before);
}

unsigned server_tell_point(server *s, server_number job, unsigned iteration)
{
    s->jobs[job].iteration = iteration;
    server__ask(s, SERVER_EVENT_POINT, job, 0, 0);
    server_job *j = &s->jobs[job];
    if (s->broken) return j->nodes;
    unsigned more = j->wanted > j->nodes ? j->wanted - j->nodes : 0;
    if (more > s->free_count) more = s->free_count;
    if (more > 0) {
        server__account(j, server_now(s));
        if (!server__take(s, j, more))
            server__fail(s, SERVER_NO_MEMORY, "no memory for the nodes of job %llu", server__name(s, job));
        server__tidy(j);
        server__changed(s, job, j->changed);
        return j->nodes;
    }
    return j->wanted < j->nodes ? j->wanted : j->nodes;
}

void server_tell_resized(server *s, server_number job, unsigned nodes)
{
    server_job *j = &s->jobs[job];
    const unsigned before = j->nodes;
    if (s->broken) return;
    if (nodes < j->nodes) {
        server__account(j, server_now(s));
        if (!server__shrink(s, j, nodes))
            server__fail(s, SERVER_NO_MEMORY, "no memory for the nodes of job %llu", server__name(s, job));
        server__changed(s, job, j->changed);
    }
    ++j->resizes;
    server__ask(s, SERVER_EVENT_RESIZED, job, 0, before);
}

bool server_keeps(const server *s, server_number job, uint32_t node, unsigned nodes)
{
    const server_job *j = &s->jobs[job];
    unsigned before = 0; /* nodes that it keeps rather than this one */
    if (j->desc.anchored && node == j->home) return nodes > 0;
    for (uint32_t k = 0; k < j->range_count && j->ranges[k].first < node; ++k)
        before += node - j->ranges[k].first < j->ranges[k].count ? node - j->ranges[k].first : j->ranges[k].count;
    if (j->desc.anchored && node < j->home) ++before;
    return before < nodes;
}

void server_tell_broken(server *s, server_number job, const char *why)
{
    server__fail(s, SERVER_BAD_STATE, "job %llu: %s", server__name(s, job), why);
}

/* The job that has a node. */
static server_number server__owner(const server *s, uint32_t node)
{
    for (server_number i = 0; i < s->count; ++i) {
        const server_job *j = &s->jobs[i];
        if (j->state != SERVER_RUNNING) continue;
        for (uint32_t k = 0; k < j->range_count; ++k)
            if (node - j->ranges[k].first < j->ranges[k].count) return i;
    }
    return SERVER_NONE;
}

server_number server_tell_failed(server *s, uint32_t node)
{
    const uint64_t bit = UINT64_C(1) << node % 64;
    if (s->broken || node >= s->desc.nodes || (s->failed[node / 64] & bit)) return SERVER_NONE;
    const bool was_free = (s->free[node / 64] & bit) != 0;
    const server_number owner = was_free ? SERVER_NONE : server__owner(s, node);
    s->failed[node / 64] |= bit;
    ++s->failed_count;
    if (was_free) {
        s->free[node / 64] &= ~bit;
        --s->free_count;
    } else if (owner != SERVER_NONE) {
        server_job *j = &s->jobs[owner];
        if (j->desc.kind == SERVER_MALLEABLE && j->nodes > j->desc.minimum && !j->desc.anchored) {
            server__account(j, server_now(s));
            if (!server__remove(j, node))
                server__fail(s, SERVER_NO_MEMORY, "no memory for the nodes of job %llu", server__name(s, owner));
            if (j->wanted > j->nodes) j->wanted = j->nodes;
            server__changed(s, owner, j->changed);
        } else {
            server_tell_ended(s, owner, true);
        }
    }
    server__ask(s, SERVER_EVENT_FAIL, owner, node, 0);
    return owner;
}

void server_tell_repaired(server *s, uint32_t node)
{
    const uint64_t bit = UINT64_C(1) << node % 64;
    if (s->broken || node >= s->desc.nodes || !(s->failed[node / 64] & bit)) return;
    s->failed[node / 64] &= ~bit;
    --s->failed_count;
    server__set_free(s, &(server_range){ node, 1 });
    server__ask(s, SERVER_EVENT_REPAIR, SERVER_NONE, node, 0);
}

void server_tell_wake(server *s)
{
    enum { MOST = 100000 };
    const double now = server_now(s);
    s->wakes = now > s->woken ? 1 : s->wakes + 1;
    s->woken = now;
    if (s->wakes > MOST) {
        server__fail(s, SERVER_BAD_STATE, "policy %s has asked to be woken %d times at this time, and nothing else happens",
                     s->desc.policy.name, MOST);
        return;
    }
    server__ask(s, SERVER_EVENT_WAKE, SERVER_NONE, 0, 0);
}
