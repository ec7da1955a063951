/* How long will the multigrid solver take on 64 processes, judged by runs on 1, 4 and 8? The six steps of the multigrid
 * paper: make build/messages/bin/six_steps && build/messages/bin/six_steps       (SIMKIT_MACHINES chooses the machine)
 *
 * The number of rows per process is constant. The runs, and those on 16, 32 and 64 processes with which the prediction
 * is compared, are on the virtual clock, so no cluster is needed. */
#define _DEFAULT_SOURCE
#define NETMODEL_IMPLEMENTATION
#include "netmodel.h"
#include "util/netmodel_fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 6, COLUMNS = 1024, ROWS = 64, CYCLES = 8, TRIES = 3 };

/* The median time of a run, and the memory of a process. */
static int run(const char *place, size_t processes, size_t rows, netmodel_run *found)
{
    char command[1024], line[256];
    double seconds[TRIES], memory = -1;
    for (int i = 0; i < TRIES; ++i) {
        double time = -1;
        snprintf(command, sizeof command,
                 "SIMKIT_REPORT=none SIMKIT_NP=%lu '%s/multigrid' --rows %lu --columns %d --cycles %d",
                 (unsigned long)processes, place, (unsigned long)(processes * rows), COLUMNS, CYCLES);
        FILE *pipe = popen(command, "r");
        while (pipe && fgets(line, sizeof line, pipe)) {
            sscanf(line, "memory per rank %lf", &memory);
            sscanf(line, "time %lf", &time);
        }
        if (!pipe || pclose(pipe) != 0 || time < 0 || memory < 0) {
            fprintf(stderr, "six_steps: this command failed: %s\n", command);
            return 0;
        }
        int at = i;
        for (; at > 0 && seconds[at - 1] > time; --at) seconds[at] = seconds[at - 1];
        seconds[at] = time;
    }
    *found = (netmodel_run){ processes, memory, seconds[TRIES / 2] };
    return 1;
}

int main(int argc, char **argv)
{
    static const size_t few[] = { 1, 4, 8 }, many[] = { 16, 32, 64 };
    const netmodel_scaling_desc desc = { NETMODEL_SCALING_STEPS, 0.02 };
    char place[512];
    netmodel_run runs[RUNS], real;
    netmodel_scaling model;
    snprintf(place, sizeof place, "%s", argc > 0 ? argv[0] : "./");
    *(strrchr(place, '/') ? strrchr(place, '/') : place) = 0;
    printf("multigrid, %d columns, %d rows per process, %d cycles\n\nprocesses  work [MB]  time [s]\n", COLUMNS, ROWS,
           CYCLES);
    for (size_t i = 0; i < RUNS; ++i) {
        if (!run(place, few[i / 2], i % 2 ? ROWS : ROWS / 2, &runs[i])) return 1;
        printf("%9lu  %9.3f  %8.4f\n", (unsigned long)runs[i].processes, runs[i].work, runs[i].seconds);
    }
    netmodel_result result = netmodel_scaling_fit(runs, RUNS, &desc, &model, NULL);
    if (result != NETMODEL_OK) {
        fprintf(stderr, "six_steps: %s\n", netmodel_result_text(result));
        return 1;
    }
    printf("\nTcomm = %.4g + %.4g log2(np) + %.4g work\n\nprocesses  predicted [s]    95 %% of runs [s]   run [s]   "
           "error\n",
           model.c, model.d, model.g);
    for (size_t i = 0; i < 3; ++i) {
        if (!run(place, many[i], ROWS, &real)) return 1;
        netmodel_prediction p = netmodel_scaling_predict(&model, many[i], real.work, 0.95);
        printf("%9lu  %13.4f  %8.4f .. %-8.4f  %8.4f  %+5.1f %%\n", (unsigned long)many[i], p.time, p.low, p.high,
               real.seconds, 100 * (p.time / real.seconds - 1));
    }
    return 0;
}
