/* mpi_win.c - MPI one-sided communication: windows, accesses to them, and their synchronization. Each access is a deed
 * (core.h); those to one target are sent together, at the latest when they are synchronized. windows.c takes them there,
 * and the target's process applies them to its memory. The protocol is that of Open MPI's osc/pt2pt. */
#include "mpi_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEED_BYTES = 64,         /* of an access in a parcel, without data */
    CONTROL_BYTES = 32,      /* of a deed that only synchronizes */
    PARCEL_BYTES = 8192,     /* a parcel is sent when it has so many */
    PENDING_BYTES = 64 << 20 /* results that are not waited for before there are so many */
};

/* Accesses of this rank to the window of another one. */
struct mpi_target {
    uint32_t number;         /* of the next parcel */
    uint32_t sent;           /* parcels since the last fence */
    uint32_t exposures;      /* how often it has posted to this rank, as far as that was awaited */
    int lock;                /* MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED; 0: none */
    messages_request *grant; /* of the lock; NULL: not asked for */
    bool granted;            /* the script waits for it, or it need not */
    bool started;            /* is in the group of MPI_Win_start */
    bool exposed;            /* has posted, or need not */
    bool unconfirmed;        /* accesses have been made since the last flush */
    messages_parcel *parcel; /* not sent yet */
};

/* A request that a synchronization waits for. */
struct mpi_pending {
    mpi_pending *next;
    MPI_Win win;
    int target;
    messages_request *request;
    messages_deed *deed; /* whose result goes to: NULL: none */
    void *data;
    int count;
    MPI_Datatype type;
    bool named;    /* the program has an MPI_Request for it */
    bool finished; /* before that was completed */
    bool leaves;   /* the list of those that are pending */
    int waiters;   /* threads that wait for it in synchronizations */
};

static messages_member *win__self(MPI_Win win)
{
    return &win->shared->members[win->rank];
}

/*=============================================================================
 * MARK: - >>deeds
 *===========================================================================*/

typedef struct piece_list {
    messages_run *runs;
    size_t count, room;
} piece_list;

static void win__piece_add(void *user, uintptr_t place, size_t bytes)
{
    piece_list *l = user;
    messages_run *last = l->count > 0 ? &l->runs[l->count - 1] : NULL;
    if (last && last->place + (ptrdiff_t)last->bytes == (ptrdiff_t)place) {
        last->bytes += bytes;
        return;
    }
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 16;
        l->runs = realloc(l->runs, l->room * sizeof *l->runs);
        if (!l->runs) messages_end(1, "%s: no memory for %zu pieces of a datatype", messages_self->name, l->room);
    }
    l->runs[l->count++] = (messages_run){ (ptrdiff_t)place, bytes };
}

static messages_deed *win__deed_new(MPI_Win win, messages_deed_kind kind, int target, size_t runs)
{
    messages_deed *d = direct_new(sizeof *d + runs * sizeof *d->runs);
    d->kind = kind;
    d->target = win->shared->members[target].task;
    d->anywhere = win->anywhere;
    d->run_count = runs;
    return d;
}

/* An access to so many elements of a type. */
static messages_deed *win__deed_on(MPI_Win win, messages_deed_kind kind, int target, MPI_Aint place, int count,
                                   MPI_Datatype type)
{
    const messages_member *m = &win->shared->members[target];
    piece_list pieces = { NULL, 0, 0 };
    if (type->dense)
        win__piece_add(&pieces, 0, (size_t)count * type->size);
    else
        mpi_type_pieces(type, win__piece_add, &pieces);
    messages_deed *d = win__deed_new(win, kind, target, pieces.count);
    if (pieces.count > 0) memcpy(d->runs, pieces.runs, pieces.count * sizeof *d->runs);
    free(pieces.runs);
    d->place = (char *)((uintptr_t)m->base + (uintptr_t)place * (uintptr_t)m->unit);
    /* also that of a window of MPI_Win_create, over memory of MPI_Win_allocate_shared */
    const char *arena = (const char *)messages;
    d->anywhere = d->anywhere || (d->place >= arena && d->place < arena + messages->memory.bytes);
    d->repeat = type->dense ? 1 : (size_t)count;
    d->extent = type->ub - type->lb;
    d->bytes = (size_t)count * type->size;
    return d;
}

/* A request for an answer from that rank. */
static messages_request *win__request_new(int target, messages_answer awaited)
{
    messages_request *r = messages_request_new(true);
    r->progress = MESSAGES_ACTIVE;
    r->one_sided = true;
    r->envelope = (messages_envelope){ 0, target, (int32_t)awaited, 0 };
    return r;
}

/* -- in the process that has the memory -- */

static void win__copy(const messages_deed *d, char *packed, size_t bytes, bool gather)
{
    for (size_t i = 0; i < d->repeat; ++i)
        for (size_t k = 0; k < d->run_count && bytes > 0; ++k) {
            char *at = (char *)((uintptr_t)d->place + i * (uintptr_t)d->extent + (uintptr_t)d->runs[k].place);
            const size_t some = d->runs[k].bytes < bytes ? d->runs[k].bytes : bytes;
            memcpy(gather ? packed : at, gather ? at : packed, some);
            packed += some;
            bytes -= some;
        }
}

/* Reduces packed elements; those of pairs have gaps in memory. */
static void win__reduce(const char *in, char *inout, int count, MPI_Datatype type, MPI_Op op)
{
    if (type->dense || type->count == 0) {
        mpi_reduce(in, inout, count, type, op);
        return;
    }
    void *blocks[2], *a = mpi_room((size_t)count, type, &blocks[0]), *b = mpi_room((size_t)count, type, &blocks[1]);
    mpi_unpack(a, in, (size_t)count * type->size, (size_t)count, type);
    mpi_unpack(b, inout, (size_t)count * type->size, (size_t)count, type);
    mpi_reduce(a, b, count, type, op);
    mpi_pack(inout, b, (size_t)count, type);
    free(blocks[0]);
    free(blocks[1]);
}

static void win__accumulate(const messages_deed *d)
{
    MPI_Op op = mpi_op_of(d->op);
    if (op == MPI_NO_OP || d->data->absent) return;
    if (op == MPI_REPLACE) {
        win__copy(d, d->data->data, d->data->bytes, false);
        return;
    }
    MPI_Datatype type = mpi_basic_type(d->basic);
    const size_t bytes = d->data->bytes < d->bytes ? d->data->bytes : d->bytes;
    char *now = mpi_new(bytes, 1);
    win__copy(d, now, bytes, true);
    win__reduce(d->data->data, now, (int)(bytes / type->size), type, op);
    win__copy(d, now, bytes, false);
    free(now);
}

