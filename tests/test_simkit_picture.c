/* Room picture of util/simkit_trace.h: what stands in files of one's own, when they appear, and every refusal. */
#define _DEFAULT_SOURCE /* mkdtemp, symlink */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"

#include "formats.h"
#include "hook.h"
#include "scratch.h"
#include "world.h"
#include "written.h"

#include <math.h>
#include <sys/stat.h>

static simkit_picture *opened(const char *path)
{
    simkit_picture *picture;
    succeeds(simkit_picture_open(world, path, &picture));
    return picture;
}

/* The text of a picture that is complete, until the next one. */
static const char *closed(simkit_picture *picture, const char *path)
{
    static char *text;
    succeeds(simkit_picture_close(picture, true));
    free(text);
    return text = take(path);
}

static bool is_there(const char *path)
{
    struct stat what;
    return stat(path, &what) == 0;
}

/* Every verb, in every format; texts as the format wants them. */
static void what_is_written(void **state)
{
    static const char *const texts[][2] = {
        { "svg", "a &lt; &quot;b&quot;\xEF\xBF\xBD, a &lt; &quot;b, a < \"b\"\xFF" },
        { "csv", "\"a < 'b'\xEF\xBF\xBD\", \"a < 'b\", a < \"b\"\xFF" },
        { "json", "\"a < \\\"b\\\"\xEF\xBF\xBD\", \"a < \\\"b\", a < \"b\"\xFF" },
        { "paje", "\"a < 'b'\xEF\xBF\xBD\", \"a < 'b\", a < \"b\"\xFF" },
        { "trace", "\"a < 'b'\xEF\xBF\xBD\", \"a < 'b\", a < \"b\"\xFF" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        const char *path = scratch("picture", texts[i][0]), *text = "a < \"b\"\xFF";
        simkit_picture *picture = opened(path);
        simkit_picture_write(picture, "%t, %6t, %s", text, text, text);
        assert_string_equal(closed(picture, path), texts[i][1]);
    }
    const char *path = scratch("picture", "csv");
    simkit_picture *picture = opened(path);
    simkit_picture_write(picture, "%% %u %U %0 %3 %12 %1 ", UINT32_MAX, UINT64_MAX, 2.75, 2.0625, 1 / 3.0, 1e18 / 3);
    simkit_picture_write(picture, "%@ %@ %@ %@ %@ of %@%%", 2.0, 2.5, 2.25, -0.125, 0.0, 1e15);
    assert_string_equal(closed(picture, path),
                        "% 4294967295 18446744073709551615 3 2.062 0.333333333333 333333333333333312.0 "
                        "2 2.5 2.25 -0.12 0 of 1000000000000000%");
}

/* A text is cut at the end of a character, at 255 bytes in any case. */
static void long_texts_are_cut(void **state)
{
    static const struct {
        const char *format;
        size_t shown;
    } cuts[] = { { "%4t", 4 },     { "%5t", 4 },     { "%6t", 6 }, { "%255t", 254 },
                 { "%256t", 254 }, { "%999t", 254 }, { "%t", 600 } };
    const char *path = scratch("picture", "svg");
    char text[601] = "", longest[601];
    (void)state;
    for (int i = 0; i < 300; ++i) memcpy(text + 2 * i, "\xC2\xB5", 3);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; ++i) {
        simkit_picture *picture = opened(path);
        simkit_picture_write(picture, cuts[i].format, text);
        snprintf(longest, sizeof longest, "%.*s", (int)cuts[i].shown, text);
        assert_string_equal(closed(picture, path), longest);
    }
    simkit_picture *picture = opened(path);
    simkit_picture_text(picture, 1, 2.5, "fill=\"red\"", text);
    snprintf(longest, sizeof longest, "<text x=\"1\" y=\"2.5\" fill=\"red\">%.60s</text>\n", text);
    assert_string_equal(closed(picture, path), longest);
}

