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
    whatif       when it would have ended, had some of its pieces been shorter or longer
    loadmap      how much of each link a run used, over time: a heat map (SVG), or a table
  Private rooms are before the first body that needs them:
    record       (private) what was asked for by what, and what was left for others
    times        (private) new times of all pieces
    doubts       (private) what makes an answer an estimate

OPTIONS  Those of simkit.h, defined before all headers: SIMKIT_STATIC, SIMKIT_ANY_FLOAT. Besides:
         SIMKIT_WHY_IMPLEMENTATION   compile this body alone; the other bodies are in another file of the program
         It writes files, so SIMKIT_NO_STDIO leaves nothing of it. The body has 37 KB of code by gcc 12 -O2.

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
 *  a resource or another process is not a piece of the path: the path goes on with what ended that wait.
 *
 *  The record also keeps what each wait would have been for if that had come later: a message that was there before its receiver,
 *  a unit of a resource that was free. So simkit_reasons_what_if() can tell another end. @{ */

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
 *  @cost    64 bytes for each computation, transfer, timer and wait for somebody else, 16 for each message and each request for
 *           one, for units of a resource and for their release, and for each unit, as much again while the arrays grow; some
 *           40 ns each. A world without one pays a test for each.
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

/** A moment of a record: the end of a piece, or where several courses of events meet; 0 is none. Valid as long as the record. */
typedef uint32_t simkit_reason_moment;

/** The moment of what runs now, for simkit_reasons_after().
 *
 *  @return  Its number; 0 without a record, before the first piece, and for what comes from outside.
 */
SIMKIT_API simkit_reason_moment simkit_reasons_moment(const simkit_reasons *reasons);

/** What runs now, and what it asks for from now on, has also waited for an earlier moment.
 *
 *  The engine says so itself for all that it knows: messages, resources, barriers, ends of processes, resumes. A program that
 *  counts arrivals in a variable, or keeps messages in a list of its own, says it here; otherwise the record only knows
 *  what came last. The critical path stays the same, as the moment is not later than now.
 *
 *  @param[in] reasons  The record; NULL is harmless.
 *  @param[in] moment   From simkit_reasons_moment(); 0 is harmless.
 */
SIMKIT_API void simkit_reasons_after(simkit_reasons *reasons, simkit_reason_moment moment);
/** @} */

/*=============================================================================
 * MARK: - >>whatif
 *===========================================================================*/
/** @defgroup simkit_whatif_of simkit: whatif
 *  When a run would have ended, had some of its pieces been shorter or longer: without another run. @{ */

/** Which pieces take longer or shorter: those to which all of this applies. All zero: every piece takes no time. */
typedef struct simkit_reason_change {
    const char *name; /**< pieces of this name, as in simkit_reason_piece; "": those without one; NULL: of any name */
    unsigned reasons; /**< OR of 1 << simkit_reason; 0: computing, latency, transmission and timers */
    simkit_node node; /**< there; a transfer: from there; 0: anywhere */
    simkit_node to;   /**< transfers to there; 0: to anywhere, and what is no transfer */
    simkit_link link; /**< transfers whose route, as it is now, crosses this link; 0: any, and what is no transfer */
    double factor;    /**< how many times as long they take [1], >= 0; half for a computer that is twice as fast */
} simkit_reason_change;

/** An answer. */
typedef struct simkit_reason_forecast {
    double end;        /**< when the run would have ended [s] */
    double was;        /**< when it did [s] */
    size_t pieces;     /**< how many computations, transfers and timers the changes select */
    bool exact;        /**< it would have ended then; otherwise this is an estimate */
    const char *doubt; /**< why it is one, in a sentence; exact: "". Valid as long as the program */
} simkit_reason_forecast;

/** When the run would have ended, had the selected pieces taken `factor` times as long.
 *
 *  Goes through all pieces in the order in which they began: each begins when the last of those has ended that it waited for, or
 *  that had come before and it would have waited for. A piece that several changes select is changed by all of them. Where a
 *  computation or transfer was slower than alone, that stays so: the rest takes as many times longer as the part before it, and a
 *  change for SIMKIT_REASON_CPU or SIMKIT_REASON_LINKS changes only the rest. Waiting for a turn follows from the others.
 *
 *  The answer is exact if nothing in the run depends on which of several things comes first, and all computations and
 *  transfers have a core and their links to themselves, before and after: then it is what another run gives, except for rounding
 *  (none where all times and factors are multiples of a power of two). This is checked: `exact` is true only if
 *
 *  - no computation shared cores or memory, no transfer shared links, and none would do so at its new time;
 *  - messages reach each mailbox, and requests reach mailboxes and resources, in the order in which they did. Those that
 *    come at the same instant before and after count as in order;
 *  - the run has no choices, time limits, priorities of requests, signals of conditions, bounds of mailboxes, and nothing was
 *    cancelled, closed or changed while it was recorded, and nothing failed;
 *  - no node in it has a quota, a burst, cores that communication takes, or a host that it shares.
 *
 *  Two things no record can see: a program that decides by the clock or by random numbers whose order changes; and one
 *  that waits by counting, unless it calls simkit_reasons_after().
 *
 *  @param[in]  changes   Which pieces, and how much longer, changes[count].
 *  @param[in]  count     Their number; 0: the end as it was.
 *  @param[out] forecast  The answer.
 *  @return  SIMKIT_OK, SIMKIT_NO_MEMORY; SIMKIT_BAD_ARGUMENT for a factor that is negative, NaN or infinite, for reasons that
 *           cannot be scaled, and for a change that selects nothing: the sentence then says what there is. SIMKIT_UNKNOWN_NODE,
 *           SIMKIT_UNKNOWN_LINK.
 *  @cost    O(n) for n pieces, O(n log n) to see whether it is exact; some 100 ns a piece. Memory for 32 bytes a piece, and 24 for
 *           each link that a transfer crosses, until it returns.
 */
SIMKIT__CHECKED simkit_result simkit_reasons_what_if(simkit_reasons *reasons, const simkit_reason_change *changes,
                                                     size_t count, simkit_reason_forecast *forecast);
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
 * MARK: - >>record (private)
 *
 * Whatever happens while a world runs. What runs now, the current piece, is the cause of whatever is asked for meanwhile. The
 * probe tells which events are asked for, and what is left for others; the rest follows from what watchers see. The end of
 * a piece is the beginning of those that it caused, so the way back over the causes has no gaps, except between runs.
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
    double alone; /* a transfer: time of its bytes; a computation: its time [s] */
    uint32_t cause, name;
    simkit_node node, to;
    uint32_t other; /* where two courses of events meet: that which came first */
    uint8_t kind;   /* of simkit_watch_kind: a computation, a transfer, a step for a timer; or SIMKIT__MEETING */
    bool background, lost, in_order;
} simkit__piece;
#define SIMKIT__MEETING ((uint8_t)SIMKIT_WATCH_ALL + 1) /* where two courses of events meet: takes no time */

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

