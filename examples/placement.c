/* Two tasks, two machines, and others on one of them: which task runs where?
 * cc -O2 -DCONTENTION_STATIC -I. examples/placement.c -o placement -lm && ./placement
 *
 * Task B needs the result of task A; on another machine it has to be sent there. The settings are those of [slowdown],
 * tables 1 to 4: no competitors; competitors that compute on M1; competitors that also use the link. Then a graph of seven tasks: its
 * best schedule is not known, but a lower bound is. */
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include <stdio.h>
#include <string.h>

static const double work[] = { 12, 18, 4, 30 }; /* [s], A on M1, M2; B on M1, M2 */
static const double bring[] = { 0, 7, 8, 0 };   /* [s], from M1 to M1, to M2; from M2 to M1, to M2 */

static void print_chain(const char *setting, double computing, double communicating)
{
    const double slowdown[] = { computing, 1 }, link[] = { 1, communicating, communicating, 1 };
    size_t machine[2];
    double seconds, scratch[12];

    //! [chain]
    contention_chain chain = { 2, 2, work, bring, slowdown, link };
    if (contention_chain_place(&chain, scratch, machine, &seconds) != CONTENTION_OK) return;
    //! [chain]
    printf("%-42s M%lu     M%lu    %2.0f s   %5.0f s\n", setting, (unsigned long)machine[0] + 1,
           (unsigned long)machine[1] + 1, seconds, computing * (work[0] + work[2]));
}

/* Tasks: 0 prepares, 1 to 5 work on a part each, 6 collects. */
static void print_graph(double busy)
{
    enum { TASKS = 7, MACHINES = 3, EDGES = 10 };
    static const double time[TASKS * MACHINES] = { 2, 3, 3, 6, 9, 9, 6, 9, 9, 6, 9, 9, 6, 9, 9, 6, 9, 9, 2, 3, 3 };
    static const contention_edge edge[EDGES] = { { 0, 1, 1 }, { 0, 2, 1 }, { 0, 3, 1 }, { 0, 4, 1 }, { 0, 5, 1 },
                                                 { 1, 6, 1 }, { 2, 6, 1 }, { 3, 6, 1 }, { 4, 6, 1 }, { 5, 6, 1 } };
    static const double link[MACHINES * MACHINES] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    const double slowdown[MACHINES] = { busy, 1, 1 };
    size_t machine[TASKS];
    double begin[TASKS], end[TASKS], scratch[2 * TASKS + MACHINES];

    //! [graph]
    contention_graph graph = { TASKS, MACHINES, EDGES, edge, time, slowdown, link };
    contention_schedule schedule = { machine, begin, end, 0, 0 };
    if (contention_graph_place(&graph, scratch, &schedule) != CONTENTION_OK) return;
    //! [graph]
    printf("\nseven tasks, M1 %s: %.0f s; no schedule takes less than %.1f s\n",
           busy > 1 ? "slowed down 3 times" : "idle", schedule.seconds, schedule.bound);
    for (size_t m = 0; m < MACHINES; ++m) {
        char row[80];
        memset(row, ' ', sizeof row);
        for (size_t i = 0; i < TASKS; ++i)
            if (machine[i] == m)
                for (int c = (int)(2 * begin[i] + 0.5); c < (int)(2 * end[i] + 0.5) && c < 79; ++c)
                    row[c] = (char)('0' + i);
        for (row[79] = 0; strlen(row) > 0 && row[strlen(row) - 1] == ' ';) row[strlen(row) - 1] = 0;
        printf("  M%lu  %s\n", (unsigned long)m + 1, row);
    }
}

int main(void)
{
    printf("slowed down 3 times                        A on   B on   time   both on M1\n");
    print_chain("nothing", 1, 1);
    print_chain("computing on M1", 3, 1);
    print_chain("computing on M1, and communicating", 3, 3);
    print_graph(1);
    print_graph(3);
    printf("\na column is half a second, a digit is the number of the task\n");
    return 0;
}
