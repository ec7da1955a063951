/* The LU factorization of examples/flowgraph, its costs, and the command line of flow-graph programs. test_real.c runs it
 * in all modes; paper_dps.c has what it predicts for the paper. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "../close.h"

#include "flowgraph.c"
#include "flowgraph_net.c"
#include "forecast.c"
#include "kernels.c"
#include "lu.c"
#include "points.c"
#include "options.c"
#include "record.c"
#include "../scratch.h"

static const lu_release one_too_many[] = { { 1, 2 }, { 2, 2 } }, backwards[] = { { 3, 1 }, { 2, 1 } },
                        late[] = { { 4, 1 } };

/* Costs with a number of their own for each kernel. */
static lu_costs some_costs(size_t n, size_t r, size_t parts)
{
    lu_costs costs;

    memset(&costs, 0, sizeof costs);
    costs.n = n, costs.r = r, costs.parts = parts;
    costs.multiply = 1, costs.subtract = 0.125, costs.solve = 0.5, costs.pack = 0.0625, costs.part = 0.25;
    for (size_t k = 0; k < n / r; ++k) {
        costs.panel[k] = (double)(n / r - k);
        costs.exchange[k] = 0.03125;
    }
    return costs;
}

static double alone(const lu_desc *desc, lu_outcome *outcome)
{
    const simkit_machine machine = { .nodes = 1 };
    if (lu_predict(&machine, 1, desc, NULL, NULL, outcome) != FLOWGRAPH_OK) fail_msg("%s", outcome->why);
    return outcome->seconds;
}

/* On one node nothing travels and the processor never idles: the sum of all pieces. */
static void on_one_node_it_takes_the_sum_of_its_pieces(void **state)
{
    (void)state;
    for (size_t k = 1; k <= 6; ++k)
        for (int pipelined = 0; pipelined < 2; ++pipelined) {
            const lu_costs costs = some_costs(k * 8, 8, 1);
            const lu_desc desc = { .n = k * 8, .r = 8, .pipelined = pipelined, .window = 3, .costs = &costs };
            lu_outcome outcome;
            double sum = lu_costs_serial(&costs);
            for (size_t i = 0; i + 1 < k; ++i) sum += costs.pack * (1 + 2 * (double)(k - 1 - i));
            assert_close(alone(&desc, &outcome), sum, 1e-12);
            assert_int_equal(outcome.iterations, k);
            assert_close(outcome.efficiency[k], 1, 1e-12);
            assert_close(outcome.node_seconds, sum, 1e-12);
        }
}

/* With divided products the parts take the place of the whole. */
static void divided_products_take_their_parts(void **state)
{
    const lu_costs costs = some_costs(32, 8, 2);
    const lu_desc desc = { .n = 32, .r = 8, .parts = 2, .costs = &costs };
    lu_outcome outcome;
    double sum = lu_costs_serial(&costs), products = 9 + 4 + 1;

    (void)state;
    for (size_t i = 0; i < 3; ++i) sum += costs.pack * (1 + 2 * (double)(3 - i));
    /* Four parts for a product, of the same sum; both factors and the product are copied in parts. */
    assert_true(alone(&desc, &outcome) >= sum + products * (4 * costs.part - costs.multiply));
    assert_true(outcome.seconds <= sum + products * (4 * costs.part - costs.multiply + 4 * costs.pack));
}

static void costs_come_from_kernels_and_scale(void **state)
{
    kernels_times times = { .n = 40,
                            .r = 10,
                            .multiply = 1,
                            .subtract = 2,
                            .solve = 3,
                            .pack = 4,
                            .parts = 1,
                            .part = 1,
                            .points = 2,
                            .rows = { 10, 40 },
                            .panel = { 1, 5 },
                            .exchange = { 6, 6 } };
    lu_costs costs, slower;

    (void)state;
    assert_int_equal(lu_costs_of_kernels(&times, &costs), SIMKIT_OK);
    assert_close(costs.panel[0], 5, 1e-12);
    assert_close(costs.exchange[3], 6, 1e-12);
    slower = costs;
    lu_costs_slower(&slower, 7);
    assert_close(lu_costs_serial(&slower), 7 * lu_costs_serial(&costs), 1e-12);
    assert_close(slower.pack, 28, 1e-12);
    times.r = 7;
    assert_int_equal(lu_costs_of_kernels(&times, &costs), SIMKIT_BAD_ARGUMENT);
}