typedef struct simkit__turn { /* somebody comes to where the order counts */
    double time;
    uint32_t moment; /* his */
    uint32_t queue;  /* QUEUES * place + kind of the queue */
} simkit__turn;
enum { SIMKIT__ARRIVALS, SIMKIT__RECEIVERS, SIMKIT__REQUESTS, SIMKIT__RELEASES, SIMKIT__QUEUES };

typedef struct simkit__token { /* free units of a resource, the first at `first` */
    uint64_t units;
    uint32_t moment; /* when they were released */
} simkit__token;

typedef struct simkit__tokens { /* of a resource */
    simkit__token *line;
    size_t first;
    uint64_t units; /* in all */
} simkit__tokens;

typedef struct simkit__ended { /* a process */
    uint64_t process;
    uint32_t moment;
} simkit__ended;

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
    bool chosen;                      /* something depended on which of several things came first */
    uint32_t *left[SIMKIT_PROBE_END]; /* left[thing][place]: the moment when it was left */
    simkit__tokens *tokens;           /* tokens[resource] */
    simkit__ended *ended;             /* ended[place of a process] */
    simkit__turn *turns;
    uint32_t before;       /* what ran when all had arrived at a barrier */
    double *begins, *ends; /* while a question is answered: of each piece; a transfer begins when its bytes flow */
};

static uint32_t simkit__reasons_push(simkit_reasons *r, const simkit__piece *piece)
{
    const size_t count = simkit_array_count(r->pieces);
    if (r->no_memory || count >= SIMKIT__UNNOTED ||
        (count == r->piece_room && !simkit_array_reserve(r->store, r->pieces, SIMKIT__AT_A_TIME))) {
        r->no_memory = true;
        return SIMKIT_NONE;
    }
    if (count == r->piece_room) r->piece_room += SIMKIT__AT_A_TIME;
    r->pieces[simkit_array_add(r->pieces)] = *piece;
    return (uint32_t)count;
}

static uint32_t simkit__reasons_add(simkit_reasons *r, simkit_watch_kind kind, double begin, uint32_t cause,
                                    const char *name, simkit_node node, bool background)
{
    simkit__piece piece;
    memset(&piece, 0, sizeof piece);
    piece.kind = (uint8_t)kind;
    piece.begin = piece.start = begin;
    piece.mark = piece.end = (double)INFINITY;
    piece.cause = cause == SIMKIT__UNNOTED ? SIMKIT_NONE : cause;
    piece.other = SIMKIT_NONE;
    piece.name = simkit_names_add(r->store, &r->names, name);
    piece.node = node;
    piece.background = background;
    if (piece.name == SIMKIT_NONE) r->no_memory = true;
    return simkit__reasons_push(r, &piece);
}

