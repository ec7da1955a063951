/* What does a cluster take to compute and to send? Measured once, as a flow graph that runs there for real:
 *
 *   speed           what part of a processor each node is, all computing at once; where that is a quota of a period,
 *                   which must be said: with --period
 *   send, receive   what messages take of the processor at both ends, a line over their size
 *   latency, bandwidth   of a message, a robust line over its size through round trips
 *   kernels    of the LU factorization, on all nodes at once; medians over nodes
 *
 * Writes a machine file, and kernels as factor --kernels reads them. No run of an application goes into it. What cannot
 * be, such as a bandwidth above the --limit of the link, comes from a machine that was busy meanwhile: it is measured again,
 * three times in all, and then refused. */
#define _DEFAULT_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "../../examples/flowgraph/flowgraph.h"
#include "../../examples/flowgraph/kernels.h"
#include "../../examples/flowgraph/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 15, LONG_TURNS = 5, SIZES = 7, MOST_NODES = 64, MOST_SHAPES = 64, STREAM = 40, ATTEMPTS = 3 };

static const size_t sizes[SIZES] = { 64, 1024, 8192, 32768, 65536, 131072, 262144 };

/* What is asked of a node. */
typedef struct request {
    uint32_t what, node;
    uint64_t bytes, count;
    uint64_t n, r, parts;
    double budget;
} request;

/* What it has found. */
typedef struct answer {
    uint32_t node, unused;
    double seconds;
    kernels_times times;
} answer;

enum { SPIN, PING, STREAMING, KERNELS };

static struct {
    flowgraph *graph;
    flowgraph_operation ask;
    flowgraph_edge asking, answering;
    size_t nodes, answers;
    answer answer[MOST_NODES];
    double turned; /* of the last message, there and back */
} c;

/* What nodes compute for their speed: little, after a rest, and much [s]. */
static const double little = 0.02, much = 0.32;

static bool fails(const char *why)
{
    fprintf(stderr, "calibrate: %s\n", why);
    return false;
}

static size_t to_node(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return ((const request *)object)->node % count;
}

/* Asks all nodes, or sends messages to node 1. */
static void ask(flowgraph_task *task, const void *object, void *user)
{
    request wanted = *(const request *)object;
    flowgraph_data *data = wanted.bytes ? flowgraph_data_new(task, wanted.bytes) : NULL;
    const bool all = wanted.what == SPIN || wanted.what == KERNELS;

    (void)user;
    if (data) memset(flowgraph_data_bytes(data), 1, wanted.bytes);
    c.turned = flowgraph_now(task);
    for (size_t i = 0; i < (all ? c.nodes : wanted.count); ++i) {
        wanted.node = all ? (uint32_t)i : 1;
        flowgraph_post(task, c.asking, &wanted, &data, data != NULL);
    }
    flowgraph_data_drop(data);
}

static void reply(flowgraph_task *task, const void *object, void *user)
{
    const request *wanted = (const request *)object;
    answer found;

    (void)user;
    memset(&found, 0, sizeof found);
    found.node = wanted->node;
    if (wanted->what == SPIN) {
        found.seconds = -flowgraph_now(task);
        flowgraph_charge(task, wanted->budget);
        found.seconds += flowgraph_now(task);
    } else if (wanted->what == KERNELS) {
        kernels_measure(wanted->n, wanted->r, wanted->parts, wanted->budget, &found.times);
    }
    flowgraph_post(task, c.answering, &found, NULL, 0);
}

static void collect(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    for (c.answers = 0; object != NULL; object = flowgraph_next(task))
        if (c.answers < MOST_NODES) c.answer[c.answers++] = *(const answer *)object;
    c.turned = flowgraph_now(task) - c.turned;
}

