/* calibrate: the values that it makes of samples, disturbed ones among them, with their errors; and what it finds of a machine that is
 * simulated, and how far off it says that a file is. */
#include "programs.h"

#include "netmodel.h"
#include "util/netmodel_fit.h"

#include "../../examples/messages/programs/calibrate_estimate.h"

static uint32_t drawn = 1;

static double unit(void)
{
    return centre_unit(&drawn);
}

static double normal(void)
{
    return sqrt(-2 * log(unit() + 1e-12)) * cos(6.283185307179586 * unit());
}

/* As usual as the undisturbed ones are: up to three tenths of all are up to ten times as long. */
static void centres_of_disturbed_times(void **state)
{
    (void)state;
    for (int tenths = 0; tenths <= 3; ++tenths) {
        double sum = 0;
        enum { TRIALS = 200, TIMES = 20 };
        for (int trial = 0; trial < TRIALS; ++trial) {
            double times[TIMES];
            for (int i = 0; i < TIMES; ++i)
                times[i] = (1 + 0.02 * normal()) * (unit() < 0.1 * tenths ? 1 + 9 * unit() : 1);
            sum += centre_of(times, TIMES) / TRIALS;
        }
        assert_true(fabs(sum - 1) < 0.01);
    }
    double same[4] = { 2, 2, 2, 7 }, one[1] = { 3 }, two[2] = { 5, 4 };
    assert_true(fabs(centre_of(same, 4) - 2) < 1e-12);
    assert_true(fabs(centre_of(one, 1) - 3) < 1e-12);
    assert_true(fabs(centre_of(two, 2) - 4) < 1e-12);
    assert_true(isnan(centre_of(two, 0)));
}

/* The parameters of a machine that is made up, and what calibrate would measure of it. */
static const double latency = 20e-6, watch = 10e-6, wake = 15e-6, bandwidth = 1.2e6, header = 80, send = 100e-6,
                    receive = 50e-6;
static const double part = 0.1, part_receive = 0.2;

static double noisy(double noise, double disturbed)
{
    return (1 + noise * normal()) * (unit() < disturbed ? 1 + 4 * unit() : 1);
}

static void samples_of(samples *s, int pairs, int rounds, double noise, double disturbed)
{
    const double processed = part * send + part_receive * receive,
                 half = processed + latency + watch + wake + header / bandwidth;
    memset(s, 0, sizeof *s);
    s->eager = 65472;
    for (int i = 0; i < 9; ++i) samples_add(s, LOOK_ONE, 0, -1, -1, 1e-6);
    for (int round = 0; round < rounds; ++round) {
        for (int pair = 0; pair < pairs; ++pair) {
            for (int k = 0; k < SIZES; ++k) {
                const double bytes = sizes[k] < LARGE ? 0 : sizes[k] / bandwidth;
                if (sizes[k] < ASKED) {
                    samples_add(s, SEND_CPU, k, pair, round, (send + sizes[k] / 1e9) * noisy(noise, disturbed));
                    samples_add(s, RECEIVE_CPU, k, pair, round, (receive + sizes[k] / 1e9) * noisy(noise, disturbed));
                }
                samples_add(s, TRIP_CPU, k, pair, round,
                            (processed + watch + sizes[k] / 3e8) * noisy(noise, disturbed));
                for (int i = 0; i < 3; ++i)
                    samples_add(s, HALF, k, pair, round, (half + bytes) * noisy(noise, disturbed));
            }
            for (int i = 0; i < 6; ++i) {
                samples_add(s, LONG_CPU, 0, pair, round, (processed + watch) * noisy(noise, disturbed));
                samples_add(s, POLLED, 0, pair, round,
                            (processed + latency + header / bandwidth) * noisy(noise, disturbed));
                samples_add(s, SHORT_TRIP, 0, pair, round, (SHORT + header) / bandwidth * noisy(noise / 10, disturbed));
                samples_add(s, MIDDLE_TRIP, 0, pair, round,
                            (MIDDLE + header) / bandwidth * noisy(noise / 10, disturbed));
                samples_add(s, LONGER_TRIP, 0, pair, round,
                            (LONGER + header) / bandwidth * noisy(noise / 10, disturbed));
            }
        }
        samples_add(s, SEND_CPU_TOGETHER, 0, -1, round, part * send * noisy(noise, disturbed));
        samples_add(s, NEAR_CPU, 0, -1, round, (part * send + part_receive * receive + 2e-6) * noisy(noise, disturbed));
        samples_add(s, LOOK_ALL, 0, -1, round, 1e-6);
    }
}

