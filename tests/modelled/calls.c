/* calls.c - the calls of docs/modelled.md, each in all its forms: by the function, by its other names in the C library, by the symbol of
 * an older version, by syscall(), and by an instruction. Runs with real threads as well.
 *   calls            lists them: name, form, and the seconds that it takes, or that a clock must show
 *   calls NAME...    runs all forms of those: prints the same with the seconds that have passed, or what it was told
 * test_modelled compares this with the page. Compiled with -DRANKS, it is a program of MPI. */
#define _GNU_SOURCE
#define _DEFAULT_SOURCE
#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#ifdef RANKS
#include <mpi.h>
#endif

/* Of the library that has the virtual clock; none with real threads. */
extern int simthreads_compute(double seconds) __attribute__((weak));

#define UNIT 0.02 /* [s]: what others wait before they end a wait */
#define SHORT                                                                                                          \
    {                                                                                                                  \
        0, 20000000                                                                                                    \
    }
static const struct timespec unit = SHORT;
static struct timeval unit_of_microseconds = { 0, 20000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* UNIT from now by a clock. */
static struct timespec soon(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += unit.tv_nsec;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/*=============================================================================
 * MARK: - >>somebody else
 *===========================================================================*/

static void (*task)(void);
static pthread_t main_thread, helper;
static bool helping;

static void *help(void *unused)
{
    nanosleep(&unit, NULL);
    task();
    return unused;
}

/* Another thread does this in UNIT seconds. */
static void later(void (*what)(void))
{
    task = what;
    helping = pthread_create(&helper, NULL, help, NULL) == 0;
}

static void helped(void)
{
    if (helping) pthread_join(helper, NULL);
    helping = false;
}

static void nothing(void)
{
}
static void handle(int number)
{
    (void)number;
}
static void send_signal(void)
{
    pthread_kill(main_thread, SIGUSR1);
}

/*=============================================================================
 * MARK: - >>pipes, sockets
 *===========================================================================*/

static int ends[2], peer = -1;
static char filling[1 << 16], room[1 << 16];
static struct sockaddr_un address;

static void write_byte(void)
{
    if (write(ends[1], "x\n", 2) != 2) perror("write");
}
static void drain(void)
{
    ssize_t got;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    do got = read(ends[0], room, sizeof room);
    while (got > 0);
    fcntl(ends[0], F_SETFL, 0);
}
static void pipe_filled_later(void)
{
    if (pipe(ends) != 0) abort();
    later(write_byte);
}
static void sockets_filled_later(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
    later(write_byte);
}
static void fill(void)
{
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], filling, sizeof filling) > 0) continue;
    fcntl(ends[1], F_SETFL, 0);
    later(drain);
}
static void full_pipe(void)
{
    if (pipe(ends) != 0) abort();
    fill();
}
static void full_sockets(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
    fill();
}
static void ends_closed(void)
{
    helped();
    close(ends[0]);
    close(ends[1]);
}
static int listening(void)
{
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "calls %d", (int)getpid());
    if (file < 0 || bind(file, (struct sockaddr *)&address, sizeof address) != 0 || listen(file, 0) != 0) abort();
    return file;
}
static void connect_peer(void)
{
    peer = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(peer, (struct sockaddr *)&address, sizeof address) != 0) perror("connect");
}

/*=============================================================================
 * MARK: - >>system calls
 *===========================================================================*/

static long (*by)(long number, ...) = syscall; /* the form of this run */

#ifdef __x86_64__
static long instruction(long number, ...)
{
    long a[6], result;
    __builtin_va_list list;
    __builtin_va_start(list, number);
    for (int i = 0; i < 6; ++i) a[i] = __builtin_va_arg(list, long);
    __builtin_va_end(list);
    register long four __asm__("r10") = a[3], five __asm__("r8") = a[4], six __asm__("r9") = a[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(four), "r"(five), "r"(six)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) return errno = (int)-result, -1;
    return result;
}
#endif
#define P(pointer) (long)(intptr_t)(pointer)

/* Another name of a function in the C library; NULL: there is none. */
static void *other_name(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

/*=============================================================================
 * MARK: - >>sleeping
 *===========================================================================*/

int __nanosleep(const struct timespec *time, struct timespec *left);
int __clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
int __poll(struct pollfd *files, nfds_t count, int milliseconds);
int __select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *time);
int __sigsuspend(const sigset_t *mask);
int __gettimeofday(struct timeval *time, void *zone);
ssize_t __read(int file, void *bytes, size_t count);
ssize_t __write(int file, const void *bytes, size_t count);
ssize_t __send(int file, const void *bytes, size_t count, int flags);
ssize_t __read_chk(int file, void *bytes, size_t count, size_t size);
ssize_t __recv_chk(int file, void *bytes, size_t count, size_t size, int flags);
ssize_t __recvfrom_chk(int file, void *bytes, size_t count, size_t size, int flags, struct sockaddr *from,
                       socklen_t *length);
int __poll_chk(struct pollfd *files, nfds_t count, int milliseconds, size_t bytes);
int __sched_yield(void);
pid_t __wait(int *how);
pid_t __waitpid(pid_t process, int *how, int options);

static void wait_sleep(void)
{
    sleep(1);
}
static void wait_usleep(void)
{
    usleep(20000);
}
static void wait_nanosleep(void)
{
    nanosleep(&unit, NULL);
}
static void wait_other_nanosleep(void)
{
    __nanosleep(&unit, NULL);
}
static void wait_bare_nanosleep(void)
{
    by(SYS_nanosleep, P(&unit), 0L, 0L, 0L, 0L, 0L);
}
static void wait_clock_nanosleep(void)
{
    clock_nanosleep(CLOCK_REALTIME, 0, &unit, NULL);
}
static void wait_clock_nanosleep_until(void)
{
    const struct timespec until = soon(CLOCK_REALTIME);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}
#if defined(__x86_64__) && defined(__GLIBC__)
__asm__(".symver old_clock_nanosleep,clock_nanosleep@GLIBC_2.2.5");
int old_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
static void wait_old_clock_nanosleep(void)
{
    old_clock_nanosleep(CLOCK_MONOTONIC, 0, &unit, NULL);
}
#endif
static void wait_bare_clock_nanosleep(void)
{
    by(SYS_clock_nanosleep, (long)CLOCK_MONOTONIC, 0L, P(&unit), 0L, 0L, 0L);
}
static void wait_thrd_sleep(void)
{
    thrd_sleep(&unit, NULL);
}
static void wait_sched_yield(void)
{
    sched_yield();
}
static void wait_other_sched_yield(void)
{
    __sched_yield();
}
static void wait_bare_sched_yield(void)
{
    by(SYS_sched_yield, 0L, 0L, 0L, 0L, 0L, 0L);
}
static void wait_thrd_yield(void)
{
    thrd_yield();
}

/*=============================================================================
 * MARK: - >>signals and timers
 *===========================================================================*/

