/* fortran.c - the calls of mpi.h for programs of gfortran: names in lower case with an underscore, arguments by reference, the
 * error code last, handles as numbers. Their interfaces are in mpif.h and mpi.f90. */
#define _GNU_SOURCE
#include "mpi_core.h"

#include <stdlib.h>
#include <string.h>

typedef MPI_Fint integer;
enum { STATUS_SIZE = sizeof(MPI_Status) / sizeof(integer) };

/* The error code; with the module mpi_f08 it is optional, and its address then NULL. */
static integer *code_in(integer *error)
{
    static integer unused;
    return error ? error : &unused;
}

/* Every call is declared and defined. */
#define CALL(name, ...)                                                                                                \
    void mpi_##name##_(__VA_ARGS__);                                                                                   \
    void mpi_##name##_(__VA_ARGS__)

/*=============================================================================
 * MARK: - >>handles
 *===========================================================================*/

/* Numbered from 1 in the order of mpif.h, before the program begins. */
/* clang-format off */
#define TYPES(X) \
    X(CHARACTER) X(LOGICAL) X(INTEGER) X(REAL) X(DOUBLE_PRECISION) X(COMPLEX) X(DOUBLE_COMPLEX) X(BYTE) X(PACKED) \
    X(INTEGER1) X(INTEGER2) X(INTEGER8) X(2INTEGER) X(LB) X(UB) X(AINT) X(OFFSET) X(CHAR) X(INT) X(FLOAT) X(DOUBLE) \
    X(LONG) X(LONG_LONG_INT) X(UNSIGNED) X(SIGNED_CHAR) X(UNSIGNED_CHAR) X(WCHAR) X(SHORT) X(UNSIGNED_SHORT) \
    X(UNSIGNED_LONG) X(UNSIGNED_LONG_LONG) X(LONG_DOUBLE) X(FLOAT_INT) X(DOUBLE_INT) X(LONG_INT) X(SHORT_INT) \
    X(LONG_DOUBLE_INT) X(UINT8_T) X(UINT16_T) X(UINT32_T) X(UINT64_T) X(INT32_T) X(C_BOOL) X(C_FLOAT_COMPLEX) \
    X(C_DOUBLE_COMPLEX) X(C_LONG_DOUBLE_COMPLEX)
#define MORE_TYPES(X) \
    X(COUNT) X(INTEGER16) X(REAL16) X(COMPLEX32) X(LOGICAL1) X(LOGICAL2) X(LOGICAL8) X(INT8_T) X(INT16_T) X(INT64_T) \
    X(2INT) X(INTEGER4) X(REAL4) X(REAL8) X(COMPLEX8) X(COMPLEX16) X(LOGICAL4)
#define OPS(X) \
    X(MAX) X(MIN) X(SUM) X(PROD) X(LAND) X(BAND) X(LOR) X(BOR) X(LXOR) X(BXOR) X(MAXLOC) X(MINLOC) X(REPLACE) X(NO_OP)
/* clang-format on */

static bool numbered(void)
{
    integer types = 0, ops = 0;
    bool all = MPI_Comm_c2f(MPI_COMM_WORLD) == 1 && MPI_Comm_c2f(MPI_COMM_SELF) == 2 &&
               MPI_Group_c2f(MPI_GROUP_EMPTY) == 1 && MPI_Message_c2f(MPI_MESSAGE_NO_PROC) == 1 &&
               MPI_Info_c2f(MPI_INFO_ENV) == 1;
#define NUMBERED(name) all = MPI_Type_c2f(MPI_##name) == ++types && all;
    TYPES(NUMBERED)
#ifdef MPI_2REAL
    all = MPI_Type_c2f(MPI_2REAL) == ++types && all;
    all = MPI_Type_c2f(MPI_2DOUBLE_PRECISION) == ++types && all;
#endif
    MORE_TYPES(NUMBERED)
#undef NUMBERED
#define NUMBERED(name) all = MPI_Op_c2f(MPI_##name) == ++ops && all;
    OPS(NUMBERED)
#undef NUMBERED
    return all;
}

__attribute__((constructor(1001))) static void fortran__begin(void) /* after the launcher has made the ranks */
{
    if (!numbered()) messages_end(1, "a call of MPI_Comm_c2f and the like before main()");
}

static MPI_Comm comm_of(const integer *number)
{
    return MPI_Comm_f2c(*number);
}

static MPI_Datatype type_of(const integer *number)
{
    return MPI_Type_f2c(*number);
}

static MPI_Op op_of(const integer *number)
{
    return MPI_Op_f2c(*number);
}

static MPI_Win win_of(const integer *number)
{
    return MPI_Win_f2c(*number);
}

/* Requests have numbers of their own, which are used again. */
static struct {
    MPI_Request *of; /* of[room]; NULL: free */
    integer *spare;  /* spare[spare_count]: free numbers */
    integer count, room, spare_count;
} requests;

static integer request_number(MPI_Request request)
{
    if (!request) return 0;
    if (requests.spare_count > 0) {
        const integer number = requests.spare[--requests.spare_count];
        requests.of[number - 1] = request;
        return number;
    }
    if (requests.count == requests.room) {
        requests.room = requests.room ? 2 * requests.room : 64;
        requests.of = realloc(requests.of, (size_t)requests.room * sizeof(MPI_Request));
        requests.spare = realloc(requests.spare, (size_t)requests.room * sizeof(integer));
        if (!requests.of || !requests.spare) messages_end(1, "%s: no memory for requests", messages_self->name);
    }
    requests.of[requests.count++] = request;
    return requests.count;
}

static MPI_Request request_of(integer number)
{
    return number >= 1 && number <= requests.count ? requests.of[number - 1] : MPI_REQUEST_NULL;
}

/* After a call that may have freed the request. */
static void request_put(integer *number, MPI_Request request)
{
    if (*number < 1 || request) return;
    requests.of[*number - 1] = NULL;
    requests.spare[requests.spare_count++] = *number;
    *number = 0;
}

static void *room_for(integer count, size_t bytes)
{
    void *room = malloc((count > 0 ? (size_t)count : 1) * bytes);
    if (!room) messages_end(1, "%s: no memory for %d requests", messages_self->name, count);
    return room;
}

static MPI_Request *requests_of(integer count, const integer *numbers)
{
    MPI_Request *all = room_for(count, sizeof *all);
    for (integer i = 0; i < count; ++i) all[i] = request_of(numbers[i]);
    return all;
}

static void requests_put(integer count, integer *numbers, MPI_Request *all)
{
    for (integer i = 0; i < count; ++i) request_put(&numbers[i], all[i]);
    free(all);
}

/*=============================================================================
 * MARK: - >>places
 *===========================================================================*/

/* The common blocks of mpif.h, aligned as gfortran does it. */
#define BLOCK(name, size)                                                                                              \
    extern integer name[size];                                                                                         \
    __attribute__((aligned(32))) integer name[size]
BLOCK(mpi_simkit_bottom_, 1);
BLOCK(mpi_simkit_place_, 1);
BLOCK(mpi_simkit_ignore_, STATUS_SIZE);
BLOCK(mpi_simkit_ignores_, STATUS_SIZE);
BLOCK(mpi_simkit_unweighted_, 1);
BLOCK(mpi_simkit_weightless_, 1);
extern char mpi_simkit_argv_, mpi_simkit_argvs_;
__attribute__((aligned(32))) char mpi_simkit_argv_, mpi_simkit_argvs_;
BLOCK(mpi_simkit_codes_, 1);

static void *data(void *from)
{
    return from == mpi_simkit_bottom_ ? MPI_BOTTOM : from == mpi_simkit_place_ ? MPI_IN_PLACE : from;
}

static integer *weights(integer *of)
{
    return of == mpi_simkit_unweighted_ ? MPI_UNWEIGHTED : of == mpi_simkit_weightless_ ? MPI_WEIGHTS_EMPTY : of;
}

static bool ignored(const integer *status)
{
    return status == mpi_simkit_ignore_ || status == mpi_simkit_ignores_;
}

/* A status of Fortran need not be aligned as one of C. */
static void status_put(integer *status, const MPI_Status *from)
{
    if (!ignored(status)) memcpy(status, from, sizeof *from);
}

static MPI_Status status_of(const integer *status)
{
    MPI_Status own;
    memcpy(&own, status, sizeof own);
    return own;
}

/* MPI_ERROR is only set by calls for several requests: it stays as it was. */
static MPI_Status status_before(const integer *status)
{
    MPI_Status own;
    memset(&own, 0, sizeof own);
    return ignored(status) ? own : status_of(status);
}

static MPI_Status *statuses_before(integer count, const integer *statuses)
{
    if (ignored(statuses)) return MPI_STATUSES_IGNORE;
    MPI_Status *all = room_for(count, sizeof *all);
    if (count > 0) memcpy(all, statuses, (size_t)count * sizeof *all);
    return all;
}

static void statuses_put(integer count, integer *statuses, MPI_Status *all)
{
    if (all && count > 0) memcpy(statuses, all, (size_t)count * sizeof *all);
    free(all);
}

/* Texts of Fortran end with blanks. */
static void text_put(char *to, size_t room, const char *from)
{
    const size_t length = strlen(from);
    memset(to, ' ', room);
    memcpy(to, from, length < room ? length : room);
}

/* The same without blanks at both ends, as a text of C; freed by the caller. */
static char *text_of(const char *from, size_t length)
{
    while (length > 0 && from[length - 1] == ' ') --length;
    while (length > 0 && *from == ' ') ++from, --length;
    char *text = room_for((integer)length + 1, 1);
    memcpy(text, from, length);
    text[length] = 0;
    return text;
}

/* In the module mpi_f08 a handle is a type that contains its number, and a status is one of integers. */
#define COMPARE(kind)                                                                                                  \
    integer simkit_mpi_same_##kind##_(const integer *one, const integer *other);                                       \
    integer simkit_mpi_same_##kind##_(const integer *one, const integer *other)                                        \
    {                                                                                                                  \
        return *one == *other;                                                                                         \
    }                                                                                                                  \
    integer simkit_mpi_differ_##kind##_(const integer *one, const integer *other);                                     \
    integer simkit_mpi_differ_##kind##_(const integer *one, const integer *other)                                      \
    {                                                                                                                  \
        return *one != *other;                                                                                         \
    }
COMPARE(comm)
COMPARE(datatype)
COMPARE(errhandler)
COMPARE(file)
COMPARE(group)
COMPARE(info)
COMPARE(message)
COMPARE(op)
COMPARE(request)
COMPARE(win)

CALL(status_f2f08, const integer *from, integer *to, integer *error)
{
    memcpy(to, from, sizeof(MPI_Status));
    *code_in(error) = MPI_SUCCESS;
}

CALL(status_f082f, const integer *from, integer *to, integer *error)
{
    mpi_status_f2f08_(from, to, error);
}

/*=============================================================================
 * MARK: - >>the program
 *===========================================================================*/

CALL(init, integer *error)
{
    *code_in(error) = MPI_Init(NULL, NULL);
}

CALL(init_thread, const integer *required, integer *provided, integer *error)
{
    *code_in(error) = MPI_Init_thread(NULL, NULL, *required, provided);
}

CALL(initialized, integer *flag, integer *error)
{
    *code_in(error) = MPI_Initialized(flag);
}

CALL(finalized, integer *flag, integer *error)
{
    *code_in(error) = MPI_Finalized(flag);
}

CALL(finalize, integer *error)
{
    *code_in(error) = MPI_Finalize();
}

CALL(abort, const integer *comm, const integer *code, integer *error)
{
    *code_in(error) = MPI_Abort(comm_of(comm), *code);
}

