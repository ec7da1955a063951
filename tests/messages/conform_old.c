/* conform_old.c - names of MPI-1 that MPI-2 has replaced and Open MPI still compiles. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "conform.h"

static int copied, deleted;

static int copy_same(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    ++copied;
    *(void **)out = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int count_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    ++deleted;
    return MPI_SUCCESS;
}

static void say_attribute(const char *what, MPI_Comm comm, int key)
{
    char *value = NULL;
    int flag = -1;

    MPI_Attr_get(comm, key, &value, &flag);
    say("%s %s", what, flag ? value : "none");
}

static void old_attributes(void)
{
    char a[] = "abc";
    int key;
    MPI_Comm comm, copy;

    copied = deleted = 0;
    MPI_Keyval_create(copy_same, count_deleted, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    say_attribute("before", comm, key);
    MPI_Attr_put(comm, key, a);
    MPI_Comm_dup(comm, &copy);
    say_attribute("copy", copy, key);
    MPI_Attr_delete(comm, key);
    say_attribute("deleted", comm, key);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    say("copied %d deleted %d", copied, deleted);
    MPI_Keyval_free(&key);
    say("invalid %d", key == MPI_KEYVAL_INVALID);
}

static void old_attributes_of_given_functions(void)
{
    char a[] = "alpha", b[] = "beta";
    int shared, own;
    MPI_Comm comm, copy;

    MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &shared, NULL);
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &own, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Attr_put(comm, shared, a);
    MPI_Attr_put(comm, own, b);
    MPI_Comm_dup(comm, &copy);
    say_attribute("shared", copy, shared);
    say_attribute("own", copy, own);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Keyval_free(&shared);
    MPI_Keyval_free(&own);
}

static void old_tag_ub(void)
{
    int *value = NULL, flag = -1;

    MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    say("%d", flag && *value >= 32767);
}

const conform_case conform_old[] = {
    CASE(old_attributes, 1),
    CASE(old_attributes_of_given_functions, 1),
    CASE(old_tag_ub, 1),
    NO_MORE_CASES,
};
