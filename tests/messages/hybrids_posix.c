/* hybrids_posix.c - calls in threads of POSIX and C11, between what these threads wait for. */
#include "hybrids.h"

#include <errno.h>
#include <semaphore.h>
#include <threads.h>

/* Each generation is made, exchanges and is joined. */
static void exchange(int thread)
{
    note(thread, "%d", swap(10 * me + thread, thread, MPI_COMM_WORLD));
}

static void threads_come_and_go(void)
{
    for (int i = 0; i < 4; ++i) each(exchange);
}

static void *send_and_end(void *unused)
{
    MPI_Send(&me, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
    return unused;
}

static void a_detached_thread_sends(void)
{
    int got = -1;
    pthread_t thread;

    pthread_create(&thread, NULL, send_and_end, NULL);
    pthread_detach(thread);
    MPI_Recv(&got, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    say("%d", got);
}

/* The value of a thread that ends is sent by its destructor. */
static pthread_key_t key;

static void send_value(void *value)
{
    const int mine = *(int *)value;

    MPI_Send(&mine, 1, MPI_INT, peer, mine % 10, MPI_COMM_WORLD);
    free(value);
}

static void set_value(int thread)
{
    int *value = ints(1);

    *value = 10 * me + thread;
    pthread_setspecific(key, value);
}

static void destructors_send(void)
{
    int got[THREADS];
    MPI_Request requests[THREADS];

    pthread_key_create(&key, send_value);
    for (int i = 0; i < THREADS; ++i) MPI_Irecv(&got[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
    each(set_value);
    MPI_Waitall(THREADS, requests, MPI_STATUSES_IGNORE);
    pthread_key_delete(key);
    say_ints("", got, THREADS);
}

static __thread int mine_alone;

static void count_alone(int thread)
{
    for (int i = 0; i < 4; ++i) mine_alone += swap(thread + i, thread, MPI_COMM_WORLD);
    note(thread, "%d", mine_alone);
}

static void values_of_threads_are_their_own(void)
{
    mine_alone = 500;
    each(count_alone);
    say("main %d", mine_alone);
}

static pthread_once_t once;
static MPI_Comm once_made;

static void make_once(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &once_made);
}

static void use_once(int thread)
{
    pthread_once(&once, make_once);
    note(thread, "%d", swap(thread, thread, once_made));
}

static void once_makes_a_communicator(void)
{
    once = (pthread_once_t)PTHREAD_ONCE_INIT;
    each(use_once);
    MPI_Comm_free(&once_made);
}

/* Thread 0 receives, and hands over what has come; the others wait for it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int line[20], filled, emptied, sum;

static void produce_and_consume(int thread)
{
    for (int i = 0; thread == 0 && i < 20; ++i) {
        const int got = swap(i + me, 0, MPI_COMM_WORLD);
        pthread_mutex_lock(&mutex);
        line[filled++] = got;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    while (thread > 0 && emptied < 20) {
        while (emptied == filled && emptied < 20) pthread_cond_wait(&changed, &mutex);
        if (emptied < 20) sum += line[emptied++];
        if (emptied == 20) pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&mutex);
}

static void one_receives_others_consume(void)
{
    filled = emptied = sum = 0;
    each(produce_and_consume);
    say("sum %d", sum);
}

static sem_t semaphores[THREADS];
static int baton;

static void pass(int thread)
{
    for (int round = 0; round < 3; ++round) {
        sem_wait(&semaphores[thread]);
        baton = (swap(baton, 0, MPI_COMM_WORLD) * 2 + thread) % 1009;
        note(thread, "%d", baton);
        sem_post(&semaphores[(thread + 1) % THREADS]);
    }
}

static void semaphores_pass_a_baton(void)
{
    baton = 1 + me;
    for (int i = 0; i < THREADS; ++i) sem_init(&semaphores[i], 0, i == 0);
    each(pass);
    for (int i = 0; i < THREADS; ++i) sem_destroy(&semaphores[i]);
}

static pthread_barrier_t barrier;

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[THREADS];

static void write_and_read(int thread)
{
    const int got = swap(10 * me + thread, thread, MPI_COMM_WORLD);
    int total;

    pthread_rwlock_wrlock(&table_lock);
    table[thread] = got;
    pthread_rwlock_unlock(&table_lock);
    pthread_barrier_wait(
        &barrier); /* where a writer that waits goes first, it would stand between readers of both ranks */
    pthread_rwlock_rdlock(&table_lock);
    total = table[thread] + swap(table[thread], thread, MPI_COMM_WORLD);
    pthread_rwlock_unlock(&table_lock);
    note(thread, "%d", total);
}

static void readers_exchange(void)
{
    pthread_barrier_init(&barrier, NULL, THREADS);
    each(write_and_read);
    pthread_barrier_destroy(&barrier);
}

static void meet(int thread)
{
    int serial = 0;

    for (int i = 0; i < 3; ++i) {
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            MPI_Barrier(MPI_COMM_WORLD);
#pragma omp atomic
            ++sum;
        }
        pthread_barrier_wait(&barrier);
#pragma omp atomic read
        serial = sum;
        note(thread, "%d", serial);
        pthread_barrier_wait(&barrier);
    }
}

static void one_of_a_barrier_meets_all_ranks(void)
{
    sum = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    each(meet);
    pthread_barrier_destroy(&barrier);
}

static int body_of_c11(void *number)
{
    return swap(20 * me + *(int *)number, *(int *)number, MPI_COMM_WORLD);
}

static void threads_of_c11(void)
{
    thrd_t threads[THREADS];
    int numbers[THREADS], result;

    for (int i = 0; i < THREADS; ++i) {
        numbers[i] = i;
        thrd_create(&threads[i], body_of_c11, &numbers[i]);
    }
    for (int i = 0; i < THREADS; ++i) {
        thrd_join(threads[i], &result);
        say("%d", result);
    }
}

/* Threads make threads; each thread sends when its own have ended. */
static void *grow(void *depth)
{
    const size_t n = (size_t)depth;
    pthread_t left, right;
    void *results[2] = { NULL, NULL };

    if (n == 0) return (void *)(size_t)1;
    pthread_create(&left, NULL, grow, (void *)(n - 1));
    pthread_create(&right, NULL, grow, (void *)(n - 1));
    pthread_join(left, &results[0]);
    pthread_join(right, &results[1]);
    return (void *)((size_t)results[0] + (size_t)results[1] + (size_t)swap((int)n, (int)n, MPI_COMM_WORLD));
}

static void threads_make_threads(void)
{
    say("%d", (int)(size_t)grow((void *)(size_t)2));
}

static void *exchange_and_exit(void *number)
{
    const int got = swap(40 + me, (int)(size_t)number, MPI_COMM_WORLD);

    pthread_exit((void *)(size_t)got);
}

static void threads_exit_with_what_came(void)
{
    pthread_t threads[THREADS];
    void *got;

    for (size_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, exchange_and_exit, (void *)i);
    for (int i = THREADS - 1; i >= 0; --i) {
        pthread_join(threads[i], &got);
        say("%d", (int)(size_t)got);
    }
}

/* A wait with a limit that has passed: nobody signals. */
static void wait_in_vain(int thread)
{
    struct timespec until;

    if (thread == 0) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000;
        if (until.tv_nsec >= 1000000000) {
            ++until.tv_sec;
            until.tv_nsec -= 1000000000;
        }
        pthread_mutex_lock(&mutex);
        const int result = pthread_cond_timedwait(&changed, &mutex, &until);
        pthread_mutex_unlock(&mutex);
        note(0, "in time %d", result != ETIMEDOUT);
    }
    note(thread, "%d", swap(me, thread, MPI_COMM_WORLD));
}

