/* hybrids_patterns.c - what larger programs do with threads: servers, progress loops, pipelines, tasks that end with a message. */
#include "hybrids.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { ITEMS = 8, STOP = 900 };

static void pause_a_moment(void)
{
    const struct timespec time = { 0, 20000 };

    nanosleep(&time, NULL);
}

/* All threads move all messages on, one at a time. */
static void progress_under_a_lock(void)
{
    int got[ITEMS], out[ITEMS], done = 0, sum = 0;
    MPI_Request requests[2 * ITEMS];

    for (int i = 0; i < ITEMS; ++i) {
        out[i] = 10 * me + i;
        MPI_Irecv(&got[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[ITEMS + i]);
    }
#pragma omp parallel
    for (int end = 0; !end;) {
#pragma omp critical
        {
            int count, indices[2 * ITEMS];
            if (done < 2 * ITEMS) MPI_Testsome(2 * ITEMS, requests, &count, indices, MPI_STATUSES_IGNORE);
            for (int i = 0; done < 2 * ITEMS && i < count; ++i)
                if (indices[i] < ITEMS) sum += got[indices[i]];
            if (done < 2 * ITEMS) done += count;
            end = done >= 2 * ITEMS;
        }
    }
    say("done %d sum %d", done, sum);
}

static void tasks_test_and_yield(void)
{
    int got[ITEMS];

#pragma omp parallel
#pragma omp single
    for (int i = 0; i < ITEMS; ++i)
#pragma omp task firstprivate(i) shared(got)
    {
        const int mine = 10 * me + i;
        int flag = 0;
        MPI_Request requests[2];
        MPI_Irecv(&got[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&mine, 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[1]);
        while (!flag) {
            MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
#pragma omp taskyield
        }
    }
    say_ints("", got, ITEMS);
}

/* One thread of a rank serves the others' memory, asked by tags; the two others ask. */
static int served[ITEMS];

static void serve(int thread)
{
    for (int request[2] = { 0, 0 }; thread == 0;) {
        MPI_Status status;
        MPI_Recv(request, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, own[0], &status);
        if (status.MPI_TAG == STOP) return;
        served[request[0]] += request[1];
        MPI_Send(&served[request[0]], 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, own[1]);
    }
    for (int to = 0, last = 0; to < np; ++to)
        for (int i = 0; i < ITEMS / 2; ++i) {
            const int request[2] = { 2 * i + thread - 1, me + 1 };
            MPI_Send(request, 2, MPI_INT, to, thread, own[0]);
            MPI_Recv(&last, 1, MPI_INT, to, thread, own[1], MPI_STATUS_IGNORE);
            note_wrong(thread, last >= me + 1, "too little");
        }
    if (thread == 1) {
        MPI_Send(NULL, 0, MPI_INT, me, STOP, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv(NULL, 0, MPI_INT, me, STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(own[2]); /* all threads of all ranks have asked */
    MPI_Send(NULL, 0, MPI_INT, me, STOP, own[0]);
}

static void a_thread_serves(void)
{
    memset(served, 0, sizeof served);
    each(serve);
    say_ints("", served, ITEMS);
}

/* Items come from the other rank, are worked at by two threads, and go back; a thread of its own sends and receives, and
 * sleeps between two looks. */
static int line_in[ITEMS], line_out[ITEMS];
static atomic_int in_count, out_count, taken;

static void communicate_or_work(int thread)
{
    int value, flag, sent = 0, back = 0, results = 0;

    while (thread == 0 && (sent < ITEMS || back < ITEMS || results < ITEMS)) {
        if (sent < ITEMS) {
            value = 10 * me + sent++;
            MPI_Send(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
        }
        MPI_Iprobe(peer, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            MPI_Recv(&line_in[in_count], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ++in_count;
        }
        if (back < out_count) {
            MPI_Send(&line_out[back++], 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
        }
        MPI_Iprobe(peer, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            MPI_Recv(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            results += 1;
            served[0] += value;
        }
        pause_a_moment();
    }
    while (thread > 0) {
        const int i = taken++;
        if (i >= ITEMS) break;
        while (in_count <= i) sched_yield();
#pragma omp critical
        {
            line_out[out_count] = 3 * line_in[i];
            ++out_count;
        }
    }
}

static void a_thread_communicates_for_all(void)
{
    memset(served, 0, sizeof served);
    in_count = out_count = taken = 0;
    each(communicate_or_work);
    say("sum %d", served[0]);
}

/* A front that goes through all threads of all ranks: each waits for the thread before it, the first one for the rank before. */
static void a_front_through_ranks_and_threads(void)
{
    int rows[THREADS][4] = { { 0 } };
    atomic_int ready[THREADS + 1];

    for (int i = 0; i <= THREADS; ++i) ready[i] = 0;
#pragma omp parallel
    {
        const int i = omp_get_thread_num();
        for (int column = 0; column < 4; ++column) {
            int above = column;
            if (i == 0 && me > 0)
                MPI_Recv(&above, 1, MPI_INT, me - 1, column, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (i > 0) {
                while (ready[i] <= column) sched_yield();
                above = rows[i - 1][column];
            }
            rows[i][column] = 1 + above + (column ? rows[i][column - 1] : 0);
            ready[i + 1] = column + 1;
            if (i == THREADS - 1 && me < np - 1) MPI_Send(&rows[i][column], 1, MPI_INT, me + 1, column, MPI_COMM_WORLD);
        }
    }
    say_ints("last", rows[THREADS - 1], 4);
}

/* Locks of one window for different ranks, by different threads at once. */
static MPI_Win window;

static void lock_a_rank(int thread)
{
    for (int i = 0; i < 4; ++i) {
        const int one = 1, to = (me + thread) % np;
        if (thread >= np) break;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window);
        MPI_Accumulate(&one, 1, MPI_INT, to, thread, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_unlock(to, window);
    }
}

static void threads_lock_different_ranks(void)
{
    int *numbers = NULL;

    MPI_Win_allocate(THREADS * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &numbers, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, window);
    memset(numbers, 0, THREADS * sizeof(int));
    MPI_Win_unlock(me, window);
    MPI_Barrier(MPI_COMM_WORLD);
    each(lock_a_rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window);
    say_ints("", numbers, THREADS);
    MPI_Win_unlock(me, window);
    MPI_Win_free(&window);
}

static void neighbors(int thread)
{
    const int from = (me + np - 1) % np, to = (me + 1) % np, mine = 10 * me + thread;
    int got = -1, later = -1;
    MPI_Comm ring;
    MPI_Request request;

    MPI_Dist_graph_create_adjacent(own[thread], 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Neighbor_allgather(&mine, 1, MPI_INT, &got, 1, MPI_INT, ring);
    MPI_Ineighbor_alltoall(&got, 1, MPI_INT, &later, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note(thread, "%d %d", got, later);
    MPI_Comm_free(&ring);
}

static void threads_have_neighbors(void)
{
    MPI_Comm first;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &first);
    MPI_Comm_free(&first); /* see threads_arrange_lines() */
    each(neighbors);
}

/* The steps of a solver: threads add up, one begins the sum of all ranks, all go on, one waits for it. */
static void sums_overlap_with_loops(void)
{
    int sum = 0, total = 0, next = 0;
    MPI_Request request;

#pragma omp parallel
    for (int step = 0; step < 4; ++step) {
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 20; ++i) sum += i + me + total % 10;
#pragma omp single
        MPI_Iallreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
#pragma omp for reduction(+ : next)
        for (int i = 0; i < 20; ++i) next += i * step;
#pragma omp single
        {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            sum = next % 7;
        }
    }
    say("total %d next %d", total, next);
}

/* A flag that a thread looks at without a call. */
static atomic_int come;

static void wait_without_a_call(int thread)
{
    if (thread == 0) {
        come = 1 + swap(5 + me, 0, MPI_COMM_WORLD);
        return;
    }
    while (come == 0) continue;
    note(thread, "%d", come);
}

static void threads_spin_for_a_message(void)
{
    come = 0;
    each(wait_without_a_call);
}

const conform_case hybrids_patterns[] = { CASE(progress_under_a_lock, 2),
                                          CASE(tasks_test_and_yield, 2),
                                          CASE(a_thread_serves, 2),
                                          CASE(a_thread_communicates_for_all, 2),
                                          CASE(a_front_through_ranks_and_threads, 2),
                                          CASE(threads_lock_different_ranks, 2),
                                          CASE(threads_have_neighbors, 2),
                                          CASE(sums_overlap_with_loops, 2),
                                          CASE(threads_spin_for_a_message, 2),
                                          NO_MORE_CASES };
