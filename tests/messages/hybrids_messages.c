/* hybrids_messages.c - several threads send, receive and probe at once. */
#include "hybrids.h"

enum { ROUNDS = 10, LARGE = 50000 };

static int taken[MANY * ROUNDS * 2]; /* how often each number has come */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void take(int number)
{
    pthread_mutex_lock(&mutex);
    if (number >= 0 && number < COUNT_OF(taken)) ++taken[number];
    pthread_mutex_unlock(&mutex);
}

/* Says how many of the numbers have come once. */
static void say_taken(int count)
{
    int once = 0;

    for (int i = 0; i < count; ++i) once += taken[i] == 1;
    say("%d of %d once", once, count);
    memset(taken, 0, sizeof taken);
}

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/
static void to_and_fro(int thread)
{
    int value = thread;

    for (int i = 0; i < ROUNDS; ++i)
        if (me % 2 == 0) {
            MPI_Send(&value, 1, MPI_INT, peer, thread, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&value, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            value = (3 * value + 1) % 1000;
            MPI_Send(&value, 1, MPI_INT, peer, thread, MPI_COMM_WORLD);
        }
    note(thread, "%d", value);
}

static void a_tag_for_each_thread(void)
{
    each(to_and_fro);
}

static void statuses(int thread)
{
    const int mine[4] = { 0 };
    int got[4], count = -1;
    MPI_Status status;

    MPI_Sendrecv(mine, 1 + thread, MPI_INT, peer, 20 + thread, got, 4, MPI_INT, peer, 20 + thread, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_INT, &count);
    note(thread, "source %d tag %d count %d", status.MPI_SOURCE, status.MPI_TAG, count);
}

static void a_status_for_each_thread(void)
{
    each(statuses);
}

static void take_any(int thread)
{
    for (int i = 0; i < ROUNDS; ++i) {
        const int mine = (me % 2) * THREADS * ROUNDS + thread * ROUNDS + i;
        int got = -1;
        MPI_Request request;
        MPI_Isend(&mine, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        take(got - (1 - me % 2) * THREADS * ROUNDS);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void threads_share_what_comes(void)
{
    each(take_any);
    say_taken(THREADS * ROUNDS);
}

static void any_tag(int thread)
{
    for (int i = 0; i < 3; ++i) {
        int got = -1;
        MPI_Status status;
        MPI_Request request;
        MPI_Isend(&me, 1, MPI_INT, peer, 10 * thread + i, own[thread], &request);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, own[thread], &status);
        note(thread, "%d/%d", got, status.MPI_TAG);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void any_tag_on_own_communicators(void)
{
    each(any_tag);
}

static void synchronous(int thread)
{
    int value = 5 * me + thread, got = -1;

    if (thread % 2 == me % 2) {
        MPI_Ssend(&value, 1, MPI_INT, peer, thread, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&got, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(&value, 1, MPI_INT, peer, thread, MPI_COMM_WORLD);
    }
    note(thread, "%d", got);
}

static void synchronous_sends(void)
{
    each(synchronous);
}

static void buffered(int thread)
{
    int got = -1;

    for (int i = 0; i < 4; ++i) {
        const int mine = 100 * me + 10 * thread + i;
        MPI_Bsend(&mine, 1, MPI_INT, peer, thread, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 4; ++i) {
        MPI_Recv(&got, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        note(thread, "%d", got);
    }
}

static void threads_share_a_buffer(void)
{
    int size = 4 * THREADS * ((int)sizeof(int) + MPI_BSEND_OVERHEAD), detached = 0;
    void *buffer = room((size_t)size), *back = NULL;

    MPI_Buffer_attach(buffer, size);
    each(buffered);
    MPI_Buffer_detach(&back, &detached);
    say("same %d size %d", back == buffer, detached == size);
    free(buffer);
}

static void ready(int thread)
{
    int got = -1;
    const int mine = 30 + me;
    MPI_Request request;

    MPI_Irecv(&got, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &request);
    MPI_Barrier(own[thread]);
    MPI_Rsend(&mine, 1, MPI_INT, peer, thread, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note(thread, "%d", got);
}

static void ready_sends(void)
{
    each(ready);
}

static void around(int thread)
{
    int value = me;

    for (int i = 0; i < np; ++i) {
        value = 3 * value + thread;
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (me + 1) % np, thread, (me + np - 1) % np, thread, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    note(thread, "%d", value);
}

static void rings_of_threads(void)
{
    each(around);
}

static void to_the_next_thread(int thread)
{
    const int next = (thread + 1) % THREADS, mine = 10 * me + thread;
    int got = -1;
    MPI_Request request;

    MPI_Isend(&mine, 1, MPI_INT, me, next, MPI_COMM_WORLD, &request);
    MPI_Recv(&got, 1, MPI_INT, me, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note(thread, "%d", got);
}

static void threads_of_a_rank_send_each_other(void)
{
    each(to_the_next_thread);
}

/* The receiver waits before any thread sends. */
static void one_receives(int thread)
{
    if (thread == 0)
        for (int i = 0; i < 2 * ROUNDS; ++i) {
            int got = -1;
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            take(got);
        }
    else
        for (int i = 0; i < ROUNDS; ++i) {
            const int mine = (thread - 1) * ROUNDS + i;
            MPI_Send(&mine, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        }
}

static void one_receives_what_others_send(void)
{
    each(one_receives);
    say_taken(2 * ROUNDS);
}

static void in_order(int thread)
{
    int last = -1, later = 0;
    MPI_Request requests[ROUNDS];
    int mine[ROUNDS];

    for (int i = 0; i < ROUNDS; ++i) {
        mine[i] = i;
        MPI_Isend(&mine[i], 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < ROUNDS; ++i) {
        int got = -1;
        MPI_Recv(&got, 1, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        later += got > last;
        last = got;
    }
    MPI_Waitall(ROUNDS, requests, MPI_STATUSES_IGNORE);
    note(thread, "%d later, last %d", later, last);
}

static void messages_of_a_thread_keep_their_order(void)
{
    each(in_order);
}

static void large(int thread)
{
    int *out = ints(LARGE), *in = ints(LARGE), wrong = 0;
    MPI_Request request;

    for (int i = 0; i < LARGE; ++i) out[i] = i ^ (me + thread);
    MPI_Isend(out, LARGE, MPI_INT, peer, thread, MPI_COMM_WORLD, &request);
    MPI_Recv(in, LARGE, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < LARGE; ++i) wrong += in[i] != (i ^ (peer + thread));
    note(thread, "%d wrong", wrong);
    free(out);
    free(in);
}

static void large_messages(void)
{
    each(large);
}

static void empty(int thread)
{
    MPI_Status status;
    int count = -1, cancelled = -1, got = 4;

    MPI_Sendrecv(NULL, 0, MPI_INT, peer, thread, NULL, 0, MPI_INT, peer, thread, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Test_cancelled(&status, &cancelled);
    note(thread, "count %d cancelled %d", count, cancelled);
    MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, thread, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    note(thread, "null %d any %d count %d value %d", status.MPI_SOURCE == MPI_PROC_NULL, status.MPI_TAG == MPI_ANY_TAG,
         count, got);
}

static void empty_messages_and_nobody(void)
{
    each(empty);
}

/* Rank 0 hands out numbers; all threads of the other ranks ask for one after another until none is left. */
static void ask_for_work(int thread)
{
    int work = 0;

    while (me > 0) {
        MPI_Sendrecv(NULL, 0, MPI_INT, 0, 100 + thread, &work, 1, MPI_INT, 0, thread, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (work < 0) break;
        take(work);
    }
    for (int asked = 0; me == 0 && thread == 0 && asked < 30 + THREADS * (np - 1); ++asked) {
        const int given = asked < 30 ? asked : -1;
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG - 100, MPI_COMM_WORLD);
    }
}

static void threads_ask_for_work(void)
{
    int all[30];

    each(ask_for_work);
    MPI_Reduce(taken, all, 30, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    memset(taken, 0, sizeof taken);
    if (me > 0) return;
    memcpy(taken, all, sizeof all);
    say_taken(30);
}

const conform_case hybrids_messages[] = { CASE(a_tag_for_each_thread, 2),
                                          CASE(a_status_for_each_thread, 2),
                                          CASE(threads_share_what_comes, 2),
                                          CASE(any_tag_on_own_communicators, 2),
                                          CASE(synchronous_sends, 2),
                                          CASE(threads_share_a_buffer, 2),
                                          CASE(ready_sends, 2),
                                          CASE(rings_of_threads, 2),
                                          CASE(threads_of_a_rank_send_each_other, 2),
                                          CASE(one_receives_what_others_send, 2),
                                          CASE(messages_of_a_thread_keep_their_order, 2),
                                          CASE(large_messages, 2),
                                          CASE(empty_messages_and_nobody, 2),
                                          CASE(threads_ask_for_work, 2),
                                          NO_MORE_CASES };

/*=============================================================================
 * MARK: - >>probes
 *===========================================================================*/
/* Receives what a probe has found. */
static void receive_found(int thread, const MPI_Status *found)
{
    int got[4] = { -1, -1, -1, -1 }, count = -1;

    MPI_Get_count(found, MPI_INT, &count);
    MPI_Recv(got, count, MPI_INT, found->MPI_SOURCE, found->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note(thread, "count %d last %d", count, got[count - 1]);
}

static void probe(int thread)
{
    int mine[4] = { me, me + 1, me + 2, me + 3 };
    MPI_Request request;
    MPI_Status status;

    MPI_Isend(mine, 1 + thread, MPI_INT, peer, thread, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, &status);
    receive_found(thread, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void probes_of_threads(void)
{
    each(probe);
}

static void iprobe(int thread)
{
    int mine[4] = { me, me + 1, me + 2, me + 3 }, found = 0;
    MPI_Request request;
    MPI_Status status;

    MPI_Isend(mine, 1 + thread, MPI_INT, peer, thread, MPI_COMM_WORLD, &request);
    while (!found) MPI_Iprobe(peer, thread, MPI_COMM_WORLD, &found, &status);
    receive_found(thread, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void nonblocking_probes_of_threads(void)
{
    each(iprobe);
}

static void mprobe(int thread)
{
    MPI_Request requests[ROUNDS];
    int mine[ROUNDS];

    for (int i = 0; i < ROUNDS; ++i) {
        mine[i] = thread * ROUNDS + i;
        MPI_Isend(&mine[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < ROUNDS; ++i) {
        MPI_Message message;
        int got = -1;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        note_wrong(thread, message == MPI_MESSAGE_NULL, "message left");
        take(got);
    }
    MPI_Waitall(ROUNDS, requests, MPI_STATUSES_IGNORE);
}

static void matched_probes_share_what_comes(void)
{
    each(mprobe);
    say_taken(THREADS * ROUNDS);
}

static void improbe(int thread)
{
    MPI_Request requests[2];
    MPI_Message message;
    int mine = thread, got = -1, found = 0;

    MPI_Isend(&mine, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]);
    while (!found) MPI_Improbe(peer, 1, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&got, 1, MPI_INT, &message, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    take(got);
}

static void nonblocking_matched_probes(void)
{
    each(improbe);
    say_taken(THREADS);
}

/* Thread 0 finds the messages, the others receive them. */
static MPI_Message found_message[THREADS];
static pthread_barrier_t gate;

static void hand_over(int thread)
{
    static int out[THREADS];
    int got = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;

    out[thread] = 10 * me + thread;
    if (thread > 0) MPI_Isend(&out[thread], 1, MPI_INT, peer, thread, MPI_COMM_WORLD, &request);
    for (int i = 1; thread == 0 && i < THREADS; ++i)
        MPI_Mprobe(peer, i, MPI_COMM_WORLD, &found_message[i], MPI_STATUS_IGNORE);
    pthread_barrier_wait(&gate);
    if (thread == 0) return;
    MPI_Mrecv(&got, 1, MPI_INT, &found_message[thread], &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note(thread, "tag %d got %d", status.MPI_TAG, got);
}

static void found_by_one_received_by_others(void)
{
    pthread_barrier_init(&gate, NULL, THREADS);
    each(hand_over);
    pthread_barrier_destroy(&gate);
}

/* No other thread can receive the message that a matched probe has found: its receive gets the next one. */
static void found_and_next(int thread)
{
    const int mine[2] = { 1, 2 };
    MPI_Message message;
    MPI_Request requests[2];
    int got = -1;

    if (thread == 0) {
        for (int i = 0; i < 2; ++i) MPI_Isend(&mine[i], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Mprobe(peer, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    }
    pthread_barrier_wait(&gate);
    if (thread == 1) MPI_Recv(&got, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_barrier_wait(&gate);
    if (thread == 0) {
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (thread < 2) note(thread, "%d", got);
}

static void found_is_out_of_reach(void)
{
    pthread_barrier_init(&gate, NULL, THREADS);
    each(found_and_next);
    pthread_barrier_destroy(&gate);
}

const conform_case hybrids_probes[] = { CASE(probes_of_threads, 2),
                                        CASE(nonblocking_probes_of_threads, 2),
                                        CASE(matched_probes_share_what_comes, 2),
                                        CASE(nonblocking_matched_probes, 2),
                                        CASE(found_by_one_received_by_others, 2),
                                        CASE(found_is_out_of_reach, 2),
                                        NO_MORE_CASES };
