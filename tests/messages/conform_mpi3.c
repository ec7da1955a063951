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

const conform_case conform_mpi3[] = {
    CASE(hindexed_block, 1),     CASE(large_sizes, 1),        CASE(elements_x, 1), CASE(match_size, 1),
    CASE(types_of_precision, 1), CASE(address_arithmetic, 1), NO_MORE_CASES,
};
