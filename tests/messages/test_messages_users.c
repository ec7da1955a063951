/* examples/messages: hosts that others use as well, and the loads that programs see there. */
#include "programs.h"

/* The same where others use the hosts, too: a users file of this text. */
static void run_among(const char *users, const char *text, const char *settings, const char *program)
{
    char all[1024];
    FILE *f = fopen(people, "w");
    assert_non_null(f);
    fputs(users, f);
    fclose(f);
    snprintf(all, sizeof all, "SIMKIT_USERS=%s %s", people, settings);
    run_on(text, all, program);
    unlink(people);
}

static const char silent[] = "[machine]\nlook = 0 s\n[node node]\n"; /* messages take no time */

/* A process that computes for ever. */
static const char endless[] = "[user hog]\n[state burn]\ndemand = constant 1000000 s\n";

/* People who come and go, on all nodes. */
static const char office[] = "[day]\nlength = 100 s\n"
                             "[arrivals mail]\nrate = 0.2 /s, 3 /min\ndemand = pareto 1.5: 0.1 s, 100 s\n"
                             "[user writer]\ncopies = 2\n[state edit]\nthink = exponential 5 s\n"
                             "demand = exponential 0.5 s\nnext = edit 0.8, compile 0.2\n[state compile]\n"
                             "demand = exponential 10 s\nnice = 5\nnext = edit 1\n";

static double load_after(double running, double samples, double n)
{
    return running * (1 - pow(n / (n + 1), samples));
}

/* What each rank has taken, and the load that it sees then. */
static void takes(int ranks, double seconds, double load)
{
    const char *at = output;
    if (status != 0) print_message("%s\n", errors);
    assert_int_equal(status, 0);
    assert_int_equal(lines(output), ranks);
    for (int i = 0; i < ranks; i++, at = strchr(at, '\n') + 1) {
        double took = NAN, saw = NAN;
        assert_int_equal(sscanf(at, "%lf %lf", &took, &saw), 2);
        if (fabs(took - seconds) < 1e-8 && fabs(saw - load) < 2e-9) continue;
        print_message("expected %.9f %.9f\nfound    %s\n", seconds, load, output);
        fail();
    }
}

static void users_take_their_share(void **state)
{
    char nice[200];
    (void)state;
    run_on(silent, NOTHING, "loads frame 10 60");
    takes(1, 10, load_after(1, 10, 60));
    run_among(endless, silent, NOTHING, "loads frame 10 60");
    takes(1, 20, load_after(2, 20, 60));
    says("simkit: 1 task, 20 s"); /* the run ends with its ranks */
    run_among(endless, silent, NOTHING "SIMKIT_NP=3", "loads frame 10 300");
    takes(3, 20, load_after(2, 20, 300));
    run_among(endless, silent, NOTHING, "loads frame 10 0");
    takes(1, 20, 2);
    run_among(endless, "[machine]\nlook = 0 s\n[node a]\ncount = 1\n", NOTHING "SIMKIT_NP=2", "loads frame 10 60");
    takes(2, 30, load_after(3, 30, 60));
    run_among(endless, "[node a]\ncores = 2\nspeed = 0.5\n", NOTHING, "loads frame 10 60");
    takes(1, 20, load_after(2, 20, 60));
    /* logs in after 5 s and computes for 4 s: from 5 s to 13 s there are two */
    run_among("[user late]\nbegin = 5 s\n[state once]\ndemand = constant 4 s\n", silent, NOTHING, "loads frame 10 60");
    takes(1, 14, load_after(1, 14, 60) + load_after(1, 8, 60) * 60 / 61);
    /* nice 19: 15 parts to 1024, and one to 20 */
    snprintf(nice, sizeof nice, "%snice = 19\n", endless);
    run_among(nice, silent, NOTHING, "loads frame 1024 60");
    takes(1, 1039, load_after(2, 1039, 60));
    run_among(nice, "[node old]\nnice_rule = linux_2_2\n", NOTHING, "loads frame 10 60");
    takes(1, 10.5, load_after(2, 10, 60));
    snprintf(nice, sizeof nice, "%snice = -20\n", endless);
    run_among(nice, "[node old]\nnice_rule = linux_2_2\n", NOTHING, "loads frame 10 60");
    takes(1, 30, load_after(2, 30, 60));
}

