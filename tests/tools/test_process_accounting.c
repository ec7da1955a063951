/* examples/tools/accounting.h: what lastcomm and dump-acct print becomes a trace, and every parse error has its place. */
#define SIMKIT_IMPLEMENTATION
#include "../../examples/tools/accounting.h"

#include "../close.h"

static simkit_parse_error error;

/* The trace of a text, by way of the table that is printed. */
static simkit_workload *trace_of(const char *text, size_t length)
{
    accounting_process *processes;
    simkit_workload *workload = NULL;
    size_t count;
    char table[4096] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    if (!accounting_read(text, length, "t", &processes, &count, &error)) fail_msg("%s", error.text);
    accounting_print(file, processes, count);
    free(processes);
    rewind(file);
    const simkit_input input = { .text = table, .length = fread(table, 1, sizeof table, file) };
    fclose(file);
    if (simkit_workload_read(&input, &workload, &error) != SIMKIT_OK) fail_msg("%s", error.text);
    return workload;
}

static void trace_is(const char *text, size_t count, const simkit_arrival *expected)
{
    simkit_workload *workload = trace_of(text, strlen(text));
    assert_int_equal(workload->count, count);
    for (size_t i = 0; i < count; ++i) {
        assert_close(workload->arrivals[i].time, expected[i].time, 1e-12);
        assert_close(workload->arrivals[i].seconds, expected[i].seconds, 1e-12);
        assert_int_equal(workload->arrivals[i].nice, 0);
        assert_int_equal(workload->arrivals[i].process, 0);
        assert_string_equal(workload->arrivals[i].name, expected[i].name);
    }
    simkit_workload_close(workload);
}

static void text_is(const char *text, const char *why)
{
    accounting_process *processes;
    size_t count;
    memset(&error, 0, sizeof error);
    const bool fine = accounting_read(text, strlen(text), "t", &processes, &count, &error);
    assert_string_equal(error.text, why ? why : "");
    assert_true(fine == !why);
    free(processes);
}

/* As dump-acct (GNU accounting utilities 6.6.4) prints three records, of 96, 12 and 0 ticks and 7 more each. */
static const char dump[] = "bash            |v3|    96.00|     7.00|   150.00|     0|     0|   100.00|     0.00|    "
                           "1000|       1|     |       0|__      |Tue Nov 14 22:13:20 2023\n"
                           "bash            |v3|    12.00|     7.00|   150.00|  1000|     0|   100.00|     0.00|    "
                           "1001|    1000| F   |       0|__      |Tue Nov 14 22:14:21 2023\n"
                           "a b             |v3|     0.00|     7.00|   150.00|  1000|     0|   100.00|     0.00|    "
                           "1002|    1000|S    |       0|__      |Tue Nov 14 22:13:22 2023\n";

