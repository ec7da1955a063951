/* A runtime written for threads: does it run on the virtual clock, unchanged?
 * cc -O2 -DSIMKIT_STATIC -I. examples/embed.c -o embed -lm && ./embed
 *
 * The runtime below runs a graph of tasks on a pool of workers. It asks three things of its platform: block a worker,
 * wake one, run a task. With threads these are a condition variable and a call. Here a worker is a process, and a task is
 * an operation: run and measured three times, then only charged. The graph is a binary tree of equal tasks, from the
 * leaves to the root; where the number of workers is a power of two, it takes a task's time * sum of ceil(2^level / workers). */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <math.h>

enum { LEVELS = 8, TASKS = (1 << LEVELS) - 1, MOST = 16 };

/* The runtime: nothing in it knows of simkit. Task i needs tasks 2 i + 1 and 2 i + 2. */
typedef struct runtime {
    void (*block)(void *platform), (*wake)(void *platform, int worker), (*run)(void *platform, int task);
    int ready[TASKS], head, tail, done; /* a queue of tasks */
    int arrived[TASKS];                 /* how many of its two the task has */
    int idle[MOST], sleepers;
} runtime;

static void runtime_worker(runtime *r, int worker, void *platform)
{
    while (r->done < TASKS) {
        if (r->head == r->tail) {
            r->idle[r->sleepers++] = worker;
            r->block(platform);
            continue;
        }
        const int task = r->ready[r->head++];
        r->run(platform, task);
        if (++r->done < TASKS && ++r->arrived[(task - 1) / 2] == 2) r->ready[r->tail++] = (task - 1) / 2;
        for (int wanted = r->done < TASKS ? r->tail - r->head : MOST; wanted > 0 && r->sleepers > 0; --wanted)
            r->wake(platform, r->idle[--r->sleepers]);
    }
}

/* Its platform: a world. */
typedef struct platform {
    runtime *runtime;
    simkit_world *world;
    simkit_operation task;
    simkit_process worker[MOST];
    int started, looks;
    size_t stack; /* the most that a worker has used [B] */
} platform;

static void block(void *user)
{
    platform *p = (platform *)user;
    if (simkit_process_suspend(p->world, "a task") != SIMKIT_OK) simkit_world_stop(p->world);
}

static void wake(void *user, int worker)
{
    platform *p = (platform *)user;
    if (simkit_process_resume(p->world, p->worker[worker]) != SIMKIT_OK) simkit_world_stop(p->world);
}

static void body(void *argument) /* what a task does; here, nothing */
{
    (void)argument;
}

static void run(void *user, int task)
{
    platform *p = (platform *)user;
    double seconds;
    if (simkit_operation_run(p->world, p->task, 0, body, &task, &seconds) != SIMKIT_OK ||
        simkit_process_compute(p->world, &(simkit_computation_desc){ .seconds = seconds }, NULL) != SIMKIT_OK)
        simkit_world_stop(p->world);
}

static void worker(simkit_world *world, void *user)
{
    platform *p = (platform *)user;
    const int number = p->started++;
    size_t used;
    p->worker[number] = simkit_process_self(world);
    runtime_worker(p->runtime, number, p);
    simkit_process_stack(world, p->worker[number], &used);
    p->stack = used > p->stack ? used : p->stack;
}

static double processor_time(void *user) /* in place of this machine's, to be the same each time: a task takes 5 ms */
{
    return ((platform *)user)->looks++ * 5e-3;
}

int main(void)
{
    bool equal = true;
    printf("workers   predicted   theory     speedup   tasks run   charged only\n");
    for (int workers = 1; workers <= MOST; workers *= 2) {
        static runtime r;
        platform p = { .runtime = &r };
        double theory = 0;
        r = (runtime){ .block = block, .wake = wake, .run = run };
        for (int leaf = TASKS / 2; leaf < TASKS; ++leaf) r.ready[r.tail++] = leaf;
        for (int level = 0; level < LEVELS; ++level) theory += 5e-3 * ceil((double)(1 << level) / workers);
        const simkit_world_desc desc = { .processor_time = processor_time, .processor_time_user = &p };
        const simkit_operation_desc task = { .name = "task", .policy = SIMKIT_POLICY_MEASURE, .first = 3 };
        simkit_process_desc pool = { .body = worker, .user = &p, .measure_stack = true };
        if (simkit_world_open(&desc, &p.world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), 1;
        bool fine = simkit_node_add(p.world, &(simkit_node_desc){ .cores = MOST }, &pool.node) == SIMKIT_OK &&
                    simkit_operation_add(p.world, &task, &p.task) == SIMKIT_OK;
        for (int i = 0; i < workers; ++i) fine = fine && simkit_process_start(p.world, &pool, NULL) == SIMKIT_OK;
        if (!fine || simkit_world_run(p.world) != SIMKIT_OK)
            return fprintf(stderr, "%s\n", simkit_world_why(p.world)), 1;
        const double took = simkit_clock_now(p.world);
        const simkit_operation_tally tally = simkit_operation_progress(p.world, p.task);
        printf("%7d %9.3f s %7.3f s %10.2f %11lu %14lu\n", workers, took, theory, TASKS * 5e-3 / took,
               (unsigned long)tally.runs, (unsigned long)tally.reused);
        equal = equal && fabs(took / theory - 1) < 1e-9 && p.stack > 0 && p.stack < 65536;
        simkit_world_close(p.world);
    }
    printf("\n%s\n", equal ? "predicted and theory are equal" : "PREDICTED AND THEORY DIFFER");
    return !equal;
}
