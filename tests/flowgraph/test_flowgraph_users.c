/* The flow-graph runtime of examples/flowgraph among users: what they take from it, the load that operations see, and the
 * option of the command line. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "flowgraph.c"
#include "flowgraph_net.c"
#include "options.c"

#include "graph.h"

/* How long a split takes that has one piece for each of two nodes and computes 10 s for it, and when the merge ended. */
static double among(const char *users, uint64_t seed, contention_nice_rule rule, bool again)
{
    simkit_population *population = population_of(users);
    const simkit_world_desc world = { .seed = seed };
    simkit_node_desc node = { .nice_rule = rule };
    const flowgraph_threads_desc workers = { .name = "workers", .count = 2 };
    simkit_node nodes[2];
    flowgraph_desc how = { .nodes = 2, .users = population };
    double seconds = 0, second;
    flowgraph_operation a;

    memset(&f, 0, sizeof f);
    assert_int_equal(simkit_world_open(&world, &f.world), SIMKIT_OK);
    for (int i = 0; i < 2; ++i) assert_int_equal(simkit_node_add(f.world, &node, &nodes[i]), SIMKIT_OK);
    how.world = f.world;
    how.world_nodes = nodes;
    assert_int_equal(flowgraph_open(&how, &f.graph), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_type_add(f.graph, "number", sizeof(int), &f.number), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_threads_add(f.graph, &workers, &f.threads), FLOWGRAPH_OK);
    a = split_leaf_merge(split, leaf, end, by_number);
    o.ends = 0;
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_run(f.graph, &seconds), FLOWGRAPH_OK);
    assert_int_equal(flowgraph_run(f.graph, &second), FLOWGRAPH_OK); /* of nothing */
    assert_equal(second, seconds);
    for (int i = 0; again && i < 3; ++i) {
        o.ends = 0;
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(flowgraph_run(f.graph, &second), FLOWGRAPH_OK);
        assert_close(second, seconds, 1e-12);
    }
    close_cluster();
    simkit_population_close(population);
    return seconds;
}

static void users_take_their_share(void **state)
{
    (void)state;
    reset();
    o.pieces = 2, o.leaf_time = 10;
    assert_close(among(HOG("", "0"), 0, CONTENTION_NICE_LINUX_TODAY, true), 20, 1e-12);
    assert_close(among(HOG("nodes = 3\n", "0"), 0, CONTENTION_NICE_LINUX_TODAY, true), 10, 1e-12);
    assert_close(among(HOG("nodes = 2\n", "0"), 0, CONTENTION_NICE_LINUX_TODAY, true), 20, 1e-12);
    o.merge_time = 0.5; /* on node 1, twice */
    assert_close(among(HOG("nodes = 2\n", "0"), 0, CONTENTION_NICE_LINUX_TODAY, false), 20.5, 1e-12);
    assert_close(among(HOG("nodes = 1\n", "0"), 0, CONTENTION_NICE_LINUX_TODAY, false), 22, 1e-12);
    o.merge_time = 0;
    assert_close(among(HOG("", "19"), 0, CONTENTION_NICE_LINUX_TODAY, false), 10 * 1039.0 / 1024, 1e-12);
    assert_close(among(HOG("", "19"), 0, CONTENTION_NICE_LINUX_2_2, false), 10.5, 1e-12);
    assert_close(among(HOG("", "-20"), 0, CONTENTION_NICE_LINUX_2_2, false), 30, 1e-12);
}

static void a_seed_is_a_day(void **state)
{
    static const char mail[] = "[arrivals mail]\nrate = 0.5 /s\ndemand = exponential 1 s\n";
    double first;

    (void)state;
    reset();
    o.pieces = 2, o.leaf_time = 100;
    first = among(mail, 1, CONTENTION_NICE_LINUX_TODAY, false);
    assert_true(first > 100);
    assert_equal(among(mail, 1, CONTENTION_NICE_LINUX_TODAY, false), first);
    assert_true(among(mail, 2, CONTENTION_NICE_LINUX_TODAY, false) != first);
}

