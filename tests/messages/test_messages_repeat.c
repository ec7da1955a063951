/* simrun --repeat: the median of several runs, with intervals for a real one. */
#include "programs.h"

#include "../../examples/interval.h"

static const char exact[] =
    "[machine]\nlook = 0 s\n[network]\nlatency = 1 ms\n[node a]\ncount = 100\nself_transmit = 0 s\n";
static const char uncertain[] =
    "[machine]\nlook = 0 s\n[network]\nlatency = 1 ms\n[node a]\ncount = 2\nspeed = 1 +- 5 %\nself_transmit = 0 s\n";

/* Of the row of these ranks: the time, and the ends of both intervals [s]. */
static bool row_of(int ranks, double times[5])
{
    for (const char *at = output; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        int r, threads, cores;
        double speedup, efficiency;
        if (sscanf(at, "%d %d %d %lf %lf %lf%% %lf %lf %lf %lf", &r, &threads, &cores, &times[0], &speedup, &efficiency,
                   &times[1], &times[2], &times[3], &times[4]) == 10 &&
            r == ranks)
            return true;
    }
    return false;
}

static void runs_without_errors(void **state)
{
    const residuals *family = interval_family("messages");
    double times[5];
    (void)state;
    assert_non_null(family);
    char command[800];
    snprintf(command, sizeof command, "../../simrun -np 2,100 --repeat 2 --compute none %s/threaded 0.5 0 0 1",
             programs);
    run_on(exact, "", command);
    assert_int_equal(status, 0);
    for (int ranks = 2; ranks <= 100; ranks += 98) {
        assert_true(row_of(ranks, times));
        assert_true(times[0] > 0.499 && times[0] < 0.55);
        for (int i = 0; i < 2;
             ++i) { /* no value has an error, and 100 ranks are more than ten times those of any real run */
            const double far = (ranks > 80 ? 4 : 2) * family->within[i];
            assert_true(fabs(times[1 + 2 * i] / times[0] * exp(far) - 1) < 1e-5);
            assert_true(fabs(times[2 + 2 * i] / times[0] / exp(far) - 1) < 1e-5);
        }
    }
    assert_non_null(strstr(output, "\n  bounds twice as wide: more than 10 times the size of the largest real run for "
                                   "comparison, which had 8\n"));
    assert_non_null(
        strstr(output, "\n  bounds twice as wide: the machine file does not say how sure its values are\n"));
}

/* Each run has a draw of its own, and the first has the values that stand there. */
static void runs_with_errors(void **state)
{
    const residuals *family = interval_family("messages");
    double times[5], each[5], sum = 0, squares = 0, middle;
    char command[800];
    (void)state;
    for (int draw = 0; draw < 5; ++draw) {
        snprintf(command, sizeof command, "../../simrun -np 2 --draw %d --compute none %s/threaded 0.5 0 0 1", draw,
                 programs);
        run_on(uncertain, "", command);
        assert_int_equal(status, 0);
        assert_int_equal(sscanf(strrchr(errors, ',') + 1, "%lf", &each[draw]), 1);
        sum += log(each[draw]) / 5;
    }
    assert_true(each[0] > 0.499 && each[0] < 0.51);
    for (int draw = 0; draw < 5; ++draw) squares += (log(each[draw]) - sum) * (log(each[draw]) - sum);
    const double deviation = sqrt(squares / 4);
    assert_true(deviation > 0.01 && deviation < 0.12);
    middle = each[0];
    for (int i = 0; i < 5; ++i) {
        int smaller = 0;
        for (int k = 0; k < 5; ++k) smaller += each[k] < each[i];
        if (smaller == 2) middle = each[i];
    }
    snprintf(command, sizeof command, "../../simrun -np 2 --repeat 5 --compute none %s/threaded 0.5 0 0 1", programs);
    run_on(uncertain, "", command);
    assert_int_equal(status, 0);
    assert_true(row_of(2, times));
    assert_true(fabs(times[0] / middle - 1) < 1e-5);
    const double far = sqrt(family->within[1] * family->within[1] + pow(1.959964 * deviation, 2));
    assert_true(fabs(log(times[4] / times[0]) / far - 1) < 1e-3);
    assert_null(strstr(output, "fastest")); /* of one */
    assert_null(strstr(output, "twice as wide"));
}

