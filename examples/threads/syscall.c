/* syscall.c - system calls of the program by their numbers: by the function syscall(), as libstdc++, oneTBB and the OpenMP of
 * clang make them, and by instructions, as the OpenMP of gcc does (trap.c). Those that matter to the virtual clock do
 * what the functions of the same names do; all others go to the kernel. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <math.h>
#include <mqueue.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNEL_SET sizeof(uint64_t) /* [B]: of a set of signals, whose beginning is that of a sigset_t */

/* A function for a system call. Its result and errno are those of syscall(). */
typedef long (*syscall_meaning)(const long *a);

static void *syscall__place(long argument)
{
    return (void *)argument;
}

static long syscall__failed(int error)
{
    if (error) errno = error;
    return error ? -1 : 0;
}

/*=============================================================================
 * MARK: - >>times
 *===========================================================================*/

static long syscall__clock_gettime(const long *a)
{
    return a[1] ? clock_gettime((clockid_t)a[0], syscall__place(a[1])) : syscall__failed(EFAULT);
}

static long syscall__gettimeofday(const long *a)
{
    return a[0] ? gettimeofday(syscall__place(a[0]), NULL) : 0;
}

static long syscall__nanosleep(const long *a)
{
    return a[0] ? nanosleep(syscall__place(a[0]), syscall__place(a[1])) : syscall__failed(EFAULT);
}

static long syscall__clock_nanosleep(const long *a)
{
    if (!a[2]) return syscall__failed(EFAULT);
    return syscall__failed(clock_nanosleep((clockid_t)a[0], (int)a[1], syscall__place(a[2]), syscall__place(a[3])));
}

static long syscall__times(const long *a)
{
    return times(syscall__place(a[0]));
}

static long syscall__getrusage(const long *a)
{
    return a[1] ? getrusage((__rusage_who_t)a[0], syscall__place(a[1])) : syscall__failed(EFAULT);
}

/*=============================================================================
 * MARK: - >>timers
 *===========================================================================*/

static long syscall__setitimer(const long *a)
{
    return setitimer((__itimer_which_t)a[0], syscall__place(a[1]), syscall__place(a[2]));
}

static long syscall__getitimer(const long *a)
{
    return a[1] ? getitimer((__itimer_which_t)a[0], syscall__place(a[1])) : syscall__failed(EFAULT);
}

/* The kernel has an int where the C library has a pointer. */
static timer_t syscall__timer(long number)
{
    return syscall__place((int)number);
}

static long syscall__timer_create(const long *a)
{
    timer_t timer;
    if (!a[2]) return syscall__failed(EFAULT);
    const long result = timer_create((clockid_t)a[0], syscall__place(a[1]), &timer);
    const int number = (int)(intptr_t)timer;
    if (result == 0) memcpy(syscall__place(a[2]), &number, sizeof number);
    return result;
}

static long syscall__timer_settime(const long *a)
{
    if (!a[2]) return syscall__failed(EINVAL);
    return timer_settime(syscall__timer(a[0]), (int)a[1], syscall__place(a[2]), syscall__place(a[3]));
}

static long syscall__timer_gettime(const long *a)
{
    return a[1] ? timer_gettime(syscall__timer(a[0]), syscall__place(a[1])) : syscall__failed(EFAULT);
}

static long syscall__timer_getoverrun(const long *a)
{
    return timer_getoverrun(syscall__timer(a[0]));
}

static long syscall__timer_delete(const long *a)
{
    return timer_delete(syscall__timer(a[0]));
}

static long syscall__timerfd_create(const long *a)
{
    return timerfd_create((clockid_t)a[0], (int)a[1]);
}

static long syscall__timerfd_settime(const long *a)
{
    if (!a[2]) return syscall__failed(EFAULT);
    return timerfd_settime((int)a[0], (int)a[1], syscall__place(a[2]), syscall__place(a[3]));
}

static long syscall__timerfd_gettime(const long *a)
{
    return a[1] ? timerfd_gettime((int)a[0], syscall__place(a[1])) : syscall__failed(EFAULT);
}

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/

