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

/* Both ranks print their errors and their virtual times [s]. */
static void threads_call_at_once(void **state)
{
    static const struct {
        const char *what;
        double times[2]; /* [s] */
    } cases[] = { { "tags", { 0.040, 0.038 } },          { "anyone", { 0.020, 0.020 } },
                  { "probes", { 0.040, 0.040 } },        { "requests", { 0.012, 0.010 } },
                  { "communicators", { 0.042, 0.040 } }, { "windows", { 0.080, 0.080 } },
                  { "turns", { 0.100, 0.100 } },         { "itself", { 0.050, 0.050 } },
                  { "generalized", { 0.030, 0.030 } },   { "joined", { 0.012, 0.012 } } };
    (void)state;
    NEEDS_THREADS;
    for (int calls = 0; calls < 2; ++calls)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
            char settings[128], program[64], text[300];
            snprintf(settings, sizeof settings, NOTHING "SIMKIT_PLACE=round-robin SIMKIT_CORES=%d SIMKIT_NP=2",
                     1 + (int)(i + (size_t)calls) % 2);
            snprintf(program, sizeof program, "multiple %s", cases[i].what);
            snprintf(text, sizeof text, "[machine]\nlook = 0 s\nprogress = %s\n%s", calls ? "calls" : "always",
                     strchr(two_hosts, '[') + strlen("[machine]\nlook = 0 s\n"));
            run_on(text, settings, program);
            assert_int_equal(status, 0);
            for (int rank = 0; rank < 2; ++rank) {
                snprintf(text, sizeof text, "rank %d: 0 wrong, %.6f s", rank, cases[i].times[rank]);
                if (!strstr(output, text)) fail_msg("%s: expected '%s' in:\n%s%s", cases[i].what, text, output, errors);
            }
        }
}

/* A loop of tests goes on while a thread of the same rank computes. */
static void threads_test_and_compute(void **state)
{
    (void)state;
    NEEDS_THREADS;
    run_on("[machine]\nlook = 100 us\n[network]\nlatency = 1 ms\n[node a]\ncount = 2\ncores = 4\n",
           NOTHING "SIMKIT_PLACE=round-robin SIMKIT_NP=2", "multiple tests");
    assert_int_equal(status, 0);
    if (!strstr(output, "rank 0: 0 wrong, 0.05") || !strstr(output, "rank 1: 0 wrong, 0.05"))
        fail_msg("%s%s", output, errors);
}

/* Threads of both ranks flush one window. */
static void threads_share_a_window(void **state)
{
    (void)state;
    NEEDS_THREADS;
    for (int cores = 1; cores <= 2; ++cores) {
        char settings[128];
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_PLACE=round-robin SIMKIT_CORES=%d SIMKIT_NP=2", cores);
        run_on(two_hosts, settings, "multiple flushes");
        assert_int_equal(status, 0);
        if (!strstr(output, "rank 0: 0 wrong") || !strstr(output, "rank 1: 0 wrong")) fail_msg("%s%s", output, errors);
    }
}

/* Serial parts, loops that threads share, and a halo: Amdahl's law in each rank, latency between, on any number of cores of this machine. */
static void ranks_of_openmp(void **state)
{
    char path[700];
    (void)state;
    NEEDS_THREADS;
    snprintf(path, sizeof path, "%s/hybrid", programs);
    if (access(path, X_OK) != 0) skip(); /* the compiler has no OpenMP */
    for (int cores = 1; cores <= 2; ++cores)
        for (int threads = 1; threads <= 8; threads *= 2)
            for (int ranks = 2; ranks <= 8; ranks += 6) {
                char settings[160];
                double times[4];
                const double share = fmin(threads, ranks == 8 ? 1 : 4), loop = 0.01 * 40 / share;
                snprintf(settings, sizeof settings,
                         NOTHING "SIMKIT_PLACE=round-robin OMP_NUM_THREADS=%d SIMKIT_CORES=%d SIMKIT_NP=%d", threads,
                         cores, ranks);
                run_on(two_hosts, settings, "hybrid 0.05 0.01 40");
                assert_int_equal(status, 0);
                assert_int_equal(sscanf(output, "%lf %lf %lf %lf", &times[0], &times[1], &times[2], &times[3]), 4);
                assert_true(fabs(times[0] - 0.05) < 2e-6);
                assert_true(fabs(times[1] - 0.05 - loop) < 2e-6);
                assert_true(fabs(times[2] - 0.05 - 2 * loop) < 2e-6);
                assert_true(fabs(times[3] - 0.052 - 2 * loop) < 2e-6);
            }
}