static void process_accounting(void **state)
{
    (void)state;
    static const simkit_arrival seconds[] = { { 0, 1.03, 0, 0, "bash" },
                                              { 2, 0.07, 0, 0, "a b" },
                                              { 61, 0.19, 0, 0, "bash" } };
    static const simkit_arrival minutes[] = { { 0, 1.03, 0, 0, "bash" },
                                              { 0, 0.07, 0, 0, "a b" },
                                              { 60, 0.19, 0, 0, "bash" } };
    trace_is(dump, 3, seconds);
    /* without numbers of processes, the older form */
    trace_is("bash            |v2|    96.00|     7.00|   150.00|     0|     0|   100.00|     0.00|__      |Tue Nov 14 "
             "22:13:20 2023\n",
             1, seconds);
    /* as lastcomm prints them, the latest first; with --pid and without */
    trace_is("bash              F    root     __         0.19 secs Tue Nov 14 22:14 1001 1000\n"
             "bash                   root     pts/0      1.03 secs Tue Nov 14 22:13 1000 1\n"
             "a b              S     nobody   __         0.07 secs Tue Nov 14 22:13 1002 1000\n",
             3, minutes);
    trace_is("bash                   root     __         1.03 secs Tue Nov 14 22:13\n"
             "a b              S     nobody   __         0.07 secs Tue Nov 14 22:13\n"
             "bash              F    root     __         0.19 secs Tue Nov 14 22:14\n",
             3, minutes);
    /* a date without seconds and year is in the first second of its minute, in 2000 */
    static const simkit_arrival mixed[] = { { 0, 1.03, 0, 0, "bash" }, { 65, 0.19, 0, 0, "bash" } };
    trace_is("bash                   root     __         1.03 secs Tue Nov 14 22:13\n"
             "bash              F    root     __         0.19 secs Tue Nov 14 22:14:05 2000\n",
             2, mixed);
    /* over midnight, months, and a leap day */
    static const simkit_arrival days[] = { { 0, 1, 0, 0, "x" }, { 86400, 1, 0, 0, "x" }, { 2 * 86400, 1, 0, 0, "x" } };
    trace_is("x|v3|100|0|1|0|0|1|0|1|0| |0|__|Wed Feb 28 23:59:59 2024\nx|v3|100|0|1|0|0|1|0|2|0| |0|__|  Thu  Feb 29 "
             "23:59:59 2024\n"
             "x|v3|100|0|1|0|0|1|0|3|0| |0|__|Fri Mar  1 23:59:59 2024\n",
             3, days);
}

static void a_zero_byte_ends_a_name(void **state)
{
    (void)state;
    static const char lines[] = "ba\0sh                  root     __         1.03 secs Tue Nov 14 22:13\n"
                                "\0                      root     __         1.03 secs Tue Nov 14 22:13\n";
    simkit_workload *workload = trace_of(lines, sizeof lines - 1);
    assert_string_equal(workload->arrivals[0].name, "ba");
    assert_string_equal(workload->arrivals[1].name, "");
    simkit_workload_close(workload);
}

static void names_are_quoted(void **state)
{
    (void)state;
    static const simkit_arrival odd[] = { { 0, 1.03, 0, 0, "a,\"b\";#" }, { 0, 0.07, 0, 0, "nan" } };
    trace_is("a,\"b\";#               root     __         1.03 secs Tue Nov 14 22:13\n"
             "nan                    root     __         0.07 secs Tue Nov 14 22:13\n",
             2, odd);
}