static void handled(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    later(send_signal);
}
static sigset_t blocked_signal(void)
{
    sigset_t set;
    handled();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return set;
}
static void unblocked_signal(const sigset_t *set)
{
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
}
static void wait_pause(void)
{
    handled();
    pause();
}
static void wait_bare_pause(void)
{
    handled();
#ifdef SYS_pause
    by(SYS_pause, 0L, 0L, 0L, 0L, 0L, 0L);
#endif
}
static void wait_sigsuspend(void)
{
    const sigset_t set = blocked_signal();
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);
    unblocked_signal(&set);
}
static void wait_other_sigsuspend(void)
{
    const sigset_t set = blocked_signal();
    sigset_t none;
    sigemptyset(&none);
    __sigsuspend(&none);
    unblocked_signal(&set);
}
static void wait_bare_sigsuspend(void)
{
    const sigset_t set = blocked_signal();
    const uint64_t none = 0;
    by(SYS_rt_sigsuspend, P(&none), (long)sizeof none, 0L, 0L, 0L, 0L);
    unblocked_signal(&set);
}
static void wait_sigwait(void)
{
    const sigset_t set = blocked_signal();
    int got;
    sigwait(&set, &got);
    unblocked_signal(&set);
}
static void wait_sigwaitinfo(void)
{
    const sigset_t set = blocked_signal();
    sigwaitinfo(&set, NULL);
    unblocked_signal(&set);
}
static void wait_sigtimedwait(void)
{
    const sigset_t set = blocked_signal();
    const struct timespec most = { 1, 0 };
    sigtimedwait(&set, NULL, &most);
    unblocked_signal(&set);
}
static void wait_bare_sigtimedwait(void)
{
    const uint64_t none = 0;
    by(SYS_rt_sigtimedwait, P(&none), 0L, P(&unit), (long)sizeof none, 0L, 0L);
}
static void alarmed(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGALRM, &action, NULL);
}
static void wait_alarm(void)
{
    alarmed();
    alarm(1);
    pause();
}
static void wait_bare_alarm(void)
{
    alarmed();
#ifdef SYS_alarm
    by(SYS_alarm, 1L, 0L, 0L, 0L, 0L, 0L);
#endif
    pause();
}
static void wait_ualarm(void)
{
    alarmed();
    ualarm(20000, 0);
    pause();
}
static void wait_setitimer(void)
{
    const struct itimerval time = { { 0, 0 }, unit_of_microseconds };
    alarmed();
    setitimer(ITIMER_REAL, &time, NULL);
    pause();
}
static void wait_bare_setitimer(void)
{
    const struct itimerval time = { { 0, 0 }, unit_of_microseconds };
    alarmed();
    by(SYS_setitimer, (long)ITIMER_REAL, P(&time), 0L, 0L, 0L, 0L);
    pause();
}
static void wait_timer(void)
{
    const struct itimerspec time = { { 0, 0 }, SHORT };
    struct sigevent event;
    timer_t timer;
    alarmed();
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return;
    timer_settime(timer, 0, &time, NULL);
    pause();
    timer_delete(timer);
}
static sem_t told;
static void tell(union sigval value)
{
    (void)value;
    sem_post(&told);
}
static void wait_timer_thread(void)
{
    const struct itimerspec time = { { 0, 0 }, SHORT };
    struct sigevent event;
    timer_t timer;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = tell;
    sem_init(&told, 0, 0);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return;
    timer_settime(timer, 0, &time, NULL);
    sem_wait(&told);
    timer_delete(timer);
}
static void wait_timerfd(void)
{
    const struct itimerspec time = { { 0, 0 }, SHORT };
    const int file = timerfd_create(CLOCK_MONOTONIC, 0);
    uint64_t times;
    timerfd_settime(file, 0, &time, NULL);
    if (read(file, &times, sizeof times) != sizeof times) perror("timerfd");
    close(file);
}
static void wait_bare_timerfd(void)
{
    const struct itimerspec time = { { 0, 0 }, SHORT };
    const int file = (int)by(SYS_timerfd_create, (long)CLOCK_MONOTONIC, 0L, 0L, 0L, 0L, 0L);
    struct pollfd one = { file, POLLIN, 0 };
    by(SYS_timerfd_settime, (long)file, 0L, P(&time), 0L, 0L, 0L);
    poll(&one, 1, -1);
    close(file);
}

/*=============================================================================
 * MARK: - >>files that are ready later
 *===========================================================================*/

static void wait_poll(void)
{
    pipe_filled_later();
    struct pollfd one = { ends[0], POLLIN, 0 };
    poll(&one, 1, 1000);
    ends_closed();
}
static void wait_poll_nothing(void)
{
    poll(NULL, 0, 20);
}
static void wait_other_poll(void)
{
    __poll(NULL, 0, 20);
}
static void wait_poll_chk(void)
{
    pipe_filled_later();
    struct pollfd one = { ends[0], POLLIN, 0 };
    __poll_chk(&one, 1, 1000, sizeof one);
    ends_closed();
}
static void wait_bare_poll(void)
{
#ifdef SYS_poll
    pipe_filled_later();
    struct pollfd one = { ends[0], POLLIN, 0 };
    by(SYS_poll, P(&one), 1L, 1000L, 0L, 0L, 0L);
    ends_closed();
#endif
}
static void wait_ppoll(void)
{
    ppoll(NULL, 0, &unit, NULL);
}
static void wait_bare_ppoll(void)
{
    struct timespec time = unit;
    by(SYS_ppoll, 0L, 0L, P(&time), 0L, 0L, 0L);
}
static void wait_select(void)
{
    pipe_filled_later();
    fd_set in;
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    select(ends[0] + 1, &in, NULL, NULL, NULL);
    ends_closed();
}
static void wait_other_select(void)
{
    struct timeval time = unit_of_microseconds;
    __select(0, NULL, NULL, NULL, &time);
}
static void wait_bare_select(void)
{
#ifdef SYS_select
    struct timeval time = unit_of_microseconds;
    by(SYS_select, 0L, 0L, 0L, 0L, P(&time), 0L);
#endif
}
static void wait_pselect(void)
{
    pselect(0, NULL, NULL, NULL, &unit, NULL);
}
static void wait_bare_pselect(void)
{
    struct timespec time = unit;
    by(SYS_pselect6, 0L, 0L, 0L, 0L, P(&time), 0L);
}
static int epoll_of_pipe(void)
{
    const int set = epoll_create1(0);
    struct epoll_event event = { .events = EPOLLIN };
    pipe_filled_later();
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    return set;
}
static void wait_epoll_wait(void)
{
    const int set = epoll_of_pipe();
    struct epoll_event got;
    epoll_wait(set, &got, 1, 1000);
    ends_closed();
    close(set);
}
static void wait_bare_epoll_wait(void)
{
#ifdef SYS_epoll_wait
    const int set = epoll_of_pipe();
    struct epoll_event got;
    by(SYS_epoll_wait, (long)set, P(&got), 1L, 1000L, 0L, 0L);
    ends_closed();
    close(set);
#endif
}
static void wait_epoll_pwait(void)
{
    const int set = epoll_of_pipe();
    struct epoll_event got;
    epoll_pwait(set, &got, 1, -1, NULL);
    ends_closed();
    close(set);
}
static void wait_epoll_pwait2(void)
{
    const int set = epoll_of_pipe();
    const struct timespec most = { 1, 0 };
    struct epoll_event got;
    epoll_pwait2(set, &got, 1, &most, NULL);
    ends_closed();
    close(set);
}

/* A call on what is ready later: `fails` makes it. */
#define WAITS(function, prepare, fails, name)                                                                          \
    static void function(void)                                                                                         \
    {                                                                                                                  \
        prepare();                                                                                                     \
        if (fails) perror(name);                                                                                       \
        ends_closed();                                                                                                 \
    }

/*=============================================================================
 * MARK: - >>reading
 *===========================================================================*/

WAITS(wait_read, pipe_filled_later, read(ends[0], room, 2) != 2, "read")
WAITS(wait_other_read, pipe_filled_later, __read(ends[0], room, 2) != 2, "read")
WAITS(wait_read_chk, pipe_filled_later, __read_chk(ends[0], room, 2, sizeof room) != 2, "read")
static void wait_bare_read(void)
{
    pipe_filled_later();
    by(SYS_read, (long)ends[0], P(room), 2L, 0L, 0L, 0L);
    ends_closed();
}
static void wait_readv(void)
{
    const struct iovec part = { room, 2 };
    pipe_filled_later();
    if (readv(ends[0], &part, 1) != 2) perror("readv");
    ends_closed();
}
static void wait_bare_readv(void)
{
    const struct iovec part = { room, 2 };
    pipe_filled_later();
    by(SYS_readv, (long)ends[0], P(&part), 1L, 0L, 0L, 0L);
    ends_closed();
}
static void add_event(void)
{
    eventfd_write(ends[0], 1);
}
static void wait_eventfd_read(void)
{
    eventfd_t value;
    ends[0] = eventfd(0, 0);
    ends[1] = dup(ends[0]);
    later(add_event);
    eventfd_read(ends[0], &value);
    ends_closed();
}
WAITS(wait_recv, sockets_filled_later, recv(ends[0], room, 2, 0) != 2, "recv")
WAITS(wait_recv_chk, sockets_filled_later, __recv_chk(ends[0], room, 2, sizeof room, 0) != 2, "recv")
WAITS(wait_recvfrom, sockets_filled_later, recvfrom(ends[0], room, 2, 0, NULL, NULL) != 2, "recvfrom")
WAITS(wait_recvfrom_chk, sockets_filled_later, __recvfrom_chk(ends[0], room, 2, sizeof room, 0, NULL, NULL) != 2,
      "recvfrom")
