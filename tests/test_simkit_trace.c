/* Room trace of simkit.h: that files are valid in their format and say what happened; and what becomes of a file, of its place
 * and of its folder. Timing diagrams are in test_simkit_trace_diagram.c. */
#define _DEFAULT_SOURCE /* mkdtemp, mknod */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"
#include "util/simkit_trace.h"

#include "formats.h"
#include "hook.h"
#include "trace.h"
#include "written.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static void the_checkers_refuse(void **state)
{
    (void)state;
    assert_true(xml_is_well_formed("<svg a=\"1\"><rect b=\"x\"/>y &amp; z</svg>\n"));
    assert_false(xml_is_well_formed("<svg><rect></svg>"));
    assert_false(xml_is_well_formed("<svg>a & b</svg>"));
    assert_false(xml_is_well_formed("<svg a=1></svg>"));
    assert_false(xml_is_well_formed("<svg></svg><svg></svg>"));
    assert_true(json_is_valid("{\"a\": [1, -2.5, \"x\\n\"], \"b\": {}}"));
    assert_false(json_is_valid("{\"a\": [1,]}"));
    assert_false(json_is_valid("{\"a\": 01}"));
    assert_false(json_is_valid("{\"a\": \"\n\"}"));
    assert_false(json_is_valid("[1] 2"));
    assert_false(json_is_valid("[inf]"));
    assert_true(json_is_valid("[\"\xC3\xBC \xF0\x9F\x98\x80\"]"));
    assert_false(json_is_valid("[\"\xFC\"]"));
    assert_false(json_is_valid("[\"\xC0\xAF\"]"));
    assert_false(xml_is_well_formed("<svg>\xEF\xBF\xBF</svg>"));
    assert_false(xml_is_well_formed("<svg>]]></svg>"));
}

/* Files that this process has open. */
static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return 0; /* not Linux */
    while (readdir(folder)) ++count;
    closedir(folder);
    return count;
}

/* After a trace, whether it was written, could not be opened, or could not be moved to its place. */
static void no_file_stays_open(void **state)
{
    enum { WRITTEN, NO_FOLDER, TAKEN, CASES };
    static const char *const files[][2] = {
        { "x.json", "none/x.json" }, { "x.paje", "none/x.paje" }, { "x.csv", "none/x.csv" }, { "x.svg", "none/x.svg" }
    };
    const int before = open_files();
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
        for (int how = 0; how < CASES; ++how) {
            simkit_trace *trace;
            const char *file = files[i][how == NO_FOLDER];
            assert_int_equal(open_trace(world, place(file), &trace), how == NO_FOLDER ? SIMKIT_NO_FILE : SIMKIT_OK);
            assert_true(how == NO_FOLDER ? open_files() == before : before == 0 || open_files() > before);
            start_work();
            assert_int_equal(simkit_world_run(world), SIMKIT_OK);
            if (how == TAKEN) assert_int_equal(mkdir(place(file), 0700), 0); /* a file does not replace a folder */
            if (how != NO_FOLDER)
                assert_int_equal(simkit_trace_close(trace), how == TAKEN ? SIMKIT_NO_FILE : SIMKIT_OK);
            if (how != WRITTEN) assert_non_null(strstr(simkit_world_why(world), "cannot write '"));
            if (how != NO_FOLDER) assert_int_equal(remove(place(file)), 0);
            assert_int_equal(open_files(), before);
        }
}

/* The ending of the path is the format. */
static void a_path_without_a_known_ending_is_refused(void **state)
{
    static const char *const endings[] = { "x.png", "x", "x.svg/x", ".SVG", "" };
    simkit_trace *trace;
    (void)state;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        assert_int_equal(open_trace(world, endings[i], &trace), SIMKIT_BAD_ARGUMENT);
        assert_null(trace);
        assert_non_null(
            strstr(simkit_world_why(world), "expected one that ends in .svg, .json, .paje, .trace or .csv"));
    }
    assert_int_equal(open_trace(world, place("none/x.svg"), &trace), SIMKIT_NO_FILE);
    assert_null(trace);
    assert_non_null(strstr(simkit_world_why(world), "cannot write '/tmp/test_simkit_trace."));
}

