/* workload.h: logs are read and written without loss, files of our own, and what the model draws. */
#define _POSIX_C_SOURCE 200809L
#include "policies.h"
#include "simulate.h"
#include "work.h"
#include "workload.h"

#include "../close.h"

static simkit_input text_input(const char *text)
{
    return (simkit_input){ .text = text, .length = strlen(text), .name = "f" };
}

static workload *good(simkit_result result, workload *w, const simkit_parse_error *error)
{
    if (result != SIMKIT_OK) fail_msg("%s: %s", simkit_result_text(result), error->text);
    assert_non_null(w);
    return w;
}

static workload *read_log(const char *text, unsigned nodes)
{
    const simkit_input input = text_input(text);
    simkit_parse_error error = { .line = 0 };
    workload *w;
    const simkit_result result = workload_read_swf(&input, nodes, &w, &error);
    return good(result, w, &error);
}

static workload *read_ours(const char *text)
{
    const simkit_input input = text_input(text);
    simkit_parse_error error = { .line = 0 };
    workload *w;
    const simkit_result result = workload_read(&input, &w, &error);
    return good(result, w, &error);
}

typedef simkit_result reader(const simkit_input *input, workload **w, simkit_parse_error *error);

static simkit_result log_reader(const simkit_input *input, workload **w, simkit_parse_error *error)
{
    return workload_read_swf(input, 0, w, error);
}

static void check_error(reader *reads, const char *text, const char *expected)
{
    const simkit_input input = text_input(text);
    simkit_parse_error error = { .line = 0 };
    workload *w = (workload *)&error;
    assert_int_equal(reads(&input, &w, &error), SIMKIT_BAD_FILE);
    assert_null(w);
    assert_string_equal(error.text, expected);
}

/* What workload_write_swf() writes. */
static char *written(const workload *w)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(workload_write_swf(w, file), SIMKIT_OK);
    const long length = ftell(file);
    assert_true(length >= 0);
    char *text = calloc((size_t)length + 1, 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)length, file), (size_t)length);
    fclose(file);
    return text;
}

/*=============================================================================
 * MARK: - >>logs
 *===========================================================================*/
static const char *const small_log = "; Version: 2.2\n"
                                     ";  MaxProcs:  64\n"
                                     "; Note: two\n"
                                     "1 0 5 100 4 99.25 2048 8 200 -1 1 3 4 5 1 1 -1 -1\n"
                                     "2 10 -1 50 16 -1 -1 -1 -1 -1 0 3 4 5 1 1 1 20\n"
                                     "; in between\n"
                                     "7 11 0.5 0.125 1 1e-07 -1 -1 1e+20 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                     ";\n";

static void a_log_is_written_as_it_was_read(void **state)
{
    (void)state;
    workload *w = read_log(small_log, 0);
    char *text = written(w);
    assert_string_equal(text, small_log);
    free(text);
    assert_int_equal(w->record_count, 3);
    assert_int_equal(w->count, 3);
    assert_int_equal(w->nodes, 64);
    assert_string_equal(workload_header(w, "MaxProcs"), "64");
    assert_string_equal(workload_header(w, "Note"), "two");
    assert_null(workload_header(w, "Max"));
    assert_null(workload_header(w, "MaxNodes"));
    workload_close(w);
}

static void lines_become_jobs(void **state)
{
    (void)state;
    workload *w = read_log(small_log, 0);
    const server_job_desc *job = w->jobs;
    assert_int_equal(job[0].name, 1);
    assert_int_equal(job[0].kind, SERVER_RIGID);
    assert_int_equal(job[0].preferred, 8); /* requested, not allocated */
    assert_equal(job[0].run, 100);
    assert_equal(job[0].estimate, 200);
    assert_equal(job[0].submit, 0);
    assert_int_equal(((work *)job[0].work)->kind, WORK_TIME);
    assert_int_equal(job[1].preferred, 16); /* allocated: it requested none */
    assert_equal(job[1].estimate, 50);
    assert_int_equal(job[2].name, 7);
    assert_equal(job[2].run, 0.125);
    assert_int_equal(w->record[2], 2);
    workload_close(w);
}

static void blanks_and_line_ends_of_other_systems(void **state)
{
    (void)state;
    workload *w = read_log("\xEF\xBB\xBF  ; MaxNodes: 4\r\n\r\n\t 1  0 0 +1.50\t2 0 0 1 1 0 1 0 0 0 0 0 0 0 \r\n", 0);
    char *text = written(w);
    assert_string_equal(text, "  ; MaxNodes: 4\n1 0 0 1.5 2 0 0 1 1 0 1 0 0 0 0 0 0 0\n");
    assert_int_equal(w->nodes, 4);
    assert_int_equal(w->jobs[0].preferred, 1);
    free(text);
    workload_close(w);
}

static void every_number_comes_back(void **state)
{
    static const char *const hard[] = { "0.1",
                                        "-1",
                                        "9007199254740991",
                                        "9007199254740993",
                                        "123456789012345",
                                        "5e-324",
                                        "1e308",
                                        "0.30000000000000004",
                                        "2.5e-3",
                                        "-0.75",
                                        "3.14159265358979",
                                        "1234567890123456",
                                        "9999999999999999999999999" };
    uint64_t random = 17;
    (void)state;
    for (size_t i = 0; i < 2000; ++i) {
        char number[40], text[120];
        if (i < sizeof hard / sizeof *hard)
            snprintf(number, sizeof number, "%s", hard[i]);
        else
            snprintf(number, sizeof number, "%.17g", random_between(&random, -1, 1) * pow(10, (double)(i % 60) - 20));
        snprintf(text, sizeof text, "1 0 0 1 1 %s 0 1 1 0 1 0 0 0 0 0 0 0\n", number);
        workload *w = read_log(text, 0);
        const double value = w->records[0].field[WORKLOAD_CPU];
        assert_equal(value, strtod(number, NULL));
        char *again = written(w);
        workload_close(w);
        w = read_log(again, 0);
        assert_equal(w->records[0].field[WORKLOAD_CPU], value);
        workload_close(w);
        free(again);
    }
}