static void values_of_samples(void **state)
{
    double v[VALUES];
    samples s;
    (void)state;
    samples_of(&s, 2, 4, 0, 0);
    assert_int_equal(calibrate_derive(&s, NULL, v), 1);
    assert_true(fabs(v[BANDWIDTH] / bandwidth - 1) < 1e-6);
    assert_true(fabs(v[HEADER_BYTES] - header) < 1e-3);
    assert_true(fabs(v[SEND] - send) < 1e-9 && fabs(v[RECEIVE] - receive) < 1e-9);
    assert_true(fabs(v[REPEATED] - part) < 1e-6 && fabs(v[REPEATED_RECEIVE] - part_receive) < 1e-3);
    assert_true(fabs(v[WATCH] - watch) < 1e-8);
    /* Half a round trip is known, and what it consists of adds up to it. */
    const double processed = v[REPEATED] * v[SEND] + v[REPEATED_RECEIVE] * v[RECEIVE];
    const double on_links = fmax(v[HEADER_BYTES] - v[BURST], 0) / v[BANDWIDTH];
    assert_true(fabs(processed + on_links + v[LATENCY] + v[WATCH] + v[WAKE] - v[HALF_TRIP]) < 1e-9);
    free(s.of);
    /* Where links are not what round trips wait for, nothing is known of headers. */
    samples_of(&s, 2, 4, 0, 0);
    for (size_t i = 0; i < s.count; ++i)
        if (s.of[i].kind == LONGER_TRIP) s.of[i].seconds += 0.5 * (LONGER - SHORT) / bandwidth;
    assert_int_equal(calibrate_derive(&s, NULL, v), 1);
    assert_true(v[HEADER_BYTES] >= 0 && v[HEADER_BYTES] <= 0);
    free(s.of);
}

/* A quarter of all samples disturbed: half a round trip stays right, and 90 % intervals hold. */
static void errors_of_samples(void **state)
{
    enum { TRIALS = 40 };
    int held = 0, near = 0, with[VALUES];
    double v[VALUES], error[VALUES], correlation[VALUES], exact[VALUES];
    samples s;
    (void)state;
    for (int k = 0; k < VALUES; ++k) with[k] = VALUES;
    with[WAKE] = LATENCY;
    samples_of(&s, 1, 1, 0, 0);
    assert_int_equal(calibrate_derive(&s, NULL, exact), 1);
    assert_int_equal(calibrate_errors(&s, with, error, correlation), 1);
    for (int k = 0; k < VALUES; ++k) assert_true(error[k] >= 0 && error[k] <= 0); /* nothing is known of one cell */
    free(s.of);
    for (int trial = 0; trial < TRIALS; ++trial) {
        samples_of(&s, 2, 5, 0.03, 0.25);
        assert_int_equal(calibrate_derive(&s, NULL, v), 1);
        assert_int_equal(calibrate_errors(&s, with, error, correlation), 1);
        held += fabs(v[HALF_TRIP] - exact[HALF_TRIP]) <= 1.645 * error[HALF_TRIP];
        near += fabs(v[HALF_TRIP] / exact[HALF_TRIP] - 1) <= 0.05 && fabs(v[BANDWIDTH] / exact[BANDWIDTH] - 1) <= 0.05;
        for (int k = 0; k < VALUES; ++k) assert_true(correlation[k] >= -1 && correlation[k] <= 1);
        free(s.of);
    }
    assert_true(held >= 30);
    assert_int_equal(near, TRIALS);
}

