/* examples/sweep, the library: files, designs, numbers, machine files, results whatever happens to them, and runs by whoever
 * makes them. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* mkdtemp, usleep */
#endif
#include "../close.h"
#include "core.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/test_sweep_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *at(const char *name)
{
    static char paths[8][300];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const char *text, size_t length)
{
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static char *read_text(const char *name, size_t *length)
{
    sweep_text text = { 0 };
    assert_int_equal(sweep_text_read(&text, at(name)), 0);
    assert_false(text.failed);
    if (length) *length = text.length;
    return text.text;
}

/*=============================================================================
 * Models
 *===========================================================================*/
enum { A, B, KIND, PARAMETERS };

static const sweep_quantity parameters[] = { { "a", "1", 5, NULL, NULL },
                                             { "b", "s", NAN, NULL, NULL },
                                             { "kind", "1", 1, "none,some,all", NULL } };
static const sweep_quantity results[] = { { "sum", "1", 0, NULL, NULL }, { "drawn", "s", 0, NULL, NULL } };

static int naps;       /* [us] that a run takes */
static double changed; /* what is added to its results */

/* Some runs fail: those of a = 13. */
static int add(const sweep_point *point, double *result)
{
    simkit_random random = { point->seed };
    if (naps > 0) usleep((useconds_t)naps);
    if (point->value[A] == 13 && point->seed < 3) return sweep_fail(point, "a is \"13\",\nseed %d", (int)point->seed);
    if (point->value[A] == 14) return result[0] = INFINITY, 0;
    if (point->value[A] == 15) return 1;
    result[0] = point->value[A] + point->value[B] / 3 + 1000 * point->value[KIND] + changed;
    if (point->value[A] != 16) result[1] = simkit_random_exponential(&random, point->value[B]);
    return 0;
}

/* What the machine is at a point. */
static int look(const sweep_point *point, double *result)
{
    const simkit_machine *m = point->machine;
    if (!m) return sweep_fail(point, "no machine");
    result[0] = m->kinds[0].node.up_bandwidth;
    result[1] = m->latency;
    result[2] = simkit_machine_value(m, "multiply", "rate", "flop/s");
    result[3] = simkit_machine_value(m, "solve", "rate", "flop/s");
    result[4] = m->sharing == SIMKIT_SHARING_MAXMIN;
    result[5] = m->kinds[0].node.cpu_per_incoming;
    return 0;
}

static const sweep_quantity looks[] = {
    { "bandwidth-is", "B/s", 0, NULL, NULL },   { "latency-is", "s", 0, NULL, NULL },
    { "multiply-is", "flop/s", 0, NULL, NULL }, { "solve-is", "flop/s", 0, NULL, NULL },
    { "maxmin-is", "1", 0, NULL, NULL },        { "incoming-is", "1", 0, NULL, NULL }
};

static bool open_input(const char *path, void **shared, char *why)
{
    *shared = NULL;
    return path != NULL || snprintf(why, SWEEP_WHY, "reads: no input") < 0;
}

static const sweep_model models[] = {
    { "add", 1, parameters, PARAMETERS, results, 2, add, NULL, NULL, SWEEP_MAY, NULL },
    { "look", 1, NULL, 0, looks, 6, look, NULL, NULL, SWEEP_MAY, NULL },
    { "reads", 1, parameters, PARAMETERS, results, 2, add, open_input, NULL, SWEEP_MAY, NULL },
    { "newer", 2, parameters, PARAMETERS, results, 2, add, NULL, NULL, SWEEP_MAY, NULL },
};

/* What went wrong when a sweep was opened; "" if it is open. */
static char why[SWEEP_WHY];

static sweep *open_with(const char *name, sweep_desc desc)
{
    sweep *s;
    desc.path = at(name);
    desc.models = models;
    desc.count = sizeof models / sizeof *models;
    if (!desc.results) desc.results = at("out.csv");
    sweep_open(&desc, &s, why);
    return s;
}

static sweep *open_text(const char *text, const char *csv)
{
    write_text("test.sweep", text);
    if (csv) unlink(at(csv));
    return open_with("test.sweep", (sweep_desc){ .results = csv ? at(csv) : NULL });
}

static void run_all(sweep *s, unsigned threads)
{
    if (!sweep_run(s, &(sweep_run_desc){ .threads = threads })) fail_msg("%s", sweep_why(s));
}

/*=============================================================================
 * Numbers
 *===========================================================================*/
static void numbers_are_read_as_they_were_written(void **state)
{
    static const double edges[] = { 0,        1,
                                    -1,       0.1,
                                    1e22,     1e23,
                                    1e-22,    123456789012,
                                    1e15,     999999999999.5,
                                    1e300,    1e-300,
                                    5e-324,   0.00001,
                                    0.000009, 1.7976931348623157e308 };
    simkit_random random = { 1 };
    sweep_text t = { 0 };
    (void)state;
    for (int i = 0; i < 200000; ++i) {
        double value;
        uint64_t bits = simkit_random_bits(&random);
        memcpy(&value, &bits, sizeof value);
        if (i % 3 == 0) value = sweep_round(ldexp(1 + simkit_random_uniform(&random), (int)(bits % 120) - 32));
        if (i % 3 == 1) value = (double)(bits % 100000) / 1000;
        if (i < (int)(sizeof edges / sizeof *edges)) value = edges[i];
        if (isnan(value) || isinf(value)) continue;
        t.length = 0;
        sweep_text_number(&t, value);
        double read = -1, libc = strtod(t.text, NULL);
        assert_ptr_equal(sweep_number_read(t.text, t.text + t.length, &read), t.text + t.length);
        if (read != value || libc != value) fail_msg("%.17g was written as %s and read as %.17g", value, t.text, read);
        if (i % 3 == 0 && i > 100 &&
            fabs(value) > 0) { /* 12 digits, as printf() rounds them, up to one unit in the last place */
            char text[40];
            snprintf(text, sizeof text, "%.11e", value);
            assert_close(strtod(text, NULL), value, 1e-15);
        }
    }
    sweep_text_free(&t);
    assert_equal(sweep_round(123456789012345), 123456789012000);
    assert_equal(sweep_round(-0.1), -0.1);
    assert_equal(sweep_round(0), 0);
    assert_null(sweep_number_read("x", (const char *)"x" + 1, &(double){ 0 }));
}

/*=============================================================================
 * Files
 *===========================================================================*/
static void mistakes_in_files_are_explained(void **state)
{
    static const struct mistake {
        const char *text, *says;
    } list[] = {
        { "", "there is no section [sweep]" },
        { "a = 1\n", "test.sweep:1:1: key 'a' is before the first [section]" },
        { "[sweep]\nmodel = sub\n", "there is no model 'sub', only add, look, reads, newer" },
        { "[sweep]\nmodle = add\n", "section [sweep] has no key 'modle', only name" },
        { "[sweep]\nmodel = add\nmodel = add\n", "'model' appears twice" },
        { "[sweep]\nmodel = add\n[sweep]\nmodel = add\n", "test.sweep:3:2: there are two sections [sweep]" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[sweep]\nmachine = m.machine\n", "there are two sections [sweep]" },
        { "[sweep]\nmodel = reads\ninput = a\n[set]\n[sweep]\ninput = b\n", "there are two sections [sweep]" },
        { "[sweep]\n[sweep]\nmodel = add\n", "there are two sections [sweep]" },
        { "[sweep]\nmodel = add\n[set]\nb = 1 s\n[set]\nb = 1 s\n", "test.sweep:6:1: 'b' is set twice" },
        { "[sweep]\nmodel = add\n[set]\nkind = some\n[set]\na = 1\nkind = all\n", "'kind' is set twice" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n[parameter b]\n", "two sections [parameter b]" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n[tornado]\n[map tornado]\n",
          "two pictures are called 'tornado'" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n[choice]\nparameter = b\nparameter = b\n",
          "'parameter' appears twice" },
        { "[set]\na = 1\n", "a section [sweep] that says the 'model' comes first" },
        { "[sweep]\nmodel = add\n", "needs 'b'" },
        { "[sweep]\nmodel = add\nseeds = 2\nseeds = 3\n", "'seeds' appears twice" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\nwhole = yes\n", "a list is not rounded" },
        { "[sweep]\nmodel = add\n[set]\nb = 1 s\n", "nothing varies" },
        { "[sweep]\nmodel = add\n[set]\nb = 1\n", "there is no unit" },
        { "[sweep]\nmodel = add\n[set]\nc = 1\n", "model 'add' has no parameter 'c', only a, b, kind" },
        { "[sweep]\nmodel = add\n[set]\nb = 1 s\n[parameter b]\nvalues = 1 s\n", "'b' is in [set], too" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n[set]\nb = 1 s\n",
          "'b' has a section [parameter b], too" },
        { "[sweep]\nmodel = add\n[parameter]\n", "the parameter has no name" },
        { "[sweep]\nmodel = add\n[parameter b]\n", "has no values" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s, 2\n", "there is no unit" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s, 1000 ms\n", "a value is in the list twice" },
        { "[sweep]\nmodel = add\n[parameter kind]\nvalues = one\n", "'one' is unknown, expected one of none,some,all" },
        { "[sweep]\nmodel = add\n[parameter kind]\nlinear = 1, 2\n", "'kind' is a word" },
        { "[sweep]\nmodel = add\n[parameter b]\nlinear = 2 s, 1 s\n", "the first the smaller one" },
        { "[sweep]\nmodel = add\n[parameter b]\nlinear = 1 s\n", "expected ',' and a second number" },
        { "[sweep]\nmodel = add\n[parameter b]\nlogarithmic = 0 s, 1 s\n", "two numbers > 0" },
        { "[sweep]\nmodel = add\n[parameter b]\nlinear = 1 s, 2 s\n", "needs its 'steps'" },
        { "[sweep]\nmodel = add\n[parameter b]\nlinear = 1 s, 2 s\nsteps = 1\n", "two steps or more" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\nsteps = 3\n", "a list has no steps" },
        { "[sweep]\nmodel = add\n[parameter b]\nnormal = 1 s\n", "expected ',' and a second number" },
        { "[sweep]\nmodel = add\n[parameter b]\ntriangular = 1 s, 3 s, 2 s\n", "ascending" },
        { "[sweep]\nmodel = add\n[parameter b]\nnormal = 58 us +- 2 B\n", "test.sweep:4:21: the unit is 'B', expected one of" },
        { "[sweep]\nmodel = add\n[parameter b]\nnormal = 58 us +- 2 us, 3 us\n", "expected the end of the line" },
        { "[sweep]\nmodel = add\n[parameter b]\nnormal = 58 us +- 0 us\n",
          "a mean and a standard deviation > 0, as 58 us, 2 us or" },
        { "[sweep]\nmodel = add\n[parameter b]\nnormal = 58 us +- 2 us @wire -0.8\n",
          "test.sweep:4:24: errors with a source are correlated, and parameters are not" },
        { "[sweep]\nmodel = add\n[parameter b]\nnormal = 58 us, 2 us +- 1 us\n",
          "test.sweep:4:17: an error after '+-' is for a parameter that varies: normal = VALUE +- ERROR" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 58 us +- 2 us\n", "an error after '+-' is for a parameter that varies" },
        { "[sweep]\nmodel = add\n[set]\nb = 58 us +- 2 us\n", "test.sweep:4:5: an error after '+-' is for a parameter" },
        { "[sweep]\nmodel = add\nseeds = 5 +- 1\n", "test.sweep:3:9: an error after '+-' is for a parameter" },
        { "[sweep]\nmodel = look\n[parameter d]\ndraws = 3\n", "need a 'machine'" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter d]\ndraws = 3\n",
          "m.machine has no value with an error, as '58 us +- 2 us', that parameter 'd' could draw" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter d]\ndraws = 3\nsets = [node] cores\n",
          "'d' draws all values that have an error" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter d]\nscales = [node] bandwidth\ndraws = 3\n",
          "'d' has its values already, or sets a number: expected 'draws' alone" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter d]\ndraws = 3\n[parameter e]\ndraws = 3\n",
          "'d' draws the values of the machine file already" },
        { "[sweep]\nmodel = add\nmachine = m.machine\n[parameter b]\ndraws = 3\n",
          "'b' is a parameter of the model: draws of the machine file need another name" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter d]\ndraws = 0\n", "expected a whole number from 1 to 10000" },
        { "[sweep]\nmodel = add\n[parameter seed]\n", "'seed' is a column" },
        { "[sweep]\nmodel = add\n[parameter sum]\n", "'sum' is a result" },
        { "[sweep]\nmodel = add\n[parameter c]\nvalues = 1\n",
          "model 'add' has no parameter 'c': say before the values" },
        { "[sweep]\nmodel = add\n[set]\nb = 1 s\n[parameter c]\nsets = [node] speed\nvalues = 1\n",
          "need a 'machine'" },
        { "[sweep]\nmodel = add\n[parameter a]\nsets = [node] speed\n", "'a' is a parameter of the model" },
        { "[sweep]\nmodel = add\npoints = 4\n[parameter b]\nvalues = 1 s\n", "'points' are for the designs" },
        { "[sweep]\nmodel = add\ndesign = sobol\n[parameter b]\nvalues = 1 s\n", "needs the number of 'points'" },
        { "[sweep]\nmodel = add\ndesign = random\n",
          "'random' is unknown, expected factorial, latin, sobol or saltelli" },
        { "[sweep]\nmodel = add\nseeds = 5, 3\n", "the second number of seeds is less" },
        { "[sweep]\nmodel = add\nseeds = 3, 5\n[parameter b]\nvalues = 1 s\n", "is for an 'interval'" },
        { "[sweep]\nmodel = add\ninterval = 2\n", "between 0 and 1" },
        { "[sweep]\nmodel = add\nresult = some\n", "model 'add' has no result 'some', only sum, drawn" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n[map]\nx = a\n",
          "there is no section [parameter a] above" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n[map]\nx = b\n", "map 'map' needs a 'y'" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n[lines]\nx = b\n[lines]\n",
          "two pictures are called 'lines'" },
        { "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n[choice]\nparameter = b\nchosen = 2 s\n",
          "does not have this value" },
        { "[sweep]\nmodel = reads\n[parameter b]\nvalues = 1 s\n", "reads: no input" },
        { "[sweep]\nmodel = reads\ninput = none.users\n[parameter b]\nvalues = 1 s\n", "none.users: No such file" },
        { "[sweep]\nmodel = add\ninput = test.sweep\n[parameter b]\nvalues = 1 s\n", "model 'add' reads no 'input'" },
        { "[sweep]\nmodel = ./none.so\n[parameter b]\nvalues = 1 s\n", "none.so" },
        { "[sweep]\nmodel = look\nmachine = none.machine\n[parameter c]\nsets = [node] speed\nvalues = 1\n",
          "none.machine: No such file" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter c]\nsets = [nodes] speed\nvalues = 1\n",
          "has no section [nodes], which parameter 'c' changes" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter c]\nscales = [node] cores\nvalues = 1\n",
          "has no 'cores' in [node], which parameter 'c' scales" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter c]\nsets = [node] spede\nvalues = 1\n",
          "has no key 'spede'" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter c]\nsets = [node] bandwidth\nvalues = 1 s\n",
          "m.machine:3:15: the unit is 's', expected one of" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter c]\nsets = [node] bandwidth\nvalues = 1 "
          "B/s\n[parameter d]\nscales = [node] bandwidth\nvalues = 2\n",
          "parameters 'c' and 'd' both change 'bandwidth'" },
        { "[sweep]\nmodel = look\nmachine = m.machine\n[parameter c]\nsets = node bandwidth\n",
          "expected a place in the machine file" },
        { "[sweep]\nmodel = add\n[parameter b]\nlinear = 1 s, 2 s\nsteps = 1000000\n[parameter a]\nlinear = 1, "
          "2\nsteps = 1000000\n",
          "points are more than 4e9" },
    };
    (void)state;
    write_text("m.machine", "# a comment\n[node]\nbandwidth = 10 MB/s   # fast\n[network]\nlatency = 1 ms\n");
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        sweep *s = open_text(list[i].text, "out.csv");
        if (s || !strstr(why, list[i].says)) fail_msg("%s\nsays: %s\nnot:  %s", list[i].text, why, list[i].says);
    }
    assert_null(open_with("none.sweep", (sweep_desc){ 0 }));
    assert_non_null(strstr(why, "none.sweep: No such file"));
}

