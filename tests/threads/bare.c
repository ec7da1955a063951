/* bare.c - system calls in four forms: by the functions of the C library, by syscall(), by an instruction in this program, and
 * by one in a library that dlopen() loads (this file again, with BARE_LIBRARY). What each returns and how long it takes is the
 * same with real threads and on the virtual clock, but for the unit of time.
 *   bare [UNIT [plain]]         prints it; waits take UNIT seconds (0.05); plain: without the library
 *   bare clone|sigsys           what cannot be done, and what nearly cannot
 *   bare cost                   how long some calls take
 *   bare without dispatch|both COMMAND...   runs a command where the kernel refuses Syscall User Dispatch, or seccomp as well */
#define _GNU_SOURCE
#ifndef __x86_64__
int main(void)
{
    return 77;
}
#else
#include <sys/syscall.h>

static inline __attribute__((always_inline)) long instruction(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long four __asm__("r10") = d, five __asm__("r8") = e, six __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(four), "r"(five), "r"(six)
                     : "rcx", "r11", "memory");
    return result;
}

#ifdef BARE_LIBRARY
long bare_loaded(long number, const long *a);
long bare_constructed;

long bare_loaded(long number, const long *a)
{
    return instruction(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* By which clock a constructor tells the time, which runs before dlopen() has returned. */
__attribute__((constructor)) static void construct(void)
{
    struct {
        long seconds, nanoseconds;
    } time;
    bare_constructed = instruction(SYS_clock_gettime, 1, (long)&time, 0, 0, 0, 0) == 0 ? time.seconds : -1;
}
#else

#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int epoll_pwait2(int file, struct epoll_event *events, int most, const struct timespec *time, const sigset_t *mask);

enum { FUNCTION, SYSCALL, INSTRUCTION, LOADED, FORMS };
static const char *const form_names[FORMS] = { "function", "syscall()", "instruction", "loaded" };
static int forms = FORMS;
static double unit;
static long (*loaded)(long number, const long *a);
static __thread FILE *out;
static __thread int form;
static int ends[2];
static volatile sig_atomic_t handled, last_signal;

/* With the results of syscall(). */
static long call(long number, long a, long b, long c, long d, long e, long f)
{
    const long all[6] = { a, b, c, d, e, f };
    if (form == SYSCALL) return syscall(number, a, b, c, d, e, f);
    const long result = form == LOADED ? loaded(number, all) : instruction(number, a, b, c, d, e, f);
    if (result >= 0 || result < -4095) return result;
    errno = (int)-result;
    return -1;
}

#define CALL6(number, a, b, c, d, e, f, ...) call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define CALL(...) CALL6(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct timespec units(double count)
{
    const double seconds = count * unit;
    return (struct timespec){ (time_t)seconds, (long)(1e9 * (seconds - floor(seconds))) };
}

static double in_units(struct timespec t)
{
    return ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec) / unit;
}

/* Waits may end late. */
static int passed(double begin)
{
    return (int)((now() - begin) / unit + 0.1);
}

static void tell(const char *what, long result, double begin)
{
    const int error = errno;
    fprintf(out, "%s, %s: %ld%s%s after %d\n", what, form_names[form], result, result < 0 ? ", " : "",
            result < 0 ? strerror(error) : "", passed(begin));
}

#define TELL(what, function, ...)                                                                  \
    do {                                                                                           \
        const double begin = now();                                                                \
        errno = 0;                                                                                 \
        const long result = form == FUNCTION ? (long)(function) : (long)(CALL(__VA_ARGS__));       \
        tell(what, result, begin);                                                                 \
    } while (0)

static void handle(int number)
{
    last_signal = number;
    ++handled;
}

/* -- another thread ----------------------------------------------------------------------------------------------------------- */

typedef struct other {
    pthread_t thread;
    int form, way, signal;
    pid_t target;
    int *word;
} other;

enum { WRITE, WRITEV, SENDTO, SENDMSG, WAYS };
static const char *const way_names[WAYS] = { "write", "writev", "sendto", "sendmsg" };

static void *other_run(void *user)
{
    other *o = user;
    char byte = 'x';
    struct iovec part = { &byte, 1 };
    struct msghdr message;
    form = o->form;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    const struct timespec one = units(1);
    if (form == FUNCTION)
        nanosleep(&one, NULL);
    else
        CALL(SYS_nanosleep, &one, NULL);
    if (o->word) {
        *o->word = 1;
        if (form == FUNCTION)
            syscall(SYS_futex, o->word, FUTEX_WAKE_PRIVATE, 1);
        else
            CALL(SYS_futex, o->word, FUTEX_WAKE_PRIVATE, 1);
    } else if (o->signal && o->target) {
        if (form == FUNCTION)
            tgkill(getpid(), o->target, o->signal);
        else
            CALL(SYS_tgkill, getpid(), o->target, o->signal);
    } else if (o->signal) {
        if (form == FUNCTION)
            kill(getpid(), o->signal);
        else
            CALL(SYS_kill, getpid(), o->signal);
    } else if (form == FUNCTION) {
        switch (o->way) {
        case WRITE: return (void *)write(ends[1], &byte, 1);
        case WRITEV: return (void *)writev(ends[1], &part, 1);
        case SENDTO: return (void *)sendto(ends[1], &byte, 1, 0, NULL, 0);
        default: return (void *)sendmsg(ends[1], &message, 0);
        }
    } else {
        switch (o->way) {
        case WRITE: return (void *)CALL(SYS_write, ends[1], &byte, 1);
        case WRITEV: return (void *)CALL(SYS_writev, ends[1], &part, 1);
        case SENDTO: return (void *)CALL(SYS_sendto, ends[1], &byte, 1);
        default: return (void *)CALL(SYS_sendmsg, ends[1], &message);
        }
    }
    return NULL;
}

static void other_start(other *o)
{
    o->form = form;
    pthread_create(&o->thread, NULL, other_run, o);
}

/* -- calls -------------------------------------------------------------------------------------------------------------------- */

static void sleeps(void)
{
    struct timespec one = units(1), wrong = { 0, -1 }, until;
    TELL("nanosleep", nanosleep(&one, NULL), SYS_nanosleep, &one, NULL);
    TELL("nanosleep, wrong", nanosleep(&wrong, NULL), SYS_nanosleep, &wrong, NULL);
    if (form != FUNCTION) TELL("nanosleep, no time", 0, SYS_nanosleep, NULL, NULL);
    TELL("clock_nanosleep", -clock_nanosleep(CLOCK_REALTIME, 0, &one, NULL), SYS_clock_nanosleep, CLOCK_REALTIME, 0, &one, NULL);
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double sum = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + 2 * unit;
    until = (struct timespec){ (time_t)sum, (long)(1e9 * (sum - floor(sum))) };
    TELL("clock_nanosleep until", -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), SYS_clock_nanosleep,
         CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* How the clocks of this form differ from those of the functions, in seconds. */
static void clocks(void)
{
    struct timespec t = { 0, 0 }, cpu = { 0, 0 };
    struct timeval day = { 0, 0 };
    if (form == FUNCTION) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
        gettimeofday(&day, NULL);
    } else {
        CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
        CALL(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &cpu);
        CALL(SYS_gettimeofday, &day, NULL);
    }
    const time_t seconds = form == FUNCTION ? time(NULL) : (time_t)CALL(SYS_time, NULL);
    fprintf(out, "clocks, %s: %.0f %.0f, CPU time below a second %d\n", form_names[form],
            fabs(now() - (double)t.tv_sec - 1e-9 * (double)t.tv_nsec),
            fabs((double)day.tv_sec + 1e-6 * (double)day.tv_usec - (double)seconds - 0.5) < 1 ? 0. : 1., cpu.tv_sec == 0);
    TELL("clock_gettime, wrong", clock_gettime(77, &t), SYS_clock_gettime, 77, &t);
}

static void limits(void)
{
    struct timespec one = units(1), time = one;
    struct timeval short_time = { one.tv_sec, one.tv_nsec / 1000 };
    struct epoll_event event;
    struct {
        const void *set;
        size_t bytes;
    } none = { NULL, 8 };
    sigset_t mask;
    sigemptyset(&mask);
    const int milliseconds = (int)(1000 * unit);
    struct pollfd file = { ends[0], POLLIN, 0 };
    TELL("poll", poll(&file, 1, milliseconds), SYS_poll, &file, 1, milliseconds);
    TELL("ppoll", ppoll(&file, 1, &time, &mask), SYS_ppoll, &file, 1, &time, &mask, 8);
    fprintf(out, "left of its time, %s: %.0f\n", form_names[form], in_units(time));
    if (form != FUNCTION) TELL("ppoll, wrong", 0, SYS_ppoll, &file, 1, &one, &mask, 7);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    TELL("select", select(ends[0] + 1, &set, NULL, NULL, &short_time), SYS_select, ends[0] + 1, &set, NULL, NULL, &short_time);
    FD_SET(ends[0], &set);
    time = one;
    TELL("pselect", pselect(ends[0] + 1, &set, NULL, NULL, &time, NULL), SYS_pselect6, ends[0] + 1, &set, NULL, NULL, &time, &none);
    fprintf(out, "left of its time, %s: %.0f\n", form_names[form], in_units(time));
    const int all = epoll_create1(0);
    event.events = EPOLLIN;
    epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &event);
    TELL("epoll_wait", epoll_wait(all, &event, 1, milliseconds), SYS_epoll_wait, all, &event, 1, milliseconds);
    TELL("epoll_pwait", epoll_pwait(all, &event, 1, milliseconds, &mask), SYS_epoll_pwait, all, &event, 1, milliseconds, &mask, 8);
    TELL("epoll_pwait2", epoll_pwait2(all, &event, 1, &one, &mask), SYS_epoll_pwait2, all, &event, 1, &one, &mask, 8);
    close(all);
}

