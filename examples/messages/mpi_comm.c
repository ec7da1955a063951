/* mpi_comm.c - the calls of MPI that make communicators or ask about them. A communicator is a group with a context, a
 * number that separates its messages from all others. One task of the group takes a new number and sends it to the
 * others. */
#include "mpi_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tags of the layer's own messages on the context of collectives; from GROUP_TAG on: MPI_Comm_create_group(). */
enum { SIDE_TAG = 2, IDUP_TAG = 3, EDGES_TAG = 4, GROUP_TAG = MPI_MOST_TAG + 1 };

static MPI_Comm parent;

/*=============================================================================
 * MARK: - >>communicators
 *===========================================================================*/

void mpi_comm_open(void)
{
    const messages_task *t = messages_self;
    simkit_mpi_world.group = mpi_group_range(t->family.world, t->family.world_size);
    simkit_mpi_world.context = t->family.context;
    simkit_mpi_world.errhandler = MPI_ERRORS_ARE_FATAL;
    simkit_mpi_myself.group = mpi_group_range(t->number, 1);
    simkit_mpi_myself.context = MESSAGES_SELF;
    simkit_mpi_myself.errhandler = MPI_ERRORS_ARE_FATAL;
    if (!t->family.parents) return;
    MPI_Group theirs = mpi_group_new((int)t->family.parents->count);
    memcpy(theirs->tasks, t->family.parents->tasks, t->family.parents->count * sizeof *theirs->tasks);
    parent =
        mpi_inter_new(mpi_group_hold(simkit_mpi_world.group), mpi_group_done(theirs), t->family.parents->context, NULL);
    mpi_unmade(&parent->made);
    strcpy(parent->name, "MPI_COMM_PARENT");
    if (parent->side) messages_side_name(parent->side, parent->name);
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!size) return mpi_fail(comm, MPI_ERR_ARG);
    *size = comm->group->size;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!rank) return mpi_fail(comm, MPI_ERR_ARG);
    *rank = comm->group->rank;
    return MPI_SUCCESS;
}

int PMPI_Comm_compare(MPI_Comm one, MPI_Comm other, int *result)
{
    if (mpi_comm_check(one) || mpi_comm_check(other)) return mpi_fail(NULL, MPI_ERR_COMM);
    if (!result) return mpi_fail(one, MPI_ERR_ARG);
    if (one == other) {
        *result = MPI_IDENT;
        return MPI_SUCCESS;
    }
    *result = MPI_UNEQUAL;
    if (!one->remote != !other->remote) return MPI_SUCCESS;
    int found = mpi_group_compare(one->group, other->group);
    if (one->remote) {
        int far = mpi_group_compare(one->remote, other->remote);
        if (far > found) found = far;
    }
    *result = found == MPI_IDENT ? MPI_CONGRUENT : found;
    return MPI_SUCCESS;
}

/* New contexts; without their collectives, which have the next number. */
int32_t mpi_context_take(int32_t count)
{
    messages_turn_take(); /* so that the order is that of virtual time */
    const int32_t context = messages->next_context;
    messages->next_context += 2 * count;
    return context;
}

static void comm__side_exchange(MPI_Comm inter, const void *mine, void *theirs, size_t bytes)
{
    if (inter->group->rank == 0) {
        messages_chunk *chunk = messages_chunk_new(bytes);
        memcpy(chunk->data, mine, bytes);
        messages_request *r = mpi_post(inter, true, 0, SIDE_TAG);
        mpi_send_chunk(inter, true, 0, SIDE_TAG, chunk, bytes);
        messages_wait(&r, 1, 1);
        messages_flush();
        const size_t came = r->bytes < bytes ? r->bytes : bytes; /* less if the other side makes another call */
        memcpy(theirs, r->chunk->data, came);
        memset((char *)theirs + came, 0, bytes - came);
        messages_request_drop(r);
    }
    mpi_tell(inter->local, 0, theirs, bytes);
}

/* For both sides of an intercommunicator it is from that of the lower task. */
int32_t mpi_context_new(MPI_Comm comm)
{
    int32_t context = 0;
    if (!comm->remote) {
        if (comm->group->rank == 0) context = mpi_context_take(1);
        mpi_tell(comm, 0, &context, sizeof context);
        return context;
    }
    bool ours = comm->group->tasks[0] < comm->remote->tasks[0];
    int32_t mine = ours && comm->group->rank == 0 ? mpi_context_take(2) : 0, theirs;
    comm__side_exchange(comm, &mine, &theirs, sizeof mine);
    mpi_tell(comm->local, 0, &mine, sizeof mine);
    return ours ? mine : theirs;
}

/* A communicator of the same ranks, without attributes. */
static MPI_Comm comm__copy(MPI_Comm comm, int32_t context)
{
    MPI_Comm c = comm->remote
                     ? mpi_inter_new(mpi_group_hold(comm->group), mpi_group_hold(comm->remote), context, comm->local)
                     : mpi_comm_new(mpi_group_hold(comm->group), context, comm);
    if (comm->remote) {
        c->errhandler = comm->errhandler;
        if (c->errhandler && c->errhandler->references > 0) ++c->errhandler->references;
    }
    c->topology = mpi_topology_copy(comm->topology);
    return c;
}

