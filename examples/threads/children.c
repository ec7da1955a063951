/* children.c - other processes that the program makes, and waits for. Two kinds of them:
 *
 * A copy of the program, by fork(), goes on with a virtual clock of its own, which begins at the time of the fork; its threads do not
 * take cores from those of its parent. When it ends, it leaves the time in memory that both share, and no wait for it is over before.
 * Another program, by exec() or system(), runs really, beside the model, and may use all processors: a wait for it is one for something
 * outside (files.c), which takes the time that it really takes while all cores are idle. One sentence says so.
 */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define TOLD_AFTER 0.1 /* [s] of CPU time */

/* A child has ended, which used so much. */
static void children__ended(pid_t child, const struct rusage *usage)
{
    static double used;
    static bool said;
    used += (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
            1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
    if (said || used < TOLD_AFTER || threads_turn.forked) return;
    said = true;
    threads_say("process %ld, a child of the program, was no part of the run, but ran beside it, and used a core for "
                "%.3f s: waits for "
                "children take %s",
                (long)child, used,
                threads_set.fixed ? "no virtual time, as no times are measured" : "the time that they really take");
}

/*=============================================================================
 * MARK: - >>copies of the program
 *===========================================================================*/

enum { MOST_ENDED = 1024 };

/* Processes that have ended, in memory that all of them share, one after another. */
typedef struct children_ends {
    uint32_t count;
    struct {
        pid_t child;
        double time; /* virtual [s] */
    } list[MOST_ENDED];
} children_ends;

static children_ends *ends; /* NULL: no memory */

void threads_children_prepare(void)
{
    void *memory = mmap(NULL, sizeof *ends, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ends = memory == MAP_FAILED ? NULL : memory;
}

void threads_children_end(void)
{
    if (!ends) return;
    const uint32_t place = __atomic_fetch_add(&ends->count, 1, __ATOMIC_SEQ_CST) % MOST_ENDED;
    ends->list[place].time = threads_now();
    __atomic_store_n(&ends->list[place].child, getpid(), __ATOMIC_SEQ_CST);
}

/* The virtual time at which a child has ended; 0: not known. */
static double children__end_of(pid_t child)
{
    const uint32_t count = !ends ? 0 : ends->count < MOST_ENDED ? ends->count : MOST_ENDED;
    for (uint32_t i = 0; i < count; ++i)
        if (ends->list[i].child == child) return ends->list[i].time;
    return 0;
}

static void children__forget(pid_t child)
{
    for (uint32_t i = 0; ends && i < MOST_ENDED; ++i)
        if (ends->list[i].child == child) ends->list[i].child = 0;
}

/*=============================================================================
 * MARK: - >>waiting
 *===========================================================================*/

/* One wait, as the system calls wait4 and waitid have it. */
typedef struct children_wait {
    threads_files_attempt attempt;
    idtype_t type;
    id_t id;
    int *status;     /* of wait4 */
    siginfo_t *info; /* of waitid; NULL: wait4 */
    struct rusage usage;
    int options;
    pid_t result;
} children_wait;

static bool children__try(threads_files_attempt *a)
{
    children_wait *w = (children_wait *)(void *)a;
    const int options = w->options | WNOHANG;
    if (!w->info) {
        w->result = (pid_t)threads_real.syscall(SYS_wait4, (long)(pid_t)w->id, w->status, options, &w->usage);
        return w->result != 0;
    }
    w->info->si_pid = 0;
    w->result = (pid_t)threads_real.syscall(SYS_waitid, w->type, w->id, w->info, options, &w->usage);
    return w->result != 0 || w->info->si_pid != 0;
}

/* A child has been found, of which the virtual end may still come: no signal is handled until then. */
static void children__found(const char *call, const children_wait *w)
{
    const pid_t child = w->result < 0 ? 0 : w->info ? w->info->si_pid : w->result;
    if (child <= 0) return;
    const double end = children__end_of(child);
    if (end > threads_now()) {
        threads_thread *t = threads_enter(call);
        threads_wait(t, threads_object_of(THREADS_SLEEP, NULL), end - threads_set.timer_delay, false);
        threads_leave(t);
    }
    if (w->options & WNOWAIT) return;
    children__forget(child);
    if (!(end > 0)) children__ended(child, &w->usage);
}

/* A child that has ended really, but not yet in virtual time. */
static bool children__early(const children_wait *w)
{
    siginfo_t info = { .si_pid = 0 };
    const idtype_t type = w->info ? w->type : (pid_t)w->id > 0 ? P_PID : (pid_t)w->id == -1 ? P_ALL : P_PGID;
    const id_t id = w->info || type != P_PGID ? w->id : -w->id;
    threads_real.syscall(SYS_waitid, type, id, &info, WEXITED | WNOHANG | WNOWAIT, NULL);
    return info.si_pid > 0 && children__end_of(info.si_pid) > threads_now();
}

/* Returns what the system call does. */
static pid_t children__wait(const char *call, children_wait *w)
{
    w->attempt.attempt = children__try;
    w->attempt.file = -1;
    if (w->options & WNOHANG) {
        threads_thread *t = threads_begin(call);
        if (children__early(w) || !children__try(&w->attempt)) threads_poll();
        threads_leave(t);
    } else {
        if (w->info ? w->type == P_PID : (pid_t)w->id > 0)
            w->attempt.file = (int)threads_real.syscall(SYS_pidfd_open, w->id, 0);
        if (!threads_files_try(call, &w->attempt, (double)INFINITY)) w->result = -1;
    }
    const int error = errno;
    children__found(call, w);
    if (w->attempt.file >= 0) threads_real.syscall(SYS_close, w->attempt.file);
    errno = error;
    return w->result;
}

/* Of a rank whose time is not measured, a child takes no virtual time, whatever other ranks do meanwhile. */
static bool children__really(void)
{
    return !threads_turn_mine() || (threads_rank && threads_set.fixed);
}

static pid_t children__wait4(const char *call, pid_t child, int *status, int options, struct rusage *usage)
{
    if (children__really()) return (pid_t)threads_real.syscall(SYS_wait4, (long)child, status, options, usage);
    children_wait w = { .id = (id_t)child, .status = status, .options = options };
    const pid_t result = children__wait(call, &w);
    if (usage && result > 0) *usage = w.usage;
    return result;
}

THREADS_PUBLIC pid_t waitpid(pid_t child, int *status, int options)
{
    THREADS_THROUGH(waitpid, (child, status, options));
    return children__wait4("waitpid", child, status, options, NULL);
}

THREADS_PUBLIC pid_t wait(int *status)
{
    THREADS_THROUGH(wait, (status));
    return children__wait4("wait", -1, status, 0, NULL);
}

THREADS_PUBLIC pid_t wait3(int *status, int options, struct rusage *usage)
{
    THREADS_THROUGH(wait3, (status, options, usage));
    return children__wait4("wait3", -1, status, options, usage);
}

THREADS_PUBLIC pid_t wait4(pid_t child, int *status, int options, struct rusage *usage)
{
    THREADS_THROUGH(wait4, (child, status, options, usage));
    return children__wait4("wait4", child, status, options, usage);
}

THREADS_PUBLIC int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    siginfo_t own;
    THREADS_THROUGH(waitid, (type, id, info, options));
    if (children__really()) return (int)threads_real.syscall(SYS_waitid, type, id, info, options, NULL);
    children_wait w = { .type = type, .id = id, .info = info ? info : &own, .options = options };
    return children__wait("waitid", &w);
}

THREADS_PUBLIC pid_t __wait(int *status);
THREADS_PUBLIC pid_t __waitpid(pid_t child, int *status, int options);

THREADS_PUBLIC pid_t __wait(int *status)
{
    return wait(status);
}

THREADS_PUBLIC pid_t __waitpid(pid_t child, int *status, int options)
{
    return waitpid(child, status, options);
}

/*=============================================================================
 * MARK: - >>making
 *===========================================================================*/

typedef int children_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                           char *const[], char *const[]);

