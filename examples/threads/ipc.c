/* ipc.c - what processes share by way of the system: locks on files, queues of messages, semaphores of System V. Each call is made in its
 * form that does not wait; if it would have to wait, the thread lets others run, and tries again when another one has let go of
 * something of the kind (files.c). And calls that the virtual clock cannot see: io_uring and asynchronous files. */
#define _GNU_SOURCE
#include "core.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mqueue.h>
#include <netdb.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEVER ((double)INFINITY)

enum { ARGUMENTS = 6 };

/* One call, as the system has it. */
typedef struct ipc_call {
    threads_files_attempt attempt;
    long number, arguments[ARGUMENTS];
    int busy; /* the error that says that it would have to wait */
    long result;
} ipc_call;

/* In a process that ranks share, none may wait: the call is tried. */
#define IPC_THROUGH(name, arguments)                                                                                   \
    if (!threads_shared) {                                                                                             \
        THREADS_THROUGH(name, arguments);                                                                              \
    }                                                                                                                  \
    (void)0

static bool ipc__ours(void)
{
    return threads_shared || threads_turn_mine();
}

static bool ipc__try(threads_files_attempt *attempt)
{
    ipc_call *c = (ipc_call *)(void *)attempt;
    const long *a = c->arguments;
    c->result = threads_real.syscall(c->number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return c->result >= 0 || (errno != c->busy && !(c->busy == EAGAIN && errno == EACCES && c->number == SYS_fcntl));
}

/* A call that waits for so many seconds at most, and then fails with an error. Others may wait for what it has done. */
static long ipc__wait(const char *call, ipc_call *c, double seconds, int late)
{
    c->attempt.attempt = ipc__try;
    c->attempt.file = -1;
    if (threads_shared) {
        if (!ipc__try(&c->attempt)) threads_files_refuse(call);
        return c->result;
    }
    if (!threads_files_try(call, &c->attempt, seconds)) {
        if (errno == EAGAIN) errno = late;
        return -1;
    }
    const int error = errno;
    if (c->result >= 0) threads_files_changed();
    errno = error;
    return c->result;
}

/* One that does not wait. */
static long ipc__do(const char *call, ipc_call *c)
{
    threads_thread *t = threads_begin(call);
    (void)ipc__try(&c->attempt);
    const int error = errno;
    if (c->result >= 0)
        threads_files_changed();
    else if (t && (error == EAGAIN || error == ENOMSG || error == EACCES))
        threads_poll();
    threads_leave(t);
    errno = error;
    return c->result;
}

/*=============================================================================
 * MARK: - >>locks on files
 *===========================================================================*/

THREADS_PUBLIC int flock(int file, int what)
{
    IPC_THROUGH(flock, (file, what));
    if (!ipc__ours()) return (int)threads_real.syscall(SYS_flock, file, what);
    ipc_call c = { .number = SYS_flock, .arguments = { file, what | LOCK_NB }, .busy = EWOULDBLOCK };
    return (int)(what & LOCK_NB || what == LOCK_UN ? ipc__do("flock", &c) : ipc__wait("flock", &c, NEVER, EWOULDBLOCK));
}

static int ipc__control(int file, int what, void *argument)
{
    const int trying = what == F_SETLKW ? F_SETLK : what == F_OFD_SETLKW ? F_OFD_SETLK : 0;
    const bool locks = trying || what == F_SETLK || what == F_OFD_SETLK;
    if (!locks || !ipc__ours()) return (int)threads_real.syscall(SYS_fcntl, file, what, argument);
    ipc_call c = { .number = SYS_fcntl, .arguments = { file, trying ? trying : what, (long)argument }, .busy = EAGAIN };
    return (int)(trying ? ipc__wait("fcntl", &c, NEVER, EINTR) : ipc__do("fcntl", &c));
}

#define CONTROL_CALL(name)                                                                                             \
    THREADS_PUBLIC int name(int file, int what, ...)                                                                   \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, what);                                                                                          \
        void *argument = va_arg(list, void *);                                                                         \
        va_end(list);                                                                                                  \
        if (!threads_real.syscall) threads_above.prepare();                                                            \
        return ipc__control(file, what, argument);                                                                     \
    }

