/* schedule.c - memory of schedules, dependencies between operations, and which messages match which receives */
#include "goal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*=============================================================================
 * MARK: - >>memory
 *===========================================================================*/
void *goal_memory(const simkit_memory *memory, void *block, size_t old_bytes, size_t new_bytes)
{
    if (memory->reallocate) return memory->reallocate(memory->user, block, old_bytes, new_bytes);
    if (new_bytes > 0) return realloc(block, new_bytes);
    free(block);
    return NULL;
}

bool goal_grow(const simkit_memory *memory, void *array, size_t *room, size_t needed, size_t bytes)
{
    void *old;
    if (needed <= *room) return true;
    const size_t more = needed > 2 * *room ? needed : 2 * *room;
    const size_t rooms = more < 16 ? 16 : more;
    if (rooms > SIZE_MAX / 2 / bytes) return false;
    memcpy(&old, array, sizeof old);
    void *grown = goal_memory(memory, old, *room * bytes, rooms * bytes);
    if (!grown) return false;
    memcpy(array, &grown, sizeof grown);
    *room = rooms;
    return true;
}

simkit_result goal_open(const simkit_memory *memory, const char *name, goal_schedule **schedule)
{
    const simkit_memory none = { 0 }, *from = memory ? memory : &none;
    goal_schedule *s = *schedule = goal_memory(from, NULL, 0, sizeof *s);
    if (!s) return SIMKIT_NO_MEMORY;
    memset(s, 0, sizeof *s);
    s->memory = *from;
    snprintf(s->name, sizeof s->name, "%s", name ? name : "schedule");
    return SIMKIT_OK;
}

void goal_close(goal_schedule *s)
{
    if (!s) return;
    const simkit_memory memory = s->memory;
    goal_memory(&memory, s->ops, s->op_room * sizeof *s->ops, 0);
    goal_memory(&memory, s->needs, s->need_room * sizeof *s->needs, 0);
    goal_memory(&memory, s->labels, s->label_room, 0);
    if (s->first) goal_memory(&memory, s->first, (s->count + 1) * sizeof *s->first, 0);
    if (s->after) goal_memory(&memory, s->after, (s->need_count + 1) * sizeof *s->after, 0);
    if (s->needed) goal_memory(&memory, s->needed, (s->count + 1) * sizeof *s->needed, 0);
    goal_memory(&memory, s->channels, s->channel_room * sizeof *s->channels, 0);
    goal_memory(&memory, s->table, s->table_room * sizeof *s->table, 0);
    goal_memory(&memory, s, sizeof *s, 0);
}

/*=============================================================================
 * MARK: - >>files
 *===========================================================================*/
simkit_result goal_text(const simkit_input *input, char **text, size_t *length, size_t *room, simkit_parse_error *error)
{
    *text = NULL;
    *length = *room = 0;
    simkit_result result = SIMKIT_OK;
    FILE *file = input->path ? fopen(input->path, "rb") : NULL;
    while (file && result == SIMKIT_OK) {
        if (!goal_grow(&input->memory, text, room, *length + 65536, 1)) {
            result = SIMKIT_NO_MEMORY;
            break;
        }
        const size_t got = fread(*text + *length, 1, *room - *length, file);
        *length += got;
        if (got == 0) break;
    }
    if (input->path && (!file || ferror(file))) result = errno == ENOMEM ? SIMKIT_NO_MEMORY : SIMKIT_NO_FILE;
    const int why = errno;
    if (file) fclose(file);
    if (!input->path) {
        if (!goal_grow(&input->memory, text, room, input->length + 1, 1))
            result = SIMKIT_NO_MEMORY;
        else
            memcpy(*text, input->text ? input->text : "", *length = input->text ? input->length : 0);
    }
    if (result == SIMKIT_OK) return result;
    goal_memory(&input->memory, *text, *room, 0);
    *text = NULL;
    *room = 0;
    snprintf(error->text, sizeof error->text, "%.200s: %s", input->path ? input->path : "schedule",
             result == SIMKIT_NO_FILE ? strerror(why) : "no memory");
    return result;
}