/* The moment when two courses of events meet, of which the second came first; it is the first if that contains the second. */
static uint32_t simkit__reasons_meet(simkit_reasons *r, uint32_t a, uint32_t b)
{
    simkit__piece piece;
    if (a == SIMKIT__UNNOTED) a = SIMKIT_NONE;
    if (b == SIMKIT__UNNOTED || b == SIMKIT_NONE || a == b) return a;
    if (a != SIMKIT_NONE && (r->pieces[a].cause == b || r->pieces[a].other == b)) return a;
    memset(&piece, 0, sizeof piece);
    piece.kind = SIMKIT__MEETING;
    piece.begin = piece.start = piece.mark = piece.end = simkit_clock_now(r->world);
    piece.cause = a;
    piece.other = b;
    const uint32_t index = simkit__reasons_push(r, &piece);
    return index == SIMKIT_NONE ? a : index;
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
    r->current = simkit__reasons_add(r, SIMKIT_WATCH_STEP, since, cause, name, node, background);
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

/* Where the moment is kept of what was left at a place; NULL without memory. */
static uint32_t *simkit__reasons_left(simkit_reasons *r, simkit_probe_thing thing, uint32_t place)
{
    const uint32_t none = SIMKIT_NONE;
    const size_t count = simkit_array_count(r->left[thing]);
    if (place < count) return &r->left[thing][place];
    if (!simkit_array_reserve(r->store, r->left[thing], place + SIMKIT__AT_A_TIME - count)) {
        r->no_memory = true;
        return NULL;
    }
    while (simkit_array_count(r->left[thing]) < place + (size_t)SIMKIT__AT_A_TIME)
        simkit_array_push(r->left[thing], none);
    return &r->left[thing][place];
}

/* Somebody comes to where the order counts; a request that waits was made at its moment, which may be before now. */
static void simkit__reasons_turn(simkit_reasons *r, unsigned kind, uint32_t place, uint32_t moment)
{
    simkit__turn turn;
    turn.moment = moment == SIMKIT__UNNOTED ? SIMKIT_NONE : moment;
    turn.time = turn.moment == SIMKIT_NONE ? simkit_clock_now(r->world) : r->pieces[turn.moment].end;
    turn.queue = SIMKIT__QUEUES * place + kind;
    if (!simkit_array_reserve(r->store, r->turns, 1))
        r->no_memory = true;
    else
        simkit_array_push(r->turns, turn);
}

/* The units of a resource, which are as many as the world says; NULL without memory. */
static simkit__tokens *simkit__reasons_tokens(simkit_reasons *r, const simkit_probe_pass *pass)
{
    simkit__tokens none;
    memset(&none, 0, sizeof none);
    const size_t count = simkit_array_count(r->tokens);
    if (pass->place >= count && !simkit_array_reserve(r->store, r->tokens, pass->place + 1 - count)) return NULL;
    while (simkit_array_count(r->tokens) <= pass->place) simkit_array_push(r->tokens, none);
    simkit__tokens *tokens = &r->tokens[pass->place];
    if (!simkit_array_reserve(r->store, tokens->line, 2)) return NULL;
    if (tokens->units == pass->available) return tokens;
    const simkit__token all = { pass->available, SIMKIT_NONE }; /* it is new, or another one in this place */
    simkit_array_cut(tokens->line, 0);
    tokens->first = 0;
    tokens->units = pass->available;
    simkit_array_push(tokens->line, all);
    return tokens;
}

/* Units are released, or acquired: those first that were free first. */
static void simkit__reasons_units(simkit_reasons *r, const simkit_probe_pass *pass)
{
    simkit__tokens *tokens = simkit__reasons_tokens(r, pass);
    uint32_t cause = simkit__reasons_cause(r); /* of a release, also between two runs */
    uint32_t *asked = pass->of > 0  ? simkit__reasons_left(r, SIMKIT_PROBE_WAIT, pass->of - 1)
                      : pass->taken ? &r->current
                                    : &cause;
    if (!tokens || !asked) {
        r->no_memory = true;
        return;
    }
    simkit__reasons_turn(r, pass->taken ? SIMKIT__REQUESTS : SIMKIT__RELEASES, pass->place, *asked);
    if (!pass->taken) {
        const simkit__token released = { pass->count, cause };
        if (tokens->first > SIMKIT__AT_A_TIME && 2 * tokens->first > simkit_array_count(tokens->line)) {
            const size_t rest = simkit_array_count(tokens->line) - tokens->first;
            memmove(tokens->line, tokens->line + tokens->first, rest * sizeof *tokens->line);
            simkit_array_cut(tokens->line, rest);
            tokens->first = 0;
        }
        simkit_array_push(tokens->line, released);
        tokens->units += pass->count;
        return;
    }
    tokens->units -= pass->count;
    for (uint64_t wanted = pass->count; wanted > 0 && tokens->first < simkit_array_count(tokens->line);) {
        simkit__token *token = &tokens->line[tokens->first];
        const uint64_t part = token->units < wanted ? token->units : wanted;
        if (!(pass->of > 0 && token->moment == r->current)) *asked = simkit__reasons_meet(r, *asked, token->moment);
        token->units -= part;
        wanted -= part;
        tokens->first += token->units == 0;
    }
}

/* A process ends, or somebody sees that it has ended. */
static void simkit__reasons_ended(simkit_reasons *r, const simkit_probe_pass *pass)
{
    const simkit__ended none = { 0, SIMKIT_NONE };
    const size_t count = simkit_array_count(r->ended);
    if (pass->place >= count && !simkit_array_reserve(r->store, r->ended, pass->place + 1 - count)) {
        r->no_memory = true;
        return;
    }
    while (simkit_array_count(r->ended) <= pass->place) simkit_array_push(r->ended, none);
    simkit__ended *ended = &r->ended[pass->place];
    if (!pass->taken) {
        ended->process = pass->count;
        ended->moment = r->current;
        return;
    }
    uint32_t *asked = pass->of > 0 ? simkit__reasons_left(r, SIMKIT_PROBE_WAIT, pass->of - 1) : &r->current;
    if (ended->process != pass->count)
        r->chosen = true; /* another process has ended in its place since, and nothing says when this one did */
    else if (asked)
        *asked = simkit__reasons_meet(r, *asked, ended->moment);
}

/* What runs now leaves something, or takes what was left: then it has also waited for that. */
static void simkit__reasons_passed(const simkit_world *world, void *user, const simkit_probe_pass *pass)
{
    simkit_reasons *r = (simkit_reasons *)user;
    (void)world;
    if (r->no_memory) return;
    if (pass->thing == SIMKIT_PROBE_ORDER) r->chosen = true;
    if (pass->thing == SIMKIT_PROBE_UNITS) simkit__reasons_units(r, pass);
    if (pass->thing == SIMKIT_PROBE_END) simkit__reasons_ended(r, pass);
    if (pass->thing == SIMKIT_PROBE_UNITS || pass->thing >= SIMKIT_PROBE_END) return;
    const uint32_t current = simkit__reasons_cause(r);
    if (!pass->taken && pass->thing == SIMKIT_PROBE_MESSAGE)
        simkit__reasons_turn(r, SIMKIT__ARRIVALS, pass->of, current);
    if (!pass->taken && pass->thing == SIMKIT_PROBE_RECEIVER)
        simkit__reasons_turn(r, SIMKIT__RECEIVERS, pass->of, current);
    uint32_t *left = pass->place == SIMKIT_NONE ? NULL : simkit__reasons_left(r, pass->thing, pass->place);
    if (!left) return;
    if (pass->thing == SIMKIT_PROBE_BARRIER && pass->taken) {
        r->before = r->current;
        r->current = *left; /* which contains it: it came last */
        *left = SIMKIT_NONE;
    } else if (pass->thing == SIMKIT_PROBE_BARRIER && pass->of > 0) {
        r->current = r->before;
    } else if (pass->thing == SIMKIT_PROBE_BARRIER) {
        *left = simkit__reasons_meet(r, current, *left);
    } else if (pass->taken) {
        r->current = simkit__reasons_meet(r, r->current, *left);
    } else {
        *left = current;
    }
}

/* A link changes: times depend on when. */
static void simkit__reasons_link(const simkit_world *world, void *user, simkit_link link, simkit_probe_change change)
{
    (void)world, (void)link, (void)change;
    ((simkit_reasons *)user)->chosen = true;
}

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
    const uint32_t index =
        simkit__reasons_add(r, event->kind, event->time, simkit__reasons_cause(r),
                            event->name[0] ? event->name : event->lane, event->node, event->background);
    r->labels[at] = index;
    if (index == SIMKIT_NONE) return;
    r->pieces[index].to = event->to;
    r->pieces[index].in_order = event->in_order;
}