/* [clue]'s program frame, on each node; then the one with the least load gets the work. */
static double seen[4], seen_at[4];

static void frame(flowgraph_task *task, const void *object, void *user)
{
    const size_t thread = flowgraph_thread(task);
    (void)user;
    flowgraph_charge(task, o.leaf_time);
    seen[thread] = flowgraph_load_average(task, 60);
    seen_at[thread] = flowgraph_now(task);
    flowgraph_post(task, o.leaf, object, NULL, 0);
}

static void choose(flowgraph_task *task, const void *object, void *user)
{
    int least = 0;
    (void)user;
    while (object) object = flowgraph_next(task);
    for (int i = 1; i < o.pieces; ++i)
        if (seen[i] < seen[least]) least = i;
    flowgraph_post(task, o.inner_merge, &least, NULL, 0);
}

static void work(flowgraph_task *task, const void *object, void *user)
{
    (void)user;
    o.order[0] = *(const int *)object;
    flowgraph_charge(task, 5);
    seen[3] = flowgraph_load_average(task, 60);
    o.end[0] = flowgraph_now(task);
}

static void operations_see_the_load_and_act_on_it(void **state)
{
    simkit_population *population = population_of(HOG("nodes = 1, 3\n", "0"));
    flowgraph_operation a, b, c, d;
    double seconds;

    (void)state;
    for (int users = 1; users >= 0; --users) {
        reset();
        memset(&f, 0, sizeof f);
        flowgraph_desc how = { .nodes = 3, .users = users ? population : NULL, .loads = !users };
        const flowgraph_threads_desc workers = { .name = "workers", .count = 3 };
        assert_int_equal(flowgraph_open(&how, &f.graph), FLOWGRAPH_OK);
        assert_int_equal(flowgraph_type_add(f.graph, "number", sizeof(int), &f.number), FLOWGRAPH_OK);
        assert_int_equal(flowgraph_threads_add(f.graph, &workers, &f.threads), FLOWGRAPH_OK);
        a = add("a", FLOWGRAPH_SPLIT, split, NULL), b = add("b", FLOWGRAPH_LEAF, frame, NULL);
        c = add("c", FLOWGRAPH_MERGE, choose, NULL), d = add("d", FLOWGRAPH_LEAF, work, NULL);
        o.split = join(a, b, by_number);
        o.leaf = join(b, c, NULL);
        o.inner_merge = join(c, d, by_number);
        o.pieces = 3, o.leaf_time = 10;
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(flowgraph_run(f.graph, &seconds), FLOWGRAPH_OK);
        for (int i = 0; i < 3; ++i) {
            const bool hog = users && i != 1;
            assert_close(seen_at[i], hog ? 20 : 10, 1e-12);
            assert_close(seen[i], hog ? 2 * (1 - pow(60.0 / 61, 20)) : 1 - pow(60.0 / 61, 10), 1e-12);
        }
        assert_int_equal(o.order[0], users); /* the second node, or the first of equals */
        assert_close(seconds, users ? 25 : 15, 1e-12);
        /* from 10 s on, node 1 was idle for 10 s, or not at all */
        assert_close(seen[3], seen[1] * pow(60.0 / 61, users ? 15 : 5) + 1 - pow(60.0 / 61, 5), 1e-12);
        flowgraph_close(f.graph);
    }
    simkit_population_close(population);
}

static void no_load(flowgraph_task *task, const void *object, void *user)
{
    (void)object;
    (void)user;
    seen[0] = flowgraph_load_average(task, 60);
}

static void a_load_that_is_not_kept_is_none(void **state)
{
    flowgraph_operation a;

    (void)state;
    assert_nan(flowgraph_load_average(NULL, 60));
    open_cluster(1);
    a = add("a", FLOWGRAPH_LEAF, no_load, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_OK);
    assert_nan(seen[0]);
    close_cluster();
    assert_nan(flowgraph__machine_load(-1));
    assert_nan(flowgraph__machine_load((double)NAN));
    assert_true(flowgraph__machine_load(0) >= 0);
    assert_true(flowgraph__machine_load(1e9) >= 0);
}

