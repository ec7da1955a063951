/* Room populations of util/simkit_users.h: what users files may say, what every error in one is called, and that no memory is lost, of
 * traces too, when there is none. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "world.h"
#include "hook.h"

#include <unistd.h>

static simkit_parse_error error;

static const char everything[] = "# an office\n"
                                 "[day]\n"
                                 "length = 24 h\n"
                                 "begin = 9 h\n"
                                 "[arrivals mail]\n"
                                 "rate = 10 /h, 20 /h, 0.5 /min, 0.01 /s   # by quarters of the day\n"
                                 "scale = 1, 1, 2, 1\n"
                                 "demand = hyperexponential 0.9: 200 ms, 0.1: 5 s\n"
                                 "nice = 5\n"
                                 "nodes = 1-2, 4\n"
                                 "[arrivals cron]\n"
                                 "rate = 1 /min\n"
                                 "scale = 3\n"
                                 "demand = pareto 1.1: 0.1 s, 100 s\n"
                                 "[user programmer]\n"
                                 "begin = 9.5 h\n"
                                 "end = 17 h\n"
                                 "copies = 2\n"
                                 "nodes = 2\n"
                                 "[state edit]\n"
                                 "think = exponential 20 s\n"
                                 "demand = constant 50 ms\n"
                                 "next = compile 0.3, edit 0.6, logout 0.1\n"
                                 "[state compile]\n"
                                 "demand = sample 1 s, 2 s, 10 s\n"
                                 "nice = -5\n"
                                 "next = edit 1\n"
                                 "[user visitor]\n"
                                 "[state look]\n"
                                 "think = constant 1 s\n"
                                 "demand = exponential 1 s\n";

static simkit_population *population_of(const char *text)
{
    simkit_population *population = NULL;
    if (simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &population,
                               &error) != SIMKIT_OK)
        fail_msg("%s", error.text);
    return population;
}

/* What it becomes is what the calls of room users would make of it. */
static void a_population_is_what_the_calls_would_make(void **state)
{
    (void)state;
    static const double means[] = { 0.2, 5 }, chances[] = { 0.9, 0.1 }, sample[] = { 1, 2, 10 };
    static const double rates[] = { 10.0 / 3600, 20.0 / 3600, 0.5 / 60, 0.01 }, scales[] = { 1, 1, 2, 1 };
    static const double from_edit[] = { 0.6, 0.3 }, from_compile[] = { 1, 0 };
    static const simkit_user_state states[] = {
        { "edit", { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 20 }, { .mean = 0.05 }, 0, from_edit },
        { "compile", { .mean = 0 }, { .law = SIMKIT_LAW_SAMPLE, .values = sample, .count = 3 }, -5, from_compile }
    };
    static const simkit_user_state look = {
        "look", { .mean = 1 }, { .law = SIMKIT_LAW_EXPONENTIAL, .mean = 1 }, 0, NULL
    };
    simkit_population *population = population_of(everything);
    for (size_t place = 1; place <= 4; ++place) {
        simkit_source_tally tallies[2];
        for (int way = 0; way < 2; ++way) {
            simkit_world *w = NULL;
            simkit_node node;
            assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
            assert_int_equal(simkit_node_add(w, NULL, &node), SIMKIT_OK);
            if (way == 0) {
                assert_int_equal(simkit_population_start(w, population, place, node), SIMKIT_OK);
            } else {
                const uint64_t stream = (uint64_t)place << 16;
                if (place != 3)
                    succeeds(
                        simkit_arrivals_start(w,
                                              &(simkit_arrivals_desc){ .node = node,
                                                                       .rate = 1,
                                                                       .profile = rates,
                                                                       .demand_profile = scales,
                                                                       .parts = 4,
                                                                       .time_of_day = 9 * 3600,
                                                                       .nice = 5,
                                                                       .stream = stream,
                                                                       .demand = { .law = SIMKIT_LAW_HYPEREXPONENTIAL,
                                                                                   .values = means,
                                                                                   .weights = chances,
                                                                                   .count = 2 } },
                                              NULL));
                const double three[] = { 3 };
                succeeds(simkit_arrivals_start(
                    w,
                    &(simkit_arrivals_desc){
                        .node = node,
                        .rate = 1.0 / 60,
                        .demand_profile = three,
                        .parts = 1,
                        .time_of_day = 9 * 3600,
                        .stream = stream + 1,
                        .demand = { .law = SIMKIT_LAW_PARETO, .shape = 1.1, .minimum = 0.1, .maximum = 100 } },
                    NULL));
                for (uint64_t copy = 0; place == 2 && copy < 2; ++copy)
                    succeeds(simkit_user_start(w,
                                               &(simkit_user_desc){ .node = node,
                                                                    .states = states,
                                                                    .count = 2,
                                                                    .begin = 1800,
                                                                    .end = 8 * 3600,
                                                                    .stream = (stream + 2) << 20 | copy },
                                               NULL));
                succeeds(simkit_user_start(
                    w, &(simkit_user_desc){ .node = node, .states = &look, .count = 1, .stream = (stream + 3) << 20 },
                    NULL));
            }
            assert_int_equal(simkit_world_run_until(w, 12 * 3600), SIMKIT_OK);
            tallies[way] = simkit_source_progress(w, 0);
            if (way == 0) assert_true(simkit_load_average(w, node, 0.99999, 1) > 0);
            simkit_world_close(w);
        }
        assert_true(tallies[0].begun > 300);
        assert_memory_equal(&tallies[0], &tallies[1], sizeof *tallies);
    }
    simkit_population_close(population);
}

