/* Do processes of different nice levels on one core share it as contention.h says?
 *
 * Two, then three that only compute, pinned to one core for four seconds each; measured processor time beside the predicted
 * share. Exits 1 if one is off by more than 2 % of its share. Needs Linux, no rights, and a core that others leave alone. */
#define _GNU_SOURCE
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "busy.h"

#include <stdio.h>
#include <sys/wait.h>

enum { MOST = 3, SECONDS = 4 };

/* Computes from `begin` to `end`; writes its processor time between. */
static void compute(int answer, int nice_level, double begin, double end)
{
    if (nice(nice_level) != nice_level) _exit(1); /* started at another level than 0 */
    const double cpu = busy(begin, end);
    _exit(write(answer, &cpu, sizeof cpu) != sizeof cpu);
}

/* Gives whether all were within 2 %. */
static int together(const int *levels, int count)
{
    const double begin = now() + 0.5, end = begin + SECONDS;
    double weight[MOST], share[MOST], cpu[MOST] = { 0 };
    int fine = 1, answers[MOST][2];

    for (int i = 0; i < count; ++i) {
        weight[i] = contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, levels[i]);
        if (pipe(answers[i]) != 0) return 0;
        if (fork() == 0) compute(answers[i][1], levels[i], begin, end);
        close(answers[i][1]);
    }
    for (int i = 0; i < count; ++i) {
        if (read(answers[i][0], &cpu[i], sizeof cpu[i]) != sizeof cpu[i]) fine = 0;
        close(answers[i][0]);
    }
    while (wait(NULL) > 0) {
    }
    if (contention_share_weighted(1, 0, (size_t)count, weight, NULL, share) != CONTENTION_OK) return 0;
    for (int i = 0; i < count; ++i) {
        const double measured = cpu[i] / SECONDS, off = measured / share[i] - 1;
        printf("nice %2d   predicted %.4f   measured %.4f   %+5.1f %%\n", levels[i], share[i], measured, 100 * off);
        fine = fine && off < 0.02 && off > -0.02;
    }
    printf("\n");
    return fine;
}

int main(void)
{
    static const int two[] = { 0, 5 }, three[] = { 0, 3, 8 };
    int fine;

    if (!pin()) {
        printf("skipped: no process can be pinned to a core here\n");
        return 0;
    }
    fine = together(two, 2);
    fine = together(three, 3) && fine;
    printf("%s\n",
           fine ? "all within 2 %" : "some are off by more than 2 %: is the core used by others, or in a cgroup?");
    return !fine;
}
