/* How fast are the formulas of netmodel.h? Also routes and max-min fair rates.
 *
 * Goals: a curve with 2, 8 and 64 breaks under 5, 8 and 12 ns a call; 5 000 points in up to 8 pieces under a second. Sizes
 * come in an order that no branch predictor learns. Medians of nine, and the range. */
#define _POSIX_C_SOURCE 200809L
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "measure.h"

#include <stdio.h>

enum { RUNS = 9, SIZES = 1 << 16, POINTS = 5000 };

static double sizes[SIZES], n[POINTS], t[POINTS], scratch[1 << 20];
static volatile double sink;
static uint64_t dice = 1;

static double uniform(void)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(dice >> 11) * 0x1p-53;
}

/* Runs it RUNS times; prints the median and the range of seconds / pieces, in a unit. */
static void measure(const char *what, void (*run)(void *), void *user, double pieces, double unit, const char *text)
{
    double seconds[RUNS];
    for (int i = 0; i < RUNS; ++i) {
        const double start = measure_now();
        run(user);
        seconds[i] = (measure_now() - start) / pieces / unit;
    }
    measure_sort(seconds, RUNS);
    printf("%-38s %8.2f %-12s %8.2f .. %.2f\n", what, seconds[RUNS / 2], text, seconds[0], seconds[RUNS - 1]);
}

static void evaluate(void *user)
{
    const netmodel_curve *curve = (const netmodel_curve *)user;
    double sum = 0;
    for (int round = 0; round < 16; ++round)
        for (int i = 0; i < SIZES; ++i) sum += netmodel_curve_time(curve, sizes[i]);
    sink = sum;
}

static void fit_line(void *user)
{
    netmodel_fit fit;
    (void)user;
    for (int i = 0; i < 20; ++i)
        measure_ok(netmodel_fit_line(&(netmodel_points){ n, t, POINTS, NETMODEL_ERROR_RELATIVE }, &fit, NULL));
    sink = fit.line.slope;
}

static void fit_robust(void *user)
{
    netmodel_fit fit;
    (void)user;
    measure_ok(netmodel_fit_robust(&(netmodel_points){ n, t, POINTS, NETMODEL_ERROR_RELATIVE }, scratch, &fit, NULL));
    sink = fit.line.slope;
}

static void fit_pieces(void *user)
{
    netmodel_piece piece[8];
    netmodel_pieces fit;
    measure_ok(netmodel_fit_pieces(&(netmodel_points){ n, t, POINTS, NETMODEL_ERROR_RELATIVE },
                                   (const netmodel_pieces_desc *)user, scratch, piece, &fit, NULL));
    sink = fit.criterion;
}

static void routes(void *user)
{
    const netmodel_topology *topology = (const netmodel_topology *)user;
    const size_t hosts = netmodel_topology_hosts(topology);
    size_t channel[32], sum = 0;
    for (int i = 0; i < SIZES; ++i) {
        const size_t from = (size_t)sizes[i] % hosts, to = (size_t)sizes[SIZES - 1 - i] % hosts;
        const size_t count = netmodel_topology_route(topology, from, to, channel, 32);
        sum += count > 0 ? channel[count - 1] : 0;
    }
    sink = (double)sum;
}

/* A route between any two of 1024 hosts. */
static void measure_routes(void)
{
    static const netmodel_topology topology[] = {
        { .kind = NETMODEL_TOPOLOGY_STAR, .star = { .hosts = 1024 } },
        { .kind = NETMODEL_TOPOLOGY_FAT_TREE,
          .tree = { .levels = 3, .down = { 16, 8, 8 }, .up = { 1, 8, 8 }, .count = { 1, 1, 1 } } },
        { .kind = NETMODEL_TOPOLOGY_TORUS, .grid = { .dimensions = 3, .size = { 16, 8, 8 } } },
        { .kind = NETMODEL_TOPOLOGY_DRAGONFLY, .dragonfly = { .groups = 8, .chassis = 4, .blades = 8, .nodes = 4 } },
    };
    static const char *const names[] = { "star", "fat tree", "torus", "dragonfly" };
    for (int i = 0; i < 4; ++i) {
        netmodel_topology t = topology[i];
        char what[40];
        snprintf(what, sizeof what, "%s of 1024 hosts, a route", names[i]);
        measure(what, routes, &t, SIZES, 1e-9, "ns");
    }
}

typedef struct sharing { /* what netmodel_maxmin_rates() and netmodel_network_maxmin() take */
    netmodel_flows flows;
    netmodel_maxmin_link *link;
    size_t *next;
    double *rate;
} sharing;