static void writes(void)
{
    for (int way = 0; way < WAYS; ++way) {
        other o = { .way = way };
        char what[64], byte;
        struct pollfd file = { ends[0], POLLIN, 0 };
        other_start(&o);
        snprintf(what, sizeof what, "poll, until %s", way_names[way]);
        TELL(what, poll(&file, 1, -1), SYS_poll, &file, 1, -1);
        if (read(ends[0], &byte, 1) != 1) fprintf(out, "nothing was written\n");
        pthread_join(o.thread, NULL);
    }
}

static void futexes(void)
{
    struct timespec one = units(1);
    int word = 0;
    other o = { .word = &word };
    TELL("futex, a limit", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &one), SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &one);
    TELL("futex, another value", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL), SYS_futex, &word, FUTEX_WAIT_PRIVATE,
         1, NULL);
    TELL("futex, nobody waits", syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1), SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
    other_start(&o);
    TELL("futex, woken", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL), SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
    pthread_join(o.thread, NULL);
}

static void signals(void)
{
    const struct timespec one = units(1);
    const pid_t me = (pid_t)syscall(SYS_gettid);
    sigset_t set, none;
    siginfo_t info;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    TELL("sigtimedwait, a limit", sigtimedwait(&set, &info, &one), SYS_rt_sigtimedwait, &set, &info, &one, 8);
    other o = { .signal = SIGUSR2 };
    other_start(&o);
    TELL("sigwaitinfo", sigwaitinfo(&set, &info), SYS_rt_sigtimedwait, &set, &info, NULL, 8);
    pthread_join(o.thread, NULL);
    handled = 0;
    o.signal = SIGUSR1;
    o.target = me;
    other_start(&o);
    TELL("sigsuspend", sigsuspend(&none), SYS_rt_sigsuspend, &none, 8);
    pthread_join(o.thread, NULL);
    other_start(&o);
    TELL("pause", pause(), SYS_pause);
    pthread_join(o.thread, NULL);
    other_start(&o);
    const struct timespec long_time = units(10);
    TELL("nanosleep, a signal", nanosleep(&long_time, NULL), SYS_nanosleep, &long_time, NULL);
    pthread_join(o.thread, NULL);
    fprintf(out, "signals, %s: %d\n", form_names[form], (int)handled);
    TELL("tgkill, none", tgkill(getpid(), me, 0), SYS_tgkill, getpid(), me, 0);
    TELL("tgkill, itself", tgkill(getpid(), me, SIGUSR1), SYS_tgkill, getpid(), me, SIGUSR1);
    TELL("tgkill, wrong", tgkill(getpid(), me, 99), SYS_tgkill, getpid(), me, 99);
    fprintf(out, "signals, %s: %d\n", form_names[form], (int)handled);
}

