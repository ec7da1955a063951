/* One all-to-all on a star, a fat tree and a torus of equally many cables: which is fastest, and where does it jam?
 * cc -O2 -DSIMKIT_STATIC -I. examples/topology.c -o topology -lm && ./topology        (--svg FILE draws the fat tree's jam)
 *
 * Each of 64 hosts sends 1 MB to every other, all at once, over cables of 10 Gbit/s. A transfer of a star crosses two cables,
 * those of a torus four on average: what a cable has to carry follows from the routes alone, and the fullest one decides.
 * A record of the loads (simkit_loadmap_open()) then shows which link that is, and draws the load of each over time: in the
 * fat tree, the links of the hosts are full only until those of one switch have all data of each other. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#include <string.h>

enum { HOSTS = 64, MOST_LINKS = 128, MOST_HOPS = 16 };
static const double bytes = 1e6;

typedef struct network {
    const char *name;
    netmodel_topology topology;
    int cables;      /* of each link */
    const char *svg; /* where its picture goes; NULL: nowhere */
} network;

/* How long the fullest channel of each link is busy at least [s]: its bytes over its bandwidth. Routes say it alone. */
static void busy_times(const netmodel_topology *t, double busy[MOST_LINKS])
{
    double carried[2 * MOST_LINKS] = { 0 };
    size_t route[MOST_HOPS];
    for (size_t a = 0; a < HOSTS; ++a)
        for (size_t b = 0; b < HOSTS; ++b)
            for (size_t i = netmodel_topology_route(t, a, b, route, MOST_HOPS); i-- > 0;) carried[route[i]] += bytes;
    for (size_t i = 0; i < netmodel_topology_links(t); ++i)
        busy[i] = fmax(carried[2 * i], carried[2 * i + 1]) / netmodel_topology_link(t, i).bandwidth;
}

/* Which link carried most, of what it could in its fuller direction; and how many others as much. False if the record is
 * incomplete, because memory ran out. */
static bool print_busiest(simkit_world *world, simkit_loadmap *map, const netmodel_topology *t)
{
    double share[MOST_LINKS], most = 0;
    simkit_link busiest = 1, links = simkit_link_count(world), others = 0;
    for (simkit_link i = 1; i <= links; ++i) {
        const double out = simkit_loadmap_bytes(map, i, false), back = simkit_loadmap_bytes(map, i, true);
        if (isnan(out + back)) return fprintf(stderr, "no memory for the loads of all links\n"), false;
        share[i - 1] = fmax(out, back) / (netmodel_topology_link(t, i - 1).bandwidth * simkit_clock_now(world));
        if (share[i - 1] > most * (1 + 1e-9)) busiest = i, most = share[i - 1];
    }
    for (simkit_link i = 1; i <= links; ++i) others += i != busiest && share[i - 1] > most * (1 - 1e-9);
    printf("busiest link: %s, %.1f %% of its bandwidth; %lu others as busy\n", simkit_link_name(world, busiest),
           100 * most, (unsigned long)others);
    return true;
}

/* All to all; returns how long it takes [s], or NaN after saying what went wrong. */
static double all_to_all(const network *n)
{
    const simkit_world_desc desc = { .sharing = SIMKIT_SHARING_MAXMIN, .topology = &n->topology };
    const simkit_loadmap_desc picture = { n->svg, "All-to-all on a fat tree: how busy each link is", MOST_LINKS };
    simkit_world *world;
    simkit_loadmap *map;
    simkit_result result = simkit_world_open(&desc, &world);
    if (result != SIMKIT_OK) return fprintf(stderr, "%s\n", simkit_result_text(result)), (double)NAN;
    result = simkit_loadmap_open(world, &map);
    for (int i = 0; i < HOSTS && result == SIMKIT_OK; ++i) result = simkit_node_add(world, NULL, NULL);
    for (simkit_node a = 1; a <= HOSTS; ++a)
        for (simkit_node b = 1; b <= HOSTS && result == SIMKIT_OK; ++b) {
            const simkit_transfer_desc transfer = { .from = a, .to = b, .bytes = bytes };
            if (a != b) result = simkit_transfer_start(world, &transfer, NULL);
        }
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result == SIMKIT_OK && n->svg) result = simkit_loadmap_write(map, &picture);
    double seconds = result == SIMKIT_OK ? simkit_clock_now(world) : (double)NAN;
    if (result != SIMKIT_OK) {
        fprintf(stderr, "%s\n", simkit_world_why(world));
    } else {
        printf("%s: %.1f ms; %.1f Gbit/s through the middle\n", n->name, 1e3 * seconds,
               8e-9 * netmodel_topology_bisection(&n->topology));
        if (!print_busiest(world, map, &n->topology)) seconds = (double)NAN;
    }
    simkit_world_close(world);
    return seconds;
}

/* The links of one kind: how many, and how long the fullest of them is busy. A kind is the level of its upper end, or, in
 * a torus, the dimension: the first half of its links are along the first one. */
static void print_kind(const char *kind, const double busy[], size_t first, size_t count, int cables, double seconds)
{
    double most = 0, sum = 0;
    for (size_t i = first; i < first + count; ++i) most = fmax(most, busy[i]), sum += busy[i];
    printf("  %-28s %4zu  %8.1f ms  %5.0f %%  ", kind, count * (size_t)cables, 1e3 * most,
           100 * sum / (double)count / seconds);
    for (int i = 0; i < 30; ++i) putchar(i < (int)lrint(30 * most / seconds) ? '#' : '.');
    printf("\n");
}

int main(int argc, char **argv)
{
    const netmodel_cable one = { .bandwidth = 1.25e9, .latency = 1e-6 }, two = { .bandwidth = 2.5e9, .latency = 1e-6 };
    const char *svg = argc == 3 && strcmp(argv[1], "--svg") == 0 ? argv[2] : NULL;
    const network networks[] = {
        { "star", { .kind = NETMODEL_TOPOLOGY_STAR, .star = { .hosts = HOSTS, .cable = two } }, 2, NULL },
        { "fat tree",
          { .kind = NETMODEL_TOPOLOGY_FAT_TREE,
            .tree = { .levels = 3, .down = { 4, 4, 4 }, .up = { 1, 2, 4 }, .cable = { one } } },
          1,
          svg },
        { "torus",
          { .kind = NETMODEL_TOPOLOGY_TORUS, .grid = { .dimensions = 2, .size = { 8, 8 }, .cable = { one } } },
          1,
          NULL }
    };
    for (int n = 0; n < 3; ++n) {
        double busy[MOST_LINKS];
        if (n > 0) printf("\n");
        const double seconds = all_to_all(&networks[n]);
        if (!(seconds > 0)) return 1;
        busy_times(&networks[n].topology, busy);
        printf("  %-28s %4s  %11s  %7s\n", "", "cables", "fullest", "mean");
        if (n == 0) print_kind("hosts to switch, two each", busy, 0, 64, networks[n].cables, seconds);
        if (n == 1) print_kind("hosts to switches", busy, 0, 64, 1, seconds);
        if (n == 1) print_kind("leaves to middle", busy, 64, 32, 1, seconds);
        if (n == 1) print_kind("middle to top", busy, 96, 32, 1, seconds);
        if (n == 2) print_kind("along the first dimension", busy, 0, 64, 1, seconds);
        if (n == 2) print_kind("along the second dimension", busy, 64, 64, 1, seconds);
    }
    return 0;
}
