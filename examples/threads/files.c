/* files.c - waits for files with a time limit or without: poll(), select(), epoll_wait() and their kin, and the waits of
 * pipes.c and others above.
 *
 * A thread that waits for files lets the others run. Its files are looked at when virtual time has passed, and at once
 * after another thread has written. When all cores are idle, the wait is a real one, so that other processes may write
 * as well: the real time that passes then is virtual time. Of a rank, the others are those of all ranks: its engine knows
 * when one of them has written, and when none can go on.
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
#include <sys/select.h>
#include <unistd.h>

#define NEVER ((double)INFINITY)
#define SLICE 0.02     /* [s]: of a real wait, after which signals are looked for */
#define SHORT 1e-3     /* [s]: a real wait is at least so long, because each may end 0.1 ms late */
#define UNSEEN 1e-3    /* [s]: the same, for what no file tells */
#define OFTEN 1e-6     /* [s]: virtual time that passes between two looks at the files */
#define SAID_AFTER 0.1 /* [s]: of real waits, all together */

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

void threads_files_changed(void)
{
    if (threads_files_waited()) threads_files_wake();
    if (threads_engine->changed) threads_engine->changed();
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

/* One sentence says that threads wait for something outside, and not for a time: a wait for another thread takes no real time. */
static void files__outside(const threads_thread *t, double seconds)
{
    static double waited;
    static bool said;
    waited += seconds;
    if (said || !(waited > SAID_AFTER)) return;
    said = true;
    threads_say("at %.9g s: thread %u%s%s waits in %s() for something outside of the program: %s", threads_now(),
                t->number, *t->name ? ", " : "", t->name, t->call,
                threads_set.fixed ? "as no times are measured, this takes no virtual time"
                                  : "such waits take the time that they really take");
}

/* Waits really until a file is ready, for so many seconds at most. */
static void files__wait_really(double seconds)
{
    const threads_thread *first = waits->first;
    const double began = direct_clock(CLOCK_MONOTONIC);
    size_t count = 0;
    double slice = SLICE;
    for (const threads_thread *t = waits->first; t; t = t->wait.next) {
        if (count + t->wait.files->count > together_room) {
            const size_t room = 2 * (count + t->wait.files->count);
            together = direct_reallocate(NULL, together, together_room * sizeof *together, room * sizeof *together);
            if (!together) threads_die("no memory for waits for %zu files", room);
            together_room = room;
        }
        for (unsigned long i = 0; i < t->wait.files->count; ++i) together[count++] = t->wait.files->files[i];
        if (t->wait.files->slice > 0) slice = fmin(slice, t->wait.files->slice);
        if (first->wait.files->count == 0) first = t;
    }
    const struct timespec limit = { 0, (long)(1e9 * fmin(seconds, slice)) };
    threads_real.ppoll(together, count, &limit, NULL);
    if (!(seconds < NEVER) && (first->wait.files->count > 0 || first->wait.files->slice > 0))
        files__outside(first, direct_clock(CLOCK_MONOTONIC) - began);
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
        files__wait_really(most - passed);
        passed = direct_clock(CLOCK_MONOTONIC) - begin;
    }
    errno = error;
    return fmin(fmax(passed, 0), most);
}

/*=============================================================================
 * MARK: - >>one wait
 *===========================================================================*/

/* True if the call begins again after this signal has been handled, as read() does, and not poll(). */
static bool files__restarts(const threads_files *w, int signal)
{
    struct sigaction action;
    return w->restarts && threads_real.sigaction(signal, NULL, &action) == 0 && action.sa_flags & SA_RESTART;
}

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

/* A real wait of a rank, so long at most; returns how long it took [s]. */
static double files__slice(const threads_thread *t, const threads_files *w, double most)
{
    const double seconds = fmin(most, w->slice > 0 ? w->slice : SLICE), began = direct_clock(CLOCK_MONOTONIC);
    const struct timespec limit = { 0, (long)(1e9 * seconds) };
    threads_real.ppoll(w->files, w->count, &limit, &w->mask);
    const double passed = direct_clock(CLOCK_MONOTONIC) - began;
    if (!(most < NEVER) && (w->count > 0 || w->slice > 0)) files__outside(t, passed);
    return passed;
}

/* No rank can go on: a real wait, which takes as long in virtual time. Afterwards, others may look at their files, too. */
static double files__idle(threads_thread *t, const threads_files *w, double most)
{
    const double passed = files__slice(t, w, most);
    if (!threads_set.fixed || most < NEVER) threads_wait(t, waits, threads_now() + fmin(passed, most), false);
    threads_files_changed();
    return passed;
}

