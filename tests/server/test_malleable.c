/* Policies that change sizes, against a slow, obvious server: nodes are given one by one, and events searched in a list. */
#include "policies.h"
#include "simulate.h"

#include "../close.h"

enum { MOST = 10, EVENTS = 400, POLICIES = 5 };

typedef enum what { ENDS = 1, POINT, MOVED, SUBMITS } what; /* MOVED is a point as well */

typedef struct occurs {
    double time;
    int priority, sequence, job;
    what what;
} occurs;

typedef struct task {
    server_kind kind;
    work work;
    double submit;
    unsigned minimum, preferred, maximum;
    bool waits, runs, done;
    unsigned nodes, wanted, iteration, target, least, most;
    double begin, end;
} task;

typedef struct slow {
    const char *policy;
    task t[MOST];
    int count;
    unsigned cluster;
    occurs events[EVENTS];
    int event_count, sequence;
    double now;
} slow;

static void occur(slow *s, double time, int priority, what kind, int job)
{
    assert_true(s->event_count < EVENTS);
    s->events[s->event_count++] = (occurs){ time, priority, s->sequence++, job, kind };
}

static unsigned idle(const slow *s)
{
    unsigned left = s->cluster;
    for (int i = 0; i < s->count; ++i) left -= s->t[i].nodes;
    return left;
}

static void iterate(slow *s, int job)
{
    const task *t = &s->t[job];
    const bool last = t->iteration + 1 >= t->work.iterations;
    occur(s, s->now + work_seconds(&t->work, t->iteration, t->nodes), last ? 1 : 2, last ? ENDS : POINT, job);
}

/* The job that gets the next node; -1: none. */
static int next_one(const slow *s, bool waits)
{
    int best = -1;
    double best_value = 0;
    for (int i = 0; i < s->count; ++i) {
        const task *t = &s->t[i];
        if (t->target == 0 || t->target >= t->most) continue;
        double value = 0; /* less is better */
        if (strcmp(s->policy, "equi") == 0) {
            value = t->target;
        } else if (strcmp(s->policy, "efficiency") == 0) {
            const double e = work_efficiency(&t->work, t->iteration, t->target + 1);
            if (!(e >= 0.5)) continue;
            value = -e;
        } else {
            const unsigned size = *s->policy == 'm'   ? t->minimum
                                  : *s->policy == 'p' ? t->preferred
                                                      : t->minimum + (t->maximum - t->minimum + 1) / 2;
            if (t->target >= size && waits) continue;
            value = t->target < size ? i : MOST + i;
        }
        if (best < 0 || value < best_value) best = i, best_value = value;
    }
    return best;
}

static void decide(slow *s)
{
    unsigned left = s->cluster;
    bool waits = false, blocked = false;
    for (int i = 0; i < s->count; ++i) {
        task *t = &s->t[i];
        const bool fixed = t->runs && t->kind != SERVER_MALLEABLE;
        t->least = fixed ? t->nodes : t->minimum;
        t->most = fixed ? t->nodes : t->maximum;
        t->target = t->runs ? t->least : 0;
        left -= t->target;
    }
    for (int k = 0; k < s->count; ++k) { /* in the order of submission, which is that of the numbers here */
        task *t = &s->t[k];
        if (!t->waits || waits) continue;
        waits = t->least > left;
        if (waits) continue;
        t->target = t->least;
        left -= t->least;
    }
    for (int best; left > 0 && (best = next_one(s, waits)) >= 0; --left) ++s->t[best].target;
    for (int i = 0; i < s->count; ++i) {
        task *t = &s->t[i];
        if (!t->waits || blocked) continue;
        const unsigned nodes = t->target < idle(s) ? t->target : idle(s);
        blocked = t->target == 0 || nodes < t->least;
        if (blocked) continue;
        t->waits = false;
        t->runs = true;
        t->nodes = t->wanted = nodes;
        t->begin = s->now;
        iterate(s, i);
    }
    for (int i = 0; i < s->count; ++i) {
        task *t = &s->t[i];
        if (t->runs && t->kind == SERVER_MALLEABLE) t->wanted = t->target > t->nodes && blocked ? t->nodes : t->target;
    }
}