static char names_seen[256];

static void see_name(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)user;
    (void)w;
    if (event->phase == SIMKIT_PHASE_BEGIN)
        snprintf(names_seen + strlen(names_seen), sizeof names_seen - strlen(names_seen), "%g %s\n", event->time,
                 event->name);
}

/* Each law has the mean of the distribution that its comment says. */
static void laws_are_what_the_calls_would_take(void **state)
{
    static const struct {
        const char *text;
        simkit_distribution is;
    } laws[] = {
        { "normal 2 s, 500 ms", { .law = SIMKIT_LAW_NORMAL, .mean = 2, .deviation = 0.5 } },
        { "lognormal 2 s, 1 s", { .law = SIMKIT_LAW_LOGNORMAL, .mean = 2, .deviation = 1 } },
        { "gamma 2.5: 2 s", { .law = SIMKIT_LAW_GAMMA, .shape = 2.5, .mean = 2 } },
        { "erlang 3: 2 s", { .law = SIMKIT_LAW_ERLANG, .shape = 3, .mean = 2 } },
        { "weibull 1.5: 2 s", { .law = SIMKIT_LAW_WEIBULL, .shape = 1.5, .scale = 2 } },
        { "triangular 1 s, 2 s, 4 s", { .law = SIMKIT_LAW_TRIANGULAR, .minimum = 1, .mode = 2, .maximum = 4 } },
        { "uniform 1 s, 3 s", { .law = SIMKIT_LAW_UNIFORM, .minimum = 1, .maximum = 3 } },
        { "pareto 2.5: 1 s, 3 min", { .law = SIMKIT_LAW_PARETO, .shape = 2.5, .minimum = 1, .maximum = 180 } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i) {
        char text[200];
        snprintf(text, sizeof text, "[arrivals a]\nrate = 1 /s\ndemand = %s\n", laws[i].text);
        simkit_population *population = population_of(text);
        simkit_world *w = NULL;
        simkit_node node = 0;
        assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
        assert_int_equal(simkit_node_add(w, &(simkit_node_desc){ .cores = 10000 }, &node), SIMKIT_OK);
        assert_int_equal(simkit_population_start(w, population, 1, node), SIMKIT_OK);
        assert_int_equal(simkit_world_run_until(w, 10000), SIMKIT_OK);
        const simkit_source_tally tally = simkit_source_progress(w, 0);
        assert_close(tally.demand / (double)tally.ended, simkit_distribution_mean(&laws[i].is), 0.03);
        simkit_world_close(w);
        simkit_population_close(population);
    }
}

/* A background process has the name of its stream, or of the state that its user is in. */
static void background_processes_have_names(void **state)
{
    static const char text[] = "[arrivals mail]\nrate = 1 /s\ndemand = constant 1 s\n"
                               "[user u]\n[state edit]\nthink = constant 1 s\ndemand = constant 1 s\nnext = build 1\n"
                               "[state build]\nthink = constant 2 s\ndemand = constant 1 s\n";
    simkit_population *population = population_of(text);
    simkit_node node = 0;
    (void)state;
    simkit_world *w = NULL;
    assert_int_equal(simkit_world_open(NULL, &w), SIMKIT_OK);
    assert_int_equal(simkit_node_add(w, &(simkit_node_desc){ .cores = 100 }, &node), SIMKIT_OK);
    assert_int_equal(simkit_watch_add(w, SIMKIT_WATCH_COMPUTE, see_name, NULL), SIMKIT_OK);
    assert_int_equal(simkit_population_start(w, population, 1, node), SIMKIT_OK);
    names_seen[0] = 0;
    assert_int_equal(simkit_world_run_until(w, 6), SIMKIT_OK);
    assert_non_null(strstr(names_seen, "1 edit\n"));
    assert_non_null(strstr(names_seen, "4 build\n")); /* 1 s of thought, 1 s of work, 2 s of thought */
    assert_non_null(strstr(names_seen, " mail\n"));
    assert_null(strstr(names_seen, " \n"));
    simkit_world_close(w);
    simkit_population_close(population);
}

static void wrong_users_files(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        { "rate = 1 /h", "u:1:1: key 'rate' is before the first [section]" },
        { "[dogs rex]", "u:1:2: 'dogs' is unknown, expected arrivals, user, trace, sessions, day or state" },
        { "[arrivals]", "u:1:10: expected a name" },
        { "[arrivals a", "u:1:12: expected ']'" },
        { "[arrivals a]\nrate 1", "u:2:6: expected '=' after 'rate'" },
        { "[arrivals a]\nrote = 1", "u:2:1: section [arrivals] has no key 'rote', only rate, scale, demand, nice, nodes" },
        { "[arrivals a]\nrate = 1 s", "u:2:10: the unit is 's', expected one of: /s, /min, /h" },
        { "[arrivals a]\nrate = -1 /s", "u:2:8: expected a number >= 0" },
        { "[arrivals a]\nrate = 1 /s\nrate = 1 /s", "u:3:1: duplicate key 'rate', first set in line 2" },
        { "[arrivals a]\nrate = 1 /s, 2 /s\nscale = 1, 2, 3", "u:1:1: stream 'a' has 2 rates, but 3 scales" },
        { "[arrivals a]\n[day]\nlength = 0 s", "u:3:10: 'length' is 0, expected a number > 0" },
        { "[day]\nlength = 24 h\n[arrivals a]\n[day]\nlength = 24 h",
          "u:5:1: duplicate key 'length', first set in line 2" },
        { "\n[arrivals a]\nrate = 2e6 /s\ndemand = constant 1 s",
          "u:2:1: stream 'a' has up to 2000000 processes per second, expected at most 1e6" },
        { "[arrivals a]\nrate = 1 /s, 2 /s\ndemand = constant 1 s\n[day]\nlength = 1e15 s",
          "u:1:1: stream 'a' has parts of the day of 5e+14 s, expected 1e-6 to 1e12 s" },
        { "\n[arrivals a]\n\n", "u:2:1: stream 'a' has no rate" },
        { "[arrivals a]\nrate = 1 /s\n", "u:1:1: stream 'a' has no demand" },
        { "[arrivals a]\ndemand = poisson 1 s",
          "u:2:10: \'poisson\' is unknown, expected constant, exponential, hyperexponential, pareto, sample, normal, "
          "lognormal, gamma, erlang, weibull, triangular or uniform" },
        { "[arrivals a]\ndemand = normal 1 s", "u:2:20: expected ',' and the standard deviation" },
        { "[arrivals a]\ndemand = lognormal 1 s, 1e9 s", "u:2:10: the deviation is more than 1e6 times the mean" },
        { "[arrivals a]\ndemand = gamma 2", "u:2:17: expected ':' and the mean" },
        { "[arrivals a]\ndemand = erlang 2.5: 1 s", "u:2:10: the shape is not a whole number from 1 to 1e9" },
        { "[arrivals a]\ndemand = weibull 2", "u:2:19: expected ':' and the scale" },
        { "[arrivals a]\ndemand = triangular 1 s", "u:2:24: expected ',' and the mode" },
        { "[arrivals a]\ndemand = triangular 1 s, 3 s, 2 s",
          "u:2:10: the mode is not between the minimum and the maximum" },
        { "[arrivals a]\ndemand = uniform 2 s, 1 s", "u:2:10: the maximum is less than the minimum or not finite" },
        { "[arrivals a]\ndemand = exponential 0 s", "u:2:10: the mean is not positive and finite" },
        { "[arrivals a]\ndemand = pareto 2", "u:2:18: expected ':' and the minimum" },
        { "[arrivals a]\ndemand = hyperexponential 1 s", "u:2:29: the unit is 's', expected one of: none, %" },
        { "[arrivals a]\ndemand = hyperexponential 1: 2 s, 2", "u:2:36: expected ':' and a mean" },
        { "[arrivals a]\ndemand = hyperexponential 0.9: 2 s, 0.01: 3 s",
          "u:2:10: the probabilities sum to 0.91, expected 1" },
        { "[arrivals a]\ndemand = constant 1 s 2", "u:2:23: expected the end of the line" },
        { "[arrivals a]\nnice = 20", "u:2:8: expected a whole number from -20 to 19" },
        { "[arrivals a]\nnice = 0.5", "u:2:8: expected a whole number from -20 to 19" },
        { "[arrivals a]\nnodes = 3-2", "u:2:9: nodes 3-2, expected whole numbers from 1 to 1e9 in order" },
        { "[arrivals a]\nnodes = 0", "u:2:9: nodes 0-0, expected whole numbers from 1 to 1e9 in order" },
        { "[state a]", "u:1:1: state 'a' is not under a [user]" },
        { "[user a]\n[arrivals b]", "u:1:1: user 'a' has no states" },
        { "[user a]\nend = 1 h\nbegin = 2 h\n[state s]\n", "u:1:1: user 'a' ends at 3600 s, but begins at 7200 s" },
        { "[user a]\n[state logout]", "u:2:1: 'logout' is reserved: it ends the user's session" },
        { "[arrivals a]\nrate = 1 /s\ndemand = pareto 1e-9: 1 s", "u:3:10: the shape is not finite and 0.01 or more" },
        { "[user a]\n[state s]\n[state s]", "u:3:1: user 'a' has a state 's' already" },
        { "[user a]\n[state s]\nnext = t 1", "u:3:8: user 'a' has no state 't'" },
        { "[user a]\n[state s]\nthink = constant 1 s\nnext = s 0.5",
          "u:2:1: the probabilities after state 's' sum to 0.5, expected 1" },
        { "[user a]\n[state s]\ndemand = constant 1 s\nnext = s 1",
          "u:2:1: state 's' of user 'a' is on a cycle of states without think time" },
        { "[user a]\n[state s]\nthink = constant 1 s\nnext = t 1\n[state t]\nnext = v 0.5, s 0.5\n[state v]\nnext = t "
          "1",
          "u:7:1: state 'v' of user 'a' is on a cycle of states without think time" },
        { "[trace a]\nscale = 0", "u:2:9: 'scale' is 0, expected a number > 0" },
        { "[trace a]\n", "u:1:1: trace 'a' has no file" },
        { "[trace a]\nfile = /no/such.csv", "/no/such.csv: the file cannot be read: No such file or directory" },
        { "[sessions a]\nuser = b", "u:2:8: there is no user 'b' above" },
        { "[sessions a]\n", "u:1:1: sessions 'a' have no file" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        simkit_population *population = (simkit_population *)&error;
        const simkit_result expected = strstr(wrong[i][0], "such") ? SIMKIT_NO_FILE : SIMKIT_BAD_FILE;
        memset(&error, 0, sizeof error);
        assert_int_equal(
            simkit_population_read(&(simkit_input){ .text = wrong[i][0], .length = strlen(wrong[i][0]), .name = "u" },
                                   &population, &error),
            expected);
        assert_null(population);
        assert_string_equal(error.text, wrong[i][1]);
    }
    assert_int_equal(simkit_population_read(&(simkit_input){ .text = NULL, .length = 0 }, NULL, NULL),
                     SIMKIT_BAD_ARGUMENT);
    simkit_population_close(NULL);
}

static char directory[64];

/* The line that says one state too many is where a users file is refused, whatever comes behind it. Names are found at a
 * cost that does not grow with their number, so all is read: the first of two users of one name is meant by it, and a
 * thousand states in a row, of which each is followed by the one before, are a graph like any other. */
static void many_states_and_users(void **state)
{
    char *text = (char *)malloc(4000000), *at = text;
    simkit_population *p = (simkit_population *)&error;

    (void)state;
    at += sprintf(at, "[user u]\n");
    for (int i = 0; i < 1001; ++i) at += sprintf(at, "[state s%d]\n", i);
    sprintf(at, "this is no key\n");
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &p, &error),
        SIMKIT_BAD_FILE);
    assert_null(p);
    assert_string_equal(error.text, "u:1002:1: user 'u' has more than 1000 states");

    at = text + sprintf(text, "[user u]\n");
    for (int i = 0; i < 1000; ++i) at += sprintf(at, "[state s%d]\nnext = s%d 1\n", i, i > 0 ? i - 1 : 0);
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &p, &error),
        SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "u:2:1: state 's0' of user 'u' is on a cycle of states without think time");
    sprintf(at, "[state s0]\n");
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &p, &error),
        SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "u:2002:1: user 'u' has a state 's0' already");
    *at = 0;
    memcpy(strstr(text, "s0 1"), "s1 1", 4); /* now a cycle of two, and 998 lead there */
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &p, &error),
        SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "u:2:1: state 's0' of user 'u' is on a cycle of states without think time");
    sprintf(at, "think = constant 1 s\n[user v]\n[state s]\nthink = constant 1 s\n");
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &p, &error),
        SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "u:2:1: state 's0' of user 'u' is on a cycle of states without think time");

    at = text;
    for (int i = 0; i < 20000; ++i)
        at += sprintf(at, "[user u%d]\n[state s]\nthink = constant %d s\n", i % 10000, 1 + i / 10000);
    sprintf(at, "[sessions t]\nuser = u9999\n[user u10000]\n");
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &p, &error),
        SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "u:60001:1: sessions 't' have no file");
    sprintf(at, "[sessions t]\nuser = u10000\n");
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &p, &error),
        SIMKIT_BAD_FILE);
    assert_string_equal(error.text, "u:60002:8: there is no user 'u10000' above");
    *at = 0;
    assert_int_equal(
        simkit_population_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "u" }, &p, &error),
        SIMKIT_OK);
    simkit_population_close(p);
    free(text);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test_simkit_populations.XXXXXX");
    if (mkdtemp(directory) == NULL) return 1;
    write_file("day.csv", "time,pid,cpu\n0,1,10\n5,2,5\n");
    write_file("bad.csv", "time,pid,cpu\n0,1,10\n5,2,-5\n");
    write_file("in.csv", "begin [h],end [h]\n1,2\n3,3.5\n");
    write_file("out.csv", "begin [h],end [h]\n1,2\n3,3\n");
    write_file("office.users", "[trace day]\nfile = day.csv\nscale = 2\nskip = 4 s\n"
                               "[user u]\n[state s]\nthink = constant 10 min\ndemand = constant 1 s\nnext = s 1\n"
                               "[sessions lab]\nuser = u\nfile = in.csv\n");
    write_file("bad.users", "[trace day]\nfile = bad.csv\n");
    write_file("none.users", "[user u]\n[state s]\n[sessions lab]\nuser = u\nfile = none.csv\n");
    write_file("out.users", "[user u]\n[state s]\n[sessions lab]\nuser = u\nfile = out.csv\n");
    return 0;
}

