/* Stacks of processes on Windows, with <windows.h> before the kit: a process that overflows its stack, again and again, ends
 * with a result where a handler listens; deep calls, large frames and longjmp() stay within a stack; many stacks live at
 * once. Prints what holds; exit status 0 if all does. */
#include <windows.h>

#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 20000, TIMES = 20 };

static simkit_world *running;
static int failures, heard, done;

static void expect(int good, const char *what)
{
    printf("%s %s\n", good ? "ok" : "not ok", what);
    failures += !good;
}

static void pauses(simkit_world *world, double seconds)
{
    if (simkit_process_wait(world, seconds) != SIMKIT_OK) expect(0, "a wait");
}

//! [handler]
static LONG WINAPI on_exception(EXCEPTION_POINTERS *found)
{
    const EXCEPTION_RECORD *record = found->ExceptionRecord;
    if (record->ExceptionCode == EXCEPTION_STACK_OVERFLOW) {
        ++heard;
        simkit_process_overflow(running, (const void *)record->ExceptionInformation[1]); /* does not return */
    }
    return EXCEPTION_CONTINUE_SEARCH; /* any other fault ends the program */
}
//! [handler]

static int dig(volatile int depth)
{
    volatile char block[1000] = { 0 };
    return depth == 0 ? 0 : block[depth % 1000] + dig(depth - 1) + 1;
}

static void overflows(simkit_world *world, void *user)
{
    (void)user;
    pauses(world, 1);
    dig(1000000);
}

static void stays_within(simkit_world *world, void *user)
{
    (void)user;
    pauses(world, 1);
    done += dig(40) == 40; /* of 64 KiB */
    pauses(world, 2);
    ++done;
}

static void jumps(simkit_world *world, void *user)
{
    volatile int count = 0;
    jmp_buf here;
    (void)user;
    if (setjmp(here) < 10) {
        pauses(world, 0.5);
        ++count;
        longjmp(here, count);
    }
    done += count == 10;
}

static void uses_large_frames(simkit_world *world, void *user)
{
    char frame[40000]; /* the compiler touches each of its pages, from above */
    memset(frame, 7, sizeof frame);
    pauses(world, 1);
    for (size_t i = 0; i < sizeof frame; ++i)
        if (frame[i] != 7) *(int *)user = 1;
    ++done;
}

static void waits(simkit_world *world, void *user)
{
    const double seconds = *(const double *)user;
    pauses(world, seconds);
    ++done;
}

static simkit_result start(simkit_call *body, void *user)
{
    simkit_process_desc desc = { 0 };
    desc.body = body;
    desc.user = user;
    return simkit_process_start(running, &desc, NULL);
}

int main(void)
{
    double seconds = 3;
    int wrong = 0;
#ifdef SIMKIT_CATCH_OVERFLOW /* the kit listens itself */
    (void)on_exception;
    const int once = 0;
#else
    AddVectoredExceptionHandler(1, on_exception);
    const int once = 1;
#endif
    expect(simkit_world_open(NULL, &running) == SIMKIT_OK, "a world");

    start(stays_within, NULL);
    start(jumps, NULL);
    for (int i = 0; i < 5; ++i) start(uses_large_frames, &wrong);
    expect(simkit_world_run(running) == SIMKIT_OK && done == 2 + 1 + 5 && !wrong, "deep calls, jumps and large frames");

    for (int i = 0; i < TIMES; ++i) {
        simkit_result result;
        done = heard = 0;
        start(waits, &seconds);
        start(overflows, NULL);
        result = simkit_world_run(running);
        if (result != SIMKIT_STACK_OVERFLOW || heard != once || done != 0) expect(0, "an overflow is a result");
        if (i == 0) puts(simkit_world_why(running));
        if (simkit_world_run(running) != SIMKIT_OK || done != 1) expect(0, "the others go on");
    }
    expect(1, "overflows");

    done = 0;
    for (int i = 0; i < MANY; ++i) wrong += start(waits, &seconds) != SIMKIT_OK;
    expect(!wrong && simkit_world_run(running) == SIMKIT_OK && done == MANY, "many stacks");
    simkit_world_close(running);
    return failures;
}
