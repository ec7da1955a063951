/* What the tests of examples/messages share: they run a program that build/simcc has made, and look at what it prints, what it
 * says when something goes wrong, and at the virtual time. Several of these tests may run at the same time: each has files
 * of its own, which bear the number of its process or a name from mkstemp(). Include first: it asks for _GNU_SOURCE. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOTHING "SIMKIT_COMPUTE=none "

/* A machine on which messages take time. */
static const char ether[] = "[machine]\neager = 64 KiB\n[network]\nlatency = 100 us\n[node node]\nbandwidth = 10 MB/s\n"
                            "send = 20 us + 100 MB/s\nreceive = 30 us + 50 MB/s\n";

/* Messages take no time on it. */
static const char machine_of_faults[] = "[machine]\neager = 64 KiB\n[node node]\ninitialise = 0 s\n";

static char programs[512], machine[64], people[64], output[1 << 20], errors[1 << 16];
static int status;

static inline size_t slurp(const char *path, char *text, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t length = f ? fread(text, 1, room - 1, f) : 0;
    text[length] = 0;
    if (f) fclose(f);
    return length;
}

/* Runs a program with settings before it, such as "SIMKIT_NP=2". */
static inline void run(const char *settings, const char *program)
{
    char command[2048], out[64] = "/tmp/messages.XXXXXX", err[64] = "/tmp/messages.XXXXXX";
    int made[2] = { mkstemp(out), mkstemp(err) };
    assert_true(made[0] >= 0 && made[1] >= 0);
    close(made[0]);
    close(made[1]);
    snprintf(command, sizeof command, "%s timeout 120 %s/%s >%s 2>%s </dev/null", settings, programs, program, out,
             err);
    int result = system(command);
    status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    slurp(out, output, sizeof output);
    slurp(err, errors, sizeof errors);
    unlink(out);
    unlink(err);
}

/* The same with a machine file of this text. */
static inline void run_on(const char *text, const char *settings, const char *program)
{
    char all[1024];
    FILE *f = fopen(machine, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    snprintf(all, sizeof all, "SIMKIT_MACHINES=%s %s", machine, settings);
    run(all, program);
    unlink(machine);
}

static inline void says(const char *wanted)
{
    if (strstr(errors, wanted)) return;
    print_message("expected '%s' in:\n%s\n%s\n", wanted, errors, output);
    fail();
}

static inline void prints(const char *wanted)
{
    if (strcmp(output, wanted) == 0) return;
    print_message("expected %sfound    %s%s\n", wanted, output, errors);
    fail();
}

static inline int lines(const char *text)
{
    int count = 0;
    for (; *text; ++text) count += *text == '\n';
    return count;
}

/* The program prints exactly the lines of this file, which were recorded in a real run; the file has at least so many lines. */
static inline void equals_lines(const char *path, int least, const char *settings, const char *program)
{
    static char wanted[1 << 20];
    slurp(path, wanted, sizeof wanted);
    run(settings, program);
    if (status != 0) print_message("%s %s: %s\n", settings, program, errors);
    assert_int_equal(status, 0);
    assert_true(lines(wanted) >= least);
    for (char *mine = output, *theirs = wanted; *mine || *theirs;) {
        size_t length = strcspn(mine, "\n"), other = strcspn(theirs, "\n");
        if (length != other || memcmp(mine, theirs, length) != 0) {
            print_message("%s %s:\nhere %.*s\nreal %.*s\n", settings, program, (int)length, mine, (int)other, theirs);
            fail();
        }
        mine += length + (mine[length] == '\n');
        theirs += other + (theirs[other] == '\n');
    }
}

static inline void equals(const char *path, const char *settings, const char *program)
{
    equals_lines(path, 150, settings, program);
}

static inline void conforms(int ranks)
{
    char path[128], settings[64];
    snprintf(path, sizeof path, "tests/messages/conform.np%d.txt", ranks);
    snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks);
    equals(path, settings, "conform");
}

/* Before the tests of a program. */
static inline int begin(void **state)
{
    const char *build = getenv("BUILD");
    (void)state;
    snprintf(programs, sizeof programs, "%s/messages/bin", build ? build : "build");
    snprintf(machine, sizeof machine, "/tmp/messages.%ld.machine", (long)getpid());
    snprintf(people, sizeof people, "/tmp/messages.%ld.users", (long)getpid());
#ifdef TESTS_SLOW
    setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0", 1); /* a rank leaves, and crashes, as programs do */
#endif
    setenv("SIMKIT_LINES", "", 1); /* no lines, also where programs are compiled with -g */
    unsetenv("SIMKIT_REPORT");
    unsetenv("SIMKIT_TRACE");
    unsetenv("SIMKIT_USERS");
    unsetenv("SIMKIT_SEED");
    return 0;
}

#endif
