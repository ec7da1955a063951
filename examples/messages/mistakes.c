/* mistakes.c - what a program does wrong without ending the run: notes, which the launcher prints at the end. And how
 * messages name what the program made: communicators, and the ranks in them. */
#define _GNU_SOURCE
#include "core.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NOTES = 16, MOST_KEPT = 256 };

/* Equal sentences are one note. */
struct messages_note {
    messages_note *next;
    uint64_t times;
    double at;             /* of the first [s]; < 0: none */
    messages_stack *stack; /* of the first; NULL: it does not matter */
    char text[];
};

/* One side of a communicator that the program made. */
struct messages_side {
    messages_side *next; /* in its bucket */
    int32_t context, size, far_size;
    int32_t users;           /* number of ranks that have it */
    char made[32], name[64]; /* the call that made it; the name that the program gave it */
    bool inner;              /* the own side of an intercommunicator, on which the program cannot call */
    int32_t tasks[];         /* tasks[size + far_size]: its ranks, then those of the other side */
};

/*=============================================================================
 * MARK: - >>notes
 *===========================================================================*/

void messages_note_add(double at, uint64_t times, const void *caller, const char *format, ...)
{
    messages_arena *a = messages;
    char text[512];
    va_list arguments;
    if (a->notes.wanted == MESSAGES_NO_WARNINGS) return;
    messages_turn_take(); /* so that the order of notes is that of virtual time */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    messages_note **to = &a->notes.first;
    uint32_t count = 0;
    for (; *to; to = &(*to)->next, ++count) {
        if (strcmp((*to)->text, text) != 0) continue;
        (*to)->times += times;
        return;
    }
    if (count == MOST_KEPT) {
        a->notes.dropped += times;
        return;
    }
    messages_note *note = direct_new(sizeof *note + strlen(text) + 1);
    strcpy(note->text, text);
    note->times = times;
    note->at = at;
    if (strstr(text, MESSAGES_HERE)) note->stack = messages_stack_copy(caller);
    *to = note;
}

void messages_note_once(messages_about about, const void *caller, const char *format, ...)
{
    char text[512];
    va_list arguments;
    messages_turn_take();
    if (messages->notes.told >> about & 1) return;
    messages->notes.told |= UINT32_C(1) << about;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    messages_note_add(-1, 1, caller, "%s", text);
}

void messages_notes_print(void)
{
    uint64_t others = messages->notes.dropped;
    uint32_t printed = 0;
    for (const messages_note *note = messages->notes.first; note; note = note->next) {
        if (printed++ >= MOST_NOTES) {
            others += note->times;
            continue;
        }
        fputs("simkit: warning: ", stderr);
        messages_where_print(note->text, note->stack);
        if (note->at >= 0) fprintf(stderr, note->times > 1 ? ", first at %.9g s" : " at %.9g s", note->at);
        if (note->times > 1) fprintf(stderr, ", %llu times", (unsigned long long)note->times);
        fputc('\n', stderr);
    }
    if (others > 0) fprintf(stderr, "simkit: and %llu other warnings\n", (unsigned long long)others);
}

void messages_real_note(void)
{
    const messages_real_calls seen = messages_real_take();
    if (seen.slept)
        messages_note_once(MESSAGES_ABOUT_SLEEPING, seen.sleeper,
                           "%s called %s()" MESSAGES_HERE ": sleeping takes no virtual time", messages_self->name,
                           seen.slept);
    if (seen.read)
        messages_note_once(MESSAGES_ABOUT_CLOCKS, seen.reader,
                           "%s reads a clock of this machine by %s()" MESSAGES_HERE ": %s", messages_self->name,
                           seen.read, messages_self->family.mpi ? "only MPI_Wtime() is virtual" : "it is not virtual");
}

/*=============================================================================
 * MARK: - >>communicators
 *===========================================================================*/

static messages_side **mistakes__bucket(int32_t context)
{
    return &messages->notes.sides[(uint32_t)context / 2 % MESSAGES_SIDES];
}

messages_side *messages_side_add(int32_t context, const int32_t *tasks, int32_t size, const int32_t *far,
                                 int32_t far_size)
{
    messages_side **bucket = mistakes__bucket(context), *s = *bucket;
    while (s && (s->context != context || s->tasks[0] != tasks[0])) s = s->next;
    if (s) {
        ++s->users;
        return s;
    }
    s = direct_new(sizeof *s + (size_t)(size + far_size) * sizeof *tasks);
    s->users = 1;
    s->context = context;
    s->size = size;
    s->far_size = far_size;
    memcpy(s->made, messages_self->call, sizeof s->made);
    memcpy(s->tasks, tasks, (size_t)size * sizeof *tasks);
    if (far_size > 0) memcpy(s->tasks + size, far, (size_t)far_size * sizeof *far);
    s->next = *bucket;
    *bucket = s;
    return s;
}

void messages_side_inner(messages_side *s)
{
    s->inner = true;
}

void messages_side_name(messages_side *s, const char *name)
{
    snprintf(s->name, sizeof s->name, "%s", name);
}