static void win__apply(messages_deed *d)
{
    if (d->result) win__copy(d, d->result->data, d->bytes, true);
    switch (d->kind) {
    case MESSAGES_PUT:
        if (!d->data->absent) win__copy(d, d->data->data, d->data->bytes, false);
        break;
    case MESSAGES_ACCUMULATE:
    case MESSAGES_FETCH: win__accumulate(d); break;
    case MESSAGES_COMPARE:
        if (memcmp(d->result->data, d->data->data + d->bytes, d->bytes) == 0)
            win__copy(d, d->data->data, d->bytes, false);
        break;
    default: break;
    }
    d->applied = true;
    if (!d->request) messages_deed_drop(d);
}

/*=============================================================================
 * MARK: - >>parcels
 *===========================================================================*/

static mpi_pending *win__pending_add(MPI_Win win, int target, messages_request *r, messages_deed *d)
{
    mpi_pending *p = mpi_new(1, sizeof *p);
    p->win = win;
    p->target = target;
    p->request = r;
    p->deed = d;
    p->next = win->pending;
    win->pending = p;
    return p;
}

static void win__deed_add(messages_parcel *p, messages_deed *d, size_t bytes)
{
    if (p->last)
        p->last->next = d;
    else
        p->first = d;
    p->last = d;
    p->bytes += bytes;
}

static messages_parcel *win__parcel_new(MPI_Win win, int target)
{
    messages_parcel *p = direct_new(sizeof *p);
    p->window = win->shared;
    p->origin = win->rank;
    p->target = target;
    return p;
}

/* Sends a parcel at once. Returns what is to be waited for until its bytes may change; NULL: nothing. */
static mpi_pending *win__dispatch(MPI_Win win, messages_parcel *p)
{
    mpi_target *t = &win->targets[p->target];
    mpi_pending *pending = NULL;
    p->number = t->number++;
    ++t->sent;
    if (!messages_is_eager(p->bytes)) pending = win__pending_add(win, p->target, messages_request_new(false), NULL);
    messages_send_parcel(p, p->bytes, pending ? pending->request : NULL);
    return pending;
}

static void win__control_send(MPI_Win win, int target, messages_deed *d)
{
    messages_parcel *p = win__parcel_new(win, target);
    win__deed_add(p, d, CONTROL_BYTES);
    win__dispatch(win, p);
}

/* Waits until others have done something to this rank's window. */
static void win__await(MPI_Win win, messages_answer what, int from, uint64_t need)
{
    messages_member *m = win__self(win);
    messages_flush();
    if (m->waits)
        messages_end(1,
                     "%s: thread %u waits in %s%s for other ranks on a window on which another thread waits for them: "
                     "not supported",
                     messages_self->name, (unsigned)messages_self->thread, messages_self->call,
                     messages_where(messages_self));
    m->awaited = what;
    m->from = from;
    m->need = need;
    if (messages_member_served(win->shared, win->rank)) return;
    messages_request *r = win__request_new(what == MESSAGES_EXPOSURE ? from : win->rank, what);
    m->waits = r;
    messages_wait(&r, 1, 1);
    messages_flush();
    messages_request_drop(r);
}

/* Asks for a lock, if there is one that has not been asked for. */
static void win__lock_ask(MPI_Win win, int target)
{
    mpi_target *t = &win->targets[target];
    if (t->grant || !t->lock || t->granted) return;
    messages_deed *d = win__deed_new(win, MESSAGES_LOCK, target, 0);
    d->exclusive = t->lock == MPI_LOCK_EXCLUSIVE;
    d->request = t->grant = win__request_new(target, MESSAGES_GRANT);
    win__control_send(win, target, d);
}

/* Before anything is sent to a target: it must have given its lock, or posted. */
static void win__reach(MPI_Win win, int target)
{
    mpi_target *t = &win->targets[target];
    if (win->epoch == MPI_STARTED && !t->exposed) {
        t->exposed = true;
        win__await(win, MESSAGES_EXPOSURE, target, ++t->exposures);
    }
    win__lock_ask(win, target);
    /* Another thread may have asked for the lock, and wait for it. */
    const bool waits = messages_has_threads ? t->grant && t->grant->progress != MESSAGES_DONE : !t->granted;
    if (t->grant && waits) {
        t->granted = true;
        messages_wait(&t->grant, 1, 1);
    }
}

static mpi_pending *win__send(MPI_Win win, int target)
{
    mpi_target *t = &win->targets[target];
    messages_parcel *p = t->parcel;
    if (!p) return NULL;
    win__reach(win, target);
    if (t->parcel != p) return NULL; /* another thread has sent it meanwhile */
    t->parcel = NULL;
    return win__dispatch(win, p);
}

static void win__put_in(MPI_Win win, int target, messages_deed *d, size_t bytes)
{
    mpi_target *t = &win->targets[target];
    if (t->parcel && t->parcel->bytes + bytes > PARCEL_BYTES) win__send(win, target);
    if (!t->parcel) t->parcel = win__parcel_new(win, target);
    win__deed_add(t->parcel, d, bytes);
}

/* Adds a deed that only synchronizes, and sends all. */
static void win__conclude(MPI_Win win, int target, messages_deed_kind kind, bool answered)
{
    messages_deed *d = win__deed_new(win, kind, target, 0);
    if (answered) {
        d->request = win__request_new(target, MESSAGES_RECEIPT);
        win__pending_add(win, target, d->request, NULL);
    }
    win__put_in(win, target, d, CONTROL_BYTES);
    win__send(win, target);
}

/* The result of an access goes to its buffer. */
static void win__deliver(mpi_pending *p)
{
    messages_deed *d = p->deed;
    if (!d) return;
    if (!d->applied) messages_visit(messages->tasks[d->target]);
    p->win->pending_bytes -= d->bytes;
    mpi_unpack(p->data, d->result->data, d->bytes, (size_t)p->count, p->type);
    mpi_type_drop(p->type);
    messages_deed_drop(d);
    p->deed = NULL;
}

/* Waits until nothing is pending for a target, or for any of them (-1). If several threads wait for the same answer, the last of them
 * frees it. */
