/* examples/messages with examples/threads: the threads of ranks compute on the cores of their hosts, wait for each other and sleep in
 * virtual time. */
#include "programs.h"

/* Eight cores; ranks are placed by cores. */
static const char two_hosts[] = "[machine]\nlook = 0 s\n[network]\nlatency = 1 ms\n[node a]\ncount = 2\ncores = 4\n";

#ifdef TESTS_SLOW /* with a sanitizer, threads of ranks are not on the virtual clock */
#define NEEDS_THREADS skip()
#else
#define NEEDS_THREADS (void)0
#endif

/* All threads of a host compute at once, then take the lock one after another, in the order of their numbers, and sleep. */
static void parts_take_what_cores_and_locks_allow(void **state)
{
    static const struct {
        int ranks, threads, on_host;
    } cases[] = { { 1, 1, 1 }, { 1, 4, 1 }, { 1, 7, 1 }, { 2, 3, 2 }, { 4, 5, 4 }, { 8, 1, 4 }, { 8, 4, 4 } };
    const double serial = 0.05, parallel = 0.1, locked = 0.01, latency = 1e-3;
    (void)state;
    NEEDS_THREADS;
    for (int cores = 1; cores <= 2; ++cores)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
            char settings[128], program[64];
            double times[4];
            const int n = cases[i].threads;
            const double share = fmax(1, cases[i].on_host * n / 4.0);
            const double joined = serial + parallel * share + locked * n + 1e-3 * (n - 1);
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_CORES=%d SIMKIT_NP=%d", cores, cases[i].ranks);
            snprintf(program, sizeof program, "threaded %g %g %g %d", serial, parallel, locked, n);
            run_on(two_hosts, settings, program);
            assert_int_equal(status, 0);
            assert_int_equal(sscanf(output, "%lf %lf %lf %lf", &times[0], &times[1], &times[2], &times[3]), 4);
            assert_true(fabs(times[0] - serial) < 1e-9);
            assert_true(fabs(times[1] - joined) < 1e-9);
            assert_true(fabs(times[2] - joined - (cases[i].ranks > 4 ? latency : 0)) < 1e-9);
            assert_true(fabs(times[3] - joined) < 1e-9);
        }
}

/* Threads of a rank may make calls one at a time; that of another is told, or ends the run. */
static void threads_make_calls(void **state)
{
    (void)state;
    run_on(two_hosts, NOTHING "SIMKIT_NP=4", "mistakes other_thread");
    assert_int_equal(status, 0);
    prints("main 1\n");
}

static void threads_wait_for_ever(void **state)
{
    (void)state;
    NEEDS_THREADS;
    run_on(two_hosts, NOTHING "SIMKIT_NP=2", "threaded 0 0 0 65");
    assert_int_equal(status, 1);
    says("deadlock at ");
    says("rank 0 has waited in pthread_join since ");
}

/* A rank sees all cores of its host, which is not bound to any, and the name of the host. */
static void ranks_see_their_hosts(void **state)
{
    (void)state;
    NEEDS_THREADS;
    run_on(two_hosts, NOTHING "SIMKIT_NP=1", "sees asks binds reads names");
    assert_int_equal(status, 0);
    assert_non_null(strstr(output, "sysconf_onln 4\nsysconf_conf 4\nget_nprocs 4\nget_nprocs_conf 4\nsched_getaffinity 4\n"));
    assert_non_null(strstr(output, "getattr_affinity_count 4\n"));
    assert_non_null(strstr(output, "create_bound 0\nthread_affinity_count 1\nthread_affinity_last 3\nthread_getcpu 3\n"));
    assert_non_null(strstr(output, "/sys/devices/system/cpu/online: 1, 0-3\n"));
    assert_non_null(strstr(output, "gethostname a0\nuname a0\nshort 1\n"));
    run_on(two_hosts, NOTHING "SIMKIT_NP=5", "sees names");
    assert_non_null(strstr(output, "gethostname a1\nuname a1\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_see_their_hosts),
        cmocka_unit_test(parts_take_what_cores_and_locks_allow),
        cmocka_unit_test(threads_make_calls),
        cmocka_unit_test(threads_wait_for_ever),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
