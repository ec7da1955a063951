/* syscall.c - calls of the program by syscall(), as libstdc++, oneTBB and the OpenMP of clang make them: those that
 * matter to the virtual clock do what the functions of the same names do. */
#define _GNU_SOURCE
#include "core.h"

#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

THREADS_PUBLIC long syscall(long number, ...)
{
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; ++i) a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (threads_self() && !threads_off) {
        if (number == SYS_futex) return threads_futex(a);
        if (number == SYS_sched_yield) return sched_yield();
        if (number == SYS_exit_group) _exit((int)a[0]);
        if (number == SYS_sched_getaffinity || number == SYS_sched_setaffinity) return threads_affinity(number, a);
        if (number == SYS_clock_gettime) return clock_gettime((clockid_t)a[0], (struct timespec *)(uintptr_t)a[1]);
    }
    if (!threads_real.syscall) threads_above.prepare();
    return threads_real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
