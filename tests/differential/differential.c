/* tests/differential/differential.c   Random programs for the engine, each played in several ways that must not make a
 * difference: to the bit the same events in the same order. One run is held against a reference (reference.h).
 *
 *     differential [SECONDS [SEED [PROGRAMS]]]
 *
 * A program that shows a difference, breaks a promise of the engine or does not end is shrunk and printed as C. Programs
 * run in a child, so that one which crashes can be shrunk, too. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"
#include "util/simkit_statistics.h"
#include "util/simkit_files.h"
#include "util/simkit_users.h"

#include "generate.h"
#include "print.h"
#include "reference.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef enum check {
    WATCHED,
    WATCHED_PARTLY,
    SLICED,
    PEEKED,
    MOVED,
    STALE,
    WORN,
    RESET,
    ALL_TOGETHER,
    REFUSED,
    REFERENCE,
    CHECKS
} check;

static const char *const check_names[] = {
    "with watchers",          "with some watchers",       "run in slices",        "with everything read",
    "with memory that moves", "with steps taken back",    "with worn-out timers", "after a reset",
    "with all that together", "with memory refused once", "against the reference"
};

/* What the child is at; its parent reads it when it has died. */
static struct shared {
    uint64_t seed;
    check check;
    way way;
    uint64_t programs, entries, traced, compared; /* compared: with the reference */
} *shared;

static player player_one, player_two;
static history history_one, history_two;
static reference reference_world;

/* Whether a run until the time at which the work ends does more than one to the end: it runs the background of that
 * instant, too. */
static bool has_background(const program *p)
{
    for (int i = 1; i < p->count; ++i) {
        const op *o = &p->ops[i];
        if (o->kind == STEP_BACKGROUND || o->kind == USERS || (o->kind == COMPUTE && o->flag)) return true;
    }
    return false;
}

static way way_for(check check, const program *p, const history *base, long allocations)
{
    uint64_t random = p->seed ^ ((uint64_t)check << 56);
    way w;
    memset(&w, 0, sizeof w);
    switch (check) {
    case WATCHED: w.watched = SIMKIT_WATCH_ALL; break;
    case WATCHED_PARTLY: w.watched = 1 + (unsigned)random_below(&random, SIMKIT_WATCH_ALL); break;
    case PEEKED: w.peeks = true; break;
    case MOVED: w.moves = true; break;
    case STALE: w.stale = 1 + random_below(&random, 9); break;
    case WORN: w.worn = true; break;
    case RESET:
        w.before = random_next(&random) | 1;
        w.until = chance(&random, 0.3) ? (double)INFINITY : 4 * random_unit(&random);
        w.moves = chance(&random, 0.3);
        w.watched = SIMKIT_WATCH_ALL;
        break;
    case ALL_TOGETHER:
        w.watched = SIMKIT_WATCH_ALL;
        w.peeks = w.moves = true;
        w.stale = 1 + random_below(&random, 9);
        break;
    case REFUSED: w.refuses = allocations > 0 ? 1 + random_below(&random, (int)allocations) : 0; break;
    case REFERENCE:
        w.traced = true;
        w.stale = random_below(&random, 4);
        break;
    default: break;
    }
    if ((check == SLICED || check == ALL_TOGETHER) && base->count > 0) {
        while (w.slices < (int)(sizeof w.slice / sizeof *w.slice)) {
            const double time = base->entries[random_below(&random, base->count)].time;
            const double last = w.slices ? w.slice[w.slices - 1] : 0;
            const double next = chance(&random, 0.5) ? time : chance(&random, 0.5) ? nextafter(time, 0) : time * random_unit(&random);
            w.slice[w.slices] = next > last || chance(&random, 0.5) ? next : last;
            ++w.slices;
        }
        const double end = base->entries[base->count - 1].time;
        for (int i = 0; i < w.slices && has_background(p); ++i)
            if (w.slice[i] >= end) w.slice[i] = 0;
    }
    return w;
}

static bool entries_differ(const entry *a, const entry *b)
{
    return a->op != b->op || a->event != b->event || a->result != b->result ||
           memcmp(&a->time, &b->time, sizeof a->time) != 0 || memcmp(a->values, b->values, sizeof a->values) != 0;
}

