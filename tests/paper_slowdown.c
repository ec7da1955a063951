/* [slowdown] every worked value and table that it prints, from its inputs. All figures come from tests/published. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "close.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 12, MOST = 8 };

/* Cuts a line at its commas, in place; empty cells count. */
static int cut(char *line, char *cells[CELLS])
{
    int count = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; at && count < CELLS;) {
        cells[count++] = at;
        at = strchr(at, ',');
        if (at) *at++ = 0;
    }
    return count;
}

static FILE *open_table(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[300];
    if (!file || !fgets(line, sizeof line, file))
        fail_msg("cannot read %s: run this from the top of the project", path);
    return file;
}

/* A number or a fraction, such as 15/55. */
static double number(const char *text)
{
    const char *over = strchr(text, '/');
    return over ? atof(text) / atof(over + 1) : strcmp(text, "inf") == 0 ? (double)INFINITY : atof(text);
}

/* The numbers after `name=`, up to a semicolon; how many. */
static size_t inputs(const char *text, const char *name, double *numbers)
{
    const size_t length = strlen(name);
    size_t count = 0;
    for (const char *at = text; at; at = strchr(at, ';')) {
        at += *at == ';';
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        for (at += length + 1; *at && *at != ';' && count < MOST; at += *at == ' ') {
            numbers[count++] = number(at);
            at += strcspn(at, " ;");
        }
        return count;
    }
    return 0;
}

/* Half of the last digit that was printed. */
static double half_digit(const char *printed)
{
    const char *point = strchr(printed, '.');
    double half = 0.5;
    for (size_t i = point ? strlen(point) - 1 : 0; i > 0; --i) half /= 10;
    return half * (1 + 1e-9);
}

static contention_delay curves[2], constant;

static int load_curves(void **state)
{
    FILE *file = open_table("tests/published/slowdown_delay_curves.csv");
    char line[300], *cells[CELLS];
    int rows = 0;

    (void)state;
    while (fgets(line, sizeof line, file)) {
        const int farm = cut(line, cells) == 6 && strcmp(cells[0], "alpha_farm") == 0;
        contention_delay *x = farm ? &curves[atoi(cells[1]) - 1] : &constant;
        ++rows;
        if (number(cells[2]) > 0 || !farm) x->high_intercept = number(cells[4]), x->high_slope = number(cells[5]);
        if (number(cells[2]) > 0)
            x->bandwidth = number(cells[2]);
        else
            x->low_intercept = number(cells[4]), x->low_slope = number(cells[5]);
    }
    fclose(file);
    return rows != 5;
}

/* Eq. 2 from parts, with a delay that is given, or with the curves at a bandwidth. */
static double local(const char *text)
{
    contention_mix mix;
    double communicating[MOST], delay, k;
    const size_t count = inputs(text, "comm", communicating);

    memset(&mix, 0, sizeof mix);
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(contention_mix_add(&mix, 1 - communicating[i], communicating[i]), CONTENTION_OK);
    if (inputs(text, "delay", &delay) == 1) {
        assert_equal(delay, constant.low_intercept);
        return contention_slowdown_local(&mix, &constant, 1, 0);
    }
    assert_int_equal(inputs(text, "k", &k), 1);
    return contention_slowdown_local(&mix, curves, 2, k);
}

static void worked_values_come_out(void **state)
{
    FILE *file = open_table("tests/published/slowdown_examples.csv");
    char line[300], *cells[CELLS];
    int checked = 0;

    (void)state;
    while (fgets(line, sizeof line, file)) {
        double w[MOST], sd[MOST], f[MOST], value;
        assert_int_equal(cut(line, cells), 4);
        if (cells[2][0] == 0) continue; /* its input is not printed */
        if (strcmp(cells[1], "2") == 0) {
            value = local(cells[2]);
        } else {
            const size_t nodes = inputs(cells[2], "w", w);
            assert_int_equal(inputs(cells[2], "sd", sd), nodes);
            if (strcmp(cells[1], "5") == 0) {
                value = contention_slowdown_by_load(nodes, w, sd);
            } else {
                assert_int_equal(inputs(cells[2], "f", f), nodes);
                value = contention_slowdown_by_partition(nodes, w, sd, f, NULL);
            }
        }
        if (fabs(value - number(cells[3])) > 2.01 * half_digit(cells[3])) /* the paper rounds and cuts */
            fail_msg("%s: %g, printed %s", cells[0], value, cells[3]);
        ++checked;
    }
    fclose(file);
    assert_int_equal(checked, 9);
}

typedef struct row {
    double w, sd, f;
    char term[16], aggregate[16];
} row;

