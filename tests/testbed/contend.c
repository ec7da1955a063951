/* build/contend: what the slowdown paper's experiments need on a testbed. Competitors that compute and communicate, the
 * benchmark that tells how much bandwidth is available, programs that are slowed down, and the predictions, which are
 * contention.h's and netmodel.h's: none of their formulas is here again. tests/testbed/slowdown runs it all. */
#define _POSIX_C_SOURCE 200809L
#define CONTENTION_IMPLEMENTATION
#include "contention.h"
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "contend.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*=============================================================================
 * MARK: - >>common
 *===========================================================================*/
bool fails(const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "contend: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    return false;
}

static double clock_of(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double now(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

span begin_span(void)
{
    const span begun = { now(), clock_of(CLOCK_PROCESS_CPUTIME_ID) };

    return begun;
}

span end_span(span begun)
{
    const span took = { now() - begun.wall, clock_of(CLOCK_PROCESS_CPUTIME_ID) - begun.processor };

    return took;
}

static void rest_for(double seconds)
{
    struct timespec t;

    if (!(seconds > 0)) return;
    t.tv_sec = (time_t)seconds;
    t.tv_nsec = (long)(1e9 * (seconds - (double)t.tv_sec));
    nanosleep(&t, NULL);
}

/* splitmix64: competitors with other seeds are not in step. */
double random_part(double seed)
{
    static uint64_t state;
    uint64_t z;

    if (state == 0) state = 1 + (uint64_t)(1000 * seed);
    z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

bool numbers_of(const char *name, const char *text, double value[], size_t count)
{
    const char *at = text;
    char *end;

    if (!text) return fails("--%s is needed: %lu numbers, separated by commas", name, (unsigned long)count);
    for (size_t i = 0; i < count; i++, at = end + 1) {
        value[i] = strtod(at, &end);
        if (end == at || *end != (i + 1 < count ? ',' : 0))
            return fails("--%s '%s': expected %lu numbers, separated by commas", name, text, (unsigned long)count);
    }
    return true;
}

/*=============================================================================
 * MARK: - >>sockets
 *===========================================================================*/
static int lost(const char *what, int port)
{
    fails("port %d: %s: %s", port, what, strerror(errno));
    return -1;
}

/* The end of a burst must not wait for an acknowledgement of its beginning. */
static int at_once(int socket)
{
    const int yes = 1;

    if (socket >= 0) setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return socket;
}

int net_listen(int port)
{
    struct sockaddr_in here;
    const int yes = 1, listener = socket(AF_INET, SOCK_STREAM, 0);

    memset(&here, 0, sizeof here);
    here.sin_family = AF_INET;
    here.sin_port = htons((uint16_t)port);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0 ||
        bind(listener, (const struct sockaddr *)&here, sizeof here) < 0 || listen(listener, 64) < 0)
        return lost("cannot listen", port);
    return listener;
}

int net_accept(int listener)
{
    int found;

    do found = accept(listener, NULL, NULL);
    while (found < 0 && errno == EINTR);
    return found < 0 ? lost("nobody can be let in", 0) : at_once(found);
}

int net_connect(const char *address, int port)
{
    struct sockaddr_in there;
    const double began = now();

    memset(&there, 0, sizeof there);
    there.sin_family = AF_INET;
    there.sin_port = htons((uint16_t)port);
    if (!address || inet_pton(AF_INET, address, &there.sin_addr) != 1) {
        fails("--to '%s': expected an address such as 10.77.0.2", address ? address : "");
        return -1;
    }
    do {
        const int found = socket(AF_INET, SOCK_STREAM, 0);
        if (found < 0) break;
        if (connect(found, (const struct sockaddr *)&there, sizeof there) == 0) return at_once(found);
        close(found);
        rest_for(0.02);
    } while (now() - began < 10);
    return lost(address, port);
}

bool net_send(int socket, const void *bytes, size_t count)
{
    const char *at = (const char *)bytes;

    while (count > 0) {
        const ssize_t went = send(socket, at, count, 0);
        if (went < 0 && errno == EINTR) continue;
        if (went <= 0) return false;
        at += went;
        count -= (size_t)went;
    }
    return true;
}

bool net_receive(int socket, void *bytes, size_t count)
{
    char *at = (char *)bytes;

    while (count > 0) {
        const ssize_t came = recv(socket, at, count, MSG_WAITALL);
        if (came < 0 && errno == EINTR) continue;
        if (came <= 0) return false;
        at += came;
        count -= (size_t)came;
    }
    return true;
}

/*=============================================================================
 * MARK: - >>bursts
 *===========================================================================*/
/* What a burst will be; both ends are machines of one kind. */
typedef struct order {
    uint32_t messages, words;
} order;

/* The memory of a message, as large as the largest so far. */
static char *message_of(size_t bytes)
{
    static char *memory;
    static size_t size;

    if (bytes <= size && memory) return memory;
    free(memory);
    memory = (char *)calloc(bytes + WORD, 1);
    size = bytes;
    if (!memory) fails("no memory for a message of %lu bytes", (unsigned long)bytes);
    return memory;
}

/* What the libraries of the time did to a message, at both ends: each word in network byte order, and a sum over all of it,
 * so many times over that sending costs as much processor time, next to what the wire takes, as it did on a workstation. */
static double passes;

static void pack(char *message, size_t bytes)
{
    static uint32_t table[256];
    uint32_t sum = 0;

    if (table[1] == 0)
        for (uint32_t i = 0; i < 256; ++i) {
            table[i] = i;
            for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xedb88320u : 0);
        }
    for (double pass = 0; pass < passes; ++pass)
        for (size_t i = 0; i + WORD <= bytes; i += WORD) {
            uint32_t word;
            memcpy(&word, message + i, WORD);
            word = htonl(word);
            memcpy(message + i, &word, WORD);
            for (size_t k = i; k < i + WORD; ++k) sum = (sum >> 8) ^ table[(sum ^ (unsigned char)message[k]) & 255];
        }
    memcpy(message, &sum, WORD);
}

static bool send_message(int socket, char *message, size_t bytes)
{
    pack(message, bytes);
    return net_send(socket, message, bytes);
}

static bool receive_message(int socket, char *message, size_t bytes)
{
    if (!net_receive(socket, message, bytes)) return false;
    pack(message, bytes);
    return true;
}

/* Serves one who connected until it goes: takes bursts, and says so with one word. */
static void serve(int socket)
{
    order o;
    uint32_t word = 1;

    while (net_receive(socket, &o, sizeof o)) {
        const size_t bytes = (size_t)o.words * WORD;
        char *message = message_of(bytes);
        if (!message) return;
        for (uint32_t i = 0; i < o.messages; ++i)
            if (!receive_message(socket, message, bytes)) return;
        if (!net_send(socket, &word, sizeof word)) return;
    }
}

static bool run_sink(const settings *s)
{
    const int listener = net_listen((int)s->port);

    if (listener < 0) return false;
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        const int socket = net_accept(listener);
        const pid_t child = socket < 0 ? -1 : fork();
        if (socket < 0) return false;
        if (child < 0) return fails("cannot fork: %s", strerror(errno));
        if (child == 0) {
            close(listener);
            alarm((unsigned)s->most); /* ends whatever happens */
            serve(socket);
            _exit(0);
        }
        close(socket);
    }
}

