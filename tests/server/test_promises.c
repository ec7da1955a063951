/* What must hold of policies at each instant, whatever estimates users give and whichever nodes fail: nothing waits while all is idle,
 * no job waits that fits beside all promises, and a promise is made later only because of a job that outlived its estimate or a
 * node that failed. */
#include "policies.h"
#include "simulate.h"

#include "../close.h"

enum { MOST = 14 };

/* A policy inside this one, and how all was at the end of the last instant. */
typedef struct watched {
    server_policy inner;
    const char *name;
    unsigned long workload;
    bool reserves;           /* it promises a begin to each job */
    bool in_order;           /* where the first one needs a node that has failed, the others wait as well */
    bool particular;         /* on particular nodes: more may be free than a job can have */
    bool excused;            /* something has happened since that makes promises later */
    double now;              /* that instant; negative: none */
    int count;               /* jobs submitted until then */
    server_job job[MOST];    /* as they were */
    double expected[MOST];   /* ends of those that ran */
    unsigned free, nodes;    /* free, and not failed */
    double promised[MOST];   /* latest promises */
} watched;

static int free_at(const watched *w, double time)
{
    int free = (int)w->free;
    for (int i = 0; i < w->count; ++i) {
        const server_job *j = &w->job[i];
        if (j->state == SERVER_RUNNING && w->expected[i] <= time) free += (int)j->nodes;
        if (j->state == SERVER_WAITING && j->reserved <= time && time < j->reserved + j->desc.estimate) free -= (int)j->desc.preferred;
    }
    return free;
}

/* True if a job fits now, for as long as it is expected to run, beside the promises of all others. */
static bool fits(const watched *w, const server_job *j)
{
    if (free_at(w, w->now) < (int)j->desc.preferred) return false;
    for (int i = 0; i < w->count; ++i) {
        const double at = w->job[i].state == SERVER_WAITING ? w->job[i].reserved : NAN;
        if (at > w->now && at < w->now + j->desc.estimate && free_at(w, at) < (int)j->desc.preferred) return false;
    }
    return true;
}

static void check_instant(const watched *w)
{
    for (int i = 0; i < w->count && w->now >= 0; ++i) {
        const server_job *j = &w->job[i];
        if (j->state != SERVER_WAITING) continue;
        if (!w->in_order && w->free == w->nodes && j->desc.preferred <= w->nodes)
            fail_msg("%s, workload %lu: at %g all is idle, but job %d waits", w->name, w->workload, w->now, i);
        if (w->reserves && !w->particular && !(j->reserved <= w->now) && fits(w, j))
            fail_msg("%s, workload %lu: at %g job %d fits, but waits until %g", w->name, w->workload, w->now, i, j->reserved);
        if (w->reserves && j->reserved <= w->now && j->desc.estimate > 0)
            fail_msg("%s, workload %lu: at %g job %d waits, though it was to begin at %g", w->name, w->workload, w->now, i, j->reserved);
    }
}

static void happened(void *state, server *s, const server_event *event)
{
    watched *w = (watched *)state;
    const double now = server_now(s);
    if (now > w->now) {
        check_instant(w);
        w->excused = false;
        for (server_number i = 0; i < server_jobs(s); ++i) {
            const server_job *j = server_job_of(s, i);
            if (j->state == SERVER_RUNNING && j->expected <= now) w->excused = true;
            if (j->state == SERVER_ENDED && j->end >= now && j->desc.run > j->desc.estimate) w->excused = true;
        }
        w->now = now;
    }
    if (event->kind == SERVER_EVENT_FAIL) w->excused = true;
    w->inner.happened(w->inner.state, s, event);
}

static void decide(void *state, server *s)
{
    watched *w = (watched *)state;
    w->inner.decide(w->inner.state, s);
    w->free = server_free(s);
    w->nodes = server_nodes(s);
    w->count = 0;
    for (server_number i = 0; i < server_jobs(s); ++i) {
        const server_job *j = server_job_of(s, i);
        w->job[w->count] = *j;
        w->expected[w->count++] = server_expected_end(s, i);
        if (!w->reserves || j->state != SERVER_WAITING || !(j->desc.estimate > 0)) continue;
        if (!w->excused && j->reserved > w->promised[i])
            fail_msg("%s, workload %lu: at %g job %lu is put off from %g to %g", w->name, w->workload, w->now, (unsigned long)i,
                     w->promised[i], j->reserved);
        w->promised[i] = j->reserved;
    }
}

static void close_inner(void *state)
{
    watched *w = (watched *)state;
    w->inner.close(w->inner.state);
}

static unsigned dice(uint64_t *seed, unsigned sides)
{
    return (unsigned)(random_next(seed) % sides);
}

