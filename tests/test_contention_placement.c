/* Room placement of contention.h: chains against trying all placements, graphs against what a schedule must be. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "close.h"

#include <string.h>

static uint64_t dice = 1;

enum { TASKS = 6, MACHINES = 4 };

static double took[64 * 8], transfer[64 * 64], slowdown[8], communication[64];

static void draw(size_t tasks, size_t machines)
{
    for (size_t i = 0; i < tasks * machines; ++i)
        took[i] = floor(random_between(&dice, 0, 20)); /* some equal, some 0 */
    for (size_t i = 0; i + 1 < tasks; ++i)
        for (size_t k = 0; k < machines * machines; ++k)
            transfer[i * machines * machines + k] = k % (machines + 1) == 0 ? 0 : floor(random_between(&dice, 0, 10));
    for (size_t i = 0; i < machines; ++i) slowdown[i] = random_between(&dice, 0.5, 4);
    for (size_t i = 0; i < machines * machines; ++i) communication[i] = random_between(&dice, 0.5, 4);
}

static contention_chain chain_of(size_t tasks, size_t machines)
{
    const contention_chain chain = { tasks, machines, took, transfer, slowdown, communication };
    return chain;
}

static double length_of(const contention_chain *x, const size_t *machine)
{
    const size_t m = x->machines;
    double sum = 0;
    for (size_t t = 0; t < x->tasks; ++t) {
        sum += x->time[t * m + machine[t]] * x->slowdown[machine[t]];
        if (t > 0)
            sum += x->transfer[((t - 1) * m + machine[t - 1]) * m + machine[t]] *
                   x->communication[machine[t - 1] * m + machine[t]];
    }
    return sum;
}

static double best_of_all(const contention_chain *x)
{
    double best = HUGE_VAL;
    size_t machine[TASKS], all = 1;
    for (size_t t = 0; t < x->tasks; ++t) all *= x->machines;
    for (size_t number = 0; number < all; ++number) {
        size_t rest = number;
        for (size_t t = 0; t < x->tasks; ++t) {
            machine[t] = rest % x->machines;
            rest /= x->machines;
        }
        best = fmin(best, length_of(x, machine));
    }
    return best;
}

static void chains_equal_trying_all(void **state)
{
#ifdef TESTS_SLOW
    const int trials = 300;
#else
    const int trials = 10000;
#endif
    (void)state;
    for (int trial = 0; trial < trials; ++trial) {
        const size_t tasks = 1 + (size_t)random_between(&dice, 0, trial % 50 ? 4 : TASKS);
        const size_t machines = 1 + (size_t)random_between(&dice, 0, trial % 50 ? 3 : MACHINES);
        contention_chain chain = chain_of(tasks, machines);
        size_t machine[TASKS];
        double scratch[2 * TASKS * MACHINES], seconds;
        assert_int_equal(contention_chain_scratch(&chain), 2 * tasks * machines);
        draw(tasks, machines);
        assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_OK);
        assert_true(fabs(seconds - best_of_all(&chain)) <= 1e-9 * seconds);
        assert_true(fabs(seconds - length_of(&chain, machine)) <= 1e-9 * seconds);
    }
}