static void a_trace_is_json_with_every_event(void **state)
{
    simkit_trace *trace;
    char *text;
    (void)state;
    assert_int_equal(open_trace(world, place("x.json"), &trace), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(access(place("x.json"), F_OK), -1); /* not before it is complete */
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    text = take(place("x.json"));
    assert_true(json_is_valid(text));
    assert_int_equal(occurrences(text, "\"first\""), 1);
    assert_non_null(strstr(text, "x < y & \\\"z\\\"\\\\"));
    assert_true(occurrences(text, "\"message\"") >= 2);
    free(text);
}

/* In Paje's format times never decrease, each pushed state is popped, and each link that began ends. */
static void a_trace_for_paje_is_in_order(void **state)
{
    simkit_trace *trace;
    double last = 0;
    int pushed = 0, popped = 0, begun = 0, ended = 0, definitions = 0, containers = 0;
    bool node[10] = { false }, row[200] = { false },
         busy[200] = { false }; /* containers, and whether a state is pushed */
    (void)state;
    assert_int_equal(open_trace(world, place("x.paje"), &trace), SIMKIT_OK);
    start_work();
    for (int i = 0; i < 100; ++i) { /* many at once; they do not end in the order in which they began */
        const simkit_computation_desc work = { .node = b, .seconds = 1 + i * 37 % 100, .lane = i % 2 ? "odd" : "even" };
        assert_int_equal(simkit_computation_start(world, &work, NULL), SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("x.paje"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int event, at;
        double time;
        unsigned what, in;
        if (strncmp(line, "%EventDef", 9) == 0) ++definitions;
        if (line[0] == '%' || sscanf(line, "%d %lf%n", &event, &time, &at) != 2 || event < 3) continue;
        const char *rest = line + at; /* containers exist before they are used, and are created once */
        if (event == 3 && sscanf(rest, " R%u CL N%u", &what, &in) == 2) {
            assert_true(what < 200 && in < 10 && node[in] && !row[what]);
            row[what] = true;
        } else if (event == 3 && sscanf(rest, " N%u CN W", &what) == 1) {
            assert_true(what < 10 && !node[what]);
            node[what] = true;
            ++containers;
        } else if (event == 4 || event == 5) {
            assert_int_equal(sscanf(rest, " S R%u", &what), 1);
            assert_true(what < 200 && row[what] && busy[what] == (event == 5));
            busy[what] = event == 4;
        } else if (event > 5) {
            assert_int_equal(sscanf(rest, " L W N%u", &what), 1);
            assert_true(what < 10 && node[what]);
        }
        assert_true(time >= last);
        last = time;
        pushed += event == 4;
        popped += event == 5;
        begun += event == 6;
        ended += event == 7;
        assert_true(popped <= pushed && ended <= begun);
    }
    assert_int_equal(definitions, 9);
    assert_int_equal(containers, 2);
    assert_true(pushed >= 2 && pushed == popped);
    assert_true(begun >= 1 && begun == ended);
    free(text);
}

/* Computations that began before the trace, and transfers of a node to itself, are left out. */
static void a_trace_for_paje_begins_in_the_middle(void **state)
{
    simkit_trace *trace;
    const simkit_computation_desc before = { .node = b, .seconds = 1, .name = "before" },
                                  after = { .node = b, .seconds = 3 };
    (void)state;
    assert_int_equal(simkit_computation_start(world, &before, NULL), SIMKIT_OK);
    assert_int_equal(simkit_pair_set(world, b, b, &(netmodel_link){ 0.5, 1e-6 }), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 0.25), SIMKIT_OK);
    assert_int_equal(open_trace(world, place("x.trace"), &trace), SIMKIT_OK);
    assert_int_equal(simkit_computation_start(world, &after, NULL), SIMKIT_OK);
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = b, .to = b, .bytes = 1e6 }, NULL),
                     SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("x.trace"));
    int events[8] = { 0 };
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (line[0] >= '3' && line[0] <= '7' && line[1] == ' ') events[line[0] - '0']++;
    assert_int_equal(events[4], 1); /* of `after` */
    assert_int_equal(events[5], 1);
    assert_int_equal(events[6], 0); /* no message between nodes */
    assert_int_equal(events[7], 0);
    free(text);
}

static void emit(simkit_phase phase, const char *lane, uint64_t number, double time)
{
    const simkit_watch_event event = { .kind = SIMKIT_WATCH_COMPUTE,
                                       .phase = phase,
                                       .node = a,
                                       .lane = lane,
                                       .number = number,
                                       .begin = time,
                                       .time = time };
    assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_OK);
}

