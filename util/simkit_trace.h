/*
simkit_trace.h - what a run did, as a picture: timing diagrams, traces for other viewers, and pictures of your own

Records the computations and transfers of a world while it runs, its own or those that simkit_watch_emit() reports, and
writes them as a timing diagram (SVG), for Perfetto, for Paje's viewers, or as a table. And it lends what it writes with:
files that appear when they are complete, with escaped texts, decimal points and an axis for the time. Part of simkit;
stands on simkit.h alone, by its public calls.

    #define SIMKIT_IMPLEMENTATION
    #include "simkit.h"
    #include "util/simkit_trace.h"

    int main(void)
    {
        static const simkit_trace_desc file = { "two.svg", "Two computations on one core", false };
        static simkit_computation_desc work[2];
        simkit_world *world;
        simkit_trace *trace;
        if (simkit_world_open(NULL, &world) != SIMKIT_OK) return 1;
        simkit_result result = simkit_node_add(world, NULL, &work[0].node);
        work[1] = work[0];
        work[0].seconds = 2, work[0].name = work[0].lane = "short";
        work[1].seconds = 3, work[1].name = work[1].lane = "long";
        if (!result) result = simkit_trace_open(world, &file, &trace);
        for (int i = 0; i < 2 && !result; ++i) result = simkit_computation_start(world, &work[i], NULL);
        if (!result) result = simkit_world_run(world);
        if (!result) result = simkit_trace_close(trace);
        if (result) puts(simkit_world_why(world));
        else printf("%s shows %g s", file.path, simkit_clock_now(world));
        simkit_world_close(world);
        return result != SIMKIT_OK;
    }

prints `two.svg shows 5 s`, and draws both with half the height for 4 s, then the rest of the long one with all of it.

USE      Copy it beside simkit.h, or into a folder util/ there, and include simkit.h before it. Define SIMKIT_IMPLEMENTATION
         in one C or C++ file, as above, before both; others just include the headers.

ROOMS    grep 'MARK: - >>' walks them; bodies follow in the same order, private rooms before the body that needs them
    trace        what a run did: a timing diagram (SVG), for Perfetto, for Paje's viewers, or as a table
    picture      files that appear when they are complete: pictures and tables of your own
    output       (private) texts and numbers in every format, and files that appear when they are complete
    svg          (private) bars, their shades and areas, as SVG
    diagram      (private) the rows and the legend of a timing diagram

OPTIONS  Those of simkit.h, defined before both headers: SIMKIT_STATIC, SIMKIT_ANY_FLOAT. Besides:
         SIMKIT_TRACE_IMPLEMENTATION   compile this body alone; that of simkit.h is in another file of the program
         It writes files, so SIMKIT_NO_STDIO leaves nothing of it. The body has 26 KB of code by gcc 12 -O2.

ERRORS   As in simkit.h: a simkit_result, and simkit_world_why() of the world is the sentence.

OWNED    A trace takes its memory from its world, and copies what it is given. A parameter is described where a room first
         has it, and not at all if its type says enough.

THREADS  Those of the world: one at a time.

BITS     The same run writes the same bytes on every processor with IEEE doubles, in every locale. The body refuses to
         compile with -ffast-math, -ffinite-math-only or x87 arithmetic, as that of simkit.h does.

SINCE    0.1.0, the first version, in which all of it but the room picture was a part of simkit.h.
*/
/** @file simkit_trace.h
 *  What a run did: timing diagrams, traces, and pictures of your own. See @ref simkit_trace.
 *  @since 0.1.0 */
#ifndef SIMKIT_TRACE_H
#define SIMKIT_TRACE_H

#ifndef SIMKIT_H
#error "include simkit.h before util/simkit_trace.h"
#endif
#ifdef SIMKIT_NO_STDIO
#error "util/simkit_trace.h writes files: compile without SIMKIT_NO_STDIO"
#endif

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*=============================================================================
 * MARK: - >>trace
 *===========================================================================*/
/** @defgroup simkit_trace simkit: trace
 *  What a run did, in a file: as a timing diagram, for chrome://tracing and Perfetto, for ViTE and other viewers of
 *  Paje's format, or as a table. @{ */

/** A trace that is being recorded. */
typedef struct simkit_trace simkit_trace;

/** What to record, and where to. Both texts are copied. */
typedef struct simkit_trace_desc {
    const char *path;  /**< the file to write; its ending is the format, see simkit_trace_open() */
    const char *title; /**< heading of a timing diagram, up to 255 bytes; NULL: none */
    bool lanes;        /**< timing diagram: a line for each transfer, and for each of several computations of a lane */
} simkit_trace_desc;

/** Begins to record computations and transfers. The ending of the path is the format:
 *
 *  | ending | format |
 *  |---|---|
 *  | `.svg` | a timing diagram with shares of cores and transfers in flight, kept in memory and drawn at the close |
 *  | `.json` | Chrome's; Perfetto opens it as well |
 *  | `.paje`, `.trace` | Paje's, with states and links |
 *  | `.csv` | a line for each: kind, name, node, to, lane, begin [s], end [s], bytes [B] |
 *
 *  All but the diagram are written while the world runs and take memory for rows only, however long the run. Several
 *  traces of one world may be open at once. Bytes of names that are not UTF-8 appear as U+FFFD.
 *
 *  @param[in]  world  The trace takes its memory from it.
 *  @param[out] trace  Close it for the result; simkit_world_close() closes it, too.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT, also for another ending; SIMKIT_NO_FILE, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_trace_open(simkit_world *world, const simkit_trace_desc *desc,
                                                simkit_trace **trace);

/** Ends the trace. The file appears under its path now, complete or not at all. A link, a device or a pipe at the path
 *  is kept, and written to directly.
 *
 *  @param[in] trace  The trace; NULL is harmless.
 *  @return  SIMKIT_OK, SIMKIT_NO_FILE, SIMKIT_NO_MEMORY (also if memory ran out while recording).
 */
SIMKIT__CHECKED simkit_result simkit_trace_close(simkit_trace *trace);
/** @} */

/*=============================================================================
 * MARK: - >>picture
 *===========================================================================*/
/** @defgroup simkit_picture_of simkit: picture
 *  Files of your own, written as a trace writes its own: they appear when they are complete, texts are escaped, and numbers are
 *  the same everywhere. For diagrams as SVG, for which there is an axis, and for tables. @{ */

/** A file that is being written. */
typedef struct simkit_picture simkit_picture;

/** Begins a file, which appears under its path when it is closed. The ending of the path is the format, as in
 *  simkit_trace_open(), and says how texts are written.
 *
 *  @param[in]  world    Takes errors and gives memory; stays open until the picture is closed.
 *  @param[in]  path     Where; relative to the folder that is the working folder now.
 *  @param[out] picture  Close it.
 *  @return  SIMKIT_OK; SIMKIT_BAD_ARGUMENT, also for another ending; SIMKIT_NO_FILE, SIMKIT_NO_MEMORY.
 */
SIMKIT__CHECKED simkit_result simkit_picture_open(simkit_world *world, const char *path, simkit_picture **picture);

/** Begins an SVG: white, with letters of 11 px without serifs. It ends when the picture is closed.
 *
 *  @param[in] width   How wide it is [px].
 *  @param[in] height  How high [px].
 */
SIMKIT_API void simkit_picture_page(simkit_picture *picture, double width, double height);

/** Writes a format. In it stand for an argument:
 *
 *  | there | argument | written |
 *  |---|---|---|
 *  | `%t` | const char * | a text that may be anything: escaped in an SVG, in quotes in all other formats |
 *  | `%60t` | const char * | the same, cut to so many bytes at the end of a character; up to 255 |
 *  | `%s` | const char * | a text as it is |
 *  | `%3` | double | a number with so many decimals, up to 12 |
 *  | `%@` | double | a number with two decimals, without zeros at the end |
 *  | `%u` | uint32_t | a number |
 *  | `%U` | uint64_t | a number |
 *  | `%%` | none | % |
 *
 *  A number always has a decimal point; it must not be infinite or NaN. Nothing else may follow a %.
 *
 *  @param[in] format  What to write.
 */
SIMKIT_API void simkit_picture_write(simkit_picture *picture, const char *format, ...);

/** Writes a text into an SVG, of which up to 60 bytes are shown.
 *
 *  @param[in] x           Where it begins [px].
 *  @param[in] y           Where its letters stand [px].
 *  @param[in] attributes  Of its element, such as `text-anchor="end"`; "": none.
 *  @param[in] text        Any bytes.
 */
SIMKIT_API void simkit_picture_text(simkit_picture *picture, double x, double y, const char *attributes,
                                    const char *text);

/** The part of a page that has an axis below it [px]. */
typedef struct simkit_picture_box {
    double left;   /**< its left side */
    double top;    /**< its upper side */
    double width;  /**< its width */
    double bottom; /**< its lower side: below it are 32 px for the axis */
} simkit_picture_box;