/* The end of the calls that copy: attributes, and hints unless there are others. */
static int comm__copy_done(MPI_Comm comm, MPI_Comm c, MPI_Info info, MPI_Comm *fresh)
{
    int code = mpi_attributes_copy(MPI_OF_COMM, comm, comm->attributes, &c->attributes);
    if (!code && info) code = PMPI_Info_dup(info, &c->info);
    *fresh = c;
    if (!code) return MPI_SUCCESS;
    mpi_comm_drop(c);
    *fresh = MPI_COMM_NULL;
    return mpi_fail(comm, code);
}

static int comm__dup(const char *call, MPI_Comm comm, bool other, MPI_Info info, MPI_Comm *fresh)
{
    mpi_begin(call);
    int code = mpi_comm_check(comm);
    if (code) return mpi_end(NULL, code);
    if (!fresh) return mpi_end(comm, MPI_ERR_ARG);
    MPI_Comm c = comm__copy(comm, mpi_context_new(comm));
    messages_leave();
    return comm__copy_done(comm, c, other ? info : comm->info, fresh);
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *fresh)
{
    return MPI_AS(comm__dup("MPI_Comm_dup", comm, false, MPI_INFO_NULL, fresh));
}

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *fresh)
{
    return MPI_AS(comm__dup("MPI_Comm_dup_with_info", comm, true, info, fresh));
}

static void comm__idup_finish(void *user, const messages_request *received)
{
    MPI_Comm c = user;
    if (received) memcpy(&c->context, received->chunk->data, sizeof c->context);
    if (c->local) c->local->context = c->context + 2;
    mpi_comm_enroll(c);
    if (c->local) mpi_comm_enroll(c->local);
    if (c->local && c->local->side) messages_side_inner(c->local->side);
    mpi_comm_drop(c); /* the reference of the request */
}

static void comm__context_send(MPI_Comm comm, int to, int tag, int32_t context)
{
    messages_chunk *chunk = messages_chunk_new(sizeof context);
    memcpy(chunk->data, &context, sizeof context);
    mpi_send_chunk(comm, true, to, tag, chunk, sizeof context);
}

/* The first rank, of an intercommunicator that of the side with the lower task, sends the context to each of the others:
 * no rank forwards it, because a rank need not be in a call when it arrives. */
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *fresh, MPI_Request *request)
{
    mpi_begin("MPI_Comm_idup");
    int code = mpi_comm_check(comm);
    if (code) return mpi_end(NULL, code);
    if (!fresh || !request) return mpi_end(comm, MPI_ERR_ARG);
    mpi_meet(comm);
    const bool ours = !comm->remote || comm->group->tasks[0] < comm->remote->tasks[0];
    const bool gives = ours && comm->group->rank == 0;
    MPI_Comm side = comm->remote ? comm->local : comm;
    MPI_Comm c = comm__copy(comm, gives ? mpi_context_take(comm->remote ? 2 : 1) : 0);
    messages_request *received = gives ? NULL : mpi_post(ours ? side : comm, true, 0, IDUP_TAG);
    for (int i = 1; gives && i < side->group->size; ++i) comm__context_send(side, i, IDUP_TAG, c->context);
    for (int i = 0; gives && comm->remote && i < comm->remote->size; ++i)
        comm__context_send(comm, i, IDUP_TAG, c->context);
    ++c->references;
    *request = mpi_request_of(comm, received, comm__idup_finish, c);
    messages_leave();
    return MPI_AS(comm__copy_done(comm, c, comm->info, fresh));
}

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!info) return mpi_fail(comm, MPI_ERR_INFO);
    MPI_Info copy;
    code = PMPI_Info_dup(info, &copy);
    if (code) return code;
    if (comm->info) PMPI_Info_free(&comm->info);
    comm->info = copy;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!info) return mpi_fail(comm, MPI_ERR_INFO);
    return comm->info ? MPI_AS(PMPI_Info_dup(comm->info, info)) : MPI_AS(PMPI_Info_create(info));
}

/* The rank in a communicator of a rank in a group. */
static int comm__rank_of(MPI_Comm comm, MPI_Group group, int rank)
{
    return mpi_group_find(comm->group, group->tasks[rank]);
}

