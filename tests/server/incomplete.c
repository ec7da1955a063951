/* A policy without `decide`, which plugin_make() has to close. */
#include "server.h"

int incomplete_closed; /* how often */

static void happened(void *state, server *s, const server_event *event)
{
    (void)state;
    (void)s;
    (void)event;
}

static void close_incomplete(void *state)
{
    ++*(int *)state;
}

server_result server_policy_open(const char *arguments, server_policy *policy)
{
    (void)arguments;
    *policy = (server_policy){ "incomplete", happened, NULL, close_incomplete, &incomplete_closed };
    return SERVER_OK;
}