static bool build(void)
{
    flowgraph_type asked, answered;
    flowgraph_threads first, all;
    flowgraph_operation leaf, merge;
    const flowgraph_threads_desc one = { .name = "node 0", .count = 1 };
    const flowgraph_threads_desc each = { .name = "nodes", .count = c.nodes };
    flowgraph_operation_desc op = { 0 };
    flowgraph *g = c.graph;
    bool done = flowgraph_type_add(g, "request", sizeof(request), &asked) == FLOWGRAPH_OK &&
                flowgraph_type_add(g, "answer", sizeof(answer), &answered) == FLOWGRAPH_OK &&
                flowgraph_threads_add(g, &one, &first) == FLOWGRAPH_OK &&
                flowgraph_threads_add(g, &each, &all) == FLOWGRAPH_OK;

    op = (flowgraph_operation_desc){ "ask", FLOWGRAPH_SPLIT, first, asked, { asked }, ask, NULL, 0 };
    done = done && flowgraph_operation_add(g, &op, &c.ask) == FLOWGRAPH_OK;
    op = (flowgraph_operation_desc){ "reply", FLOWGRAPH_LEAF, all, asked, { answered }, reply, NULL, 0 };
    done = done && flowgraph_operation_add(g, &op, &leaf) == FLOWGRAPH_OK;
    op = (flowgraph_operation_desc){ "collect", FLOWGRAPH_MERGE, first, answered, { 0 }, collect, NULL, 0 };
    done = done && flowgraph_operation_add(g, &op, &merge) == FLOWGRAPH_OK;
    done =
        done &&
        flowgraph_edge_add(g, &(flowgraph_edge_desc){ c.ask, leaf, to_node, NULL, false }, &c.asking) == FLOWGRAPH_OK &&
        flowgraph_edge_add(g, &(flowgraph_edge_desc){ leaf, merge, NULL, NULL, false }, &c.answering) == FLOWGRAPH_OK;
    return done || fails(flowgraph_why(g));
}

