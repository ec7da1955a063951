/* Rooms watch, gantt and trace of simkit.h: what is observed, and that what is written is what it claims to be. */
#define _DEFAULT_SOURCE /* mkdtemp, mknod */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "close.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static simkit_world *world;
static simkit_node a, b;

static int open_world(void **state)
{
    const simkit_node_desc desc = { .name = "<a> & \"b\"", .up = { 0.5, 1e-6 }, .down = { 0, 1e-6 } };
    (void)state;
    return simkit_world_open(NULL, &world) != SIMKIT_OK || simkit_node_add(world, &desc, &a) != SIMKIT_OK ||
           simkit_node_add(world, &(simkit_node_desc){ .down = { 0, 1e-6 } }, &b) != SIMKIT_OK;
}

static int close_world(void **state)
{
    (void)state;
    simkit_world_close(world);
    world = NULL;
    return 0;
}

/* The work that all tests look at. */
static void computes(simkit_world *w, void *user)
{
    (void)user;
    simkit_process_wait(w, 1);
    simkit_process_compute(w, &(simkit_compute_desc){ .seconds = 2, .name = "x < y & \"z\"\\\n", .lane = "lane 1" });
}

static void start_work(void)
{
    assert_int_equal(simkit_compute_start(
                         world, &(simkit_compute_desc){ .node = a, .seconds = 1, .name = "first", .lane = "lane 0" }),
                     SIMKIT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            simkit_transfer_start(
                world,
                &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1e6, .in_order = true, .name = "message" }),
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

/* What happens in a world of its own: two steps of one instant in an order, and a computation. */
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
    simkit_compute_start(w, &(simkit_compute_desc){ .node = node, .seconds = seconds });
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
    assert_true(fingerprint_of(false, 2, SIMKIT_WATCH_ALL) == one); /* the watcher goes before all has happened */
    assert_true(fingerprint_of(true, 2, 0) != one);
    assert_true(fingerprint_of(false, nextafter(2, 3), 0) != one);
}

static void hear(simkit_world *w, void *user, const simkit_message *message)
{
    (void)w;
    *(double *)user = message ? message->bytes : -1;
}

/* Who gets which message is an event though no watcher sees it. */
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
        assert_int_equal(simkit_mailbox_post(world, &(simkit_post_desc){ .from = a, .to = box, .bytes = 3 }),
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
    const simkit_watch_event told = { .kind = SIMKIT_WATCH_COMPUTE, .phase = SIMKIT_WATCH_END, .node = a };
    assert_int_equal(simkit_watch_tell(world, &told), SIMKIT_OK);
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
    strcpy(directory, "/tmp/test_drawing.XXXXXX");
    return mkdtemp(directory) == NULL;
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

/* A whole file, and then it is gone. */
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
        for (int i = 0; i < more; i++) {
            if ((*++at & 0xC0) != 0x80) return false;
            code = code * 64 + (*at & 0x3F);
        }
        at++;
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
            for (int i = 0; i < 4; i++) found = found || strncmp(at, known[i], strlen(known[i])) == 0;
            if (!found) return false;
            at++;
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
                    at++;
                    continue;
                }
                while (*at && *at != '=' && *at != '>' && *at != '<') at++;
                if (*at++ != '=' || *at++ != '"') return false;
                while (*at && *at != '"' && *at != '<') at++;
                if (*at++ != '"') return false;
            }
            if (*at == '/') {
                at++;
            } else {
                if (depth == 32) return false;
                if (depth == 0) roots++;
                strcpy(open[depth++], name);
            }
            if (*at++ != '>') return false;
        } else {
            if (depth == 0 && *at != '\n') return false;
            at++;
        }
    }
    return depth == 0 && roots == 1;
}

/* JSON (RFC 8259): gives where a value ends, or NULL. */
static const char *json_blanks(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') at++;
    return at;
}

