/* A policy of your own: the largest job that fits is started first.
 * cc -O2 -shared -fPIC -Iexamples/server examples/server/largest.c -o largest.so
 * build/server --policy ./largest.so WORKLOAD
 *
 * A policy is told what happens, and is asked for its decisions after each event. Here it keeps a list of the jobs that
 * wait. server_policy_open() is called when the shared object is loaded. */
#include "server.h"

#include <stdlib.h>

typedef struct largest {
    server_number *waiting;
    size_t count, space;
} largest;

static void happened(void *state, server *s, const server_event *event)
{
    largest *l = (largest *)state;
    if (event->kind != SERVER_EVENT_SUBMIT) return;
    if (l->count == l->space) {
        const size_t space = l->space ? 2 * l->space : 64;
        server_number *moved = (server_number *)realloc(l->waiting, space * sizeof *moved);
        if (!moved) {
            server_give_up(s, "is out of memory");
            return;
        }
        l->waiting = moved;
        l->space = space;
    }
    l->waiting[l->count++] = event->job;
}

static void decide(void *state, server *s)
{
    largest *l = (largest *)state;
    for (;;) {
        size_t best = l->count;
        unsigned nodes = 0;
        for (size_t i = 0; i < l->count; ++i) {
            const unsigned needs = server_job_of(s, l->waiting[i])->desc.preferred;
            if (needs <= server_free(s) && needs > nodes) best = i, nodes = needs;
        }
        if (best == l->count) return;
        const server_number job = l->waiting[best];
        l->waiting[best] = l->waiting[--l->count];
        if (server_start(s, job, nodes) != SERVER_OK) return;
    }
}

static void close_largest(void *state)
{
    free(((largest *)state)->waiting);
    free(state);
}

server_result server_policy_open(const char *arguments, server_policy *policy)
{
    (void)arguments; /* what follows the name on the command line, after a colon */
    *policy = (server_policy){ "largest", happened, decide, close_largest, calloc(1, sizeof(largest)) };
    return policy->state ? SERVER_OK : SERVER_NO_MEMORY;
}
