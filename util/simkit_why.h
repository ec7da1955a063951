/*
simkit_why.h - why a run took as long as it did, and where its network was full

Records what asked for what while a world runs. Afterwards it tells the critical path of the run, by reasons: computing, waiting
for CPU, latency, transmission, shared links, timers. And it records how much of each link the run used, over time, and
draws that as a heat map. Part of simkit; stands on simkit.h and util/simkit_trace.h, by their public calls.

    #define SIMKIT_IMPLEMENTATION
    #include "simkit.h"
    #include "util/simkit_trace.h"
    #include "util/simkit_why.h"

    int main(void)
    {
        static simkit_computation_desc work[2];
        const simkit_reason_piece *rows = NULL;
        size_t count = 0;
        simkit_world *world;
        simkit_reasons *reasons;
        if (simkit_world_open(NULL, &world) != SIMKIT_OK) return 1;
        simkit_result result = simkit_node_add(world, NULL, &work[0].node);
        work[1] = work[0];
        work[0].seconds = 2, work[0].name = "short";
        work[1].seconds = 3, work[1].name = "long";
        if (!result) result = simkit_reasons_open(world, &reasons);
        for (int i = 0; i < 2 && !result; ++i) result = simkit_computation_start(world, &work[i], NULL);
        if (!result) result = simkit_world_run(world);
        if (!result) result = simkit_reasons_table(reasons, &rows, &count);
        for (size_t i = 0; i < count && !result; ++i)
            printf("%s%s %s for %g s", i > 0 ? ", " : "", rows[i].name,
                   rows[i].reason == SIMKIT_REASON_COMPUTING ? "computes" : "waits for CPU", rows[i].seconds);
        if (result) puts(simkit_world_why(world));
        simkit_world_close(world);
        return result != SIMKIT_OK;
    }

prints `long computes for 3 s, long waits for CPU for 2 s`.

USE      Copy it beside simkit.h and simkit_trace.h, or into a folder util/ there, and include both before it. Define
         SIMKIT_IMPLEMENTATION in one C or C++ file, as above, before all; others just include the headers.

ROOMS    grep 'MARK: - >>' walks them; bodies follow in the same order
    reasons      why a run took so long: its critical path, and what its nodes did
    loadmap      how much of each link a run used, over time: a heat map (SVG), or a table

OPTIONS  Those of simkit.h, defined before all headers: SIMKIT_STATIC, SIMKIT_ANY_FLOAT. Besides:
         SIMKIT_WHY_IMPLEMENTATION   compile this body alone; the other bodies are in another file of the program
         It writes files, so SIMKIT_NO_STDIO leaves nothing of it. The body has 25 KB of code by gcc 12 -O2.

ERRORS   As in simkit.h: a simkit_result, and simkit_world_why() of the world is the sentence.

OWNED    A record takes its memory from its world, and ends with it. A parameter is described where a room first has it, and
         not at all if its type says enough.

THREADS  Those of the world: one at a time.

BITS     The same run gives the same bits on every processor with IEEE doubles, and a record changes nothing in it. The body
         refuses to compile with -ffast-math, -ffinite-math-only or x87 arithmetic, as that of simkit.h does.

SINCE    0.1.0, the first version, in which all of it was a part of simkit.h.
*/
/** @file simkit_why.h
 *  Why a run took as long as it did: critical paths and loads of links. See @ref simkit_reasons_of.
 *  @since 0.1.0 */
#ifndef SIMKIT_WHY_H
#define SIMKIT_WHY_H

#ifndef SIMKIT_H
#error "include simkit.h before util/simkit_why.h"
#endif
#ifdef SIMKIT_NO_STDIO
#error "util/simkit_why.h writes files: compile without SIMKIT_NO_STDIO"
#endif
#ifndef SIMKIT_TRACE_H
#error "include util/simkit_trace.h before util/simkit_why.h"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>reasons
 *===========================================================================*/
/** @defgroup simkit_reasons_of simkit: reasons
 *  Why a run took as long as it did: the critical path of any world, and what its nodes did meanwhile.
 *
 *  Whatever a run does, somebody asked for: during a step, at the end of a computation, of a transfer or of a wait. The
 *  record keeps what asked for what. The critical path goes back from the event that was last: an event follows its
 *  computation, transfer or timer, which follows the event that asked for it, down to the beginning. A wait for a message,
 *  a resource or another process is not a piece of the path: the path goes on with what ended that wait. @{ */

/** A record of what asked for what. */
typedef struct simkit_reasons simkit_reasons;

/** What takes the time of a piece of the critical path. */
typedef enum simkit_reason {
    SIMKIT_REASON_COMPUTING = 0, /**< a computation: the time that it would take alone */
    SIMKIT_REASON_CPU,           /**< and the rest: it shares the CPU, or its quota is spent */
    SIMKIT_REASON_TURN,          /**< an in-order transfer waits for those before it */
    SIMKIT_REASON_LATENCY,       /**< the latency of a transfer */
    SIMKIT_REASON_TRANSMISSION,  /**< its bytes: the time that they would take alone */
    SIMKIT_REASON_LINKS,         /**< and the rest: it shares links */
    SIMKIT_REASON_TIMER,         /**< a process waits for a time, or a step has been asked for at a time */
    SIMKIT_REASON_OUTSIDE,       /**< between runs, before the record, or a source of background */
    SIMKIT_REASONS               /**< how many there are */
} simkit_reason;

/** A piece of the critical path, or the sum of all that differ in their times only. */
typedef struct simkit_reason_piece {
    simkit_reason reason; /**< what takes the time */
    const char *name;     /**< of the computation, transfer or process; "" if it has none */
    simkit_node node;     /**< where; a transfer: its sender; 0: nowhere */
    simkit_node to;       /**< a transfer: its receiver; otherwise 0 */
    double begin;         /**< when it begins; a sum: the first [s] */
    double end;           /**< when it ends; a sum: the last [s] */
    double seconds;       /**< how long it takes, or all together [s] */
    size_t count;         /**< 1; a sum: how many pieces */
} simkit_reason_piece;

/** What a node did. Background counts as nothing. */
typedef struct simkit_reason_node {
    double present;       /**< how long it was there [s]: the sum of the next three */
    double computing;     /**< it had a computation [s] */
    double communicating; /**< it had none, but a transfer from or to another node [s] */
    double idle;          /**< it had neither [s] */
    double cpu;           /**< CPU time of the computations that have ended, in core seconds of this node [s] */
} simkit_reason_node;

/** Begins a record; at most one for each world, best before the first event.
 *
 *  @param[out] reasons  The record; simkit_world_close() closes it as well.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY; SIMKIT_BAD_CALL if the world has one.
 *  @cost    64 bytes for each computation, transfer, timer and wait of a process, as much again while the array grows;
 *           some 40 ns each. A world without one pays nothing.
 */
SIMKIT__CHECKED simkit_result simkit_reasons_open(simkit_world *world, simkit_reasons **reasons);

/** The critical path so far, in order of time: its pieces cover the time from the beginning of the record to the last event
 *  without gaps and overlaps. Where a computation or transfer is slower than alone, first comes the time that it would take
 *  alone, then the rest.
 *
 *  @param[out] pieces   pieces[*count]; valid until the next call for these reasons.
 *  @param[out] count    Their number.
 *  @return  SIMKIT_OK; SIMKIT_NO_MEMORY, also if memory ran out while recording; SIMKIT_BAD_ARGUMENT.
 */
SIMKIT__CHECKED simkit_result simkit_reasons_path(simkit_reasons *reasons, const simkit_reason_piece **pieces,
                                                  size_t *count);

/** The critical path as a table: its pieces added up by reason, name and nodes, the longest first.
 *
 *  @param[out] rows     rows[*count]; valid until the next call for these reasons.
 *  @param[out] count    Their number.
 *  @return  As simkit_reasons_path().
 */
SIMKIT__CHECKED simkit_result simkit_reasons_table(simkit_reasons *reasons, const simkit_reason_piece **rows,
                                                   size_t *count);

/** What a node has done since the beginning of the record; all NaN if there is no such node. */
SIMKIT_API simkit_reason_node simkit_reasons_node(const simkit_reasons *reasons, simkit_node node);

/** Efficiency: the part of the cores' time in which they computed.
 *
 *  `sum of cpu / sum of (present * cores)`, over all nodes
 *
 *  @return  [1]; NaN if no time has passed.
 *  @source  [dps] section 8, with the CPU time of a computation counted at its end.
 */
SIMKIT_API double simkit_reasons_efficiency(const simkit_reasons *reasons);

/** Writes the table, and what the nodes did, as text.
 *
 *  @param[in] file  Where to; stays open.
 *  @return  As simkit_reasons_path(); SIMKIT_NO_FILE if it cannot be written.
 */
SIMKIT__CHECKED simkit_result simkit_reasons_write(simkit_reasons *reasons, FILE *file);

/** Ends the record. NULL is harmless. */
SIMKIT_API void simkit_reasons_close(simkit_reasons *reasons);
/** @} */

