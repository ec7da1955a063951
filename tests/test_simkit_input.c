/* Room input of util/simkit_files.h: a file or a text becomes a struct of one's own, or nothing and a sentence. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "close.h"
#include "hook.h"
#include "scratch.h"

/* Numbers, one in each line, with names. */
typedef struct numbers {
    simkit_store store;
    double *values;
    simkit_names names;
} numbers;

static int closed;

static void numbers_close(void *made)
{
    numbers *n = (numbers *)made;
    simkit_array_discard(&n->store, n->values);
    simkit_names_free(&n->store, &n->names);
    simkit_store_close(&n->store, sizeof *n);
    ++closed;
}

static simkit_result numbers_parse(void *made, const simkit_input *input, simkit_reader *r)
{
    numbers *n = (numbers *)made;
    char name[32];
    double value;
    if (input->user) *(const char **)input->user = input->path;
    while (simkit_reader_line(r)) {
        if (!simkit_reader_word(r, name, "a name")) return SIMKIT_BAD_FILE;
        simkit_reader_blanks(r);
        if (strcmp(name, "fail") == 0)
            return simkit_reader_error(r, NULL, "as asked: %g", 0.5) ? SIMKIT_OK : SIMKIT_BAD_TIME;
        if (!simkit_reader_number(r, &value) || !simkit_reader_end(r)) return SIMKIT_BAD_FILE;
        if (!simkit_array_reserve(&n->store, n->values, 1) ||
            simkit_names_add(&n->store, &n->names, name) == SIMKIT_NONE)
            return SIMKIT_NO_MEMORY;
        simkit_array_push(n->values, value);
    }
    return SIMKIT_OK;
}

static const simkit_input_format format = { "list", sizeof(numbers), numbers_parse, numbers_close };

static void a_text(void **state)
{
    static const char text[] = "a 1\nb 2.5 # two and a half\n";
    hook h = { .left = -1 };
    void *made = &h;
    const simkit_input input = { .text = text, .length = sizeof text - 1, .memory = { reallocate, &h } };
    simkit_parse_error error;
    (void)state;
    assert_int_equal(simkit_input_read(&input, &format, &made, &error), SIMKIT_OK);
    const numbers *n = (const numbers *)made;
    assert_int_equal(simkit_array_count(n->values), 2);
    assert_equal(n->values[1], 2.5);
    assert_int_equal(simkit_names_find(&n->names, "b"), 1);
    assert_int_equal(n->store.bytes, h.held);
    numbers_close(made);
    assert_int_equal(h.blocks, 0);
    for (long left = 0; left < 100; ++left) { /* wherever memory runs out, nothing stays */
        h = (hook){ .left = left };
        made = &h;
        const simkit_result result = simkit_input_read(&input, &format, &made, &error);
        if (result == SIMKIT_OK) {
            numbers_close(made);
            assert_true(left > 3);
            break;
        }
        assert_int_equal(result, SIMKIT_NO_MEMORY);
        assert_string_equal(error.text, "list: no memory for the list");
        assert_null(made);
        assert_int_equal(h.blocks, 0);
    }
    assert_false(h.refused);
}