static void win__settle(MPI_Win win, int target)
{
    size_t count = 0, open = 0, found = 0;
    for (const mpi_pending *p = win->pending; p; p = p->next) count += target < 0 || p->target == target;
    messages_request **list = mpi_new(count, sizeof *list);
    mpi_pending **all = mpi_new(count, sizeof *all);
    for (mpi_pending *p = win->pending; p; p = p->next) {
        if (target >= 0 && p->target != target) continue;
        ++p->waiters;
        all[found++] = p;
        if (p->request->progress != MESSAGES_DONE) list[open++] = p->request;
    }
    messages_wait(list, open, open);
    messages_flush();
    free(list);
    for (size_t i = 0; i < found; ++i) all[i]->leaves = true;
    for (mpi_pending **at = &win->pending; *at;)
        if ((*at)->leaves)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    for (size_t i = 0; i < found; ++i) {
        mpi_pending *p = all[i];
        if (!p->finished) win__deliver(p);
        p->finished = true;
        if (--p->waiters > 0 || p->named) continue; /* MPI_Wait() frees it */
        messages_request_drop(p->request);
        free(p);
    }
    free(all);
}

static void win__send_all(MPI_Win win)
{
    for (int i = 0; i < win->size; ++i) win__send(win, i);
}

/* MPI_Wait() for an access. */
static void win__named_finish(void *user, const messages_request *r)
{
    mpi_pending *p = user;
    (void)r;
    if (!p) return;
    if (!p->finished) {
        mpi_pending **at = &p->win->pending;
        while (*at != p) at = &(*at)->next;
        *at = p->next;
        win__deliver(p);
    }
    free(p);
}

/*=============================================================================
 * MARK: - >>windows
 *===========================================================================*/

static int win__info_check(MPI_Info info)
{
    (void)info; /* hints have no effect, but for alloc_shared_noncontig */
    return MPI_SUCCESS;
}

static int win__new_check(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, const MPI_Win *win)
{
    if (comm->remote) return MPI_ERR_COMM;
    if (!win) return MPI_ERR_WIN;
    if (bytes < 0) return MPI_ERR_SIZE;
    if (unit <= 0) return MPI_ERR_DISP;
    return win__info_check(info);
}

/* A window; the ranks agree when they have set their bases. */
static MPI_Win win__new(MPI_Comm comm, int flavor, MPI_Aint bytes, int unit, MPI_Info info)
{
    MPI_Win win = mpi_new(1, sizeof *win);
    messages->windows = true;
    win->comm = mpi_comm_new(mpi_group_hold(comm->group), mpi_context_new(comm), comm);
    win->rank = comm->group->rank;
    win->size = comm->group->size;
    win->flavor = flavor;
    win->model = MPI_WIN_UNIFIED;
    win->bytes = bytes;
    win->unit = unit;
    win->errhandler = MPI_ERRORS_ARE_FATAL;
    win->targets = mpi_new((size_t)win->size, sizeof *win->targets);
    if (info) PMPI_Info_dup(info, &win->info);
    messages_window *w = NULL;
    if (win->rank == 0) {
        w = direct_new(sizeof *w + (size_t)win->size * sizeof *w->members);
        w->size = win->size;
        for (int i = 0; i < win->size; ++i) w->members[i].task = comm->group->tasks[i];
    }
    mpi_tell(comm, 0, &w, sizeof w);
    win->shared = w;
    messages_apply = win__apply;
    return win;
}

/* All ranks tell each other base, size and unit. */
static void win__agree(MPI_Win win, void *base)
{
    messages_member *m = win__self(win);
    struct {
        uint64_t base, bytes, unit;
    } mine = { (uintptr_t)base, (uint64_t)win->bytes, (uint64_t)win->unit },
      *all = mpi_new((size_t)win->size, sizeof *all);
    win->base = base;
    m->base = base;
    m->bytes = (size_t)win->bytes;
    m->unit = win->unit;
    mpi_share(win->comm, &mine, sizeof mine, all);
    free(all);
    win->alive = true;
}

int PMPI_Win_create(void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    mpi_begin("MPI_Win_create");
    int code = mpi_comm_check(comm);
    if (code) return mpi_end(NULL, code);
    code = win__new_check(bytes, unit, info, comm, win);
    if (code) return mpi_end(comm, code);
    *win = win__new(comm, MPI_WIN_FLAVOR_CREATE, bytes, unit, info);
    win__agree(*win, base);
    return mpi_end(comm, code);
}

/* Memory of windows is in the arena, where all tasks can access it. */
static void *win__memory_new(MPI_Aint bytes)
{
    return direct_new(bytes > 0 ? (size_t)bytes : 1);
}

static void win__memory_free(void *memory, MPI_Aint bytes)
{
    direct_free(memory, bytes > 0 ? (size_t)bytes : 1);
}

int PMPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    mpi_begin("MPI_Win_allocate");
    int code = mpi_comm_check(comm);
    if (code) return mpi_end(NULL, code);
    code = win__new_check(bytes, unit, info, comm, win);
    if (!code && !base) code = MPI_ERR_ARG;
    if (code) return mpi_end(comm, code);
    *win = win__new(comm, MPI_WIN_FLAVOR_ALLOCATE, bytes, unit, info);
    (*win)->anywhere = true;
    win__agree(*win, win__memory_new(bytes));
    *(void **)base = (*win)->base;
    return mpi_end(comm, code);
}

static bool win__on_one_host(MPI_Comm comm)
{
    for (int i = 0; i < comm->group->size; ++i)
        if (messages->tasks[comm->group->tasks[i]]->host != messages_self->host) return false;
    return true;
}

static bool win__apart(MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    if (info) PMPI_Info_get(info, "alloc_shared_noncontig", MPI_MAX_INFO_VAL, value, &flag);
    return flag && strcmp(value, "true") == 0;
}

int PMPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win_)
{
    enum { PAGE = 4096 };
    mpi_begin("MPI_Win_allocate_shared");
    int code = mpi_comm_check(comm);
    if (code) return mpi_end(NULL, code);
    code = win__new_check(bytes, unit, info, comm, win_);
    if (!code && !base) code = MPI_ERR_ARG;
    if (!code && !win__on_one_host(comm)) code = MPI_ERR_RMA_SHARED;
    if (code) return mpi_end(comm, code);
    MPI_Win win = win__new(comm, MPI_WIN_FLAVOR_SHARED, bytes, unit, info);
    messages_window *w = win->shared;
    win->anywhere = true;
    win__agree(win, NULL);
    if (win->rank == 0) {
        const size_t step = win__apart(info) ? PAGE : 1;
        size_t total = 0;
        for (int i = 0; i < win->size; ++i) total += (w->members[i].bytes + step - 1) / step * step;
        w->memory_bytes = total > 0 ? total : 1;
        w->memory = direct_new(w->memory_bytes);
        total = 0;
        for (int i = 0; i < win->size; ++i) {
            w->members[i].base = w->memory + total;
            total += (w->members[i].bytes + step - 1) / step * step;
        }
    }
    mpi_share(win->comm, NULL, 0, NULL);
    win->base = win__self(win)->base;
    *(void **)base = win->base;
    *win_ = win;
    return mpi_end(comm, code);
}

