/* What the patch puts into icecream's scheduler: the server on which a job is predicted to end first. C++, included where
 * icecream's types are known. */
#ifndef PICK_SERVER_H
#define PICK_SERVER_H

#include "placement.h"

#include <cmath>

static map<unsigned int, double> placement_average; /* by host: the last load average that its daemon sent */

/* A server that has compiled nothing yet gets one job, which shows its speed. */
static CompileServer *placement_pick(const Job *job)
{
    CompileServer *best = nullptr;
    double shortest = HUGE_VAL;

    for (CompileServer *cs : css) {
        if (!cs->is_eligible_now(job)) continue;
        const JobStat all = cs->cumCompiled();
        placement_server server;
        server.speed = all.compileTimeUser() ? (double)all.outputSize() / (double)all.compileTimeUser() : 0;
        server.cores = cs->maxJobs();
        server.jobs = (double)cs->jobList().size();
        server.others =
            placement_by == PLACEMENT_BY_COUNT ? placement_average[cs->hostId()] : cs->load() / 1000.0 * server.cores;
        server.nice = cs != job->submitter();
        if (server.speed == 0 && server.jobs == 0) return cs;
        const double seconds = placement_seconds(&server);
        if (server.speed > 0 && seconds < shortest) shortest = seconds, best = cs;
    }
    return best;
}

#endif
