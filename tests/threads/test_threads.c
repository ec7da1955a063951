/* examples/threads: unchanged threaded programs on the virtual clock. Each test runs a program under build/simthreads or with
 * the library before it, and looks at what it prints, and at the virtual time. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contention.h"
#include "examples/threads/demand.h"

static char build[512], output[1 << 18], errors[1 << 16];
static int status;

static void slurp(const char *path, char *text, size_t room)
{
    FILE *f = fopen(path, "rb");
    const size_t length = f ? fread(text, 1, room - 1, f) : 0;
    text[length] = 0;
    if (f) fclose(f);
}

/* Runs a command of the shell in which %1$s is the build directory. */
__attribute__((format(printf, 1, 2))) static void run(const char *format, ...)
{
    char command[4096], all[4400], out[64] = "/tmp/threads.XXXXXX", err[64] = "/tmp/threads.XXXXXX";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    const int made[2] = { mkstemp(out), mkstemp(err) };
    assert_true(made[0] >= 0 && made[1] >= 0);
    close(made[0]);
    close(made[1]);
    snprintf(all, sizeof all, "{ %s; } >%s 2>%s </dev/null", command, out, err);
    const int result = system(all);
    status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    slurp(out, output, sizeof output);
    slurp(err, errors, sizeof errors);
    unlink(out);
    unlink(err);
}

static void says(const char *text, const char *wanted)
{
    if (strstr(text, wanted)) return;
    print_message("expected '%s' in:\n%s\n%s\n", wanted, output, errors);
    fail();
}

static void succeeds(void)
{
    if (status) print_message("status %d:\n%s\n%s\n", status, output, errors);
    assert_int_equal(status, 0);
}

/* Nothing is said, but perhaps that a wait for a child takes long. */
static void outside_at_most(void)
{
    if (*errors) says(errors, "main waits in waitpid() for something outside of the program");
}

/* What it prints with real threads is in tests/threads/NAME.txt. */
static void conforms(const char *name)
{
    static const char *const cores[] = { "1", "2", "5", "64" };
    char path[600];
    snprintf(path, sizeof path, "%s/threads/%s", build, name);
    if (access(path, X_OK) != 0) skip();
    for (int fixed = 0; fixed < 2; ++fixed)
        for (size_t i = 0; i < sizeof cores / sizeof *cores; ++i) {
            if (fixed && (strcmp(name, "conform_cxx") == 0 || strcmp(name, "conform_omp") == 0)) continue; /* they wait without a call, so they need preemption */
            run("timeout 60 env SIMTHREADS_REPORT=none SIMTHREADS_CORES=%s %s LD_PRELOAD=%s/libsimthreads.so %s | diff tests/threads/%s.txt -", cores[i],
                fixed ? "SIMTHREADS_CHARGE=1e-6" : "", build, path, name);
            succeeds();
            assert_string_equal(errors, "");
        }
}

static void posix_conforms(void **state)
{
    (void)state;
    conforms("conform");
}

static void c11_conforms(void **state)
{
    (void)state;
    conforms("conform_c11");
}

static void cxx_conforms(void **state)
{
    (void)state;
    conforms("conform_cxx");
}

static void openmp_conforms(void **state)
{
    (void)state;
    conforms("conform_omp");
}

static void openmp_data_conform(void **state)
{
    (void)state;
    conforms("conform_tasks");
}

/* A thread that has computed takes no work that another one, behind it in virtual time, would have taken. */
static void openmp_shares_work(void **state)
{
    static const char *const cores[] = { "1", "2", "5" };
    static const char expected[] = "dynamic shared\nunsigned dynamic shared\nsingle shared\nsections shared\ntask shared\ntaskloop shared\n";
    char path[600];
    (void)state;
    snprintf(path, sizeof path, "%s/threads/shares", build);
    if (access(path, X_OK) != 0) skip();
    for (size_t i = 0; i < sizeof cores / sizeof *cores; ++i) {
        run("timeout 60 env OMP_WAIT_POLICY=passive SIMTHREADS_REPORT=none SIMTHREADS_CORES=%s SIMTHREADS_CHARGE=1e-6 LD_PRELOAD=%s/libsimthreads.so %s",
            cores[i], build, path);
        succeeds();
        assert_string_equal(output, expected);
    }
}

/* Each program verifies its result; its checksum with real threads is in tests/threads/openmp/FILE.txt. Programs of clang take long. */
static void openmp_programs_are_right(void **state)
{
    static const char *const files[] = { "loops", "tasks", "waits", "objects" };
    int there = 0;
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[600], expected[2048];
        snprintf(path, sizeof path, "%s/threads/openmp_%s", build, files[i]);
        if (access(path, X_OK) != 0) continue;
        ++there;
        snprintf(path, sizeof path, "tests/threads/openmp/%s.txt", files[i]);
        slurp(path, expected, sizeof expected);
        const size_t length = strlen(expected);
        assert_true(length > 0);
        run("timeout 120 %s/simthreads --cores 1,2,5 --output all %s/threads/openmp_%s all 0.05", build, build, files[i]);
        succeeds();
        for (size_t cores = 0; cores < 3; ++cores)
            if (strlen(output) < 3 * length || strncmp(output + cores * length, expected, length) != 0)
                fail_msg("expected three times\n%sin:\n%s\n%s", expected, output, errors);
    }
    if (!there) skip();
}

/* The runtime of clang asks the kernel for the processors, not the C library. */
static void processors_are_the_simulated_ones(void **state)
{
    static const char *const cores[] = { "1", "3", "64", "100" };
    (void)state;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; ++i) {
        char expected[100];
        run("%s/simthreads --cores %s %s/threads/processors", build, cores[i], build);
        succeeds();
        snprintf(expected, sizeof expected, "sysconf %s, sched_getaffinity %s, syscall %s\n", cores[i], cores[i], cores[i]);
        says(output, expected);
        says(output, "a set of 1 remains\nno set: Bad address\n");
    }
}

