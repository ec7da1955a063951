/* Room reader of util/simkit_files.h, and all that reads files. Mistakes: each is found, and its sentence says in which line and
 * column it is, and what was expected there. */
#define _DEFAULT_SOURCE /* mkdtemp, MAP_NORESERVE */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "close.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct expected {
    const char *text;
    const char *sentence; /* NULL: it is none */
} expected;

static const expected users[] = {
    { "[", "u:1:2: expected arrivals, user, trace, sessions, day or state" },
    { "[arrivals a]\n= 1", "u:2:1: expected a key, a [section] or a # comment" },
    { "[arrivals a]\ndemand = ", "u:2:9: expected constant, exponential, hyperexponential, pareto, sample, normal, "
                                 "lognormal, gamma, erlang, weibull, triangular or uniform" },
    { "[arrivals a]\ndemand = constant", "u:2:18: expected a number >= 0" },
    { "[arrivals a]\ndemand = exponential 1 B", "u:2:24: the unit is 'B', expected one of: s, ms, us, ns, min, h" },
    { "[arrivals a]\ndemand = pareto x", "u:2:17: expected a number >= 0" },
    { "[arrivals a]\ndemand = pareto 1: x", "u:2:20: expected a number >= 0" },
    { "[arrivals a]\ndemand = pareto 1: 1 s, x", "u:2:25: expected a number >= 0" },
    { "[arrivals a]\ndemand = sample x", "u:2:17: expected a number >= 0" },
    { "[arrivals a]\ndemand = hyperexponential 0.5: 1 s, 0.5: x", "u:2:42: expected a number >= 0" },
    { "[arrivals a]\nnodes = x", "u:2:9: expected a number >= 0" },
    { "[arrivals a]\nnodes = 1-x", "u:2:11: expected a number >= 0" },
    { "[arrivals a]\nnodes = 1.5", "u:2:9: nodes 1.5-1.5, expected whole numbers from 1 to 1e9 in order" },
    { "[arrivals a]\nnodes = 1-2.5", "u:2:9: nodes 1-2.5, expected whole numbers from 1 to 1e9 in order" },
    { "[arrivals a]\nnodes = 1-2e9", "u:2:9: nodes 1-2e+09, expected whole numbers from 1 to 1e9 in order" },
    { "[arrivals a]\nnice = x", "u:2:8: expected a number >= 0" },
    { "[user a]\n[state s]\nnext = ,", "u:3:8: expected the name of a state, or logout" },
    { "[user a]\n[state s]\nnext = s x", "u:3:10: expected a number >= 0" },
    { "[trace a]\nfile = ", "u:2:7: expected 1 to 199 characters" },
    { "[user a]\n[state s]\n[sessions b]\nuser = a\nfile = ", "u:5:7: expected 1 to 199 characters" },
    { "[day]\nlength = x", "u:2:10: expected a number >= 0" },
    { "[day]\nlength = 0 s", "u:2:10: 'length' is 0, expected a number > 0" },
    { "[trace a]\nscale = x", "u:2:9: expected a number >= 0" },
    { "[user a]\n[state s]\n[sessions b]\nuser = ", "u:4:7: expected the name of a user" },
    { "[user a]\n[state s]\n[sessions b]\nuser = a\n", "u:3:1: sessions 'b' have no file" },
    { "[user a]\n[state s]\n[sessions b]\nuser = a", "u:3:1: sessions 'b' have no file" },
    { "[arrivals a]\nrate = 1 /s\nscale = 1, 2\ndemand = constant 1 s", NULL },
    { "[user a]\n[state s]\n[arrivals b]\n[state t]", "u:4:1: state 't' is not under a [user]" },
    { "[user a]\nbegin = 5 s\nend = 5 s\n[state s]", "u:1:1: user 'a' ends at 5 s, but begins at 5 s" },
    { "[day]\nnodes = 1", "u:2:1: section [day] has no key 'nodes', only length, begin" },
    { "[user a]\n[state s]\nnodes = 1", "u:3:1: section [state] has no key 'nodes', only think, demand, nice, next" },
    { "[arrivals a]\nrate = 1 /s, 2 /s\nscale = 1, 2\ndemand = constant 1 s", NULL },
    { "[arrivals a]\nrate = 1 /s\ndemand = sample 1 s, 2 s\nscale = 2", NULL },
    { "[day]\nbegin = 1 s x", "u:2:13: expected the end of the line" },
    { "[arrivals a]\nrate = 1 /s\ndemand = constant 1 s\n] x", "u:4:1: expected a key, a [section] or a # comment" },
};

