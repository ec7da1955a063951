/* engine.h - among the files of the engine: from below task.c, request.c, transit.c, match.c, ahead.c, meet.c, waiting.c,
 * script.c, engine.c. Private to them. */
#ifndef MESSAGES_ENGINE_H
#define MESSAGES_ENGINE_H

#include "core.h"

#define OF_LINK(type, member, pointer) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* Notices about a message. */
typedef enum messages_notice {
    NOTICE_ARRIVED, /* receiver: it has arrived, or its rendezvous request has */
    NOTICE_READY,   /* sender: the receiver is ready for it */
    NOTICE_MATCHED, /* sender: the receiver has begun to receive */
    NOTICE_COMPLETE /* receiver: the rest of its bytes has arrived */
} messages_notice;

/* There may be a million at once, so those parts share memory that are not needed at the same time. */
struct messages_message {
    union {
        struct {
            messages_connection *connection;
            messages_message *behind; /* in its queue, or in that of deferred notices */
            double load, tail;        /* time that the bytes occupy an idle connection [s]; `tail` of it after the
                                         sender is done. Of an answer, load: until it overtakes the other bytes */
        } way;
        struct {
            messages_link link, any; /* of its source, of all */
        } arrived;
    } in;
    messages_envelope envelope;
    int32_t from, to;
    size_t bytes;
    messages_chunk *chunk;
    uint32_t look; /* its receiver's number of looks when it arrived */
    messages_mode mode : 8;
    messages_notice notice : 8;
    bool joins;               /* the packet of the message before it */
    bool queued;              /* its last bytes are in the queue of the sender's link */
    bool asks;                /* asks the receiver before its bytes are sent (rendezvous) */
    bool answers;             /* is the answer to such a request, on its way back */
    bool due;                 /* its latency is over */
    bool there;               /* its bytes have arrived */
    bool watching;            /* its receiver is busy processing them */
    bool watched;             /* its receiver has processed them */
    bool known;               /* `other` is its receive from the beginning: an answer to a parcel */
    bool coming;              /* is in its receiver's list of those that will come */
    bool certain;             /* it is known which receive it is for */
    bool withdrawn;           /* its sender has cancelled it: nobody receives it */
    uint32_t order;           /* in a trace: when it was sent, among what happens at one instant */
    messages_request *sender; /* to be completed; may be NULL */
    messages_request *other;  /* once matched, its receive; before it is sent, the one whose data it forwards */
    double sent;
    simkit_step leaves;      /* its last bytes leave the queue of the sender's link, if queued */
    messages_parcel *parcel; /* of one-sided communication; NULL: a message to be received */
    const void *caller;      /* address of the program that sent it */
};

/* A send that is still in a script: one line of the caches. It becomes a message when it is sent, because in an all-to-all scripts
 * have half a million of them, but far fewer are in transit. With several cores it is a message from the beginning, which
 * can be known to come. */
struct messages_letter {
    messages_envelope envelope;
    size_t bytes;
    messages_chunk *chunk;
    messages_request *sender, *other;
    const void *caller;
    int32_t to;
    messages_mode mode;
};

/* Files of the engine tell those above them by these functions; begin.c sets them, in each process. */
typedef struct messages_upward {
    void (*advance)(messages_task *task); /* request.c, match.c: what its script waits for is there */
    void (*notice)(messages_message *message, messages_notice what); /* transit.c: it has arrived, or an answer to it */
    void (*parcel)(messages_parcel *parcel);                         /* match.c: it has arrived at its window */
    void (*turn_take)(void);                     /* end.c: waits for the turn of this process, if it runs ahead */
    __attribute__((noreturn)) void (*end)(void); /* end.c: in the launcher */
} messages_upward;

extern messages_upward messages_above;

/*=============================================================================
 * MARK: - >>links
 *===========================================================================*/
static inline messages_task *messages_task_at(int32_t number)
{
    return messages->tasks[number];
}

/* A thread of a task, by its number; the task itself if there is no such thread any more, or for number 0. */
static inline messages_task *messages_thread_at(int32_t number, uint32_t thread)
{
    messages_task *t = messages_task_at(number), *found = thread > 0 ? t->progress.threads : NULL;
    while (found && found->thread != thread) found = found->progress.next;
    return found ? found : t;
}

static inline void messages_check(simkit_result result)
{
    if (result != SIMKIT_OK) messages_end(1, "%s", simkit_world_why(direct->world));
}

/* Circular lists. */
static inline void messages_link_init(messages_link *head)
{
    head->before = head->after = head;
}

static inline void messages_link_add(messages_link *head, messages_link *link)
{
    link->before = head->before;
    link->after = head;
    head->before->after = link;
    head->before = link;
}

static inline void messages_link_remove(messages_link *link)
{
    link->before->after = link->after;
    link->after->before = link->before;
}

static inline bool messages_envelope_fits(messages_envelope asked, messages_envelope found)
{
    return asked.context == found.context && (asked.source == MESSAGES_ANY || asked.source == found.source) &&
           (asked.tag == MESSAGES_ANY || asked.tag == found.tag);
}

