/* Room machines of simkit.h: what a machine file may say, and what every error in one is called. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "close.h"

#include <locale.h>
#include <stdlib.h>

static simkit_machine *machine;
static simkit_parse_error error;

static simkit_result parse(const char *text)
{
    simkit_machine_close(machine);
    memset(&error, 0, sizeof error);
    return simkit_machine_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "m" }, &machine,
                               &error);
}

static const char good[] = "# a comment\r\n"
                           "[machine]\n"
                           "name = Eight of them, with ümlauts   # and a comment\n"
                           "\n"
                           "[ node big]\n"
                           "count = 8\n"
                           "cores=2\n"
                           "\tspeed  =  1.5\n"
                           "nice_rule = linux_2_2\n"
                           "cpu_per_outgoing = 5 %\n"
                           "cpu_per_incoming = 0.25\n"
                           "bandwidth = 100 Mbit/s\n"
                           "[network]\n"
                           "latency = 125 us\n"
                           "sharing = maxmin\n"
                           "[node small]\n"
                           "speed = 0.5\n"
                           "up_bandwidth = 1 MB/s\n"
                           "[pair big7 small]\n"
                           "latency = 1 ms\n"
                           "[pair small big0]\n"
                           "bandwidth = 2 MB/s\n"
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
    if (parse(good) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_string_equal(machine->name, "Eight of them, with \xC3\xBCmlauts");
    assert_equal(machine->latency, 125e-6);
    assert_int_equal(machine->sharing, SIMKIT_SHARING_MAXMIN);
    assert_int_equal(machine->nodes, 9);
    assert_int_equal(machine->kind_count, 2);
    const simkit_machine_kind *big = &machine->kinds[0], *small = &machine->kinds[1];
    assert_string_equal(big->name, "big");
    assert_int_equal(big->count, 8);
    assert_int_equal(big->first, 0);
    assert_int_equal(big->node.cores, 2);
    assert_equal(big->node.speed, 1.5);
    assert_int_equal(big->node.nice_rule, CONTENTION_NICE_LINUX_2_2);
    assert_equal(big->node.cpu_per_outgoing, 0.05);
    assert_equal(big->node.cpu_per_incoming, 0.25);
    assert_equal(big->node.up_bandwidth, 12.5e6);
    assert_equal(big->node.down_bandwidth, 12.5e6);
    assert_null(big->node.name);
    assert_string_equal(small->name, "small"); /* what it does not have is as in the first */
    assert_int_equal(small->count, 0);
    assert_int_equal(small->first, 8);
    assert_int_equal(small->node.cores, 2);
    assert_equal(small->node.speed, 0.5);
    assert_equal(small->node.up_bandwidth, 1e6);
    assert_equal(small->node.down_bandwidth, 12.5e6);
    assert_int_equal(machine->pair_count, 2);
    assert_int_equal(machine->pairs[0].from, 7);
    assert_int_equal(machine->pairs[0].to, 8);
    assert_equal(machine->pairs[0].latency, 1e-3);
    assert_equal(machine->pairs[0].bandwidth, 0);
    assert_int_equal(machine->pairs[1].to, 0);
    assert_true(machine->pairs[1].latency < 0);
    assert_equal(machine->pairs[1].bandwidth, 2e6);
    assert_int_equal(machine->operation_count, 5);
    assert_equal(simkit_machine_value(machine, "multiply", "rate", "flop/s"), 71.5e6);
    assert_equal(simkit_machine_value(machine, "multiply", "calls", "1"), 3);
    assert_equal(simkit_machine_value(machine, "copy-2", "rate", "B/s"), 2e9);
    assert_equal(simkit_machine_value(machine, "copy-2", "block", "B"), 65536);
    assert_close(simkit_machine_value(machine, "copy-2", "start_up", "s"), 1.5e-6, 1e-15);
    assert_nan(simkit_machine_value(machine, "multiply", "rate", "B/s"));
    assert_nan(simkit_machine_value(machine, "multiply", "time", "s"));
    assert_nan(simkit_machine_value(machine, "divide", "rate", "flop/s"));
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
        { "0e12345", "1", 0 },
        { "0.12345678901234567890123", "1", 0.12345678901234567890123 },
    };
    char text[120];

    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        snprintf(text, sizeof text, "[operation x]\ny = %s\n", units[i].text);
        if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
        assert_close(simkit_machine_value(machine, "x", "y", units[i].base), units[i].value, 4e-16);
    }
}

static void every_error_has_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "count = 8\n", "m:1:1: key 'count' is before the first [section]" },
        { "[node]\ncount 8\n", "m:2:7: expected '=' after 'count'" },
        { "[node]\ncount = \n", "m:2:8: expected a number >= 0" },
        { "[node]\ncount = 0\n", "m:2:9: expected a whole number from 1 to 1000000" },
        { "[node]\ncount = 2.5\n", "m:2:9: expected a whole number from 1 to 1000000" },
        { "[node]\ncount = 1e7\n", "m:2:9: expected a whole number from 1 to 1000000" },
        { "[node]\ncount = -3\n", "m:2:9: expected a whole number from 1 to 1000000" },
        { "[node]\ncount = nan\n", "m:2:9: expected a number >= 0" },
        { "[node]\ncount = inf\n", "m:2:9: expected a number >= 0" },
        { "[node]\ncount = 8 9\n", "m:2:11: unknown unit '9'" },
        { "[node]\ncount = 8 s\n", "m:2:11: the unit is 's', expected one of: none, %" },
        { "[node]\ncount = 8\ncount = 9\n", "m:3:1: duplicate key 'count', first set in line 2" },
        { "[network]\nlatency = 1 s\n[node]\n[network]\nlatency = 1 s",
          "m:5:1: duplicate key 'latency', first set in line 2" },
        { "[machine]\nname =\n", "m:2:7: expected 1 to 95 characters" },
        { "[machine]\ncolour = red\n", "m:2:1: section [machine] has no key 'colour', only name" },
        { "[machines]\n", "m:1:2: 'machines' is unknown, expected machine, network, node, pair, link, route or operation" },
        { "[machine\n", "m:1:9: expected ']'" },
        { "[]\n", "m:1:2: expected machine, network, node, pair, link, route or operation" },
        { "[machine] x\n", "m:1:11: expected the end of the line" },
        { "\n\n  = 3\n", "m:3:3: expected a key, a [section] or a # comment" },
        { "[node]\nnice_rule = bsd\n", "m:2:13: 'bsd' is unknown, expected linux_today or linux_2_2" },
        { "[node]\nspeed = 0\n", "m:2:9: 'speed' is 0, expected a number > 0" },
        { "[node]\nspeed = 1,5\n", "m:2:10: expected the end of the line" },
        { "[node]\nquota = 1 ms\n[node b]\n", "m:1:1: section [node] without a name has a quota, but no period" },
        { "[node a]\ncount = 2\n[node b]\nquota = 1 ms\n", "m:3:1: node 'b' has a quota, but no period" },
        { "[node a]\n[node a]\n", "m:2:7: duplicate node 'a'" },
        { "[node]\n[node]\n", "m:2:6: duplicate section [node] without a name" },
        { "[node]\nbandwidth = 0 MB/s\n", "m:2:13: 'bandwidth' is 0, expected a number > 0" },
        { "[node]\nbandwidth = 1e MB/s\n", "m:2:15: expected an exponent" },
        { "[node]\nbandwidth = 1e999 MB/s\n", "m:2:13: the number is too large" },
        { "[network]\nlatency = 3 B\n", "m:2:13: the unit is 'B', expected one of: s, ms, us, ns, min, h" },
        { "[network]\nlatency = 3\n", "m:2:12: there is no unit, expected one of: s, ms, us, ns, min, h" },
        { "[network]\nlatency = 3 ms ms\n", "m:2:16: expected the end of the line" },
        { "[network]\nsharing = fair\n", "m:2:11: 'fair' is unknown, expected equal or maxmin" },
        { "[pair a b]\n", "m:1:7: there is no node 'a' above" },
        { "[node a]\ncount = 2\n[pair a0 a2]\n", "m:3:10: there is no node 'a2' above" },
        { "[node a]\ncount = 20\n[pair a19 a01]\n", "m:3:11: there is no node 'a01' above" },
        { "[node a]\ncount = 2\n[pair a0 a]\n", "m:3:10: there is no node 'a' above" },
        { "[node]\ncount = 3\n[pair 0 1]\n", "m:3:7: there is no node '0' above: nodes of a section [node] without a name have none" },
        { "[node n]\n[pair n n1]\n", "m:2:9: there is no node 'n1' above: its kind needs a 'count'" },
        { "[node n]\n[link l]\n[route n1 n]\n",
          "m:3:8: there is no node 'n1' above, and no kind of nodes: its kind needs a 'count'" },
        { "[node]\n[link l]\n[route 1 2]\n",
          "m:3:8: there is no node '1' above, and no kind of nodes: nodes of a section [node] without a name have none" },
        { "[node a]\ncount = 2\n[pair a0 a-]\n", "m:3:10: there is no node 'a-' above" },
        { "[node a]\ncount = 2\n[pair a0 a00000001]\n", "m:3:10: there is no node 'a00000001' above" },
        { "[node a]\n[pair a]\n", "m:2:8: expected the name of a node" },
        { "[node a]\n[pair a a]\n[pair a a]\n", "m:3:7: duplicate pair" },
        { "[node a]\n[pair a a]\nspeed = 1\n", "m:3:1: section [pair] has no key 'speed', only latency, bandwidth" },
        { "[operation]\n", "m:1:11: expected the name of an operation" },
        { "[operation x]\nrate = 1 s\nrate = 2 s\n", "m:3:1: duplicate key 'rate' of operation 'x'" },
        { "[operation x]\nrate = 1 parsec\n", "m:2:10: unknown unit 'parsec'" },
        { "[operation a_name_of_more_than_thirty-one_letters]\n",
          "m:1:12: the name of an operation is longer than 31 characters" },
        { "[host a]\n", "m:1:2: [host NAME] is now [node NAME]" },
        { "[type a]\n", "m:1:2: [type NAME] is now [node NAME]" },
        { "[machine]\nnodes = 8\n", "m:2:1: 'nodes' of [machine] is now 'count' of [node]" },
        { "[machine]\nsharing = maxmin\n", "m:2:1: 'sharing' of [machine] is now 'sharing' of [network]" },
        { "[network]\nbandwidth = 1 MB/s\n", "m:2:1: 'bandwidth' of [network] is now 'bandwidth' of [node], or 'link_bandwidth' of a topology" },
        { "[node]\nlatency = 1 s\n", "m:2:1: 'latency' of [node] is now 'latency' of [network], of the whole path" },
        { "[node]\nfactor = 2\n", "m:2:1: 'factor' of [node] is now 'speed', its reciprocal" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(parse(cases[i].text), SIMKIT_BAD_FILE);
        assert_string_equal(error.text, cases[i].says);
        assert_null(machine);
    }
}

