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
#define WAITED 1e-5   /* [s]: virtual time that passes between two reads if something else does wait there */
/* CPU time between two reads, on average, with which a task is at work and not in such a loop [s]. Loops of C, C++ and Fortran take 10 to
 * 60 ns, those of Python 80 to 150 ns, 0.5 us where the processor's caches are another task's. One reading may have been interrupted. */
#define BUSY 1e-6
#define BUSIEST 4e-6
#define SMOOTH 16.0 /* readings */

static void loops__begin(direct_loop *l, double now)
{
    memset(l->places, 0, sizeof l->places);
    l->reads = 0;
    l->began = now;
    l->busy = 0;
}

void direct_loop_call(direct_loop *l)
{
    ++l->calls;
}

/* All calls of the task since the last read have been in vain, too. */
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
    const void **place = &l->places[look.clock % DIRECT_LOOP_CLOCKS];
    const bool vain = loops__vain(l), waited = look.now > l->last + WAITED;
    l->vain = l->calls;
    l->busy += (fmin(look.used, BUSIEST) - l->busy) / SMOOTH;
    if (!vain || waited || l->busy > BUSY || (*place && *place != look.place)) loops__begin(l, look.now);
    *place = look.place;
    return ++l->reads > READS ? fmin(fmax(PART * (look.now - l->began), SHORTEST), LONGEST) : 0;
}

bool direct_loop_within(const direct_loop *l)
{
    return l->reads > READS && l->vain + 1 >= l->calls;
}

double direct_share(simkit_world *world, simkit_node node, unsigned cores)
{
    const double computing = (double)simkit_node_running(world, node) + 1;
    return fmin(cores / computing, 1);
}

double direct_loop_until(double step, double now, double next)
{
    return next > now ? fmin(now + step, next) : now + LEAST;
}

void direct_loop_end(direct_loop *l, double now)
{
    l->last = now;
}
