/* The modules of the teaching page: values and their errors, closed forms, second implementations, files. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "../../examples/page/module.h"

#include "../close.h"

#include "lu.h"
#include "paper.h"
#include "simkit.h"
#include "util/simkit_files.h"

#include <unistd.h>

static char folder[] = "/tmp/test_page.XXXXXX";
static module_values values;
static module_answer answer;

static int open_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Sets a value, which must be right. */
static void set(const module *m, const char *key, const char *text)
{
    char why[MODULE_WHY] = "";
    const size_t control = module_control_of(m, key);
    assert_true(control < m->control_count);
    if (!module_read(m, control, text, &values, why)) fail_msg("%s=%s: %s", key, text, why);
}

static void set_number(const module *m, const char *key, double value, const char *unit)
{
    char text[MODULE_TEXT];
    snprintf(text, sizeof text, "%.17g %s", value, strcmp(unit, "1") == 0 ? "" : unit);
    set(m, key, text);
}

/* Runs a module with the values; the answer must be one. */
static void ask(const module *m, bool study)
{
    const module_run run = { &values, folder, NULL, NULL };
    if (module_answer_to(m, study, &run, &answer)) return;
    for (size_t i = 0; i < m->control_count; ++i) print_error("%s='%s' ", m->controls[i].key, values.text[i]);
    fail_msg("%s: %s", m->name, answer.error);
}

static double number(const char *key)
{
    for (size_t i = 0; i < answer.number_count; ++i)
        if (strcmp(answer.numbers[i].key, key) == 0) return answer.numbers[i].value;
    fail_msg("the answer has no number '%s'", key);
    return 0;
}

