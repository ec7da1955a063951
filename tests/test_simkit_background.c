/* Room background of simkit.h: against theory, a slow second way, and closed forms. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "background.h"

static simkit_source replay(simkit_world *w, simkit_replay_desc desc)
{
    simkit_source users = 0;
    if (simkit_replay_start(w, &desc, &users) != SIMKIT_OK) fail_msg("%s", simkit_world_why(w));
    return users;
}

/*=============================================================================
 * Streams
 *===========================================================================*/
static void processor_sharing_does_not_depend_on_the_law(void **state)
{
    (void)state;
    const simkit_distribution demands[] = { { .law = SIMKIT_LAW_PARETO, .shape = 2.5, .minimum = 0.6 },
#ifndef TESTS_SLOW
                                            { .mean = 1 },
                                            { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 1 }
#endif
    };
    for (size_t d = 0; d < sizeof demands / sizeof *demands; ++d)
        for (int heavy = 0; heavy < 2; ++heavy) {
            const double rho = heavy ? 0.8 : 0.5;
            double means[20];
            for (uint64_t run = 0; run < 20; ++run) {
                simkit_world *w = open_seeded(run + 1000); /* one set of seeds in twenty is outside by chance */
                const simkit_node node = node_of(w, NULL);
                arrive(w, (simkit_arrivals_desc){ .node = node, .rate = rho, .demand = demands[d] });
                assert_int_equal(simkit_world_run_until(w, 1e5), SIMKIT_OK);
                const simkit_source_tally tally = simkit_source_progress(w, 0);
                means[run] = tally.response / (double)tally.ended;
                simkit_world_close(w);
            }
            assert_within_95(means, 20, 1 / (1 - rho), 0.03); /* M/G/1-PS */
        }
}

/* Mean times in a processor shared by weight, exponential demands: Fayolle, Mitrani, Iasnogorodski, "Sharing a
 * processor among many job classes", J. ACM 27, 1980, for two classes. */
static double shared_by_weight(const double rate[2], const double mean[2], const double weight[2], int which)
{
    const double rho[2] = { rate[0] * mean[0], rate[1] * mean[1] }, mu[2] = { 1 / mean[0], 1 / mean[1] };
    const double all = rho[0] + rho[1], both = mu[0] * weight[0] * (1 - rho[0]) + mu[1] * weight[1] * (1 - rho[1]);
    const int other = 1 - which;
    return mean[which] / (1 - all) * (1 + mu[which] * rho[other] * (weight[other] - weight[which]) / both);
}

static void nice_levels_share_by_weight(void **state)
{
    (void)state;
    static const contention_nice_rule rules[] = { CONTENTION_NICE_LINUX_TODAY, CONTENTION_NICE_LINUX_2_2 };
    static const int nice[2] = { 0, 15 };
    static const double rate[2] = { 0.5, 0.1 }, mean[2] = { 0.8, 3 };
    for (size_t rule = 0; rule < 2; ++rule) {
        double means[2][20], weight[2];
        for (int i = 0; i < 2; ++i) weight[i] = contention_nice_weight(rules[rule], nice[i]);
        for (uint64_t run = 0; run < 20; ++run) {
            simkit_world *w = open_seeded(run);
            const simkit_node node = node_of(w, &(simkit_node_desc){ .nice_rule = rules[rule] });
            simkit_source users[2];
            for (int i = 0; i < 2; ++i)
                users[i] = arrive(w, (simkit_arrivals_desc){
                                         .node = node,
                                         .rate = rate[i],
                                         .demand = { .law = SIMKIT_LAW_EXPONENTIAL, .mean = mean[i] },
                                         .nice = nice[i],
                                         .stream = (uint64_t)i,
                                     });
            assert_int_equal(simkit_world_run_until(w, 1e5), SIMKIT_OK);
            for (int i = 0; i < 2; ++i) {
                const simkit_source_tally tally = simkit_source_progress(w, users[i]);
                means[i][run] = tally.response / (double)tally.ended;
            }
            simkit_world_close(w);
        }
        for (int i = 0; i < 2; ++i) assert_within_95(means[i], 20, shared_by_weight(rate, mean, weight, i), 0.05);
    }
}

/* The slow way: all arrivals of a day, and processor sharing by looking at everyone at every event. */
typedef struct seen {
    double begin, left, end;
} seen;
static seen arrivals[5000];
static size_t arrivals_count;

static void note_arrival(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)user;
    (void)w;
    assert_true(arrivals_count < 5000);
    if (event->phase == SIMKIT_PHASE_BEGIN)
        arrivals[arrivals_count++] = (seen){ event->begin, event->seconds, INFINITY };
}

