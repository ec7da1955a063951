/* mpi.h - MPI programs on the virtual clock: MPI 3.1 without files.
 *
 * A program that includes this file instead of the usual one runs unchanged. Each rank is a process of its own, but
 * only one runs at a time, and MPI_Wtime() returns the time that it would be on the machines of a file:
 *
 *     examples/messages/simcc -O2 program.c -o program -lm
 *     SIMKIT_NP=16 SIMKIT_MACHINES=examples/machines/vienna.machine ./program
 *
 * All types, constants and calls of MPI 3.1 are declared, because programs often name them in code that they never run;
 * but a program that calls a function of the last section of this file does not link, and the linker names the
 * function. See docs/messages.md. */
#ifndef SIMKIT_MPI_H
#define SIMKIT_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define SIMKIT_MPI 1 /* distinguishes this implementation from others */

/* -- handles -- */
typedef struct mpi_comm *MPI_Comm;
typedef struct mpi_group *MPI_Group;
typedef struct mpi_type *MPI_Datatype;
typedef struct mpi_request *MPI_Request;
typedef struct mpi_op *MPI_Op;
typedef struct mpi_errhandler *MPI_Errhandler;
typedef struct mpi_info *MPI_Info;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;
typedef int MPI_Fint;
typedef long long MPI_Count;
typedef struct mpi_message *MPI_Message;
typedef struct mpi_win *MPI_Win;
typedef struct mpi_file *MPI_File; /* always MPI_FILE_NULL: files are not modelled */

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int mpi_cancelled; /* this and the rest are private */
    size_t mpi_bytes;
} MPI_Status;

#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_GROUP_NULL ((MPI_Group)0)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0)
#define MPI_INFO_NULL ((MPI_Info)0)
extern struct mpi_info simkit_mpi_started;
#define MPI_INFO_ENV (&simkit_mpi_started) /* how the program was started */
#define MPI_WIN_NULL ((MPI_Win)0)
#define MPI_FILE_NULL ((MPI_File)0)
#define MPI_MESSAGE_NULL ((MPI_Message)0)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_ARGVS_NULL ((char ***)0)
#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_UNWEIGHTED ((int *)2)
#define MPI_WEIGHTS_EMPTY ((int *)3)

extern struct mpi_comm simkit_mpi_world, simkit_mpi_myself;
extern struct mpi_group simkit_mpi_nobody;
#define MPI_COMM_WORLD (&simkit_mpi_world)
#define MPI_COMM_SELF (&simkit_mpi_myself)
#define MPI_GROUP_EMPTY (&simkit_mpi_nobody)

extern struct mpi_message simkit_mpi_no_process;
#define MPI_MESSAGE_NO_PROC (&simkit_mpi_no_process)

extern struct mpi_errhandler simkit_mpi_fatal, simkit_mpi_return;
#define MPI_ERRORS_ARE_FATAL (&simkit_mpi_fatal)
#define MPI_ERRORS_RETURN (&simkit_mpi_return)

/* -- numbers -- */
#define MPI_PROC_NULL (-2)
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_ROOT (-3)
#define MPI_UNDEFINED (-32766)
#define MPI_KEYVAL_INVALID (-1)
#define MPI_BSEND_OVERHEAD 128
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_OBJECT_NAME 64
#define MPI_MAX_INFO_KEY 36
#define MPI_MAX_INFO_VAL 256
#define MPI_MAX_PORT_NAME 1024
#define MPI_MAX_LIBRARY_VERSION_STRING 256

enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
enum { MPI_GRAPH = 1, MPI_CART, MPI_DIST_GRAPH };
enum { MPI_COMM_TYPE_SHARED = 1 };
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_ORDER_C = 56, MPI_ORDER_FORTRAN };
enum { MPI_DISTRIBUTE_BLOCK = 121, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE };
#define MPI_DISTRIBUTE_DFLT_DARG (-49767)
enum { MPI_TYPECLASS_REAL = 1, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_COMPLEX };
/* of one-sided communication and files */
enum { MPI_WIN_BASE = 1, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL };
enum { MPI_WIN_FLAVOR_CREATE = 1, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED };
enum { MPI_WIN_UNIFIED, MPI_WIN_SEPARATE };
enum { MPI_LOCK_EXCLUSIVE = 1, MPI_LOCK_SHARED };
enum {
    MPI_MODE_NOCHECK = 1,
    MPI_MODE_NOPRECEDE = 2,
    MPI_MODE_NOPUT = 4,
    MPI_MODE_NOSTORE = 8,
    MPI_MODE_NOSUCCEED = 16
};
enum {
    MPI_MODE_CREATE = 1,
    MPI_MODE_RDONLY = 2,
    MPI_MODE_WRONLY = 4,
    MPI_MODE_RDWR = 8,
    MPI_MODE_DELETE_ON_CLOSE = 16,
    MPI_MODE_UNIQUE_OPEN = 32,
    MPI_MODE_EXCL = 64,
    MPI_MODE_APPEND = 128,
    MPI_MODE_SEQUENTIAL = 256
};
enum { MPI_SEEK_SET = 600, MPI_SEEK_CUR = 602, MPI_SEEK_END = 604 };
#define MPI_DISPLACEMENT_CURRENT (-54278278)
#define MPI_MAX_DATAREP_STRING 128
/* keys of the predefined attributes of a communicator */
enum { MPI_TAG_UB = 1, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE };
enum {
    MPI_COMBINER_NAMED = 1,
    MPI_COMBINER_DUP,
    MPI_COMBINER_CONTIGUOUS,
    MPI_COMBINER_VECTOR,
    MPI_COMBINER_HVECTOR,
    MPI_COMBINER_INDEXED,
    MPI_COMBINER_HINDEXED,
    MPI_COMBINER_INDEXED_BLOCK,
    MPI_COMBINER_STRUCT,
    MPI_COMBINER_SUBARRAY,
    MPI_COMBINER_DARRAY,
    MPI_COMBINER_RESIZED,
    MPI_COMBINER_HINDEXED_BLOCK,
    MPI_COMBINER_F90_REAL,
    MPI_COMBINER_F90_COMPLEX,
    MPI_COMBINER_F90_INTEGER,
    MPI_COMBINER_HVECTOR_INTEGER, /* this and the rest are only for Fortran */
    MPI_COMBINER_HINDEXED_INTEGER,
    MPI_COMBINER_STRUCT_INTEGER
};

