/* real.c - the functions of the C library that stand behind ours, the real clocks, and messages on the standard error.
 * The lowest file: it calls no other one. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

threads_real_calls threads_real;
bool threads_off, threads_rank, threads_hushed, threads_shared;

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/

void threads_say(const char *format, ...)
{
    char text[1024] = "simthreads: ";
    const size_t begin = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + begin, sizeof text - begin - 1, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    size_t end = begin + (size_t)length < sizeof text - 2 ? begin + (size_t)length : sizeof text - 2;
    text[end++] = '\n';
    if (threads_above.write(STDERR_FILENO, text, end) < 0) return;
}

void threads_die(const char *format, ...)
{
    char text[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    threads_say("%s", text);
    threads_off = true;
    threads_real.end(70);
    abort();
}

/*=============================================================================
 * MARK: - >>functions
 *===========================================================================*/

void *threads_real_function(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) threads_say("the C library has no %s()", name);
    return function;
}

/* A program with a sanitizer defines one of these. Weak symbols find that out; dlsym() would allocate memory for its error message. */
extern void __asan_init(void) __attribute__((weak, visibility("default")));
extern void __tsan_init(void) __attribute__((weak, visibility("default")));
extern void __msan_init(void) __attribute__((weak, visibility("default")));

bool threads_sanitized(void)
{
    return &__asan_init || &__tsan_init || &__msan_init;
}

/* Programs that are linked with examples/messages have this. */
extern const char messages_in_program __attribute__((weak, visibility("default")));

void threads_real_find(void)
{
    threads_rank = &messages_in_program != NULL;
#define REAL(member, name) *(void **)(void *)&threads_real.member = threads_real_function(name)
    REAL(write, "write");
    REAL(create, "pthread_create");
    REAL(join, "pthread_join");
    REAL(detach, "pthread_detach");
    REAL(exit, "pthread_exit");
    REAL(cancel, "pthread_cancel");
    REAL(setcancelstate, "pthread_setcancelstate");
    REAL(setcanceltype, "pthread_setcanceltype");
    REAL(testcancel, "pthread_testcancel");
    REAL(kill, "pthread_kill");
    REAL(kill_process, "kill");
    REAL(sigaction, "sigaction");
    REAL(sigtimedwait, "sigtimedwait");
    REAL(setname, "pthread_setname_np");
    REAL(mask, "pthread_sigmask");
    REAL(syscall, "syscall");
    REAL(clock_gettime, "clock_gettime");
    REAL(clock_nanosleep, "clock_nanosleep");
    REAL(sysconf, "sysconf");
    REAL(end, "_exit");
    REAL(setaffinity, "sched_setaffinity");
    REAL(getaffinity, "sched_getaffinity");
    REAL(poll, "poll");
    REAL(ppoll, "ppoll");
    REAL(select, "select");
    REAL(pselect, "pselect");
    REAL(epoll_wait, "epoll_wait");
    REAL(epoll_pwait, "epoll_pwait");
    REAL(sigsuspend, "sigsuspend");
    REAL(pause, "pause");
    REAL(writev, "writev");
    REAL(send, "send");
    REAL(sendto, "sendto");
    REAL(sendmsg, "sendmsg");
#undef REAL
    direct_syscall = threads_real.syscall;
}
