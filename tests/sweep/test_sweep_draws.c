/* Sweeps over what is not sure: draws of the errors in the machine file, and values with an error. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "core.h"

#include "../close.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_draws_XXXXXX", why[SWEEP_WHY];

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return remove("machine") | remove("sweep") | remove("results") | rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* What the machine is at a point, and a parameter. */
static int look(const sweep_point *point, double *result)
{
    result[0] = point->machine ? point->machine->kinds[0].node.up_bandwidth : 1;
    result[1] = point->machine ? point->machine->latency : point->value[0];
    return 0;
}

static const sweep_quantity parameters[] = { { "b", "s", 1, NULL, NULL } };
static const sweep_quantity results[] = { { "bandwidth-is", "B/s", 0, NULL, NULL },
                                          { "latency-is", "s", 0, NULL, NULL } };
static const sweep_model model = { "look", 1, parameters, 1, results, 2, look, NULL, NULL, SWEEP_MAY, NULL };

/* Opens the sweep of these sections, and makes its runs. */
static sweep *made(const char *sections)
{
    char text[400];
    sweep *s;
    snprintf(text, sizeof text, "[sweep]\nmodel = look\n%s", sections);
    write_file("sweep", text);
    remove("results");
    const sweep_desc desc = { .path = "sweep", .models = &model, .count = 1, .results = "results" };
    if (!sweep_open(&desc, &s, why) || !sweep_run(s, &(sweep_run_desc){ .threads = 2 })) fail_msg("%s", why);
    return s;
}

/* Draw k has the values that any reader of the file finds with draw k; numbers that a parameter scales have no error. */
static void errors_of_the_machine_are_drawn(void **state)
{
    static const char machine[] = "[node]\nbandwidth = 10 MB/s +- 5 %\n[network]\nlatency = 1 ms +- 0.1 ms @wire\n";
    simkit_machine *m;
    (void)state;
    write_file("machine", machine);
    sweep *s = made("machine = machine\n[parameter calibration]\ndraws = 12\n");
    assert_int_equal(sweep_points(s), 12);
    for (unsigned i = 0; i < 12; ++i) {
        const simkit_input input = { .text = machine, .length = sizeof machine - 1, .draw = i + 1 };
        assert_int_equal(simkit_machine_read(&input, &m, NULL), SIMKIT_OK);
        assert_equal(sweep_found(s, i, 0, 0), m->kinds[0].node.up_bandwidth);
        assert_equal(sweep_found(s, i, 0, 1), m->latency);
        simkit_machine_close(m);
    }
    sweep_close(s);
    s = made("machine = machine\n[parameter calibration]\ndraws = 4\n[parameter faster]\nscales = [node] "
             "bandwidth\nvalues = 1, 2\n");
    for (size_t i = 0; i < 8; ++i) assert_equal(sweep_found(s, i, 0, 0), i % 2 ? 20e6 : 10e6);
    assert_true(sweep_found(s, 0, 0, 1) < sweep_found(s, 2, 0, 1) || sweep_found(s, 0, 0, 1) > sweep_found(s, 2, 0, 1));
    sweep_close(s);
}

/* `VALUE +- ERROR` is the same distribution as mean and deviation. */
static void values_with_an_error_are_normal(void **state)
{
    static const char *const ways[] = { "58 us, 2.9 us", "58 us +- 2.9 us", "58us+-5 %", "0.058 ms +- 5%" };
    double values[9];
    size_t count;
    (void)state;
    for (int way = 0; way < 4; ++way) {
        char text[100];
        snprintf(text, sizeof text, "[parameter b]\nnormal = %s\nsteps = 9\n", ways[way]);
        sweep *s = made(text);
        const sweep_parameter *p = sweep_parameters(s, &count);
        assert_int_equal(p->law, SWEEP_NORMAL);
        assert_string_equal(p->unit, "s");
        assert_int_equal(p->count, 9);
        if (way == 0) memcpy(values, p->values, sizeof values);
        for (size_t i = 0; i < 9; ++i) assert_close(p->values[i], values[i], 1e-11);
        sweep_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_the_machine_are_drawn),
        cmocka_unit_test(values_with_an_error_are_normal),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
