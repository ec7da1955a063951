/* What does a cluster take to compute and to send? Measured as a flow graph that runs there for real:
 *
 *   about       what each node says of itself: its quota and period, how many cores it may use, whose computer it is on
 *   speed       what part of a processor a node is; with a quota, whether it computes as much as that allows
 *   link        latency, bandwidth and burst, from round trips: the shortest of each size, so that no quota is in them
 *   messages    CPU time of a message at both ends, over its size, as in an application: between computations
 *   post        CPU time of an object that stays on its node
 *   kernels     of the LU factorization, on all nodes at once; medians over nodes
 *
 * All but kernels is measured until two measurements in a row agree; what is left between them is written down as
 * `[operation calibration]`. Writes a machine file, and kernels as factor --kernels reads them. No run of an application
 * goes into it. What cannot be, such as a bandwidth above the --limit of the link, comes from a machine that was busy
 * meanwhile: it is measured again, and refused after the last attempt. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/netmodel_fit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "../../examples/flowgraph/flowgraph.h"
#include "../../examples/flowgraph/kernels.h"
#include "../../examples/flowgraph/options.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TURNS = 12, /* of each size, where the processor is rationed */
    STREAMS = 9,
    MORE = 4,   /* times as many where it is not */
    FEWEST = 3, /* where a node is so slow that more would take minutes, see `enough` */
    SMALL = 4,
    LARGE = 4,
    SIZES = SMALL + LARGE,
    LONGER = 8,
    MOST_NODES = 64,
    MOST_SHAPES = 64,
    ATTEMPTS = 5
};

/* Of messages [B]: those that a bucket of tokens may pass at once, and those that show the bandwidth; and from where on
 * messages count as large for the CPU time that they take. */
static const size_t round_trips[SIZES] = { 64, 512, 1024, 2048, 98304, 131072, 196608, 262144 };
static const size_t streams[SIZES] = { 64, 4096, 16384, 49152, 65536, 98304, 163840, 262144 };
static const double large = 65536;

/* A round trip shorter than this is one over a fast link [s]. */
static const double fast_trip = 2e-3;

/* Computing between messages, as in applications, and nearly none [s]. */
static const double spacing = 1e-3, at_once = 1e-5;

/* After so long there are no further turns than the fewest [s]; from the third attempt on twice as long each time. */
static const double enough = 6;

/* How far two measurements in a row may differ: relative. Bandwidths may also differ by as much as changes the
 * time of a message by this part of the CPU time that it takes: loopback is as fast as memory. */
static const double agree_speed = 0.02, agree_bandwidth = 0.02, agree_messages = 0.15, agree_transfer = 0.1;

/* What is asked of a node. */
typedef struct request {
    uint32_t what, node;
    uint64_t bytes, count;
    uint64_t home; /* where an object ends that was poured out */
    uint64_t n, r, parts;
    double before, budget;
} request;

/* What it has found. */
typedef struct answer {
    uint32_t node, cores;
    double seconds, quota, period;
    uint64_t host; /* a hash: equal where the same computer's same cores are used */
    kernels_times times;
} answer;

enum { ABOUT, SPIN, PING, KERNELS };

static struct {
    flowgraph *graph;
    flowgraph_operation ask, pour;
    flowgraph_edge asking, answering, pouring, keeping;
    size_t nodes, answers;
    answer answer[MOST_NODES];
    double turned;        /* of the last message, there and back */
    unsigned char *cache; /* cache[cache_bytes]: as large as a core's own */
    size_t cache_bytes;
} c;

/* What was found of the machine. */
typedef struct machine {
    int attempt;           /* to measure it, from 1 */
    double quota, period;  /* 0: not rationed */
    unsigned cores, hosts; /* hosts 0: each node is a computer */
    double speed, latency, bandwidth, burst, nothing;
    double post, repeated;             /* the latter: part of the time that a message takes right after another */
    netmodel_line send[2], receive[2]; /* of small and of large messages */
} machine;

#define ALL UINT32_MAX /* nodes */

static bool fails(const char *why)
{
    fprintf(stderr, "calibrate: %s\n", why);
    return false;
}

