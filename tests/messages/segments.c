/* A skeleton: code that runs the first times only, memory that all share, children that are spawned. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int runs;

static double work(int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += 1.0 / (1 + i);
    ++runs;
    return sum;
}

static void measure(int rank, int size)
{
    double sum = 0, begun = MPI_Wtime();
    for (int i = 0; i < 100; ++i) SKELETON_MEASURE("work", 200000, 10) sum += work(200000);
    double each = (MPI_Wtime() - begun) / 100;
    int all;
    MPI_Allreduce(&runs, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("runs %s\ntime %s\n", all >= 10 && all < 10 + size ? "as asked" : "else",
               each > 1e-5 && each < 1e-1 ? "plausible" : "not");
    if (sum < 0) printf("%g\n", sum);
}

static void share(int rank, int size)
{
    const size_t bytes = (size_t)3 << 30; /* of each: more than the machine has, together */
    char *shared = skeleton_shared(bytes);
    double own[4] = { rank, 0, 0, 0 };
    MPI_Status status;
    if (!shared) printf("nothing to share\n");
    shared[0] = 1;
    shared[bytes - 1] = 2;
    MPI_Sendrecv(shared, 1 << 30, MPI_CHAR, (rank + 1) % size, 0, shared, 1 << 30, MPI_CHAR, (rank + size - 1) % size,
                 0, MPI_COMM_WORLD, &status);
    int count;
    MPI_Get_count(&status, MPI_CHAR, &count);
    MPI_Sendrecv_replace(own, 4, MPI_DOUBLE, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                         &status);
    if (rank == 0) printf("count %d, then %g\n", count, own[0]);
    skeleton_shared_free(shared, bytes);
}

/* An all-to-all of which only the odd ranks have content: it arrives, whatever way it takes. */
static void exchange(int rank, int size)
{
    enum { EACH = 25 };
    const size_t bytes = (size_t)size * EACH * sizeof(int);
    int *shared = skeleton_shared(bytes), *out = rank % 2 ? malloc(bytes) : shared, *in = calloc(bytes, 1), wrong = 0;
    for (int i = 0; i < size * EACH; ++i) out[i] = 1000 * rank + i;
    MPI_Alltoall(out, EACH, MPI_INT, rank % 4 < 2 ? in : shared, EACH, MPI_INT, MPI_COMM_WORLD);
    for (int from = 1; from < size && rank % 4 < 2; from += 2)
        for (int i = 0; i < EACH; ++i) wrong += in[from * EACH + i] != 1000 * from + rank * EACH + i;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("wrong %d\n", wrong);
    if (out != shared) free(out);
    free(in);
    skeleton_shared_free(shared, bytes);
}

/* Static data is that of the rank, also where ranks share a process; so are the words of its arguments. */
static int counted = 7, many[5000];
static __thread long of_thread = 5;

/* What a rank changes in a predefined type, from half of the rounds on, and whether others see it. */
static int type_differs(int rank, int i)
{
    static int key = MPI_KEYVAL_INVALID;
    char name[MPI_MAX_OBJECT_NAME], own[MPI_MAX_OBJECT_NAME] = "MPI_DOUBLE";
    void *value;
    int length, found;
    if (key == MPI_KEYVAL_INVALID) MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    if (rank % 3 == 1 && i > 25) snprintf(own, sizeof own, "type of %d", rank);
    if (rank % 3 == 1 && i == 25) {
        snprintf(name, sizeof name, "type of %d", rank);
        MPI_Type_set_name(MPI_DOUBLE, name);
    }
    if (rank % 3 == 2 && i == 30) MPI_Type_set_attr(MPI_DOUBLE, key, (void *)&many[rank]);
    if (i == 25 || i == 30) return 0;
    MPI_Type_get_name(MPI_DOUBLE, name, &length);
    MPI_Type_get_attr(MPI_DOUBLE, key, &value, &found);
    return strcmp(name, own) != 0 || found != (rank % 3 == 2 && i > 30) || (found && value != &many[rank]);
}

