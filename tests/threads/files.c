/* files.c - waits for files and signals. `files` prints what each wait returns and how long it takes; the other modes wait in
 * the kernel where the virtual clock does not see it, or for something outside: files creat|outside */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { POLL, PPOLL, SELECT, PSELECT, EPOLL, WAYS };
static const char *const names[WAYS] = { "poll", "ppoll", "select", "pselect", "epoll_wait" };
static int ends[2];
static volatile sig_atomic_t signals;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* file < 0: none; milliseconds < 0: without a limit. */
static int wait_by(int way, int file, int milliseconds, const sigset_t *mask)
{
    const struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L }, *limit = milliseconds < 0 ? NULL : &time;
    struct timeval short_time = { milliseconds / 1000, milliseconds % 1000 * 1000 };
    struct pollfd one = { file, POLLIN, 0 };
    struct epoll_event event = { .events = EPOLLIN };
    fd_set set;
    FD_ZERO(&set);
    if (file >= 0) FD_SET(file, &set);
    switch (way) {
    case POLL: return poll(&one, file >= 0, milliseconds);
    case PPOLL: return ppoll(file >= 0 ? &one : NULL, file >= 0, limit, mask);
    case SELECT: return select(file + 1, file >= 0 ? &set : NULL, NULL, NULL, milliseconds < 0 ? NULL : &short_time);
    case PSELECT: return pselect(file + 1, file >= 0 ? &set : NULL, NULL, NULL, limit, mask);
    default: break;
    }
    const int all = epoll_create1(0);
    if (file >= 0) epoll_ctl(all, EPOLL_CTL_ADD, file, &event);
    const int result = epoll_pwait(all, &event, 1, milliseconds, mask);
    close(all);
    return result;
}

static void tell(const char *what, int result, double begin)
{
    printf("%s: %d after %.2f s\n", what, result, now() - begin);
}

static void *write_soon(void *nothing)
{
    usleep(20000);
    if (write(ends[1], "x", 1) != 1) perror("write");
    return nothing;
}

static void *print_soon(void *nothing) /* by stdio, which calls the kernel itself */
{
    FILE *file = fdopen(dup(ends[1]), "w");
    usleep(20000);
    putc('x', file);
    fclose(file);
    return nothing;
}

static void *sleep_long(void *nothing)
{
    usleep(100000);
    return nothing;
}

static void *work(void *nothing)
{
    volatile double x = 0;
    for (int i = 0; i < 3000000; ++i) x += 1.0 / (i + 1);
    return x > 0 ? nothing : NULL;
}

static void *flush_soon(void *nothing)
{
    const eventfd_t one = 1;
    usleep(20000);
    eventfd_write(ends[1], one);
    return nothing;
}

static void waits(int way)
{
    void *(*const writers[])(void *) = { write_soon, print_soon };
    char what[64], byte;
    pthread_t t;
    double begin;
    for (size_t i = 0; i < 2; ++i)
        for (int limit = -1; limit <= 1000; limit += 1001) {
            pthread_create(&t, NULL, writers[i], NULL);
            begin = now();
            snprintf(what, sizeof what, "%s%s, a byte%s", names[way], limit < 0 ? "" : " with a limit", i ? " by stdio" : "");
            tell(what, wait_by(way, ends[0], limit, NULL), begin);
            if (read(ends[0], &byte, 1) != 1) perror("read");
            pthread_join(t, NULL);
        }
    void *(*const others[])(void *) = { sleep_long, work };
    for (size_t i = 0; i < 2; ++i)
        for (int file = -1; file <= ends[0]; file += ends[0] + 1) {
            pthread_create(&t, NULL, others[i], NULL);
            begin = now();
            snprintf(what, sizeof what, "%s, %s", names[way], file < 0 ? "no file" : "nothing comes");
            tell(what, wait_by(way, file, 50, NULL), begin);
            pthread_join(t, NULL);
        }
    begin = now();
    snprintf(what, sizeof what, "%s, no other thread", names[way]);
    tell(what, wait_by(way, ends[0], 30, NULL), begin);
    begin = now();
    snprintf(what, sizeof what, "%s, at once", names[way]);
    tell(what, wait_by(way, ends[0], 0, NULL), begin);
}