static double slow_response(size_t *ended, double until)
{
    double now = 0, sum = 0;
    size_t came = 0;
    *ended = 0;
    for (;;) {
        double least = INFINITY, step;
        size_t crowd = 0;
        for (size_t i = 0; i < came; ++i)
            if (isinf(arrivals[i].end)) {
                ++crowd;
                least = fmin(least, arrivals[i].left);
            }
        const double next = came < arrivals_count ? arrivals[came].begin : INFINITY;
        step = fmin(next - now, crowd ? least * (double)crowd : INFINITY);
        if (!(now + step <= until)) return sum;
        for (size_t i = 0; i < came; ++i)
            if (isinf(arrivals[i].end)) {
                arrivals[i].left -= step / (double)crowd;
                if (arrivals[i].left > 1e-9) continue;
                arrivals[i].end = now + step;
                sum += arrivals[i].end - arrivals[i].begin;
                ++*ended;
            }
        now += step;
        while (came < arrivals_count && arrivals[came].begin <= now) ++came;
    }
}

static void a_day_equals_the_slow_way(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        simkit_world *w = open_seeded(seed);
        const simkit_node node = node_of(w, NULL);
        static const double profile[] = { 0.1, 2, 1, 0 };
        size_t ended;
        arrivals_count = 0;
        assert_int_equal(simkit_watch_add(w, SIMKIT_WATCH_COMPUTE, note_arrival, NULL), SIMKIT_OK);
        arrive(
            w,
            (simkit_arrivals_desc){
                .node = node, .rate = 0.6, .profile = profile, .parts = 4, .day = 1000, .demand = laws[3 + seed % 3] });
        arrive(w, (simkit_arrivals_desc){ .node = node, .rate = 0.2, .demand = laws[1], .stream = 1 });
        assert_int_equal(simkit_world_run_until(w, 2000.5), SIMKIT_OK);
        const simkit_source_tally tally = simkit_source_progress(w, 0);
        const double slow = slow_response(&ended, 2000.5);
        assert_true(tally.begun > 500);
        assert_int_equal(tally.begun, arrivals_count);
        assert_int_equal(tally.ended, ended);
        assert_close(tally.response, slow, 1e-7);
        simkit_world_close(w);
    }
}

static void rates_change_through_the_day(void **state)
{
    (void)state;
    static const double profile[] = { 0, 3, 1 }, heavier[] = { 1, 1, 5 };
    double count[3] = { 0, 0, 0 }, work[3] = { 0, 0, 0 };
    simkit_world *w = open_seeded(4);
    const simkit_node node = node_of(w, &(simkit_node_desc){ .cores = 64 });
    arrivals_count = 0;
    assert_int_equal(simkit_watch_add(w, SIMKIT_WATCH_COMPUTE, note_arrival, NULL), SIMKIT_OK);
    arrive(w, (simkit_arrivals_desc){ .node = node,
                                      .rate = 0.5,
                                      .profile = profile,
                                      .demand_profile = heavier,
                                      .parts = 3,
                                      .day = 60,
                                      .time_of_day = 30,
                                      .demand = { .mean = 0.25 } });
    assert_int_equal(simkit_world_run_until(w, 3000), SIMKIT_OK); /* fifty days */
    simkit_world_close(w);
    for (size_t i = 0; i < arrivals_count; ++i) {
        const size_t part = (size_t)(fmod(arrivals[i].begin + 30, 60) / 20);
        count[part] += 1;
        work[part] += arrivals[i].left;
    }
    assert_equal(count[0], 0);
    assert_true(fabs(count[1] - 1500) < 4 * sqrt(1500.0)); /* 1000 s of each, at 1.5 and 0.5 a second */
    assert_true(fabs(count[2] - 500) < 4 * sqrt(500.0));
    assert_close(work[1], 0.25 * count[1], 1e-12);
    assert_close(work[2], 1.25 * count[2], 1e-12);
}

/* One part is the whole day: its rate and its factor hold for every process. */
static void a_day_of_one_part(void **state)
{
    (void)state;
    static const double rate[] = { 2 }, factor[] = { 3 };
    const simkit_node node = add_node(NULL);
    arrivals_count = 0;
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_COMPUTE, note_arrival, NULL), SIMKIT_OK);
    arrive(world, (simkit_arrivals_desc){ .node = node,
                                          .rate = 0.5,
                                          .profile = rate,
                                          .demand_profile = factor,
                                          .parts = 1,
                                          .day = 60,
                                          .demand = { .mean = 0.25 } });
    assert_int_equal(simkit_world_run_until(world, 1000), SIMKIT_OK);
    assert_true(fabs((double)arrivals_count - 1000) < 4 * sqrt(1000.0));
    for (size_t i = 0; i < arrivals_count; ++i) assert_equal(arrivals[i].left, 0.75);
}

static void rare_processes_come_after_many_days(void **state)
{
    (void)state;
    static const double profile[] = { 0, 1 };
    const simkit_node node = add_node(NULL);
    double sum = 0;
    for (uint64_t i = 0; i < 200; ++i) {
        simkit_world *w = open_seeded(i);
        node_of(w, NULL);
        arrive(w, (simkit_arrivals_desc){ .node = node, .rate = 1e-9, .profile = profile, .parts = 2 });
        const double first = simkit_clock_next(w);
        assert_true(fmod(first, 86400) >= 43200);
        sum += first;
        simkit_world_close(w);
    }
    assert_close(sum / 200, 2e9, 0.2);
    arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 0 });
    arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 1e-308 });
    arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 1e-308, .profile = profile, .parts = 2 });
    arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 1e-308, .profile = profile, .parts = 2, .day = 1e-5 });
    arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 0, .profile = profile, .parts = 2 });
    run_all(world); /* whatever came, no sooner than after ages, is done */
}