static void wait_bare_recvfrom(void)
{
    sockets_filled_later();
    by(SYS_recvfrom, (long)ends[0], P(room), 2L, 0L, 0L, 0L);
    ends_closed();
}
static struct iovec whole = { room, sizeof room };
static void wait_recvmsg(void)
{
    struct msghdr message = { .msg_iov = &whole, .msg_iovlen = 1 };
    sockets_filled_later();
    if (recvmsg(ends[0], &message, 0) != 2) perror("recvmsg");
    ends_closed();
}
static void wait_bare_recvmsg(void)
{
    struct msghdr message = { .msg_iov = &whole, .msg_iovlen = 1 };
    sockets_filled_later();
    by(SYS_recvmsg, (long)ends[0], P(&message), 0L, 0L, 0L, 0L);
    ends_closed();
}
static void wait_recvmmsg(void)
{
    struct mmsghdr message = { .msg_hdr = { .msg_iov = &whole, .msg_iovlen = 1 } };
    sockets_filled_later();
    if (recvmmsg(ends[0], &message, 1, 0, NULL) != 1) perror("recvmmsg");
    ends_closed();
}
static void wait_accept(void)
{
    const int file = listening();
    later(connect_peer);
    const int got = accept(file, NULL, NULL);
    helped();
    close(got), close(peer), close(file);
}
static void wait_accept4(void)
{
    const int file = listening();
    later(connect_peer);
    const int got = accept4(file, NULL, NULL, SOCK_CLOEXEC);
    helped();
    close(got), close(peer), close(file);
}
static void wait_bare_accept(void)
{
    const int file = listening();
    later(connect_peer);
    const int got = (int)by(SYS_accept4, (long)file, 0L, 0L, 0L, 0L, 0L);
    helped();
    close(got), close(peer), close(file);
}
static FILE *stream_of_pipe(void)
{
    pipe_filled_later();
    return fdopen(dup(ends[0]), "r");
}
static void wait_fgets(void)
{
    FILE *f = stream_of_pipe();
    if (!fgets(room, sizeof room, f)) perror("fgets");
    fclose(f);
    ends_closed();
}
static void wait_fgetc(void)
{
    FILE *f = stream_of_pipe();
    if (fgetc(f) != 'x') perror("fgetc");
    fclose(f);
    ends_closed();
}
static void wait_fread(void)
{
    FILE *f = stream_of_pipe();
    if (fread(room, 1, 2, f) != 2) perror("fread");
    fclose(f);
    ends_closed();
}
static void wait_getline(void)
{
    FILE *f = stream_of_pipe();
    char *line = NULL;
    size_t size = 0;
    if (getline(&line, &size, f) != 2) perror("getline");
    free(line);
    fclose(f);
    ends_closed();
}
static void wait_fscanf(void)
{
    FILE *f = stream_of_pipe();
    if (fscanf(f, "%4s", room) != 1) perror("fscanf");
    fclose(f);
    ends_closed();
}
static void wait_splice(void)
{
    int others[2];
    if (pipe(others) != 0) return;
    pipe_filled_later();
    if (splice(ends[0], NULL, others[1], NULL, 2, 0) != 2) perror("splice");
    close(others[0]), close(others[1]);
    ends_closed();
}
static void wait_tee(void)
{
    int others[2];
    if (pipe(others) != 0) return;
    pipe_filled_later();
    if (tee(ends[0], others[1], 2, 0) != 2) perror("tee");
    close(others[0]), close(others[1]);
    ends_closed();
}

/*=============================================================================
 * MARK: - >>writing where there is no room
 *===========================================================================*/

WAITS(wait_write, full_pipe, write(ends[1], "x", 1) != 1, "write")
WAITS(wait_other_write, full_pipe, __write(ends[1], "x", 1) != 1, "write")
static void wait_bare_write(void)
{
    full_pipe();
    by(SYS_write, (long)ends[1], P("x"), 1L, 0L, 0L, 0L);
    ends_closed();
}
static void wait_writev(void)
{
    const struct iovec part = { filling, 1 };
    full_pipe();
    if (writev(ends[1], &part, 1) != 1) perror("writev");
    ends_closed();
}
WAITS(wait_send, full_sockets, send(ends[1], "x", 1, 0) != 1, "send")
WAITS(wait_other_send, full_sockets, __send(ends[1], "x", 1, 0) != 1, "send")
WAITS(wait_sendto, full_sockets, sendto(ends[1], "x", 1, 0, NULL, 0) != 1, "sendto")
static void wait_bare_sendto(void)
{
    full_sockets();
    by(SYS_sendto, (long)ends[1], P("x"), 1L, 0L, 0L, 0L);
    ends_closed();
}
static struct iovec byte = { filling, 1 };
static void wait_sendmsg(void)
{
    const struct msghdr message = { .msg_iov = &byte, .msg_iovlen = 1 };
    full_sockets();
    if (sendmsg(ends[1], &message, 0) != 1) perror("sendmsg");
    ends_closed();
}
static void wait_sendmmsg(void)
{
    struct mmsghdr message = { .msg_hdr = { .msg_iov = &byte, .msg_iovlen = 1 } };
    full_sockets();
    if (sendmmsg(ends[1], &message, 1, 0) != 1) perror("sendmmsg");
    ends_closed();
}
static void wait_sendfile(void)
{
    const int file = open("/proc/self/exe", O_RDONLY);
    full_pipe();
    if (sendfile(ends[1], file, NULL, 1) != 1) perror("sendfile");
    close(file);
    ends_closed();
}
WAITS(wait_vmsplice, full_pipe, vmsplice(ends[1], &byte, 1, 0) != 1, "vmsplice")
static void wait_fputs(void)
{
    full_pipe();
    FILE *f = fdopen(dup(ends[1]), "w");
    fputs("x", f);
    if (fclose(f) != 0) perror("fputs");
    ends_closed();
}

/*=============================================================================
 * MARK: - >>children
 *===========================================================================*/

/* A child that computes for UNIT seconds or so. */
static pid_t child(void)
{
    const pid_t process = fork();
    if (process != 0) return process;
    struct timespec t;
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_sec == 0 && t.tv_nsec < unit.tv_nsec);
    _exit(0);
}
#define LOOP "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
static void wait_wait(void)
{
    child();
    wait(NULL);
}
static void wait_other_wait(void)
{
    child();
    __wait(NULL);
}
static void wait_waitpid(void)
{
    waitpid(child(), NULL, 0);
}
static void wait_other_waitpid(void)
{
    __waitpid(child(), NULL, 0);
}
static void wait_waitid(void)
{
    siginfo_t info;
    child();
    waitid(P_ALL, 0, &info, WEXITED);
}
static void wait_wait3(void)
{
    child();
    wait3(NULL, 0, NULL);
}
static void wait_wait4(void)
{
    wait4(child(), NULL, 0, NULL);
}
static void wait_bare_wait4(void)
{
    by(SYS_wait4, (long)child(), 0L, 0L, 0L, 0L, 0L);
}
static void wait_system(void)
{
    if (system(LOOP) != 0) perror("system");
}
static void wait_pclose(void)
{
    FILE *f = popen(LOOP, "r");
    if (!f || pclose(f) != 0) perror("popen");
}
static void wait_posix_spawn(void)
{
    static char sh[] = "sh", c[] = "-c", loop[] = LOOP;
    char *words[] = { sh, c, loop, NULL };
    extern char **environ;
    pid_t process;
    if (posix_spawn(&process, "/bin/sh", NULL, NULL, words, environ) == 0) waitpid(process, NULL, 0);
}

