/* Room tables of util/simkit_files.h: what a table may look like, and what every error in one is called. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "close.h"

#include <locale.h>
#include <stdlib.h>

static simkit_table *table;
static simkit_parse_error error;

static simkit_result parse(const char *text)
{
    simkit_table_close(table);
    memset(&error, 0, sizeof error);
    return simkit_table_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "t" }, &table, &error);
}

static void good(const char *text, size_t rows, size_t columns)
{
    if (parse(text) != SIMKIT_OK) fail_msg("%s", error.text);
    assert_int_equal(table->rows, rows);
    assert_int_equal(table->columns, columns);
}

static double number(size_t column, size_t row)
{
    assert_non_null(table->column[column].numbers);
    return table->column[column].numbers[row];
}

static int close_table(void **state)
{
    (void)state;
    simkit_table_close(table);
    table = NULL;
    return 0;
}

static void headers_have_names_and_units(void **state)
{
    (void)state;
    good("bytes [B],time[ms], \"what, in words\" ,ratio[%],rate [Mbit/s]\n1000,2.5,first,50,8\n2e3,-1, second ,25,16\n",
         2, 5);
    assert_string_equal(table->column[0].name, "bytes");
    assert_string_equal(table->column[0].unit, "B");
    assert_string_equal(table->column[1].name, "time");
    assert_string_equal(table->column[1].unit, "s");
    assert_string_equal(table->column[2].name, "what, in words");
    assert_string_equal(table->column[2].unit, "");
    assert_ptr_equal(simkit_table_column(table, "time"), &table->column[1]);
    assert_null(simkit_table_column(table, "none"));
    assert_null(simkit_table_column(table, NULL));
    assert_equal(number(0, 1), 2000);
    assert_equal(number(1, 0), 0.0025);
    assert_equal(number(1, 1), -0.001);
    assert_equal(number(3, 1), 0.25);
    assert_equal(number(4, 0), 1e6);
    assert_null(table->column[2].numbers);
    assert_string_equal(table->column[2].texts[1], "second");
    assert_null(table->column[0].texts);
}

static void forms_are_recognised(void **state)
{
    (void)state;
    good("1 2\n3\t4\n", 2, 2); /* blanks, no header */
    assert_equal(number(1, 1), 4);
    assert_string_equal(table->column[0].name, "");
    good("  size   time  \n  1   2  \n\n# comment\n 3 4", 2, 2);
    assert_int_equal(table->line[0], 2);
    assert_int_equal(table->line[1], 5);
    assert_string_equal(table->column[1].name, "time");
    assert_equal(number(0, 1), 3);
    good("# first\n\na;b\n1;2\n", 1, 2);
    assert_string_equal(table->column[1].name, "b");
    good("MPI_Send,765921,1.5\r\nMPI_Recv,7,2.5\r\n", 2, 3); /* numbers in the first line: no header */
    assert_string_equal(table->column[0].texts[1], "MPI_Recv");
    assert_equal(number(2, 1), 2.5);
    good("\xEF\xBB\xBFn,t\n1,2\n", 1, 2);
    assert_string_equal(table->column[0].name, "n");
    good("a,b\n\"x \"\"y\"\"\",\n,3\n", 2, 2); /* an empty cell of text is text */
    assert_string_equal(table->column[0].texts[0], "x \"y\"");
    assert_string_equal(table->column[1].texts[0], "");
    good("5", 1, 1);
    assert_equal(number(0, 0), 5);
    good("t (s), u [bad] x\n1,2\n", 1, 2); /* only brackets at the end are a unit */
    assert_string_equal(table->column[0].name, "t (s)");
    assert_string_equal(table->column[1].name, "u [bad] x");
    good("\"  [s]\",\"\"\n1,2\n", 1, 2); /* a name may be empty, and a unit may stand alone */
    assert_string_equal(table->column[0].name, "");
    assert_string_equal(table->column[0].unit, "s");
    good("+1,-2.5e-3,.5\n", 1, 3);
    assert_equal(number(1, 0), -2.5e-3);
}