/*=============================================================================
 * MARK: - >>loadmap
 *===========================================================================*/
/** @defgroup simkit_loadmap_of simkit: loadmap
 *  How much of each link a run used, over time: as a heat map, or as a table. @{ */

/** A record of the load of all links. */
typedef struct simkit_loadmap simkit_loadmap;

/** What to write. Both texts are used only until the call returns. */
typedef struct simkit_loadmap_desc {
    const char *path;  /**< the file to write; its ending is the format, see simkit_loadmap_write() */
    const char *title; /**< heading of a heat map, up to 255 bytes; NULL: none */
    unsigned links;    /**< a heat map shows at most so many links, the busiest [1]; 0 means 60 */
} simkit_loadmap_desc;

/** Begins to record what each direction of each link carries: links of simkit_link_add(), those of a topology, and those of
 *  nodes; of all these only the ones that have a bandwidth. At most one for each world, best before the first transfer.
 *
 *  The time is divided into 128 to 256 columns of equal length, which doubles as the run goes on. What a link carries in a
 *  column is exact: the sum over its transfers of their rates times the time. Bytes that a link with a burst passes at once are
 *  in the column in which they begin to flow. A transfer of a pair with a link of its own (simkit_pair_set()) counts at
 *  the links of both nodes and those of its route, and may be faster than these.
 *
 *  @param[out] map  The record; simkit_world_close() closes it as well.
 *  @return  SIMKIT_OK, SIMKIT_BAD_ARGUMENT, SIMKIT_NO_MEMORY; SIMKIT_BAD_CALL if the world has one.
 *  @cost    2 KB for each direction that has carried something, 6 KB for each link that has changed, 56 bytes for each
 *           transfer in progress, however long the run. Time for each change of the rate of a transfer, as long as its route;
 *           max-min fair: at each change a look at all transfers in progress. A world without one pays nothing.
 */
SIMKIT__CHECKED simkit_result simkit_loadmap_open(simkit_world *world, simkit_loadmap **map);

/** What a link has carried in one direction since the record began.
 *
 *  @param[in] back   From its second end to its first, as in simkit_hop.
 *  @return  Bytes so far [B], 0 for a link without a bandwidth, whatever it has carried; NaN if there is no such link, or if
 *           memory ran out while recording.
 */
SIMKIT_API double simkit_loadmap_bytes(simkit_loadmap *map, simkit_link link, bool back);

/** Writes what has been recorded up to now; the record goes on. The ending of the path is the format:
 *
 *  | ending | format |
 *  |---|---|
 *  | `.svg` | a heat map: a row for each link, its two directions one below the other, and for each node |
 *  | `.csv` | a line for each column in which a link carried something: link, direction, begin [s], end [s], bytes [B], share [1] |
 *
 *  The share is that of the bytes that the link could have carried in one direction: of its bandwidth times the time, without
 *  the time for which it had failed.
 *
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT, also for another ending; SIMKIT_NO_FILE; SIMKIT_NO_MEMORY, also if memory ran
 *           out while recording.
 */
SIMKIT__CHECKED simkit_result simkit_loadmap_write(simkit_loadmap *map, const simkit_loadmap_desc *desc);

/** Ends the record. NULL is harmless. */
SIMKIT_API void simkit_loadmap_close(simkit_loadmap *map);
/** @} */

#ifdef __cplusplus
}
#endif
#endif /* SIMKIT_WHY_H */

/*
 *  The body, once per file.
 */
#if (defined(SIMKIT_WHY_IMPLEMENTATION) || defined(SIMKIT_IMPLEMENTATION) || defined(SIMKIT_STATIC)) &&                \
    !defined(SIMKIT_WHY_IMPLEMENTED)
#define SIMKIT_WHY_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "util/simkit_why.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "util/simkit_why.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(SIMKIT_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "util/simkit_why.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define SIMKIT_ANY_FLOAT"
#endif

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cast that C and C++ both accept is an old-style one in C++. Hosts that ask for -Wold-style-cast or -Wuseless-cast
 * mean their own code, so these two are off in this body, and only there. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>reasons (body)
 *
 * What runs now, the current piece, is the cause of whatever is asked for meanwhile. The probe tells which events are asked
 * for; the rest follows from what watchers see. The end of a piece is the beginning of those
 * that it caused, so the way back over the causes has no gaps, except between runs.
 *===========================================================================*/
static void simkit__why_release(simkit_store *store, void *pointer, size_t bytes)
{
    if (pointer) simkit_store_resize(store, pointer, bytes, 0);
}

/* A number for a table. */
SIMKIT__FORMAT(2, 3)
static const char *simkit__why_number(char text[32], const char *format, ...)
{
    va_list values;
    va_start(values, format);
    simkit_text_format(text, 32, format, values);
    va_end(values);
    return text;
}

#define SIMKIT__UNNOTED (SIMKIT_NONE - 1) /* the current piece, while a timer of the engine runs */
enum { SIMKIT__AT_A_TIME = 64 };

typedef struct simkit__piece {
    double begin, start, mark,
        end;      /* a transfer: requested, begun, flowing, ended; a computation: mark is its time alone */
    double alone; /* a transfer: of its bytes [s] */
    uint32_t cause, name;
    simkit_node node, to;
    simkit_watch_kind kind; /* computation, transfer; otherwise a timer */
} simkit__piece;

typedef struct simkit__note { /* of an event that was asked for */
    uint64_t number;
    double time;
    uint32_t cause;
} simkit__note;

typedef struct simkit__pause { /* of a process */
    uint32_t cause;
    double time;
} simkit__pause;

typedef struct simkit__account { /* of a node */
    double since, until;
    double time; /* of the last change */
    double computing, communicating, cpu;
    double speed; /* of the node: a description is copied as a whole, and each end asks */
    uint32_t cores;
    uint32_t computations, transfers;
} simkit__account;

struct simkit_reasons {
    simkit_world *world;
    simkit_store *store; /* of the world */
    simkit__piece *pieces;
    simkit__note *notes;    /* notes[place of an event] */
    simkit__pause *pauses;  /* pauses[process] */
    uint32_t *labels;       /* labels[label - first]: its piece */
    simkit__account *nodes; /* nodes[node - 1] */
    simkit_names names;
    simkit_reason_piece *path, *rows;
    uint64_t first;                /* of the first that began here */
    size_t piece_room, label_room; /* so many fit: room is made for some at a time, which takes fewer calls */
    uint32_t current, last;        /* pieces; last: what ended last and is not background */
    double opened;
    bool no_memory;
};

static uint32_t simkit__reasons_add(simkit_reasons *r, simkit_watch_kind kind, double begin, uint32_t cause,
                                    const char *name, simkit_node node)
{
    const uint32_t text = simkit_names_add(r->store, &r->names, name);
    const size_t count = simkit_array_count(r->pieces);
    simkit__piece piece;
    if (text == SIMKIT_NONE || count >= SIMKIT__UNNOTED ||
        (count == r->piece_room && !simkit_array_reserve(r->store, r->pieces, SIMKIT__AT_A_TIME))) {
        r->no_memory = true;
        return SIMKIT_NONE;
    }
    if (count == r->piece_room) r->piece_room += SIMKIT__AT_A_TIME;
    memset(&piece, 0, sizeof piece);
    piece.kind = kind;
    piece.begin = piece.start = begin;
    piece.mark = piece.end = (double)INFINITY;
    piece.cause = cause == SIMKIT__UNNOTED ? SIMKIT_NONE : cause;
    piece.name = text;
    piece.node = node;
    const size_t index = simkit_array_add(r->pieces);
    r->pieces[index] = piece;
    return (uint32_t)index;
}

/* What asks now: between runs, the program, which has seen what was last. */
static uint32_t simkit__reasons_cause(const simkit_reasons *r)
{
    return simkit_world_running(r->world) ? r->current : r->last;
}

/* A time that has passed since somebody asked for it; what runs now was caused by it. */
static void simkit__reasons_timer(simkit_reasons *r, double since, uint32_t cause, const char *name, simkit_node node,
                                  bool background)
{
    r->current = cause;
    const double now = simkit_clock_now(r->world);
    if (!(since < now)) return;
    r->current = simkit__reasons_add(r, SIMKIT_WATCH_STEP, since, cause, name, node);
    if (r->current == SIMKIT_NONE) return;
    r->pieces[r->current].end = now;
    if (!background) r->last = r->current;
}

/* What runs now asks for an event. */
static void simkit__reasons_armed(const simkit_world *world, void *user, const simkit_probe_event *event)
{
    simkit_reasons *r = (simkit_reasons *)user;
    const simkit__note none = { 0, 0, SIMKIT_NONE };
    const size_t count = simkit_array_count(r->notes);
    if (event->place >= count) {
        if (!simkit_array_reserve(r->store, r->notes, event->place + 1 - count)) {
            r->no_memory = true;
            return;
        }
        for (size_t i = count; i <= event->place; ++i) simkit_array_push(r->notes, none);
    }
    simkit__note *note = &r->notes[event->place];
    note->number = event->number;
    note->cause = simkit__reasons_cause(r);
    note->time = simkit_clock_now(world);
}