/* error classes, which are also the codes */
enum {
    MPI_SUCCESS = 0,
    MPI_ERR_BUFFER,
    MPI_ERR_COUNT,
    MPI_ERR_TYPE,
    MPI_ERR_TAG,
    MPI_ERR_COMM,
    MPI_ERR_RANK,
    MPI_ERR_REQUEST,
    MPI_ERR_ROOT,
    MPI_ERR_GROUP,
    MPI_ERR_OP,
    MPI_ERR_TOPOLOGY,
    MPI_ERR_DIMS,
    MPI_ERR_ARG,
    MPI_ERR_UNKNOWN,
    MPI_ERR_TRUNCATE,
    MPI_ERR_OTHER,
    MPI_ERR_INTERN,
    MPI_ERR_IN_STATUS,
    MPI_ERR_PENDING,
    MPI_ERR_KEYVAL,
    MPI_ERR_NO_MEM,
    MPI_ERR_BASE,
    MPI_ERR_INFO,
    MPI_ERR_INFO_KEY,
    MPI_ERR_INFO_VALUE,
    MPI_ERR_INFO_NOKEY,
    MPI_ERR_SPAWN,
    MPI_ERR_PORT,
    MPI_ERR_SERVICE,
    MPI_ERR_NAME,
    MPI_ERR_UNSUPPORTED_OPERATION,
    MPI_ERR_ACCESS, /* this and the rest are for one-sided communication and files */
    MPI_ERR_AMODE,
    MPI_ERR_ASSERT,
    MPI_ERR_BAD_FILE,
    MPI_ERR_CONVERSION,
    MPI_ERR_DISP,
    MPI_ERR_DUP_DATAREP,
    MPI_ERR_FILE,
    MPI_ERR_FILE_EXISTS,
    MPI_ERR_FILE_IN_USE,
    MPI_ERR_IO,
    MPI_ERR_LOCKTYPE,
    MPI_ERR_NO_SPACE,
    MPI_ERR_NO_SUCH_FILE,
    MPI_ERR_NOT_SAME,
    MPI_ERR_QUOTA,
    MPI_ERR_READ_ONLY,
    MPI_ERR_RMA_ATTACH,
    MPI_ERR_RMA_CONFLICT,
    MPI_ERR_RMA_FLAVOR,
    MPI_ERR_RMA_RANGE,
    MPI_ERR_RMA_SHARED,
    MPI_ERR_RMA_SYNC,
    MPI_ERR_SIZE,
    MPI_ERR_UNSUPPORTED_DATAREP,
    MPI_ERR_WIN,
    MPI_T_ERR_MEMORY, /* of the tool interface */
    MPI_T_ERR_NOT_INITIALIZED,
    MPI_T_ERR_CANNOT_INIT,
    MPI_T_ERR_INVALID,
    MPI_T_ERR_INVALID_INDEX,
    MPI_T_ERR_INVALID_ITEM,
    MPI_T_ERR_INVALID_NAME,
    MPI_T_ERR_INVALID_HANDLE,
    MPI_T_ERR_INVALID_SESSION,
    MPI_T_ERR_OUT_OF_HANDLES,
    MPI_T_ERR_OUT_OF_SESSIONS,
    MPI_T_ERR_CVAR_SET_NOT_NOW,
    MPI_T_ERR_CVAR_SET_NEVER,
    MPI_T_ERR_PVAR_NO_STARTSTOP,
    MPI_T_ERR_PVAR_NO_WRITE,
    MPI_T_ERR_PVAR_NO_ATOMIC,
    MPI_ERR_LASTCODE = 92
};

/* -- types -- */
extern struct mpi_type simkit_mpi_type_char, simkit_mpi_type_signed_char, simkit_mpi_type_unsigned_char,
    simkit_mpi_type_byte, simkit_mpi_type_wchar, simkit_mpi_type_short, simkit_mpi_type_unsigned_short,
    simkit_mpi_type_int, simkit_mpi_type_unsigned, simkit_mpi_type_long, simkit_mpi_type_unsigned_long,
    simkit_mpi_type_long_long_int, simkit_mpi_type_unsigned_long_long, simkit_mpi_type_float,
    simkit_mpi_type_double, simkit_mpi_type_long_double, simkit_mpi_type_packed, simkit_mpi_type_int8_t,
    simkit_mpi_type_int16_t, simkit_mpi_type_int32_t, simkit_mpi_type_int64_t, simkit_mpi_type_uint8_t,
    simkit_mpi_type_uint16_t, simkit_mpi_type_uint32_t, simkit_mpi_type_uint64_t, simkit_mpi_type_c_bool,
    simkit_mpi_type_c_float_complex, simkit_mpi_type_c_double_complex, simkit_mpi_type_c_long_double_complex,
    simkit_mpi_type_aint, simkit_mpi_type_offset, simkit_mpi_type_integer, simkit_mpi_type_real,
    simkit_mpi_type_double_precision, simkit_mpi_type_character, simkit_mpi_type_logical, simkit_mpi_type_complex,
    simkit_mpi_type_double_complex, simkit_mpi_type_float_int, simkit_mpi_type_double_int,
    simkit_mpi_type_long_int, simkit_mpi_type_2int, simkit_mpi_type_short_int, simkit_mpi_type_long_double_int,
    simkit_mpi_type_lb, simkit_mpi_type_ub, simkit_mpi_type_count, simkit_mpi_type_integer1,
    simkit_mpi_type_integer2, simkit_mpi_type_integer4, simkit_mpi_type_integer8, simkit_mpi_type_integer16,
    simkit_mpi_type_real4, simkit_mpi_type_real8, simkit_mpi_type_real16, simkit_mpi_type_complex8,
    simkit_mpi_type_complex16, simkit_mpi_type_complex32, simkit_mpi_type_logical1, simkit_mpi_type_logical2,
    simkit_mpi_type_logical4, simkit_mpi_type_logical8, simkit_mpi_type_cxx_bool, simkit_mpi_type_cxx_float_complex,
    simkit_mpi_type_cxx_double_complex, simkit_mpi_type_cxx_long_double_complex, simkit_mpi_type_2real,
    simkit_mpi_type_2double_precision, simkit_mpi_type_2integer;
