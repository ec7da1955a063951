/* Policies against a slow, obvious scheduler on random workloads, and queues against closed forms. */
#include "policies.h"
#include "simulate.h"

#include "../close.h"

enum { MOST = 14, POLICIES = 6 };

typedef struct task {
    double submit, estimate, run;
    unsigned nodes;
    double begin, end; /* of the slow scheduler; NaN: not yet */
    double reserved;   /* conservative */
    double expected;   /* conservative: the end, while it runs */
    int sequence;      /* in which they began */
    unsigned set;      /* particular nodes: a bit each; of its reservation, later its own */
} task;

typedef struct slow {
    task t[MOST];
    int count, cluster, sequence;
    double now;
    int waiting[MOST], waiting_count;
    bool done[MOST];
} slow;

static bool runs(const slow *s, int i)
{
    return s->t[i].begin <= s->now && !s->done[i];
}

static int idle(const slow *s)
{
    int left = s->cluster;
    for (int i = 0; i < s->count; ++i)
        if (runs(s, i)) left -= (int)s->t[i].nodes;
    return left;
}

static void begin(slow *s, int place)
{
    const int i = s->waiting[place];
    s->t[i].begin = s->now;
    s->t[i].end = s->now + s->t[i].run;
    s->t[i].expected = s->now + s->t[i].estimate;
    s->t[i].sequence = s->sequence++;
    for (int k = place + 1; k < s->waiting_count; ++k) s->waiting[k - 1] = s->waiting[k];
    --s->waiting_count;
}

static void slow_fcfs(slow *s)
{
    while (s->waiting_count > 0 && (int)s->t[s->waiting[0]].nodes <= idle(s)) begin(s, 0);
}

static void slow_sjf(slow *s)
{
    while (s->waiting_count > 0) {
        int best = 0;
        for (int k = 1; k < s->waiting_count; ++k) {
            const task *a = &s->t[s->waiting[k]], *b = &s->t[s->waiting[best]];
            if (a->estimate < b->estimate || (a->estimate == b->estimate && s->waiting[k] < s->waiting[best])) best = k;
        }
        if ((int)s->t[s->waiting[best]].nodes > idle(s)) return;
        begin(s, best);
    }
}

/* Nodes that are free at a time, as far as is known now: of those that run and wait no longer than estimated. */
static int free_at(const slow *s, double time)
{
    int left = s->cluster;
    for (int i = 0; i < s->count; ++i)
        if (runs(s, i) && time < s->t[i].expected) left -= (int)s->t[i].nodes;
    return left;
}

static void slow_easy(slow *s)
{
    slow_fcfs(s);
    for (int k = 1; k < s->waiting_count;) {
        const task *head = &s->t[s->waiting[0]], *t = &s->t[s->waiting[k]];
        double shadow = INFINITY;
        for (int i = 0; i < s->count; ++i) {
            const double end = s->t[i].expected;
            if (runs(s, i) && free_at(s, end) >= (int)head->nodes && end < shadow) shadow = end;
        }
        const int extra = free_at(s, shadow) - (int)head->nodes;
        if ((int)t->nodes <= idle(s) && (s->now + t->estimate <= shadow || (int)t->nodes <= extra))
            begin(s, k);
        else
            ++k;
    }
}

/* Nodes that are free at a time beside running jobs and reservations. */
static int unreserved_at(const slow *s, double time, int except)
{
    int left = free_at(s, time);
    for (int k = 0; k < s->waiting_count; ++k) {
        const task *t = &s->t[s->waiting[k]];
        if (k != except && t->reserved <= time && time < t->reserved + t->estimate) left -= (int)t->nodes;
    }
    return left;
}

static bool fits(const slow *s, int place, double from)
{
    const task *t = &s->t[s->waiting[place]];
    const double to = from + t->estimate;
    if (unreserved_at(s, from, place) < (int)t->nodes) return false;
    for (int i = 0; i < s->count; ++i) {
        const double ends = s->t[i].expected;
        if (runs(s, i) && ends > from && ends < to && unreserved_at(s, ends, place) < (int)t->nodes) return false;
    }
    for (int k = 0; k < s->waiting_count; ++k) {
        const double at = s->t[s->waiting[k]].reserved;
        if (k != place && at > from && at < to && unreserved_at(s, at, place) < (int)t->nodes) return false;
    }
    return true;
}

