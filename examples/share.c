/* Four computations on one processor, which come at different times: when does each end?
 * cc -O2 -DSIMKIT_STATIC -I. examples/share.c -o share -lm && ./share        (--svg FILE draws it)
 *
 * A processor is shared in slices so small that k computations each run at 1/k of its speed. When one arrives, all
 * others slow down; when one ends, all others speed up. By hand that is a table of the intervals between such moments. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"

#include <math.h>
#include <string.h>

typedef struct job {
    const char *name;
    double begin, needs;  /* when it arrives [s]; CPU time [s] */
    double expected, end; /* by hand; as simulated [s] */
} job;

static job jobs[] = { { "a", 0, 3, 0, 0 }, { "b", 1, 1, 0, 0 }, { "c", 2, 2, 0, 0 }, { "d", 8, 1, 0, 0 } };
enum { JOBS = sizeof jobs / sizeof *jobs };

static simkit_node computer;

static void ends(simkit_world *world, void *user)
{
    ((job *)user)->end = simkit_clock_now(world);
}

static void arrives(simkit_world *world, void *user)
{
    job *j = (job *)user;
    const simkit_computation_desc work = {
        .node = computer, .seconds = j->needs, .name = j->name, .lane = j->name, .done = ends, .user = j
    };
    if (simkit_computation_start(world, &work, NULL) != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
}

/* By hand: from one moment at which a job arrives or ends to the next, each of k running jobs gets 1/k of the time. */
static void by_hand(void)
{
    double left[JOBS], next;

    printf("  from       to      running   each gets\n");
    for (int i = 0; i < JOBS; ++i) left[i] = jobs[i].needs;
    for (double now = 0; now < (double)INFINITY; now = next) {
        char running[JOBS + 1] = "";
        int k = 0;
        for (int i = 0; i < JOBS; ++i)
            if (jobs[i].begin <= now && left[i] > 0) running[k++] = *jobs[i].name;
        next = (double)INFINITY;
        for (int i = 0; i < JOBS; ++i)
            if (jobs[i].begin > now)
                next = fmin(next, jobs[i].begin);
            else if (left[i] > 0)
                next = fmin(next, now + left[i] * k);
        if (k > 0) printf("%6.2f s  %6.2f s   %-7s   %.2f\n", now, next, running, 1. / k);
        for (int i = 0; i < JOBS; ++i) {
            if (jobs[i].begin > now || !(left[i] > 0)) continue;
            left[i] -= (next - now) / k;
            if (left[i] < 1e-9) left[i] = 0, jobs[i].expected = next;
        }
    }
}

/* A row for each job: '=' where it runs alone, '-' where it shares; four columns a second. */
static void print_rows(void)
{
    double end = 0;

    printf("\n");
    for (int i = 0; i < JOBS; ++i) {
        printf("%s  ", jobs[i].name);
        for (double time = 0.125; time < jobs[i].end; time += 0.25) {
            int running = 0;
            for (int k = 0; k < JOBS; ++k) running += time > jobs[k].begin && time < jobs[k].end;
            putchar(time < jobs[i].begin ? ' ' : running == 1 ? '=' : '-');
        }
        printf("\n");
        end = fmax(end, jobs[i].end);
    }
    printf("   ");
    for (int second = 0; second <= end; ++second) printf("%-4d", second);
    printf("s      = alone, - shared\n\n");
}

int main(int argc, char **argv)
{
    const char *svg = argc == 3 && strcmp(argv[1], "--svg") == 0 ? argv[2] : NULL;
    simkit_world *world;
    simkit_trace *trace = NULL;
    simkit_result result;
    bool equal = true;

    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), 1;
    result = simkit_node_add(world, &(simkit_node_desc){ .name = "computer" }, &computer);
    const simkit_trace_desc picture = { .path = svg, .title = "Four computations on one processor" };
    if (result == SIMKIT_OK && svg) result = simkit_trace_open(world, &picture, &trace);
    for (int i = 0; i < JOBS && result == SIMKIT_OK; ++i)
        result = simkit_step_at(world, jobs[i].begin, 0, arrives, &jobs[i], NULL);
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result == SIMKIT_OK) result = simkit_trace_close(trace);
    if (result != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    if (result != SIMKIT_OK) return 1;

    by_hand();
    printf("\njob   arrives   needs   alone it ends   ends at   by hand   slowdown\n");
    for (int i = 0; i < JOBS; ++i) {
        const job *j = &jobs[i];
        printf("%3s   %5.1f s  %4.1f s   %11.1f s  %6.1f s  %6.1f s   %8.2f\n", j->name, j->begin, j->needs,
               j->begin + j->needs, j->end, j->expected, (j->end - j->begin) / j->needs);
        equal = equal && fabs(j->end - j->expected) < 1e-9;
    }
    print_rows();
    printf("%s\n", equal ? "simulated and by hand are equal" : "SIMULATED AND BY HAND DIFFER");
    return !equal;
}