static void promises_hold(void **state)
{
    static const char *const policies[] = { "fcfs", "sjf", "easy", "conservative", "easy-nodes", "conservative-nodes" };
    enum { POLICIES = sizeof policies / sizeof *policies };
    unsigned long killed = 0, late = 0;
    (void)state;
    for (unsigned long workload = 0; workload < CASES(60000); ++workload) {
        uint64_t seed = workload;
        const char *name = policies[workload % POLICIES];
        const unsigned nodes = 1 + dice(&seed, 9), spread = 1 + dice(&seed, 20), longest = 1 + dice(&seed, 12), failures = dice(&seed, 4);
        watched w = { .name = name, .workload = workload, .now = -1, .particular = strstr(name, "-nodes") != NULL };
        w.in_order = failures > 0 && (strcmp(name, "fcfs") == 0 || strcmp(name, "sjf") == 0);
        w.reserves = strncmp(name, "conservative", 12) == 0;
        succeeds(policies_make(name, &w.inner));
        simulate *sim;
        succeeds(simulate_open(&(simulate_desc){ .nodes = nodes, .policy = { name, happened, decide, close_inner, &w } }, &sim));
        server *s = simulate_server(sim);
        const int count = 1 + (int)dice(&seed, MOST);
        for (int i = 0; i < count; ++i) {
            const double run = 1 + dice(&seed, longest);
            succeeds(server_submit(s,
                                   &(server_job_desc){ .name = (uint64_t)i,
                                                       .submit = dice(&seed, spread),
                                                       .estimate = run * (1 + dice(&seed, 25)) / 5,
                                                       .run = run,
                                                       .preferred = 1 + dice(&seed, nodes) },
                                   NULL));
            w.promised[i] = INFINITY;
        }
        for (unsigned i = 0; i < failures; ++i) { /* all nodes are back in the end, so that every job has enough */
            const double at = dice(&seed, 30);
            succeeds(simulate_failure(sim, dice(&seed, nodes), at, at + 1 + dice(&seed, 20)));
        }
        succeeds(simulate_run(sim));
        check_instant(&w);
        for (server_number i = 0; i < server_jobs(s); ++i) {
            const server_job *j = server_job_of(s, i);
            if (j->state != SERVER_ENDED && j->state != SERVER_KILLED)
                fail_msg("%s, workload %lu: job %lu is left in state %d", name, workload, (unsigned long)i, (int)j->state);
            killed += j->state == SERVER_KILLED;
            late += j->desc.run > j->desc.estimate;
        }
        simulate_close(sim);
    }
    assert_true(killed > CASES(1000) && late > CASES(10000));
}

/* A job that outlives its estimate by far is expected to go on for as long again: the first one that waits is not overtaken for ever. */
static void the_first_is_not_overtaken_for_ever(void **state)
{
    static const char *const policies[] = { "fcfs", "easy", "conservative", "easy-nodes", "conservative-nodes" };
    (void)state;
    for (size_t p = 0; p < sizeof policies / sizeof *policies; ++p) {
        simulate_desc desc = { .nodes = 2 };
        simulate *sim;
        succeeds(policies_make(policies[p], &desc.policy));
        succeeds(simulate_open(&desc, &sim));
        server *s = simulate_server(sim);
        succeeds(server_submit(s, &(server_job_desc){ .estimate = 5, .run = 20, .preferred = 1 }, NULL));
        succeeds(server_submit(s, &(server_job_desc){ .submit = 1, .estimate = 5, .run = 5, .preferred = 2 }, NULL));
        for (int i = 0; i < 40; ++i)
            succeeds(server_submit(s, &(server_job_desc){ .submit = 2 + i, .estimate = 5, .run = 5, .preferred = 1 }, NULL));
        succeeds(simulate_run(sim));
        const double begin = server_job_of(s, 1)->begin;
        if (!(begin >= 20 && begin <= 25)) fail_msg("%s: the first one begins at %g, expected 20 to 25", policies[p], begin);
        simulate_close(sim);
    }
}

/* The expected end is on a grid that doubles, whenever it is asked for. */
static void grows(void *state, server *s, const server_event *event)
{
    double *seen = (double *)state;
    if (event->kind == SERVER_EVENT_SUBMIT) server_start(s, event->job, 1);
    if (event->kind == SERVER_EVENT_WAKE) *seen = server_expected_end(s, 0);
    if (event->kind == SERVER_EVENT_END) assert_nan(server_expected_end(s, 0));
}

static void wakes_once(void *state, server *s)
{
    (void)state;
    if (server_now(s) <= 0) server_wake(s, 1000);
}

static void expected_ends_double(void **state)
{
    double seen = 0;
    simulate *sim;
    (void)state;
    succeeds(simulate_open(&(simulate_desc){ .nodes = 1, .policy = { "grows", grows, wakes_once, NULL, &seen } }, &sim));
    succeeds(server_submit(simulate_server(sim), &(server_job_desc){ .estimate = 160, .run = 5000, .preferred = 1 }, NULL));
    succeeds(simulate_run(sim));
    assert_close(seen, 160 + 10 * 127, 0); /* 160 + 10 (2^k - 1) > 1000: k = 7 */
    simulate_close(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promises_hold),
        cmocka_unit_test(the_first_is_not_overtaken_for_ever),
        cmocka_unit_test(expected_ends_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
