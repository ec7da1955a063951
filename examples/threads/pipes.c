/* pipes.c - reading and writing of files that may wait: pipes, sockets, terminals, events. Before the call itself, a thread waits in
 * virtual time until the call would not wait (files.c). So a byte arrives at the time at which it was written, and a thread that
 * has nothing to read lets the others run. Files on disks never wait here: what they cost is a matter of disks.c.
 *
 * A file is asked for its kind in each call, 0.2 us with Linux 6.18 in a virtual machine, and not remembered, because the C library
 * closes files itself. */
#define _GNU_SOURCE
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEVER ((double)INFINITY)

enum { INHERITED = 3, MEMORY_DEVICES = 1, TRIALS = 50 };

static struct {
    dev_t device;
    ino_t number;
} inherited[INHERITED]; /* the standard streams, as the program got them: their other ends are outside */

static double asking; /* what it takes to ask for the kind of a file [s] */

static struct stat pipes__about(int file)
{
    struct stat about;
    if (threads_real.syscall(SYS_fstat, file, &about) != 0) about.st_mode = S_IFREG; /* the call itself will fail */
    return about;
}

void threads_pipes_prepare(void)
{
    const int error = errno;
    asking = TRIALS;
    for (int i = 0; i < TRIALS; ++i) {
        const double began = direct_clock(CLOCK_MONOTONIC);
        (void)pipes__about(STDIN_FILENO);
        asking = fmin(asking, direct_clock(CLOCK_MONOTONIC) - began);
    }
    for (int i = 0; i < INHERITED; ++i) {
        const struct stat about = pipes__about(i);
        inherited[i].device = about.st_dev;
        inherited[i].number = about.st_ino;
    }
    errno = error;
}

static bool pipes__may_wait(const struct stat *about)
{
    if (S_ISREG(about->st_mode) || S_ISDIR(about->st_mode) || S_ISBLK(about->st_mode) || S_ISLNK(about->st_mode))
        return false;
    return !S_ISCHR(about->st_mode) || major(about->st_rdev) != MEMORY_DEVICES; /* such as /dev/null */
}

/* The other end is outside of the program. A thread need not come to its time to use it. */
static bool pipes__outside(const struct stat *about)
{
    if (S_ISCHR(about->st_mode)) return true;
    for (int i = 0; i < INHERITED; ++i)
        if (about->st_ino == inherited[i].number && about->st_dev == inherited[i].device) return true;
    return false;
}

bool threads_pipes_several(void)
{
    return threads_rank || threads_turn.alive > 1;
}

/*=============================================================================
 * MARK: - >>one file
 *===========================================================================*/

static int pipes__look(void *user)
{
    return threads_real.poll(user, 1, 0);
}

static bool pipes__ready(void *user)
{
    return pipes__look(user) != 0;
}

/* The limit of a wait for a socket [s]. */
static double pipes__limit(int file, short events)
{
    struct timeval limit = { 0, 0 };
    socklen_t length = sizeof limit;
    if (getsockopt(file, SOL_SOCKET, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &limit, &length) != 0) return NEVER;
    const double seconds = (double)limit.tv_sec + 1e-6 * (double)limit.tv_usec;
    return seconds > 0 ? seconds : NEVER;
}

/* Waits until a file is ready. False: a signal has come, or the time is over; errno says which. */
static bool pipes__await(const char *call, int file, short events, double seconds)
{
    struct pollfd one = { file, events, 0 };
    threads_files w = { .files = &one,
                        .count = 1,
                        .seconds = seconds,
                        .restarts = !(seconds < NEVER),
                        .look = pipes__look,
                        .ready = pipes__ready,
                        .user = &one };
    const int result = threads_files_wait(call, &w, NULL);
    if (result == 0) errno = EAGAIN;
    return result > 0;
}

static void pipes__shared(const char *call, int file, short events, bool at_once)
{
    struct pollfd one = { file, events, 0 };
    const struct stat about = pipes__about(file);
    if (at_once || !pipes__may_wait(&about) || pipes__outside(&about) || threads_real.poll(&one, 1, 0) != 0 ||
        fcntl(file, F_GETFL) & O_NONBLOCK)
        return;
    threads_files_refuse(call);
}