/* What is told by a program ends in the lane in which it began, once. */
static void an_end_for_paje_without_a_beginning_is_left_out(void **state)
{
    simkit_trace *trace;
    (void)state;
    assert_int_equal(open_trace(world, place("x.paje"), &trace), SIMKIT_OK);
    emit(SIMKIT_PHASE_BEGIN, "one", 1, 1);
    emit(SIMKIT_PHASE_BEGIN, "one", 2, 2); /* the second row of its lane */
    emit(SIMKIT_PHASE_BEGIN, "two", 2, 3);
    emit(SIMKIT_PHASE_END, "three", 2, 4); /* a lane without rows */
    emit(SIMKIT_PHASE_END, "two", 1, 5);   /* another one is in this row of the lane */
    emit(SIMKIT_PHASE_END, "two", 2, 6);
    emit(SIMKIT_PHASE_END, "two", 2, 7); /* has ended already */
    emit(SIMKIT_PHASE_END, "one", 1, 8);
    emit(SIMKIT_PHASE_END, "one", 1, 9);
    emit(SIMKIT_PHASE_END, "one", 2, 10);
    emit(SIMKIT_PHASE_BEGIN, "one", 3, 11);
    emit(SIMKIT_PHASE_BEGIN, "two", 3, 12);
    emit(SIMKIT_PHASE_END, "one", 3, 13);
    emit(SIMKIT_PHASE_END, "one", 3, 14); /* has ended, while there is one of its number in the other lane */
    emit(SIMKIT_PHASE_END, "two", 3, 15);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("x.paje"));
    static const char *const ends[] = { "\n5 6.", "\n5 8.", "\n5 10.", "\n5 13.", "\n5 15." };
    for (size_t i = 0; i < 5; ++i) assert_int_equal(occurrences(text, ends[i]), 1);
    assert_int_equal(occurrences(text, "\n5 "), 5);
    assert_int_equal(occurrences(text, "\n4 "), 5);
    free(text);
}

/* What a node sends and what another one receives are found by a hash of 32 bits. These two have the same. */
static void rows_of_one_hash_differ(void **state)
{
    enum { FROM = 22074, TO = 877 };
    simkit_trace *trace;
    (void)state;
    for (int i = 2; i < FROM; ++i) add_node(NULL);
    assert_int_equal(open_trace(world, place("x.json"), &trace), SIMKIT_OK);
    emit(SIMKIT_PHASE_END, "", 1, 1); /* the number of a name counts too */
    for (int i = 0; i < 2; ++i)
        assert_int_equal(
            simkit_transfer_start(world, &(simkit_transfer_desc){ .from = FROM, .to = TO, .name = "hop" }, NULL),
            SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("x.json"));
    assert_true(json_is_valid(text));
    assert_int_equal(occurrences(text, "\"name\":\"hop\",\"cat\":\"transfer\",\"pid\":22074,"), 2);
    assert_int_equal(occurrences(text, "\"name\":\"hop\",\"cat\":\"transfer\",\"pid\":877,"), 2);
    assert_int_equal(occurrences(text, "\"name\":\"sent\""), 2);
    assert_int_equal(occurrences(text, "\"name\":\"received\""), 2);
    free(text);
}

/* A computation that began before the trace may be the first to need a row. */
static void memory_for_a_row_runs_out(void **state)
{
    static const char *const names[] = { "x.paje", "x.json", "x.svg" };
    (void)state;
    for (size_t i = 0; i < 3; ++i)
        for (long left = 0;; ++left) {
            hook h = { 0, 0, -1, false, false };
            simkit_world *own;
            simkit_node node;
            simkit_trace *trace;
            assert_int_equal(
                simkit_world_open(&(simkit_world_desc){ .memory = { .reallocate = reallocate, .user = &h } }, &own),
                SIMKIT_OK);
            assert_int_equal(simkit_node_add(own, NULL, &node), SIMKIT_OK);
            assert_int_equal(
                simkit_computation_start(own, &(simkit_computation_desc){ .node = node, .seconds = 2 }, NULL),
                SIMKIT_OK);
            assert_int_equal(simkit_world_run_until(own, 1), SIMKIT_OK);
            assert_int_equal(open_trace(own, place(names[i]), &trace), SIMKIT_OK);
            h.left = left;
            assert_int_equal(simkit_world_run(own), SIMKIT_OK);
            const simkit_result closed = simkit_trace_close(trace);
            assert_int_equal(closed, h.refused ? SIMKIT_NO_MEMORY : SIMKIT_OK);
            if (h.refused)
                assert_non_null(strstr(simkit_world_why(own), "no memory for all bars of a trace"));
            else
                free(take(place(names[i])));
            simkit_world_close(own);
            assert_int_equal(h.blocks, 0);
            if (!h.refused) break;
            assert_true(left < 100);
        }
}