/* Unlike the C library, the kernel writes the rest of a time limit where the limit was. */
typedef struct syscall_limit {
    struct timespec *time; /* NULL: none */
    double begin;          /* virtual time [s] */
} syscall_limit;

static syscall_limit syscall__limit(long time, const char *call)
{
    threads_leave(threads_begin(call));
    return (syscall_limit){ syscall__place(time), threads_now() };
}

static long syscall__limited(syscall_limit limit, long result)
{
    struct timespec *time = limit.time;
    if (!time || time->tv_sec < 0 || !threads_time_valid(time)) return result;
    const double passed = threads_now() - limit.begin;
    const double left = fmax((double)time->tv_sec + 1e-9 * (double)time->tv_nsec - passed, 0);
    time->tv_sec = (time_t)left;
    time->tv_nsec = (long)(1e9 * (left - floor(left)));
    return result;
}

/* The set of signals at a place of the kernel's size, as one of the C library. */
static const sigset_t *syscall__signals(long place, sigset_t *set)
{
    if (!place) return NULL;
    sigemptyset(set);
    memcpy(set, syscall__place(place), KERNEL_SET);
    return set;
}

static long syscall__ppoll(const long *a)
{
    sigset_t set;
    if (a[3] && a[4] != KERNEL_SET) return syscall__failed(EINVAL);
    const syscall_limit limit = syscall__limit(a[2], "ppoll");
    return syscall__limited(limit, ppoll(syscall__place(a[0]), (nfds_t)a[1], limit.time, syscall__signals(a[3], &set)));
}

static long syscall__pselect(const long *a)
{
    const long none[2] = { 0, 0 }, *signals = a[5] ? syscall__place(a[5]) : none;
    sigset_t set;
    if (signals[0] && signals[1] != KERNEL_SET) return syscall__failed(EINVAL);
    const syscall_limit limit = syscall__limit(a[4], "pselect");
    return syscall__limited(limit, pselect((int)a[0], syscall__place(a[1]), syscall__place(a[2]), syscall__place(a[3]),
                                           limit.time, syscall__signals(signals[0], &set)));
}

static long syscall__epoll_pwait(const long *a)
{
    sigset_t set;
    if (a[4] && a[5] != KERNEL_SET) return syscall__failed(EINVAL);
    return epoll_pwait((int)a[0], syscall__place(a[1]), (int)a[2], (int)a[3], syscall__signals(a[4], &set));
}

#ifdef SYS_epoll_pwait2
int epoll_pwait2(int file, struct epoll_event *events, int most, const struct timespec *time, const sigset_t *mask);

static long syscall__epoll_pwait2(const long *a)
{
    sigset_t set;
    if (a[4] && a[5] != KERNEL_SET) return syscall__failed(EINVAL);
    return epoll_pwait2((int)a[0], syscall__place(a[1]), (int)a[2], syscall__place(a[3]), syscall__signals(a[4], &set));
}
#endif

/* A call whose function has the same name and arguments. */
#define SAME(name, ...)                                                                                                \
    static long syscall__##name(const long *a)                                                                         \
    {                                                                                                                  \
        return (long)name(__VA_ARGS__);                                                                                \
    }
#define PLACE(i) syscall__place(a[i])