/* On a simulated machine: what messages take on the way is found, and CPU time is that of this processor. */
static void finds_a_simulated_machine(void **state)
{
    static const char text[] =
        "[machine]\neager = 64 KiB\nearly = 60 kB\nbuffer = 50 kB\nheader = 90 B\nlook = 1 us\nprogress = calls\n"
        "[network]\nlatency = 200 us\nsharing = maxmin\n[node node]\ncount = 4\nbandwidth = 2 MB/s\nburst = 1600 B\n"
        "wake = 40 us\n";
    char command[600], *found, *at;
    (void)state;
#ifdef TESTS_SLOW
    skip(); /* minutes with a sanitizer */
#endif
    snprintf(command, sizeof command, "../../simrun -np 4 --compute none %.300s/calibrate --seconds 20", programs);
    run_on(text, "", command);
    assert_int_equal(status, 0);
    found = strdup(output);
    assert_non_null(found);
    const struct {
        const char *name;
        double value, off;
    } values[] = { { "\nlatency = ", 200, 0.02 },
                   { "\nheader = ", 90, 0.02 },
                   { "\nbandwidth = ", 2, 0.01 },
                   { "\neager = ", 65536, 0.01 } };
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        at = strstr(found, values[i].name);
        assert_non_null(at);
        const double value = strtod(at + strlen(values[i].name), NULL);
        if (fabs(value / values[i].value - 1) > values[i].off)
            fail_msg("%s%g, expected %g", values[i].name + 1, value, values[i].value);
    }
    /* What it has written is a machine file, on which patterns take as long as on the first one. */
    char patterns[] = "/tmp/patterns.XXXXXX";
    const int made = mkstemp(patterns);
    assert_true(made >= 0);
    close(made);
    snprintf(command, sizeof command, "../../simrun -np 4 --compute none %.300s/calibrate --patterns %s", programs,
             patterns);
    run_on(text, "", command);
    assert_int_equal(status, 0);
    snprintf(command, sizeof command, "../../simrun -np 4 --compute none %.300s/calibrate --check %s", programs,
             patterns);
    run_on(text, "", command);
    assert_int_equal(status, 0);
    assert_non_null(strstr(output, "mean |error| 0.0 %, at most 0.0 %"));
    run_on(found, "", command);
    assert_int_equal(status, 0);
    at = strstr(output, "mean |error| ");
    assert_non_null(at);
    assert_true(strtod(at + 13, NULL) < 0.5);
    snprintf(command, sizeof command, "../../simrun -np 3 --compute none %.300s/calibrate --check %s", programs,
             patterns);
    run_on(text, "", command);
    assert_int_not_equal(status, 0);
    assert_non_null(strstr(errors, "has the times of 4 ranks, and these are 3"));
    unlink(patterns);
    free(found);
}

/* Small messages that a link passes at once are in no queue: neighbours that exchange them do not wait for one. */
static void what_passes_at_once_is_in_no_queue(void **state)
{
    double times[2];
    (void)state;
#ifdef TESTS_SLOW
    skip();
#endif
    for (int i = 0; i < 2; ++i) {
        char text[300], command[500];
        snprintf(
            text, sizeof text,
            "[machine]\neager = 64 KiB\nbuffer = 50 kB\nqueue = %d B\n[network]\nlatency = 50 us\nsharing = maxmin\n"
            "[node node]\ncount = 4\nbandwidth = 1 MB/s\nburst = 4 kB\n",
            i ? 2000 : 0);
        snprintf(command, sizeof command, "../../simrun -np 4 --compute none %.300s/calibrate --patterns -", programs);
        run_on(text, "", command);
        assert_int_equal(status, 0);
        const char *at = strstr(output, "\nexchange 64 ");
        assert_non_null(at);
        times[i] = strtod(at + 13, NULL);
    }
    assert_true(times[0] > 0 && fabs(times[1] / times[0] - 1) < 1e-3);
}

static void mistakes_of_options(void **state)
{
    static const char *const cases[][2] = {
        { "--sekonds 3", "calibrate: --sekonds: unknown option; the options are --out" },
        { "--seconds", "calibrate: --seconds: expected a value" },
        { "--seconds -1", "calibrate: --seconds: expected a number from 0 to 1e9" },
        { "--precision x", "calibrate: --precision: expected a number from 0 to 1e9" },
        { "--hosts 0", "calibrate: --hosts: expected a number of processors" },
        { "--hosts 2.5", "calibrate: --hosts: expected a whole number" },
        { "--patterns a --check b", "calibrate: --check: expected no --patterns beside it" },
        { "--check /nowhere", "calibrate: --check: cannot read '/nowhere'" },
        { "--check /dev/null", "calibrate: --check: '/dev/null': expected what --patterns writes" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char command[600];
        snprintf(command, sizeof command, "calibrate %s", cases[i][0]);
        run_on(ether, "SIMKIT_NP=2", command);
        assert_int_not_equal(status, 0);
        assert_non_null(strstr(errors, cases[i][1]));
    }
    run_on(ether, "SIMKIT_NP=1", "calibrate");
    assert_non_null(strstr(errors, "calibrate: expected at least two ranks, each on a host of its own"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centres_of_disturbed_times),
        cmocka_unit_test(values_of_samples),
        cmocka_unit_test(errors_of_samples),
        cmocka_unit_test(finds_a_simulated_machine),
        cmocka_unit_test(what_passes_at_once_is_in_no_queue),
        cmocka_unit_test(mistakes_of_options),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