static void chains_refuse_what_cannot_be(void **state)
{
    contention_chain chain = chain_of(3, 2);
    size_t machine[3];
    double scratch[16], seconds = 7;

    (void)state;
    draw(3, 2);
    took[3] = INFINITY; /* task 1 cannot run on machine 1 */
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_OK);
    assert_int_equal(machine[1], 0);
    took[2] = INFINITY; /* nor on machine 0 */
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_OK);
    assert_true(isinf(seconds));
    took[2] = -1;
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_BAD_TIME);
    assert_nan(seconds);
    took[2] = NAN;
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_BAD_TIME);
    took[2] = 1;
    transfer[1] = NAN;
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_BAD_TIME);
    transfer[1] = 1;
    slowdown[1] = 0;
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_BAD_SLOWDOWN);
    slowdown[1] = 1;
    communication[3] = NAN;
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_BAD_SLOWDOWN);
    communication[3] = 1;
    assert_int_equal(contention_chain_place(NULL, scratch, machine, &seconds), CONTENTION_MISSING);
    assert_int_equal(contention_chain_place(&chain, scratch, NULL, &seconds), CONTENTION_MISSING);
    assert_int_equal(contention_chain_place(&chain, scratch, machine, NULL), CONTENTION_MISSING);
    assert_int_equal(contention_chain_place(&chain, NULL, machine, &seconds), CONTENTION_MISSING);
    chain.tasks = 0;
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_BAD_COUNT);
    chain = chain_of(3, 0);
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_BAD_COUNT);
    for (int missing = 0; missing < 4; ++missing) {
        chain = chain_of(3, 2);
        if (missing == 0) chain.time = NULL;
        if (missing == 1) chain.slowdown = NULL;
        if (missing == 2) chain.transfer = NULL;
        if (missing == 3) chain.communication = NULL;
        assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_MISSING);
        assert_nan(seconds);
    }
    chain = chain_of(3, 2);
    slowdown[0] = NAN;
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_BAD_SLOWDOWN);
    assert_nan(seconds);
    slowdown[0] = 1;
    chain = chain_of(1, 2);
    chain.transfer = chain.communication = NULL; /* one task has nothing to transfer */
    assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_OK);
}

/*=============================================================================
 * Graphs
 *===========================================================================*/
enum { MOST = 30, EDGES = 80 };

static contention_edge edge[EDGES];
static size_t machine_of[MOST];
static double begin[MOST], end[MOST], scratch[2 * MOST + 8];

/* Two tasks that need nothing of each other, a quarter and an eighth of a second long, each on its best machine. */
static void short_graphs_have_their_length(void **state)
{
    static const double short_times[] = { 0.25, 0.5, 0.5, 0.125 }, alike[] = { 1, 1, 1, 1 }, no_slowdown[] = { 1, 1 };
    const contention_graph graph = { 2, 2, 0, NULL, short_times, no_slowdown, alike };
    contention_schedule schedule = { machine_of, begin, end, 1e9, 1e9 };
    (void)state;
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_OK);
    assert_equal(schedule.seconds, 0.25);
    assert_equal(schedule.bound, 0.25);
    assert_equal(begin[0], 0);
    assert_equal(begin[1], 0);
    assert_equal(end[0], 0.25);
    assert_equal(end[1], 0.125);
    assert_true(machine_of[0] == 0 && machine_of[1] == 1);
}

static void graphs_are_scheduled_as_they_may(void **state)
{
    const contention_graph largest = { .tasks = MOST, .machines = 8 };
    assert_int_equal(contention_graph_scratch(&largest), sizeof scratch / sizeof *scratch);
    (void)state;
    for (int trial = 0; trial < 1000; ++trial) {
        const size_t tasks = 1 + (size_t)random_between(&dice, 0, MOST),
                     machines = 1 + (size_t)random_between(&dice, 0, 7);
        const size_t edges = tasks > 1 ? (size_t)random_between(&dice, 0, EDGES) : 0;
        const contention_graph graph = { tasks, machines, edges, edge, took, slowdown, communication };
        contention_schedule schedule = { machine_of, begin, end, 1e9, 1e9 };
        double single = HUGE_VAL, last = 0;
        draw(tasks, machines);
        for (size_t i = 0; i < edges; ++i) {
            edge[i].to = 1 + (size_t)random_between(&dice, 0, (double)tasks - 1);
            edge[i].from = (size_t)random_between(&dice, 0, (double)edge[i].to);
            edge[i].transfer = floor(random_between(&dice, 0, 10));
        }
        assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_OK);
        for (size_t i = 0; i < tasks; ++i) {
            const size_t m = machine_of[i];
            assert_true(m < machines && begin[i] >= 0);
            assert_true(fabs(end[i] - begin[i] - took[i * machines + m] * slowdown[m]) < 1e-9);
            last = fmax(last, end[i]);
            for (size_t k = 0; k < i; ++k) /* one at a time on a machine */
                if (machine_of[k] == m && end[k] > begin[k] && end[i] > begin[i])
                    assert_true(end[k] <= begin[i] + 1e-9 || end[i] <= begin[k] + 1e-9);
        }
        for (size_t i = 0; i < edges; ++i) {
            const size_t a = machine_of[edge[i].from], b = machine_of[edge[i].to];
            const double there = end[edge[i].from] + (a == b ? 0 : edge[i].transfer * communication[a * machines + b]);
            assert_true(begin[edge[i].to] >= there - 1e-9);
        }
        assert_true(fabs(schedule.seconds - last) < 1e-9);
        for (size_t m = 0; m < machines; ++m) {
            double sum = 0;
            for (size_t i = 0; i < tasks; ++i) sum += took[i * machines + m] * slowdown[m];
            single = fmin(single, sum);
        }
        assert_true(schedule.bound <= schedule.seconds + 1e-9 && schedule.seconds <= single + 1e-9);
    }
}