/*=============================================================================
 * MARK: - >>making
 *===========================================================================*/
simkit_result goal_add(goal_schedule *s, const goal_op *op, uint32_t *number)
{
    if (s->count >= GOAL_OPS || !goal_grow(&s->memory, &s->ops, &s->op_room, s->count + 1, sizeof *s->ops))
        return SIMKIT_NO_MEMORY;
    s->ops[s->count] = *op;
    if (number) *number = (uint32_t)s->count;
    ++s->count;
    return SIMKIT_OK;
}

simkit_result goal_label(goal_schedule *s, const char *text, size_t length, uint32_t *label)
{
    const size_t begin = s->label_bytes ? s->label_bytes : 1; /* 0 is no label */
    if (begin + length + 1 > UINT32_MAX || !goal_grow(&s->memory, &s->labels, &s->label_room, begin + length + 1, 1))
        return SIMKIT_NO_MEMORY;
    memcpy(s->labels + begin, text, length);
    s->labels[begin + length] = 0;
    s->label_bytes = begin + length + 1;
    *label = (uint32_t)begin;
    return SIMKIT_OK;
}

simkit_result goal_wait(goal_schedule *s, const goal_need *need)
{
    if (s->need_count >= GOAL_START - 1 ||
        !goal_grow(&s->memory, &s->needs, &s->need_room, s->need_count + 1, sizeof *s->needs))
        return SIMKIT_NO_MEMORY;
    s->needs[s->need_count++] = *need;
    return SIMKIT_OK;
}

void goal_name(const goal_schedule *s, uint32_t op, char text[200])
{
    static const char *const kinds[] = { "send", "recv", "calc" };
    const goal_op *o = &s->ops[op];
    const char *label = o->label ? s->labels + o->label : "";
    const int line = snprintf(text, 200, "%.60s%s(line %u): %s %.17g", label, *label ? " " : "", (unsigned)o->line,
                              kinds[o->kind], o->size);
    if (o->kind == GOAL_CALC) return;
    const int end = line + snprintf(text + line, 200 - (size_t)line, "b %s ", o->kind == GOAL_SEND ? "to" : "from");
    const int peer =
        end + snprintf(text + end, 200 - (size_t)end, o->peer == GOAL_ANY ? "anyone" : "%u", (unsigned)o->peer);
    snprintf(text + peer, 200 - (size_t)peer, o->tag == GOAL_ANY ? " with any tag" : " tag %u", (unsigned)o->tag);
}

/*=============================================================================
 * MARK: - >>channels
 *===========================================================================*/
