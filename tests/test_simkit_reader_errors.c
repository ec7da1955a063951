/* Values with an error in files: `58 us +- 2 us`. As they stand, or drawn. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "close.h"

static double values[8];

/* Reads quantities of any unit, one in a line, into values[]; returns how many of them have an error, -1 after a mistake. */
static int read_all(const char *text, unsigned draw, simkit_parse_error *error)
{
    simkit_reader r;
    size_t i = 0;
    simkit_reader_init(&r, text, strlen(text), "text");
    r.draw = draw;
    while (simkit_reader_line(&r))
        if (!simkit_reader_quantity(&r, NULL, &values[i++], NULL) || !simkit_reader_end(&r)) {
            if (error) *error = r.error;
            return -1;
        }
    return (int)r.errors;
}

static void values_as_they_stand(void **state)
{
    (void)state;
    assert_int_equal(
        read_all("58 us +- 2 us\n58us+-2us\n3 MB/s +- 5 %\n4\n12 % +- 3 %\n1 +-0.1 @a -0.5\n2 s +- 1 ms @wire\n", 0,
                 NULL),
        6);
    const double expected[] = { 58e-6, 58e-6, 3e6, 4, 0.12, 1, 2 };
    for (size_t i = 0; i < 7; ++i) assert_close(values[i], expected[i], 1e-15);
}

/* The reader tells the standard error of the latest value, in the unit of the value. */
static void errors_are_told(void **state)
{
    static const char text[] = "58 us +- 2 us\n3 MB/s +- 5 %\n4\n12 % +- 3 %\n1 +-0.1 @a -0.5\n2 s +- 1 ms @wire\n7\n";
    static const double expected[] = { 2e-6, 150e3, 0, 0.03, 0.1, 1e-3, 0 };
    (void)state;
    for (unsigned draw = 0; draw < 2; ++draw) {
        simkit_reader r;
        double value;
        size_t i = 0;
        simkit_reader_init(&r, text, sizeof text - 1, "text");
        r.draw = draw;
        for (; simkit_reader_line(&r); ++i) {
            assert_true(simkit_reader_quantity(&r, NULL, &value, NULL));
            assert_close(r.deviation + 1, expected[i] + 1, 1e-15);
            assert_true(fabs(r.deviation - expected[i]) <= 1e-12 * expected[i]);
        }
        assert_int_equal(i, 7);
    }
}

/* Means, deviations and correlations of many draws. */
static void draws_have_these_errors(void **state)
{
    enum { DRAWS = 20000, VALUES = 7 };
    static const char text[] =
        "58 us +- 2 us\n40 MB/s +- 5 %\n100 +- 3 @wire\n200 +- 4 @wire -0.8\n30 % +- 2 %\n0 s +- 1 s\n7 +- 0\n";
    static const double means[] = { 58e-6, 40e6, 100, 200, 0.3, 0, 7 }, deviations[] = { 2e-6, 2e6, 3, 4, 0.02, 1, 0 };
    double sum[VALUES] = { 0 }, squares[VALUES] = { 0 }, both = 0, neighbors = 0;
    int zeros = 0;
    (void)state;
    for (unsigned draw = 1; draw <= DRAWS; ++draw) {
        assert_int_equal(read_all(text, draw, NULL), 7);
        for (size_t i = 0; i < VALUES; ++i) {
            const double away = values[i] - means[i];
            sum[i] += away;
            squares[i] += away * away;
            assert_true(values[i] >= 0);
        }
        both += (values[2] - 100) / 3 * (values[3] - 200) / 4;
        neighbors += (values[0] - 58e-6) / 2e-6 * (values[1] - 40e6) / 2e6;
        zeros += values[5] <= 0;
    }
    for (size_t i = 0; i < VALUES; ++i) {
        if (i == 5) continue;
        const double mean = sum[i] / DRAWS, deviation = sqrt(squares[i] / DRAWS);
        /* Below a value, a relative error of u divides by 1 + u |z|: the mean is higher by up to u^2 / 2. */
        const double bias = means[i] > 0 ? deviations[i] * deviations[i] / means[i] : 0;
        assert_true(fabs(mean) <= bias + 5 * deviations[i] / sqrt(DRAWS));
        assert_true(fabs(deviation - deviations[i]) <= 0.06 * deviations[i]);
    }
    assert_true(fabs(both / DRAWS + 0.8) < 0.04);
    assert_true(fabs(neighbors / DRAWS) < 0.04);
    assert_true(abs(zeros - DRAWS / 2) < 400); /* what is below zero is zero */
}

