/* How many cores help a program that streams through memory?
 * cc -O2 -DSIMKIT_STATIC -I. examples/memory.c -o memory -lm && ./memory        (--svg FILE draws it)
 *
 * All cores of a computer share its memory. A program is divided into equal parts, one for each core that it may use. The
 * more bytes it moves in a second of CPU time, the sooner the memory is the limit, and further cores only wait for it. Then
 * all programs run at once: who is slowed down, and who is not? */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include "svg.h"

enum { CORES = 16, PROGRAMS = 4 };

static const double bandwidth = 48e9; /* of the memory [B/s] */

static const struct {
    const char *name;
    double rate; /* bytes that it moves in a second of CPU time [B/s] */
} programs[PROGRAMS] = { { "multiply", 1e9 }, { "filter", 4e9 }, { "stencil", 6e9 }, { "copy", 12e9 } };

static double ends[PROGRAMS];

static void ended(simkit_world *world, void *user)
{
    *(double *)user = simkit_clock_now(world);
}

/* When the programs of which there are parts have ended; each needs 48 CPU seconds. */
static bool simulate(const int parts[PROGRAMS])
{
    simkit_world *world;
    simkit_node node;
    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), false;
    const simkit_node_desc computer = { .name = "computer", .cores = CORES, .memory_bandwidth = bandwidth };
    simkit_result result = simkit_node_add(world, &computer, &node);
    for (int p = 0; p < PROGRAMS; ++p)
        for (int i = 0; i < parts[p] && result == SIMKIT_OK; ++i) {
            const simkit_computation_desc part = { .node = node,
                                                   .seconds = 48.0 / parts[p],
                                                   .memory_rate = programs[p].rate,
                                                   .done = ended,
                                                   .user = &ends[p] };
            result = simkit_computation_start(world, &part, NULL);
        }
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    return result == SIMKIT_OK;
}

static double speedup[PROGRAMS][CORES + 1];

/* Speed-ups, beside the roof over them: min(cores, bandwidth / rate). */
static bool alone(void)
{
    double off = 0;
    printf("speed-up on so many cores:\n\n%-9s %9s", "", "moves");
    for (int n = 1; n <= CORES; n += n < 4 ? 1 : 2) printf("%6d", n);
    for (int p = 0; p < PROGRAMS; ++p) {
        printf("\n%-9s %4.0f GB/s", programs[p].name, programs[p].rate / 1e9);
        for (int n = 1; n <= CORES; ++n) {
            int parts[PROGRAMS] = { 0 };
            parts[p] = n;
            if (!simulate(parts)) return false;
            speedup[p][n] = 48 / ends[p];
            off = fmax(off, fabs(speedup[p][n] / fmin(n, bandwidth / programs[p].rate) - 1));
            if (n <= 4 || n % 2 == 0) printf("%6.2f", speedup[p][n]);
        }
    }
    printf("\n\n%s\n", off < 1e-12 ? "simulated and by hand, min(cores, bandwidth / rate), are equal"
                                   : "SIMULATED AND BY HAND DIFFER");
    return off < 1e-12;
}

static void print_chart(void)
{
    printf("\n");
    for (int row = CORES; row > 0; --row) {
        char line[3 * CORES + 1] = "";
        memset(line, ' ', sizeof line - 1);
        for (int p = 0; p < PROGRAMS; ++p)
            for (int n = 1; n <= CORES; ++n)
                if (row == (int)(speedup[p][n] + 0.5)) line[3 * n - 1] = *programs[p].name;
        printf("%4d |%s\n", row, line);
    }
    printf("     +%.*s\n      ", 3 * CORES, "------------------------------------------------------------");
    for (int n = 1; n <= CORES; ++n) printf("%3d", n);
    printf(" cores\n\n");
}

/* Four parts of each program at once. */
static void together(void)
{
    double cores[PROGRAMS], demand[PROGRAMS];
    //! [level]
    for (int p = 0; p < PROGRAMS; ++p) cores[p] = 4, demand[p] = programs[p].rate;
    const double level = contention_memory_level(bandwidth, PROGRAMS, cores, demand);
    //! [level]
    printf("four parts of each program at once: a core can move %.2f GB/s\n\n%-9s %10s %10s %10s\n", level / 1e9, "",
           "would move", "moves", "slowdown");
    for (int p = 0; p < PROGRAMS; ++p)
        printf("%-9s %5.0f GB/s %5.2f GB/s %10.2f\n", programs[p].name, demand[p] / 1e9, fmin(demand[p], level) / 1e9,
               1 / contention_memory_progress(level, demand[p]));
}

static bool draw(const char *path)
{
    svg s;
    svg_open(&s, path, "Speed-up where all cores share a memory of 48 GB/s", 760, 400);
    svg_plot(&s, 70, 560, (svg_axis){ .label = "cores", .to = CORES }, (svg_axis){ .label = "speed-up", .to = CORES });
    for (int p = 0; p < PROGRAMS; ++p) {
        svg_begin(&s, SVG_LINE, svg_colours[p], programs[p].name);
        svg_at(&s, 0, 0);
        for (int n = 1; n <= CORES; ++n) svg_at(&s, n, speedup[p][n]);
        svg_end(&s);
    }
    return svg_close(&s);
}

int main(int argc, char **argv)
{
    if (!alone()) return 1;
    print_chart();
    together();
    return !draw(svg_asked(argc, argv));
}
