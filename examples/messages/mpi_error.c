/* mpi_error.c - MPI: classes, codes and texts of errors, and error handlers of communicators, windows and files. */
#include "mpi_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>classes, codes and texts
 *===========================================================================*/

int PMPI_Add_error_class(int *which)
{
    if (!which) return mpi_fail(NULL, MPI_ERR_ARG);
    *which = mpi_error_add(0);
    return MPI_SUCCESS;
}

int PMPI_Add_error_code(int which, int *code)
{
    if (!code) return mpi_fail(NULL, MPI_ERR_ARG);
    *code = mpi_error_add(which);
    return MPI_SUCCESS;
}

int PMPI_Add_error_string(int code, const char *text)
{
    if (!text) return mpi_fail(NULL, MPI_ERR_ARG);
    mpi_added *a = mpi_error_added(code);
    if (!a) return mpi_fail(NULL, MPI_ERR_ARG);
    snprintf(a->text, sizeof a->text, "%s", text);
    return MPI_SUCCESS;
}

int PMPI_Error_class(int code, int *which)
{
    if (!which) return mpi_fail(NULL, MPI_ERR_ARG);
    if (!mpi_error_is(code)) return mpi_fail(NULL, MPI_ERR_ARG);
    const mpi_added *a = mpi_error_added(code);
    *which = a ? a->which : code;
    return MPI_SUCCESS;
}

int PMPI_Error_string(int code, char *text, int *length)
{
    if (!text || !length) return mpi_fail(NULL, MPI_ERR_ARG);
    if (!mpi_error_is(code)) return mpi_fail(NULL, MPI_ERR_ARG);
    mpi_error_text(code, text, MPI_MAX_ERROR_STRING);
    *length = (int)strlen(text);
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>error handlers
 *===========================================================================*/

static int error__handler_new(MPI_Comm_errhandler_function *function, MPI_Win_errhandler_function *of_windows,
                              MPI_File_errhandler_function *of_files, MPI_Errhandler *handler)
{
    MPI_Errhandler h = calloc(1, sizeof *h);
    if (!h) return mpi_fail(NULL, MPI_ERR_NO_MEM);
    h->references = 1;
    h->function = function;
    h->of_windows = of_windows;
    h->of_files = of_files;
    *handler = h;
    return MPI_SUCCESS;
}

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler)
{
    return function && handler ? MPI_AS(error__handler_new(function, NULL, NULL, handler))
                               : mpi_fail(NULL, MPI_ERR_ARG);
}

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler)
{
    return function && handler ? MPI_AS(error__handler_new(NULL, function, NULL, handler))
                               : mpi_fail(NULL, MPI_ERR_ARG);
}

int PMPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *handler)
{
    return MPI_AS(PMPI_Comm_create_errhandler(function, handler));
}

int PMPI_Errhandler_free(MPI_Errhandler *handler)
{
    if (!handler || !*handler) return mpi_fail(NULL, MPI_ERR_ARG);
    if ((*handler)->references > 0 && --(*handler)->references == 0) free(*handler);
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!handler) return mpi_fail(comm, MPI_ERR_ARG);
    if (handler->references > 0) ++handler->references;
    if (comm->errhandler) PMPI_Errhandler_free(&comm->errhandler);
    comm->errhandler = handler;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!handler) return mpi_fail(comm, MPI_ERR_ARG);
    *handler = comm->errhandler ? comm->errhandler : MPI_ERRORS_ARE_FATAL;
    if ((*handler)->references > 0) (*handler)->references++;
    return MPI_SUCCESS;
}

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler)
{
    return MPI_AS(PMPI_Comm_set_errhandler(comm, handler));
}

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *handler)
{
    return MPI_AS(PMPI_Comm_get_errhandler(comm, handler));
}

static mpi_numbered handlers;

MPI_Fint PMPI_Errhandler_c2f(MPI_Errhandler handler)
{
    return handler ? mpi_number_of(&handlers, handler, &handler->number) : 0;
}

MPI_Errhandler PMPI_Errhandler_f2c(MPI_Fint number)
{
    return mpi_handle_of(&handlers, number);
}

