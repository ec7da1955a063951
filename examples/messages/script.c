/* script.c - runs the scripts of tasks on the virtual clock: one action after another, until one takes time or all are done. */
#include "engine.h"

#include <math.h>
#include <string.h>

void messages_task_kill(messages_task *t);

/* A task's computation or sleep is over. */
static void script__time_over(simkit_world *world, void *user)
{
    messages_task *t = user;
    (void)world;
    if (t->ended) return;
    messages_state_set(t, MESSAGES_COMPUTING);
    messages_script_advance(t);
}

static void script__compute(messages_task *t, messages_state state, messages_work work)
{
    messages_state_set(t, state);
    if (state == MESSAGES_COMPUTING) (t->threaded ? t->of : t)->account.worked += work.seconds;
    messages_computation_start(t, work, script__time_over, t, &t->computation);
}

/* Charges the CPU time of a call; false: the task is busy with it. */
static bool script__charge(messages_task *t, messages_state state, double seconds)
{
    if (seconds <= 0) return true;
    script__compute(t, state, (messages_work){ seconds, 0 });
    return false;
}

/*=============================================================================
 * MARK: - >>waits
 *===========================================================================*/
static messages_request **script__wait_requests(messages_action *a)
{
    return a->count == 1 ? &a->of.request : a->of.requests;
}

static void script__task_late(simkit_world *world, void *user)
{
    messages_task *t = user;
    (void)world;
    t->wait.deadline = 0;
    if (t->ended) return;
    t->wait.late = true;
    if (t->wait.waits) messages_script_advance(t);
}

/* Counts the open requests and marks them as waited for. */
static void script__wait_begin(messages_task *t, messages_action *a)
{
    messages_request **list = script__wait_requests(a);
    size_t done = 0;
    t->charged = true;
    t->wait.late = false;
    t->wait.first_arrived = t->wait.last_arrived = NULL;
    if (a->amount > 0)
        messages_check(simkit_step_after(direct->world, a->amount, 0, script__task_late, t, &t->wait.deadline));
    for (uint32_t i = 0; i < a->count; ++i)
        if (list[i]->progress == MESSAGES_DONE) ++done;
    t->wait.open = a->need > done ? a->need - done : 0;
    for (uint32_t i = 0; t->wait.open > 0 && i < a->count; ++i) {
        if (list[i]->progress == MESSAGES_DONE) continue;
        if (list[i]->watched && list[i]->owner != t) {
            list[i]->several = true;
            continue;
        }
        list[i]->owner = t; /* another thread of the rank may have made it */
        list[i]->watched = true;
        if (list[i]->progress == MESSAGES_ARRIVED) messages_request_arrived(list[i]);
    }
}

/* Takes the next request that has arrived; false: the task is busy with it. */
static bool script__wait_take(messages_task *t)
{
    messages_request *r = t->wait.first_arrived;
    messages_task *process = messages_rank_of(t);
    const messages_haste haste = { .follows = r->look != process->inbox.looks, .computed = process->cooled };
    const messages_work work = messages_receive_work(&messages->cluster, messages_task_at(r->from)->host, t->host,
                                                     r->seen ? 0 : (double)r->bytes, &haste);
    if (!haste.follows) ++process->inbox.looks;
    process->cooled = 0;
    t->wait.first_arrived = r->in.after;
    if (!t->wait.first_arrived) t->wait.last_arrived = NULL;
    if (t->state == MESSAGES_WAITING && !t->of) {
        messages_waited(t, r->from);
        messages_state_set(t, MESSAGES_WAITING);
    }
    t->wait.waits = false;
    if (work.seconds > 0) {
        t->wait.taking = r;
        script__compute(t, MESSAGES_RECEIVING, work);
        return false;
    }
    messages_request_done(r);
    return true;
}

static void script__wait_end(messages_task *t, messages_action *a)
{
    messages_request **list = script__wait_requests(a);
    t->wait.waits = false;
    if (t->state != MESSAGES_COMPUTING) messages_state_set(t, MESSAGES_COMPUTING);
    t->charged = false;
    t->wait.first_arrived = t->wait.last_arrived = NULL;
    if (a->amount > 0) simkit_step_cancel(direct->world, t->wait.deadline);
    if (a->need < a->count || t->wait.late)
        for (uint32_t i = 0; i < a->count; ++i) list[i]->watched = false;
    if (a->count != 1) direct_free(list, a->count * sizeof *list);
}

/*=============================================================================
 * MARK: - >>progress threads
 *
 * A nonblocking collective call is advanced by a progress thread: a second script on the task's host. It has a structure
 * of a task, but its number, and so its messages, are those of its task. When its script is complete, the process of the
 * task gets a turn for it, even while the task's own script computes or waits. With `progress = calls` it does nothing
 * while its task computes, and its task computes only when it waits for messages.
 *===========================================================================*/
