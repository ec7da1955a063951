/* Right programs at the corners of the standard, one for each word; test_messages_corners compares what they print. */
#define _GNU_SOURCE
#include "mpi.h"
#include "skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* -- data in one direction between two groups -- */

/* The ranks of the first half send what this says to those of the second half, and get nothing; then the other way; then
 * both ways, of different types. */
static int one_way(MPI_Comm both, int side, int other)
{
    int sent[16], received[16] = { 0 }, counts[16], nothing[16] = { 0 }, places[16], bytes[16], wrong = 0;
    double reals[16], real[16] = { 0 };
    MPI_Datatype types[16];
    MPI_Request r;
    for (int i = 0; i < 16; ++i) {
        sent[i] = 100 * rank + i, counts[i] = 1, places[i] = i, bytes[i] = 4 * i;
        reals[i] = sent[i], types[i] = MPI_INT;
    }
    const int first = side ? 0 : size / 2, mine = side ? rank - size / 2 : rank;
    for (int from = 0; from < 2; ++from) {
        const int gives = side == from;
        const void *out = gives ? sent : NULL;
        void *in = gives ? NULL : received;
        int *outs = gives ? counts : nothing, *ins = gives ? nothing : counts;
        for (int k = 0; k < 9; ++k) {
            memset(received, 0, sizeof received);
            r = MPI_REQUEST_NULL;
            switch (k) {
            case 0: MPI_Alltoall(out, gives, MPI_INT, in, !gives, MPI_INT, both); break;
            case 1: MPI_Ialltoall(out, gives, MPI_INT, in, !gives, MPI_INT, both, &r); break;
            case 2: MPI_Alltoallv(out, outs, places, MPI_INT, in, ins, places, MPI_INT, both); break;
            case 3: MPI_Ialltoallv(out, outs, places, MPI_INT, in, ins, places, MPI_INT, both, &r); break;
            case 4: MPI_Alltoallw(out, outs, bytes, types, in, ins, bytes, types, both); break;
            case 5: MPI_Ialltoallw(out, outs, bytes, types, in, ins, bytes, types, both, &r); break;
            case 6: MPI_Allgather(out, gives, MPI_INT, in, !gives, MPI_INT, both); break;
            case 7: MPI_Iallgather(out, gives, MPI_INT, in, !gives, MPI_INT, both, &r); break;
            default: MPI_Allgatherv(out, gives, MPI_INT, in, ins, places, MPI_INT, both); break;
            }
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            for (int i = 0; i < other && !gives; ++i) wrong += received[i] != 100 * (first + i) + (k < 6 ? mine : 0);
            for (int i = 0; i < 16 && gives; ++i) wrong += received[i] != 0;
        }
    }
    if (side)
        MPI_Alltoall(reals, 1, MPI_DOUBLE, received, 1, MPI_INT, both);
    else
        MPI_Alltoall(sent, 1, MPI_INT, real, 1, MPI_DOUBLE, both);
    for (int i = 0; i < other; ++i) wrong += (side ? received[i] : (int)real[i]) != 100 * (first + i) + mine;
    return wrong;
}

static void oneway(void)
{
    const int side = rank >= size / 2;
    int other, wrong, all;
    MPI_Comm mine, both;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, side ? 0 : size / 2, 7, &both);
    MPI_Comm_remote_size(both, &other);
    wrong = one_way(both, side, other);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    MPI_Comm_free(&both);
    MPI_Comm_free(&mine);
}

/* -- functions of attributes that change attributes -- */

static int keys[6], deleted, nested; /* nested: what the delete functions do, see below */

enum { DELETE_OTHERS = 1, SET_ITSELF, DELETE_ITSELF, SET_OTHERS, FREE_KEYS, MAKE_KEYS, CALL };

