/* Schedules in the language GOAL, and their replay: memory that is linear in the input, a sentence for each mistake, and ends
 * that are numbers. */
#include "simkit.h"
#include "util/simkit_files.h"

#include "../../examples/goal/schedule.c"
#include "../../examples/goal/read.c"
#include "../../examples/goal/match.c"
#include "../../examples/goal/loggops.c"

#include "fuzz.h"

static void replay_schedule(const goal_schedule *s)
{
    static double end[1000];
    static const goal_loggops_desc models[] = { GOAL_LOGGOPS, { 0, 0, 0, 0, 0, 0 }, { 10, 3, 7, 0.25, 1, 100 } };
    if (s->ranks > sizeof end / sizeof *end) return;
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        char why[GOAL_WHY];
        memset(why, 0x55, sizeof why);
        const simkit_result result = goal_loggops(s, &models[i], NULL, NULL, end, why);
        CHECK(result == SIMKIT_OK || result == SIMKIT_DEADLOCK);
        CHECK(memchr(why, 0, sizeof why) && (result == SIMKIT_OK) == !why[0]);
        for (uint32_t r = 0; r < s->ranks; ++r) CHECK(end[r] >= 0 && end[r] - end[r] == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    budget b = { 0, 4 * sizeof(uint32_t) * GOAL_RANKS + 1000 * size, false };
    char *text = exact_copy(data, size);
    simkit_parse_error error;
    goal_schedule *s;
    const simkit_input input = { .text = text, .length = size, .memory = { spend, &b } };
    const simkit_result result = goal_read(&input, &s, &error);
    CHECK(result == SIMKIT_OK || result == SIMKIT_BAD_FILE);
    CHECK((result == SIMKIT_OK) == (s != NULL));
    if (result != SIMKIT_OK)
        check_error(&error);
    else if (s->count < 3000)
        replay_schedule(s);
    goal_close(s);
    CHECK(b.held == 0 && !b.exceeded);
    free(text);
    return 0;
}