/* Ten thousand kinds, pairs and operations are found by their names. */
static void many_of_everything(void **state)
{
    enum { MANY = 10000 };
    char *text = (char *)malloc(200 * MANY), *at = text, name[32];

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < MANY; ++i) at += sprintf(at, "[node n%dx]\ncount = 2\n", i);
    for (int i = 0; i < MANY; ++i) at += sprintf(at, "[pair n%dx1 n%dx0]\nlatency = 1 s\n", i, MANY - 1 - i);
    for (int i = 0; i < MANY; ++i) at += sprintf(at, "[operation o]\nkey%d = %d\n", i, i);
    if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_int_equal(machine->nodes, 2 * MANY);
    assert_int_equal(machine->pairs[7].from, 15);
    assert_int_equal(machine->pairs[7].to, 2 * (MANY - 8));
    assert_equal(simkit_machine_value(machine, "o", "key9999", "1"), 9999);
    simkit_machine_node(machine, 15, name);
    assert_string_equal(name, "n7x1");
    free(text);
}

/* Pairs are found by a hash of 32 bits. These share theirs, two by two, and yet they are four pairs. */
static void pairs_of_one_hash_differ(void **state)
{
    static const size_t pairs[][2] = { { 240, 160 }, { 366, 356 }, { 0, 13013 }, { 0, 374351 } };
    char text[512] = "[node n]\ncount = 400000\n";
    (void)state;
    for (size_t i = 0; i < 4; ++i)
        sprintf(text + strlen(text), "[pair n%lu n%lu]\nlatency = %lu s\n", (unsigned long)pairs[i][0],
                (unsigned long)pairs[i][1], (unsigned long)i + 1);
    if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_int_equal(machine->pair_count, 4);
    for (size_t i = 0; i < 4; ++i) {
        assert_int_equal(machine->pairs[i].from, pairs[i][0]);
        assert_int_equal(machine->pairs[i].to, pairs[i][1]);
        assert_equal(machine->pairs[i].latency, (double)i + 1);
    }
    strcat(text, "[pair n0 n374351]\n");
    assert_int_equal(parse(text), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "m:11:7: duplicate pair");
}

static void line_ends_and_marks_do_not_matter(void **state)
{
    (void)state;
    assert_int_equal(parse("\xEF\xBB\xBF[node]\r\ncount = 4\r\n"), SIMKIT_OK);
    assert_int_equal(machine->nodes, 4);
    assert_int_equal(parse(""), SIMKIT_OK);
    assert_int_equal(machine->nodes, 0);
    assert_int_equal(parse("\n\n# nothing\n"), SIMKIT_OK);
    simkit_machine_close(machine);
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = NULL, .length = 0, .name = "m" }, &machine, &error),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_read(NULL, &machine, &error), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(error.text, "machine: there is nothing to read: neither a path nor a text");
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = "", .length = 0, .name = "m" }, NULL, &error),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_read(&(simkit_input){ .text = "x", .length = 1 }, &machine, NULL), SIMKIT_BAD_FILE);
}

/* Where a comma divides, a file still has points. Which such locales are there depends on the machine. */
static void the_locale_does_not_matter(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) setlocale(LC_ALL, names[i]);
    assert_int_equal(parse("[node]\nspeed = 1.5\n"), SIMKIT_OK);
    assert_equal(machine->kinds[0].node.speed, 1.5);
    setlocale(LC_ALL, "C");
}

/* Any bytes at all: an answer, and no byte beyond the text is looked at. */
static void any_bytes_are_answered(void **state)
{
    uint64_t dice = 23;
    (void)state;
    for (int trial = 0; trial < 20000; ++trial) {
        const size_t length = (size_t)random_between(&dice, 0, sizeof good);
        char *text = (char *)malloc(length + 1);
        memcpy(text, good, length);
        for (int i = 0; i < 4 && length > 0; ++i)
            text[(size_t)random_between(&dice, 0, (double)length)] = (char)(unsigned char)random_between(&dice, 0, 256);
        text = (char *)realloc(text, length ? length : 1);
        memset(&error, 0, sizeof error);
        simkit_machine_close(machine);
        switch (
            simkit_machine_read(&(simkit_input){ .text = text, .length = length, .name = "m" }, &machine, &error)) {
        case SIMKIT_OK: assert_string_equal(error.text, ""); break;
        case SIMKIT_BAD_FILE: assert_true(error.line >= 1 && error.column >= 1); break;
        default: fail();
        }
        free(text);
    }
}

static simkit_result read_path(const char *path)
{
    simkit_machine_close(machine);
    return simkit_machine_read(&(simkit_input){ .path = path }, &machine, &error);
}

static void files_are_read(void **state)
{
    (void)state;
    assert_int_equal(read_path("examples/machines/dps.machine"), SIMKIT_OK);
    assert_int_equal(machine->nodes, 8);
    assert_int_equal(read_path("examples/machines/gigabit.machine"), SIMKIT_OK);
    assert_int_equal(read_path("examples/machines/fat_tree.machine"), SIMKIT_OK);
    assert_int_equal(machine->nodes, 32);
    assert_close(netmodel_topology_bisection(machine->topology), 4 * 117.6e6, 1e-12);
    assert_int_equal(read_path("examples/machines/two_clusters.machine"), SIMKIT_OK);
    assert_int_equal(machine->nodes, 8);
    assert_int_equal(read_path("no/such/file"), SIMKIT_NO_FILE);
    assert_string_equal(error.text, "no/such/file: the file cannot be read: No such file or directory");
    assert_int_equal(read_path("tests"), SIMKIT_NO_FILE); /* a directory */
    assert_int_equal(read_path(NULL), SIMKIT_BAD_ARGUMENT);
}

