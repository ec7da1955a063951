/* [multigrid] tables I and II: the errors that they print from the times that they print, the rule that the slower of two
 * clusters counts, and what the finer grid costs. All figures come from tests/published. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"

#include "close.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct row {
    double a, b, grid, measured, predicted, error; /* processes on clusters A and B, points of a side, [s], [s], [%] */
    char switching[16];
} row;

static row rows[16];
static size_t count;

static int load(void **state)
{
    static const char *const paths[] = { "tests/published/multigrid_table1.csv",
                                         "tests/published/multigrid_table2.csv" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(paths[i], "r");
        char line[200];
        if (file == NULL || !fgets(line, sizeof line, file)) {
            print_error("cannot read %s: run this from the top of the project\n", paths[i]);
            return 1;
        }
        while (count < 16 && fgets(line, sizeof line, file)) {
            row *x = &rows[count++];
            if (sscanf(line, "%lf,%lf,%15[a-z],%lf,%lf,%lf,%lf", &x->a, &x->b, x->switching, &x->grid, &x->measured,
                       &x->predicted, &x->error) != 7)
                return 1;
        }
        fclose(file);
    }
    return 0;
}

static const row *find(double a, double b, const char *switching, double grid)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].a == a && rows[i].b == b && rows[i].grid == grid && strcmp(rows[i].switching, switching) == 0)
            return &rows[i];
    fail_msg("no row for %g, %g", a, b);
    return NULL;
}

/* To the printed digit. */
static void errors_are_those_printed(void **state)
{
    (void)state;
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++) {
        const double error = 100 * fabs(rows[i].predicted / rows[i].measured - 1);
        assert_true(fabs(error - rows[i].error) <= 0.00501);
    }
}

/* A program on a cluster whose prediction is just this time, whatever the number of processes. */
static netmodel_scaling always(double seconds)
{
    netmodel_scaling s;
    memset(&s, 0, sizeof s);
    s.computing = seconds;
    s.fewest = 4;
    s.most = 8;
    s.light = 1;
    s.work = 2;
    return s;
}

/* Of a job on both clusters the slower part counts, so its time is that of the pair in table I: less than A alone takes
 * with Ethernet, more than A alone with Myrinet. */
static void the_slower_cluster_counts(void **state)
{
    const row *both = find(64, 32, "ethernet", 65536), *alone = find(64, 0, "ethernet", 65536),
              *myrinet = find(64, 0, "myrinet", 65536);
    const netmodel_scaling a = always(both->predicted), b = always(0.5 * both->predicted), c = always(alone->predicted),
                           d = always(myrinet->predicted);
    netmodel_part parts[4];
    netmodel_choice choices[3];

    (void)state;
    memset(parts, 0, sizeof parts);
    memset(choices, 0, sizeof choices);
    parts[0].scaling = &a, parts[1].scaling = &b, parts[2].scaling = &c, parts[3].scaling = &d;
    for (int i = 0; i < 4; i++) parts[i].processes = parts[i].free = i == 1 ? 32 : 64;
    choices[0].part = &parts[0], choices[0].parts = 2;
    choices[1].part = &parts[2], choices[1].parts = 1;
    choices[2].part = &parts[3], choices[2].parts = 1;
    netmodel_choices(choices, 3, 0.95);
    assert_close(choices[0].seconds, both->predicted, 1e-12);
    assert_int_equal(netmodel_choices_best(choices, 2, NETMODEL_FASTEST, INFINITY, INFINITY), 0);
    assert_int_equal(netmodel_choices_best(choices, 3, NETMODEL_FASTEST, INFINITY, INFINITY), 2);
    assert_true(both->measured < alone->measured && myrinet->measured < both->measured);
}

/* A at 1 a processor hour and B at 2: the finer grid on both costs about ten times the other on B with Myrinet. */
static void the_finer_grid_costs_ten_times_as_much(void **state)
{
    const row *fine = find(32, 32, "ethernet", 65536), *coarse = find(0, 32, "myrinet", 32768);

    (void)state;
    for (int measured = 0; measured < 2; measured++) {
        const netmodel_scaling a = always(measured ? fine->measured : fine->predicted),
                               b = always(measured ? coarse->measured : coarse->predicted);
        netmodel_part parts[3];
        netmodel_choice choices[2];
        memset(parts, 0, sizeof parts);
        memset(choices, 0, sizeof choices);
        parts[0].scaling = parts[1].scaling = &a, parts[2].scaling = &b;
        for (int i = 0; i < 3; i++) parts[i].processes = parts[i].free = 32, parts[i].price = i == 0 ? 1 : 2;
        choices[0].part = &parts[0], choices[0].parts = 2, choices[0].grid = fine->grid;
        choices[1].part = &parts[2], choices[1].parts = 1, choices[1].grid = coarse->grid;
        netmodel_choices(choices, 2, 0.95);
        assert_true(choices[0].cost / choices[1].cost > 8.5 && choices[0].cost / choices[1].cost < 10.5);
        assert_int_equal(netmodel_choices_best(choices, 2, NETMODEL_FINEST, INFINITY, INFINITY), 0);
        assert_int_equal(netmodel_choices_best(choices, 2, NETMODEL_FINEST, 2 * choices[1].cost, INFINITY), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_printed),
        cmocka_unit_test(the_slower_cluster_counts),
        cmocka_unit_test(the_finer_grid_costs_ten_times_as_much),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