static void bad_factorizations_are_refused(void **state)
{
    const lu_costs other = some_costs(40, 8, 2);
    const struct {
        lu_desc desc;
        const char *why;
    } cases[] = {
        { { .n = 40, .r = 7 }, "n = 40, r = 7: r must divide n" },
        { { .n = 40, .r = 0 }, "r must divide n" },
        { { .n = 40000, .r = 10 }, "into 1 to 256 block columns" },
        { { .n = 40, .r = 8, .parts = 3 }, "the parts of a product must divide r" },
        { { .n = 40, .r = 8, .column_nodes = 5 }, "column_nodes is larger than the number of nodes" },
        { { .n = 40, .r = 4, .costs = &other }, "the costs are for another n or r" },
        { { .n = 40, .r = 8, .parts = 4, .costs = &other }, "the costs are for another number of parts" },
        { { .n = 40, .r = 10, .releases = one_too_many, .release_count = 2 }, "at least one node must remain" },
        { { .n = 40, .r = 8, .pipelined = true, .parts = 2, .releases = one_too_many, .release_count = 1 },
          "take the basic graph, or one part" },
        { { .n = 40, .r = 8, .releases = backwards, .release_count = 2 }, "in ascending order" },
        { { .n = 40, .r = 10, .releases = late, .release_count = 1 }, "after 1 to n / r - 1 iterations" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        flowgraph *graph;
        lu *all = (lu *)&graph;
        char why[200] = "";
        assert_int_equal(flowgraph_open(&(flowgraph_desc){ .nodes = 4 }, &graph), FLOWGRAPH_OK);
        assert_int_equal(lu_open(graph, &cases[i].desc, &all, why), FLOWGRAPH_BAD_ARGUMENT);
        assert_null(all);
        if (strstr(why, cases[i].why) == NULL) fail_msg("\"%s\" does not say \"%s\"", why, cases[i].why);
        flowgraph_close(graph);
    }
}

/* Nodes given back are paid for no longer, and the efficiency is that of those which are left. */
static void nodes_given_back_are_not_paid_for(void **state)
{
    static const lu_release after[] = { { 1, 2 } };
    const lu_costs costs = some_costs(64, 8, 1);
    const lu_desc kept = { .n = 64, .r = 8, .column_nodes = 2, .costs = &costs };
    lu_desc given = kept;
    const simkit_machine machine = { .nodes = 4 };
    lu_outcome a, b;

    (void)state;
    given.releases = after;
    given.release_count = 1;
    assert_int_equal(lu_predict(&machine, 4, &kept, NULL, NULL, &a), FLOWGRAPH_OK);
    assert_int_equal(lu_predict(&machine, 4, &given, NULL, NULL, &b), FLOWGRAPH_OK);
    assert_true(b.seconds > a.seconds);
    assert_close(a.node_seconds, 4 * a.seconds, 1e-9);
    assert_true(b.node_seconds < 0.9 * a.node_seconds);
    assert_true(b.efficiency[b.iterations] > a.efficiency[a.iterations]);
}

/* Flips of panels 1 to 3 of block column 0 come in another order, as they can when threads have moved. */
enum { FLIPS = 3, FLIP_R = 3, FLIP_N = 12 };
static const int flip_order[FLIPS] = { 3, 1, 2 };
static flowgraph_edge to_flip;
static enum { WELL, NO_COLUMN, FEW_PIVOTS, PIVOT_BEFORE, PIVOT_BEHIND, FAULTS } fault; /* of what comes */
static double flipped[FLIP_N * FLIP_R];

static void flip_pivots(int k, int pivots[FLIP_R])
{
    for (int i = 0; i < FLIP_R; ++i) pivots[i] = FLIP_N - k * FLIP_R; /* with the last row */
}

static void send_flips(flowgraph_task *task, const void *object, void *user)
{
    flowgraph_data *column = flowgraph_data_new(task, sizeof flipped);

    (void)object;
    (void)user;
    for (int i = 0; i < FLIP_N * FLIP_R; ++i) ((double *)flowgraph_data_bytes(column))[i] = i;
    flowgraph_store(task, 0, column);
    flowgraph_data_drop(column);
    for (int i = 0; i < FLIPS; ++i) {
        flowgraph_data *pivots = flowgraph_data_new(task, (FLIP_R + (fault == FEW_PIVOTS ? -1 : 0)) * sizeof(int));
        int right[FLIP_R];
        const lu__block which = { (uint32_t)flip_order[i], 0, 0, 0, 0, 0 };
        flip_pivots(flip_order[i], right);
        if (fault == PIVOT_BEFORE) right[1] = 1;
        if (fault == PIVOT_BEHIND) ++right[1];
        memcpy(flowgraph_data_bytes(pivots), right, flowgraph_data_size(pivots));
        flowgraph_post(task, to_flip, &which, &pivots, 1);
        flowgraph_data_drop(pivots);
    }
}

/* In the place of the operations (g), one for each panel. */
static void flip_any(flowgraph_task *task, const void *object, void *user)
{
    lu *all = (lu *)user;
    const uint32_t k = ((const lu__block *)object)->i;
    const lu__column column = { fault == NO_COLUMN ? 4 : 0 };
    lu__flip(task, &column, &all->iterations[k]);
}

static void keep_flipped(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    while (object) object = flowgraph_next(task);
    memcpy(flipped, flowgraph_data_bytes(flowgraph_stored(task, 0)), sizeof flipped);
}

static void flip(flowgraph_result expected_result, const char *why)
{
    const flowgraph_threads_desc one = { .name = "columns", .count = 1 };
    lu__iteration iterations[FLIPS + 1];
    double expected[FLIP_N * FLIP_R];
    flowgraph_type type = 0, notice = 0;
    flowgraph_threads threads = 0;
    flowgraph_operation a = 0, b = 0, c = 0;
    flowgraph_edge back = 0;
    lu all;

    memset(&all, 0, sizeof all);
    memset(iterations, 0, sizeof iterations);
    all.desc.n = FLIP_N, all.desc.r = FLIP_R, all.count = FLIP_N / FLIP_R, all.iterations = iterations;
    assert_int_equal(flowgraph_open(&(flowgraph_desc){ .mode = FLOWGRAPH_DIRECT }, &all.graph), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_type_add(all.graph, "flip", sizeof(lu__block), &type), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_threads_add(all.graph, &one, &threads), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_kernel_add(all.graph, &(flowgraph_kernel_desc){ .name = "exchange" }, &all.exchange),
                     FLOWGRAPH_OK);
    assert_int_equal(flowgraph_type_add(all.graph, "notice", 0, &notice), FLOWGRAPH_OK);
    const flowgraph_operation_desc split = { "a", FLOWGRAPH_SPLIT, threads, type, { type }, send_flips, NULL, 0 };
    const flowgraph_operation_desc leaf = { "b", FLOWGRAPH_LEAF, threads, type, { notice }, flip_any, &all, 0 };
    const flowgraph_operation_desc merge = { "c", FLOWGRAPH_MERGE, threads, notice, { 0 }, keep_flipped, NULL, 0 };
    assert_int_equal(flowgraph_operation_add(all.graph, &split, &a), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_operation_add(all.graph, &leaf, &b), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_operation_add(all.graph, &merge, &c), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_edge_add(all.graph, &(flowgraph_edge_desc){ a, b, NULL, NULL, false }, &to_flip),
                     FLOWGRAPH_OK);
    assert_int_equal(flowgraph_edge_add(all.graph, &(flowgraph_edge_desc){ b, c, NULL, NULL, false }, &back),
                     FLOWGRAPH_OK);
    for (size_t k = 0; k <= FLIPS; ++k) {
        iterations[k].all = &all;
        iterations[k].k = k;
        iterations[k].flipped = back;
    }
    assert_int_equal(flowgraph_start(all.graph, a, 0, &(lu__block){ 0 }), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_run(all.graph, NULL), expected_result);
    if (strstr(flowgraph_why(all.graph), why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", flowgraph_why(all.graph), why);
    flowgraph_close(all.graph);
    if (fault != WELL) return;
    for (int i = 0; i < FLIP_N * FLIP_R; ++i) expected[i] = i;
    for (int k = 1; k <= FLIPS; ++k) {
        int pivots[FLIP_R];
        flip_pivots(k, pivots);
        kernels_exchange(FLIP_R, expected + k * FLIP_R, FLIP_N, pivots);
    }
    for (int i = 0; i < FLIP_N * FLIP_R; ++i) assert_equal(flipped[i], expected[i]);
}

static void flips_are_made_in_their_order(void **state)
{
    (void)state;
    fault = WELL;
    flip(FLOWGRAPH_OK, "");
}

/* What comes from other nodes is looked at before it is an index or a length. */
static void objects_that_do_not_fit_are_refused(void **state)
{
    static const char *const why[FAULTS] = {
        [NO_COLUMN] = "'b' on columns 0 refuses its object: it names a block that does not exist",
        [FEW_PIVOTS] = "'b' on columns 0 refuses its object: its data is missing or has the wrong size",
        [PIVOT_BEFORE] = "'b' on columns 0 refuses its object: its pivots name rows that do not exist",
        [PIVOT_BEHIND] = "'b' on columns 0 refuses its object: its pivots name rows that do not exist",
    };

    (void)state;
    for (fault = NO_COLUMN; fault < FAULTS; ++fault) flip(FLOWGRAPH_BAD_ARGUMENT, why[fault]);
}

static void a_picture_that_cannot_be_written_is_said(void **state)
{
    const lu_costs costs = some_costs(16, 8, 1);
    const lu_desc desc = { .n = 16, .r = 8, .costs = &costs };
    const simkit_machine machine = { .nodes = 1 };
    lu_outcome outcome;

    (void)state;
    assert_int_equal(lu_predict(&machine, 1, &desc, "build/no/such/folder.svg", NULL, &outcome), FLOWGRAPH_WORLD);
    assert_non_null(strstr(outcome.why, "build/no/such/folder.svg"));
}

/*=============================================================================
 * MARK: - >>options
 *===========================================================================*/
static void options_are_taken(void **state)
{
    static options o;
    char why[200] = "";

    (void)state;
    options_begin(&o, NULL);
    assert_int_equal(options_take(&o, "--mode", "direct", why), 2);
    assert_int_equal(options_take(&o, "--nodes", "5", why), 2);
    assert_int_equal(options_take(&o, "--at-first", "3", why), 2);
    assert_int_equal(options_take(&o, "--launch", "ssh node%d", why), 2);
    assert_int_equal(options_take(&o, "--address", "10.0.0.%e", why), 2);
    assert_int_equal(options_take(&o, "--machine", "examples/machines/dps.machine", why), 2);
    assert_int_equal(options_take(&o, "--policy", "all=model:0.5", why), 2);
    assert_int_equal(options_take(&o, "--policy", "multiply=measure:7", why), 2);
    assert_int_equal(options_take(&o, "--policy", "solve=execute", why), 2);
    assert_int_equal(options_take(&o, "--n", "5", why), 0);
    assert_int_equal(o.desc.mode, FLOWGRAPH_DIRECT);
    assert_int_equal(o.desc.nodes, 5);
    assert_int_equal(o.desc.at_first, 3);
    assert_int_equal(o.desc.policy_count, 3);
    assert_null(o.desc.policies[0].kernel);
    assert_equal(o.desc.policies[0].seconds, 0.5);
    assert_string_equal(o.desc.policies[1].kernel, "multiply");
    assert_int_equal(o.desc.policies[1].first, 7);
    assert_int_equal(o.desc.policies[2].policy, SIMKIT_POLICY_EXECUTE);
    assert_non_null(strstr(options_mode_text(&o), "directly"));
    assert_int_equal(options_simulated(&o).mode, FLOWGRAPH_PARTIAL);
    assert_int_equal(options_simulated(&o).nodes, 5);
}

static void nodes_are_placed(void **state)
{
    static options o;
    char why[200] = "";

    (void)state;
    options_begin(&o, NULL);
    assert_int_equal(options_take(&o, "--place", "round-robin", why), -1);
    assert_string_equal(why, "--place round-robin: expected block, round-robin or a file, after --machine");
    assert_int_equal(options_take(&o, "--machine", "examples/machines/two_clusters.machine", why), 2);
    assert_null(o.desc.places);
    assert_int_equal(options_take(&o, "--place", NULL, why), -1);
    assert_int_equal(options_take(&o, "--place", "round-robin", why), 2);
    for (uint32_t i = 0; i < 8; ++i) assert_int_equal(o.desc.places[i], i / 2 + i % 2 * 4);
    assert_int_equal(options_simulated(&o).places[1], 4);
    assert_int_equal(options_take(&o, "--place", "no/such/file", why), -1);
    assert_string_equal(why, "--place: no/such/file: the file cannot be read: No such file or directory; "
                             "expected block, round-robin or a file");
    assert_int_equal(options_take(&o, "--place", "block", why), 2);
    for (uint32_t i = 0; i < 8; ++i) assert_int_equal(o.desc.places[i], i);
    options_end(&o);
}

/* Nodes 0 and 1 are in different clusters: what crosses the thin link is in the table. A wrong path is told at once. */
static void loads_of_links_are_written(void **state)
{
    const char *path = scratch("test_lu_loads", "csv");
    const lu_costs costs = some_costs(16, 8, 1);
    const lu_desc what = { .n = 16, .r = 8, .costs = &costs };
    static options o;
    static char text[100000];
    char why[200] = "";
    flowgraph *graph = NULL;
    lu *all = NULL;
    lu_outcome outcome;

    (void)state;
    options_begin(&o, NULL);
    assert_int_equal(options_take(&o, "--machine", "examples/machines/two_clusters.machine", why), 2);
    assert_int_equal(options_take(&o, "--place", "round-robin", why), 2);
    assert_int_equal(options_take(&o, "--link-loads", NULL, why), -1);
    assert_string_equal(why, "--link-loads : expected a file that ends in .svg or .csv");
    assert_int_equal(options_take(&o, "--link-loads", "build/no/such/folder.svg", why), 2);
    assert_int_equal(flowgraph_open(&o.desc, &graph), FLOWGRAPH_WORLD);
    assert_non_null(strstr(flowgraph_why(graph), "cannot write 'build/no/such/folder.svg'"));
    flowgraph_close(graph);
    assert_int_equal(options_take(&o, "--link-loads", path, why), 2);
    o.desc.nodes = 2;
    assert_int_equal(flowgraph_open(&o.desc, &graph), FLOWGRAPH_OK);
    assert_int_equal(lu_open(graph, &what, &all, why), FLOWGRAPH_OK);
    assert_int_equal(lu_factor(all, &outcome), FLOWGRAPH_OK);
    flowgraph_close(graph);
    options_end(&o);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    remove(path);
    assert_non_null(strstr(text, "\n\"thin\",forth,"));
    assert_non_null(strstr(text, "\n\"right0\",down,"));
    assert_null(strstr(text, "right1"));
}

/* A number, all of it, finite, and not less than it may be; else what was there stays. */
static void amounts_are_read_whole(void **state)
{
    static const char *const bad[] = { NULL, "", "x", "1x", "0.5", "-3", "nan", "inf", "1e999" };
    double amount = 7;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) assert_false(options_amount(bad[i], 1, &amount));
    assert_equal(amount, 7);
    assert_true(options_amount("1.5", 1, &amount));
    assert_equal(amount, 1.5);
}

static void bad_options_are_refused(void **state)
{
    static const char *const bad[][2] = {
        { "--mode", "fast" },
        { "--mode", NULL },
        { "--nodes", "0" },
        { "--nodes", "two" },
        { "--nodes", "3x" },
        { "--nodes", NULL },
        { "--at-first", "-1" },
        { "--policy", "multiply" },
        { "--policy", "=model" },
        { "--policy", "x=guess" },
        { "--policy", "x=model:" },
        { "--policy", "x=model:-1" },
        { "--policy", "x=measure:0" },
        { "--policy", "x=measure:65" },
        { "--machine", "no-such.machine" },
        { "--machine", NULL },
        { "--launch", NULL },
        { "--address", NULL },
    };
    static options o;

    (void)state;
    options_begin(&o, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char why[200] = "";
        assert_int_equal(options_take(&o, bad[i][0], bad[i][1], why), -1);
        assert_true(strlen(why) > 10);
        if (strcmp(bad[i][0], "--machine") != 0) assert_non_null(strstr(why, bad[i][0]));
    }
    assert_int_equal(o.desc.policy_count, 0);
}

/* A run that takes 10 s at speed 1, and a little more or less with each seed. */
static bool take_turns(void *user, uint64_t seed, double *seconds)
{
    static const double turns[5] = { 1.02, 0.97, 1, 1.04, 0.98 };
    const simkit_machine *machine = (const simkit_machine *)user;

    *seconds = 10 * turns[seed % 5] / (machine ? machine->kinds[0].node.quota : 1);
    return true;
}

static bool fail_at_3(void *user, uint64_t seed, double *seconds)
{
    *seconds = 1;
    return user || seed < 3;
}

static void forecasts_have_an_interval(void **state)
{
    static const char text[] = "[node]\ncount = 2\nquota = 1 s\nperiod = 2 s\n[operation calibration]\nspeed = 3 %\n";
    const double variance = (0.018 * 0.018 + 0.032 * 0.032 + 0.002 * 0.002 + 0.038 * 0.038 + 0.022 * 0.022) / 4;
    forecast_desc desc = { .seeds = 5, .simulate = take_turns };
    simkit_machine *machine;
    forecast found;

    (void)state;
    assert_true(forecast_make(&desc, &found)); /* nothing is known of the machine, so 2 % of the model are 4 % */
    assert_equal(found.seconds, 10);
    assert_int_equal(found.seed, 2);
    assert_int_equal(found.reasons, INTERVAL_UNSURE);
    assert_close(log(found.next.high[1] / 10), 1.959963984540054 * sqrt(0.04 * 0.04 + variance), 1e-9);
    assert_close(found.next.high[1] * found.next.low[1], 100, 1e-12);
    assert_close(log(found.next.high[0] / 10), 1.2815515655446004 * sqrt(0.04 * 0.04 + variance), 1e-9);
    desc.nodes = 81; /* those of the validation had eight */
    assert_true(forecast_make(&desc, &found));
    assert_int_equal(found.reasons, INTERVAL_UNSURE | INTERVAL_LARGER);
    assert_close(log(found.next.high[1] / 10), 1.959963984540054 * sqrt(0.08 * 0.08 + variance), 1e-9);
    desc.nodes = 80;

    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = text, .length = sizeof text - 1 }, &machine, NULL),
                     SIMKIT_OK);
    desc.machine = machine;
    desc.user = machine;
    assert_true(forecast_make(&desc, &found));
    assert_int_equal(found.reasons, 0);
    assert_close(log(found.next.high[1] / 10), 1.959963984540054 * sqrt(0.02 * 0.02 + variance + pow(1 / 1.03 - 1, 2)),
                 1e-9);
    assert_equal(machine->kinds[0].node.quota, 1); /* it is as it was */

    desc = (forecast_desc){ .seeds = 4, .simulate = fail_at_3 }; /* 5, because 4 have no median */
    assert_false(forecast_make(&desc, &found));
    desc.user = &desc;
    assert_true(forecast_make(&desc, &found));
    assert_close(log(found.next.high[1]), 1.959963984540054 * 0.04, 1e-9);
    simkit_machine_close(machine);
}

