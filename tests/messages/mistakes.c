/* Programs with a mistake that does not crash them, one for each word; test_messages_mistakes reads what is said of it.
 * Four ranks, the even and the odd ones in a communicator each where that is needed. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static const char *how;
static MPI_Comm half, both; /* the even or the odd ranks; an intercommunicator between them */

static int is(const char *word)
{
    return strcmp(how, word) == 0;
}

static int copy_fails(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

static void halves_make(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
}

static void halves_free(void)
{
    MPI_Comm_free(&half);
    MPI_Comm_free(&both);
}

/* Messages and requests without their other half. */
static int messages_left(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    static char large[1 << 20];
    int value = 7;
    MPI_Request request, other;
    if (is("unreceived")) {
        for (int i = 0; i < 3 && rank == 0; ++i) MPI_Send(&value, 1, MPI_INT, 1, 5, world);
    } else if (is("unreceived_half")) {
        halves_make();
        MPI_Comm_set_name(half, "half");
        if (rank == 3) MPI_Send(large, 16, MPI_BYTE, 0, 6, half);
    } else if (is("unreceived_late")) { /* still in transit when all have ended */
        if (rank == 0) MPI_Isend(large, 1 << 20, MPI_CHAR, 1, 5, world, &request);
        if (rank == 0) MPI_Request_free(&request);
    } else if (is("many")) {
        for (int i = 0; i < 40 && rank == 0; ++i) MPI_Send(&value, 1, MPI_INT, 1, i, world);
    } else if (is("incomplete")) {
        if (rank == 2) MPI_Irecv(&value, 1, MPI_INT, 3, 8, world, &request);
        if (rank == 0) MPI_Isend(&value, 1, MPI_INT, 1, 9, world, &request);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 9, world, MPI_STATUS_IGNORE);
        MPI_Recv_init(&value, 1, MPI_INT, 0, 10, world, &other); /* never started: not a mistake */
    } else if (is("arrived")) {
        if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 7, world);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 8, world, MPI_STATUS_IGNORE);
    } else if (is("synchronous")) {
        if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 7, world);
    } else if (is("half")) {
        halves_make();
        if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 0, 4, half, MPI_STATUS_IGNORE);
        if (rank == 3) MPI_Recv(&value, 1, MPI_INT, 0, 4, both, MPI_STATUS_IGNORE);
    } else if (is("types")) {
        double real = 0;
        if (rank == 0) MPI_Send(large, 2, MPI_INT, 1, 5, world);
        if (rank == 1) MPI_Recv(&real, 1, MPI_DOUBLE, 0, 5, world, MPI_STATUS_IGNORE);
    } else if (is("types_right")) { /* none of these is a mistake */
        MPI_Datatype pair, both_types;
        const int lengths[2] = { 1, 1 };
        const MPI_Aint places[2] = { 0, 8 };
        const MPI_Datatype types[2] = { MPI_INT, MPI_DOUBLE };
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_create_struct(2, lengths, places, types, &both_types);
        MPI_Type_commit(&pair);
        MPI_Type_commit(&both_types);
        if (rank == 0) {
            MPI_Send(large, 2, MPI_INT, 1, 5, world);
            MPI_Send(large, 8, MPI_BYTE, 1, 5, world);
            MPI_Send(large, 8, MPI_INT, 1, 5, world);
            MPI_Send(large, 1, MPI_INT, 1, 5, world);
            MPI_Send(large, 2, MPI_INT, 1, 5, world);
        } else if (rank == 1) {
            MPI_Recv(large, 1, pair, 0, 5, world, MPI_STATUS_IGNORE);
            MPI_Recv(large, 1, MPI_DOUBLE, 0, 5, world, MPI_STATUS_IGNORE);
            MPI_Recv(large, 32, MPI_PACKED, 0, 5, world, MPI_STATUS_IGNORE);
            MPI_Recv(large, 1, both_types, 0, 5, world, MPI_STATUS_IGNORE);
            MPI_Recv(large, 1, MPI_2INT, 0, 5, world, MPI_STATUS_IGNORE);
        }
        MPI_Type_free(&pair);
        MPI_Type_free(&both_types);
    } else if (is("truncated")) {
        if (rank == 0) MPI_Send(large, 4, MPI_INT, 1, 5, world);
        if (rank == 1) MPI_Irecv(large, 2, MPI_INT, 0, 5, world, &request);
        if (rank == 1) MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    } else {
        return 0;
    }
    return 1;
}

