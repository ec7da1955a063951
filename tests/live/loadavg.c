/* Does the kernel's own load average follow contention.h's for two minutes of a known load?
 *
 * One process computes for a minute, then none for a minute. Every five seconds, when the kernel's own figure changes, the
 * runnable processes that it tells of are a sample for contention_kernel_load_next(), from the figure at the start on. Exits 1
 * if the one-minute figures differ by more than 0.05. Needs Linux, and a machine that does little else. */
#define _GNU_SOURCE
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "busy.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

static int read_load(double load[3])
{
    FILE *file = fopen("/proc/loadavg", "r");
    const int read = file ? fscanf(file, "%lf %lf %lf", &load[0], &load[1], &load[2]) : 0;
    if (file) fclose(file);
    return read == 3;
}

int main(void)
{
    contention_kernel_load model;
    double load[3], worst = 0;
    pid_t child = 0;

    if (!read_load(load)) {
        printf("skipped: there is no /proc/loadavg\n");
        return 0;
    }
    printf("seconds   running   kernel   model\n");
    for (int i = 0; i < 3; ++i) model.fixed[i] = (uint64_t)(load[i] * 2048 + 0.5);
    child = fork();
    if (child == 0) { /* ends by itself after a minute, whatever becomes of us */
        busy(0, now() + 60);
        _exit(0);
    }
    for (int step = 1; step <= 24; ++step) {
        const uint64_t running = step <= 12 ? 1 : 0;
        sleep(5);
        contention_kernel_load_next(&model, running);
        if (!read_load(load)) break;
        printf("%7d   %7lu   %6.2f   %5.2f\n", 5 * step, (unsigned long)running, load[0],
               contention_kernel_load_value(&model, 0));
        fflush(stdout);
        worst = fmax(worst, fabs(load[0] - contention_kernel_load_value(&model, 0)));
    }
    if (child > 0) kill(child, SIGKILL);
    if (child > 0) waitpid(child, NULL, 0);
    printf("largest difference %.3f\n", worst);
    return worst > 0.05;
}