static bool run(const request *wanted)
{
    if (flowgraph_start(c.graph, c.ask, 0, wanted) == FLOWGRAPH_OK && flowgraph_run(c.graph, NULL) == FLOWGRAPH_OK)
        return true;
    return fails(flowgraph_why(c.graph));
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void progress(const char *what, unsigned long number)
{
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\rmeasuring %s %lu ...\033[K", what, number);
}

/* How long all nodes need for so much, after a rest: a mean over nodes. */
static bool spin(double seconds, double *took)
{
    const request wanted = { .what = SPIN, .budget = seconds };

    usleep(50000);
    if (!run(&wanted)) return false;
    *took = 0;
    for (size_t i = 0; i < c.answers; ++i) *took += c.answer[i].seconds / (double)c.answers;
    return true;
}

/* Between two lengths, so that what is the same for both does not count. */
static bool find_speed(double *speed)
{
    double short_times[TURNS], long_times[LONG_TURNS];

    progress("speed of nodes:", c.nodes);
    for (size_t i = 0; i < TURNS; ++i)
        if (!spin(little, &short_times[i]) || (i < LONG_TURNS && !spin(much, &long_times[i]))) return false;
    *speed = fmin((much - little) / (median(long_times, LONG_TURNS) - median(short_times, TURNS)), 1);
    return true;
}

/* A result that is possible, or another measurement: says what was found, and fails after the last. */
static bool again(int attempt, const char *what, double found, const char *expected)
{
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    fprintf(stderr, "calibrate: %s of %.4g, expected %s: is the machine busy? Attempt %d of %d failed\n", what, found,
            expected, attempt, ATTEMPTS);
    return attempt < ATTEMPTS;
}

static bool speed_of_nodes(double *speed)
{
    for (int attempt = 1;; ++attempt) {
        if (!find_speed(speed)) return false;
        if (*speed > 0) return true;
        if (!again(attempt, "a speed", *speed, "a part of a processor")) return false;
    }
}

/* Processor time of a message at both ends. Every size in turn, so that a slow moment is not one size's. */
static bool find_costs(netmodel_line *send, netmodel_line *receive)
{
    double bytes[SIZES * TURNS], out[SIZES * TURNS], in[SIZES * TURNS], scratch[SIZES * TURNS];
    const size_t count = SIZES * TURNS;
    netmodel_fit fit;

    for (size_t i = 0; i < count; ++i) {
        const request wanted = { .what = STREAMING, .bytes = sizes[i % SIZES], .count = STREAM };
        progress("messages of bytes:", sizes[i % SIZES]);
        if (!run(&wanted)) return false;
        bytes[i] = (double)(flowgraph_envelope(c.graph, c.ask + 1) + 8 + sizes[i % SIZES]);
        out[i] = flowgraph_processor_time(c.graph, 0) / STREAM;
        in[i] = flowgraph_processor_time(c.graph, 1) / STREAM;
    }
    if (netmodel_fit_robust(&(netmodel_points){ bytes, out, count, NETMODEL_ERROR_RELATIVE }, scratch, &fit, NULL) !=
        NETMODEL_OK)
        return false;
    *send = fit.line;
    if (netmodel_fit_robust(&(netmodel_points){ bytes, in, count, NETMODEL_ERROR_RELATIVE }, scratch, &fit, NULL) !=
        NETMODEL_OK)
        return false;
    *receive = fit.line;
    return true;
}

/* A message goes, and an empty one comes back. */
static bool find_link(netmodel_line *link, double *nothing)
{
    double bytes[SIZES * TURNS], time[SIZES * TURNS], scratch[SIZES * TURNS], empty[TURNS];
    netmodel_fit fit;

    for (size_t i = 0; i < SIZES * TURNS; ++i) {
        const request wanted = { .what = PING, .bytes = sizes[i % SIZES], .count = 1 };
        progress("round trips of bytes:", sizes[i % SIZES]);
        usleep(20000); /* so that nothing is owed to the last */
        if (!run(&wanted)) return false;
        bytes[i] = (double)(flowgraph_envelope(c.graph, c.ask + 1) + 8 + sizes[i % SIZES]);
        time[i] = c.turned;
        if (i % SIZES == 0) empty[i / SIZES] = c.turned;
    }
    *nothing = median(empty, TURNS);
    if (netmodel_fit_robust(&(netmodel_points){ bytes, time, SIZES * TURNS, NETMODEL_ERROR_ABSOLUTE }, scratch, &fit,
                            NULL) != NETMODEL_OK)
        return fails("round trips make no line");
    *link = fit.line;
    return true;
}

static bool costs_of_messages(netmodel_line *send, netmodel_line *receive)
{
    for (int attempt = 1;; ++attempt) {
        if (!find_costs(send, receive)) return fails("costs of messages make no line");
        if (send->slope > 0 && receive->slope > 0) return true;
        if (!again(attempt, "processor time for a byte [s]", fmin(send->slope, receive->slope), "more than 0"))
            return false;
    }
}

static bool bandwidth_of_link(netmodel_line *link, double *nothing, double limit)
{
    char expected[64] = "more than 0";

    if (limit > 0) snprintf(expected, sizeof expected, "more than 0 and at most %.4g", 1e-6 * limit);
    for (int attempt = 1;; ++attempt) {
        if (!find_link(link, nothing)) return false;
        if (link->slope > 0 && (limit <= 0 || link->slope * limit >= 1)) return true;
        if (!again(attempt, "a bandwidth [MB/s]", 1e-6 / link->slope, expected)) return false;
    }
}

/* Medians over nodes, kernel by kernel. */
static void middle(kernels_times *times)
{
    double values[MOST_NODES];
    double *of[32];
    size_t count = 0;

    *times = c.answer[0].times;
    of[count++] = &times->multiply;
    of[count++] = &times->subtract;
    of[count++] = &times->solve;
    of[count++] = &times->pack;
    of[count++] = &times->part;
    for (size_t i = 0; i < times->points; ++i) {
        of[count++] = &times->panel[i];
        of[count++] = &times->exchange[i];
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t at = (size_t)((char *)of[i] - (char *)times);
        for (size_t k = 0; k < c.answers; ++k) memcpy(&values[k], (char *)&c.answer[k].times + at, sizeof *values);
        *of[i] = median(values, c.answers);
    }
}

static bool write_machine(const char *path, const char *name, double speed, double period, const netmodel_line *link,
                          const netmodel_line *send, const netmodel_line *receive)
{
    FILE *file = fopen(path, "w");
    const double latency = fmax(link->intercept / 2 - send->intercept - receive->intercept, 0);

    if (!file) return fails("cannot write the machine file");
    fprintf(file,
            "# Measured by build/calibrate: medians and robust lines; no run of an application is in it.\n\n[machine]\n"
            "name = %s\n\n[network]\nlatency = %.4g us\n\n[node]\ncount = %lu\ncores = 1\nbandwidth = %.6g MB/s\n",
            name, 1e6 * latency, (unsigned long)c.nodes, 1e-6 / link->slope);
    if (period > 0) {
        struct timespec tick = { 0, 0 };
        clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
        fprintf(file, "quota = %.5g ms\nperiod = %.5g ms\ntick = %.5g ms\n", 1e3 * period * speed, 1e3 * period,
                1e3 * (double)tick.tv_sec + 1e-6 * (double)tick.tv_nsec);
    } else {
        fprintf(file, "speed = %.5f  # part of a processor of this machine\n", speed);
    }
    fprintf(file,
            "\n"
            "# Processor time of a message: at its sender, at its receiver; at speed 1.\n"
            "[operation send]\nseconds = %.4g us\nrate = %.6g MB/s\n\n[operation receive]\nseconds = %.4g us\n"
            "rate = %.6g MB/s\n",
            1e6 * fmax(send->intercept, 0), 1e-6 / send->slope, 1e6 * fmax(receive->intercept, 0),
            1e-6 / receive->slope);
    return fclose(file) == 0 || fails("cannot write the machine file");
}

static const char usage[] =
    "calibrate [OPTIONS] --out MACHINE.machine --kernels KERNELS.csv [--n N --r R[/PARTS] ...]\n"
    "  --out FILE        the machine file to write\n  --name TEXT       what it is called\n"
    "  --kernels FILE    times of kernels to write, for the shapes that follow\n"
    "  --n N             rows of the matrix\n  --r R[/PARTS]     columns of a block column; may be said again\n"
    "  --period SECONDS  the processor is rationed in such periods\n"
    "  --limit MB/S      what the link carries at most: a larger bandwidth is measured again, then refused\n"
    "  --budget SECONDS  of processor time for each shape; default: 0.3\n";

int main(int count, char **arguments)
{
    static options o;
    const char *out = NULL, *kernels = NULL, *name = "a cluster";
    request shapes[MOST_SHAPES];
    size_t shape_count = 0, n = 0;
    double speed, period = 0, nothing, budget = 0.3, limit = 0;
    netmodel_line link, send, receive;
    char why[200];
    FILE *file;

    options_begin(&o, arguments);
    o.desc.mode = FLOWGRAPH_REAL;
    for (int i = 1; i < count;) {
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        const int taken = options_take(&o, arguments[i], value, why);
        if (taken < 0) return !fails(why);
        if (taken == 0 && strcmp(arguments[i], "--help") == 0) return printf("%s%s", usage, options_usage) < 0;
        if (taken == 0 && !value) return !fails("an option needs a value; --help lists them");
        if (taken == 0 && strcmp(arguments[i], "--out") == 0) {
            out = value;
        } else if (taken == 0 && strcmp(arguments[i], "--kernels") == 0) {
            kernels = value;
        } else if (taken == 0 && strcmp(arguments[i], "--name") == 0) {
            name = value;
        } else if (taken == 0 && strcmp(arguments[i], "--budget") == 0) {
            if (!options_amount(value, 0, &budget)) return !fails("--budget: expected seconds");
        } else if (taken == 0 && strcmp(arguments[i], "--period") == 0) {
            if (!options_amount(value, 0, &period)) return !fails("--period: expected seconds");
        } else if (taken == 0 && strcmp(arguments[i], "--limit") == 0) {
            if (!options_amount(value, 0, &limit)) return !fails("--limit: expected MB/s");
            limit *= 1e6;
        } else if (taken == 0 && strcmp(arguments[i], "--n") == 0) {
            if (!options_number(value, 1, &n)) return !fails("--n: expected a whole number >= 1");
        } else if (taken == 0 && strcmp(arguments[i], "--r") == 0) {
            unsigned long r = 0, parts = 1;
            if (sscanf(value, "%lu/%lu", &r, &parts) < 1 || r == 0 || parts == 0 || r % parts || n < r ||
                shape_count == MOST_SHAPES)
                return !fails("--r: expected R or R/PARTS, where PARTS divides R, and --n before it");
            shapes[shape_count++] = (request){ .what = KERNELS, .n = n, .r = r, .parts = parts, .budget = budget };
        } else if (taken == 0) {
            return !fails("unknown option; --help lists all");
        }
        i += 2;
    }
    if (!out || (shape_count > 0 && !kernels)) return !fails("--out and --kernels are needed");
    c.nodes = o.desc.nodes;
    if (c.nodes < 2 || c.nodes > MOST_NODES) return !fails("2 to 64 nodes are needed");
    if (flowgraph_open(&o.desc, &c.graph) != FLOWGRAPH_OK) return !fails(flowgraph_why(c.graph));
    if (!build() || !speed_of_nodes(&speed) || !bandwidth_of_link(&link, &nothing, limit) ||
        !costs_of_messages(&send, &receive))
        return 1;
    if (shape_count > 0) {
        file = fopen(kernels, "w");
        if (!file) return !fails("cannot write the kernels");
        kernels_save(file, NULL);
        for (size_t i = 0; i < shape_count; ++i) {
            kernels_times times;
            progress("kernels, r =", shapes[i].r);
            if (!run(&shapes[i])) return 1;
            middle(&times);
            kernels_save(file, &times);
        }
        if (fclose(file) != 0) return !fails("cannot write the kernels");
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    if (!write_machine(out, name, speed, period, &link, &send, &receive)) return 1;
    printf("speed %.4f; a message takes %.3g us + %.4g s/MB of its sender, %.3g us + %.4g s/MB of its receiver;\n"
           "round trip of nothing %.3g ms; %.5g MB/s\n",
           speed, 1e6 * send.intercept, 1e6 * send.slope, 1e6 * receive.intercept, 1e6 * receive.slope, 1e3 * nothing,
           1e-6 / link.slope);
    flowgraph_close(c.graph);
    return 0;
}
