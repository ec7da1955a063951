/* How long does it take to predict one LU factorization of the DPS paper, and in how much memory?
 *
 * 2592 x 2592, 8 nodes, basic graph; the paper took 1.6 s and 14 MB for r = 216 on a Pentium 4 (table 1), the goal is 5 ms
 * and 4 MB. Memory is what the whole process had resident at most, C library included. Run from the top of the project. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "../../examples/flowgraph/flowgraph.c"
#include "../../examples/flowgraph/kernels.c"
#include "../../examples/flowgraph/lu.c"

#include "measure.h"

#include <sys/resource.h>

enum { RUNS = 21, SIZES = 6 };

int main(void)
{
    static const size_t sizes[SIZES] = { 648, 324, 216, 162, 108, 81 }; /* from the one that needs least memory */
    simkit_machine machine;
    simkit_mistake mistake;

    memset(&machine, 0, sizeof machine);
    if (simkit_machine_load("examples/machines/dps.machine", &machine, &mistake) != SIMKIT_OK) {
        fprintf(stderr, "%s\n", mistake.text);
        return 1;
    }
    printf("LU on 8 nodes, basic; median of %d runs, and the range\n", RUNS);
    printf("    r   predicted [s]     run [ms]        from .. to   resident at most [MB]\n");
    for (int s = 0; s < SIZES; s++) {
        double seconds[RUNS];
        lu_costs costs;
        lu_outcome outcome;
        struct rusage usage;
        lu_costs_of_machine(&machine, 2592, sizes[s], &costs);
        for (int i = 0; i < RUNS; i++) {
            const double start = measure_now();
            if (lu_predict(&machine, 8, false, &costs, NULL, NULL, &outcome) != FLOWGRAPH_OK) {
                fprintf(stderr, "%s\n", outcome.why);
                return 1;
            }
            seconds[i] = measure_now() - start;
        }
        measure_sort(seconds, RUNS);
        getrusage(RUSAGE_SELF, &usage);
        printf("%5lu %15.1f %12.2f %8.2f .. %6.2f %23.1f\n", (unsigned long)sizes[s], outcome.seconds,
               1e3 * seconds[RUNS / 2], 1e3 * seconds[0], 1e3 * seconds[RUNS - 1], (double)usage.ru_maxrss / 1024);
    }
    return 0;
}