static void reserve(slow *s, int place)
{
    double best = fits(s, place, s->now) ? s->now : INFINITY;
    for (int i = 0; i < s->count; ++i) {
        const double at = s->t[i].expected;
        if (runs(s, i) && at > s->now && at < best && fits(s, place, at)) best = at;
    }
    for (int k = 0; k < s->waiting_count; ++k) {
        const double at = s->t[s->waiting[k]].reserved + s->t[s->waiting[k]].estimate;
        if (k != place && at > s->now && at < best && fits(s, place, at)) best = at;
    }
    s->t[s->waiting[place]].reserved = best;
}

static void slow_conservative(slow *s)
{
    for (int k = 0; k < s->waiting_count;)
        if ((s->t[s->waiting[k]].reserved <= s->now || fits(s, k, s->now)) && (int)s->t[s->waiting[k]].nodes <= idle(s))
            begin(s, k);
        else
            ++k;
}

/*=============================================================================
 * The same for particular nodes
 *===========================================================================*/
static unsigned lowest(unsigned set, unsigned nodes)
{
    unsigned kept = 0;
    for (unsigned bit = 1; bit != 0 && nodes > 0; bit <<= 1)
        if (set & bit) kept |= bit, --nodes;
    return nodes == 0 ? kept : 0;
}

static unsigned free_set(const slow *s)
{
    unsigned set = (1u << s->cluster) - 1;
    for (int i = 0; i < s->count; ++i)
        if (runs(s, i)) set &= ~s->t[i].set;
    return set;
}

/* Free at a time beside running jobs and reservations, from now or from then on. */
static unsigned free_set_at(const slow *s, double time, int except)
{
    unsigned set = (1u << s->cluster) - 1;
    for (int i = 0; i < s->count; ++i)
        if (runs(s, i) && time < s->t[i].expected) set &= ~s->t[i].set;
    for (int k = 0; k < s->waiting_count; ++k) {
        const task *t = &s->t[s->waiting[k]];
        if (k != except && except >= 0 && t->reserved <= time && time < t->reserved + t->estimate) set &= ~t->set;
    }
    return set;
}

static bool begin_on(slow *s, int place, unsigned set)
{
    const unsigned mine = lowest(set, s->t[s->waiting[place]].nodes);
    if (mine == 0) return false;
    s->t[s->waiting[place]].set = mine;
    begin(s, place);
    return true;
}

static void slow_easy_nodes(slow *s)
{
    while (s->waiting_count > 0 && begin_on(s, 0, free_set(s))) {
    }
    for (int k = 1; k < s->waiting_count;) {
        const task *head = &s->t[s->waiting[0]], *t = &s->t[s->waiting[k]];
        double shadow = INFINITY;
        for (int i = 0; i < s->count; ++i) {
            const double end = s->t[i].expected;
            if (runs(s, i) && end < shadow && lowest(free_set_at(s, end, -1), head->nodes)) shadow = end;
        }
        const unsigned reserved = shadow < INFINITY ? lowest(free_set_at(s, shadow, -1), head->nodes) : 0;
        if (!begin_on(s, k, s->now + t->estimate <= shadow ? free_set(s) : free_set(s) & ~reserved)) ++k;
    }
}

/* The nodes that are free from a time on for as long as a job takes. */
static unsigned free_while(const slow *s, int place, double from)
{
    const double to = from + s->t[s->waiting[place]].estimate;
    unsigned set = free_set_at(s, from, place);
    for (int i = 0; i < s->count; ++i) {
        const double ends = s->t[i].expected;
        if (runs(s, i) && ends > from && ends < to) set &= free_set_at(s, ends, place);
    }
    for (int k = 0; k < s->waiting_count; ++k) {
        const double at = s->t[s->waiting[k]].reserved;
        if (k != place && at > from && at < to) set &= free_set_at(s, at, place);
    }
    return set;
}

static void reserve_nodes(slow *s, int place)
{
    task *t = &s->t[s->waiting[place]];
    double times[2 * MOST + 1], best = INFINITY;
    int count = 0;
    times[count++] = s->now;
    for (int i = 0; i < s->count; ++i)
        if (runs(s, i)) times[count++] = s->t[i].expected;
    for (int k = 0; k < s->waiting_count; ++k)
        if (k != place) times[count++] = s->t[s->waiting[k]].reserved + s->t[s->waiting[k]].estimate;
    for (int i = 0; i < count; ++i)
        if (times[i] >= s->now && times[i] < best && lowest(free_while(s, place, times[i]), t->nodes)) best = times[i];
    t->set = lowest(free_while(s, place, best), t->nodes);
    t->reserved = best;
}