/** Draws lines for the time through a box of an SVG, with numbers below them, in the unit that makes these short.
 *
 *  @param[in] begin   The time at the left side [s], >= 0.
 *  @param[in] end     The time at the right side [s], finite. Without a time between them that doubles can tell apart, nothing
 *                     is drawn.
 */
SIMKIT_API void simkit_picture_axis(simkit_picture *picture, const simkit_picture_box *box, double begin, double end);

/** Writes nothing from now on, or writes again: for going through a picture twice, first for its size.
 *
 *  @param[in] mute  Whether nothing is written.
 */
SIMKIT_API void simkit_picture_mute(simkit_picture *picture, bool mute);

/** Ends a file.
 *
 *  @param[in] picture   NULL is harmless.
 *  @param[in] complete  Whether it appears, as that of simkit_trace_close(); otherwise it goes, and what was at the path stays.
 *  @return  SIMKIT_OK; SIMKIT_NO_FILE if not all could be written, and then it does not appear.
 */
SIMKIT__CHECKED simkit_result simkit_picture_close(simkit_picture *picture, bool complete);
/** @} */

#ifdef __cplusplus
}
#endif
#endif /* SIMKIT_TRACE_H */

/*
 *  The body, once per file.
 */
#if (defined(SIMKIT_TRACE_IMPLEMENTATION) || defined(SIMKIT_IMPLEMENTATION) || defined(SIMKIT_STATIC)) &&              \
    !defined(SIMKIT_TRACE_IMPLEMENTED)
#define SIMKIT_TRACE_IMPLEMENTED

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "util/simkit_trace.h: NaN and infinity mean something: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "util/simkit_trace.h: -fassociative-math and -freciprocal-math change the bits of results: compile without"
#endif
#include <float.h>
#if !defined(SIMKIT_ANY_FLOAT) && defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "util/simkit_trace.h: x87 gives other bits: compile with -msse2 -mfpmath=sse, or define SIMKIT_ANY_FLOAT"
#endif

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

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
 * MARK: - >>output (private)
 *
 * Texts and numbers as a format wants them, and the file of a picture, which is written beside its place and moved there when it
 * is complete. A link, a device or a pipe is kept, and written to directly.
 *===========================================================================*/
typedef enum simkit__format { SIMKIT__CHROME, SIMKIT__PAJE, SIMKIT__CSV, SIMKIT__SVG } simkit__format;

typedef struct simkit__draft_file {
    FILE *file;
    int nameless;                 /* descriptor of a draft without a name; -1: it has one */
    char path[1024], draft[1104]; /* an empty draft: the path is written to directly */
} simkit__draft_file;

struct simkit_picture {
    simkit_world *world;
    simkit__format format;
    bool mute; /* only sizes are wanted, nothing is written */
    bool page; /* an SVG has begun */
    simkit__draft_file draft;
};

static void simkit__trace_release(simkit_store *store, void *pointer, size_t bytes)
{
    if (pointer) simkit_store_resize(store, pointer, bytes, 0);
}

/* The text of a number with a decimal point: what is neither a sign, a digit nor a letter is the locale's separator, of
 * one byte or more. */
static char *simkit__trace_with_point(char *text)
{
    char *to = text;
    for (const char *c = text; *c; ++c) {
        const bool kept = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || *c == '+' || *c == '-';
        if (kept || to == text || to[-1] != '.') *to++ = (char)(kept ? *c : '.');
    }
    *to = 0;
    return text;
}

/* Names may be any bytes. The length of the UTF-8 character that comes next, or 0 if it is not one. */
static size_t simkit__character(const char *text)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = 0; /* the ones that the first byte begins with; 0: ASCII */
    while (length < 5 && (*byte & 0x80 >> length)) ++length;
    if (length == 1 || length == 5) return 0;
    uint32_t code = *byte & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte[i] & 0xC0) != 0x80) return 0; /* also at the end of the text */
        code = code << 6 | (byte[i] & 0x3F);
    }
    /* longer than necessary, half of a surrogate pair, beyond Unicode, or forbidden in XML */
    if (code < least[length] || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return 0;
    return code == 0xFFFE || code == 0xFFFF ? 0 : length ? length : 1;
}

/* The length of a text, cut to `most` bytes at the end of a character. */
static int simkit__cut(const char *text, size_t most)
{
    size_t length = strlen(text);
    if (length <= most) return (int)length;
    for (length = most; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80 && most - length < 3;) --length;
    return (int)length;
}

/* A text, in quotes but for SVG; U+FFFD for a byte that belongs to no character. */
static void simkit__put_text(const simkit_picture *p, const char *text)
{
    /* Of each format: characters, and what stands for them. */
    static const char *const escapes[][5] = {
        { "\"\\\"", "\\\\\\" }, { "\"'" }, { "\"'" }, { "<&lt;", ">&gt;", "&&amp;", "\"&quot;" }
    };
    FILE *file = p->draft.file;
    if (p->format != SIMKIT__SVG) fputc('"', file);
    while (*text) {
        const size_t length = simkit__character(text);
        const char *const *escape = escapes[p->format];
        while (*escape && **escape != *text) ++escape;
        if (*escape)
            fputs(*escape + 1, file);
        else if (length == 0)
            fputs("\xEF\xBF\xBD", file);
        else if ((unsigned char)*text >= ' ')
            fwrite(text, 1, length, file);
        else if (p->format == SIMKIT__CHROME)
            fprintf(file, "\\u%04x", (unsigned)*text);
        else if (p->format != SIMKIT__SVG)
            fputc('\'', file);
        text += length ? length : 1;
    }
    if (p->format != SIMKIT__SVG) fputc('"', file);
}

/* A number >= 0 with so many decimals as printf() writes it, which takes several times as long; the length, or 0 where it is
 * not certain that the digits are the same: where the number is too large, or the product is so close to a tie that its own
 * rounding could decide. */
static size_t simkit__digits(double value, int decimals, char text[32])
{
    static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12 };
    if (!(value > 0) || decimals < 0 || decimals > 12) return 0;
    const double scaled = value * powers[decimals];
    if (!(scaled < 1e15)) return 0;
    uint64_t whole = (uint64_t)scaled;
    const double part = scaled - (double)whole;
    if (fabs(part - 0.5) <= scaled * 4e-16) return 0;
    whole += part > 0.5;
    char reversed[32];
    size_t length = 0;
    for (int i = 0; whole > 0 || i <= decimals; ++i, whole /= 10) {
        if (i == decimals && decimals > 0) reversed[length++] = '.';
        reversed[length++] = (char)('0' + whole % 10);
    }
    for (size_t i = 0; i < length; ++i) text[i] = reversed[length - 1 - i];
    text[length] = 0;
    return length;
}

/* Some bytes that go to a file together: a call of fwrite() takes longer than a number. */
typedef struct simkit__bytes {
    FILE *file;
    size_t used;
    char text[512];
} simkit__bytes;

static void simkit__bytes_flush(simkit__bytes *b)
{
    fwrite(b->text, 1, b->used, b->file);
    b->used = 0;
}

static void simkit__bytes_add(simkit__bytes *b, const char *text, size_t length)
{
    if (length > sizeof b->text - b->used) simkit__bytes_flush(b);
    if (length > sizeof b->text) {
        fwrite(text, 1, length, b->file);
        return;
    }
    memcpy(b->text + b->used, text, length);
    b->used += length;
}

#if defined(__unix__) || defined(__APPLE__)
#ifndef __cplusplus /* what the C library hides under -std=c99 */
extern ssize_t readlink(const char *, char *, size_t);
extern FILE *fdopen(int, const char *);
extern int linkat(int, const char *, int, const char *, int);
#endif
#if !defined(O_TMPFILE) && defined(__O_TMPFILE)
#define SIMKIT__NAMELESS __O_TMPFILE
#elif defined(O_TMPFILE)
#define SIMKIT__NAMELESS O_TMPFILE
#endif
#define SIMKIT__RUN_NUMBER getpid()
#define SIMKIT__WORKING_FOLDER(path, bytes) getcwd(path, bytes)

/* Whether the path is a link, a device or a pipe, which a file must not replace. */
static bool simkit__path_is_special(const char *path)
{
    struct stat what;
    char target[1];
    return readlink(path, target, sizeof target) >= 0 || (stat(path, &what) == 0 && !S_ISREG(what.st_mode));
}
#else
#define SIMKIT__RUN_NUMBER 0
#define SIMKIT__WORKING_FOLDER(path, bytes) NULL
#define simkit__path_is_special(path) false
#endif