/* Before a call that reads (POLLIN) or writes (POLLOUT) a file. at_once: it does not wait anyway. */
threads_pipes_turn threads_pipes_before(const char *call, int file, short events, bool at_once)
{
    if (threads_shared) pipes__shared(call, file, events, at_once);
    if (!threads_turn_mine()) return THREADS_PIPES_PLAIN;
    const int error = errno;
    const struct stat about = pipes__about(file);
    if (!threads_set.fixed) threads_self()->pending -= asking; /* which is no CPU time of the program */
    if (!pipes__may_wait(&about)) return errno = error, THREADS_PIPES_PLAIN;
    const bool noticed = threads_pipes_several() && !pipes__outside(&about);
    threads_thread *t = noticed ? threads_begin(call) : NULL;
    struct pollfd one = { file, events, 0 };
    const bool ready = threads_real.poll(&one, 1, 0) != 0;
    if (!ready && !at_once) at_once = fcntl(file, F_GETFL) & O_NONBLOCK;
    if (!ready && at_once && events & POLLIN) { /* it finds nothing */
        if (!t) t = threads_begin(call);
        threads_poll();
    }
    const bool failed = !ready && !at_once &&
                        !pipes__await(call, file, events, S_ISSOCK(about.st_mode) ? pipes__limit(file, events) : NEVER);
    if (!failed) errno = error;
    const int why = errno;
    threads_leave(t);
    errno = why;
    if (failed) return THREADS_PIPES_FAILED;
    return noticed ? THREADS_PIPES_TIMED : THREADS_PIPES_PLAIN;
}

/* After the call: threads that wait for what it has done go on. */
void threads_pipes_after(threads_pipes_turn turn)
{
    if (turn != THREADS_PIPES_TIMED || !threads_turn_mine()) return;
    const int error = errno;
    threads_files_changed();
    errno = error;
}

/* A call of the program that is one of the C library, when a file is ready. */
#define FILE_CALL(result, name, parameters, arguments, file, room, events, at_once)                                    \
    THREADS_PUBLIC result name parameters                                                                              \
    {                                                                                                                  \
        static __typeof__(&name) real;                                                                                 \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        const threads_pipes_turn turn = threads_pipes_before(#name, file, events, at_once);                            \
        if (turn == THREADS_PIPES_FAILED) return -1;                                                                   \
        threads_disk_look look = threads_disks_before(room);                                                           \
        const result done = real arguments;                                                                            \
        threads_pipes_after(turn);                                                                                     \
        threads_disks_after(&look, #name, file, events == POLLOUT, false, done);                                       \
        return done;                                                                                                   \
    }

bool threads_pipes_come(const char *call, int file)
{
    if (!threads_turn_mine() || !threads_pipes_several()) return false;
    const int error = errno;
    const struct stat about = pipes__about(file);
    const bool noticed = pipes__may_wait(&about) && !pipes__outside(&about);
    if (noticed) threads_leave(threads_begin(call));
    errno = error;
    return noticed;
}

/*=============================================================================
 * MARK: - >>reading
 *===========================================================================*/

FILE_CALL(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count), file, count, POLLIN, false)
FILE_CALL(ssize_t, readv, (int file, const struct iovec *parts, int count), (file, parts, count), file, SIZE_MAX,
          POLLIN, false)
FILE_CALL(ssize_t, preadv2, (int file, const struct iovec *parts, int count, off_t at, int flags),
          (file, parts, count, at, flags), file, SIZE_MAX, POLLIN, flags &RWF_NOWAIT)
FILE_CALL(ssize_t, preadv64v2, (int file, const struct iovec *parts, int count, off64_t at, int flags),
          (file, parts, count, at, flags), file, SIZE_MAX, POLLIN, flags &RWF_NOWAIT)
FILE_CALL(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags), file, 0, POLLIN,
          flags &MSG_DONTWAIT)
