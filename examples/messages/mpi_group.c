/* mpi_group.c - MPI groups, and communicators as objects: made, known to the engine, and dropped when nothing refers
 * to them any more. The calls that make communicators are in mpi_comm.c. */
#include "mpi_core.h"

#include <stdlib.h>
#include <string.h>

struct mpi_group simkit_mpi_nobody = { .references = 0, .size = 0, .rank = MPI_UNDEFINED };

/*=============================================================================
 * MARK: - >>groups
 *===========================================================================*/

MPI_Group mpi_group_new(int size)
{
    MPI_Group g = mpi_new(1, sizeof *g);
    g->references = 1;
    g->size = size;
    g->rank = MPI_UNDEFINED;
    g->tasks = mpi_new((size_t)size, sizeof *g->tasks);
    return g;
}

static int groups_made; /* several handles may be of one group, so all are counted together */

void mpi_group_give(MPI_Group g, MPI_Group *fresh)
{
    if (g->references > 0) groups_made = mpi_made(MPI_GROUPS, "");
    *fresh = g;
}

MPI_Group mpi_group_hold(MPI_Group g)
{
    if (g->references > 0) ++g->references;
    return g;
}

void mpi_group_drop(MPI_Group g)
{
    if (!g || g->references == 0 || --g->references > 0) return;
    if (!g->common) free(g->tasks);
    free(g);
}

MPI_Group mpi_group_done(MPI_Group g)
{
    g->rank = MPI_UNDEFINED;
    for (int i = 0; i < g->size; ++i)
        if (g->tasks[i] == messages_self->number) g->rank = i;
    return g;
}

MPI_Group mpi_group_range(int32_t first, int32_t count)
{
    MPI_Group g = mpi_new(1, sizeof *g);
    g->references = 1;
    g->size = count;
    g->tasks = &messages->numbers_of[first];
    g->common = true;
    g->rank = messages_self->number - first;
    return g;
}

int mpi_group_find(MPI_Group g, int32_t task)
{
    for (int i = 0; i < g->size; ++i)
        if (g->tasks[i] == task) return i;
    return MPI_UNDEFINED;
}

int PMPI_Group_size(MPI_Group g, int *size)
{
    if (!g) return mpi_fail(NULL, MPI_ERR_GROUP);
    if (!size) return mpi_fail(NULL, MPI_ERR_ARG);
    *size = g->size;
    return MPI_SUCCESS;
}

int PMPI_Group_rank(MPI_Group g, int *rank)
{
    if (!g) return mpi_fail(NULL, MPI_ERR_GROUP);
    if (!rank) return mpi_fail(NULL, MPI_ERR_ARG);
    *rank = g->rank;
    return MPI_SUCCESS;
}

int mpi_group_compare(MPI_Group one, MPI_Group other)
{
    if (one->size != other->size) return MPI_UNEQUAL;
    if (memcmp(one->tasks, other->tasks, (size_t)one->size * sizeof *one->tasks) == 0 || one->size == 0)
        return MPI_IDENT;
    for (int i = 0; i < one->size; ++i)
        if (mpi_group_find(other, one->tasks[i]) == MPI_UNDEFINED) return MPI_UNEQUAL;
    return MPI_SIMILAR;
}

int PMPI_Group_compare(MPI_Group one, MPI_Group other, int *result)
{
    if (!one || !other) return mpi_fail(NULL, MPI_ERR_GROUP);
    if (!result) return mpi_fail(NULL, MPI_ERR_ARG);
    *result = one->size == 0 && other->size == 0 ? MPI_IDENT : mpi_group_compare(one, other);
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group one, int count, const int ranks[], MPI_Group other, int found[])
{
    if (!one || !other) return mpi_fail(NULL, MPI_ERR_GROUP);
    if (count < 0 || (count > 0 && (!ranks || !found))) return mpi_fail(NULL, MPI_ERR_ARG);
    for (int i = 0; i < count; ++i) {
        if (ranks[i] == MPI_PROC_NULL) {
            found[i] = MPI_PROC_NULL;
            continue;
        }
        if (ranks[i] < 0 || ranks[i] >= one->size) return mpi_fail(NULL, MPI_ERR_RANK);
        found[i] = mpi_group_find(other, one->tasks[ranks[i]]);
    }
    return MPI_SUCCESS;
}

