/* hybrids_comms.c - threads make communicators, and call collectives on those of their own. */
#include "hybrids.h"

/*=============================================================================
 * MARK: - >>communicators
 *===========================================================================*/
/* Size, my rank, and the sum of the ranks in MPI_COMM_WORLD. */
static void note_comm(int thread, MPI_Comm comm)
{
    int size, rank, total;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&me, &total, 1, MPI_INT, MPI_SUM, comm);
    note(thread, "%d/%d=%d", rank, size, total);
}

static void duplicate(int thread)
{
    MPI_Comm copy, second;
    int result = -1;

    MPI_Comm_dup(own[thread], &copy);
    MPI_Comm_dup(copy, &second);
    note_comm(thread, second);
    MPI_Comm_compare(copy, second, &result);
    note(thread, "%s", compared(result));
    MPI_Comm_free(&copy);
    MPI_Comm_free(&second);
}

static void threads_duplicate(void)
{
    each(duplicate);
}

/* Each thread divides in another way. */
static void split(int thread)
{
    MPI_Comm part;
    const int colors[THREADS] = { me % 2, me / 2, me == 0 ? MPI_UNDEFINED : 1 };

    MPI_Comm_split(own[thread], colors[thread], -me, &part);
    if (part == MPI_COMM_NULL) {
        note(thread, "null");
        return;
    }
    note_comm(thread, part);
    MPI_Comm_free(&part);
}

static void threads_split(void)
{
    each(split);
}

static void create(int thread)
{
    MPI_Group all, some;
    MPI_Comm made;
    const int last = np - 1;

    MPI_Comm_group(own[thread], &all);
    if (thread == 0)
        MPI_Group_incl(all, 1, &last, &some);
    else
        MPI_Group_excl(all, thread - 1, &last, &some);
    MPI_Comm_create(own[thread], some, &made);
    if (made == MPI_COMM_NULL)
        note(thread, "null");
    else
        note_comm(thread, made);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
}

static void threads_create(void)
{
    each(create);
}

/* On one communicator at once: the tags tell the calls apart. */
static void create_group(int thread)
{
    MPI_Group all, pair;
    MPI_Comm made;
    const int ranks[2] = { thread % 2 ? me : me < peer ? me : peer, me < peer ? peer : me };

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, thread % 2 ? 1 : 2, ranks, &pair);
    MPI_Comm_create_group(MPI_COMM_WORLD, pair, thread, &made);
    note_comm(thread, made);
    MPI_Comm_free(&made);
    MPI_Group_free(&all);
    MPI_Group_free(&pair);
}

static void threads_create_from_groups(void)
{
    each(create_group);
}

static void duplicate_later(int thread)
{
    MPI_Comm copies[2];
    MPI_Request requests[2];

    for (int i = 0; i < 2; ++i) MPI_Comm_idup(own[thread], &copies[i], &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i) {
        note_comm(thread, copies[i]);
        MPI_Comm_free(&copies[i]);
    }
}

static void threads_duplicate_nonblocking(void)
{
    each(duplicate_later);
}

static void cartesian(int thread)
{
    MPI_Comm line;
    const int dims[1] = { np }, periods[1] = { thread % 2 };
    int from, to, got = -1;

    MPI_Cart_create(own[thread], 1, dims, periods, 0, &line);
    MPI_Cart_shift(line, 0, 1, &from, &to);
    MPI_Sendrecv(&me, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, line, MPI_STATUS_IGNORE);
    note(thread, "%d", got);
    MPI_Comm_free(&line);
}

/* Open MPI 4.1 crashes where the first call of all about topologies is made by two threads. */
static void threads_arrange_lines(void)
{
    MPI_Comm first;
    const int periodic = 0;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &np, &periodic, 0, &first);
    MPI_Comm_free(&first);
    each(cartesian);
}

static void connect(int thread)
{
    MPI_Comm half, between, merged;
    int size, other[1] = { -1 };

    MPI_Comm_split(own[thread], me % 2, me, &half);
    MPI_Intercomm_create(half, 0, own[thread], 1 - me % 2, thread, &between);
    MPI_Comm_remote_size(between, &size);
    MPI_Allreduce(&me, other, 1, MPI_INT, MPI_SUM, between);
    note(thread, "remote %d sum %d", size, other[0]);
    MPI_Intercomm_merge(between, me % 2, &merged);
    note_comm(thread, merged);
    MPI_Comm_free(&half);
    MPI_Comm_free(&between);
    MPI_Comm_free(&merged);
}

static void threads_connect_halves(void)
{
    each(connect);
}

/*=============================================================================
 * MARK: - >>collectives
 *===========================================================================*/
static void all_kinds(int thread)
{
    int value = me == thread % np ? 40 + thread : -1, total = -1, before = 0;
    int *all = ints(np), *other = ints(np);

    MPI_Bcast(&value, 1, MPI_INT, thread % np, own[thread]);
    MPI_Reduce(&me, &total, 1, MPI_INT, MPI_SUM, 0, own[thread]);
    MPI_Exscan(&value, &before, 1, MPI_INT, MPI_SUM, own[thread]);
    MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, own[thread]);
    for (int i = 0; i < np; ++i) all[i] += 10 * me;
    MPI_Alltoall(all, 1, MPI_INT, other, 1, MPI_INT, own[thread]);
    MPI_Barrier(own[thread]);
    note(thread, "%d %d %d %d %d", value, me == 0 ? total : 0, me == 0 ? 0 : before, other[0], other[np - 1]);
    free(all);
    free(other);
}