/* The numbers below an axis, from left to right, with spaces; the unit is the last. */
static const char *axis(double begin, double end)
{
    static const simkit_picture_box box = { 50, 20, 400, 100 };
    static char labels[1000];
    const char *path = scratch("picture", "svg");
    simkit_picture *picture = opened(path);
    simkit_picture_page(picture, 500, 140);
    simkit_picture_axis(picture, &box, begin, end);
    const char *text = closed(picture, path);
    assert_true(xml_is_well_formed(text));
    double last = 49.99;
    labels[0] = 0;
    for (const char *at = text; (at = strstr(at, "<text x=\"")) != NULL; ++at) {
        const double x = strtod(at + 9, NULL);
        const char *label = strchr(at, '>') + 1;
        const size_t used = strlen(labels);
        if (strncmp(label, "time", 4) == 0) {
            assert_true(fabs(x - 250) < 1e-9 && strstr(at, "y=\"132\""));
        } else {
            assert_true(x > last && x <= 450.01 && strstr(at, "y=\"116\""));
            last = x;
        }
        snprintf(labels + used, sizeof labels - used, "%s%.*s", used ? " " : "", (int)strcspn(label, "<"), label);
    }
    assert_int_equal(occurrences(text, "V104\""), occurrences(text, "y=\"116\""));
    return labels;
}

static void axes_have_round_numbers(void **state)
{
    (void)state;
    assert_string_equal(axis(0, 10), "0 1 2 3 4 5 6 7 8 9 10 time [s]");
    assert_string_equal(axis(0, 0.004), "0 0.5 1 1.5 2 2.5 3 3.5 4 time [ms]");
    assert_string_equal(axis(3e-6, 7e-6), "3 3.5 4 4.5 5 5.5 6 6.5 7 time [\xC2\xB5s]");
    assert_string_equal(axis(0, 20e-9), "0 2 4 6 8 10 12 14 16 18 20 time [ns]");
    assert_string_equal(axis(100, 900), "2 3 4 5 6 7 8 9 10 11 12 13 14 15 time [min]");
    assert_string_equal(axis(0, 5 * 3600), "0 0.5 1 1.5 2 2.5 3 3.5 4 4.5 5 time [h]");
    assert_string_equal(axis(86400 * 3, 86400 * 7), "3 3.5 4 4.5 5 5.5 6 6.5 7 time [d]");
}

