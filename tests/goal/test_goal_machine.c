/* Schedules on a machine of simkit: against calculations by hand, LogGOPS where both say the same, what waits for ever, and
 * refused memory. */
#include "../../examples/goal/goal.h"
#include "../close.h"
#include "../hook.h"

#include <stdio.h>

/* 100 us, 1 MB/s in each direction; one core, or two. */
static const char cluster[] = "[machine]\nname = test\n[node]\nbandwidth = 1 MB/s\n[network]\nlatency = 100 us\n";
static const char smp[] = "[machine]\nname = test\n[node]\ncores = 2\n";

static simkit_machine *machine_of(const char *text)
{
    simkit_parse_error error;
    simkit_machine *m;
    const simkit_input input = { .text = text, .length = strlen(text) };
    if (simkit_machine_read(&input, &m, &error) != SIMKIT_OK) fail_msg("%s", error.text);
    return m;
}

static goal_schedule *schedule_of(const char *text, const simkit_memory *memory)
{
    simkit_parse_error error;
    goal_schedule *s;
    simkit_input input = { .text = text, .length = strlen(text) };
    if (memory) input.memory = *memory;
    if (goal_read(&input, &s, &error) != SIMKIT_OK) fail_msg("%s", error.text);
    return s;
}

static void assert_ends(const char *goal, const char *machine, goal_machine_desc desc, size_t count,
                        const double *expected)
{
    double end[16];
    char why[GOAL_WHY];
    simkit_machine *m = machine_of(machine);
    goal_schedule *s = schedule_of(goal, NULL);
    desc.machine = m;
    if (goal_machine(s, &desc, end, why) != SIMKIT_OK) fail_msg("%s", why);
    assert_int_equal(s->ranks, count);
    for (size_t i = 0; i < count; ++i) assert_close(end[i], expected[i], 1e-12);
    goal_close(s);
    simkit_machine_close(m);
}

static void test_by_hand(void **state)
{
    (void)state;
    const goal_machine_desc free_of_cost = { .S = 1e9 }, costly = { .o = 1000, .O = 2, .S = 1e9 };
    static const char one[] = "num_ranks 2\nrank 0 { send 1000b to 1 }\nrank 1 { recv 1000b from 0 }";
    assert_ends(one, cluster, free_of_cost, 2, (double[]){ 0, 1100e3 });
    assert_ends(one, cluster, costly, 2, (double[]){ 2998, 1100e3 + 2 * 2998 });
    /* Two messages leave a rank at once and share its link. */
    assert_ends("num_ranks 3\nrank 0 {\nsend 1000b to 1\nsend 1000b to 2\n}\nrank 1 { recv 1000b from 0 }\nrank 2 { "
                "recv 1000b from 0 "
                "}",
                cluster, free_of_cost, 3, (double[]){ 0, 2100e3, 2100e3 });
    /* A long message waits for its receive, and its send for its end. */
    static const char late[] = "num_ranks 2\nrank 0 {\na: send 1000b to 1\nb: calc 500\nb requires a\n}\n"
                               "rank 1 {\nc: calc 1000000\nr: recv 1000b from 0\nr requires c\n}";
    assert_ends(late, cluster, free_of_cost, 2, (double[]){ 500, 1100e3 });
    assert_ends(late, cluster, (goal_machine_desc){ .S = 999 }, 2, (double[]){ 2100500, 2100e3 });
    /* A processor of a rank does one thing after another, two of them compute at once. */
    assert_ends("num_ranks 1\nrank 0 {\ncalc 1000\ncalc 1000\n}", smp, free_of_cost, 1, (double[]){ 2000 });
    assert_ends("num_ranks 1\nrank 0 {\ncalc 1000\ncalc 1000 cpu 1\n}", smp, free_of_cost, 1, (double[]){ 1000 });
    assert_ends("num_ranks 1\nrank 0 {\ncalc 1000\ncalc 1000 cpu 1\ncalc 1000 cpu 2\n}", smp, free_of_cost, 1,
                (double[]){ 1500 });
    assert_ends("num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 100 cpu 1\nb irequires a\n}", smp, free_of_cost, 1,
                (double[]){ 1000 });
}

/* Two ranks of one node: the message between them takes no time there. */
static void test_places(void **state)
{
    (void)state;
    static const char goal[] = "num_ranks 4\nrank 0 { send 1000b to 1 }\nrank 1 { recv 1000b from 0 }\n"
                               "rank 2 { recv 1000b from 3 }\nrank 3 { send 1000b to 2 }";
    static const char two[] =
        "[machine]\nname = test\n[node]\ncount = 2\ncores = 2\nbandwidth = 1 MB/s\n[network]\nlatency = 100 us\n";
    assert_ends(goal, two, (goal_machine_desc){ .S = 1e9 }, 4, (double[]){ 0, 0, 0, 0 });
    assert_ends(goal, two, (goal_machine_desc){ .S = 1e9, .place = "round-robin" }, 4,
                (double[]){ 0, 1100e3, 1100e3, 0 });
}