/* Waits within a call. Returns -2 if the thread is cancelled. */
static int files__wait_in(threads_thread *t, threads_files *w, double until)
{
    sigset_t blocked, before;
    double believed = 0; /* real time that a rank has waited [s] */
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
        const int pending = files__signal(&w->mask, &handled);
        if (pending) {
            const bool again = !handled || files__restarts(w, pending);
            files__handle(&w->mask, &blocked);
            if (again) continue;
            errno = EINTR;
            result = -1;
            break;
        }
        if (threads_now() >= until) {
            if (!threads_rank || believed >= w->seconds || w->count == 0 || !(w->seconds > 0)) break;
            /* Another process than a rank has had no real time to do what this one waits for. */
            believed += files__slice(t, w, w->seconds - believed);
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
            const bool again = files__restarts(w, t->signals.sent ? __builtin_ctzll(t->signals.sent) + 1 : 0);
            files__handle(&w->mask, &blocked);
            if (again) continue;
            errno = EINTR;
            result = -1;
            break;
        }
        if (t->wait.idle) believed += files__idle(t, w, until - threads_now());
        if (t->wait.idle && !(w->seconds < NEVER)) threads_engine->idled(t->task, t->call, believed);
    }
    const int error = errno;
    threads_real.mask(SIG_SETMASK, &before, NULL);
    errno = error;
    return result;
}

/* The call that waits may itself be within one (pipes.c). */
static void files__cancel(threads_thread *t)
{
    const int inside = t->inside;
    t->inside = 1;
    threads_cancel_now(t);
    threads_enter(t->call);
    t->inside = inside;
}

int threads_files_wait(const char *call, threads_files *w, double *left)
{
    threads_thread *t = threads_begin(call);
    int result;
    if (!t) return w->look(w->user);
    if (t->cancel.asked && t->cancel.state == PTHREAD_CANCEL_ENABLE) files__cancel(t);
    if (w->seconds > 0 || w->given) {
        const double until = threads_now() + w->seconds;
        result = files__wait_in(t, w, until);
        if (left) *left = fmax(until - threads_now(), 0);
    } else {
        result = files__look(t, w);
        if (result == 0) threads_poll();
    }
    if (result == -2) {
        files__cancel(t);
        result = 0;
    }
    const int error = errno;
    threads_leave(t);
    errno = error;
    return result;
}

/*=============================================================================
 * MARK: - >>calls that are tried again
 *===========================================================================*/

/* An attempt may be that of another thread, in the name of this one. */
static bool files__try_ready(void *user)
{
    threads_files_attempt *a = user;
    if (a->over) return true;
    a->over = a->attempt(a);
    a->error = errno;
    return a->over;
}

static int files__try_look(void *user)
{
    return files__try_ready(user);
}

bool threads_files_try(const char *call, threads_files_attempt *a, double seconds)
{
    struct pollfd one = { a->file, POLLIN, 0 };
    threads_files w = { .files = &one,
                        .count = a->file >= 0,
                        .seconds = seconds,
                        .slice = a->file >= 0 ? 0 : UNSEEN,
                        .restarts = true,
                        .look = files__try_look,
                        .ready = files__try_ready,
                        .user = a };
    a->over = false;
    const int result = threads_files_wait(call, &w, NULL);
    if (a->over) errno = a->error;
    if (result == 0) errno = EAGAIN;
    return a->over;
}

/* Ranks that share a process cannot wait in the kernel: the one that is awaited may be one of them. */
void threads_files_refuse(const char *call)
{
    threads_die("%s() would wait, in a process that ranks share, for another rank perhaps: not supported; "
                "SIMKIT_RANKS=processes gives each "
                "rank a process",
                call);
}

static void files__shared(const char *call, struct pollfd *files, nfds_t count, bool limited)
{
    if (threads_shared && !limited && count > 0 && threads_real.poll(files, count, 0) == 0) threads_files_refuse(call);
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
    return threads_files_wait(call, &w, NULL);
}

THREADS_PUBLIC int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    files__shared("poll", files, count, milliseconds >= 0);
    if (!files__virtual()) return threads_real.poll(files, count, milliseconds);
    return files__poll("poll", files, count, milliseconds < 0 ? NEVER : 1e-3 * milliseconds, NULL);
}

THREADS_PUBLIC int ppoll(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *mask)
{
    files__shared("ppoll", files, count, time != NULL);
    if (!files__virtual()) return threads_real.ppoll(files, count, time, mask);
    if (time && (time->tv_sec < 0 || !threads_time_valid(time))) return errno = EINVAL, -1;
    return files__poll("ppoll", files, count, files__seconds(time), mask);
}

THREADS_PUBLIC extern __typeof__(poll) __poll __attribute__((alias("poll")));

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
    const int result = threads_files_wait(call, &w, left);
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

THREADS_PUBLIC extern __typeof__(select) __select __attribute__((alias("select")));

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
    return threads_files_wait(call, &w, NULL);
}

THREADS_PUBLIC int epoll_wait(int file, struct epoll_event *events, int most, int milliseconds)
{
    files__shared("epoll_wait", &(struct pollfd){ file, POLLIN, 0 }, 1, milliseconds >= 0);
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
    return threads_files_wait(call, &w, NULL);
}

THREADS_PUBLIC int sigsuspend(const sigset_t *mask)
{
    if (!files__virtual()) return threads_real.sigsuspend(mask);
    return files__suspend("sigsuspend", mask);
}

THREADS_PUBLIC extern __typeof__(sigsuspend) __sigsuspend __attribute__((alias("sigsuspend")));

THREADS_PUBLIC int pause(void)
{
    if (!files__virtual()) return threads_real.pause();
    return files__suspend("pause", NULL);
}
