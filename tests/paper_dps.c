/* [dps] the LU factorization on the paper's cluster: the machine file is calibrated on three published figures, all
 * others are predictions. The figures come from tests/published; `make demo` prints the same comparison. */
#define _POSIX_C_SOURCE 200809L
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "close.h"

#include "flowgraph.c"
#include "kernels.c"
#include "lu.c"
#include "paper.c"

static const size_t sizes[] = { 81, 108, 162, 216, 324, 648 };
static paper_figure figures[PAPER_FIGURES];
static size_t count;
static simkit_machine machine;

static int load(void **state)
{
    char why[200];
    simkit_mistake mistake;

    (void)state;
    count = paper_load("tests/published", figures, why);
    if (count == 0) print_error("%s\n", why);
    if (simkit_machine_load("examples/machines/dps.machine", &machine, &mistake) != SIMKIT_OK) {
        print_error("%s\n", mistake.text);
        return 1;
    }
    return count == 0;
}

static double predicted(const paper_figure *figure)
{
    lu_outcome outcome;
    const double value = paper_predict(&machine, figure, &outcome);
    if (isnan(value)) print_error("%s\n", outcome.why);
    return value;
}

static double seconds(size_t nodes, bool pipelined, size_t r)
{
    lu_costs costs;
    lu_outcome outcome;

    assert_int_equal(lu_costs_of_machine(&machine, PAPER_N, r, &costs), SIMKIT_OK);
    assert_int_equal(lu_predict(&machine, nodes, pipelined, &costs, NULL, NULL, &outcome), FLOWGRAPH_OK);
    return outcome.seconds;
}

/* Three figures calibrate, as the machine file says; five do not. */
static void published_figures_are_read(void **state)
{
    size_t calibrating = 0;

    (void)state;
    for (size_t i = 0; i < count; i++) calibrating += figures[i].calibrates;
    assert_int_equal(calibrating, 3);
    assert_int_equal(count, 8);
}

static void calibrated_figures_are_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; i++)
        if (figures[i].calibrates) assert_close(predicted(&figures[i]), figures[i].measured, 1e-3);
}

/* Within 6 %, the time on 4 nodes at r = 162 within 8 %. */
static void other_figures_are_predicted(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; i++)
        if (!figures[i].calibrates)
            assert_close(predicted(&figures[i]), figures[i].measured, figures[i].r == 162 ? 0.08 : 0.06);
}

/* The file says what solving for the three figures gives. */
static void machine_file_is_what_calibration_finds(void **state)
{
    simkit_machine solved = machine;

    (void)state;
    assert_true(paper_calibrate(figures, count, &solved));
    assert_close(machine.node.cpu_per_incoming, solved.node.cpu_per_incoming, 1e-3);
    assert_close(machine.node.cpu_per_outgoing, solved.node.cpu_per_outgoing, 1e-3);
    for (unsigned i = 0; i < solved.operation_count; i++)
        assert_close(machine.operations[i].value, solved.operations[i].value, 1e-3);
}

static void pipelining_never_loses(void **state)
{
    (void)state;
    for (size_t nodes = 4; nodes <= 8; nodes += 4)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            assert_true(seconds(nodes, true, sizes[s]) <= seconds(nodes, false, sizes[s]));
}

/* [dps] figure 8: r = 162 is the shortest time on four nodes. */
static void small_blocks_win_on_four_nodes(void **state)
{
    const double best = seconds(4, false, 162);

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        if (sizes[s] != 162) assert_true(best < seconds(4, false, sizes[s]));
}

/* The computing of all iterations is that of the serial program, and the nodes cannot do it faster than all together. */
static void efficiency_is_what_computing_takes(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        lu_costs costs;
        lu_outcome outcome;
        double sum = 0;
        assert_int_equal(lu_costs_of_machine(&machine, PAPER_N, sizes[s], &costs), SIMKIT_OK);
        assert_int_equal(lu_predict(&machine, 4, false, &costs, NULL, NULL, &outcome), FLOWGRAPH_OK);
        assert_int_equal(outcome.iterations, PAPER_N / sizes[s]);
        assert_equal(outcome.start[0], 0);
        for (size_t k = 0; k < outcome.iterations; k++) {
            const double efficiency = lu_efficiency(&costs, 4, &outcome, k);
            assert_true(efficiency > 0 && efficiency <= 1);
            sum += efficiency * 4 * (outcome.start[k + 1] - outcome.start[k]);
        }
        assert_close(sum, lu_costs_serial(&costs), 1e-12);
        assert_equal(outcome.start[outcome.iterations], outcome.seconds);
    }
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
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