/* A new context for a group, by a binomial tree of its ranks; 0: a rank is not in the communicator. */
static int32_t comm__context_among(MPI_Comm comm, MPI_Group group, int tag)
{
    const int rank = group->rank;
    int bit = 1, targets[32], count = 0;
    while (bit < group->size && !(rank & bit)) bit <<= 1;
    const int source = rank > 0 ? comm__rank_of(comm, group, rank - bit) : 0;
    for (bit >>= 1; bit > 0; bit >>= 1)
        if (rank + bit < group->size) targets[count++] = comm__rank_of(comm, group, rank + bit);
    if (source == MPI_UNDEFINED) return 0;
    for (int i = 0; i < count; ++i)
        if (targets[i] == MPI_UNDEFINED) return 0;
    int32_t context = 0;
    if (rank > 0) {
        messages_request *r = mpi_post(comm, true, source, tag);
        messages_wait(&r, 1, 1);
        messages_flush();
        memcpy(&context, r->chunk->data, sizeof context);
        messages_request_drop(r);
    } else {
        context = mpi_context_take(1);
    }
    for (int i = 0; i < count; ++i) comm__context_send(comm, targets[i], tag, context);
    return context;
}

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *fresh)
{
    mpi_begin("MPI_Comm_create_group");
    int code = mpi_comm_check(comm);
    if (code || comm->remote) return mpi_end(code ? NULL : comm, MPI_ERR_COMM);
    if (!group) return mpi_end(comm, MPI_ERR_GROUP);
    if (tag < 0 || tag > MPI_MOST_TAG) return mpi_end(comm, MPI_ERR_TAG);
    if (!fresh) return mpi_end(comm, MPI_ERR_ARG);
    *fresh = MPI_COMM_NULL;
    if (group->rank == MPI_UNDEFINED) return mpi_end(comm, MPI_SUCCESS);
    const int32_t context = comm__context_among(comm, group, GROUP_TAG + tag);
    if (context == 0) return mpi_end(comm, MPI_ERR_GROUP);
    *fresh = mpi_comm_new(mpi_group_hold(group), context, comm);
    return mpi_end(comm, MPI_SUCCESS);
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *fresh)
{
    mpi_begin("MPI_Comm_create");
    int code = mpi_comm_check(comm);
    if (code) return mpi_end(NULL, code);
    if (!fresh) return mpi_end(comm, MPI_ERR_ARG);
    if (!group) return mpi_end(comm, MPI_ERR_GROUP);
    *fresh = MPI_COMM_NULL;
    int32_t context = mpi_context_new(comm);
    if (comm->remote) {
        /* Each side has a group of its own; the first rank of the other side sends that side's. */
        int size = group->size, far;
        comm__side_exchange(comm, &size, &far, sizeof size);
        int most = comm->group->size > comm->remote->size ? comm->group->size : comm->remote->size;
        int32_t *mine = mpi_new((size_t)most, sizeof *mine), *theirs = mpi_new((size_t)most, sizeof *theirs);
        memcpy(mine, group->tasks, (size_t)size * sizeof *mine);
        comm__side_exchange(comm, mine, theirs, (size_t)most * sizeof *mine);
        if (group->rank != MPI_UNDEFINED && far > 0) {
            MPI_Group g = mpi_group_new(far);
            memcpy(g->tasks, theirs, (size_t)far * sizeof *theirs);
            *fresh = mpi_inter_new(mpi_group_hold(group), mpi_group_done(g), context, comm);
        }
        free(mine);
        free(theirs);
    } else if (group->rank != MPI_UNDEFINED) {
        *fresh = mpi_comm_new(mpi_group_hold(group), context, comm);
    }
    return mpi_end(comm, code);
}

typedef struct split_choice {
    int colour, key;
} split_choice;

/* The ranks of a group that chose this colour, by key and then by rank. */
static MPI_Group comm__split_group(MPI_Group from, const split_choice *all, int colour)
{
    MPI_Group g = mpi_group_new(from->size);
    int *order = mpi_new((size_t)from->size, sizeof *order), count = 0;
    for (int i = 0; i < from->size; ++i) {
        if (all[i].colour != colour) continue;
        int at = count++;
        for (; at > 0 && all[order[at - 1]].key > all[i].key; --at) order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < count; ++i) g->tasks[i] = from->tasks[order[i]];
    g->size = count;
    free(order);
    return mpi_group_done(g);
}

/* The index of a colour among the colours, and their number. */
static int comm__split_place(const split_choice *all, int size, int colour, int *count)
{
    int place = 0;
    *count = 0;
    for (int i = 0; i < size; ++i) {
        bool first = all[i].colour != MPI_UNDEFINED;
        for (int k = 0; k < i && first; ++k) first = all[k].colour != all[i].colour;
        if (!first) continue;
        if (all[i].colour == colour) place = *count;
        ++*count;
    }
    return place;
}

int PMPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *fresh)
{
    mpi_begin("MPI_Comm_split");
    int code = mpi_comm_check(comm), count, place;
    if (code) return mpi_end(NULL, code);
    if (!fresh) return mpi_end(comm, MPI_ERR_ARG);
    if (colour < 0 && colour != MPI_UNDEFINED) return mpi_end(comm, MPI_ERR_ARG);
    *fresh = MPI_COMM_NULL;
    const int size = comm->group->size;
    split_choice mine = { colour, key }, *all = mpi_new((size_t)size, sizeof *all);
    mpi_share(comm->remote ? comm->local : comm, &mine, sizeof mine, all);
    if (comm->remote) {
        const int far = comm->remote->size, most = size > far ? size : far;
        split_choice *near = mpi_new((size_t)most, sizeof *near), *theirs = mpi_new((size_t)most, sizeof *theirs);
        memcpy(near, all, (size_t)size * sizeof *near);
        comm__side_exchange(comm, near, theirs, (size_t)most * sizeof *near);
        /* Both sides count the colours of the side with the lower task. */
        bool ours = comm->group->tasks[0] < comm->remote->tasks[0];
        place = comm__split_place(ours ? all : theirs, ours ? size : far, colour, &count);
        int32_t base = ours && comm->group->rank == 0 ? mpi_context_take(2 * count) : 0, other;
        comm__side_exchange(comm, &base, &other, sizeof base);
        mpi_tell(comm->local, 0, &base, sizeof base);
        if (!ours) base = other;
        MPI_Group remote = comm__split_group(comm->remote, theirs, colour);
        if (colour != MPI_UNDEFINED && remote->size > 0)
            *fresh = mpi_inter_new(comm__split_group(comm->group, all, colour), remote, base + 4 * place, comm);
        else
            mpi_group_drop(remote);
        free(near);
        free(theirs);
    } else {
        place = comm__split_place(all, size, colour, &count);
        int32_t base = comm->group->rank == 0 ? mpi_context_take(count) : 0;
        mpi_tell(comm, 0, &base, sizeof base);
        if (colour != MPI_UNDEFINED)
            *fresh = mpi_comm_new(comm__split_group(comm->group, all, colour), base + 2 * place, comm);
    }
    free(all);
    return mpi_end(comm, code);
}

