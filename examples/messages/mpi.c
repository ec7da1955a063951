/* mpi.c - MPI: start and end, time, errors, attributes and info objects. */
#define _GNU_SOURCE
#include "mpi_core.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/*=============================================================================
 * MARK: - >>errors
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

static int mpi__handler_new(MPI_Comm_errhandler_function *function, MPI_Win_errhandler_function *of_windows,
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
    return function && handler ? MPI_AS(mpi__handler_new(function, NULL, NULL, handler)) : mpi_fail(NULL, MPI_ERR_ARG);
}

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler)
{
    return function && handler ? MPI_AS(mpi__handler_new(NULL, function, NULL, handler)) : mpi_fail(NULL, MPI_ERR_ARG);
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

static void mpi__handle_file(const char *call, int code)
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
    mpi__handle_file(call, MPI_ERR_UNSUPPORTED_OPERATION);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

static int mpi__file_check(MPI_File file, const void *handler)
{
    return file ? MPI_ERR_FILE : handler ? MPI_SUCCESS : MPI_ERR_ARG;
}

int PMPI_File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *handler)
{
    return function && handler ? MPI_AS(mpi__handler_new(NULL, NULL, function, handler)) : mpi_fail(NULL, MPI_ERR_ARG);
}

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler handler)
{
    const int code = mpi__file_check(file, handler);
    mpi__handle_file("MPI_File_set_errhandler", code);
    if (code) return code;
    if (handler->references > 0) ++handler->references;
    if (for_files) PMPI_Errhandler_free(&for_files);
    for_files = handler;
    return MPI_SUCCESS;
}

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *handler)
{
    const int code = mpi__file_check(file, handler);
    mpi__handle_file("MPI_File_get_errhandler", code);
    if (code) return code;
    *handler = for_files ? for_files : MPI_ERRORS_RETURN;
    if ((*handler)->references > 0) ++(*handler)->references;
    return MPI_SUCCESS;
}

int PMPI_File_call_errhandler(MPI_File file, int code)
{
    if (file) return MPI_ERR_FILE;
    mpi__handle_file("MPI_File_call_errhandler", code);
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>start and end
 *===========================================================================*/

static void mpi__left_early(int status, const char *last)
{
    char with[32] = "";
    if (!mpi_running()) return;
    messages_flush(); /* earlier ones first */
    if ((status & 255) != 0) snprintf(with, sizeof with, " with status %d", status & 255);
    messages_end(with[0] ? status & 255 : 1, "%s on %s ended%s%s at %.9g s without MPI_Finalize, after %s",
                 messages_self->name, messages->cluster.hosts[messages_self->host].name, with,
                 messages_where(messages_self), messages_now(), last);
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    messages_enter("MPI_Init");
    if (mpi_layer.initialized)
        messages_end(1, "%s called MPI_Init twice%s", messages_self->name, messages_where(messages_self));
    mpi_layer.initialized = messages_self->mpi = true;
    mpi_call = "MPI_Init";
    messages_alone(mpi_call);
    mpi_layer.threads = required > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : required;
    if (provided) *provided = mpi_layer.threads;
    if (required > MPI_THREAD_SERIALIZED)
        messages_note_once(MESSAGES_ABOUT_MULTIPLE, NULL,
                           "%s asked for MPI_THREAD_MULTIPLE" MESSAGES_HERE
                           " and got MPI_THREAD_SERIALIZED: one thread of a rank may be in a call at a time",
                           messages_self->name);
    mpi_comm_open();
    messages_before_exit(mpi__left_early);
    messages_leave();
    return MPI_SUCCESS;
}

int PMPI_Init(int *argc, char ***argv)
{
    return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, NULL);
}

int PMPI_Finalize(void)
{
    mpi_begin("MPI_Finalize");
    mpi_attributes_free(MPI_OF_COMM, MPI_COMM_SELF, &MPI_COMM_SELF->attributes);
    mpi_requests_note();
    mpi_share(MPI_COMM_WORLD, NULL, 0, NULL); /* all tasks have called MPI_Finalize */
    if (messages->warnings == MESSAGES_ALL_WARNINGS) mpi_made_note();
    mpi_layer.finalized = messages_self->finalized = true;
    messages_leave();
    return MPI_SUCCESS;
}

