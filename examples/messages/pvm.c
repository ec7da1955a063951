/* pvm.c - PVM 3 on the virtual clock. A task packs into its own buffers; a message is a copy in shared memory. Groups,
 * named messages and notifications are lists in shared memory. Tasks access them only after handing over their scripts,
 * so in the order of virtual time. */
#define _GNU_SOURCE
#define SIMKIT_PVM_BODY
#include "core.h"
#include "pvm3.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXTS = 1 << 20, GROUP_CONTEXT = CONTEXTS - 1, HOST_SHIFT = 18, NUMBERS = (1 << HOST_SHIFT) - 1 };

int pvm_errno, pvmdebmask;

/*=============================================================================
 * MARK: - >>shared data
 *===========================================================================*/

typedef struct group {
    struct group *next;
    char name[64];
    int count, room, *tids; /* tids[room], 0: a free instance */
    int waiting, wanted;    /* in its barrier */
    int *waiters;           /* waiters[room] */
    int turn;               /* of the barrier */
} group;

typedef struct entry { /* a named message */
    struct entry *next;
    char name[64];
    int index, owner, flags;
    int encoding;
    messages_chunk *chunk;
} entry;

typedef struct notice { /* a request for a notification */
    struct notice *next;
    int what, who, tag, context, about;
} notice;

typedef struct spawned { /* a spawn: the initial data of its tasks */
    struct spawned *next;
    int first, count, context;
    bool orphans; /* PvmNoParent: hides the parent */
    char path[];  /* the program, as requested */
} spawned;

typedef struct shared {
    group *groups;
    spawned *spawns;
    entry *entries;
    notice *notices;
    int next_context;
    bool context_used[CONTEXTS];
} shared;

static shared *pvm__all(void)
{
    if (!messages->pvm) messages->pvm = direct_new(sizeof(shared));
    return messages->pvm;
}

/*=============================================================================
 * MARK: - >>this task
 *===========================================================================*/

typedef struct piece { /* of data packed in place: its address, and its offset in the message */
    const void *from;
    size_t at, bytes;
} piece;

typedef struct buffer {
    piece *pieces;
    size_t piece_count;
    char *bytes;
    size_t length, room, at;
    int tag, tid, encoding, context;
    bool used;
    bool probed; /* returned by a probe; its message has not been received */
} buffer;

static struct {
    bool enrolled, left, orphan;
    int context, sending, receiving;
    int options[32];
    buffer *buffers; /* handles from 1 */
    int count;
    int *siblings, sibling_count;
} me = { .context = PvmBaseContext };

static int pvm__tid_of(const messages_task *t)
{
    return (t->host + 1) << HOST_SHIFT | (t->number + 1);
}

static messages_task *pvm__task_of(int tid)
{
    const int number = (tid & NUMBERS) - 1;
    if (tid <= 0 || number < 0 || (uint32_t)number >= messages->task_count) return NULL;
    messages_task *t = messages->tasks[number];
    return pvm__tid_of(t) == tid ? t : NULL;
}

static const struct {
    int code;
    const char *text;
} errors[] = { { PvmOk, "Error 0" },
               { PvmBadParam, "Bad parameter" },
               { PvmMismatch, "Parameter mismatch" },
               { PvmOverflow, "Value too large" },
               { PvmNoData, "End of buffer" },
               { PvmNoHost, "No such host" },
               { PvmNoFile, "No such file" },
               { PvmDenied, "Permission denied" },
               { PvmNoMem, "Malloc failed" },
               { PvmBadMsg, "Can't decode message" },
               { PvmSysErr, "Can't contact local daemon" },
               { PvmNoBuf, "No current buffer" },
               { PvmNoSuchBuf, "No such buffer" },
               { PvmNullGroup, "Null group name" },
               { PvmDupGroup, "Already in group" },
               { PvmNoGroup, "No such group" },
               { PvmNotInGroup, "Not in group" },
               { PvmNoInst, "No such instance" },
               { PvmHostFail, "Host failed" },
               { PvmNoParent, "No parent task" },
               { PvmNotImpl, "Not implemented" },
               { PvmDSysErr, "Pvmd system error" },
               { PvmBadVersion, "Version mismatch" },
               { PvmOutOfRes, "Out of resources" },
               { PvmDupHost, "Duplicate host" },
               { PvmCantStart, "Can't start pvmd" },
               { PvmAlready, "Already in progress" },
               { PvmNoTask, "No such task" },
               { PvmNotFound, "Not Found" },
               { PvmExists, "Already Exists" } };

char *pvm_strerror(void)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
        if (errors[i].code == pvm_errno) return (char *)(uintptr_t)errors[i].text;
    return (char *)(uintptr_t) "Unknown error";
}

int pvm_perror(char *text)
{
    fprintf(stderr, "libpvm [t%x]: %s: %s\n", pvm__tid_of(messages_self), text ? text : "", pvm_strerror());
    return PvmOk;
}

static int pvm__fails(const char *call, int code)
{
    pvm_errno = code;
    if (me.options[PvmAutoErr]) {
        fprintf(stderr, "libpvm [t%x]: %s(): %s\n", pvm__tid_of(messages_self), call, pvm_strerror());
        if (me.options[PvmAutoErr] == 2) exit(1);
    }
    return code;
}

/* Reports an error as libpvm's functions do; programs call this one without a declaration. */
int lpvmerr(const char *call, int code);

int lpvmerr(const char *call, int code)
{
    return pvm__fails(call, code);
}

/* Returns true if PVM knows the task no longer: its end has been announced, though its process may still be about to end. */
static bool pvm__gone(const messages_task *t)
{
    return t->ended || t->family.left;
}

static void pvm__notify_all(int tid);
static void pvm__groups_leave(int tid);
static void pvm__entries_leave(int tid);

static void pvm__leave(void)
{
    if (!me.enrolled || me.left) return;
    me.left = true;
    messages_flush();
    pvm__groups_leave(pvm__tid_of(messages_self));
    pvm__entries_leave(pvm__tid_of(messages_self));
    pvm__notify_all(pvm__tid_of(messages_self));
}

static const char *pvm__exits(void)
{
    pvm__leave();
    return NULL; /* tasks of PVM return whatever they like: nobody asks for it */
}

/* The spawn that started the task; NULL: none. */
static const spawned *pvm__spawned_find(const messages_task *t)
{
    const spawned *s = pvm__all()->spawns;
    while (s && (t->number < s->first || t->number >= s->first + s->count)) s = s->next;
    return s;
}

/* Begins a call: adds the CPU time since the last one to the script. */
static void pvm__begin(const char *call)
{
    messages_enter(call);
    if (me.enrolled) return;
    me.enrolled = true;
    me.options[PvmAutoErr] = 1;
    me.options[PvmRoute] = PvmAllowDirect;
    me.options[PvmFragSize] = 4080;
    me.options[PvmPollType] = PvmPollConstant;
    me.options[PvmShowTids] = 1;
    const spawned *s = pvm__spawned_find(messages_self);
    if (s) {
        me.context = s->context;
        me.orphan = s->orphans;
    }
    snprintf(messages_self->name, sizeof messages_self->name, "t%x", pvm__tid_of(messages_self));
    messages_before_exit(pvm__exits);
}

static int pvm__end(int result)
{
    messages_leave();
    return result;
}

static int pvm__end_fails(const char *call, int code)
{
    messages_leave();
    return pvm__fails(call, code);
}

/* An error that is never printed, whatever PvmAutoErr is: in calls about groups and named messages. */
static int pvm__end_quietly(int code)
{
    messages_leave();
    pvm_errno = code;
    return code;
}

/*=============================================================================
 * MARK: - >>tasks and hosts
 *===========================================================================*/

int pvm_mytid(void)
{
    pvm__begin("pvm_mytid");
    return pvm__end(pvm__tid_of(messages_self));
}

int pvm_parent(void)
{
    pvm__begin("pvm_parent");
    messages_leave();
    if (me.orphan) return PvmParentNotSet;
    if (messages_self->family.parent < 0)
        return PvmNoParent; /* not printed: in this way a master learns that it is one */
    return pvm__tid_of(messages->tasks[messages_self->family.parent]);
}

int pvm_siblings(int **tids)
{
    pvm__begin("pvm_siblings");
    const messages_task *t = messages_self;
    int *siblings = realloc(me.siblings, (t->family.parent < 0 ? 1 : (size_t)t->family.world_size) * sizeof *siblings);
    if (!siblings) return pvm__end_fails("pvm_siblings", PvmNoMem);
    me.siblings = siblings;
    if (t->family.parent < 0) { /* alone */
        me.siblings[0] = pvm__tid_of(t);
        if (tids) *tids = me.siblings;
        return pvm__end(1);
    }
    for (int i = 0; i < t->family.world_size; ++i) me.siblings[i] = pvm__tid_of(messages->tasks[t->family.world + i]);
    if (tids) *tids = me.siblings;
    return pvm__end(t->family.world_size);
}