/* By call, by system call, and by what is written in files of the system. */
static void the_machine_is_the_simulated_one(void **state)
{
    static const int cores[] = { 1, 5, 64 };
    (void)state;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; ++i) {
        const int n = cores[i], last = n - 1;
        char line[256], list[16];
        snprintf(list, sizeof list, last > 0 ? "0-%d" : "%d", last);
        run("%s/simthreads --charge 0 --cores %d --output first %s/threads/sees asks binds reads", build, n, build);
        succeeds();
        snprintf(line, sizeof line, "sysconf_onln %d\nsysconf_conf %d\nget_nprocs %d\nget_nprocs_conf %d\n", n, n, n, n);
        says(output, line);
        snprintf(line, sizeof line, "sched_getaffinity %d\nsyscall_getaffinity 8\nsyscall_getaffinity_small -22\n", n);
        says(output, line);
        snprintf(line, sizeof line, "pthread_getaffinity %d\ngetattr_affinity 0\ngetattr_affinity_count %d\n", n, n);
        says(output, line);
        says(output, "sched_getcpu 0\nsyscall_getcpu 0\ngetcpu_core 0\ngetcpu_node 0\ngetcpu 0\n");
        /* a thread that is bound by its attributes, then one that inherits it */
        snprintf(line, sizeof line,
                 "attr_setaffinity 0\ncreate_bound 0\nthread_affinity_count 1\nthread_affinity_last %d\nthread_getcpu %d\n",
                 last, last);
        says(output, line);
        snprintf(line, sizeof line,
                 "setaffinity 0\nsetaffinity_getcpu %d\nthread_affinity_count 1\nthread_affinity_last %d\n"
                 "thread_getcpu %d\nsetaffinity_beyond -22\n",
                 last, last, last);
        says(output, line);
        snprintf(line, sizeof line, "/proc/cpuinfo: %d, processor\t: 0\n", n);
        if (strstr(output, "/proc/cpuinfo: ") && access("/proc/cpuinfo", R_OK) == 0) says(output, line);
        snprintf(line, sizeof line, "/proc/self/status: 1, Cpus_allowed_list:\t%d\n", last); /* it is bound by now */
        says(output, line);
        snprintf(line, sizeof line, "/sys/devices/system/cpu/online: 1, %s\n/sys/devices/system/cpu/possible: 1, %s\n", list,
                 list);
        says(output, line);
        snprintf(line, sizeof line, "\nopen %s\nopenat %s\n", list, list);
        says(output, line);
        snprintf(line, sizeof line, "\nsyscall_openat %s\n", list);
        says(output, line);
    }
}

/* Places are those of the simulated cores, and threads can be bound to them. */
static void places_are_the_simulated_ones(void **state)
{
    static const char program[] =
        "#include <omp.h>\\n#include <stdio.h>\\nint main(void)\\n{\\nint n = 0;\\n#pragma omp parallel reduction(+ : n)\\nn += "
        "1;\\nprintf(\"places %%d, threads %%d\\\\n\", omp_get_num_places(), n);\\nreturn 0;\\n}\\n";
    static const char *const compilers[] = { "gcc", "clang" };
    (void)state;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; ++i) {
        char command[1024], path[64];
        snprintf(path, sizeof path, "/tmp/places.%ld", (long)getpid());
        snprintf(command, sizeof command, "printf '%s' >%s.c && %s -fopenmp %s.c -o %s 2>/dev/null", program, path,
                 compilers[i], path, path);
        if (system(command) == 0)
            for (int cores = 3; cores <= 5; cores += 2) {
                char line[64];
                run("OMP_PLACES=cores OMP_PROC_BIND=close %s/simthreads --charge 0 --cores %d --output first %s", build, cores,
                    path);
                succeeds();
                snprintf(line, sizeof line, "places %d, threads %d\n", cores, cores);
                says(output, line);
            }
        snprintf(command, sizeof command, "rm -f %s %s.c", path, path);
        if (system(command) != 0) fail();
    }
}

/* Active waiting would be charged as computing; whoever wants it says so. */
static void openmp_waits_passively(void **state)
{
    (void)state;
    run("%s/simthreads --cores 2 printenv OMP_WAIT_POLICY", build);
    says(output, "passive\n");
    run("OMP_WAIT_POLICY=active %s/simthreads --cores 2 printenv OMP_WAIT_POLICY", build);
    says(output, "active\n");
    run("GOMP_SPINCOUNT=5 %s/simthreads --cores 2 sh -c 'echo \\$OMP_WAIT_POLICY.'", build);
    says(output, ".\n");
}

/* A short wait at a barrier takes what spinning takes, a longer one a wake-up; so does each where there are more threads than cores, or where
 * the user's policy is to wait passively. */
static void openmp_waits_as_if_it_spun(void **state)
{
    static const struct {
        const char *settings, *arguments, *expected;
    } cases[] = {
        { "SIMTHREADS_CORES=2 SIMTHREADS_SPIN=1e-7", "10000 1e-5", "0.10 us\n" },
        { "SIMTHREADS_CORES=2 SIMTHREADS_SPIN=1e-7", "10 1", "20.00 us\n" },
        { "SIMTHREADS_CORES=1 SIMTHREADS_SPIN=1e-7", "10000 1e-5", "20.00 us\n" },
        { "SIMTHREADS_CORES=2", "10000 1e-5", "20.00 us\n" },
    };
    char path[600];
    (void)state;
    snprintf(path, sizeof path, "%s/threads/spins", build);
    if (access(path, X_OK) != 0) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        run("timeout 60 env OMP_WAIT_POLICY=passive SIMTHREADS_REPORT=none SIMTHREADS_CHARGE=0 SIMTHREADS_WAKE=2e-5 %s "
            "LD_PRELOAD=%s/libsimthreads.so %s %s", cases[i].settings, build, path, cases[i].arguments);
        succeeds();
        assert_string_equal(output, cases[i].expected);
    }
    run("%s/simthreads --cores 5 --output all %s", build, path);
    says(output, "5 threads\n");
}