#define MPI_CHAR (&simkit_mpi_type_char)
#define MPI_SIGNED_CHAR (&simkit_mpi_type_signed_char)
#define MPI_UNSIGNED_CHAR (&simkit_mpi_type_unsigned_char)
#define MPI_BYTE (&simkit_mpi_type_byte)
#define MPI_WCHAR (&simkit_mpi_type_wchar)
#define MPI_SHORT (&simkit_mpi_type_short)
#define MPI_UNSIGNED_SHORT (&simkit_mpi_type_unsigned_short)
#define MPI_INT (&simkit_mpi_type_int)
#define MPI_UNSIGNED (&simkit_mpi_type_unsigned)
#define MPI_LONG (&simkit_mpi_type_long)
#define MPI_UNSIGNED_LONG (&simkit_mpi_type_unsigned_long)
#define MPI_LONG_LONG_INT (&simkit_mpi_type_long_long_int)
#define MPI_UNSIGNED_LONG_LONG (&simkit_mpi_type_unsigned_long_long)
#define MPI_FLOAT (&simkit_mpi_type_float)
#define MPI_DOUBLE (&simkit_mpi_type_double)
#define MPI_LONG_DOUBLE (&simkit_mpi_type_long_double)
#define MPI_PACKED (&simkit_mpi_type_packed)
#define MPI_INT8_T (&simkit_mpi_type_int8_t)
#define MPI_INT16_T (&simkit_mpi_type_int16_t)
#define MPI_INT32_T (&simkit_mpi_type_int32_t)
#define MPI_INT64_T (&simkit_mpi_type_int64_t)
#define MPI_UINT8_T (&simkit_mpi_type_uint8_t)
#define MPI_UINT16_T (&simkit_mpi_type_uint16_t)
#define MPI_UINT32_T (&simkit_mpi_type_uint32_t)
#define MPI_UINT64_T (&simkit_mpi_type_uint64_t)
#define MPI_C_BOOL (&simkit_mpi_type_c_bool)
#define MPI_C_FLOAT_COMPLEX (&simkit_mpi_type_c_float_complex)
#define MPI_C_DOUBLE_COMPLEX (&simkit_mpi_type_c_double_complex)
#define MPI_C_LONG_DOUBLE_COMPLEX (&simkit_mpi_type_c_long_double_complex)
#define MPI_AINT (&simkit_mpi_type_aint)
#define MPI_OFFSET (&simkit_mpi_type_offset)
#define MPI_INTEGER (&simkit_mpi_type_integer)
#define MPI_REAL (&simkit_mpi_type_real)
#define MPI_DOUBLE_PRECISION (&simkit_mpi_type_double_precision)
#define MPI_CHARACTER (&simkit_mpi_type_character)
#define MPI_LOGICAL (&simkit_mpi_type_logical)
#define MPI_COMPLEX (&simkit_mpi_type_complex)
#define MPI_DOUBLE_COMPLEX (&simkit_mpi_type_double_complex)
#define MPI_FLOAT_INT (&simkit_mpi_type_float_int)
#define MPI_DOUBLE_INT (&simkit_mpi_type_double_int)
#define MPI_LONG_INT (&simkit_mpi_type_long_int)
#define MPI_2INT (&simkit_mpi_type_2int)
#define MPI_SHORT_INT (&simkit_mpi_type_short_int)
#define MPI_LONG_DOUBLE_INT (&simkit_mpi_type_long_double_int)
#define MPI_COUNT (&simkit_mpi_type_count)
#define MPI_INTEGER1 (&simkit_mpi_type_integer1)
#define MPI_INTEGER2 (&simkit_mpi_type_integer2)
#define MPI_INTEGER4 (&simkit_mpi_type_integer4)
#define MPI_INTEGER8 (&simkit_mpi_type_integer8)
#define MPI_INTEGER16 (&simkit_mpi_type_integer16)
#define MPI_REAL4 (&simkit_mpi_type_real4)
#define MPI_REAL8 (&simkit_mpi_type_real8)
#define MPI_REAL16 (&simkit_mpi_type_real16)
#define MPI_COMPLEX8 (&simkit_mpi_type_complex8)
#define MPI_COMPLEX16 (&simkit_mpi_type_complex16)
#define MPI_COMPLEX32 (&simkit_mpi_type_complex32)
#define MPI_LOGICAL1 (&simkit_mpi_type_logical1)
#define MPI_LOGICAL2 (&simkit_mpi_type_logical2)
#define MPI_LOGICAL4 (&simkit_mpi_type_logical4)
#define MPI_LOGICAL8 (&simkit_mpi_type_logical8)
#define MPI_CXX_BOOL (&simkit_mpi_type_cxx_bool)
#define MPI_CXX_FLOAT_COMPLEX (&simkit_mpi_type_cxx_float_complex)
#define MPI_CXX_DOUBLE_COMPLEX (&simkit_mpi_type_cxx_double_complex)
#define MPI_CXX_LONG_DOUBLE_COMPLEX (&simkit_mpi_type_cxx_long_double_complex)
#define MPI_2REAL (&simkit_mpi_type_2real)
#define MPI_2DOUBLE_PRECISION (&simkit_mpi_type_2double_precision)
#define MPI_2INTEGER (&simkit_mpi_type_2integer)
#define MPI_LB (&simkit_mpi_type_lb)
#define MPI_UB (&simkit_mpi_type_ub)
#define MPI_LONG_LONG MPI_LONG_LONG_INT
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX

/* -- operations of reductions -- */
extern struct mpi_op simkit_mpi_op_max, simkit_mpi_op_min, simkit_mpi_op_sum, simkit_mpi_op_prod,
    simkit_mpi_op_land, simkit_mpi_op_band, simkit_mpi_op_lor, simkit_mpi_op_bor, simkit_mpi_op_lxor,
    simkit_mpi_op_bxor, simkit_mpi_op_maxloc, simkit_mpi_op_minloc, simkit_mpi_op_replace, simkit_mpi_op_no_op;
#define MPI_MAX (&simkit_mpi_op_max)
#define MPI_MIN (&simkit_mpi_op_min)
#define MPI_SUM (&simkit_mpi_op_sum)
#define MPI_PROD (&simkit_mpi_op_prod)
#define MPI_LAND (&simkit_mpi_op_land)
#define MPI_BAND (&simkit_mpi_op_band)
#define MPI_LOR (&simkit_mpi_op_lor)
#define MPI_BOR (&simkit_mpi_op_bor)
#define MPI_LXOR (&simkit_mpi_op_lxor)
#define MPI_BXOR (&simkit_mpi_op_bxor)
#define MPI_MAXLOC (&simkit_mpi_op_maxloc)
#define MPI_MINLOC (&simkit_mpi_op_minloc)
#define MPI_REPLACE (&simkit_mpi_op_replace)
#define MPI_NO_OP (&simkit_mpi_op_no_op)

/* -- functions of the program -- */
typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *code, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef int MPI_Comm_copy_attr_function(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int key, void *value, void *extra);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef int MPI_Type_copy_attr_function(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag);
typedef int MPI_Type_delete_attr_function(MPI_Datatype type, int key, void *value, void *extra);
typedef void MPI_Win_errhandler_function(MPI_Win *win, int *code, ...);
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef int MPI_Win_copy_attr_function(MPI_Win win, int key, void *extra, void *in, void *out, int *flag);
typedef int MPI_Win_delete_attr_function(MPI_Win win, int key, void *value, void *extra);
typedef void MPI_File_errhandler_function(MPI_File *file, int *code, ...);
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef int MPI_Datarep_extent_function(MPI_Datatype type, MPI_Aint *extent, void *extra);
typedef int MPI_Datarep_conversion_function(void *data, MPI_Datatype type, int count, void *stored, MPI_Offset place,
                                            void *extra);
typedef int MPI_Grequest_query_function(void *extra, MPI_Status *status);
typedef int MPI_Grequest_free_function(void *extra);
typedef int MPI_Grequest_cancel_function(void *extra, int complete);

MPI_Comm_copy_attr_function simkit_mpi_copies;
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_COMM_DUP_FN (simkit_mpi_copies)
#define MPI_NULL_COPY_FN MPI_COMM_NULL_COPY_FN
#define MPI_NULL_DELETE_FN MPI_COMM_NULL_DELETE_FN
#define MPI_DUP_FN MPI_COMM_DUP_FN
MPI_Type_copy_attr_function simkit_mpi_type_copies;
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_TYPE_DUP_FN (simkit_mpi_type_copies)
MPI_Win_copy_attr_function simkit_mpi_win_copies;
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)
#define MPI_WIN_DUP_FN (simkit_mpi_win_copies)
#define MPI_CONVERSION_FN_NULL ((MPI_Datarep_conversion_function *)0)

/* -- start and end, time, errors -- */
int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Finalized(int *flag);
int MPI_Query_thread(int *provided);
int MPI_Is_thread_main(int *flag);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Get_version(int *version, int *subversion);
int MPI_Get_library_version(char *text, int *length);
int MPI_Get_processor_name(char *name, int *length);
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Pcontrol(const int level, ...);
int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *place);
int MPI_Free_mem(void *block);
int MPI_Error_string(int code, char *text, int *length);
int MPI_Error_class(int code, int *which);
int MPI_Add_error_class(int *which);
int MPI_Add_error_code(int which, int *code);
int MPI_Add_error_string(int code, const char *text);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler);
int MPI_Comm_call_errhandler(MPI_Comm comm, int code);
int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *handler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *handler);
int MPI_Errhandler_free(MPI_Errhandler *handler);
int MPI_Info_create(MPI_Info *info);
int MPI_Info_free(MPI_Info *info);
int MPI_Info_dup(MPI_Info info, MPI_Info *copy);
int MPI_Info_set(MPI_Info info, const char *key, const char *value);
int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag);
int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag);
int MPI_Info_get_nkeys(MPI_Info info, int *count);
int MPI_Info_get_nthkey(MPI_Info info, int n, char *key);
int MPI_Info_delete(MPI_Info info, const char *key);