/* Returns true if all progress threads of a rank wait for messages; if not, the task, or one of its threads, waits for that. */
static bool script__threads_settled(messages_task *t)
{
    const bool busy = (t->threaded ? t->of : t)->progress.busy > 0;
    if (busy && !t->progress.settles) messages_state_set(t, MESSAGES_SENDING);
    if (!busy && t->progress.settles) messages_state_set(t, MESSAGES_COMPUTING);
    t->progress.settles = busy;
    return !busy;
}

/* The task or the thread that waits for its rank's progress threads; NULL: none. */
static messages_task *script__settling(messages_task *rank)
{
    messages_task *t = rank;
    if (t->progress.settles) return t;
    for (t = rank->progress.threads; t && !t->progress.settles;) t = t->progress.next;
    return t;
}

static void script__thread_rests(messages_task *t)
{
    messages_task *of = t->of, *settling;
    if (--of->progress.busy > 0) return;
    while (of->progress.busy == 0 && (settling = script__settling(of))) messages_script_advance(settling);
}

static void script__thread_end(messages_task *t)
{
    messages_task **at = &t->of->progress.threads;
    while (*at != t) at = &(*at)->progress.next;
    *at = t->progress.next;
    t->progress.next = t->of->progress.ended;
    t->of->progress.ended = t;
    script__thread_rests(t);
}

/*=============================================================================
 * MARK: - >>actions
 *
 * Each handler advances the script when its action is complete, and returns whether the next action can follow at once: false
 * while the task is busy or waits.
 *===========================================================================*/
static bool script__action_start(messages_task *t, messages_action *a)
{
    if (!t->charged) {
        messages_task *thread = a->of.thread, *rank = thread->of;
        t->charged = true;
        thread->progress.next = rank->progress.threads;
        rank->progress.threads = thread;
        thread->since = simkit_clock_now(direct->world);
        ++rank->progress.busy;
        messages_script_advance(thread);
    }
    if (!script__threads_settled(t)) return false;
    t->charged = false;
    ++t->at;
    return true;
}

static bool script__action_complete(messages_task *t, messages_action *a)
{
    ++t->at;
    messages_request_done(a->of.request);
    return true;
}

static bool script__action_compute(messages_task *t, messages_action *a)
{
    if (!t->of && messages->cluster.progress_in_calls && !script__threads_settled(t)) return false;
    ++t->at;
    if (a->amount <= 0) return true;
    if (!t->of) t->cooled += a->amount;
    t->account.computing = a->amount;
    script__compute(t, MESSAGES_COMPUTING,
                    (messages_work){ a->amount * messages->cluster.hosts[t->host].factor,
                                     a->amount * messages->cluster.memory_rate });
    return false;
}

static bool script__action_sleep(messages_task *t, messages_action *a)
{
    if (messages->cluster.progress_in_calls && !script__threads_settled(t)) return false;
    ++t->at;
    if (a->amount <= 0) return true;
    if (!t->of) t->cooled += a->amount;
    messages_state_set(t, MESSAGES_SLEEPING);
    messages_check(simkit_step_after(direct->world, a->amount, 0, script__time_over, t, NULL));
    return false;
}

static bool script__action_pack(messages_task *t, messages_action *a)
{
    ++t->at;
    return script__charge(t, MESSAGES_SENDING, messages_pack_delay(&messages->cluster, t->host, a->amount));
}

/* CPU time of a look for messages that finds none. */
static double script__look_time(const messages_task *t)
{
    const messages_task *process = t->of ? t->of : t;
    return messages->cluster.look + messages->cluster.look_more * process->partners.count;
}

static bool script__action_look(messages_task *t, messages_action *a)
{
    (void)a;
    if (!t->charged) {
        t->charged = true;
        if (!script__charge(t, MESSAGES_RECEIVING, script__look_time(t))) return false;
    }
    if (messages->cluster.progress_in_calls && !script__threads_settled(t)) return false;
    t->charged = false;
    ++t->at;
    return true;
}

/* The letter of an action becomes a message. */
static void script__letter_open(const messages_task *t, messages_action *a)
{
    messages_letter *l = a->of.letter;
    a->of.message = messages_message_new(t, l);
    a->count = 0;
    direct_free(l, sizeof *l);
}

