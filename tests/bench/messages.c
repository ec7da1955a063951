/* messages [--quick]   What examples/messages costs: a message between two ranks, and between many; an all-to-all among 1024
 * ranks; ranks with threads; thousands of ranks. Beside the first, SMPI, where it is installed. Memory is that of all ranks, with page tables. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "measure.h"

static const char *build;

/* The least of several runs of a program, which prints one or two numbers. */
static int measure(const char *settings, const char *arguments, int runs, double *first, double *second)
{
    char command[512];
    for (int i = 0; i < runs; ++i) {
        double one, other = 0;
        snprintf(command, sizeof command, "SIMKIT_REPORT=none %s timeout 300 %s/messages/bin/costs %s", settings, build,
                 arguments);
        measure_progress(settings, i + 1, runs);
        FILE *pipe = popen(command, "r");
        int found = pipe ? fscanf(pipe, "%lf %lf", &one, &other) : 0;
        measure_progress("", 0, 0);
        if (pipe && pclose(pipe) != 0) found = 0;
        if (found < 1) {
            fprintf(stderr, "%s failed\n", command);
            return 0;
        }
        if (i > 0 && one >= *first) continue;
        *first = one;
        *second = other;
    }
    return 1;
}

/* The CPU time of the processes that have ended [s]. */
static double processor_time(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* The CPU time of a run [s], and the memory of another one [MB], because looking at memory takes time; `megabytes` may be
 * NULL. */
static int measure_run(const char *settings, const char *arguments, double *seconds, double *megabytes)
{
    char all[128];
    double first, second;
    const double before = processor_time();
    if (!measure(settings, arguments, 1, &first, &second)) return 0;
    *seconds = processor_time() - before;
    if (!megabytes) return 1;
    snprintf(all, sizeof all, "%s memory", arguments);
    if (!measure(settings, all, 1, &first, &second)) return 0;
    *megabytes = second > 0 ? second : first;
    return 1;
}

static int measure_alltoall(const char *how)
{
    static const char *const algorithms[] = { "bruck", "pairwise", "linear" };
    char settings[128];
    double seconds, megabytes;
    for (int i = 0; i < 3; ++i) {
        snprintf(settings, sizeof settings,
                 "SIMKIT_COMPUTE=none SIMKIT_NP=1024 SIMKIT_RANKS=%s SIMKIT_ALGORITHMS=alltoall=%s", how,
                 algorithms[i]);
        if (!measure_run(settings, "alltoall 100", &seconds, &megabytes)) return 0;
        printf("all-to-all of 100 B, 1024 ranks, %-8s %-9s %6.2f s CPU, %5.0f MB   (goals 1.5 s, 250 MB)\n",
               algorithms[i], how, seconds, megabytes);
    }
    return 1;
}

static int measure_many(const char *how, int ranks)
{
    static const char *const patterns[] = { "ring", "allreduce" };
    char settings[128];
    double seconds, megabytes;
    for (int i = 0; i < 2; ++i) {
        snprintf(settings, sizeof settings, "SIMKIT_COMPUTE=none SIMKIT_NP=%d SIMKIT_RANKS=%s", ranks, how);
        if (!measure_run(settings, i == 0 ? "ring 1" : "allreduce 1", &seconds, &megabytes)) return 0;
        printf("%-9s of 8 B, %4d ranks, %-9s            %6.2f s CPU, %5.0f MB   (goals 20 s, 1 GB)\n", patterns[i],
               ranks, how, seconds, megabytes);
    }
    return 1;
}

/* Ranks with threads, all of which are there at once. */
static int measure_threads(void)
{
    double megabytes, ignored;
    const double before = processor_time();
    if (!measure("SIMKIT_COMPUTE=none SIMKIT_NP=64", "threads 16", 1, &megabytes, &ignored)) return 0;
    printf("64 ranks with 16 threads each                      %6.2f s CPU, %5.0f MB   (goal 4 GB)\n",
           processor_time() - before, megabytes);
    return 1;
}

/* The real time of a program whose ranks compute, on one processor and on all of them. */
static int measure_cores(void)
{
    static const struct {
        const char *arguments, *compute, *text;
    } runs[] = { { "work 20", "measured", "two neighbours" },
                 { "work 20", "none", "two neighbours" },
                 { "reduce 20", "measured", "MPI_Allreduce" },
                 { "reduce 20", "none", "MPI_Allreduce" } };
    char settings[128];
    double ignored[2];
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        double times[2] = { 0, 0 };
        for (int all = 0; all < 2; ++all) {
            snprintf(settings, sizeof settings, "SIMKIT_NP=8 SIMKIT_COMPUTE=%s SIMKIT_CORES=%s", runs[i].compute,
                     all ? "all" : "1");
            const double before = measure_now();
            if (!measure(settings, runs[i].arguments, 1, &ignored[0], &ignored[1])) return 0;
            times[all] = measure_now() - before;
        }
        printf("8 ranks compute, %-14s, --compute %-8s  %6.2f s on one core, %.2f s on all: %.2f times as fast\n",
               runs[i].text, runs[i].compute, times[0], times[1], times[0] / times[1]);
    }
    return 1;
}