/* What follows a task, by mean times and mean transfers: from the definition. */
static double rank_of(const contention_graph *x, size_t task)
{
    double mean = 0, talk = 0, after = 0;
    const double m = (double)x->machines;
    for (size_t k = 0; k < x->machines; ++k) mean += x->time[task * x->machines + k] * x->slowdown[k] / m;
    for (size_t k = 0; k < x->machines * x->machines; ++k) talk += x->communication[k] / (m * m);
    for (size_t k = 0; k < x->edges; ++k)
        if (x->edge[k].from == task) after = fmax(after, x->edge[k].transfer * talk + rank_of(x, x->edge[k].to));
    return mean + after;
}

/* The longest path from a task, each on its fastest machine. */
static double path_of(const contention_graph *x, size_t task, double *fastest)
{
    double after = 0, ignored;
    *fastest = HUGE_VAL;
    for (size_t k = 0; k < x->machines; ++k)
        *fastest = fmin(*fastest, x->time[task * x->machines + k] * x->slowdown[k]);
    for (size_t k = 0; k < x->edges; ++k)
        if (x->edge[k].from == task) after = fmax(after, path_of(x, x->edge[k].to, &ignored));
    return *fastest + after;
}

/* List scheduling as the papers say it, with numbers that are exact in binary, so that all decisions are the same. */
static void graphs_are_scheduled_as_by_definition(void **state)
{
    int alone = 0;

    (void)state;
    for (int trial = 0; trial < 1000; ++trial) {
        const size_t tasks = 1 + (size_t)random_between(&dice, 0, 9), machines = (size_t)1 << (trial % 3);
        const size_t edges = tasks > 1 ? (size_t)random_between(&dice, 0, 12) : 0;
        const contention_graph graph = { tasks, machines, edges, edge, took, slowdown, communication };
        contention_schedule schedule = { machine_of, begin, end, 1e9, 1e9 };
        double rank[10], began[10], ended[10], free_at[4] = { 0 }, last = 0, sum = 0, longest = 0, fastest,
                                               least = HUGE_VAL;
        size_t at[10], where = 0;
        int done[10] = { 0 };
        draw(tasks, machines);
        for (size_t m = 0; m < machines; ++m) slowdown[m] = floor(random_between(&dice, 1, 4));
        for (size_t m = 0; m < machines * machines; ++m)
            communication[m] = floor(random_between(&dice, 1, trial % 2 ? 40 : 4));
        for (size_t i = 0; i < edges; ++i) {
            edge[i].to = 1 + (size_t)random_between(&dice, 0, (double)tasks - 1);
            edge[i].from = (size_t)random_between(&dice, 0, (double)edge[i].to);
            edge[i].transfer = floor(random_between(&dice, 0, 10));
        }
        for (size_t i = 0; i < tasks; ++i) {
            rank[i] = rank_of(&graph, i);
            longest = fmax(longest, path_of(&graph, i, &fastest));
            sum += fastest;
        }
        for (size_t n = 0; n < tasks; ++n) {
            size_t next = tasks;
            for (size_t i = 0; i < tasks; ++i)
                if (!done[i] && (next == tasks || rank[i] > rank[next])) next = i;
            ended[next] = HUGE_VAL;
            for (size_t m = 0; m < machines; ++m) {
                double start = free_at[m];
                for (size_t k = 0; k < edges; ++k)
                    if (edge[k].to == next) {
                        const size_t from = edge[k].from;
                        const double way =
                            at[from] == m ? 0 : edge[k].transfer * communication[at[from] * machines + m];
                        start = fmax(start, ended[from] + way);
                    }
                if (start + took[next * machines + m] * slowdown[m] < ended[next]) {
                    ended[next] = start + took[next * machines + m] * slowdown[m];
                    began[next] = start;
                    at[next] = m;
                }
            }
            done[next] = 1;
            free_at[at[next]] = ended[next];
            last = fmax(last, ended[next]);
        }
        for (size_t m = 0; m < machines; ++m) {
            double single = 0;
            for (size_t i = 0; i < tasks; ++i) single += took[i * machines + m] * slowdown[m];
            if (single < least) least = single, where = m;
        }
        if (least < last) { /* all on one machine, in their order */
            ++alone;
            last = 0;
            for (size_t i = 0; i < tasks; ++i) {
                at[i] = where;
                began[i] = last;
                ended[i] = last += took[i * machines + where] * slowdown[where];
            }
        }
        assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_OK);
        assert_equal(schedule.seconds, last);
        assert_equal(schedule.bound, fmax(longest, sum / (double)machines));
        for (size_t i = 0; i < tasks; ++i) {
            assert_int_equal(machine_of[i], at[i]);
            assert_equal(begin[i], began[i]);
            assert_equal(end[i], ended[i]);
        }
    }
    assert_true(alone > 50 && alone < 600);
}

