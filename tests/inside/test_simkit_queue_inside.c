/* Rooms queue and timers of simkit.h: a radix heap against a list in which the next is looked for, operation by
 * operation and bit by bit; and timers that are used again, which no public call shows. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "../background.h"
#include "../counts.h"

#ifdef TESTS_SLOW
enum { OPERATIONS = 100000, MOST = 2000 };
#else
enum { OPERATIONS = 1000000, MOST = 2000 };
#endif

/* The obvious way. A step or a timer, in one list; `number` is the order of arming. */
typedef struct pending {
    double time;
    int priority;
    uint64_t number;
    simkit_step step; /* 0: a timer */
    uint32_t timer;
} pending;

static pending list[MOST];
static size_t listed;
static uint64_t numbers, ran, to_run;

typedef struct regime {
    const char *name;
    double (*delay)(simkit_random *dice);
    int priorities; /* how many different ones */
    int cancels;    /* out of 100 operations */
    int moves;
} regime;

static size_t next_listed(void)
{
    size_t best = 0;
    for (size_t i = 1; i < listed; ++i) {
        const pending *a = &list[i], *b = &list[best];
        if (a->time != b->time           ? a->time < b->time
            : a->priority != b->priority ? a->priority < b->priority
                                         : a->number < b->number)
            best = i;
    }
    return best;
}

/* Every step and timer comes here: it must be the one that the list says. */
static void runs(simkit_world *w, uint32_t timer, bool is_step)
{
    assert_true(listed > 0);
    const size_t next = next_listed();
    assert_true(simkit_clock_now(w) == list[next].time);
    assert_int_equal(list[next].step != 0, is_step);
    if (is_step)
        assert_false(simkit_step_pending(w, list[next].step));
    else
        assert_int_equal(list[next].timer, timer);
    list[next] = list[--listed];
    ++ran;
    if (--to_run == 0) simkit_world_stop(w);
}

static void step_runs(simkit_world *w, void *user)
{
    runs(w, 0, true);
    (void)user;
}

static void timer_runs(simkit_world *w, void *user)
{
    runs(w, simkit__index_of(user), false);
}

static double exponential(simkit_random *dice)
{
    return simkit_random_exponential(dice, 1);
}

static double nothing(simkit_random *dice)
{
    (void)dice;
    return 0;
}

static double few(simkit_random *dice)
{
    return (double)(simkit_random_bits(dice) % 4) * 0.5;
}

static double clusters(simkit_random *dice)
{
    return simkit_random_exponential(dice, 1) * (simkit_random_bits(dice) % 2 ? 1e-9 : 1e9);
}

/* Delays of all sizes, denormal ones too. */
static double scales(simkit_random *dice)
{
    return ldexp(simkit_random_uniform(dice), (int)(simkit_random_bits(dice) % 1100) - 1075);
}

/* Within one bucket: a few neighbouring times, which come again and again, and what is far behind them. */
static double neighbours(simkit_random *dice)
{
    const double now = simkit_clock_now(world), grid = ceil(now * 0x1p20) * 0x1p-20;
    if (simkit_random_bits(dice) % 4 == 0) return 100 * simkit_random_uniform(dice);
    return grid + (double)(simkit_random_bits(dice) % 6) * 0x1p-20 - now;
}

static double growing(simkit_random *dice)
{
    static double last;
    last += simkit_random_uniform(dice);
    if (last < simkit_clock_now(world)) last = simkit_clock_now(world);
    return last - simkit_clock_now(world);
}