/* -- point to point -- */
int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Bsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Ibsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Bsend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Ssend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Rsend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request requests[]);
int MPI_Sendrecv(const void *sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag, void *received,
                 int received_count, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
                 MPI_Status *status);
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int sent_tag, int from, int received_tag,
                         MPI_Comm comm, MPI_Status *status);
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);
int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status);
int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);
int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status);
int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]);
int MPI_Request_free(MPI_Request *request);
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int MPI_Cancel(MPI_Request *request);
int MPI_Test_cancelled(const MPI_Status *status, int *flag);
int MPI_Status_set_cancelled(MPI_Status *status, int flag);
int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count);
int MPI_Buffer_attach(void *buffer, int bytes);
int MPI_Buffer_detach(void *buffer, int *bytes);
int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                       MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *request);
int MPI_Grequest_complete(MPI_Request request);

/* -- types -- */
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_indexed(int count, const int lengths[], const int places[], MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint places[], MPI_Datatype old,
                             MPI_Datatype *type);
int MPI_Type_create_indexed_block(int count, int length, const int places[], MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint places[], MPI_Datatype old,
                                   MPI_Datatype *type);
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype types[],
                           MPI_Datatype *type);
int MPI_Type_create_subarray(int dimensions, const int sizes[], const int subsizes[], const int starts[], int order,
                             MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_darray(int size, int rank, int dimensions, const int sizes[], const int distributions[],
                           const int arguments[], const int processes[], int order, MPI_Datatype old,
                           MPI_Datatype *type);
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type);
int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_hindexed(int count, int lengths[], MPI_Aint places[], MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_struct(int count, int lengths[], MPI_Aint places[], MPI_Datatype types[], MPI_Datatype *type);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lb);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *ub);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent);
int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent);
int MPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *types, int *combiner);
int MPI_Type_get_contents(MPI_Datatype type, int integers, int addresses, int types, int integer[],
                          MPI_Aint address[], MPI_Datatype old[]);
int MPI_Type_set_name(MPI_Datatype type, const char *name);
int MPI_Type_get_name(MPI_Datatype type, char *name, int *length);
int MPI_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *release, int *key,
                           void *extra);
int MPI_Type_free_keyval(int *key);
int MPI_Type_set_attr(MPI_Datatype type, int key, void *value);
int MPI_Type_get_attr(MPI_Datatype type, int key, void *value, int *flag);
int MPI_Type_delete_attr(MPI_Datatype type, int key);
int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size);
int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent);
int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent);
int MPI_Type_match_size(int which, int size, MPI_Datatype *type);
int MPI_Type_create_f90_integer(int range, MPI_Datatype *type);
int MPI_Type_create_f90_real(int precision, int range, MPI_Datatype *type);
int MPI_Type_create_f90_complex(int precision, int range, MPI_Datatype *type);
int MPI_Get_address(const void *place, MPI_Aint *address);
int MPI_Address(void *place, MPI_Aint *address);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint distance);
MPI_Aint MPI_Aint_diff(MPI_Aint one, MPI_Aint other);
int MPI_Pack(const void *data, int count, MPI_Datatype type, void *packed, int size, int *position, MPI_Comm comm);
int MPI_Unpack(const void *packed, int size, int *position, void *data, int count, MPI_Datatype type, MPI_Comm comm);
int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int *size);
int MPI_Pack_external(const char *form, const void *data, int count, MPI_Datatype type, void *packed, MPI_Aint size,
                      MPI_Aint *position);
int MPI_Unpack_external(const char *form, const void *packed, MPI_Aint size, MPI_Aint *position, void *data, int count,
                        MPI_Datatype type);
int MPI_Pack_external_size(const char *form, int count, MPI_Datatype type, MPI_Aint *size);

/* -- collectives -- */
int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Gather(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
               MPI_Datatype received_type, int root, MPI_Comm comm);
int MPI_Gatherv(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
                const int places[], MPI_Datatype received_type, int root, MPI_Comm comm);
int MPI_Scatter(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                MPI_Datatype received_type, int root, MPI_Comm comm);
int MPI_Scatterv(const void *sent, const int counts[], const int places[], MPI_Datatype sent_type, void *received,
                 int received_count, MPI_Datatype received_type, int root, MPI_Comm comm);
int MPI_Allgather(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                  MPI_Datatype received_type, MPI_Comm comm);
int MPI_Allgatherv(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
                   const int places[], MPI_Datatype received_type, MPI_Comm comm);
int MPI_Alltoall(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                 MPI_Datatype received_type, MPI_Comm comm);
int MPI_Alltoallv(const void *sent, const int sent_counts[], const int sent_places[], MPI_Datatype sent_type,
                  void *received, const int received_counts[], const int received_places[],
                  MPI_Datatype received_type, MPI_Comm comm);
int MPI_Alltoallw(const void *sent, const int sent_counts[], const int sent_places[], const MPI_Datatype sent_types[],
                  void *received, const int received_counts[], const int received_places[],
                  const MPI_Datatype received_types[], MPI_Comm comm);
int MPI_Reduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter(const void *sent, void *received, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm);
int MPI_Scan(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op);
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op);
int MPI_Op_free(MPI_Op *op);
int MPI_Op_commutative(MPI_Op op, int *commutes);

/* -- the same without waiting: the request is complete when the rank's part is done -- */
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Igather(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Igatherv(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
                 const int places[], MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iscatter(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                 MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iscatterv(const void *sent, const int counts[], const int places[], MPI_Datatype sent_type, void *received,
                  int received_count, MPI_Datatype received_type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iallgather(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                   MPI_Datatype received_type, MPI_Comm comm, MPI_Request *request);
int MPI_Iallgatherv(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, const int counts[],
                    const int places[], MPI_Datatype received_type, MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoall(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                  MPI_Datatype received_type, MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoallv(const void *sent, const int sent_counts[], const int sent_places[], MPI_Datatype sent_type,
                   void *received, const int received_counts[], const int received_places[], MPI_Datatype received_type,
                   MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoallw(const void *sent, const int sent_counts[], const int sent_places[], const MPI_Datatype sent_types[],
                   void *received, const int received_counts[], const int received_places[],
                   const MPI_Datatype received_types[], MPI_Comm comm, MPI_Request *request);
int MPI_Ireduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request);
int MPI_Iallreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Ireduce_scatter(const void *sent, void *received, const int counts[], MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm, MPI_Request *request);
int MPI_Ireduce_scatter_block(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request *request);
int MPI_Iscan(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request *request);
int MPI_Iexscan(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request *request);

/* -- collectives among the neighbors of a topology -- */
int MPI_Neighbor_allgather(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                           MPI_Datatype received_type, MPI_Comm comm);
int MPI_Neighbor_allgatherv(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                            const int counts[], const int places[], MPI_Datatype received_type, MPI_Comm comm);
int MPI_Neighbor_alltoall(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                          MPI_Datatype received_type, MPI_Comm comm);
int MPI_Neighbor_alltoallv(const void *sent, const int sent_counts[], const int sent_places[], MPI_Datatype sent_type,
                           void *received, const int received_counts[], const int received_places[],
                           MPI_Datatype received_type, MPI_Comm comm);
int MPI_Neighbor_alltoallw(const void *sent, const int sent_counts[], const MPI_Aint sent_places[],
                           const MPI_Datatype sent_types[], void *received, const int received_counts[],
                           const MPI_Aint received_places[], const MPI_Datatype received_types[], MPI_Comm comm);
int MPI_Ineighbor_allgather(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                            int received_count, MPI_Datatype received_type, MPI_Comm comm, MPI_Request *request);
int MPI_Ineighbor_allgatherv(const void *sent, int sent_count, MPI_Datatype sent_type, void *received,
                             const int counts[], const int places[], MPI_Datatype received_type, MPI_Comm comm,
                             MPI_Request *request);
int MPI_Ineighbor_alltoall(const void *sent, int sent_count, MPI_Datatype sent_type, void *received, int received_count,
                           MPI_Datatype received_type, MPI_Comm comm, MPI_Request *request);
int MPI_Ineighbor_alltoallv(const void *sent, const int sent_counts[], const int sent_places[], MPI_Datatype sent_type,
                            void *received, const int received_counts[], const int received_places[],
                            MPI_Datatype received_type, MPI_Comm comm, MPI_Request *request);
int MPI_Ineighbor_alltoallw(const void *sent, const int sent_counts[], const MPI_Aint sent_places[],
                            const MPI_Datatype sent_types[], void *received, const int received_counts[],
                            const MPI_Aint received_places[], const MPI_Datatype received_types[], MPI_Comm comm,
                            MPI_Request *request);

/* -- groups and communicators -- */
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_compare(MPI_Comm one, MPI_Comm other, int *result);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *fresh);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *fresh);
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *fresh);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *fresh);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *fresh);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *fresh, MPI_Request *request);
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *fresh);
int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info);
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_disconnect(MPI_Comm *comm);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_test_inter(MPI_Comm comm, int *flag);
int MPI_Comm_remote_size(MPI_Comm comm, int *size);
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_set_name(MPI_Comm comm, const char *name);
int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length);
int MPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
                         MPI_Comm *fresh);