static void the_same_day_twice_is_the_same_day(void **state)
{
    (void)state;
    simkit_source_tally tallies[3];
    for (int i = 0; i < 3; ++i) {
        simkit_world *w = open_seeded(i == 2 ? 8 : 7);
        const simkit_node node = node_of(w, NULL);
        arrive(w, (simkit_arrivals_desc){ .node = node, .rate = 0.5, .demand = laws[3] });
        succeeds(simkit_world_run_until(w, 1e4));
        tallies[i] = simkit_source_progress(w, 0);
        simkit_world_close(w);
    }
    assert_memory_equal(&tallies[0], &tallies[1], sizeof *tallies);
    assert_memory_not_equal(&tallies[0], &tallies[2], sizeof *tallies);
}

/*=============================================================================
 * Traces
 *===========================================================================*/
static void done_now(simkit_world *w, void *user)
{
    *(double *)user = simkit_clock_now(w);
}

static void a_trace_slows_who_computes(void **state)
{
    (void)state;
    static const simkit_arrival trace[] = { { 1, 2, 0, 0, "a" }, { 2, 1, 0, 0, "b" }, { 100, 1, 0, 0, "late" } };
    const simkit_node node = add_node(NULL);
    double done = 0;
    const simkit_source users = replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace, .count = 3 });
    assert_int_equal(simkit_computation_start(
                         world, &(simkit_computation_desc){ .node = node, .seconds = 4, .done = done_now, .user = &done }, NULL),
                     SIMKIT_OK);
    run_all(world);
    /* alone to 1; halves to 2; thirds till b has its second, at 5; a, with 1/2 left, halves to 6; then 1 alone */
    assert_close(done, 7, 1e-12);
    const simkit_source_tally tally = simkit_source_progress(world, users);
    assert_int_equal(tally.begun, 3);
    assert_int_equal(tally.ended, 3);
    assert_close(tally.demand, 4, 1e-15);
    assert_close(tally.response, 5 + 3 + 1, 1e-12);
    assert_close(simkit_clock_now(world), 101, 1e-15);
}

static void a_process_of_a_trace_is_one_thread(void **state)
{
    (void)state;
    /* one process that wants a second in each second: with a competitor it lags, and never runs twice at once */
    static simkit_arrival trace[10];
    for (int i = 0; i < 10; ++i) trace[i] = (simkit_arrival){ i, 1, 0, 1, "worker" };
    const simkit_node node = add_node(NULL);
    double done = 0;
    const simkit_source users = replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace, .count = 10 });
    assert_int_equal(
        simkit_computation_start(
            world, &(simkit_computation_desc){ .node = node, .seconds = 8, .done = done_now, .user = &done }, NULL),
        SIMKIT_OK);
    for (double t = 0.3; t < 16; t += 0.7) {
        assert_int_equal(simkit_world_run_until(world, t), SIMKIT_OK);
        assert_int_equal(simkit_node_running(world, node), 2);
    }
    run_all(world);
    assert_close(done, 16, 1e-12);
    assert_close(simkit_clock_now(world), 18, 1e-12);
    assert_close(simkit_source_progress(world, users).demand, 10, 1e-12);
}

static void a_trace_can_be_entered_late_and_scaled(void **state)
{
    (void)state;
    static const simkit_arrival trace[] = { { 10, 1, 0, 0, NULL }, { 20, 2, 0, 0, NULL }, { 20, 3, 0, 0, NULL } };
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 2 });
    assert_int_equal(simkit_world_run_until(world, 5), SIMKIT_OK);
    const simkit_source users =
        replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace, .count = 3, .skip = 15, .scale = 2 });
    replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace, .count = 3, .skip = 21 });
    replay(world, (simkit_replay_desc){ .node = node });
    run_all(world);
    assert_close(simkit_clock_now(world), 5 + 5 + 6, 1e-15);
    assert_int_equal(simkit_source_progress(world, 0).begun, 2);
    assert_close(simkit_source_progress(world, users).demand, 10, 1e-15);
}

/* Lines come as far apart as they stand in the trace, whenever it is entered. */
static void a_trace_keeps_its_times(void **state)
{
    (void)state;
    static const simkit_arrival trace[] = { { 10, 1, 0, 0, NULL }, { 20, 2, 0, 0, NULL }, { 40, 3, 0, 0, NULL } };
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 2 });
    assert_int_equal(simkit_world_run_until(world, 100), SIMKIT_OK);
    const simkit_source users =
        replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace, .count = 3, .skip = 5 });
    static const size_t begun[] = { 0, 1, 1, 2, 2, 3 };
    static const double at[] = { 104.5, 105.5, 114.5, 115.5, 134.5, 135.5 };
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(simkit_world_run_until(world, at[i]), SIMKIT_OK);
        assert_int_equal(simkit_source_progress(world, users).begun, begun[i]);
    }
    run_all(world);
    assert_close(simkit_clock_now(world), 100 + 35 + 3, 1e-15);
}

