/* MPI_THREAD_MULTIPLE: several threads of a rank in calls at once. `multiple NAME`, with two ranks; prints what is compared, and virtual
 * times. Computing is charged, see skeleton.h. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 20 };

static int rank, size, other, wrong;
static double began;
static MPI_Comm own[THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void check(int right)
{
    pthread_mutex_lock(&mutex);
    wrong += !right;
    pthread_mutex_unlock(&mutex);
}

/* All threads run this with their numbers. */
static void each(void *(*body)(void *number), int count)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, body, (void *)(size_t)i);
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

/* Thread i of both ranks send each other numbers with tag i. */
static void *by_tags(void *number)
{
    const int tag = (int)(size_t)number;
    for (int i = 0; i < ROUNDS; ++i) {
        int mine = 1000 * rank + 100 * tag + i, got = -1;
        if (rank == 0) {
            MPI_Send(&mine, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
            MPI_Recv(&got, 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&got, 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&mine, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
        }
        check(got == 1000 * other + 100 * tag + i);
    }
    return NULL;
}

/* Each receives what comes first: all that was sent arrives, once. */
static int sum;
static void *by_anyone(void *number)
{
    for (int i = 0; i < ROUNDS; ++i) {
        int mine = (int)(size_t)number * ROUNDS + i, got = 0;
        MPI_Request request;
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &request);
        MPI_Send(&mine, 1, MPI_INT, other, 9, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        pthread_mutex_lock(&mutex);
        sum += got;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

/* Probes, matched ones too, for messages of different tags and of one. */
static void *by_probes(void *number)
{
    const int tag = (int)(size_t)number;
    for (int i = 0; i < ROUNDS; ++i) {
        MPI_Status status;
        MPI_Message message;
        int mine = 100 * tag + i, got = -1, count = 0;
        MPI_Request request;
        MPI_Isend(&mine, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &request);
        MPI_Probe(other, tag, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(&got, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(got == mine);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isend(&mine, 1, MPI_INT, other, 50, MPI_COMM_WORLD, &request);
        MPI_Mprobe(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        pthread_mutex_lock(&mutex);
        sum += got;
        pthread_mutex_unlock(&mutex);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

/* Requests that one thread makes, and another one completes. */
static MPI_Request handed[THREADS];
static int handed_value[THREADS];
static pthread_barrier_t barrier;
static void *by_requests(void *number)
{
    const int i = (int)(size_t)number, next = (i + 1) % THREADS;
    int mine = 7 * i;
    MPI_Irecv(&handed_value[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &handed[i]);
    pthread_barrier_wait(&barrier);
    if (i % 2) skeleton_compute(0.01);
    MPI_Send(&mine, 1, MPI_INT, other, i, MPI_COMM_WORLD);
    MPI_Wait(&handed[next], MPI_STATUS_IGNORE);
    check(handed_value[next] == 7 * next);
    return NULL;
}

/* Each on a communicator of its own: blocking and nonblocking collectives, and new communicators. */
static void *by_communicators(void *number)
{
    const int i = (int)(size_t)number;
    for (int round = 0; round < ROUNDS; ++round) {
        int mine = rank + i + round, total = -1, all[2] = { -1, -1 };
        MPI_Request request;
        MPI_Comm fresh;
        MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, own[i]);
        check(total == 2 * (i + round) + 1);
        MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, own[i], &request);
        if (round % 5 == 0) {
            MPI_Comm_dup(own[i], &fresh);
            MPI_Bcast(&total, 1, MPI_INT, round % 2, fresh);
            MPI_Comm_free(&fresh);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(all[0] == i + round && all[1] == 1 + i + round);
    }
    return NULL;
}

/* Each on a window of its own. */
static int exposed[THREADS];
static MPI_Win windows[THREADS];
static void *by_windows(void *number)
{
    const int i = (int)(size_t)number;
    for (int round = 0; round < ROUNDS; ++round) {
        int one = 1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, windows[i]);
        MPI_Accumulate(&one, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, windows[i]);
        MPI_Win_unlock(other, windows[i]);
    }
    return NULL;
}

/* All on one window, which main() has locked: each counts at the other rank, and flushes what it and the others have done. */
static void *by_flushes(void *number)
{
    const int one = 1;
    (void)number;
    for (int round = 0; round < ROUNDS; ++round) {
        int before = -1;
        MPI_Accumulate(&one, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, windows[0]);
        MPI_Win_flush(other, windows[0]);
        MPI_Fetch_and_op(&one, &before, MPI_INT, other, 0, MPI_SUM, windows[0]);
        MPI_Win_flush(other, windows[0]);
        check(before > 2 * round && before < 2 * THREADS * ROUNDS);
    }
    return NULL;
}

/* A generalized request, which another thread completes. */
static MPI_Request general;
static int query(void *unused, MPI_Status *status)
{
    (void)unused;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int nothing_to_free(void *unused)
{
    (void)unused;
    return MPI_SUCCESS;
}
static int nothing_to_cancel(void *unused, int complete)
{
    (void)unused, (void)complete;
    return MPI_SUCCESS;
}
static void *by_generalized(void *number)
{
    MPI_Status status;
    int count = 0;
    if (number) {
        skeleton_compute(0.03);
        MPI_Grequest_complete(general);
        return NULL;
    }
    MPI_Wait(&general, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(count == 3);
    return NULL;
}

/* One waits for a message while the other one computes. */
static void *by_turns(void *number)
{
    int value = 3;
    if (number) {
        skeleton_compute(0.1);
        if (rank == 0) MPI_Send(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("received after %.6f s\n", MPI_Wtime() - began);
    }
    return NULL;
}

/* A blocked call blocks its thread alone: the message that ends it comes from a thread of the same rank. */
static void *to_itself(void *number)
{
    int value = 5;
    if (number) {
        skeleton_compute(0.05);
        MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return NULL;
}

/* A loop of MPI_Test in one thread while the other one computes. */
static void *by_tests(void *number)
{
    int value = 5, done = 0;
    MPI_Request request;
    if (number) {
        skeleton_compute(0.05);
        MPI_Send(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
        return NULL;
    }
    MPI_Irecv(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    check(value == 5);
    return NULL;
}

/* What is wrong: two threads in collectives of one communicator. */
static void *together(void *number)
{
    if (number) skeleton_compute(0.01);
    if (rank == 0 || number) MPI_Barrier(MPI_COMM_WORLD);
    return NULL;
}

/* One accesses the other rank's window, and one exposes that of this rank. */
static void *by_epochs(void *number)
{
    MPI_Group all, group;
    const int one = 1;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    if (number) {
        skeleton_compute(0.01);
        MPI_Win_post(group, 0, windows[0]);
        MPI_Win_wait(windows[0]);
    } else {
        MPI_Win_start(group, 0, windows[0]);
        MPI_Put(&one, 1, MPI_INT, other, 0, 1, MPI_INT, windows[0]);
        MPI_Win_complete(windows[0]);
    }
    return NULL;
}

static void *for_ever(void *number)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, other, (int)(size_t)number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

/* A thread makes a collective call on the communicator of the last call of main(), which waits for the thread. */
static void *while_joined(void *unused)
{
    (void)unused;
    skeleton_compute(0.01);
    MPI_Barrier(MPI_COMM_WORLD);
    return NULL;
}

/* Handles that are made and freed: no call lets others go on, but a quantum may end in each. */
static void *by_handles(void *number)
{
    (void)number;
    for (int i = 0; i < 10000 * ROUNDS; ++i) {
        MPI_Datatype type;
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Type_free(&type);
    }
    return NULL;
}

/* Cancelled while it is in a call: the call is complete before the thread ends. */
static int arrived;
static void *cancelled(void *asynchronous)
{
    if (asynchronous) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    MPI_Recv(&arrived, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_testcancel();
    check(0);
    return NULL;
}

static void cancel_one(int asynchronous, int answered)
{
    pthread_t thread;
    void *result = NULL;
    int value = 7;
    arrived = 0;
    if (rank == 0) {
        pthread_create(&thread, NULL, cancelled, asynchronous ? &arrived : NULL);
        skeleton_compute(0.01);
        check(pthread_cancel(thread) == 0);
        pthread_join(thread, &result);
        check(result == PTHREAD_CANCELED && arrived == 7);
    } else if (answered) {
        skeleton_compute(0.03);
        MPI_Send(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int provided;
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = (rank + 1) % size;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
        MPI_Win_create(&exposed[i], sizeof exposed[i], sizeof exposed[i], MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
    if (provided != MPI_THREAD_MULTIPLE) printf("provided %d\n", provided);
    if (!strcmp(what, "tags")) each(by_tags, THREADS);
    if (!strcmp(what, "anyone")) each(by_anyone, THREADS);
    if (!strcmp(what, "probes")) each(by_probes, THREADS);
    if (!strcmp(what, "requests")) each(by_requests, THREADS);
    if (!strcmp(what, "communicators")) each(by_communicators, THREADS);
    if (!strcmp(what, "windows")) each(by_windows, THREADS);
    if (!strcmp(what, "flushes")) {
        MPI_Win_lock_all(0, windows[0]);
        each(by_flushes, THREADS);
        MPI_Win_unlock_all(windows[0]);
    }
    if (!strcmp(what, "generalized")) {
        MPI_Grequest_start(query, nothing_to_free, nothing_to_cancel, NULL, &general);
        each(by_generalized, 2);
    }
    if (!strcmp(what, "turns")) each(by_turns, 2);
    if (!strcmp(what, "itself")) each(to_itself, 2);
    if (!strcmp(what, "tests")) each(by_tests, 2);
    if (!strcmp(what, "together")) each(together, 2);
    if (!strcmp(what, "epochs")) each(by_epochs, 2);
    if (!strcmp(what, "general")) {
        MPI_Grequest_start(query, nothing_to_free, nothing_to_cancel, NULL, &general);
        each(by_generalized, 1); /* nobody completes it */
    }
    if (!strcmp(what, "ever")) each(for_ever, 2);
    if (!strcmp(what, "joined")) {
        MPI_Barrier(MPI_COMM_WORLD);
        each(while_joined, 1);
    }
    if (!strcmp(what, "handles")) each(by_handles, THREADS);
    if (!strcmp(what, "cancel")) cancel_one(0, 1);
    if (!strcmp(what, "cancel_at_once")) cancel_one(1, 1);
    if (!strcmp(what, "cancel_for_ever")) cancel_one(0, 0);
    if (!strcmp(what, "anyone")) check(sum == THREADS * ROUNDS * (THREADS * ROUNDS - 1) / 2);
    if (!strcmp(what, "probes"))
        check(sum == 100 * ROUNDS * THREADS * (THREADS - 1) / 2 + THREADS * ROUNDS * (ROUNDS - 1) / 2);
    const double ended = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "flushes")) check(exposed[0] == 2 * THREADS * ROUNDS);
    if (!strcmp(what, "windows"))
        for (int i = 0; i < THREADS; ++i) {
            MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, windows[i]);
            check(exposed[i] == ROUNDS);
            MPI_Win_unlock(rank, windows[i]);
        }
    printf("rank %d: %d wrong, %.6f s\n", rank, wrong, ended - began);
    for (int i = 0; i < THREADS; ++i) MPI_Win_free(&windows[i]);
    MPI_Finalize();
    return 0;
}