static int remove_directory(void **state)
{
    static const char *const names[] = { "day.csv",      "bad.csv",   "in.csv",    "out.csv",
                                         "office.users", "bad.users", "out.users", "none.users" };
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        remove(path);
    }
    return rmdir(directory);
}

static void files_lie_beside_the_users_file(void **state)
{
    (void)state;
    char path[128], why[256];
    simkit_population *population = NULL;
    snprintf(path, sizeof path, "%s/office.users", directory);
    if (simkit_population_read(&(simkit_input){ .path = path }, &population, &error) != SIMKIT_OK)
        fail_msg("%s", error.text);
    const simkit_node node = add_node(NULL);
    assert_int_equal(simkit_population_start(world, population, 1, node), SIMKIT_OK);
    assert_int_equal(simkit_world_run_until(world, 1e6), SIMKIT_OK);
    /* the second process of the trace, with twice its demand; commands of 1 s after 10 minutes: six and three times */
    const simkit_source_tally tally = simkit_source_progress(world, 0);
    assert_close(tally.demand, 10 + 5 + 2, 1e-12);
    simkit_population_close(population);

    /* its folder is that of its path, whatever name it has in errors */
    if (simkit_population_read(&(simkit_input){ .path = path, .name = "the office" }, &population, &error) != SIMKIT_OK)
        fail_msg("%s", error.text);
    simkit_population_close(population);
    snprintf(why, sizeof why, "%s/other.users", directory);
    if (simkit_population_read(&(simkit_input){ .path = "office.users", .beside = why }, &population, &error) !=
        SIMKIT_OK)
        fail_msg("%s", error.text);
    simkit_population_close(population);

    snprintf(path, sizeof path, "%s/bad.users", directory);
    snprintf(why, sizeof why, "%s/bad.csv:3:1: the CPU time is negative: -5 s", directory);
    assert_int_equal(simkit_population_read(&(simkit_input){ .path = path }, &population, &error), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, why);
    snprintf(path, sizeof path, "%s/out.users", directory);
    snprintf(why, sizeof why, "%s/out.csv:3:1: the session is from 10800 s to 10800 s, expected 0 <= begin < end",
             directory);
    assert_int_equal(simkit_population_read(&(simkit_input){ .path = path }, &population, &error), SIMKIT_BAD_FILE);
    assert_string_equal(error.text, why);
    snprintf(path, sizeof path, "%s/none.users", directory);
    snprintf(why, sizeof why, "%s/none.csv: the file cannot be read: No such file or directory", directory);
    assert_int_equal(simkit_population_read(&(simkit_input){ .path = path }, &population, &error), SIMKIT_NO_FILE);
    assert_string_equal(error.text, why);
    assert_int_equal(simkit_population_read(&(simkit_input){ .path = "/no/such" }, &population, &error),
                     SIMKIT_NO_FILE);
    assert_string_equal(error.text, "/no/such: the file cannot be read: No such file or directory");
    assert_int_equal(simkit_population_start(world, NULL, 1, node), SIMKIT_BAD_ARGUMENT);
}

