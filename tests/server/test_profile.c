/* profile.h against an array with one number for each whole second, and a list of steps. */
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

/*=============================================================================
 * Times that are no whole numbers, and profiles of several blocks
 *===========================================================================*/
enum { ADDS = 300, CLUSTER = 1000 };

/* From each time on so many nodes are free, until the next one. */
typedef struct steps {
    double time[2 * ADDS + 1];
    int free[2 * ADDS + 1], count;
} steps;

static int step_at(steps *s, double time)
{
    int at = s->count;
    while (s->time[at - 1] > time) --at;
    if (s->time[at - 1] >= time) return at - 1;
    for (int i = s->count++; i > at; --i) s->time[i] = s->time[i - 1], s->free[i] = s->free[i - 1];
    s->time[at] = time;
    s->free[at] = s->free[at - 1];
    return at;
}

static double slow_earlier(const steps *s, double now, int nodes, double seconds, double start)
{
    for (int i = 0; i < s->count; ++i) {
        const double from = fmax(s->time[i], now);
        if (i + 1 < s->count && s->time[i + 1] <= now) continue;
        if (!(from < start)) return start;
        bool fits = s->free[i] >= nodes;
        for (int k = i + 1; k < s->count && fits && s->time[k] < start && s->time[k] < from + seconds; ++k)
            fits = s->free[k] >= nodes;
        if (fits) return from;
    }
    return start;
}

static double part_of(uint64_t *seed, double whole)
{
    return whole * (double)(random_next(seed) % 1000003) / 1000003;
}

/* Jobs are put where they fit, move up, and are taken out. Some take exactly as long as from one step to another. */
static void a_profile_is_like_a_list_of_steps(void **state)
{
    size_t blocks = 0;
    (void)state;
    for (uint64_t workload = 0; workload < CASES(300); ++workload) {
        uint64_t seed = workload;
        steps s = { .time = { 0 }, .free = { CLUSTER }, .count = 1 };
        double now = 0;
        profile p = { 0 };
        profile_reset(&p, now, CLUSTER);
        for (int step = 0; step < ADDS; ++step) {
            const bool back = random_next(&seed) % 3 == 0;
            const int nodes = 1 + (int)(random_next(&seed) % (1u << random_next(&seed) % 10));
            double seconds = part_of(&seed, 100), start = now + part_of(&seed, 5000);
            if (random_next(&seed) % 2) {
                const int a = (int)(random_next(&seed) % (unsigned)s.count), b = (int)(random_next(&seed) % (unsigned)s.count);
                seconds = fabs(s.time[a] - s.time[b]);
                if (random_next(&seed) % 2) seconds = nextafter(seconds, INFINITY); /* begin + length still rounds to the end */
                start = fmax(s.time[b], now);
            }
            const double fit = slow_earlier(&s, now, nodes, seconds, INFINITY);
            assert_true(profile_fit(&p, (unsigned)nodes, seconds) == fit);
            assert_true(profile_earlier(&p, (unsigned)nodes, seconds, start) == slow_earlier(&s, now, nodes, seconds, start));
            const double from = back ? start : fit, to = from + seconds;
            profile_add(&p, from, to, back ? nodes : -nodes);
            if (from < to && to < INFINITY) {
                const int first = step_at(&s, from), last = step_at(&s, to);
                for (int i = first; i < last; ++i) s.free[i] += back ? nodes : -nodes;
            }
            if (random_next(&seed) % 50 == 0) profile_advance(&p, now += part_of(&seed, 20));
        }
        blocks = p.count > blocks ? p.count : blocks;
        assert_false(p.no_memory);
        profile_free(&p);
    }
    assert_true(blocks > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_profile_is_like_an_array), cmocka_unit_test(a_profile_is_like_a_list_of_steps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
