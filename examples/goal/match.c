/* match.c - which message meets which receive: by sender and tag, in the order in which both came */
#include "goal.h"

#include <stdio.h>
#include <string.h>

/* Lists of one channel, linked by `next`. */
struct goal_lists {
    uint32_t receives, last_receive; /* that wait for a message, in the order in which they were posted */
    uint32_t messages, last_message; /* that have no receive so far */
};

static void *block(const goal_schedule *s, size_t count, size_t bytes, int byte)
{
    void *b = goal_memory(&s->memory, NULL, 0, (count + 1) * bytes);
    if (b) memset(b, byte, (count + 1) * bytes);
    return b;
}

bool goal_match_open(goal_match *m, const goal_schedule *s)
{
    memset(m, 0, sizeof *m);
    m->s = s;
    m->lists = block(s, s->channel_count, sizeof *m->lists, 0xff);
    m->next = block(s, s->count, sizeof *m->next, 0xff);
    m->order = block(s, s->count, sizeof *m->order, 0);
    if (s->any) m->ends = block(s, 2 * (size_t)s->ranks, sizeof *m->ends, 0xff);
    if (s->any) m->links = block(s, 2 * s->count, sizeof *m->links, 0xff);
    return m->lists && m->next && m->order && (!s->any || (m->ends && m->links));
}

static void free_block(const goal_schedule *s, void *b, size_t count, size_t bytes)
{
    if (b) goal_memory(&s->memory, b, (count + 1) * bytes, 0);
}

void goal_match_close(goal_match *m)
{
    const goal_schedule *s = m->s;
    if (!s) return;
    free_block(s, m->lists, s->channel_count, sizeof *m->lists);
    free_block(s, m->next, s->count, sizeof *m->next);
    free_block(s, m->order, s->count, sizeof *m->order);
    free_block(s, m->ends, 2 * (size_t)s->ranks, sizeof *m->ends);
    free_block(s, m->links, 2 * s->count, sizeof *m->links);
}

static void append(goal_match *m, uint32_t *first, uint32_t *last, uint32_t op)
{
    m->next[op] = GOAL_NONE;
    if (*first == GOAL_NONE)
        *first = op;
    else
        m->next[*last] = op;
    *last = op;
}

/* A message without a receive; where there are receives from anyone, in a list of all messages of its receiver as well. */
static void keep(goal_match *m, uint32_t op)
{
    struct goal_lists *c = &m->lists[m->s->ops[op].channel];
    append(m, &c->messages, &c->last_message, op);
    if (!m->ends) return;
    uint32_t *first = &m->ends[2 * (size_t)m->s->ops[op].peer], *last = first + 1;
    m->links[2 * (size_t)op] = GOAL_NONE;
    m->links[2 * (size_t)op + 1] = *last;
    *(*last == GOAL_NONE ? first : &m->links[2 * (size_t)*last]) = op;
    *last = op;
}

uint32_t goal_match_receive(goal_match *m, uint32_t receive)
{
    const goal_op *o = &m->s->ops[receive];
    struct goal_lists *c = &m->lists[o->channel];
    uint32_t op;
    if (o->peer != GOAL_ANY && o->tag != GOAL_ANY) {
        op = c->messages;
    } else {
        for (op = m->ends[2 * (size_t)o->rank]; op != GOAL_NONE; op = m->links[2 * (size_t)op]) {
            const goal_op *a = &m->s->ops[op];
            if ((o->peer == GOAL_ANY || o->peer == a->rank) && (o->tag == GOAL_ANY || o->tag == a->tag)) break;
        }
    }
    if (op == GOAL_NONE) {
        m->order[receive] = m->posted++;
        append(m, &c->receives, &c->last_receive, receive);
        return op;
    }
    m->lists[m->s->ops[op].channel].messages = m->next[op]; /* it is the first of its channel */
    if (!m->ends) return op;
    const uint32_t next = m->links[2 * (size_t)op], before = m->links[2 * (size_t)op + 1];
    *(before == GOAL_NONE ? &m->ends[2 * (size_t)o->rank] : &m->links[2 * (size_t)before]) = next;
    *(next == GOAL_NONE ? &m->ends[2 * (size_t)o->rank + 1] : &m->links[2 * (size_t)next + 1]) = before;
    return op;
}

uint32_t goal_match_message(goal_match *m, uint32_t message)
{
    const goal_op *o = &m->s->ops[message];
    uint32_t from = o->channel, op = m->lists[from].receives;
    for (int i = 1; m->s->any && i < 4; ++i) {
        const uint32_t c = goal_channel_of(m->s, i & 1 ? GOAL_ANY : o->rank, o->peer, i & 2 ? GOAL_ANY : o->tag);
        const uint32_t other = c == GOAL_NONE ? GOAL_NONE : m->lists[c].receives;
        if (other == GOAL_NONE || (op != GOAL_NONE && m->order[op] < m->order[other])) continue;
        op = other;
        from = c;
    }
    if (op == GOAL_NONE)
        keep(m, message);
    else
        m->lists[from].receives = m->next[op];
    return op;
}

/* The send for which a receive waits, if it is there but has not begun; GOAL_NONE: it is not. Of several equal receives that
 * wait, each has a send of its own, if there are as many. */
static uint32_t send_of(const goal_schedule *s, goal_fate_of *fate, const void *run, uint32_t receive)
{
    const goal_op *r = &s->ops[receive];
    size_t before = 0;
    for (uint32_t i = receive; i-- > 0 && s->ops[i].rank == r->rank;)
        before += s->ops[i].kind == GOAL_RECV && s->ops[i].channel == r->channel && fate(run, i) == GOAL_UNSENT;
    for (uint32_t i = 0; i < s->count; ++i) {
        const goal_op *o = &s->ops[i];
        if (o->kind != GOAL_SEND || o->peer != r->rank || (r->peer != GOAL_ANY && r->peer != o->rank)) continue;
        if ((r->tag == GOAL_ANY || r->tag == o->tag) && fate(run, i) == GOAL_UNBEGUN && before-- == 0) return i;
    }
    return GOAL_NONE;
}

bool goal_explain(const goal_schedule *s, goal_fate_of *fate, const void *run, char why[GOAL_WHY])
{
    size_t used = 0, more = 0;
    for (size_t i = 0; i < s->count; ++i) {
        char name[200], line[300], what[80] = "its message is never received";
        const goal_fate is = fate(run, (uint32_t)i);
        if (is != GOAL_UNSENT && is != GOAL_UNRECEIVED) continue;
        if (more > 0) {
            ++more;
            continue;
        }
        const uint32_t sent = is == GOAL_UNSENT ? send_of(s, fate, run, (uint32_t)i) : GOAL_NONE;
        if (sent != GOAL_NONE)
            snprintf(what, sizeof what, "waits for the send in line %u of rank %u, which never begins",
                     (unsigned)s->ops[sent].line, (unsigned)s->ops[sent].rank);
        else if (is == GOAL_UNSENT)
            snprintf(what, sizeof what, "waits for a message that is never sent");
        goal_name(s, (uint32_t)i, name);
        const int length =
            snprintf(line, sizeof line, "%srank %u: %s: %s", used ? "\n" : "", (unsigned)s->ops[i].rank, name, what);
        if (used + (size_t)length + 40 > GOAL_WHY) {
            ++more;
            continue;
        }
        memcpy(why + used, line, (size_t)length + 1);
        used += (size_t)length;
    }
    if (more > 0) snprintf(why + used, GOAL_WHY - used, "\nand %zu more", more);
    return used > 0;
}
