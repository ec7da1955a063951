/* demand.c - what a program demands of the cache and of the memory (demand.h).
 *
 * The cache: the program runs on one core, and a load there empties the cache of the core every millisecond. The CPU time that the
 * program takes more, divided by how often that was, is what it takes to load its share of the cache again.
 *
 * The memory: loads on all processors stream. If together they move as much as each alone, the memory is no limit. Otherwise the
 * program runs beside loads on all processors but its own: it moves what they leave of the bandwidth. */
#define _GNU_SOURCE
#include "demand.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD 1000000 /* [ns] from one emptying of the cache to the next */
#define NO_LIMIT 0.9   /* of what cores would move each alone: if they move it together, nothing limits them */
#define LINE 64        /* [B] of a cache */
#define STREAMED 24 /* [B] that move for an element: it is read, and a line of the other array is read, then written */
#define STREAM_SECONDS 0.1 /* of a measurement without the program */
enum { MOST_PROCESSORS = 256, MOST_ROUNDS = 100, STREAM_ROUNDS = 3 };

/* What a load has done, in memory that it shares with this process. */
typedef struct demand_load {
    _Atomic unsigned long done; /* times, or elements */
    atomic_bool ready;
    pid_t process;
} demand_load;

static void demand__stay_on(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static size_t demand__cache(int name, size_t unknown)
{
    const long bytes = sysconf(name);
    return bytes > 0 ? (size_t)bytes : unknown;
}

/* Empties the cache of its core again and again. As root it goes before the program, also before one with real-time priority;
 * otherwise the scheduler prefers it because it sleeps so much. */
static void demand__empty(demand_load *load)
{
    const size_t bytes = 2 * demand__cache(_SC_LEVEL2_CACHE_SIZE, (size_t)2 << 20);
    const struct timespec period = { 0, PERIOD };
    const struct sched_param first = { .sched_priority = 2 };
    volatile char *block = malloc(bytes);
    if (!block) _exit(1);
    memset((char *)block, 1, bytes);
    sched_setscheduler(0, SCHED_FIFO, &first);
    for (;; atomic_fetch_add(&load->done, 1), atomic_store(&load->ready, true)) {
        nanosleep(&period, NULL);
        for (size_t i = 0; i < bytes; i += LINE) ++block[i];
    }
}

/* Streams through arrays that are larger than the cache that all cores share, or their part of it. */
static void demand__stream(demand_load *load, int loads)
{
    const size_t cache = demand__cache(_SC_LEVEL3_CACHE_SIZE, (size_t)64 << 20) / (size_t)loads;
    const size_t n = (cache > (size_t)32 << 20 ? cache : (size_t)32 << 20) / sizeof(double), piece = 4096;
    double *from = calloc(n, sizeof *from), *to = calloc(n, sizeof *to);
    if (!from || !to) _exit(1);
    for (size_t i = 0; i < n; ++i) from[i] = to[i] = 1;
    for (size_t at = 0;; at = at + 2 * piece > n ? 0 : at + piece) {
        for (size_t i = at; i < at + piece; ++i) to[i] = 0.5 * from[i] + 1;
        atomic_fetch_add(&load->done, piece);
        atomic_store(&load->ready, true);
    }
}

/* Starts a load, and waits until it is at work. It ends with this process, whatever ends that. loads 0: it empties the cache. */
static void demand__begin(demand_load *load, int processor, int loads)
{
    atomic_store(&load->ready, false);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        demand__stay_on(processor);
        if (loads)
            demand__stream(load, loads);
        else
            demand__empty(load);
    }
    load->process = child; /* the memory is that of the load as well, so only this process writes it */
    while (child > 0 && !atomic_load(&load->ready) && waitpid(child, NULL, WNOHANG) == 0) usleep(1000);
}

static void demand__end(demand_load *load)
{
    if (load->process <= 0) return;
    kill(load->process, SIGKILL);
    waitpid(load->process, NULL, 0);
}

typedef struct demand_stand {
    double cpu;
    unsigned long done;
} demand_stand;

/* What loads number `from` to `to` - 1 have moved since `before`, in a second of the CPU time of each, added up [B/s]: other
 * processes may use the processors as well. Their clocks and counts now are in `before` afterwards. */
static double demand__moved(demand_load *loads, demand_stand *before, int from, int to)
{
    double rate = 0;
    for (int i = from; i < to; ++i) {
        clockid_t clock;
        struct timespec t = { 0, 0 };
        if (loads[i].process > 0 && clock_getcpuclockid(loads[i].process, &clock) == 0) clock_gettime(clock, &t);
        const demand_stand now = { (double)t.tv_sec + 1e-9 * (double)t.tv_nsec, atomic_load(&loads[i].done) };
        if (now.cpu > before[i].cpu) rate += STREAMED * (double)(now.done - before[i].done) / (now.cpu - before[i].cpu);
        before[i] = now;
    }
    return rate;
}

