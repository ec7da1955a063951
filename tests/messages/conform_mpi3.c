/* conform_mpi3.c - calls that came with MPI 3, and those of MPI 2 for Fortran's types and other machines. */
#include "conform.h"

/*=============================================================================
 * MARK: - >>types
 *===========================================================================*/
static void hindexed_block(void)
{
    const MPI_Aint places[] = { 4 * sizeof(int), 0, 9 * sizeof(int) };
    int from[12], to[12], integers = -1, addresses = -1, types = -1, combiner = -1, integer[2];
    MPI_Aint lb = -1, extent = -1, address[3];
    MPI_Datatype type, old;

    fill(from, 12, 1);
    for (int i = 0; i < 12; ++i) to[i] = -1;
    MPI_Type_create_hindexed_block(3, 2, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_get_extent(type, &lb, &extent);
    say("lb %d extent %d", (int)lb, (int)extent);
    MPI_Sendrecv(from, 1, type, me, 0, to, 6, MPI_INT, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say_ints("got", to, 6);
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    say("%d %d %d %d", integers, addresses, types, combiner == MPI_COMBINER_HINDEXED_BLOCK);
    MPI_Type_get_contents(type, 2, 3, 1, integer, address, &old);
    say_ints("contents", integer, 2);
    say("%d %d", memcmp(address, places, sizeof places) == 0, old == MPI_INT);
    MPI_Type_free(&type);
}

/* Beyond what an int counts. */
static void large_sizes(void)
{
    int size = 0;
    MPI_Count bytes = -1, lb = -1, extent = -1, true_lb = -1, true_extent = -1;
    MPI_Datatype row, type;

    MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &row);
    MPI_Type_create_resized(row, 16, (MPI_Aint)1 << 36, &type);
    MPI_Type_size_x(type, &bytes);
    MPI_Type_get_extent_x(type, &lb, &extent);
    MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    say("%lld lb %lld extent %lld true %lld %lld", (long long)bytes, (long long)lb, (long long)extent,
        (long long)true_lb, (long long)true_extent);
    MPI_Type_size(type, &size);
    say_count("size", size);
    MPI_Type_free(&type);
    MPI_Type_free(&row);
}

static void elements_x(void)
{
    int from[7], to[9];
    MPI_Count count = -1;
    MPI_Datatype type;
    MPI_Status status;

    fill(from, 7, 1);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(from, 7, MPI_INT, me, 0, to, 3, type, me, 0, MPI_COMM_WORLD, &status);
    MPI_Get_elements_x(&status, type, &count);
    say("elements %lld", (long long)count);
    MPI_Status_set_elements_x(&status, MPI_INT, (MPI_Count)5 << 30);
    MPI_Get_elements_x(&status, MPI_INT, &count);
    say("set %lld", (long long)count);
    MPI_Get_elements_x(&status, MPI_DOUBLE, &count);
    say("as double %lld", (long long)count);
    MPI_Type_free(&type);
}

static void say_match(const char *what, int class, int size)
{
    int bytes = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;

    say_class(what, MPI_Type_match_size(class, size, &type));
    if (type == MPI_DATATYPE_NULL) return;
    MPI_Type_size(type, &bytes);
    say("%d", bytes);
}

static void match_size(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int size = 1; size <= 8; size *= 2) say_match("integer", MPI_TYPECLASS_INTEGER, size);
    say_match("real", MPI_TYPECLASS_REAL, 4);
    say_match("real", MPI_TYPECLASS_REAL, 8);
    say_match("complex", MPI_TYPECLASS_COMPLEX, 8);
    say_match("complex", MPI_TYPECLASS_COMPLEX, 16);
    say_match("integer of 3", MPI_TYPECLASS_INTEGER, 3);
    say_match("no class", -1, 4);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void say_precision(const char *what, MPI_Datatype type)
{
    int size = -1, integers = -1, addresses = -1, types = -1, combiner = -1, integer[2] = { 0, 0 };

    MPI_Type_size(type, &size);
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    MPI_Type_get_contents(type, integers, addresses, types, integer, NULL, NULL);
    say("%s %d, %s", what, size,
        combiner == MPI_COMBINER_F90_INTEGER   ? "integer"
        : combiner == MPI_COMBINER_F90_REAL    ? "real"
        : combiner == MPI_COMBINER_F90_COMPLEX ? "complex"
                                               : "another");
    for (int i = 0; i < integers; ++i) say_count("", integer[i]);
}

static void types_of_precision(void)
{
    double mine = me + 0.25, most = -1;
    MPI_Datatype type, again;

    MPI_Type_create_f90_integer(2, &type);
    say_precision("2:", type);
    MPI_Type_create_f90_integer(9, &type);
    say_precision("9:", type);
    MPI_Type_create_f90_integer(15, &type);
    say_precision("15:", type);
    MPI_Type_create_f90_real(6, 30, &type);
    say_precision("6, 30:", type);
    MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &type);
    say_precision("6:", type);
    MPI_Type_create_f90_real(MPI_UNDEFINED, 100, &type);
    say_precision("range 100:", type);
    MPI_Type_create_f90_real(15, 307, &type);
    say_precision("15, 307:", type);
    MPI_Type_create_f90_real(15, 307, &again);
    MPI_Allreduce(&mine, &most, 1, type, MPI_MAX, MPI_COMM_WORLD);
    say("same %d most %g", again == type, most);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    say_class("too large", MPI_Type_create_f90_integer(100, &type));
    say_class("too precise", MPI_Type_create_f90_real(100, 3, &type));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void address_arithmetic(void)
{
    char cells[40] = "";
    MPI_Aint first, last;

    MPI_Get_address(cells, &first);
    MPI_Get_address(cells + 39, &last);
    say("%d %d", (int)MPI_Aint_diff(last, first), MPI_Aint_add(first, 39) == last);
}

/*=============================================================================
 * MARK: - >>packing for other machines
 *===========================================================================*/
static char external32[] = "external32";

static void say_external(const char *what, void *data, int count, MPI_Datatype type)
{
    unsigned char packed[64];
    char text[2 * sizeof packed + 1] = "";
    MPI_Aint size = -1, position = 0;

    MPI_Pack_external_size(external32, count, type, &size);
    MPI_Pack_external(external32, data, count, type, packed, sizeof packed, &position);
    expect(position == size, "position %d of %d", (int)position, (int)size);
    for (int i = 0; i < position; ++i) sprintf(text + 2 * (size_t)i, "%02x", packed[i]);
    say("%s %s", what, text);
}

static void external_numbers(void)
{
    signed char byte = -2;
    short shorts[2] = { 258, -2 };
    int ints[2] = { 0x01020304, -2 };
    long long large = -0x0102030405060708LL;
    float real = -1.5F;
    double reals[2] = { 3.25, -0.1 };
    MPI_Aint place = 0x0102030405LL;

    say_external("char", &byte, 1, MPI_SIGNED_CHAR);
    say_external("short", shorts, 2, MPI_SHORT);
    say_external("int", ints, 2, MPI_INT);
    say_external("int64", &large, 1, MPI_INT64_T);
    say_external("long long", &large, 1, MPI_LONG_LONG_INT);
    say_external("float", &real, 1, MPI_FLOAT);
    say_external("double", reals, 2, MPI_DOUBLE);
    say_external("complex", reals, 1, MPI_C_DOUBLE_COMPLEX);
    say_external("aint", &place, 1, MPI_AINT);
    say_external("integer", ints, 1, MPI_INTEGER);
    say_external("real", &real, 1, MPI_REAL4);
}

/* A structure with gaps, packed after something else, and back. */
static void external_structures(void)
{
    struct cell {
        char c;
        int i;
        double d;
    } from[3], to[3];
    const int lengths[3] = { 1, 1, 1 };
    const MPI_Aint places[3] = { offsetof(struct cell, c), offsetof(struct cell, i), offsetof(struct cell, d) };
    const MPI_Datatype types[3] = { MPI_CHAR, MPI_INT, MPI_DOUBLE };
    char packed[200];
    int before = 77, got = -1;
    MPI_Aint size = -1, position = 0;
    MPI_Datatype type, every;

    memset(to, 0, sizeof to);
    for (int i = 0; i < 3; ++i) from[i] = (struct cell){ (char)('a' + i), -i, 1.5 * i };
    MPI_Type_create_struct(3, (int *)(size_t)lengths, (MPI_Aint *)(size_t)places, (MPI_Datatype *)(size_t)types, &type);
    MPI_Type_create_hvector(2, 1, 2 * sizeof(struct cell), type, &every);
    MPI_Type_commit(&every);
    MPI_Pack_external_size(external32, 1, every, &size);
    MPI_Pack_external(external32, &before, 1, MPI_INT, packed, sizeof packed, &position);
    MPI_Pack_external(external32, from, 1, every, packed, sizeof packed, &position);
    say("size %d position %d", (int)size, (int)position);
    position = 0;
    MPI_Unpack_external(external32, packed, sizeof packed, &position, &got, 1, MPI_INT);
    MPI_Unpack_external(external32, packed, sizeof packed, &position, to, 1, every);
    say("position %d got %d", (int)position, got);
    for (int i = 0; i < 3; ++i) say("%c %d %g", to[i].c ? to[i].c : '-', to[i].i, to[i].d);
    MPI_Type_free(&every);
    MPI_Type_free(&type);
}

/* Packed here, sent as bytes, unpacked there. */
static void external_message(void)
{
    float from[5], to[5] = { 0, 0, 0, 0, 0 };
    char packed[20];
    MPI_Aint position = 0;

    for (int i = 0; i < 5; ++i) from[i] = (float)(me + i) / 4;
    MPI_Pack_external(external32, from, 5, MPI_FLOAT, packed, sizeof packed, &position);
    MPI_Sendrecv_replace(packed, (int)position, MPI_BYTE, (me + 1) % np, 0, (me + np - 1) % np, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    position = 0;
    MPI_Unpack_external(external32, packed, sizeof packed, &position, to, 5, MPI_FLOAT);
    for (int i = 0; i < 5; ++i) expect(to[i] == (float)((me + np - 1) % np + i) / 4, "%d: %g", i, (double)to[i]);
}

/*=============================================================================
 * MARK: - >>communicators
 *===========================================================================*/
/* The sum of a value over a communicator, its size and rank. */
static void say_sum(MPI_Comm comm, int value)
{
    int sum = -1, size = -1, rank = -1;

    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    say("rank %d of %d sum %d", rank, size, sum);
}

/* Only the even ranks call, in reverse order; the others get a message meanwhile. */
static void create_group_of_some(void)
{
    int ranks[64], count = 0, got = -1;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group world, group;

    for (int i = (np - 1) / 2 * 2; i >= 0; i -= 2) ranks[count++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    if (me % 2 == 0) {
        if (me + 1 < np) MPI_Send(&me, 1, MPI_INT, me + 1, 0, MPI_COMM_WORLD);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
        say_sum(comm, me);
        MPI_Comm_free(&comm);
    } else {
        MPI_Recv(&got, 1, MPI_INT, me - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("got %d", got);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

/* Two halves at once with one tag, then all with another. */
static void create_groups(void)
{
    int range[1][3] = { { me < np / 2 ? 0 : np / 2, me < np / 2 ? np / 2 - 1 : np - 1, 1 } };
    int result = -1;
    MPI_Comm half, all;
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &half);
    MPI_Comm_create_group(MPI_COMM_WORLD, world, 2, &all);
    say_sum(half, 1 + me);
    MPI_Comm_compare(all, MPI_COMM_WORLD, &result);
    say("%s", compared(result));
    say_sum(all, 1);
    MPI_Comm_free(&all);
    MPI_Comm_free(&half);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

/* Ranks share memory if they have the same processor; the last rank does not take part. */
static void split_by_memory(void)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1], *names = (char *)room((size_t)np * sizeof name);
    int length = 0, mine = 0, size = -1, rank = -1, before = 0;
    MPI_Comm comm;

    memset(name, 0, sizeof name);
    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, (int)sizeof name, MPI_CHAR, names, (int)sizeof name, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i + 1 < np; ++i) {
        if (strcmp(names + (size_t)i * sizeof name, name) != 0) continue;
        ++mine;
        before += i > me; /* by the keys */
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, me + 1 < np ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, -me, MPI_INFO_NULL, &comm);
    if (comm == MPI_COMM_NULL) {
        say("null");
    } else {
        MPI_Comm_size(comm, &size);
        MPI_Comm_rank(comm, &rank);
        expect(size == mine && rank == before, "rank %d of %d, not %d of %d", rank, size, before, mine);
        MPI_Comm_free(&comm);
    }
    free(names);
}

static int duplicates;

static int count_duplicate(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    ++duplicates;
    return MPI_SUCCESS;
}

static void dup_later(void)
{
    int result = -1, key = -1, flag = 0;
    char cells[4] = "abc", *value = NULL;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Status status;

    duplicates = 0;
    MPI_Comm_create_keyval(count_duplicate, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, cells);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, &status);
    say("null %d", request == MPI_REQUEST_NULL);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    MPI_Comm_get_attr(comm, key, &value, &flag);
    say("%s copied %d %s", compared(result), duplicates, flag ? value : "nothing");
    say_sum(comm, me);
    MPI_Comm_free(&comm);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
}

/* The first rank calls it before the others can, and other calls follow before the wait. */
static void dup_later_than_a_message(void)
{
    int token = 7, sum = -1, flag = 0;
    MPI_Comm comm;
    MPI_Request request;

    if (me > 0) MPI_Recv(&token, 1, MPI_INT, me - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    if (me + 1 < np) MPI_Send(&token, 1, MPI_INT, me + 1, 3, MPI_COMM_WORLD);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    say("token %d sum %d", token, sum);
    say_sum(comm, 1);
    MPI_Comm_free(&comm);
}

/* Messages of several copies are not mixed up. */
static void dup_several_later(void)
{
    int values[3] = { 0, 1, 2 }, got[3] = { -1, -1, -1 }, next = (me + 1) % np, last = (me + np - 1) % np;
    MPI_Comm comm[3];
    MPI_Request request[3];

    for (int i = 0; i < 3; ++i) MPI_Comm_idup(i < 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, &comm[i], &request[i]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; ++i) MPI_Isend(&values[i], 1, MPI_INT, i < 2 ? next : 0, 0, comm[i], &request[i]);
    for (int i = 2; i >= 0; --i) MPI_Recv(&got[i], 1, MPI_INT, i < 2 ? last : 0, 0, comm[i], MPI_STATUS_IGNORE);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    say_ints("got", got, 3);
    for (int i = 0; i < 3; ++i) MPI_Comm_free(&comm[i]);
}

/* The request of a collective call cannot be freed; the call goes on. */
static void dup_later_not_freed(void)
{
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    say_class("free", MPI_Request_free(&request));
    say("null %d", request == MPI_REQUEST_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    say_sum(comm, 1);
    MPI_Comm_free(&comm);
}

static void dup_inter_later(void)
{
    int remote = -1, got = -1, result = -1;
    MPI_Comm half, inter, copy;
    MPI_Request request;

    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 9, &inter);
    MPI_Comm_idup(inter, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_compare(inter, copy, &result);
    MPI_Comm_remote_size(copy, &remote);
    MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_SUM, copy);
    say("%s remote %d sum %d", compared(result), remote, got);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void hints_of_communicators(void)
{
    int result = -1, count = -1;
    MPI_Comm comm, other;
    MPI_Info info, found;

    MPI_Info_create(&info);
    MPI_Info_set(info, (char *)(size_t) "simkit_unknown", (char *)(size_t) "yes");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    say("%s", compared(result));
    say_sum(comm, 2);
    MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &other);
    MPI_Comm_set_info(other, info);
    MPI_Info_free(&info);
    MPI_Comm_get_info(other, &found);
    MPI_Info_get_nkeys(found, &count);
    say("null %d", found == MPI_INFO_NULL);
    MPI_Info_set(found, (char *)(size_t) "a", (char *)(size_t) "b"); /* its own copy */
    MPI_Info_free(&found);
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
}

/*=============================================================================
 * MARK: - >>matched probes
 *===========================================================================*/
static void matched_probe(void)
{
    int values[3] = { 5, 6, 7 }, got[4] = { -1, -1, -1, -1 }, count = -1;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    if (me == 0) MPI_Isend(values, 3, MPI_INT, np - 1, 8, MPI_COMM_WORLD, &request);
    if (me == np - 1) {
        MPI_Mprobe(0, 8, MPI_COMM_WORLD, &message, &status);
        say_status(&status, MPI_INT);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Mrecv(got, count, MPI_INT, &message, &status);
        say_ints("got", got, 4);
        say_status(&status, MPI_INT);
        say("null %d", message == MPI_MESSAGE_NULL);
    }
    if (me == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A receive does not get the message that a probe has matched, but the next one. */
static void matched_is_out_of_reach(void)
{
    int values[3] = { 1, 2, 3 }, first = -1, second = -1, third = -1;
    MPI_Message message;
    MPI_Request request, sends[3];

    for (int i = 0; i < 3 && me == 0; ++i) MPI_Isend(&values[i], 1, MPI_INT, np - 1, 4, MPI_COMM_WORLD, &sends[i]);
    if (me == np - 1) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Imrecv(&first, 1, MPI_INT, &message, &request);
        MPI_Recv(&third, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        say("first %d second %d third %d null %d", first, second, third, message == MPI_MESSAGE_NULL);
    }
    if (me == 0) MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
}

static void matched_probe_at_once(void)
{
    int got = -1, flag = -1, again = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status;

    MPI_Improbe(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &flag, &message, &status);
    say("flag %d null %d", flag, message == MPI_MESSAGE_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&me, 1, MPI_INT, (me + 1) % np, 11, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Improbe(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &again, &(MPI_Message){ NULL }, MPI_STATUS_IGNORE);
    say_status(&status, MPI_INT);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("got %d again %d", got, again);
}

/* Beyond any eager limit, and synchronous: the send ends when the message is received, not when it is matched. */
static void matched_large_message(void)
{
    enum { COUNT = 300000 };
    int *data = (int *)room(COUNT * sizeof *data), ready = 0, flag = -1;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    if (me == 0) {
        fill(data, COUNT, 3);
        MPI_Issend(data, COUNT, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Recv(&ready, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        say("complete %d", flag);
        MPI_Send(&ready, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
        if (!flag) MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (me == 1) {
        MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, &status);
        say_status(&status, MPI_INT);
        MPI_Send(&ready, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Recv(&ready, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Imrecv(data, COUNT, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        expect_filled(data, COUNT, 3);
        say_status(&status, MPI_INT);
    }
    free(data);
}

static void matched_too_long(void)
{
    int values[4] = { 1, 2, 3, 4 }, got[4] = { -1, -1, -1, -1 };
    MPI_Message message;
    MPI_Request request, sends[2];

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2 && me == 0; ++i) MPI_Isend(values, 4, MPI_INT, np - 1, 1, MPI_COMM_WORLD, &sends[i]);
    if (me == np - 1) {
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        say_class("mrecv", MPI_Mrecv(got, 2, MPI_INT, &message, MPI_STATUS_IGNORE));
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(got, 3, MPI_INT, &message, &request);
        say_class("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
        say_ints("got", got, 3);
    }
    if (me == 0) MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void matched_proc_null(void)
{
    int got = 42, flag = 0;
    MPI_Message message, other;
    MPI_Request request;
    MPI_Status status;

    MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status);
    say_status(&status, MPI_INT);
    say("%d", message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    say_status(&status, MPI_INT);
    say("%d", message == MPI_MESSAGE_NULL);
    MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &other, &status);
    say("flag %d %d", flag, other == MPI_MESSAGE_NO_PROC);
    MPI_Imrecv(&got, 1, MPI_INT, &other, &request);
    MPI_Wait(&request, &status);
    say_status(&status, MPI_INT);
    say("got %d", got);
    say("%d", MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NULL)) == MPI_MESSAGE_NULL);
    say("%d", MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
}

/*=============================================================================
 * MARK: - >>handles
 *===========================================================================*/
static void more_handles_of_fortran(void)
{
    MPI_Errhandler handler;
    MPI_Fint numbers[64];
    MPI_Info info;
    MPI_Status status, copy;

    say("%d", MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
    say("%d", MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRHANDLER_NULL)) == MPI_ERRHANDLER_NULL);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    say("%d", MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler)) == handler);
    MPI_Info_create(&info);
    say("%d", MPI_Info_f2c(MPI_Info_c2f(info)) == info);
    say("%d", MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL);
    MPI_Info_free(&info);
    MPI_Sendrecv(&np, 1, MPI_INT, me, 4, &(int){ 0 }, 1, MPI_INT, me, 4, MPI_COMM_WORLD, &status);
    MPI_Status_c2f(&status, numbers);
    say("%d tag %d", numbers[0] == me, (int)numbers[1]);
    memset(&copy, 0, sizeof copy);
    MPI_Status_f2c(numbers, &copy);
    expect(copy.MPI_SOURCE == me, "source");
    copy.MPI_SOURCE = 0;
    say_status(&copy, MPI_INT);
}

const conform_case conform_mpi3[] = {
    CASE(hindexed_block, 1),
    CASE(large_sizes, 1),
    CASE(elements_x, 1),
    CASE(match_size, 1),
    CASE(types_of_precision, 1),
    CASE(address_arithmetic, 1),
    CASE(external_numbers, 1),
    CASE(external_structures, 1),
    CASE(external_message, 1),
    CASE(create_group_of_some, 1),
    CASE(create_groups, 2),
    CASE(split_by_memory, 1),
    CASE(dup_later, 1),
    CASE(dup_later_than_a_message, 1),
    CASE(dup_several_later, 1),
    CASE(dup_later_not_freed, 1),
    CASE(dup_inter_later, 2),
    CASE(hints_of_communicators, 1),
    CASE(matched_probe, 1),
    CASE(matched_is_out_of_reach, 1),
    CASE(matched_probe_at_once, 1),
    CASE(matched_large_message, 2),
    CASE(matched_too_long, 1),
    CASE(matched_proc_null, 1),
    CASE(more_handles_of_fortran, 1),
    NO_MORE_CASES,
};