/* A failure ends the run, whatever users do. */
static void a_failure_among_users_ends_the_run(void **state)
{
    simkit_population *population = population_of(HOG("", "0"));
    flowgraph_operation a, b;

    (void)state;
    reset();
    open_graph(2, 0, 0, NULL, (flowgraph_desc){ .users = population });
    a = add("a", FLOWGRAPH_SPLIT, nothing, NULL);
    b = add("b", FLOWGRAPH_MERGE, end, NULL);
    o.split = join(a, b, NULL);
    assert_int_equal(start(a, 0), FLOWGRAPH_OK);
    assert_int_equal(run(), FLOWGRAPH_BAD_COUNT);
    assert_why("without a result");
    close_cluster();
    simkit_population_close(population);
}

static void the_command_line_names_users(void **state)
{
    char path[] = "/tmp/flowgraph.XXXXXX", why[200] = "", wanted[80];
    static options how;
    const int made = mkstemp(path);
    FILE *file = made >= 0 ? fdopen(made, "w") : NULL;

    (void)state;
    assert_non_null(file);
    fputs("[arrivals mail]\nrate = 1\n", file);
    fflush(file);
    options_begin(&how, NULL);
    assert_int_equal(options_take(&how, "--users", path, why), -1);
    snprintf(wanted, sizeof wanted, "%s:2:9: there is no unit, expected one of: /s, /min, /h", path);
    assert_string_equal(why, wanted);
    assert_null(how.desc.users);
    assert_int_equal(options_take(&how, "--users", "/nowhere", why), -1);
    assert_non_null(strstr(why, "/nowhere"));
    assert_int_equal(options_take(&how, "--users", NULL, why), -1);
    rewind(file);
    fputs("[arrivals mail]\nrate = 1 /s\ndemand = constant 1 s\n", file);
    fclose(file);
    for (int i = 0; i < 2; ++i) assert_int_equal(options_take(&how, "--users", path, why), 2); /* the last counts */
    assert_non_null(how.desc.users);
    assert_ptr_equal(options_simulated(&how).users, how.desc.users);
    assert_int_equal(options_take(&how, "--seed", "7", why), 2);
    assert_int_equal(how.desc.seed, 7);
    assert_int_equal(options_take(&how, "--seed", "-7", why), -1);
    options_end(&how);
    assert_null(how.desc.users);
    unlink(path);
}

/* What they compute is in the record of each run, from its beginning to its end. */
static void users_are_recorded(void **state)
{
    simkit_population *population =
        population_of(HOG("nodes = 2\n", "0") "[user once]\nnodes = 1\n[state edit]\ndemand = constant 2 s\n");
    flowgraph_operation a;

    (void)state;
    reset();
    open_graph(2, 0, 0, NULL, (flowgraph_desc){ .users = population, .record = true });
    o.pieces = 2, o.leaf_time = 10;
    a = split_leaf_merge(split, leaf, end, by_number);
    for (int i = 0; i < 2; ++i) {
        const flowgraph__records *r = &f.graph->records;
        assert_int_equal(start(a, 0), FLOWGRAPH_OK);
        assert_int_equal(run(), FLOWGRAPH_OK);
        assert_int_equal(r->guest_count, i == 0 ? 2 : 1);
        for (size_t k = 0; k < r->guest_count; ++k) {
            const bool burns = strcmp(r->guests[k].name, "burn") == 0;
            assert_int_equal(r->guests[k].node, burns);
            assert_equal(r->guests[k].begin, 0);
            assert_close(r->guests[k].end, burns ? 20 : 4, 1e-12);
            assert_true(r->guests[k].open == burns);
        }
    }
    close_cluster();
    simkit_population_close(population);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_take_their_share),
        cmocka_unit_test(a_seed_is_a_day),
        cmocka_unit_test(operations_see_the_load_and_act_on_it),
        cmocka_unit_test(a_load_that_is_not_kept_is_none),
        cmocka_unit_test(a_failure_among_users_ends_the_run),
        cmocka_unit_test(the_command_line_names_users),
        cmocka_unit_test(users_are_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