/* Where no time lies between two others, or none that doubles can count, nothing is drawn. */
static void impossible_axes_are_not_drawn(void **state)
{
    static const double times[][2] = {
        { 1, 1 },           { 2, 1 },           { -1, 1 },           { 0, (double)INFINITY },
        { (double)NAN, 1 }, { 0, (double)NAN }, { 1e17, 1e17 + 16 }, { 1e300, 1.0000000000000002e300 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; ++i) assert_string_equal(axis(times[i][0], times[i][1]), "");
    assert_string_not_equal(axis(0, 1e-320), "");
    assert_string_not_equal(axis(0, 1e300), "");
}

/* What is mute writes nothing, not even the end of a page. */
static void mute_pictures_write_nothing(void **state)
{
    static const simkit_picture_box box = { 0, 0, 1, 1 };
    const char *path = scratch("picture", "svg");
    (void)state;
    simkit_picture *picture = opened(path);
    simkit_picture_mute(picture, true);
    simkit_picture_page(picture, 1, 1);
    simkit_picture_text(picture, 0, 0, "", "not seen");
    simkit_picture_axis(picture, &box, 0, 1);
    simkit_picture_write(picture, "%t", "not seen");
    simkit_picture_mute(picture, false);
    simkit_picture_write(picture, "seen");
    assert_string_equal(closed(picture, path), "seen");
}

/* A file appears when it is complete, and replaces what was there; what is not complete leaves that as it was. */
static void files_appear_when_they_are_complete(void **state)
{
    const char *path = scratch("picture", "csv");
    const size_t before = simkit_world_memory(world, NULL);
    (void)state;
    simkit_picture *one = opened(path), *two = opened(path), *three = opened(path);
    simkit_picture_write(one, "one\n");
    simkit_picture_write(two, "two\n");
    simkit_picture_write(three, "three\n");
    assert_false(is_there(path));
    succeeds(simkit_picture_close(one, false));
    assert_false(is_there(path));
    succeeds(simkit_picture_close(two, true));
    assert_true(is_there(path));
    assert_string_equal(closed(three, path), "three\n");
    simkit_picture *four = opened(path);
    succeeds(simkit_picture_close(opened(path), true));
    assert_true(is_there(path));
    simkit_picture_write(four, "four\n");
    succeeds(simkit_picture_close(four, false));
    assert_int_equal(remove(path), 0);
    assert_int_equal(simkit_world_memory(world, NULL), before);
}

static void what_is_refused(void **state)
{
    simkit_picture *picture = (simkit_picture *)&state;
    (void)state;
    assert_int_equal(simkit_picture_open(NULL, "x.csv", &picture), SIMKIT_BAD_ARGUMENT);
    assert_null(picture);
    assert_int_equal(simkit_picture_open(world, "x.csv", NULL), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_picture_open(world, NULL, &picture), SIMKIT_BAD_ARGUMENT);
    assert_why("at 0 s: a picture needs a path");
    assert_int_equal(simkit_picture_open(world, "x.png", &picture), SIMKIT_BAD_ARGUMENT);
    assert_why(
        "at 0 s: the path of a picture is 'x.png', expected one that ends in .svg, .json, .paje, .trace or .csv");
    assert_int_equal(simkit_picture_open(world, "svg", &picture), SIMKIT_BAD_ARGUMENT);
    assert_int_equal(simkit_picture_open(world, "no/such/folder/x.csv", &picture), SIMKIT_NO_FILE);
    assert_why("at 0 s: cannot write 'no/such/folder/x.csv'");
    assert_null(picture);
    succeeds(simkit_picture_close(NULL, true));
}

/* A place that takes nothing: the file does not appear, and the sentence says which. */
static void full_disks_are_reported(void **state)
{
    const char *path = scratch("picture", "csv");
    (void)state;
    if (!is_there("/dev/full")) skip();
    assert_int_equal(symlink("/dev/full", path), 0);
    simkit_picture *picture = opened(path);
    simkit_picture_write(picture, "%t", "something");
    assert_int_equal(simkit_picture_close(picture, true), SIMKIT_NO_FILE);
    assert_non_null(strstr(simkit_world_why(world), "cannot write '"));
    picture = opened(path);
    simkit_picture_write(picture, "%t", "something");
    succeeds(simkit_picture_close(picture, false));
    assert_int_equal(remove(path), 0);
}

static void memory_is_refused(void **state)
{
    hook h = { 0, 0, -1, false, false };
    simkit_picture *picture;
    (void)state;
    reopen_world(&(simkit_world_desc){ .memory = { reallocate, &h } });
    const size_t blocks = h.blocks;
    h.left = 0;
    assert_int_equal(simkit_picture_open(world, "x.csv", &picture), SIMKIT_NO_MEMORY);
    assert_why("at 0 s: no memory for a picture");
    assert_null(picture);
    assert_int_equal(h.blocks, blocks);
    reopen_world(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(what_is_written),
        WORLD_TEST(long_texts_are_cut),
        WORLD_TEST(axes_have_round_numbers),
        WORLD_TEST(impossible_axes_are_not_drawn),
        WORLD_TEST(mute_pictures_write_nothing),
        WORLD_TEST(files_appear_when_they_are_complete),
        WORLD_TEST(what_is_refused),
        WORLD_TEST(full_disks_are_reported),
        WORLD_TEST(memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