/*=============================================================================
 * Without memory
 *===========================================================================*/
static void no_memory_is_a_result(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/office.users", directory);
    for (int what = 0; what < 3; ++what)
        for (long left = 0; left < 400; ++left) {
            hook h = { 0, 0, left, false, false };
            const simkit_world_desc desc = { .memory = { .reallocate = reallocate, .user = &h } };
            simkit_workload *workload = NULL;
            simkit_population *population = NULL;
            simkit_result result;
            memset(&error, 0, sizeof error);
            if (what == 0)
                result = simkit_workload_read(&(simkit_input){ .text = "10 1 0 1.5 sh\n12 2 1 0.5 cc\n13 1 0 2.5 sh\n",
                                                               .length = 41,
                                                               .name = "t",
                                                               .memory = desc.memory },
                                              &workload, &error);
            else if (what == 1)
                result = simkit_population_read(
                    &(simkit_input){
                        .text = everything, .length = strlen(everything), .name = "u", .memory = desc.memory },
                    &population, &error);
            else
                result = simkit_population_read(&(simkit_input){ .path = path, .memory = desc.memory }, &population,
                                                &error);
            if (h.refused) {
                assert_int_equal(result, SIMKIT_NO_MEMORY);
                assert_non_null(strstr(error.text, "no memory"));
            } else if (result != SIMKIT_OK) {
                fail_msg("%s", error.text);
            }
            simkit_workload_close(workload);
            simkit_population_close(population);
            assert_int_equal(h.blocks, 0);
            assert_int_equal(h.held, 0);
            if (!h.refused) break;
            assert_true(left < 399);
        }
}