/* One burst, until the other side has all of it. `tick` may look at the clock between messages. */
static bool burst(int socket, uint32_t messages, uint32_t words, void (*tick)(void))
{
    const order o = { messages, words };
    const size_t bytes = (size_t)words * WORD;
    char *message = message_of(bytes);
    uint32_t word;

    if (!message || !net_send(socket, &o, sizeof o)) return false;
    for (uint32_t i = 0; i < messages; ++i) {
        if (!send_message(socket, message, bytes)) return false;
        if (tick) tick();
    }
    return net_receive(socket, &word, sizeof word);
}

/* The same burst several times, with rests of random length, so that it meets competitors at random moments. */
static bool run_bursts(const settings *s, bool bandwidth)
{
    const int socket = net_connect(s->to, (int)s->port);
    double sum = 0;

    if (socket < 0) return false;
    for (double i = 0; i < s->repeat; ++i) {
        double began;
        rest_for(s->pause * 2 * random_part(s->seed));
        began = now();
        if (!burst(socket, (uint32_t)s->messages, (uint32_t)s->words, NULL))
            return fails("%s went away during a burst", s->to);
        sum += now() - began;
    }
    if (bandwidth)
        printf("%.6g\n", 1e-6 * s->messages * s->words * s->repeat / sum); /* [Mword/s] */
    else
        printf("%.6g\n", sum / s->repeat); /* [s] */
    return true;
}

/*=============================================================================
 * MARK: - >>load
 *===========================================================================*/