static void what_is_odd_is_counted(void **state)
{
    static const char *const odd = "; MaxProcs: 8\n"
                                   "1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
                                   "2 1 -1 -1 -1 -1 -1 4 10 -1 5 1 1 1 1 1 -1 -1\n"  /* cancelled */
                                   "3 2 -1 10 0 -1 -1 0 10 -1 5 1 1 1 1 1 -1 -1\n"   /* cancelled */
                                   "4 3 -1 10 2 -1 -1 2 20 -1 5 1 1 1 1 1 -1 -1\n"   /* cancelled while it ran */
                                   "5 4 -1 0 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n"    /* no run time */
                                   "6 5 -1 10 -1 -1 -1 -1 20 -1 1 1 1 1 1 1 -1 -1\n" /* no processors */
                                   "7 -1 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"  /* no submit time */
                                   "8 7 -1 30 1 -1 -1 1 20 -1 0 1 1 1 1 1 -1 -1\n"   /* longer than requested */
                                   "9 8 -1 30 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"   /* requested nothing */
                                   "10 9 -1 30 8 -1 -1 9 40 -1 1 1 1 1 1 1 -1 -1\n"  /* too large */
                                   "11 6 -1 30 8 -1 -1 8 40 -1 1 1 1 1 1 1 -1 -1\n"  /* before an earlier line */
                                   "11 6 -1 10 8 -1 -1 8 40 -1 2 1 1 1 1 1 -1 -1\n"
                                   "11 6 -1 10 8 -1 -1 8 40 -1 3 1 1 1 1 1 -1 -1\n"
                                   "11 6 -1 10 8 -1 -1 8 40 -1 4 1 1 1 1 1 -1 -1\n";
    static const uint64_t kept[] = { 1, 4, 8, 9, 10, 11 };
    char text[512];
    (void)state;
    workload *w = read_log(odd, 0);
    const workload_counts *c = &w->counts;
    assert_int_equal(c->lines, 14);
    assert_int_equal(c->cancelled, 2);
    assert_int_equal(c->broken_off, 1);
    assert_int_equal(c->timeless, 1);
    assert_int_equal(c->sizeless, 1);
    assert_int_equal(c->undated, 1);
    assert_int_equal(c->raised, 1);
    assert_int_equal(c->unestimated, 1);
    assert_int_equal(c->oversized, 1);
    assert_int_equal(c->back, 1);
    assert_int_equal(c->partial, 3);
    assert_int_equal(c->lines, w->count + c->cancelled + c->timeless + c->sizeless + c->undated + c->partial);
    assert_int_equal(w->count, sizeof kept / sizeof *kept);
    for (size_t i = 0; i < w->count; ++i) {
        assert_int_equal(w->jobs[i].name, kept[i]);
        assert_equal(w->records[w->record[i]].field[WORKLOAD_NUMBER], (double)kept[i]);
        assert_true(w->jobs[i].estimate >= w->jobs[i].run);
    }
    assert_equal(w->jobs[2].estimate, 30);
    workload_counts_text(w, text, sizeof text);
    assert_string_equal(text,
                        "14 lines, 6 jobs, 3 left out as parts of jobs, 2 left out as cancelled, 1 left out without "
                        "run time, 1 left out without processors, 1 left out without submit time, 1 ran longer than "
                        "requested (estimate raised), 1 requested no time (estimate is the run time), 1 cancelled "
                        "while running, 1 larger than the cluster, 1 submitted before an earlier line");
    workload_counts_text(w, text, 9);
    assert_string_equal(text, "14 lines");
    char *lines = written(w);
    assert_string_equal(lines, odd); /* also what is no job */
    free(lines);
    workload_close(w);
    w = read_log(odd, 4); /* the caller's cluster comes before the header */
    assert_int_equal(w->counts.oversized, 2);
    workload_close(w);
}

/* Fields 17 and 18; numbers that come twice; more fields than the format has. */
static void jobs_follow_others(void **state)
{
    static const char *const log = "; MaxProcs: 8\n"
                                   "1 0 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"
                                   "2 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 1 50\n"    /* 50 s after job 1 */
                                   "3 500 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 2 -1\n"  /* not before job 2 is over */
                                   "4 7 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 99 5\n"    /* of none */
                                   "5 8 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 5 5\n"     /* of itself */
                                   "6 9 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 7 5\n"     /* of a later one */
                                   "7 9 -1 10 9 -1 -1 9 20 -1 1 1 1 1 1 1 -1 -1\n"   /* refused */
                                   "8 9 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 7 5 3 4\n" /* after one that is refused */
                                   "2 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 2 3\n"     /* its number is that of an earlier one */
                                   "9 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 2 7\n";    /* after the latter */
    static const double submits[] = { 0, 150, 500, 7, 8, 9, 9, 14, 163, 180 };
    char text[600];
    (void)state;
    workload *w = read_log(log, 0);
    assert_int_equal(w->counts.following, 5);
    assert_int_equal(w->counts.unfollowed, 3);
    assert_int_equal(w->counts.repeated, 1);
    assert_int_equal(w->counts.wide, 1);
    workload_counts_text(w, text, sizeof text);
    assert_non_null(strstr(text, ", 5 submitted after the end of another job, 3 with a preceding job that is not there (submitted at "
                                 "their times), 1 with the number of an earlier job, 1 with more than 18 fields (the others left out)"));
    simulate *sim;
    simulate_desc desc = { .nodes = 8 };
    succeeds(policies_make("easy", &desc.policy));
    succeeds(simulate_open(&desc, &sim));
    for (size_t i = 0; i < w->count; ++i) succeeds(server_submit(simulate_server(sim), &w->jobs[i], NULL));
    succeeds(simulate_run(sim));
    for (size_t i = 0; i < w->count; ++i) {
        const server_job *j = server_job_of(simulate_server(sim), (server_number)i);
        assert_int_equal(j->state, i == 6 ? SERVER_REFUSED : SERVER_ENDED);
        assert_close(j->desc.submit, submits[i], 0);
    }
    simulate_close(sim);
    workload_close(w);
}