/* Lists the requested hosts, by name or by type; returns their number. */
static size_t pvm__hosts_wanted(int flags, const char *where, int32_t *hosts, size_t room)
{
    const messages_cluster *c = &messages->cluster;
    size_t found = 0;
    for (size_t i = 0; i < c->count && found < room; ++i) {
        bool fits = flags & PvmTaskArch       ? strcmp(c->hosts[i].type, where) == 0
                    : strcmp(where, ".") == 0 ? (int32_t)i == messages_self->host
                                              : strcmp(c->hosts[i].name, where) == 0;
        if (flags & PvmHostCompl) fits = !fits && !c->hosts[i].only_asked;
        if (fits) hosts[found++] = (int32_t)i;
    }
    return found;
}

/* The environment of children besides the launcher's: the variables that PVM_EXPORT names, and PVM_EXPORT itself. */
enum { MOST_EXPORTED = 64 };
static char **pvm__exported(char *variables[MOST_EXPORTED + 2])
{
    extern char **environ;
    const char *names = getenv("PVM_EXPORT");
    size_t count = 0;
    for (char **at = environ; names && at && *at && count <= MOST_EXPORTED; ++at) {
        const size_t length = strcspn(*at, "=");
        bool wanted = strncmp(*at, "PVM_EXPORT=", 11) == 0;
        for (const char *name = names; *name && !wanted; name += strcspn(name, ":"), name += *name == ':')
            wanted = strcspn(name, ":") == length && strncmp(*at, name, length) == 0;
        if (wanted) variables[count++] = *at;
    }
    variables[count] = NULL;
    return variables;
}

int pvm_spawn(char *program, char **argv, int flags, char *where, int count, int *tids)
{
    enum { MOST_HOSTS = 4096 };
    int32_t choices[MOST_HOSTS], *hosts = NULL;
    char *variables[MOST_EXPORTED + 2];
    pvm__begin("pvm_spawn");
    if (!program || !*program || count < 1) return pvm__end_fails("pvm_spawn", PvmBadParam);
    if (flags & (PvmTaskHost | PvmTaskArch)) {
        size_t found = where && *where ? pvm__hosts_wanted(flags, where, choices, MOST_HOSTS) : 0;
        if (found == 0) {
            for (int i = 0; tids && i < count; ++i) tids[i] = PvmNoHost;
            return pvm__end(0);
        }
        hosts = malloc((size_t)count * sizeof *hosts);
        if (!hosts) return pvm__end_fails("pvm_spawn", PvmNoMem);
        for (int i = 0; i < count; ++i) hosts[i] = choices[(size_t)i % found];
    }
    const char *command = program;
    int32_t first = messages_spawn(1, &command, argv ? (char *const *const *)&argv : NULL, &count, hosts, NULL,
                                   pvm__exported(variables));
    free(hosts);
    if (first >= 0) {
        spawned *record = direct_new(sizeof *record + strlen(program) + 1);
        record->next = pvm__all()->spawns;
        record->first = first;
        record->count = count;
        record->context = me.context;
        record->orphans = flags & PvmNoSpawnParent;
        strcpy(record->path, program);
        pvm__all()->spawns = record;
    }
    for (int i = 0; tids && i < count; ++i) tids[i] = first < 0 ? PvmNoFile : pvm__tid_of(messages->tasks[first + i]);
    return pvm__end(first < 0 ? 0 : count);
}

int pvm_exit(void)
{
    pvm__begin("pvm_exit");
    messages_flush();
    /* PVM 3.4.6 knows a task that it has spawned until its process ends, with its entries; any other it forgets here. */
    if (!pvm__spawned_find(messages_self)) pvm__leave();
    return pvm__end(PvmOk);
}

int pvm_kill(int tid)
{
    pvm__begin("pvm_kill");
    messages_flush();
    messages_task *t = pvm__task_of(tid);
    if (!t) return pvm__end_fails("pvm_kill", PvmBadParam);
    if (t->ended) return pvm__end(PvmOk);
    if (t == messages_self) exit(0);
    pvm__groups_leave(tid);
    pvm__entries_leave(tid);
    t->final = true; /* its end is no error */
    messages_action_add(MESSAGES_KILL)->count = (uint32_t)t->number;
    messages_flush();
    if (t->base.process > 0 && !t->system.together) kill(t->base.process, SIGKILL); /* it may have ended already */
    pvm__notify_all(tid);
    return pvm__end(PvmOk);
}

int pvm_pstat(int tid)
{
    pvm__begin("pvm_pstat");
    messages_flush();
    if (tid <= 0 || (tid & NUMBERS) == 0) return pvm__end_fails("pvm_pstat", PvmBadParam);
    const messages_task *t = pvm__task_of(tid);
    return pvm__end(!t || pvm__gone(t) ? PvmNoTask : PvmOk);
}

int pvm_tasks(int where, int *count, struct pvmtaskinfo **list)
{
    static struct pvmtaskinfo *infos;
    pvm__begin("pvm_tasks");
    messages_flush();
    int found = 0;
    struct pvmtaskinfo *room = realloc(infos, messages->task_count * sizeof *infos);
    if (!room) return pvm__end_fails("pvm_tasks", PvmNoMem);
    infos = room;
    for (uint32_t i = 0; i < messages->task_count; ++i) {
        const messages_task *t = messages->tasks[i];
        const int tid = pvm__tid_of(t), host = tid & ~NUMBERS;
        const spawned *s = pvm__spawned_find(t);
        if (pvm__gone(t) || (where && where != tid && where != host)) continue;
        infos[found++] =
            (struct pvmtaskinfo){ tid,
                                  t->family.parent < 0 ? 0 : pvm__tid_of(messages->tasks[t->family.parent]),
                                  host,
                                  4,
                                  (char *)(uintptr_t)(s ? s->path : ""),
                                  (int)t->base.process };
    }
    if (where && !found && (where < 0 || (size_t)(where >> HOST_SHIFT) > messages->cluster.count))
        return pvm__end_fails("pvm_tasks", PvmNoHost);
    if (count) *count = found;
    if (list) *list = infos;
    return pvm__end(PvmOk);
}

int pvm_config(int *hosts, int *architectures, struct pvmhostinfo **list)
{
    static struct pvmhostinfo *infos;
    pvm__begin("pvm_config");
    messages_flush();
    const messages_cluster *c = &messages->cluster;
    int types = 0;
    struct pvmhostinfo *room = realloc(infos, c->count * sizeof *infos);
    if (!room) return pvm__end_fails("pvm_config", PvmNoMem);
    infos = room;
    for (size_t i = 0; i < c->count; ++i) {
        size_t same = 0;
        while (strcmp(c->hosts[same].type, c->hosts[i].type) != 0) ++same;
        types += same == i;
        infos[i] = (struct pvmhostinfo){ (int)(i + 1) << HOST_SHIFT, c->hosts[i].name, c->hosts[i].type,
                                         (int)lround(1000 / c->hosts[i].factor), 0 };
    }
    if (hosts) *hosts = (int)c->count;
    if (architectures) *architectures = types;
    if (list) *list = infos;
    return pvm__end(PvmOk);
}

int pvm_addhosts(char **names, int count, int *infos)
{
    pvm__begin("pvm_addhosts");
    if (!names || count < 1) return pvm__end_fails("pvm_addhosts", PvmBadParam);
    for (int i = 0; infos && i < count; ++i)
        infos[i] = messages_host_find(&messages->cluster, names[i]) >= 0 ? PvmDupHost : PvmNoHost;
    return pvm__end(0); /* all hosts are in the machine file */
}

int pvm_delhosts(char **names, int count, int *infos)
{
    pvm__begin("pvm_delhosts");
    if (!names || count < 1) return pvm__end_fails("pvm_delhosts", PvmBadParam);
    for (int i = 0; infos && i < count; ++i)
        infos[i] = messages_host_find(&messages->cluster, names[i]) >= 0 ? PvmDenied : PvmNoHost;
    return pvm__end(0);
}

int pvm_mstat(char *host)
{
    pvm__begin("pvm_mstat");
    messages_leave();
    return host && messages_host_find(&messages->cluster, host) >= 0 ? PvmOk : PvmNoHost;
}

int pvm_tidtohost(int tid)
{
    return pvm__task_of(tid) || (tid > 0 && (tid & NUMBERS) == 0) ? tid & ~NUMBERS
                                                                  : pvm__fails("pvm_tidtohost", PvmBadParam);
}

int pvm_archcode(char *name)
{
    for (size_t i = 0; name && i < messages->cluster.count; ++i)
        if (strcmp(messages->cluster.hosts[i].type, name) == 0) return (int)i + 1;
    return pvm__fails("pvm_archcode", PvmNotFound);
}

int pvm_halt(void)
{
    pvm__begin("pvm_halt");
    messages_flush();
    messages_end(0, "%s called pvm_halt at %.9g s", messages_self->name, messages_now());
}

