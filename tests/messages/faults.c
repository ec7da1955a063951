/* Programs that go wrong, one for each word: what is said then is looked at by test_messages_cores. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

/* Refused where the test asks for it. */
int setenv(const char *name, const char *value, int over)
{
    if (getenv("REFUSE_SETENV")) {
        errno = ENOMEM;
        return -1;
    }
    if (!over && getenv(name)) return 0;
    char *both = malloc(strlen(name) + strlen(value) + 2);
    if (!both) return -1;
    sprintf(both, "%s=%s", name, value);
    return putenv(both);
}

/* What one-sided communication and files need, but their calls. */
static int only_compiled(MPI_Win win, MPI_File file, MPI_Count count, MPI_Message message)
{
    return win == MPI_WIN_NULL && file == MPI_FILE_NULL && message == MPI_MESSAGE_NULL &&
           count == MPI_WIN_BASE + MPI_LOCK_SHARED + (MPI_MODE_CREATE | MPI_MODE_RDWR) + MPI_SEEK_SET;
}

static int calls; /* threads that are about to call */

static void *thread_calls(void *unused)
{
    int value;
    __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
    MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

/* Calls that need no message, after one that does: the error is theirs. */
static int go_wrong_alone(const char *how)
{
    int ranges[1][3] = { { 0, 1, 0 } }, sizes[2] = { 3, 0 }, count;
    MPI_Datatype type;
    MPI_Group group, other;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Errhandler handler;
    MPI_Status status;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is(how, "contiguous")) return MPI_Type_contiguous(-1, MPI_INT, &type);
    if (is(how, "hvector")) return MPI_Type_hvector(-1, 1, 1, MPI_INT, &type);
    if (is(how, "vector")) return MPI_Type_vector(-1, 1, 1, MPI_INT, &type);
    if (is(how, "range_excl")) return MPI_Group_range_excl(group, 1, ranges, &other);
    if (is(how, "difference")) return MPI_Group_difference(group, MPI_GROUP_NULL, &other);
    if (is(how, "comm_group")) return MPI_Comm_group(comm, &other);
    if (is(how, "comm_free")) return MPI_Comm_free(&comm);
    if (is(how, "disconnect")) return MPI_Comm_disconnect(&comm);
    if (is(how, "dims")) return MPI_Dims_create(2, 2, sizes);
    if (is(how, "get_count")) return MPI_Get_count(&status, MPI_DATATYPE_NULL, &count);
    if (is(how, "handler")) return MPI_Errhandler_create(NULL, &handler);
    if (is(how, "start")) return MPI_Start(&none);
    if (is(how, "freed_comm") || is(how, "freed_twice")) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm copy = comm;
        MPI_Comm_free(&comm);
        return is(how, "freed_twice") ? MPI_Comm_free(&copy) : MPI_Bcast(&count, 1, MPI_INT, 0, copy);
    }
    if (is(how, "freed_type")) {
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Datatype copy = type;
        MPI_Type_free(&type);
        return MPI_Bcast(sizes, 1, copy, 0, MPI_COMM_WORLD);
    }
    if (is(how, "leader")) return MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, size, 0, &comm);
    return -1;
}

static int refuses(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_ERR_OTHER;
}

