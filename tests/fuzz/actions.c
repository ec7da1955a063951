/* Time-independent traces, and their replay: a sentence for each mistake, and ends that are numbers. No lists of files are
 * read, and no traces of many ranks, whose collectives are many messages. */
#include "simkit.h"
#include "util/simkit_files.h"

#include "../../examples/goal/schedule.c"
#include "../../examples/goal/match.c"
#include "../../examples/goal/loggops.c"
#include "../../examples/goal/trace.c"

#include "fuzz.h"

/* Whether each line begins with a number below 100, the first perhaps behind a byte order mark. */
static bool is_small(const char *text, size_t size)
{
    for (size_t i = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; i < size; ++i) {
        size_t digits = 0;
        while (i < size && (is_blank(text[i]) || text[i] == '\n')) ++i;
        while (i < size && text[i] != '\n' && text[i] != ' ' && text[i] != '\t') ++i, ++digits;
        if (digits > 2) return false;
        while (i < size && text[i] != '\n') ++i;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double end[100];
    budget b = { 0, 1000000 + 100000 * size, false };
    char *text = exact_copy(data, size), why[GOAL_WHY];
    simkit_parse_error error;
    goal_schedule *s;
    const simkit_input input = { .text = text, .length = size, .memory = { spend, &b } };
    goal_form form;
    CHECK(goal_form_of(&input, &form, &error) == SIMKIT_OK);
    if (size < 2000 && is_small(text, size) && form == GOAL_TRACE) {
        const simkit_result result = goal_read_trace(&input, &(goal_trace_desc){ 1e9 }, &s, &error);
        CHECK(result == SIMKIT_OK || result == SIMKIT_BAD_FILE);
        CHECK((result == SIMKIT_OK) == (s != NULL));
        if (result != SIMKIT_OK) {
            check_error(&error);
        } else if (s->ranks <= 100) {
            const simkit_result ended = goal_loggops(s, &(goal_loggops_desc)GOAL_LOGGOPS, NULL, NULL, end, why);
            CHECK(ended == SIMKIT_OK || ended == SIMKIT_DEADLOCK);
            for (uint32_t r = 0; r < s->ranks; ++r) CHECK(end[r] >= 0 && end[r] - end[r] == 0);
        }
        goal_close(s);
    }
    CHECK(b.held == 0 && !b.exceeded);
    free(text);
    return 0;
}