static void simkit__reasons_end(simkit_reasons *r, const simkit_watch_event *event, simkit__piece *piece)
{
    piece->end = event->time;
    if (event->kind == SIMKIT_WATCH_COMPUTE) {
        const simkit__account *a = simkit__account_of(r, event->node, event->time);
        if (a) piece->mark = piece->begin + (piece->alone = event->seconds / a->speed);
    } else {
        simkit_transfer_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.from = event->node;
        desc.to = event->to;
        piece->alone = event->bytes * simkit_transfer_alone(r->world, &desc).byte_time;
    }
    piece->lost = event->phase == SIMKIT_PHASE_LOST;
    if (piece->lost && !event->background) r->chosen = true;
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
        else if (at < count)
            r->current = simkit__reasons_meet(r, r->current, r->pauses[at].cause);
        return;
    }
    if (event->phase == SIMKIT_PHASE_LOST) r->chosen = true;
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
        r->chosen = true; /* it has failed */
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

/*=============================================================================
 * MARK: - >>reasons (body)
 *
 * Opening and closing a record, and the way back over what it has.
 *===========================================================================*/
static void simkit__reasons_closes(simkit_world *world, void *user)
{
    (void)world;
    simkit_reasons_close((simkit_reasons *)user);
}

static const simkit_probe simkit__reasons_probe = {
    simkit__reasons_armed,  simkit__reasons_due,   NULL, NULL, NULL, simkit__reasons_link, NULL,
    simkit__reasons_closes, simkit__reasons_passed
};

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
    r->current = r->last = r->before = SIMKIT_NONE;
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
    for (size_t i = 0; i < SIMKIT_PROBE_END; ++i) simkit_array_discard(store, r->left[i]);
    for (size_t i = 0; i < simkit_array_count(r->tokens); ++i) simkit_array_discard(store, r->tokens[i].line);
    simkit_array_discard(store, r->tokens);
    simkit_array_discard(store, r->ended);
    simkit_array_discard(store, r->turns);
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
        if (p->kind == SIMKIT__MEETING) continue;
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

SIMKIT_API simkit_reason_moment simkit_reasons_moment(const simkit_reasons *reasons)
{
    const uint32_t now = reasons ? simkit__reasons_cause(reasons) : SIMKIT_NONE;
    return now == SIMKIT_NONE || now == SIMKIT__UNNOTED ? 0 : now + 1;
}

SIMKIT_API void simkit_reasons_after(simkit_reasons *reasons, simkit_reason_moment moment)
{
    if (!reasons || moment == 0 || moment > simkit_array_count(reasons->pieces)) return;
    uint32_t *now = simkit_world_running(reasons->world) ? &reasons->current : &reasons->last;
    *now = simkit__reasons_meet(reasons, *now, moment - 1);
}

/*=============================================================================
 * MARK: - >>times (private)
 *
 * New times. The pieces lie in the order in which they were asked for, so all that a piece waited for comes before it: one
 * pass over them is enough.
 *===========================================================================*/
enum {
    SIMKIT__SCALED = 1 << SIMKIT_REASON_COMPUTING | 1 << SIMKIT_REASON_CPU | 1 << SIMKIT_REASON_LATENCY |
                     1 << SIMKIT_REASON_TRANSMISSION | 1 << SIMKIT_REASON_LINKS | 1 << SIMKIT_REASON_TIMER
};
enum {
    SIMKIT__OF_COMPUTATION = 1 << SIMKIT_REASON_COMPUTING | 1 << SIMKIT_REASON_CPU,
    SIMKIT__OF_TRANSFER = 1 << SIMKIT_REASON_LATENCY | 1 << SIMKIT_REASON_TRANSMISSION | 1 << SIMKIT_REASON_LINKS,
    SIMKIT__OF_TIMER = 1 << SIMKIT_REASON_TIMER
};

typedef struct simkit__factors { /* of a piece */
    double first;                /* a computation: computing; a transfer: its latency; a timer */
    double second;               /* a transfer: transmission */
    double rest;                 /* waiting for CPU, shared links */
    bool selected;
} simkit__factors;

typedef struct simkit__use { /* from when, or until when, a piece has a core or a link */
    double time;
    uint64_t what; /* which */
    int by;        /* 1: from then; -1: until then */
} simkit__use;

