/* files.c - waits for files with a time limit or without: poll(), select(), epoll_wait() and their kin.
 *
 * A thread that waits for files lets the others run. Its files are looked at when virtual time has passed, and at once
 * after another thread has written. When all cores are idle, the wait is a real one, so that other processes may write
 * as well: the real time that passes then is virtual time.
 *
 * While it waits, a thread blocks its signals, and looks for pending ones instead; before it returns, they are
 * handled. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEVER ((double)INFINITY)
#define SLICE 0.02     /* [s]: of a real wait, after which signals are looked for */
#define SHORT 1e-3     /* [s]: a real wait is at least so long, because each may end 0.1 ms late */
#define OFTEN 1e-6     /* [s]: virtual time that passes between two looks at the files */
#define SAID_AFTER 3.0 /* [s] */

/* One wait. `files` is what a real wait would wait for; `look` is the call itself, without waiting. */
struct threads_files {
    struct pollfd *files;
    unsigned long count;
    double seconds;        /* INFINITY: without a limit */
    const sigset_t *given; /* signals that it blocks while it waits; NULL: those that the thread blocks anyway */
    int (*look)(void *);
    bool (*ready)(void *); /* true if look() would find something; takes nothing away */
    void *user;
    sigset_t mask; /* the given one, or that of the thread */
};

/*=============================================================================
 * MARK: - >>all that wait
 *===========================================================================*/

static threads_object *waits; /* NULL: no thread ever waited */
static double looked = -1;    /* virtual time of the last look [s] */
static struct pollfd *together;
static size_t together_room;

bool threads_files_waited(void)
{
    return waits && waits->first;
}

/* In the child of fork() no other thread waits. */
void threads_files_forget(void)
{
    if (waits) waits->first = waits->last = NULL;
}

const sigset_t *threads_files_mask(const threads_thread *t)
{
    return t->wait.files ? &t->wait.files->mask : NULL;
}

/* A pending signal that the mask lets through, and that would have an effect; 0: none. */
static int files__signal(const sigset_t *mask, bool *handled)
{
    sigset_t pending;
    if (sigpending(&pending) != 0 || sigisemptyset(&pending)) return 0;
    for (int i = 1; i <= 64; ++i) {
        struct sigaction action;
        if (sigismember(&pending, i) != 1 || sigismember(mask, i) == 1) continue;
        if (threads_real.sigaction(i, NULL, &action) != 0) continue;
        *handled = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
        if (*handled || (action.sa_handler == SIG_DFL && i != SIGCHLD && i != SIGURG && i != SIGWINCH && i != SIGCONT))
            return i;
    }
    return 0;
}

static bool files__ready(const threads_thread *t)
{
    bool handled;
    return t->wait.files->ready(t->wait.files->user) || files__signal(&t->wait.files->mask, &handled) > 0;
}

static bool files__any_ready(void)
{
    for (const threads_thread *t = waits->first; t; t = t->wait.next)
        if (files__ready(t)) return true;
    return false;
}

/* Threads whose files are ready by now go on. */
void threads_files_wake(void)
{
    const int error = errno;
    for (threads_thread *t = waits ? waits->first : NULL, *next; t; t = next) {
        next = t->wait.next;
        if (files__ready(t)) threads_wake(t, THREADS_WOKEN);
    }
    looked = threads_now();
    errno = error;
}

void threads_files_look(void)
{
    if (threads_files_waited() && threads_now() >= looked + OFTEN) threads_files_wake();
}

/* A signal from outside of the process for which a thread waits: waits really for it, or only looks. False: there is
 * none. */
static bool files__signal_await(bool wait)
{
    const struct timespec none = { 0, 0 };
    sigset_t all;
    bool any = false;
    sigemptyset(&all);
    for (threads_thread *t = threads_all; t; t = t->next_of_all)
        for (int i = 1; i <= 64 && t->wait.object && t->wait.object->kind == THREADS_SIGNAL; ++i)
            if (t->signals.awaited >> (i - 1) & 1) sigaddset(&all, i), any = true;
    if (!any) return false;
    int signal;
    do signal = threads_real.sigtimedwait(&all, NULL, wait ? NULL : &none);
    while (signal < 0 && errno == EINTR);
    for (threads_thread *t = threads_all; t && signal > 0; t = t->next_of_all)
        if (t->wait.object && t->wait.object->kind == THREADS_SIGNAL && t->signals.awaited >> (signal - 1) & 1) {
            t->signals.sent |= UINT64_C(1) << (signal - 1);
            threads_wake(t, THREADS_SIGNALLED);
            break;
        }
    return signal > 0;
}

