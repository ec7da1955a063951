/* hybrids_openmp.c - calls in the constructs of OpenMP. */
#include "hybrids.h"

static void sections_send_and_receive(void)
{
    int got[2] = { -1, -1 };
    const int mine = 10 + me;

#pragma omp parallel sections num_threads(3)
    {
#pragma omp section
        MPI_Send(&mine, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
#pragma omp section
        MPI_Recv(&got[0], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp section
        MPI_Allreduce(&me, &got[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    say("%d %d", got[0], got[1]);
}

static void tasks_receive(void)
{
    int got[MANY], out[MANY];
    MPI_Request requests[MANY];

    for (int i = 0; i < MANY; ++i) {
        out[i] = 10 * me + i;
        MPI_Isend(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
    }
#pragma omp parallel
#pragma omp single
    for (int i = MANY - 1; i >= 0; --i)
#pragma omp task firstprivate(i) shared(got)
        MPI_Recv(&got[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    say_ints("", got, MANY);
}

static void taskloop_exchanges(void)
{
    int got[MANY], out[MANY];
    MPI_Request requests[2 * MANY];

#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < MANY; ++i) {
        out[i] = i * i + me;
        MPI_Irecv(&got[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
    say_ints("", got, MANY);
}

static int fibonacci(int n)
{
    int left, right;

    if (n < 2) return n;
#pragma omp task shared(left)
    left = fibonacci(n - 1);
#pragma omp task shared(right)
    right = fibonacci(n - 2);
#pragma omp taskwait
    return left + right;
}

static void a_tree_of_tasks_then_a_message(void)
{
    int result = 0;

#pragma omp parallel
#pragma omp single
    result = fibonacci(10 + me % 2);
    say("%d for %d", swap(result, 0, MPI_COMM_WORLD), result);
}

/* One thread exchanges while the others have the loop for themselves. */
static void one_communicates_others_compute(void)
{
    int sum = 0, got = 0;

#pragma omp parallel reduction(+ : sum)
    {
#pragma omp single nowait
        for (int i = 0; i < 5; ++i) got += swap(i + me, i, MPI_COMM_WORLD);
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < 200; ++i) sum += i % 7;
    }
    say("sum %d got %d", sum, got);
}

static void single_with_copies(void)
{
#pragma omp parallel
    {
        int value = -1;
#pragma omp single copyprivate(value)
        value = swap(30 + me, 0, MPI_COMM_WORLD);
        note(omp_get_thread_num(), "%d", value);
    }
    say_notes();
}

static void nested_teams_exchange(void)
{
    int got[2][2];

    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        got[outer][omp_get_thread_num()] =
            swap(10 * me + 2 * outer + omp_get_thread_num(), 2 * outer + omp_get_thread_num(), MPI_COMM_WORLD);
    }
    omp_set_max_active_levels(1);
    say_ints("", &got[0][0], 4);
}

static int kept;
#pragma omp threadprivate(kept)

static void threadprivate_values_are_kept(void)
{
#pragma omp parallel
    kept = swap(10 * me + omp_get_thread_num(), omp_get_thread_num(), MPI_COMM_WORLD);
#pragma omp parallel
    {
        kept += swap(kept, omp_get_thread_num(), MPI_COMM_WORLD);
        note(omp_get_thread_num(), "%d", kept);
    }
    say_notes();
}

static void loop_of_exchanges(void)
{
    int got[12];

#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 12; ++i) got[i] = swap(100 * me + i, i, MPI_COMM_WORLD);
    say_ints("", got, 12);
}

static void barriers_between_exchanges(void)
{
    int line[THREADS];

#pragma omp parallel
    {
        const int i = omp_get_thread_num();
        line[i] = 10 * me + i;
        for (int round = 0; round < 4; ++round) {
#pragma omp barrier
            const int next = line[(i + 1) % THREADS];
#pragma omp barrier
            line[i] = (swap(next, i, MPI_COMM_WORLD) + round) % 100;
        }
    }
    say_ints("", line, THREADS);
}

static void collectives_of_a_team(void)
{
    int total = 0;

#pragma omp parallel reduction(+ : total)
    {
        const int mine = me + omp_get_thread_num();
        int sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, own[omp_get_thread_num()]);
        total += sum;
    }
    say("%d", total);
}

static void teams_of_other_sizes(void)
{
    for (int size = 1; size <= 5; ++size) {
        int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
        sum += swap(1 + me + omp_get_thread_num(), omp_get_thread_num(), MPI_COMM_WORLD);
        say("%d", sum);
    }
}

/* A flag in memory: the thread that waits for it looks again and again, as OpenMP's flushes allow. */
static void a_thread_waits_for_a_flag(void)
{
    int flag = 0, value = 0, got = -1;

#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            value = swap(70 + me, 0, MPI_COMM_WORLD);
#pragma omp atomic write release
            flag = 1;
        } else {
            for (int seen = 0; !seen;) {
#pragma omp atomic read acquire
                seen = flag;
                if (!seen) sched_yield();
            }
            got = value;
        }
    }
    say("%d", got);
}

const conform_case hybrids_openmp[] = { CASE(sections_send_and_receive, 2),
                                        CASE(tasks_receive, 2),
                                        CASE(taskloop_exchanges, 2),
                                        CASE(a_tree_of_tasks_then_a_message, 2),
                                        CASE(one_communicates_others_compute, 2),
                                        CASE(single_with_copies, 2),
                                        CASE(nested_teams_exchange, 2),
                                        CASE(threadprivate_values_are_kept, 2),
                                        CASE(loop_of_exchanges, 2),
                                        CASE(barriers_between_exchanges, 2),
                                        CASE(collectives_of_a_team, 2),
                                        CASE(teams_of_other_sizes, 2),
                                        CASE(a_thread_waits_for_a_flag, 2),
                                        NO_MORE_CASES };
