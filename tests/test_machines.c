/* Room machines of simkit.h: what a machine file may say, and what every mistake in one is called. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "close.h"

#include <locale.h>
#include <stdlib.h>

static simkit_machine machine;
static simkit_mistake mistake;

static simkit_result parse(const char *text)
{
    memset(&machine, 0x55, sizeof machine);
    memset(&mistake, 0, sizeof mistake);
    return simkit_machine_parse(text, strlen(text), "m", &machine, &mistake);
}

static const char good[] = "# a comment\r\n"
                           "[machine]\n"
                           "name = Eight of them, with ümlauts   # and a comment\n"
                           "nodes = 8\n"
                           "\n"
                           "[ node ]\n"
                           "cores=2\n"
                           "\tspeed  =  1.5\n"
                           "nice_rule = linux_2_2\n"
                           "cpu_per_outgoing = 5 %\n"
                           "cpu_per_incoming = 0.25\n"
                           "[network]\n"
                           "latency = 125 us\n"
                           "bandwidth = 100 Mbit/s\n"
                           "[operation multiply]\n"
                           "rate = 71.5 Mflop/s\n"
                           "calls = 3\n"
                           "[operation copy-2]\n"
                           "rate = 2 GB/s\n"
                           "block = 64 KiB\n"
                           "start_up = 1.5e-3 ms";

static void everything_that_can_be_said(void **state)
{
    (void)state;
    if (parse(good) != SIMKIT_OK) fail_msg("%s", mistake.text);
    assert_string_equal(machine.name, "Eight of them, with ümlauts");
    assert_int_equal(machine.nodes, 8);
    assert_int_equal(machine.node.cores, 2);
    assert_equal(machine.node.speed, 1.5);
    assert_int_equal(machine.node.nice_rule, CONTENTION_NICE_LINUX_2_2);
    assert_equal(machine.node.cpu_per_outgoing, 0.05);
    assert_equal(machine.node.cpu_per_incoming, 0.25);
    assert_equal(machine.node.up.latency, 125e-6);
    assert_equal(machine.node.down.latency, 0); /* the whole latency is told once */
    assert_equal(machine.node.up.byte_time, 1 / 12.5e6);
    assert_equal(machine.node.down.byte_time, 1 / 12.5e6);
    assert_null(machine.node.name);
    assert_int_equal(machine.operation_count, 5);
    assert_equal(simkit_machine_value(&machine, "multiply", "rate", "flop/s"), 71.5e6);
    assert_equal(simkit_machine_value(&machine, "multiply", "calls", "1"), 3);
    assert_equal(simkit_machine_value(&machine, "copy-2", "rate", "B/s"), 2e9);
    assert_equal(simkit_machine_value(&machine, "copy-2", "block", "B"), 65536);
    assert_close(simkit_machine_value(&machine, "copy-2", "start_up", "s"), 1.5e-6, 1e-15);
    assert_nan(simkit_machine_value(&machine, "multiply", "rate", "B/s"));
    assert_nan(simkit_machine_value(&machine, "multiply", "time", "s"));
    assert_nan(simkit_machine_value(&machine, "divide", "rate", "flop/s"));
    assert_nan(simkit_machine_value(NULL, "divide", "rate", "flop/s"));
}

static void every_unit(void **state)
{
    static const struct {
        const char *text, *base;
        double value;
    } units[] = {
        { "3", "1", 3 },
        { "3 %", "1", 0.03 },
        { "3 s", "s", 3 },
        { "3 ms", "s", 3e-3 },
        { "3 us", "s", 3e-6 },
        { "3 ns", "s", 3e-9 },
        { "3 B", "B", 3 },
        { "3 kB", "B", 3e3 },
        { "3 MB", "B", 3e6 },
        { "3 GB", "B", 3e9 },
        { "3 KiB", "B", 3072 },
        { "3 MiB", "B", 3145728 },
        { "3 GiB", "B", 3221225472.0 },
        { "3 B/s", "B/s", 3 },
        { "3 kB/s", "B/s", 3e3 },
        { "3 MB/s", "B/s", 3e6 },
        { "3 GB/s", "B/s", 3e9 },
        { "3 Mbit/s", "B/s", 375e3 },
        { "3 Gbit/s", "B/s", 375e6 },
        { "3 flop/s", "flop/s", 3 },
        { "3 Mflop/s", "flop/s", 3e6 },
        { "3 Gflop/s", "flop/s", 3e9 },
        { "3.25e2", "1", 325 },
        { "0.1e-3", "1", 1e-4 },
        { ".5", "1", 0.5 },
        { "7.", "1", 7 },
        { "123456789012345678901234567890", "1", 123456789012345678901234567890.0 },
        { "0e999", "1", 0 },
    };
    char text[120];

    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        snprintf(text, sizeof text, "[operation x]\ny = %s\n", units[i].text);
        if (parse(text) != SIMKIT_OK) fail_msg("%s", mistake.text);
        assert_close(simkit_machine_value(&machine, "x", "y", units[i].base), units[i].value, 4e-16);
    }
}

