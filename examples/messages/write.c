/* write.c - adds actions to the script of the task that runs. */
#include "engine.h"

#include <string.h>

enum { LONGEST_SCRIPT = 512 }; /* actions; then the script is handed over */

/* The script that this process writes; if it runs ahead, that is not the one of its task. NULL: it has none yet. */
static messages_script *write__script_written(void)
{
    return messages_running_ahead ? messages_running_ahead->written(messages_self) : &messages_self->script;
}

messages_action *messages_action_add(messages_action_kind kind)
{
    messages_script *s = messages_running_ahead ? messages_running_ahead->writes(messages_self) : NULL;
    if (!s) {
        messages_turn_take();
        s = &messages_self->script;
    }
    if (s->count == s->room) { /* in small steps, because thousands of tasks have one */
        const uint32_t more = s->room + s->room / 4 + 8;
        s->actions = direct_reallocate(NULL, s->actions, s->room * sizeof *s->actions, more * sizeof *s->actions);
        s->room = more;
    }
    messages_action *a = &s->actions[s->count++];
    memset(a, 0, sizeof *a);
    a->kind = kind;
    if (messages->sites) messages_site_note(messages_self, s->count);
    return a;
}

static size_t write__script_length(void)
{
    const messages_script *s = write__script_written();
    return s ? s->count : 0;
}

bool messages_has_script(void)
{
    return write__script_length() > 0;
}

void messages_compute(double seconds)
{
    if (seconds > 0) messages_action_add(MESSAGES_COMPUTE)->amount = seconds;
    if (write__script_length() > LONGEST_SCRIPT) messages_flush();
}

void messages_compute_undo(double seconds)
{
    messages_script *s = write__script_written();
    const messages_action *last = s && s->count > 0 ? &s->actions[s->count - 1] : NULL;
    if (last && last->kind == MESSAGES_COMPUTE && !(last->amount > seconds) && !(last->amount < seconds)) --s->count;
}

/* A message of a window has a parcel; else it is NULL. */
static void write__script_send(const messages_letter *l, messages_parcel *parcel)
{
    messages_action send = { .kind = MESSAGES_SEND };
    if (messages->cores > 1 || parcel) {
        send.of.message = messages_message_new(messages_self, l);
        send.of.message->parcel = parcel;
    } else {
        send.count = 1;
        send.of.letter = direct_new(sizeof *l);
        *send.of.letter = *l;
    }
    if (l->sender) {
        l->sender->progress = MESSAGES_ACTIVE;
        l->sender->envelope = l->envelope;
        l->sender->from = l->to;
        l->sender->bytes = l->bytes;
    }
    *messages_action_add(MESSAGES_SEND) = send;
    write__script_written()->carried += l->bytes;
}

static void write__script_limit(void)
{
    const messages_script *s = write__script_written();
    if (s->count > LONGEST_SCRIPT || s->carried > (size_t)64 << 20) messages_flush();
}

void messages_send(int32_t to, messages_envelope envelope, messages_chunk *chunk, size_t bytes, messages_mode mode,
                   messages_request *request, messages_request *forwards)
{
    const messages_letter l = { envelope, bytes, chunk, request, forwards, messages_self->caller, to, mode };
    write__script_send(&l, NULL);
    write__script_limit();
}

void messages_send_parcel(messages_parcel *p, size_t bytes, messages_request *request)
{
    const messages_letter l = { .envelope = { .source = p->origin },
                                .bytes = bytes,
                                .sender = request,
                                .caller = messages_self->caller,
                                .to = p->window->members[p->target].task };
    write__script_send(&l, p);
    write__script_limit();
}

void messages_post(messages_request *request, messages_envelope envelope)
{
    request->envelope = envelope;
    request->progress = MESSAGES_ACTIVE;
    messages_action_add(MESSAGES_POST)->of.request = request;
}

void messages_meet(messages_meeting *meeting)
{
    messages_action_add(MESSAGES_MEET)->of.meeting = meeting;
}

void messages_wait(messages_request *const *requests, size_t count, size_t need)
{
    enum { WAIT_MOST = (1 << 27) - 1 }; /* as `need` of an action */
    if (count == 0 || need == 0) return;
    if (count > WAIT_MOST) messages_end(1, "a wait for %zu messages at once; the maximum is %d", count, WAIT_MOST);
    messages_action *a = messages_action_add(MESSAGES_WAIT);
    a->count = (uint32_t)count;
    a->need = (uint32_t)need & WAIT_MOST;
    if (count == 1) {
        a->of.request = requests[0];
        return;
    }
    messages_request **list = direct_new(count * sizeof *list);
    memcpy(list, requests, count * sizeof *list);
    a->of.requests = list;
}

void messages_wait_for(messages_request *request, double seconds)
{
    messages_action *a = messages_action_add(MESSAGES_WAIT);
    a->count = a->need = 1;
    a->amount = seconds > 0 ? seconds : 1e-12; /* 0 is also a timeout */
    a->of.request = request;
}

static void write__thread_ends(messages_task *thread)
{
    messages_action_add(MESSAGES_COMPLETE)->of.request = thread->progress.result;
}

messages_request *messages_thread_start(const char *call, void (*body)(void *user), void *user)
{
    messages_task *thread = messages_thread_begin(call, body, user, write__thread_ends);
    messages_request *result = thread->progress.result; /* the thread may have ended when its first action has begun */
    messages_action_add(MESSAGES_START)->of.thread = thread;
    return result;
}