/* A call that changes what a handler of signals restores as it returns. */
static void masks(void)
{
    static char stack[1 << 16];
    sigset_t all, before, then;
    stack_t wanted = { .ss_sp = stack, .ss_size = sizeof stack }, found, off = { .ss_flags = SS_DISABLE };
    sigfillset(&all);
    sigemptyset(&then);
    handled = 0;
    TELL("sigprocmask, all", sigprocmask(SIG_BLOCK, &all, &before), SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, 8);
    pthread_kill(pthread_self(), SIGUSR1);
    TELL("sched_yield, all are blocked", sched_yield(), SYS_sched_yield);
    fprintf(out, "signals, %s: %d\n", form_names[form], (int)handled);
    TELL("sigprocmask, as before", sigprocmask(SIG_SETMASK, &before, &then), SYS_rt_sigprocmask, SIG_SETMASK, &before, &then, 8);
    fprintf(out, "signals, %s: %d, it was blocked %d\n", form_names[form], (int)handled, sigismember(&then, SIGUSR1));
    TELL("sigaltstack", sigaltstack(&wanted, NULL), SYS_sigaltstack, &wanted, NULL);
    sigaltstack(NULL, &found);
    fprintf(out, "its stack, %s: %d\n", form_names[form], found.ss_sp == (void *)stack && found.ss_size == sizeof stack);
    sigaltstack(&off, NULL);
}

