/* pipes.c - calls that wait for what another thread writes, reads, opens, closes or ends, and for children. Each line is what a call
 * returns, and when; it is the same with real threads: tests/threads/pipes.txt. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MILLION = 1 << 20, SOON = 20000 /* [us] */ };
static int from, to; /* the ends that a call reads from, and that the other thread writes to */
static char large[MILLION], taken[MILLION];
static double began;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void tell(const char *what, long result)
{
    const char *error = result < 0 ? strerror(errno) : "";
    printf("%s: %ld%s%s after %.2f s\n", what, result, *error ? ", " : "", error, now() - began);
}

static void must(bool done, const char *what)
{
    if (done) return;
    perror(what);
    exit(1);
}

static pthread_t start(void *(*body)(void *), void *argument)
{
    pthread_t t;
    began = now();
    must(pthread_create(&t, NULL, body, argument) == 0, "pthread_create");
    return t;
}

static void *write_soon(void *count)
{
    usleep(SOON);
    must(write(to, large, (size_t)count) == (ssize_t)(size_t)count, "write");
    return NULL;
}

/* Takes all of a million bytes, the first ones soon. */
static void *read_soon(void *nothing)
{
    usleep(SOON);
    for (size_t there = 0; there < MILLION;) {
        const ssize_t done = read(from, taken + there, MILLION - there);
        must(done > 0, "read");
        there += (size_t)done;
    }
    return nothing;
}

static void *close_soon(void *nothing)
{
    usleep(SOON);
    close(to);
    return nothing;
}

static void *shut_soon(void *nothing)
{
    usleep(SOON);
    shutdown(to, SHUT_WR);
    return nothing;
}

static void pipe_make(void)
{
    int ends[2];
    must(pipe(ends) == 0, "pipe");
    from = ends[0];
    to = ends[1];
}

static void sockets_make(int kind)
{
    int ends[2];
    must(socketpair(AF_UNIX, kind, 0, ends) == 0, "socketpair");
    from = ends[0];
    to = ends[1];
}

static void both_close(void)
{
    close(from);
    close(to);
}

#define WAITS(what, call, body, argument)                                                                              \
    do {                                                                                                               \
        const pthread_t other = start(body, argument);                                                                 \
        tell(what, (long)(call));                                                                                      \
        pthread_join(other, NULL);                                                                                     \
    } while (0)

static void reading(void)
{
    char bytes[64];
    struct iovec part = { bytes, sizeof bytes };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    struct mmsghdr several[2] = { { .msg_hdr = message }, { .msg_hdr = message } };
    eventfd_t value;
    pipe_make();
    WAITS("read", read(from, bytes, sizeof bytes), write_soon, (void *)1);
    WAITS("readv", readv(from, &part, 1), write_soon, (void *)2);
    WAITS("preadv2", preadv2(from, &part, 1, -1, 0), write_soon, (void *)3);
    WAITS("read by its number", syscall(SYS_read, from, bytes, sizeof bytes), write_soon, (void *)4);
    FILE *stream = fdopen(from, "r");
    large[0] = '\n';
    WAITS("fgets", fgets(bytes, sizeof bytes, stream) != NULL, write_soon, (void *)1);
    WAITS("getc", getc(stream), write_soon, (void *)1);
    large[0] = 0;
    WAITS("read at the end", read(from, bytes, sizeof bytes), close_soon, NULL);
    fclose(stream);
    sockets_make(SOCK_STREAM);
    WAITS("recv", recv(from, bytes, sizeof bytes, 0), write_soon, (void *)1);
    WAITS("recvfrom", recvfrom(from, bytes, sizeof bytes, 0, NULL, NULL), write_soon, (void *)2);
    WAITS("recvmsg", recvmsg(from, &message, 0), write_soon, (void *)3);
    must(write(to, large, 10) == 10, "write");
    WAITS("recv of all", recv(from, bytes, sizeof bytes, MSG_WAITALL), write_soon, (void *)54);
    tell("recv at once", recv(from, bytes, sizeof bytes, MSG_DONTWAIT));
    const struct timeval limit = { 0, 50000 };
    setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    began = now();
    tell("recv with a limit", recv(from, bytes, sizeof bytes, 0));
    WAITS("read after shutdown", read(from, bytes, sizeof bytes), shut_soon, NULL);
    both_close();
    sockets_make(SOCK_DGRAM);
    must(write(to, large, 10) == 10, "write");
    WAITS("recvmmsg of two", recvmmsg(from, several, 2, 0, NULL), write_soon, (void *)5);
    both_close();
    from = to = eventfd(0, 0);
    large[0] = 1;
    WAITS("eventfd_read", eventfd_read(from, &value), write_soon, (void *)8);
    large[0] = 0;
    close(from);
}

