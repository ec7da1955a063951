/* What does it cost to predict an LU factorization of the DPS paper, or a far larger one?
 *
 * 2592 x 2592 on 8 nodes, basic graph: the paper took 1.6 s and 14 MB for r = 216 on a Pentium 4 (table 1), the goal is 5 ms
 * and 4 MB; 100 000 x 100 000, r = 500, on 64 nodes, which is 2.6 million products: 10 s and 1 GB. Memory is what the
 * whole process had resident at most, C library included. Run from the top of the project. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_files.h"

#include "../../examples/flowgraph/flowgraph.c"
#include "../../examples/flowgraph/flowgraph_net.c"
#include "../../examples/flowgraph/kernels.c"
#include "../../examples/flowgraph/lu.c"
#include "../../examples/flowgraph/points.c"
#include "../../examples/flowgraph/record.c"

#include "measure.h"

#include <sys/resource.h>

enum { RUNS = 21, SIZES = 6 };

static bool fails(const char *why)
{
    fprintf(stderr, "%s\n", why);
    return false;
}

static double resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static bool predict(const simkit_machine *machine, size_t nodes, size_t n, size_t r, double *predicted)
{
    static lu_costs costs;
    static lu_outcome outcome;

    if (lu_costs_of_machine(machine, n, r, 1, &costs) != SIMKIT_OK) return fails("the machine lacks a rate");
    if (lu_predict(machine, nodes, &(lu_desc){ .n = n, .r = r, .costs = &costs }, NULL, NULL, &outcome) != FLOWGRAPH_OK)
        return fails(outcome.why);
    *predicted = outcome.seconds;
    return true;
}

static bool predictions(const simkit_machine *machine)
{
    static const size_t sizes[SIZES] = { 648, 324, 216, 162, 108, 81 }; /* from the one that needs least memory */
    double predicted, start;

    printf("2592 x 2592 on 8 nodes, basic; median of %d runs, and the range\n", RUNS);
    printf("    r   predicted [s]     run [ms]        from .. to   resident at most [MB]\n");
    for (int s = 0; s < SIZES; ++s) {
        double seconds[RUNS];
        for (int i = 0; i < RUNS; ++i) {
            start = measure_now();
            if (!predict(machine, 8, 2592, sizes[s], &predicted)) return false;
            seconds[i] = measure_now() - start;
        }
        measure_sort(seconds, RUNS);
        printf("%5lu %15.1f %12.2f %8.2f .. %6.2f %23.1f\n", (unsigned long)sizes[s], predicted,
               1e3 * seconds[RUNS / 2], 1e3 * seconds[0], 1e3 * seconds[RUNS - 1], resident());
    }
    start = measure_now();
    if (!predict(machine, 64, 100000, 500, &predicted)) return false;
    printf("100000 x 100000, r = 500, on 64 nodes, once: %.1f s, %.0f MB resident\n", measure_now() - start,
           resident());
    return true;
}

int main(void)
{
    simkit_machine *machine;
    simkit_parse_error error;

    if (simkit_machine_read(&(simkit_input){ .path = "examples/machines/dps.machine" }, &machine, &error) != SIMKIT_OK)
        return !fails(error.text);
    const bool fine = predictions(machine);
    simkit_machine_close(machine);
    return !fine;
}
