/* mpi_info.c - MPI: info objects, and the one that tells how the program was started. */
#define _GNU_SOURCE
#include "mpi_core.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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

static int info__find(MPI_Info info, const char *wanted)
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
    int at = info__find(info, wanted);
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

static void info__add(MPI_Info info, const char *wanted, const char *value)
{
    char own[MPI_MAX_INFO_VAL];
    snprintf(own, sizeof own, "%.*s", MPI_MAX_INFO_VAL - 1, value);
    if (*own) PMPI_Info_set(info, wanted, own);
}

/* MPI_INFO_ENV is filled when it is first looked at, because a run may have many ranks. */
static MPI_Info info__filled(MPI_Info info)
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
    info__add(own, "command", strrchr(words, '/') ? strrchr(words, '/') + 1 : words);
    info__add(own, "argv", first < length ? words + first : "");
    info__add(own, "maxprocs", number);
    info__add(own, "soft", number);
    info__add(own, "host", messages->cluster.hosts[messages_self->host].name);
    if (uname(&system) == 0) info__add(own, "arch", system.machine);
    if (getcwd(folder, sizeof folder)) info__add(own, "wdir", folder);
    info__add(own, "thread_level", levels[mpi_layer.threads]);
    info->count = own->count;
    info->pairs = own->pairs;
    free(own);
    return info;
}

int PMPI_Info_dup(MPI_Info info, MPI_Info *copy)
{
    if (!info__filled(info) || !copy) return mpi_fail(NULL, MPI_ERR_INFO);
    int code = PMPI_Info_create(copy);
    for (int i = 0; i < info->count && !code; ++i)
        code = PMPI_Info_set(*copy, info->pairs[i].key, info->pairs[i].value);
    return code;
}

int PMPI_Info_get(MPI_Info info, const char *wanted, int length, char *value, int *flag)
{
    if (!info__filled(info)) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!wanted) return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    if (!value) return mpi_fail(NULL, MPI_ERR_INFO_VALUE);
    if (length < 0 || !flag) return mpi_fail(NULL, MPI_ERR_ARG);
    int at = info__find(info, wanted);
    *flag = at >= 0;
    if (at >= 0) snprintf(value, (size_t)length + 1, "%s", info->pairs[at].value);
    return MPI_SUCCESS;
}

int PMPI_Info_get_valuelen(MPI_Info info, const char *wanted, int *length, int *flag)
{
    if (!info__filled(info)) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!wanted) return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    if (!length || !flag) return mpi_fail(NULL, MPI_ERR_ARG);
    int at = info__find(info, wanted);
    *flag = at >= 0;
    if (at >= 0) *length = (int)strlen(info->pairs[at].value);
    return MPI_SUCCESS;
}

int PMPI_Info_get_nkeys(MPI_Info info, int *count)
{
    if (!info__filled(info)) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!count) return mpi_fail(NULL, MPI_ERR_ARG);
    *count = info->count;
    return MPI_SUCCESS;
}

int PMPI_Info_get_nthkey(MPI_Info info, int n, char *name)
{
    if (!info__filled(info)) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!name) return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    if (n < 0 || n >= info->count) return mpi_fail(NULL, MPI_ERR_ARG);
    strcpy(name, info->pairs[n].key);
    return MPI_SUCCESS;
}

int PMPI_Info_delete(MPI_Info info, const char *wanted)
{
    if (!info || info == MPI_INFO_ENV) return mpi_fail(NULL, MPI_ERR_INFO);
    if (!wanted) return mpi_fail(NULL, MPI_ERR_INFO_KEY);
    int at = info__find(info, wanted);
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
MPI_FIRST(Info_create) MPI_FIRST(Info_free) MPI_FIRST(Info_set) MPI_FIRST(Info_dup) MPI_FIRST(Info_get)
MPI_FIRST(Info_get_valuelen) MPI_FIRST(Info_get_nkeys) MPI_FIRST(Info_get_nthkey) MPI_FIRST(Info_delete)
MPI_FIRST(Info_c2f) MPI_FIRST(Info_f2c)
    /* clang-format on */