/* What a delete function does besides, to attributes of its own object. */
#define KIND(name, Name, Handle)                                                                                       \
    static int name##_count(Handle object, int key, void *value, void *extra)                                          \
    {                                                                                                                  \
        (void)object, (void)key, (void)value, (void)extra;                                                             \
        return ++deleted, MPI_SUCCESS;                                                                                 \
    }                                                                                                                  \
    static int name##_busy(Handle object, int key, void *value, void *extra)                                           \
    {                                                                                                                  \
        void *found = NULL;                                                                                            \
        int flag = 0;                                                                                                  \
        (void)value, (void)extra;                                                                                      \
        ++deleted;                                                                                                     \
        if (nested == DELETE_OTHERS)                                                                                   \
            for (int i = 0; i < 6; ++i)                                                                                \
                if (Name##_get_attr(object, keys[i], &found, &flag) == MPI_SUCCESS && flag && keys[i] != key)          \
                    Name##_delete_attr(object, keys[i]);                                                               \
        if (nested == SET_ITSELF) Name##_set_attr(object, key, &deleted);                                              \
        if (nested == DELETE_ITSELF) Name##_delete_attr(object, key);                                                  \
        if (nested == SET_OTHERS && key != keys[0]) Name##_set_attr(object, keys[0], &deleted);                        \
        if (nested == FREE_KEYS && key == keys[5]) Name##_free_keyval(&key);                                           \
        for (int i = 0; nested == MAKE_KEYS && i < 100; ++i)                                                           \
            Name##_create_keyval(MPI_NULL_##name##_COPY, name##_count, &key, NULL);                                    \
        if (nested == CALL) {                                                                                          \
            double t = MPI_Wtime();                                                                                    \
            MPI_Barrier(MPI_COMM_SELF);                                                                                \
            MPI_Send(&t, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);                                             \
        }                                                                                                              \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    static void name##_fill(Handle object, int what)                                                                   \
    {                                                                                                                  \
        nested = what;                                                                                                 \
        deleted = 0;                                                                                                   \
        for (int i = 0; i < 6; ++i) {                                                                                  \
            Name##_create_keyval(MPI_NULL_##name##_COPY, i % 2 ? name##_busy : name##_count, &keys[i], NULL);          \
            Name##_set_attr(object, keys[i], &keys[i]);                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_direct(Handle object, int what)                                                                 \
    {                                                                                                                  \
        void *found = NULL;                                                                                            \
        int flag = 0, left = 0;                                                                                        \
        name##_fill(object, what);                                                                                     \
        Name##_delete_attr(object, keys[3]);                                                                           \
        Name##_set_attr(object, keys[1], &nested);                                                                     \
        for (int i = 0; i < 6; ++i)                                                                                    \
            if (Name##_get_attr(object, keys[i], &found, &flag) == MPI_SUCCESS && flag) ++left;                        \
        if (rank == 0) printf(" %d/%d", deleted, left);                                                                \
        nested = 0;                                                                                                    \
        for (int i = 0; i < 6; ++i)                                                                                    \
            if (Name##_get_attr(object, keys[i], &found, &flag) == MPI_SUCCESS && flag)                                \
                Name##_delete_attr(object, keys[i]);                                                                   \
    }
#define MPI_NULL_comm_COPY MPI_COMM_NULL_COPY_FN
#define MPI_NULL_type_COPY MPI_TYPE_NULL_COPY_FN
#define MPI_NULL_win_COPY MPI_WIN_NULL_COPY_FN
KIND(comm, MPI_Comm, MPI_Comm)
KIND(type, MPI_Type, MPI_Datatype)
KIND(win, MPI_Win, MPI_Win)

/* A copy function that deletes the attribute that it copies, and one that would follow. */
static int copy_deletes(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)extra;
    MPI_Comm_delete_attr(comm, key);
    if (key == keys[0]) MPI_Comm_delete_attr(comm, keys[3]);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int copy_sets(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)extra;
    if (key == keys[0]) MPI_Type_set_attr(type, keys[1], in);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void copies(void)
{
    MPI_Comm comm, copy;
    MPI_Datatype type, other;
    void *found;
    int flag, left = 0, copied = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 4; ++i) MPI_Comm_create_keyval(copy_deletes, comm_count, &keys[i], NULL);
    for (int i = 0; i < 4; ++i) MPI_Comm_set_attr(comm, keys[i], keys);
    deleted = 0;
    MPI_Comm_dup(comm, &copy);
    for (int i = 0; i < 4; ++i) MPI_Comm_get_attr(comm, keys[i], &found, &flag), left += flag;
    for (int i = 0; i < 4; ++i) MPI_Comm_get_attr(copy, keys[i], &found, &flag), copied += flag;
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    if (rank == 0) printf("copied %d, left %d, deleted %d\n", copied, left, deleted);
    MPI_Type_contiguous(2, MPI_INT, &type);
    for (int i = 0; i < 2; ++i) MPI_Type_create_keyval(copy_sets, type_count, &keys[i], NULL);
    MPI_Type_set_attr(type, keys[0], keys);
    MPI_Type_dup(type, &other);
    for (int i = copied = 0; i < 2; ++i) MPI_Type_get_attr(other, keys[i], &found, &flag), copied += flag;
    MPI_Type_free(&other);
    MPI_Type_free(&type);
    if (rank == 0) printf("copied %d\n", copied);
}

/* The delete function of a type uses it. */
static int type_used(MPI_Datatype type, int key, void *value, void *extra)
{
    MPI_Datatype pair;
    int bytes = 0;
    (void)key, (void)extra;
    MPI_Type_contiguous(2, type, &pair);
    MPI_Type_size(pair, &bytes);
    *(int *)value = bytes;
    return MPI_Type_free(&pair);
}

static int at_the_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("finalize: %s\n", (const char *)value);
    if (((const char *)value)[0] == 'b') MPI_Comm_delete_attr(MPI_COMM_SELF, keys[0]);
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Win window;
    int memory = 0, bytes = 0;
    for (int what = 0; what <= CALL; ++what) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        if (rank == 0) printf("%d:", what);
        comm_direct(comm, what);
        type_direct(type, what);
        win_direct(window, what);
        if (rank == 0) printf(", freed");
        comm_fill(comm, what);
        MPI_Comm_free(&comm);
        if (rank == 0) printf(" %d", deleted);
        type_fill(type, what);
        MPI_Type_free(&type);
        if (rank == 0) printf(" %d", deleted);
        win_fill(window, what);
        MPI_Win_free(&window);
        if (rank == 0) printf(" %d\n", deleted);
    }
    nested = 0;
    copies();
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_used, &keys[0], NULL);
    MPI_Type_set_attr(type, keys[0], &bytes);
    MPI_Type_free(&type);
    if (rank == 0) printf("%d B\n", bytes);
    for (int i = 0; i < 3; ++i) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &keys[i], NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], (void *)(i == 0 ? "a" : i == 1 ? "b" : "c"));
    }
}

