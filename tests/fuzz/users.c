/* Users files: read, and what they describe lives for a while on three nodes. No file that they name is opened. */
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "fuzz.h"

/* Whether a key `file` is in it, which would read any file of this machine. */
static bool names_a_file(const char *text, size_t size)
{
    for (size_t i = 0; i + 4 <= size; ++i)
        if (memcmp(text + i, "file", 4) == 0) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    /* the matrix of a user's states is what memory is not linear in: 8 B for each pair of at most 1000 */
    budget b = { 0, 65536 + 1024 * size + 2 * size * size, false };
    const simkit_input input = { .text = text, .length = size, .name = "u", .memory = { spend, &b } };
    simkit_population *population = NULL;
    simkit_parse_error error;
    memset(&error, 0, sizeof error);
    if (names_a_file(text, size)) {
        free(text);
        return -1;
    }
    const simkit_result result = simkit_population_read(&input, &population, &error);
    free(text);
    CHECK(!b.exceeded);
    CHECK(result == SIMKIT_OK || result == SIMKIT_BAD_FILE);
    if (result == SIMKIT_OK) {
        const simkit_world_desc desc = { .seed = size, .memory = { .reallocate = spend, .user = &b } };
        simkit_world *world;
        simkit_node node[3];
        b.most = b.held + (4 << 20); /* a hundred bytes can say that there are a million users */
        CHECK(simkit_world_open(&desc, &world) == SIMKIT_OK);
        for (size_t i = 0; i < 3; ++i) {
            CHECK(simkit_node_add(world, NULL, &node[i]) == SIMKIT_OK);
            if (simkit_population_start(world, population, i + 1, node[i]) != SIMKIT_OK)
                CHECK(simkit_world_why(world)[0]);
        }
        run_for(world, 500);
        for (size_t i = 0; i < 3; ++i) {
            const double load = simkit_load_average(world, node[i], 0.92, 5);
            CHECK(!(load < 0));
        }
        simkit_world_close(world);
    } else {
        CHECK(!population);
        check_error(&error);
    }
    simkit_population_close(population);
    CHECK(b.held == 0);
    return 0;
}
