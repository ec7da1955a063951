/* Rooms trace and watch of simkit.h: what watchers observe, and that files are valid in their format. */
#define _DEFAULT_SOURCE /* mkdtemp, mknod */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
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
    simkit_process_wait(w, 1);
    simkit_process_compute(w, &(simkit_computation_desc){ .seconds = 2, .name = "x < y & \"z\"\\\n", .lane = "lane 1" },
                           NULL);
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

static void see(void *user, const simkit_world *w, const simkit_watch_event *event)
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

/* Of a world with two steps at one instant, in one order or the other, and a computation. */
static uint64_t fingerprint_of(bool swapped, double seconds, unsigned watched)
{
    simkit_world *w;
    simkit_step first, second;
    simkit_node node;
    simkit_world_open(NULL, &w);
    assert_int_equal(simkit_fingerprint_value(w), 0);
    if (watched) simkit_watch_add(w, watched, see, NULL);
    assert_int_equal(simkit_fingerprint_begin(w), SIMKIT_OK);
    simkit_node_add(w, NULL, &node);
    simkit_step_at(w, 1, 0, tick, NULL, &first);
    simkit_step_at(w, 1, swapped ? -1 : 0, tick, NULL, &second);
    simkit_computation_start(w, &(simkit_computation_desc){ .node = node, .seconds = seconds }, NULL);
    simkit_world_run_until(w, 0.5);
    simkit_watch_remove(w, see, NULL);
    simkit_world_run(w);
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
    assert_int_equal(simkit_mailbox_take(world, box, hear, &heard), SIMKIT_OK);
    if (lost)
        simkit_mailbox_close(world, box);
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

/* Reads a file and removes it. */
static char *take(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = (char *)calloc(1, 1 << 20);
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    assert_int_equal(remove(path), 0);
    return text;
}

/* UTF-8 (RFC 3629) of characters that XML and JSON allow. */
static bool is_text(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int more = *at < 0x80             ? 0
                         : (*at & 0xE0) == 0xC0 ? 1
                         : (*at & 0xF0) == 0xE0 ? 2
                         : (*at & 0xF8) == 0xF0 ? 3
                                                : -1;
        long code = more <= 0 ? *at : *at & (0x3F >> more);
        if (more < 0 || (*at < ' ' && *at != '\n')) return false;
        for (int i = 0; i < more; ++i) {
            if ((*++at & 0xC0) != 0x80) return false;
            code = code * 64 + (*at & 0x3F);
        }
        ++at;
        if ((more == 1 && code < 0x80) || (more == 2 && code < 0x800) || (more == 3 && code < 0x10000)) return false;
        if ((code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF) return false;
    }
    return true;
}

/* Well-formed XML, as far as a drawing needs it: tags nest, attributes are quoted, entities are known. */
static bool xml_is_well_formed(const char *at)
{
    char open[32][32];
    int depth = 0, roots = 0;

    if (!is_text(at) || strstr(at, "]]>")) return false;
    while (*at) {
        if (*at == '&') {
            static const char *const known[] = { "&lt;", "&gt;", "&amp;", "&quot;" };
            bool found = false;
            for (int i = 0; i < 4; ++i) found = found || strncmp(at, known[i], strlen(known[i])) == 0;
            if (!found) return false;
            ++at;
        } else if (*at == '<') {
            const bool closes = at[1] == '/';
            char name[32];
            int length = 0;
            at += closes ? 2 : 1;
            while (((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9')) && length < 31) name[length++] = *at++;
            name[length] = 0;
            if (length == 0) return false;
            if (closes) {
                if (depth == 0 || strcmp(open[--depth], name) != 0 || *at++ != '>') return false;
                continue;
            }
            while (*at && *at != '>' && *at != '/') { /* attributes */
                if (*at == ' ') {
                    ++at;
                    continue;
                }
                while (*at && *at != '=' && *at != '>' && *at != '<') ++at;
                if (*at++ != '=' || *at++ != '"') return false;
                while (*at && *at != '"' && *at != '<') ++at;
                if (*at++ != '"') return false;
            }
            if (*at == '/') {
                ++at;
            } else {
                if (depth == 32) return false;
                if (depth == 0) ++roots;
                strcpy(open[depth++], name);
            }
            if (*at++ != '>') return false;
        } else {
            if (depth == 0 && *at != '\n') return false;
            ++at;
        }
    }
    return depth == 0 && roots == 1;
}

/* JSON (RFC 8259): where a value ends, or NULL. */
static const char *json_blanks(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') ++at;
    return at;
}

static const char *json_string(const char *at)
{
    if (*at++ != '"') return NULL;
    for (; *at != '"'; ++at) {
        if ((unsigned char)*at < ' ') return NULL;
        if (*at == '\\') {
            ++at;
            if (*at == 'u') {
                for (int i = 1; i <= 4; ++i)
                    if (!strchr("0123456789abcdefABCDEF", at[i]) || !at[i]) return NULL;
                at += 4;
            } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
                return NULL;
            }
        }
    }
    return at + 1;
}

static const char *json_number(const char *at)
{
    const char *digits;
    if (*at == '-') ++at;
    digits = at;
    while (*at >= '0' && *at <= '9') ++at;
    if (at == digits || (*digits == '0' && at > digits + 1)) return NULL;
    if (*at == '.') {
        digits = ++at;
        while (*at >= '0' && *at <= '9') ++at;
        if (at == digits) return NULL;
    }
    return at;
}

static const char *json_value(const char *at, int depth)
{
    const char close = *at == '{' ? '}' : ']';
    if (depth > 20) return NULL;
    if (*at == '"') return json_string(at);
    if (*at != '{' && *at != '[') return json_number(at);
    at = json_blanks(at + 1);
    if (*at == close) return at + 1;
    for (;;) {
        if (close == '}') {
            at = json_string(at);
            if (!at) return NULL;
            at = json_blanks(at);
            if (*at++ != ':') return NULL;
            at = json_blanks(at);
        }
        at = json_value(at, depth + 1);
        if (!at) return NULL;
        at = json_blanks(at);
        if (*at == close) return at + 1;
        if (*at++ != ',') return NULL;
        at = json_blanks(at);
    }
}

static bool json_is_valid(const char *text)
{
    const char *end = json_value(json_blanks(text), 0);
    return is_text(text) && end && *json_blanks(end) == 0;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); ++text) ++count;
    return count;
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
    simkit__layout layout;

    (void)state;
    memset(&layout, 0, sizeof layout);
    layout.world = world;
    for (int bar = 0; bar < 20000; ++bar) {
        const simkit_node node = (simkit_node)random_between(&dice, 1, 20);
        const int kind = (int)random_between(&dice, 0, 3);
        const uint32_t lane = (uint32_t)random_between(&dice, 0, 10);
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
        assert_int_equal(simkit__layout_row(&layout, node, (simkit__row_kind)kind, lane, begin, end), row);
    }
    assert_true(rows > 600);
    assert_false(layout.no_memory);
    simkit__layout_free(&layout);
}

/* The index finds exactly its elements, while elements are added and removed. */
static void an_index_finds_what_is_there(void **state)
{
    enum { THINGS = 3000 };
    static bool there[THINGS];
    uint64_t dice = 5;
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

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, open_pair, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(everything_is_seen_in_order),
        PAIR_TEST(masks_choose_what_is_seen),
        PAIR_TEST(a_fingerprint_tells_runs_apart),
        PAIR_TEST(a_fingerprint_counts_what_is_received),
        PAIR_TEST(only_what_happens_is_in_a_fingerprint),
        cmocka_unit_test(the_checkers_refuse),
        PAIR_TEST(a_diagram_is_svg_with_every_bar),
        PAIR_TEST(an_empty_diagram_is_svg),
        PAIR_TEST(transfers_at_once_are_one_row),
        PAIR_TEST(names_have_shades_of_their_own),
        PAIR_TEST(a_bar_is_as_high_as_its_share),
        PAIR_TEST(many_nodes_have_few_rows),
        PAIR_TEST(transfers_that_take_no_time_are_drawn),
        PAIR_TEST(a_path_without_a_known_ending_is_refused),
        PAIR_TEST(a_trace_is_json_with_every_event),
        PAIR_TEST(a_trace_for_paje_is_in_order),
        PAIR_TEST(a_trace_for_paje_begins_in_the_middle),
        PAIR_TEST(a_trace_can_be_a_table),
        PAIR_TEST(any_name_is_written_as_text),
        cmocka_unit_test(any_length_is_drawn),
        PAIR_TEST(rows_are_those_of_a_plain_search),
        PAIR_TEST(an_index_finds_what_is_there),
        PAIR_TEST(what_is_there_stays_what_it_is),
        PAIR_TEST(a_killed_run_leaves_nothing),
        PAIR_TEST(a_file_stays_in_its_folder),
        PAIR_TEST(two_runs_do_not_share_a_file),
        PAIR_TEST(a_name_may_be_as_long_as_names_are),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
