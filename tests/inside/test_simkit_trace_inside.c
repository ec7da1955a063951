/* Room trace of simkit.h and what it stands on, from inside: characters, rows and drafts of files (output), the index (names),
 * texts that a world keeps (texts), and the timers of a refused call (timers). */
#define _DEFAULT_SOURCE /* mkdtemp */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"
#include "util/simkit_trace.h"

#include "../formats.h"
#include "../hook.h"
#include "../seen.h"
#include "../trace.h"
#include "../written.h"

/* The limits of UTF-8's lengths: the first and the last of each length are shown, what is beside them is not. */
static void every_length_of_a_character_is_shown(void **state)
{
    static const char *const shown[] = { "\x7F",         "\xC2\x80",         "\xDF\xBF",
                                         "\xE0\xA0\x80", "\xED\x9F\xBF",     "\xEE\x80\x80",
                                         "\xEF\xBF\xBD", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF" };
    static const char *const not_shown[] = {
        "\x80", "\xBF", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80\x80"
    };
    (void)state;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i)
        assert_int_equal(simkit__character(shown[i]), strlen(shown[i]));
    for (size_t i = 0; i < sizeof not_shown / sizeof *not_shown; ++i)
        assert_int_equal(simkit__character(not_shown[i]), 0);
}

/* Bars lie in the same rows as by a search through all rows. */
static void rows_are_those_of_a_plain_search(void **state)
{
    enum { ROWS = 20000 };
    static struct {
        simkit_node node;
        int kind;
        uint32_t lane;
        double end;
    } plain[ROWS];
    uint64_t dice = 11;
    uint32_t rows = 0;
    simkit_trace *trace;

    (void)state;
    assert_int_equal(open_trace(world, place("rows.svg"), &trace), SIMKIT_OK);
    for (int bar = 0; bar < 20000; ++bar) {
        const simkit_node node = (simkit_node)random_between(&dice, 1, 20);
        const int kind = (int)random_between(&dice, 0, 3);
        const uint32_t lane = kind == SIMKIT__ROW_COMPUTE ? (uint32_t)random_between(&dice, 0, 10) : 0;
        const double begin = floor(random_between(&dice, 0, 10) + bar / 1000),
                     end = begin + floor(random_between(&dice, 0, 4));
        uint32_t row = 0;
        while (row < rows && !(plain[row].node == node && plain[row].kind == kind && plain[row].lane == lane &&
                               plain[row].end <= begin))
            ++row;
        assert_true(row < ROWS);
        rows += row == rows;
        plain[row].node = node;
        plain[row].kind = kind;
        plain[row].lane = lane;
        plain[row].end = end;
        const char name[] = { (char)('a' + lane), 0 };
        simkit__band *band = simkit__band_of(trace, node, (simkit__row_kind)kind, name);
        assert_int_equal(simkit__band_row(trace, band, begin, end)->number, row);
    }
    assert_true(rows > 600);
    assert_int_equal(trace->rows, rows);
    trace->no_memory = true; /* so many nodes are not there: nothing is drawn */
    assert_int_equal(simkit_trace_close(trace), SIMKIT_NO_MEMORY);
}

/* Two runs write to one path at once: each has its own file, and the last to end stays. */
static void two_runs_do_not_share_a_file(void **state)
{
    simkit_trace *trace[2];
    simkit_world *other;
    char *text;

    (void)state;
    assert_int_equal(simkit_world_open(NULL, &other), SIMKIT_OK);
    assert_int_equal(open_trace(world, place("x.json"), &trace[0]), SIMKIT_OK);
    assert_int_equal(open_trace(other, place("x.json"), &trace[1]), SIMKIT_OK);
    assert_string_not_equal(trace[0]->picture.draft.draft, trace[1]->picture.draft.draft);
    start_work();
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    assert_int_equal(simkit_trace_close(trace[0]), SIMKIT_OK);
    text = take(place("x.json"));
    assert_int_equal(occurrences(text, "\"first\""), 1);
    free(text);
    assert_int_equal(simkit_trace_close(trace[1]), SIMKIT_OK);
    text = take(place("x.json"));
    assert_true(json_is_valid(text));
    assert_int_equal(occurrences(text, "\"first\""), 0);
    free(text);
    simkit_world_close(other);
}

static void call_nothing(simkit_world *w, void *user)
{
    (void)w;
    (void)user;
}

/* Equal names share memory; other names go when nothing has them any more; and nothing is kept that nobody watches. */
static void names_take_little_memory(void **state)
{
    (void)state;
    const simkit_node node = add_node(NULL);
    for (int i = 0; i < 3; ++i) {
        succeeds(simkit_computation_start(world, &(simkit_computation_desc){ .node = node }, NULL));
        succeeds(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = node, .to = node }, NULL));
        succeeds(simkit_world_run(world));
    }
    const size_t before = simkit_world_memory(world, NULL);
    for (int i = 0; i < 1000; ++i) {
        char name[32];
        snprintf(name, sizeof name, "unseen %d", i);
        succeeds(simkit_computation_start(world, &(simkit_computation_desc){ .node = node, .name = name }, NULL));
        succeeds(simkit_transfer_start(world, &(simkit_transfer_desc){ .from = node, .to = node, .name = name }, NULL));
        succeeds(simkit_world_run(world));
    }
    assert_int_equal(simkit_world_memory(world, NULL), before);

    succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, see, NULL));
    size_t later = 0;
    for (int i = 0; i < 50000; ++i) {
        char name[32];
        snprintf(name, sizeof name, "task %d", i);
        seen[0] = 0;
        succeeds(simkit_computation_start(
            world, &(simkit_computation_desc){ .node = node, .seconds = 1, .name = name, .lane = "always the same" },
            NULL));
        if (i % 7 == 0) { /* some last for a while */
            succeeds(
                simkit_transfer_start(world, &(simkit_transfer_desc){ .from = node, .to = node, .name = name }, NULL));
            succeeds(simkit_step_after(world, 3, 0, call_nothing, NULL, NULL));
        }
        succeeds(simkit_world_run(world));
        assert_non_null(strstr(seen, name));
        if (i == 5000) later = simkit_world_memory(world, NULL);
    }
    assert_true(simkit_world_memory(world, NULL) < later + 150000);
    assert_true(world->text_count < 2 * 1024 + 200);
}

