/* [multigrid] tables I and II: the error columns, the rule that the slowest cluster counts, and what the two scenarios say
 * of time and cost. All times come from tests/published; the runs on few processes behind them were never printed. */
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "close.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 8, TABLE_1 = 3, CLUSTERS = 2 };

typedef struct row {
    size_t processes[CLUSTERS], n; /* on clusters A and B; points along a side of the grid */
    char switching[16];
    double measured, predicted; /* [s] */
    char error[16];             /* as printed [%] */
} row;

static row rows[ROWS];
static const double price[CLUSTERS] = { 1, 2 }; /* of a processor for an hour, in scenario 2 */

static int load(void **state)
{
    static const char *const files[] = { "tests/published/multigrid_table1.csv",
                                         "tests/published/multigrid_table2.csv" };
    size_t count = 0;

    (void)state;
    for (int i = 0; i < 2; ++i) {
        FILE *file = fopen(files[i], "r");
        char line[256];
        if (!file || fgets(line, sizeof line, file) == NULL) {
            print_error("cannot read %s: run this from the top of the project\n", files[i]);
            return 1;
        }
        while (count < ROWS && fgets(line, sizeof line, file) != NULL) {
            row *r = &rows[count++];
            if (sscanf(line, "%zu,%zu,%15[a-z],%zu,%lf,%lf,%15[0-9.]", &r->processes[0], &r->processes[1], r->switching,
                       &r->n, &r->measured, &r->predicted, r->error) != 7)
                return 1;
        }
        fclose(file);
    }
    return count != ROWS;
}

static const row *find(size_t a, size_t b, const char *switching, size_t n)
{
    for (size_t i = 0; i < ROWS; ++i)
        if (rows[i].processes[0] == a && rows[i].processes[1] == b && rows[i].n == n &&
            strcmp(rows[i].switching, switching) == 0)
            return &rows[i];
    fail_msg("no row %zu, %zu, %s, %zu", a, b, switching, n);
    return NULL;
}

static void errors_are_those_of_the_printed_times(void **state)
{
    char error[16];

    (void)state;
    for (size_t i = 0; i < ROWS; ++i) {
        snprintf(error, sizeof error, "%.2f", 100 * fabs(rows[i].predicted - rows[i].measured) / rows[i].measured);
        assert_string_equal(error, rows[i].error);
    }
}

/* In both jobs that span the clusters, B has half of the grid on the same 32 processes. So it takes no longer than the
 * shorter of them, and the longer one must be A's time. A alone has twice as many processes for twice as much of it: the
 * same work each, one doubling more. That makes a model of A, and the rule gives the longer job back. */
static void the_slowest_cluster_counts(void **state)
{
    const double shorter = find(64, 32, "ethernet", 65536)->predicted;
    const double longer = find(32, 32, "ethernet", 65536)->predicted;
    const double alone = find(64, 0, "ethernet", 65536)->predicted;
    const double doubling = alone - longer;
    const netmodel_scaling a = { .start = longer - 5 * doubling, .d = doubling };
    netmodel_scaling b = { 0 };
    const netmodel_scaling_part part[CLUSTERS] = { { &a, 32, 0 }, { &b, 32, 0 } };

    (void)state;
    assert_true(shorter < longer);
    assert_true(doubling > 0); /* more processes, more overhead */
    assert_close(netmodel_scaling_time(&a, 32, 0), longer, 1e-14);
    assert_close(netmodel_scaling_time(&a, 64, 0), alone, 1e-14);
    for (b.start = 0; b.start <= shorter; b.start += shorter / 100)
        assert_close(netmodel_scaling_together(part, CLUSTERS, 0.95).time, longer, 1e-14);
}

/* The rows of a table, by what was measured or predicted, as choices. */
static void list_of(const row *first, size_t count, int measured, netmodel_choice list[])
{
    memset(list, 0, count * sizeof *list);
    for (size_t i = 0; i < count; ++i) {
        list[i].grid = first[i].n == 65536;
        list[i].side = (double)first[i].n;
        memcpy(list[i].processes, first[i].processes, sizeof first[i].processes);
        list[i].time = measured ? first[i].measured : first[i].predicted;
        list[i].cost = netmodel_choice_cost(list[i].time, CLUSTERS, first[i].processes, price);
        assert_true(list[i].cost > 0);
    }
}

/* By Ethernet alone both clusters together are faster than A, but A by Myrinet is faster than that. */
static void scenario_1_which_is_fastest(void **state)
{
    netmodel_choice list[TABLE_1];
    const size_t by_ethernet = (size_t)(find(64, 0, "ethernet", 65536) - rows);
    const size_t by_myrinet = (size_t)(find(64, 0, "myrinet", 65536) - rows);
    const size_t together = (size_t)(find(64, 32, "ethernet", 65536) - rows);

    (void)state;
    for (int measured = 0; measured < 2; ++measured) {
        list_of(rows, TABLE_1, measured, list);
        assert_int_equal(netmodel_choice_fastest(list, TABLE_1, 1, INFINITY), by_myrinet);
        list[by_myrinet].time = NAN;
        assert_int_equal(netmodel_choice_fastest(list, TABLE_1, 1, INFINITY), together);
        assert_int_equal(netmodel_choice_cheapest(list, TABLE_1, 1, INFINITY), by_ethernet);
    }
}

/* "Approximately 10 times the cost" of the coarser grid on B by Myrinet: 9.7 by the predictions, 8.8 by the measurements. */
static void scenario_2_what_the_finer_grid_costs(void **state)
{
    const row *table_2 = rows + TABLE_1;
    const size_t count = ROWS - TABLE_1, by_myrinet = (size_t)(find(0, 32, "myrinet", 32768) - table_2);
    const size_t together = (size_t)(find(32, 32, "ethernet", 65536) - table_2);
    netmodel_choice list[ROWS];

    (void)state;
    for (int measured = 0; measured < 2; ++measured) {
        double ratio;
        list_of(table_2, count, measured, list);
        ratio = list[together].cost / list[by_myrinet].cost;
        assert_close(ratio, 10, measured ? 0.13 : 0.03);

        /* B by Myrinet is both the fastest and the cheapest; money for ten of it buys the finer grid */
        assert_int_equal(netmodel_choice_fastest(list, count, 0, INFINITY), by_myrinet);
        assert_int_equal(netmodel_choice_cheapest(list, count, 0, INFINITY), by_myrinet);
        assert_int_equal(netmodel_choice_finest(list, count, 10 * list[by_myrinet].cost, INFINITY), together);
        assert_int_equal(netmodel_choice_finest(list, count, 5 * list[by_myrinet].cost, INFINITY), by_myrinet);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_the_printed_times),
        cmocka_unit_test(the_slowest_cluster_counts),
        cmocka_unit_test(scenario_1_which_is_fastest),
        cmocka_unit_test(scenario_2_what_the_finer_grid_costs),
    };
    return cmocka_run_group_tests_name("multigrid", tests, load, NULL);
}
