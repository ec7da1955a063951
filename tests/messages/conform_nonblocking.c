/* conform_nonblocking.c - nonblocking collectives: several at once, mixed with messages and with blocking ones, on
 * intercommunicators, and what may be freed before they are complete. */
#include "conform.h"

/*=============================================================================
 * MARK: - >>several at once
 *===========================================================================*/

/* They are started in the same order by all, and waited for in another. */
static void many_outstanding(void)
{
    enum { CALLS = 12 };
    int in[CALLS], out[CALLS];
    MPI_Request request[CALLS];

    for (int i = 0; i < CALLS; ++i) {
        in[i] = 100 * i + me;
        out[i] = -1;
        if (i % 3 == 0) MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]);
        if (i % 3 == 1) MPI_Iscan(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]);
        if (i % 3 == 2) MPI_Ibcast(&in[i], 1, MPI_INT, i % np, MPI_COMM_WORLD, &request[i]);
    }
    for (int i = CALLS - 1; i >= 0; --i) {
        const int at = me % 2 ? i : CALLS - 1 - i;
        MPI_Wait(&request[at], MPI_STATUS_IGNORE);
        expect(request[at] == MPI_REQUEST_NULL, "request %d is left", at);
    }
    for (int i = 0; i < CALLS; ++i) {
        if (i % 3 == 0) expect(out[i] == 100 * i * np + np * (np - 1) / 2, "sum %d: %d", i, out[i]);
        if (i % 3 == 1) expect(out[i] == 100 * i * (me + 1) + me * (me + 1) / 2, "scan %d: %d", i, out[i]);
        if (i % 3 == 2) expect(in[i] == 100 * i + i % np, "bcast %d: %d", i, in[i]);
    }
}

