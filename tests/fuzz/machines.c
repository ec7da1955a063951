/* Machine files: read, and what they describe computes and sends. */
#include "simkit.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    simkit_machine machine;
    simkit_parse_error error;
    memset(&error, 0, sizeof error);
    const simkit_result result =
        simkit_machine_read(&(simkit_input){ .text = text, .length = size, .name = "m" }, &machine, &error);
    free(text);
    CHECK(result == SIMKIT_OK || result == SIMKIT_BAD_FILE);
    if (result != SIMKIT_OK) {
        check_error(&error);
        return 0;
    }
    CHECK(memchr(machine.name, 0, sizeof machine.name));
    CHECK(machine.operation_count <= SIMKIT_MACHINE_OPERATIONS);
    for (unsigned i = 0; i < machine.operation_count; i++) {
        const simkit_machine_operation *o = &machine.operations[i];
        const double value = simkit_machine_value(&machine, o->name, o->key, o->unit);
        CHECK(value >= 0 && value < 1e308 * 10);
    }
    simkit_world *world;
    simkit_node node[2];
    CHECK(simkit_world_open(NULL, &world) == SIMKIT_OK);
    if (simkit_machine_add(world, &machine, 2, node) == SIMKIT_OK) {
        const simkit_computation_desc work = { .node = node[0], .seconds = 1 };
        const simkit_transfer_desc message = { .from = node[0], .to = node[1], .bytes = 1000 };
        CHECK(simkit_computation_start(world, &work, NULL) == SIMKIT_OK || simkit_world_why(world)[0]);
        CHECK(simkit_transfer_start(world, &message, NULL) == SIMKIT_OK || simkit_world_why(world)[0]);
        if (machine.node.period > 0) /* each period of a quota is an event that nobody watches */
            CHECK(simkit_world_run_until(world, 1000 * machine.node.period) == SIMKIT_OK || simkit_world_why(world)[0]);
        else
            run_for(world, 200);
    } else {
        CHECK(simkit_world_why(world)[0]);
    }
    simkit_world_close(world);
    return 0;
}