/* A row of the table that simrun prints for a list. Returns false if it is not there. */
static bool split_of(int ranks, int threads, double *seconds, double shares[5], char *mark)
{
    for (const char *at = output; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        int r, t, cores, used = 0;
        double speedup, efficiency;
        if (sscanf(at, "%d %d %d %lf %lf %lf%% %lf%% %lf%% %lf%% %lf%% %lf%%%n", &r, &t, &cores, seconds, &speedup,
                   &efficiency, &shares[0], &shares[1], &shares[2], &shares[3], &shares[4], &used) != 11)
            continue;
        if (r != ranks || t != threads) continue;
        *mark = at[used] == ' ' ? at[used + 1] : 0;
        assert_int_equal(cores, ranks * threads);
        assert_true(fabs(efficiency - 100 * speedup / cores) < 0.1);
        return true;
    }
    return false;
}

/* simrun with lists: all splits that fit are predicted as single runs are, and shares are those of the cores. */
static void splits_are_compared(void **state)
{
    static const int ranks[] = { 1, 2, 4, 8, 16 }, threads[] = { 1, 2, 3, 4, 8 };
    const double serial = 0.05, loop = 0.01 * 120;
    char command[400], path[700], picture[64];
    (void)state;
    NEEDS_THREADS;
    snprintf(path, sizeof path, "%s/hybrid", programs);
    if (access(path, X_OK) != 0) skip(); /* the compiler has no OpenMP */
    char *text = malloc(1 << 16);
    assert_non_null(text);
    snprintf(picture, sizeof picture, "/tmp/messages.%ld.svg", (long)getpid());
    snprintf(command, sizeof command,
             "../../simrun -np 16,2,4,8,1 --threads 1,4,8,2,3 --compute none --svg %s %.200s 0.05 0.01 120 together",
             picture, path);
    run_on(two_hosts, "", command);
    assert_int_equal(status, 0);
    assert_string_equal(errors, "");
    for (int r = 0; r < 5; ++r)
        for (int t = 0; t < 5; ++t) {
            double seconds, shares[5], sum = 0;
            char mark;
            const int on_host = 4 / threads[t] > 0 ? 4 / threads[t] : 1; /* ranks are on hosts in blocks */
            const int most = ranks[r] < on_host ? ranks[r] : on_host * (ranks[r] > 2 * on_host ? 2 : 1);
            snprintf(text, 1 << 16, "left out: ranks %d, threads %d: host a0 has 4 cores, expected ", ranks[r],
                     threads[t]);
            const bool fits = most * threads[t] <= 4;
            if (fits == (strstr(output, text) != NULL)) fail_msg("%d x %d in:\n%s", ranks[r], threads[t], output);
            assert_int_equal(split_of(ranks[r], threads[t], &seconds, shares, &mark), fits);
            if (!fits) continue;
            const double wanted = serial + 2 * loop / (ranks[r] * threads[t]);
            if (!(seconds > wanted - 1e-9 && seconds < wanted + 6e-3))
                fail_msg("%g: %g s in:\n%s", wanted, seconds, output);
            for (int i = 0; i < 5; ++i) sum += shares[i];
            assert_true(fabs(sum - 100) < 0.3);
            assert_true(fabs(shares[0] - 100 * (serial + 2 * loop / ranks[r]) / threads[t] / seconds) < 0.1);
            assert_true(shares[2] <= 100 * 6e-3 / seconds);
            assert_int_equal(mark == '*', ranks[r] == 8 && threads[t] == 1);
        }
    assert_non_null(strstr(output, "* the fastest; speed-up and efficiency are relative to 1 rank with 1 thread\n"));
    slurp(picture, text, 1 << 16);
    unlink(picture);
    assert_non_null(strstr(text, "fastest: 8 x 1 thread"));
    assert_non_null(strstr(text, "</svg>"));
    free(text);
}

