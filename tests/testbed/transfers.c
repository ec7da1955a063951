/* How long do TCP transfers take that begin at once? A pattern is a line of text: a name, a tab, and transfers
 * `FROM>TO:BYTES` or `FROM>TO:BYTES@BEGIN` [s], nodes from 0.
 *
 * transfers predict MACHINE < PATTERNS   on the virtual clock, on the nodes and links of a machine file
 * transfers run SPACE < PATTERNS         for real: node N is the network namespace SPACE and N, with the address
 *                                        10.77.0.(N+1). As root
 *
 * Prints a line for each pattern: its name, a tab, and when each transfer was over [s]. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TRANSFERS = 256, MOST_NODES = 64, LINE = 16384, PIECE = 65536 };

/* A transfer that may take longer has failed [s]. */
static const double patience = 120;

typedef struct transfer {
    unsigned from, to;
    double bytes, begin;
} transfer;

typedef struct pattern {
    char *name; /* in the line that was read */
    size_t count;
    transfer transfers[MOST_TRANSFERS];
} pattern;

static bool fails(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("transfers: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

/* The pattern of a line; the line is cut into words. */
static bool parse(char *line, pattern *p)
{
    char *words = strchr(line, '\t'), *rest = NULL;
    if (!words) return fails("'%.40s': expected a name, a tab, and transfers", line);
    *words++ = 0;
    p->name = line;
    p->count = 0;
    for (char *word = strtok_r(words, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        transfer t = { 0, 0, 0, 0 };
        int used = 0;
        if (p->count == MOST_TRANSFERS) return fails("%s: more than %d transfers", p->name, MOST_TRANSFERS);
        if (sscanf(word, "%u>%u:%lf%n", &t.from, &t.to, &t.bytes, &used) < 3 || t.from >= MOST_NODES ||
            t.to >= MOST_NODES || t.from == t.to || !(t.bytes >= 1 && t.bytes < 1e12) ||
            (word[used] && (sscanf(word + used, "@%lf", &t.begin) != 1 || !(t.begin >= 0 && t.begin < patience))))
            return fails("%s: '%s': expected FROM>TO:BYTES or FROM>TO:BYTES@BEGIN, nodes from 0 to %d", p->name, word,
                         MOST_NODES - 1);
        p->transfers[p->count++] = t;
    }
    return p->count > 0 || fails("%s: no transfers", p->name);
}

/*=============================================================================
 * MARK: - >>predict
 *===========================================================================*/
typedef struct predicted {
    simkit_transfer_desc what;
    double end;
} predicted;

static void ended(simkit_world *world, void *user)
{
    ((predicted *)user)->end = simkit_clock_now(world);
}

static void begins(simkit_world *world, void *user)
{
    if (simkit_transfer_start(world, &((predicted *)user)->what, NULL) != SIMKIT_OK)
        fails("%s", simkit_world_why(world));
}

static bool predict(const pattern *p, const simkit_machine *machine, double end[])
{
    static predicted all[MOST_TRANSFERS];
    simkit_world *world;
    simkit_node node[MOST_NODES];
    const size_t nodes = machine->nodes < MOST_NODES ? machine->nodes : MOST_NODES;
    const simkit_world_desc desc = { .latency = machine->latency, .sharing = machine->sharing };
    simkit_result result = simkit_world_open(&desc, &world);

    if (result != SIMKIT_OK) return fails("%s", simkit_result_text(result));
    result = simkit_machine_add(world, machine, nodes, node);
    for (size_t i = 0; i < p->count && result == SIMKIT_OK; ++i) {
        const transfer *t = &p->transfers[i];
        if (t->from >= nodes || t->to >= nodes)
            return simkit_world_close(world), fails("%s: there are %lu nodes", p->name, (unsigned long)nodes);
        all[i].end = NAN;
        all[i].what = (simkit_transfer_desc){
            .from = node[t->from], .to = node[t->to], .bytes = t->bytes, .done = ended, .user = &all[i]
        };
        result = simkit_step_at(world, t->begin, 0, begins, &all[i], NULL);
    }
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result != SIMKIT_OK) fails("%s: %s", p->name, simkit_world_why(world));
    for (size_t i = 0; i < p->count; ++i) end[i] = all[i].end;
    simkit_world_close(world);
    return result == SIMKIT_OK;
}

/*=============================================================================
 * MARK: - >>run
 *===========================================================================*/
/* What the processes of a transfer tell each other. */
typedef struct meeting {
    int port, connected;
    double end; /* by the monotonic clock [s] */
} meeting;

static struct shared {
    int begun;
    double start; /* by the monotonic clock [s]; once it has begun */
    meeting of[MOST_TRANSFERS];
} * shared;

static int load(int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_SEQ_CST);
}

static void store(int *flag, int value)
{
    __atomic_store_n(flag, value, __ATOMIC_SEQ_CST);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double time)
{
    const struct timespec t = { (time_t)time, (long)(1e9 * (time - (double)(time_t)time)) };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

/* Becomes a process of a node. */
static bool enter(const char *space, unsigned node)
{
    char path[200];
    snprintf(path, sizeof path, "/run/netns/%s%u", space, node);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || setns(file, CLONE_NEWNET) != 0) return fails("cannot enter %s: %s", path, strerror(errno));
    return close(file) == 0;
}

static bool receive(const char *space, const transfer *t, meeting *m)
{
    static char piece[PIECE];
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t length = sizeof address;
    double left = t->bytes;
    int listener, s;

    if (!enter(space, t->to)) return false;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return fails("node %u cannot listen: %s", t->to, strerror(errno));
    store(&m->port, ntohs(address.sin_port));
    s = accept(listener, NULL, NULL);
    while (left > 0) {
        const ssize_t n = read(s, piece, sizeof piece);
        if (n <= 0) return fails("node %u: the transfer from node %u has ended too early", t->to, t->from);
        left -= (double)n;
    }
    m->end = now();
    return true;
}

static bool send_all(const char *space, const transfer *t, meeting *m)
{
    static char piece[PIECE];
    struct sockaddr_in address = { .sin_family = AF_INET };
    char text[32];
    int s;

    if (!enter(space, t->from)) return false;
    while (load(&m->port) == 0) usleep(2000);
    snprintf(text, sizeof text, "10.77.0.%u", t->to + 1);
    inet_pton(AF_INET, text, &address.sin_addr);
    address.sin_port = htons((uint16_t)load(&m->port));
    s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof address) != 0)
        return fails("node %u cannot connect to node %u: %s", t->from, t->to, strerror(errno));
    store(&m->connected, 1);
    while (!load(&shared->begun)) usleep(2000);
    sleep_until(shared->start + t->begin);
    for (double left = t->bytes; left > 0;) {
        const ssize_t n = write(s, piece, left < PIECE ? (size_t)left : PIECE);
        if (n <= 0) return fails("node %u cannot send to node %u: %s", t->from, t->to, strerror(errno));
        left -= (double)n;
    }
    shutdown(s, SHUT_WR);
    return read(s, piece, 1) == 0; /* until the receiver is done */
}