static double column(int row, int number)
{
    char *line = output;
    for (; line && row > 0; --row) line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
    assert_non_null(line);
    double value = NAN;
    for (int i = 0; i <= number; ++i) value = strtod(line, &line), line += *line == ',';
    return value;
}

/* The time of work of known length is known, to the rounding of doubles. */
static void amdahl(void **state)
{
    (void)state;
    run("%s/simthreads --charge 0 --cores 1,2,3,8,32 --output none --csv /tmp/threads-amdahl.csv %s/threads/amdahl 0.5 12 0 >&2 && cat /tmp/threads-amdahl.csv",
        build, build);
    succeeds();
    const double cores[] = { 1, 2, 3, 8, 32 };
    for (int i = 0; i < 5; ++i) {
        assert_true(column(i + 1, 0) == cores[i]);
        assert_true(fabs(column(i + 1, 1) - (0.5 + 12 / cores[i])) < 1e-9);
        assert_true(fabs(column(i + 1, 2) - 12.5 / (0.5 + 12 / cores[i])) < 1e-4);
        /* idle while one thread works: (cores - 1) 0.5 s */
        assert_true(fabs(column(i + 1, 4) - 100 * (cores[i] - 1) * 0.5 / cores[i] / (0.5 + 12 / cores[i])) < 0.01);
    }
    run("%s/simthreads --charge 0 --cores 4 --output none --csv /tmp/threads-amdahl.csv %s/threads/amdahl 0.5 8 0.25 >&2 && cat /tmp/threads-amdahl.csv",
        build, build);
    succeeds();
    assert_true(fabs(column(1, 1) - (0.5 + 2 + 4 * 0.25)) < 1e-9); /* the lock is taken by one after another */
    says(errors, "1.500000         3     0.750000   mutex lock in work() amdahl.c");
    says(errors, "locked by work() amdahl.c");
    says(errors, "1.000000 s of work(), 0.500000 s of main()");
    run("%s/simthreads --charge 0 --cores 4,8 --output none --svg /tmp/threads-amdahl.svg --csv /tmp/threads-amdahl.csv %s/threads/amdahl 0.5 8 0.125 >&2 && "
        "cat /tmp/threads-amdahl.csv && grep -E 'text|polyline' /tmp/threads-amdahl.svg; rm -f /tmp/threads-amdahl.svg", build, build);
    succeeds(); /* 3 s and 2.5 s: over the first of them where there is no run with one core */
    assert_true(column(1, 2) == 1 && column(2, 2) == 1.2);
    says(output, "cores,time,speed_up_over_4,cpu,");
    says(output, ">Predicted speed-up of amdahl, over 4 cores</text>");
    says(output, ">as many times as cores</text>");
    says(errors, "over 4         [%]   one works");
    says(errors, "     4     3.000000      1.00       100.0 ");
    says(errors, "     8     2.500000      1.20        60.0 ");
    run("%s/simthreads --charge 0 --cores 2 --output none --csv /tmp/threads-amdahl.csv %s/threads/amdahl 0 0 0.25 >&2; cat /tmp/threads-amdahl.csv; rm /tmp/threads-amdahl.csv",
        build, build);
    assert_true(fabs(column(1, 1) - 0.5) < 1e-9);
}

/* The sum of the rows of a path in JSON, and what stands after "seconds" of the run [s]. */
static double path_sum(double *whole)
{
    const char *at = strstr(output, "\"seconds\": ");
    double sum = 0;
    assert_non_null(at);
    *whole = strtod(at + 11, NULL);
    for (at = strstr(at, "{ \"reason\""); at; at = strstr(at + 1, "{ \"reason\""))
        sum += strtod(strstr(at, "\"seconds\": ") + 11, NULL);
    return sum;
}

/* The path is known where the times are, and always adds up. */
static void critical_paths(void **state)
{
    static const char *const programs[] = { "conform", "shares", "pipes", "timers" };
    double whole;
    (void)state;
    run("%s/simthreads --charge 0 --cores 4 --output none --why --json /tmp/threads-why.json %s/threads/amdahl 0.5 8 0.25 >&2 && "
        "cat /tmp/threads-why.json; rm -f /tmp/threads-why.json", build, build);
    succeeds();
    assert_true(fabs(path_sum(&whole) - 3.5) < 1e-9 && fabs(whole - 3.5) < 1e-9);
    says(output, "{\n  \"schema\": \"simkit-why\",\n  \"version\": 1,\n  \"program\": \"simthreads\",\n");
    says(output, "\"who\": \"work()\", \"where\": \"ends a wait: mutex lock\", \"seconds\": 2.75, \"pieces\": 3 }");
    says(output, "\"who\": \"work()\", \"where\": \"ends a wait: join\", \"seconds\": 0.25, \"pieces\": 1 }");
    says(errors, "critical path: 3.5 s\n");
    says(errors, "        2.75   78.6       3  computing     work(), ends a wait: mutex lock\n");
    says(errors, "         0.5   14.3       1  computing     main()\n");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
        run("%s/simthreads --cores 2 --output none --json /tmp/threads-why.json %s/threads/%s >&2; cat /tmp/threads-why.json; "
            "rm -f /tmp/threads-why.json", build, build, programs[i]);
        const double sum = path_sum(&whole);
        assert_true(whole > 0 && fabs(sum - whole) <= 1e-9 * whole);
    }
    run("%s/simthreads --charge 0 --cores 1 --json /nowhere/why.json %s/threads/amdahl 0 0 0", build, build);
    assert_int_equal(status, 1);
    says(errors, "simthreads: --json /nowhere/why.json: No such file or directory\n");
}