static void threads_call_collectives(void)
{
    each(all_kinds);
}

/* Each thread calls another one. */
static void another_kind(int thread)
{
    int *all = ints(np), result = -1;

    for (int i = 0; i < np; ++i) all[i] = me + i + thread;
    for (int round = 0; round < 8; ++round) {
        if (thread == 0) MPI_Allreduce(&all[0], &result, 1, MPI_INT, MPI_MAX, own[0]);
        if (thread == 1) MPI_Scatter(all, 1, MPI_INT, &result, 1, MPI_INT, np - 1, own[1]);
        if (thread == 2) MPI_Reduce_scatter_block(all, &result, 1, MPI_INT, MPI_SUM, own[2]);
        all[0] = (all[0] + result) % 100;
    }
    note(thread, "%d", result);
    free(all);
}

static void threads_call_different_collectives(void)
{
    each(another_kind);
}

static void nonblocking(int thread)
{
    int value = me == 0 ? 5 + thread : -1, total = -1, *all = ints(np);
    MPI_Request requests[3];

    MPI_Ibcast(&value, 1, MPI_INT, 0, own[thread], &requests[0]);
    MPI_Iallreduce(&me, &total, 1, MPI_INT, MPI_SUM, own[thread], &requests[1]);
    MPI_Iallgather(&me, 1, MPI_INT, all, 1, MPI_INT, own[thread], &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    note(thread, "%d %d %d", value, total, all[np - 1]);
    free(all);
}

static void threads_call_nonblocking_collectives(void)
{
    each(nonblocking);
}

static void test_barrier(int thread)
{
    int flag = 0, value = thread;
    MPI_Request request;

    MPI_Ibarrier(own[thread], &request);
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, 1, MPI_INT, 0, own[thread]);
    note(thread, "%d null %d", value, request == MPI_REQUEST_NULL);
}

static void threads_test_barriers(void)
{
    each(test_barrier);
}

/* main() begins them on one communicator in an order; threads complete them in another one. */
static MPI_Request begun[THREADS];
static int sums[THREADS];

static void wait_for_sum(int thread)
{
    MPI_Wait(&begun[THREADS - 1 - thread], MPI_STATUS_IGNORE);
    note(thread, "%d", sums[THREADS - 1 - thread]);
}

static void threads_complete_collectives_of_main(void)
{
    const int mine[THREADS] = { me, 10 * me, 100 };

    for (int i = 0; i < THREADS; ++i)
        MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &begun[i]);
    each(wait_for_sum);
}

static void beside_messages(int thread)
{
    int total = 0;

    if (thread == 0)
        for (int i = 0; i < 10; ++i) total += swap(i, i, own[0]);
    else
        for (int i = 0; i < 10; ++i) {
            int sum;
            MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, own[thread]);
            total += sum;
        }
    note(thread, "%d", total);
}

static void collectives_beside_messages(void)
{
    each(beside_messages);
}

/* Messages and collectives of one communicator do not meet. */
static void same_communicator(int thread)
{
    int got = 0;

    for (int i = 0; i < 5; ++i)
        if (thread == 0) {
            if (me == i % np) got += 10 + me;
            MPI_Bcast(&got, 1, MPI_INT, i % np, MPI_COMM_WORLD);
        } else {
            got += swap(thread, thread, MPI_COMM_WORLD);
        }
    note(thread, "%d", got);
}

static void messages_beside_collectives_of_one_communicator(void)
{
    each(same_communicator);
}

static void scan_vectors(int thread)
{
    double mine[4], sums_to_me[4];

    for (int i = 0; i < 4; ++i) mine[i] = 0.5 * (me + i) + thread;
    MPI_Scan(mine, sums_to_me, 4, MPI_DOUBLE, MPI_SUM, own[thread]);
    note(thread, "%g %g", sums_to_me[0], sums_to_me[3]);
}

static void threads_scan_vectors(void)
{
    each(scan_vectors);
}

const conform_case hybrids_comms[] = { CASE(threads_duplicate, 2),
                                       CASE(threads_split, 2),
                                       CASE(threads_create, 2),
                                       CASE(threads_create_from_groups, 2),
                                       CASE(threads_duplicate_nonblocking, 2),
                                       CASE(threads_arrange_lines, 2),
                                       CASE(threads_connect_halves, 2),
                                       CASE(threads_call_collectives, 2),
                                       CASE(threads_call_different_collectives, 2),
                                       CASE(threads_call_nonblocking_collectives, 2),
                                       CASE(threads_test_barriers, 2),
                                       CASE(threads_complete_collectives_of_main, 2),
                                       CASE(collectives_beside_messages, 2),
                                       CASE(messages_beside_collectives_of_one_communicator, 2),
                                       CASE(threads_scan_vectors, 2),
                                       NO_MORE_CASES };