int PMPI_Comm_call_errhandler(MPI_Comm comm, int code)
{
    int wrong = mpi_comm_check(comm);
    if (wrong) return mpi_fail(NULL, wrong);
    mpi_raise(mpi_call_of(__func__), comm, code);
    return MPI_SUCCESS;
}

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (!handler || handler->function) return mpi_win_fail(win, MPI_ERR_ARG);
    if (handler->references > 0) ++handler->references;
    PMPI_Errhandler_free(&win->errhandler);
    win->errhandler = handler;
    return MPI_SUCCESS;
}

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *handler)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (!handler) return mpi_win_fail(win, MPI_ERR_ARG);
    *handler = win->errhandler;
    if (win->errhandler->references > 0) ++win->errhandler->references;
    return MPI_SUCCESS;
}

int PMPI_Win_call_errhandler(MPI_Win win, int code)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    mpi_raise_win(mpi_call_of(__func__), win, code);
    return MPI_SUCCESS;
}

/* -- files: of MPI_FILE_NULL, because there are no others -- */
static MPI_Errhandler for_files; /* NULL: MPI_ERRORS_RETURN */

static void error__raise_file(const char *call, int code)
{
    const MPI_Errhandler handler = for_files ? for_files : MPI_ERRORS_RETURN;
    MPI_File file = MPI_FILE_NULL;
    if (code == MPI_SUCCESS || handler == MPI_ERRORS_RETURN) return;
    if (!handler->of_files) mpi_end_by(call, code);
    const mpi_interlude i = mpi_interlude_begin();
    handler->of_files(&file, &code);
    mpi_interlude_end(&i);
}

int mpi_file_fail(const char *call)
{
    mpi_begin(call);
    messages_note_once(MESSAGES_ABOUT_FILES, NULL,
                       "files are not modelled: %s called %s" MESSAGES_HERE
                       " and got MPI_ERR_UNSUPPORTED_OPERATION, as for all calls for files",
                       messages_self->name, call);
    mpi_leave();
    error__raise_file(call, MPI_ERR_UNSUPPORTED_OPERATION);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

static int error__file_check(MPI_File file, const void *handler)
{
    return file ? MPI_ERR_FILE : handler ? MPI_SUCCESS : MPI_ERR_ARG;
}

int PMPI_File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *handler)
{
    return function && handler ? MPI_AS(error__handler_new(NULL, NULL, function, handler))
                               : mpi_fail(NULL, MPI_ERR_ARG);
}

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler handler)
{
    const int code = error__file_check(file, handler);
    error__raise_file("MPI_File_set_errhandler", code);
    if (code) return code;
    if (handler->references > 0) ++handler->references;
    if (for_files) PMPI_Errhandler_free(&for_files);
    for_files = handler;
    return MPI_SUCCESS;
}

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *handler)
{
    const int code = error__file_check(file, handler);
    error__raise_file("MPI_File_get_errhandler", code);
    if (code) return code;
    *handler = for_files ? for_files : MPI_ERRORS_RETURN;
    if ((*handler)->references > 0) ++(*handler)->references;
    return MPI_SUCCESS;
}

int PMPI_File_call_errhandler(MPI_File file, int code)
{
    if (file) return MPI_ERR_FILE;
    error__raise_file("MPI_File_call_errhandler", code);
    return MPI_SUCCESS;
}

/* clang-format off */
MPI_FIRST(Add_error_class) MPI_FIRST(Add_error_code) MPI_FIRST(Add_error_string) MPI_FIRST(Error_class)
MPI_FIRST(Error_string) MPI_FIRST(Comm_create_errhandler) MPI_FIRST(Errhandler_create) MPI_FIRST(Errhandler_free)
MPI_FIRST(Comm_set_errhandler) MPI_FIRST(Comm_get_errhandler) MPI_FIRST(Errhandler_set) MPI_FIRST(Errhandler_get)
MPI_FIRST(Comm_call_errhandler) MPI_FIRST(Win_create_errhandler) MPI_FIRST(Win_set_errhandler)
MPI_FIRST(Win_get_errhandler) MPI_FIRST(Win_call_errhandler) MPI_FIRST(File_create_errhandler)
MPI_FIRST(File_set_errhandler) MPI_FIRST(File_get_errhandler) MPI_FIRST(File_call_errhandler) MPI_FIRST(Errhandler_c2f)
MPI_FIRST(Errhandler_f2c)
    /* clang-format on */
