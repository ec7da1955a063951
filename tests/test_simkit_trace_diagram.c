/* Room trace of simkit.h: timing diagrams. They are read as drawings, and must be to scale. */
#define _DEFAULT_SOURCE /* mkdtemp */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"

#include "formats.h"
#include "trace.h"
#include "written.h"

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

static double computing_part; /* of the time of each rank; it waits otherwise */

static void compute_and_wait(simkit_world *w)
{
    static const char *const ranks[] = { "rank 13", "rank 6", "rank 10", "other", "rank 2" };
    for (int i = 0; i < 1000; ++i)
        for (int r = 0; r < 5; ++r)
            for (int waits = 0; waits < 2; ++waits) {
                const simkit_watch_event event = { .kind = SIMKIT_WATCH_COMPUTE,
                                                   .phase = SIMKIT_PHASE_END,
                                                   .begin = i + (waits ? computing_part : 0),
                                                   .time = i + (waits ? 1 : computing_part),
                                                   .seconds = waits ? 0 : computing_part,
                                                   .node = a,
                                                   .lane = ranks[r],
                                                   .name = waits ? "waiting" : "computing" };
                assert_int_equal(simkit_watch_emit(w, &event), SIMKIT_OK);
            }
}

/* The fill of the element before a text. */
static void fill_before(const char *text, const char *after, char fill[32])
{
    const char *at = strstr(text, after);
    assert_non_null(at);
    while (strncmp(at, " fill=\"", 7) != 0) --at;
    assert_int_equal(sscanf(at, " fill=\"%31[^\"]\"", fill), 1);
}

/* What computes has one colour whether it computes or waits longer; what waits is a pale colour that nothing shines through,
 * and the legend has both. Lanes come in the order of their numbers. */
static void waiting_looks_like_waiting(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        char fill[32];
        computing_part = i ? 0.9 : 0.1;
        char *text = diagram(world, false, compute_and_wait);
        assert_int_equal(occurrences(text, "<title>computing</title>"), 5);
        fill_before(text, "<title>computing</title>", fill);
        assert_string_equal(fill, "#4477aa");
        fill_before(text, "<title>waiting</title>", fill);
        assert_string_equal(fill, "#f9c9cf"); /* 35 % of #ee6677 on white */
        assert_int_equal(occurrences(text, "height=\"11\" fill=\"#4477aa\""), 1);
        assert_int_equal(occurrences(text, "height=\"11\" fill=\"#f9c9cf\""), 1);
        assert_int_equal(occurrences(text, "opacity"), occurrences(text, "fill-opacity=\"0.05\""));
        const char *const order[] = { ">rank 2<", ">rank 6<", ">rank 10<", ">rank 13<", ">other<" };
        const char *at = text;
        for (int k = 0; k < 5; ++k) {
            at = strstr(at, order[k]);
            assert_non_null(at);
        }
        free(text);
    }
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

static void compute_on_the_first_of_many(simkit_world *w)
{
    simkit_node node;
    compute_on_many(w);
    for (int i = 0; i < 600; ++i) assert_int_equal(simkit_node_add(w, NULL, &node), SIMKIT_OK);
}

/* Nodes behind the last one that does anything take no rows. */
static void nodes_that_do_nothing_take_no_rows(void **state)
{
    (void)state;
    char *text = diagram(world, false, compute_on_the_first_of_many);
    assert_int_equal(occurrences(text, ">computation</title>"), 200);
    assert_int_equal(occurrences(text, ">height of a row: the cores in use, of 1 node<"), 1);
    assert_null(strstr(text, ">node 203<"));
    free(text);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(a_diagram_is_svg_with_every_bar),
        PAIR_TEST(an_empty_diagram_is_svg),
        PAIR_TEST(transfers_at_once_are_one_row),
        PAIR_TEST(names_have_shades_of_their_own),
        PAIR_TEST(a_bar_is_as_high_as_its_share),
        PAIR_TEST(many_computations_are_areas),
        PAIR_TEST(waiting_looks_like_waiting),
        PAIR_TEST(many_nodes_have_few_rows),
        PAIR_TEST(nodes_that_do_nothing_take_no_rows),
        PAIR_TEST(many_nodes_that_send_nothing),
        PAIR_TEST(every_bar_of_many_nodes),
        PAIR_TEST(transfers_that_take_no_time_are_drawn),
        PAIR_TEST(a_diagram_is_to_scale),
        PAIR_TEST(a_diagram_with_a_line_for_each_transfer_is_to_scale),
        cmocka_unit_test(an_axis_has_round_steps),
        PAIR_TEST(a_long_legend_has_lines),
        PAIR_TEST(a_short_bar_is_seen),
        cmocka_unit_test(any_length_is_drawn),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
