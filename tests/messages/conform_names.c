/* conform_names.c - types, constants and calls of MPI 3.1 that a program may name without using them. */
#include "conform.h"

static void expect_distinct(const char *what, const int *values, int count)
{
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < i; ++k) expect(values[i] != values[k], "%s %d and %d are equal", what, k, i);
}

/* As bits of a mode, each is a power of two. */
static void expect_bits(const char *what, const int *values, int count)
{
    expect_distinct(what, values, count);
    for (int i = 0; i < count; ++i)
        expect(values[i] > 0 && (values[i] & (values[i] - 1)) == 0, "%s %d is not a bit", what, i);
}

static void names_of_error_classes(void)
{
    static const int classes[] = { MPI_SUCCESS,
                                   MPI_ERR_ACCESS,
                                   MPI_ERR_AMODE,
                                   MPI_ERR_ARG,
                                   MPI_ERR_ASSERT,
                                   MPI_ERR_BAD_FILE,
                                   MPI_ERR_BASE,
                                   MPI_ERR_BUFFER,
                                   MPI_ERR_COMM,
                                   MPI_ERR_CONVERSION,
                                   MPI_ERR_COUNT,
                                   MPI_ERR_DIMS,
                                   MPI_ERR_DISP,
                                   MPI_ERR_DUP_DATAREP,
                                   MPI_ERR_FILE,
                                   MPI_ERR_FILE_EXISTS,
                                   MPI_ERR_FILE_IN_USE,
                                   MPI_ERR_GROUP,
                                   MPI_ERR_INFO,
                                   MPI_ERR_INFO_KEY,
                                   MPI_ERR_INFO_NOKEY,
                                   MPI_ERR_INFO_VALUE,
                                   MPI_ERR_INTERN,
                                   MPI_ERR_IN_STATUS,
                                   MPI_ERR_IO,
                                   MPI_ERR_KEYVAL,
                                   MPI_ERR_LOCKTYPE,
                                   MPI_ERR_NAME,
                                   MPI_ERR_NOT_SAME,
                                   MPI_ERR_NO_MEM,
                                   MPI_ERR_NO_SPACE,
                                   MPI_ERR_NO_SUCH_FILE,
                                   MPI_ERR_OP,
                                   MPI_ERR_OTHER,
                                   MPI_ERR_PENDING,
                                   MPI_ERR_PORT,
                                   MPI_ERR_QUOTA,
                                   MPI_ERR_RANK,
                                   MPI_ERR_READ_ONLY,
                                   MPI_ERR_REQUEST,
                                   MPI_ERR_RMA_ATTACH,
                                   MPI_ERR_RMA_CONFLICT,
                                   MPI_ERR_RMA_FLAVOR,
                                   MPI_ERR_RMA_RANGE,
                                   MPI_ERR_RMA_SHARED,
                                   MPI_ERR_RMA_SYNC,
                                   MPI_ERR_ROOT,
                                   MPI_ERR_SERVICE,
                                   MPI_ERR_SIZE,
                                   MPI_ERR_SPAWN,
                                   MPI_ERR_TAG,
                                   MPI_ERR_TOPOLOGY,
                                   MPI_ERR_TRUNCATE,
                                   MPI_ERR_TYPE,
                                   MPI_ERR_UNKNOWN,
                                   MPI_ERR_UNSUPPORTED_DATAREP,
                                   MPI_ERR_UNSUPPORTED_OPERATION,
                                   MPI_ERR_WIN };

    expect_distinct("class", classes, COUNT_OF(classes));
    for (int i = 0; i < COUNT_OF(classes); ++i) {
        char text[MPI_MAX_ERROR_STRING + 1];
        int class = -1, length = 0;
        MPI_Error_class(classes[i], &class);
        MPI_Error_string(classes[i], text, &length);
        expect(class == classes[i] && classes[i] <= MPI_ERR_LASTCODE && length > 0, "class %d", i);
    }
    say("%d classes", COUNT_OF(classes));
}