/*=============================================================================
 * MARK: - >>messages and locks of the system
 *===========================================================================*/

static mqd_t queue;
static int key;
static struct {
    long type;
    char text[8];
} letter = { 1, "x" };

static void queue_open(long most)
{
    char name[32];
    struct mq_attr attributes = { .mq_maxmsg = most, .mq_msgsize = 8 };
    snprintf(name, sizeof name, "/calls.%d", (int)getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    mq_unlink(name);
}
static void queue_write(void)
{
    mq_send(queue, "x", 1, 0);
}
static void queue_read(void)
{
    mq_receive(queue, room, sizeof room, NULL);
}
static void wait_mq_receive(void)
{
    queue_open(1);
    later(queue_write);
    mq_receive(queue, room, sizeof room, NULL);
    helped();
    mq_close(queue);
}
static void wait_mq_timedreceive(void)
{
    const struct timespec until = soon(CLOCK_REALTIME);
    queue_open(1);
    mq_timedreceive(queue, room, sizeof room, NULL, &until);
    mq_close(queue);
}
static void wait_mq_send(void)
{
    queue_open(1);
    queue_write();
    later(queue_read);
    mq_send(queue, "x", 1, 0);
    helped();
    mq_close(queue);
}
static void wait_mq_timedsend(void)
{
    const struct timespec until = soon(CLOCK_REALTIME);
    queue_open(1);
    queue_write();
    mq_timedsend(queue, "x", 1, 0, &until);
    mq_close(queue);
}
static void letter_send(void)
{
    msgsnd(key, &letter, sizeof letter.text, 0);
}
static void wait_msgrcv(void)
{
    key = msgget(IPC_PRIVATE, 0600);
    later(letter_send);
    if (msgrcv(key, &letter, sizeof letter.text, 0, 0) < 0) perror("msgrcv");
    helped();
    msgctl(key, IPC_RMID, NULL);
}
static void letter_take(void)
{
    if (msgrcv(key, &letter, sizeof letter.text, 0, 0) < 0) perror("msgrcv");
}
static void wait_msgsnd(void)
{
    key = msgget(IPC_PRIVATE, 0600);
    while (msgsnd(key, &letter, sizeof letter.text, IPC_NOWAIT) == 0) continue;
    later(letter_take);
    msgsnd(key, &letter, sizeof letter.text, 0);
    helped();
    msgctl(key, IPC_RMID, NULL);
}
static struct sembuf up = { 0, 1, 0 }, down = { 0, -1, 0 };
static void semaphore_up(void)
{
    semop(key, &up, 1);
}
static void wait_semop(void)
{
    key = semget(IPC_PRIVATE, 1, 0600);
    later(semaphore_up);
    semop(key, &down, 1);
    helped();
    semctl(key, 0, IPC_RMID);
}
static void wait_semtimedop(void)
{
    key = semget(IPC_PRIVATE, 1, 0600);
    semtimedop(key, &down, 1, &unit);
    semctl(key, 0, IPC_RMID);
}
static int locked = -1;
static int file_twice(void)
{
    char name[] = "/tmp/calls.XXXXXX", path[64];
    locked = mkstemp(name);
    snprintf(path, sizeof path, "/proc/self/fd/%d", locked);
    const int again = open(path, O_RDWR);
    unlink(name);
    return again;
}
static void flock_free(void)
{
    flock(locked, LOCK_UN);
}
static void wait_flock(void)
{
    const int again = file_twice();
    flock(locked, LOCK_EX);
    later(flock_free);
    flock(again, LOCK_EX);
    helped();
    close(again), close(locked);
}
static void range_free(void)
{
    struct flock range = { .l_type = F_UNLCK };
    fcntl(locked, F_OFD_SETLK, &range);
}
static void wait_fcntl(void)
{
    const int again = file_twice();
    struct flock range = { .l_type = F_WRLCK };
    fcntl(locked, F_OFD_SETLK, &range);
    later(range_free);
    fcntl(again, F_OFD_SETLKW, &range);
    helped();
    close(again), close(locked);
}
static void wait_lockf(void)
{
    const int again = file_twice();
    struct flock range = { .l_type = F_WRLCK };
    fcntl(locked, F_OFD_SETLK, &range);
    later(range_free);
    if (lockf(again, F_LOCK, 0) != 0) perror("lockf");
    helped();
    close(again), close(locked);
}
static char watched[] = "/tmp/calls.XXXXXX";
static void change(void)
{
    close(open(watched, O_WRONLY));
}
static void wait_inotify(void)
{
    const int file = mkstemp(watched);
    ends[0] = inotify_init1(0);
    ends[1] = file;
    inotify_add_watch(ends[0], watched, IN_CLOSE);
    later(change);
    if (read(ends[0], room, sizeof room) < 0) perror("inotify");
    unlink(watched);
    ends_closed();
}
static void wait_bare_io_uring(void)
{
#ifdef SYS_io_uring_setup
    char parameters[256];
    memset(parameters, 0, sizeof parameters);
    const long file = by(SYS_io_uring_setup, 4L, P(parameters), 0L, 0L, 0L, 0L);
    if (file >= 0) close((int)file);
#endif
}
static void wait_aio_suspend(void)
{
    static struct aiocb block;
    const struct aiocb *const list[] = { &block };
    pipe_filled_later();
    memset(&block, 0, sizeof block);
    block.aio_fildes = ends[0];
    block.aio_buf = room;
    block.aio_nbytes = 2;
    if (aio_read(&block) == 0) aio_suspend(list, 1, NULL);
    ends_closed();
}
static void wait_getaddrinfo(void)
{
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *found = NULL;
    if (getaddrinfo("127.0.0.1", "80", &hints, &found) == 0) freeaddrinfo(found);
}

/*=============================================================================
 * MARK: - >>threads
 *===========================================================================*/

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static uint32_t word;

/* Another thread has the lock for UNIT seconds. */
static void *hold_mutex(void *unused)
{
    pthread_mutex_lock(&mutex);
    nanosleep(&unit, NULL);
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void *hold_rwlock(void *unused)
{
    pthread_rwlock_wrlock(&rwlock);
    nanosleep(&unit, NULL);
    pthread_rwlock_unlock(&rwlock);
    return unused;
}
static void *hold_spinlock(void *unused)
{
    pthread_spin_lock(&spinlock);
    nanosleep(&unit, NULL);
    pthread_spin_unlock(&spinlock);
    return unused;
}
static void *hold_c11(void *unused)
{
    mtx_lock(&c11_mutex);
    nanosleep(&unit, NULL);
    mtx_unlock(&c11_mutex);
    return unused;
}
/* The other one has it when this returns: a microsecond is enough on the virtual clock, a millisecond in real life. */
static void held_by(void *(*body)(void *))
{
    const struct timespec moment = { 0, 1000 };
    helping = pthread_create(&helper, NULL, body, NULL) == 0;
    nanosleep(&moment, NULL);
}
static const struct timespec second = { 1, 0 };
static struct timespec second_from_now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_sec += second.tv_sec;
    return t;
}
static void wait_mutex(void)
{
    held_by(hold_mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    helped();
}
/* A lock that another thread holds, with a time limit that is later. */
#define LOCKS_UNTIL(function, clock, holds, locked, unlocks)                                                           \
    static void function(void)                                                                                         \
    {                                                                                                                  \
        const struct timespec until = second_from_now(clock);                                                          \
        held_by(holds);                                                                                                \
        if (locked) unlocks;                                                                                           \
        helped();                                                                                                      \
    }
LOCKS_UNTIL(wait_mutex_timed, CLOCK_REALTIME, hold_mutex, pthread_mutex_timedlock(&mutex, &until) == 0,
            pthread_mutex_unlock(&mutex))
LOCKS_UNTIL(wait_mutex_clock, CLOCK_MONOTONIC, hold_mutex,
            pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until) == 0, pthread_mutex_unlock(&mutex))
static void signal_condition(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}
static void wait_condition(void)
{
    pthread_mutex_lock(&mutex);
    later(signal_condition);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    helped();
}
static void wait_condition_timed(void)
{
    const struct timespec until = soon(CLOCK_REALTIME);
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&condition, &mutex, &until);
    pthread_mutex_unlock(&mutex);
}
static void wait_condition_clock(void)
{
    const struct timespec until = soon(CLOCK_MONOTONIC);
    pthread_mutex_lock(&mutex);
    pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&mutex);
}
static void wait_rdlock(void)
{
    held_by(hold_rwlock);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    helped();
}
static void wait_wrlock(void)
{
    held_by(hold_rwlock);
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    helped();
}
LOCKS_UNTIL(wait_timedrdlock, CLOCK_REALTIME, hold_rwlock, pthread_rwlock_timedrdlock(&rwlock, &until) == 0,
            pthread_rwlock_unlock(&rwlock))
