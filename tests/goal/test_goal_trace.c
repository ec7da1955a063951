/* Time-independent traces: what becomes of their actions, that collectives wait for whom they must, and what is said of
 * mistakes. */
#include "../../examples/goal/goal.h"
#include "../close.h"
#include "../hook.h"

#include <stdio.h>

static char text[300000];
static size_t used;

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    assert_true(used < sizeof text);
}

static const goal_loggops_desc usual = GOAL_LOGGOPS;

/* Reads what was put, and replays it. Returns the schedule. */
static goal_schedule *replayed(double *end)
{
    simkit_parse_error error;
    char why[GOAL_WHY];
    goal_schedule *s;
    const simkit_input input = { .text = text, .length = used };
    if (goal_read_trace(&input, &(goal_trace_desc){ 1e9 }, &s, &error) != SIMKIT_OK) fail_msg("%s", error.text);
    if (goal_loggops(s, &usual, NULL, NULL, end, why) != SIMKIT_OK) fail_msg("%s\n%s", why, text);
    return s;
}

static void assert_ends(const char *trace, size_t count, const double *expected)
{
    double end[8];
    used = 0;
    put("%s", trace);
    goal_schedule *s = replayed(end);
    assert_int_equal(s->ranks, count);
    for (size_t i = 0; i < count; ++i)
        if (end[i] != expected[i]) fail_msg("rank %zu ends at %.17g, not %.17g", i, end[i], expected[i]);
    goal_close(s);
}

/* L = 2500, o = 1500, g = 1000, G = 6: a message of s bytes takes 5500 + 6 (s - 1). */
static void test_actions(void **state)
{
    (void)state;
    assert_ends("0 init\n0 compute 2000\n0 sleep 1e-6\n0 finalize\n", 1, (double[]){ 3000 });
    assert_ends("0 send 1 7 101\n1 recv 0 7 101\n", 2, (double[]){ 1500, 6100 });
    /* Earlier versions wrote no tags; names in capitals; a type: int has 4 bytes, and after `init 1` double is usual. */
    assert_ends("0 Send 1 101\n1 Recv 0 101\n", 2, (double[]){ 1500, 6100 });
    assert_ends("0 send 1 7 26 1\n1 recv 0 7 26 1\n", 2, (double[]){ 1500, 5500 + 6 * 103 });
    assert_ends("0 init 1\n0 send 1 7 26\n1 recv 0 7 -1\n", 2, (double[]){ 1500, 5500 + 6 * 207 });
    /* irecv: the computation goes on meanwhile, and the message interrupts it at its end. */
    assert_ends("0 send 1 7 1\n1 irecv 0 7 1\n1 compute 10000\n1 wait 0 1 7\n1 compute 100\n", 2,
                (double[]){ 1500, 11600 });
    assert_ends("0 send 1 7 1\n1 compute 10000\n1 recv 0 7 1\n1 compute 100\n", 2, (double[]){ 1500, 11600 });
    /* isend: what follows does not wait for its end, wait does. The message has more than S bytes. */
    const double long_one = 5500 + 6.0 * 99999;
    assert_ends("0 isend 1 7 100000\n0 compute 10\n0 wait 0 1 7\n0 compute 1000\n1 compute 50000\n1 recv 0 7 100000\n",
                2, (double[]){ 51000, 50000 + 1500 + 6.0 * 99999 });
    assert_ends("0 send 1 7 100000\n0 compute 10\n1 recv 0 7 100000\n", 2, (double[]){ 4010, long_one });
    assert_ends("0 Isend 1 7 100000\n0 compute 10\n0 waitall\n0 compute 1\n1 irecv -1 -1 1\n1 test 0 1 7\n1 wait\n", 2,
                (double[]){ 4001, long_one });
}

