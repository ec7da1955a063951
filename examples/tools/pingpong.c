/* How long does a message take between two hosts, and which model fits?
 * cc -O2 -DSIMKIT_STATIC -I. examples/tools/pingpong.c -o pingpong -lm && ./pingpong        (--help lists the options)
 *
 * A server sends back all messages, over TCP; a client measures half of the time of a round trip. Sizes double. Each is
 * repeated in batches of 11, for at least half of its time, and then until the median of all has changed by less than
 * 1 % three times in a row, or its time is up. A link, a line and a curve are fitted to the medians. Without --host the
 * program plays both sides, over loopback. */
#define _GNU_SOURCE /* sched_setaffinity, and all of POSIX */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/netmodel_fit.h"
#include "util/simkit_files.h"

#include "../svg.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZES = 31, BATCH = 11, REPEATS = 20 * 1001, PIECES = 5, PATIENCE = 10 /* [s] */ };

static double bytes[SIZES], seconds[SIZES], quarter[SIZES], three_quarters[SIZES]; /* [B], [s] and its quartiles */
static double repeats[SIZES];
static size_t sizes;

static int complain(const char *what)
{
    fprintf(stderr, "pingpong: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    return 1;
}

/*=============================================================================
 * Both sides
 *===========================================================================*/
static bool push(int peer, const char *data, size_t length)
{
    while (length > 0) {
        const ssize_t sent = send(peer, data, length, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        data += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool pull(int peer, char *data, size_t length)
{
    while (length > 0) {
        const ssize_t got = recv(peer, data, length, 0);
        if (got <= 0) return false;
        data += got;
        length -= (size_t)got;
    }
    return true;
}

/* Sends at once, without waiting for more data, and limits all waiting. */
static void prepare(int peer)
{
    const struct timeval patience = { PATIENCE, 0 };
    const int yes = 1;

    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/* A batch is announced by its message size and their number, eight bytes each, big-endian. */
static void write_number(char *to, uint64_t number)
{
    for (int i = 0; i < 8; ++i) to[i] = (char)(unsigned char)(number >> (56 - 8 * i));
}

static uint64_t read_number(const char *from)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; ++i) number = number << 8 | (unsigned char)from[i];
    return number;
}

/*=============================================================================
 * The server
 *===========================================================================*/
static int listen_on(const char *address, unsigned port, unsigned *got)
{
    const int server = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in name;
    socklen_t length = sizeof name;

    memset(&name, 0, sizeof name);
    name.sin_family = AF_INET;
    name.sin_port = htons((uint16_t)port);
    name.sin_addr.s_addr = inet_addr(address);
    if (server < 0) return -1;
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(server, (struct sockaddr *)&name, sizeof name) != 0 || listen(server, 1) != 0 ||
        getsockname(server, (struct sockaddr *)&name, &length) != 0) {
        close(server);
        return -1;
    }
    *got = ntohs(name.sin_port);
    return server;
}

/* Waits up to `wait` seconds for a client, and sends back its messages until it closes the connection. */
static int serve(int server, int wait)
{
    struct pollfd ready = { server, POLLIN, 0 };
    char *data = (char *)malloc((size_t)1 << (SIZES - 1)), announced[16];
    const int client = data && poll(&ready, 1, wait * 1000) == 1 ? accept(server, NULL, NULL) : -1;
    bool fine = client >= 0;

    if (fine) prepare(client);
    while (fine && pull(client, announced, sizeof announced)) {
        const uint64_t size = read_number(announced), number = read_number(announced + 8);
        fine = size <= (uint64_t)1 << (SIZES - 1) && number <= REPEATS;
        for (uint64_t i = 0; fine && i < number; ++i) fine = pull(client, data, size) && push(client, data, size);
    }
    if (client >= 0) close(client);
    free(data);
    return fine ? 0 : 1;
}

/*=============================================================================
 * The client
 *===========================================================================*/
static int call(const char *host, const char *port)
{
    struct addrinfo wanted, *found = NULL;
    int client = -1;

    memset(&wanted, 0, sizeof wanted);
    wanted.ai_family = AF_INET;
    wanted.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &wanted, &found) != 0) return -1;
    for (struct addrinfo *at = found; at && client < 0; at = at->ai_next) {
        client = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (client >= 0 && connect(client, at->ai_addr, at->ai_addrlen) == 0) continue;
        if (client >= 0) close(client);
        client = -1;
    }
    freeaddrinfo(found);
    if (client >= 0) prepare(client);
    return client;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Measures one size, until its median is stable or its time is up. */
static bool measure_size(int client, char *data, size_t size, double budget, size_t index)
{
    static double times[REPEATS], sorted[REPEATS];
    const double start = now();
    double median = 0;
    size_t count = 0;
    int stable = 0;

    while (count + BATCH <= REPEATS && (count == 0 || now() - start < (stable < 3 ? budget : budget / 2))) {
        char announced[16];
        const double before = median;
        write_number(announced, size);
        write_number(announced + 8, BATCH);
        if (!push(client, announced, sizeof announced)) return false;
        for (int i = 0; i < BATCH; ++i) {
            const double left = now();
            data[0] = data[size - 1] = (char)(i + 1);
            if (!push(client, data, size) || !pull(client, data, size)) return false;
            times[count++] = (now() - left) / 2;
            if (data[0] != (char)(i + 1) || data[size - 1] != (char)(i + 1)) return false; /* other bytes came back */
        }
        memcpy(sorted, times, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, ascending);
        median = sorted[count / 2];
        stable = fabs(median - before) < 0.01 * median ? stable + 1 : 0;
    }
    bytes[index] = (double)size;
    seconds[index] = median;
    quarter[index] = sorted[count / 4];
    three_quarters[index] = sorted[3 * count / 4];
    repeats[index] = (double)count;
    return true;
}

static bool measure(int client, size_t most, double budget)
{
    char *data = (char *)calloc(1, most);
    bool fine = data != NULL && measure_size(client, data, 64, budget, 0); /* to warm up: this size is measured again */
    int why;

    for (size_t size = 1; fine && size <= most && sizes < SIZES; size *= 2) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%lu of %lu bytes ...\033[K", (unsigned long)size, (unsigned long)most);
        fine = measure_size(client, data, size, budget, sizes);
        sizes += fine;
    }
    why = errno; /* isatty() sets it, too */
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    free(data);
    errno = why;
    return fine;
}

/* Two hosts do not share a processor. Without this the scheduler would decide from batch to batch whether these do. */
static void stay_on(int processor)
{
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor % (int)sysconf(_SC_NPROCESSORS_ONLN), &set);
    sched_setaffinity(0, sizeof set, &set); /* if this fails, times vary more */
#else
    (void)processor;
#endif
}

