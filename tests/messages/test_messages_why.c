/* simrun --why, --calls, --json: paths whose lengths can be said beforehand, and what holds of every path. */
#include "programs.h"

static const char line[] = "[machine]\neager = 64 KiB\nlook = 0 s\n[network]\nlatency = 1 ms\n[node a]\ncount = 16\n"
                           "bandwidth = 10 MB/s\ninitialise = 0 s\n";

/* A number after `key` in a line of JSON; NaN: it is not there. */
static double number(const char *text, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(text, quoted);
    return at ? strtod(at + strlen(quoted), NULL) : NAN;
}

static char json[1 << 20];

/* Runs with a JSON file; gives the time of the run. The path adds up to that. */
static double why(bool exact, const char *settings, const char *program, double *pieces)
{
    char path[] = "/tmp/messages.XXXXXX", all[512];
    const int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    snprintf(all, sizeof all, "SIMKIT_JSON=%s SIMKIT_WHY=1 SIMKIT_CALLS=1 %s", path, settings);
    if (exact)
        run_on(line, all, program);
    else
        run(all, program);
    assert_int_equal(status, 0);
    slurp(path, json, sizeof json);
    unlink(path);
    const double whole = number(json, "seconds");
    double sum = 0;
    *pieces = 0;
    assert_non_null(strstr(json, "{\n  \"schema\": \"simkit-why\",\n  \"version\": 1,\n  \"program\": \"simrun\",\n"));
    const char *end = strstr(json, "\"calls\": [");
    assert_non_null(end);
    for (const char *at = strstr(json, "{ \"reason\""); at && at < end; at = strstr(at + 1, "{ \"reason\"")) {
        sum += number(at, "seconds");
        *pieces += number(at, "pieces");
        assert_true(number(at, "seconds") > 0);
    }
    if (!(fabs(sum - whole) <= 1e-12 * whole)) fail_msg("the path is %.17g s, the run %.17g s: %s", sum, whole, json);
    const char *said = strrchr(errors, '\n') ? strstr(errors, "critical path: ") : NULL;
    assert_non_null(said);
    assert_true(fabs(strtod(said + 15, NULL) - whole) <= 1e-8 * whole);
    return whole;
}

/* Of the row of the path with this reason and call; 0: none. */
static double row(const char *reason, const char *call, const char *where)
{
    char begin[160];
    const char *end = strstr(json, "\"calls\": [");
    double sum = 0;
    snprintf(begin, sizeof begin, "{ \"reason\": \"%s\", \"call\": \"%s\"", reason, call);
    for (const char *at = strstr(json, begin); at && at < end; at = strstr(at + 1, begin)) {
        const char *stop = strchr(at, '}'), *found = strstr(at, where);
        if (found && found < stop) sum += number(at, "seconds");
    }
    return sum;
}

/* Of a call: a member. */
static double call(const char *name, const char *key)
{
    char begin[80];
    snprintf(begin, sizeof begin, "{ \"call\": \"%s\"", name);
    const char *at = strstr(json, begin);
    return at ? number(at, key) : NAN;
}

static bool near(double is, double wanted)
{
    return fabs(is - wanted) <= 1e-9;
}

/* A chain of three, twice: the first computes twice as long as the others, so the path is there up to its end. */
static void a_chain(void **state)
{
    const bool lines_known = system("command -v addr2line >/dev/null") == 0;
    double pieces;
    (void)state;
    const double whole = why(true, "SIMKIT_LINES=addr2line " NOTHING "SIMKIT_NP=3", "why", &pieces),
                 message = 1e-3 + 1000 / 10e6;
    assert_true(whole > 6 + 2 * message && whole < 6 + 2 * message + 0.01); /* the rest: MPI_Finalize */
    assert_true(near(row("computing", "before MPI_Send", lines_known ? "why.c:25" : ""), 5));
    assert_true(near(row("computing", "before MPI_Finalize", "\"who\": \"rank 2\", \"where\": \"a2\""), 1));
    assert_true(near(row("message", "", "\"a0 to a1\""), message));
    assert_true(near(row("message", "", "\"a1 to a2\""), message));
    assert_true(near(call("MPI_Send", "calls"), 4) && near(call("MPI_Send", "bytes"), 4000));
    assert_true(near(call("MPI_Recv", "calls"), 4) && near(call("MPI_Recv", "bytes"), 0));
    /* rank 1 waits for 2 and 1 s and two messages, rank 2 for 3 and 1 s and two times two and one */
    assert_true(near(call("MPI_Recv", "waiting"), 2 + message + 1 + 3 + 2 * message + 1));
    assert_non_null(strstr(json, "\"waited_for\": [{ \"who\": \"rank 1\", \"seconds\": 4.00"));
    says(lines_known ? "before MPI_Send (why.c:25)" : "before MPI_Send");
    says("a0 to a1");
    says(lines_known ? "MPI_Recv (why.c:23); rank 1: 4.00" : "MPI_Recv; rank 1: 4.00");
}

