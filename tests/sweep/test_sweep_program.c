/* build/sweep from the command line: what it prints and writes, what it says of wrong input, and how it ends. */
#define _DEFAULT_SOURCE /* mkdtemp, popen, usleep */
#include "../close.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/test_program_XXXXXX", build[400], here[300];
static char printed[100000];

static int make_folder(void **state)
{
    const char *given = getenv("BUILD");
    (void)state;
    if (!getcwd(here, sizeof here) || !mkdtemp(folder)) return 1;
    snprintf(build, sizeof build, "%s%s%s", given && *given == '/' ? "" : here, given && *given == '/' ? "" : "/",
             given ? given : "build");
    return 0;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
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

/* Runs a command in the folder, with both outputs in `printed`; SWEEP is the program. Returns its status. */
static int run(const char *line)
{
    char command[3000];
    snprintf(command, sizeof command, "cd %s && SWEEP=%s/sweep && export SWEEP && { %s; } 2>&1", folder, build, line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    printed[fread(printed, 1, sizeof printed - 1, pipe)] = 0;
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void assert_run(const char *line, int status, const char *says)
{
    const int found = run(line);
    if (found != status || !strstr(printed, says))
        fail_msg("%s\nexit status %d, not %d:\n%s\nnot: %s", line, found, status, printed, says);
}

static void wrong_arguments_are_explained(void **state)
{
    (void)state;
    assert_run("$SWEEP", 2, "sweep FILE [OPTIONS]");
    assert_run("$SWEEP --help", 0, "--shard I/N");
    assert_run("$SWEEP --threads 2", 2, "expected a sweep file");
    assert_run("$SWEEP a b", 2, "two sweep files, a and b");
    assert_run("$SWEEP a --threads none", 2, "--threads none: expected a whole number from 1 to 4096");
    assert_run("$SWEEP a --threads", 2, "--threads (nothing)");
    assert_run("$SWEEP a --shard 4/3", 2, "--shard 4/3: expected I/N");
    assert_run("$SWEEP a --shard 1", 2, "--shard 1: expected I/N");
    assert_run("$SWEEP a --fast 1", 2, "there is no option --fast");
    assert_run("$SWEEP a --shard 1/2 --svg b", 2, "--shard makes no answers");
    assert_run("$SWEEP a -h", 0, "sweep FILE [OPTIONS]");
    assert_run("$SWEEP -x a", 2, "there is no option -x");
    assert_run("$SWEEP a --out", 2, "--out: expected a path");
    assert_run("$SWEEP a --answers --retry", 2, "--answers makes no runs");
    assert_run("$SWEEP none.sweep", 1, "none.sweep: No such file");
}

static void every_model_runs(void **state)
{
    char text[900];
    (void)state;
    assert_run("$SWEEP --models", 0, "node-seconds  s");
    snprintf(text, sizeof text,
             "[sweep]\nmodel = lu\nmachine = %s/examples/machines/dps.machine\n[set]\nr = 648\n[parameter "
             "nodes]\nvalues = 2, 4\n[parameter r2]\nscales = [node] bandwidth\nvalues = 1, 2\n",
             here);
    write_file("lu.sweep", text);
    assert_run("$SWEEP lu.sweep", 0, "4 of 4 runs done");
    write_file("star.sweep", "[sweep]\nmodel = star\nseeds = 2\n[set]\nmessages = 10\nsizes = exponential\n[parameter "
                             "sharing]\nvalues = equal, maxmin\n");
    assert_run("$SWEEP star.sweep", 0, "4 of 4 runs done");
    write_file("server.sweep", "[sweep]\nmodel = server\n[set]\njobs = 50\n[parameter policy]\nvalues = fcfs, easy\n");
    assert_run("$SWEEP server.sweep", 0, "2 of 2 runs done");
    snprintf(text, sizeof text,
             "[sweep]\nmodel = balance\ninput = %s/examples/users/office.users\n[set]\nbags = 2 /h\n[parameter "
             "strategy]\nvalues = in-turn, forecast\n",
             here);
    write_file("balance.sweep", text);
    assert_run("$SWEEP balance.sweep", 0, "2 of 2 runs done");
    write_file("balance.sweep", "[sweep]\nmodel = balance\n[parameter strategy]\nvalues = in-turn, forecast\n");
    assert_run("$SWEEP balance.sweep", 1, "model 'balance' needs an 'input'");
    /* the model is what lu.h says by itself: 2 nodes, as demo prints them elsewhere */
    assert_run("grep -c ^[1-4], lu.csv", 0, "4");
}

/* Two clusters that are joined by a thin link: two nodes on both sides of it take longer than two neighbours, and a file
 * can say either. */
static void nodes_are_placed_on_the_machine(void **state)
{
    char text[900];
    (void)state;
    write_file("near.places", "left1\n0\n");
    write_file("apart.places", "left1 # and one of the other cluster\n4\n");
    static const char *const inputs[] = { "near.places", "apart.places" };
    for (int i = 0; i < 2; ++i) {
        snprintf(text, sizeof text,
                 "[sweep]\nmodel = lu\nmachine = %s/examples/machines/two_clusters.machine\ninput = %s\n[set]\nr = "
                 "648\nnodes = 2\n[parameter place]\nvalues = block, round-robin, file\n",
                 here, inputs[i]);
        write_file("placed.sweep", text);
        assert_run("rm -f placed.csv; $SWEEP placed.sweep", 0, "3 of 3 runs done");
        /* columns: point, place, seed, time */
        assert_run("sort -n placed.csv | awk -F, '$1 ~ /^[0-9]+$/ { print $4 }'", 0,
                   ""); /* rows are in the order of ends */
        double time[3];
        assert_int_equal(sscanf(printed, "%lf %lf %lf", &time[0], &time[1], &time[2]), 3);
        assert_true(time[1] > 1.5 * time[0]);
        assert_close(time[2], time[i], 1e-9);
    }
    write_file("apart.places", "left1\nleft4\n"); /* the results of another file are not mixed with these */
    assert_run("$SWEEP placed.sweep", 1, "placed.csv has results of another machine file, other fixed values");
    assert_run("rm -f placed.csv; $SWEEP placed.sweep", 3, "apart.places:2:1: the machine has no node 'left4'");
    write_file("apart.places", "left1\n");
    assert_run("rm -f placed.csv; $SWEEP placed.sweep", 3, "nodes 0 and 1 are both in place 1 of the machine: left1");
    snprintf(text, sizeof text,
             "[sweep]\nmodel = lu\nmachine = %s/examples/machines/two_clusters.machine\n[set]\nr = 648\nplace = "
             "file\n[parameter nodes]\nvalues = 2\n",
             here);
    write_file("placed.sweep", text);
    assert_run("rm -f placed.csv; $SWEEP placed.sweep", 3, "'place' is 'file', but no 'input' in [sweep] names one");
    snprintf(text, sizeof text,
             "[sweep]\nmodel = lu\nmachine = %s/examples/machines/two_clusters.machine\n[set]\nplace = around\n"
             "[parameter nodes]\nvalues = 2\n",
             here);
    write_file("placed.sweep", text);
    assert_run("$SWEEP placed.sweep", 1,
               "placed.sweep:5:9: 'around' is unknown, expected one of block,round-robin,file");
}

static void a_model_of_ones_own_is_loaded(void **state)
{
    char text[900];
    (void)state;
    snprintf(text, sizeof text,
             "[sweep]\nmodel = %s/waiting.so\nseeds = 10, 400\ninterval = 3 %%\n[parameter law]\nvalues = exponential, "
             "constant\n[parameter load]\nvalues = 0.3, 0.7\n",
             build);
    write_file("waiting.sweep", text);
    assert_run("$SWEEP waiting.sweep", 0, "0 failed");
    /* theory: r / (1 - r) and half of it; 0.4286, 2.333, 0.2143, 1.167; columns: point, law, load, seed, wait */
    assert_run("awk -F, '$1 ~ /^[0-9]+$/ { n[$1]++; sum[$1] += $5 } END { for (i = 1; i <= 4; ++i) print sum[i] / n[i] "
               "}' waiting.csv >means && cat means",
               0, "");
    double mean[4];
    assert_int_equal(sscanf(printed, "%lf %lf %lf %lf", &mean[0], &mean[1], &mean[2], &mean[3]), 4);
    const double theory[4] = { 3.0 / 7, 7.0 / 3, 1.5 / 7, 3.5 / 3 };
    for (int i = 0; i < 4; ++i) assert_close(mean[i], theory[i], 0.05);
    write_file("waiting.sweep", "[sweep]\nmodel = ./none.so\n[parameter load]\nvalues = 0.3\n");
    assert_run("$SWEEP waiting.sweep", 1, "none.so");
}

static void failed_runs_have_an_exit_status_of_their_own(void **state)
{
    (void)state;
    write_file("failing.sweep",
               "[sweep]\nmodel = star\n[set]\nmessages = 5\n[parameter nodes]\nvalues = 1, 2, 2.5, 4\n");
    assert_run("$SWEEP failing.sweep", 3, "'nodes' is 2.5: expected a whole number from 2 to 1e9");
    assert_run("$SWEEP failing.sweep", 3, "2 failed");
    assert_run("$SWEEP failing.sweep --quiet | wc -c", 0, "0");
    assert_run("$SWEEP failing.sweep --out /nowhere/at/all.csv", 1, "/nowhere/at/all.csv: No such file or directory");
    assert_run("$SWEEP failing.sweep --out /dev/full", 1, "/dev/full is no ordinary file");
    /* a disk that is full: what was written is kept */
    write_file("full.sweep",
               "[sweep]\nmodel = star\nseeds = 40\n[set]\nmessages = 5\n[parameter nodes]\nvalues = 2, 3, 4\n");
    assert_run("(trap '' XFSZ; ulimit -f 4; $SWEEP full.sweep)", 1, "full.csv: File too large");
    assert_run("$SWEEP full.sweep", 0, "120 of 120 runs done");
}

static void parts_are_joined_by_cat(void **state)
{
    (void)state;
    write_file("parts.sweep",
               "[sweep]\nmodel = star\nseeds = 7\n[set]\nmessages = 5\n[parameter nodes]\nvalues = 2, 3, 4\n");
    assert_run("for i in 1 2 3; do $SWEEP parts.sweep --shard $i/3; done", 0,
               "parts.2-of-3.csv: part 2 of 3 is complete: 7 runs, 0 failed");
    assert_run("$SWEEP parts.sweep >one && mv parts.csv whole.csv && cat parts.*-of-3.csv >parts.csv && $SWEEP "
               "parts.sweep >other && cmp one other && "
               "sort -u parts.csv >a && sort -u whole.csv >b && cmp a b && echo same",
               0, "same");
    assert_run("$SWEEP parts.sweep --answers | head -1", 0, "21 of 21 runs done");
}

static void databases_have_the_same_numbers(void **state)
{
    (void)state;
    write_file("base.sweep", "[sweep]\nmodel = star\nseeds = 3\n[set]\nmessages = 5\n[parameter sharing]\nvalues = "
                             "equal, maxmin\n[parameter nodes]\nvalues = 1, 3\n");
    const int status = run("$SWEEP base.sweep --sqlite base.db");
    if (status == 1 && strstr(printed, "built without SQLite")) skip();
    assert_int_equal(status, 3);
    if (run("command -v sqlite3") != 0) skip();
    assert_run(
        "sqlite3 base.db 'select count(*), count(failed), count(\"makespan [s]\"), count(distinct sharing) from runs'",
        0, "12|6|6|2");
    assert_run("$SWEEP base.sweep --sqlite base.db --quiet; sqlite3 base.db 'select count(*) from runs'", 0, "12");
    assert_run("$SWEEP base.sweep --sqlite /nowhere/base.db", 1, "/nowhere/base.db");
}

static void pictures_are_complete(void **state)
{
    (void)state;
    write_file("drawn.sweep",
               "[sweep]\nmodel = star\nseeds = 3\n[set]\nmessages = 5\n[parameter bandwidth]\nlogarithmic = 1 MB/s, "
               "100 MB/s\nsteps = 4\n[parameter nodes]\nvalues = 2, 3, 4\n[lines]\nx = bandwidth\nlines = "
               "nodes\n[map]\nx = bandwidth\ny = nodes\n[tornado]\n");
    assert_run("$SWEEP drawn.sweep --svg pictures", 0, "pictures/drawn-map.svg");
    assert_run("for f in lines map tornado; do tail -n 1 pictures/drawn-$f.svg | grep -q '^</svg>$' || exit 1; grep "
               "-lE '[\"M,HV -](nan|inf)' pictures/drawn-$f.svg && exit 1; done; echo fine",
               0, "fine");
    assert_run("$SWEEP drawn.sweep --svg /nowhere/at/all", 1, "/nowhere/at/all: No such file or directory");
}

static void ctrl_c_ends_it_and_the_same_command_goes_on(void **state)
{
    char text[900];
    (void)state;
    snprintf(text, sizeof text,
             "[sweep]\nmodel = lu\nmachine = %s/examples/machines/dps.machine\ndesign = sobol\npoints = 1000\n[set]\nr "
             "= 162\n[parameter b]\nscales = [node] bandwidth\nlinear = 0.8, 1.2\n",
             here);
    write_file("long.sweep", text);
    assert_run("$SWEEP long.sweep --quiet & child=$!; sleep 1; kill -INT $child; wait $child; echo status $?", 0,
               "status 130");
    assert_non_null(strstr(printed, "stopped; the same command goes on"));
    assert_run("$SWEEP long.sweep --answers | head -1", 0, "of 1000 runs done, 0 failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_explained),
        cmocka_unit_test(every_model_runs),
        cmocka_unit_test(nodes_are_placed_on_the_machine),
        cmocka_unit_test(a_model_of_ones_own_is_loaded),
        cmocka_unit_test(failed_runs_have_an_exit_status_of_their_own),
        cmocka_unit_test(parts_are_joined_by_cat),
        cmocka_unit_test(databases_have_the_same_numbers),
        cmocka_unit_test(pictures_are_complete),
        cmocka_unit_test(ctrl_c_ends_it_and_the_same_command_goes_on),
    };
    return cmocka_run_group_tests_name("sweep_program", tests, make_folder, remove_folder);
}