static void numbers_of_the_machine_are_replaced(void **state)
{
    (void)state;
    write_text("m.machine", "# the first line\n[node]\nbandwidth = 10 MB/s   # fast\n\n[network]\nlatency = 1 ms\n"
                            "[operation multiply]\nrate = 100 Mflop/s\n[operation  solve]\nrate = 50 Mflop/s\n");
    sweep *s = open_text(
        "[sweep]\nmodel = look\nmachine = m.machine\n"
        "[parameter link]\nsets = [node] bandwidth\nvalues = 5 MB/s, 20 MB/s\n"
        "[parameter rates]\nscales = [operation multiply] rate, [ operation solve ] rate\nlinear = 0.5, 2\nsteps = 4\n"
        "[parameter rule]\nsets = [network] sharing\nvalues = equal, maxmin\n"
        "[parameter incoming]\nsets = [node] cpu_per_incoming\nvalues = 0.1, 0.2\n",
        "out.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 2);
    assert_int_equal(sweep_points(s), 2 * 4 * 2 * 2);
    size_t point = 0;
    for (int link = 0; link < 2; ++link)
        for (int rates = 0; rates < 4; ++rates)
            for (int rule = 0; rule < 2; ++rule)
                for (int incoming = 0; incoming < 2; ++incoming, ++point) {
                    const double scale = 0.5 + 0.5 * rates;
                    assert_equal(sweep_found(s, point, 0, 0), link ? 20e6 : 5e6);
                    assert_equal(sweep_found(s, point, 0, 1), 0.001);
                    assert_close(sweep_found(s, point, 0, 2), 100e6 * scale, 1e-12);
                    assert_close(sweep_found(s, point, 0, 3), 50e6 * scale, 1e-12);
                    assert_equal(sweep_found(s, point, 0, 4), rule);
                    assert_equal(sweep_found(s, point, 0, 5), incoming ? 0.2 : 0.1);
                }
    sweep_close(s);
    write_text("m.machine", "[node]\nbandwidth = 10 MB/s\n[node]\nbandwidth = 1 MB/s\n");
    assert_null(open_text(
        "[sweep]\nmodel = look\nmachine = m.machine\n[parameter c]\nsets = [node] bandwidth\nvalues = 1 B/s\n",
        "out.csv"));
    assert_non_null(strstr(why, "has 2 sections [node]"));
    /* a value that the machine cannot have makes its runs fail, and no others */
    write_text("m.machine", "[node]\nbandwidth = 10 MB/s\n");
    s = open_text(
        "[sweep]\nmodel = look\nmachine = m.machine\n[parameter c]\nsets = [node] cores\nvalues = 2, 2.5, 4\n",
        "out.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 1);
    assert_int_equal(sweep_progress(s).done, 2);
    assert_int_equal(sweep_progress(s).failed, 1);
    sweep_close(s);
}

/*=============================================================================
 * Designs
 *===========================================================================*/
static void factorial_designs_have_every_combination(void **state)
{
    double value[SWEEP_PARAMETERS];
    (void)state;
    sweep *s = open_text(
        "[sweep]\nmodel = add\n[parameter a]\nlinear = 1, 2\nsteps = 5\n[parameter kind]\nvalues = all, none\n"
        "[parameter b]\nlogarithmic = 1 s, 100 s\nsteps = 3\n",
        "out.csv");
    if (!s) fail_msg("%s", why);
    assert_int_equal(sweep_points(s), 30);
    for (size_t point = 0; point < 30; ++point) {
        sweep_values(s, point, value);
        assert_equal(value[0], 1 + 0.25 * (double)(point / 6));
        assert_equal(value[1], point / 3 % 2 ? 0 : 2);
        assert_equal(value[2], pow(10, (double)(point % 3)));
    }
    sweep_close(s);
    /* laws with steps have equally likely values; whole numbers come once */
    s = open_text("[sweep]\nmodel = add\n[parameter b]\nexponential = 2 s\nsteps = 4\n[parameter a]\nlinear = 1, "
                  "3\nsteps = 9\nwhole = yes\n",
                  "out.csv");
    if (!s) fail_msg("%s", why);
    assert_int_equal(sweep_points(s), 12);
    for (size_t i = 0; i < 12; ++i) {
        sweep_values(s, i, value);
        assert_close(value[0], -2 * log(1 - ((double)(i / 3) + 0.5) / 4), 1e-11);
        assert_equal(value[1], 1 + (double)(i % 3));
    }
    sweep_close(s);
}

static sweep *open_design(const char *design, int points, int count)
{
    char text[4000];
    int length = snprintf(text, sizeof text, "[sweep]\nmodel = look\nmachine = m.machine\ndesign = %s\npoints = %d\n",
                          design, points);
    write_text("m.machine", "[node]\nspeed = 1\n[operation x]\nspeed = 1\n");
    for (int i = 0; i < count; ++i)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "[parameter p%d]\nsets = [operation x] k%d\nlinear = 0, 1\n", i, i);
    sweep *s = open_text(text, "out.csv");
    if (!s) fail_msg("%s", why);
    return s;
}

/* Each of `cells` equal parts of every dimension has equally many of the points. */
static void assert_stratified(const sweep *s, size_t from, size_t points, size_t cells, int count)
{
    for (int d = 0; d < count; ++d) {
        size_t found[1024] = { 0 };
        for (size_t i = from; i < from + points; ++i) {
            double value[SWEEP_PARAMETERS];
            sweep_values(s, i, value);
            assert_in_range((uintmax_t)(value[d] * (double)cells), 0, cells - 1);
            found[(size_t)(value[d] * (double)cells)]++;
        }
        for (size_t i = 0; i < cells; ++i) assert_int_equal(found[i], points / cells);
    }
}

static void sampled_designs_fill_the_space(void **state)
{
    double value[SWEEP_PARAMETERS], other[SWEEP_PARAMETERS];
    (void)state;
    sweep *s = open_design("latin", 1000, 5);
    assert_stratified(s, 0, 1000, 1000, 5);
    double correlation = 0;
    for (size_t i = 0; i < 1000; ++i) {
        sweep_values(s, i, value);
        correlation += (value[0] - 0.5) * (value[1] - 0.5) * 12 / 1000;
    }
    assert_in_range((intmax_t)(fabs(correlation) * 1000), 0, 100); /* its standard deviation is 0.032 */
    sweep_close(s);

    s = open_design("sobol", 1024, SWEEP_PARAMETERS);
    assert_stratified(s, 0, 1024, 1024, SWEEP_PARAMETERS);
    assert_stratified(s, 256, 256, 256, SWEEP_PARAMETERS);
    /* the first two dimensions together: each box of 2^-i by 2^-(10-i) has one point */
    for (int i = 0; i <= 10; ++i) {
        unsigned char hit[1024] = { 0 };
        for (size_t k = 0; k < 1024; ++k) {
            sweep_values(s, k, value);
            hit[((size_t)(value[0] * (1 << i)) << (10 - i)) + (size_t)(value[1] * (1 << (10 - i)))]++;
        }
        for (size_t k = 0; k < 1024; ++k) assert_int_equal(hit[k], 1);
    }
    sweep_close(s);

    s = open_design("saltelli", 64, 3);
    assert_int_equal(sweep_points(s), 64 * 5);
    for (size_t row = 0; row < 64; ++row) {
        double a[SWEEP_PARAMETERS], b[SWEEP_PARAMETERS];
        sweep_values(s, row * 5, a);
        sweep_values(s, row * 5 + 1, b);
        for (size_t k = 0; k < 3; ++k) {
            sweep_values(s, row * 5 + 2 + k, other);
            for (size_t i = 0; i < 3; ++i) assert_equal(other[i], i == k ? b[i] : a[i]);
            assert_true(a[k] != b[k]);
        }
    }
    sweep_close(s);
}

static void quantiles_are_those_of_their_laws(void **state)
{
    (void)state;
    for (int i = 1; i < 2000; ++i) {
        const double part = i / 2000.0;
        sweep_parameter p = { .law = SWEEP_NORMAL, .number = { 10, 2, 0 } };
        const double normal = sweep_law_quantile(&p, part);
        assert_close(0.5 * erfc(-(normal - 10) / 2 * sqrt(0.5)), part, 1e-12);
        p = (sweep_parameter){ .law = SWEEP_LOG_NORMAL, .number = { 3, 1.5, 0 } };
        assert_close(log(sweep_law_quantile(&p, part) / 3) / log(1.5), (normal - 10) / 2, 1e-9);
        p = (sweep_parameter){ .law = SWEEP_TRIANGULAR, .number = { 1, 2, 4 } };
        const double x = sweep_law_quantile(&p, part);
        assert_close(x < 2 ? (x - 1) * (x - 1) / 3 : 1 - (4 - x) * (4 - x) / 6, part, 1e-12);
        p = (sweep_parameter){ .law = SWEEP_LOGARITHMIC, .number = { 1, 1000, 0 } };
        assert_close(log(sweep_law_quantile(&p, part)) / log(1000), part, 1e-9);
        p = (sweep_parameter){ .law = SWEEP_LINEAR, .number = { 2, 5, 0 }, .whole = true };
        assert_equal(sweep_law_value(&p, part), 2 + floor(4 * part));
    }
}

/*=============================================================================
 * Results
 *===========================================================================*/
static const char small[] =
    "[sweep]\nmodel = add\nseeds = 3\n[parameter b]\nvalues = 1 s, 2 s, 3 s\n[parameter kind]\nvalues = all, none\n";

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines of a CSV in order, each once. */
static char *sorted(const char *name)
{
    size_t length, count = 0;
    char *text = read_text(name, &length), **line = (char **)malloc((length + 1) * sizeof *line);
    for (char *token = strtok(text, "\n"); token; token = strtok(NULL, "\n")) line[count++] = token;
    qsort(line, count, sizeof *line, compare);
    char *all = (char *)calloc(length + 2, 1), *end = all;
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || strcmp(line[i], line[i - 1]) != 0) end += sprintf(end, "%s\n", line[i]);
    free(line);
    free(text);
    return all;
}

