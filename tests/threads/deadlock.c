/* deadlock.c - programs that cannot go on, or that do what the virtual clock does not support: deadlock MODE */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
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
    syscall(SYS_tgkill, *(pid_t *)process, *(pid_t *)process, SIGUSR1);
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
    } else if (strcmp(mode, "timer") == 0) {
        struct sigevent event;
        const struct itimerspec soon = { { 0, 0 }, { 0, 1000000 } };
        timer_t timer;
        memset(&event, 0, sizeof event);
        event.sigev_notify = SIGEV_THREAD;
        event.sigev_notify_function = lock_it;
        timer_create(CLOCK_MONOTONIC, &event, &timer);
        timer_settime(timer, 0, &soon, NULL);
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
    } else {
        fputs("deadlock locks|condition|poll|timer|handler|futex\n", stderr);
        return 2;
    }
    return 0;
}
