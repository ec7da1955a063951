/* waiting.c - what waiting tasks wait for, as text: at a deadlock, at a limit of time, when a task has died. And programs that
 * poll for ever. */
#include "engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text that grows up to its room. */
typedef struct writer {
    char *text;
    size_t room, used;
} writer;

static bool waiting__requests_write(writer *w, const messages_task *t);

static bool waiting__task_waits(const messages_task *t)
{
    if (t->at >= t->script.count) return false;
    const messages_action *a = &t->script.actions[t->at];
    return a->kind == MESSAGES_WAIT || a->kind == MESSAGES_PROBE || a->kind == MESSAGES_BLOCK;
}

static const char *waiting__answer_text(messages_answer awaited)
{
    static const char *const texts[] = { [MESSAGES_DATA] = "data of the window of rank",
                                         [MESSAGES_GRANT] = "the lock of the window of rank",
                                         [MESSAGES_RECEIPT] = "the receipt of its accesses to the window of rank",
                                         [MESSAGES_PARCELS] = "accesses of others to the window of rank",
                                         [MESSAGES_FINISHES] =
                                             "MPI_Win_complete of those that access the window of rank",
                                         [MESSAGES_EXPOSURE] = "MPI_Win_post of rank" };
    return texts[awaited];
}

static void __attribute__((format(printf, 2, 3))) waiting__write(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(w->text + w->used, w->room - w->used, format, arguments);
    va_end(arguments);
    if (wanted > 0) w->used += (size_t)wanted;
    if (w->used >= w->room) w->used = w->room - 1;
}

/* The line of the call that a task is in, as a mark. */
static const char *waiting__where(const messages_task *t)
{
    return t->inside ? messages_where(messages_thread_at(t->number, t->thread)) : "";
}

/* The progress thread that completes a request; NULL: none does. */
static const messages_task *waiting__thread_of(const messages_task *t, const messages_request *r)
{
    const messages_task *thread = t->progress.threads;
    while (thread && thread->progress.result != r) thread = thread->progress.next;
    return thread;
}

/* Writes what a nonblocking collective call waits for. */
static void waiting__thread_write(writer *w, const messages_task *thread)
{
    char arguments[160] = "";
    if (thread->meeting && messages_attached.meeting_text)
        messages_attached.meeting_text(thread->meeting, arguments, sizeof arguments);
    waiting__write(w, " for %s%s", thread->call, arguments);
    if (!waiting__task_waits(thread)) return;
    waiting__write(w, ", which waits");
    waiting__requests_write(w, thread);
}

/* If a task is a leader that waits in MPI_Intercomm_create for the other leader, its receive; else NULL. */
static const messages_request *waiting__leader_waits(const messages_task *t)
{
    const messages_action *a = &t->script.actions[t->at];
    if (t->meeting || !t->inside || strcmp(t->call, "MPI_Intercomm_create") != 0 || !waiting__task_waits(t))
        return NULL;
    return a->kind == MESSAGES_WAIT && a->count == 1 && a->of.request->receives ? a->of.request : NULL;
}

/* Both leaders must name each other, and the same tag. */
static void waiting__leader_write(writer *w, const messages_task *t, const messages_task *other, messages_envelope e)
{
    const messages_request *r = waiting__leader_waits(other);
    waiting__write(w, " for %s, the other leader, with tag %d on %s", other->name, (int)e.tag,
                   messages_communicator_text(t, e.context - 1));
    if (!r) return;
    const messages_task *named = messages_task_of_source(other, r->envelope.context, r->envelope.source);
    if (named && named != t) waiting__write(w, ", which names %s", named->name);
    if (r->envelope.context != e.context)
        waiting__write(w, ", which names %s", messages_communicator_text(other, r->envelope.context - 1));
    if (r->envelope.tag != e.tag) waiting__write(w, ", which has tag %d", (int)r->envelope.tag);
}