static const expected traces[] = {
    { "time,pid,cpu,nice\n0,1,0,-21\n", "t:2:1: nice level -21, expected a whole number from -20 to 19" },
    { "time,pid,cpu,nice\n0,1,0,0.5\n", "t:2:1: nice level 0.5, expected a whole number from -20 to 19" },
    { "time,seconds,pid\n0,1,1.5\n", "t:2:1: '1.5' is not a process number" },
    { "time,pid,parent,cpu\n0,1,1.5,0\n", "t:2:1: '1.5' is not a process number" },
    { "0,1,0,0,7\n1,1,0,1,7\n", NULL },
};

static const expected machines[] = {
    { "[node]\nspeed = 1e400", "m:2:9: the number is too large" },
    { "[network]\nlatency = 1e308 h", "m:2:11: the number is too large" },
    { "[node]\nspeed = 1 abcdefghijklmnopqrstuvwxyz", "m:2:11: unknown unit 'abcdefghijklmnopqrst', expected one of: none, %" },
    { "[operation a", "m:1:13: expected ']'" },
    { "[node]\nspeed = 0", "m:2:9: 'speed' is 0, expected a number > 0" },
    { "[node]\nbandwidth = 0 B/s", "m:2:13: 'bandwidth' is 0, expected a number > 0" },
    { "[node]\nspeed = 1e1001", "m:2:9: the number is too large" },
    { "[node]\nspeed = 1.2.3", "m:2:12: unknown unit '.3', expected one of: none, %" },
    { "[node]\nbandwidth = 10 Gbps", "m:2:16: unknown unit 'Gbps', expected one of: B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s" },
    { "[network]\nlatency = 50 usec", "m:2:14: unknown unit 'usec', expected one of: s, ms, us, ns, min, h" },
    { "[network]\nwindow = 64 KB", "m:2:13: unknown unit 'KB', expected one of: B, kB, MB, GB, KiB, MiB, GiB" },
    { "[node]\nbandwidth = 10 s", "m:2:16: the unit is 's', expected one of: B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s" },
};

static const expected tables[] = {
    { "\"a", "t:1:1: the quote is not closed on this line" },
    { "a,b\n\"x\n", "t:2:1: the quote is not closed on this line" },
    { "time,\"b\n1,2", "t:1:6: the quote is not closed on this line" },
    { "1\nabcdefghijklmnopqrstuvwxyz\n", "t:2:1: 'abcdefghijklmnopqrst' is not a number" },
    { "\n\n", "t: the table is empty" },
    { "a,b [s\n1,2\n", NULL },
    { "a,,b\n1,2,3\n", NULL },
};

static void check(const expected *m, simkit_result result, const simkit_parse_error *found)
{
    if (result == (m->sentence ? SIMKIT_BAD_FILE : SIMKIT_OK) &&
        (!m->sentence || strcmp(found->text, m->sentence) == 0))
        return;
    fail_msg("%s\n  result %d: %s\n  expected: %s", m->text, (int)result, result ? found->text : "",
             m->sentence ? m->sentence : "no error");
}