static void a_trace_can_be_a_table(void **state)
{
    simkit_trace *trace;
    simkit_table *table;
    simkit_parse_error error;
    (void)state;
    assert_int_equal(open_trace(world, place("x.csv"), &trace), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    if (simkit_table_read(&(simkit_input){ .path = place("x.csv") }, &table, &error) != SIMKIT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(table->columns, 8);
    assert_true(table->rows >= 3);
    const double *begin = simkit_table_column(table, "begin")->numbers;
    const double *end = simkit_table_column(table, "end")->numbers;
    assert_true(begin && end);
    for (size_t i = 0; i < table->rows; ++i) assert_true(begin[i] <= end[i]);
    assert_string_equal(simkit_table_column(table, "bytes")->unit, "B");
    simkit_table_close(table);
    free(take(place("x.csv")));
}

/* Names may be any bytes; files are valid text nevertheless, in every format. */
static const char *const odd_names[] = {
    "]]>",
    "\xFC ber",
    "\xEF\xBF\xBF",
    "\xEF\xBF\xBE",
    "\xED\xA0\x80",
    "\xC0\xAF",
    "\xF4\x90\x80\x80",
    "\xF8\x88\x80\x80\x80",
    "\xE2\x82",
    "\xF0\x9F\x98\x80 \xE2\x82\xAC \xC3\xBC",
    "\x01\x1F\x7F",
    "\\\"'&<>",
    "12345678901234567890123456789012345678901234567890123456789\xC3\xBC",
    "1234567890123456789012345678901234567890123456789012345678\xE2\x82\xAC",
    "123456789012345678901234567890123456789012345678901234567\xF0\x9F\x98\x80",
    "123456789012345678901234567890123456789012345678901234567\x80\x80\x80\x80\x80",
};
enum { ODD_NAMES = sizeof odd_names / sizeof *odd_names };

static void any_name_is_written_as_text(void **state)
{
    static const char *const files[] = { "x.json", "x.paje", "x.csv" };
    simkit_trace *trace[3], *picture[ODD_NAMES];
    simkit_node node[ODD_NAMES];
    char *text;

    (void)state;
    for (int i = 0; i < ODD_NAMES; ++i) {
        const simkit_trace_desc desc = { .path = place("x.svg"), .title = odd_names[i] };
        assert_int_equal(simkit_trace_open(world, &desc, &picture[i]), SIMKIT_OK);
    }
    for (int i = 0; i < 3; ++i) assert_int_equal(open_trace(world, place(files[i]), &trace[i]), SIMKIT_OK);
    for (int i = 0; i < ODD_NAMES; ++i)
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = odd_names[i] }, &node[i]), SIMKIT_OK);
    for (int i = 0; i < ODD_NAMES; ++i) {
        const simkit_transfer_desc message = {
            .from = node[i], .to = node[(i + 1) % ODD_NAMES], .bytes = 1, .name = odd_names[i]
        };
        const simkit_computation_desc work = {
            .node = node[i], .seconds = 1, .name = odd_names[i], .lane = odd_names[i]
        };
        assert_int_equal(simkit_computation_start(world, &work, NULL), SIMKIT_OK);
        assert_int_equal(simkit_transfer_start(world, &message, NULL), SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(simkit_trace_close(trace[i]), SIMKIT_OK);
        text = take(place(files[i]));
        assert_true(i == 0 ? json_is_valid(text) : is_text(text));
        assert_non_null(strstr(text, "\xEF\xBF\xBD ber"));
        assert_non_null(strstr(text, "\xF0\x9F\x98\x80 \xE2\x82\xAC \xC3\xBC")); /* valid characters are kept */
        free(text);
    }
    for (int i = 0; i < ODD_NAMES; ++i) {
        assert_int_equal(simkit_trace_close(picture[i]), SIMKIT_OK);
        text = take(place("x.svg"));
        assert_true(xml_is_well_formed(text));
        assert_true(occurrences(text, ">\xEF\xBF\xBD ber</text>") >= 2);
        assert_non_null(strstr(text, "56789</text>")); /* cut before the character that does not fit */
        assert_non_null(strstr(text, "5678</text>"));
        free(text);
    }
}

/* Every byte of a table, of a trace for Paje as its definition has it, and of a trace for Chrome, where a row is
 * named before its first bar. */