/* Writes what a waiting task waits for: a message, a rank in a collective call, or that its own message is received. */
static void waiting__request_write(writer *w, const messages_task *t, const messages_request *r)
{
    const messages_envelope e = r->envelope;
    const bool layer = t->family.mpi && (e.context & 1) != 0; /* a message of MPI's layer itself */
    const messages_task *source = messages_task_of_source(t, e.context, e.source);
    const messages_task *thread = waiting__thread_of(t, r);
    if (thread)
        waiting__thread_write(w, thread);
    else if (e.context == MESSAGES_OF_PROGRAM)
        waiting__write(w, " for a generalized request, which another thread has not completed");
    else if (r->one_sided)
        waiting__write(w, " for %s %d", waiting__answer_text((messages_answer)e.tag), (int)e.source);
    else if (r->receives && (e.tag == MESSAGES_ACCEPTS || e.tag == MESSAGES_CONNECTS))
        waiting__write(w, " for MPI_Comm_%s at port simkit:%d", e.tag == MESSAGES_ACCEPTS ? "accept" : "connect",
                       e.context);
    else if (!r->receives && t->meeting)
        waiting__write(w, " for %s", messages_task_at(r->from)->name);
    else if (!r->receives)
        waiting__write(w, " until %s%s receives its message of %zu B with tag %d", messages_task_at(r->from)->name,
                       messages_task_at(r->from)->ended ? ", which has ended," : "", r->bytes, (int)e.tag);
    else if (layer && source && waiting__leader_waits(t) == r)
        waiting__leader_write(w, t, source, e);
    else if (layer && source)
        waiting__write(w, " for %s", source->name);
    else
        waiting__write(w, " for a message %s", messages_envelope_text(t, e));
}

/* The messages of the program that have arrived at a task, of which none is what it waits for. */
static void waiting__arrived_write(writer *w, const messages_task *t)
{
    const messages_inbox *in = &messages_task_at(t->number)->inbox;
    size_t shown = 0;
    for (messages_link *at = in->arrived_any.after; at != &in->arrived_any; at = at->after) {
        const messages_message *m = OF_LINK(messages_message, in.arrived.any, at);
        if ((m->envelope.context & 1) != 0) continue;
        if (++shown > 2) {
            waiting__write(w, " and others");
            return;
        }
        waiting__write(w, "%s %s", shown > 1 ? "," : "; what has arrived is", messages_envelope_text(t, m->envelope));
    }
}

/* Writes what the requests of a wait are. Returns whether messages of the program are among them. */
static bool waiting__requests_write(writer *w, const messages_task *t)
{
    const messages_action *a = &t->script.actions[t->at];
    messages_request *const *list = a->count <= 1 ? &a->of.request : a->of.requests;
    const uint32_t requests = a->kind == MESSAGES_PROBE ? 1 : a->kind == MESSAGES_BLOCK ? 0 : a->count;
    bool receives = false;
    for (uint32_t k = 0, named = 0; k < requests && named < 3; ++k) {
        const messages_request *r = list[k];
        if (r->progress == MESSAGES_DONE) continue;
        if (named++ > 0) waiting__write(w, ",");
        waiting__request_write(w, t, r);
        receives =
            receives || (r->receives && t->family.mpi && (r->envelope.context & 1) == 0 && !waiting__thread_of(t, r));
    }
    return receives;
}

static void waiting__wait_write(writer *w, const messages_task *t)
{
    char arguments[160] = "", thread[32] = "";
    if (t->meeting && messages_attached.meeting_text)
        messages_attached.meeting_text(t->meeting, arguments, sizeof arguments);
    if (t->of) snprintf(thread, sizeof thread, "thread %u of ", (unsigned)t->thread);
    waiting__write(w, "\n  %s%s has waited in %s%s%s since %.9g s", thread, t->name, t->call, arguments,
                   waiting__where(t), t->since);
    if (waiting__requests_write(w, t)) waiting__arrived_write(w, t);
}

/*=============================================================================
 * MARK: - >>collective calls
 *===========================================================================*/