/* -- attributes of C and Fortran -- */

typedef void function(void);
typedef MPI_Fint fint;
void mpi_comm_create_keyval_(function *, function *, fint *, MPI_Aint *, fint *);
void mpi_comm_set_attr_(fint *, fint *, MPI_Aint *, fint *);
void mpi_comm_get_attr_(fint *, fint *, MPI_Aint *, fint *, fint *);
void mpi_type_create_keyval_(function *, function *, fint *, MPI_Aint *, fint *);
void mpi_type_set_attr_(fint *, fint *, MPI_Aint *, fint *);
void mpi_type_get_attr_(fint *, fint *, MPI_Aint *, fint *, fint *);
void mpi_win_create_keyval_(function *, function *, fint *, MPI_Aint *, fint *);
void mpi_win_set_attr_(fint *, fint *, MPI_Aint *, fint *);
void mpi_win_get_attr_(fint *, fint *, MPI_Aint *, fint *, fint *);
void mpi_keyval_create_(function *, function *, fint *, fint *, fint *);
void mpi_attr_put_(fint *, fint *, fint *, fint *);
void mpi_attr_get_(fint *, fint *, fint *, fint *, fint *);
void mpi_grequest_start_(function *, function *, function *, MPI_Aint *, fint *, fint *);
void mpi_grequest_complete_(fint *, fint *);
void mpi_wait_(fint *, fint *, fint *);
void mpi_type_get_name_(fint *, char *, fint *, fint *, size_t);

static MPI_Aint seen;

static void fortran_copies(fint *c, fint *k, MPI_Aint *x, MPI_Aint *in, MPI_Aint *out, fint *flag, fint *e)
{
    (void)c, (void)k;
    *out = *in + *x;
    *flag = 1;
    *e = 0;
}

static void fortran_deletes(fint *c, fint *k, MPI_Aint *value, MPI_Aint *x, fint *e)
{
    (void)c, (void)k, (void)x;
    seen = *value;
    *e = 0;
}

static void old_copies(fint *c, fint *k, fint *x, fint *in, fint *out, fint *flag, fint *e)
{
    (void)c, (void)k;
    *out = *in + *x;
    *flag = 1;
    *e = 0;
}