typedef struct simkit__question {
    simkit_reasons *r;
    const simkit_reason_change *changes; /* changes[count] */
    size_t count;
    simkit_hop *hops; /* of a route; an array */
    simkit__use *uses;
    size_t *selected; /* selected[change]: how many pieces */
    const char *doubt;
    bool no_memory;
} simkit__question;

static const char *const simkit__doubts[] = {
    "something depended on which of several things came first, or was cancelled, closed or changed",
    "computations shared a core or the memory, or transfers shared links: they are as much slower as they were",
    "a node has a quota, a burst, a host that it shares, or cores that communication takes",
    "messages, requests or transfers would come in another order, but the answer keeps theirs",
    "computations or transfers would meet on a core or a link that they had to themselves",
};
enum { SIMKIT__DOUBT_CHOICE, SIMKIT__DOUBT_SHARES, SIMKIT__DOUBT_RATION, SIMKIT__DOUBT_ORDER, SIMKIT__DOUBT_MEET };

static unsigned simkit__reasons_of_kind(uint8_t kind)
{
    return kind == SIMKIT_WATCH_COMPUTE    ? SIMKIT__OF_COMPUTATION
           : kind == SIMKIT_WATCH_TRANSFER ? SIMKIT__OF_TRANSFER
           : kind == SIMKIT__MEETING       ? 0
                                           : SIMKIT__OF_TIMER;
}

/* The links between two nodes; their number. */
static size_t simkit__question_route(simkit__question *q, simkit_node from, simkit_node to)
{
    const simkit_hop none = { 0, false };
    const size_t count = simkit_route_get(q->r->world, from, to, NULL, 0), room = simkit_array_count(q->hops);
    if (count > room && !simkit_array_reserve(q->r->store, q->hops, count - room)) {
        q->no_memory = true;
        return 0;
    }
    while (simkit_array_count(q->hops) < count) simkit_array_push(q->hops, none);
    return count > 0 ? simkit_route_get(q->r->world, from, to, q->hops, count) : 0;
}

static bool simkit__change_selects(simkit__question *q, const simkit_reason_change *change, const simkit__piece *p)
{
    const unsigned reasons = change->reasons ? change->reasons : (unsigned)SIMKIT__SCALED;
    if (!(reasons & simkit__reasons_of_kind(p->kind))) return false;
    if (change->name && strcmp(change->name, q->r->names.texts[p->name]) != 0) return false;
    if (change->node && change->node != p->node) return false;
    if (change->to && change->to != p->to) return false;
    if (!change->link) return true;
    const size_t count = p->kind == SIMKIT_WATCH_TRANSFER ? simkit__question_route(q, p->node, p->to) : 0;
    for (size_t i = 0; i < count; ++i)
        if (q->hops[i].link == change->link) return true;
    return false;
}

static simkit__factors simkit__question_factors(simkit__question *q, const simkit__piece *p)
{
    simkit__factors f = { 1, 1, 1, false };
    for (size_t i = 0; i < q->count; ++i) {
        const simkit_reason_change *change = &q->changes[i];
        const unsigned usual = SIMKIT__SCALED & ~(1u << SIMKIT_REASON_CPU | 1u << SIMKIT_REASON_LINKS),
                       reasons = change->reasons ? change->reasons : usual;
        if (!simkit__change_selects(q, change, p)) continue;
        const bool transfer = p->kind == SIMKIT_WATCH_TRANSFER;
        const unsigned alone = 1u << (transfer ? SIMKIT_REASON_TRANSMISSION : SIMKIT_REASON_COMPUTING),
                       rest = 1u << (transfer ? SIMKIT_REASON_LINKS : SIMKIT_REASON_CPU),
                       first = 1u << (transfer                          ? SIMKIT_REASON_LATENCY
                                      : p->kind == SIMKIT_WATCH_COMPUTE ? SIMKIT_REASON_COMPUTING
                                                                        : SIMKIT_REASON_TIMER);
        if (reasons & first) f.first *= change->factor;
        if (reasons & alone) f.second *= change->factor;
        if (reasons & (alone | rest)) f.rest *= change->factor;
        f.selected = true;
        ++q->selected[i];
    }
    return f;
}

static void simkit__question_doubt(simkit__question *q, int doubt)
{
    if (!q->doubt) q->doubt = simkit__doubts[doubt];
}

/* When a moment is now; of what comes from outside: when it was. */
static double simkit__question_time(const simkit_reasons *r, uint32_t moment, double was)
{
    if (moment == SIMKIT_NONE) return was;
    const double gap = was - r->pieces[moment].end; /* between two runs */
    return gap > 0 ? r->ends[moment] + gap : r->ends[moment];
}

/* A part of a piece: it ends where it did if nothing has changed up to then. */
static double simkit__part(double from, double was_from, double was_to, double seconds, double factor, bool *same)
{
    *same = *same && from >= was_from && from <= was_from && factor >= 1 && factor <= 1;
    return *same ? was_to : from + factor * seconds;
}

/* New times of a computation or a transfer. One that was cancelled takes as long as it did: what cancelled it is not known. */
static void simkit__question_work(simkit__question *q, size_t index, const simkit__factors *f, double begin,
                                  double start)
{
    simkit_reasons *r = q->r;
    const simkit__piece *p = &r->pieces[index];
    const bool transfer = p->kind == SIMKIT_WATCH_TRANSFER;
    const double mark = p->mark < (double)INFINITY ? p->mark : p->end; /* without bytes nothing flows */
    bool same = begin >= p->begin && begin <= p->begin;
    r->begins[index] = transfer ? simkit__part(start, p->start, mark, mark - p->start, f->first, &same) : begin;
    if (p->lost) {
        r->begins[index] = begin;
        r->ends[index] = begin + (p->end - p->begin);
        return;
    }
    const double at = r->begins[index], was_at = transfer ? mark : p->begin, whole = p->end - was_at,
                 rounding = 1e-12 * p->end, factor = transfer ? f->second : f->first;
    const double alone = p->alone > whole + rounding ? whole : p->alone; /* a burst passes at once */
    const double rest = whole - alone > rounding ? whole - alone : 0;
    const bool kept = factor >= 1 && factor <= 1 && (!(rest > 0) || (f->rest >= 1 && f->rest <= 1));
    if (same && kept)
        r->ends[index] = p->end;
    else
        r->ends[index] = rest > 0 ? at + factor * alone + f->rest * rest : at + factor * alone;
    if (rest > 0) simkit__question_doubt(q, SIMKIT__DOUBT_SHARES);
}