/* Results have to go somewhere. */
static void go_nowhere(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Aint bytes;
    MPI_Group group;
    MPI_Status status;
    MPI_Datatype copy = MPI_INT, type;
    MPI_Request request = MPI_REQUEST_NULL;
    int n = 0, key;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_group(world, &group);
    MPI_Probe(MPI_PROC_NULL, 0, world, &status);
    const int codes[] = {
        MPI_Comm_size(world, NULL),
        MPI_Comm_rank(world, NULL),
        MPI_Comm_group(world, NULL),
        MPI_Comm_compare(world, world, NULL),
        MPI_Comm_test_inter(world, NULL),
        MPI_Comm_dup(world, NULL),
        MPI_Comm_create(world, group, NULL),
        MPI_Comm_split(world, 0, 0, NULL),
        MPI_Group_size(group, NULL),
        MPI_Group_rank(group, NULL),
        MPI_Group_compare(group, group, NULL),
        MPI_Group_union(group, group, NULL),
        MPI_Group_intersection(group, group, NULL),
        MPI_Group_incl(group, 0, NULL, NULL),
        MPI_Group_range_incl(group, 1, NULL, &group),
        MPI_Group_translate_ranks(group, 1, &n, group, NULL),
        MPI_Type_size(MPI_INT, NULL),
        MPI_Type_get_extent(MPI_INT, NULL, &bytes),
        MPI_Type_get_extent(MPI_INT, &bytes, NULL),
        MPI_Type_get_true_extent(MPI_INT, NULL, NULL),
        MPI_Type_extent(MPI_INT, NULL),
        MPI_Type_lb(MPI_INT, NULL),
        MPI_Type_ub(MPI_INT, NULL),
        MPI_Type_contiguous(1, MPI_INT, NULL),
        MPI_Get_count(&status, MPI_INT, NULL),
        MPI_Get_elements(&status, MPI_INT, NULL),
        MPI_Iprobe(0, 0, world, NULL, &status),
        MPI_Test(&request, NULL, &status),
        MPI_Testany(1, &request, NULL, &n, &status),
        MPI_Waitany(1, &request, NULL, &status),
        MPI_Waitsome(1, &request, NULL, &n, &status),
        MPI_Op_commutative(MPI_SUM, NULL),
        MPI_Dims_create(2, 2, NULL),
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
        if (codes[i] != MPI_ERR_ARG) printf("call %zu with NULL: %d\n", i, codes[i]);
    MPI_Type_create_keyval(refuses, NULL, &key, NULL);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_attr(type, key, &n);
    int code = MPI_Type_dup(type, &copy);
    char text[MPI_MAX_ERROR_STRING];
    MPI_Error_string(MPI_ERR_WIN, text, &n);
    printf("%s, %d\n", text, only_compiled(MPI_WIN_NULL, MPI_FILE_NULL, 1 + 2 + 9 + 600, MPI_MESSAGE_NULL));
    printf("a copy that is refused: %d, %s\n", code == MPI_ERR_OTHER, copy == MPI_DATATYPE_NULL ? "no type" : "a type");
}

static void go_wrong(const char *how)
{
    int value = 0;
    MPI_Request request;
    if (is(how, "crash")) {
        skeleton_compute(0.25);
        if (rank == 1) raise(SIGSEGV);
        MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(how, "crash_first")) { /* before the third rank has its first turn */
        if (rank == 1) raise(SIGSEGV);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (is(how, "early")) {
        if (rank == 1) exit(0);
    } else if (is(how, "early_status")) {
        skeleton_compute(0.25);
        if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) exit(5);
    } else if (is(how, "vanish")) {
        if (rank == 1) _exit(3);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (is(how, "deadlock")) {
        skeleton_compute(0.5);
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(how, "rendezvous")) { /* nobody receives first */
        char *large = calloc(1, 1 << 20);
        MPI_Send(large, 1 << 20, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Recv(large, 1 << 20, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(how, "abort")) {
        skeleton_compute(1);
        if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (is(how, "tag")) {
        MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
    } else if (is(how, "rank")) {
        MPI_Send(&value, 1, MPI_INT, size, 5, MPI_COMM_WORLD);
    } else if (is(how, "truncate")) {
        int two[2] = { 1, 2 };
        if (rank == 0) MPI_Send(two, 2, MPI_INT, 1, 5, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is(how, "freed")) {
        MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
        MPI_Request copy = request;
        MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&copy, MPI_STATUS_IGNORE);
    } else if (is(how, "spin")) { /* nothing is charged, so that the time never comes: it looks from two places */
        double begun = MPI_Wtime();
        while (rank == 0 && MPI_Wtime() < begun + 1)
            if (MPI_Wtime() < begun) break;
    } else if (is(how, "iprobe")) {
        for (int flag = 0; !flag;) MPI_Iprobe(1 - rank, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    } else if (is(how, "test")) { /* the other one waits */
        MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &request);
        for (int flag = 0; !flag && rank == 1;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is(how, "patience")) { /* polls until a time, for what is computed, and for what is on its way */
        double begun = MPI_Wtime();
        int flag = 0;
        while (!flag && MPI_Wtime() < begun + 0.01) MPI_Iprobe(1 - rank, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (rank == 0) skeleton_compute(0.01);
        if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        while (!flag && rank == 1) MPI_Iprobe(0, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d has been patient\n", rank);
    } else if (is(how, "name")) {
        char name[32] = "";
        FILE *f = fopen("/proc/self/comm", "r");
        if (f && fgets(name, sizeof name, f) && rank == 1) printf("%s", name);
        if (f) fclose(f);
    } else if (is(how, "terminated")) {
        if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        skeleton_compute(0.25);
        MPI_Wtime();
        kill(getppid(), SIGTERM);
        for (volatile int turns = 0;; ++turns) continue;
    } else if (is(how, "threads")) {
        pthread_t thread;
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (pthread_create(&thread, NULL, thread_calls, NULL) != 0) return;
        while (!__atomic_load_n(&calls, __ATOMIC_SEQ_CST)) sched_yield();
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (is(how, "nowhere")) {
        go_nowhere();
    } else if (is(how, "segment")) {
        skeleton_compute(-1);
    } else if (is(how, "spawn")) {
        MPI_Comm children;
        int code;
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        code = MPI_Comm_spawn("/nowhere/to/be/found", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                              MPI_ERRCODES_IGNORE);
        printf("spawn: %s\n", code == MPI_ERR_SPAWN ? "MPI_ERR_SPAWN" : "?");
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (is(how, "outside")) return 6;
    if (is(how, "before")) MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_Barrier(MPI_COMM_WORLD);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3 || go_wrong_alone(argv[2]) < 0) go_wrong(how);
    MPI_Finalize();
    if (is(how, "after")) MPI_Barrier(MPI_COMM_WORLD);
    return is(how, "status") && rank == 1 ? 9 : 0;
}
