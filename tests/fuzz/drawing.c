/* Traces of any run, with any names, sizes and times: the SVG is read by libxml2, the JSON by json-c, the table by
 * simkit_table_read(), and Paje's format by a reader of its rules. Files lie in memory, behind links. */
/* libraries: -lxml2 -ljson-c */
#define _GNU_SOURCE
#include "simkit.h"
#include "util/simkit_files.h"
#include "util/simkit_trace.h"

#include "fuzz.h"

#include <json-c/json.h>
#include <libxml/parser.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SVG, JSON, PAJE, CSV, FILES, FIRST_FD = 100, MOST_NAMES = 4000, MOST_NODES = 20 };
static const char *const endings[FILES] = { "svg", "json", "paje", "csv" };
static char paths[FILES][128];

static void make_files(void)
{
    const char *build = getenv("BUILD");
    for (int i = 0; i < FILES; ++i) {
        char target[32];
        const int file = memfd_create(endings[i], 0);
        CHECK(file >= 0 && dup2(file, FIRST_FD + i) == FIRST_FD + i);
        close(file);
        snprintf(target, sizeof target, "/proc/self/fd/%d", FIRST_FD + i);
        snprintf(paths[i], sizeof paths[i], "%s/fuzz/drawing.%s", build ? build : "build", endings[i]);
        CHECK(symlink(target, paths[i]) == 0 || access(paths[i], W_OK) == 0);
    }
}

/* The contents of a file, with a zero byte at the end. */
static char *contents(int file, size_t *size)
{
    const off_t length = lseek(FIRST_FD + file, 0, SEEK_END);
    char *text = (char *)malloc((size_t)length + 1);
    CHECK(text && pread(FIRST_FD + file, text, (size_t)length, 0) == length);
    text[length] = 0;
    CHECK(strlen(text) == (size_t)length);
    *size = (size_t)length;
    return text;
}

/* The input as numbers and names. */
typedef struct input {
    const uint8_t *at, *end;
    char *names[MOST_NAMES];
    size_t count;
} input;