/* A file is read as its text is: every beginning of one. */
static void a_file_says_what_its_text_says(void **state)
{
    const char *path = "build/test_simkit_machines.machine";
    simkit_machine *loaded;
    simkit_parse_error other;
    char text[3000];
    FILE *file = fopen(path, "w");

    (void)state;
    if (!file) skip(); /* built elsewhere */
    fclose(file);
    for (size_t length = 0; length < sizeof good; ++length) {
        sprintf(text, "%s", length % 2 ? "\xEF\xBB\xBF" : "");
        strcat(text, good);
        text[length] = 0;
        assert_non_null(file = fopen(path, "wb"));
        fputs(text, file);
        fclose(file);
        simkit_machine_close(machine);
        memset(&error, 0, sizeof error);
        memset(&other, 0, sizeof other);
        const simkit_result result = simkit_machine_read(&(simkit_input){ .path = path }, &loaded, &other);
        assert_int_equal(result,
                         simkit_machine_read(&(simkit_input){ .text = text, .length = strlen(text), .name = path },
                                             &machine, &error));
        assert_int_equal(!loaded, !machine);
        if (loaded) {
            assert_string_equal(loaded->name, machine->name);
            assert_int_equal(loaded->nodes, machine->nodes);
            assert_int_equal(loaded->operation_count, machine->operation_count);
        }
        simkit_machine_close(loaded);
        assert_string_equal(other.text, error.text);
        assert_int_equal(other.line, error.line);
        assert_int_equal(other.column, error.column);
    }
    remove(path);
}

static double when; /* a message has arrived */

static void arrived(simkit_world *world, void *user)
{
    (void)user;
    when = simkit_clock_now(world);
}

static double takes(simkit_world *world, simkit_node from, simkit_node to, double bytes)
{
    const simkit_transfer_desc desc = { .from = from, .to = to, .bytes = bytes, .done = arrived };
    const double begin = simkit_clock_now(world);
    assert_int_equal(simkit_transfer_start(world, &desc, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    return when - begin;
}

static void nodes_are_made(void **state)
{
    simkit_world *world;
    simkit_node nodes[11];
    (void)state;
    assert_int_equal(parse(good), SIMKIT_OK);
    const simkit_world_desc desc = { .latency = machine->latency, .sharing = machine->sharing };
    assert_int_equal(simkit_world_open(&desc, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 11, nodes), SIMKIT_OK);
    assert_int_equal(simkit_node_count(world), 11);
    assert_string_equal(simkit_node_name(world, nodes[2]), "big2");
    assert_string_equal(simkit_node_name(world, nodes[8]), "small");
    assert_string_equal(simkit_node_name(world, nodes[10]), "small2"); /* more than the file has: like the last */
    assert_close(takes(world, nodes[0], nodes[1], 12.5e6), 125e-6 + 1, 1e-9);
    assert_close(takes(world, nodes[8], nodes[1], 1e6), 125e-6 + 1, 1e-9);
    assert_close(takes(world, nodes[7], nodes[8], 12.5e6), 1e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[8], nodes[0], 2e6), 125e-6 + 1, 1e-9);
    assert_int_equal(simkit_machine_add(world, NULL, 3, nodes), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_add(world, machine, 3, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_add(world, machine, 0, NULL), SIMKIT_OK);
    simkit_world_close(world);
    assert_int_equal(parse("[node]\ncount = 2\nspeed = 3\nquota = 20 ms\nperiod = 100 ms\n"), SIMKIT_OK);
    assert_equal(machine->kinds[0].node.quota, 0.02);
    assert_equal(machine->kinds[0].node.period, 0.1);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
    assert_string_equal(simkit_node_name(world, nodes[1]), "node 2");
    simkit_world_close(world);
    assert_int_equal(parse("[node a]\nmemory_bandwidth = 25.6 GB/s\n[node b]\n[node c]\nmemory_bandwidth = 0 B/s\n"), SIMKIT_OK);
    assert_equal(machine->kinds[0].node.memory_bandwidth, 25.6e9);
    assert_equal(machine->kinds[1].node.memory_bandwidth, 25.6e9);
    assert_equal(machine->kinds[2].node.memory_bandwidth, 0);
}

/* What a [pair] does not say is as the network and the nodes are: the slower of the two links decides. */
static void a_pair_says_what_differs(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* 1e6 B from the first node to the second */
    } cases[] = {
        { "[node a]\nbandwidth = 4 MB/s\n[node b]\nbandwidth = 2 MB/s\n[pair a b]\nlatency = 1 s\n", 1.5 },
        { "[node a]\nbandwidth = 2 MB/s\n[node b]\nbandwidth = 4 MB/s\n[pair a b]\nlatency = 1 s\n", 1.5 },
        { "[node a]\n[node b]\ndown_bandwidth = 2 MB/s\n[pair a b]\nlatency = 1 s\n", 1.5 },
        { "[node a]\n[node b]\nup_bandwidth = 2 MB/s\n[pair b a]\nlatency = 2 s\n[pair a b]\nlatency = 1 s\n", 1 },
        { "[node b]\nup_bandwidth = 2 MB/s\n[node a]\n[pair b a]\nlatency = 1 s\n", 1.5 },
        { "[node a]\n[node b]\n[pair a b]\nlatency = 1 s\n", 1 },
        { "[network]\nlatency = 3 s\n[node a]\n[node b]\n[pair a b]\nbandwidth = 1 MB/s\n", 4 },
        { "[network]\nlatency = 3 s\n[node a]\nbandwidth = 1 MB/s\n[node b]\n[pair a b]\n", 4 }, /* says nothing */
    };
    static const char itself[] = "[network]\nlatency = 3 s\n[node a]\ncount = 3\nbandwidth = 1 MB/s\n"
                                 "[pair a0 a0]\nbandwidth = 2 MB/s\n[pair a1 a1]\nlatency = 1 s\n"
                                 "[pair a0 a2]\nlatency = 9 s";
    simkit_world *world;
    simkit_node nodes[3];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (parse(cases[i].text) != SIMKIT_OK) fail_msg("%s", error.text);
        assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = machine->latency }, &world), SIMKIT_OK);
        assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
        assert_close(takes(world, nodes[0], nodes[1], 1e6), cases[i].seconds, 1e-12);
        simkit_world_close(world);
    }
    /* A node sends to itself at once, except for what its own pair says. A pair with a node that is not there does not
     * count. */
    if (parse(itself) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = machine->latency }, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[0], 1e6), 0.5, 1e-12);
    assert_close(takes(world, nodes[1], nodes[1], 1e6), 1, 1e-12);
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 4, 1e-12);
    simkit_world_close(world);
}

/* A node of no machine is like any other: one core, speed 1. */
static void no_machine_is_a_plain_node(void **state)
{
    static const simkit_node_desc plain;
    char name[32];
    (void)state;
    simkit_node_desc node = simkit_machine_node(NULL, 3, name);
    assert_memory_equal(&node, &plain, sizeof node);
    assert_int_equal(parse("[network]\nlatency = 1 s\n"), SIMKIT_OK);
    node = simkit_machine_node(machine, 3, name);
    assert_memory_equal(&node, &plain, sizeof node);
    simkit_machine_close(NULL);
}

/* Keys that are only known to the program. */
static bool colours(void *user, simkit_reader *reader, const simkit_machine *m, const char *section, const char *key)
{
    double *colour = (double *)user;
    if (strcmp(key, "colour") != 0) return false;
    if (strcmp(section, "node") == 0) return simkit_reader_quantity(reader, "1", &colour[m->kind_count], NULL);
    return strcmp(section, "machine") == 0 && simkit_reader_quantity(reader, "1", &colour[0], NULL);
}