/* The first entry in which two histories differ; -1: none. What a run answers at its end is compared, not when. */
static int first_difference(const history *a, const history *b)
{
    for (int i = 0; i < a->count || i < b->count; ++i)
        if (i >= a->count || i >= b->count || entries_differ(&a->entries[i], &b->entries[i])) return i;
    return -1;
}

/* Whether a program shows a difference if it is played in a way; both histories are left for whoever asks. */
static int differs(const program *p, const way *w)
{
    way plain;
    memset(&plain, 0, sizeof plain);
    if (w->traced) {
        play(&player_two, p, w, &history_two);
        return ref_check(&reference_world, p, &history_two);
    }
    if (w->refuses) {
        play(&player_two, p, w, &history_two);
        plain.leaves_out = player_two.without_memory;
        play(&player_one, p, &plain, &history_one);
    } else {
        play(&player_one, p, &plain, &history_one);
        play(&player_two, p, w, &history_two);
    }
    return first_difference(&history_one, &history_two);
}

/*=============================================================================
 * Shrinking
 *===========================================================================*/
/* In a child: whether it differs there, crashes or does not end. */
static bool fails(const program *p, const way *w, bool tell)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        alarm(2);
        if (!tell && (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))) _exit(0);
        const int at = differs(p, w);
        if (tell && at >= 0) {
            printf("entry %d\n    right: ", at);
            if (w->traced) printf("%s\n", reference_world.why);
            else if (at < history_one.count) entry_print(stdout, p, &history_one.entries[at]);
            else printf("nothing\n");
            printf("    wrong: ");
            if (at < history_two.count) entry_print(stdout, p, &history_two.entries[at]);
            else printf("nothing\n");
            fflush(stdout);
        }
        _exit(at >= 0 ? 1 : 0);
    }
    if (waitpid(child, &status, 0) != child) abort();
    if (tell && WIFSIGNALED(status)) printf("it ends by signal %d\n", WTERMSIG(status));
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* With the way adapted: which allocation it is changes with the program. */
static bool still_fails(const program *p, way *w)
{
    way tried = *w;
    if (fails(p, w, false)) return true;
    for (long i = 1; w->refuses && i < 200; ++i) {
        tried.refuses = i;
        if (!fails(p, &tried, false)) continue;
        *w = tried;
        return true;
    }
    return false;
}

/* Whether it still fails after a change that is otherwise undone. */
static bool keep_if_fails(program *p, const program *changed, way *w, int *trials)
{
    if (*trials <= 0) return false;
    --*trials;
    if (!still_fails(changed, w)) return false;
    *p = *changed;
    return true;
}

static bool shrink_ops(program *p, way *w, int *trials)
{
    static program changed;
    bool shrunk = false;
    for (int size = p->count / 2; size >= 1; size /= 2)
        for (int first = p->count - size; first > 0; first -= size) {
            bool any = false;
            changed = *p;
            for (int i = first; i < first + size; ++i) {
                any |= changed.ops[i].kind != NOTHING;
                changed.ops[i].kind = NOTHING;
            }
            if (any && keep_if_fails(p, &changed, w, trials)) shrunk = true;
        }
    return shrunk;
}

/* One operation less, its children handed to its parent; numbers made small and round. */
static bool shrink_details(program *p, way *w, int *trials)
{
    static program changed;
    bool shrunk = false;
    for (int i = p->count - 1; i > 0; --i) {
        op *o = &p->ops[i];
        if (o->kind == NOTHING) continue;
        changed = *p;
        changed.ops[i].kind = NOTHING;
        for (int k = i + 1; k < p->count; ++k)
            if (changed.ops[k].by == i) changed.ops[k].by = o->by;
        if (keep_if_fails(p, &changed, w, trials)) {
            shrunk = true;
            continue;
        }
        if (o->by != 0) {
            changed = *p;
            changed.ops[i].by = p->ops[o->by].by;
            if (keep_if_fails(p, &changed, w, trials)) shrunk = true;
        }
        for (int x = 0; x < NUMBERS; ++x) {
            const double simple[] = { 0, 1, floor(o->x[x]), floor(8 * o->x[x]) / 8 };
            for (int s = 0; s < 4; ++s) {
                const bool simpler = o->x[x] > 0 || o->x[x] < 0 ? fabs(o->x[x] - 1) > 0 || s == 0 : false;
                if (!simpler || !(fabs(simple[s] - o->x[x]) > 0)) continue;
                changed = *p;
                changed.ops[i].x[x] = simple[s];
                if (keep_if_fails(p, &changed, w, trials)) {
                    shrunk = true;
                    break;
                }
            }
        }
        changed = *p;
        changed.ops[i].n = 0;
        if (o->n != 0 && keep_if_fails(p, &changed, w, trials)) shrunk = true;
        changed = *p;
        changed.ops[i].flag = false;
        if (o->flag && keep_if_fails(p, &changed, w, trials)) shrunk = true;
    }
    return shrunk;
}