static void mistakes(void **state)
{
    static const char wrong[] = "a 1\nb x\n", asked[] = "fail\n";
    simkit_parse_error error;
    void *made = &error;
    (void)state;
    closed = 0;
    simkit_input input = { .text = wrong, .length = sizeof wrong - 1, .name = "n" };
    assert_int_equal(simkit_input_read(&input, &format, &made, &error), SIMKIT_BAD_FILE);
    assert_null(made);
    assert_int_equal(closed, 1);
    assert_string_equal(error.text, "n:2:3: expected a number >= 0");
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 3);
    assert_int_equal(simkit_input_read(&input, &format, &made, NULL), SIMKIT_BAD_FILE);
    input.text = asked, input.length = sizeof asked - 1;
    assert_int_equal(simkit_input_read(&input, &format, &made, &error), SIMKIT_BAD_TIME); /* what parsing says */
    assert_string_equal(error.text, "n:1:1: as asked: 0.5");
    input.text = NULL;
    assert_int_equal(simkit_input_read(&input, &format, &made, &error), SIMKIT_BAD_ARGUMENT);
    assert_string_equal(error.text, "list: there is nothing to read: neither a path nor a text");
    assert_int_equal(simkit_input_read(NULL, &format, &made, NULL), SIMKIT_BAD_ARGUMENT);
    input.text = asked;
    assert_int_equal(simkit_input_read(&input, &format, NULL, NULL), SIMKIT_BAD_ARGUMENT);
    made = &error;
    assert_int_equal(simkit_input_read(&input, NULL, &made, NULL), SIMKIT_BAD_ARGUMENT);
    assert_null(made);
    const simkit_input_format bad[] = { { "list", sizeof(simkit_store) - 1, numbers_parse, numbers_close },
                                        { "list", sizeof(numbers), NULL, numbers_close },
                                        { "list", sizeof(numbers), numbers_parse, NULL } };
    for (size_t i = 0; i < 3; ++i)
        assert_int_equal(simkit_input_read(&input, &bad[i], &made, NULL), SIMKIT_BAD_ARGUMENT);
    const simkit_input_format nameless = { NULL, sizeof(numbers), numbers_parse, numbers_close };
    input.name = NULL;
    assert_int_equal(simkit_input_read(&input, &nameless, &made, &error), SIMKIT_BAD_TIME);
    assert_string_equal(error.text, "file:1:1: as asked: 0.5");
}

static void files(void **state)
{
    char path[1024], expected[300];
    const char *here = scratch("test_simkit_input", "txt"), *opened = NULL;
    simkit_parse_error error;
    void *made;
    (void)state;
    FILE *file = fopen(here, "w");
    assert_non_null(file);
    fputs("a 7\n", file);
    assert_int_equal(fclose(file), 0);
    simkit_input input = { .path = strrchr(here, '/') + 1, .beside = "build/other.txt", .user = &opened };
    assert_ptr_equal(simkit_input_path(&input, path), path);
    assert_string_equal(path, here);
    assert_int_equal(simkit_input_read(&input, &format, &made, &error), SIMKIT_OK);
    assert_equal(((numbers *)made)->values[0], 7);
    assert_non_null(opened); /* parsing is told which file it is, for those beside it */
    numbers_close(made);
    input.beside = NULL;
    input.path = here;
    assert_string_equal(simkit_input_path(&input, path), here);
    input.beside = "file"; /* without a folder */
    assert_string_equal(simkit_input_path(&input, path), here);
    input.beside = "folder/file";
    input.path = "/tmp/x";
    assert_string_equal(simkit_input_path(&input, path), "/tmp/x");
    input.path = NULL;
    assert_null(simkit_input_path(&input, path));
    assert_null(simkit_input_path(NULL, path));
    input.path = "build/is not there";
    assert_int_equal(simkit_input_read(&input, &format, &made, &error), SIMKIT_NO_FILE);
    assert_null(made);
    snprintf(expected, sizeof expected, "folder/%s: the file cannot be read: No such file or directory", input.path);
    assert_string_equal(error.text, expected);
    remove(here);
}

static void rows_may_have_a_number_sign(void **state)
{
    static const char text[] = "# a table\na #1\n\n  # b\nc#\n";
    simkit_reader r;
    char rest[32];
    (void)state;
    simkit_reader_init(&r, text, sizeof text - 1, "t");
    assert_true(simkit_reader_row(&r));
    assert_true(simkit_reader_text(&r, rest, sizeof rest));
    assert_string_equal(rest, "a #1");
    assert_int_equal(r.line, 2);
    assert_true(simkit_reader_row(&r));
    assert_true(simkit_reader_text(&r, rest, sizeof rest));
    assert_string_equal(rest, "c#");
    assert_int_equal(r.line, 5);
    assert_false(simkit_reader_row(&r));
    assert_false(simkit_reader_row(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(files),
        cmocka_unit_test(rows_may_have_a_number_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