/* Runs that take 10 s, and with draw k as much as the machine of that draw says. */
static struct drawing {
    double factor;
    unsigned draw, most;
} drawing;

static bool take_drawn(void *user, uint64_t seed, double *seconds)
{
    (void)user;
    *seconds = 10 * (1 + 1e-3 * (double)seed) * drawing.factor;
    return true;
}

static bool draw_some(void *user, unsigned draw)
{
    static const double factors[] = { 1, 1.1, 0.9, 1.05 };
    (void)user;
    drawing.draw = draw;
    drawing.most = draw > drawing.most ? draw : drawing.most;
    drawing.factor = draw < 4 ? factors[draw] : 1;
    return draw < 4;
}

static void forecasts_carry_errors_through(void **state)
{
    static const char text[] = "[node]\ncount = 2\nspeed = 1 +- 10 %\n";
    const double all[3] = { 11, 9.009, 10.521 }, mean = (11 + 9.009 + 10.521) / 3;
    double variance = 0;
    simkit_machine *machine;
    forecast found;

    (void)state;
    drawing = (struct drawing){ .factor = 1 };
    for (int i = 0; i < 3; ++i) variance += (all[i] / 10.01 - mean / 10.01) * (all[i] / 10.01 - mean / 10.01) / 2;
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = text, .length = sizeof text - 1 }, &machine, NULL),
                     SIMKIT_OK);
    forecast_desc desc = { .seeds = 3, .machine = machine, .simulate = take_drawn, .draw = draw_some, .nodes = 2 };
    assert_true(forecast_make(&desc, &found));
    assert_close(found.seconds, 10.01, 1e-12); /* the median of the values as they stand */
    assert_int_equal(found.reasons, 0);
    assert_int_equal(drawing.draw, 0);
    assert_int_equal(drawing.most, 3);
    assert_close(log(found.next.high[1] / 10.01), 1.959963984540054 * sqrt(0.02 * 0.02 + variance), 1e-9);
    desc.seeds = 5; /* draw 4 fails */
    assert_false(forecast_make(&desc, &found));
    assert_int_equal(drawing.draw, 0);
    machine->errors = 0;
    drawing.most = 0;
    assert_true(forecast_make(&desc, &found));
    assert_int_equal(drawing.most, 0);
    simkit_machine_close(machine);
}

