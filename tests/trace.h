/* What the tests of traces and watchers share: a world of two nodes with the work that all look at, and a folder for files.
 * Include after simkit.h, with _DEFAULT_SOURCE for mkdtemp(). */
#ifndef TRACE_H
#define TRACE_H

#include "world.h"

#include <stdio.h>
#include <unistd.h>

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, open_pair, close_world)

static simkit_node a, b;

static inline int open_pair(void **state)
{
    const simkit_node_desc desc = { .name = "<a> & \"b\"", .up_bandwidth = 1e6, .down_bandwidth = 1e6 };
    (void)state;
    return simkit_world_open(&(simkit_world_desc){ .latency = 0.5 }, &world) != SIMKIT_OK ||
           simkit_node_add(world, &desc, &a) != SIMKIT_OK ||
           simkit_node_add(world, &(simkit_node_desc){ .down_bandwidth = 1e6 }, &b) != SIMKIT_OK;
}

/* The work that all tests look at. */
static inline void computes(simkit_world *w, void *user)
{
    (void)user;
    succeeds(simkit_process_wait(w, 1));
    succeeds(simkit_process_compute(
        w, &(simkit_computation_desc){ .seconds = 2, .name = "x < y & \"z\"\\\n", .lane = "lane 1" }, NULL));
}

static inline void start_work(void)
{
    assert_int_equal(
        simkit_computation_start(
            world, &(simkit_computation_desc){ .node = a, .seconds = 1, .name = "first", .lane = "lane 0" }, NULL),
        SIMKIT_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(
            simkit_transfer_start(
                world, &(simkit_transfer_desc){ .from = a, .to = b, .bytes = 1e6, .in_order = true, .name = "message" },
                NULL),
            SIMKIT_OK);
    assert_int_equal(
        simkit_process_start(world, &(simkit_process_desc){ .name = "worker", .node = a, .body = computes }, NULL),
        SIMKIT_OK);
}

static char directory[64];

static inline int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test_simkit_trace.XXXXXX");
    return !mkdtemp(directory);
}

static inline int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory); /* fails if a test left something */
}

static inline const char *place(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static inline simkit_result open_trace(simkit_world *w, const char *path, simkit_trace **trace)
{
    return simkit_trace_open(w, &(simkit_trace_desc){ .path = path }, trace);
}

#endif