static void shrink_way(const program *p, way *w)
{
    const way simple[] = { { .watched = SIMKIT_WATCH_TRANSFER }, { .watched = SIMKIT_WATCH_ALL }, { .peeks = true },
                           { .moves = true }, { .worn = true }, { .stale = 1 }, { .stale = 4 } };
    way changed;
    for (size_t i = 0; !w->refuses && !w->traced && i < sizeof simple / sizeof *simple; ++i)
        if (fails(p, &simple[i], false)) {
            *w = simple[i];
            return;
        }
    for (int i = w->slices - 1; i >= 0; --i) {
        changed = *w;
        memmove(&changed.slice[i], &changed.slice[i + 1], (size_t)(--changed.slices - i) * sizeof *changed.slice);
        if (fails(p, &changed, false)) *w = changed;
    }
}

static void report(void)
{
    static program p;
    way w = shared->way;
    int trials = 4000;
    generate(&p, shared->seed, ROOMS);
    printf("seed %llu, %s: ", (unsigned long long)shared->seed, check_names[shared->check]);
    fflush(stdout);
    if (!fails(&p, &w, true)) {
        printf("but not when it is repeated\n");
        return;
    }
    shrink_way(&p, &w);
    while (shrink_ops(&p, &w, &trials) | shrink_details(&p, &w, &trials)) {
    }
    shrink_way(&p, &w);
    printf("shrunk: ");
    fflush(stdout);
    fails(&p, &w, true);
    print_program(stdout, &p, &w);
}

/*=============================================================================
 * Programs, one after another
 *===========================================================================*/
static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All ways to play one program; false if one makes a difference. */
static bool try_all(const program *p)
{
    static history base;
    const way none = { .moves = true };
    uint64_t watched = 0;
    shared->check = WATCHED;
    play(&player_one, p, &none, &base);
    const long allocations = player_one.allocations;
    for (int c = 0; c < CHECKS; ++c) {
        shared->check = (check)c;
        const way w = way_for((check)c, p, &base, allocations);
        shared->way = w;
        if (c == REFUSED) {
            bool skip = false;
            for (int i = 0; i < p->count; ++i)
                skip |= p->ops[i].kind == USERS; /* without memory for a process of theirs the run ends */
            if (!skip && w.refuses && differs(p, &w) >= 0) return false;
            continue;
        }
        if (c == REFERENCE && p->extreme) continue;
        if (c == REFERENCE) {
            if (differs(p, &w) >= 0) return false;
            shared->compared += (uint64_t)reference_world.at;
            shared->traced += (uint64_t)history_two.count;
            continue;
        }
        play(&player_two, p, &w, &history_two);
        if (first_difference(&base, &history_two) >= 0) return false;
        if (c == WATCHED) watched = player_two.watched;
        if ((c == RESET || c == ALL_TOGETHER) && player_two.watched != watched) return false;
    }
    ++shared->programs;
    shared->entries += (uint64_t)base.count;
    return true;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
    const uint64_t most = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
    const double end = seconds_now() + seconds;
    static program p;
    int status;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        while (seconds_now() < end && shared->programs < most) {
            alarm(5);
            shared->seed = seed++;
            generate(&p, shared->seed, ROOMS);
            if (!try_all(&p)) _exit(1);
        }
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child) return 1;
    printf("%llu programs, %llu events each in %d ways; %llu of %llu held against the reference\n",
           (unsigned long long)shared->programs, (unsigned long long)shared->entries, CHECKS,
           (unsigned long long)shared->compared, (unsigned long long)shared->traced);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    report();
    return 1;
}