static void what_is_written_is_what_happened(void **state)
{
    static const char *const files[] = { "x.csv", "x.paje", "x.json" };
    static const char *const expected[] = {
        "kind,name,node,to,lane,begin [s],end [s],bytes [B]\n"
        "compute,\"first\",\"<a> & 'b'\",\"\",\"lane 0\",0.000000000000,1.000000000000,0\n"
        "transfer,\"message\",\"<a> & 'b'\",\"node 2\",\"\",0.000000000000,1.500000000000,1000000\n"
        "compute,\"x < y & 'z'\\'\",\"<a> & 'b'\",\"\",\"lane 1\",1.000000000000,3.000000000000,0\n"
        "transfer,\"message\",\"<a> & 'b'\",\"node 2\",\"\",1.500000000000,3.000000000000,1000000\n",
        "0 CW 0 \"world\"\n"
        "0 CN CW \"node\"\n"
        "0 CL CN \"lane\"\n"
        "1 S CL \"doing\"\n"
        "2 L CW CN CN \"message\"\n"
        "3 0.000000000000 W CW 0 \"world\"\n"
        "3 0.000000000000 N1 CN W \"<a> & 'b'\"\n"
        "3 0.000000000000 R0 CL N1 \"lane 0\"\n"
        "4 0.000000000000 S R0 \"first\"\n"
        "6 0.000000000000 L W N1 \"1000000 B\" M1\n"
        "5 1.000000000000 S R0\n"
        "3 1.000000000000 R1 CL N1 \"lane 1\"\n"
        "4 1.000000000000 S R1 \"x < y & 'z'\\'\"\n"
        "3 1.500000000000 N2 CN W \"node 2\"\n"
        "7 1.500000000000 L W N2 \"1000000 B\" M1\n"
        "6 1.500000000000 L W N1 \"1000000 B\" M2\n"
        "5 3.000000000000 S R1\n"
        "7 3.000000000000 L W N2 \"1000000 B\" M2\n",
        "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"name\":\"simkit\",\"pid\":0,\"args\":{}},\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"<a> & \\\"b\\\"\"}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"lane 0\"}},\n"
        "{\"ph\":\"X\",\"name\":\"first\",\"cat\":\"compute\",\"pid\":1,\"tid\":1,"
        "\"ts\":0.000,\"dur\":1000000.000},\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"<a> & \\\"b\\\"\"}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"sent\"}},\n"
        "{\"ph\":\"X\",\"name\":\"message\",\"cat\":\"transfer\",\"pid\":1,\"tid\":2,"
        "\"ts\":0.000,\"dur\":1500000.000,\"args\":{\"to\":\"node 2\",\"bytes\":1000000}},\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"args\":{\"name\":\"node 2\"}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":3,\"args\":{\"name\":\"received\"}},\n"
        "{\"ph\":\"X\",\"name\":\"message\",\"cat\":\"transfer\",\"pid\":2,\"tid\":3,"
        "\"ts\":0.000,\"dur\":1500000.000,\"args\":{\"from\":\"<a> & \\\"b\\\"\",\"bytes\":1000000}},\n"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"<a> & \\\"b\\\"\"}},\n"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":4,\"args\":{\"name\":\"lane 1\"}},\n"
        "{\"ph\":\"X\",\"name\":\"x < y & \\\"z\\\"\\\\\\u000a\",\"cat\":\"compute\",\"pid\":1,\"tid\":4,"
        "\"ts\":1000000.000,\"dur\":2000000.000},\n"
        "{\"ph\":\"X\",\"name\":\"message\",\"cat\":\"transfer\",\"pid\":1,\"tid\":2,"
        "\"ts\":1500000.000,\"dur\":1500000.000,\"args\":{\"to\":\"node 2\",\"bytes\":1000000}},\n"
        "{\"ph\":\"X\",\"name\":\"message\",\"cat\":\"transfer\",\"pid\":2,\"tid\":3,"
        "\"ts\":1500000.000,\"dur\":1500000.000,\"args\":{\"from\":\"<a> & \\\"b\\\"\",\"bytes\":1000000}}\n"
        "]}\n",
    };
    simkit_trace *trace[3];
    (void)state;
    for (int i = 0; i < 3; ++i) assert_int_equal(open_trace(world, place(files[i]), &trace[i]), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(simkit_trace_close(trace[i]), SIMKIT_OK);
        char *text = take(place(files[i]));
        const char *tail = i == 1 ? strstr(text, expected[i]) : text; /* for Paje, behind the definitions */
        assert_non_null(tail);
        assert_string_equal(tail, expected[i]);
        if (i == 1) { /* a definition names the fields in the order of the lines, the key of a link last */
            assert_non_null(strstr(text, "%EventDef PajeStartLink 6\n% Time date\n% Type string\n% Container string\n"
                                         "% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"));
            assert_non_null(strstr(text, "%EventDef PajeEndLink 7\n% Time date\n% Type string\n% Container string\n"
                                         "% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n"));
            assert_int_equal(occurrences(text, "% Key string\n"), 2);
        }
        free(text);
    }
}