/* CPU time of this thread [s]. */
static double processor_time(void)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Since a time that it returned for 0 [s]. */
static double since(double began)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - began;
}

/* On every node. */
static bool have_cache(void)
{
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

    c.cache_bytes = bytes > 0 ? (size_t)bytes : 1 << 20;
    c.cache = malloc(c.cache_bytes);
    if (!c.cache) return fails("no memory");
    memset(c.cache, 1, c.cache_bytes); /* so that it has pages of its own */
    return true;
}

static size_t to_node(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return ((const request *)object)->node % count;
}

static size_t to_home(const void *object, size_t from, size_t count, void *user)
{
    (void)from;
    (void)user;
    return ((const request *)object)->home % count;
}

/* Asks all nodes, or one. */
static void ask(flowgraph_task *task, const void *object, void *user)
{
    request wanted = *(const request *)object;
    flowgraph_data *data = wanted.bytes ? flowgraph_data_new(task, wanted.bytes) : NULL;
    const uint32_t first = wanted.node, count = first == ALL ? (uint32_t)c.nodes : 1;

    (void)user;
    if (data) memset(flowgraph_data_bytes(data), 1, wanted.bytes);
    c.turned = flowgraph_now(task);
    for (uint32_t i = 0; i < count; ++i) {
        wanted.node = first == ALL ? i : first;
        flowgraph_post(task, c.asking, &wanted, &data, data != NULL);
    }
    flowgraph_data_drop(data);
}

/* Reads two numbers of a file; false: it is not there, or has others. */
static bool read_numbers(const char *folder, const char *path, const char *name, const char *form, double *a, double *b)
{
    char file[600];
    bool found = false;
    FILE *in;

    snprintf(file, sizeof file, "%s%s/%s", folder, strcmp(path, "/") ? path : "", name);
    in = fopen(file, "r");
    if (!in) return false;
    found = fscanf(in, form, a, b) == 1 + (b != NULL);
    fclose(in);
    return found;
}

/* The quota of the control group of this process, or of one above it, whichever is smallest; 0: it has none. */
static void find_quota(double *quota, double *period)
{
    char line[500];
    FILE *groups = fopen("/proc/self/cgroup", "r");

    *quota = *period = 0;
    while (groups && fgets(line, sizeof line, groups)) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        bool old;
        if (!path) continue;
        *path++ = 0;
        old = strstr(names, ":cpu,") || strcmp(names, ":cpu") == 0 || strstr(names, ",cpu,");
        if (!old && strcmp(names, ":") != 0) continue;
        path[strcspn(path, "\n")] = 0;
        for (char *end; *path; *end = 0) {
            double q = -1, p = 0;
            const bool said = old ? read_numbers("/sys/fs/cgroup/cpu", path, "cpu.cfs_quota_us", "%lf", &q, NULL) &&
                                        read_numbers("/sys/fs/cgroup/cpu", path, "cpu.cfs_period_us", "%lf", &p, NULL)
                                  : read_numbers("/sys/fs/cgroup", path, "cpu.max", "%lf %lf", &q, &p);
            if (said && q > 0 && p > 0 && (!(*period > 0) || q / p < *quota / *period)) {
                *quota = 1e-6 * q;
                *period = 1e-6 * p;
            }
            end = strrchr(path, '/');
            if (!end) break;
        }
    }
    if (groups) fclose(groups);
}

/* What a node says of itself. */
static void tell_about(answer *found)
{
    char boot[64] = "";
    FILE *id = fopen("/proc/sys/kernel/random/boot_id", "r");
    cpu_set_t cores;

    find_quota(&found->quota, &found->period);
    CPU_ZERO(&cores);
    found->cores = sched_getaffinity(0, sizeof cores, &cores) == 0 ? (uint32_t)CPU_COUNT(&cores) : 1;
    if (id && !fgets(boot, sizeof boot, id)) boot[0] = 0;
    if (id) fclose(id);
    found->host = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < strlen(boot); ++i)
        found->host = (found->host ^ (unsigned char)boot[i]) * UINT64_C(1099511628211);
    for (size_t i = 0; i < sizeof cores; ++i)
        found->host = (found->host ^ ((unsigned char *)&cores)[i]) * UINT64_C(1099511628211);
}