static void slow_conservative_nodes(slow *s)
{
    for (int k = 0; k < s->waiting_count;) {
        task *t = &s->t[s->waiting[k]];
        const unsigned gap = t->reserved > s->now && (int)t->nodes <= idle(s) ? lowest(free_while(s, k, s->now), t->nodes) : 0;
        if (gap) t->reserved = s->now, t->set = gap;
        if (!(t->reserved <= s->now) || (t->set & ~free_set(s)) || !begin_on(s, k, t->set)) ++k;
    }
}

/* Jobs that have outlived their estimates; those that are to end now only if nothing else happens now. */
static bool postpone(slow *s, bool now_too)
{
    bool any = false;
    for (int i = 0; i < s->count; ++i) {
        task *t = &s->t[i];
        if (!runs(s, i) || !(t->expected < s->now || (now_too && t->expected <= s->now))) continue;
        t->expected = t->begin + t->estimate;
        for (double more = fmax(t->estimate / 16, 1e-3); t->expected <= s->now; more *= 2) t->expected += more;
        any = true;
    }
    return any;
}

static void slow_run(slow *s, const char *policy)
{
    const bool nodes = strstr(policy, "-nodes") != NULL, conservative = strncmp(policy, "conservative", 12) == 0;
    void (*const place)(slow *, int) = nodes ? reserve_nodes : reserve;
    bool came[MOST] = { false };
    for (;;) {
        int ends = -1, comes = -1;
        bool moves = false, plans = false;
        for (int i = 0; i < s->count; ++i) {
            if (s->t[i].begin <= s->now && !s->done[i] &&
                (ends < 0 || s->t[i].end < s->t[ends].end ||
                 (s->t[i].end == s->t[ends].end && s->t[i].sequence < s->t[ends].sequence)))
                ends = i;
            if (!came[i] && (comes < 0 || s->t[i].submit < s->t[comes].submit)) comes = i;
        }
        /* A reservation that nothing ends before; and when a job has outlived its estimate while others wait. */
        double wakes = INFINITY;
        for (int k = 0; k < s->waiting_count && conservative; ++k)
            if (s->t[s->waiting[k]].reserved > s->now) wakes = fmin(wakes, s->t[s->waiting[k]].reserved);
        for (int i = 0; i < s->count && conservative && s->waiting_count > 0; ++i)
            if (runs(s, i)) wakes = fmin(wakes, fmax(s->t[i].expected, s->now));
        if (ends < 0 && comes < 0 && !(wakes < INFINITY)) return;
        if (wakes < INFINITY && (ends < 0 || wakes < s->t[ends].end) && (comes < 0 || wakes < s->t[comes].submit)) {
            s->now = wakes;
            plans = postpone(s, true);
        } else if (ends >= 0 && (comes < 0 || s->t[ends].end <= s->t[comes].submit)) {
            s->now = s->t[ends].end;
            s->done[ends] = true;
            plans = conservative && postpone(s, false);
            moves = conservative && s->now < s->t[ends].expected;
        } else {
            s->now = s->t[comes].submit;
            came[comes] = true;
            s->t[comes].reserved = INFINITY;
            s->waiting[s->waiting_count++] = comes;
            plans = conservative && postpone(s, false);
            if (conservative && !plans) place(s, s->waiting_count - 1);
        }
        for (int k = 0; k < s->waiting_count && plans; ++k) s->t[s->waiting[k]].reserved = INFINITY;
        for (int k = 0; k < s->waiting_count && (plans || moves); ++k) place(s, k);
        if (conservative && nodes)
            slow_conservative_nodes(s);
        else if (conservative)
            slow_conservative(s);
        else if (nodes)
            slow_easy_nodes(s);
        else if (strcmp(policy, "easy") == 0)
            slow_easy(s);
        else if (strcmp(policy, "sjf") == 0)
            slow_sjf(s);
        else
            slow_fcfs(s);
    }
}

static unsigned dice(uint64_t *seed, unsigned sides)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*seed >> 33) % sides;
}

