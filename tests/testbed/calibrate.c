/* What does a cluster take to compute and to send? Measured as a flow graph that runs there for real, in turns:
 *
 *   about       what each node says of itself: its quota and period, how many cores it may use, whose computer it is on
 *   speed       what part of a processor a node is; with a quota, whether it computes as much as that allows
 *   link        latency, bandwidth and burst, from round trips: the shortest of each size, so that no quota is in them
 *   messages    CPU time of a message at both ends, over its size, as in an application: between computations
 *   post        CPU time of an object that stays on its node
 *   kernels     of the LU factorization, on all nodes at once; medians over nodes
 *
 * All but kernels is measured once in each turn, so that what disturbs the machine for a while disturbs all of it, until the standard errors
 * are small enough or --seconds (60) have passed. Values are what is usual among the turns (examples/centre.h), and their errors come from
 * drawing turns again and again from those that there are (the bootstrap); both go into the machine file, as `40 us +- 2 us`. Values that
 * are not precise enough are named. Kernels go into a file as factor --kernels reads them. No run of an application goes into either. What
 * cannot be, such as a bandwidth above the --limit of the link, comes from a machine that was busy meanwhile: it is refused if it stays. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/netmodel_fit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "../../examples/centre.h"
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
    LEAST = 3,  /* turns, also where nodes are so slow that these take minutes */
    FIRST = 4,  /* turns before values are made of them, to see whether they can be; */
    FEWEST = 8, /* before these may be the last */
    MOST_TURNS = 400,
    SMALL = 4,
    LARGE = 4,
    SIZES = SMALL + LARGE,
    LONGER = 8,
    MOST_NODES = 64,
    MOST_SHAPES = 64,
    ATTEMPTS = 5 /* at values that can be */
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

/* Standard errors that are small enough, relative; of a bandwidth also what changes the time of a message by this part of its CPU time:
 * loopback is as fast as memory. */
static const double precise_speed = 0.005, precise_bandwidth = 0.005, precise_messages = 0.02, precise_transfer = 0.02;

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

/* The nodes. */
typedef struct machine {
    double quota, period;  /* 0: not rationed */
    unsigned cores, hosts; /* hosts 0: each node is a computer */
    int turns;             /* measured */
    size_t longer;         /* large messages are as many times as long, over a link that hardly takes longer for them */
} machine;

/* One measurement of everything. [s] */
typedef struct turn {
    double spin;                  /* of computing for SPIN seconds of CPU time */
    double trip[SIZES];           /* there and back */
    double out[SIZES], in[SIZES]; /* CPU time of a message at both ends, with that of an object that stays */
    double local, soon,
        spaced; /* of two objects that stay; of a message to all others, in a row and with computing between */
} turn;

/* Values that are made of turns. [s], [B/s], [B] */
enum {
    SPEED,
    NOTHING, /* a round trip of nothing */
    LATENCY,
    BANDWIDTH,
    BURST,
    POST,
    REPEATED, /* part of the time that a message takes right after another */
    SEND,     /* and what follows it: the fixed time and the time for a byte, of small and of large messages */
    RECEIVE = SEND + 4,
    COST = RECEIVE + 4, /* CPU time of a small and a large message, at both ends */
    VALUES
};

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

static int compare_nodes(const void *a, const void *b)
{
    const answer *x = (const answer *)a, *y = (const answer *)b;
    return (x->node > y->node) - (x->node < y->node);
}

static int turn_shown; /* 0: none */

static void progress(const char *what, unsigned long number)
{
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\rmeasuring %s %lu ...", what, number);
    if (turn_shown) fprintf(stderr, " turn %d", turn_shown);
    fprintf(stderr, "\033[K");
}

