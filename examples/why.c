/* Why does this program take so long, and what would help?
 * cc -O2 -DSIMKIT_STATIC -I. examples/why.c -o why -lm && ./why
 *
 * A master prepares 24 tasks, sends each to the worker that asks for one, gets the results, and writes a report. The critical
 * path goes back from the end to what each event waited for. A change that shortens none of its reasons cannot help. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_trace.h"
#include "util/simkit_why.h"

#include <string.h>

enum { TASKS = 24, MOST = 8 };

typedef struct farm {
    const char *name;
    int workers;
    double speed, bandwidth; /* of the workers [1]; of all links [B/s] */
    simkit_node node[MOST + 1];
    simkit_mailbox wanted, results, tasks[MOST];
    simkit_result failed; /* of a call in a process; OK: none did */
} farm;

static farm *now; /* a worker is told which one it is by a pointer to its mailbox */

/* Whether a process has to end; where that is a mistake, the run ends with it. */
static bool ends(simkit_world *world, simkit_result result)
{
    if (result != SIMKIT_OK && result != SIMKIT_MAILBOX_CLOSED) now->failed = result, simkit_world_stop(world);
    return result != SIMKIT_OK;
}

static void master(simkit_world *world, void *user)
{
    farm *f = (farm *)user;
    simkit_computation_desc work = { .seconds = 0.02, .name = "prepare" };
    simkit_message message;

    for (int i = 0; i < TASKS; ++i) {
        if (ends(world, simkit_process_compute(world, &work, NULL))) return;
        if (ends(world, simkit_process_receive(world, f->wanted, &message))) return;
        simkit_post_desc task = { .from = f->node[0], .bytes = 3e6, .name = "task", .data = f };
        task.to = *(simkit_mailbox *)message.data;
        if (ends(world, simkit_mailbox_post(world, &task, NULL))) return;
    }
    for (int i = 0; i < TASKS; ++i)
        if (ends(world, simkit_process_receive(world, f->results, &message))) return;
    for (int i = 0; i < f->workers; ++i)
        if (ends(world, simkit_mailbox_close(world, f->tasks[i]))) return;
    work = (simkit_computation_desc){ .seconds = 0.5, .name = "report" };
    ends(world, simkit_process_compute(world, &work, NULL));
}

static void worker(simkit_world *world, void *user)
{
    simkit_mailbox *mine = (simkit_mailbox *)user;
    const simkit_computation_desc work = { .seconds = 0.5, .name = "work" };
    const simkit_post_desc want = { .to = now->wanted, .data = mine, .name = "request" };
    const simkit_post_desc result = { .to = now->results, .bytes = 1e4, .name = "result" };
    simkit_message task;

    while (!ends(world, simkit_process_send(world, &want, NULL)) &&
           !ends(world, simkit_process_receive(world, *mine, &task)) &&
           !ends(world, simkit_process_compute(world, &work, NULL)) &&
           !ends(world, simkit_process_send(world, &result, NULL)))
        continue;
}

/* What takes the time of each 64th of the run, and the head of the table. */
static void draw(const simkit_reason_piece *path, size_t count, double seconds)
{
    char line[65] = "";
    for (size_t i = 0, column = 0; i < count; ++i)
        for (; column < 64 && ((double)column + 0.5) * seconds / 64 < path[i].end; ++column)
            line[column] = "CcwltsT."[path[i].reason];
    printf("\n%s\nC computing  l latency  t transmission  s shared links\n\n", line);
    printf("%-28s %9s %12s\n", "", "time [s]", "efficiency");
}

/* Runs it; prints why it takes so long if asked to, and draws what it did. */
static bool run(farm *f, bool why, const char *svg)
{
    const simkit_world_desc network = { .latency = 100e-6 };
    simkit_world *world;
    simkit_reasons *reasons;
    simkit_trace *trace = NULL;
    const simkit_reason_piece *path;
    size_t count;

    now = f;
    if (simkit_world_open(&network, &world)) return fputs("no memory for a world\n", stderr), false;
    bool fine = !simkit_reasons_open(world, &reasons);
    const simkit_trace_desc picture = { .path = svg, .title = "A master and four workers" };
    fine = fine && (!svg || !simkit_trace_open(world, &picture, &trace));
    for (int i = 0; i <= f->workers && fine; ++i) {
        char name[20];
        snprintf(name, sizeof name, i == 0 ? "master" : "worker %d", i);
        const simkit_node_desc computer = {
            .name = name, .speed = i == 0 ? 1 : f->speed, .up_bandwidth = f->bandwidth, .down_bandwidth = f->bandwidth
        };
        fine = !simkit_node_add(world, &computer, &f->node[i]);
        if (i > 0) fine = fine && !simkit_mailbox_open(world, f->node[i], name, &f->tasks[i - 1]);
    }
    fine = fine && !simkit_mailbox_open(world, f->node[0], "wanted", &f->wanted) &&
           !simkit_mailbox_open(world, f->node[0], "results", &f->results);
    for (int i = 0; i <= f->workers && fine; ++i) {
        const simkit_process_desc process = { .name = i == 0 ? "deals out" : "works", .node = f->node[i],
                                              .body = i == 0 ? master : worker,
                                              .user = i == 0 ? (void *)f : (void *)&f->tasks[i - 1] };
        fine = !simkit_process_start(world, &process, NULL);
    }
    fine = fine && !simkit_world_run(world) && !f->failed && (!why || !simkit_reasons_write(reasons, stdout)) &&
           !simkit_reasons_path(reasons, &path, &count);
    const double seconds = simkit_clock_now(world);
    if (fine && why) draw(path, count, seconds);
    if (fine) printf("%-28s %9.2f %10.0f %%\n", f->name, seconds, 100 * simkit_reasons_efficiency(reasons));
    if (fine) fine = !simkit_trace_close(trace);
    if (!fine) fprintf(stderr, "%s\n", f->failed ? simkit_result_text(f->failed) : simkit_world_why(world));
    simkit_world_close(world);
    return fine;
}

int main(int argc, char **argv)
{
    farm farms[] = { { .name = "as it is, 4 workers", .workers = 4, .speed = 1, .bandwidth = 12.5e6 },
                     { .name = "8 workers", .workers = 8, .speed = 1, .bandwidth = 12.5e6 },
                     { .name = "workers twice as fast", .workers = 4, .speed = 2, .bandwidth = 12.5e6 },
                     { .name = "links twice as fast", .workers = 4, .speed = 1, .bandwidth = 25e6 } };
    const char *svg = argc == 3 && strcmp(argv[1], "--svg") == 0 ? argv[2] : NULL;
    for (int i = 0; i < 4; ++i)
        if (!run(&farms[i], i == 0, i == 0 ? svg : NULL)) return 1;
    return 0;
}