static void compare(const regime *r, uint64_t seed)
{
    simkit_random dice = { seed };
    uint32_t timers[64]; /* as the engine has them: moved while they are armed */
    const size_t aim = 10 + simkit_random_bits(&dice) % (MOST / 2);

    listed = 0;
    for (size_t i = 0; i < 64; ++i) {
        simkit_timer timer;
        assert_int_equal(simkit_timer_open(world, "timer", timer_runs, NULL, &timer), SIMKIT_OK);
        timers[i] = world->alarms[timer - 1].timer;
        world->alarms[timer - 1].user = simkit__user_of(timers[i]);
    }
    for (int i = 0; i < OPERATIONS / 3; ++i) {
        const int what = (int)(simkit_random_bits(&dice) % 100);
        if (what < r->cancels) {
            if (listed == 0) continue;
            const size_t which = simkit_random_bits(&dice) % listed;
            if (list[which].step) {
                const simkit_step step = list[which].step;
                assert_true(simkit_step_cancel(world, step));
                assert_false(simkit_step_cancel(world, step));
            } else {
                simkit__timer_disarm(world, list[which].timer);
            }
            list[which] = list[--listed];
        } else if (what < r->cancels + r->moves) {
            const uint32_t timer = timers[simkit_random_bits(&dice) % 64];
            size_t which = 0;
            while (which < listed && (list[which].step || list[which].timer != timer)) ++which;
            if (which == listed && listed == MOST) continue;
            if (which == listed) ++listed;
            list[which] = (pending){ simkit_clock_now(world) + r->delay(&dice), 0, numbers++, 0, timer };
            simkit__timer_arm(world, timer, list[which].time);
        } else if (what < 90 && listed < (simkit_random_bits(&dice) % 50 ? aim : MOST)) {
            pending *p = &list[listed++];
            *p = (pending){ simkit_clock_now(world) + r->delay(&dice),
                            r->priorities > 1 ? (int)(simkit_random_bits(&dice) % (uint64_t)r->priorities) - 2 : 0,
                            numbers++, 0, 0 };
            assert_int_equal(simkit_step_at(world, p->time, p->priority, step_runs, NULL, &p->step), SIMKIT_OK);
            assert_true(simkit_step_pending(world, p->step));
        } else if (what < 93) {
            const double next = listed ? list[next_listed()].time : INFINITY;
            assert_true(simkit_clock_next(world) == next);
        } else if (what < 96) {
            const double until = simkit_clock_now(world) + r->delay(&dice);
            to_run = UINT64_MAX;
            assert_int_equal(simkit_world_run_until(world, until), SIMKIT_OK);
            assert_true(simkit_clock_now(world) == until);
            assert_true(listed == 0 || list[next_listed()].time > until);
        } else {
            to_run = 1 + simkit_random_bits(&dice) % 20;
            assert_int_equal(simkit_world_run(world), listed < to_run ? SIMKIT_OK : SIMKIT_STOPPED);
        }
    }
    to_run = UINT64_MAX;
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(listed, 0);
    for (size_t i = 0; i < 64; ++i) simkit__timer_free(world, timers[i]);
}

static void the_queue_is_as_a_list(void **state)
{
    static const regime regimes[] = {
        { "exponential", exponential, 1, 5, 10 },
        { "equal", nothing, 1, 10, 10 },
        { "equal, priorities", nothing, 5, 10, 10 },
        { "few", few, 1, 5, 20 },
        { "few, priorities", few, 4, 10, 5 },
        { "clusters", clusters, 2, 5, 10 },
        { "scales", scales, 3, 5, 10 },
        { "growing", growing, 1, 2, 0 },
        { "cancels", exponential, 2, 45, 30 },
        { "neighbours", neighbours, 1, 30, 20 },
    };
    (void)state;
    ran = 0;
    for (size_t i = 0; i < sizeof regimes / sizeof *regimes; ++i)
        for (uint64_t seed = 0; seed < 3; ++seed) compare(&regimes[i], 100 * i + seed);
    assert_true(ran > OPERATIONS / 4);
}