static void bad_logs(void **state)
{
    (void)state;
    check_error(log_reader, "; a\n1 0 0 ten 1 0 0 1 1 0 1 0 0 0 0 0 0 0\n",
                "f:2:7: field 4, the run time, is 'ten', expected a number");
    check_error(log_reader, "1 0 0\n", "f:1:6: the line ends after 3 fields, expected 18; the run time is missing");
    check_error(log_reader, "; MaxProcs: 4294967295\n1 0 0 1 1 0 0 1 1 0 1 0 0 0 0 0 0 0\n",
                "f: MaxProcs is 4294967295, expected at most 1000000");
    check_error(log_reader, "1.5 0 0 1 1 0 0 1 1 0 1 0 0 0 0 0 0 0\n",
                "f:1:1: field 1, the job number, is '1.5', expected a whole number >= 0");
    check_error(log_reader, "1 0 0 1 1 0 0 5000000000 1 0 1 0 0 0 0 0 0 0\n",
                "f:1:15: field 8, the requested number of processors, is '5000000000', expected a whole number up to "
                "4294967295");
    check_error(log_reader, "1 0 0 1e999 1 0 0 1 1 0 1 0 0 0 0 0 0 0\n",
                "f:1:7: field 4, the run time, is '1e999', expected a smaller number");
    check_error(log_reader, "1 0 0 1e 1 0 0 1 1 0 1 0 0 0 0 0 0 0\n",
                "f:1:7: field 4, the run time, is '1e', expected a number");
    check_error(log_reader, "1 0 0 nan 1 0 0 1 1 0 1 0 0 0 0 0 0 0\n",
                "f:1:7: field 4, the run time, is 'nan', expected a number");
    check_error(log_reader, "1 - 0 1 1 0 0 1 1 0 1 0 0 0 0 0 0 0\n",
                "f:1:3: field 2, the submit time, is '-', expected a number");
}

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/
static const char *const ours = "# what there is\n"
                                "[cluster]\n"
                                "nodes = 8\n"
                                "[job rigid-one]\n"
                                "nodes = 2\n"
                                "run = 100 s\n"
                                "[job  amdahl ]  # a comment\n"
                                "submit = 1 min\n"
                                "kind = malleable\n"
                                "nodes = 4\n"
                                "minimum = 2\n"
                                "maximum = 8\n"
                                "law = amdahl\n"
                                "seconds = 1000 s\n"
                                "iterations = 50\n"
                                "serial = 25 %\n"
                                "data = 100 MB\n"
                                "estimate = 2 h\n"
                                "[job downey]\n"
                                "kind = moldable\n"
                                "nodes = 4\n"
                                "maximum = 6\n"
                                "law = downey\n"
                                "seconds = 10 s\n"
                                "parallelism = 8\n"
                                "variation = 0.5\n"
                                "[job table]\n"
                                "nodes = 2\n"
                                "law = table\n"
                                "seconds = 19 s\n"
                                "speedup = 1:1, 2:1.9, 4 : 3.5\n"
                                "count = 3\n"
                                "every = 5 s\n"
                                "[job ring]\n"
                                "nodes = 2\n"
                                "skeleton = ring\n"
                                "seconds = 3 s\n"
                                "bytes = 1 kB\n"
                                "[job lu]\n"
                                "kind = malleable\n"
                                "nodes = 4\n"
                                "minimum = 1\n"
                                "program = lu\n"
                                "arguments = n=648 r=81\n";

static const work *work_of(const workload *w, size_t job)
{
    return (const work *)w->jobs[job].work;
}

static void our_file_is_read(void **state)
{
    (void)state;
    workload *w = read_ours(ours);
    assert_int_equal(w->count, 8);
    assert_int_equal(w->nodes, 8);
    for (size_t i = 0; i < w->count; ++i) assert_int_equal(w->jobs[i].name, i + 1);
    assert_string_equal(w->names[0], "rigid-one");
    assert_int_equal(w->jobs[0].kind, SERVER_RIGID);
    assert_equal(w->jobs[0].run, 100);
    assert_equal(w->jobs[0].estimate, 100);
    assert_int_equal(work_of(w, 0)->kind, WORK_TIME);
    const server_job_desc *job = &w->jobs[1];
    assert_string_equal(w->names[1], "amdahl");
    assert_equal(job->submit, 60);
    assert_int_equal(job->kind, SERVER_MALLEABLE);
    assert_int_equal(job->minimum, 2);
    assert_int_equal(job->preferred, 4);
    assert_int_equal(job->maximum, 8);
    assert_equal(job->estimate, 7200);
    assert_close(job->run, 1000 * (0.25 + 0.75 / 4), 1e-14);
    assert_int_equal(work_of(w, 1)->kind, WORK_AMDAHL);
    assert_int_equal(work_of(w, 1)->iterations, 50);
    assert_equal(work_of(w, 1)->data, 1e8);
    assert_int_equal(w->jobs[2].minimum, 0);
    assert_int_equal(work_of(w, 2)->kind, WORK_DOWNEY);
    assert_close(w->jobs[2].run, 10 / work_speedup(work_of(w, 2), 4), 1e-14);
    for (size_t i = 3; i < 6; ++i) {
        assert_string_equal(w->names[i], "table");
        assert_equal(w->jobs[i].submit, 5 * (double)(i - 3));
        assert_equal(w->jobs[i].run, 10);
        assert_int_equal(work_of(w, i)->count, 3);
        assert_equal(work_speedup(work_of(w, i), 3), 2.7);
    }
    assert_nan(w->jobs[6].run);
    assert_equal(w->jobs[6].estimate, INFINITY);
    assert_int_equal(work_of(w, 6)->pattern, WORK_RING);
    assert_equal(work_of(w, 6)->bytes, 1000);
    assert_int_equal(work_of(w, 7)->kind, WORK_PROGRAM);
    assert_string_equal(work_of(w, 7)->program, "lu");
    assert_string_equal(work_of(w, 7)->arguments, "n=648 r=81");
    workload_close(w);
}