/* --threads sets the number of threads, and ranks are placed so that all have a core. */
static void ranks_have_a_number_of_threads(void **state)
{
    char command[400], path[700];
    (void)state;
    NEEDS_THREADS;
    snprintf(path, sizeof path, "%s/hybrid", programs);
    if (access(path, X_OK) != 0) skip();
    snprintf(command, sizeof command, "../../simrun -np 4 --threads 2 --compute none %.300s 0 0.01 40", path);
    run_on(two_hosts, "OMP_NUM_THREADS=7", command);
    assert_int_equal(status, 0);
    assert_non_null(strstr(output, "by 2 threads of 4 processors"));
    assert_true(fabs(atof(strchr(output, ' ')) - 0.2) < 2e-6); /* after the first loop */
}

/* The report tells waiting for threads from waiting for messages, and sleeping. */
static void reports_know_threads(void **state)
{
    double times[2], shares[6];
    (void)state;
    NEEDS_THREADS;
    run_on(two_hosts, NOTHING "SIMKIT_NP=1 SIMKIT_REPORT=-", "threaded 0.05 0.1 0.01 3");
    const char *at = strstr(errors, "\nrank 0 ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, " rank 0 a0 %lf %lf %lf%% %lf%% %lf%% %lf%% %lf%% %lf%%", &times[0], &times[1],
                            &shares[0], &shares[1], &shares[2], &shares[3], &shares[4], &shares[5]),
                     8);
    assert_true(fabs(times[1] - (0.05 + 3 * 0.11)) < 1e-6); /* CPU time of all threads */
    assert_true(fabs(shares[0] - 100 * 0.05 / times[0]) < 0.1);
    assert_true(fabs(shares[4] - 100 * (times[0] - 0.05) / times[0]) < 0.1);
}

/* Calls that take no turn change tables of the library, which all threads of a rank use: none is stopped in such a call. */
static void threads_make_handles(void **state)
{
    (void)state;
    NEEDS_THREADS;
    for (int i = 0; i < 6; ++i) {
        run_on(two_hosts, "SIMTHREADS_QUANTUM=1e-5 SIMKIT_NP=1", "multiple handles");
        assert_int_equal(status, 0);
        assert_non_null(strstr(output, "rank 0: 0 wrong"));
    }
}

/* Mistakes, and waits without an end, name the threads and the lines of their calls. */
static void threads_are_named(void **state)
{
    (void)state;
    NEEDS_THREADS;
    run_on(two_hosts, NOTHING "SIMKIT_NP=2", "multiple together");
    assert_int_equal(status, 1);
    says("rank 0: thread 2 called MPI_Barrier");
    says("on MPI_COMM_WORLD while thread 1 was in MPI_Barrier on it: collective calls on a communicator are made by "
         "one thread at a time");
    run_on(two_hosts, NOTHING "SIMKIT_NP=2", "multiple epochs");
    assert_int_equal(status, 1);
    says("for other ranks on a window on which another thread waits for them: not supported");
    run_on(two_hosts, NOTHING "SIMKIT_NP=2", "multiple general");
    assert_int_equal(status, 1);
    says("thread 1 of rank 0 has waited in MPI_Wait");
    says("for a generalized request, which another thread has not completed");
    run_on(two_hosts, NOTHING "SIMKIT_NP=2", "multiple ever");
    assert_int_equal(status, 1);
    says("thread 2 of rank 1 has waited in MPI_Recv");
    says("for a message from 0 with tag 1");
    run_on(two_hosts, NOTHING "SIMKIT_NP=1", "mistakes other_thread");
    says("a thread other than that of MPI_Init (thread 1, not thread 0) called MPI_Barrier");
}

