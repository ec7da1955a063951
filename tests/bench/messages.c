/* What examples/messages costs: a message between two ranks, and between many; an all-to-all among 1024 ranks. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *build;

/* The least of several runs of a program, which prints one or two numbers. */
static int measure(const char *settings, const char *arguments, int runs, double *first, double *second)
{
    char command[512];
    for (int i = 0; i < runs; i++) {
        double one, other = 0;
        snprintf(command, sizeof command, "SIMKIT_REPORT=none %s timeout 300 %s/messages/bin/costs %s", settings, build,
                 arguments);
        FILE *pipe = popen(command, "r");
        int found = pipe ? fscanf(pipe, "%lf %lf", &one, &other) : 0;
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

int main(void)
{
    static const char *const algorithms[] = { "bruck", "pairwise", "linear" };
    static const int ranks[] = { 2, 3, 16, 256 };
    char settings[128];
    double first, second;
    build = getenv("BUILD") ? getenv("BUILD") : "build";
    for (int i = 0; i < 4; i++) {
        snprintf(settings, sizeof settings, "SIMKIT_NP=%d", ranks[i]);
        if (!measure(settings, "pingpong 200000", 5, &first, &second)) return 1;
        printf("a message of 8 bytes between two of %3d ranks      %8.2f us%s\n", ranks[i], first,
               i == 0 ? "   (goal 3; SMPI, one process, took 11.6 on such a machine)" : "");
    }
    for (int i = 0; i < 3; i++) {
        snprintf(settings, sizeof settings, "SIMKIT_COMPUTE=none SIMKIT_NP=1024 SIMKIT_ALGORITHMS=alltoall=%s",
                 algorithms[i]);
        if (!measure(settings, "alltoall 100", 2, &first, &second)) return 1;
        printf("all-to-all of 100 B among 1024 ranks, %-8s     %8.2f s %8.0f MB%s\n", algorithms[i], first, second,
               i == 0 ? "   (goals 10 s, 4 GB)" : "");
    }
    return 0;
}
