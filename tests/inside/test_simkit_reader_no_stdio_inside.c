/* Room reader of util/simkit_files.h without files (SIMKIT_NO_STDIO): texts are read, and paths are refused with a sentence. */
#define SIMKIT_NO_STDIO
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "../close.h"

static const char refused[] = "x: this program was built without files (SIMKIT_NO_STDIO)";

static void paths_are_refused(void **state)
{
    const simkit_input input = { .path = "x" };
    simkit_parse_error error;
    simkit_machine *machine;
    simkit_table *table;
    simkit_workload *workload;
    simkit_population *population;
    (void)state;
    assert_int_equal(simkit_machine_read(&input, &machine, &error), SIMKIT_NO_FILE);
    assert_null(machine);
    assert_string_equal(error.text, refused);
    assert_int_equal(simkit_table_read(&input, &table, &error), SIMKIT_NO_FILE);
    assert_null(table);
    assert_string_equal(error.text, refused);
    assert_int_equal(simkit_workload_read(&input, &workload, &error), SIMKIT_NO_FILE);
    assert_null(workload);
    assert_string_equal(error.text, refused);
    assert_int_equal(simkit_population_read(&input, &population, &error), SIMKIT_NO_FILE);
    assert_null(population);
    assert_string_equal(error.text, refused);
}

static void a_text_cannot_name_a_file(void **state)
{
    static const char users[] = "[trace t]\nfile = x\n";
    simkit_population *population;
    simkit_parse_error error;
    (void)state;
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = users, .length = sizeof users - 1 }, &population, &error),
        SIMKIT_NO_FILE);
    assert_null(population);
    assert_string_equal(error.text, refused);
}

static void texts_are_read(void **state)
{
    static const char text[] = "a,b\n1,2\n";
    simkit_table *table;
    (void)state;
    assert_int_equal(simkit_table_read(&(simkit_input){ .text = text, .length = sizeof text - 1 }, &table, NULL),
                     SIMKIT_OK);
    assert_equal(simkit_table_column(table, "b")->numbers[0], 2);
    simkit_table_close(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_refused),
        cmocka_unit_test(a_text_cannot_name_a_file),
        cmocka_unit_test(texts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