/* The machine of a draw is another one; the first stays, because a graph may have it. */
static void options_draw_a_machine(void **state)
{
    static options o;
    char why[200], path[] = "/tmp/test_lu_XXXXXX";
    const int file = mkstemp(path);
    FILE *f = file >= 0 ? fdopen(file, "w") : NULL;

    (void)state;
    assert_non_null(f);
    fputs("[network]\nlatency = 50 us +- 5 us\n[node]\ncount = 2\n", f);
    assert_int_equal(fclose(f), 0);
    options_begin(&o, NULL);
    assert_int_equal(options_take(&o, "--machine", path, why), 2);
    const simkit_machine *first = o.machine;
    assert_true(options_draw(&o, 3, why));
    assert_ptr_equal(o.machine, first);
    assert_ptr_not_equal(o.desc.machine, first);
    const double drawn = o.desc.machine->latency;
    assert_true((drawn < 50e-6 || drawn > 50e-6) && drawn > 20e-6 && drawn < 80e-6);
    assert_true(options_draw(&o, 3, why));
    assert_equal(o.desc.machine->latency, drawn);
    assert_true(options_draw(&o, 0, why));
    assert_ptr_equal(o.desc.machine, first);
    assert_int_equal(remove(path), 0);
    assert_false(options_draw(&o, 1, why));
    assert_non_null(strstr(why, "draw 1: /tmp/test_lu_"));
    assert_ptr_equal(o.desc.machine, first);
    options_end(&o);
}