static void the_file_of_the_hosts_names_the_users(void **state)
{
    char text[200], settings[200];
    FILE *f = fopen(people, "w");
    (void)state;
    assert_non_null(f);
    fprintf(f, "%snice = 0\n[user other]\nnodes = 2\n[state burn]\ndemand = constant 9000 s\n", endless);
    fclose(f);
    /* beside it, and each host is a node of it */
    snprintf(text, sizeof text, "[machine]\nusers = %s\nlook = 0 s\n[node a]\ncount = 2\n", strrchr(people, '/') + 1);
    run_on(text, NOTHING "SIMKIT_NP=1", "loads frame 10 60");
    takes(1, 20, load_after(2, 20, 60));
    run_on(text, NOTHING "SIMKIT_NP=2", "loads frame 10 60");
    double times[2];
    assert_int_equal(sscanf(output, "%lf %*f %lf", &times[0], &times[1]), 2);
    assert_true(fabs(times[0] - 20) < 1e-8 && fabs(times[1] - 30) < 1e-8);
    /* what the setting says counts */
    run_on(text, NOTHING "SIMKIT_USERS=none", "loads frame 10 60");
    takes(1, 10, load_after(1, 10, 60));
    unlink(people);
    snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=2");
    run_on(text, settings, "loads frame 10 60");
    snprintf(text, sizeof text, "%s: the file cannot be read: No such file or directory", people);
    says(text);
    assert_int_equal(status, 2);
}

static void unix_load_averages_are_those_of_the_host(void **state)
{
    double loads[3], one;
    int told, alone;
    (void)state;
    /* 12 looks in 62 s */
    run_among(endless, silent, NOTHING, "loads unix 62");
    assert_int_equal(sscanf(output, "%d %lf %lf %lf %d %lf", &told, &loads[0], &loads[1], &loads[2], &alone, &one), 6);
    assert_int_equal(told, 3);
    assert_int_equal(alone, 1);
    const double betas[] = { 1884.0 / 2048, 2014.0 / 2048, 2037.0 / 2048 };
    for (int i = 0; i < 3; ++i) assert_true(fabs(loads[i] - (1 - pow(betas[i], 12))) < 2e-9);
    assert_true(fabs(one - loads[0]) < 1e-12);
    run_on(silent, NOTHING, "loads unix 62");
    prints("3 0.000000000 0.000000000 0.000000000 1 0.000000000\n");
    run_among(endless, silent, NOTHING, "loads child");
    prints("refused\n");
}

static void work_goes_to_the_least_loaded(void **state)
{
    char users[200], wanted[200];
    (void)state;
    snprintf(users, sizeof users, "[user hog]\nnodes = 1, 2, 4\n%s", strchr(endless, '\n') + 1);
    run_among(users, silent, NOTHING "SIMKIT_NP=4", "loads least 10 2");
    snprintf(wanted, sizeof wanted, "rank 2, load 0.000000, 10.000000 s\nrank 2, load %.6f, 10.000000 s\n",
             load_after(1, 10, 60));
    prints(wanted);
    /* with nobody else they take turns: who has worked is seen to have */
    run_on(silent, NOTHING "SIMKIT_NP=2", "loads least 10 3");
    snprintf(wanted, sizeof wanted,
             "rank 0, load 0.000000, 10.000000 s\nrank 1, load 0.000000, 10.000000 s\n"
             "rank 0, load %.6f, 10.000000 s\n",
             load_after(1, 10, 60) * pow(60.0 / 61, 10));
    prints(wanted);
    run_among(users, "[node a]\ncount = 4\n", NOTHING, "pvm_loads 10");
    snprintf(wanted, sizeof wanted, "worker 1, load 0.000000, others %.6f %.6f, 10.000 s\n", load_after(1, 60, 60),
             load_after(1, 60, 60));
    prints(wanted);
}

static void a_deadlock_among_users_is_told(void **state)
{
    static const char *const users[] = { endless, office };
    (void)state;
    for (int i = 0; i < 2; ++i) {
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults deadlock");
        says(i == 0 ? "deadlock at 1 s: no event is left, but 2 of 2 tasks wait" : "deadlock at ");
        says(i == 0 ? "rank 1 has waited in MPI_Recv since 1 s for a message from 0 with tag 42"
                    : "rank 1 has waited in MPI_Recv");
        assert_int_equal(status, 1);
        run_among(users[i], "[machine]\neager = 1 MiB\n[node node]\n", NOTHING "SIMKIT_NP=2", "faults rendezvous");
        assert_int_equal(status, 0); /* here its messages are sent at once */
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults rendezvous");
        says("rank 0 has waited in MPI_Send since 0 s until rank 1 receives its message of 1048576 B with tag 0");
        assert_int_equal(status, 1);
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults crash");
        says("rank 1 on node1 was killed by signal 11");
        assert_int_equal(status, 139);
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults vanish");
        says("rank 1 on node1 ended with status 3");
        assert_int_equal(status, 3);
        run_among(users[i], silent, NOTHING "SIMKIT_NP=2", "faults abort");
        assert_int_equal(status, 7);
        run_among(users[i], silent, NOTHING, "pvm_ends waits");
        prints("kill 0\nafter 21 s\n");
        run_among(users[i], silent, NOTHING, "pvm_ends leaves");
        prints("kill 0\nafter 0 s\n");
        run_among(users[i], silent, NOTHING, "pvm_ends sends");
        prints("bytes 1048576\nafter 3 s\n");
    }
}

