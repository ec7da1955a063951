/* hybrids_requests.c - threads make, complete, test and free requests, also those of other threads. */
#include "hybrids.h"

enum { PARTS = 4 };

static MPI_Request requests[THREADS * PARTS];
static int values[THREADS * PARTS], out[THREADS * PARTS];
static pthread_barrier_t gate;

/* The bodies meet at the gate. */
static void each_meets(void (*body)(int thread))
{
    pthread_barrier_init(&gate, NULL, THREADS);
    each(body);
    pthread_barrier_destroy(&gate);
}

/* A receive for each value, with its number as the tag. */
static void begin_receives(void)
{
    for (int i = 0; i < THREADS * PARTS; ++i) {
        values[i] = -1;
        out[i] = 100 * me + i;
        MPI_Irecv(&values[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
    }
}

/* Those that the peer's thread of this number waits for. */
static void send_part(int thread)
{
    for (int i = thread * PARTS; i < (thread + 1) * PARTS; ++i) MPI_Send(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD);
}

static void end_of_requests(void)
{
    int null = 0, right = 0;

    for (int i = 0; i < THREADS * PARTS; ++i) {
        null += requests[i] == MPI_REQUEST_NULL;
        right += values[i] == 100 * peer + i;
    }
    say("null %d right %d", null, right);
}

static void wait_for_the_next(int thread)
{
    const int next = (thread + 1) % THREADS, mine = 10 * me + thread;
    MPI_Status status;

    MPI_Irecv(&values[thread], 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &requests[thread]);
    pthread_barrier_wait(&gate);
    MPI_Send(&mine, 1, MPI_INT, peer, thread, MPI_COMM_WORLD);
    MPI_Wait(&requests[next], &status);
    note(thread, "tag %d got %d", status.MPI_TAG, values[next]);
}

static void another_thread_waits(void)
{
    each_meets(wait_for_the_next);
}

static void wait_for_part(int thread)
{
    send_part(thread);
    MPI_Waitall(PARTS, requests + thread * PARTS, MPI_STATUSES_IGNORE);
}

static void threads_wait_for_shares(void)
{
    begin_receives();
    each(wait_for_part);
    end_of_requests();
}

static void wait_for_any(int thread)
{
    int index, seen = 0;
    MPI_Status status;

    send_part((thread + 1) % THREADS);
    for (int i = 0; i < PARTS; ++i) {
        MPI_Waitany(PARTS, requests + thread * PARTS, &index, &status);
        note_wrong(thread, status.MPI_TAG == thread * PARTS + index, "another tag");
        seen |= 1 << index;
    }
    MPI_Waitany(PARTS, requests + thread * PARTS, &index, &status);
    note(thread, "seen %x undefined %d", (unsigned)seen, index == MPI_UNDEFINED);
}

static void threads_wait_for_any(void)
{
    begin_receives();
    each(wait_for_any);
    end_of_requests();
}

static void wait_for_some(int thread)
{
    int seen = 0, done = 0, count, indices[PARTS];

    send_part((thread + 2) % THREADS);
    while (done < PARTS) {
        MPI_Waitsome(PARTS, requests + thread * PARTS, &count, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; ++i) seen |= 1 << indices[i];
        done += count;
    }
    MPI_Waitsome(PARTS, requests + thread * PARTS, &count, indices, MPI_STATUSES_IGNORE);
    note(thread, "seen %x undefined %d", (unsigned)seen, count == MPI_UNDEFINED);
}

static void threads_wait_for_some(void)
{
    begin_receives();
    each(wait_for_some);
    end_of_requests();
}

/* Each tests in its own way. */
static void test(int thread)
{
    int done = 0, flag = 0, index, indices[PARTS];
    MPI_Request *mine = requests + thread * PARTS;

    send_part((thread + 1) % THREADS);
    for (int i = 0; thread == 0 && i < PARTS; ++i) {
        for (flag = 0; !flag;) MPI_Test(&mine[i], &flag, MPI_STATUS_IGNORE);
        ++done;
    }
    while (thread == 1 && done < PARTS) {
        MPI_Testany(PARTS, mine, &index, &flag, MPI_STATUS_IGNORE);
        done += flag;
    }
    while (thread == 2 && done < PARTS) {
        MPI_Testsome(PARTS, mine, &index, indices, MPI_STATUSES_IGNORE);
        done += index;
    }
    MPI_Testall(PARTS, mine, &flag, MPI_STATUSES_IGNORE);
    note(thread, "done %d all %d", done, flag);
}

static void threads_test(void)
{
    begin_receives();
    each(test);
    end_of_requests();
}

static void test_all(int thread)
{
    int flag = 0;

    send_part(thread);
    while (!flag) MPI_Testall(PARTS, requests + thread * PARTS, &flag, MPI_STATUSES_IGNORE);
}

static void threads_test_shares(void)
{
    begin_receives();
    each(test_all);
    end_of_requests();
}

static void persist(int thread)
{
    int mine = 0, got = -1;
    MPI_Request pair[2];

    MPI_Send_init(&mine, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &pair[0]);
    MPI_Recv_init(&got, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &pair[1]);
    for (int round = 0; round < 5; ++round) {
        mine = 10 * round + me;
        MPI_Startall(2, pair);
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        note(thread, "%d", got);
    }
    for (int i = 0; i < 2; ++i) MPI_Request_free(&pair[i]);
}

static void persistent_requests_of_threads(void)
{
    each(persist);
}

/* Started by one thread, completed by the next one, freed by main(). */
static void start_for_the_next(int thread)
{
    const int next = (thread + 1) % THREADS;

    for (int round = 0; round < 3; ++round) {
        MPI_Start(&requests[thread]);
        pthread_barrier_wait(&gate);
        out[thread] = 10 * round + thread;
        MPI_Send(&out[thread], 1, MPI_INT, peer, thread, MPI_COMM_WORLD);
        MPI_Wait(&requests[next], MPI_STATUS_IGNORE);
        note(thread, "%d", values[next]);
        pthread_barrier_wait(&gate);
    }
}

static void persistent_requests_change_hands(void)
{
    for (int i = 0; i < THREADS; ++i) MPI_Recv_init(&values[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
    each_meets(start_for_the_next);
    for (int i = 0; i < THREADS; ++i) MPI_Request_free(&requests[i]);
}

/* A send that is freed arrives. */
static void free_sends(int thread)
{
    int got[PARTS];
    MPI_Request request;

    for (int i = 0; i < PARTS; ++i) {
        out[thread * PARTS + i] = 10 * thread + i;
        MPI_Isend(&out[thread * PARTS + i], 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        note_wrong(thread, request == MPI_REQUEST_NULL, "not null");
    }
    for (int i = 0; i < PARTS; ++i) MPI_Recv(&got[i], 1, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note(thread, "%d %d %d %d", got[0], got[1], got[2], got[3]);
}

static void threads_free_sends(void)
{
    each(free_sends);
}

/* One looks at the status until it is there, then another one waits. */
static void look_then_wait(int thread)
{
    int flag = 0;
    MPI_Status status;

    if (thread == 0) MPI_Send(&me, 1, MPI_INT, peer, 7, MPI_COMM_WORLD);
    while (thread == 1 && !flag) MPI_Request_get_status(requests[0], &flag, &status);
    if (thread == 1) note(1, "tag %d got %d", status.MPI_TAG, values[0]);
    pthread_barrier_wait(&gate);
    if (thread != 2) return;
    MPI_Wait(&requests[0], &status);
    note(2, "tag %d null %d", status.MPI_TAG, requests[0] == MPI_REQUEST_NULL);
}

static void one_looks_another_waits(void)
{
    MPI_Irecv(&values[0], 1, MPI_INT, peer, 7, MPI_COMM_WORLD, &requests[0]);
    each_meets(look_then_wait);
}

/* Each takes back a receive that the next thread has begun. */
static void cancel_the_next(int thread)
{
    const int next = (thread + 1) % THREADS;
    int cancelled = -1;
    MPI_Status status;

    MPI_Irecv(&values[thread], 1, MPI_INT, peer, 50 + thread, MPI_COMM_WORLD, &requests[thread]);
    pthread_barrier_wait(&gate);
    MPI_Cancel(&requests[next]);
    MPI_Wait(&requests[next], &status);
    MPI_Test_cancelled(&status, &cancelled);
    note(thread, "cancelled %d", cancelled);
}

static void receives_are_cancelled_by_others(void)
{
    each_meets(cancel_the_next);
}

static int general_query(void *count, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)count);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 0;
    status->MPI_TAG = 77;
    return MPI_SUCCESS;
}

static int freed;

static int general_free(void *unused)
{
    (void)unused;
    ++freed;
    return MPI_SUCCESS;
}

static int general_cancel(void *unused, int complete)
{
    (void)unused, (void)complete;
    return MPI_SUCCESS;
}

/* Thread 0 waits for two requests that the others complete when a message has come. */
static void general(int thread)
{
    int got = -1, counts[2] = { -1, -1 };
    MPI_Status all[2];

    if (thread > 0) {
        MPI_Sendrecv(&thread, 1, MPI_INT, peer, thread, &got, 1, MPI_INT, peer, thread, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        values[thread] = 3 * got;
        MPI_Grequest_complete(requests[thread]);
        return;
    }
    MPI_Waitall(2, requests + 1, all);
    for (int i = 0; i < 2; ++i) MPI_Get_count(&all[i], MPI_INT, &counts[i]);
    note(0, "counts %d %d tag %d", counts[0], counts[1], all[1].MPI_TAG);
}

static void generalized_requests(void)
{
    freed = 0;
    for (int i = 1; i < 3; ++i)
        MPI_Grequest_start(general_query, general_free, general_cancel, &values[i], &requests[i]);
    each(general);
    say("freed %d", freed);
}

const conform_case hybrids_requests[] = { CASE(another_thread_waits, 2),
                                          CASE(threads_wait_for_shares, 2),
                                          CASE(threads_wait_for_any, 2),
                                          CASE(threads_wait_for_some, 2),
                                          CASE(threads_test, 2),
                                          CASE(threads_test_shares, 2),
                                          CASE(persistent_requests_of_threads, 2),
                                          CASE(persistent_requests_change_hands, 2),
                                          CASE(threads_free_sends, 2),
                                          CASE(one_looks_another_waits, 2),
                                          CASE(receives_are_cancelled_by_others, 2),
                                          CASE(generalized_requests, 2),
                                          NO_MORE_CASES };
