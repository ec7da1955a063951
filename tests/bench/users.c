/* What do a day's background processes cost?
 *
 * Goals: a day with 100 000 of them on 100 nodes in under 1 s; three load averages on each node cost nothing when nobody
 * asks. Each line is the median of RUNS, one of each in turn, and the range. */
#define _POSIX_C_SOURCE 200809L
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_users.h"

#include "measure.h"

enum { RUNS = 15, NODES = 100, WAYS = 4 };

typedef enum way { NO_PAST, KEPT, ASKED_AT_THE_END, ASKED_EACH_MINUTE } way;

static const double windows[3] = { 60, 300, 900 };
static double sum;

static void ask(simkit_world *world)
{
    for (simkit_node node = 1; node <= NODES; ++node)
        for (int i = 0; i < 3; ++i) sum += simkit_load_average(world, node, contention_load_beta(windows[i]), 1);
}

static void ask_again(simkit_world *world, void *user)
{
    ask(world);
    measure_ok(simkit_step_after(world, 60, 0, ask_again, user, NULL));
}

/* Seconds that the day took; how many processes it had. */
static double day(way how, uint64_t *processes)
{
    /* ten times as busy by day as by night; 1000 processes a day on each node */
    static double profile[24];
    simkit_world *world;
    for (int hour = 0; hour < 24; ++hour) profile[hour] = hour >= 8 && hour < 18 ? 2.105 : 0.211;
    const double start = measure_now();
    if (simkit_world_open(NULL, &world) != SIMKIT_OK) exit(1);
    for (uint64_t i = 0; i < NODES; ++i) {
        simkit_arrivals_desc desc = { .rate = 1000.0 / 86400, .profile = profile, .parts = 24, .stream = i };
        desc.demand.law = SIMKIT_LAW_PARETO;
        desc.demand.shape = 1.1;
        desc.demand.minimum = 1;
        desc.demand.maximum = 10000;
        if (simkit_node_add(world, NULL, &desc.node) != SIMKIT_OK) exit(1);
        if (how != NO_PAST) measure_ok(simkit_load_record(world, desc.node));
        if (simkit_arrivals_start(world, &desc, NULL) != SIMKIT_OK) exit(1);
    }
    if (how == ASKED_EACH_MINUTE) measure_ok(simkit_step_after(world, 60, 0, ask_again, NULL, NULL));
    if (simkit_world_run_until(world, 86400) != SIMKIT_OK) exit(1);
    if (how == ASKED_AT_THE_END) ask(world);
    *processes = simkit_source_progress(world, 0).begun;
    simkit_world_close(world);
    return measure_now() - start;
}

int main(void)
{
    static const char *const names[WAYS] = { "no past kept", "kept, nobody asks", "300 averages asked at the end",
                                             "300 averages asked each minute" };
    double seconds[WAYS][RUNS];
    uint64_t processes = 0;
    for (int run = 0; run < RUNS; ++run) {
        measure_progress("a day of background processes", run + 1, RUNS);
        for (int how = 0; how < WAYS; ++how) seconds[how][run] = day((way)how, &processes);
    }
    measure_progress("", 0, 0);
    printf("a day of %lu background processes on %d nodes\n", (unsigned long)processes, NODES);
    for (int how = 0; how < WAYS; ++how) {
        measure_sort(seconds[how], RUNS);
        printf("%-34s %8.1f ms       %8.1f .. %.1f\n", names[how], 1e3 * seconds[how][RUNS / 2], 1e3 * seconds[how][0],
               1e3 * seconds[how][RUNS - 1]);
    }
    return sum > 0 ? 0 : 1;
}