int PMPI_Initialized(int *flag)
{
    if (!flag) return mpi_fail(NULL, MPI_ERR_ARG);
    *flag = mpi_layer.initialized;
    return MPI_SUCCESS;
}

int PMPI_Finalized(int *flag)
{
    if (!flag) return mpi_fail(NULL, MPI_ERR_ARG);
    *flag = mpi_layer.finalized;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *provided)
{
    if (!provided) return mpi_fail(NULL, MPI_ERR_ARG);
    *provided = mpi_layer.threads;
    return MPI_SUCCESS;
}

int PMPI_Is_thread_main(int *flag)
{
    if (!flag) return mpi_fail(NULL, MPI_ERR_ARG);
    *flag = messages_first_thread();
    return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int code)
{
    (void)comm;
    mpi_begin("MPI_Abort");
    messages_flush(); /* earlier ones first */
    messages_end(code ? code & 255 : 1, "%s called MPI_Abort%s with %d at %.9g s", messages_self->name,
                 messages_where(messages_self), code, messages_now());
}

int PMPI_Get_version(int *version, int *subversion)
{
    if (!version || !subversion) return mpi_fail(NULL, MPI_ERR_ARG);
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int PMPI_Get_library_version(char *text, int *length)
{
    if (!text || !length) return mpi_fail(NULL, MPI_ERR_ARG);
    *length = snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "simkit %s", SIMKIT_VERSION);
    return MPI_SUCCESS;
}

int PMPI_Get_processor_name(char *name, int *length)
{
    if (!name || !length) return mpi_fail(NULL, MPI_ERR_ARG);
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "%s", messages->cluster.hosts[messages_self->host].name);
    return MPI_SUCCESS;
}

double PMPI_Wtime(void)
{
    static double last = -1;
    mpi_begin("MPI_Wtime");
    messages_flush();
    messages_leave();
    const double now = messages_now();
    if (now > last) messages_goes_on(); /* a loop that waits for a time makes progress */
    last = now;
    return now;
}

double PMPI_Wtick(void)
{
    return 1e-9;
}

int PMPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}

int PMPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *place)
{
    (void)info;
    if (!place) return mpi_fail(NULL, MPI_ERR_ARG);
    void *block = bytes < 0 ? NULL : malloc(bytes ? (size_t)bytes : 1);
    if (!block) return mpi_fail(NULL, bytes < 0 ? MPI_ERR_ARG : MPI_ERR_NO_MEM);
    *(void **)place = block;
    return MPI_SUCCESS;
}

