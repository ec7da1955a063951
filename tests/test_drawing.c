/* Rooms watch, gantt and trace of simkit.h: what is observed, and that what is written is what it claims to be. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "close.h"

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
    static char path[128];
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

/* Well-formed XML, as far as a drawing needs it: tags nest, attributes are quoted, entities are known. */
static bool xml_is_well_formed(const char *at)
{
    char open[32][32];
    int depth = 0, roots = 0;

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
    return end && *json_blanks(end) == 0;
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
    assert_non_null(strstr(text, "&lt;a> &amp; &quot;b&quot;: lane 0"));
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
    int pushed = 0, popped = 0, begun = 0, ended = 0, definitions = 0;
    (void)state;
    assert_int_equal(simkit_trace_open(world, place("x.paje"), &trace), SIMKIT_OK);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace), SIMKIT_OK);
    char *text = take(place("x.paje"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int event;
        double time;
        if (strncmp(line, "%EventDef", 9) == 0) definitions++;
        if (line[0] == '%' || sscanf(line, "%d %lf", &event, &time) != 2 || event < 3) continue;
        assert_true(time >= last);
        last = time;
        pushed += event == 4;
        popped += event == 5;
        begun += event == 6;
        ended += event == 7;
        assert_true(popped <= pushed && ended <= begun);
    }
    assert_int_equal(definitions, 9);
    assert_true(pushed >= 2 && pushed == popped);
    assert_true(begun >= 1 && begun == ended);
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

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        WORLD_TEST(a_trace_can_be_a_table),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
