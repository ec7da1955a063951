/* What does it cost to execute an LU factorization directly, on the virtual clock?
 *
 * Processor time beside that of the serial program of the same kernels; the goal is 1 % more. What the runtime takes is said
 * apart from what the operations take more than there, because they copy blocks, and find them in no cache. */
#define _GNU_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "../../examples/flowgraph/flowgraph.c"
#include "../../examples/flowgraph/flowgraph_net.c"
#include "../../examples/flowgraph/kernels.c"
#include "../../examples/flowgraph/lu.c"
#include "../../examples/flowgraph/points.c"
#include "../../examples/flowgraph/record.c"

#include "measure.h"

enum { DIRECT_RUNS = 7 };

static bool fails(const char *why)
{
    fprintf(stderr, "%s\n", why);
    return false;
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The serial program: the same kernels in the same order, on a matrix of block columns. */
static bool serial(size_t n, size_t r, double *seconds)
{
    double *a = (double *)malloc(n * n * sizeof *a), *product = (double *)malloc(r * r * sizeof *product);
    int *pivots = (int *)malloc(r * sizeof *pivots);
    const bool memory = a && product && pivots;
    double start;

    for (size_t j = 0; memory && j < n; ++j)
        for (size_t i = 0; i < n; ++i) a[i + j * n] = lu__element(i, j);
    start = processor_time();
    for (size_t k = 0; memory && k < n / r; ++k) {
        double *diagonal = a + k * r + k * r * n;
        kernels_panel(n - k * r, r, diagonal, n, pivots);
        for (size_t j = 0; j < n / r; ++j) {
            double *column = a + k * r + j * r * n;
            if (j != k) kernels_exchange(r, column, n, pivots);
            if (j <= k) continue;
            kernels_solve(r, diagonal, n, column, n);
            for (size_t i = k + 1; i < n / r; ++i) {
                kernels_multiply(r, r, r, diagonal + (i - k) * r, n, column, n, product, r);
                kernels_subtract(r, product, r, column + (i - k) * r, n);
            }
        }
    }
    *seconds = processor_time() - start;
    free(a);
    free(product);
    free(pivots);
    return memory || fails("no memory");
}

/* The factorization alone, and how much of that were its operations. */
static bool direct(size_t nodes, size_t n, size_t r, double *seconds, double *operations)
{
    const flowgraph_desc how = { .mode = FLOWGRAPH_DIRECT, .nodes = nodes, .record = true };
    const lu_desc what = { .n = n, .r = r };
    flowgraph *graph = NULL;
    lu *all = NULL;
    char why[200] = "";
    double start = 0, virtual_time = 0;
    bool done = flowgraph_open(&how, &graph) == FLOWGRAPH_OK && lu_open(graph, &what, &all, why) == FLOWGRAPH_OK &&
                lu__once(all, all->create, NULL) == FLOWGRAPH_OK;

    start = processor_time();
    done = done && lu__once(all, all->start, &virtual_time) == FLOWGRAPH_OK;
    *seconds = processor_time() - start;
    *operations = record_efficiency(graph, 0, virtual_time) * record_node_seconds(graph, 0, virtual_time);
    if (!done) fails(*why ? why : flowgraph_why(graph));
    flowgraph_close(graph);
    return done;
}

/* By turns, so that a slow moment is not one program's. */
static bool executions(void)
{
    static const struct {
        size_t n, r;
    } shapes[] = { { 1152, 144 }, { 2592, 216 }, { 2592, 324 }, { 2592, 648 } };

    printf("directly executed on 8 nodes beside the serial program, %s; medians of %d ratios of processor time\n",
           kernels_name(), DIRECT_RUNS);
    printf("     n     r   serial [s]   direct [s]     more        from .. to     the runtime\n");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        double ratios[DIRECT_RUNS], runtime[DIRECT_RUNS], alone = 0, together = 0, operations = 0;
        for (int i = 0; i < DIRECT_RUNS; ++i) {
            measure_progress("directly executed", i + 1, DIRECT_RUNS);
            if (!serial(shapes[s].n, shapes[s].r, &alone) ||
                !direct(8, shapes[s].n, shapes[s].r, &together, &operations))
                return false;
            ratios[i] = 100 * (together / alone - 1);
            runtime[i] = 100 * (together - operations) / alone;
        }
        measure_progress("", 0, 0);
        measure_sort(ratios, DIRECT_RUNS);
        measure_sort(runtime, DIRECT_RUNS);
        printf("%6lu %5lu %12.3f %12.3f %+7.1f %% %+7.1f .. %+5.1f %% %10.2f %%\n", (unsigned long)shapes[s].n,
               (unsigned long)shapes[s].r, alone, together, ratios[DIRECT_RUNS / 2], ratios[0], ratios[DIRECT_RUNS - 1],
               runtime[DIRECT_RUNS / 2]);
    }
    return true;
}

int main(void)
{
    return !executions();
}