FILE_CALL(int, accept, (int file, __SOCKADDR_ARG from, socklen_t *restrict length), (file, from, length), file, 0,
          POLLIN, false)
FILE_CALL(int, accept4, (int file, __SOCKADDR_ARG from, socklen_t *restrict length, int flags),
          (file, from, length, flags), file, 0, POLLIN, false)

/* A call with MSG_WAITALL waits until all is there. */
THREADS_PUBLIC ssize_t recvfrom(int file, void *restrict bytes, size_t count, int flags, __SOCKADDR_ARG from,
                                socklen_t *restrict length)
{
    static __typeof__(&recvfrom) real;
    size_t there = 0;
    if (!real) *(void **)(void *)&real = threads_real_function("recvfrom");
    for (;;) {
        const bool all = flags & MSG_WAITALL && !(flags & (MSG_DONTWAIT | MSG_PEEK)) && threads_turn_mine();
        const threads_pipes_turn turn = threads_pipes_before("recv", file, POLLIN, flags & MSG_DONTWAIT);
        if (turn == THREADS_PIPES_FAILED) return there > 0 ? (ssize_t)there : -1;
        const ssize_t done = real(file, (char *)bytes + there, count - there,
                                  all ? (flags & ~MSG_WAITALL) | MSG_DONTWAIT : flags, from, length);
        threads_pipes_after(turn);
        if (!all || done == 0) return done < 0 || there == 0 ? done : (ssize_t)there + done;
        if (done < 0 && errno == EAGAIN) continue;
        if (done < 0) return there > 0 ? (ssize_t)there : -1;
        there += (size_t)done;
        int kind = SOCK_STREAM;
        socklen_t size = sizeof kind;
        getsockopt(file, SOL_SOCKET, SO_TYPE, &kind, &size);
        if (there == count || kind != SOCK_STREAM) return (ssize_t)there;
    }
}

THREADS_PUBLIC ssize_t recv(int file, void *bytes, size_t count, int flags)
{
    return recvfrom(file, bytes, count, flags, (__SOCKADDR_ARG){ NULL }, NULL);
}

/* It waits for each of the messages, unless MSG_WAITFORONE is given. */
THREADS_PUBLIC int recvmmsg(int file, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit)
{
    static __typeof__(&recvmmsg) real;
    unsigned there = 0;
    if (!real) *(void **)(void *)&real = threads_real_function("recvmmsg");
    if (!threads_turn_mine() || flags & MSG_DONTWAIT) return real(file, messages, count, flags, limit);
    const double until = limit ? threads_now() + (double)limit->tv_sec + 1e-9 * (double)limit->tv_nsec : NEVER;
    do {
        const threads_pipes_turn turn = threads_pipes_before("recvmmsg", file, POLLIN, false);
        if (turn == THREADS_PIPES_FAILED) return there > 0 ? (int)there : -1;
        const int done = real(file, messages + there, count - there, flags | MSG_DONTWAIT, NULL);
        threads_pipes_after(turn);
        if (done < 0 && errno != EAGAIN) return there > 0 ? (int)there : -1;
        if (done > 0) there += (unsigned)done;
    } while (there < count && !(flags & MSG_WAITFORONE) &&
             threads_now() < until); /* as the kernel, it looks after a message only */
    return (int)there;
}

THREADS_PUBLIC int eventfd_read(int file, eventfd_t *value)
{
    return read(file, value, sizeof *value) == sizeof *value ? 0 : -1;
}

/*=============================================================================
 * MARK: - >>writing
 *===========================================================================*/

/* A part of `parts`, after the first `from` bytes. */
static int pipes__rest(const struct iovec *parts, int count, size_t from, struct iovec *one)
{
    for (int i = 0; i < count; ++i) {
        if (from < parts[i].iov_len) {
            one->iov_base = (char *)parts[i].iov_base + from;
            one->iov_len = parts[i].iov_len - from;
            return 1;
        }
        from -= parts[i].iov_len;
    }
    return 0;
}

