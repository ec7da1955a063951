/* hybrids_windows.c - threads put, get and accumulate, on windows of their own and on one of all. */
#include "hybrids.h"

enum { ROUNDS = 5 };

static MPI_Win windows[THREADS], shared;
static int *shown[THREADS], *slots; /* by these windows */

/* A window of zeros; returns what it shows. Open MPI 4.1 has threads only in windows that it has allocated. */
static int *open_window(int count, MPI_Win *window)
{
    int *numbers = NULL;

    MPI_Win_allocate(count * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &numbers, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, *window);
    memset(numbers, 0, (size_t)count * sizeof(int));
    MPI_Win_unlock(me, *window);
    MPI_Barrier(MPI_COMM_WORLD);
    return numbers;
}

static void windows_begin(int count)
{
    for (int i = 0; i < THREADS; ++i) shown[i] = open_window(count, &windows[i]);
}

static void windows_end(void)
{
    for (int i = 0; i < THREADS; ++i) MPI_Win_free(&windows[i]);
}

/*=============================================================================
 * MARK: - >>fences
 *===========================================================================*/
/* main() opens and closes the epoch; all threads put. */
static void threads_put_between_fences(void)
{
    static int out[2 * THREADS];

    slots = open_window(2 * THREADS, &shared);
    MPI_Win_fence(0, shared);
#pragma omp parallel
    {
        const int i = omp_get_thread_num();
        out[2 * i] = 10 * me + i;
        out[2 * i + 1] = i;
        MPI_Put(&out[2 * i], 2, MPI_INT, peer, 2 * i, 2, MPI_INT, shared);
    }
    MPI_Win_fence(0, shared);
    say_ints("", slots, 2 * THREADS);
    MPI_Win_free(&shared);
}

static int fetched[THREADS];

static void threads_get_between_fences(void)
{
    slots = open_window(THREADS, &shared);
    for (int i = 0; i < THREADS; ++i) slots[i] = 100 * me + i;
    MPI_Win_fence(0, shared);
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < THREADS; ++i) MPI_Get(&fetched[i], 1, MPI_INT, peer, THREADS - 1 - i, 1, MPI_INT, shared);
    MPI_Win_fence(0, shared);
    say_ints("", fetched, THREADS);
    MPI_Win_free(&shared);
}

static void threads_accumulate_between_fences(void)
{
    static const int numbers[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };

    slots = open_window(1, &shared);
    MPI_Win_fence(0, shared);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 12; ++i) MPI_Accumulate(&numbers[i], 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, shared);
    MPI_Win_fence(0, shared);
    say("%d", slots[0]);
    MPI_Win_free(&shared);
}

/*=============================================================================
 * MARK: - >>locks
 *===========================================================================*/
static void put_in_epoch(int thread)
{
    const int mine[2] = { 10 * me + thread, thread };

    MPI_Put(mine, 2, MPI_INT, peer, 2 * thread, 2, MPI_INT, shared);
    MPI_Win_flush_local(peer, shared);
}

static void threads_put_in_an_epoch_of_main(void)
{
    slots = open_window(2 * THREADS, &shared);
    MPI_Win_lock_all(0, shared);
    each(put_in_epoch);
    MPI_Win_unlock_all(shared);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, shared);
    say_ints("", slots, 2 * THREADS);
    MPI_Win_unlock(me, shared);
    MPI_Win_free(&shared);
}

static void lock_own(int thread)
{
    for (int i = 0; i < ROUNDS; ++i) {
        const int one = 1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[thread]);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, windows[thread]);
        MPI_Win_unlock(0, windows[thread]);
    }
}

static void threads_lock_windows_of_their_own(void)
{
    windows_begin(1);
    each(lock_own);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < THREADS; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, me, 0, windows[i]);
        say("%d", *shown[i]);
        MPI_Win_unlock(me, windows[i]);
    }
    windows_end();
}

/* Read, add, write: only an exclusive lock keeps the sum right. */
static void read_and_write(int thread)
{
    for (int i = 0; i < ROUNDS; ++i) {
        int value = -1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, np - 1, 0, windows[thread]);
        MPI_Get(&value, 1, MPI_INT, np - 1, 0, 1, MPI_INT, windows[thread]);
        MPI_Win_flush(np - 1, windows[thread]);
        value += 1 + thread;
        MPI_Put(&value, 1, MPI_INT, np - 1, 0, 1, MPI_INT, windows[thread]);
        MPI_Win_unlock(np - 1, windows[thread]);
    }
}