/* New times of all pieces; gives the latest end of those that the run went on for. */
static double simkit__question_pass(simkit__question *q, size_t *selected)
{
    simkit_reasons *r = q->r;
    simkit_index pairs; /* the latest transfer in order of each pair of nodes */
    double end = r->opened;
    memset(&pairs, 0, sizeof pairs);
    for (uint32_t i = 0; i < simkit_array_count(r->pieces) && !q->no_memory; ++i) {
        const simkit__piece *p = &r->pieces[i];
        double begin = simkit__question_time(r, p->cause, p->begin), start = begin;
        r->begins[i] = r->ends[i] = begin;
        if (p->kind == SIMKIT__MEETING) {
            const double other = simkit__question_time(r, p->other, r->pieces[p->other].end);
            r->ends[i] = other > begin ? other : begin;
            continue;
        }
        const simkit__factors f = simkit__question_factors(q, p);
        *selected += f.selected;
        if (p->in_order) {
            const uint32_t hash = simkit_hash_number((uint64_t)p->node << 32 | p->to);
            size_t at = hash;
            uint32_t before;
            do before = simkit_index_next(&pairs, hash, &at);
            while (before != SIMKIT_NONE && (r->pieces[before].node != p->node || r->pieces[before].to != p->to));
            if (before != SIMKIT_NONE) {
                if (r->ends[before] > start) start = r->ends[before];
                if (r->pieces[before].start < p->begin &&
                    !(begin > simkit__question_time(r, r->pieces[before].cause, r->pieces[before].begin)))
                    simkit__question_doubt(q, SIMKIT__DOUBT_ORDER);
                simkit_index_drop(&pairs, hash, before);
            }
            if (!simkit_index_put(r->store, &pairs, hash, i)) q->no_memory = true;
        }
        if (!(p->end < (double)INFINITY))
            r->ends[i] = (double)INFINITY; /* it goes on */
        else if (p->kind == SIMKIT_WATCH_COMPUTE || p->kind == SIMKIT_WATCH_TRANSFER)
            simkit__question_work(q, i, &f, begin, start);
        else {
            bool same = true;
            r->ends[i] = simkit__part(begin, p->begin, p->end, p->end - p->begin, f.first, &same);
        }
        if (!p->background && !p->lost && p->end < (double)INFINITY && r->ends[i] > end) end = r->ends[i];
    }
    simkit_index_free(r->store, &pairs);
    return end;
}

/*=============================================================================
 * MARK: - >>doubts (private)
 *
 * What makes an answer an estimate: turns in another order, and pieces that meet where they share.
 *===========================================================================*/
/* Returns true if a moment follows another at no time, so that their order is certain. */
static bool simkit__moment_follows(const simkit_reasons *r, uint32_t moment, uint32_t other)
{
    for (int steps = 0; steps < 64 && moment != SIMKIT_NONE && moment >= other; ++steps) {
        if (moment == other) return true;
        moment = r->pieces[moment].cause;
    }
    return false;
}

/* Sees whether those who come to where the order counts would come in the same order. */
static void simkit__question_turns(simkit__question *q)
{
    simkit_reasons *r = q->r;
    const size_t count = simkit_array_count(r->turns);
    uint32_t queues = 0;
    for (size_t i = 0; i < count; ++i)
        if (r->turns[i].queue >= queues) queues = r->turns[i].queue + 1;
    const size_t bytes = queues * sizeof(uint32_t);
    uint32_t *latest = (uint32_t *)simkit_store_resize(r->store, NULL, 0, bytes + 1);
    if (!latest) {
        q->no_memory = true;
        return;
    }
    for (size_t i = 0; i < queues; ++i) latest[i] = SIMKIT_NONE;
    for (size_t i = 0; i < count && !q->doubt; ++i) {
        const simkit__turn *turn = &r->turns[i];
        if (latest[turn->queue] != SIMKIT_NONE) {
            const simkit__turn *before = &r->turns[latest[turn->queue]];
            const double now = simkit__question_time(r, turn->moment, turn->time),
                         then = simkit__question_time(r, before->moment, before->time);
            const bool tie = now >= then && now <= then;
            if (now < then || (tie && turn->time > before->time && before->moment != SIMKIT_NONE &&
                               !simkit__moment_follows(r, turn->moment, before->moment)))
                simkit__question_doubt(q, SIMKIT__DOUBT_ORDER);
        }
        latest[turn->queue] = (uint32_t)i;
    }
    simkit__why_release(r->store, latest, bytes + 1);
}

/* A piece has a core or a direction of a link from its begin to its end, if that takes time. */
static void simkit__question_use(simkit__question *q, size_t index, uint64_t what)
{
    simkit_reasons *r = q->r;
    simkit__use use = { r->begins[index], what, 1 };
    if (!(use.time < r->ends[index])) return;
    if (!simkit_array_reserve(r->store, q->uses, 2)) {
        q->no_memory = true;
        return;
    }
    simkit_array_push(q->uses, use);
    use.time = r->ends[index];
    use.by = -1;
    simkit_array_push(q->uses, use);
}