/* As much as the file takes without waiting, of up to THREADS_PIPES_PIECE bytes if the kernel cannot say. */
static ssize_t pipes__write_some(int file, const struct iovec *part)
{
    const ssize_t done = pwritev2(file, part, 1, -1, RWF_NOWAIT);
    if (done >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return done;
    const struct iovec piece = { part->iov_base,
                                 part->iov_len < THREADS_PIPES_PIECE ? part->iov_len : THREADS_PIPES_PIECE };
    return threads_real.writev(file, &piece, 1);
}

/* Writes what a pipe or a socket takes only in several pieces, while others read. */
static ssize_t pipes__write_all(const char *call, int file, const struct iovec *parts, int count)
{
    size_t there = 0;
    struct iovec part;
    while (pipes__rest(parts, count, there, &part)) {
        const threads_pipes_turn turn = threads_pipes_before(call, file, POLLOUT, false);
        if (turn == THREADS_PIPES_FAILED) return there > 0 ? (ssize_t)there : -1;
        const ssize_t done = pipes__write_some(file, &part);
        threads_pipes_after(turn);
        if (done < 0 && errno == EAGAIN) continue;
        if (done < 0) return there > 0 ? (ssize_t)there : -1;
        there += (size_t)done;
    }
    return (ssize_t)there;
}

/* A blocking call that writes so much that a pipe or a socket may take only a part at once. */
bool threads_pipes_large(int file, size_t bytes)
{
    if (bytes <= THREADS_PIPES_PIECE || !threads_turn_mine() || !threads_pipes_several()) return false;
    const int error = errno;
    const struct stat about = pipes__about(file);
    const bool large = (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)) && !pipes__outside(&about) &&
                       !(fcntl(file, F_GETFL) & O_NONBLOCK);
    errno = error;
    return large;
}

THREADS_PUBLIC ssize_t write(int file, const void *bytes, size_t count)
{
    if (!threads_real.write) threads_above.prepare();
    if (threads_pipes_large(file, count)) {
        const struct iovec one = { (void *)(uintptr_t)bytes, count };
        return pipes__write_all("write", file, &one, 1);
    }
    const threads_pipes_turn turn = threads_pipes_before("write", file, POLLOUT, false);
    if (turn == THREADS_PIPES_FAILED) return -1;
    threads_disk_look look = threads_disks_before(count);
    const ssize_t done = threads_real.write(file, bytes, count);
    threads_pipes_after(turn);
    threads_disks_after(&look, "write", file, true, false, done);
    return done;
}

THREADS_PUBLIC ssize_t writev(int file, const struct iovec *parts, int count)
{
    size_t bytes = 0;
    if (!threads_real.writev) threads_above.prepare();
    for (int i = 0; i < count && count <= 1024; ++i) bytes += parts[i].iov_len;
    if (threads_pipes_large(file, bytes)) return pipes__write_all("writev", file, parts, count);
    const threads_pipes_turn turn = threads_pipes_before("writev", file, POLLOUT, false);
    if (turn == THREADS_PIPES_FAILED) return -1;
    threads_disk_look look = threads_disks_before(bytes);
    const ssize_t done = threads_real.writev(file, parts, count);
    threads_pipes_after(turn);
    threads_disks_after(&look, "writev", file, true, false, done);
    return done;
}

THREADS_PUBLIC int eventfd_write(int file, eventfd_t value)
{
    return write(file, &value, sizeof value) == sizeof value ? 0 : -1;
}

/* A message of a stream may go in several pieces; one of datagrams goes at once, when the socket is ready. */
static bool pipes__streams(int file)
{
    int kind = SOCK_DGRAM;
    socklen_t length = sizeof kind;
    return getsockopt(file, SOL_SOCKET, SO_TYPE, &kind, &length) == 0 && kind == SOCK_STREAM;
}