static void reply(flowgraph_task *task, const void *object, void *user)
{
    const request *wanted = (const request *)object;
    answer found;

    (void)user;
    memset(&found, 0, sizeof found);
    found.node = wanted->node;
    if (wanted->what == ABOUT) {
        tell_about(&found);
    } else if (wanted->what == SPIN) {
        flowgraph_charge(task, wanted->before);
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

/* Computes, and first pushes out of the caches what was in them, as the kernels of an application do. */
static void compute(flowgraph_task *task, double seconds)
{
    const double began = processor_time();
    unsigned sum = 0;

    for (size_t i = 0; i < c.cache_bytes && processor_time() < began + seconds / 2;) {
        const size_t end = i + 65536 < c.cache_bytes ? i + 65536 : c.cache_bytes;
        for (; i < end; i += 64) sum += c.cache[i];
    }
    *(volatile unsigned *)&sum = sum;
    flowgraph_charge(task, fmax(seconds - (processor_time() - began), 0));
}

/* Messages to a node, or to all others in turn; it computes between them as their sender does. Each has two pieces of
 * data, because blocks often travel in pairs. With one receiver nothing is sent back. With all nodes as receivers, each
 * returns an object without data to node 0, because all objects of one split must end in one merge. */
static void pour(flowgraph_task *task, const void *object, void *user)
{
    const request *wanted = (const request *)object;
    flowgraph_data *data[2] = { NULL, NULL };

    (void)user;
    for (size_t i = 0; i < 2 && wanted->bytes; ++i) {
        data[i] = flowgraph_data_new(task, wanted->bytes / 2);
        if (data[i]) memset(flowgraph_data_bytes(data[i]), 1, wanted->bytes / 2);
    }
    request one = *wanted;
    one.home = wanted->node == ALL ? 0 : wanted->node;
    for (size_t i = 0; i < wanted->count; ++i) {
        compute(task, wanted->budget);
        if (wanted->node == ALL) one.node = 1 + (uint32_t)(i % (c.nodes - 1));
        flowgraph_post(task, c.pouring, &one, data, wanted->bytes ? 2 : 0);
    }
    for (size_t i = 0; i < 2; ++i) flowgraph_data_drop(data[i]);
}

static void take(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    compute(task, ((const request *)object)->budget);
    flowgraph_post(task, c.keeping, object, NULL, 0);
}

static void keep(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    while (object) object = flowgraph_next(task);
}

static bool add_operation(const char *name, flowgraph_kind kind, flowgraph_threads threads, flowgraph_type in,
                          flowgraph_type out, void (*body)(flowgraph_task *, const void *, void *),
                          flowgraph_operation *operation)
{
    const flowgraph_operation_desc desc = { name, kind, threads, in, { out }, body, NULL, 0 };
    return flowgraph_operation_add(c.graph, &desc, operation) == FLOWGRAPH_OK;
}

static bool add_edge(flowgraph_operation from, flowgraph_operation to,
                     size_t (*route)(const void *, size_t, size_t, void *), flowgraph_edge *edge)
{
    return flowgraph_edge_add(c.graph, &(flowgraph_edge_desc){ from, to, route, NULL, false }, edge) == FLOWGRAPH_OK;
}

static bool build(void)
{
    flowgraph_type asked, answered;
    flowgraph_threads first, all;
    flowgraph_operation leaf, merge, taking, kept;
    const flowgraph_threads_desc one = { .name = "node 0", .count = 1 };
    const flowgraph_threads_desc each = { .name = "nodes", .count = c.nodes };
    flowgraph *g = c.graph;
    const bool done = flowgraph_type_add(g, "request", sizeof(request), &asked) == FLOWGRAPH_OK &&
                      flowgraph_type_add(g, "answer", sizeof(answer), &answered) == FLOWGRAPH_OK &&
                      flowgraph_threads_add(g, &one, &first) == FLOWGRAPH_OK &&
                      flowgraph_threads_add(g, &each, &all) == FLOWGRAPH_OK &&
                      add_operation("ask", FLOWGRAPH_SPLIT, first, asked, asked, ask, &c.ask) &&
                      add_operation("reply", FLOWGRAPH_LEAF, all, asked, answered, reply, &leaf) &&
                      add_operation("collect", FLOWGRAPH_MERGE, first, answered, 0, collect, &merge) &&
                      add_operation("pour", FLOWGRAPH_SPLIT, first, asked, asked, pour, &c.pour) &&
                      add_operation("take", FLOWGRAPH_LEAF, all, asked, asked, take, &taking) &&
                      add_operation("keep", FLOWGRAPH_MERGE, all, asked, 0, keep, &kept) &&
                      add_edge(c.ask, leaf, to_node, &c.asking) && add_edge(leaf, merge, NULL, &c.answering) &&
                      add_edge(c.pour, taking, to_node, &c.pouring) && add_edge(taking, kept, to_home, &c.keeping);
    return done || fails(flowgraph_why(g));
}

static bool run_from(flowgraph_operation begin, const request *wanted)
{
    if (flowgraph_start(c.graph, begin, 0, wanted) == FLOWGRAPH_OK && flowgraph_run(c.graph, NULL) == FLOWGRAPH_OK)
        return true;
    return fails(flowgraph_why(c.graph));
}

static bool run(const request *wanted)
{
    return run_from(c.ask, wanted);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_nodes(const void *a, const void *b)
{
    const answer *x = (const answer *)a, *y = (const answer *)b;
    return (x->node > y->node) - (x->node < y->node);
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

/* Waits until overused quota has been paid back and the links are idle. */
static void rest(const machine *m)
{
    usleep((useconds_t)(1e6 * (m->quota > 0 ? fmax(0.02, 2.2 * m->period) : 0.005)));
}

/* Whether to measure another turn: of so many where the processor is rationed, more where it is not; and fewer, but never
 * less than `FEWEST`, where a node is so slow that they would take minutes. */
static bool another(const machine *m, size_t done, size_t rationed, double began)
{
    const size_t most = m->quota > 0 ? rationed : MORE * rationed;
    return done < most && (done < FEWEST || since(began) < ldexp(enough, m->attempt > 2 ? m->attempt - 2 : 0));
}

/* What the nodes say of themselves, and whether some are on one computer. */
static bool find_nodes(machine *m, double period)
{
    const request wanted = { .what = ABOUT, .node = ALL };
    size_t different = 0;

    if (!run(&wanted)) return false;
    qsort(c.answer, c.answers, sizeof *c.answer, compare_nodes);
    m->quota = c.answer[0].quota;
    m->period = c.answer[0].quota > 0 ? c.answer[0].period : period;
    m->cores = c.answer[0].cores;
    for (size_t i = 0; i < c.answers; ++i) {
        size_t k = 0;
        while (c.answer[k].host != c.answer[i].host) ++k;
        different += k == i;
        if (fabs(c.answer[i].quota - m->quota) > 0 || (m->quota > 0 && fabs(c.answer[i].period - m->period) > 0) ||
            c.answer[i].cores != m->cores)
            return fails("nodes differ in their quotas or cores, expected nodes of one kind");
    }
    if (different == c.answers) return true;
    m->hosts = (unsigned)different;
    for (size_t i = different; i < c.answers; ++i)
        if (c.answer[i].host != c.answer[i - different].host)
            return fails(
                "nodes share computers, but not in turn: expected node 0 on the first, node 1 on the next, and so on");
    return true;
}

/* What part of a processor a node is, alone on its computer: in the midst of computing, when all that it had before is used
 * up. It begins and ends halfway through a quota, so that what else the node does hardly decides in which period it ends. */
static bool find_speed(machine *m)
{
    enum { TIMES = 5 };
    double times[TIMES];
    const double quotas = 20, seconds = m->quota > 0 ? quotas * m->quota : 0.3;
    const request wanted = {
        .what = SPIN, .node = m->hosts > 0 ? 0 : ALL, .before = m->quota > 0 ? 2.5 * m->quota : 0.02, .budget = seconds
    };

    progress("speed of nodes:", c.nodes);
    for (size_t i = 0; i < TIMES; ++i) {
        rest(m);
        if (!run(&wanted)) return false;
        times[i] = 0;
        for (size_t k = 0; k < c.answers; ++k) times[i] += c.answer[k].seconds / (double)c.answers;
    }
    m->speed = fmin(seconds / median(times, TIMES), 1);
    return true;
}

/* The line through times over sizes that errs least, relatively; neither end of it is below 0. */
static bool line_through(const double *sizes, const double *times, size_t count, netmodel_line *line)
{
    double through_zero[2] = { 0, 0 }, level[2] = { 0, 0 };
    netmodel_fit fit;

    if (netmodel_fit_line(&(netmodel_points){ sizes, times, count, NETMODEL_ERROR_RELATIVE }, &fit, NULL) !=
        NETMODEL_OK)
        return false;
    for (size_t i = 0; i < count; ++i) {
        const double part = sizes[i] / times[i];
        through_zero[0] += part;
        through_zero[1] += part * part;
        level[0] += 1 / times[i];
        level[1] += 1 / (times[i] * times[i]);
    }
    *line = fit.line;
    if (line->intercept < 0) *line = (netmodel_line){ through_zero[0] / through_zero[1], 0 };
    if (line->slope < 0) *line = (netmodel_line){ 0, level[0] / level[1] };
    return true;
}

/* A message goes, and an empty one comes back. */
static bool round_trip(const machine *m, size_t bytes)
{
    const request wanted = { .what = PING, .node = 1, .bytes = bytes };

    progress("round trips of bytes:", bytes);
    rest(m);
    return run(&wanted);
}

/* From the shortest round trip of each size. Over a link that hardly takes longer for the largest message than for none,
 * the large ones are made longer. */
static bool find_link(machine *m)
{
    const double envelope = (double)(flowgraph_envelope(c.graph, c.ask + 1) + 8);
    double bytes[SIZES], shortest[SIZES], empty[MORE * TURNS];
    const double began = since(0);
    size_t longer, turns = 0;
    netmodel_fit fit;

    if (!round_trip(m, round_trips[SIZES - 1])) return false;
    longer = c.turned < fast_trip ? LONGER : 1;
    for (; another(m, turns, TURNS, began); ++turns)
        for (size_t k = 0; k < SIZES; ++k) {
            const size_t size = round_trips[k] * (k < SMALL ? 1 : longer);
            if (!round_trip(m, size)) return false;
            bytes[k] = envelope + (double)size;
            if (turns == 0 || c.turned < shortest[k]) shortest[k] = c.turned;
            if (k == 0) empty[turns] = c.turned;
        }
    if (netmodel_fit_line(&(netmodel_points){ bytes + SMALL, shortest + SMALL, LARGE, NETMODEL_ERROR_ABSOLUTE }, &fit,
                          NULL) != NETMODEL_OK)
        return fails("round trips make no line");
    m->nothing = median(empty, turns);
    m->bandwidth = 1 / fit.line.slope;
    m->burst = fmax((shortest[0] - fit.line.intercept) * m->bandwidth, 0);
    return true;
}

/* CPU time of a message of a size, at its sender and at its receiver, as a difference between many and few. With so
 * much computing between them [s]. To node 0 itself: of an object that stays there, at both ends together. To all: with
 * the object that comes back. */
static bool pour_size(uint32_t node, size_t bytes, double apart_by, double *out, double *in)
{
    const uint32_t first = node == ALL ? 1 : node, last = node == ALL ? (uint32_t)c.nodes - 1 : node;
    const size_t nodes = last - first + 1, few = nodes > 1 ? nodes : 2, many = few + nodes * ((9 + nodes) / nodes);
    double sender[2], receiver[2];

    for (size_t i = 0; i < 2; ++i) {
        const size_t messages = i == 0 ? few : many;
        const request wanted = { .node = node, .bytes = bytes, .count = messages, .budget = apart_by };
        const double computing = (double)messages * wanted.budget;
        if (!run_from(c.pour, &wanted)) return false;
        sender[i] = flowgraph_processor_time(c.graph, 0) - computing * (node == 0 ? 2 : 1);
        receiver[i] = -computing;
        for (uint32_t k = first; k <= last; ++k) receiver[i] += flowgraph_processor_time(c.graph, k);
    }
    *out = (sender[1] - sender[0]) / (double)(many - few);
    *in = (receiver[1] - receiver[0]) / (double)(many - few);
    return true;
}

/* Every size in turn, so that a slow moment is not one size's. */
static bool find_costs(machine *m)
{
    const double envelope = (double)(flowgraph_envelope(c.graph, c.pour + 1) + 16);
    double out[SIZES][MORE * STREAMS], in[SIZES][MORE * STREAMS], local[MORE * STREAMS], soon[MORE * STREAMS],
        spaced[MORE * STREAMS], bytes[SIZES], send[SIZES], receive[SIZES], none;
    const double began = since(0);
    size_t turns = 0;

    for (; another(m, turns, STREAMS, began); ++turns) {
        for (size_t k = 0; k < SIZES; ++k) {
            progress("messages of bytes:", streams[k]);
            if (!pour_size(1, streams[k], spacing, &out[k][turns], &in[k][turns])) return false;
        }
        if (!pour_size(0, 0, spacing, &local[turns], &none) ||
            !pour_size(ALL, streams[0], spacing, &spaced[turns], &none))
            return false;
        spaced[turns] += none;
        if (!pour_size(ALL, streams[0], at_once, &soon[turns], &none)) return false;
        soon[turns] += none;
    }
    m->post = fmax(median(local, turns) / 2, 0);
    m->repeated = median(soon, turns) / median(spaced, turns);
    m->repeated = fmin(fmax(m->repeated, 0), 1);
    for (size_t k = 0; k < SIZES; ++k) {
        bytes[k] = envelope + (double)streams[k];
        send[k] = fmax(median(out[k], turns) - m->post, 1e-9);
        receive[k] = fmax(median(in[k], turns) - m->post, 1e-9);
    }
    for (size_t i = 0; i < 2; ++i)
        if (!line_through(bytes + i * SMALL, send + i * SMALL, SMALL, &m->send[i]) ||
            !line_through(bytes + i * SMALL, receive + i * SMALL, SMALL, &m->receive[i]))
            return fails("costs of messages make no line");
    return true;
}

/* CPU time of a small and a large message, at both ends. */
static const double small_bytes = 16384, large_bytes = 131072;

static double message_cost(const machine *m)
{
    return netmodel_line_time(&m->send[0], small_bytes) + netmodel_line_time(&m->receive[0], small_bytes) +
           netmodel_line_time(&m->send[1], large_bytes) + netmodel_line_time(&m->receive[1], large_bytes);
}

/* What was found and cannot be; NULL: nothing. */
static const char *impossible(const machine *m, double limit, double *found, char expected[64])
{
    const double rationed = m->quota > 0 ? fmin(m->quota / m->period, 1) : 0;

    if (!(m->speed > 0) || (m->quota > 0 && fabs(m->speed / rationed - 1) > 0.1)) {
        *found = m->speed;
        snprintf(expected, 64, m->quota > 0 ? "%.4g, its quota" : "a part of a processor", rationed);
        return "a speed";
    }
    if (!(m->bandwidth > 0) || (limit > 0 && m->bandwidth > limit)) {
        *found = 1e-6 * m->bandwidth;
        snprintf(expected, 64, limit > 0 ? "more than 0 and at most %.4g" : "more than 0", 1e-6 * limit);
        return "a bandwidth [MB/s]";
    }
    return NULL;
}

static double apart(double a, double b)
{
    return fabs(a - b) / fmax(fabs(a), fabs(b));
}

static bool bandwidths_agree(const machine *a, const machine *b)
{
    return apart(a->bandwidth, b->bandwidth) <= agree_bandwidth ||
           (small_bytes + large_bytes) * fabs(1 / a->bandwidth - 1 / b->bandwidth) <= agree_transfer * message_cost(a);
}

static double halfway(double a, double b)
{
    return (a + b) / 2;
}

/* Of two measurements that agree. */
static void mean(machine *m, const machine *other)
{
    netmodel_line *const lines[4] = { &m->send[0], &m->send[1], &m->receive[0], &m->receive[1] };
    const netmodel_line *const others[4] = { &other->send[0], &other->send[1], &other->receive[0], &other->receive[1] };

    m->speed = halfway(m->speed, other->speed);
    m->bandwidth = halfway(m->bandwidth, other->bandwidth);
    m->burst = halfway(m->burst, other->burst);
    m->nothing = halfway(m->nothing, other->nothing);
    m->post = halfway(m->post, other->post);
    m->repeated = halfway(m->repeated, other->repeated);
    for (size_t i = 0; i < 4; ++i) {
        lines[i]->slope = halfway(lines[i]->slope, others[i]->slope);
        lines[i]->intercept = halfway(lines[i]->intercept, others[i]->intercept);
    }
}

/* Measures until two measurements in a row agree; `apart_by` says how far they still differ. What has agreed is not measured
 * again. */
static bool measure(double period, double limit, machine *m, double apart_by[3])
{
    machine last = { 0 };
    bool agreed = false; /* in speed and bandwidth */

    apart_by[0] = apart_by[1] = apart_by[2] = 1;
    memset(m, 0, sizeof *m);
    for (int attempt = 1; attempt <= ATTEMPTS; ++attempt) {
        char expected[64];
        double found;
        if (!agreed) memset(m, 0, sizeof *m);
        m->attempt = attempt;
        if (!agreed && (!find_nodes(m, period) || !find_speed(m) || !find_link(m))) return false;
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
        const char *what = impossible(m, limit, &found, expected);
        if (what) {
            fprintf(stderr, "calibrate: %s of %.4g, expected %s: is the machine busy? Attempt %d of %d failed\n", what,
                    found, expected, attempt, ATTEMPTS);
            continue;
        }
        if (!find_costs(m)) return false;
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
        if (last.speed > 0) {
            if (!agreed) {
                apart_by[0] = apart(m->speed, last.speed);
                apart_by[1] = apart(m->bandwidth, last.bandwidth);
            }
            apart_by[2] = apart(message_cost(m), message_cost(&last));
            agreed = apart_by[0] <= agree_speed && bandwidths_agree(m, &last);
            if (agreed && apart_by[2] <= agree_messages) {
                mean(m, &last);
                return true;
            }
            fprintf(
                stderr,
                "calibrate: two measurements differ by %.1f %% in speed, %.1f %% in bandwidth, %.1f %% in messages: is "
                "the machine busy? Attempt %d of %d\n",
                100 * apart_by[0], 100 * apart_by[1], 100 * apart_by[2], attempt, ATTEMPTS);
        }
        last = *m;
    }
    return fails("no two measurements in a row agree: nothing is written");
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

static void write_cost(FILE *file, const char *name, const netmodel_line line[2])
{
    static const char *const prefix[2] = { "", "large_" };

    fprintf(file, "\n[operation %s]\n", name);
    for (size_t i = 0; i < 2; ++i) {
        if (i == 1) fprintf(file, "large = %.6g B\n", large);
        fprintf(file, "%sseconds = %.4g us\n", prefix[i], 1e6 * fmax(line[i].intercept, 0));
        if (line[i].slope > 0) fprintf(file, "%srate = %.6g MB/s\n", prefix[i], 1e-6 / line[i].slope);
    }
}

static bool write_machine(const char *path, const char *name, const machine *m, const double apart_by[3])
{
    FILE *file = fopen(path, "w");
    const double bytes = (double)flowgraph_envelope(c.graph, c.ask + 1);
    const double both = netmodel_line_time(&m->send[0], bytes) + netmodel_line_time(&m->receive[0], bytes) + m->post;

    if (!file) return fails("cannot write the machine file");
    fprintf(file,
            "# Measured by build/calibrate; no run of an application is in it.\n\n[machine]\nname = %s\n\n[network]\n"
            "latency = %.4g us\n\n[node]\ncount = %lu\ncores = %u\nbandwidth = %.6g MB/s\nburst = %.5g kB\n",
            name, 1e6 * fmax(m->nothing / 2 - both, 0), (unsigned long)c.nodes, m->cores, 1e-6 * m->bandwidth,
            1e-3 * m->burst);
    if (m->hosts > 0) fprintf(file, "hosts = %u\n", m->hosts);
    if (m->period > 0) {
        struct timespec tick = { 0, 0 };
        double slice = 5000;
        clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
        read_numbers("/proc/sys/kernel", "/", "sched_cfs_bandwidth_slice_us", "%lf", &slice, NULL);
        fprintf(file, "quota = %.5g ms\nperiod = %.5g ms\ntick = %.5g ms\nslice = %.5g ms\nkept = %.5g ms\n",
                1e3 * (m->quota > 0 ? m->quota : m->period * m->speed), 1e3 * m->period,
                1e3 * (double)tick.tv_sec + 1e-6 * (double)tick.tv_nsec, 1e-3 * slice, fmin(1, 1e-3 * slice));
    } else {
        fprintf(file, "speed = %.5f  # part of a processor of this machine\n", m->speed);
    }
    fprintf(file,
            "\n# CPU time at speed 1: of a message at its sender and at its receiver, and of an object that stays.");
    write_cost(file, "send", m->send);
    write_cost(file, "receive", m->receive);
    fprintf(file, "\n[operation post]\nseconds = %.4g us\n", 1e6 * m->post);
    fprintf(file,
            "\n# With less computing between them messages take less, down to this part of their fixed time.\n"
            "[operation messages]\nspacing = %.4g ms\nrepeated = %.3g %%\n",
            1e3 * spacing, 100 * m->repeated);
    fprintf(file,
            "\n# How far the last two measurements differ.\n[operation calibration]\nspeed = %.3g %%\nbandwidth = %.3g "
            "%%\nmessages = %.3g %%\n",
            100 * apart_by[0], 100 * apart_by[1], 100 * apart_by[2]);
    return fclose(file) == 0 || fails("cannot write the machine file");
}

static const char usage[] =
    "calibrate [OPTIONS] --out MACHINE.machine --kernels KERNELS.csv [--n N --r R[/PARTS] ...]\n"
    "  --out FILE        the machine file to write\n  --name TEXT       what it is called\n"
    "  --kernels FILE    times of kernels to write, for the shapes that follow\n"
    "  --n N             rows of the matrix\n  --r R[/PARTS]     columns of a block column; may be said again\n"
    "  --period SECONDS  the processor is rationed in such periods; only where its control group cannot be read\n"
    "  --limit MB/S      what the link carries at most: a larger bandwidth is measured again, then refused\n"
    "  --budget SECONDS  of processor time for each shape; default: 0.3\n";

int main(int count, char **arguments)
{
    static options o;
    const char *out = NULL, *kernels = NULL, *name = "a cluster";
    request shapes[MOST_SHAPES];
    size_t shape_count = 0, n = 0;
    double period = 0, budget = 0.3, limit = 0, apart_by[3];
    machine found;
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
            shapes[shape_count++] =
                (request){ .what = KERNELS, .node = ALL, .n = n, .r = r, .parts = parts, .budget = budget };
        } else if (taken == 0) {
            return !fails("unknown option; --help lists all");
        }
        i += 2;
    }
    if (!out || (shape_count > 0 && !kernels)) return !fails("--out and --kernels are needed");
    c.nodes = o.desc.nodes;
    if (c.nodes < 2 || c.nodes > MOST_NODES) return !fails("2 to 64 nodes are needed");
    if (!have_cache()) return 1;
    if (flowgraph_open(&o.desc, &c.graph) != FLOWGRAPH_OK) return !fails(flowgraph_why(c.graph));
    if (!build() || !measure(period, limit, &found, apart_by)) return 1;
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
    if (!write_machine(out, name, &found, apart_by)) return 1;
    printf("speed %.4f; %.5g MB/s, burst %.3g kB; round trip of nothing %.3g ms; an object that stays takes %.3g us;\n",
           found.speed, 1e-6 * found.bandwidth, 1e-3 * found.burst, 1e3 * found.nothing, 1e6 * found.post);
    for (size_t i = 0; i < 2; ++i)
        printf("a %s message takes %.3g us + %.4g s/MB of its sender, %.3g us + %.4g s/MB of its receiver\n",
               i ? "large" : "small", 1e6 * found.send[i].intercept, 1e6 * found.send[i].slope,
               1e6 * found.receive[i].intercept, 1e6 * found.receive[i].slope);
    flowgraph_close(c.graph);
    return 0;
}
