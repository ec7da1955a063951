/* Machine files: read, and what they describe computes and sends. */
#include "simkit.h"
#include "util/simkit_files.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    budget b = { 0, 16384 + 1024 * size, false };
    const simkit_input input = { .text = text, .length = size, .name = "m", .memory = { spend, &b } };
    simkit_machine *machine;
    simkit_parse_error error;
    memset(&error, 0, sizeof error);
    const simkit_result result = simkit_machine_read(&input, &machine, &error);
    free(text);
    CHECK(!b.exceeded);
    CHECK(result == SIMKIT_OK || result == SIMKIT_BAD_FILE);
    if (result != SIMKIT_OK) {
        CHECK(!machine && b.held == 0);
        check_error(&error);
        return 0;
    }
    CHECK(memchr(machine->name, 0, sizeof machine->name));
    for (size_t i = 0; i < machine->operation_count; ++i) {
        const simkit_machine_operation *o = &machine->operations[i];
        const double value = simkit_machine_value(machine, o->name, o->key, o->unit);
        CHECK(value >= 0 && value < 1e308 * 10);
    }
    for (size_t i = 0; i < machine->kind_count; ++i) {
        char name[32];
        const simkit_machine_kind *kind = &machine->kinds[i];
        CHECK(kind->first < machine->nodes || machine->nodes == 0);
        CHECK(simkit_machine_node(machine, kind->first, name).cores == kind->node.cores);
        CHECK(strlen(name) < sizeof name);
    }
    for (size_t i = 0; i < machine->route_count; ++i) {
        const simkit_machine_route *route = &machine->routes[i];
        CHECK(route->count > 0 && route->first + route->count <= machine->hop_count);
        CHECK(route->from + route->from_count <= machine->nodes && route->to + route->to_count <= machine->nodes);
        for (size_t k = 0; k < route->count; ++k)
            CHECK(machine->hops[route->first + k].link >= 1 &&
                  machine->hops[route->first + k].link <= machine->link_count);
    }
    for (size_t i = 0; i < machine->link_count; ++i) {
        const simkit_machine_link *link = &machine->links[i];
        CHECK(link->count == 0 || link->first + link->count <= machine->point_count);
        CHECK(link->count > 0 || !(link->period > 0));
    }
    if (machine->topology) {
        const size_t hosts = netmodel_topology_hosts(machine->topology);
        CHECK(netmodel_topology_check(machine->topology, NULL) == NETMODEL_OK);
        if (netmodel_topology_links(machine->topology) > 100000) { /* a world would need much memory */
            simkit_machine_close(machine);
            return 0;
        }
        for (size_t i = 0; i < machine->kind_count; ++i)
            CHECK(machine->kinds[i].node.place >= 1 && machine->kinds[i].node.place <= hosts);
    }
    simkit_world *world;
    simkit_node node[4];
    const simkit_world_desc desc = { .latency = machine->latency, .sharing = machine->sharing };
    if (simkit_world_open(&desc, &world) == SIMKIT_OK) {
        if (simkit_machine_add(world, machine, 4, node) == SIMKIT_OK) {
            const simkit_computation_desc work = { .node = node[0], .seconds = 1, .memory_rate = 1e10 };
            double period = machine->kind_count > 0 ? machine->kinds[0].node.period : 0;
            for (size_t i = 0; i < machine->link_count; ++i)
                if (machine->links[i].period > 0 && !(period > 0 && period < machine->links[i].period))
                    period = machine->links[i].period;
            CHECK(simkit_computation_start(world, &work, NULL) == SIMKIT_OK || simkit_world_why(world)[0]);
            for (size_t i = 1; i < 4; ++i) {
                const simkit_transfer_desc message = { .from = node[i - 1], .to = node[i], .bytes = 1000 };
                CHECK(simkit_transfer_start(world, &message, NULL) == SIMKIT_OK || simkit_world_why(world)[0]);
            }
            if (period > 0) /* each period of a quota is an event that nobody watches, and each row of a table */
                CHECK(simkit_world_run_until(world, 1000 * period) == SIMKIT_OK || simkit_world_why(world)[0]);
            else
                run_for(world, 200);
        } else {
            CHECK(simkit_world_why(world)[0]);
        }
        simkit_world_close(world);
    }
    simkit_machine_close(machine);
    CHECK(b.held == 0);
    return 0;
}