static void in_users_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof users / sizeof *users; ++i) {
        simkit_population *made = NULL;
        simkit_parse_error found;
        check(
            &users[i],
            simkit_population_read(
                &(simkit_input){ .text = users[i].text, .length = strlen(users[i].text), .name = "u" }, &made, &found),
            &found);
        simkit_population_close(made);
    }
}

/* The file beside a users file that says when somebody is there; %s is its path. */
static const expected stays[] = {
    { "begin [s],end [s]\n1,2\n5,6\n", NULL },
    { "1,2\n5,6\n", NULL },
    { "begin,finish\n1,2\n", "u:10:1: %s has no columns 'begin' and 'end' of numbers" },
    { "start,end\n1,2\n", "u:10:1: %s has no columns 'begin' and 'end' of numbers" },
    { "1\n2\n", "u:10:1: %s has no columns 'begin' and 'end' of numbers" },
    { "begin,end\n10,5\n", "%s:2:1: the session is from 10 s to 5 s, expected 0 <= begin < end" },
    { "begin,end\n-1,5\n", "%s:2:1: the session is from -1 s to 5 s, expected 0 <= begin < end" },
    { "begin,end\n5,6\n1,2\n", "%s:3:1: time goes back, from 5 s to 1 s" },
};

static void in_sessions(void **state)
{
    char folder[] = "/tmp/test_simkit_reader.XXXXXX", path[64], text[256];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/stays.csv", folder);
    snprintf(text, sizeof text,
             "[day]\nbegin = 3 s\n[user u]\nbegin = 20 s\n[state s]\nthink = constant 0.1 s\ndemand = constant 1 s\n"
             "[sessions b]\nuser = u\nfile = %s\n",
             path);
    for (size_t i = 0; i < sizeof stays / sizeof *stays; ++i) {
        simkit_population *made = NULL;
        simkit_parse_error found;
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(stays[i].text, file);
        assert_int_equal(fclose(file), 0);
        const simkit_result result =
            simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &made, &found);
        if (stays[i].sentence) {
            char expected[256];
            snprintf(expected, sizeof expected, stays[i].sentence, path, path);
            if (result != SIMKIT_BAD_FILE || strncmp(found.text, expected, strlen(expected)) != 0)
                fail_msg("%s\n  result %d: %s\n  expected: %s", stays[i].text, (int)result, found.text, expected);
        } else { /* who left before the world began, 3 s into the day, does not come */
            simkit_world *world;
            simkit_node node;
            if (result != SIMKIT_OK) fail_msg("%s", found.text);
            assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
            assert_int_equal(simkit_node_add(world, NULL, &node), SIMKIT_OK);
            assert_int_equal(simkit_population_start(world, made, 1, node), SIMKIT_OK);
            assert_int_equal(simkit_world_run_until(world, 16), SIMKIT_OK);
            assert_int_equal(simkit_source_progress(world, 0).begun, 1);
            simkit_world_close(world);
        }
        simkit_population_close(made);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("begin,end\n1,2\n", file);
    assert_int_equal(fclose(file), 0);
    snprintf(text, sizeof text, "[user u]\n[state s]\nthink = constant 1 s\n[sessions b]\nfile = %s\n", path);
    simkit_population *made = NULL;
    simkit_parse_error found;
    const simkit_input without_user = { .text = text, .length = strlen(text), .name = "u" };
    assert_int_equal(simkit_population_read(&without_user, &made, &found), SIMKIT_BAD_FILE);
    assert_null(made);
    assert_string_equal(found.text, "u:4:1: sessions 'b' have no user");
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* A word has at most 31 characters. */
static void in_long_words(void **state)
{
    char text[64], word[33];
    (void)state;
    for (int length = 1; length <= 40; ++length) {
        simkit_reader reader;
        memset(text, 'w', (size_t)length);
        word[32] = 'x'; /* beyond the array that the reader may write to */
        simkit_reader_init(&reader, text, (size_t)length, "f");
        assert_true(simkit_reader_line(&reader));
        assert_int_equal(simkit_reader_word(&reader, word, "a word"), length <= 31);
        assert_int_equal(word[32], 'x');
        if (length <= 31)
            assert_int_equal(strlen(word), length);
        else
            assert_string_equal(reader.error.text, "f:1:1: a word is longer than 31 characters");
    }
}

/* A sentence names as many of the words that could be there as it has room for. */
static void in_long_lists_of_words(void **state)
{
    static const char *words[40];
    simkit_reader reader;
    size_t index = 99;
    (void)state;
    for (size_t i = 0; i < 40; ++i) words[i] = i < 39 ? "twenty_letters_long_" : "last";
    simkit_reader_init(&reader, "last\nfirst", 10, "f");
    assert_true(simkit_reader_line(&reader));
    assert_true(simkit_reader_choice(&reader, words, 40, &index));
    assert_int_equal(index, 39);
    assert_true(simkit_reader_line(&reader));
    assert_false(simkit_reader_choice(&reader, words, 40, &index));
    static const char begins[] = "f:2:1: 'first' is unknown, expected twenty_letters_long_, twenty_letters_long_, ";
    assert_memory_equal(reader.error.text, begins, sizeof begins - 1);
    assert_int_equal(strlen(reader.error.text), strlen("f:2:1: 'first' is unknown, expected ") + 159);
}

static void in_traces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; ++i) {
        simkit_workload *made = NULL;
        simkit_parse_error found;
        check(&traces[i],
              simkit_workload_read(
                  &(simkit_input){ .text = traces[i].text, .length = strlen(traces[i].text), .name = "t" }, &made,
                  &found),
              &found);
        simkit_workload_close(made);
    }
}