static size_t hash(uint32_t from, uint32_t to, uint32_t tag)
{
    const uint64_t mixed = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u ^ (uint64_t)tag * 0xd6e8feb86659fd93u;
    return (size_t)((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u >> 20);
}

/* Where the channel is in the table, or where it would be. */
static size_t slot_of(const goal_schedule *s, uint32_t from, uint32_t to, uint32_t tag)
{
    size_t slot = hash(from, to, tag) & (s->table_room - 1);
    for (; s->table[slot]; slot = (slot + 1) & (s->table_room - 1)) {
        const goal_channel *c = &s->channels[s->table[slot] - 1];
        if (c->from == from && c->to == to && c->tag == tag) break;
    }
    return slot;
}

uint32_t goal_channel_of(const goal_schedule *s, uint32_t from, uint32_t to, uint32_t tag)
{
    return s->table_room ? s->table[slot_of(s, from, to, tag)] - 1 : GOAL_NONE; /* of none: 0 - 1 */
}

static bool grow_table(goal_schedule *s)
{
    const size_t room = s->table_room ? 2 * s->table_room : 64;
    uint32_t *table = goal_memory(&s->memory, NULL, 0, room * sizeof *table);
    if (!table) return false;
    goal_memory(&s->memory, s->table, s->table_room * sizeof *table, 0);
    memset(table, 0, room * sizeof *table);
    s->table = table;
    s->table_room = room;
    for (size_t i = 0; i < s->channel_count; ++i)
        table[slot_of(s, s->channels[i].from, s->channels[i].to, s->channels[i].tag)] = (uint32_t)i + 1;
    return true;
}

static bool make_channels(goal_schedule *s)
{
    for (size_t i = 0; i < s->count; ++i) {
        goal_op *op = &s->ops[i];
        if (op->kind == GOAL_CALC) continue;
        const uint32_t from = op->kind == GOAL_SEND ? op->rank : op->peer;
        const uint32_t to = op->kind == GOAL_SEND ? op->peer : op->rank;
        if (from == GOAL_ANY || op->tag == GOAL_ANY) s->any = true;
        if (2 * (s->channel_count + 1) > s->table_room && !grow_table(s)) return false;
        const size_t slot = slot_of(s, from, to, op->tag);
        if (!s->table[slot]) {
            if (!goal_grow(&s->memory, &s->channels, &s->channel_room, s->channel_count + 1, sizeof *s->channels))
                return false;
            s->channels[s->channel_count] = (goal_channel){ from, to, op->tag };
            s->table[slot] = (uint32_t)++s->channel_count;
        }
        op->channel = s->table[slot] - 1;
    }
    return true;
}

/*=============================================================================
 * MARK: - >>finishing
 *===========================================================================*/
/* Brings the operations into the order of ranks, so that it does not matter in which order the file has them. */
static bool sort_by_rank(goal_schedule *s)
{
    bool sorted = true;
    for (size_t i = 1; i < s->count && sorted; ++i) sorted = s->ops[i - 1].rank <= s->ops[i].rank;
    if (sorted) return true;
    const size_t begin_bytes = ((size_t)s->ranks + 1) * sizeof(uint32_t), to_bytes = s->count * sizeof(uint32_t);
    uint32_t *begin = goal_memory(&s->memory, NULL, 0, begin_bytes);
    uint32_t *to = goal_memory(&s->memory, NULL, 0, to_bytes);
    goal_op *ops = goal_memory(&s->memory, NULL, 0, s->op_room * sizeof *ops);
    const bool whole = begin && to && ops;
    if (whole) {
        memset(begin, 0, begin_bytes);
        for (size_t i = 0; i < s->count; ++i) ++begin[s->ops[i].rank + 1];
        for (uint32_t r = 0; r < s->ranks; ++r) begin[r + 1] += begin[r];
        for (size_t i = 0; i < s->count; ++i) ops[to[i] = begin[s->ops[i].rank]++] = s->ops[i];
        for (size_t i = 0; i < s->need_count; ++i) {
            s->needs[i].op = to[s->needs[i].op];
            s->needs[i].on = to[s->needs[i].on];
        }
    }
    if (begin) goal_memory(&s->memory, begin, begin_bytes, 0);
    if (to) goal_memory(&s->memory, to, to_bytes, 0);
    goal_memory(&s->memory, whole ? s->ops : ops, ops ? s->op_room * sizeof *ops : 0, 0);
    if (whole) s->ops = ops;
    return whole;
}

static bool make_followers(goal_schedule *s)
{
    const size_t bytes = (s->count + 1) * sizeof(uint32_t);
    s->first = goal_memory(&s->memory, NULL, 0, bytes);
    s->needed = goal_memory(&s->memory, NULL, 0, bytes);
    s->after = goal_memory(&s->memory, NULL, 0, (s->need_count + 1) * sizeof *s->after);
    if (!s->first || !s->needed || !s->after) return false;
    memset(s->first, 0, bytes);
    memset(s->needed, 0, bytes);
    for (size_t i = 0; i < s->need_count; ++i) {
        ++s->first[s->needs[i].on];
        ++s->needed[s->needs[i].op];
    }
    for (size_t i = 1; i <= s->count; ++i) s->first[i] += s->first[i - 1];
    for (size_t i = s->need_count; i-- > 0;)
        s->after[--s->first[s->needs[i].on]] = s->needs[i].op | (s->needs[i].start ? GOAL_START : 0);
    return true;
}

/* The label of an operation, or else its line. */
static void short_name(const goal_schedule *s, uint32_t op, char text[48])
{
    const char *label = s->ops[op].label ? s->labels + s->ops[op].label : "";
    if (*label)
        snprintf(text, 48, "%.30s", label);
    else
        snprintf(text, 48, "line %u", (unsigned)s->ops[op].line);
}

/* Says which operations wait in a circle: a chain of needs among those that can never begin. `left` is 0 for the others. */
static void name_cycle(const goal_schedule *s, const uint32_t *left, uint32_t *by, simkit_parse_error *error)
{
    uint32_t at = GOAL_NONE;
    for (size_t i = 0; i < s->need_count; ++i) {
        const goal_need *n = &s->needs[i];
        if (left[n->op] && left[n->on]) by[at = n->op] = (uint32_t)i;
    }
    for (size_t i = 0; i < s->count; ++i) at = s->needs[by[at]].on; /* by now it is in the cycle */
    const goal_need *n = &s->needs[by[at]];
    error->line = n->line;
    error->column = n->column;
    const bool itself = n->on == at;
    size_t used =
        (size_t)snprintf(error->text, sizeof error->text, "%.100s:%u:%u: rank %u: %s", s->name, (unsigned)n->line,
                         (unsigned)n->column, (unsigned)s->ops[at].rank, itself ? "" : "operations wait in a circle: ");
    for (uint32_t op = at, next; used < sizeof error->text; op = next) {
        char names[2][48], one[120];
        next = s->needs[by[op]].on;
        short_name(s, op, names[0]);
        short_name(s, next, names[1]);
        const int length = snprintf(one, sizeof one, "%s%s waits for %s", op == at ? "" : ", ", names[0],
                                    itself ? "itself" : names[1]);
        if (used + (size_t)length + 6 > sizeof error->text) {
            snprintf(error->text + used, sizeof error->text - used, ", ...");
            return;
        }
        memcpy(error->text + used, one, (size_t)length + 1);
        used += (size_t)length;
        if (next == at) return;
    }
}

/* Whether all operations can begin: one after another, each when those that it needs have been taken away. */
static simkit_result look_for_cycle(const goal_schedule *s, simkit_parse_error *error)
{
    const size_t bytes = (s->count + 1) * sizeof(uint32_t);
    uint32_t *left = goal_memory(&s->memory, NULL, 0, bytes), *ready = goal_memory(&s->memory, NULL, 0, bytes);
    simkit_result result = SIMKIT_NO_MEMORY;
    if (left && ready) {
        size_t begin = 0, end = 0;
        memcpy(left, s->needed, bytes);
        for (size_t i = 0; i < s->count; ++i)
            if (left[i] == 0) ready[end++] = (uint32_t)i;
        for (; begin < end; ++begin)
            for (uint32_t k = s->first[ready[begin]]; k < s->first[ready[begin] + 1]; ++k)
                if (--left[s->after[k] & ~GOAL_START] == 0) ready[end++] = s->after[k] & ~GOAL_START;
        result = end == s->count ? SIMKIT_OK : SIMKIT_BAD_FILE;
        if (result != SIMKIT_OK) name_cycle(s, left, ready, error);
    }
    if (left) goal_memory(&s->memory, left, bytes, 0);
    if (ready) goal_memory(&s->memory, ready, bytes, 0);
    return result;
}

simkit_result goal_finish(goal_schedule *s, simkit_parse_error *error)
{
    if (!sort_by_rank(s) || !make_channels(s) || !make_followers(s)) return SIMKIT_NO_MEMORY;
    const simkit_result result = look_for_cycle(s, error);
    goal_memory(&s->memory, s->needs, s->need_room * sizeof *s->needs, 0);
    s->needs = NULL;
    s->need_room = 0;
    return result;
}
