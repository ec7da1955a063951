/* ranks.c - the same sweep on the ranks of an MPI program: rank 0 deals batches of runs, and makes some itself
 *
 * Every other rank has two batches at a time, so it never waits for the next one. It sends lines of results, which rank 0
 * writes. Nobody waits in MPI itself, which would take a core: who has nothing to do looks for messages, and sleeps. */
#define _POSIX_C_SOURCE 200809L
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool sweep_ranks_asked(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK" };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (getenv(names[i])) return true;
    return false;
}

#ifndef SWEEP_MPI

bool sweep_ranks_open(int *count, char ***arguments, int *rank)
{
    (void)count, (void)arguments;
    *rank = 0;
    fputs("sweep: this program was built without MPI: install it (Debian: apt-get install openmpi-bin libopenmpi-dev), "
          "then "
          "remove build/sweep and make it again\n",
          stderr);
    return false;
}

bool sweep_ranks_run(sweep *s, const sweep_run_desc *desc)
{
    return sweep_run(s, desc);
}

bool sweep_ranks_work(sweep *s)
{
    return sweep_says(s, "built without MPI");
}

void sweep_ranks_close(bool failed)
{
    (void)failed;
}

#else

#include <mpi.h>

/* RUNS: an array of runs, empty at the end. LINES: what a rank reports, then lines of results. */
enum { RUNS = 1, LINES = 2, AHEAD = 2 };

/* Runs in a batch: their message is short enough to be sent at once, while the other side computes. */
enum { MOST = 4096 };

/* What precedes the lines of a batch. */
typedef struct report {
    uint64_t context; /* hash of the sweep: all ranks must have the same */
    uint64_t runs;    /* in the batch; 0: the rank has just begun */
    double seconds;   /* that it took */
} report;

/* Rank 0's view of the others. */
typedef struct dealer {
    sweep *s;
    int ranks, gone; /* all; those that have been told the end */
    unsigned *ahead; /* ahead[ranks]: batches that each has */
    report *last;    /* last[ranks] */
    bool *ended;     /* ended[ranks]: it has been told */
    uint64_t *run;   /* run[MOST] */
    char *message;   /* message[size] */
    size_t size;
} dealer;

static void nap(void)
{
    nanosleep(&(struct timespec){ 0, 500000 }, NULL);
}

bool sweep_ranks_open(int *count, char ***arguments, int *rank)
{
    int provided;
    MPI_Init_thread(count, arguments, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return true;
}

void sweep_ranks_close(bool failed)
{
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
}

/* Deals to a rank what it may have; tells it the end when nothing can come any more. */
static void feed(dealer *d, int rank)
{
    while (d->ahead[rank] < AHEAD && !d->ended[rank]) {
        const report *last = &d->last[rank];
        const size_t wanted =
            sweep_batch(last->runs > 0 ? last->seconds : 0, (size_t)last->runs, d->s->missing, (size_t)d->ranks);
        const size_t count = sweep_deal(d->s, d->run, wanted < MOST ? wanted : MOST);
        if (count == 0 && (d->ahead[rank] > 0 || d->s->dealt > 0 || d->s->missing > 0)) return;
        MPI_Send(d->run, (int)count, MPI_UINT64_T, rank, RUNS, MPI_COMM_WORLD);
        if (count == 0) {
            d->ended[rank] = true;
            d->gone++;
        } else {
            d->ahead[rank]++;
        }
    }
}

/* Takes a message that has come. */
static bool take(dealer *d, const MPI_Status *status)
{
    int length = 0, rank = status->MPI_SOURCE;
    MPI_Get_count(status, MPI_BYTE, &length);
    if ((size_t)length > d->size) {
        char *larger = (char *)realloc(d->message, (size_t)length);
        if (!larger) return sweep_says(d->s, "no memory for results");
        d->message = larger;
        d->size = (size_t)length;
    }
    MPI_Recv(d->message, length, MPI_BYTE, rank, LINES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    report *last = &d->last[rank];
    memcpy(last, d->message, sizeof *last);
    if (last->context != d->s->context)
        return sweep_says(
            d->s, "rank %d has another sweep file, machine file or input than rank 0: all need the same files", rank);
    if (last->runs > 0) d->ahead[rank]--;
    return (size_t)length == sizeof *last ||
           sweep_results_append(d->s, d->message + sizeof *last, (size_t)length - sizeof *last);
}

static bool turn(void *user, bool *failed)
{
    dealer *d = (dealer *)user;
    for (int there = 1; there && !*failed;) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, LINES, MPI_COMM_WORLD, &there, &status);
        if (there && !take(d, &status)) *failed = true;
    }
    for (int rank = 1; rank < d->ranks && !*failed; ++rank)
        if (d->last[rank].context != 0) feed(d, rank); /* it has begun */
    return d->gone + 1 < d->ranks && !*failed;
}

bool sweep_ranks_run(sweep *s, const sweep_run_desc *desc)
{
    dealer d = { .s = s };
    sweep_run_desc own = *desc;
    if (own.threads == 0) own.threads = 1; /* there is a rank for each core */
    MPI_Comm_size(MPI_COMM_WORLD, &d.ranks);
    d.ahead = (unsigned *)calloc((size_t)d.ranks, sizeof *d.ahead);
    d.last = (report *)calloc((size_t)d.ranks, sizeof *d.last);
    d.ended = (bool *)calloc((size_t)d.ranks, sizeof *d.ended);
    d.run = (uint64_t *)malloc(MOST * sizeof *d.run);
    const bool done = d.ahead && d.last && d.ended && d.run ? sweep_run_with(s, &own, turn, &d)
                                                            : sweep_says(s, "no memory for ranks");
    free(d.ahead);
    free(d.last);
    free(d.ended);
    free(d.run);
    free(d.message);
    return done;
}

bool sweep_ranks_work(sweep *s)
{
    sweep_maker m;
    uint64_t *run = (uint64_t *)malloc(MOST * sizeof *run);
    bool right = run && sweep_maker_open(&m, s);
    if (!right) {
        free(run);
        return sweep_says(s, "no memory for runs");
    }
    report told = { s->context, 0, 0 };
    MPI_Send(&told, (int)sizeof told, MPI_BYTE, 0, LINES, MPI_COMM_WORLD);
    for (;;) {
        MPI_Status status;
        int there = 0, count = 0;
        MPI_Iprobe(0, RUNS, MPI_COMM_WORLD, &there, &status);
        if (!there) {
            nap();
            continue;
        }
        MPI_Get_count(&status, MPI_UINT64_T, &count);
        MPI_Recv(run, count, MPI_UINT64_T, 0, RUNS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (count == 0) break;
        const double began = sweep_clock();
        m.line.length = 0;
        sweep_text_add(&m.line, (const char *)&told, sizeof told);
        for (int i = 0; i < count && right; ++i) right = sweep_maker_run(&m, run[i]);
        if (!right || m.line.length > INT32_MAX) {
            right = sweep_says(s, "no memory for the results of a batch");
            break;
        }
        told.runs = (uint64_t)count;
        told.seconds = sweep_clock() - began;
        memcpy(m.line.text, &told, sizeof told);
        MPI_Send(m.line.text, (int)m.line.length, MPI_BYTE, 0, LINES, MPI_COMM_WORLD);
    }
    sweep_maker_close(&m);
    free(run);
    return right;
}

#endif