/* With nothing measured, the same run has the same report. */
static void same_bits(void **state)
{
    static char before[sizeof output];
    (void)state;
    for (int i = 0; i < 2; ++i) {
        run("cd /tmp && SIMTHREADS_CORES=3 SIMTHREADS_CHARGE=2.5e-6 SIMTHREADS_WAKE=1e-5 SIMTHREADS_REPORT=threads-report "
            "LD_PRELOAD=%s/libsimthreads.so setarch -R %s/threads/conform_c11 >/dev/null && cat threads-report; rm -f threads-report",
            build, build);
        succeeds();
        says(output, "\nend\n");
        if (i == 0) strcpy(before, output);
    }
    assert_string_equal(before, output);
}

static void stuck(const char *settings, const char *mode, int expected)
{
    run("timeout 60 env %s SIMTHREADS_REPORT=none SIMTHREADS_CORES=2 LD_PRELOAD=%s/libsimthreads.so %s/threads/deadlock %s", settings, build, build, mode);
    if (status != expected) print_message("%s\n%s\n", output, errors);
    assert_int_equal(status, expected);
}

static void what_cannot_go_on(void **state)
{
    (void)state;
    stuck("SIMTHREADS_CHARGE=1e-6", "locks", 71);
    says(errors, "simthreads: deadlock at 0.00100");
    says(errors, "3 threads wait, and nothing else can happen:");
    says(errors, "\n    thread 0 main waits in pthread_join() since ");
    says(errors, "for the end of thread 1");
    says(errors, "\n    thread 1 first waits in pthread_mutex_lock() since ");
    says(errors, ", which thread 2 holds");
    says(errors, ", which thread 1 holds");
    stuck("", "condition", 71);
    says(errors, "for condition what never comes");
    stuck("SIMTHREADS_POLLS=1000", "poll", 70);
    says(errors, "threads have polled 1000 times in a row, by sched_yield() at last");
    says(errors, "SIMTHREADS_POLLS=0 sets no limit");
    stuck("", "aio", 70);
    says(errors, "aio_read() is served by threads that pthread_create() has not made");
    stuck("", "handler", 70);
    says(errors, "sem_post() was called by a signal handler while its thread waits in sem_wait(): not supported");
#ifdef __x86_64__
    stuck("", "futex", 71);
    says(errors, "thread 1 waits in futex() since ");
#endif
}

/* System calls by functions, by syscall() and by instructions do the same, with real threads and on the virtual clock; also where
 * the kernel has no Syscall User Dispatch, but for libraries that are loaded later. */
static void bare_calls(void **state)
{
    static const char *const settings[] = { "SIMTHREADS_CORES=1", "SIMTHREADS_CORES=4 SIMTHREADS_CHARGE=0" };
    (void)state;
    run("%s/threads/bare sigsys", build);
    if (status == 77) skip();
    assert_string_equal(output, "1, then 0\n");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
        run("timeout 60 env SIMTHREADS_REPORT=none %s LD_PRELOAD=%s/libsimthreads.so %s/threads/bare 1000 | diff tests/threads/bare.txt -",
            settings[i], build, build);
        succeeds();
        outside_at_most();
        run("%s/threads/bare without dispatch timeout 60 env SIMTHREADS_REPORT=none %s LD_PRELOAD=%s/libsimthreads.so "
            "%s/threads/bare 1000 plain >/tmp/threads-bare; grep -v -e loaded -e constructor tests/threads/bare.txt | "
            "diff - /tmp/threads-bare; rm /tmp/threads-bare", build, settings[i], build, build);
        succeeds();
        assert_string_equal(output, "");
        outside_at_most();
    }
    run("SIMTHREADS_REPORT=none LD_PRELOAD=%s/libsimthreads.so %s/threads/bare sigsys", build, build);
    succeeds();
    assert_string_equal(output, "1, then 0\n");
    run("SIMTHREADS_REPORT=none LD_PRELOAD=%s/libsimthreads.so %s/threads/bare clone", build, build);
    assert_int_equal(status, 70);
    says(errors, "a system call of the program's own is clone() with flags 0x111 and a stack: expected a child with a copy of the "
                 "memory, others are not supported");
    run("%s/threads/bare without both timeout 60 env SIMTHREADS_REPORT=none SIMTHREADS_CORES=2 LD_PRELOAD=%s/libsimthreads.so "
        "%s/threads/deadlock futex", build, build, build);
    assert_int_equal(status, 70);
    says(errors, "the program has system calls of its own, and the kernel does not let them be intercepted: ");
    says(errors, "thread 1 waits on a futex by a system call of its own, so the virtual clock does not see it: not supported");
}

/* Where nothing is measured, looking again and again takes no virtual time, so it would never end. */
static void looking_for_ever_ends(void **state)
{
    static const char *const calls[] = { "clock_gettime", "time", "gettimeofday", "clock", "timespec_get", "pthread_cond_timedwait",
                                         "pthread_mutex_timedlock", "pthread_mutex_trylock", "sem_timedwait", "sem_trywait",
                                         "sem_getvalue", "pthread_rwlock_timedwrlock", "pthread_tryjoin_np", "pthread_timedjoin_np",
                                         "poll", "select", "clock_nanosleep", "sigtimedwait", "futex", "pthread_kill", "CPU" };
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        char mode[64], expected[128];
        snprintf(mode, sizeof mode, "until %s", calls[i]);
        const bool clock = i < 5 || strcmp(calls[i], "CPU") == 0; /* each look takes time */
        snprintf(expected, sizeof expected, "%s s: threads have polled 1000 times in a row, by %s", clock ? "" : "at 0",
                 strcmp(calls[i], "CPU") == 0 ? "clock_gettime()" : calls[i]);
        stuck("SIMTHREADS_CHARGE=0 SIMTHREADS_POLLS=1000", mode, 70);
        says(errors, expected);
    }
    stuck("SIMTHREADS_CHARGE=0", "until clock_gettime", 70);
    says(errors, "threads have polled 10000000 times in a row, by clock_gettime() at last");
    stuck("SIMTHREADS_CHARGE=0", "yield", 0);
    stuck("SIMTHREADS_CHARGE=0", "spin", 0);
}