#if defined(SIMKIT__NAMELESS) && !defined(SIMKIT__NAMED_DRAFTS)
/* Linux has files without a name, which vanish if the run is killed. False if the file system does not support them. */
static bool simkit__nameless_open(simkit__draft_file *d, size_t folder)
{
    char place[sizeof d->path + 1];
    snprintf(place, sizeof place, "%.*s.", (int)folder, d->path);
    d->nameless = open(place, SIMKIT__NAMELESS | O_WRONLY, 0666);
    if (d->nameless < 0) return false;
    d->file = fdopen(d->nameless, "wb");
    if (d->file) return true;
    close(d->nameless);
    d->nameless = -1;
    return false;
}

static bool simkit__nameless_name(const simkit__draft_file *d)
{
    enum { HERE = -100, FOLLOW = 0x400 }; /* AT_FDCWD, AT_SYMLINK_FOLLOW */
    char place[32];
    snprintf(place, sizeof place, "/proc/self/fd/%d", d->nameless);
    return fflush(d->file) == 0 && linkat(HERE, place, HERE, d->draft, FOLLOW) == 0;
}
#else
#define simkit__nameless_open(d, folder) false
#define simkit__nameless_name(d) true
#endif

/* The draft has no name, or beside its place one that no other run has at this time, which must be new: so no two runs
 * write to one file, and no link that somebody else put there is followed. The path is absolute if it fits: so the file
 * stays in its folder if chdir() comes before the close. */
static bool simkit__draft_open(simkit__draft_file *d, const char *path)
{
    d->nameless = -1;
    d->draft[0] = 0;
    if (strlen(path) >= sizeof d->path) return false;
    size_t folder = path[0] != '/' && SIMKIT__WORKING_FOLDER(d->path, sizeof d->path) ? strlen(d->path) : 0;
    if (folder + 1 + strlen(path) >= sizeof d->path) folder = 0;
    snprintf(d->path + folder, sizeof d->path - folder, "%s%s", folder ? "/" : "", path);
    if (simkit__path_is_special(path)) {
        d->file = fopen(path, "wb");
        return d->file != NULL;
    }
    for (folder = strlen(d->path); folder > 0 && d->path[folder - 1] != '/' && d->path[folder - 1] != '\\';) --folder;
    snprintf(d->draft, sizeof d->draft, "%.*ssimkit-%llx-%llx-%llx.part", (int)folder, d->path,
             (unsigned long long)SIMKIT__RUN_NUMBER, (unsigned long long)time(NULL) << 32 ^ (unsigned long long)clock(),
             (unsigned long long)(uintptr_t)d);
#ifdef _WIN32 /* its oldest C library knows no x */
    d->file = fopen(d->draft, "wb");
#else
    if (!simkit__nameless_open(d, folder)) d->file = fopen(d->draft, "wbx");
#endif
    return d->file != NULL;
}

/* Moves a complete file to its place; removes an incomplete one. */
static bool simkit__draft_close(simkit__draft_file *d, bool whole)
{
    if (ferror(d->file) || (whole && d->nameless >= 0 && !simkit__nameless_name(d))) whole = false;
    if (fclose(d->file) != 0) whole = false;
    if (!d->draft[0]) return whole;
#ifdef _WIN32
    if (whole) remove(d->path); /* rename() does not replace a file there */
#endif
    if (whole && rename(d->draft, d->path) == 0) return true;
    remove(d->draft);
    return false;
}

/* The format that the ending of a path asks for; false: none. */
static bool simkit__format_of(const char *path, simkit__format *format)
{
    static const struct {
        const char *text;
        simkit__format format;
    } endings[] = { { ".svg", SIMKIT__SVG },
                    { ".json", SIMKIT__CHROME },
                    { ".paje", SIMKIT__PAJE },
                    { ".trace", SIMKIT__PAJE },
                    { ".csv", SIMKIT__CSV } };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; ++i)
        if (strcmp(ending, endings[i].text) == 0) {
            *format = endings[i].format;
            return true;
        }
    return false;
}

/* The draft of a file in a format; false if there is no place for it. */
static bool simkit__picture_begin(simkit_picture *p, simkit_world *world, simkit__format format, const char *path)
{
    p->world = world;
    p->format = format;
    return simkit__draft_open(&p->draft, path);
}

/* Completes a file, or drops it; false if it does not appear. */
static bool simkit__picture_end(simkit_picture *p, bool whole)
{
    if (p->page) fputs("</svg>\n", p->draft.file);
    return simkit__draft_close(&p->draft, whole);
}

/*=============================================================================
 * MARK: - >>svg (private)
 *
 * The timing diagram: what a trace consists of, what is kept of each bar until it is closed, what it looks like, and areas as
 * SVG.
 *===========================================================================*/
typedef enum simkit__row_kind { SIMKIT__ROW_COMPUTE, SIMKIT__ROW_SEND, SIMKIT__ROW_RECEIVE } simkit__row_kind;

typedef struct simkit__form {
    simkit__format format;
    void (*watch)(simkit_trace *t, const simkit_watch_event *event);
    const char *head, *tail; /* of the file */
} simkit__form;

typedef struct simkit__row { /* a line of a band */
    double end;              /* of its last bar [s] */
    double earliest;         /* end of this and some lines above, see simkit__row_ends() [s] */
    uint64_t shown;          /* Paje: the number of the computation that has begun there */
    uint32_t number;         /* in the file */
} simkit__row;

typedef struct simkit__band { /* all lines of a kind and lane of a node */
    simkit_node node;
    simkit__row_kind kind;
    uint32_t label;
    simkit__row *rows; /* rows[count]; not an array of stb_ds, since most bands have a single row */
    size_t count, size;
    uint32_t first, last; /* SVG: the numbers of its bars, from 1 */
    bool pale;            /* SVG: not all bars share the CPU */
} simkit__band;

typedef struct simkit__bar {
    uint32_t line;
    uint32_t named;    /* twice the number of its name, and 1 more if it is a transfer */
    uint32_t next;     /* the number of the next bar of its band; 0: none */
    simkit_node other; /* of a transfer: the far end; else 0 */
    double begin, end, bytes;
    bool shares; /* it took CPU time, so the others on its node slowed it down */
} simkit__bar;

struct simkit_trace {
    simkit_picture picture; /* the file */
    simkit_world *world;
    simkit_store *store; /* of the world */
    const simkit__form *form;
    simkit_names names; /* labels of bands; SVG: names of bars as well */
    simkit__band *bands;
    simkit_index index; /* of bands */
    uint32_t rows;      /* of all bands */
    simkit_index shown; /* Paje: of rows in their bands, by the number of the computation */
    bool no_memory;
    simkit__bar *bars; /* SVG */
    double end;        /* SVG: of the last bar [s] */
    bool lanes;        /* SVG: each transfer has a line */
    char title[256];   /* SVG */
};

/* Twelve colours that differ for most eyes, solid and with two kinds of stripes; one more shade for all other names. */
static const char *const simkit__colours[] = { "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee",
                                               "#aa3377", "#ee7733", "#009988", "#882255", "#999933",
                                               "#997700", "#777777", "#bbbbbb" };
enum { SIMKIT__COLOURS = 12, SIMKIT__SHADES = 3 * SIMKIT__COLOURS, SIMKIT__BINS = 2200 };

/* Sizes [px]; nodes and bars [1]. */
static const double simkit__svg_width = 1100, simkit__svg_top = 44, simkit__svg_flow = 26, simkit__svg_highest = 1800,
                    simkit__svg_together = 1100, simkit__svg_nodes = 400, simkit__svg_bars = 4000;

typedef double simkit__bins[SIMKIT__BINS + 1]; /* means over half a pixel each */

typedef struct simkit__named { /* computations, or transfers, of a name */
    double total;              /* how long they last [s] */
    size_t shade;
    bool there, shares;
} simkit__named;

typedef struct simkit__diagram { /* a trace while it is drawn */
    simkit_trace *t;
    simkit_picture *out;                    /* its file */
    double end, left, bar;                  /* [s]; [px]: where bars begin, and how high they are */
    simkit__named *named;                   /* named[2 * names], behind this struct, as the next two */
    size_t *from;                           /* from[3 * nodes + 2]: where the bands of each node and kind begin */
    const simkit__band **bands;             /* bands[count], sorted by node and kind */
    size_t legend[SIMKIT__SHADES];          /* which of them has the shade */
    size_t shades, others;                  /* shades in use; names without one */
    double cores;                           /* of the node that is drawn */
    simkit__bins share;                     /* what a computation there gets of a core if all get the same */
    simkit__bins stack[SIMKIT__SHADES + 1]; /* areas that lie on each other */
    uint64_t piled;                         /* shades that are on the stack */
    size_t in_flight;                       /* lines of the busiest row of transfers */
    double peak;                            /* transfers in flight in the busiest bin */
    size_t nodes;                           /* up to the last that did anything */
    size_t neighbours;                      /* nodes of a row; 0: each lane has one */
    double computations;                    /* bars of them */
    bool shared;                            /* somebody had less than a core */
} simkit__diagram;