/* An event runs now. */
static void simkit__reasons_due(const simkit_world *world, void *user, const simkit_probe_event *event)
{
    simkit_reasons *r = (simkit_reasons *)user;
    (void)world;
    r->current = SIMKIT__UNNOTED;
    if (event->place >= simkit_array_count(r->notes) || r->notes[event->place].number != event->number) return;
    const simkit__note note = r->notes[event->place];
    simkit__reasons_timer(r, note.time, note.cause, "", 0, event->background);
}

static void simkit__reasons_closes(simkit_world *world, void *user)
{
    (void)world;
    simkit_reasons_close((simkit_reasons *)user);
}

static const simkit_probe simkit__reasons_probe = {
    simkit__reasons_armed, simkit__reasons_due, NULL, NULL, NULL, NULL, NULL, simkit__reasons_closes
};

static simkit__account *simkit__account_of(simkit_reasons *r, simkit_node node, double time)
{
    simkit__account fresh;
    const size_t count = simkit_array_count(r->nodes);
    if (node <= count) return &r->nodes[node - 1];
    memset(&fresh, 0, sizeof fresh);
    fresh.since = fresh.time = time;
    fresh.until = (double)INFINITY;
    if (!simkit_array_reserve(r->store, r->nodes, node - count)) {
        r->no_memory = true;
        return NULL;
    }
    for (simkit_node i = (simkit_node)count + 1; i <= node; ++i) {
        const simkit_node_desc desc = simkit_node_get(r->world, i);
        fresh.speed = desc.speed;
        fresh.cores = desc.cores;
        simkit_array_push(r->nodes, fresh);
    }
    return &r->nodes[node - 1];
}

/* A node had what it had since the last change. */
static void simkit__account_pass(simkit__account *a, double time)
{
    if (time > a->until) time = a->until;
    if (a->computations > 0) a->computing += time - a->time;
    if (a->computations == 0 && a->transfers > 0) a->communicating += time - a->time;
    a->time = time;
}

static void simkit__account_change(simkit_reasons *r, const simkit_watch_event *event, bool more)
{
    const bool transfer = event->kind == SIMKIT_WATCH_TRANSFER;
    if (event->background || (transfer && event->node == event->to)) return;
    for (int i = 0; i < (transfer ? 2 : 1); ++i) {
        simkit__account *a = simkit__account_of(r, i == 0 ? event->node : event->to, event->time);
        if (!a) return;
        simkit__account_pass(a, event->time);
        uint32_t *count = transfer ? &a->transfers : &a->computations;
        *count += more ? 1u : UINT32_MAX;
        if (!transfer && event->phase == SIMKIT_PHASE_END) a->cpu += event->seconds / a->speed;
    }
}

/* The piece of a computation or transfer; NULL if it began before the record. */
static simkit__piece *simkit__reasons_piece(const simkit_reasons *r, uint64_t label)
{
    if (label < r->first || label - r->first >= simkit_array_count(r->labels)) return NULL;
    const uint32_t index = r->labels[label - r->first];
    return index == SIMKIT_NONE ? NULL : &r->pieces[index];
}

static void simkit__reasons_begin(simkit_reasons *r, const simkit_watch_event *event)
{
    if (!r->labels) r->first = event->number;
    const size_t at = (size_t)(event->number - r->first), count = simkit_array_count(r->labels);
    const uint32_t none = SIMKIT_NONE;
    if (at >= r->label_room) {
        if (!simkit_array_reserve(r->store, r->labels, at + SIMKIT__AT_A_TIME - count)) {
            r->no_memory = true;
            return;
        }
        r->label_room = at + SIMKIT__AT_A_TIME;
    }
    for (size_t i = count; i <= at; ++i) simkit_array_push(r->labels, none);
    const uint32_t index = simkit__reasons_add(r, event->kind, event->time, simkit__reasons_cause(r),
                                               event->name[0] ? event->name : event->lane, event->node);
    r->labels[at] = index;
    if (index != SIMKIT_NONE) r->pieces[index].to = event->to;
}

static void simkit__reasons_end(simkit_reasons *r, const simkit_watch_event *event, simkit__piece *piece)
{
    piece->end = event->time;
    if (event->kind == SIMKIT_WATCH_COMPUTE) {
        const simkit__account *a = simkit__account_of(r, event->node, event->time);
        if (a) piece->mark = piece->begin + event->seconds / a->speed;
    } else {
        simkit_transfer_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.from = event->node;
        desc.to = event->to;
        piece->alone = event->bytes * simkit_transfer_alone(r->world, &desc).byte_time;
    }
    if (event->phase == SIMKIT_PHASE_LOST && r->current != SIMKIT__UNNOTED) return; /* what runs has cancelled it */
    r->current = (uint32_t)(piece - r->pieces);
    if (event->phase == SIMKIT_PHASE_END && !event->background) r->last = r->current;
}

#ifndef SIMKIT_NO_PROCESSES
static void simkit__reasons_process(simkit_reasons *r, const simkit_watch_event *event)
{
    const simkit__pause pause = { simkit__reasons_cause(r), event->time };
    const size_t at = (size_t)event->number - 1, count = simkit_array_count(r->pauses);
    if (event->phase == SIMKIT_PHASE_RESUME) { /* by a timer of its own, or because what runs now has ended its wait */
        if (r->current == SIMKIT__UNNOTED && at < count)
            simkit__reasons_timer(r, r->pauses[at].time, r->pauses[at].cause, event->name, event->node, false);
        return;
    }
    if (event->phase != SIMKIT_PHASE_BEGIN && event->phase != SIMKIT_PHASE_WAIT) return;
    if (at >= count && !simkit_array_reserve(r->store, r->pauses, at + 1 - count)) {
        r->no_memory = true;
        return;
    }
    for (size_t i = count; i <= at; ++i) simkit_array_push(r->pauses, pause);
    r->pauses[at] = pause;
}
#endif

static void simkit__reasons_watch(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    simkit_reasons *r = (simkit_reasons *)user;
    if (r->no_memory || simkit_watch_emitted(world)) return; /* what happened elsewhere has no reasons here */
    if (event->kind == SIMKIT_WATCH_NODE) {
        simkit__account *a = simkit__account_of(r, event->node, event->time);
        if (!a || event->phase == SIMKIT_PHASE_BEGIN) return;
        simkit__account_pass(a, event->time);
        a->until = event->time;
    }
#ifndef SIMKIT_NO_PROCESSES
    if (event->kind == SIMKIT_WATCH_PROCESS) simkit__reasons_process(r, event);
#endif
    if (event->kind != SIMKIT_WATCH_COMPUTE && event->kind != SIMKIT_WATCH_TRANSFER) return;
    simkit__piece *piece = simkit__reasons_piece(r, event->number);
    const bool transfer = event->kind == SIMKIT_WATCH_TRANSFER;
    if (event->phase == (transfer ? SIMKIT_PHASE_REQUESTED : SIMKIT_PHASE_BEGIN)) {
        if (r->labels && event->number < r->first) return;
        simkit__reasons_begin(r, event);
        simkit__account_change(r, event, true);
    } else if (piece && event->phase == SIMKIT_PHASE_BEGIN) {
        piece->start = event->time;
    } else if (piece && event->phase == SIMKIT_PHASE_FLOW) {
        piece->mark = event->time;
    } else if (piece) {
        simkit__account_change(r, event, false);
        simkit__reasons_end(r, event, piece);
    }
}

SIMKIT_API simkit_result simkit_reasons_open(simkit_world *world, simkit_reasons **reasons)
{
    if (!reasons) return SIMKIT_BAD_ARGUMENT;
    *reasons = NULL;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    (void)simkit_step_cancel(world,
                             0); /* a process without the stack that calls need ends here, before anything is open */
    if (simkit_probe_find(world, &simkit__reasons_probe))
        return simkit_world_fail(world, SIMKIT_BAD_CALL, "this world has a record of reasons already");
    simkit_store *store = simkit_world_store(world);
    simkit_reasons *r = (simkit_reasons *)simkit_store_resize(store, NULL, 0, sizeof *r);
    if (!r) return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a record of reasons");
    memset(r, 0, sizeof *r);
    r->world = world;
    r->store = store;
    r->current = r->last = SIMKIT_NONE;
    r->opened = simkit_clock_now(world);
    if (simkit_node_count(world) > 0) simkit__account_of(r, simkit_node_count(world), r->opened);
    simkit_result result = r->no_memory
                               ? simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a record of reasons")
                               : simkit_probe_add(world, &simkit__reasons_probe, r);
    if (result == SIMKIT_OK)
        result = simkit_watch_add(
            world, SIMKIT_WATCH_COMPUTE | SIMKIT_WATCH_TRANSFER | SIMKIT_WATCH_PROCESS | SIMKIT_WATCH_NODE,
            simkit__reasons_watch, r);
    if (result == SIMKIT_OK)
        *reasons = r;
    else
        simkit_reasons_close(r);
    return result;
}