static void further_keys_are_handed_to_the_program(void **state)
{
    double colour[3] = { 0, 0, 0 };
    const char *const wrong[][2] = { { "[node]\ncolour = 5 s\n", "m:2:12: the unit is 's', expected one of: none, %" },
                                     { "[node]\nsmell = 5\n", "m:2:1: section [node] has no key 'smell', only count, cores, speed, "
                                       "memory_bandwidth, bandwidth, up_bandwidth, down_bandwidth, quota, period, tick, slice, "
                                       "kept, hosts, burst, cpu_per_outgoing, cpu_per_incoming, nice_rule, duplex, place, and those of this program" },
                                     { "[network]\ncolour = 5\n", "m:2:1: section [network] has no key 'colour', only latency, sharing, "
                                       "topology, window, pair_duplex, those of its topology, and those of this program" } };
    simkit_input input = { .text = "[machine]\ncolour = 1\n[node a]\ncolour = 2\nspeed = 2\n[node b]\ncolour = 3",
                           .name = "m",
                           .key = colours,
                           .user = colour };
    (void)state;
    simkit_machine_close(machine);
    input.length = strlen(input.text);
    assert_int_equal(simkit_machine_read(&input, &machine, &error), SIMKIT_OK);
    for (int i = 0; i < 3; ++i) assert_equal(colour[i], i + 1);
    assert_equal(machine->kinds[1].node.speed, 2);
    for (size_t i = 0; i < 3; ++i) {
        simkit_machine_close(machine);
        input.text = wrong[i][0];
        input.length = strlen(input.text);
        assert_int_equal(simkit_machine_read(&input, &machine, &error), SIMKIT_BAD_FILE);
        assert_string_equal(error.text, wrong[i][1]);
    }
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
    simkit_reader_init(&r, text, sizeof text - 1, "links");
    assert_true(simkit_reader_line(&r));
    assert_int_equal(r.line, 3);
    assert_true(simkit_reader_accept(&r, '['));
    assert_true(simkit_reader_word(&r, word, "a section"));
    assert_string_equal(word, "link");
    assert_false(simkit_reader_accept(&r, ']')); /* but the blank is passed */
    assert_true(simkit_reader_word(&r, word, "a name"));
    assert_true(simkit_reader_accept(&r, ']'));
    assert_true(simkit_reader_end(&r));
    assert_true(simkit_reader_line(&r));
    assert_true(simkit_reader_word(&r, word, "a key") && simkit_reader_accept(&r, '='));
    assert_true(simkit_reader_quantity(&r, "s", &value, NULL));
    assert_equal(value, 5e-6);
    assert_true(simkit_reader_accept(&r, ','));
    assert_true(simkit_reader_quantity(&r, NULL, &value, &base));
    assert_equal(value, 2000);
    assert_string_equal(base, "B");
    assert_true(simkit_reader_end(&r));
    assert_true(simkit_reader_line(&r));
    assert_true(simkit_reader_word(&r, word, "a key") && simkit_reader_accept(&r, '='));
    assert_false(simkit_reader_text(&r, rest, 3));
    assert_string_equal(r.error.text, "links:5:8: expected 1 to 2 characters");
    assert_true(simkit_reader_text(&r, rest, sizeof rest));
    assert_string_equal(rest, "a b");
    assert_true(simkit_reader_line(&r));
    assert_true(simkit_reader_word(&r, word, "a key") && simkit_reader_accept(&r, '='));
    assert_false(simkit_reader_integer(&r, &count)); /* 12 x: x is no unit */
    assert_string_equal(r.error.text, "links:6:8: unknown unit 'x'");
    assert_false(simkit_reader_line(&r));
    assert_false(simkit_reader_error(&r, NULL, "it is over"));
    assert_string_equal(r.error.text, "links:6:1: it is over");
    simkit_reader_init(&r, NULL, 0, NULL);
    assert_false(simkit_reader_line(&r));
}

/* Networks: topologies. */
#define LINKS "link_bandwidth = 125 MB/s\nlink_latency = 10 us\n"

static void topologies_are_read(void **state)
{
    static const struct {
        const char *text;
        netmodel_topology_kind kind;
        size_t hosts, links;
    } cases[] = {
        { "topology = star\nhosts = 5\n" LINKS, NETMODEL_TOPOLOGY_STAR, 5, 5 },
        { "hosts = 5\nbackbone_bandwidth = 1 GB/s\n" LINKS "topology = star\n", NETMODEL_TOPOLOGY_STAR, 5, 6 },
        { "topology = clusters\nhosts = 4, 3\nup_bandwidth = 1 Gbit/s\n" LINKS, NETMODEL_TOPOLOGY_CLUSTERS, 7, 9 },
        { "topology = clusters\nhosts = 4, 3, 2\njoints = 1-2,2 - 3\njoint_bandwidth = 1 Gbit/s\n" LINKS,
          NETMODEL_TOPOLOGY_CLUSTERS, 9, 11 },
        { "topology = fat_tree\ndown = 4, 4\nup = 1, 2\ncables = 1, 2\n" LINKS, NETMODEL_TOPOLOGY_FAT_TREE, 16, 32 },
        { "topology = torus\nsize = 4, 3, 2\n" LINKS, NETMODEL_TOPOLOGY_TORUS, 24, 24 + 24 + 12 },
        { "topology = mesh\nsize = 4, 3\nhost_bandwidth = 1 GB/s\n" LINKS, NETMODEL_TOPOLOGY_MESH, 12, 12 + 9 + 8 },
        { "topology = dragonfly\ngroups = 3\nchassis = 2\nblades = 2\nnodes = 2\nblue = 2\n" LINKS,
          NETMODEL_TOPOLOGY_DRAGONFLY, 24, 24 + 6 + 6 + 3 },
    };
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(text, sizeof text, "[network]\n%s", cases[i].text);
        if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
        assert_non_null(machine->topology);
        assert_int_equal(machine->topology->kind, cases[i].kind);
        assert_int_equal(netmodel_topology_hosts(machine->topology), cases[i].hosts);
        assert_int_equal(netmodel_topology_links(machine->topology), cases[i].links);
        assert_int_equal(machine->nodes, cases[i].hosts); /* one node for each host */
        const netmodel_cable cable = netmodel_topology_link(machine->topology, 0);
        assert_equal(cable.bandwidth, cases[i].kind == NETMODEL_TOPOLOGY_MESH ? 1e9 : 125e6);
        assert_equal(cable.latency, cases[i].kind == NETMODEL_TOPOLOGY_MESH ? 0 : 10e-6);
        assert_equal(cable.duplex, 2);
    }
    assert_int_equal(parse("[network]\nlatency = 1 s\nwindow = 64 KiB\npair_duplex = 1.2\n[node]\nduplex = 1.4"),
                     SIMKIT_OK);
    assert_null(machine->topology);
    assert_equal(machine->window, 65536);
    assert_equal(machine->pair_duplex, 1.2);
    assert_equal(machine->kinds[0].node.duplex, 1.4);
}

/* One value for all, or one for each. */
static void cables_have_their_values(void **state)
{
    (void)state;
    if (parse("[network]\ntopology = fat_tree\ndown = 2, 3\nup = 1, 2\nlink_bandwidth = 1 MB/s, 2 MB/s\n"
              "link_latency = 1 ms\nlink_duplex = 1, 1.5\n") != SIMKIT_OK)
        fail_msg("%s", error.text);
    const netmodel_tree_shape *tree = &machine->topology->tree;
    assert_int_equal(tree->levels, 2);
    assert_int_equal(tree->down[1], 3);
    assert_int_equal(tree->up[1], 2);
    assert_int_equal(tree->count[1], 0);
    assert_equal(tree->cable[0].bandwidth, 1e6);
    assert_equal(tree->cable[1].bandwidth, 2e6);
    assert_equal(tree->cable[1].latency, 1e-3);
    assert_equal(tree->cable[0].duplex, 1);
    assert_equal(tree->cable[1].duplex, 1.5);
    if (parse("[network]\ntopology = dragonfly\ngroups = 2\nchassis = 1\nblades = 2\nnodes = 1\nblack = 4\ngreen = 3\n"
              "link_bandwidth = 1 MB/s, 2 MB/s, 3 MB/s, 4 MB/s\n") != SIMKIT_OK)
        fail_msg("%s", error.text);
    const netmodel_dragonfly_shape *fly = &machine->topology->dragonfly;
    assert_equal(fly->host_cable.bandwidth, 1e6);
    assert_equal(fly->green_cable.bandwidth, 2e6);
    assert_equal(fly->black_cable.bandwidth, 3e6);
    assert_equal(fly->blue_cable.bandwidth, 4e6);
    assert_int_equal(fly->blue, 1);
    assert_int_equal(fly->black, 4);
    assert_int_equal(fly->green, 3);
    if (parse("[network]\ntopology = clusters\nhosts = 2, 3\nlink_bandwidth = 1 MB/s, 2 MB/s\njoints = 2-1, 1-2\n"
              "joint_bandwidth = 3 MB/s, 4 MB/s\njoint_latency = 1 s\n") != SIMKIT_OK)
        fail_msg("%s", error.text);
    const netmodel_clusters_shape *clusters = &machine->topology->clusters;
    assert_equal(clusters->cluster[1].cable.bandwidth, 2e6);
    assert_int_equal(clusters->joints, 2);
    assert_int_equal(clusters->joint[0].from, 1);
    assert_int_equal(clusters->joint[0].to, 0);
    assert_equal(clusters->joint[1].cable.bandwidth, 4e6);
    assert_equal(clusters->joint[1].cable.latency, 1);
}