static void simkit__svg_add(simkit_trace *t, simkit__band *band, uint32_t line, const simkit_watch_event *event,
                            simkit_node other)
{
    const uint32_t name = simkit_names_add(t->store, &t->names, event->name);
    const simkit__bar bar = { line,         2 * name + (other != 0),     0, other, event->begin, event->time,
                              event->bytes, !other && event->seconds > 0 };
    if (name == SIMKIT_NONE || !simkit_array_reserve(t->store, t->bars, 1)) {
        t->no_memory = true;
        return;
    }
    simkit_array_push(t->bars, bar);
    if (!bar.shares) band->pale = true;
    if (bar.end > t->end) t->end = bar.end;
    const uint32_t number = (uint32_t)simkit_array_count(t->bars);
    *(band->last ? &t->bars[band->last - 1].next : &band->first) = number;
    band->last = number;
}

static const simkit__bar *simkit__svg_bar(const simkit__diagram *p, uint32_t number)
{
    return number ? &p->t->bars[number - 1] : NULL;
}

/* Shades for the names that last longest; computations come first, and leave a third to transfers. Among computations,
 * those that take CPU time come before those that take none, so what computes has the same colour however long it waits. */
static void simkit__svg_shades(simkit__diagram *p)
{
    const size_t count = 2 * simkit_array_count(p->t->names.texts);
    for (size_t i = 0; i < count; ++i) p->named[i].shade = SIMKIT__SHADES;
    const size_t bars = simkit_array_count(p->t->bars);
    for (size_t i = 0; i < bars; ++i) {
        const simkit__bar *bar = &p->t->bars[i];
        simkit__named *named = &p->named[bar->named];
        p->others += !named->there;
        named->there = true;
        p->computations += !bar->other;
        named->total += bar->end - bar->begin;
        named->shares = named->shares || bar->shares || bar->other;
    }
    for (size_t transfers = 0; transfers < 2; ++transfers)
        for (size_t most = transfers ? SIMKIT__SHADES : 2 * SIMKIT__COLOURS; p->shades < most; --p->others) {
            size_t longest = count;
            for (size_t i = transfers; i < count; i += 2)
                if (p->named[i].there && p->named[i].shade == SIMKIT__SHADES &&
                    (longest == count || p->named[i].total > p->named[longest].total))
                    longest = i;
            if (longest == count) break;
            p->named[longest].shade = p->shades;
            p->legend[p->shades++] = longest;
        }
    for (size_t i = 1; i < p->shades; ++i)
        for (size_t k = i; k > 0 && !(p->legend[k] & 1); --k) {
            const size_t name = p->legend[k], before = p->legend[k - 1];
            if (!p->named[name].shares || p->named[before].shares) break;
            p->named[name].shade = k - 1;
            p->named[before].shade = k;
            p->legend[k - 1] = name;
            p->legend[k] = before;
        }
}

static const char *simkit__svg_name(const simkit__diagram *p, size_t named)
{
    const char *text = p->t->names.texts[named / 2];
    return text[0] ? text : named & 1 ? "transfer" : "computation";
}

static double simkit__svg_bin(const simkit__diagram *p, double time)
{
    return time / p->end * (double)SIMKIT__BINS;
}

/* Adds a bar to the bins that it covers; shares[bins] or NULL: so much of it. */
static void simkit__svg_cover(const simkit__diagram *p, double *bins, const simkit__bar *bar, const double *shares)
{
    const double begin = simkit__svg_bin(p, bar->begin), end = simkit__svg_bin(p, bar->end);
    double from = begin;
    for (size_t i = (size_t)begin; from < end; ++i) {
        const double to = end < (double)(i + 1) ? end : (double)(i + 1);
        bins[i] += (to - from) * (shares ? shares[i] : 1);
        from = to;
    }
}

static void simkit__svg_pile(simkit__diagram *p, const simkit__band *band)
{
    for (const simkit__bar *bar = simkit__svg_bar(p, band->first); bar; bar = simkit__svg_bar(p, bar->next)) {
        const size_t shade = p->named[bar->named].shade;
        p->piled |= UINT64_C(1) << shade;
        simkit__svg_cover(p, p->stack[shade], bar, bar->shares ? p->share : NULL);
    }
}

/* The colour of a shade. One that takes no CPU time is pale, but not transparent: areas lie on each other. */
static void simkit__svg_colour(const simkit__diagram *p, size_t shade, char colour[8])
{
    const char *full = simkit__colours[shade == SIMKIT__SHADES ? (size_t)SIMKIT__COLOURS : shade % SIMKIT__COLOURS];
    const bool pale = shade < p->shades && !p->named[p->legend[shade]].shares;
    memcpy(colour, full, 8);
    for (int i = 1; i < 7 && pale; i += 2) {
        const char part[3] = { full[i], full[i + 1], 0 };
        snprintf(colour + i, 3, "%02x", (unsigned)(255 - 0.35 * (double)(255 - strtol(part, NULL, 16)) + 0.5) & 255u);
    }
    colour[7] = 0;
}

static void simkit__svg_fill(const simkit__diagram *p, size_t shade)
{
    char colour[8];
    simkit__svg_colour(p, shade, colour);
    if (shade < SIMKIT__COLOURS || shade == SIMKIT__SHADES)
        simkit_picture_write(p->out, " fill=\"%s\"", colour);
    else
        simkit_picture_write(p->out, " fill=\"url(#s%u)\"", (uint32_t)shade);
}

/* Stripes, for shades that have a colour in common. */
static void simkit__svg_patterns(const simkit__diagram *p)
{
    char colour[8];
    for (size_t i = SIMKIT__COLOURS; i < p->shades; ++i) {
        simkit__svg_colour(p, i, colour);
        simkit_picture_write(
            p->out,
            "<pattern id=\"s%u\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(%s)\"><rect width=\"5\" height=\"5\" fill=\"white\"/><rect width=\"3\" "
            "height=\"5\" fill=\"%s\"/></pattern>\n",
            (uint32_t)i, i / SIMKIT__COLOURS == 1 ? "45" : "-45", colour);
    }
}

/* Begins an area above `base` between two places in the bins; heights[bins] are parts of `full` [px]. NULL: all of it. */
static void simkit__svg_area(const simkit__diagram *p, double from, double to, const double *heights, double full,
                             double base, size_t shade)
{
    const double scale = simkit__svg_width / (double)SIMKIT__BINS;
    double last = 0;
    if (to < from + 0.6) to = from + 0.6;
    simkit_picture_write(p->out, "<path d=\"M%@,%@", p->left + from * scale, base);
    for (size_t i = (size_t)from; (double)i < to; ++i) { /* up to the last, [BINS], where time ends */
        /* In the first and last bin, which a bar covers in part, others may come and go: its neighbour inside counts. */
        const size_t inside =
            i + ((double)i < from && (double)(i + 1) < to) - ((double)i > from && (double)(i + 1) > to);
        const double part = heights ? heights[inside] : 1, height = floor(fmin(part, 1.0) * full * 10 + 0.5) / 10;
        if (fabs(height - last) < 0.05) continue;
        if ((double)i > from) simkit_picture_write(p->out, "H%@", p->left + (double)i * scale);
        simkit_picture_write(p->out, "V%@", base - height);
        last = height;
    }
    simkit_picture_write(p->out, "H%@V%@Z\"", p->left + to * scale, base);
    simkit__svg_fill(p, shade);
    simkit_picture_write(p->out, "><title>");
}

/* Draws the stack and clears it. The whole is drawn first, in the last shade, and what is below it on top of it. Full
 * height is so many, 0: as many as there are at most. */
static void simkit__svg_stack(simkit__diagram *p, double top, double height, double most)
{
    const double *below = NULL;
    for (size_t shade = 0; shade <= SIMKIT__SHADES; ++shade) {
        if (!(p->piled >> shade & 1)) continue;
        for (size_t i = 0; below && i < SIMKIT__BINS; ++i) p->stack[shade][i] += below[i];
        below = p->stack[shade];
    }
    p->peak = 0;
    for (size_t i = 0; below && i < SIMKIT__BINS; ++i) p->peak = fmax(p->peak, below[i]);
    if (most <= 0) most = p->peak > 0 ? p->peak : 1;
    for (size_t shade = SIMKIT__SHADES + 1; shade-- > 0;) {
        if (!(p->piled >> shade & 1)) continue;
        for (size_t i = 0; i < SIMKIT__BINS; ++i) p->stack[shade][i] /= most;
        simkit__svg_area(p, 0, SIMKIT__BINS, p->stack[shade], height, top + height, shade);
        simkit_picture_write(p->out, "%t</title></path>\n",
                             shade < p->shades ? simkit__svg_name(p, p->legend[shade]) : "other names");
        memset(p->stack[shade], 0, sizeof p->stack[shade]);
    }
    p->piled = 0;
}

