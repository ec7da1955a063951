/* examples/tools/plan_runs.c: what it plans is what util/netmodel_fit.h says, and every mistake in a table has its place. */
#define _POSIX_C_SOURCE 200809L
#define main plan_runs
#include "../../examples/tools/plan_runs.c"
#undef main

#include "../close.h"
#include "run.h"

/* Runs it on a table, or without one, with up to 16 more arguments; what it printed and complained about is kept. */
static int run(const char *table, ...)
{
    char path[] = "/tmp/plan_runs_XXXXXX", *arguments[20] = { (char *)"plan_runs" };
    const int made = table ? mkstemp(path) : -1;
    int count = 1;
    va_list more;
    if (table) {
        assert_true(made >= 0);
        assert_int_equal(write(made, table, strlen(table)), strlen(table));
        close(made);
        arguments[count++] = path;
    }
    va_start(more, table);
    while ((arguments[count] = va_arg(more, char *)) != NULL) ++count;
    va_end(more);
    const int status = run_tool(plan_runs, count, arguments);
    if (table) {
        char *at = strstr(complained, path);
        if (at) memmove(at, at + strlen(path) - 1, strlen(at + strlen(path) - 1) + 1), *at = 'T'; /* a short name */
        unlink(path);
    }
    return status;
}

static const char runs[] =
    "# as measured\nseconds [min],work [MB],processes\n2.4383,256,1\n4.4733,512,1\n3.4183,256,2\n"
    "5.915,512,2\n3.66,256,4\n6.1233,512,4\n";

static void plans_are_those_of_the_model(void **state)
{
    static const netmodel_run same[] = { { 1, 256, 146.298 }, { 1, 512, 268.398 }, { 2, 256, 205.098 },
                                         { 2, 512, 354.9 },   { 4, 256, 219.6 },   { 4, 512, 367.398 } };
    const netmodel_scaling_desc desc = { NETMODEL_SCALING_EXACT, 0.02 };
    netmodel_candidate candidate[4 * 3];
    netmodel_scaling model;
    netmodel_gain gain[12];
    char line[200];
    size_t best;
    (void)state;
    assert_int_equal(run(runs, "--target", "256", "500", "--most", "6", "512", "--error", "2", "--runs", "2", END), 0);
    assert_string_equal(complained, "");
    assert_int_equal(netmodel_scaling_fit(same, 6, &desc, &model, NULL), NETMODEL_OK);
    for (size_t i = 0; i < 12; ++i) { /* 1, 2, 4 and 6 processes */
        candidate[i].processes = i < 9 ? (size_t)1 << i / 3 : 6;
        candidate[i].work = i % 3 == 0 ? 512 : i % 3 == 1 ? 256 : 128;
        candidate[i].repeats = 1;
        candidate[i].cost = 0;
    }
    const netmodel_prediction now = netmodel_scaling_predict(&model, 256, 500, 0.95);
    for (int i = 1; i <= 2; ++i) {
        assert_int_equal(netmodel_scaling_next(&model, 256, 500, 0.95, candidate, 12, gain, &best, NULL), NETMODEL_OK);
        model = netmodel_scaling_after(&model, &candidate[best]);
        snprintf(line, sizeof line, "%4d %10lu %10.4g %10.4g %12.3g  +- %5.1f %%   %5.1f %%\n", i,
                 (unsigned long)candidate[best].processes, candidate[best].work, gain[best].time,
                 gain[best].cost / 3600, 100 * gain[best].interval / now.time, 100 * gain[best].narrows);
        assert_non_null(strstr(printed, line));
    }
    assert_null(strstr(printed, "\n   3 "));
    assert_non_null(strstr(printed, "6 runs, off by 2 % each; 256 processes, each with work 500\n"));
    assert_null(strstr(printed, "extrapolation"));
}

static void limits_are_those_of_the_table(void **state)
{
    (void)state;
    assert_int_equal(run(runs, "--target", "256", "1000", "--error", "2", "--runs", "50", END), 0);
    for (const char *at = strchr(strstr(printed, "next"), '\n') + 1; *at == ' '; at = strchr(at, '\n') + 1) {
        unsigned long processes;
        double work;
        assert_int_equal(sscanf(at, "%*d %lu %lf", &processes, &work), 2);
        assert_true(processes == 2 || processes == 4);
        assert_true(work >= 128 && work <= 512);
    }
    assert_non_null(strstr(printed, "extrapolation"));
}

