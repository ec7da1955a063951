/* How long does a look of examples/schedulers/sampler.c take, and how soon does it find who wakes up?
 *
 * Goal: at most 50 us a look on average, with 10, 100 and 1100 processes. The processes sleep; two of them compute. One look in
 * 20 ms, as a scheduler would take, with caches as cold as they are there. Then three times a sleeper wakes up and computes:
 * after how many looks is it known? */
#define _GNU_SOURCE
#define CONTENTION_IMPLEMENTATION
#define SAMPLER_NO_THREAD
#include "../../examples/schedulers/sampler.c"

#include "measure.h"

#include <signal.h>
#include <sys/wait.h>

enum { MOST = 1100, LOOKS = 150, WAKES = 3 };

static pid_t child[MOST];
static volatile sig_atomic_t computing;

static void toggle(int signal)
{
    (void)signal;
    computing = !computing;
}

/* Sleeps, or computes, until it is killed; it ends by itself, even if this program is killed. */
static void live(void)
{
    sigset_t none, wake;
    sigemptyset(&none);
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR1);
    alarm(200);
    for (;;) {
        while (!computing) sigsuspend(&none);
        sigprocmask(SIG_UNBLOCK, &wake, NULL);
        while (computing) {
        }
        sigprocmask(SIG_BLOCK, &wake, NULL);
    }
}

static double cpu; /* of all looks [s]: without what it waited for a core */

static void look(sampler *s)
{
    struct timespec begin, end;
    usleep(20000);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    sampler_look(s);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    cpu += (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static void with(int processes, int last)
{
    static double took[LOOKS];
    sampler *s;
    sigset_t wake;

    sigemptyset(&wake); /* nobody is woken between its test and its sleep */
    sigaddset(&wake, SIGUSR1);
    sigprocmask(SIG_BLOCK, &wake, NULL);
    for (int i = last; i < processes; ++i) {
        child[i] = fork();
        if (child[i] == 0) live();
        if (child[i] < 0) exit((perror("fork"), 1));
    }
    for (int i = 0; i < 2 && last == 0; ++i) kill(child[i], SIGUSR1);
    usleep(300000);
    const double begin = measure_now();
    if (!sampler_open(NULL, &s)) exit((puts(sampler_why(s)), 1));
    const double opened = measure_now() - begin;
    const sampler_view *view = sampler_view_of(s);
    cpu = 0;
    for (int i = 0; i < LOOKS; ++i) {
        look(s);
        took[i] = view->took;
    }
    const double mean = cpu / LOOKS;
    measure_sort(took, LOOKS);
    printf("%9d %10.0f us %8.1f us %8.1f us %8.1f us   ", processes, 1e6 * opened, 1e6 * mean, 1e6 * took[LOOKS / 2],
           1e6 * took[LOOKS - 1]);
    for (int i = 0; i < WAKES; ++i) {
        const pid_t who = child[processes / 2 + i];
        int looks = 0;
        kill(who, SIGUSR1);
        for (int found = 0; !found && looks < 1000; ++looks) {
            look(s);
            for (size_t k = 0; k < view->tasks; ++k) found |= view->task[k].pid == who;
        }
        kill(who, SIGUSR1);
        printf(" %4d", looks);
        fflush(stdout);
        for (int k = 0; k < LOOKS; ++k) look(s);
    }
    printf("   looks, mean of all %.1f us\n", 1e6 * cpu / (double)view->looks);
    sampler_close(s);
}

int main(void)
{
    static const int sizes[] = { 10, 100, MOST };
    int made = 0;

    signal(SIGUSR1, toggle);
    printf("                            CPU time                     time\n"
           "processes       opening       mean      median     longest    a sleeper is known after\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        with(sizes[i], made);
        made = sizes[i];
    }
    for (int i = 0; i < made; ++i) kill(child[i], SIGKILL);
    while (wait(NULL) > 0) {
    }
    return 0;
}