/*=============================================================================
 * MARK: - >>diagram (private)
 *
 * The rows of a timing diagram and its legend. A lane of a node is a row: of bars where they do not overlap and
 * there are not more computations than simkit__svg_bars, else of areas that are stacked by name; so are the transfers that
 * a node sends, and those that it receives. If the picture would be higher than simkit__svg_highest, each node has one row
 * with all its computations, and all transfers have one; beyond simkit__svg_nodes, neighbours share a row.
 *===========================================================================*/
static size_t simkit__diagram_key(const simkit__band *band)
{
    return 3 * (size_t)(band->node - 1) + (size_t)band->kind;
}

/* Whether two labels differ only in the number at their end, and the first has the smaller one: "rank 2", "rank 10". */
static bool simkit__label_before(const char *one, const char *other)
{
    size_t same = 0;
    while (one[same] && one[same] == other[same]) ++same;
    while (same > 0 && one[same - 1] >= '0' && one[same - 1] <= '9') --same;
    const size_t one_digits = strspn(one + same, "0123456789"), other_digits = strspn(other + same, "0123456789");
    if (one_digits == 0 || other_digits == 0 || one[same + one_digits] || other[same + other_digits]) return false;
    return strtod(one + same, NULL) < strtod(other + same, NULL);
}

/* Sorts the bands by node and kind: counts, adds up, and deals out. Then lanes of a node are put in the order of their
 * numbers, unless they are more than anybody could look at. */
static void simkit__diagram_sort(simkit__diagram *p)
{
    enum { MOST_IN_ORDER = 2000 };
    const simkit_trace *t = p->t;
    const size_t keys = 3 * (size_t)simkit_node_count(t->world), count = simkit_array_count(t->bands);
    for (size_t i = 0; i < count; ++i) ++p->from[simkit__diagram_key(&t->bands[i]) + 2];
    for (size_t i = 2; i < keys + 2; ++i) p->from[i] += p->from[i - 1];
    for (size_t i = 0; i < count; ++i) {
        const simkit__band *band = &t->bands[i];
        p->bands[p->from[simkit__diagram_key(band) + 1]++] = band;
        if (band->node > p->nodes) p->nodes = band->node;
        if (band->kind != SIMKIT__ROW_COMPUTE && band->count > p->in_flight) p->in_flight = band->count;
    }
    for (size_t i = 1; i < count && count <= MOST_IN_ORDER; ++i) {
        const simkit__band *band = p->bands[i];
        const char *label = t->names.texts[band->label];
        size_t place = i;
        for (size_t k = i; k > 0 && simkit__diagram_key(p->bands[k - 1]) == simkit__diagram_key(band); --k)
            if (simkit__label_before(label, t->names.texts[p->bands[k - 1]->label])) place = k - 1;
        for (size_t k = i; k > place; --k) p->bands[k] = p->bands[k - 1];
        p->bands[place] = band;
    }
}

/* A node is drawn next: what its computations get. */
static void simkit__diagram_node(simkit__diagram *p, simkit_node node)
{
    const size_t key = 3 * (size_t)(node - 1);
    bool shares = false;
    p->cores = (double)simkit_node_get(p->t->world, node).cores;
    memset(p->share, 0, sizeof p->share);
    for (size_t i = p->from[key]; i < p->from[key + 1]; ++i)
        for (const simkit__bar *bar = simkit__svg_bar(p, p->bands[i]->first); bar; bar = simkit__svg_bar(p, bar->next))
            if (bar->shares) {
                simkit__svg_cover(p, p->share, bar, NULL);
                shares = true;
            }
    for (size_t i = 0; shares && i <= SIMKIT__BINS; ++i) {
        if (p->share[i] > 1.1 * p->cores) p->shared = true;
        p->share[i] = p->share[i] > p->cores ? p->cores / p->share[i] : 1;
    }
}

/* The bars of a band one by one, its lines below each other, so high if nothing is shared. */
static void simkit__diagram_bars(const simkit__diagram *p, const simkit__band *band, double top, double line,
                                 double full)
{
    for (const simkit__bar *bar = simkit__svg_bar(p, band->first); bar; bar = simkit__svg_bar(p, bar->next)) {
        simkit__svg_area(p, simkit__svg_bin(p, bar->begin), simkit__svg_bin(p, bar->end), bar->shares ? p->share : NULL,
                         full, top + (line + 1) * bar->line + line, p->named[bar->named].shade);
        simkit_picture_write(p->out, "%t", simkit__svg_name(p, bar->named));
        if (bar->other)
            simkit_picture_write(p->out, " %s %t, %0 B", band->kind == SIMKIT__ROW_SEND ? "to" : "from",
                                 simkit_node_name(p->t->world, bar->other), bar->bytes);
        simkit_picture_write(p->out, ", %6 to %6 s</title></path>\n", bar->begin, bar->end);
    }
}

/* What lies behind a row, and what it is called. */
static void simkit__diagram_frame(const simkit__diagram *p, double top, double height, const char *label)
{
    simkit_picture_write(p->out, "<rect x=\"%@\" y=\"%@\" width=\"%@\" height=\"%@\" fill-opacity=\"0.05\"/>\n",
                         p->left, top, simkit__svg_width, height);
    simkit_picture_text(p->out, p->left - 8, top + fmin(height, 30.0) / 2 + 4, "text-anchor=\"end\"", label);
}

/* The row of a band, or its lines; gives the height. */
static double simkit__diagram_row(simkit__diagram *p, const simkit__band *band, double top)
{
    const bool computes = band->kind == SIMKIT__ROW_COMPUTE, lanes = p->t->lanes;
    const double lines = (double)band->count, most = computes ? 1 : (double)p->in_flight,
                 flow = lanes ? 6 : fmin(8 + 3 * most, simkit__svg_flow), line = computes ? p->bar : flow,
                 height = lanes ? lines * (line + 1) - 1 : line;
    if (p->out->mute) return height;
    simkit__diagram_frame(p, top, height, p->t->names.texts[band->label]);
    if (lanes || (lines < 2 && p->computations <= simkit__svg_bars)) {
        simkit__diagram_bars(p, band, top, line, lanes ? line : line / most);
    } else {
        simkit__svg_pile(p, band);
        simkit__svg_stack(p, top, height, !band->pale ? p->cores : computes ? lines : most);
    }
    return height;
}

/* All rows of a node each, as high as they need; gives the bottom. */
static double simkit__diagram_lanes(simkit__diagram *p)
{
    double y = simkit__svg_top - 9;
    simkit_node node = 0;
    for (size_t i = 0; i < simkit_array_count(p->t->bands); ++i) {
        if (p->bands[i]->node != node) {
            node = p->bands[i]->node;
            y += 9;
            simkit_picture_text(p->out, 12, y + 12, "font-weight=\"bold\"", simkit_node_name(p->t->world, node));
            if (!p->out->mute) simkit__diagram_node(p, node);
        }
        y += simkit__diagram_row(p, p->bands[i], y) + 3;
    }
    return y + 3;
}

/* A row for so many neighbours, with the part of their cores that computes, and one for all transfers; gives the bottom. */
static double simkit__diagram_nodes(simkit__diagram *p)
{
    const simkit_world *w = p->t->world;
    const size_t nodes = p->nodes, each = p->neighbours, rows = (nodes + each - 1) / each;
    const double height = fmin(p->bar, floor(simkit__svg_together / (double)rows));
    double y = simkit__svg_top, label = 0;
    for (size_t first = 0; first < nodes; first += each, y += height) {
        double cores = 0;
        for (size_t node = first; node < nodes && node < first + each && !p->out->mute; ++node) {
            simkit__diagram_node(p, (simkit_node)(node + 1));
            cores += p->cores;
            for (size_t i = p->from[3 * node]; i < p->from[3 * node + 1]; ++i) simkit__svg_pile(p, p->bands[i]);
        }
        simkit__svg_stack(p, y, height > 3 ? height - 1 : height, cores);
        if (y < label) continue;
        simkit_picture_text(p->out, p->left - 8, y + height / 2 + 4, "text-anchor=\"end\"",
                            simkit_node_name(w, (simkit_node)(first + 1)));
        label = y + 12;
    }
    if (p->in_flight == 0) return y;
    for (size_t i = 0; i < simkit_array_count(p->t->bands) && !p->out->mute; ++i)
        if (p->bands[i]->kind == SIMKIT__ROW_SEND) simkit__svg_pile(p, p->bands[i]);
    simkit__diagram_frame(p, y + 6, 2 * simkit__svg_flow, "in flight");
    simkit__svg_stack(p, y + 6, 2 * simkit__svg_flow, 0);
    return y + 2 * simkit__svg_flow + 8;
}