/* A picture of nothing at a path. */
static simkit_result draw(const char *path)
{
    simkit_trace *trace;
    const simkit_result result = open_trace(world, path, &trace);
    return result == SIMKIT_OK ? simkit_trace_close(trace) : result;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A device of Linux: root, who could replace the system's own if the code under test were wrong, gets one in the folder,
 * others a link to it. */
static void make_device(const char *path, const char *name, unsigned number)
{
    char own[32];
    FILE *file;

    if (mknod(path, S_IFCHR | 0600, makedev(1, number)) == 0) {
        file = fopen(path, "w"); /* a folder may forbid devices */
        if (file) {
            fclose(file);
            return;
        }
        remove(path);
    }
    snprintf(own, sizeof own, "/dev/%s", name);
    assert_int_equal(symlink(own, path), 0);
}

/* A file at the path is replaced; a link, a device or a pipe is kept and written to. */
static void what_is_there_stays_what_it_is(void **state)
{
    struct stat what;
    char link[128], target[128], *text;

    (void)state;
    strcpy(link, place("link.svg"));
    strcpy(target, place("target.svg"));
    for (int dangling = 0; dangling < 2;
         ++dangling) { /* through a link to a file, and to a file that does not exist yet */
        if (!dangling) write_text(target, "old");
        assert_int_equal(symlink("target.svg", link), 0);
        assert_int_equal(draw(link), SIMKIT_OK);
        assert_int_equal(lstat(link, &what), 0);
        assert_true(S_ISLNK(what.st_mode));
        text = take(target);
        assert_true(xml_is_well_formed(text));
        free(text);
        assert_int_equal(remove(link), 0);
    }
    write_text(target, "old"); /* a process that has the old file open keeps reading it */
    FILE *before = fopen(target, "rb");
    assert_non_null(before);
    assert_int_equal(draw(target), SIMKIT_OK);
    assert_int_equal(fgetc(before), 'o');
    fclose(before);
    free(take(target));
    assert_int_equal(mkdir(target, 0700), 0); /* a folder cannot be written */
    assert_int_equal(draw(target), SIMKIT_NO_FILE);
    assert_int_equal(rmdir(target), 0);

    assert_int_equal(mkfifo(target, 0600), 0); /* through a pipe */
    const int pipe_end = open(target, O_RDONLY | O_NONBLOCK);
    assert_true(pipe_end >= 0);
    char got[4096] = "";
    assert_int_equal(draw(target), SIMKIT_OK);
    assert_true(read(pipe_end, got, sizeof got - 1) > 0);
    assert_true(xml_is_well_formed(got));
    close(pipe_end);
    assert_int_equal(stat(target, &what), 0);
    assert_true(S_ISFIFO(what.st_mode));
    assert_int_equal(remove(target), 0);

    make_device(target, "null", 3);
    assert_int_equal(draw(target), SIMKIT_OK);
    assert_int_equal(stat(target, &what), 0);
    assert_true(S_ISCHR(what.st_mode));
    assert_int_equal(remove(target), 0);
    make_device(target, "full", 7);
    if (stat(target, &what) == 0) { /* Linux has a device that is always full */
        snprintf(link, sizeof link, "cannot write '%.100s'", target);
        assert_int_equal(draw(target), SIMKIT_NO_FILE);
        assert_non_null(strstr(simkit_world_why(world), link));
        assert_int_equal(stat(target, &what), 0);
        assert_true(S_ISCHR(what.st_mode));
    }
    assert_int_equal(remove(target), 0);
}

/* Whether there are files without a name in this folder: Linux has them, on most file systems. */
static bool has_nameless_files(void)
{
#if !defined(O_TMPFILE) && defined(__O_TMPFILE)
#define O_TMPFILE __O_TMPFILE /* hidden by the C library */
#endif
#ifdef O_TMPFILE
    const int file = open(directory, O_TMPFILE | O_WRONLY, 0600);
    return file >= 0 && close(file) == 0;
#else
    return false;
#endif
}

/* A killed run leaves no file where files without names exist; and a path may have no folder. */
static void a_killed_run_leaves_nothing(void **state)
{
    char text[2] = "";
    int ready[2];
    const bool nameless = has_nameless_files();

    (void)state;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        simkit_trace *trace;
        const bool fine = chdir(directory) == 0 && open_trace(world, "killed.json", &trace) == SIMKIT_OK;
        text[0] = fine ? 'a' : 'x';
        if (write(ready[1], text, 1) == 1) pause();
        _exit(1);
    }
    assert_true(child > 0);
    assert_int_equal(read(ready[0], text, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ready[0]);
    close(ready[1]);
    assert_true(text[0] != 'x');
    DIR *left = opendir(directory);
    assert_non_null(left);
    for (const struct dirent *entry; (entry = readdir(left));)
        if (entry->d_name[0] != '.') {
            assert_false(nameless);
            remove(place(entry->d_name));
        }
    closedir(left);
}

/* If the program calls chdir() while a trace is open, the file appears where it was opened. */
static void a_file_stays_in_its_folder(void **state)
{
    simkit_trace *trace;
    char before[1000];

    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    assert_int_equal(open_trace(world, "here.json", &trace), SIMKIT_OK);
    assert_int_equal(chdir("/"), 0);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    assert_int_not_equal(access("here.json", F_OK), 0);
    assert_int_equal(chdir(before), 0);
    char *text = take(place("here.json"));
    assert_true(json_is_valid(text));
    free(text);
}

/* Whoever forgets to close a trace still finds its file. */
static void a_world_closes_its_traces(void **state)
{
    simkit_trace *trace[3];
    (void)state;
    assert_int_equal(open_trace(world, place("x.svg"), &trace[0]), SIMKIT_OK);
    assert_int_equal(open_trace(world, place("x.csv"), &trace[1]), SIMKIT_OK);
    assert_int_equal(open_trace(world, place("x.json"), &trace[2]), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace[1]), SIMKIT_OK);
    free(take(place("x.csv")));
    reopen_world(NULL);
    char *text = take(place("x.json"));
    assert_true(json_is_valid(text));
    free(text);
    text = take(place("x.svg"));
    assert_non_null(strstr(text, "first"));
    free(text);
}