__asm__("restore: mov $15, %eax\nsyscall\n");
void restore(void);

/* A handler that returns by an instruction of the program. */
static void actions(void)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } raw = { handle, 0x04000000, restore, ~0ul };
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    handled = 0;
    TELL("sigaction", sigaction(SIGWINCH, &action, NULL), SYS_rt_sigaction, SIGWINCH, &raw, NULL, 8);
    pthread_kill(pthread_self(), SIGWINCH);
    fprintf(out, "signals, %s: %d\n", form_names[form], (int)handled);
}

static void processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    TELL("sched_yield", sched_yield(), SYS_sched_yield);
    const long bytes = form == FUNCTION ? sched_getaffinity(0, sizeof set, &set) : CALL(SYS_sched_getaffinity, 0, sizeof set, &set);
    fprintf(out, "sched_getaffinity, %s: %s\n", form_names[form], bytes == 0 ? "0" : bytes > 0 ? "bytes" : "an error");
    TELL("sched_setaffinity", sched_setaffinity(0, sizeof set, &set), SYS_sched_setaffinity, 0, sizeof set, &set);
    TELL("sched_getaffinity, no set", form == FUNCTION ? (errno = EFAULT, -1) : 0, SYS_sched_getaffinity, 0, sizeof set, NULL);
}

