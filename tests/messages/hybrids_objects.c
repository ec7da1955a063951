/* hybrids_objects.c - threads make and use types, operations, attributes, error handlers, groups, infos and names. */
#include "hybrids.h"

static void vector(int thread)
{
    int a[12], b[12] = { 0 };
    MPI_Datatype type;
    int size;

    for (int i = 0; i < 12; ++i) a[i] = 100 * me + i;
    MPI_Type_vector(3, 1, 2 + thread, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    MPI_Sendrecv(a, 1, type, peer, thread, b, 3, MPI_INT, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note(thread, "size %d: %d %d %d", size / (int)sizeof(int), b[0], b[1], b[2]);
    MPI_Type_free(&type);
}

static void types_of_threads(void)
{
    each(vector);
}

typedef struct item {
    char kind;
    double weight;
    int numbers[2];
} item;
static MPI_Datatype item_type;

static void use_item(int thread)
{
    item mine = { (char)('a' + me), 0.25 * thread, { me, thread } }, got = { 0 };

    MPI_Sendrecv(&mine, 1, item_type, peer, thread, &got, 1, item_type, peer, thread, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    note(thread, "%c %g %d %d", got.kind, got.weight, got.numbers[0], got.numbers[1]);
}

static void threads_share_a_type(void)
{
    const int lengths[3] = { 1, 1, 2 };
    const MPI_Aint places[3] = { offsetof(item, kind), offsetof(item, weight), offsetof(item, numbers) };
    const MPI_Datatype types[3] = { MPI_CHAR, MPI_DOUBLE, MPI_INT };
    MPI_Datatype packed;

    MPI_Type_create_struct(3, lengths, places, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(item), &item_type);
    MPI_Type_commit(&item_type);
    MPI_Type_free(&packed);
    each(use_item);
    MPI_Type_free(&item_type);
}

static void pack(int thread)
{
    char buffer[64];
    int place = 0, number = 7 * thread + me, got = -1;
    double real = 0.5 * thread, got_real = -1;

    MPI_Pack(&number, 1, MPI_INT, buffer, sizeof buffer, &place, MPI_COMM_WORLD);
    MPI_Pack(&real, 1, MPI_DOUBLE, buffer, sizeof buffer, &place, MPI_COMM_WORLD);
    MPI_Sendrecv_replace(buffer, place, MPI_PACKED, peer, thread, peer, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    place = 0;
    MPI_Unpack(buffer, sizeof buffer, &place, &got, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(buffer, sizeof buffer, &place, &got_real, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    note(thread, "%d %g", got, got_real);
}

static void threads_pack(void)
{
    each(pack);
}

/* Composition of i -> a * i + b modulo 1009, which does not commute. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const int *first = in;
    int *second = inout;

    (void)type;
    for (int i = 0; i < *length; ++i) {
        const int a = first[2 * i] * second[2 * i] % 1009;
        second[2 * i + 1] = (second[2 * i] * first[2 * i + 1] + second[2 * i + 1]) % 1009;
        second[2 * i] = a;
    }
}

static void reduce_by_own(int thread)
{
    int mine[2] = { 2 + me + thread, 5 + me }, all[2] = { -1, -1 };
    MPI_Op op;
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(compose, 0, &op);
    MPI_Allreduce(mine, all, 1, pair, op, own[thread]);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    note(thread, "%d %d", all[0], all[1]);
}

static void operations_of_threads(void)
{
    each(reduce_by_own);
}

static void reduce_here(int thread)
{
    const int in[3] = { 1, 5, 6 };
    int all[3] = { thread, thread, thread };
    const MPI_Op ops[THREADS] = { MPI_SUM, MPI_MAX, MPI_BXOR };

    MPI_Reduce_local(in, all, 3, MPI_INT, ops[thread]);
    note(thread, "%d %d %d", all[0], all[1], all[2]);
}

static void threads_reduce_local(void)
{
    each(reduce_here);
}

/*=============================================================================
 * MARK: - >>attributes
 *===========================================================================*/
static int copied, deleted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *to, int *flag)
{
    (void)comm, (void)key, (void)extra;
    pthread_mutex_lock(&mutex);
    ++copied;
    pthread_mutex_unlock(&mutex);
    *(void **)to = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int release(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    pthread_mutex_lock(&mutex);
    ++deleted;
    pthread_mutex_unlock(&mutex);
    return MPI_SUCCESS;
}

static void attach(int thread)
{
    static char base[100];
    int key, flag;
    char *value = NULL;
    MPI_Comm second;

    MPI_Comm_create_keyval(copy, release, &key, NULL);
    MPI_Comm_set_attr(own[thread], key, base + 10 * thread);
    MPI_Comm_dup(own[thread], &second);
    MPI_Comm_get_attr(second, key, &value, &flag);
    note(thread, "flag %d value %d", flag, flag ? (int)(value - base) : -1);
    MPI_Comm_free(&second);
    MPI_Comm_delete_attr(own[thread], key);
    MPI_Comm_get_attr(own[thread], key, &value, &flag);
    note(thread, "flag %d", flag);
    MPI_Comm_free_keyval(&key);
}

static void attributes_of_threads(void)
{
    copied = deleted = 0;
    each(attach);
    say("copied %d deleted %d", copied, deleted);
}

/* One key, made by main(), and one communicator: a thread sees what main() has set. */
static int shared_key;

static void look_up(int thread)
{
    int flag = 0, *value = NULL, *most = NULL;

    MPI_Comm_get_attr(MPI_COMM_WORLD, shared_key, &value, &flag);
    note(thread, "%d %d", flag, flag ? *value : -1);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);
    note(thread, "tags %d", flag && *most >= 32767);
}

static void threads_see_attributes(void)
{
    int value = 60 + me;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &shared_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, shared_key, &value);
    each(look_up);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, shared_key);
    MPI_Comm_free_keyval(&shared_key);
}

/*=============================================================================
 * MARK: - >>errors
 *===========================================================================*/
static void err(int thread)
{
    int value = 0, class[3] = { -1, -1, -1 }, code;
    const int mine[3] = { 1, 2, 3 };

    MPI_Comm_set_errhandler(own[thread], MPI_ERRORS_RETURN);
    code = MPI_Send(&value, 1, MPI_INT, np, 0, own[thread]);
    MPI_Error_class(code, &class[0]);
    code = MPI_Send(&value, 1, MPI_INT, peer, -7, own[thread]);
    MPI_Error_class(code, &class[1]);
    code = MPI_Sendrecv(mine, 3, MPI_INT, peer, 0, &value, 1, MPI_INT, peer, 0, own[thread], MPI_STATUS_IGNORE);
    MPI_Error_class(code, &class[2]);
    note(thread, "rank %d tag %d truncate %d", class[0] == MPI_ERR_RANK, class[1] == MPI_ERR_TAG,
         class[2] == MPI_ERR_TRUNCATE);
    MPI_Comm_set_errhandler(own[thread], MPI_ERRORS_ARE_FATAL);
}

static void errors_return_to_their_threads(void)
{
    each(err);
}

static __thread int handled;

static void handle(MPI_Comm *comm, int *code, ...)
{
    int class;

    (void)comm;
    MPI_Error_class(*code, &class);
    handled = 10 * handled + (class == MPI_ERR_RANK ? 1 : class == MPI_ERR_COUNT ? 2 : 9);
}

static void err_handled(int thread)
{
    int value = 0;
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(own[thread], handler);
    MPI_Errhandler_free(&handler);
    for (int i = 0; i <= thread; ++i) MPI_Send(&value, 1, MPI_INT, np + i, 0, own[thread]);
    MPI_Send(&value, -1, MPI_INT, peer, 0, own[thread]);
    note(thread, "handled %d", handled);
    MPI_Comm_set_errhandler(own[thread], MPI_ERRORS_ARE_FATAL);
}

static void handlers_run_in_their_threads(void)
{
    each(err_handled);
}

/*=============================================================================
 * MARK: - >>groups, infos, names
 *===========================================================================*/
static void groups(int thread)
{
    MPI_Group all, even, rest, both;
    int ranges[1][3] = { { 0, np - 1, 2 } }, sizes[3], result = -1, mine = -1;

    MPI_Comm_group(own[thread], &all);
    MPI_Group_range_incl(all, 1, ranges, &even);
    MPI_Group_difference(all, even, &rest);
    MPI_Group_union(rest, even, &both);
    MPI_Group_size(even, &sizes[0]);
    MPI_Group_size(rest, &sizes[1]);
    MPI_Group_compare(all, both, &result);
    MPI_Group_rank(both, &mine);
    note(thread, "%d %d %s %d", sizes[0], sizes[1], compared(result), mine);
    MPI_Group_free(&all);
    MPI_Group_free(&even);
    MPI_Group_free(&rest);
    MPI_Group_free(&both);
}

static void groups_of_threads(void)
{
    each(groups);
}

static void infos(int thread)
{
    MPI_Info info, copy_of;
    char key[16], value[16] = "";
    int flag = 0, keys = -1;

    MPI_Info_create(&info);
    for (int i = 0; i <= thread; ++i) {
        snprintf(key, sizeof key, "key%d", i);
        MPI_Info_set(info, key, i % 2 ? "odd" : "even");
    }
    MPI_Info_dup(info, &copy_of);
    MPI_Info_delete(info, "key0");
    MPI_Info_get(copy_of, key, sizeof value - 1, value, &flag);
    MPI_Info_get_nkeys(info, &keys);
    note(thread, "%d %s keys %d", flag, value, keys);
    MPI_Info_free(&info);
    MPI_Info_free(&copy_of);
}

static void infos_of_threads(void)
{
    each(infos);
}

static void names(int thread)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;

    snprintf(name, sizeof name, "comm of thread %d", thread);
    MPI_Comm_set_name(own[thread], name);
    memset(name, 'x', sizeof name);
    MPI_Comm_get_name(own[thread], name, &length);
    note(thread, "%s (%d)", name, length);
    MPI_Type_get_name(thread ? MPI_DOUBLE : MPI_INT, name, &length);
    note(thread, "%s", name);
}

static void names_by_threads(void)
{
    each(names);
}

const conform_case hybrids_objects[] = { CASE(types_of_threads, 2),
                                         CASE(threads_share_a_type, 2),
                                         CASE(threads_pack, 2),
                                         CASE(operations_of_threads, 2),
                                         CASE(threads_reduce_local, 2),
                                         CASE(attributes_of_threads, 2),
                                         CASE(threads_see_attributes, 2),
                                         CASE(errors_return_to_their_threads, 2),
                                         CASE(handlers_run_in_their_threads, 2),
                                         CASE(groups_of_threads, 2),
                                         CASE(infos_of_threads, 2),
                                         CASE(names_by_threads, 2),
                                         NO_MORE_CASES };