static int simkit__by_use_time(const void *a, const void *b)
{
    const simkit__use *x = (const simkit__use *)a, *y = (const simkit__use *)b;
    if (x->what != y->what) return x->what < y->what ? -1 : 1;
    if (x->time < y->time || x->time > y->time) return x->time < y->time ? -1 : 1;
    return x->by - y->by; /* ends before begins */
}

enum { SIMKIT__CORES, SIMKIT__UP_LINK, SIMKIT__DOWN_LINK, SIMKIT__PAIR_OF_NODES, SIMKIT__FORTH, SIMKIT__BACK };

static uint64_t simkit__use_of(int kind, uint32_t number, uint32_t other)
{
    return (uint64_t)kind << 60 | (uint64_t)(other & 0x3fffffffu) << 30 | (number & 0x3fffffffu);
}

/* The links that a transfer crosses. Those of its nodes count even where they are infinitely fast and a route leaves them out. */
static void simkit__question_links(simkit__question *q, size_t index, bool pairs)
{
    const simkit__piece *p = &q->r->pieces[index];
    const double from = simkit_node_get(q->r->world, p->node).duplex, to = simkit_node_get(q->r->world, p->to).duplex;
    if (p->node == p->to) return;
    simkit__question_use(q, index, simkit__use_of(SIMKIT__UP_LINK, p->node, 0));
    simkit__question_use(q, index, simkit__use_of(to > 0 && to < 2 ? SIMKIT__UP_LINK : SIMKIT__DOWN_LINK, p->to, 0));
    if (from > 0 && from < 2) simkit__question_use(q, index, simkit__use_of(SIMKIT__DOWN_LINK, p->node, 0));
    if (pairs)
        simkit__question_use(q, index,
                             simkit__use_of(SIMKIT__PAIR_OF_NODES, p->node < p->to ? p->node : p->to,
                                            p->node < p->to ? p->to : p->node));
    const size_t count = simkit__question_route(q, p->node, p->to);
    for (size_t i = 0; i < count; ++i)
        simkit__question_use(q, index,
                             simkit__use_of(q->hops[i].back ? SIMKIT__BACK : SIMKIT__FORTH, q->hops[i].link, 0));
}

/* Sees whether pieces meet on a core or a link. Where nothing was shared before, nothing else has made them slower. */
static void simkit__question_uses(simkit__question *q)
{
    simkit_reasons *r = q->r;
    const double duplex = simkit_world_get(r->world).pair_duplex;
    const bool pairs = duplex > 0 && duplex < 2;
    for (size_t i = 0; i < simkit_array_count(r->pieces) && !q->doubt && !q->no_memory; ++i) {
        const simkit__piece *p = &r->pieces[i];
        if (p->kind != SIMKIT_WATCH_COMPUTE && p->kind != SIMKIT_WATCH_TRANSFER) continue;
        const simkit_node_desc node = simkit_node_get(r->world, p->node);
        if (node.quota > 0 || node.host > 0 || node.burst > 0 || node.cpu_per_incoming > 0 || node.cpu_per_outgoing > 0)
            simkit__question_doubt(q, SIMKIT__DOUBT_RATION);
        if (p->kind == SIMKIT_WATCH_COMPUTE)
            simkit__question_use(q, i, simkit__use_of(SIMKIT__CORES, p->node, 0));
        else
            simkit__question_links(q, i, pairs);
    }
    const size_t count = simkit_array_count(q->uses);
    if (count > 0) qsort(q->uses, count, sizeof *q->uses, simkit__by_use_time);
    int64_t users = 0, most = 1;
    for (size_t i = 0; i < count && !q->doubt; ++i) {
        const simkit__use *use = &q->uses[i];
        if (i == 0 || use->what != q->uses[i - 1].what) {
            users = 0;
            most = 1;
            if (use->what >> 60 == SIMKIT__CORES) {
                const simkit_node_desc node = simkit_node_get(r->world, (simkit_node)use->what);
                if (!(node.memory_bandwidth > 0)) most = node.cores;
            }
        }
        users += use->by;
        if (users > most) simkit__question_doubt(q, SIMKIT__DOUBT_MEET);
    }
    simkit_array_discard(r->store, q->uses);
}

/*=============================================================================
 * MARK: - >>whatif (body)
 *
 * The answer, and what is wrong with a question.
 *===========================================================================*/
/* Adds to a text, as far as there is room. */
SIMKIT__FORMAT(3, 4)
static void simkit__text_add(char *text, size_t room, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    if (used + 1 < room) simkit_text_format(text + used, room - used, format, values);
    va_end(values);
}

/* Says which names there are, and what of each can be scaled. */
static void simkit__question_kinds(const simkit_reasons *r, char *text, size_t room)
{
    const size_t names = simkit_array_count(r->names.texts);
    size_t said = 0;
    text[0] = 0;
    for (size_t n = 0; n < names; ++n) {
        unsigned reasons = 0;
        for (size_t i = 0; i < simkit_array_count(r->pieces); ++i)
            if (r->pieces[i].name == n) reasons |= simkit__reasons_of_kind(r->pieces[i].kind);
        if (!reasons) continue;
        if (strlen(text) + strlen(r->names.texts[n]) + 80 > room) {
            simkit__text_add(text, room, ", ...");
            return;
        }
        simkit__text_add(
            text, room, "%s'%s' (%s%s%s)", said++ ? ", " : "", r->names.texts[n],
            reasons & SIMKIT__OF_COMPUTATION ? "computing" : "",
            reasons & SIMKIT__OF_TRANSFER ? reasons & SIMKIT__OF_COMPUTATION ? ", transfers" : "transfers" : "",
            reasons & SIMKIT__OF_TIMER ? reasons & ~(unsigned)SIMKIT__OF_TIMER ? ", timers" : "timers" : "");
    }
    if (!said) simkit__text_add(text, room, "nothing");
}

