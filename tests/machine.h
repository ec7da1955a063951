/* What the tests of machine files share: a file is read from a text, the last one and its error are kept, and a transfer shows
 * the network of a world. Include after simkit.h. */
#ifndef MACHINE_H
#define MACHINE_H

#include "close.h"

static simkit_machine *machine;
static simkit_parse_error error;

static inline simkit_result parse(const char *text)
{
    simkit_machine_close(machine);
    memset(&error, 0, sizeof error);
    return simkit_machine_read(&(simkit_input){ .text = text, .length = strlen(text), .name = "m" }, &machine,
                               &error);
}

static inline int close_machine(void **state)
{
    (void)state;
    simkit_machine_close(machine);
    return 0;
}

static double when; /* a message has arrived */

static inline void arrived(simkit_world *world, void *user)
{
    (void)user;
    when = simkit_clock_now(world);
}

static inline double takes(simkit_world *world, simkit_node from, simkit_node to, double bytes)
{
    const simkit_transfer_desc desc = { .from = from, .to = to, .bytes = bytes, .done = arrived };
    const double begin = simkit_clock_now(world);
    assert_int_equal(simkit_transfer_start(world, &desc, NULL), SIMKIT_OK);
    assert_int_equal(simkit_world_run(world), SIMKIT_OK);
    return when - begin;
}

#endif