static void without_a_table_it_plans_for_its_sample(void **state)
{
    (void)state;
    assert_int_equal(run(NULL, END), 0);
    assert_non_null(strstr(printed, "6 runs, off by 2 %"));
    assert_int_equal(run(NULL, "--help", END), 0);
    assert_string_equal(printed, usage);
    assert_int_equal(run(NULL, "--nonsense", END), 1);
    assert_string_equal(complained, usage);
}

static void every_error_has_its_place(void **state)
{
    static const struct {
        const char *table, *why;
    } cases[] = {
        { "", "T: the table is empty" },
        { "processes,work,seconds\n1,2\n", "T:2:4: this line has 2 cells, the first has 3, separated by ','" },
        { "processes,work,seconds\n1,2,3\n1,x,3\n", "T:3:3: 'x' is not a number" },
        { "processes,seconds\n1,2\n", "T: expected columns processes, work and seconds, of numbers: there is no column "
                                      "'work'" },
        { "processes,work,seconds\n1,one,2\n", "T: expected columns processes, work and seconds, of numbers: there are "
                                               "texts in column 'work'" },
        { "processes,work,seconds\n1,2,3\n\n1.5,2,3\n",
          "T:4: column 'processes': expected a whole number from 1 to 1e9, found 1.5" },
        { "processes,work,seconds\n0,2,3\n",
          "T:2: column 'processes': expected a whole number from 1 to 1e9, found 0" },
        { "processes,work,seconds\n1,2,3\n2,-1,3\n",
          "T:3: column 'work': expected a number that is 0 or from 1e-40 to 1e40, found -1" },
        { "processes,work,seconds\n1,2,0\n", "T:2: column 'seconds': expected a number from 1e-40 to 1e40, found 0" },
        { "processes,work,seconds\n1,2,1e50\n",
          "T:2: column 'seconds': expected a number from 1e-40 to 1e40, found 1e+50" },
        { "processes,work,seconds\n1,2,3\n1,3,4\n2,2,4\n2,3,5\n",
          "T: expected runs on one process with two different amounts of work, and three on more than one, with two "
          "numbers of processes and two amounts of work that do not grow together" },
        { "processes,work,seconds\n1,2,3\n1,3,4\n2,2,4\n2,3,5\n4,2,5\n",
          "T: 5 runs leave no errors to estimate: state the error of a run, such as --error 2" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char expected[400];
        snprintf(expected, sizeof expected, "plan_runs: %s\n", cases[i].why);
        assert_int_equal(run(cases[i].table, "--target", "8", "2", END), 1);
        assert_string_equal(complained, expected);
        assert_string_equal(printed, "");
    }
}

static void every_option_is_checked(void **state)
{
    static const char whole[] =
        "plan_runs: expected --target PROCESSES WORK, with a whole number of processes, also of --most\n";
    (void)state;
    assert_int_equal(run(runs, END), 1);
    assert_string_equal(complained, whole);
    assert_int_equal(run(runs, "--target", "2.5", "2", END), 1);
    assert_string_equal(complained, whole);
    assert_int_equal(run(runs, "--target", "2", "2", "--most", "2.5", "1", END), 1);
    assert_string_equal(complained, whole);
    assert_int_equal(run(runs, "--target", "2", END), 1);
    assert_string_equal(complained, "plan_runs: --target: expected two numbers > 0, found ''\n");
    assert_int_equal(run(runs, "--most", "x", "1", END), 1);
    assert_string_equal(complained, "plan_runs: --most: expected two numbers > 0, found 'x'\n");
    assert_int_equal(run(runs, "--error", "-1", END), 1);
    assert_string_equal(complained, "plan_runs: --error: expected a number > 0, found '-1'\n");
    assert_int_equal(run(runs, "--runs", "0", END), 1);
    assert_string_equal(complained, "plan_runs: --runs: expected a number > 0, found '0'\n");
    assert_int_equal(run(NULL, "/nowhere/runs.csv", "--target", "8", "2", END), 1);
    assert_non_null(strstr(complained, "/nowhere/runs.csv"));
    /* times that fall with the number of processes, until none is left */
    assert_int_equal(run("processes,work,seconds\n1,1,100\n1,2,200\n2,1,90\n2,2,150\n4,1,50\n4,2,110\n", "--target",
                         "1000000", "1", END),
                     1);
    assert_string_equal(
        complained, "plan_runs: the model predicts no time > 0 for the target: measure runs that are more like it\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_those_of_the_model),
        cmocka_unit_test(limits_are_those_of_the_table),
        cmocka_unit_test(without_a_table_it_plans_for_its_sample),
        cmocka_unit_test(every_error_has_its_place),
        cmocka_unit_test(every_option_is_checked),
    };
    return cmocka_run_group_tests_name("plan_runs", tests, NULL, NULL);
}