static void every_mistake_has_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "nodes = 8\n", "m:1:1: 'nodes' stands before the first [section]" },
        { "[machine]\nnodes 8\n", "m:2:7: expected '=' after 'nodes'" },
        { "[machine]\nnodes = \n", "m:2:8: expected a number that is not negative" },
        { "[machine]\nnodes = 0\n", "m:2:9: expected a whole number from 1 to 1000000" },
        { "[machine]\nnodes = 2.5\n", "m:2:9: expected a whole number from 1 to 1000000" },
        { "[machine]\nnodes = 1e7\n", "m:2:9: expected a whole number from 1 to 1000000" },
        { "[machine]\nnodes = -3\n", "m:2:9: expected a number that is not negative" },
        { "[machine]\nnodes = nan\n", "m:2:9: expected a number that is not negative" },
        { "[machine]\nnodes = inf\n", "m:2:9: expected a number that is not negative" },
        { "[machine]\nnodes = 8 9\n", "m:2:11: '9' is no unit that is known here" },
        { "[machine]\nnodes = 8 s\n", "m:2:11: the unit is 's', expected one of [1]" },
        { "[machine]\nnodes = 8\nnodes = 9\n", "m:3:1: 'nodes' was said before" },
        { "[machine]\nname =\n", "m:2:7: expected 1 to 95 characters" },
        { "[machine]\ncolour = red\n", "m:2:1: section [machine] has no key 'colour'" },
        { "[machines]\n", "m:1:1: section 'machines' is unknown, expected machine, node, network or operation NAME" },
        { "[machine\n", "m:1:9: expected ']'" },
        { "[]\n", "m:1:2: expected a section: machine, node, network or operation NAME" },
        { "[machine] x\n", "m:1:11: expected the end of the line" },
        { "\n\n  = 3\n", "m:3:3: expected a key, a [section] or a # comment" },
        { "[node]\nnice_rule = bsd\n", "m:2:13: 'bsd' is no nice rule, expected linux_today or linux_2_2" },
        { "[node]\nspeed = 0\n", "m:2:9: a speed of 0 would never end" },
        { "[node]\nspeed = 1,5\n", "m:2:10: expected the end of the line" },
        { "[network]\nlatency = 3 B\n", "m:2:13: the unit is 'B', expected one of [s]" },
        { "[network]\nlatency = 3\n", "m:2:12: the unit is '', expected one of [s]" },
        { "[network]\nlatency = 3 ms ms\n", "m:2:16: expected the end of the line" },
        { "[network]\nbandwidth = 0 MB/s\n", "m:2:13: a bandwidth of 0 would never end" },
        { "[network]\nbandwidth = 1e MB/s\n", "m:2:15: expected an exponent" },
        { "[network]\nbandwidth = 1e999 MB/s\n", "m:2:13: the number is too large" },
        { "[operation]\n", "m:1:11: expected the name of an operation" },
        { "[operation x]\nrate = 1 s\nrate = 2 s\n", "m:3:1: 'rate' of operation 'x' was said before" },
        { "[operation x]\nrate = 1 parsec\n", "m:2:10: 'parsec' is no unit that is known here" },
        { "[operation a_name_of_more_than_thirty-one_letters]\n",
          "m:1:12: the name of an operation is longer than 31 characters" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        simkit_machine before;
        memset(&before, 0x55, sizeof before);
        assert_int_equal(parse(cases[i].text), SIMKIT_BAD_FILE);
        assert_string_equal(mistake.text, cases[i].says);
        assert_memory_equal(&machine, &before, sizeof machine);
    }
}

static void too_many_operations_are_refused(void **state)
{
    char text[4000] = "[operation x]\n";

    (void)state;
    for (int i = 0; i <= SIMKIT_MACHINE_OPERATIONS; i++) sprintf(text + strlen(text), "key%d = 1\n", i);
    assert_int_equal(parse(text), SIMKIT_BAD_FILE);
    assert_string_equal(mistake.text, "m:34:1: more than 32 numbers about operations");
}