/* Ranks on one host share memory. */
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *fresh)
{
    int code = mpi_comm_check(comm);
    (void)info;
    if (code) return mpi_fail(NULL, code);
    if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED) return mpi_fail(comm, MPI_ERR_ARG);
    return MPI_AS(PMPI_Comm_split(comm, type == MPI_UNDEFINED ? type : messages_self->host, key, fresh));
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    if (!comm || mpi_comm_check(*comm) || (*comm)->always) return mpi_fail(NULL, MPI_ERR_COMM);
    int code = mpi_attributes_free(MPI_OF_COMM, *comm, &(*comm)->attributes);
    if (code) return mpi_fail(*comm, code);
    if (*comm == parent) parent = MPI_COMM_NULL;
    mpi_unmade(&(*comm)->made);
    mpi_comm_drop(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* All ranks wait for each other, because the communication of all must be complete. */
int PMPI_Comm_disconnect(MPI_Comm *comm)
{
    if (!comm || mpi_comm_check(*comm) || (*comm)->always) return mpi_fail(NULL, MPI_ERR_COMM);
    int code = MPI_AS(PMPI_Barrier(*comm));
    return code ? code : MPI_AS(PMPI_Comm_free(comm));
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!group) return mpi_fail(comm, MPI_ERR_ARG);
    mpi_group_give(mpi_group_hold(comm->group), group);
    return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!flag) return mpi_fail(comm, MPI_ERR_ARG);
    *flag = comm->remote != NULL;
    return MPI_SUCCESS;
}

int PMPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    int code = mpi_comm_check(comm);
    if (code || !comm->remote) return mpi_fail(code ? NULL : comm, MPI_ERR_COMM);
    if (!size) return mpi_fail(comm, MPI_ERR_ARG);
    *size = comm->remote->size;
    return MPI_SUCCESS;
}

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    int code = mpi_comm_check(comm);
    if (code || !comm->remote) return mpi_fail(code ? NULL : comm, MPI_ERR_COMM);
    if (!group) return mpi_fail(comm, MPI_ERR_ARG);
    mpi_group_give(mpi_group_hold(comm->remote), group);
    return MPI_SUCCESS;
}

int PMPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!name) return mpi_fail(comm, MPI_ERR_ARG);
    snprintf(comm->name, sizeof comm->name, "%s", name);
    if (comm->side) messages_side_name(comm->side, name);
    return MPI_SUCCESS;
}

int PMPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    int code = mpi_comm_check(comm);
    if (code) return mpi_fail(NULL, code);
    if (!name || !length) return mpi_fail(comm, MPI_ERR_ARG);
    strcpy(name, comm->name);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}

/* The message of one leader to the other; the tasks of its side follow. */
typedef struct comm__side {
    int32_t size, context, code;
} comm__side;

messages_chunk *mpi_side_chunk(MPI_Comm local, int32_t context, size_t *bytes)
{
    const comm__side side = { local->group->size, context, MPI_SUCCESS };
    const size_t list = (size_t)side.size * sizeof *local->group->tasks;
    messages_chunk *chunk = messages_chunk_new(sizeof side + list);
    memcpy(chunk->data, &side, sizeof side);
    memcpy(chunk->data + sizeof side, local->group->tasks, list);
    *bytes = sizeof side + list;
    return chunk;
}

/* The message of the other leader; size 0: it made another call. */
static comm__side comm__side_of(const messages_request *received)
{
    comm__side far = { 0, 0, MPI_SUCCESS };
    if (received->bytes >= sizeof far) memcpy(&far, received->chunk->data, sizeof far);
    if (received->bytes != sizeof far + (size_t)far.size * sizeof(int32_t)) far.size = 0;
    return far;
}

int mpi_side_join(MPI_Comm local, int leader, int code, int32_t context, messages_request *received, MPI_Comm *fresh)
{
    comm__side far = { 0, 0, code };
    const bool leads = received && local->group->rank == leader;
    if (leads && !code) far = comm__side_of(received);
    if (context) far.context = context;
    mpi_tell(local, leader, &far, sizeof far);
    if (!far.code) {
        MPI_Group theirs = mpi_group_new(far.size);
        const size_t list = (size_t)far.size * sizeof *theirs->tasks;
        if (leads) memcpy(theirs->tasks, received->chunk->data + sizeof far, list);
        mpi_tell(local, leader, theirs->tasks, list);
        *fresh = mpi_inter_new(mpi_group_hold(local->group), mpi_group_done(theirs), far.context, local);
    }
    if (received) messages_request_drop(received);
    return far.code;
}

int PMPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm *fresh)
{
    mpi_begin("MPI_Intercomm_create");
    int code = mpi_comm_check(local);
    if (code || local->remote) return mpi_end(NULL, MPI_ERR_COMM);
    if (!fresh) return mpi_end(local, MPI_ERR_ARG);
    if (local_leader < 0 || local_leader >= local->group->size) return mpi_end(local, MPI_ERR_RANK);
    const bool leads = local->group->rank == local_leader;
    if (leads && mpi_comm_check(peer)) return mpi_end(local, MPI_ERR_COMM);
    if (leads && (remote_leader < 0 || remote_leader >= (peer->remote ? peer->remote : peer->group)->size ||
                  mpi_task_of(peer, remote_leader) == messages_self->number))
        return mpi_end(local, MPI_ERR_RANK);
    int32_t context = 0;
    messages_request *r = NULL;
    if (leads) {
        size_t bytes;
        context = mpi_context_take(2);
        messages_chunk *chunk = mpi_side_chunk(local, context, &bytes);
        r = mpi_post(peer, true, remote_leader, tag);
        mpi_send_chunk(peer, true, remote_leader, tag, chunk, bytes);
        messages_wait(&r, 1, 1);
        messages_flush();
        const comm__side far = comm__side_of(r);
        if (far.size == 0)
            messages_end(1, "%s in MPI_Intercomm_create at %.9g s: rank %d of the other communicator made another call",
                         messages_self->name, messages_now(), remote_leader);
        int32_t first;
        memcpy(&first, r->chunk->data + sizeof far, sizeof first);
        if (local->group->tasks[0] > first) context = 0; /* of both, that of the lower task is taken */
    }
    return mpi_end(local, mpi_side_join(local, local_leader, MPI_SUCCESS, context, r, fresh));
}

int PMPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *fresh)
{
    mpi_begin("MPI_Intercomm_merge");
    int code = mpi_comm_check(comm);
    if (code || !comm->remote) return mpi_end(NULL, MPI_ERR_COMM);
    if (!fresh) return mpi_end(comm, MPI_ERR_ARG);
    int mine = high != 0, theirs;
    mpi_tell(comm->local, 0, &mine, sizeof mine);
    comm__side_exchange(comm, &mine, &theirs, sizeof mine);
    int32_t context = mpi_context_new(comm);
    const bool first = mine != theirs ? mine < theirs : comm->group->tasks[0] < comm->remote->tasks[0];
    MPI_Group one = first ? comm->group : comm->remote, other = first ? comm->remote : comm->group;
    MPI_Group g = mpi_group_new(one->size + other->size);
    memcpy(g->tasks, one->tasks, (size_t)one->size * sizeof *g->tasks);
    memcpy(g->tasks + one->size, other->tasks, (size_t)other->size * sizeof *g->tasks);
    *fresh = mpi_comm_new(mpi_group_done(g), context, comm);
    return mpi_end(comm, MPI_SUCCESS);
}

int PMPI_Comm_get_parent(MPI_Comm *found)
{
    if (!found) return mpi_fail(NULL, MPI_ERR_ARG);
    *found = parent;
    return MPI_SUCCESS;
}

int PMPI_Comm_spawn_multiple(int count, char *commands[], char **argvs[], const int counts[], const MPI_Info infos[],
                             int root, MPI_Comm comm, MPI_Comm *children, int codes[])
{
    mpi_begin("MPI_Comm_spawn_multiple");
    int code = mpi_comm_check(comm);
    (void)infos;
    if (code || comm->remote) return mpi_end(NULL, MPI_ERR_COMM);
    if (root < 0 || root >= comm->group->size)
        return mpi_end(comm, mpi_rank_wrong(MPI_ERR_ROOT, "root", root, comm->group->size));
    if (!children || (comm->group->rank == root && (!commands || !counts))) return mpi_end(comm, MPI_ERR_ARG);
    for (int i = 0; comm->group->rank == root && i < count; ++i)
        if (!commands[i]) return mpi_end(comm, MPI_ERR_ARG);
    int32_t found[3] = { -1, 0, 0 }; /* first task, tasks, context */
    bool bad = false;
    if (comm->group->rank == root) {
        int total = 0;
        for (int i = 0; i < count; ++i) {
            bad = bad || counts[i] < 1;
            total += counts[i];
        }
        found[2] = mpi_context_take(2);
        messages_parents *parents = direct_new(sizeof *parents + (size_t)comm->group->size * sizeof *parents->tasks);
        parents->context = found[2];
        parents->count = (size_t)comm->group->size;
        memcpy(parents->tasks, comm->group->tasks, parents->count * sizeof *parents->tasks);
        found[0] = bad ? -1
                       : messages_spawn(count, (const char *const *)commands, (char *const *const *)argvs, counts, NULL,
                                        parents, NULL);
        found[1] = total;
    }
    mpi_tell(comm, root, found, sizeof found);
    *children = MPI_COMM_NULL;
    if (bad)
        mpi_explain(MPI_ERR_SPAWN, "the number of processes of a program is less than 1");
    else if (found[0] < 0 && comm->group->rank == root && count > 0)
        mpi_explain(MPI_ERR_SPAWN, "%.160s%s could not be started", commands[0],
                    count > 1 ? ", or a program after it," : "");
    if (found[0] < 0) return mpi_end(comm, MPI_ERR_SPAWN);
    for (int i = 0; codes && i < found[1]; ++i) codes[i] = MPI_SUCCESS;
    MPI_Comm local = mpi_comm_new(mpi_group_hold(comm->group), 0, comm);
    *children = mpi_inter_new(mpi_group_hold(comm->group), mpi_group_range(found[0], found[1]), found[2], local);
    mpi_comm_drop(local);
    return mpi_end(comm, code);
}