static void fast_and_slow_schedulers_agree(void **state)
{
    static const char *const policies[] = { "fcfs", "sjf", "easy", "conservative", "easy-nodes", "conservative-nodes" };
    (void)state;
    for (uint64_t workload = 0; workload < CASES(100000) / POLICIES; ++workload)
        for (int p = 0; p < POLICIES; ++p) {
            uint64_t seed = workload * 7919 + 1;
            slow s = { .cluster = (int)(1 + dice(&seed, 9)), .now = 0 };
            const bool late = dice(&seed, 2); /* estimates of 0.2 to 5 times the run time, or none that is too short */
            const unsigned spread = 1 + dice(&seed, 12), longest = 1 + dice(&seed, 9);
            simulate_desc desc = { .nodes = (unsigned)s.cluster };
            simulate *sim;
            assert_int_equal(policies_make(policies[p], &desc.policy), SERVER_OK);
            assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
            s.count = (int)(1 + dice(&seed, MOST));
            for (int i = 0; i < s.count; ++i) {
                task *t = &s.t[i];
                t->submit = dice(&seed, spread);
                t->run = dice(&seed, longest + 1);
                t->estimate = late ? t->run * (1 + dice(&seed, 25)) / 5 : t->run + dice(&seed, 3) * dice(&seed, 4);
                t->nodes = 1 + dice(&seed, (unsigned)s.cluster);
                t->begin = t->end = NAN;
                const server_job_desc job = { .name = (uint64_t)i,
                                              .submit = t->submit,
                                              .estimate = t->estimate,
                                              .run = t->run,
                                              .preferred = t->nodes };
                assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
            }
            slow_run(&s, policies[p]);
            assert_int_equal(simulate_run(sim), SERVER_OK);
            for (int i = 0; i < s.count; ++i) {
                const double found = server_job_of(simulate_server(sim), (server_number)i)->begin;
                if (!(found == s.t[i].begin))
                    fail_msg("%s, workload %lu: job %d begins at %g, expected %g", policies[p], (unsigned long)workload,
                             i, found, s.t[i].begin);
            }
            simulate_close(sim);
        }
}

/*=============================================================================
 * Queues with closed forms
 *===========================================================================*/
/* Jobs of one node: the mean wait, and the part of the time in which nodes are used. */
static double queue_wait(unsigned nodes, double load, bool constant, double *used)
{
    enum { JOBS = 200000 };
    simulate_desc desc = { .nodes = nodes };
    simulate *sim;
    simkit_world *dice_world;
    assert_int_equal(policies_make("fcfs", &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .seed = 5 }, &dice_world), SIMKIT_OK);
    simkit_random arrivals = simkit_random_stream(dice_world, 1), services = simkit_random_stream(dice_world, 2);
    double time = 0, wait = 0, end = 0, busy = 0;
    for (int i = 0; i < JOBS; ++i) {
        const double run = constant ? 1 : simkit_random_exponential(&services, 1);
        time += simkit_random_exponential(&arrivals, 1 / (load * nodes));
        const server_job_desc job = { .submit = time, .estimate = run, .run = run, .preferred = 1 };
        assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
    }
    assert_int_equal(simulate_run(sim), SERVER_OK);
    for (server_number i = 0; i < JOBS; ++i) {
        const server_job *j = server_job_of(simulate_server(sim), i);
        wait += j->begin - j->desc.submit;
        busy += j->node_seconds;
        end = fmax(end, j->end);
    }
    *used = busy / end / nodes;
    simkit_world_close(dice_world);
    simulate_close(sim);
    return wait / JOBS;
}

/* Erlang's formula: the probability that all of c servers are busy where jobs wait. */
static double erlang_c(unsigned c, double load)
{
    double term = 1, sum = 1;
    for (unsigned k = 1; k < c; ++k) {
        term *= c * load / k;
        sum += term;
    }
    term *= load / (1 - load); /* a^c / c! / (1 - rho) = term(c-1) * a / c / (1 - rho) */
    return term / (sum + term);
}

static void waits_follow_queueing_theory(void **state)
{
    static const unsigned nodes[] = { 1, 2, 8 };
    double used;
    (void)state;
    for (int i = 0; i < 3; ++i) {
        const double theory = erlang_c(nodes[i], 0.7) / (nodes[i] * 0.3);
        assert_close(queue_wait(nodes[i], 0.7, false, &used), theory, 0.04);
        assert_close(used, 0.7, 0.01);
    }
    assert_close(queue_wait(1, 0.7, true, &used), 0.7 / (2 * 0.3), 0.04); /* M/D/1: Pollaczek and Khinchine */
    assert_close(used, 0.7, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_slow_schedulers_agree),
        cmocka_unit_test(waits_follow_queueing_theory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
