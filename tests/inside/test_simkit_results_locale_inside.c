/* Room results of simkit.h: locales that write numbers with a comma, or with a sign of more than one byte: whatever
 * printf makes of a number, what simkit.h says and writes has points. No locale need be installed: printf is replaced
 * beneath simkit__figure(). Files are written as where the file system has none without a name. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *point = ".";
static int seen; /* numbers that were written with it */

/* Whether a format makes a number with decimals. */
static int has_decimals(const char *format)
{
    for (; (format = strchr(format, '%')) != NULL; ++format) {
        const size_t length = strspn(format + 1, ".*0123456789");
        if (format[length + 1] == 'g' || (format[length + 1] == 'f' && strncmp(format, "%.0f", 4) != 0)) return 1;
    }
    return 0;
}

static int vsnprintf_there(char *text, size_t size, const char *format, va_list arguments)
{
    char whole[2000];
    const int length = vsnprintf(whole, sizeof whole, format, arguments);
    size_t used = 0;
    for (int i = 0; i < length; ++i) {
        const int decimal =
            has_decimals(format) && i > 0 && whole[i] == '.' && whole[i + 1] >= '0' && whole[i + 1] <= '9';
        const char *from = decimal ? point : &whole[i];
        seen += decimal;
        for (size_t k = 0; k < (decimal ? strlen(point) : 1); k++, used++)
            if (used + 1 < size) text[used] = from[k];
    }
    if (size > 0) text[used < size ? used : size - 1] = 0;
    return (int)used;
}

static int snprintf_there(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf_there(text, size, format, arguments);
    va_end(arguments);
    return length;
}

#undef snprintf
#undef vsnprintf
#define snprintf snprintf_there
#define vsnprintf vsnprintf_there
#define SIMKIT__NAMED_DRAFTS
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"
#include "util/simkit_trace.h"
#undef snprintf
#undef vsnprintf

#include "../world.h"
#include "../scratch.h"

static const char *const points[] = { ".", ",", "\xD9\xAB" };

static void is_without(const char *text)
{
    assert_true(seen > 0 || strcmp(point, ".") == 0);
    for (const char *c = text; *c; ++c) assert_false(*c == ',' && c[1] >= '0' && c[1] <= '9');
    assert_null(strstr(text, "\xD9\xAB"));
    seen = 0;
}

