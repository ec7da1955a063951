/* Two things happen at 1 s and at 3 s; what does a clock do in between?
 * cc -O2 -DSIMKIT_STATIC -I. examples/clock.c -o clock -lm && ./clock
 *
 * Nothing: it jumps. A virtual clock goes from one event to the next, and however long the time between them is, the
 * jump costs the same. Events of one instant come in the order in which they were scheduled, or by priority. */
#define SIMKIT_IMPLEMENTATION
#include "simkit.h"

static char line[] = "|.........|.........|.........|.........|"; /* four seconds */

/* What happens at an event: it prints the time, and leaves a mark. */
static void happen(simkit_world *world, void *name)
{
    const double now = simkit_clock_now(world);
    char *mark = now < 4.1 ? &line[(int)(now * 10)] : NULL;

    printf("%6.2f s   %s\n", now, (const char *)name);
    if (mark && (*mark == '.' || *mark == '|')) *mark = *(const char *)name;
}

/* An event may schedule others: this one comes back every half second, three times in all. */
static void knock(simkit_world *world, void *times)
{
    int *left = (int *)times;

    happen(world, "knock");
    if (--*left > 0 && simkit_step_after(world, 0.5, 0, knock, left, NULL) != SIMKIT_OK) simkit_world_stop(world);
}

/* Prints why a call failed; whether it did. */
static int tell(simkit_world *world, simkit_result result)
{
    if (result != SIMKIT_OK) fprintf(stderr, "%s\n", simkit_world_why(world));
    return result != SIMKIT_OK;
}

int main(void)
{
    simkit_world *world;
    simkit_step never;
    int knocks = 3, failed = 0;

    if (simkit_world_open(NULL, &world) != SIMKIT_OK) return fputs("no memory for a world\n", stderr), 1;
    printf("the clock stands at %g s\n", simkit_clock_now(world));
    failed |= tell(world, simkit_step_at(world, 1, 0, happen, "a, the first of two events", NULL));
    failed |= tell(world, simkit_step_at(world, 3, 0, happen, "b, the second", NULL));
    failed |= tell(world, simkit_world_run(world));
    printf("the clock stands at %g s after %lu steps\n\n", simkit_clock_now(world),
           (unsigned long)simkit_clock_events(world));

    /* At one instant: in the order of scheduling; but a lower priority number goes first. */
    failed |= tell(world, simkit_step_after(world, 0.3, 0, happen, "c, scheduled first", NULL));
    failed |= tell(world, simkit_step_after(world, 0.3, 0, happen, "d, scheduled second", NULL));
    failed |= tell(world, simkit_step_after(world, 0.3, -1, happen, "e, scheduled last, more urgent", NULL));
    /* A pending event can be cancelled; then it is gone, and its handle is harmless. */
    failed |= tell(world, simkit_step_after(world, 0.5, 0, happen, "never", &never));
    printf("pending: %s\n", simkit_step_pending(world, never) ? "yes" : "no");
    printf("cancelled: %s\n", simkit_step_cancel(world, never) ? "yes" : "no");
    printf("cancelled again: %s\n", simkit_step_cancel(world, never) ? "yes" : "no");
    printf("the next event is at %g s\n", simkit_clock_next(world));
    failed |= tell(world, simkit_step_after(world, 0, 0, knock, &knocks, NULL));
    failed |= tell(world, simkit_world_run(world));

    /* Time never goes back: this is refused, with a sentence, and changes nothing. */
    if (simkit_step_at(world, 0, 0, happen, "too late", NULL) != SIMKIT_BAD_TIME) failed = 1;
    printf("\nrefused: %s\n\n", simkit_world_why(world));
    printf("%s\n0         1         2         3         4 s\n", line);
    simkit_world_close(world);
    return failed;
}