static bool script__action_send(messages_task *t, messages_action *a)
{
    if (a->count > 0) script__letter_open(t, a);
    messages_message *m = a->of.message;
    if (messages_running_ahead && !t->charged) messages_running_ahead->goes_on(t);
    if (!t->charged) {
        messages_task *process = messages_rank_of(t);
        m->in.way.connection = messages_connection_use(process, m->to);
        const messages_haste haste = { .follows = m->in.way.connection->first != NULL, .computed = process->cooled };
        const messages_work work =
            messages_send_work(&messages->cluster, t->host, messages_task_at(m->to)->host, (double)m->bytes, &haste);
        process->cooled = 0;
        t->charged = true;
        if (work.seconds > 0) {
            script__compute(t, MESSAGES_SENDING, work);
            return false;
        }
    }
    t->charged = false;
    if (messages->sites) messages_site_sends(t, (double)m->bytes);
    ++t->at;
    messages_message_send(t, m, m->in.way.connection);
    return true;
}

static bool script__action_post(messages_task *t, messages_action *a)
{
    ++t->at;
    messages_receive_post(t, a->of.request);
    return true;
}

static bool script__action_meet(messages_task *t, messages_action *a)
{
    ++t->at;
    messages_meeting_join(t, a->of.meeting);
    return true;
}

static bool script__action_wait(messages_task *t, messages_action *a)
{
    messages_request **list = script__wait_requests(a);
    if (!t->charged)
        script__wait_begin(t, a);
    else if (t->of && !t->threaded && t->wait.waits)
        ++t->of->progress.busy;
    if (messages_running_ahead) messages_running_ahead->waits(t);
    while (t->wait.open > 0 && t->wait.first_arrived)
        if (!script__wait_take(t)) return false;
    if (t->wait.open > 0 && !t->wait.late) {
        messages_state state = MESSAGES_SENDING;
        for (uint32_t i = 0; i < a->count && state == MESSAGES_SENDING; ++i)
            if (list[i]->watched && list[i]->receives) state = MESSAGES_WAITING;
        t->wait.waits = true;
        if (t->state != state) messages_state_set(t, state);
        if (t->of && !t->threaded) script__thread_rests(t);
        return false;
    }
    script__wait_end(t, a);
    ++t->at;
    return true;
}

static bool script__action_probe(messages_task *t, messages_action *a)
{
    messages_request *r = a->of.request;
    messages_message *m = messages_message_find(t, r->envelope);
    if (!m) {
        t->wait.probes = r;
        messages_state_set(t, MESSAGES_WAITING);
        return false;
    }
    ++t->at;
    if (t->wait.probes) {
        messages_waited(t, m->from);
        messages_state_set(t, MESSAGES_COMPUTING);
    }
    t->wait.probes = NULL;
    messages_probe_found(r, m);
    return script__charge(t, MESSAGES_RECEIVING, script__look_time(t));
}

static bool script__action_cancel(messages_task *t, messages_action *a)
{
    messages_request *r = a->of.request;
    ++t->at;
    if (r->progress != MESSAGES_ACTIVE) return true;
    if (r->receives) {
        messages_link_remove(&r->in.link);
        if (messages_running_ahead) messages_running_ahead->unsure(t);
    } else if (!messages_send_cancel(t, r)) {
        return true;
    }
    r->cancelled = true;
    r->progress = MESSAGES_DONE;
    return true;
}

static bool script__action_loads(messages_task *t, messages_action *a)
{
    const uint32_t averages = a->count;
    ++t->at;
    messages_hosts_keep(&messages->cluster, direct->world);
    for (uint32_t i = 0; i < averages; ++i)
        t->loads[i].load = messages_host_load(&messages->cluster.hosts[t->host], direct->world, t->loads[i].beta,
                                              t->loads[i].interval);
    return true;
}

static bool script__action_kill(messages_task *t, messages_action *a)
{
    ++t->at;
    messages_task_kill(messages_task_at((int32_t)a->count));
    return true;
}

static void script__unblocked(simkit_world *world, void *user)
{
    messages_task *t = user;
    (void)world;
    if (!t->ended) messages_script_advance(t);
}

/* The wait of a thread is over, by another one or by its time. On an idle core it takes a moment until it runs. */
static void script__unblock(messages_task *t, double delay)
{
    t->wait.blocked = false;
    t->wait.over = simkit_clock_now(direct->world);
    if (delay > 0 && simkit_node_running(direct->world, t->part.node) < t->part.cores)
        messages_check(simkit_step_after(direct->world, delay, 0, script__unblocked, t, NULL));
    else
        messages_script_advance(t);
}

static void script__block_late(simkit_world *world, void *user)
{
    messages_task *t = user;
    (void)world;
    t->wait.deadline = 0;
    if (t->ended || !t->wait.blocked) return;
    simkit_computation_cancel(direct->world, t->computation); /* of one that spins */
    script__unblock(t, 0);
}

void messages_unblock(messages_task *t, double delay)
{
    if (!t->wait.blocked) return; /* its time has come already, or it has ended */
    simkit_step_cancel(direct->world, t->wait.deadline);
    simkit_computation_cancel(direct->world, t->computation);
    script__unblock(t, delay);
}

