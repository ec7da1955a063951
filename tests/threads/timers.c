/* timers.c - timers and signals, and the times at which handlers run: timers [compute], on a virtual clock on which only
 * simthreads_compute(), sleeps and timers take time. Without `compute` it prints the same on a real clock, if that is not busy. */
#define _GNU_SOURCE
#include "pthread.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L

static double began;
static volatile int handled, value;
static volatile double handled_at;
static sem_t semaphore;
static pthread_t main_thread;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In tens of milliseconds, rounded down: a real clock is late by less. */
static int now(void)
{
    return (int)(100 * (seconds(CLOCK_MONOTONIC) - began) + 0.01);
}

static void begin(void)
{
    began = seconds(CLOCK_MONOTONIC);
    handled = value = 0;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    ++handled;
    value += info->si_value.sival_int;
    handled_at = now();
}

static void post(int signal)
{
    (void)signal;
    sem_post(&semaphore);
}

static void on(int signal, int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(signal, &action, NULL);
}

static void nap(long ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * MS };
    nanosleep(&time, NULL);
}

static void *send_kill(void *unused)
{
    nap(20);
    kill(getpid(), SIGUSR1);
    return unused;
}

static void *send_queue(void *unused)
{
    union sigval v = { .sival_int = 7 };
    nap(20);
    sigqueue(getpid(), SIGRTMIN, v);
    v.sival_int = 8;
    pthread_sigqueue(main_thread, SIGRTMIN, v);
    return unused;
}

static void *sleep_longer(void *unused)
{
    nap(50);
    return unused;
}

static void called(union sigval v)
{
    value = v.sival_int;
    handled_at = now();
    sem_post(&semaphore);
}

static struct itimerspec spec(long first, long every)
{
    const struct itimerspec time = { { every / 1000, every % 1000 * MS }, { first / 1000, first % 1000 * MS } };
    return time;
}

static void sleeping(void)
{
    pthread_t t;
    struct timespec time = { 0, 100 * MS }, left = { 0, 0 };
    begin();
    pthread_create(&t, NULL, send_kill, NULL);
    const int result = nanosleep(&time, &left), error = errno;
    printf("nanosleep: %d, interrupted %d at %d, %ld left, handled %d\n", result, error == EINTR, now(), (left.tv_nsec + 5 * MS) / (10 * MS), handled);
    pthread_join(t, NULL);
    begin();
    pthread_create(&t, NULL, send_queue, NULL);
    const int slept = usleep(100000);
    pthread_join(t, NULL);
    printf("usleep: %d at %d, handled %d with %d\n", slept, now(), handled, value);
}

static void alarms(void)
{
    struct itimerval time = { { 0, 20000 }, { 0, 10000 } }, rest;
    begin();
    setitimer(ITIMER_REAL, &time, NULL);
    nap(5);
    getitimer(ITIMER_REAL, &rest);
    printf("setitimer: %ld", (long)rest.it_value.tv_usec / 4000);
    while (handled < 3) pause();
    memset(&time, 0, sizeof time);
    setitimer(ITIMER_REAL, &time, &rest);
    printf(", the third at %d, then every %ld\n", (int)handled_at, (long)rest.it_interval.tv_usec / 10000);
    alarm(100);
    printf("alarm: %u, ", alarm(200));
    printf("%u\n", alarm(0));
    begin();
    ualarm(20000, 0);
    pthread_t t;
    pthread_create(&t, NULL, sleep_longer, NULL);
    pthread_join(t, NULL); /* its handler runs during this wait, which goes on */
    printf("ualarm: handled %d at %d, joined at %d\n", handled, (int)handled_at, now());
    begin();
    sem_init(&semaphore, 0, 0);
    signal(SIGALRM, post);
    ualarm(30000, 0);
    while (sem_wait(&semaphore) != 0) continue;
    printf("sem_wait: at %d\n", now());
}

