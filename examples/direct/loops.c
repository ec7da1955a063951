/* loops.c - loops in which a task does nothing but look at a clock until some time has come. Where a read takes no virtual time they
 * would not end, and where it takes 50 ns, a second would be 20 million reads. So each read of such a loop passes a hundredth of the
 * time that the loop has taken: it ends at most 1 % late, after some thousand reads. */
#define _GNU_SOURCE
#include "direct.h"

#include <math.h>
#include <string.h>

#define READS 64      /* so many in a row are a loop */
#define PART 0.01     /* of the time of the loop: passed by each read */
#define SHORTEST 1e-6 /* [s] */
#define LONGEST 1e-4  /* [s] */
#define LEAST 1e-9    /* [s]: if something is due at this instant */
/* A task that uses so much CPU time before each call is at work: it looks at the clock while it computes. The least of the last calls
 * counts. A loop that does nothing else uses 10 to 50 ns for each read, also in Python, and 0.2 to 0.45 us if other tasks have used the
 * processor and its caches since its last read (29 November 2026, two Xeon cores). */
#define WORK 0.2e-6     /* [s] */
#define WORK_SLEPT 1e-6 /* [s]: after another task had the turn, and in what has been such a loop so far */
#define FORGET 1.1      /* a least time grows by this with each read, so that it is that of the last ten or twenty */

enum {
    FRAMES = 12,
    CHECKED = 4 /* of READS: of these, all calls they are in must be the same, as one function may look for many */
};

static void loops__begin(direct_loop *l, double now)
{
    memset(l->places, 0, sizeof l->places);
    memset(l->stacks, 0, sizeof l->stacks);
    l->reads = 0;
    l->began = now;
}

/* The calls that the task is in, as a number. */
static uint64_t loops__stack(void)
{
    void *frames[FRAMES];
    const int count = direct_stack(frames, FRAMES);
    uint64_t sum = 1;
    for (int i = 0; i < count; ++i) sum = (sum ^ (uint64_t)(uintptr_t)frames[i]) * UINT64_C(0x100000001b3);
    return sum ? sum : 1;
}

/* True if the task looks at this clock from the place from which it did before. */
static bool loops__same_place(direct_loop *l, direct_loop_look look)
{
    const unsigned clock = look.clock % DIRECT_LOOP_CLOCKS;
    const void *before = l->places[clock];
    l->places[clock] = look.place;
    if (before && before != look.place) return false;
    if (l->reads % READS < READS - CHECKED) return true;
    const uint64_t stack = loops__stack(), stack_before = l->stacks[clock];
    l->stacks[clock] = stack;
    return !stack_before || stack_before == stack;
}

void direct_loop_call(direct_loop *l)
{
    ++l->calls;
}

/* True if no call of the task since its last read has had an effect. */
static bool loops__vain(direct_loop *l)
{
    const bool vain = l->vain + 1 >= l->calls;
    if (vain) l->vain = l->calls;
    return vain;
}

void direct_loop_vain(direct_loop *l)
{
    (void)loops__vain(l);
}

double direct_loop_read(direct_loop *l, direct_loop_look look)
{
    const bool vain = loops__vain(l);
    const double used = look.used / (double)(l->calls - l->looked);
    l->vain = l->looked = l->calls;
    l->least = l->reads > 0 ? fmin(l->least * FORGET + 1e-9, used) : used;
    const bool works = l->least > (look.slept || l->reads > READS ? WORK_SLEPT : WORK);
    if (!vain || works || !loops__same_place(l, look)) {
        loops__begin(l, look.now);
        l->places[look.clock % DIRECT_LOOP_CLOCKS] = look.place;
    }
    return ++l->reads > READS ? fmin(fmax(PART * (look.now - l->began), SHORTEST), LONGEST) : 0;
}

bool direct_loop_within(const direct_loop *l)
{
    return l->reads > READS && l->vain + 1 >= l->calls;
}

double direct_loop_until(double step, double now, double next)
{
    return next > now ? fmin(now + step, next) : now + LEAST;
}