/* A wait with a limit of time is mostly a sleep. */
static messages_state script__blocked_as(const messages_task *t, const messages_action *a)
{
    if (a->count > 0) return MESSAGES_COMPUTING;
    if (t->wait.outside) return MESSAGES_WAITING;
    return a->amount < DIRECT_FOREVER ? MESSAGES_SLEEPING : MESSAGES_THREADS;
}

static bool script__action_block(messages_task *t, messages_action *a)
{
    if (!t->charged) {
        t->charged = t->wait.blocked = true;
        t->wait.deadline = 0;
        messages_state_set(t, script__blocked_as(t, a));
        const messages_work spinning = { DIRECT_FOREVER, 0 };
        if (a->count > 0) messages_computation_start(t, spinning, script__time_over, t, &t->computation);
        if (a->amount < DIRECT_FOREVER)
            messages_check(
                simkit_step_at(direct->world, fmax(a->amount, t->since), 0, script__block_late, t, &t->wait.deadline));
    }
    if (t->wait.blocked) return false;
    t->charged = false;
    ++t->at;
    messages_state_set(t, MESSAGES_COMPUTING);
    return true;
}

/* A thread that ends its process ends its rank. */
static bool script__action_exit(messages_task *t, messages_action *a)
{
    (void)a;
    t->at = t->script.count = 0;
    messages_task_kill(messages_rank_of(t));
    return false;
}

static bool (*const actions[])(messages_task *t, messages_action *a) = {
    [MESSAGES_COMPUTE] = script__action_compute,   [MESSAGES_SLEEP] = script__action_sleep,
    [MESSAGES_PACK] = script__action_pack,         [MESSAGES_SEND] = script__action_send,
    [MESSAGES_POST] = script__action_post,         [MESSAGES_MEET] = script__action_meet,
    [MESSAGES_WAIT] = script__action_wait,         [MESSAGES_PROBE] = script__action_probe,
    [MESSAGES_LOOK] = script__action_look,         [MESSAGES_CANCEL] = script__action_cancel,
    [MESSAGES_LOADS] = script__action_loads,       [MESSAGES_KILL] = script__action_kill,
    [MESSAGES_EXIT] = script__action_exit,         [MESSAGES_START] = script__action_start,
    [MESSAGES_COMPLETE] = script__action_complete, [MESSAGES_BLOCK] = script__action_block,
};

/*=============================================================================
 * MARK: - >>scripts
 *===========================================================================*/
/* The script of a task is complete: the task gets a turn. */
static void script__script_end(messages_task *t)
{
    t->at = t->script.count = 0;
    t->script.carried = 0;
    if (messages_running_ahead) messages_running_ahead->ended(t);
    if (t->of && !t->threaded && t->progress.result->progress == MESSAGES_DONE) {
        script__thread_end(t);
        return;
    }
    if (!t->of || t->threaded) messages_poll_count(t);
    messages_turn_ask(t);
}

/* Its next action is part of a call that looks for messages, or it has none. */
static bool script__is_in_call(const messages_task *t)
{
    const messages_action_kind next = t->at == t->script.count ? MESSAGES_EXIT : t->script.actions[t->at].kind;
    return next != MESSAGES_COMPUTE && next != MESSAGES_SLEEP && next != MESSAGES_BLOCK;
}

/* Advances a task's script until an action takes time or the script is complete. */
void messages_script_advance(messages_task *t)
{
    if (t->wait.taking) {
        messages_request *r = t->wait.taking;
        t->wait.taking = NULL;
        messages_request_done(r);
        /* does not recurse: messages_request_done() advances only waiting tasks, and this one was busy */
    }
    messages_action *a;
    do {
        if (messages_rank_of(t)->inbox.first_deferred && script__is_in_call(t))
            messages_deferred_take(messages_rank_of(t));
        if (t->at == t->script.count) {
            script__script_end(t);
            return;
        }
        a = &t->script.actions[t->at];
        if (a->kind == MESSAGES_COMPUTE)
            messages->polling.time += a->amount;
        else if (a->kind != MESSAGES_LOOK)
            messages_goes_on();
    } while (actions[a->kind](t, a));
}

void messages_task_kill(messages_task *t)
{
    if (t->ended) return;
    messages_state_set(t, MESSAGES_COMPUTING);
    t->ended = true;
    t->live = false;
    messages_unbind(t);
    t->account.ends = simkit_clock_now(direct->world);
    --messages->live;
    if (messages->live == 0) simkit_world_stop(direct->world);
    simkit_computation_cancel(direct->world, t->computation);
    for (messages_task *thread = t->progress.threads; thread; thread = thread->progress.next) {
        thread->ended = true;
        simkit_computation_cancel(direct->world, thread->computation);
    }
    messages_arrived_lose(t);
}