static void names_of_windows(void)
{
    static const int keys[] = { MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL };
    static const int flavors[] = { MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC,
                                   MPI_WIN_FLAVOR_SHARED };
    static const int modes[] = { MPI_MODE_NOCHECK, MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE,
                                 MPI_MODE_NOSUCCEED };
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_errhandler_function *handler = NULL;
    MPI_Win_copy_attr_function *copy = MPI_WIN_DUP_FN;
    MPI_Win_delete_attr_function *release = MPI_WIN_NULL_DELETE_FN;
    MPI_Aint place = 0;

    expect_distinct("key", keys, COUNT_OF(keys));
    expect_distinct("flavor", flavors, COUNT_OF(flavors));
    expect_bits("mode", modes, COUNT_OF(modes));
    expect(MPI_LOCK_EXCLUSIVE != MPI_LOCK_SHARED && MPI_WIN_UNIFIED != MPI_WIN_SEPARATE, "equal");
    /* these are not evaluated, only compiled */
    say("%d", sizeof MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == sizeof(int));
    say("%d", sizeof MPI_Win_allocate_shared(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &place, &win) == sizeof(int));
    say("%d", sizeof MPI_Win_create_errhandler(handler, NULL) == sizeof(int));
    say("%d", sizeof MPI_Win_create_keyval(copy, release, NULL, NULL) == sizeof(int));
    say("%d", sizeof MPI_Accumulate(NULL, 0, MPI_INT, 0, place, 0, MPI_INT, MPI_REPLACE, win) == sizeof(int));
    say("%d", sizeof MPI_Fetch_and_op(NULL, NULL, MPI_INT, 0, place, MPI_NO_OP, win) == sizeof(int));
    say("%d", sizeof MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win) == sizeof(int));
    say("%d", win == MPI_WIN_NULL);
}

static void names_of_files(void)
{
    static const int modes[] = { MPI_MODE_APPEND,     MPI_MODE_CREATE,      MPI_MODE_DELETE_ON_CLOSE,
                                 MPI_MODE_EXCL,       MPI_MODE_RDONLY,      MPI_MODE_RDWR,
                                 MPI_MODE_SEQUENTIAL, MPI_MODE_UNIQUE_OPEN, MPI_MODE_WRONLY };
    static const int seeks[] = { MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END };
    MPI_File file = MPI_FILE_NULL;
    MPI_File_errhandler_function *handler = NULL;
    MPI_Datarep_extent_function *extent = NULL;
    MPI_Offset place = MPI_DISPLACEMENT_CURRENT;
    MPI_Status status;
    char name[MPI_MAX_DATAREP_STRING];

    expect_bits("mode", modes, COUNT_OF(modes));
    expect_distinct("seek", seeks, COUNT_OF(seeks));
    say("%d", sizeof MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == sizeof(int));
    say("%d", sizeof MPI_File_write_at_all(file, place, name, 1, MPI_CHAR, &status) == sizeof(int));
    say("%d", sizeof MPI_File_create_errhandler(handler, NULL) == sizeof(int));
    say("%d",
        sizeof MPI_Register_datarep(name, MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent, NULL) == sizeof(int));
    say("%d", file == MPI_FILE_NULL);
}

static void names_of_graphs_and_messages(void)
{
    static const int topologies[] = { MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH, MPI_UNDEFINED };
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int *weights = MPI_UNWEIGHTED;

    expect_distinct("topology", topologies, COUNT_OF(topologies));
    say("%d", weights != NULL && weights != MPI_WEIGHTS_EMPTY && MPI_WEIGHTS_EMPTY != NULL);
    say("%d", message == MPI_MESSAGE_NULL && MPI_MESSAGE_NO_PROC != MPI_MESSAGE_NULL);
    say("%d", sizeof MPI_Dist_graph_neighbors(MPI_COMM_WORLD, 0, NULL, weights, 0, NULL, weights) == sizeof(int));
    say("%d", sizeof MPI_Ibarrier(MPI_COMM_WORLD, &request) == sizeof(int));
    say("%d", sizeof MPI_Neighbor_alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD) == sizeof(int));
    say("%d", MPI_COMM_TYPE_SHARED != MPI_UNDEFINED && sizeof(MPI_Count) >= sizeof(MPI_Aint));
}