int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *fresh);
int MPI_Comm_spawn(const char *command, char *argv[], int count, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm *children, int codes[]);
int MPI_Comm_spawn_multiple(int count, char *commands[], char **argvs[], const int counts[], const MPI_Info infos[],
                            int root, MPI_Comm comm, MPI_Comm *children, int codes[]);
int MPI_Comm_get_parent(MPI_Comm *parent);
int MPI_Open_port(MPI_Info info, char *port);
int MPI_Close_port(const char *port);
int MPI_Comm_accept(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *fresh);
int MPI_Comm_connect(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *fresh);
int MPI_Publish_name(const char *name, MPI_Info info, const char *port);
int MPI_Unpublish_name(const char *name, MPI_Info info, const char *port);
int MPI_Lookup_name(const char *name, MPI_Info info, char *port);
int MPI_Group_size(MPI_Group group, int *size);
int MPI_Group_rank(MPI_Group group, int *rank);
int MPI_Group_compare(MPI_Group one, MPI_Group other, int *result);
int MPI_Group_translate_ranks(MPI_Group one, int count, const int ranks[], MPI_Group other, int found[]);
int MPI_Group_union(MPI_Group one, MPI_Group other, MPI_Group *fresh);
int MPI_Group_intersection(MPI_Group one, MPI_Group other, MPI_Group *fresh);
int MPI_Group_difference(MPI_Group one, MPI_Group other, MPI_Group *fresh);
int MPI_Group_incl(MPI_Group group, int count, const int ranks[], MPI_Group *fresh);
int MPI_Group_excl(MPI_Group group, int count, const int ranks[], MPI_Group *fresh);
int MPI_Group_range_incl(MPI_Group group, int count, int ranges[][3], MPI_Group *fresh);
int MPI_Group_range_excl(MPI_Group group, int count, int ranges[][3], MPI_Group *fresh);
int MPI_Group_free(MPI_Group *group);
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *release, int *key,
                           void *extra);
int MPI_Comm_free_keyval(int *key);
int MPI_Comm_set_attr(MPI_Comm comm, int key, void *value);
int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag);
int MPI_Comm_delete_attr(MPI_Comm comm, int key);
int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *release, int *key, void *extra);
int MPI_Keyval_free(int *key);
int MPI_Attr_put(MPI_Comm comm, int key, void *value);
int MPI_Attr_get(MPI_Comm comm, int key, void *value, int *flag);
int MPI_Attr_delete(MPI_Comm comm, int key);
int MPI_Dims_create(int nodes, int dimensions, int sizes[]);
int MPI_Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder,
                    MPI_Comm *fresh);
int MPI_Cartdim_get(MPI_Comm comm, int *dimensions);
int MPI_Cart_get(MPI_Comm comm, int most, int sizes[], int periods[], int coordinates[]);
int MPI_Cart_rank(MPI_Comm comm, const int coordinates[], int *rank);
int MPI_Cart_coords(MPI_Comm comm, int rank, int most, int coordinates[]);
int MPI_Cart_shift(MPI_Comm comm, int dimension, int by, int *source, int *target);
int MPI_Cart_sub(MPI_Comm comm, const int keep[], MPI_Comm *fresh);
int MPI_Cart_map(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int *rank);
int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *fresh);
int MPI_Graphdims_get(MPI_Comm comm, int *nodes, int *edges);
int MPI_Graph_get(MPI_Comm comm, int most_nodes, int most_edges, int index[], int edges[]);
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *count);
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int most, int neighbors[]);
int MPI_Graph_map(MPI_Comm comm, int nodes, const int index[], const int edges[], int *rank);
int MPI_Topo_test(MPI_Comm comm, int *which);
int MPI_Dist_graph_create(MPI_Comm comm, int count, const int sources[], const int degrees[], const int targets[],
                          const int *weights, MPI_Info info, int reorder, MPI_Comm *fresh);
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int source_count, const int sources[], const int *source_weights,
                                   int target_count, const int targets[], const int *target_weights, MPI_Info info,
                                   int reorder, MPI_Comm *fresh);
int MPI_Dist_graph_neighbors(MPI_Comm comm, int most_sources, int sources[], int *source_weights, int most_targets,
                             int targets[], int *target_weights);
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *sources, int *targets, int *weighted);