static void processes(void)
{
    int status = 0;
    const struct timespec one = units(1);
    const double begin = now();
    pid_t child = form == FUNCTION ? fork() : (pid_t)CALL(SYS_fork);
    if (child == 0) {
        if (form == FUNCTION)
            nanosleep(&one, NULL);
        else
            CALL(SYS_nanosleep, &one, NULL);
        const int result = passed(begin);
        if (form == FUNCTION) _exit(result);
        CALL(SYS_exit_group, result);
    }
    waitpid(child, &status, 0);
    fprintf(out, "fork, %s: the child ended with %d\n", form_names[form], WEXITSTATUS(status));
    if (form == INSTRUCTION) {
        child = (pid_t)instruction(SYS_vfork, 0, 0, 0, 0, 0, 0);
        if (child == 0) instruction(SYS_exit_group, 5, 0, 0, 0, 0, 0);
        waitpid(child, &status, 0);
        fprintf(out, "vfork, %s: the child ended with %d\n", form_names[form], WEXITSTATUS(status));
    }
    child = form == FUNCTION ? fork() : (pid_t)CALL(SYS_clone, SIGCHLD);
    if (child == 0) _exit(6);
    waitpid(child, &status, 0);
    fprintf(out, "clone, %s: the child ended with %d\n", form_names[form], WEXITSTATUS(status));
}

static pthread_key_t key;

static void destroy(void *value)
{
    ++*(int *)value;
}

static void *leave(void *value)
{
    form = *(int *)value >> 8;
    pthread_setspecific(key, value);
    const struct timespec one = units(1);
    nanosleep(&one, NULL);
    if (form == FUNCTION) pthread_exit(NULL);
    CALL(SYS_exit, 0);
    return NULL;
}

static void *sleep_cancelled(void *value)
{
    form = *(int *)value >> 8;
    const struct timespec one = units(1);
    CALL(SYS_nanosleep, &one, NULL);
    ++*(int *)value;
    pthread_testcancel();
    ++*(int *)value;
    return NULL;
}

/* A thread that leaves by the kernel's exit runs no destructors; and no system call is a cancellation point. */
static void exits(void)
{
    pthread_t t;
    void *result;
    int value = form << 8;
    const double begin = now();
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, leave, &value);
    pthread_join(t, NULL);
    fprintf(out, "exit, %s: destructors %d, after %d\n", form_names[form], value & 255, passed(begin));
    pthread_key_delete(key);
    if (form == FUNCTION) return;
    value = form << 8;
    pthread_create(&t, NULL, sleep_cancelled, &value);
    pthread_cancel(t);
    pthread_join(t, &result);
    fprintf(out, "nanosleep, cancelled, %s: %d more, %d\n", form_names[form], value & 255, result == PTHREAD_CANCELED);
}

/* -- all of them, and many threads -------------------------------------------------------------------------------------------- */

static double wanted = 0.05;

/* While nothing else can happen, waits for files and for signals from outside are real ones on the virtual clock as well: these
 * parts have a short unit of time. */
static void suite(bool again)
{
    static const struct {
        void (*run)(void);
        bool is_real;
    } parts[] = { { limits, true },   { writes, true },    { signals, true },     { sleeps, false },
                  { clocks, false },  { futexes, false },  { masks, false },      { actions, false },
                  { processors, false }, { processes, false }, { exits, false } };
    for (size_t i = again ? 2 : 0; i < sizeof parts / sizeof *parts; ++i) {
        unit = parts[i].is_real ? fmin(wanted, 0.03) : wanted;
        for (form = 0; form < forms; ++form) parts[i].run();
    }
}

/* A lock of futexes: 0 free, 1 taken, 2 taken and waited for. */
static int lock, total;

static void *count(void *user)
{
    form = (int)(long)user;
    for (int i = 0; i < 200; ++i) {
        int seen = 0;
        if (!__atomic_compare_exchange_n(&lock, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            while (__atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE)) CALL(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, 2, NULL);
        const int before = total;
        if (i % 20 == 0) CALL(SYS_sched_yield);
        total = before + 1;
        if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2) CALL(SYS_futex, &lock, FUTEX_WAKE_PRIVATE, 1);
    }
    return NULL;
}

static void many(void)
{
    pthread_t t[9];
    for (long i = 0; i < 9; ++i) pthread_create(&t[i], NULL, count, (void *)(1 + i % (forms - 1)));
    for (int i = 0; i < 9; ++i) pthread_join(t[i], NULL);
    printf("many threads: %d\n", total);
}