static void slow_run(slow *s)
{
    for (int i = 0; i < s->count; ++i) occur(s, s->t[i].submit, 3, SUBMITS, i);
    while (s->event_count > 0) {
        int first = 0;
        for (int i = 1; i < s->event_count; ++i) {
            const occurs *a = &s->events[i], *b = &s->events[first];
            if (a->time < b->time || (a->time == b->time && (a->priority < b->priority || (a->priority == b->priority &&
                                                                                           a->sequence < b->sequence))))
                first = i;
        }
        const occurs e = s->events[first];
        task *t = &s->t[e.job];
        s->events[first] = s->events[--s->event_count];
        s->now = e.time;
        switch (e.what) {
        case SUBMITS:
            t->waits = t->minimum <= s->cluster;
            if (t->waits) decide(s);
            break;
        case ENDS:
            t->runs = false;
            t->nodes = 0;
            t->end = s->now;
            decide(s);
            break;
        case POINT:
            ++t->iteration;
            if (t->kind == SERVER_MALLEABLE) {
                const unsigned before = t->nodes;
                decide(s);
                if (t->wanted > t->nodes) t->nodes += t->wanted - t->nodes < idle(s) ? t->wanted - t->nodes : idle(s);
                if (t->nodes != before || t->wanted < t->nodes) {
                    occur(s, s->now, 2, MOVED, e.job);
                    break;
                }
            }
            iterate(s, e.job);
            break;
        case MOVED:
            if (t->wanted < t->nodes) t->nodes = t->wanted;
            decide(s);
            iterate(s, e.job);
            break;
        }
    }
}

static unsigned dice(uint64_t *seed, unsigned sides)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*seed >> 33) % sides;
}

static void fast_and_slow_servers_agree(void **state)
{
    static const char *const policies[POLICIES] = { "equi", "minimum", "preferred", "average", "efficiency" };
    (void)state;
    for (uint64_t workload = 0; workload < CASES(100000); ++workload) {
        uint64_t seed = workload * 104729 + 3;
        static slow s;
        simulate *sim;
        memset(&s, 0, sizeof s);
        s.policy = policies[workload % POLICIES];
        s.cluster = 1 + dice(&seed, 12);
        s.count = (int)(1 + dice(&seed, MOST));
        simulate_desc desc = { .nodes = s.cluster };
        assert_int_equal(policies_make(s.policy, &desc.policy), SERVER_OK);
        assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
        double time = 0;
        for (int i = 0; i < s.count; ++i) {
            task *t = &s.t[i];
            time += dice(&seed, 3) ? dice(&seed, 6) : 0;
            t->kind = (server_kind)dice(&seed, 3);
            t->submit = time;
            t->preferred = 1 + dice(&seed, s.cluster);
            t->minimum = t->kind == SERVER_RIGID ? t->preferred : 1 + dice(&seed, t->preferred);
            t->maximum = t->kind == SERVER_RIGID ? t->preferred : t->preferred + dice(&seed, 6);
            t->work = (work){ .kind = WORK_AMDAHL,
                              .seconds = 1 + dice(&seed, 40),
                              .iterations = 1 + dice(&seed, 6),
                              .serial = dice(&seed, 4) / 4.0 };
            t->begin = t->end = NAN;
            const server_job_desc job = { (uint64_t)i,  t->kind,    t->submit,       100, 0, t->minimum,
                                          t->preferred, t->maximum, .work = &t->work };
            assert_int_equal(server_submit(simulate_server(sim), &job, NULL), SERVER_OK);
        }
        slow_run(&s);
        assert_int_equal(simulate_run(sim), SERVER_OK);
        for (int i = 0; i < s.count; ++i) {
            const server_job *j = server_job_of(simulate_server(sim), (server_number)i);
            if (!(j->begin == s.t[i].begin && j->end == s.t[i].end))
                fail_msg("%s, workload %lu: job %d from %.17g to %.17g, expected %.17g to %.17g", s.policy,
                         (unsigned long)workload, i, j->begin, j->end, s.t[i].begin, s.t[i].end);
        }
        simulate_close(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fast_and_slow_servers_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
