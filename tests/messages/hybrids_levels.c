/* hybrids_levels.c - the levels of thread support, and programs that need no more than each of them. */
#include "hybrids.h"

/*=============================================================================
 * MARK: - >>levels
 *===========================================================================*/
static void level_is_provided(void)
{
    int provided = -1;

    MPI_Query_thread(&provided);
    say("%s", level_name(provided));
    say("ordered %d", MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
                          MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
}

static void first_thread_is_main(void)
{
    int flag = -1;

    MPI_Is_thread_main(&flag);
    say("main %d", flag);
}

const conform_case hybrids_levels[] = { CASE(level_is_provided, 2), CASE(first_thread_is_main, 2), NO_MORE_CASES };

/*=============================================================================
 * MARK: - >>funneled
 *===========================================================================*/
static void ask(int thread)
{
    int provided = -1, flag = -1, begun = -1, ended = -1;

    MPI_Query_thread(&provided);
    MPI_Is_thread_main(&flag);
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    note(thread, "%s main %d initialized %d finalized %d", level_name(provided), flag, begun, ended);
}

static void threads_ask(void)
{
    each(ask);
}

static void threads_of_openmp_ask(void)
{
#pragma omp parallel
    ask(omp_get_thread_num());
    say_notes();
}

static void master_exchanges(void)
{
    int line[THREADS + 2] = { 0 }, next[THREADS + 2] = { 0 };

    for (int i = 1; i <= THREADS; ++i) line[i] = 10 * me + i;
#pragma omp parallel
    for (int step = 0; step < 3; ++step) {
        const int i = 1 + omp_get_thread_num();
#pragma omp master
        {
            line[THREADS + 1] = swap(line[1], 1, MPI_COMM_WORLD);
            line[0] = swap(line[THREADS], 2, MPI_COMM_WORLD);
        }
#pragma omp barrier
        next[i] = line[i - 1] + line[i + 1];
#pragma omp barrier
        line[i] = next[i];
#pragma omp barrier
    }
    say_ints("line", line + 1, THREADS);
}

static void loop_then_allreduce(void)
{
    int sum = 0, most = -1, all[2];

#pragma omp parallel for reduction(+ : sum) reduction(max : most)
    for (int i = 0; i < 100; ++i) {
        sum += i * (me + 1);
        if ((i * 7 + me) % 31 > most) most = (i * 7 + me) % 31;
    }
    MPI_Allreduce(&sum, &all[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&most, &all[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    say_ints("", all, 2);
}

static int parts[THREADS];

static void compute_part(int thread)
{
    for (int i = thread; i < 30; i += THREADS) parts[thread] += i + me;
}

static void joined_threads_have_computed(void)
{
    int *all = ints(np * THREADS);

    memset(parts, 0, sizeof parts);
    each(compute_part);
    MPI_Gather(parts, THREADS, MPI_INT, all, THREADS, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0) say_ints("parts", all, np * THREADS);
    free(all);
}

static void threads_compute_while_messages_travel(void)
{
    int mine[2] = { me, 2 * me }, got[2] = { -1, -1 }, sum = 0;
    MPI_Request requests[2];

    MPI_Irecv(got, 2, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine, 2, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[1]);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (int i = 0; i < 10; ++i) sum += i;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say("sum %d got %d %d", sum, got[0], got[1]);
}

static void master_of_nested_regions(void)
{
    int got = -1, inner = 0;

    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : inner)
    {
#pragma omp parallel num_threads(2) reduction(+ : inner)
        inner += 1 + omp_get_ancestor_thread_num(1);
#pragma omp master
        got = swap(me + 50, 0, MPI_COMM_WORLD);
    }
    omp_set_max_active_levels(1);
    say("inner %d got %d", inner, got);
}

/* The threads live while main() is in calls. */
static pthread_barrier_t gate;
static int given[THREADS];

static void *take_given(void *number)
{
    const int i = (int)(size_t)number;

    for (int round = 0; round < 3; ++round) {
        pthread_barrier_wait(&gate);
        parts[i] += (i + 1) * given[round];
        pthread_barrier_wait(&gate);
    }
    return NULL;
}

static void main_calls_while_threads_wait(void)
{
    pthread_t threads[THREADS];

    memset(parts, 0, sizeof parts);
    pthread_barrier_init(&gate, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, take_given, (void *)(size_t)i);
    for (int round = 0; round < 3; ++round) {
        given[round] = me == round % np ? 10 + round : -1;
        MPI_Bcast(&given[round], 1, MPI_INT, round % np, MPI_COMM_WORLD);
        pthread_barrier_wait(&gate);
        pthread_barrier_wait(&gate);
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&gate);
    say_ints("parts", parts, THREADS);
}

const conform_case hybrids_funneled[] = { CASE(threads_ask, 2),
                                          CASE(threads_of_openmp_ask, 2),
                                          CASE(master_exchanges, 2),
                                          CASE(loop_then_allreduce, 2),
                                          CASE(joined_threads_have_computed, 2),
                                          CASE(threads_compute_while_messages_travel, 2),
                                          CASE(master_of_nested_regions, 2),
                                          CASE(main_calls_while_threads_wait, 2),
                                          NO_MORE_CASES };

/*=============================================================================
 * MARK: - >>serialized
 *===========================================================================*/
/* The receives stand before the threads begin. */
static void critical_sends(void)
{
    int got[THREADS];
    MPI_Request requests[THREADS];

    for (int i = 0; i < THREADS; ++i) MPI_Irecv(&got[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
#pragma omp parallel
    {
        const int i = omp_get_thread_num(), mine = 100 * me + i;
#pragma omp critical
        MPI_Send(&mine, 1, MPI_INT, peer, i, MPI_COMM_WORLD);
    }
    MPI_Waitall(THREADS, requests, MPI_STATUSES_IGNORE);
    say_ints("got", got, THREADS);
}

/* Which thread does which exchange is open; how many each rank does, and of what, is not. */
static void locked_exchanges(void)
{
    int done = 0, sum = 0;
    omp_lock_t lock;

    omp_init_lock(&lock);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 12; ++i) {
        omp_set_lock(&lock);
        sum = sum * 2 % 1009 + swap(me + done, 4, MPI_COMM_WORLD);
        ++done;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    say("done %d sum %d", done, sum);
}

static void single_broadcasts(void)
{
    int value[2] = { me == 0 ? 8 : 0, me == 1 ? 9 : 0 };

#pragma omp parallel
    {
#pragma omp single
        MPI_Bcast(&value[0], 1, MPI_INT, 0, MPI_COMM_WORLD);
#pragma omp single
        MPI_Bcast(&value[1], 1, MPI_INT, 1, MPI_COMM_WORLD);
        note(omp_get_thread_num(), "%d %d", value[0], value[1]);
    }
    say_notes();
}

static void ordered_loop(void)
{
    int order[6] = { 0 }, at = 0;

#pragma omp parallel for ordered schedule(dynamic, 1)
    for (int i = 0; i < 6; ++i) {
        const int mine = 10 * me + i;
#pragma omp ordered
        order[at++] = swap(mine, 0, MPI_COMM_WORLD);
    }
    say_ints("order", order, 6);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void take_turns(int thread)
{
    for (int round = 0; round < 3; ++round) {
        int total;
        const int mine = me + thread + 10 * round;
        pthread_mutex_lock(&mutex);
        while (turn % THREADS != thread) pthread_cond_wait(&changed, &mutex);
        MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        ++turn;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
        note(thread, "%d", total);
    }
}

static void threads_take_turns(void)
{
    turn = 0;
    each(take_turns);
}

static MPI_Comm made;

static void *make_comm(void *unused)
{
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &made);
    return unused;
}

static void a_thread_makes_a_communicator(void)
{
    int rank, size, total;
    pthread_t thread;

    pthread_create(&thread, NULL, make_comm, NULL);
    pthread_join(thread, NULL);
    MPI_Comm_rank(made, &rank);
    MPI_Comm_size(made, &size);
    MPI_Allreduce(&me, &total, 1, MPI_INT, MPI_SUM, made);
    MPI_Comm_free(&made);
    say("rank %d of %d total %d", rank, size, total);
}

static void tasks_depend(void)
{
    int value = me, seen[4];

#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; ++i)
#pragma omp task depend(inout : value) firstprivate(i) shared(value, seen)
    {
        value = 2 * swap(value, i, MPI_COMM_WORLD) + i;
        seen[i] = value;
    }
    say_ints("", seen, 4);
}

/* Made by one thread, given what it waits for by another, completed by a third one; each ends before the next begins. */
static MPI_Request request;
static int received;

static void *by_stages(void *number)
{
    const int stage = (int)(size_t)number, mine = 70 + me;

    if (stage == 0) MPI_Irecv(&received, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, &request);
    if (stage == 1) MPI_Send(&mine, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
    if (stage == 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
    return NULL;
}

static void requests_outlive_threads(void)
{
    pthread_t thread;

    for (size_t stage = 0; stage < 3; ++stage) {
        pthread_create(&thread, NULL, by_stages, (void *)stage);
        pthread_join(thread, NULL);
    }
    say("received %d null %d", received, request == MPI_REQUEST_NULL);
}

const conform_case hybrids_serialized[] = {
    CASE(critical_sends, 2), CASE(locked_exchanges, 2),         CASE(single_broadcasts, 2),
    CASE(ordered_loop, 2),   CASE(threads_take_turns, 2),       CASE(a_thread_makes_a_communicator, 2),
    CASE(tasks_depend, 2),   CASE(requests_outlive_threads, 2), NO_MORE_CASES
};
