/* The bag of integrals with a master and workers, over MPI. Rank 0 has the bag and does not compute, unless it is the
 * only rank; each answer of a worker requests the next task. */
#include <mpi.h>

#include "integrals.h"

enum { INTEGRALS_TASK = 1, INTEGRALS_END, INTEGRALS_ANSWER, INTEGRALS_NUMBERS = 4 };

typedef struct integrals_message { /* the beginning of a message with a task */
    double index, family, alpha;
} integrals_message;

/* Sends the next task, or the end, to a worker. */
static void integrals_send(const integrals_options *o, const integrals_task *tasks, int next, int worker, char *buffer)
{
    if (next == o->tasks) {
        MPI_Send(buffer, 0, MPI_CHAR, worker, INTEGRALS_END, MPI_COMM_WORLD);
        return;
    }
    integrals_message message = (integrals_message){ next, tasks[next].family, tasks[next].alpha };
    memcpy(buffer, &message, sizeof message);
    MPI_Send(buffer, o->bytes, MPI_CHAR, worker, INTEGRALS_TASK, MPI_COMM_WORLD);
}

static void integrals_master(const integrals_options *o, const integrals_task *tasks, integrals_result *results,
                             int workers, char *buffer)
{
    int next = 0;
    while (workers > 0) {
        double answer[INTEGRALS_NUMBERS];
        MPI_Status status;
        MPI_Recv(answer, INTEGRALS_NUMBERS, MPI_DOUBLE, MPI_ANY_SOURCE, INTEGRALS_ANSWER, MPI_COMM_WORLD, &status);
        if (answer[0] >= 0) results[(int)answer[0]] = (integrals_result){ answer[1], answer[2], answer[3] };
        integrals_send(o, tasks, next, status.MPI_SOURCE, buffer);
        if (next == o->tasks)
            --workers;
        else
            ++next;
    }
}

static void integrals_worker(const integrals_options *o, quadrature *q, char *buffer)
{
    double answer[INTEGRALS_NUMBERS] = { -1, 0, 0, 0 }; /* no answer yet */

    for (;;) {
        integrals_message message;
        MPI_Status status;
        MPI_Send(answer, INTEGRALS_NUMBERS, MPI_DOUBLE, 0, INTEGRALS_ANSWER, MPI_COMM_WORLD);
        MPI_Recv(buffer, o->bytes, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == INTEGRALS_END) return;
        memcpy(&message, buffer, sizeof message);
        integrals_result result = quadrature_integrate(q, (integrals_task){ (int)message.family, message.alpha });
        answer[0] = message.index;
        answer[1] = result.value;
        answer[2] = result.error;
        answer[3] = result.evaluations;
    }
}

static void integrals_alone(const integrals_options *o, const integrals_task *tasks, integrals_result *results,
                            quadrature *q)
{
    for (int i = 0; i < o->tasks; ++i) results[i] = quadrature_integrate(q, tasks[i]);
}

/* Returns the exit status. */
static int integrals_run(const integrals_options *o, int rank, int np)
{
    integrals_task *tasks = rank == 0 ? integrals_bag(o) : NULL;
    integrals_result *results = rank == 0 ? (integrals_result *)calloc((size_t)o->tasks, sizeof *results) : NULL;
    quadrature *q = rank > 0 || np == 1 ? quadrature_open(o) : NULL;
    char *buffer = (char *)calloc((size_t)o->bytes, 1);
    int good = 1;
    if (!buffer || (rank == 0 ? !tasks || !results : !q) || (np == 1 && !q)) {
        fprintf(stderr, "integrals: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    if (np == 1)
        integrals_alone(o, tasks, results, q);
    else if (rank == 0)
        integrals_master(o, tasks, results, np - 1, buffer);
    else
        integrals_worker(o, q, buffer);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - seconds;
    if (rank == 0) {
        good = integrals_report(o, tasks, results);
        if (!good) fprintf(stderr, "integrals: the check failed\n");
        printf("time %.6f s\n", seconds);
    }
    free(tasks);
    free(results);
    free(buffer);
    quadrature_close(q);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    integrals_options o;
    argument list[INTEGRALS_OPTIONS];
    char why[200];
    int rank, np;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    integrals_begin(&o, list);
    argument_answer answer = arguments_read(argc, argv, 1, list, INTEGRALS_OPTIONS, why);
    if (answer == ARGUMENTS_GOOD && integrals_wrong(&o, why)) answer = ARGUMENTS_WRONG;
    if (rank == 0 && answer == ARGUMENTS_HELP)
        printf("usage: integrals [OPTION VALUE]...\nA bag of definite integrals, a master and workers.\n%s",
               integrals_usage);
    if (rank == 0 && answer == ARGUMENTS_WRONG) fprintf(stderr, "integrals: %s\n", why);
    int status = answer == ARGUMENTS_GOOD ? integrals_run(&o, rank, np) : answer == ARGUMENTS_HELP ? 0 : 2;
    MPI_Finalize();
    return status;
}