static void star_rates(void *user)
{
    const sharing *s = (const sharing *)user;
    measure_ok(netmodel_maxmin_rates(&s->flows, s->link, s->next, s->rate));
    sink = s->rate[0];
}

static void network_rates(void *user)
{
    const sharing *s = (const sharing *)user;
    measure_ok(netmodel_network_maxmin(&s->flows, s->link, s->next, s->rate));
    sink = s->rate[0];
}

/* Max-min fair rates: all hosts of a star send to each other; random transfers cross a torus of 1000 hosts. */
static void measure_rates(void)
{
    enum { HOSTS = 1024, MOST = HOSTS * (HOSTS - 1), LONGEST = 16 };
    static double bandwidth[4 * HOSTS], rate[MOST];
    static size_t from[MOST], to[MOST], next[2 * MOST], first[10001], channel[10000 * LONGEST];
    static netmodel_maxmin_link link[8 * HOSTS];
    const netmodel_topology torus = { .kind = NETMODEL_TOPOLOGY_TORUS,
                                      .grid = { .dimensions = 3, .size = { 10, 10, 10 }, .cable = { { 1, 0, 0 } } } };
    char what[60];
    for (size_t i = 0; i < 4 * HOSTS; ++i) bandwidth[i] = 1;
    for (size_t hosts = 64; hosts <= HOSTS; hosts *= 16) {
        sharing s = {
            { .nodes = hosts, .up = bandwidth, .down = bandwidth, .from = from, .to = to }, link, next, rate
        };
        for (size_t i = 0; i < hosts * hosts; ++i) {
            if (i / hosts == i % hosts) continue;
            from[s.flows.flows] = i / hosts;
            to[s.flows.flows++] = i % hosts;
        }
        snprintf(what, sizeof what, "max-min, star of %lu, a transfer", (unsigned long)hosts);
        measure(what, star_rates, &s, (double)s.flows.flows, 1e-9, "ns");
    }
    for (size_t count = 1000; count <= 10000; count *= 10) {
        sharing s = {
            { .flows = count, .links = netmodel_topology_links(&torus), .bandwidth = bandwidth }, link, next, rate
        };
        s.flows.first = first;
        s.flows.channel = channel;
        for (size_t i = 0; i < count; ++i)
            first[i + 1] = first[i] + netmodel_topology_route(&torus, (size_t)(1000 * uniform()),
                                                              (size_t)(1000 * uniform()), channel + first[i], LONGEST);
        snprintf(what, sizeof what, "max-min, torus, %lu transfers, a hop", (unsigned long)count);
        measure(what, network_rates, &s, (double)first[count], 1e-9, "ns");
    }
}

int main(void)
{
    static double bytes[66], seconds[66];
    netmodel_pieces_desc desc = { .maximum = 8 };

    printf("%-38s %8s %-12s %8s\n", "", "median", "", "range");
    for (int i = 0; i < SIZES; ++i) sizes[i] = 1e6 * uniform();
    for (int breaks = 2; breaks <= 64; breaks = breaks == 2 ? 8 : breaks * 8) {
        netmodel_curve curve;
        char what[40];
        for (int i = 0; i < breaks + 2; ++i) {
            bytes[i] = 1e6 * i / (breaks + 1);
            seconds[i] = 1e-4 + 1e-8 * bytes[i] + (i > breaks / 2 ? 1e-3 : 0);
        }
        if (netmodel_curve_init(bytes, seconds, (size_t)breaks + 2, &curve, NULL) != NETMODEL_OK) return 1;
        snprintf(what, sizeof what, "curve with %d breaks, a call", breaks);
        measure(what, evaluate, &curve, 16.0 * SIZES, 1e-9, "ns");
    }
    for (int i = 0; i < POINTS; ++i) {
        n[i] = exp(14.0 * i / POINTS);
        t[i] = (1e-5 + n[i] * (n[i] < 1e3 ? 1e-8 : 3e-8)) * (1 + 0.05 * uniform());
    }
    if (netmodel_pieces_scratch(POINTS, 8) > sizeof scratch / sizeof *scratch) return 1;
    measure("line, a point", fit_line, NULL, 20.0 * POINTS, 1e-9, "ns");
    measure("robust line, a point", fit_robust, NULL, POINTS, 1e-6, "us");
    measure("5000 points, up to 8 pieces", fit_pieces, &desc, 1, 1, "s");
    desc.jumps = 1;
    measure("the same with jumps", fit_pieces, &desc, 1, 1, "s");
    measure_routes();
    measure_rates();
    return 0;
}