static void old_deletes(fint *c, fint *k, fint *value, fint *x, fint *e)
{
    (void)c, (void)k, (void)x;
    seen = *value;
    *e = 0;
}

static int c_deletes(MPI_Comm c, int key, void *value, void *extra)
{
    (void)c, (void)key, (void)extra;
    seen = *(const MPI_Aint *)value;
    return MPI_SUCCESS;
}

static void languages(void)
{
    const MPI_Aint large = (MPI_Aint)1 << 40;
    static int variable;
    MPI_Aint one = 1, value = large + 5, *found = NULL, got = 0;
    fint key, error, extra = 1, small = -7, small_got = 0, flag, *small_found = NULL, comm, object;
    MPI_Comm own, copy;
    MPI_Datatype type;
    MPI_Win window;
    int key_c, memory = 0;
    function *const copying = (function *)fortran_copies, *const deleting = (function *)fortran_deletes;
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    comm = MPI_Comm_c2f(own);
    mpi_comm_create_keyval_(copying, deleting, &key, &one, &error);
    mpi_comm_set_attr_(&comm, &key, &value, &error);
    MPI_Comm_get_attr(own, key, &found, &flag);
    printf("by Fortran: %d %d,", flag, *found == value);
    mpi_comm_get_attr_(&comm, &key, &got, &flag, &error);
    mpi_attr_get_(&comm, &key, &small_got, &flag, &error);
    printf(" in Fortran %d %d,", got == value, small_got);
    MPI_Comm_dup(own, &copy);
    MPI_Comm_get_attr(copy, key, &found, &flag);
    printf(" copied %d,", *found == value + 1);
    MPI_Comm_set_attr(own, key, &variable);
    printf(" deleted %d,", seen == value);
    MPI_Comm_get_attr(own, key, &found, &flag);
    mpi_comm_get_attr_(&comm, &key, &got, &flag, &error);
    printf(" then by C %d %d\n", (int *)found == &variable, (int *)got == &variable);
    MPI_Comm_free(&copy);
    mpi_keyval_create_((function *)old_copies, (function *)old_deletes, &key, &extra, &error);
    mpi_attr_put_(&comm, &key, &small, &error);
    MPI_Comm_get_attr(own, key, &small_found, &flag);
    mpi_comm_get_attr_(&comm, &key, &got, &flag, &error);
    printf("by MPI 1: %d %d,", *small_found, (int)got);
    MPI_Comm_dup(own, &copy);
    MPI_Comm_get_attr(copy, key, &small_found, &flag);
    printf(" copied %d,", *small_found);
    MPI_Comm_delete_attr(copy, key);
    printf(" deleted %d\n", (int)seen);
    MPI_Comm_free(&copy);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, c_deletes, &key_c, NULL);
    mpi_comm_set_attr_(&comm, &key_c, &value, &error);
    MPI_Comm_dup(own, &copy);
    MPI_Comm_delete_attr(own, key_c);
    MPI_Comm_get_attr(copy, key_c, &found, &flag);
    printf("functions of C: %d %d,", seen == value, *found == value);
    seen = 0;
    MPI_Comm_delete_attr(copy, key_c);
    printf(" %d\n", seen == value);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&own);
    MPI_Type_contiguous(2, MPI_INT, &type);
    object = MPI_Type_c2f(type);
    mpi_type_create_keyval_(copying, deleting, &key, &one, &error);
    mpi_type_set_attr_(&object, &key, &value, &error);
    MPI_Type_get_attr(type, key, &found, &flag);
    mpi_type_get_attr_(&object, &key, &got, &flag, &error);
    printf("type: %d %d,", *found == value, got == value);
    MPI_Type_free(&type);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    object = MPI_Win_c2f(window);
    mpi_win_create_keyval_(copying, deleting, &key, &one, &error);
    mpi_win_set_attr_(&object, &key, &value, &error);
    MPI_Win_get_attr(window, key, &found, &flag);
    mpi_win_get_attr_(&object, &key, &got, &flag, &error);
    printf(" window: %d %d\n", *found == value, got == value);
    MPI_Win_free(&window);
}

/* -- functions of the program that make calls -- */

static int queried, freed, handled;