static int collectives_differ(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    int in[16] = { rank }, out[64] = { 0 }, counts[4] = { 3, 3, 3, 3 }, places[4] = { 0, 3, 6, 9 };
    float real = 0;
    const int root = rank == 0 ? MPI_ROOT : rank == 2 ? MPI_PROC_NULL : 0; /* rank 0, the first of the even ones */
    if (is("types_bcast")) {
        if (rank == 0) MPI_Bcast(in, 1, MPI_INT, 0, world);
        if (rank != 0) MPI_Bcast(&real, 1, MPI_FLOAT, 0, world);
    } else if (is("in_place")) {
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, rank == 3 ? 2 : 1, MPI_INT, world);
    } else if (is("short")) {
        MPI_Gatherv(in, rank == 2 ? 1 : 3, MPI_INT, out, counts, places, MPI_INT, 0, world);
    } else if (is("half_root")) {
        halves_make();
        MPI_Bcast(in, 1, MPI_INT, rank == 3 ? 1 : 0, half);
    } else if (is("sides")) { /* each side is right by itself */
        halves_make();
        if (rank % 2) MPI_Barrier(both);
        if (rank % 2 == 0) MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, both);
    } else if (is("sides_right")) {
        halves_make();
        MPI_Barrier(both);
        MPI_Bcast(in, 1, MPI_INT, root, both);
        MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, root, both);
        MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, root, both);
        MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, root, both);
        MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, both);
        MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, both);
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, both);
        MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, both);
        halves_free();
    } else if (is("sides_root")) { /* it is rank 0 of the even ones, not rank 1 */
        halves_make();
        MPI_Bcast(in, 1, MPI_INT, rank % 2 ? 1 : root, both);
    } else if (is("sides_roots")) {
        halves_make();
        MPI_Bcast(in, 1, MPI_INT, rank % 2 ? 0 : MPI_ROOT, both);
    } else if (is("sides_name")) {
        halves_make();
        MPI_Bcast(in, 1, MPI_INT, 0, both);
    } else if (is("sides_operation")) {
        halves_make();
        MPI_Allreduce(in, out, 1, MPI_INT, rank % 2 ? MPI_MAX : MPI_MIN, both);
    } else if (is("sides_count")) {
        halves_make();
        MPI_Bcast(in, rank % 2 ? 1 : 2, MPI_INT, root, both);
    } else if (is("sides_alltoall")) { /* the odd ones expect one element */
        halves_make();
        MPI_Alltoall(in, rank % 2 ? 0 : 2, MPI_INT, out, rank % 2 ? 1 : 0, MPI_INT, both);
    } else if (is("sides_absent")) {
        halves_make();
        if (rank == 3) MPI_Recv(in, 1, MPI_INT, 2, 3, world, MPI_STATUS_IGNORE);
        MPI_Barrier(both);
    } else if (is("idup_left_out") || is("idup_dup") || is("idup_barrier")) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 1 && is("idup_dup")) MPI_Comm_dup(world, &copy);
        if (rank == 1 && is("idup_barrier")) MPI_Ibarrier(world, &request);
        if (rank == 1 && is("idup_left_out")) MPI_Recv(in, 1, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE);
        if (rank != 1) MPI_Comm_idup(world, &copy, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("idup_copy")) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Request request = MPI_REQUEST_NULL;
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(copy_fails, MPI_COMM_NULL_DELETE_FN, &key, NULL);
        MPI_Comm_set_attr(world, key, NULL);
        MPI_Comm_idup(world, &copy, &request);
    } else if (is("long_name")) {
        MPI_Comm graph = MPI_COMM_NULL;
        if (rank == 1) MPI_Recv(in, 1, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE);
        MPI_Dist_graph_create_adjacent(world, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &graph);
    } else if (is("leaders_tags") || is("leaders_names")) {
        const int leader = is("leaders_names") && rank % 2 ? 2 : 1 - rank % 2;
        MPI_Comm_split(world, rank % 2, 0, &half);
        MPI_Intercomm_create(half, 0, world, leader, is("leaders_tags") ? 5 + rank % 2 : 5, &both);
    } else if (is("absent")) {
        if (rank == 2) MPI_Recv(in, 1, MPI_INT, 1, 3, world, MPI_STATUS_IGNORE);
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, world);
    } else {
        return 0;
    }
    return 1;
}

static int arguments_wrong(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    char port[MPI_MAX_PORT_NAME];
    int values[25] = { 0 };
    MPI_Request request;
    MPI_Datatype pair;
    MPI_Comm made;
    MPI_Win window;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (is("bad_rank")) {
        MPI_Send(values, 1, MPI_INT, size, 0, world);
    } else if (is("bad_root")) {
        MPI_Bcast(values, 1, MPI_INT, -7, world);
    } else if (is("bad_tag")) {
        MPI_Send(values, 1, MPI_INT, 0, -5, world);
    } else if (is("bad_count")) {
        MPI_Send(values, -1, MPI_INT, 0, 5, world);
    } else if (is("started_twice")) {
        MPI_Recv_init(values, 1, MPI_INT, 0, 5, world, &request);
        MPI_Start(&request);
        MPI_Start(&request);
    } else if (is("uncommitted")) {
        MPI_Bcast(values, 1, pair, 0, world);
    } else if (is("freed_type")) {
        const MPI_Datatype copy = pair;
        MPI_Type_free(&pair);
        MPI_Bcast(values, 1, copy, 0, world);
    } else if (is("null_comm")) {
        MPI_Barrier(MPI_COMM_NULL);
    } else if (is("in_place_elsewhere")) {
        MPI_Reduce(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, 0, world);
    } else if (is("beyond_window")) {
        MPI_Win_create(values, sizeof values, 1, MPI_INFO_NULL, world, &window);
        MPI_Win_fence(0, window);
        if (rank == 0) MPI_Put(values, 4, MPI_INT, 1, 90, 4, MPI_INT, window);
        MPI_Win_fence(0, window);
    } else if (is("no_program")) {
        MPI_Comm_spawn("./nothing", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, world, &made, MPI_ERRCODES_IGNORE);
    } else if (is("no_service")) {
        MPI_Lookup_name("nothing", MPI_INFO_NULL, port);
    } else {
        if (pair != MPI_DATATYPE_NULL) MPI_Type_free(&pair);
        return 0;
    }
    return 1;
}