/* Threads that spin without a call have the same in their registers after each quantum. */
static void spinning_for_ever_ends(void **state)
{
    static const char *const settings[] = { "SIMTHREADS_CHARGE=1e-6", "SIMTHREADS_CALL=0" };
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
        stuck(settings[i], "barrier", 70);
        says(errors, " spins in ");
        says(errors, "/threads/deadlock+0x");
        says(errors, ", as all others that could go on do, and nothing has changed for 3 s of real time.");
    }
    stuck("SIMTHREADS_CHARGE=1e-6 SIMTHREADS_POLLS=100000", "barrier yield", 70);
    says(errors, "threads have polled 100000 times in a row, by sched_yield() at last");
}

/* What each wait for files or signals returns and takes is the same with real threads, measured and unmeasured. */
static void waits_for_files(void **state)
{
    static const char *const settings[] = { "SIMTHREADS_CORES=1", "SIMTHREADS_CORES=2", "SIMTHREADS_CORES=4 SIMTHREADS_CHARGE=0",
                                            "SIMTHREADS_CORES=1 SIMTHREADS_CHARGE=0" };
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
        run("timeout 60 env SIMTHREADS_REPORT=none %s LD_PRELOAD=%s/libsimthreads.so %s/threads/files | diff tests/threads/files.txt -", settings[i],
            build, build);
        succeeds();
        assert_string_equal(errors, "");
    }
    run("%s/simthreads --charge 0 --cores 2 %s/threads/files", build, build);
    says(output, " files in wait_by() files.c");
}

/* A thread that has the turn waits in the kernel: whom it waits for never gets the turn, or is outside of the program. */
static void waits_in_the_kernel(void **state)
{
    (void)state;
    run("timeout 60 %s/simthreads --cores 2 %s/threads/files creat; rm -rf /tmp/files.??????", build, build);
    says(errors, " s: thread 0, main has waited for 3 s of real time in ");
    says(errors, ", which the virtual clock does not see, and meanwhile 1 other thread cannot go on: not supported");
    says(errors, "with 2 cores ended with status 70");
    run("%s/simthreadcc -O1 tests/threads/files.c -o /tmp/threads-files && SIMTHREADS_CORES=2 timeout 60 /tmp/threads-files creat", build);
    assert_int_equal(status, 70);
    says(errors, "of real time in ");
    unlink("/tmp/threads-files");
    run("rm -rf /tmp/files.??????; (sleep 0.3; echo y) | timeout 60 env SIMTHREADS_CORES=2 SIMTHREADS_CHARGE=0 LD_PRELOAD=%s/libsimthreads.so "
        "%s/threads/files outside", build, build);
    succeeds();
    assert_string_equal(output, "read 1, y\n");
    says(errors, "at 0.001 s: thread 0, main waits in read() for something outside of the program: as no times are measured, this takes no virtual time");
    says(errors, "0.001000 s on 2 cores: 2 threads");
    run("(sleep 0.5; echo y) | timeout 60 env SIMTHREADS_CORES=2 LD_PRELOAD=%s/libsimthreads.so %s/threads/files outside", build, build);
    succeeds();
    says(errors, "main waits in read() for something outside of the program: such waits take the time that they really take");
    assert_null(strstr(errors, "simthreads: 0.00")); /* seconds on 2 cores */
}

/* Calls that wait for what another thread or a child does return what they return with real threads, and when. */
static void pipes_and_children(void **state)
{
    static const char *const settings[] = { "SIMTHREADS_CORES=1", "SIMTHREADS_CORES=5", "SIMTHREADS_CORES=2 SIMTHREADS_CHARGE=1e-6",
                                            "SIMTHREADS_CORES=64 SIMTHREADS_CHARGE=0" };
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
        run("timeout 60 env SIMTHREADS_REPORT=none %s LD_PRELOAD=%s/libsimthreads.so %s/threads/pipes | diff tests/threads/pipes.txt -", settings[i],
            build, build);
        succeeds();
    }
    run("timeout 60 %s/simthreads --cores 2 sh -c \"sh -c 'i=0; while [ \\$i -lt 300000 ]; do i=\\$((i + 1)); done'; true\"", build);
    succeeds();
    says(errors, ", a child of the program, was no part of the run, but ran beside it, and used a core for ");
    run("command -v bash >/dev/null || { echo ' on 2 cores'; exit; }; timeout 60 %s/simthreads --charge 0 --cores 2 bash -c 'echo a | cat; echo b'", build);
    succeeds(); /* it has functions of its own for the environment */
    says(output, " on 2 cores\n");
}

/* The cost of files, where the disk is described. */
static void disks(void **state)
{
    static const char disk[] = "--disk-cache 1e6 --disk-bandwidth 1e6 --disk-latency 0.25";
    (void)state;
    for (int cores = 1; cores <= 64; cores *= 8) {
        run("%s/simthreads --charge 0 --cores %d %s %s/threads/disks", build, cores, disk, build);
        succeeds();
        says(output, "within the cache: 1000000 at 0.000000000\nbeyond it: 2000000 at 2.000000000\nlater: 1000000 at 5.000000000\n"
                     "fsync: 0 at 6.250000000\nand again: 0 at 6.500000000\n"
                     "three of four parts come from the disk: 1000000 at 7.250000000\nat a place: 2000000 at 8.937500000\n");
        run("%s/simthreads --charge 0 --cores %d %s %s/threads/disks shared", build, cores, disk, build);
        says(output, "a write: 1000000 at 0.000000000\nfsync: 0 at 1.250000000\na second write: 1000000 at 1.250000000\n"
                     "the second fsync: 0 at 2.500000000\n");
    }
    run("%s/simthreads --charge 0 --cores 2 %s/threads/disks", build, build);
    says(output, "at a place: 2000000 at 3.000000000\n");
    run("%s/simthreads --disk-cache much --cores 2 true", build);
    says(errors, "SIMTHREADS_DISK_CACHE=much: expected a number of bytes >= 0");
}

