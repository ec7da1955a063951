/* A simulator knows how work divides and what the network carries, a law learns the rest from runs: is it better to join them?
 * cc -O2 -DSIMKIT_STATIC -I. examples/joined.c -o joined -lm && ./joined
 *
 * A stencil on a cluster of 16 nodes: 16 strips of 32 lines, so 12 nodes take as long as 8. Medians of stencil-512 in
 * tests/series/scaling.csv. Each node computes its strips and passes its edges to both neighbours, 20 times; the time on one node
 * is measured. What the simulation does not know is what sending costs the processors and what the system takes: it is three
 * times too fast. A law of the simulated time and the nodes learns that from four runs. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/netmodel_fit.h"

enum { NUMBERS = 8, FEW = 4, MOST = 16, STRIPS = 16, ROUNDS = 20 };

static const size_t nodes[NUMBERS] = { 1, 2, 3, 4, 6, 8, 12, 16 };
static const double measured[NUMBERS] = { 2.92, 2.21, 1.88, 1.43, 1.18, 1.10, 1.26, 1.13 }; /* [s] */
static const double latency = 200e-6, bandwidth = 11.9e6, edge = 4 * 512 * 8;               /* [s], [B/s], [B] */

typedef struct program {
    simkit_node node[MOST];
    simkit_mailbox from_left[MOST], from_right[MOST];
    size_t nodes, next;
    simkit_result result;
} program;

//! [node]
static void node(simkit_world *world, void *user)
{
    program *p = (program *)user;
    const size_t me = p->next++, last = p->nodes - 1, strips = STRIPS * (me + 1) / p->nodes - STRIPS * me / p->nodes;
    const simkit_computation_desc work = { .seconds = measured[0] / ROUNDS / STRIPS * (double)strips };

    for (int round = 0; round < ROUNDS && !p->result; ++round) {
        p->result = simkit_process_compute(world, &work, NULL);
        for (int side = 0; side < 2 && !p->result; ++side) {
            simkit_post_desc lines = { .from = p->node[me], .bytes = edge };
            if (side == 0 ? me == 0 : me == last) continue;
            lines.to = side == 0 ? p->from_right[me - 1] : p->from_left[me + 1];
            p->result = simkit_mailbox_post(world, &lines, NULL);
        }
        if (!p->result && me > 0) p->result = simkit_process_receive(world, p->from_left[me], NULL);
        if (!p->result && me < last) p->result = simkit_process_receive(world, p->from_right[me], NULL);
    }
    if (p->result) simkit_world_stop(world);
}
//! [node]

/* Time of the program on so many nodes, by simulation [s]; negative after a sentence on stderr. */
static double simulate(size_t count)
{
    const simkit_node_desc machine = { .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
    program p = { .nodes = count };
    simkit_world *world;
    simkit_result result = simkit_world_open(&(simkit_world_desc){ .latency = latency }, &world);
    for (size_t i = 0; i < count && !result; ++i) {
        result = simkit_node_add(world, &machine, &p.node[i]);
        const simkit_process_desc process = { .node = p.node[i], .body = node, .user = &p };
        if (!result) result = simkit_mailbox_open(world, p.node[i], "from the left", &p.from_left[i]);
        if (!result) result = simkit_mailbox_open(world, p.node[i], "from the right", &p.from_right[i]);
        if (!result) result = simkit_process_start(world, &process, NULL);
    }
    if (!result) result = simkit_world_run(world);
    if (!result) result = p.result;
    if (result) fprintf(stderr, "%s\n", world ? simkit_world_why(world) : simkit_result_text(result));
    const double time = result ? -1 : simkit_clock_now(world);
    simkit_world_close(world);
    return time;
}

int main(void)
{
    double simulated[NUMBERS], off[3] = { 0 };
    netmodel_run run[FEW], scratch[2 * FEW];
    netmodel_laws alone, joined;

    for (size_t i = 0; i < NUMBERS; ++i)
        if ((simulated[i] = simulate(nodes[i])) < 0) return 1;
    //! [joined]
    for (size_t i = 0; i < FEW; ++i) run[i] = (netmodel_run){ .processes = nodes[i], .seconds = measured[i] };
    netmodel_result result = netmodel_laws_fit(run, FEW, NULL, scratch, &alone, NULL);
    if (!result) result = netmodel_laws_fit_joined(run, simulated, FEW, NULL, scratch, &joined, NULL);
    //! [joined]
    if (result) return fprintf(stderr, "%s\n", netmodel_result_text(result)), 1;

    printf("nodes  measured  simulated  laws alone      joined, 95 %% within\n");
    for (size_t i = 0; i < NUMBERS; ++i) {
        const double a = netmodel_laws_forecast(&alone, nodes[i], 0, 0.95).time;
        //! [forecast]
        const netmodel_forecast f = netmodel_laws_forecast(&joined, nodes[i], simulated[i], 0.95);
        //! [forecast]
        printf("%5lu %7.2f s %8.2f s %9.2f s %9.2f s  [%4.2f, %4.2f]%s\n", (unsigned long)nodes[i], measured[i],
               simulated[i], a, f.time, f.low, f.high, i < FEW ? "  a run" : "");
        if (i < FEW) continue;
        off[0] += fabs(log(simulated[i] / measured[i])) / (NUMBERS - FEW);
        off[1] += fabs(log(a / measured[i])) / (NUMBERS - FEW);
        off[2] += fabs(log(f.time / measured[i])) / (NUMBERS - FEW);
    }
    printf("off by %12.0f %% %10.0f %% %9.0f %%, on 6 to 16 nodes\n", 100 * (exp(off[0]) - 1), 100 * (exp(off[1]) - 1),
           100 * (exp(off[2]) - 1));
    return 0;
}