static void every_error_has_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "t: the table is empty" },
        { "\n# only a comment\n\n", "t: the table is empty" },
        { "a,b\n", "t:1:1: the table has a header, but no rows" },
        { "a,b\n# no row\n\n", "t:1:1: the table has a header, but no rows" },
        { "a,b\n1\n", "t:2:2: this line has 1 cell, the first has 2, separated by ','" },
        { "a,b,c\n1,2,3\n1,2\n", "t:3:4: this line has 2 cells, the first has 3, separated by ','" },
        { "a,b\n1,2,3\n", "t:2:5: this line has more cells than the first, which has 2, separated by ','" },
        { "a;b\n1;2;\n", "t:2:5: this line has more cells than the first, which has 2, separated by ';'" },
        { "a b\n1 2 3\n", "t:2:5: this line has more cells than the first, which has 2, separated by blanks" },
        { "a,b\n1,2\n1,x\n", "t:3:3: 'x' is not a number" },
        { "a,b\n1,2\n1,\n", "t:3:3: the cell is empty, expected a number" },
        { "a,b\n1,2\n,2\n", "t:3:1: the cell is empty, expected a number" },
        { "a,b\n1,2\n1,\"\"\n", "t:3:4: '' is not a number" },
        { "a,b\n1,2\n1,\"3\"\n", "t:3:4: '3' is not a number" },
        { "a,b\n1,2\n1,3x\n", "t:3:3: '3x' is not a number" },
        { "a,b\n1,2\n1,0x10\n", "t:3:3: '0x10' is not a number" },
        { "a,b\n1,2\n1,1e999\n", "t:3:3: '1e999' is not a number" },
        { "a[h]\n1e308\n", "t:2:1: '1e308' is too large" },
        { "a[GB]\n1\n-1e300\n", "t:3:1: '-1e300' is too large" },
        { "a,b\n1,2\n1,--3\n", "t:3:3: '--3' is not a number" },
        { "a,b\n1,nan\n", "t:2:3: 'nan' is not finite" },
        { "a,b\n1,2\n1,-Inf\n", "t:3:3: '-Inf' is not finite" },
        { "nan,b\n1,2\n", "t:1:1: 'nan' is not finite" },
        { "x,y\nz,INFINITY\n", "t:2:3: 'INFINITY' is not finite" },
        { "a;b\n1,5;2\n1;2\n", NULL }, /* a comma is no point: text, as the header shows no other */
        { "a,b[parsec]\n1,2\n", "t:1:5: unknown unit 'parsec', expected one of: none, %, s, ms, us, ns, min, h, /s, /min, /h, B, kB, MB, GB, KiB, MiB, GiB, B/s, kB/s, MB/s, GB/s, Mbit/s, Gbit/s, flop/s, Mflop/s, Gflop/s" },
        { "a,b []\n1,2\n", NULL }, /* no unit in it: a plain number */
        { "a,\"b\n1,2\n", "t:1:3: the quote is not closed on this line" },
        { "a,b\n\"1,2\n", "t:2:1: the quote is not closed on this line" },
        { "a,b\n\"x\" y,2\n", "t:2:5: expected ',' or the end of the line after a quoted cell" },
        { "a,b\nx,2\n\"y\"z,2\n", "t:3:4: expected ',' or the end of the line after a quoted cell" },
        { "1,2\n3\n", "t:2:2: this line has 1 cell, the first has 2, separated by ','" },
        { "1,2\n3,a_very_long_cell_that_is_not_a_number\n", "t:2:3: 'a_very_long_cell_tha' is not a number" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const simkit_result result = parse(cases[i].text);
        if (!cases[i].says) {
            if (result != SIMKIT_OK) fail_msg("%s", error.text);
            continue;
        }
        assert_int_equal(result, SIMKIT_BAD_FILE);
        assert_null(table);
        assert_string_equal(error.text, cases[i].says);
    }
    assert_int_equal(simkit_table_read(&(simkit_input){ .text = NULL, .length = 0, .name = "t" }, &table, &error),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_table_read(&(simkit_input){ .text = "1", .length = 1, .name = "t" }, NULL, &error),
                     SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_table_read(&(simkit_input){ .text = "", .length = 0 }, &table, NULL), SIMKIT_BAD_FILE);
    assert_null(simkit_table_column(NULL, "a"));
    simkit_table_close(NULL);
}

/* Random tables come back as they were written, to the last digit that was. */
static void random_tables_come_back(void **state)
{
    uint64_t dice = 3;

    (void)state;
    for (int trial = 0; trial < 100; ++trial) {
        const size_t rows = 1 + (size_t)random_between(&dice, 0, 20), columns = 1 + (size_t)random_between(&dice, 0, 6);
        static const char *const separators[] = { ",", " ; ", "\t", "   " }, *const ends[] = { "\n", "\r\n" };
        const char *separator = separators[trial % 4];
        double values[21][7];
        char text[20000] = "";
        for (size_t c = 0; trial % 3 && c < columns; ++c)
            sprintf(text + strlen(text), "%scolumn_%lu", c ? separator : "", (unsigned long)c);
        if (trial % 3) strcat(text, ends[trial % 2]);
        for (size_t r = 0; r < rows; ++r) {
            for (size_t c = 0; c < columns; ++c) {
                values[r][c] = random_between(&dice, -1, 1) * pow(10, floor(random_between(&dice, -9, 9)));
                sprintf(text + strlen(text), "%s%.15g", c ? separator : "", values[r][c]);
            }
            strcat(text, ends[trial % 2]);
        }
        good(text, rows, columns);
        for (size_t r = 0; r < rows; ++r)
            for (size_t c = 0; c < columns; ++c) assert_close(number(c, r), values[r][c], 6e-15);
    }
}