int pvm_start_pvmd(int argc, char **argv, int block)
{
    (void)argc;
    (void)argv;
    (void)block;
    return pvm__fails("pvm_start_pvmd", PvmDupHost); /* the virtual machine runs already */
}

int pvm_catchout(FILE *file)
{
    pvm__begin("pvm_catchout");
    messages_self->family.shows = file;
    return pvm__end(PvmOk);
}

int pvm_setopt(int what, int value)
{
    pvm__begin("pvm_setopt");
    if (what < 1 || what >= 32 || value < 0) return pvm__end_fails("pvm_setopt", PvmBadParam);
    if ((what == PvmRoute && (value < PvmDontRoute || value > PvmRouteDirect)) || (what == PvmFragSize && value < 1024))
        return pvm__end_fails("pvm_setopt", PvmBadParam);
    int before = me.options[what];
    me.options[what] = value;
    return pvm__end(before);
}

int pvm_getopt(int what)
{
    pvm__begin("pvm_getopt");
    if (what < 1 || what >= 32) return pvm__end_fails("pvm_getopt", PvmBadParam);
    return pvm__end(me.options[what]);
}

int pvm_advise(int route)
{
    return pvm_setopt(PvmRoute, route);
}

int pvm_serror(int how)
{
    return pvm_setopt(PvmAutoErr, how);
}

char *pvm_version(void)
{
    static char version[] = PVM_VER;
    return version;
}

/* PVM_EXPORT, a list with colons, without the name. */
static char *pvm__exported_without(const char *name, size_t more)
{
    const char *names = getenv("PVM_EXPORT");
    char *list = calloc(1, (names ? strlen(names) : 0) + more + 2);
    for (const char *at = names; list && at && *at; at += strcspn(at, ":"), at += *at == ':') {
        const size_t length = strcspn(at, ":");
        if (length == 0 || (length == strlen(name) && strncmp(at, name, length) == 0)) continue;
        if (*list) strcat(list, ":");
        strncat(list, at, length);
    }
    return list;
}

int pvm_export(char *name)
{
    if (!name || !*name) return pvm__fails("pvm_export", PvmBadParam);
    char *list = pvm__exported_without(name, strlen(name));
    if (!list) return pvm__fails("pvm_export", PvmNoMem);
    if (*list) strcat(list, ":");
    strcat(list, name);
    setenv("PVM_EXPORT", list, 1);
    free(list);
    return PvmOk;
}

int pvm_unexport(char *name)
{
    if (!name || !*name) return pvm__fails("pvm_unexport", PvmBadParam);
    char *list = pvm__exported_without(name, 0);
    if (!list) return pvm__fails("pvm_unexport", PvmNoMem);
    setenv("PVM_EXPORT", list, 1);
    free(list);
    return PvmOk;
}

int pvm_getcontext(void)
{
    return me.context;
}

int pvm_setcontext(int context)
{
    if (context < 0 || context >= GROUP_CONTEXT) return pvm__fails("pvm_setcontext", PvmBadParam);
    int before = me.context;
    me.context = context;
    return before;
}

int pvm_newcontext(void)
{
    pvm__begin("pvm_newcontext");
    messages_flush();
    shared *a = pvm__all();
    for (int i = 1; i < GROUP_CONTEXT; ++i) {
        a->next_context = a->next_context % (GROUP_CONTEXT - 1) + 1;
        if (a->context_used[a->next_context]) continue;
        a->context_used[a->next_context] = true;
        return pvm__end(a->next_context);
    }
    return pvm__end_fails("pvm_newcontext", PvmOutOfRes);
}

int pvm_freecontext(int context)
{
    pvm__begin("pvm_freecontext");
    messages_flush();
    if (context <= 0 || context >= GROUP_CONTEXT || !pvm__all()->context_used[context])
        return pvm__end_fails("pvm_freecontext", PvmNotFound);
    pvm__all()->context_used[context] = false;
    return pvm__end(PvmOk);
}

/*=============================================================================
 * MARK: - >>buffers
 *===========================================================================*/

static buffer *pvm__buffer_of(int handle)
{
    return handle >= 1 && handle <= me.count && me.buffers[handle - 1].used ? &me.buffers[handle - 1] : NULL;
}

static int pvm__buffer_new(int encoding)
{
    int handle = 1;
    while (handle <= me.count && me.buffers[handle - 1].used) ++handle;
    if (handle > me.count) {
        int room = me.count ? 2 * me.count : 8;
        me.buffers = realloc(me.buffers, (size_t)room * sizeof *me.buffers);
        if (!me.buffers) messages_end(1, "%s: no memory for a buffer", messages_self->name);
        memset(me.buffers + me.count, 0, (size_t)(room - me.count) * sizeof *me.buffers);
        me.count = room;
    }
    buffer *b = &me.buffers[handle - 1];
    memset(b, 0, sizeof *b);
    b->used = true;
    b->encoding = encoding;
    b->context = me.context;
    return handle;
}

int pvm_mkbuf(int encoding)
{
    if (encoding < PvmDataDefault || encoding > PvmDataInPlace) return pvm__fails("pvm_mkbuf", PvmBadParam);
    return pvm__buffer_new(encoding);
}

int pvm_freebuf(int handle)
{
    buffer *b = pvm__buffer_of(handle);
    if (handle == 0) return PvmOk;
    if (!b) return pvm__fails("pvm_freebuf", handle < 0 ? PvmBadParam : PvmNoSuchBuf);
    free(b->pieces);
    free(b->bytes);
    b->used = false;
    if (handle == me.sending) me.sending = 0;
    if (handle == me.receiving) me.receiving = 0;
    return PvmOk;
}

int pvm_initsend(int encoding)
{
    if (encoding < PvmDataDefault || encoding > PvmDataInPlace) return pvm__fails("pvm_initsend", PvmBadParam);
    if (pvm__buffer_of(me.sending)) pvm_freebuf(me.sending);
    return me.sending = pvm__buffer_new(encoding);
}

int pvm_getsbuf(void)
{
    return me.sending;
}

int pvm_getrbuf(void)
{
    return me.receiving;
}

int pvm_setsbuf(int handle)
{
    if (handle && !pvm__buffer_of(handle)) return pvm__fails("pvm_setsbuf", handle < 0 ? PvmBadParam : PvmNoSuchBuf);
    int before = me.sending;
    me.sending = handle;
    return before;
}

int pvm_setrbuf(int handle)
{
    if (handle && !pvm__buffer_of(handle)) return pvm__fails("pvm_setrbuf", handle < 0 ? PvmBadParam : PvmNoSuchBuf);
    int before = me.receiving;
    me.receiving = handle;
    return before;
}

int pvm_bufinfo(int handle, int *bytes, int *tag, int *tid)
{
    const buffer *b = pvm__buffer_of(handle);
    if (!b) return pvm__fails("pvm_bufinfo", handle < 1 ? PvmBadParam : PvmNoSuchBuf);
    if (bytes) *bytes = (int)b->length;
    if (tag) *tag = b->tag;
    if (tid) *tid = b->tid;
    return PvmOk;
}

int pvm_getminfo(int handle, struct pvmminfo *info)
{
    const buffer *b = pvm__buffer_of(handle);
    if (!b || !info) return pvm__fails("pvm_getminfo", b ? PvmBadParam : PvmNoSuchBuf);
    *info =
        (struct pvmminfo){ (int)b->length, b->context, b->tag, 0, b->encoding, 0, b->tid, pvm__tid_of(messages_self) };
    return PvmOk;
}

int pvm_setminfo(int handle, struct pvmminfo *info)
{
    buffer *b = pvm__buffer_of(handle);
    if (!b || !info) return pvm__fails("pvm_setminfo", b ? PvmBadParam : PvmNoSuchBuf);
    b->tag = info->tag;
    b->tid = info->src;
    b->context = info->ctx;
    return PvmOk;
}

/* Reserves bytes in the send buffer. */
static char *pvm__pack_room(const char *call, size_t bytes, int *code)
{
    buffer *b = pvm__buffer_of(me.sending);
    *code = PvmOk;
    if (!b) {
        *code = pvm__fails(call, PvmNoBuf);
        return NULL;
    }
    if (!b->bytes || b->length + bytes > b->room) {
        size_t room = 2 * b->room > b->length + bytes ? 2 * b->room : b->length + bytes + 64;
        char *fresh = realloc(b->bytes, room);
        if (!fresh) {
            *code = pvm__fails(call, PvmNoMem);
            return NULL;
        }
        b->bytes = fresh;
        b->room = room;
    }
    char *place = b->bytes + b->length;
    b->length += bytes;
    return place;
}