LOCKS_UNTIL(wait_timedwrlock, CLOCK_REALTIME, hold_rwlock, pthread_rwlock_timedwrlock(&rwlock, &until) == 0,
            pthread_rwlock_unlock(&rwlock))
LOCKS_UNTIL(wait_clockrdlock, CLOCK_MONOTONIC, hold_rwlock,
            pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &until) == 0, pthread_rwlock_unlock(&rwlock))
LOCKS_UNTIL(wait_clockwrlock, CLOCK_MONOTONIC, hold_rwlock,
            pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &until) == 0, pthread_rwlock_unlock(&rwlock))
static void wait_spinlock(void)
{
    pthread_spin_init(&spinlock, 0);
    held_by(hold_spinlock);
    pthread_spin_lock(&spinlock);
    pthread_spin_unlock(&spinlock);
    helped();
}
static void come(void)
{
    pthread_barrier_wait(&barrier);
}
static void wait_barrier(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    later(come);
    pthread_barrier_wait(&barrier);
    helped();
    pthread_barrier_destroy(&barrier);
}
static void post(void)
{
    sem_post(&semaphore);
}
static void wait_semaphore(void)
{
    sem_init(&semaphore, 0, 0);
    later(post);
    sem_wait(&semaphore);
    helped();
}
static void wait_semaphore_timed(void)
{
    const struct timespec until = soon(CLOCK_REALTIME);
    sem_init(&semaphore, 0, 0);
    sem_timedwait(&semaphore, &until);
}
static void wait_semaphore_clock(void)
{
    const struct timespec until = soon(CLOCK_MONOTONIC);
    sem_init(&semaphore, 0, 0);
    sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until);
}
static void wait_join(void)
{
    later(nothing);
    helped();
}
static void wait_timedjoin(void)
{
    const struct timespec until = second_from_now(CLOCK_REALTIME);
    later(nothing);
    pthread_timedjoin_np(helper, NULL, &until);
    helping = false;
}
static void wait_clockjoin(void)
{
    const struct timespec until = second_from_now(CLOCK_MONOTONIC);
    later(nothing);
    pthread_clockjoin_np(helper, NULL, CLOCK_MONOTONIC, &until);
    helping = false;
}
static void once_slowly(void)
{
    nanosleep(&unit, NULL);
}
static pthread_once_t only = PTHREAD_ONCE_INIT;
static void *begin_once(void *unused)
{
    pthread_once(&only, once_slowly);
    return unused;
}
static void wait_once(void)
{
    const pthread_once_t fresh = PTHREAD_ONCE_INIT;
    memcpy(&only, &fresh, sizeof only);
    held_by(begin_once);
    pthread_once(&only, once_slowly);
    helped();
}
static once_flag only_c11 = ONCE_FLAG_INIT;
static void *begin_call_once(void *unused)
{
    call_once(&only_c11, once_slowly);
    return unused;
}
static void wait_call_once(void)
{
    const once_flag fresh = ONCE_FLAG_INIT;
    memcpy(&only_c11, &fresh, sizeof only_c11);
    held_by(begin_call_once);
    call_once(&only_c11, once_slowly);
    helped();
}
static void wait_mtx(void)
{
    mtx_init(&c11_mutex, mtx_plain);
    held_by(hold_c11);
    mtx_lock(&c11_mutex);
    mtx_unlock(&c11_mutex);
    helped();
}
static void wait_mtx_timed(void)
{
    const struct timespec until = second_from_now(CLOCK_REALTIME);
    mtx_init(&c11_mutex, mtx_timed);
    held_by(hold_c11);
    if (mtx_timedlock(&c11_mutex, &until) == thrd_success) mtx_unlock(&c11_mutex);
    helped();
}
static void signal_c11(void)
{
    mtx_lock(&c11_mutex);
    cnd_signal(&c11_condition);
    mtx_unlock(&c11_mutex);
}
static void wait_cnd(void)
{
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_condition);
    mtx_lock(&c11_mutex);
    later(signal_c11);
    cnd_wait(&c11_condition, &c11_mutex);
    mtx_unlock(&c11_mutex);
    helped();
}
static void wait_cnd_timed(void)
{
    const struct timespec until = soon(CLOCK_REALTIME);
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_condition);
    mtx_lock(&c11_mutex);
    cnd_timedwait(&c11_condition, &c11_mutex, &until);
    mtx_unlock(&c11_mutex);
}
static int c11_body(void *unused)
{
    (void)unused;
    nanosleep(&unit, NULL);
    return 0;
}
static void wait_thrd_join(void)
{
    thrd_t thread;
    if (thrd_create(&thread, c11_body, NULL) == thrd_success) thrd_join(thread, NULL);
}
static void wake_word(void)
{
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    by(SYS_futex, P(&word), 129L, 1L, 0L, 0L, 0L);
}
static void wait_bare_futex(void)
{
    word = 0;
    later(wake_word);
    by(SYS_futex, P(&word), 128L, 0L, 0L, 0L, 0L);
    helped();
}

/*=============================================================================
 * MARK: - >>clocks: each shows UNIT seconds of sleeping, or of computing
 *===========================================================================*/

static double shown; /* [s]; NAN: the time that has passed */