static void a_missing_interval_says_why(void **state)
{
    const interval none = interval_none(), some = interval_of(NULL, 0, 10, 0.02);
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);

    (void)state;
    assert_non_null(f);
    forecast_print(f, &none, 0, NULL);
    forecast_print(f, &none, 0, "--machine FILE");
    forecast_print(f, &some, INTERVAL_LARGER, NULL);
    assert_int_equal(fclose(f), 0);
    assert_string_equal(text,
                        "  no interval: one run does not say how much others differ, --seeds N does\n"
                        "  no interval: one run does not say how much others differ, --seeds N does; it needs "
                        "--machine FILE\n"
                        "  80 % interval       9.74695 s to 10.2596 s\n"
                        "  95 % interval       9.61559 s to 10.3998 s\n"
                        "  bounds twice as wide: more than 10 times the size of the largest real run for comparison, "
                        "which had 8\n");
    free(text);
}

/* The doubts of a forecast on so many nodes with half of a core each, on so many computers. */
static unsigned doubts_of(unsigned nodes, unsigned hosts, unsigned cores, double off)
{
    char text[300], shared[40] = "";
    simkit_machine *machine;
    forecast found;

    if (hosts > 0) snprintf(shared, sizeof shared, "hosts = %u\n", hosts);
    const int length = snprintf(text, sizeof text,
                                "[node]\ncount = %u\n%scores = %u\nquota = 1 s\nperiod = 2 s\n"
                                "[operation calibration]\nspeed = %g %%\n",
                                nodes, shared, cores, 100 * off);

    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = text, .length = (size_t)length }, &machine, NULL),
                     SIMKIT_OK);
    const forecast_desc desc = { .seeds = 1, .machine = machine, .simulate = take_turns, .user = machine };
    assert_true(forecast_make(&desc, &found));
    simkit_machine_close(machine);
    return found.doubts;
}