bool threads_files_signal(void)
{
    return files__signal_await(true);
}

/* Waits really until a file is ready, for so many seconds at most. */
static void files__wait_really(double seconds)
{
    size_t count = 0;
    for (const threads_thread *t = waits->first; t; t = t->wait.next) {
        if (count + t->wait.files->count > together_room) {
            const size_t room = 2 * (count + t->wait.files->count);
            together = direct_reallocate(NULL, together, together_room * sizeof *together, room * sizeof *together);
            if (!together) threads_die("no memory for waits for %zu files", room);
            together_room = room;
        }
        for (unsigned long i = 0; i < t->wait.files->count; ++i) together[count++] = t->wait.files->files[i];
    }
    const struct timespec limit = { 0, (long)(1e9 * fmin(seconds, SLICE)) };
    threads_real.ppoll(together, count, &limit, NULL);
}

/* All cores are idle: waits in real time until a file is ready or a signal comes, for so many seconds at most.
 * Returns how long that took [s]: less than these seconds if something has happened. Short waits are put together to
 * longer ones. */
double threads_files_await(double most)
{
    static double owed; /* real time that has not yet been waited [s] */
    const int error = errno;
    const bool limited = most < DIRECT_FOREVER;
    if (!limited) owed = 0;
    if (owed + most < SHORT) {
        const bool any = files__any_ready() || files__signal_await(false);
        if (!any) owed += most;
        errno = error;
        return any ? 0 : most;
    }
    const double begin = direct_clock(CLOCK_MONOTONIC) + owed;
    double passed = -owed;
    owed = 0;
    while (passed < most && !files__any_ready() && !files__signal_await(false)) {
        if (passed > SAID_AFTER && !limited) {
            char call[40];
            snprintf(call, sizeof call, "%s()", waits->first->call);
            threads_outside(waits->first, call);
        }
        files__wait_really(most - passed);
        passed = direct_clock(CLOCK_MONOTONIC) - begin;
    }
    errno = error;
    return fmin(fmax(passed, 0), most);
}

/*=============================================================================
 * MARK: - >>one wait
 *===========================================================================*/

/* Signals that the mask of the wait lets through are handled. */
static void files__handle(const sigset_t *mask, const sigset_t *blocked)
{
    threads_real.mask(SIG_SETMASK, mask, NULL);
    threads_signals_raise(threads_self());
    threads_real.mask(SIG_SETMASK, blocked, NULL);
}

/* The call itself, which takes CPU time. */
static int files__look(threads_thread *t, const threads_files *w)
{
    threads_measure(t, true);
    const int result = w->look(w->user);
    const int error = errno;
    threads_measure(t, false);
    errno = error;
    return result;
}

/* Waits within a call. Returns -2 if the thread is cancelled. */
static int files__wait_in(threads_thread *t, threads_files *w, double until)
{
    sigset_t blocked, before;
    int result;
    sigfillset(&blocked);
    threads_unblocked(&blocked);
    threads_real.mask(SIG_SETMASK, &blocked, &before);
    w->mask = w->given ? *w->given : before;
    threads_unblocked(&w->mask);
    if (!waits) waits = threads_object_of(THREADS_FILES, NULL);
    for (;;) {
        bool handled = false;
        result = files__look(t, w);
        if (result != 0) break;
        if (files__signal(&w->mask, &handled)) {
            files__handle(&w->mask, &blocked);
            if (!handled) continue;
            errno = EINTR;
            result = -1;
            break;
        }
        if (threads_now() >= until) break;
        /* Of a rank, a wait for files is real, and takes no virtual time; so is one for a signal from outside. */
        if (threads_rank && !threads_timed() && (w->count > 0 || (!(until < NEVER) && threads_turn.alive < 2))) {
            const double seconds = until - threads_now();
            const struct timespec limit = { (time_t)fmin(seconds, SLICE), (long)(1e9 * fmod(fmin(seconds, SLICE), 1)) };
            threads_real.ppoll(w->files, w->count, &limit, &w->mask);
            result = files__look(t, w);
            if (result != 0 || !(seconds > SLICE)) break;
            until -= SLICE;
            continue;
        }
        threads_object_sited(t, waits, NULL);
        t->wait.files = w;
        t->wait.interruptible = true;
        const threads_end end = threads_wait(t, waits, until, true);
        t->wait.files = NULL;
        if (end == THREADS_CANCELLED) {
            result = -2;
            break;
        }
        if (end == THREADS_SIGNALLED) {
            files__handle(&w->mask, &blocked);
            errno = EINTR;
            result = -1;
            break;
        }
    }
    const int error = errno;
    threads_real.mask(SIG_SETMASK, &before, NULL);
    errno = error;
    return result;
}