/* Where the time of a competitor went. */
static struct {
    double begin, until; /* when to look */
    double last, spent[3];
    int phase;
    bool told;
} meter;

enum { COMPUTING, COMMUNICATING, IDLE };

/* Tells once, after so many seconds, which part of its time it has computed, communicated and rested. */
static void look(void)
{
    const double t = now();
    double all;

    if (meter.told || t < meter.begin) {
        meter.last = t;
        return;
    }
    meter.spent[meter.phase] += t - meter.last;
    meter.last = t;
    if (t < meter.until) return;
    meter.told = true;
    all = meter.spent[COMPUTING] + meter.spent[COMMUNICATING] + meter.spent[IDLE];
    printf("%.5f %.5f %.5f\n", meter.spent[COMPUTING] / all, meter.spent[COMMUNICATING] / all, meter.spent[IDLE] / all);
    fflush(stdout);
}

/* Computes for so much processor time: when others compute too it takes longer, as with any program. */
static void compute_for(double seconds)
{
    const double end = clock_of(CLOCK_PROCESS_CPUTIME_ID) + seconds;
    volatile double x = 1;

    while (clock_of(CLOCK_PROCESS_CPUTIME_ID) < end) {
        for (int i = 0; i < 4000; ++i) x = x * 0.999 + 0.001;
        look();
    }
}

static double around(double mean, const settings *s)
{
    return mean * (1 + s->jitter * (2 * random_part(s->seed) - 1));
}

static bool run_load(const settings *s)
{
    const bool communicates = s->messages > 0;
    const int socket = communicates ? net_connect(s->to, (int)s->port) : -1;
    const double began = now();

    if (communicates && socket < 0) return false;
    if (!communicates && !(s->compute > 0)) return fails("load: --compute or --messages, or both");
    meter.begin = began + s->settle;
    meter.until = meter.begin + s->sense;
    meter.last = began;
    alarm((unsigned)s->most); /* ends whatever happens */
    rest_for(random_part(s->seed) * (s->compute > 0.2 ? 0.2 : s->compute));
    for (;;) {
        meter.phase = COMPUTING;
        if (s->compute > 0) compute_for(around(s->compute, s));
        meter.phase = COMMUNICATING;
        if (communicates && !burst(socket, (uint32_t)s->messages, (uint32_t)s->words, look))
            return fails("%s went away during a burst", s->to);
        look();
        meter.phase = IDLE;
        if (s->idle > 0) rest_for(around(s->idle, s));
        look();
    }
}

/*=============================================================================
 * MARK: - >>predictions
 *===========================================================================*/
enum { MOST_POINTS = 500 };

