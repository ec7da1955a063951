/* conform_misc.c - the environment, info, generalized requests, handles. */
#include "conform.h"

/*=============================================================================
 * MARK: - >>environment
 *===========================================================================*/
static void initialized_and_finalized(void)
{
    int begun = -1, ended = -1;

    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    say("initialized %d finalized %d", begun, ended);
}

static void version(void)
{
    int major = -1, minor = -1;

    MPI_Get_version(&major, &minor);
    say("%d", major >= 2 && minor >= 0 && MPI_VERSION >= 2);
}

static void time_goes_on(void)
{
    double last = MPI_Wtime();

    for (int i = 0; i < 100; ++i) {
        const double now = MPI_Wtime();
        expect(now >= last, "back");
        last = now;
    }
    say("tick %d", MPI_Wtick() > 0 && MPI_Wtick() < 1);
}

static void time_passes_in_messages(void)
{
    const double begin = MPI_Wtime();
    int value = 0;

    for (int i = 0; i < 200 && me < 2; ++i) {
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - me, 0, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    say("%d", MPI_Wtime() > begin);
}

static void processor_name(void)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1];
    int length = -1;

    memset(name, 0, sizeof name);
    MPI_Get_processor_name(name, &length);
    say("%d", length > 0 && length <= MPI_MAX_PROCESSOR_NAME && (int)strlen(name) == length);
}

static void threads(void)
{
    int level = -1, main_thread = -1;

    MPI_Query_thread(&level);
    MPI_Is_thread_main(&main_thread);
    say("level %d main %d", level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE, main_thread);
    say("in order %d", MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
                           MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
}

static void memory(void)
{
    int *a = NULL;

    MPI_Alloc_mem(1000 * sizeof *a, MPI_INFO_NULL, &a);
    fill(a, 1000, me);
    MPI_Bcast(a, 1000, MPI_INT, np - 1, MPI_COMM_WORLD);
    expect_filled(a, 1000, np - 1);
    MPI_Free_mem(a);
}

static void profiling_control(void)
{
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    MPI_Pcontrol(2, NULL);
    say("through");
}

static void profiling_names(void)
{
    int rank = -1, size = -1, sum = -1;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("%d", rank == me && size == np && sum == np * (np - 1) / 2);
}

static void limits(void)
{
    say("%d", MPI_MAX_PROCESSOR_NAME > 0 && MPI_MAX_ERROR_STRING > 0 && MPI_MAX_OBJECT_NAME >= 64 &&
                  MPI_MAX_INFO_KEY >= 32 && MPI_MAX_INFO_VAL > 0 && MPI_BSEND_OVERHEAD >= 0);
    say("%d", MPI_ANY_SOURCE < 0 && MPI_PROC_NULL < 0 && MPI_ANY_SOURCE != MPI_PROC_NULL && MPI_ANY_TAG < 0);
}

/*=============================================================================
 * MARK: - >>info
 *===========================================================================*/
static void say_info(const char *key, MPI_Info info)
{
    char value[21] = "";
    int flag = -1, length = -1;

    MPI_Info_get(info, (char *)(size_t)key, 20, value, &flag);
    if (!flag) {
        say("%s none", key);
        return;
    }
    MPI_Info_get_valuelen(info, (char *)(size_t)key, &length, &flag);
    say("%s [%s] %d", key, value, length);
}

static void info_set_and_get(void)
{
    MPI_Info info;

    MPI_Info_create(&info);
    say_info("a", info);
    MPI_Info_set(info, "a", "first");
    MPI_Info_set(info, "b", "second one");
    say_info("a", info);
    MPI_Info_set(info, "a", "again");
    say_info("a", info);
    say_info("b", info);
    MPI_Info_delete(info, "a");
    say_info("a", info);
    say_info("b", info);
    MPI_Info_free(&info);
    say("null %d", info == MPI_INFO_NULL);
}

static void info_keys(void)
{
    static const char *const keys[] = { "one", "two", "three" };
    char key[MPI_MAX_INFO_KEY + 1];
    int count = -1, seen = 0;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_get_nkeys(info, &count);
    say("%d", count);
    for (int i = 0; i < 3; ++i) MPI_Info_set(info, (char *)(size_t)keys[i], "x");
    MPI_Info_get_nkeys(info, &count);
    say("%d", count);
    for (int i = 0; i < count; ++i) { /* in any order */
        MPI_Info_get_nthkey(info, i, key);
        for (int k = 0; k < 3; ++k)
            if (strcmp(key, keys[k]) == 0) seen |= 1 << k;
    }
    say("seen %d", seen);
    MPI_Info_free(&info);
}

static void info_duplicate(void)
{
    MPI_Info info, copy;

    MPI_Info_create(&info);
    MPI_Info_set(info, "a", "x");
    MPI_Info_dup(info, &copy);
    MPI_Info_set(info, "a", "y");
    MPI_Info_set(copy, "b", "z");
    say_info("a", info);
    say_info("b", info);
    say_info("a", copy);
    say_info("b", copy);
    MPI_Info_free(&info);
    say_info("a", copy);
    MPI_Info_free(&copy);
}

/* The value is cut to what there is room for, and ends with 0. */
static void info_cut(void)
{
    char value[6] = "zzzzz";
    int flag = -1;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "long", "abcdefghijkl");
    MPI_Info_get(info, "long", 4, value, &flag);
    say("%d [%s]", flag, value);
    MPI_Info_free(&info);
}

