/* endings.c - how a program begins, and how it and its children end: endings start|status N|quick|group|child|vfork|fork|forked|exec|engine */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of the library; the table of functions begins with its size. */
extern const void *simthreads_attach(const void *engine, unsigned cores, int measured) __attribute__((weak));

static void *nothing(void *unused)
{
    usleep(1000);
    return unused;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    char line[64] = "";
    pthread_t t;
    int status = 0;
    if (strcmp(mode, "start") == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        printf("%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
        return 0;
    }
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    if (strcmp(mode, "status") == 0) return argc > 2 ? atoi(argv[2]) : 1;
    if (strcmp(mode, "engine") == 0 && simthreads_attach) { /* of another version */
        const size_t table[64] = { 8 };
        simthreads_attach(table, 1, 0);
    }
    if (strcmp(mode, "quick") == 0) quick_exit(6);
    if (strcmp(mode, "group") == 0) syscall(SYS_exit_group, 7);
    if (strcmp(mode, "child") == 0) { /* which ends when the program does: without pclose() */
        FILE *child = popen("echo 4", "r");
        if (child && fgets(line, sizeof line, child)) printf("the child said %s", line);
    } else if (strcmp(mode, "vfork") == 0) {
        const pid_t child = vfork();
        if (child == 0) {
            execl("/nowhere/program", "program", (char *)NULL);
            _exit(3);
        }
        waitpid(child, &status, 0);
        pthread_create(&t, NULL, nothing, NULL);
        pthread_join(t, NULL);
        printf("the child ended with %d\n", WEXITSTATUS(status));
    } else if (strcmp(mode, "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) return 4;
        waitpid(child, &status, 0);
        printf("the child ended with %d\n", WEXITSTATUS(status));
    } else if (strcmp(mode, "exec") == 0) { /* first a program that is not there */
        execl("/nowhere/program", "program", (char *)NULL);
        execl(argv[0], argv[0], "status", "8", (char *)NULL);
    } else if (strcmp(mode, "forked") == 0) { /* a child that sleeps for 3 s, while its parent does so for 1 s */
        struct timespec begin, end;
        const pid_t child = fork();
        if (child == 0) {
            sleep(3);
            return 4;
        }
        clock_gettime(CLOCK_MONOTONIC, &begin);
        sleep(1);
        const pid_t early = waitpid(child, &status, WNOHANG);
        const pid_t late = waitpid(child, &status, 0);
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%d, %d, %d after %ld s\n", (int)early, late == child, WEXITSTATUS(status), (long)(end.tv_sec - begin.tv_sec));
    } else {
        return 2;
    }
    return 0;
}