/* What several sources have on a node at once is counted for the source that it is of. */
static void each_source_has_its_own_tally(void **state)
{
    enum { SOURCES = 4 };
    (void)state;
    static simkit_arrival trace[SOURCES][3];
    simkit_source users[SOURCES];
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 64 });
    for (int s = 0; s < SOURCES; ++s) {
        for (int i = 0; i < 3; ++i) trace[s][i] = (simkit_arrival){ 0.25 * i, s + 1, 0, 0, NULL };
        users[s] = replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace[s], .count = 3 });
    }
    run_all(world);
    for (int s = 0; s < SOURCES; ++s) {
        const simkit_source_tally tally = simkit_source_progress(world, users[s]);
        assert_int_equal(tally.begun, 3);
        assert_int_equal(tally.ended, 3);
        assert_close(tally.demand, 3.0 * (s + 1), 1e-15);
        assert_close(tally.response, 3.0 * (s + 1), 1e-15);
    }
}

/*=============================================================================
 * Behaviour
 *===========================================================================*/
static void a_user_thinks_and_waits_for_commands(void **state)
{
    (void)state;
    static const double again[] = { 1 };
    const simkit_user_state edit = { "edit", { .mean = 3 }, { .mean = 1 }, 0, again };
    const simkit_node node = add_node(NULL);
    const simkit_source users =
        behave(world, (simkit_user_desc){ .node = node, .states = &edit, .count = 1, .begin = 2, .end = 22.5 });
    run_all(world);
    /* thinks 2-5, computes 5-6, ... 17-18, 21-22, thinks till 25: then it is too late */
    assert_int_equal(simkit_source_progress(world, users).begun, 5);
    assert_close(simkit_clock_now(world), 25, 1e-15);
}

static void a_user_goes_through_the_graph(void **state)
{
    (void)state;
    /* visits from 0 until logging out: v0 = 1 + v1 * 0.9, v1 = v0 * 0.8; so v0 = 1 / 0.28 */
    static const double from_edit[] = { 0, 0.8 }, from_compile[] = { 0.9, 0 };
    const simkit_user_state states[] = { { "edit", { .mean = 1 }, { .mean = 1 }, 0, from_edit },
                                         { "compile", { .mean = 0 }, { .mean = 100 }, 0, from_compile } };
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 1000000 });
    double edits[20];
    for (uint64_t run = 0; run < 20; ++run) {
        simkit_source_tally before = simkit_source_progress(world, 0);
        for (uint64_t i = 0; i < 2000; ++i)
            behave(world,
                   (simkit_user_desc){ .node = node, .states = states, .count = 2, .stream = run * 2000 + i });
        run_all(world);
        const simkit_source_tally after = simkit_source_progress(world, 0);
        const double all = (double)(after.ended - before.ended), seconds = after.demand - before.demand;
        edits[run] = (100 * all - seconds) / 99 / 2000;
    }
    assert_within_95(edits, 20, 1 / 0.28, 0.02);
}

/* Two users who think 9 s and compute 1 s on average: the closed queueing network of two customers, solved by mean value
 * analysis: R(1) = 1, R(2) = 1 + Q(1), Q(1) = 1 / (9 + 1). */
static void users_wait_for_each_other(void **state)
{
    (void)state;
    static const double again[] = { 1 };
    const simkit_user_state state_of = { "work",
                                         { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 9 },
                                         { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 1 },
                                         0,
                                         again };
    double means[20];
    for (uint64_t run = 0; run < 20; ++run) {
        simkit_world *w = open_seeded(run);
        const simkit_node node = node_of(w, NULL);
        for (uint64_t i = 0; i < 2; ++i)
            behave(w, (simkit_user_desc){ .node = node, .states = &state_of, .count = 1, .stream = i });
        assert_int_equal(simkit_world_run_until(w, 1e5), SIMKIT_OK);
        const simkit_source_tally tally = simkit_source_progress(w, 0);
        means[run] = tally.response / (double)tally.ended;
        simkit_world_close(w);
    }
    assert_within_95(means, 20, 1.1, 0.01);
}

/*=============================================================================
 * Background
 *===========================================================================*/
static void start_work(simkit_world *w, simkit_node node, double seconds, double *done)
{
    const simkit_computation_desc desc = { .node = node, .seconds = seconds, .done = done_now, .user = done };
    assert_int_equal(simkit_computation_start(w, &desc, NULL), SIMKIT_OK);
}

static void nothing_but_background_ends_a_run_at_once(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    const simkit_source users = arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 1, .demand = { .mean = 0.5 } });
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(simkit_clock_now(world), 0);
    assert_int_equal(simkit_source_progress(world, users).begun, 0);
    assert_int_equal(simkit_world_run_until(world, 100), SIMKIT_OK);
    assert_true(simkit_source_progress(world, users).begun > 50);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK); /* also when processes of a source compute */
    assert_equal(simkit_clock_now(world), 100);
}

