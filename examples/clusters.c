/* A parallel program over two clusters that are joined by a thin link: how should its processes be placed?
 * cc -O2 -DSIMKIT_STATIC -I. examples/clusters.c -o clusters -lm && ./clusters        (--svg FILE draws the best)
 *
 * 16 processes compute the blocks of a grid, 4 x 4, and in each iteration swap borders with their neighbours. How many
 * borders cross the thin link depends on the placement, and the time that they take there can be computed by hand. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"

#include <string.h>

enum { SIDE = 4, COUNT = SIDE * SIDE, ITERATIONS = 10 };
static const double border = 250e3, work = 0.1, thin = 2.5e6, fast = 12.5e6,
                    far = 5e-3; /* [B], [s], [B/s], [B/s], [s] */

typedef struct placement {
    const char *name;
    const char *map; /* the cluster of each block, row by row */
} placement;

typedef struct block {
    int number;
    simkit_node node;
    simkit_mailbox box;
} block;

static block blocks[COUNT];
static simkit_result failed;

/* Block number `block` has up to four neighbours. Returns how many, and writes their numbers. */
static int neighbours(int block, int numbers[4])
{
    const int row = block / SIDE, column = block % SIDE;
    int count = 0;
    if (row > 0) numbers[count++] = block - SIDE;
    if (row < SIDE - 1) numbers[count++] = block + SIDE;
    if (column > 0) numbers[count++] = block - 1;
    if (column < SIDE - 1) numbers[count++] = block + 1;
    return count;
}

static void iterates(simkit_world *world, void *user)
{
    const block *b = (const block *)user;
    int others[4];
    const int count = neighbours(b->number, others);
    const simkit_computation_desc computation = { .seconds = work, .name = "compute" };
    simkit_message message;
    for (int iteration = 0; iteration < ITERATIONS && !failed; ++iteration) {
        failed = simkit_process_compute(world, &computation, NULL);
        for (int i = 0; i < count && !failed; ++i) {
            const simkit_post_desc post = {
                .to = blocks[others[i]].box, .from = b->node, .bytes = border, .name = "border"
            };
            failed = simkit_mailbox_post(world, &post, NULL);
        }
        for (int i = 0; i < count && !failed; ++i) failed = simkit_process_receive(world, b->box, &message);
    }
    if (failed) simkit_world_stop(world);
}

/* Borders that cross the thin link, in one direction. */
static int crossings(const char *map)
{
    int others[4], crossing = 0;
    for (int i = 0; i < COUNT; ++i)
        for (int k = neighbours(i, others); k-- > 0;) crossing += map[i] == 'A' && map[others[k]] == 'B';
    return crossing;
}

/* The time of all iterations [s]; negative after saying what went wrong. */
static double run(const placement *p, const char *svg)
{
    const netmodel_topology two = { .kind = NETMODEL_TOPOLOGY_CLUSTERS,
                                    .clusters = { .count = 2,
                                                  .cluster = { { .hosts = COUNT / 2, .cable = { fast, 50e-6, 0 } },
                                                               { .hosts = COUNT / 2 } },
                                                  .joints = 1,
                                                  .joint = { { .from = 0, .to = 1, .cable = { thin, far, 0 } } } } };
    simkit_world *world;
    simkit_trace *trace = NULL;
    unsigned next[2] = { 1, COUNT / 2 + 1 };
    if (simkit_world_open(&(simkit_world_desc){ .topology = &two }, &world)) return fputs("no memory\n", stderr), -1;
    const simkit_trace_desc picture = { .path = svg, .title = p->name };
    failed = svg ? simkit_trace_open(world, &picture, &trace) : SIMKIT_OK;
    for (int i = 0; i < COUNT && !failed; ++i) {
        char name[16];
        snprintf(name, sizeof name, "%c: %d, %d", p->map[i], i / SIDE + 1, i % SIDE + 1);
        const simkit_node_desc node = { .name = name, .place = next[p->map[i] - 'A']++ };
        blocks[i].number = i;
        failed = simkit_node_add(world, &node, &blocks[i].node);
        if (!failed) failed = simkit_mailbox_open(world, blocks[i].node, name, &blocks[i].box);
    }
    for (int i = 0; i < COUNT && !failed; ++i) {
        const simkit_process_desc process = { .node = blocks[i].node, .body = iterates, .user = &blocks[i] };
        failed = simkit_process_start(world, &process, NULL);
    }
    simkit_result result = failed ? failed : simkit_world_run(world);
    if (!result && !failed) result = simkit_trace_close(trace);
    const double seconds = simkit_clock_now(world);
    if (result) fprintf(stderr, "%s\n", failed ? simkit_result_text(failed) : simkit_world_why(world));
    simkit_world_close(world);
    return result ? -1 : seconds;
}

int main(int argc, char **argv)
{
    static const placement placements[] = { { "halves", "AAAAAAAABBBBBBBB" },
                                            { "quarters, crosswise", "AABBAABBBBAABBAA" },
                                            { "every other row", "AAAABBBBAAAABBBB" },
                                            { "in turn, as on a chessboard", "ABABBABAABABBABA" } };
    const bool draws = argc == 3 && strcmp(argv[1], "--svg") == 0;
    printf("%-28s %9s %10s %16s\n", "placement", "crossings", "time", "thin link busy");
    for (int i = 0; i < 4; ++i) {
        const int crossing = crossings(placements[i].map);
        const double seconds = run(&placements[i], draws && i == 0 ? argv[2] : NULL);
        const double busy = ITERATIONS * crossing * border / thin;
        if (seconds < 0) return 1;
        printf("%-28s %9d %8.2f s %7.2f s, %2.0f %%  ", placements[i].name, crossing, seconds, busy,
               100 * busy / seconds);
        for (int k = 0; k < (int)(seconds + 0.5); ++k) putchar('#');
        printf("\n");
    }
    return 0;
}
