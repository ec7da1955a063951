/* forecast.c - the body of forecast.h */
#include "forecast.h"

#include "../interval_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What build/calibrate measures, and says in [operation calibration] how far its measurements differed. */
enum { FORECAST__SPEED, FORECAST__BANDWIDTH, FORECAST__MESSAGES, FORECAST__MEASURED };
static const char *const forecast__measured[FORECAST__MEASURED] = { "speed", "bandwidth", "messages" };

/* How far runs lie from forecasts beyond what seeds and calibration explain: standard deviation, relative. From the draws of
 * `tests/testbed/random --draws 8 2611` and of those in docs/validation.md, which says what it changed for these. */
static const double forecast__unexplained = 0.02;

/* Simulates with every seed. Returns which has the median time; -1 after an error. */
static int forecast__try(const forecast_desc *desc, double seconds[FORECAST_SEEDS], size_t count)
{
    int middle = -1;
    for (size_t i = 0; i < count; ++i)
        if (!desc->simulate(desc->user, i, &seconds[i])) return -1;
    for (size_t i = 0; i < count; ++i) {
        size_t smaller = 0; /* of equal ones, those before */
        for (size_t k = 0; k < i; ++k) smaller += seconds[k] <= seconds[i];
        for (size_t k = i + 1; k < count; ++k) smaller += seconds[k] < seconds[i];
        if (smaller == count / 2) middle = (int)i;
    }
    return middle;
}

/* A machine as it would be if a measurement were off by a factor. */
static void forecast__change(simkit_machine *machine, int what, double factor)
{
    for (size_t i = 0; i < machine->kind_count; ++i) {
        simkit_node_desc *node = &machine->kinds[i].node;
        if (what == FORECAST__SPEED) *(node->quota > 0 ? &node->quota : &node->speed) *= factor;
        if (what == FORECAST__BANDWIDTH) node->up_bandwidth *= factor;
        if (what == FORECAST__BANDWIDTH) node->down_bandwidth *= factor;
    }
    for (size_t i = 0; what == FORECAST__MESSAGES && i < machine->operation_count; ++i) {
        simkit_machine_operation *o = &machine->operations[i];
        const bool message = !strcmp(o->name, "send") || !strcmp(o->name, "receive") || !strcmp(o->name, "post");
        if (message && strcmp(o->unit, "s") == 0) o->value *= factor;
        if (message && strcmp(o->unit, "B/s") == 0) o->value /= factor;
    }
}

/* Relative change of the median time if a measurement were off by as much as two of them differed; NAN after an error. */
static double forecast__sensitivity(const forecast_desc *desc, int what, size_t count, double median)
{
    simkit_machine *machine = desc->machine;
    const double off = machine ? simkit_machine_value(machine, "calibration", forecast__measured[what], "1") : 0;
    const size_t kinds = machine ? machine->kind_count * sizeof *machine->kinds : 0;
    const size_t operations = machine ? machine->operation_count * sizeof *machine->operations : 0;
    double seconds[FORECAST_SEEDS];

    if (!(off > 0)) return 0;
    char *const kept = (char *)malloc(kinds + operations);
    if (!kept) return NAN;
    memcpy(kept, machine->kinds, kinds);
    memcpy(kept + kinds, machine->operations, operations);
    forecast__change(machine, what, 1 + off);
    const int middle = forecast__try(desc, seconds, count);
    memcpy(machine->kinds, kept, kinds);
    memcpy(machine->operations, kept + kinds, operations);
    free(kept);
    return middle < 0 ? NAN : seconds[middle] / median - 1;
}

/* Whether nodes of a kind share computers whose cores are fewer than what their quotas allow them together. */
static bool forecast__crowded(const simkit_machine *machine)
{
    for (size_t i = 0; machine && i < machine->kind_count; ++i) {
        const simkit_node_desc *node = &machine->kinds[i].node;
        const double cores = node->cores > 0 ? (double)node->cores : 1;
        const double part = node->quota > 0 ? fmin(node->quota / node->period, cores) : cores;
        const size_t hosts = machine->kinds[i].hosts, count = machine->kinds[i].count;
        const size_t together = hosts > 0 ? (count + hosts - 1) / hosts : 1;
        if (part * (double)together > cores) return true;
    }
    return false;
}

/* Simulates with every seed and a draw of its own of the values that have an error. Returns whether it could. */
static bool forecast__draw(const forecast_desc *desc, double seconds[FORECAST_SEEDS], size_t count)
{
    bool done = true;
    for (size_t i = 0; i < count && done; ++i)
        done = desc->draw(desc->user, (unsigned)i + 1) && desc->simulate(desc->user, i, &seconds[i]);
    return desc->draw(desc->user, 0) && done;
}

bool forecast_make(const forecast_desc *desc, forecast *found)
{
    const residuals *family = interval_family("random");
    const size_t count = desc->seeds > FORECAST_SEEDS ? FORECAST_SEEDS : desc->seeds | 1;
    double seconds[FORECAST_SEEDS], mean = 0, squares = 0;
    const int middle = forecast__try(desc, seconds, count);

    if (middle < 0) return false;
    found->seed = (uint64_t)middle;
    found->seconds = seconds[middle];
    found->reasons =
        interval_larger(family, (double)desc->nodes) | (interval_unsure(desc->machine) ? INTERVAL_UNSURE : 0);
    const double unexplained = interval_wider(found->reasons) * forecast__unexplained;
    double variance = unexplained * unexplained;
    if (desc->draw && desc->machine && desc->machine->errors > 0 && !forecast__draw(desc, seconds, count)) return false;
    for (size_t i = 0; i < count; ++i) mean += seconds[i] / (double)count;
    for (size_t i = 0; i < count; ++i) squares += (seconds[i] - mean) * (seconds[i] - mean);
    if (count > 1) variance += squares / (double)(count - 1) / (found->seconds * found->seconds);
    for (int what = FORECAST__SPEED; what < FORECAST__MEASURED; ++what) {
        const double part = forecast__sensitivity(desc, what, count, found->seconds);
        if (isnan(part)) return false;
        variance += part * part;
    }
    found->next = interval_of(NULL, 0, found->seconds, sqrt(variance));
    found->doubts = forecast__crowded(desc->machine) ? FORECAST_CROWDED : 0;
    if (found->next.high[1] > (1 + FORECAST_WIDTH) * found->seconds) found->doubts |= FORECAST_WIDE;
    return true;
}

void forecast_print(FILE *f, const interval *next, unsigned reasons, const char *needs)
{
    if (!interval_known(next))
        fprintf(f, "  no interval: one run does not say how much others differ, --seeds N does%s%s\n",
                needs ? "; it needs " : "", needs ? needs : "");
    interval_print(f, next);
    interval_print_reasons(f, interval_family("random"), reasons, "");
}

const char *forecast_doubt_text(unsigned doubts)
{
    if (doubts & FORECAST_CROWDED) return "the nodes of a computer may use more than its cores together";
    return doubts & FORECAST_WIDE ? "the interval ends more than 12 % away from the forecast" : "";
}