static void line_ends_and_marks_do_not_matter(void **state)
{
    (void)state;
    assert_int_equal(parse("\xEF\xBB\xBF[machine]\r\nnodes = 4\r\n"), SIMKIT_OK);
    assert_int_equal(machine.nodes, 4);
    assert_int_equal(parse(""), SIMKIT_OK);
    assert_int_equal(machine.nodes, 0);
    assert_int_equal(parse("\n\n# nothing\n"), SIMKIT_OK);
    assert_int_equal(simkit_machine_parse(NULL, 0, "m", &machine, &mistake), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_parse("", 0, "m", NULL, &mistake), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_parse("x", 1, NULL, &machine, NULL), SIMKIT_BAD_FILE);
}

/* Where a comma divides, a file still has points. Which such locales are there depends on the machine. */
static void the_locale_does_not_matter(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) setlocale(LC_ALL, names[i]);
    assert_int_equal(parse("[node]\nspeed = 1.5\n"), SIMKIT_OK);
    assert_equal(machine.node.speed, 1.5);
    setlocale(LC_ALL, "C");
}

/* Any bytes at all: an answer, and no byte beyond the text is looked at. */
static void any_bytes_are_answered(void **state)
{
    uint64_t dice = 23;
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        const size_t length = (size_t)random_between(&dice, 0, sizeof good);
        char *text = (char *)malloc(length + 1);
        memcpy(text, good, length);
        for (int i = 0; i < 4 && length > 0; i++)
            text[(size_t)random_between(&dice, 0, (double)length)] = (char)(unsigned char)random_between(&dice, 0, 256);
        text = (char *)realloc(text, length ? length : 1);
        memset(&mistake, 0, sizeof mistake);
        switch (simkit_machine_parse(text, length, "m", &machine, &mistake)) {
        case SIMKIT_OK: assert_string_equal(mistake.text, ""); break;
        case SIMKIT_BAD_FILE: assert_true(mistake.line >= 1 && mistake.column >= 1); break;
        default: fail();
        }
        free(text);
    }
}

static void files_are_read(void **state)
{
    const char *path = "build/test_machines.machine";
    FILE *file;

    (void)state;
    assert_int_equal(simkit_machine_load("examples/machines/dps.machine", &machine, &mistake), SIMKIT_OK);
    assert_int_equal(machine.nodes, 8);
    assert_int_equal(simkit_machine_load("examples/machines/gigabit.machine", &machine, &mistake), SIMKIT_OK);
    assert_int_equal(simkit_machine_load("no/such/file", &machine, &mistake), SIMKIT_NO_FILE);
    assert_string_equal(mistake.text, "no/such/file:0:1: the file cannot be read: No such file or directory");
    assert_int_equal(simkit_machine_load("tests", &machine, &mistake), SIMKIT_NO_FILE); /* a directory */
    assert_int_equal(simkit_machine_load(NULL, &machine, &mistake), SIMKIT_BAD_ARGUMENT);
    file = fopen(path, "w");
    if (file == NULL) skip(); /* built elsewhere */
    for (int i = 0; i < 70000; i++) fputc('\n', file);
    fclose(file);
    assert_int_equal(simkit_machine_load(path, &machine, &mistake), SIMKIT_BAD_FILE);
    assert_non_null(strstr(mistake.text, "longer than 65536 bytes"));
    remove(path);
}

/* The longest file has 64 KiB: one byte more is too many. */
static void the_longest_file_is_read(void **state)
{
    const char *path = "build/test_machines.machine";
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        FILE *file = fopen(path, "w");
        if (file == NULL) skip(); /* built elsewhere */
        fputs(good, file);
        for (size_t i = strlen(good); i < 65536 + more; i++) fputc(i % 100 ? '#' : '\n', file);
        fclose(file);
        assert_int_equal(simkit_machine_load(path, &machine, &mistake), more ? SIMKIT_BAD_FILE : SIMKIT_OK);
        remove(path);
    }
}