static const char *json_string(const char *at)
{
    if (*at++ != '"') return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ') return NULL;
        if (*at == '\\') {
            at++;
            if (*at == 'u') {
                for (int i = 1; i <= 4; i++)
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
    if (*at == '-') at++;
    digits = at;
    while (*at >= '0' && *at <= '9') at++;
    if (at == digits || (*digits == '0' && at > digits + 1)) return NULL;
    if (*at == '.') {
        digits = ++at;
        while (*at >= '0' && *at <= '9') at++;
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
    for (; (text = strstr(text, part)) != NULL; text++) count++;
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

static void a_diagram_is_svg_with_every_bar(void **state)
{
    simkit_gantt *gantt;
    char *text;
    (void)state;
    assert_int_equal(simkit_gantt_open(world, &gantt), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_gantt_write(gantt, "A <title> & more", place("x.svg")), SIMKIT_OK);
    text = take(place("x.svg"));
    assert_true(xml_is_well_formed(text));
    assert_non_null(strstr(text, "A &lt;title"));
    assert_non_null(strstr(text, "&lt;a&gt; &amp; &quot;b&quot;: lane 0"));
    assert_int_equal(occurrences(text, "<title>first, 0.000000 to "), 1);
    assert_int_equal(occurrences(text, "<title>message to node 2, 1000000 B, 0.000000 to 1.500000 s"), 1);
    assert_int_equal(occurrences(text, "<title>message from "), 2);
    free(text);
    assert_int_equal(simkit_gantt_write(gantt, NULL, place("none/x.svg")), SIMKIT_NO_FILE);
    assert_non_null(strstr(simkit_world_why(world), "cannot write '/tmp/test_drawing."));
    assert_int_equal(simkit_gantt_write(gantt, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_gantt_write(NULL, NULL, place("x.svg")), SIMKIT_BAD_ARGUMENT);
    simkit_gantt_close(gantt);
    simkit_gantt_close(NULL);
}

/* Files that this process has open. */
static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) return 0; /* not Linux */
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static void no_file_stays_open(void **state)
{
    static const char *const files[] = { "x.json", "x.paje", "x.csv", "none/x.csv" };
    simkit_gantt *gantt;
    simkit_trace *trace;
    const int before = open_files();
    (void)state;
    assert_int_equal(simkit_gantt_open(world, &gantt), SIMKIT_OK);
    for (int i = 0; i < 4; i++) {
        const bool there = i < 3;
        assert_int_equal(simkit_trace_open(world, place(files[i]), &trace), there ? SIMKIT_OK : SIMKIT_NO_FILE);
        start_work();
        assert_int_equal(simkit_world_run(world), SIMKIT_OK);
        if (there) assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
        assert_int_equal(simkit_gantt_write(gantt, NULL, place(there ? files[i] : "none/x.svg")), there ? SIMKIT_OK : SIMKIT_NO_FILE);
        if (there) assert_int_equal(remove(place(files[i])), 0);
        assert_int_equal(open_files(), before);
    }
    simkit_gantt_close(gantt);
}

static void an_empty_diagram_is_svg(void **state)
{
    simkit_gantt *gantt;
    char *text;
    (void)state;
    assert_int_equal(simkit_gantt_open(world, &gantt), SIMKIT_OK);
    assert_int_equal(simkit_gantt_write(gantt, NULL, place("empty.svg")), SIMKIT_OK);
    text = take(place("empty.svg"));
    assert_true(xml_is_well_formed(text));
    free(text);
    simkit_gantt_close(gantt);
    assert_int_equal(simkit_gantt_open(NULL, &gantt), SIMKIT_BAD_ARGUMENT);
    assert_null(gantt);
    assert_int_equal(simkit_gantt_open(world, NULL), SIMKIT_BAD_ARGUMENT);
}

static void a_trace_is_json_with_every_event(void **state)
{
    simkit_trace *trace;
    char *text;
    (void)state;
    assert_int_equal(simkit_trace_open(world, place("x.json"), &trace), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(access(place("x.json"), F_OK), -1); /* not before it is whole */
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    text = take(place("x.json"));
    assert_true(json_is_valid(text));
    assert_int_equal(occurrences(text, "\"first\""), 1);
    assert_non_null(strstr(text, "x < y & \\\"z\\\"\\\\"));
    assert_true(occurrences(text, "\"message\"") >= 2);
    free(text);
    assert_int_equal(simkit_trace_open(world, place("none/x.json"), &trace), SIMKIT_NO_FILE);
    assert_null(trace);
    assert_int_equal(simkit_trace_open(world, NULL, &trace), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_trace_close(NULL), SIMKIT_OK);
}

/* In Paje's form times do not go back, states are pushed and popped by turns, and links end that began. */
static void a_trace_for_paje_is_in_order(void **state)
{
    simkit_trace *trace;
    double last = 0;
    int pushed = 0, popped = 0, begun = 0, ended = 0, definitions = 0, containers = 0;
    bool node[10] = { false }, row[200] = { false },
         busy[200] = { false }; /* containers, and whether a state is pushed */
    (void)state;
    assert_int_equal(simkit_trace_open(world, place("x.paje"), &trace), SIMKIT_OK);
    start_work();
    for (int i = 0; i < 100; i++) { /* many at once, which end in another order than they began */
        const simkit_compute_desc work = { .node = b, .seconds = 1 + i * 37 % 100, .lane = i % 2 ? "odd" : "even" };
        assert_int_equal(simkit_compute_start(world, &work), SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("x.paje"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int event, at;
        double time;
        unsigned what, in;
        if (strncmp(line, "%EventDef", 9) == 0) definitions++;
        if (line[0] == '%' || sscanf(line, "%d %lf%n", &event, &time, &at) != 2 || event < 3) continue;
        const char *rest =
            line + at; /* nothing happens in a container that has not been made, and none is made twice */
        if (event == 3 && sscanf(rest, " R%u CL N%u", &what, &in) == 2) {
            assert_true(what < 200 && in < 10 && node[in] && !row[what]);
            row[what] = true;
        } else if (event == 3 && sscanf(rest, " N%u CN W", &what) == 1) {
            assert_true(what < 10 && !node[what]);
            node[what] = true;
            containers++;
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

/* What began before the trace is not in it, and neither is what a node sends itself. */
static void a_trace_for_paje_begins_in_the_middle(void **state)
{
    simkit_trace *trace;
    const simkit_compute_desc before = { .node = b, .seconds = 1, .name = "before" }, after = { .node = b, .seconds = 3 };
    (void)state;
    assert_int_equal(simkit_compute_start(world, &before), SIMKIT_OK);
    assert_int_equal(simkit_transfer_model(world, b, b, &(netmodel_link){ 0.5, 1e-6 }), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 0.25), SIMKIT_OK);
    assert_int_equal(simkit_trace_open(world, place("x.trace"), &trace), SIMKIT_OK);
    assert_int_equal(simkit_compute_start(world, &after), SIMKIT_OK);
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = b, .to = b, .bytes = 1e6 }), SIMKIT_OK);
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
    simkit_mistake mistake;
    (void)state;
    assert_int_equal(simkit_trace_open(world, place("x.csv"), &trace), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    if (simkit_table_load(place("x.csv"), NULL, &table, &mistake) != SIMKIT_OK) fail_msg("%s", mistake.text);
    assert_int_equal(simkit_table_columns(table), 8);
    assert_true(simkit_table_rows(table) >= 3);
    const double *begin = simkit_table_numbers(table, simkit_table_find(table, "begin"));
    const double *end = simkit_table_numbers(table, simkit_table_find(table, "end"));
    assert_true(begin && end);
    for (size_t i = 0; i < simkit_table_rows(table); i++) assert_true(begin[i] <= end[i]);
    assert_string_equal(simkit_table_unit(table, simkit_table_find(table, "bytes")), "B");
    simkit_table_close(table);
    free(take(place("x.csv")));
}

/* Names are bytes; what is written is text all the same, in every form. */
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
    simkit_gantt *gantt;
    simkit_trace *trace[3];
    simkit_node node[ODD_NAMES];
    char *text;

    (void)state;
    assert_int_equal(simkit_gantt_open(world, &gantt), SIMKIT_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(simkit_trace_open(world, place(files[i]), &trace[i]), SIMKIT_OK);
    for (int i = 0; i < ODD_NAMES; i++)
        assert_int_equal(simkit_node_add(world, &(simkit_node_desc){ .name = odd_names[i] }, &node[i]), SIMKIT_OK);
    for (int i = 0; i < ODD_NAMES; i++) {
        const simkit_transfer_desc message = {
            .from = node[i], .to = node[(i + 1) % ODD_NAMES], .bytes = 1, .name = odd_names[i]
        };
        const simkit_compute_desc work = { .node = node[i], .seconds = 1, .name = odd_names[i], .lane = odd_names[i] };
        assert_int_equal(simkit_compute_start(world, &work), SIMKIT_OK);
        assert_int_equal(simkit_transfer_start(world, &message), SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(simkit_trace_close(trace[i]), SIMKIT_OK);
        text = take(place(files[i]));
        assert_true(i == 0 ? json_is_valid(text) : is_text(text));
        assert_non_null(strstr(text, "\xEF\xBF\xBD ber"));
        assert_non_null(strstr(text, "\xF0\x9F\x98\x80 \xE2\x82\xAC \xC3\xBC")); /* what is right stays */
        free(text);
    }
    for (int i = 0; i < ODD_NAMES; i++) {
        assert_int_equal(simkit_gantt_write(gantt, odd_names[i], place("x.svg")), SIMKIT_OK);
        text = take(place("x.svg"));
        assert_true(xml_is_well_formed(text));
        assert_non_null(strstr(text, "\xEF\xBF\xBD ber: \xEF\xBF\xBD ber"));
        assert_non_null(strstr(text, "56789: ")); /* cut before the character that has no room */
        assert_non_null(strstr(text, "5678: "));
        free(text);
    }
    simkit_gantt_close(gantt);
}

/* What an attribute of an element says, as a number. */
static double attribute(const char *element, const char *name)
{
    char key[32];
    double value;
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(element, key);
    assert_true(at != NULL && at < strchr(element, '>')); /* in this element */
    assert_int_equal(sscanf(at + strlen(key), "%lf\"", &value), 1);
    return value;
}

/* A bar begins and ends where the axis has these times, labels stand beside their rows, and rows do not overlap. */
static void a_diagram_is_to_scale(void **state)
{
    enum { BARS = 8 };
    simkit_gantt *gantt;
    double tick[64], where[64], top[BARS], height[BARS], bottom = 0;
    char fill[BARS][16], kind[BARS];
    int ticks = 0, bars = 0, labels = 0, patches = 0;
    (void)state;
    assert_int_equal(simkit_gantt_open(world, &gantt), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1e6 }),
                     SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    const double end = simkit_clock_now(world);
    assert_int_equal(simkit_gantt_write(gantt, "title", place("x.svg")), SIMKIT_OK);
    simkit_gantt_close(gantt);
    char *text = take(place("x.svg"));
    const double wide = attribute(text, "width"), high = attribute(text, "height");
    for (const char *at = text; (at = strstr(at, "<text ")); at++) {
        double seconds;
        char unit[4];
        if (strstr(at, "\"middle\"") && strstr(at, "\"middle\"") < strchr(at, '>')) {
            assert_true(ticks < 64);
            assert_int_equal(sscanf(strchr(at, '>'), ">%lf %3[s]</text>", &seconds, unit), 2);
            tick[ticks] = seconds;
            where[ticks++] = attribute(at, "x");
        }
        assert_true(attribute(at, "x") > 0 && attribute(at, "x") < wide);
        assert_true(attribute(at, "y") > 10 && attribute(at, "y") < high);
    }
    assert_true(ticks >= 8 && ticks <= 21);
    const double scale = (where[ticks - 1] - where[0]) / (tick[ticks - 1] - tick[0]);
    assert_true(tick[0] == 0 && scale > 0 && where[0] + end * scale < wide);
    for (int i = 0; i < ticks; i++) assert_true(fabs(where[0] + tick[i] * scale - where[i]) < 0.11);

    for (const char *at = text; (at = strstr(at, "<rect ")); at++) {
        double from, to;
        const double x = attribute(at, "x"), width = attribute(at, "width");
        assert_true(x >= 0 && width > 0 && x + width <= wide + 0.01);
        assert_true(attribute(at, "y") >= 0 && attribute(at, "height") > 0 &&
                    attribute(at, "y") + attribute(at, "height") <= high);
        const char *title = strchr(at, '>') + 1, *more = strstr(title, "</title>");
        if (strncmp(title, "<title>", 7) != 0) continue;
        while (more[-1] != ',') more--; /* names may contain commas; the times come last */
        assert_int_equal(sscanf(more, " %lf to %lf s</title>", &from, &to), 2);
        assert_true(bars < BARS);
        assert_true(fabs(x - where[0] - from * scale) < 0.11 && fabs(width - (to - from) * scale) < 0.11);
        top[bars] = attribute(at, "y");
        height[bars] = attribute(at, "height");
        kind[bars] = strstr(title, " to node") && strstr(title, " to node") < more       ? 's'
                     : strstr(title, " from &lt;") && strstr(title, " from &lt;") < more ? 'r'
                                                                                         : 'c';
        assert_int_equal(sscanf(strstr(at, "fill=\""), "fill=\"%15[#0-9a-f]\"", fill[bars]), 1);
        assert_true((strstr(at, "fill-opacity") && strstr(at, "fill-opacity") < title) == (kind[bars] != 'c'));
        if (top[bars] + height[bars] > bottom) bottom = top[bars] + height[bars];
        bars++;
    }
    assert_int_equal(bars, 8); /* two computations, three messages at both ends */
    for (int i = 0; i < bars; i++) {
        int beside = 0;
        for (int k = 0; k < bars; k++) {
            assert_true(top[i] == top[k] || top[i] + height[i] < top[k] || top[k] + height[k] < top[i]);
            if (top[i] == top[k]) assert_true(kind[i] == kind[k] && height[i] == height[k]);
            if (kind[i] == 'c' && kind[k] == 's') assert_true(top[i] < top[k]);
            if (kind[i] == 's' && kind[k] == 'r') assert_true(top[i] < top[k]); /* the first node, then the second */
        }
        for (const char *at = text; (at = strstr(at, "<text ")); at++)
            if (strstr(at, "\"end\"") && strstr(at, "\"end\"") < strchr(at, '>')) {
                const double y = attribute(at, "y");
                assert_true(attribute(at, "x") < where[0] && attribute(at, "x") > where[0] - 20);
                beside += y > top[i] && y < top[i] + height[i];
                labels += i == 0;
            }
        assert_true(beside == 1 || (beside == 0 && height[i] < 6)); /* a group's further rows are thin and have none */
    }
    assert_int_equal(labels, 4);
    for (const char *at = strstr(text, "<rect ");
         (at = strstr(at + 1, "<rect "));) { /* the colours and what they mean */
        const char *name = strstr(at, "\n<text ");
        if (attribute(at, "width") != 10 || !name || name != strchr(at, '\n')) continue;
        assert_true(attribute(at, "y") > bottom);
        assert_true(attribute(at, "x") + 10 < attribute(name, "x") && attribute(name, "y") > attribute(at, "y") &&
                    attribute(name, "y") < attribute(at, "y") + 10);
        patches++;
    }
    assert_int_equal(patches, 3); /* the third message has no name */
    free(text);
}

/* Steps are 1, 2 or 5 times a power of ten, the largest of which there are eight at least; their labels have the digits that
 * tell them apart. */
static void an_axis_has_round_steps(void **state)
{
    static const struct {
        double length, step;
        int decimals, labels;
    } axes[] = { { 8.5, 1, 0, 9 }, { 3.5, 0.2, 1, 18 }, { 6.1, 0.5, 1, 13 }, { 16.5, 2, 0, 9 } };
    (void)state;
    for (int power = 0; power >= -11; power--)
        for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
            simkit_world *own;
            simkit_gantt *gantt;
            simkit_node node;
            int labels = 0;
            assert_int_equal(simkit_world_open(NULL, &own), SIMKIT_OK);
            assert_int_equal(simkit_node_add(own, NULL, &node), SIMKIT_OK);
            assert_int_equal(simkit_gantt_open(own, &gantt), SIMKIT_OK);
            const simkit_compute_desc work = { .node = node, .seconds = axes[k].length * pow(10, power), .name = "work" };
            assert_int_equal(simkit_compute_start(own, &work), SIMKIT_OK);
            assert_int_equal(simkit_world_run(own), SIMKIT_OK);
            assert_int_equal(simkit_gantt_write(gantt, NULL, place("axis.svg")), SIMKIT_OK);
            char *text = take(place("axis.svg"));
            for (const char *at = text; (at = strstr(at, "\"middle\"")); at++) {
                char expected[64], label[64];
                snprintf(expected, sizeof expected, "%.*f s", axes[k].decimals - power, labels * axes[k].step * pow(10, power));
                assert_int_equal(sscanf(strchr(at, '>'), ">%63[^<]", label), 1);
                assert_string_equal(label, expected);
                labels++;
            }
            assert_int_equal(labels, axes[k].labels);
            free(text);
            simkit_gantt_close(gantt);
            simkit_world_close(own);
        }
}

/* Names that need more than a line of the legend go on below, and the picture grows. */
static void a_long_legend_has_lines(void **state)
{
    simkit_gantt *gantt;
    double y = 0, x = 0, lines = 1;
    (void)state;
    assert_int_equal(simkit_gantt_open(world, &gantt), SIMKIT_OK);
    char name[30][32]; /* borrowed until the computations are done */
    for (int i = 0; i < 30; i++) {
        snprintf(name[i], sizeof name[i], "computation number %d", i);
        const simkit_compute_desc work = { .node = a, .seconds = 1, .name = name[i] };
        assert_int_equal(simkit_compute_start(world, &work), SIMKIT_OK);
    }
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_gantt_write(gantt, NULL, place("x.svg")), SIMKIT_OK);
    simkit_gantt_close(gantt);
    char *text = take(place("x.svg"));
    const double wide = attribute(text, "width"), high = attribute(text, "height");
    for (int i = 0; i < 30; i++) {
        char item[48];
        snprintf(item, sizeof item, ">%s</text>", name[i]);
        const char *at = strstr(text, item);
        assert_non_null(at);
        while (*at != '<') at--;
        const double letters = 6.5 * (double)strlen(name[i]);
        if (i > 0 && attribute(at, "y") != y) {
            assert_true(attribute(at, "y") >= y + 11); /* letters are 11 high */
            lines++;
        } else if (i > 0) {
            assert_true(attribute(at, "x") >= x);
        }
        y = attribute(at, "y");
        x = attribute(at, "x") + letters;
        assert_true(x <= wide && y < high);
    }
    assert_true(lines >= 4 && lines <= 8);
    free(text);
}

/* Every byte of a table and of a trace for Paje, as its definition has it for this work. */
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
        "{\"ph\":\"X\",\"name\":\"message\",\"cat\":\"transfer\",\"pid\":1,\"tid\":2,\"ts\":1500000.000,\"dur\":"
        "1500000.000,"
        "\"args\":{\"to\":\"node 2\",\"bytes\":1000000}},\n"
        "{\"ph\":\"X\",\"name\":\"message\",\"cat\":\"transfer\",\"pid\":2,\"tid\":3,\"ts\":1500000.000,\"dur\":"
        "1500000.000,"
        "\"args\":{\"from\":\"<a> & \\\"b\\\"\",\"bytes\":1000000}}\n]}\n",
    };
    simkit_trace *trace[3];
    (void)state;
    for (int i = 0; i < 3; i++) assert_int_equal(simkit_trace_open(world, place(files[i]), &trace[i]), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(simkit_trace_close(trace[i]), SIMKIT_OK);
        char *text = take(place(files[i]));
        const char *tail = i == 0 ? text : strstr(text, expected[i]);
        assert_non_null(tail);
        assert_string_equal(tail, expected[i]);
        if (i == 1) /* a definition names the fields in the order of the lines, the key of a link last */
            for (int link = 0; link < 2; link++)
                assert_non_null(
                    strstr(text, link ? "%EventDef PajeEndLink 7\n% Time date\n% Type string\n% Container string\n"
                                        "% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n"
                                      : "%EventDef PajeStartLink 6\n% Time date\n% Type string\n"
                                        "% Container string\n% StartContainer string\n% Value string\n"
                                        "% Key string\n%EndEventDef\n"));
        if (i == 1) assert_int_equal(occurrences(text, "% Key string\n"), 2);
        if (i == 2) {
            assert_int_equal(occurrences(text, "\"name\":\"thread_name\""), 4); /* each row once */
            assert_non_null(strstr(
                text, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":3,\"args\":{\"name\":\"receives\"}}"));
            assert_int_equal(occurrences(text, "\"ph\":\"X\""), 6);
        }
        free(text);
    }
}

/* The edges of UTF-8's lengths: what is the first or the last of its length is shown, what is beside it is not. */
static void every_length_of_a_character_is_shown(void **state)
{
    static const char *const shown[] = { "\x7F",         "\xC2\x80",         "\xDF\xBF",
                                         "\xE0\xA0\x80", "\xED\x9F\xBF",     "\xEE\x80\x80",
                                         "\xEF\xBF\xBD", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF" };
    static const char *const not_shown[] = {
        "\x80", "\xBF", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80\x80"
    };
    (void)state;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_int_equal(simkit__character(shown[i]), strlen(shown[i]));
    for (size_t i = 0; i < sizeof not_shown / sizeof *not_shown; i++)
        assert_int_equal(simkit__character(not_shown[i]), 0);
}

/* From the shortest time that there is to the longest: an end, and numbers. */
static void any_length_is_drawn(void **state)
{
    static const double ends[] = { 5e-324, 1e-322, 1e-310, 3e-301, 1e-300, 1e-13, 1, 86399, 1e20, 1e301, 1e303, 1e307 };
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        simkit_world *own;
        simkit_gantt *gantt;
        simkit_trace *trace;
        simkit_node node;
        char *text;
        assert_int_equal(simkit_world_open(NULL, &own), SIMKIT_OK);
        assert_int_equal(simkit_node_add(own, NULL, &node), SIMKIT_OK);
        assert_int_equal(simkit_gantt_open(own, &gantt), SIMKIT_OK);
        assert_int_equal(simkit_trace_open(own, place("long.json"), &trace), SIMKIT_OK);
        const simkit_compute_desc work = { .node = node, .seconds = ends[i], .name = "work" };
        assert_int_equal(simkit_compute_start(own, &work), SIMKIT_OK);
        assert_int_equal(simkit_world_run(own), SIMKIT_OK);
        assert_true(simkit_clock_now(own) > 0);
        assert_int_equal(simkit_gantt_write(gantt, NULL, place("long.svg")), SIMKIT_OK);
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
        simkit_gantt_close(gantt);
        simkit_world_close(own);
    }
}

/* Bars lie in the rows in which a search through all rows would put them. */
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
    for (int bar = 0; bar < 20000; bar++) {
        const simkit_node node = (simkit_node)random_between(&dice, 1, 20);
        const int kind = (int)random_between(&dice, 0, 3);
        const uint32_t lane = (uint32_t)random_between(&dice, 0, 10);
        const double begin = floor(random_between(&dice, 0, 10) + bar / 1000),
                     end = begin + floor(random_between(&dice, 0, 4));
        uint32_t row = 0;
        while (row < rows && !(plain[row].node == node && plain[row].kind == kind && plain[row].lane == lane &&
                               plain[row].end <= begin))
            row++;
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

/* The index finds what is in it, and only that, while things come and go. */
static void an_index_finds_what_is_there(void **state)
{
    enum { THINGS = 3000 };
    static bool there[THINGS];
    uint64_t dice = 5;
    int held = 0;
    simkit__index index;

    (void)state;
    memset(&index, 0, sizeof index);
    for (int step = 0; step < 100000; step++) {
        const uint32_t thing = (uint32_t)random_between(&dice, 0, step < 50000 ? THINGS : 40);
        const uint32_t hash = thing % 5 ? simkit__hash_number(thing) : thing % 100; /* some have one hash */
        uint32_t found;
        size_t at = hash;
        while ((found = simkit__index_next(&index, hash, &at)) != SIMKIT__NONE && found != thing) {
        }
        assert_int_equal(found == thing, there[thing]);
        if (there[thing]) {
            simkit__index_drop(&index, hash, thing);
        } else {
            assert_true(simkit__index_reserve(world, &index));
            simkit__index_put(&index, hash, thing);
        }
        there[thing] = !there[thing];
        held += there[thing] ? 1 : -1;
        assert_int_equal(index.used, held);
    }
    simkit__index_free(world, &index);
}

/* A picture at a path: of nothing, but whole. */
static simkit_result draw(const char *path)
{
    simkit_gantt *gantt;
    assert_int_equal(simkit_gantt_open(world, &gantt), SIMKIT_OK);
    const simkit_result result = simkit_gantt_write(gantt, NULL, path);
    simkit_gantt_close(gantt);
    return result;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A device of Linux: root, who could replace the system's own if the code under test were wrong, gets one in the folder. */
static const char *device(char path[128], const char *name, unsigned number)
{
    FILE *file;

    snprintf(path, 128, "%s/%s", directory, name);
    if (mknod(path, S_IFCHR | 0600, makedev(1, number)) == 0) {
        file = fopen(path, "w"); /* a folder may forbid devices */
        if (file) {
            fclose(file);
            return path;
        }
        remove(path);
    }
    snprintf(path, 128, "/dev/%s", name);
    return path;
}

static void drop_device(const char *path)
{
    if (strncmp(path, "/dev/", 5) != 0) assert_int_equal(remove(path), 0);
}

/* What lies at the path of a file decides how it is written: a file is replaced, all else stays what it is. */
static void what_is_there_stays_what_it_is(void **state)
{
    struct stat what;
    char link[128], target[128], *text;

    (void)state;
    strcpy(link, place("link.svg"));
    strcpy(target, place("target"));
    for (int dangling = 0; dangling < 2; dangling++) { /* through a link, to a file and to none yet */
        if (!dangling) write_text(target, "old");
        assert_int_equal(symlink("target", link), 0);
        assert_int_equal(draw(link), SIMKIT_OK);
        assert_int_equal(lstat(link, &what), 0);
        assert_true(S_ISLNK(what.st_mode));
        text = take(target);
        assert_true(xml_is_well_formed(text));
        free(text);
        assert_int_equal(remove(link), 0);
    }
    write_text(target, "old"); /* a file is replaced: what has it open keeps what it has */
    FILE *before = fopen(target, "rb");
    assert_non_null(before);
    assert_int_equal(draw(target), SIMKIT_OK);
    assert_int_equal(fgetc(before), 'o');
    fclose(before);
    free(take(target));
    assert_int_equal(mkdir(target, 0700), 0); /* a folder is none that can be written */
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

    device(target, "null", 3);
    assert_int_equal(draw(target), SIMKIT_OK);
    assert_int_equal(stat(target, &what), 0);
    assert_true(S_ISCHR(what.st_mode));
    drop_device(target);
    device(target, "full", 7);
    if (stat(target, &what) == 0) { /* of Linux: a device that is full */
        simkit_trace *trace;
        snprintf(link, sizeof link, "cannot write '%.100s'", target);
        assert_int_equal(draw(target), SIMKIT_NO_FILE);
        assert_non_null(strstr(simkit_world_why(world), link));
        assert_int_equal(simkit_trace_open(world, target, &trace), SIMKIT_OK);
        assert_int_equal(simkit_trace_close(trace), SIMKIT_NO_FILE);
        assert_int_equal(stat(target, &what), 0);
        assert_true(S_ISCHR(what.st_mode));
        drop_device(target);
    }
}

/* A run that is killed leaves nothing, where files can be without a name; and a path without a folder is one. */
static void a_killed_run_leaves_nothing(void **state)
{
    char text[2] = "";
    int ready[2];

    (void)state;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        simkit_trace *trace;
        const bool fine = chdir(directory) == 0 && simkit_trace_open(world, "killed.json", &trace) == SIMKIT_OK;
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
    for (const struct dirent *entry; (entry = readdir(left)) != NULL;)
        if (entry->d_name[0] != '.') {
            assert_int_equal(text[0], 'n');
            remove(place(entry->d_name));
        }
    closedir(left);
}

/* A program may go elsewhere while a trace is open: the file appears where it was opened. */
static void a_file_stays_in_its_folder(void **state)
{
    simkit_trace *trace;
    char before[1000];

    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    assert_int_equal(simkit_trace_open(world, "here.json", &trace), SIMKIT_OK);
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

/* Two runs write to one path at once: each its own file, and the last that ends stays. */
static void two_runs_do_not_share_a_file(void **state)
{
    simkit_trace *trace[2];
    simkit_world *other;
    char *text;

    (void)state;
    assert_int_equal(simkit_world_open(NULL, &other), SIMKIT_OK);
    assert_int_equal(simkit_trace_open(world, place("x.json"), &trace[0]), SIMKIT_OK);
    assert_int_equal(simkit_trace_open(other, place("x.json"), &trace[1]), SIMKIT_OK);
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

/* What is written has another name at first, which must not be too long where the file's own is not. */
static void a_name_may_be_as_long_as_names_are(void **state)
{
    char name[256], *text;
    simkit_trace *trace;

    (void)state;
    memset(name, 'n', sizeof name);
    memcpy(name + sizeof name - sizeof ".json", ".json", sizeof ".json");
    assert_int_equal(simkit_trace_open(world, place(name), &trace), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    text = take(place(name));
    assert_true(json_is_valid(text));
    free(text);
}

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(no_file_stays_open),
        WORLD_TEST(everything_is_seen_in_order),
        WORLD_TEST(masks_choose_what_is_seen),
        WORLD_TEST(a_fingerprint_tells_runs_apart),
        WORLD_TEST(a_fingerprint_counts_what_is_received),
        WORLD_TEST(only_what_happens_is_in_a_fingerprint),
        cmocka_unit_test(the_checkers_refuse),
        WORLD_TEST(a_diagram_is_svg_with_every_bar),
        WORLD_TEST(an_empty_diagram_is_svg),
        WORLD_TEST(a_trace_is_json_with_every_event),
        WORLD_TEST(a_trace_for_paje_is_in_order),
        WORLD_TEST(a_trace_for_paje_begins_in_the_middle),
        WORLD_TEST(a_trace_can_be_a_table),
        WORLD_TEST(any_name_is_written_as_text),
        WORLD_TEST(a_diagram_is_to_scale),
        cmocka_unit_test(an_axis_has_round_steps),
        WORLD_TEST(a_long_legend_has_lines),
        WORLD_TEST(what_is_written_is_what_happened),
        cmocka_unit_test(every_length_of_a_character_is_shown),
        cmocka_unit_test(any_length_is_drawn),
        WORLD_TEST(rows_are_those_of_a_plain_search),
        WORLD_TEST(an_index_finds_what_is_there),
        WORLD_TEST(what_is_there_stays_what_it_is),
        WORLD_TEST(a_killed_run_leaves_nothing),
        WORLD_TEST(a_file_stays_in_its_folder),
        WORLD_TEST(two_runs_do_not_share_a_file),
        WORLD_TEST(a_name_may_be_as_long_as_names_are),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