static int by_bandwidth(const void *a, const void *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Points "i bandwidth delay" from the standard input; a curve of two pieces for each i to the standard output. */
static bool run_fit(void)
{
    static double all[MOST_POINTS][3], scratch[100000];
    double n[MOST_POINTS], t[MOST_POINTS];
    size_t count = 0;

    while (count < MOST_POINTS && scanf("%lf %lf %lf", &all[count][2], &all[count][0], &all[count][1]) == 3) ++count;
    qsort(all, count, sizeof *all, by_bandwidth);
    for (int i = 1;; ++i) {
        const netmodel_pieces_desc two = { .maximum = 2, .exactly = 1, .falling = 1 };
        netmodel_piece piece[2];
        netmodel_pieces fit;
        netmodel_result result;
        size_t points = 0, where = 0;
        for (size_t k = 0; k < count; ++k) {
            if (!(fabs(all[k][2] - i) < 0.5)) continue;
            n[points] = all[k][0];
            t[points++] = all[k][1];
        }
        if (points == 0) return i > 1 || fails("fit: expected lines of i, bandwidth and delay, with i from 1 on");
        if (netmodel_pieces_scratch(points, 2) > sizeof scratch / sizeof *scratch)
            return fails("fit: too many points for %d competitors: %lu", i, (unsigned long)points);
        result = netmodel_fit_pieces(&(netmodel_points){ n, t, points, NETMODEL_ERROR_ABSOLUTE }, &two, scratch, piece,
                                     &fit, &where);
        if (result != NETMODEL_OK)
            return fails("fit: %d competitors, %lu points: %s", i, (unsigned long)points, netmodel_result_text(result));
        printf("%d %.6g %.6g %.6g %.6g %.6g  deviation %.3f\n", i, piece[1].low, piece[0].line.intercept,
               piece[0].line.slope, piece[1].line.intercept, piece[1].line.slope, fit.deviation);
    }
}

/* Curves as run_fit() prints them; or a number, the delay whatever the bandwidth. */
static bool delays_of(const char *text, contention_delay delays[], size_t *count)
{
    char *end, line[300];
    const double constant = text ? strtod(text, &end) : 0;
    FILE *file;

    *count = 0;
    if (!text) return true;
    if (end != text && *end == 0) {
        delays[0] = (contention_delay){ 0, constant, 0, constant, 0 };
        *count = 1;
        return true;
    }
    file = fopen(text, "r");
    if (!file) return fails("--delays: cannot read '%s': %s", text, strerror(errno));
    while (*count < MOST_NODES && fgets(line, sizeof line, file)) {
        contention_delay *d = &delays[*count];
        if (sscanf(line, "%*d %lf %lf %lf %lf %lf", &d->bandwidth, &d->low_intercept, &d->low_slope, &d->high_intercept,
                   &d->high_slope) == 5)
            ++*count;
    }
    fclose(file);
    return *count > 0 || fails("--delays: no curve in '%s'", text);
}

/* Eq. (2), and where communication takes its part first: each of the rest is COMPUTING:COMMUNICATING. */
static bool run_local(const settings *s)
{
    contention_delay delays[MOST_NODES];
    static contention_mix mix;
    size_t count;

    if (!delays_of(s->delays, delays, &count)) return false;
    for (int i = 0; i < s->rest_count; ++i) {
        double computing, communicating;
        contention_result result;
        if (sscanf(s->rest[i], "%lf:%lf", &computing, &communicating) != 2)
            return fails("local: '%s': expected COMPUTING:COMMUNICATING, such as 0.55:0.45", s->rest[i]);
        if (computing + communicating > 1) communicating = 1 - computing; /* they have been rounded */
        result = contention_mix_add(&mix, computing, communicating);
        if (result != CONTENTION_OK) return fails("local: '%s': %s", s->rest[i], contention_result_text(result));
    }
    printf("%.5f %.5f\n", contention_slowdown_local(&mix, delays, count, s->bandwidth),
           contention_slowdown_shared(&mix, delays, count, s->bandwidth));
    return true;
}

/* Slowdown of a process of the first group: each of the rest is the weight of a group, how many processes compute in it,
 * and its limit in cores, 0 for none; all on one core. */
static bool run_groups(const settings *s)
{
    contention_group_member member[2 * MOST_NODES];
    double scratch[2 * MOST_NODES], among[2 * MOST_NODES], alone[2 * MOST_NODES];
    const size_t groups = (size_t)s->rest_count, members = 2 * groups;
    contention_result result;

    if (groups < 1 || groups > MOST_NODES) return fails("groups: expected 1 to %d groups", MOST_NODES);
    for (size_t i = 0; i < groups; ++i) {
        contention_group_member *group = &member[2 * i];
        group[0] = (contention_group_member){ .parent = CONTENTION_ROOT };
        group[1] = (contention_group_member){ .parent = 2 * i, .weight = 1 };
        if (sscanf(s->rest[i], "%lf:%lf:%lf", &group[0].weight, &group[1].processes, &group[0].limit) != 3)
            return fails("groups: '%s': expected WEIGHT:PROCESSES:LIMIT, such as 1:2:0.5", s->rest[i]);
    }
    result = contention_share_groups(1, 0, members, member, scratch, among);
    if (result == CONTENTION_OK) {
        for (size_t i = 0; i < groups; ++i) member[2 * i + 1].processes = i == 0;
        result = contention_share_groups(1, 0, members, member, scratch, alone);
    }
    if (result != CONTENTION_OK) return fails("groups: %s", contention_result_text(result));
    printf("%.5f\n", alone[1] / among[1]);
    return true;
}

/* Eq. (3), of two bandwidths. */
static bool run_communication(const settings *s)
{
    if (s->rest_count != 2) return fails("communication: expected two bandwidths, dedicated and under load");
    printf("%.5f\n", contention_slowdown_communication(strtod(s->rest[0], NULL), strtod(s->rest[1], NULL)));
    return true;
}

/* Weights of nodes by the times of one benchmark on each. */
static bool run_weights(const settings *s)
{
    double value[MOST_NODES];
    const size_t nodes = (size_t)s->rest_count;
    contention_result result;

    if (nodes < 1 || nodes > MOST_NODES) return fails("weights: expected a time for each of 1 to %d nodes", MOST_NODES);
    for (size_t i = 0; i < nodes; ++i) value[i] = strtod(s->rest[i], NULL);
    result = contention_weights(nodes, value, value);
    if (result != CONTENTION_OK) return fails("weights: %s", contention_result_text(result));
    for (size_t i = 0; i < nodes; ++i) printf("%.5f%c", value[i], i + 1 < nodes ? ',' : '\n');
    return true;
}

/* Eq. (5), and then the fractions for it; or with --fraction eqs. (8) to (12). */
static bool run_aggregate(const settings *s)
{
    const size_t nodes = (size_t)s->nodes;
    double weight[MOST_NODES], slowdown[MOST_NODES], fraction[MOST_NODES], dedicated[MOST_NODES], sd;
    contention_result result;

    if (nodes < 1 || nodes > MOST_NODES) return fails("--nodes: 1 to %d", MOST_NODES);
    if (!numbers_of("weight", s->weight, weight, nodes) || !numbers_of("slowdown", s->slowdown, slowdown, nodes))
        return false;
    if (!s->fraction) {
        result = contention_partition(nodes, weight, slowdown, fraction);
        if (result != CONTENTION_OK) return fails("aggregate: %s", contention_result_text(result));
        sd = contention_slowdown_by_load(nodes, weight, slowdown);
    } else {
        if (!numbers_of("fraction", s->fraction, fraction, nodes) ||
            (s->dedicated && !numbers_of("dedicated", s->dedicated, dedicated, nodes)))
            return false;
        sd = contention_slowdown_by_partition(nodes, weight, slowdown, fraction, s->dedicated ? dedicated : NULL);
    }
    printf("%.5f ", sd);
    for (size_t i = 0; i < nodes; ++i) printf("%.6f%c", fraction[i], i + 1 < nodes ? ',' : '\n');
    return true;
}

/*=============================================================================
 * MARK: - >>command line
 *===========================================================================*/
static const char usage[] =
    "contend COMMAND [OPTIONS]      competitors, benchmarks, targets and predictions of the slowdown paper; words of 4 "
    "B\n"
    "  sink                  takes bursts from whoever connects\n"
    "  load                  a competitor: computes, sends a burst, rests, until it is ended; after a while it tells\n"
    "                        which parts of its time it has computed, communicated and rested\n"
    "  bandwidth             sends bursts, gets one word back after each: Mword/s\n"
    "  burst                 the same as a target: seconds of one burst\n"
    "  sor, matrix, multigrid        targets on one node: seconds, of processor\n"
    "  job sor, jacobi, multigrid    one rank of a target on several: the same, by rank 0, of all processors\n"
    "  fit                   lines of i, bandwidth, delay -> curves of two pieces\n"
    "  local C:M ...         slowdown among competitors that compute C of their time and communicate M: eq. 2,\n"
    "                        and contention_slowdown_shared()\n"
    "  groups W:P:L ...      slowdown of a process of the first group, on one core; a group has weight W, P processes\n"
    "                        that compute, and a limit of L cores, 0 for none\n"
    "  communication B C     slowdown with bandwidth C instead of B: eq. 3\n"
    "  weights T ...         weights of nodes that need these times\n"
    "  aggregate             slowdown of a job on several nodes, and its fractions: eq. 5; with --fraction eqs. 8 to "
    "12\n"
    "\n"
    "  --to ADDRESS, --port N        where a sink is; 7000\n"
    "  --messages N, --words N       a burst; 1024 of 1024 for bandwidth and burst, none for load\n"
    "  --passes N                    over each message, at either end, so that sending costs processor time; 3\n"
    "  --repeat N, --pause S         bursts, and the mean rest before each [s]; 1, 0\n"
    "  --compute S, --idle S         of a load, each cycle: processor time [s], rest [s]\n"
    "  --jitter PART, --seed N       how far cycles differ, by chance; 0.5, 1\n"
    "  --settle S, --sense S         when a load begins to look, and for how long [s]; 0.3, 3\n"
    "  --most S                      ends at the latest then [s]; 900\n"
    "  --n N, --sweeps N, --inner N  size and sweeps of a target; sweeps between two exchanges of a job\n"
    "  --rank R, --nodes N           of a job\n"
    "  --peers ADDRESS               addresses of its nodes, %d is the rank + 1\n"
    "  --fraction F,F,...            parts of the work\n"
    "  --delays FILE or NUMBER       curves that fit has printed, or one delay for all; none, if not said\n"
    "  --bandwidth K                 available [Mword/s]\n"
    "  --weight, --slowdown W,W,...  of the nodes; --dedicated F,F,...: parts of the work in dedicated use\n";

static bool take(settings *s, int count, char **arguments)
{
    const struct {
        const char *name;
        double *number;
        const char **text;
    } options[] = {
        { "to", NULL, &s->to },         { "peers", NULL, &s->peers },         { "fraction", NULL, &s->fraction },
        { "weight", NULL, &s->weight }, { "slowdown", NULL, &s->slowdown },   { "dedicated", NULL, &s->dedicated },
        { "delays", NULL, &s->delays }, { "port", &s->port, NULL },           { "messages", &s->messages, NULL },
        { "words", &s->words, NULL },   { "passes", &s->passes, NULL },       { "compute", &s->compute, NULL },
        { "idle", &s->idle, NULL },     { "jitter", &s->jitter, NULL },       { "seed", &s->seed, NULL },
        { "settle", &s->settle, NULL }, { "sense", &s->sense, NULL },         { "most", &s->most, NULL },
        { "repeat", &s->repeat, NULL }, { "pause", &s->pause, NULL },         { "n", &s->n, NULL },
        { "sweeps", &s->sweeps, NULL }, { "inner", &s->inner, NULL },         { "rank", &s->rank, NULL },
        { "nodes", &s->nodes, NULL },   { "bandwidth", &s->bandwidth, NULL },
    };
    const size_t known = sizeof options / sizeof *options;

    s->rest = (char **)calloc((size_t)count + 1, sizeof *s->rest);
    if (!s->rest) return fails("no memory for the command line");
    for (int i = 0; i < count; ++i) {
        size_t k;
        if (strncmp(arguments[i], "--", 2) != 0) {
            s->rest[s->rest_count++] = arguments[i];
            continue;
        }
        for (k = 0; k < known && strcmp(arguments[i] + 2, options[k].name) != 0; ++k) continue;
        if (k == known) return fails("%s: unknown option; --help lists all", arguments[i]);
        if (++i == count) return fails("%s: a value is missing", arguments[i - 1]);
        if (options[k].number) {
            char *end;
            *options[k].number = strtod(arguments[i], &end);
            if (end == arguments[i] || *end || !(*options[k].number >= 0 && *options[k].number < 1e9))
                return fails("%s '%s': expected a number from 0 on", arguments[i - 1], arguments[i]);
        } else {
            *options[k].text = arguments[i];
        }
    }
    return true;
}

int main(int count, char **arguments)
{
    const char *command = count > 1 ? arguments[1] : "";
    const bool bursts = strcmp(command, "bandwidth") == 0 || strcmp(command, "burst") == 0;
    settings s;
    bool done;

    memset(&s, 0, sizeof s);
    s.port = 7000;
    if (bursts) s.messages = s.words = 1024;
    s.jitter = 0.5;
    s.seed = s.repeat = s.inner = 1;
    s.settle = 0.3;
    s.sense = 3;
    s.most = 900;
    s.passes = 3;
    s.n = 100;
    s.sweeps = 100;
    s.nodes = 4;
    signal(SIGPIPE, SIG_IGN);
    if (strcmp(command, "--help") == 0) return fputs(usage, stdout) < 0;
    if (count < 2) {
        fputs(usage, stderr);
        return 1;
    }
    if (!take(&s, count - 2, arguments + 2)) return 1;
    passes = s.passes;
    if (strcmp(command, "sink") == 0) {
        done = run_sink(&s);
    } else if (strcmp(command, "load") == 0) {
        done = run_load(&s);
    } else if (bursts) {
        done = run_bursts(&s, strcmp(command, "bandwidth") == 0);
    } else if (strcmp(command, "fit") == 0) {
        done = run_fit();
    } else if (strcmp(command, "local") == 0) {
        done = run_local(&s);
    } else if (strcmp(command, "groups") == 0) {
        done = run_groups(&s);
    } else if (strcmp(command, "communication") == 0) {
        done = run_communication(&s);
    } else if (strcmp(command, "weights") == 0) {
        done = run_weights(&s);
    } else if (strcmp(command, "aggregate") == 0) {
        done = run_aggregate(&s);
    } else if (strcmp(command, "job") == 0) {
        done = s.rest_count == 1 ? target_job(s.rest[0], &s) : fails("job: expected sor, jacobi or multigrid");
    } else {
        done = target_serial(command, &s);
    }
    free(s.rest);
    return !done;
}