/* Both sides on this machine: the server is a child, which ends with the connection, and is killed after an error. */
static bool measure_here(size_t most, double budget)
{
    unsigned port = 0;
    char text[16];
    const int server = listen_on("127.0.0.1", 0, &port);
    const pid_t child = server >= 0 ? fork() : -1;
    int client;
    bool fine;

    if (child == 0) {
        stay_on(1);
        _exit(serve(server, PATIENCE));
    }
    stay_on(0);
    snprintf(text, sizeof text, "%u", port);
    client = child > 0 ? call("127.0.0.1", text) : -1;
    fine = client >= 0 && measure(client, most, budget);
    if (client >= 0) close(client);
    if (server >= 0) close(server);
    if (child > 0 && !fine) kill(child, SIGKILL);
    if (child > 0) waitpid(child, NULL, 0);
    return fine;
}

/*=============================================================================
 * The models
 *===========================================================================*/
typedef struct models {
    netmodel_fit line;
    netmodel_link link;
    netmodel_pieces pieces;
    netmodel_piece piece[PIECES];
    netmodel_curve curve;
    netmodel_lift lift;
    double curve_bytes[2 * PIECES], curve_seconds[2 * PIECES];
} models;

static bool fit(models *m)
{
    const netmodel_pieces_desc desc = { .maximum = PIECES, .jumps = 1 };
    double *scratch = (double *)malloc(netmodel_pieces_scratch(sizes, PIECES) * sizeof *scratch);
    bool fine = scratch != NULL;

    //! [fit]
    const netmodel_points points = { bytes, seconds, sizes, NETMODEL_ERROR_RELATIVE };
    fine = fine && netmodel_fit_robust(&points, scratch, &m->line, NULL) == NETMODEL_OK &&
           netmodel_fit_pieces(&points, &desc, scratch, m->piece, &m->pieces, NULL) == NETMODEL_OK;
    m->link = netmodel_link_of_line(&m->line.line);
    fine = fine &&
           netmodel_curve_of_pieces(&m->pieces, m->curve_bytes, m->curve_seconds, &m->curve, &m->lift) == NETMODEL_OK;
    //! [fit]
    free(scratch);
    return fine;
}

