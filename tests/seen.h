/* A watcher of tests that writes down what has ended or was lost. Include after simkit.h. */
#ifndef SEEN_H
#define SEEN_H

#include <stdio.h>
#include <string.h>

static char seen[2000];

static inline void see(const simkit_world *w, void *user, const simkit_watch_event *event)
{
    (void)user;
    if (event->phase != SIMKIT_PHASE_END && event->phase != SIMKIT_PHASE_LOST) return;
    const size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s/%s@%g ", event->name, event->lane, simkit_clock_now(w));
}

#endif
