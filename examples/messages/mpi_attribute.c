/* mpi_attribute.c - MPI: attributes of communicators, types and windows, in C and in Fortran, with functions of the
 * program that copy and delete them. */
#include "mpi_core.h"

#include <stdlib.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>keys and lists
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

static key *attribute__key_of(int number, mpi_owner owner)
{
    int place = number - FIRST_KEY;
    return place >= 0 && place < key_count && keys[place].used && keys[place].owner == owner ? &keys[place] : NULL;
}

static key *attribute__key_new(mpi_owner owner, void *extra, int *number)
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
static void *attribute__value(mpi_attribute *a)
{
    if (a->by == MPI_SET_BY_FORTRAN) return &a->number;
    return a->by == MPI_SET_BY_OLD_FORTRAN ? (void *)&a->small : a->value;
}

/* As the functions of a key see it: those of Fortran take numbers. */
static void *attribute__passed(const key *k, mpi_attribute *a)
{
    return k->functions == MPI_SET_BY_C ? attribute__value(a) : a->value;
}

/* Calls the delete function of an attribute, which may change all others, the list, and the keys. */
static int attribute__release(mpi_owner owner, void *from, mpi_attribute *a)
{
    const key *found = attribute__key_of(a->key, owner);
    if (!found) return MPI_SUCCESS;
    const key k = *found;
    void *value = attribute__passed(&k, a);
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
static int attribute__copied(const key *k, const mpi_attribute *from, const void *seen, void *value,
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

static int attribute__copy(mpi_owner owner, void *from, mpi_attribute *a, mpi_attribute **copy)
{
    const key *found = attribute__key_of(a->key, owner);
    if (!found) return MPI_SUCCESS;
    const key k = *found;
    const mpi_attribute was = *a; /* the function may delete it */
    void *value = attribute__passed(&k, a), *copied = NULL;
    int flag = 0, code = MPI_SUCCESS;
    const mpi_interlude i = mpi_interlude_begin();
    if (owner == MPI_OF_COMM && k.copy.comm) code = k.copy.comm(from, was.key, k.extra, value, &copied, &flag);
    if (owner == MPI_OF_TYPE && k.copy.type) code = k.copy.type(from, was.key, k.extra, value, &copied, &flag);
    mpi_interlude_end(&i);
    return code || !flag ? code : attribute__copied(&k, &was, value, copied, copy);
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
        if (a && !a->leaving) code = attribute__copy(owner, from, a, copies);
        if (*copies) copies = &(*copies)->next;
    }
    free(numbers);
    return code;
}

static void attribute__remove(mpi_attribute **list, mpi_attribute *a)
{
    while (*list != a) list = &(*list)->next;
    *list = a->next;
    free(a);
}

/* The attribute that was set last, of those that are not being deleted. */
static mpi_attribute *attribute__last(mpi_attribute *list)
{
    mpi_attribute *last = NULL;
    for (; list; list = list->next)
        if (!list->leaving) last = list;
    return last;
}

int mpi_attributes_free(mpi_owner owner, void *from, mpi_attribute **list)
{
    for (mpi_attribute *a; (a = attribute__last(*list)) != NULL;) {
        const int code = attribute__release(owner, from, a);
        if (code != MPI_SUCCESS) return code;
        attribute__remove(list, a);
    }
    return MPI_SUCCESS;
}

/* An attribute that is set while its delete function runs is deleted all the same, without calling that again. */
static int attribute__set(mpi_owner owner, void *of, mpi_attribute **list, int number, void *value)
{
    if (!attribute__key_of(number, owner)) return MPI_ERR_KEYVAL;
    mpi_attribute *a = mpi_attribute_of(owner, of, number);
    if (a && !a->leaving) {
        const int code = attribute__release(owner, of, a);
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

static int attribute__delete(mpi_owner owner, void *of, mpi_attribute **list, int number)
{
    if (!attribute__key_of(number, owner)) return MPI_ERR_KEYVAL;
    mpi_attribute *a = mpi_attribute_of(owner, of, number);
    if (!a) return MPI_ERR_KEYVAL;
    if (a->leaving) return MPI_SUCCESS;
    const int code = attribute__release(owner, of, a);
    if (code == MPI_SUCCESS) attribute__remove(list, a);
    return code;
}

/*=============================================================================
 * MARK: - >>calls
 *===========================================================================*/

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *release, int *number,
                            void *extra)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = attribute__key_new(MPI_OF_COMM, extra, number);
    k->copy.comm = copy;
    k->release.comm = release;
    return MPI_SUCCESS;
}

int PMPI_Comm_free_keyval(int *number)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = attribute__key_of(*number, MPI_OF_COMM);
    if (!k) return mpi_fail(NULL, MPI_ERR_KEYVAL);
    k->freed = true; /* attributes may still use it */
    *number = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int number, void *value)
{
    int code = mpi_comm_check(comm);
    return mpi_fail(code ? NULL : comm,
                    code ? code : attribute__set(MPI_OF_COMM, comm, &comm->attributes, number, value));
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
        appnum = messages_self->family.program;
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
    if (!attribute__key_of(number, MPI_OF_COMM)) return mpi_fail(comm, MPI_ERR_KEYVAL);
    mpi_attribute *a = mpi_attribute_of(MPI_OF_COMM, comm, number);
    *flag = a != NULL;
    if (a) *(void **)value = attribute__value(a);
    return MPI_SUCCESS;
}

