/* Programs of different nice levels on one machine, which also communicates: how much of the CPU does each get?
 * cc -O2 -DCONTENTION_STATIC -I. examples/nice.c -o nice -lm && ./nice
 *
 * Communication takes its part of the cores first. The rest is divided by weights, and nobody gets more than one core:
 * what is left of that goes to the others. One nice level more is a factor of about 1.25 today; in Linux 2.2 it took
 * one of the 20 ticks that a process of level 0 had in each round. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include <stdio.h>

enum { PROCESSES = 3 };

static const int levels[PROCESSES] = { 0, 5, 19 };

static bool print(const char *what, double cores, double taken, contention_nice_rule rule)
{
    double weight[PROCESSES], share[PROCESSES], sum = 0;

    for (int i = 0; i < PROCESSES; ++i) weight[i] = contention_nice_weight(rule, levels[i]);
    const contention_result result = contention_share_weighted(cores, taken, PROCESSES, weight, NULL, share);
    if (result != CONTENTION_OK) return fprintf(stderr, "%s\n", contention_result_text(result)), false;
    printf("%-34s", what);
    for (int i = 0; i < PROCESSES; ++i) {
        printf(" %8.3f", share[i]);
        sum += share[i];
    }
    printf(" %10.3f\n", sum);
    return true;
}

int main(void)
{
    /* Two transfers come in and one goes out, at 0.15 and 0.05 cores each. */
    const double taken = contention_share_taken(2, 0.15, 1, 0.05), some = contention_share_taken(0, 0.15, 0, 0.05);

    printf("cores for a process of nice level");
    for (int i = 0; i < PROCESSES; ++i) printf(" %8d", levels[i]);
    printf("   together\n");
    return !(print("one core, Linux today", 1, some, CONTENTION_NICE_LINUX_TODAY) &&
             print("one core, Linux 2.2", 1, some, CONTENTION_NICE_LINUX_2_2) &&
             print("one core, with three transfers", 1, taken, CONTENTION_NICE_LINUX_TODAY) &&
             print("two cores", 2, some, CONTENTION_NICE_LINUX_TODAY) &&
             print("two cores, with three transfers", 2, taken, CONTENTION_NICE_LINUX_TODAY) &&
             print("four cores", 4, some, CONTENTION_NICE_LINUX_TODAY));
}