/* CPU time, without taking it where there is a virtual clock. */
static void compute(void)
{
    if (simthreads_compute) {
        simthreads_compute(UNIT);
        return;
    }
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    const double end = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + UNIT;
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < end);
}
static double of_timespec(struct timespec t)
{
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double of_timeval(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}
static double read_clock_gettime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return of_timespec(t);
}
#if defined(__x86_64__) && defined(__GLIBC__)
__asm__(".symver old_clock_gettime,clock_gettime@GLIBC_2.2.5");
int old_clock_gettime(clockid_t clock, struct timespec *time);
static double read_old_clock_gettime(void)
{
    struct timespec t;
    old_clock_gettime(CLOCK_BOOTTIME, &t);
    return of_timespec(t);
}
#endif
static double read_bare_clock_gettime(void)
{
    struct timespec t;
    by(SYS_clock_gettime, (long)CLOCK_MONOTONIC_RAW, P(&t), 0L, 0L, 0L, 0L);
    return of_timespec(t);
}
static double read_gettimeofday(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return of_timeval(t);
}
static double read_other_gettimeofday(void)
{
    struct timeval t;
    __gettimeofday(&t, NULL);
    return of_timeval(t);
}
static double read_bare_gettimeofday(void)
{
    struct timeval t;
    by(SYS_gettimeofday, P(&t), 0L, 0L, 0L, 0L, 0L);
    return of_timeval(t);
}
static double read_timespec_get(void)
{
    struct timespec t;
    return timespec_get(&t, TIME_UTC) == TIME_UTC ? of_timespec(t) : 0;
}
static double read_ntp_gettime(void)
{
    struct ntptimeval t;
    ntp_gettime(&t);
    return of_timeval(t.time);
}
static double read_thread_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return of_timespec(t);
}
static double read_process_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return of_timespec(t);
}
static double read_pthread_cpu(void)
{
    struct timespec t = { 0, 0 };
    clockid_t clock;
    if (pthread_getcpuclockid(pthread_self(), &clock) == 0) clock_gettime(clock, &t);
    return of_timespec(t);
}
static double read_cpu_of_process(void)
{
    struct timespec t = { 0, 0 };
    clockid_t clock;
    if (clock_getcpuclockid(0, &clock) == 0) clock_gettime(clock, &t);
    return of_timespec(t);
}
static double read_clock(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}
static double read_times(void)
{
    struct tms t;
    times(&t);
    return (double)t.tms_utime / (double)sysconf(_SC_CLK_TCK);
}
static double read_getrusage(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return of_timeval(usage.ru_utime) + of_timeval(usage.ru_stime);
}
static double read_bare_getrusage(void)
{
    struct rusage usage;
    by(SYS_getrusage, (long)RUSAGE_THREAD, P(&usage), 0L, 0L, 0L, 0L);
    return of_timeval(usage.ru_utime) + of_timeval(usage.ru_stime);
}
/* Only whole seconds, or worse. */
static void show_time(void)
{
    const time_t before = time(NULL);
    sleep(2);
    shown = (double)(time(NULL) - before);
}
static void show_ftime(void)
{
    struct timeb before, after;
    void (*call)(struct timeb *);
    *(void **)(void *)&call = other_name("ftime"); /* newer headers warn of it */
    if (!call) return;
    call(&before);
    nanosleep(&unit, NULL);
    call(&after);
    shown = (double)(after.time - before.time) + 1e-3 * (after.millitm - before.millitm);
}
static void show_getitimer(void)
{
    const struct itimerval time = { { 0, 0 }, { 1, 0 } }, none = { { 0, 0 }, { 0, 0 } };
    struct itimerval left;
    alarmed();
    setitimer(ITIMER_REAL, &time, NULL);
    nanosleep(&unit, NULL);
    getitimer(ITIMER_REAL, &left);
    setitimer(ITIMER_REAL, &none, NULL);
    shown = 1 - of_timeval(left.it_value);
}
static void show_timer_gettime(void)
{
    const struct itimerspec time = { { 0, 0 }, { 1, 0 } };
    struct itimerspec left;
    struct sigevent event;
    timer_t timer;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_NONE;
    if (timer_create(CLOCK_REALTIME, &event, &timer) != 0) return;
    timer_settime(timer, 0, &time, NULL);
    nanosleep(&unit, NULL);
    timer_gettime(timer, &left);
    timer_delete(timer);
    shown = 1 - of_timespec(left.it_value);
}
static void show_timerfd_gettime(void)
{
    const struct itimerspec time = { { 0, 0 }, { 1, 0 } };
    struct itimerspec left;
    const int file = timerfd_create(CLOCK_REALTIME, 0);
    timerfd_settime(file, 0, &time, NULL);
    nanosleep(&unit, NULL);
    timerfd_gettime(file, &left);
    close(file);
    shown = 1 - of_timespec(left.it_value);
}

/*=============================================================================
 * MARK: - >>the machine: each shows the number of cores
 *===========================================================================*/

static void show_online(void)
{
    shown = (double)sysconf(_SC_NPROCESSORS_ONLN);
}
static void show_configured(void)
{
    shown = (double)sysconf(_SC_NPROCESSORS_CONF);
}
static void show_nprocs(void)
{
    shown = get_nprocs();
}
static void show_nprocs_conf(void)
{
    shown = get_nprocs_conf();
}
static cpu_set_t processors;
static void show_affinity(void)
{
    CPU_ZERO(&processors);
    sched_getaffinity(0, sizeof processors, &processors);
    shown = CPU_COUNT(&processors);
}
static void show_bare_affinity(void)
{
    CPU_ZERO(&processors);
    by(SYS_sched_getaffinity, 0L, (long)sizeof processors, P(&processors), 0L, 0L, 0L);
    shown = CPU_COUNT(&processors);
}
static void show_pthread_affinity(void)
{
    CPU_ZERO(&processors);
    pthread_getaffinity_np(pthread_self(), sizeof processors, &processors);
    shown = CPU_COUNT(&processors);
}
static void show_attributes(void)
{
    pthread_attr_t attributes;
    CPU_ZERO(&processors);
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getaffinity_np(&attributes, sizeof processors, &processors);
    pthread_attr_destroy(&attributes);
    shown = CPU_COUNT(&processors);
}
static void show_lines(const char *path, const char *beginning)
{
    char line[4096];
    FILE *f = fopen(path, "r");
    shown = 0;
    while (f && fgets(line, sizeof line, f)) shown += strncmp(line, beginning, strlen(beginning)) == 0;
    if (f) fclose(f);
}
static void show_cpuinfo(void)
{
    show_lines("/proc/cpuinfo", "processor");
}
static void show_stat(void)
{
    show_lines("/proc/stat", "cpu");
    shown -= 1; /* the sum */
}
/* The last number of a list such as 0-2. */
static double last_of(const char *path, const char *beginning)
{
    char line[4096];
    double last = NAN;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, beginning, strlen(beginning)) != 0) continue;
        const char *digits = line + strcspn(line, "\n");
        while (digits > line && digits[-1] >= '0' && digits[-1] <= '9') --digits;
        last = atof(digits);
    }
    if (f) fclose(f);
    return last;
}
static void show_status(void)
{
    shown = last_of("/proc/self/status", "Cpus_allowed_list:") + 1;
}
static void show_sys_online(void)
{
    shown = last_of("/sys/devices/system/cpu/online", "") + 1;
}

/*=============================================================================
 * MARK: - >>disks: one of 1 MB/s and UNIT seconds of latency, without a cache
 *===========================================================================*/

enum { ON_DISK = 20000 /* bytes that the disk takes UNIT seconds for */ };
static int stored = -1;

/* A file with so many bytes, which takes UNIT seconds. */
static void file_written(void)
{
    char name[] = "/tmp/calls.XXXXXX";
    stored = mkstemp(name);
    unlink(name);
    if (write(stored, filling, ON_DISK) != ON_DISK) perror("write");
}
static void disk_write(void)
{
    file_written();
    close(stored);
}
/* The file has been written before: only the call counts. */
static void after_writing(void (*call)(void))
{
    file_written();
    const double begun = now();
    call();
    shown = now() - begun;
    close(stored);
}
static void call_read(void)
{
    lseek(stored, 0, SEEK_SET);
    if (read(stored, room, ON_DISK) != ON_DISK) perror("read");
}
static void disk_read(void)
{
    after_writing(call_read);
}
static void call_pread(void)
{
    if (pread(stored, room, ON_DISK, 0) != ON_DISK) perror("pread");
}
static void disk_pread(void)
{
    after_writing(call_pread);
}
static void call_pwrite(void)
{
    if (pwrite(stored, filling, ON_DISK, 0) != ON_DISK) perror("pwrite");
}
static void disk_pwrite(void)
{
    after_writing(call_pwrite);
}
static void call_fsync(void)
{
    fsync(stored);
}
static void disk_fsync(void)
{
    after_writing(call_fsync);
}
static void call_bare_fsync(void)
{
    by(SYS_fsync, (long)stored, 0L, 0L, 0L, 0L, 0L);
}
static void disk_bare_fsync(void)
{
    after_writing(call_bare_fsync);
}
static void call_fdatasync(void)
{
    fdatasync(stored);
}
static void disk_fdatasync(void)
{
    after_writing(call_fdatasync);
}
static void call_syncfs(void)
{
    syncfs(stored);
}
static void disk_syncfs(void)
{
    after_writing(call_syncfs);
}
static void disk_fread(void)
{
    file_written();
    lseek(stored, 0, SEEK_SET);
    FILE *f = fdopen(dup(stored), "r");
    const double begun = now();
    if (fread(room, 1, ON_DISK, f) != ON_DISK) perror("fread");
    shown = now() - begun;
    fclose(f);
    close(stored);
}
static void disk_mmap(void)
{
    file_written();
    const double begun = now();
    char *memory = mmap(NULL, ON_DISK, PROT_READ | PROT_WRITE, MAP_SHARED, stored, 0);
    if (memory != MAP_FAILED) memory[0] = 1, munmap(memory, ON_DISK);
    shown = now() - begun;
    close(stored);
}
static void disk_readdir(void)
{
    DIR *folder = opendir("/");
    while (folder && readdir(folder)) continue;
    if (folder) closedir(folder);
}