static ssize_t pipes__send(const char *call, int file, const struct msghdr *message, int flags)
{
    struct msghdr rest = *message;
    struct iovec part;
    size_t there = 0;
    for (;;) {
        const bool pieces =
            !(flags & MSG_DONTWAIT) && threads_turn_mine() && threads_pipes_several() && pipes__streams(file);
        const threads_pipes_turn turn = threads_pipes_before(call, file, POLLOUT, flags & MSG_DONTWAIT);
        if (turn == THREADS_PIPES_FAILED) return there > 0 ? (ssize_t)there : -1;
        const bool first = there == 0;
        if (!first) { /* what goes with the message has gone with its first bytes */
            if (!pipes__rest(message->msg_iov, (int)message->msg_iovlen, there, &part)) return (ssize_t)there;
            rest = (struct msghdr){ .msg_iov = &part, .msg_iovlen = 1 };
        }
        const bool again = pieces && !(fcntl(file, F_GETFL) & O_NONBLOCK);
        const ssize_t done = threads_real.sendmsg(file, &rest, again ? flags | MSG_DONTWAIT : flags);
        threads_pipes_after(turn);
        if (!again) return done < 0 && !first ? (ssize_t)there : done;
        if (done < 0 && errno == EAGAIN) continue;
        if (done < 0) return there > 0 ? (ssize_t)there : -1;
        there += (size_t)done;
        if (!pipes__rest(message->msg_iov, (int)message->msg_iovlen, there, &part)) return (ssize_t)there;
    }
}

THREADS_PUBLIC ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    if (!threads_real.sendmsg) threads_above.prepare();
    return threads_turn_mine() ? pipes__send("sendmsg", file, message, flags)
                               : threads_real.sendmsg(file, message, flags);
}

THREADS_PUBLIC ssize_t sendto(int file, const void *bytes, size_t count, int flags, __CONST_SOCKADDR_ARG to,
                              socklen_t length)
{
    if (!threads_real.sendto) threads_above.prepare();
    if (!threads_turn_mine()) return threads_real.sendto(file, bytes, count, flags, to.__sockaddr__, length);
    struct iovec one = { (void *)(uintptr_t)bytes, count };
    const struct msghdr message = {
        .msg_name = (void *)(uintptr_t)to.__sockaddr__, .msg_namelen = length, .msg_iov = &one, .msg_iovlen = 1
    };
    return pipes__send("sendto", file, &message, flags);
}

THREADS_PUBLIC ssize_t send(int file, const void *bytes, size_t count, int flags)
{
    if (!threads_real.send) threads_above.prepare();
    if (!threads_turn_mine()) return threads_real.send(file, bytes, count, flags);
    struct iovec one = { (void *)(uintptr_t)bytes, count };
    const struct msghdr message = { .msg_iov = &one, .msg_iovlen = 1 };
    return pipes__send("send", file, &message, flags);
}

THREADS_PUBLIC int sendmmsg(int file, struct mmsghdr *messages, unsigned count, int flags)
{
    static __typeof__(&sendmmsg) real;
    if (!real) *(void **)(void *)&real = threads_real_function("sendmmsg");
    if (!threads_turn_mine()) return real(file, messages, count, flags);
    unsigned there = 0;
    while (there < count) {
        const ssize_t done = pipes__send("sendmmsg", file, &messages[there].msg_hdr, flags);
        if (done < 0) return there > 0 ? (int)there : -1;
        messages[there++].msg_len = (unsigned)done;
    }
    return (int)there;
}

/*=============================================================================
 * MARK: - >>from file to file
 *===========================================================================*/

/* Each may take a part only, and takes no more than the file that is written to has room for. */

static size_t pipes__piece(size_t count)
{
    return threads_turn_mine() && threads_pipes_several() && count > THREADS_PIPES_PIECE ? THREADS_PIPES_PIECE : count;
}