/* The draft's name is not too long if the file's own is not. */
static void a_name_may_be_as_long_as_names_are(void **state)
{
    char name[256], *text;
    simkit_trace *trace;

    (void)state;
    memset(name, 'n', sizeof name);
    memcpy(name + sizeof name - sizeof ".json", ".json", sizeof ".json");
    assert_int_equal(open_trace(world, place(name), &trace), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    text = take(place(name));
    assert_true(json_is_valid(text));
    free(text);
}

/* A folder's path may be longer than the kit has room for: then a file's path stays relative, until the file is closed. */
static void a_folder_may_be_deep(void **state)
{
    enum { LEVELS = 12 };
    char before[1000], folder[101], file[101];
    (void)state;
    memset(folder, 'd', sizeof folder);
    memset(file, 'f', sizeof file);
    folder[100] = 0;
    memcpy(file + sizeof file - sizeof ".json", ".json", sizeof ".json");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    for (int level = 0; level < LEVELS; ++level) {
        assert_int_equal(mkdir(folder, 0700), 0);
        assert_int_equal(chdir(folder), 0);
        assert_int_equal(draw(file), SIMKIT_OK);
        char *text = take(file);
        assert_true(json_is_valid(text));
        free(text);
    }
    for (int level = 0; level < LEVELS; ++level) {
        assert_int_equal(chdir(".."), 0);
        assert_int_equal(rmdir(folder), 0);
    }
    assert_int_equal(mkdir("gone", 0700), 0); /* a folder that is no more */
    assert_int_equal(chdir("gone"), 0);
    assert_int_equal(rmdir("../gone"), 0);
    assert_int_equal(draw("x.json"), SIMKIT_NO_FILE);
    assert_int_equal(chdir(before), 0);
}

static void names_that_are_odd_or_too_long(void **state)
{
    char path[1100], *text;
    (void)state;
    assert_int_equal(draw(place("back\\slash.json")), SIMKIT_OK);
    text = take(place("back\\slash.json"));
    assert_true(json_is_valid(text));
    free(text);
    for (size_t length = 1018; length < 1030; ++length) { /* directory/././...///x.json */
        memset(path, '/', sizeof path);
        memcpy(path, directory, strlen(directory));
        for (size_t i = strlen(directory) + 1; i + 8 < length; i += 2) path[i] = '.';
        memcpy(path + length - 7, "/x.json", 8);
        assert_int_equal(draw(path), length < 1024 ? SIMKIT_OK : SIMKIT_NO_FILE);
        if (length < 1024)
            free(take(place("x.json")));
        else
            assert_non_null(strstr(simkit_world_why(world), "cannot write '/tmp/test_simkit_trace."));
    }
}

/* As on a full disk: no file may be longer than so many bytes. Neither the file nor a part of it is there. */
static void a_file_that_cannot_be_completed(void **state)
{
    struct rlimit limit, small;
    simkit_trace *trace;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 10;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int many = 0; many < 2; ++many) { /* as the last buffer is written, and long before */
        assert_int_equal(open_trace(world, place("x.json"), &trace), SIMKIT_OK);
        for (int i = 0; i < many * 1000; ++i)
            succeeds(simkit_computation_start(world, &(simkit_computation_desc){ .node = a, .seconds = 1 }, NULL));
        setrlimit(RLIMIT_FSIZE, &small);
        const simkit_result ran = simkit_world_run(world), closed = simkit_trace_close(trace);
        setrlimit(RLIMIT_FSIZE, &limit);
        assert_int_equal(ran, SIMKIT_OK);
        assert_int_equal(closed, SIMKIT_NO_FILE);
        assert_non_null(strstr(simkit_world_why(world), "cannot write '/tmp/test_simkit_trace."));
    }
    signal(SIGXFSZ, before);
    assert_int_equal(mkdir(place("sub"), 0700), 0); /* the folder vanishes before the file is there */
    assert_int_equal(open_trace(world, place("sub/x.json"), &trace), SIMKIT_OK);
    const bool gone = rmdir(place("sub")) == 0; /* not if the file has a name there already */
    assert_int_equal(simkit_trace_close(trace), gone ? SIMKIT_NO_FILE : SIMKIT_OK);
    if (!gone) {
        free(take(place("sub/x.json")));
        assert_int_equal(rmdir(place("sub")), 0);
    }
}

