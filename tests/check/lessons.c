/* Runs lessons with fingerprints of all their worlds, which must be the same with every compiler and on every processor:
 * they are recorded in fingerprints.txt. Each lesson is compiled with its main() renamed, and so that it opens, runs and
 * closes its worlds by the functions below; LESSONS names them,
 * TRACE is a short trace for load_index. The lines go to the standard error, for the lessons print.
 *
 * With DISTURBED, each runs again with a watcher that looks around, in slices, and with memory that moves: a lesson that then
 * does not do the same is named, and the exit status is 1. */
#include "simkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LESSONS(ALONE, TOLD) is a list of ALONE(name) for main(void) and TOLD(name) for main(argc, argv). */
#define DECLARE_ALONE(name) int lesson_##name(void);
#define DECLARE_TOLD(name) int lesson_##name(int argc, char **argv);
#define ENTRY_ALONE(name) { #name, lesson_##name, NULL },
#define ENTRY_TOLD(name) { #name, NULL, lesson_##name },
LESSONS(DECLARE_ALONE, DECLARE_TOLD)

static const struct lesson {
    const char *name;
    int (*alone)(void);
    int (*told)(int argc, char **argv);
} lessons[] = { LESSONS(ENTRY_ALONE, ENTRY_TOLD) };

/* What a lesson calls in place of the functions of simkit.h. */
simkit_result lesson_world_open(const simkit_world_desc *desc, simkit_world **world);
void lesson_world_close(simkit_world *world);
simkit_result lesson_world_run(simkit_world *world);
simkit_result lesson_world_run_until(simkit_world *world, double until);

enum { RUNS = 1000 };
static double ends[RUNS]; /* of the runs of a lesson until nothing but background is left */
static int run;
static bool disturbed;
static uint64_t fingerprint; /* of all worlds that were closed */
static double sum;

static void looks(const simkit_world *world, void *user, const simkit_watch_event *event)
{
    (void)user;
    if (simkit_clock_next(world) > event->time) sum += 1;
    sum += (double)simkit_node_running(world, event->node) + (double)simkit_clock_events(world);
}

static void *moves(void *user, void *pointer, size_t old_bytes, size_t new_bytes)
{
    void *fresh = new_bytes > 0 ? malloc(new_bytes) : NULL;
    (void)user;
    if (new_bytes > 0 && !fresh) return NULL;
    if (fresh && pointer) memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    free(pointer);
    return fresh;
}

simkit_result lesson_world_open(const simkit_world_desc *desc, simkit_world **world)
{
    simkit_world_desc own;
    memset(&own, 0, sizeof own);
    if (desc) own = *desc;
    if (disturbed) own.memory.reallocate = moves;
    simkit_result result = simkit_world_open(&own, world);
    if (result == SIMKIT_OK && disturbed) result = simkit_watch_add(*world, SIMKIT_WATCH_ALL, looks, NULL);
    if (result == SIMKIT_OK) result = simkit_fingerprint_begin(*world);
    return result;
}

void lesson_world_close(simkit_world *world)
{
    fingerprint = fingerprint * 31 + simkit_fingerprint_value(world);
    simkit_world_close(world);
}

/* In slices up to a time, each to half the way of the next event or to it. At the time itself background may be left out. */
static simkit_result slices(simkit_world *world, double until)
{
    for (int n = 0; disturbed; ++n) {
        const double next = simkit_clock_next(world), now = simkit_clock_now(world);
        if (!(next < until)) break;
        const simkit_result result = simkit_world_run_until(world, n % 2 ? next : now + (next - now) / 2);
        if (result != SIMKIT_OK) return result;
    }
    return SIMKIT_OK;
}

simkit_result lesson_world_run(simkit_world *world)
{
    simkit_result result = slices(world, ends[run]);
    if (result == SIMKIT_OK) result = simkit_world_run(world);
    ends[run] = simkit_clock_now(world);
    if (++run == RUNS) abort();
    return result;
}

simkit_result lesson_world_run_until(simkit_world *world, double until)
{
    const simkit_result result = slices(world, until);
    return result == SIMKIT_OK ? simkit_world_run_until(world, until) : result;
}

static uint64_t fingerprint_of(const struct lesson *lesson)
{
    char days[] = "--days", number[] = "2", trace[] = "--trace", path[] = TRACE, name[] = "";
    char *arguments[] = { name, days, number, trace, path, NULL };
    const int count = !strcmp(lesson->name, "load_index") ? 5 : !strcmp(lesson->name, "balance") ? 3 : 1;
    if (count == 5) number[0] = '1';
    fingerprint = 0;
    run = 0;
    if ((lesson->alone ? lesson->alone() : lesson->told(count, arguments)) != 0) { /* the long ones make less of it */
        fprintf(stderr, "%s failed\n", lesson->name);
        exit(2);
    }
    return fingerprint;
}

int main(void)
{
    int status = 0;
    for (size_t i = 0; i < sizeof lessons / sizeof lessons[0]; ++i) {
        disturbed = false;
        const uint64_t plain = fingerprint_of(&lessons[i]);
        fprintf(stderr, "lesson %-21s %016llx\n", lessons[i].name, (unsigned long long)plain);
#ifdef DISTURBED
        disturbed = true;
        if (fingerprint_of(&lessons[i]) == plain) continue;
        fprintf(stderr, "lesson %-21s differs with a watcher, in slices, with memory that moves\n", lessons[i].name);
        status = 1;
#endif
    }
    return status;
}