/* Steps of an allreduce of 8 B and a halo exchange of 1 kB. A hundred of them are extrapolated from one and three. */
static int measure_skeleton(int ranks)
{
    char settings[128];
    double one, three, megabytes;
    snprintf(settings, sizeof settings, "SIMKIT_COMPUTE=none SIMKIT_NP=%d SIMKIT_RANKS=together", ranks);
    if (!measure_run(settings, "steps 1", &one, NULL) || !measure_run(settings, "steps 3", &three, &megabytes))
        return 0;
    const double step = (three - one) / 2;
    printf("a step of a skeleton, %5d ranks together        %6.2f s CPU, %5.0f MB; with 100 steps %.0f s   (goals 60 "
           "s, 8 GB)\n",
           ranks, step, megabytes, one + 99 * step);
    return 1;
}

/* The start of so many ranks, and one step: short enough for a quick look. */
static int measure_step(int ranks)
{
    char settings[128];
    double seconds;
    snprintf(settings, sizeof settings, "SIMKIT_COMPUTE=none SIMKIT_NP=%d SIMKIT_RANKS=together", ranks);
    if (!measure_run(settings, "steps 1", &seconds, NULL)) return 0;
    printf("start and one step, %5d ranks together          %6.2f s CPU\n", ranks, seconds);
    return 1;
}

/* SMPI's time for the same message [us]; NaN where it is not installed. */
static double smpi(void)
{
    double time;
    FILE *pipe = popen("tests/bench/rivals/smpi", "r");
    int found = pipe ? fscanf(pipe, "%lf", &time) : 0;

    if (pipe && pclose(pipe) != 0) found = 0;
    return found == 1 ? time : (double)NAN;
}

int main(int argc, char **argv)
{
    const char *wish = getenv("QUICK"); /* of `make bench QUICK=1` */
    const int quick = (wish && *wish) || (argc > 1 && strcmp(argv[1], "--quick") == 0);
    static const int ranks[] = { 2, 3, 16, 256 };
    char settings[128];
    double first, second;
    build = getenv("BUILD") ? getenv("BUILD") : "build";
    for (int i = 0; i < 4; ++i) {
        snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks[i]);
        if (!measure(settings, quick ? "pingpong 20000" : "pingpong 200000", quick ? 2 : 5, &first, &second)) return 1;
        printf("a message of 8 bytes between two of %3d ranks      %8.2f us%s\n", ranks[i], first,
               i == 0 ? "   (goal 3)" : "");
    }
    first = smpi();
    if (isnan(first))
        printf("the same in SMPI: left out, it takes Debian's libsimgrid-dev (make bench INSTALL=1 gets it)\n");
    else
        printf("the same in SMPI, two ranks, one process for both  %8.2f us\n", first);
    if (!measure_threads() || !measure_cores()) return 1;
    fflush(stdout);
    for (int i = quick ? 1 : 0; i < 2; ++i)
        if (!measure_alltoall(i == 0 ? "processes" : "together") ||
            !measure_many(i == 0 ? "processes" : "together", 4096))
            return 1;
    if (quick && !measure_step(65536)) return 1;
    return measure_skeleton(quick ? 4096 : 65536) ? 0 : 1;
}