static void print_models(const models *m)
{
    const double beyond = 2 * bytes[sizes - 1];
    const netmodel_prediction p = netmodel_fit_predict(&m->line, beyond, 0.95);

    printf("    bytes   seconds     runs   residual\n");
    for (size_t i = 0; i < sizes; ++i) {
        const double off = 100 * (seconds[i] / netmodel_line_time(&m->line.line, bytes[i]) - 1);
        char scale[] = "         |         |         |         ";
        const int place = (int)(19.5 + off / 10);
        if (place >= 0 && place < 38) scale[place] = 'o';
        printf("%9.0f %.3e s %5.0f  %+6.0f %% %s\n", bytes[i], seconds[i], repeats[i], off, scale);
    }
    printf("                                       -100 %%      0     +100 %%\n");
    printf("line   %.2f us + bytes / %.1f MB/s, errors of %.1f %%, %lu outliers among %lu sizes\n",
           m->line.line.intercept * 1e6, 1e-6 / m->line.line.slope, 100 * m->line.deviation,
           (unsigned long)m->line.outliers, (unsigned long)sizes);
    if (!isnan(m->link.latency))
        printf("link   latency %.2f us, bandwidth %.1f MB/s\n", m->link.latency * 1e6,
               netmodel_link_bandwidth(&m->link) * 1e-6);
    else
        printf("link   none: the line's intercept or slope is negative\n");
    printf("%.0f bytes should take %.3e s, 95 %% within [%.3e, %.3e]%s\n", beyond, p.time, p.low, p.high,
           p.outside ? "; an extrapolation" : "");
    for (size_t k = 0; k < m->pieces.count; ++k) {
        const netmodel_piece *x = &m->piece[k];
        printf("curve  %.0f to %.0f bytes: %.2f us", x->low, x->high, x->line.intercept * 1e6);
        if (x->line.slope > 0)
            printf(" + bytes / %.1f MB/s\n", 1e-6 / x->line.slope);
        else
            printf(": flat\n");
    }
    if (m->lift.seconds > 0)
        printf("curve  lifted where a jump goes down: by up to %.2f us, at %.0f bytes, and by up to %.1f %%\n",
               m->lift.seconds * 1e6, m->lift.bytes, 100 * m->lift.fraction);
    if (m->curve.count == 0) printf("curve  none: a piece has negative times\n");
}

static bool draw(const char *path, const models *m)
{
    double least = seconds[0], most = seconds[0];
    svg s;

    for (size_t i = 1; i < sizes; ++i) {
        least = fmin(least, seconds[i]);
        most = fmax(most, seconds[i]);
    }
    svg_open(&s, path, "Ping-pong: how long a message takes one way", 860, 420);
    svg_plot(&s, 90, 660,
             (svg_axis){ .label = "size of a message", .from = bytes[0] / 2, .to = 2 * bytes[sizes - 1], .unit = "B" },
             (svg_axis){ .label = "time", .from = least / 2, .to = 2 * most, .unit = "s" });
    for (int curve = 0; curve < 2; ++curve) {
        svg_begin(&s, SVG_LINE, svg_colours[curve ? 2 : 0], curve ? "curve" : "line");
        for (double n = bytes[0]; n <= bytes[sizes - 1]; n *= 1.1) {
            const double t = curve ? netmodel_curve_time(&m->curve, n) : netmodel_line_time(&m->line.line, n);
            if (t > 0) svg_at(&s, n, t);
        }
        svg_end(&s);
    }
    svg_begin(&s, SVG_POINTS, svg_colours[1], "medians");
    for (size_t i = 0; i < sizes; ++i) svg_at(&s, bytes[i], seconds[i]);
    svg_end(&s);
    return svg_close(&s);
}

/*=============================================================================
 * The table
 *===========================================================================*/
static bool write_table(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

    if (!file) return false;
    fprintf(file, "bytes [B],seconds [s],repetitions,quarter [s],three_quarters [s]\n");
    for (size_t i = 0; i < sizes; ++i)
        fprintf(file, "%.0f,%.9e,%.0f,%.9e,%.9e\n", bytes[i], seconds[i], repeats[i], quarter[i], three_quarters[i]);
    return file == stdout ? fflush(file) == 0 : fclose(file) == 0;
}