/* -- the tool interface: there are no variables -- */
typedef struct mpi_tool_handle *MPI_T_enum, *MPI_T_cvar_handle, *MPI_T_pvar_handle, *MPI_T_pvar_session;
extern struct mpi_tool_handle simkit_mpi_all_handles;
#define MPI_T_ENUM_NULL ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_ALL_HANDLES (&simkit_mpi_all_handles)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)
enum {
    MPI_T_VERBOSITY_USER_BASIC,
    MPI_T_VERBOSITY_USER_DETAIL,
    MPI_T_VERBOSITY_USER_ALL,
    MPI_T_VERBOSITY_TUNER_BASIC,
    MPI_T_VERBOSITY_TUNER_DETAIL,
    MPI_T_VERBOSITY_TUNER_ALL,
    MPI_T_VERBOSITY_MPIDEV_BASIC,
    MPI_T_VERBOSITY_MPIDEV_DETAIL,
    MPI_T_VERBOSITY_MPIDEV_ALL
};
enum {
    MPI_T_SCOPE_CONSTANT,
    MPI_T_SCOPE_READONLY,
    MPI_T_SCOPE_LOCAL,
    MPI_T_SCOPE_GROUP,
    MPI_T_SCOPE_GROUP_EQ,
    MPI_T_SCOPE_ALL,
    MPI_T_SCOPE_ALL_EQ
};
enum {
    MPI_T_BIND_NO_OBJECT,
    MPI_T_BIND_MPI_COMM,
    MPI_T_BIND_MPI_DATATYPE,
    MPI_T_BIND_MPI_ERRHANDLER,
    MPI_T_BIND_MPI_FILE,
    MPI_T_BIND_MPI_GROUP,
    MPI_T_BIND_MPI_OP,
    MPI_T_BIND_MPI_REQUEST,
    MPI_T_BIND_MPI_WIN,
    MPI_T_BIND_MPI_MESSAGE,
    MPI_T_BIND_MPI_INFO
};
enum {
    MPI_T_PVAR_CLASS_STATE,
    MPI_T_PVAR_CLASS_LEVEL,
    MPI_T_PVAR_CLASS_SIZE,
    MPI_T_PVAR_CLASS_PERCENTAGE,
    MPI_T_PVAR_CLASS_HIGHWATERMARK,
    MPI_T_PVAR_CLASS_LOWWATERMARK,
    MPI_T_PVAR_CLASS_COUNTER,
    MPI_T_PVAR_CLASS_AGGREGATE,
    MPI_T_PVAR_CLASS_TIMER,
    MPI_T_PVAR_CLASS_GENERIC
};
int MPI_T_init_thread(int required, int *provided);
int MPI_T_finalize(void);
int MPI_T_cvar_get_num(int *number);
int MPI_T_cvar_get_info(int index, char *name, int *name_length, int *verbosity, MPI_Datatype *type, MPI_T_enum *values,
                        char *text, int *text_length, int *bind, int *scope);
int MPI_T_cvar_get_index(const char *name, int *index);
int MPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count);
int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle);
int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *value);
int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *value);
int MPI_T_pvar_session_create(MPI_T_pvar_session *made);
int MPI_T_pvar_session_free(MPI_T_pvar_session *made);
int MPI_T_pvar_get_num(int *number);
int MPI_T_pvar_get_info(int index, char *name, int *name_length, int *verbosity, int *kind, MPI_Datatype *type,
                        MPI_T_enum *values, char *text, int *text_length, int *bind, int *readonly, int *continuous,
                        int *atomic);
int MPI_T_pvar_get_index(const char *name, int kind, int *index);
int MPI_T_pvar_handle_alloc(MPI_T_pvar_session of, int index, void *object, MPI_T_pvar_handle *handle, int *count);
int MPI_T_pvar_handle_free(MPI_T_pvar_session of, MPI_T_pvar_handle *handle);
int MPI_T_pvar_start(MPI_T_pvar_session of, MPI_T_pvar_handle handle);
int MPI_T_pvar_stop(MPI_T_pvar_session of, MPI_T_pvar_handle handle);
int MPI_T_pvar_reset(MPI_T_pvar_session of, MPI_T_pvar_handle handle);
int MPI_T_pvar_read(MPI_T_pvar_session of, MPI_T_pvar_handle handle, void *value);
int MPI_T_pvar_write(MPI_T_pvar_session of, MPI_T_pvar_handle handle, const void *value);
int MPI_T_pvar_readreset(MPI_T_pvar_session of, MPI_T_pvar_handle handle, void *value);
int MPI_T_category_get_num(int *number);
int MPI_T_category_changed(int *number);
int MPI_T_category_get_info(int index, char *name, int *name_length, char *text, int *text_length, int *cvars,
                            int *pvars, int *categories);
int MPI_T_category_get_index(const char *name, int *index);
int MPI_T_category_get_cvars(int index, int length, int indices[]);
int MPI_T_category_get_pvars(int index, int length, int indices[]);
int MPI_T_category_get_categories(int index, int length, int indices[]);
int MPI_T_enum_get_info(MPI_T_enum values, int *count, char *name, int *name_length);
int MPI_T_enum_get_item(MPI_T_enum values, int index, int *value, char *name, int *name_length);

/* -- handles in Fortran are numbers -- */
MPI_Fint MPI_Comm_c2f(MPI_Comm comm);
MPI_Comm MPI_Comm_f2c(MPI_Fint number);
MPI_Fint MPI_Type_c2f(MPI_Datatype type);
MPI_Datatype MPI_Type_f2c(MPI_Fint number);
MPI_Fint MPI_Group_c2f(MPI_Group group);
MPI_Group MPI_Group_f2c(MPI_Fint number);
MPI_Fint MPI_Op_c2f(MPI_Op op);
MPI_Op MPI_Op_f2c(MPI_Fint number);
MPI_Fint MPI_Request_c2f(MPI_Request request);
MPI_Request MPI_Request_f2c(MPI_Fint number);
MPI_Fint MPI_Message_c2f(MPI_Message message);
MPI_Message MPI_Message_f2c(MPI_Fint number);
MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler handler);
MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint number);
MPI_Fint MPI_Info_c2f(MPI_Info info);
MPI_Info MPI_Info_f2c(MPI_Fint number);
int MPI_Status_c2f(const MPI_Status *status, MPI_Fint *numbers);
int MPI_Status_f2c(const MPI_Fint *numbers, MPI_Status *status);
#define MPI_F_STATUS_IGNORE ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)0)

/* -- one-sided communication -- */
int MPI_Win_create(void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);
int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *bytes, int *unit, void *base);
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);
int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint bytes);
int MPI_Win_detach(MPI_Win win, const void *base);
int MPI_Win_free(MPI_Win *win);
int MPI_Win_get_group(MPI_Win win, MPI_Group *group);
int MPI_Win_set_name(MPI_Win win, const char *name);
int MPI_Win_get_name(MPI_Win win, char *name, int *length);
int MPI_Win_set_info(MPI_Win win, MPI_Info info);
int MPI_Win_get_info(MPI_Win win, MPI_Info *info);
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler);
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler);
int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *handler);
int MPI_Win_call_errhandler(MPI_Win win, int code);
int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *release, int *key, void *extra);
int MPI_Win_free_keyval(int *key);
int MPI_Win_set_attr(MPI_Win win, int key, void *value);
int MPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag);
int MPI_Win_delete_attr(MPI_Win win, int key);
int MPI_Put(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win win);
int MPI_Get(void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win win);
int MPI_Accumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int MPI_Get_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                       MPI_Datatype result_type, int target, MPI_Aint place, int target_count, MPI_Datatype target_type,
                       MPI_Op op, MPI_Win win);
int MPI_Fetch_and_op(const void *data, void *result, MPI_Datatype type, int target, MPI_Aint place, MPI_Op op,
                     MPI_Win win);
int MPI_Compare_and_swap(const void *data, const void *compared, void *result, MPI_Datatype type, int target,
                         MPI_Aint place, MPI_Win win);
int MPI_Rput(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Rget(void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Raccumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
                    MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request);
int MPI_Rget_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                        MPI_Datatype result_type, int target, MPI_Aint place, int target_count,
                        MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request);
int MPI_Win_fence(int assert, MPI_Win win);
int MPI_Win_post(MPI_Group group, int assert, MPI_Win win);
int MPI_Win_start(MPI_Group group, int assert, MPI_Win win);
int MPI_Win_complete(MPI_Win win);
int MPI_Win_wait(MPI_Win win);
int MPI_Win_test(MPI_Win win, int *flag);
int MPI_Win_lock(int type, int rank, int assert, MPI_Win win);
int MPI_Win_unlock(int rank, MPI_Win win);
int MPI_Win_lock_all(int assert, MPI_Win win);
int MPI_Win_unlock_all(MPI_Win win);
int MPI_Win_flush(int rank, MPI_Win win);
int MPI_Win_flush_all(MPI_Win win);
int MPI_Win_flush_local(int rank, MPI_Win win);
int MPI_Win_flush_local_all(MPI_Win win);
int MPI_Win_sync(MPI_Win win);
MPI_Fint MPI_Win_c2f(MPI_Win win);
MPI_Win MPI_Win_f2c(MPI_Fint number);

