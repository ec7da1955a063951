/* mpi_file.c - the calls of MPI for files, in C and Fortran. Files are not modelled: each call says so once in a run, and
 * returns MPI_ERR_UNSUPPORTED_OPERATION. So programs link that could use files, but do not. */
#include "mpi_core.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* clang-format off */
#define AT MPI_File file, MPI_Offset offset
#define READ void *data, int count, MPI_Datatype type
#define WRITE const void *data, int count, MPI_Datatype type
/* Each call by its name, its number of parameters and these. Those of the second kind end with a handle, which becomes null. */
#define CALLS(of, with_handle) \
    of(set_size, 2, (AT)) of(preallocate, 2, (AT)) of(get_size, 2, (MPI_File file, MPI_Offset *bytes)) \
    of(get_amode, 2, (MPI_File file, int *mode)) of(set_info, 2, (MPI_File file, MPI_Info info)) \
    of(set_view, 6, (AT, MPI_Datatype element, MPI_Datatype type, const char *representation, MPI_Info info)) \
    of(get_view, 5, \
       (MPI_File file, MPI_Offset *offset, MPI_Datatype *element, MPI_Datatype *type, char *representation)) \
    of(read_at, 6, (AT, READ, MPI_Status *status)) of(read_at_all, 6, (AT, READ, MPI_Status *status)) \
    of(write_at, 6, (AT, WRITE, MPI_Status *status)) of(write_at_all, 6, (AT, WRITE, MPI_Status *status)) \
    of(read, 5, (MPI_File file, READ, MPI_Status *status)) of(read_all, 5, (MPI_File file, READ, MPI_Status *status)) \
    of(read_shared, 5, (MPI_File file, READ, MPI_Status *status)) \
    of(read_ordered, 5, (MPI_File file, READ, MPI_Status *status)) \
    of(write, 5, (MPI_File file, WRITE, MPI_Status *status)) \
    of(write_all, 5, (MPI_File file, WRITE, MPI_Status *status)) \
    of(write_shared, 5, (MPI_File file, WRITE, MPI_Status *status)) \
    of(write_ordered, 5, (MPI_File file, WRITE, MPI_Status *status)) \
    of(seek, 3, (AT, int whence)) of(seek_shared, 3, (AT, int whence)) \
    of(get_position, 2, (MPI_File file, MPI_Offset *offset)) \
    of(get_position_shared, 2, (MPI_File file, MPI_Offset *offset)) of(get_byte_offset, 3, (AT, MPI_Offset *place)) \
    of(read_at_all_begin, 5, (AT, READ)) of(read_all_begin, 4, (MPI_File file, READ)) \
    of(read_ordered_begin, 4, (MPI_File file, READ)) of(write_at_all_begin, 5, (AT, WRITE)) \
    of(write_all_begin, 4, (MPI_File file, WRITE)) of(write_ordered_begin, 4, (MPI_File file, WRITE)) \
    of(read_at_all_end, 3, (MPI_File file, void *data, MPI_Status *status)) \
    of(read_all_end, 3, (MPI_File file, void *data, MPI_Status *status)) \
    of(read_ordered_end, 3, (MPI_File file, void *data, MPI_Status *status)) \
    of(write_at_all_end, 3, (MPI_File file, const void *data, MPI_Status *status)) \
    of(write_all_end, 3, (MPI_File file, const void *data, MPI_Status *status)) \
    of(write_ordered_end, 3, (MPI_File file, const void *data, MPI_Status *status)) \
    of(get_type_extent, 3, (MPI_File file, MPI_Datatype type, MPI_Aint *extent)) \
    of(set_atomicity, 2, (MPI_File file, int flag)) of(get_atomicity, 2, (MPI_File file, int *flag)) \
    of(sync, 1, (MPI_File file)) of(delete, 2, (const char *name, MPI_Info info)) \
    with_handle(open, 5, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *last)) \
    with_handle(close, 1, (MPI_File *last)) with_handle(get_group, 2, (MPI_File file, MPI_Group *last)) \
    with_handle(get_info, 2, (MPI_File file, MPI_Info *last)) \
    with_handle(iread_at, 6, (AT, READ, MPI_Request *last)) with_handle(iread_at_all, 6, (AT, READ, MPI_Request *last)) \
    with_handle(iwrite_at, 6, (AT, WRITE, MPI_Request *last)) \
    with_handle(iwrite_at_all, 6, (AT, WRITE, MPI_Request *last)) \
    with_handle(iread, 5, (MPI_File file, READ, MPI_Request *last)) \
    with_handle(iread_all, 5, (MPI_File file, READ, MPI_Request *last)) \
    with_handle(iread_shared, 5, (MPI_File file, READ, MPI_Request *last)) \
    with_handle(iwrite, 5, (MPI_File file, WRITE, MPI_Request *last)) \
    with_handle(iwrite_all, 5, (MPI_File file, WRITE, MPI_Request *last)) \
    with_handle(iwrite_shared, 5, (MPI_File file, WRITE, MPI_Request *last))

#define IN_C(name, parameters_count, parameters) \
    int PMPI_File_##name parameters \
    { \
        return mpi_file_fail("MPI_File_" #name); \
    } \
    MPI_FIRST(File_##name)
#define IN_C_WITH_HANDLE(name, parameters_count, parameters) \
    int PMPI_File_##name parameters \
    { \
        if (last) *last = NULL; \
        return mpi_file_fail("MPI_File_" #name); \
    } \
    MPI_FIRST(File_##name)
CALLS(IN_C, IN_C_WITH_HANDLE)

int PMPI_Register_datarep(const char *name, MPI_Datarep_conversion_function *read, MPI_Datarep_conversion_function *write,
                          MPI_Datarep_extent_function *extent, void *extra)
{
    return mpi_file_fail("MPI_Register_datarep");
}
MPI_FIRST(Register_datarep)

MPI_Fint PMPI_File_c2f(MPI_File file)
{
    return 0;
}
MPI_FIRST(File_c2f)

MPI_File PMPI_File_f2c(MPI_Fint number)
{
    return MPI_FILE_NULL;
}
MPI_FIRST(File_f2c)

/* All arguments by reference, then the error code, which is optional, then the lengths of texts. */
#define BEFORE_1
#define BEFORE_2 void *a,
#define BEFORE_3 BEFORE_2 void *b,
#define BEFORE_4 BEFORE_3 void *c,
#define BEFORE_5 BEFORE_4 void *d,
#define BEFORE_6 BEFORE_5 void *e,
#define IN_FORTRAN(name, count, parameters) \
    void mpi_file_##name##_(BEFORE_##count void *last, MPI_Fint *error); \
    void mpi_file_##name##_(BEFORE_##count void *last, MPI_Fint *error) \
    { \
        const int code = mpi_file_fail("MPI_File_" #name); \
        if (error) *error = code; \
    }
#define IN_FORTRAN_WITH_HANDLE(name, count, parameters) \
    void mpi_file_##name##_(BEFORE_##count MPI_Fint *last, MPI_Fint *error); \
    void mpi_file_##name##_(BEFORE_##count MPI_Fint *last, MPI_Fint *error) \
    { \
        const int code = mpi_file_fail("MPI_File_" #name); \
        *last = 0; \
        if (error) *error = code; \
    }
CALLS(IN_FORTRAN, IN_FORTRAN_WITH_HANDLE)
void mpi_register_datarep_(BEFORE_6 MPI_Fint *error);
void mpi_register_datarep_(BEFORE_6 MPI_Fint *error)
{
    const int code = mpi_file_fail("MPI_Register_datarep");
    if (error) *error = code;
}
/* clang-format on */