SAME(read, (int)a[0], PLACE(1), (size_t)a[2])
SAME(readv, (int)a[0], PLACE(1), (int)a[2])
SAME(recvfrom, (int)a[0], PLACE(1), (size_t)a[2], (int)a[3], (struct sockaddr *)PLACE(4), PLACE(5))
SAME(recvmsg, (int)a[0], PLACE(1), (int)a[2])
SAME(recvmmsg, (int)a[0], PLACE(1), (unsigned)a[2], (int)a[3], PLACE(4))
SAME(sendmmsg, (int)a[0], PLACE(1), (unsigned)a[2], (int)a[3])
SAME(accept, (int)a[0], (struct sockaddr *)PLACE(1), PLACE(2))
SAME(accept4, (int)a[0], (struct sockaddr *)PLACE(1), PLACE(2), (int)a[3])
SAME(connect, (int)a[0], (struct sockaddr *)PLACE(1), (socklen_t)a[2])
SAME(sendfile, (int)a[0], (int)a[1], PLACE(2), (size_t)a[3])
SAME(splice, (int)a[0], PLACE(1), (int)a[2], PLACE(3), (size_t)a[4], (unsigned)a[5])
SAME(tee, (int)a[0], (int)a[1], (size_t)a[2], (unsigned)a[3])
SAME(vmsplice, (int)a[0], PLACE(1), (size_t)a[2], (unsigned)a[3])
SAME(close, (int)a[0])
SAME(shutdown, (int)a[0], (int)a[1])
SAME(dup3, (int)a[0], (int)a[1], (int)a[2])
SAME(openat, (int)a[0], PLACE(1), (int)a[2], (mode_t)a[3])
SAME(wait4, (pid_t)a[0], PLACE(1), (int)a[2], PLACE(3))

SAME(pread64, (int)a[0], PLACE(1), (size_t)a[2], a[3])
SAME(pwrite64, (int)a[0], PLACE(1), (size_t)a[2], a[3])
SAME(fsync, (int)a[0])
SAME(fdatasync, (int)a[0])
SAME(syncfs, (int)a[0])
SAME(msync, PLACE(0), (size_t)a[1], (int)a[2])
SAME(flock, (int)a[0], (int)a[1])
SAME(fcntl, (int)a[0], (int)a[1], a[2])
SAME(mq_timedreceive, (mqd_t)a[0], PLACE(1), (size_t)a[2], PLACE(3), PLACE(4))
SAME(mq_timedsend, (mqd_t)a[0], PLACE(1), (size_t)a[2], (unsigned)a[3], PLACE(4))
SAME(msgrcv, (int)a[0], PLACE(1), (size_t)a[2], a[3], (int)a[4])
SAME(msgsnd, (int)a[0], PLACE(1), (size_t)a[2], (int)a[3])
SAME(semtimedop, (int)a[0], PLACE(1), (size_t)a[2], PLACE(3))

static long syscall__io_uring_setup(const long *a)
{
    (void)a;
    return threads_no_ring("io_uring_setup");
}

static long syscall__io_setup(const long *a)
{
    (void)a;
    return threads_no_ring("io_setup");
}

static long syscall__waitid(const long *a)
{
    if (a[4])
        return threads_real.syscall(SYS_waitid, a[0], a[1], a[2], a[3], a[4]); /* as no function of the C library */
    return waitid((idtype_t)a[0], (id_t)a[1], PLACE(2), (int)a[3]);
}

static long syscall__write(const long *a)
{
    return write((int)a[0], syscall__place(a[1]), (size_t)a[2]);
}

static long syscall__writev(const long *a)
{
    return writev((int)a[0], syscall__place(a[1]), (int)a[2]);
}

static long syscall__sendto(const long *a)
{
    return sendto((int)a[0], syscall__place(a[1]), (size_t)a[2], (int)a[3], syscall__place(a[4]), (socklen_t)a[5]);
}

static long syscall__sendmsg(const long *a)
{
    return sendmsg((int)a[0], syscall__place(a[1]), (int)a[2]);
}

/*=============================================================================
 * MARK: - >>signals
 *===========================================================================*/

static long syscall__kill(const long *a)
{
    return kill((pid_t)a[0], (int)a[1]);
}

static long syscall__tkill(const long *a)
{
    return tgkill(getpid(), (pid_t)a[0], (int)a[1]);
}

static long syscall__tgkill(const long *a)
{
    return tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]);
}

/* The number stands first; that in the information need not be right. */
static long syscall__queue(pid_t process, pid_t thread, long signal, long place)
{
    siginfo_t info;
    if (!place) return syscall__failed(EFAULT);
    memcpy(&info, syscall__place(place), sizeof info);
    info.si_signo = (int)signal;
    return threads_signal_queue(process, thread, &info);
}

