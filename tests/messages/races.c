/* Threads of a rank under ThreadSanitizer: `races NAME`, with two ranks that each have a second thread. Without a name there is no race. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 1000, BYTES = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long sum;
static char received[BYTES];
static int locks = 1, waits = 1;

static void add(int number)
{
    for (int i = 0; i < ROUNDS; ++i) {
        if (locks) pthread_mutex_lock(&mutex);
        sum += number;
        if (locks) pthread_mutex_unlock(&mutex);
    }
}

static void *second(void *unused)
{
    long bytes = 0;
    (void)unused;
    add(1);
    if (waits) pthread_barrier_wait(&barrier); /* until the message is there */
    for (int i = 0; i < BYTES; ++i) bytes += received[i];
    if (!waits) pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    if (waits && bytes != BYTES) printf("%ld bytes\n", bytes);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(int argc, char **argv)
{
    static char sent[BYTES];
    int provided, rank, size;
    long all;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    locks = argc < 2 || strcmp(argv[1], "sum") != 0;
    waits = argc < 2 || strcmp(argv[1], "message") != 0;
    memset(sent, 1, sizeof sent);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, second, NULL);
    add(2);
    MPI_Sendrecv(sent, BYTES, MPI_CHAR, (rank + 1) % size, 1, received, BYTES, MPI_CHAR, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %ld\n", all);
    MPI_Finalize();
    return 0;
}
