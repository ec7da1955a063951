/* What does a watcher see, and does it change what it sees?
 * cc -O2 -DSIMKIT_STATIC -I. examples/watcher.c -o watcher -lm && ./watcher
 *
 * Every transfer of the world is observed when it is requested and when it ends. From that a watcher measures how many
 * are in flight and how long they take, and Little's law must hold between them: number = rate * time, exactly if all
 * begin and end meanwhile. A fingerprint is a hash of all events: with the watcher it must be the same. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"

#include <math.h>

enum { NODES = 8, TRANSFERS = 20000 };

static const double bandwidth = 12.5e6, size = 1e6; /* [B/s]; mean [B] */

typedef struct meter {
    simkit_level in_flight; /* transfers */
    simkit_tally took;      /* times of those that ended [s] */
} meter;

static void observe(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    meter *m = (meter *)user;

    (void)world;
    if (event->phase == SIMKIT_PHASE_BEGIN) {
        simkit_level_set(&m->in_flight, m->in_flight.value + 1, event->time);
    } else if (event->phase == SIMKIT_PHASE_END) {
        simkit_level_set(&m->in_flight, m->in_flight.value - 1, event->time);
        simkit_tally_add(&m->took, event->time - event->begin);
    }
}

typedef struct traffic {
    simkit_random random;
    double rate; /* transfers a second */
    unsigned left;
} traffic;

/* A transfer between any two nodes, and when the next will begin. */
static void begin(simkit_world *world, void *user)
{
    traffic *t = (traffic *)user;
    const simkit_node from = 1 + (simkit_node)simkit_random_below(&t->random, NODES);
    const simkit_node to = 1 + (from + (simkit_node)simkit_random_below(&t->random, NODES - 1)) % NODES;

    const simkit_transfer_desc desc = { .from = from, .to = to, .bytes = simkit_random_exponential(&t->random, size) };
    simkit_result result = simkit_transfer_start(world, &desc, NULL);
    if (result == SIMKIT_OK && --t->left > 0)
        result = simkit_step_after(world, simkit_random_exponential(&t->random, 1 / t->rate), 0, begin, t, NULL);
    if (result != SIMKIT_OK) simkit_world_stop(world);
}

/* A run, observed or not: its fingerprint, or 0 if it failed. */
static uint64_t run(double rate, meter *m)
{
    traffic t = { .rate = rate, .left = TRANSFERS };
    const simkit_node_desc desc = { .up_bandwidth = bandwidth, .down_bandwidth = bandwidth };
    simkit_world *world;

    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), 0;
    t.random = simkit_random_stream(world, 0);
    bool fine = simkit_fingerprint_begin(world) == SIMKIT_OK;
    if (m) fine = fine && simkit_watch_add(world, SIMKIT_WATCH_TRANSFER, observe, m) == SIMKIT_OK;
    for (int i = 0; i < NODES; ++i) fine = fine && simkit_node_add(world, &desc, NULL) == SIMKIT_OK;
    fine = fine && simkit_step_after(world, 0, 0, begin, &t, NULL) == SIMKIT_OK && simkit_world_run(world) == SIMKIT_OK;
    const uint64_t fingerprint = fine ? simkit_fingerprint_value(world) : 0;
    if (!fine) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    return fingerprint;
}

/* Events of a real run can be sent to the same watcher. */
static bool elsewhere(meter *m)
{
    simkit_watch_event event = {
        .kind = SIMKIT_WATCH_TRANSFER, .phase = SIMKIT_PHASE_BEGIN, .node = 1, .to = 2, .time = 1, .begin = 1
    };
    simkit_world *world;

    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), false;
    bool fine = simkit_node_add(world, NULL, NULL) == SIMKIT_OK && simkit_node_add(world, NULL, NULL) == SIMKIT_OK &&
                simkit_watch_add(world, SIMKIT_WATCH_TRANSFER, observe, m) == SIMKIT_OK &&
                simkit_watch_emit(world, &event) == SIMKIT_OK;
    event.phase = SIMKIT_PHASE_END, event.time = 3.5;
    fine = fine && simkit_watch_emit(world, &event) == SIMKIT_OK;
    simkit_watch_remove(world, observe, m);
    fine = fine && simkit_watch_emit(world, &event) == SIMKIT_OK; /* nobody listens */
    if (!fine) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    return fine;
}

int main(void)
{
    bool equal = true;
    static meter real;

    printf("transfers/s   in flight   peak   rate * time   same fingerprint unobserved\n");
    for (double rate = 10; rate <= 40; rate += 10) {
        meter m = { { 0 }, { 0 } };
        const uint64_t observed = run(rate, &m), alone = run(rate, NULL);
        if (!observed || !alone) return 1;
        const simkit_level_summary all = simkit_level_until(&m.in_flight, m.in_flight.time);
        const double ended = (double)m.took.count, little = ended / all.seconds * m.took.mean;
        printf("%11.0f %11.3f %6.0f %13.3f   %s\n", rate, all.mean, all.maximum, little, observed == alone ? "yes" : "NO");
        equal = equal && observed == alone && fabs(all.mean / little - 1) < 1e-9 && m.took.count == TRANSFERS;
    }
    if (!elsewhere(&real)) return 1;
    printf("\nsent to the watcher: %d transfer of %.1f s\n", (int)real.took.count, real.took.mean);
    printf("%s\n", equal && real.took.count == 1 ? "Little's law holds, and watching changes nothing" : "SOMETHING DIFFERS");
    return !equal;
}