int PMPI_Comm_spawn(const char *command, char *argv[], int count, MPI_Info info, int root, MPI_Comm comm,
                    MPI_Comm *children, int codes[])
{
    char *commands[1] = { (char *)(uintptr_t)command };
    return MPI_AS(PMPI_Comm_spawn_multiple(1, commands, argv ? &argv : MPI_ARGVS_NULL, &count, &info, root, comm,
                                           children, codes));
}

/*=============================================================================
 * MARK: - >>communicators with a topology
 *===========================================================================*/

static MPI_Comm comm__of_first(MPI_Comm comm, int count, int32_t context)
{
    if (comm->group->rank >= count) return MPI_COMM_NULL;
    MPI_Group g = mpi_group_new(count);
    memcpy(g->tasks, comm->group->tasks, (size_t)count * sizeof *g->tasks);
    return mpi_comm_new(mpi_group_done(g), context, comm);
}

int PMPI_Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder,
                     MPI_Comm *fresh)
{
    mpi_begin("MPI_Cart_create");
    int code = mpi_comm_check(comm), total = 1;
    (void)reorder;
    if (code || comm->remote) return mpi_end(NULL, MPI_ERR_COMM);
    if (dimensions < 0) return mpi_end(comm, MPI_ERR_DIMS);
    if (!fresh || (dimensions > 0 && (!sizes || !periods))) return mpi_end(comm, MPI_ERR_ARG);
    for (int i = 0; i < dimensions; ++i) {
        if (sizes[i] < 1) return mpi_end(comm, MPI_ERR_DIMS);
        total *= sizes[i];
    }
    if (total > comm->group->size) return mpi_end(comm, MPI_ERR_DIMS);
    MPI_Comm c = comm__of_first(comm, total, mpi_context_new(comm));
    if (c) c->topology = mpi_topology_cart(dimensions, sizes, periods, c->group->rank);
    *fresh = c;
    return mpi_end(comm, code);
}

int PMPI_Cart_sub(MPI_Comm comm, const int keep[], MPI_Comm *fresh)
{
    int code = mpi_cart_check(comm);
    if (code) return mpi_fail(comm, code);
    const mpi_topology *t = comm->topology;
    if ((!keep && t->dimensions > 0) || !fresh) return mpi_fail(comm, MPI_ERR_ARG);
    int colour = 0, key = 0, kept = 0;
    for (int i = 0; i < t->dimensions; ++i) {
        int *to = keep[i] ? &key : &colour;
        *to = *to * t->sizes[i] + t->coordinates[i];
        kept += keep[i] != 0;
    }
    MPI_Comm c;
    code = MPI_AS(PMPI_Comm_split(comm, colour, key, &c));
    if (code) return code;
    mpi_topology *s = c->topology = mpi_new(1, sizeof *s);
    s->kind = MPI_CART;
    s->dimensions = kept;
    s->sizes = mpi_new((size_t)kept, sizeof(int));
    s->periods = mpi_new((size_t)kept, sizeof(int));
    s->coordinates = mpi_new((size_t)kept, sizeof(int));
    for (int i = 0, at = 0; i < t->dimensions; ++i) {
        if (!keep[i]) continue;
        s->sizes[at] = t->sizes[i];
        s->periods[at] = t->periods[i];
        s->coordinates[at++] = t->coordinates[i];
    }
    *fresh = c;
    return MPI_SUCCESS;
}

int PMPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *fresh)
{
    mpi_begin("MPI_Graph_create");
    int code = mpi_comm_check(comm);
    (void)reorder;
    if (code || comm->remote) return mpi_end(NULL, MPI_ERR_COMM);
    if (!fresh || (nodes > 0 && (!index || !edges))) return mpi_end(comm, MPI_ERR_ARG);
    if (nodes < 0 || nodes > comm->group->size) return mpi_end(comm, MPI_ERR_ARG);
    for (int i = 0; i < nodes; ++i)
        if (index[i] < (i ? index[i - 1] : 0)) return mpi_end(comm, MPI_ERR_ARG);
    const int count = nodes > 0 ? index[nodes - 1] : 0;
    for (int i = 0; i < count; ++i)
        if (edges[i] < 0 || edges[i] >= nodes) return mpi_end(comm, MPI_ERR_ARG);
    MPI_Comm c = comm__of_first(comm, nodes, mpi_context_new(comm));
    if (c) c->topology = mpi_topology_graph(nodes, index, count, edges);
    *fresh = c;
    return mpi_end(comm, code);
}

/*=============================================================================
 * MARK: - >>distributed graphs: each rank knows only its neighbors
 *===========================================================================*/

