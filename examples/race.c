/* Two servers have the same file, one near, one fast: which copy arrives first, if both are asked?
 * cc -O2 -DSIMKIT_STATIC -I. examples/race.c -o race -lm && ./race
 *
 * The fast server is 50 ms and 100 MB/s away. The near one has a link of its own to us, which is slower: 1 ms and 10 MB/s.
 * Both transfers share our own link of 100 MB/s: while both flow, each may have half of it. The near one has no use for more
 * than its 10 MB/s; with equal shares the other gets 50 MB/s all the same. The first that arrives wins, and the other is
 * cancelled. By hand, for s bytes: 1 ms + s / (10 MB/s) against 50 ms + s / (50 MB/s). */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <math.h>

typedef struct race {
    simkit_transfer copy[2]; /* near, fast */
    int winner;
    double end; /* [s] */
    bool cancelled;
} race;

static void arrives(simkit_world *world, race *r, int winner)
{
    r->winner = winner;
    r->end = simkit_clock_now(world);
    r->cancelled = simkit_transfer_cancel(world, r->copy[!winner]);
}

static void near_arrives(simkit_world *world, void *user)
{
    arrives(world, (race *)user, 0);
}

static void fast_arrives(simkit_world *world, void *user)
{
    arrives(world, (race *)user, 1);
}

static simkit_result run(simkit_world *world, double bytes, race *r)
{
    const simkit_node_desc desc = { .up_bandwidth = 100e6, .down_bandwidth = 100e6 };
    const netmodel_link link = { 1e-3, 1 / 10e6 };
    simkit_transfer_desc near = { .bytes = bytes, .done = near_arrives, .user = r }, fast = near;
    simkit_node us;
    simkit_result result = simkit_node_add(world, &desc, &us);

    fast.done = fast_arrives, near.to = fast.to = us;
    if (result == SIMKIT_OK) result = simkit_node_add(world, &desc, &near.from);
    if (result == SIMKIT_OK) result = simkit_node_add(world, &desc, &fast.from);
    if (result == SIMKIT_OK) result = simkit_pair_set(world, near.from, us, &link);
    if (result == SIMKIT_OK) result = simkit_transfer_start(world, &near, &r->copy[0]);
    if (result == SIMKIT_OK) result = simkit_transfer_start(world, &fast, &r->copy[1]);
    return result == SIMKIT_OK ? simkit_world_run(world) : result;
}

static double by_hand(double bytes, int *winner)
{
    const double near = 1e-3 + bytes / 10e6, fast = 50e-3 + bytes / 50e6;

    *winner = fast < near;
    return fmin(near, fast);
}

int main(void)
{
    static const double sizes[] = { 1e3, 1e4, 1e5, 4e5, 6e5, 7e5, 1e6, 1e7, 1e8 };
    bool equal = true;

    printf("    bytes   simulated       by hand   winner   the other is cancelled\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        race r = { .winner = -1 };
        simkit_world *world;
        int winner;
        if (simkit_world_open(&(simkit_world_desc){ .latency = 50e-3 }, &world) != SIMKIT_OK)
            return fputs("no memory for a world\n", stderr), 1;
        if (run(world, sizes[i], &r) != SIMKIT_OK) return fprintf(stderr, "%s\n", simkit_world_why(world)), 1;
        simkit_world_close(world);
        const double theory = by_hand(sizes[i], &winner);
        printf("%9.0f   %9.6f s   %9.6f s   %s     %s\n", sizes[i], r.end, theory, r.winner ? "fast" : "near",
               r.cancelled ? "yes" : "no");
        equal = equal && r.winner == winner && r.cancelled && fabs(r.end / theory - 1) < 1e-9;
    }
    printf("\n%s\n", equal ? "simulated and by hand are equal" : "SIMULATED AND BY HAND DIFFER");
    return !equal;
}