/* The task that has this rank in a call, counted over both sides; NULL: unknown. */
static const messages_task *waiting__meeting_task(const messages_meeting *m, int32_t place)
{
    const messages_task *t = messages_task_at(m->task);
    if (m->side == 0) return messages_task_of_source(t, m->context, place);
    const int32_t first = m->side == 1 ? m->near : m->size - m->near; /* ranks of the first side */
    const bool near = (place < first) == (m->side == 1);
    const int32_t rank = place < first ? place : place - first;
    return near ? messages_task_of_side(t, m->context, rank) : messages_task_of_source(t, m->context, rank);
}

/* Returns true if this rank has not come to a call. A leader in that call that waits for the other side has come. */
static bool waiting__is_absent(const messages_meeting *m, int32_t place)
{
    if (m->here[place / 64] >> place % 64 & 1) return false;
    const messages_task *t = waiting__meeting_task(m, place);
    return !t || t->meeting || !t->inside || strcmp(t->call, m->name) != 0;
}

static bool waiting__any_absent(const messages_meeting *m)
{
    int32_t i = 0;
    while (i < m->size && !waiting__is_absent(m, i)) ++i;
    return i < m->size;
}

/* The ranks that have not come to a collective call, and what they do instead. */
static void waiting__absent_write(writer *w, const messages_meeting *m)
{
    char arguments[160] = "";
    uint32_t shown = 0, others = 0;
    if (messages_attached.meeting_text) messages_attached.meeting_text(m, arguments, sizeof arguments);
    waiting__write(w, "\n  %s%s, collective call %llu on %s, has not been called by", m->name, arguments,
                   (unsigned long long)m->number, messages_communicator_text(messages_task_at(m->task), m->context));
    for (int32_t i = 0; i < m->size; ++i) {
        if (!waiting__is_absent(m, i)) continue;
        const messages_task *t = waiting__meeting_task(m, i);
        if (!t || shown >= 4) {
            ++others;
            continue;
        }
        waiting__write(w, "%s %s, which %s%s%s", shown++ > 0 ? ";" : "", t->name,
                       t->ended                         ? "has ended"
                       : t->inside                      ? "is in "
                       : t->call[0]                     ? "computes after "
                       : messages->running == t->number ? "has not made a call"
                                                        : "has not begun", /* it waits for its first turn */
                       !t->ended ? t->call : "", waiting__task_waits(t) ? waiting__where(t) : "");
    }
    if (others > 0) waiting__write(w, "%s %u other%s", shown > 0 ? " and" : "", others, others > 1 ? "s" : "");
}

/*=============================================================================
 * MARK: - >>all tasks
 *===========================================================================*/
static void waiting__write_all(writer *w)
{
    size_t shown = 0;
    for (uint32_t i = 0; i < MESSAGES_MEETINGS; ++i)
        for (const messages_meeting *m = messages->meetings[i]; m; m = m->next)
            if (!messages_is_inner(messages_task_at(m->task), m->context) && waiting__any_absent(m) && ++shown <= 4)
                waiting__absent_write(w, m);
    shown = 0;
    for (uint32_t i = 0; i < messages->task_count && shown <= 16; ++i) {
        const messages_task *t = messages->tasks[i], *thread = t->progress.threads;
        for (; t; t = thread, thread = thread ? thread->progress.next : NULL) {
            if (t->ended || !waiting__task_waits(t) || (t->of && !t->threaded) || ++shown > 17) continue;
            if (shown > 16)
                waiting__write(w, "\n  and others");
            else
                waiting__wait_write(w, t);
        }
    }
}

void messages_waiting_text(char *text, size_t room)
{
    writer w = { text, room, 0 };
    text[0] = 0;
    waiting__write_all(&w);
}