static void old_symbols(void **state)
{
    (void)state;
    run("timeout 60 env SIMTHREADS_REPORT=none SIMTHREADS_CORES=5 LD_PRELOAD=%s/libsimthreads.so %s/threads/old", build, build);
    if (status == 77) skip();
    succeeds();
    assert_string_equal(output, "a time in the past: 110\nwords changed behind the condition: 0\n"
                                "0, 5 processors, words changed behind the set: 0\n0, a set of 1\n"
                                "0, 1 processors, words changed behind the set: 0\n0, a set of 1\n");
}

/* Where no disk is described, a thread waits for that of this machine as long as it really does. In a file system that is in memory, or on a
 * disk behind somebody else's memory, there is nothing to see. */
static void the_real_disk(void **state)
{
    double real, waited;
    (void)state;
    run("%s/threads/disks cold", build);
    assert_int_equal(sscanf(output, "waited %lf", &real), 1);
    if (real < 0.02) skip();
    run("%s/simthreads --cores 2 %s/threads/disks cold", build, build);
    succeeds();
    assert_int_equal(sscanf(output, "waited %lf", &waited), 1);
    if (!(waited > 0.001)) fail_msg("a file that took %g s to come from the disk took %g s in a run", real, waited);
    says(errors, "() takes as long as on the disk of this machine, because no other is described");
}

/* What the library itself does before main() is not charged: the first call of a program is its first. */
static void starts_at_zero(void **state)
{
    (void)state;
    run("SIMTHREADS_REPORT=none SIMTHREADS_CHARGE=0.125 LD_PRELOAD=%s/libsimthreads.so %s/threads/endings start", build, build);
    succeeds();
    assert_string_equal(output, "1000.125000000\n");
}

/* The memory of the run leaves that to the program which a limit on address space allows. */
static void little_address_space(void **state)
{
    (void)state;
    run("ulimit -v 60000 && SIMTHREADS_REPORT=none SIMTHREADS_CHARGE=0.125 LD_PRELOAD=%s/libsimthreads.so %s/threads/endings start", build, build);
    succeeds();
    assert_string_equal(output, "1000.125000000\n");
}

/* Only the process that was started reports, however its children end; and it does so whatever its status is. */
static void endings(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i) {
        run("%s/simthreads --charge 0 --cores 2 %s/threads/endings child", build, build);
        succeeds();
        says(output, "the child said 4\n");
        says(output, "0.001000 s on 2 cores\n");
        assert_string_equal(errors, "");
    }
    run("cd /tmp && SIMTHREADS_CHARGE=0 SIMTHREADS_REPORT=threads-report LD_PRELOAD=%s/libsimthreads.so %s/threads/endings child && cat threads-report; "
        "rm -f threads-report", build, build);
    says(output, "run\t1\t0.001\t0\t2\t");
    run("%s/simthreads --charge 0 --cores 2 %s/threads/endings vfork", build, build);
    succeeds();
    says(output, "the child ended with 3\n");
    says(output, "0.002000 s on 2 cores\n");
    run("%s/simthreads --charge 0 --cores 2 %s/threads/endings fork", build, build);
    succeeds();
    says(output, "the child ended with 4\n");
    says(output, "0.001000 s on 2 cores\n");
    run("%s/simthreads --charge 0 --cores 1 %s/threads/endings forked", build, build);
    says(output, "0, 1, 4 after 3 s\n");
    says(output, "3.001000 s on 1 core\n");
    run("%s/simthreads --charge 0 --cores 2 %s/threads/endings exec", build, build);
    assert_int_equal(status, 8);
    says(output, "0.002000 s on 2 cores\n");
    run("SIMTHREADS_REPORT=none LD_PRELOAD=%s/libsimthreads.so %s/threads/endings engine", build, build);
    assert_int_equal(status, 70);
    says(errors, "the program was linked with another version of this library: link it again with simcc");
    run("%s/simthreads --charge 0 --cores 2 %s/threads/endings quick", build, build);
    assert_int_equal(status, 6);
    says(output, "0.001000 s on 2 cores\n");
    run("%s/simthreads --charge 0 --cores 2 %s/threads/endings group", build, build);
    assert_int_equal(status, 7);
    says(output, "0.001000 s on 2 cores\n");
    run("%s/simthreads --charge 0 --cores 1,3 %s/threads/endings status 26", build, build);
    assert_int_equal(status, 26);
    says(errors, "endings with 1 core ended with status 26\n");
    says(errors, "endings with 3 cores ended with status 26\n");
    says(output, "     3     0.001000      1.00        33.3 ");
    says(output, "With 3 cores: 2 threads, 0.001000 s");
}

/* Timers of the system are not virtual; whoever sets one is told, once. */
/* Signals, timers and clocks of CPU time: handlers run at the right time, within sleeps, waits and computations. */
static void timers(void **state)
{
    static const char *const settings[] = { "--charge 0 --cores 1", "--charge 0 --cores 2", "--charge 0 --cores 5", "--charge 0 --cores 64", "--cores 2" };
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
        const bool measured = i == 4; /* then, calls take CPU time */
        run("sed '%s' tests/threads/timers.txt >/tmp/threads-timers; timeout 60 %s/simthreads %s --output all %s/threads/timers %s | "
            "sed '/^$/,$d' | diff /tmp/threads-timers -; rm /tmp/threads-timers",
            measured ? "/^computing/,$d" : "", build, settings[i], build, measured ? "" : "compute");
        assert_string_equal(output, "");
        assert_string_equal(errors, "");
    }
}