SIMKIT_API void simkit_reasons_close(simkit_reasons *reasons)
{
    simkit_reasons *r = reasons;
    if (!r) return;
    simkit_store *store = r->store;
    simkit_probe_remove(r->world, r);
    simkit_watch_remove(r->world, simkit__reasons_watch, r);
    simkit_array_discard(store, r->pieces);
    simkit_array_discard(store, r->notes);
    simkit_array_discard(store, r->pauses);
    simkit_array_discard(store, r->labels);
    simkit_array_discard(store, r->nodes);
    simkit_array_discard(store, r->path);
    simkit_array_discard(store, r->rows);
    simkit_names_free(store, &r->names);
    simkit__why_release(store, r, sizeof *r);
}

/* Adds a piece in front of the path, from `begin` to where the path begins; if it takes time. */
static void simkit__path_add(simkit_reasons *r, simkit_reason reason, const simkit__piece *from, double begin,
                             double *at)
{
    simkit_reason_piece piece;
    if (!(begin < *at)) return;
    memset(&piece, 0, sizeof piece);
    piece.reason = reason;
    piece.name = from ? r->names.texts[from->name] : "";
    piece.node = from ? from->node : 0;
    piece.to = from ? from->to : 0;
    piece.begin = begin;
    piece.end = *at;
    piece.seconds = *at - begin;
    piece.count = 1;
    *at = begin;
    if (r->no_memory || !simkit_array_reserve(r->store, r->path, 1))
        r->no_memory = true;
    else
        simkit_array_push(r->path, piece);
}

SIMKIT_API simkit_result simkit_reasons_path(simkit_reasons *reasons, const simkit_reason_piece **pieces, size_t *count)
{
    simkit_reasons *r = reasons;
    if (!r || !pieces || !count) return SIMKIT_BAD_ARGUMENT;
    *pieces = NULL;
    *count = 0;
    simkit_array_discard(r->store, r->path);
    double at = r->last == SIMKIT_NONE ? r->opened : r->pieces[r->last].end;
    for (uint32_t index = r->last; index != SIMKIT_NONE && !r->no_memory; index = r->pieces[index].cause) {
        const simkit__piece *p = &r->pieces[index];
        simkit__path_add(r, SIMKIT_REASON_OUTSIDE, NULL, p->end, &at);
        if (p->kind == SIMKIT_WATCH_COMPUTE) {
            simkit__path_add(r, SIMKIT_REASON_CPU, p, p->mark, &at);
            simkit__path_add(r, SIMKIT_REASON_COMPUTING, p, p->begin, &at);
        } else if (p->kind == SIMKIT_WATCH_TRANSFER) {
            simkit__path_add(r, SIMKIT_REASON_LINKS, p, p->mark + p->alone, &at);
            simkit__path_add(r, SIMKIT_REASON_TRANSMISSION, p, p->mark, &at);
            simkit__path_add(r, SIMKIT_REASON_LATENCY, p, p->start, &at);
            simkit__path_add(r, SIMKIT_REASON_TURN, p, p->begin, &at);
        } else {
            simkit__path_add(r, SIMKIT_REASON_TIMER, p, p->begin, &at);
        }
    }
    simkit__path_add(r, SIMKIT_REASON_OUTSIDE, NULL, r->opened, &at);
    if (r->no_memory) return simkit_world_fail(r->world, SIMKIT_NO_MEMORY, "no memory for all reasons of a run");
    const size_t all = simkit_array_count(r->path);
    for (size_t i = 0; i < all / 2; ++i) {
        const simkit_reason_piece piece = r->path[i];
        r->path[i] = r->path[all - 1 - i];
        r->path[all - 1 - i] = piece;
    }
    *pieces = r->path;
    *count = all;
    return SIMKIT_OK;
}