static void graphs_refuse_what_cannot_be(void **state)
{
    contention_graph graph = { 3, 2, 1, edge, took, slowdown, communication };
    contention_schedule schedule = { machine_of, begin, end, 1e9, 1e9 };

    (void)state;
    draw(3, 2);
    edge[0] = (contention_edge){ 1, 1, 1 };
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_EDGE);
    edge[0] = (contention_edge){ 1, 3, 1 };
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_EDGE);
    edge[0] = (contention_edge){ 1, 2, NAN };
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_TIME);
    edge[0].transfer = 1;
    took[0] = INFINITY;
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_TIME);
    took[0] = 1;
    slowdown[0] = INFINITY;
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_SLOWDOWN);
    slowdown[0] = 1;
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_OK);
    for (int k = 0; k < 4; ++k) { /* each number that is wrong, in its last place */
        static const double bad[] = { -1, NAN, INFINITY, 0 };
        const double time = took[5], slow = slowdown[1], talk = communication[3], bring = edge[0].transfer;
        took[5] = bad[k];
        assert_int_equal(contention_graph_place(&graph, scratch, &schedule),
                         k < 3 ? CONTENTION_BAD_TIME : CONTENTION_OK);
        took[5] = time;
        slowdown[1] = bad[k];
        assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_SLOWDOWN);
        slowdown[1] = slow;
        communication[3] = bad[k];
        assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_SLOWDOWN);
        communication[3] = talk;
        edge[0].transfer = bad[k];
        assert_int_equal(contention_graph_place(&graph, scratch, &schedule),
                         k < 3 ? CONTENTION_BAD_TIME : CONTENTION_OK);
        edge[0].transfer = bring;
    }
    for (int missing = 0; missing < 7; ++missing) {
        contention_graph less = graph;
        contention_schedule lacks = schedule;
        if (missing == 0) less.edge = NULL;
        if (missing == 1) less.time = NULL;
        if (missing == 2) less.slowdown = NULL;
        if (missing == 3) less.communication = NULL;
        if (missing == 4) lacks.machine = NULL;
        if (missing == 5) lacks.begin = NULL;
        if (missing == 6) lacks.end = NULL;
        assert_int_equal(contention_graph_place(&less, scratch, &lacks), CONTENTION_MISSING);
    }
    graph.tasks = 0;
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_COUNT);
    graph.tasks = 3;
    graph.machines = 0;
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_BAD_COUNT);
    graph.machines = 2;
    schedule.end = NULL;
    assert_int_equal(contention_graph_place(&graph, scratch, &schedule), CONTENTION_MISSING);
    assert_int_equal(contention_graph_place(NULL, scratch, &schedule), CONTENTION_MISSING);
    assert_int_equal(contention_graph_place(&graph, scratch, NULL), CONTENTION_MISSING);
    assert_int_equal(contention_graph_place(&graph, NULL, &schedule), CONTENTION_MISSING);
}

