/* Room student of netmodel.h: Student's t, by tables, by its density and by closed forms. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "close.h"

/* Student's t: published values, and its own density integrated. */
static void quantiles_are_those_of_the_tables(void **state)
{
    static const struct {
        size_t freedom;
        double level, t;
    } known[] = { { 1, 0.95, 12.7062047361747 }, { 2, 0.95, 4.30265272974946 },  { 3, 0.95, 3.18244630528371 },
                  { 5, 0.99, 4.03214298355523 }, { 10, 0.95, 2.22813885198627 }, { 10, 0.9, 1.81246112281168 },
                  { 30, 0.95, 2.04227245630124 } };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        assert_close(netmodel_student(known[i].level, known[i].freedom), known[i].t, 1e-11);
    /* where the series takes over, nothing jumps: differences go like 1 / freedom^2 */
    for (double level = 0.5; level < 0.9995; level += 0.0625) {
        const double a = netmodel_student(level, 499), b = netmodel_student(level, 500),
                     c = netmodel_student(level, 501), d = netmodel_student(level, 502);
        assert_true(fabs((a - b) - (b - c)) < 2.1 * (a - b) / 500 && fabs((b - c) - (c - d)) < 2.1 * (b - c) / 500);
        assert_true(netmodel_student(level, 100000000) < d);
    }
    assert_close(netmodel_student(0.95, 100000000), 1.95996398454005, 1e-7); /* nearly normal */
    for (size_t freedom = 1; freedom < 30; ++freedom) {
        const double t = netmodel_student(0.9, freedom), v = (double)freedom;
        double inside = 0, all = 0, step = 1e-3;
        if (freedom < 4) continue; /* too much of it lies far out */
        for (double x = step / 2; x < 400; x += step) {
            const double density = pow(1 + x * x / v, -(v + 1) / 2);
            all += density;
            inside += x < t ? density : 0;
        }
        assert_close(inside / all, 0.9, 2e-3);
    }
    for (int i = 0; i < 2; ++i) { /* far out, against the closed forms for 1 and 2 degrees of freedom */
        const double level = i ? 0.999999 : 0.9999, within = i ? 1e-9 : 1e-11;
        assert_close(netmodel_student(level, 1), tan(acos(-1) / 2 * level), within);
        assert_close(netmodel_student(level, 2), level * sqrt(2 / ((1 - level) * (1 + level))), within);
    }
    assert_nan(netmodel_student(0, 3));
    assert_nan(netmodel_student(1, 3));
    assert_nan(netmodel_student(NAN, 3));
    assert_nan(netmodel_student(0.5, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_the_tables),
    };
    return cmocka_run_group_tests_name("student", tests, NULL, NULL);
}