static long syscall__sigqueueinfo(const long *a)
{
    return syscall__queue((pid_t)a[0], 0, a[1], a[2]);
}

static long syscall__tgsigqueueinfo(const long *a)
{
    return syscall__queue((pid_t)a[0], (pid_t)a[1], a[2], a[3]);
}

static long syscall__sigtimedwait(const long *a)
{
    sigset_t set;
    if (a[3] != KERNEL_SET) return syscall__failed(EINVAL);
    if (!syscall__signals(a[0], &set)) return syscall__failed(EFAULT);
    return a[2] ? sigtimedwait(&set, syscall__place(a[1]), syscall__place(a[2]))
                : sigwaitinfo(&set, syscall__place(a[1]));
}

static long syscall__sigsuspend(const long *a)
{
    sigset_t set;
    if (a[1] != KERNEL_SET) return syscall__failed(EINVAL);
    return syscall__signals(a[0], &set) ? sigsuspend(&set) : syscall__failed(EFAULT);
}

/* The C library would not let signals be blocked that it has for itself; a program without it may block them. */
static long syscall__sigprocmask(const long *a)
{
    sigset_t set;
    const bool blocks = a[1] && a[0] != SIG_UNBLOCK && a[3] == KERNEL_SET;
    if (blocks) {
        syscall__signals(a[1], &set);
        threads_unblocked(&set);
    }
    return threads_real.syscall(SYS_rt_sigprocmask, a[0], blocks ? &set : syscall__place(a[1]), a[2], a[3]);
}

#ifdef __x86_64__
/* An action as the kernel has it. That for SIGSYS stays ours. */
static long syscall__sigaction(const long *a)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } wanted;
    if (a[0] == SIGSYS && threads_turn.trapping) {
        if (a[2]) memset(syscall__place(a[2]), 0, sizeof wanted);
        return 0;
    }
    if (a[1]) {
        memcpy(&wanted, syscall__place(a[1]), sizeof wanted);
        wanted.mask &= ~(UINT64_C(1) << (SIGSYS - 1));
    }
    return threads_real.syscall(SYS_rt_sigaction, a[0], a[1] ? &wanted : NULL, a[2], a[3]);
}
#endif

/*=============================================================================
 * MARK: - >>threads and processes
 *===========================================================================*/

static long syscall__sched_yield(const long *a)
{
    (void)a;
    return sched_yield();
}

static long syscall__getcpu(const long *a)
{
    return getcpu(syscall__place(a[0]), syscall__place(a[1]));
}

static long syscall__exit_group(const long *a)
{
    _exit((int)a[0]);
}

/* Only the thread that calls it ends, and its destructors do not run. */
static long syscall__exit(const long *a)
{
    threads_leave(threads_begin("exit"));
    if (threads_turn.alive == 1) _exit((int)a[0]);
    threads_exit(threads_self());
    return threads_real.syscall(SYS_exit, a[0]);
}

/* The child has a copy of the memory, so that it returns from here as its parent does. */
static long syscall__child(long result)
{
    if (result == 0) threads_start_forked();
    return result;
}

static void syscall__copies(const char *call, uint64_t flags, uint64_t stack)
{
    if (flags & CLONE_VM || stack)
        threads_die("a system call of the program's own is %s() with flags 0x%llx%s: expected a child with a copy of "
                    "the memory, others are not supported",
                    call, (unsigned long long)flags, stack ? " and a stack" : "");
}

static long syscall__clone(const long *a)
{
#ifdef __s390__
    syscall__copies("clone", (uint64_t)a[1], (uint64_t)a[0]);
#else
    syscall__copies("clone", (uint64_t)a[0], (uint64_t)a[1]);
#endif
    return syscall__child(threads_real.syscall(SYS_clone, a[0], a[1], a[2], a[3], a[4], a[5]));
}

