/* deadlock.c - programs that cannot go on, or that do what the virtual clock does not support: deadlock MODE, and
 * deadlock until CALL */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "pthread.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile int flag;
static sem_t semaphore;

static void *one_then_other(void *unused)
{
    pthread_mutex_lock(&one);
    usleep(1000);
    pthread_mutex_lock(&other);
    return unused;
}

static void *other_then_one(void *unused)
{
    pthread_mutex_lock(&other);
    usleep(1000);
    pthread_mutex_lock(&one);
    return unused;
}

static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&one);
    for (;;) pthread_cond_wait(&never, &one);
    return unused;
}

static void *poll_for_ever(void *unused)
{
    while (!flag) sched_yield();
    return unused;
}

static void lock_it(union sigval value)
{
    (void)value;
    pthread_mutex_lock(&one);
}

static void handle(int number)
{
    (void)number;
    sem_post(&semaphore);
}

static void *signal_it(void *process)
{
    usleep(1000);
    if (fork() == 0) { /* a signal from outside */
        kill(*(pid_t *)process, SIGUSR1);
        _exit(0);
    }
    for (volatile long i = 0; i < 100000000; ++i) {} /* meanwhile the handler runs in the thread that waits */
    return NULL;
}

/* As libgomp does. */
static void *wait_on_futex(void *unused)
{
#if defined(__x86_64__)
    long result;
    register long four __asm__("r10") = 0;
    __asm__ volatile("syscall" : "=a"(result)
                     : "a"(SYS_futex), "D"(&flag), "S"(FUTEX_WAIT_PRIVATE), "d"(0), "r"(four) : "rcx", "r11", "memory");
#endif
    return unused;
}

static void *raise_flag(void *unused)
{
    flag = 1;
    return unused;
}

static void *sleep_a_little(void *unused)
{
    pthread_mutex_lock(&other);
    usleep(10000);
    return unused;
}

/* Looks again and again for what never comes where no virtual time passes. */
static int until(const char *call)
{
    static const char *const calls[] = { "clock_gettime", "time", "gettimeofday", "clock", "timespec_get", "pthread_cond_timedwait",
                                         "pthread_mutex_timedlock", "pthread_mutex_trylock", "sem_timedwait", "sem_trywait",
                                         "sem_getvalue", "pthread_rwlock_timedwrlock", "pthread_tryjoin_np", "pthread_timedjoin_np",
                                         "poll", "select", "clock_nanosleep", "sigtimedwait", "futex", "pthread_kill", "CPU" };
    const struct timespec past = { 1, 0 }, none = { 0, 0 };
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    pthread_t t;
    sigset_t set;
    size_t which = 0;
    int value;
    while (which < sizeof calls / sizeof *calls && strcmp(call, calls[which]) != 0) ++which;
    sem_init(&semaphore, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_rwlock_rdlock(&rw);
    pthread_create(&t, NULL, sleep_a_little, NULL);
    sched_yield();
    pthread_mutex_lock(&one);
    for (;;) {
        struct timespec now;
        struct timeval short_now = { 0, 0 };
        switch (which) {
        case 0: clock_gettime(CLOCK_MONOTONIC_COARSE, &now); break;
        case 1: time(NULL); break;
        case 2: gettimeofday(&short_now, NULL); break;
        case 3: clock(); break;
        case 4: timespec_get(&now, TIME_UTC); break;
        case 5: pthread_cond_timedwait(&never, &one, &past); break;
        case 6: pthread_mutex_timedlock(&other, &past); break;
        case 7: pthread_mutex_trylock(&other); break;
        case 8: sem_timedwait(&semaphore, &past); break;
        case 9: sem_trywait(&semaphore); break;
        case 10: sem_getvalue(&semaphore, &value); break;
        case 11: pthread_rwlock_timedwrlock(&rw, &past); break;
        case 12: pthread_tryjoin_np(t, NULL); break;
        case 13: pthread_timedjoin_np(t, NULL, &past); break;
        case 14: poll(NULL, 0, 0); break;
        case 15: select(0, NULL, NULL, NULL, &short_now); break;
        case 16: nanosleep(&none, NULL); break;
        case 17: sigtimedwait(&set, NULL, &none); break;
        case 18: syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 5, NULL, NULL, 0); break;
        case 19: pthread_kill(t, 0); break;
        case 20: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); break;
        default: return 2;
        }
    }
}

/* With yields if there is an argument. */
static void *spin_at_barrier(void *yields)
{
    static int there;
    __atomic_fetch_add(&there, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&there, __ATOMIC_SEQ_CST) < 3)
        if (yields) sched_yield();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "locks") == 0) {
        pthread_create(&t[0], NULL, one_then_other, NULL);
        pthread_create(&t[1], NULL, other_then_one, NULL);
        pthread_setname_np(t[0], "first");
        pthread_join(t[0], NULL);
    } else if (strcmp(mode, "condition") == 0) {
        SIMTHREADS_NAME(&never, "what never comes");
        pthread_create(&t[0], NULL, wait_for_ever, NULL);
        pthread_join(t[0], NULL);
    } else if (strcmp(mode, "poll") == 0) {
        pthread_create(&t[0], NULL, poll_for_ever, NULL);
        pthread_join(t[0], NULL);
    } else if (strcmp(mode, "aio") == 0) {
        static char byte[1];
        struct aiocb request;
        memset(&request, 0, sizeof request);
        request.aio_fildes = open("/dev/zero", O_RDONLY);
        request.aio_buf = byte;
        request.aio_nbytes = sizeof byte;
        request.aio_sigevent.sigev_notify = SIGEV_THREAD;
        request.aio_sigevent.sigev_notify_function = lock_it;
        aio_read(&request);
        for (;;) {}
    } else if (strcmp(mode, "handler") == 0) {
        pid_t process = getpid();
        sem_init(&semaphore, 0, 0);
        signal(SIGUSR1, handle);
        pthread_create(&t[0], NULL, signal_it, &process);
        sem_wait(&semaphore);
    } else if (strcmp(mode, "futex") == 0) {
        pthread_create(&t[0], NULL, wait_on_futex, NULL);
        pthread_join(t[0], NULL);
    } else if (strcmp(mode, "until") == 0 && argc > 2) {
        return until(argv[2]);
    } else if (strcmp(mode, "yield") == 0) { /* to a thread that is ready at this instant */
        pthread_create(&t[0], NULL, raise_flag, NULL);
        while (!flag) sched_yield();
        pthread_join(t[0], NULL);
    } else if (strcmp(mode, "spin") == 0) { /* without a call */
        pthread_create(&t[0], NULL, raise_flag, NULL);
        while (!flag) continue;
        pthread_join(t[0], NULL);
    } else if (strcmp(mode, "barrier") == 0) { /* of three threads, and there are two */
        pthread_create(&t[0], NULL, spin_at_barrier, argc > 2 ? argv[2] : NULL);
        spin_at_barrier(argc > 2 ? argv[2] : NULL);
    } else {
        fputs("deadlock locks|condition|poll|aio|handler|futex|until CALL|yield|spin|barrier [yield]\n", stderr);
        return 2;
    }
    return 0;
}