static void any_bytes_are_answered(void **state)
{
    static const char seed[] = "bytes[B],seconds [us];x\n1,2.5,\"a\"\n# c\n3 ,4, b\n-5,6e-3,\"\"\n";
    uint64_t dice = 7;

    (void)state;
    for (int trial = 0; trial < 30000; ++trial) {
        size_t length = (size_t)random_between(&dice, 0, sizeof seed);
        char *text = (char *)malloc(length ? length : 1);
        memcpy(text, seed, length);
        for (int i = 0; i < 3 && length > 0; ++i)
            text[(size_t)random_between(&dice, 0, (double)length)] =
                "\",;\n\r\t #[]0129.eE+-xn\0\377"[(size_t)random_between(&dice, 0, 24)];
        simkit_table_close(table);
        switch (simkit_table_read(&(simkit_input){ .text = text, .length = length, .name = "t" }, &table, &error)) {
        case SIMKIT_OK: assert_true(table->rows > 0); break;
        case SIMKIT_BAD_FILE: assert_null(table); break;
        default: fail();
        }
        free(text);
    }
}

/* A hook that says no after so many allocations. */
typedef struct hook {
    size_t held;
    long left;
    size_t peak;
} hook;

static void *reallocate(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    hook *h = (hook *)user;
    void *moved;
    if (new_bytes == 0) {
        h->held -= old_bytes;
        free(pointer);
        return NULL;
    }
    if (h->left-- <= 0) return NULL;
    moved = realloc(pointer, new_bytes);
    h->held += new_bytes - old_bytes;
    if (h->held > h->peak) h->peak = h->held;
    return moved;
}

static void memory_that_runs_out_is_a_result(void **state)
{
    const char *text = "n,t,what\n1,2,x\n3,4,y\n";
    long failures = 0;

    (void)state;
    for (long allowed = 0;; ++allowed) {
        hook h = { 0, allowed, 0 };
        const simkit_world_desc memory = { .memory = { .reallocate = reallocate, .user = &h } };
        simkit_table *own = NULL;
        const simkit_result result = simkit_table_read(
            &(simkit_input){ .text = text, .length = strlen(text), .name = "t", .memory = memory.memory }, &own,
            &error);
        simkit_table_close(own);
        assert_int_equal(h.held, 0);
        if (result == SIMKIT_OK) break;
        assert_int_equal(result, SIMKIT_NO_MEMORY);
        assert_null(own);
        assert_string_equal(error.text, "t: no memory for the table");
        ++failures;
    }
    assert_int_equal(failures, 7);
}

static void files_are_read(void **state)
{
    hook h = { 0, 1000, 0 };
    const simkit_world_desc memory = { .memory = { .reallocate = reallocate, .user = &h } };

    (void)state;
    simkit_table_close(table);
    if (simkit_table_read(&(simkit_input){ .path = "tests/published/dpgraph_table2.csv" }, &table, &error) !=
        SIMKIT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(table->rows, 8);
    assert_int_equal(table->columns, 9);
    assert_string_equal(simkit_table_column(table, "mode")->texts[7], "synchronous");
    assert_equal(simkit_table_column(table, "n100000")->numbers[0], 0.0385);
    simkit_table_close(table);
    assert_int_equal(simkit_table_read(&(simkit_input){ .path = "no/such/file" }, &table, &error), SIMKIT_NO_FILE);
    assert_null(table);
    assert_string_equal(error.text, "no/such/file: the file cannot be read: No such file or directory");
    assert_int_equal(simkit_table_read(&(simkit_input){ .path = "tests" }, &table, &error), SIMKIT_NO_FILE);
    assert_int_equal(simkit_table_read(&(simkit_input){ .path = NULL }, &table, &error), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_table_read(&(simkit_input){ .path = "x" }, NULL, &error), SIMKIT_BAD_ARGUMENT);
    for (h.left = 0; h.left < 4; h.left = h.left + 1) {
        hook own = { 0, h.left, 0 };
        const simkit_world_desc none = { .memory = { .reallocate = reallocate, .user = &own } };
        assert_int_equal(
            simkit_table_read(&(simkit_input){ .path = "tests/published/dpgraph_table2.csv", .memory = none.memory },
                              &table, &error),
            SIMKIT_NO_MEMORY);
        assert_int_equal(own.held, 0);
    }
    h.left = 1000;
    assert_int_equal(
        simkit_table_read(&(simkit_input){ .path = "tests/published/dpgraph_table2.csv", .memory = memory.memory },
                          &table, &error),
        SIMKIT_OK);
    simkit_table_close(table);
    table = NULL;
    assert_int_equal(h.held, 0);
}

/* Long lines and long files are as good as short ones; a decimal comma of the locale changes nothing. */
static void size_and_locale_do_not_matter(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8" };
    enum { COLUMNS = 20000 };
    char *text = (char *)malloc(20 * COLUMNS), *at = text;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) setlocale(LC_ALL, names[i]);
    for (int i = 0; i < COLUMNS; ++i) at += snprintf(at, 20, "%s%d.5", i ? "," : "", i);
    setlocale(LC_ALL, "C");
    good(text, 1, COLUMNS);
    assert_equal(number(COLUMNS - 1, 0), COLUMNS - 0.5);
    for (char *c = text; *c; ++c)
        if (*c == ',') *c = '\n';
    good(text, COLUMNS, 1);
    assert_equal(number(0, COLUMNS - 1), COLUMNS - 0.5);
    free(text);
}