static void *thread_calls(void *unused)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return unused;
}

static void *thread_computes(void *unused)
{
    struct timespec used;
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    while (used.tv_nsec < 20000000);
    return unused;
}

/* What is not modelled: sleeping, clocks of this machine, threads, files. */
static int real_things(void)
{
    struct timeval now;
    struct timespec used, pause = { 0, 1000 };
    if (is("usleep")) {
        usleep(1000);
    } else if (is("nanosleep")) {
        nanosleep(&pause, NULL);
    } else if (is("poll")) {
        poll(NULL, 0, 1);
    } else if (is("select")) {
        now.tv_sec = 0, now.tv_usec = 1000;
        select(0, NULL, NULL, NULL, &now);
    } else if (is("gettimeofday")) {
        for (int i = 0; i < 2; ++i) gettimeofday(&now, NULL);
    } else if (is("clock_gettime")) {
        for (int i = 0; i < 2; ++i) clock_gettime(CLOCK_MONOTONIC, &used);
    } else if (is("time")) {
        if (time(NULL) == 0 || time(NULL) == 0 || clock() == 7) return 1;
    } else if (is("real_right")) { /* the date, CPU times, and waits for files */
        struct pollfd file = { .fd = 0, .events = POLLOUT };
        srand((unsigned)time(NULL));
        for (int i = 0; i < 3; ++i) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        sleep(0);
        poll(&file, 1, 0);
    } else if (is("threads")) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_computes, NULL) == 0) pthread_join(thread, NULL);
    } else if (is("files")) {
        MPI_File file;
        MPI_Request request;
        MPI_Errhandler handler;
        char data[8];
        int codes = 0;
        codes += MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
                 MPI_ERR_UNSUPPORTED_OPERATION;
        codes += MPI_File_iread(file, data, 8, MPI_CHAR, &request) == MPI_ERR_UNSUPPORTED_OPERATION;
        codes += MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
        codes += handler == MPI_ERRORS_RETURN;
        if (rank == 0) printf("%d %d\n", codes, file == MPI_FILE_NULL);
    } else if (is("files_fatal")) {
        MPI_File file;
        MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
        MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    } else {
        return 0;
    }
    return 1;
}

/* A rank that does not come back, threads, and handles. */
static void others(void)
{
    int flag = 0, value = 0;
    if (is("stopped")) {
        if (rank == 2) raise(SIGSTOP);
    } else if (is("computes")) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (volatile int on = 1; on && rank == 2;) continue;
    } else if (is("reads")) {
        int ends[2];
        char c;
        if (pipe(ends) != 0) return;
        if (rank == 2 && read(ends[0], &c, 1) == 1) return;
    } else if (is("other_thread")) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_calls, NULL) == 0) pthread_join(thread, NULL);
        MPI_Is_thread_main(&flag);
        if (rank == 0) printf("main %d\n", flag);
    } else if (is("handles")) {
        MPI_Datatype type;
        MPI_Group group;
        MPI_Op op;
        halves_make();
        MPI_Type_vector(2, 1, 2, MPI_INT, &type);
        MPI_Comm_group(half, &group);
        MPI_Op_create((MPI_User_function *)(void *)thread_calls, 1, &op);
    } else if (is("handles_freed")) {
        MPI_Datatype type;
        MPI_Group group, first;
        halves_make();
        MPI_Type_vector(2, 1, 2, MPI_INT, &type);
        MPI_Type_free(&type);
        MPI_Comm_group(half, &group);
        MPI_Group_incl(group, 1, &value, &first);
        MPI_Group_free(&group);
        MPI_Group_free(&first);
        halves_free();
    } else if (is("freed_op")) {
        MPI_Op op, copy;
        MPI_Op_create((MPI_User_function *)(void *)thread_calls, 1, &op);
        copy = op;
        MPI_Op_free(&op);
        MPI_Allreduce(&flag, &value, 1, MPI_INT, copy, MPI_COMM_WORLD);
    } else if (is("bad_buffer")) {
        if (rank == 0) MPI_Send((void *)16, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int provided;
    how = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, is("multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    skeleton_compute(0.25);
    if (!messages_left() && !collectives_differ() && !arguments_wrong() && !real_things()) others();
    MPI_Finalize();
    if (is("after")) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 0;
}