/* A call of MPI is no cancellation point. */
static void threads_are_cancelled_in_calls(void **state)
{
    static const char *const programs[] = { "multiple cancel", "multiple cancel_at_once" };
    (void)state;
    NEEDS_THREADS;
    for (int i = 0; i < 4; ++i) {
        char settings[128];
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_PLACE=round-robin SIMKIT_CORES=%d SIMKIT_NP=2", 1 + i % 2);
        run_on(two_hosts, settings, programs[i / 2]);
        assert_int_equal(status, 0);
        if (!strstr(output, "rank 0: 0 wrong, 0.032")) fail_msg("%s%s", output, errors);
        says("simkit: warning: rank 0: thread 1 is cancelled while it is in MPI_Recv, which MPI leaves undefined: here "
             "the call goes "
             "on until it is complete, and the thread ends at its next cancellation point at 0.0");
    }
    run_on(two_hosts, NOTHING "SIMKIT_NP=2", "multiple cancel_for_ever");
    assert_int_equal(status, 1);
    says("thread 1 of rank 0 has waited in MPI_Recv");
    says("rank 0: thread 1 is cancelled while it is in MPI_Recv");
}

/* A loop that only looks at a clock, or also for something that is not there, ends at most 1 % late, and after few looks. */
static void loops_that_look_at_clocks(void **state)
{
    static const char *const modes[] = { "wtime", "probe", "test", "message", "yield", "monotonic", "cpu", "both" };
    (void)state;
    for (int i = 0; i < 16; ++i) {
        char settings[128], program[64];
        const char *mode = modes[i / 2], *at;
        const bool message = strcmp(mode, "message") == 0;
        const double least = message ? 0.25 : 0.2;
        if (message || i >= 8) NEEDS_THREADS;
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_CORES=%d SIMKIT_NP=4", 1 + i % 2);
        snprintf(program, sizeof program, "clocks %s %g", mode, message ? 1.0 : least);
        run_on(two_hosts, settings, program);
        assert_int_equal(status, 0);
        at = output;
        for (int rank = message; rank < 4; ++rank) {
            double seconds;
            long looks;
            int used;
            if (sscanf(at, "%lf s, %ld looks\n%n", &seconds, &looks, &used) != 2) fail_msg("%s: %s", mode, output);
            at += used;
            if (!(seconds >= least && seconds < least * 1.01 && looks < 10000))
                fail_msg("%s: %g s, %ld looks", mode, seconds, looks);
        }
    }
}

/* The signal of a timer ends pause() and a sleep, at its time. */
static void timers_of_ranks(void **state)
{
    (void)state;
    NEEDS_THREADS;
    run_on(two_hosts, NOTHING "SIMKIT_NP=2", "clocks alarm");
    assert_int_equal(status, 0);
    assert_string_equal(output,
                        "0.030000000 s, 2 alarms, 0.090000000 s left\n0.030000000 s, 2 alarms, 0.090000000 s left\n");
}

/* Ranks that wait for each other by pipes, connections and locks of the system, on one core and on two. */
static void ranks_wait_for_files(void **state)
{
    static const char wanted[] =
        "1: write 4 at 0.625000\n0: fgets 1 at 0.625000\n0: fgets 0 at 0.875000\n"
        "1: connect 0 at 0.250000\n0: accept 1 at 0.250000\n0: poll with a limit 0 at 0.300000\n"
        "1: write 3 at 1.250000\n0: poll 1 at 1.250000\n0: recv 3 at 1.250000\n"
        "0: send 5 at 1.750000\n1: read 5 at 1.750000\n1: read 0 at 1.750000\n"
        "0: flock 0 at 0.000000\n1: flock 0 at 1.000000\n0: write 3000000 at 6.000000\n0: fsync 0 at 7.250000\n"
        "0: child 5 at 7.250000\n0: system 6 at 7.250000\n";
    static const char disk[] = "disk_cache = 1 MB\ndisk_bandwidth = 1 MB/s\ndisk_latency = 250 ms\n";
    char machine[512];
    snprintf(machine, sizeof machine, "%s%s", two_hosts, disk);
    (void)state;
    NEEDS_THREADS;
    for (int cores = 1; cores <= 2; ++cores) {
        char settings[128];
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_CORES=%d SIMKIT_NP=3", cores);
        run_on(machine, settings, "piped /tmp/messages-piped");
        assert_int_equal(status, 0);
        assert_string_equal(output, wanted);
    }
    run_on(two_hosts, NOTHING "SIMKIT_RANKS=together SIMKIT_NP=3", "piped /tmp/messages-piped");
    assert_int_not_equal(status, 0);
    says("fopen() would wait, in a process that ranks share, for another rank perhaps: not supported");
    unlink("/tmp/messages-piped");
}

