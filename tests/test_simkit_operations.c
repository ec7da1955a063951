/* Rooms operations and nodes of simkit.h: work that is run, measured or modelled, on a clock that a test tells; nodes
 * whose processor is rationed, against a slow simulation of the same rules. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "world.h"

#include <time.h>

/*=============================================================================
 * MARK: - >>operations
 *===========================================================================*/
static struct {
    double clock, takes[64];
    int runs;
} told;

static double told_time(void *user)
{
    (void)user;
    return told.clock;
}

static void body(void *argument)
{
    (void)argument;
    told.clock += told.takes[told.runs % 64];
    ++told.runs;
}

static double twice(double parameter, void *user)
{
    return 2 * parameter + *(const double *)user;
}

static void open_told(void)
{
    const simkit_world_desc desc = { .processor_time = told_time };
    simkit_world_close(world);
    memset(&told, 0, sizeof told);
    assert_int_equal(simkit_world_open(&desc, &world), SIMKIT_OK);
}

static simkit_operation operation(simkit_operation_desc desc)
{
    simkit_operation number = 0;
    assert_int_equal(simkit_operation_add(world, &desc, &number), SIMKIT_OK);
    return number;
}

static double taken(simkit_operation number, double parameter)
{
    double seconds = -1;
    assert_int_equal(simkit_operation_run(world, number, parameter, body, NULL, &seconds), SIMKIT_OK);
    return seconds;
}

static void assert_used(simkit_operation number, uint64_t runs, uint64_t reused)
{
    const simkit_operation_tally tally = simkit_operation_progress(world, number);
    assert_int_equal(tally.runs, runs);
    assert_int_equal(tally.reused, reused);
}

static void an_executed_operation_takes_its_own_time(void **state)
{
    simkit_operation number;

    (void)state;
    open_told();
    number = operation((simkit_operation_desc){ .name = "x" });
    for (int i = 0; i < 10; ++i) {
        told.takes[i] = i;
        assert_equal(taken(number, 0), i);
    }
    assert_used(number, 10, 0);
    assert_equal(simkit_clock_now(world), 0);
    told.takes[10] = -5; /* a clock that goes back takes nothing */
    assert_equal(taken(number, 0), 0);
}

/* The first three for each parameter, then their mean; and another parameter begins anew. */
static void a_measured_operation_is_reused(void **state)
{
    simkit_operation number;

    (void)state;
    open_told();
    number = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .first = 3 });
    for (int i = 0; i < 64; ++i) told.takes[i] = 1 + i % 3;
    for (int i = 0; i < 3; ++i) assert_equal(taken(number, 5), 1 + i);
    for (int i = 0; i < 4; ++i) assert_equal(taken(number, 5), 2);
    assert_int_equal(told.runs, 3);
    assert_equal(taken(number, 6), 1);
    assert_equal(taken(number, 5), 2);
    assert_used(number, 4, 5);
}

/* One measurement that was interrupted does not count: beyond three scaled median deviations from the median. */
static void outliers_are_left_out(void **state)
{
    simkit_operation number;

    (void)state;
    open_told();
    number = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE }); /* five */
    told.takes[0] = 1.0, told.takes[1] = 1.1, told.takes[2] = 50, told.takes[3] = 0.9, told.takes[4] = 1.0;
    for (int i = 0; i < 5; ++i) taken(number, 0);
    assert_close(taken(number, 0), 1, 1e-12);
    assert_int_equal(told.runs, 5);
}

/* The first runs take their own time, and do not count. */
static void runs_to_skip_do_not_count(void **state)
{
    simkit_operation number;

    (void)state;
    open_told();
    number = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .skip = 2, .first = 3 });
    for (int i = 0; i < 64; ++i) told.takes[i] = i < 2 ? 100 : 2 + i % 3;
    assert_equal(taken(number, 0), 100);
    assert_equal(taken(number, 0), 100);
    for (int i = 2; i < 5; ++i) assert_equal(taken(number, 0), told.takes[i]);
    for (int i = 0; i < 4; ++i) assert_equal(taken(number, 0), 3);
    assert_equal(taken(number, 1), told.takes[5]); /* another parameter: two to skip again */
    assert_used(number, 6, 4);
}

