/* conform_requests.c - persistent requests; wait and test; cancel and free. */
#include "conform.h"

/* A message that says only that its sender has come so far. */
static void tell(int to)
{
    MPI_Send(NULL, 0, MPI_INT, to, 999, MPI_COMM_WORLD);
}

static void told_by(int from)
{
    MPI_Recv(NULL, 0, MPI_INT, from, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Says what an empty status is. */
static void say_empty(const MPI_Status *status)
{
    int cancelled = -1;

    say_status(status, MPI_INT);
    MPI_Test_cancelled(status, &cancelled);
    say("cancelled %d", cancelled);
}

/* Not what an empty status is. */
static MPI_Status another_status(void)
{
    MPI_Status status;
    int value;

    MPI_Sendrecv(&np, 1, MPI_INT, 0, 5, &value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
    return status;
}

/*=============================================================================
 * MARK: - >>persistent
 *===========================================================================*/
typedef int send_init(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Rank 0 sends five times from the same buffer; `ready` when the receive has begun. */
static void persistent_by(send_init *init, bool ready)
{
    int a[100], size = 5 * (400 + MPI_BSEND_OVERHEAD);
    char *buffer = (char *)room((size_t)size), *back;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;

    MPI_Buffer_attach(buffer, size);
    if (me == 0) init(a, 100, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
    if (me == 1) MPI_Recv_init(a, 100, MPI_INT, 0, 6, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 5 && me < 2; ++round) {
        fill(a, 100, me == 0 ? round : 99);
        if (me == 0 && ready) told_by(1);
        MPI_Start(&request);
        if (me == 1 && ready) tell(0);
        MPI_Wait(&request, &status);
        expect(request != MPI_REQUEST_NULL, "null after wait");
        expect_filled(a, 100, round);
    }
    if (me == 1) say_status(&status, MPI_INT);
    if (me < 2) {
        MPI_Request_free(&request);
        say("null %d", request == MPI_REQUEST_NULL);
    }
    MPI_Buffer_detach(&back, &size);
    free(buffer);
}

static int init_send(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Send_init(a, n, type, to, tag, comm, request);
}

static int init_ssend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Ssend_init(a, n, type, to, tag, comm, request);
}

static int init_bsend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Bsend_init(a, n, type, to, tag, comm, request);
}

static int init_rsend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Rsend_init(a, n, type, to, tag, comm, request);
}

static void persistent_send(void)
{
    persistent_by(init_send, false);
}

static void persistent_ssend(void)
{
    persistent_by(init_ssend, false);
}

static void persistent_bsend(void)
{
    persistent_by(init_bsend, false);
}

static void persistent_rsend(void)
{
    persistent_by(init_rsend, true);
}

static void persistent_meets_plain(void)
{
    int value = 0;
    MPI_Request request;

    if (me == 0) {
        MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (value = 1; value < 4; ++value) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else if (me == 1) {
        for (int i = 0; i < 3; ++i) {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            say("%d", value);
        }
        MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        say("%d", value);
    }
}

static void startall_ring(void)
{
    int out, in[2];
    MPI_Request request[3];

    MPI_Recv_init(&in[0], 1, MPI_INT, (me + np - 1) % np, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&in[1], 1, MPI_INT, (me + np - 1) % np, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Send_init(&out, 1, MPI_INT, (me + 1) % np, 1, MPI_COMM_WORLD, &request[2]);
    for (int round = 0; round < 10; ++round) {
        int other = -round;
        out = me * 100 + round;
        MPI_Startall(3, request);
        MPI_Send(&other, 1, MPI_INT, (me + 1) % np, 2, MPI_COMM_WORLD);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
        expect(in[0] == (me + np - 1) % np * 100 + round && in[1] == -round, "round %d: %d %d", round, in[0], in[1]);
    }
    for (int i = 0; i < 3; ++i) MPI_Request_free(&request[i]);
}

static void startall_many(void)
{
    int a[40];
    MPI_Request request[40];

    if (me > 1) return;
    for (int i = 0; i < 40; ++i)
        if (me == 0)
            MPI_Send_init(&a[i], 1, MPI_INT, 1, 39 - i, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Recv_init(&a[i], 1, MPI_INT, 0, 39 - i, MPI_COMM_WORLD, &request[i]);
    for (int round = 0; round < 4; ++round) {
        fill(a, 40, me == 0 ? round : 99);
        MPI_Startall(40, request);
        MPI_Waitall(40, request, MPI_STATUSES_IGNORE);
        expect_filled(a, 40, round);
    }
    for (int i = 0; i < 40; ++i) MPI_Request_free(&request[i]);
}

static void persistent_proc_null(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int value = 3;

    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[1]);
    for (int round = 0; round < 2; ++round) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, status);
        say_status(&status[1], MPI_INT);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    say("value %d", value);
}

static void persistent_free_unused(void)
{
    int value = 0;
    MPI_Request request[4];

    MPI_Send_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Ssend_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Rsend_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[3]);
    for (int i = 0; i < 4; ++i) {
        MPI_Request_free(&request[i]);
        expect(request[i] == MPI_REQUEST_NULL, "%d not null", i);
    }
}

/* What has been sent is taken from the buffer when it is started, not when it is made. */
static void persistent_large(void)
{
    const int count = 100000;
    int *a = (int *)room((size_t)count * sizeof *a);
    MPI_Request request = MPI_REQUEST_NULL;

    if (me == 0) MPI_Send_init(a, count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    if (me == 1) MPI_Recv_init(a, count, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 3 && me < 2; ++round) {
        fill(a, count, me == 0 ? round : 99);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect_filled(a, count, round);
    }
    if (me < 2) MPI_Request_free(&request);
    free(a);
}

/*=============================================================================
 * MARK: - >>null and inactive
 *===========================================================================*/
static void wait_null(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status = another_status();

    MPI_Wait(&request, &status);
    say_empty(&status);
}

static void test_null(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status = another_status();
    int flag = -1;

    MPI_Test(&request, &flag, &status);
    say("flag %d", flag);
    say_empty(&status);
}

static void wait_any_null(void)
{
    MPI_Request request[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status = another_status();
    int index = -1;

    MPI_Waitany(3, request, &index, &status);
    say_count("index", index);
    say_empty(&status);
}

static void test_any_null(void)
{
    MPI_Request request[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status = another_status();
    int index = -1, flag = -1;

    MPI_Testany(3, request, &index, &flag, &status);
    say("flag %d", flag);
    say_count("index", index);
    say_empty(&status);
}

static void wait_all_null(void)
{
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status[2];
    int flag = -1;

    status[0] = status[1] = another_status();
    MPI_Waitall(2, request, status);
    say_empty(&status[1]);
    status[0] = status[1] = another_status();
    MPI_Testall(2, request, &flag, status);
    say("flag %d", flag);
    say_empty(&status[0]);
}

static void wait_some_null(void)
{
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status[2];
    int some = -1, index[2] = { 7, 7 };

    MPI_Waitsome(2, request, &some, index, status);
    say_count("waitsome", some);
    some = -1;
    MPI_Testsome(2, request, &some, index, status);
    say_count("testsome", some);
}

static void wait_for_none(void)
{
    int index = -1, flag = -1, some = -1;

    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
    say("testall %d", flag);
    MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE);
    say_count("waitany", index);
    index = flag = -1;
    MPI_Testany(0, NULL, &index, &flag, MPI_STATUS_IGNORE);
    say("testany %d", flag);
    say_count("index", index);
    MPI_Waitsome(0, NULL, &some, NULL, MPI_STATUSES_IGNORE);
    say_count("waitsome", some);
}

/* A persistent request that has not been started is as none. */
static void inactive_wait_and_test(void)
{
    MPI_Request request;
    MPI_Status status = another_status();
    int value, flag = -1;

    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    say_empty(&status);
    status = another_status();
    MPI_Test(&request, &flag, &status);
    say("flag %d", flag);
    say_empty(&status);
    say("null %d", request == MPI_REQUEST_NULL);
    MPI_Request_free(&request);
}

static void inactive_any_some_all(void)
{
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int value = 0, flag = -1, index = -1, some = -1, indices[2];

    MPI_Send_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    say_count("waitany", index);
    index = -1;
    MPI_Testany(2, request, &index, &flag, MPI_STATUS_IGNORE);
    say("testany %d", flag);
    say_count("index", index);
    MPI_Waitsome(2, request, &some, indices, MPI_STATUSES_IGNORE);
    say_count("waitsome", some);
    some = -1;
    MPI_Testsome(2, request, &some, indices, MPI_STATUSES_IGNORE);
    say_count("testsome", some);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    flag = -1;
    MPI_Testall(2, request, &flag, MPI_STATUSES_IGNORE);
    say("testall %d", flag);
    MPI_Request_free(&request[1]);
}

static void null_after_wait(void)
{
    int a = me, b = -1;
    MPI_Request request[2];

    MPI_Isend(&a, 1, MPI_INT, me, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&b, 1, MPI_INT, me, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    say("null %d %d", request[0] == MPI_REQUEST_NULL, request[1] == MPI_REQUEST_NULL);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE); /* again is as good */
    expect(b == me, "got %d", b);
}

/*=============================================================================
 * MARK: - >>wait and test
 *===========================================================================*/
static void test_until_complete(void)
{
    int value = -1, flag = 0;
    MPI_Request request;
    MPI_Status status;

    if (me == 0) {
        told_by(1);
        MPI_Send(&np, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, &status);
        say("before %d null %d", flag, request == MPI_REQUEST_NULL);
        tell(0);
        while (!flag) MPI_Test(&request, &flag, &status);
        say("after %d null %d", value == np, request == MPI_REQUEST_NULL);
        say_status(&status, MPI_INT);
    }
}

/* Rank 0 sends with tag i only when asked for it. */
static void answer(int count)
{
    for (int i = 0; i < count; ++i) {
        int tag;
        MPI_Recv(&tag, 1, MPI_INT, 1, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    }
}

static void ask(int tag)
{
    MPI_Send(&tag, 1, MPI_INT, 0, 100, MPI_COMM_WORLD);
}

static void receive_each(int count, int *value, MPI_Request *request)
{
    for (int i = 0; i < count; ++i) MPI_Irecv(&value[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request[i]);
}

static void wait_any_by_turns(void)
{
    static const int turns[] = { 2, 0, 4, 1, 3 };
    int value[5], index;
    MPI_Request request[5];
    MPI_Status status;

    if (me == 0) answer(5);
    if (me != 1) return;
    receive_each(5, value, request);
    for (int i = 0; i < 5; ++i) {
        ask(turns[i]);
        MPI_Waitany(5, request, &index, &status);
        say("%d:%d tag %d null %d", index, value[turns[i]], status.MPI_TAG, request[turns[i]] == MPI_REQUEST_NULL);
    }
    MPI_Waitany(5, request, &index, &status);
    say_count("index", index);
}

static void test_any_by_turns(void)
{
    static const int turns[] = { 1, 2, 0 };
    int value[3], index = -1, flag = -1;
    MPI_Request request[3];
    MPI_Status status;

    if (me == 0) answer(3);
    if (me != 1) return;
    receive_each(3, value, request);
    for (int i = 0; i < 3; ++i) {
        MPI_Testany(3, request, &index, &flag, &status);
        say("flag %d", flag);
        say_count("index", index);
        ask(turns[i]);
        do MPI_Testany(3, request, &index, &flag, &status);
        while (!flag);
        say_count("index", index);
        say("tag %d", status.MPI_TAG);
    }
    MPI_Testany(3, request, &index, &flag, &status);
    say("flag %d", flag);
    say_count("index", index);
}

static void wait_some_one_at_a_time(void)
{
    static const int turns[] = { 3, 1, 0, 2 };
    int value[4], some, index[4];
    MPI_Request request[4];
    MPI_Status status[4];

    if (me == 0) answer(4);
    if (me != 1) return;
    receive_each(4, value, request);
    for (int i = 0; i < 4; ++i) {
        ask(turns[i]);
        MPI_Waitsome(4, request, &some, index, status);
        say("%d: %d tag %d", some, index[0], status[0].MPI_TAG);
    }
    MPI_Waitsome(4, request, &some, index, status);
    say_count("some", some);
}

static void wait_some_until_all(void)
{
    int value[20], some, index[20], seen = 0, calls = 0;
    MPI_Request request[20];
    MPI_Status status[20];

    if (me == 0)
        for (int i = 0; i < 20; ++i) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (me != 1) return;
    receive_each(20, value, request);
    for (;; ++calls) {
        MPI_Waitsome(20, request, &some, index, status);
        if (some == MPI_UNDEFINED) break;
        expect(some > 0 && calls < 20, "some %d", some);
        for (int i = 0; i < some; ++i) {
            expect(status[i].MPI_TAG == index[i] && value[index[i]] == index[i], "%d", index[i]);
            expect(request[index[i]] == MPI_REQUEST_NULL, "%d not null", index[i]);
            seen += 1 << index[i];
        }
    }
    say("%x", (unsigned)seen);
}

static void test_some_none_then_all(void)
{
    int value[4], some = -1, index[4], seen = 0;
    MPI_Request request[4];
    MPI_Status status[4];

    if (me == 0) answer(4);
    if (me != 1) return;
    receive_each(4, value, request);
    MPI_Testsome(4, request, &some, index, status);
    say_count("some", some);
    for (int i = 0; i < 4; ++i) ask(i);
    while (some != MPI_UNDEFINED) {
        for (int i = 0; i < some; ++i) seen += 1 << index[i];
        MPI_Testsome(4, request, &some, index, status);
    }
    say("%x", (unsigned)seen);
}

static void test_all_none_then_all(void)
{
    int value[3] = { -1, -1, -1 }, flag = -1;
    MPI_Request request[3];
    MPI_Status status[3];

    if (me == 0) answer(3);
    if (me != 1) return;
    receive_each(3, value, request);
    ask(0);
    ask(1);
    MPI_Testall(3, request, &flag, status);
    say("flag %d null %d", flag, request[2] == MPI_REQUEST_NULL);
    ask(2);
    while (!flag) MPI_Testall(3, request, &flag, status);
    say("null %d", request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL && request[2] == MPI_REQUEST_NULL);
    for (int i = 0; i < 3; ++i) say("%d:%d", status[i].MPI_TAG, value[i]);
}

static void wait_all_statuses(void)
{
    int value[6], a[6][6];
    MPI_Request request[6];
    MPI_Status status[6];

    fill(value, 6, 0);
    for (int i = 5; i >= 0 && me == 0; --i)
        if (i != 3) MPI_Send(value, i, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (me != 1) return;
    for (int i = 0; i < 6; ++i)
        if (i == 3)
            request[i] = MPI_REQUEST_NULL;
        else
            MPI_Irecv(a[i], 6, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &request[i]);
    MPI_Waitall(6, request, status);
    for (int i = 0; i < 6; ++i) say_status(&status[i], MPI_INT);
}

static void statuses_ignored(void)
{
    int value[4], index[4], some, flag = 0, got = 0;
    MPI_Request request[4];

    if (me == 0)
        for (int round = 0; round < 3; ++round)
            for (int i = 0; i < 4; ++i) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (me != 1) return;
    receive_each(4, value, request);
    while (!flag) MPI_Testall(4, request, &flag, MPI_STATUSES_IGNORE);
    receive_each(4, value, request);
    while (got < 4) {
        MPI_Waitsome(4, request, &some, index, MPI_STATUSES_IGNORE);
        got += some;
    }
    receive_each(4, value, request);
    while (got < 8) {
        MPI_Testsome(4, request, &some, index, MPI_STATUSES_IGNORE);
        got += some;
    }
    say_ints("got", value, 4);
}

static void wait_all_many(void)
{
    int out[200], in[200];
    MPI_Request request[400];

    if (me > 1) return;
    fill(out, 200, me);
    for (int i = 0; i < 200; ++i) {
        MPI_Isend(&out[i], 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD, &request[2 * i]);
        MPI_Irecv(&in[199 - i], 1, MPI_INT, 1 - me, 199 - i, MPI_COMM_WORLD, &request[2 * i + 1]);
    }
    MPI_Waitall(400, request, MPI_STATUSES_IGNORE);
    expect_filled(in, 200, 1 - me);
}

static void wait_in_other_order(void)
{
    int a[8];
    MPI_Request request[8];

    if (me > 1) return;
    fill(a, 8, me == 0 ? 5 : 0);
    for (int i = 0; i < 8; ++i)
        if (me == 0)
            MPI_Isend(&a[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]);
        else
            MPI_Irecv(&a[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < 8; ++i) MPI_Wait(&request[(i * 5 + 3) % 8], MPI_STATUS_IGNORE);
    expect_filled(a, 8, 5);
}

static void wait_any_of_persistent(void)
{
    int value[3], index, stays = 0;
    MPI_Request request[3];

    if (me == 0) answer(6);
    if (me != 1) return;
    for (int i = 0; i < 3; ++i) MPI_Recv_init(&value[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request[i]);
    for (int round = 0; round < 2; ++round) {
        MPI_Startall(3, request);
        for (int i = 2; i >= 0; --i) {
            ask(i);
            MPI_Waitany(3, request, &index, MPI_STATUS_IGNORE);
            say("%d", index);
            stays += request[i] != MPI_REQUEST_NULL;
        }
        MPI_Waitany(3, request, &index, MPI_STATUS_IGNORE);
        say_count("index", index);
    }
    say("stays %d", stays);
    for (int i = 0; i < 3; ++i) MPI_Request_free(&request[i]);
}

/*=============================================================================
 * MARK: - >>get status, cancel, free
 *===========================================================================*/
static void get_status(void)
{
    int value = -1, flag = -1;
    MPI_Request request;
    MPI_Status status;

    if (me == 0) answer(1);
    if (me != 1) return;
    MPI_Irecv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
    MPI_Request_get_status(request, &flag, &status);
    say("flag %d", flag);
    ask(8);
    while (!flag) MPI_Request_get_status(request, &flag, &status);
    say_status(&status, MPI_INT);
    say("value %d null %d", value, request == MPI_REQUEST_NULL);
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE); /* it stays complete */
    say("flag %d", flag);
    MPI_Wait(&request, &status);
    say_status(&status, MPI_INT);
    say("null %d", request == MPI_REQUEST_NULL);
}

static void get_status_of_none(void)
{
    int value, flag = -1;
    MPI_Request request;
    MPI_Status status = another_status();

    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
    say("flag %d", flag);
    say_empty(&status);
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    flag = -1;
    status = another_status();
    MPI_Request_get_status(request, &flag, &status);
    say("flag %d", flag);
    say_empty(&status);
    MPI_Request_free(&request);
}

static void cancel_receive(void)
{
    int value = 5, flag = -1;
    MPI_Request request;
    MPI_Status status;

    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    say("cancelled %d value %d null %d", flag, value, request == MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void cancel_among_others(void)
{
    int value[3], flag[3];
    MPI_Request request[3];
    MPI_Status status[3];

    if (me == 0) {
        told_by(1);
        MPI_Send(&np, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&np, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (me == 1) {
        receive_each(3, value, request);
        MPI_Cancel(&request[1]);
        tell(0);
        MPI_Waitall(3, request, status);
        for (int i = 0; i < 3; ++i) MPI_Test_cancelled(&status[i], &flag[i]);
        say_ints("cancelled", flag, 3);
    }
}

static void cancel_persistent(void)
{
    int value = -1, flag = -1;
    MPI_Request request;
    MPI_Status status;

    if (me == 0) {
        told_by(1);
        MPI_Send(&np, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        say("cancelled %d null %d", flag, request == MPI_REQUEST_NULL);
        MPI_Start(&request);
        tell(0);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        say("cancelled %d got %d", flag, value == np);
        MPI_Request_free(&request);
    }
}

static void not_cancelled(void)
{
    int got = -1, flag = -1;
    MPI_Status status;

    MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % np, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Test_cancelled(&status, &flag);
    say("cancelled %d", flag);
}

static void set_cancelled_and_elements(void)
{
    int flag = -1, count;
    MPI_Status status = another_status();

    MPI_Status_set_cancelled(&status, 1);
    MPI_Test_cancelled(&status, &flag);
    say("cancelled %d", flag);
    MPI_Status_set_cancelled(&status, 0);
    MPI_Test_cancelled(&status, &flag);
    say("cancelled %d", flag);
    MPI_Status_set_elements(&status, MPI_DOUBLE, 12);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    say_count("count", count);
    MPI_Get_elements(&status, MPI_DOUBLE, &count);
    say_count("elements", count);
}

/* The message goes on without its request. */
static void free_active_send(void)
{
    const int count = 100000;
    int *a = (int *)room((size_t)count * sizeof *a);
    MPI_Request request;

    fill(a, count, me == 0 ? 1 : 0);
    if (me == 0) {
        MPI_Isend(a, count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        say("null %d", request == MPI_REQUEST_NULL);
        told_by(1); /* now the buffer may go */
    } else if (me == 1) {
        MPI_Recv(a, count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_filled(a, count, 1);
        tell(0);
    }
    free(a);
}

static void free_active_persistent_send(void)
{
    int value = 6;
    MPI_Request request;

    if (me == 0) {
        MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Request_free(&request);
        told_by(1);
    } else if (me == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("got %d", value);
        tell(0);
    }
}

const conform_case conform_requests[] = {
    CASE(persistent_send, 2),
    CASE(persistent_ssend, 2),
    CASE(persistent_bsend, 2),
    CASE(persistent_rsend, 2),
    CASE(persistent_meets_plain, 2),
    CASE(startall_ring, 1),
    CASE(startall_many, 2),
    CASE(persistent_proc_null, 1),
    CASE(persistent_free_unused, 1),
    CASE(persistent_large, 2),
    CASE(wait_null, 1),
    CASE(test_null, 1),
    CASE(wait_any_null, 1),
    CASE(test_any_null, 1),
    CASE(wait_all_null, 1),
    CASE(wait_some_null, 1),
    CASE(wait_for_none, 1),
    CASE(inactive_wait_and_test, 1),
    CASE(inactive_any_some_all, 1),
    CASE(null_after_wait, 1),
    CASE(test_until_complete, 2),
    CASE(wait_any_by_turns, 2),
    CASE(test_any_by_turns, 2),
    CASE(wait_some_one_at_a_time, 2),
    CASE(wait_some_until_all, 2),
    CASE(test_some_none_then_all, 2),
    CASE(test_all_none_then_all, 2),
    CASE(wait_all_statuses, 2),
    CASE(statuses_ignored, 2),
    CASE(wait_all_many, 2),
    CASE(wait_in_other_order, 2),
    CASE(wait_any_of_persistent, 2),
    CASE(get_status, 2),
    CASE(get_status_of_none, 1),
    CASE(cancel_receive, 1),
    CASE(cancel_among_others, 2),
    CASE(cancel_persistent, 2),
    CASE(not_cancelled, 1),
    CASE(set_cancelled_and_elements, 1),
    CASE(free_active_send, 2),
    CASE(free_active_persistent_send, 2),
    NO_MORE_CASES,
};
