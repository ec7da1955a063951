/* build/server and build/alone from the command line: what they print and write, and what they say of wrong input. */
#define _DEFAULT_SOURCE /* mkdtemp, popen */
#include "../close.h"
#include "../../examples/interval.h"
#include "../formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINE "--machine examples/machines/programs.machine"
#define FAIL_8 " --fail 1@1 --fail 1@1 --fail 1@1 --fail 1@1 --fail 1@1 --fail 1@1 --fail 1@1 --fail 1@1"
#define FAIL_64 FAIL_8 FAIL_8 FAIL_8 FAIL_8 FAIL_8 FAIL_8 FAIL_8 FAIL_8

static char folder[] = "/tmp/test_commands_XXXXXX";
static char printed[100000];

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Runs a program, with both outputs in `printed`; `%s` in the arguments is the folder. Returns its status. */
static int run(const char *program, const char *arguments)
{
    char filled[1000], command[1200];
    const char *build = getenv("BUILD");
    snprintf(filled, sizeof filled, arguments, folder, folder);
    snprintf(command, sizeof command, "%s/%s %s 2>&1", build ? build : "build", program, filled);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    printed[fread(printed, 1, sizeof printed - 1, pipe)] = 0;
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int server(const char *arguments)
{
    return run("server", arguments);
}

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *name)
{
    static char text[400000];
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s does not exist", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void contains(const char *text)
{
    if (!strstr(printed, text)) fail_msg("expected: %s\nprinted: %s", text, printed);
}

static void it_explains_itself(void **state)
{
    (void)state;
    assert_int_equal(server(""), 2);
    contains("server WORKLOAD [OPTIONS]");
    assert_int_equal(server("--help"), 0);
    contains("examples:");
    assert_int_equal(server("--policies"), 0);
    contains("conservative-nodes");
}

static void one_policy_gives_a_summary_and_files(void **state)
{
    (void)state;
    assert_int_equal(server("examples/server/mixed.jobs " MACHINE " --policy efficiency --out %s/one"), 0);
    contains("examples/server/mixed.jobs: 14 jobs on 8 nodes\n");
    contains("14: 14 ended, 0 killed, 0 refused, 0 waiting");
    static const char *const files[] = { "one/gantt.svg", "one/utilization.svg", "one/efficiency.svg" };
    for (size_t i = 0; i < 3; ++i) assert_non_null(strstr(read_file(files[i]), "</svg>"));
    const char *end = json_value(json_blanks(read_file("one/trace.json")), 0);
    assert_true(end && *json_blanks(end) == 0);
    assert_non_null(strstr(read_file("one/jobs.csv"), "\n14,"));
    assert_non_null(strstr(read_file("one/summary.csv"), "\"efficiency\",1,"));
}

static void policies_are_compared(void **state)
{
    (void)state;
    assert_int_equal(server("examples/server/mixed.jobs " MACHINE " --out %s/all"), 0);
    static const char *const chosen[] = { "easy", "equi", "average", "efficiency" };
    for (size_t i = 0; i < 4; ++i) {
        char name[60];
        snprintf(name, sizeof name, "all/%s/jobs.csv", chosen[i]);
        assert_non_null(strstr(read_file(name), "job,kind,state"));
        contains(chosen[i]);
    }
    assert_int_equal(server("--synthetic 100 --nodes 32 --load 0.7 --seeds 3..5 --policy fcfs,easy-nodes"), 0);
    contains("synthetic: 100 jobs on 32 nodes, seeds 3..5\n");
    contains("fcfs           3 ");
    char first[4000];
    snprintf(first, sizeof first, "%.3999s", printed);
    assert_int_equal(server("--synthetic 100 --nodes 32 --load 0.7 --seeds 3..5 --policy fcfs,easy-nodes"), 0);
    assert_string_equal(printed, first); /* the same input, the same bytes */
    assert_int_equal(server("--synthetic 100 --malleable 0.5 --policy average:period=100"), 0);
    assert_int_equal(server("--synthetic 100"), 0);
    contains("conservative");
}

static void a_log_is_read_and_counted(void **state)
{
    (void)state;
    write_file(
        "log.swf",
        "; MaxProcs: 10\n1 0 0 5 2 -1 -1 2 9 -1 1 1 1 1 1 1 -1 -1\n2 1 0 5 20 -1 -1 20 9 -1 1 1 1 1 1 1 -1 -1\n");
    assert_int_equal(server("%s/log.swf --policy fcfs"), 0);
    contains("2 jobs on 10 nodes");
    contains("1 ended, 0 killed, 1 refused");
    assert_int_equal(server("%s/log.swf --policy fcfs --nodes 30"), 0);
    contains("2 ended");
}

/* What a log's users requested is the limit, though the estimate is raised to the run time where nothing is killed. */
static void jobs_of_a_log_are_killed(void **state)
{
    (void)state;
    write_file("late.swf", "; MaxProcs: 4\n1 0 -1 100 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n2 0 -1 5 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
                           "3 0 -1 50 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n");
    assert_int_equal(server("%s/late.swf --policy easy --kill-late --out %s/late"), 0);
    contains("3: 2 ended, 1 killed");
    assert_non_null(strstr(read_file("late/jobs.csv"), "\n1,rigid,killed,0,0,10,0,10,"));
    assert_int_equal(server("%s/late.swf --policy easy,fcfs --kill-late"), 0);
    contains("killed\n"); /* a column */
    assert_int_equal(server("%s/late.swf --policy easy,fcfs"), 0);
    assert_null(strstr(printed, "killed"));
    write_file("all.swf", "; MaxProcs: 4\n1 0 -1 100 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n");
    assert_int_equal(server("%s/all.swf --policy easy --kill-late"), 0);
    contains("wait [s]                          0            0");
    contains("turnaround [s]                    -            -");
}

/* The makespan is that of what the cluster has done. */
static void refused_jobs_take_no_time(void **state)
{
    (void)state;
    write_file("refused.swf", "; MaxProcs: 4\n1 5 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n2 1000 -1 10 5 -1 -1 5 20 -1 1 1 1 1 1 1 -1 -1\n"
                              "3 0 -1 10 5 -1 -1 5 20 -1 1 1 1 1 1 1 -1 -1\n");
    assert_int_equal(server("%s/refused.swf --policy easy"), 0);
    contains("3: 1 ended, 0 killed, 2 refused, 0 waiting");
    contains("makespan               10 s\nutilization            1 of 4 nodes");
}

static void what_waits_for_ever_is_told(void **state)
{
    static const char *const policies[] = { "fcfs", "easy", "conservative", "average:period=10", "equi:period=10" };
    (void)state;
    write_file("for_ever.jobs", "[cluster]\nnodes = 2\n[job a]\nnodes = 2\nrun = 10 s\n[job b]\nsubmit = 1 s\nnodes = 2\nrun = 10 s\n");
    for (size_t i = 0; i < sizeof policies / sizeof *policies; ++i) {
        char arguments[200], text[200];
        snprintf(arguments, sizeof arguments, "%%s/for_ever.jobs --policy %s --fail 0@5", policies[i]);
        assert_int_equal(server(arguments), 0);
        snprintf(text, sizeof text, "server: policy %s leaves 1 of 2 jobs waiting, though nothing runs any more on 2 nodes\n", policies[i]);
        contains(text);
    }
}

static void logs_may_be_compressed(void **state)
{
    char before[2000];
    (void)state;
    write_file("plain.swf", "; MaxProcs: 4\n1 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n");
    assert_int_equal(server("%s/plain.swf"), 0);
    snprintf(before, sizeof before, "%s", strchr(printed, ':'));
    char command[200];
    snprintf(command, sizeof command, "cd %s && gzip -k plain.swf && head -c 30 plain.swf.gz >cut.swf.gz && gzip <plain.swf >packed.jobs.gz", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(server("%s/plain.swf.gz"), 0);
    assert_string_equal(strchr(printed, ':'), before);
    assert_int_equal(server("- <%s/plain.swf"), 0);
    assert_string_equal(strchr(printed, ':'), before);
    assert_int_equal(server("- <%s/plain.swf.gz"), 0);
    assert_string_equal(strchr(printed, ':'), before);
    assert_int_equal(server("%s/cut.swf.gz"), 1);
    contains("cut.swf.gz: the file cannot be read: the compressed file is cut off");
    assert_int_equal(server("%s/packed.jobs.gz"), 1); /* a log is no file of our own */
    contains("packed.jobs.gz:1:1: expected a key, a [section] or a # comment");
    assert_int_equal(server("- </dev/null"), 1);
    contains("- does not say how many nodes the cluster has: use --nodes N");
}

static void nodes_fail(void **state)
{
    (void)state;
    assert_int_equal(server("examples/server/mixed.jobs " MACHINE " --policy equi --fail 7@100-200 --fail 3@150"), 0);
    contains("killed");
    assert_int_equal(server("examples/server/mixed.jobs " MACHINE " --policy equi --fail 8@100"), 1);
    contains("server: --fail 8@100: there are 8 nodes, from 0");
}

static void jobs_run_for_real(void **state)
{
    (void)state;
    write_file(
        "real.jobs",
        "[cluster]\nnodes = 3\n[job a]\nnodes = 2\nprogram = farm\narguments = tasks=8 rounds=2 candidates=1000\n"
        "[job b]\nnodes = 1\nkind = malleable\nminimum = 1\nmaximum = 3\nprogram = stencil\n"
        "arguments = n=64 blocks=4 depth=2 iterations=6\n");
    assert_int_equal(server("%s/real.jobs --real --policy average --out %s/real"), 0);
    contains("2: 2 ended, 0 killed");
    contains("were found");
    contains("the sum of the cells is");
    assert_non_null(strstr(read_file("real/gantt.svg"), "</svg>"));
}

/* The makespan that was printed [s]. */
static double makespan(void)
{
    const char *at = strstr(printed, "makespan ");
    if (!at) fail_msg("no makespan: %s", printed);
    return strtod(at + strlen("makespan "), NULL);
}

/* In a ring of two nodes each sends 2.36 MB to both of its neighbours, which are the other one: twice 2.36 MB in each
 * direction. That takes 0.4 s from node to node of a cluster, and 2 s over the thin link. */
static void nodes_are_placed_on_the_machine(void **state)
{
    static const char *const places[] = { "", "--place block", "--place round-robin", "--place %s/right.places",
                                          "--place %s/both.places" };
    const double bandwidth[] = { 11.8e6, 11.8e6, 2.36e6, 11.8e6, 2.36e6 },
                 latency[] = { 0.2e-3, 0.2e-3, 2.2e-3, 0.2e-3, 2.2e-3 };
    char arguments[300];
    (void)state;
    write_file("ring.jobs", "[cluster]\nnodes = 2\n[job ring]\nnodes = 2\nskeleton = ring\nseconds = 20 s\n"
                            "iterations = 10\nbytes = 2.36 MB\n");
    write_file("right.places", "right3 # of the second cluster\n5\n");
    write_file("both.places", "right0\nleft0\n");
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        snprintf(arguments, sizeof arguments,
                 "%%s/ring.jobs --machine examples/machines/two_clusters.machine --policy fcfs %s", places[i]);
        assert_int_equal(server(arguments), 0);
        assert_close(makespan(), 10 * (1 + latency[i] + 2 * 2.36e6 / bandwidth[i]), 1e-4);
    }
}

static void wrong_input_is_explained(void **state)
{
    static const struct {
        const char *arguments, *says;
        int status;
    } cases[] = {
        { "--policy fcfs", "server: expected a workload file or --synthetic JOBS; --help says more\n", 2 },
        { "a.jobs b.jobs", "server: two workloads, a.jobs and b.jobs: expected one\n", 2 },
        { "a.jobs --seeds 2", "server: --seeds, --load, --moldable, --malleable and --estimates are for --synthetic\n",
          2 },
        { "a.jobs --nodes 0", "server: --nodes 0: expected a whole number from 1 to 1e+06\n", 2 },
        { "a.jobs --nodes", "server: --nodes (nothing): expected a whole number from 1 to 1e+06\n", 2 },
        { "a.jobs --color red", "server: there is no option --color; --help lists all\n", 2 },
        { "a.jobs --out", "server: --out needs a value, or does not exist; --help lists all\n", 2 },
        { "a.jobs --fail 3", "server: --fail 3: expected NODE@FROM or NODE@FROM-UNTIL in seconds, such as 3@100-200\n",
          2 },
        { "a.jobs" FAIL_64 " --fail",
          "server: --fail (nothing): expected NODE@FROM or NODE@FROM-UNTIL in seconds, such as 3@100-200\n", 2 },
        { "a.jobs" FAIL_64 " --fail 3@1", "server: --fail 3@1: there are 64 failures already\n", 2 },
        { "a.jobs --fail 3@5-4", "server: --fail 3@5-4: expected NODE@FROM", 2 },
        { "--synthetic 10 --seeds 5..3", "server: --seeds 5..3: expected FIRST..LAST or a number of seeds", 2 },
        { "--synthetic 10 --malleable 0.6 --moldable 0.6",
          "server: --moldable and --malleable are more than 1 together\n", 2 },
        { "--synthetic 10 --real", "server: --real needs a workload of programs", 2 },
        { "a.jobs --launch ssh", "server: --launch and --address are for --real\n", 2 },
        { "a.jobs --place", "server: --place needs a value, or does not exist; --help lists all\n", 2 },
        { "a.jobs --place block",
          "server: --place block: it says which nodes of a machine the cluster has, so it needs --machine FILE\n", 2 },
        { "a.jobs --real --place block " MACHINE,
          "server: --place is for simulated runs; with --real, --launch and --address say where\n", 2 },
        { "examples/server/mixed.jobs " MACHINE " --place roundrobin",
          "server: --place: roundrobin: the file cannot be read: No such file or directory; expected block, "
          "round-robin "
          "or a file\n",
          1 },
        { "examples/server/mixed.jobs " MACHINE " --place %s/two.places",
          "server: --place: nodes 0 and 2 are both in place 6 of the machine\n", 1 },
        { "examples/server/mixed.jobs " MACHINE " --place %s/far.places",
          "/far.places:2:1: there is no node 8: the last is 7\n", 1 },
        { "examples/server/mixed.jobs " MACHINE " --nodes 9 --place round-robin",
          "server: --place: nodes 0 and 8 are both in place 0 of the machine\n", 1 },
        { "no.jobs", "no.jobs", 1 },
        { "no.jobs --policy easy", "server: no.jobs: the file cannot be read: No such file or directory\n", 1 },
        { "README.md", "server: README.md: expected a name that ends in .swf (Standard Workload Format), .jobs, .swf.gz or .jobs.gz, or - for a log on standard input\n",
          1 },
        { "examples/server/mixed.jobs",
          "job 'ring' computes and sends on nodes: say what they are with --machine FILE\n", 1 },
        { "examples/server/mixed.jobs --real", "job 'short' is not a program, so it cannot run for real\n", 1 },
        { "examples/server/mixed.jobs " MACHINE " --policy best",
          "server: there is no policy 'best', or it has no such option. There are:\n  fcfs", 1 },
        { "examples/server/mixed.jobs " MACHINE " --policy easy:x=1", "server: there is no policy 'easy:x=1'", 1 },
        { "examples/server/mixed.jobs " MACHINE " --policy ./none.so", "none.so", 1 },
        { "examples/server/mixed.jobs --machine none.machine", "none.machine", 1 },
        { "examples/server/mixed.jobs " MACHINE " --policy easy --out /proc/none", "server: /proc/none: ", 1 },
        { "%s/empty.jobs", "there is no [job NAME]", 1 },
        { "%s/empty.jobs --policy easy --kill-late", "there is no [job NAME]", 1 },
        { "%s/sizeless.swf", "does not say how many nodes the cluster has: use --nodes N\n", 1 },
        { "%s/wrong.jobs " MACHINE,
          "server: job 'w': lu: 'm=3' is no argument; expected key=value with the keys n, r\n", 1 },
    };
    (void)state;
    write_file("empty.jobs", "[cluster]\nnodes = 3\n");
    write_file("sizeless.swf", "1 0 0 5 2 -1 -1 2 9 -1 1 1 1 1 1 1 -1 -1\n");
    write_file("wrong.jobs", "[cluster]\nnodes = 3\n[job w]\nnodes = 2\nprogram = lu\narguments = m=3\n");
    write_file("two.places", "6\n5\n");
    write_file("far.places", "6\n8\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int status = server(cases[i].arguments);
        contains(cases[i].says);
        if (status != cases[i].status) fail_msg("%s: status %d", cases[i].arguments, status);
    }
}

/* Files would go to another folder if the path were cut off. */
static void long_paths_are_refused(void **state)
{
    char arguments[1000];
    (void)state;
    snprintf(arguments, sizeof arguments, "--synthetic 10 --policy easy --out %%s/%0*d", 850, 0);
    assert_int_equal(server(arguments), 1);
    contains("server: --out: the path of a policy's folder is longer than 799 characters: /tmp/");
    snprintf(arguments, sizeof arguments, "--synthetic 10 --policy easy,%0*d --out %%s", 850, 0);
    assert_int_equal(server(arguments), 1);
    contains("server: there is no policy '0000");
    for (const char *line = strchr(printed, '\n'); line; line = strchr(line + 1, '\n')) assert_true(strncmp(line, "\npolicy", 7) != 0);
}

/* Turnaround and ends of both intervals of the first job in a table of jobs [s]. */
static void first_job(const char *file, double times[5])
{
    const char *at = strchr(read_file(file), '\n') + 1;
    int comma = 0;
    for (; comma < 15; ++at) {
        comma += *at == ',';
        if (comma == 8 && *at == ',') assert_int_equal(sscanf(at + 1, "%lf", &times[0]), 1);
    }
    assert_int_equal(sscanf(at, "%lf,%lf,%lf,%lf", &times[1], &times[2], &times[3], &times[4]), 4);
}

/* Turnarounds of programs have intervals, which are wider for each thing that no real run had. */
static void predictions_say_how_sure_they_are(void **state)
{
    static const char machine[] = "[node]\ncount = 100\nbandwidth = 100 MB/s\n[network]\nlatency = 50 us\n[operation candidate]\n";
    static const struct {
        const char *arguments, *says;
        double wider;
    } cases[] = {
        { "%s/farm.jobs --machine %s/sure.machine --policy easy", NULL, 1 },
        { "%s/farm.jobs --machine %s/sure.machine --policy fcfs", "no real run to compare with had this policy\n", 2 },
        { "%s/farm.jobs --machine %s/sure.machine --policy average:period=1", NULL, 1 },
        { "%s/farm.jobs --machine %s/sure.machine --policy easy --fail 7@1e6", "had nodes that fail\n", 2 },
        { "%s/farm.jobs --machine %s/sure.machine --policy easy --nodes 81", "more than 10 times the size", 2 },
        { "%s/farm.jobs --machine %s/unsure.machine --policy easy", "the machine file does not say how sure", 2 },
        { "%s/both.jobs --machine %s/unsure.machine --policy easy", "had jobs that are not programs\n", 4 },
    };
    char text[600], arguments[200];
    double times[5], exact = 0;
    (void)state;
    snprintf(text, sizeof text, "%sseconds = 1 us\n", machine);
    write_file("unsure.machine", text);
    snprintf(text, sizeof text, "%sseconds = 1 us\n[operation calibration]\nspeed = 1 %%\n", machine);
    write_file("sure.machine", text);
    snprintf(text, sizeof text, "%sseconds = 1 us +- 10 %%\n", machine);
    write_file("errors.machine", text);
    write_file("farm.jobs", "[cluster]\nnodes = 8\n[job f]\nnodes = 2\nprogram = farm\narguments = tasks=8 rounds=2\n");
    write_file("both.jobs", "[cluster]\nnodes = 8\n[job f]\nnodes = 2\nprogram = farm\narguments = tasks=8 rounds=2\n"
                            "[job g]\nnodes = 2\nrun = 1 s\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(arguments, sizeof arguments, "%s --out %s/sure", cases[i].arguments, folder);
        assert_int_equal(server(arguments), 0);
        contains("\n  80 % from  ");
        contains("intervals of a real run: ");
        if (cases[i].says) contains(cases[i].says);
        if (!cases[i].says) assert_null(strstr(printed, "twice as wide"));
        first_job("sure/jobs.csv", times);
        for (int k = 0; k < 2; ++k) {
            const double far = cases[i].wider * interval_family("server")->within[k];
            assert_close(log(times[2 + 2 * k] / times[0]), far, 1e-9);
            assert_close(log(times[1 + 2 * k] / times[0]), -far, 1e-9);
        }
        if (i == 0) exact = times[0];
    }
    /* The same predictions, and nearly all of their error comes from the cost of a candidate. */
    snprintf(arguments, sizeof arguments, "%%s/farm.jobs --machine %%s/errors.machine --policy easy --out %s/sure", folder);
    assert_int_equal(server(arguments), 0);
    contains("widened by the spread of 20 draws of the uncertain values in the machine file\n");
    first_job("sure/jobs.csv", times);
    assert_close(times[0], exact, 0);
    assert_true(times[4] / times[0] > exp(1.96 * 0.06) && times[4] / times[0] < exp(1.96 * 0.15));
    assert_int_equal(server("%s/farm.jobs --machine %s/errors.machine --policy easy --draws 0"), 0);
    assert_null(strstr(printed, "wider by"));
    assert_int_equal(server("%s/farm.jobs --machine %s/errors.machine --policy easy,equi"), 0);
    contains("policy     turnaround 80 % [s] ");
    assert_int_equal(server("%s/farm.jobs --machine %s/sure.machine --policy easy,fcfs --fail 7@1e6"), 0);
    contains("\neasy: intervals of a real run: ");
    contains("had nodes that fail\nfcfs: intervals of a real run: ");
    contains("had this policy\n");
    assert_int_equal(server("--synthetic 20 --policy easy"), 0);
    contains("no interval of a real run: the workload says how long its jobs run, and only jobs that compute and send have been ");
    assert_int_equal(server("--synthetic 20 --policy easy --draws 3"), 2);
    contains("server: --draws is for simulated runs with --machine FILE, whose values it draws\n");
    assert_int_equal(server("%s/farm.jobs --machine %s/errors.machine --draws 1000"), 2);
    contains("server: --draws 1000: expected a whole number from 0 to 999\n");
}

static void a_program_runs_alone(void **state)
{
    static const struct {
        const char *arguments, *says;
    } wrong[] = {
        { "", "alone: a program is needed; --help lists them\n" },
        { "qr", "alone: there is no program 'qr'; there are lu, stencil and farm\n" },
        { "farm tasks", "alone: farm: 'tasks' is no argument; expected key=value with the keys tasks, rounds, " },
        { "farm --seeds 3", "alone: --seeds needs --machine\n" },
        { "farm --seeds 0", "alone: --seeds: expected a whole number >= 1\n" },
        { "farm --color red", "alone: --color: unknown option; --help lists all\n" },
        { "farm --mode fast", "alone: --mode" },
        { "stencil --machine examples/machines/dps.machine", "alone: stencil: the machine file lacks stencil.rate\n" },
    };
    double seconds, low, high, real;

    (void)state;
    assert_int_equal(run("alone", "--help"), 0);
    contains("alone PROGRAM [KEY=VALUE ...] [OPTIONS]");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(run("alone", wrong[i].arguments), 1);
        contains(wrong[i].says);
    }
    write_file("slow.machine",
               "[node]\ncount = 2\nquota = 2 ms\nperiod = 10 ms\nbandwidth = 10 MB/s\n[operation candidate]\n"
               "seconds = 1 us\n[operation calibration]\nspeed = 5 %\n");
    assert_int_equal(
        run("alone", "farm tasks=8 rounds=2 candidates=1000 --nodes 2 --machine %s/slow.machine --seeds 5 --csv"), 0);
    assert_int_equal(sscanf(printed, "%lf,%lf,%lf", &seconds, &low, &high), 3);
    assert_true(0 < low && low < 0.93 * seconds && 1.07 * seconds < high); /* the speed alone makes 10 % */
    contains("the interval ends more than 12 % away from the forecast");
    assert_int_equal(
        run("alone", "farm tasks=8 rounds=2 candidates=1000 --nodes 2 --machine %s/slow.machine --seeds 5"), 0);
    contains("farm tasks=8 rounds=2 candidates=1000, 2 nodes; ");
    contains("95 % interval");
    contains("doubtful: the interval ends more than 12 % away from the forecast");
    /* A candidate takes 10 % more or less: with no quota, all of it is error. The median is that of the values as they stand. */
    write_file("candidate.machine", "[node]\ncount = 2\n[operation candidate]\nseconds = 1 us +- 10 %\n");
    assert_int_equal(run("alone", "farm tasks=8 rounds=2 candidates=1e6 --nodes 1 --machine %s/candidate.machine --csv"), 0);
    assert_int_equal(sscanf(printed, "%lf,", &real), 1);
    assert_int_equal(
        run("alone", "farm tasks=8 rounds=2 candidates=1e6 --nodes 1 --machine %s/candidate.machine --csv --seeds 21"), 0);
    assert_int_equal(sscanf(printed, "%lf,%lf,%lf", &seconds, &low, &high), 3);
    assert_close(seconds, real, 0);
    assert_true(log(high / seconds) > 1.96 * 0.06 && log(high / seconds) < 1.96 * 0.15);
    assert_int_equal(run("alone", "farm tasks=8 rounds=2 --nodes 1 --machine %s/candidate.machine"), 0);
    contains("  no interval: one run does not say how much others differ, --seeds N does\n");
    assert_int_equal(
        run("alone", "farm tasks=8 rounds=2 candidates=1000 --nodes 2 --machine %s/slow.machine --mode real --csv"), 0);
    assert_int_equal(sscanf(printed, "%lf,", &real), 1);
    assert_true(real > 4e-3); /* half of 8 ms of CPU time on either node */
    assert_int_equal(run("alone", "lu n=64 r=16 --nodes 2 --mode real"), 0);
    contains("running time");
    assert_null(strstr(printed, "interval")); /* it is no prediction */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_runs_alone),
        cmocka_unit_test(predictions_say_how_sure_they_are),
        cmocka_unit_test(it_explains_itself),
        cmocka_unit_test(one_policy_gives_a_summary_and_files),
        cmocka_unit_test(policies_are_compared),
        cmocka_unit_test(a_log_is_read_and_counted),
        cmocka_unit_test(nodes_fail),
        cmocka_unit_test(jobs_of_a_log_are_killed),
        cmocka_unit_test(refused_jobs_take_no_time),
        cmocka_unit_test(what_waits_for_ever_is_told),
        cmocka_unit_test(logs_may_be_compressed),
        cmocka_unit_test(jobs_run_for_real),
        cmocka_unit_test(nodes_are_placed_on_the_machine),
        cmocka_unit_test(wrong_input_is_explained),
        cmocka_unit_test(long_paths_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
