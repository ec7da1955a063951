/* Room machines of util/simkit_files.h: what a machine file may say, what every error in one is called, and where parts are placed. Its
 * network is in test_simkit_machines_networks.c. Also what of room reader a program takes for files of its own. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "machine.h"
#include "scratch.h"

#include <locale.h>
#include <time.h>

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
                           "bandwidth = 500 kB/s\n"
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
    assert_equal(machine->pairs[1].bandwidth, 5e5);
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
        { "[node]\ncount = 8 9\n", "m:2:11: unknown unit '9', expected one of: none, %" },
        { "[node]\ncount = 8 s\n", "m:2:11: the unit is 's', expected one of: none, %" },
        { "[node]\ncount = 8\ncount = 9\n", "m:3:1: duplicate key 'count', first set in line 2" },
        { "[network]\nlatency = 1 s\n[node]\n[network]\nlatency = 1 s",
          "m:5:1: duplicate key 'latency', first set in line 2" },
        { "[machine]\nname = a\n[node]\n[machine]\nname = b\n", "m:5:1: duplicate key 'name', first set in line 2" },
        { "[network]\nsharing = equal\n[network]\n[machine]\n[network]\nsharing = maxmin\n",
          "m:6:1: duplicate key 'sharing', first set in line 2" },
        { "[network]\nhosts = 2\n[node]\n[network]\nhosts = 3\n", "m:5:1: duplicate key 'hosts', first set in line 2" },
        { "[operation x]\nrate = 1 s\n[operation y]\nrate = 1 s\n[operation x]\nrate = 2 s\n",
          "m:6:1: duplicate key 'rate' of operation 'x'" },
        { "[node a]\ncount = 2\n[pair a0 a1]\n[node b]\n[pair a0 a1]\n", "m:5:7: duplicate pair" },
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
        { "[operation x]\nrate = 1 parsec\n", "m:2:10: unknown unit 'parsec', expected one of: none, %, s, ms, us, ns, min, h, /s, /min, /h, B, kB, MB, GB, KiB, MiB, GiB, B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s, flop/s, Mflop/s, Gflop/s" },
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
    const char *path = scratch("test_simkit_machines", "machine");
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
    assert_close(takes(world, nodes[8], nodes[0], 5e5), 125e-6 + 1, 1e-9);
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
    assert_string_equal(r.error.text, "links:6:8: unknown unit 'x', expected one of: none, %");
    assert_false(simkit_reader_line(&r));
    assert_false(simkit_reader_error(&r, NULL, "it is over"));
    assert_string_equal(r.error.text, "links:6:1: it is over");
    simkit_reader_init(&r, NULL, 0, NULL);
    assert_false(simkit_reader_line(&r));
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
        { "a123456789012345678901234567890123456789012345678901234567890\n",
          "P:1:1: the number or the name of a node is longer than 31 characters" },
        { "a5\n", "P:1:1: the machine has no node 'a5'" },
        { "a01\n", "P:1:1: the machine has no node 'a01'" },
        { "a1x\n", "P:1:1: the machine has no node 'a1x'" },
        { "b0\n", "P:1:1: the machine has no node 'b0'" },
        { "0, 1\n", "P:1:2: expected the end of the line" },
        { "= 1\n", "P:1:1: expected the number or the name of a node" },
    };
    const char *path = scratch("test_simkit_machines", "place");
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

/* Names of all kinds, against a look at all nodes: the first node of a name is meant. */
static void names_are_those_of_the_nodes(void **state)
{
    enum { MOST = 130 };
    static const char *const beginnings[] = { "a", "b", "a1", "a12", "a_name_of_20_letters", "a_name_of_20_letters1",
                                              "a_name_of_20_letters_and", "a_name_of_20_letters_or", "n0", "n" };
    const char *path = scratch("test_simkit_machines_names", "place");
    uint64_t dice = 7;
    FILE *file = fopen(path, "w");
    (void)state;
    if (!file) skip(); /* built elsewhere */
    fclose(file);
    size_t found = 0, missing = 0;
    for (int round = 0; round < 300; ++round) {
        char text[2000] = "", names[MOST][32], asked[32];
        const int first = (int)(random_next(&dice) % 10), kinds = 1 + (int)(random_next(&dice) % 10);
        for (int k = 0; k < kinds; ++k) {
            const int count = (int)(random_next(&dice) % 14);
            sprintf(text + strlen(text), "[node %s]\n", beginnings[(first + 3 * k) % 10]);
            if (count > 0) sprintf(text + strlen(text), "count = %d\n", count > 11 ? 1 : count);
        }
        assert_int_equal(parse(text), SIMKIT_OK);
        const size_t nodes = machine->nodes > 0 && random_next(&dice) % 2 ? machine->nodes : 1 + random_next(&dice) % MOST;
        for (size_t i = 0; i < nodes && i < MOST; ++i) simkit_machine_node(machine, i, names[i]);
        for (int i = 0; i < 12; ++i) {
            size_t node = 99, expected = 0;
            if (i % 3 == 0)
                sprintf(asked, "%s%d", beginnings[random_next(&dice) % 10], (int)(random_next(&dice) % 120));
            else
                strcpy(asked, i % 3 == 1 ? beginnings[random_next(&dice) % 10] : names[random_next(&dice) % (nodes < MOST ? nodes : MOST)]);
            const size_t last = machine->kinds[machine->kind_count - 1].first;
            const unsigned many = machine->kinds[machine->kind_count - 1].count;
            const size_t named = many > 0 && last + many < nodes ? last + many : nodes; /* others are like the last */
            while (expected < named && strcmp(names[expected], asked) != 0) ++expected;
            assert_non_null(file = fopen(path, "w"));
            fprintf(file, "%s\n", asked);
            fclose(file);
            const simkit_result result = simkit_machine_placement(machine, path, nodes, false, 1, &node, &error);
            if ((result == SIMKIT_OK) != (expected < named) || (result == SIMKIT_OK && node != expected))
                fail_msg("%s'%s' of %lu: %s, node %lu, expected %lu", text, asked, (unsigned long)nodes,
                         simkit_result_text(result), (unsigned long)node, (unsigned long)expected);
            ++*(result == SIMKIT_OK ? &found : &missing);
        }
    }
    assert_true(found > 1000 && missing > 500);
    remove(path);
}