/* Of each so many uses the first are runs; the others take what the last of these took. */
static void measuring_begins_again(void **state)
{
    simkit_operation number, third, always;

    (void)state;
    open_told();
    for (int i = 0; i < 64; ++i) told.takes[i] = 1 + i;
    number = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .skip = 1, .first = 2, .every = 7 });
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 3; ++i) assert_equal(taken(number, 0), 3 * round + i + 1);
        for (int i = 0; i < 4; ++i) assert_equal(taken(number, 0), 3 * round + 2.5);
    }
    assert_used(number, 15, 20);
    third = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .first = 1, .every = 3 });
    for (int use = 0; use < 30; ++use) assert_equal(taken(third, 0), 16 + use / 3);
    assert_used(third, 10, 20);
    always = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .every = 4 }); /* fewer than the five to measure */
    for (int use = 0; use < 30; ++use) assert_equal(taken(always, 0), 26 + use);
    assert_used(always, 30, 0);
}

/* Of five times in any order: between two of them it is interpolated. */
static void a_quantile_stands_for_the_times(void **state)
{
    static const struct {
        double quantile, seconds;
    } cases[] = { { 1e-300, 1 }, { 0.25, 2 }, { 0.5, 4 }, { 0.75, 8 }, { 0.8, 9.6 }, { 0.99, 15.68 }, { 1, 16 } };

    (void)state;
    open_told();
    for (int i = 0; i < 64; ++i) told.takes[i] = (double)(1 << (2 * i) % 5); /* 1 4 16 2 8 */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const simkit_operation number =
            operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .quantile = cases[c].quantile });
        for (int i = 0; i < 5; ++i) taken(number, 0);
        assert_close(taken(number, 0), cases[c].seconds, 1e-15);
    }
    const simkit_operation once = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .quantile = 0.7, .first = 1 });
    const double own = taken(once, 0);
    assert_equal(taken(once, 0), own);
}

/* Sizes of one class share their measurements; a slow search says which class that is. */
static void sizes_of_a_class_share_their_measurements(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (int trial = 0; trial < 2000; ++trial) {
        const unsigned classes = 1 + (unsigned)(random_next(&random) % 8), power = (unsigned)(random_next(&random) % 4);
        const double low = ldexp(1, (int)(random_next(&random) % 60) - 30);
        const unsigned which = (unsigned)(random_next(&random) % classes);
        const double from = low * (1 + (double)which / classes), to = low * (1 + (double)(which + 1) / classes);
        const double one = random_between(&random, from, to), other = random_between(&random, from, to);
        double expected = 3;
        open_told();
        for (int i = 0; i < 64; ++i) told.takes[i] = 3;
        const simkit_operation number = operation(
            (simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .first = 1, .classes = classes, .power = power });
        assert_equal(taken(number, one), 3);
        for (unsigned i = 0; i < power; ++i) expected *= other / one;
        assert_close(taken(number, other), expected, 1e-13);
        assert_int_equal(told.runs, 1);
        taken(number, to * (1 + 1e-15)); /* where the next one begins is rounded */
        assert_int_equal(told.runs, 2);
        taken(number, from * (1 - 1e-15));
        assert_int_equal(told.runs, 3);
    }
}

