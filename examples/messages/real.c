/* real.c - the C library's calls that sleep or read a clock. In a rank whose threads are on the virtual clock (threads.c), they are so,
 * too. In others, they do what they do elsewhere; but a rank that makes them is told once, because sleeping takes no virtual time, and
 * such clocks are not virtual. As these definitions are in the
 * program, calls from its libraries, such as that of Fortran, come here as well. A program may have functions of these names. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static messages_real_calls seen;     /* of this rank, for which there is no note yet */
static bool told[2] MESSAGES_COMMON; /* about sleeping, about clocks */
bool messages_real_seen MESSAGES_COMMON;

/* The caller counts if it is the program, or a library that calls on its behalf. The runtime of clang's OpenMP reads clocks of its own
 * accord. */
static bool real__counts(const void *caller)
{
    Dl_info where;
    if (!messages_self || messages_threads || messages_self->base.process != getpid())
        return false; /* not a task, or calls are on the virtual clock */
    if (!dladdr(caller, &where) || !where.dli_fname) return true;
    const char *name = strrchr(where.dli_fname, '/');
    name = name ? name + 1 : where.dli_fname;
    return strncmp(name, "libomp", strlen("libomp")) != 0 && strncmp(name, "libiomp", strlen("libiomp")) != 0;
}

static void real__slept(const char *call, const void *caller)
{
    if (told[0] || seen.slept || !real__counts(caller)) return;
    seen.slept = call;
    seen.sleeper = caller;
    messages_real_seen = true;
}

static void real__read(const char *call, const void *caller)
{
    if (told[1] || seen.read || !real__counts(caller)) return;
    if (++seen.reads < 2) return;
    seen.read = call;
    seen.reader = caller;
    messages_real_seen = true;
}

messages_real_calls messages_real_take(void)
{
    messages_real_calls taken = seen;
    messages_real_seen = false;
    if (told[0]) taken.slept = NULL;
    if (told[1]) taken.read = NULL;
    told[0] = told[0] || seen.slept;
    told[1] = told[1] || seen.read;
    return taken;
}

/* The function of the C library; NULL in programs that are linked statically, for which system calls have to do. */
#define REAL(name)                                                                                                     \
    static __typeof__(name) *real MESSAGES_COMMON;                                                                     \
    static bool known MESSAGES_COMMON;                                                                                 \
    if (!known) *(void **)(void *)&real = dlsym(RTLD_NEXT, #name);                                                     \
    known = true
#define INSTEAD __attribute__((weak))

INSTEAD unsigned sleep(unsigned seconds)
{
    REAL(sleep);
    struct timespec left = { (time_t)seconds, 0 };
    if (seconds > 0) real__slept("sleep", __builtin_return_address(0));
    if (real) return real(seconds);
    return direct_nanosleep(&left, &left) == 0 ? 0 : (unsigned)left.tv_sec;
}

INSTEAD int usleep(useconds_t microseconds)
{
    REAL(usleep);
    const struct timespec all = { (time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000 };
    if (microseconds > 0) real__slept("usleep", __builtin_return_address(0));
    return real ? real(microseconds) : direct_nanosleep(&all, NULL);
}

INSTEAD int nanosleep(const struct timespec *time, struct timespec *left)
{
    REAL(nanosleep);
    real__slept("nanosleep", __builtin_return_address(0));
    return real ? real(time, left) : direct_nanosleep(time, left);
}

INSTEAD int clock_nanosleep(clockid_t which, int flags, const struct timespec *time, struct timespec *left)
{
    REAL(clock_nanosleep);
    real__slept("clock_nanosleep", __builtin_return_address(0));
    if (real) return real(which, flags, time, left);
    return syscall(SYS_clock_nanosleep, which, flags, time, left) == 0 ? 0 : errno;
}

INSTEAD int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    REAL(poll);
    const struct timespec limit = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
    if (count == 0 && milliseconds > 0) real__slept("poll", __builtin_return_address(0));
    if (real) return real(files, count, milliseconds);
    return (int)syscall(SYS_ppoll, files, count, milliseconds < 0 ? NULL : &limit, NULL, 0);
}

INSTEAD int select(int count, fd_set *reads, fd_set *writes, fd_set *others, struct timeval *limit)
{
    REAL(select);
    if (count == 0 && limit && (limit->tv_sec > 0 || limit->tv_usec > 0))
        real__slept("select", __builtin_return_address(0));
    if (real) return real(count, reads, writes, others, limit);
    const struct timespec all = { limit ? limit->tv_sec : 0, limit ? limit->tv_usec * 1000L : 0 };
    return (int)syscall(SYS_pselect6, count, reads, writes, others, limit ? &all : NULL, NULL);
}

INSTEAD int clock_gettime(clockid_t which, struct timespec *time)
{
    REAL(clock_gettime);
    if (which != CLOCK_PROCESS_CPUTIME_ID && which != CLOCK_THREAD_CPUTIME_ID)
        real__read("clock_gettime", __builtin_return_address(0));
    return real ? real(which, time) : direct_clock_gettime(which, time);
}

INSTEAD int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    REAL(gettimeofday);
    real__read("gettimeofday", __builtin_return_address(0));
    return real ? real(time, zone) : (int)syscall(SYS_gettimeofday, time, zone);
}

INSTEAD time_t time(time_t *seconds)
{
    struct timespec now;
    REAL(time);
    real__read("time", __builtin_return_address(0));
    if (real) return real(seconds);
    direct_clock_gettime(CLOCK_REALTIME_COARSE, &now); /* as the C library */
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}

INSTEAD clock_t clock(void)
{
    struct timespec used;
    REAL(clock);
    real__read("clock", __builtin_return_address(0));
    if (real) return real();
    direct_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (clock_t)(used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}

INSTEAD clock_t times(struct tms *used)
{
    REAL(times);
    real__read("times", __builtin_return_address(0));
    return real ? real(used) : (clock_t)direct_syscall(SYS_times, used);
}