int PMPI_Free_mem(void *block)
{
    free(block);
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>attributes
 *===========================================================================*/

enum { FIRST_KEY = 100 };

typedef struct key {
    bool used, freed;
    mpi_owner owner;
    mpi_setter functions; /* their language */
    union {
        MPI_Comm_copy_attr_function *comm;
        MPI_Type_copy_attr_function *type;
        MPI_Win_copy_attr_function *win;
    } copy;
    union {
        MPI_Comm_delete_attr_function *comm;
        MPI_Type_delete_attr_function *type;
        MPI_Win_delete_attr_function *win;
    } release;
    void *extra;
} key;

static key *keys;
static int key_count;

static key *mpi__key_of(int number, mpi_owner owner)
{
    int place = number - FIRST_KEY;
    return place >= 0 && place < key_count && keys[place].used && keys[place].owner == owner ? &keys[place] : NULL;
}

static key *mpi__key_new(mpi_owner owner, void *extra, int *number)
{
    keys = realloc(keys, (size_t)(key_count + 1) * sizeof *keys);
    if (!keys) messages_end(1, "no memory for an attribute");
    key *k = &keys[key_count];
    memset(k, 0, sizeof *k);
    k->used = true;
    k->owner = owner;
    k->extra = extra;
    *number = FIRST_KEY + key_count++;
    return k;
}

int simkit_mpi_copies(MPI_Comm comm, int number, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)number;
    (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

int simkit_mpi_type_copies(MPI_Datatype type, int number, void *extra, void *in, void *out, int *flag)
{
    (void)type;
    return simkit_mpi_copies(NULL, number, extra, in, out, flag);
}

int simkit_mpi_win_copies(MPI_Win win, int number, void *extra, void *in, void *out, int *flag)
{
    (void)win;
    return simkit_mpi_copies(NULL, number, extra, in, out, flag);
}

mpi_attribute *mpi_attribute_of(mpi_owner owner, void *of, int number)
{
    mpi_attribute *a = owner == MPI_OF_COMM   ? ((MPI_Comm)of)->attributes
                       : owner == MPI_OF_TYPE ? ((MPI_Datatype)of)->attributes
                                              : ((MPI_Win)of)->attributes;
    while (a && a->key != number) a = a->next;
    return a;
}

void mpi_attribute_number(mpi_attribute *a, mpi_setter by, MPI_Aint number)
{
    a->by = by;
    a->number = number;
    a->small = (MPI_Fint)number;
    a->value = (void *)(intptr_t)number;
}

void mpi_keyval_language(int number, mpi_setter functions)
{
    keys[number - FIRST_KEY].functions = functions;
}

/* The value of an attribute as functions and calls of C see it. */
static void *mpi__attribute_value(mpi_attribute *a)
{
    if (a->by == MPI_SET_BY_FORTRAN) return &a->number;
    return a->by == MPI_SET_BY_OLD_FORTRAN ? (void *)&a->small : a->value;
}

/* As the functions of a key see it: those of Fortran take numbers. */
static void *mpi__attribute_passed(const key *k, mpi_attribute *a)
{
    return k->functions == MPI_SET_BY_C ? mpi__attribute_value(a) : a->value;
}

/* Calls the delete function of an attribute, which may change all others, the list, and the keys. */
static int mpi__attribute_release(mpi_owner owner, void *from, mpi_attribute *a)
{
    const key *found = mpi__key_of(a->key, owner);
    if (!found) return MPI_SUCCESS;
    const key k = *found;
    void *value = mpi__attribute_passed(&k, a);
    int code = MPI_SUCCESS;
    const mpi_interlude i = mpi_interlude_begin();
    a->leaving = true;
    if (owner == MPI_OF_COMM && k.release.comm) code = k.release.comm(from, a->key, value, k.extra);
    if (owner == MPI_OF_TYPE && k.release.type) code = k.release.type(from, a->key, value, k.extra);
    if (owner == MPI_OF_WIN && k.release.win) code = k.release.win(from, a->key, value, k.extra);
    a->leaving = false;
    mpi_interlude_end(&i);
    return code;
}

/* A new attribute has what the copy function of a key gave: for C an address, which may be that of the number in the old one,
 * where C saw it. */
static int mpi__attribute_copied(const key *k, const mpi_attribute *from, const void *seen, void *value,
                                 mpi_attribute **copy)
{
    mpi_attribute *c = *copy = calloc(1, sizeof *c);
    if (!c) return MPI_ERR_NO_MEM;
    c->key = from->key;
    if (k->functions != MPI_SET_BY_C)
        mpi_attribute_number(c, k->functions, (MPI_Aint)(intptr_t)value);
    else if (from->by != MPI_SET_BY_C && value == seen)
        mpi_attribute_number(c, from->by, from->number);
    else
        c->value = value;
    return MPI_SUCCESS;
}

static int mpi__attribute_copy(mpi_owner owner, void *from, mpi_attribute *a, mpi_attribute **copy)
{
    const key *found = mpi__key_of(a->key, owner);
    if (!found) return MPI_SUCCESS;
    const key k = *found;
    const mpi_attribute was = *a; /* the function may delete it */
    void *value = mpi__attribute_passed(&k, a), *copied = NULL;
    int flag = 0, code = MPI_SUCCESS;
    const mpi_interlude i = mpi_interlude_begin();
    if (owner == MPI_OF_COMM && k.copy.comm) code = k.copy.comm(from, was.key, k.extra, value, &copied, &flag);
    if (owner == MPI_OF_TYPE && k.copy.type) code = k.copy.type(from, was.key, k.extra, value, &copied, &flag);
    mpi_interlude_end(&i);
    return code || !flag ? code : mpi__attribute_copied(&k, &was, value, copied, copy);
}

/* In the order in which they were set. The functions of the program may delete and set others meanwhile. */
int mpi_attributes_copy(mpi_owner owner, void *from, mpi_attribute *list, mpi_attribute **copies)
{
    int count = 0, code = MPI_SUCCESS;
    for (const mpi_attribute *a = list; a; a = a->next) ++count;
    int *numbers = mpi_new((size_t)count, sizeof *numbers);
    for (int i = 0; i < count; ++i, list = list->next) numbers[i] = list->key;
    for (int i = 0; i < count && !code; ++i) {
        mpi_attribute *a = mpi_attribute_of(owner, from, numbers[i]);
        if (a && !a->leaving) code = mpi__attribute_copy(owner, from, a, copies);
        if (*copies) copies = &(*copies)->next;
    }
    free(numbers);
    return code;
}

static void mpi__attribute_remove(mpi_attribute **list, mpi_attribute *a)
{
    while (*list != a) list = &(*list)->next;
    *list = a->next;
    free(a);
}

/* The attribute that was set last, of those that are not being deleted. */
static mpi_attribute *mpi__attribute_last(mpi_attribute *list)
{
    mpi_attribute *last = NULL;
    for (; list; list = list->next)
        if (!list->leaving) last = list;
    return last;
}

int mpi_attributes_free(mpi_owner owner, void *from, mpi_attribute **list)
{
    for (mpi_attribute *a; (a = mpi__attribute_last(*list)) != NULL;) {
        const int code = mpi__attribute_release(owner, from, a);
        if (code != MPI_SUCCESS) return code;
        mpi__attribute_remove(list, a);
    }
    return MPI_SUCCESS;
}

/* An attribute that is set while its delete function runs is deleted all the same, without calling that again. */
static int mpi__attribute_set(mpi_owner owner, void *of, mpi_attribute **list, int number, void *value)
{
    if (!mpi__key_of(number, owner)) return MPI_ERR_KEYVAL;
    mpi_attribute *a = mpi_attribute_of(owner, of, number);
    if (a && !a->leaving) {
        const int code = mpi__attribute_release(owner, of, a);
        if (code != MPI_SUCCESS) return code;
    }
    if (!a) {
        if (!(a = calloc(1, sizeof *a))) return MPI_ERR_NO_MEM;
        a->key = number;
        while (*list) list = &(*list)->next;
        *list = a;
    }
    a->value = value;
    a->by = MPI_SET_BY_C;
    return MPI_SUCCESS;
}

static int mpi__attribute_delete(mpi_owner owner, void *of, mpi_attribute **list, int number)
{
    if (!mpi__key_of(number, owner)) return MPI_ERR_KEYVAL;
    mpi_attribute *a = mpi_attribute_of(owner, of, number);
    if (!a) return MPI_ERR_KEYVAL;
    if (a->leaving) return MPI_SUCCESS;
    const int code = mpi__attribute_release(owner, of, a);
    if (code == MPI_SUCCESS) mpi__attribute_remove(list, a);
    return code;
}

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *release, int *number,
                            void *extra)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = mpi__key_new(MPI_OF_COMM, extra, number);
    k->copy.comm = copy;
    k->release.comm = release;
    return MPI_SUCCESS;
}