/* A million at one instant, in order; a million that are cancelled leave no trace. */
static void a_million_at_once(void **state)
{
    const size_t many = OPERATIONS;
    size_t done = 0, peak;
    simkit_step *steps = malloc(many * sizeof *steps);

    (void)state;
    for (size_t i = 0; i < many; ++i)
        assert_int_equal(simkit_step_at(world, 1, 0, counts, &done, &steps[i]), SIMKIT_OK);
    const size_t memory = simkit_world_memory(world, NULL);
    for (size_t i = 0; i < many; ++i) assert_true(simkit_step_cancel(world, steps[many - 1 - i]));
    assert_true(world->queue.stale <= simkit__stale_limit(world->queue.timers));
    for (size_t round = 0; round < 3; ++round) {
        for (size_t i = 0; i < many; ++i)
            assert_int_equal(simkit_step_at(world, 2 + (double)round, 0, counts, &done, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        assert_int_equal(done, many * (round + 1));
    }
    simkit_world_memory(world, &peak);
    assert_int_equal(peak, memory);
    free(steps);
}

/* A place is used again and again: no handle of an earlier step is taken for a later one. */
static void handles_do_not_alias(void **state)
{
    enum { ROUNDS = 200000 };
    simkit_step *steps = malloc(ROUNDS * sizeof *steps), last, kept;
    size_t done = 0;

    (void)state;
    for (int i = 0; i < ROUNDS; ++i) { /* all at one place, past the 65 536 tags */
        assert_int_equal(simkit_step_after(world, 1, 0, counts, &done, &steps[i]), SIMKIT_OK);
        assert_int_equal(steps[i] & UINT32_MAX, steps[0] & UINT32_MAX);
        if (i % 2)
            assert_true(simkit_step_cancel(world, steps[i]));
        else
            assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    }
    assert_int_equal(done, ROUNDS / 2);
    assert_int_equal(simkit_step_after(world, 1, 0, counts, &done, &kept), SIMKIT_OK);
    for (int i = 0; i < ROUNDS; ++i) {
        assert_false(simkit_step_pending(world, steps[i]));
        assert_false(simkit_step_cancel(world, steps[i]));
    }
    assert_true(simkit_step_cancel(world, kept));

    /* Four thousand million uses later the place is given up. */
    simkit__timer_at(world, 0)->generation = UINT32_MAX - 3;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(simkit_step_after(world, 1, 0, counts, &done, &last), SIMKIT_OK);
        assert_int_equal(last & UINT32_MAX, kept & UINT32_MAX);
        assert_true(simkit_step_cancel(world, last));
    }
    assert_int_equal(simkit_step_after(world, 1, 0, counts, &done, &kept), SIMKIT_OK);
    assert_true((last & UINT32_MAX) != (kept & UINT32_MAX));
    assert_false(simkit_step_cancel(world, last));
    assert_true(simkit_step_cancel(world, kept));
    free(steps);

    /* So it is with a step that has run: its handle is as dead as any other. */
    simkit__timer_at(world, simkit__handle_index(kept))->generation = UINT32_MAX - 1;
    const size_t timers = world->queue.timers;
    done = 0;
    assert_int_equal(simkit_step_after(world, 1, 0, counts, &done, &kept), SIMKIT_OK);
    assert_int_equal(kept >> 32, UINT32_MAX);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(done, 1);
    assert_false(simkit_step_pending(world, kept));
    assert_false(simkit_step_cancel(world, kept));
    assert_int_equal(world->queue.timers, timers);
}

/* A moved timer's old entries never come to life, though its 65 536 tags come again. */
static void tags_that_come_again_are_swept(void **state)
{
    size_t done = 0, others = 0;
    simkit_timer opened;

    (void)state;
    assert_int_equal(simkit_timer_open(world, "timer", counts, &done, &opened), SIMKIT_OK);
    const uint32_t timer = world->alarms[opened - 1].timer;
    for (int i = 0; i < 100000; ++i)
        assert_int_equal(simkit_step_at(world, 1e6, 0, counts, &others, NULL),
                         SIMKIT_OK); /* so that many may be stale */
    for (int i = 0; i < 300000; ++i) simkit__timer_arm(world, timer, 1 + i % 7);
    simkit__timer_arm(world, timer, 10);
    assert_int_equal(simkit_world_run_until(world, 9), SIMKIT_OK);
    assert_int_equal(done, 0);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(done, 1);
    assert_int_equal(others, 100000);
}

/* A user who leaves in the middle of thinking gives back what wakes him. */
static void who_has_left_holds_no_timer(void **state)
{
    (void)state;
    static const double again[] = { 1 };
    const simkit_user_state rests = { "rests", { .mean = 10 }, { .mean = 1 }, 0, again };
    const simkit_node node = add_node(NULL);
    const uint32_t before = world->queue.timers;
    const simkit_source users =
        behave(world, (simkit_user_desc){ .node = node, .states = &rests, .count = 1, .end = 5 });
    assert_int_equal(world->queue.timers, before + 1);
    run_all(world);
    assert_int_equal(simkit_source_progress(world, users).begun, 0);
    assert_int_equal(world->queue.timers, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_queue_is_as_a_list),
        WORLD_TEST(a_million_at_once),
        WORLD_TEST(handles_do_not_alias),
        WORLD_TEST(tags_that_come_again_are_swept),
        WORLD_TEST(who_has_left_holds_no_timer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
