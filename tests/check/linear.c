/* linear [KIND MEGABYTES]   Whether readers and writers take time and memory that are linear in what they read and write,
 * however skewed that is. Of each kind a small input and one eight times as large: the large one may take 28 times the CPU
 * time (linear: 8, with caches that no longer hold it about 16; quadratic: 64), and memory may be so many times the bytes.
 * With arguments: only this kind, so large, and what it took. */
#define _DEFAULT_SOURCE /* symlink */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"
#include "util/simkit_trace.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct memory {
    size_t held, peak;
} memory;

static void *count(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    memory *m = (memory *)user;
    void *moved = NULL;
    if (new_bytes == 0)
        free(block);
    else if ((moved = realloc(block, new_bytes)) == NULL)
        return NULL;
    m->held += new_bytes - old_bytes;
    if (m->held > m->peak) m->peak = m->held;
    return moved;
}

typedef struct text {
    char *text;
    size_t length, room;
} text;

/* Lines, numbered from 0, until there are so many bytes. */
typedef void line(text *t, unsigned long i);

static void put(text *t, const char *format, unsigned long a, unsigned long b)
{
    if (t->room - t->length < 256 && !(t->text = (char *)realloc(t->text, t->room = 2 * t->room + 4096))) abort();
    t->length += (size_t)snprintf(t->text + t->length, 256, format, a, b);
}

static void numbers(text *t, unsigned long i)
{
    put(t, "%lu,1.5,-2e3,%lu\n", i, i * i);
}
static void cells(text *t, unsigned long i)
{
    put(t, i ? ",1" : "1", 0, 0);
}
static void commas(text *t, unsigned long i)
{
    put(t, i % 1000 == 999 ? "x\n" : i < 1000 ? "x," : ",", 0, 0);
}
static void wide(text *t, unsigned long i)
{
    put(t, i < 20000 ? "1," : i == 20000 ? "1\n" : "1\n", 0, 0);
}
static void words(text *t, unsigned long i)
{
    put(t, "\"a \"\"%lu\"\"\";b%lu\n", i, i);
}
static void blanks(text *t, unsigned long i)
{
    put(t, i == 0 ? "1" : i % 100 ? "          " : "\n     ", 0, 0);
}
static void comments(text *t, unsigned long i)
{
    put(t, "# %lu\n%lu\n", i, i);
}
static void zeros(text *t, unsigned long i)
{
    put(t, i ? "00000000000000000000" : "0.", 0, 0);
}
static void processes(text *t, unsigned long i)
{
    put(t, "%lu %lu 0 1 name\n", i, i + 1);
}
static void children(text *t, unsigned long i)
{
    put(t, "%lu %lu 0 1 x\n", i, 7919 * i % 1000003 + 1000003 * (i / 1000003));
}
static void own_names(text *t, unsigned long i)
{
    put(t, "%lu 1 0 %lu.5 sh\n", i, i);
}
static void named(text *t, unsigned long i)
{
    put(t, "%lu,%lu,0,1,", i, i + 1), put(t, "name%lu\n", i * 7919 % 100003, 0);
}
static void states(text *t, unsigned long i)
{
    put(t, i ? "[state s%lu]\nthink = constant 1 s\n" : "[user u]\n", i, 0);
}
static void users(text *t, unsigned long i)
{
    put(t, "[user u%lu]\n[state s]\nthink = constant 1 s\n", i, 0);
}
static void graphs(text *t, unsigned long i)
{
    put(t, "[user u%lu]\n", i, 0);
    for (unsigned long s = 0; s < 20; ++s) put(t, "[state s%lu]\nnext = s%lu 1\n", s, s < 19 ? s + 1 : s);
    put(t, "think = constant 1 s\n", 0, 0);
}
static void follows(text *t, unsigned long i)
{
    if (i == 0) put(t, "[user u]\n", 0, 0);
    if (i == 0)
        for (unsigned long s = 999; s > 0; --s) put(t, "[state s%lu]\nthink = constant 1 s\n", s, 0);
    put(t, i ? ", s%lu 0" : "next = s1 1", 1 + i * 31 % 999, 0);
}
static void streams(text *t, unsigned long i)
{
    put(t, "[arrivals a%lu]\nrate = 1 /h\ndemand = constant 1 s\nnodes = %lu\n", i, 1 + i % 99);
}
static void rates(text *t, unsigned long i)
{
    put(t, i ? ", 1 /h" : "[arrivals a]\ndemand = constant 1 s\nrate = 1 /h", 0, 0);
}
static void samples(text *t, unsigned long i)
{
    put(t, i ? ", %lu s" : "[arrivals a]\nrate = 1 /h\ndemand = sample 1 s", i % 1000, 0);
}
static void nodes(text *t, unsigned long i)
{
    put(t, i ? ", %lu" : "[user u]\nnodes = 1", 1 + i, 0);
}