static void in_machine_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; ++i) {
        simkit_machine *machine;
        simkit_parse_error found;
        check(&machines[i],
              simkit_machine_read(
                  &(simkit_input){ .text = machines[i].text, .length = strlen(machines[i].text), .name = "m" },
                  &machine, &found),
              &found);
    }
}

static void in_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
        simkit_table *made = NULL;
        simkit_parse_error found;
        check(
            &tables[i],
            simkit_table_read(&(simkit_input){ .text = tables[i].text, .length = strlen(tables[i].text), .name = "t" },
                              &made, &found),
            &found);
        simkit_table_close(made);
    }
}

/*=============================================================================
 * Files
 *===========================================================================*/
/* Mistakes in a file are told by its path, or by the name that the caller gives it. */
static void a_file_may_have_a_name(void **state)
{
    simkit_table *table;
    simkit_parse_error found;
    simkit_input input = { .path = "tests/test_simkit_reader.c" }; /* no table */
    (void)state;
    assert_int_equal(simkit_table_read(&input, &table, &found), SIMKIT_BAD_FILE);
    assert_memory_equal(found.text, "tests/test_simkit_reader.c:", 27);
    input.name = "the source";
    assert_int_equal(simkit_table_read(&input, &table, &found), SIMKIT_BAD_FILE);
    assert_memory_equal(found.text, "the source:", 11);
    input.path = "no/such/file";
    assert_int_equal(simkit_table_read(&input, &table, &found), SIMKIT_NO_FILE);
    assert_string_equal(found.text, "no/such/file: the file cannot be read: No such file or directory");
}

