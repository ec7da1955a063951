/* examples/messages: the cases of conform and pvm_conform print what a real MPI and a real PVM printed. */
#include "programs.h"

#ifndef TESTS_SLOW
static void conforms_with_1(void **state)
{
    (void)state;
    conforms(1);
}

static void conforms_with_4(void **state)
{
    (void)state;
    conforms(4);
}

static void conforms_with_8(void **state)
{
    (void)state;
    conforms(8);
}
#endif

static void conforms_with_2(void **state)
{
    (void)state;
    conforms(2);
}

static void conforms_with_5(void **state)
{
    (void)state;
    conforms(5);
}

static void pvm_conforms(void **state)
{
    (void)state;
    equals("tests/messages/pvm_conform.txt", "", "pvm_conform");
}

/* A call that is not implemented compiles, and the linker names it. */
static void absent_calls_do_not_link(void **state)
{
    char compiler[96], path[] = "/tmp/messages.XXXXXX.c";
    (void)state;
    int file = mkstemps(path, 2);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    assert_non_null(f);
    fputs("#include <mpi.h>\n"
          "static int join(int file) { MPI_Comm made; return MPI_Comm_join(file, &made); }\n"
          "int main(int argc, char **argv)\n"
          "{ (void)argv; return argc == 1 ? join(0) : PMPI_Comm_join(0, 0); }\n",
          f);
    fclose(f);
    snprintf(compiler, sizeof compiler, "../../simcc %s -o %s.out", path, path);
    run("", compiler);
    unlink(path);
    assert_int_not_equal(status, 0);
    says("MPI_Comm_join");
    says("PMPI_Comm_join");
    assert_null(strstr(errors, "declar")); /* by the compiler: implicit declaration, undeclared */
}

static void external32_is_that_of_the_standard(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=1", "patterns external");
    prints("fffffffb00000007 3fff8000000000000000000000000000bffc0000000000000000000000000000 -5 7 1.5 -0.125\n");
}

static void a_freed_receive_is_taken(void **state)
{
    (void)state;
    run(NOTHING "SIMKIT_NP=2", "patterns forget");
    prints("7\n");
}

/* Ranks that share a process do the same as ranks that are processes, at the same virtual times. */
static void ranks_share_a_process(void **state)
{
    static const char *const programs_of[] = { "conform collectives", "segments exchange", "patterns barrier" };
    static char report[sizeof output];
    (void)state;
    run("SIMKIT_RANKS=together SIMKIT_NP=17", "segments globals");
    if (strstr(errors, "not under a sanitizer")) return;
    prints("wrong 0, sum 7650\n");
    assert_int_equal(status, 23);
    run("SIMKIT_NP=17", "segments globals");
    prints("wrong 0, sum 7650\n");
    assert_int_equal(status, 23);
    equals("tests/messages/conform.np8.txt", "SIMKIT_RANKS=together SIMKIT_NP=8", "conform");
    for (int i = 0; i < 3; ++i) {
        run(NOTHING "SIMKIT_REPORT=- SIMKIT_NP=13", programs_of[i]);
        assert_int_equal(status, 0);
        memcpy(report, output, sizeof report);
        run(NOTHING "SIMKIT_REPORT=- SIMKIT_RANKS=together SIMKIT_NP=13", programs_of[i]);
        assert_string_equal(output, report);
    }
    run(NOTHING "SIMKIT_RANKS=together SIMKIT_NP=2", "segments spawn");
    prints("remote 3, all 5, sum 304\n");
    run(NOTHING "SIMKIT_RANKS=together SIMKIT_NP=16", "segments share");
    prints("count 1073741824, then 15\n");
    run(NOTHING "SIMKIT_RANKS=together SIMKIT_NP=3", "faults threads");
    says("a thread called MPI_");
    says("impossible when ranks share a process");
    run("SIMKIT_RANKS=some", "costs pingpong 1");
    says("SIMKIT_RANKS=some: expected processes or together");
    assert_int_equal(status, 2);
}

/* A system that cannot start so many processes is told at once, with what can be done. */
static void too_many_processes_are_told(void **state)
{
    long most = 0;
    (void)state;
    FILE *f = fopen("/proc/sys/kernel/pid_max", "r");
    if (f && fscanf(f, "%ld", &most) != 1) most = 0;
    if (f) fclose(f);
    if (most < 1 || most > 65536) return;
    run("SIMKIT_NP=65536", "costs pingpong 1");
    says("65536 ranks are as many processes, but kernel.pid_max is ");
    says("raises it; with SIMKIT_RANKS=together all ranks are in one process");
    assert_int_equal(status, 2);
}

static void a_thousand_ranks_run(void **state)
{
    (void)state;
#ifdef TESTS_SLOW
    run(NOTHING "SIMKIT_NP=50", "patterns barrier");
#else
    run(NOTHING "SIMKIT_NP=1000", "patterns barrier");
#endif
    assert_int_equal(status, 0);
}

static void the_same_run_takes_the_same_time(void **state)
{
    char first[256];
    (void)state;
    run(NOTHING "SIMKIT_NP=8", "conform collectives");
    assert_int_equal(status, 0);
    char *end = strstr(errors, "simkit: 8 tasks, ");
    assert_non_null(end);
    snprintf(first, sizeof first, "%s", end);
    /* and when the machine has other things to do */
    pid_t busy[4];
    for (int i = 0; i < 4; ++i) {
        busy[i] = fork();
        assert_true(busy[i] >= 0);
        for (time_t until = time(NULL) + 20; busy[i] == 0;)
            if (time(NULL) > until) _exit(0);
    }
    run(NOTHING "SIMKIT_NP=8", "conform collectives");
    for (int i = 0; i < 4; ++i) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    assert_string_equal(strstr(errors, "simkit: 8 tasks, "), first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef TESTS_SLOW
        cmocka_unit_test(conforms_with_1),
        cmocka_unit_test(conforms_with_4),
        cmocka_unit_test(conforms_with_8),
#endif
        cmocka_unit_test(conforms_with_2),
        cmocka_unit_test(conforms_with_5),
        cmocka_unit_test(pvm_conforms),
        cmocka_unit_test(absent_calls_do_not_link),
        cmocka_unit_test(external32_is_that_of_the_standard),
        cmocka_unit_test(a_freed_receive_is_taken),
        cmocka_unit_test(ranks_share_a_process),
        cmocka_unit_test(too_many_processes_are_told),
        cmocka_unit_test(a_thousand_ranks_run),
        cmocka_unit_test(the_same_run_takes_the_same_time),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
