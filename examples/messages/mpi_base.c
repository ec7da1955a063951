/* mpi_base.c - MPI: the base of all calls: memory, numbers of handles, checks of arguments, texts of errors, and the
 * beginning and the end of a call. All other files of the MPI layer stand on this one, which calls none of them. */
#include "mpi_core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mpi_errhandler simkit_mpi_fatal, simkit_mpi_return;
struct mpi_comm simkit_mpi_world = { .references = 1, .name = "MPI_COMM_WORLD", .always = true };
struct mpi_comm simkit_mpi_myself = { .references = 1, .name = "MPI_COMM_SELF", .always = true };

/* The linker takes only those files of libmessages.a that others refer to. This refers to mpi.c wherever there is a part
 * of MPI: a shared library that calls MPI then has MPI_Init for programs that load it. Nothing here calls it. */
__attribute__((used)) static int (*const with_init)(int *, char ***) = PMPI_Init;

mpi_state mpi_layer;
mpi_calling mpi_now;
void (*mpi_leaving)(void);

bool mpi_running(void)
{
    return mpi_layer.initialized && !mpi_layer.finalized;
}

/*=============================================================================
 * MARK: - >>memory and handles
 *===========================================================================*/

void *mpi_new(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block) messages_end(1, "%s: no memory for %zu elements", messages_self->name, count);
    return block;
}

void mpi_retire(void *block)
{
    enum { RETIRED = 256 };
    static void **retired; /* retired[RETIRED]; elsewhere, because ranks that share a process compare static data */
    static unsigned next;
    if (!retired) retired = mpi_new(RETIRED, sizeof *retired);
    free(retired[next]);
    retired[next] = block;
    next = (next + 1) % RETIRED;
}

enum { MADE = 128 }; /* different pairs of a kind and a call; more are not counted */
typedef struct counted {
    mpi_kind kind;
    const char *call;
    uint64_t count;
} counted;
static counted *made; /* made[MADE]; NULL: none */

int mpi_made(mpi_kind kind, const char *call)
{
    int i = 0;
    if (!made) made = mpi_new(MADE, sizeof *made);
    while (i < MADE && made[i].call && (made[i].kind != kind || strcmp(made[i].call, call) != 0)) ++i;
    if (i == MADE) return 0;
    made[i].kind = kind;
    made[i].call = call;
    ++made[i].count;
    return i + 1;
}

void mpi_unmade(int *place)
{
    if (*place > 0) --made[*place - 1].count;
    *place = 0;
}

void mpi_made_note(void)
{
    static const char *const kinds[MPI_KINDS] = { "a communicator", "a group", "a datatype", "an operation",
                                                  "a window" };
    for (int i = 0; made && i < MADE && made[i].call; ++i)
        if (made[i].count > 0)
            messages_note_add(-1, made[i].count, NULL, "%s%s%s was never freed", kinds[made[i].kind],
                              made[i].call[0] ? " made by " : "", made[i].call);
}

/* Adds a handle to a table, and returns its number. */
static int mpi__handle_add(mpi_numbered *all, void *handle)
{
    const messages_task *rank = messages_self ? messages_rank_of(messages_self) : NULL; /* NULL: before the run */
    const bool common = all->owner != rank;
    void **handles = realloc(common ? NULL : all->handles, (size_t)(all->count + 1) * sizeof *handles);
    if (!handles) messages_end(1, "no memory for a handle");
    if (common && all->count > 0) memcpy(handles, all->handles, (size_t)all->count * sizeof *handles);
    all->handles = handles;
    all->owner = rank;
    handles[all->count++] = handle;
    return all->count;
}

int mpi_number_of(mpi_numbered *all, void *handle, int *number)
{
    if (*number == 0) *number = mpi__handle_add(all, handle);
    return *number;
}

void *mpi_handle_of(const mpi_numbered *all, int number)
{
    return number >= 1 && number <= all->count ? all->handles[number - 1] : NULL;
}

/*=============================================================================
 * MARK: - >>checks
 *===========================================================================*/

int mpi_count_wrong(int count)
{
    return mpi_explain(MPI_ERR_COUNT, "a count is %d, expected 0 or more", count);
}

int mpi_rank_wrong(int code, const char *what, int rank, int size)
{
    return mpi_explain(code, "invalid %s %d, expected 0 .. %d", what, rank, size - 1);
}

