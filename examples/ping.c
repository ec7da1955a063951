/* How long does a message take to a neighbour and back, and which part of it is the wire?
 * cc -O2 -DSIMKIT_STATIC -I. examples/ping.c -o ping -lm && ./ping        (--svg FILE draws the last one)
 *
 * A link has a latency l and a bandwidth b, and s bytes take l + s/b. Two processes here send a message to and fro, on
 * the virtual clock; then the closed form says what the clock should show. They are equal to the last bit or two. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"

#include <math.h>
#include <string.h>

static const double latency = 50e-6, bandwidth = 125e6; /* [s], [B/s] */

typedef struct game {
    simkit_mailbox ping, pong;
    double bytes, took;
} game;

//! [processes]
static void player(simkit_world *world, void *user)
{
    game *g = (game *)user;
    const double start = simkit_clock_now(world);
    const simkit_post_desc ball = { .to = g->pong, .bytes = g->bytes, .name = "ping" };

    if (simkit_process_send(world, &ball, NULL) != SIMKIT_OK ||
        simkit_process_receive(world, g->ping, NULL) != SIMKIT_OK)
        fprintf(stderr, "%s\n", simkit_world_why(world));
    g->took = simkit_clock_now(world) - start;
}

static void wall(simkit_world *world, void *user)
{
    game *g = (game *)user;
    simkit_message ball;

    if (simkit_process_receive(world, g->pong, &ball) != SIMKIT_OK ||
        simkit_process_send(world, &(simkit_post_desc){ .to = g->ping, .bytes = ball.bytes, .name = "pong" }, NULL) !=
            SIMKIT_OK)
        fprintf(stderr, "%s\n", simkit_world_why(world));
}
//! [processes]

/* Plays once in a world of its own; gives the round trip, or NaN after a sentence on stderr. */
static double play(double bytes, const char *svg)
{
    simkit_world *world;
    simkit_node here, there;
    simkit_trace *trace = NULL;
    const simkit_trace_desc picture = { .path = svg, .title = "A message to a neighbour and back" };
    const simkit_node_desc node = { .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
    game g = { .bytes = bytes, .took = NAN };

    if (simkit_world_open(&(simkit_world_desc){ .latency = latency }, &world) != SIMKIT_OK)
        return fputs("no memory for a world\n", stderr), NAN;
    if (simkit_node_add(world, &node, &here) != SIMKIT_OK || simkit_node_add(world, &node, &there) != SIMKIT_OK ||
        simkit_mailbox_open(world, here, "ping", &g.ping) != SIMKIT_OK ||
        simkit_mailbox_open(world, there, "pong", &g.pong) != SIMKIT_OK ||
        (svg && simkit_trace_open(world, &picture, &trace) != SIMKIT_OK) ||
        simkit_process_start(world,
                             &(simkit_process_desc){ .name = "player", .node = here, .body = player, .user = &g },
                             NULL) != SIMKIT_OK ||
        simkit_process_start(world, &(simkit_process_desc){ .name = "wall", .node = there, .body = wall, .user = &g },
                             NULL) != SIMKIT_OK ||
        simkit_world_run(world) != SIMKIT_OK || simkit_trace_close(trace) != SIMKIT_OK) {
        fprintf(stderr, "%s\n", simkit_world_why(world));
        g.took = NAN;
    }
    simkit_world_close(world);
    return g.took;
}

int main(int argc, char **argv)
{
    const char *svg = argc == 3 && strcmp(argv[1], "--svg") == 0 ? argv[2] : NULL;
    const netmodel_link way = { latency, 1 / bandwidth };
    bool equal = true;

    printf("    bytes   simulated [s]  2 (l + s/b) [s]   share of the wire\n");
    for (double bytes = 1; bytes <= 1e8; bytes *= 10) {
        const double simulated = play(bytes, bytes == 1e8 ? svg : NULL);
        if (isnan(simulated)) return 1;
        const double closed = 2 * netmodel_link_time(&way, bytes), wire = 2 * bytes * way.byte_time / closed;
        char bar[41] = "";
        memset(bar, '#', (size_t)(40 * wire + 0.5));
        equal = equal && fabs(simulated / closed - 1) < 1e-12;
        printf("%9.0f   %13.6f    %13.6f   %5.1f %%  |%-40s|\n", bytes, simulated, closed, 100 * wire, bar);
    }
    printf("\n%s\n", equal ? "simulated and closed form are equal" : "SIMULATED AND CLOSED FORM DIFFER");
    return !equal;
}