#ifdef SYS_clone3
static long syscall__clone3(const long *a)
{
    const struct clone_args *wanted = syscall__place(a[0]);
    if (!wanted) return syscall__failed(EFAULT);
    syscall__copies("clone3", wanted->flags, wanted->stack);
    return syscall__child(threads_real.syscall(SYS_clone3, a[0], a[1]));
}
#endif

#ifdef __x86_64__
static long syscall__fork(const long *a)
{
    (void)a;
    return syscall__child(threads_real.syscall(SYS_fork));
}

/* The parent waits for the child, as in vfork(), but the child has a copy of the memory, because both return from here. */
static long syscall__vfork(const long *a)
{
    (void)a;
    return syscall__child(threads_real.syscall(SYS_clone, (long)(CLONE_VFORK | SIGCHLD), 0L, 0L, 0L, 0L));
}

/*=============================================================================
 * MARK: - >>calls that not all processors have
 *===========================================================================*/

static long syscall__time(const long *a)
{
    return time(syscall__place(a[0]));
}

static long syscall__alarm(const long *a)
{
    return alarm((unsigned)a[0]);
}

static long syscall__poll(const long *a)
{
    return poll(syscall__place(a[0]), (nfds_t)a[1], (int)a[2]);
}

static long syscall__select(const long *a)
{
    return select((int)a[0], syscall__place(a[1]), syscall__place(a[2]), syscall__place(a[3]), syscall__place(a[4]));
}

static long syscall__epoll_wait(const long *a)
{
    return epoll_wait((int)a[0], syscall__place(a[1]), (int)a[2], (int)a[3]);
}

SAME(semop, (int)a[0], PLACE(1), (size_t)a[2])
SAME(open, PLACE(0), (int)a[1], (mode_t)a[2])
SAME(dup2, (int)a[0], (int)a[1])

static long syscall__pause(const long *a)
{
    (void)a;
    return pause();
}
#endif

/*=============================================================================
 * MARK: - >>the table
 *===========================================================================*/