static int comm__peers_check(MPI_Comm comm, int count, const int *ranks, const int *weights)
{
    if (count < 0 || (count > 0 && (!ranks || !weights))) return MPI_ERR_ARG;
    for (int i = 0; i < count; ++i)
        if (ranks[i] < 0 || ranks[i] >= comm->group->size) return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

static MPI_Comm comm__dist_graph_new(MPI_Comm comm, mpi_edges sources, mpi_edges targets, bool weighted)
{
    MPI_Comm c = comm__of_first(comm, comm->group->size, mpi_context_new(comm));
    mpi_topology *t = c->topology = mpi_new(1, sizeof *t);
    t->kind = MPI_DIST_GRAPH;
    t->sources = sources;
    t->targets = targets;
    t->weighted = weighted;
    return c;
}

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm, int source_count, const int sources[], const int *source_weights,
                                    int target_count, const int targets[], const int *target_weights, MPI_Info info,
                                    int reorder, MPI_Comm *fresh)
{
    mpi_begin("MPI_Dist_graph_create_adjacent");
    int code = mpi_comm_check(comm);
    (void)info;
    (void)reorder;
    if (code || comm->remote) return mpi_end(NULL, MPI_ERR_COMM);
    code = comm__peers_check(comm, source_count, sources, source_weights);
    if (!code) code = comm__peers_check(comm, target_count, targets, target_weights);
    if (!code && !fresh) code = MPI_ERR_ARG;
    if (code) return mpi_end(comm, code);
    const bool weighted = source_weights != MPI_UNWEIGHTED && target_weights != MPI_UNWEIGHTED;
    *fresh = comm__dist_graph_new(comm, mpi_edges_copy(source_count, sources, weighted ? source_weights : NULL),
                                  mpi_edges_copy(target_count, targets, weighted ? target_weights : NULL), weighted);
    return mpi_end(comm, code);
}

/* One end of an edge, for the rank that has it. */
typedef struct edge_end {
    int owner, number; /* number: in the order in which they were given */
    int peer, weight;
    int source; /* 1: the peer is the source */
} edge_end;

static int comm__end_compare(const void *one, const void *other)
{
    const edge_end *a = one, *b = other;
    return a->owner != b->owner ? (a->owner > b->owner) - (a->owner < b->owner) : a->number - b->number;
}

static void comm__edges_add(mpi_edges *e, const edge_end *end, bool weighted)
{
    e->ranks = realloc(e->ranks, (size_t)(e->count + 1) * sizeof *e->ranks);
    if (weighted) e->weights = realloc(e->weights, (size_t)(e->count + 1) * sizeof *e->weights);
    if (!e->ranks || (weighted && !e->weights)) messages_end(1, "%s: no memory for a graph", messages_self->name);
    e->ranks[e->count] = end->peer;
    if (weighted) e->weights[e->count] = end->weight;
    ++e->count;
}

static int comm__request_compare(const void *one, const void *other)
{
    const messages_request *a = *(messages_request *const *)one, *b = *(messages_request *const *)other;
    return (a->envelope.source > b->envelope.source) - (a->envelope.source < b->envelope.source);
}

/* Sends each rank its ends of edges, in one message, and takes those of this rank, in the order of the ranks that knew
 * them. `senders`: number of messages to this rank. */
static void comm__ends_exchange(MPI_Comm comm, edge_end *ends, int count, int senders, bool weighted,
                                mpi_edges *sources, mpi_edges *targets)
{
    messages_request **list = mpi_new((size_t)senders, sizeof *list);
    for (int i = 0; i < senders; ++i) list[i] = mpi_post(comm, true, MESSAGES_ANY, EDGES_TAG);
    for (int first = 0, next; first < count; first = next) {
        for (next = first; next < count && ends[next].owner == ends[first].owner; ++next) continue;
        const size_t bytes = (size_t)(next - first) * sizeof *ends;
        messages_chunk *chunk = messages_chunk_new(bytes);
        memcpy(chunk->data, ends + first, bytes);
        mpi_send_chunk(comm, true, ends[first].owner, EDGES_TAG, chunk, bytes);
    }
    messages_wait(list, (size_t)senders, (size_t)senders);
    messages_flush();
    qsort(list, (size_t)senders, sizeof *list, comm__request_compare);
    for (int i = 0; i < senders; ++i) {
        for (size_t at = 0; at < list[i]->bytes; at += sizeof *ends) {
            edge_end end;
            memcpy(&end, list[i]->chunk->data + at, sizeof end);
            comm__edges_add(end.source ? sources : targets, &end, weighted);
        }
        messages_request_drop(list[i]);
    }
    free(list);
}

/* Both ends of all edges that this rank has given, sorted by the ranks that they are for. */
static edge_end *comm__ends_of(int count, const int *sources, const int *degrees, const int *targets,
                               const int *weights, int total)
{
    edge_end *ends = mpi_new(2 * (size_t)total, sizeof *ends);
    for (int i = 0, edge = 0; i < count; ++i)
        for (int k = 0; k < degrees[i]; ++k, ++edge) {
            const int weight = weights ? weights[edge] : 0;
            ends[2 * edge] = (edge_end){ sources[i], 2 * edge, targets[edge], weight, 0 };
            ends[2 * edge + 1] = (edge_end){ targets[edge], 2 * edge + 1, sources[i], weight, 1 };
        }
    if (total > 0) qsort(ends, 2 * (size_t)total, sizeof *ends, comm__end_compare);
    return ends;
}

