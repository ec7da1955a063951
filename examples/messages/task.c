/* task.c - tasks: their states, their turns to be given, and the CPU time that is computed in their names on their hosts. */
#include "engine.h"

#include <stdio.h>
#include <string.h>

messages_upward messages_above MESSAGES_COMMON;
messages_layer messages_attached MESSAGES_COMMON;

/* Notes an event for which polling tasks may have waited. */
void messages_goes_on(void)
{
    messages->polling.before = messages->polling.count;
    messages->polling.time = 0;
    messages->polling.since = simkit_clock_now(direct->world);
}

void messages_queues_init(messages_queues *queues, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        messages_link_init(&queues[i].posted);
        messages_link_init(&queues[i].arrived);
    }
}

void messages_script_init(messages_script *s)
{
    s->room = 16;
    s->actions = direct_new(s->room * sizeof *s->actions);
}

void messages_script_begin(messages_task *t)
{
    messages_script_init(&t->script);
    if (messages_running_ahead) messages_running_ahead->begins(t);
}

messages_task *messages_task_add(const char *name, int32_t host, double begin)
{
    messages_arena *a = messages;
    if (a->task_count == MESSAGES_MOST_TASKS) messages_end(1, "more than %d tasks", MESSAGES_MOST_TASKS);
    messages_task *t = direct_new(sizeof *t);
    t->number = (int32_t)a->task_count;
    t->host = host;
    t->family.parent = -1;
    t->live = true;
    snprintf(t->name, sizeof t->name, "%s", name);
    t->inbox.queues = t->inbox.first_queues;
    t->inbox.queue_count = MESSAGES_QUEUES;
    messages_queues_init(t->inbox.queues, t->inbox.queue_count);
    messages_link_init(&t->inbox.posted_any);
    messages_link_init(&t->inbox.arrived_any);
    if (!a->tasks) {
        a->tasks = direct_new(MESSAGES_MOST_TASKS * sizeof(messages_task *));
        a->numbers_of = direct_new(MESSAGES_MOST_TASKS * sizeof(int32_t));
    }
    a->numbers_of[a->task_count] = t->number;
    a->tasks[a->task_count++] = t;
    ++a->live;
    t->state = MESSAGES_SLEEPING;
    t->account.began = t->since = simkit_clock_now(direct->world);
    messages_action sleep = { .kind = MESSAGES_SLEEP, .amount = begin };
    messages_bind(t);
    messages_script_begin(t);
    t->script.actions[t->script.count++] = sleep;
    return t;
}

messages_task *messages_task_of(messages_task *t)
{
    messages_task *thread = direct_new(sizeof *thread);
    thread->number = t->number;
    thread->family.world = t->family.world;
    thread->family.world_size = t->family.world_size;
    thread->family.context = t->family.context;
    thread->host = t->host;
    thread->live = true;
    thread->family.mpi = t->family.mpi;
    thread->of = t;
    thread->part = t->part;
    messages_script_begin(thread);
    memcpy(thread->name, t->name, sizeof thread->name);
    return thread;
}

/* Changes the state to which a task's time is attributed. */
void messages_state_set(messages_task *t, messages_state state)
{
    double now = simkit_clock_now(direct->world);
    t->account.spent[t->state] += now - t->since;
    if (messages->log && now > t->since && !t->of) messages_log_state(t, now);
    t->since = now;
    t->state = state;
    if (messages->sites) t->state_site = messages_site_now(t);
}

void messages_turn_ask(messages_task *t)
{
    if (t->ended) return;
    direct_ready(&t->base);
}

double messages_disturb(double seconds)
{
    return messages->disturbed ? seconds * (1 + 1e-9 * simkit_random_uniform(&messages->disturbance)) : seconds;
}

void messages_computation_start(const messages_task *t, messages_work work, simkit_call *done, void *user,
                                simkit_computation *started)
{
    messages_cluster *c = &messages->cluster;
    const simkit_computation_desc desc = { .node = t->part.node,
                                           .seconds = messages_disturb(work.seconds),
                                           .memory_rate = work.seconds > 0 ? work.bytes / work.seconds : 0,
                                           .lane = t->name,
                                           .done = done,
                                           .user = user };
    if (c->busy_counts) messages_host_busy(c, t->host, simkit_clock_now(direct->world), work.seconds);
    messages_check(simkit_computation_start(direct->world, &desc, started));
}

/*=============================================================================
 * MARK: - >>partners
 *===========================================================================*/
/* Returns true if the table of a task's partners has no place for another task, or would be so full that searches take long. */
static bool task__partners_full(const messages_task *t, int32_t other)
{
    if (t->partners.direct) return (uint32_t)other >= t->partners.room;
    return 8 * (t->partners.count + 1) > 7 * t->partners.room;
}

/* Where the search for another task begins in that table. Partners of a rank are often at distances that are powers of two,
 * so all bits count. */
static uint32_t task__partner_first(const messages_task *t, int32_t other)
{
    enum { BITS = 32 };
    if (t->partners.direct) return (uint32_t)other;
    const unsigned shift = BITS - (unsigned)__builtin_ctz(t->partners.room);
    return (uint32_t)other * UINT32_C(0x9e3779b1) >> shift;
}

/* Where another task stands in that table, or would stand if it were added; NULL: the table has no room for it. */
messages_partner *messages_partner_place(const messages_task *t, int32_t other)
{
    if (t->partners.room == 0 || (t->partners.direct && (uint32_t)other >= t->partners.room)) return NULL;
    uint32_t at = task__partner_first(t, other);
    while (t->partners.list[at].other != 0 && t->partners.list[at].other != (uint32_t)other + 1)
        at = (at + 1) & (t->partners.room - 1);
    return &t->partners.list[at];
}

/* A table with room for all tasks needs no hash: each stands at its number. */
static void task__partners_enlarge(messages_task *t)
{
    messages_partner *before = t->partners.list;
    const uint32_t room = t->partners.room;
    t->partners.room = room > 0 ? 2 * room : 4;
    t->partners.direct = t->partners.room >= messages->task_count;
    t->partners.list = direct_new(t->partners.room * sizeof *before);
    for (uint32_t i = 0; i < room; ++i)
        if (before[i].other != 0) *messages_partner_place(t, (int32_t)before[i].other - 1) = before[i];
    direct_free(before, room * sizeof *before);
}

messages_partner *messages_partner_of(messages_task *t, int32_t other)
{
    messages_partner *p = messages_partner_place(t, other);
    if (p && p->other != 0) return p;
    if (task__partners_full(t, other)) task__partners_enlarge(t);
    ++t->partners.count;
    p = messages_partner_place(t, other);
    p->other = (uint32_t)other + 1;
    return p;
}

void messages_waited(messages_task *t, int32_t from)
{
    messages_partner_of(t, from)->waited += simkit_clock_now(direct->world) - t->since;
}