static int pvm__pack(const char *call, const void *data, int count, int stride, size_t size)
{
    int code;
    if (count < 0 || (!data && count > 0)) return pvm__fails(call, PvmBadParam);
    buffer *in_place = pvm__buffer_of(me.sending);
    if (in_place && in_place->encoding != PvmDataInPlace) in_place = NULL;
    if (in_place && stride != 1) return pvm__fails(call, PvmNotImpl);
    messages_enter(call);
    char *to = pvm__pack_room(call, (size_t)count * size, &code);
    if (to) {
        const char *from = data;
        if (stride == 1 && count > 0) memcpy(to, from, (size_t)count * size);
        for (int i = 0; stride != 1 && i < count; ++i)
            memcpy(to + (size_t)i * size, from + (ptrdiff_t)i * stride * (ptrdiff_t)size, size);
        if (in_place && count > 0) {
            in_place->pieces = realloc(in_place->pieces, (in_place->piece_count + 1) * sizeof *in_place->pieces);
            if (!in_place->pieces) return pvm__end_fails(call, PvmNoMem);
            in_place->pieces[in_place->piece_count++] =
                (piece){ data, (size_t)(to - in_place->bytes), (size_t)count * size };
        }
        messages_action_add(MESSAGES_PACK)->amount = (double)count * (double)size;
    }
    return pvm__end(code);
}

static int pvm__unpack(const char *call, void *data, int count, int stride, size_t size)
{
    buffer *b = pvm__buffer_of(me.receiving);
    if (count < 0 || (!data && count > 0)) return pvm__fails(call, PvmBadParam);
    if (!b) return pvm__fails(call, PvmNoBuf);
    if ((size_t)count * size > b->length - b->at) return pvm__fails(call, PvmNoData);
    const char *from = b->bytes + b->at;
    for (int i = 0; i < count; ++i)
        memcpy((char *)data + (ptrdiff_t)i * stride * (ptrdiff_t)size, from + (size_t)i * size, size);
    b->at += (size_t)count * size;
    return PvmOk;
}

#define PACKS(name, type, size)                                                                                        \
    int pvm_pk##name(type *data, int count, int stride)                                                                \
    {                                                                                                                  \
        return pvm__pack("pvm_pk" #name, data, count, stride, size);                                                   \
    }                                                                                                                  \
    int pvm_upk##name(type *data, int count, int stride)                                                               \
    {                                                                                                                  \
        return pvm__unpack("pvm_upk" #name, data, count, stride, size);                                                \
    }
PACKS(byte, char, 1)
PACKS(cplx, float, 2 * sizeof(float))
PACKS(dcplx, double, 2 * sizeof(double))
PACKS(double, double, sizeof(double))
PACKS(float, float, sizeof(float))
PACKS(int, int, sizeof(int))
PACKS(long, long, sizeof(long))
PACKS(short, short, sizeof(short))
PACKS(uint, unsigned, sizeof(unsigned))
PACKS(ulong, unsigned long, sizeof(unsigned long))
PACKS(ushort, unsigned short, sizeof(unsigned short))

int pvm_pkstr(char *text)
{
    if (!text) return pvm__fails("pvm_pkstr", PvmBadParam);
    if (pvm__buffer_of(me.sending) && pvm__buffer_of(me.sending)->encoding == PvmDataInPlace)
        return pvm__fails("pvm_pkstr", PvmNotImpl);
    int length = (int)strlen(text) + 1, code = pvm__pack("pvm_pkstr", &length, 1, 1, sizeof length);
    return code ? code : pvm__pack("pvm_pkstr", text, length, 1, 1);
}

int pvm_upkstr(char *text)
{
    int length, code = pvm__unpack("pvm_upkstr", &length, 1, 1, sizeof length);
    return code ? code : pvm__unpack("pvm_upkstr", text, length, 1, 1);
}

/* Packs a whole message into another one: sender, tag and bytes. */
int pvm_pkmesg(int handle)
{
    const buffer *b = pvm__buffer_of(handle);
    if (handle <= 0 || (b && handle == me.sending)) return pvm__fails("pvm_pkmesg", PvmBadParam);
    if (!b) return pvm__fails("pvm_pkmesg", PvmNoSuchBuf);
    int head[4] = { (int)b->length, b->tid, b->tag, b->encoding },
        code = pvm__pack("pvm_pkmesg", head, 4, 1, sizeof *head);
    return code ? code : pvm__pack("pvm_pkmesg", pvm__buffer_of(handle)->bytes, head[0], 1, 1);
}

int pvm_pkmesgbody(int handle)
{
    const buffer *b = pvm__buffer_of(handle);
    if (handle <= 0 || (b && handle == me.sending)) return pvm__fails("pvm_pkmesgbody", PvmBadParam);
    if (!b) return pvm__fails("pvm_pkmesgbody", PvmNoSuchBuf);
    return pvm__pack("pvm_pkmesgbody", b->bytes, (int)b->length, 1, 1);
}

int pvm_upkmesg(void)
{
    int head[4], code = pvm__unpack("pvm_upkmesg", head, 4, 1, sizeof *head);
    if (code) return code;
    int handle = pvm__buffer_new(head[3]);
    buffer *b = pvm__buffer_of(handle);
    b->bytes = malloc((size_t)head[0] + 1);
    if (!b->bytes) return pvm__fails("pvm_upkmesg", PvmNoMem);
    b->length = b->room = (size_t)head[0];
    b->tid = head[1];
    b->tag = head[2];
    code = pvm__unpack("pvm_upkmesg", b->bytes, head[0], 1, 1);
    return code ? code : handle;
}

/* `%` COUNT `.` STRIDE SIZE TYPE, each as in printf(): %d, %5f, %*.*lf, %s; %+ begins a message. */
typedef struct conversion {
    int count, stride;
    bool counted; /* the count is given: the argument is an array */
    int length;   /* -1: h, 1: l */
    char type;
} conversion;

/* Reads a number; `*` takes it from the arguments. */
static int pvm__conversion_number(const char **f, va_list *a)
{
    if (**f != '*') return (int)strtol(*f, (char **)(uintptr_t)f, 10);
    ++*f;
    return va_arg(*a, int);
}

/* Reads a conversion, after the `%`; returns the position of its letter. */
static const char *pvm__conversion_read(const char *f, va_list *a, conversion *c)
{
    *c = (conversion){ .count = 1, .stride = 1 };
    c->counted = *f == '*' || (*f >= '0' && *f <= '9');
    if (c->counted) c->count = pvm__conversion_number(&f, a);
    if (*f == '.') {
        ++f;
        c->stride = pvm__conversion_number(&f, a);
    }
    for (; *f == 'h' || *f == 'l' || *f == 'u'; ++f) /* unsigned numbers have the same bytes */
        if (*f != 'u') c->length = *f == 'h' ? -1 : 1;
    c->type = *f;
    return f;
}

/* Size of an element; 0: a string, or an unknown type. */
static size_t pvm__conversion_size(const conversion *c)
{
    const bool longer = c->length > 0;
    switch (c->type) {
    case 'c': return 1;
    case 'd': return c->length < 0 ? sizeof(short) : longer ? sizeof(long) : sizeof(int);
    case 'f': return longer ? sizeof(double) : sizeof(float);
    case 'x': return 2 * (longer ? sizeof(double) : sizeof(float));
    default: return 0;
    }
}

/* Packs one number, passed by value. */
static int pvm__conversion_pack_value(const char *call, const conversion *c, va_list *a)
{
    const size_t size = pvm__conversion_size(c);
    if (c->type == 'f') {
        const double value = va_arg(*a, double);
        const float narrow = (float)value;
        return c->length > 0 ? pvm__pack(call, &value, 1, 1, size) : pvm__pack(call, &narrow, 1, 1, size);
    }
    if (c->length > 0) {
        const long value = va_arg(*a, long);
        return pvm__pack(call, &value, 1, 1, size);
    }
    const int value = va_arg(*a, int);
    const short narrow = (short)value;
    const char byte = (char)value;
    if (size == 1) return pvm__pack(call, &byte, 1, 1, size);
    return size == sizeof narrow ? pvm__pack(call, &narrow, 1, 1, size) : pvm__pack(call, &value, 1, 1, size);
}

static int pvm__conversion_run(const char *call, bool packs, const conversion *c, va_list *a)
{
    const size_t size = pvm__conversion_size(c);
    if (c->type == 's') {
        char *text = va_arg(*a, char *);
        return packs ? pvm_pkstr(text) : pvm_upkstr(text);
    }
    if (size == 0) return pvm__fails(call, PvmBadParam);
    if (!packs) return pvm__unpack(call, va_arg(*a, void *), c->count, c->stride, size);
    if (c->counted || c->type == 'x') return pvm__pack(call, va_arg(*a, void *), c->count, c->stride, size);
    return pvm__conversion_pack_value(call, c, a);
}

static int pvm__formatted(const char *call, bool packs, const char *f, va_list *a)
{
    if (!f) return pvm__fails(call, PvmBadParam);
    for (; *f; ++f) {
        conversion c;
        int code;
        if (*f == ' ') continue;
        if (*f != '%') return pvm__fails(call, PvmBadParam);
        if (*++f == '+') {
            code = pvm_initsend(va_arg(*a, int));
        } else {
            f = pvm__conversion_read(f, a, &c);
            code = pvm__conversion_run(call, packs, &c, a);
        }
        if (code < 0) return code;
    }
    return PvmOk;
}

int pvm_packf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int code = pvm__formatted("pvm_packf", true, format, &arguments);
    va_end(arguments);
    return code;
}

int pvm_unpackf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int code = pvm__formatted("pvm_unpackf", false, format, &arguments);
    va_end(arguments);
    return code;
}