/* A group of the marked tasks of one group, followed by the tasks of another that are not in the first. */
static int group__of(MPI_Group one, const bool *taken, MPI_Group other, MPI_Group *fresh)
{
    MPI_Group g = mpi_group_new(one->size + (other ? other->size : 0));
    g->size = 0;
    for (int i = 0; i < one->size; ++i)
        if (!taken || taken[i]) g->tasks[g->size++] = one->tasks[i];
    for (int i = 0; other && i < other->size; ++i)
        if (mpi_group_find(one, other->tasks[i]) == MPI_UNDEFINED) g->tasks[g->size++] = other->tasks[i];
    if (g->size > 0) {
        mpi_group_give(mpi_group_done(g), fresh);
    } else {
        mpi_group_drop(g);
        *fresh = MPI_GROUP_EMPTY;
    }
    return MPI_SUCCESS;
}

int PMPI_Group_union(MPI_Group one, MPI_Group other, MPI_Group *fresh)
{
    if (!one || !other) return mpi_fail(NULL, MPI_ERR_GROUP);
    if (!fresh) return mpi_fail(NULL, MPI_ERR_ARG);
    return group__of(one, NULL, other, fresh);
}

static int group__sift(MPI_Group one, MPI_Group other, bool in, MPI_Group *fresh)
{
    if (!one || !other) return mpi_fail(NULL, MPI_ERR_GROUP);
    if (!fresh) return mpi_fail(NULL, MPI_ERR_ARG);
    bool *taken = mpi_new((size_t)one->size, sizeof *taken);
    for (int i = 0; i < one->size; ++i) taken[i] = (mpi_group_find(other, one->tasks[i]) != MPI_UNDEFINED) == in;
    int code = group__of(one, taken, NULL, fresh);
    free(taken);
    return code;
}

int PMPI_Group_intersection(MPI_Group one, MPI_Group other, MPI_Group *fresh)
{
    return MPI_AS(group__sift(one, other, true, fresh));
}

int PMPI_Group_difference(MPI_Group one, MPI_Group other, MPI_Group *fresh)
{
    return MPI_AS(group__sift(one, other, false, fresh));
}

/* The ranks in a list or in ranges, in their order. */
static int group__ranks_check(MPI_Group g, int count, const int ranks[])
{
    bool *seen = mpi_new((size_t)g->size, sizeof *seen);
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && !code; ++i) {
        if (ranks[i] < 0 || ranks[i] >= g->size || seen[ranks[i]])
            code = MPI_ERR_RANK;
        else
            seen[ranks[i]] = true;
    }
    free(seen);
    return code;
}

