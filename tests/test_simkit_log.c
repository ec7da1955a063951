/* Room log of simkit.h: what a logger sees, and that it changes nothing. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "world.h"

typedef struct seen {
    int lines, level;
    double time;
    char process[40], text[600];
} seen;

static void note(const simkit_world *world, void *user, const simkit_log_line *line)
{
    seen *s = (seen *)user;
    assert_true(simkit_clock_now(world) == line->time);
    ++s->lines;
    s->level = line->level;
    s->time = line->time;
    snprintf(s->process, sizeof s->process, "%s", line->process);
    snprintf(s->text, sizeof s->text, "%s", line->text);
}

static int computed;

static int costly(void)
{
    return ++computed;
}

static void step(simkit_world *world, void *user)
{
    (void)user;
    simkit_log(world, SIMKIT_LOG_INFO, "%d of %s", 3, "four");
}

#ifndef SIMKIT_NO_PROCESSES
static void body(simkit_world *world, void *user)
{
    (void)user;
    if (simkit_process_wait(world, 2.5) != SIMKIT_OK) return;
    simkit_log(world, SIMKIT_LOG_ERROR, "awake");
}
#endif

static void lines_carry_time_process_and_level(void **state)
{
    simkit_world *w = NULL;
    seen s = { 0 };
    (void)state;
    assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
    simkit_log(w, SIMKIT_LOG_ERROR, "nobody listens");
    assert_false(simkit_log_wants(w, SIMKIT_LOG_ERROR));
    simkit_log_to(w, SIMKIT_LOG_INFO, note, &s);
    assert_true(simkit_log_wants(w, SIMKIT_LOG_ERROR) && simkit_log_wants(w, SIMKIT_LOG_INFO));
    assert_false(simkit_log_wants(w, SIMKIT_LOG_DEBUG) || simkit_log_wants(w, 0) || simkit_log_wants(w, -1));
    assert_int_equal(simkit_step_after(w, 1, 0, step, NULL, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    assert_int_equal(s.lines, 1);
    assert_int_equal(s.level, SIMKIT_LOG_INFO);
    assert_true(s.time == 1);
    assert_string_equal(s.process, "");
    assert_string_equal(s.text, "3 of four");
#ifndef SIMKIT_NO_PROCESSES
    simkit_node node;
    assert_int_equal(simkit_node_add(w, NULL, &node), SIMKIT_OK);
    const simkit_process_desc desc = { .node = node, .name = "worker", .body = body };
    assert_int_equal(simkit_process_start(w, &desc, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(w), SIMKIT_OK);
    assert_int_equal(s.lines, 2);
    assert_int_equal(s.level, SIMKIT_LOG_ERROR);
    assert_true(s.time == 3.5);
    assert_string_equal(s.process, "worker");
#endif
    const int before = s.lines;
    simkit_log(w, SIMKIT_LOG_DEBUG, "too detailed");
    simkit_log(w, 0, "no level");
    simkit_log(w, SIMKIT_LOG_INFO, NULL);
    assert_int_equal(s.lines, before);
    simkit_log_to(w, SIMKIT_LOG_DEBUG, NULL, NULL);
    simkit_log(w, SIMKIT_LOG_ERROR, "nobody listens");
    assert_false(simkit_log_wants(w, SIMKIT_LOG_ERROR));
    if (simkit_log_wants(w, SIMKIT_LOG_DEBUG)) simkit_log(w, SIMKIT_LOG_DEBUG, "%d", costly());
    assert_int_equal(computed, 0);
    assert_int_equal(s.lines, before);
    simkit_log_to(NULL, SIMKIT_LOG_DEBUG, note, &s);
    simkit_log(NULL, SIMKIT_LOG_ERROR, "no world");
    assert_false(simkit_log_wants(NULL, SIMKIT_LOG_ERROR));
    simkit_world_close(w);
}

static void long_lines_are_cut(void **state)
{
    simkit_world *w = NULL;
    seen s = { 0 };
    char text[2000];
    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
    simkit_log_to(w, 7, note, &s);
    simkit_log(w, 7, "%s", text);
    assert_int_equal(s.level, 7);
    assert_int_equal(strlen(s.text), 511);
    simkit_world_close(w);
}

/* The fingerprint of a run with a logger is that of one without. */
static void logging_changes_nothing(void **state)
{
    uint64_t fingerprint[2];
    (void)state;
    for (int logs = 0; logs < 2; ++logs) {
        simkit_world *w = NULL;
        seen s = { 0 };
        assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
        assert_int_equal(simkit_fingerprint_begin(w), SIMKIT_OK);
        if (logs) simkit_log_to(w, SIMKIT_LOG_DEBUG, note, &s);
        for (int i = 0; i < 10; ++i) assert_int_equal(simkit_step_after(w, i / 7.0, 0, step, NULL, NULL), SIMKIT_OK);
        assert_int_equal(simkit_world_run(w), SIMKIT_OK);
        assert_int_equal(s.lines, logs ? 10 : 0);
        fingerprint[logs] = simkit_fingerprint_value(w);
        simkit_world_close(w);
    }
    assert_true(fingerprint[0] == fingerprint[1]);
}

static void meddles(const simkit_world *w, void *user, const simkit_log_line *line)
{
    simkit_world *own = *(simkit_world **)user;
    (void)line;
    assert_ptr_equal(w, own);
    assert_int_equal(simkit_world_run(own), SIMKIT_BAD_CALL);
    assert_int_equal(simkit_world_run_until(own, 1), SIMKIT_BAD_CALL);
    assert_int_equal(simkit_world_reset(own, NULL), SIMKIT_BAD_CALL);
    simkit_world_close(own);
}

/* A logger is no owner of the world, also where the host logs between two runs. */
static void a_logger_does_not_get_the_world(void **state)
{
    simkit_world *w = NULL;
    (void)state;
    assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
    simkit_log_to(w, SIMKIT_LOG_INFO, meddles, &w);
    simkit_log(w, SIMKIT_LOG_INFO, "between two runs");
    assert_string_equal(simkit_world_why(w),
                        "at 0 s: simkit_world_close was called by a watcher or the logger; the world stays open");
    assert_int_equal(simkit_step_after(w, 1, 0, step, NULL, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(w), SIMKIT_BAD_CALL);
    simkit_log_to(w, SIMKIT_LOG_INFO, NULL, NULL);
    assert_int_equal(simkit_world_reset(w, NULL), SIMKIT_OK);
    simkit_world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_logger_does_not_get_the_world),
        cmocka_unit_test(lines_carry_time_process_and_level),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(logging_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
