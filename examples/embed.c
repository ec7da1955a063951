/* A runtime written for threads: does it run on the virtual clock, unchanged?
 * cc -O2 -DSIMKIT_STATIC -I. examples/embed.c -o embed -lm && ./embed
 *
 * The runtime below runs a tree of tasks on a pool of workers, with a mutex and a condition. Here they are simkit's, a
 * worker is a process, and a task is an operation: run and measured three times, then only charged. From the leaves to the
 * root, a power of two of workers takes a task's time * sum of ceil(2^level / workers). */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

#include <math.h>

enum { LEVELS = 8, TASKS = (1 << LEVELS) - 1, MOST = 16 };

/* What the runtime needs of its platform. */
static void platform_lock(void), platform_unlock(void);
static void platform_wait(void), platform_signal(void); /* for work, unlocking meanwhile; to one that waits */
static void platform_run(int task);

/* The runtime: nothing in it knows of simkit. Task i needs tasks 2 i + 1 and 2 i + 2. */
typedef struct runtime {
    int ready[TASKS], head, tail, done; /* a queue of tasks */
    int arrived[TASKS];                 /* how many of its two the task has */
} runtime;

static void runtime_worker(runtime *r)
{
    platform_lock();
    for (;;) {
        while (r->head == r->tail && r->done < TASKS) platform_wait();
        if (r->done == TASKS) break;
        const int task = r->ready[r->head++];
        platform_unlock();
        platform_run(task);
        platform_lock();
        if (++r->done < TASKS && ++r->arrived[(task - 1) / 2] == 2) r->ready[r->tail++] = (task - 1) / 2;
        if (r->tail > r->head) platform_signal();
    }
    platform_signal(); /* the next one ends as well */
    platform_unlock();
}

/* Its platform: a world. */
static simkit_world *world;
static simkit_operation operation;
static simkit_resource mutex;
static simkit_condition work;

typedef struct worker { /* the user pointer of its process */
    runtime *runtime;
    int tasks;    /* that it has run */
    size_t stack; /* used [B] */
} worker;

static void check(simkit_result result) /* if a call has failed, the run ends, and the process ends here */
{
    if (result) simkit_world_stop(world), result = simkit_process_kill(world, simkit_process_self(world));
}

static void platform_lock(void)
{
    check(simkit_process_acquire(world, mutex, 1, 0));
}

static void platform_unlock(void)
{
    check(simkit_resource_release(world, mutex, 1));
}

static void platform_wait(void)
{
    check(simkit_process_listen(world, work, mutex));
}

static void platform_signal(void)
{
    check(simkit_condition_signal(world, work));
}

static void body(void *argument) /* what a task does; here, nothing */
{
    (void)argument;
}

static void platform_run(int task)
{
    double seconds = 0;
    check(simkit_operation_run(world, operation, 0, body, &task, &seconds));
    check(simkit_process_compute(world, &(simkit_computation_desc){ .seconds = seconds }, NULL));
    ++((worker *)simkit_process_user(world, 0))->tasks; /* of the process that runs now */
}

static void begin(simkit_world *w, void *user)
{
    runtime_worker(((worker *)user)->runtime);
    simkit_process_stack(w, simkit_process_self(w), &((worker *)user)->stack);
}

static double processor_time(void *user) /* in place of this machine's, to be the same each time: a task takes 5 ms */
{
    return (*(int *)user)++ * 5e-3;
}

int main(void)
{
    bool equal = true;
    printf("workers   predicted   theory     speedup   tasks run   charged only\n");
    for (int workers = 1; workers <= MOST; workers *= 2) {
        worker pool[MOST] = { { 0 } };
        runtime r = { .head = 0 };
        double theory = 0;
        int looks = 0, tasks = 0;
        for (int leaf = TASKS / 2; leaf < TASKS; ++leaf) r.ready[r.tail++] = leaf;
        for (int level = 0; level < LEVELS; ++level) theory += 5e-3 * ceil((double)(1 << level) / workers);
        const simkit_world_desc desc = { .processor_time = processor_time, .processor_time_user = &looks };
        const simkit_operation_desc task = { .name = "task", .policy = SIMKIT_POLICY_MEASURE, .first = 3 };
        simkit_process_desc process = { .body = begin, .measure_stack = true };
        simkit_result result = simkit_world_open(&desc, &world);
        if (!result) result = simkit_node_add(world, &(simkit_node_desc){ .cores = MOST }, &process.node);
        if (!result) result = simkit_operation_add(world, &task, &operation);
        if (!result) result = simkit_resource_open(world, NULL, &mutex);
        if (!result) result = simkit_condition_open(world, "work", &work);
        for (int i = 0; i < workers && !result; ++i)
            pool[i].runtime = &r, process.user = &pool[i], result = simkit_process_start(world, &process, NULL);
        if (!result) result = simkit_world_run(world);
        if (result) return fprintf(stderr, "%s\n", world ? simkit_world_why(world) : simkit_result_text(result)), 1;
        const double took = simkit_clock_now(world);
        const simkit_operation_tally tally = simkit_operation_progress(world, operation);
        printf("%7d %9.3f s %7.3f s %10.2f %11lu %14lu\n", workers, took, theory, TASKS * 5e-3 / took,
               (unsigned long)tally.runs, (unsigned long)tally.reused);
        for (int i = 0; i < workers; ++i) tasks += pool[i].stack < 65536 ? pool[i].tasks : -TASKS;
        equal = equal && fabs(took / theory - 1) < 1e-9 && tasks == TASKS;
        simkit_world_close(world);
    }
    printf("\n%s\n", equal ? "predicted and theory are equal" : "PREDICTED AND THEORY DIFFER");
    return !equal;
}