/* An entry of the legend, on the next line if there is no room; behind the last shade: a text alone. */
static void simkit__diagram_entry(const simkit__diagram *p, double *x, double *y, size_t shade, const char *text)
{
    const bool note = shade > SIMKIT__SHADES;
    const double width = (note ? 14 : 34) + 6.5 * fmin((double)strlen(text), 60.0);
    if (*x + width > p->left + simkit__svg_width) {
        *x = p->left;
        *y += 18;
    }
    if (shade <= SIMKIT__SHADES) {
        simkit_picture_write(p->out, "<rect x=\"%@\" y=\"%@\" width=\"11\" height=\"11\"", *x, *y);
        simkit__svg_fill(p, shade);
        simkit_picture_write(p->out, "/>\n");
    }
    simkit_picture_text(p->out, *x + (note ? 0 : 16), *y + 9.5, note ? "fill=\"#555555\"" : "", text);
    *x += width;
}

/* The names that have a shade, and what heights mean; gives the bottom. */
static double simkit__diagram_legend(const simkit__diagram *p, double y)
{
    enum { NOTE = SIMKIT__SHADES + 1 };
    double x = p->left;
    char note[100];
    bool pale = false;
    for (size_t shade = 0; shade < p->shades; ++shade) {
        if ((p->legend[shade] & 1) && (shade == 0 || !(p->legend[shade - 1] & 1))) {
            if (shade > 0) x = (double)INFINITY; /* on the next line */
            simkit__diagram_entry(p, &x, &y, NOTE, "transfers:");
        }
        simkit__diagram_entry(p, &x, &y, shade, simkit__svg_name(p, p->legend[shade]));
        pale = pale || !p->named[p->legend[shade]].shares;
    }
    snprintf(note, sizeof note, "%lu other names", (unsigned long)p->others);
    if (p->others > 0) simkit__diagram_entry(p, &x, &y, SIMKIT__SHADES, note);
    x = p->left;
    y += 20;
    if (p->neighbours == 0 && p->shared)
        simkit__diagram_entry(p, &x, &y, NOTE, "height of a computation: its share of a core");
    if (pale) simkit__diagram_entry(p, &x, &y, NOTE, "pale: takes no CPU time");
    snprintf(note, sizeof note, "height of a row: the cores in use, of %lu node%s", (unsigned long)p->neighbours,
             p->neighbours > 1 ? "s" : "");
    if (p->neighbours > 0) simkit__diagram_entry(p, &x, &y, NOTE, note);
    snprintf(note, sizeof note, "%s: full height is %.0f transfers at once",
             p->neighbours ? "in flight" : "sent, received", p->neighbours ? p->peak : (double)p->in_flight);
    if (p->in_flight > 1 && !p->t->lanes) simkit__diagram_entry(p, &x, &y, NOTE, note);
    return y;
}

/* Where the bars begin: right of the longest labels, as wide as such letters are at most. */
static double simkit__diagram_left(const simkit_trace *t)
{
    double label = 8, node = 0;
    for (size_t i = 0; i < simkit_array_count(t->bands); ++i) {
        label = fmax(label, (double)strlen(t->names.texts[t->bands[i].label]));
        node = fmax(node, (double)strlen(simkit_node_name(t->world, t->bands[i].node)));
    }
    return 40 + 6.25 * fmin(label, 60.0) + 6.6 * fmin(node, 60.0);
}

/* Goes through the picture twice: first for its size, then to draw it. */
static void simkit__diagram_write(simkit__diagram *p)
{
    simkit_trace *t = p->t;
    simkit_picture_mute(p->out, true);
    double bottom = simkit__diagram_lanes(p);
    if (bottom > simkit__svg_highest && !t->lanes) {
        p->neighbours = 1 + (size_t)((double)(p->nodes - 1) / simkit__svg_nodes);
        bottom = simkit__diagram_nodes(p);
    }
    const double width = floor(p->left + simkit__svg_width) + 40,
                 height = floor(simkit__diagram_legend(p, bottom + 44)) + 18;
    simkit_picture_mute(p->out, false);
    simkit_picture_page(p->out, width, height);
    simkit__svg_patterns(p);
    simkit_picture_write(p->out, "<text x=\"%@\" y=\"24\" font-size=\"16\">%t</text>\n", p->left, t->title);
    const simkit_picture_box box = { p->left, simkit__svg_top, simkit__svg_width, bottom };
    simkit_picture_axis(p->out, &box, 0, p->end);
    if (p->neighbours)
        simkit__diagram_nodes(p);
    else
        simkit__diagram_lanes(p);
    simkit__diagram_legend(p, bottom + 44);
}

/* Draws all that was recorded, if there is memory for it. */
static void simkit__diagram_draw(simkit_trace *t)
{
    const size_t named = 2 * simkit_array_count(t->names.texts), from = 3 * simkit_node_count(t->world) + 2,
                 bands = simkit_array_count(t->bands),
                 bytes = sizeof(simkit__diagram) + named * sizeof(simkit__named) + from * sizeof(size_t) +
                         bands * sizeof(simkit__band *);
    simkit__diagram *p = (simkit__diagram *)simkit_store_resize(t->store, NULL, 0, bytes);
    if (!p) {
        t->no_memory = true;
        return;
    }
    memset(p, 0, bytes);
    p->t = t;
    p->out = &t->picture;
    p->bar = bands < 8 ? 28 : 18;
    p->end = t->end > 1e-300 ? t->end : 1; /* what is shorter has no axis: not even a step of it is a number */
    p->left = simkit__diagram_left(t);
    p->named = (simkit__named *)(p + 1);
    p->from = (size_t *)(p->named + named);
    p->bands = (const simkit__band **)(p->from + from);
    simkit__diagram_sort(p);
    simkit__svg_shades(p);
    simkit__diagram_write(p);
    simkit__trace_release(t->store, p, bytes);
}

/*=============================================================================
 * MARK: - >>trace (body)
 *
 * Bars are laid out in bands: one for each lane of a node, one for the transfers it sends and one for those it receives.
 * A band has as many rows as bars overlap. In the formats of other programs a bar goes to the file when it ends, so the
 * length of a run costs no memory.
 *===========================================================================*/
/* The band of a kind and lane of a node, which is there afterwards; NULL without memory. */
static simkit__band *simkit__band_of(simkit_trace *t, simkit_node node, simkit__row_kind kind, const char *lane)
{
    static const char *const labels[] = { "computes", "sent", "received" };
    if (kind != SIMKIT__ROW_COMPUTE || !*lane) lane = labels[kind];
    const uint32_t label = simkit_names_add(t->store, &t->names, lane);
    const uint32_t hash = simkit_hash_number(((uint64_t)node << 32 | label) * 3 + (uint64_t)kind);
    uint32_t number;
    for (size_t at = hash; (number = simkit_index_next(&t->index, hash, &at)) != SIMKIT_NONE;) {
        simkit__band *band = &t->bands[number];
        if (band->node == node && band->kind == kind && band->label == label) return band;
    }
    if (label == SIMKIT_NONE || !simkit_array_reserve(t->store, t->bands, 1) ||
        !simkit_index_put(t->store, &t->index, hash, (uint32_t)simkit_array_count(t->bands))) {
        t->no_memory = true;
        return NULL;
    }
    const simkit__band band = { node, kind, label, NULL, 0, 0, 0, 0, false };
    simkit_array_push(t->bands, band);
    return &t->bands[simkit_array_count(t->bands) - 1];
}

/* When the last bar of a row ends. Row i, from 1, keeps the earliest end of rows i - k + 1 .. i, where k is the lowest bit
 * of i: so neither this nor the search for a free row looks at all of them. */
static void simkit__row_ends(simkit__band *band, size_t row, double end)
{
    simkit__row *rows = band->rows;
    rows[row].end = end;
    for (size_t i = row + 1; i <= band->count; i += i & (~i + 1)) {
        double earliest = rows[i - 1].end;
        for (size_t k = 1; k < (i & (~i + 1)); k *= 2)
            if (rows[i - 1 - k].earliest < earliest) earliest = rows[i - 1 - k].earliest;
        rows[i - 1].earliest = earliest;
    }
}

/* Says in the file what a new row is called. */
static void simkit__put_row(simkit_trace *t, const simkit__band *band, uint32_t row, double time)
{
    const char *node = simkit_node_name(t->world, band->node), *label = t->names.texts[band->label];
    if (t->form->format == SIMKIT__CHROME)
        simkit_picture_write(&t->picture,
                             ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":%t}},\n"
                             "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":%t}}",
                             band->node, node, band->node, row + 1, label);
    else if (t->form->format == SIMKIT__PAJE)
        simkit_picture_write(&t->picture, "3 %12 R%u CL N%u %t\n", time, row, band->node, label);
}

/* The row for a bar: the first whose last bar ended before; NULL without memory. */
static simkit__row *simkit__band_row(simkit_trace *t, simkit__band *band, double begin, double end)
{
    if (!band) return NULL;
    size_t at = 0, step = 1;
    while (2 * step <= band->count) step *= 2;
    for (; step > 0; step /= 2)
        if (at + step <= band->count && band->rows[at + step - 1].earliest > begin) at += step;
    if (at == band->size) {
        const size_t old = band->size * sizeof(simkit__row), fresh = old ? 2 * old : sizeof(simkit__row);
        simkit__row *rows = (simkit__row *)simkit_store_resize(t->store, band->rows, old, fresh);
        if (!rows) {
            t->no_memory = true;
            return NULL;
        }
        band->rows = rows;
        band->size = fresh / sizeof(simkit__row);
    }
    if (at == band->count) {
        band->rows[band->count++].number = t->rows++;
        simkit__put_row(t, band, band->rows[at].number, begin);
    }
    simkit__row_ends(band, at, end);
    return &band->rows[at];
}