static const syscall_meaning syscall_meanings[] = {
    [SYS_futex] = threads_futex,
    [SYS_clock_gettime] = syscall__clock_gettime,
    [SYS_gettimeofday] = syscall__gettimeofday,
    [SYS_nanosleep] = syscall__nanosleep,
    [SYS_clock_nanosleep] = syscall__clock_nanosleep,
    [SYS_setitimer] = syscall__setitimer,
    [SYS_getitimer] = syscall__getitimer,
    [SYS_timer_create] = syscall__timer_create,
    [SYS_timer_settime] = syscall__timer_settime,
    [SYS_timer_gettime] = syscall__timer_gettime,
    [SYS_timer_getoverrun] = syscall__timer_getoverrun,
    [SYS_timer_delete] = syscall__timer_delete,
    [SYS_timerfd_create] = syscall__timerfd_create,
    [SYS_timerfd_settime] = syscall__timerfd_settime,
    [SYS_timerfd_gettime] = syscall__timerfd_gettime,
    [SYS_times] = syscall__times,
    [SYS_getrusage] = syscall__getrusage,
    [SYS_ppoll] = syscall__ppoll,
    [SYS_pselect6] = syscall__pselect,
    [SYS_epoll_pwait] = syscall__epoll_pwait,
#ifdef SYS_epoll_pwait2
    [SYS_epoll_pwait2] = syscall__epoll_pwait2,
#endif
    [SYS_read] = syscall__read,
    [SYS_readv] = syscall__readv,
    [SYS_recvfrom] = syscall__recvfrom,
    [SYS_recvmsg] = syscall__recvmsg,
    [SYS_recvmmsg] = syscall__recvmmsg,
    [SYS_sendmmsg] = syscall__sendmmsg,
    [SYS_accept] = syscall__accept,
    [SYS_accept4] = syscall__accept4,
    [SYS_connect] = syscall__connect,
    [SYS_sendfile] = syscall__sendfile,
    [SYS_splice] = syscall__splice,
    [SYS_tee] = syscall__tee,
    [SYS_vmsplice] = syscall__vmsplice,
    [SYS_close] = syscall__close,
    [SYS_shutdown] = syscall__shutdown,
    [SYS_dup3] = syscall__dup3,
    [SYS_openat] = syscall__openat,
    [SYS_wait4] = syscall__wait4,
    [SYS_waitid] = syscall__waitid,
    [SYS_pread64] = syscall__pread64,
    [SYS_pwrite64] = syscall__pwrite64,
    [SYS_fsync] = syscall__fsync,
    [SYS_fdatasync] = syscall__fdatasync,
    [SYS_syncfs] = syscall__syncfs,
    [SYS_msync] = syscall__msync,
    [SYS_flock] = syscall__flock,
    [SYS_fcntl] = syscall__fcntl,
    [SYS_mq_timedreceive] = syscall__mq_timedreceive,
    [SYS_mq_timedsend] = syscall__mq_timedsend,
    [SYS_msgrcv] = syscall__msgrcv,
    [SYS_msgsnd] = syscall__msgsnd,
    [SYS_semtimedop] = syscall__semtimedop,
    [SYS_io_setup] = syscall__io_setup,
#ifdef SYS_io_uring_setup
    [SYS_io_uring_setup] = syscall__io_uring_setup,
#endif
    [SYS_write] = syscall__write,
    [SYS_writev] = syscall__writev,
    [SYS_sendto] = syscall__sendto,
    [SYS_sendmsg] = syscall__sendmsg,
    [SYS_kill] = syscall__kill,
    [SYS_tkill] = syscall__tkill,
    [SYS_tgkill] = syscall__tgkill,
    [SYS_rt_sigqueueinfo] = syscall__sigqueueinfo,
    [SYS_rt_tgsigqueueinfo] = syscall__tgsigqueueinfo,
    [SYS_rt_sigtimedwait] = syscall__sigtimedwait,
    [SYS_rt_sigsuspend] = syscall__sigsuspend,
    [SYS_rt_sigprocmask] = syscall__sigprocmask,
    [SYS_sched_yield] = syscall__sched_yield,
    [SYS_sched_getaffinity] = threads_affinity_get,
    [SYS_sched_setaffinity] = threads_affinity_set,
    [SYS_getcpu] = syscall__getcpu,
    [SYS_exit] = syscall__exit,
    [SYS_exit_group] = syscall__exit_group,
    [SYS_clone] = syscall__clone,
#ifdef SYS_clone3
    [SYS_clone3] = syscall__clone3,
#endif
#ifdef __x86_64__
    [SYS_rt_sigaction] = syscall__sigaction,
    [SYS_fork] = syscall__fork,
    [SYS_vfork] = syscall__vfork,
    [SYS_time] = syscall__time,
    [SYS_alarm] = syscall__alarm,
    [SYS_poll] = syscall__poll,
    [SYS_select] = syscall__select,
    [SYS_epoll_wait] = syscall__epoll_wait,
    [SYS_pause] = syscall__pause,
    [SYS_open] = syscall__open,
    [SYS_semop] = syscall__semop,
    [SYS_dup2] = syscall__dup2,
#endif
};

bool threads_called(long number)
{
    return number >= 0 && (size_t)number < sizeof syscall_meanings / sizeof *syscall_meanings &&
           syscall_meanings[number];
}

/* No system call is a cancellation point, unlike the function of its name. */
long threads_call(long number, const long a[6])
{
    threads_thread *t = threads_self();
    if (!t || threads_off || !threads_called(number))
        return threads_real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    const int before = t->cancel.state;
    int real = before;
    t->cancel.state = PTHREAD_CANCEL_DISABLE;
    threads_real.setcancelstate(PTHREAD_CANCEL_DISABLE, &real);
    const long result = syscall_meanings[number](a);
    threads_real.setcancelstate(real, NULL);
    t->cancel.state = before;
    return result;
}

THREADS_PUBLIC long syscall(long number, ...)
{
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; ++i) a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (!threads_real.syscall) threads_above.prepare();
    return threads_call(number, a);
}