/* Waits as the named call does. `left` receives the rest of its time [s]; NULL: not wanted. */
static int files__wait(const char *call, threads_files *w, double *left)
{
    threads_thread *t = threads_begin(call);
    int result;
    if (!t) return w->look(w->user);
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) {
        threads_cancel_now(t);
        t = threads_begin(call);
    }
    if (w->seconds > 0 || w->given) {
        const double until = threads_now() + w->seconds;
        result = files__wait_in(t, w, until);
        if (left) *left = fmax(until - threads_now(), 0);
    } else {
        result = files__look(t, w);
        if (result == 0) threads_poll();
    }
    if (result == -2) {
        threads_cancel_now(t);
        return 0;
    }
    const int error = errno;
    threads_leave(t);
    errno = error;
    return result;
}

static bool files__virtual(void)
{
    return threads_self() && !threads_off;
}

static double files__seconds(const struct timespec *time)
{
    return time ? (double)time->tv_sec + 1e-9 * (double)time->tv_nsec : NEVER;
}

/*=============================================================================
 * MARK: - >>poll
 *===========================================================================*/

typedef struct files_poll {
    struct pollfd *files;
    nfds_t count;
} files_poll;

static int files__poll_look(void *user)
{
    files_poll *p = user;
    return threads_real.poll(p->files, p->count, 0);
}

static bool files__poll_ready(void *user)
{
    return files__poll_look(user) != 0;
}

static int files__poll(const char *call, struct pollfd *files, nfds_t count, double seconds, const sigset_t *mask)
{
    files_poll p = { files, count };
    threads_files w = { .files = files,
                        .count = count,
                        .seconds = seconds,
                        .given = mask,
                        .look = files__poll_look,
                        .ready = files__poll_ready,
                        .user = &p };
    return files__wait(call, &w, NULL);
}

THREADS_PUBLIC int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    if (!files__virtual()) return threads_real.poll(files, count, milliseconds);
    return files__poll("poll", files, count, milliseconds < 0 ? NEVER : 1e-3 * milliseconds, NULL);
}

THREADS_PUBLIC int ppoll(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *mask)
{
    if (!files__virtual()) return threads_real.ppoll(files, count, time, mask);
    if (time && (time->tv_sec < 0 || !threads_time_valid(time))) return errno = EINVAL, -1;
    return files__poll("ppoll", files, count, files__seconds(time), mask);
}

/* Calls of programs that were compiled with _FORTIFY_SOURCE. */
THREADS_PUBLIC int __poll_chk(struct pollfd *files, nfds_t count, int milliseconds, size_t bytes);
THREADS_PUBLIC int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *mask,
                               size_t bytes);

THREADS_PUBLIC int __poll_chk(struct pollfd *files, nfds_t count, int milliseconds, size_t bytes)
{
    if (bytes / sizeof *files < count)
        threads_die("poll() of %lu files: expected an array of so many, found one of %zu", count,
                    bytes / sizeof *files);
    return poll(files, count, milliseconds);
}

THREADS_PUBLIC int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *mask,
                               size_t bytes)
{
    if (bytes / sizeof *files < count)
        threads_die("ppoll() of %lu files: expected an array of so many, found one of %zu", count,
                    bytes / sizeof *files);
    return ppoll(files, count, time, mask);
}

/*=============================================================================
 * MARK: - >>select
 *===========================================================================*/

enum { IN = 0, OUT, EXCEPT, SETS };

typedef struct files_select {
    int count;
    fd_set *sets[SETS];         /* of the program */
    unsigned long *asked[SETS]; /* what they asked for */
    size_t bytes;
} files_select;

static int files__select_look(void *user)
{
    const files_select *s = user;
    struct timeval none = { 0, 0 };
    for (int i = 0; i < SETS; ++i)
        if (s->sets[i]) memcpy(s->sets[i], s->asked[i], s->bytes);
    return threads_real.select(s->count, s->sets[IN], s->sets[OUT], s->sets[EXCEPT], &none);
}