/* A loop that only looks at a clock ends, at most 1 % late, and after few looks. */
static void loops_that_look_at_clocks(void **state)
{
    static const char *const modes[] = { "monotonic", "day", "time", "cpu", "two", "usage", "yield", "trylock", "poll", "syscall" };
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i)
        for (int measured = 0; measured <= (i == 0 || i == 3 || i == 7); ++measured) {
            enum { THREADS = 5 };
            const char *at = output;
            run("timeout 60 %s/simthreads %s --cores 2 --output all %s/threads/clocks %s %d 0.2", build, measured ? "" : "--charge 0", build,
                modes[i], THREADS);
            succeeds();
            for (int k = 0; k < THREADS; ++k) {
                double seconds;
                long looks;
                int used;
                if (sscanf(at, "%lf s, %ld looks\n%n", &seconds, &looks, &used) != 2) fail_msg("%s: %s", modes[i], output);
                at += used;
                if (strcmp(modes[i], "time") == 0 ? seconds != 1 : !(seconds >= 0.2 && seconds < 0.202)) fail_msg("%s: %g s", modes[i], seconds);
                if (!measured) assert_true(looks < 20000);
            }
        }
    /* A flag that another thread sets is seen at once. */
    run("%s/simthreads --charge 0 --cores 2 --output all %s/threads/clocks flag 1 0.5", build, build);
    succeeds();
    says(output, "0.250000000 s");
    /* So is one for which threads wait that do not look at a clock, and make calls that take no time. */
    for (int cores = 1; cores <= 4; cores += 3) {
        run("timeout 60 %s/simthreads --charge 0 --cores %d --output all %s/threads/clocks blind 3 0.5", build, cores, build);
        int on_time = 0;
        succeeds();
        for (const char *at = output; (at = strstr(at, "0.250000000 s, ")); ++at) ++on_time;
        assert_int_equal(on_time, 3);
    }
}

static void wrong_settings(void **state)
{
    (void)state;
    run("SIMTHREADS_CORES=0 LD_PRELOAD=%s/libsimthreads.so /bin/true", build);
    assert_int_equal(status, 70);
    says(errors, "SIMTHREADS_CORES=0: expected a whole number from 1 to 1024");
    run("SIMTHREADS_WAKE=soon LD_PRELOAD=%s/libsimthreads.so /bin/true", build);
    says(errors, "SIMTHREADS_WAKE=soon: expected a number of seconds >= 0");
    run("%s/simthreads --cores 4,2 true", build);
    assert_int_equal(status, 2);
    says(errors, "--cores 4,2: expected numbers that increase");
    run("%s/simthreads --cores 1,x true", build);
    says(errors, "--cores 1,x: expected whole numbers from 1 to 1024");
    run("%s/simthreads --speed 3 true", build);
    says(errors, "--speed 3: no such option");
    run("%s/simthreads --cores 1 /nowhere/program", build);
    assert_int_equal(status, 127);
    says(errors, "/nowhere/program: No such file");
    run("%s/simthreads --cores 1 false", build);
    assert_int_equal(status, 1);
    says(errors, "false with 1 core ended with status 1");
    run("%s/simthreadcc -static x.c", build);
    assert_int_equal(status, 1);
    says(errors, "-static is not supported");
}

/* As contention_memory_level() has it: one thread for a second, then four that want twice the bandwidth. */
static void memory_is_shared(void **state)
{
    (void)state;
    run("%s/simthreads --charge 0 --cores 4 --memory-rate 1e9 --memory-bandwidth 2e9 --output none %s/threads/amdahl 1 8 0", build, build);
    succeeds();
    says(output, "5.000000 s on 4 cores\n");
    run("%s/simthreads --charge 0 --cores 4 --memory-rate 1e9 --output none %s/threads/amdahl 1 8 0", build, build);
    says(output, "3.000000 s on 4 cores\n");
    run("SIMTHREADS_MEMORY_RATE=much LD_PRELOAD=%s/libsimthreads.so /bin/true", build);
    says(errors, "SIMTHREADS_MEMORY_RATE=much: expected a number of bytes a second >= 0");
}

/* Two threads take turns on one core. Half of what they compute after a turn at most is not charged, where each has a core, or where the
 * predicted machine would leave them the core for longer, as it does with real-time priority. */
static void reloading_is_not_charged(void **state)
{
    double seconds[2][2];
    (void)state;
    for (int cores = 1; cores <= 2; ++cores)
        for (int reload = 0; reload < 2; ++reload) {
            run("%s/simthreads --cores %d --quantum 3e-3 --reload %d --output none %s/threads/kernels copy-l3 2 150", build, cores, reload, build);
            succeeds();
            seconds[cores - 1][reload] = atof(errors);
        }
    assert_true(seconds[1][1] < 0.8 * seconds[1][0]);
    assert_true(seconds[1][1] > 0.3 * seconds[1][0]);
    assert_true(seconds[0][1] > 0.6 * seconds[0][0]);
    run("chrt -r 1 true && chrt -r 1 %s/simthreads --cores 1 --quantum 3e-3 --reload 1 --output none %s/threads/kernels copy-l3 2 150", build, build);
    if (status == 0) assert_true(atof(errors) < 0.8 * seconds[0][0]);
}

