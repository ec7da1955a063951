/* examples/messages: programs with segments, tasks that come and go, what a run shows of itself and how it replays, and the
 * programs of the folder. */
#include "programs.h"

static void segments_run_the_first_times_only(void **state)
{
    char settings[128], path[] = "/tmp/segments.XXXXXX";
    (void)state;
    run("SIMKIT_NP=3", "segments measure");
    prints("runs as asked\ntime plausible\n");
    /* what they took is known from elsewhere: none runs */
    int made = mkstemp(path);
    assert_true(made >= 0);
    assert_true(write(made, "segment,parameter,seconds\nwork,200000,0.004\n", 44) == 44);
    close(made);
    snprintf(settings, sizeof settings, NOTHING "SIMKIT_SEGMENTS=%s SIMKIT_NP=2", path);
    run(settings, "segments measure");
    prints("runs else\ntime plausible\n");
    unlink(path);
}

static void arrays_without_content_are_shared(void **state)
{
    (void)state;
    run("SIMKIT_NP=16", "segments share");
    prints("count 1073741824, then 15\n");
    run("SIMKIT_NP=13 SIMKIT_ALGORITHMS=alltoall=bruck", "segments exchange");
    prints("wrong 0\n");
    run("SIMKIT_NP=13 SIMKIT_ALGORITHMS=alltoall=pairwise", "segments exchange");
    prints("wrong 0\n");
    run("SIMKIT_NP=13 SIMKIT_ALGORITHMS=alltoall=linear", "segments exchange");
    prints("wrong 0\n");
}

static void tasks_are_spawned(void **state)
{
    (void)state;
    run("SIMKIT_NP=2", "segments spawn");
    prints("remote 3, all 5, sum 304\n");
    assert_int_equal(status, 0);
}

static void a_wait_for_any_takes_what_ends_meanwhile(void **state)
{
    (void)state;
    run("SIMKIT_NP=2", "segments any");
    prints("both 1\nboth 1\n");
    run("SIMKIT_NP=1", "segments gone");
    prints("count 1048576\n");
}

static void tasks_of_pvm_end_as_they_like(void **state)
{
    (void)state;
    run(NOTHING, "pvm_ends waits");
    prints("kill 0\nafter 21 s\n");
    run(NOTHING, "pvm_ends leaves");
    prints("kill 0\nafter 0 s\n");
    run(NOTHING, "pvm_ends outlives");
    prints("status 0, 1 tasks\nnotice came\nstatus -31, 0 tasks\nafter 4 s\n");
    run(NOTHING, "pvm_ends sends");
    prints("bytes 1048576\nafter 3 s\n");
    run_on("[node slow]\n[node fast]\nplacement = explicit\nspeed = 2\n", NOTHING, "pvm_ends type");
    prints("on fast\n");
}

static void a_run_can_be_looked_at(void **state)
{
    static char text[1 << 20];
    char settings[512], base[] = "/tmp/traces.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(base));
    snprintf(settings, sizeof settings,
             NOTHING "SIMKIT_NP=4 SIMKIT_REPORT=%s/report SIMKIT_TRACE=%s/t.json,%s/t.paje,%s/t.csv,%s/t.svg", base,
             base, base, base, base);
    run_on(ether, settings, "patterns gather 50000");
    assert_int_equal(status, 0);
    snprintf(path, sizeof path, "%s/report", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "waiting times between tasks"));
    assert_non_null(strstr(text, "rank 0       for rank 1"));
    assert_non_null(strstr(text, "32768 .. 65535"));
    snprintf(path, sizeof path, "%s/t.json", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "\"waiting\""));
    assert_non_null(strstr(text, "\"bytes\":50000"));
    assert_string_equal(text + strlen(text) - 3, "]}\n");
    snprintf(path, sizeof path, "%s/t.paje", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    int starts = 0, ends = 0;
    for (char *at = text; (at = strstr(at, "\n6 ")); ++at) ++starts;
    for (char *at = text; (at = strstr(at, "\n7 ")); ++at) ++ends;
    assert_true(starts >= 3);
    assert_int_equal(starts, ends);
    snprintf(path, sizeof path, "%s/t.csv", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_memory_equal(text, "kind,name,node,to,lane,begin [s],end [s],bytes [B]\n", 51);
    assert_non_null(strstr(text, "transfer,\"\",\"node1\",\"node\",\"\",0.000520000000,"));
    snprintf(path, sizeof path, "%s/t.svg", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "</svg>"));
    snprintf(settings, sizeof settings, "rm -r %s", base);
    assert_int_equal(system(settings), 0);
}