/* SimGrid's recorder writes MPI_ANY_SOURCE, MPI_ANY_TAG and MPI_PROC_NULL with their values there. */
static void test_values_of_the_recorder(void **state)
{
    (void)state;
    const double ends[] = { 1500, 6100 };
    assert_ends("0 send 1 7 101\n1 recv -555 -444 101\n", 2, ends);
    assert_ends("0 send 1 7 101 6\n1 irecv -555 -444 101 6\n1 wait -555 1 -444\n", 2, ends);
    assert_ends("0 send 1 7 101\n1 irecv -1 -444 101\n1 wait -555 1 -1\n", 2, ends);
    assert_ends("0 send 1 101\n1 recv -555 101\n", 2, ends);
    assert_ends("0 send 1 7 101\n0 send -666 7 1e6\n1 recv -666 -444 1e6\n1 recv 0 7 101\n", 2, ends);
    assert_ends("0 isend -666 3 9 1\n0 wait 0 -666 3\n0 send 1 7 101\n1 irecv -666 3 9\n1 wait -666 1 3\n1 waitall\n1 recv 0 7 101\n", 2, ends);
    assert_ends("0 comm_split -333 0\n0 compute 5\n", 1, (double[]){ 5 });
}

typedef enum flow { FROM_ROOT, TO_ROOT, ALL } flow;

/* For every number of ranks: no rank ends before the data that it needs can have arrived, and the number of messages is
 * right. */