/* What contention_memory_level() says of a program beside loads gives back what the program demands. */
static void a_demand_is_found(void **state)
{
    static const double others[] = { 1, 3 };
    (void)state;
    for (int i = 0; i < 2; ++i)
        for (double demand = 2e9; demand < 11e9; demand += 1e9) {
            const double bandwidth = 14e9, cores[2] = { 1, others[i] }, demands[2] = { demand, 12e9 };
            const double level = contention_memory_level(bandwidth, 2, cores, demands);
            const double loads = others[i] * fmin(demands[1], level), slowdown = 1 / contention_memory_progress(level, demand);
            assert_true(fabs(demand_rate(bandwidth, loads, slowdown) - demand) < 1e-6 * demand);
        }
    assert_true(demand_rate(14e9, 15e9, 1) == 0);
}

static void demands_are_kept(void **state)
{
    (void)state;
    run("cd $(mktemp -d) && printf 'reload 0 s\nmemory-rate 1e9 B/s\nmemory-bandwidth 2e9 B/s\n' >d && "
        "%s/simthreads --demand d --cores 1 --output none %s/threads/kernels copy-l2 1 1", build, build);
    succeeds();
    run("cd $(mktemp -d) && echo much >d && %s/simthreads --demand d --cores 1 true", build);
    assert_int_equal(status, 2);
    says(errors, "--demand d: expected the lines `reload NUMBER s`, `memory-rate NUMBER B/s` and `memory-bandwidth NUMBER B/s`");
    run("cd $(mktemp -d) && %s/simthreads --demand d --cores 1 false", build);
    assert_int_equal(status, 2);
    says(errors, "--demand: false does not end well when it runs on one core");
    run("cd $(mktemp -d) && %s/simthreads --demand d --cores 1 --output none %s/threads/kernels copy-l2 {cores} 20 && cat d", build, build);
    succeeds();
    says(errors, "kernels beside known loads: after its cache was emptied, a thread of it takes ");
    says(output, "memory-bandwidth ");
}

/* Their results do not depend on the number of threads. */
static void kernels_are_right(void **state)
{
    static const char *const names[] = { "copy-l3", "triad-l3", "stencil-l3", "sparse-l3", "copy-l2", "triad-l2" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char first[sizeof output];
        run("%s/threads/kernels %s 1 4", build, names[i]);
        succeeds();
        strcpy(first, output);
        run("SIMTHREADS_REPORT=none SIMTHREADS_CORES=3 LD_PRELOAD=%s/libsimthreads.so %s/threads/kernels %s 3 4", build, build, names[i]);
        succeeds();
        assert_string_equal(output, first);
    }
    run("%s/threads/kernels stencil-l2 2", build);
    assert_int_equal(status, 2);
    says(errors, "names: copy triad stencil sparse");
}

static void launcher(void **state)
{
    (void)state;
    run("echo ok >/tmp/threads-input && cat /tmp/threads-input | %s/simthreads --charge 0 --cores 1,2 --output all cat; rm /tmp/threads-input", build);
    succeeds();
    assert_true(strncmp(output, "ok\nok\n", 6) == 0);
    run("%s/simthreads --charge 0 --cores 1,2 --output all --svg /tmp/threads.svg echo {cores} of {cores} x{cores}y && tail -n 1 /tmp/threads.svg && rm /tmp/threads.svg", build);
    succeeds();
    says(output, "1 of 1 x1y\n2 of 2 x2y\n");
    says(output, "</svg>");
    run("%s/simthreads --quantum 0 --cores 1,3 %s/threads/conform_c11 | head -n 33 | diff tests/threads/conform_c11.txt -", build, build);
    succeeds();
    run("%s/simthreadcc -O1 tests/threads/amdahl.c -o /tmp/threads-amdahl && SIMTHREADS_CHARGE=0 SIMTHREADS_CORES=4 /tmp/threads-amdahl 1 4 0; rm -f /tmp/threads-amdahl", build);
    succeeds();
    assert_string_equal(output, "2.000000\n");
    assert_string_equal(errors, "simthreads: 2.000000 s on 4 cores: 5 threads, 5.000000 s of CPU time\n");
}

int main(void)
{
    const char *folder = getenv("BUILD");
    char here[256];
    if (!folder) folder = "build";
    snprintf(build, sizeof build, "%s%s%s", *folder == '/' || !getcwd(here, sizeof here) ? "" : here, *folder == '/' ? "" : "/", folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posix_conforms),   cmocka_unit_test(c11_conforms),   cmocka_unit_test(cxx_conforms),  cmocka_unit_test(openmp_conforms), cmocka_unit_test(openmp_data_conform), cmocka_unit_test(openmp_shares_work), cmocka_unit_test(openmp_programs_are_right), cmocka_unit_test(amdahl), cmocka_unit_test(bare_calls),
        cmocka_unit_test(critical_paths),
        cmocka_unit_test(same_bits),        cmocka_unit_test(what_cannot_go_on), cmocka_unit_test(looking_for_ever_ends), cmocka_unit_test(spinning_for_ever_ends),
        cmocka_unit_test(waits_for_files),  cmocka_unit_test(waits_in_the_kernel), cmocka_unit_test(pipes_and_children), cmocka_unit_test(disks), cmocka_unit_test(the_real_disk), cmocka_unit_test(old_symbols), cmocka_unit_test(endings), cmocka_unit_test(starts_at_zero), cmocka_unit_test(little_address_space), cmocka_unit_test(timers), cmocka_unit_test(loops_that_look_at_clocks), cmocka_unit_test(wrong_settings),
        cmocka_unit_test(launcher),         cmocka_unit_test(processors_are_the_simulated_ones),
        cmocka_unit_test(the_machine_is_the_simulated_one), cmocka_unit_test(places_are_the_simulated_ones),
        cmocka_unit_test(openmp_waits_passively), cmocka_unit_test(openmp_waits_as_if_it_spun),
        cmocka_unit_test(memory_is_shared), cmocka_unit_test(reloading_is_not_charged), cmocka_unit_test(a_demand_is_found), cmocka_unit_test(demands_are_kept), cmocka_unit_test(kernels_are_right),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