/* All of a file of the folder. */
static const char *file(const char *name)
{
    static char text[8 << 20];
    char path[512];
    const module_run run = { &values, folder, NULL, NULL };
    FILE *f = fopen(module_path(&run, name, path), "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static simkit_random dice;

static double between(double low, double high)
{
    return low + (high - low) * simkit_random_uniform(&dice);
}

/*=============================================================================
 * MARK: - >>values
 *===========================================================================*/
static void a_wrong_value_is_explained_and_changes_nothing(void **state)
{
    static const struct {
        const char *module, *key, *text, *why;
    } wrong[] = {
        { "message", "latency", "", "there is no value" },
        { "message", "latency", "fast", "expected a number >= 0" },
        { "message", "latency", "3", "there is no unit, expected one of: s, ms, us, ns" },
        { "message", "latency", "3 MB", "the unit is 'MB', expected one of: s, ms, us, ns" },
        { "message", "latency", "2 s", "2 s is outside of 100 ns to 1 s" },
        { "message", "latency", "3 ms 4", "expected one value, but '4' follows it" },
        { "message", "messages", "1.5", "1.5 is not a whole number" },
        { "message", "messages", "0", "0 is outside of 1 to 10000" },
        { "message", "messages", "-1", "expected a number >= 0" },
        { "message", "bandwidth", "12.5 12.5 12.5 12.5 12.5 12.5 12.5 12.5 MB/s",
          "the value has 44 characters, at most 39" },
        { "queues", "policy", "lottery", "'lottery' is not one of the choices: fcfs, sjf" },
        { "queues", "policy", "FCFS", "'FCFS' is not one of the choices" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const module *m = module_find(wrong[i].module);
        module_values before;
        char why[MODULE_WHY] = "";
        module_defaults(m, &values);
        before = values;
        assert_false(module_read(m, module_control_of(m, wrong[i].key), wrong[i].text, &values, why));
        if (!strstr(why, wrong[i].why)) fail_msg("%s: %s, not %s", wrong[i].text, why, wrong[i].why);
        assert_memory_equal(&before, &values, sizeof values);
    }
}

static void every_default_is_right_and_within_limits(void **state)
{
    (void)state;
    assert_null(module_find("nothing"));
    for (size_t m = 0; m < module_count; ++m) {
        const module *which = module_all[m];
        assert_ptr_equal(module_find(which->name), which);
        assert_true(which->control_count <= MODULE_CONTROLS);
        module_defaults(which, &values);
        for (size_t i = 0; i < which->control_count; ++i) {
            const module_control *c = &which->controls[i];
            assert_string_equal(values.text[i], c->initial);
            assert_true(values.value[i] >= c->minimum && values.value[i] <= c->maximum && c->minimum < c->maximum);
            assert_true(!c->logarithmic || c->minimum > 0);
            assert_int_equal(module_control_of(which, c->key), i);
        }
    }
}

static void a_text_is_read_again(void **state)
{
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = { { 60e-6, "s", "60 us" },    { 12.5e6, "B/s", "12.5 MB/s" },
                  { 0, "s", "0 s" },          { 999.96, "B", "1 kB" },
                  { 999.94, "B", "999.9 B" }, { 0.9999, "s", "999.9 ms" },
                  { 0.99996, "s", "1 s" },    { 123456, "s", "123456 s" },
                  { 0.366, "%", "36.6 %" },   { 1e12, "B", "1000 GB" },
                  { 2.5, "1", "2.5" },        { 3e-10, "s", "0.3 ns" } };
    char text[MODULE_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_string_equal(module_text(cases[i].value, cases[i].unit, text), cases[i].text);
    dice = (simkit_random){ 1 };
    for (int i = 0; i < 1000; ++i) {
        const double value = pow(10, between(-9, 0));
        simkit_reader reader;
        double read;
        module_text(value, "s", text);
        simkit_reader_init(&reader, text, strlen(text), "text");
        assert_true(simkit_reader_line(&reader) && simkit_reader_quantity(&reader, "s", &read, NULL));
        assert_close(read, value, 1e-3);
    }
}

/*=============================================================================
 * MARK: - >>modules
 *===========================================================================*/
static void a_message_takes_latency_and_bytes(void **state)
{
    const module *m = &module_message;
    (void)state;
    dice = (simkit_random){ 2 };
    for (int i = 0; i < 50; ++i) {
        const double l = pow(10, between(-7, 0)), b = pow(10, between(3, 11)), s = pow(10, between(0, 9)),
                     k = floor(between(1, fmin(s, 10000)));
        module_defaults(m, &values);
        set_number(m, "latency", l, "s");
        set_number(m, "bandwidth", b, "B/s");
        set_number(m, "size", s, "B");
        set_number(m, "messages", k, "");
        ask(m, false);
        assert_close(number("time"), k * l + s / b, 1e-12);
        assert_close(number("half"), l * b, 1e-12);
        assert_close(number("latency_part"), k * l / (k * l + s / b), 1e-12);
        assert_close(number("used"), s / (k * l + s / b), 1e-12);
    }
}

/* Three jobs share by small steps of time: when each ends. */
static void share_slowly(const double start[3], const double size[3], double end[3])
{
    const double step = 1e-4;
    double left[3] = { size[0], size[1], size[2] };
    for (double now = 0; left[0] > 0 || left[1] > 0 || left[2] > 0; now += step) {
        int running = 0;
        for (int i = 0; i < 3; ++i) running += start[i] <= now && left[i] > 0;
        for (int i = 0; i < 3; ++i)
            if (start[i] <= now && left[i] > 0 && (left[i] -= step / running) <= 0) end[i] = now + step;
    }
}

static void sharing_is_what_small_steps_give(void **state)
{
    static const char *const ends[] = { "a_end", "b_end", "c_end" };
    const module *m = &module_sharing;
    (void)state;
    dice = (simkit_random){ 3 };
    for (int i = 0; i < 40; ++i) {
        const double start[3] = { 0, between(0, 10), between(0, 10) },
                     size[3] = { 3, between(0.1, 10), between(0.1, 10) };
        double end[3] = { 0, 0, 0 };
        module_defaults(m, &values);
        set(m, "what", i % 2 ? "processor" : "link into one node");
        set_number(m, "b_start", start[1], "s");
        set_number(m, "c_start", start[2], "s");
        set_number(m, "b_size", size[1], "s");
        set_number(m, "c_size", size[2], "s");
        ask(m, false);
        share_slowly(start, size, end);
        for (int k = 0; k < 3; ++k) assert_true(fabs(number(ends[k]) - end[k]) < 2e-3);
    }
}

static void a_job_takes_what_the_load_says_if_the_load_stays(void **state)
{
    const module *m = &module_load;
    (void)state;
    for (int seed = 1; seed <= 20; ++seed) {
        module_defaults(m, &values);
        set_number(m, "seed", seed, "");
        ask(m, false);
        assert_close(number("predicted"), 300 * (1 + number("load")), 1e-12);
        assert_true(number("took") >= 300 * (1 - 1e-12));
        set(m, "every", "1 h"); /* hardly anybody */
        set(m, "each", "0.1 s");
        ask(m, false);
        assert_true(number("took") < 301);
        assert_true(fabs(number("error")) < 0.01);
    }
    module_defaults(m, &values);
    set(m, "each", "1000 s"); /* more than there is: the job never ends */
    set(m, "job", "1 h");
    ask(m, false);
    assert_true(isnan(number("took")));
    assert_non_null(strstr(answer.why[1], "did not end within six hours"));
}

static void the_program_is_that_of_the_papers_cluster(void **state)
{
    const module *m = &module_program;
    static lu_costs costs;
    static lu_outcome outcome;
    simkit_machine *machine;
    simkit_parse_error error;
    (void)state;
    assert_int_equal(simkit_machine_read(&(simkit_input){ .path = "examples/machines/dps.machine" }, &machine, &error),
                     SIMKIT_OK);
    for (int i = 0; i < 4; ++i) {
        static const char *const sizes[] = { "216", "324", "162", "648" }, *const nodes[] = { "8", "4", "4", "4" };
        const size_t r = strtoul(sizes[i], NULL, 10), n = strtoul(nodes[i], NULL, 10);
        module_defaults(m, &values);
        set(m, "r", sizes[i]);
        set(m, "nodes", nodes[i]);
        if (i == 1) set(m, "graph", "pipelined");
        ask(m, false);
        assert_int_equal(lu_costs_of_machine(machine, PAPER_N, r, 1, &costs), SIMKIT_OK);
        const lu_desc what = { .n = PAPER_N, .r = r, .pipelined = i == 1, .costs = &costs };
        assert_int_equal(lu_predict(machine, n, &what, NULL, NULL, &outcome), FLOWGRAPH_OK);
        assert_true(memcmp(&outcome.seconds, &(double){ number("seconds") }, sizeof(double)) == 0);
        assert_close(number("serial"), lu_costs_serial(&costs), 1e-12);
        if (i == 0) assert_close(number("measured"), 62.3, 1e-12);
        if (i == 2) assert_close(number("measured"), 72.5, 1e-12);
    }
    simkit_machine_close(machine);
}

static void nothing_was_measured_on_another_cluster(void **state)
{
    static const char *const other[][2] = { { "latency", "0.4 ms" },    { "bandwidth", "12 MB/s" }, { "speed", "2" },
                                            { "graph", "pipelined" },   { "flow", "16" },           { "parts", "3" },
                                            { "half", "only computes" } };
    const module *m = &module_program;
    (void)state;
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i) {
        module_defaults(m, &values);
        set(m, other[i][0], other[i][1]);
        ask(m, false);
        for (size_t k = 0; k < answer.number_count; ++k) assert_string_not_equal(answer.numbers[k].key, "measured");
    }
}

/* What takes CPU time while bytes flow is a rate, so it goes with the bandwidth. */
static void a_cluster_a_hundred_times_as_fast_takes_a_hundredth(void **state)
{
    const module *m = &module_program;
    (void)state;
    module_defaults(m, &values);
    ask(m, false);
    const double slow = number("seconds");
    set(m, "speed", "100");
    set(m, "latency", "5 us");
    set(m, "bandwidth", "1100 MB/s");
    ask(m, false);
    assert_close(number("seconds"), slow / 100, 1e-9);
}

static void nodes_that_leave_are_not_paid(void **state)
{
    const module *m = &module_program;
    (void)state;
    module_defaults(m, &values);
    set(m, "half", "only computes");
    ask(m, false);
    const double kept = number("node_seconds"), seconds = number("seconds");
    assert_close(kept, 8 * seconds, 1e-12);
    set(m, "half", "leaves after iteration 2");
    ask(m, false);
    assert_true(number("node_seconds") < 0.8 * kept && number("seconds") > seconds);
    set(m, "nodes", "1"); /* has no half */
    ask(m, false);
    assert_close(number("node_seconds"), number("seconds"), 1e-12);
}

static void the_machine_file_has_the_numbers_of_the_controls(void **state)
{
    simkit_machine *machine, *original;
    simkit_parse_error error;
    char path[512];
    const module_run run = { &values, folder, NULL, NULL };
    (void)state;
    module_defaults(&module_program, &values);
    set(&module_program, "latency", "7 us");
    set(&module_program, "bandwidth", "3 GB/s");
    set(&module_program, "speed", "2.5");
    set(&module_program, "nodes", "16");
    ask(&module_program, false);
    assert_int_equal(
        simkit_machine_read(&(simkit_input){ .path = module_path(&run, "cluster.machine", path) }, &machine, &error),
        SIMKIT_OK);
    assert_int_equal(simkit_machine_read(&(simkit_input){ .path = "examples/machines/dps.machine" }, &original, &error),
                     SIMKIT_OK);
    assert_close(machine->latency, 7e-6, 1e-12);
    assert_close(machine->kinds[0].node.up_bandwidth, 3e9, 1e-12);
    assert_close(machine->kinds[0].node.speed, 2.5, 1e-12);
    assert_int_equal(machine->kinds[0].count, 16);
    assert_close(simkit_machine_value(machine, "multiply", "rate", "flop/s"),
                 simkit_machine_value(original, "multiply", "rate", "flop/s"), 0);
    simkit_machine_close(machine);
    simkit_machine_close(original);
}

static void work_divided_by_load_ends_together(void **state)
{
    static const double w[] = { 3, 3, 1, 1 };
    const module *m = &module_slowdown;
    (void)state;
    dice = (simkit_random){ 4 };
    for (int i = 0; i < 60; ++i) {
        static const char *const keys[] = { "on1", "on2", "on3", "on4" };
        double on[4], sum = 0;
        module_defaults(m, &values);
        for (int k = 0; k < 4; ++k) set_number(m, keys[k], on[k] = floor(between(0, 9)), "");
        set(m, "computing", "100"); /* then the slowdown is 1 + the number of competitors */
        ask(m, false);
        for (int k = 0; k < 4; ++k) sum += w[k] / (1 + on[k]);
        assert_close(number("by_load"), 100 * 8 / sum, 1e-12);
        double slowest = 0, even = 0;
        for (int k = 0; k < 4; ++k) {
            slowest = fmax(slowest, 1 + on[k]);
            even = fmax(even, (1 + on[k]) / w[k]);
        }
        assert_close(number("by_speed"), 100 * slowest, 1e-12);
        assert_close(number("evenly"), 100 * even * 2, 1e-12); /* a quarter of 8 is 2 */
        assert_true(number("by_load") <= number("by_speed") * (1 + 1e-12) &&
                    number("by_load") <= number("evenly") * (1 + 1e-12));
        assert_true(number("bound") <= number("tasks") * (1 + 1e-12));
    }
}

static void a_fit_without_errors_is_the_truth(void **state)
{
    const module *m = &module_trust;
    (void)state;
    module_defaults(m, &values);
    set(m, "noise", "0");
    ask(m, false);
    assert_close(number("predicted"), 50e-6 + 16e6 / 100e6, 1e-9);
    assert_close(number("latency"), 50e-6, 1e-6);
    assert_close(number("outliers"), 1, 1e-12);
    set(m, "outlier", "1");
    set(m, "method", "least squares");
    ask(m, false);
    assert_close(number("predicted"), 50e-6 + 16e6 / 100e6, 1e-9);
}

static void a_second_fcfs_gives_the_same_waits(void **state)
{
    const module *m = &module_queues;
    (void)state;
    for (int seed = 1; seed <= 10; ++seed) {
        double wait = 0, ready[32] = { 0 };
        int jobs = 0;
        module_defaults(m, &values);
        set_number(m, "seed", seed, "");
        set_number(m, "malleable", 0, "");
        set_number(m, "load", 150, "");
        ask(m, false);
        const double given = number("wait");
        const char *line = strchr(file("data.csv"), '\n');
        double last = 0;
        while (line && line[1]) { /* job,kind,state,submit,begin,end,...,BEGIN:NODES END:0 */
            double submit, begin, end;
            assert_int_equal(sscanf(line + 1, "%*d,rigid,ended,%lf,%lf,%lf", &submit, &begin, &end), 3);
            const double seconds = end - begin;
            const char *colon = strchr(line + 1, ':');
            assert_non_null(colon);
            const int nodes = atoi(colon + 1);
            line = strchr(line + 1, '\n');
            double start = fmax(submit, last); /* nobody passes anybody */
            for (int i = 1; i < 32; ++i) {     /* sorted by when they are free */
                const double t = ready[i];
                int k = i;
                for (; k > 0 && ready[k - 1] > t; --k) ready[k] = ready[k - 1];
                ready[k] = t;
            }
            start = fmax(start, ready[nodes - 1]);
            for (int i = 0; i < nodes; ++i) ready[i] = start + seconds;
            last = start;
            wait += start - submit;
            ++jobs;
        }
        assert_int_equal(jobs, 24);
        assert_close(given, wait / jobs, 1e-9);
    }
}

/*=============================================================================
 * MARK: - >>all modules
 *===========================================================================*/
static void is_complete(const module *m, bool study)
{
    assert_true(answer.error[0] == 0 && answer.number_count > 0 && answer.number_count < MODULE_NUMBERS);
    assert_true(answer.formula[0] && strlen(answer.formula) < MODULE_FORMULA - 1);
    for (int i = 0; i < MODULE_REASONS; ++i) {
        const char *why = answer.why[i];
        const size_t length = strlen(why);
        assert_true(length > 20 && length < MODULE_SENTENCE - 1 && why[length - 1] == '.');
        static const char *const never[] = { "nan", "inf ", "e+", "e-0", "e-1", " 1 nodes", ": Machine" };
        for (size_t k = 0; k < sizeof never / sizeof *never; ++k)
            if (strstr(why, never[k])) fail_msg("%s: %s", m->name, why);
    }
    for (size_t i = 0; i < answer.picture_count; ++i) {
        const char *svg = file(answer.pictures[i].file), *end = svg + strlen(svg);
        assert_true(strlen(answer.pictures[i].text) < MODULE_SENTENCE - 1);
        assert_memory_equal(svg, "<svg ", 5);
        assert_string_equal(end - 7, "</svg>\n");
        for (const char *at = svg; (at = strstr(at, "nan")) != NULL; ++at)
            if (strchr("\"M,HV -", at[-1])) fail_msg("%s: %.60s", m->name, at - 20);
    }
    assert_true(strchr(file("data.csv"), '\n') != NULL);
    assert_true(!m->machine || study || strstr(file("cluster.machine"), "[network]"));
}

/* Nodes cannot leave the pipelined graph with divided products. */
static bool leaves_with_parts(void)
{
    const module *m = &module_program;
    return module_value(m, &values, "graph") > 0 && module_value(m, &values, "parts") > 0 &&
           module_value(m, &values, "half") > 1;
}

static void every_module_answers_whatever_its_controls_say(void **state)
{
    (void)state;
    dice = (simkit_random){ 5 };
#ifdef TESTS_SLOW
    enum { DRAWS = 8 };
#else
    enum { DRAWS = 40 };
#endif
    for (size_t m = 0; m < module_count; ++m)
        for (int i = 0; i < DRAWS; ++i) {
            const module *which = module_all[m];
            module_defaults(which, &values);
            for (size_t c = 0; c < which->control_count; ++c) {
                const module_control *control = &which->controls[c];
                const double u = i == 0 ? 0 : i == 1 ? 1 : simkit_random_uniform(&dice);
                const double value = control->logarithmic
                                         ? control->minimum * pow(control->maximum / control->minimum, u)
                                         : control->minimum + (control->maximum - control->minimum) * u;
                if (control->kind == MODULE_CHOICE)
                    set(which, control->key, control->choices[(size_t)(value + 0.5)]);
                else if (control->kind == MODULE_WHOLE)
                    set_number(which, control->key, floor(value + 0.5), "");
                else
                    set_number(which, control->key, fmin(fmax(value, control->minimum), control->maximum),
                               control->unit);
            }
            if (which == &module_program && leaves_with_parts()) set(which, "parts", "1");
            if (which == &module_message && values.value[2] < values.value[3]) set(which, "messages", "1");
            ask(which, false);
            is_complete(which, false);
        }
}

static void what_the_program_cannot_do_is_explained(void **state)
{
    const module_run run = { &values, folder, NULL, NULL };
    (void)state;
    module_defaults(&module_program, &values);
    set(&module_program, "graph", "pipelined");
    set(&module_program, "parts", "3");
    set(&module_program, "half", "leaves after iteration 2");
    assert_true(leaves_with_parts());
    assert_false(module_answer_to(&module_program, false, &run, &answer));
    assert_non_null(strstr(answer.error, "take the basic graph, or one part"));
}

static void a_message_has_at_least_a_byte(void **state)
{
    const module_run run = { &values, folder, NULL, NULL };
    (void)state;
    module_defaults(&module_message, &values);
    set(&module_message, "size", "10 B");
    set(&module_message, "messages", "10");
    ask(&module_message, false);
    set(&module_message, "messages", "11");
    assert_false(module_answer_to(&module_message, false, &run, &answer));
    assert_non_null(strstr(answer.error, "10 B cannot be sent in 11 messages"));
}

static void count_progress(void *user, double part)
{
    double *last = (double *)user;
    assert_true(part >= *last && part <= 1);
    *last = part;
}

static void studies_tell_how_far_they_are(void **state)
{
    int studies = 0;
    (void)state;
    for (size_t m = 0; m < module_count; ++m) {
        double last = 0;
        const module *which = module_all[m];
        const module_run run = { &values, folder, count_progress, &last };
        module_defaults(which, &values);
        if (!which->study) {
            assert_false(module_answer_to(which, true, &run, &answer));
            assert_non_null(strstr(answer.error, "has no study"));
            continue;
        }
        assert_true(module_answer_to(which, true, &run, &answer));
        assert_true(last >= 1);
        is_complete(which, true);
        ++studies;
    }
    assert_int_equal(studies, 4);
}

/* Sentences of a study are true where its results are unusual. That of the program, of 48 runs, has three controls to try. */
static void studies_explain_what_is_unusual(void **state)
{
    (void)state;
#ifndef TESTS_SLOW
    const bool all = getenv("TESTS_ALL") != NULL; /* make soak sets it */
    for (size_t m = 0; m < module_count; ++m)
        for (size_t c = 0; c < 2 * module_all[m]->control_count; ++c) {
            const module *which = module_all[m];
            if (!all && (m + c) % 3) continue;
            const module_run run = { &values, folder, NULL, NULL };
            const module_control *control = &which->controls[c / 2];
            if (!which->study || control->kind == MODULE_CHOICE) continue;
            if (which == &module_program && strcmp(control->key, "nodes") == 0) continue;
            module_defaults(which, &values);
            set_number(which, control->key, c % 2 ? control->maximum : control->minimum,
                       control->kind == MODULE_WHOLE ? "" : control->unit);
            if (module_answer_to(which, true, &run, &answer))
                is_complete(which, true);
            else
                assert_non_null(strstr(answer.error, "the job ends within six hours on"));
        }
    module_defaults(&module_program, &values);
    set(&module_program, "speed", "100");
    ask(&module_program, true);
    assert_non_null(strstr(answer.why[1], "8 nodes take"));
    assert_null(strstr(answer.why[1], "falls"));
    module_defaults(&module_queues, &values);
    set(&module_queues, "jobs", "4");
    set(&module_queues, "load", "20");
    set(&module_queues, "malleable", "0");
    ask(&module_queues, true);
    assert_string_equal(answer.why[1], "All policies take the same time: there is nothing to decide.");
#endif
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    const module_run run = { &values, "/nowhere", NULL, NULL };
    (void)state;
    for (size_t m = 0; m < module_count; ++m) {
        module_defaults(module_all[m], &values);
        assert_false(module_answer_to(module_all[m], false, &run, &answer));
        assert_true(strlen(answer.error) > 10);
        if (!module_all[m]->study) continue;
        assert_false(module_answer_to(module_all[m], true, &run, &answer));
        assert_true(strlen(answer.error) > 10);
    }
}

static void real_mode_is_refused(void **state)
{
    static lu_outcome outcome;
    const flowgraph_desc how = { .mode = FLOWGRAPH_REAL, .nodes = 2, .arguments = (char *[]){ (char *)"x", NULL } };
    flowgraph *graph;
    lu *all;
    char why[200] = "";
    (void)state;
    assert_int_equal(flowgraph_open(&how, &graph), FLOWGRAPH_OK);
    assert_int_equal(lu_open(graph, &(lu_desc){ .n = 16, .r = 8 }, &all, why), FLOWGRAPH_OK);
    assert_int_equal(lu_factor(all, &outcome), FLOWGRAPH_WORLD);
    assert_non_null(strstr(outcome.why, "built without real mode"));
    flowgraph_close(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_value_is_explained_and_changes_nothing),
        cmocka_unit_test(every_default_is_right_and_within_limits),
        cmocka_unit_test(a_text_is_read_again),
        cmocka_unit_test(a_message_takes_latency_and_bytes),
        cmocka_unit_test(sharing_is_what_small_steps_give),
        cmocka_unit_test(a_job_takes_what_the_load_says_if_the_load_stays),
        cmocka_unit_test(the_program_is_that_of_the_papers_cluster),
        cmocka_unit_test(nothing_was_measured_on_another_cluster),
        cmocka_unit_test(a_message_has_at_least_a_byte),
        cmocka_unit_test(studies_explain_what_is_unusual),
        cmocka_unit_test(a_cluster_a_hundred_times_as_fast_takes_a_hundredth),
        cmocka_unit_test(nodes_that_leave_are_not_paid),
        cmocka_unit_test(the_machine_file_has_the_numbers_of_the_controls),
        cmocka_unit_test(work_divided_by_load_ends_together),
        cmocka_unit_test(a_fit_without_errors_is_the_truth),
        cmocka_unit_test(a_second_fcfs_gives_the_same_waits),
        cmocka_unit_test(every_module_answers_whatever_its_controls_say),
        cmocka_unit_test(what_the_program_cannot_do_is_explained),
        cmocka_unit_test(studies_tell_how_far_they_are),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(real_mode_is_refused),
    };
    return cmocka_run_group_tests_name("page", tests, open_folder, close_folder);
}