int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *bytes, int *unit, void *base)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (rank != MPI_PROC_NULL && (rank < 0 || rank >= win->size)) return mpi_win_fail(win, MPI_ERR_RANK);
    if (!bytes || !unit || !base) return mpi_win_fail(win, MPI_ERR_ARG);
    if (win->flavor != MPI_WIN_FLAVOR_SHARED) return mpi_win_fail(win, MPI_ERR_RMA_FLAVOR);
    if (rank == MPI_PROC_NULL) /* the first that has memory */
        for (rank = 0; rank + 1 < win->size && win->shared->members[rank].bytes == 0;) ++rank;
    const messages_member *m = &win->shared->members[rank];
    *bytes = (MPI_Aint)m->bytes;
    *unit = m->unit;
    *(void **)base = m->bytes > 0 ? m->base : NULL;
    return MPI_SUCCESS;
}

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    mpi_begin("MPI_Win_create_dynamic");
    int code = mpi_comm_check(comm);
    if (code) return mpi_end(NULL, code);
    code = win__new_check(0, 1, info, comm, win);
    if (code) return mpi_end(comm, code);
    *win = win__new(comm, MPI_WIN_FLAVOR_DYNAMIC, 0, 1, info);
    win__agree(*win, MPI_BOTTOM);
    return mpi_end(comm, code);
}

int PMPI_Win_attach(MPI_Win win, void *base, MPI_Aint bytes)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC) return mpi_win_fail(win, MPI_ERR_RMA_FLAVOR);
    if (bytes < 0) return mpi_win_fail(win, MPI_ERR_ARG);
    messages_member *m = win__self(win);
    if (m->attached_count == m->attached_room) {
        const size_t room = m->attached_room ? 2 * m->attached_room : 8;
        m->attached =
            direct_reallocate(NULL, m->attached, m->attached_room * sizeof *m->attached, room * sizeof *m->attached);
        m->attached_room = room;
    }
    m->attached[m->attached_count++] = (messages_run){ (ptrdiff_t)(uintptr_t)base, (size_t)bytes };
    return MPI_SUCCESS;
}

int PMPI_Win_detach(MPI_Win win, const void *base)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC) return mpi_win_fail(win, MPI_ERR_RMA_FLAVOR);
    messages_member *m = win__self(win);
    for (size_t i = 0; i < m->attached_count; ++i)
        if (m->attached[i].place == (ptrdiff_t)(uintptr_t)base) {
            m->attached[i] = m->attached[--m->attached_count];
            return MPI_SUCCESS;
        }
    return mpi_win_fail(win, MPI_ERR_OTHER);
}

static bool win__in_epoch(MPI_Win win)
{
    return win->posted || win->epoch > MPI_FENCED;
}

int PMPI_Win_free(MPI_Win *win_)
{
    mpi_begin("MPI_Win_free");
    MPI_Win win = win_ ? *win_ : MPI_WIN_NULL;
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (win__in_epoch(win)) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    int code = mpi_attributes_free(MPI_OF_WIN, win, &win->attributes);
    if (code) return mpi_win_end(win, code);
    win__send_all(win);
    win__settle(win, -1);
    mpi_share(win->comm, NULL, 0, NULL); /* nobody accesses it any more */
    messages_flush();
    if (win->flavor == MPI_WIN_FLAVOR_ALLOCATE) win__memory_free(win->base, win->bytes);
    messages_window_drop(win->shared, win->rank);
    PMPI_Errhandler_free(&win->errhandler);
    if (win->info) PMPI_Info_free(&win->info);
    mpi_comm_drop(win->comm);
    free(win->targets);
    win->alive = false;
    mpi_retire(win);
    *win_ = MPI_WIN_NULL;
    return mpi_end(NULL, MPI_SUCCESS);
}

int PMPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (!group) return mpi_win_fail(win, MPI_ERR_ARG);
    *group = mpi_group_hold(win->comm->group);
    return MPI_SUCCESS;
}

int PMPI_Win_set_name(MPI_Win win, const char *name)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (!name) return mpi_win_fail(win, MPI_ERR_ARG);
    snprintf(win->name, sizeof win->name, "%s", name);
    return MPI_SUCCESS;
}

int PMPI_Win_get_name(MPI_Win win, char *name, int *length)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (!name || !length) return mpi_win_fail(win, MPI_ERR_ARG);
    *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", win->name);
    return MPI_SUCCESS;
}

int PMPI_Win_set_info(MPI_Win win, MPI_Info info)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (!info) return mpi_win_fail(win, MPI_ERR_INFO);
    if (win->info) PMPI_Info_free(&win->info);
    return mpi_win_fail(win, PMPI_Info_dup(info, &win->info));
}

int PMPI_Win_get_info(MPI_Win win, MPI_Info *info)
{
    if (mpi_win_check(win)) return mpi_fail(NULL, MPI_ERR_WIN);
    if (!info) return mpi_win_fail(win, MPI_ERR_ARG);
    return mpi_win_fail(win, win->info ? PMPI_Info_dup(win->info, info) : PMPI_Info_create(info));
}

static mpi_numbered windows;

MPI_Fint PMPI_Win_c2f(MPI_Win win)
{
    return win ? mpi_number_of(&windows, win, &win->number) : 0;
}

MPI_Win PMPI_Win_f2c(MPI_Fint number)
{
    return mpi_handle_of(&windows, number);
}

/*=============================================================================
 * MARK: - >>accesses
 *===========================================================================*/

/* An access as the program asks for it. */
typedef struct access {
    const char *call;
    messages_deed_kind kind;
    const void *data; /* of the origin; NULL: none */
    int count;
    MPI_Datatype type;
    void *result; /* NULL: none */
    int result_count;
    MPI_Datatype result_type;
    const void *compared;
    int target;
    MPI_Aint place;
    int target_count;
    MPI_Datatype target_type;
    MPI_Op op; /* NULL: none */
    MPI_Win win;
    MPI_Request *request; /* NULL: none is returned */
    bool requested;
} access;