/*=============================================================================
 * MARK: - >>generalized requests
 *===========================================================================*/
static int queried, freed, cancelled;

static int query(void *extra, MPI_Status *status)
{
    ++queried;
    MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    (void)extra;
    ++freed;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    cancelled += complete ? 100 : 1;
    return MPI_SUCCESS;
}

static void generalized_request(void)
{
    int elements = 9, flag = -1;
    MPI_Request request;
    MPI_Status status;

    queried = freed = cancelled = 0;
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    MPI_Test(&request, &flag, &status);
    say("flag %d freed %d", flag, freed);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    say_status(&status, MPI_INT);
    say("queried %d freed %d cancelled %d null %d", queried > 0, freed, cancelled, request == MPI_REQUEST_NULL);
}

static void generalized_request_cancelled(void)
{
    int elements = 1, flag = -1;
    MPI_Request request;
    MPI_Status status;

    queried = freed = cancelled = 0;
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    MPI_Cancel(&request);
    say("cancelled %d", cancelled);
    MPI_Grequest_complete(request);
    MPI_Test(&request, &flag, &status);
    say("flag %d freed %d", flag, freed);
}

static void generalized_request_among_others(void)
{
    int elements = 2, got = -1;
    MPI_Request request[3];
    MPI_Status status[3];

    queried = freed = cancelled = 0;
    MPI_Irecv(&got, 1, MPI_INT, me, 6, MPI_COMM_WORLD, &request[0]);
    MPI_Grequest_start(query, release, cancel, &elements, &request[1]);
    MPI_Isend(&np, 1, MPI_INT, me, 6, MPI_COMM_WORLD, &request[2]);
    MPI_Grequest_complete(request[1]);
    MPI_Waitall(3, request, status);
    say_status(&status[1], MPI_INT);
    expect(got == np && status[0].MPI_SOURCE == me, "got %d", got);
    say("freed %d", freed);
}

/*=============================================================================
 * MARK: - >>handles
 *===========================================================================*/
static void handles_of_fortran(void)
{
    int value = -1;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Group group;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    say("%d", MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm);
    say("%d", MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    say("%d", MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
    MPI_Type_contiguous(2, MPI_INT, &type);
    say("%d", MPI_Type_f2c(MPI_Type_c2f(type)) == type);
    say("%d", MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
    MPI_Comm_group(comm, &group);
    say("%d", MPI_Group_f2c(MPI_Group_c2f(group)) == group);
    say("%d", MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
    MPI_Irecv(&value, 1, MPI_INT, me, 0, comm, &request);
    say("%d", MPI_Request_f2c(MPI_Request_c2f(request)) == request);
    MPI_Send(&np, 1, MPI_INT, me, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Group_free(&group);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
}

const conform_case conform_misc[] = {
    CASE(initialized_and_finalized, 1),
    CASE(version, 1),
    CASE(time_goes_on, 1),
    CASE(time_passes_in_messages, 2),
    CASE(processor_name, 1),
    CASE(threads, 1),
    CASE(memory, 1),
    CASE(profiling_control, 1),
    CASE(profiling_names, 1),
    CASE(limits, 1),
    CASE(info_set_and_get, 1),
    CASE(info_keys, 1),
    CASE(info_duplicate, 1),
    CASE(info_cut, 1),
    CASE(generalized_request, 1),
    CASE(generalized_request_cancelled, 1),
    CASE(generalized_request_among_others, 1),
    CASE(handles_of_fortran, 1),
    NO_MORE_CASES,
};