static void created(void)
{
    struct sigevent event;
    struct itimerspec time = spec(10, 10);
    timer_t timer;
    pthread_t t;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN;
    event.sigev_value.sival_int = 5;
    begin();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &time, NULL);
    while (handled < 3) nap(100);
    printf("timer_create: the third at %d with %d in all, overrun %d\n", (int)handled_at, value, timer_getoverrun(timer));
    timer_delete(timer);
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    begin();
    timer_create(CLOCK_REALTIME, &event, &timer);
    time = spec(10, 10);
    timer_settime(timer, 0, &time, NULL);
    nap(35);
    const int signal = sigwaitinfo(&set, &info);
    printf("sigwaitinfo: %d with %d at %d, overrun %d\n", signal == SIGRTMIN, info.si_value.sival_int, now(), timer_getoverrun(timer));
    printf("sigwaitinfo: %d at %d\n", sigwaitinfo(&set, &info) == SIGRTMIN, now());
    timer_delete(timer);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    begin();
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = called;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    time = spec(20, 0);
    timer_settime(timer, 0, &time, NULL);
    sem_wait(&semaphore);
    printf("SIGEV_THREAD: at %d with %d\n", (int)handled_at, value);
    timer_delete(timer);
    event.sigev_notify = SIGEV_THREAD_ID;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    begin();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &time, NULL);
    pthread_create(&t, NULL, sleep_longer, NULL);
    nap(100);
    printf("SIGEV_THREAD_ID: at %d\n", now());
    timer_delete(timer);
    pthread_join(t, NULL);
    event.sigev_notify = SIGEV_NONE;
    begin();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    time = spec(40, 0);
    timer_settime(timer, 0, &time, NULL);
    nap(15);
    timer_gettime(timer, &time);
    printf("SIGEV_NONE: %ld left\n", time.it_value.tv_nsec / (10 * MS));
    timer_delete(timer);
    printf("timer_delete: %d\n", timer_gettime(timer, &time));
}

static void files(void)
{
    struct itimerspec time = spec(10, 20);
    const int file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), set = epoll_create1(0);
    struct epoll_event event = { .events = EPOLLIN };
    uint64_t ticks = 0;
    epoll_ctl(set, EPOLL_CTL_ADD, file, &event);
    begin();
    timerfd_settime(file, 0, &time, NULL);
    const int found = epoll_wait(set, &event, 1, 1000);
    printf("timerfd: %d at %d", found, now());
    if (read(file, &ticks, sizeof ticks) == sizeof ticks) printf(" for %d", (int)ticks);
    nap(45);
    timerfd_gettime(file, &time);
    if (read(file, &ticks, sizeof ticks) == sizeof ticks) printf(", then for %d, %ld left\n", (int)ticks, time.it_value.tv_nsec / (10 * MS));
    close(file);
}

static volatile int computed_at[4], fired;

static void expire(int signal)
{
    (void)signal;
    if (fired < 4) computed_at[fired++] = now();
}

/* Handlers run at their time within a computation, of the thread itself and of another one. */
static void computing(void)
{
    struct itimerval time = { { 0, 20000 }, { 0, 20000 } };
    struct rusage used, thread;
    struct tms ticks;
    clockid_t clock;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = expire;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    begin();
    setitimer(ITIMER_REAL, &time, NULL);
    simthreads_compute(0.07);
    memset(&time, 0, sizeof time);
    setitimer(ITIMER_REAL, &time, NULL);
    printf("computing: at %d %d %d of %d\n", computed_at[0], computed_at[1], computed_at[2], now());
    fired = 0;
    begin();
    time.it_value.tv_usec = 20000;
    setitimer(ITIMER_PROF, &time, NULL);
    nap(30);
    simthreads_compute(0.03);
    printf("ITIMER_PROF: at %d of %d\n", computed_at[0], now());
    pthread_getcpuclockid(pthread_self(), &clock);
    const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    getrusage(RUSAGE_SELF, &used);
    getrusage(RUSAGE_THREAD, &thread);
    times(&ticks);
    printf("CPU time: %.3f %.3f %ld.%03ld %ld.%03ld %.2f\n", cpu, seconds(clock), (long)used.ru_utime.tv_sec, (long)used.ru_utime.tv_usec / 1000,
           (long)thread.ru_utime.tv_sec, (long)thread.ru_utime.tv_usec / 1000, (double)ticks.tms_utime / 100);
}

int main(int argc, char **argv)
{
    main_thread = pthread_self();
    on(SIGUSR1, 0);
    on(SIGRTMIN, 0);
    on(SIGALRM, SA_RESTART);
    sleeping();
    alarms();
    created();
    files();
    if (argc > 1 && strcmp(argv[1], "compute") == 0) computing();
    return 0;
}
