/* skeleton.c - the body of skeleton.h: charged time, code that runs a few times, memory without content. */
#define _GNU_SOURCE
#define SIMKIT_MPI 1
#include "skeleton.h"
#include "core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*=============================================================================
 * MARK: - >>time
 *===========================================================================*/

static void skeleton__charge(const char *call, messages_action_kind kind, double seconds)
{
    if (!(seconds >= 0))
        messages_end(2, "%s called %s with %g s, expected a number >= 0", messages_self->name, call, seconds);
    messages_enter(call);
    if (seconds > 0) messages_action_add(kind)->amount = seconds;
    if (kind == MESSAGES_COMPUTE && messages_threads) messages_threads->computed(seconds);
    messages_leave();
}

void skeleton_compute(double seconds)
{
    skeleton__charge("skeleton_compute", MESSAGES_COMPUTE, seconds);
}

void skeleton_sleep(double seconds)
{
    skeleton__charge("skeleton_sleep", MESSAGES_SLEEP, seconds);
}

double skeleton_clock(void)
{
    return messages_clock();
}

const char *skeleton_change(const char *host, const char *key, const char *value)
{
    messages_enter("skeleton_change");
    messages_flush();
    const char *wrong = messages_host_change(&messages->cluster, host, key, value);
    messages_leave();
    return wrong;
}

/*=============================================================================
 * MARK: - >>segments
 *===========================================================================*/

typedef struct known {
    char name[64];
    unsigned first;
    simkit_operation operation;
} known;

/* SIMKIT_SEGMENTS: a file with the times of segments in an earlier run, so that none needs to run in this one. If it
 * does not exist, it is written. */
static struct {
    bool asked;
    simkit_table *table;
} earlier;

static simkit_world *skeleton__segments_world(void)
{
    /* Tasks that are forks of the launcher share a world; others cannot allocate in it and have their own. */
    static simkit_world *own;
    if (messages_self->system.forked) return direct->world;
    if (!own && simkit_world_open(NULL, &own) != SIMKIT_OK) messages_end(1, "no memory for segments");
    return own;
}

static void skeleton__earlier_load(void)
{
    const char *path = getenv("SIMKIT_SEGMENTS");
    simkit_parse_error error;
    earlier.asked = true;
    if (!path) return;
    simkit_result result = simkit_table_read(&(simkit_input){ .path = path }, &earlier.table, &error);
    if (result == SIMKIT_NO_FILE) return; /* it will be written */
    if (result != SIMKIT_OK) messages_end(2, "SIMKIT_SEGMENTS: %s", error.text);
    const char *const columns[] = { "segment", "parameter", "seconds" };
    for (int i = 0; i < 3; ++i)
        if (!simkit_table_column(earlier.table, columns[i]))
            messages_end(2, "SIMKIT_SEGMENTS=%s has no column '%s'", path, columns[i]);
}

/* The time of a segment in an earlier run; < 0: unknown. */
static double skeleton__earlier_seconds(const char *name, double parameter)
{
    const simkit_table *t = earlier.table;
    if (!t) return -1;
    const double *parameters = simkit_table_column(t, "parameter")->numbers;
    const double *seconds = simkit_table_column(t, "seconds")->numbers;
    char **names = simkit_table_column(t, "segment")->texts;
    for (size_t i = 0; parameters && seconds && names && i < t->rows; ++i)
        if (strcmp(names[i], name) == 0 && !(parameters[i] < parameter) && !(parameters[i] > parameter))
            return seconds[i];
    return -1;
}

static simkit_operation skeleton__operation_of(const char *name, unsigned first)
{
    static known *mine;
    static size_t count, room;
    for (size_t i = 0; i < count; ++i)
        if (strcmp(mine[i].name, name) == 0 && mine[i].first == first) return mine[i].operation;
    simkit_operation operation = 0;
    messages_segment **at = &messages->segments;
    if (messages_self->system.forked)
        for (; *at; at = &(*at)->next)
            if (strcmp((*at)->name, name) == 0 && (*at)->first == first) {
                operation = (*at)->operation;
                break;
            }
    if (!operation) {
        simkit_operation_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.name = name;
        desc.policy = SIMKIT_POLICY_MEASURE;
        desc.first = first;
        if (simkit_operation_add(skeleton__segments_world(), &desc, &operation) != SIMKIT_OK)
            messages_end(2, "%s", simkit_world_why(skeleton__segments_world()));
        if (messages_self->system.forked) {
            messages_segment *s = direct_new(sizeof *s);
            snprintf(s->name, sizeof s->name, "%s", name);
            s->first = first;
            s->operation = operation;
            *at = s;
        }
    }
    if (count == room) {
        room = room ? 2 * room : 16;
        mine = realloc(mine, room * sizeof *mine);
        if (!mine) messages_end(1, "no memory for segments");
    }
    snprintf(mine[count].name, sizeof mine[count].name, "%s", name);
    mine[count].first = first;
    mine[count++].operation = operation;
    return operation;
}