/* A rank sees all cores of its host, which is not bound to any, and the name of the host. */
static void ranks_see_their_hosts(void **state)
{
    (void)state;
    NEEDS_THREADS;
    run_on(two_hosts, NOTHING "SIMKIT_NP=1", "sees asks binds reads names");
    assert_int_equal(status, 0);
    assert_non_null(
        strstr(output, "sysconf_onln 4\nsysconf_conf 4\nget_nprocs 4\nget_nprocs_conf 4\nsched_getaffinity 4\n"));
    assert_non_null(strstr(output, "getattr_affinity_count 4\n"));
    assert_non_null(
        strstr(output, "create_bound 0\nthread_affinity_count 1\nthread_affinity_last 3\nthread_getcpu 3\n"));
    assert_non_null(strstr(output, "/sys/devices/system/cpu/online: 1, 0-3\n"));
    assert_non_null(strstr(output, "gethostname a0\nuname a0\nshort 1\n"));
    run_on(two_hosts, NOTHING "SIMKIT_NP=5", "sees names");
    assert_non_null(strstr(output, "gethostname a1\nuname a1\n"));
}

/* A thread that goes on when its rank ends gets no turn in a process that is gone. */
static void ranks_end_while_threads_go_on(void **state)
{
    (void)state;
    NEEDS_THREADS;
    for (int cores = 1; cores <= 2; ++cores) {
        char settings[128];
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_WARNINGS=none SIMKIT_CORES=%d SIMKIT_NP=3", cores);
        run_on(two_hosts, settings, "leaves return");
        assert_int_equal(status, 0);
        assert_string_equal(errors, "simkit: 3 tasks, 0.01 s\n");
        run_on(two_hosts, settings, "leaves thread");
        assert_int_equal(status, 0);
        assert_string_equal(errors, "simkit: 3 tasks, 0.02 s\n");
    }
}

/* Both processes hold the same place in the run: the child cannot be a rank. */
static void children_make_no_calls(void **state)
{
    static const char *const cases[][2] = { { "", "children" },
                                            { "", "children threads" },
                                            { "SIMKIT_RANKS=together ", "children" } };
#ifdef TESTS_SLOW
    const int count = 2; /* with a sanitizer, ranks cannot share a process */
#else
    const int count = 3;
#endif
    (void)state;
    for (int i = 0; i < count; ++i) {
        char settings[128];
        snprintf(settings, sizeof settings, NOTHING "%sSIMKIT_WARNINGS=none SIMKIT_NP=2", cases[i][0]);
        run_on(two_hosts, settings, cases[i][1]);
        assert_int_equal(status, 1);
        if (strncmp(errors, "simkit: rank 1: its child, process ", 35) != 0 ||
            !strstr(errors, ", called MPI_Barrier: the child of a rank is no rank, and cannot make calls\n"))
            fail_msg("%s", errors);
    }
}

/* Each rank has an object of its own, where processes would share one; this is told. */
static void objects_of_several_processes(void **state)
{
    static const char *const cases[][2] = { { "mutex", "pthread_mutex_init" },     { "cond", "pthread_cond_init" },
                                            { "barrier", "pthread_barrier_init" }, { "rwlock", "pthread_rwlock_init" },
                                            { "semaphore", "sem_init" },           { "named", "sem_open" } };
    (void)state;
    NEEDS_THREADS;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char program[64], wanted[160];
        snprintf(program, sizeof program, "objects %s", cases[i][0]);
        snprintf(wanted, sizeof wanted,
                 "simthreads: %s() for several processes: on the virtual clock it works among the threads of one "
                 "process only\n",
                 cases[i][1]);
        run_on(two_hosts, NOTHING "SIMKIT_NP=2", program);
        assert_int_equal(status, 0);
        assert_string_equal(output, "2\n");
        if (!strstr(errors, wanted)) fail_msg("%s in:\n%s", wanted, errors);
    }
}