/* Reads a table with columns bytes and seconds, one row per size, ascending. */
static int read_table(const char *path)
{
    simkit_table *table;
    simkit_parse_error error;

    if (simkit_table_read(&(simkit_input){ .path = path }, &table, &error) != SIMKIT_OK)
        return errno = 0, complain(error.text);
    const simkit_column *n = simkit_table_column(table, "bytes"), *t = simkit_table_column(table, "seconds");
    const simkit_column *r = simkit_table_column(table, "repetitions");
    errno = 0;
    if (!n || !n->numbers || !t || !t->numbers)
        return complain("the table needs columns bytes and seconds, of numbers");
    if (table->rows > SIZES) return complain("more than 31 sizes");
    for (sizes = 0; sizes < table->rows; ++sizes) {
        bytes[sizes] = n->numbers[sizes];
        seconds[sizes] = t->numbers[sizes];
        repeats[sizes] = r && r->numbers ? r->numbers[sizes] : 1;
        if (!(bytes[sizes] > 0 && seconds[sizes] > 0)) return complain("bytes and seconds must be positive");
    }
    simkit_table_close(table);
    return 0;
}

static const char usage[] =
    "pingpong                     both sides over loopback, up to 1 MiB, in about two seconds\n"
    "pingpong --serve             the server, for one client, on port 7411 of all addresses\n"
    "pingpong --host NAME         the client of that server, up to 64 MiB, half a second per size\n"
    "pingpong --fit FILE          the models of a table, without measuring\n"
    "  --port N                   another port\n"
    "  --most BYTES               another maximum size\n"
    "  --out FILE                 writes the table as CSV; - prints it\n"
    "  --svg FILE                 draws points and models\n";

int main(int argc, char **argv)
{
    const char *host = NULL, *port = "7411", *out = NULL, *svg_path = NULL, *table = NULL, *most = NULL;
    bool serving = false;
    models m;
    double limit;

    for (int i = 1; i < argc; ++i) {
        const char **value = strcmp(argv[i], "--host") == 0   ? &host
                             : strcmp(argv[i], "--port") == 0 ? &port
                             : strcmp(argv[i], "--out") == 0  ? &out
                             : strcmp(argv[i], "--svg") == 0  ? &svg_path
                             : strcmp(argv[i], "--fit") == 0  ? &table
                             : strcmp(argv[i], "--most") == 0 ? &most
                                                              : NULL;
        if (strcmp(argv[i], "--serve") == 0)
            serving = true;
        else if (value && i + 1 < argc)
            *value = argv[++i];
        else
            return fputs(usage, strcmp(argv[i], "--help") == 0 ? stdout : stderr), strcmp(argv[i], "--help") != 0;
    }
    errno = 0;
    limit = most ? atof(most) : host ? 64 << 20 : 1 << 20;
    if (!(limit >= 4 && limit <= 1 << (SIZES - 1))) return complain("--most takes 4 to 1073741824 bytes");
    if (atoi(port) < 1 || atoi(port) > 65535) return complain("--port takes 1 to 65535");
    if (serving) {
        unsigned got;
        const int server = listen_on("0.0.0.0", (unsigned)atoi(port), &got);
        return server < 0            ? complain("cannot listen")
               : serve(server, 3600) ? complain("no client came, or it stopped answering")
                                     : 0;
    }
    if (table) {
        if (read_table(table)) return 1;
    } else if (host) {
        const int client = call(host, port);
        if (client < 0 || !measure(client, (size_t)limit, 0.5)) return complain("no answer from that host and port");
        close(client);
        printf("%lu sizes, each sent and sent back as a whole, to %s\n", (unsigned long)sizes, host);
    } else {
        if (!measure_here((size_t)limit, 0.08)) return complain("the measurement over loopback failed");
        printf("%lu sizes, each sent and sent back as a whole, over loopback\n", (unsigned long)sizes);
    }
    memset(&m, 0, sizeof m);
    errno = 0;
    if (!fit(&m)) return complain(errno ? "fit" : "fit: expected more sizes, in ascending order");
    print_models(&m);
    if (out && !write_table(out)) return complain(out);
    if (!draw(svg_path, &m)) return 1;
    return 0;
}