/* By what the pieces of a row have in common. */
static int simkit__row_order(const simkit_reason_piece *a, const simkit_reason_piece *b)
{
    if (a->reason != b->reason) return a->reason < b->reason ? -1 : 1;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int simkit__by_row(const void *a, const void *b)
{
    const simkit_reason_piece *x = (const simkit_reason_piece *)a, *y = (const simkit_reason_piece *)b;
    const int order = simkit__row_order(x, y);
    return order != 0 ? order : (x->begin > y->begin) - (x->begin < y->begin);
}

static int simkit__by_seconds(const void *a, const void *b)
{
    const simkit_reason_piece *x = (const simkit_reason_piece *)a, *y = (const simkit_reason_piece *)b;
    const int order = (x->seconds < y->seconds) - (x->seconds > y->seconds);
    return order != 0 ? order : simkit__row_order(x, y);
}

SIMKIT_API simkit_result simkit_reasons_table(simkit_reasons *reasons, const simkit_reason_piece **rows, size_t *count)
{
    const simkit_reason_piece *path;
    size_t pieces, used = 0;
    if (!reasons || !rows || !count) return SIMKIT_BAD_ARGUMENT;
    simkit_reasons *r = reasons;
    const simkit_result result = simkit_reasons_path(r, &path, &pieces);
    *rows = NULL;
    *count = 0;
    if (result != SIMKIT_OK) return result;
    simkit_array_discard(r->store, r->rows);
    if (pieces == 0) return SIMKIT_OK;
    if (!simkit_array_reserve(r->store, r->rows, pieces))
        return simkit_world_fail(r->world, SIMKIT_NO_MEMORY, "no memory for a table of reasons");
    for (size_t i = 0; i < pieces; ++i) simkit_array_push(r->rows, path[i]);
    qsort(r->rows, pieces, sizeof *r->rows, simkit__by_row);
    for (size_t i = 0; i < pieces; ++i) {
        if (i == 0 || simkit__row_order(&r->rows[used - 1], &r->rows[i]) != 0) {
            r->rows[used++] = r->rows[i];
            continue;
        }
        r->rows[used - 1].seconds += r->rows[i].seconds;
        r->rows[used - 1].end = r->rows[i].end;
        ++r->rows[used - 1].count;
    }
    qsort(r->rows, used, sizeof *r->rows, simkit__by_seconds);
    *rows = r->rows;
    *count = used;
    return SIMKIT_OK;
}

SIMKIT_API simkit_reason_node simkit_reasons_node(const simkit_reasons *reasons, simkit_node node)
{
    simkit_reason_node is;
    is.present = is.computing = is.communicating = is.idle = is.cpu = (double)NAN;
    if (!reasons || node == 0 || node > simkit_array_count(reasons->nodes)) return is;
    simkit__account a = reasons->nodes[node - 1];
    simkit__account_pass(&a, simkit_clock_now(reasons->world));
    is.present = a.time - a.since;
    is.computing = a.computing;
    is.communicating = a.communicating;
    is.idle = is.present - is.computing - is.communicating;
    if (is.idle < 0) is.idle = 0; /* by rounding */
    is.cpu = a.cpu;
    return is;
}

SIMKIT_API double simkit_reasons_efficiency(const simkit_reasons *reasons)
{
    double cpu = 0, all = 0;
    for (size_t i = 0; reasons && i < simkit_array_count(reasons->nodes); ++i) {
        const simkit_reason_node is = simkit_reasons_node(reasons, (simkit_node)(i + 1));
        cpu += is.cpu;
        all += is.present * reasons->nodes[i].cores;
    }
    return all > 0 ? cpu / all : (double)NAN;
}

SIMKIT_API simkit_result simkit_reasons_write(simkit_reasons *reasons, FILE *file)
{
    static const char *const what[SIMKIT_REASONS] = {
        "computing",    "waiting for CPU", "waiting for its turn", "latency",
        "transmission", "shared links",    "waiting for a time",   "outside"
    };
    const simkit_reason_piece *rows;
    size_t count;
    char a[32], b[32], c[32], d[32];
    double all = 0;
    if (!file) return SIMKIT_BAD_ARGUMENT;
    const simkit_result result = simkit_reasons_table(reasons, &rows, &count);
    if (result != SIMKIT_OK) return result;
    const simkit_world *w = reasons->world;
    for (size_t i = 0; i < count; ++i) all += rows[i].seconds;
    fprintf(file, "critical path: %s s\n\n%12s %7s  %-20s %7s  name, node\n", simkit__why_number(a, "%.6g", all),
            "seconds", "%", "reason", "pieces");
    for (size_t i = 0; i < count; ++i) {
        const simkit_reason_piece *row = &rows[i];
        fprintf(file, "%12s %7s  %-20s %7lu  %s", simkit__why_number(a, "%.6g", row->seconds),
                simkit__why_number(b, "%.1f", 100 * row->seconds / all), what[row->reason], (unsigned long)row->count,
                row->name);
        if (row->node) fprintf(file, "%s%s", row->name[0] ? ", " : "", simkit_node_name(w, row->node));
        if (row->to) fprintf(file, " to %s", simkit_node_name(w, row->to));
        fprintf(file, "\n");
    }
    fprintf(file, "\n%12s %13s %12s %12s  node\n", "computing", "communicating", "idle", "CPU time");
    for (size_t i = 0; i < simkit_array_count(reasons->nodes); ++i) {
        const simkit_reason_node is = simkit_reasons_node(reasons, (simkit_node)(i + 1));
        fprintf(file, "%12s %13s %12s %12s  %s\n", simkit__why_number(a, "%.6g", is.computing),
                simkit__why_number(b, "%.6g", is.communicating), simkit__why_number(c, "%.6g", is.idle),
                simkit__why_number(d, "%.6g", is.cpu), simkit_node_name(w, (simkit_node)(i + 1)));
    }
    fprintf(file, "\nefficiency: %s %%\n", simkit__why_number(a, "%.1f", 100 * simkit_reasons_efficiency(reasons)));
    return ferror(file) ? simkit_world_fail(reasons->world, SIMKIT_NO_FILE, "the reasons cannot be written")
                        : SIMKIT_OK;
}

/*=============================================================================
 * MARK: - >>loadmap (body)
 *
 * What each direction of a link carries, in columns of time. Rates are constant between two changes, so when that of a transfer
 * changes, its bytes since the change before go to the columns of the directions it crosses; when it ends, what is missing of
 * its bytes by rounding goes to the last one. When the columns are full, two neighbours become one. The probe tells the
 * rates; a transfer keeps the number of its record.
 *===========================================================================*/
/* A product that is rounded before anything is added to it, on every processor: simkit.h says why. */
static double simkit__why_product(double a, double b)
{
    double product = a * b;
#if defined(__GNUC__) && defined(__x86_64__)
    __asm__("" : "+x"(product));
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__("" : "+w"(product));
#else
    volatile double rounded = product;
    product = rounded;
#endif
    return product;
}

/* Whether two numbers are the same, on purpose: a host may compile with -Wfloat-equal. */
static bool simkit__why_same(double a, double b)
{
    return a <= b && a >= b;
}

enum { SIMKIT__COLUMNS = 256, SIMKIT__HEATS = 20, SIMKIT__LOADMAP_LINKS = 60 };

/* Where the columns of a heat map begin, and how wide they are together [px]. */
static const double simkit__heat_top = 44, simkit__heat_width = 1100;

typedef struct simkit__load { /* of a transfer */
    double since, rate, sent; /* [s, B/s, B] */
    double bytes;             /* its size [B] */
    uint32_t next;            /* of a record that is free: the number of the next; 0: none */
    bool partial;             /* its transfer flowed before the map was opened */
} simkit__load;

typedef struct simkit__changes { /* of a link that has changed */
    double since;
    double capacity[SIMKIT__COLUMNS]; /* what it could carry [B] */
    double failed[SIMKIT__COLUMNS];   /* for how long it had failed [s] */
    double resized[SIMKIT__COLUMNS];  /* how often it got another bandwidth */
} simkit__changes;

/* Why rates are reported: they may have changed; the map opens; it is read. */
typedef enum simkit__telling { SIMKIT__RATES_CHANGE, SIMKIT__MAP_OPENS, SIMKIT__MAP_IS_READ } simkit__telling;

struct simkit_loadmap {
    simkit_world *world;
    simkit_store *store;        /* of the world */
    double now;                 /* during a call */
    double begin, width;        /* of the first column, and of each; a power of two, so that merging is exact */
    double **links;             /* links[2 * (link - 1) + back][column]; NULL: nothing yet */
    double **nodes;             /* nodes[2 * (node - 1) + down][column] */
    simkit__changes **changes;  /* changes[link - 1]; NULL: none */
    simkit__load *loads;        /* loads[number - 1] */
    uint32_t free;              /* the number of a free one; 0: none */
    simkit_crossing *crossings; /* of one transfer: scratch */
    double **crossed;           /* their columns */
    simkit__telling telling;
    bool no_memory;
};

/* From light to dark, in equal steps of lightness (OKLCH, hue 258), for 5 % more each. */
static const char *const simkit__heats[SIMKIT__HEATS] = { "#e5efff", "#d2e4ff", "#bed8ff", "#abccff", "#97c1fe",
                                                          "#87b5f9", "#78a9f1", "#6a9de9", "#5c91df", "#5086d5",
                                                          "#447ac9", "#3a6fbd", "#3064b0", "#285aa2", "#204f93",
                                                          "#194584", "#143b74", "#0f3264", "#0b2954", "#082143" };

static void simkit__columns_merge(double *cells)
{
    if (!cells) return;
    for (size_t i = 0; i < SIMKIT__COLUMNS / 2; ++i) cells[i] = cells[2 * i] + cells[2 * i + 1];
    memset(cells + SIMKIT__COLUMNS / 2, 0, SIMKIT__COLUMNS / 2 * sizeof *cells);
}

/* Makes columns wider until there is one that begins now or before. */
static void simkit__columns_fit(simkit_loadmap *m)
{
    const double passed = m->now - m->begin;
    for (; passed / m->width >= (double)SIMKIT__COLUMNS; m->width *= 2) {
        for (size_t i = 0; i < simkit_array_count(m->links); ++i) simkit__columns_merge(m->links[i]);
        for (size_t i = 0; i < simkit_array_count(m->nodes); ++i) simkit__columns_merge(m->nodes[i]);
        for (size_t i = 0; i < simkit_array_count(m->changes); ++i) {
            if (!m->changes[i]) continue;
            simkit__columns_merge(m->changes[i]->capacity);
            simkit__columns_merge(m->changes[i]->failed);
            simkit__columns_merge(m->changes[i]->resized);
        }
    }
}

/* Adds a rate times the time since `from` to the columns of several directions. */
static void simkit__columns_add(const simkit_loadmap *m, double *const *cells, size_t count, double from, double rate)
{
    const double end = (m->now - m->begin) / m->width;
    double at = (from - m->begin) / m->width;
    for (size_t i = (size_t)at; at < end; ++i) {
        const double next = fmin(end, (double)i + 1), amount = simkit__why_product(rate, (next - at) * m->width);
        for (size_t k = 0; k < count; ++k) cells[k][i] += amount;
        at = next;
    }
}

/* Adds an amount at this instant: to the column that ends now, or to the one that begins. */
static void simkit__columns_put(const simkit_loadmap *m, double *cells, double amount, bool passed)
{
    const double at = (m->now - m->begin) / m->width;
    size_t column = (size_t)at;
    if (passed && column > 0 && simkit__why_same(at, (double)column)) --column;
    cells[column] += amount;
    if (cells[column] < 0) cells[column] = 0; /* by rounding */
}

/* Allocates zeroed memory; NULL if memory runs out now, or has run out before in this record. */
static void *simkit__loadmap_zeros(simkit_loadmap *m, size_t bytes)
{
    void *zeros = m->no_memory ? NULL : simkit_store_resize(m->store, NULL, 0, bytes);
    if (zeros)
        memset(zeros, 0, bytes);
    else
        m->no_memory = true;
    return zeros;
}

/* The columns of a direction, in the array of links or of nodes; NULL without memory. */
static double *simkit__loadmap_cells(simkit_loadmap *m, double ***array, size_t place)
{
    const size_t count = simkit_array_count(*array);
    if (place >= count && !simkit_array_reserve(m->store, *array, place + 1 - count)) {
        m->no_memory = true;
        return NULL;
    }
    while (simkit_array_count(*array) <= place) simkit_array_push(*array, NULL);
    if (!(*array)[place]) (*array)[place] = (double *)simkit__loadmap_zeros(m, SIMKIT__COLUMNS * sizeof(double));
    return (*array)[place];
}

/* Room for so many crossings. */
static bool simkit__loadmap_room(simkit_loadmap *m, size_t room)
{
    const simkit_crossing none = { 0, 0, false };
    const size_t more = room - simkit_array_count(m->crossed);
    if (!simkit_array_reserve(m->store, m->crossings, more) || !simkit_array_reserve(m->store, m->crossed, more)) {
        m->no_memory = true;
        return false;
    }
    while (simkit_array_count(m->crossed) < room) {
        simkit_array_push(m->crossings, none);
        simkit_array_push(m->crossed, NULL);
    }
    return true;
}

/* Lists the columns of the directions that a transfer crosses, in `crossed`; gives their number. */
static size_t simkit__loadmap_cross(simkit_loadmap *m, simkit_transfer transfer)
{
    const size_t room = simkit_array_count(m->crossed);
    size_t count = simkit_transfer_crosses(m->world, transfer, m->crossings, room), found = 0;
    if (count > room) {
        if (!simkit__loadmap_room(m, count)) return 0;
        count = simkit_transfer_crosses(m->world, transfer, m->crossings, count);
    }
    for (size_t i = 0; i < count; ++i) {
        const simkit_crossing *c = &m->crossings[i];
        double ***array = c->link ? &m->links : &m->nodes;
        const size_t place = 2 * ((c->link ? c->link : c->node) - (size_t)1) + c->back;
        const bool there = place < simkit_array_count(*array) && (*array)[place];
        double *cells = there ? (*array)[place] : simkit__loadmap_cells(m, array, place);
        if (cells) m->crossed[found++] = cells;
    }
    return found;
}

/* Adds what a transfer has sent since this was last looked at, to as many columns as are in `crossed`. */
static void simkit__loadmap_add(simkit_loadmap *m, simkit__load *load, size_t count)
{
    const double now = m->now;
    if (now > load->since) simkit__columns_add(m, m->crossed, count, load->since, load->rate);
    load->sent += simkit__why_product(load->rate, now - load->since);
    load->since = now;
}

/* Adds it up to now. */
static void simkit__loadmap_account(simkit_loadmap *m, simkit_transfer transfer, simkit__load *load)
{
    if (!(m->now > load->since)) return;
    simkit__columns_fit(m);
    simkit__loadmap_add(m, load, simkit__loadmap_cross(m, transfer));
}

/* Bytes of a transfer that pass at once. */
static void simkit__loadmap_put(simkit_loadmap *m, simkit_transfer transfer, double bytes)
{
    simkit__columns_fit(m);
    const size_t count = simkit__loadmap_cross(m, transfer);
    for (size_t i = 0; i < count; ++i) simkit__columns_put(m, m->crossed[i], bytes, false);
}

/* A new record; its number, or 0 without memory. */
static uint32_t simkit__load_new(simkit_loadmap *m)
{
    simkit__load none;
    uint32_t number = m->free;
    memset(&none, 0, sizeof none);
    if (number) {
        m->free = m->loads[number - 1].next;
        m->loads[number - 1] = none;
        return number;
    }
    if (simkit_array_count(m->loads) >= SIMKIT_NONE || !simkit_array_reserve(m->store, m->loads, 1)) {
        m->no_memory = true;
        return 0;
    }
    simkit_array_push(m->loads, none);
    return (uint32_t)simkit_array_count(m->loads);
}

/* A transfer is recorded from now on, under a number. Some bytes may have passed at once. */
static uint32_t simkit__loadmap_begin(simkit_loadmap *m, simkit_transfer transfer)
{
    simkit_transfer_state state;
    const uint32_t number = simkit__load_new(m);
    if (number == 0) return 0;
    simkit__load *load = &m->loads[number - 1];
    (void)simkit_transfer_get(m->world, transfer, &state);
    load->since = m->now;
    load->bytes = state.bytes;
    load->partial = m->telling == SIMKIT__MAP_OPENS;
    const double passed = state.bytes - state.left;
    if (load->partial || !(passed > state.bytes * 1e-9)) return number;
    simkit__loadmap_put(m, transfer, passed);
    load->sent = passed;
    return number;
}

/* The rate of a transfer may have changed. */
static void simkit__loadmap_rate(const simkit_world *world, void *user, simkit_transfer transfer, double rate,
                                 uint64_t *own)
{
    simkit_loadmap *m = (simkit_loadmap *)user;
    m->now = simkit_clock_now(world);
    if (!own) m->no_memory = true;
    if (m->no_memory) return;
    if (*own == 0) *own = simkit__loadmap_begin(m, transfer);
    if (*own == 0) return;
    simkit__load *load = &m->loads[*own - 1];
    if (!(rate < (double)INFINITY)) rate = 0; /* it ends at this instant */
    if (simkit__why_same(rate, load->rate) && m->telling != SIMKIT__MAP_IS_READ) return;
    simkit__loadmap_account(m, transfer, load);
    load->rate = rate;
}

/* A transfer ends. One that is not recorded here has taken no time, or was no longer seen when memory ran out. */
static void simkit__loadmap_ended(const simkit_world *world, void *user, simkit_transfer transfer, uint64_t *own)
{
    simkit_loadmap *m = (simkit_loadmap *)user;
    simkit_transfer_state state;
    m->now = simkit_clock_now(world);
    if (!own) m->no_memory = true;
    if (m->no_memory) return;
    if (*own == 0) {
        if (simkit_transfer_get(world, transfer, &state) && !state.flows) simkit__loadmap_put(m, transfer, state.bytes);
        return;
    }
    simkit__load *load = &m->loads[*own - 1];
    simkit__columns_fit(m);
    const size_t count = simkit__loadmap_cross(m, transfer);
    simkit__loadmap_add(m, load, count);
    for (size_t i = 0; i < count && !load->partial; ++i)
        simkit__columns_put(m, m->crossed[i], load->bytes - load->sent, true);
    load->next = m->free;
    m->free = (uint32_t)*own;
}

/* A transfer is lost: what it has sent until now was carried. */
static void simkit__loadmap_lost(const simkit_world *world, void *user, simkit_transfer transfer, uint64_t *own)
{
    simkit_loadmap *m = (simkit_loadmap *)user;
    m->now = simkit_clock_now(world);
    if (m->no_memory || !own || *own == 0) return;
    simkit__load *load = &m->loads[*own - 1];
    simkit__loadmap_account(m, transfer, load);
    load->next = m->free;
    m->free = (uint32_t)*own;
}

/* Brings what is recorded of a link itself up to now: before it changes, or before it is read. */
static simkit__changes *simkit__loadmap_pass(simkit_loadmap *m, simkit_link link)
{
    bool failed;
    simkit__changes *c = m->changes[link - 1];
    const double bandwidth = simkit_link_bandwidth(m->world, link, &failed);
    double *cells = failed ? c->failed : c->capacity;
    simkit__columns_add(m, &cells, 1, c->since, failed ? 1 : bandwidth);
    c->since = m->now;
    return c;
}

static void simkit__loadmap_link(const simkit_world *world, void *user, simkit_link link, simkit_probe_change change)
{
    simkit_loadmap *m = (simkit_loadmap *)user;
    const size_t count = simkit_array_count(m->changes);
    m->now = simkit_clock_now(world);
    if (m->no_memory) return;
    simkit__columns_fit(m);
    if (link > count && !simkit_array_reserve(m->store, m->changes, link - count)) {
        m->no_memory = true;
        return;
    }
    while (simkit_array_count(m->changes) < link) simkit_array_push(m->changes, NULL);
    if (!m->changes[link - 1]) {
        simkit__changes *fresh = (simkit__changes *)simkit__loadmap_zeros(m, sizeof *fresh);
        if (!fresh) return;
        fresh->since = m->begin;
        m->changes[link - 1] = fresh;
    }
    simkit__changes *changes = simkit__loadmap_pass(m, link);
    if (change == SIMKIT_PROBE_BANDWIDTH) simkit__columns_put(m, changes->resized, 1, false);
}

static void simkit__loadmap_closes(simkit_world *world, void *user)
{
    (void)world;
    simkit_loadmap_close((simkit_loadmap *)user);
}

static const simkit_probe simkit__loadmap_probe = { NULL,
                                                    NULL,
                                                    simkit__loadmap_rate,
                                                    simkit__loadmap_ended,
                                                    simkit__loadmap_lost,
                                                    simkit__loadmap_link,
                                                    NULL,
                                                    simkit__loadmap_closes };

/* Has all rates reported. */
static void simkit__loadmap_tell(simkit_loadmap *m, simkit__telling telling)
{
    m->telling = telling;
    simkit_probe_rates(m->world, m);
    m->telling = SIMKIT__RATES_CHANGE;
}

SIMKIT_API simkit_result simkit_loadmap_open(simkit_world *world, simkit_loadmap **map)
{
    if (map) *map = NULL;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    (void)simkit_step_cancel(world, 0); /* as in simkit_reasons_open() */
    if (!map) return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "a record of loads needs a place for it");
    if (simkit_probe_find(world, &simkit__loadmap_probe))
        return simkit_world_fail(world, SIMKIT_BAD_CALL, "this world has a record of loads already");
    simkit_store *store = simkit_world_store(world);
    simkit_loadmap *m = (simkit_loadmap *)simkit_store_resize(store, NULL, 0, sizeof *m);
    if (!m) return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a record of loads");
    memset(m, 0, sizeof *m);
    m->world = world;
    m->store = store;
    m->now = m->begin = simkit_clock_now(world);
    m->width = 1 / 1152921504606846976.0;
    m->no_memory = simkit_probe_add(world, &simkit__loadmap_probe, m) != SIMKIT_OK;
    simkit__loadmap_tell(m, SIMKIT__MAP_OPENS);
    for (simkit_link link = 1; link <= simkit_link_count(world); ++link) {
        bool failed;
        (void)simkit_link_bandwidth(world, link, &failed);
        if (failed) simkit__loadmap_link(world, m, link, SIMKIT_PROBE_FAILURE);
    }
    if (m->no_memory) {
        simkit_loadmap_close(m);
        return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a record of loads");
    }
    *map = m;
    return SIMKIT_OK;
}