double mpi_wtime_(void);
double mpi_wtime_(void)
{
    return MPI_Wtime();
}

double mpi_wtick_(void);
double mpi_wtick_(void)
{
    return MPI_Wtick();
}

double pmpi_wtime_(void);
double pmpi_wtime_(void)
{
    return PMPI_Wtime();
}

double pmpi_wtick_(void);
double pmpi_wtick_(void)
{
    return PMPI_Wtick();
}

CALL(get_version, integer *version, integer *part, integer *error)
{
    *code_in(error) = MPI_Get_version(version, part);
}

CALL(get_processor_name, char *name, integer *length, integer *error, size_t room)
{
    char own[MPI_MAX_PROCESSOR_NAME];
    *code_in(error) = MPI_Get_processor_name(own, length);
    text_put(name, room, own);
}

CALL(error_string, const integer *code, char *text, integer *length, integer *error, size_t room)
{
    char own[MPI_MAX_ERROR_STRING];
    *code_in(error) = MPI_Error_string(*code, own, length);
    text_put(text, room, own);
}

CALL(error_class, const integer *code, integer *which, integer *error)
{
    *code_in(error) = MPI_Error_class(*code, which);
}

CALL(add_error_class, integer *which, integer *error)
{
    *code_in(error) = MPI_Add_error_class(which);
}

CALL(add_error_code, const integer *which, integer *code, integer *error)
{
    *code_in(error) = MPI_Add_error_code(*which, code);
}

CALL(add_error_string, const integer *code, const char *text, integer *error, size_t length)
{
    char *own = text_of(text, length);
    *code_in(error) = MPI_Add_error_string(*code, own);
    free(own);
}

CALL(query_thread, integer *provided, integer *error)
{
    *code_in(error) = MPI_Query_thread(provided);
}

CALL(is_thread_main, integer *flag, integer *error)
{
    *code_in(error) = MPI_Is_thread_main(flag);
}

CALL(pcontrol, const integer *level)
{
    MPI_Pcontrol(*level);
}

CALL(get_library_version, char *text, integer *length, integer *error, size_t room)
{
    char own[MPI_MAX_LIBRARY_VERSION_STRING];
    *code_in(error) = MPI_Get_library_version(own, length);
    text_put(text, room, own);
}

static MPI_Info info_of(const integer *number)
{
    return MPI_Info_f2c(*number);
}

/* The result is an address, as a number or as type(c_ptr). */
CALL(alloc_mem, const MPI_Aint *bytes, const integer *info, void **made, integer *error)
{
    *code_in(error) = MPI_Alloc_mem(*bytes, info_of(info), made);
}

CALL(free_mem, void *at, integer *error)
{
    *code_in(error) = MPI_Free_mem(at);
}

/*=============================================================================
 * MARK: - >>hints
 *===========================================================================*/

CALL(info_create, integer *info, integer *error)
{
    MPI_Info own = MPI_INFO_NULL;
    *code_in(error) = MPI_Info_create(&own);
    *info = MPI_Info_c2f(own);
}

CALL(info_dup, const integer *info, integer *made, integer *error)
{
    MPI_Info own = MPI_INFO_NULL;
    *code_in(error) = MPI_Info_dup(info_of(info), &own);
    *made = MPI_Info_c2f(own);
}

CALL(info_free, integer *info, integer *error)
{
    MPI_Info own = info_of(info);
    *code_in(error) = MPI_Info_free(&own);
    *info = MPI_Info_c2f(own);
}

CALL(info_set, const integer *info, const char *key, const char *value, integer *error, size_t length,
     size_t value_length)
{
    char *own = text_of(key, length), *own_value = text_of(value, value_length);
    *code_in(error) = MPI_Info_set(info_of(info), own, own_value);
    free(own);
    free(own_value);
}

CALL(info_delete, const integer *info, const char *key, integer *error, size_t length)
{
    char *own = text_of(key, length);
    *code_in(error) = MPI_Info_delete(info_of(info), own);
    free(own);
}

CALL(info_get, const integer *info, const char *key, const integer *most, char *value, integer *flag, integer *error,
     size_t length, size_t room)
{
    char *own = text_of(key, length), found[MPI_MAX_INFO_VAL + 1] = "";
    *code_in(error) =
        MPI_Info_get(info_of(info), own, *most < MPI_MAX_INFO_VAL ? *most : MPI_MAX_INFO_VAL, found, flag);
    if (*code_in(error) == MPI_SUCCESS && *flag) text_put(value, room, found);
    free(own);
}

CALL(info_get_valuelen, const integer *info, const char *key, integer *value_length, integer *flag, integer *error,
     size_t length)
{
    char *own = text_of(key, length);
    *code_in(error) = MPI_Info_get_valuelen(info_of(info), own, value_length, flag);
    free(own);
}

CALL(info_get_nkeys, const integer *info, integer *count, integer *error)
{
    *code_in(error) = MPI_Info_get_nkeys(info_of(info), count);
}

CALL(info_get_nthkey, const integer *info, const integer *which, char *key, integer *error, size_t room)
{
    char own[MPI_MAX_INFO_KEY + 1] = "";
    *code_in(error) = MPI_Info_get_nthkey(info_of(info), *which, own);
    text_put(key, room, own);
}

/*=============================================================================
 * MARK: - >>communicators and groups
 *===========================================================================*/

/* Defines a call that makes a handle: its parameters in Fortran, and the arguments in C. */
#define ARGUMENTS(...) __VA_ARGS__
#define MAKE(name, Name, Handle, Kind, parameters, arguments)                                                          \
    CALL(name, ARGUMENTS parameters, integer *made, integer *error)                                                    \
    {                                                                                                                  \
        Handle own = (Handle)0;                                                                                        \
        *code_in(error) = Name(ARGUMENTS arguments, &own);                                                             \
        *made = Kind##_c2f(own);                                                                                       \
    }
#define MAKE_COMM(name, Name, parameters, arguments) MAKE(name, Name, MPI_Comm, MPI_Comm, parameters, arguments)
#define MAKE_GROUP(name, Name, parameters, arguments) MAKE(name, Name, MPI_Group, MPI_Group, parameters, arguments)
#define MAKE_TYPE(name, Name, parameters, arguments) MAKE(name, Name, MPI_Datatype, MPI_Type, parameters, arguments)

CALL(comm_rank, const integer *comm, integer *rank, integer *error)
{
    *code_in(error) = MPI_Comm_rank(comm_of(comm), rank);
}

CALL(comm_size, const integer *comm, integer *size, integer *error)
{
    *code_in(error) = MPI_Comm_size(comm_of(comm), size);
}

CALL(comm_compare, const integer *one, const integer *other, integer *result, integer *error)
{
    *code_in(error) = MPI_Comm_compare(comm_of(one), comm_of(other), result);
}

MAKE_COMM(comm_dup, MPI_Comm_dup, (const integer *comm), (comm_of(comm)))
MAKE_COMM(comm_dup_with_info, MPI_Comm_dup_with_info, (const integer *comm, const integer *info),
          (comm_of(comm), info_of(info)))
MAKE_COMM(comm_split_type, MPI_Comm_split_type,
          (const integer *comm, const integer *type, const integer *key, const integer *info),
          (comm_of(comm), *type, *key, info_of(info)))
MAKE_COMM(comm_create_group, MPI_Comm_create_group, (const integer *comm, const integer *group, const integer *tag),
          (comm_of(comm), MPI_Group_f2c(*group), *tag))
MAKE_COMM(comm_split, MPI_Comm_split, (const integer *comm, const integer *color, const integer *key),
          (comm_of(comm), *color, *key))
MAKE_COMM(comm_create, MPI_Comm_create, (const integer *comm, const integer *group),
          (comm_of(comm), MPI_Group_f2c(*group)))
MAKE_COMM(intercomm_create, MPI_Intercomm_create,
          (const integer *comm, const integer *leader, const integer *peer, const integer *remote, const integer *tag),
          (comm_of(comm), *leader, comm_of(peer), *remote, *tag))
MAKE_COMM(intercomm_merge, MPI_Intercomm_merge, (const integer *comm, const integer *high), (comm_of(comm), *high))
MAKE_COMM(cart_create, MPI_Cart_create,
          (const integer *comm, const integer *count, const integer *dims, const integer *periods,
           const integer *reorder),
          (comm_of(comm), *count, dims, periods, *reorder))
MAKE_COMM(cart_sub, MPI_Cart_sub, (const integer *comm, const integer *remain), (comm_of(comm), remain))
MAKE_COMM(graph_create, MPI_Graph_create,
          (const integer *comm, const integer *nodes, const integer *index, const integer *edges,
           const integer *reorder),
          (comm_of(comm), *nodes, index, edges, *reorder))
MAKE_COMM(dist_graph_create, MPI_Dist_graph_create,
          (const integer *comm, const integer *count, const integer *sources, const integer *degrees,
           const integer *targets, integer *of_edges, const integer *info, const integer *reorder),
          (comm_of(comm), *count, sources, degrees, targets, weights(of_edges), MPI_Info_f2c(*info), *reorder))
MAKE_COMM(dist_graph_create_adjacent, MPI_Dist_graph_create_adjacent,
          (const integer *comm, const integer *source_count, const integer *sources, integer *source_weights,
           const integer *target_count, const integer *targets, integer *target_weights, const integer *info,
           const integer *reorder),
          (comm_of(comm), *source_count, sources, weights(source_weights), *target_count, targets,
           weights(target_weights), MPI_Info_f2c(*info), *reorder))
MAKE_GROUP(comm_group, MPI_Comm_group, (const integer *comm), (comm_of(comm)))
MAKE_GROUP(comm_remote_group, MPI_Comm_remote_group, (const integer *comm), (comm_of(comm)))
MAKE_GROUP(group_incl, MPI_Group_incl, (const integer *group, const integer *count, const integer *ranks),
           (MPI_Group_f2c(*group), *count, ranks))
MAKE_GROUP(group_excl, MPI_Group_excl, (const integer *group, const integer *count, const integer *ranks),
           (MPI_Group_f2c(*group), *count, ranks))
MAKE_GROUP(group_range_incl, MPI_Group_range_incl, (const integer *group, const integer *count, integer ranges[][3]),
           (MPI_Group_f2c(*group), *count, ranges))
MAKE_GROUP(group_range_excl, MPI_Group_range_excl, (const integer *group, const integer *count, integer ranges[][3]),
           (MPI_Group_f2c(*group), *count, ranges))
MAKE_GROUP(group_union, MPI_Group_union, (const integer *one, const integer *other),
           (MPI_Group_f2c(*one), MPI_Group_f2c(*other)))
MAKE_GROUP(group_intersection, MPI_Group_intersection, (const integer *one, const integer *other),
           (MPI_Group_f2c(*one), MPI_Group_f2c(*other)))
MAKE_GROUP(group_difference, MPI_Group_difference, (const integer *one, const integer *other),
           (MPI_Group_f2c(*one), MPI_Group_f2c(*other)))

MAKE(comm_get_info, MPI_Comm_get_info, MPI_Info, MPI_Info, (const integer *comm), (comm_of(comm)))

CALL(comm_set_info, const integer *comm, const integer *info, integer *error)
{
    *code_in(error) = MPI_Comm_set_info(comm_of(comm), info_of(info));
}

CALL(comm_idup, const integer *comm, integer *made, integer *request, integer *error)
{
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Request own_request = MPI_REQUEST_NULL;
    *code_in(error) = MPI_Comm_idup(comm_of(comm), &own, &own_request);
    *made = MPI_Comm_c2f(own);
    *request = request_number(own_request);
}

CALL(group_compare, const integer *one, const integer *other, integer *result, integer *error)
{
    *code_in(error) = MPI_Group_compare(MPI_Group_f2c(*one), MPI_Group_f2c(*other), result);
}