/*=============================================================================
 * MARK: - >>messages
 *===========================================================================*/

static messages_envelope pvm__envelope_of(int context, int tid, int tag)
{
    return (messages_envelope){ .context = CONTEXTS + context, .source = tid, .tag = tag };
}

/* Copies data packed in place into the buffer, when it is sent. */
static void pvm__refresh(buffer *b)
{
    for (size_t i = 0; i < b->piece_count; ++i)
        memcpy(b->bytes + b->pieces[i].at, b->pieces[i].from, b->pieces[i].bytes);
}

static messages_chunk *pvm__chunk_of(const void *bytes, size_t length)
{
    messages_chunk *chunk = messages_chunk_new(length);
    if (length > 0) memcpy(chunk->data, bytes, length);
    return chunk;
}

/* Sends to a task that may have ended; then the message is lost without an error. */
static void pvm__put(int context, int from, int tid, int tag, messages_chunk *chunk, size_t bytes)
{
    messages_send(pvm__task_of(tid)->number, pvm__envelope_of(context, from, tag), chunk, bytes, MESSAGES_POSTED, NULL,
                  NULL);
}

int pvm_send(int tid, int tag)
{
    pvm__begin("pvm_send");
    buffer *b = pvm__buffer_of(me.sending);
    if (!pvm__task_of(tid) || tag < 0) return pvm__end_fails("pvm_send", PvmBadParam);
    if (!b) return pvm__end_fails("pvm_send", PvmNoBuf);
    pvm__refresh(b);
    pvm__put(me.context, pvm__tid_of(messages_self), tid, tag, pvm__chunk_of(b->bytes, b->length), b->length);
    return pvm__end(PvmOk);
}

static int pvm__send_all(const char *call, const int *tids, int count, int tag)
{
    buffer *b = pvm__buffer_of(me.sending);
    if (!b) return pvm__end_fails(call, PvmNoBuf);
    pvm__refresh(b);
    if (count < 0 || tag < 0 || (!tids && count > 0)) return pvm__end_fails(call, PvmBadParam);
    for (int i = 0; i < count; ++i)
        if (!pvm__task_of(tids[i])) return pvm__end_fails(call, PvmBadParam);
    messages_chunk *chunk = pvm__chunk_of(b->bytes, b->length);
    for (int i = 0; i < count; ++i) {
        if (tids[i] == pvm__tid_of(messages_self)) continue;
        ++chunk->references;
        pvm__put(me.context, pvm__tid_of(messages_self), tids[i], tag, chunk, b->length);
    }
    messages_chunk_drop(chunk);
    return pvm__end(PvmOk);
}

int pvm_mcast(int *tids, int count, int tag)
{
    pvm__begin("pvm_mcast");
    return pvm__send_all("pvm_mcast", tids, count, tag);
}

static size_t pvm__size_of(int type)
{
    static const size_t sizes[] = { 1,
                                    1,
                                    sizeof(short),
                                    sizeof(int),
                                    sizeof(float),
                                    2 * sizeof(float),
                                    sizeof(double),
                                    2 * sizeof(double),
                                    sizeof(long),
                                    sizeof(unsigned short),
                                    sizeof(unsigned),
                                    sizeof(unsigned long) };
    return type >= 0 && type <= PVM_ULONG ? sizes[type] : 0;
}

int pvm_psend(int tid, int tag, void *data, int count, int type)
{
    pvm__begin("pvm_psend");
    size_t size = pvm__size_of(type), bytes = type == PVM_STR && data ? strlen(data) + 1 : (size_t)count * size;
    if (!pvm__task_of(tid) || tag < 0 || count < 0 || size == 0 || (!data && count > 0))
        return pvm__end_fails("pvm_psend", PvmBadParam);
    messages_action_add(MESSAGES_PACK)->amount = (double)bytes;
    pvm__put(me.context, pvm__tid_of(messages_self), tid, tag, pvm__chunk_of(data, bytes), bytes);
    return pvm__end(PvmOk);
}

static int pvm__match_check(int tid, int tag)
{
    return (tid == -1 || pvm__task_of(tid) || (tid > 0 && (tid & NUMBERS) == 0)) && tag >= -1 ? PvmOk : PvmBadParam;
}

/* A receive without a message also frees the previous receive buffer. */
static int pvm__take_nothing(void)
{
    if (pvm__buffer_of(me.receiving)) pvm_freebuf(me.receiving);
    me.receiving = 0;
    return 0;
}

/* Makes a received message the receive buffer. */
static int pvm__take(messages_request *r)
{
    if (pvm__buffer_of(me.receiving)) pvm_freebuf(me.receiving);
    int handle = pvm__buffer_new(PvmDataDefault);
    buffer *b = pvm__buffer_of(handle);
    b->bytes = malloc(r->bytes + 1);
    if (!b->bytes) messages_end(1, "%s: no memory for a message of %zu bytes", messages_self->name, r->bytes);
    if (r->chunk) memcpy(b->bytes, r->chunk->data, r->bytes);
    b->length = b->room = r->bytes;
    b->tag = r->envelope.tag;
    b->tid = r->envelope.source;
    messages_request_drop(r);
    return me.receiving = handle;
}

static messages_request *pvm__post(int context, int tid, int tag)
{
    messages_request *r = messages_request_new(true);
    messages_post(r, pvm__envelope_of(context, tid, tag));
    return r;
}

int pvm_recv(int tid, int tag)
{
    pvm__begin("pvm_recv");
    if (pvm__match_check(tid, tag)) return pvm__end_fails("pvm_recv", PvmBadParam);
    messages_request *r = pvm__post(me.context, tid, tag);
    messages_wait(&r, 1, 1);
    messages_flush();
    return pvm__end(pvm__take(r));
}

/* Waits with a timeout [s]; NULL: no message. */
static messages_request *pvm__receive_within(int tid, int tag, double seconds)
{
    messages_request *r = pvm__post(me.context, tid, tag);
    messages_wait_for(r, seconds);
    messages_action_add(MESSAGES_CANCEL)->of.request = r;
    messages_flush();
    if (!r->cancelled && r->progress == MESSAGES_DONE) return r;
    if (!r->cancelled) { /* it arrived at the last moment */
        messages_wait(&r, 1, 1);
        messages_flush();
        return r;
    }
    messages_request_drop(r);
    return NULL;
}

int pvm_trecv(int tid, int tag, struct timeval *most)
{
    pvm__begin("pvm_trecv");
    if (pvm__match_check(tid, tag)) return pvm__end_fails("pvm_trecv", PvmBadParam);
    if (!most) {
        messages_leave();
        return pvm_recv(tid, tag);
    }
    if (most->tv_sec < 0 || most->tv_usec < 0) return pvm__end_fails("pvm_trecv", PvmBadParam);
    messages_request *r = pvm__receive_within(tid, tag, (double)most->tv_sec + 1e-6 * (double)most->tv_usec);
    return pvm__end(r ? pvm__take(r) : pvm__take_nothing());
}

int pvm_nrecv(int tid, int tag)
{
    pvm__begin("pvm_nrecv");
    if (pvm__match_check(tid, tag)) return pvm__end_fails("pvm_nrecv", PvmBadParam);
    messages_action_add(MESSAGES_LOOK);
    messages_flush();
    messages_envelope e = pvm__envelope_of(me.context, tid, tag);
    size_t bytes;
    if (!messages_probe(messages_self, &e, &bytes)) {
        messages_vain();
        return pvm__end(pvm__take_nothing());
    }
    messages_request *r = pvm__post(me.context, tid, tag);
    messages_wait(&r, 1, 1);
    messages_flush();
    return pvm__end(pvm__take(r));
}

int pvm_probe(int tid, int tag)
{
    pvm__begin("pvm_probe");
    if (pvm__match_check(tid, tag)) return pvm__end_fails("pvm_probe", PvmBadParam);
    messages_action_add(MESSAGES_LOOK);
    messages_flush();
    messages_envelope e = pvm__envelope_of(me.context, tid, tag);
    size_t bytes;
    if (!messages_probe(messages_self, &e, &bytes)) {
        messages_vain();
        return pvm__end(0);
    }
    for (int i = 1; i <= me.count; ++i) /* the buffer of a probe lives until the next one */
        if (pvm__buffer_of(i) && pvm__buffer_of(i)->probed) pvm_freebuf(i);
    int handle = pvm__buffer_new(PvmDataDefault); /* it has only the sender and the size */
    buffer *b = pvm__buffer_of(handle);
    b->length = bytes;
    b->bytes = calloc(1, bytes + 1);
    b->tag = e.tag;
    b->tid = e.source;
    b->probed = true;
    return pvm__end(handle);
}