static void *send_to_process(void *nothing)
{
    usleep(20000);
    kill(getpid(), SIGUSR1);
    return nothing;
}

static pthread_t first;

static void *send_to_thread(void *nothing)
{
    usleep(20000);
    pthread_kill(first, SIGUSR1);
    return nothing;
}

static void count(int number)
{
    (void)number;
    ++signals;
}

static void interrupted(const char *what, int result, double begin)
{
    printf("%s: %d, %s, %d signal%s, after %.2f s\n", what, result, result < 0 ? strerror(errno) : "no error", (int)signals,
           signals == 1 ? "" : "s", now() - begin);
    signals = 0;
}

static void waits_for_signals(void)
{
    void *(*const senders[])(void *) = { send_to_process, send_to_thread };
    const struct sigaction action = { .sa_handler = count, .sa_flags = SA_RESTART };
    const struct itimerval soon = { { 0, 0 }, { 0, 50000 } };
    sigset_t blocked, before;
    pthread_t t;
    char what[64];
    first = pthread_self();
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    for (size_t i = 0; i < 2; ++i) {
        const char *const to = i ? "the thread" : "the process";
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &blocked, &before);
        pthread_create(&t, NULL, senders[i], NULL);
        double begin = now();
        snprintf(what, sizeof what, "sigsuspend, to %s", to);
        interrupted(what, sigsuspend(&before), begin);
        pthread_join(t, NULL);
        for (int way = PPOLL; way < WAYS; ++way) {
            if (way == SELECT) continue;
            pthread_create(&t, NULL, senders[i], NULL);
            begin = now();
            snprintf(what, sizeof what, "%s, to %s", names[way], to);
            interrupted(what, wait_by(way, ends[0], 1000, &before), begin);
            pthread_join(t, NULL);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_create(&t, NULL, senders[i], NULL);
        begin = now();
        snprintf(what, sizeof what, "pause, to %s", to);
        interrupted(what, pause(), begin);
        pthread_join(t, NULL);
    }
    setitimer(ITIMER_REAL, &soon, NULL);
    const int result = poll(NULL, 0, 5000);
    printf("a timer of the system: %d, %d signal\n", result, (int)signals);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool flag;

static void *wait_for_main(void *nothing)
{
    pthread_mutex_lock(&mutex);
    while (!flag) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return nothing;
}

/* It would end the wait of creat(), which opens a pipe with a name. */
static void *open_soon(void *folder)
{
    usleep(20000);
    printf("open %d\n", open("fifo", O_RDONLY));
    return folder;
}

static int kernel(const char *mode)
{
    char byte = 0;
    pthread_t t;
    if (strcmp(mode, "outside") == 0) { /* the other thread waits for this one */
        pthread_create(&t, NULL, wait_for_main, NULL);
        usleep(1000);
        const int got = (int)read(STDIN_FILENO, &byte, 1);
        printf("read %d, %c\n", got, byte);
        pthread_mutex_lock(&mutex);
        flag = true;
        pthread_cond_signal(&condition);
        pthread_mutex_unlock(&mutex);
    } else {
        char folder[] = "/tmp/files.XXXXXX";
        if (strcmp(mode, "creat") != 0 || !mkdtemp(folder) || chdir(folder) != 0 || mkfifo("fifo", 0600) != 0) return 2;
        pthread_create(&t, NULL, open_soon, folder);
        printf("creat %d\n", creat("fifo", 0600));
    }
    return pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (pipe(ends) != 0) return 1;
    if (argc > 1) return kernel(argv[1]);
    for (int way = 0; way < WAYS; ++way) waits(way);
    waits_for_signals();
    ends[0] = ends[1] = eventfd(0, 0);
    pthread_create(&t, NULL, flush_soon, NULL);
    const double begin = now();
    tell("an eventfd", wait_by(EPOLL, ends[0], 1000, NULL), begin);
    return pthread_join(t, NULL);
}
