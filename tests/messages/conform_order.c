/* conform_order.c - which message goes to which receive. */
#include "conform.h"

/* Sends `value` as one int to rank `to`, without waiting for the receive; MPI_Waitall later. */
static MPI_Request post(const int *value, int to, int tag, MPI_Comm comm)
{
    MPI_Request request;

    MPI_Isend(value, 1, MPI_INT, to, tag, comm, &request);
    return request;
}

static int take(int from, int tag, MPI_Comm comm)
{
    int value = -1;

    MPI_Recv(&value, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
    return value;
}

/* A message that says only that its sender has come so far. */
static void tell(int to)
{
    MPI_Send(NULL, 0, MPI_INT, to, 999, MPI_COMM_WORLD);
}

static void told_by(int from)
{
    MPI_Recv(NULL, 0, MPI_INT, from, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/*=============================================================================
 * MARK: - >>envelopes
 *===========================================================================*/
static void same_envelope_in_order(void)
{
    for (int i = 0; i < 100; ++i)
        if (me == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        } else if (me == 1) {
            const int got = take(0, 3, MPI_COMM_WORLD);
            expect(got == i, "got %d for %d", got, i);
        }
}

static void same_envelope_waiting(void)
{
    int value[100];
    MPI_Request request[100];

    fill(value, 100, 1);
    if (me == 0) {
        for (int i = 0; i < 100; ++i) request[i] = post(&value[i], 1, 3, MPI_COMM_WORLD);
        tell(1);
        MPI_Waitall(100, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        told_by(0);
        for (int i = 0; i < 100; ++i) value[i] = take(0, 3, MPI_COMM_WORLD);
        expect_filled(value, 100, 1);
    }
}

static void tags_in_reverse(void)
{
    int value[50];
    MPI_Request request[50];

    fill(value, 50, 2);
    if (me == 0) {
        for (int i = 0; i < 50; ++i) request[i] = post(&value[i], 1, i, MPI_COMM_WORLD);
        MPI_Waitall(50, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        for (int i = 49; i >= 0; --i) value[i] = take(0, i, MPI_COMM_WORLD);
        expect_filled(value, 50, 2);
    }
}

/* Twenty of each of five tags, received tag by tag: in order within each. */
static void tags_interleaved(void)
{
    int value[100];
    MPI_Request request[100];

    fill(value, 100, 3);
    if (me == 0) {
        for (int i = 0; i < 100; ++i) request[i] = post(&value[i], 1, i % 5, MPI_COMM_WORLD);
        MPI_Waitall(100, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        for (int tag = 4; tag >= 0; --tag)
            for (int i = tag; i < 100; i += 5) {
                const int got = take(0, tag, MPI_COMM_WORLD);
                expect(got == value[i], "tag %d: %d for %d", tag, got, value[i]);
            }
    }
}

static void long_queue_in_reverse(void)
{
    int value[400];
    MPI_Request request[400];

    fill(value, 400, 4);
    if (me == 0) {
        for (int i = 0; i < 400; ++i) request[i] = post(&value[i], 1, i, MPI_COMM_WORLD);
        tell(1);
        MPI_Waitall(400, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        told_by(0);
        for (int i = 399; i >= 0; --i) value[i] = take(MPI_ANY_SOURCE, i, MPI_COMM_WORLD);
        expect_filled(value, 400, 4);
    }
}

static void sources_in_reverse(void)
{
    int last = 0;

    if (me > 0) {
        for (int i = 0; i < 3; ++i) {
            int value = me * 10 + i;
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        return;
    }
    for (int i = np - 1; i > 0; --i)
        for (int k = 0; k < 3; ++k) {
            last = take(i, 0, MPI_COMM_WORLD);
            expect(last == i * 10 + k, "from %d: %d", i, last);
        }
    say("last %d", last);
}

static void zero_length_keep_their_place(void)
{
    int value = 5, count;
    MPI_Status status;

    for (int i = 0; i < 6; ++i)
        if (me == 0) {
            MPI_Send(&value, i % 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else if (me == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            say("%d", count);
        }
}

static void modes_keep_order(void)
{
    int value[4], size = 4 + MPI_BSEND_OVERHEAD;
    char *buffer = (char *)room((size_t)size), *back;
    MPI_Request request[4];

    fill(value, 4, 5);
    if (me == 0) {
        told_by(1); /* for the ready send */
        MPI_Buffer_attach(buffer, size);
        MPI_Issend(&value[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Ibsend(&value[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&value[2], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[2]);
        MPI_Irsend(&value[3], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        MPI_Buffer_detach(&back, &size);
    } else if (me == 1) {
        memset(value, 0, sizeof value);
        for (int i = 0; i < 4; ++i) MPI_Irecv(&value[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[i]);
        tell(0);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        expect_filled(value, 4, 5);
    }
    free(buffer);
}

static void self_keeps_order(void)
{
    int value[20];
    MPI_Request request[20];

    fill(value, 20, 6);
    for (int i = 0; i < 20; ++i) request[i] = post(&value[i], me, i % 2, MPI_COMM_WORLD);
    for (int i = 1; i < 20; i += 2) {
        const int got = take(me, 1, MPI_COMM_WORLD);
        expect(got == value[i], "%d for %d", got, value[i]);
    }
    for (int i = 0; i < 20; i += 2) {
        const int got = take(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD);
        expect(got == value[i], "%d for %d", got, value[i]);
    }
    MPI_Waitall(20, request, MPI_STATUSES_IGNORE);
}

/*=============================================================================
 * MARK: - >>posted receives
 *===========================================================================*/
static void posted_match_in_order(void)
{
    int value[10];
    MPI_Request request[10];

    if (me == 0) {
        told_by(1);
        for (int i = 0; i < 10; ++i) {
            int it = 7000 + i;
            MPI_Send(&it, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        }
    } else if (me == 1) {
        for (int i = 0; i < 10; ++i) MPI_Irecv(&value[i], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[i]);
        tell(0);
        for (int i = 9; i >= 0; --i) MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        expect_filled(value, 10, 7);
    }
}

/* Rank 1 posts the receives, in this order, before rank 0 sends 0, 1, ... with these tags (`early`), or after. */
static void match(int receives, const int *source, const int *tag, int sends, const int *sent, bool early)
{
    int value[16];
    MPI_Request request[16];
    MPI_Status status[16];

    if (me == 0) {
        if (early) told_by(1);
        for (int i = 0; i < sends; ++i) {
            value[i] = i;
            request[i] = post(&value[i], 1, sent[i], MPI_COMM_WORLD);
        }
        if (!early) tell(1);
        MPI_Waitall(sends, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        if (!early) told_by(0);
        for (int i = 0; i < receives; ++i)
            MPI_Irecv(&value[i], 1, MPI_INT, source[i], tag[i], MPI_COMM_WORLD, &request[i]);
        if (early) tell(0);
        MPI_Waitall(receives, request, status);
        for (int i = 0; i < receives; ++i) say("%d:%d", status[i].MPI_TAG, value[i]);
    }
}

static void wildcard_before_specific(void)
{
    static const int source[] = { MPI_ANY_SOURCE, 0 }, sent[] = { 5, 5 };
    const int tag[] = { MPI_ANY_TAG, 5 };

    match(2, source, tag, 2, sent, true);
    match(2, source, tag, 2, sent, false);
}

static void specific_before_wildcard(void)
{
    static const int source[] = { 0, 0 }, sent[] = { 6, 5 };
    const int tag[] = { 5, MPI_ANY_TAG };

    match(2, source, tag, 2, sent, true);
    match(2, source, tag, 2, sent, false);
}

static void wildcards_among_specific(void)
{
    const int source[] = { 0, MPI_ANY_SOURCE, MPI_ANY_SOURCE, 0, MPI_ANY_SOURCE, 0, 0, MPI_ANY_SOURCE };
    const int tag[] = { 3, 2, MPI_ANY_TAG, MPI_ANY_TAG, 1, 1, MPI_ANY_TAG, 3 };
    static const int sent[] = { 1, 2, 2, 3, 1, 1, 3, 3 };

    match(8, source, tag, 8, sent, true);
    match(8, source, tag, 8, sent, false);
}

static void many_wildcards_among_specific(void)
{
    int source[16], tag[16], sent[16];

    for (int round = 0; round < 8; ++round) {
        for (int i = 0; i < 16; ++i) { /* each tag as often sent as received, the last four by wildcards */
            sent[i] = (i * 5 + round * 3) % 4;
            source[i] = (i + round) % 3 ? 0 : MPI_ANY_SOURCE;
            tag[i] = i < 12 ? (i * 3 + round) % 4 : MPI_ANY_TAG;
        }
        match(16, source, tag, 16, sent, round % 2);
    }
}

static void cancelled_receive_takes_nothing(void)
{
    int first = -1, second = -1, flag = -1;
    MPI_Request request;
    MPI_Status status;

    if (me == 0) {
        told_by(1);
        MPI_Send(&np, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        tell(0);
        second = take(0, 4, MPI_COMM_WORLD);
        say("cancelled %d first %d second %d", flag, first, second == np);
    }
}

/*=============================================================================
 * MARK: - >>wildcards
 *===========================================================================*/
static void any_tag_in_order(void)
{
    static const int tags[] = { 3, 1, 2, 7, 1, 0 };
    int value[6];
    MPI_Request request[6];
    MPI_Status status;

    fill(value, 6, 0);
    if (me == 0) {
        for (int i = 0; i < 6; ++i) request[i] = post(&value[i], 1, tags[i], MPI_COMM_WORLD);
        MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        for (int i = 0; i < 6; ++i) {
            int got;
            MPI_Recv(&got, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            say("%d:%d", status.MPI_TAG, got);
        }
    }
}

/* Each sends only when the one before has been received. */
static void any_source_one_at_a_time(void)
{
    MPI_Status status;
    int got;

    if (me > 0) {
        told_by(0);
        MPI_Send(&me, 1, MPI_INT, 0, me % 3, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < np; ++i) {
        tell(np - i);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        expect(got == np - i && status.MPI_SOURCE == np - i && status.MPI_TAG == got % 3, "%d for %d", got, np - i);
    }
}

static void any_source_gets_all(void)
{
    int *seen = (int *)room((size_t)np * sizeof *seen), sum = 0;
    MPI_Status status;

    if (me > 0) MPI_Send(&me, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int i = 1; i < np && me == 0; ++i) {
        int got = -1;
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        expect(got == status.MPI_SOURCE, "%d from %d", got, status.MPI_SOURCE);
        expect(got > 0 && got < np && !seen[got]++, "%d twice", got);
        sum += got;
    }
    if (me == 0) expect(sum == np * (np - 1) / 2, "sum %d", sum);
    free(seen);
}

/* In whatever order the sources come, each is in order. */
static void any_source_keeps_each_in_order(void)
{
    int *next = (int *)room((size_t)np * sizeof *next);
    MPI_Status status;

    if (me > 0)
        for (int i = 0; i < 20; ++i) MPI_Send(&i, 1, MPI_INT, 0, i % 3, MPI_COMM_WORLD);
    for (int i = 0; i < 20 * (np - 1) && me == 0; ++i) {
        int got = -1;
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        expect(got == next[status.MPI_SOURCE]++, "%d from %d", got, status.MPI_SOURCE);
        expect(status.MPI_TAG == got % 3, "tag %d", status.MPI_TAG);
    }
    free(next);
}

static void any_source_of_a_tag(void)
{
    int got[2] = { -1, -1 };
    MPI_Status status;

    if (me == 1 || me == 2) MPI_Send(&me, 1, MPI_INT, 0, me, MPI_COMM_WORLD);
    if (me != 0) return;
    for (int i = 0; i < 2; ++i) {
        MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 2 - i, MPI_COMM_WORLD, &status);
        say("%d from %d", got[i], status.MPI_SOURCE);
    }
}

static void any_tag_of_a_source(void)
{
    int got = -1;
    MPI_Status status;

    if (me == 1 || me == 2) MPI_Send(&me, 1, MPI_INT, 0, 10 + me, MPI_COMM_WORLD);
    if (me != 0) return;
    for (int i = 2; i > 0; --i) {
        MPI_Recv(&got, 1, MPI_INT, i, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        say("%d tag %d", got, status.MPI_TAG);
    }
}

/*=============================================================================
 * MARK: - >>communicators
 *===========================================================================*/
static void communicators_do_not_mix(void)
{
    int value[3] = { 10, 20, 30 };
    MPI_Comm comm[3] = { MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL };
    MPI_Request request[3];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[2]);
    if (me == 0) {
        for (int i = 0; i < 3; ++i) request[i] = post(&value[i], 1, 0, comm[i]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        for (int i = 2; i >= 0; --i) say("%d", take(MPI_ANY_SOURCE, MPI_ANY_TAG, comm[i]));
    }
    MPI_Comm_free(&comm[1]);
    MPI_Comm_free(&comm[2]);
}

static void order_within_each_communicator(void)
{
    int value[60];
    MPI_Comm comm[3];
    MPI_Request request[60];

    for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    fill(value, 60, 1);
    if (me == 0) {
        for (int i = 0; i < 60; ++i) request[i] = post(&value[i], 1, 0, comm[i % 3]);
        MPI_Waitall(60, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        for (int k = 1; k < 4; ++k)
            for (int i = k % 3; i < 60; i += 3) {
                const int got = take(0, MPI_ANY_TAG, comm[k % 3]);
                expect(got == value[i], "%d for %d", got, value[i]);
            }
    }
    for (int i = 0; i < 3; ++i) MPI_Comm_free(&comm[i]);
}

static void wildcards_of_each_communicator(void)
{
    int value[2] = { 1, 2 }, got[2] = { -1, -1 };
    MPI_Comm comm;
    MPI_Request request[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (me == 0) {
        told_by(1);
        request[0] = post(&value[0], 1, 0, comm);
        request[1] = post(&value[1], 1, 0, MPI_COMM_WORLD);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[1]);
        MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request[0]);
        tell(0);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        say_ints("got", got, 2);
    }
    MPI_Comm_free(&comm);
}

static void probe_sees_one_communicator(void)
{
    int flag = -1, other = -1;
    MPI_Comm comm, empty;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &empty);
    if (me == 0) MPI_Send(&me, 1, MPI_INT, 1, 0, comm);
    if (me == 1) {
        MPI_Probe(0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 0, comm, &flag, MPI_STATUS_IGNORE);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, empty, &other, MPI_STATUS_IGNORE);
        say("flag %d other %d got %d", flag, other, take(0, 0, comm));
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&empty);
}

/* Ranks in a communicator that reverses the order. */
static void ranks_of_the_communicator(void)
{
    MPI_Comm comm;
    MPI_Status status;
    int rank, got = -1;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Sendrecv(&me, 1, MPI_INT, (rank + 1) % np, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &status);
    say("rank %d got %d from %d", rank, got, status.MPI_SOURCE);
    MPI_Comm_free(&comm);
}

/* A receive of anything, posted before, gets no message of a collective operation. */
static void collectives_do_not_mix(void)
{
    int value = -1, data = me == 0 ? 5 : 0, sum = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm comm;

    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&data, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Send(&me, 1, MPI_INT, (me + 1) % np, 77, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    expect(sum == 5 * np, "sum %d", sum);
    expect(value == (me + np - 1) % np && status.MPI_TAG == 77, "got %d tag %d", value, status.MPI_TAG);
}

/* A message waits while the others go on. */
static void message_across_collectives(void)
{
    int data = me;
    MPI_Request request = MPI_REQUEST_NULL;

    if (me == 0) request = post(&np, 1, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 5; ++i) {
        MPI_Bcast(&data, 1, MPI_INT, i % np, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (me == 1) say("got np %d", take(0, MPI_ANY_TAG, MPI_COMM_WORLD) == np);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/*=============================================================================
 * MARK: - >>large and small
 *===========================================================================*/
static void large_then_small(void)
{
    const int count = 250000;
    int *a = (int *)room((size_t)count * sizeof *a), one = 8, size;
    MPI_Request request[2];
    MPI_Status status;

    fill(a, count, me == 0 ? 8 : 0);
    if (me == 0) {
        MPI_Isend(a, count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        for (int i = 0; i < 2; ++i) {
            MPI_Recv(a, count, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &size);
            say("count %d", size);
            expect(a[0] == (i == 0 ? 8000 : 8), "first %d", a[0]);
        }
        a[0] = 8000;
        expect_filled(a, count, 8);
    }
    free(a);
}

static void small_overtakes_by_its_tag(void)
{
    const int count = 250000;
    int *a = (int *)room((size_t)count * sizeof *a), one = 8;
    MPI_Request request[2];

    if (me == 0) {
        fill(a, count, 9);
        MPI_Isend(a, count, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&one, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        say("small %d", take(0, 2, MPI_COMM_WORLD));
        MPI_Recv(a, count, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_filled(a, count, 9);
    }
    free(a);
}

static void sizes_by_turns(void)
{
    static const int sizes[] = { 100000, 1, 20000, 0, 3000, 60000, 2, 40000, 1000, 16 };
    int *a = (int *)room(10 * 100000 * sizeof *a), count;
    MPI_Request request[10];
    MPI_Status status[10];

    if (me == 0) {
        for (int i = 0; i < 10; ++i) {
            fill(a + i * 100000, sizes[i], i);
            MPI_Isend(a + i * 100000, sizes[i], MPI_INT, 1, 0, MPI_COMM_WORLD, &request[i]);
        }
        MPI_Waitall(10, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        for (int i = 0; i < 10; ++i) MPI_Irecv(a + i * 100000, 100000, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(10, request, status);
        for (int i = 0; i < 10; ++i) {
            MPI_Get_count(&status[i], MPI_INT, &count);
            say("%d", count);
            expect_filled(a + i * 100000, sizes[i], i);
        }
    }
    free(a);
}

/*=============================================================================
 * MARK: - >>probe
 *===========================================================================*/
static void probe_then_receive(void)
{
    int a[10], count;
    MPI_Status status;

    fill(a, 10, me == 0 ? 3 : 0);
    if (me == 0) MPI_Send(a, 7, MPI_INT, 1, 12, MPI_COMM_WORLD);
    if (me != 1) return;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    say_status(&status, MPI_INT);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Recv(a, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    say_status(&status, MPI_INT);
    expect_filled(a, 7, 3);
}

/* Probe finds what the receive with the same arguments gets, whichever comes first. */
static void probe_among_many(void)
{
    int count[2], value[6];
    MPI_Status status[2];

    if (me > 0)
        for (int i = 0; i < 5; ++i) {
            fill(value, 6, me);
            MPI_Send(value, 1 + (me + i) % 5, MPI_INT, 0, me, MPI_COMM_WORLD);
        }
    for (int i = 0; i < 5 * (np - 1) && me == 0; ++i) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status[0]);
        MPI_Get_count(&status[0], MPI_INT, &count[0]);
        MPI_Recv(value, 6, MPI_INT, status[0].MPI_SOURCE, status[0].MPI_TAG, MPI_COMM_WORLD, &status[1]);
        MPI_Get_count(&status[1], MPI_INT, &count[1]);
        expect(count[0] == count[1], "counts %d %d", count[0], count[1]);
        expect(status[0].MPI_SOURCE == status[1].MPI_SOURCE && value[0] == status[0].MPI_SOURCE * 1000, "another");
    }
}

static void probe_takes_nothing(void)
{
    MPI_Status status;

    for (int i = 1; i < 4; ++i)
        if (me == 0) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (me != 1) return;
    for (int i = 0; i < 3; ++i) {
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        say("%d", status.MPI_TAG);
    }
    for (int i = 0; i < 3; ++i) say("got %d", take(0, MPI_ANY_TAG, MPI_COMM_WORLD));
}

static void probe_skips_other_tags(void)
{
    int value[2] = { 4, 5 };
    MPI_Request request[2];
    MPI_Status status;

    if (me == 0) {
        for (int i = 0; i < 2; ++i) request[i] = post(&value[i], 1, 4 + i, MPI_COMM_WORLD);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else if (me == 1) {
        MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
        say_status(&status, MPI_INT);
        say("got %d", take(0, MPI_ANY_TAG, MPI_COMM_WORLD)); /* the first is still the first */
        say("got %d", take(0, MPI_ANY_TAG, MPI_COMM_WORLD));
    }
}

static void probe_of_large(void)
{
    const int count = 200000;
    int *a = (int *)room((size_t)count * sizeof *a);
    MPI_Status status;

    fill(a, count, me == 0 ? 6 : 0);
    if (me == 0) MPI_Send(a, count, MPI_INT, 1, 2, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Probe(0, 2, MPI_COMM_WORLD, &status);
        say_status(&status, MPI_INT);
        MPI_Recv(a, count, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_filled(a, count, 6);
    }
    free(a);
}

static void iprobe_finds_nothing(void)
{
    int flag = -1;

    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    say("flag %d", flag);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void iprobe_until_it_comes(void)
{
    int flag = 0;
    MPI_Status status;

    if (me == 0) MPI_Send(&me, 1, MPI_INT, 1, 31, MPI_COMM_WORLD);
    if (me != 1) return;
    while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &flag, &status);
    say_status(&status, MPI_INT);
    say("got %d", take(status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD));
    MPI_Iprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &flag, &status);
    say("flag %d", flag);
}

/* A posted receive has the first message; probe sees the second. */
static void probe_after_posted(void)
{
    int value[2] = { 1, 2 }, got = -1;
    MPI_Request request;
    MPI_Status status;

    if (me == 0) {
        told_by(1);
        MPI_Send(value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(value, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        tell(0);
        MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
        say_status(&status, MPI_INT);
        MPI_Wait(&request, &status);
        say_status(&status, MPI_INT);
        MPI_Recv(value, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

const conform_case conform_order[] = {
    CASE(same_envelope_in_order, 2),
    CASE(same_envelope_waiting, 2),
    CASE(tags_in_reverse, 2),
    CASE(tags_interleaved, 2),
    CASE(long_queue_in_reverse, 2),
    CASE(sources_in_reverse, 2),
    CASE(zero_length_keep_their_place, 2),
    CASE(modes_keep_order, 2),
    CASE(self_keeps_order, 1),
    CASE(posted_match_in_order, 2),
    CASE(wildcard_before_specific, 2),
    CASE(specific_before_wildcard, 2),
    CASE(wildcards_among_specific, 2),
    CASE(many_wildcards_among_specific, 2),
    CASE(cancelled_receive_takes_nothing, 2),
    CASE(any_tag_in_order, 2),
    CASE(any_source_one_at_a_time, 2),
    CASE(any_source_gets_all, 1),
    CASE(any_source_keeps_each_in_order, 1),
    CASE(any_source_of_a_tag, 3),
    CASE(any_tag_of_a_source, 3),
    CASE(communicators_do_not_mix, 2),
    CASE(order_within_each_communicator, 2),
    CASE(wildcards_of_each_communicator, 2),
    CASE(probe_sees_one_communicator, 2),
    CASE(ranks_of_the_communicator, 1),
    CASE(collectives_do_not_mix, 2),
    CASE(message_across_collectives, 2),
    CASE(large_then_small, 2),
    CASE(small_overtakes_by_its_tag, 2),
    CASE(sizes_by_turns, 2),
    CASE(probe_then_receive, 2),
    CASE(probe_among_many, 1),
    CASE(probe_takes_nothing, 2),
    CASE(probe_skips_other_tags, 2),
    CASE(probe_of_large, 2),
    CASE(iprobe_finds_nothing, 1),
    CASE(iprobe_until_it_comes, 2),
    CASE(probe_after_posted, 2),
    NO_MORE_CASES,
};
