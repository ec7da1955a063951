/* build/goal from the command line: what it prints, what it says of wrong arguments, and how it ends. */
#define _DEFAULT_SOURCE /* popen, mkstemps */
#include "../close.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char printed[20000];

/* Runs the program with these arguments and this input, with both outputs in `printed`; returns its status. */
static int run_with(const char *input, const char *arguments)
{
    char command[1000];
    const char *build = getenv("BUILD");
    snprintf(command, sizeof command, "%s %s/goal %s 2>&1", input, build ? build : "build", arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    printed[fread(printed, 1, sizeof printed - 1, pipe)] = 0;
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int run(const char *arguments)
{
    return run_with("</dev/null", arguments);
}

#define EXCHANGE "examples/goal/exchange.goal"

static void test_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        int status;
        const char *says;
    } cases[] = {
        { "", 2, "goal FILE [OPTIONS]" },
        { "--help", 0, "Exit status: 0; 1 operations that wait for ever; 2 any other error" },
        { "--quiet", 2, "expected a file" },
        { "--fast " EXCHANGE, 2, "there is no such option; --help lists all: --fast" },
        { EXCHANGE " other", 2, "expected one file, found also other" },
        { EXCHANGE " --loggops", 2, "--loggops: expected parameters behind it" },
        { EXCHANGE " --loggops L=5,x=3", 2, "--loggops: expected one of L= o= g= G= O= S= at x=3" },
        { EXCHANGE " --loggops L=5,o=1,L=6", 2, "--loggops: this parameter is given twice: L=6" },
        { EXCHANGE " --loggops L=-5", 2,
          "--loggops: expected a number from 0 to 9e15, then a comma or the end, at L=-5" },
        { EXCHANGE " --flops fast", 2, "--flops: expected a rate in flop/s, such as 2.5e9, found fast" },
        { EXCHANGE " --map block", 2, "--map goes with --machine" },
        { EXCHANGE " --machine", 2, "--machine: expected a word behind it" },
        { EXCHANGE " --machine /nowhere", 2, "/nowhere" },
        { EXCHANGE " --machine examples/machines/dps.machine --loggops L=5", 2, "L, g and G do not go with --machine" },
        { EXCHANGE " --machine examples/machines/dps.machine --trace x.gif", 2,
          "the path of a trace is 'x.gif', expected one that ends in .svg" },
        { EXCHANGE " --write /nowhere/x.goal", 2, "/nowhere/x.goal: cannot be written" },
        { "/nowhere.goal", 2, "/nowhere.goal: No such file or directory" },
        { "examples/goal/exchange.trace", 2,
          "exchange.trace:8:11: compute counts flop: expected their rate (--flops)" },
        { EXCHANGE " --trace x.goal", 2,
          "the path of a trace is 'x.goal', expected one that ends in .svg, .json, .paje, .trace or .csv" },
        { EXCHANGE " --trace /nowhere/x.csv", 2, "/nowhere/x.csv: " },
        { EXCHANGE " --quiet", 0, "34 operations on 4 ranks: the last ends at 95266 ns, rank 0\n" },
        { EXCHANGE " --loggops G=0,o=0.5", 0, "rank 0" },
        { EXCHANGE " --machine examples/machines/testbed.machine --place round-robin", 0, "34 operations on 4 ranks" },
        { EXCHANGE " --machine examples/machines/testbed.machine --map round-robin", 0, "34 operations on 4 ranks" },
        { EXCHANGE " --machine examples/machines/sun.machine --quiet", 0,
          "goal: examples/machines/sun.machine:22: a replay ignores `self_transmit`: messages within one node take no "
          "time\n34 operations" },
        { EXCHANGE " --machine examples/machines/testbed.machine --map nowhere", 2, "nowhere: " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int status = run(cases[i].arguments);
        if (status != cases[i].status || !strstr(printed, cases[i].says))
            fail_msg("goal %s\nexit status %d, not %d:\n%s\nnot: %s", cases[i].arguments, status, cases[i].status,
                     printed, cases[i].says);
    }
}

/* Of several sections with `transmit`, only the first is named. */
static void test_ignored_times(void **state)
{
    (void)state;
    char path[] = "/tmp/test_goal_XXXXXX", arguments[200], says[300];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(dprintf(file, "[node a]\nbandwidth = 1 MB/s\ntransmit = 1 ms\ncore_quota = 1 ms\n[node b]\n[pair a b]\n"
                              "transmit = 2 ms\n") > 0);
    snprintf(arguments, sizeof arguments, EXCHANGE " --quiet --machine %s", path);
    assert_int_equal(run(arguments), 0);
    snprintf(says, sizeof says,
             "goal: %s:3: a replay ignores `transmit`: messages take what `latency` and `bandwidth` say\n"
             "goal: %s:4: a replay ignores `core_quota`: processors are not rationed\n34 operations",
             path, path);
    if (strstr(printed, says) != printed) fail_msg("%s\nnot: %s", printed, says);
    close(file);
    unlink(path);
}

/* A pipe gives its text only once. Paths of a list begin in its folder. */
static void test_inputs(void **state)
{
    (void)state;
    assert_int_equal(run_with("cat " EXCHANGE " |", "/dev/stdin --quiet"), 0);
    assert_string_equal(printed, "34 operations on 4 ranks: the last ends at 95266 ns, rank 0\n");
    assert_int_equal(run_with("cat examples/goal/exchange.trace |", "/dev/stdin --quiet --flops 2e9"), 0);
    assert_string_equal(printed, "24 operations on 3 ranks: the last ends at 3171071 ns, rank 0\n");
    assert_int_equal(run_with("printf 'num_ranks 1\nrank 0 {\ncalc 5\n}\n' |", "/dev/stdin --quiet"), 0);
    assert_string_equal(printed, "1 operation on 1 rank: the last ends at 5 ns, rank 0\n");
    assert_int_equal(run_with("printf 'num_ranks 2\nrank 0 {\nsend 5b to 1\n}\n' |", "/dev/stdin"), 1);
    assert_non_null(strstr(printed, "its message is never received"));
    char folder[] = "/tmp/test_goal_XXXXXX", input[300], arguments[300];
    assert_non_null(mkdtemp(folder));
    snprintf(input, sizeof input, "echo ./x.trace >%s/list; cp examples/goal/exchange.trace %s/x.trace;", folder,
             folder);
    snprintf(arguments, sizeof arguments, "%s/list --quiet --flops 2e9", folder);
    assert_int_equal(run_with(input, arguments), 0);
    assert_string_equal(printed, "24 operations on 3 ranks: the last ends at 3171071 ns, rank 0\n");
    /* Of traces that disagree, both files are named. */
    snprintf(input, sizeof input, "(cd %s && echo '0 barrier' >0.txt && echo '1 bcast 5' >1.txt && ls ?.txt >both);",
             folder);
    snprintf(arguments, sizeof arguments, "%s/both", folder);
    assert_int_equal(run_with(input, arguments), 2);
    assert_non_null(
        strstr(printed, "/1.txt:1:1: bcast is collective 1 of rank 1, but rank 0 has barrier there, in line 1 of "));
    assert_non_null(strstr(printed, "/0.txt\n"));
    snprintf(input, sizeof input, "mkfifo %s/fifo; (cat " EXCHANGE " >%s/fifo &); timeout 10", folder, folder);
    snprintf(arguments, sizeof arguments, "%s/fifo --quiet; rm -r %s", folder, folder);
    assert_int_equal(run_with(input, arguments), 0);
    assert_string_equal(printed, "34 operations on 4 ranks: the last ends at 95266 ns, rank 0\n");
}

/* A bar for what each operation takes of a processor; 12 sends of 4096 B, 3 of 8 B, as many receptions, 12 calcs. */
static void test_pictures(void **state)
{
    (void)state;
    static const char *const runs[] = { EXCHANGE,
                                        EXCHANGE " --machine examples/machines/gigabit.machine --loggops o=10" };
    for (size_t i = 0; i < 2; ++i) {
        char path[] = "/tmp/test_goal_XXXXXX.csv", command[300];
        size_t bars = 0;
        assert_true(mkstemps(path, 4) >= 0);
        snprintf(command, sizeof command, "%s --trace %s && cat %s; rm %s", runs[i], path, path, path);
        run(command);
        for (const char *at = printed; (at = strstr(at, "\ncompute,")); ++at) ++bars;
        assert_int_equal(bars, 8 + 3 + 8 + 3 + 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_arguments), cmocka_unit_test(test_ignored_times),
                                        cmocka_unit_test(test_inputs), cmocka_unit_test(test_pictures) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