static void writing(void)
{
    struct iovec parts[2] = { { large, 1000 }, { large + 1000, MILLION - 1000 } };
    const struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    pipe_make();
    WAITS("write", write(to, large, MILLION), read_soon, NULL);
    WAITS("writev", writev(to, parts, 2), read_soon, NULL);
    FILE *stream = fdopen(dup(to), "w");
    WAITS("fwrite", fwrite(large, 1, MILLION, stream), read_soon, NULL);
    fclose(stream);
    both_close();
    sockets_make(SOCK_STREAM);
    WAITS("send", send(to, large, MILLION, 0), read_soon, NULL);
    WAITS("sendmsg", sendmsg(to, &message, 0), read_soon, NULL);
    both_close();
    began = now();
    signal(SIGPIPE, SIG_IGN);
    pipe_make();
    close(from);
    tell("write to nobody", write(to, large, 1));
    close(to);
}

static void copying(void)
{
    int ends[2];
    char path[] = "/tmp/pipes.XXXXXX";
    const int file = mkstemp(path);
    unlink(path);
    must(write(file, large, 100) == 100 && pipe(ends) == 0, "write");
    pipe_make();
    WAITS("splice", splice(from, NULL, ends[1], NULL, 100, 0), write_soon, (void *)10);
    WAITS("tee", tee(from, ends[1], 100, 0), write_soon, (void *)11);
    began = now();
    tell("sendfile", sendfile(ends[1], file, &(off_t){ 0 }, 100));
    tell("all", read(ends[0], taken, sizeof taken));
    both_close();
    close(ends[0]);
    close(ends[1]);
    close(file);
}

static struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "" };