/* A message that asks first, and whose receiver comes last: the path is at the receiver, with the message, at the sender. */
static void a_late_receiver(void **state)
{
    double pieces;
    (void)state;
    const double whole = why(true, NOTHING "SIMKIT_NP=2", "why late", &pieces);
    assert_true(whole > 3.6 && whole < 3.61);
    assert_true(near(row("computing", "before MPI_Recv", "rank 1"), 3));
    assert_true(near(row("computing", "before MPI_Finalize", "rank 0"), 0.5));
    assert_true(row("message", "", "a0 to a1") > 0.1);
    assert_true(near(row("computing", "before MPI_Send", ""), 0));
    assert_true(call("MPI_Send", "sending") > 2.1 && near(call("MPI_Send", "waiting"), 0));
}

/* Whatever a program does, its path adds up, and recording changes nothing. */
static void every_path_adds_up(void **state)
{
    static const char *const all[] = { "rounds 10", "barrier", "bcast 1000000", "bcast 100" };
    char settings[64], program[64];
    double pieces;
    (void)state;
    for (int np = 2; np <= 9; np += 3)
        for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=%d", np);
            snprintf(program, sizeof program, "patterns %s", all[i]);
            const double whole = why(true, settings, program, &pieces);
            char *before = strdup(output);
            run_on(line, settings, program);
            assert_int_equal(status, 0);
            assert_true(fabs(strtod(strrchr(errors, ',') + 1, NULL) - whole) <= 1e-8 * whole);
            prints(before);
            free(before);
        }
    why(false, "SIMKIT_NP=4", "conform", &pieces);
    assert_true(pieces > 1000);
#ifdef TESTS_SLOW
    return; /* with a sanitizer, ranks are in processes of their own */
#endif
    why(false, "SIMKIT_NP=4 SIMKIT_RANKS=together SIMKIT_CORES=2", "patterns rounds 10", &pieces);
    assert_true(pieces > 10);
}

static void wrong_options(void **state)
{
    char command[800];
    (void)state;
    snprintf(command, sizeof command, "../../simrun --why=all %s/why", programs);
    run("", command);
    assert_int_equal(status, 2);
    says("--why: expected no value");
    snprintf(command, sizeof command, "../../simrun --calls --goal %s/why", programs);
    run("", command);
    assert_int_equal(status, 2);
    says("--calls: it has no effect on a replay (--goal)");
    snprintf(command, sizeof command, "../../simrun -np 1,2 --why %s/why", programs);
    run("", command);
    assert_int_equal(status, 2);
    says("--why: expected with one number of ranks and of threads, and without --repeat and --disturb: it is about one "
         "run");
    snprintf(command, sizeof command, "../../simrun --json /nowhere/why.json %s/why", programs);
    run("", command);
    assert_int_equal(status, 2);
    says("SIMKIT_JSON=/nowhere/why.json: No such file or directory");
    run("SIMKIT_LINES= SIMKIT_NP=3 SIMKIT_WHY=1 " NOTHING, "why"); /* without lines */
    assert_int_equal(status, 0);
    says("before MPI_Send\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain),
        cmocka_unit_test(a_late_receiver),
        cmocka_unit_test(every_path_adds_up),
        cmocka_unit_test(wrong_options),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