/* A long chain of operations that take no time needs no deep stack. */
static void test_chain(void **state)
{
    (void)state;
    static char text[8000000];
    size_t used = (size_t)sprintf(text, "num_ranks 1\nrank 0 {\na0: calc 0\n");
    for (int i = 1; i < 200000; ++i)
        used += (size_t)sprintf(text + used, "a%d: calc %d\na%d requires a%d\n", i, i % 1000 == 0, i, i - 1);
    strcpy(text + used, "}\n");
    assert_ends(text, cluster, (goal_machine_desc){ .S = 1 }, 1, (double[]){ 199 });
}

/* From anyone, with any tag; and what waits for ever. */
static void test_matching(void **state)
{
    (void)state;
    const goal_machine_desc desc = { .S = 1e9 };
    assert_ends("num_ranks 3\nrank 0 {\na: recv 1b from -1 tag -1\nb: recv 1b from -1 tag 4\n}\n"
                "rank 1 {\na: calc 9000\nb: send 1b to 0 tag 4\nb requires a\n}\nrank 2 {\nb: send 1b to 0 tag 7\n}",
                cluster, desc, 3, (double[]){ 110e3, 9000, 0 });
    simkit_machine *m = machine_of(cluster);
    goal_schedule *s =
        schedule_of("num_ranks 2\nrank 0 {\na: recv 5b from 1 tag 3\n}\nrank 1 {\nx: send 5b to 0 tag 4\n}\n", NULL);
    double end[2];
    char why[GOAL_WHY];
    for (int i = 0; i < 2; ++i) {
        const goal_machine_desc d = { .machine = m, .S = i ? 1e9 : 1 };
        assert_int_equal(goal_machine(s, &d, end, why), SIMKIT_DEADLOCK);
        assert_string_equal(why, "rank 0: a (line 3): recv 5b from 1 tag 3: waits for a message that is never sent\n"
                                 "rank 1: x (line 6): send 5b to 0 tag 4: its message is never received");
    }
    goal_close(s);
    s = schedule_of("num_ranks 2\nrank 0 {\na: recv 5b from 1\nb: send 5b to 1\nb requires a\n}\n"
                    "rank 1 {\na: recv 5b from 0\nb: send 5b to 0\nb requires a\n}\n",
                    NULL);
    assert_int_equal(goal_machine(s, &(goal_machine_desc){ .machine = m }, end, why), SIMKIT_DEADLOCK);
    assert_string_equal(
        why, "rank 0: a (line 3): recv 5b from 1 tag 0: waits for the send in line 9 of rank 1, which never begins\n"
             "rank 1: a (line 8): recv 5b from 0 tag 0: waits for the send in line 4 of rank 0, which never begins");
    assert_int_equal(goal_machine(s, &(goal_machine_desc){ .machine = m, .place = "/nowhere" }, end, why),
                     SIMKIT_NO_FILE);
    assert_non_null(strstr(why, "/nowhere"));
    assert_int_equal(goal_machine(s, &(goal_machine_desc){ .machine = m, .o = -1 }, end, why), SIMKIT_BAD_ARGUMENT);
    goal_close(s);
    simkit_machine_close(m);
}

static void test_refused_memory(void **state)
{
    (void)state;
    simkit_machine *m = machine_of(cluster);
    const goal_machine_desc desc = { .machine = m, .o = 10, .S = 50 };
    for (int once = 0; once < 2; ++once)
        for (long i = 0;; ++i) {
            hook h = { .left = -1, .once = once };
            double end[3];
            char why[GOAL_WHY];
            goal_schedule *s = schedule_of(
                "num_ranks 3\nrank 0 {\na: recv 1b from -1 tag -1\nb: calc 5\nb requires a\nsend 99b to 2\n}\n"
                "rank 1 {\nb: send 1b to 0 tag 4\n}\nrank 2 {\nrecv 99b from 0\n}",
                &(simkit_memory){ reallocate, &h });
            h.left = i;
            const simkit_result result = goal_machine(s, &desc, end, why);
            if (h.refused && result != SIMKIT_OK) assert_int_equal(result, SIMKIT_NO_MEMORY);
            if (!h.refused) assert_int_equal(result, SIMKIT_OK);
            if (result != SIMKIT_OK) assert_non_null(strstr(why, "memory"));
            goal_close(s);
            assert_int_equal(h.blocks, 0);
            if (!h.refused) break;
        }
    simkit_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),  cmocka_unit_test(test_places),         cmocka_unit_test(test_chain),
        cmocka_unit_test(test_matching), cmocka_unit_test(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