static void kinds_of_nodes(text *t, unsigned long i)
{
    put(t, "[node n%lux]\ncount = %lu\n", i, 1 + i % 3);
}
static void pairs(text *t, unsigned long i)
{
    if (i < 6000) kinds_of_nodes(t, i);
    if (i >= 6000) put(t, "[pair n%lux n%lux]\nlatency = 1 s\n", 3 * (i / 2000 % 2000), 3 * (i % 2000));
}
static void rates_of_operations(text *t, unsigned long i)
{
    put(t, "[operation o%lu]\nrate%lu = 1 flop/s\n", i / 5, i);
}

typedef enum reader { TABLE, TRACE, USERS, MACHINE, DIAGRAM, CHROME, PAJE } reader;

static void check(bool fine, const char *what)
{
    if (fine) return;
    printf("%s\n", what);
    exit(1);
}

/* Reads it; a parse error is as good as none, if it is found in time. */
static void parse(reader kind, const text *t, memory *m)
{
    const simkit_input input = { .text = t->text, .length = t->length, .name = "t", .memory = { count, m } };
    simkit_table *table = NULL;
    simkit_workload *trace = NULL;
    simkit_population *population = NULL;
    simkit_machine *machine = NULL;
    simkit_parse_error error;
    simkit_result result = SIMKIT_BAD_ARGUMENT;
    if (kind == TABLE) result = simkit_table_read(&input, &table, &error);
    if (kind == TRACE) result = simkit_workload_read(&input, &trace, &error);
    if (kind == USERS) result = simkit_population_read(&input, &population, &error);
    if (kind == MACHINE) result = simkit_machine_read(&input, &machine, &error);
    check(result == SIMKIT_OK || result == SIMKIT_BAD_FILE, "neither read nor a parse error");
    simkit_table_close(table);
    simkit_workload_close(trace);
    simkit_population_close(population);
    simkit_machine_close(machine);
}

/* Bars, all told of at once: `own` of them have a name of their own, a lane of their own, or are there at the same time. */
enum { NAMES = 1, LANES = 2, TOGETHER = 4, NODES = 8 };

/* Links to the device that takes everything: their endings are the formats. */
static const char *const traces[] = { [DIAGRAM] = "svg", [CHROME] = "json", [PAJE] = "paje" };
static char paths[PAJE + 1][1000];

static void make_links(const char *program)
{
    for (reader kind = DIAGRAM; kind <= PAJE; ++kind) {
        snprintf(paths[kind], sizeof paths[kind], "%.900s.%s", program, traces[kind]);
        unlink(paths[kind]);
        check(symlink("/dev/null", paths[kind]) == 0, "no link to /dev/null");
    }
}

static void draw(reader kind, int own, unsigned long bars, memory *m)
{
    const simkit_world_desc desc = { .memory = { .reallocate = count, .user = m } };
    simkit_world *world;
    simkit_trace *trace;
    simkit_node node;
    check(simkit_world_open(&desc, &world) == SIMKIT_OK, "no world");
    check(simkit_trace_open(world, &(simkit_trace_desc){ .path = paths[kind] }, &trace) == SIMKIT_OK, "no trace");
    check(simkit_node_add(world, NULL, &node) == SIMKIT_OK, "no node");
    for (int phase = 0; phase < 2; ++phase)
        for (unsigned long i = 0; i < bars; ++i) {
            char name[32] = "name", lane[32] = "lane";
            simkit_watch_event event;
            if (own & NAMES) snprintf(name, sizeof name, "name %lu", i);
            if (own & LANES) snprintf(lane, sizeof lane, "lane %lu", i);
            if ((own & NODES) && phase == 0) check(simkit_node_add(world, NULL, &node) == SIMKIT_OK, "no node");
            memset(&event, 0, sizeof event);
            event.kind = SIMKIT_WATCH_COMPUTE;
            event.node = (own & NODES) ? (simkit_node)(i + 1) : node;
            event.number = i + 1;
            event.name = name;
            event.lane = lane;
            event.begin = own & TOGETHER ? 0 : (double)i;
            event.time = event.begin;
            event.phase = SIMKIT_PHASE_BEGIN;
            if (phase == 0 || !(own & TOGETHER)) check(simkit_watch_emit(world, &event) == SIMKIT_OK, "not told");
            event.time = event.begin + (own & TOGETHER ? (double)(i * 7919 % 1000003) : 1);
            event.phase = SIMKIT_PHASE_END;
            if (phase == 1 || !(own & TOGETHER)) check(simkit_watch_emit(world, &event) == SIMKIT_OK, "not told");
            if (!(own & TOGETHER) && i + 1 == bars) phase = 1;
        }
    check(simkit_trace_close(trace) == SIMKIT_OK, "not written");
    simkit_world_close(world);
}