/* Returns true if these addresses have been attached to a dynamic window, perhaps in several parts. */
static bool win__attached(const messages_member *m, MPI_Aint low, MPI_Aint high)
{
    for (size_t i = 0; i < m->attached_count && low < high; ++i) {
        const messages_run *part = &m->attached[i];
        if (low < part->place || low >= part->place + (MPI_Aint)part->bytes) continue;
        low = part->place + (MPI_Aint)part->bytes;
        i = (size_t)-1; /* from the first part again */
    }
    return low >= high;
}

/* From the first accessed byte in the target's window to the end of the last one. */
static void win__span(const access *a, MPI_Aint *low, MPI_Aint *high)
{
    MPI_Datatype t = a->target_type;
    const MPI_Aint more = (a->target_count - 1) * (t->ub - t->lb);
    const MPI_Aint at = a->place * a->win->shared->members[a->target].unit;
    *low = at + t->true_lb + (more < 0 ? more : 0);
    *high = at + t->true_ub + (more > 0 ? more : 0);
}

/* Returns true if the accessed bytes belong to the window. */
static bool win__in_range(const access *a)
{
    const messages_member *m = &a->win->shared->members[a->target];
    MPI_Aint low, high;
    win__span(a, &low, &high);
    if (a->win->flavor != MPI_WIN_FLAVOR_DYNAMIC) return low >= 0 && high <= (MPI_Aint)m->bytes;
    return win__attached(m, low, high);
}

/* Returns true if this rank may access that target now. */
static bool win__may(MPI_Win win, int target)
{
    switch (win->epoch) {
    case MPI_FENCED:
    case MPI_LOCKED_ALL: return true;
    case MPI_STARTED: return win->targets[target].started;
    case MPI_LOCKED: return win->targets[target].lock != 0;
    default: return false;
    }
}

static int win__range_wrong(const access *a)
{
    const messages_member *m = &a->win->shared->members[a->target];
    MPI_Aint low, high;
    win__span(a, &low, &high);
    if (a->win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return mpi_explain(MPI_ERR_RMA_RANGE, "%lld bytes from address %#llx on are not attached to rank %d's window",
                           (long long)(high - low), (unsigned long long)low, a->target);
    return mpi_explain(MPI_ERR_RMA_RANGE, "bytes %lld to %lld of rank %d's window of %zu B", (long long)low,
                       (long long)high - 1, a->target, m->bytes);
}

static int win__op_check(const access *a)
{
    if (!a->op || a->op->function) return MPI_ERR_OP;
    if (a->op == MPI_REPLACE || (a->op == MPI_NO_OP && a->result)) return MPI_SUCCESS;
    if ((size_t)a->target_count * a->target_type->size == 0) return MPI_SUCCESS;
    MPI_Datatype element = mpi_type_element(a->target_type);
    return element ? mpi_op_check(a->op, element) : MPI_ERR_OP;
}

static int win__access_check(const access *a)
{
    const MPI_Win win = a->win;
    const bool sends = a->type != NULL || !a->result;
    int code = MPI_SUCCESS;
    if (a->target_count < 0 || (sends && a->count < 0) || (a->result_type && a->result_count < 0)) return MPI_ERR_COUNT;
    if (a->target != MPI_PROC_NULL && (a->target < 0 || a->target >= win->size))
        return mpi_rank_wrong(MPI_ERR_RANK, "rank", a->target, win->size);
    if (!a->target_type) return MPI_ERR_TYPE;
    if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC && a->place < 0) return MPI_ERR_DISP;
    if (sends && a->op != MPI_NO_OP) code = mpi_type_check(a->type);
    if (!code && a->result) code = mpi_type_check(a->result_type);
    if (!code) code = mpi_type_check(a->target_type);
    if (!code && a->requested && !a->request) code = MPI_ERR_REQUEST;
    return code;
}

/* Integers of C and Fortran, logicals and bytes can be compared and swapped. */
static int win__compare_check(MPI_Datatype type)
{
    if (type->basic && (mpi_op_check(MPI_BAND, type) == MPI_SUCCESS || mpi_op_check(MPI_LOR, type) == MPI_SUCCESS))
        return MPI_SUCCESS;
    return mpi_explain(MPI_ERR_TYPE, "the datatype is %s, expected a basic type of integers, logicals or bytes",
                       type->basic ? type->name : "a derived one");
}

/* The checks that need a target. */
static int win__target_check(const access *a)
{
    if (!win__may(a->win, a->target)) return MPI_ERR_RMA_SYNC;
    if (a->kind == MESSAGES_ACCUMULATE || a->kind == MESSAGES_FETCH) {
        const int code = win__op_check(a);
        if (code) return code;
    }
    if (a->kind == MESSAGES_COMPARE && win__compare_check(a->target_type)) return MPI_ERR_TYPE;
    return a->target_count > 0 && a->target_type->size > 0 && !win__in_range(a) ? win__range_wrong(a) : MPI_SUCCESS;
}

/* CPU time of an accumulation: that of the same one here, measured once. */
static double win__work(MPI_Op op, MPI_Datatype type, size_t bytes)
{
    enum { ELEMENTS = 1024, OPS = 16 };
    static double times[OPS][NUMBERS + 1]; /* of so many elements [s]; 0: not measured */
    if (!messages->measure || !type || op == MPI_REPLACE || op == MPI_NO_OP) return 0;
    double *time = &times[mpi_op_number(op)][type->basic];
    for (int i = 0; i < 3 && (i > 0 || *time <= 0); ++i) {
        char *in = mpi_new(ELEMENTS, type->size), *inout = mpi_new(ELEMENTS, type->size);
        const double begin = messages_clock();
        win__reduce(in, inout, ELEMENTS, type, op);
        const double one = messages_clock() - begin;
        if (i == 0 || one < *time) *time = one;
        free(in);
        free(inout);
    }
    return *time * (double)bytes / (double)(ELEMENTS * type->size);
}

static messages_deed *win__access_deed(const access *a)
{
    messages_deed *d = win__deed_on(a->win, a->kind, a->target, a->place, a->target_count, a->target_type);
    if (a->result) {
        d->result = messages_chunk_new(d->bytes);
        d->request = win__request_new(a->target, MESSAGES_DATA);
    }
    if (a->op) {
        MPI_Datatype element = mpi_type_element(a->target_type);
        d->op = mpi_op_number(a->op);
        d->basic = element ? element->basic : 0;
    }
    if (a->kind == MESSAGES_COMPARE) {
        d->data = messages_chunk_new(2 * d->bytes);
        memcpy(d->data->data, a->data, d->bytes);
        memcpy(d->data->data + d->bytes, a->compared, d->bytes);
    } else if (a->kind != MESSAGES_GET) {
        const bool none = a->op == MPI_NO_OP;
        d->data = none ? messages_chunk_new(0) : mpi_chunk_sent(a->data, (size_t)a->count, a->type);
    }
    return d;
}