static void sentences_have_points(void **state)
{
    static const char *const traces[][2] = {
        { "5.5 1 0 1 a\n4.25 2 0 1 b\n", "t:2:1: time goes back, from 5.5 s to 4.25 s" },
        { "0 1.5 0 1 a\n", "t:1:1: '1.5' is not a process number" },
        { "0 1 0.5 1 a\n", "t:1:1: '0.5' is not a process number" },
        { "-1.5 1 0 1 a\n", "t:1:1: the time is negative: -1.5 s" },
        { "0 1 0 -1.5 a\n", "t:1:1: the CPU time is negative: -1.5 s" },
        { "time,seconds,nice\n1,2,1.5\n", "t:2:1: nice level 1.5, expected a whole number from -20 to 19" },
        { "0 1 0 2.5 a\n1 1 0 1.25 a\n", "t:2:1: the CPU time of process 1 goes back, from 2.5 s to 1.25 s" },
        { "1.5 12 7 1 cc\n4.5 7 1 1 make\n", "t:1:1: process 12 begins at 1.5 s, before its parent 7 at 4.5 s" },
    };
    static const char *const users[][2] = {
        { "[arrivals a]\nrate = 1234567.5 /s\ndemand = constant 1 s\n",
          "u:1:1: stream 'a' has up to 1234567.5 processes per second, expected at most 1e6" },
        { "[day]\nlength = 1.5 us\nbegin = 2.5 s\n[arrivals a]\nrate = 1 /s, 1 /s\ndemand = constant 1 s\n",
          "u:4:1: stream 'a' has parts of the day of 7.5e-07 s, expected 1e-6 to 1e12 s" },
        { "[arrivals a]\nrate = 1 /s\ndemand = hyperexponential 0.5: 1 s, 0.25: 2 s\n",
          "u:3:10: the probabilities sum to 0.75, expected 1" },
        { "[arrivals a]\nnodes = 2.5-1.5\n", "u:2:9: nodes 2.5-1.5, expected whole numbers from 1 to 1e9 in order" },
        { "[user a]\n[state s]\nnext = s 0.5\n", "u:2:1: the probabilities after state 's' sum to 0.5, expected 1" },
        { "[user a]\nbegin = 2.5 s\nend = 1.5 s\n[state s]\n", "u:1:1: user 'a' ends at 1.5 s, but begins at 2.5 s" },
    };
    simkit_parse_error error;
    (void)state;
    for (size_t p = 0; p < 3; ++p) {
        point = points[p];
        for (size_t i = 0; i < sizeof traces / sizeof *traces; ++i) {
            simkit_workload *workload;
            assert_int_equal(simkit_workload_read(
                                 &(simkit_input){ .text = traces[i][0], .length = strlen(traces[i][0]), .name = "t" },
                                 &workload, &error),
                             SIMKIT_BAD_FILE);
            assert_string_equal(error.text, traces[i][1]);
            is_without(error.text);
        }
        for (size_t i = 0; i < sizeof users / sizeof *users; ++i) {
            simkit_population *population;
            assert_int_equal(simkit_population_read(
                                 &(simkit_input){ .text = users[i][0], .length = strlen(users[i][0]), .name = "u" },
                                 &population, &error),
                             SIMKIT_BAD_FILE);
            assert_string_equal(error.text, users[i][1]);
            is_without(error.text);
        }
        const simkit_computation_desc less = { .node = add_node(NULL), .seconds = -2.5 };
        assert_int_equal(simkit_computation_start(world, &less, NULL), SIMKIT_BAD_ARGUMENT);
        assert_non_null(strstr(simkit_world_why(world), "-2.5"));
        is_without(simkit_world_why(world));
    }
    point = ".";
}

static void files_have_points(void **state)
{
    static const char *const files[] = { "svg", "json", "paje", "csv" };
    static char texts[3][4][20000];
    (void)state;
    for (size_t p = 0; p < 3; ++p) {
        simkit_world *w;
        simkit_trace *trace[4];
        simkit_node node[2];
        char path[4][128];
        point = points[p];
        assert_int_equal(simkit_world_open(&(simkit_world_desc){ .latency = 1e-3 }, &w), SIMKIT_OK);
        for (int i = 0; i < 2; ++i)
            assert_int_equal(simkit_node_add(w, &(simkit_node_desc){ .up_bandwidth = 1e6 }, &node[i]), SIMKIT_OK);
        for (int i = 0; i < 4; ++i) {
            strcpy(path[i], scratch("test_simkit_results_locale", files[i]));
            assert_int_equal(simkit_trace_open(w, &(simkit_trace_desc){ .path = path[i] }, &trace[i]), SIMKIT_OK);
        }
        assert_int_equal(
            simkit_computation_start(w, &(simkit_computation_desc){ .node = node[0], .seconds = 1.5 }, NULL),
            SIMKIT_OK);
        assert_int_equal(
            simkit_transfer_start(w, &(simkit_transfer_desc){ .from = node[0], .to = node[1], .bytes = 1000.5 }, NULL),
            SIMKIT_OK);
        assert_int_equal(simkit_world_run(w), SIMKIT_OK);
        for (int i = 0; i < 4; ++i) {
            assert_int_equal(simkit_trace_close(trace[i]), SIMKIT_OK);
            FILE *file = fopen(path[i], "rb");
            assert_non_null(file);
            assert_true(fread(texts[p][i], 1, sizeof texts[p][i] - 1, file) > 0);
            fclose(file);
            remove(path[i]);
            assert_non_null(strstr(texts[p][i], i == 1 ? "1500000.000" : "1.5"));
            assert_string_equal(texts[p][i], texts[0][i]);
        }
        assert_true(seen > 0);
        simkit_world_close(w);
    }
    point = ".";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(sentences_have_points),
        cmocka_unit_test(files_have_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