CALL(comm_test_inter, const integer *comm, integer *flag, integer *error)
{
    *code_in(error) = MPI_Comm_test_inter(comm_of(comm), flag);
}

CALL(comm_remote_size, const integer *comm, integer *size, integer *error)
{
    *code_in(error) = MPI_Comm_remote_size(comm_of(comm), size);
}

CALL(comm_set_name, const integer *comm, const char *name, integer *error, size_t length)
{
    char *own = text_of(name, length);
    *code_in(error) = MPI_Comm_set_name(comm_of(comm), own);
    free(own);
}

CALL(comm_get_name, const integer *comm, char *name, integer *length, integer *error, size_t room)
{
    char own[MPI_MAX_OBJECT_NAME] = "";
    *code_in(error) = MPI_Comm_get_name(comm_of(comm), own, length);
    text_put(name, room, own);
}

CALL(comm_free, integer *comm, integer *error)
{
    MPI_Comm own = comm_of(comm);
    *code_in(error) = MPI_Comm_free(&own);
    *comm = MPI_Comm_c2f(own);
}

CALL(comm_disconnect, integer *comm, integer *error)
{
    MPI_Comm own = comm_of(comm);
    *code_in(error) = MPI_Comm_disconnect(&own);
    *comm = MPI_Comm_c2f(own);
}

CALL(open_port, const integer *info, char *port, integer *error, size_t room)
{
    char own[MPI_MAX_PORT_NAME] = "";
    *code_in(error) = MPI_Open_port(info_of(info), own);
    text_put(port, room, own);
}

CALL(close_port, const char *port, integer *error, size_t length)
{
    char *own = text_of(port, length);
    *code_in(error) = MPI_Close_port(own);
    free(own);
}

#define AT_PORT(name, Name)                                                                                            \
    CALL(name, const char *port, const integer *info, const integer *root, const integer *comm, integer *made,         \
         integer *error, size_t length)                                                                                \
    {                                                                                                                  \
        char *own = text_of(port, length);                                                                             \
        MPI_Comm inter = MPI_COMM_NULL;                                                                                \
        *code_in(error) = Name(own, info_of(info), *root, comm_of(comm), &inter);                                      \
        *made = MPI_Comm_c2f(inter);                                                                                   \
        free(own);                                                                                                     \
    }
AT_PORT(comm_accept, MPI_Comm_accept)
AT_PORT(comm_connect, MPI_Comm_connect)

#define SERVICE(name, Name)                                                                                            \
    CALL(name, const char *service, const integer *info, const char *port, integer *error, size_t length,              \
         size_t port_length)                                                                                           \
    {                                                                                                                  \
        char *own = text_of(service, length), *own_port = text_of(port, port_length);                                  \
        *code_in(error) = Name(own, info_of(info), own_port);                                                          \
        free(own);                                                                                                     \
        free(own_port);                                                                                                \
    }
SERVICE(publish_name, MPI_Publish_name)
SERVICE(unpublish_name, MPI_Unpublish_name)

CALL(lookup_name, const char *service, const integer *info, char *port, integer *error, size_t length, size_t room)
{
    char *own = text_of(service, length), found[MPI_MAX_PORT_NAME] = "";
    *code_in(error) = MPI_Lookup_name(own, info_of(info), found);
    if (*code_in(error) == MPI_SUCCESS) text_put(port, room, found);
    free(own);
}

/*=============================================================================
 * MARK: - >>spawning
 *===========================================================================*/

CALL(comm_get_parent, integer *parent, integer *error)
{
    MPI_Comm own = MPI_COMM_NULL;
    *code_in(error) = MPI_Comm_get_parent(&own);
    *parent = MPI_Comm_c2f(own);
}

/* Arguments are an array of texts, up to a blank one; the next is `step` further on. */
static char **argv_of(const char *first, size_t length, size_t step)
{
    size_t count = 0;
    char **argv = room_for(1, sizeof *argv);
    for (; length > 0; ++count, first += step) {
        char **more = realloc(argv, (count + 2) * sizeof *argv);
        if (!more) messages_end(1, "%s: no memory for arguments", messages_self->name);
        argv = more;
        argv[count] = text_of(first, length);
        if (*argv[count]) continue;
        free(argv[count]);
        break;
    }
    argv[count] = NULL;
    return argv;
}

static void argv_free(char **argv)
{
    for (char **at = argv; *at; ++at) free(*at);
    free(argv);
}

/* Only the root reads the first four. */
static void spawn(integer count, const char *commands, size_t length, const char *argvs, size_t argv_length,
                  const integer *counts, const integer *infos, const integer *root, const integer *comm, integer *made,
                  integer *codes, integer *error)
{
    int rank = -1;
    MPI_Comm children = MPI_COMM_NULL;
    MPI_Comm_rank(comm_of(comm), &rank);
    if (rank != *root) count = 0;
    char **own = room_for(count, sizeof *own), ***own_argvs = room_for(count, sizeof *own_argvs);
    MPI_Info *own_infos = room_for(count, sizeof *own_infos);
    for (integer i = 0; i < count; ++i) {
        own[i] = text_of(commands + (size_t)i * length, length);
        own_argvs[i] = argv_of(argvs + (size_t)i * argv_length, argv_length, (size_t)count * argv_length);
        own_infos[i] = info_of(&infos[i]);
    }
    *code_in(error) = MPI_Comm_spawn_multiple(count, own, own_argvs, counts, own_infos, *root, comm_of(comm), &children,
                                              codes == mpi_simkit_codes_ ? MPI_ERRCODES_IGNORE : codes);
    *made = MPI_Comm_c2f(children);
    for (integer i = 0; i < count; ++i) {
        free(own[i]);
        argv_free(own_argvs[i]);
    }
    free(own);
    free(own_argvs);
    free(own_infos);
}

CALL(comm_spawn, const char *command, const void *argv, const integer *count, const integer *info, const integer *root,
     const integer *comm, integer *made, integer *codes, integer *error, size_t length, size_t argv_length)
{
    spawn(1, command, length, argv, argv == &mpi_simkit_argv_ ? 0 : argv_length, count, info, root, comm, made, codes,
          error);
}

CALL(comm_spawn_multiple, const integer *count, const char *commands, const void *argvs, const integer *counts,
     const integer *infos, const integer *root, const integer *comm, integer *made, integer *codes, integer *error,
     size_t length, size_t argv_length)
{
    spawn(*count, commands, length, argvs, argvs == &mpi_simkit_argvs_ ? 0 : argv_length, counts, infos, root, comm,
          made, codes, error);
}

/*=============================================================================
 * MARK: - >>attributes
 *===========================================================================*/

/* Functions of the program, which have values of the size of an address; those of MPI 1 have integers. */
typedef void copy_function(integer *object, integer *key, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out, integer *flag,
                           integer *error);
typedef void delete_function(integer *object, integer *key, MPI_Aint *value, MPI_Aint *extra, integer *error);
typedef void old_copy_function(integer *comm, integer *key, integer *extra, integer *in, integer *out, integer *flag,
                               integer *error);
typedef void old_delete_function(integer *comm, integer *key, integer *value, integer *extra, integer *error);

/* The functions of a key; attributes may outlive the key, so it is never freed. */
typedef struct keyval {
    copy_function *copy;
    delete_function *delete;
    old_copy_function *old_copy; /* of MPI 1, or NULL */
    old_delete_function *old_delete;
    MPI_Aint extra;
} keyval;

static int attribute_copy(integer object, int key, void *extra, void *value, void *copied, int *flag)
{
    keyval *k = extra;
    integer error = MPI_SUCCESS, small_extra = (integer)k->extra, small = (integer)(intptr_t)value, small_out = 0;
    MPI_Aint in = (MPI_Aint)(intptr_t)value, out = 0;
    if (k->old_copy) {
        k->old_copy(&object, &key, &small_extra, &small, &small_out, flag, &error);
        out = small_out;
    } else {
        k->copy(&object, &key, &k->extra, &in, &out, flag, &error);
    }
    if (*flag) *(void **)copied = (void *)(intptr_t)out;
    return error;
}

static int attribute_delete(integer object, int key, void *value, void *extra)
{
    keyval *k = extra;
    integer error = MPI_SUCCESS, small_extra = (integer)k->extra, small = (integer)(intptr_t)value;
    MPI_Aint own = (MPI_Aint)(intptr_t)value;
    if (k->old_delete)
        k->old_delete(&object, &key, &small, &small_extra, &error);
    else
        k->delete (&object, &key, &own, &k->extra, &error);
    return error;
}

/* Notes that Fortran has set an attribute, by a call with this code. */
static void attribute_number(int code, mpi_owner owner, void *object, integer key, mpi_setter by, MPI_Aint value)
{
    mpi_attribute *a = code == MPI_SUCCESS ? mpi_attribute_of(owner, object, key) : NULL;
    if (a) mpi_attribute_number(a, by, value);
}

/* Attributes that MPI sets are variables in C and values in Fortran. */
static MPI_Aint comm_attribute(integer key, void *own)
{
    return key >= MPI_TAG_UB && key <= MPI_LASTUSEDCODE ? *(const int *)own : (MPI_Aint)(intptr_t)own;
}

static MPI_Aint win_attribute(integer key, void *own)
{
    if (key == MPI_WIN_SIZE) return *(const MPI_Aint *)own;
    return key > MPI_WIN_SIZE && key <= MPI_WIN_MODEL ? *(const int *)own : (MPI_Aint)(intptr_t)own;
}