THREADS_PUBLIC int __fcntl(int file, int what, ...);
CONTROL_CALL(fcntl)
CONTROL_CALL(fcntl64)
CONTROL_CALL(__fcntl)

THREADS_PUBLIC int lockf(int file, int what, off_t bytes)
{
    IPC_THROUGH(lockf, (file, what, bytes));
    struct flock lock = { .l_type = what == F_ULOCK ? F_UNLCK : F_WRLCK, .l_whence = SEEK_CUR, .l_len = bytes };
    switch (what) {
    case F_LOCK: return ipc__control(file, F_SETLKW, &lock);
    case F_TLOCK:
    case F_ULOCK: return ipc__control(file, F_SETLK, &lock);
    case F_TEST:
        if (ipc__control(file, F_GETLK, &lock) != 0) return -1;
        return lock.l_type == F_UNLCK || lock.l_pid == getpid() ? 0 : (errno = EACCES, -1);
    default: return errno = EINVAL, -1;
    }
}

THREADS_PUBLIC int lockf64(int file, int what, off64_t bytes)
{
    return lockf(file, what, bytes);
}

/*=============================================================================
 * MARK: - >>queues of messages
 *===========================================================================*/

static const struct timespec past = { 0, 0 };

/* The form with a time limit, which is over already, does not wait. */
static long ipc__queue(const char *call, long number, mqd_t queue, const void *bytes, size_t count, long priority,
                       const struct timespec *limit)
{
    if (limit && !threads_time_valid(limit)) return errno = EINVAL, -1;
    if (!ipc__ours()) return threads_real.syscall(number, queue, bytes, count, priority, limit);
    ipc_call c = { .number = number,
                   .arguments = { queue, (long)bytes, (long)count, priority, (long)&past },
                   .busy = ETIMEDOUT };
    return ipc__wait(call, &c, limit ? fmax(threads_deadline(CLOCK_REALTIME, limit) - threads_now(), 0) : NEVER,
                     ETIMEDOUT);
}

THREADS_PUBLIC ssize_t mq_timedreceive(mqd_t queue, char *restrict bytes, size_t count, unsigned *restrict priority,
                                       const struct timespec *restrict limit)
{
    IPC_THROUGH(mq_timedreceive, (queue, bytes, count, priority, limit));
    return ipc__queue("mq_receive", SYS_mq_timedreceive, queue, bytes, count, (long)priority, limit);
}

THREADS_PUBLIC ssize_t mq_receive(mqd_t queue, char *bytes, size_t count, unsigned *priority)
{
    IPC_THROUGH(mq_receive, (queue, bytes, count, priority));
    return ipc__queue("mq_receive", SYS_mq_timedreceive, queue, bytes, count, (long)priority, NULL);
}

THREADS_PUBLIC int mq_timedsend(mqd_t queue, const char *bytes, size_t count, unsigned priority,
                                const struct timespec *limit)
{
    IPC_THROUGH(mq_timedsend, (queue, bytes, count, priority, limit));
    return (int)ipc__queue("mq_send", SYS_mq_timedsend, queue, bytes, count, (long)priority, limit);
}

THREADS_PUBLIC int mq_send(mqd_t queue, const char *bytes, size_t count, unsigned priority)
{
    IPC_THROUGH(mq_send, (queue, bytes, count, priority));
    return (int)ipc__queue("mq_send", SYS_mq_timedsend, queue, bytes, count, (long)priority, NULL);
}

/*=============================================================================
 * MARK: - >>System V
 *===========================================================================*/

THREADS_PUBLIC ssize_t msgrcv(int queue, void *message, size_t count, long type, int flags)
{
    IPC_THROUGH(msgrcv, (queue, message, count, type, flags));
    if (!ipc__ours()) return threads_real.syscall(SYS_msgrcv, queue, message, count, type, flags);
    ipc_call c = { .number = SYS_msgrcv,
                   .arguments = { queue, (long)message, (long)count, type, flags | IPC_NOWAIT },
                   .busy = ENOMSG };
    return flags & IPC_NOWAIT ? ipc__do("msgrcv", &c) : ipc__wait("msgrcv", &c, NEVER, EINTR);
}

