/* If I start k more processes that compute, here and now: how much slower will each of them be?
 * cc -O2 -I. examples/whatif.c -o whatif -lm && ./whatif        (--try starts them for two seconds)
 *
 * A processor is shared evenly by those who want to run, so all it takes is their number: the kernel tells how many are
 * runnable at this moment, and the load averages how many were. --try shows how good that answer was. */
#define _GNU_SOURCE
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Starts so many that compute for two seconds; gives their mean slowdown: real time over processor time. */
static double try_it(int processes)
{
    const double end = now() + 2;
    double sum = 0;
    int answers[2], got = 0;

    if (pipe(answers) != 0) return NAN;
    for (int i = 0; i < processes; i++)
        if (fork() == 0) { /* ends by itself, whatever becomes of us */
            const double start = now();
            volatile double work = 1;
            struct rusage used;
            double slowdown;
            while (now() < end)
                for (int k = 0; k < 100000; k++) work = work * 1.0000001;
            getrusage(RUSAGE_SELF, &used);
            slowdown = (now() - start) / ((double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                                          1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
            _exit(write(answers[1], &slowdown, sizeof slowdown) != sizeof slowdown);
        }
    close(answers[1]);
    for (double slowdown; read(answers[0], &slowdown, sizeof slowdown) == sizeof slowdown; got++) sum += slowdown;
    close(answers[0]);
    while (wait(NULL) > 0) {
    }
    return got > 0 ? sum / got : NAN;
}

int main(int argc, char **argv)
{
    const int trying = argc > 1 && strcmp(argv[1], "--try") == 0;
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN), load[3] = { 0, 0, 0 }, running = 1;
    FILE *file = fopen("/proc/loadavg", "r");

    if (argc > 1 && !trying) return fprintf(stderr, "whatif [--try]\n"), 1;
    if (file == NULL || fscanf(file, "%lf %lf %lf %lf", &load[0], &load[1], &load[2], &running) != 4) {
        fprintf(stderr, "cannot read /proc/loadavg: this takes Linux\n");
        return 1;
    }
    fclose(file);
    running = running > 1 ? running - 1 : 0; /* we are one of them, and about to wait */
    printf("# live %.0f cores, %.0f others runnable, load averages %.2f %.2f %.2f\n", cores, running, load[0], load[1],
           load[2]);
    printf("k more     each is slower by, if as many run as now    as in the last minute%s\n",
           trying ? "    tried" : "");
    for (int k = 1; k <= MOST; k *= 2) {
        //! [whatif]
        double as_now = 1 / contention_share_equal(cores, 0, running + k);
        double as_lately = 1 / contention_share_equal(cores, 0, load[0] + k);
        //! [whatif]
        printf("# live %-4d %27.2f %28.2f", k, as_now, as_lately);
        if (trying) {
            fflush(stdout);
            printf(" %17.2f", try_it(k));
        }
        printf("   ");
        for (int i = 0; i < (int)(4 * as_now + 0.5) && i < 40; i++) putchar('#');
        printf("\n");
    }
    return 0;
}