static void exclusive_locks_exclude(void)
{
    windows_begin(1);
    each(read_and_write);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; me == np - 1 && i < THREADS; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, me, 0, windows[i]);
        say("%d", *shown[i]);
        MPI_Win_unlock(me, windows[i]);
    }
    windows_end();
}

/* All threads of all ranks draw numbers from one counter: each number once. */
static int *drawn;

static void draw(int thread)
{
    const int one = 1;
    (void)thread;

    for (int i = 0; i < ROUNDS; ++i) {
        int number = -1;
        MPI_Fetch_and_op(&one, &number, MPI_INT, 0, 0, MPI_SUM, shared);
        MPI_Win_flush(0, shared);
#pragma omp atomic
        ++drawn[number];
    }
}

static void threads_draw_numbers(void)
{
    const int count = np * THREADS * ROUNDS;
    int *all = ints(count), once = 0;

    drawn = ints(count);
    slots = open_window(1, &shared);
    MPI_Win_lock_all(0, shared);
    each(draw);
    MPI_Win_unlock_all(shared);
    MPI_Reduce(drawn, all, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) once += all[i] == 1;
    if (me == 0) say("%d of %d once", once, count);
    MPI_Win_free(&shared);
    free(drawn);
    free(all);
}

/* A lock of compare-and-swap, on a window of each thread; guarded by it, a sum. */
static void swap_until_free(int thread)
{
    const int zero = 0, one = 1;

    MPI_Win_lock_all(0, windows[thread]);
    for (int i = 0; i < ROUNDS; ++i) {
        int was = 1, sum = -1;
        while (was != 0) {
            MPI_Compare_and_swap(&one, &zero, &was, MPI_INT, 0, 0, windows[thread]);
            MPI_Win_flush(0, windows[thread]);
        }
        MPI_Get(&sum, 1, MPI_INT, 0, 1, 1, MPI_INT, windows[thread]);
        MPI_Win_flush(0, windows[thread]);
        ++sum;
        MPI_Put(&sum, 1, MPI_INT, 0, 1, 1, MPI_INT, windows[thread]);
        MPI_Win_flush(0, windows[thread]);
        MPI_Accumulate(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, windows[thread]);
        MPI_Win_flush(0, windows[thread]);
    }
    MPI_Win_unlock_all(windows[thread]);
}

static void locks_of_compare_and_swap(void)
{
    windows_begin(2);
    each(swap_until_free);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; me == 0 && i < THREADS; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, windows[i]);
        say("%d/%d", shown[i][0], shown[i][1]);
        MPI_Win_unlock(0, windows[i]);
    }
    windows_end();
}

static void get_and_add(int thread)
{
    int before = -1, after = -1;
    const int mine = 5 + me;

    MPI_Get_accumulate(&mine, 1, MPI_INT, &before, 1, MPI_INT, peer, thread, 1, MPI_INT, MPI_SUM, shared);
    MPI_Win_flush(peer, shared);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &after, 1, MPI_INT, peer, thread, 1, MPI_INT, MPI_NO_OP, shared);
    MPI_Win_flush(peer, shared);
    note(thread, "%d %d", before, after);
}

static void threads_get_and_accumulate(void)
{
    slots = open_window(THREADS, &shared);
    MPI_Win_lock_all(0, shared);
    each(get_and_add);
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);
}

/* Begun by one thread, completed by the next. */
static MPI_Request requests[THREADS];
static pthread_barrier_t gate;

static void request_for_the_next(int thread)
{
    static int out[THREADS];
    const int next = (thread + 1) % THREADS;

    out[thread] = 20 * me + thread;
    MPI_Rput(&out[thread], 1, MPI_INT, peer, thread, 1, MPI_INT, shared, &requests[thread]);
    pthread_barrier_wait(&gate);
    MPI_Wait(&requests[next], MPI_STATUS_IGNORE);
    MPI_Win_flush(peer, shared);
    pthread_barrier_wait(&gate);
    MPI_Rget(&fetched[thread], 1, MPI_INT, peer, thread, 1, MPI_INT, shared, &requests[thread]);
    pthread_barrier_wait(&gate);
    MPI_Wait(&requests[next], MPI_STATUS_IGNORE);
    note(thread, "%d", fetched[next]);
}