static bool files__select_ready(void *user)
{
    return files__select_look(user) != 0;
}

static bool files__in(const files_select *s, int set, int file)
{
    const size_t bits = 8 * sizeof(unsigned long);
    return s->sets[set] && s->asked[set][(size_t)file / bits] >> ((size_t)file % bits) & 1;
}

/* The sets may be larger than an fd_set, as the kernel allows. */
static int files__select(const char *call, int count, fd_set *const sets[SETS], double seconds, const sigset_t *mask,
                         double *left)
{
    if (count < 0) return errno = EINVAL, -1;
    const size_t bytes = ((size_t)count + 63) / 64 * 8, room = (size_t)count * sizeof(struct pollfd) + SETS * bytes + 8;
    files_select s = { count, { sets[IN], sets[OUT], sets[EXCEPT] }, { NULL, NULL, NULL }, bytes };
    char *memory = direct_new(room);
    struct pollfd *files = (struct pollfd *)(void *)(memory + SETS * bytes);
    unsigned long used = 0;
    for (int i = 0; i < SETS; ++i) {
        s.asked[i] = (unsigned long *)(void *)(memory + (size_t)i * bytes);
        if (sets[i]) memcpy(s.asked[i], sets[i], bytes);
    }
    for (int i = 0; i < count; ++i) {
        const int events = (files__in(&s, IN, i) ? POLLIN : 0) | (files__in(&s, OUT, i) ? POLLOUT : 0) |
                           (files__in(&s, EXCEPT, i) ? POLLPRI : 0);
        if (events) files[used++] = (struct pollfd){ i, (short)events, 0 };
    }
    threads_files w = { .files = files,
                        .count = used,
                        .seconds = seconds,
                        .given = mask,
                        .look = files__select_look,
                        .ready = files__select_ready,
                        .user = &s };
    const int result = files__wait(call, &w, left);
    direct_reallocate(NULL, memory, room, 0);
    return result;
}

THREADS_PUBLIC int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
                          struct timeval *restrict time)
{
    if (!files__virtual()) return threads_real.select(count, in, out, except, time);
    if (time && (time->tv_sec < 0 || time->tv_usec < 0)) return errno = EINVAL, -1;
    fd_set *const sets[SETS] = { in, out, except };
    double left = 0;
    const int result = files__select("select", count, sets,
                                     time ? (double)time->tv_sec + 1e-6 * (double)time->tv_usec : NEVER, NULL, &left);
    if (time) {
        time->tv_sec = (time_t)left;
        time->tv_usec = (suseconds_t)(1e6 * (left - floor(left)));
    }
    return result;
}

THREADS_PUBLIC int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
                           const struct timespec *restrict time, const sigset_t *restrict mask)
{
    if (!files__virtual()) return threads_real.pselect(count, in, out, except, time, mask);
    if (time && (time->tv_sec < 0 || !threads_time_valid(time))) return errno = EINVAL, -1;
    fd_set *const sets[SETS] = { in, out, except };
    return files__select("pselect", count, sets, files__seconds(time), mask, NULL);
}

/*=============================================================================
 * MARK: - >>epoll
 *===========================================================================*/

typedef struct files_epoll {
    int file, most;
    struct epoll_event *events;
    struct pollfd set;
} files_epoll;

static int files__epoll_look(void *user)
{
    const files_epoll *e = user;
    return threads_real.epoll_wait(e->file, e->events, e->most, 0);
}

/* A set of epoll is itself a file that is ready when one of its files is; to ask for the events would take them. */
static bool files__epoll_ready(void *user)
{
    files_epoll *e = user;
    return threads_real.poll(&e->set, 1, 0) != 0;
}

static int files__epoll(const char *call, int file, struct epoll_event *events, int most, double seconds,
                        const sigset_t *mask)
{
    files_epoll e = { file, most, events, { file, POLLIN, 0 } };
    threads_files w = { .files = &e.set,
                        .count = 1,
                        .seconds = seconds,
                        .given = mask,
                        .look = files__epoll_look,
                        .ready = files__epoll_ready,
                        .user = &e };
    return files__wait(call, &w, NULL);
}

THREADS_PUBLIC int epoll_wait(int file, struct epoll_event *events, int most, int milliseconds)
{
    if (!files__virtual()) return threads_real.epoll_wait(file, events, most, milliseconds);
    return files__epoll("epoll_wait", file, events, most, milliseconds < 0 ? NEVER : 1e-3 * milliseconds, NULL);
}