int PMPI_Comm_free_keyval(int *number)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = mpi__key_of(*number, MPI_OF_COMM);
    if (!k) return mpi_fail(NULL, MPI_ERR_KEYVAL);
    k->freed = true; /* attributes may still use it */
    *number = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int number, void *value)
{
    int code = mpi_comm_check(comm);
    return mpi_fail(code ? NULL : comm,
                    code ? code : mpi__attribute_set(MPI_OF_COMM, comm, &comm->attributes, number, value));
}

int PMPI_Comm_get_attr(MPI_Comm comm, int number, void *value, int *flag)
{
    static int tag_ub = MPI_MOST_TAG, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global = 1, universe, appnum, lastused;
    int code = mpi_comm_check(comm), *own = NULL;
    if (code) return mpi_fail(NULL, code);
    if (!value || !flag) return mpi_fail(comm, MPI_ERR_ARG);
    *flag = 1;
    switch (number) {
    case MPI_TAG_UB: own = &tag_ub; break;
    case MPI_HOST: own = &host; break;
    case MPI_IO: own = &io; break;
    case MPI_WTIME_IS_GLOBAL: own = &global; break;
    case MPI_UNIVERSE_SIZE:
        universe = (int)messages->task_count;
        if (!messages->cluster.unlimited) universe = (int)messages->cluster.count;
        own = &universe;
        break;
    case MPI_APPNUM:
        appnum = messages_self->program;
        own = &appnum;
        break;
    case MPI_LASTUSEDCODE:
        lastused = mpi_error_last();
        own = &lastused;
        break;
    default: break;
    }
    if (own) {
        *(int **)value = own;
        return MPI_SUCCESS;
    }
    if (!mpi__key_of(number, MPI_OF_COMM)) return mpi_fail(comm, MPI_ERR_KEYVAL);
    mpi_attribute *a = mpi_attribute_of(MPI_OF_COMM, comm, number);
    *flag = a != NULL;
    if (a) *(void **)value = mpi__attribute_value(a);
    return MPI_SUCCESS;
}

