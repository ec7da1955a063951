/* What if this part were twice as fast: when would the program end? Without running it again.
 * cc -O2 -DSIMKIT_STATIC -I. examples/what_if.c -o what_if -lm && ./what_if
 *
 * Twelve pictures pass through four stages, each on a computer of its own. The record of one run knows what each piece of work
 * waited for, and what it would have waited for if that had come later. So it can tell other ends: compared with the formula for a
 * pipeline, sum + 11 * slowest, and with other runs. When two stages share a computer, the answer is an estimate, and says so. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

enum { STAGES = 4, PICTURES = 12 };

static const char *const names[STAGES] = { "read", "decode", "filter", "write" };
static const double seconds[STAGES] = { 0.25, 0.5, 2, 1 }; /* for a picture */
static const double hop = 0.125;                           /* from stage to stage [s] */

typedef struct line {
    simkit_world *world;
    simkit_reasons *reasons;
    simkit_mailbox boxes[STAGES];
    double factors[STAGES];
    simkit_result failed; /* of a call in a process */
} line;

typedef struct stage {
    line *in;
    int number;
    simkit_node node;
} stage;

static void works(simkit_world *world, void *user)
{
    const stage *s = (const stage *)user;
    const simkit_computation_desc work = { .seconds = s->in->factors[s->number] * seconds[s->number],
                                           .name = names[s->number] };
    const bool first = s->number == 0, last = s->number == STAGES - 1;
    const simkit_post_desc picture = { .from = s->node,
                                       .to = s->in->boxes[last ? 0 : s->number + 1],
                                       .name = "picture" };

    for (int i = 0; i < PICTURES && !s->in->failed; ++i) {
        simkit_result result = first ? SIMKIT_OK : simkit_process_receive(world, s->in->boxes[s->number], NULL);
        if (!result) result = simkit_process_compute(world, &work, NULL);
        if (!result && !last) result = simkit_mailbox_post(world, &picture, NULL);
        if (result) s->in->failed = result;
    }
}

/* A world in which it has run; the last `together` stages share a computer. Returns whether it went well. */
static bool run(line *l, int together)
{
    static stage stages[STAGES];
    const simkit_world_desc network = { .latency = hop };
    simkit_node node = 0;

    l->failed = SIMKIT_OK;
    if (simkit_world_open(&network, &l->world)) return fputs("no memory for a world\n", stderr), false;
    bool fine = !simkit_reasons_open(l->world, &l->reasons);
    for (int i = 0; i < STAGES && fine; ++i) {
        if (i <= STAGES - together || together == 0) fine = !simkit_node_add(l->world, NULL, &node);
        fine = fine && !simkit_mailbox_open(l->world, node, names[i], &l->boxes[i]);
        stages[i] = (stage){ l, i, node };
        const simkit_process_desc process = { .name = names[i], .node = node, .body = works, .user = &stages[i] };
        fine = fine && !simkit_process_start(l->world, &process, NULL);
    }
    fine = fine && !simkit_world_run(l->world) && !l->failed;
    if (!fine) fprintf(stderr, "%s\n", l->failed ? simkit_result_text(l->failed) : simkit_world_why(l->world));
    return fine;
}

/* The formula: the first picture passes all stages, then one comes every time the slowest stage has finished. */
static double formula(const double factors[STAGES])
{
    double sum = (STAGES - 1) * hop, slowest = 0;
    for (int i = 0; i < STAGES; ++i) {
        sum += factors[i] * seconds[i];
        if (factors[i] * seconds[i] > slowest) slowest = factors[i] * seconds[i];
    }
    return sum + (PICTURES - 1) * slowest;
}

/* Asks for the end with these factors, runs it, and prints a row. */
static bool compare(const char *what, const double factors[STAGES], int together)
{
    simkit_reason_change changes[STAGES];
    simkit_reason_forecast forecast;
    line was = { .factors = { 1, 1, 1, 1 } }, is;

    for (int i = 0; i < STAGES; ++i) changes[i] = (simkit_reason_change){ .name = names[i], .factor = factors[i] };
    bool fine = run(&was, together);
    if (fine && simkit_reasons_what_if(was.reasons, changes, STAGES, &forecast)) {
        fprintf(stderr, "%s\n", simkit_world_why(was.world));
        fine = false;
    }
    for (int i = 0; i < STAGES; ++i) is.factors[i] = factors[i];
    fine = fine && run(&is, together);
    if (fine) {
        printf("%-46s", what);
        together ? printf("%9s", "-") : printf("%9g", formula(factors));
        printf("%9.5g%9.5g  %s\n", forecast.end, simkit_clock_now(is.world), forecast.exact ? "exact" : "an estimate:");
        if (!forecast.exact) printf("  %s\n", forecast.doubt);
    }
    simkit_world_close(was.world);
    if (fine) simkit_world_close(is.world);
    return fine;
}

int main(void)
{
    printf("%-46s%9s%9s%9s\n", "end [s]", "formula", "what-if", "a run");
    return !compare("as it is", (const double[]){ 1, 1, 1, 1 }, 0) ||
           !compare("write twice as fast", (const double[]){ 1, 1, 1, 0.5 }, 0) ||
           !compare("filter twice as fast", (const double[]){ 1, 1, 0.5, 1 }, 0) ||
           !compare("filter four times as fast", (const double[]){ 1, 1, 0.25, 1 }, 0) ||
           !compare("filter and write twice as fast", (const double[]){ 1, 1, 0.5, 0.5 }, 0) ||
           !compare("read four times as long", (const double[]){ 4, 1, 1, 1 }, 0) ||
           !compare("last two on one computer, filter twice as fast", (const double[]){ 1, 1, 0.5, 1 }, 2) ||
           !compare("last two on one computer, write no time", (const double[]){ 1, 1, 1, 0 }, 2);
}