/* All three kinds of sources compete, and the run ends with the last of the work. */
static void a_run_ends_with_the_last_of_the_work(void **state)
{
    (void)state;
    static const double again[] = { 1 };
    static const simkit_arrival trace[] = { { 0, 1e9, 0, 0, NULL }, { 1e6, 1, 0, 0, NULL } };
    const simkit_user_state edit = { "edit", { .mean = 3 }, { .mean = 1 }, 0, again };
    const simkit_node node = add_node(NULL), idle = add_node(NULL);
    double done[2] = { 0, 0 };
    arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 0.1, .demand = { .mean = 1 } });
    replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace, .count = 2 });
    behave(world, (simkit_user_desc){ .node = idle, .states = &edit, .count = 1 });
    start_work(world, node, 10, &done[0]);
    start_work(world, idle, 1, &done[1]);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(done[1] > 0 && done[0] >= 20);
    assert_equal(simkit_clock_now(world), done[0]);
    assert_int_equal(simkit_node_running(world, node) > 0, 1); /* what the trace wants for a billion seconds */
}

static void waits_for_ever(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_process_suspend(w, "a bell"));
}

static void who_waits_among_users_is_a_deadlock(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    const simkit_process_desc desc = { .name = "clerk", .node = node, .body = waits_for_ever };
    double done = 0;
    arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 1, .demand = { .mean = 0.5 } });
    assert_int_equal(simkit_process_start(world, &desc, NULL), SIMKIT_OK);
    start_work(world, node, 10, &done);
    assert_int_equal(simkit_world_run(world), SIMKIT_DEADLOCK);
    assert_non_null(
        strstr(simkit_world_why(world), "1 process waits: process 'clerk' on node 1 is suspended on a bell"));
    assert_true(done > 10);
    assert_equal(simkit_clock_now(world), done);
    assert_int_equal(simkit_world_run_until(world, done + 10), SIMKIT_OK); /* never a deadlock */
}

/* A world in which work comes and goes among users, in the ways that must not make a difference. */
static void count_event(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)w;
    if (event->kind == SIMKIT_WATCH_COMPUTE && event->phase == SIMKIT_PHASE_BEGIN) ++((int *)user)[event->background];
}

typedef enum { AT_ONCE, WATCHED, IN_SLICES, WAYS } way;

static void the_same_background_goes_on(void **state)
{
    (void)state;
    double done[WAYS][3] = { { 0 } };
    simkit_source_tally tallies[WAYS];
    uint64_t prints[WAYS];
    for (way how = AT_ONCE; how < WAYS; ++how) {
        int counts[2] = { 0, 0 };
        simkit_world *w = open_seeded(3);
        assert_int_equal(simkit_fingerprint_begin(w), SIMKIT_OK);
        if (how == WATCHED)
            assert_int_equal(simkit_watch_add(w, SIMKIT_WATCH_ALL, count_event, counts), SIMKIT_OK);
        const simkit_node node = node_of(w, NULL);
        arrive(w, (simkit_arrivals_desc){ .node = node, .rate = 1, .demand = { .mean = 0.5 } });
        for (int i = 0; i < 3; ++i) {
            start_work(w, node, 10 + i, &done[how][i]);
            for (double t = simkit_clock_now(w) + 0.3; how == IN_SLICES && !(done[how][i] > 0) && t < 12; t += 0.3)
                assert_int_equal(simkit_world_run_until(w, t), SIMKIT_OK);
            assert_int_equal(simkit_world_run(w), SIMKIT_OK);
            assert_equal(simkit_clock_now(w), done[how][i]);
        }
        tallies[how] = simkit_source_progress(w, 0);
        prints[how] = simkit_fingerprint_value(w);
        assert_memory_equal(done[how], done[AT_ONCE], sizeof done[how]);
        assert_memory_equal(&tallies[how], &tallies[AT_ONCE], sizeof *tallies);
        assert_true(prints[how] == prints[AT_ONCE]);
        if (how == WATCHED) {
            assert_int_equal(counts[0], 3);
            assert_int_equal(counts[1], tallies[how].begun);
        }
        simkit_world_close(w);
    }
}

/* What a host itself wants in the background. */
static void computations_can_be_background(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    double done = 0, other = 0;
    simkit_computation backup;
    int counts[2] = { 0, 0 };
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_ALL, count_event, counts), SIMKIT_OK);
    const simkit_computation_desc desc = {
        .node = node, .seconds = 100, .background = true, .done = done_now, .user = &other
    };
    assert_int_equal(simkit_computation_start(world, &desc, &backup), SIMKIT_OK);
    start_work(world, node, 5, &done);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(done, 10);
    assert_equal(other, 0);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    assert_true(simkit_computation_cancel(world, backup));
    assert_int_equal(simkit_node_running(world, node), 0);
    start_work(world, node, 5, &done);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(done, 15);
}

static void notes_loss(simkit_world *w, void *user)
{
    (void)w;
    *(bool *)user = true;
}

