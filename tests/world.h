/* What the tests of simkit.h share: a world, opened before each test and closed after it. Include after simkit.h. */
#ifndef WORLD_H
#define WORLD_H

#include "close.h"

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

static simkit_world *world;

static inline int open_world(void **state)
{
    (void)state;
    return simkit_world_open(NULL, &world) != SIMKIT_OK;
}

static inline int close_world(void **state)
{
    (void)state;
    simkit_world_close(world);
    world = NULL;
    return 0;
}

/* Another one instead, opened in its own way. */
static inline void reopen_world(const simkit_world_desc *desc)
{
    simkit_world_close(world);
    assert_int_equal(simkit_world_open(desc, &world), SIMKIT_OK);
}

static inline simkit_node add_node(const simkit_node_desc *desc)
{
    simkit_node node = 0;
    assert_int_equal(simkit_node_add(world, desc, &node), SIMKIT_OK);
    return node;
}

/* A callback that notes when it is called. */
static inline void note_time(simkit_world *w, void *user)
{
    *(double *)user = simkit_clock_now(w);
}

static inline void assert_why(const char *text)
{
    assert_string_equal(simkit_world_why(world), text);
}

static inline void assert_why_begins(const char *text)
{
    if (strncmp(simkit_world_why(world), text, strlen(text)) != 0) assert_why(text);
}

#endif