/* What has ended is a bar of a row. */
static void simkit__bar_end(simkit_trace *t, const simkit_watch_event *event, simkit__row_kind kind)
{
    const simkit_node node = kind == SIMKIT__ROW_RECEIVE ? event->to : event->node,
                      other = kind == SIMKIT__ROW_COMPUTE ? 0 : event->node + event->to - node;
    simkit__band *band = simkit__band_of(t, node, kind, event->lane);
    const simkit__row *row = simkit__band_row(t, band, event->begin, event->time);
    if (!row) return;
    if (t->form->format == SIMKIT__SVG) {
        simkit__svg_add(t, band, (uint32_t)(row - band->rows), event, other);
        return;
    }
    simkit_picture_write(&t->picture,
                         ",\n{\"ph\":\"X\",\"name\":%t,\"cat\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%3,\"dur\":%3",
                         event->name[0] ? event->name : t->names.texts[band->label], other ? "transfer" : "compute",
                         node, row->number + 1, event->begin * 1e6, (event->time - event->begin) * 1e6);
    if (other)
        simkit_picture_write(&t->picture, ",\"args\":{\"%s\":%t,\"bytes\":%0}",
                             kind == SIMKIT__ROW_SEND ? "to" : "from", simkit_node_name(t->world, other), event->bytes);
    simkit_picture_write(&t->picture, "}");
}

/* For Chrome and the diagram. */
static void simkit__bar_watch(simkit_trace *t, const simkit_watch_event *event)
{
    const bool computes = event->kind == SIMKIT_WATCH_COMPUTE;
    /* Bars come as they end; rows of the diagram are in the order of beginning. */
    if (event->phase == SIMKIT_PHASE_BEGIN && computes && t->form->format == SIMKIT__SVG)
        simkit__band_row(t, simkit__band_of(t, event->node, SIMKIT__ROW_COMPUTE, event->lane), event->time,
                         event->time);
    if (event->phase < SIMKIT_PHASE_END || (!computes && event->node == event->to)) return;
    simkit__bar_end(t, event, computes ? SIMKIT__ROW_COMPUTE : SIMKIT__ROW_SEND);
    if (!computes) simkit__bar_end(t, event, SIMKIT__ROW_RECEIVE);
}

static void simkit__csv_watch(simkit_trace *t, const simkit_watch_event *event)
{
    const bool transfer = event->kind == SIMKIT_WATCH_TRANSFER;
    if (event->phase >= SIMKIT_PHASE_END)
        simkit_picture_write(&t->picture, "%s,%t,%t,%t,%t,%12,%12,%0\n", transfer ? "transfer" : "compute", event->name,
                             simkit_node_name(t->world, event->node),
                             transfer ? simkit_node_name(t->world, event->to) : "", event->lane, event->begin,
                             event->time, transfer ? event->bytes : 0.0);
}

/* A node is there before its first row or link: from then on, it has a band for what it sends. */
static void simkit__paje_node(simkit_trace *t, simkit_node node, double time)
{
    const size_t before = simkit_array_count(t->bands);
    if (simkit__band_of(t, node, SIMKIT__ROW_SEND, "") && simkit_array_count(t->bands) > before)
        simkit_picture_write(&t->picture, "3 %12 N%u CN W %t\n", time, node, simkit_node_name(t->world, node));
}

static void simkit__paje_compute(simkit_trace *t, const simkit_watch_event *event)
{
    const uint32_t hash = simkit_hash_number(event->number);
    if (event->phase == SIMKIT_PHASE_BEGIN) simkit__paje_node(t, event->node, event->time);
    simkit__band *band = simkit__band_of(t, event->node, SIMKIT__ROW_COMPUTE, event->lane);
    if (event->phase == SIMKIT_PHASE_BEGIN) {
        simkit__row *row = simkit__band_row(t, band, event->time, (double)INFINITY);
        if (t->no_memory || !simkit_index_put(t->store, &t->shown, hash, (uint32_t)(row - band->rows))) {
            t->no_memory = true;
            return;
        }
        row->shown = event->number;
        simkit_picture_write(&t->picture, "4 %12 S R%u %t\n", event->time, row->number,
                             event->name[0] ? event->name : "computes");
    }
    if (event->phase < SIMKIT_PHASE_END || !band) return;
    uint32_t line;
    for (size_t at = hash; (line = simkit_index_next(&t->shown, hash, &at)) != SIMKIT_NONE;) {
        if (line >= band->count || band->rows[line].shown != event->number || band->rows[line].end < (double)INFINITY)
            continue;
        simkit__row_ends(band, line, event->time);
        simkit_picture_write(&t->picture, "5 %12 S R%u\n", event->time, band->rows[line].number);
        simkit_index_drop(&t->shown, hash, line);
        return;
    }
}

static void simkit__paje_watch(simkit_trace *t, const simkit_watch_event *event)
{
    const bool begins = event->phase == SIMKIT_PHASE_BEGIN;
    const simkit_node node = begins ? event->node : event->to;
    if (event->kind == SIMKIT_WATCH_COMPUTE) {
        simkit__paje_compute(t, event);
    } else if (event->node != event->to && (begins || event->phase >= SIMKIT_PHASE_END)) {
        simkit__paje_node(t, node, event->time);
        simkit_picture_write(&t->picture, "%s %12 L W N%u \"%0 B\" M%U\n", begins ? "6" : "7", event->time, node,
                             event->bytes, event->number);
    }
}

/* Definitions: the fields of each event, and the types of containers, states and links. */
static const char simkit__paje_head[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 2\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 3\n% Time date\n% Alias string\n% Type string\n% Container string\n"
    "% Name string\n%EndEventDef\n"
    "%EventDef PajePushState 4\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 5\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeStartLink 6\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
    "% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 7\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
    "% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 8\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "0 CW 0 \"world\"\n0 CN CW \"node\"\n0 CL CN \"lane\"\n1 S CL \"doing\"\n2 L CW CN CN \"message\"\n"
    "3 0.000000000000 W CW 0 \"world\"\n";

static const simkit__form simkit__forms[] = {
    /* by format */
    { SIMKIT__CHROME, simkit__bar_watch,
      "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"simkit\",\"pid\":0,\"args\":{}}",
      "\n]}\n" },
    { SIMKIT__PAJE, simkit__paje_watch, simkit__paje_head, "" },
    { SIMKIT__CSV, simkit__csv_watch, "kind,name,node,to,lane,begin [s],end [s],bytes [B]\n", "" },
    { SIMKIT__SVG, simkit__bar_watch, "", "" },
};

static void simkit__trace_watch(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    simkit_trace *t = (simkit_trace *)user;
    (void)world;
    if (!t->no_memory) t->form->watch(t, event);
}

static void simkit__trace_free(simkit_trace *t)
{
    simkit_world *w = t->world;
    simkit_probe_remove(w, t);
    simkit_watch_remove(w, simkit__trace_watch, t);
    for (size_t i = 0; i < simkit_array_count(t->bands); ++i)
        simkit__trace_release(t->store, t->bands[i].rows, t->bands[i].size * sizeof(simkit__row));
    simkit_array_discard(t->store, t->bands);
    simkit_array_discard(t->store, t->bars);
    simkit_index_free(t->store, &t->index);
    simkit_index_free(t->store, &t->shown);
    simkit_names_free(t->store, &t->names);
    simkit__trace_release(t->store, t, sizeof *t);
}

/* The world closes. */
static void simkit__trace_closes(simkit_world *world, void *user)
{
    const simkit_result result = simkit_trace_close((simkit_trace *)user);
    (void)world;
    (void)result; /* nobody asks */
}

static const simkit_probe simkit__trace_probe = {
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, simkit__trace_closes, NULL
};

SIMKIT_API simkit_result simkit_trace_open(simkit_world *world, const simkit_trace_desc *desc, simkit_trace **trace)
{
    if (!trace) return SIMKIT_BAD_ARGUMENT;
    *trace = NULL;
    if (!world) return SIMKIT_BAD_ARGUMENT;
    if (!desc || !desc->path) return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "a trace needs a path");
    simkit__format format;
    if (!simkit__format_of(desc->path, &format))
        return simkit_world_fail(
            world, SIMKIT_BAD_ARGUMENT,
            "the path of a trace is '%s', expected one that ends in .svg, .json, .paje, .trace or .csv", desc->path);
    simkit_store *store = simkit_world_store(world);
    simkit_trace *t = (simkit_trace *)simkit_store_resize(store, NULL, 0, sizeof *t);
    if (!t) return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a trace");
    memset(t, 0, sizeof *t);
    t->world = world;
    t->store = store;
    t->form = &simkit__forms[format];
    t->lanes = desc->lanes;
    if (desc->title) memcpy(t->title, desc->title, (size_t)simkit__cut(desc->title, sizeof t->title - 1));
    simkit_result result = simkit_probe_add(world, &simkit__trace_probe, t);
    if (result == SIMKIT_OK)
        result = simkit_watch_add(world, SIMKIT_WATCH_COMPUTE | SIMKIT_WATCH_TRANSFER, simkit__trace_watch, t);
    if (result == SIMKIT_OK && !simkit__picture_begin(&t->picture, world, format, desc->path))
        result = simkit_world_fail(world, SIMKIT_NO_FILE, "cannot write '%s'", desc->path);
    if (result != SIMKIT_OK) {
        simkit__trace_free(t);
        return result;
    }
    fputs(t->form->head, t->picture.draft.file);
    *trace = t;
    return SIMKIT_OK;
}