#define ATTRIBUTES(kind, Kind, Handle, of, owner, value_of)                                                            \
    static int kind##_attribute_copy(Handle object, int key, void *extra, void *value, void *copied, int *flag)        \
    {                                                                                                                  \
        return attribute_copy(Kind##_c2f(object), key, extra, value, copied, flag);                                    \
    }                                                                                                                  \
    static int kind##_attribute_delete(Handle object, int key, void *value, void *extra)                               \
    {                                                                                                                  \
        return attribute_delete(Kind##_c2f(object), key, value, extra);                                                \
    }                                                                                                                  \
    CALL(kind##_create_keyval, copy_function *copy, delete_function *delete, integer *key, const MPI_Aint *extra,      \
         integer *error)                                                                                               \
    {                                                                                                                  \
        keyval *k = room_for(1, sizeof *k);                                                                            \
        *k = (keyval){ .copy = copy, .delete = delete, .extra = *extra };                                              \
        *code_in(error) = Kind##_create_keyval(kind##_attribute_copy, kind##_attribute_delete, key, k);                \
        if (*code_in(error) == MPI_SUCCESS) mpi_keyval_language(*key, MPI_SET_BY_FORTRAN);                             \
    }                                                                                                                  \
    CALL(kind##_free_keyval, integer *key, integer *error)                                                             \
    {                                                                                                                  \
        *code_in(error) = Kind##_free_keyval(key);                                                                     \
    }                                                                                                                  \
    CALL(kind##_set_attr, const integer *object, const integer *key, const MPI_Aint *value, integer *error)            \
    {                                                                                                                  \
        *code_in(error) = Kind##_set_attr(of(object), *key, (void *)(intptr_t)*value);                                 \
        attribute_number(*code_in(error), owner, of(object), *key, MPI_SET_BY_FORTRAN, *value);                        \
    }                                                                                                                  \
    CALL(kind##_delete_attr, const integer *object, const integer *key, integer *error)                                \
    {                                                                                                                  \
        *code_in(error) = Kind##_delete_attr(of(object), *key);                                                        \
    }                                                                                                                  \
    CALL(kind##_get_attr, const integer *object, const integer *key, MPI_Aint *value, integer *flag, integer *error)   \
    {                                                                                                                  \
        void *own = NULL;                                                                                              \
        *code_in(error) = Kind##_get_attr(of(object), *key, &own, flag);                                               \
        if (*code_in(error) != MPI_SUCCESS || !*flag) return;                                                          \
        const mpi_attribute *a = mpi_attribute_of(owner, of(object), *key);                                            \
        *value = a ? (MPI_Aint)(intptr_t)a->value : value_of(*key, own);                                               \
    }
ATTRIBUTES(comm, MPI_Comm, MPI_Comm, comm_of, MPI_OF_COMM, comm_attribute)
ATTRIBUTES(type, MPI_Type, MPI_Datatype, type_of, MPI_OF_TYPE, comm_attribute)
ATTRIBUTES(win, MPI_Win, MPI_Win, win_of, MPI_OF_WIN, win_attribute)

CALL(keyval_create, old_copy_function *copy, old_delete_function *delete, integer *key, const integer *extra,
     integer *error)
{
    keyval *k = room_for(1, sizeof *k);
    *k = (keyval){ .old_copy = copy, .old_delete = delete, .extra = *extra };
    *code_in(error) = MPI_Comm_create_keyval(comm_attribute_copy, comm_attribute_delete, key, k);
    if (*code_in(error) == MPI_SUCCESS) mpi_keyval_language(*key, MPI_SET_BY_OLD_FORTRAN);
}

CALL(keyval_free, integer *key, integer *error)
{
    *code_in(error) = MPI_Comm_free_keyval(key);
}

CALL(attr_put, const integer *comm, const integer *key, const integer *value, integer *error)
{
    *code_in(error) = MPI_Comm_set_attr(comm_of(comm), *key, (void *)(intptr_t)*value);
    attribute_number(*code_in(error), MPI_OF_COMM, comm_of(comm), *key, MPI_SET_BY_OLD_FORTRAN, *value);
}

CALL(attr_get, const integer *comm, const integer *key, integer *value, integer *flag, integer *error)
{
    MPI_Aint own = 0;
    mpi_comm_get_attr_(comm, key, &own, flag, error);
    if (*code_in(error) == MPI_SUCCESS && *flag) *value = (integer)own;
}

CALL(attr_delete, const integer *comm, const integer *key, integer *error)
{
    *code_in(error) = MPI_Comm_delete_attr(comm_of(comm), *key);
}

/* The functions that are there for all programs. */
#define FUNCTIONS(copies_nothing, copies, deletes, number)                                                             \
    CALL(copies_nothing, integer *object, integer *key, number *extra, number *in, number *out, integer *flag,         \
         integer *error)                                                                                               \
    {                                                                                                                  \
        (void)object, (void)key, (void)extra, (void)in, (void)out;                                                     \
        *flag = 0;                                                                                                     \
        *code_in(error) = MPI_SUCCESS;                                                                                 \
    }                                                                                                                  \
    CALL(copies, integer *object, integer *key, number *extra, number *in, number *out, integer *flag, integer *error) \
    {                                                                                                                  \
        (void)object, (void)key, (void)extra;                                                                          \
        *out = *in;                                                                                                    \
        *flag = 1;                                                                                                     \
        *code_in(error) = MPI_SUCCESS;                                                                                 \
    }                                                                                                                  \
    CALL(deletes, integer *object, integer *key, number *value, number *extra, integer *error)                         \
    {                                                                                                                  \
        (void)object, (void)key, (void)value, (void)extra;                                                             \
        *code_in(error) = MPI_SUCCESS;                                                                                 \
    }
FUNCTIONS(null_copy_fn, dup_fn, null_delete_fn, integer)
FUNCTIONS(comm_null_copy_fn, comm_dup_fn, comm_null_delete_fn, MPI_Aint)
FUNCTIONS(type_null_copy_fn, type_dup_fn, type_null_delete_fn, MPI_Aint)
FUNCTIONS(win_null_copy_fn, win_dup_fn, win_null_delete_fn, MPI_Aint)

/*=============================================================================
 * MARK: - >>error handlers
 *===========================================================================*/

/* 1 and 2 are the predefined ones of mpif.h. Functions of the program have the communicator as a number, so each goes
 * through a function of C of its own. A communicator may use a handler that has been freed, so none is used again. */
typedef void handler_function(integer *comm, integer *code);
enum { HANDLERS = 8, FIRST_HANDLER = 3 };
static struct {
    handler_function *call;
    MPI_Errhandler handler;
} handlers[HANDLERS];

static MPI_Errhandler handler_of(integer number)
{
    if (number == 1) return MPI_ERRORS_ARE_FATAL;
    if (number == 2) return MPI_ERRORS_RETURN;
    number -= FIRST_HANDLER;
    return number >= 0 && number < HANDLERS ? handlers[number].handler : MPI_ERRHANDLER_NULL;
}

static integer handler_number(MPI_Errhandler handler)
{
    if (handler == MPI_ERRORS_ARE_FATAL) return 1;
    if (handler == MPI_ERRORS_RETURN) return 2;
    for (integer i = 0; handler && i < HANDLERS; ++i)
        if (handlers[i].handler == handler) return i + FIRST_HANDLER;
    return 0;
}

static void handler_run(int which, integer number, int *code)
{
    handlers[which].call(&number, code);
}

#define HANDLE(n)                                                                                                      \
    static void handle_##n(MPI_Comm *comm, int *code, ...)                                                             \
    {                                                                                                                  \
        handler_run(n, MPI_Comm_c2f(*comm), code);                                                                     \
    }                                                                                                                  \
    static void handle_win_##n(MPI_Win *win, int *code, ...)                                                           \
    {                                                                                                                  \
        handler_run(n, MPI_Win_c2f(*win), code);                                                                       \
    }                                                                                                                  \
    static void handle_file_##n(MPI_File *file, int *code, ...)                                                        \
    {                                                                                                                  \
        handler_run(n, MPI_File_c2f(*file), code);                                                                     \
    }
/* clang-format off */
HANDLE(0) HANDLE(1) HANDLE(2) HANDLE(3) HANDLE(4) HANDLE(5) HANDLE(6) HANDLE(7)
    /* clang-format on */
    static MPI_Comm_errhandler_function *const handles[HANDLERS] = { handle_0, handle_1, handle_2, handle_3,
                                                                     handle_4, handle_5, handle_6, handle_7 };
static MPI_Win_errhandler_function *const handles_win[HANDLERS] = { handle_win_0, handle_win_1, handle_win_2,
                                                                    handle_win_3, handle_win_4, handle_win_5,
                                                                    handle_win_6, handle_win_7 };

static MPI_File_errhandler_function *const handles_file[HANDLERS] = { handle_file_0, handle_file_1, handle_file_2,
                                                                      handle_file_3, handle_file_4, handle_file_5,
                                                                      handle_file_6, handle_file_7 };

/* The index of a new handler. */
static int handler_new(handler_function *call, integer *made)
{
    int which = 0;
    while (which < HANDLERS && handlers[which].call) ++which;
    if (which == HANDLERS) messages_end(1, "%s: more than %d error handlers", messages_self->name, which);
    handlers[which].call = call;
    *made = which + FIRST_HANDLER;
    return which;
}

CALL(comm_create_errhandler, handler_function *call, integer *made, integer *error)
{
    const int which = handler_new(call, made);
    *code_in(error) = MPI_Comm_create_errhandler(handles[which], &handlers[which].handler);
}

CALL(win_create_errhandler, handler_function *call, integer *made, integer *error)
{
    const int which = handler_new(call, made);
    *code_in(error) = MPI_Win_create_errhandler(handles_win[which], &handlers[which].handler);
}

CALL(file_create_errhandler, handler_function *call, integer *made, integer *error)
{
    const int which = handler_new(call, made);
    *code_in(error) = MPI_File_create_errhandler(handles_file[which], &handlers[which].handler);
}

CALL(file_set_errhandler, const integer *file, const integer *handler, integer *error)
{
    *code_in(error) = MPI_File_set_errhandler(MPI_File_f2c(*file), handler_of(*handler));
}

CALL(file_get_errhandler, const integer *file, integer *handler, integer *error)
{
    MPI_Errhandler own = MPI_ERRHANDLER_NULL;
    *code_in(error) = MPI_File_get_errhandler(MPI_File_f2c(*file), &own);
    *handler = handler_number(own);
}

CALL(file_call_errhandler, const integer *file, const integer *code, integer *error)
{
    *code_in(error) = MPI_File_call_errhandler(MPI_File_f2c(*file), *code);
}

CALL(win_set_errhandler, const integer *win, const integer *handler, integer *error)
{
    *code_in(error) = MPI_Win_set_errhandler(win_of(win), handler_of(*handler));
}

CALL(win_get_errhandler, const integer *win, integer *handler, integer *error)
{
    MPI_Errhandler own = MPI_ERRHANDLER_NULL;
    *code_in(error) = MPI_Win_get_errhandler(win_of(win), &own);
    *handler = handler_number(own);
}

CALL(win_call_errhandler, const integer *win, const integer *code, integer *error)
{
    *code_in(error) = MPI_Win_call_errhandler(win_of(win), *code);
}

CALL(comm_set_errhandler, const integer *comm, const integer *handler, integer *error)
{
    *code_in(error) = MPI_Comm_set_errhandler(comm_of(comm), handler_of(*handler));
}

CALL(comm_get_errhandler, const integer *comm, integer *handler, integer *error)
{
    MPI_Errhandler own = MPI_ERRHANDLER_NULL;
    *code_in(error) = MPI_Comm_get_errhandler(comm_of(comm), &own);
    *handler = handler_number(own);
}

CALL(comm_call_errhandler, const integer *comm, const integer *code, integer *error)
{
    *code_in(error) = MPI_Comm_call_errhandler(comm_of(comm), *code);
}

CALL(errhandler_free, integer *handler, integer *error)
{
    MPI_Errhandler own = handler_of(*handler);
    *code_in(error) = MPI_Errhandler_free(&own);
    *handler = 0;
}

CALL(errhandler_create, handler_function *call, integer *made, integer *error)
{
    mpi_comm_create_errhandler_(call, made, error);
}

CALL(errhandler_get, const integer *comm, integer *handler, integer *error)
{
    mpi_comm_get_errhandler_(comm, handler, error);
}

CALL(errhandler_set, const integer *comm, const integer *handler, integer *error)
{
    mpi_comm_set_errhandler_(comm, handler, error);
}

CALL(group_size, const integer *group, integer *size, integer *error)
{
    *code_in(error) = MPI_Group_size(MPI_Group_f2c(*group), size);
}

CALL(group_rank, const integer *group, integer *rank, integer *error)
{
    *code_in(error) = MPI_Group_rank(MPI_Group_f2c(*group), rank);
}

CALL(group_translate_ranks, const integer *from, const integer *count, const integer *ranks, const integer *to,
     integer *translated, integer *error)
{
    *code_in(error) = MPI_Group_translate_ranks(MPI_Group_f2c(*from), *count, ranks, MPI_Group_f2c(*to), translated);
}

CALL(group_free, integer *group, integer *error)
{
    MPI_Group own = MPI_Group_f2c(*group);
    *code_in(error) = MPI_Group_free(&own);
    *group = MPI_Group_c2f(own);
}

CALL(dims_create, const integer *nodes, const integer *count, integer *dims, integer *error)
{
    *code_in(error) = MPI_Dims_create(*nodes, *count, dims);
}

CALL(topo_test, const integer *comm, integer *which, integer *error)
{
    *code_in(error) = MPI_Topo_test(comm_of(comm), which);
}

CALL(cartdim_get, const integer *comm, integer *dims, integer *error)
{
    *code_in(error) = MPI_Cartdim_get(comm_of(comm), dims);
}

CALL(cart_map, const integer *comm, const integer *count, const integer *dims, const integer *periods, integer *rank,
     integer *error)
{
    *code_in(error) = MPI_Cart_map(comm_of(comm), *count, dims, periods, rank);
}

CALL(graphdims_get, const integer *comm, integer *nodes, integer *edges, integer *error)
{
    *code_in(error) = MPI_Graphdims_get(comm_of(comm), nodes, edges);
}

CALL(graph_get, const integer *comm, const integer *nodes_most, const integer *edges_most, integer *index,
     integer *edges, integer *error)
{
    *code_in(error) = MPI_Graph_get(comm_of(comm), *nodes_most, *edges_most, index, edges);
}

CALL(graph_neighbors_count, const integer *comm, const integer *rank, integer *count, integer *error)
{
    *code_in(error) = MPI_Graph_neighbors_count(comm_of(comm), *rank, count);
}

CALL(graph_neighbors, const integer *comm, const integer *rank, const integer *most, integer *neighbors, integer *error)
{
    *code_in(error) = MPI_Graph_neighbors(comm_of(comm), *rank, *most, neighbors);
}

CALL(graph_map, const integer *comm, const integer *nodes, const integer *index, const integer *edges, integer *rank,
     integer *error)
{
    *code_in(error) = MPI_Graph_map(comm_of(comm), *nodes, index, edges, rank);
}

CALL(dist_graph_neighbors_count, const integer *comm, integer *sources, integer *targets, integer *weighted,
     integer *error)
{
    *code_in(error) = MPI_Dist_graph_neighbors_count(comm_of(comm), sources, targets, weighted);
}

CALL(dist_graph_neighbors, const integer *comm, const integer *most_sources, integer *sources, integer *source_weights,
     const integer *most_targets, integer *targets, integer *target_weights, integer *error)
{
    *code_in(error) = MPI_Dist_graph_neighbors(comm_of(comm), *most_sources, sources, weights(source_weights),
                                               *most_targets, targets, weights(target_weights));
}

CALL(cart_get, const integer *comm, const integer *most, integer *dims, integer *periods, integer *coords,
     integer *error)
{
    *code_in(error) = MPI_Cart_get(comm_of(comm), *most, dims, periods, coords);
}

CALL(cart_rank, const integer *comm, const integer *coords, integer *rank, integer *error)
{
    *code_in(error) = MPI_Cart_rank(comm_of(comm), coords, rank);
}

CALL(cart_coords, const integer *comm, const integer *rank, const integer *most, integer *coords, integer *error)
{
    *code_in(error) = MPI_Cart_coords(comm_of(comm), *rank, *most, coords);
}

CALL(cart_shift, const integer *comm, const integer *direction, const integer *by, integer *source, integer *dest,
     integer *error)
{
    *code_in(error) = MPI_Cart_shift(comm_of(comm), *direction, *by, source, dest);
}

/*=============================================================================
 * MARK: - >>point to point
 *===========================================================================*/

#define SEND(name, Name)                                                                                               \
    CALL(name, void *from, const integer *count, const integer *type, const integer *to, const integer *tag,           \
         const integer *comm, integer *error)                                                                          \
    {                                                                                                                  \
        *code_in(error) = Name(data(from), *count, type_of(type), *to, *tag, comm_of(comm));                           \
    }
SEND(send, MPI_Send)
SEND(bsend, MPI_Bsend)
SEND(ssend, MPI_Ssend)
SEND(rsend, MPI_Rsend)

/* Of sends and receives alike: the peer is either one. */
#define START(name, Name)                                                                                              \
    CALL(name, void *at, const integer *count, const integer *type, const integer *peer, const integer *tag,           \
         const integer *comm, integer *request, integer *error)                                                        \
    {                                                                                                                  \
        MPI_Request own = MPI_REQUEST_NULL;                                                                            \
        *code_in(error) = Name(data(at), *count, type_of(type), *peer, *tag, comm_of(comm), &own);                     \
        *request = request_number(own);                                                                                \
    }
START(isend, MPI_Isend)
START(ibsend, MPI_Ibsend)
START(issend, MPI_Issend)
START(irsend, MPI_Irsend)
START(irecv, MPI_Irecv)
START(send_init, MPI_Send_init)
START(bsend_init, MPI_Bsend_init)
START(ssend_init, MPI_Ssend_init)
START(rsend_init, MPI_Rsend_init)
START(recv_init, MPI_Recv_init)

CALL(recv, void *to, const integer *count, const integer *type, const integer *from, const integer *tag,
     const integer *comm, integer *status, integer *error)
{
    MPI_Status own = status_before(status);
    *code_in(error) = MPI_Recv(data(to), *count, type_of(type), *from, *tag, comm_of(comm), &own);
    status_put(status, &own);
}

CALL(probe, const integer *from, const integer *tag, const integer *comm, integer *status, integer *error)
{
    MPI_Status own = status_before(status);
    *code_in(error) = MPI_Probe(*from, *tag, comm_of(comm), &own);
    status_put(status, &own);
}

CALL(iprobe, const integer *from, const integer *tag, const integer *comm, integer *flag, integer *status,
     integer *error)
{
    MPI_Status own = status_before(status);
    *code_in(error) = MPI_Iprobe(*from, *tag, comm_of(comm), flag, &own);
    if (*flag) status_put(status, &own);
}

CALL(sendrecv, void *from, const integer *sends, const integer *send_type, const integer *to, const integer *send_tag,
     void *into, const integer *receives, const integer *receive_type, const integer *source,
     const integer *receive_tag, const integer *comm, integer *status, integer *error)
{
    MPI_Status own = status_before(status);
    *code_in(error) = MPI_Sendrecv(data(from), *sends, type_of(send_type), *to, *send_tag, data(into), *receives,
                                   type_of(receive_type), *source, *receive_tag, comm_of(comm), &own);
    status_put(status, &own);
}

CALL(sendrecv_replace, void *at, const integer *count, const integer *type, const integer *to, const integer *send_tag,
     const integer *source, const integer *receive_tag, const integer *comm, integer *status, integer *error)
{
    MPI_Status own = status_before(status);
    *code_in(error) = MPI_Sendrecv_replace(data(at), *count, type_of(type), *to, *send_tag, *source, *receive_tag,
                                           comm_of(comm), &own);
    status_put(status, &own);
}

CALL(get_count, const integer *status, const integer *type, integer *count, integer *error)
{
    MPI_Status own = status_of(status);
    *code_in(error) = MPI_Get_count(&own, type_of(type), count);
}

CALL(get_elements_x, const integer *status, const integer *type, MPI_Count *count, integer *error)
{
    MPI_Status own = status_of(status);
    *code_in(error) = MPI_Get_elements_x(&own, type_of(type), count);
}

CALL(status_set_elements_x, integer *status, const integer *type, const MPI_Count *count, integer *error)
{
    MPI_Status own = status_of(status);
    *code_in(error) = MPI_Status_set_elements_x(&own, type_of(type), *count);
    status_put(status, &own);
}

CALL(mprobe, const integer *from, const integer *tag, const integer *comm, integer *message, integer *status,
     integer *error)
{
    MPI_Status own = status_before(status);
    MPI_Message found = MPI_MESSAGE_NULL;
    *code_in(error) = MPI_Mprobe(*from, *tag, comm_of(comm), &found, &own);
    *message = MPI_Message_c2f(found);
    status_put(status, &own);
}

CALL(improbe, const integer *from, const integer *tag, const integer *comm, integer *flag, integer *message,
     integer *status, integer *error)
{
    MPI_Status own = status_before(status);
    MPI_Message found = MPI_MESSAGE_NULL;
    *code_in(error) = MPI_Improbe(*from, *tag, comm_of(comm), flag, &found, &own);
    if (!*flag) return;
    *message = MPI_Message_c2f(found);
    status_put(status, &own);
}

CALL(mrecv, void *to, const integer *count, const integer *type, integer *message, integer *status, integer *error)
{
    MPI_Status own = status_before(status);
    MPI_Message found = MPI_Message_f2c(*message);
    *code_in(error) = MPI_Mrecv(data(to), *count, type_of(type), &found, &own);
    *message = MPI_Message_c2f(found);
    status_put(status, &own);
}

CALL(imrecv, void *to, const integer *count, const integer *type, integer *message, integer *request, integer *error)
{
    MPI_Message found = MPI_Message_f2c(*message);
    MPI_Request own = MPI_REQUEST_NULL;
    *code_in(error) = MPI_Imrecv(data(to), *count, type_of(type), &found, &own);
    *message = MPI_Message_c2f(found);
    *request = request_number(own);
}

CALL(get_elements, const integer *status, const integer *type, integer *count, integer *error)
{
    MPI_Status own = status_of(status);
    *code_in(error) = MPI_Get_elements(&own, type_of(type), count);
}

CALL(status_set_elements, integer *status, const integer *type, const integer *count, integer *error)
{
    MPI_Status own = status_of(status);
    *code_in(error) = MPI_Status_set_elements(&own, type_of(type), *count);
    status_put(status, &own);
}

CALL(status_set_cancelled, integer *status, const integer *flag, integer *error)
{
    MPI_Status own = status_of(status);
    *code_in(error) = MPI_Status_set_cancelled(&own, *flag);
    status_put(status, &own);
}

CALL(request_get_status, const integer *request, integer *flag, integer *status, integer *error)
{
    MPI_Status own = status_before(status);
    *code_in(error) = MPI_Request_get_status(request_of(*request), flag, &own);
    if (*flag) status_put(status, &own);
}

CALL(wait, integer *request, integer *status, integer *error)
{
    MPI_Request own = request_of(*request);
    MPI_Status result = status_before(status);
    *code_in(error) = MPI_Wait(&own, &result);
    request_put(request, own);
    status_put(status, &result);
}

CALL(test, integer *request, integer *flag, integer *status, integer *error)
{
    MPI_Request own = request_of(*request);
    MPI_Status result = status_before(status);
    *code_in(error) = MPI_Test(&own, flag, &result);
    if (!*flag) return;
    request_put(request, own);
    status_put(status, &result);
}

CALL(waitall, const integer *count, integer *numbers, integer *statuses, integer *error)
{
    MPI_Request *own = requests_of(*count, numbers);
    MPI_Status *results = statuses_before(*count, statuses);
    *code_in(error) = MPI_Waitall(*count, own, results);
    requests_put(*count, numbers, own);
    statuses_put(*count, statuses, results);
}

CALL(testall, const integer *count, integer *numbers, integer *flag, integer *statuses, integer *error)
{
    MPI_Request *own = requests_of(*count, numbers);
    MPI_Status *results = statuses_before(*count, statuses);
    *code_in(error) = MPI_Testall(*count, own, flag, results);
    requests_put(*count, numbers, own);
    statuses_put(*count, statuses, results);
}

/* Indices begin with 1 in Fortran. */
CALL(waitany, const integer *count, integer *numbers, integer *index, integer *status, integer *error)
{
    MPI_Request *own = requests_of(*count, numbers);
    MPI_Status result = status_before(status);
    *code_in(error) = MPI_Waitany(*count, own, index, &result);
    if (*index != MPI_UNDEFINED) ++*index;
    requests_put(*count, numbers, own);
    status_put(status, &result);
}

CALL(testany, const integer *count, integer *numbers, integer *index, integer *flag, integer *status, integer *error)
{
    MPI_Request *own = requests_of(*count, numbers);
    MPI_Status result = status_before(status);
    *code_in(error) = MPI_Testany(*count, own, index, flag, &result);
    if (*flag && *index != MPI_UNDEFINED) ++*index;
    requests_put(*count, numbers, own);
    if (*flag) status_put(status, &result);
}

#define SOME(name, Name)                                                                                               \
    CALL(name, const integer *count, integer *numbers, integer *done, integer *indices, integer *statuses,             \
         integer *error)                                                                                               \
    {                                                                                                                  \
        MPI_Request *own = requests_of(*count, numbers);                                                               \
        MPI_Status *results = statuses_before(*count, statuses);                                                       \
        *code_in(error) = Name(*count, own, done, indices, results);                                                   \
        for (integer i = 0; *done != MPI_UNDEFINED && i < *done; ++i) ++indices[i];                                    \
        requests_put(*count, numbers, own);                                                                            \
        statuses_put(*count, statuses, results);                                                                       \
    }
SOME(waitsome, MPI_Waitsome)
SOME(testsome, MPI_Testsome)

CALL(start, const integer *request, integer *error)
{
    MPI_Request own = request_of(*request);
    *code_in(error) = MPI_Start(&own);
}

CALL(startall, const integer *count, integer *numbers, integer *error)
{
    MPI_Request *own = requests_of(*count, numbers);
    *code_in(error) = MPI_Startall(*count, own);
    free(own);
}

CALL(request_free, integer *request, integer *error)
{
    MPI_Request own = request_of(*request);
    *code_in(error) = MPI_Request_free(&own);
    request_put(request, own);
}

CALL(cancel, const integer *request, integer *error)
{
    MPI_Request own = request_of(*request);
    *code_in(error) = MPI_Cancel(&own);
}

CALL(test_cancelled, const integer *status, integer *flag, integer *error)
{
    MPI_Status own = status_of(status);
    *code_in(error) = MPI_Test_cancelled(&own, flag);
}

CALL(buffer_attach, void *at, const integer *bytes, integer *error)
{
    *code_in(error) = MPI_Buffer_attach(at, *bytes);
}

CALL(buffer_detach, void *unused, integer *bytes, integer *error)
{
    void *at;
    (void)unused;
    *code_in(error) = MPI_Buffer_detach(&at, bytes);
}

/* Requests of the program: its functions, and the number that they get. */
typedef struct generalized {
    void (*query)(MPI_Aint *extra, integer *status, integer *error);
    void (*release)(MPI_Aint *extra, integer *error);
    void (*cancel)(MPI_Aint *extra, integer *complete, integer *error);
    MPI_Aint *extra; /* a variable of the program */
} generalized;

static int generalized_query(void *extra, MPI_Status *status)
{
    generalized *g = extra;
    integer error = MPI_SUCCESS, own[STATUS_SIZE];
    memcpy(own, status, sizeof own);
    g->query(g->extra, own, &error);
    memcpy(status, own, sizeof own);
    return error;
}

static int generalized_free(void *extra)
{
    generalized *g = extra;
    integer error = MPI_SUCCESS;
    g->release(g->extra, &error);
    free(g);
    return error;
}

static int generalized_cancel(void *extra, int complete)
{
    generalized *g = extra;
    integer error = MPI_SUCCESS;
    g->cancel(g->extra, &complete, &error);
    return error;
}

CALL(grequest_start, void (*query)(MPI_Aint *extra, integer *status, integer *error),
     void (*release)(MPI_Aint *extra, integer *error),
     void (*cancel)(MPI_Aint *extra, integer *complete, integer *error), MPI_Aint *extra, integer *request,
     integer *error)
{
    generalized *g = room_for(1, sizeof *g);
    MPI_Request own = MPI_REQUEST_NULL;
    *g = (generalized){ query, release, cancel, extra };
    *code_in(error) = MPI_Grequest_start(generalized_query, generalized_free, generalized_cancel, g, &own);
    *request = request_number(own);
}

CALL(grequest_complete, const integer *request, integer *error)
{
    *code_in(error) = MPI_Grequest_complete(request_of(*request));
}

/*=============================================================================
 * MARK: - >>collective calls
 *===========================================================================*/

/* Both forms of a call: their names, the parameters of the blocking one in Fortran, and its arguments in C. */
#define FORMS(name, Name, other, Other, parameters, arguments)                                                         \
    CALL(name, ARGUMENTS parameters, integer *error)                                                                   \
    {                                                                                                                  \
        *code_in(error) = Name(ARGUMENTS arguments);                                                                   \
    }                                                                                                                  \
    CALL(other, ARGUMENTS parameters, integer *request, integer *error)                                                \
    {                                                                                                                  \
        MPI_Request own = MPI_REQUEST_NULL;                                                                            \
        *code_in(error) = Other(ARGUMENTS arguments, &own);                                                            \
        *request = request_number(own);                                                                                \
    }

FORMS(barrier, MPI_Barrier, ibarrier, MPI_Ibarrier, (const integer *comm), (comm_of(comm)))
FORMS(bcast, MPI_Bcast, ibcast, MPI_Ibcast,
      (void *at, const integer *count, const integer *type, const integer *root, const integer *comm),
      (data(at), *count, type_of(type), *root, comm_of(comm)))
FORMS(reduce, MPI_Reduce, ireduce, MPI_Ireduce,
      (void *from, void *to, const integer *count, const integer *type, const integer *op, const integer *root,
       const integer *comm),
      (data(from), data(to), *count, type_of(type), op_of(op), *root, comm_of(comm)))

#define COMBINE(name, Name, other, Other)                                                                              \
    FORMS(name, Name, other, Other,                                                                                    \
          (void *from, void *to, const integer *count, const integer *type, const integer *op, const integer *comm),   \
          (data(from), data(to), *count, type_of(type), op_of(op), comm_of(comm)))
COMBINE(allreduce, MPI_Allreduce, iallreduce, MPI_Iallreduce)
COMBINE(scan, MPI_Scan, iscan, MPI_Iscan)
COMBINE(exscan, MPI_Exscan, iexscan, MPI_Iexscan)
COMBINE(reduce_scatter_block, MPI_Reduce_scatter_block, ireduce_scatter_block, MPI_Ireduce_scatter_block)

FORMS(reduce_scatter, MPI_Reduce_scatter, ireduce_scatter, MPI_Ireduce_scatter,
      (void *from, void *to, const integer *counts, const integer *type, const integer *op, const integer *comm),
      (data(from), data(to), counts, type_of(type), op_of(op), comm_of(comm)))

#define ROOTED(name, Name, other, Other)                                                                               \
    FORMS(name, Name, other, Other,                                                                                    \
          (void *from, const integer *sends, const integer *send_type, void *to, const integer *receives,              \
           const integer *receive_type, const integer *root, const integer *comm),                                     \
          (data(from), *sends, type_of(send_type), data(to), *receives, type_of(receive_type), *root, comm_of(comm)))
ROOTED(gather, MPI_Gather, igather, MPI_Igather)
ROOTED(scatter, MPI_Scatter, iscatter, MPI_Iscatter)

#define AMONG_ALL(name, Name, other, Other)                                                                            \
    FORMS(name, Name, other, Other,                                                                                    \
          (void *from, const integer *sends, const integer *send_type, void *to, const integer *receives,              \
           const integer *receive_type, const integer *comm),                                                          \
          (data(from), *sends, type_of(send_type), data(to), *receives, type_of(receive_type), comm_of(comm)))
AMONG_ALL(allgather, MPI_Allgather, iallgather, MPI_Iallgather)
AMONG_ALL(alltoall, MPI_Alltoall, ialltoall, MPI_Ialltoall)
AMONG_ALL(neighbor_allgather, MPI_Neighbor_allgather, ineighbor_allgather, MPI_Ineighbor_allgather)
AMONG_ALL(neighbor_alltoall, MPI_Neighbor_alltoall, ineighbor_alltoall, MPI_Ineighbor_alltoall)

FORMS(gatherv, MPI_Gatherv, igatherv, MPI_Igatherv,
      (void *from, const integer *sends, const integer *send_type, void *to, const integer *receives,
       const integer *places, const integer *receive_type, const integer *root, const integer *comm),
      (data(from), *sends, type_of(send_type), data(to), receives, places, type_of(receive_type), *root, comm_of(comm)))
FORMS(scatterv, MPI_Scatterv, iscatterv, MPI_Iscatterv,
      (void *from, const integer *sends, const integer *places, const integer *send_type, void *to,
       const integer *receives, const integer *receive_type, const integer *root, const integer *comm),
      (data(from), sends, places, type_of(send_type), data(to), *receives, type_of(receive_type), *root, comm_of(comm)))

#define EACH_TO_ALL(name, Name, other, Other)                                                                          \
    FORMS(name, Name, other, Other,                                                                                    \
          (void *from, const integer *sends, const integer *send_type, void *to, const integer *receives,              \
           const integer *places, const integer *receive_type, const integer *comm),                                   \
          (data(from), *sends, type_of(send_type), data(to), receives, places, type_of(receive_type), comm_of(comm)))
EACH_TO_ALL(allgatherv, MPI_Allgatherv, iallgatherv, MPI_Iallgatherv)
EACH_TO_ALL(neighbor_allgatherv, MPI_Neighbor_allgatherv, ineighbor_allgatherv, MPI_Ineighbor_allgatherv)

#define EACH_TO_EACH(name, Name, other, Other)                                                                         \
    FORMS(name, Name, other, Other,                                                                                    \
          (void *from, const integer *sends, const integer *send_places, const integer *send_type, void *to,           \
           const integer *receives, const integer *receive_places, const integer *receive_type, const integer *comm),  \
          (data(from), sends, send_places, type_of(send_type), data(to), receives, receive_places,                     \
           type_of(receive_type), comm_of(comm)))
EACH_TO_EACH(alltoallv, MPI_Alltoallv, ialltoallv, MPI_Ialltoallv)
EACH_TO_EACH(neighbor_alltoallv, MPI_Neighbor_alltoallv, ineighbor_alltoallv, MPI_Ineighbor_alltoallv)

/* Numbers of blocks that a rank sends to all others, or to its neighbors, and receives. */
static void blocks_of(MPI_Comm comm, bool neighbors, int *sends, int *receives)
{
    int inter = 0, kind = MPI_UNDEFINED, weighted, rank = 0;
    *sends = *receives = 0;
    MPI_Comm_test_inter(comm, &inter);
    if (neighbors) MPI_Topo_test(comm, &kind);
    if (!neighbors && inter) {
        MPI_Comm_remote_size(comm, sends);
    } else if (!neighbors) {
        MPI_Comm_size(comm, sends);
    } else if (kind == MPI_DIST_GRAPH) {
        MPI_Dist_graph_neighbors_count(comm, receives, sends, &weighted);
        return;
    } else if (kind == MPI_GRAPH) {
        MPI_Comm_rank(comm, &rank);
        MPI_Graph_neighbors_count(comm, rank, sends);
    } else if (kind == MPI_CART) {
        MPI_Cartdim_get(comm, sends);
        *sends *= 2;
    }
    *receives = *sends;
}

/* The types of all blocks: `sends` of them, then the others. */
static MPI_Datatype *block_types(const void *from, MPI_Comm comm, bool neighbors, const integer *send_types,
                                 const integer *receive_types, int *sends)
{
    int receives;
    blocks_of(comm, neighbors, sends, &receives);
    MPI_Datatype *types = room_for(*sends + receives, sizeof *types);
    for (int i = 0; i < *sends; ++i) types[i] = from == MPI_IN_PLACE ? MPI_DATATYPE_NULL : type_of(&send_types[i]);
    for (int i = 0; i < receives; ++i) types[*sends + i] = type_of(&receive_types[i]);
    return types;
}

#define TYPED(name, Name, other, Other, place, neighbors)                                                              \
    CALL(name, void *from, const integer *sends, const place *send_places, const integer *send_types, void *to,        \
         const integer *receives, const place *receive_places, const integer *receive_types, const integer *comm,      \
         integer *error)                                                                                               \
    {                                                                                                                  \
        int count;                                                                                                     \
        MPI_Datatype *types = block_types(data(from), comm_of(comm), neighbors, send_types, receive_types, &count);    \
        *code_in(error) = Name(data(from), sends, send_places, types, data(to), receives, receive_places,              \
                               types + count, comm_of(comm));                                                          \
        free(types);                                                                                                   \
    }                                                                                                                  \
    CALL(other, void *from, const integer *sends, const place *send_places, const integer *send_types, void *to,       \
         const integer *receives, const place *receive_places, const integer *receive_types, const integer *comm,      \
         integer *request, integer *error)                                                                             \
    {                                                                                                                  \
        int count;                                                                                                     \
        MPI_Request own = MPI_REQUEST_NULL;                                                                            \
        MPI_Datatype *types = block_types(data(from), comm_of(comm), neighbors, send_types, receive_types, &count);    \
        *code_in(error) = Other(data(from), sends, send_places, types, data(to), receives, receive_places,             \
                                types + count, comm_of(comm), &own);                                                   \
        *request = request_number(own);                                                                                \
        free(types);                                                                                                   \
    }
TYPED(alltoallw, MPI_Alltoallw, ialltoallw, MPI_Ialltoallw, integer, false)
TYPED(neighbor_alltoallw, MPI_Neighbor_alltoallw, ineighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Aint, true)

CALL(reduce_local, void *from, void *to, const integer *count, const integer *type, const integer *op, integer *error)
{
    *code_in(error) = MPI_Reduce_local(from, to, *count, type_of(type), op_of(op));
}

/* Functions of the program have a type by number, so each goes through a function of C of its own. */
typedef void fortran_operation(void *in, void *inout, integer *count, integer *type);
enum { OPERATIONS = 16 };
static struct {
    fortran_operation *call;
    MPI_Op op;
} operations[OPERATIONS];

static void operation_run(int which, void *in, void *inout, int *count, const MPI_Datatype *type)
{
    integer number = MPI_Type_c2f(*type);
    operations[which].call(in, inout, count, &number);
}

#define THROUGH(n)                                                                                                     \
    static void through_##n(void *in, void *inout, int *count, MPI_Datatype *type)                                     \
    {                                                                                                                  \
        operation_run(n, in, inout, count, type);                                                                      \
    }
/* clang-format off */
THROUGH(0) THROUGH(1) THROUGH(2) THROUGH(3) THROUGH(4) THROUGH(5) THROUGH(6) THROUGH(7)
THROUGH(8) THROUGH(9) THROUGH(10) THROUGH(11) THROUGH(12) THROUGH(13) THROUGH(14) THROUGH(15)
    /* clang-format on */
    static MPI_User_function *const throughs[OPERATIONS] = {
        through_0, through_1, through_2,  through_3,  through_4,  through_5,  through_6,  through_7,
        through_8, through_9, through_10, through_11, through_12, through_13, through_14, through_15,
    };

CALL(op_create, fortran_operation *call, const integer *commutes, integer *made, integer *error)
{
    int which = 0;
    while (which < OPERATIONS && operations[which].call) ++which;
    if (which == OPERATIONS)
        messages_end(1, "%s: more than %d operations by MPI_OP_CREATE", messages_self->name, which);
    operations[which].call = call;
    *code_in(error) = MPI_Op_create(throughs[which], *commutes, &operations[which].op);
    *made = MPI_Op_c2f(operations[which].op);
}

CALL(op_commutative, const integer *op, integer *commutes, integer *error)
{
    *code_in(error) = MPI_Op_commutative(op_of(op), commutes);
}

CALL(op_free, integer *op, integer *error)
{
    MPI_Op own = op_of(op);
    for (int i = 0; i < OPERATIONS; ++i)
        if (own && operations[i].op == own) operations[i].call = NULL, operations[i].op = MPI_OP_NULL;
    *code_in(error) = MPI_Op_free(&own);
    *op = MPI_Op_c2f(own);
}

/*=============================================================================
 * MARK: - >>types
 *===========================================================================*/

MAKE_TYPE(type_contiguous, MPI_Type_contiguous, (const integer *count, const integer *type), (*count, type_of(type)))
MAKE_TYPE(type_vector, MPI_Type_vector,
          (const integer *count, const integer *length, const integer *stride, const integer *type),
          (*count, *length, *stride, type_of(type)))
MAKE_TYPE(type_hvector, MPI_Type_create_hvector,
          (const integer *count, const integer *length, const integer *stride, const integer *type),
          (*count, *length, *stride, type_of(type)))
MAKE_TYPE(type_create_hvector, MPI_Type_create_hvector,
          (const integer *count, const integer *length, const MPI_Aint *stride, const integer *type),
          (*count, *length, *stride, type_of(type)))
MAKE_TYPE(type_indexed, MPI_Type_indexed,
          (const integer *count, const integer *lengths, const integer *places, const integer *type),
          (*count, lengths, places, type_of(type)))
MAKE_TYPE(type_create_hindexed, MPI_Type_create_hindexed,
          (const integer *count, const integer *lengths, const MPI_Aint *places, const integer *type),
          (*count, lengths, places, type_of(type)))
MAKE_TYPE(type_create_indexed_block, MPI_Type_create_indexed_block,
          (const integer *count, const integer *length, const integer *places, const integer *type),
          (*count, *length, places, type_of(type)))
MAKE_TYPE(type_create_subarray, MPI_Type_create_subarray,
          (const integer *count, const integer *sizes, const integer *parts, const integer *starts,
           const integer *order, const integer *type),
          (*count, sizes, parts, starts, *order, type_of(type)))
MAKE_TYPE(type_create_resized, MPI_Type_create_resized,
          (const integer *type, const MPI_Aint *lower, const MPI_Aint *extent), (type_of(type), *lower, *extent))
MAKE_TYPE(type_dup, MPI_Type_dup, (const integer *type), (type_of(type)))
MAKE_TYPE(type_create_hindexed_block, MPI_Type_create_hindexed_block,
          (const integer *count, const integer *length, const MPI_Aint *places, const integer *type),
          (*count, *length, places, type_of(type)))
MAKE_TYPE(type_match_size, MPI_Type_match_size, (const integer *class, const integer *size), (*class, *size))
MAKE_TYPE(type_create_f90_integer, MPI_Type_create_f90_integer, (const integer *range), (*range))
MAKE_TYPE(type_create_f90_real, MPI_Type_create_f90_real, (const integer *precision, const integer *range),
          (*precision, *range))
MAKE_TYPE(type_create_f90_complex, MPI_Type_create_f90_complex, (const integer *precision, const integer *range),
          (*precision, *range))

static void structure(const integer *count, const integer *lengths, const MPI_Aint *places, const integer *types,
                      integer *made, integer *error)
{
    MPI_Datatype own = MPI_DATATYPE_NULL, *members = room_for(*count, sizeof *members);
    for (integer i = 0; i < *count; ++i) members[i] = type_of(&types[i]);
    *code_in(error) = MPI_Type_create_struct(*count, lengths, places, members, &own);
    *made = MPI_Type_c2f(own);
    free(members);
}

CALL(type_create_struct, const integer *count, const integer *lengths, const MPI_Aint *places, const integer *types,
     integer *made, integer *error)
{
    structure(count, lengths, places, types, made, error);
}

CALL(type_struct, const integer *count, const integer *lengths, const integer *places, const integer *types,
     integer *made, integer *error)
{
    MPI_Aint *wide = room_for(*count, sizeof *wide);
    for (integer i = 0; i < *count; ++i) wide[i] = places[i];
    structure(count, lengths, wide, types, made, error);
    free(wide);
}

MAKE_TYPE(type_create_darray, MPI_Type_create_darray,
          (const integer *size, const integer *rank, const integer *count, const integer *sizes,
           const integer *distributions, const integer *arguments, const integer *processes, const integer *order,
           const integer *type),
          (*size, *rank, *count, sizes, distributions, arguments, processes, *order, type_of(type)))

CALL(type_hindexed, const integer *count, const integer *lengths, const integer *places, const integer *type,
     integer *made, integer *error)
{
    MPI_Datatype own = MPI_DATATYPE_NULL;
    MPI_Aint *wide = room_for(*count, sizeof *wide);
    for (integer i = 0; i < *count; ++i) wide[i] = places[i];
    *code_in(error) = MPI_Type_create_hindexed(*count, lengths, wide, type_of(type), &own);
    *made = MPI_Type_c2f(own);
    free(wide);
}

CALL(type_get_envelope, const integer *type, integer *integers, integer *addresses, integer *types, integer *combiner,
     integer *error)
{
    *code_in(error) = MPI_Type_get_envelope(type_of(type), integers, addresses, types, combiner);
}

CALL(type_get_contents, const integer *type, const integer *integers, const integer *addresses, const integer *types,
     integer *integer_of, MPI_Aint *address_of, integer *types_of, integer *error)
{
    MPI_Datatype *own = room_for(*types, sizeof *own);
    for (integer i = 0; i < *types; ++i) own[i] = MPI_DATATYPE_NULL;
    *code_in(error) = MPI_Type_get_contents(type_of(type), *integers, *addresses, *types, integer_of, address_of, own);
    for (integer i = 0; i < *types; ++i) types_of[i] = MPI_Type_c2f(own[i]);
    free(own);
}

CALL(type_set_name, const integer *type, const char *name, integer *error, size_t length)
{
    char *own = text_of(name, length);
    *code_in(error) = MPI_Type_set_name(type_of(type), own);
    free(own);
}

CALL(type_get_name, const integer *type, char *name, integer *length, integer *error, size_t room)
{
    char own[MPI_MAX_OBJECT_NAME] = "";
    *code_in(error) = MPI_Type_get_name(type_of(type), own, length);
    text_put(name, room, own);
}

CALL(type_size_x, const integer *type, MPI_Count *size, integer *error)
{
    *code_in(error) = MPI_Type_size_x(type_of(type), size);
}

#define EXTENT_X(name, Name)                                                                                           \
    CALL(name, const integer *type, MPI_Count *lower, MPI_Count *extent, integer *error)                               \
    {                                                                                                                  \
        *code_in(error) = Name(type_of(type), lower, extent);                                                          \
    }
EXTENT_X(type_get_extent_x, MPI_Type_get_extent_x)
EXTENT_X(type_get_true_extent_x, MPI_Type_get_true_extent_x)

CALL(type_get_true_extent, const integer *type, MPI_Aint *lower, MPI_Aint *extent, integer *error)
{
    *code_in(error) = MPI_Type_get_true_extent(type_of(type), lower, extent);
}

CALL(type_lb, const integer *type, integer *lower, integer *error)
{
    MPI_Aint own = 0, extent;
    *code_in(error) = MPI_Type_get_extent(type_of(type), &own, &extent);
    *lower = (integer)own;
}

CALL(type_ub, const integer *type, integer *upper, integer *error)
{
    MPI_Aint own = 0, extent = 0;
    *code_in(error) = MPI_Type_get_extent(type_of(type), &own, &extent);
    *upper = (integer)(own + extent);
}

CALL(type_commit, const integer *type, integer *error)
{
    MPI_Datatype own = type_of(type);
    *code_in(error) = MPI_Type_commit(&own);
}

CALL(type_free, integer *type, integer *error)
{
    MPI_Datatype own = type_of(type);
    *code_in(error) = MPI_Type_free(&own);
    *type = MPI_Type_c2f(own);
}

CALL(type_size, const integer *type, integer *size, integer *error)
{
    *code_in(error) = MPI_Type_size(type_of(type), size);
}

CALL(type_get_extent, const integer *type, MPI_Aint *lower, MPI_Aint *extent, integer *error)
{
    *code_in(error) = MPI_Type_get_extent(type_of(type), lower, extent);
}

CALL(type_extent, const integer *type, integer *extent, integer *error)
{
    MPI_Aint lower, wide = 0;
    *code_in(error) = MPI_Type_get_extent(type_of(type), &lower, &wide);
    *extent = (integer)wide;
}

CALL(get_address, void *at, MPI_Aint *address, integer *error)
{
    *code_in(error) = MPI_Get_address(data(at), address);
}

CALL(address, void *at, integer *address, integer *error)
{
    MPI_Aint own = 0;
    *code_in(error) = MPI_Get_address(data(at), &own);
    *address = (integer)own;
}

MPI_Aint mpi_aint_add_(const MPI_Aint *base, const MPI_Aint *by);
MPI_Aint mpi_aint_add_(const MPI_Aint *base, const MPI_Aint *by)
{
    return MPI_Aint_add(*base, *by);
}

MPI_Aint mpi_aint_diff_(const MPI_Aint *one, const MPI_Aint *other);
MPI_Aint mpi_aint_diff_(const MPI_Aint *one, const MPI_Aint *other)
{
    return MPI_Aint_diff(*one, *other);
}

/* The size of any variable, from the beginning of a descriptor as standard Fortran passes it to C: its address, then the
 * size of an element. */
void simkit_mpi_sizeof(const size_t *descriptor, integer *size, integer *error);
void simkit_mpi_sizeof(const size_t *descriptor, integer *size, integer *error)
{
    *size = (integer)descriptor[1];
    *code_in(error) = MPI_SUCCESS;
}

CALL(pack_external, const char *format, void *from, const integer *count, const integer *type, void *to,
     const MPI_Aint *room, MPI_Aint *place, integer *error, size_t length)
{
    char *own = text_of(format, length);
    *code_in(error) = MPI_Pack_external(own, data(from), *count, type_of(type), to, *room, place);
    free(own);
}

CALL(unpack_external, const char *format, void *from, const MPI_Aint *bytes, MPI_Aint *place, void *to,
     const integer *count, const integer *type, integer *error, size_t length)
{
    char *own = text_of(format, length);
    *code_in(error) = MPI_Unpack_external(own, from, *bytes, place, data(to), *count, type_of(type));
    free(own);
}

CALL(pack_external_size, const char *format, const integer *count, const integer *type, MPI_Aint *bytes, integer *error,
     size_t length)
{
    char *own = text_of(format, length);
    *code_in(error) = MPI_Pack_external_size(own, *count, type_of(type), bytes);
    free(own);
}

CALL(pack, void *from, const integer *count, const integer *type, void *to, const integer *room, integer *place,
     const integer *comm, integer *error)
{
    *code_in(error) = MPI_Pack(data(from), *count, type_of(type), to, *room, place, comm_of(comm));
}

CALL(unpack, void *from, const integer *bytes, integer *place, void *to, const integer *count, const integer *type,
     const integer *comm, integer *error)
{
    *code_in(error) = MPI_Unpack(from, *bytes, place, data(to), *count, type_of(type), comm_of(comm));
}

CALL(pack_size, const integer *count, const integer *type, const integer *comm, integer *bytes, integer *error)
{
    *code_in(error) = MPI_Pack_size(*count, type_of(type), comm_of(comm), bytes);
}

/*=============================================================================
 * MARK: - >>one-sided communication
 *===========================================================================*/

CALL(win_create, void *base, const MPI_Aint *bytes, const integer *unit, const integer *info, const integer *comm,
     integer *made, integer *error)
{
    MPI_Win own = MPI_WIN_NULL;
    *code_in(error) = MPI_Win_create(data(base), *bytes, *unit, info_of(info), comm_of(comm), &own);
    *made = MPI_Win_c2f(own);
}

/* The base is an address, as a number or as type(c_ptr). */
#define ALLOCATE(name, Name)                                                                                           \
    CALL(name, const MPI_Aint *bytes, const integer *unit, const integer *info, const integer *comm, void **base,      \
         integer *made, integer *error)                                                                                \
    {                                                                                                                  \
        MPI_Win own = MPI_WIN_NULL;                                                                                    \
        *code_in(error) = Name(*bytes, *unit, info_of(info), comm_of(comm), base, &own);                               \
        *made = MPI_Win_c2f(own);                                                                                      \
    }
ALLOCATE(win_allocate, MPI_Win_allocate)
ALLOCATE(win_allocate_shared, MPI_Win_allocate_shared)

CALL(win_shared_query, const integer *win, const integer *rank, MPI_Aint *bytes, integer *unit, void **base,
     integer *error)
{
    *code_in(error) = MPI_Win_shared_query(win_of(win), *rank, bytes, unit, base);
}

MAKE(win_create_dynamic, MPI_Win_create_dynamic, MPI_Win, MPI_Win, (const integer *info, const integer *comm),
     (info_of(info), comm_of(comm)))
MAKE_GROUP(win_get_group, MPI_Win_get_group, (const integer *win), (win_of(win)))
MAKE(win_get_info, MPI_Win_get_info, MPI_Info, MPI_Info, (const integer *win), (win_of(win)))

CALL(win_set_info, const integer *win, const integer *info, integer *error)
{
    *code_in(error) = MPI_Win_set_info(win_of(win), info_of(info));
}

CALL(win_attach, const integer *win, void *base, const MPI_Aint *bytes, integer *error)
{
    *code_in(error) = MPI_Win_attach(win_of(win), base, *bytes);
}

CALL(win_detach, const integer *win, const void *base, integer *error)
{
    *code_in(error) = MPI_Win_detach(win_of(win), base);
}

CALL(win_free, integer *win, integer *error)
{
    MPI_Win own = win_of(win);
    *code_in(error) = MPI_Win_free(&own);
    *win = MPI_Win_c2f(own);
}

CALL(win_set_name, const integer *win, const char *name, integer *error, size_t length)
{
    char *own = text_of(name, length);
    *code_in(error) = MPI_Win_set_name(win_of(win), own);
    free(own);
}

CALL(win_get_name, const integer *win, char *name, integer *length, integer *error, size_t room)
{
    char own[MPI_MAX_OBJECT_NAME] = "";
    *code_in(error) = MPI_Win_get_name(win_of(win), own, length);
    text_put(name, room, own);
}

/* Parameters and arguments that accesses share; those that return a request have one more. */
#define AT_TARGET const integer *target, const MPI_Aint *place, const integer *target_count, const integer *target_type
#define TARGET_OF *target, *place, *target_count, type_of(target_type)
#define REQUESTED(call)                                                                                                \
    MPI_Request own = MPI_REQUEST_NULL;                                                                                \
    *code_in(error) = call;                                                                                            \
    *request = request_number(own)

#define ACCESS(name, Name, Requested)                                                                                  \
    CALL(name, void *buffer, const integer *count, const integer *type, AT_TARGET, const integer *win, integer *error) \
    {                                                                                                                  \
        *code_in(error) = Name(data(buffer), *count, type_of(type), TARGET_OF, win_of(win));                           \
    }                                                                                                                  \
    CALL(r##name, void *buffer, const integer *count, const integer *type, AT_TARGET, const integer *win,              \
         integer *request, integer *error)                                                                             \
    {                                                                                                                  \
        REQUESTED(Requested(data(buffer), *count, type_of(type), TARGET_OF, win_of(win), &own));                       \
    }
ACCESS(put, MPI_Put, MPI_Rput)
ACCESS(get, MPI_Get, MPI_Rget)

CALL(accumulate, void *buffer, const integer *count, const integer *type, AT_TARGET, const integer *op,
     const integer *win, integer *error)
{
    *code_in(error) = MPI_Accumulate(data(buffer), *count, type_of(type), TARGET_OF, op_of(op), win_of(win));
}

CALL(raccumulate, void *buffer, const integer *count, const integer *type, AT_TARGET, const integer *op,
     const integer *win, integer *request, integer *error)
{
    REQUESTED(MPI_Raccumulate(data(buffer), *count, type_of(type), TARGET_OF, op_of(op), win_of(win), &own));
}

CALL(get_accumulate, void *buffer, const integer *count, const integer *type, void *result, const integer *result_count,
     const integer *result_type, AT_TARGET, const integer *op, const integer *win, integer *error)
{
    *code_in(error) = MPI_Get_accumulate(data(buffer), *count, type_of(type), data(result), *result_count,
                                         type_of(result_type), TARGET_OF, op_of(op), win_of(win));
}

CALL(rget_accumulate, void *buffer, const integer *count, const integer *type, void *result,
     const integer *result_count, const integer *result_type, AT_TARGET, const integer *op, const integer *win,
     integer *request, integer *error)
{
    REQUESTED(MPI_Rget_accumulate(data(buffer), *count, type_of(type), data(result), *result_count,
                                  type_of(result_type), TARGET_OF, op_of(op), win_of(win), &own));
}

CALL(fetch_and_op, void *buffer, void *result, const integer *type, const integer *target, const MPI_Aint *place,
     const integer *op, const integer *win, integer *error)
{
    *code_in(error) = MPI_Fetch_and_op(buffer, result, type_of(type), *target, *place, op_of(op), win_of(win));
}

CALL(compare_and_swap, void *buffer, void *compared, void *result, const integer *type, const integer *target,
     const MPI_Aint *place, const integer *win, integer *error)
{
    *code_in(error) = MPI_Compare_and_swap(buffer, compared, result, type_of(type), *target, *place, win_of(win));
}

CALL(win_fence, const integer *assertion, const integer *win, integer *error)
{
    *code_in(error) = MPI_Win_fence(*assertion, win_of(win));
}

CALL(win_post, const integer *group, const integer *assertion, const integer *win, integer *error)
{
    *code_in(error) = MPI_Win_post(MPI_Group_f2c(*group), *assertion, win_of(win));
}

CALL(win_start, const integer *group, const integer *assertion, const integer *win, integer *error)
{
    *code_in(error) = MPI_Win_start(MPI_Group_f2c(*group), *assertion, win_of(win));
}

CALL(win_test, const integer *win, integer *flag, integer *error)
{
    *code_in(error) = MPI_Win_test(win_of(win), flag);
}

CALL(win_lock, const integer *type, const integer *rank, const integer *assertion, const integer *win, integer *error)
{
    *code_in(error) = MPI_Win_lock(*type, *rank, *assertion, win_of(win));
}

CALL(win_lock_all, const integer *assertion, const integer *win, integer *error)
{
    *code_in(error) = MPI_Win_lock_all(*assertion, win_of(win));
}

#define OF_RANK(name, Name)                                                                                            \
    CALL(name, const integer *rank, const integer *win, integer *error)                                                \
    {                                                                                                                  \
        *code_in(error) = Name(*rank, win_of(win));                                                                    \
    }
OF_RANK(win_unlock, MPI_Win_unlock)
OF_RANK(win_flush, MPI_Win_flush)
OF_RANK(win_flush_local, MPI_Win_flush_local)

#define OF_WIN(name, Name)                                                                                             \
    CALL(name, const integer *win, integer *error)                                                                     \
    {                                                                                                                  \
        *code_in(error) = Name(win_of(win));                                                                           \
    }
OF_WIN(win_complete, MPI_Win_complete)
OF_WIN(win_wait, MPI_Win_wait)
OF_WIN(win_unlock_all, MPI_Win_unlock_all)
OF_WIN(win_flush_all, MPI_Win_flush_all)
OF_WIN(win_flush_local_all, MPI_Win_flush_local_all)
OF_WIN(win_sync, MPI_Win_sync)
