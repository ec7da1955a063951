/* begin.c - how the process of a program begins: before its main(), it becomes the launcher of a run, or a task. */
#define _GNU_SOURCE
#include "engine.h"
#include "launch.h"
#include "turns.h"

messages_arena *messages MESSAGES_COMMON;
messages_task *messages_self MESSAGES_COMMON;

static void begin__stack_keep(uint32_t *turn)
{
    messages_stack_keep(OF_LINK(messages_task, base.turn, turn));
}

/* Not in launch.c: a compiler might call its own messages_launch() directly there. */
__attribute__((constructor(1000))) static void begin__launch(int argc, char **argv)
{
    (void)argc;
    messages_above = (messages_upward){ .advance = messages_script_advance,
                                        .notice = messages_notify,
                                        .parcel = messages_parcel_take,
                                        .turn_take = messages_turn_take,
                                        .end = messages_launcher_end };
    direct_keep_stack = begin__stack_keep;
    messages_launch(argv);
}

/* After the program's own constructors, because it is linked after them. A copy of the library in a shared library has
 * not looked for static data. */
__attribute__((constructor)) static void begin__together(int argc, char **argv, char **environment)
{
    if (messages_together_ready()) messages_launch_together(argc, argv, environment);
}
