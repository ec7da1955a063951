/* system.c - the functions of the C library that a runtime replaces. A program that is linked statically has no second ones, so
 * system calls are made instead. */
#define _GNU_SOURCE
#include "direct.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

long (*direct_syscall)(long number, ...) DIRECT_COMMON = syscall;

int direct_clock_gettime(clockid_t which, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *) DIRECT_COMMON;
    static bool known DIRECT_COMMON;
    if (!known) *(void **)(void *)&real = dlsym(RTLD_NEXT, "clock_gettime");
    known = true;
    return real ? real(which, time) : (int)direct_syscall(SYS_clock_gettime, which, time);
}

int direct_nanosleep(const struct timespec *time, struct timespec *left)
{
    static int (*real)(const struct timespec *, struct timespec *) DIRECT_COMMON;
    static bool known DIRECT_COMMON;
    if (!known) *(void **)(void *)&real = dlsym(RTLD_NEXT, "nanosleep");
    known = true;
    return real ? real(time, left) : (int)direct_syscall(SYS_nanosleep, time, left);
}

double direct_clock(clockid_t which)
{
    struct timespec t = { 0, 0 };
    direct_clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* By system calls: the program may have functions of its own in place of read() and fopen(), or hold their locks. */
void direct_about(pid_t process, pid_t thread, const char *name, char *text, size_t room)
{
    char path[64];
    if (thread)
        snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)process, (int)thread, name);
    else
        snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    const int file = (int)direct_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    const long length = file >= 0 ? direct_syscall(SYS_read, file, text, room - 1) : 0;
    text[length > 0 ? length : 0] = 0;
    if (file >= 0) direct_syscall(SYS_close, file);
}

char direct_state(pid_t process, pid_t thread)
{
    char text[256];
    direct_about(process, thread, "stat", text, sizeof text);
    const char *end = strrchr(text, ')'); /* of its name */
    if (!end || !end[1]) return 0;
    return end[2];
}
