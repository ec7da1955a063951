/* Room pieces of util/netmodel_fit.h, from inside: heights at given breaks, the criterion, and the parabolas that are kept. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"
#include "../polygons.h"

static uint64_t dice = 1;

/* What the heights at given breaks leave, against what the lines that they make do miss. */
static void heights_leave_the_squares_that_they_say(void **state)
{
    (void)state;
    for (int trial = 0; trial < 300; ++trial) {
        const netmodel_error_metric error = trial % 2 ? NETMODEL_ERROR_RELATIVE : NETMODEL_ERROR_ABSOLUTE;
        double n[20], t[20];
        const netmodel_points p = { n, t, 20, error };
        const size_t pieces = 1 + (size_t)trial % 3;
        size_t end[4] = { 0, 19, 19, 19 };
        netmodel_fit__span span[3];
        netmodel_fit__heights heights;
        long double squares;
        if (pieces > 1) end[1] = 4 + (size_t)random_between(&dice, 0, 4);
        if (pieces > 2) end[2] = 11 + (size_t)random_between(&dice, 0, 4);
        for (int i = 0; i < 20; ++i) {
            n[i] = i;
            t[i] = 1 + random_between(&dice, 0, 9);
        }
        for (size_t i = 0; i < pieces; ++i) span[i] = netmodel_fit__span_between(&p, end[i], end[i + 1], i == 0);
        for (int falling = 0; falling < 2; ++falling) {
            squares = squares_of_polygon(n, t, 20, end, pieces, falling, error);
            assert_close(netmodel_fit__fit_heights(&heights, span, pieces, falling), (double)squares, 1e-9);
        }
    }
}

/* Which point has the large time does not matter for what rounding may leave. */
static void every_point_counts_in_the_criterion(void **state)
{
    enum { COUNT = 7 };
    (void)state;
    for (int error = 0; error < 2; ++error)
        for (size_t large = 0; large < COUNT; ++large) {
            double n[COUNT], t[COUNT];
            for (size_t i = 0; i < COUNT; ++i) n[i] = (double)i, t[i] = i == large ? 1e3 : 1;
            netmodel_points p;
            memset(&p, 0, sizeof p);
            p.n = n, p.t = t, p.count = COUNT, p.error = error ? NETMODEL_ERROR_RELATIVE : NETMODEL_ERROR_ABSOLUTE;
            const double all = error ? COUNT : 1e3 + COUNT - 1; /* the times, by the roots of their weights */
            assert_close(netmodel_fit__criterion(&p, 0, 2),
                         log(pow(1e-12 * all, 2) / (COUNT - 2)) + (1 + log(COUNT)) * 2 / COUNT, 1e-12);
        }
}

/* One that is nowhere below another is not kept, and takes the place of all that are nowhere below it. */
static void parabolas_above_others_are_not_kept(void **state)
{
    enum { FEW = 6 };
    (void)state;
    for (int above = 0; above < FEW; ++above) {
        netmodel_fit__parabola kept[NETMODEL_FIT__KEPT], fresh = { .a = 1, .low = -HUGE_VAL, .high = HUGE_VAL };
        double number = 0;
        for (int k = 0; k < FEW; ++k) {
            fresh.b = -2.0 * k, fresh.c = (double)k * k, fresh.from = k;
            netmodel_fit__keep(kept, &number, &fresh);
        }
        assert_equal(number, FEW);
        fresh.a = 2, fresh.b = -4.0 * above, fresh.c = 2.0 * above * above + 0.5,
        fresh.from = FEW; /* twice it, and a half */
        netmodel_fit__keep(kept, &number, &fresh);
        assert_equal(number, FEW);
        fresh.a = 0.5, fresh.b = -1.0 * above, fresh.c = 0.5 * above * above - 0.01; /* half of it, and less */
        netmodel_fit__keep(kept, &number, &fresh);
        assert_equal(number, FEW); /* in the place of that one, and of no other: these touch the axis elsewhere */
        for (int k = 0; k < FEW; ++k) assert_true((kept[k].from == above) == 0);
        assert_equal(kept[FEW - 1].from, FEW);
        fresh.a = 0, fresh.b = 0, fresh.c = -1, fresh.from = FEW + 1; /* below all */
        netmodel_fit__keep(kept, &number, &fresh);
        assert_equal(number, 1);
        assert_equal(kept[0].from, FEW + 1);
    }
}

/* Of parabolas of which none is everywhere above another, those stay whose least is smallest, in whatever order they come. */
static void the_lowest_parabolas_are_kept(void **state)
{
    enum { MANY = 3 * NETMODEL_FIT__KEPT };
    (void)state;
    for (int order = 0; order < 20; ++order) {
        netmodel_fit__parabola kept[NETMODEL_FIT__KEPT];
        int seen[MANY] = { 0 };
        double number = 0;
        for (int i = 0; i < MANY; ++i) {
            /* (x - k)^2 + k / 1000: each is the least one at its own place */
            const int k = (i * 7 + order * 5) % MANY;
            netmodel_fit__parabola fresh = { 1, -2.0 * k, (double)k * k + k / 1000.0, -HUGE_VAL, HUGE_VAL, k, 0 };
            netmodel_fit__keep(kept, &number, &fresh);
        }
        assert_equal(number, NETMODEL_FIT__KEPT);
        for (int i = 0; i < NETMODEL_FIT__KEPT; ++i) seen[(int)kept[i].from] = 1;
        for (int k = 0; k < MANY; ++k) assert_int_equal(seen[k], k < NETMODEL_FIT__KEPT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_counts_in_the_criterion),
        cmocka_unit_test(the_lowest_parabolas_are_kept),
        cmocka_unit_test(parabolas_above_others_are_not_kept),
        cmocka_unit_test(heights_leave_the_squares_that_they_say),
    };
    return cmocka_run_group_tests_name("pieces inside", tests, NULL, NULL);
}
