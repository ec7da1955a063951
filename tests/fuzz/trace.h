/* Traces of processes: read, in order, and replayed. */
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "fuzz.h"

static void read_trace(const char *text, size_t size)
{
    budget b = { 0, 65536 + 1024 * size, false };
    const simkit_input input = { .text = text, .length = size, .name = "t", .memory = { spend, &b } };
    simkit_workload *workload;
    simkit_parse_error error;
    memset(&error, 0, sizeof error);
    const simkit_result result = simkit_workload_read(&input, &workload, &error);
    CHECK(!b.exceeded);
    CHECK(result == SIMKIT_OK || result == SIMKIT_BAD_FILE);
    if (result == SIMKIT_OK) {
        const simkit_arrival *arrivals = workload->arrivals;
        const size_t count = workload->count;
        for (size_t i = 0; i < count; ++i) {
            CHECK(arrivals[i].time >= (i > 0 ? arrivals[i - 1].time : 0) && arrivals[i].time - arrivals[i].time >= 0);
            CHECK(arrivals[i].seconds >= 0 && arrivals[i].seconds - arrivals[i].seconds >= 0);
            CHECK(arrivals[i].nice >= -20 && arrivals[i].nice <= 19);
            CHECK(strlen(arrivals[i].name) <= size);
        }
        simkit_world *world;
        simkit_node node;
        CHECK(simkit_world_open(NULL, &world) == SIMKIT_OK);
        CHECK(simkit_node_add(world, NULL, &node) == SIMKIT_OK);
        const simkit_replay_desc replay = { .node = node, .arrivals = arrivals, .count = count };
        if (simkit_replay_start(world, &replay, NULL) == SIMKIT_OK)
            run_for(world, 500);
        else
            CHECK(simkit_world_why(world)[0]);
        simkit_world_close(world);
    } else {
        CHECK(!workload);
        check_error(&error);
    }
    simkit_workload_close(workload);
    CHECK(b.held == 0);
}
