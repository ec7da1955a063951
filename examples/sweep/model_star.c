/* model_star.c - transfers between the nodes of a star as a model for sweeps
 *
 * Each node sends so many messages, one after another, each to another node that is drawn at random. Sizes are all equal or
 * exponentially distributed. */
#include "models.h"

#include <stdlib.h>

enum { NODES, MESSAGES, BYTES, SIZES, BANDWIDTH, LATENCY, SHARING, PARAMETERS };
enum { MAKESPAN, TIME, SLOWDOWN, THROUGHPUT, RESULTS };

static const sweep_quantity parameters[PARAMETERS] = {
    { "nodes", "1", 8, NULL, "each sends to others, drawn at random" },
    { "messages", "1", 100, NULL, "of each node, one after another" },
    { "bytes", "B", 1e6, NULL, "mean size of a message" },
    { "sizes", "1", 0, "equal,exponential", "of the messages" },
    { "bandwidth", "B/s", 12.5e6, NULL, "of the links" },
    { "latency", "s", 100e-6, NULL, "between two nodes" },
    { "sharing", "1", 0, "equal,maxmin", "of a link by its transfers" },
};

static const sweep_quantity results[RESULTS] = {
    { "makespan", "s", 0, NULL, "until all messages have arrived" },
    { "time", "s", 0, NULL, "mean, of a message" },
    { "slowdown", "1", 0, NULL, "mean of its time / its time alone" },
    { "throughput", "B/s", 0, NULL, "of a node: bytes sent / makespan" },
};

typedef struct star star;

typedef struct sender {
    star *all;
    size_t number, left; /* messages */
    double begin, bytes;
} sender;

struct star {
    const sweep_point *point;
    simkit_random random;
    simkit_node *node;
    size_t nodes;
    double time, slowdown, bytes;
    bool failed;
};

static void send_next(simkit_world *world, sender *from);

static void arrives(simkit_world *world, void *user)
{
    sender *from = (sender *)user;
    star *all = from->all;
    const double took = simkit_clock_now(world) - from->begin;
    all->time += took;
    all->slowdown += took / (all->point->value[LATENCY] + from->bytes / all->point->value[BANDWIDTH]);
    all->bytes += from->bytes;
    send_next(world, from);
}

static void send_next(simkit_world *world, sender *from)
{
    star *all = from->all;
    if (from->left-- == 0) return;
    const size_t other = (size_t)(simkit_random_uniform(&all->random) * (double)(all->nodes - 1));
    const double mean = all->point->value[BYTES];
    from->bytes = all->point->value[SIZES] > 0 ? simkit_random_exponential(&all->random, mean) : mean;
    from->begin = simkit_clock_now(world);
    const simkit_transfer_desc desc = { .from = all->node[from->number],
                                        .to = all->node[other + (other >= from->number)],
                                        .bytes = from->bytes,
                                        .done = arrives,
                                        .user = from };
    if (simkit_transfer_start(world, &desc, NULL) == SIMKIT_OK) return;
    all->failed = true;
    simkit_world_stop(world);
}

static simkit_result simulate(star *all, simkit_world *world, sender *senders, size_t messages)
{
    const sweep_point *p = all->point;
    const simkit_node_desc node = { .up_bandwidth = p->value[BANDWIDTH], .down_bandwidth = p->value[BANDWIDTH] };
    simkit_result result = SIMKIT_OK;
    for (size_t i = 0; i < all->nodes && result == SIMKIT_OK; ++i)
        result = simkit_node_add(world, &node, &all->node[i]);
    for (size_t i = 0; i < all->nodes && result == SIMKIT_OK; ++i) {
        senders[i] = (sender){ all, i, messages, 0, 0 };
        send_next(world, &senders[i]);
    }
    return result == SIMKIT_OK ? simkit_world_run(world) : result;
}

static int run(const sweep_point *point, double *result)
{
    size_t nodes = 0, messages = 0;
    if (!models_whole(point, parameters, NODES, 2, &nodes) || !models_whole(point, parameters, MESSAGES, 1, &messages))
        return 1;
    if (!(point->value[BYTES] > 0))
        return sweep_fail(point, "'bytes' is %g: expected a number > 0", point->value[BYTES]);
    if (!(point->value[BANDWIDTH] > 0))
        return sweep_fail(point, "'bandwidth' is %g: expected a number > 0", point->value[BANDWIDTH]);
    const simkit_world_desc desc = { .seed = point->seed,
                                     .latency = point->value[LATENCY],
                                     .sharing =
                                         point->value[SHARING] > 0 ? SIMKIT_SHARING_MAXMIN : SIMKIT_SHARING_EQUAL };
    simkit_world *world = NULL;
    star all = { .point = point, .nodes = nodes };
    simkit_result opened = simkit_world_open(&desc, &world);
    all.node = (simkit_node *)malloc(nodes * sizeof *all.node);
    sender *senders = (sender *)malloc(nodes * sizeof *senders);
    int failed = 1;
    if (opened != SIMKIT_OK || !all.node || !senders) {
        sweep_fail(point, "%s", opened != SIMKIT_OK ? simkit_result_text(opened) : "no memory");
    } else {
        all.random = simkit_random_stream(world, 1);
        if (simulate(&all, world, senders, messages) != SIMKIT_OK || all.failed) {
            sweep_fail(point, "%s", simkit_world_why(world));
        } else {
            const double count = (double)nodes * (double)messages;
            result[MAKESPAN] = simkit_clock_now(world);
            result[TIME] = all.time / count;
            result[SLOWDOWN] = all.slowdown / count;
            result[THROUGHPUT] = all.bytes / (double)nodes / result[MAKESPAN];
            failed = 0;
        }
    }
    simkit_world_close(world);
    free(all.node);
    free(senders);
    return failed;
}

const sweep_model model_star = { "star", 1,    parameters, PARAMETERS,    results, RESULTS,
                                 run,    NULL, NULL,       SWEEP_REFUSES, NULL };