/* Linear in the nodes and in the lines. */
static void many_parts_are_placed(void **state)
{
    enum { NODES = 100000 };
    const char *path = scratch("test_simkit_machines_many", "place");
    char *text = malloc(80 * NODES), *at = text;
    size_t *nodes = malloc(4 * NODES * sizeof *nodes);
    const clock_t begin = clock();
    FILE *file = fopen(path, "w");
    (void)state;
    assert_true(text && nodes);
    if (!file) skip(); /* built elsewhere */
    for (int i = 0; i < NODES; ++i) {
        at += sprintf(at, "[node n%d]\n", i);
        fprintf(file, "n%d\n", NODES - 1 - i);
    }
    fclose(file);
    assert_int_equal(parse(text), SIMKIT_OK);
    assert_int_equal(simkit_machine_placement(machine, path, NODES, false, NODES, nodes, &error), SIMKIT_OK);
    for (size_t i = 0; i < NODES; ++i) assert_int_equal(nodes[i], NODES - 1 - i);
    /* kinds of one long beginning, with a count and without */
    at = text;
    assert_non_null(file = fopen(path, "w"));
    for (int i = 0; i < NODES; ++i) {
        at += sprintf(at, "[node a_name_of_20_letters_%d]\n%s", i, i % 2 ? "count = 2\n" : "");
        fprintf(file, i % 2 ? "a_name_of_20_letters%d\n" : "a_name_of_20_letters_%d\n", i % 2 ? i / 2 % 2 : i);
    }
    fclose(file);
    assert_int_equal(parse(text), SIMKIT_OK);
    assert_int_equal(simkit_machine_placement(machine, path, machine->nodes, false, NODES, nodes, &error), SIMKIT_OK);
    for (size_t i = 0; i < NODES; ++i) assert_int_equal(nodes[i], i % 2 ? 1 + i / 2 % 2 : i / 2 * 3);
    /* some nodes have many cores, most have one */
    assert_int_equal(parse("[node a]\ncount = 100000\n[node b]\ncores = 300000\n"), SIMKIT_OK);
    assert_int_equal(simkit_machine_placement(machine, "round-robin", NODES + 1, true, 4 * NODES, nodes, &error), SIMKIT_OK);
    for (size_t i = 0; i < 4 * NODES; ++i)
        assert_int_equal(nodes[i], i == 0 ? 0 : i == 1 || i > NODES ? NODES : i - 1);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20); /* a fifth of a second, also under a sanitizer not much more */
    remove(path);
    free(text);
    free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_the_nodes),
        cmocka_unit_test(many_parts_are_placed),
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
        cmocka_unit_test(parts_are_placed),
        cmocka_unit_test(placements_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, close_machine);
}