static const struct {
    const char *name;
    reader reader;
    line *line;
    int own;
    size_t most; /* memory, in bytes for each byte, or for each bar */
} kinds[] = {
    { "numbers", TABLE, numbers, 0, 16 },
    { "one row", TABLE, cells, 0, 64 },
    { "empty cells", TABLE, commas, 0, 32 },
    { "rows that are too short", TABLE, wide, 0, 32 },
    { "quoted cells", TABLE, words, 0, 16 },
    { "blanks", TABLE, blanks, 0, 16 },
    { "comments", TABLE, comments, 0, 16 },
    { "zeros", TABLE, zeros, 0, 16 },
    { "processes", TRACE, processes, 0, 32 },
    { "processes in no order", TRACE, children, 0, 64 },
    { "one process", TRACE, own_names, 0, 64 },
    { "names", TRACE, named, 0, 64 },
    { "states of one user", USERS, states, 0, 64 },
    { "users", USERS, users, 0, 64 },
    { "graphs", USERS, graphs, 0, 64 },
    { "follows", USERS, follows, 0, 64 },
    { "streams", USERS, streams, 0, 64 },
    { "rates", USERS, rates, 0, 32 },
    { "samples", USERS, samples, 0, 32 },
    { "nodes", USERS, nodes, 0, 32 },
    { "kinds of nodes", MACHINE, kinds_of_nodes, 0, 64 },
    { "pairs of nodes", MACHINE, pairs, 0, 64 },
    { "operations", MACHINE, rates_of_operations, 0, 64 },
    { "diagram, names", DIAGRAM, NULL, NAMES, 512 },
    { "diagram, lanes", DIAGRAM, NULL, LANES, 512 },
    { "diagram, together", DIAGRAM, NULL, TOGETHER, 512 },
    { "diagram, nodes", DIAGRAM, NULL, NODES, 1280 },
    { "Chrome, lanes", CHROME, NULL, LANES, 512 },
    { "Chrome, together", CHROME, NULL, TOGETHER, 512 },
    { "Paje, lanes", PAJE, NULL, LANES, 512 },
    { "Paje, together", PAJE, NULL, TOGETHER, 512 },
    { "Paje, nodes", PAJE, NULL, NODES, 1280 },
};

/* CPU seconds, of one of as many runs as take a tenth of a second; and memory for each byte or bar. A run before them
 * makes the system give the memory, which main() keeps: new pages would cost a large input more than a small one. */
static double takes(size_t k, size_t bytes, double *memory_each)
{
    const unsigned long bars = (unsigned long)(bytes / 100);
    text t = { NULL, 0, 0 };
    memory m = { 0, 0 };
    int runs = -1;
    clock_t begin = 0;
    if (kinds[k].line)
        for (unsigned long i = 0; t.length < bytes; ++i) kinds[k].line(&t, i);
    do {
        if (runs == 0) begin = clock();
        m.peak = 0;
        if (kinds[k].line)
            parse(kinds[k].reader, &t, &m);
        else
            draw(kinds[k].reader, kinds[k].own, bars, &m);
        ++runs;
    } while (runs == 0 || clock() - begin < CLOCKS_PER_SEC / 10);
    check(m.held == 0, "memory was lost");
    free(t.text);
    *memory_each = (double)m.peak / (double)(kinds[k].line ? t.length : bars);
    return (double)(clock() - begin) / CLOCKS_PER_SEC / runs;
}

int main(int count_, char **words_)
{
    enum { SMALL = 2500000 };
    int failed = 0;
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 2000000000);
    make_links(words_[0]);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        double each[2];
        if (count_ > 2 && strcmp(words_[1], kinds[k].name) == 0) {
            const double seconds = takes(k, (size_t)(1e6 * strtod(words_[2], NULL)), each);
            printf("%-24s %8.2f s CPU, memory %6.1f times\n", kinds[k].name, seconds, each[0]);
        }
        if (count_ > 1) continue;
        const double small = takes(k, SMALL, &each[0]), large = takes(k, 8 * SMALL, &each[1]);
        const bool fine = large < 28 * small && each[1] < (double)kinds[k].most;
        printf("%-24s %8.4f s, eight times as much %8.4f s: %5.1f; memory %6.1f times%s\n", kinds[k].name, small, large,
               large / small, each[1], fine ? "" : "  NOT LINEAR");
        fflush(stdout);
        failed += !fine;
    }
    for (reader kind = DIAGRAM; kind <= PAJE; ++kind) unlink(paths[kind]);
    return failed > 0;
}