static void *connect_soon(void *nothing)
{
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    usleep(SOON);
    must(connect(file, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    close(file);
    return nothing;
}

static void *accept_soon(void *nothing)
{
    usleep(SOON);
    for (int i = 0; i < 2; ++i) close(accept4(from, NULL, NULL, 0));
    return nothing;
}

static void connecting(void)
{
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "pipes-%ld", (long)getpid());
    from = socket(AF_UNIX, SOCK_STREAM, 0);
    must(bind(from, (struct sockaddr *)&address, sizeof address) == 0 && listen(from, 0) == 0, "listen");
    WAITS("accept", accept(from, NULL, NULL) > 0, connect_soon, NULL);
    const int first = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0);
    must(connect(first, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    WAITS("connect, behind another", connect(second, (struct sockaddr *)&address, sizeof address), accept_soon, NULL);
    close(first);
    close(second);
    close(from);
}

static char fifo[64];

static void *open_soon(void *flags)
{
    usleep(SOON);
    const int file = open(fifo, (int)(long)flags);
    must(file >= 0, fifo);
    usleep(SOON);
    if ((long)flags == O_WRONLY) must(write(file, large, 7) == 7, "write");
    close(file);
    return NULL;
}

static void opening(void)
{
    char folder[] = "/tmp/pipes.XXXXXX";
    must(mkdtemp(folder) != NULL, "mkdtemp");
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    must(mkfifo(fifo, 0600) == 0, "mkfifo");
    WAITS("open of a pipe to write", (to = open(fifo, O_WRONLY)) > 0, open_soon, (void *)O_RDONLY);
    close(to);
    const pthread_t other = start(open_soon, (void *)O_WRONLY);
    from = open(fifo, O_RDONLY);
    tell("read of a pipe with a name", read(from, taken, sizeof taken));
    tell("and again", read(from, taken, sizeof taken));
    pthread_join(other, NULL);
    close(from);
    unlink(fifo);
    rmdir(folder);
}

static volatile sig_atomic_t signals;

static void count(int number)
{
    (void)number;
    ++signals;
}

static pthread_t first;

static void *signal_soon(void *then_write)
{
    usleep(SOON);
    pthread_kill(first, SIGUSR1);
    if (then_write) return write_soon((void *)1);
    return NULL;
}

static void *read_for_ever(void *nothing)
{
    tell("a read to be cancelled", read(from, taken, 1));
    return nothing;
}

static void signals_and_cancelling(void)
{
    struct sigaction action = { .sa_handler = count };
    void *result;
    pipe_make();
    first = pthread_self();
    sigaction(SIGUSR1, &action, NULL);
    WAITS("read with a signal", read(from, taken, 1), signal_soon, NULL);
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    WAITS("read that begins again", read(from, taken, 1), signal_soon, (void *)1);
    printf("%d signals\n", (int)signals);
    const pthread_t reader = start(read_for_ever, NULL);
    usleep(SOON);
    pthread_cancel(reader);
    pthread_join(reader, &result);
    printf("%s\n", result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    fcntl(from, F_SETFL, O_NONBLOCK);
    began = now();
    tell("read that does not wait", read(from, taken, 1));
    both_close();
}

static double slept;

static void *sleep_often(void *nothing)
{
    for (int i = 0; i < 10; ++i) usleep(10000);
    slept = now() - began;
    return nothing;
}

static pid_t child_of(int status)
{
    const pid_t child = fork();
    if (child == 0) {
        usleep(SOON);
        _exit(status);
    }
    return child;
}

static void children(void)
{
    int status = 0;
    char line[64] = "";
    siginfo_t info;
    struct rusage usage;
    pid_t child = child_of(3);
    char sh[] = "sh", option[] = "-c", command[] = "exit 5", *const arguments[] = { sh, option, command, NULL };
    tell("waitpid at once", waitpid(child, &status, WNOHANG));
    WAITS("waitpid", waitpid(child, &status, 0) == child, sleep_often, NULL);
    printf("it ended with %d, and the other thread slept for %.1f s\n", WEXITSTATUS(status), slept);
    child = child_of(4);
    printf("wait: %d, %d\n", wait(&status) == child, WEXITSTATUS(status));
    child = child_of(5);
    const bool same = wait4(child, &status, 0, &usage) == child;
    printf("wait4: %d, %d, %d\n", same, WEXITSTATUS(status), usage.ru_maxrss > 0);
    child = child_of(6);
    const int done = waitid(P_ALL, 0, &info, WEXITED);
    printf("waitid: %d, %d, %d\n", done, info.si_pid == child, info.si_status);
    began = now();
    tell("wait for none", wait(&status));
    printf("system: %d\n", WEXITSTATUS(system("exit 4")));
    printf("posix_spawn: %d\n", posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, NULL));
    waitpid(child, &status, 0);
    printf("it ended with %d\n", WEXITSTATUS(status));
    FILE *in = popen("echo one; echo two", "r"), *out = popen("cat >/dev/null; exit 7", "w");
    while (fgets(line, sizeof line, in)) fputs(line, stdout);
    fputs("three\n", out);
    printf("pclose: %d, %d\n", pclose(in), WEXITSTATUS(pclose(out)));
}

static int shared; /* a file, a queue or a set of semaphores */
static char name[64];

static void *unlock_soon(void *by)
{
    const int call = (int)(long)by;
    struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
    usleep(SOON);
    if (call == LOCK_UN) flock(shared, LOCK_UN);
    if (call == F_OFD_SETLK) fcntl(shared, F_OFD_SETLK, &lock);
    return NULL;
}

typedef struct letter {
    long type;
    char text[8];
} letter;

static void *send_soon(void *type)
{
    const letter l = { (long)type, "hello" };
    usleep(SOON);
    must(msgsnd(shared, &l, 6, 0) == 0, "msgsnd");
    return NULL;
}

static void *raise_soon(void *nothing)
{
    struct sembuf up = { 0, 1, 0 };
    usleep(SOON);
    must(semop(shared, &up, 1) == 0, "semop");
    return nothing;
}

static void *mail_soon(void *nothing)
{
    usleep(SOON);
    must(mq_send((mqd_t)shared, "hello", 6, 1) == 0, "mq_send");
    return nothing;
}

/* A child locks the file for a while. */
static pid_t locked_by_child(int file)
{
    int ends[2];
    char byte;
    must(pipe(ends) == 0, "pipe");
    const pid_t child = fork();
    if (child == 0) {
        if (lockf(file, F_LOCK, 0) != 0 || write(ends[1], "x", 1) != 1) _exit(1);
        usleep(SOON);
        _exit(0);
    }
    must(read(ends[0], &byte, 1) == 1, "read");
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void locks_and_queues(void)
{
    char path[] = "/tmp/pipes.XXXXXX";
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct sembuf down = { 0, -1, 0 };
    letter l;
    shared = mkstemp(path);
    const int again = open(path, O_RDWR);
    must(flock(shared, LOCK_EX) == 0, "flock");
    began = now();
    tell("flock at once", flock(again, LOCK_SH | LOCK_NB));
    WAITS("flock", flock(again, LOCK_SH), unlock_soon, (void *)LOCK_UN);
    must(fcntl(shared, F_OFD_SETLK, &lock) == 0, "fcntl");
    WAITS("fcntl", fcntl(again, F_OFD_SETLKW, &lock), unlock_soon, (void *)F_OFD_SETLK);
    lock.l_type = F_UNLCK;
    fcntl(again, F_OFD_SETLK, &lock);
    const pid_t child = locked_by_child(again);
    printf("lockf of another process: %d\n", lockf(shared, F_LOCK, 0));
    waitpid(child, NULL, 0);
    close(again);
    close(shared);
    unlink(path);
    shared = msgget(IPC_PRIVATE, 0600);
    WAITS("msgrcv", msgrcv(shared, &l, sizeof l.text, 2, 0), send_soon, (void *)2);
    tell("msgrcv at once", msgrcv(shared, &l, sizeof l.text, 2, IPC_NOWAIT));
    msgctl(shared, IPC_RMID, NULL);
    shared = semget(IPC_PRIVATE, 1, 0600);
    WAITS("semop", semop(shared, &down, 1), raise_soon, NULL);
    began = now();
    tell("semtimedop", semtimedop(shared, &down, 1, &(struct timespec){ 0, 50000000 }));
    semctl(shared, 0, IPC_RMID);
    snprintf(name, sizeof name, "/pipes-%ld", (long)getpid());
    struct mq_attr size = { .mq_maxmsg = 4, .mq_msgsize = 64 };
    const mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, &size);
    shared = (int)queue;
    WAITS("mq_receive", mq_receive(queue, taken, sizeof taken, NULL), mail_soon, NULL);
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 50000000;
    if (limit.tv_nsec >= 1000000000) ++limit.tv_sec, limit.tv_nsec -= 1000000000;
    began = now();
    tell("mq_timedreceive", mq_timedreceive(queue, taken, sizeof taken, NULL, &limit));
    mq_close(queue);
    mq_unlink(name);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    static void (*const parts[])(void) = { reading, writing, copying, connecting, opening, signals_and_cancelling, children,
                                         locks_and_queues };
    static const char *const names[] = { "reading", "writing", "copying", "connecting", "opening", "signals", "children", "locks" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        printf("== %s\n", names[i]);
        parts[i]();
    }
    return 0;
}