int PMPI_Group_incl(MPI_Group g, int count, const int ranks[], MPI_Group *fresh)
{
    if (!g) return mpi_fail(NULL, MPI_ERR_GROUP);
    if (!fresh || (count > 0 && !ranks)) return mpi_fail(NULL, MPI_ERR_ARG);
    int code = count < 0 ? MPI_ERR_ARG : group__ranks_check(g, count, ranks);
    if (code) return mpi_fail(NULL, code);
    if (count == 0) {
        *fresh = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    MPI_Group f = mpi_group_new(count);
    for (int i = 0; i < count; ++i) f->tasks[i] = g->tasks[ranks[i]];
    mpi_group_give(mpi_group_done(f), fresh);
    return MPI_SUCCESS;
}

int PMPI_Group_excl(MPI_Group g, int count, const int ranks[], MPI_Group *fresh)
{
    if (!g) return mpi_fail(NULL, MPI_ERR_GROUP);
    if (!fresh || (count > 0 && !ranks)) return mpi_fail(NULL, MPI_ERR_ARG);
    int code = count < 0 ? MPI_ERR_ARG : group__ranks_check(g, count, ranks);
    if (code) return mpi_fail(NULL, code);
    bool *taken = mpi_new((size_t)g->size, sizeof *taken);
    for (int i = 0; i < g->size; ++i) taken[i] = true;
    for (int i = 0; i < count; ++i) taken[ranks[i]] = false;
    code = group__of(g, taken, NULL, fresh);
    free(taken);
    return code;
}

static int *group__ranges_expand(int count, int ranges[][3], int *total)
{
    int most = 0, *ranks;
    *total = 0;
    for (int i = 0; i < count; ++i) {
        int step = ranges[i][2];
        if (step == 0) return NULL;
        int span = (ranges[i][1] - ranges[i][0]) / step;
        if ((ranges[i][1] - ranges[i][0]) * (step > 0 ? 1 : -1) >= 0) most += span + 1;
    }
    ranks = mpi_new((size_t)most, sizeof *ranks);
    for (int i = 0; i < count; ++i) {
        int step = ranges[i][2];
        for (int r = ranges[i][0]; step > 0 ? r <= ranges[i][1] : r >= ranges[i][1]; r += step) ranks[(*total)++] = r;
    }
    return ranks;
}

static int group__ranges(MPI_Group g, int count, int ranges[][3], MPI_Group *fresh,
                         int (*make)(MPI_Group, int, const int[], MPI_Group *))
{
    int total, *ranks = count < 0 || (count > 0 && !ranges) ? NULL : group__ranges_expand(count, ranges, &total);
    if (!ranks) return mpi_fail(NULL, MPI_ERR_ARG);
    int code = make(g, total, ranks, fresh);
    free(ranks);
    return code;
}

int PMPI_Group_range_incl(MPI_Group g, int count, int ranges[][3], MPI_Group *fresh)
{
    return MPI_AS(group__ranges(g, count, ranges, fresh, PMPI_Group_incl));
}

int PMPI_Group_range_excl(MPI_Group g, int count, int ranges[][3], MPI_Group *fresh)
{
    return MPI_AS(group__ranges(g, count, ranges, fresh, PMPI_Group_excl));
}

int PMPI_Group_free(MPI_Group *g)
{
    if (!g || !*g) return mpi_fail(NULL, MPI_ERR_GROUP);
    int made = (*g)->references > 0 ? groups_made : 0;
    mpi_unmade(&made);
    mpi_group_drop(*g);
    *g = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

/*=============================================================================
 * MARK: - >>communicators
 *===========================================================================*/

void mpi_comm_enroll(MPI_Comm c)
{
    const MPI_Group far = c->remote;
    if (c->group->rank < 0 || c->context == 0 || c->side) return;
    c->side =
        messages_side_add(c->context, c->group->tasks, c->group->size, far ? far->tasks : NULL, far ? far->size : 0);
}

static MPI_Comm group__comm_new(MPI_Group group, int32_t context, MPI_Comm like)
{
    MPI_Comm c = mpi_new(1, sizeof *c);
    c->references = 1;
    c->group = group;
    c->context = context;
    c->errhandler = like ? like->errhandler : NULL;
    if (c->errhandler && c->errhandler->references > 0) ++c->errhandler->references;
    return c;
}

MPI_Comm mpi_comm_new(MPI_Group group, int32_t context, MPI_Comm like)
{
    MPI_Comm c = group__comm_new(group, context, like);
    mpi_comm_enroll(c);
    c->made = mpi_made(MPI_COMMUNICATORS, mpi_now.call);
    return c;
}

void mpi_comm_drop(MPI_Comm c)
{
    if (!c || c->always) return;
    if (--c->references > 0) return;
    if (c->side) messages_side_drop(c->side);
    mpi_unmade(&c->made);
    mpi_group_drop(c->group);
    mpi_group_drop(c->remote);
    mpi_comm_drop(c->local);
    if (c->errhandler) PMPI_Errhandler_free(&c->errhandler);
    if (c->info) PMPI_Info_free(&c->info);
    mpi_topology_free(c->topology);
    mpi_retire(c);
}

MPI_Comm mpi_inter_new(MPI_Group mine, MPI_Group theirs, int32_t context, MPI_Comm local)
{
    MPI_Comm c = group__comm_new(mine, context, local);
    c->remote = theirs;
    mpi_comm_enroll(c);
    c->made = mpi_made(MPI_COMMUNICATORS, mpi_now.call);
    c->local = group__comm_new(mpi_group_hold(mine), context ? context + 2 : 0, local);
    mpi_comm_enroll(c->local);
    if (c->local->side) messages_side_inner(c->local->side);
    return c;
}

/* clang-format off */
MPI_FIRST(Group_size) MPI_FIRST(Group_rank) MPI_FIRST(Group_compare) MPI_FIRST(Group_translate_ranks)
MPI_FIRST(Group_union) MPI_FIRST(Group_intersection) MPI_FIRST(Group_difference) MPI_FIRST(Group_incl)
MPI_FIRST(Group_excl) MPI_FIRST(Group_range_incl) MPI_FIRST(Group_range_excl) MPI_FIRST(Group_free)
    /* clang-format on */
