/* meet.c - collective calls: the ranks of a communicator meet, and their calls are compared. */
#include "engine.h"

#include <stdio.h>
#include <string.h>

static unsigned meet__meeting_bucket(const messages_meeting *m)
{
    const uint64_t mixed = ((uint64_t)(uint32_t)m->context << 32 ^ (uint64_t)(uint32_t)m->leader << 13 ^ m->number);
    return (unsigned)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 40) % MESSAGES_MEETINGS;
}

/* A call as text: the task, the call with its arguments, and the time. If the task is still in it, also its line. */
static void meet__meeting_say(const messages_meeting *m, bool line, char *text, size_t room)
{
    char arguments[160] = "";
    messages_task *t = messages_task_at(m->task);
    const bool still = line && t->inside && t->entered == m->entered;
    if (messages_attached.meeting_text) messages_attached.meeting_text(m, arguments, sizeof arguments);
    snprintf(text, room, "%s called %s%s%s at %.9g s", messages_rank_text(t, m->context, m->rank), m->name, arguments,
             still ? messages_where(t) : "", m->at);
}

/* The difference between the roots of two calls; NULL: they agree. On an intercommunicator MPI_ROOT is on one side, with
 * MPI_PROC_NULL, and the other side names its rank. */
static const char *meet__roots_differ(const messages_meeting *one, const messages_meeting *other)
{
    const bool names = one->root >= 0, other_names = other->root >= 0;
    if (one->side == other->side) {
        if (one->root == other->root)
            return one->side && one->root == MESSAGES_ORIGIN ? "only one rank may be MPI_ROOT" : NULL;
        return names || other_names ? "the roots differ" : NULL;
    }
    if (names == other_names && one->root != -1) return "one side has MPI_ROOT, and the other one names its rank";
    const messages_meeting *origin = names ? other : one, *naming = names ? one : other;
    return origin->root == MESSAGES_ORIGIN && naming->root != origin->rank ? "the roots differ" : NULL;
}

/* The difference between two calls that should be the same collective call; NULL: they agree. */
static const char *meet__meeting_differs(const messages_meeting *one, const messages_meeting *other)
{
    if (strcmp(one->name, other->name) != 0) return "the ranks made different calls, or in a different order";
    const char *roots = meet__roots_differ(one, other);
    if (roots) return roots;
    if (one->op != other->op && one->op != -1 && other->op != -1) return "the operations differ";
    /* On an intercommunicator one side receives the bytes that the other side sends. */
    const bool far = one->side != other->side;
    const size_t bytes = far ? other->sends : other->bytes, sends = far ? other->bytes : other->sends;
    if (one->bytes == bytes && one->sends == sends) return NULL;
    if (one->side && (one->bytes == SIZE_MAX || other->bytes == SIZE_MAX)) return NULL;
    /* If the pattern of messages is the same, ranks with too small a buffer get an error code. */
    const bool passes = one->returns && other->returns && one->pattern == other->pattern && one->pattern >= 0;
    return passes ? NULL : "the counts differ";
}

/* The types of two calls are compared where they describe the same data. Without a root and an operation, as in MPI_Alltoall, the two sides of an
 * intercommunicator receive different data. */
static bool meet__meeting_types(const messages_meeting *one, const messages_meeting *other)
{
    if (one->count < 0 || other->count < 0) return false;
    return one->side == other->side || one->root != -1 || one->op != -1;
}

/* Compares a call with another one, and ends the run if they contradict each other. */
static void meet__meeting_compare(messages_meeting *first, const messages_meeting *other, const messages_meeting *m)
{
    char one[320], two[320];
    const char *differs = meet__meeting_differs(other, m);
    const bool types = !differs && !first->noted && meet__meeting_types(other, m) && messages_attached.types_match &&
                       !messages_attached.types_match(other->elements, m->elements);
    if (!differs && !types) return;
    meet__meeting_say(other, differs, one, sizeof one);
    meet__meeting_say(m, differs, two, sizeof two);
    const char *where = messages_communicator_text(messages_task_at(m->task), m->context);
    if (differs)
        messages_end(1, "collective call %llu on %s differs among the ranks: %s, %s: %s", (unsigned long long)m->number,
                     where, one, two, differs);
    first->noted = true;
    messages_note_add(-1, 1, NULL, "collective call %llu on %s: %s, %s: the types differ",
                      (unsigned long long)m->number, where, one, two);
}

static messages_meeting *meet__meeting_copy(const messages_meeting *m)
{
    messages_meeting *copy = direct_new(sizeof *copy);
    *copy = *m;
    return copy;
}

static size_t meet__meeting_words(const messages_meeting *m)
{
    return ((size_t)m->size + 63) / 64;
}

/* All ranks have come. */
static void meet__meeting_complete(messages_meeting *first)
{
    direct_free(first->here, meet__meeting_words(first) * sizeof *first->here);
    if (first->far) direct_free(first->far, sizeof *first->far);
    if (first->of_origin) direct_free(first->of_origin, sizeof *first->of_origin);
}

void messages_meeting_join(messages_task *t, messages_meeting *m)
{
    messages_meeting **at = &messages->meetings[meet__meeting_bucket(m)], *first;
    const int32_t place = m->side == 2 ? m->size - m->near + m->rank : m->rank;
    m->task = t->number;
    m->entered = t->entered;
    m->at = simkit_clock_now(direct->world);
    t->meeting = m;
    while (*at && ((*at)->context != m->context || (*at)->leader != m->leader || (*at)->number != m->number))
        at = &(*at)->next;
    if (!*at) {
        *at = m;
        m->here = direct_new(meet__meeting_words(m) * sizeof *m->here);
    }
    m->first = first = *at;
    if (m != first) meet__meeting_compare(first, first, m);
    if (first->far && m->side != first->side) meet__meeting_compare(first, first->far, m);
    if (first->of_origin) meet__meeting_compare(first, first->of_origin, m);
    if (m->side != first->side && !first->far) first->far = meet__meeting_copy(m);
    if (m->root == MESSAGES_ORIGIN) first->of_origin = meet__meeting_copy(m);
    if (m->sends > first->most) first->most = m->sends;
    if (m->rank == m->root) first->of_root = m->sends;
    first->here[place / 64] |= UINT64_C(1) << place % 64;
    if (++first->came < m->size) return;
    *at = first->next;
    meet__meeting_complete(first);
}

bool messages_part(messages_meeting *m)
{
    messages_meeting *first = m->first;
    const bool from_root = m->direction == MESSAGES_FROM_ROOT, to_root = m->direction == MESSAGES_TO_ROOT;
    const bool receives = from_root ? m->rank != m->root : !to_root || m->rank == m->root;
    const bool beyond = receives && (from_root ? first->of_root : first->most) > m->room;
    messages_self->meeting = NULL;
    const bool last = ++first->left == m->size;
    if (m != first) direct_free(m, sizeof *m);
    if (last) direct_free(first, sizeof *first);
    return beyond;
}
