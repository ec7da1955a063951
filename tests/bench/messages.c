/* What examples/messages costs: a message between two ranks, and between many; an all-to-all among 1024 ranks. Beside
 * the first, SMPI, where it is installed. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* SMPI's time for the same message [us]; NaN where it is not installed. */
static double smpi(void)
{
    double time;
    FILE *pipe = popen("tests/bench/rivals/smpi", "r");
    int found = pipe ? fscanf(pipe, "%lf", &time) : 0;

    if (pipe && pclose(pipe) != 0) found = 0;
    return found == 1 ? time : (double)NAN;
}

int main(void)
{
    static const char *const algorithms[] = { "bruck", "pairwise", "linear" };
    static const int ranks[] = { 2, 3, 16, 256 };
    char settings[128];
    double first, second;
    build = getenv("BUILD") ? getenv("BUILD") : "build";
    for (int i = 0; i < 4; ++i) {
        snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks[i]);
        if (!measure(settings, "pingpong 200000", 5, &first, &second)) return 1;
        printf("a message of 8 bytes between two of %3d ranks      %8.2f us%s\n", ranks[i], first, i == 0 ? "   (goal 3)" : "");
    }
    first = smpi();
    if (isnan(first))
        printf("the same in SMPI: left out, it takes Debian's libsimgrid-dev (make bench INSTALL=1 gets it)\n");
    else
        printf("the same in SMPI, two ranks, one process for both  %8.2f us\n", first);
    for (int i = 0; i < 3; ++i) {
        snprintf(settings, sizeof settings, "SIMKIT_COMPUTE=none SIMKIT_NP=1024 SIMKIT_ALGORITHMS=alltoall=%s",
                 algorithms[i]);
        if (!measure(settings, "alltoall 100", 2, &first, &second)) return 1;
        printf("all-to-all of 100 B among 1024 ranks, %-8s     %8.2f s %8.0f MB%s\n", algorithms[i], first, second,
               i == 0 ? "   (goals 10 s, 4 GB)" : "");
    }
    return 0;
}