void messages_side_drop(messages_side *s)
{
    messages_side **at = mistakes__bucket(s->context);
    const bool outside = direct_lock(); /* MPI_Comm_free takes no turn */
    if (--s->users == 0) {
        while (*at != s) at = &(*at)->next;
        *at = s->next;
        direct_free(s, sizeof *s + (size_t)(s->size + s->far_size) * sizeof *s->tasks);
    }
    if (outside) direct_unlock();
}

/* The side of a communicator on which a task is; NULL: unknown, or freed. */
static const messages_side *mistakes__side_of(const messages_task *t, int32_t context)
{
    for (const messages_side *s = *mistakes__bucket(context); s; s = s->next)
        for (int32_t i = 0; s->context == context && i < s->size; ++i)
            if (s->tasks[i] == t->number) return s;
    return NULL;
}

static bool mistakes__is_world(const messages_task *t, int32_t context)
{
    return (context & ~1) == t->family.context;
}

const char *messages_communicator_text(const messages_task *t, int32_t context)
{
    static char MESSAGES_COMMON text[160];
    if (mistakes__is_world(t, context)) return "MPI_COMM_WORLD";
    if ((context & ~1) == MESSAGES_SELF) return "MPI_COMM_SELF";
    const messages_side *s = mistakes__side_of(t, context & ~1);
    if (!s) return "another communicator";
    size_t used = 0;
    if (s->name[0]) used = (size_t)snprintf(text, sizeof text, "'%s', ", s->name);
    if (s->far_size)
        snprintf(text + used, sizeof text - used, "an intercommunicator of %d and %d ranks made by %s", (int)s->size,
                 (int)s->far_size, s->made);
    else
        snprintf(text + used, sizeof text - used, "a communicator of %d rank%s made by %s", (int)s->size,
                 s->size == 1 ? "" : "s", s->made);
    return text;
}

bool messages_is_inner(const messages_task *t, int32_t context)
{
    const messages_side *s = mistakes__side_of(t, context & ~1);
    return s && s->inner;
}

const messages_task *messages_task_of_source(const messages_task *t, int32_t context, int32_t source)
{
    if (source < 0 || !t->family.mpi) return NULL;
    if (mistakes__is_world(t, context))
        return source < t->family.world_size ? messages->tasks[t->family.world + source] : NULL;
    const messages_side *s = mistakes__side_of(t, context & ~1);
    if (!s) return NULL;
    const int32_t first = s->far_size ? s->size : 0, count = s->far_size ? s->far_size : s->size;
    return source < count ? messages->tasks[s->tasks[first + source]] : NULL;
}

const messages_task *messages_task_of_side(const messages_task *t, int32_t context, int32_t rank)
{
    const messages_side *s = mistakes__side_of(t, context & ~1);
    return s && rank < s->size ? messages->tasks[s->tasks[rank]] : NULL;
}

/* Returns true if the ranks of a communicator are the numbers of the tasks. */
static bool mistakes__is_plain(const messages_task *t, int32_t context)
{
    return !t->family.mpi || (mistakes__is_world(t, context) && t->family.world == 0);
}

const char *messages_rank_text(const messages_task *t, int32_t context, int32_t rank)
{
    static char MESSAGES_COMMON text[64];
    if (mistakes__is_plain(t, context))
        snprintf(text, sizeof text, "%s", t->name);
    else
        snprintf(text, sizeof text, "%s (%d in it)", t->name, (int)rank);
    return text;
}

const char *messages_envelope_text(const messages_task *t, messages_envelope e)
{
    static char MESSAGES_COMMON text[320];
    char source[64] = "any source", tag[24] = "any tag";
    const messages_task *from = messages_task_of_source(t, e.context, e.source);
    const bool plain = mistakes__is_plain(t, e.context);
    const char *ended = from && from->ended ? ", which has ended," : "";
    if (e.source != MESSAGES_ANY) snprintf(source, sizeof source, "%d", e.source);
    if (ended[0]) snprintf(source, sizeof source, "%s%s", from->name, ended);
    if (from && !plain) snprintf(source, sizeof source, "%d (%s)%s", e.source, from->name, ended);
    if (e.tag != MESSAGES_ANY) snprintf(tag, sizeof tag, "tag %d", e.tag);
    snprintf(text, sizeof text, "from %s with %s%s%s", source, tag, plain ? "" : " on ",
             plain ? "" : messages_communicator_text(t, e.context));
    return text;
}

/*=============================================================================
 * MARK: - >>messages that nobody received
 *===========================================================================*/

void messages_unreceived(const messages_task *to, const messages_task *from, messages_envelope e, size_t bytes,
                         double sent, const void *caller)
{
    char what[96];
    if (!to->family.finalized || (e.context & 1) != 0) return; /* of PVM, or of the layer itself */
    snprintf(what, sizeof what, "%zu B sent", bytes);
    if (messages_attached.sent_text) messages_attached.sent_text(e.sent, bytes, what, sizeof what);
    messages_note_add(sent, 1, from->system.forked ? caller : NULL,
                      "%s never received a message from %s with tag %d on %s: %s%s", to->name, from->name, (int)e.tag,
                      messages_communicator_text(to, e.context), what,
                      from->system.forked && caller ? MESSAGES_HERE : "");
}