/* Waits until overused quota has been paid back and the links are idle. */
static void rest(const machine *m)
{
    usleep((useconds_t)(1e6 * (m->quota > 0 ? fmax(0.02, 2.2 * m->period) : 0.005)));
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

/* CPU time that a node computes for, and before that, so that what it had is used up. It begins and ends halfway through a quota, so that
 * what else the node does hardly decides in which period it ends. */
static double spin_seconds(const machine *m)
{
    return m->quota > 0 ? 20 * m->quota : 0.3;
}

/* Of one node on its computer. */
static bool take_speed(const machine *m, turn *t)
{
    const request wanted = { .what = SPIN,
                             .node = m->hosts > 0 ? 0 : ALL,
                             .before = m->quota > 0 ? 2.5 * m->quota : 0.02,
                             .budget = spin_seconds(m) };

    progress("speed of nodes:", c.nodes);
    rest(m);
    if (!run(&wanted)) return false;
    t->spin = 0;
    for (size_t k = 0; k < c.answers; ++k) t->spin += c.answer[k].seconds / (double)c.answers;
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

static size_t trip_bytes(const machine *m, size_t k)
{
    return round_trips[k] * (k < SMALL ? 1 : m->longer);
}

static bool take_trips(const machine *m, turn *t)
{
    for (size_t k = 0; k < SIZES; ++k) {
        if (!round_trip(m, trip_bytes(m, k))) return false;
        t->trip[k] = c.turned;
    }
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

static bool take_costs(turn *t)
{
    double none;

    for (size_t k = 0; k < SIZES; ++k) {
        progress("messages of bytes:", streams[k]);
        if (!pour_size(1, streams[k], spacing, &t->out[k], &t->in[k])) return false;
    }
    if (!pour_size(0, 0, spacing, &t->local, &none) || !pour_size(ALL, streams[0], spacing, &t->spaced, &none))
        return false;
    t->spaced += none;
    if (!pour_size(ALL, streams[0], at_once, &t->soon, &none)) return false;
    t->soon += none;
    return true;
}

static netmodel_line line_in(const double *v, int value)
{
    return (netmodel_line){ .intercept = v[value], .slope = v[value + 1] };
}

/* CPU time of a small and a large message, at both ends. */
static const double small_bytes = 16384, large_bytes = 131072;

static double message_cost(const double *v)
{
    const netmodel_line lines[4] = { line_in(v, SEND), line_in(v, RECEIVE), line_in(v, SEND + 2),
                                     line_in(v, RECEIVE + 2) };

    return netmodel_line_time(&lines[0], small_bytes) + netmodel_line_time(&lines[1], small_bytes) +
           netmodel_line_time(&lines[2], large_bytes) + netmodel_line_time(&lines[3], large_bytes);
}

/* The usual value, among the chosen turns, of a time, which is at this place in each. */
static double usual(const turn *turns, const int *chosen, int count, size_t place)
{
    static double values[MOST_TURNS];

    for (int i = 0; i < count; ++i) memcpy(&values[i], (const char *)&turns[chosen[i]] + place, sizeof *values);
    return centre_of(values, count);
}

/* The values of these turns. The link is that of the shortest round trip of each size, so that no quota is in it. False: there is no line
 * through the times. */
static bool derive(const machine *m, const turn *turns, const int *chosen, int count, double v[VALUES])
{
    const double asked = (double)(flowgraph_envelope(c.graph, c.ask + 1) + 8);
    const double poured = (double)(flowgraph_envelope(c.graph, c.pour + 1) + 16);
    const double envelope = (double)flowgraph_envelope(c.graph, c.ask + 1);
    double bytes[SIZES], shortest[SIZES], ends[2][SIZES];
    netmodel_fit fit;
    netmodel_line line;

    for (size_t k = 0; k < SIZES; ++k) {
        bytes[k] = asked + (double)trip_bytes(m, k);
        shortest[k] = turns[chosen[0]].trip[k];
        for (int i = 1; i < count; ++i) shortest[k] = fmin(shortest[k], turns[chosen[i]].trip[k]);
    }
    if (netmodel_fit_line(&(netmodel_points){ bytes + SMALL, shortest + SMALL, LARGE, NETMODEL_ERROR_ABSOLUTE }, &fit,
                          NULL) != NETMODEL_OK)
        return false;
    v[SPEED] = fmin(spin_seconds(m) / usual(turns, chosen, count, offsetof(turn, spin)), 1);
    v[NOTHING] = usual(turns, chosen, count, offsetof(turn, trip));
    v[BANDWIDTH] = fit.line.slope > 0 ? 1 / fit.line.slope : 0;
    v[BURST] = fmax((shortest[0] - fit.line.intercept) * v[BANDWIDTH], 0);
    v[POST] = fmax(usual(turns, chosen, count, offsetof(turn, local)) / 2, 0);
    v[REPEATED] = fmin(
        fmax(usual(turns, chosen, count, offsetof(turn, soon)) / usual(turns, chosen, count, offsetof(turn, spaced)),
             0),
        1);
    for (size_t k = 0; k < SIZES; ++k) {
        bytes[k] = poured + (double)streams[k];
        ends[0][k] = fmax(usual(turns, chosen, count, offsetof(turn, out) + k * sizeof(double)) - v[POST], 1e-9);
        ends[1][k] = fmax(usual(turns, chosen, count, offsetof(turn, in) + k * sizeof(double)) - v[POST], 1e-9);
    }
    for (size_t i = 0; i < 4; ++i) {
        const size_t first = i % 2 * SMALL;
        if (!line_through(bytes + first, ends[i / 2] + first, SMALL, &line)) return false;
        v[SEND + 2 * i] = line.intercept;
        v[SEND + 2 * i + 1] = line.slope;
    }
    const netmodel_line out = line_in(v, SEND), in = line_in(v, RECEIVE);
    v[LATENCY] =
        fmax(v[NOTHING] / 2 - netmodel_line_time(&out, envelope) - netmodel_line_time(&in, envelope) - v[POST], 0);
    v[COST] = message_cost(v);
    return true;
}

/* Standard errors of the values, and how each goes with another one, by drawing turns from those that there are. */
static bool errors_of(const machine *m, const turn *turns, int count, const int with[VALUES], double error[VALUES],
                      double correlation[VALUES])
{
    enum { DRAWS = 200 };
    static double v[DRAWS][VALUES], sorted[DRAWS];
    static int chosen[MOST_TURNS];
    /* Few turns vary too little among themselves. */
    const double wider = netmodel_student(0.9, (size_t)count - 1) / 1.645;
    uint32_t state = 1;

    for (int i = 0; i < DRAWS; ++i) {
        for (int k = 0; k < count; ++k) chosen[k] = centre_pick(&state, count);
        if (!derive(m, turns, chosen, count, v[i])) return false;
    }
    centre_errors(v[0], DRAWS, VALUES, wider, with, sorted, error, correlation);
    return true;
}

/* What was found and cannot be; NULL: nothing. */
static const char *impossible(const machine *m, const double *v, double limit, double *found, char expected[64])
{
    const double rationed = m->quota > 0 ? fmin(m->quota / m->period, 1) : 0;

    if (!(v[SPEED] > 0) || (m->quota > 0 && fabs(v[SPEED] / rationed - 1) > 0.1)) {
        *found = v[SPEED];
        snprintf(expected, 64, m->quota > 0 ? "%.4g, its quota" : "a part of a processor", rationed);
        return "a speed";
    }
    if (!(v[BANDWIDTH] > 0) || (limit > 0 && v[BANDWIDTH] > limit)) {
        *found = 1e-6 * v[BANDWIDTH];
        snprintf(expected, 64, limit > 0 ? "more than 0 and at most %.4g" : "more than 0", 1e-6 * limit);
        return "a bandwidth [MB/s]";
    }
    return NULL;
}

/* The largest error, as a multiple of what is wanted. */
static double too_large(const double v[VALUES], const double error[VALUES])
{
    const double transfer = (small_bytes + large_bytes) * error[BANDWIDTH] / (v[BANDWIDTH] * v[BANDWIDTH]) / v[COST];

    return fmax(fmax(error[SPEED] / v[SPEED] / precise_speed, error[COST] / v[COST] / precise_messages),
                fmin(error[BANDWIDTH] / v[BANDWIDTH] / precise_bandwidth, transfer / precise_transfer));
}

/* Says which values are not known so well, and what would help. */
static void say_noisy(const double v[VALUES], const double error[VALUES])
{
    static const struct {
        int value;
        const char *name;
    } values[] = { { SPEED, "speed" }, { BANDWIDTH, "bandwidth" }, { NOTHING, "a round trip" }, { COST, "messages" } };
    const double most = 0.05;
    int noisy = 0;

    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        const double off = error[values[i].value] / v[values[i].value];
        if (!(off > most)) continue;
        if (!noisy++) fprintf(stderr, "calibrate: the machine was too busy for");
        fprintf(stderr, "%s %s (standard error %.0f %%)", noisy > 1 ? "," : "", values[i].name, 100 * off);
    }
    if (noisy)
        fprintf(stderr,
                "; what would help: no other programs on the nodes and links, or more time (--seconds), of which "
                "a disturbance takes a smaller part\n");
}

/* Measures in turns until the values are precise enough or the time is over. */
static bool measure(double period, double limit, double seconds, machine *m, const int with[VALUES], double v[VALUES],
                    double error[VALUES], double correlation[VALUES])
{
    static turn turns[MOST_TURNS];
    static int all[MOST_TURNS];
    int attempt = 0;
    const double began = since(0);

    memset(m, 0, sizeof *m);
    m->longer = 1;
    if (!find_nodes(m, period) || !round_trip(m, round_trips[SIZES - 1])) return false;
    if (c.turned < fast_trip) m->longer = LONGER;
    for (int count = 1; count <= MOST_TURNS; ++count) {
        char expected[64];
        double found;
        turn *now = &turns[count - 1];
        all[count - 1] = count - 1;
        m->turns = count;
        turn_shown = count;
        if (!take_speed(m, now) || !take_trips(m, now) || !take_costs(now)) return false;
        const bool last = count == MOST_TURNS || (count >= LEAST && since(began) * (count + 1) / count > seconds);
        if (count < FIRST && !last) continue;
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
        if (!derive(m, turns, all, count, v)) return fails("the times of messages make no line");
        const char *what = impossible(m, v, limit, &found, expected);
        if (what) {
            fprintf(stderr, "calibrate: %s of %.4g, expected %s: is the machine busy? Attempt %d of %d failed\n", what,
                    found, expected, ++attempt, ATTEMPTS);
            if (attempt == ATTEMPTS || count == MOST_TURNS)
                return fails("what was measured cannot be: nothing is written");
            continue;
        }
        if (count < FEWEST && !last) continue;
        if (!errors_of(m, turns, count, with, error, correlation)) return fails("the times of messages make no line");
        if (last || too_large(v, error) <= 1) break;
    }
    turn_shown = 0;
    say_noisy(v, error);
    return true;
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
        *of[i] = centre_median(values, (int)c.answers);
    }
}

/* `NUMBER UNIT +- ERROR UNIT @SOURCE CORRELATION`, as much of it as is known. */
static void write_value(FILE *file, const char *name, double value, double error, const char *unit, const char *source,
                        double correlation)
{
    const char *const space = *unit ? " " : "";

    fprintf(file, "%s = %.5g%s%s", name, value, space, unit);
    if (error > 1e-9 * fabs(value)) {
        fprintf(file, " +- %.2g%s%s", error, space, unit);
        if (source && correlation != 0)
            fprintf(file, " @%s %.2f", source, correlation);
        else if (source)
            fprintf(file, " @%s", source);
    }
    fprintf(file, "\n");
}

/* The fixed times are sources, and what belongs to a byte goes with them. */
static void write_cost(FILE *file, const char *name, int first, const double v[VALUES], const double error[VALUES],
                       const double correlation[VALUES])
{
    fprintf(file, "\n[operation %s]\n", name);
    for (int i = 0; i < 2; ++i) {
        const int fixed = first + 2 * i, slope = fixed + 1;
        char key[40], source[40];
        snprintf(source, sizeof source, "%s%s", i ? "large_" : "", name);
        snprintf(key, sizeof key, "%sseconds", i ? "large_" : "");
        if (i == 1) fprintf(file, "large = %.6g B\n", large);
        write_value(file, key, 1e6 * fmax(v[fixed], 0), 1e6 * error[fixed], "us", source, 0);
        snprintf(key, sizeof key, "%srate", i ? "large_" : "");
        if (v[slope] > 0)
            write_value(file, key, 1e-6 / v[slope], fmin(1e-6 / v[slope] * error[slope] / v[slope], 0.3e-6 / v[slope]),
                        "MB/s", source, -correlation[slope]);
    }
}

static bool write_machine(const char *path, const char *name, const machine *m, const double v[VALUES],
                          const double error[VALUES], const double correlation[VALUES])
{
    FILE *file = fopen(path, "w");

    if (!file) return fails("cannot write the machine file");
    fprintf(file,
            "# Measured by build/calibrate in %d turns; no run of an application is in it. The errors are standard "
            "errors.\n\n"
            "[machine]\nname = %s\n\n[network]\n",
            m->turns, name);
    write_value(file, "latency", 1e6 * v[LATENCY], 1e6 * error[LATENCY], "us", "send", correlation[LATENCY]);
    fprintf(file, "\n[node]\ncount = %lu\ncores = %u\n", (unsigned long)c.nodes, m->cores);
    write_value(file, "bandwidth", 1e-6 * v[BANDWIDTH], 1e-6 * error[BANDWIDTH], "MB/s", NULL, 0);
    write_value(file, "burst", 1e-3 * v[BURST], 1e-3 * error[BURST], "kB", NULL, 0);
    if (m->hosts > 0) fprintf(file, "hosts = %u\n", m->hosts);
    if (m->period > 0) {
        struct timespec tick = { 0, 0 };
        double slice = 5000;
        clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
        read_numbers("/proc/sys/kernel", "/", "sched_cfs_bandwidth_slice_us", "%lf", &slice, NULL);
        fprintf(file, "quota = %.5g ms\nperiod = %.5g ms\ntick = %.5g ms\nslice = %.5g ms\nkept = %.5g ms\n",
                1e3 * (m->quota > 0 ? m->quota : m->period * v[SPEED]), 1e3 * m->period,
                1e3 * (double)tick.tv_sec + 1e-6 * (double)tick.tv_nsec, 1e-3 * slice, fmin(1, 1e-3 * slice));
    } else {
        fprintf(file, "# part of a processor of this machine\n");
        write_value(file, "speed", v[SPEED], error[SPEED], "", NULL, 0);
    }
    fprintf(file,
            "\n# CPU time at speed 1: of a message at its sender and at its receiver, and of an object that stays.");
    write_cost(file, "send", SEND, v, error, correlation);
    write_cost(file, "receive", RECEIVE, v, error, correlation);
    fprintf(file, "\n[operation post]\n");
    write_value(file, "seconds", 1e6 * v[POST], 1e6 * error[POST], "us", NULL, 0);
    fprintf(file,
            "\n# With less computing between them messages take less, down to this part of their fixed time.\n"
            "[operation messages]\nspacing = %.4g ms\n",
            1e3 * spacing);
    write_value(file, "repeated", 100 * v[REPEATED], 100 * error[REPEATED], "%", NULL, 0);
    return fclose(file) == 0 || fails("cannot write the machine file");
}

static const char usage[] =
    "calibrate [OPTIONS] --out MACHINE.machine --kernels KERNELS.csv [--n N --r R[/PARTS] ...]\n"
    "  --out FILE        the machine file to write\n  --name TEXT       what it is called\n"
    "  --kernels FILE    times of kernels to write, for the shapes that follow\n"
    "  --n N             rows of the matrix\n  --r R[/PARTS]     columns of a block column; may be said again\n"
    "  --period SECONDS  the processor is rationed in such periods; only where its control group cannot be read\n"
    "  --limit MB/S      what the link carries at most: a larger bandwidth is measured again, then refused\n"
    "  --budget SECONDS  of processor time for each shape; default: 0.3\n"
    "  --seconds SECONDS for all but the kernels, unless the values are precise before; default: 60\n";

int main(int count, char **arguments)
{
    static options o;
    const char *out = NULL, *kernels = NULL, *name = "a cluster";
    request shapes[MOST_SHAPES];
    size_t shape_count = 0, n = 0;
    double period = 0, budget = 0.3, limit = 0, seconds = 60, v[VALUES], error[VALUES], correlation[VALUES];
    int with[VALUES];
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
        } else if (taken == 0 && strcmp(arguments[i], "--seconds") == 0) {
            if (!options_amount(value, 0, &seconds)) return !fails("--seconds: expected seconds");
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
    for (int k = 0; k < VALUES; ++k) with[k] = k > SEND && k < COST && (k - SEND) % 2 ? k - 1 : VALUES;
    with[LATENCY] = SEND;
    if (!build() || !measure(period, limit, seconds, &found, with, v, error, correlation)) return 1;
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
    if (!write_machine(out, name, &found, v, error, correlation)) return 1;
    printf("speed %.4f; %.5g MB/s, burst %.3g kB; round trip of nothing %.3g ms; an object that stays takes %.3g us;\n",
           v[SPEED], 1e-6 * v[BANDWIDTH], 1e-3 * v[BURST], 1e3 * v[NOTHING], 1e6 * v[POST]);
    for (int i = 0; i < 2; ++i)
        printf("a %s message takes %.3g us + %.4g s/MB of its sender, %.3g us + %.4g s/MB of its receiver\n",
               i ? "large" : "small", 1e6 * v[SEND + 2 * i], 1e6 * v[SEND + 2 * i + 1], 1e6 * v[RECEIVE + 2 * i],
               1e6 * v[RECEIVE + 2 * i + 1]);
    flowgraph_close(c.graph);
    return 0;
}
