/* end.c - the end of a run, before its time: what went wrong is kept, and the launcher is called, which prints it. */
#define _GNU_SOURCE
#include "engine.h"
#include "turns.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool messages_is_launcher MESSAGES_COMMON;
bool messages_is_child MESSAGES_COMMON;

void messages_ring(uint32_t why)
{
    if (__atomic_fetch_or(&messages->bell, why, __ATOMIC_SEQ_CST) & MESSAGES_BELL_SLEEPS)
        direct_futex(&messages->bell, FUTEX_WAKE, 1, NULL);
}

__attribute__((noreturn)) static void end__launcher_call(void)
{
    if (!messages_is_launcher) {
        messages_ring(MESSAGES_BELL_OVER);
        if (messages_is_child)
            _exit(messages->status); /* the launcher does not know this process, and would leave it */
        for (;;) direct_syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
    }
    messages_above.end();
}

void messages_end(int status, const char *format, ...)
{
    va_list arguments;
    char text[sizeof messages->why];
    if (messages && !messages_is_launcher && !messages_is_child)
        messages_above.turn_take(); /* others may have been earlier */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(NULL);
    if (!messages || (messages_is_launcher && messages->task_count == 0)) {
        fprintf(stderr, "simkit: %s\n", text);
        _exit(status);
    }
    if (!messages->over) {
        memcpy(messages->why, text, sizeof text);
        messages->status = status;
        messages->over = true;
    }
    end__launcher_call();
}

void messages_abort(int status)
{
    fflush(NULL);
    if (!messages->over) {
        messages->status = status;
        messages->over = messages->aborted = true;
    }
    end__launcher_call();
}

__attribute__((noreturn)) void messages_no_memory(size_t most)
{
    messages_end(1, "no memory: messages in transit need more than %zu MB of shared memory, %s", most >> 20,
                 most < DIRECT_ADDRESS_SPACE
                     ? "half of the limit on address space; 'ulimit -v unlimited' removes the limit"
                     : "the maximum");
}
