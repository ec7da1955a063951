/* What the tests of processes share: starting one, writing down what it does, and a hook that is the C library's. Include after
 * simkit.h. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "world.h"

#include <stdio.h>

static inline simkit_process spawn(const char *name, simkit_node node, simkit_call *body, void *user)
{
    const simkit_process_desc desc = { .name = name, .node = node, .body = body, .user = user };
    simkit_process process = 0;
    assert_int_equal(simkit_process_start(world, &desc, &process), SIMKIT_OK);
    assert_true(process != 0);
    return process;
}

static char told[1000];

static inline void tell(const char *text)
{
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s@%g ", text, simkit_clock_now(world));
}

static inline void waits_long(simkit_world *w, void *user)
{
    succeeds(simkit_process_wait(w, 1));
    ++*(int *)user;
}

static inline void *from_the_library(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    (void)user, (void)old_bytes;
    if (new_bytes > 0) return realloc(pointer, new_bytes);
    free(pointer);
    return NULL;
}

#endif
