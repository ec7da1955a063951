/* conform_p2p.c - messages between two ranks: modes, sizes, types, status. */
#include "conform.h"

#include <wchar.h>
#include <stdint.h>

/*=============================================================================
 * MARK: - >>modes
 *===========================================================================*/
static void send_recv(void)
{
    int value = me == 0 ? 17 : 0;
    MPI_Status status;

    if (me == 0) MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (me != 1) return;
    MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
    say("got %d", value);
    say_status(&status, MPI_INT);
}

static void send_array(void)
{
    double a[1000];

    for (int i = 0; i < 1000; ++i) a[i] = me == 0 ? i * 0.5 : -1;
    if (me == 0) MPI_Send(a, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    if (me != 1) return;
    MPI_Recv(a, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1000; ++i) expect(a[i] >= i * 0.5 && a[i] <= i * 0.5, "[%d] %g", i, a[i]);
}

static void ssend_recv(void)
{
    int a[40];
    MPI_Status status;

    fill(a, 40, me == 0 ? 3 : 0);
    if (me == 0) MPI_Ssend(a, 40, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (me != 1) return;
    MPI_Recv(a, 40, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
    expect_filled(a, 40, 3);
    say_status(&status, MPI_INT);
}

/* Rank 1 cannot receive before it is told, so the send cannot be complete. */
static void issend_waits_for_receive(void)
{
    int value = me, flag = 7;
    MPI_Request request;

    if (me == 0) {
        MPI_Issend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        say("complete %d", flag);
        MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        say("null %d", request == MPI_REQUEST_NULL);
    } else if (me == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("got %d", value);
    }
}

static void bsend_recv(void)
{
    int a[10], size = 0;
    char *buffer, *back = NULL;

    fill(a, 10, me == 0 ? 4 : 0);
    if (me == 0) {
        const int bytes = 10 * (int)sizeof(int) + MPI_BSEND_OVERHEAD;
        buffer = (char *)room((size_t)bytes);
        MPI_Buffer_attach(buffer, bytes);
        MPI_Bsend(a, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
        fill(a, 10, 99); /* the message has been copied */
        MPI_Buffer_detach(&back, &size);
        say("same buffer %d same size %d", back == buffer, size == bytes);
        free(buffer);
    } else if (me == 1) {
        MPI_Recv(a, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_filled(a, 10, 4);
    }
}

/* None is received before all have returned. */
static void bsend_many_before_receive(void)
{
    int a[50], one, size;
    char *buffer, *back;

    if (me == 0) {
        MPI_Pack_size(50, MPI_INT, MPI_COMM_WORLD, &one);
        size = 20 * (one + MPI_BSEND_OVERHEAD);
        buffer = (char *)room((size_t)size);
        MPI_Buffer_attach(buffer, size);
        for (int i = 0; i < 20; ++i) {
            fill(a, 50, i);
            MPI_Bsend(a, 50, MPI_INT, 1, i, MPI_COMM_WORLD);
        }
        MPI_Send(NULL, 0, MPI_INT, 1, 100, MPI_COMM_WORLD);
        MPI_Buffer_detach(&back, &size);
        free(buffer);
    } else if (me == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 19; i >= 0; --i) {
            MPI_Recv(a, 50, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            expect_filled(a, 50, i);
        }
    }
}

static void bsend_buffer_is_used_again(void)
{
    int a[1000], size;
    char *buffer, *back;

    for (int round = 0; round < 5; ++round)
        if (me == 0) {
            size = (int)sizeof a + MPI_BSEND_OVERHEAD;
            buffer = (char *)room((size_t)size);
            MPI_Buffer_attach(buffer, size);
            fill(a, 1000, round);
            MPI_Bsend(a, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Buffer_detach(&back, &size); /* waits until it is empty */
            free(back);
        } else if (me == 1) {
            MPI_Recv(a, 1000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            expect_filled(a, 1000, round);
        }
}

static void rsend_recv(void)
{
    int a[30];
    MPI_Request request;
    MPI_Status status;

    fill(a, 30, me == 0 ? 6 : 0);
    if (me == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(a, 30, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Irecv(a, 30, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        expect_filled(a, 30, 6);
        say_status(&status, MPI_INT);
    }
}

static void isend_irecv(void)
{
    int out[100], in[100];
    MPI_Request request[2];
    MPI_Status status[2];

    if (me > 1) return;
    fill(out, 100, me + 1);
    MPI_Irecv(in, 100, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, 100, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, status);
    expect_filled(in, 100, 2 - me);
    say_status(&status[0], MPI_INT);
}

static void issend_irecv(void)
{
    int out[100], in[100];
    MPI_Request request[2];

    if (me > 1) return;
    fill(out, 100, me + 1);
    MPI_Issend(out, 100, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &request[1]);
    MPI_Irecv(in, 100, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    expect_filled(in, 100, 2 - me);
}

static void ibsend_recv(void)
{
    int out[100], in[100], size = 400 + MPI_BSEND_OVERHEAD;
    char *buffer, *back;
    MPI_Request request;

    if (me > 1) return;
    buffer = (char *)room((size_t)size);
    MPI_Buffer_attach(buffer, size);
    fill(out, 100, me + 1);
    MPI_Ibsend(out, 100, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* needs no receive */
    MPI_Recv(in, 100, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &size);
    free(buffer);
    expect_filled(in, 100, 2 - me);
}

static void irsend_recv(void)
{
    int out[100], in[100];
    MPI_Request request[2];

    if (me > 1) return;
    fill(out, 100, me + 1);
    MPI_Irecv(in, 100, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Sendrecv(NULL, 0, MPI_INT, 1 - me, 4, NULL, 0, MPI_INT, 1 - me, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irsend(out, 100, MPI_INT, 1 - me, 3, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    expect_filled(in, 100, 2 - me);
}

/*=============================================================================
 * MARK: - >>sendrecv
 *===========================================================================*/
static void sendrecv_ring(void)
{
    const int left = (me + np - 1) % np, right = (me + 1) % np;
    int value = me * 10, got = -1;
    MPI_Status status;

    MPI_Sendrecv(&value, 1, MPI_INT, right, me, &got, 1, MPI_INT, left, left, MPI_COMM_WORLD, &status);
    say("got %d", got);
    say_status(&status, MPI_INT);
}

static void sendrecv_replace_ring(void)
{
    int a[20];
    MPI_Status status;

    fill(a, 20, me);
    for (int i = 0; i < np; ++i) { /* around, and home */
        MPI_Sendrecv_replace(a, 20, MPI_INT, (me + 1) % np, i, (me + np - 1) % np, i, MPI_COMM_WORLD, &status);
        expect_filled(a, 20, (me + np - 1 - i) % np);
    }
    say_status(&status, MPI_INT);
}

static void sendrecv_replace_large(void)
{
    const int count = 200000;
    int *a = (int *)room((size_t)count * sizeof *a);

    fill(a, count, me);
    MPI_Sendrecv_replace(a, count, MPI_INT, (me + 1) % np, 0, (me + np - 1) % np, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_filled(a, count, (me + np - 1) % np);
    free(a);
}

static void sendrecv_large_ring(void)
{
    const int count = 200000;
    int *a = (int *)room((size_t)count * sizeof *a), *b = (int *)room((size_t)count * sizeof *b);

    fill(a, count, me);
    MPI_Sendrecv(a, count, MPI_INT, (me + 1) % np, 0, b, count, MPI_INT, (me + np - 1) % np, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect_filled(b, count, (me + np - 1) % np);
    free(a);
    free(b);
}

static void sendrecv_self(void)
{
    int out = me + 100, in = -1;
    MPI_Status status;

    MPI_Sendrecv(&out, 1, MPI_INT, me, 9, &in, 1, MPI_INT, me, 9, MPI_COMM_WORLD, &status);
    say("got %d", in - me);
    say("from me %d tag %d", status.MPI_SOURCE == me, status.MPI_TAG);
}

static void sendrecv_line_with_proc_null(void)
{
    const int left = me > 0 ? me - 1 : MPI_PROC_NULL, right = me < np - 1 ? me + 1 : MPI_PROC_NULL;
    int got = -1;
    MPI_Status status;

    MPI_Sendrecv(&me, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &status);
    say("got %d", got);
    say_status(&status, MPI_INT);
}

static void sendrecv_different_counts(void)
{
    int out[8], in[8];
    MPI_Status status;

    fill(out, 8, me);
    fill(in, 8, 50);
    MPI_Sendrecv(out, me % 8, MPI_INT, (me + 1) % np, 0, in, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
    say_status(&status, MPI_INT);
    expect_filled(in, status.MPI_SOURCE % 8, status.MPI_SOURCE);
    for (int i = status.MPI_SOURCE % 8; i < 8; ++i) expect(in[i] == 50000 + i, "[%d] changed", i);
}

static void sendrecv_different_tags(void)
{
    int got = -1, out = me * 3;
    MPI_Status status;

    if (me > 1) return;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - me, 10 + me, &got, 1, MPI_INT, 1 - me, 11 - me, MPI_COMM_WORLD, &status);
    say("got %d tag %d", got, status.MPI_TAG);
}

/* One side by sendrecv, the other by send and receive. */
static void sendrecv_meets_send(void)
{
    int got = -1;

    if (me == 0) {
        MPI_Sendrecv(&me, 1, MPI_INT, 1, 0, &got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("got %d", got);
    } else if (me == 1) {
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("got %d", got);
        MPI_Send(&me, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
}

/*=============================================================================
 * MARK: - >>nothing
 *===========================================================================*/
static void zero_length(void)
{
    int value = 42;
    MPI_Status status;

    if (me == 0) MPI_Send(&value, 0, MPI_INT, 1, 8, MPI_COMM_WORLD);
    if (me != 1) return;
    MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &status);
    say("value %d", value);
    say_status(&status, MPI_INT);
}

static void zero_length_into_zero(void)
{
    MPI_Status status;

    if (me == 0) MPI_Ssend(NULL, 0, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD);
    if (me != 1) return;
    MPI_Recv(NULL, 0, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    say_status(&status, MPI_DOUBLE);
}

static void proc_null_sends(void)
{
    MPI_Request request[4];
    int size = MPI_BSEND_OVERHEAD + 100;
    char *buffer = (char *)room((size_t)size), *back;

    MPI_Buffer_attach(buffer, size);
    MPI_Send(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Ssend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Bsend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Rsend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Isend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Issend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Ibsend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Irsend(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&back, &size);
    free(buffer);
    say("through");
}

static void proc_null_recv(void)
{
    int value = 42;
    MPI_Status status;

    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status);
    say("value %d", value);
    say_status(&status, MPI_INT);
}

static void proc_null_irecv(void)
{
    int value = 42;
    MPI_Status status;
    MPI_Request request;

    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    say("value %d", value);
    say_status(&status, MPI_INT);
}

static void proc_null_probe(void)
{
    int flag = -1;
    MPI_Status status;

    MPI_Probe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status);
    say_status(&status, MPI_INT);
    MPI_Iprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &flag, &status);
    say("flag %d", flag);
    say_status(&status, MPI_INT);
}

/*=============================================================================
 * MARK: - >>self
 *===========================================================================*/
static void self_isend_recv(void)
{
    int out[30], in[30];
    MPI_Request request;

    fill(out, 30, me);
    MPI_Isend(out, 30, MPI_INT, me, 2, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 30, MPI_INT, me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_filled(in, 30, me);
}

static void self_irecv_ssend(void)
{
    int out[30], in[30];
    MPI_Request request;
    MPI_Status status;

    fill(out, 30, me);
    MPI_Irecv(in, 30, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
    MPI_Ssend(out, 30, MPI_INT, me, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    expect_filled(in, 30, me);
    say("from me %d", status.MPI_SOURCE == me);
}

static void self_large(void)
{
    const int count = 100000;
    int *out = (int *)room((size_t)count * sizeof *out), *in = (int *)room((size_t)count * sizeof *in);
    MPI_Request request;

    fill(out, count, me);
    MPI_Isend(out, count, MPI_INT, me, 2, MPI_COMM_WORLD, &request);
    MPI_Recv(in, count, MPI_INT, me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_filled(in, count, me);
    free(out);
    free(in);
}

static void self_bsend(void)
{
    int in = -1, size = 4 + MPI_BSEND_OVERHEAD;
    char *buffer = (char *)room((size_t)size), *back;

    MPI_Buffer_attach(buffer, size);
    MPI_Bsend(&me, 1, MPI_INT, me, 2, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &size);
    free(buffer);
    say("me %d", in == me);
}

/*=============================================================================
 * MARK: - >>sizes
 *===========================================================================*/
static const int sizes[] = { 0,     1,     2,     3,     7,      8,      9,      63,      64,     65,    255,
                             1023,  1024,  1025,  4095,  4096,   4097,   8191,   8192,    12287,  16384, 16385,
                             32768, 65535, 65536, 65537, 131072, 262144, 500001, 1000000, 1048576 };

static unsigned char pattern(int at, int seed)
{
    return (unsigned char)((at * 31 + at / 251 + seed * 7) & 255);
}

static void sizes_by(int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    unsigned char *a = (unsigned char *)room(1048577);
    MPI_Status status;

    for (int s = 0; s < COUNT_OF(sizes) && me < 2; ++s) {
        const int bytes = sizes[s];
        int count = -1;
        for (int i = 0; i < bytes; ++i) a[i] = me == 0 ? pattern(i, s) : 0;
        a[bytes] = 77;
        if (me == 0) {
            send(a, bytes, MPI_BYTE, 1, s, MPI_COMM_WORLD);
            continue;
        }
        MPI_Recv(a, bytes, MPI_BYTE, 0, s, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        expect(count == bytes, "count %d for %d", count, bytes);
        for (int i = 0; i < bytes; ++i) expect(a[i] == pattern(i, s), "size %d: [%d] %d", bytes, i, a[i]);
        expect(a[bytes] == 77, "size %d: more", bytes);
    }
    free(a);
}

static void sizes_send(void)
{
    sizes_by(MPI_Send);
}

static void sizes_ssend(void)
{
    sizes_by(MPI_Ssend);
}

static int isend_wait(const void *a, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;

    MPI_Isend(a, count, type, to, tag, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sizes_isend(void)
{
    sizes_by(isend_wait);
}

static int bsend_detach(const void *a, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    int size = count + MPI_BSEND_OVERHEAD;
    char *buffer = (char *)room((size_t)size), *back;

    MPI_Buffer_attach(buffer, size);
    MPI_Bsend(a, count, type, to, tag, comm);
    MPI_Buffer_detach(&back, &size);
    free(buffer);
    return MPI_SUCCESS;
}

static void sizes_bsend(void)
{
    sizes_by(bsend_detach);
}

/* Both send at once, so neither may wait for the other's receive. */
static void sizes_exchange(void)
{
    unsigned char *a = (unsigned char *)room(1048576), *b = (unsigned char *)room(1048576);

    for (int s = 0; s < COUNT_OF(sizes) && me < 2; ++s) {
        MPI_Request request;
        for (int i = 0; i < sizes[s]; ++i) a[i] = pattern(i, me + s);
        MPI_Isend(a, sizes[s], MPI_BYTE, 1 - me, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(b, sizes[s], MPI_BYTE, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < sizes[s]; ++i) expect(b[i] == pattern(i, 1 - me + s), "size %d: [%d]", sizes[s], i);
    }
    free(a);
    free(b);
}

/* The receive is posted first, with room for the largest. */
static void sizes_into_larger(void)
{
    unsigned char *a = (unsigned char *)room(1048577);
    MPI_Request request;
    MPI_Status status;

    for (int s = 0; s < COUNT_OF(sizes) && me < 2; ++s) {
        int count = -1;
        if (me == 0) {
            for (int i = 0; i < sizes[s]; ++i) a[i] = pattern(i, s);
            MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(a, sizes[s], MPI_BYTE, 1, 2, MPI_COMM_WORLD);
            continue;
        }
        a[sizes[s]] = 78;
        MPI_Irecv(a, 1048577, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        expect(count == sizes[s], "count %d for %d", count, sizes[s]);
        for (int i = 0; i < sizes[s]; ++i) expect(a[i] == pattern(i, s), "size %d: [%d]", sizes[s], i);
        expect(a[sizes[s]] == 78, "size %d: more", sizes[s]);
    }
    free(a);
}

/*=============================================================================
 * MARK: - >>types
 *===========================================================================*/
#define EACH_TYPE(of)                                                                                                  \
    of(MPI_CHAR, char) of(MPI_SIGNED_CHAR, signed char) of(MPI_UNSIGNED_CHAR, unsigned char) of(MPI_SHORT, short)      \
        of(MPI_UNSIGNED_SHORT, unsigned short) of(MPI_INT, int) of(MPI_UNSIGNED, unsigned) of(MPI_LONG, long)          \
            of(MPI_UNSIGNED_LONG, unsigned long) of(MPI_LONG_LONG_INT, long long) of(MPI_LONG_LONG, long long)         \
                of(MPI_UNSIGNED_LONG_LONG, unsigned long long) of(MPI_FLOAT, float) of(MPI_DOUBLE, double)             \
                    of(MPI_LONG_DOUBLE, long double) of(MPI_WCHAR, wchar_t) of(MPI_BYTE, unsigned char)

#define SEND_TYPE(type, c)                                                                                             \
    {                                                                                                                  \
        c a[5];                                                                                                        \
        int count = -1;                                                                                                \
        for (int i = 0; i < 5; ++i) a[i] = (c)(me == 0 ? i * 25 + 1 : 0);                                              \
        if (me == 0) MPI_Send(a, 5, type, 1, 0, MPI_COMM_WORLD);                                                       \
        if (me == 1) {                                                                                                 \
            MPI_Recv(a, 5, type, 0, 0, MPI_COMM_WORLD, &status);                                                       \
            MPI_Get_count(&status, type, &count);                                                                      \
            expect(count == 5, #type " count %d", count);                                                              \
            for (int i = 0; i < 5; ++i) expect((int)a[i] == i * 25 + 1, #type "[%d] %d", i, (int)a[i]);                \
        }                                                                                                              \
    }

static void basic_types(void)
{
    MPI_Status status;

    EACH_TYPE(SEND_TYPE)
}

#define SIZE_TYPE(type, c)                                                                                             \
    MPI_Type_size(type, &bytes);                                                                                       \
    expect(bytes == (int)sizeof(c), #type " size %d", bytes);                                                          \
    MPI_Type_get_extent(type, &lb, &extent);                                                                           \
    expect(lb == 0 && extent == (MPI_Aint)sizeof(c), #type " extent %ld", (long)extent);

static void basic_type_sizes(void)
{
    int bytes;
    MPI_Aint lb, extent;

    EACH_TYPE(SIZE_TYPE)
}

/* The types that MPI 2.2 has added. */
#define EACH_TYPE_2_2(of)                                                                                              \
    of(MPI_INT8_T, int8_t) of(MPI_INT16_T, int16_t) of(MPI_INT32_T, int32_t) of(MPI_INT64_T, int64_t)                  \
        of(MPI_UINT8_T, uint8_t) of(MPI_UINT16_T, uint16_t) of(MPI_UINT32_T, uint32_t) of(MPI_UINT64_T, uint64_t)      \
            of(MPI_AINT, MPI_Aint)

static void types_of_2_2(void)
{
    MPI_Status status;
    int bytes;
    MPI_Aint lb, extent;

    EACH_TYPE_2_2(SEND_TYPE)
    EACH_TYPE_2_2(SIZE_TYPE)
}

static void extreme_values(void)
{
    long long a[3] = { LLONG_MIN, LLONG_MAX, -1 };
    double d[3] = { 1e308, -1e-308, 0.1 };
    char c[3] = { CHAR_MIN, CHAR_MAX, 0 };

    if (me == 0) {
        MPI_Send(a, 3, MPI_LONG_LONG, 1, 0, MPI_COMM_WORLD);
        MPI_Send(d, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(c, 3, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        memset(a, 0, sizeof a);
        memset(d, 0, sizeof d);
        memset(c, 7, sizeof c);
        MPI_Recv(a, 3, MPI_LONG_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(d, 3, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(c, 3, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("%lld %lld %lld %g %g %g %d %d %d", a[0], a[1], a[2], d[0], d[1], d[2], c[0], c[1], c[2]);
    }
}

/*=============================================================================
 * MARK: - >>status
 *===========================================================================*/
static void count_less_than_room(void)
{
    int a[10];
    MPI_Status status;

    fill(a, 10, me == 0 ? 2 : 9);
    if (me == 0) MPI_Send(a, 4, MPI_INT, 1, 6, MPI_COMM_WORLD);
    if (me != 1) return;
    MPI_Recv(a, 10, MPI_INT, 0, 6, MPI_COMM_WORLD, &status);
    say_status(&status, MPI_INT);
    say_ints("", a, 10);
}

/* Three ints are one and a half pairs. */
static void count_undefined(void)
{
    int a[4] = { 1, 2, 3, 4 }, count, elements;
    MPI_Datatype pair;
    MPI_Status status;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    if (me == 0) MPI_Send(a, 3, MPI_INT, 1, 6, MPI_COMM_WORLD);
    if (me == 1) {
        a[3] = 99;
        MPI_Recv(a, 2, pair, 0, 6, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, pair, &count);
        MPI_Get_elements(&status, pair, &elements);
        say_count("count", count);
        say("elements %d", elements);
        say_ints("", a, 4);
    }
    MPI_Type_free(&pair);
}

static void count_of_whole_pairs(void)
{
    int a[6] = { 1, 2, 3, 4, 5, 6 }, count, elements;
    MPI_Datatype pair;
    MPI_Status status;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    if (me == 0) MPI_Send(a, 2, pair, 1, 6, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Recv(a, 3, pair, 0, 6, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, pair, &count);
        MPI_Get_elements(&status, pair, &elements);
        say("count %d elements %d", count, elements);
    }
    MPI_Type_free(&pair);
}

static void status_of_wildcards(void)
{
    int value = 5;
    MPI_Status status;

    if (me == np - 1) MPI_Send(&value, 1, MPI_INT, 0, 123, MPI_COMM_WORLD);
    if (me != 0) return;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    say("last %d", status.MPI_SOURCE == np - 1);
    say("tag %d", status.MPI_TAG);
}

static void status_ignore(void)
{
    int a[3] = { me, me, me };
    MPI_Request request;

    if (me == 0) {
        for (int i = 0; i < 3; ++i) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(&a[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&a[1], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&a[2], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say_ints("got", a, 3);
    }
}

static void tags_at_the_ends(void)
{
    static const int tags[] = { 0, 1, 255, 256, 32766, 32767 };
    int value = -1;
    MPI_Status status;

    for (int i = 0; i < COUNT_OF(tags) && me < 2; ++i) {
        if (me == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD);
            continue;
        }
        MPI_Recv(&value, 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD, &status);
        say("%d:%d", status.MPI_TAG, value);
    }
}

/*=============================================================================
 * MARK: - >>among all
 *===========================================================================*/
static void token_around(void)
{
    int token = 0;

    if (me == 0) {
        MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, np - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&token, 1, MPI_INT, me - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token += me;
        MPI_Send(&token, 1, MPI_INT, (me + 1) % np, 0, MPI_COMM_WORLD);
    }
    say("token %d", token);
}

static void all_to_zero(void)
{
    int value = me * me, sum = 0;

    if (me > 0) {
        MPI_Send(&value, 1, MPI_INT, 0, me, MPI_COMM_WORLD);
        return;
    }
    for (int i = np - 1; i > 0; --i) {
        MPI_Recv(&value, 1, MPI_INT, i, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = sum * 3 + value;
    }
    say("%d", sum);
}

static void all_to_all_nonblocking(void)
{
    int *out = (int *)room((size_t)np * sizeof *out), *in = (int *)room((size_t)np * sizeof *in);
    MPI_Request *request = (MPI_Request *)room(2 * (size_t)np * sizeof *request);

    for (int i = 0; i < np; ++i) {
        out[i] = me * 100 + i;
        MPI_Irecv(&in[i], 1, MPI_INT, i, 4, MPI_COMM_WORLD, &request[i]);
    }
    for (int i = 0; i < np; ++i) MPI_Isend(&out[i], 1, MPI_INT, i, 4, MPI_COMM_WORLD, &request[np + i]);
    MPI_Waitall(2 * np, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < np; ++i) expect(in[i] == i * 100 + me, "from %d: %d", i, in[i]);
    free(out);
    free(in);
    free(request);
}

static void many_small(void)
{
    int value = 0, sum = 0;

    for (int i = 0; i < 500; ++i)
        if (me == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else if (me == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
    if (me == 1) say("sum %d", sum);
}

static void ping_pong(void)
{
    int value = 0;

    for (int i = 0; i < 50 && me < 2; ++i)
        if (i % 2 == me) {
            ++value;
            MPI_Send(&value, 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    if (me < 2) say("value %d", value);
}

/* Halves of one buffer, each sent from where the other is received on the other side. */
static void parts_of_one_buffer(void)
{
    int a[40];
    MPI_Request request[2];

    if (me > 1) return;
    fill(a, 20, me);
    MPI_Irecv(a + 20, 20, MPI_INT, 1 - me, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(a, 20, MPI_INT, 1 - me, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    expect_filled(a, 20, me);
    expect_filled(a + 20, 20, 1 - me);
}

static void bytes_carry_anything(void)
{
    struct {
        char name[5];
        double x;
        short s;
    } it;

    memset(&it, 0, sizeof it);
    if (me == 0) {
        memcpy(it.name, "mpi", 4);
        it.x = 2.5;
        it.s = -3;
        MPI_Send(&it, (int)sizeof it, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(&it, (int)sizeof it, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("%s %g %d", it.name, it.x, it.s);
    }
}

const conform_case conform_p2p[] = {
    CASE(send_recv, 2),
    CASE(send_array, 2),
    CASE(ssend_recv, 2),
    CASE(issend_waits_for_receive, 2),
    CASE(bsend_recv, 2),
    CASE(bsend_many_before_receive, 2),
    CASE(bsend_buffer_is_used_again, 2),
    CASE(rsend_recv, 2),
    CASE(isend_irecv, 2),
    CASE(issend_irecv, 2),
    CASE(ibsend_recv, 2),
    CASE(irsend_recv, 2),
    CASE(sendrecv_ring, 1),
    CASE(sendrecv_replace_ring, 1),
    CASE(sendrecv_replace_large, 1),
    CASE(sendrecv_large_ring, 1),
    CASE(sendrecv_self, 1),
    CASE(sendrecv_line_with_proc_null, 1),
    CASE(sendrecv_different_counts, 1),
    CASE(sendrecv_different_tags, 2),
    CASE(sendrecv_meets_send, 2),
    CASE(zero_length, 2),
    CASE(zero_length_into_zero, 2),
    CASE(proc_null_sends, 1),
    CASE(proc_null_recv, 1),
    CASE(proc_null_irecv, 1),
    CASE(proc_null_probe, 1),
    CASE(self_isend_recv, 1),
    CASE(self_irecv_ssend, 1),
    CASE(self_large, 1),
    CASE(self_bsend, 1),
    CASE(sizes_send, 2),
    CASE(sizes_ssend, 2),
    CASE(sizes_isend, 2),
    CASE(sizes_bsend, 2),
    CASE(sizes_exchange, 2),
    CASE(sizes_into_larger, 2),
    CASE(basic_types, 2),
    CASE(basic_type_sizes, 1),
    CASE(types_of_2_2, 2),
    CASE(extreme_values, 2),
    CASE(count_less_than_room, 2),
    CASE(count_undefined, 2),
    CASE(count_of_whole_pairs, 2),
    CASE(status_of_wildcards, 2),
    CASE(status_ignore, 2),
    CASE(tags_at_the_ends, 2),
    CASE(token_around, 2),
    CASE(all_to_zero, 2),
    CASE(all_to_all_nonblocking, 1),
    CASE(many_small, 2),
    CASE(ping_pong, 2),
    CASE(parts_of_one_buffer, 2),
    CASE(bytes_carry_anything, 2),
    NO_MORE_CASES,
};