/*=============================================================================
 * MARK: - >>the list
 *===========================================================================*/

enum { BY_NAME, BY_NUMBER };
typedef enum amount {
    TIME,    /* so many seconds */
    SOME,    /* more than nothing: what a child takes */
    SLEPT,   /* a clock that shows what is slept */
    CPU,     /* a clock that shows what is computed */
    MACHINE, /* the number of cores */
} amount;

typedef struct entry {
    const char *name, *form;
    int bare;
    amount amount;
    double seconds;
    void (*wait)(void);
    double (*read)(void);
} entry;

#define WAIT(name, form, wait)                                                                                         \
    {                                                                                                                  \
        name, form, BY_NAME, TIME, UNIT, wait, NULL                                                                    \
    }
#define LONG(name, form, seconds, wait)                                                                                \
    {                                                                                                                  \
        name, form, BY_NAME, TIME, seconds, wait, NULL                                                                 \
    }
#define BARE(name, wait)                                                                                               \
    {                                                                                                                  \
        name, "", BY_NUMBER, TIME, UNIT, wait, NULL                                                                    \
    }
#define CHILD(name, form, wait)                                                                                        \
    {                                                                                                                  \
        name, form, BY_NAME, SOME, UNIT, wait, NULL                                                                    \
    }
#define CLOCK(name, form, read)                                                                                        \
    {                                                                                                                  \
        name, form, BY_NAME, SLEPT, UNIT, NULL, read                                                                   \
    }
#define OWN(name, form, read)                                                                                          \
    {                                                                                                                  \
        name, form, BY_NAME, CPU, UNIT, NULL, read                                                                     \
    }
#define CORES(name, form, show)                                                                                        \
    {                                                                                                                  \
        name, form, BY_NAME, MACHINE, 0, show, NULL                                                                    \
    }