static unsigned small(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static double number(input *in)
{
    double value = 0;
    uint8_t bytes[8];
    switch (small(in) % 4) {
    case 0: return small(in);
    case 1: return small(in) * 1e-3;
    default: break;
    }
    for (size_t i = 0; i < 8; ++i) bytes[i] = (uint8_t)small(in);
    memcpy(&value, bytes, sizeof value);
    value = fabs(value);
    return value < 1e307 ? value : 1; /* the last bits before infinity are not read back */
}

static const char *name(input *in)
{
    if (in->count == MOST_NAMES) return "";
    size_t length = small(in) % 80, got = 0;
    char *text = (char *)malloc(length + 1);
    CHECK(text);
    while (got < length && in->at < in->end && *in->at) text[got++] = (char)*in->at++;
    text[got] = 0;
    return in->names[in->count++] = text;
}

static size_t bars; /* rows that the table must have */

static void count_bars(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    (void)user;
    (void)world;
    bars += event->phase >= SIMKIT_PHASE_END;
}

static void play(simkit_world *world, input *in)
{
    size_t nodes = 0;
    uint64_t told = 1u << 30;
    for (int step = 0; in->at < in->end && step < 500; ++step) {
        const unsigned what = small(in) % 6;
        if ((what == 0 && nodes < MOST_NODES) || nodes == 0) {
            simkit_node_desc desc;
            simkit_node node;
            memset(&desc, 0, sizeof desc);
            desc.name = name(in);
            desc.up_bandwidth = desc.down_bandwidth = 1e6;
            nodes += simkit_node_add(world, &desc, &node) == SIMKIT_OK;
        } else if (what == 1) {
            simkit_computation_desc desc;
            memset(&desc, 0, sizeof desc);
            desc.node = (simkit_node)(1 + small(in) % nodes);
            desc.seconds = number(in);
            desc.name = name(in);
            desc.lane = name(in);
            simkit_computation_start(world, &desc, NULL);
        } else if (what == 2) {
            simkit_transfer_desc desc;
            memset(&desc, 0, sizeof desc);
            desc.from = (simkit_node)(1 + small(in) % nodes);
            desc.to = (simkit_node)(1 + small(in) % nodes);
            desc.bytes = number(in);
            desc.name = name(in);
            simkit_transfer_start(world, &desc, NULL);
        } else if (what == 3) {
            simkit_watch_event event;
            memset(&event, 0, sizeof event);
            event.kind = small(in) % 2 ? SIMKIT_WATCH_COMPUTE : SIMKIT_WATCH_TRANSFER;
            event.begin = number(in);
            event.time = event.begin + number(in);
            event.node = (simkit_node)(1 + small(in) % nodes);
            event.to = (simkit_node)(1 + small(in) % nodes);
            event.bytes = number(in);
            event.name = name(in);
            event.lane = name(in);
            event.number = ++told;
            const double end = event.time;
            event.time = event.begin;
            event.phase = SIMKIT_PHASE_BEGIN;
            if (simkit_watch_emit(world, &event) != SIMKIT_OK) continue;
            event.time = end;
            event.phase = SIMKIT_PHASE_END;
            simkit_watch_emit(world, &event);
        } else if (what == 4) {
            run_for(world, 50);
        }
    }
    run_for(world, 2000);
}

static void check_svg(const char *text, size_t size)
{
    xmlDocPtr document = xmlReadMemory(text, (int)size, "x.svg", NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
    CHECK(document);
    CHECK(strcmp((const char *)xmlDocGetRootElement(document)->name, "svg") == 0);
    xmlFreeDoc(document);
    CHECK(!strstr(text, "=\"inf") && !strstr(text, "=\"nan") && !strstr(text, "=\"-nan"));
}

static void check_json(const char *text, size_t size)
{
    json_tokener *tokener = json_tokener_new();
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object *object = json_tokener_parse_ex(tokener, text, (int)size + 1), *events = NULL;
    CHECK(json_tokener_get_error(tokener) == json_tokener_success);
    CHECK(object && json_object_object_get_ex(object, "traceEvents", &events) &&
          json_object_is_type(events, json_type_array));
    json_object_put(object);
    json_tokener_free(tokener);
}

static void check_table(const char *text, size_t size)
{
    simkit_table *table;
    simkit_parse_error error;
    const simkit_result result = simkit_table_read(&(simkit_input){ .text = text, .length = size, .name = "x.csv" }, &table, &error);
    if (bars == 0) {
        CHECK(result == SIMKIT_BAD_FILE); /* a header without rows */
        return;
    }
    if (result != SIMKIT_OK) fprintf(stderr, "%s\n", error.text);
    CHECK(result == SIMKIT_OK && table->columns == 8 && table->rows == bars);
    for (size_t c = 5; c < 8; ++c) CHECK(table->column[c].numbers);
    simkit_table_close(table);
}

/* Containers are created once, before they are used; each state that is popped was pushed, and each link that ends began. */
static void check_paje(char *text)
{
    enum { MOST = 100000 };
    static bool node[MOST], row[MOST], deep[MOST];
    char *rest = NULL;
    memset(node, 0, sizeof node);
    memset(row, 0, sizeof row);
    memset(deep, 0, sizeof deep);
    long begun = 0, ended = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        int event = -1, used = 0;
        double time;
        unsigned long what, in;
        if (*line == '%' || *line == '0' || *line == '1' || *line == '2') continue;
        CHECK(sscanf(line, "%d %lf%n", &event, &time, &used) == 2 && time >= 0 && isfinite(time));
        const char *more = line + used;
        if (strcmp(more, " W CW 0 \"world\"") == 0) {
            CHECK(event == 3);
        } else if (event == 3 && sscanf(more, " N%lu CN W \"%n", &what, &used) == 1) {
            CHECK(what < MOST && !node[what]);
            node[what] = true;
        } else if (event == 3) {
            CHECK(sscanf(more, " R%lu CL N%lu \"", &what, &in) == 2 && what < MOST && in < MOST && node[in] &&
                  !row[what]);
            row[what] = true;
        } else if (event == 4) {
            CHECK(sscanf(more, " S R%lu \"", &what) == 1 && what < MOST && row[what] && !deep[what]);
            deep[what] = true;
        } else if (event == 5) {
            CHECK(sscanf(more, " S R%lu", &what) == 1 && what < MOST && deep[what]);
            deep[what] = false;
        } else {
            CHECK((event == 6 || event == 7) && sscanf(more, " L W N%lu \"", &what) == 1 && what < MOST && node[what]);
            begun += event == 6;
            ended += event == 7;
            CHECK(ended <= begun);
        }
        if (event < 5) CHECK(line[strlen(line) - 1] == '"');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static input in;
    simkit_world *world;
    simkit_trace *trace[FILES];
    if (!paths[0][0]) make_files();
    in.at = data;
    in.end = data + size;
    in.count = 0;
    bars = 0;
    CHECK(simkit_world_open(NULL, &world) == SIMKIT_OK);
    const char *title = name(&in);
    for (int i = 0; i < FILES; ++i)
        CHECK(simkit_trace_open(world, &(simkit_trace_desc){ .path = paths[i], .title = title }, &trace[i]) == SIMKIT_OK);
    CHECK(simkit_watch_add(world, SIMKIT_WATCH_COMPUTE | SIMKIT_WATCH_TRANSFER, count_bars, NULL) == SIMKIT_OK);
    play(world, &in);
    for (int i = 0; i < FILES; ++i) CHECK(simkit_trace_close(trace[i]) == SIMKIT_OK);
    simkit_world_close(world);
    for (int i = 0; i < FILES; ++i) {
        size_t length;
        char *text = contents(i, &length);
        switch (i) {
        case SVG: check_svg(text, length); break;
        case JSON: check_json(text, length); break;
        case PAJE: check_paje(text); break;
        default: check_table(text, length); break;
        }
        free(text);
    }
    while (in.count > 0) free(in.names[--in.count]);
    return 0;
}