/* Of at most 1023 characters, with the folder of the file that it lies beside; a path from / has no such folder. */
static void a_path_is_beside_a_file(void **state)
{
    static const char last[] = "published/dpgraph_table2.csv", beside[] = "tests/published";
    char path[1100], folder[] = "/tmp/test_simkit_reader.XXXXXX", whole[64];
    (void)state;
    for (size_t length = 1020; length < 1028; ++length) { /* with the folder: tests/././...///published/... */
        const size_t own = length - strlen("tests/");
        memset(path, '/', sizeof path);
        for (size_t i = 0; i + sizeof last <= own; i += 2) path[i] = '.';
        memcpy(path + own + 1 - sizeof last, last, sizeof last);
        path[own - sizeof last] = '/';
        simkit_table *table;
        simkit_parse_error found;
        const simkit_result result =
            simkit_table_read(&(simkit_input){ .path = path, .beside = beside }, &table, &found);
        assert_int_equal(result, length < 1024 ? SIMKIT_OK : SIMKIT_NO_FILE);
        if (length >= 1024) assert_non_null(strstr(found.text, ": the path is longer than 1023 characters"));
        if (table) assert_int_equal(table->rows, 8);
        simkit_table_close(table);
    }
    assert_non_null(mkdtemp(folder));
    snprintf(whole, sizeof whole, "%s/table.csv", folder);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs("1\n2\n3\n", file);
    assert_int_equal(fclose(file), 0);
    simkit_table *table;
    assert_int_equal(simkit_table_read(&(simkit_input){ .path = whole, .beside = beside }, &table, NULL), SIMKIT_OK);
    assert_int_equal(table->rows, 3);
    simkit_table_close(table);
    assert_int_equal(remove(whole), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Memory whose pages are all the same 64 MiB where a block is larger: what is written there is lost, but its length is
 * not. */
static void *reallocate_thin(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    enum { THIN = 1 << 26 };
    char *block = NULL;
    if (new_bytes > 0 && new_bytes <= THIN) return realloc(pointer, new_bytes);
    if (new_bytes > 0) {
        block = mmap(NULL, new_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_true(block != MAP_FAILED);
        for (size_t at = 0; at < new_bytes; at += THIN)
            assert_ptr_equal(mmap(block + at, THIN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, *(int *)user, 0),
                             block + at);
    }
    if (old_bytes > THIN)
        assert_int_equal(munmap(pointer, old_bytes), 0);
    else
        free(pointer);
    return block;
}

/* A device that never ends is not read for ever. */
static void a_file_has_at_most_1_gib(void **state)
{
    simkit_table *table;
    simkit_parse_error found;
    char path[] = "/tmp/test_simkit_reader.XXXXXX";
    int thin = mkstemp(path);
    (void)state;
    assert_true(thin >= 0);
    assert_int_equal(remove(path), 0);
    assert_int_equal(ftruncate(thin, 1 << 26), 0);
    const simkit_input input = { .path = "/dev/zero", .memory = { .reallocate = reallocate_thin, .user = &thin } };
    if (access(input.path, R_OK) == 0) {
        assert_int_equal(simkit_table_read(&input, &table, &found), SIMKIT_BAD_FILE);
        assert_null(table);
        assert_string_equal(found.text, "/dev/zero: the file is longer than 1 GiB");
    }
    close(thin);
}

/* More than is read at once. */
static void a_long_file_is_read(void **state)
{
    enum { ROWS = 100000 };
    char path[] = "/tmp/test_simkit_reader.XXXXXX";
    simkit_table *table;
    (void)state;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (int i = 0; i < ROWS; ++i) fprintf(file, "%d\n", i);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(simkit_table_read(&(simkit_input){ .path = path }, &table, NULL), SIMKIT_OK);
    assert_int_equal(table->rows, ROWS);
    for (int i = 0; i < ROWS; ++i) assert_equal(table->column[0].numbers[i], i);
    simkit_table_close(table);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_users_files),
        cmocka_unit_test(in_sessions),
        cmocka_unit_test(in_traces),
        cmocka_unit_test(in_machine_files),
        cmocka_unit_test(in_tables),
        cmocka_unit_test(in_long_words),
        cmocka_unit_test(in_long_lists_of_words),
        cmocka_unit_test(a_file_may_have_a_name),
        cmocka_unit_test(a_path_is_beside_a_file),
        cmocka_unit_test(a_file_has_at_most_1_gib),
        cmocka_unit_test(a_long_file_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