static const entry entries[] = {
    LONG("sleep", "call", 1, wait_sleep),
    WAIT("usleep", "call", wait_usleep),
    WAIT("nanosleep", "call", wait_nanosleep),
    WAIT("nanosleep", "__nanosleep", wait_other_nanosleep),
    BARE("nanosleep", wait_bare_nanosleep),
    WAIT("clock_nanosleep", "call", wait_clock_nanosleep),
    WAIT("clock_nanosleep", "until", wait_clock_nanosleep_until),
#if defined(__x86_64__) && defined(__GLIBC__)
    WAIT("clock_nanosleep", "GLIBC_2.2.5", wait_old_clock_nanosleep),
    CLOCK("clock_gettime", "GLIBC_2.2.5", read_old_clock_gettime),
#endif
    BARE("clock_nanosleep", wait_bare_clock_nanosleep),
    WAIT("thrd_sleep", "call", wait_thrd_sleep),
    LONG("sched_yield", "call", 0, wait_sched_yield),
    LONG("sched_yield", "__sched_yield", 0, wait_other_sched_yield),
    { "sched_yield", "", BY_NUMBER, TIME, 0, wait_bare_sched_yield, NULL },
    LONG("thrd_yield", "call", 0, wait_thrd_yield),
    WAIT("pause", "call", wait_pause),
    BARE("pause", wait_bare_pause),
    WAIT("sigsuspend", "call", wait_sigsuspend),
    WAIT("sigsuspend", "__sigsuspend", wait_other_sigsuspend),
    BARE("sigsuspend", wait_bare_sigsuspend),
    WAIT("sigwait", "call", wait_sigwait),
    WAIT("sigwaitinfo", "call", wait_sigwaitinfo),
    WAIT("sigtimedwait", "call", wait_sigtimedwait),
    BARE("sigtimedwait", wait_bare_sigtimedwait),
    LONG("alarm", "call", 1, wait_alarm),
    { "alarm", "", BY_NUMBER, TIME, 1, wait_bare_alarm, NULL },
    WAIT("ualarm", "call", wait_ualarm),
    WAIT("setitimer", "call", wait_setitimer),
    BARE("setitimer", wait_bare_setitimer),
    WAIT("timer_settime", "signal", wait_timer),
    WAIT("timer_settime", "SIGEV_THREAD", wait_timer_thread),
    WAIT("timerfd_settime", "read", wait_timerfd),
    BARE("timerfd_settime", wait_bare_timerfd),
    WAIT("poll", "file", wait_poll),
    WAIT("poll", "no file", wait_poll_nothing),
    WAIT("poll", "__poll", wait_other_poll),
    WAIT("poll", "__poll_chk", wait_poll_chk),
    BARE("poll", wait_bare_poll),
    WAIT("ppoll", "call", wait_ppoll),
    BARE("ppoll", wait_bare_ppoll),
    WAIT("select", "file", wait_select),
    WAIT("select", "__select", wait_other_select),
    BARE("select", wait_bare_select),
    WAIT("pselect", "call", wait_pselect),
    BARE("pselect", wait_bare_pselect),
    WAIT("epoll_wait", "call", wait_epoll_wait),
    BARE("epoll_wait", wait_bare_epoll_wait),
    WAIT("epoll_pwait", "call", wait_epoll_pwait),
    WAIT("epoll_pwait2", "call", wait_epoll_pwait2),
    WAIT("read", "call", wait_read),
    WAIT("read", "__read", wait_other_read),
    WAIT("read", "__read_chk", wait_read_chk),
    BARE("read", wait_bare_read),
    WAIT("readv", "call", wait_readv),
    BARE("readv", wait_bare_readv),
    WAIT("eventfd_read", "call", wait_eventfd_read),
    WAIT("recv", "call", wait_recv),
    WAIT("recv", "__recv_chk", wait_recv_chk),
    WAIT("recvfrom", "call", wait_recvfrom),
    WAIT("recvfrom", "__recvfrom_chk", wait_recvfrom_chk),
    BARE("recvfrom", wait_bare_recvfrom),
    WAIT("recvmsg", "call", wait_recvmsg),
    BARE("recvmsg", wait_bare_recvmsg),
    WAIT("recvmmsg", "call", wait_recvmmsg),
    WAIT("accept", "call", wait_accept),
    WAIT("accept4", "call", wait_accept4),
    BARE("accept4", wait_bare_accept),
    WAIT("fgets", "call", wait_fgets),
    WAIT("fgetc", "call", wait_fgetc),
    WAIT("fread", "call", wait_fread),
    WAIT("getline", "call", wait_getline),
    WAIT("fscanf", "call", wait_fscanf),
    WAIT("splice", "call", wait_splice),
    WAIT("tee", "call", wait_tee),
    WAIT("write", "call", wait_write),
    WAIT("write", "__write", wait_other_write),
    BARE("write", wait_bare_write),
    WAIT("writev", "call", wait_writev),
    WAIT("send", "call", wait_send),
    WAIT("send", "__send", wait_other_send),
    WAIT("sendto", "call", wait_sendto),
    BARE("sendto", wait_bare_sendto),
    WAIT("sendmsg", "call", wait_sendmsg),
    WAIT("sendmmsg", "call", wait_sendmmsg),
    WAIT("sendfile", "call", wait_sendfile),
    WAIT("vmsplice", "call", wait_vmsplice),
    WAIT("fputs", "call", wait_fputs),
    CHILD("wait", "call", wait_wait),
    CHILD("wait", "__wait", wait_other_wait),
    CHILD("waitpid", "call", wait_waitpid),
    CHILD("waitpid", "__waitpid", wait_other_waitpid),
    CHILD("waitid", "call", wait_waitid),
    CHILD("wait3", "call", wait_wait3),
    CHILD("wait4", "call", wait_wait4),
    { "wait4", "", BY_NUMBER, SOME, UNIT, wait_bare_wait4, NULL },
    CHILD("system", "call", wait_system),
    CHILD("pclose", "call", wait_pclose),
    CHILD("posix_spawn", "call", wait_posix_spawn),
    WAIT("mq_receive", "call", wait_mq_receive),
    WAIT("mq_timedreceive", "call", wait_mq_timedreceive),
    WAIT("mq_send", "call", wait_mq_send),
    WAIT("mq_timedsend", "call", wait_mq_timedsend),
    WAIT("msgrcv", "call", wait_msgrcv),
    WAIT("msgsnd", "call", wait_msgsnd),
    WAIT("semop", "call", wait_semop),
    WAIT("semtimedop", "call", wait_semtimedop),
    WAIT("flock", "call", wait_flock),
    WAIT("fcntl", "call", wait_fcntl),
    WAIT("lockf", "call", wait_lockf),
    WAIT("inotify_add_watch", "call", wait_inotify),
    BARE("io_uring_setup", wait_bare_io_uring),
    WAIT("aio_suspend", "call", wait_aio_suspend),
    LONG("getaddrinfo", "call", 0, wait_getaddrinfo),
    WAIT("pthread_mutex_lock", "call", wait_mutex),
    WAIT("pthread_mutex_timedlock", "call", wait_mutex_timed),
    WAIT("pthread_mutex_clocklock", "call", wait_mutex_clock),
    WAIT("pthread_cond_wait", "call", wait_condition),
    WAIT("pthread_cond_timedwait", "call", wait_condition_timed),
    WAIT("pthread_cond_clockwait", "call", wait_condition_clock),
    WAIT("pthread_rwlock_rdlock", "call", wait_rdlock),
    WAIT("pthread_rwlock_wrlock", "call", wait_wrlock),
    WAIT("pthread_rwlock_timedrdlock", "call", wait_timedrdlock),
    WAIT("pthread_rwlock_timedwrlock", "call", wait_timedwrlock),
    WAIT("pthread_rwlock_clockrdlock", "call", wait_clockrdlock),
    WAIT("pthread_rwlock_clockwrlock", "call", wait_clockwrlock),
    WAIT("pthread_spin_lock", "call", wait_spinlock),
    WAIT("pthread_barrier_wait", "call", wait_barrier),
    WAIT("sem_wait", "call", wait_semaphore),
    WAIT("sem_timedwait", "call", wait_semaphore_timed),
    WAIT("sem_clockwait", "call", wait_semaphore_clock),
    WAIT("pthread_join", "call", wait_join),
    WAIT("pthread_timedjoin_np", "call", wait_timedjoin),
    WAIT("pthread_clockjoin_np", "call", wait_clockjoin),
    WAIT("pthread_once", "call", wait_once),
    WAIT("call_once", "call", wait_call_once),
    WAIT("mtx_lock", "call", wait_mtx),
    WAIT("mtx_timedlock", "call", wait_mtx_timed),
    WAIT("cnd_wait", "call", wait_cnd),
    WAIT("cnd_timedwait", "call", wait_cnd_timed),
    WAIT("thrd_join", "call", wait_thrd_join),
    BARE("futex", wait_bare_futex),
    CLOCK("clock_gettime", "call", read_clock_gettime),
    { "clock_gettime", "", BY_NUMBER, SLEPT, UNIT, NULL, read_bare_clock_gettime },
    CLOCK("gettimeofday", "call", read_gettimeofday),
    CLOCK("gettimeofday", "__gettimeofday", read_other_gettimeofday),
    { "gettimeofday", "", BY_NUMBER, SLEPT, UNIT, NULL, read_bare_gettimeofday },
    CLOCK("timespec_get", "call", read_timespec_get),
    CLOCK("ntp_gettime", "call", read_ntp_gettime),
    LONG("time", "call", 2, show_time),
    WAIT("ftime", "call", show_ftime),
    WAIT("getitimer", "call", show_getitimer),
    WAIT("timer_gettime", "call", show_timer_gettime),
    WAIT("timerfd_gettime", "call", show_timerfd_gettime),
    OWN("clock_gettime", "thread", read_thread_cpu),
    OWN("clock_gettime", "process", read_process_cpu),
    OWN("pthread_getcpuclockid", "call", read_pthread_cpu),
    OWN("clock_getcpuclockid", "call", read_cpu_of_process),
    OWN("clock", "call", read_clock),
    OWN("times", "call", read_times),
    OWN("getrusage", "call", read_getrusage),
    { "getrusage", "", BY_NUMBER, CPU, UNIT, NULL, read_bare_getrusage },
    WAIT("write", "regular file", disk_write),
    WAIT("read", "regular file", disk_read),
    LONG("pread", "regular file", 2 * UNIT, disk_pread),
    WAIT("pwrite", "regular file", disk_pwrite),
    WAIT("fsync", "call", disk_fsync),
    BARE("fsync", disk_bare_fsync),
    WAIT("fdatasync", "call", disk_fdatasync),
    WAIT("syncfs", "call", disk_syncfs),
    WAIT("fread", "regular file", disk_fread),
    WAIT("mmap", "regular file", disk_mmap),
    WAIT("readdir", "call", disk_readdir),
    CORES("sysconf", "_SC_NPROCESSORS_ONLN", show_online),
    CORES("sysconf", "_SC_NPROCESSORS_CONF", show_configured),
    CORES("get_nprocs", "call", show_nprocs),
    CORES("get_nprocs_conf", "call", show_nprocs_conf),
    CORES("sched_getaffinity", "call", show_affinity),
    { "sched_getaffinity", "", BY_NUMBER, MACHINE, 0, show_bare_affinity, NULL },
    CORES("pthread_getaffinity_np", "call", show_pthread_affinity),
    CORES("pthread_getattr_np", "call", show_attributes),
    CORES("/proc/cpuinfo", "fopen", show_cpuinfo),
    CORES("/proc/stat", "fopen", show_stat),
    CORES("/proc/self/status", "fopen", show_status),
    CORES("/sys/devices/system/cpu/online", "fopen", show_sys_online),
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void list(void)
{
    static const char *const amounts[] = { "time", "some", "slept", "cpu", "machine" };
    for (int i = 0; i < ENTRIES; ++i)
        printf("%s\t%s\t%s\t%g\n", entries[i].name, entries[i].bare ? "system call" : entries[i].form,
               amounts[entries[i].amount], entries[i].seconds);
}

static void run(const entry *e, const char *form)
{
    const double begun = now();
    shown = NAN;
    if (e->read) {
        const double before = e->read();
        if (e->amount == CPU)
            compute();
        else
            nanosleep(&unit, NULL);
        shown = e->read() - before;
    } else {
        e->wait();
    }
    const double passed = now() - begun;
    printf("%s\t%s\t%.6f\n", e->name, form, isnan(shown) ? passed : shown);
    fflush(stdout);
}

static void run_all(const char *name)
{
    for (int i = 0; i < ENTRIES; ++i) {
        const entry *e = &entries[i];
        if (strcmp(e->name, name) != 0) continue;
        by = syscall;
        run(e, e->bare ? "syscall()" : e->form);
#ifdef __x86_64__
        if (e->bare) {
            by = instruction;
            run(e, "instruction");
        }
#endif
    }
}

int main(int argc, char **argv)
{
    main_thread = pthread_self();
#ifdef RANKS
    MPI_Init(&argc, &argv);
#endif
    if (argc == 1) list();
    for (int i = 1; i < argc; ++i) run_all(argv[i]);
#ifdef RANKS
    MPI_Finalize();
#endif
    return 0;
}