static void __attribute__((noreturn)) globals(int rank, int size, char **argv)
{
    static const char *last = "none";
    int wrong = 0;
    argv[1][0] = (char)('a' + rank % 26);
    for (int i = 0; i < 50; ++i) {
        int got = -1;
        counted += rank;
        of_thread -= rank;
        many[(rank * 131 + i * 97) % 5000] += rank + 1;
        last = rank % 2 ? "odd" : "even";
        MPI_Sendrecv(&counted, 1, MPI_INT, (rank + 1) % size, i, &got, 1, MPI_INT, (rank + size - 1) % size, i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += got != 7 + (i + 1) * ((rank + size - 1) % size);
        wrong += strcmp(last, rank % 2 ? "odd" : "even") != 0 || of_thread != 5 - (i + 1) * rank;
        wrong += argv[1][0] != 'a' + rank % 26;
        wrong += type_differs(rank, i);
    }
    for (int i = 0; i < 5000; ++i) many[i] *= many[i] > 0 && many[i] % (rank + 1) == 0;
    long sum = 0, all;
    for (int i = 0; i < 5000; ++i) sum += many[i];
    MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("wrong %d, sum %ld\n", wrong, all);
    MPI_Finalize();
    exit(rank == size - 1 ? 23 : 0);
}

/* A wait for any of two, of which one ends while the other is being received. */
static void any_of_two(int rank)
{
    enum { LARGE = 1 << 20 };
    char *in = malloc(LARGE), *out = calloc(1, LARGE);
    MPI_Request requests[2];
    int first, second;
    MPI_Irecv(in, LARGE, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, LARGE - 5000 * (1 - rank), MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
    MPI_Waitany(2, requests, &second, MPI_STATUS_IGNORE);
    printf("both %d\n", first + second);
    free(in);
    free(out);
}

/* What a child has sent arrives, though it has ended. */
static void gone(char *program)
{
    char *arguments[] = { (char[]){ "sender" }, NULL }, *large = malloc(1 << 20);
    MPI_Comm children;
    MPI_Status status;
    int count;
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
    skeleton_sleep(5);
    MPI_Recv(large, 1 << 20, MPI_CHAR, 0, 3, children, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    printf("count %d\n", count);
    free(large);
}

static void sender(void)
{
    const int bytes = (1 << 20) + MPI_BSEND_OVERHEAD;
    char *buffer = malloc((size_t)bytes), *large = calloc(1, 1 << 20);
    MPI_Comm parent;
    int detached;
    MPI_Comm_get_parent(&parent);
    MPI_Buffer_attach(buffer, bytes);
    MPI_Bsend(large, 1 << 20, MPI_CHAR, 0, 3, parent);
    MPI_Buffer_detach(&buffer, &detached);
    free(buffer);
    free(large);
}

static void spawn(int rank, char *program)
{
    char *arguments[] = { (char[]){ "child" }, NULL };
    MPI_Comm children, all;
    int size, sum, codes[3], remote;
    MPI_Comm_spawn(program, arguments, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, codes);
    MPI_Comm_remote_size(children, &remote);
    MPI_Intercomm_merge(children, 0, &all);
    MPI_Comm_size(all, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    if (rank == 0) printf("remote %d, all %d, sum %d\n", remote, size, sum);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&children);
}

static void child(void)
{
    MPI_Comm parent, all;
    int rank, sum;
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Intercomm_merge(parent, 1, &all);
    rank += 100;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
    int rank, size;
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "measure") == 0) measure(rank, size);
    if (strcmp(what, "share") == 0) share(rank, size);
    if (strcmp(what, "globals") == 0) globals(rank, size, argv);
    if (strcmp(what, "exchange") == 0) exchange(rank, size);
    if (strcmp(what, "spawn") == 0) spawn(rank, argv[0]);
    if (strcmp(what, "child") == 0) child();
    if (strcmp(what, "any") == 0) any_of_two(rank);
    if (strcmp(what, "gone") == 0) gone(argv[0]);
    if (strcmp(what, "sender") == 0) sender();
    MPI_Finalize();
    return 0;
}