/* What SIMKIT_TRACE=x.goal writes, build/goal replays on the same machine in the same time. */
static void schedules_replay_alike(void **state)
{
#define PLAIN(nodes) "[machine]\nname = x\n" nodes "bandwidth = 10 MB/s\n[network]\nlatency = 100 us\n"
    static const char plain[] = PLAIN("[node]\n");
    static const char *const runs[][2] = {
        { "gather 50000", plain },
        { "pingpong 10000", plain },
        { "bcast 3000", plain },
        { "barrier 1", plain },
        { "overlap 5000", plain },
        /* several ranks on a core; nodes that are slow, or have a quota: a calc is CPU time at speed 1 */
        { "gather 50000", PLAIN("[node]\ncount = 2\n") },
        /* messages between two ranks follow one another in a run; in a replay they share the link */
        { "rounds 3", PLAIN("[node]\ncount = 2\n") },
        { "overlap 5000", PLAIN("[node]\nspeed = 0.4\n") },
        { "overlap 5000", PLAIN("[node]\nquota = 200 us\nperiod = 1 ms\n") },
    };
    static char text[1 << 20];
    const char *build = getenv("BUILD");
    char settings[200], command[400], base[] = "/tmp/goal.XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(base));
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        char program[60];
        double seconds = 0, ns = 0;
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=4 SIMKIT_TRACE=%s/t.goal", base);
        snprintf(program, sizeof program, "patterns %s", runs[i][0]);
        run_on(runs[i][1], settings, program);
        assert_int_equal(status, 0);
        const char *told = strstr(errors, "4 tasks, ");
        assert_non_null(told);
        assert_int_equal(sscanf(told, "4 tasks, %lf", &seconds), 1);
        FILE *file = fopen(machine, "w");
        assert_non_null(file);
        fputs(runs[i][1], file);
        fclose(file);
        snprintf(command, sizeof command, "%s/goal %s/t.goal --quiet --machine %s", build ? build : "build", base,
                 machine);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        text[fread(text, 1, sizeof text - 1, pipe)] = 0;
        assert_int_equal(pclose(pipe), 0);
        unlink(machine);
        told = strstr(text, "ends at ");
        if (!told || sscanf(told, "ends at %lf", &ns) != 1) fail_msg("%s: %s", command, text);
        if (!(fabs(ns - seconds * 1e9) <= (strstr(program, "rounds") ? 5e-3 : 1e-6) * ns))
            fail_msg("%s: %.0f ns instead of %.0f", program, ns, 1e9 * seconds);
    }
    snprintf(settings, sizeof settings, "rm -r %s", base);
    assert_int_equal(system(settings), 0);
}

static void programs_compute_what_they_should(void **state)
{
    static const char *const cases[][3] = {
        { "SIMKIT_NP=5", "sort --log2 16 --max-log2 11", "known ranks of class S: 50 of 50" },
        { "SIMKIT_NP=3", "multigrid --rows 96 --columns 64 --cycles 2", "cycle 2 residual" },
        { "SIMKIT_NP=4", "integrals --tasks 500", "exceeded in 0" },
        { "", "integrals_pvm --tasks 500", "exceeded in 0" },
        { "SIMKIT_NP=5", "streams pipeline --rows 50 --columns 23", "pipeline: the check passed" },
        { "SIMKIT_NP=6", "streams stencil --rows 20 --columns 31 --grid 2x3", "stencil: the check passed" },
        { "SIMKIT_NP=4", "streams transpose --rows 20 --turns 3", "transpose: the check passed" },
        { "SIMKIT_NP=5", "streams reduce_scatter --bytes 100", "reduce_scatter: the check passed" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run(cases[i][0], cases[i][1]);
        if (status != 0) print_message("%s: %s%s\n", cases[i][1], output, errors);
        assert_int_equal(status, 0);
        assert_non_null(strstr(output, cases[i][2]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_run_the_first_times_only),
        cmocka_unit_test(arrays_without_content_are_shared),
        cmocka_unit_test(tasks_are_spawned),
        cmocka_unit_test(a_wait_for_any_takes_what_ends_meanwhile),
        cmocka_unit_test(tasks_of_pvm_end_as_they_like),
        cmocka_unit_test(a_run_can_be_looked_at),
        cmocka_unit_test(schedules_replay_alike),
        cmocka_unit_test(programs_compute_what_they_should),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