THREADS_PUBLIC int msgsnd(int queue, const void *message, size_t count, int flags)
{
    IPC_THROUGH(msgsnd, (queue, message, count, flags));
    if (!ipc__ours()) return (int)threads_real.syscall(SYS_msgsnd, queue, message, count, flags);
    ipc_call c = { .number = SYS_msgsnd,
                   .arguments = { queue, (long)message, (long)count, flags | IPC_NOWAIT },
                   .busy = EAGAIN };
    return (int)(flags & IPC_NOWAIT ? ipc__do("msgsnd", &c) : ipc__wait("msgsnd", &c, NEVER, EINTR));
}

THREADS_PUBLIC int semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *limit)
{
    enum { MOST = 500 }; /* of the kernel */
    struct sembuf trying[MOST];
    bool waits = false;
    IPC_THROUGH(semtimedop, (set, operations, count, limit));
    if (limit && !threads_time_valid(limit)) return errno = EINVAL, -1;
    if (!ipc__ours() || count > MOST) return (int)threads_real.syscall(SYS_semtimedop, set, operations, count, limit);
    for (size_t i = 0; i < count; ++i) {
        trying[i] = operations[i];
        waits = waits || !(trying[i].sem_flg & IPC_NOWAIT);
        trying[i].sem_flg |= IPC_NOWAIT;
    }
    ipc_call c = { .number = SYS_semtimedop, .arguments = { set, (long)trying, (long)count, 0 }, .busy = EAGAIN };
    return (int)(waits ? ipc__wait("semop", &c, limit ? (double)limit->tv_sec + 1e-9 * (double)limit->tv_nsec : NEVER,
                                   EAGAIN)
                       : ipc__do("semop", &c));
}

THREADS_PUBLIC int semop(int set, struct sembuf *operations, size_t count)
{
    IPC_THROUGH(semop, (set, operations, count));
    return semtimedop(set, operations, count, NULL);
}

/*=============================================================================
 * MARK: - >>asynchronous calls
 *===========================================================================*/

/* The C library serves them by threads of its own, which wait for each other by system calls of their own. */
#define NOT_SERVED(name, parameters, arguments)                                                                        \
    THREADS_PUBLIC int name parameters                                                                                 \
    {                                                                                                                  \
        static __typeof__(&name) real;                                                                                 \
        if (threads_turn_mine())                                                                                       \
            threads_die("%s() is served by threads that pthread_create() has not made: not supported", #name);         \
        if (!real) *(void **)(void *)&real = threads_real_function(#name);                                             \
        return real arguments;                                                                                         \
    }

NOT_SERVED(aio_read, (struct aiocb * block), (block))
NOT_SERVED(aio_write, (struct aiocb * block), (block))
NOT_SERVED(aio_fsync, (int how, struct aiocb *block), (how, block))
NOT_SERVED(aio_read64, (struct aiocb64 * block), (block))
NOT_SERVED(aio_write64, (struct aiocb64 * block), (block))
NOT_SERVED(aio_fsync64, (int how, struct aiocb64 *block), (how, block))
NOT_SERVED(lio_listio, (int mode, struct aiocb *const *list, int count, struct sigevent *event),
           (mode, list, count, event))
NOT_SERVED(lio_listio64, (int mode, struct aiocb64 *const *list, int count, struct sigevent *event),
           (mode, list, count, event))
NOT_SERVED(getaddrinfo_a, (int mode, struct gaicb **list, int count, struct sigevent *event),
           (mode, list, count, event))

/*=============================================================================
 * MARK: - >>io_uring
 *===========================================================================*/

/* Many programs do without it where the kernel has none. */
long threads_no_ring(const char *call)
{
    static bool said;
    if (!said && threads_self() && !threads_off)
        threads_say(
            "%s() is refused, as by a kernel without it: what it waits for would not be seen by the virtual clock",
            call);
    said = true;
    errno = ENOSYS;
    return -1;
}