int PMPI_Comm_delete_attr(MPI_Comm comm, int number)
{
    int code = mpi_comm_check(comm);
    return mpi_fail(code ? NULL : comm,
                    code ? code : mpi__attribute_delete(MPI_OF_COMM, comm, &comm->attributes, number));
}

int PMPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *release, int *number, void *extra)
{
    return MPI_AS(PMPI_Comm_create_keyval(copy, release, number, extra));
}

int PMPI_Keyval_free(int *number)
{
    return MPI_AS(PMPI_Comm_free_keyval(number));
}

int PMPI_Attr_put(MPI_Comm comm, int number, void *value)
{
    return MPI_AS(PMPI_Comm_set_attr(comm, number, value));
}

int PMPI_Attr_get(MPI_Comm comm, int number, void *value, int *flag)
{
    return MPI_AS(PMPI_Comm_get_attr(comm, number, value, flag));
}

int PMPI_Attr_delete(MPI_Comm comm, int number)
{
    return MPI_AS(PMPI_Comm_delete_attr(comm, number));
}

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *release, int *number,
                            void *extra)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = mpi__key_new(MPI_OF_TYPE, extra, number);
    k->copy.type = copy;
    k->release.type = release;
    return MPI_SUCCESS;
}

int PMPI_Type_free_keyval(int *number)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = mpi__key_of(*number, MPI_OF_TYPE);
    if (!k) return mpi_fail(NULL, MPI_ERR_KEYVAL);
    k->freed = true;
    *number = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int PMPI_Type_set_attr(MPI_Datatype type, int number, void *value)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    mpi_type_changes(type);
    return mpi_fail(NULL, mpi__attribute_set(MPI_OF_TYPE, type, &type->attributes, number, value));
}

int PMPI_Type_get_attr(MPI_Datatype type, int number, void *value, int *flag)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!value || !flag) return mpi_fail(NULL, MPI_ERR_ARG);
    if (!mpi__key_of(number, MPI_OF_TYPE)) return mpi_fail(NULL, MPI_ERR_KEYVAL);
    mpi_attribute *a = mpi_attribute_of(MPI_OF_TYPE, type, number);
    *flag = a != NULL;
    if (a) *(void **)value = mpi__attribute_value(a);
    return MPI_SUCCESS;
}

