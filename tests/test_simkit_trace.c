/* Rooms trace and watch of simkit.h: what watchers observe, and that files are valid in their format. */
#define _DEFAULT_SOURCE /* mkdtemp, mknod */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"
#include "formats.h"
#include "hook.h"
#include "written.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static simkit_node a, b;

static int open_pair(void **state)
{
    const simkit_node_desc desc = { .name = "<a> & \"b\"", .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    (void)state;
    return simkit_world_open(&(simkit_world_desc){ .latency = 0.5 }, &world) != SIMKIT_OK ||
           simkit_node_add(world, &desc, &a) != SIMKIT_OK ||
           simkit_node_add(world, &(simkit_node_desc){ .down_bandwidth = 1e6 }, &b) != SIMKIT_OK;
}

/* The work that all tests look at. */
static void computes(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_process_wait(w, 1));
    succeeds(simkit_process_compute(
        w, &(simkit_computation_desc){ .seconds = 2, .name = "x < y & \"z\"\\\n", .lane = "lane 1" }, NULL));
}

static void start_work(void)
{
    assert_int_equal(
        simkit_computation_start(
            world, &(simkit_computation_desc){ .node = a, .seconds = 1, .name = "first", .lane = "lane 0" }, NULL),
        SIMKIT_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(
            simkit_transfer_start(
                world, &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1e6, .in_order = true, .name = "message" },
                NULL),
            SIMKIT_OK);
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .name = "worker", .node = a, .body = computes }, NULL),
        SIMKIT_OK);
}

/*=============================================================================
 * Watching
 *===========================================================================*/
static char seen[2000];

static void see(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    static const char *const kinds[] = { "", "step", "compute", "", "transfer", "", "", "", "process" };
    static const char *const phases[] = { "asked", "begin", "flow", "wait", "go", "end" };
    (void)user;
    assert_true(event->time == simkit_clock_now(w));
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s %s %g\n",
             event->kind == SIMKIT_WATCH_NODE ? "node" : kinds[event->kind], phases[event->phase], event->time);
}

static void everything_is_seen_in_order(void **state)
{
    (void)state;
    seen[0] = 0;
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_TRANSFER, see, NULL), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(seen, "transfer asked 0\ntransfer begin 0\ntransfer asked 0\ntransfer flow 0.5\n"
                              "transfer end 1.5\ntransfer begin 1.5\ntransfer flow 2\ntransfer end 3\n");
    simkit_watch_remove(world, see, NULL);
    simkit_watch_remove(world, see, NULL);
    seen[0] = 0;
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_string_equal(seen, "");
}

static void tick(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
}