/* The ends of the range of doubles are sizes too; what is not a size is refused. */
static void extreme_sizes_have_classes(void **state)
{
    double seconds;

    (void)state;
    open_told();
    for (int i = 0; i < 64; ++i) told.takes[i] = i + 1;
    const simkit_operation number =
        operation((simkit_operation_desc){ .name = "x", .policy = SIMKIT_POLICY_MEASURE, .first = 1, .classes = 3, .power = 8 });
    static const double sizes[] = { 0, 5e-324, 2e-323, 1e-310, 1e-300, 1, 1e300, 1.7976931348623157e308 };
    for (int again = 0; again < 2; ++again)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) assert_close(taken(number, sizes[i]), (double)i + 1, 1e-12);
    assert_used(number, 8, 8);
    assert_int_equal(simkit_operation_run(world, number, -1, body, NULL, &seconds), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: size of operation 'x' is -1, but must be finite and not negative");
    assert_int_equal(simkit_operation_end(world, number, INFINITY, 1), SIMKIT_BAD_ARGUMENT);
    const simkit_operation whatever = operation((simkit_operation_desc){ .name = "x", .classes = 3 }); /* nothing is measured */
    assert_int_equal(simkit_operation_run(world, whatever, -1, body, NULL, &seconds), SIMKIT_OK);
}

/* Of a new round that has begun, and of several that are in progress. */
static void rounds_of_runs_in_progress(void **state)
{
    simkit_operation number;
    double seconds;
    bool run;

    (void)state;
    open_told();
    number = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .first = 2, .skip = 1, .every = 5 });
    for (int i = 0; i < 9; ++i) { /* all have begun before the first ends */
        assert_int_equal(simkit_operation_begin(world, number, 0, &run, &seconds), SIMKIT_OK);
        assert_true(run);
    }
    for (int i = 0; i < 9; ++i) assert_int_equal(simkit_operation_end(world, number, 0, 10 + i), SIMKIT_OK);
    assert_int_equal(simkit_operation_begin(world, number, 0, &run, &seconds), SIMKIT_OK);
    assert_true(run); /* five uses are over: the next round */
    assert_used(number, 10, 0);
    for (int i = 0; i < 3; ++i) assert_int_equal(simkit_operation_end(world, number, 0, 20 + i), SIMKIT_OK);
    assert_int_equal(simkit_operation_begin(world, number, 0, &run, &seconds), SIMKIT_OK);
    assert_false(run);
    assert_close(seconds, 21.5, 1e-15);
}

static void a_modelled_operation_is_never_run(void **state)
{
    double more = 0.5;
    simkit_operation a, b;

    (void)state;
    open_told();
    a = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MODEL, .seconds = 0.25 });
    b = operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MODEL, .model = twice, .user = &more });
    assert_equal(taken(a, 7), 0.25);
    assert_equal(taken(b, 7), 14.5);
    assert_int_equal(told.runs, 0);
}

/* A model may use its world: what it adds may move all operations. */
static double adds_operations(double parameter, void *user)
{
    for (int i = 0; i < 20; ++i)
        ++*(int *)user, operation((simkit_operation_desc){ .policy = SIMKIT_POLICY_MODEL, .seconds = i });
    return parameter;
}

/* Every block moves when it grows, and what stays behind is no memory of anybody's. */
static void *moves(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    void *fresh = new_bytes ? malloc(new_bytes) : NULL;
    (void)user;
    if (fresh && pointer) memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (pointer) memset(pointer, 0xee, old_bytes);
    free(pointer);
    return fresh;
}

static void a_model_may_add_operations(void **state)
{
    int added = 0;
    double seconds;
    bool run;
    (void)state;
    simkit_world_close(world);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .memory = { .reallocate = moves } }, &world), SIMKIT_OK);
    const simkit_operation adds = operation(
        (simkit_operation_desc){ .name = "adds", .policy = SIMKIT_POLICY_MODEL, .model = adds_operations, .user = &added });
    for (int i = 1; i <= 20; ++i) {
        assert_equal(taken(adds, i), i);
        assert_used(adds, 0, i);
    }
    assert_int_equal(added, 400);
    assert_int_equal(simkit_operation_begin(world, adds, -1, &run, &seconds), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: duration of operation 'adds' is -1, but must be finite and not negative");
}