typedef struct day {
    uint64_t fingerprint;
    simkit_source_tally tally;
} day;

/* A day of everybody, with what describes them overwritten before it begins, or not. */
static day spend(bool overwrites)
{
    double rates[] = { 1, 2 }, demands[] = { 1, 0.5 }, values[] = { 0.1, 0.2, 0.3 }, weights[] = { 1, 2, 3 };
    double go_on[] = { 0.5, 0.4 }, go_back[] = { 0.9, 0 };
    char names[4][16] = { "stream", "line", "edit", "compile" };
    simkit_arrival lines[] = { { 1, 0.5, 0, 0, names[1] }, { 2, 0.25, 5, 1, NULL }, { 3, 1, 0, 1, names[1] } };
    const simkit_distribution sample = { .law = SIMKIT_LAW_SAMPLE, .values = values, .weights = weights, .count = 3 };
    simkit_user_state states[] = { { .name = names[2], .think = sample, .demand = sample, .next = go_on },
                                   { .name = names[3], .think = sample, .demand = sample, .next = go_back } };
    reopen_world(&(simkit_world_desc){ .seed = 3 });
    const simkit_node node = add_node(NULL), other = add_node(NULL);
    succeeds(simkit_fingerprint_begin(world));
    succeeds(simkit_watch_add(world, SIMKIT_WATCH_ALL, see, NULL));
    const simkit_arrivals_desc stream = { .node = node,
                                          .rate = 0.2,
                                          .profile = rates,
                                          .demand_profile = demands,
                                          .parts = 2,
                                          .day = 100,
                                          .demand = sample,
                                          .name = names[0] };
    simkit_user_desc user = { .node = node, .states = states, .count = 2 };
    simkit_replay_desc replay = { .node = node, .arrivals = lines, .count = 3, .name = names[1] };
    succeeds(simkit_arrivals_start(world, &stream, NULL));
    succeeds(simkit_user_start(world, &user, NULL));
    succeeds(simkit_replay_start(world, &replay, NULL));
    const size_t kept = world->text_count + 2; /* the names of the timers of two more */
    user.node = replay.node = other;           /* what is the same is kept once */
    succeeds(simkit_user_start(world, &user, NULL));
    succeeds(simkit_replay_start(world, &replay, NULL));
    assert_int_equal(world->text_count, kept);
    if (overwrites) {
        memset(rates, 0xff, sizeof rates), memset(demands, 0xff, sizeof demands);
        memset(values, 0xff, sizeof values), memset(weights, 0xff, sizeof weights);
        memset(go_on, 0xff, sizeof go_on), memset(go_back, 0xff, sizeof go_back);
        memset(names, 0xff, sizeof names), memset(lines, 0xff, sizeof lines);
        memset(states, 0xff, sizeof states);
    }
    seen[0] = 0;
    succeeds(simkit_world_run_until(world, 300));
    const day result = { simkit_fingerprint_value(world), simkit_source_progress(world, 0) };
    return result;
}

static void users_keep_nothing_of_the_callers(void **state)
{
    (void)state;
    const day intact = spend(false);
    char as_intact[sizeof seen];
    memcpy(as_intact, seen, sizeof seen);
    const day overwritten = spend(true);
    assert_true(intact.fingerprint == overwritten.fingerprint && intact.fingerprint != 0);
    assert_true(intact.tally.ended > 20 && intact.tally.ended == overwritten.tally.ended);
    assert_string_equal(seen, as_intact);
    assert_non_null(strstr(seen, "edit/"));
    assert_non_null(strstr(seen, "line/"));
    assert_non_null(strstr(seen, "stream/"));
}

/* What a refused call has taken it gives back, timers too, which nothing else would ever show. */
static void a_refused_transfer_keeps_no_timer(void **state)
{
    int refused = 0;
    (void)state;
    for (int policy = 0; policy < 2; ++policy)
        for (long allowed = 0; allowed < 20; ++allowed) {
            hook h = { 0, 0, -1, false, true };
            simkit_world *w;
            simkit_node a, b;
            assert_int_equal(
                simkit_world_open(&(simkit_world_desc){ .sharing = (simkit_sharing)policy,
                                                        .memory = { .reallocate = reallocate, .user = &h } },
                                  &w),
                SIMKIT_OK);
            assert_int_equal(simkit_node_add(w, NULL, &a), SIMKIT_OK);
            assert_int_equal(simkit_node_add(w, NULL, &b), SIMKIT_OK);
            const size_t timers = w->queue.timers;
            h.left = allowed;
            if (simkit_transfer_start(w, &(simkit_transfer_desc){ .from = a, .to = b, .in_order = true }, NULL) !=
                SIMKIT_OK) {
                assert_int_equal(w->queue.timers, timers);
                ++refused;
            }
            h.left = -1;
            simkit_world_close(w);
        }
    assert_in_range(refused, 10, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_of_a_character_is_shown),
        PAIR_TEST(rows_are_those_of_a_plain_search),
        PAIR_TEST(two_runs_do_not_share_a_file),
        WORLD_TEST(names_take_little_memory),
        WORLD_TEST(users_keep_nothing_of_the_callers),
        cmocka_unit_test(a_refused_transfer_keeps_no_timer),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