static void masks_choose_what_is_seen(void **state)
{
    simkit_node node;
    (void)state;
    seen[0] = 0;
    assert_int_equal(simkit_watch_add(world, SIMKIT_WATCH_STEP | SIMKIT_WATCH_NODE, see, NULL), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_step_at(world, 0.25, 0, tick, NULL, NULL), SIMKIT_OK);
    assert_int_equal(simkit_node_add(world, NULL, &node), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_non_null(strstr(seen, "node begin 0\n"));
    assert_non_null(strstr(seen, "step begin 0.25\n"));
    assert_null(strstr(seen, "transfer"));
    assert_null(strstr(seen, "compute"));
    assert_null(strstr(seen, "process"));
    assert_int_equal(simkit_watch_add(world, 0, see, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_watch_add(world, 64, see, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_watch_add(world, 1, NULL, NULL), SIMKIT_BAD_ARGUMENT);
}

/* What a program tells has one of the kinds, and the nodes that its kind needs. */
static void events_of_every_kind_can_be_told(void **state)
{
    static const struct {
        int kind;
        simkit_node node, to;
        simkit_result result;
    } events[] = {
        { SIMKIT_WATCH_STEP, 0, 0, SIMKIT_OK },
        { SIMKIT_WATCH_PROCESS, 0, 0, SIMKIT_OK },
        { SIMKIT_WATCH_NODE, 2, 0, SIMKIT_OK },
        { SIMKIT_WATCH_NODE, 3, 0, SIMKIT_UNKNOWN_NODE },
        { SIMKIT_WATCH_COMPUTE, 1, 0, SIMKIT_OK },
        { SIMKIT_WATCH_COMPUTE, 0, 0, SIMKIT_UNKNOWN_NODE },
        { SIMKIT_WATCH_TRANSFER, 1, 2, SIMKIT_OK },
        { SIMKIT_WATCH_TRANSFER, 1, 0, SIMKIT_UNKNOWN_NODE },
        { SIMKIT_WATCH_TRANSFER, 0, 1, SIMKIT_UNKNOWN_NODE },
        { SIMKIT_WATCH_TRANSFER, 1, 3, SIMKIT_UNKNOWN_NODE },
        { 0, 1, 2, SIMKIT_BAD_ARGUMENT },
        { 32, 1, 2, SIMKIT_BAD_ARGUMENT },
        { SIMKIT_WATCH_STEP | SIMKIT_WATCH_COMPUTE, 0, 0, SIMKIT_BAD_ARGUMENT }, /* no event is of two kinds */
        { SIMKIT_WATCH_ALL, 1, 2, SIMKIT_BAD_ARGUMENT },
    };
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; ++i) {
        const simkit_watch_event event = { .kind = (simkit_watch_kind)events[i].kind,
                                           .phase = SIMKIT_PHASE_END,
                                           .node = events[i].node,
                                           .to = events[i].to };
        assert_int_equal(simkit_watch_emit(world, &event), events[i].result);
    }
    assert_int_equal(simkit_watch_emit(world, NULL), SIMKIT_BAD_ARGUMENT);
}

/* Of a world with two steps at one instant, in one order or the other, and a computation. */
static uint64_t fingerprint_of(bool swapped, double seconds, unsigned watched)
{
    simkit_world *w;
    simkit_step first, second;
    simkit_node node;
    succeeds(simkit_world_open(NULL, &w));
    assert_int_equal(simkit_fingerprint_value(w), 0);
    if (watched) succeeds(simkit_watch_add(w, watched, see, NULL));
    assert_int_equal(simkit_fingerprint_begin(w), SIMKIT_OK);
    succeeds(simkit_node_add(w, NULL, &node));
    succeeds(simkit_step_at(w, 1, 0, tick, NULL, &first));
    succeeds(simkit_step_at(w, 1, swapped ? -1 : 0, tick, NULL, &second));
    succeeds(simkit_computation_start(w, &(simkit_computation_desc){ .node = node, .seconds = seconds }, NULL));
    succeeds(simkit_world_run_until(w, 0.5));
    simkit_watch_remove(w, see, NULL);
    succeeds(simkit_world_run(w));
    const uint64_t value = simkit_fingerprint_value(w);
    simkit_world_close(w);
    return value;
}

static void a_fingerprint_tells_runs_apart(void **state)
{
    (void)state;
    seen[0] = 0;
    const uint64_t one = fingerprint_of(false, 2, 0);
    assert_true(one != 0);
    assert_true(fingerprint_of(false, 2, 0) == one);
    assert_true(fingerprint_of(false, 2, SIMKIT_WATCH_ALL) == one); /* the watcher is removed before the end */
    assert_true(fingerprint_of(true, 2, 0) != one);
    assert_true(fingerprint_of(false, nextafter(2, 3), 0) != one);
}

static void hear(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    *(double *)user = message ? message->bytes : -1;
}

/* Which receiver gets a message is part of the fingerprint, although no watcher sees it. */
static uint64_t fingerprint_of_a_message(bool lost)
{
    double heard = 0;
    simkit_mailbox box;
    assert_int_equal(simkit_fingerprint_begin(world), SIMKIT_OK); /* anew */
    const uint64_t none = simkit_fingerprint_value(world);
    assert_int_equal(simkit_mailbox_open(world, a, NULL, &box), SIMKIT_OK);
    assert_int_equal(simkit_mailbox_take(world, box, hear, &heard, NULL), SIMKIT_OK);
    if (lost)
        succeeds(simkit_mailbox_close(world, box));
    else
        assert_int_equal(simkit_mailbox_post(world, &(simkit_post_desc){ .from = a, .to = box, .bytes = 3 }, NULL),
                         SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_true(heard == (lost ? -1 : 3));
    assert_true(simkit_fingerprint_value(world) != none);
    return simkit_fingerprint_value(world);
}

static void a_fingerprint_counts_what_is_received(void **state)
{
    (void)state;
    assert_true(fingerprint_of_a_message(false) != fingerprint_of_a_message(true));
}

static void only_what_happens_is_in_a_fingerprint(void **state)
{
    (void)state;
    assert_int_equal(simkit_fingerprint_begin(world), SIMKIT_OK);
    const uint64_t one = simkit_fingerprint_value(world);
    const simkit_watch_event told = { .kind = SIMKIT_WATCH_COMPUTE, .phase = SIMKIT_PHASE_END, .node = a };
    assert_int_equal(simkit_watch_emit(world, &told), SIMKIT_OK);
    assert_true(simkit_fingerprint_value(world) == one);
    assert_int_equal(simkit_fingerprint_begin(NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_fingerprint_value(NULL), 0);
}

/*=============================================================================
 * Files
 *===========================================================================*/
static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test_simkit_trace.XXXXXX");
    return !mkdtemp(directory);
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory); /* fails if a test left something */
}

static const char *place(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

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

static simkit_result open_trace(simkit_world *w, const char *path, simkit_trace **trace)
{
    return simkit_trace_open(w, &(simkit_trace_desc){ .path = path }, trace);
}

static void a_diagram_is_svg_with_every_bar(void **state)
{
    const simkit_trace_desc desc = { .path = place("x.svg"), .title = "A <title> & more" };
    simkit_trace *trace;
    char *text;
    (void)state;
    assert_int_equal(simkit_trace_open(world, &desc, &trace), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    text = take(place("x.svg"));
    assert_true(xml_is_well_formed(text));
    assert_non_null(strstr(text, "A &lt;title"));
    assert_int_equal(occurrences(text, ">&lt;a&gt; &amp; &quot;b&quot;</text>"), 1); /* a node is named once */
    assert_int_equal(occurrences(text, ">lane 0</text>"), 1);
    assert_int_equal(occurrences(text, ">time [s]</text>"), 1);
    assert_int_equal(occurrences(text, "<title>first, 0.000000 to "), 1);
    assert_int_equal(occurrences(text, "<title>message to node 2, 1000000 B, 0.000000 to 1.500000 s"), 1);
    assert_int_equal(occurrences(text, "<title>message from "), 2);
    free(text);
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

static void an_empty_diagram_is_svg(void **state)
{
    simkit_trace *trace;
    char *text;
    (void)state;
    assert_int_equal(open_trace(world, place("empty.svg"), &trace), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    text = take(place("empty.svg"));
    assert_true(xml_is_well_formed(text));
    free(text);
}

/* Runs what was started, and gives the diagram. */
static char *diagram(simkit_world *w, bool lanes, void (*start)(simkit_world *w))
{
    simkit_trace *trace;
    const simkit_trace_desc desc = { .path = place("x.svg"), .lanes = lanes };
    assert_int_equal(simkit_trace_open(w, &desc, &trace), SIMKIT_OK);
    start(w);
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("x.svg"));
    assert_true(xml_is_well_formed(text));
    return text;
}

static double height_of(const char *svg)
{
    double height = 0;
    const char *at = strstr(svg, "height=\"");
    assert_true(at && sscanf(at, "height=\"%lf\"", &height) == 1);
    return height;
}

static void send_forty(simkit_world *w)
{
    for (int i = 0; i < 40; ++i)
        assert_int_equal(
            simkit_transfer_start(w, &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1e6, .name = "part" }, NULL),
            SIMKIT_OK);
}

/* Each direction of a node is one row, however many transfers are in flight; on demand, each has a line. */
static void transfers_at_once_are_one_row(void **state)
{
    (void)state;
    char *text = diagram(world, false, send_forty);
    assert_int_equal(occurrences(text, ">sent</text>"), 1);
    assert_int_equal(occurrences(text, ">received</text>"), 1);
    assert_int_equal(occurrences(text, ">part</title>"), 1 + 1);
    assert_int_equal(occurrences(text, ">sent, received: full height is 40 transfers at once<"), 1);
    assert_true(height_of(text) < 200);
    free(text);
    text = diagram(world, true, send_forty);
    assert_int_equal(occurrences(text, ">part to node 2, 1000000 B, "), 40);
    assert_int_equal(occurrences(text, "transfers at once"), 0);
    assert_true(height_of(text) > 2 * 40 * 6);
    free(text);
}

enum { MANY_NAMES = 60, DISTINCT_NAMES = 24 };

static void compute_many_names(simkit_world *w)
{
    for (int i = 0; i < MANY_NAMES; ++i) {
        char name[32];
        snprintf(name, sizeof name, "name %d.", i);
        const simkit_watch_event event = { .kind = SIMKIT_WATCH_COMPUTE,
                                           .phase = SIMKIT_PHASE_END,
                                           .time = 1 + i * 7 % MANY_NAMES,
                                           .node = a,
                                           .name = name };
        assert_int_equal(simkit_watch_emit(w, &event), SIMKIT_OK);
    }
}

/* The names with the longest total time have distinct shades, and the legend lists them in this order. */
static void names_have_shades_of_their_own(void **state)
{
    char shades[DISTINCT_NAMES][32];
    (void)state;
    char *text = diagram(world, false, compute_many_names);
    const char *at = strstr(text, "time [s]");
    for (int k = 0; k < DISTINCT_NAMES; ++k) {
        int name = -1;
        at = strstr(at, "width=\"11\" height=\"11\" fill=");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "width=\"11\" height=\"11\" fill=\"%31[^\"]", shades[k]), 1);
        at = strstr(at, ">name ");
        assert_true(at && sscanf(at, ">name %d.<", &name) == 1);
        assert_int_equal(name * 7 % MANY_NAMES, MANY_NAMES - 1 - k);
        for (int i = 0; i < k; ++i) assert_string_not_equal(shades[i], shades[k]);
        if (strncmp(shades[k], "url(#", 5) == 0) {
            char pattern[64];
            snprintf(pattern, sizeof pattern, "<pattern id=\"%.*s\"", (int)strlen(shades[k]) - 6, shades[k] + 5);
            assert_int_equal(occurrences(text, pattern), 1);
        }
    }
    snprintf(shades[0], sizeof shades[0], ">%d other names<", MANY_NAMES - DISTINCT_NAMES);
    assert_int_equal(occurrences(at, shades[0]), 1);
    assert_int_equal(occurrences(at, "\"11\" fill="), 1);
    free(text);
}

static void compute_twice(simkit_world *w)
{
    for (int i = 0; i < 2; ++i)
        assert_int_equal(
            simkit_computation_start(
                w,
                &(simkit_computation_desc){ .node = i ? b : a, .seconds = 3600 * 50, .name = "alone", .lane = "one" },
                NULL),
            SIMKIT_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(simkit_computation_start(w,
                                                  &(simkit_computation_desc){ .node = b,
                                                                              .seconds = 3600,
                                                                              .name = "shared",
                                                                              .lane = i == 0   ? "two"
                                                                                      : i == 1 ? "three"
                                                                                               : "four" },
                                                  NULL),
                         SIMKIT_OK);
}

/* The height of a bar where it begins. */
static double first_height(const char *text, const char *name)
{
    const char *bar = strstr(text, name), *path = bar;
    double base, top;
    assert_non_null(bar);
    while (strncmp(path, "<path", 5) != 0) --path;
    assert_int_equal(sscanf(path, "<path d=\"M%*f,%lfV%lfH", &base, &top), 2);
    return base - top;
}

/* A computation that shares a core is as high as its share; the time axis has a suitable unit. */
static void a_bar_is_as_high_as_its_share(void **state)
{
    (void)state;
    char *text = diagram(world, false, compute_twice);
    const double whole = first_height(text, ">alone, 0.000000 to 180000.000000 s<");
    assert_true(whole > 10);
    assert_true(fabs(first_height(text, ">alone, 0.000000 to 190800.000000 s<") / whole - 0.25) < 0.01);
    assert_true(fabs(first_height(text, ">shared, 0.000000 to ") / whole - 0.25) < 0.01);
    assert_int_equal(occurrences(text, ">height of a computation: its share of a core<"), 1);
    assert_int_equal(occurrences(text, ">time [h]<"), 1);
    assert_int_equal(occurrences(text, ">50</text>"), 1);
    free(text);
}

static int in_turn; /* computations, one after the other */

static void compute_in_turn(simkit_world *w)
{
    for (int i = 0; i < in_turn; ++i) {
        const simkit_watch_event event = { .kind = SIMKIT_WATCH_COMPUTE,
                                           .phase = SIMKIT_PHASE_END,
                                           .begin = i,
                                           .time = i + 0.5,
                                           .seconds = 0.5,
                                           .node = a,
                                           .name = i % 2 ? "odd" : "even" };
        assert_int_equal(simkit_watch_emit(w, &event), SIMKIT_OK);
    }
}

/* A diagram of more than 4000 computations has an area for each name in a row, and so a limited size. */
static void many_computations_are_areas(void **state)
{
    (void)state;
    in_turn = 4000;
    char *text = diagram(world, false, compute_in_turn);
    assert_int_equal(occurrences(text, "<title>"), 4000);
    assert_true(strlen(text) > 400000);
    free(text);
    in_turn = 4001;
    text = diagram(world, false, compute_in_turn);
    assert_int_equal(occurrences(text, "<title>"), 2);
    assert_int_equal(occurrences(text, ">odd</title>"), 1);
    assert_int_equal(occurrences(text, ">even</title>"), 1);
    assert_true(strlen(text) < 100000);
    free(text);
}

static void compute_everywhere(simkit_world *w)
{
    for (int i = 0; i < 1000; ++i) {
        simkit_node node;
        assert_int_equal(simkit_node_add(w, NULL, &node), SIMKIT_OK);
        assert_int_equal(
            simkit_computation_start(w, &(simkit_computation_desc){ .node = node, .seconds = i < 500 ? 1 : 2 }, NULL),
            SIMKIT_OK);
        assert_int_equal(simkit_transfer_start(w, &(simkit_transfer_desc){ .from = node, .to = b, .bytes = 1 }, NULL),
                         SIMKIT_OK);
    }
}

/* A diagram of many nodes has a limited height. */
static void many_nodes_have_few_rows(void **state)
{
    (void)state;
    char *text = diagram(world, false, compute_everywhere);
    assert_true(height_of(text) > 700 && height_of(text) < 1500);
    assert_int_equal(occurrences(text, ">height of a row: the cores in use, of 3 nodes<"), 1);
    assert_int_equal(occurrences(text, ">in flight: full height is 1000 transfers at once<"), 1);
    assert_int_equal(occurrences(text, ">computation</title>"), 334);
    free(text);
}

static void compute_on_many(simkit_world *w)
{
    for (int i = 0; i < 200; ++i) {
        simkit_node node;
        assert_int_equal(simkit_node_add(w, NULL, &node), SIMKIT_OK);
        assert_int_equal(simkit_computation_start(w, &(simkit_computation_desc){ .node = node, .seconds = 1 }, NULL),
                         SIMKIT_OK);
    }
}

/* Where nothing is sent, no row is for transfers. */
static void many_nodes_that_send_nothing(void **state)
{
    (void)state;
    char *text = diagram(world, false, compute_on_many);
    assert_true(height_of(text) < 1500);
    assert_int_equal(occurrences(text, ">computation</title>"), 200);
    assert_int_equal(occurrences(text, "in flight"), 0);
    free(text);
}

/* Nodes do not share rows where each bar is wanted. */
static void every_bar_of_many_nodes(void **state)
{
    (void)state;
    char *text = diagram(world, true, compute_on_many);
    assert_true(height_of(text) > 200 * 18);
    assert_int_equal(occurrences(text, ">computation, 0.000000 to 1.000000 s</title>"), 200);
    free(text);
}

static void send_nothing_everywhere(simkit_world *w)
{
    for (int i = 0; i < 200; ++i) {
        simkit_node node;
        assert_int_equal(simkit_node_add(w, NULL, &node), SIMKIT_OK);
        assert_int_equal(simkit_transfer_start(w, &(simkit_transfer_desc){ .from = node, .to = b }, NULL), SIMKIT_OK);
    }
}

static void transfers_that_take_no_time_are_drawn(void **state)
{
    (void)state;
    char *text = diagram(world, false, send_nothing_everywhere);
    assert_int_equal(occurrences(text, ">in flight<"), 1);
    assert_null(strstr(text, "nan"));
    free(text);
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

/* Whether a text is in the tag of an element. */
static bool has(const char *element, const char *text)
{
    const char *at = strstr(element, text);
    return at && at < strchr(element, '>');
}

/* What an attribute of an element says, as a number. */
static double attribute(const char *element, const char *name)
{
    char key[32];
    double value;
    snprintf(key, sizeof key, " %s=\"", name);
    assert_true(has(element, key));
    assert_int_equal(sscanf(strstr(element, key) + strlen(key), "%lf\"", &value), 1);
    return value;
}

static void fill_of(const char *element, char fill[32])
{
    assert_true(has(element, " fill=\""));
    assert_int_equal(sscanf(strstr(element, " fill=\""), " fill=\"%31[^\"]\"", fill), 1);
}

/* The area that a path encloses above its base: heights[0] from its left end on, heights[1] from places[1] on, ... */
struct area {
    double left, right, base, top; /* the highest */
    double places[4], heights[4];
    int steps;
};

static struct area area_of(const char *path)
{
    struct area area = { 0 };
    double value;
    int read;
    assert_int_equal(sscanf(path, "<path d=\"M%lf,%lf%n", &area.left, &area.base, &read), 2);
    area.right = area.left;
    area.top = area.base;
    for (path += read; *path != 'Z'; path += 1 + read) {
        assert_int_equal(sscanf(path + 1, "%lf%n", &value, &read), 1);
        if (*path == 'H') {
            assert_true(value > area.right);
            area.right = value;
        } else {
            assert_true(*path == 'V' && value <= area.base && area.steps < 4);
            area.places[area.steps] = area.right;
            area.heights[area.steps++] = area.base - value;
            if (value < area.top) area.top = value;
        }
    }
    assert_true(area.steps > 1 && area.heights[--area.steps] == 0); /* back at the base, at the right end */
    return area;
}

/* A timing diagram with at most four rows and four shades, and an axis in seconds. */
struct picture {
    double width, height;
    double zero, second; /* where its time begins, and how long a second is */
    struct {
        double top, bottom;
        char label[32];
    } rows[4];
    struct {
        char fill[32], name[64];
    } shades[4];
    int row_count, shade_count;
};

/* The axis has a number below each mark, at its time; all texts are inside the picture. */
static void read_axis(struct picture *p, const char *text)
{
    double ticks[32], where[32];
    int count = 0, marks = 0;
    for (const char *at = text; (at = strstr(at, "<text ")); ++at) {
        assert_true(attribute(at, "x") > 0 && attribute(at, "x") < p->width);
        assert_true(attribute(at, "y") > 10 && attribute(at, "y") < p->height);
        if (!has(at, "\"middle\"") || strncmp(strchr(at, '>'), ">time [s]<", 10) == 0) continue;
        assert_true(count < 32);
        assert_int_equal(sscanf(strchr(at, '>'), ">%lf</text>", &ticks[count]), 1);
        where[count++] = attribute(at, "x");
    }
    assert_true(count >= 9 && count <= 21);
    p->zero = where[0];
    p->second = (where[count - 1] - where[0]) / (ticks[count - 1] - ticks[0]);
    assert_true(ticks[0] == 0 && p->second > 0);
    for (const char *at = text; (at = strstr(at, "<path ")); ++at)
        if (has(at, "stroke=")) {
            double x, from, to;
            assert_int_equal(sscanf(at, "<path d=\"M%lf,%lfV%lf\"", &x, &from, &to), 3);
            assert_true(marks < count && fabs(x - where[marks]) < 0.001);
            assert_true(fabs(p->zero + ticks[marks] * p->second - x) < 0.03);
            assert_true(from < p->rows[0].top && to > p->rows[p->row_count - 1].bottom);
            ++marks;
        }
    assert_int_equal(marks, count);
}

/* Rows do not overlap, and each has a label beside it; the axis is below them, and the legend below the axis. */
static struct picture read_picture(const char *text)
{
    struct picture p = { .width = attribute(text, "width"), .height = attribute(text, "height") };
    double left = 0, right = 0;
    int labels = 0;
    const char *at = strstr(text, "<rect "); /* the paper */
    assert_true(attribute(at, "width") == p.width && attribute(at, "height") == p.height);
    while ((at = strstr(at + 1, "<rect "))) {
        const double x = attribute(at, "x"), y = attribute(at, "y"), width = attribute(at, "width"),
                     height = attribute(at, "height"), above = p.row_count ? p.rows[p.row_count - 1].bottom : 30;
        assert_true(x > 0 && width > 0 && x + width < p.width && height > 0 && y + height < p.height);
        assert_true(y > above);
        if (has(at, "fill-opacity=\"0.05\"")) {
            assert_true(p.row_count < 4 && p.shade_count == 0);
            if (p.row_count) assert_true(x == left && x + width == right);
            left = x;
            right = x + width;
            p.rows[p.row_count].top = y;
            p.rows[p.row_count++].bottom = y + height;
        } else {
            const char *name = strchr(at, '\n') + 1;
            assert_true(p.shade_count < 4 && strncmp(name, "<text ", 6) == 0);
            assert_true(attribute(name, "x") > x + width && attribute(name, "y") > y &&
                        attribute(name, "y") < y + height);
            fill_of(at, p.shades[p.shade_count].fill);
            assert_int_equal(sscanf(strchr(name, '>'), ">%63[^<]", p.shades[p.shade_count++].name), 1);
        }
    }
    assert_true(p.row_count > 0);
    read_axis(&p, text);
    assert_true(fabs(left - p.zero) < 0.001);
    for (at = text; (at = strstr(at, "<text ")); ++at) {
        const double y = attribute(at, "y");
        if (has(at, "\"middle\"")) { /* between the rows and the legend */
            assert_true(y > p.rows[p.row_count - 1].bottom + 11);
            for (const char *patch = text; (patch = strstr(patch, "height=\"11\" fill=")); ++patch) {
                while (*patch != '<') --patch;
                assert_true(y < attribute(patch, "y"));
                patch = strchr(patch, '>');
            }
        }
        if (!has(at, "\"end\"")) continue;
        assert_true(attribute(at, "x") < left && attribute(at, "x") > left - 20);
        int beside = 0;
        for (int i = 0; i < p.row_count; ++i)
            if (y > p.rows[i].top && y < p.rows[i].bottom) {
                assert_string_equal(p.rows[i].label, ""); /* a row has one */
                assert_int_equal(sscanf(strchr(at, '>'), ">%31[^<]", p.rows[i].label), 1);
                ++beside;
            }
        assert_int_equal(beside, 1);
        ++labels;
    }
    assert_int_equal(labels, p.row_count);
    return p;
}

static void send_beside_work(simkit_world *w)
{
    start_work();
    assert_int_equal(simkit_transfer_start(w, &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1e6 }, NULL),
                     SIMKIT_OK);
}

#define SENT(name) name " to node 2, 1000000 B, "
#define RECEIVED(name) name " from &lt;a&gt; &amp; &quot;b&quot;, 1000000 B, "

/* Each bar begins and ends where the axis has these times, in the row of its lane or direction, with the fill that
 * its name has in the legend. */
static void assert_to_scale(bool lanes)
{
    static const char *const labels[] = { "lane 0", "lane 1", "sent", "received" };
    static const char *const names[] = { "x &lt; y &amp; &quot;z&quot;\\", "first", "message", "transfer" };
    enum { LAST, FIRST, MESSAGE, TRANSFER };
    static const struct {
        const char *title;
        int row, name, steps;
        double times[3], heights[2]; /* a height is a part of its row */
    } bars[2][8] = {
        {
            { "first, 0.000000 to 1.000000 s", 0, FIRST, 1, { 0, 1 }, { 1 } },
            { "x &lt; y &amp; &quot;z&quot;\\, 1.000000 to 3.000000 s", 1, LAST, 1, { 1, 3 }, { 1 } },
            { "transfer", 2, TRANSFER, 2, { 0, 2.5, 4 }, { 1, 0.5 } }, /* both, and the message lies in front of it */
            { "message", 2, MESSAGE, 1, { 0, 4 }, { 0.5 } },
            { "transfer", 3, TRANSFER, 2, { 0, 2.5, 4 }, { 1, 0.5 } },
            { "message", 3, MESSAGE, 1, { 0, 4 }, { 0.5 } },
        },
        {
            { "first, 0.000000 to 1.000000 s", 0, FIRST, 1, { 0, 1 }, { 1 } },
            { "x &lt; y &amp; &quot;z&quot;\\, 1.000000 to 3.000000 s", 1, LAST, 1, { 1, 3 }, { 1 } },
            { SENT("message") "0.000000 to 2.500000 s", 2, MESSAGE, 1, { 0, 2.5 }, { 6 / 13.0 } },
            { SENT("transfer") "0.000000 to 2.500000 s", 2, TRANSFER, 1, { 0, 2.5 }, { 6 / 13.0 } },
            { SENT("message") "2.500000 to 4.000000 s", 2, MESSAGE, 1, { 2.5, 4 }, { 6 / 13.0 } },
            { RECEIVED("message") "0.000000 to 2.500000 s", 3, MESSAGE, 1, { 0, 2.5 }, { 6 / 13.0 } },
            { RECEIVED("transfer") "0.000000 to 2.500000 s", 3, TRANSFER, 1, { 0, 2.5 }, { 6 / 13.0 } },
            { RECEIVED("message") "2.500000 to 4.000000 s", 3, MESSAGE, 1, { 2.5, 4 }, { 6 / 13.0 } },
        },
    };
    struct area areas[8];
    int count = 0;
    char *text = diagram(world, lanes, send_beside_work);
    const struct picture p = read_picture(text);
    assert_int_equal(p.row_count, 4);
    assert_int_equal(p.shade_count, 4);
    for (int i = 0; i < 4; ++i) {
        assert_string_equal(p.rows[i].label, labels[i]);
        assert_string_equal(p.shades[i].name, names[i]);
        for (int k = 0; k < i; ++k) assert_string_not_equal(p.shades[i].fill, p.shades[k].fill);
    }
    for (const char *at = text; (at = strstr(at, "<path ")); ++at) {
        if (has(at, "stroke=")) continue;
        assert_true(count < 8 && bars[lanes][count].title);
        char title[128], fill[32];
        assert_int_equal(sscanf(strchr(at, '>'), "><title>%127[^<]</title></path>", title), 1);
        assert_string_equal(title, bars[lanes][count].title);
        fill_of(at, fill);
        assert_string_equal(fill, p.shades[bars[lanes][count].name].fill);
        assert_false(has(at, "fill-opacity")); /* pale is what takes no CPU time */
        const struct area area = areas[count] = area_of(at);
        const double top = p.rows[bars[lanes][count].row].top, bottom = p.rows[bars[lanes][count].row].bottom;
        assert_true(lanes ? area.top >= top && area.base <= bottom : area.base == bottom);
        assert_int_equal(area.steps, bars[lanes][count].steps);
        for (int i = 0; i <= area.steps; ++i) {
            const double x = i < area.steps ? area.places[i] : area.right;
            assert_true(fabs(x - p.zero - bars[lanes][count].times[i] * p.second) < 0.03);
            if (i < area.steps)
                assert_true(fabs(area.heights[i] - bars[lanes][count].heights[i] * (bottom - top)) < 0.06);
        }
        for (int i = 0; lanes && i < count; ++i)
            assert_true(area.base < areas[i].top || area.top > areas[i].base || area.left >= areas[i].right ||
                        area.right <= areas[i].left);
        ++count;
    }
    assert_int_equal(count, lanes ? 8 : 6);
    assert_int_equal(occurrences(text, ">sent, received: full height is 2 transfers at once<"), !lanes);
    const char *node[] = { strstr(text, "font-weight=\"bold\""), strstr(text, ">node 2</text>") };
    for (int i = 0; i < 2; ++i) { /* a node is named beside its first row */
        const int row = i ? 3 : 0;
        assert_non_null(node[i]);
        while (*node[i] != '<') --node[i];
        assert_true(has(node[i], "\"bold\"") && attribute(node[i], "x") < p.zero / 2);
        assert_true(attribute(node[i], "y") > p.rows[row].top && attribute(node[i], "y") < p.rows[row].bottom);
    }
    assert_int_equal(occurrences(text, "font-weight=\"bold\""), 2);
    free(text);
}

/* The row of a direction: the height is the number of transfers in flight. */
static void a_diagram_is_to_scale(void **state)
{
    (void)state;
    assert_to_scale(false);
}

static void a_diagram_with_a_line_for_each_transfer_is_to_scale(void **state)
{
    (void)state;
    assert_to_scale(true);
}

/* The diagram of one computation has an axis in this unit; its step is `digit` times this power of ten. */
static void assert_axis(double seconds, const char *unit, int digit, int power, int numbers)
{
    simkit_world *own;
    simkit_trace *trace;
    simkit_node node;
    char expected[64], label[64];
    int count = 0;
    assert_int_equal(simkit_world_open(NULL, &own), SIMKIT_OK);
    assert_int_equal(simkit_node_add(own, NULL, &node), SIMKIT_OK);
    assert_int_equal(open_trace(own, place("axis.svg"), &trace), SIMKIT_OK);
    const simkit_computation_desc work = { .node = node, .seconds = seconds, .name = "work" };
    assert_int_equal(simkit_computation_start(own, &work, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(own), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("axis.svg"));
    const char *bar = strstr(text, "><title>work, ");
    assert_non_null(bar);
    while (*bar != '<') --bar;
    const struct area area = area_of(bar);
    const double each = strcmp(unit, "d") == 0           ? 86400
                        : strcmp(unit, "h") == 0         ? 3600
                        : strcmp(unit, "min") == 0       ? 60
                        : strcmp(unit, "s") == 0         ? 1
                        : strcmp(unit, "ms") == 0        ? 1e-3
                        : strcmp(unit, "\xC2\xB5s") == 0 ? 1e-6
                                                         : 1e-9;
    for (const char *at = text; (at = strstr(at, "<text ")); ++at) {
        if (!has(at, "\"middle\"")) continue;
        assert_int_equal(sscanf(strchr(at, '>'), ">%63[^<]", label), 1);
        if (count == numbers) {
            snprintf(expected, sizeof expected, "time [%s]", unit);
        } else {
            const double value = count * digit * pow(10, power), x = value * each / seconds * (area.right - area.left);
            int length = snprintf(expected, sizeof expected, "%.*f", power < 0 ? -power : 0, value);
            while (power < 0 && expected[length - 1] == '0') expected[--length] = 0; /* as short as it can be */
            if (expected[length - 1] == '.') expected[length - 1] = 0;
            assert_true(fabs(attribute(at, "x") - area.left - x) < 0.03);
        }
        assert_string_equal(label, expected);
        ++count;
    }
    assert_int_equal(count, numbers + 1);
    free(text);
    simkit_world_close(own);
}

/* Steps are 1, 2 or 5 times a power of ten, the largest with at least eight of them; the numbers have the digits that
 * tell them apart, in a unit that keeps them short. */
static void an_axis_has_round_steps(void **state)
{
    static const struct {
        double length;
        int digit, power, numbers;
    } axes[] = { { 8.5, 1, 0, 9 }, { 3.5, 2, -1, 18 }, { 6.1, 5, -1, 13 }, { 16.5, 2, 0, 9 } };
    static const char *const units[] = { "s", "ms", "\xC2\xB5s", "ns" };
    static const struct {
        double seconds;
        const char *unit;
        int digit, power, numbers;
    } edges[] = {
        { 1e-3, "ms", 1, -1, 11 }, { 0.999, "ms", 1, 2, 10 }, { 1, "s", 1, -1, 11 },     { 599, "s", 5, 1, 12 },
        { 600, "min", 1, 0, 11 },  { 10799, "min", 2, 1, 9 }, { 10800, "h", 2, -1, 16 }, { 345599, "h", 1, 1, 10 },
        { 345600, "d", 5, -1, 9 }, { 1e6, "d", 1, 0, 12 },    { 864e6, "d", 1, 3, 11 },  { 8, "s", 1, 0, 9 },
        { 16, "s", 2, 0, 9 },      { 40, "s", 5, 0, 9 },
    };
    (void)state;
    for (int power = 0; power >= -11; --power)
        for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k) {
            const double seconds = axes[k].length * pow(10, power);
            int unit = 0;
            while (unit < 3 && seconds < pow(10, -3 * unit)) ++unit;
            assert_axis(seconds, units[unit], axes[k].digit, axes[k].power + power + 3 * unit, axes[k].numbers);
        }
    for (size_t k = 0; k < sizeof edges / sizeof *edges; ++k)
        assert_axis(edges[k].seconds, edges[k].unit, edges[k].digit, edges[k].power, edges[k].numbers);
}

enum { LEGEND_COMPUTATIONS = 20, LEGEND_TRANSFERS = 12, LEGEND = LEGEND_COMPUTATIONS + LEGEND_TRANSFERS };

static char legend_names[LEGEND][40];

static void fill_legend(simkit_world *w)
{
    for (int i = 0; i < LEGEND; ++i) {
        const char *const name = legend_names[i]; /* borrowed until the end of the run */
        const bool computes = i < LEGEND_COMPUTATIONS;
        const simkit_computation_desc work = { .node = a, .seconds = 1, .name = name };
        const simkit_transfer_desc message = { .from = a, .to = b, .bytes = 1e6, .name = name };
        snprintf(legend_names[i], sizeof legend_names[i], "%s number %d", computes ? "computation" : "transfer", i);
        assert_int_equal(computes ? simkit_computation_start(w, &work, NULL) : simkit_transfer_start(w, &message, NULL),
                         SIMKIT_OK);
    }
}

/* Names that need more than a line of the legend go on below, transfers begin a line, and the picture grows. */
static void a_long_legend_has_lines(void **state)
{
    double y = 0, x = 0, lines = 1, begin = 0;
    (void)state;
    char *text = diagram(world, false, fill_legend);
    const double wide = attribute(text, "width"), high = attribute(text, "height");
    const char *note = strstr(text, ">transfers:</text>");
    assert_non_null(note);
    while (*note != '<') --note;
    for (int i = 0; i < LEGEND; ++i) {
        char item[48];
        snprintf(item, sizeof item, ">%.39s</text>", legend_names[i]);
        assert_int_equal(occurrences(text, item), 1);
        const char *at = strstr(text, item), *patch;
        while (*at != '<') --at;
        for (patch = at - 1; *patch != '<';) --patch;
        assert_true(attribute(patch, "width") == 11 && attribute(patch, "x") + 11 < attribute(at, "x"));
        assert_true(attribute(at, "y") > attribute(patch, "y") && attribute(at, "y") < attribute(patch, "y") + 11);
        if (i == 0) begin = attribute(patch, "x");
        if (i == LEGEND_COMPUTATIONS) {
            assert_true(attribute(note, "y") == attribute(at, "y") && attribute(note, "y") > y);
            assert_true(attribute(note, "x") == begin && attribute(note, "x") + 10 * 6.5 <= attribute(patch, "x"));
        }
        if (i > 0 && attribute(at, "y") != y) {
            assert_true(attribute(at, "y") >= y + 11); /* letters are 11 high */
            assert_true(attribute(patch, "x") == begin || i == LEGEND_COMPUTATIONS);
            ++lines;
        } else if (i > 0) {
            assert_true(attribute(patch, "x") >= x);
        }
        y = attribute(at, "y");
        x = attribute(at, "x") + 6.5 * (double)strlen(legend_names[i]);
        assert_true(x <= wide && y < high);
    }
    assert_true(lines >= 6 && lines <= 8);
    for (const char *at = text; (at = strstr(at, "<text ")); ++at) { /* and what heights mean is below */
        assert_true(attribute(at, "y") < high);
        if (strncmp(strchr(at, '>'), ">height of", 10) == 0) assert_true(attribute(at, "y") >= y + 11);
    }
    free(text);
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

/* The limits of UTF-8's lengths: the first and the last of each length are shown, what is beside them is not. */
static void every_length_of_a_character_is_shown(void **state)
{
    static const char *const shown[] = { "\x7F",         "\xC2\x80",         "\xDF\xBF",
                                         "\xE0\xA0\x80", "\xED\x9F\xBF",     "\xEE\x80\x80",
                                         "\xEF\xBF\xBD", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF" };
    static const char *const not_shown[] = {
        "\x80", "\xBF", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80\x80"
    };
    (void)state;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i)
        assert_int_equal(simkit__character(shown[i]), strlen(shown[i]));
    for (size_t i = 0; i < sizeof not_shown / sizeof *not_shown; ++i)
        assert_int_equal(simkit__character(not_shown[i]), 0);
}

/* Bars of 2 ns in 10 s, the last of them where time ends, have a width and a height. */
static void a_short_bar_is_seen(void **state)
{
    static const double begins[] = {
        0, 0, 2.5, 4.9960, 4.9993, 4.9996, 5.0, 9.999999998
    }; /* at any place in a pixel */
    enum { BARS = sizeof begins / sizeof *begins };
    simkit_trace *trace;
    int bars = 0;
    (void)state;
    assert_int_equal(open_trace(world, place("short.svg"), &trace), SIMKIT_OK);
    for (int i = 0; i < BARS; ++i) {
        const simkit_watch_event event = { .kind = SIMKIT_WATCH_COMPUTE,
                                           .phase = SIMKIT_PHASE_END,
                                           .begin = begins[i],
                                           .time = i == 0 ? 10 : begins[i] + 2e-9,
                                           .node = i == 0 ? b : a,
                                           .number = (uint64_t)i };
        assert_int_equal(simkit_watch_emit(world, &event), SIMKIT_OK);
    }
    const simkit_watch_event end = {
        .kind = SIMKIT_WATCH_COMPUTE, .phase = SIMKIT_PHASE_END, .begin = 10, .time = 10, .node = b
    };
    assert_int_equal(simkit_watch_emit(world, &end), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("short.svg"));
    for (const char *at = text; (at = strstr(at, "<path ")); ++at) {
        if (has(at, "stroke=")) continue;
        const struct area area = area_of(at);
        assert_true(area.right - area.left > 0.25 && area.base - area.top > 5);
        ++bars;
    }
    assert_int_equal(bars, BARS + 1);
    free(text);
}

/* From the shortest time of a double to the longest: the axis ends, and its labels are numbers. */
static void any_length_is_drawn(void **state)
{
    static const double ends[] = { 5e-324, 1e-322, 1e-310, 3e-301, 1e-300, 1e-13, 1, 86399, 1e20, 1e301, 1e303, 1e307 };
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        simkit_world *own;
        simkit_trace *picture, *trace;
        simkit_node node;
        char *text;
        assert_int_equal(simkit_world_open(NULL, &own), SIMKIT_OK);
        assert_int_equal(simkit_node_add(own, NULL, &node), SIMKIT_OK);
        assert_int_equal(open_trace(own, place("long.svg"), &picture), SIMKIT_OK);
        assert_int_equal(open_trace(own, place("long.json"), &trace), SIMKIT_OK);
        const simkit_computation_desc work = { .node = node, .seconds = ends[i], .name = "work" };
        assert_int_equal(simkit_computation_start(own, &work, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(own), SIMKIT_OK);
        assert_true(simkit_clock_now(own) > 0);
        assert_int_equal(simkit_trace_close(picture), SIMKIT_OK);
        assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
        text = take(place("long.json"));
        assert_true(json_is_valid(text));
        assert_int_equal(occurrences(text, "\"work\""), 1);
        free(text);
        text = take(place("long.svg"));
        assert_true(xml_is_well_formed(text));
        assert_null(strstr(text, "inf"));
        assert_null(strstr(text, "nan"));
        assert_true(occurrences(text, "\"middle\"") >= 2 && occurrences(text, "\"middle\"") <= 25);
        free(text);
        simkit_world_close(own);
    }
}

/* Bars lie in the same rows as by a search through all rows. */
static void rows_are_those_of_a_plain_search(void **state)
{
    enum { ROWS = 20000 };
    static struct {
        simkit_node node;
        int kind;
        uint32_t lane;
        double end;
    } plain[ROWS];
    uint64_t dice = 11;
    uint32_t rows = 0;
    simkit_trace *trace;

    (void)state;
    assert_int_equal(open_trace(world, place("rows.svg"), &trace), SIMKIT_OK);
    for (int bar = 0; bar < 20000; ++bar) {
        const simkit_node node = (simkit_node)random_between(&dice, 1, 20);
        const int kind = (int)random_between(&dice, 0, 3);
        const uint32_t lane = kind == SIMKIT__ROW_COMPUTE ? (uint32_t)random_between(&dice, 0, 10) : 0;
        const double begin = floor(random_between(&dice, 0, 10) + bar / 1000),
                     end = begin + floor(random_between(&dice, 0, 4));
        uint32_t row = 0;
        while (row < rows && !(plain[row].node == node && plain[row].kind == kind && plain[row].lane == lane &&
                               plain[row].end <= begin))
            ++row;
        assert_true(row < ROWS);
        rows += row == rows;
        plain[row].node = node;
        plain[row].kind = kind;
        plain[row].lane = lane;
        plain[row].end = end;
        const char name[] = { (char)('a' + lane), 0 };
        simkit__group *group = simkit__group_of(trace, node, (simkit__row_kind)kind, name);
        assert_int_equal(simkit__group_row(trace, group, begin, end)->number, row);
    }
    assert_true(rows > 600);
    assert_int_equal(trace->rows, rows);
    trace->no_memory = true; /* so many nodes are not there: nothing is drawn */
    assert_int_equal(simkit_trace_close(trace), SIMKIT_NO_MEMORY);
}

/* The index finds exactly its elements, while elements are added and removed. */
static void an_index_finds_what_is_there(void **state)
{
    enum { THINGS = 3000 };
    static bool there[THINGS];
    uint64_t dice = 5;
    int held = 0;
    simkit__index index;

    (void)state;
    memset(&index, 0, sizeof index);
    for (int step = 0; step < 100000; ++step) {
        const uint32_t thing = (uint32_t)random_between(&dice, 0, step < 50000 ? THINGS : 40);
        const uint32_t hash = thing % 5 ? simkit__hash_number(thing) : thing % 100; /* some have the same hash */
        uint32_t found;
        size_t at = hash;
        while ((found = simkit__index_next(&index, hash, &at)) != SIMKIT__NONE && found != thing) {
        }
        assert_int_equal(found == thing, there[thing]);
        if (there[thing]) {
            simkit__index_drop(&index, hash, thing);
        } else {
            assert_true(simkit__index_reserve(&world->store, &index));
            simkit__index_put(&index, hash, thing);
        }
        there[thing] = !there[thing];
        held += there[thing] ? 1 : -1;
        assert_int_equal(index.used, held);
    }
    simkit__index_free(&world->store, &index);
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

/* A killed run leaves no file where files without names exist; and a path may have no folder. */
static void a_killed_run_leaves_nothing(void **state)
{
    char text[2] = "";
    int ready[2];

    (void)state;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        simkit_trace *trace;
        const bool fine = chdir(directory) == 0 && open_trace(world, "killed.json", &trace) == SIMKIT_OK;
        text[0] = !fine ? 'x' : trace->draft.nameless < 0 ? 'n' : 'a';
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
            assert_int_equal(text[0], 'n');
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

/* Two runs write to one path at once: each has its own file, and the last to end stays. */
static void two_runs_do_not_share_a_file(void **state)
{
    simkit_trace *trace[2];
    simkit_world *other;
    char *text;

    (void)state;
    assert_int_equal(simkit_world_open(NULL, &other), SIMKIT_OK);
    assert_int_equal(open_trace(world, place("x.json"), &trace[0]), SIMKIT_OK);
    assert_int_equal(open_trace(other, place("x.json"), &trace[1]), SIMKIT_OK);
    assert_string_not_equal(trace[0]->draft.draft, trace[1]->draft.draft);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace[0]), SIMKIT_OK);
    text = take(place("x.json"));
    assert_int_equal(occurrences(text, "\"first\""), 1);
    free(text);
    assert_int_equal(simkit_trace_close(trace[1]), SIMKIT_OK);
    text = take(place("x.json"));
    assert_true(json_is_valid(text));
    assert_int_equal(occurrences(text, "\"first\""), 0);
    free(text);
    simkit_world_close(other);
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

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, open_pair, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(everything_is_seen_in_order),
        PAIR_TEST(masks_choose_what_is_seen),
        PAIR_TEST(events_of_every_kind_can_be_told),
        PAIR_TEST(a_fingerprint_tells_runs_apart),
        PAIR_TEST(a_fingerprint_counts_what_is_received),
        PAIR_TEST(only_what_happens_is_in_a_fingerprint),
        cmocka_unit_test(the_checkers_refuse),
        PAIR_TEST(a_diagram_is_svg_with_every_bar),
        PAIR_TEST(no_file_stays_open),
        PAIR_TEST(an_empty_diagram_is_svg),
        PAIR_TEST(transfers_at_once_are_one_row),
        PAIR_TEST(names_have_shades_of_their_own),
        PAIR_TEST(a_bar_is_as_high_as_its_share),
        PAIR_TEST(many_computations_are_areas),
        PAIR_TEST(many_nodes_have_few_rows),
        PAIR_TEST(many_nodes_that_send_nothing),
        PAIR_TEST(every_bar_of_many_nodes),
        PAIR_TEST(transfers_that_take_no_time_are_drawn),
        PAIR_TEST(a_path_without_a_known_ending_is_refused),
        PAIR_TEST(a_trace_is_json_with_every_event),
        PAIR_TEST(a_trace_for_paje_is_in_order),
        PAIR_TEST(a_trace_for_paje_begins_in_the_middle),
        PAIR_TEST(an_end_for_paje_without_a_beginning_is_left_out),
        PAIR_TEST(rows_of_one_hash_differ),
        cmocka_unit_test(memory_for_a_row_runs_out),
        PAIR_TEST(a_trace_can_be_a_table),
        PAIR_TEST(any_name_is_written_as_text),
        PAIR_TEST(a_diagram_is_to_scale),
        PAIR_TEST(a_diagram_with_a_line_for_each_transfer_is_to_scale),
        cmocka_unit_test(an_axis_has_round_steps),
        PAIR_TEST(a_long_legend_has_lines),
        PAIR_TEST(what_is_written_is_what_happened),
        cmocka_unit_test(every_length_of_a_character_is_shown),
        PAIR_TEST(a_short_bar_is_seen),
        cmocka_unit_test(any_length_is_drawn),
        PAIR_TEST(rows_are_those_of_a_plain_search),
        PAIR_TEST(an_index_finds_what_is_there),
        PAIR_TEST(what_is_there_stays_what_it_is),
        PAIR_TEST(a_killed_run_leaves_nothing),
        PAIR_TEST(a_file_stays_in_its_folder),
        PAIR_TEST(a_world_closes_its_traces),
        PAIR_TEST(two_runs_do_not_share_a_file),
        PAIR_TEST(a_name_may_be_as_long_as_names_are),
        PAIR_TEST(a_folder_may_be_deep),
        PAIR_TEST(names_that_are_odd_or_too_long),
        PAIR_TEST(a_file_that_cannot_be_completed),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