SIMKIT_API void simkit_loadmap_close(simkit_loadmap *map)
{
    simkit_loadmap *m = map;
    if (!m) return;
    simkit_store *store = m->store;
    simkit_probe_remove(m->world, m);
    for (size_t i = 0; i < simkit_array_count(m->links); ++i)
        simkit__why_release(store, m->links[i], SIMKIT__COLUMNS * sizeof(double));
    for (size_t i = 0; i < simkit_array_count(m->nodes); ++i)
        simkit__why_release(store, m->nodes[i], SIMKIT__COLUMNS * sizeof(double));
    for (size_t i = 0; i < simkit_array_count(m->changes); ++i)
        simkit__why_release(store, m->changes[i], sizeof *m->changes[i]);
    simkit_array_discard(store, m->links);
    simkit_array_discard(store, m->nodes);
    simkit_array_discard(store, m->changes);
    simkit_array_discard(store, m->loads);
    simkit_array_discard(store, m->crossings);
    simkit_array_discard(store, m->crossed);
    simkit__why_release(store, m, sizeof *m);
}

/* Brings everything up to now. */
static bool simkit__loadmap_catch_up(simkit_loadmap *m)
{
    m->now = simkit_clock_now(m->world);
    if (m->no_memory) return false;
    simkit__columns_fit(m);
    simkit__loadmap_tell(m, SIMKIT__MAP_IS_READ);
    for (size_t i = 0; i < simkit_array_count(m->changes); ++i)
        if (m->changes[i]) simkit__loadmap_pass(m, (simkit_link)i + 1);
    return !m->no_memory;
}

