/* Are sessions groups that share a core as contention_share_groups() says?
 *
 * Two or three sessions (setsid, so an autogroup each) of processes that only compute, all pinned to one core, for four seconds;
 * measured processor time beside the predicted share, both as parts of what all of them got, so that strangers on the core do
 * no harm. Exits 1 if a part is off by more than 5 %. Needs Linux with autogroups, and to be in no control group that divides
 * the processor; else it says so. */
#define _GNU_SOURCE
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "busy.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { MOST = 8, SECONDS = 4 };

/* One process: which session it is in, its nice level there, and that of its session, which its first one sets. */
typedef struct competitor {
    int session, nice_level, session_level;
} competitor;

/* Computes from `begin` to `end`; writes its number and its processor time between. */
static void compute(int answer, int number, int nice_level, double begin, double end)
{
    if (setpriority(PRIO_PROCESS, 0, nice_level) != 0) _exit(1);
    const double cpu[2] = { number, busy(begin, end) };
    _exit(write(answer, cpu, sizeof cpu) != sizeof cpu);
}

/* A session with the processes that belong to it. */
static void session(int answer, int which, const competitor *x, int count, double begin, double end)
{
    int first = 1;

    if (setsid() < 0) _exit(1);
    for (int i = 0; i < count; ++i) {
        if (x[i].session != which) continue;
        if (first && x[i].session_level != 0) {
            FILE *file = fopen("/proc/self/autogroup", "w");
            if (!file || fprintf(file, "%d\n", x[i].session_level) < 0 || fclose(file) != 0) _exit(1);
        }
        first = 0;
        if (fork() == 0) compute(answer, i, x[i].nice_level, begin, end);
    }
    while (wait(NULL) > 0) {
    }
    _exit(0);
}

/* Gives whether all parts were within 5 %. */
static int together(const competitor *x, int count, int sessions)
{
    const double begin = now() + 0.5, end = begin + SECONDS;
    contention_group_member tree[2 * MOST];
    double share[2 * MOST], scratch[2 * MOST], cpu[MOST] = { 0 }, answer[2], predicted = 0, measured = 0;
    int fine = 1, answers[2];

    for (int i = 0; i < count; ++i) {
        tree[x[i].session] =
            (contention_group_member){ CONTENTION_ROOT,
                                       contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, x[i].session_level), 0, 0 };
        tree[sessions + i] =
            (contention_group_member){ (size_t)x[i].session,
                                       contention_nice_weight(CONTENTION_NICE_LINUX_TODAY, x[i].nice_level), 1, 0 };
    }
    if (contention_share_groups(1, 0, (size_t)(sessions + count), tree, scratch, share) != CONTENTION_OK) return 0;
    if (pipe(answers) != 0) return 0;
    for (int i = 0; i < sessions; ++i)
        if (fork() == 0) session(answers[1], i, x, count, begin, end);
    close(answers[1]);
    while (read(answers[0], answer, sizeof answer) == (ssize_t)sizeof answer) cpu[(int)answer[0]] = answer[1];
    close(answers[0]);
    while (wait(NULL) > 0) {
    }
    for (int i = 0; i < count; ++i) {
        predicted += share[sessions + i];
        measured += cpu[i];
    }
    for (int i = 0; i < count; ++i) {
        const double expected = share[sessions + i] / predicted, part = cpu[i] / measured, off = part / expected - 1;
        printf("session %d, nice %2d within nice %2d   predicted %.4f   measured %.4f   %+5.1f %%\n", x[i].session,
               x[i].nice_level, x[i].session_level, expected, part, 100 * off);
        fine = fine && off < 0.05 && off > -0.05;
    }
    printf("of one core they had %.2f\n\n", measured / SECONDS);
    return fine;
}

/* Whether a new session is a group of its own here. */
static int autogroups(void)
{
    char group[2][100] = { "", "" };
    int answers[2];

    if (pipe(answers) != 0) return 0;
    for (int i = 0; i < 2; ++i) {
        if (fork() == 0) {
            FILE *file = setsid() < 0 ? NULL : fopen("/proc/self/autogroup", "r");
            if (!file || fgets(group[0], sizeof group[0], file) == NULL) group[0][0] = '\0';
            _exit(write(answers[1], group[0], sizeof group[0]) != sizeof group[0]);
        }
        if (read(answers[0], group[i], sizeof group[i]) != (ssize_t)sizeof group[i]) return 0;
    }
    while (wait(NULL) > 0) {
    }
    return group[0][0] == '/' && group[1][0] == '/' && strcmp(group[0], group[1]) != 0;
}

int main(void)
{
    static const competitor one_and_three[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 } },
                            nice_within[] = { { 0, 0, 0 }, { 0, 5, 0 }, { 1, 5, 0 } },
                            nice_sessions[] = { { 0, 0, 0 }, { 1, 0, 3 }, { 1, 0, 3 }, { 2, 0, 3 } };
    int fine;

    if (!autogroups() || !pin()) {
        printf("skipped: there are no autogroups here, or no process can be pinned to a core\n");
        return 0;
    }
    fine = together(one_and_three, 4, 2);
    fine = together(nice_within, 3, 2) && fine;
    fine = together(nice_sessions, 4, 3) && fine;
    printf("%s\n",
           fine ? "all within 5 %" : "some are off by more than 5 %: is the core very busy, or in a control group?");
    return !fine;
}