static void assert_same_results(const char *a, const char *b)
{
    char *one = sorted(a), *other = sorted(b);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

/* Every result is what the model says at this point. */
static void assert_complete(const sweep *s)
{
    for (size_t point = 0; point < sweep_points(s); ++point)
        for (size_t seed = 0; seed < sweep_seeds(s); ++seed) {
            double value[SWEEP_PARAMETERS], model[PARAMETERS] = { 5, 0, 0 }, result[2];
            char text[SWEEP_WHY];
            sweep_values(s, point, value);
            model[B] = value[0], model[KIND] = value[1];
            const sweep_point here = { model, seed + 1, NULL, NULL, text };
            assert_int_equal(add(&here, result), 0);
            for (size_t i = 0; i < 2; ++i) assert_equal(sweep_found(s, point, seed, i), result[i]);
        }
}

static void a_file_that_was_cut_off_anywhere_is_completed(void **state)
{
    (void)state;
    sweep *s = open_text(small, "whole.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 1);
    assert_complete(s);
    sweep_close(s);
    size_t length;
    char *whole = read_text("whole.csv", &length);
    for (size_t cut = 0; cut <= length; ++cut) {
        write_bytes("cut.csv", whole, cut);
        s = open_with("test.sweep", (sweep_desc){ .results = at("cut.csv") });
        if (!s) fail_msg("cut after %zu bytes: %s", cut, why);
        assert_in_range(sweep_progress(s).damaged, 0, 1);
        run_all(s, 1);
        assert_complete(s);
        sweep_close(s);
        s = open_with("test.sweep",
                      (sweep_desc){ .results = at("cut.csv") }); /* and it is all there when it is read again */
        assert_non_null(s);
        assert_int_equal(sweep_progress(s).done, 18);
        sweep_close(s);
    }
    /* two parts of which the first was cut off, one behind the other */
    for (size_t cut = 0; cut <= length; cut += 3) {
        char *glued = (char *)malloc(2 * length);
        memcpy(glued, whole, cut);
        memcpy(glued + cut, whole, length);
        write_bytes("cut.csv", glued, cut + length);
        free(glued);
        s = open_with("test.sweep", (sweep_desc){ .results = at("cut.csv") });
        if (!s) fail_msg("glued after %zu bytes: %s", cut, why);
        run_all(s, 1);
        assert_complete(s);
        assert_int_equal(sweep_progress(s).differing + sweep_progress(s).foreign, 0);
        sweep_close(s);
    }
    /* any byte that is changed makes its line useless, no more */
    simkit_random random = { 7 };
    for (int i = 0; i < 500; ++i) {
        const size_t place = (size_t)(simkit_random_uniform(&random) * (double)length);
        const char before = whole[place];
        whole[place] = (char)(' ' + simkit_random_uniform(&random) * 95);
        write_bytes("cut.csv", whole, length);
        whole[place] = before;
        s = open_with("test.sweep", (sweep_desc){ .results = at("cut.csv") });
        if (!s) fail_msg("byte %zu changed: %s", place, why);
        run_all(s, 1);
        assert_complete(s);
        sweep_close(s);
    }
    free(whole);
}

/* Whatever is in the file: nothing crashes, and its runs are made. */
static void files_of_garbage_are_read(void **state)
{
    simkit_random random = { 3 };
    char *garbage = (char *)malloc(400000);
    (void)state;
    for (int turn = 0; turn < 6; ++turn) {
        for (int i = 0; i < 400000; ++i)
            garbage[i] =
                (char)(turn < 2   ? 0
                       : turn < 4 ? simkit_random_bits(&random)
                                  : (uint64_t)(unsigned char)",\"\n1pointe-"[simkit_random_bits(&random) % 12]);
        write_bytes("garbage.csv", garbage, 400000);
        write_text("test.sweep", small);
        sweep *s = open_with("test.sweep", (sweep_desc){ .results = at("garbage.csv") });
        if (!s) fail_msg("%s", why);
        run_all(s, 1);
        assert_complete(s);
        sweep_close(s);
    }
    free(garbage);
}

static void results_of_another_sweep_are_refused(void **state)
{
    (void)state;
    sweep *s = open_text(small, "whole.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 1);
    sweep_close(s);
    write_text(
        "test.sweep",
        "[sweep]\nmodel = add\nseeds = 3\n[set]\na = 6\n[parameter b]\nvalues = 1 s\n[parameter kind]\nvalues = all\n");
    assert_null(open_with("test.sweep", (sweep_desc){ .results = at("whole.csv") }));
    assert_non_null(strstr(why, "other fixed values"));
    write_text("test.sweep", "[sweep]\nmodel = newer\n[parameter b]\nvalues = 1 s\n[parameter kind]\nvalues = all\n");
    assert_null(open_with("test.sweep", (sweep_desc){ .results = at("whole.csv") }));
    write_text("test.sweep", "[sweep]\nmodel = add\n[parameter b]\nvalues = 1 s\n");
    assert_null(open_with("test.sweep", (sweep_desc){ .results = at("whole.csv") }));
    assert_non_null(strstr(why, "other columns"));
    /* one with more values and seeds keeps what there is */
    write_text("test.sweep", "[sweep]\nmodel = add\nseeds = 4\n[parameter b]\nvalues = 3 s, 1.5 s, 1 s, 4 "
                             "s\n[parameter kind]\nvalues = none, all, some\n");
    s = open_with("test.sweep", (sweep_desc){ .results = at("whole.csv") });
    if (!s) fail_msg("%s", why);
    assert_int_equal(sweep_progress(s).done, 12);   /* of two values of b */
    assert_int_equal(sweep_progress(s).foreign, 6); /* of the third */
    run_all(s, 2);
    assert_complete(s);
    sweep_close(s);
    /* nobody else may write to it meanwhile, but it can be read */
    s = open_with("test.sweep", (sweep_desc){ .results = at("whole.csv") });
    assert_non_null(s);
    assert_null(open_with("test.sweep", (sweep_desc){ .results = at("whole.csv") }));
    assert_non_null(strstr(why, "another sweep is writing to it"));
    sweep *reader = open_with("test.sweep", (sweep_desc){ .results = at("whole.csv"), .read_only = true });
    assert_non_null(reader);
    assert_complete(reader);
    sweep_close(reader);
    sweep_close(s);
}

static void count_messages(void *user, const char *message, size_t times, size_t point, size_t seed)
{
    char *all = (char *)user;
    sprintf(all + strlen(all), "%zux %s (%zu, %zu); ", times, message, point, seed);
}

static void failed_runs_are_counted_and_do_not_end_the_sweep(void **state)
{
    char text[400] = "";
    (void)state;
    sweep *s = open_text(
        "[sweep]\nmodel = add\nseeds = 4\n[set]\nb = 3 s\n[parameter a]\nvalues = 12, 13, 14, 15, 16\n", "failed.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 1);
    assert_int_equal(sweep_progress(s).done, 10);
    assert_int_equal(sweep_progress(s).failed, 10);
    sweep_failures(s, count_messages, text);
    assert_string_equal(text, "1x a is \"13\", seed 1 (1, 0); 1x a is \"13\", seed 2 (1, 1); 4x result 'sum' is "
                              "infinite (2, 0); 4x it says no reason (3, 0); ");
    assert_nan(sweep_found(s, 1, 0, 0));
    assert_equal(sweep_found(s, 1, 2, 0), 1014);
    assert_nan(sweep_found(s, 4, 0, 1)); /* a result that this run does not have */
    sweep_close(s);
    s = open_with("test.sweep", (sweep_desc){ .results = at("failed.csv") });
    assert_int_equal(sweep_progress(s).failed, 10);
    text[0] = 0;
    sweep_failures(s, count_messages, text);
    assert_non_null(strstr(text, "1x a is \"13\", seed 1 (1, 0); "));
    sweep_close(s);
    s = open_with("test.sweep", (sweep_desc){ .results = at("failed.csv"), .retry = true });
    assert_int_equal(sweep_progress(s).failed, 0);
    run_all(s, 1);
    assert_int_equal(sweep_progress(s).failed, 10);
    assert_int_equal(sweep_progress(s).done, 10);
    /* one that is made again without failing is no longer counted with its message */
    sweep_text line = { 0 };
    double value[SWEEP_PARAMETERS];
    sweep_values(s, 1, value);
    sweep_line_make(s, &line, 1, value, 1, (double[]){ 1, 2 }, NULL);
    assert_true(sweep_results_take(s, line.text, line.length));
    sweep_text_free(&line);
    text[0] = 0;
    sweep_failures(s, count_messages, text);
    assert_null(strstr(text, "seed 2"));
    assert_int_equal(sweep_progress(s).failed, 9);
    sweep_close(s);
}

/*=============================================================================
 * Runs
 *===========================================================================*/
static const char large[] = "[sweep]\nmodel = add\nseeds = 3\ndesign = saltelli\npoints = 500\n"
                            "[parameter b]\nnormal = 20 s, 2 s\n[parameter kind]\nvalues = all, none\n[parameter "
                            "a]\nlinear = 1, 9\nwhole = yes\n";

static void everybody_gets_the_same_results(void **state)
{
    (void)state;
    sweep *s = open_text(large, "one.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 1);
    assert_int_equal(sweep_progress(s).done, 500 * 5 * 3);
    sweep_close(s);
    s = open_with("test.sweep", (sweep_desc){ .results = at("two.csv") });
    run_all(s, 2);
    sweep_close(s);
    assert_same_results("one.csv", "two.csv");

    char joined[100];
    size_t runs = 0;
    for (unsigned shard = 1; shard <= 3; ++shard) {
        snprintf(joined, sizeof joined, "shard%u.csv", shard);
        s = open_with("test.sweep", (sweep_desc){ .results = at(joined), .shard = shard, .shards = 3 });
        run_all(s, 1);
        runs += sweep_progress(s).done;
        assert_int_equal(sweep_progress(s).done, 2500);
        sweep_close(s);
    }
    assert_int_equal(runs, 7500);
    snprintf(joined, sizeof joined, "cd %s && cat shard?.csv >joined.csv", folder);
    assert_int_equal(system(joined), 0);
    assert_same_results("one.csv", "joined.csv");
    s = open_with("test.sweep", (sweep_desc){ .results = at("joined.csv") });
    assert_int_equal(sweep_progress(s).done, 7500);
    sweep_close(s);
}

static void kill_9_costs_no_more_than_a_batch(void **state)
{
    (void)state;
    sweep *s = open_text(large, "one.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 2);
    sweep_close(s);
    unlink(at("killed.csv"));
    size_t done = 0;
    for (int kill_number = 0; kill_number < 4; ++kill_number) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            naps = 300;
            s = open_with("test.sweep", (sweep_desc){ .results = at("killed.csv") });
            _exit(!s || !sweep_run(s, &(sweep_run_desc){ .threads = 2 }));
        }
        usleep(400000);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        s = open_with("test.sweep", (sweep_desc){ .results = at("killed.csv"), .read_only = true });
        assert_true(sweep_progress(s).done >= done);
        done = sweep_progress(s).done;
        sweep_close(s);
    }
    assert_true(done > 0);
    s = open_with("test.sweep", (sweep_desc){ .results = at("killed.csv") });
    run_all(s, 2);
    assert_int_equal(sweep_progress(s).done, 7500);
    assert_int_equal(sweep_progress(s).repeated, 0);
    sweep_close(s);
    assert_same_results("one.csv", "killed.csv");
}

static void a_sweep_that_is_stopped_goes_on(void **state)
{
    static int stop;
    (void)state;
    sweep *s = open_text(large, "stopped.csv");
    if (!s) fail_msg("%s", why);
    stop = 1;
    assert_false(sweep_run(s, &(sweep_run_desc){ .threads = 2, .stop = &stop }));
    assert_non_null(strstr(sweep_why(s), "stopped"));
    stop = 0;
    assert_true(sweep_run(s, &(sweep_run_desc){ .threads = 2, .stop = &stop }));
    assert_int_equal(sweep_progress(s).done, 7500);
    sweep_close(s);
}

static const char adaptive[] = "[sweep]\nmodel = add\nseeds = 5, 400\ninterval = 20 %\nresult = drawn\n[parameter "
                               "b]\nvalues = 1 s, 2 s, 5 s, 9 s\n[parameter kind]\nvalues = all, none\n";

/* Half-width of the 95 % interval over the first seeds, relative to the mean, by the textbook. */
static double relative_half(const sweep *s, size_t point, size_t seeds)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < seeds; ++i) sum += sweep_found(s, point, i, 1);
    for (size_t i = 0; i < seeds; ++i) squares += pow(sweep_found(s, point, i, 1) - sum / (double)seeds, 2);
    return netmodel_student(0.95, seeds - 1) * sqrt(squares / (double)(seeds - 1) / (double)seeds) /
           (sum / (double)seeds);
}

static void seeds_are_added_until_the_interval_is_narrow(void **state)
{
    (void)state;
    sweep *s = open_text(adaptive, "seeds.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 1);
    for (size_t point = 0; point < sweep_points(s); ++point) {
        size_t seeds = 0;
        while (seeds < sweep_seeds(s) && !isnan(sweep_found(s, point, seeds, 1))) ++seeds;
        assert_in_range(seeds, 6, 399);
        assert_true(relative_half(s, point, seeds) <= 0.2);
        assert_true(relative_half(s, point, 5) > 0.2);
        for (size_t i = seeds; i < sweep_seeds(s); ++i) assert_nan(sweep_found(s, point, i, 1));
    }
    const size_t runs = sweep_progress(s).done;
    assert_int_equal(sweep_progress(s).planned, runs);
    sweep_close(s);
    s = open_with("test.sweep", (sweep_desc){ .results = at("more.csv") });
    run_all(s, 2);
    sweep_close(s);
    assert_same_results("seeds.csv", "more.csv");
    char name[100];
    for (unsigned shard = 1; shard <= 3; ++shard) {
        snprintf(name, sizeof name, "part%u.csv", shard);
        s = open_with("test.sweep", (sweep_desc){ .results = at(name), .shard = shard, .shards = 3 });
        run_all(s, 1);
        sweep_close(s);
    }
    snprintf(name, sizeof name, "cd %s && cat part?.csv >joined.csv", folder);
    assert_int_equal(system(name), 0);
    assert_same_results("seeds.csv", "joined.csv");
    s = open_with("test.sweep", (sweep_desc){ .results = at("joined.csv") }); /* nothing is missing */
    assert_int_equal(sweep_progress(s).planned, runs);
    assert_int_equal(sweep_progress(s).done, runs);
    sweep_close(s);
    /* cut in the middle, it gets there again */
    size_t length;
    char *whole = read_text("seeds.csv", &length);
    for (size_t cut = length / 7; cut < length; cut += length / 7) {
        write_bytes("cut.csv", whole, cut);
        s = open_with("test.sweep", (sweep_desc){ .results = at("cut.csv") });
        run_all(s, 2);
        assert_int_equal(sweep_progress(s).done, runs);
        sweep_close(s);
    }
    free(whole);
}

/* However few points and batches there are, and however many seeds each gets. */
static void intervals_of_few_points_are_reached(void **state)
{
    (void)state;
    for (int points = 1; points <= 3; ++points)
        for (unsigned threads = 1; threads <= 3; ++threads) {
            char text[300];
            snprintf(
                text, sizeof text,
                "[sweep]\nmodel = add\ninterval = 5 %%\nresult = drawn\nseeds = 2, 3000\n[parameter b]\nvalues = %s\n",
                points == 1   ? "1 s"
                : points == 2 ? "1 s, 2 s"
                              : "1 s, 2 s, 3 s");
            sweep *s = open_text(text, "few.csv");
            if (!s) fail_msg("%s", why);
            run_all(s, threads);
            assert_int_equal(sweep_progress(s).done, sweep_progress(s).planned);
            assert_int_equal(sweep_wide(s), 0);
            sweep_close(s);
        }
    /* more seeds than the usual maximum; a point whose runs all fail gets no more; one that does not get there is counted */
    sweep *s =
        open_text("[sweep]\nmodel = add\ninterval = 50 %\nseeds = 2000\n[parameter b]\nvalues = 1 s\n", "few.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 2);
    assert_int_equal(sweep_progress(s).done, 2000);
    sweep_close(s);
    s = open_text("[sweep]\nmodel = add\ninterval = 1 %\nresult = drawn\nseeds = 5, 20\n[set]\nb = 1 s\n[parameter "
                  "a]\nvalues = 1, 15\n",
                  "few.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 1);
    assert_int_equal(sweep_progress(s).done, 20);
    assert_int_equal(sweep_progress(s).failed, 5);
    assert_int_equal(sweep_wide(s), 1);
    sweep_close(s);
}

/* Runs get longer all of a sudden: a batch then ends, and others get what is left of it. */
static void long_batches_end(void **state)
{
    (void)state;
    sweep *s = open_text("[sweep]\nmodel = add\nseeds = 4000\n[parameter kind]\nvalues = none, all\n[set]\nb = 1 s\n",
                         "long.csv");
    if (!s) fail_msg("%s", why);
    for (int turn = 0; turn < 2; ++turn) {
        uint64_t run[100];
        sweep_deal_begin(s);
        assert_int_equal(sweep_deal(s, run, 100), 100);
        assert_int_equal(sweep_progress(s).planned, 8000);
        sweep_deal_back(s, run + 10, 90);
        uint64_t again[100];
        assert_int_equal(sweep_deal(s, again, 100), 100);
        assert_int_equal(again[0], run[10]);
        assert_int_equal(again[99], run[99] + 10);
    }
    sweep_close(s);
}

static void a_model_that_has_changed_is_found_out(void **state)
{
    (void)state;
    sweep *s = open_text(small, "changed.csv");
    if (!s) fail_msg("%s", why);
    run_all(s, 1);
    sweep_close(s);
    write_text("test.sweep", "[sweep]\nmodel = add\nseeds = 4\n[parameter b]\nvalues = 1 s, 2 s, 3 s\n[parameter "
                             "kind]\nvalues = all, none\n");
    s = open_with("test.sweep", (sweep_desc){ .results = at("changed.csv") });
    changed = 1;
    assert_false(sweep_run(s, &(sweep_run_desc){ .threads = 1 }));
    changed = 0;
    if (!strstr(sweep_why(s), "the model has changed")) fail_msg("%s", sweep_why(s));
    run_all(s, 1);
    assert_complete(s);
    sweep_close(s);
}

static void a_model_that_does_not_repeat_itself_is_found_out(void **state)
{
    (void)state;
    sweep *s = open_text(small, "seeds.csv");
    if (!s) fail_msg("%s", why);
    sweep_text line = { 0 };
    double value[SWEEP_PARAMETERS];
    run_all(s, 1);
    sweep_values(s, 2, value);
    sweep_line_make(s, &line, 2, value, 1, (double[]){ 1, 2 }, NULL);
    assert_true(sweep_results_take(s, line.text, line.length));
    assert_int_equal(sweep_progress(s).differing, 1);
    sweep_text_free(&line);
    sweep_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_they_were_written),
        cmocka_unit_test(mistakes_in_files_are_explained),
        cmocka_unit_test(numbers_of_the_machine_are_replaced),
        cmocka_unit_test(factorial_designs_have_every_combination),
        cmocka_unit_test(sampled_designs_fill_the_space),
        cmocka_unit_test(quantiles_are_those_of_their_laws),
        cmocka_unit_test(a_file_that_was_cut_off_anywhere_is_completed),
        cmocka_unit_test(files_of_garbage_are_read),
        cmocka_unit_test(results_of_another_sweep_are_refused),
        cmocka_unit_test(failed_runs_are_counted_and_do_not_end_the_sweep),
        cmocka_unit_test(everybody_gets_the_same_results),
        cmocka_unit_test(kill_9_costs_no_more_than_a_batch),
        cmocka_unit_test(a_sweep_that_is_stopped_goes_on),
        cmocka_unit_test(seeds_are_added_until_the_interval_is_narrow),
        cmocka_unit_test(intervals_of_few_points_are_reached),
        cmocka_unit_test(long_batches_end),
        cmocka_unit_test(a_model_that_has_changed_is_found_out),
        cmocka_unit_test(a_model_that_does_not_repeat_itself_is_found_out),
    };
    return cmocka_run_group_tests_name("sweep", tests, make_folder, remove_folder);
}
