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

bool sweep_ranks_agree(bool right)
{
    return right;
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

/* RUNS: an array of runs, empty at the end. LINES: what a rank reports, then lines of results. MOST: runs in a batch. */
enum { RUNS = 1, LINES = 2, AHEAD = 2, MOST = 4096 };

/* What precedes the lines of a batch. */
typedef struct report {
    uint64_t plan;  /* plan_of() the sweep: all ranks must have the same */
    uint64_t runs;  /* that were made, the first ones of the batch; 0: the rank has just begun */
    double seconds; /* that they took */
} report;

/* A batch that a rank has. Rank 0 must not wait until a message has been sent: the rank that is to receive it may be
 * waiting for rank 0 to take its results. */
typedef struct batch {
    uint64_t *run; /* run[MOST] */
    size_t count;
    MPI_Request sent;
} batch;

/* Another rank, as rank 0 sees it. */
typedef struct other {
    batch ahead[AHEAD];  /* in a circle */
    size_t first, count; /* the oldest of them; how many */
    report last;
    bool told; /* that this is the end */
    MPI_Request end;
} other;

/* Rank 0's view of the others. */
typedef struct dealer {
    sweep *s;
    uint64_t plan;
    int ranks, gone; /* all; those that have been told the end */
    other *other;    /* other[ranks] */
    char *message;   /* message[size] */
    size_t size;
} dealer;

/* A hash of everything that says what run a number is. */
static uint64_t plan_of(const sweep *s)
{
    double numbers[8] = { (double)s->design, (double)s->points, (double)s->base, (double)s->shift, (double)s->most };
    uint64_t hash = sweep_hash(s->context, s->header.text, s->header.length);
    hash = sweep_hash(hash, (const char *)numbers, sizeof numbers);
    for (size_t i = 0; i < s->parameters; ++i) {
        const sweep_parameter *p = &s->parameter[i];
        const double law[] = { (double)p->law, (double)p->whole, p->number[0], p->number[1], p->number[2] };
        hash = sweep_hash(hash, (const char *)law, sizeof law);
        hash = sweep_hash(hash, (const char *)p->values, p->count * sizeof *p->values);
        if (p->words) hash = sweep_hash(hash, (const char *)p->words, p->count * sizeof *p->words);
    }
    return hash;
}

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

bool sweep_ranks_agree(bool right)
{
    int all = right;
    MPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return all != 0;
}

void sweep_ranks_close(bool failed)
{
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
}

/* Deals to a rank what it may have; tells it the end when nothing can come any more. */
static bool feed(dealer *d, int rank)
{
    other *o = &d->other[rank];
    while (o->count < AHEAD && !o->told) {
        const size_t wanted = sweep_batch(o->last.seconds, (size_t)o->last.runs, d->s->missing, (size_t)d->ranks);
        batch *b = &o->ahead[(o->first + o->count) % AHEAD];
        if (!b->run) b->run = (uint64_t *)malloc(MOST * sizeof *b->run);
        if (!b->run) return sweep_says(d->s, "no memory for ranks");
        b->count = sweep_deal(d->s, b->run, wanted < MOST ? wanted : MOST);
        if (b->count == 0 && (d->s->dealt > 0 || d->s->missing > 0)) return true;
        if (b->count > 0) {
            MPI_Isend(b->run, (int)b->count, MPI_UINT64_T, rank, RUNS, MPI_COMM_WORLD, &b->sent);
            o->count++;
        } else {
            MPI_Isend(NULL, 0, MPI_UINT64_T, rank, RUNS, MPI_COMM_WORLD, &o->end);
            o->told = true;
            d->gone++;
        }
    }
    return true;
}

/* The oldest batch of a rank is done, or as much of it as the rank has made. */
static void done(dealer *d, other *o)
{
    batch *b = &o->ahead[o->first];
    const size_t made = o->last.runs < b->count ? (size_t)o->last.runs : b->count;
    MPI_Wait(&b->sent, MPI_STATUS_IGNORE); /* it has arrived, or there would be no results */
    sweep_deal_back(d->s, b->run + made, b->count - made);
    o->first = (o->first + 1) % AHEAD;
    o->count--;
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
    report *last = &d->other[rank].last;
    memcpy(last, d->message, sizeof *last);
    if (last->plan != d->plan)
        return sweep_says(
            d->s, "rank %d has another sweep file, machine file or input than rank 0: all need the same files", rank);
    if (last->runs > 0 && d->other[rank].count > 0) done(d, &d->other[rank]);
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
        if (d->other[rank].last.plan != 0 && !feed(d, rank)) *failed = true; /* it has begun */
    return d->gone + 1 < d->ranks && !*failed;
}

bool sweep_ranks_run(sweep *s, const sweep_run_desc *desc)
{
    dealer d = { .s = s, .plan = plan_of(s) };
    sweep_run_desc own = *desc;
    if (own.threads == 0) own.threads = 1; /* there is a rank for each core */
    MPI_Comm_size(MPI_COMM_WORLD, &d.ranks);
    d.other = (other *)calloc((size_t)d.ranks, sizeof *d.other);
    const bool made = d.other ? sweep_run_with(s, &own, turn, &d) : sweep_says(s, "no memory for ranks");
    for (int rank = 1; rank < d.ranks && made; ++rank) MPI_Wait(&d.other[rank].end, MPI_STATUS_IGNORE);
    for (int rank = 1; rank < d.ranks && made; ++rank) /* otherwise all is ended, with what MPI still sends */
        for (int i = 0; i < AHEAD; ++i) free(d.other[rank].ahead[i].run);
    free(d.other);
    free(d.message);
    return made;
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
    report told = { plan_of(s), 0, 0 };
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
        int made = 0;
        for (; made < count && right && sweep_clock() - began < SWEEP_PATIENCE; ++made)
            right = sweep_maker_run(&m, run[made]);
        if (!right || m.line.length > INT32_MAX) {
            right = sweep_says(s, "no memory for the results of a batch");
            break;
        }
        told.runs = (uint64_t)made;
        told.seconds = sweep_clock() - began;
        memcpy(m.line.text, &told, sizeof told);
        MPI_Send(m.line.text, (int)m.line.length, MPI_BYTE, 0, LINES, MPI_COMM_WORLD);
    }
    sweep_maker_close(&m);
    free(run);
    return right;
}

#endif
