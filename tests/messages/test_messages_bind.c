/* simrun --bind: ranks that compute on some cores of their hosts only, and what is not modelled then. */
#include "programs.h"

/* Eight cores on four sockets; ranks are placed by cores. */
static const char sockets[] =
    "[machine]\nlook = 0 s\n[network]\nlatency = 1 ms\n[node a]\ncount = 2\ncores = 4\nsockets = 2\n"
    "self_transmit = 0 s\n";

/* Threads of a rank share the cores to which it is bound, and no others: those of a socket, or as many as SIMKIT_THREADS says. */
static void threads_share_the_cores_of_their_rank(void **state)
{
    static const struct {
        const char *bind;
        int ranks, cores, threads; /* cores: SIMKIT_THREADS; threads: that each rank makes */
        double share;              /* of a core, that of how many threads it is */
    } cases[] = {
        { "none", 1, 1, 4, 1 },   { "none", 2, 1, 4, 2 },     { "socket", 1, 1, 4, 2 }, { "socket", 2, 1, 4, 2 },
        { "socket", 4, 1, 4, 4 }, { "socket", 4, 2, 3, 1.5 }, { "socket", 8, 1, 3, 3 }, { "core", 1, 1, 4, 4 },
        { "core", 2, 2, 4, 2 },   { "core", 8, 1, 2, 2 },     { "core", 4, 2, 2, 1 },   { "core", 2, 4, 7, 1.75 },
        { "core", 2, 3, 6, 2 },
    };
    const double serial = 0.05, parallel = 0.1;
    (void)state;
#ifdef TESTS_SLOW
    skip(); /* with a sanitizer, threads of ranks are not on the virtual clock */
#endif
    for (int cores = 1; cores <= 2; ++cores)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
            char settings[160], program[64];
            double times[4];
            const int n = cases[i].threads;
            const double joined = serial + parallel * cases[i].share + 1e-3 * (n - 1);
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_BIND=%s SIMKIT_THREADS=%d SIMKIT_CORES=%d SIMKIT_NP=%d",
                     cases[i].bind, cases[i].cores, cores, cases[i].ranks);
            snprintf(program, sizeof program, "threaded %g %g 0 %d", serial, parallel, n);
            run_on(sockets, settings, program);
            assert_int_equal(status, 0);
            assert_int_equal(sscanf(output, "%lf %lf", &times[0], &times[1]), 2);
            assert_true(fabs(times[0] - serial) < 1e-9);
            if (!(fabs(times[1] - joined) < 1e-9)) fail_msg("case %zu: %.9f, expected %.9f", i, times[1], joined);
        }
}

/* A rank sees the cores to which it is bound, numbered from 0. */
static void ranks_see_their_cores(void **state)
{
    char settings[160], wanted[64], path[700];
    static const struct {
        const char *bind;
        int threads, sees;
    } cases[] = { { "none", 2, 4 }, { "socket", 1, 2 }, { "core", 1, 1 }, { "core", 3, 3 } };
    (void)state;
    snprintf(path, sizeof path, "%s/hybrid", programs);
    if (access(path, X_OK) != 0) skip(); /* the compiler has no OpenMP, or there is a sanitizer */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(settings, sizeof settings, NOTHING "OMP_PLACES=cores SIMKIT_BIND=%s SIMKIT_THREADS=%d SIMKIT_NP=2",
                 cases[i].bind, cases[i].threads);
        snprintf(wanted, sizeof wanted, "by %d threads of %d processors, %d places\n", cases[i].threads, cases[i].sees,
                 cases[i].sees);
        run_on(sockets, settings, "hybrid 0 0 0");
        assert_int_equal(status, 0);
        if (!strstr(output, wanted)) fail_msg("%s in:\n%s%s", wanted, output, errors);
    }
}

/* A thread of a bound rank computes on one core, whose CPU time alone is rationed. */
static void cores_have_quotas(void **state)
{
    static const char quotas[] =
        "[machine]\nlook = 0 s\n[node a]\ncores = 2\ncore_quota = 2 ms\nperiod = 10 ms\nself_transmit = 0 s\n";
    static const struct {
        int ranks, cores, threads, on_a_core;
    } cases[] = { { 1, 2, 2, 1 }, { 1, 2, 4, 2 }, { 2, 1, 1, 1 }, { 2, 1, 3, 3 }, { 1, 1, 2, 2 } };
    (void)state;
#ifdef TESTS_SLOW
    skip();
#endif
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char settings[128], program[64];
        double times[4];
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_BIND=core SIMKIT_THREADS=%d SIMKIT_NP=%d", cases[i].cores,
                 cases[i].ranks);
        snprintf(program, sizeof program, "threaded 0 0.1 0 %d", cases[i].threads);
        run_on(quotas, settings, program);
        assert_int_equal(status, 0);
        assert_int_equal(sscanf(output, "%lf %lf", &times[0], &times[1]), 2);
        const double joined = 1e-3 * (cases[i].threads - 1) + 0.1 * cases[i].on_a_core / 0.2;
        if (!(fabs(times[1] - joined) < 0.0101)) fail_msg("case %zu: %.9f, expected %.9f", i, times[1], joined);
    }
    /* Cores with one number share a processor of the computer on which their hosts are: seven hosts, whose quotas are five processors. */
    run_on("[machine]\nlook = 0 s\n[node a]\ncount = 7\ncores = 2\nhosts = 1\ncore_quota = 10 ms\nperiod = 14 ms\n",
           NOTHING "SIMKIT_BIND=core SIMKIT_THREADS=2 SIMKIT_NP=7", "threaded 0 0.1 0 2");
    assert_int_equal(status, 0);
    double last;
    assert_int_equal(sscanf(strrchr(errors, ',') + 1, "%lf", &last), 1);
    if (!(fabs(last - 0.7) < 0.002)) fail_msg("%.9f, expected 0.7", last);
    run_on(quotas, NOTHING "SIMKIT_NP=1", "threaded 0 0.1 0 1");
    assert_int_equal(status, 2);
    assert_string_equal(
        errors, "simkit: host a has a core_quota, which acts on ranks that are bound to cores: expected --bind core "
                "(SIMKIT_BIND), not none\n");
}