static void a_wait_with_a_limit(void)
{
    each(wait_in_vain);
}

/* The last message of main() is one for which a thread waits. */
static void wait_for_main(int thread)
{
    int got = -1;

    MPI_Recv(&got, 1, MPI_INT, peer, 60 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note(thread, "%d", got);
}

static void *wait_alone(void *number)
{
    wait_for_main((int)(size_t)number);
    return NULL;
}

static void threads_wait_for_messages_of_main(void)
{
    pthread_t threads[THREADS];
    int total = 0;

    for (size_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, wait_alone, (void *)i);
    MPI_Allreduce(&me, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < THREADS; ++i) MPI_Send(&total, 1, MPI_INT, peer, 60 + i, MPI_COMM_WORLD);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    say_notes();
}

const conform_case hybrids_posix[] = { CASE(threads_come_and_go, 2),
                                       CASE(a_detached_thread_sends, 2),
                                       CASE(destructors_send, 2),
                                       CASE(values_of_threads_are_their_own, 2),
                                       CASE(once_makes_a_communicator, 2),
                                       CASE(one_receives_others_consume, 2),
                                       CASE(semaphores_pass_a_baton, 2),
                                       CASE(readers_exchange, 2),
                                       CASE(one_of_a_barrier_meets_all_ranks, 2),
                                       CASE(threads_of_c11, 2),
                                       CASE(threads_make_threads, 2),
                                       CASE(threads_exit_with_what_came, 2),
                                       CASE(a_wait_with_a_limit, 2),
                                       CASE(threads_wait_for_messages_of_main, 2),
                                       NO_MORE_CASES };