static void every_error_of_a_topology_has_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "topology = ring\n", "m:2:12: 'ring' is unknown, expected star, clusters, fat_tree, torus, mesh or dragonfly" },
        { "topology = star\ntopology = star\n", "m:3:1: duplicate key 'topology', first set in line 2" },
        { "topology = star\nhosts = 2\nhosts = 3\n", "m:4:1: duplicate key 'hosts', first set in line 3" },
        { "size = 4, 4\n", "m:2:1: 'size' is of a topology, but the network has none" },
        { "topology = star\n" LINKS, "m:2:12: topology star needs 'hosts'" },
        { "topology = star\nhosts = 4\n", "m:2:12: topology star needs 'link_bandwidth'" },
        { "topology = star\nhosts = 4, 5\n" LINKS, "m:3:1: 'hosts' has 2 values, expected 1" },
        { "topology = star\nhosts = 0\n" LINKS, "m:3:9: expected a whole number from 1 to 1000000" },
        { "topology = star\nhosts = 4\nsize = 3\n" LINKS,
          "m:4:1: topology star has no 'size', only hosts, link_bandwidth, link_latency, link_duplex, backbone_bandwidth, "
          "backbone_latency, backbone_duplex" },
        { "topology = star\nhosts = 4\nlink_bandwidth = 1 MB/s, 2 MB/s\n",
          "m:4:1: 'link_bandwidth' has 2 values, expected 1" },
        { "topology = star\nhosts = 4\nbackbone_latency = 1 s\n" LINKS,
          "m:4:1: 'backbone_latency' needs 'backbone_bandwidth'" },
        { "topology = torus\nsize = 4, 0\n" LINKS, "m:3:11: expected a whole number from 1 to 1000000" },
        { "topology = torus\nsize = 4, -4\n" LINKS, "m:3:11: expected a whole number from 1 to 1000000" },
        { "topology = torus\nsize = 4, 4.5\n" LINKS, "m:3:11: expected a whole number from 1 to 1000000" },
        { "topology = torus\nsize = 4,\n" LINKS, "m:3:10: expected a number >= 0" },
        { "topology = torus\nsize = 4 4\n" LINKS, "m:3:10: unknown unit '4'" },
        { "topology = torus\nsize = 4; 4\n" LINKS, "m:3:9: expected ',' between the values of a list, found ';'" },
        { "topology = torus\nsize = 4 ;4\n" LINKS, "m:3:10: expected ',' between the values of a list, found ';'" },
        { "topology = torus\nsize = 2, 2, 2, 2, 2, 2\n" LINKS, "m:3:1: 'size' has 6 values, expected at most 5" },
        { "topology = torus\nsize = 1000000, 1000000\n" LINKS,
          "m:2:12: topology torus: a topology must not have more than 2^30 hosts, switches or links" },
        { "topology = torus\nsize = 100000\n" LINKS,
          "m:2:12: topology torus: its longest route has 50000 links, expected at most 30000" },
        { "topology = mesh\nsize = 4, 4\nlink_bandwidth = -1 MB/s\n", "m:4:18: expected a number >= 0" },
        { "topology = mesh\nsize = 4, 4\nlink_bandwidth = 1 MB/s, 0 MB/s\n",
          "m:4:26: 'link_bandwidth' is less than 1 B/s" },
        { "topology = mesh\nsize = 4, 4\nlink_bandwidth = 1 s\n",
          "m:4:20: the unit is 's', expected one of: B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s" },
        { "topology = mesh\nsize = 4, 4\nlink_duplex = 1, 3\n" LINKS, "m:4:18: expected a number from 1 to 2" },
        { "topology = mesh\nsize = 4, 4, 4\nlink_latency = 1 s, 2 s\nlink_bandwidth = 1 MB/s\n",
          "m:4:1: 'link_latency' has 2 values, expected 1 or 3: one for each dimension" },
        { "topology = fat_tree\ndown = 4, 4\n" LINKS, "m:2:12: topology fat_tree needs 'up'" },
        { "topology = fat_tree\nup = 1, 2\n" LINKS, "m:2:12: topology fat_tree needs 'down'" },
        { "topology = fat_tree\ndown = 4, 4\nup = 1\n" LINKS, "m:4:1: 'up' has 1 value, expected 2, as many as 'down'" },
        { "topology = fat_tree\ndown = 4\nup = 1\ncables = 1, 2\n" LINKS,
          "m:5:1: 'cables' has 2 values, expected 1, as many as 'down'" },
        { "topology = fat_tree\ndown = 2,2,2,2,2,2,2,2,2\nup = 1\n" LINKS, "m:3:1: 'down' has 9 values, expected at most 8" },
        { "topology = dragonfly\ngroups = 2\nchassis = 1\nblades = 2\n" LINKS, "m:2:12: topology dragonfly needs 'nodes'" },
        { "topology = dragonfly\ngroups = 3\nchassis = 1\nblades = 2\nnodes = 1\n" LINKS,
          "m:3:1: there are 3 groups, expected at most the 2 routers of a group" },
        { "topology = dragonfly\ngroups = 2\nchassis = 1\nblades = 2\nnodes = 1\nlink_bandwidth = 1 B/s, 1 B/s\n",
          "m:7:1: 'link_bandwidth' has 2 values, expected 1 or 4: of hosts, green, black and blue" },
        { "topology = clusters\nhosts = 1,1,1,1,1,1,1,1,1\n" LINKS, "m:3:1: 'hosts' has 9 values, expected at most 8" },
        { "topology = clusters\nhosts = 2, 2\n" LINKS, "m:2:12: topology clusters needs 'up_bandwidth'" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1-2\n" LINKS, "m:2:12: topology clusters needs 'joint_bandwidth'" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1\n" LINKS, "m:4:11: expected '-' between two clusters" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1-9\n" LINKS, "m:4:12: expected the number of a cluster, from 1 to 8" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1-3\njoint_bandwidth = 1 B/s\n" LINKS,
          "m:4:12: there is no cluster 3: 'hosts' has 2 values" },
        { "topology = clusters\nhosts = 2, 2\njoints = 1-2, 2-2\njoint_bandwidth = 1 B/s\n" LINKS,
          "m:4:17: a joint leads from cluster 2 to itself" },
        { "topology = clusters\nhosts = 2, 2, 2\njoints = 1-2\njoint_bandwidth = 1 B/s\n" LINKS,
          "m:4:1: no joint reaches cluster 3" },
        { "topology = clusters\nhosts = 2, 2\njoint_bandwidth = 1 B/s\n" LINKS, "m:4:1: 'joint_bandwidth' needs 'joints'" },
        { "topology = clusters\nhosts = 2, 2\nup_bandwidth = 1 B/s\njoints = 1-2\njoint_bandwidth = 1 B/s\n" LINKS,
          "m:4:1: 'up_bandwidth' is of clusters without joints" },
        { "topology = star\nhosts = 2\n" LINKS "[node a]\ncount = 3\n",
          "m:6:7: node 'a' would have place 3, but the topology has 2 hosts" },
        { "topology = star\nhosts = 2\n" LINKS "[node a]\n[node b]\nplace = 3\n",
          "m:8:9: node 'b' would have place 3, but the topology has 2 hosts" },
        { "latency = 1 s\n[node a]\nplace = 3\n", "m:4:9: node 'a' has a place, but the network has no topology" },
        { "topology = star\nhosts = 2\n" LINKS "[node a]\nplace = 0\n",
          "m:7:9: expected a whole number from 1 to 1000000" },
        { "window = 0 B\n", "m:2:10: 'window' is 0, expected a number > 0" },
        { "pair_duplex = 0.5\n", "m:2:15: expected a number from 1 to 2" },
        { "[node a]\nduplex = 2.5\n", "m:3:10: expected a number from 1 to 2" },
        { "speed = 3\n", "m:2:1: section [network] has no key 'speed', only latency, sharing, topology, window, pair_duplex, "
                         "and those of its topology" },
    };
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(text, sizeof text, "[network]\n%s", cases[i].text);
        assert_int_equal(parse(text), SIMKIT_BAD_FILE);
        assert_string_equal(error.text, cases[i].says);
        assert_null(machine);
    }
    /* More numbers than any topology has. */
    char *many = (char *)malloc(2000), *at = many + sprintf(many, "[network]\ntopology = torus\nsize = 1");
    assert_non_null(many);
    for (int i = 0; i < 300; ++i) at += sprintf(at, ",1");
    assert_int_equal(parse(many), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "m:3:520: the topology has more than 256 numbers");
    free(many);
}