/* The rows of a table; how many. */
static size_t table(const char *which, row *rows)
{
    FILE *file = open_table("tests/published/slowdown_tables12_15.csv");
    char line[300], *cells[CELLS];
    size_t count = 0;

    while (fgets(line, sizeof line, file)) {
        assert_int_equal(cut(line, cells), 7);
        if (strcmp(cells[0], which) != 0) continue;
        rows[count].w = number(cells[2]);
        rows[count].sd = number(cells[3]);
        rows[count].f = number(cells[4]);
        strcpy(rows[count].term, cells[5]);
        strcpy(rows[count++].aggregate, cells[6]);
    }
    fclose(file);
    return count;
}

/* Each term is the slowdown of a partition that gives work to that node alone, measured in uniform dedicated work on a
 * node of weight 1; the aggregate is eq. 8 for table 12, eq. 9 with table 13's partition for the others. */
static void tables_12_to_15_come_out(void **state)
{
    static const char *const which[] = { "12", "13", "14", "15" };
    row dedicated[MOST];

    (void)state;
    assert_int_equal(table("13", dedicated), 4);
    for (int t = 0; t < 4; ++t) {
        row rows[MOST];
        double w[MOST], sd[MOST], f[MOST], before[MOST], value;
        const size_t nodes = table(which[t], rows);
        assert_int_equal(nodes, 4);
        for (size_t i = 0; i < nodes; ++i) {
            w[i] = rows[i].w, sd[i] = rows[i].sd, f[i] = rows[i].f;
            before[i] = t == 0 ? f[i] : dedicated[i].f;
        }
        for (size_t i = 0; i < nodes; ++i) {
            double alone[MOST] = { 0 };
            alone[i] = f[i];
            value = contention_slowdown_by_partition(nodes, w, sd, alone, NULL);
            if (fabs(value - number(rows[i].term)) > 2.01 * half_digit(rows[i].term))
                fail_msg("table %s, node %lu: %g, printed %s", which[t], (unsigned long)i + 1, value, rows[i].term);
        }
        if (strcmp(rows[0].aggregate, "dedicated") == 0) continue;
        value = t == 0 ? contention_slowdown_by_partition(nodes, w, sd, f, NULL)
                       : contention_slowdown_by_partition(nodes, w, sd, f, before);
        if (fabs(value - number(rows[0].aggregate)) > 2.01 * half_digit(rows[0].aggregate))
            fail_msg("table %s: %g, printed %s", which[t], value, rows[0].aggregate);
    }
}

/* Tables 1 to 4: two tasks on two machines, three settings. */
static void tasks_are_mapped_as_the_tables_say(void **state)
{
    FILE *file = open_table("tests/published/slowdown_mapping.csv");
    char line[300], *cells[CELLS];
    double dedicated[6] = { 0 };
    int checked = 0;

    (void)state;
    while (fgets(line, sizeof line, file)) {
        double value[6], time[4], transfer[4] = { 0 }, none[] = { 1, 1 }, still[] = { 1, 1, 1, 1 }, scratch[12],
                                  seconds;
        double slowed[] = { 1, 1 }, busy[] = { 1, 1, 1, 1 };
        size_t machine[2];
        contention_chain chain = { 2, 2, time, transfer, none, still };
        assert_int_equal(cut(line, cells), 10);
        for (int i = 0; i < 6; ++i) value[i] = number(cells[1 + i]);
        memcpy(time, value, sizeof time);
        transfer[1] = value[4], transfer[2] = value[5];
        assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_OK);
        assert_equal(seconds, number(cells[9]));
        assert_int_equal(machine[0], cells[7][1] - '1');
        assert_int_equal(machine[1], cells[8][1] - '1');
        /* the same from the dedicated times and the slowdowns */
        if (checked == 0) memcpy(dedicated, value, sizeof dedicated);
        memcpy(time, dedicated, sizeof time);
        transfer[1] = dedicated[4], transfer[2] = dedicated[5];
        slowed[0] = value[0] / dedicated[0];
        busy[1] = busy[2] = value[4] / dedicated[4];
        chain.slowdown = slowed;
        chain.communication = busy;
        assert_int_equal(contention_chain_place(&chain, scratch, machine, &seconds), CONTENTION_OK);
        assert_close(seconds, number(cells[9]), 1e-12);
        assert_int_equal(machine[0], cells[7][1] - '1');
        assert_int_equal(machine[1], cells[8][1] - '1');
        ++checked;
    }
    fclose(file);
    assert_int_equal(checked, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_values_come_out),
        cmocka_unit_test(tables_12_to_15_come_out),
        cmocka_unit_test(tasks_are_mapped_as_the_tables_say),
    };
    return cmocka_run_group_tests(tests, load_curves, NULL);
}