/* A disturbance of a billionth tells whether it matters what comes first at one instant; it is the same on any number of processors. */
static void runs_with_a_disturbance(void **state)
{
    double least, most, apart;
    char command[800], settings[128];
    int runs;
    (void)state;
    for (int tie = 0; tie < 2; ++tie) {
        snprintf(command, sizeof command, "../../simrun -np 4 --disturb 9 --compute none %s/%s", programs,
                 tie ? "patterns tie" : "threaded 0.5 0 0 1");
        run_on(exact, "", command);
        assert_int_equal(status, 0);
        const char *row = strstr(output, "\n    4 ");
        assert_non_null(row);
        assert_int_equal(sscanf(row, " 4 1 4 %*f %*f %*f%% %lf %lf", &least, &most), 2);
        const char *says = strchr(row + 1, '\n');
        assert_int_equal(
            sscanf(says, " %d runs with times that differ by a billionth are up to %lf %% apart", &runs, &apart), 2);
        assert_int_equal(runs, 9);
        assert_true(tie ? most > least + 0.009 : most < least + 1e-6);
        assert_true(fabs(apart - 100 * (most / least - 1)) < 0.06 * apart + 1e-3);
        assert_non_null(strstr(says, tie ? ": the time depends on the order of what happens at one instant\n"
                                         : ": the order of what happens at one instant does not matter\n"));
    }
    for (int disturb = 1; disturb < 4; ++disturb) {
        char end[2][64];
        for (int cores = 1; cores <= 2; ++cores) {
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_DISTURB=%d SIMKIT_CORES=%d SIMKIT_NP=4", disturb,
                     cores);
            run_on(exact, settings, "patterns tie");
            assert_int_equal(status, 0);
            snprintf(end[cores - 1], sizeof end[0], "%.60s", strstr(errors, "simkit: 4 tasks"));
        }
        assert_string_equal(end[0], end[1]);
    }
}

static void mistakes_of_repeating(void **state)
{
    static const char *const cases[][2] = {
        { "--repeat 1", "simrun: --repeat 1: expected a whole number from 2 to 999\n" },
        { "--repeat x", "simrun: --repeat x: expected a whole number from 2 to 999\n" },
        { "--repeat 1000", "simrun: --repeat 1000: expected a whole number from 2 to 999\n" },
        { "--repeat 2 --draw 1", "simrun: --draw: expected without --repeat, whose runs have a draw each\n" },
        { "--disturb 1", "simrun: --disturb 1: expected a whole number from 2 to 999\n" },
        { "--disturb 2 --repeat 2", "simrun: --disturb: expected without --repeat, which does it as well\n" },
        { "--draw -1", "simrun: --draw -1: expected a whole number >= 0\n" },
    };
    char command[800];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(command, sizeof command, "../../simrun -np 2 %s %s/threaded", cases[i][0], programs);
        run_on(exact, "", command);
        assert_int_equal(status, 2);
        assert_string_equal(errors, cases[i][1]);
    }
    snprintf(command, sizeof command, "../../simrun -np 2 --repeat 2 %.300s/threaded : -np 2 %.300s/threaded", programs,
             programs);
    run_on(exact, "", command);
    assert_int_equal(status, 2);
    assert_string_equal(errors, "simrun: --repeat: expected one program, without a colon after it\n");
    run_on("[network]\nlatency = 1 ms +- 2 B\n[node a]\n", "", "threaded");
    assert_int_equal(status, 2);
    assert_non_null(strstr(errors, ":2:21: the unit is 'B', expected one of: s, ms, us, ns, min, h"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_without_errors),
        cmocka_unit_test(runs_with_errors),
        cmocka_unit_test(runs_with_a_disturbance),
        cmocka_unit_test(mistakes_of_repeating),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