/* Of different sizes, so that they take different ways, on two communicators. */
static void on_two_communicators(void)
{
    const int count = 30000;
    int *a = (int *)room((size_t)count * sizeof *a), *b = (int *)room((size_t)count * sizeof *b), one = me, sum = -1;
    MPI_Comm half;
    MPI_Request request[4];

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    fill(a, count, me == 0 ? 3 : 0);
    fill(b, count, 1);
    MPI_Ibcast(a, count, MPI_INT, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(MPI_IN_PLACE, b, count, MPI_INT, MPI_MAX, half, &request[1]);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[2]);
    MPI_Ibarrier(half, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    expect_filled(a, count, 3);
    expect_filled(b, count, 1);
    say("%d", sum == np * (np - 1) / 2);
    MPI_Comm_free(&half);
    free(a);
    free(b);
}

/* Blocking ones and messages between start and end. */
static void mixed_with_blocking(void)
{
    int in = me + 1, product = -1, sum = -1, left = -1, root = me == np - 1 ? 77 : -1;
    MPI_Request request[2];

    MPI_Iallreduce(&in, &product, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD, &request[0]);
    MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibcast(&root, 1, MPI_INT, np - 1, MPI_COMM_WORLD, &request[1]);
    MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % np, 0, &left, 1, MPI_INT, (me + np - 1) % np, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    say("%d %d left %d root %d", product, sum, left, root);
}

/* Waits for messages and collectives together. */
static void waits_for_both(void)
{
    int left = -1, sum = -1, seen = 0, done, index[4], indices = 0, flag = 0;
    MPI_Request request[4];

    MPI_Irecv(&left, 1, MPI_INT, (me + np - 1) % np, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(&me, 1, MPI_INT, (me + 1) % np, 1, MPI_COMM_WORLD, &request[2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[3]);
    for (int i = 0; i < 2; ++i) {
        int at = -1;
        MPI_Waitany(4, request, &at, MPI_STATUS_IGNORE);
        expect(at >= 0 && at < 4 && !(seen & 1 << at), "any %d", at);
        seen |= 1 << at;
    }
    while (indices < 2) {
        MPI_Testsome(4, request, &done, index, MPI_STATUSES_IGNORE);
        for (int i = 0; i < done; ++i) seen |= 1 << index[i];
        indices += done;
    }
    MPI_Testall(4, request, &flag, MPI_STATUSES_IGNORE);
    say("seen %d flag %d left %d sum %d", seen, flag, left, sum);
    MPI_Waitany(4, request, &done, MPI_STATUS_IGNORE);
    say_count("then", done);
}

/* Nobody gets through before the last has come. */
static void ibarrier_separates(void)
{
    int flag = -1, before = 0;
    MPI_Request request;

    if (me == np - 1) {
        for (int i = 0; i < np - 1; ++i)
            MPI_Recv(&before, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    } else {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Send(&flag, 1, MPI_INT, np - 1, 0, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("flag %d", flag);
}

/* The usual way to find out that all messages have been received when nobody knows how many will come. */
static void sparse_exchange(void)
{
    const int to = (me * 3 + 1) % np;
    int acknowledged = 0, done = 0, flag = 0, got = 0, count = 0, in = -1;
    MPI_Request request, barrier = MPI_REQUEST_NULL;
    MPI_Status status;

    MPI_Issend(&me, 1, MPI_INT, to, 9, MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, &status);
        if (flag) {
            MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            got += in;
            ++count;
        }
        if (acknowledged) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            MPI_Test(&request, &acknowledged, MPI_STATUS_IGNORE);
            if (acknowledged) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        }
    }
    say("%d messages, sum %d", count, got);
}

static void get_status(void)
{
    int flag = 0, sum = -1;
    MPI_Request request;

    MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    say("%d left %d", sum, request != MPI_REQUEST_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/*=============================================================================
 * MARK: - >>what is freed meanwhile
 *===========================================================================*/
static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; ++i) ((int *)inout)[i] += ((int *)in)[i];
}

static void freed_meanwhile(void)
{
    int *a = (int *)room(8 * sizeof *a), *b = (int *)room(8 * sizeof *b);
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request[2];

    for (int i = 0; i < 8; ++i) {
        a[i] = me == 0 ? 10 + i : -1;
        b[i] = me;
    }
    MPI_Type_vector(4, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 1, &op);
    MPI_Ibcast(a, 1, type, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(MPI_IN_PLACE, b, 8, MPI_INT, op, MPI_COMM_WORLD, &request[1]);
    MPI_Type_free(&type);
    MPI_Op_free(&op);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    say_ints("a", a, 8);
    say("b %d", b[7]);
    free(a);
    free(b);
}

/*=============================================================================
 * MARK: - >>intercommunicators: even ranks and odd ranks
 *===========================================================================*/
typedef struct sides {
    MPI_Comm half, inter;
    int rank, size, remote;
} sides;

static sides sides_begin(void)
{
    sides s;

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &s.half);
    MPI_Intercomm_create(s.half, 0, MPI_COMM_WORLD, 1 - me % 2, 12, &s.inter);
    MPI_Comm_rank(s.inter, &s.rank);
    MPI_Comm_size(s.inter, &s.size);
    MPI_Comm_remote_size(s.inter, &s.remote);
    return s;
}

static void sides_end(sides *s)
{
    MPI_Comm_free(&s->inter);
    MPI_Comm_free(&s->half);
}

/* The last even rank is the root. */
static int root_of(const sides *s)
{
    return me % 2 ? (np + 1) / 2 - 1 : s->rank == s->size - 1 ? MPI_ROOT : MPI_PROC_NULL;
}

static void inter_rooted(void)
{
    sides s = sides_begin();
    const int root = root_of(&s);
    int value = root == MPI_ROOT ? 42 : -1, mine = 100 + me, got = -1, sum = -1;
    int *all = (int *)room((size_t)s.remote * sizeof *all), *counts = (int *)room((size_t)s.remote * sizeof *counts);
    int *places = (int *)room((size_t)s.remote * sizeof *places);
    MPI_Request request[6];

    for (int i = 0; i < s.remote; ++i) {
        all[i] = 1000 + i;
        counts[i] = 1;
        places[i] = s.remote - 1 - i;
    }
    MPI_Ibcast(&value, 1, MPI_INT, root, s.inter, &request[0]);
    MPI_Ireduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, s.inter, &request[1]);
    MPI_Iscatter(all, 1, MPI_INT, &got, 1, MPI_INT, root, s.inter, &request[2]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    say("value %d sum %d got %d", value, sum, got);
    MPI_Igather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, s.inter, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    if (root == MPI_ROOT) say_ints("all", all, s.remote);
    MPI_Iscatterv(all, counts, places, MPI_INT, &got, 1, MPI_INT, root, s.inter, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    say("got %d", got);
    MPI_Igatherv(&got, 1, MPI_INT, all, counts, places, MPI_INT, root, s.inter, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    if (root == MPI_ROOT) say_ints("back", all, s.remote);
    free(all);
    free(counts);
    free(places);
    sides_end(&s);
}

static void inter_all(void)
{
    sides s = sides_begin();
    const size_t room_of_all = (size_t)s.remote * sizeof(int);
    int mine = 100 + me, sum = -1, *all = (int *)room(room_of_all), *each = (int *)room(room_of_all);
    int *out = (int *)room(room_of_all);
    MPI_Request request[4];

    for (int i = 0; i < s.remote; ++i) out[i] = 10 * me + i;
    MPI_Ibarrier(s.inter, &request[0]);
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, s.inter, &request[1]);
    MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, s.inter, &request[2]);
    MPI_Ialltoall(out, 1, MPI_INT, each, 1, MPI_INT, s.inter, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    say("sum %d", sum);
    say_ints("all", all, s.remote);
    say_ints("each", each, s.remote);
    free(all);
    free(each);
    free(out);
    sides_end(&s);
}

/* Started one after the other and mixed with blocking ones. */
static void inter_many(void)
{
    sides s = sides_begin();
    const int root = root_of(&s);
    int first = me, second = root == MPI_ROOT ? 7 : -1, sum = -1, product = -1, next = 2;
    MPI_Request request[3];

    MPI_Iallreduce(&first, &sum, 1, MPI_INT, MPI_SUM, s.inter, &request[0]);
    MPI_Ibcast(&second, 1, MPI_INT, root, s.inter, &request[1]);
    MPI_Allreduce(&next, &product, 1, MPI_INT, MPI_PROD, s.inter);
    MPI_Ibarrier(s.inter, &request[2]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    say("sum %d second %d product %d", sum, second, product);
    sides_end(&s);
}

/*=============================================================================
 * MARK: - >>errors
 *===========================================================================*/
static void wrong_arguments(void)
{
    int a = 0, b = 0;
    MPI_Comm comm;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    say_class("count", MPI_Ibcast(&a, -1, MPI_INT, 0, comm, &request));
    say_class("root", MPI_Ibcast(&a, 1, MPI_INT, -1, comm, &request));
    say_class("root", MPI_Ireduce(&a, &b, 1, MPI_INT, MPI_SUM, np, comm, &request));
    say_class("type", MPI_Ibcast(&a, 1, MPI_DATATYPE_NULL, 0, comm, &request));
    say_class("op", MPI_Iallreduce(&a, &b, 1, MPI_INT, MPI_OP_NULL, comm, &request));
    say_class("op", MPI_Iallreduce(&a, &b, 1, MPI_DOUBLE, MPI_BAND, comm, &request));
    say_class("comm", MPI_Ibarrier(MPI_COMM_NULL, &request));
    expect(request == MPI_REQUEST_NULL, "a request was made");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

/* Requests of collectives can neither be cancelled nor freed. */
static void cannot_be_cancelled(void)
{
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Ibarrier(comm, &request);
    expect(MPI_Cancel(&request) != MPI_SUCCESS, "it was cancelled");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}

const conform_case conform_nonblocking[] = {
    CASE(many_outstanding, 1),    CASE(on_two_communicators, 1),
    CASE(mixed_with_blocking, 1), CASE(waits_for_both, 1),
    CASE(ibarrier_separates, 2),  CASE(sparse_exchange, 1),
    CASE(get_status, 1),          CASE(freed_meanwhile, 1),
    CASE(inter_rooted, 2),        CASE(inter_all, 2),
    CASE(inter_many, 2),          CASE(wrong_arguments, 1),
    CASE(cannot_be_cancelled, 2), NO_MORE_CASES,
};