static void bad_operations_are_refused(void **state)
{
    simkit_operation number = 9;
    double seconds, minus = -100;

    (void)state;
    open_told();
    assert_int_equal(simkit_operation_add(world, NULL, &number), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(number, 0);
    assert_int_equal(simkit_operation_add(NULL, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "x", .first = 65 }, &number),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: operation 'x' is to be measured 65 times first, expected at most 64");
    assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "x", .policy = (simkit_policy)3 }, &number),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: operation 'x' has the unknown policy 3");
    assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "x", .quantile = 1.5 }, &number),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: quantile 1.5 of operation 'x' is not in 0 .. 1");
    assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "x", .quantile = NAN }, &number),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "x", .classes = 65, .power = 2 }, &number),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: operation 'x' has 65 size classes and power 2, expected at most 64, and at most 8");
    assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "x", .classes = 1, .power = 9 }, &number),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .name = "x", .power = 3 }, &number),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: operation 'x' has power 3, but no size classes for it to be used in");
    assert_int_equal(number, 0);
    assert_int_equal(simkit_operation_add(world, &(simkit_operation_desc){ .seconds = NAN }, &number),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_operation_run(world, 4, 0, body, NULL, &seconds), SIMKIT_BAD_ARGUMENT);
    number = operation((simkit_operation_desc){ .name = "m", .policy = SIMKIT_POLICY_MODEL, .model = twice, .user = &minus });
    assert_int_equal(simkit_operation_run(world, number, 1, body, NULL, &seconds), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_operation_run(world, number, NAN, body, NULL, &seconds), SIMKIT_BAD_ARGUMENT);
    assert_used(77, 0, 0);
}

static void works(void *argument)
{
    const clock_t start = clock();
    volatile double sum = 0;
    (void)argument;
    for (long i = 0; clock() == start && i < 4000000000L; ++i) sum += (double)i;
}

/* Without a clock of its own a world has the C library's, which goes on when something is computed. */
static void the_clock_is_this_processor(void **state)
{
    double seconds = 0;
    (void)state;
    assert_int_equal(simkit_operation_run(world, operation((simkit_operation_desc){ 0 }), 0, works, NULL, &seconds),
                     SIMKIT_OK);
    assert_true(seconds > 0);
}

/*=============================================================================
 * MARK: - >>quotas
 *===========================================================================*/
typedef struct job {
    double begin, seconds, left, end;
    bool here, done;
} job;

/* When jobs end that share one core with a quota, looked at event by event. */
static void slow_quota(job *jobs, size_t count, double quota, double period, double tick, double offset)
{
    double now = 0, budget = quota, boundary = offset * period;
    long periods = 0;

    while (boundary <= 0) boundary = ((double)++periods + offset) * period;
    for (long step = 0; step < 1000000; ++step) {
        size_t running = 0, waiting = 0;
        double next = HUGE_VAL, passed;
        bool spent;
        for (size_t i = 0; i < count; ++i) {
            if (!jobs[i].here && jobs[i].begin <= now) jobs[i].here = true, jobs[i].left = jobs[i].seconds;
            running += jobs[i].here && !jobs[i].done;
            waiting += !jobs[i].here;
        }
        if (running == 0 && waiting == 0) return;
        spent = budget <= 0;
        for (size_t i = 0; i < count; ++i) {
            if (!jobs[i].here) next = fmin(next, jobs[i].begin);
            if (jobs[i].here && !jobs[i].done && !spent) next = fmin(next, now + jobs[i].left * (double)running);
        }
        next = fmin(next, boundary);
        if (running > 0 && !spent) {
            double found = now + budget;
            if (tick > 0) found = tick * ceil(found / tick);
            next = fmin(next, found);
        }
        passed = next - now;
        if (running > 0 && !spent) {
            budget -= passed;
            if (budget > 0 && budget < 1e-14) budget = 0;
            for (size_t i = 0; i < count; ++i)
                if (jobs[i].here && !jobs[i].done) {
                    jobs[i].left -= passed / (double)running;
                    if (jobs[i].left < 1e-13) jobs[i].done = true, jobs[i].end = next;
                }
        }
        now = next;
        if (now >= boundary) {
            budget = fmin(budget + quota, quota);
            boundary = ((double)++periods + offset) * period;
        }
    }
    fail_msg("too many steps");
}