static inline messages_queues *messages_queues_for(messages_task *t, messages_envelope e)
{
    return &t->inbox.queues[((unsigned)e.source + 7u * (unsigned)e.context) & (t->inbox.queue_count - 1)];
}

static inline messages_chunk *messages_request_own_chunk(messages_request *r)
{
    return (messages_chunk *)(void *)r->own;
}

static inline size_t messages_request_bytes(const messages_request *r)
{
    return sizeof *r + (r->small > 0 ? sizeof(messages_chunk) + r->small : 0);
}

/*=============================================================================
 * MARK: - >>tasks
 *===========================================================================*/
void messages_queues_init(messages_queues *queues, uint32_t count);
void messages_script_init(messages_script *s);
void messages_state_set(messages_task *t, messages_state state);
void messages_turn_ask(messages_task *t);
messages_partner *messages_partner_place(const messages_task *t, int32_t other);

/*=============================================================================
 * MARK: - >>requests
 *===========================================================================*/
void messages_request_arrived(messages_request *r);
void messages_request_done(messages_request *r);
void messages_request_keep(messages_request *r, messages_message *m);

/*=============================================================================
 * MARK: - >>messages in transit
 *===========================================================================*/
messages_connection *messages_connection_of(const messages_task *t, const messages_partner *p);
messages_connection *messages_connection_with(const messages_task *t, int32_t other);
messages_connection *messages_connection_use(messages_task *t, int32_t other);
void messages_message_launch_on(messages_connection *c, messages_message *m);
void messages_message_launch(messages_message *m);

/*=============================================================================
 * MARK: - >>matching
 *===========================================================================*/
messages_message *messages_message_new(const messages_task *t, const messages_letter *l);
void messages_message_fill(messages_message *m);
messages_message *messages_message_find(messages_task *t, messages_envelope e);
void messages_probe_found(messages_request *r, messages_message *m);
void messages_receive_post(messages_task *t, messages_request *r);
void messages_notify(messages_message *m, messages_notice what);
void messages_deferred_take(messages_task *t);
void messages_message_send(messages_task *t, messages_message *m, messages_connection *c);
bool messages_send_cancel(const messages_task *t, const messages_request *r);
void messages_arrived_lose(messages_task *t);

/*=============================================================================
 * MARK: - >>collective calls
 *===========================================================================*/
void messages_meeting_join(messages_task *t, messages_meeting *m);

/*=============================================================================
 * MARK: - >>waiting tasks
 *===========================================================================*/
void messages_poll_count(messages_task *t);
void messages_too_late(void);
void messages_deadlock(void);

/*=============================================================================
 * MARK: - >>scripts
 *===========================================================================*/
void messages_script_advance(messages_task *t);

/*=============================================================================
 * MARK: - >>running ahead
 *===========================================================================*/
/* Running ahead on several cores (ahead.c), as the rest of the engine knows it; NULL on one core. */
typedef struct messages_ahead_calls {
    void (*begins)(messages_task *task);  /* it has a script */
    void (*starts)(messages_task *task);  /* its first script begins */
    void (*goes_on)(messages_task *task); /* its script does */
    void (*waits)(messages_task *task);   /* its script does */
    void (*ended)(messages_task *task);   /* its script is complete */
    bool (*next)(messages_task *task);    /* its turn; true: its further script is to begin instead */
    void (*taken)(messages_task *task);   /* its turn: its further script is now its script */
    void (*matched)(messages_message *m, messages_request *r); /* it is certain that this message is for this receive */
    bool (*posted)(messages_task *task, messages_request *r);  /* a receive without a message; true: one is certain */
    void (*arrived)(messages_task *task, const messages_message *m); /* one that was certain to come */
    void (*unsure)(messages_task *task);                             /* what it receives is never certain from now on */
    bool (*keeps)(messages_task *task, messages_request *r); /* one that is dropped; true: the engine frees it */
    messages_script *(*written)(messages_task *task);        /* the script that its process writes; NULL: none yet */
    messages_script *(*writes)(messages_task *task);         /* likewise, if it is a further one; else NULL */
    void (*computed)(messages_task *task, double seconds);   /* before the call that it makes */
    bool (*leaves)(messages_task *task);                     /* a call; true: ahead of its turn */
} messages_ahead_calls;

extern const messages_ahead_calls *messages_running_ahead;
extern bool messages_in_rounds; /* this process may write further scripts if it runs ahead */
extern bool messages_is_ahead;  /* this process does so */
void messages_ahead_attach(void);
void messages_further_queue(void); /* hands over the further script of this task */

/*=============================================================================
 * MARK: - >>progress threads
 *
 * A nonblocking collective call is advanced by a progress thread: a second script on the task's host. It has a structure
 * of a task, but its number, and so its messages, are those of its task. When its script is complete, the process of the
 * task gets a turn for it, even while the task's own script computes or waits. With `progress = calls` it does nothing
 * while its task computes, and its task computes only when it waits for messages.
 *===========================================================================*/
/* Runs a function as a progress thread until it hands over its script; `ends` adds the last action. */
messages_task *messages_thread_begin(const char *call, void (*body)(void *user), void *user,
                                     void (*ends)(messages_task *thread));
void messages_thread_pause(void); /* leaves it until its script is complete */
void messages_thread_resume(messages_task *thread);

#endif