static void sizes_may_be_equal(void **state)
{
    (void)state;
    workload *w = read_ours("[job a]\nnodes = 2\nminimum = 2\nmaximum = 2\nkind = moldable\nrun = 1 s\n");
    assert_int_equal(w->jobs[0].minimum, 2);
    assert_int_equal(w->jobs[0].maximum, 2);
    workload_close(w);
}

static void the_example_is_read(void **state)
{
    workload *w;
    simkit_parse_error error = { .line = 0 };
    (void)state;
    const simkit_result result = workload_read(&(simkit_input){ .path = "examples/server/mixed.jobs" }, &w, &error);
    good(result, w, &error);
    assert_int_equal(w->count, 14);
    assert_int_equal(w->nodes, 8);
    assert_string_equal(w->names[13], "factorization");
    workload_close(w);
}

static void bad_files_of_ours(void **state)
{
    static const char *const cases[][2] = {
        { "", "f: there is no [job NAME]" },
        { "nodes = 2\n", "f:1:1: key 'nodes' is before the first [section]" },
        { "[job]\n", "f:1:5: expected the name of a job" },
        { "[task a]\n", "f:1:2: 'task' is unknown, expected job or cluster" },
        { "[job a\n", "f:1:7: expected ']'" },
        { "[job a] b\n", "f:1:9: expected the end of the line" },
        { "[job a]\nnodes = 2\n", "f:1:1: job 'a' has no work, expected one of: run, law, skeleton, program" },
        { "[job a]\nrun = 2 s\n[job b]\n", "f:1:1: job 'a' has no 'nodes'" },
        { "[job a]\nrun = 2 B\n", "f:2:9: the unit is 'B', expected one of: s, ms, us, ns, min, h" },
        { "[job a]\nrun = 0 s\n", "f:2:7: 'run' is 0, expected a number > 0" },
        { "[job a]\nnodes = 2\nrun = 2 s\nserial = 0\n", "f:4:1: key 'serial' has no meaning with run = TIME" },
        { "[job a]\nnodes = 2\nrun = 2 s\nlaw = table\nseconds = 1 s\nspeedup = 1:1\n",
          "f:3:1: key 'run' has no meaning with law = table" },
        { "[job a]\nnodes = 2\nlaw = amdahl\nseconds = 1 s\n",
          "f:1:1: job 'a' has no 'serial', which law = amdahl needs" },
        { "[job a]\nnodes = 2\nlaw = downey\nseconds = 1 s\nparallelism = 0.5\n",
          "f:5:15: 'parallelism' is less than 1, expected a number >= 1" },
        { "[job a]\nnodes = 2\nskeleton = ring\nseconds = 1 s\n",
          "f:1:1: job 'a' has no 'bytes', which skeleton = ring needs" },
        { "[job a]\nnodes = 2\nskeleton = silent\nseconds = 1 s\nbytes = 1 B\n",
          "f:5:1: key 'bytes' has no meaning with skeleton = silent" },
        { "[job a]\nnodes = 2\nrun = 1 s\nminimum = 1\n", "f:4:1: key 'minimum' has no meaning with kind = rigid" },
        { "[job a]\nnodes = 2\nrun = 1 s\nkind = moldable\n",
          "f:1:1: job 'a' has no 'minimum' or 'maximum', which kind = moldable needs" },
        { "[job a]\nnodes = 2\nrun = 1 s\nkind = malleable\nminimum = 1\n",
          "f:3:1: key 'run' has no meaning with kind = malleable" },
        { "[job a]\nnodes = 2\nlaw = amdahl\nserial = 0\nseconds = 1 s\nkind = malleable\nminimum = 1\n",
          "f:1:1: job 'a' has no 'iterations', which kind = malleable needs" },
        { "[job a]\nnodes = 2\nlaw = amdahl\nserial = 0\nseconds = 1 s\ndata = 1 B\n",
          "f:6:1: key 'data' has no meaning with kind = rigid" },
        { "[job a]\nnodes = 2\nrun = 1 s\nkind = moldable\nminimum = 3\n",
          "f:5:1: 'minimum' is 3, more than the 2 'nodes'" },
        { "[job a]\nnodes = 2\nrun = 1 s\nkind = moldable\nmaximum = 1\n",
          "f:5:1: 'maximum' is 1, less than the 2 'nodes'" },
        { "[job a]\nnodes = 2\nrun = 1 s\nevery = 1 s\n", "f:4:1: key 'every' has no meaning without 'count'" },
        { "[job a]\nnodes = 2\nnodes = 2\n", "f:3:1: duplicate key 'nodes', first set in line 2" },
        { "[job a]\nserial = 2\n", "f:2:10: 'serial' is more than 1, expected 0 to 1" },
        { "[job a]\nspeedup = 1:2\n", "f:2:11: the table does not begin with 1:1" },
        { "[job a]\nspeedup = 1:1, 4:3, 2:2\n", "f:2:21: 2 nodes after 4, expected a larger number" },
        { "[job a]\nspeedup = 1:1, 2:2, 2:2\n", "f:2:21: 2 nodes after 2, expected a larger number" },
        { "[job a]\nspeedup = 1:1 2:2\n", "f:2:15: unknown unit '2', expected one of: none, %" },
        { "[job a]\narguments = n=1 r\n", "f:2:17: 'r' is no argument, expected key=value" },
        { "[job a]\narguments = n=\n", "f:2:13: 'n=' is no argument, expected key=value" },
        { "[job a]\nprogram = ls\n", "f:2:11: 'ls' is unknown, expected lu, stencil or farm" },
        { "[job a]\nspeed = 1\n",
          "f:2:1: [job] has no key 'speed', only submit, kind, nodes, minimum, maximum, estimate, run, law, skeleton, "
          "program, arguments, seconds, iterations, serial, parallelism, variation, speedup, bytes, data, count, "
          "every" },
        { "[job a]\nnodes = 1\nrun = 1 s\n[cluster]\nlinks = 1\n",
          "f:5:1: section [cluster] has no key 'links', only nodes" },
        { "[cluster]\nnodes = 1\n[cluster]\n", "f:3:1: duplicate [cluster], first in line 1" },
        { "[job a]\nnodes = 1\nrun = 1 s\n[job a]\nnodes = 1\nrun = 1 s\n",
          "f:4:1: duplicate job 'a', first in line 1" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) check_error(workload_read, cases[i][0], cases[i][1]);
}

/* Memory that ends after so many calls; what is held is counted. */
typedef struct ration {
    size_t left, held;
} ration;

static void *take(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    ration *r = (ration *)user;
    void *moved = NULL;
    if (new_bytes == 0) {
        free(pointer);
    } else if (r->left == 0) {
        return NULL;
    } else {
        --r->left;
        moved = realloc(pointer, new_bytes);
    }
    r->held = r->held - old_bytes + new_bytes;
    return moved;
}

static void memory_that_runs_out_is_a_result(void **state)
{
    (void)state;
    for (int what = 0; what < 3; ++what) {
        simkit_result result = SIMKIT_NO_MEMORY;
        size_t calls = 0;
        for (; result == SIMKIT_NO_MEMORY; ++calls) {
            ration r = { calls, 0 };
            simkit_input input = text_input(what == 0 ? small_log : ours);
            input.memory = (simkit_memory){ take, &r };
            simkit_parse_error error = { .line = 1 };
            workload *w;
            result =
                what == 0 ? workload_read_swf(&input, 0, &w, &error)
                : what == 1
                    ? workload_read(&input, &w, &error)
                    : workload_generate(
                          &(workload_model){ .jobs = 100, .nodes = 8, .malleable = 0.9, .memory = input.memory }, &w);
            if (result != SIMKIT_OK) assert_null(w);
            if (result != SIMKIT_OK && what < 2) assert_string_equal(error.text, "f: no memory for the workload");
            workload_close(w);
            assert_int_equal(r.held, 0);
        }
        assert_int_equal(result, SIMKIT_OK);
        assert_true(calls > 4);
    }
}

static void files_on_disk(void **state)
{
    workload *w;
    simkit_parse_error error = { .line = 0 };
    (void)state;
    const simkit_input missing = { .path = "none.jobs", .beside = "/nowhere/at.all" };
    assert_int_equal(workload_read(&missing, &w, &error), SIMKIT_NO_FILE);
    assert_non_null(strstr(error.text, "/nowhere/none.jobs: the file cannot be read: "));
    assert_int_equal(workload_read(&(simkit_input){ .path = NULL }, &w, &error), SIMKIT_BAD_ARGUMENT);
    char name[] = "/tmp/test_workload_XXXXXX";
    const int number = mkstemp(name);
    FILE *file = fdopen(number, "w");
    assert_non_null(file);
    fputs(small_log, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(workload_read_swf(&(simkit_input){ .path = name }, 0, &w, &error), SIMKIT_OK);
    assert_int_equal(w->count, 3);
    workload_close(w);
    remove(name);
}

/*=============================================================================
 * MARK: - >>model
 *===========================================================================*/
enum { MANY = 200000, SIZE = 128 };

/* The distribution function of a gamma distribution, by Simpson's rule. */
static double gamma_below(const workload_gamma *g, double x)
{
    enum { STEPS = 2000 };
    const double low = fmax(0, (g->shape - 12 * sqrt(g->shape)) * g->scale);
    double sum = 0;
    if (x <= low) return 0;
    for (int i = 0; i <= STEPS; ++i) {
        const double y = (low + (x - low) * i / STEPS) / g->scale;
        if (y > 0)
            sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * exp((g->shape - 1) * log(y) - y - lgamma(g->shape));
    }
    return sum * (x - low) / g->scale / STEPS / 3;
}

static workload *generated(workload_model model)
{
    workload *w;
    if (model.jobs == 0) model.jobs = MANY;
    if (model.nodes == 0) model.nodes = SIZE;
    assert_int_equal(workload_generate(&model, &w), SIMKIT_OK);
    assert_int_equal(w->count, model.jobs);
    assert_int_equal(w->nodes, model.nodes);
    return w;
}

/* The probability that log2 of a parallel size is below x. */
static double stages_below(const workload_lublin *p, double x)
{
    if (x <= p->low) return 0;
    if (x >= p->high) return 1;
    if (x < p->middle) return p->lower * (x - p->low) / (p->middle - p->low);
    return p->lower + (1 - p->lower) * (x - p->middle) / (p->high - p->middle);
}

/* The probability of each size. */
static void size_probabilities(const workload_lublin *p, double probability[SIZE + 1])
{
    for (int n = 0; n <= SIZE; ++n) probability[n] = 0;
    for (int n = 1; n <= SIZE; ++n)
        probability[n] = (1 - p->serial - p->power) * (stages_below(p, log2(n + 0.5)) - stages_below(p, log2(n - 0.5)));
    for (int k = 0; 1 << k <= SIZE; ++k)
        probability[1 << k] += p->power * (stages_below(p, k + 0.5) - stages_below(p, k - 0.5));
    probability[1] += p->serial;
}

static void sizes_follow_the_model(void **state)
{
    double probability[SIZE + 1], sum = 0, mean = 0, expected = 0, variance = 0;
    size_t found[SIZE + 1] = { 0 };
    const workload_lublin p = workload_batch(SIZE);
    (void)state;
    size_probabilities(&p, probability);
    workload *w = generated((workload_model){ .seed = 1 });
    for (size_t i = 0; i < w->count; ++i) {
        assert_in_range(w->jobs[i].preferred, 1, SIZE);
        ++found[w->jobs[i].preferred];
        mean += (double)w->jobs[i].preferred / MANY;
    }
    for (int n = 1; n <= SIZE; ++n) {
        const double deviation = sqrt(MANY * probability[n] * (1 - probability[n]));
        assert_true(fabs((double)found[n] - MANY * probability[n]) <= 4.5 * deviation + 1e-9);
        sum += probability[n];
        expected += n * probability[n];
        variance += n * n * probability[n];
    }
    assert_close(sum, 1, 1e-12);
    assert_true(fabs(mean - expected) < 4 * sqrt((variance - expected * expected) / MANY));
    workload_close(w);
}

/* Kolmogorov's distance between run times and the model, where times are rounded to whole seconds. */
static void run_times_follow_the_model(void **state)
{
    static size_t found[180000];
    double probability[SIZE + 1], brief = 0, lasting = 0, distance = 0, below = 0, mean = 0, expected = 0;
    const workload_lublin p = workload_batch(SIZE);
    const double longest[2] = { gamma_below(&p.brief, p.longest), gamma_below(&p.lasting, p.longest) };
    (void)state;
    size_probabilities(&p, probability);
    for (int n = 1; n <= SIZE; ++n) {
        const double part = p.slope * n + p.offset, kept = part * longest[0] + (1 - part) * longest[1];
        brief += probability[n] * part / kept;
        lasting += probability[n] * (1 - part) / kept;
    }
    workload *w = generated((workload_model){ .seed = 2 });
    for (size_t i = 0; i < w->count; ++i) {
        const double run = w->jobs[i].run;
        assert_true(run >= 1 && run <= 162755 && floor(run) == run && w->jobs[i].estimate == run);
        ++found[(size_t)run];
        mean += log(run) / MANY;
    }
    for (size_t run = 1; run < sizeof found / sizeof *found; ++run) {
        below += (double)found[run] / MANY;
        if (run % (run / 50 + 1) > 0) continue; /* the distribution function is smooth, and slow */
        const double x = fmin(log((double)run + 0.5), p.longest);
        const double model = brief * gamma_below(&p.brief, x) + lasting * gamma_below(&p.lasting, x);
        distance = fmax(distance, fabs(below - model));
    }
    assert_true(distance < 1.63 / sqrt(MANY)); /* exceeded once in a hundred */
    /* The mean of a gamma distribution below x: that of shape + 1 below x, times the mean. */
    const workload_gamma one = { p.brief.shape + 1, p.brief.scale }, other = { p.lasting.shape + 1, p.lasting.scale };
    expected = brief * p.brief.shape * p.brief.scale * gamma_below(&one, p.longest) +
               lasting * p.lasting.shape * p.lasting.scale * gamma_below(&other, p.longest);
    assert_close(mean, expected, 0.003);
    workload_close(w);
}

static void check_gaps(const workload_lublin *p)
{
    static const double points[] = { 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 12.9 };
    size_t below[sizeof points / sizeof *points] = { 0 };
    double mean = 0;
    workload *w = generated((workload_model){ .seed = 3, .steady = true, .parameters = p });
    const double all = gamma_below(&p->gap, p->latest);
    for (size_t i = 0; i < w->count; ++i) {
        const double gap = w->jobs[i].submit - (i > 0 ? w->jobs[i - 1].submit : 0);
        assert_true(gap >= 0 && gap <= 442414);
        for (size_t k = 0; k < sizeof points / sizeof *points; ++k) below[k] += gap < exp(points[k]);
        mean += log(fmax(gap, 0.5)) / MANY;
    }
    for (size_t k = 0; k < sizeof points / sizeof *points; ++k) {
        const double expected = gamma_below(&p->gap, points[k]) / all;
        /* Short gaps are rounded to seconds at both ends. */
        assert_true(fabs((double)below[k] / MANY - expected) < 4 * sqrt(expected * (1 - expected) / MANY) + 0.0005);
    }
    const workload_gamma one = { p->gap.shape + 1, p->gap.scale };
    assert_close(mean, p->gap.shape * p->gap.scale * gamma_below(&one, p->latest) / all, 0.003);
    workload_close(w);
}

static void gaps_follow_the_model(void **state)
{
    const workload_lublin p = workload_batch(SIZE);
    (void)state;
    check_gaps(&p);
}

/* With a shape of 1/2, a gamma distribution is that of the square of a normal number. */
static void shapes_below_one(void **state)
{
    workload_lublin p = workload_batch(SIZE);
    (void)state;
    p.gap = (workload_gamma){ 0.5, 4 };
    workload *w = generated((workload_model){ .seed = 12, .steady = true, .parameters = &p });
    for (double x = 5; x < 13; x += 0.5) {
        const double expected = erf(sqrt(x / 4)) / erf(sqrt(p.latest / 4));
        double below = 0;
        for (size_t i = 1; i < w->count; ++i) below += w->jobs[i].submit - w->jobs[i - 1].submit < exp(x);
        assert_true(fabs(below / MANY - expected) < 4 * sqrt(expected * (1 - expected) / MANY) + 0.0005);
    }
    workload_close(w);
}

static void submissions_follow_the_day(void **state)
{
    const workload_lublin p = workload_batch(SIZE);
    double rate[48], sum = 0;
    (void)state;
    workload_day(&p, rate);
    for (int i = 0; i < 48; ++i) {
        const double x = i < 10 ? i + 49 : i + 1; /* 5:00 begins the 11th half hour */
        const double part = gamma_below(&p.day, x + 0.5) - gamma_below(&p.day, x - 0.5);
        assert_close(rate[i], 48 * part / (gamma_below(&p.day, 58.5) - gamma_below(&p.day, 10.5)), 1e-4);
        sum += rate[i];
    }
    assert_close(sum, 48, 1e-12);
    /* The same gaps with the cycle and without: the integral of the rate up to one time is the other. */
    workload *cyclic = generated((workload_model){ .seed = 4, .jobs = 20000 });
    workload *steady = generated((workload_model){ .seed = 4, .jobs = 20000, .steady = true });
    double integral = 0;
    long half_hour = 0;
    for (size_t i = 0; i < cyclic->count; ++i) {
        const double time = cyclic->jobs[i].submit;
        for (; 1800 * (double)(half_hour + 1) <= time; ++half_hour) integral += 1800 * rate[half_hour % 48];
        const double expected = integral + (time - 1800 * (double)half_hour) * rate[half_hour % 48];
        /* both times are rounded to seconds */
        assert_true(fabs(steady->jobs[i].submit - expected) <= 0.5 + 0.5 * 2.5 + 1e-3);
    }
    assert_true(half_hour > 48 * 20);
    workload_close(steady);
    workload_close(cyclic);
}

static void the_load_is_as_asked(void **state)
{
    (void)state;
    for (int steady = 0; steady < 2; ++steady)
        for (double load = 0.25; load < 3; load *= 1.7) {
            double given = 0;
            workload *w = generated(
                (workload_model){ .seed = 5, .jobs = 5000, .nodes = 100, .load = load, .steady = steady == 1 });
            for (size_t i = 0; i < w->count; ++i) {
                given += w->jobs[i].run * w->jobs[i].preferred;
                assert_true(i == 0 || w->jobs[i].submit >= w->jobs[i - 1].submit);
            }
            assert_close(given / (100 * w->jobs[w->count - 1].submit), load, 1e-4);
            workload_close(w);
        }
}

static void estimates_are_too_long(void **state)
{
    double sum = 0;
    (void)state;
    workload *w = generated((workload_model){ .seed = 6, .overestimate = 4 });
    for (size_t i = 0; i < w->count; ++i) {
        const double factor = w->jobs[i].estimate / w->jobs[i].run;
        assert_true(factor >= 1 && factor <= 5);
        sum += factor / MANY;
    }
    assert_close(sum, 3, 0.005);
    workload_close(w);
}

static void fractions_of_kinds(void **state)
{
    size_t kinds[3] = { 0 }, laws[6] = { 0 };
    (void)state;
    workload *w = generated((workload_model){ .seed = 7, .moldable = 0.2, .malleable = 0.3, .data = 1e6, .spread = 2 });
    for (size_t i = 0; i < w->count; ++i) {
        const server_job_desc *job = &w->jobs[i];
        const work *does = (const work *)job->work;
        ++kinds[job->kind];
        ++laws[does->kind];
        if (job->kind == SERVER_RIGID) continue;
        assert_true(job->minimum >= 1 && job->minimum <= job->preferred && job->preferred <= 2 * job->minimum);
        assert_true(job->maximum == (job->preferred > SIZE / 2 ? SIZE : 2 * job->preferred));
        assert_close(does->iterations * work_seconds(does, 0, job->preferred), job->run, 1e-12);
        assert_true(work_speedup(does, job->maximum) >= work_speedup(does, job->preferred));
        assert_equal(does->data, job->kind == SERVER_MALLEABLE ? 1e6 * job->preferred : 0);
    }
    assert_close((double)kinds[SERVER_MOLDABLE] / MANY, 0.2, 0.02);
    assert_close((double)kinds[SERVER_MALLEABLE] / MANY, 0.3, 0.02);
    assert_close((double)laws[WORK_AMDAHL] / MANY, 0.25, 0.02);
    assert_close((double)laws[WORK_DOWNEY] / MANY, 0.25, 0.02);
    workload_close(w);
}

static void one_seed_one_workload(void **state)
{
    const workload_model model = { .seed = 8, .jobs = 3000, .nodes = 64, .load = 0.8 };
    workload_model varied = model;
    (void)state;
    workload *one = generated(model), *again = generated(model);
    varied.overestimate = 2;
    varied.moldable = 0.5;
    workload *other = generated(varied);
    varied = model;
    varied.seed = 9;
    workload *next = generated(varied);
    size_t same = 0;
    for (size_t i = 0; i < one->count; ++i) {
        const server_job_desc *a = &one->jobs[i], *b = &again->jobs[i], *c = &other->jobs[i], *d = &next->jobs[i];
        assert_true(a->submit == b->submit && a->run == b->run && a->preferred == b->preferred);
        assert_true(a->submit == c->submit && a->run == c->run && a->preferred == c->preferred);
        same += a->run == d->run;
    }
    assert_true(same < one->count / 20);
    char *text = written(one);
    workload *logged = read_log(text, 0);
    assert_int_equal(logged->count, one->count);
    assert_int_equal(logged->nodes, 64);
    for (size_t i = 0; i < one->count; ++i) {
        assert_equal(logged->jobs[i].submit, one->jobs[i].submit);
        assert_equal(logged->jobs[i].run, one->jobs[i].run);
        assert_int_equal(logged->jobs[i].preferred, one->jobs[i].preferred);
    }
    free(text);
    workload_close(logged);
    workload_close(next);
    workload_close(other);
    workload_close(again);
    workload_close(one);
}

static void the_parameters_are_those_that_were_published(void **state)
{
    const workload_lublin p = workload_batch(128);
    (void)state;
    assert_equal(p.low, 1.2);
    assert_equal(p.middle, 5);
    assert_equal(p.high, 7);
    assert_equal(workload_batch(16).middle, 2);
    assert_equal(workload_batch(8).middle, 1.2); /* never below `low` */
    assert_close(p.brief.shape * p.brief.scale, 5.407, 1e-4);
    assert_close(p.lasting.shape * p.lasting.scale, 9.970, 1e-4);
    assert_close(p.gap.shape * p.gap.scale, 5.4215, 1e-4);
    assert_close(p.day.shape * p.day.scale, 32.314, 1e-4); /* the mean submission is at 16:09 */
}

/* Runs a workload; how many jobs were refused. */
static size_t refused(const workload *w, unsigned nodes, const char *policy)
{
    size_t count = 0;
    simulate *sim;
    simulate_desc desc = { .nodes = nodes };
    assert_int_equal(policies_make(policy, &desc.policy), SERVER_OK);
    assert_int_equal(simulate_open(&desc, &sim), SERVER_OK);
    server *s = simulate_server(sim);
    for (size_t i = 0; i < w->count; ++i) assert_int_equal(server_submit(s, &w->jobs[i], NULL), SERVER_OK);
    assert_int_equal(simulate_run(sim), SERVER_OK);
    for (size_t i = 0; i < w->count; ++i) {
        const server_state end = server_job_of(s, (server_number)i)->state;
        assert_true(end == SERVER_ENDED || end == SERVER_REFUSED);
        count += end == SERVER_REFUSED;
    }
    simulate_close(sim);
    return count;
}

static void workloads_run(void **state)
{
    (void)state;
    workload *w = generated((workload_model){ .seed = 10, .jobs = 2000, .load = 0.7, .overestimate = 1 });
    assert_int_equal(refused(w, SIZE, "easy"), 0);
    char *text = written(w);
    workload_close(w);
    w = read_log(text, 32);
    assert_true(w->counts.oversized > 20);
    assert_int_equal(refused(w, 32, "conservative"), w->counts.oversized);
    free(text);
    workload_close(w);
    w = generated((workload_model){ .seed = 11, .jobs = 300, .load = 0.7, .malleable = 0.5, .moldable = 0.5 });
    assert_int_equal(refused(w, SIZE, "equi"), 0);
    workload_close(w);
}

static void small_clusters_and_bad_models(void **state)
{
    const workload_lublin infinite = { .serial = 1, .high = INFINITY };
    workload_lublin dark = workload_batch(8);
    dark.day = (workload_gamma){ 1, 0.001 }; /* nobody submits in the evening */
    const workload_model bad[] = {
        { .nodes = 8 },
        { .jobs = 1 },
        { .jobs = 1, .nodes = 8, .load = -1 },
        { .jobs = 1, .nodes = 8, .load = NAN },
        { .jobs = 1, .nodes = 8, .moldable = 0.6, .malleable = 0.6 },
        { .jobs = 1, .nodes = 8, .spread = 0.5 },
        { .jobs = 1, .nodes = 8, .overestimate = -1 },
        { .jobs = 1, .nodes = 8, .data = INFINITY },
        { .jobs = 1, .nodes = 8, .parameters = &infinite },
        { .jobs = 1, .nodes = 8, .parameters = &dark },
    };
    workload *w;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(workload_generate(&bad[i], &w), SIMKIT_BAD_ARGUMENT);
        assert_null(w);
    }
    for (unsigned nodes = 1; nodes < 20; ++nodes) {
        w = generated((workload_model){ .jobs = 1000, .nodes = nodes, .moldable = 1 });
        for (size_t i = 0; i < w->count; ++i) assert_in_range(w->jobs[i].maximum, w->jobs[i].preferred, nodes);
        workload_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_is_written_as_it_was_read),
        cmocka_unit_test(lines_become_jobs),
        cmocka_unit_test(blanks_and_line_ends_of_other_systems),
        cmocka_unit_test(every_number_comes_back),
        cmocka_unit_test(what_is_odd_is_counted),
        cmocka_unit_test(jobs_follow_others),
        cmocka_unit_test(bad_logs),
        cmocka_unit_test(our_file_is_read),
        cmocka_unit_test(sizes_may_be_equal),
        cmocka_unit_test(the_example_is_read),
        cmocka_unit_test(bad_files_of_ours),
        cmocka_unit_test(memory_that_runs_out_is_a_result),
        cmocka_unit_test(files_on_disk),
        cmocka_unit_test(sizes_follow_the_model),
        cmocka_unit_test(run_times_follow_the_model),
        cmocka_unit_test(gaps_follow_the_model),
        cmocka_unit_test(shapes_below_one),
        cmocka_unit_test(submissions_follow_the_day),
        cmocka_unit_test(the_load_is_as_asked),
        cmocka_unit_test(estimates_are_too_long),
        cmocka_unit_test(fractions_of_kinds),
        cmocka_unit_test(one_seed_one_workload),
        cmocka_unit_test(the_parameters_are_those_that_were_published),
        cmocka_unit_test(workloads_run),
        cmocka_unit_test(small_clusters_and_bad_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