static void requests_of_windows_change_hands(void)
{
    slots = open_window(THREADS, &shared);
    pthread_barrier_init(&gate, NULL, THREADS);
    MPI_Win_lock_all(0, shared);
    each(request_for_the_next);
    MPI_Win_unlock_all(shared);
    pthread_barrier_destroy(&gate);
    MPI_Win_free(&shared);
}

/*=============================================================================
 * MARK: - >>post and start
 *===========================================================================*/
static void post_and_start(int thread)
{
    MPI_Group all, other;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &peer, &other);
    for (int i = 0; i < ROUNDS; ++i) {
        const int mine = 10 * i + me;
        MPI_Win_post(other, 0, windows[thread]);
        MPI_Win_start(other, 0, windows[thread]);
        MPI_Put(&mine, 1, MPI_INT, peer, i, 1, MPI_INT, windows[thread]);
        MPI_Win_complete(windows[thread]);
        MPI_Win_wait(windows[thread]);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&other);
}

static void threads_post_and_start(void)
{
    windows_begin(ROUNDS);
    each(post_and_start);
    for (int i = 0; i < THREADS; ++i) say_ints("", shown[i], ROUNDS);
    windows_end();
}

static void threads_fence_windows(int thread)
{
    for (int i = 0; i < ROUNDS; ++i) {
        const int mine = 100 * thread + 10 * i + me;
        MPI_Win_fence(0, windows[thread]);
        MPI_Put(&mine, 1, MPI_INT, peer, i, 1, MPI_INT, windows[thread]);
        MPI_Win_fence(0, windows[thread]);
    }
}

static void fences_on_windows_of_threads(void)
{
    windows_begin(ROUNDS);
    each(threads_fence_windows);
    for (int i = 0; i < THREADS; ++i) say_ints("", shown[i], ROUNDS);
    windows_end();
}

/*=============================================================================
 * MARK: - >>making
 *===========================================================================*/
static void make_window(int thread)
{
    int *mine = NULL, got = -1, flag = 0;
    MPI_Aint *size = NULL;
    MPI_Win window;

    MPI_Win_allocate((1 + thread) * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, own[thread], &mine, &window);
    mine[thread] = 100 * me + thread;
    MPI_Barrier(own[thread]);
    MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, window);
    MPI_Get(&got, 1, MPI_INT, peer, thread, 1, MPI_INT, window);
    MPI_Win_unlock(peer, window);
    MPI_Win_get_attr(window, MPI_WIN_SIZE, &size, &flag);
    note(thread, "%d size %d", got, flag ? (int)(*size / (MPI_Aint)sizeof(int)) : -1);
    MPI_Win_free(&window);
}

static void threads_make_windows(void)
{
    each(make_window);
}

/* Memory of the ranks of a host, which threads reach without calls: each rank fills that of the next. */
static void threads_share_memory(void)
{
    int *mine = NULL, *theirs = NULL, unit, rank, size, right = 0;
    MPI_Aint bytes;
    MPI_Comm here;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &rank);
    MPI_Comm_size(here, &size);
    MPI_Win_allocate_shared(THREADS * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, here, &mine, &shared);
    MPI_Win_shared_query(shared, (rank + 1) % size, &bytes, &unit, &theirs);
    MPI_Win_lock_all(0, shared);
#pragma omp parallel
    theirs[omp_get_thread_num()] = 10 * rank + omp_get_thread_num();
    MPI_Win_sync(shared);
    MPI_Barrier(here);
    MPI_Win_sync(shared);
    for (int i = 0; i < THREADS; ++i) right += mine[i] == 10 * ((rank + size - 1) % size) + i;
    say("right %d", right);
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);
    MPI_Comm_free(&here);
}

const conform_case hybrids_windows[] = { CASE(threads_put_between_fences, 2),
                                         CASE(threads_get_between_fences, 2),
                                         CASE(threads_accumulate_between_fences, 2),
                                         CASE(threads_put_in_an_epoch_of_main, 2),
                                         CASE(threads_lock_windows_of_their_own, 2),
                                         CASE(exclusive_locks_exclude, 2),
                                         CASE(threads_draw_numbers, 2),
                                         CASE(locks_of_compare_and_swap, 2),
                                         CASE(threads_get_and_accumulate, 2),
                                         CASE(requests_of_windows_change_hands, 2),
                                         CASE(threads_post_and_start, 2),
                                         CASE(fences_on_windows_of_threads, 2),
                                         CASE(threads_make_windows, 2),
                                         CASE(threads_share_memory, 2),
                                         NO_MORE_CASES };