static void every_error_has_its_place(void **state)
{
    static const struct {
        const char *text, *why; /* NULL: it is fine */
    } cases[] = {
        { "", "t: the file is empty" },
        { "time,pid,cpu\n", "t:1:1: expected a line as lastcomm or dump-acct prints it" },
        { "name            -     user     pts/0      0.02 secs ?\?? Mar  4 10:00\n",
          "t:1:53: expected a day of the week" },
        { "name            -     user     pts/0      0.02 secs Mon ?\?? 4 10:00\n", "t:1:57: expected a month" },
        { "name            -     user     pts/0      0.02 secs Mon Marc 4 10:00\n", "t:1:53: 'Marc' is not a month" },
        { "name            -     user     pts/0      0.02 secs Mon Mar x 10:00\n", "t:1:61: expected a number >= 0" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 4 10 00\n", "t:1:66: expected ':'" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 4 10:00:01 x\n",
          "t:1:72: expected a number >= 0" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 0 10:00\n", "t:1:53: this date does not exist" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 32 10:00\n", "t:1:53: this date does not exist" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 4 24:00\n", "t:1:53: this date does not exist" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 4 10:60\n", "t:1:53: this date does not exist" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 4 10:00:61 2000\n",
          "t:1:53: this date does not exist" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 4 10:00:01 1969\n",
          "t:1:53: this date does not exist" },
        { "name            -     user     pts/0      0.02 secs Mon Mar 4 10:00:01 10000\n",
          "t:1:53: this date does not exist" },
        { "name            -     user     pts/0      x secs Mon Mar 4 10:00\n", "t:1:43: expected a number >= 0" },
        { "a 0.02 secs Mon Mar 4 10:00\n", NULL },
        { "0.02 secs Mon Mar 4 10:00\n", NULL },
        { "  0.02 secs Mon Mar 4 10:00\n", NULL },
        { "name            -     user     pts/0      0.02 secs Mon Mar 4 10:00:01 2000 x\n",
          "t:1:77: expected a number >= 0" },
        { "ls |v3| 1.00| 1.00| 2.00| 0| 0| 0| 0| x| 1| - | 0| pts|Tue Nov 14 22:13:20 2023\n",
          "t:1:39: expected a number >= 0" },
        { "ls |v3| 1.00| 1.00| 2.00| 0| 0| 0| 0| 7| x| - | 0| pts|Tue Nov 14 22:13:20 2023\n",
          "t:1:42: expected a number >= 0" },
        { "ls |v2| 1.00| 1.00| 2.00| 0| 0| 0| 0| 7| 1| - | 0| pts|Tue Nov 14 22:13:20 2023\n", NULL },
        { "ls |v3| 1e999| 1.00| 2.00| 0| 0| 0| 0| 7| 1| - | 0| pts|Tue Nov 14 22:13:20 2023\n",
          "t:1:9: the number is too large" },
        { "ls |v3| 1e308| 1e308| 2.00| 0| 0| 0| 0| 7| 1| - | 0| pts|Tue Nov 14 22:13:20 2023\n",
          "t:1:8: the CPU time is too large" },
        { "ls|v3|1|1|2|0|0|0|0|7|1|-|0|pts|x|y|z|Tue Nov 14 22:13:20 2023\n", "t:1:36: expected a month" },
        { "x|v3|1|0|1|0|0|1|Tue Nov 14 22:13:20 2023\nx|v3|100\n", "t:2:1: 3 fields between '|', expected 9 or more" },
        { "x|v3|1|0|1|0|0|1|Tue Nev 14 22:13:20 2023\n", "t:1:18: 'Nev' is not a month" },
        { "x|v3|1|0|1|0|0|1|Tue Nov 14 25:13:20 2023\n", "t:1:18: this date does not exist" },
        { "x|v3|?|0|1|0|0|1|Tue Nov 14 22:13:20 2023\n", "t:1:6: expected a number >= 0" },
        { "x|v3|1.7e308|1.7e308|1|0|0|1|Tue Nov 14 22:13:20 2023\n", "t:1:6: the CPU time is too large" },
        { "x root __ 1.03 secs Tue Nov 14 22:13\nx root __ 1.03 sec\n", "t:2:1: expected a number of 'secs'" },
        { "x|v3|1|0|1|0|0|1|0|5|9| |0|__|Tue Nov 14 22:13:20 2023\nx|v3|1|0|1|0|0|1|0|9|1| |0|__|Tue Nov 14 "
          "22:13:22 2023\n",
          "t:1:1: process 5 begins at 1700000000 s, before its parent 9 at 1700000002 s" },
        { "x root __ 1.03 secs Tue Nov 14 22:13 5 9\ny root __ 1.03 secs Tue Nov 14 22:15 9 1\n",
          "t:1:1: process 5 begins at 974239980 s, before its parent 9 at 974240100 s" },
        { "x|v3|1|0|1|0|0|1|0|5|9| |0|__|Tue Nov 14 22:13:20 2023\nx|v3|100|0|1|0|0|1|0|9|1| |0|__|Tue Nov 14 "
          "22:13:21 2023\n",
          NULL },
        { "x root __ 1.03 secs Tue Nov 14 22:13 5 9\ny root __ 1.03 secs Tue Nov 14 22:14 9 1\n", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) text_is(cases[i].text, cases[i].why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process_accounting),
        cmocka_unit_test(a_zero_byte_ends_a_name),
        cmocka_unit_test(names_are_quoted),
        cmocka_unit_test(every_error_has_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