static int calls_in_query(void *extra, MPI_Status *status)
{
    int in = 5, out = 0, flag = 0;
    MPI_Request own;
    MPI_Irecv(&out, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &own);
    MPI_Test(&own, &flag, MPI_STATUS_IGNORE);
    MPI_Send(&in, 1, MPI_INT, 0, 9, MPI_COMM_SELF);
    MPI_Wait(&own, MPI_STATUS_IGNORE);
    queried += out;
    MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = 0;
    return MPI_SUCCESS;
}

static int calls_in_free(void *extra)
{
    double t = MPI_Wtime();
    (void)extra;
    MPI_Send(&t, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    return ++freed, MPI_SUCCESS;
}

static int calls_in_cancel(void *extra, int complete)
{
    (void)extra;
    MPI_Barrier(MPI_COMM_SELF);
    return complete ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void calls_in_handler(MPI_Comm *comm, int *code, ...)
{
    int sum = 0, one = 1;
    if (*code == MPI_ERR_RANK) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    handled += sum;
    if (handled == 2) MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN); /* frees the one that runs */
}

static void clock_and_add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(*type, &low, &extent);
    for (int i = 0; i < *count; ++i) ((int *)inout)[i] += ((int *)in)[i] + (MPI_Wtime() < 0) + (extent != sizeof(int));
}