int pvm_precv(int tid, int tag, void *data, int count, int type, int *from, int *found_tag, int *found_count)
{
    pvm__begin("pvm_precv");
    size_t size = pvm__size_of(type);
    if (pvm__match_check(tid, tag) || size == 0 || count < 0) return pvm__end_fails("pvm_precv", PvmBadParam);
    messages_request *r = pvm__post(me.context, tid, tag);
    messages_wait(&r, 1, 1);
    messages_flush();
    size_t bytes = r->bytes < (size_t)count * size ? r->bytes : (size_t)count * size;
    if (bytes > 0) memcpy(data, r->chunk->data, bytes);
    if (from) *from = r->envelope.source;
    if (found_tag) *found_tag = r->envelope.tag;
    if (found_count) *found_count = (int)r->bytes; /* bytes */
    messages_request_drop(r);
    return pvm__end(PvmOk);
}

/*=============================================================================
 * MARK: - >>notifications
 *===========================================================================*/

/* Sends a notification, as the daemon on the host of an ended task does. */
static void pvm__notice_send(const notice *n, int value)
{
    if (!pvm__task_of(n->who) || pvm__task_of(n->who)->ended) return;
    pvm__put(n->context, n->about & ~NUMBERS, n->who, n->tag, pvm__chunk_of(&value, sizeof value), sizeof value);
}

static void pvm__notify_all(int tid)
{
    pvm__task_of(tid)->family.left = true; /* who asks from now on is told at once: its process ends a little later */
    /* Sending may let other tasks run, so the receivers are taken off the list first. */
    notice *wanted = NULL;
    for (notice **at = &pvm__all()->notices; *at;) {
        notice *n = *at;
        if (n->what != PvmTaskExit || n->about != tid) {
            at = &n->next;
            continue;
        }
        *at = n->next;
        n->next = wanted;
        wanted = n;
    }
    while (wanted) {
        notice *n = wanted;
        wanted = n->next;
        pvm__notice_send(n, tid);
        direct_free(n, sizeof *n);
    }
}

int pvm_notify(int what, int tag, int count, int *tids)
{
    pvm__begin("pvm_notify");
    const bool cancels = what & PvmNotifyCancel;
    what &= ~PvmNotifyCancel;
    if (what < PvmTaskExit || what > PvmRouteDelete || tag < 0) return pvm__end_fails("pvm_notify", PvmBadParam);
    if (what == PvmHostAdd || what == PvmRouteAdd) return pvm__end(PvmOk); /* events that cannot happen here */
    if (count < 1 || !tids) return pvm__end_fails("pvm_notify", PvmBadParam);
    messages_flush();
    for (int i = 0; i < count; ++i) {
        notice fresh = { NULL, what, pvm__tid_of(messages_self), tag, me.context, tids[i] };
        const messages_task *t = what == PvmTaskExit ? pvm__task_of(tids[i]) : NULL;
        if (what == PvmTaskExit && !t) return pvm__end_fails("pvm_notify", PvmBadParam);
        for (notice **at = &pvm__all()->notices; cancels && *at;) {
            notice *n = *at;
            if (n->what != what || n->about != tids[i] || n->who != fresh.who) {
                at = &n->next;
                continue;
            }
            pvm__notice_send(n, n->about);
            *at = n->next;
            direct_free(n, sizeof *n);
        }
        if (cancels) continue;
        if (t && pvm__gone(t)) {
            pvm__notice_send(&fresh, tids[i]);
            continue;
        }
        notice *n = direct_new(sizeof *n);
        *n = fresh;
        n->next = pvm__all()->notices;
        pvm__all()->notices = n;
    }
    return pvm__end(PvmOk);
}

/*=============================================================================
 * MARK: - >>named messages
 *===========================================================================*/

static entry **pvm__entry_find(const char *name, int index, int flags)
{
    entry **found = NULL;
    for (entry **at = &pvm__all()->entries; *at; at = &(*at)->next) {
        if (strncmp((*at)->name, name, sizeof(*at)->name - 1) != 0) continue;
        if (flags & PvmMboxFirstAvail ? (*at)->index < index : index >= 0 && (*at)->index != index) continue;
        if (!found || (*at)->index < (*found)->index) found = at;
    }
    return found;
}

static void pvm__entry_drop(entry **at)
{
    entry *e = *at;
    *at = e->next;
    messages_chunk_drop(e->chunk);
    direct_free(e, sizeof *e);
}

static bool pvm__may_change(const entry *e)
{
    return e->owner == pvm__tid_of(messages_self) || e->flags & PvmMboxOverWritable;
}

/* Appends: entries are in the order of arrival. */
static void pvm__entry_add(entry *e)
{
    entry **at = &pvm__all()->entries;
    while (*at) at = &(*at)->next;
    *at = e;
}

/* Removes the entries of a task that has ended. */
static void pvm__entries_leave(int tid)
{
    for (entry **at = &pvm__all()->entries; *at;) {
        if ((*at)->owner == tid && !((*at)->flags & PvmMboxPersistent)) {
            pvm__entry_drop(at);
            continue;
        }
        if ((*at)->owner == tid) (*at)->owner = 0;
        at = &(*at)->next;
    }
}

int pvm_putinfo(char *name, int handle, int flags)
{
    pvm__begin("pvm_putinfo");
    messages_flush();
    const buffer *b = pvm__buffer_of(handle);
    if (!name || !*name || !b) return pvm__end_fails("pvm_putinfo", b ? PvmBadParam : PvmNoSuchBuf);
    int index = 0;
    if (flags & PvmMboxMultiInstance)
        while (pvm__entry_find(name, index, PvmMboxDefault)) ++index;
    entry **found = pvm__entry_find(name, index, PvmMboxDefault);
    if (found && !pvm__may_change(*found)) return pvm__end_quietly(PvmDenied);
    if (found) pvm__entry_drop(found);
    entry *e = direct_new(sizeof *e);
    snprintf(e->name, sizeof e->name, "%s", name);
    e->index = index;
    e->owner = pvm__tid_of(messages_self);
    e->flags = flags;
    e->encoding = b->encoding;
    e->chunk = pvm__chunk_of(b->bytes, b->length);
    pvm__entry_add(e);
    return pvm__end(index);
}

enum { MOST_PATIENCE = 1000000 }; /* [s] of virtual time */

int pvm_recvinfo(char *name, int index, int flags)
{
    pvm__begin("pvm_recvinfo");
    if (!name || !*name || index < 0) return pvm__end_fails("pvm_recvinfo", PvmBadParam);
    const double began = messages_now();
    for (;;) {
        messages_action_add(MESSAGES_LOOK);
        messages_flush();
        if (pvm__entry_find(name, index, flags) || !(flags & PvmMboxWaitForInfo)) break;
        const double waited = messages_now() - began;
        if (waited > MOST_PATIENCE)
            messages_end(1, "%s has waited in pvm_recvinfo for '%s' since %.9g s, but no task has put it",
                         messages_self->name, name, began);
        messages_action_add(MESSAGES_SLEEP)->amount = 1e-3 + waited / 100; /* asks the daemon again */
    }
    entry **found = pvm__entry_find(name, index, flags);
    if (found && flags & PvmMboxReadAndDelete && !pvm__may_change(*found)) return pvm__end_quietly(PvmDenied);
    pvm__take_nothing();
    if (!found) return pvm__end_quietly(PvmNotFound);
    int handle = pvm__buffer_new((*found)->encoding);
    buffer *b = pvm__buffer_of(handle);
    b->length = b->room = (*found)->chunk->bytes;
    b->bytes = malloc(b->length + 1);
    if (!b->bytes) return pvm__end_fails("pvm_recvinfo", PvmNoMem);
    memcpy(b->bytes, (*found)->chunk->data, b->length);
    b->tid = (*found)->owner;
    if (flags & PvmMboxReadAndDelete) pvm__entry_drop(found);
    me.receiving = handle;
    return pvm__end(handle);
}

int pvm_delinfo(char *name, int index, int flags)
{
    pvm__begin("pvm_delinfo");
    messages_flush();
    if (!name || !*name) return pvm__end_fails("pvm_delinfo", PvmBadParam);
    entry **found = pvm__entry_find(name, index, flags);
    if (!found) return pvm__end_quietly(PvmNotFound);
    if (!pvm__may_change(*found)) return pvm__end_quietly(PvmDenied);
    pvm__entry_drop(found);
    return pvm__end(PvmOk);
}