static char *suite_text(bool again)
{
    char *text = NULL;
    size_t length;
    out = open_memstream(&text, &length);
    suite(again);
    fclose(out);
    return text;
}

static void *suite_thread(void *unused)
{
    (void)unused;
    return suite_text(true);
}

static bool same(const char *text, const char *end)
{
    const bool is = strlen(end) <= strlen(text) && strcmp(text + strlen(text) - strlen(end), end) == 0;
    if (!is) fputs(end, stderr);
    return is;
}

static int all(void)
{
    struct sigaction action;
    pthread_t t;
    void *other_text;
    int status;
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &awaited, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    char *text = suite_text(false);
    fputs(text, stdout);
    pthread_create(&t, NULL, suite_thread, NULL);
    pthread_join(t, &other_text);
    printf("the same in a thread: %d\n", same(text, other_text));
    many();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(same(text, suite_text(true)));
    waitpid(child, &status, 0);
    printf("the same in a child: %d\n", WEXITSTATUS(status));
    return 0;
}

/* -- the rest ----------------------------------------------------------------------------------------------------------------- */

static int refused(char **argv)
{
    const bool both = strcmp(argv[2], "both") == 0;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, both ? SYS_seccomp : 0xffff, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 59, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = { sizeof code / sizeof *code, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) return 77;
    execvp(argv[3], argv + 3);
    return 127;
}

static void cost_of(const char *what, bool by_instruction, long number, long a, long b)
{
    enum { TIMES = 20000 };
    double best = 1;
    for (int k = 0; k < 15; ++k) {
        struct timespec t[2];
        form = by_instruction ? INSTRUCTION : SYSCALL;
        clock_gettime(CLOCK_MONOTONIC, &t[0]);
        for (int i = 0; i < TIMES; ++i) call(number, a, b, 0, 0, 0, 0);
        clock_gettime(CLOCK_MONOTONIC, &t[1]);
        best = fmin(best, ((double)(t[1].tv_sec - t[0].tv_sec) + 1e-9 * (double)(t[1].tv_nsec - t[0].tv_nsec)) / TIMES);
    }
    printf("%-16s %s %7.1f ns\n", what, by_instruction ? "instruction" : "syscall()  ", 1e9 * best);
}

static int cost(void)
{
    struct timespec t;
    int word = 0;
    for (int by = 0; by < 2; ++by) {
        cost_of("futex wake", by, SYS_futex, (long)&word, FUTEX_WAKE_PRIVATE);
        cost_of("clock_gettime", by, SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t);
        cost_of("getppid", by, SYS_getppid, 0, 0);
    }
    return 0;
}

static void told(int number)
{
    last_signal = number;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "0.05";
    if (strcmp(mode, "without") == 0 && argc > 3) return refused(argv);
    if (strcmp(mode, "cost") == 0) return cost();
    form = INSTRUCTION;
    if (strcmp(mode, "clone") == 0) return (int)CALL(SYS_clone, 0x100 | SIGCHLD, &ends);
    if (strcmp(mode, "sigsys") == 0) {
        signal(SIGSYS, told);
        CALL(SYS_sched_yield);
        raise(SIGSYS);
        printf("%d, then %d\n", (int)last_signal == SIGSYS, (int)CALL(SYS_sched_yield));
        return 0;
    }
    wanted = atof(mode);
    if (!(wanted > 0)) return 2;
    if (argc > 2) {
        forms = LOADED;
    } else { /* it lies beside the program, which alone knows where that is */
        void *library = dlopen("bare.so", RTLD_NOW);
        if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
        *(void **)(void *)&loaded = dlsym(library, "bare_loaded");
        const long constructed = *(long *)dlsym(library, "bare_constructed");
        printf("a constructor, by the same clock %d\n", fabs(now() - (double)constructed) < 2);
    }
    return all();
}
#endif
#endif
