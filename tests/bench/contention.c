/* How often can a scheduler ask contention.h?
 *
 * Goals: an application more or less in a mix of 8 or 32 in 15 or 45 ns, a local slowdown of 8 in 10 ns, an aggregate one of 64
 * nodes in 40 ns, 2e7 four-node candidates a second. Beside each the way of the paper: tables of O(p^2) from the parts.
 * Medians of nine, and the range. */
#define _POSIX_C_SOURCE 200809L
#define CONTENTION_IMPLEMENTATION
#include "contention.h"

#include "measure.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = 9, ROUNDS = 200000, NODES = 64, CANDIDATES = 1 << 12 };

static volatile double sink;
static uint64_t dice = 1;

static double uniform(void)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(dice >> 11) * 0x1p-53;
}

static const contention_delay delays[] = { { 2.37, -0.20, 0.49, 1.38, -0.06 }, { 1.74, -0.50, 1.37, 2.48, 0 } };
static contention_mix mix;
static double parts[1024][2];

/* One leaves, another comes: two moves. */
static void come_and_go(void)
{
    for (int i = 0; i < ROUNDS; ++i) {
        const double *next = parts[i % 1024];
        measure_ok(contention_mix_remove(&mix, (size_t)i % mix.count));
        measure_ok(contention_mix_add(&mix, next[0], next[1]));
    }
    sink = mix.probability[1][0];
}

/* The same as the paper has it: both tables from the parts, after every move. */
static void come_and_go_slowly(void)
{
    static double table[2][CONTENTION_MIX_MAX + 1];
    for (int i = 0; i < 2 * ROUNDS / 10; ++i) {
        for (int which = 0; which < 2; ++which) {
            const double *part = which ? mix.communicating : mix.computing;
            double *p = table[which];
            p[0] = 1;
            for (size_t k = 0; k < mix.count; ++k) {
                p[k + 1] = p[k] * part[k];
                for (size_t j = k; j > 0; --j) p[j] = p[j] * (1 - part[k]) + p[j - 1] * part[k];
                p[0] *= 1 - part[k];
            }
        }
        mix.computing[(size_t)i % mix.count] = parts[i % 1024][0];
        mix.communicating[(size_t)i % mix.count] = parts[i % 1024][1];
    }
    sink = table[0][1] + table[1][1];
    contention_mix_rebuild(&mix);
}

static void ask_local(void)
{
    double sum = 0;
    for (int i = 0; i < ROUNDS; ++i) sum += contention_slowdown_local(&mix, delays, 2, (i & 1023) * 0.004);
    sink = sum;
}

static double weight[NODES], slowdown[NODES], capacity[NODES];

static void ask_aggregate(void)
{
    double sum = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        slowdown[i % NODES] = 1 + (i & 7);
        sum += contention_slowdown_by_load(NODES, weight, slowdown);
    }
    sink = sum;
}

static uint32_t node[4 * CANDIDATES];
static double answers[CANDIDATES];

static void ask_batch(void)
{
    for (int i = 0; i < 100; ++i) contention_slowdowns_by_load(CANDIDATES, 4, node, weight, capacity, answers);
    sink = answers[1];
}

static double measure(const char *what, void (*run)(void), double pieces)
{
    double nanoseconds[RUNS];
    for (int i = 0; i < RUNS; ++i) {
        const double start = measure_now();
        run();
        nanoseconds[i] = (measure_now() - start) / pieces * 1e9;
    }
    measure_sort(nanoseconds, RUNS);
    printf("%-44s %8.1f ns   %8.1f .. %.1f\n", what, nanoseconds[RUNS / 2], nanoseconds[0], nanoseconds[RUNS - 1]);
    return nanoseconds[RUNS / 2];
}

static void fill(size_t count)
{
    memset(&mix, 0, sizeof mix);
    for (size_t i = 0; i < count; ++i) measure_ok(contention_mix_add(&mix, parts[i][0], parts[i][1]));
}

int main(void)
{
    static const size_t counts[] = { 8, 32, 64 };
    char what[64];

    for (int i = 0; i < 1024; ++i) {
        parts[i][0] = uniform();
        parts[i][1] = uniform() * (1 - parts[i][0]);
    }
    for (int i = 0; i < NODES; ++i) {
        weight[i] = 1 + uniform();
        slowdown[i] = 1 + 4 * uniform();
        capacity[i] = weight[i] / slowdown[i];
    }
    for (int i = 0; i < 4 * CANDIDATES; ++i) node[i] = (uint32_t)(uniform() * NODES);
    printf("%-44s %8s      %8s\n", "", "median", "range");
    for (int i = 0; i < 3; ++i) {
        fill(counts[i]);
        snprintf(what, sizeof what, "one more or less in a mix of %lu", (unsigned long)counts[i]);
        measure(what, come_and_go, 2.0 * ROUNDS);
        snprintf(what, sizeof what, "  the paper's way, O(p^2)");
        measure(what, come_and_go_slowly, 2.0 * ROUNDS / 10);
    }
    for (int i = 0; i < 3; ++i) {
        fill(counts[i]);
        snprintf(what, sizeof what, "local slowdown, mix of %lu", (unsigned long)counts[i]);
        measure(what, ask_local, ROUNDS);
    }
    measure("aggregate slowdown, 64 nodes", ask_aggregate, ROUNDS);
    printf("%.2g four-node candidates a second\n",
           1e9 / measure("four-node candidate in a batch", ask_batch, 100.0 * CANDIDATES));
    return 0;
}