/* Finite times and slowdowns whose products or sums are more than a double holds. */
static void graphs_hold_where_numbers_overflow(void **state)
{
    const double alike[4] = { 1, 1, 1, 1 };
    const contention_edge after = { 0, 1, 1e200 };
    double free_at[2 * 2 + 2];
    contention_schedule schedule = { machine_of, begin, end, 1e9, 1e9 };
    contention_graph graph = { 1, 2, 0, NULL, took, slowdown, alike };

    (void)state;
    took[0] = took[1] = slowdown[0] = slowdown[1] = 1e200; /* no machine ends it */
    machine_of[0] = SIZE_MAX / 16;
    assert_int_equal(contention_graph_place(&graph, free_at, &schedule), CONTENTION_OK);
    assert_int_equal(machine_of[0], 0);
    assert_true(isinf(schedule.seconds) && schedule.bound <= schedule.seconds);

    slowdown[1] = 1; /* only the second one */
    assert_int_equal(contention_graph_place(&graph, free_at, &schedule), CONTENTION_OK);
    assert_int_equal(machine_of[0], 1);
    assert_equal(schedule.seconds, 1e200);
    assert_equal(schedule.bound, 1e200);

    graph.tasks = 2; /* two at once, whose sum overflows */
    took[0] = took[1] = took[2] = took[3] = 1.5e308;
    slowdown[0] = 1;
    assert_int_equal(contention_graph_place(&graph, free_at, &schedule), CONTENTION_OK);
    assert_int_equal(machine_of[0] + machine_of[1], 1);
    assert_equal(schedule.seconds, 1.5e308);
    assert_equal(schedule.bound, 1.5e308);

    graph.edges = 1; /* one after the other: each has a machine, and the end is told */
    graph.edge = &after;
    machine_of[0] = machine_of[1] = SIZE_MAX / 16;
    assert_int_equal(contention_graph_place(&graph, free_at, &schedule), CONTENTION_OK);
    assert_true(machine_of[0] < 2 && machine_of[1] < 2 && isinf(schedule.seconds) && isinf(schedule.bound));

    took[0] = took[1] = took[2] = took[3] = 1; /* a transfer that overflows: they stay together */
    graph.communication = communication;
    communication[0] = communication[3] = 1;
    communication[1] = communication[2] = 1e200;
    assert_int_equal(contention_graph_place(&graph, free_at, &schedule), CONTENTION_OK);
    assert_int_equal(machine_of[0], machine_of[1]);
    assert_equal(schedule.seconds, 2);
    assert_equal(schedule.bound, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_graphs_have_their_length),
        cmocka_unit_test(chains_equal_trying_all),
        cmocka_unit_test(chains_refuse_what_cannot_be),
        cmocka_unit_test(graphs_are_scheduled_as_they_may),
        cmocka_unit_test(graphs_refuse_what_cannot_be),
        cmocka_unit_test(graphs_are_scheduled_as_by_definition),
        cmocka_unit_test(graphs_hold_where_numbers_overflow),
    };
    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