/* CPU time of the program on a processor [s]; NaN: it did not end well. */
static double demand__run(char *const argv[], int processor)
{
    struct rusage used;
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        const int none = open("/dev/null", O_WRONLY);
        dup2(none, STDOUT_FILENO);
        dup2(none, STDERR_FILENO);
        lseek(STDIN_FILENO, 0, SEEK_SET);
        demand__stay_on(processor);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) return (double)NAN;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static double demand__median(double *x, int n)
{
    for (int i = 1; i < n; ++i)
        for (int k = i; k > 0 && x[k - 1] > x[k]; --k) {
            const double t = x[k];
            x[k] = x[k - 1];
            x[k - 1] = t;
        }
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* What streams on processors number `from` to `to` - 1 move together, nothing else of ours beside them [B/s]. */
static double demand__streams(demand_load *loads, const int *processors, int from, int to, int all)
{
    static demand_stand stand[MOST_PROCESSORS];
    for (int i = from; i < to; ++i) demand__begin(&loads[i], processors[i], all);
    (void)demand__moved(loads, stand, from, to);
    usleep((useconds_t)(1e6 * STREAM_SECONDS));
    const double rate = demand__moved(loads, stand, from, to);
    for (int i = from; i < to; ++i) demand__end(&loads[i]);
    return rate;
}

double demand_rate(double bandwidth, double loads, double slowdown)
{
    const double left = bandwidth - loads;
    return left > 0 && slowdown > 0 ? left * slowdown : 0;
}

static const char *demand__cache_share(demand *d, int rounds, char *const argv[], int processor, demand_load *load,
                                       double *alone)
{
    double more[MOST_ROUNDS], sum = 0, squares = 0;
    for (int i = 0; i < rounds; ++i) {
        alone[i] = demand__run(argv, processor);
        demand__begin(load, processor, 0);
        const unsigned long before = atomic_load(&load->done);
        const double emptied = demand__run(argv, processor);
        const unsigned long times = atomic_load(&load->done) - before;
        demand__end(load);
        if (isnan(alone[i]) || isnan(emptied)) return "does not end well when it runs on one core";
        more[i] = times > 0 ? (emptied - alone[i]) / (double)times : 0;
        sum += more[i];
        squares += more[i] * more[i];
    }
    const double mean = sum / rounds,
                 error = rounds > 1 ? sqrt(fmax(squares - sum * mean, 0) / (rounds - 1) / rounds) : 0;
    d->reload = mean > 2 * error ? demand__median(more, rounds) : 0;
    return NULL;
}

const char *demand_measure(demand *d, int rounds, char *const argv[], char *text, size_t room)
{
    static int processors[MOST_PROCESSORS];
    static demand_stand stand[MOST_PROCESSORS];
    double alone[MOST_ROUNDS], one[STREAM_ROUNDS], every[STREAM_ROUNDS], rates[MOST_ROUNDS];
    cpu_set_t allowed;
    int n = 0;
    memset(d, 0, sizeof *d);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return "may use unknown processors";
    for (int i = 0; i < CPU_SETSIZE && n < MOST_PROCESSORS; ++i)
        if (CPU_ISSET((size_t)i, &allowed)) processors[n++] = i;
    demand_load *loads =
        mmap(NULL, MOST_PROCESSORS * sizeof *loads, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (loads == MAP_FAILED) return "has no memory for loads beside it";
    const char *wrong = demand__cache_share(d, rounds, argv, processors[0], loads, alone);
    int written =
        snprintf(text, room, "after its cache was emptied, a thread of it takes %.0f us to load its data again",
                 1e6 * d->reload);
    if (!wrong && n > 1) {
        for (int i = 0; i < STREAM_ROUNDS; ++i) {
            one[i] = demand__streams(loads, processors, 0, 1, n);
            every[i] = demand__streams(loads, processors, 0, n, n);
        }
        const double single = demand__median(one, STREAM_ROUNDS), together = demand__median(every, STREAM_ROUNDS);
        if (together < NO_LIMIT * n * single) {
            d->bandwidth = together;
            for (int i = 0; i < rounds && !wrong; ++i) {
                for (int k = 1; k < n; ++k) demand__begin(&loads[k], processors[k], n);
                (void)demand__moved(loads, stand, 1, n);
                const double cpu = demand__run(argv, processors[0]);
                rates[i] = demand_rate(together, demand__moved(loads, stand, 1, n), cpu / alone[i]);
                for (int k = 1; k < n; ++k) demand__end(&loads[k]);
                if (isnan(cpu)) wrong = "does not end well beside loads on other processors";
            }
            if (!wrong) d->rate = demand__median(rates, rounds);
        }
        if (written > 0 && (size_t)written < room)
            snprintf(text + written, room - (size_t)written,
                     "; %d cores move %.3g GB/s together, %.2f times what one does%s", n, 1e-9 * together,
                     together / single, d->bandwidth > 0 ? "" : ": the memory is no limit");
        if (d->bandwidth > 0 && strlen(text) + 1 < room)
            snprintf(text + strlen(text), room - strlen(text), "; it moves %.3g GB/s alone", 1e-9 * d->rate);
    }
    munmap(loads, MOST_PROCESSORS * sizeof *loads);
    return wrong;
}
