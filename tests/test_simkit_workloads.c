/* Room workloads of util/simkit_users.h: what traces may say, and what every error in one is called. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "close.h"

static simkit_parse_error error;

static simkit_workload *trace_of(const char *text)
{
    simkit_workload *workload = NULL;
    if (simkit_workload_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "t" }, &workload,
                             &error) != SIMKIT_OK)
        fail_msg("%s", error.text);
    return workload;
}

static void trace_is(const char *text, size_t count, const simkit_arrival *expected)
{
    simkit_workload *workload = trace_of(text);
    const simkit_arrival *arrivals = workload->arrivals;
    assert_int_equal(workload->count, count);
    for (size_t i = 0; i < count; ++i) {
        assert_close(arrivals[i].time, expected[i].time, 1e-12);
        assert_close(arrivals[i].seconds, expected[i].seconds, 1e-12);
        assert_int_equal(arrivals[i].nice, expected[i].nice);
        assert_int_equal(arrivals[i].process, expected[i].process);
        assert_string_equal(arrivals[i].name, expected[i].name);
    }
    simkit_workload_close(workload);
}

static void trace_is_wrong(const char *text, const char *why)
{
    simkit_workload *workload = (simkit_workload *)&error;
    memset(&error, 0, sizeof error);
    assert_int_equal(
        simkit_workload_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "t" }, &workload, &error),
        SIMKIT_BAD_FILE);
    assert_null(workload);
    assert_string_equal(error.text, why);
}

static void tables_of_what_was_consumed_so_far(void **state)
{
    (void)state;
    static const simkit_arrival expected[] = { { 0, 1.5, 0, 1, "sh" }, { 2, 0.5, 0, 2, "cc" }, { 3, 1, 0, 1, "sh" } };
    static const simkit_arrival nicely[] = { { 0, 0.002, 5, 1, "a b" }, { 60, 0.25, 5, 1, "a b" } };
    trace_is("10 1 0 1.5 sh\n12 2 1 0.5 cc\n13 1 0 2.5 sh\n13 2 1 0.5 cc\n", 3, expected);
    trace_is("# of a morning\ntime [s],pid,parent,cpu [s],name\n10,1,0,1.5,sh\n\n12,2,1,0.5,cc\n13,1,0,2.5,sh\n", 3,
             expected);
    trace_is("name;cpu [ms];pid;time [min];nice\n\"a b\";2;77;1;5\n\"a b\";252;77;2;5\n", 2, nicely);
    /* an old number, a new name: a new process; a parent that is not in the trace is older than it */
    static const simkit_arrival reused[] = { { 0, 3, 0, 1, "a" }, { 1, 2, 0, 2, "b" }, { 2, 1, 0, 2, "b" } };
    trace_is("0 5 99 3 a\n1 5 99 2 b\n2 5 99 3 b\n", 3, reused);
}

/* Lines of one time stay in the order of the file, for one process and for several. */
static void many_lines_of_one_time(void **state)
{
    enum { LINES = 100 };
    char text[LINES * 16] = "";
    (void)state;
    for (int processes = 1; processes <= 7; processes += 2) {
        text[0] = 0;
        for (int i = 0; i < LINES; ++i)
            sprintf(text + strlen(text), "5 %d 0 %d p\n", 1 + i % processes, 1 + i / processes);
        simkit_workload *workload = trace_of(text);
        assert_int_equal(workload->count, LINES);
        for (size_t i = 0; i < LINES; ++i) { /* each line says 1 s more than the last one of its process */
            assert_equal(workload->arrivals[i].time, 0);
            assert_equal(workload->arrivals[i].seconds, 1);
            assert_int_equal(workload->arrivals[i].process, 1 + i % (size_t)processes);
        }
        simkit_workload_close(workload);
    }
}

static void tables_of_arrivals(void **state)
{
    (void)state;
    static const simkit_arrival expected[] = { { 0, 1.5, 0, 0, "" }, { 0, 0, 0, 0, "" }, { 1e3, 2, 0, 0, "" } };
    trace_is("time [s],seconds [s]\n5,1.5\n5,0\n1005,2\n", 3, expected);
    /* with process numbers each line is still an arrival of its own */
    static const simkit_arrival family[] = { { 0, 3, 0, 0, "" }, { 1, 2, 0, 0, "" }, { 2, 1, 0, 0, "" } };
    trace_is("time,pid,parent,seconds\n5,1,0,3\n6,2,1,2\n7,1,0,1\n", 3, family);
}

static void wrong_traces(void **state)
{
    (void)state;
    trace_is_wrong("", "t: the table is empty");
    trace_is_wrong("5 1 0 1 a\n4 2 0 1 b\n", "t:2:1: time goes back, from 5 s to 4 s");
    trace_is_wrong("# c\ntime,pid,cpu\n5,1,1\n\n4,2,1\n", "t:5:1: time goes back, from 5 s to 4 s");
    trace_is_wrong("1 12 7 1 cc\n1 9 0 1 x\n4 7 1 1 make\n",
                   "t:1:1: process 12 begins at 1 s, before its parent 7 at 4 s");
    trace_is_wrong("time,pid,parent,seconds\n1,12,7,1\n4,7,1,1\n",
                   "t:2:1: process 12 begins at 1 s, before its parent 7 at 4 s");
    trace_is_wrong("0 1 0 1 a\n1 2 1 -3 b\n", "t:2:1: the CPU time is negative: -3 s");
    trace_is_wrong("time,seconds\n0,1\n2,-0.5\n", "t:3:1: the CPU time is negative: -0.5 s");
    trace_is_wrong("-1 1 0 1 a\n", "t:1:1: the time is negative: -1 s");
    trace_is_wrong("0 1 0 1 a\n1 1 0 3 a\n2 1 0 2 a\n", "t:3:1: the CPU time of process 1 goes back, from 3 s to 2 s");
    trace_is_wrong("time,pid,name\n1,2,x\n",
                   "t:1:1: no column 'cpu' of numbers, expected time, and seconds or pid and cpu");
    trace_is_wrong("when,pid,cpu\n1,2,3\n",
                   "t:1:1: no column 'time' of numbers, expected time, and seconds or pid and cpu");
    trace_is_wrong("time,seconds,nice\n1,2,3\n1,2,30\n",
                   "t:3:1: nice level 30, expected a whole number from -20 to 19");
    trace_is_wrong("0 -1 0 1 a\n", "t:1:1: '-1' is not a process number");
    trace_is_wrong("0 1 0 1 a\n1 2\n", "t:2:4: this line has 2 cells, the first has 5, separated by blanks");
    trace_is_wrong("0 1.5 0 1 a\n", "t:1:1: '1.5' is not a process number");
    trace_is_wrong("0 1 0.5 1 a\n", "t:1:1: '0.5' is not a process number");
    trace_is_wrong("time,seconds,nice\n1,2,1.5\n", "t:2:1: nice level 1.5, expected a whole number from -20 to 19");
    assert_int_equal(simkit_workload_read(&(simkit_input){ .text = NULL, .length = 0 }, NULL, NULL),
                     SIMKIT_BAD_ARGUMENT);
    simkit_workload_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_what_was_consumed_so_far),
        cmocka_unit_test(many_lines_of_one_time),
        cmocka_unit_test(tables_of_arrivals),
        cmocka_unit_test(wrong_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