/* OpenBLAS makes its threads before main(), gcc's OpenMP its places. */
static void libraries_know_the_host(void **state)
{
    char path[700];
    (void)state;
    NEEDS_THREADS;
    snprintf(path, sizeof path, "%s/blas", programs);
    if (access(path, X_OK) == 0) {
        run_on(two_hosts, NOTHING "SIMKIT_NP=2", "blas");
        assert_string_equal(output, "rank 0: 1 threads, right\nrank 1: 1 threads, right\n");
        run_on(two_hosts, NOTHING "OPENBLAS_NUM_THREADS=3 SIMKIT_NP=1", "blas");
        assert_string_equal(output, "rank 0: 3 threads, right\n");
        run_on(two_hosts, NOTHING "OMP_NUM_THREADS=64 SIMKIT_NP=1", "blas");
        assert_string_equal(output, "rank 0: 4 threads, right\n");
        run_on(two_hosts, "OPENBLAS_NUM_THREADS=2 SIMKIT_NP=2", "blas");
        assert_int_equal(status, 0);
    }
    snprintf(path, sizeof path, "%s/hybrid", programs);
    if (access(path, X_OK) != 0) skip(); /* the compiler has no OpenMP */
    run_on(two_hosts, NOTHING "OMP_PLACES=cores OMP_NUM_THREADS=2 SIMKIT_NP=1", "hybrid 0 0 0");
    assert_non_null(strstr(output, "0 by 2 threads of 4 processors, 4 places\n"));
}

/* ThreadSanitizer, in a program that simcc has linked with it: it finds races of threads of a rank, also with what MPI writes. */
static void races_of_threads_are_found(void **state)
{
    static const char *const races[][2] = { { "sum", "#0 add " }, { "message", "#0 second " } };
    char path[700];
    (void)state;
    snprintf(path, sizeof path, "%s/races", programs);
    if (access(path, X_OK) != 0) skip();
    for (int cores = 1; cores <= 2; ++cores) {
        char settings[128], program[64];
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_CORES=%d SIMKIT_NP=2", cores);
        run_on(two_hosts, settings, "races");
        assert_int_equal(status, 0);
        prints("sum 6000\n");
        if (strstr(errors, "ThreadSanitizer")) fail_msg("%s", errors);
        for (int i = 0; i < 2; ++i) {
            snprintf(program, sizeof program, "races %s", races[i][0]);
            run_on(two_hosts, settings, program);
            assert_int_equal(status, 66); /* of ThreadSanitizer */
            says("WARNING: ThreadSanitizer: data race");
            says(races[i][1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_see_their_hosts),
        cmocka_unit_test(parts_take_what_cores_and_locks_allow),
        cmocka_unit_test(threads_make_calls),
        cmocka_unit_test(threads_wait_for_ever),
        cmocka_unit_test(threads_are_cancelled_in_calls),
        cmocka_unit_test(threads_call_at_once),
        cmocka_unit_test(threads_test_and_compute),
        cmocka_unit_test(threads_share_a_window),
        cmocka_unit_test(ranks_of_openmp),
        cmocka_unit_test(splits_are_compared),
        cmocka_unit_test(ranks_have_a_number_of_threads),
        cmocka_unit_test(threads_make_handles),
        cmocka_unit_test(reports_know_threads),
        cmocka_unit_test(threads_are_named),
        cmocka_unit_test(loops_that_look_at_clocks),
        cmocka_unit_test(timers_of_ranks),
        cmocka_unit_test(ranks_wait_for_files),
        cmocka_unit_test(ranks_end_while_threads_go_on),
        cmocka_unit_test(children_make_no_calls),
        cmocka_unit_test(libraries_know_the_host),
        cmocka_unit_test(objects_of_several_processes),
        cmocka_unit_test(races_of_threads_are_found),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