static void test_collectives(void **state)
{
    (void)state;
    static const struct {
        const char *action;
        flow flow;
        int each; /* numbers for each rank that follow the first part */
        const char *rest;
    } cases[] = {
        { "barrier", ALL, 0, "" },
        { "bcast 8", FROM_ROOT, 0, " %d" },
        { "reduce 8 0", TO_ROOT, 0, " %d" },
        { "allreduce 8 0", ALL, 0, "" },
        { "gather 8 8", TO_ROOT, 0, " %d" },
        { "scatter 8 8", FROM_ROOT, 0, " %d" },
        { "allgather 8 8", ALL, 0, "" },
        { "alltoall 8 8", ALL, 0, "" },
        { "gatherv 8", TO_ROOT, 1, " %d" },
        { "allgatherv 8", ALL, 1, "" },
        { "scatterv", FROM_ROOT, 1, " 8 %d" },
        { "alltoallv 99", ALL, 2, "" },
        { "reducescatter", ALL, 1, " 0" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        for (int ranks = 1; ranks <= 17; ++ranks)
            for (int late = 0; late < ranks; ++late) {
                const int root = (3 * late + 1) % ranks;
                double end[17];
                used = 0;
                for (int r = 0; r < ranks; ++r) {
                    if (r == late) put("%d compute 1e9\n", r);
                    put("%d %s", r, cases[c].action);
                    for (int i = 0; i < cases[c].each; ++i) {
                        if (i > 0) put(" 99");
                        for (int k = 0; k < ranks; ++k) put(" 8");
                    }
                    put(cases[c].rest, root);
                    put("\n");
                }
                goal_schedule *s = replayed(end);
                for (int r = 0; r < ranks; ++r) {
                    const bool must =
                        cases[c].flow == ALL || r == late || (cases[c].flow == FROM_ROOT ? late == root : r == root);
                    if (must && !(end[r] >= 1e9)) fail_msg("rank %d ends at %g\n%s", r, end[r], text);
                }
                size_t sends = 0;
                for (size_t i = 0; i < s->count; ++i) sends += s->ops[i].kind == GOAL_SEND;
                if (cases[c].flow != ALL) assert_int_equal(sends, ranks - 1);
                goal_close(s);
            }
}

/* Rounds of a message each, on powers of two. */
static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *action;
        double last;
    } cases[] = {
        { "barrier", 3 * 5500 },
        { "bcast 1", 16500 },
        { "reduce 1024 700", 34914 + 700 }, /* the tree of LogGOPSim's README, and a computation */
        { "allreduce 101 700", 3 * 6100 + 700 },
        { "allgather 101 101", 7 * 6100 },
        /* of bytes; of 4 B each; 404 bytes are sent as such and received as 101 of 4 B, with both types, as SimGrid records them */
        { "allgatherv 101 101 101 101 101 101 101 101 101", 7 * 6100 },
        { "allgatherv 101 101 101 101 101 101 101 101 101 1", 7 * (5500 + 6 * 403) },
        { "allgatherv 404 101 101 101 101 101 101 101 101 6 1", 7 * (5500 + 6 * 403) },
        { "alltoall 101 101", 7 * 6100 },
        { "gather 101 101", 5500 + 600 + 4000 + 1500 + 6 * 201 + 4000 + 1500 + 6 * 403 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double end[8], last = 0;
        used = 0;
        for (int r = 0; r < 8; ++r) put("%d %s\n", r, cases[c].action);
        goal_schedule *s = replayed(end);
        for (int r = 0; r < 8; ++r) last = fmax(last, end[r]);
        if (last != cases[c].last) fail_msg("%s: %.17g, not %.17g", cases[c].action, last, cases[c].last);
        goal_close(s);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *trace, *says;
    } cases[] = {
        { "", "x.trace: expected lines of a rank, an action and numbers" },
        { "zero init", "x.trace:1:1: expected a rank from 0 to 1048575, found zero" },
        { "99999999 init", "x.trace:1:1: expected a rank from 0 to 1048575, found 99999999" },
        { "0 init\n0.5 init", "x.trace:2:1: expected a rank from 0 to 1048575, found 0.5" },
        { "0 init\n\x01 init", "x.trace:2:1: expected a rank from 0 to 1048575, found the byte 1" },
        { "0 init\n0 jump", "x.trace:2:3: there is no action 'jump'" },
        { "0 init\n0", "x.trace:2:2: expected an action" },
        { "0 compute", "x.trace:1:1: compute: expected 1 number, found 0" },
        { "0 compute 1 2", "x.trace:1:1: compute: expected 1 number, found 2" },
        { "0 compute nan", "x.trace:1:11: expected a number from 0 to 9e21, found nan" },
        { "0 compute 5s", "x.trace:1:11: expected a number from 0 to 9e21, found 5s" },
        { "0 compute 1e400", "x.trace:1:11: expected a number from 0 to 9e21, found 1e400" },
        { "0 compute 1e22", "x.trace:1:11: expected a number from 0 to 9e21, found 1e22" },
        { "0 compute 1e20", "x.trace:1:1: this takes 1e+20 ns, expected at most 9e15" },
        { "0 compute -5", "x.trace:1:11: expected a number from 0 to 9e21, found -5" },
        { "0 send - 2 3", "x.trace:1:8: expected a number from 0 to 9e21, found -" },
        { "0 send 1 2 3\n", "x.trace:1:8: rank 1 has no actions: the last rank is 0" },
        { "0 send 0.5 2 3\n", "x.trace:1:8: expected a rank from 0 to 0, found 0.5" },
        { "0 send 0 2 3\n", "x.trace:1:8: rank 0 cannot send to itself" },
        { "0 send 1 -2 3\n1 init", "x.trace:1:10: expected a number from 0 to 9e21, found -2" },
        { "0 send 1 2 3 9\n1 init",
          "x.trace:1:14: expected a type from 0 to 6 (double, int, char, short, long, float, byte), found 9" },
        { "0 send 1 3000000000 3\n1 init", "x.trace:1:10: expected a tag from 0 to 2147483647, found 3000000000" },
        { "0 send 1 3 9e18\n1 init", "x.trace:1:12: expected a size of at most 9e15 B, found 9e18" },
        { "0 recv -2 2 3\n1 init", "x.trace:1:8: expected a rank from 0 to 1, or -1 or -555 for any, found -2" },
        { "0 recv 1 -2 3\n1 init", "x.trace:1:10: expected a tag from 0 to 2147483647, or -1 or -444 for any, found -2" },
        { "0 send -555 2 3\n1 init", "x.trace:1:8: expected a number from 0 to 9e21, found -555" },
        { "0 send -666 -666 3\n1 init", "x.trace:1:13: expected a number from 0 to 9e21, found -666" },
        { "0 bcast 5 -666", "x.trace:1:11: expected a number from 0 to 9e21, found -666" },
        { "0 wait", "x.trace:1:1: rank 0 has no such isend or irecv to wait for" },
        { "0 wait 1 2", "x.trace:1:1: wait: expected sender, receiver and tag" },
        { "0 bcast 5 9", "x.trace:1:11: rank 9 has no actions: the last rank is 0" },
        { "0 barrier\n0 bcast 1\n1 barrier\n1 barrier",
          "x.trace:4:1: barrier is collective 2 of rank 1, but rank 0 has bcast there, "
          "in line 2" },
        { "0 bcast 5\n1 bcast 5 1",
          "x.trace:2:11: bcast of rank 1 has root 1, but rank 0 has root 0 there, in line 1" },
        { "0 barrier\n0 reduce 5 0 1\n1 barrier\n1 reduce 5 0",
          "x.trace:4:1: reduce of rank 1 has root 0, but rank 0 has root 1 there, in line 2" },
        { "0 gather 5 5 0\n1 gather 5 5 1", "x.trace:2:14: gather of rank 1 has root 1" },
        { "0 scatter 5 5 0\n1 scatter 5 5 1", "x.trace:2:15: scatter of rank 1 has root 1" },
        { "0 gatherv 5 5 5 0\n1 gatherv 5 5 5 1", "x.trace:2:17: gatherv of rank 1 has root 1" },
        { "0 scatterv 5 5 5 0\n1 scatterv 5 5 5 1", "x.trace:2:18: scatterv of rank 1 has root 1" },
        { "0 barrier\n1 init", "x.trace: rank 1 has 0 collectives, but rank 0 has another one: barrier in line 1" },
        { "0 allgatherv 5 5 6 9", "x.trace:1:20: expected a type from 0 to 6" },
        { "0 allgatherv 5 5 9 6", "x.trace:1:18: expected a type from 0 to 6" },
        { "0 alltoallv 5 1 2 5 1\n1 init", "x.trace:1:1: alltoallv: expected 6 to 8 numbers" },
        { "./nowhere.trace\n", "./nowhere.trace: No such file or directory" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        simkit_parse_error error;
        goal_schedule *s = (goal_schedule *)text;
        const simkit_input input = { .text = cases[i].trace, .length = strlen(cases[i].trace), .name = "x.trace" };
        const simkit_result result = goal_read_trace(&input, &(goal_trace_desc){ 1e9 }, &s, &error);
        if (!strstr(error.text, cases[i].says)) fail_msg("%s\nnot: %s", error.text, cases[i].says);
        assert_true(result == SIMKIT_BAD_FILE || result == SIMKIT_NO_FILE);
        assert_null(s);
    }
    simkit_parse_error error;
    goal_schedule *s;
    const simkit_input input = { .text = "0 compute 5", .length = 11 };
    assert_int_equal(goal_read_trace(&input, &(goal_trace_desc){ 0 }, &s, &error), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "trace:1:11: compute counts flop: expected their rate (--flops)");
}

static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        goal_form form;
    } cases[] = {
        { "", GOAL_SCHEDULE },
        { "// x.y\nnum_ranks 2", GOAL_SCHEDULE },
        { "num_ranks 2", GOAL_SCHEDULE },
        { "\n# a\n 12 init", GOAL_TRACE },
        { "0", GOAL_TRACE },
        { "traces/x\n", GOAL_LIST },
        { "7.txt", GOAL_LIST },
        { "/* */", GOAL_SCHEDULE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const simkit_input input = { .text = cases[i].text, .length = strlen(cases[i].text) };
        simkit_parse_error error;
        goal_form form;
        succeeds(goal_form_of(&input, &form, &error));
        assert_int_equal(form, cases[i].form);
    }
}

static void test_refused_memory(void **state)
{
    (void)state;
    used = 0;
    for (int r = 0; r < 5; ++r)
        put("%d irecv %d 3 8\n%d isend %d 3 8\n%d waitall\n%d allreduce 8 10\n%d alltoall 8 8\n", r, (r + 4) % 5, r,
            (r + 1) % 5, r, r, r);
    for (int once = 0; once < 2; ++once)
        for (long i = 0;; ++i) {
            hook h = { .left = i, .once = once };
            simkit_parse_error error;
            goal_schedule *s;
            const simkit_input input = { .text = text, .length = used, .memory = { reallocate, &h } };
            const simkit_result result = goal_read_trace(&input, &(goal_trace_desc){ 1e9 }, &s, &error);
            assert_int_equal(result, h.refused ? SIMKIT_NO_MEMORY : SIMKIT_OK);
            goal_close(s);
            assert_int_equal(h.blocks, 0);
            if (!h.refused) break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actions),  cmocka_unit_test(test_values_of_the_recorder), cmocka_unit_test(test_collectives), cmocka_unit_test(test_times),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_forms),       cmocka_unit_test(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