/* A file is read line by line, and says what its text says: every beginning of one, and lines as long as they may be. */
static void a_file_says_what_its_text_says(void **state)
{
    const char *path = "build/test_machines.machine";
    simkit_machine loaded;
    simkit_mistake other;
    char text[3000];
    FILE *file = fopen(path, "w");

    (void)state;
    if (file == NULL) skip(); /* built elsewhere */
    fclose(file);
    for (size_t length = 0; length < sizeof good + 8; length++) {
        sprintf(text, "%s", length % 2 ? "\xEF\xBB\xBF" : "");
        strcat(text, good);
        if (length > sizeof good) {
            const int blanks = 1014 + (int)(length % 2); /* `nodes`, they and `= 8 `: 1023 characters, or one more */
            sprintf(text, "[machine]\nnodes%*s= 8 # and a comment\nx", blanks, "");
        } else {
            text[length] = 0;
        }
        assert_non_null(file = fopen(path, "wb"));
        fputs(text, file);
        fclose(file);
        memset(&loaded, 0x55, sizeof loaded);
        memset(&machine, 0x55, sizeof machine);
        memset(&mistake, 0, sizeof mistake);
        memset(&other, 0, sizeof other);
        const simkit_result result = simkit_machine_load(path, &loaded, &other);
        if (length > sizeof good && length % 2 == 1) {
            assert_int_equal(result, SIMKIT_BAD_FILE);
            assert_non_null(strstr(other.text, ":2:1: the line is longer than 1023 characters"));
            continue;
        }
        assert_int_equal(result, simkit_machine_parse(text, strlen(text), path, &machine, &mistake));
        assert_memory_equal(&loaded, &machine, sizeof loaded);
        assert_string_equal(other.text, mistake.text);
        assert_int_equal(other.line, mistake.line);
        assert_int_equal(other.column, mistake.column);
    }
    remove(path);
}

static void nodes_are_made(void **state)
{
    simkit_world *world;
    simkit_node nodes[3];
    (void)state;
    assert_int_equal(parse(good), SIMKIT_OK);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_nodes(world, &machine, 3, nodes), SIMKIT_OK);
    assert_int_equal(simkit_node_count(world), 3);
    assert_string_equal(simkit_node_name(world, nodes[2]), "node 3");
    assert_int_equal(simkit_machine_nodes(world, NULL, 3, nodes), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_nodes(world, &machine, 3, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_nodes(world, &machine, 0, NULL), SIMKIT_OK);
    simkit_world_close(world);
}

/* A file of somebody else's, by the same means. */
static void other_files_can_be_read(void **state)
{
    static const char text[] =
        "\xEF\xBB\xBF# a comment\n\n[link fast]\r\n  delay = 5 us, 2 kB # and more\nname = a b \nn = 12 x";
    simkit_reader r;
    char word[32], rest[8];
    double value;
    const char *base;
    unsigned count;
    (void)state;
    simkit_reader_open(&r, text, sizeof text - 1, "links");
    assert_true(simkit_reader_line(&r));
    assert_int_equal(r.line, 3);
    assert_true(simkit_reader_take(&r, '['));
    assert_true(simkit_reader_word(&r, word, "a section"));
    assert_string_equal(word, "link");
    assert_false(simkit_reader_take(&r, ']')); /* but the blank is passed */
    assert_true(simkit_reader_word(&r, word, "a name"));
    assert_true(simkit_reader_take(&r, ']'));
    assert_true(simkit_reader_end(&r));
    assert_true(simkit_reader_line(&r));
    assert_true(simkit_reader_word(&r, word, "a key") && simkit_reader_take(&r, '='));
    assert_true(simkit_reader_quantity(&r, "s", &value, NULL));
    assert_equal(value, 5e-6);
    assert_true(simkit_reader_take(&r, ','));
    assert_true(simkit_reader_quantity(&r, NULL, &value, &base));
    assert_equal(value, 2000);
    assert_string_equal(base, "B");
    assert_true(simkit_reader_end(&r));
    assert_true(simkit_reader_line(&r));
    assert_true(simkit_reader_word(&r, word, "a key") && simkit_reader_take(&r, '='));
    assert_false(simkit_reader_text(&r, rest, 3));
    assert_string_equal(r.mistake.text, "links:5:8: expected 1 to 2 characters");
    assert_true(simkit_reader_text(&r, rest, sizeof rest));
    assert_string_equal(rest, "a b");
    assert_true(simkit_reader_line(&r));
    assert_true(simkit_reader_word(&r, word, "a key") && simkit_reader_take(&r, '='));
    assert_false(simkit_reader_count(&r, &count)); /* 12 x: x is no unit */
    assert_string_equal(r.mistake.text, "links:6:8: 'x' is no unit that is known here");
    assert_false(simkit_reader_line(&r));
    assert_false(simkit_reader_wrong(&r, NULL, "it is over"));
    assert_string_equal(r.mistake.text, "links:6:1: it is over");
    simkit_reader_open(&r, NULL, 0, NULL);
    assert_false(simkit_reader_line(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_file_is_read),
        cmocka_unit_test(other_files_can_be_read),
        cmocka_unit_test(everything_that_can_be_said),
        cmocka_unit_test(every_unit),
        cmocka_unit_test(every_mistake_has_its_place),
        cmocka_unit_test(too_many_operations_are_refused),
        cmocka_unit_test(line_ends_and_marks_do_not_matter),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(any_bytes_are_answered),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(a_file_says_what_its_text_says),
        cmocka_unit_test(nodes_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