/* Ranks that are spawned get the cores of those that have ended, and load averages are those of the whole host. */
static void cores_are_given_back(void **state)
{
    char free_ones[1000], bound[1000];
    (void)state;
    run_on(sockets, NOTHING "SIMKIT_NP=3", "loads unix 30");
    snprintf(free_ones, sizeof free_ones, "%.900s", output);
    run_on(sockets, NOTHING "SIMKIT_BIND=core SIMKIT_NP=3", "loads unix 30");
    snprintf(bound, sizeof bound, "%.900s", output);
    assert_true(strlen(bound) > 10);
    assert_string_equal(bound, free_ones);
    for (int cores = 5; cores <= 6; ++cores) { /* three ranks spawn three others, which outlive none of them */
        char text[128];
        snprintf(text, sizeof text, "[node a]\ncount = 1\ncores = %d\n", cores);
        run_on(text, NOTHING "SIMKIT_BIND=core SIMKIT_NP=3", "segments spawn");
        assert_int_equal(status, cores == 6 ? 0 : 2);
        if (cores == 5)
            assert_non_null(strstr(errors, "--bind core (SIMKIT_BIND): no core of host a is left for task 5: it has 5, "
                                           "and each rank takes 1 (--threads); expected fewer ranks or threads, more "
                                           "hosts, or --bind none"));
    }
}

/* A wrong or unmodelled binding ends the run with a sentence before the program begins. */
static void mistakes_of_binding(void **state)
{
    static const struct {
        const char *node, *settings, *why;
    } cases[] = {
        { "cores = 4", "SIMKIT_BIND=cores", "SIMKIT_BIND=cores: expected core, socket or none" },
        { "cores = 4\nsockets = 3", "", "host a has 3 sockets and 4 cores, expected as many cores on each socket" },
        { "cores = 4\nsockets = 0", "", ":3:11: expected a whole number from 1 to" },
        { "cores = 2\ncore_quota = 1 ms", "SIMKIT_BIND=core", "host a has a core_quota, but no period" },
        { "cores = 2", "SIMKIT_BIND=core SIMKIT_THREADS=3",
          "--bind core (SIMKIT_BIND): rank 0 has 3 threads, but host a has only 2 cores: expected fewer threads, "
          "larger "
          "hosts, or --bind none" },
        { "cores = 4\nsockets = 4", "SIMKIT_BIND=socket SIMKIT_THREADS=2",
          "--bind socket (SIMKIT_BIND): rank 0 has 2 threads, but a socket of a has only 1 core: expected" },
        { "count = 1\ncores = 1", "SIMKIT_BIND=core",
          "no core of host a is left for rank 1: it has 1, and each rank takes 1" },
        { "cores = 2\nquota = 1 ms\nperiod = 10 ms", "SIMKIT_BIND=core",
          "--bind core (SIMKIT_BIND): host a has a quota for all its cores together; how bound ranks share that is not "
          "modelled, expected --bind none" },
        { "cores = 2\nmemory_bandwidth = 1 GB/s", "SIMKIT_BIND=socket",
          "host a has a memory_bandwidth, which its cores" },
        { "cores = 2\ncpu_per_outgoing = 0.1", "SIMKIT_BIND=core", "messages that take CPU time of no rank" },
        { "cores = 2\ncpu_per_incoming = 0.1", "SIMKIT_BIND=core", "messages that take CPU time of no rank" },
        { "count = 2\ncores = 2\nhosts = 1", "SIMKIT_BIND=core", "a computer that other hosts share" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[300], settings[200];
        snprintf(text, sizeof text, "[node a]\n%s\n", cases[i].node);
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=2 %s", cases[i].settings);
        run_on(text, settings, "threaded 0 0 0 1");
        assert_int_equal(status, 2);
        assert_string_equal(output, "");
        if (!strstr(errors, cases[i].why)) fail_msg("expected '%s' in:\n%s", cases[i].why, errors);
    }
    FILE *f = fopen(people, "w");
    char settings[200];
    assert_non_null(f);
    fprintf(f, "[user someone]\n[state burn]\ndemand = constant 9000 s\n");
    fclose(f);
    snprintf(settings, sizeof settings, NOTHING "SIMKIT_BIND=core SIMKIT_NP=2 SIMKIT_USERS=%s", people);
    run_on("[node a]\ncores = 2\n", settings, "loads unix 1");
    unlink(people);
    assert_int_equal(status, 2);
    if (!strstr(errors, "host a has background users; how bound ranks share that is not modelled"))
        fail_msg("%s", errors);
    run_on("[node a]\ncores = 2\n", NOTHING "SIMKIT_BIND=core SIMKIT_NP=2 SIMKIT_USERS=none", "loads unix 1");
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_the_cores_of_their_rank),
        cmocka_unit_test(ranks_see_their_cores),
        cmocka_unit_test(cores_have_quotas),
        cmocka_unit_test(cores_are_given_back),
        cmocka_unit_test(mistakes_of_binding),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