/* The waiting tasks and those that poll, and what they wait for. */
static void waiting__polling_text(char *text, size_t room)
{
    writer w = { text, room, 0 };
    size_t shown = 0;
    text[0] = 0;
    waiting__write_all(&w);
    for (uint32_t i = 0; i < messages->task_count && shown <= 16; ++i) {
        const messages_task *t = messages->tasks[i];
        if (t->ended || waiting__task_waits(t)) continue;
        if (++shown > 16)
            waiting__write(&w, "\n  and others");
        else
            waiting__write(&w, "\n  %s calls %s%s", t->name, t->call, waiting__where(t));
    }
}

/*=============================================================================
 * MARK: - >>polls and limits
 *===========================================================================*/
/* Returns true if a message of a task is in transit, or a timeout of its wait is pending. */
static bool waiting__task_expects(const messages_task *t)
{
    for (uint32_t i = 0; i < t->partners.room; ++i) {
        const messages_connection *c = messages_connection_of(t, &t->partners.list[i]);
        if (c && (c->first || c->answers)) return true;
    }
    return t->progress.busy > 0 || simkit_step_pending(direct->world, t->wait.deadline);
}

/* It neither waits nor polls, or will go on by itself. */
static bool waiting__task_works(const messages_task *t, uint64_t polls_since)
{
    return waiting__task_expects(t) || (!t->ended && !waiting__task_waits(t) && t->polled < polls_since);
}

/* Returns true if all tasks wait or poll: no message is in transit, no task computes. */
static bool waiting__only_polling(void)
{
    const uint64_t polls = messages->polling.count - messages->polling.before, recent = polls / 4;
    if (messages->polling.time > 2e-6 * (double)polls) return false;
    for (uint32_t i = 0; i < messages->task_count; ++i) {
        const messages_task *t = messages->tasks[i];
        if (waiting__task_works(t, messages->polling.count - recent)) return false;
        for (const messages_task *thread = t->progress.threads; thread; thread = thread->progress.next)
            if (thread->threaded && waiting__task_works(thread, messages->polling.count - recent)) return false;
    }
    return true;
}

/* Counts a script that only polled the clock or messages. If all tasks have only polled for a long time, the program
 * would never end. */
void messages_poll_count(messages_task *t)
{
    messages_arena *a = messages;
    t->polled = ++a->polling.count;
    const uint64_t polls = a->polling.count - a->polling.before;
    if (a->polling.most == 0 || polls < a->polling.most / 10) return;
    /* With several tasks polling is detected after a tenth of the limit, because waiting__only_polling() makes sure. */
    const double now = simkit_clock_now(direct->world);
    const bool still = now <= a->polling.since;
    if (polls < a->polling.most && (still || a->live == 1)) return;
    if (!still && !waiting__only_polling()) {
        messages_goes_on();
        return;
    }
    char text[sizeof a->why - 512];
    waiting__polling_text(text, sizeof text);
    const char *tenth = polls < a->polling.most ? ", a tenth of --polls or SIMKIT_POLLS" : "";
    messages_end(1, "endless polling at %.9g s: the last %llu calls only polled%s%s%s:%s", now,
                 (unsigned long long)polls, tenth,
                 still ? ", and the clock stands still, because they cost no time" : ", and no message is in transit",
                 tenth[0] ? "" : " (--polls or SIMKIT_POLLS sets the maximum)", text);
}

/* The time limit of the run is exceeded. */
void messages_too_late(void)
{
    char text[sizeof messages->why - 256];
    waiting__polling_text(text, sizeof text);
    messages_end(1, "the time limit, --time-limit or SIMKIT_TIME_LIMIT=%g, was exceeded at %.9g s:%s",
                 messages->time_limit, simkit_clock_now(direct->world), text);
}

void messages_deadlock(void)
{
    char text[sizeof messages->why - 256];
    messages_waiting_text(text, sizeof text);
    messages_end(messages->status != 0 ? messages->status : 1,
                 "deadlock at %.9g s: no event is left, but %u of %u tasks wait:%s", simkit_clock_now(direct->world),
                 messages->live, messages->task_count, text);
}