int PMPI_Type_delete_attr(MPI_Datatype type, int number)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    mpi_type_changes(type);
    return mpi_fail(NULL, mpi__attribute_delete(MPI_OF_TYPE, type, &type->attributes, number));
}

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *release, int *number,
                           void *extra)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = mpi__key_new(MPI_OF_WIN, extra, number);
    k->copy.win = copy; /* nothing copies windows */
    k->release.win = release;
    return MPI_SUCCESS;
}

int PMPI_Win_free_keyval(int *number)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = mpi__key_of(*number, MPI_OF_WIN);
    if (!k) return mpi_fail(NULL, MPI_ERR_KEYVAL);
    k->freed = true;
    *number = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int PMPI_Win_set_attr(MPI_Win win, int number, void *value)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    return mpi_win_fail(win, mpi__attribute_set(MPI_OF_WIN, win, &win->attributes, number, value));
}

int PMPI_Win_get_attr(MPI_Win win, int number, void *value, int *flag)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (!value || !flag) return mpi_win_fail(win, MPI_ERR_ARG);
    void *const own[] = { [MPI_WIN_BASE] = win->base,
                          [MPI_WIN_SIZE] = &win->bytes,
                          [MPI_WIN_DISP_UNIT] = &win->unit,
                          [MPI_WIN_CREATE_FLAVOR] = &win->flavor,
                          [MPI_WIN_MODEL] = &win->model };
    *flag = 1;
    if (number >= MPI_WIN_BASE && number <= MPI_WIN_MODEL) {
        *(void **)value = own[number];
        return MPI_SUCCESS;
    }
    if (!mpi__key_of(number, MPI_OF_WIN)) return mpi_win_fail(win, MPI_ERR_KEYVAL);
    mpi_attribute *a = mpi_attribute_of(MPI_OF_WIN, win, number);
    *flag = a != NULL;
    if (a) *(void **)value = mpi__attribute_value(a);
    return MPI_SUCCESS;
}

int PMPI_Win_delete_attr(MPI_Win win, int number)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    return mpi_win_fail(win, mpi__attribute_delete(MPI_OF_WIN, win, &win->attributes, number));
}

/*=============================================================================
 * MARK: - >>info
 *===========================================================================*/

struct mpi_info {
    int count, number; /* number: for Fortran */
    struct {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    } * pairs;
};

int PMPI_Info_create(MPI_Info *info)
{
    if (!info) return mpi_fail(NULL, MPI_ERR_INFO);
    *info = calloc(1, sizeof **info);
    return *info ? MPI_SUCCESS : mpi_fail(NULL, MPI_ERR_NO_MEM);
}

int PMPI_Info_free(MPI_Info *info)
{
    if (!info || !*info || *info == MPI_INFO_ENV) return mpi_fail(NULL, MPI_ERR_INFO);
    free((*info)->pairs);
    free(*info);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

static int mpi__info_find(MPI_Info info, const char *wanted)
{
    for (int i = 0; i < info->count; ++i)
        if (strcmp(info->pairs[i].key, wanted) == 0) return i;
    return -1;
}

int PMPI_Info_set(MPI_Info info, const char *wanted, const char *value)
{
    if (!info || info == MPI_INFO_ENV) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!wanted || strlen(wanted) == 0 || strlen(wanted) > MPI_MAX_INFO_KEY - 1)
        return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    if (!value || strlen(value) == 0 || strlen(value) > MPI_MAX_INFO_VAL - 1) return mpi_fail(NULL, MPI_ERR_INFO_VALUE);
    int at = mpi__info_find(info, wanted);
    if (at < 0) {
        void *pairs = realloc(info->pairs, (size_t)(info->count + 1) * sizeof *info->pairs);
        if (!pairs) return mpi_fail(NULL, MPI_ERR_NO_MEM);
        info->pairs = pairs;
        at = info->count++;
    }
    strcpy(info->pairs[at].key, wanted);
    strcpy(info->pairs[at].value, value);
    return MPI_SUCCESS;
}