static MPI_Request win__request_done(MPI_Win win)
{
    return mpi_request_of(win->comm, NULL, win__named_finish, NULL);
}

static int win__access(access a)
{
    const MPI_Win win = a.win;
    mpi_begin(a.call);
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    int code = win__access_check(&a);
    if (!code && a.target != MPI_PROC_NULL) code = win__target_check(&a);
    if (code) return mpi_win_end(win, code);
    if (a.target == MPI_PROC_NULL || (size_t)a.target_count * a.target_type->size == 0) {
        if (a.requested) *a.request = win__request_done(win);
        return mpi_win_end(win, MPI_SUCCESS);
    }
    messages_deed *d = win__access_deed(&a);
    const size_t bytes = DEED_BYTES + (d->data ? d->data->bytes : 0);
    mpi_pending *pending = NULL;
    if (a.result) {
        win->pending_bytes += d->bytes;
        pending = win__pending_add(win, a.target, d->request, d);
        pending->data = a.result;
        pending->count = a.result_count;
        pending->type = a.result_type;
        mpi_type_hold(a.result_type);
    }
    win->used = true;
    win->targets[a.target].unconfirmed = true;
    const double work = a.op ? win__work(a.op, d->basic ? mpi_basic_type(d->basic) : NULL, d->bytes) : 0;
    win__put_in(win, a.target, d, bytes);
    win->targets[a.target].parcel->work += work;
    if (a.requested || win->targets[a.target].parcel->bytes > PARCEL_BYTES) {
        mpi_pending *sent = win__send(win, a.target);
        if (a.requested && !pending) pending = sent;
        if (a.requested && pending) pending->named = true;
    }
    if (win->pending_bytes > PENDING_BYTES) {
        win__send_all(win);
        win__settle(win, -1);
    }
    if (a.requested)
        *a.request =
            pending ? mpi_request_of(win->comm, pending->request, win__named_finish, pending) : win__request_done(win);
    return mpi_win_end(win, MPI_SUCCESS);
}

#define ORIGIN(data_, count_, type_) .data = data_, .count = count_, .type = type_
#define RESULT(data_, count_, type_) .result = data_, .result_count = count_, .result_type = type_
#define TARGET(rank_, place_, count_, type_)                                                                           \
    .target = rank_, .place = place_, .target_count = count_, .target_type = type_
#define NAMED(request_) .request = request_, .requested = true

int PMPI_Put(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win)
{
    return win__access((access){ "MPI_Put", MESSAGES_PUT, ORIGIN(data, count, type),
                                 TARGET(target, place, target_count, target_type), .win = win });
}

int PMPI_Rput(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
              MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    return win__access((access){ "MPI_Rput", MESSAGES_PUT, ORIGIN(data, count, type),
                                 TARGET(target, place, target_count, target_type), .win = win, NAMED(request) });
}

/* A buffer at the address 0, MPI_BOTTOM, is not the same as none. */
static char bottom;

static int win__get(const char *call, void *data, int count, MPI_Datatype type, int target, MPI_Aint place,
                    int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request, bool requested)
{
    return win__access((access){ call, MESSAGES_GET, RESULT(data ? data : &bottom, count, type),
                                 TARGET(target, place, target_count, target_type), .win = win, .request = request,
                                 .requested = requested });
}

int PMPI_Get(void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win)
{
    return win__get("MPI_Get", data, count, type, target, place, target_count, target_type, win, NULL, false);
}

int PMPI_Rget(void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
              MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    return win__get("MPI_Rget", data, count, type, target, place, target_count, target_type, win, request, true);
}

int PMPI_Accumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
                    MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    return win__access((access){ "MPI_Accumulate", MESSAGES_ACCUMULATE, ORIGIN(data, count, type),
                                 TARGET(target, place, target_count, target_type), .op = op, .win = win });
}

int PMPI_Raccumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
                     MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    return win__access((access){ "MPI_Raccumulate", MESSAGES_ACCUMULATE, ORIGIN(data, count, type),
                                 TARGET(target, place, target_count, target_type), .op = op, .win = win,
                                 NAMED(request) });
}

int PMPI_Get_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                        MPI_Datatype result_type, int target, MPI_Aint place, int target_count,
                        MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    return win__access((access){ "MPI_Get_accumulate", MESSAGES_FETCH, ORIGIN(data, count, type),
                                 RESULT(result ? result : &bottom, result_count, result_type),
                                 TARGET(target, place, target_count, target_type), .op = op, .win = win });
}

int PMPI_Rget_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                         MPI_Datatype result_type, int target, MPI_Aint place, int target_count,
                         MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    return win__access((access){ "MPI_Rget_accumulate", MESSAGES_FETCH, ORIGIN(data, count, type),
                                 RESULT(result ? result : &bottom, result_count, result_type),
                                 TARGET(target, place, target_count, target_type), .op = op, .win = win,
                                 NAMED(request) });
}

int PMPI_Fetch_and_op(const void *data, void *result, MPI_Datatype type, int target, MPI_Aint place, MPI_Op op,
                      MPI_Win win)
{
    return win__access((access){ "MPI_Fetch_and_op", MESSAGES_FETCH, ORIGIN(data, 1, type),
                                 RESULT(result ? result : &bottom, 1, type), TARGET(target, place, 1, type), .op = op,
                                 .win = win });
}

int PMPI_Compare_and_swap(const void *data, const void *compared, void *result, MPI_Datatype type, int target,
                          MPI_Aint place, MPI_Win win)
{
    return win__access((access){ "MPI_Compare_and_swap", MESSAGES_COMPARE, ORIGIN(data, 1, type),
                                 RESULT(result ? result : &bottom, 1, type), .compared = compared,
                                 TARGET(target, place, 1, type), .win = win });
}

/*=============================================================================
 * MARK: - >>fence
 *===========================================================================*/