/* -- every call has a second name, for profiling tools that replace the first -- */
#define SIMKIT_MPI_CALLS(of) \
    of(Init) of(Init_thread) of(Initialized) of(Finalize) of(Finalized) of(Query_thread) of(Is_thread_main) \
    of(Abort) of(Get_version) of(Get_library_version) of(Get_processor_name) of(Wtime) of(Wtick) of(Pcontrol) \
    of(Alloc_mem) of(Free_mem) of(Error_string) of(Error_class) of(Add_error_class) of(Add_error_code) \
    of(Add_error_string) of(Comm_create_errhandler) of(Comm_set_errhandler) of(Comm_get_errhandler) \
    of(Comm_call_errhandler) of(Errhandler_create) of(Errhandler_set) of(Errhandler_get) of(Errhandler_free) \
    of(Info_create) of(Info_free) of(Info_dup) of(Info_set) of(Info_get) of(Info_get_valuelen) of(Info_get_nkeys) \
    of(Info_get_nthkey) of(Info_delete) of(Send) of(Bsend) of(Ssend) of(Rsend) of(Recv) of(Isend) of(Ibsend) \
    of(Issend) of(Irsend) of(Irecv) of(Send_init) of(Bsend_init) of(Ssend_init) of(Rsend_init) of(Recv_init) \
    of(Start) of(Startall) of(Sendrecv) of(Sendrecv_replace) of(Probe) of(Iprobe) of(Wait) of(Waitall) of(Waitany) \
    of(Waitsome) of(Test) of(Testall) of(Testany) of(Testsome) of(Request_free) of(Request_get_status) of(Cancel) \
    of(Test_cancelled) of(Status_set_cancelled) of(Status_set_elements) of(Get_count) of(Get_elements) \
    of(Buffer_attach) of(Buffer_detach) of(Grequest_start) of(Grequest_complete) of(Type_contiguous) \
    of(Type_vector) of(Type_create_hvector) of(Type_indexed) of(Type_create_hindexed) of(Type_create_indexed_block) \
    of(Type_create_struct) of(Type_create_subarray) of(Type_create_darray) of(Type_create_resized) of(Type_dup) \
    of(Type_hvector) of(Type_hindexed) of(Type_struct) of(Type_extent) of(Type_lb) of(Type_ub) of(Type_commit) \
    of(Type_free) of(Type_size) of(Type_get_extent) of(Type_get_true_extent) of(Type_get_envelope) \
    of(Type_get_contents) of(Type_set_name) of(Type_get_name) of(Type_create_keyval) of(Type_free_keyval) \
    of(Type_set_attr) of(Type_get_attr) of(Type_delete_attr) of(Get_address) of(Address) of(Pack) of(Unpack) \
    of(Pack_size) of(Barrier) of(Bcast) of(Gather) of(Gatherv) of(Scatter) of(Scatterv) of(Allgather) \
    of(Allgatherv) of(Alltoall) of(Alltoallv) of(Alltoallw) of(Reduce) of(Allreduce) of(Reduce_scatter) \
    of(Reduce_scatter_block) of(Scan) of(Exscan) of(Reduce_local) of(Op_create) of(Op_free) of(Op_commutative) \
    of(Comm_size) of(Comm_rank) of(Comm_compare) of(Comm_dup) of(Comm_create) of(Comm_split) of(Comm_free) \
    of(Comm_disconnect) of(Comm_group) of(Comm_test_inter) of(Comm_remote_size) of(Comm_remote_group) \
    of(Comm_set_name) of(Comm_get_name) of(Intercomm_create) of(Intercomm_merge) of(Comm_spawn) \
    of(Comm_spawn_multiple) of(Comm_get_parent) of(Group_size) of(Group_rank) of(Group_compare) \
    of(Group_translate_ranks) of(Group_union) of(Group_intersection) of(Group_difference) of(Group_incl) \
    of(Group_excl) of(Group_range_incl) of(Group_range_excl) of(Group_free) of(Comm_create_keyval) \
    of(Comm_free_keyval) of(Comm_set_attr) of(Comm_get_attr) of(Comm_delete_attr) of(Keyval_create) of(Keyval_free) \
    of(Attr_put) of(Attr_get) of(Attr_delete) of(Dims_create) of(Cart_create) of(Cartdim_get) of(Cart_get) \
    of(Cart_rank) of(Cart_coords) of(Cart_shift) of(Cart_sub) of(Cart_map) of(Graph_create) of(Graphdims_get) \
    of(Graph_get) of(Graph_neighbors_count) of(Graph_neighbors) of(Graph_map) of(Topo_test) of(Comm_c2f) \
    of(Comm_f2c) of(Type_c2f) of(Type_f2c) of(Group_c2f) of(Group_f2c) of(Op_c2f) of(Op_f2c) of(Request_c2f) \
    of(Request_f2c) of(Type_create_hindexed_block) of(Type_size_x) of(Type_get_extent_x) of(Type_get_true_extent_x) \
    of(Type_match_size) of(Type_create_f90_integer) of(Type_create_f90_real) of(Type_create_f90_complex) \
    of(Aint_add) of(Aint_diff) of(Get_elements_x) of(Status_set_elements_x) of(Comm_create_group) \
    of(Comm_split_type) of(Comm_idup) of(Comm_dup_with_info) of(Comm_set_info) of(Comm_get_info) of(Errhandler_c2f) \
    of(Errhandler_f2c) of(Info_c2f) of(Info_f2c) of(Status_c2f) of(Status_f2c) of(Mprobe) of(Improbe) of(Mrecv) \
    of(Imrecv) of(Message_c2f) of(Message_f2c) of(Pack_external) of(Unpack_external) of(Pack_external_size) \
    of(Open_port) of(Close_port) of(Comm_accept) of(Comm_connect) of(Publish_name) of(Unpublish_name) of(Lookup_name) \
    of(Win_create) of(Win_allocate) of(Win_allocate_shared) of(Win_shared_query) of(Win_create_dynamic) \
    of(Win_attach) of(Win_detach) of(Win_free) of(Win_get_group) of(Win_set_name) of(Win_get_name) of(Win_set_info) \
    of(Win_get_info) of(Win_create_errhandler) of(Win_set_errhandler) of(Win_get_errhandler) of(Win_call_errhandler) \
    of(Win_create_keyval) of(Win_free_keyval) of(Win_set_attr) of(Win_get_attr) of(Win_delete_attr) of(Put) of(Get) \
    of(Accumulate) of(Get_accumulate) of(Fetch_and_op) of(Compare_and_swap) of(Rput) of(Rget) of(Raccumulate) \
    of(Rget_accumulate) of(Win_fence) of(Win_post) of(Win_start) of(Win_complete) of(Win_wait) of(Win_test) \
    of(Win_lock) of(Win_unlock) of(Win_lock_all) of(Win_unlock_all) of(Win_flush) of(Win_flush_all) \
    of(Win_flush_local) of(Win_flush_local_all) of(Win_sync) of(Win_c2f) of(Win_f2c) \
    of(T_init_thread) of(T_finalize) of(T_cvar_get_num) of(T_cvar_get_info) of(T_cvar_get_index) \
    of(T_cvar_handle_alloc) of(T_cvar_handle_free) of(T_cvar_read) of(T_cvar_write) of(T_pvar_session_create) \
    of(T_pvar_session_free) of(T_pvar_get_num) of(T_pvar_get_info) of(T_pvar_get_index) of(T_pvar_handle_alloc) \
    of(T_pvar_handle_free) of(T_pvar_start) of(T_pvar_stop) of(T_pvar_reset) of(T_pvar_read) of(T_pvar_write) \
    of(T_pvar_readreset) of(T_category_get_num) of(T_category_changed) of(T_category_get_info) \
    of(T_category_get_index) of(T_category_get_cvars) of(T_category_get_pvars) of(T_category_get_categories) \
    of(T_enum_get_info) of(T_enum_get_item) \
    of(Ibarrier) of(Ibcast) of(Igather) of(Igatherv) of(Iscatter) of(Iscatterv) of(Iallgather) of(Iallgatherv) \
    of(Ialltoall) of(Ialltoallv) of(Ialltoallw) of(Ireduce) of(Iallreduce) of(Ireduce_scatter) \
    of(Ireduce_scatter_block) of(Iscan) of(Iexscan) of(Dist_graph_create) of(Dist_graph_create_adjacent) \
    of(Dist_graph_neighbors) of(Dist_graph_neighbors_count) of(Neighbor_allgather) of(Neighbor_allgatherv) \
    of(Neighbor_alltoall) of(Neighbor_alltoallv) of(Neighbor_alltoallw) of(Ineighbor_allgather) \
    of(Ineighbor_allgatherv) of(Ineighbor_alltoall) of(Ineighbor_alltoallv) of(Ineighbor_alltoallw)