SIMKIT_API simkit_result simkit_trace_close(simkit_trace *trace)
{
    simkit_result result = SIMKIT_OK;
    if (!trace) return result;
    if (trace->form->format == SIMKIT__SVG && !trace->no_memory) simkit__diagram_draw(trace);
    fputs(trace->form->tail, trace->picture.draft.file);
    if (!simkit__picture_end(&trace->picture, !trace->no_memory))
        result = trace->no_memory
                     ? simkit_world_fail(trace->world, SIMKIT_NO_MEMORY, "no memory for all bars of a trace")
                     : simkit_world_fail(trace->world, SIMKIT_NO_FILE, "cannot write '%s'", trace->picture.draft.path);
    simkit__trace_free(trace);
    return result;
}

/*=============================================================================
 * MARK: - >>picture (body)
 *
 * The file of a trace, and those of others. What is written goes through one function, so that a picture that is mute gets
 * nothing.
 *===========================================================================*/
SIMKIT_API simkit_result simkit_picture_open(simkit_world *world, const char *path, simkit_picture **picture)
{
    if (picture) *picture = NULL;
    if (!world || !picture) return SIMKIT_BAD_ARGUMENT;
    if (!path) return simkit_world_fail(world, SIMKIT_BAD_ARGUMENT, "a picture needs a path");
    simkit__format format;
    if (!simkit__format_of(path, &format))
        return simkit_world_fail(
            world, SIMKIT_BAD_ARGUMENT,
            "the path of a picture is '%s', expected one that ends in .svg, .json, .paje, .trace or .csv", path);
    simkit_store *store = simkit_world_store(world);
    simkit_picture *p = (simkit_picture *)simkit_store_resize(store, NULL, 0, sizeof *p);
    if (!p) return simkit_world_fail(world, SIMKIT_NO_MEMORY, "no memory for a picture");
    memset(p, 0, sizeof *p);
    if (!simkit__picture_begin(p, world, format, path)) {
        simkit__trace_release(store, p, sizeof *p);
        return simkit_world_fail(world, SIMKIT_NO_FILE, "cannot write '%s'", path);
    }
    *picture = p;
    return SIMKIT_OK;
}

SIMKIT_API void simkit_picture_page(simkit_picture *picture, double width, double height)
{
    simkit_picture_write(picture,
                         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%@\" height=\"%@\" viewBox=\"0 0 %@ %@\" "
                         "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"%@\" height=\"%@\" "
                         "fill=\"white\"/>\n",
                         width, height, width, height, width, height);
    if (!picture->mute) picture->page = true;
}

SIMKIT_API void simkit_picture_write(simkit_picture *picture, const char *format, ...)
{
    simkit__bytes bytes;
    va_list values;
    bytes.file = picture->draft.file;
    bytes.used = 0;
    va_start(values, format);
    while (!picture->mute && *format) {
        const char *percent = strchr(format, '%');
        const size_t plain = percent ? (size_t)(percent - format) : strlen(format);
        const char verb = (char)(percent ? percent[1] : '\0');
        simkit__bytes_add(&bytes, format, plain);
        format += plain + (verb ? 2 : 0);
        if (verb == 't') {
            simkit__bytes_flush(&bytes);
            simkit__put_text(picture, va_arg(values, const char *));
        } else if (verb == 's') {
            const char *text = va_arg(values, const char *);
            simkit__bytes_add(&bytes, text, strlen(text));
        } else if (verb == 'u' || verb == 'U') {
            const uint64_t number = verb == 'u' ? va_arg(values, uint32_t) : va_arg(values, uint64_t);
            char text[32];
            simkit__bytes_add(&bytes, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)number));
        } else if (verb == '%') {
            simkit__bytes_add(&bytes, "%", 1);
        } else if (verb) {
            char text[400], *after = NULL;
            const long decimals = verb == '@' ? 2 : strtol(format - 1, &after, 10);
            if (after && *after == 't') {
                const char *whole = va_arg(values, const char *);
                simkit__bytes_flush(&bytes);
                snprintf(text, sizeof text, "%.*s", simkit__cut(whole, decimals < 255 ? (size_t)decimals : 255), whole);
                simkit__put_text(picture, text);
                format = after + 1;
                continue;
            }
            const double value = fmin(va_arg(values, double), 1e308); /* JSON has no infinity */
            size_t length = simkit__digits(value, (int)decimals, text);
            if (length == 0) {
                snprintf(text, sizeof text, "%.*f", (int)decimals, value);
                length = strlen(simkit__trace_with_point(text));
            }
            while (verb == '@' && text[length - 1] == '0') --length;
            simkit__bytes_add(&bytes, text, length - (text[length - 1] == '.'));
            if (verb != '@') format = after;
        }
    }
    simkit__bytes_flush(&bytes);
    va_end(values);
}

SIMKIT_API void simkit_picture_text(simkit_picture *picture, double x, double y, const char *attributes,
                                    const char *text)
{
    simkit_picture_write(picture, "<text x=\"%@\" y=\"%@\" %s>%60t</text>\n", x, y, attributes, text);
}

/* A step for an axis: 1, 2 or 5 times a power of ten, about `count` of them in `range`. */
static double simkit__axis_step(double range, double count)
{
    double step = 1;
    while (step * count > range) step /= 10;
    while (step * count * 10 <= range) step *= 10;
    if (step * 5 * count <= range) return step * 5;
    return step * 2 * count <= range ? step * 2 : step;
}

SIMKIT_API void simkit_picture_axis(simkit_picture *picture, const simkit_picture_box *box, double begin, double end)
{
    static const struct {
        const char *name;
        double seconds, from;
    } units[] = { { "d", 86400, 4 * 86400 }, { "h", 3600, 3 * 3600 },     { "min", 60, 600 }, { "s", 1, 1 },
                  { "ms", 1e-3, 1e-3 },      { "\xC2\xB5s", 1e-6, 1e-6 }, { "ns", 1e-9, 0 } };
    size_t u = 0;
    if (!(begin >= 0 && begin < end && end < HUGE_VAL)) return;
    while (end < units[u].from) ++u;
    const double range = (end - begin) / units[u].seconds, step = simkit__axis_step(range, 8),
                 from = begin / units[u].seconds / step;
    char label[40];
    if (!(from < 9e15)) return; /* beyond, doubles do not count */
    for (double i = ceil(from); (i - from) * step - range <= 1e-9 * range; ++i) {
        const double x = box->left + (i - from) * (step / range) * box->width;
        simkit_picture_write(picture, "<path d=\"M%@,%@V%@\" stroke=\"#bbbbbb\" stroke-width=\"0.6\"/>\n", x,
                             box->top - 4, box->bottom + 4);
        snprintf(label, sizeof label, "%.6g", i * step);
        simkit_picture_text(picture, x, box->bottom + 16, "text-anchor=\"middle\"", simkit__trace_with_point(label));
    }
    snprintf(label, sizeof label, "time [%s]", units[u].name);
    simkit_picture_text(picture, box->left + box->width / 2, box->bottom + 32, "text-anchor=\"middle\"", label);
}

SIMKIT_API void simkit_picture_mute(simkit_picture *picture, bool mute)
{
    picture->mute = mute;
}

SIMKIT_API simkit_result simkit_picture_close(simkit_picture *picture, bool complete)
{
    if (!picture) return SIMKIT_OK;
    simkit_picture *p = picture;
    simkit_result result = SIMKIT_OK;
    if (!simkit__picture_end(p, complete) && complete)
        result = simkit_world_fail(p->world, SIMKIT_NO_FILE, "cannot write '%s'", p->draft.path);
    simkit__trace_release(simkit_world_store(p->world), p, sizeof *p);
    return result;
}

#ifdef __cplusplus
}
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* SIMKIT_TRACE_IMPLEMENTED */

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