typedef struct start {
    simkit_node node;
    double seconds;
    double *end;
} start;

static void begin(simkit_world *w, void *user)
{
    const start *s = (const start *)user;
    const simkit_computation_desc compute = { .node = s->node, .seconds = s->seconds, .done = note_time, .user = s->end };
    assert_int_equal(simkit_computation_start(w, &compute, NULL), SIMKIT_OK);
}

static void a_quota_is_what_linux_does(void **state)
{
    uint64_t random = 5;

    (void)state;
    for (int trial = 0; trial < 300; ++trial) {
        const double period = random_between(&random, 0.005, 0.02), quota = random_between(&random, 0.1, 0.9) * period;
        const double tick = trial % 2 ? random_between(&random, 0.0005, 0.005) : 0;
        const simkit_world_desc desc = { .seed = (uint64_t)trial };
        const simkit_node_desc node = { .quota = quota, .period = period, .tick = tick };
        const size_t count = 1 + (size_t)(random_next(&random) % 8);
        job jobs[8];
        start starts[8];
        double ends[8];
        simkit_node number;
        memset(jobs, 0, sizeof jobs);
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(&desc, &world), SIMKIT_OK);
        number = add_node(&node);
        for (size_t i = 0; i < count; ++i) {
            jobs[i].begin = random_between(&random, 0, 0.2);
            jobs[i].seconds = random_between(&random, 0.0001, 0.02);
            starts[i] = (start){ number, jobs[i].seconds, &ends[i] };
            assert_int_equal(simkit_step_at(world, jobs[i].begin, 0, begin, &starts[i], NULL), SIMKIT_OK);
        }
        simkit_random stream = simkit_random_stream(world, UINT64_MAX); /* the first node draws its offset from it */
        slow_quota(jobs, count, quota, period, tick, simkit_random_uniform(&stream));
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        for (size_t i = 0; i < count; ++i) assert_close(ends[i], jobs[i].end, 1e-9);
    }
}

/* In the long run a node has its quota of each period and no more, whatever the tick. */
static void in_the_long_run_a_quota_is_a_speed(void **state)
{
    (void)state;
    for (int i = 0; i < 8; ++i) {
        const simkit_world_desc desc = { .seed = (uint64_t)i };
        const simkit_node_desc node = { .quota = 0.002, .period = 0.01, .tick = i % 2 ? 0.004 : 0 };
        double end = 0;
        start s = { 1, 2, &end };
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(&desc, &world), SIMKIT_OK);
        add_node(&node);
        begin(world, &s);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_close(end, 10, 0.003);
    }
}

/* A quota counts the time of all cores: two computations on two of them have half of it each, however nice they are. */
static void a_quota_is_for_all_cores(void **state)
{
    (void)state;
    for (int nice = 0; nice <= 5; nice += 5) {
        const simkit_world_desc desc = { .seed = (uint64_t)nice };
        double end[2] = { 0, 0 };
        simkit_node node;
        simkit_world_close(world);
        assert_int_equal(simkit_world_open(&desc, &world), SIMKIT_OK);
        node = add_node(&(simkit_node_desc){ .cores = 2, .quota = 0.006, .period = 0.01 });
        for (int i = 0; i < 2; ++i) {
            const simkit_computation_desc work = {
                .node = node, .seconds = 3, .nice = i * nice, .done = note_time, .user = &end[i]
            };
            assert_int_equal(simkit_computation_start(world, &work, NULL), SIMKIT_OK);
        }
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_close(end[0], 10, 0.003); /* 3 ms of each 10 ms */
        assert_close(end[1], 10, 0.003);
    }
}

/* Periods of different nodes begin at different times. As many computations as cores spend a quota of 0.1 s for each core
 * at 0.1 s; a third of their work is missing then, and is done when the next period has begun. */
