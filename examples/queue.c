/* Three jobs for a cluster: in order of submission, or may a short one go first? FCFS against EASY backfilling.
 * cc -O2 -DSIMKIT_STATIC -I. examples/queue.c -o queue -lm && ./queue        (--svg FILE draws it)
 *
 * FCFS starts jobs in the order of submission. So does EASY, but while the first one waits, a later one may start if it
 * ends before enough nodes are free for the first, or fits beside it then. examples/server/ has more policies. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "svg.h"

enum { NODES = 4, JOBS = 3, COLUMNS = 5 };

typedef struct job {
    const char *name;
    double submit, seconds, begin, end; /* [s]; here a job runs as long as it says */
    int nodes, on[NODES];               /* how many, and which it gets */
    bool runs;
} job;

static struct cluster {
    bool easy, taken[NODES];
    job jobs[JOBS], *waiting[JOBS]; /* waiting: in order of submission */
    int queue, idle;
} c;

static void ends(simkit_world *world, void *user);
static void start(simkit_world *world, int place)
{
    job *j = c.waiting[place];
    for (int k = place + 1; k < c.queue; ++k) c.waiting[k - 1] = c.waiting[k];
    --c.queue;
    j->runs = true;
    j->begin = simkit_clock_now(world);
    j->end = j->begin + j->seconds;
    for (int node = 0, got = 0; got < j->nodes; ++node)
        if (!c.taken[node]) c.taken[j->on[got++] = node] = true;
    c.idle -= j->nodes;
    if (simkit_step_at(world, j->end, 0, ends, j, NULL) != SIMKIT_OK) simkit_world_stop(world);
}

/* When the first job that waits can start, and how many nodes are idle then. */
static double reservation(int *idle)
{
    double time = 0;
    for (*idle = c.idle; *idle < c.waiting[0]->nodes;) {
        const job *next = NULL;
        for (const job *j = c.jobs; j < c.jobs + JOBS; ++j)
            if (j->runs && j->end > time && (!next || j->end < next->end)) next = j;
        time = next->end;
        for (const job *j = c.jobs; j < c.jobs + JOBS; ++j) *idle += j->runs && j->end == time ? j->nodes : 0;
    }
    return time;
}

static void schedule(simkit_world *world)
{
    while (c.queue > 0 && c.waiting[0]->nodes <= c.idle) start(world, 0);
    for (int k = 1; c.easy && k < c.queue; ++k) {
        const job *j = c.waiting[k];
        int then;
        const bool before = simkit_clock_now(world) + j->seconds <= reservation(&then);
        if (j->nodes <= c.idle && (before || j->nodes <= then - c.waiting[0]->nodes)) start(world, k--);
    }
}

static void ends(simkit_world *world, void *user)
{
    job *j = (job *)user;
    for (int k = 0; k < j->nodes; ++k) c.taken[j->on[k]] = false;
    c.idle += j->nodes;
    j->runs = false;
    schedule(world);
}

static void submits(simkit_world *world, void *user)
{
    c.waiting[c.queue++] = (job *)user;
    schedule(world);
}

static void show(svg *s)
{
    char chart[NODES][10 * COLUMNS + 1];
    memset(chart, ' ', sizeof chart);
    printf("%s\n  job   submitted   nodes   waits   runs from      to\n", c.easy ? "EASY" : "FCFS");
    for (const job *j = c.jobs; j < c.jobs + JOBS; ++j) {
        printf("  %-3s %9.0f s %7d %5.0f s %9.0f s %5.0f s\n", j->name, j->submit, j->nodes, j->begin - j->submit,
               j->begin, j->end);
        for (int k = 0; k < j->nodes; ++k) {
            const double row = NODES * c.easy + j->on[k];
            svg_box(s, j->begin, row + 0.05, j->end, row + 0.95, svg_colours[j - c.jobs]);
            memset(&chart[j->on[k]][(int)j->begin * COLUMNS], *j->name, (size_t)(j->end - j->begin) * COLUMNS);
        }
    }
    for (int i = 0; i < NODES; ++i) printf("  node %d |%.*s|\n", i, 10 * COLUMNS, chart[i]);
    printf("          0%49s\n\n", "10 s");
}

int main(int argc, char **argv)
{
    static const char *const rows[] = { "FCFS, node 0", "1", "2", "3", "EASY, node 0", "1", "2", "3" };
    svg s;
    svg_open(&s, svg_asked(argc, argv), "Three jobs, four nodes: a short job fills the gap", 860, 400);
    svg_plot(&s, 120, 640, (svg_axis){ .label = "time [s]", .to = 10 },
             (svg_axis){ .rows = true, .to = 2 * NODES, .names = rows });
    for (int easy = 0; easy < 2; ++easy) {
        const job a = { "a", 0, 4, .nodes = 3 }, b = { "b", 1, 3, .nodes = 4 }, d = { "c", 2, 2, .nodes = 1 };
        simkit_world *world;
        c = (struct cluster){ .easy = easy, .idle = NODES, .jobs = { a, b, d } };
        if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), 1;
        for (job *j = c.jobs; j < c.jobs + JOBS; ++j)
            if (simkit_step_at(world, j->submit, 1, submits, j, NULL) != SIMKIT_OK)
                return fprintf(stderr, "%s\n", simkit_world_why(world)), 1;
        if (simkit_world_run(world) != SIMKIT_OK) return fprintf(stderr, "%s\n", simkit_world_why(world)), 1;
        simkit_world_close(world);
        show(&s);
    }
    for (int i = 0; i < JOBS; ++i) svg_legend(&s, SVG_AREA, svg_colours[i], c.jobs[i].name);
    return !svg_close(&s);
}