/* The two processes of each transfer meet, all begin at once, and say when they are done. */
static bool run(const pattern *p, const char *space, double end[])
{
    pid_t children[2 * MOST_TRANSFERS];
    size_t count = 0, connected = 0;
    const double began = now();
    bool done = true;

    memset(shared, 0, sizeof *shared);
    fflush(stdout);
    for (size_t i = 0; i < 2 * p->count && done; ++i) {
        const transfer *t = &p->transfers[i / 2];
        const pid_t parent = getpid(), child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent) _exit(1);
            _exit(!(i % 2 ? send_all : receive)(space, t, &shared->of[i / 2]));
        }
        done = child > 0;
        if (done) children[count++] = child;
    }
    while (done && connected < p->count) { /* a child that ends now has failed */
        usleep(5000);
        connected = 0;
        for (size_t i = 0; i < p->count; ++i) connected += load(&shared->of[i].connected) != 0;
        done = waitpid(-1, NULL, WNOHANG) == 0 && now() < began + 20;
    }
    shared->start = now() + 0.05;
    store(&shared->begun, 1);
    for (size_t left = count; left > 0 && done; --left) {
        int status = 0;
        pid_t child;
        while ((child = waitpid(-1, &status, WNOHANG)) == 0 && now() < began + 20 + patience) usleep(5000);
        done = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        for (size_t i = 0; i < count && child > 0; ++i)
            if (children[i] == child) children[i] = 0;
    }
    for (size_t i = 0; i < count; ++i)
        if (children[i] > 0 && !done) kill(children[i], SIGKILL);
    while (waitpid(-1, NULL, 0) > 0) {
    }
    for (size_t i = 0; i < p->count; ++i) end[i] = shared->of[i].end - shared->start;
    return done || fails("%s: a transfer failed, or took longer than %g s", p->name, patience);
}

static bool open_machine(const char *path, simkit_machine **machine)
{
    simkit_parse_error error;
    if (simkit_machine_read(&(simkit_input){ .path = path }, machine, &error) == SIMKIT_OK) return true;
    return fails("%s", error.text);
}

static const char usage[] = "transfers predict MACHINE | transfers run SPACE, with patterns on the standard input\n";

int main(int count, char **arguments)
{
    static char line[LINE];
    static pattern p;
    static double end[MOST_TRANSFERS];
    const bool real = count == 3 && strcmp(arguments[1], "run") == 0;
    const bool simulated = count == 3 && strcmp(arguments[1], "predict") == 0;
    simkit_machine *machine = NULL;
    bool good = true;

    if (!real && !simulated) return fputs(usage, stderr), 2;
    if (!real && !open_machine(arguments[2], &machine)) return 1;
    if (real) {
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) return !fails("no memory");
        signal(SIGPIPE, SIG_IGN);
    }
    while (good && fgets(line, sizeof line, stdin)) {
        good = parse(line, &p) && (real ? run(&p, arguments[2], end) : predict(&p, machine, end));
        if (good) printf("%s\t", p.name);
        for (size_t i = 0; i < p.count && good; ++i) printf("%s%.6f", i ? " " : "", end[i]);
        if (good) putchar('\n');
    }
    simkit_machine_close(machine);
    return !good;
}