/* Networks: links and routes. */
static const char joined[] = "[network]\nlatency = 1 ms\n[node a]\ncount = 2\nbandwidth = 10 MB/s\n[node b]\ncount = 2\n"
                             "[node c]\n"
                             "[link thin]\nbandwidth = 1 MB/s\nlatency = 5 ms\nduplex = 1\n"
                             "[link spur]\nbandwidth = 2 MB/s\n"
                             "[route a b]\nlinks = thin\n"
                             "[route c a0]\nlinks = spur,- thin\none_way = yes\n"
                             "[route a0 c]\nlinks = -spur\none_way = yes\n"
                             "[route b b]\nlinks = spur\n";

static void links_and_routes_are_read(void **state)
{
    (void)state;
    assert_int_equal(parse(joined), SIMKIT_BAD_FILE); /* '-' belongs to the name that follows */
    assert_string_equal(error.text, "m:18:15: expected the name of a link");
    char text[sizeof joined];
    strcpy(text, joined);
    memcpy(strstr(text, ",- thin"), ", -thin", 7);
    if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_int_equal(machine->link_count, 2);
    assert_string_equal(machine->links[0].name, "thin");
    assert_equal(machine->links[0].bandwidth, 1e6);
    assert_equal(machine->links[0].latency, 5e-3);
    assert_equal(machine->links[0].duplex, 1);
    assert_equal(machine->links[1].latency, 0);
    assert_int_equal(machine->route_count, 4);
    const simkit_machine_route *route = machine->routes;
    assert_int_equal(route[0].from, 0);
    assert_int_equal(route[0].from_count, 2);
    assert_int_equal(route[0].to, 2);
    assert_int_equal(route[0].to_count, 2);
    assert_false(route[0].one_way);
    assert_int_equal(route[1].from, 4);
    assert_int_equal(route[1].from_count, 1);
    assert_int_equal(route[1].to_count, 1);
    assert_true(route[1].one_way);
    assert_int_equal(route[1].count, 2);
    assert_int_equal(machine->hops[route[1].first].link, 2);
    assert_false(machine->hops[route[1].first].back);
    assert_int_equal(machine->hops[route[1].first + 1].link, 1);
    assert_true(machine->hops[route[1].first + 1].back);

    simkit_world *world;
    simkit_node nodes[5];
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = machine->latency }, &world), SIMKIT_OK);
    assert_int_equal(simkit_link_add(world, NULL, NULL), SIMKIT_OK); /* one of the program's own */
    assert_int_equal(simkit_machine_add(world, machine, 5, nodes), SIMKIT_OK);
    assert_int_equal(simkit_link_count(world), 3);
    assert_string_equal(simkit_link_name(world, 2), "thin");
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 1e-3 + 0.1, 1e-9); /* without a route: the switch */
    assert_close(takes(world, nodes[0], nodes[2], 1e6), 6e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[3], nodes[1], 1e6), 6e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[4], nodes[0], 1e6), 6e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[0], nodes[4], 1e6), 1e-3 + 0.5, 1e-9);
    assert_close(takes(world, nodes[4], nodes[1], 1e6), 1e-3 + 0.1, 1e-9);
    assert_close(takes(world, nodes[2], nodes[3], 1e6), 1e-3 + 0.5, 1e-9);
    assert_close(takes(world, nodes[3], nodes[2], 1e6), 1e-3 + 0.5, 1e-9);
    simkit_world_close(world);
    /* A route with a node that is not there does not count. */
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 3, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[2], 1e6), 5e-3 + 1, 1e-9);
    simkit_world_close(world);
    /* Nodes that were added otherwise. */
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    for (int i = 0; i < 5; ++i) assert_int_equal(simkit_node_add(world, NULL, &nodes[4 - i]), SIMKIT_OK);
    assert_int_equal(simkit_machine_connect(world, machine, 5, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[2], 1e6), 5e-3 + 1, 1e-9);
    assert_int_equal(simkit_machine_connect(world, machine, 5, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_connect(world, NULL, 5, nodes), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_connect(NULL, machine, 5, nodes), SIMKIT_BAD_ARGUMENT);
    simkit_machine bad = *machine;
    bad.hop_count = 1;
    assert_int_equal(simkit_machine_connect(world, &bad, 5, nodes), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(simkit_world_why(world), "at 1.005 s: a route of a machine has links that the machine does not have");
    simkit_world_close(world);
}

/* Links that follow tables: one once, one again and again, one not at all. */
static void links_follow_tables_of_the_file(void **state)
{
    simkit_world *world;
    simkit_node nodes[2];
    (void)state;
    if (parse("[node a]\n[node b]\n"
              "[link plain]\nbandwidth = 8 MB/s\n"
              "[link night]\nperiod = 4 s\nbandwidth = 4 MB/s\nfollows = 1 s: 1 MB/s, 3 s : 4 MB/s\n"
              "[link once]\nfollows = 10 s: 0 B/s , 20 s: 2 MB/s\n"
              "[route a b]\nlinks = plain, night\none_way = yes\n[route b a]\nlinks = once\none_way = yes\n") != SIMKIT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(machine->point_count, 4);
    assert_int_equal(machine->links[0].count, 0);
    assert_int_equal(machine->links[1].first, 0);
    assert_int_equal(machine->links[1].count, 2);
    assert_equal(machine->links[1].period, 4);
    assert_int_equal(machine->links[2].first, 2);
    assert_int_equal(machine->links[2].count, 2);
    assert_equal(machine->links[2].period, 0);
    assert_equal(machine->points[1].time, 3);
    assert_equal(machine->points[1].bandwidth, 4e6);
    assert_equal(machine->points[2].bandwidth, 0);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[1], 6e6), 3, 1e-9);  /* 4 MB in the first second, then 1 MB/s */
    assert_close(takes(world, nodes[0], nodes[1], 20e6), 8, 1e-9); /* two more rounds of 2 s and 2 s */
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = nodes[1], .to = nodes[0] }, NULL),
                     SIMKIT_LINK_FAILED);
    assert_int_equal(simkit_world_run_until(world, 20), SIMKIT_OK);
    assert_close(takes(world, nodes[1], nodes[0], 6e6), 3, 1e-9);
    simkit_world_close(world);
    simkit_machine bad = *machine;
    bad.point_count = 3;
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, &bad, 2, nodes), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(simkit_world_why(world), "at 0 s: a link of a machine follows a table that the machine does not have");
    simkit_world_close(world);
}

