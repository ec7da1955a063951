/* [dps] the LU factorization on the paper's cluster: the machine file is calibrated on three published figures, all
 * others are predictions. The figures come from tests/published; `make demo` prints the same comparison. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "../close.h"

#include "flowgraph.c"
#include "flowgraph_net.c"
#include "kernels.c"
#include "lu.c"
#include "points.c"
#include "paper.c"
#include "record.c"

static const size_t sizes[] = { 81, 108, 162, 216, 324, 648 };
static paper_figure figures[PAPER_FIGURES];
static size_t count;
static simkit_machine *machine;

static int load(void **state)
{
    char why[200];
    simkit_parse_error error;

    (void)state;
    count = paper_load("tests/published", figures, why);
    if (count == 0) print_error("%s\n", why);
    if (simkit_machine_read(&(simkit_input){ .path = "examples/machines/dps.machine" }, &machine, &error) !=
        SIMKIT_OK) {
        print_error("%s\n", error.text);
        return 1;
    }
    return count == 0;
}

static double predicted(const paper_figure *figure)
{
    lu_outcome outcome;
    const double value = paper_predict(machine, figure, &outcome);
    if (isnan(value)) print_error("%s\n", outcome.why);
    return value;
}

static lu_outcome factored(size_t nodes, lu_desc what)
{
    static lu_costs costs;
    lu_outcome outcome;

    what.n = PAPER_N;
    what.costs = &costs;
    assert_int_equal(lu_costs_of_machine(machine, PAPER_N, what.r, what.parts ? what.parts : 1, &costs), SIMKIT_OK);
    if (lu_predict(machine, nodes, &what, NULL, NULL, &outcome) != FLOWGRAPH_OK) fail_msg("%s", outcome.why);
    return outcome;
}

static double seconds(size_t nodes, bool pipelined, size_t r)
{
    return factored(nodes, (lu_desc){ .r = r, .pipelined = pipelined }).seconds;
}

static int unload(void **state)
{
    (void)state;
    simkit_machine_close(machine);
    return 0;
}

/* Three figures calibrate, as the machine file says; five do not. */
static void published_figures_are_read(void **state)
{
    size_t calibrating = 0;

    (void)state;
    for (size_t i = 0; i < count; ++i) calibrating += figures[i].calibrates;
    assert_int_equal(calibrating, 3);
    assert_int_equal(count, 8);
}

static void calibrated_figures_are_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; ++i)
        if (figures[i].calibrates) assert_close(predicted(&figures[i]), figures[i].measured, 1e-3);
}

/* Within 6 %, the time on 4 nodes at r = 162 within 8 %. */
static void other_figures_are_predicted(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; ++i)
        if (!figures[i].calibrates)
            assert_close(predicted(&figures[i]), figures[i].measured, figures[i].r == 162 ? 0.08 : 0.06);
}

/* The file says what solving for the three figures gives. */
static void machine_file_is_what_calibration_finds(void **state)
{
    const simkit_input input = { .path = "examples/machines/dps.machine" };
    simkit_machine *solved;

    (void)state;
    assert_int_equal(simkit_machine_read(&input, &solved, NULL), SIMKIT_OK);
    assert_true(paper_calibrate(figures, count, solved));
    assert_close(machine->kinds[0].node.cpu_per_incoming, solved->kinds[0].node.cpu_per_incoming, 1e-3);
    assert_close(machine->kinds[0].node.cpu_per_outgoing, solved->kinds[0].node.cpu_per_outgoing, 1e-3);
    for (size_t i = 0; i < solved->operation_count; ++i)
        assert_close(machine->operations[i].value, solved->operations[i].value, 1e-3);
    simkit_machine_close(solved);
}

static void pipelining_never_loses(void **state)
{
    (void)state;
    for (size_t nodes = 4; nodes <= 8; nodes += 4)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
            assert_true(seconds(nodes, true, sizes[s]) <= seconds(nodes, false, sizes[s]));
}

/* [dps] figure 8: r = 162 is the shortest time on four nodes. */
static void small_blocks_win_on_four_nodes(void **state)
{
    const double best = seconds(4, false, 162);

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        if (sizes[s] != 162) assert_true(best < seconds(4, false, sizes[s]));
}