static int win__fence(int assertion, MPI_Win win)
{
    const int known = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    mpi_begin("MPI_Win_fence");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (assertion & ~known) return mpi_win_end(win, MPI_ERR_ASSERT);
    if (win__in_epoch(win)) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    if (!(assertion & MPI_MODE_NOPRECEDE)) {
        unsigned come = 0, *sent = mpi_new((size_t)win->size, sizeof *sent);
        win__send_all(win);
        for (int i = 0; i < win->size; ++i) {
            sent[i] = win->targets[i].sent;
            win->targets[i].sent = 0;
            win->targets[i].unconfirmed = false;
        }
        messages_leave();
        PMPI_Reduce_scatter_block(sent, &come, 1, MPI_UNSIGNED, MPI_SUM, win->comm);
        free(sent);
        mpi_begin("MPI_Win_fence");
        win->parcels += come;
        win__await(win, MESSAGES_PARCELS, 0, win->parcels);
        win__settle(win, -1);
    }
    win->epoch = assertion & MPI_MODE_NOSUCCEED ? MPI_NO_EPOCH : MPI_FENCED;
    win->used = false;
    messages_leave();
    PMPI_Barrier(win->comm);
    return MPI_SUCCESS;
}

int PMPI_Win_fence(int assertion, MPI_Win win)
{
    return MPI_AS(win__fence(assertion, win));
}

/*=============================================================================
 * MARK: - >>post, start, complete, wait
 *===========================================================================*/

/* The rank of a member of a group in the window; -1: it is not there. */
static int win__rank_of(MPI_Win win, MPI_Group group, int member)
{
    MPI_Group all = win->comm->group;
    for (int i = 0; i < all->size; ++i)
        if (all->tasks[i] == group->tasks[member]) return i;
    return -1;
}

static int win__group_check(MPI_Win win, MPI_Group group)
{
    if (!group) return MPI_ERR_GROUP;
    for (int i = 0; i < group->size; ++i)
        if (win__rank_of(win, group, i) < 0) return MPI_ERR_RANK;
    return MPI_SUCCESS;
}

int PMPI_Win_post(MPI_Group group, int assertion, MPI_Win win)
{
    const int known = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
    mpi_begin("MPI_Win_post");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    int code = assertion & ~known ? MPI_ERR_ASSERT : win__group_check(win, group);
    if (!code && win->posted) code = MPI_ERR_RMA_SYNC;
    if (code) return mpi_win_end(win, code);
    win->posted = mpi_group_hold(group);
    for (int i = 0; i < group->size && !(assertion & MPI_MODE_NOCHECK); ++i) {
        const int origin = win__rank_of(win, group, i);
        win__control_send(win, origin, win__deed_new(win, MESSAGES_EXPOSE, origin, 0));
    }
    return mpi_win_end(win, MPI_SUCCESS);
}

/* Returns true if a new access epoch may begin: that of a fence without accesses ends by itself. */
static bool win__may_begin(MPI_Win win)
{
    return win->epoch == MPI_NO_EPOCH || (win->epoch == MPI_FENCED && !win->used);
}

int PMPI_Win_start(MPI_Group group, int assertion, MPI_Win win)
{
    mpi_begin("MPI_Win_start");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    int code = assertion & ~MPI_MODE_NOCHECK ? MPI_ERR_ASSERT : win__group_check(win, group);
    if (!code && !win__may_begin(win)) code = MPI_ERR_RMA_SYNC;
    if (code) return mpi_win_end(win, code);
    win->epoch = MPI_STARTED;
    win->started = mpi_group_hold(group);
    for (int i = 0; i < group->size; ++i) {
        mpi_target *t = &win->targets[win__rank_of(win, group, i)];
        t->started = true;
        t->exposed = assertion & MPI_MODE_NOCHECK;
    }
    return mpi_win_end(win, MPI_SUCCESS);
}

int PMPI_Win_complete(MPI_Win win)
{
    mpi_begin("MPI_Win_complete");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (win->epoch != MPI_STARTED) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    for (int i = 0; i < win->started->size; ++i) {
        const int target = win__rank_of(win, win->started, i);
        win__conclude(win, target, MESSAGES_FINISH, false);
        win->targets[target].started = win->targets[target].unconfirmed = false;
    }
    win__settle(win, -1);
    mpi_group_drop(win->started);
    win->started = NULL;
    win->epoch = MPI_NO_EPOCH;
    win->used = false;
    return mpi_win_end(win, MPI_SUCCESS);
}

/* Number of MPI_Win_complete() of others, since the window was made, at which the exposure ends. */
static uint64_t win__finishes(MPI_Win win)
{
    return win->finishes + (uint64_t)win->posted->size;
}

static void win__exposure_end(MPI_Win win)
{
    win->finishes = win__finishes(win);
    mpi_group_drop(win->posted);
    win->posted = NULL;
}

int PMPI_Win_wait(MPI_Win win)
{
    mpi_begin("MPI_Win_wait");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (!win->posted) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    win__await(win, MESSAGES_FINISHES, 0, win__finishes(win));
    win__exposure_end(win);
    return mpi_win_end(win, MPI_SUCCESS);
}

/* Hands the script over and takes what has come; as long as nothing has, it costs as much as a probe. */
static void win__look(void)
{
    messages_action_add(MESSAGES_LOOK);
    messages_flush();
}

int PMPI_Win_test(MPI_Win win, int *flag)
{
    mpi_begin("MPI_Win_test");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (!flag) return mpi_win_end(win, MPI_ERR_ARG);
    if (!win->posted) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    win__look();
    *flag = win__self(win)->finishes >= win__finishes(win);
    if (*flag) win__exposure_end(win);
    return mpi_win_end(win, MPI_SUCCESS);
}

/*=============================================================================
 * MARK: - >>locks
 *===========================================================================*/

static bool win__rank_is(MPI_Win win, int rank)
{
    return rank >= 0 && rank < win->size;
}

/* Asks for the lock of a target. It is awaited at the first access, unless the program may access the memory itself. */
static void win__lock(MPI_Win win, int rank, int type)
{
    win->targets[rank].lock = type;
    if (win->flavor != MPI_WIN_FLAVOR_SHARED && rank != win->rank && win->epoch == MPI_LOCKED_ALL) return;
    win__lock_ask(win, rank);
    if (win->flavor != MPI_WIN_FLAVOR_SHARED && rank != win->rank) return;
    win__reach(win, rank);
    messages_flush();
}