static void every_error_of_a_route_has_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "[link]\n", "m:5:6: expected the name of a link" },
        { "[link -a]\n", "m:5:7: the name of a link begins with '-', which a route has for its way back" },
        { "[link l]\n", "m:5:7: duplicate link 'l'" },
        { "[link k]\nbandwidth = 0 MB/s\n", "m:6:13: 'bandwidth' is 0, expected a number > 0" },
        { "[link k]\nbandwidth = -1 MB/s\n", "m:6:13: expected a number >= 0" },
        { "[link k]\nlatency = 1 B\n", "m:6:13: the unit is 'B', expected one of: s, ms, us, ns, min, h" },
        { "[link k]\nduplex = 0\n", "m:6:10: expected a number from 1 to 2" },
        { "[link k]\nspeed = 1\n", "m:6:1: section [link] has no key 'speed', only bandwidth, latency, duplex, follows, period" },
        { "[link k]\nfollows = 1 s\n", "m:6:14: expected ':', and the bandwidth from then on" },
        { "[link k]\nfollows = 1 MB: 1 MB/s\n", "m:6:13: the unit is 'MB', expected one of: s, ms, us, ns, min, h" },
        { "[link k]\nfollows = 1 s: 1 MB\n",
          "m:6:18: the unit is 'MB', expected one of: B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s" },
        { "[link k]\nfollows = 1 s: 1 MB/s, 1 s: 2 MB/s\n", "m:6:24: expected a later time than the one before it" },
        { "[link k]\nfollows = 1 s: 1 MB/s,\n", "m:6:23: expected a number >= 0" },
        { "[link k]\nperiod = 0 s\n", "m:6:10: 'period' is 0, expected a number > 0" },
        { "[link k]\nperiod = 1 s\n", "m:6:10: the link has a period, but 'follows' nothing" },
        { "[link k]\nperiod = 4 s\nfollows = 1 s: 1 MB/s, 5 s: 2 MB/s\n[route a b]\nlinks = k\n",
          "m:6:10: the period must be longer than from the first time that the link 'follows' to the last" },
        { "[link k]\nlatency = 1 s\nlatency = 1 s\n", "m:7:1: duplicate key 'latency', first set in line 6" },
        { "[route]\n", "m:5:7: expected the name of a node, or of a kind of nodes" },
        { "[route a0]\n", "m:5:10: expected the name of a node, or of a kind of nodes" },
        { "[route a0 d]\n", "m:5:11: there is no node 'd' above, and no kind of nodes" },
        { "[route a0 a2]\n", "m:5:11: there is no node 'a2' above, and no kind of nodes" },
        { "[route b b]\nlinks = l\n", "m:5:8: the route leads from a node to itself" },
        { "[route a b]\n", "m:5:8: the route has no 'links'" },
        { "[route a b]\none_way = yes\n[node c]\n", "m:5:8: the route has no 'links'" },
        { "[route a b]\nlinks = k\n", "m:6:9: there is no link 'k' above" },
        { "[route a b]\nlinks = l, -k\n", "m:6:12: there is no link 'k' above" },
        { "[route a b]\nlinks = l, -l\n", "m:6:12: the route crosses link 'l' twice" },
        { "[route a b]\nlinks = l,\n", "m:6:11: expected the name of a link" },
        { "[route a b]\nlinks = l l\n", "m:6:11: expected the end of the line" },
        { "[route a b]\nlinks = l\nlinks = l\n", "m:7:1: duplicate key 'links', first set in line 6" },
        { "[route a b]\nlinks = l\none_way = maybe\n", "m:7:11: 'maybe' is unknown, expected no or yes" },
        { "[route a b]\nlinks = l\nlatency = 1 s\n", "m:7:1: section [route] has no key 'latency', only links, one_way" },
        { "[route a b]\nlinks = l\n[route a b]\nlinks = l\n", "m:7:8: this route is set in line 5" },
        { "[route a b]\nlinks = l\n[route b a]\nlinks = l\none_way = yes\n",
          "m:7:8: this route is set in line 5, as the way back of that one: say 'one_way = yes' there" },
        { "[route a b]\nlinks = l\none_way = yes\n[route b a]\nlinks = l\n",
          "m:8:8: the way back of this route is set in line 5" },
    };
    char text[3000];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snprintf(text, sizeof text, "[node a]\ncount = 2\n[node b]\n[link l]\n%s", cases[i].text);
        assert_int_equal(parse(text), SIMKIT_BAD_FILE);
        assert_string_equal(error.text, cases[i].says);
        assert_null(machine);
    }
    char *at = text;
    for (int i = 0; i < 65; ++i) at += sprintf(at, "[link l%d]\n", i);
    at += sprintf(at, "[node a]\n[node b]\n[route a b]\nlinks = l0");
    for (int i = 1; i < 64; ++i) at += sprintf(at, ",l%d", i);
    assert_int_equal(parse(text), SIMKIT_OK);
    assert_int_equal(machine->hop_count, 64);
    strcat(text, ",l64");
    assert_int_equal(parse(text), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "m:69:255: the route has more than 64 links");
}

/* What is between two nodes of a machine with a topology, by hand. A program that knows nothing of networks opens the
 * world. */
static void a_topology_becomes_a_world(void **state)
{
    static const char text[] = "[network]\nlatency = 1 ms\ntopology = clusters\nhosts = 2, 2\nlink_bandwidth = 10 MB/s\n"
                               "link_latency = 1 ms\njoints = 1-2\njoint_bandwidth = 1 MB/s\njoint_latency = 10 ms\n"
                               "[node a]\ncount = 2\n[node b]\nbandwidth = 5 MB/s\n[node c]\nplace = 3\n"
                               "[pair a0 b]\nlatency = 7 ms\n[pair b a0]\nbandwidth = 2 MB/s\n";
    simkit_world *world;
    simkit_node nodes[5];
    char name[32];
    (void)state;
    if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_int_equal(machine->nodes, 4);
    for (unsigned i = 0; i < 3; ++i) assert_int_equal(simkit_machine_node(machine, i, name).place, i + 1);
    assert_int_equal(simkit_machine_node(machine, 3, name).place, 3);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = machine->latency }, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 4, nodes), SIMKIT_OK);
    assert_int_equal(simkit_link_count(world), 5);
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 3e-3 + 0.1, 1e-9);
    assert_close(takes(world, nodes[1], nodes[2], 1e6), 13e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[1], nodes[3], 1e6), 13e-3 + 1, 1e-9);
    assert_close(takes(world, nodes[0], nodes[2], 1e6), 7e-3 + 1, 1e-9);    /* its own latency, the joint's bandwidth */
    assert_close(takes(world, nodes[2], nodes[0], 1e6), 13e-3 + 0.5, 1e-9); /* its own bandwidth, the route's latency */
    simkit_world_close(world);

    /* The program's own topology stays; a world with nodes or links does not get one. */
    const netmodel_topology star = { .kind = NETMODEL_TOPOLOGY_STAR,
                                     .star = { .hosts = 4, .cable = { .bandwidth = 1e6 } } };
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .topology = &star, .window = 1 }, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 4, nodes), SIMKIT_OK);
    assert_int_equal(simkit_link_count(world), 4);
    simkit_world_close(world);
    for (int links = 0; links < 2; ++links) {
        assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
        assert_int_equal(links ? simkit_link_add(world, NULL, NULL) : simkit_node_add(world, NULL, nodes), SIMKIT_OK);
        assert_int_equal(simkit_machine_add(world, machine, 4, nodes), SIMKIT_BAD_ARGUMENT);
        assert_string_equal(simkit_world_why(world), "at 0 s: the machine has a topology, but the world has nodes or links "
                                                     "without one");
        assert_int_equal(simkit_node_count(world), links ? 0 : 1);
        simkit_world_close(world);
    }
    simkit_machine wrong = *machine;
    netmodel_topology none = star;
    none.star.hosts = 0;
    wrong.topology = &none;
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, &wrong, 4, nodes), SIMKIT_BAD_TOPOLOGY);
    assert_string_equal(simkit_world_why(world), "at 0 s: the topology is impossible: hosts, children, parents, lengths, "
                                                 "groups, chassis, blades and nodes must be >= 1");
    simkit_world_close(world);
    /* More nodes than hosts. */
    assert_int_equal(parse("[network]\ntopology = star\nhosts = 3\nlink_bandwidth = 1 MB/s\n[node]\nplace = 2\n"), SIMKIT_OK);
    assert_int_equal(machine->nodes, 2);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 3, nodes), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(simkit_world_why(world), "at 0 s: node 3 would have place 4, but the topology has 3 hosts");
    simkit_world_close(world);
    /* Containers share the host of their computer. */
    assert_int_equal(parse("[network]\ntopology = star\nhosts = 3\nlink_bandwidth = 1 MB/s\n[node a]\ncount = 5\nhosts = 2\n"
                           "[node b]\n"),
                     SIMKIT_OK);
    for (unsigned i = 0; i < 5; ++i) assert_int_equal(simkit_machine_node(machine, i, name).place, i % 2 + 1);
    assert_int_equal(simkit_machine_node(machine, 5, name).place, 3);
    /* Window and duplex of pairs. */
    assert_int_equal(parse("[network]\nlatency = 10 ms\nwindow = 20 kB\npair_duplex = 1\n[node]\nbandwidth = 10 MB/s\n"),
                     SIMKIT_OK);
    assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = machine->latency }, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 10e-3 + 1, 1e-9); /* 20 kB in 20 ms */
    simkit_world_close(world);
    assert_int_equal(parse("[network]\npair_duplex = 1\n[node]\nbandwidth = 1 MB/s\n"), SIMKIT_OK);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 2, nodes), SIMKIT_OK);
    const simkit_transfer_desc back = { .from = nodes[1], .to = nodes[0], .bytes = 1e6 };
    assert_int_equal(simkit_transfer_start(world, &back, NULL), SIMKIT_OK);
    assert_close(takes(world, nodes[0], nodes[1], 1e6), 2, 1e-9);
    simkit_world_close(world);
}

/* Placements. */
static void placed(const char *how, bool by_core, size_t count, const char *expected)
{
    size_t nodes[64];
    char text[400] = "";
    assert_int_equal(simkit_machine_placement(machine, how, machine->nodes, by_core, count, nodes, &error), SIMKIT_OK);
    for (size_t i = 0; i < count; ++i) sprintf(text + strlen(text), "%s%lu", i ? " " : "", (unsigned long)nodes[i]);
    assert_string_equal(text, expected);
}

