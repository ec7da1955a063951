/* Three nodes send to a fourth at once: who gets how much of its link, and when is each done?
 * cc -O2 -DSIMKIT_STATIC -I. examples/star.c -o star -lm && ./star        (--svg FILE draws it)
 *
 * Every node hangs on a switch by a link of its own, and the switch itself is never the bottleneck. What leaves a node
 * shares its up link, what enters a node shares its down link, and a transfer gets the smaller of its two shares. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "svg.h"

#include <math.h>

enum { SENDERS = 3, NODES = 4, COLUMNS = 60, ROWS = 6 };
static const double bandwidth = 10e6; /* [B/s], of every link */

typedef struct transfer {
    const char *name;
    double begin, bytes, expected, end; /* [s], [B], by hand [s], as simulated [s] */
} transfer;

static transfer transfers[SENDERS] = { { "a", 0, 30e6, 0, 0 }, { "b", 1, 20e6, 0, 0 }, { "c", 4, 20e6, 0, 0 } };
static simkit_node node[NODES];

static void arrives(simkit_world *world, void *user)
{
    ((transfer *)user)->end = simkit_clock_now(world);
}

static void leaves(simkit_world *world, void *user)
{
    transfer *t = (transfer *)user;
    const simkit_transfer_desc desc = {
        .from = node[t - transfers], .to = node[SENDERS], .bytes = t->bytes, .name = t->name, .done = arrives, .user = t
    };
    if (simkit_transfer_start(world, &desc, NULL) != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
}

/* By hand: from one moment at which a transfer begins or ends to the next, by the rule of the star. */
static void by_hand(svg *picture)
{
    double left[SENDERS] = { transfers[0].bytes, transfers[1].bytes, transfers[2].bytes }, next;

    printf("  from       to      entering   each gets\n");
    for (double now = 0; now < (double)INFINITY; now = next) {
        char entering[SENDERS + 1] = "";
        int k = 0;
        for (int i = 0; i < SENDERS; ++i)
            if (transfers[i].begin <= now && left[i] > 0) entering[k++] = *transfers[i].name;
        const double rate = netmodel_star_rate(bandwidth, 1, bandwidth, k > 0 ? k : 1), height = rate * 1e-6;
        next = (double)INFINITY;
        for (int i = 0; i < SENDERS; ++i)
            if (transfers[i].begin > now)
                next = fmin(next, transfers[i].begin);
            else if (left[i] > 0)
                next = fmin(next, now + left[i] / rate);
        for (int i = 0; i < k; ++i)
            svg_box(picture, now, i * height, next, (i + 1) * height, svg_colours[entering[i] - 'a']);
        if (k > 0) printf("%6.2f s  %6.2f s   %-8s  %5.2f MB/s\n", now, next, entering, rate * 1e-6);
        for (int i = 0; i < SENDERS; ++i) {
            if (transfers[i].begin > now || !(left[i] > 0)) continue;
            left[i] -= (next - now) * rate;
            if (left[i] < 1e-3) left[i] = 0, transfers[i].expected = next;
        }
    }
}

/* The down link over time: each column is divided among those that enter, from the first to the last. */
static void print_link(void)
{
    const double last = fmax(transfers[0].end, fmax(transfers[1].end, transfers[2].end));
    printf("\n");
    for (int row = ROWS - 1; row >= 0; --row) {
        printf("%5.1f |", (row + 1) * bandwidth / ROWS * 1e-6);
        for (int column = 0; column < COLUMNS; ++column) {
            const double time = (column + 0.5) * last / COLUMNS;
            char entering[SENDERS] = "";
            int k = 0;
            for (int i = 0; i < SENDERS; ++i)
                if (time >= transfers[i].begin && time < transfers[i].end) entering[k++] = *transfers[i].name;
            putchar(k > 0 ? entering[(2 * row + 1) * k / (2 * ROWS)] : ' ');
        }
        printf("\n");
    }
    printf(" MB/s +------------------------------------------------------------\n       0%59.1f s\n\n", last);
}

int main(int argc, char **argv)
{
    const simkit_node_desc desc = { .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
    simkit_world *world;
    simkit_result result = SIMKIT_OK;
    bool equal = true;
    svg picture;

    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), 1;
    for (int i = 0; i < NODES && result == SIMKIT_OK; ++i) result = simkit_node_add(world, &desc, &node[i]);
    for (int i = 0; i < SENDERS && result == SIMKIT_OK; ++i)
        result = simkit_step_at(world, transfers[i].begin, 0, leaves, &transfers[i], NULL);
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    if (result != SIMKIT_OK) return 1;

    svg_open(&picture, svg_asked(argc, argv), "Three senders into one node: who gets how much of its link", 860, 360);
    svg_plot(&picture, 70, 670, (svg_axis){ .label = "time [s]", .to = 7 },
             (svg_axis){ .label = "rate [MB/s]", .to = 12 });
    for (int i = 0; i < SENDERS; ++i) svg_legend(&picture, SVG_AREA, svg_colours[i], transfers[i].name);
    by_hand(&picture);
    printf("\ntransfer   leaves at   size    alone it arrives   arrives at   by hand\n");
    for (int i = 0; i < SENDERS; ++i) {
        const transfer *t = &transfers[i];
        printf("%8s   %7.1f s   %2.0f MB   %14.1f s   %8.1f s  %6.1f s\n", t->name, t->begin, t->bytes * 1e-6,
               t->begin + t->bytes / bandwidth, t->end, t->expected);
        equal = equal && fabs(t->end - t->expected) < 1e-9;
    }
    print_link();
    printf("%s\n", equal ? "simulated and by hand are equal" : "SIMULATED AND BY HAND DIFFER");
    return !svg_close(&picture) || !equal;
}
