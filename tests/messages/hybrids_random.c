/* hybrids_random.c - each thread plays at random on a communicator and a window of its own; all ranks draw the same numbers. */
#include "hybrids.h"

#ifndef SEED
#define SEED 1 /* of the first play; others by -D, to compare with Open MPI */
#endif
enum { PLAYS = 2, STEPS = 40, LONGEST = 3000 };

typedef struct player {
    MPI_Comm comm;
    MPI_Win window;
    int *shown;
    unsigned drawn, sum;
    int out[LONGEST], in[LONGEST];
} player;

static player players[THREADS];

static int draw(player *p, int below)
{
    p->drawn = p->drawn * 1103515245u + 12345u;
    return (int)((p->drawn >> 16) % (unsigned)below);
}

/* Folds numbers into the sum that is printed. */
static void fold(player *p, const int *numbers, int count)
{
    for (int i = 0; i < count; ++i) p->sum = (p->sum ^ (unsigned)numbers[i]) * 16777619u;
}

static void pass_around(player *p, int count, int way)
{
    const int step = 1 + draw(p, np), to = (me + step) % np, from = (me + np * step - step) % np;
    int flag = 0;
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;

    switch (way) {
    case 0: MPI_Sendrecv(p->out, count, MPI_INT, to, 1, p->in, LONGEST, MPI_INT, from, 1, p->comm, &status); break;
    case 1:
        MPI_Irecv(p->in, LONGEST, MPI_INT, from, 2, p->comm, &requests[0]);
        MPI_Issend(p->out, count, MPI_INT, to, 2, p->comm, &requests[1]);
        while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        break;
    case 2:
        MPI_Isend(p->out, count, MPI_INT, to, 3, p->comm, &requests[0]);
        MPI_Mprobe(from, MPI_ANY_TAG, p->comm, &message, &status);
        MPI_Mrecv(p->in, LONGEST, MPI_INT, &message, &status);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        fold(p, &status.MPI_SOURCE, 1);
        break;
    default:
        MPI_Isend(p->out, count, MPI_INT, to, 4, p->comm, &requests[0]);
        while (!flag) MPI_Iprobe(from, MPI_ANY_TAG, p->comm, &flag, &status);
        MPI_Recv(p->in, LONGEST, MPI_INT, from, status.MPI_TAG, p->comm, &status);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    fold(p, p->in, count);
}

static void call_together(player *p, int count, int way)
{
    const int root = draw(p, np);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm other;

    switch (way) {
    case 0: MPI_Allreduce(p->out, p->in, count, MPI_INT, MPI_BXOR, p->comm); break;
    case 1: MPI_Iallreduce(p->out, p->in, count, MPI_INT, MPI_MAX, p->comm, &request); break;
    case 2: MPI_Scan(p->out, p->in, count, MPI_INT, MPI_BXOR, p->comm); break;
    case 3:
        memcpy(p->in, p->out, (size_t)count * sizeof(int));
        MPI_Bcast(p->in, count, MPI_INT, root, p->comm);
        break;
    case 4:
        memcpy(p->in, p->out, (size_t)count * sizeof(int));
        MPI_Ibcast(p->in, count, MPI_INT, root, p->comm, &request);
        break;
    case 5: MPI_Alltoall(p->out, count / np, MPI_INT, p->in, count / np, MPI_INT, p->comm); break;
    case 6: MPI_Iallgather(p->out, count / np, MPI_INT, p->in, count / np, MPI_INT, p->comm, &request); break;
    default:
        MPI_Comm_split(p->comm, me % 2, me, &other);
        MPI_Allreduce(p->out, p->in, count, MPI_INT, MPI_BXOR, other);
        MPI_Comm_free(&other);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fold(p, p->in, count / np);
}

static void access_windows(player *p, int count, int way)
{
    const int to = draw(p, np), one = 1;
    int before = 0;

    switch (way) {
    case 0:
        MPI_Win_fence(0, p->window);
        MPI_Put(p->out, count, MPI_INT, (me + to) % np, 0, count, MPI_INT, p->window);
        MPI_Win_fence(0, p->window);
        fold(p, p->shown, count);
        break;
    case 1:
        MPI_Win_lock(MPI_LOCK_SHARED, (me + to) % np, 0, p->window);
        MPI_Get(p->in, count, MPI_INT, (me + to) % np, 0, count, MPI_INT, p->window);
        MPI_Win_unlock((me + to) % np, p->window);
        MPI_Barrier(p->comm);
        fold(p, p->in, count);
        break;
    default:
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, p->window);
        MPI_Accumulate(&one, 1, MPI_INT, to, LONGEST, 1, MPI_INT, MPI_SUM, p->window);
        MPI_Win_unlock(to, p->window);
        MPI_Barrier(p->comm);
        MPI_Win_lock(MPI_LOCK_SHARED, to, 0, p->window);
        MPI_Get(&before, 1, MPI_INT, to, LONGEST, 1, MPI_INT, p->window);
        MPI_Win_unlock(to, p->window);
        MPI_Barrier(p->comm);
        fold(p, &before, 1);
    }
}

static void play(int thread)
{
    player *p = &players[thread];

    for (int step = 0; step < STEPS; ++step) {
        const int kind = draw(p, 4), count = 1 + draw(p, draw(p, 2) ? 10 : LONGEST), way = draw(p, 24);
        for (int i = 0; i < count; ++i) p->out[i] = (int)(p->sum % 1000) + 7 * me + i;
        if (kind < 2)
            pass_around(p, count, way % 4);
        else if (kind == 2)
            call_together(p, count, way % 8);
        else
            access_windows(p, count, way % 3);
    }
    note(thread, "%08x", p->sum);
}

static void random_plays(void)
{
    for (int i = 0; i < THREADS; ++i) {
        player *p = &players[i];
        MPI_Comm_dup(own[i], &p->comm);
        MPI_Win_allocate((LONGEST + 1) * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, own[i], &p->shown, &p->window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, p->window);
        memset(p->shown, 0, (LONGEST + 1) * sizeof(int));
        MPI_Win_unlock(me, p->window);
        MPI_Barrier(own[i]);
    }
    for (int k = 0; k < PLAYS; ++k) {
        for (int i = 0; i < THREADS; ++i) {
            players[i].drawn = (unsigned)(1000 * (SEED + k) + i);
            players[i].sum = 1;
        }
        each(play);
    }
    for (int i = 0; i < THREADS; ++i) {
        MPI_Win_free(&players[i].window);
        MPI_Comm_free(&players[i].comm);
    }
}

const conform_case hybrids_random[] = { CASE(random_plays, 2), NO_MORE_CASES };