static double simkit__loadmap_sum(const double *cells)
{
    double sum = 0;
    for (size_t i = 0; cells && i < SIMKIT__COLUMNS; ++i) sum += cells[i];
    return sum;
}

SIMKIT_API double simkit_loadmap_bytes(simkit_loadmap *map, simkit_link link, bool back)
{
    simkit_loadmap *m = map;
    if (!m || link == 0 || link > simkit_link_count(m->world) || !simkit__loadmap_catch_up(m)) return (double)NAN;
    const size_t place = 2 * ((size_t)link - 1) + back;
    return simkit__loadmap_sum(place < simkit_array_count(m->links) ? m->links[place] : NULL);
}

/* A link, or a node with its link: two directions. */
typedef struct simkit__heat_row {
    size_t place; /* among the links, then the nodes */
    double use;   /* the larger share of the two */
    const char *name;
    const double *bytes[2];
    double bandwidth[2]; /* INFINITY: none */
    const simkit__changes *changes;
} simkit__heat_row;

/* Which part of what it could carry a direction carried in a column that has begun. */
static double simkit__heat_share(const simkit_loadmap *m, const simkit__heat_row *row, int side, size_t column)
{
    const double begin = m->begin + (double)column * m->width, end = fmin(begin + m->width, m->now);
    const double capacity = row->changes ? row->changes->capacity[column] : row->bandwidth[side] * (end - begin);
    return row->bytes[side] && capacity > 0 ? row->bytes[side][column] / capacity : 0;
}

/* Columns that have begun before now. */
static size_t simkit__heat_columns(const simkit_loadmap *m)
{
    return (size_t)ceil((m->now - m->begin) / m->width);
}

static void simkit__heat_row_of(const simkit_loadmap *m, size_t place, simkit__heat_row *row)
{
    const simkit_world *w = m->world;
    const size_t wires = simkit_link_count(w);
    const bool is_link = place < wires;
    double *const *cells = is_link ? m->links : m->nodes;
    const size_t first = 2 * (is_link ? place : place - wires);
    const simkit_node node = (simkit_node)(is_link ? 0 : place - wires + 1);
    const simkit_node_desc desc = simkit_node_get(w, node);
    const double passed = m->now - m->begin;
    memset(row, 0, sizeof *row);
    row->place = place;
    row->name = is_link ? simkit_link_name(w, (simkit_link)place + 1) : simkit_node_name(w, node);
    row->changes = is_link && place < simkit_array_count(m->changes) ? m->changes[place] : NULL;
    for (size_t side = 0; side < 2; ++side) {
        const double own = side ? desc.down_bandwidth : desc.up_bandwidth,
                     byte_time = own > 0 ? 1 / own : 0; /* the engine divides by bandwidths once */
        row->bytes[side] = first + side < simkit_array_count(cells) ? cells[first + side] : NULL;
        row->bandwidth[side] = byte_time > 0 ? 1 / byte_time : (double)INFINITY;
        if (is_link) row->bandwidth[side] = simkit_link_bandwidth(w, (simkit_link)place + 1, NULL);
        const double capacity =
            row->changes ? simkit__loadmap_sum(row->changes->capacity) : row->bandwidth[side] * passed;
        if (capacity > 0) row->use = fmax(row->use, simkit__loadmap_sum(row->bytes[side]) / capacity);
    }
}