int PMPI_Win_lock(int type, int rank, int assertion, MPI_Win win)
{
    mpi_begin("MPI_Win_lock");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    int code = type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED ? MPI_ERR_LOCKTYPE
               : !win__rank_is(win, rank)      ? mpi_rank_wrong(MPI_ERR_RANK, "rank", rank, win->size)
               : assertion & ~MPI_MODE_NOCHECK ? MPI_ERR_ASSERT
                                               : MPI_SUCCESS;
    if (!code && win->epoch != MPI_LOCKED && !win__may_begin(win)) code = MPI_ERR_RMA_SYNC;
    if (!code && win->targets[rank].lock) code = MPI_ERR_RMA_CONFLICT;
    if (code) return mpi_win_end(win, code);
    win->epoch = MPI_LOCKED;
    ++win->locks;
    win->targets[rank].lock = type;
    win->targets[rank].granted = assertion & MPI_MODE_NOCHECK;
    if (!(assertion & MPI_MODE_NOCHECK)) win__lock(win, rank, type);
    return mpi_win_end(win, MPI_SUCCESS);
}

/* Sends what ends the epoch of one target; the answers are pending. */
static void win__unlock(MPI_Win win, int rank)
{
    mpi_target *t = &win->targets[rank];
    const bool locks = t->lock && (t->grant || !t->granted); /* not MPI_MODE_NOCHECK */
    if (t->grant || t->unconfirmed) win__conclude(win, rank, locks ? MESSAGES_UNLOCK : MESSAGES_CONFIRM, true);
}

static void win__unlocked(MPI_Win win, int rank)
{
    mpi_target *t = &win->targets[rank];
    messages_request_drop(t->grant);
    t->grant = NULL;
    t->lock = 0;
    t->granted = t->unconfirmed = false;
}

int PMPI_Win_unlock(int rank, MPI_Win win)
{
    mpi_begin("MPI_Win_unlock");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (!win__rank_is(win, rank)) return mpi_win_end(win, mpi_rank_wrong(MPI_ERR_RANK, "rank", rank, win->size));
    if (win->epoch != MPI_LOCKED || !win->targets[rank].lock) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    win__unlock(win, rank);
    win__settle(win, rank);
    win__unlocked(win, rank);
    if (--win->locks == 0) {
        win->epoch = MPI_NO_EPOCH;
        win->used = false;
    }
    return mpi_win_end(win, MPI_SUCCESS);
}

int PMPI_Win_lock_all(int assertion, MPI_Win win)
{
    mpi_begin("MPI_Win_lock_all");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (assertion & ~MPI_MODE_NOCHECK) return mpi_win_end(win, MPI_ERR_ASSERT);
    if (!win__may_begin(win)) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    win->epoch = MPI_LOCKED_ALL;
    for (int i = 0; i < win->size && !(assertion & MPI_MODE_NOCHECK); ++i) win__lock(win, i, MPI_LOCK_SHARED);
    return mpi_win_end(win, MPI_SUCCESS);
}

int PMPI_Win_unlock_all(MPI_Win win)
{
    mpi_begin("MPI_Win_unlock_all");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (win->epoch != MPI_LOCKED_ALL) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    for (int i = 0; i < win->size; ++i) win__unlock(win, i);
    win__settle(win, -1);
    for (int i = 0; i < win->size; ++i) win__unlocked(win, i);
    win->epoch = MPI_NO_EPOCH;
    win->used = false;
    return mpi_win_end(win, MPI_SUCCESS);
}

/* The four flushes: of one target or of all (-1); at the target, too, or only here. */
static int win__flush(const char *call, int rank, bool all, bool local, MPI_Win win)
{
    mpi_begin(call);
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    if (!all && !win__rank_is(win, rank))
        return mpi_win_end(win, mpi_rank_wrong(MPI_ERR_RANK, "rank", rank, win->size));
    if (win->epoch < MPI_LOCKED || (!all && !win__may(win, rank))) return mpi_win_end(win, MPI_ERR_RMA_SYNC);
    for (int i = all ? 0 : rank; i < (all ? win->size : rank + 1); ++i) {
        mpi_target *t = &win->targets[i];
        if (local)
            win__send(win, i);
        else if (t->unconfirmed)
            win__conclude(win, i, MESSAGES_CONFIRM, true);
        if (!local) t->unconfirmed = false;
    }
    win__settle(win, all ? -1 : rank);
    return mpi_win_end(win, MPI_SUCCESS);
}

int PMPI_Win_flush(int rank, MPI_Win win)
{
    return win__flush("MPI_Win_flush", rank, false, false, win);
}

int PMPI_Win_flush_all(MPI_Win win)
{
    return win__flush("MPI_Win_flush_all", -1, true, false, win);
}

int PMPI_Win_flush_local(int rank, MPI_Win win)
{
    return win__flush("MPI_Win_flush_local", rank, false, true, win);
}

int PMPI_Win_flush_local_all(MPI_Win win)
{
    return win__flush("MPI_Win_flush_local_all", -1, true, true, win);
}

int PMPI_Win_sync(MPI_Win win)
{
    mpi_begin("MPI_Win_sync");
    if (mpi_win_check(win)) return mpi_end(NULL, MPI_ERR_WIN);
    win__look(); /* a loop that polls memory takes time */
    return mpi_win_end(win, MPI_SUCCESS);
}

/* clang-format off */
MPI_FIRST(Win_create) MPI_FIRST(Win_allocate) MPI_FIRST(Win_allocate_shared) MPI_FIRST(Win_shared_query)
MPI_FIRST(Win_create_dynamic) MPI_FIRST(Win_attach) MPI_FIRST(Win_detach) MPI_FIRST(Win_free) MPI_FIRST(Win_get_group)
MPI_FIRST(Win_set_name) MPI_FIRST(Win_get_name) MPI_FIRST(Win_set_info) MPI_FIRST(Win_get_info) MPI_FIRST(Win_c2f)
MPI_FIRST(Win_f2c) MPI_FIRST(Put) MPI_FIRST(Get) MPI_FIRST(Accumulate) MPI_FIRST(Get_accumulate)
MPI_FIRST(Fetch_and_op) MPI_FIRST(Compare_and_swap) MPI_FIRST(Rput) MPI_FIRST(Rget) MPI_FIRST(Raccumulate)
MPI_FIRST(Rget_accumulate) MPI_FIRST(Win_fence) MPI_FIRST(Win_post) MPI_FIRST(Win_start) MPI_FIRST(Win_complete)
MPI_FIRST(Win_wait) MPI_FIRST(Win_test) MPI_FIRST(Win_lock) MPI_FIRST(Win_unlock) MPI_FIRST(Win_lock_all)
MPI_FIRST(Win_unlock_all) MPI_FIRST(Win_flush) MPI_FIRST(Win_flush_all) MPI_FIRST(Win_flush_local)
MPI_FIRST(Win_flush_local_all) MPI_FIRST(Win_sync)
    /* clang-format on */