struct mpi_info simkit_mpi_started;

static void mpi__info_add(MPI_Info info, const char *wanted, const char *value)
{
    char own[MPI_MAX_INFO_VAL];
    snprintf(own, sizeof own, "%.*s", MPI_MAX_INFO_VAL - 1, value);
    if (*own) PMPI_Info_set(info, wanted, own);
}

/* What is known of how the program was started is found when it is first looked at: a run may have many ranks. */
static MPI_Info mpi__info_filled(MPI_Info info)
{
    static const char *const levels[] = { "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED" };
    char words[4 * MPI_MAX_INFO_VAL] = "", number[24], folder[PATH_MAX];
    struct utsname system;
    MPI_Info own;
    if (info != MPI_INFO_ENV || info->count > 0 || PMPI_Info_create(&own) != MPI_SUCCESS) return info;
    FILE *f = fopen("/proc/self/cmdline", "r");
    const size_t length = f ? fread(words, 1, sizeof words - 1, f) : 0;
    if (f) fclose(f);
    const size_t first = strlen(words) + 1; /* words end with 0 */
    for (size_t i = first; i + 1 < length; ++i)
        if (!words[i]) words[i] = ' ';
    snprintf(number, sizeof number, "%d", MPI_COMM_WORLD->group->size);
    mpi__info_add(own, "command", strrchr(words, '/') ? strrchr(words, '/') + 1 : words);
    mpi__info_add(own, "argv", first < length ? words + first : "");
    mpi__info_add(own, "maxprocs", number);
    mpi__info_add(own, "soft", number);
    mpi__info_add(own, "host", messages->cluster.hosts[messages_self->host].name);
    if (uname(&system) == 0) mpi__info_add(own, "arch", system.machine);
    if (getcwd(folder, sizeof folder)) mpi__info_add(own, "wdir", folder);
    mpi__info_add(own, "thread_level", levels[mpi_layer.threads]);
    info->count = own->count;
    info->pairs = own->pairs;
    free(own);
    return info;
}

int PMPI_Info_dup(MPI_Info info, MPI_Info *copy)
{
    if (!mpi__info_filled(info) || !copy) return mpi_fail(NULL, MPI_ERR_INFO);
    int code = PMPI_Info_create(copy);
    for (int i = 0; i < info->count && !code; ++i)
        code = PMPI_Info_set(*copy, info->pairs[i].key, info->pairs[i].value);
    return code;
}

int PMPI_Info_get(MPI_Info info, const char *wanted, int length, char *value, int *flag)
{
    if (!mpi__info_filled(info)) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!wanted) return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    if (!value) return mpi_fail(NULL, MPI_ERR_INFO_VALUE);
    if (length < 0 || !flag) return mpi_fail(NULL, MPI_ERR_ARG);
    int at = mpi__info_find(info, wanted);
    *flag = at >= 0;
    if (at >= 0) snprintf(value, (size_t)length + 1, "%s", info->pairs[at].value);
    return MPI_SUCCESS;
}

int PMPI_Info_get_valuelen(MPI_Info info, const char *wanted, int *length, int *flag)
{
    if (!mpi__info_filled(info)) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!wanted) return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    if (!length || !flag) return mpi_fail(NULL, MPI_ERR_ARG);
    int at = mpi__info_find(info, wanted);
    *flag = at >= 0;
    if (at >= 0) *length = (int)strlen(info->pairs[at].value);
    return MPI_SUCCESS;
}

int PMPI_Info_get_nkeys(MPI_Info info, int *count)
{
    if (!mpi__info_filled(info)) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!count) return mpi_fail(NULL, MPI_ERR_ARG);
    *count = info->count;
    return MPI_SUCCESS;
}

int PMPI_Info_get_nthkey(MPI_Info info, int n, char *name)
{
    if (!mpi__info_filled(info)) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!name) return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    if (n < 0 || n >= info->count) return mpi_fail(NULL, MPI_ERR_ARG);
    strcpy(name, info->pairs[n].key);
    return MPI_SUCCESS;
}