#define SIMKIT_MPI_SECOND(name) __typeof__(MPI_##name) PMPI_##name;
SIMKIT_MPI_CALLS(SIMKIT_MPI_SECOND)
#undef SIMKIT_MPI_SECOND

#define SIMKIT_MPI_BOTH(result, name, arguments) result MPI_##name arguments, PMPI_##name arguments;
/* clang-format off */
/* -- connections over a socket are not implemented: this compiles, but does not link -- */
SIMKIT_MPI_BOTH(int, Comm_join, (int, MPI_Comm *))
/* -- files are not modelled: these return MPI_ERR_UNSUPPORTED_OPERATION through the error handler of MPI_FILE_NULL -- */
SIMKIT_MPI_BOTH(MPI_Fint, File_c2f, (MPI_File))
SIMKIT_MPI_BOTH(MPI_File, File_f2c, (MPI_Fint))
SIMKIT_MPI_BOTH(int, File_call_errhandler, (MPI_File, int))
SIMKIT_MPI_BOTH(int, File_create_errhandler, (MPI_File_errhandler_function *, MPI_Errhandler *))
SIMKIT_MPI_BOTH(int, File_set_errhandler, (MPI_File, MPI_Errhandler))
SIMKIT_MPI_BOTH(int, File_get_errhandler, (MPI_File, MPI_Errhandler *))
SIMKIT_MPI_BOTH(int, File_open, (MPI_Comm, const char *, int, MPI_Info, MPI_File *))
SIMKIT_MPI_BOTH(int, File_close, (MPI_File *))
SIMKIT_MPI_BOTH(int, File_delete, (const char *, MPI_Info))
SIMKIT_MPI_BOTH(int, File_set_size, (MPI_File, MPI_Offset))
SIMKIT_MPI_BOTH(int, File_preallocate, (MPI_File, MPI_Offset))
SIMKIT_MPI_BOTH(int, File_get_size, (MPI_File, MPI_Offset *))
SIMKIT_MPI_BOTH(int, File_get_group, (MPI_File, MPI_Group *))
SIMKIT_MPI_BOTH(int, File_get_amode, (MPI_File, int *))
SIMKIT_MPI_BOTH(int, File_set_info, (MPI_File, MPI_Info))
SIMKIT_MPI_BOTH(int, File_get_info, (MPI_File, MPI_Info *))
SIMKIT_MPI_BOTH(int, File_set_view, (MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char *, MPI_Info))
SIMKIT_MPI_BOTH(int, File_get_view, (MPI_File, MPI_Offset *, MPI_Datatype *, MPI_Datatype *, char *))
SIMKIT_MPI_BOTH(int, File_read_at, (MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_read_at_all, (MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write_at, (MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write_at_all, (MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_iread_at, (MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_iwrite_at, (MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_iread_at_all, (MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_iwrite_at_all, (MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_read, (MPI_File, void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_read_all, (MPI_File, void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write, (MPI_File, const void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write_all, (MPI_File, const void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_iread, (MPI_File, void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_iwrite, (MPI_File, const void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_iread_all, (MPI_File, void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_iwrite_all, (MPI_File, const void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_seek, (MPI_File, MPI_Offset, int))
SIMKIT_MPI_BOTH(int, File_get_position, (MPI_File, MPI_Offset *))
SIMKIT_MPI_BOTH(int, File_get_byte_offset, (MPI_File, MPI_Offset, MPI_Offset *))
SIMKIT_MPI_BOTH(int, File_read_shared, (MPI_File, void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write_shared, (MPI_File, const void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_iread_shared, (MPI_File, void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_iwrite_shared, (MPI_File, const void *, int, MPI_Datatype, MPI_Request *))
SIMKIT_MPI_BOTH(int, File_read_ordered, (MPI_File, void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write_ordered, (MPI_File, const void *, int, MPI_Datatype, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_seek_shared, (MPI_File, MPI_Offset, int))
SIMKIT_MPI_BOTH(int, File_get_position_shared, (MPI_File, MPI_Offset *))
SIMKIT_MPI_BOTH(int, File_read_at_all_begin, (MPI_File, MPI_Offset, void *, int, MPI_Datatype))
SIMKIT_MPI_BOTH(int, File_read_at_all_end, (MPI_File, void *, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write_at_all_begin, (MPI_File, MPI_Offset, const void *, int, MPI_Datatype))
SIMKIT_MPI_BOTH(int, File_write_at_all_end, (MPI_File, const void *, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_read_all_begin, (MPI_File, void *, int, MPI_Datatype))
SIMKIT_MPI_BOTH(int, File_read_all_end, (MPI_File, void *, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write_all_begin, (MPI_File, const void *, int, MPI_Datatype))
SIMKIT_MPI_BOTH(int, File_write_all_end, (MPI_File, const void *, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_read_ordered_begin, (MPI_File, void *, int, MPI_Datatype))
SIMKIT_MPI_BOTH(int, File_read_ordered_end, (MPI_File, void *, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_write_ordered_begin, (MPI_File, const void *, int, MPI_Datatype))
SIMKIT_MPI_BOTH(int, File_write_ordered_end, (MPI_File, const void *, MPI_Status *))
SIMKIT_MPI_BOTH(int, File_get_type_extent, (MPI_File, MPI_Datatype, MPI_Aint *))
SIMKIT_MPI_BOTH(int, File_set_atomicity, (MPI_File, int))
SIMKIT_MPI_BOTH(int, File_get_atomicity, (MPI_File, int *))
SIMKIT_MPI_BOTH(int, File_sync, (MPI_File))
SIMKIT_MPI_BOTH(int, Register_datarep,
        (const char *, MPI_Datarep_conversion_function *, MPI_Datarep_conversion_function *,
         MPI_Datarep_extent_function *, void *))
/* clang-format on */
#undef SIMKIT_MPI_BOTH

#ifdef __cplusplus
}
#endif
#endif