/* Operations compute what the serial program does, and copy blocks besides; nodes cannot do it faster than all of them. */
static void efficiency_is_what_computing_takes(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const lu_outcome outcome = factored(4, (lu_desc){ .r = sizes[s] });
        const double k = (double)(PAPER_N / sizes[s]);
        lu_costs costs;
        double sum = 0, packed = 0;
        lu_costs_of_machine(machine, PAPER_N, sizes[s], 1, &costs);
        for (size_t i = 0; i + 1 < outcome.iterations; ++i) {
            const double later = k - 1 - (double)i;
            packed += costs.pack * (1 + 2 * later); /* the block on the diagonal, those of U and those of L */
        }
        assert_int_equal(outcome.iterations, PAPER_N / sizes[s]);
        assert_equal(outcome.start[0], 0);
        for (size_t i = 0; i < outcome.iterations; ++i) {
            assert_true(outcome.efficiency[i] > 0 && outcome.efficiency[i] <= 1);
            sum += outcome.efficiency[i] * 4 * (outcome.start[i + 1] - outcome.start[i]);
        }
        assert_close(sum, lu_costs_serial(&costs) + packed, 1e-9);
        assert_close(outcome.efficiency[outcome.iterations] * outcome.node_seconds, sum, 1e-9);
        assert_equal(outcome.start[outcome.iterations], outcome.seconds);
    }
}

/* [dps] section 8: finer blocks are worth more than every other change to the program. */
static void finer_blocks_beat_every_other_change(void **state)
{
    const double coarse = seconds(4, false, 648), finer = seconds(4, false, 324);

    (void)state;
    assert_true(finer < coarse);
    assert_true(finer < seconds(4, true, 648));
    assert_true(finer < factored(4, (lu_desc){ .r = 648, .pipelined = true, .window = 8 }).seconds);
    assert_true(finer < factored(4, (lu_desc){ .r = 648, .parts = 2 }).seconds);
    assert_true(finer < factored(4, (lu_desc){ .r = 648, .pipelined = true, .window = 8, .parts = 2 }).seconds);
}

/* [dps] section 8: where blocks balance already, divided products only send more. */
static void divided_products_hurt_when_blocks_balance(void **state)
{
    (void)state;
    for (size_t nodes = 4; nodes <= 8; nodes += 4)
        for (size_t r = 108; r <= 216; r += 54)
            assert_true(factored(nodes, (lu_desc){ .r = r, .parts = 2 }).seconds > seconds(nodes, false, r));
}

/* [dps] section 8: four of eight nodes given back after the first iteration cost little. */
static void nodes_given_back_early_cost_little(void **state)
{
    const lu_release four[] = { { 1, 4 } }, later[] = { { 2, 4 } };
    const lu_desc none = { .r = 324, .column_nodes = 4 };
    lu_desc first = none, second = none;
    lu_outcome all, given, late;

    (void)state;
    first.releases = four, first.release_count = 1;
    second.releases = later, second.release_count = 1;
    all = factored(8, none);
    given = factored(8, first);
    late = factored(8, second);
    assert_true(given.seconds < 1.15 * all.seconds);
    assert_true(late.seconds <= given.seconds);
    assert_true(given.node_seconds < 0.75 * all.node_seconds);
    assert_true(given.efficiency[given.iterations] > 1.2 * all.efficiency[all.iterations]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_figures_are_read),
        cmocka_unit_test(calibrated_figures_are_met),
        cmocka_unit_test(other_figures_are_predicted),
        cmocka_unit_test(machine_file_is_what_calibration_finds),
        cmocka_unit_test(pipelining_never_loses),
        cmocka_unit_test(small_blocks_win_on_four_nodes),
        cmocka_unit_test(efficiency_is_what_computing_takes),
        cmocka_unit_test(finer_blocks_beat_every_other_change),
        cmocka_unit_test(divided_products_hurt_when_blocks_balance),
        cmocka_unit_test(nodes_given_back_early_cost_little),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
