/* mpi_tool.c - the tool interface of MPI 3, MPI_T. There are no variables and no categories, so every index and every handle is
 * wrong; tools that list what there is find nothing. It may be used before MPI_Init() and after MPI_Finalize(). */
#include "mpi_core.h"

struct mpi_tool_handle {
    int unused;
};
struct mpi_tool_handle simkit_mpi_all_handles;
static struct mpi_tool_handle session; /* all sessions are alike */
static int opened;

int PMPI_T_init_thread(int required, int *provided)
{
    if (!provided) return MPI_T_ERR_INVALID;
    *provided = required > MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE : required;
    ++opened;
    return MPI_SUCCESS;
}

int PMPI_T_finalize(void)
{
    if (opened == 0) return MPI_T_ERR_NOT_INITIALIZED;
    --opened;
    return MPI_SUCCESS;
}

static int tool__number(int *number)
{
    if (opened == 0) return MPI_T_ERR_NOT_INITIALIZED;
    if (!number) return MPI_T_ERR_INVALID;
    *number = 0;
    return MPI_SUCCESS;
}

/* The arguments of a call that fails in any case are looked at by nobody. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NUMBER_OF(name)                                                                                                \
    int PMPI_T_##name(int *number)                                                                                     \
    {                                                                                                                  \
        return tool__number(number);                                                                                   \
    }                                                                                                                  \
    MPI_FIRST(T_##name)
#define FAILS(name, code, ...)                                                                                         \
    int PMPI_T_##name(__VA_ARGS__)                                                                                     \
    {                                                                                                                  \
        return opened == 0 ? MPI_T_ERR_NOT_INITIALIZED : (code);                                                       \
    }                                                                                                                  \
    MPI_FIRST(T_##name)

NUMBER_OF(cvar_get_num)
FAILS(cvar_get_info, MPI_T_ERR_INVALID_INDEX, int index, char *name, int *name_length, int *verbosity,
      MPI_Datatype *type, MPI_T_enum *values, char *text, int *text_length, int *bind, int *scope)
FAILS(cvar_get_index, MPI_T_ERR_INVALID_NAME, const char *name, int *index)
FAILS(cvar_handle_alloc, MPI_T_ERR_INVALID_INDEX, int index, void *object, MPI_T_cvar_handle *handle, int *count)
FAILS(cvar_handle_free, MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_handle *handle)
FAILS(cvar_read, MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_handle handle, void *value)
FAILS(cvar_write, MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_handle handle, const void *value)

NUMBER_OF(pvar_get_num)
FAILS(pvar_get_info, MPI_T_ERR_INVALID_INDEX, int index, char *name, int *name_length, int *verbosity, int *kind,
      MPI_Datatype *type, MPI_T_enum *values, char *text, int *text_length, int *bind, int *readonly, int *continuous,
      int *atomic)
FAILS(pvar_get_index, MPI_T_ERR_INVALID_NAME, const char *name, int kind, int *index)

int PMPI_T_pvar_session_create(MPI_T_pvar_session *made)
{
    if (opened == 0) return MPI_T_ERR_NOT_INITIALIZED;
    if (!made) return MPI_T_ERR_INVALID;
    *made = &session;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_session_free(MPI_T_pvar_session *made)
{
    if (opened == 0) return MPI_T_ERR_NOT_INITIALIZED;
    if (!made || *made != &session) return MPI_T_ERR_INVALID_SESSION;
    *made = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}

/* There are no variables, so there is no handle: "all handles" of the session succeeds, and any other is invalid. */
static int tool__handle(MPI_T_pvar_session of, MPI_T_pvar_handle handle)
{
    return of != &session                     ? MPI_T_ERR_INVALID_SESSION
           : handle == MPI_T_PVAR_ALL_HANDLES ? MPI_SUCCESS
                                              : MPI_T_ERR_INVALID_HANDLE;
}

FAILS(pvar_handle_alloc, of == &session ? MPI_T_ERR_INVALID_INDEX : MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_session of,
      int index, void *object, MPI_T_pvar_handle *handle, int *count)
FAILS(pvar_handle_free, MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_session of, MPI_T_pvar_handle *handle)
FAILS(pvar_start, tool__handle(of, handle), MPI_T_pvar_session of, MPI_T_pvar_handle handle)
FAILS(pvar_stop, tool__handle(of, handle), MPI_T_pvar_session of, MPI_T_pvar_handle handle)
FAILS(pvar_reset, tool__handle(of, handle), MPI_T_pvar_session of, MPI_T_pvar_handle handle)
FAILS(pvar_read, MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_session of, MPI_T_pvar_handle handle, void *value)
FAILS(pvar_write, MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_session of, MPI_T_pvar_handle handle, const void *value)
FAILS(pvar_readreset, MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_session of, MPI_T_pvar_handle handle, void *value)

NUMBER_OF(category_get_num)
NUMBER_OF(category_changed)
FAILS(category_get_info, MPI_T_ERR_INVALID_INDEX, int index, char *name, int *name_length, char *text, int *text_length,
      int *cvars, int *pvars, int *categories)
FAILS(category_get_index, MPI_T_ERR_INVALID_NAME, const char *name, int *index)
FAILS(category_get_cvars, MPI_T_ERR_INVALID_INDEX, int index, int length, int indices[])
FAILS(category_get_pvars, MPI_T_ERR_INVALID_INDEX, int index, int length, int indices[])
FAILS(category_get_categories, MPI_T_ERR_INVALID_INDEX, int index, int length, int indices[])
FAILS(enum_get_info, MPI_T_ERR_INVALID, MPI_T_enum values, int *count, char *name, int *name_length)
FAILS(enum_get_item, MPI_T_ERR_INVALID, MPI_T_enum values, int index, int *value, char *name, int *name_length)

MPI_FIRST(T_init_thread)
MPI_FIRST(T_finalize)
MPI_FIRST(T_pvar_session_create)
MPI_FIRST(T_pvar_session_free)