/* What a node loses when it fails is told in the run where work was lost, and only there waited for. */
static void lost_background_keeps_no_run_alive(void **state)
{
    (void)state;
    bool lost[2] = { false, false };
    for (int background = 0; background < 2; ++background) {
        const simkit_node node = add_node(NULL);
        const simkit_computation_desc desc = {
            .node = node, .seconds = 100, .background = background, .lost = notes_loss, .user = &lost[background]
        };
        assert_int_equal(simkit_computation_start(world, &desc, NULL), SIMKIT_OK);
        assert_int_equal(simkit_node_fail(world, node), SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    }
    assert_true(lost[0]);
    assert_false(lost[1]);
    assert_int_equal(simkit_world_run_until(world, 0), SIMKIT_OK);
    assert_true(lost[1]);
}

static int samples;

static void sample_again(simkit_world *w, void *user)
{
    simkit_step step;
    (void)user;
    ++samples;
    assert_int_equal(simkit_step_after(w, 1, 0, sample_again, NULL, &step), SIMKIT_OK);
    assert_true(simkit_step_background(w, step));
    assert_true(simkit_step_background(w, step));
    assert_true(simkit_step_pending(w, step));
}

static void watch_steps(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)w;
    *(bool *)user = event->background;
}

static void steps_can_be_background(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    simkit_step step;
    bool background = true;
    double done = 0;
    samples = 0;
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_STEP, watch_steps, &background), SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, 0.5, 0, sample_again, NULL, &step), SIMKIT_OK);
    start_work(world, node, 10, &done);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(simkit_clock_now(world), 10);
    assert_int_equal(samples, 10);
    assert_true(background);
    assert_int_equal(simkit_step_at(world, 20, 0, done_now, &done, &step), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(done, 20);
    assert_int_equal(samples, 20);
    assert_false(background);
    assert_false(simkit_step_background(world, step));
    assert_int_equal(simkit_step_at(world, 30, 0, done_now, &done, &step), SIMKIT_OK);
    assert_true(simkit_step_background(world, step));
    assert_true(simkit_step_cancel(world, step));
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_equal(simkit_clock_now(world), 20);
}

/*=============================================================================
 * Ends, and what is refused
 *===========================================================================*/
static void sources_stop(void **state)
{
    (void)state;
    static const double again[] = { 1 };
    static const simkit_arrival trace[] = { { 0, 5, 0, 1, NULL }, { 1, 5, 0, 1, NULL }, { 50, 1, 0, 0, NULL } };
    const simkit_user_state edit = { "edit", { .mean = 3 }, { .mean = 1 }, 0, again };
    const simkit_node node = add_node(NULL);
    const simkit_source users[] = {
        arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 1, .demand = { .mean = 0.1 } }),
        replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace, .count = 3 }),
        behave(world, (simkit_user_desc){ .node = node, .states = &edit, .count = 1 })
    };
    assert_int_equal(simkit_world_run_until(world, 4), SIMKIT_OK);
    for (int i = 0; i < 3; ++i) {
        simkit_source_stop(world, users[i]);
        simkit_source_stop(world, users[i]);
    }
    simkit_source_stop(world, 9);
    run_all(world);
    assert_true(simkit_clock_now(world) < 12);
    assert_int_equal(simkit_node_running(world, node), 0);
    assert_close(simkit_source_progress(world, users[1]).demand, 5, 1e-15);
    assert_int_equal(simkit_source_progress(world, 9).begun, 0);
}

static void a_failed_node_has_no_users(void **state)
{
    (void)state;
    static const double again[] = { 1 };
    static const simkit_arrival trace[] = { { 0, 50, 0, 1, NULL }, { 1, 5, 0, 1, NULL }, { 500, 1, 0, 0, NULL } };
    const simkit_user_state edit = { "edit", { .mean = 3 }, { .mean = 1 }, 0, again };
    const simkit_node node = add_node(NULL);
    arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 1, .demand = { .mean = 10 } });
    replay(world, (simkit_replay_desc){ .node = node, .arrivals = trace, .count = 3 });
    behave(world, (simkit_user_desc){ .node = node, .states = &edit, .count = 1, .begin = 1000 });
    assert_int_equal(simkit_world_run_until(world, 10), SIMKIT_OK);
    assert_int_equal(simkit_node_fail(world, node), SIMKIT_OK);
    run_all(world);
    assert_why(""); /* nothing went wrong */
    assert_int_equal(simkit_arrivals_start(world, &(simkit_arrivals_desc){ .node = node }, NULL), SIMKIT_NODE_FAILED);
}

/* Also those that had nothing there when it failed: their next process finds the node gone, and ends them. */
static void idle_users_of_a_failed_node_end(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    const simkit_source stream = arrive(world, (simkit_arrivals_desc){ .node = node, .rate = 0.01 });
    assert_int_equal(simkit_node_fail(world, node), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 1e5), SIMKIT_OK);
    assert_true(isinf(simkit_clock_next(world)));
    assert_int_equal(simkit_source_progress(world, stream).begun, 0);
}