skeleton_segment skeleton_begin(const char *name, double parameter, unsigned first)
{
    skeleton_segment segment = { 1, 0, parameter, name };
    bool runs;
    messages_enter("skeleton_begin");
    if (!earlier.asked) skeleton__earlier_load();
    double seconds = skeleton__earlier_seconds(name, parameter);
    if (seconds >= 0) {
        segment.runs = 0;
    } else {
        segment.operation = skeleton__operation_of(name, first);
        if (simkit_operation_begin(skeleton__segments_world(), segment.operation, parameter, &runs, &seconds) !=
            SIMKIT_OK)
            messages_end(2, "segment '%s': %s", name, simkit_world_why(skeleton__segments_world()));
        segment.runs = runs;
    }
    if (!segment.runs) messages_compute(seconds);
    messages_leave();
    return segment;
}

void skeleton_end(skeleton_segment *segment)
{
    double seconds = messages_segment_time("skeleton_end");
    if (simkit_operation_end(skeleton__segments_world(), segment->operation, segment->parameter, seconds) != SIMKIT_OK)
        messages_end(2, "segment '%s': %s", segment->name, simkit_world_why(skeleton__segments_world()));
    messages_compute(seconds);
    messages_leave();
    segment->runs = 0;
}

/*=============================================================================
 * MARK: - >>memory
 *===========================================================================*/

enum { PIECE = 1 << 20 };

typedef struct area {
    struct area *next, *next_in_pool;
    char *from, *to;
} area;

static area *areas;

bool messages_is_shared(const void *data, size_t bytes)
{
    for (const area *a = areas; a; a = a->next)
        if ((const char *)data >= a->from && (const char *)data + bytes <= a->to) return true;
    return false;
}

/* Ranks that share a process share its areas, because the number of mappings is limited: the same address for the first
 * of one size in each rank, another one for the second. Returns NULL if this rank has all of them. */
static area *skeleton__area_of_pool(size_t whole)
{
    for (area *a = messages->shared_pool; a; a = a->next_in_pool)
        if ((size_t)(a->to - a->from) == whole && !messages_is_shared(a->from, whole)) return a;
    return NULL;
}

static void *skeleton__area_add(area *a, char *from, size_t whole)
{
    a->from = from;
    a->to = from + whole;
    a->next = areas;
    areas = a;
    return from;
}

void *skeleton_shared(size_t bytes)
{
    const size_t whole = (bytes + PIECE - 1) / PIECE * PIECE;
    area *a = malloc(sizeof *a);
    const area *pooled = messages_self->system.together && whole > 0 && a ? skeleton__area_of_pool(whole) : NULL;
    if (pooled) return skeleton__area_add(a, pooled->from, whole);
    char *place =
        whole > 0 && a ? mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
    for (size_t at = 0; place != MAP_FAILED && at < whole; at += PIECE)
        if (mmap(place + at, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, messages->shared_file, 0) ==
            MAP_FAILED) {
            munmap(place, whole);
            place = MAP_FAILED;
        }
    if (place == MAP_FAILED) {
        free(a);
        return NULL;
    }
    if (messages_self->system.together) {
        area *common = malloc(sizeof *common);
        if (common) {
            *common = (area){ .next_in_pool = messages->shared_pool, .from = place, .to = place + whole };
            messages->shared_pool = common;
        }
    }
    return skeleton__area_add(a, place, whole);
}

void skeleton_shared_free(void *shared, size_t bytes)
{
    for (area **at = &areas; *at; at = &(*at)->next) {
        area *a = *at;
        if (a->from != shared) continue;
        *at = a->next;
        if (!messages_self->system.together) munmap(a->from, (size_t)(a->to - a->from));
        free(a);
        return;
    }
    if (shared)
        messages_end(2, "%s called skeleton_shared_free() for %zu B that are not shared", messages_self->name, bytes);
}