int pvm_getmboxinfo(char *pattern, int *count, struct pvmmboxinfo **list)
{
    static struct pvmmboxinfo *infos;
    static int *numbers;
    pvm__begin("pvm_getmboxinfo");
    messages_flush();
    size_t total = 0, classes = 0, used = 0;
    for (entry *e = pvm__all()->entries; e; e = e->next) ++total;
    struct pvmmboxinfo *room = realloc(infos, (total + 1) * sizeof *infos);
    if (room) infos = room;
    int *more = realloc(numbers, (3 * total + 1) * sizeof *numbers);
    if (more) numbers = more;
    if (!room || !more) return pvm__end_fails("pvm_getmboxinfo", PvmNoMem);
    for (entry *e = pvm__all()->entries; e; e = e->next) {
        if (pattern && *pattern && strcmp(pattern, "*") != 0 && !strstr(e->name, pattern)) continue;
        size_t same = 0;
        while (same < classes && strcmp(infos[same].mi_name, e->name) != 0) ++same;
        if (same < classes) continue;
        struct pvmmboxinfo *info = &infos[classes++];
        info->mi_name = e->name;
        info->mi_nentries = 0;
        for (entry *k = pvm__all()->entries; k; k = k->next) info->mi_nentries += strcmp(k->name, e->name) == 0;
        const size_t n = (size_t)info->mi_nentries;
        info->mi_indices = numbers + used;
        info->mi_owners = numbers + used + n;
        info->mi_flags = numbers + used + 2 * n;
        used += 3 * n;
        int next = 0;
        for (int index = 0; next < info->mi_nentries; ++index) {
            entry **k = pvm__entry_find(e->name, index, PvmMboxDefault);
            if (!k) continue;
            info->mi_indices[next] = index;
            info->mi_owners[next] = (*k)->owner;
            info->mi_flags[next++] = (*k)->flags;
        }
    }
    if (count) *count = (int)classes;
    if (list) *list = infos;
    return pvm__end(PvmOk);
}

/* The older names of these calls: values by name and index. */
int pvm_insert(char *name, int index, int data)
{
    pvm__begin("pvm_insert");
    messages_flush();
    if (!name || !*name) return pvm__end_fails("pvm_insert", PvmBadParam);
    if (index >= 0 && pvm__entry_find(name, index, PvmMboxDefault)) return pvm__end_quietly(PvmDupEntry);
    for (int i = 0; index < 0; ++i)
        if (!pvm__entry_find(name, i, PvmMboxDefault)) index = i;
    entry *e = direct_new(sizeof *e);
    snprintf(e->name, sizeof e->name, "%s", name);
    e->index = index;
    e->owner = pvm__tid_of(messages_self);
    e->flags = PvmMboxMultiInstance;
    e->chunk = pvm__chunk_of(&data, sizeof data);
    pvm__entry_add(e);
    return pvm__end(index);
}

int pvm_lookup(char *name, int index, int *data)
{
    pvm__begin("pvm_lookup");
    messages_action_add(MESSAGES_LOOK);
    messages_flush();
    if (!name || !*name) return pvm__end_fails("pvm_lookup", PvmBadParam);
    entry **found = pvm__entry_find(name, index, PvmMboxDefault);
    if (!found || (*found)->chunk->bytes < sizeof *data) {
        pvm_errno = PvmNotFound;
        return pvm__end(PvmNotFound);
    }
    if (data) memcpy(data, (*found)->chunk->data, sizeof *data);
    return pvm__end((*found)->index);
}

int pvm_delete(char *name, int index)
{
    return pvm_delinfo(name, index, PvmMboxDefault);
}

/*=============================================================================
 * MARK: - >>groups
 *===========================================================================*/

static group *pvm__group_find(const char *name)
{
    group *g = pvm__all()->groups;
    while (g && strncmp(g->name, name, sizeof g->name - 1) != 0) g = g->next;
    return g;
}

/* Begins a call about a group: finds the group, or returns an error code. */
static group *pvm__group_begin(const char *call, const char *name, int *code)
{
    pvm__begin(call);
    messages_action_add(MESSAGES_LOOK); /* asks the group server */
    messages_flush();
    *code = !name || !*name ? PvmNullGroup : PvmOk;
    group *g = *code ? NULL : pvm__group_find(name);
    if (!*code && !g) *code = PvmNoGroup;
    return g;
}

static int pvm__instance_of(const group *g, int tid)
{
    for (int i = 0; tid > 0 && i < g->room; ++i)
        if (g->tids[i] == tid) return i;
    return PvmNotInGroup;
}

static void *pvm__grown(void *from, int room, int wanted)
{
    return direct_reallocate(NULL, from, (size_t)room * sizeof(int), (size_t)wanted * sizeof(int));
}

int pvm_joingroup(char *name)
{
    int code;
    group *g = pvm__group_begin("pvm_joingroup", name, &code);
    if (code == PvmNullGroup) return pvm__end_quietly(code);
    if (!g) {
        g = direct_new(sizeof *g);
        snprintf(g->name, sizeof g->name, "%s", name);
        g->next = pvm__all()->groups;
        pvm__all()->groups = g;
    }
    const int tid = pvm__tid_of(messages_self);
    if (pvm__instance_of(g, tid) >= 0) return pvm__end_quietly(PvmDupGroup);
    int place = 0;
    while (place < g->room && g->tids[place]) ++place;
    if (place == g->room) {
        int wanted = g->room ? 2 * g->room : 16;
        g->tids = pvm__grown(g->tids, g->room, wanted);
        g->waiters = pvm__grown(g->waiters, g->room, wanted);
        memset(g->tids + g->room, 0, (size_t)(wanted - g->room) * sizeof *g->tids);
        g->room = wanted;
    }
    g->tids[place] = tid;
    ++g->count;
    return pvm__end(place);
}

static void pvm__group_leave(group *g, int tid)
{
    int place = pvm__instance_of(g, tid);
    if (place < 0) return;
    g->tids[place] = 0;
    if (--g->count > 0) return;
    for (group **at = &pvm__all()->groups; *at; at = &(*at)->next)
        if (*at == g) {
            *at = g->next;
            break;
        }
    direct_free(g->tids, (size_t)g->room * sizeof *g->tids);
    direct_free(g->waiters, (size_t)g->room * sizeof *g->waiters);
    direct_free(g, sizeof *g);
}

static void pvm__groups_leave(int tid)
{
    for (group *g = pvm__all()->groups; g;) {
        group *next = g->next;
        pvm__group_leave(g, tid);
        g = next;
    }
}

int pvm_lvgroup(char *name)
{
    int code;
    group *g = pvm__group_begin("pvm_lvgroup", name, &code);
    if (!code && pvm__instance_of(g, pvm__tid_of(messages_self)) < 0) code = PvmNotInGroup;
    if (code) return pvm__end_quietly(code);
    pvm__group_leave(g, pvm__tid_of(messages_self));
    return pvm__end(PvmOk);
}

int pvm_gsize(char *name)
{
    int code;
    const group *g = pvm__group_begin("pvm_gsize", name, &code);
    if (code) return pvm__end_quietly(code);
    return pvm__end(g->count);
}

int pvm_gettid(char *name, int instance)
{
    int code;
    const group *g = pvm__group_begin("pvm_gettid", name, &code);
    if (!code && (instance < 0 || instance >= g->room || !g->tids[instance])) code = PvmNoInst;
    if (code) return pvm__end_quietly(code);
    return pvm__end(g->tids[instance]);
}

int pvm_getinst(char *name, int tid)
{
    int code;
    const group *g = pvm__group_begin("pvm_getinst", name, &code);
    int instance = code ? 0 : pvm__instance_of(g, tid);
    if (!code && instance < 0) code = PvmNotInGroup;
    if (code) return pvm__end_quietly(code);
    return pvm__end(instance);
}

/* The last task to arrive notifies the others. */
static void pvm__barrier(group *g, int wanted)
{
    const int self = pvm__tid_of(messages_self), turn = g->turn;
    if (g->waiting + 1 < wanted) {
        g->waiters[g->waiting++] = self;
        messages_request *r = pvm__post(GROUP_CONTEXT, -1, turn);
        messages_wait(&r, 1, 1);
        messages_flush();
        messages_request_drop(r);
        return;
    }
    /* Sending may let other tasks run, which may enter the next barrier. */
    const int count = g->waiting;
    int *released = malloc((size_t)(count ? count : 1) * sizeof *released);
    if (!released) messages_end(1, "%s: no memory for a barrier", messages_self->name);
    memcpy(released, g->waiters, (size_t)count * sizeof *released);
    g->waiting = 0;
    ++g->turn;
    for (int i = 0; i < count; ++i) pvm__put(GROUP_CONTEXT, self, released[i], turn, messages_chunk_new(0), 0);
    free(released);
}

int pvm_barrier(char *name, int count)
{
    int code;
    group *g = pvm__group_begin("pvm_barrier", name, &code);
    if (!code && pvm__instance_of(g, pvm__tid_of(messages_self)) < 0) code = PvmNotInGroup;
    if (!code && (count < -1 || count == 0)) code = PvmBadParam;
    if (code) return pvm__end_quietly(code);
    pvm__barrier(g, count < 0 ? g->count : count);
    return pvm__end(PvmOk);
}