/* SIMKIT_OK if a change can be asked for. */
static simkit_result simkit__change_check(const simkit_reasons *r, const simkit_reason_change *change, size_t number)
{
    simkit_world *w = r->world;
    char text[400], shown[32];
    const unsigned long which = (unsigned long)number + 1;
    const simkit_node nodes = simkit_node_count(w), node = change->node > nodes ? change->node : change->to;
    const simkit_link links = simkit_link_count(w);
    if (!(change->factor >= 0 && change->factor < (double)INFINITY))
        return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT,
                                 "change %lu has a factor of %s, expected a finite one, 0 or more", which,
                                 simkit__why_number(shown, "%g", change->factor));
    if (change->reasons & ~(unsigned)SIMKIT__SCALED)
        return simkit_world_fail(
            w, SIMKIT_BAD_ARGUMENT,
            "change %lu scales reasons 0x%x; computing, waiting for CPU, latency, transmission, shared "
            "links and timers can be scaled: 0x%x",
            which, change->reasons, (unsigned)SIMKIT__SCALED);
    if (node > nodes)
        return simkit_world_fail(w, SIMKIT_UNKNOWN_NODE, "change %lu names node %lu, but the nodes are 1 .. %lu", which,
                                 (unsigned long)node, (unsigned long)nodes);
    if (change->link > links)
        return simkit_world_fail(w, SIMKIT_UNKNOWN_LINK, "change %lu names link %lu, but there are %lu links", which,
                                 (unsigned long)change->link, (unsigned long)links);
    if (!change->name || simkit_names_find(&r->names, change->name) != SIMKIT_NONE) return SIMKIT_OK;
    simkit__question_kinds(r, text, sizeof text);
    return simkit_world_fail(w, SIMKIT_BAD_ARGUMENT, "change %lu: nothing is called '%.60s'; there is %s", which,
                             change->name, text);
}

/* A change that selects nothing is a mistake. */
static simkit_result simkit__change_empty(const simkit_reasons *r, size_t number)
{
    char text[400];
    simkit__question_kinds(r, text, sizeof text);
    return simkit_world_fail(
        r->world, SIMKIT_BAD_ARGUMENT,
        "change %lu selects nothing: its name, reasons, nodes and link go together nowhere; there is %s",
        (unsigned long)number + 1, text);
}

static simkit_result simkit__question_answer(simkit__question *q, simkit_reason_forecast *forecast)
{
    simkit_reasons *r = q->r;
    bool same = true;
    forecast->was = r->last == SIMKIT_NONE ? r->opened : r->pieces[r->last].end;
    forecast->end = simkit__question_pass(q, &forecast->pieces);
    for (size_t i = 0; i < q->count; ++i) same = same && q->changes[i].factor >= 1 && q->changes[i].factor <= 1;
    if (r->chosen) q->doubt = simkit__doubts[SIMKIT__DOUBT_CHOICE];
    if (!same && !q->doubt && !q->no_memory) simkit__question_turns(q);
    if (!same && !q->doubt && !q->no_memory) simkit__question_uses(q);
    if (q->no_memory) return simkit_world_fail(r->world, SIMKIT_NO_MEMORY, "no memory for a question about reasons");
    for (size_t i = 0; i < q->count; ++i)
        if (q->selected[i] == 0) return simkit__change_empty(r, i);
    forecast->exact = same || !q->doubt;
    forecast->doubt = forecast->exact ? "" : q->doubt;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_reasons_what_if(simkit_reasons *reasons, const simkit_reason_change *changes,
                                                size_t count, simkit_reason_forecast *forecast)
{
    simkit__question q;
    simkit_reasons *r = reasons;
    if (!r || !forecast) return SIMKIT_BAD_ARGUMENT;
    memset(forecast, 0, sizeof *forecast);
    forecast->doubt = "";
    if (count > 0 && !changes)
        return simkit_world_fail(r->world, SIMKIT_BAD_ARGUMENT, "a question of %lu changes needs them",
                                 (unsigned long)count);
    if (r->no_memory) return simkit_world_fail(r->world, SIMKIT_NO_MEMORY, "no memory for all reasons of a run");
    for (size_t i = 0; i < count; ++i) {
        const simkit_result result = simkit__change_check(r, &changes[i], i);
        if (result != SIMKIT_OK) return result;
    }
    memset(&q, 0, sizeof q);
    q.r = r;
    q.changes = changes;
    q.count = count;
    const size_t pieces = simkit_array_count(r->pieces), times = 2 * pieces * sizeof *r->ends,
                 bytes = times + (count + 1) * sizeof *q.selected;
    r->begins = (double *)simkit_store_resize(r->store, NULL, 0, bytes);
    if (!r->begins) return simkit_world_fail(r->world, SIMKIT_NO_MEMORY, "no memory for a question about reasons");
    r->ends = r->begins + pieces;
    q.selected = (size_t *)(void *)(r->ends + pieces);
    memset(q.selected, 0, (count + 1) * sizeof *q.selected);
    const simkit_result result = simkit__question_answer(&q, forecast);
    if (result != SIMKIT_OK) {
        memset(forecast, 0, sizeof *forecast);
        forecast->doubt = "";
    }
    simkit__why_release(r->store, r->begins, bytes);
    r->begins = r->ends = NULL;
    simkit_array_discard(r->store, q.hops);
    simkit_array_discard(r->store, q.uses);
    return result;
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
                                                    simkit__loadmap_closes,
                                                    NULL };

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
