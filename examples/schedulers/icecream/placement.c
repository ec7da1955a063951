/* A job on a compile server competes with our other jobs there, and with other processes that are not as nice. */
#include "placement.h"

#include "contention.h"

int placement_by = PLACEMENT_BY_LOAD;

double placement_seconds(const placement_server *s)
{
    const contention_nice_rule rule = CONTENTION_NICE_LINUX_TODAY;
    const double weight[2] = { contention_nice_weight(rule, s->nice ? 5 : 0), contention_nice_weight(rule, 0) };
    const double running = fmin(s->jobs + 1, fmax(s->cores, 1)), before = fmax(s->jobs + 1 - running, 0);
    const double count[2] = { running, s->others };
    double share[2];

    if (contention_share_weighted(s->cores, 0, 2, weight, count, share) != CONTENTION_OK) return NAN;
    return (1 + before / running) / (s->speed * share[0]);
}
