/* Four computations on one processor, which come at different times: when does each end?
 * cc -O2 -DSIMKIT_STATIC -I. examples/share.c -o share -lm && ./share        (--svg FILE draws it)
 *
 * A processor is shared in slices so small that k computations each run at 1/k of its speed. When one comes, all others
 * slow down; when one goes, all others speed up. By hand that is a table of intervals, as in the comment below. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <math.h>
#include <string.h>

enum { JOBS = 4 };

typedef struct job {
    const char *name;
    double begin, needs;  /* when it comes [s]; processor time [s] */
    double expected, end; /* by hand; as simulated [s] */
} job;

/*  from   to   running    each gets        left at the end of the interval
 *   0      1    a          1               a 2
 *   1      2    a b        0.5             a 1.5  b 0.5
 *   2      3.5  a b c      0.5 of 1.5 s    a 1    b 0   c 1.5      b ends
 *   3.5    5.5  a c        1               a 0    c 0.5            a ends
 *   5.5    6    c          0.5             c 0                     c ends
 *   8      9    d          1               d 0                     d ends */
static job jobs[JOBS] = { { "a", 0, 3, 5.5, 0 }, { "b", 1, 1, 3.5, 0 }, { "c", 2, 2, 6, 0 }, { "d", 8, 1, 9, 0 } };

static simkit_node computer;

static void ends(simkit_world *world, void *user)
{
    ((job *)user)->end = simkit_clock_now(world);
}

//! [compute]
static void comes(simkit_world *world, void *user)
{
    job *j = (job *)user;
    const simkit_computation_desc work = {
        .node = computer, .seconds = j->needs, .name = j->name, .lane = j->name, .done = ends, .user = j
    };

    if (simkit_computation_start(world, &work) != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
}
//! [compute]

/* A row for each: '=' where it has the processor alone, '-' where it shares it. */
static void print_rows(void)
{
    for (int i = 0; i < JOBS; i++) {
        printf("%s  ", jobs[i].name);
        for (int column = 0; column < 36; column++) {
            const double time = (column + 0.5) / 4;
            int running = 0;
            for (int k = 0; k < JOBS; k++) running += time > jobs[k].begin && time < jobs[k].end;
            if (time > jobs[i].end) break;
            putchar(time < jobs[i].begin ? ' ' : running == 1 ? '=' : '-');
        }
        printf("\n");
    }
    printf("   0   1   2   3   4   5   6   7   8   9 s      = alone, - shared\n\n");
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
    for (int i = 0; i < JOBS && result == SIMKIT_OK; i++)
        result = simkit_step_at(world, jobs[i].begin, 0, comes, &jobs[i], NULL);
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    if (result == SIMKIT_OK) result = simkit_trace_close(trace);
    if (result != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
    simkit_world_close(world);
    if (result != SIMKIT_OK) return 1;

    printf("job   comes at   needs   alone it ends   ends at   by hand   slowdown\n");
    for (int i = 0; i < JOBS; i++) {
        const job *j = &jobs[i];
        printf("%3s   %6.1f s  %4.1f s   %11.1f s  %6.1f s  %6.1f s   %8.2f\n", j->name, j->begin, j->needs,
               j->begin + j->needs, j->end, j->expected, (j->end - j->begin) / j->needs);
        equal = equal && fabs(j->end - j->expected) < 1e-12;
    }
    printf("\n");
    print_rows();
    printf("%s\n", equal ? "simulated and by hand are equal" : "SIMULATED AND BY HAND DIFFER");
    return !equal;
}