int PMPI_Comm_delete_attr(MPI_Comm comm, int number)
{
    int code = mpi_comm_check(comm);
    return mpi_fail(code ? NULL : comm, code ? code : attribute__delete(MPI_OF_COMM, comm, &comm->attributes, number));
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
    key *k = attribute__key_new(MPI_OF_TYPE, extra, number);
    k->copy.type = copy;
    k->release.type = release;
    return MPI_SUCCESS;
}

int PMPI_Type_free_keyval(int *number)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = attribute__key_of(*number, MPI_OF_TYPE);
    if (!k) return mpi_fail(NULL, MPI_ERR_KEYVAL);
    k->freed = true;
    *number = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int PMPI_Type_set_attr(MPI_Datatype type, int number, void *value)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    mpi_type_changes(type);
    return mpi_fail(NULL, attribute__set(MPI_OF_TYPE, type, &type->attributes, number, value));
}

int PMPI_Type_get_attr(MPI_Datatype type, int number, void *value, int *flag)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    if (!value || !flag) return mpi_fail(NULL, MPI_ERR_ARG);
    if (!attribute__key_of(number, MPI_OF_TYPE)) return mpi_fail(NULL, MPI_ERR_KEYVAL);
    mpi_attribute *a = mpi_attribute_of(MPI_OF_TYPE, type, number);
    *flag = a != NULL;
    if (a) *(void **)value = attribute__value(a);
    return MPI_SUCCESS;
}

int PMPI_Type_delete_attr(MPI_Datatype type, int number)
{
    if (!mpi_type_is(type)) return mpi_fail(NULL, MPI_ERR_TYPE);
    mpi_type_changes(type);
    return mpi_fail(NULL, attribute__delete(MPI_OF_TYPE, type, &type->attributes, number));
}

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *release, int *number,
                           void *extra)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = attribute__key_new(MPI_OF_WIN, extra, number);
    k->copy.win = copy; /* nothing copies windows */
    k->release.win = release;
    return MPI_SUCCESS;
}

int PMPI_Win_free_keyval(int *number)
{
    if (!number) return mpi_fail(NULL, MPI_ERR_ARG);
    key *k = attribute__key_of(*number, MPI_OF_WIN);
    if (!k) return mpi_fail(NULL, MPI_ERR_KEYVAL);
    k->freed = true;
    *number = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int PMPI_Win_set_attr(MPI_Win win, int number, void *value)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    return mpi_win_fail(win, attribute__set(MPI_OF_WIN, win, &win->attributes, number, value));
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
    if (!attribute__key_of(number, MPI_OF_WIN)) return mpi_win_fail(win, MPI_ERR_KEYVAL);
    mpi_attribute *a = mpi_attribute_of(MPI_OF_WIN, win, number);
    *flag = a != NULL;
    if (a) *(void **)value = attribute__value(a);
    return MPI_SUCCESS;
}

int PMPI_Win_delete_attr(MPI_Win win, int number)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    return mpi_win_fail(win, attribute__delete(MPI_OF_WIN, win, &win->attributes, number));
}

/* clang-format off */
MPI_FIRST(Comm_create_keyval) MPI_FIRST(Comm_free_keyval) MPI_FIRST(Comm_set_attr) MPI_FIRST(Comm_get_attr)
MPI_FIRST(Comm_delete_attr) MPI_FIRST(Keyval_create) MPI_FIRST(Keyval_free) MPI_FIRST(Attr_put) MPI_FIRST(Attr_get)
MPI_FIRST(Attr_delete) MPI_FIRST(Type_create_keyval) MPI_FIRST(Type_free_keyval) MPI_FIRST(Type_set_attr)
MPI_FIRST(Type_get_attr) MPI_FIRST(Type_delete_attr) MPI_FIRST(Win_create_keyval) MPI_FIRST(Win_free_keyval)
MPI_FIRST(Win_set_attr) MPI_FIRST(Win_get_attr) MPI_FIRST(Win_delete_attr)
    /* clang-format on */