int mpi_comm_check(MPI_Comm comm)
{
    if (!comm) return mpi_explain(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
    if (comm->references <= 0) return mpi_explain(MPI_ERR_COMM, "the communicator was freed");
    if (!comm->group)
        messages_end(1, "%s used a communicator before MPI_Init%s", messages_self->name, messages_where(messages_self));
    if (messages_self->family.finalized)
        messages_end(1, "%s used a communicator after MPI_Finalize%s", messages_self->name,
                     messages_where(messages_self));
    return MPI_SUCCESS;
}

bool mpi_type_is(MPI_Datatype t)
{
    return t != MPI_DATATYPE_NULL && !t->freed;
}

int mpi_type_check(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL) return mpi_explain(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
    if (!mpi_type_is(type)) return mpi_explain(MPI_ERR_TYPE, "the datatype was freed");
    return type->committed ? MPI_SUCCESS : mpi_explain(MPI_ERR_TYPE, "the datatype has not been committed");
}

int mpi_data_check(const void *data, int count, MPI_Datatype type)
{
    if (count < 0) return mpi_count_wrong(count);
    const int code = mpi_type_check(type);
    if (code) return code;
    if (!data && count > 0 && type->size > 0 && type->true_lb == 0) return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>errors
 *===========================================================================*/

static const struct {
    const char *name, *text;
} errors[] = { { "MPI_SUCCESS", "no error" },
               { "MPI_ERR_BUFFER", "the buffer is missing or too small" },
               { "MPI_ERR_COUNT", "a count is negative" },
               { "MPI_ERR_TYPE", "invalid datatype" },
               { "MPI_ERR_TAG", "a tag is not in 0 .. MPI_TAG_UB" },
               { "MPI_ERR_COMM", "invalid communicator" },
               { "MPI_ERR_RANK", "invalid rank" },
               { "MPI_ERR_REQUEST", "invalid request, or it was freed" },
               { "MPI_ERR_ROOT", "invalid root" },
               { "MPI_ERR_GROUP", "invalid group" },
               { "MPI_ERR_OP", "invalid operation, or not defined for this datatype" },
               { "MPI_ERR_TOPOLOGY", "the communicator has no such topology" },
               { "MPI_ERR_DIMS", "invalid dimensions" },
               { "MPI_ERR_ARG", "invalid argument" },
               { "MPI_ERR_UNKNOWN", "unknown error" },
               { "MPI_ERR_TRUNCATE", "the message is longer than the receive buffer" },
               { "MPI_ERR_OTHER", "other error" },
               { "MPI_ERR_INTERN", "internal error" },
               { "MPI_ERR_IN_STATUS", "see the statuses for the error" },
               { "MPI_ERR_PENDING", "pending: not complete, but without an error" },
               { "MPI_ERR_KEYVAL", "invalid attribute key" },
               { "MPI_ERR_NO_MEM", "no memory" },
               { "MPI_ERR_BASE", "invalid base address" },
               { "MPI_ERR_INFO", "invalid info object" },
               { "MPI_ERR_INFO_KEY", "the key is too long" },
               { "MPI_ERR_INFO_VALUE", "the value is too long" },
               { "MPI_ERR_INFO_NOKEY", "the info object does not have this key" },
               { "MPI_ERR_SPAWN", "a process could not be started" },
               { "MPI_ERR_PORT", "there is no such port, or it is closed" },
               { "MPI_ERR_SERVICE", "unknown service name" },
               { "MPI_ERR_NAME", "unknown service name" },
               { "MPI_ERR_UNSUPPORTED_OPERATION", "not supported" },
               { "MPI_ERR_ACCESS", "permission denied" },
               { "MPI_ERR_AMODE", "invalid file access mode" },
               { "MPI_ERR_ASSERT", "invalid assertion" },
               { "MPI_ERR_BAD_FILE", "invalid file name" },
               { "MPI_ERR_CONVERSION", "a conversion function failed" },
               { "MPI_ERR_DISP", "invalid displacement" },
               { "MPI_ERR_DUP_DATAREP", "this data representation is already defined" },
               { "MPI_ERR_FILE", "invalid file handle" },
               { "MPI_ERR_FILE_EXISTS", "the file exists" },
               { "MPI_ERR_FILE_IN_USE", "the file is in use" },
               { "MPI_ERR_IO", "input or output failed" },
               { "MPI_ERR_LOCKTYPE", "invalid lock type" },
               { "MPI_ERR_NO_SPACE", "no space" },
               { "MPI_ERR_NO_SUCH_FILE", "the file does not exist" },
               { "MPI_ERR_NOT_SAME", "an argument is not the same on all ranks" },
               { "MPI_ERR_QUOTA", "the quota is used up" },
               { "MPI_ERR_READ_ONLY", "the file is read-only" },
               { "MPI_ERR_RMA_ATTACH", "memory cannot be attached to the window" },
               { "MPI_ERR_RMA_CONFLICT", "accesses to a window conflict" },
               { "MPI_ERR_RMA_FLAVOR", "the window was made by another call" },
               { "MPI_ERR_RMA_RANGE", "the memory is not in the window" },
               { "MPI_ERR_RMA_SHARED", "the memory cannot be shared" },
               { "MPI_ERR_RMA_SYNC", "accesses to a window are not synchronized" },
               { "MPI_ERR_SIZE", "invalid size" },
               { "MPI_ERR_UNSUPPORTED_DATAREP", "unknown data representation" },
               { "MPI_ERR_WIN", "invalid window" },
               { "MPI_T_ERR_MEMORY", "no memory for the tool interface" },
               { "MPI_T_ERR_NOT_INITIALIZED", "MPI_T_init_thread has not been called" },
               { "MPI_T_ERR_CANNOT_INIT", "the tool interface cannot be initialized" },
               { "MPI_T_ERR_INVALID", "invalid use of the tool interface" },
               { "MPI_T_ERR_INVALID_INDEX", "invalid index" },
               { "MPI_T_ERR_INVALID_ITEM", "invalid item" },
               { "MPI_T_ERR_INVALID_NAME", "invalid name" },
               { "MPI_T_ERR_INVALID_HANDLE", "invalid handle" },
               { "MPI_T_ERR_INVALID_SESSION", "invalid session" },
               { "MPI_T_ERR_OUT_OF_HANDLES", "no more handles" },
               { "MPI_T_ERR_OUT_OF_SESSIONS", "no more sessions" },
               { "MPI_T_ERR_CVAR_SET_NOT_NOW", "the variable cannot be set now" },
               { "MPI_T_ERR_CVAR_SET_NEVER", "the variable cannot be set any more" },
               { "MPI_T_ERR_PVAR_NO_STARTSTOP", "the variable cannot be started or stopped" },
               { "MPI_T_ERR_PVAR_NO_WRITE", "the variable cannot be written" },
               { "MPI_T_ERR_PVAR_NO_ATOMIC", "the variable cannot be read and reset at once" } };
#define ERRORS ((int)(sizeof errors / sizeof *errors))

static mpi_added *added; /* added[added_count] */
static int added_count;

int mpi_error_add(int which)
{
    added = realloc(added, (size_t)(added_count + 1) * sizeof *added);
    if (!added) messages_end(1, "no memory for an error code");
    memset(&added[added_count], 0, sizeof *added);
    added[added_count].which = which ? which : MPI_ERR_LASTCODE + 1 + added_count;
    return MPI_ERR_LASTCODE + 1 + added_count++;
}

mpi_added *mpi_error_added(int code)
{
    int place = code - MPI_ERR_LASTCODE - 1;
    return place >= 0 && place < added_count ? &added[place] : NULL;
}

int mpi_error_last(void)
{
    return MPI_ERR_LASTCODE + added_count;
}

bool mpi_error_is(int code)
{
    return mpi_error_added(code) || (code >= 0 && code < ERRORS);
}

void mpi_error_text(int code, char *text, size_t room)
{
    const mpi_added *a = mpi_error_added(code);
    if (a)
        snprintf(text, room, "%s", a->text);
    else if (code >= 0 && code < ERRORS)
        snprintf(text, room, "%s: %s", errors[code].name, errors[code].text);
    else
        snprintf(text, room, "error %d", code);
}

bool mpi_errors_return(MPI_Comm comm)
{
    return comm->errhandler && comm->errhandler != MPI_ERRORS_ARE_FATAL;
}

/* The explanation is the mistake in the arguments of a call that returns `explained`; or what MPI_ERR_TRUNCATE's own text lacks: the
 * message that was too long. */
int mpi_explain(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(mpi_now.explanation, sizeof mpi_now.explanation, format, arguments);
    va_end(arguments);
    mpi_now.explained = code;
    return code;
}

static void mpi__explanation_drop(void)
{
    mpi_now.explanation[0] = 0;
    mpi_now.explained = MPI_SUCCESS;
}

char *mpi_too_long_text(void)
{
    return mpi_now.explanation;
}

void mpi_end_by(const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    mpi_error_text(code, text, sizeof text);
    if (mpi_now.explained == code && code < ERRORS)
        snprintf(text, sizeof text, "%s: %s", errors[code].name, mpi_now.explanation);
    messages_flush(); /* earlier ones first */
    messages_end(1, "%s in %s%s at %.9g s: %s%s", messages_self->name, call, messages_where(messages_self),
                 messages_now(), text,
                 code == MPI_ERR_TRUNCATE || code == MPI_ERR_IN_STATUS ? mpi_now.explanation : "");
}

void mpi_raise(const char *call, MPI_Comm comm, int code)
{
    MPI_Comm on = comm ? comm : MPI_COMM_WORLD;
    MPI_Errhandler handler = on->errhandler ? on->errhandler : MPI_ERRORS_ARE_FATAL;
    if (handler == MPI_ERRORS_RETURN) return;
    if (!handler->function) mpi_end_by(call, code);
    const mpi_interlude i = mpi_interlude_begin();
    handler->function(&on, &code);
    mpi_interlude_end(&i);
}

void mpi_raise_win(const char *call, MPI_Win win, int code)
{
    if (!win) {
        mpi_raise(call, NULL, code);
        return;
    }
    if (win->errhandler == MPI_ERRORS_RETURN) return;
    if (!win->errhandler->of_windows) mpi_end_by(call, code);
    const mpi_interlude i = mpi_interlude_begin();
    win->errhandler->of_windows(&win, &code);
    mpi_interlude_end(&i);
}

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/

mpi_interlude mpi_interlude_begin(void)
{
    mpi_interlude i = { messages_is_inside(), mpi_now.depth, mpi_now.call, mpi_now.outer, "" };
    if (i.inside) memcpy(i.call, messages_self->call, sizeof i.call);
    mpi_now.outer = NULL;
    mpi_now.depth = 0;
    return i;
}

void mpi_interlude_end(const mpi_interlude *i)
{
    mpi_now.call = i->mpi_call;
    mpi_now.outer = i->called;
    mpi_now.depth = i->called_depth;
    if (i->inside) messages_go_on(i->call);
}

void mpi_called(const char *function)
{
    if (mpi_now.depth++ == 0) mpi_now.outer = function;
}

int mpi_returned(int code)
{
    if (--mpi_now.depth == 0) mpi_now.outer = NULL;
    return code;
}

const char *mpi_call_of(const char *function)
{
    return (mpi_now.outer ? mpi_now.outer : function) + strlen("P");
}

/* A thread called that may not: another one has called MPI_Init, or MPI_Init_thread without asking for more. */
static void mpi__other_thread(const char *call)
{
    char threads[64] = "";
    if (messages_self->thread != mpi_layer.thread)
        snprintf(threads, sizeof threads, " (thread %u, not thread %u)", (unsigned)messages_self->thread,
                 (unsigned)mpi_layer.thread);
    messages_note_add(-1, 1, NULL,
                      "%s: a thread other than that of MPI_Init%s called %s" MESSAGES_HERE ", but %s was provided",
                      messages_self->name, threads, call,
                      mpi_layer.threads == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED");
}

void mpi_begin(const char *call)
{
    if (!mpi_layer.initialized || mpi_layer.finalized)
        messages_end(1, "%s called %s%s %s", messages_self->name, call, messages_where(messages_self),
                     mpi_layer.finalized ? "after MPI_Finalize" : "before MPI_Init");
    const char *name = mpi_now.outer ? mpi_call_of(mpi_now.outer) : call;
    if (!messages_alone(name) && mpi_layer.threads < MPI_THREAD_SERIALIZED) mpi__other_thread(name);
    mpi_now.call = name;
    messages_enter(name);
}

void mpi_leave(void)
{
    if (mpi_leaving) mpi_leaving();
    messages_leave();
}

int mpi_end(MPI_Comm comm, int code)
{
    mpi_leave();
    if (code != MPI_SUCCESS) mpi_raise(messages_self->call, comm, code);
    mpi__explanation_drop();
    return code;
}

int mpi_win_end(MPI_Win win, int code)
{
    mpi_leave();
    if (code != MPI_SUCCESS) mpi_raise_win(messages_self->call, win, code);
    mpi__explanation_drop();
    return code;
}

int mpi_win_fail_in(const char *function, MPI_Win win, int code)
{
    if (code != MPI_SUCCESS) mpi_raise_win(mpi_call_of(function), win, code);
    mpi__explanation_drop();
    return code;
}

int mpi_fail_in(const char *function, MPI_Comm comm, int code)
{
    if (code != MPI_SUCCESS) mpi_raise(mpi_call_of(function), comm, code);
    mpi__explanation_drop();
    return code;
}