static void forecasts_say_what_makes_them_doubtful(void **state)
{
    (void)state;
    assert_int_equal(doubts_of(4, 2, 1, 0.01), 0); /* two halves on each of two cores */
    assert_int_equal(doubts_of(5, 2, 1, 0.01), FORECAST_CROWDED);
    assert_int_equal(doubts_of(5, 2, 2, 0.01), 0);
    assert_int_equal(doubts_of(5, 0, 1, 0.01), 0); /* a computer each */
    assert_int_equal(doubts_of(4, 2, 1, 0.1), FORECAST_WIDE);
    assert_int_equal(doubts_of(5, 2, 1, 0.1), FORECAST_CROWDED | FORECAST_WIDE);
    assert_string_equal(forecast_doubt_text(0), "");
    assert_string_equal(forecast_doubt_text(FORECAST_WIDE), "the interval ends more than 12 % away from the forecast");
    assert_string_equal(forecast_doubt_text(FORECAST_CROWDED | FORECAST_WIDE),
                        "the nodes of a computer may use more than its cores together");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forecasts_have_an_interval),
        cmocka_unit_test(forecasts_carry_errors_through),
        cmocka_unit_test(options_draw_a_machine),
        cmocka_unit_test(a_missing_interval_says_why),
        cmocka_unit_test(forecasts_say_what_makes_them_doubtful),
        cmocka_unit_test(on_one_node_it_takes_the_sum_of_its_pieces),
        cmocka_unit_test(divided_products_take_their_parts),
        cmocka_unit_test(costs_come_from_kernels_and_scale),
        cmocka_unit_test(bad_factorizations_are_refused),
        cmocka_unit_test(nodes_given_back_are_not_paid_for),
        cmocka_unit_test(flips_are_made_in_their_order),
        cmocka_unit_test(objects_that_do_not_fit_are_refused),
        cmocka_unit_test(a_picture_that_cannot_be_written_is_said),
        cmocka_unit_test(options_are_taken),
        cmocka_unit_test(nodes_are_placed),
        cmocka_unit_test(loads_of_links_are_written),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(amounts_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
