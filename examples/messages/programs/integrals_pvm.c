/* The bag of integrals with a master and workers, over PVM: the master spawns its own program, and each answer of a
 * worker requests the next task. PVM has no clock, so times are those of gettimeofday(). */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 600 /* realpath */
#endif
#include <pvm3.h>

#include "integrals.h"

#include <sys/time.h>

enum { INTEGRALS_SETUP = 1, INTEGRALS_TASK, INTEGRALS_END, INTEGRALS_ANSWER, INTEGRALS_WORKERS = 4096 };

static double integrals_clock(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

/*=============================================================================
 * MARK: - >>worker
 *===========================================================================*/
/* Sends an answer; < 0 if that fails. */
static int integrals_answer(int master, int index, integrals_result result)
{
    if (pvm_initsend(PvmDataRaw) < 0 || pvm_pkint(&index, 1, 1) < 0 || pvm_pkdouble(&result.value, 1, 1) < 0 ||
        pvm_pkdouble(&result.error, 1, 1) < 0 || pvm_pkdouble(&result.evaluations, 1, 1) < 0)
        return -1;
    return pvm_send(master, INTEGRALS_ANSWER);
}

static int integrals_worker(int master)
{
    integrals_options o;
    argument list[INTEGRALS_OPTIONS];
    int index = -1; /* no result yet */

    integrals_begin(&o, list);
    if (pvm_recv(master, INTEGRALS_SETUP) < 0 || pvm_upkint(&o.points, 1, 1) < 0 || pvm_upkint(&o.scale, 1, 1) < 0 ||
        pvm_upkdouble(&o.tau, 1, 1) < 0)
        return 1;
    quadrature *q = quadrature_open(&o);
    if (!q) {
        fprintf(stderr, "integrals_pvm: no memory in a worker\n");
        return 1;
    }
    int failed = integrals_answer(master, index, (integrals_result){ 0, 0, 0 });
    while (failed >= 0) {
        integrals_task task;
        int tag, bytes, sender;
        const int message = pvm_recv(master, -1);
        if (message < 0 || pvm_bufinfo(message, &bytes, &tag, &sender) < 0 || tag != INTEGRALS_TASK) break;
        if (pvm_upkint(&index, 1, 1) < 0 || pvm_upkint(&task.family, 1, 1) < 0 || pvm_upkdouble(&task.alpha, 1, 1) < 0)
            failed = -1;
        else
            failed = integrals_answer(master, index, quadrature_integrate(q, task));
    }
    quadrature_close(q);
    return failed < 0;
}

/*=============================================================================
 * MARK: - >>master
 *===========================================================================*/
/* Sends the next task, padded to the requested size, or the end, to a worker; < 0 if that fails. */
static int integrals_send(const integrals_options *o, const integrals_task *tasks, int next, int worker, char *padding)
{
    if (pvm_initsend(PvmDataRaw) < 0) return -1;
    if (next < o->tasks) {
        integrals_task task = tasks[next];
        if (pvm_pkint(&next, 1, 1) < 0 || pvm_pkint(&task.family, 1, 1) < 0 || pvm_pkdouble(&task.alpha, 1, 1) < 0 ||
            pvm_pkbyte(padding, o->bytes - (int)(2 * sizeof(int) + sizeof(double)), 1) < 0)
            return -1;
    }
    return pvm_send(worker, next < o->tasks ? INTEGRALS_TASK : INTEGRALS_END);
}

/* Receives the next answer; returns its worker, or an error < 0. */
static int integrals_receive(const integrals_options *o, integrals_result *results)
{
    const int message = pvm_recv(-1, INTEGRALS_ANSWER);
    integrals_result result;
    int index, bytes, tag, worker;
    if (message < 0) return message;
    if (pvm_bufinfo(message, &bytes, &tag, &worker) < 0) return -1;
    if (pvm_upkint(&index, 1, 1) < 0 || pvm_upkdouble(&result.value, 1, 1) < 0 ||
        pvm_upkdouble(&result.error, 1, 1) < 0 || pvm_upkdouble(&result.evaluations, 1, 1) < 0 || index >= o->tasks)
        return -1;
    if (index >= 0) results[index] = result;
    return worker;
}

/* Deals the tasks; returns the time since all workers had sent their first request, or < 0 if a message fails. */
static double integrals_master(const integrals_options *o, const integrals_task *tasks, integrals_result *results,
                               int workers, char *padding)
{
    int *asked = (int *)calloc((size_t)workers, sizeof *asked), next = 0, working = workers;
    for (int i = 0; i < workers && asked; ++i) asked[i] = integrals_receive(o, results);
    double begin = integrals_clock();
    for (int i = 0; working > 0 && asked; ++i) {
        const int worker = i < workers ? asked[i] : integrals_receive(o, results);
        if (worker < 0 || integrals_send(o, tasks, next, worker, padding) < 0) break;
        if (next == o->tasks)
            --working;
        else
            ++next;
    }
    free(asked);
    return working > 0 ? -1 : integrals_clock() - begin;
}

/* Spawns the workers; returns whether all run. */
static int integrals_spawn(const integrals_options *o, const char *program, int workers, int *tids)
{
    char *path = realpath(program, NULL); /* daemons have another working directory */
    integrals_options copy = *o;
    const int started = pvm_spawn(path ? path : (char *)(uintptr_t)program, NULL, PvmTaskDefault, NULL, workers, tids);

    free(path);
    for (int i = 0; i < started && started < workers; ++i) pvm_kill(tids[i]);
    if (started < workers) {
        fprintf(stderr, "integrals_pvm: %d of %d workers were started\n", started > 0 ? started : 0, workers);
        return 0;
    }
    if (pvm_initsend(PvmDataRaw) < 0 || pvm_pkint(&copy.points, 1, 1) < 0 || pvm_pkint(&copy.scale, 1, 1) < 0 ||
        pvm_pkdouble(&copy.tau, 1, 1) < 0)
        return 0;
    return pvm_mcast(tids, workers, INTEGRALS_SETUP) >= 0;
}

/* Returns the exit status. */
static int integrals_run(const integrals_options *o, const char *program, int workers)
{
    integrals_task *tasks = integrals_bag(o);
    integrals_result *results = (integrals_result *)calloc((size_t)o->tasks, sizeof *results);
    int *tids = (int *)calloc((size_t)workers, sizeof *tids), good = 0;
    char *padding = (char *)calloc((size_t)o->bytes, 1);
    double seconds = -1;
    if (!tasks || !results || !tids || !padding)
        fprintf(stderr, "integrals_pvm: no memory\n");
    else if (integrals_spawn(o, program, workers, tids))
        seconds = integrals_master(o, tasks, results, workers, padding);
    if (seconds >= 0) {
        good = integrals_report(o, tasks, results);
        if (!good) fprintf(stderr, "integrals_pvm: the check failed\n");
        printf("time %.6f s\n", seconds);
    }
    free(tasks);
    free(results);
    free(tids);
    free(padding);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *program = argv[0];
    integrals_options o;
    argument list[INTEGRALS_OPTIONS + 2];
    char why[200];
    int workers = 4;
    integrals_begin(&o, list);
    list[INTEGRALS_OPTIONS] =
        (argument){ .name = "--workers", .number = &workers, .least = 1, .most = INTEGRALS_WORKERS };
    list[INTEGRALS_OPTIONS + 1] = (argument){ .name = "--program", .words = &program };
    argument_answer answer = arguments_read(argc, argv, 1, list, INTEGRALS_OPTIONS + 2, why);
    if (answer == ARGUMENTS_GOOD && integrals_wrong(&o, why)) answer = ARGUMENTS_WRONG;
    if (answer == ARGUMENTS_HELP)
        printf("usage: integrals_pvm [OPTION VALUE]...\nA bag of definite integrals, a master and workers.\n"
               "  --workers N      number of workers to spawn; default: 4\n"
               "  --program FILE   the program of the workers, at the same path on all hosts; default: this one\n%s",
               integrals_usage);
    if (answer == ARGUMENTS_WRONG) fprintf(stderr, "integrals_pvm: %s\n", why);
    if (answer != ARGUMENTS_GOOD) return answer == ARGUMENTS_HELP ? 0 : 2;
    if (pvm_mytid() < 0) {
        fprintf(stderr, "integrals_pvm: no PVM daemon is running\n");
        return 1;
    }
    int parent = pvm_parent();
    int status = parent > 0 ? integrals_worker(parent) : integrals_run(&o, program, workers);
    pvm_exit();
    return status;
}
