/* watch.c - tasks that do not come back: a look, from outside, at the one that has the turn. */
#define _GNU_SOURCE
#include "direct.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*=============================================================================
 * MARK: - >>progress
 *===========================================================================*/

/* The CPU time of a task, by the clock that the system has for each process and each thread of it [s]. */
static double watch__cpu(const direct_task *t)
{
    enum { PROCESS = 2, THREAD = 6 };
    return t->thread ? direct_clock((clockid_t)(~(unsigned)t->thread << 3 | THREAD))
                     : direct_clock((clockid_t)(~(unsigned)t->process << 3 | PROCESS));
}

void direct_watch_look(direct_watch *w, const direct_task *task, uint64_t mark, bool busy, double step)
{
    const double now = direct_clock(CLOCK_MONOTONIC), passed = fmin(now - w->at, step + 0.1), cpu = watch__cpu(task);
    const bool progress = busy || task != w->task || mark != w->mark;
    w->stalled = progress ? 0 : w->stalled + passed;
    w->asleep = progress || cpu > w->cpu || cpu < w->cpu ? 0 : w->asleep + passed;
    if (progress) w->counted = cpu;
    w->task = task;
    w->mark = mark;
    w->cpu = cpu;
    w->at = now;
}

bool direct_watch_spent(direct_watch *w, double seconds)
{
    if (!(w->cpu > w->counted + seconds)) return false;
    w->counted = w->cpu;
    return true;
}

/*=============================================================================
 * MARK: - >>waits in the kernel
 *===========================================================================*/

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

/* The system calls that wait, by their names. */
static const char *watch__call_name(long number)
{
    static const struct {
        long number;
        const char *name;
    } calls[] = {
        { SYS_read, "read" },
        { SYS_readv, "readv" },
        { SYS_write, "write" },
        { SYS_writev, "writev" },
        { SYS_recvfrom, "recvfrom" },
        { SYS_recvmsg, "recvmsg" },
        { SYS_recvmmsg, "recvmmsg" },
        { SYS_sendto, "sendto" },
        { SYS_sendmsg, "sendmsg" },
        { SYS_accept4, "accept4" },
        { SYS_connect, "connect" },
        { SYS_ppoll, "ppoll" },
        { SYS_pselect6, "pselect" },
        { SYS_epoll_pwait, "epoll_wait" },
        { SYS_rt_sigsuspend, "sigsuspend" },
        { SYS_openat, "open" },
        { SYS_wait4, "wait4" },
        { SYS_waitid, "waitid" },
        { SYS_flock, "flock" },
        { SYS_fcntl, "fcntl" },
        { SYS_splice, "splice" },
        { SYS_mq_timedreceive, "mq_receive" },
        { SYS_mq_timedsend, "mq_send" },
        { SYS_futex, "futex" },
        { SYS_nanosleep, "nanosleep" },
        { SYS_clock_nanosleep, "clock_nanosleep" },
        { SYS_rt_sigtimedwait, "sigtimedwait" },
        { SYS_io_getevents, "io_getevents" },
#ifdef SYS_accept /* not on all processors */
        { SYS_accept, "accept" },
#endif
#ifdef SYS_semop
        { SYS_msgrcv, "msgrcv" },
        { SYS_msgsnd, "msgsnd" },
        { SYS_semtimedop, "semop" },
        { SYS_semop, "semop" },
#endif
#ifdef SYS_poll
        { SYS_poll, "poll" },
        { SYS_select, "select" },
        { SYS_epoll_wait, "epoll_wait" },
        { SYS_pause, "pause" },
        { SYS_open, "open" },
#endif
#ifdef SYS_epoll_pwait2
        { SYS_epoll_pwait2, "epoll_pwait2" },
#endif
#ifdef SYS_io_uring_enter
        { SYS_io_uring_enter, "io_uring_enter" },
#endif
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        if (calls[i].number == number) return calls[i].name;
    return NULL;
}

long direct_waits_in(const direct_task *t, char *call, size_t room)
{
    char line[64];
    direct_about(t->process, t->thread, "syscall", line, sizeof line);
    if (direct_state(t->process, t->thread) != 'S' || *line < '0' || *line > '9') return -1;
    const long number = strtol(line, NULL, 10);
    const char *name = watch__call_name(number);
    if (name)
        snprintf(call, room, "%s()", name);
    else
        snprintf(call, room, "system call %ld", number);
    return number;
}