THREADS_PUBLIC int epoll_pwait(int file, struct epoll_event *events, int most, int milliseconds, const sigset_t *mask)
{
    if (!files__virtual()) return threads_real.epoll_pwait(file, events, most, milliseconds, mask);
    return files__epoll("epoll_pwait", file, events, most, milliseconds < 0 ? NEVER : 1e-3 * milliseconds, mask);
}

THREADS_PUBLIC int epoll_pwait2(int file, struct epoll_event *events, int most, const struct timespec *time,
                                const sigset_t *mask);

THREADS_PUBLIC int epoll_pwait2(int file, struct epoll_event *events, int most, const struct timespec *time,
                                const sigset_t *mask)
{
    const double seconds = files__seconds(time);
    if (time && (time->tv_sec < 0 || !threads_time_valid(time))) return errno = EINVAL, -1;
    if (!files__virtual())
        return threads_real.epoll_pwait(file, events, most, seconds < 2e6 ? (int)ceil(1e3 * seconds) : -1, mask);
    return files__epoll("epoll_pwait2", file, events, most, seconds, mask);
}

/*=============================================================================
 * MARK: - >>signals
 *===========================================================================*/

/* sigsuspend() and pause() are waits without files. */

static int files__none_look(void *user)
{
    (void)user;
    return 0;
}

static bool files__none_ready(void *user)
{
    (void)user;
    return false;
}

static int files__suspend(const char *call, const sigset_t *mask)
{
    threads_files w = { .seconds = NEVER, .given = mask, .look = files__none_look, .ready = files__none_ready };
    return files__wait(call, &w, NULL);
}

THREADS_PUBLIC int sigsuspend(const sigset_t *mask)
{
    if (!files__virtual()) return threads_real.sigsuspend(mask);
    return files__suspend("sigsuspend", mask);
}

THREADS_PUBLIC int pause(void)
{
    if (!files__virtual()) return threads_real.pause();
    return files__suspend("pause", NULL);
}

/*=============================================================================
 * MARK: - >>writing
 *===========================================================================*/

/* A write happens at the right virtual time, and threads that wait for it see it at once. */

static bool files__write_begin(const char *call)
{
    if (!threads_files_waited() || !threads_turn_mine()) return false;
    threads_leave(threads_begin(call)); /* the write itself may wait */
    return true;
}

static void files__write_end(bool waited)
{
    threads_thread *t = waited ? threads_enter("write") : NULL;
    if (!t) return;
    threads_files_wake();
    const int error = errno;
    threads_leave(t);
    errno = error;
}

THREADS_PUBLIC ssize_t write(int file, const void *bytes, size_t count)
{
    if (!threads_real.write) threads_above.prepare();
    const bool waited = files__write_begin("write");
    const ssize_t result = threads_real.write(file, bytes, count);
    files__write_end(waited);
    return result;
}

THREADS_PUBLIC ssize_t writev(int file, const struct iovec *parts, int count)
{
    if (!threads_real.writev) threads_above.prepare();
    const bool waited = files__write_begin("writev");
    const ssize_t result = threads_real.writev(file, parts, count);
    files__write_end(waited);
    return result;
}

THREADS_PUBLIC ssize_t send(int file, const void *bytes, size_t count, int flags)
{
    if (!threads_real.send) threads_above.prepare();
    const bool waited = files__write_begin("send");
    const ssize_t result = threads_real.send(file, bytes, count, flags);
    files__write_end(waited);
    return result;
}

THREADS_PUBLIC ssize_t sendto(int file, const void *bytes, size_t count, int flags, const struct sockaddr *to,
                              socklen_t length)
{
    if (!threads_real.sendto) threads_above.prepare();
    const bool waited = files__write_begin("sendto");
    const ssize_t result = threads_real.sendto(file, bytes, count, flags, to, length);
    files__write_end(waited);
    return result;
}

THREADS_PUBLIC ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    if (!threads_real.sendmsg) threads_above.prepare();
    const bool waited = files__write_begin("sendmsg");
    const ssize_t result = threads_real.sendmsg(file, message, flags);
    files__write_end(waited);
    return result;
}

THREADS_PUBLIC int eventfd_write(int file, eventfd_t value)
{
    return write(file, &value, sizeof value) == sizeof value ? 0 : -1;
}