static void periods_of_nodes_are_spread(void **state)
{
    enum { NODES = 64 };
    (void)state;
    for (unsigned cores = 1; cores <= 2; ++cores) {
        double end[NODES], first = HUGE_VAL, last = 0, sum = 0;
        close_world(state);
        open_world(state);
        for (int i = 0; i < NODES; ++i) {
            const simkit_node node = add_node(&(simkit_node_desc){ .cores = cores, .quota = 0.1 * cores, .period = 1 });
            for (unsigned k = 0; k < cores; ++k) {
                const simkit_computation_desc work = { .node = node, .seconds = 0.15, .done = note_time, .user = &end[i] };
                assert_int_equal(simkit_computation_start(world, &work, NULL), SIMKIT_OK);
            }
        }
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        for (int i = 0; i < NODES; ++i) {
            first = fmin(first, end[i]);
            last = fmax(last, end[i]);
            sum += end[i];
        }
        assert_true(first >= 0.15 - 1e-12 && first < 0.3);
        assert_true(last <= 1.05 + 1e-12 && last > 0.9);
        assert_true(fabs(sum / NODES - 0.55) < 0.15); /* the mean of NODES uniform ones deviates by 0.036 */
    }
}

/* A quota of all that a node can do is none. */
static void a_quota_that_is_never_spent_changes_nothing(void **state)
{
    double end = 0;
    start s = { 1, 0.5, &end };

    (void)state;
    add_node(&(simkit_node_desc){ .quota = 0.011, .period = 0.01 });
    begin(world, &s);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_close(end, 0.5, 1e-12);
}

static void bad_quotas_are_refused(void **state)
{
    static const char text[] = "[machine]\nname = x\n[node]\ncount = 2\nquota = 2 ms\nperiod = 10 ms\ntick = 4 ms\n"
                               "bandwidth = 1 MB/s\n[network]\nlatency = 0 s\n";
    simkit_machine *machine;
    simkit_parse_error error;
    simkit_node node = 9;

    (void)state;
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = "n", .quota = 0.5 }, &node),
                     SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: node 'n' has a quota of 0.5 s, but its period is 0");
    assert_int_equal(node, 0);
    assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = "n", .quota = NAN }, &node),
                     SIMKIT_BAD_ARGUMENT);
    assert_why_begins("at 0 s: quota");
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "x" }, &machine, &error), SIMKIT_OK);
    assert_close(machine->kinds[0].node.quota, 0.002, 1e-15);
    assert_close(machine->kinds[0].node.period, 0.01, 1e-15);
    assert_close(machine->kinds[0].node.tick, 0.004, 1e-15);
    simkit_machine_close(machine);
}

static double asked_time(void *user)
{
    return ++*(double *)user;
}

/* The clock that a world was given is asked with what was given with it. */
static void the_clock_has_its_user(void **state)
{
    double asked = 0;
    const simkit_world_desc desc = { .processor_time = asked_time, .processor_time_user = &asked };
    (void)state;
    simkit_world_close(world);
    memset(&told, 0, sizeof told);
    assert_int_equal(simkit_world_open(&desc, &world), SIMKIT_OK);
    assert_close(taken(operation((simkit_operation_desc){ .name = "x" }), 1), 1, 1e-15);
    assert_true(asked >= 2 && asked <= 2);
}

/* Three times, in every order: the middle one decides. */
static void the_order_of_times_does_not_matter(void **state)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    static const double times[3] = { 1, 1.1, 7 }; /* half of them are within 0.1 of the middle: 7 is out */
    (void)state;
    for (int o = 0; o < 6; ++o) {
        simkit_operation of;
        double seconds;
        bool run;
        assert_int_equal(
            simkit_operation_add(world, &(simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .first = 3 }, &of),
            SIMKIT_OK);
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(simkit_operation_begin(world, of, 1, &run, &seconds), SIMKIT_OK);
            assert_int_equal(simkit_operation_end(world, of, 1, times[orders[o][i]]), SIMKIT_OK);
        }
        assert_int_equal(simkit_operation_begin(world, of, 1, &run, &seconds), SIMKIT_OK);
        assert_false(run);
        assert_close(seconds, 1.05, 1e-15);
    }
}

