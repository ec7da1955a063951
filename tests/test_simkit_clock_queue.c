/* Room clock of simkit.h, what its queue promises: memory that is bounded, and the order of steps that are asked for in between.
 * The queue itself is tested in tests/inside. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"
#include "counts.h"

/* A million pending steps take less than 64 MB; nothing grows when steps come and go. */
static void memory_is_bounded(void **state)
{
    const size_t many = 1000000;
    size_t done = 0, peak;
    simkit_random dice = { 5 };

    (void)state;
    for (size_t i = 0; i < many; ++i)
        assert_int_equal(simkit_step_after(world, simkit_random_exponential(&dice, 1), 0, counts, &done, NULL), SIMKIT_OK);
    simkit_world_memory(world, &peak);
    assert_true(peak < 64000000);
    for (size_t i = 0; i < many; ++i) {
        assert_int_equal(simkit_world_run_until(world, simkit_clock_next(world)), SIMKIT_OK);
        while (done-- > 0)
            assert_int_equal(simkit_step_after(world, simkit_random_exponential(&dice, 1), 0, counts, &done, NULL), SIMKIT_OK);
        done = 0;
    }
    const size_t before = peak;
    simkit_world_memory(world, &peak);
    assert_int_equal(peak, before);
}

static char order[8];

static void says(simkit_world *w, void *user)
{
    (void)w;
    strncat(order, (const char *)user, 1);
}

/* In a run from 1 s on: a step before the end of what is sorted, the end cancelled and swept, then the same time again. */
static void asks_across_a_sweep(simkit_world *w, void *user)
{
    char *const names = "12";
    size_t done = 0;
    assert_int_equal(simkit_step_at(w, 1.00000002, 0, says, names, NULL), SIMKIT_OK);
    assert_true(simkit_step_cancel(w, *(simkit_step *)user));
    for (int i = 0; i < 100; ++i) {
        simkit_step step;
        assert_int_equal(simkit_step_at(w, 2 + i, 0, counts, &done, &step), SIMKIT_OK);
        assert_true(simkit_step_cancel(w, step));
    }
    assert_int_equal(simkit_step_at(w, 1.00000002, 0, says, names + 1, NULL), SIMKIT_OK);
}

/* What was asked for earlier runs earlier, though the end of the front's run has gone in between. */
static void order_outlives_a_sweep(void **state)
{
    simkit_step last;
    size_t done = 0;
    (void)state;
    order[0] = 0;
    assert_int_equal(simkit_step_at(world, 1, 0, asks_across_a_sweep, &last, NULL), SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, 1.00000001, 0, counts, &done, NULL), SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, 1.00000003, 0, counts, &done, &last), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(order, "12");
    assert_int_equal(done, 1);
}

/* Looking ahead promises nothing: what is asked for afterwards may still come first. */
static void looking_ahead_changes_nothing(void **state)
{
    size_t done = 0;
    (void)state;
    for (int i = 0; i < 1000; ++i) assert_int_equal(simkit_step_at(world, 1e6 + i, 0, counts, &done, NULL), SIMKIT_OK);
    assert_true(simkit_clock_next(world) == 1e6);
    assert_int_equal(simkit_world_run_until(world, 5e5), SIMKIT_OK);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(simkit_step_at(world, 6e5 - i, i % 3, counts, &done, NULL), SIMKIT_OK);
        assert_true(simkit_clock_next(world) == 6e5 - i);
    }
    assert_int_equal(simkit_world_run_until(world, 6e5), SIMKIT_OK);
    assert_int_equal(done, 1000);
    assert_true(simkit_clock_next(world) == 1e6);
    assert_int_equal(simkit_step_at(world, 6e5, 0, counts, &done, NULL), SIMKIT_OK);
    assert_int_equal(simkit_step_at(world, -0.0 + 6e5, 0, counts, &done, NULL), SIMKIT_OK);
    assert_true(simkit_clock_next(world) == 6e5);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(done, 2002);
}

static void minus_zero_is_zero(void **state)
{
    size_t done = 0;
    (void)state;
    assert_int_equal(simkit_step_at(world, -0.0, 0, counts, &done, NULL), SIMKIT_OK);
    assert_true(simkit_clock_next(world) == 0);
    assert_int_equal(simkit_world_run_until(world, -0.0), SIMKIT_OK);
    assert_int_equal(done, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(memory_is_bounded),
        WORLD_TEST(order_outlives_a_sweep),
        WORLD_TEST(looking_ahead_changes_nothing),
        WORLD_TEST(minus_zero_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