static int comm__edges_check(MPI_Comm comm, int count, const int *sources, const int *degrees, const int *targets,
                             const int *weights, int *total)
{
    int code = comm__peers_check(comm, count, sources, degrees);
    *total = 0;
    for (int i = 0; i < count && !code; ++i) {
        if (degrees[i] < 0) return MPI_ERR_ARG;
        *total += degrees[i];
    }
    return code ? code : comm__peers_check(comm, *total, targets, weights);
}

int PMPI_Dist_graph_create(MPI_Comm comm, int count, const int sources[], const int degrees[], const int targets[],
                           const int *weights, MPI_Info info, int reorder, MPI_Comm *fresh)
{
    int total, senders = 0, code = mpi_comm_check(comm);
    (void)info;
    (void)reorder;
    if (code || comm->remote) return mpi_fail(NULL, MPI_ERR_COMM);
    code = fresh ? comm__edges_check(comm, count, sources, degrees, targets, weights, &total) : MPI_ERR_ARG;
    if (code) return mpi_fail(comm, code);
    const bool weighted = weights != MPI_UNWEIGHTED;
    edge_end *ends = comm__ends_of(count, sources, degrees, targets, weighted ? weights : NULL, total);
    int *told = mpi_new((size_t)comm->group->size, sizeof *told);
    for (int i = 0; i < 2 * total; ++i) told[ends[i].owner] = 1;
    code = MPI_AS(PMPI_Reduce_scatter_block(told, &senders, 1, MPI_INT, MPI_SUM, comm));
    free(told);
    if (!code) {
        mpi_edges before = { 0, NULL, NULL }, after = { 0, NULL, NULL };
        mpi_begin("MPI_Dist_graph_create");
        comm__ends_exchange(comm, ends, 2 * total, senders, weighted, &before, &after);
        *fresh = comm__dist_graph_new(comm, before, after, weighted);
        mpi_end(comm, code);
    }
    free(ends);
    return code;
}

/*=============================================================================
 * MARK: - >>numbers for Fortran
 *===========================================================================*/

static mpi_numbered comms, types, ops, groups;

MPI_Fint PMPI_Comm_c2f(MPI_Comm comm)
{
    return comm ? mpi_number_of(&comms, comm, &comm->number) : 0;
}

MPI_Comm PMPI_Comm_f2c(MPI_Fint number)
{
    return mpi_handle_of(&comms, number);
}

MPI_Fint PMPI_Type_c2f(MPI_Datatype type)
{
    if (!type) return 0;
    if (type->number == 0) mpi_type_changes(type);
    return mpi_number_of(&types, type, &type->number);
}

MPI_Datatype PMPI_Type_f2c(MPI_Fint number)
{
    return mpi_handle_of(&types, number);
}

MPI_Fint PMPI_Op_c2f(MPI_Op op)
{
    return op ? mpi_number_of(&ops, op, &op->number) : 0;
}

MPI_Op PMPI_Op_f2c(MPI_Fint number)
{
    return mpi_handle_of(&ops, number);
}

MPI_Fint PMPI_Group_c2f(MPI_Group group)
{
    return group ? mpi_number_of(&groups, group, &group->number) : 0;
}

MPI_Group PMPI_Group_f2c(MPI_Fint number)
{
    return mpi_handle_of(&groups, number);
}

/* clang-format off */
MPI_FIRST(Comm_size) MPI_FIRST(Comm_rank) MPI_FIRST(Comm_compare) MPI_FIRST(Comm_dup) MPI_FIRST(Comm_create)
MPI_FIRST(Comm_split) MPI_FIRST(Comm_free) MPI_FIRST(Comm_disconnect) MPI_FIRST(Comm_group) MPI_FIRST(Comm_test_inter)
MPI_FIRST(Comm_remote_size) MPI_FIRST(Comm_remote_group) MPI_FIRST(Comm_set_name) MPI_FIRST(Comm_get_name)
MPI_FIRST(Intercomm_create) MPI_FIRST(Intercomm_merge) MPI_FIRST(Comm_get_parent) MPI_FIRST(Comm_spawn_multiple)
MPI_FIRST(Comm_spawn) MPI_FIRST(Cart_create) MPI_FIRST(Cart_sub) MPI_FIRST(Graph_create) MPI_FIRST(Comm_c2f)
MPI_FIRST(Comm_f2c) MPI_FIRST(Type_c2f) MPI_FIRST(Type_f2c) MPI_FIRST(Op_c2f) MPI_FIRST(Op_f2c) MPI_FIRST(Group_c2f)
MPI_FIRST(Group_f2c) MPI_FIRST(Comm_dup_with_info) MPI_FIRST(Comm_idup) MPI_FIRST(Comm_set_info)
MPI_FIRST(Comm_get_info) MPI_FIRST(Comm_create_group) MPI_FIRST(Comm_split_type) MPI_FIRST(Dist_graph_create)
MPI_FIRST(Dist_graph_create_adjacent)
    /* clang-format on */