static void calls(void)
{
    int count = 3, found = 0, flag = 0, value = rank, sum = 0, code;
    MPI_Request r[3];
    MPI_Status status[3];
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Op op;
    for (int i = 0; i < 3; ++i) MPI_Grequest_start(calls_in_query, calls_in_free, calls_in_cancel, &count, &r[i]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(calls_in_handler, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    for (int i = 0; i < 3; ++i) MPI_Send(&value, 1, MPI_INT, size, 0, comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Cancel(&r[0]);
    for (int i = 0; i < 2; ++i) MPI_Grequest_complete(r[i]);
    MPI_Request_get_status(r[0], &flag, &status[0]);
    MPI_Waitall(2, r, status);
    MPI_Get_count(&status[1], MPI_INT, &found);
    MPI_Grequest_complete(r[2]);
    MPI_Request_free(&r[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Op_create(clock_and_add, 1, &op);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Iallreduce(&sum, &value, 1, MPI_INT, op, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
    if (rank == 0)
        printf("cancel %d, flag %d, count %d, queried %d, freed %d, handled %d, sum %d %d\n", code != MPI_SUCCESS, flag,
               found, queried, freed, handled, sum, value);
}

/* -- cancelled sends -- */

static char large[300000];

static void cancel_say(const char *what, MPI_Status *status)
{
    int cancelled = -1;
    MPI_Test_cancelled(status, &cancelled);
    printf("%s %d\n", what, cancelled);
}

/* Of one rank, to itself: nobody receives any of them. */
static void cancel(void)
{
    const MPI_Comm self = MPI_COMM_SELF;
    MPI_Request r, list[3];
    MPI_Status status, statuses[3];
    int index, flag = 0, value = 1, indices[3];
    static char space[1000];
    void *place;
    MPI_Issend(&value, 1, MPI_INT, 0, 1, self, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    cancel_say("Issend", &status);
    MPI_Isend(large, sizeof large, MPI_CHAR, 0, 1, self, &r);
    MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    MPI_Cancel(&r);
    for (flag = 0; !flag;) MPI_Test(&r, &flag, &status);
    cancel_say("Isend, Test", &status);
    for (int i = 0; i < 3; ++i) {
        MPI_Issend(&value, 1, MPI_INT, 0, i, self, &list[i]);
        MPI_Cancel(&list[i]);
    }
    MPI_Waitall(3, list, statuses);
    cancel_say("Waitall", &statuses[2]);
    for (int i = 0; i < 3; ++i) MPI_Issend(large, sizeof large, MPI_CHAR, 0, i, self, &list[i]);
    MPI_Cancel(&list[1]);
    MPI_Waitany(3, list, &index, &status);
    cancel_say(index == 1 ? "Waitany 1" : "Waitany", &status);
    MPI_Cancel(&list[0]);
    MPI_Request_get_status(list[0], &flag, &status);
    cancel_say(flag ? "Request_get_status" : "not complete", &status);
    MPI_Cancel(&list[2]);
    MPI_Waitsome(3, list, &index, indices, statuses);
    cancel_say(index == 2 ? "Waitsome 2" : "Waitsome", &statuses[1]);
    MPI_Ssend_init(&value, 1, MPI_INT, 0, 1, self, &r);
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&r);
        MPI_Cancel(&r);
        MPI_Wait(&r, &status);
        cancel_say("Ssend_init", &status);
    }
    MPI_Start(&r);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, self, MPI_STATUS_IGNORE);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    cancel_say("received before", &status);
    MPI_Start(&r);
    MPI_Cancel(&r);
    MPI_Request_free(&r);
    MPI_Issend(&value, 1, MPI_INT, 0, 1, self, &r);
    MPI_Cancel(&r);
    MPI_Request_free(&r);
    MPI_Buffer_attach(space, sizeof space);
    MPI_Ibsend(&value, 1, MPI_INT, 0, 5, self, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    MPI_Test_cancelled(&status, &flag);
    if (!flag) MPI_Recv(&value, 1, MPI_INT, 0, 5, self, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&place, &index);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self, &flag, MPI_STATUS_IGNORE);
    printf("left %d\n", flag);
}

/* Between two ranks: each message is cancelled or received, whatever the other one does. */
static void cancel_between(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    int flag, cancelled[4] = { 0 }, got[4] = { 0 }, told[4];
    MPI_Request r;
    MPI_Status status;
    for (int k = 0; k < 4; ++k) { /* in transit; arrived; matched; of a persistent request */
        if (rank == 0) {
            if (k == 3)
                MPI_Send_init(large, sizeof large, MPI_CHAR, 1, k, world, &r), MPI_Start(&r);
            else
                MPI_Issend(large, k == 0 ? sizeof large : 1, MPI_CHAR, 1, k, world, &r);
            if (k > 0) MPI_Barrier(world);
            MPI_Cancel(&r);
            MPI_Wait(&r, &status);
            MPI_Test_cancelled(&status, &cancelled[k]);
            if (k == 3) MPI_Request_free(&r);
            if (k == 0) MPI_Barrier(world);
            MPI_Barrier(world);
        } else if (rank == 1) {
            if (k == 2) MPI_Irecv(large, sizeof large, MPI_CHAR, 0, k, world, &r);
            MPI_Barrier(world);
            MPI_Barrier(world);
            if (k == 2) MPI_Wait(&r, MPI_STATUS_IGNORE), got[k] = 1;
            MPI_Iprobe(0, k, world, &flag, MPI_STATUS_IGNORE);
            if (flag) MPI_Recv(large, sizeof large, MPI_CHAR, 0, k, world, MPI_STATUS_IGNORE), got[k] = 1;
        } else {
            MPI_Barrier(world);
            MPI_Barrier(world);
        }
    }
    if (rank == 1) MPI_Send(got, 4, MPI_INT, 0, 99, world);
    if (rank > 0) return;
    MPI_Recv(told, 4, MPI_INT, 1, 99, world, MPI_STATUS_IGNORE);
    for (int k = 0; k < 4; ++k) printf("cancelled %d, received %d\n", cancelled[k], told[k]);
}

/* -- small things -- */

static void gaps(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    char one = 2, sum = 0, name[MPI_MAX_OBJECT_NAME] = "", padded[MPI_MAX_OBJECT_NAME];
    int length, dims = -1, zero = -1, places = 0, code, in[2] = { 1, 2 }, out[2] = { 0, 0 };
    long before = 0, now = 9, old = -1, memory = 0;
    float real = 0, real_now = 1, real_old = 7;
    MPI_Comm grid;
    MPI_Datatype both, both_fortran;
    MPI_Win w;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    code = MPI_Allreduce(&one, &sum, 1, MPI_CHAR, MPI_SUM, MPI_COMM_SELF);
    printf("sum %d %d", code, sum);
    code = MPI_Allreduce(&one, &sum, 1, MPI_CHAR, MPI_MAX, MPI_COMM_SELF);
    printf(" %d %d", code, sum);
    code = MPI_Allreduce(&one, &sum, 1, MPI_CHAR, MPI_BOR, MPI_COMM_SELF);
    printf(" %d %d\n", code, sum);
    MPI_Cart_create(world, 0, NULL, NULL, 0, &grid);
    if (grid != MPI_COMM_NULL) {
        MPI_Cartdim_get(grid, &dims);
        code = MPI_Cart_get(grid, 0, NULL, NULL, NULL);
        printf("grid of %d dimensions: %d", dims, code);
        code = MPI_Cart_coords(grid, 0, 0, NULL);
        printf(" %d", code);
        code = MPI_Cart_rank(grid, NULL, &zero);
        printf(" %d %d\n", code, zero);
        MPI_Comm_free(&grid);
    }
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &w);
    MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
    code = MPI_Compare_and_swap(&real_now, &real, &real_old, MPI_FLOAT, 0, 0, w);
    printf("swap %d", code == MPI_ERR_TYPE);
    code = MPI_Compare_and_swap(&now, &before, &old, MPI_LONG, 0, 0, w);
    MPI_Win_flush(0, w);
    printf(" %d %ld %ld", code, old, memory);
    code = MPI_Compare_and_swap(&one, &sum, name, MPI_BYTE, 0, 0, w);
    printf(" %d", code);
    code = MPI_Compare_and_swap(in, in + 1, out, MPI_LOGICAL, 0, 0, w);
    printf(" %d\n", code);
    MPI_Win_unlock(0, w);
    MPI_Win_free(&w);
    MPI_Type_get_name(MPI_C_COMPLEX, name, &length);
    printf("%s", name);
    for (fint t = 10; t <= 65; ++t) {
        fint error;
        mpi_type_get_name_(&t, padded, &length, &error, sizeof padded);
        if (t <= 13 || t >= 56) printf(" %.*s", length, padded);
        places += length;
    }
    printf("\n");
    MPI_Type_create_struct(2, (const int[]){ 1, 1 }, (const MPI_Aint[]){ 0, 4 },
                           (const MPI_Datatype[]){ MPI_INT, MPI_INTEGER }, &both);
    MPI_Type_create_struct(2, (const int[]){ 1, 1 }, (const MPI_Aint[]){ 0, 4 },
                           (const MPI_Datatype[]){ MPI_REAL, MPI_FLOAT }, &both_fortran);
    MPI_Type_commit(&both);
    MPI_Type_commit(&both_fortran);
    MPI_Sendrecv(in, 1, both, 0, 0, out, 2, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    printf("%d %d", out[0], out[1]);
    MPI_Sendrecv(in, 2, MPI_FLOAT, 0, 0, out, 1, both_fortran, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Sendrecv(in, 1, both_fortran, 0, 0, out, 2, MPI_REAL4, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    printf(" %d %d\n", out[0], out[1]);
    MPI_Type_free(&both);
    MPI_Type_free(&both_fortran);
}

/* The functions of a generalized request of Fortran have its extra state by reference. */
static void fortran_query(MPI_Aint *extra, fint *status, fint *error)
{
    (void)status;
    *extra += 10;
    *error = 0;
}

static void fortran_free(MPI_Aint *extra, fint *error)
{
    *extra -= 1;
    *error = 0;
}

static void fortran_cancel(MPI_Aint *extra, fint *complete, fint *error)
{
    (void)extra, (void)complete;
    *error = 0;
}

static void extra(void)
{
    MPI_Aint state = 10;
    fint request, error, status[sizeof(MPI_Status) / sizeof(fint)];
    mpi_grequest_start_((function *)fortran_query, (function *)fortran_free, (function *)fortran_cancel, &state,
                        &request, &error);
    state += 100;
    mpi_grequest_complete_(&request, &error);
    mpi_wait_(&request, status, &error);
    printf("extra state %ld\n", (long)state);
}

/* An all-to-all of 100 kB, to which rank 0 comes late. */
static void late(double seconds)
{
    const size_t bytes = 100000;
    char *sent = calloc((size_t)size, bytes), *received = calloc((size_t)size, bytes);
    if (rank == 0) skeleton_compute(seconds);
    MPI_Alltoall(sent, (int)bytes, MPI_CHAR, received, (int)bytes, MPI_CHAR, MPI_COMM_WORLD);
    free(sent);
    free(received);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*run)(void);
    } words[] = { { "oneway", oneway },       { "attributes", attributes },
                  { "languages", languages }, { "calls", calls },
                  { "cancel", cancel },       { "cancel_between", cancel_between },
                  { "gaps", gaps },           { "extra", extra } };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof words / sizeof *words; ++i)
        if (strcmp(argv[1], words[i].word) == 0) words[i].run();
    if (argc > 2) late(atof(argv[2]));
    return MPI_Finalize();
}