#define COPY_CALL(name, parameters, arguments, from, to, at_once)                                                      \
    THREADS_PUBLIC ssize_t name parameters                                                                             \
    {                                                                                                                  \
        static __typeof__(&name) real;                                                                                 \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        const threads_pipes_turn in = threads_pipes_before(#name, from, POLLIN, at_once);                              \
        const threads_pipes_turn out =                                                                                 \
            in == THREADS_PIPES_FAILED ? in : threads_pipes_before(#name, to, POLLOUT, at_once);                       \
        if (out == THREADS_PIPES_FAILED) return -1;                                                                    \
        threads_disk_look look = threads_disks_before(count);                                                          \
        const ssize_t done = real arguments;                                                                           \
        threads_pipes_after(in == THREADS_PIPES_TIMED ? in : out);                                                     \
        threads_disks_after(&look, #name, from, false, false, done);                                                   \
        threads_disks_after(&look, #name, to, true, false, done);                                                      \
        return done;                                                                                                   \
    }

COPY_CALL(sendfile, (int to, int from, off_t *at, size_t count), (to, from, at, pipes__piece(count)), from, to, false)
COPY_CALL(sendfile64, (int to, int from, off64_t *at, size_t count), (to, from, at, pipes__piece(count)), from, to,
          false)
COPY_CALL(splice, (int from, loff_t *at, int to, loff_t *place, size_t count, unsigned flags),
          (from, at, to, place, pipes__piece(count), flags), from, to, flags &SPLICE_F_NONBLOCK)
COPY_CALL(tee, (int from, int to, size_t count, unsigned flags), (from, to, pipes__piece(count), flags), from, to,
          flags &SPLICE_F_NONBLOCK)

THREADS_PUBLIC ssize_t vmsplice(int file, const struct iovec *parts, size_t count, unsigned flags)
{
    static __typeof__(&vmsplice) real;
    if (!real) *(void **)(void *)&real = threads_real_function("vmsplice");
    const bool writes = (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY;
    const threads_pipes_turn turn =
        threads_pipes_before("vmsplice", file, writes ? POLLOUT : POLLIN, flags & SPLICE_F_NONBLOCK);
    if (turn == THREADS_PIPES_FAILED) return -1;
    ssize_t done;
    if (turn == THREADS_PIPES_TIMED && writes && count > 0) { /* one page after another */
        const struct iovec piece = { parts->iov_base, pipes__piece(parts->iov_len) };
        done = real(file, &piece, 1, flags);
    } else {
        done = real(file, parts, count, flags);
    }
    threads_pipes_after(turn);
    return done;
}

/*=============================================================================
 * MARK: - >>opening and closing
 *===========================================================================*/

typedef struct pipes_connection {
    threads_files_attempt attempt;
    int file, result;
    const struct sockaddr *to;
    socklen_t length;
    int (*real)(int, __CONST_SOCKADDR_ARG, socklen_t);
} pipes_connection;

/* A socket of the same machine refuses while the line of those that wait for accept() is full. */
static bool pipes__connect_try(threads_files_attempt *a)
{
    pipes_connection *c = (pipes_connection *)(void *)a;
    c->result = c->real(c->file, (__CONST_SOCKADDR_ARG){ .__sockaddr__ = c->to }, c->length);
    return c->result == 0 || errno != EAGAIN;
}

THREADS_PUBLIC int connect(int file, __CONST_SOCKADDR_ARG to, socklen_t length)
{
    pipes_connection c = { { pipes__connect_try, -1, false, 0 }, file, -1, to.__sockaddr__, length, NULL };
    *(void **)(void *)&c.real = threads_real_function("connect");
    const int flags = threads_turn_mine() ? fcntl(file, F_GETFL) : -1;
    if (flags < 0) return c.real(file, to, length);
    if (threads_pipes_several()) threads_leave(threads_begin("connect"));
    if (!(flags & O_NONBLOCK)) fcntl(file, F_SETFL, flags | O_NONBLOCK);
    const bool over = pipes__connect_try(&c.attempt);
    if (!(flags & O_NONBLOCK) && !over && !threads_files_try("connect", &c.attempt, pipes__limit(file, POLLOUT)))
        c.result = -1;
    if (!(flags & O_NONBLOCK) && c.result < 0 && errno == EINPROGRESS &&
        pipes__await("connect", file, POLLOUT, pipes__limit(file, POLLOUT))) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size);
        c.result = error ? -1 : 0;
        errno = error;
    }
    const int error = errno;
    if (!(flags & O_NONBLOCK)) fcntl(file, F_SETFL, flags);
    if (threads_turn_mine()) threads_files_changed();
    errno = error;
    return c.result;
}

/* A call after which others may find the end of a file. */
#define END_CALL(name, parameters, arguments, file)                                                                    \
    THREADS_PUBLIC int name parameters                                                                                 \
    {                                                                                                                  \
        static __typeof__(&name) real;                                                                                 \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        const bool noticed = threads_pipes_come(#name, file);                                                          \
        const int result = real arguments;                                                                             \
        if (noticed) threads_pipes_after(THREADS_PIPES_TIMED);                                                         \
        return result;                                                                                                 \
    }

END_CALL(close, (int file), (file), file)
END_CALL(shutdown, (int file, int which), (file, which), file)
END_CALL(dup2, (int old, int file), (old, file), file)
END_CALL(dup3, (int old, int file, int flags), (old, file, flags), file)

/* A pipe with a name is opened when its other end is: one that writes waits for one that reads, which does not wait before it reads. */
typedef struct pipes_opening {
    threads_files_attempt attempt;
    int folder, flags, result;
    const char *path;
} pipes_opening;

static bool pipes__open_try(threads_files_attempt *a)
{
    pipes_opening *o = (pipes_opening *)(void *)a;
    o->result = (int)threads_real.syscall(SYS_openat, o->folder, o->path, o->flags | O_NONBLOCK, 0);
    return o->result >= 0 || errno != ENXIO;
}

/* True if the path is a pipe with a name, or tells about the machine, and is open now; *file < 0: errno says why it is not. */
static bool pipes__open(const char *call, int folder, const char *path, int flags, int *file)
{
    struct stat about;
    pipes_opening o = { { pipes__open_try, -1, false, 0 }, folder, flags, -1, path };
    if (threads_machine_open(path, flags, file)) return true;
    if (!(threads_shared || (threads_turn_mine() && threads_pipes_several())) || flags & (O_NONBLOCK | O_PATH) || !path)
        return false;
    const int error = errno;
    if (fstatat(folder, path, &about, 0) != 0 || !S_ISFIFO(about.st_mode)) return errno = error, false;
    if (threads_shared) threads_files_refuse(call);
    threads_leave(threads_begin(call));
    if (!pipes__open_try(&o.attempt) && !threads_files_try(call, &o.attempt, NEVER)) o.result = -1;
    *file = o.result;
    if (o.result < 0) return true;
    fcntl(o.result, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_TRUNC));
    threads_pipes_after(THREADS_PIPES_TIMED);
    errno = error;
    return true;
}

/* Those of the C library: a program's own allocator may open a file before anything else is ready, even dlsym(). */
extern int __open(const char *path, int flags, ...);
extern int __open64(const char *path, int flags, ...);
static __typeof__(&openat) real_openat, real_openat64;

#define OPEN_CALL(name, parameters, folder, path, flags, find, real, arguments)                                        \
    THREADS_PUBLIC int name parameters                                                                                 \
    {                                                                                                                  \
        int file;                                                                                                      \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                                         \
            va_list list;                                                                                              \
            va_start(list, flags);                                                                                     \
            mode = va_arg(list, mode_t);                                                                               \
            va_end(list);                                                                                              \
        }                                                                                                              \
        if (pipes__open(#name, folder, path, flags, &file)) return file;                                               \
        find;                                                                                                          \
        return real arguments;                                                                                         \
    }
#define FIND(real, name)                                                                                               \
    if (!real) *(void **)(void *)&real = threads_real_function(name)

OPEN_CALL(open, (const char *path, int flags, ...), AT_FDCWD, path, flags, (void)0, __open, (path, flags, mode))
OPEN_CALL(open64, (const char *path, int flags, ...), AT_FDCWD, path, flags, (void)0, __open64, (path, flags, mode))
OPEN_CALL(openat, (int folder, const char *path, int flags, ...), folder, path, flags, FIND(real_openat, "openat"),
          real_openat, (folder, path, flags, mode))
OPEN_CALL(openat64, (int folder, const char *path, int flags, ...), folder, path, flags,
          FIND(real_openat64, "openat64"), real_openat64, (folder, path, flags, mode))

/* A stream of the C library, whose modes say what open() is told by flags. */
static FILE *pipes__stream(const char *call, const char *path, const char *mode,
                           FILE *(*real)(const char *, const char *))
{
    const int way = *mode == 'r' ? O_RDONLY : O_WRONLY, also = strchr(mode, 'e') ? O_CLOEXEC : 0;
    int file;
    if (strchr(mode, '+') || !pipes__open(call, AT_FDCWD, path, way | also, &file)) return real(path, mode);
    return file < 0 ? NULL : fdopen(file, *mode == 'r' ? "r" : "w");
}

#define STREAM_CALL(name)                                                                                              \
    THREADS_PUBLIC FILE *name(const char *restrict path, const char *restrict mode)                                    \
    {                                                                                                                  \
        static FILE *(*real)(const char *, const char *);                                                              \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        return pipes__stream(#name, path, mode, real);                                                                 \
    }

STREAM_CALL(fopen)
STREAM_CALL(fopen64)

/* Calls of programs that were compiled with _FORTIFY_SOURCE. */
THREADS_PUBLIC int __open_2(const char *path, int flags);
THREADS_PUBLIC int __open64_2(const char *path, int flags);
THREADS_PUBLIC int __openat_2(int folder, const char *path, int flags);
THREADS_PUBLIC int __openat64_2(int folder, const char *path, int flags);

THREADS_PUBLIC int __open_2(const char *path, int flags)
{
    return open(path, flags, 0);
}

THREADS_PUBLIC int __open64_2(const char *path, int flags)
{
    return open64(path, flags, 0);
}

THREADS_PUBLIC int __openat_2(int folder, const char *path, int flags)
{
    return openat(folder, path, flags, 0);
}

THREADS_PUBLIC int __openat64_2(int folder, const char *path, int flags)
{
    return openat64(folder, path, flags, 0);
}

/*=============================================================================
 * MARK: - >>further names
 *===========================================================================*/

__attribute__((noreturn)) void __chk_fail(void);
THREADS_PUBLIC ssize_t __read_chk(int file, void *bytes, size_t count, size_t room);
THREADS_PUBLIC ssize_t __recv_chk(int file, void *bytes, size_t count, size_t room, int flags);
THREADS_PUBLIC ssize_t __recvfrom_chk(int file, void *restrict bytes, size_t count, size_t room, int flags,
                                      __SOCKADDR_ARG from, socklen_t *restrict length);

THREADS_PUBLIC ssize_t __read_chk(int file, void *bytes, size_t count, size_t room)
{
    if (count > room) __chk_fail();
    return read(file, bytes, count);
}

THREADS_PUBLIC ssize_t __recv_chk(int file, void *bytes, size_t count, size_t room, int flags)
{
    if (count > room) __chk_fail();
    return recv(file, bytes, count, flags);
}

THREADS_PUBLIC ssize_t __recvfrom_chk(int file, void *restrict bytes, size_t count, size_t room, int flags,
                                      __SOCKADDR_ARG from, socklen_t *restrict length)
{
    if (count > room) __chk_fail();
    return recvfrom(file, bytes, count, flags, from, length);
}

#define ALSO(name, other) THREADS_PUBLIC extern __typeof__(name) other __attribute__((alias(#name)))
ALSO(read, __read);
ALSO(write, __write);
ALSO(send, __send);
ALSO(connect, __connect);
ALSO(close, __close);

THREADS_PUBLIC int __dup2(int old, int file);
THREADS_PUBLIC int __dup2(int old, int file)
{
    return dup2(old, file);
}