static void wrong_users_are_refused(void **state)
{
    (void)state;
    static const double negative[] = { 1, -1 }, more[] = { 0.7, 0.7 }, round_[] = { 0, 1 }, back[] = { 1, 0 };
    const simkit_arrival traces[][2] = { { { 1, 1, 0, 0, NULL }, { 0.5, 1, 0, 0, NULL } },
                                         { { 0, -1, 0, 0, NULL }, { 1, 1, 0, 0, NULL } },
                                         { { 0, 1, 0, 0, NULL }, { NAN, 1, 0, 0, NULL } },
                                         { { 0, 1, 20, 0, "x" }, { 1, 1, 0, 0, NULL } } };
    const simkit_node node = add_node(NULL);
#define ARRIVE(...)                                                                                                    \
    assert_int_equal(                                                                                                  \
        simkit_arrivals_start(world, &(simkit_arrivals_desc){ .node = node, .name = "n", __VA_ARGS__ }, NULL),           \
        SIMKIT_BAD_ARGUMENT)
    ARRIVE(.rate = -1);
    assert_why("at 0 s: rate of source 'n' is -1, but must be finite and not negative");
    ARRIVE(.rate = NAN);
    ARRIVE(.day = -1);
    ARRIVE(.time_of_day = INFINITY);
    ARRIVE(.nice = 20);
    assert_why("at 0 s: nice level 20 of source 'n' is not in -20 .. 19");
    ARRIVE(.demand = { .mean = -1 });
    assert_why("at 0 s: the demand of source 'n': the mean is negative or not finite");
    ARRIVE(.profile = more);
    assert_why("at 0 s: source 'n' has a profile of 0 parts, expected 1 to 1000000");
    ARRIVE(.profile = negative, .parts = 2);
    assert_why("at 0 s: source 'n' has a profile with a number that is negative or not finite");
    ARRIVE(.demand_profile = negative, .parts = 2);
    ARRIVE(.rate = 2e6);
    assert_why("at 0 s: source 'n' has up to 2000000 processes per second, expected at most 1e6");
    ARRIVE(.rate = 1e300, .profile = more, .parts = 2);
    ARRIVE(.rate = 1, .profile = more, .parts = 2, .day = 1e-6);
    assert_why("at 0 s: source 'n' has parts of the day of 5e-07 s, expected 1e-6 to 1e12 s");
    ARRIVE(.rate = 1, .profile = more, .parts = 2, .day = 1e300);
    ARRIVE(.rate = 1, .profile = more, .parts = 2, .time_of_day = 1e25);
    assert_int_equal(simkit_arrivals_start(world, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_arrivals_start(NULL, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_arrivals_start(world, &(simkit_arrivals_desc){ .node = 7, .name = "n" }, NULL),
                     SIMKIT_UNKNOWN_NODE);
    assert_why("at 0 s: source 'n' names node 7, but there is only node 1");

    static const char *const whys[] = {
        "at 0 s: arrival 1 of source 't' is at 0.5 s: expected finite times >= 0 in order",
        "at 0 s: CPU time of arrival 0 of source 't' is -1, but must be finite and not negative",
        "at 0 s: arrival 1 of source 't' is at nan s: expected finite times >= 0 in order",
        "at 0 s: nice level 20 of arrival 0, 'x', of source 't' is not in -20 .. 19"
    };
    for (int i = 0; i < 4; ++i) {
        const simkit_replay_desc desc = { .node = node, .arrivals = traces[i], .count = 2, .name = "t" };
        assert_int_equal(simkit_replay_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
        assert_why(whys[i]);
    }
    assert_int_equal(
        simkit_replay_start(
            world,
            &(simkit_replay_desc){
                .node = node, .arrivals = (simkit_arrival[]){ { 0, 1e300, 0, 0, NULL } }, .count = 1, .scale = 1e10 },
            NULL),
        SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: CPU time of all arrivals of source 1 is inf, but must be finite and not negative");
    assert_int_equal(simkit_replay_start(world, &(simkit_replay_desc){ .node = node, .count = 1 }, NULL),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_replay_start(world, &(simkit_replay_desc){ .node = node, .skip = -1 }, NULL),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_replay_start(world, &(simkit_replay_desc){ .node = node, .scale = NAN }, NULL),
                     SIMKIT_BAD_ARGUMENT);

    const simkit_user_state still[] = { { "a", { .mean = 0 }, { .mean = 1 }, 0, round_ },
                                        { "b", { .mean = 0 }, { .mean = 1 }, 0, back } };
    simkit_user_state states[] = { { "a", { .mean = 1 }, { .mean = 1 }, 0, more },
                                   { "b", { .mean = 1 }, { .mean = 1 }, 0, NULL } };
    simkit_user_desc desc = { .node = node, .states = still, .count = 2 };
    assert_int_equal(simkit_user_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: state 'a' is on a cycle of states without think time");
    desc.states = states;
    assert_int_equal(simkit_user_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: state 'a': the probabilities of the next states sum to more than 1");
    states[0].next = negative;
    assert_int_equal(simkit_user_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
    states[0].next = NULL;
    states[1].nice = -21;
    assert_int_equal(simkit_user_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
    states[1].nice = 0;
    states[1].think.mean = NAN;
    assert_int_equal(simkit_user_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
    states[1].think.mean = 1;
    desc.first = 2;
    assert_int_equal(simkit_user_start(world, &desc, NULL), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a user needs states, and one of them as the first");
    desc.first = 1;
    assert_int_equal(simkit_user_start(world, &desc, NULL), SIMKIT_OK);
    run_all(world);
    assert_int_equal(simkit_source_progress(world, 0).begun, 1);
}

/* A cycle is found wherever it is, and only where there is one. */
static void standing_still_is_found(void **state)
{
    (void)state;
    static const char *const names[] = { "0", "1", "2", "3", "4", "5" };
    const simkit_node node = add_node(NULL);
    uint64_t numbers = 9;
    int cycles = 0;
    for (int round_ = 0; round_ < 2000; ++round_) {
        enum { N = 6 };
        simkit_user_state states[N];
        double next[N][N];
        bool reach[N][N];
        for (int i = 0; i < N; ++i) {
            states[i] = (simkit_user_state){
                names[i], { .mean = random_next(&numbers) % 2 ? 1 : 0 }, { .mean = 1 }, 0, next[i]
            };
            for (int j = 0; j < N; ++j) next[i][j] = random_next(&numbers) % 5 ? 0 : 0.1;
        }
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j)
                reach[i][j] = !(states[i].think.mean > 0) && !(states[j].think.mean > 0) && next[i][j] > 0;
        for (int k = 0; k < N; ++k)
            for (int i = 0; i < N; ++i)
                for (int j = 0; j < N; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
        bool any = false;
        for (int i = 0; i < N; ++i) any = any || reach[i][i];
        assert_int_equal(
            simkit_user_start(world, &(simkit_user_desc){ .node = node, .states = states, .count = N }, NULL),
            any ? SIMKIT_BAD_ARGUMENT : SIMKIT_OK);
        if (any) {
            const size_t found = (size_t)(simkit_world_why(world)[strlen("at 0 s: state '")] - '0');
            char why[80];
            assert_true(found < N && reach[found][found]);
            snprintf(why, sizeof why, "at 0 s: state '%s' is on a cycle of states without think time", names[found]);
            assert_why(why);
        }
        cycles += any;
    }
    assert_true(cycles > 200 && cycles < 1800);
}

/* Each process of a trace is counted with its own demand and its own beginning. */
static void processes_at_once_are_told_apart(void **state)
{
    static const simkit_arrival arrivals[3] = { { 0, 2, 0, 0, NULL }, { 0.5, 1, 0, 0, NULL }, { 0.75, 4, 0, 0, NULL } };
    const simkit_node node = add_node(&(simkit_node_desc){ .cores = 4 });
    simkit_source users;
    (void)state;
    assert_int_equal(
        simkit_replay_start(world, &(simkit_replay_desc){ .node = node, .arrivals = arrivals, .count = 3 }, &users), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 1.75), SIMKIT_OK);
    assert_equal(simkit_source_progress(world, users).demand, 1);
    assert_equal(simkit_source_progress(world, users).response, 1);
    run_all(world);
    assert_equal(simkit_clock_now(world), 4.75);
    assert_int_equal(simkit_source_progress(world, users).ended, 3);
    assert_equal(simkit_source_progress(world, users).demand, 7);
    assert_equal(simkit_source_progress(world, users).response, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(each_source_has_its_own_tally),
        WORLD_TEST(a_trace_keeps_its_times),
        WORLD_TEST(nothing_but_background_ends_a_run_at_once),
        WORLD_TEST(a_run_ends_with_the_last_of_the_work),
        WORLD_TEST(who_waits_among_users_is_a_deadlock),
        cmocka_unit_test(the_same_background_goes_on),
        WORLD_TEST(computations_can_be_background),
        WORLD_TEST(lost_background_keeps_no_run_alive),
        WORLD_TEST(steps_can_be_background),
        cmocka_unit_test(processor_sharing_does_not_depend_on_the_law),
        cmocka_unit_test(nice_levels_share_by_weight),
        cmocka_unit_test(a_day_equals_the_slow_way),
        cmocka_unit_test(rates_change_through_the_day),
        WORLD_TEST(a_day_of_one_part),
        WORLD_TEST(rare_processes_come_after_many_days),
        cmocka_unit_test(the_same_day_twice_is_the_same_day),
        WORLD_TEST(a_trace_slows_who_computes),
        WORLD_TEST(a_process_of_a_trace_is_one_thread),
        WORLD_TEST(a_trace_can_be_entered_late_and_scaled),
        WORLD_TEST(a_user_thinks_and_waits_for_commands),
        WORLD_TEST(a_user_goes_through_the_graph),
        cmocka_unit_test(users_wait_for_each_other),
        WORLD_TEST(sources_stop),
        WORLD_TEST(a_failed_node_has_no_users),
        WORLD_TEST(idle_users_of_a_failed_node_end),
        WORLD_TEST(wrong_users_are_refused),
        WORLD_TEST(processes_at_once_are_told_apart),
        WORLD_TEST(standing_still_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