static void say_type(MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME + 1];
    int size = -1, length = 0;
    MPI_Aint lb = -1, extent = -1;

    MPI_Type_get_name(type, name, &length);
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    say("%s %d", name, size);
    expect(lb == 0 && extent == size, "lb %d extent %d", (int)lb, (int)extent);
}

static void sized_types(void)
{
    const MPI_Datatype types[] = { MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8,
                                   MPI_REAL4,    MPI_REAL8,    MPI_COMPLEX8, MPI_COMPLEX16,
                                   MPI_LOGICAL1, MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8,
                                   MPI_COUNT,    MPI_2INTEGER, MPI_2REAL,    MPI_2DOUBLE_PRECISION };

    for (int i = 0; i < COUNT_OF(types); ++i) say_type(types[i]);
}

static void reductions_of_sized_types(void)
{
    signed char bytes[2] = { (signed char)me, 1 }, most[2] = { 0, 0 };
    long long longs[2] = { me + 10000000000LL, 1 }, sums[2] = { 0, 0 };
    double reals[2] = { me + 0.5, 1 }, least[2] = { 0, 0 }, products[2] = { 0, 0 };
    float pair[2] = { (float)(np - me), (float)me }, first[2] = { 0, 0 };
    int flags[2] = { me == 0, 1 }, all[2] = { -1, -1 };
    MPI_Count counts[2] = { me, 1 }, any[2] = { -1, -1 };

    MPI_Allreduce(bytes, most, 2, MPI_INTEGER1, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(longs, sums, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(reals, least, 2, MPI_REAL8, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(reals, products, 1, MPI_COMPLEX16, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(pair, first, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD);
    MPI_Allreduce(flags, all, 2, MPI_LOGICAL4, MPI_LAND, MPI_COMM_WORLD);
    MPI_Allreduce(counts, any, 2, MPI_COUNT, MPI_BOR, MPI_COMM_WORLD);
    say("%d %d, %lld %lld, %g %g, %g+%gi, %g %g", most[0], most[1], sums[0], sums[1], least[0], least[1], products[0],
        products[1], (double)first[0], (double)first[1]);
    say("%d %d, %lld %lld", all[0] != 0, all[1] != 0, (long long)any[0], (long long)any[1]);
}

/* Which operations the sized types have. */
static void operations_of_sized_types(void)
{
    const MPI_Datatype types[] = { MPI_INTEGER4, MPI_REAL4, MPI_COMPLEX8, MPI_LOGICAL4, MPI_COUNT, MPI_2REAL };
    const MPI_Op ops[] = { MPI_MAX, MPI_SUM, MPI_LAND, MPI_BAND, MPI_MINLOC };
    double from[2] = { 0, 0 }, to[2] = { 0, 0 };

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int t = 0; t < COUNT_OF(types); ++t) {
        char known[COUNT_OF(ops) + 1] = "";
        for (int o = 0; o < COUNT_OF(ops); ++o)
            known[o] = MPI_Allreduce(from, to, 1, types[t], ops[o], MPI_COMM_SELF) == MPI_SUCCESS ? '+' : '-';
        say("%s", known);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

const conform_case conform_names[] = {
    CASE(names_of_error_classes, 1),
    CASE(names_of_windows, 1),
    CASE(names_of_files, 1),
    CASE(names_of_graphs_and_messages, 1),
    CASE(sized_types, 1),
    CASE(reductions_of_sized_types, 1),
    CASE(operations_of_sized_types, 1),
    NO_MORE_CASES,
};
