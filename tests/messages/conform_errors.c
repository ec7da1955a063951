/* conform_errors.c - error classes, error handlers. */
#include "conform.h"

/* Errors return, also those that belong to no communicator. */
static void errors_return(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static void errors_end(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/*=============================================================================
 * MARK: - >>wrong arguments
 *===========================================================================*/
static void wrong_counts(void)
{
    int value = 0;
    MPI_Request request;
    MPI_Datatype type;

    errors_return();
    say_class("send", MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    say_class("recv", MPI_Recv(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say_class("isend", MPI_Isend(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
    say_class("irecv", MPI_Irecv(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
    say_class("bcast", MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD));
    say_class("contiguous", MPI_Type_contiguous(-1, MPI_INT, &type));
    say_class("vector", MPI_Type_vector(-1, 1, 1, MPI_INT, &type));
    errors_end();
}

static void wrong_ranks(void)
{
    int value = 0;
    MPI_Request request;

    errors_return();
    say_class("send", MPI_Send(&value, 1, MPI_INT, np, 0, MPI_COMM_WORLD));
    say_class("send", MPI_Send(&value, 1, MPI_INT, -5, 0, MPI_COMM_WORLD));
    say_class("ssend", MPI_Ssend(&value, 1, MPI_INT, np, 0, MPI_COMM_WORLD));
    say_class("isend", MPI_Isend(&value, 1, MPI_INT, -5, 0, MPI_COMM_WORLD, &request));
    say_class("recv", MPI_Recv(&value, 1, MPI_INT, np, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say_class("irecv", MPI_Irecv(&value, 1, MPI_INT, -5, 0, MPI_COMM_WORLD, &request));
    say_class("probe", MPI_Probe(np, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say_class("send to any", MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD));
    say_class("send init", MPI_Send_init(&value, 1, MPI_INT, np, 0, MPI_COMM_WORLD, &request));
    errors_end();
}

static void wrong_tags(void)
{
    int value = 0, *most = NULL, flag = 0, code = MPI_ERR_TAG;
    MPI_Request request;

    errors_return();
    say_class("send", MPI_Send(&value, 1, MPI_INT, 0, -4, MPI_COMM_WORLD));
    say_class("send any", MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD));
    say_class("isend", MPI_Isend(&value, 1, MPI_INT, 0, -4, MPI_COMM_WORLD, &request));
    say_class("recv", MPI_Recv(&value, 1, MPI_INT, 0, -4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);
    if (*most < INT_MAX)
        code = MPI_Send(&value, 1, MPI_INT, 0, *most + 1, MPI_COMM_WORLD); /* may be as large as ints */
    say_class("too large", code);
    errors_end();
}

static void wrong_communicators(void)
{
    int value = 0;
    MPI_Comm comm;
    MPI_Group group;

    errors_return();
    say_class("rank", MPI_Comm_rank(MPI_COMM_NULL, &value));
    say_class("size", MPI_Comm_size(MPI_COMM_NULL, &value));
    say_class("send", MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    say_class("recv", MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_STATUS_IGNORE));
    say_class("barrier", MPI_Barrier(MPI_COMM_NULL));
    say_class("dup", MPI_Comm_dup(MPI_COMM_NULL, &comm));
    say_class("group", MPI_Comm_group(MPI_COMM_NULL, &group));
    comm = MPI_COMM_NULL;
    say_class("free", MPI_Comm_free(&comm));
    errors_end();
}

static void wrong_types(void)
{
    int value[2] = { 0, 0 };
    MPI_Datatype type, next;

    errors_return();
    say_class("send", MPI_Send(value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    say_class("recv", MPI_Recv(value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say_class("bcast", MPI_Bcast(value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
    say_class("size", MPI_Type_size(MPI_DATATYPE_NULL, value));
    say_class("contiguous", MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &next));
    MPI_Type_contiguous(2, MPI_INT, &type);
    say_class("not committed", MPI_Send(value, 1, type, 0, 0, MPI_COMM_WORLD));
    MPI_Type_free(&type);
    type = MPI_INT;
    say_class("free", MPI_Type_free(&type));
    errors_end();
}

static void wrong_roots(void)
{
    int in = 0, *all = (int *)room((size_t)np * sizeof *all);

    errors_return();
    say_class("bcast", MPI_Bcast(&in, 1, MPI_INT, np, MPI_COMM_WORLD));
    say_class("bcast", MPI_Bcast(&in, 1, MPI_INT, -5, MPI_COMM_WORLD));
    say_class("gather", MPI_Gather(&in, 1, MPI_INT, all, 1, MPI_INT, np, MPI_COMM_WORLD));
    say_class("scatter", MPI_Scatter(all, 1, MPI_INT, &in, 1, MPI_INT, -5, MPI_COMM_WORLD));
    say_class("reduce", MPI_Reduce(&in, all, 1, MPI_INT, MPI_SUM, np, MPI_COMM_WORLD));
    errors_end();
    free(all);
}

static void wrong_operations(void)
{
    int in = 0, out = 0;
    MPI_Op op = MPI_SUM;

    errors_return();
    say_class("reduce", MPI_Reduce(&in, &out, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD));
    say_class("allreduce", MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    say_class("scan", MPI_Scan(&in, &out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    say_class("free", MPI_Op_free(&op));
    errors_end();
}

static void wrong_requests(void)
{
    MPI_Request request = MPI_REQUEST_NULL;

    errors_return();
    say_class("start", MPI_Start(&request));
    say_class("cancel", MPI_Cancel(&request));
    say_class("free", MPI_Request_free(&request));
    errors_end();
}

static void wrong_groups(void)
{
    const int beyond[] = { np };
    int value, range[1][3] = { { 0, np, 1 } };
    MPI_Group world, group;

    errors_return();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    say_class("incl", MPI_Group_incl(world, 1, beyond, &group));
    say_class("excl", MPI_Group_excl(world, 1, beyond, &group));
    say("range %d", MPI_Group_range_incl(world, 1, range, &group) != MPI_SUCCESS);
    say_class("null", MPI_Group_size(MPI_GROUP_NULL, &value));
    MPI_Group_free(&world);
    errors_end();
}

static void wrong_topologies(void)
{
    int dims[2] = { 4, 0 }, coords[2], value;

    errors_return();
    say_class("coords", MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, coords));
    say_class("shift", MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &coords[0], &coords[1]));
    say_class("neighbors", MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &value));
    say_class("dims", MPI_Dims_create(6, 2, dims));
    dims[0] = -1;
    say("negative %d", MPI_Dims_create(6, 2, dims) != MPI_SUCCESS);
    errors_end();
}

/* So large that it is not sent without a buffer. */
static void wrong_buffers(void)
{
    const int count = 200000;
    char buffer[MPI_BSEND_OVERHEAD + 40], *back = NULL;
    double *a = (double *)room((size_t)count * sizeof *a);
    int size = 0;
    MPI_Comm comm;

    errors_return();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* Open MPI sends nothing more on it afterwards */
    MPI_Buffer_attach(buffer, (int)sizeof buffer);
    say_class("too small", MPI_Bsend(a, count, MPI_DOUBLE, (me + 1) % np, 0, comm));
    say("second %d", MPI_Buffer_attach(buffer, (int)sizeof buffer) != MPI_SUCCESS);
    MPI_Buffer_detach(&back, &size);
    say("same %d %d", back == buffer, size == (int)sizeof buffer);
    MPI_Comm_free(&comm);
    errors_end();
    free(a);
}

static void wrong_keys(void)
{
    int flag, key = MPI_KEYVAL_INVALID;
    void *value;

    errors_return();
    say_class("get", MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value, &flag));
    say("set %d", MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, NULL) != MPI_SUCCESS);
    say("delete %d", MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID) != MPI_SUCCESS);
    say("free %d", MPI_Comm_free_keyval(&key) != MPI_SUCCESS);
    errors_end();
}

static void wrong_info(void)
{
    MPI_Info info;
    char key[] = "missing";

    errors_return();
    MPI_Info_create(&info);
    say_class("delete", MPI_Info_delete(info, key));
    MPI_Info_free(&info);
    errors_end();
}

/* An error changes nothing: what is right works as before. */
static void goes_on_after_errors(void)
{
    int value = me, got = -1;

    errors_return();
    for (int i = 0; i < 10; ++i) {
        expect(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS, "no error");
        MPI_Sendrecv(&value, 1, MPI_INT, (me + 1) % np, i, &got, 1, MPI_INT, (me + np - 1) % np, i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        expect(got == (me + np - 1) % np, "got %d", got);
    }
    errors_end();
}

/*=============================================================================
 * MARK: - >>truncation
 *===========================================================================*/
static void truncated_receive(void)
{
    int a[10], b[10];
    MPI_Status status;

    errors_return();
    fill(a, 10, 1);
    fill(b, 10, 2);
    if (me == 0) {
        MPI_Send(a, 10, MPI_INT, 1, 7, MPI_COMM_WORLD);
        MPI_Send(a, 2, MPI_INT, 1, 7, MPI_COMM_WORLD);
    } else if (me == 1) {
        say_class("recv", MPI_Recv(b, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, &status));
        for (int i = 4; i < 10; ++i) expect(b[i] == 2000 + i, "written beyond: [%d] %d", i, b[i]);
        say_class("next", MPI_Recv(b, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, &status)); /* the first is gone */
        say_status(&status, MPI_INT);
    }
    errors_end();
}

static void truncated_large_receive(void)
{
    const int count = 200000;
    int *a = (int *)room((size_t)count * sizeof *a), b[11];

    errors_return();
    fill(b, 11, 2);
    if (me == 0) MPI_Send(a, count, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (me == 1) {
        say_class("recv", MPI_Recv(b, 10, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        expect(b[10] == 2010, "written beyond");
    }
    errors_end();
    free(a);
}

static void truncated_to_nothing(void)
{
    errors_return();
    if (me == 0) MPI_Send(&np, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (me == 1) say_class("recv", MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    errors_end();
}

static void truncated_wait(void)
{
    int a[5] = { 0, 0, 0, 0, 0 }, b[2];
    MPI_Request request;

    errors_return();
    if (me == 0) MPI_Send(a, 5, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Irecv(b, 2, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
        say_class("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    errors_end();
}

static void truncated_in_waitall(void)
{
    int a[5] = { 1, 2, 3, 4, 5 }, b[3][5];
    MPI_Request request[3];
    MPI_Status status[3];

    errors_return();
    if (me == 0) {
        for (int i = 0; i < 3; ++i) MPI_Send(a, 4, MPI_INT, 1, i, MPI_COMM_WORLD);
    } else if (me == 1) {
        for (int i = 0; i < 3; ++i) MPI_Irecv(b[i], i == 1 ? 2 : 5, MPI_INT, 0, i, MPI_COMM_WORLD, &request[i]);
        say_class("waitall", MPI_Waitall(3, request, status));
        say_class("its status", status[1].MPI_ERROR);
        for (int i = 0; i < 3; i += 2) { /* the others have come, or may still come */
            if (status[i].MPI_ERROR == MPI_ERR_PENDING)
                MPI_Wait(&request[i], &status[i]);
            else
                expect(status[i].MPI_ERROR == MPI_SUCCESS, "%d has an error", i);
            expect(b[i][3] == 4, "%d not received", i);
        }
    }
    errors_end();
}

static void truncated_in_waitsome(void)
{
    int a[5] = { 1, 2, 3, 4, 5 }, b[2], some, index[1];
    MPI_Request request[1];
    MPI_Status status[1];

    errors_return();
    if (me == 0) MPI_Send(a, 5, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Irecv(b, 2, MPI_INT, 0, 7, MPI_COMM_WORLD, &request[0]);
        say_class("waitsome", MPI_Waitsome(1, request, &some, index, status));
        say("%d: %d", some, index[0]);
        say_class("its status", status[0].MPI_ERROR);
    }
    errors_end();
}

/*=============================================================================
 * MARK: - >>handlers
 *===========================================================================*/
static int calls, last_class;
static MPI_Comm last_comm;

static void note_error(MPI_Comm *comm, int *code, ...)
{
    ++calls;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
}

static void note_other_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    calls += 100;
}

static void user_handler(void)
{
    int code;
    MPI_Errhandler handler;
    MPI_Comm comm;

    calls = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler); /* lives on in the communicator */
    say("null %d", handler == MPI_ERRHANDLER_NULL);
    code = MPI_Send(&me, 1, MPI_INT, np, 0, comm);
    say("calls %d its communicator %d", calls, last_comm == comm);
    say_class("class", last_class);
    say_class("returned", code);
    code = MPI_Bcast(&code, -1, MPI_INT, 0, comm);
    say("calls %d", calls);
    say_class("class", last_class);
    MPI_Barrier(comm);
    say("calls %d", calls);
    MPI_Comm_free(&comm);
}

static void handlers_of_communicators(void)
{
    MPI_Errhandler handler[2];
    MPI_Comm comm[2];

    calls = 0;
    MPI_Comm_create_errhandler(note_error, &handler[0]);
    MPI_Comm_create_errhandler(note_other_error, &handler[1]);
    for (int i = 0; i < 2; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        MPI_Comm_set_errhandler(comm[i], handler[i]);
    }
    MPI_Send(&me, 1, MPI_INT, np, 0, comm[0]);
    say("calls %d", calls);
    MPI_Send(&me, 1, MPI_INT, np, 0, comm[1]);
    say("calls %d", calls);
    MPI_Comm_set_errhandler(comm[1], handler[0]);
    MPI_Send(&me, 1, MPI_INT, np, 0, comm[1]);
    say("calls %d", calls);
    for (int i = 0; i < 2; ++i) {
        MPI_Comm_free(&comm[i]);
        MPI_Errhandler_free(&handler[i]);
    }
}

/* A communicator whose errors are noted. */
static MPI_Comm noting(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;

    calls = 0;
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    return comm;
}

/* Makes an error in a communicator made of one with a handler, which has another by now. Frees both. */
static void inherited(MPI_Comm *comm, MPI_Comm *next)
{
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    MPI_Send(&me, 1, MPI_INT, np, 0, *next);
    say("calls %d its %d", calls, last_comm == *next);
    MPI_Send(&me, 1, MPI_INT, np, 0, *comm);
    say("calls %d", calls);
    MPI_Comm_free(next);
    MPI_Comm_free(comm);
}

static void handler_inherited_by_dup(void)
{
    MPI_Comm comm = noting(), next;

    MPI_Comm_dup(comm, &next);
    inherited(&comm, &next);
}

static void handler_inherited_by_split(void)
{
    MPI_Comm comm = noting(), next;

    MPI_Comm_split(comm, me, 0, &next);
    inherited(&comm, &next);
}

static void handler_inherited_by_create(void)
{
    MPI_Comm comm = noting(), next;
    MPI_Group group;

    MPI_Comm_group(comm, &group);
    MPI_Comm_create(comm, group, &next);
    MPI_Group_free(&group);
    inherited(&comm, &next);
}

static void handler_of_a_receive(void)
{
    int a[5] = { 0, 0, 0, 0, 0 };
    MPI_Comm comm = noting();

    if (me == 0) MPI_Send(a, 5, MPI_INT, 1, 0, comm);
    if (me == 1) {
        MPI_Recv(a, 2, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        say("calls %d its communicator %d", calls, last_comm == comm);
        say_class("class", last_class);
    }
    MPI_Comm_free(&comm);
}

static void get_and_set_handlers(void)
{
    MPI_Errhandler got, handler;

    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    say("fatal %d", got == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&got);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    say("return %d", got == MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&got);
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    say("own %d", got == handler);
    MPI_Errhandler_free(&got);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

static void call_handler(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;

    calls = 0;
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_call_errhandler(comm, MPI_ERR_TOPOLOGY);
    say("calls %d its communicator %d", calls, last_comm == comm);
    say_class("class", last_class);
    MPI_Comm_free(&comm);
}

/*=============================================================================
 * MARK: - >>classes and codes
 *===========================================================================*/
static void strings_of_classes(void)
{
    static const int classes[] = { MPI_SUCCESS,      MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE,    MPI_ERR_TAG,
                                   MPI_ERR_COMM,     MPI_ERR_RANK,   MPI_ERR_ROOT,  MPI_ERR_GROUP,   MPI_ERR_OP,
                                   MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,   MPI_ERR_ARG,   MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE,
                                   MPI_ERR_OTHER,    MPI_ERR_INTERN };
    char text[MPI_MAX_ERROR_STRING + 1];

    for (int i = 0; i < COUNT_OF(classes); ++i) {
        int length = -1, class = -1;
        memset(text, 0, sizeof text);
        MPI_Error_string(classes[i], text, &length);
        MPI_Error_class(classes[i], &class);
        expect(length > 0 && length < MPI_MAX_ERROR_STRING && (int)strlen(text) == length, "string %d", i);
        expect(class == classes[i], "class %d", i);
        expect((classes[i] == MPI_SUCCESS) == (i == 0) && MPI_SUCCESS == 0, "success %d", i);
        expect(classes[i] <= MPI_ERR_LASTCODE, "beyond the last");
    }
}

static void own_classes_and_codes(void)
{
    int class = -1, code = -1, other = -1, got = -1, length = -1, *last = NULL, flag = 0;
    char text[MPI_MAX_ERROR_STRING + 1] = "", mine[] = "what went wrong";

    MPI_Add_error_class(&class);
    expect(class > MPI_ERR_LASTCODE, "class within those of MPI");
    MPI_Add_error_code(class, &code);
    MPI_Add_error_code(MPI_ERR_TAG, &other);
    MPI_Error_class(code, &got);
    say("own class %d", got == class);
    MPI_Error_class(other, &got);
    say_class("other", got);
    MPI_Add_error_string(code, mine);
    MPI_Error_string(code, text, &length);
    say("[%s] %d", text, length);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    say("last used %d", flag && *last >= class);
}

static void own_code_reaches_handler(void)
{
    int code = -1;
    MPI_Errhandler handler;
    MPI_Comm comm;

    calls = 0;
    MPI_Add_error_code(MPI_ERR_RANK, &code);
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_call_errhandler(comm, code);
    say("calls %d", calls);
    say_class("class", last_class);
    MPI_Comm_free(&comm);
}

/* Counts calls that return MPI_ERR_ARG or a class of info objects and operations; says which do not. */
static int refused;

static void refuse(const char *call, int code)
{
    int class = MPI_SUCCESS;

    if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
    ++refused;
    if (class != MPI_ERR_ARG && class != MPI_ERR_INFO && class != MPI_ERR_INFO_KEY && class != MPI_ERR_INFO_VALUE &&
        class != MPI_ERR_OP && class != MPI_ERR_REQUEST)
        say_class(call, code);
}

static void handle_nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void null_arguments(void)
{
    int value = 0, flag = 0, one = 1, zero = 0, less = -1;
    char text[MPI_MAX_ERROR_STRING + MPI_MAX_PROCESSOR_NAME];
    MPI_Aint place = 0;
    MPI_Comm cart, graph, fresh;
    MPI_Datatype type, old = MPI_INT;
    MPI_Info info;
    MPI_Op op;
    MPI_Status status;

    memset(&status, 0, sizeof status);
    MPI_Info_create(&info);
    MPI_Info_set(info, (char *)(size_t) "a", (char *)(size_t) "b");
    MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &cart);
    MPI_Graph_create(MPI_COMM_SELF, 1, &zero, &zero, 0, &graph);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
    refused = 0;
    refuse("Comm_get_name", MPI_Comm_get_name(MPI_COMM_WORLD, NULL, &value));
    refuse("Comm_get_name", MPI_Comm_get_name(MPI_COMM_WORLD, text, NULL));
    refuse("Comm_set_name", MPI_Comm_set_name(MPI_COMM_WORLD, NULL));
    refuse("Comm_get_attr", MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL, &flag));
    refuse("Comm_get_attr", MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &text, NULL));
    refuse("Type_get_attr", MPI_Type_get_attr(MPI_INT, MPI_TAG_UB, &text, NULL));
    refuse("Topo_test", MPI_Topo_test(MPI_COMM_WORLD, NULL));
    refuse("Cartdim_get", MPI_Cartdim_get(cart, NULL));
    refuse("Cart_get", MPI_Cart_get(cart, 1, NULL, &value, &value));
    refuse("Cart_get", MPI_Cart_get(cart, 1, &value, NULL, &value));
    refuse("Cart_get", MPI_Cart_get(cart, 1, &value, &value, NULL));
    refuse("Cart_rank", MPI_Cart_rank(cart, NULL, &value));
    refuse("Cart_rank", MPI_Cart_rank(cart, &zero, NULL));
    refuse("Cart_coords", MPI_Cart_coords(cart, 0, 1, NULL));
    refuse("Cart_shift", MPI_Cart_shift(cart, 0, 1, NULL, &value));
    refuse("Cart_shift", MPI_Cart_shift(cart, 0, 1, &value, NULL));
    refuse("Cart_create", MPI_Cart_create(MPI_COMM_SELF, 1, NULL, &one, 0, &fresh));
    refuse("Cart_create", MPI_Cart_create(MPI_COMM_SELF, 1, &one, NULL, 0, &fresh));
    refuse("Cart_create", MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, NULL));
    refuse("Cart_map", MPI_Cart_map(MPI_COMM_SELF, 1, NULL, &one, &value));
    refuse("Cart_map", MPI_Cart_map(MPI_COMM_SELF, 1, &one, &one, NULL));
    refuse("Graph_create", MPI_Graph_create(MPI_COMM_SELF, 1, NULL, &zero, 0, &fresh));
    refuse("Graph_create", MPI_Graph_create(MPI_COMM_SELF, 1, &zero, NULL, 0, &fresh));
    refuse("Graphdims_get", MPI_Graphdims_get(graph, NULL, &value));
    refuse("Graphdims_get", MPI_Graphdims_get(graph, &value, NULL));
    refuse("Graph_get", MPI_Graph_get(graph, 1, 1, NULL, &value));
    refuse("Graph_neighbors_count", MPI_Graph_neighbors_count(graph, 0, NULL));
    refuse("Graph_neighbors", MPI_Graph_neighbors(graph, 0, 1, NULL));
    refuse("Graph_map", MPI_Graph_map(MPI_COMM_SELF, 1, NULL, &zero, &value));
    refuse("Graph_map", MPI_Graph_map(MPI_COMM_SELF, 1, &zero, &zero, NULL));
    refuse("Comm_get_parent", MPI_Comm_get_parent(NULL));
    refuse("Info_create", MPI_Info_create(NULL));
    refuse("Info_dup", MPI_Info_dup(info, NULL));
    refuse("Info_get", MPI_Info_get(info, (char *)(size_t) "a", 10, NULL, &flag));
    refuse("Info_get", MPI_Info_get(info, (char *)(size_t) "a", 10, text, NULL));
    refuse("Info_get", MPI_Info_get(info, NULL, 10, text, &flag));
    refuse("Info_get_valuelen", MPI_Info_get_valuelen(info, (char *)(size_t) "a", NULL, &flag));
    refuse("Info_get_valuelen", MPI_Info_get_valuelen(info, (char *)(size_t) "a", &value, NULL));
    refuse("Info_get_nkeys", MPI_Info_get_nkeys(info, NULL));
    refuse("Info_get_nthkey", MPI_Info_get_nthkey(info, 0, NULL));
    refuse("Info_set", MPI_Info_set(info, NULL, (char *)(size_t) "x"));
    refuse("Info_set", MPI_Info_set(info, (char *)(size_t) "x", NULL));
    refuse("Info_delete", MPI_Info_delete(info, NULL));
    refuse("Add_error_class", MPI_Add_error_class(NULL));
    refuse("Add_error_code", MPI_Add_error_code(1, NULL));
    refuse("Get_version", MPI_Get_version(NULL, &value));
    refuse("Get_version", MPI_Get_version(&value, NULL));
    refuse("Get_library_version", MPI_Get_library_version(NULL, &value));
    refuse("Get_library_version", MPI_Get_library_version(text, NULL));
    refuse("Get_processor_name", MPI_Get_processor_name(NULL, &value));
    refuse("Get_processor_name", MPI_Get_processor_name(text, NULL));
    refuse("Initialized", MPI_Initialized(NULL));
    refuse("Finalized", MPI_Finalized(NULL));
    refuse("Query_thread", MPI_Query_thread(NULL));
    refuse("Comm_get_errhandler", MPI_Comm_get_errhandler(MPI_COMM_WORLD, NULL));
    refuse("Comm_create_keyval", MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, NULL, NULL));
    refuse("Comm_free_keyval", MPI_Comm_free_keyval(NULL));
    refuse("Type_create_keyval", MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, NULL, NULL));
    refuse("Get_address", MPI_Get_address(&value, NULL));
    refuse("Pack", MPI_Pack(&value, 1, MPI_INT, NULL, 10, &zero, MPI_COMM_WORLD));
    refuse("Pack", MPI_Pack(&value, 1, MPI_INT, text, 10, NULL, MPI_COMM_WORLD));
    refuse("Unpack", MPI_Unpack(NULL, 10, &zero, &value, 1, MPI_INT, MPI_COMM_WORLD));
    refuse("Unpack", MPI_Unpack(text, 10, NULL, &value, 1, MPI_INT, MPI_COMM_WORLD));
    refuse("Op_create", MPI_Op_create(NULL, 1, &op));
    refuse("Op_create", MPI_Op_create(handle_nothing, 1, NULL));
    refuse("Op_commutative", MPI_Op_commutative(MPI_SUM, NULL));
    refuse("Op_free", MPI_Op_free(NULL));
    refuse("Test_cancelled", MPI_Test_cancelled(&status, NULL));
    refuse("Test_cancelled", MPI_Test_cancelled(NULL, &value));
    refuse("Status_set_cancelled", MPI_Status_set_cancelled(NULL, 1));
    refuse("Buffer_attach", MPI_Buffer_attach(NULL, 10));
    refuse("Buffer_detach", MPI_Buffer_detach(NULL, &value));
    refuse("Grequest_start", MPI_Grequest_start(NULL, NULL, NULL, NULL, NULL));
    refuse("Request_get_status", MPI_Request_get_status(MPI_REQUEST_NULL, NULL, &status));
    refuse("Alloc_mem", MPI_Alloc_mem(10, MPI_INFO_NULL, NULL));
    refuse("Type_create_struct", MPI_Type_create_struct(1, NULL, NULL, NULL, &type));
    refuse("Type_indexed", MPI_Type_indexed(1, NULL, &value, MPI_INT, &type));
    refuse("Type_indexed", MPI_Type_indexed(1, &one, NULL, MPI_INT, &type));
    refuse("Type_create_hindexed", MPI_Type_create_hindexed(1, NULL, NULL, MPI_INT, &type));
    refuse("Type_create_indexed_block", MPI_Type_create_indexed_block(1, 1, NULL, MPI_INT, &type));
    refuse("Type_create_struct", MPI_Type_create_struct(1, &one, NULL, NULL, NULL));
    refuse("Type_create_subarray", MPI_Type_create_subarray(1, NULL, NULL, NULL, MPI_ORDER_C, MPI_INT, &type));
    refuse("Type_create_darray", MPI_Type_create_darray(1, 0, 1, NULL, NULL, NULL, NULL, MPI_ORDER_C, MPI_INT, &type));
    refuse("Type_indexed", MPI_Type_indexed(1, &less, &one, MPI_INT, &type));
    refuse("Type_create_hindexed", MPI_Type_create_hindexed(1, &less, &place, MPI_INT, &type));
    refuse("Type_create_struct", MPI_Type_create_struct(1, &less, &place, &old, &type));
    refuse("Type_vector", MPI_Type_vector(1, -1, 1, MPI_INT, &type));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&cart);
    MPI_Info_free(&info);
    say("%d refused", refused);
}

const conform_case conform_errors[] = {
    CASE(wrong_counts, 1),
    CASE(wrong_ranks, 1),
    CASE(wrong_tags, 1),
    CASE(wrong_communicators, 1),
    CASE(wrong_types, 1),
    CASE(wrong_roots, 1),
    CASE(wrong_operations, 1),
    CASE(wrong_requests, 1),
    CASE(wrong_groups, 1),
    CASE(wrong_topologies, 1),
    CASE(wrong_buffers, 1),
    CASE(wrong_keys, 1),
    CASE(wrong_info, 1),
    CASE(goes_on_after_errors, 1),
    CASE(truncated_receive, 2),
    CASE(truncated_large_receive, 2),
    CASE(truncated_to_nothing, 2),
    CASE(truncated_wait, 2),
    CASE(truncated_in_waitall, 2),
    CASE(truncated_in_waitsome, 2),
    CASE(user_handler, 1),
    CASE(handlers_of_communicators, 1),
    CASE(handler_inherited_by_dup, 1),
    CASE(handler_inherited_by_split, 1),
    CASE(handler_inherited_by_create, 1),
    CASE(handler_of_a_receive, 2),
    CASE(get_and_set_handlers, 1),
    CASE(call_handler, 1),
    CASE(strings_of_classes, 1),
    CASE(own_classes_and_codes, 1),
    CASE(own_code_reaches_handler, 1),
    CASE(null_arguments, 1),
    NO_MORE_CASES,
};