/* It inherits the processors of the thread that makes it. */
static int children__spawn(const char *call, children_spawn *spawn, pid_t *child, const char *path,
                           const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                           char *const *arguments, char *const *variables)
{
    const bool ours = threads_self() && !threads_off;
    if (ours) {
        threads_leave(threads_begin(call));
        threads_watch_spread(true);
    }
    const int error = spawn(child, path, actions, attributes, arguments, variables);
    if (ours) threads_watch_spread(false);
    return error;
}

#define SPAWN_CALL(name)                                                                                               \
    THREADS_PUBLIC int name(pid_t *restrict child, const char *restrict path,                                          \
                            const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attributes,   \
                            char *const arguments[restrict], char *const variables[restrict])                          \
    {                                                                                                                  \
        static children_spawn *real;                                                                                   \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        return children__spawn(#name, real, child, path, actions, attributes, arguments, variables);                   \
    }

SPAWN_CALL(posix_spawn)
SPAWN_CALL(posix_spawnp)

/* Starts a command of the shell as system() and popen() do. */
static int children__shell(const char *call, pid_t *child, const char *command,
                           const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes)
{
    static children_spawn *real;
    char shell[] = "sh", option[] = "-c", *const arguments[] = { shell, option, (char *)(uintptr_t)command, NULL };
    if (!real) *(void **)(void *)&real = threads_real_function("posix_spawn");
    return children__spawn(call, real, child, "/bin/sh", actions, attributes, arguments, environ);
}

/* While commands run, the process ignores two signals, and the thread blocks the one that tells their ends. */
THREADS_PUBLIC int system(const char *command)
{
    static unsigned running;
    static struct sigaction before_int, before_quit;
    THREADS_THROUGH(system, (command));
    if (!command || !threads_turn_mine())
        return ((int (*)(const char *))(uintptr_t)threads_real_function("system"))(command);
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    posix_spawnattr_t attributes;
    sigset_t defaults, chld, before;
    pid_t child;
    int status = -1;
    if (running++ == 0) {
        threads_real.sigaction(SIGINT, &ignore, &before_int);
        threads_real.sigaction(SIGQUIT, &ignore, &before_quit);
    }
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    threads_real.mask(SIG_BLOCK, &chld, &before);
    sigemptyset(&defaults);
    if (before_int.sa_handler != SIG_IGN) sigaddset(&defaults, SIGINT);
    if (before_quit.sa_handler != SIG_IGN) sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int error = children__shell("system", &child, command, NULL, &attributes);
    if (error)
        status = 127 << 8;
    else
        while (children__wait4("system", child, &status, 0, NULL) < 0 && errno == EINTR) continue;
    posix_spawnattr_destroy(&attributes);
    if (--running == 0) {
        threads_real.sigaction(SIGINT, &before_int, NULL);
        threads_real.sigaction(SIGQUIT, &before_quit, NULL);
    }
    threads_real.mask(SIG_SETMASK, &before, NULL);
    return status;
}

/*=============================================================================
 * MARK: - >>streams
 *===========================================================================*/

typedef struct children_stream {
    struct children_stream *next;
    FILE *stream;
    pid_t child;
} children_stream;

static children_stream *streams; /* those that popen() has opened */

/* The child's end of the pipe becomes its standard input or output; it gets none of the other pipes of this kind. */
static pid_t children__start(const char *command, int end, int standard)
{
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    posix_spawn_file_actions_init(&actions);
    for (const children_stream *s = streams; s; s = s->next)
        if (fileno(s->stream) != standard) posix_spawn_file_actions_addclose(&actions, fileno(s->stream));
    posix_spawn_file_actions_adddup2(&actions, end, standard);
    const int error = children__shell("popen", &child, command, &actions, NULL);
    posix_spawn_file_actions_destroy(&actions);
    if (error) errno = error;
    return error ? -1 : child;
}

THREADS_PUBLIC FILE *popen(const char *command, const char *mode)
{
    THREADS_THROUGH(popen, (command, mode));
    const bool reads = strchr(mode, 'r');
    int pair[2];
    if (!threads_turn_mine())
        return ((FILE * (*)(const char *, const char *))(uintptr_t)threads_real_function("popen"))(command, mode);
    if (reads == (strchr(mode, 'w') != NULL)) return errno = EINVAL, NULL;
    if (pipe2(pair, O_CLOEXEC) != 0) return NULL;
    const int ours = pair[reads ? 0 : 1], theirs = pair[reads ? 1 : 0];
    const pid_t child = children__start(command, theirs, reads ? STDOUT_FILENO : STDIN_FILENO);
    const int error = errno;
    close(theirs);
    children_stream *s = child < 0 ? NULL : malloc(sizeof *s);
    if (s && !strchr(mode, 'e')) fcntl(ours, F_SETFD, 0);
    if (s && (s->stream = fdopen(ours, reads ? "r" : "w"))) {
        s->child = child;
        s->next = streams;
        streams = s;
        return s->stream;
    }
    close(ours);
    free(s);
    errno = child < 0 ? error : ENOMEM;
    return NULL;
}

THREADS_PUBLIC int pclose(FILE *stream)
{
    int status = -1;
    children_stream **at = &streams;
    while (*at && (*at)->stream != stream) at = &(*at)->next;
    children_stream *s = *at;
    if (!s) return ((int (*)(FILE *))(uintptr_t)threads_real_function("pclose"))(stream);
    *at = s->next;
    fclose(stream);
    pid_t ended;
    do ended = children__wait4("pclose", s->child, &status, 0, NULL);
    while (ended < 0 && errno == EINTR);
    free(s);
    return ended < 0 ? -1 : status;
}

/*=============================================================================
 * MARK: - >>another program in this process
 *===========================================================================*/

#define BEGIN "SIMTHREADS_BEGIN="

typedef int children_exec(const char *, char *const[], char *const[]);

/* The run goes on in the program that replaces this one: its clock begins at the time that the environment says. */
static int children__exec(const char *call, children_exec *exec, const char *path, char *const *arguments,
                          char *const *variables)
{
    char begin[64];
    size_t count = 0, kept = 0;
    if (!threads_turn_mine() || threads_rank || threads_turn.forked || threads_report_borrowed())
        return exec(path, arguments, variables);
    threads_thread *t = threads_begin(call);
    snprintf(begin, sizeof begin, BEGIN "%.17g", threads_now());
    while (variables && variables[count]) ++count;
    char **all = malloc((count + 2) * sizeof *all);
    for (size_t i = 0; all && i < count; ++i)
        if (strncmp(variables[i], BEGIN, strlen(BEGIN)) != 0) all[kept++] = variables[i];
    if (all) all[kept++] = begin, all[kept] = NULL;
    const int result = exec(path, arguments, all ? all : variables);
    const int error = errno;
    free(all);
    threads_leave(t);
    errno = error;
    return result;
}

THREADS_PUBLIC int execve(const char *path, char *const arguments[], char *const variables[])
{
    return children__exec("execve", (children_exec *)(uintptr_t)threads_real_function("execve"), path, arguments,
                          variables);
}

THREADS_PUBLIC int execvpe(const char *file, char *const arguments[], char *const variables[])
{
    return children__exec("execvpe", (children_exec *)(uintptr_t)threads_real_function("execvpe"), file, arguments,
                          variables);
}

THREADS_PUBLIC int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

THREADS_PUBLIC int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

/* The arguments of execl() and its kin, up to NULL, as an array; after them, execle() has the environment. */
#define LIST_CALL(name, way, ...)                                                                                      \
    THREADS_PUBLIC int name(const char *path, const char *argument, ...)                                               \
    {                                                                                                                  \
        size_t count = 1;                                                                                              \
        va_list list;                                                                                                  \
        va_start(list, argument);                                                                                      \
        while (va_arg(list, char *)) ++count;                                                                          \
        va_end(list);                                                                                                  \
        char *arguments[count + 1];                                                                                    \
        arguments[0] = (char *)(uintptr_t)argument;                                                                    \
        va_start(list, argument);                                                                                      \
        for (size_t i = 1; i <= count; ++i) arguments[i] = va_arg(list, char *);                                       \
        const int result = way(path, arguments, __VA_ARGS__);                                                          \
        va_end(list);                                                                                                  \
        return result;                                                                                                 \
    }

LIST_CALL(execl, execve, environ)
LIST_CALL(execlp, execvpe, environ)
LIST_CALL(execle, execve, va_arg(list, char **))