/* A day that meets the end of memory somewhere: the run says so, and all is given back. */
static void a_day_without_memory_ends(void **state)
{
    (void)state;
    simkit_population *population = population_of(everything);
    size_t ended = 0, whole = 0;
    for (long left = 0; left < 200; ++left) {
        hook h = { 0, 0, left, false, false };
        const simkit_world_desc desc = { .memory = { .reallocate = reallocate, .user = &h } };
        simkit_world *w = NULL;
        simkit_node node;
        simkit_result result = simkit_world_open(&desc, &w);
        if (result == SIMKIT_OK) result = simkit_node_add(w, NULL, &node);
        if (result == SIMKIT_OK) result = simkit_population_start(w, population, 2, node);
        if (result == SIMKIT_OK) {
            result = simkit_world_run_until(w, 20000);
            if (result == SIMKIT_NO_MEMORY) { /* and does not go on, though there may be memory now */
                ++ended;
                h.left = 1000;
                assert_non_null(strstr(simkit_world_why(w), "no memory for "));
                assert_int_equal(simkit_world_run_until(w, 20000), SIMKIT_NO_MEMORY);
                assert_non_null(strstr(simkit_world_why(w), "no memory for "));
            }
            whole += result == SIMKIT_OK;
        } else if (w) {
            assert_non_null(strstr(simkit_world_why(w), "no memory for "));
        }
        assert_true(result == SIMKIT_OK || result == SIMKIT_NO_MEMORY);
        assert_true(h.refused || result == SIMKIT_OK);
        simkit_world_close(w);
        assert_int_equal(h.blocks, 0);
    }
    assert_true(ended > 5 && whole > 5);
    simkit_population_close(population);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_are_what_the_calls_would_take),
        cmocka_unit_test(background_processes_have_names),
        cmocka_unit_test(a_population_is_what_the_calls_would_make),
        cmocka_unit_test(wrong_users_files),
        cmocka_unit_test(many_states_and_users),
        WORLD_TEST(files_lie_beside_the_users_file),
        cmocka_unit_test(no_memory_is_a_result),
        cmocka_unit_test(a_day_without_memory_ends),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