static void parts_are_placed(void **state)
{
    (void)state;
    assert_int_equal(parse("[node a]\ncount = 3\n[node b]\ncount = 2\ncores = 2\n[node c]\n"), SIMKIT_OK);
    placed(NULL, false, 7, "0 1 2 3 4 5 0");
    placed("block", true, 10, "0 1 2 3 3 4 4 5 0 1");
    placed("block", true, 4, "0 1 2 3");
    placed("round-robin", false, 8, "0 3 5 1 4 2 0 3");
    placed("round-robin", true, 10, "0 3 5 1 4 2 3 4 0 3");
    placed("round-robin", true, 3, "0 3 5");
    placed("block", true, 0, "");
    assert_int_equal(parse("[network]\ntopology = clusters\nhosts = 3, 2\nup_bandwidth = 1 MB/s\nlink_bandwidth = 1 MB/s\n"),
                     SIMKIT_OK);
    placed("round-robin", false, 5, "0 3 1 4 2");
    assert_int_equal(parse("[network]\ntopology = clusters\nhosts = 3, 2\nup_bandwidth = 1 MB/s\nlink_bandwidth = 1 MB/s\n"
                           "[node a]\nplace = 4\n[node b]\nplace = 1\ncount = 2"),
                     SIMKIT_OK);
    placed("round-robin", false, 3, "1 0 2");
    assert_int_equal(parse("[network]\ntopology = fat_tree\ndown = 2, 3\nup = 1, 1\nlink_bandwidth = 1 MB/s\n"), SIMKIT_OK);
    placed("round-robin", false, 6, "0 2 4 1 3 5");
    assert_int_equal(parse("[network]\ntopology = dragonfly\ngroups = 2\nchassis = 1\nblades = 2\nnodes = 2\n"
                           "link_bandwidth = 1 MB/s\n"),
                     SIMKIT_OK);
    placed("round-robin", false, 8, "0 4 1 5 2 6 3 7");
    assert_int_equal(parse("[network]\ntopology = torus\nsize = 2, 2\nlink_bandwidth = 1 MB/s\n[node]\ncores = 2\n"), SIMKIT_OK);
    placed("round-robin", false, 5, "0 1 2 3 0");
    placed("round-robin", true, 5, "0 1 2 3 0");
    placed("block", true, 5, "0 0 1 1 2");
    size_t nodes[2] = { 7, 7 };
    assert_int_equal(simkit_machine_placement(NULL, NULL, 1, false, 1, nodes, &error), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_placement(machine, NULL, 0, false, 1, nodes, &error), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_placement(machine, NULL, 1, false, 1, NULL, &error), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_machine_placement(machine, "no/such/file", 1, false, 1, nodes, &error), SIMKIT_NO_FILE);
    assert_string_equal(error.text, "no/such/file: the file cannot be read: No such file or directory");
    assert_int_equal(nodes[0], 7);
}

static void placements_are_read(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "P: expected the number or the name of a node in each line, but there is none" },
        { "# nothing\n", "P: expected the number or the name of a node in each line, but there is none" },
        { "0\n  8\n", "P:2:3: there is no node 8: the last is 7" },
        { "99999999999999999999\n", "P:1:1: there is no node 99999999999999999999: the last is 7" },
        { "a\n", "P:1:1: the machine has no node 'a'" },
        { "a5\n", "P:1:1: the machine has no node 'a5'" },
        { "a01\n", "P:1:1: the machine has no node 'a01'" },
        { "a1x\n", "P:1:1: the machine has no node 'a1x'" },
        { "b0\n", "P:1:1: the machine has no node 'b0'" },
        { "0, 1\n", "P:1:2: expected the end of the line" },
        { "= 1\n", "P:1:1: expected the number or the name of a node" },
    };
    const char *path = "build/test_simkit_machines.place";
    size_t nodes[1] = { 7 };
    char says[200];
    FILE *file = fopen(path, "w");
    (void)state;
    if (!file) skip(); /* built elsewhere */
    fputs("a4  # a comment\n\n0\nb\na1\na12", file);
    fclose(file);
    assert_int_equal(parse("[node a]\ncount = 5\n[node b]\n[node a1]\ncount = 4\n"), SIMKIT_OK);
    placed(path, true, 7, "4 0 5 1 8 4 0");
    assert_int_equal(parse("[node a]\ncount = 5\n[node b]\n[node c]\ncount = 2\n"), SIMKIT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_non_null(file = fopen(path, "w"));
        fputs(cases[i].text, file);
        fclose(file);
        assert_int_equal(simkit_machine_placement(machine, path, 8, false, 1, nodes, &error), SIMKIT_BAD_FILE);
        snprintf(says, sizeof says, "%s%s", path, cases[i].says + 1);
        assert_string_equal(error.text, says);
        assert_int_equal(nodes[0], 7);
    }
    /* Of the only kind, without a count, there are as many as are asked for. */
    assert_int_equal(parse("[node n]\n"), SIMKIT_OK);
    assert_non_null(file = fopen(path, "w"));
    fputs("n\nn3\n", file);
    fclose(file);
    size_t two[2];
    assert_int_equal(simkit_machine_placement(machine, path, 4, false, 2, two, NULL), SIMKIT_OK);
    assert_int_equal(two[0], 0);
    assert_int_equal(two[1], 3);
    assert_int_equal(simkit_machine_placement(machine, path, 3, false, 2, two, NULL), SIMKIT_BAD_FILE);
    remove(path);
}

static int close_machine(void **state)
{
    (void)state;
    simkit_machine_close(machine);
    return 0;
}

/* Without a count there are as many as hosts. */
static void nodes_of_a_topology_have_numbers(void **state)
{
    char name[32];
    (void)state;
    assert_int_equal(parse("[network]\ntopology = star\nhosts = 3\nlink_bandwidth = 1 MB/s\n[node n]\n"), SIMKIT_OK);
    assert_int_equal(machine->nodes, 3);
    assert_string_equal(simkit_machine_node(machine, 0, name).name, "n0");
    assert_string_equal(simkit_machine_node(machine, 2, name).name, "n2");
    assert_int_equal(simkit_machine_node(machine, 2, name).place, 3);
}

/* A ninth node of two clusters of four would reach all others by the switch, past the thin link. */
static void routes_are_for_the_nodes_of_the_file(void **state)
{
    simkit_world *world;
    simkit_node nodes[5];
    (void)state;
    assert_int_equal(parse("[node a]\ncount = 2\n[node b]\ncount = 2\n[link l]\n[route a b]\nlinks = l\n"), SIMKIT_OK);
    assert_int_equal(simkit_world_open(NULL, &world), SIMKIT_OK);
    assert_int_equal(simkit_machine_add(world, machine, 5, nodes), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(simkit_world_why(world),
                        "at 0 s: 5 nodes are asked for, but the machine has 4: its routes do not lead to more");
    assert_int_equal(simkit_node_count(world), 0);
    assert_int_equal(simkit_machine_connect(world, machine, 5, nodes), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_link_count(world), 0);
    assert_int_equal(simkit_machine_add(world, machine, 4, nodes), SIMKIT_OK);
    simkit_world_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_files_can_be_read),
        cmocka_unit_test(everything_that_can_be_said),
        cmocka_unit_test(every_unit),
        cmocka_unit_test(every_error_has_its_place),
        cmocka_unit_test(many_of_everything),
        cmocka_unit_test(pairs_of_one_hash_differ),
        cmocka_unit_test(line_ends_and_marks_do_not_matter),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(any_bytes_are_answered),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(a_file_says_what_its_text_says),
        cmocka_unit_test(nodes_are_made),
        cmocka_unit_test(a_pair_says_what_differs),
        cmocka_unit_test(no_machine_is_a_plain_node),
        cmocka_unit_test(further_keys_are_handed_to_the_program),
        cmocka_unit_test(topologies_are_read),
        cmocka_unit_test(cables_have_their_values),
        cmocka_unit_test(every_error_of_a_topology_has_its_place),
        cmocka_unit_test(links_and_routes_are_read),
        cmocka_unit_test(links_follow_tables_of_the_file),
        cmocka_unit_test(every_error_of_a_route_has_its_place),
        cmocka_unit_test(nodes_of_a_topology_have_numbers),
        cmocka_unit_test(routes_are_for_the_nodes_of_the_file),
        cmocka_unit_test(a_topology_becomes_a_world),
        cmocka_unit_test(parts_are_placed),
        cmocka_unit_test(placements_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, close_machine);
}