static void refused(simkit_result result, const char *why)
{
    assert_int_equal(result, SIMKIT_BAD_ARGUMENT);
    assert_non_null(strstr(simkit_world_why(world), why));
}

static void what_is_refused(void **state)
{
    simkit_trace *trace = NULL;
    simkit_trace_desc desc = { .path = "x.json" };
    (void)state;
    refused(simkit_trace_open(world, &desc, NULL), "");
    refused(simkit_trace_open(NULL, &desc, &trace), "");
    refused(simkit_trace_open(world, NULL, &trace), "a trace needs a path");
    desc.path = NULL;
    refused(simkit_trace_open(world, &desc, &trace), "a trace needs a path");
    desc.path = "x.jsn";
    refused(simkit_trace_open(world, &desc, &trace), "is 'x.jsn', expected one that ends in");
    desc.path = "none.svg/x";
    refused(simkit_trace_open(world, &desc, &trace), "is 'none.svg/x', expected one that ends in");
    assert_null(trace);
    assert_int_equal(simkit_trace_close(NULL), SIMKIT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checkers_refuse),
        PAIR_TEST(no_file_stays_open),
        PAIR_TEST(a_path_without_a_known_ending_is_refused),
        PAIR_TEST(a_trace_is_json_with_every_event),
        PAIR_TEST(a_trace_for_paje_is_in_order),
        PAIR_TEST(a_trace_for_paje_begins_in_the_middle),
        PAIR_TEST(an_end_for_paje_without_a_beginning_is_left_out),
        PAIR_TEST(rows_of_one_hash_differ),
        cmocka_unit_test(memory_for_a_row_runs_out),
        PAIR_TEST(a_trace_can_be_a_table),
        PAIR_TEST(any_name_is_written_as_text),
        PAIR_TEST(what_is_written_is_what_happened),
        PAIR_TEST(what_is_there_stays_what_it_is),
        PAIR_TEST(a_killed_run_leaves_nothing),
        PAIR_TEST(a_file_stays_in_its_folder),
        PAIR_TEST(a_world_closes_its_traces),
        PAIR_TEST(a_name_may_be_as_long_as_names_are),
        PAIR_TEST(a_folder_may_be_deep),
        PAIR_TEST(names_that_are_odd_or_too_long),
        PAIR_TEST(a_file_that_cannot_be_completed),
        PAIR_TEST(what_is_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