/* Work that is no function is begun and ended. */
static void an_operation_in_two_steps(void **state)
{
    simkit_operation operation;
    bool runs;
    double seconds;
    (void)state;
    assert_int_equal(
        simkit_operation_add(world, &(simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .first = 3 }, &operation),
        SIMKIT_OK);
    for (int i = 1; i <= 3; ++i) {
        assert_int_equal(simkit_operation_begin(world, operation, 7, &runs, &seconds), SIMKIT_OK);
        assert_true(runs);
        assert_int_equal(simkit_operation_end(world, operation, 7, i), SIMKIT_OK);
    }
    assert_int_equal(simkit_operation_end(world, operation, 7, 1000), SIMKIT_OK); /* one too many is not kept */
    assert_int_equal(simkit_operation_begin(world, operation, 7, &runs, &seconds), SIMKIT_OK);
    assert_false(runs);
    assert_close(seconds, 2, 1e-15);
    assert_int_equal(simkit_operation_begin(world, operation, 8, &runs, &seconds), SIMKIT_OK);
    assert_true(runs);
    assert_used(operation, 4, 1);
    runs = true;
    seconds = 7;
    assert_int_equal(simkit_operation_begin(world, operation, NAN, &runs, &seconds), SIMKIT_BAD_ARGUMENT);
    assert_false(runs);
    assert_equal(seconds, 0);
    assert_int_equal(simkit_operation_begin(world, operation + 1, 7, &runs, &seconds), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_operation_begin(world, operation, 7, NULL, &seconds), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_operation_end(world, 0, 7, 1), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_operation_end(NULL, operation, 7, 1), SIMKIT_BAD_ARGUMENT);
}

/* 1 +- 0.01, and one at seven deviations from the median, where three scaled ones, 4.4478, are allowed. */
static void an_outlier_beyond_three_deviations_does_not_count(void **state)
{
    static const double times[7] = { 0.99, 1.01, 0.99, 1.01, 1, 1.07, 1 };
    simkit_operation operation;
    double seconds;
    bool run;
    (void)state;
    assert_int_equal(
        simkit_operation_add(world, &(simkit_operation_desc){ .policy = SIMKIT_POLICY_MEASURE, .first = 7 }, &operation), SIMKIT_OK);
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(simkit_operation_begin(world, operation, 1, &run, &seconds), SIMKIT_OK);
        assert_true(run);
        assert_int_equal(simkit_operation_end(world, operation, 1, times[i]), SIMKIT_OK);
    }
    assert_int_equal(simkit_operation_begin(world, operation, 1, &run, &seconds), SIMKIT_OK);
    assert_false(run);
    assert_close(seconds, 1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_order_of_times_does_not_matter),
        WORLD_TEST(the_clock_has_its_user),
        WORLD_TEST(periods_of_nodes_are_spread),
        WORLD_TEST(a_quota_is_for_all_cores),
        WORLD_TEST(an_outlier_beyond_three_deviations_does_not_count),
        WORLD_TEST(an_operation_in_two_steps),
        WORLD_TEST(an_executed_operation_takes_its_own_time),
        WORLD_TEST(a_measured_operation_is_reused),
        WORLD_TEST(outliers_are_left_out),
        WORLD_TEST(runs_to_skip_do_not_count),
        WORLD_TEST(measuring_begins_again),
        WORLD_TEST(a_quantile_stands_for_the_times),
        WORLD_TEST(sizes_of_a_class_share_their_measurements),
        WORLD_TEST(extreme_sizes_have_classes),
        WORLD_TEST(rounds_of_runs_in_progress),
        WORLD_TEST(a_modelled_operation_is_never_run),
        WORLD_TEST(a_model_may_add_operations),
        WORLD_TEST(bad_operations_are_refused),
        WORLD_TEST(the_clock_is_this_processor),
        WORLD_TEST(a_quota_is_what_linux_does),
        WORLD_TEST(in_the_long_run_a_quota_is_a_speed),
        WORLD_TEST(a_quota_that_is_never_spent_changes_nothing),
        WORLD_TEST(bad_quotas_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
