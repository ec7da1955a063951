/* If I start k more computing processes on this machine now, how much slower will each of them be?
 * cc -O2 -DCONTENTION_STATIC -I. examples/tools/whatif.c -o whatif -lm && ./whatif        (--try starts them for two seconds)
 *
 * Linux divides the processor among groups first, sessions (autogroups) and control groups, and then within each. So
 * the slowdown depends not only on the number of runnable processes, but on the tree of their groups, which the sampler
 * of examples/schedulers reads from /proc and /sys/fs/cgroup. */
#define SAMPLER_NO_THREAD
#include "../schedulers/sampler.c"

#include <sys/resource.h>
#include <sys/wait.h>

enum { MOST = 8, SAMPLES = 8 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Starts processes that compute for two seconds; returns their mean slowdown: real time over CPU time. */
static double try_it(int processes)
{
    const double end = now() + 2;
    double sum = 0;
    int answers[2], got = 0;

    if (pipe(answers) != 0) return NAN;
    for (int i = 0; i < processes; ++i)
        if (fork() == 0) { /* ends by itself, even if this process is killed */
            const double start = now();
            volatile double work = 1;
            struct rusage used;
            double slowdown;
            while (now() < end)
                for (int k = 0; k < 100000; ++k) work = work * 1.0000001;
            getrusage(RUSAGE_SELF, &used);
            slowdown = (now() - start) / ((double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                                          1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
            _exit(write(answers[1], &slowdown, sizeof slowdown) != sizeof slowdown);
        }
    close(answers[1]);
    for (double slowdown; read(answers[0], &slowdown, sizeof slowdown) == sizeof slowdown; ++got) sum += slowdown;
    close(answers[0]);
    while (wait(NULL) > 0) {
    }
    return got > 0 ? sum / got : NAN;
}

int main(int argc, char **argv)
{
    const sampler_desc desc = { .window = 0.4, .tasks = SAMPLER_TASKS };
    const int trying = argc > 1 && strcmp(argv[1], "--try") == 0;
    double others = 0;
    sampler *s;

    if (argc > 1 && !trying) return fprintf(stderr, "whatif [--try]\n"), 1;
    if (!sampler_open(&desc, &s)) return fprintf(stderr, "whatif: %s\n", sampler_why(s)), 1;
    for (int i = 0; i < SAMPLES; ++i) {
        const struct timespec pause = { 0, 50000000 };
        nanosleep(&pause, NULL);
        sampler_scan(s);
    }
    const sampler_view *view = sampler_view_of(s);
    for (size_t i = 0; i < view->tasks; ++i) others += view->task[i].own ? 0 : view->task[i].runnable;
    printf("%zu cores, on average %.1f others runnable, in %zu groups\n", view->online, others, view->groups);
    printf("k more     slowdown of each             without groups%s\n", trying ? "    measured" : "");
    if (view->hidden) printf("unknown here: %s\n", view->hidden);
    for (int k = 1; k <= MOST && !view->hidden; k *= 2) {
        const double slower = 1 / sampler_share_anywhere(view, k);
        printf("%6d %20.2f %26.2f", k, slower, 1 / contention_share_equal((double)view->online, 0, others + k));
        if (trying) {
            fflush(stdout);
            printf(" %11.2f", try_it(k));
        }
        printf("   ");
        for (int i = 0; i < (int)(4 * slower + 0.5) && i < 40; ++i) putchar('#');
        printf("\n");
    }
    sampler_close(s);
    return 0;
}