/* Memory goes with the length of the file, whatever its first line promises: here 20 000 columns, and 20 000 rows of one
 * cell, and files of the same length that have what they promise. */
static void memory_goes_with_the_length(void **state)
{
    enum { MANY = 20000 };
    char *text = (char *)malloc(6 * MANY), *at;

    (void)state;
    simkit_table_close(table);
    table = NULL;
    for (int kind = 0; kind < 6; ++kind) {
        const int columns = kind == 0 ? MANY : kind == 1 ? 2 * MANY : kind == 2 ? 1 : kind == 3 ? 140 : 3;
        const int rows = kind == 0 ? MANY : kind == 1 ? 1 : kind == 2 ? 2 * MANY : kind == 3 ? 140 : MANY / 2;
        hook h = { 0, 1000000, 0 };
        const simkit_world_desc memory = { .memory = { .reallocate = reallocate, .user = &h } };
        at = text;
        if (kind == 0) {
            for (int i = 0; i < MANY; ++i) at += sprintf(at, "%s", i ? ",1" : "1");
            for (int i = 0; i < MANY; ++i) at += sprintf(at, "%s", "\n1");
        } else { /* of 4 and 5, empty cells of text: the shortest that there are */
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c)
                    at += sprintf(at, "%s%c", kind < 4 ? "1" : "", c + 1 < columns ? ',' : '\n');
            if (kind == 5) at += sprintf(at, "1\n");
        }
        const simkit_result result = simkit_table_read(
            &(simkit_input){ .text = text, .length = (size_t)(at - text), .name = "t", .memory = memory.memory },
            &table, &error);
        assert_int_equal(result, kind == 0 || kind == 5 ? SIMKIT_BAD_FILE : SIMKIT_OK);
        if (kind == 0)
            assert_string_equal(error.text, "t:2:2: this line has 1 cell, the first has 20000, separated by ','");
        if (kind == 5)
            assert_string_equal(error.text, "t:10001:2: this line has 1 cell, the first has 3, separated by ','");
        if (table) assert_int_equal(table->rows, rows - (kind == 4)); /* the first is a header */
        assert_true(h.peak < 64 * (size_t)(at - text));
        simkit_table_close(table);
        table = NULL;
        assert_int_equal(h.held, 0);
    }
    free(text);
}

/* What stands between quotes does not say how cells are separated. */
static void quoted_separators_do_not_count(void **state)
{
    static const char text[] = "\"a,b\";c\n1;2\n3;4\n";
    simkit_table *table;
    (void)state;
    assert_int_equal(simkit_table_read(&(simkit_input){ .text = text, .length = sizeof text - 1 }, &table, NULL),
                     SIMKIT_OK);
    assert_int_equal(table->columns, 2);
    assert_string_equal(table->column[0].name, "a,b");
    assert_equal(table->column[1].numbers[1], 4);
    simkit_table_close(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quoted_separators_do_not_count),
        cmocka_unit_test(headers_have_names_and_units),
        cmocka_unit_test(forms_are_recognised),
        cmocka_unit_test(every_error_has_its_place),
        cmocka_unit_test(random_tables_come_back),
        cmocka_unit_test(any_bytes_are_answered),
        cmocka_unit_test(memory_that_runs_out_is_a_result),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(size_and_locale_do_not_matter),
        cmocka_unit_test(memory_goes_with_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, close_table);
}