int PMPI_Info_delete(MPI_Info info, const char *wanted)
{
    if (!info || info == MPI_INFO_ENV) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!wanted) return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    int at = mpi__info_find(info, wanted);
    if (at < 0) return mpi_fail(NULL, MPI_ERR_INFO_NOKEY);
    memmove(&info->pairs[at], &info->pairs[at + 1], (size_t)(info->count - at - 1) * sizeof *info->pairs);
    --info->count;
    return MPI_SUCCESS;
}

static mpi_numbered infos;

MPI_Fint PMPI_Info_c2f(MPI_Info info)
{
    return info ? mpi_number_of(&infos, info, &info->number) : 0;
}

MPI_Info PMPI_Info_f2c(MPI_Fint number)
{
    return mpi_handle_of(&infos, number);
}

/* clang-format off */
MPI_FIRST(Add_error_class) MPI_FIRST(Add_error_code) MPI_FIRST(Add_error_string) MPI_FIRST(Error_class)
MPI_FIRST(Error_string) MPI_FIRST(Comm_create_errhandler) MPI_FIRST(Errhandler_create) MPI_FIRST(Errhandler_free)
MPI_FIRST(Comm_set_errhandler) MPI_FIRST(Comm_get_errhandler) MPI_FIRST(Errhandler_set) MPI_FIRST(Errhandler_get)
MPI_FIRST(Comm_call_errhandler) MPI_FIRST(Init_thread) MPI_FIRST(Init) MPI_FIRST(Finalize) MPI_FIRST(Initialized)
MPI_FIRST(Finalized) MPI_FIRST(Query_thread) MPI_FIRST(Is_thread_main) MPI_FIRST(Abort) MPI_FIRST(Get_version)
MPI_FIRST(Get_library_version) MPI_FIRST(Get_processor_name) MPI_FIRST(Wtime) MPI_FIRST(Wtick) MPI_FIRST(Pcontrol)
MPI_FIRST(Alloc_mem) MPI_FIRST(Free_mem) MPI_FIRST(Comm_create_keyval) MPI_FIRST(Comm_free_keyval)
MPI_FIRST(Comm_set_attr) MPI_FIRST(Comm_get_attr) MPI_FIRST(Comm_delete_attr) MPI_FIRST(Keyval_create)
MPI_FIRST(Keyval_free) MPI_FIRST(Attr_put) MPI_FIRST(Attr_get) MPI_FIRST(Attr_delete) MPI_FIRST(Type_create_keyval)
MPI_FIRST(Type_free_keyval) MPI_FIRST(Type_set_attr) MPI_FIRST(Type_get_attr) MPI_FIRST(Type_delete_attr)
MPI_FIRST(Info_create) MPI_FIRST(Info_free) MPI_FIRST(Info_set) MPI_FIRST(Info_dup) MPI_FIRST(Info_get)
MPI_FIRST(Info_get_valuelen) MPI_FIRST(Info_get_nkeys) MPI_FIRST(Info_get_nthkey) MPI_FIRST(Info_delete)
MPI_FIRST(Win_create_errhandler) MPI_FIRST(Win_set_errhandler) MPI_FIRST(Win_get_errhandler)
MPI_FIRST(Win_call_errhandler) MPI_FIRST(Win_create_keyval) MPI_FIRST(Win_free_keyval) MPI_FIRST(Win_set_attr)
MPI_FIRST(Win_get_attr) MPI_FIRST(Win_delete_attr) MPI_FIRST(File_create_errhandler) MPI_FIRST(File_set_errhandler)
MPI_FIRST(File_get_errhandler) MPI_FIRST(File_call_errhandler)
MPI_FIRST(Errhandler_c2f) MPI_FIRST(Errhandler_f2c) MPI_FIRST(Info_c2f) MPI_FIRST(Info_f2c)
    /* clang-format on */