int pvm_freezegroup(char *name, int size)
{
    int code;
    group *g = pvm__group_begin("pvm_freezegroup", name, &code);
    if (!code && pvm__instance_of(g, pvm__tid_of(messages_self)) < 0) code = PvmNotInGroup;
    if (code) return pvm__end_quietly(code);
    pvm__barrier(g, size < 0 ? g->count : size);
    return pvm__end(PvmOk);
}

int pvm_bcast(char *name, int tag)
{
    int code;
    const group *g = pvm__group_begin("pvm_bcast", name, &code);
    if (code) return pvm__end_quietly(code);
    int *tids = malloc((size_t)g->room * sizeof *tids), count = 0;
    if (!tids) return pvm__end_fails("pvm_bcast", PvmNoMem);
    for (int i = 0; i < g->room; ++i)
        if (g->tids[i] && g->tids[i] != pvm__tid_of(messages_self)) tids[count++] = g->tids[i];
    if (count == 0) {
        free(tids);
        return pvm__end_quietly(PvmNoInst);
    }
    code = pvm__send_all("pvm_bcast", tids, count, tag);
    free(tids);
    return code;
}

/* Begins gather, scatter or reduce: finds the group and the instance, and checks the data. */
static group *pvm__collective_begin(const char *call, const char *name, const void *data, int count, int type, int root,
                                    int *mine, int *code)
{
    group *g = pvm__group_begin(call, name, code);
    if (*code) return NULL;
    *mine = pvm__instance_of(g, pvm__tid_of(messages_self));
    if (*mine < 0)
        *code = PvmNotInGroup;
    else if (root < 0 || root >= g->room || !g->tids[root])
        *code = PvmNoInst;
    else if (count < 0 || pvm__size_of(type) == 0 || (!data && count > 0))
        *code = PvmBadParam;
    return g;
}

static messages_request *pvm__receive_one(int tid, int tag)
{
    messages_request *r = pvm__post(me.context, tid, tag);
    messages_wait(&r, 1, 1);
    messages_flush();
    return r;
}

int pvm_gather(void *result, void *data, int count, int type, int tag, char *name, int root)
{
    int mine, code;
    const group *g = pvm__collective_begin("pvm_gather", name, data, count, type, root, &mine, &code);
    if (code) return pvm__end_fails("pvm_gather", code);
    const size_t bytes = (size_t)count * pvm__size_of(type);
    if (mine != root) {
        pvm__put(me.context, pvm__tid_of(messages_self), g->tids[root], tag, pvm__chunk_of(data, bytes), bytes);
        return pvm__end(PvmOk);
    }
    for (int i = 0, place = 0; i < g->room; ++i) {
        if (!g->tids[i]) continue;
        char *to = (char *)result + bytes * (size_t)place++;
        if (i == mine) {
            memmove(to, data, bytes);
            continue;
        }
        messages_request *r = pvm__receive_one(g->tids[i], tag);
        memcpy(to, r->chunk->data, r->bytes < bytes ? r->bytes : bytes);
        messages_request_drop(r);
    }
    return pvm__end(PvmOk);
}

int pvm_scatter(void *result, void *data, int count, int type, int tag, char *name, int root)
{
    int mine, code;
    const group *g = pvm__collective_begin("pvm_scatter", name, result, count, type, root, &mine, &code);
    if (code) return pvm__end_fails("pvm_scatter", code);
    const size_t bytes = (size_t)count * pvm__size_of(type);
    if (mine != root) {
        messages_request *r = pvm__receive_one(g->tids[root], tag);
        memcpy(result, r->chunk->data, r->bytes < bytes ? r->bytes : bytes);
        messages_request_drop(r);
        return pvm__end(PvmOk);
    }
    for (int i = 0, place = 0; i < g->room; ++i) {
        if (!g->tids[i]) continue;
        const char *from = (const char *)data + bytes * (size_t)place++;
        if (i == mine)
            memmove(result, from, bytes);
        else
            pvm__put(me.context, pvm__tid_of(messages_self), g->tids[i], tag, pvm__chunk_of(from, bytes), bytes);
    }
    return pvm__end(PvmOk);
}

/* Reduces to the root, in place. */
int pvm_reduce(void (*function)(int *type, void *mine, void *others, int *count, int *info), void *data, int count,
               int type, int tag, char *name, int root)
{
    int mine, code;
    const group *g = pvm__collective_begin("pvm_reduce", name, data, count, type, root, &mine, &code);
    if (!code && !function) code = PvmBadParam;
    if (code) return pvm__end_fails("pvm_reduce", code);
    const size_t bytes = (size_t)count * pvm__size_of(type);
    if (mine != root) {
        pvm__put(me.context, pvm__tid_of(messages_self), g->tids[root], tag, pvm__chunk_of(data, bytes), bytes);
        return pvm__end(PvmOk);
    }
    for (int i = 0; i < g->room; ++i) {
        if (!g->tids[i] || i == mine) continue;
        messages_request *r = pvm__receive_one(g->tids[i], tag);
        int info = PvmOk;
        function(&type, data, r->chunk->data, &count, &info);
        messages_request_drop(r);
        if (info < 0) return pvm__end_fails("pvm_reduce", info);
    }
    return pvm__end(PvmOk);
}

#define OVER(type, how)                                                                                                \
    do {                                                                                                               \
        type *a = mine, *b = others;                                                                                   \
        for (int i = 0; i < *count; ++i) a[i] = (type)(how);                                                           \
    } while (0)
/* Pairs of real and imaginary parts, x + iy of `a` and u + iv of `b`. The maximum is that with the largest modulus. */
#define OVER_PAIRS(type, real, imaginary)                                                                              \
    do {                                                                                                               \
        type *a = mine, *b = others;                                                                                   \
        for (int i = 0; i < 2 * *count; i += 2) {                                                                      \
            const type x = a[i], y = a[i + 1], u = b[i], v = b[i + 1];                                                 \
            const type mine_2 = x * x + y * y, others_2 = u * u + v * v;                                               \
            (void)mine_2;                                                                                              \
            (void)others_2;                                                                                            \
            a[i] = (type)(real);                                                                                       \
            a[i + 1] = (type)(imaginary);                                                                              \
        }                                                                                                              \
    } while (0)
#define REDUCES(name, how, real, imaginary, bytes)                                                                     \
    void name(int *type, void *mine, void *others, int *count, int *info)                                              \
    {                                                                                                                  \
        *info = PvmOk;                                                                                                 \
        switch (*type) {                                                                                               \
        case PVM_BYTE:                                                                                                 \
            if (bytes)                                                                                                 \
                OVER(char, how);                                                                                       \
            else                                                                                                       \
                *info = PvmBadParam;                                                                                   \
            break;                                                                                                     \
        case PVM_SHORT: OVER(short, how); break;                                                                       \
        case PVM_INT: OVER(int, how); break;                                                                           \
        case PVM_LONG: OVER(long, how); break;                                                                         \
        case PVM_FLOAT: OVER(float, how); break;                                                                       \
        case PVM_DOUBLE: OVER(double, how); break;                                                                     \
        case PVM_CPLX: OVER_PAIRS(float, real, imaginary); break;                                                      \
        case PVM_DCPLX: OVER_PAIRS(double, real, imaginary); break;                                                    \
        default: *info = PvmBadParam; /* PVM has no reductions of unsigned numbers */                                  \
        }                                                                                                              \
    }
REDUCES(PvmMax, a[i] > b[i] ? a[i] : b[i], others_2 > mine_2 ? u : x, others_2 > mine_2 ? v : y, true)
REDUCES(PvmMin, a[i] < b[i] ? a[i] : b[i], others_2 < mine_2 ? u : x, others_2 < mine_2 ? v : y, true)
REDUCES(PvmSum, a[i] + b[i], x + u, y + v, false)
REDUCES(PvmProduct, a[i] * b[i], x *u - y * v, x *v + y * u, false)

/*=============================================================================
 * MARK: - >>the clock
 *===========================================================================*/

int simkit_gettimeofday(struct timeval *time, void *zone)
{
    (void)zone;
    pvm__begin("gettimeofday");
    const double now = messages_clock_read(__builtin_return_address(0));
    messages_leave();
    time->tv_sec = (time_t)now;
    time->tv_usec = (suseconds_t)((now - floor(now)) * 1e6);
    return 0;
}

static void pvm__pause_for(const char *call, double seconds)
{
    pvm__begin(call);
    messages_action_add(MESSAGES_SLEEP)->amount = seconds;
    messages_flush();
    messages_leave();
}

int pvmgetclock(struct timeval *time)
{
    return simkit_gettimeofday(time, NULL);
}

void pvmsleep(int seconds)
{
    if (seconds > 0) pvm__pause_for("pvmsleep", seconds);
}

unsigned simkit_sleep(unsigned seconds)
{
    pvm__pause_for("sleep", seconds);
    return 0;
}

int simkit_usleep(unsigned microseconds)
{
    pvm__pause_for("usleep", 1e-6 * microseconds);
    return 0;
}
