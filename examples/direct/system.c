/* system.c - the functions of the C library that a runtime replaces. A program that is linked statically has no second ones, so
 * system calls are made instead. */
#define _GNU_SOURCE
#include "direct.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

long (*direct_syscall)(long number, ...) DIRECT_COMMON = syscall;

/* Finds a function in the C library itself. dlsym(RTLD_NEXT) could find that of a library that replaces it, such as libsimthreads.so. */
static void *system__function(const char *name)
{
    static void *library DIRECT_COMMON;
    static bool known DIRECT_COMMON;
#ifdef __GLIBC__
    if (!known) library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
#endif
    known = true;
    return dlsym(library ? library : RTLD_NEXT, name);
}

void direct_system_find(void)
{
    long (*real)(long, ...);
    *(void **)(void *)&real = system__function("syscall");
    if (real) direct_syscall = real;
}

int direct_clock_gettime(clockid_t which, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *) DIRECT_COMMON;
    static bool known DIRECT_COMMON;
    if (!known) *(void **)(void *)&real = system__function("clock_gettime");
    known = true;
    return real ? real(which, time) : (int)direct_syscall(SYS_clock_gettime, which, time);
}

int direct_nanosleep(const struct timespec *time, struct timespec *left)
{
    static int (*real)(const struct timespec *, struct timespec *) DIRECT_COMMON;
    static bool known DIRECT_COMMON;
    if (!known) *(void **)(void *)&real = system__function("nanosleep");
    known = true;
    return real ? real(time, left) : (int)direct_syscall(SYS_nanosleep, time, left);
}

/* For CPU clocks the vDSO asks the kernel, from an instruction outside of the C library, where it would be trapped
 * (threads/trap.c). By syscall() this takes as long: 0.25 us. */
double direct_clock(clockid_t which)
{
    struct timespec t = { 0, 0 };
    if (which < 0 || which == CLOCK_PROCESS_CPUTIME_ID || which == CLOCK_THREAD_CPUTIME_ID)
        direct_syscall(SYS_clock_gettime, which, &t);
    else
        direct_clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
