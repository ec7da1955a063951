/* profile.h against an array with one number for each whole second. */
#include "profile.h"

#include "../close.h"

enum { SECONDS = 400, NODES = 20 };

static bool holds(const int *free, int from, int length, int nodes, int start)
{
    for (int t = from; t < from + length || t == from; ++t)
        if (t < start && free[t < SECONDS ? t : SECONDS - 1] < nodes) return false;
    return true;
}

static int first_fit(const int *free, int now, int length, int nodes, int start)
{
    for (int t = now; t < start && t < SECONDS; ++t)
        if (holds(free, t, length, nodes, start)) return t;
    return start;
}

static void a_profile_is_like_an_array(void **state)
{
    (void)state;
    for (uint64_t workload = 0; workload < CASES(2000); ++workload) {
        uint64_t seed = workload;
        int free[SECONDS], now = 0;
        profile p = { 0 };
        profile_reset(&p, 0, NODES);
        for (int t = 0; t < SECONDS; ++t) free[t] = NODES;
        for (int step = 0; step < 200; ++step) {
            const int from = now + (int)(random_next(&seed) % (unsigned)(SECONDS - 1 - now)), length = 1 + (int)(random_next(&seed) % 40);
            const int nodes = (int)(random_next(&seed) % 9) - 4, wanted = 1 + (int)(random_next(&seed) % (NODES + 4));
            const bool for_ever = random_next(&seed) % 16 == 0;
            /* The last number stands for all that follows: nothing ends within it. */
            const int to = for_ever || from + length > SECONDS - 1 ? SECONDS : from + length;
            profile_add(&p, from, to == SECONDS ? INFINITY : to, nodes);
            for (int t = from; t < to; ++t) free[t] += nodes;
            if (random_next(&seed) % 20 == 0 && now < SECONDS / 2) profile_advance(&p, now += (int)(random_next(&seed) % 10));
            const int start = now + 1 + (int)(random_next(&seed) % (SECONDS - now)), seconds = (int)(random_next(&seed) % 60);
            const int fit = first_fit(free, now, seconds, wanted, SECONDS), earlier = first_fit(free, now, seconds, wanted, start);
            assert_equal(profile_fit(&p, (unsigned)wanted, seconds), fit == SECONDS ? INFINITY : fit);
            assert_equal(profile_earlier(&p, (unsigned)wanted, seconds, start), earlier);
            assert_int_equal(profile_fits(&p, (unsigned)wanted, seconds, start), holds(free, now, seconds, wanted, start));
        }
        assert_false(p.no_memory);
        profile_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_profile_is_like_an_array) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