static void a_seed_is_a_day(void **state)
{
    static char same[64], other[64];
    (void)state;
    run_among(office, silent, NOTHING "SIMKIT_NP=3 SIMKIT_SEED=7", "loads frame 100 60");
    assert_int_equal(status, 0);
    assert_int_equal(lines(output), 3);
    snprintf(same, sizeof same, "%.60s", output);
    run_among(office, silent, NOTHING "SIMKIT_NP=3 SIMKIT_SEED=7", "loads frame 100 60");
    snprintf(other, sizeof other, "%.60s", output);
    assert_string_equal(other, same);
    run_among(office, silent, NOTHING "SIMKIT_NP=3 SIMKIT_SEED=8", "loads frame 100 60");
    snprintf(other, sizeof other, "%.60s", output);
    assert_string_not_equal(other, same);
    /* no seed is seed 0 */
    run_among(office, silent, NOTHING "SIMKIT_NP=3", "loads frame 100 60");
    snprintf(same, sizeof same, "%.60s", output);
    run_among(office, silent, NOTHING "SIMKIT_NP=3 SIMKIT_SEED=0", "loads frame 100 60");
    snprintf(other, sizeof other, "%.60s", output);
    assert_string_equal(other, same);
    /* who uses a host does not depend on how many others work */
    run_among(office, silent, NOTHING "SIMKIT_NP=2", "loads frame 100 60");
    assert_memory_equal(output, same, 30);
}

static void bad_users_files_are_told(void **state)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        { "[arrivals a]\nrate = 1\n", ".users:2:9: there is no unit, expected one of: /s, /min, /h" },
        { "[user a]\n", ".users:1:1: user 'a' has no states" },
        { "\n[users a]\n", ".users:2:2: 'users' is unknown, expected arrivals, user, trace, sessions, day or state" },
        { "[user a]\n[state b]\nnice = 20\n", ".users:3:8: expected a whole number from -20 to 19" },
        { "[trace a]\nfile = nowhere.csv\n", "nowhere.csv: the file cannot be read: No such file or directory" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run_among(cases[i].text, silent, "SIMKIT_NP=2", "patterns bcast 1");
        says(cases[i].sentence);
        assert_int_equal(status, 2);
        assert_int_equal(lines(errors), 1);
    }
}

static void users_are_shown(void **state)
{
    static char text[1 << 20];
    char settings[512], base[] = "/tmp/traces.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(base));
    snprintf(settings, sizeof settings,
             NOTHING "SIMKIT_SEED=3 SIMKIT_NP=2 SIMKIT_REPORT=%s/report SIMKIT_TRACE=%s/t.csv,%s/t.json,%s/t.svg", base,
             base, base, base);
    run_among(office, silent, settings, "loads frame 100 60");
    assert_int_equal(status, 0);
    snprintf(path, sizeof path, "%s/t.svg", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "</svg>"));
    assert_non_null(strstr(text, "compile"));
    snprintf(path, sizeof path, "%s/t.json", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_string_equal(text + strlen(text) - 3, "]}\n");
    snprintf(path, sizeof path, "%s/t.csv", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "compute,\"compile\",\"node1\",\"\",\"users\","));
    assert_non_null(strstr(text, "compute,\"computing\",\"node1\",\"\",\"rank 1\",0.000000000000,"));
    /* one that computes for ever is there from the beginning to the end */
    run_among(endless, silent, settings, "loads frame 10 60");
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "compute,\"burn\",\"node\",\"\",\"users\",0.000000000000,20.000000000000,0\n"));
    snprintf(path, sizeof path, "%s/report", base);
    assert_true(slurp(path, text, sizeof text) > 0);
    assert_non_null(strstr(text, "users: 2 processes, 0 of them ended"));
    assert_non_null(strstr(text, "\nnode            10.000000    20.000000        2.000   0.56 0.13 0.04\n"));
    assert_non_null(strstr(text, "\nrank 0       node            20.000000    10.000000     100.0%"));
    snprintf(settings, sizeof settings, "rm -r %s", base);
    assert_int_equal(system(settings), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_take_their_share),
        cmocka_unit_test(the_file_of_the_hosts_names_the_users),
        cmocka_unit_test(unix_load_averages_are_those_of_the_host),
        cmocka_unit_test(work_goes_to_the_least_loaded),
        cmocka_unit_test(a_deadlock_among_users_is_told),
        cmocka_unit_test(a_seed_is_a_day),
        cmocka_unit_test(bad_users_files_are_told),
        cmocka_unit_test(users_are_shown),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
