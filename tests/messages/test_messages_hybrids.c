/* examples/messages with examples/threads: ranks with threads print what they print under Open MPI, and programs with OpenMP find the same
 * result with each split into ranks and threads. */
#include "programs.h"

static const char hosts[] = "[machine]\nlook = 0 s\n[network]\nlatency = 1 ms\n[node a]\ncount = 3\ncores = 4\n";

/* With a sanitizer, and without OpenMP, the program is not built. */
static bool there_is(const char *name)
{
    char path[700];
    snprintf(path, sizeof path, "%s/%s", programs, name);
    return access(path, X_OK) == 0;
}

/* The cases of a level: of two ranks on one core of this machine, of four on two. */
static void level_conforms(const char *level, int least)
{
    char path[128], settings[64], program[64];
    if (!there_is("hybrids")) skip();
    for (int ranks = 2; ranks <= 4; ranks += 2) {
        snprintf(path, sizeof path, "tests/messages/hybrids.%s.np%d.txt", level, ranks);
        snprintf(settings, sizeof settings, "SIMKIT_NP=%d SIMKIT_CORES=%d", ranks, ranks / 2);
        snprintf(program, sizeof program, "hybrids %s", level);
        equals_lines(path, least, settings, program);
    }
}

static void single_conforms(void **state)
{
    (void)state;
    level_conforms("single", 2);
}

static void funneled_conforms(void **state)
{
    (void)state;
    level_conforms("funneled", 10);
}

static void serialized_conforms(void **state)
{
    (void)state;
    level_conforms("serialized", 18);
}

static void multiple_conforms(void **state)
{
    (void)state;
    level_conforms("multiple", 128);
}

/* A thread waits for a flag, and yields, where neither takes time: it is set after some messages, which do. */
static void a_flag_is_seen(void **state)
{
    (void)state;
    if (!there_is("hybrids")) skip();
    for (int cores = 1; cores <= 2; ++cores) {
        char settings[128];
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_PLACE=round-robin SIMKIT_NP=2 SIMKIT_CORES=%d", cores);
        run_on("[network]\nlatency = 1 ms\n[node a]\ncount = 2\ncores = 4\n", settings,
               "hybrids multiple a_thread_waits_for_a_flag");
        prints("a_thread_waits_for_a_flag: 0: 71 | 1: 70\n");
        assert_int_equal(status, 0);
    }
}

/* The sum that a program prints is that of one rank with one thread; the program has verified it. */
static void splits_agree(const char *program)
{
    static const int splits[][2] = { { 1, 1 }, { 2, 2 }, { 4, 1 }, { 1, 4 }, { 3, 3 } };
    char wanted[128];
    if (!there_is(program)) skip();
    for (size_t i = 0; i < sizeof splits / sizeof *splits; ++i) {
        char settings[128];
        snprintf(settings, sizeof settings, NOTHING "SIMKIT_NP=%d SIMKIT_THREADS=%d", splits[i][0], splits[i][1]);
        run_on(hosts, settings, program);
        assert_int_equal(status, 0);
        if (i == 0) snprintf(wanted, sizeof wanted, "%.100s", output);
        assert_non_null(strstr(output, " verified\n"));
        prints(wanted);
    }
}

static void splits_of_a_stencil(void **state)
{
    (void)state;
    splits_agree("stencil");
}

static void splits_of_conjugate_gradients(void **state)
{
    (void)state;
    splits_agree("cg");
}

static void splits_of_zones(void **state)
{
    (void)state;
    splits_agree("zones");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_conforms),     cmocka_unit_test(funneled_conforms),
        cmocka_unit_test(serialized_conforms), cmocka_unit_test(multiple_conforms),
        cmocka_unit_test(splits_of_a_stencil), cmocka_unit_test(splits_of_conjugate_gradients),
        cmocka_unit_test(splits_of_zones),     cmocka_unit_test(a_flag_is_seen),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