static int simkit__by_use(const void *a, const void *b)
{
    const simkit__heat_row *x = (const simkit__heat_row *)a, *y = (const simkit__heat_row *)b;
    if (x->use < y->use || x->use > y->use) return x->use < y->use ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static int simkit__by_place(const void *a, const void *b)
{
    const simkit__heat_row *x = (const simkit__heat_row *)a, *y = (const simkit__heat_row *)b;
    return (x->place > y->place) - (x->place < y->place);
}

typedef struct simkit__heat { /* a heat map while it is written */
    const simkit_loadmap *m;
    simkit_picture *out;
    const char *title;
    simkit__heat_row *rows; /* rows[count] */
    size_t count, all;
    double left, strip; /* where columns begin, and how high a direction is [px] */
    double gap;         /* between two rows [px] */
    bool failed, resized, links, nodes;
} simkit__heat;

/* Where a column begins; for the one after the last: where the time ends. */
static double simkit__heat_x(const simkit__heat *h, size_t column)
{
    const simkit_loadmap *m = h->m;
    const double part = (double)column * m->width / (m->now - m->begin);
    return h->left + fmin(part, 1.0) * simkit__heat_width;
}

/* The colour of a share; HEATS: none. */
static size_t simkit__heat_of(double share)
{
    if (!(share > 0)) return SIMKIT__HEATS;
    const size_t heat = (size_t)(fmin(share, 1.0) * (double)SIMKIT__HEATS + 1e-9);
    return heat < SIMKIT__HEATS ? heat : SIMKIT__HEATS - 1;
}

/* One direction of a row: for each colour a path over all columns that have it. */
static void simkit__heat_strip(const simkit__heat *h, const simkit__heat_row *row, int side, double top)
{
    const size_t columns = simkit__heat_columns(h->m);
    const char *direction = row->place < simkit_link_count(h->m->world) ? side ? "back" : "forth"
                            : side                                      ? "down"
                                                                        : "up";
    if (!(row->bandwidth[side] < (double)INFINITY)) return;
    simkit_picture_write(h->out, "<rect x=\"%@\" y=\"%@\" width=\"%@\" height=\"%@\" fill-opacity=\"0.05\"/>\n",
                         h->left, top, simkit__heat_width, h->strip);
    for (size_t heat = 0; heat < SIMKIT__HEATS; ++heat) {
        bool any = false;
        for (size_t i = 0; i < columns; ++i) {
            if (simkit__heat_of(simkit__heat_share(h->m, row, side, i)) != heat) continue;
            size_t end = i + 1;
            while (end < columns && simkit__heat_of(simkit__heat_share(h->m, row, side, end)) == heat) ++end;
            simkit_picture_write(h->out, any ? "M%@,%@H%@" : "<path d=\"M%@,%@H%@", simkit__heat_x(h, i),
                                 top + h->strip / 2, simkit__heat_x(h, end));
            any = true;
            i = end;
        }
        if (any)
            simkit_picture_write(h->out,
                                 "\" stroke=\"%s\" stroke-width=\"%@\"><title>%t, %s: %u to %u %%</title></path>\n",
                                 simkit__heats[heat], h->strip, row->name, direction,
                                 (uint32_t)heat * 100 / SIMKIT__HEATS, (uint32_t)(heat + 1) * 100 / SIMKIT__HEATS);
    }
}

/* Hatches the columns in which the link had failed for at least half of the time, and marks those in which it changed. */
static void simkit__heat_marks(simkit__heat *h, const simkit__heat_row *row, double top)
{
    const size_t columns = simkit__heat_columns(h->m);
    const double height = 2 * h->strip + 1;
    for (size_t i = 0; row->changes && i < columns; ++i) {
        size_t end = i;
        while (end < columns && row->changes->failed[end] >= h->m->width / 2) ++end;
        if (end > i) {
            simkit_picture_write(h->out,
                                 "<rect x=\"%@\" y=\"%@\" width=\"%@\" height=\"%@\" fill=\"url(#f)\"><title>%t: failed"
                                 "</title></rect>\n",
                                 simkit__heat_x(h, i), top, simkit__heat_x(h, end) - simkit__heat_x(h, i), height,
                                 row->name);
            h->failed = true;
            i = end - 1;
        } else if (row->changes->failed[i] > 0 || row->changes->resized[i] > 0) {
            const bool failed = row->changes->failed[i] > 0;
            simkit_picture_write(
                h->out, "<path d=\"M%@,%@h8l-4,6z\" fill=\"%s\" stroke=\"white\" stroke-width=\"0.7\"/>\n",
                (simkit__heat_x(h, i) + simkit__heat_x(h, i + 1)) / 2 - 4, top - 3, failed ? "#cc3311" : "#ee7733");
            h->failed = h->failed || failed;
            h->resized = h->resized || !failed;
        }
    }
}

/* All rows; gives the bottom. */
static double simkit__heat_rows(simkit__heat *h)
{
    double y = simkit__heat_top;
    for (size_t i = 0; i < h->count; ++i) {
        const bool is_link = h->rows[i].place < simkit_link_count(h->m->world);
        if (!is_link && h->links && !h->nodes) y += 6;
        *(is_link ? &h->links : &h->nodes) = true;
        simkit_picture_text(h->out, h->left - 8, y + h->strip + 4.5, "text-anchor=\"end\"", h->rows[i].name);
        simkit_picture_write(h->out, "<g shape-rendering=\"crispEdges\">\n");
        simkit__heat_strip(h, &h->rows[i], 0, y);
        simkit__heat_strip(h, &h->rows[i], 1, y + h->strip + 1);
        simkit_picture_write(h->out, "</g>\n");
        simkit__heat_marks(h, &h->rows[i], y);
        y += 2 * h->strip + 1 + h->gap;
    }
    return y - h->gap;
}

/* The scale, what else there is to see, and what is left out; gives the bottom. */
static double simkit__heat_legend(const simkit__heat *h, double y)
{
    char note[120];
    double x = h->left;
    for (size_t i = 0; i < SIMKIT__HEATS; ++i)
        simkit_picture_write(h->out, "<rect x=\"%@\" y=\"%@\" width=\"12\" height=\"11\" fill=\"%s\"/>\n",
                             x + 12 * (double)i, y, simkit__heats[i]);
    for (int i = 0; i <= 100; i += 25) {
        snprintf(note, sizeof note, "%d %%", i);
        simkit_picture_text(h->out, x + 2.4 * i, y + 23, "text-anchor=\"middle\"", note);
    }
    simkit_picture_text(h->out, x + 250, y + 9.5, "", "of its bandwidth");
    x += 370;
    if (h->failed) {
        simkit_picture_write(h->out, "<rect x=\"%@\" y=\"%@\" width=\"22\" height=\"11\" fill=\"url(#f)\"/>\n", x, y);
        simkit_picture_text(h->out, x + 28, y + 9.5, "", "failed");
        x += 90;
    }
    if (h->resized) {
        simkit_picture_write(h->out, "<path d=\"M%@,%@h8l-4,6z\" fill=\"#ee7733\"/>\n", x, y + 2.5);
        simkit_picture_text(h->out, x + 12, y + 9.5, "", "its bandwidth changed");
    }
    y += 44;
    const char *which = h->links && h->nodes ? ", or " : "";
    snprintf(note, sizeof note, "upper: %s%s%s; lower: %s%s%s", h->links ? "forth" : "", which,
             h->nodes ? "up from a node" : "", h->links ? "back" : "", which, h->nodes ? "down to it" : "");
    simkit_picture_text(h->out, h->left, y, "fill=\"#555555\"", note);
    snprintf(note, sizeof note, "the %lu busiest of %lu links", (unsigned long)h->count, (unsigned long)h->all);
    if (h->count < h->all) simkit_picture_text(h->out, h->left + 370, y, "fill=\"#555555\"", note);
    return y;
}

/* Goes through the picture twice: first for its size, then to draw it. */
static void simkit__heat_write(simkit__heat *h)
{
    const simkit_loadmap *m = h->m;
    simkit_picture *out = h->out;
    double label = 0;
    for (size_t i = 0; i < h->count; ++i) label = fmax(label, (double)strlen(h->rows[i].name));
    h->left = 24 + 6.25 * fmin(label, 60.0);
    h->strip = h->count <= 10 ? 12 : h->count <= 30 ? 9 : h->count <= SIMKIT__LOADMAP_LINKS ? 6 : 4;
    h->gap = h->strip > 4 ? 4 : 2;
    simkit_picture_mute(out, true);
    const double bottom = simkit__heat_rows(h), width = floor(h->left + simkit__heat_width) + 40,
                 height = floor(simkit__heat_legend(h, bottom + 46)) + 18;
    simkit_picture_mute(out, false);
    simkit_picture_page(out, width, height);
    if (h->failed)
        simkit_picture_write(
            out, "<pattern id=\"f\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                 "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"5\" fill=\"#cc3311\"/></pattern>\n");
    simkit_picture_write(out, "<text x=\"%@\" y=\"24\" font-size=\"16\">%255t</text>\n", h->left, h->title);
    h->links = h->nodes = false;
    const simkit_picture_box box = { h->left, simkit__heat_top, simkit__heat_width, bottom };
    const double now = m->now;
    simkit_picture_axis(out, &box, m->begin, now > m->begin ? now : m->begin + 1);
    simkit__heat_rows(h);
    simkit__heat_legend(h, bottom + 46);
}

static void simkit__heat_table(const simkit__heat *h)
{
    static const char *const directions[2][2] = { { "forth", "back" }, { "up", "down" } };
    const simkit_loadmap *m = h->m;
    const size_t columns = simkit__heat_columns(m);
    const double now = m->now;
    simkit_picture_write(h->out, "link,direction,begin [s],end [s],bytes [B],share [1]\n");
    for (size_t i = 0; i < h->count; ++i) {
        const simkit__heat_row *row = &h->rows[i];
        const bool is_node = row->place >= simkit_link_count(m->world);
        for (int side = 0; side < 2; ++side)
            for (size_t k = 0; row->bytes[side] && k < columns; ++k)
                if (row->bytes[side][k] > 0)
                    simkit_picture_write(h->out, "%t,%s,%12,%12,%6,%9\n", row->name, directions[is_node][side],
                                         m->begin + (double)k * m->width,
                                         fmin(m->begin + (double)(k + 1) * m->width, now), row->bytes[side][k],
                                         simkit__heat_share(m, row, side, k));
    }
}

/* The rows: links and nodes that have a bandwidth; if there are more than are wanted, the busiest. */
static void simkit__heat_choose(simkit__heat *h, size_t wanted)
{
    const size_t all = (size_t)simkit_link_count(h->m->world) + simkit_node_count(h->m->world);
    for (size_t i = 0; i < all; ++i) {
        simkit__heat_row *row = &h->rows[h->all];
        simkit__heat_row_of(h->m, i, row);
        h->all += row->bandwidth[0] < (double)INFINITY || row->bandwidth[1] < (double)INFINITY;
    }
    h->count = h->all < wanted ? h->all : wanted;
    if (h->count == h->all) return;
    qsort(h->rows, h->all, sizeof *h->rows, simkit__by_use);
    qsort(h->rows, h->count, sizeof *h->rows, simkit__by_place);
}

SIMKIT_API simkit_result simkit_loadmap_write(simkit_loadmap *map, const simkit_loadmap_desc *desc)
{
    if (!map) return SIMKIT_BAD_ARGUMENT;
    simkit_world *w = map->world;
    if (!desc || !desc->path) return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT, "a map of loads needs a path");
    const char *ending = strrchr(desc->path, '.');
    const bool table = ending && strcmp(ending, ".csv") == 0;
    if (!table && !(ending && strcmp(ending, ".svg") == 0))
        return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT,
                                 "the path of a map of loads is '%s', expected one that ends in .svg or .csv",
                                 desc->path);
    simkit__heat heat;
    memset(&heat, 0, sizeof heat);
    heat.m = map;
    heat.title = desc->title ? desc->title : "";
    const size_t bytes = ((size_t)simkit_link_count(w) + simkit_node_count(w) + 1) * sizeof *heat.rows;
    heat.rows =
        simkit__loadmap_catch_up(map) ? (simkit__heat_row *)simkit_store_resize(map->store, NULL, 0, bytes) : NULL;
    if (!heat.rows) return simkit_world_fail(w, SIMKIT_NO_MEMORY, "no memory for a map of loads");
    simkit__heat_choose(&heat, table ? SIZE_MAX : desc->links > 0 ? desc->links : (size_t)SIMKIT__LOADMAP_LINKS);
    simkit_result result = simkit_picture_open(w, desc->path, &heat.out);
    if (result == SIMKIT_OK) {
        if (table)
            simkit__heat_table(&heat);
        else
            simkit__heat_write(&heat);
        result = simkit_picture_close(heat.out, true);
    }
    simkit__why_release(map->store, heat.rows, bytes);
    if (result == SIMKIT_NO_MEMORY) return simkit_world_fail(w, result, "no memory for a map of loads");
    if (result == SIMKIT_NO_FILE) return simkit_world_fail(w, result, "cannot write '%s'", desc->path);
    return result;
}

#ifdef __cplusplus
}
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* SIMKIT_WHY_IMPLEMENTED */

/*
    MIT No Attribution

    Copyright 2026 the simkit authors

    Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
    documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
    rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
    permit persons to whom the Software is furnished to do so.

    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
    WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS
    OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
    OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