/* The same draw is the same each time; a full correlation moves two values together. */
static void draws_are_repeated(void **state)
{
    static const char text[] = "10 +- 1 @a\n100 us +- 10 us @a\n10 +- 1 @b\n10 +- 1 @a -1\n";
    double first[4];
    (void)state;
    for (unsigned draw = 1; draw <= 50; ++draw) {
        read_all(text, draw, NULL);
        memcpy(first, values, sizeof first);
        read_all(text, draw, NULL);
        assert_memory_equal(first, values, sizeof first);
        assert_close(values[0] * 1e-5, values[1], 1e-12);
        assert_true((values[0] > 10) == (values[3] < 10));
        assert_true(fabs(values[0] - values[2]) > 1e-9);
    }
    read_all("1 MB/s +- 40 %\n", 3, NULL); /* a large error leaves a bandwidth above zero: 0 would be infinitely fast */
    for (unsigned draw = 1; draw <= 2000; ++draw) {
        assert_int_equal(read_all("1 MB/s +- 300 %\n", draw, NULL), 1);
        assert_true(values[0] > 0);
    }
}

static void mistakes_are_told(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        { "5 us +- 3 B", "text:1:11: the unit is 'B', expected one of: s, ms, us, ns, min, h" },
        { "5 us +- ", "text:1:8: expected a number >= 0" },
        { "5 us +- x", "text:1:9: expected a number >= 0" },
        { "5 us +- 3", "text:1:10: there is no unit, expected one of: s, ms, us, ns, min, h" },
        { "5 us +- -3 us", "text:1:9: expected a number >= 0" },
        { "5 us +- 3 us @", "text:1:15: expected the name of a source of errors" },
        { "5 us +- 3 us @a 1.5", "text:1:17: a correlation beyond 1" },
        { "5 us +- 3 us @a -", "text:1:18: expected a number >= 0" },
        { "5 us +- 3 us 4", "text:1:14: " },
        { "5 us + 3 us", "text:1:6: " },
        { "1 +- 1e308 @a\n1e308 +- 1e308", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        simkit_parse_error error;
        if (!cases[i].error) {
            int failed = 0;
            for (unsigned draw = 1; draw < 40; ++draw)
                if (read_all(cases[i].text, draw, &error) < 0) {
                    ++failed;
                    assert_non_null(strstr(error.text, "a draw of the value is too large"));
                }
            assert_true(failed > 0);
            continue;
        }
        assert_int_equal(read_all(cases[i].text, 0, &error), -1);
        if (strncmp(error.text, cases[i].error, strlen(cases[i].error)) != 0)
            fail_msg("%s: %s", cases[i].text, error.text);
    }
}

/* A machine counts its values with errors; whole numbers have none. */
static void machines_are_drawn(void **state)
{
    static const char text[] =
        "[network]\nlatency = 50 us +- 10 %\n[node a]\ncount = 4\nbandwidth = 100 MB/s +- 2 MB/s\n"
        "[operation multiply]\nrate = 2 Gflop/s +- 1 %\n";
    simkit_input input = { .text = text, .length = sizeof text - 1 };
    simkit_machine *m;
    double sum = 0;
    (void)state;
    for (input.draw = 0; input.draw <= 400; ++input.draw) {
        assert_int_equal(simkit_machine_read(&input, &m, NULL), SIMKIT_OK);
        assert_int_equal(m->errors, 3);
        if (input.draw == 0) {
            assert_close(m->latency, 50e-6, 1e-15);
            assert_close(m->kinds[0].node.up_bandwidth, 100e6, 1e-15);
            assert_close(simkit_machine_value(m, "multiply", "rate", "flop/s"), 2e9, 1e-15);
        } else {
            sum += fabs(m->latency - 50e-6);
            assert_close(m->kinds[0].node.up_bandwidth, m->kinds[0].node.down_bandwidth, 1e-15);
        }
        simkit_machine_close(m);
    }
    assert_close(sum / 400, 5e-6 * sqrt(2 / 3.14159265358979), 0.15);
    input.text = "[node a]\ncores = 4 +- 1\n";
    input.length = strlen(input.text);
    input.draw = 0;
    simkit_parse_error error;
    assert_int_equal(simkit_machine_read(&input, &m, &error), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "machine:2:11: expected the end of the line");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_as_they_stand),    cmocka_unit_test(errors_are_told),
        cmocka_unit_test(draws_have_these_errors), cmocka_unit_test(draws_are_repeated),
        cmocka_unit_test(mistakes_are_told),       cmocka_unit_test(machines_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
